// diff.c: what differs between two scenes, by meaning.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

#include "core/math/bounds.h"
#include "core/text/text.h"

#define TOLERANCE 1e-6

// -- Sizes

static double diff_diagonal_of(const tenon_pose *pose)
{
    tn_bounds bounds;
    if (!tenon_pose_bounds(pose, bounds.min, bounds.max)) return 0;
    double diagonal = tn_bounds_diagonal(&bounds);
    return diagonal < HUGE_VAL ? diagonal : 0;
}

// Compute `diagonal` and `lengths`. A length counts by its size in the space of the scene: 1 below
// a node that scales by 0.01 is 0.01.
static bool diff_measure_scenes(tn_diff *diff)
{
    const tenon_scene *a = diff->scenes[0];
    const tenon_allocator *allocator = &diff->context.arena.allocator;
    tenon_pose *poses[2] = {tenon_pose_new(a, allocator, diff->context.err), NULL};
    if (poses[0]) poses[1] = tenon_pose_new(diff->scenes[1], allocator, diff->context.err);
    if (poses[1]) {
        double a_diagonal = diff_diagonal_of(poses[0]), b_diagonal = diff_diagonal_of(poses[1]);
        diff->diagonal = a_diagonal > b_diagonal ? a_diagonal : b_diagonal;
        if (!(diff->diagonal > 0)) diff->diagonal = 1;
        diff->lengths = tn_match_alloc(&diff->context, a->node_count, sizeof *diff->lengths);
    }
    for (uint32_t i = 0; diff->lengths && i < a->node_count; i++) {
        uint32_t parent = a->nodes[i].parent;
        double scale = 1;
        if (parent != TENON_NONE) {
            const double *m = tenon_pose_global(poses[0], parent);
            double longest = 0;  // Axis of the matrix, squared.
            for (int axis = 0; axis < 3; axis++) {
                const double *v = m + 4 * axis;
                double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
                if (square > longest) longest = square;
            }
            scale = sqrt(longest);
        }
        double length = diff->diagonal / scale;
        diff->lengths[i] = length > 0 && length - length == 0 ? length : diff->diagonal;
    }
    tenon_pose_free(poses[1]);
    tenon_pose_free(poses[0]);
    return diff->lengths != NULL;
}

// -- Comparing

static void diff_compare_scenes(tn_diff *diff)
{
    const tenon_scene *a = diff->scenes[0], *b = diff->scenes[1];
    for (uint32_t i = 0; i < a->mesh_count; i++)
        for (uint32_t k = 0; k < a->meshes[i].primitive_count; k++)
            diff->context.pulse.total += a->meshes[i].primitives[k].vertex_count;
    if (!diff_measure_scenes(diff) || !tn_pair_objects(diff)) return;
    if (!tn_text_equal(a->name, b->name))
        tn_diff_report(diff, TN_DIFF_NAMES, "name", a->name, b->name, -1, 1);
    tn_diff_nodes(diff);
    tn_diff_meshes(diff);
    tn_diff_skins(diff);
    tn_diff_materials(diff);
    tn_diff_animations(diff);
    tn_diff_cameras_and_lights(diff);
    tn_diff_extras(diff);
}

bool tenon_diff(const tenon_scene *a, const tenon_scene *b, const tenon_diff_opts *opts,
                tenon_difference_fn *fn, void *user, uint64_t *count, tenon_error *err)
{
    static const tenon_diff_opts defaults;
    tenon_error ignored;
    uint64_t ignored_count;
    if (!opts) opts = &defaults;
    if (!err) err = &ignored;
    if (!count) count = &ignored_count;
    *count = 0;
    if (!tenon_scene_check(a, err) || !tenon_scene_check(b, err)) return false;
    tn_error_clear(err);
    tn_diff diff = {
        .context = {.arena = tn_arena_make(&opts->allocator, UINT64_MAX),
                    .pulse = {.events = &opts->events, .budget = opts->allocator.budget},
                    .err = err},
        .report_arena = tn_arena_make(&opts->allocator, UINT64_MAX),
        .scenes = {a, b},
        .tolerance = opts->tolerance > 0 ? opts->tolerance : TOLERANCE};
    diff.end = &diff.first;
    diff_compare_scenes(&diff);
    tn_pulse_end(&diff.context.pulse);
    bool ok = !diff.context.failed && err->code == TENON_OK;
    ok = tn_budget_settle(opts->allocator.budget, ok, err);
    for (tn_diff_item *item = diff.first; ok && fn && item; item = item->next)
        fn(user, &item->difference);
    if (ok) *count = diff.count;
    tn_arena_free(&diff.report_arena);
    tn_arena_free(&diff.context.arena);
    return ok;
}
