// test_gpb_export_random.c: random scenes of all kinds of objects exported as gameplay bundles.
// SPDX-License-Identifier: MIT

#include "exchange/export_memory.h"
#include "gltf_random.h"
#include "scene/model/pieces.h"

#include <tenon/gpb.h>

#define RANDOM_COUNT 150

static const tenon_allocator plain_allocator;

// The losses of the export.
typedef struct report {
    double measured;  // The largest error.
} report;

static void note(void *user, const tenon_loss *loss)
{
    report *r = user;
    if (loss->error > r->measured) r->measured = loss->error;
}

static void show(void *user, const tenon_finding *finding)
{
    if (finding->severity == TENON_ERROR)
        fprintf(stderr, "seed %u: %s: %s\n", *(unsigned *)user, finding->path, finding->message);
}

// The exported document, which is written again byte for byte and which the engine accepts.
static tenon_doc *read_again(const tn_memory_folder *folder, unsigned seed)
{
    tenon_error err;
    tenon_check_result result = {.errors = 1};
    kept again = {.calls_left = -1};
    const tn_memory_file *file = tn_memory_find(folder, "");
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, &err);
    CHECK(doc != NULL);
    if (!doc) return NULL;
    CHECK(kept_begin(&again, "") && tenon_write(doc, kept_write, &again, &err) == file->size);
    CHECK(memcmp(again.files[0].bytes, file->data, file->size) == 0);
    kept_free(&again);
    tenon_check_opts opts = {.profile = "gameplay"};
    CHECK(tenon_check(doc, &opts, show, &seed, &result, &err) && result.errors == 0);
    return doc;
}

static bool shows_triangle(const tenon_primitive *p)
{
    for (uint64_t i = 0; i < tn_piece_count(p); i++) {
        uint32_t v[3];
        tn_piece_at(p, i, v);
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) return true;
    }
    return false;
}

// Without triangles vertices are compared one by one, including unused ones.
static bool can_compare(const tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_mesh *mesh =
            scene->nodes[i].mesh == TENON_NONE ? NULL : &scene->meshes[scene->nodes[i].mesh];
        for (uint32_t k = 0; mesh && k < mesh->primitive_count; k++)
            if (shows_triangle(&mesh->primitives[k])) return true;
    }
    return false;
}

// Lines are not compared by their ends.
static void make_faces(const tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++)
            if (scene->meshes[i].primitives[k].mode < TENON_TRIANGLES)
                scene->meshes[i].primitives[k].mode = TENON_TRIANGLES;
}

static void try_seed(unsigned seed, bool is_sane)
{
    tn_scene_builder b;
    tenon_error err;
    tenon_verify_result proof = {0};
    report said = {0};
    tn_memory_folder folder = {.allocator = &plain_allocator};
    tenon_sink sink = tn_memory_sink(&folder);
    static const tenon_scene_opts no_opts;
    CHECK(tn_scene_begin(&b, &no_opts, 0, &err));
    make_random(&b, seed, is_sane);
    CHECK(!b.failed);
    if (is_sane) make_faces(b.scene);
    tenon_export_opts opts = {.format = "gpb",
                              .events = {.user = &said, .on_loss = note},
                              .grouping = seed % 3 ? TENON_GROUP_CLIPS : TENON_GROUP_NODES};
    bool is_written = tenon_export(b.scene, &opts, &sink, &err);
    CHECK(is_written || (!is_sane && err.code == TENON_ERR_VALUE) || err.code == TENON_ERR_LIMIT);
    if (!is_written) fprintf(stderr, "seed %u: refused: %s\n", seed, err.message);
    tenon_doc *doc = is_written ? read_again(&folder, seed) : NULL;
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, &err) : NULL;
    CHECK(!doc || (scene && tenon_scene_check(scene, &err)));
    if (scene && is_sane && can_compare(b.scene)) {
        CHECK(tenon_verify(b.scene, scene, NULL, &proof, &err));
        bool is_same = proof.largest <= 1e-5 || proof.largest <= 2 * said.measured;
        CHECK(is_same && proof.missing_clips == 0 && proof.extra_clips == 0);
        if (!is_same)
            fprintf(stderr, "seed %u: off by %g in '%s', '%s', measured %g\n", seed, proof.largest,
                    proof.clip, proof.mesh, said.measured);
    }
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    tn_memory_free(&folder);
    tenon_scene_free(b.scene);
}

TEST(sane_scenes_stay_the_same)
{
    for (unsigned seed = 0; seed < RANDOM_COUNT; seed++) try_seed(seed, true);
}

TEST(absurd_scenes_are_written_or_refused)
{
    for (unsigned seed = 0; seed < RANDOM_COUNT; seed++) try_seed(seed, false);
}

int main(void)
{
    RUN(sane_scenes_stay_the_same);
    RUN(absurd_scenes_are_written_or_refused);
    TEST_END();
}
