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

// -- Skeleton

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
    if (joint->parent_index != -1 &&
        modeldata_order_find_index(&skeleton->by_index, joint->parent_index) == TENON_NONE)
        tn_found(check, MODELDATA_PARENT_MISSING, tn_path("joints[%" PRIu32 "].parent_index", i),
                 "parent %" PRId32 ", but no joint has that index", joint->parent_index);
    for (int k = 0; k < 2; k++) {
        float m[16];
        modeldata_conventions_to_rows(
            doc, k == 0 ? joint->inverse_bind_matrix : joint->bind_local_pose, m);
        int at = 0;
        while (at < 4 && !(fabs((double)m[12 + at] - (at == 3)) > ROW_TOLERANCE)) at++;
        if (at < 4)
            tn_found(check, MODELDATA_MATRIX_ROW,
                     tn_path("joints[%" PRIu32 "].%s", i,
                             k == 0 ? "inverse_bind_matrix" : "bind_local_pose"),
                     "element %d of the last row of the matrix is not %d", at + 1, at == 3);
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
    uint32_t roots = 0, last = 0;
    for (uint32_t i = 0; i < doc->joint_count; i++) {
        modeldata_check_motion_joint(check, doc, i, skeleton);
        if (doc->joints[i].parent_index == -1) roots++, last = i;
    }
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
    const modeldata_order *by_index = &skeleton->by_index;
    for (uint32_t i = 1; i < by_index->count; i++) {
        uint32_t a = by_index->items[i - 1], b = by_index->items[i];
        if (doc->joints[a].index == doc->joints[b].index)
            tn_found(check, MODELDATA_JOINT_INDEX, tn_path("joints[%" PRIu32 "].index", b),
                     "joint %" PRIu32 " has the index %" PRId32 ", too", a, doc->joints[a].index);
    }
    modeldata_check_motion_cycles(check, doc, by_index);
    modeldata_check_leftover(check, tn_path("skeleton_leftover"), &doc->skeleton_leftover);
}

// -- Animations

// Check one list of keys. Returns how many have a scale other than 1.
static uint64_t modeldata_check_motion_keys(tn_check *check, const char *path,
                                            const tenon_span *keys, bool is_scale)
{
    uint64_t disorders = 0, first_disorder = 0, zeros = 0, first_zero = 0, longs = 0,
             first_long = 0, scaled = 0;
    uint32_t numbers = (uint32_t)(keys->layout->stride / 4);
    bool is_rotation = numbers == KEY_NUMBERS;
    float last_time = -INFINITY, block[KEY_NUMBERS * BLOCK];
    for (uint64_t k = 0; k < keys->count; k++) {
        float time = tn_load_f32(tn_span_record(keys, k), keys->big_endian);
        if (time < last_time && disorders++ == 0) first_disorder = k;
        last_time = time;
    }
    for (uint64_t at = 0; at < keys->count && (is_rotation || is_scale); at += BLOCK) {
        uint64_t n = keys->count - at < BLOCK ? keys->count - at : BLOCK;
        tn_copy_numbers(block, tn_span_record(keys, at), n * numbers, 4, keys->big_endian);
        for (uint64_t k = 0; k < n; k++) {
            const float *v = &block[numbers * k + 1];
            if (is_scale)
                scaled += fabs((double)v[0] - 1) > SCALE_TOLERANCE ||
                          fabs((double)v[1] - 1) > SCALE_TOLERANCE ||
                          fabs((double)v[2] - 1) > SCALE_TOLERANCE;
            if (!is_rotation || tn_turn_is_plain(v)) continue;
            double square = 0;
            for (int i = 0; i < 4; i++) square += (double)v[i] * (double)v[i];
            if (!isfinite(square)) continue;  // Reported by modeldata/not-finite.
            if (square == 0 && zeros++ == 0) first_zero = at + k;
            bool is_off = square != 0 && fabs(sqrt(square) - 1) > UNIT_TOLERANCE;
            if (is_off && longs++ == 0) first_long = at + k;
        }
    }
    if (disorders)
        tn_found(check, MODELDATA_KEY_ORDER, tn_path("%s[%" PRIu64 "].time", path, first_disorder),
                 "%" PRIu64 " of %" PRIu64
                 " keys are earlier than the previous key, this is the first",
                 disorders, keys->count);
    if (zeros)
        tn_found(check, MODELDATA_ROTATION_ZERO, tn_path("%s[%" PRIu64 "].vec", path, first_zero),
                 "%" PRIu64 " of %" PRIu64 " rotations are 0, 0, 0, 0, this is the first", zeros,
                 keys->count);
    if (longs)
        tn_found(check, MODELDATA_ROTATION_UNIT, tn_path("%s[%" PRIu64 "].vec", path, first_long),
                 "%" PRIu64 " of %" PRIu64 " rotations do not have the length 1, this is the first",
                 longs, keys->count);
    return scaled;
}

void modeldata_check_animation(tn_check *check, const tenon_modeldata *doc, uint32_t i,
                               const modeldata_skeleton *skeleton)
{
    const tenon_modeldata_animation *a = &doc->animations[i];
    modeldata_lists kinds[MODELDATA_LIST_KINDS];
    modeldata_describe_lists(a, kinds);
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
    for (int k = 0; k < MODELDATA_LIST_KINDS; k++) {
        uint32_t orphans = 0, first_orphan = 0, count = *kinds[k].count;
        bool is_scale = k == TENON_SCALE;  // The engine does not use them.
        for (uint32_t n = 0; n < count; n++) {
            const tenon_span *keys = &(*kinds[k].lists)[n].keys;
            if (!keys->count) continue;
            tn_path_text path =
                tn_path("animations[%" PRIu32 "].%s[%" PRIu32 "]", i, kinds[k].name, n);
            scaled += modeldata_check_motion_keys(check, path.text, keys, is_scale);
            if (is_scale) scale_count += keys->count;
            bool is_orphan = modeldata_order_find_index(&skeleton->by_index, n) == TENON_NONE;
            if (is_orphan && orphans++ == 0) first_orphan = n;
        }
        if (orphans && skeleton->by_index.count)
            tn_found(
                check, MODELDATA_LIST_JOINT,
                tn_path("animations[%" PRIu32 "].%s[%" PRIu32 "]", i, kinds[k].name, first_orphan),
                "%" PRIu32 " of %" PRIu32 " lists have keys, but no joint, this is the first",
                orphans, count);
        if (!is_scale && skeleton->largest_index >= (int64_t)count)
            tn_found(check, MODELDATA_LIST_COUNT,
                     tn_path("animations[%" PRIu32 "].%s", i, kinds[k].count_name),
                     "%" PRIu32 " lists, but a joint has the index %" PRId64, count,
                     skeleton->largest_index);
    }
    if (scaled)
        tn_found(check, MODELDATA_SCALE_KEYS, tn_path("animations[%" PRIu32 "].scales", i),
                 "%" PRIu64 " of %" PRIu64 " scales are not 1, but the engine ignores them", scaled,
                 scale_count);
    modeldata_check_leftover(check, tn_path("animations[%" PRIu32 "].leftover", i), &a->leftover);
}
