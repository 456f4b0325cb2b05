// bmw_check_motion.c: the rules of BMW for animations and for matrices.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"
#include "core/text/number.h"
#include "core/text/tally.h"

#include <inttypes.h>
#include <math.h>

#define ZERO  1e-5  // Tolerance for the last row, 0 0 0 1.
#define SHEAR 0.01  // Tolerance for the cosine of two columns.

// -- Matrices

// What is wrong with the matrices of an animation, or of the nodes.
typedef struct bmw_matrices {
    uint32_t animation;  // TENON_NONE: of the nodes.
    bool is_row_major;
    uint64_t count;  // Of all.
    tn_tally first_nan, not_finite, mixed, not_affine, sheared;
    bool is_asymmetric;  // One of them.
    double worst;        // The largest squared cosine.
} bmw_matrices;

static void bmw_check_motion_tally(const bmw_matrices *all, tn_tally *tally, uint32_t bone,
                                   uint64_t frame)
{
    if (all->animation == TENON_NONE)
        tn_tally_path(tally, 1, "root");
    else
        tn_tally_path(tally, 1, "animations[%" PRIu32 "].bones[%" PRIu32 "].frames[%" PRIu64 "]",
                      all->animation, bone, frame);
}

static void bmw_check_motion_matrix(bmw_matrices *all, const float m[16], uint32_t bone,
                                    uint64_t frame)
{
    bmw_hint hint = bmw_matrix_hint(m);
    float sum = 0;
    for (int i = 0; i < 16; i++) sum += m[i] - m[i];  // 0, or NaN from then on.
    all->count++;
    if (sum != 0) {
        bmw_check_motion_tally(all, frame == 0 ? &all->first_nan : &all->not_finite, bone, frame);
        return;
    }
    if (hint == (all->is_row_major ? BMW_HINT_COLUMNS : BMW_HINT_ROWS)) {
        bmw_check_motion_tally(all, &all->mixed, bone, frame);
        return;
    }
    int along = all->is_row_major ? 4 : 1, across = all->is_row_major ? 1 : 4, last = 3 * along;
    if (fabs(m[last]) > ZERO || fabs(m[last + across]) > ZERO ||
        fabs(m[last + 2 * across]) > ZERO || fabs(m[15] - 1.0) > ZERO)
        bmw_check_motion_tally(all, &all->not_affine, bone, frame);
    all->is_asymmetric = all->is_asymmetric || !bmw_matrix_is_symmetric(m);
    double shear = 0;  // The largest squared cosine between two columns.
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3;
        double dot = 0, x = 0, y = 0;
        for (int i = 0; i < 3; i++) {
            double p = m[a * across + i * along], q = m[b * across + i * along];
            dot += p * q;
            x += p * p;
            y += q * q;
        }
        if (dot * dot > shear * x * y && x * y > 0) shear = dot * dot / (x * y);
    }
    if (shear > SHEAR * SHEAR) bmw_check_motion_tally(all, &all->sheared, bone, frame);
    if (shear > all->worst) all->worst = shear;
}

// -- Findings

static void bmw_check_motion_report_matrices(bmw_checker *checker, const bmw_matrices *all)
{
    if (all->mixed.count)
        tn_found(checker->check, "matrix-mixed", tn_path("%s", all->mixed.path),
                 "%" PRIu64 " of %" PRIu64
                 " matrices are stored by %s, but the file was read as stored by %s",
                 all->mixed.count, all->count, all->is_row_major ? "columns" : "rows",
                 all->is_row_major ? "rows" : "columns");
    if (all->not_affine.count)
        tn_found(checker->check, "matrix-affine", tn_path("%s", all->not_affine.path),
                 "the last row of %" PRIu64 " of %" PRIu64 " matrices is not 0 0 0 1",
                 all->not_affine.count, all->count);
    if (all->sheared.count) {
        char worst[TN_NUMBER_MAX];
        bmw_check_number_text(sqrt(all->worst), worst);
        tn_found(checker->check, "matrix-shear", tn_path("%s", all->sheared.path),
                 "%" PRIu64 " of %" PRIu64
                 " matrices have shear; the largest cosine of two columns is %s",
                 all->sheared.count, all->count, worst);
    }
}

// -- Nodes

static void bmw_check_motion_tree_matrices(bmw_matrices *all, const tenon_bmw_node *node)
{
    bmw_check_motion_matrix(all, node->transform, 0, 0);
    for (uint32_t i = 0; i < node->child_count; i++)
        bmw_check_motion_tree_matrices(all, &node->children[i]);
}

void bmw_check_node_matrices(bmw_checker *checker)
{
    bmw_matrices all = {.animation = TENON_NONE, .is_row_major = checker->doc->is_row_major};
    bmw_check_motion_tree_matrices(&all, &checker->doc->root);
    bmw_check_motion_report_matrices(checker, &all);
    if (checker->doc->is_order_assumed && all.is_asymmetric)
        tn_found(checker->check, "matrix-order", tn_path("root"),
                 "read as stored by %s, but this cannot be detected without a translation",
                 checker->doc->is_row_major ? "rows" : "columns");
}

// -- Animations

static void bmw_check_motion_frames(bmw_checker *checker, uint32_t a)
{
    const tenon_bmw_animation *animation = &checker->doc->animations[a];
    bmw_matrices all = {.animation = a, .is_row_major = checker->doc->is_row_major};
    for (uint32_t b = 0; b < animation->bone_count; b++) {
        const tenon_span *frames = &animation->bones[b].frames;
        for (uint64_t i = 0, end; i < frames->count; i = end) {
            float many[16 * TN_LANES];
            end = frames->count - i < TN_LANES ? frames->count : i + TN_LANES;
            // Nearly all matrices are affine and much nearer to right angles than the rule
            // requires.
            if (bmw_matrix_load_lanes(frames, all.is_row_major, end, many) &&
                tn_loops_here()->are_affine(many, SHEAR * SHEAR / 4, 0)) {
                all.count += end - i;
                continue;
            }
            for (uint64_t k = i; k < end; k++) {
                float m[16];
                tn_copy_numbers(m, frames->data + 64 * k, 16, 4, frames->big_endian);
                bmw_check_motion_matrix(&all, m, b, k);
            }
        }
    }
    if (all.first_nan.count)
        tn_found(checker->check, "tick-zero", tn_path("%s", all.first_nan.path),
                 "tick 0 of %" PRIu64 " of %" PRIu32 " bones is not a matrix", all.first_nan.count,
                 animation->bone_count);
    if (all.not_finite.count)
        tn_found(checker->check, "not-finite", tn_path("%s", all.not_finite.path),
                 "%" PRIu64 " of %" PRIu64 " matrices contain a number that is not finite",
                 all.not_finite.count, all.count);
    bmw_check_motion_report_matrices(checker, &all);
}

static void bmw_check_motion_bones(bmw_checker *checker, uint32_t a)
{
    const tenon_bmw_animation *animation = &checker->doc->animations[a];
    bool is_uneven = false, is_limit_reported = false;
    for (uint32_t b = 0; b < animation->bone_count; b++) {
        // Only in R2a, which has no durations, bones can have different numbers of frames.
        uint64_t first = animation->bones[0].frames.count, own = animation->bones[b].frames.count;
        if (own != first && !is_uneven)
            tn_found(checker->check, "animation-frames",
                     tn_path("animations[%" PRIu32 "].bones[%" PRIu32 "].frames", a, b),
                     "the bone has %" PRIu64 " frames, but the first bone has %" PRIu64, own,
                     first);
        is_uneven = is_uneven || own != first;
        uint32_t id = animation->bones[b].node_id;
        uint32_t node = bmw_check_node_of_id(checker, id);
        tn_path_text path = tn_path("animations[%" PRIu32 "].bones[%" PRIu32 "].node_id", a, b);
        checker->has_motion = true;
        if (id >= BMW_SHADER_NODES && !is_limit_reported) {
            tn_found(checker->check, "node-limit", path, "the engine ignores node %" PRIu32, id);
            is_limit_reported = true;
        }
        if (node != TENON_NONE) {
            if (checker->uses[node].animated_by == a + 1)
                tn_found(checker->check, "animation-duplicate", path,
                         "node %" PRIu32 " is animated twice", id);
            checker->uses[node].animated_by = a + 1;
        } else if (checker->has_nodes) {
            tn_found(checker->check, "animation-node", path,
                     "node %" PRIu32 " does not exist; the model has %" PRIu32 " nodes", id,
                     checker->nodes.count);
        }
    }
}

void bmw_check_motion(bmw_checker *checker)
{
    const tenon_bmw *doc = checker->doc;
    bool is_lost = checker->flags & TENON_BMW_FRAMES_INFERRED;
    for (uint32_t a = 0; a < doc->animation_count; a++) {
        if (doc->animations[a].bone_count == 0)
            tn_found(checker->check, "animation-empty", tn_path("animations[%" PRIu32 "].bones", a),
                     "the animation has no bones");
        if (doc->animations[a].rate == 0 && !is_lost)
            tn_found(checker->check, "animation-rate", tn_path("animations[%" PRIu32 "].rate", a),
                     "the rate is 0 ticks per second");
        bmw_check_motion_bones(checker, a);
        bmw_check_motion_frames(checker, a);
    }
    if (doc->animation_count == 0) return;
    if (is_lost)
        tn_found(checker->check, "animation-duration", tn_path("animations"),
                 "the durations and rates of %" PRIu32 " animations are zeros",
                 doc->animation_count);
    if (doc->is_row_major || is_lost)
        tn_found(checker->check, "animation-old", tn_path("animations"),
                 "the frames are row-major, as written by early converters");
}
