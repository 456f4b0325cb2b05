// modeldata_check_motion.c: checks the skeleton and the animations.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/check/modeldata_check.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>

#define BLOCK           128   // Keys decoded at once.
#define KEY_NUMBERS     5     // In the longest key.
#define ROW_TOLERANCE   1e-4  // How far the last row of a matrix may be from 0 0 0 1.
#define UNIT_TOLERANCE  1e-3  // How far the length of a rotation may be from 1.
#define SCALE_TOLERANCE 1e-3  // How far a scale may be from 1.

// -- Joints

static void modeldata_check_motion_matrix(tn_check *check, const tenon_modeldata *doc,
                                          tn_path_text path, const float stored[16])
{
    float m[16];
    modeldata_conventions_to_rows(doc, stored, m);
    for (int k = 0; k < 4; k++) {
        if (!(fabs((double)m[12 + k] - (k == 3)) > ROW_TOLERANCE)) continue;
        tn_found(check, MODELDATA_MATRIX_ROW, path,
                 "element %d of the last row of the matrix is not %d", k + 1, k == 3);
        return;
    }
}

static void modeldata_check_motion_joint(tn_check *check, const tenon_modeldata *doc, uint32_t i,
                                         const modeldata_skeleton *skeleton)
{
    const tenon_modeldata_joint *joint = &doc->joints[i];
    modeldata_check_characters(check, doc, tn_path("joints[%" PRIu32 "].name", i), joint->name);
    if (joint->index < 0)
        tn_found(check, MODELDATA_JOINT_INDEX, tn_path("joints[%" PRIu32 "].index", i),
                 "the index is %" PRId32, joint->index);
    if (joint->index >= MODELDATA_JOINTS_MOST)
        tn_found(check, MODELDATA_JOINT_LIMIT, tn_path("joints[%" PRIu32 "].index", i),
                 "index %" PRId32 ", but the engine supports at most %d joints", joint->index,
                 MODELDATA_JOINTS_MOST);
    bool has_parent = joint->parent_index != -1;
    if (has_parent &&
        modeldata_order_find_index(&skeleton->by_index, joint->parent_index) == TENON_NONE)
        tn_found(check, MODELDATA_PARENT_MISSING, tn_path("joints[%" PRIu32 "].parent_index", i),
                 "parent %" PRId32 ", but no joint has that index", joint->parent_index);
    modeldata_check_motion_matrix(check, doc, tn_path("joints[%" PRIu32 "].inverse_bind_matrix", i),
                                  joint->inverse_bind_matrix);
    modeldata_check_motion_matrix(check, doc, tn_path("joints[%" PRIu32 "].bind_local_pose", i),
                                  joint->bind_local_pose);
}

static void modeldata_check_motion_roots(tn_check *check, const tenon_modeldata *doc)
{
    uint32_t roots = 0, last = 0;
    for (uint32_t i = 0; i < doc->joint_count; i++)
        if (doc->joints[i].parent_index == -1) roots++, last = i;
    // Reported at the size, because the count of joints may be missing in a truncated file.
    if (doc->joint_count == 0)
        tn_found(check, MODELDATA_ROOT_COUNT, tn_path("skeleton_size"),
                 "the skeleton of %" PRIu32 " bytes has no joints", doc->skeleton_size);
    else if (roots == 0)
        tn_found(check, MODELDATA_ROOT_COUNT, tn_path("joint_count"),
                 "none of %" PRIu32 " joints is a root", doc->joint_count);
    if (roots > 1)
        tn_found(check, MODELDATA_ROOT_COUNT, tn_path("joints[%" PRIu32 "].parent_index", last),
                 "%" PRIu32 " of %" PRIu32 " joints are roots; the engine uses this one", roots,
                 doc->joint_count);
}

static void modeldata_check_motion_indices_once(tn_check *check, const tenon_modeldata *doc,
                                                const modeldata_order *by_index)
{
    for (uint32_t i = 1; i < by_index->count; i++) {
        uint32_t a = by_index->items[i - 1], b = by_index->items[i];
        if (doc->joints[a].index == doc->joints[b].index)
            tn_found(check, MODELDATA_JOINT_INDEX, tn_path("joints[%" PRIu32 "].index", b),
                     "joint %" PRIu32 " has the index %" PRId32 ", too", a, doc->joints[a].index);
    }
}

// Mark the ancestors of each joint with its number. A joint that has the number already is in a
// cycle.
static void modeldata_check_motion_cycles(tn_check *check, const tenon_modeldata *doc,
                                          const modeldata_order *by_index)
{
    uint32_t *stamps = tn_check_alloc(check, doc->joint_count, sizeof *stamps);
    if (!stamps) return;
    for (uint32_t i = 0; i < doc->joint_count; i++) {
        uint32_t at = i;
        while (at != TENON_NONE && stamps[at] == 0) {
            const tenon_modeldata_joint *joint = &doc->joints[at];
            stamps[at] = i + 1;
            at = joint->parent_index == -1
                     ? TENON_NONE
                     : modeldata_order_find_index(by_index, joint->parent_index);
        }
        if (at != TENON_NONE && stamps[at] == i + 1)
            tn_found(check, MODELDATA_PARENT_CYCLE, tn_path("joints[%" PRIu32 "].parent_index", at),
                     "the joint with index %" PRId32 " is its own ancestor", doc->joints[at].index);
    }
}

void modeldata_check_skeleton(tn_check *check, const tenon_modeldata *doc,
                              const modeldata_skeleton *skeleton)
{
    if (!doc->skeleton_size) {
        tn_found(check, MODELDATA_SKELETON_MISSING, tn_path("skeleton_size"),
                 "the animated model has no skeleton");
        return;
    }
    if ((doc->base.dialect->flags & TENON_MODELDATA_JOINT_SIZES) && doc->joint_count)
        tn_found(check, MODELDATA_JOINT_SIZES, tn_path("joint_sizes"),
                 "the engine reads the %" PRIu32 " bytes of the first joint as its name",
                 doc->joint_sizes[0]);
    if (doc->is_column_major && doc->joint_count)
        tn_found(check, MODELDATA_MATRIX_COLUMNS, tn_path("joints[0].inverse_bind_matrix"),
                 "matrices are stored by columns, but the engine reads rows");
    if (doc->is_order_assumed && modeldata_conventions_order_matters(doc))
        tn_found(check, MODELDATA_MATRIX_ORDER, tn_path("joints[0].inverse_bind_matrix"),
                 "read as stored by %s, but this cannot be detected without a translation",
                 doc->is_column_major ? "columns" : "rows");
    for (uint32_t i = 0; i < doc->joint_count; i++)
        modeldata_check_motion_joint(check, doc, i, skeleton);
    modeldata_check_motion_roots(check, doc);
    modeldata_check_motion_indices_once(check, doc, &skeleton->by_index);
    modeldata_check_motion_cycles(check, doc, &skeleton->by_index);
    modeldata_check_leftover(check, tn_path("skeleton_leftover"), &doc->skeleton_leftover);
}

// -- Keys

// Keys of one list with a problem: how many, and the first of each kind.
typedef struct modeldata_key_findings {
    uint64_t disorders, first_disorder;
    uint64_t zeros, first_zero;  // Rotations.
    uint64_t longs, first_long;
    uint64_t scaled;  // Scales.
    float last_time;
} modeldata_key_findings;

static void modeldata_check_motion_count_rotation(modeldata_key_findings *findings, uint64_t key,
                                                  const float q[4])
{
    double square = 0;
    if (tn_turn_is_plain(q)) return;
    for (int i = 0; i < 4; i++) square += (double)q[i] * (double)q[i];
    if (!isfinite(square)) return;  // Reported by modeldata/not-finite.
    if (square == 0 && findings->zeros++ == 0) findings->first_zero = key;
    bool is_off = square != 0 && fabs(sqrt(square) - 1) > UNIT_TOLERANCE;
    if (is_off && findings->longs++ == 0) findings->first_long = key;
}

static void modeldata_check_motion_count_scale(modeldata_key_findings *findings, const float v[3])
{
    bool is_scaled = false;
    for (int i = 0; i < 3; i++) is_scaled = is_scaled || fabs((double)v[i] - 1) > SCALE_TOLERANCE;
    findings->scaled += is_scaled;
}

// For positions only the times are checked.
static void modeldata_check_motion_examine_times(modeldata_key_findings *findings,
                                                 const tenon_span *keys)
{
    for (uint64_t k = 0; k < keys->count; k++) {
        float time = tn_load_f32(tn_span_record(keys, k), true);
        if (time < findings->last_time && findings->disorders++ == 0) findings->first_disorder = k;
        findings->last_time = time;
    }
}

// Check all keys of a list in one pass.
static modeldata_key_findings modeldata_check_motion_examine_keys(const tenon_span *keys,
                                                                  bool is_scale)
{
    modeldata_key_findings findings = {.last_time = -INFINITY};
    if (!keys->count) return findings;
    if (!is_scale && keys->layout == &modeldata_vector_keys) {
        modeldata_check_motion_examine_times(&findings, keys);
        return findings;
    }
    uint32_t numbers = (uint32_t)(keys->layout->stride / 4);
    float block[KEY_NUMBERS * BLOCK];
    for (uint64_t at = 0; at < keys->count; at += BLOCK) {
        uint64_t n = keys->count - at < BLOCK ? keys->count - at : BLOCK;
        tn_copy_numbers(block, tn_span_record(keys, at), n * numbers, 4, keys->big_endian);
        for (uint64_t k = 0; k < n; k++) {
            const float *key = &block[numbers * k];
            if (key[0] < findings.last_time && findings.disorders++ == 0)
                findings.first_disorder = at + k;
            findings.last_time = key[0];
            if (numbers == KEY_NUMBERS)
                modeldata_check_motion_count_rotation(&findings, at + k, key + 1);
            if (is_scale) modeldata_check_motion_count_scale(&findings, key + 1);
        }
    }
    return findings;
}

static void modeldata_check_motion_report_keys(tn_check *check,
                                               const modeldata_key_findings *findings,
                                               const char *path, uint64_t count)
{
    if (findings->disorders)
        tn_found(check, MODELDATA_KEY_ORDER,
                 tn_path("%s[%" PRIu64 "].time", path, findings->first_disorder),
                 "%" PRIu64 " of %" PRIu64
                 " keys are earlier than the previous key, this is the first",
                 findings->disorders, count);
    if (findings->zeros)
        tn_found(check, MODELDATA_ROTATION_ZERO,
                 tn_path("%s[%" PRIu64 "].vec", path, findings->first_zero),
                 "%" PRIu64 " of %" PRIu64 " rotations are 0, 0, 0, 0, this is the first",
                 findings->zeros, count);
    if (findings->longs)
        tn_found(check, MODELDATA_ROTATION_UNIT,
                 tn_path("%s[%" PRIu64 "].vec", path, findings->first_long),
                 "%" PRIu64 " of %" PRIu64 " rotations do not have the length 1, this is the first",
                 findings->longs, count);
}

// -- Animations

// The lists of one kind of an animation.
typedef struct modeldata_checked_keys {
    const char *name;
    const char *count_name;
    const tenon_modeldata_keys *lists;
    uint32_t count;
    bool is_needed;  // The engine uses them.
} modeldata_checked_keys;

// Returns how many keys have a scale other than 1.
static uint64_t modeldata_check_motion_lists(tn_check *check, uint32_t a,
                                             const modeldata_checked_keys *kind,
                                             const modeldata_skeleton *skeleton)
{
    uint64_t scaled = 0, orphans = 0;
    uint32_t first_orphan = 0;
    for (uint32_t i = 0; i < kind->count; i++) {
        const tenon_span *keys = &kind->lists[i].keys;
        if (!keys->count) continue;
        tn_path_text path = tn_path("animations[%" PRIu32 "].%s[%" PRIu32 "]", a, kind->name, i);
        modeldata_key_findings findings =
            modeldata_check_motion_examine_keys(keys, !kind->is_needed);
        modeldata_check_motion_report_keys(check, &findings, path.text, keys->count);
        scaled += findings.scaled;
        bool is_orphan = modeldata_order_find_index(&skeleton->by_index, i) == TENON_NONE;
        if (is_orphan && orphans++ == 0) first_orphan = i;
    }
    if (orphans && skeleton->by_index.count)
        tn_found(check, MODELDATA_LIST_JOINT,
                 tn_path("animations[%" PRIu32 "].%s[%" PRIu32 "]", a, kind->name, first_orphan),
                 "%" PRIu64 " of %" PRIu32 " lists have keys, but no joint, this is the first",
                 orphans, kind->count);
    if (kind->is_needed && skeleton->largest_index >= (int64_t)kind->count)
        tn_found(check, MODELDATA_LIST_COUNT,
                 tn_path("animations[%" PRIu32 "].%s", a, kind->count_name),
                 "%" PRIu32 " lists, but a joint has the index %" PRId64, kind->count,
                 skeleton->largest_index);
    return scaled;
}

void modeldata_check_animation(tn_check *check, const tenon_modeldata *doc, uint32_t i,
                               const modeldata_skeleton *skeleton)
{
    const tenon_modeldata_animation *a = &doc->animations[i];
    const modeldata_checked_keys kinds[] = {
        {"positions", "position_list_count", a->positions, a->position_list_count, true},
        {"rotations", "rotation_list_count", a->rotations, a->rotation_list_count, true},
        {"scales", "scale_list_count", a->scales, a->scale_list_count, false},
    };
    modeldata_check_characters(check, doc, tn_path("animations[%" PRIu32 "].name", i), a->name);
    if (a->position_list_count != a->rotation_list_count ||
        a->position_list_count != a->scale_list_count)
        tn_found(check, MODELDATA_LIST_COUNTS_DIFFER,
                 tn_path("animations[%" PRIu32 "].position_list_count", i),
                 "%" PRIu32 " lists of positions, %" PRIu32 " of rotations, %" PRIu32 " of scales",
                 a->position_list_count, a->rotation_list_count, a->scale_list_count);
    if (a->rotation_size == 3)
        tn_found(check, MODELDATA_ROTATION_SIZE, tn_path("animations[%" PRIu32 "].rotations", i),
                 "rotations have three numbers, but the engine reads four");
    uint64_t scaled = 0, scale_count = 0;
    for (uint32_t k = 0; k < a->scale_list_count; k++) scale_count += a->scales[k].keys.count;
    for (int k = 0; k < 3; k++)
        scaled += modeldata_check_motion_lists(check, i, &kinds[k], skeleton);
    if (scaled)
        tn_found(check, MODELDATA_SCALE_KEYS, tn_path("animations[%" PRIu32 "].scales", i),
                 "%" PRIu64 " of %" PRIu64 " scales are not 1, but the engine ignores them", scaled,
                 scale_count);
    modeldata_check_leftover(check, tn_path("animations[%" PRIu32 "].leftover", i), &a->leftover);
}
