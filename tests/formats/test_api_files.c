// test_api_files.c: the contract of public calls that write files: without options, without an
// error struct, over files that exist, and while file operations fail.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "model_help.h"

#include <tenon/edit.h>
#include <tenon/files.h>
#include <tenon/scene.h>

#include "../faulty_files.h"
#include "../scratch.h"

#define SAMPLE "samples/crane.gpb"

static tenon_doc *read_sample(void)
{
    tenon_doc *doc = tenon_read_file(SAMPLE, NULL, NULL);
    if (!doc) exit(1);
    return doc;
}

static tenon_scene *sample_scene(void)
{
    tenon_doc *doc = read_sample();
    tenon_scene *scene = tenon_to_scene(doc, &(tenon_scene_opts){.model_path = SAMPLE}, NULL);
    tenon_doc_free(doc);
    if (!scene) exit(1);
    return scene;
}

static bool is_file_of(const char *path, const blob *want)
{
    blob got = blob_load(path);
    bool is_same = blob_same(&got, want);
    blob_free(&got);
    return is_same;
}

// -- Options and errors are optional

TEST(documents_are_written_without_options)
{
    tenon_doc *doc = read_sample();
    blob json, bytes = blob_written(doc), built = {0};
    CHECK(tenon_write_file(doc, scratch("plain.gpb"), NULL, NULL));
    CHECK(is_file_of(scratch("plain.gpb"), &bytes));
    CHECK(!tenon_write_file(doc, scratch("plain.gpb"), NULL, NULL));  // It exists.
    CHECK(tenon_dump_file(doc, scratch("plain.json"), NULL, NULL));
    CHECK(!tenon_dump_file(doc, scratch("plain.json"), NULL, NULL));
    json = blob_load(scratch("plain.json"));
    CHECK(tenon_build_file((const char *)json.data, json.size, scratch("built.gpb"), NULL, NULL,
                           NULL));
    CHECK(is_file_of(scratch("built.gpb"), &bytes));
    CHECK(!tenon_build_file((const char *)json.data, json.size, scratch("built.gpb"), NULL, NULL,
                            NULL));
    CHECK(tenon_build((const char *)json.data, json.size, NULL, blob_add, &built, NULL));
    CHECK(blob_same(&built, &bytes));
    CHECK(!tenon_build("{}", 2, NULL, blob_add, &built, NULL));
    CHECK(tenon_recover(doc, NULL, NULL));
    blob_free(&json);
    blob_free(&bytes);
    blob_free(&built);
    tenon_doc_free(doc);
}

static bool refuse_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return false;
}

// Whether an error was filled in; it is emptied for the next call.
static bool is_said(tenon_error *err)
{
    bool is_there = err->code != TENON_OK && err->message[0];
    *err = (tenon_error){0};
    return is_there;
}

TEST(every_call_that_fails_fills_the_error)
{
    tenon_error err = {0};
    tenon_doc *doc = read_sample(), *other = tenon_read_file("samples/crane.bplx", NULL, NULL);
    const char *taken = scratch("taken.gpb");
    CHECK(!tenon_read_file(scratch("missing.gpb"), NULL, &err) && is_said(&err));
    CHECK(tenon_save(taken, "abc", 3, NULL, NULL));
    CHECK(!tenon_read_file(taken, NULL, &err) && is_said(&err));
    CHECK(!tenon_write_file(doc, taken, NULL, &err) && is_said(&err));
    CHECK(!tenon_dump_file(doc, taken, NULL, &err) && is_said(&err));
    CHECK(!tenon_dump(doc, refuse_bytes, NULL, &err) && is_said(&err));
    CHECK(!tenon_merge(doc, other, NULL, &err) && is_said(&err));
    remove(taken);
    tenon_doc_free(other);
    tenon_doc_free(doc);
}

TEST(bytes_are_saved_or_the_error_says_why)
{
    tenon_error err = {.code = TENON_ERR_VALUE};
    CHECK(tenon_save(scratch("saved.bin"), "abc", 3, NULL, &err) && err.code == TENON_OK);
    CHECK(scratch_holds("saved.bin", "abc", 3));
    CHECK(!tenon_save(scratch("saved.bin"), "xyz", 3, NULL, &err));
    CHECK(err.code == TENON_ERR_EXISTS && strstr(err.message, "saved.bin"));
    CHECK(!tenon_save(scratch("saved.bin"), "xyz", 3, NULL, NULL));
    CHECK(scratch_holds("saved.bin", "abc", 3));
    CHECK(!tenon_save(scratch("no/such/folder"), "xyz", 3, NULL, &err));
    CHECK(err.code == TENON_ERR_IO && strstr(err.message, "no/such/folder"));
    remove(scratch("saved.bin"));
}

TEST(scenes_are_written_without_options)
{
    tenon_doc *doc = read_sample();
    tenon_scene *scene = tenon_to_scene(doc, NULL, NULL);
    CHECK(scene && tenon_export_file(scene, scratch("plain.glb"),
                                     &(tenon_export_opts){.format = "glb"}, NULL, NULL));
    CHECK(tenon_edit_space(scene, NULL, NULL));
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

// -- Refusals

TEST(what_cannot_be_written_is_refused_by_name)
{
    static const struct {
        const char *format, *dialect, *message;
    } cases[] = {{NULL, NULL, "the options do not name the format to write"},
                 {"fbx", NULL, "a scene cannot be written as 'fbx'"},
                 {"gpb", "9.9", "gpb has no dialect '9.9'"},
                 {"obj", "glb", "obj has no dialect 'glb'"}};
    tenon_scene *scene = sample_scene();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_error err;
        tenon_export_opts opts = {.format = cases[i].format, .dialect = cases[i].dialect};
        CHECK(!tenon_export_file(scene, scratch("refused"), &opts, NULL, &err));
        CHECK(err.code == TENON_ERR_UNSUPPORTED);
        CHECK_STR(err.message, cases[i].message);
        CHECK(scratch_count("refused") == 0);
    }
    tenon_scene_free(scene);
}

TEST(what_cannot_be_read_is_refused_by_name)
{
    tenon_error err;
    CHECK(!tenon_read("", 0, &(tenon_read_opts){.format = "dae"}, &err));
    CHECK_STR(err.message, "there is no format 'dae'");
    CHECK(!tenon_read("", 0, &(tenon_read_opts){.format = "bplx", .copy = true}, &err));
    CHECK(err.code == TENON_ERR_TRUNCATED);
    CHECK(!tenon_read_file(scratch("nothing"), NULL, NULL));
    CHECK(!tenon_read_file(SAMPLE, &(tenon_read_opts){.name = "a.bplx", .format = "bplx"}, &err));
    CHECK(tenon_profile_at(1000) == NULL && tenon_profile_at(0) != NULL);
}

// A text that builds a file which no reader accepts leaves no file.
TEST(texts_that_build_no_model_leave_no_file)
{
    static const char *const texts[] = {"", "{", "[]", "{\"format\": \"none\"}", "{\"tenon\": 1}"};
    tenon_error err;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK(!tenon_build_file(texts[i], strlen(texts[i]), scratch("text.out"), NULL, NULL, &err));
        CHECK(err.message[0]);
    }
    CHECK(scratch_count("text.out") == 0 && scratch_count(".tenon-") == 0);
}

TEST(paths_that_are_too_long_are_refused)
{
    static char path[6000];
    tenon_error err;
    tenon_scene *scene = sample_scene();
    memset(path, 'a', sizeof path - 1);
    CHECK(!tenon_export_file(scene, path, &(tenon_export_opts){.format = "glb"}, NULL, &err));
    CHECK(err.code == TENON_ERR_IO && err.message[0]);
    tenon_scene_free(scene);
}

// -- Files that exist

static bool export_beside(const tenon_scene *scene, const char *path, bool force, tenon_error *err)
{
    tenon_export_opts opts = {.format = "obj", .model_path = SAMPLE, .copy_textures = true};
    return tenon_export_file(scene, path, &opts, &(tenon_write_opts){.force = force}, err);
}

static const char *const sides[] = {"one.mtl", "two.mtl"};

// Both models share the picture, and nothing else.
TEST(side_files_with_the_same_bytes_are_shared)
{
    tenon_error err;
    tenon_scene *scene = sample_scene();
    CHECK(export_beside(scene, scratch("one.obj"), false, &err));
    CHECK(export_beside(scene, scratch("two.obj"), false, &err));
    for (size_t i = 0; i < 2; i++) CHECK(scratch_count(sides[i]) == 1);
    CHECK(!export_beside(scene, scratch("one.obj"), false, &err));
    CHECK(err.code == TENON_ERR_EXISTS);
    tenon_scene_free(scene);
}

// Shorter, longer, other bytes: all are refused, and stay as they are; force replaces them.
TEST(side_files_with_other_bytes_are_not_touched)
{
    tenon_error err;
    tenon_scene *scene = sample_scene();
    CHECK(export_beside(scene, scratch("own.obj"), false, &err));
    remove(scratch("own.obj"));
    blob good = blob_load(scratch("own.mtl")), bad[3] = {{0}, {0}, {0}};
    for (int i = 0; i < 3; i++) blob_add(&bad[i], good.data, i ? good.size : good.size / 2);
    blob_add(&bad[1], "#", 1);
    bad[2].data[3] ^= 1;
    for (int i = 0; i < 3; i++) {
        scratch_save("own.mtl", bad[i].data, bad[i].size);
        CHECK(!export_beside(scene, scratch("own.obj"), false, &err));
        CHECK(err.code == TENON_ERR_EXISTS && strstr(err.message, "own.mtl' exists"));
        CHECK(is_file_of(scratch("own.mtl"), &bad[i]) && scratch_count("own.obj") == 0);
    }
    CHECK(export_beside(scene, scratch("own.obj"), true, &err));
    CHECK(is_file_of(scratch("own.mtl"), &good));
    for (int i = 0; i < 3; i++) blob_free(&bad[i]);
    blob_free(&good);
    tenon_scene_free(scene);
}

typedef struct listing {
    uint32_t count, stop_at;
} listing;

static bool list_file(void *user, const tenon_written_file *file)
{
    listing *l = user;
    CHECK(file->path[0] && file->size > 0);
    return ++l->count != l->stop_at;
}

TEST(a_dry_run_reports_what_would_be_written)
{
    tenon_error err;
    tenon_scene *scene = sample_scene();
    listing all = {0}, first = {.stop_at = 1};
    tenon_export_opts opts = {.format = "obj",
                              .model_path = SAMPLE,
                              .copy_textures = true,
                              .dry_run = true,
                              .events.on_file = list_file,
                              .events.user = &all};
    CHECK(tenon_export_file(scene, scratch("dry.obj"), &opts, NULL, &err));
    CHECK(all.count >= 2 && scratch_count("dry") == 0);
    scratch_save("dry.mtl", "other", 5);  // It would be refused; a dry run only reports it.
    CHECK(tenon_export_file(scene, scratch("dry.obj"), &opts, NULL, &err));
    opts.events.user = &first;
    opts.dry_run = false;
    remove(scratch("dry.mtl"));
    CHECK(!tenon_export_file(scene, scratch("dry.obj"), &opts, NULL, &err));
    CHECK(first.count == 1 && scratch_count("dry") == 0);
    tenon_scene_free(scene);
}

// Reading the existing file is interrupted after every few bytes, or fails.
TEST(existing_files_are_compared_whatever_reading_does)
{
    tenon_error err;
    faulty_files faulty;
    tenon_scene *scene = sample_scene();
    tenon_export_opts opts = {
        .format = "obj", .model_path = SAMPLE, .copy_textures = true, .files = &faulty.files};
    CHECK(export_beside(scene, scratch("slow.obj"), false, &err));
    remove(scratch("slow.obj"));
    faulty_begin(&faulty);
    faulty.crumbs = true;
    CHECK(tenon_export_file(scene, scratch("slow.obj"), &opts, NULL, &err));
    remove(scratch("slow.obj"));
    faulty_begin(&faulty);
    faulty.only = "read";
    faulty.fail_at = 1;
    faulty.for_ever = true;
    faulty.error = EIO;
    CHECK(!tenon_export_file(scene, scratch("slow.obj"), &opts, NULL, &err));
    CHECK(err.code == TENON_ERR_EXISTS || err.code == TENON_ERR_IO);
    CHECK(scratch_count("slow.obj") == 0 && faulty.open_count == 0);
    tenon_scene_free(scene);
}

int main(void)
{
    scratch_begin();
    RUN(documents_are_written_without_options);
    RUN(every_call_that_fails_fills_the_error);
    RUN(bytes_are_saved_or_the_error_says_why);
    RUN(scenes_are_written_without_options);
    RUN(what_cannot_be_written_is_refused_by_name);
    RUN(what_cannot_be_read_is_refused_by_name);
    RUN(texts_that_build_no_model_leave_no_file);
    RUN(paths_that_are_too_long_are_refused);
    RUN(side_files_with_the_same_bytes_are_shared);
    RUN(side_files_with_other_bytes_are_not_touched);
    RUN(a_dry_run_reports_what_would_be_written);
    RUN(existing_files_are_compared_whatever_reading_does);
    scratch_end();
    TEST_END();
}
