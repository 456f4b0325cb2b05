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

TEST(only_the_companions_of_the_caller_are_used)
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
    tenon_scene_opts opts = {.events = {.user = &lost, .on_loss = note_loss}};
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

TEST(options_for_the_model_do_not_apply_to_its_animations)
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

int main(void)
{
    scratch_begin();
    RUN(clips_beside_a_model_belong_to_its_scene);
    RUN(only_the_companions_of_the_caller_are_used);
    RUN(what_does_not_fit_is_left_out_and_reported);
    RUN(options_for_the_model_do_not_apply_to_its_animations);
    RUN(a_folder_that_cannot_be_listed);
    scratch_end();
    TEST_END();
}
