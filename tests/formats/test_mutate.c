// test_mutate.c: the fuzzers' mutator changes fields: some of its results are still models, with
// more or fewer elements in a list; it never writes outside of its buffer.
// SPDX-License-Identifier: MIT

#include "../../fuzz/mutate.c"
#include "../../fuzz/mutate_fbx.c"
#include "../test.h"

#include <tenon/bbmod.h>

#define ROUNDS 600

static uint8_t *load(const char *path, size_t *size, size_t room)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(room);
    *size = file && data ? fread(data, 1, room, file) : 0;
    if (file) fclose(file);
    return data;
}

typedef size_t change_fn(uint8_t *data, size_t size, size_t max_size, const char *format,
                         uint64_t *chance);

static size_t change_fbx(uint8_t *data, size_t size, size_t max_size, const char *format,
                         uint64_t *chance)
{
    (void)format;
    return mutate_fbx(data, size, max_size, chance);
}

typedef struct outcome {
    uint32_t changed, accepted, refused, longer, shorter, with_more_meshes, with_fewer_meshes;
} outcome;

static outcome mutate_often(change_fn *change, const char *path, const char *format,
                            uint32_t mesh_count)
{
    size_t size, max_size = 12288;
    outcome o = {0};
    uint8_t *original = load(path, &size, max_size);
    CHECK(original && size > 0 && size < max_size);
    for (uint64_t seed = 0; original && seed < ROUNDS; seed++) {
        uint64_t chance = seed * 7919;
        uint8_t *copy = malloc(max_size);
        if (!copy) break;
        memcpy(copy, original, size);
        size_t room = seed % 2 ? size : max_size;  // A sanitizer notices writes outside of it.
        uint8_t *exact = realloc(copy, room);
        size_t changed = change(exact, size, room, format, &chance);
        CHECK(changed <= room);
        o.changed += changed > 0;
        o.longer += changed > size;
        o.shorter += changed && changed < size;
        tenon_read_opts opts = {.format = format};
        tenon_doc *doc = changed ? tenon_read(exact, changed, &opts, NULL) : NULL;
        o.accepted += doc != NULL;
        o.refused += changed && !doc;
        tenon_bbmod *bbmod = doc ? tenon_as_bbmod(doc) : NULL;
        o.with_more_meshes += bbmod && bbmod->mesh_count > mesh_count;
        o.with_fewer_meshes += bbmod && bbmod->mesh_count < mesh_count;
        tenon_doc_free(doc);
        free(exact);
    }
    free(original);
    return o;
}

TEST(models_of_every_kind_are_changed)
{
    static const char *const models[][2] = {
        {"tests/fixtures/bbmod/3.4_full.bbmod", "bbmod"},
        {"tests/fixtures/bmw/R4_full.bmw", "bmw"},
        {"tests/fixtures/gpb/1_5_scene.gpb", "gpb"},
        {"tests/fixtures/gltf/skinned.glb", "gltf"},
        {"tests/fixtures/modeldata/current_full.cem", "modeldata"},
        {"tests/fixtures/bplx/document_full.bplx", "bplx"},
        {"tests/fixtures/bbanim/3.4_events.bbanim", "bbanim"},
    };
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        outcome o = mutate_often(mutate_model, models[i][0], models[i][1], 0);
        bool is_good = o.changed > ROUNDS / 2 && o.accepted > 20 && o.refused > 20 &&
                       o.longer > 0 && o.shorter > 0;
        if (!is_good)
            fprintf(stderr, "%s: %u changed, %u accepted, %u refused, %u longer, %u shorter\n",
                    models[i][0], o.changed, o.accepted, o.refused, o.longer, o.shorter);
        CHECK(is_good);
    }
}

TEST(lists_are_counted_again)
{
    outcome o = mutate_often(mutate_model, "tests/fixtures/bbmod/3.4_instances.bbmod", "bbmod", 2);
    CHECK(o.with_more_meshes > 0);
    CHECK(o.with_fewer_meshes > 0);
}

// Offsets and sizes are right after each change, so that nearly all results are files.
TEST(trees_of_fbx_are_changed_as_trees)
{
    static const char *const names[] = {"skin", "shapes",    "wide", "big_endian",
                                        "old",  "skin_text", "six",  "text_old"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "tests/fixtures/fbx/%s.fbx", names[i]);
        outcome o = mutate_often(change_fbx, path, "fbx", 0);
        CHECK(o.changed > ROUNDS / 3 && o.longer + o.shorter > ROUNDS / 4);
        CHECK(o.refused <= o.accepted / 50);
        if (o.refused > o.accepted / 50 || o.changed <= ROUNDS / 3)
            fprintf(stderr, "%s: %u changed, %u accepted, %u refused\n", path, o.changed,
                    o.accepted, o.refused);
    }
}

TEST(an_empty_input_stays_empty)
{
    uint8_t byte = 0;
    uint64_t chance = 1;
    CHECK(mutate_model(&byte, 0, 1, NULL, &chance) == 0);
    CHECK(mutate_fbx(&byte, 0, 1, &chance) == 0);
}

int main(void)
{
    RUN(models_of_every_kind_are_changed);
    RUN(lists_are_counted_again);
    RUN(trees_of_fbx_are_changed_as_trees);
    RUN(an_empty_input_stays_empty);
    TEST_END();
}
