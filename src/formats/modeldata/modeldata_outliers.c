// modeldata_outliers.c: removes outliers from the arrays of a damaged ModelData file.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"
#include "formats/modeldata/modeldata_order.h"

#include "core/cursor/span.h"
#include "document/outliers.h"
#include "document/view.h"

#include <inttypes.h>

// -- Influences

// Repair the influences of a vertex. Returns whether anything was wrong. A vertex keeps at least
// one influence: without any it would be at the origin.
static bool modeldata_outliers_filter_influences(const modeldata_order *joints, uint32_t ids[],
                                                 float weights[], uint32_t count)
{
    bool is_bad = true;
    for (uint32_t i = 0; i < count; i++) is_bad = is_bad && weights[i] == 0;
    for (uint32_t i = 0; i < count; i++) {
        bool has_joint = modeldata_order_find_index(joints, (int32_t)ids[i]) != TENON_NONE;
        if (tn_weight_is_plausible(weights[i]) && (has_joint || weights[i] == 0)) continue;
        is_bad = true;
        weights[i] = 0;
    }
    if (!is_bad) return false;
    tn_share_weights(weights, count);
    for (uint32_t i = 0; i < count; i++)
        if (modeldata_order_find_index(joints, (int32_t)ids[i]) == TENON_NONE)
            ids[i] = (uint32_t)joints->doc->joints[0].index;
    return true;
}

static bool modeldata_outliers_filter_skin(tenon_modeldata_mesh *m, uint32_t mesh,
                                           const modeldata_order *joints, const tn_change *change,
                                           tn_filtered *tally)
{
    tenon_span *ids = &m->arrays[TENON_MODELDATA_JOINT_IDS];
    tenon_span *weights = &m->arrays[TENON_MODELDATA_WEIGHTS];
    uint64_t count = ids->count < weights->count ? ids->count : weights->count;
    uint8_t *new_ids = NULL, *new_weights = NULL;
    tn_path_text path = tn_path("meshes[%" PRIu32 "].weights", mesh);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t vertex_ids[MODELDATA_INFLUENCES_MOST];
        float vertex_weights[MODELDATA_INFLUENCES_MOST];
        uint32_t each = modeldata_conventions_influences(m, i, vertex_ids, vertex_weights);
        if (!modeldata_outliers_filter_influences(joints, vertex_ids, vertex_weights, each))
            continue;
        if (!new_ids && (!(new_ids = tn_own_bytes(change, ids)) ||
                         !(new_weights = tn_own_bytes(change, weights))))
            return false;
        tn_copy_numbers(new_ids + 4 * each * i, vertex_ids, each, 4, true);
        tn_copy_numbers(new_weights + 4 * each * i, vertex_weights, each, 4, true);
        tn_count_filtered(tally, path.text, i);
    }
    return true;
}

// In a truncated file joints may be missing, so weights for unknown joints may be correct.
static bool modeldata_outliers_filter_skins(tenon_modeldata *doc, const tn_change *change,
                                            tn_filtered *tally)
{
    if (change->is_cut || !doc->is_animated || !doc->joint_count) return true;
    uint32_t *memory = tn_arena_alloc(change->arena, doc->joint_count, MODELDATA_ORDER_SHARE, NULL);
    if (!memory) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    modeldata_order joints = modeldata_order_joints_by_index(doc, memory);
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (!modeldata_outliers_filter_skin(&doc->meshes[i], i, &joints, change, tally))
            return false;
    return true;
}

// -- Keys

typedef struct modeldata_key_limits {
    double time, vec;
} modeldata_key_limits;

static bool modeldata_outliers_vector_is_plausible(const void *context, const uint8_t *key)
{
    const modeldata_key_limits *limits = context;
    float v[4];
    tn_copy_numbers(v, key, 4, 4, true);
    return tn_is_plausible(v, 1, limits->time) && tn_is_plausible(v + 1, 3, limits->vec);
}

static bool modeldata_outliers_rotation_is_plausible(const void *context, const uint8_t *key)
{
    const modeldata_key_limits *limits = context;
    float v[5];
    tn_copy_numbers(v, key, 5, 4, true);
    return tn_is_plausible(v, 1, limits->time) && tn_is_plausible_rotation(v + 1);
}

static void modeldata_outliers_add_magnitudes(const tenon_modeldata_keys *lists, uint32_t count,
                                              tn_magnitudes *times, tn_magnitudes *vecs)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t k = 0; k < lists[i].keys.count; k++) {
            float v[4];
            tn_copy_numbers(v, tn_span_record(&lists[i].keys, k), 4, 4, true);
            tn_add_magnitude(times, v, 1);
            tn_add_magnitude(vecs, v + 1, 3);
        }
}

static bool modeldata_outliers_filter_lists(tenon_modeldata_keys *lists, uint32_t count,
                                            tn_record_fn *is_plausible, const char *path,
                                            const tn_change *change, tn_filtered *tally)
{
    tn_magnitudes times = {0}, vecs = {0};
    modeldata_outliers_add_magnitudes(lists, count, &times, &vecs);
    const modeldata_key_limits limits = {tn_usual_limit(&times), tn_usual_limit(&vecs)};
    for (uint32_t i = 0; i < count; i++)
        if (!tn_keep_plausible(change, &lists[i].keys, is_plausible, &limits,
                               tn_path("%s[%" PRIu32 "]", path, i).text, tally))
            return false;
    return true;
}

static bool modeldata_outliers_filter_keys(tenon_modeldata *doc, const tn_change *change)
{
    tn_filtered tally = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < doc->animation_count; i++) {
        tenon_modeldata_animation *a = &doc->animations[i];
        tn_path_text path = tn_path("animations[%" PRIu32 "]", i);
        ok = modeldata_outliers_filter_lists(
                 a->positions, a->position_list_count, modeldata_outliers_vector_is_plausible,
                 tn_path("%s.positions", path.text).text, change, &tally) &&
             modeldata_outliers_filter_lists(
                 a->rotations, a->rotation_list_count,
                 a->rotation_size == 3 ? modeldata_outliers_vector_is_plausible
                                       : modeldata_outliers_rotation_is_plausible,
                 tn_path("%s.rotations", path.text).text, change, &tally) &&
             modeldata_outliers_filter_lists(a->scales, a->scale_list_count,
                                             modeldata_outliers_vector_is_plausible,
                                             tn_path("%s.scales", path.text).text, change, &tally);
    }
    tn_report_filtered(change, &tally, TENON_DROPPED, "keys of animations",
                       "the value or its time is not plausible");
    return ok;
}

bool modeldata_remove_outliers(tenon_modeldata *doc, const tn_change *change)
{
    tn_mesh_outliers removed = {0};
    bool ok = tn_view_remove_outliers(change, &modeldata_views, doc) &&
              modeldata_outliers_filter_skins(doc, change, &removed.weights);
    tn_report_mesh_outliers(change, &removed);
    return ok && modeldata_outliers_filter_keys(doc, change);
}
