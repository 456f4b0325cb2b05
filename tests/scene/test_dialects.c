// test_dialects.c: in another dialect a model is the same, except for reported losses.
// SPDX-License-Identifier: MIT

#include "../formats/model_help.h"

#include <tenon/scene.h>

#include <dirent.h>

// A model in another dialect: its losses, and how it differs.
typedef struct changed_model {
    const char *path, *dialect;
    char losses[1000];
    unsigned differences;
} changed_model;

static void note_loss(void *user, const tenon_loss *loss)
{
    changed_model *model = user;
    size_t used = strlen(model->losses);
    snprintf(model->losses + used, sizeof model->losses - used, "%s %s; ",
             tenon_loss_word(loss->kind), loss->feature);
}

// Up to version 2, a mesh of BBMOD has a separate node.
static bool is_expected(const changed_model *model, const tenon_difference *d)
{
    bool is_old = strcmp(model->dialect, "2") == 0 || strcmp(model->dialect, "1b") == 0;
    return is_old && strncmp(d->path, "nodes[", 6) == 0;
}

static void note_difference(void *user, const tenon_difference *d)
{
    changed_model *model = user;
    if (is_expected(model, d) || model->differences++ > 0) return;
    fprintf(stderr, "%s as %s: %s: got %s, want %s\n", model->path, model->dialect, d->path, d->b,
            d->a);
}

static tenon_scene *scene_of(const tenon_doc *doc, const char *path)
{
    return doc ? tenon_to_scene(doc, &(tenon_scene_opts){.model_path = path}, NULL) : NULL;
}

static bool has_lost(const changed_model *model, const char *feature)
{
    return strstr(model->losses, feature) != NULL;
}

// Without losses nothing differs. Losses may not move anything, unless they concern what moves
// it.
static void compare(const tenon_scene *before, const tenon_scene *after, changed_model *model)
{
    tenon_error err;
    tenon_verify_result result = {0};
    CHECK(tenon_verify(before, after, NULL, &result, &err));
    bool moves = has_lost(model, "weights") || has_lost(model, "faces") ||
                 has_lost(model, "durations and rates") || strstr(model->path, "float_bits");
    bool has_clips = result.missing_clips == 0 || has_lost(model, "animations");
    bool has_all = result.matched == 1 || has_lost(model, "points and lines") ||
                   (result.by_node && (has_lost(model, "nodes") || has_lost(model, "joints")));
    if (!moves && !(result.largest < 1e-6 && has_all && has_clips)) {
        fprintf(stderr, "%s as %s: %g apart, %g matched, %u clips missing; losses: %s\n",
                model->path, model->dialect, result.largest, result.matched, result.missing_clips,
                model->losses);
        CHECK(false);
    }
    if (model->losses[0] || moves) return;
    uint64_t count;
    CHECK(tenon_diff(before, after, NULL, note_difference, model, &count, &err));
    CHECK(model->differences == 0);
}

// Change the model, write it, read it again, and compare. False if that change is not possible.
static bool change_to(const blob *file, const tenon_scene *before, changed_model *model)
{
    tenon_error err;
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, &err);
    tenon_change_opts opts = {.dialect = model->dialect,
                              .events = {.user = model, .on_loss = note_loss}};
    bool ok = tenon_change(doc, &opts, &err);
    if (ok) {
        blob bytes = blob_written(doc);
        tenon_read_opts read = {.format = doc->format->name, .dialect = model->dialect};
        tenon_doc *again = tenon_read(bytes.data, bytes.size, &read, &err);
        tenon_scene *after = scene_of(again, model->path);
        CHECK(after);
        if (after) compare(before, after, model);
        tenon_scene_free(after);
        tenon_doc_free(again);
        blob_free(&bytes);
    }
    tenon_doc_free(doc);
    return ok;
}

static unsigned change_models(const char *folder)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.') continue;
        blob file = blob_load(path);
        tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
        tenon_scene *scene = scene_of(doc, path);
        for (uint32_t i = 0; scene && i < doc->format->dialect_count; i++) {
            changed_model model = {.path = path, .dialect = doc->format->dialects[i].name};
            count += change_to(&file, scene, &model);
        }
        tenon_scene_free(scene);
        tenon_doc_free(doc);
        blob_free(&file);
    }
    if (dir) closedir(dir);
    return count;
}

TEST(a_model_is_the_same_in_every_dialect_of_its_format)
{
    static const char *const folders[] = {
        "samples",
        "tests/fixtures/bbmod",
        "tests/fixtures/bmw",
        "tests/fixtures/bplx",
        "tests/fixtures/gpb",
        "tests/fixtures/modeldata",
    };
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        CHECK(change_models(folders[i]) > 0);
}

int main(void)
{
    RUN(a_model_is_the_same_in_every_dialect_of_its_format);
    TEST_END();
}
