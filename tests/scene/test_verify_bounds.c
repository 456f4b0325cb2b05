// test_verify_bounds.c: bounds of the distance of two poses hold, and give the largest distance.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/math/math.h"
#include "scene/compare/verify.h"
#include "scene/pose/pose.h"

#include <stdlib.h>
#include <tenon/files.h>

static const char *const formats[] = {"bbmod", "gpb", "bmw", "cea", "glb"};
static const double places[] = {0, 1e3, 1e7};

// Move everything away from the origin: the roots by `away`, and the vertices of skins as well,
// with bind matrices that bring them back.
static void move_away(tenon_scene *scene, double away)
{
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].parent == TENON_NONE) scene->nodes[i].translation[1] += away;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++) {
            tenon_channel *c = &scene->animations[i].channels[k];
            bool is_moved = c->target == TENON_TRANSLATION &&
                            scene->nodes[c->node].parent == TENON_NONE && c->curve != TENON_CUBIC;
            for (uint32_t v = 0; is_moved && v < c->key_count; v++)
                c->values[3 * (size_t)v + 1] += (float)away;
        }
    for (uint32_t n = 0; n < scene->node_count; n++) {
        const tenon_node *node = &scene->nodes[n];
        if (node->skin == TENON_NONE || node->mesh == TENON_NONE) continue;
        float *binds = scene->skins[node->skin].inverse_binds;
        for (uint32_t j = 0; j < scene->skins[node->skin].joint_count; j++, binds += 16)
            for (uint32_t k = 0; k < 3; k++) binds[12 + k] -= binds[k] * (float)away;
        const tenon_mesh *mesh = &scene->meshes[node->mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; p++)
            for (uint32_t v = 0; v < mesh->primitives[p].vertex_count; v++)
                mesh->primitives[p].positions[3 * (size_t)v] += (float)away;
    }
}

static tenon_scene *load(double away)
{
    tenon_scene *scene = tenon_import_file("samples/crane.glb", NULL, NULL, NULL);
    if (!scene) exit(1);
    move_away(scene, away);
    return scene;
}

static tenon_scene *export_and_import(const tenon_scene *scene, const char *format)
{
    char path[32];
    const tenon_export_opts opts = {.format = format, .tolerance = 1e-3};
    (void)snprintf(path, sizeof path, "model.%s", format);
    tenon_memory *memory = tenon_export_memory(scene, &opts, NULL);
    if (!memory) return NULL;
    tenon_scene *back = tenon_import_file(
        path, &(tenon_read_opts){.files = tenon_memory_files(memory), .copy = true}, NULL, NULL);
    tenon_memory_free(memory);
    return back;
}

static uint32_t bounded, tight;  // Poses; those of a bound that is at most twice too large,
static uint32_t in_runs;         // and those that were compared by runs, too.

// Runs give the same numbers as positions, which `found` was compared by.
static void check_runs(const tn_comparison *found)
{
    tn_comparison again = *found;
    again.largest = again.sum = 0;
    again.count = 0;
    again.worst_vertex = TENON_NONE;
    if (!again.runs) return;
    CHECK(tn_compare_runs(&again));
    CHECK(again.largest == found->largest && again.sum == found->sum);
    CHECK(again.count == found->count && again.worst_vertex == found->worst_vertex);
    in_runs++;
}

// No pair of vertices is farther apart than the bound, in any pose.
static void check_poses(const tenon_scene *a, const tenon_scene *b)
{
    static const tenon_events silent;
    tn_match_context context = {.arena = tn_arena_make(&(tenon_allocator){0}, UINT64_MAX),
                                .pulse = {.events = &silent}};
    tn_posed_scene posed[2];
    tn_vertex_pair_list polygons;
    tn_comparison comparison;
    uint32_t reversed;
    CHECK(tn_posed_scene_begin(&context, &posed[0], a, 0));
    CHECK(tn_posed_scene_begin(&context, &posed[1], b, 0));
    double min[3], max[3], extent = 0;
    (void)tenon_pose_bounds(posed[0].pose, min, max);
    for (int k = 0; k < 3; k++) extent = fmax(extent, fmax(fabs(min[k]), fabs(max[k])));
    CHECK(tn_match_geometry(&context, &posed[0], &posed[1], extent, &polygons, &reversed));
    CHECK(tn_compare_begin(&context, &comparison, &posed[0], &posed[1], &polygons, false, false));
    tn_pose_bounds *bounds = tn_pose_bounds_new(&context, &comparison);
    comparison.runs = tn_pair_runs_new(&context, &comparison);
    for (uint32_t clip = 0; bounds && clip < a->animation_count && clip < b->animation_count;
         clip++)
        for (int i = 0; i < 40; i++) {
            // B is posed at another time, too, so that bounds are not only those of rounding.
            double seconds = a->animations[clip].duration * i / 39, late = i % 3 ? 0 : 0.05;
            tenon_pose_set(posed[0].pose, clip, seconds);
            tenon_pose_set(posed[1].pose, clip, seconds + late);
            double bound = tn_pose_bound(bounds);
            tn_pose_scene(&posed[0], clip, seconds);
            tn_pose_scene(&posed[1], clip, seconds + late);
            comparison.largest = comparison.sum = 0;
            comparison.count = 0;
            comparison.worst_vertex = TENON_NONE;
            tn_compare(&comparison, false);
            CHECK(bound * bound >= comparison.largest);
            check_runs(&comparison);
            tight += bound <= 2 * sqrt(comparison.largest);
            bounded++;
        }
    tn_posed_scene_end(&posed[0]);
    tn_posed_scene_end(&posed[1]);
    tn_arena_free(&context.arena);
}

TEST(no_vertex_is_farther_away_than_the_bound)
{
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            tenon_scene *a = load(places[p]), *b = export_and_import(a, formats[f]);
            if (b) check_poses(a, b);
            CHECK(b || places[p] > 0);
            tenon_scene_free(a);
            tenon_scene_free(b);
        }
    CHECK(bounded > 400 && tight > bounded / 3 && in_runs > bounded / 3);
}

TEST(the_largest_distance_is_that_of_all_poses)
{
    static const tenon_verify_opts opts, faster = {.largest_only = true};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            tenon_scene *a = load(places[p]), *b = export_and_import(a, formats[f]);
            tn_verify_measures all, largest, rest, between;
            tenon_verify_result r;
            tenon_error err;
            uint32_t both = TN_VERIFY_LARGEST | TN_VERIFY_BETWEEN_FRAMES;
            for (int i = 0; b && i < 2; i++) {
                const tenon_scene *from = i ? b : a, *to = i ? a : b;
                CHECK(tn_verify(from, to, &opts, TN_VERIFY_ALL, &all, &err));
                CHECK(tn_verify(from, to, &opts, both, &largest, &err));
                CHECK(tn_verify(from, to, &opts, TN_VERIFY_AT_REST, &rest, &err));
                CHECK(tn_verify(from, to, &opts, TN_VERIFY_BETWEEN_FRAMES, &between, &err));
                CHECK(all.result.clip_count > 0 && all.result.largest > 0);
                CHECK(largest.result.largest == all.result.largest);
                CHECK(largest.result.between_frames == all.result.between_frames);
                CHECK(between.result.between_frames == all.result.between_frames);
                CHECK(largest.at_rest == all.at_rest && rest.at_rest == all.at_rest);
                CHECK(tenon_verify(from, to, &faster, &r, &err));
                CHECK(r.largest == all.result.largest && r.seconds == all.result.seconds);
                CHECK(r.rms == 0 && all.result.rms > 0);
                CHECK(r.clip_count == all.result.clip_count);
                CHECK_STR(r.clip, all.result.clip);
                CHECK_STR(r.bone, all.result.bone);
                CHECK_STR(r.mesh, all.result.mesh);
                for (int k = 0; k < 3; k++) CHECK(r.where[k] == all.result.where[k]);
            }
            tenon_scene_free(a);
            tenon_scene_free(b);
        }
}

TEST(what_morph_targets_move_has_no_bound)
{
    static const tenon_verify_opts opts;
    tenon_scene *a = load(0), *b = load(0);
    tn_verify_measures all, largest;
    tenon_error err;
    for (uint32_t m = 0; m < b->mesh_count; m++) {
        uint32_t morph = tenon_scene_add_morph(b, m, "up");
        for (uint32_t p = 0; p < b->meshes[m].primitive_count; p++) {
            tenon_morph *moves = tenon_scene_add_offsets(b, m, p, morph, 0);
            for (uint32_t v = 0; moves && v < b->meshes[m].primitives[p].vertex_count; v++)
                moves->positions[3 * (size_t)v] = 1e-5f * (float)(v % 7);
        }
        b->meshes[m].morph_weights[morph] = 1;
    }
    CHECK(tn_verify(a, b, &opts, TN_VERIFY_ALL, &all, &err));
    CHECK(tn_verify(a, b, &opts, TN_VERIFY_LARGEST, &largest, &err));
    CHECK(all.result.largest > 0 && largest.result.largest == all.result.largest);
    tenon_scene_free(a);
    tenon_scene_free(b);
}

int main(void)
{
    RUN(no_vertex_is_farther_away_than_the_bound);
    RUN(the_largest_distance_is_that_of_all_poses);
    RUN(what_morph_targets_move_has_no_bound);
    TEST_END();
}
