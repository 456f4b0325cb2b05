// modeldata_recover.c: completes a ModelData file that could be read only in part, and removes
// outliers from its arrays.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "document/outliers.h"
#include "document/view.h"

#include <inttypes.h>

// -- Influences

// Repair the influences of a mesh. A vertex keeps at least one: without any it would be at the
// origin.
static bool modeldata_recover_skin(tenon_modeldata_mesh *m, uint32_t mesh,
                                   const modeldata_order *joints, const tn_change *change,
                                   tn_filtered *tally)
{
    tenon_span *ids = &m->arrays[TENON_MODELDATA_JOINT_IDS];
    tenon_span *weights = &m->arrays[TENON_MODELDATA_WEIGHTS];
    uint64_t count = ids->count < weights->count ? ids->count : weights->count;
    uint8_t *new_ids = NULL, *new_weights = NULL;
    tn_path_text path = tn_path("meshes[%" PRIu32 "].weights", mesh);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id[MODELDATA_INFLUENCES_MOST];
        float weight[MODELDATA_INFLUENCES_MOST];
        bool has_joint[MODELDATA_INFLUENCES_MOST], is_bad = true;
        uint32_t each = modeldata_conventions_influences(m, i, id, weight);
        for (uint32_t k = 0; k < each; k++) is_bad = is_bad && weight[k] == 0;
        for (uint32_t k = 0; k < each; k++) {
            has_joint[k] = modeldata_conventions_find_joint(joints, (int32_t)id[k]) != TENON_NONE;
            if (tn_weight_is_plausible(weight[k]) && (has_joint[k] || weight[k] == 0)) continue;
            is_bad = true;
            weight[k] = 0;
        }
        if (!is_bad) continue;
        tn_share_weights(weight, each);
        for (uint32_t k = 0; k < each; k++)
            if (!has_joint[k]) id[k] = (uint32_t)joints->doc->joints[0].index;
        if (!new_ids && (!(new_ids = tn_own_bytes(change, ids)) ||
                         !(new_weights = tn_own_bytes(change, weights))))
            return false;
        tn_copy_numbers(new_ids + 4 * each * i, id, each, 4, true);
        tn_copy_numbers(new_weights + 4 * each * i, weight, each, 4, true);
        tn_count_filtered(tally, path.text, i);
    }
    return true;
}

// -- Keys

typedef struct modeldata_key_limits {
    bool is_quaternion;
    double time, vec;
} modeldata_key_limits;

static bool modeldata_recover_key_is_plausible(const void *context, const uint8_t *key)
{
    const modeldata_key_limits *limits = context;
    float v[5];
    tn_copy_numbers(v, key, limits->is_quaternion ? 5 : 4, 4, true);
    return tn_is_plausible(v, 1, limits->time) &&
           (limits->is_quaternion ? tn_is_plausible_rotation(v + 1)
                                  : tn_is_plausible(v + 1, 3, limits->vec));
}

static bool modeldata_recover_keys(const tenon_modeldata_animation *a, uint32_t animation,
                                   const tn_change *change, tn_filtered *tally)
{
    modeldata_lists kinds[MODELDATA_LIST_KINDS];
    modeldata_describe_lists(a, kinds);
    for (int kind = 0; kind < MODELDATA_LIST_KINDS; kind++) {
        tenon_modeldata_keys *lists = *kinds[kind].lists;
        tn_magnitudes times = {0}, vecs = {0};
        for (uint32_t i = 0; i < *kinds[kind].count; i++)
            for (uint64_t k = 0; k < lists[i].keys.count; k++) {
                float v[4];
                tn_copy_numbers(v, tn_span_record(&lists[i].keys, k), 4, 4, true);
                tn_add_magnitude(&times, v, 1);
                tn_add_magnitude(&vecs, v + 1, 3);
            }
        const modeldata_key_limits limits = {kind == TENON_ROTATION && a->rotation_size != 3,
                                             tn_usual_limit(&times), tn_usual_limit(&vecs)};
        for (uint32_t i = 0; i < *kinds[kind].count; i++) {
            tn_path_text path =
                tn_path("animations[%" PRIu32 "].%s[%" PRIu32 "]", animation, kinds[kind].name, i);
            if (!tn_keep_plausible(change, &lists[i].keys, modeldata_recover_key_is_plausible,
                                   &limits, path.text, tally))
                return false;
        }
    }
    return true;
}

// -- The document

bool modeldata_recover(void *any, const tn_change *change)
{
    tenon_modeldata *doc = any;
    tn_mesh_outliers removed = {0};
    tn_filtered bad_keys = {0};
    uint32_t mesh_count = 0, animation_count = 0;
    bool ok = tn_view_remove_outliers(change, &modeldata_views, doc);
    if (!ok) return false;
    uint32_t *memory = tn_arena_alloc(change->arena, doc->joint_count, MODELDATA_ORDER_SHARE, NULL);
    if (!memory) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    modeldata_order joints = modeldata_conventions_sort_joints(doc, memory);
    // In a truncated file joints may be missing, so weights for unknown joints may be correct.
    bool has_joints = !change->is_cut && doc->is_animated && doc->joint_count;
    for (uint32_t i = 0; ok && has_joints && i < doc->mesh_count; i++)
        ok = modeldata_recover_skin(&doc->meshes[i], i, &joints, change, &removed.weights);
    tn_report_mesh_outliers(change, &removed);
    if (!ok) return false;
    for (uint32_t i = 0; ok && i < doc->animation_count; i++)
        ok = modeldata_recover_keys(&doc->animations[i], i, change, &bad_keys);
    tn_report_filtered(change, &bad_keys, TENON_DROPPED, "keys of animations",
                       "the value or its time is not plausible");
    if (!ok) return false;

    // A model with many leftover bytes would not be recognized as ModelData.
    uint64_t bytes = doc->model_leftover.size;
    if (change->is_cut) doc->model_leftover = (tenon_span){0};
    for (uint32_t i = 0; i < doc->mesh_count && change->is_cut; i++) {
        bytes += doc->meshes[i].leftover.size;
        doc->meshes[i].leftover = (tenon_span){0};
    }
    tn_change_report(change, TENON_DROPPED, "bytes", change->is_cut ? bytes : 0,
                     "they are parts of meshes that could not be read");

    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_modeldata_mesh m = doc->meshes[i];
        // The indices are the last array of a mesh: if there are any, the vertices are complete.
        if (!m.arrays[TENON_MODELDATA_INDICES].count || !m.arrays[TENON_MODELDATA_VERTICES].count)
            continue;
        // If reading did not reach the material, its values are zero, which would be black: use
        // defaults.
        bool has_material = m.material.maps[TENON_MODELDATA_MAP_COUNT - 1].data &&
                            (m.material.tiling != 0 || m.material.default_tiling);
        if (m.material_size && !has_material) {
            modeldata_value values[MODELDATA_VALUE_COUNT];
            m.material = (tenon_modeldata_material){0};
            modeldata_conventions_values(&m.material, values);
            for (int k = 0; k < MODELDATA_VALUE_COUNT; k++) *values[k].flag = 1;
            for (int k = 0; k < TENON_MODELDATA_MAP_COUNT; k++)
                m.material.maps[k] = (tenon_str){"", 0};
        }
        if (!m.size_factor) m.size_factor = 1;
        if (!m.collision_shape.data) m.collision_shape = (tenon_str){"", 0};
        doc->meshes[mesh_count++] = m;
    }
    tn_change_report(change, TENON_DROPPED, "meshes", doc->mesh_count - mesh_count,
                     "they have no triangles left");
    doc->mesh_count = mesh_count;

    // A joint whose parent was not read becomes a root.
    for (uint32_t i = 0; i < doc->joint_count; i++)
        if (modeldata_conventions_find_joint(&joints, doc->joints[i].parent_index) == TENON_NONE)
            doc->joints[i].parent_index = -1;

    for (uint32_t i = 0; i < doc->animation_count; i++) {
        const tenon_modeldata_animation *a = &doc->animations[i];
        bool has_keys = a->position_list_count || a->rotation_list_count || a->scale_list_count;
        if (has_keys && a->name.data) doc->animations[animation_count++] = *a;
    }
    tn_change_report(change, TENON_DROPPED, "animations", doc->animation_count - animation_count,
                     "they have no keys left");
    doc->animation_count = animation_count;
    return true;
}
