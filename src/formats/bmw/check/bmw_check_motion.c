// bmw_check_motion.c: the rules of BMW for animations and for matrices.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"

#include "core/cursor/span.h"
#include "core/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ZERO  1e-5  // Tolerance for the last row, 0 0 0 1.
#define SHEAR 0.01  // Tolerance for the cosine of two columns.

// -- Matrices

// How many matrices violate a rule, and the first of them.
typedef struct bmw_frame_tally {
    uint64_t count;
    uint32_t bone;
    uint64_t frame;
} bmw_frame_tally;

// What is wrong with the matrices of an animation, or of the nodes.
typedef struct bmw_matrices {
    bool is_row_major;
    uint64_t count;  // Of all.
    bmw_frame_tally first_nan, not_finite, mixed, not_affine, sheared, asymmetric;
    double worst;  // The largest squared cosine.
} bmw_matrices;

static void bmw_check_motion_tally_frame(bmw_frame_tally *tally, uint32_t bone, uint64_t frame)
{
    if (tally->count++ > 0) return;
    tally->bone = bone;
    tally->frame = frame;
}

static bool bmw_check_motion_all_finite(const float m[16])
{
    float sum = 0;
    for (int i = 0; i < 16; i++) sum += m[i] - m[i];  // 0, or NaN from then on.
    return sum == 0;
}

static bool bmw_check_motion_is_affine(const float m[16], bool row_major)
{
    int first = row_major ? 12 : 3, step = row_major ? 1 : 4;
    for (int i = 0; i < 3; i++)
        if (!(fabs(m[first + i * step]) <= ZERO)) return false;
    return fabs(m[15] - 1.0) <= ZERO;
}

// The largest squared cosine between two columns.
static double bmw_check_motion_shear_of(const float m[16], bool row_major)
{
    int along = row_major ? 4 : 1, across = row_major ? 1 : 4;
    double worst = 0;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3;
        double dot = 0, x = 0, y = 0;
        for (int i = 0; i < 3; i++) {
            double p = m[a * across + i * along], q = m[b * across + i * along];
            dot += p * q;
            x += p * p;
            y += q * q;
        }
        if (dot * dot > worst * x * y && x * y > 0) worst = dot * dot / (x * y);
    }
    return worst;
}

static void bmw_check_motion_matrix(bmw_matrices *all, const float m[16], uint32_t bone,
                                    uint64_t frame)
{
    all->count++;
    if (!bmw_check_motion_all_finite(m)) {
        bmw_check_motion_tally_frame(frame == 0 ? &all->first_nan : &all->not_finite, bone, frame);
        return;
    }
    bmw_hint hint = bmw_matrix_hint(m);
    if (hint == (all->is_row_major ? BMW_HINT_COLUMNS : BMW_HINT_ROWS)) {
        bmw_check_motion_tally_frame(&all->mixed, bone, frame);
        return;
    }
    if (!bmw_check_motion_is_affine(m, all->is_row_major))
        bmw_check_motion_tally_frame(&all->not_affine, bone, frame);
    if (!bmw_matrix_is_symmetric(m)) bmw_check_motion_tally_frame(&all->asymmetric, bone, frame);
    double shear = bmw_check_motion_shear_of(m, all->is_row_major);
    if (shear > SHEAR * SHEAR) bmw_check_motion_tally_frame(&all->sheared, bone, frame);
    if (shear > all->worst) all->worst = shear;
}

// Fast path for nearly all matrices: whether the last row is exactly 0 0 0 1, and the columns are
// much nearer to right angles than the rule requires. Numbers that are not finite fail a
// comparison. `along` is the distance between the numbers of a column, `across` that between
// columns.
static inline bool bmw_check_motion_has_simple_columns(const float m[16], int along, int across)
{
    const float slack = (float)(SHEAR * SHEAR / 4);
    float dots[3], squares[3];
    for (int a = 0; a < 3; a++) {
        const float *p = m + a * across, *q = m + (a + 1) % 3 * across;
        dots[a] = p[0] * q[0] + p[along] * q[along] + p[2 * along] * q[2 * along];
        squares[a] = p[0] * p[0] + p[along] * p[along] + p[2 * along] * p[2 * along];
    }
    const float *last = m + 3 * along, *moved = m + 3 * across;
    return last[0] == 0 && last[across] == 0 && last[2 * across] == 0 && m[15] == 1 &&
           (moved[0] + moved[along] + moved[2 * along]) * 0 == 0 &&
           dots[0] * dots[0] < slack * squares[0] * squares[1] &&
           dots[1] * dots[1] < slack * squares[1] * squares[2] &&
           dots[2] * dots[2] < slack * squares[2] * squares[0];
}

static bool bmw_check_motion_is_simple_matrix(const float m[16], bool row_major)
{
    return row_major ? bmw_check_motion_has_simple_columns(m, 4, 1)
                     : bmw_check_motion_has_simple_columns(m, 1, 4);
}

// -- Findings

typedef tn_path_text bmw_path_fn(uint32_t animation, const bmw_frame_tally *tally);

static tn_path_text bmw_check_motion_frame_path(uint32_t animation, const bmw_frame_tally *tally)
{
    return tn_path("animations[%" PRIu32 "].bones[%" PRIu32 "].frames[%" PRIu64 "]", animation,
                   tally->bone, tally->frame);
}

static tn_path_text bmw_check_motion_root_path(uint32_t animation, const bmw_frame_tally *tally)
{
    (void)animation;
    (void)tally;
    return tn_path("root");
}

static void bmw_check_motion_report_matrices(bmw_checker *checker, const bmw_matrices *all,
                                             uint32_t animation, bmw_path_fn *place)
{
    if (all->mixed.count)
        tn_found(checker->check, BMW_MATRIX_MIXED, place(animation, &all->mixed),
                 "%" PRIu64 " of %" PRIu64
                 " matrices are stored by %s, but the file was read as stored by %s",
                 all->mixed.count, all->count, all->is_row_major ? "columns" : "rows",
                 all->is_row_major ? "rows" : "columns");
    if (all->not_affine.count)
        tn_found(checker->check, BMW_MATRIX_AFFINE, place(animation, &all->not_affine),
                 "the last row of %" PRIu64 " of %" PRIu64 " matrices is not 0 0 0 1",
                 all->not_affine.count, all->count);
    if (all->sheared.count) {
        char worst[TN_NUMBER_MAX];
        bmw_check_number_text(sqrt(all->worst), worst);
        tn_found(checker->check, BMW_MATRIX_SHEAR, place(animation, &all->sheared),
                 "%" PRIu64 " of %" PRIu64
                 " matrices have shear; the largest cosine of two columns is %s",
                 all->sheared.count, all->count, worst);
    }
}

static void bmw_check_motion_report_not_finite(bmw_checker *checker, const bmw_matrices *all,
                                               uint32_t a)
{
    if (all->first_nan.count)
        tn_found(checker->check, BMW_TICK_ZERO, bmw_check_motion_frame_path(a, &all->first_nan),
                 "tick 0 of %" PRIu64 " of %" PRIu32 " bones is not a matrix", all->first_nan.count,
                 checker->doc->animations[a].bone_count);
    if (all->not_finite.count)
        tn_found(checker->check, BMW_NOT_FINITE, bmw_check_motion_frame_path(a, &all->not_finite),
                 "%" PRIu64 " of %" PRIu64 " matrices contain a number that is not finite",
                 all->not_finite.count, all->count);
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
    bmw_matrices all = {.is_row_major = checker->doc->is_row_major};
    bmw_check_motion_tree_matrices(&all, &checker->doc->root);
    bmw_check_motion_report_matrices(checker, &all, 0, bmw_check_motion_root_path);
    if (checker->doc->is_order_assumed && all.asymmetric.count)
        tn_found(checker->check, BMW_MATRIX_ORDER, tn_path("root"),
                 "read as stored by %s, but this cannot be detected without a translation",
                 checker->doc->is_row_major ? "rows" : "columns");
}

// -- Animations

static void bmw_check_motion_frames(bmw_checker *checker, uint32_t a)
{
    const tenon_bmw_animation *animation = &checker->doc->animations[a];
    bmw_matrices all = {.is_row_major = checker->doc->is_row_major};
    for (uint32_t b = 0; b < animation->bone_count; b++) {
        const tenon_span *frames = &animation->bones[b].frames;
        for (uint64_t i = 0; i < frames->count; i++) {
            float m[16];
            tn_copy_numbers(m, frames->data + 64 * i, 16, 4, frames->big_endian);
            if (bmw_check_motion_is_simple_matrix(m, all.is_row_major))
                all.count++;
            else
                bmw_check_motion_matrix(&all, m, b, i);
        }
    }
    bmw_check_motion_report_not_finite(checker, &all, a);
    bmw_check_motion_report_matrices(checker, &all, a, bmw_check_motion_frame_path);
}

// Check the nodes of bones. `stamps` has, for each node, 1 + the last animation that moves it.
static void bmw_check_motion_bones(bmw_checker *checker, uint32_t a, uint32_t *stamps)
{
    const tenon_bmw_animation *animation = &checker->doc->animations[a];
    bool is_limit_reported = false;
    for (uint32_t b = 0; b < animation->bone_count; b++) {
        uint32_t id = animation->bones[b].node_id;
        uint64_t node = bmw_check_mark_animated(checker, id);
        tn_path_text path = tn_path("animations[%" PRIu32 "].bones[%" PRIu32 "].node_id", a, b);
        if (id >= BMW_SHADER_NODES && !is_limit_reported) {
            tn_found(checker->check, BMW_NODE_LIMIT, path, "the engine ignores node %" PRIu32, id);
            is_limit_reported = true;
        }
        if (node == TENON_ABSENT) {
            if (!checker->has_nodes) continue;
            tn_found(checker->check, BMW_ANIMATION_NODE, path,
                     "node %" PRIu32 " does not exist; the model has %" PRIu64 " nodes", id,
                     checker->nodes.count);
            continue;
        }
        if (stamps[node] == a + 1)
            tn_found(checker->check, BMW_ANIMATION_DUPLICATE, path,
                     "node %" PRIu32 " is animated twice", id);
        stamps[node] = a + 1;
    }
}

// Only in R2a, which has no durations, bones can have different numbers of frames.
static void bmw_check_motion_frame_counts(bmw_checker *checker, uint32_t a)
{
    const tenon_bmw_animation *animation = &checker->doc->animations[a];
    for (uint32_t b = 1; b < animation->bone_count; b++) {
        uint64_t first = animation->bones[0].frames.count, own = animation->bones[b].frames.count;
        if (own == first) continue;
        tn_found(checker->check, BMW_ANIMATION_FRAMES,
                 tn_path("animations[%" PRIu32 "].bones[%" PRIu32 "].frames", a, b),
                 "the bone has %" PRIu64 " frames, but the first bone has %" PRIu64, own, first);
        return;
    }
}

static void bmw_check_motion_animation(bmw_checker *checker, uint32_t a, uint32_t *stamps)
{
    const tenon_bmw_animation *animation = &checker->doc->animations[a];
    bool is_lost = checker->flags & TENON_BMW_FRAMES_INFERRED;
    if (animation->bone_count == 0)
        tn_found(checker->check, BMW_ANIMATION_EMPTY, tn_path("animations[%" PRIu32 "].bones", a),
                 "the animation has no bones");
    if (animation->rate == 0 && !is_lost)
        tn_found(checker->check, BMW_ANIMATION_RATE, tn_path("animations[%" PRIu32 "].rate", a),
                 "the rate is 0 ticks per second");
    bmw_check_motion_frame_counts(checker, a);
    bmw_check_motion_bones(checker, a, stamps);
    bmw_check_motion_frames(checker, a);
}

void bmw_check_motion(bmw_checker *checker)
{
    const tenon_bmw *doc = checker->doc;
    bool is_lost = checker->flags & TENON_BMW_FRAMES_INFERRED;
    uint32_t *stamps = tn_check_alloc(checker->check, checker->nodes.count, sizeof *stamps);
    for (uint32_t a = 0; stamps && a < doc->animation_count; a++)
        bmw_check_motion_animation(checker, a, stamps);
    if (doc->animation_count == 0) return;
    if (is_lost)
        tn_found(checker->check, BMW_ANIMATION_DURATION, tn_path("animations"),
                 "the durations and rates of %" PRIu32 " animations are zeros",
                 doc->animation_count);
    if (doc->is_row_major || is_lost)
        tn_found(checker->check, BMW_ANIMATION_OLD, tn_path("animations"),
                 "the frames are row-major, as written by early converters");
}
