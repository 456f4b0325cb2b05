// test_gltf_extensions.c: how extensions and morph targets are imported, and what of them is
// exported to a GLB file again.
// SPDX-License-Identifier: MIT

#include "gltf_export_help.h"

#include <math.h>

// -- There and back

// A fixture as a scene, that scene as a file, and that file as a scene.
typedef struct round_trip {
    kept lost;  // By reading the fixture.
    kept file;
    gltf_file text;
    tenon_scene *first, *again;
} round_trip;

static tenon_scene *scene_of(tenon_doc *doc, const char *path, kept *k)
{
    tenon_scene_opts opts = {.model_path = path, .events = {.user = k, .on_loss = kept_lose}};
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, &k->err) : NULL;
    tenon_doc_free(doc);
    CHECK(scene && tenon_scene_check(scene, &k->err));
    return scene;
}

static bool go_round(round_trip *r, const char *fixture)
{
    char path[256];
    tenon_error err;
    *r = (round_trip){.lost = {.calls_left = -1}, .file = {.calls_left = -1}};
    (void)snprintf(path, sizeof path, "tests/fixtures/gltf/%s", fixture);
    r->first = scene_of(tenon_read_file(path, NULL, &err), path, &r->lost);
    if (!r->first || !make_glb(r->first, &r->file, &r->text)) return false;
    const kept_file *file = kept_named(&r->file, "");
    r->again = scene_of(tenon_read(file->bytes, file->size, NULL, &err), NULL, &r->file);
    return r->again != NULL;
}

static void end_round(round_trip *r)
{
    tenon_scene_free(r->first);
    tenon_scene_free(r->again);
    gltf_close(&r->text);
    kept_free(&r->file);
}

static bool uses(const round_trip *r, const char *extension)
{
    const tn_json_value *used = look(&r->text, "extensionsUsed");
    for (uint32_t i = 0; i < tn_json_tree_count(used); i++)
        if (tn_json_tree_is(tn_json_tree_at(used, i), extension)) return true;
    return false;
}

static bool are_near(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-6)) return false;
    return true;
}

// -- Extensions

TEST(unlit_materials_stay_unlit)
{
    round_trip r;
    if (go_round(&r, "materials.gltf")) {
        CHECK(!r.first->materials[0].is_unlit && r.first->materials[1].is_unlit);
        CHECK(!r.again->materials[0].is_unlit && r.again->materials[1].is_unlit);
        CHECK(uses(&r, "KHR_materials_unlit"));
    }
    end_round(&r);
}

// The factor times the strength, of which the file has the factor within 1.
TEST(bright_materials_stay_bright)
{
    const double wanted[3] = {2, 1, 4};
    round_trip r;
    if (go_round(&r, "materials.gltf")) {
        CHECK(are_near(r.first->materials[0].emissive, wanted, 3));
        CHECK(are_near(r.again->materials[0].emissive, wanted, 3));
        CHECK(uses(&r, "KHR_materials_emissive_strength"));
    }
    end_round(&r);
}

TEST(moved_textures_stay_moved)
{
    const double offset[2] = {0.5, 0.25}, scale[2] = {2, 3};
    round_trip r;
    if (go_round(&r, "materials.gltf")) {
        const tenon_scene *scenes[] = {r.first, r.again};
        for (int i = 0; i < 2; i++) {
            const tenon_texture *t = &scenes[i]->materials[0].textures[TENON_SLOT_BASE_COLOR];
            CHECK(are_near(t->offset, offset, 2) && are_near(t->scale, scale, 2));
            CHECK(are_near(&t->rotation, &(double){0.5}, 1) && t->uv_set == 1);
        }
        CHECK(uses(&r, "KHR_texture_transform"));
    }
    end_round(&r);
}

// Small integers become floats, exactly; nothing is lost, and the extension is no longer needed.
TEST(quantized_meshes_become_floats)
{
    round_trip r;
    if (go_round(&r, "quantized.glb")) {
        const tenon_primitive *a = r.first->meshes[0].primitives;
        const tenon_primitive *b = r.again->meshes[0].primitives;
        CHECK(a->positions[0] == -1 && a->positions[2] == 1);
        CHECK(a->positions[6] == 1.0f / 32767 && a->uvs[0][4] == 32768.0f / 65535);
        CHECK(memcmp(a->positions, b->positions, 9 * sizeof *a->positions) == 0);
        CHECK(memcmp(a->uvs[0], b->uvs[0], 6 * sizeof *a->uvs[0]) == 0);
        CHECK(memcmp(a->normals, b->normals, 9 * sizeof *a->normals) == 0);
        CHECK(!uses(&r, "KHR_mesh_quantization") && r.lost.loss_count + r.file.loss_count == 0);
    }
    end_round(&r);
}

// -- Morph targets

TEST(morph_targets_and_their_clips_are_kept)
{
    round_trip r;
    if (go_round(&r, "morphs.glb")) {
        const tenon_mesh *a = &r.first->meshes[0], *b = &r.again->meshes[0];
        const tenon_channel *c = &r.again->animations[0].channels[0];
        uint64_t differences = 1;
        CHECK(r.lost.loss_count + r.file.loss_count == 0);
        CHECK(a->morph_count == 2 && b->morph_count == 2 && b->primitives[0].morph_count == 2);
        CHECK(c->target == TENON_WEIGHTS && c->weight_count == 2);
        CHECK(tenon_diff(r.first, r.again, NULL, NULL, NULL, &differences, NULL));
        CHECK(differences == 0);
        CHECK(look(&r.text, "meshes.0.primitives.0.targets") != NULL);
    }
    end_round(&r);
}

int main(void)
{
    RUN(unlit_materials_stay_unlit);
    RUN(bright_materials_stay_bright);
    RUN(moved_textures_stay_moved);
    RUN(quantized_meshes_become_floats);
    RUN(morph_targets_and_their_clips_are_kept);
    TEST_END();
}
