// test_import_file.c: a scene of a model's file and of the files beside it.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <tenon/bbmod.h>
#include <tenon/files.h>
#include <tenon/scene.h>

#include "../faulty_files.h"
#include "../scratch.h"
#include "../test.h"

static const char model_path[] = "samples/crane.bbmod";

static void copy_to_scratch(const char *from, const char *name)
{
    tenon_bytes bytes;
    CHECK(tenon_load(from, NULL, &bytes, NULL));
    scratch_save(name, bytes.data, bytes.size);
    tenon_unload(&bytes);
}

// The names of clips, with spaces between them.
static void name_clips(const tenon_scene *scene, char *out, size_t out_size)
{
    out[0] = '\0';
    for (uint32_t i = 0; scene && i < scene->animation_count; i++) {
        size_t used = strlen(out);
        snprintf(out + used, out_size - used, "%s%s", i ? " " : "", scene->animations[i].name.data);
    }
}

static void check_clips(tenon_scene *scene, const char *want)
{
    char clips[256];
    name_clips(scene, clips, sizeof clips);
    CHECK(scene != NULL);
    CHECK_STR(clips, want);
    tenon_scene_free(scene);
}

typedef struct losses {
    char text[1024];
} losses;

static void note_loss(void *user, const tenon_loss *loss)
{
    losses *l = user;
    size_t used = strlen(l->text);
    const char *slash = loss->path ? strrchr(loss->path, '/') : NULL;
    if (strcmp(loss->feature, "animation beside the model") == 0)
        snprintf(l->text + used, sizeof l->text - used, "%s: %s\n", slash ? slash + 1 : "",
                 loss->why);
}

TEST(clips_beside_a_model_belong_to_its_scene)
{
    check_clips(tenon_import_file(model_path, NULL, NULL, NULL), "lift travel");
    check_clips(tenon_import_file("samples/crane.gpb", NULL, NULL, NULL), "travel lift");
    check_clips(tenon_import_file("samples/crane.cem", NULL, NULL, NULL), "");
}

TEST(companions_of_the_caller_are_all_there_are)
{
    tenon_doc *doc = tenon_read_file("samples/crane_lift.bbanim", NULL, NULL);
    tenon_companion one = {doc, "up"};
    tenon_scene_opts opts = {.companions = &one, .companion_count = 1};
    check_clips(tenon_import_file(model_path, NULL, &opts, NULL), "up");
    tenon_doc_free(doc);
}

TEST(what_does_not_fit_is_left_out_and_reported)
{
    losses lost = {{0}};
    tenon_scene_opts opts = {.lost = note_loss, .user = &lost};
    copy_to_scratch(model_path, "crane.bbmod");
    copy_to_scratch("samples/crane_travel.bbanim", "crane_z.bbanim");
    copy_to_scratch("samples/crane_lift.bbanim", "crane_B.bbanim");
    copy_to_scratch("samples/crane_lift.bbanim", "crane2_lift.bbanim");
    copy_to_scratch("tests/fixtures/bbanim/3.0-upper_events.bbanim", "crane_alien.bbanim");
    copy_to_scratch("samples/crane.glb", "crane_model.bbanim");
    scratch_save("crane_broken.bbanim", "BBANIM", 6);
    check_clips(tenon_import_file(scratch("crane.bbmod"), NULL, &opts, NULL), "B z");
    CHECK_STR(lost.text, "crane_alien.bbanim: it does not fit the model\n"
                         "crane_broken.bbanim: it cannot be read\n"
                         "crane_model.bbanim: it does not fit the model\n");
}

TEST(what_is_said_of_the_model_is_not_said_of_its_animations)
{
    tenon_read_opts read = {.format = "bbmod", .name = "x.bbmod"};
    check_clips(tenon_import_file(model_path, &read, NULL, NULL), "lift travel");
}

TEST(a_folder_that_cannot_be_listed)
{
    faulty_files f;
    tenon_error err;
    faulty_begin(&f);
    tenon_scene_opts opts = {.files = &f.files};
    f.only = "list";
    f.fail_at = 1;
    CHECK(tenon_import_file(model_path, NULL, &opts, &err) == NULL);
    CHECK(err.code == TENON_ERR_IO && err.system == EIO);
    CHECK(strncmp(err.message, "cannot look for animations in 'samples/': ", 42) == 0);
    faulty_begin(&f);
    f.files.list = NULL;
    check_clips(tenon_import_file(model_path, NULL, &opts, &err), "");
}

TEST(every_file_operation_may_fail)
{
    tenon_error err = {.code = TENON_ERR_IO};
    for (unsigned i = 1; i < 1000 && err.code != TENON_OK; i++) {
        faulty_files f;
        faulty_begin(&f);
        f.fail_at = i;
        tenon_read_opts read = {.files = &f.files};
        tenon_scene *scene = tenon_import_file(model_path, &read, NULL, &err);
        CHECK((scene != NULL) == (err.code == TENON_OK));
        CHECK(f.open_count == 0 && f.map_count == 0);
        if (f.calls >= i) err.code = TENON_ERR_IO;  // Some may fail without harm.
        tenon_scene_free(scene);
    }
    CHECK(err.code == TENON_OK);
}

// -- Memory

typedef struct counted {
    uint64_t calls, fail_at, blocks;
} counted;

static void *counted_alloc(void *user, size_t size)
{
    counted *c = user;
    void *memory = ++c->calls == c->fail_at ? NULL : malloc(size);
    c->blocks += memory != NULL;
    return memory;
}

static void counted_free(void *user, void *memory, size_t size)
{
    counted *c = user;
    (void)size;
    c->blocks -= memory != NULL;
    free(memory);
}

TEST(every_allocation_may_fail)
{
    bool is_over = false;
    for (uint64_t i = 1; i < 2000 && !is_over; i++) {
        counted c = {.fail_at = i};
        tenon_allocator allocator = {counted_alloc, counted_free, &c};
        tenon_read_opts read = {.allocator = allocator};
        tenon_scene_opts opts = {.allocator = allocator};
        tenon_error err;
        tenon_scene *scene = tenon_import_file(model_path, &read, &opts, &err);
        is_over = c.calls < i;
        CHECK(is_over ? scene != NULL : !scene && err.code == TENON_ERR_MEMORY);
        tenon_scene_free(scene);
        CHECK(c.blocks == 0);
    }
    CHECK(is_over);
}

int main(void)
{
    RUN(clips_beside_a_model_belong_to_its_scene);
    RUN(companions_of_the_caller_are_all_there_are);
    RUN(what_does_not_fit_is_left_out_and_reported);
    RUN(what_is_said_of_the_model_is_not_said_of_its_animations);
    RUN(a_folder_that_cannot_be_listed);
    RUN(every_file_operation_may_fail);
    RUN(every_allocation_may_fail);
    TEST_END();
}
