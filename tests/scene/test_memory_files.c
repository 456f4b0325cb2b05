// test_memory_files.c: models that are read from memory and written to memory, with their sidecars.
// SPDX-License-Identifier: MIT

#include <tenon/bbmod.h>
#include <tenon/files.h>
#include <tenon/scene.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"

static bool has_file(const tenon_memory *memory, const char *path)
{
    return tenon_memory_find(memory, path, NULL);
}

TEST(a_model_goes_through_memory_with_its_sidecars)
{
    tenon_error err;
    tenon_scene *scene = tenon_import_file("samples/crane.gpb", NULL, NULL, &err);
    const tenon_export_opts opts = {.format = "bbmod", .name = "crane"};
    tenon_memory *memory = tenon_export_memory(scene, &opts, &err);
    CHECK(memory != NULL);
    CHECK(has_file(memory, "crane.bbmod") && has_file(memory, "crane_lift.bbanim"));
    tenon_memory_file file;
    uint32_t count = 0;
    while (tenon_memory_at(memory, count, &file)) {
        CHECK(file.size > 0 && !strstr(file.path, ".tenon-"));  // No temporary is left.
        count++;
    }
    CHECK(count >= 3);
    // Read it again, with its clips, from there.
    const tenon_read_opts read = {.files = tenon_memory_files(memory)};
    tenon_scene *again = tenon_import_file("./crane.bbmod", &read, NULL, &err);
    CHECK(again && again->animation_count == scene->animation_count);
    tenon_verify_result result = {.verdict = TENON_DIFFERENT};
    CHECK(tenon_verify(scene, again, NULL, &result, &err) && result.verdict == TENON_VERIFIED);
    tenon_scene_free(again);
    tenon_scene_free(scene);
    tenon_memory_free(memory);
}

TEST(the_bytes_are_those_of_a_file)
{
    tenon_scene *scene = tenon_import_file("samples/crane.gpb", NULL, NULL, NULL);
    const tenon_export_opts opts = {.format = "glb"};
    tenon_memory *memory = tenon_export_memory(scene, &opts, NULL), *folder = NULL;
    folder = tenon_memory_new(NULL, NULL);
    const tenon_write_opts write = {.files = tenon_memory_files(folder)};
    CHECK(tenon_export_file(scene, "model.glb", NULL, &write, NULL));
    tenon_memory_file a, b;
    CHECK(tenon_memory_find(memory, "model.glb", &a) && tenon_memory_find(folder, "model.glb", &b));
    CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    CHECK(!tenon_export_file(scene, "model.glb", NULL, &write, NULL));  // It exists.
    tenon_memory_free(memory);
    tenon_memory_free(folder);
    tenon_scene_free(scene);
}

TEST(a_scene_becomes_a_document)
{
    tenon_error err;
    tenon_scene *scene = tenon_import_file("samples/crane.gpb", NULL, NULL, NULL);
    const tenon_export_opts opts = {.format = "bbmod"}, none = {0}, odd = {.format = "nothing"};
    tenon_doc *doc = tenon_from_scene(scene, &opts, &err);
    CHECK(doc && tenon_as_bbmod(doc) && tenon_as_bbmod(doc)->mesh_count > 0);
    CHECK(tenon_check(doc, NULL, NULL, NULL, NULL, NULL));
    tenon_doc_free(doc);
    CHECK(!tenon_from_scene(scene, &none, &err) && err.code == TENON_ERR_UNSUPPORTED);
    CHECK(!tenon_from_scene(scene, NULL, NULL) && !tenon_export_memory(scene, NULL, NULL));
    CHECK(!tenon_export_memory(scene, &odd, &err) && err.code == TENON_ERR_UNSUPPORTED);
    tenon_scene_free(scene);
}

static bool count_name(void *user, const char *name)
{
    (void)name;
    ++*(int *)user;
    return true;
}

TEST(files_can_be_added_replaced_renamed_listed_and_removed)
{
    tenon_memory *memory = tenon_memory_new(NULL, NULL);
    const tenon_files *files = tenon_memory_files(memory);
    tenon_memory_file file;
    tenon_file_info info;
    int count = 0;
    CHECK(tenon_memory_add(memory, "a/b/c.txt", "one", 3));
    CHECK(tenon_memory_add(memory, "./a/d.txt", "", 0));
    CHECK(tenon_memory_add(memory, "a/b/c.txt", "three", 5));
    CHECK(tenon_memory_find(memory, "a/b/c.txt", &file) && file.size == 5);
    CHECK(tenon_memory_find(memory, "./a/d.txt", &file) && file.size == 0);
    CHECK(files->look(files->user, "a/b", &info) == 0 && info.kind == TENON_FILE_FOLDER);
    CHECK(files->look(files->user, ".", &info) == 0 && info.kind == TENON_FILE_FOLDER);
    CHECK(files->look(files->user, "a/", &info) == 0 && info.kind == TENON_FILE_FOLDER);
    CHECK(files->look(files->user, "b", &info) == ENOENT);
    CHECK(files->list(files->user, "a", count_name, &count) == 0 && count == 1);
    CHECK(files->rename(files->user, "a/d.txt", "a/b/c.txt", false) == EEXIST);
    CHECK(files->rename(files->user, "a/d.txt", "a/b", true) == EISDIR);
    CHECK(files->rename(files->user, "a/x.txt", "y.txt", true) == ENOENT);
    CHECK(files->rename(files->user, "a/b/c.txt", "c.txt", false) == 0);
    CHECK(!has_file(memory, "a/b/c.txt") && tenon_memory_find(memory, "c.txt", &file));
    CHECK(file.size == 5 && files->rename(files->user, "c.txt", "c.txt", true) == 0);
    CHECK(has_file(memory, "c.txt"));
    CHECK(files->remove(files->user, "c.txt") == 0 && !has_file(memory, "c.txt"));
    CHECK(files->remove(files->user, "c.txt") == ENOENT);
    CHECK(!tenon_memory_at(memory, 1, &file) && tenon_memory_at(memory, 0, NULL));
    tenon_file handle;
    CHECK(files->create(files->user, "a", &handle) == EISDIR);
    CHECK(files->create(files->user, "a/d.txt", &handle) == EEXIST);
    CHECK(files->open(files->user, "nothing", &handle) == ENOENT);
    CHECK(files->open_write(files->user, "a", &handle) == EISDIR);
    tenon_memory_free(memory);
}

TEST(a_file_that_is_replaced_while_it_is_read_ends_early)
{
    tenon_memory *memory = tenon_memory_new(NULL, NULL);
    const tenon_files *files = tenon_memory_files(memory);
    tenon_file handle;
    char text[8];
    size_t got;
    CHECK(tenon_memory_add(memory, "a", "abcdef", 6));
    CHECK(files->open(files->user, "a", &handle) == 0);
    CHECK(files->read(files->user, handle, text, 4, &got) == 0 && got == 4);
    CHECK(tenon_memory_add(memory, "a", "ab", 2));
    CHECK(files->read(files->user, handle, text, 4, &got) == 0 && got == 0);
    CHECK(files->close(files->user, handle) == 0);
    tenon_memory_free(memory);
}

TEST(wrong_calls_are_refused)
{
    tenon_memory *memory = tenon_memory_new(NULL, NULL);
    CHECK(!tenon_memory_add(NULL, "a", "", 0) && !tenon_memory_add(memory, NULL, "", 0));
    CHECK(!tenon_memory_add(memory, "", "", 0) && !tenon_memory_add(memory, "./", "", 0));
    CHECK(!tenon_memory_add(memory, "a", NULL, 1) && tenon_memory_add(memory, "a", NULL, 0));
    CHECK(!tenon_memory_at(NULL, 0, NULL) && !tenon_memory_find(NULL, "a", NULL));
    CHECK(!tenon_memory_find(memory, NULL, NULL) && !tenon_memory_files(NULL));
    tenon_memory_free(memory);
    tenon_memory_free(NULL);
}

// An allocator that fails at one call.
typedef struct failing {
    int calls, fail_at;
} failing;

static void *alloc(void *user, size_t size)
{
    failing *f = user;
    return ++f->calls == f->fail_at ? NULL : malloc(size);
}

static void release(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free(memory);
}

TEST(every_allocation_can_fail)
{
    tenon_scene *scene = tenon_import_file("samples/crane.gpb", NULL, NULL, NULL);
    for (int at = 1, done = 0; !done; at++) {
        failing f = {.fail_at = at};
        tenon_error err;
        const tenon_export_opts opts = {.allocator = {alloc, release, &f, NULL}, .format = "bplx"};
        tenon_doc *doc = tenon_from_scene(scene, &opts, &err);
        done = f.calls < at;
        CHECK(doc ? done || err.code == TENON_OK
                  : err.code == TENON_ERR_MEMORY || err.system == ENOMEM);
        tenon_doc_free(doc);
    }
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(a_model_goes_through_memory_with_its_sidecars);
    RUN(the_bytes_are_those_of_a_file);
    RUN(a_scene_becomes_a_document);
    RUN(files_can_be_added_replaced_renamed_listed_and_removed);
    RUN(a_file_that_is_replaced_while_it_is_read_ends_early);
    RUN(wrong_calls_are_refused);
    RUN(every_allocation_can_fail);
    TEST_END();
}
