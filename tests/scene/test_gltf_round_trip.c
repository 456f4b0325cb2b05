// test_gltf_round_trip.c: glTF to scene to GLB to scene: the same again. Fixtures, samples, and the
// real files of the corpus if they are installed.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <dirent.h>

#include "../real_files.h"
#include "gltf_export_help.h"

// -- There and back

static tenon_scene *scene_of_file(const char *path)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    tenon_scene_opts opts = {.model_path = path};
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, &err) : NULL;
    if (!scene) fprintf(stderr, "%s: %s: %s\n", path, err.path, err.message);
    tenon_doc_free(doc);
    return scene;
}

static tenon_scene *scene_of_kept(const kept *k)
{
    const kept_file *file = kept_named(k, "");
    tenon_error err;
    tenon_doc *doc = file ? tenon_read(file->bytes, file->size, NULL, &err) : NULL;
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, &err) : NULL;
    if (doc && !scene) fprintf(stderr, "%s: %s\n", err.path, err.message);
    tenon_doc_free(doc);
    return scene;
}

static void compare(const char *path, const tenon_scene *a, const tenon_scene *b)
{
    tenon_verify_result result;
    tenon_error err;
    bool is_done = tenon_verify(a, b, NULL, &result, &err);
    bool is_same = is_done && result.largest <= 1e-6 && !result.by_surface &&
                   result.missing_clips == 0 && result.missing_meshes == 0 &&
                   a->mesh_count == b->mesh_count && a->animation_count == b->animation_count &&
                   a->skin_count == b->skin_count && a->extra_count == b->extra_count;
    if (!is_same) fprintf(stderr, "%s: not the same again\n", path);
    CHECK(is_same);
}

static void there_and_back(const char *path)
{
    kept k = {.calls_left = -1};
    tenon_scene *a = scene_of_file(path);
    tenon_sink sink = {kept_begin, kept_write, kept_end, &k};
    tenon_export_opts opts = {.format = "glb", .embed = true, .model_path = path};
    CHECK(a && tenon_scene_check(a, &k.err));
    CHECK(a && tenon_export(a, &opts, &sink, &k.err));
    tenon_scene *b = a ? scene_of_kept(&k) : NULL;
    CHECK(b != NULL);
    if (b) compare(path, a, b);
    tenon_scene_free(a);
    tenon_scene_free(b);
    kept_free(&k);
}

static int all_of(const char *folder)
{
    DIR *list = opendir(folder);
    int count = 0;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char path[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        there_and_back(path);
        count++;
    }
    if (list) closedir(list);
    return count;
}

// -- Tests

TEST(fixtures_come_back)
{
    CHECK(all_of("tests/fixtures/gltf") > 10);
}

TEST(the_samples_come_back)
{
    there_and_back("samples/crane.gpb");
    there_and_back("samples/crane.bplx");
    there_and_back("samples/crane.cea");
    there_and_back("samples/crane.bmw");
}

TEST(real_files_come_back)
{
    real_files_each("gltf", ".gl", there_and_back);
}

int main(void)
{
    RUN(fixtures_come_back);
    RUN(the_samples_come_back);
    RUN(real_files_come_back);
    REAL_FILES_END();
}
