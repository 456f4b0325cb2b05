// test_verify_bounds.c: bounds of the distance of two poses hold, and give the largest distance.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/math/math.h"
#include "scene/compare/verify.h"
#include "scene/edit/bake_morphs.h"
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
static uint32_t alike;           // those of scenes that move alike,
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
            const tn_pose_pair pair = {clip, clip, seconds, seconds + late, false};
            double bound = tn_pose_bound(bounds), other = HUGE_VAL;
            alike += tn_pose_bound_alike(bounds, &pair, &other);
            tn_pose_scene(&posed[0], clip, seconds);
            tn_pose_scene(&posed[1], clip, seconds + late);
            comparison.largest = comparison.sum = 0;
            comparison.count = 0;
            comparison.worst_vertex = TENON_NONE;
            tn_compare(&comparison, false);
            CHECK(bound * bound >= comparison.largest && other * other >= comparison.largest);
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

// -- Random models with morph targets

typedef struct chance {
    uint64_t state;
} chance;

// From -most to most.
static double any(chance *c, double most)
{
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return most * ((double)(c->state >> 33) / 0x1p30 - 1);
}

#define MODELS   240
#define JOINTS   3
#define VERTICES 320
#define KEYS     6

// Only the first `kept` of `count` targets; the random numbers are the same.
static void add_random_offsets(tenon_scene *scene, uint32_t mesh, uint32_t count, uint32_t kept,
                               double most, chance *c, chance *noise, double off)
{
    for (uint32_t m = 0; m < count; m++) {
        uint32_t morph = m < kept ? tenon_scene_add_morph(scene, mesh, "m") : TENON_NONE;
        tenon_morph *moves = m < kept ? tenon_scene_add_offsets(scene, mesh, 0, morph, 0) : NULL;
        for (uint32_t v = 0; v < 3 * VERTICES; v++) {
            float offset = (float)(any(c, most) + any(noise, off));
            if (moves) moves->positions[v] = offset;
        }
        double weight = any(c, 1);
        if (moves) scene->meshes[mesh].morph_weights[morph] = weight;
    }
}

static void add_random_channel(tenon_scene *scene, uint32_t node, tenon_target target, chance *c,
                               double away)
{
    tenon_channel *channel = tenon_scene_add_channel(
        scene, 0, node, target, (uint32_t)(any(c, 1) > 0) ? TENON_LINEAR : TENON_STEP, KEYS);
    uint32_t width = target == TENON_ROTATION  ? 4
                     : target == TENON_WEIGHTS ? channel->weight_count
                                               : 3;
    for (uint32_t k = 0; k < KEYS; k++) {
        channel->times[k] = (float)k / 4;
        for (uint32_t i = 0; i < width; i++)
            channel->values[width * k + i] = (float)(any(c, 1) + (target == TENON_SCALE));
        if (target == TENON_TRANSLATION) channel->values[3 * k + 1] += (float)away;
    }
}

// Two strips, one of which a skin moves. Equal numbers give equal models, except for the numbers
// that are `off` by up to that much, and for the morph targets that are `fewer`.
static tenon_scene *random_model(uint64_t number, double away, double off, uint32_t fewer)
{
    chance c = {number}, noise = {number + 12345};
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    uint32_t joints[JOINTS], nodes[2];
    tenon_error err;
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = tenon_scene_add_node(scene, "joint", i ? joints[i - 1] : TENON_NONE);
        tenon_node *n = &scene->nodes[joints[i]];
        for (uint32_t k = 0; k < 3; k++) n->translation[k] = any(&c, 1) + (k == 1 && !i) * away;
        for (uint32_t k = 0; k < 4; k++) n->rotation[k] = any(&c, 1);
        for (uint32_t k = 0; k < 3; k++) n->scale[k] = 1 + any(&c, 0.5);
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t mesh = tenon_scene_add_mesh(scene, "strip");
        tenon_primitive *p = tenon_scene_add_primitive(scene, mesh, VERTICES, 3 * (VERTICES - 2),
                                                       i ? TENON_WITH_SKIN : 0);
        for (uint32_t v = 0; v < VERTICES; v++) {
            for (uint32_t k = 0; k < 3; k++)
                p->positions[3 * v + k] = (float)(any(&c, 2) + any(&noise, off));
            for (uint32_t k = 0; i && k < 2; k++) {
                p->joints[4 * v + k] = (uint16_t)((v / 16 + k) % JOINTS);
                p->weights[4 * v + k] = k ? 0.25f : 0.75f;
            }
        }
        for (uint32_t v = 0; v < 3 * (VERTICES - 2); v++) p->indices[v] = v / 3 + v % 3;
        uint32_t count = 1 + (uint32_t)(number % 3);
        add_random_offsets(scene, mesh, count, count > fewer ? count - fewer : 0,
                           number % 2 ? 0.3 : 8, &c, &noise, off);
        nodes[i] = tenon_scene_add_node(scene, "shown", i ? TENON_NONE : joints[JOINTS - 1]);
        scene->nodes[nodes[i]].mesh = mesh;
    }
    scene->nodes[nodes[1]].skin = tenon_scene_add_skin(scene, "skin", joints, JOINTS, NULL);
    (void)tenon_scene_add_animation(scene, "clip");
    for (uint32_t i = 0; i < JOINTS; i++) {
        add_random_channel(scene, joints[i], TENON_ROTATION, &c, 0);
        add_random_channel(scene, joints[i], TENON_TRANSLATION, &c, i ? 0 : away);
        if (number % 4 == 0) add_random_channel(scene, joints[i], TENON_SCALE, &c, 0);
    }
    for (uint32_t i = 0; i < 2; i++)
        if (scene->meshes[i].morph_count) add_random_channel(scene, nodes[i], TENON_WEIGHTS, &c, 0);
    CHECK(tenon_scene_finish(scene, NULL, &err));
    return scene;
}

// Morph targets that have no partner do not move anything at rest.
static void rest_without(tenon_scene *scene, uint32_t first)
{
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = first; k < scene->meshes[i].morph_count; k++)
            scene->meshes[i].morph_weights[k] = 0;
}

TEST(morph_targets_are_bounded)
{
    static const double offs[] = {0, 1e-7, 1e-5};
    static const tenon_verify_opts opts;
    tn_verify_measures all, largest;
    tenon_error err;
    bounded = tight = 0;
    for (uint64_t i = 0; i < MODELS; i++) {
        double away = places[i / 3 % 3], off = offs[i % 3];
        uint32_t fewer = (uint32_t)(i % 4), count = 1 + (uint32_t)(i % 3);
        tenon_scene *a = random_model(i, away, 0, 0), *b = random_model(i, away, off, fewer);
        uint32_t common = fewer < count ? count - fewer : 0;
        rest_without(a, common);
        check_poses(a, b);
        check_poses(b, a);
        CHECK(tn_verify(a, b, &opts, TN_VERIFY_ALL, &all, &err));
        CHECK(tn_verify(a, b, &opts, TN_VERIFY_LARGEST, &largest, &err));
        CHECK(!all.result.by_surface && largest.result.largest == all.result.largest);
        tenon_scene_free(a);
        tenon_scene_free(b);
    }
    CHECK(bounded == MODELS * 2 * 40 && tight > bounded / 4);
}

TEST(scenes_that_move_alike_are_bounded_without_poses)
{
    static const tenon_verify_opts opts;
    tn_verify_measures all, largest;
    tenon_error err;
    alike = 0;
    for (uint64_t i = 0; i < MODELS; i++) {
        tenon_scene *a = random_model(i, places[i / 3 % 3], 0, 0), baked;
        tn_arena arena = tn_arena_make(&(tenon_allocator){0}, UINT64_MAX);
        CHECK(tn_bake_morphs(a, &arena, &baked, &err));
        check_poses(a, &baked);
        check_poses(&baked, a);
        CHECK(tn_verify(a, &baked, &opts, TN_VERIFY_ALL, &all, &err));
        CHECK(tn_verify(a, &baked, &opts, TN_VERIFY_LARGEST, &largest, &err));
        CHECK(all.result.largest > 0 && largest.result.largest == all.result.largest);
        tn_arena_free(&arena);
        tenon_scene_free(a);
    }
    // Two thirds of the poses in check_poses() are at the same time.
    CHECK(alike == MODELS * 2 * 26);
}

TEST(the_largest_distance_of_morph_targets_is_that_of_all_poses)
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
    RUN(morph_targets_are_bounded);
    RUN(scenes_that_move_alike_are_bounded_without_poses);
    RUN(the_largest_distance_of_morph_targets_is_that_of_all_poses);
    TEST_END();
}
