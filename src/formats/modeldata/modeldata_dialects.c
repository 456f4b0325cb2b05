// modeldata_dialects.c: recompute sizes; convert between dialects, and between .cem and .cea;
// complete a file that could be read only in part.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/text/text.h"
#include "document/outliers.h"
#include "document/view.h"

#include <inttypes.h>
#include <string.h>

#define SIZE_MOST INT32_MAX  // The engine reads sizes as signed numbers.

bool modeldata_has_meshes(const tenon_modeldata *doc, tenon_error *err)
{
    return doc->mesh_count || tn_error(err, TENON_ERR_UNSUPPORTED,
                                       "the model has no triangles: the file would be empty");
}

// -- Sizes

static bool modeldata_set_size(uint32_t *size, uint64_t value, const char *what, tenon_error *err)
{
    if (value > SIZE_MOST)
        return tn_error(err, TENON_ERR_UNSUPPORTED,
                        "%s would have %" PRIu64 " bytes, but at most %d are supported", what,
                        value, SIZE_MOST);
    *size = (uint32_t)value;
    return true;
}

// Measure a part and store its size.
static bool modeldata_measure_into(uint32_t *size, const tenon_modeldata *doc, modeldata_part part,
                                   uint32_t index, const char *what, tenon_error *err)
{
    uint64_t value = modeldata_describe_measure(doc, part, index, err);
    return value && modeldata_set_size(size, value, what, err);
}

// The size of a name in a dialect with these flags: in bytes or in characters.
static bool modeldata_name_size(uint32_t flags, tenon_str name, uint32_t *size, tenon_error *err)
{
    *size = name.size;
    if (!(flags & TENON_MODELDATA_CHARACTERS)) return true;
    uint64_t characters = modeldata_describe_count_characters(name);
    *size = (uint32_t)characters;
    if (characters != TENON_ABSENT) return true;
    return tn_error(err, TENON_ERR_UNSUPPORTED,
                    "cannot count the characters of '%s', which is not UTF-8",
                    tn_show(name, 64).text);
}

static bool modeldata_map_name_size(uint32_t flags, tenon_str name, int16_t *map_size,
                                    tenon_error *err)
{
    uint32_t size;
    if (!modeldata_name_size(flags, name, &size, err)) return false;
    if (size > INT16_MAX)
        return tn_error(err, TENON_ERR_UNSUPPORTED,
                        "the name of a texture has the size %u, the limit is %d", size, INT16_MAX);
    *map_size = (int16_t)size;
    return true;
}

static bool modeldata_finalize_mesh(tenon_modeldata *doc, uint32_t index, tenon_error *err)
{
    tenon_modeldata_mesh *m = &doc->meshes[index];
    uint32_t flags = doc->base.dialect->flags;
    bool has_sizes = m->material_size || m->collision_shape.size;
    bool is_legacy = (flags & TENON_MODELDATA_LEGACY) && m->size_factor == 4 && has_sizes;
    m->size_factor = is_legacy ? 4 : 1;
    bool has_unit =
        (flags & TENON_MODELDATA_DOCUMENT) && m->size_unit < TENON_MODELDATA_SIZE_UNIT_COUNT;
    if (!has_unit) m->size_unit = TENON_MODELDATA_BYTES;
    uint64_t bytes[TENON_MODELDATA_ARRAY_COUNT], material = 0;
    // After recovery an array may have incomplete elements.
    for (uint32_t i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++) {
        bytes[i] = m->arrays[i].size + m->array_leftovers[i].size;
        if (bytes[i] % modeldata_unit_bytes[m->size_unit][i]) m->size_unit = TENON_MODELDATA_BYTES;
    }
    for (uint32_t i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++)
        if (!modeldata_set_size(&m->array_sizes[i],
                                bytes[i] / modeldata_unit_bytes[m->size_unit][i],
                                modeldata_arrays[i].name, err))
            return false;
    if (m->material_size) {
        for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++)
            if (!modeldata_map_name_size(flags, m->material.maps[i], &m->material.map_sizes[i],
                                         err))
                return false;
        material = modeldata_describe_measure(doc, MODELDATA_MATERIAL, index, err);
        if (material == 0) return false;
    }
    uint64_t shape = m->collision_shape.size;
    return modeldata_set_size(&m->material_size, m->size_factor * material, "a material", err) &&
           modeldata_set_size(&m->collision_shape_size, m->size_factor * shape, "a shape", err) &&
           modeldata_measure_into(&doc->mesh_sizes[index], doc, MODELDATA_MESH, index, "a mesh",
                                  err);
}

bool modeldata_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_modeldata *doc = any;
    uint32_t flags = doc->base.dialect->flags;
    doc->mesh_sizes = tn_arena_alloc_or_fail(arena, doc->mesh_count, sizeof *doc->mesh_sizes,
                                             "the sizes of meshes", err);
    if (!doc->mesh_sizes) return false;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (!modeldata_finalize_mesh(doc, i, err)) return false;
    if (!doc->is_animated) return true;
    bool has_model = doc->model_size || doc->mesh_count || doc->model_leftover.size;
    if (has_model &&
        !modeldata_measure_into(&doc->model_size, doc, MODELDATA_MODEL, 0, "the model", err))
        return false;

    doc->joint_sizes = tn_arena_alloc_or_fail(arena, doc->joint_count, sizeof *doc->joint_sizes,
                                              "the sizes of joints", err);
    if (!doc->joint_sizes) return false;
    for (uint32_t i = 0; i < doc->joint_count; i++) {
        uint32_t *size = &doc->joint_sizes[i];
        if (!modeldata_name_size(flags, doc->joints[i].name, size, err)) return false;
        if (flags & TENON_MODELDATA_JOINT_SIZES) *size += MODELDATA_JOINT_MIN;
    }
    if ((doc->skeleton_size || doc->joint_count) &&
        !modeldata_measure_into(&doc->skeleton_size, doc, MODELDATA_SKELETON, 0, "the skeleton",
                                err))
        return false;

    doc->animation_sizes = tn_arena_alloc_or_fail(
        arena, doc->animation_count, sizeof *doc->animation_sizes, "the sizes of animations", err);
    if (!doc->animation_sizes) return false;
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        tenon_modeldata_animation *a = &doc->animations[i];
        modeldata_lists kinds[MODELDATA_LIST_KINDS];
        modeldata_describe_lists(a, kinds);
        for (int k = 0; k < MODELDATA_LIST_KINDS; k++) {
            uint32_t *counts = tn_arena_alloc_or_fail(arena, *kinds[k].count, sizeof *counts,
                                                      "the numbers of keys", err);
            if (!counts) return false;
            for (uint32_t n = 0; n < *kinds[k].count; n++)
                counts[n] = (uint32_t)(*kinds[k].lists)[n].keys.count;
            *kinds[k].key_counts = counts;
        }
        a->rotation_size = a->rotation_size == 3 ? 3 : 4;
        if (!modeldata_name_size(flags, a->name, &a->name_size, err) ||
            !modeldata_measure_into(&doc->animation_sizes[i], doc, MODELDATA_ANIMATION, i,
                                    "an animation", err))
            return false;
    }
    return true;
}

// -- Between static and animated

// Move the vertices, normals and tangents of a mesh, each by the weighted mean of the matrices of
// its joints.
static bool modeldata_move_mesh(tenon_modeldata_mesh *mesh, const modeldata_order *by_index,
                                const tn_mat4 *matrices, const tn_change *change)
{
    static const int moved[] = {TENON_MODELDATA_VERTICES, TENON_MODELDATA_NORMALS,
                                TENON_MODELDATA_TANGENTS};
    uint64_t vertex_count = mesh->arrays[TENON_MODELDATA_WEIGHTS].count;
    uint8_t *copies[3];
    if (mesh->arrays[TENON_MODELDATA_JOINT_IDS].count != vertex_count) return true;
    for (int n = 0; n < 3; n++) {
        copies[n] = tn_own_bytes(change, &mesh->arrays[moved[n]]);
        if (!copies[n]) return false;
    }
    for (uint64_t i = 0; i < vertex_count; i++) {
        uint32_t ids[MODELDATA_INFLUENCES_MOST];
        float weights[MODELDATA_INFLUENCES_MOST];
        uint32_t count = modeldata_influences(mesh, i, ids, weights);
        double sum = 0;
        tn_mat4 mean = {{0}};
        for (uint32_t k = 0; k < count; k++) {
            double weight = (double)weights[k];
            uint32_t joint =
                weight > 0 ? modeldata_find_joint(by_index, (int32_t)ids[k]) : TENON_NONE;
            if (joint == TENON_NONE) continue;
            for (int n = 0; n < 16; n++) mean.m[n] += weight * matrices[joint].m[n];
            sum += weight;
        }
        if (!(sum > 0)) continue;
        for (int n = 0; n < 16; n++) mean.m[n] /= sum;
        tn_mat3 upper = tn_mat4_upper(&mean), cofactors = tn_mat3_cofactors(&upper);
        tn_mat4 turn = tn_mat4_from_mat3(&cofactors, (tn_vec3){0, 0, 0});
        for (int n = 0; n < 3; n++) {
            const tenon_span *span = &mesh->arrays[moved[n]];
            if (i >= span->count) continue;
            uint8_t *at = copies[n] + span->layout->stride * i;
            float numbers[3];
            tn_copy_numbers(numbers, at, 3, 4, true);
            tn_vec3 v = tn_vec3_from_floats(numbers);
            if (moved[n] == TENON_MODELDATA_VERTICES)
                v = tn_mat4_point(&mean, v);
            else
                v = tn_vec3_normalise(
                    tn_mat4_vector(moved[n] == TENON_MODELDATA_NORMALS ? &turn : &mean, v));
            numbers[0] = tn_to_float(v.x), numbers[1] = tn_to_float(v.y);
            numbers[2] = tn_to_float(v.z);
            tn_copy_numbers(at, numbers, 3, 4, true);
        }
    }
    return true;
}

// Move the vertices of all skinned meshes to the rest pose.
static bool modeldata_bake_rest_pose(tenon_modeldata *doc, const tn_change *change)
{
    static const char what[] = "the rest pose";
    uint32_t count = doc->joint_count;
    if (count == 0) return true;
    uint32_t *memory = tn_change_alloc(change, count, MODELDATA_ORDER_SHARE, what);
    bool *is_known = tn_change_alloc(change, count, sizeof *is_known, what);
    uint32_t *chain = tn_change_alloc(change, count, sizeof *chain, what);
    tn_mat4 *matrices =  // Of each joint: global, then multiplied by its inverse bind matrix.
        tn_change_alloc(change, count, sizeof *matrices, what);
    if (!memory || !is_known || !chain || !matrices) return false;
    modeldata_order by_index = modeldata_sort_joints(doc, memory);
    for (uint32_t i = 0; i < count; i++) {
        // Go up to the nearest ancestor whose matrix is known, then down again. A joint that is its
        // own ancestor counts as a root.
        uint32_t depth = 0, joint = i;
        while (joint != TENON_NONE && !is_known[joint]) {
            int32_t parent = doc->joints[joint].parent_index;
            is_known[joint] = true;
            matrices[joint] = tn_mat4_identity();
            chain[depth++] = joint;
            joint = parent == -1 ? TENON_NONE : modeldata_find_joint(&by_index, parent);
        }
        tn_mat4 above = joint == TENON_NONE ? tn_mat4_identity() : matrices[joint];
        while (depth-- > 0) {
            tn_mat4 local = modeldata_affine(doc, doc->joints[chain[depth]].bind_local_pose);
            above = matrices[chain[depth]] = tn_mat4_mul(&above, &local);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        tn_mat4 unbind = modeldata_affine(doc, doc->joints[i].inverse_bind_matrix);
        matrices[i] = tn_mat4_mul(&matrices[i], &unbind);
    }
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (!modeldata_move_mesh(&doc->meshes[i], &by_index, matrices, change)) return false;
    return true;
}

// An array of `count` copies of `item`, which has four numbers.
static bool modeldata_dialects_repeat(tenon_span *span, uint64_t count, const uint8_t item[16],
                                      const tenon_layout *layout, const tn_change *change)
{
    uint8_t *bytes = tn_change_alloc(change, count, 16, "the skin");
    if (!bytes) return false;
    for (uint64_t i = 0; i < count; i++) memcpy(bytes + 16 * i, item, 16);
    *span = (tenon_span){bytes, 16 * count, count, layout, true};
    return true;
}

// The engine requires a skeleton and a skin: add one joint that does not move the vertices.
static bool modeldata_change_to_animated(tenon_modeldata *doc, const tn_change *change)
{
    static const uint8_t first_joint[16] = {0}, whole_weight[16] = {0x3F, 0x80};
    tenon_modeldata_joint *root = tn_change_alloc(change, 1, sizeof *root, "the skeleton");
    if (!root) return false;
    root->parent_index = -1;
    root->name = (tenon_str){"root", 4};
    for (int i = 0; i < 16; i += 5) root->inverse_bind_matrix[i] = root->bind_local_pose[i] = 1;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_span *arrays = doc->meshes[i].arrays;
        uint64_t count = arrays[TENON_MODELDATA_VERTICES].count;
        if (!modeldata_dialects_repeat(&arrays[TENON_MODELDATA_JOINT_IDS], count, first_joint,
                                       &tn_layout_u32x4, change) ||
            !modeldata_dialects_repeat(&arrays[TENON_MODELDATA_WEIGHTS], count, whole_weight,
                                       &tn_layout_f32x4, change))
            return false;
    }
    doc->joints = root;
    doc->joint_count = 1;
    doc->model_size = MODELDATA_MODEL_MIN;  // There is a model, even without meshes.
    doc->is_animated = 1;
    tn_change_report(change, TENON_SYNTHESIZED, "skeleton", 1,
                     "not stored in static models; one joint in the rest pose was added");
    return true;
}

// -- Conventions

// Copy an array with `to` numbers for each vertex. Added numbers are 0.
static bool modeldata_set_numbers(tenon_span *array, uint32_t to, const tenon_layout *layout,
                                  const tn_change *change)
{
    uint64_t from = array->layout->stride / 4, least = from < to ? from : to;
    uint8_t *bytes = tn_change_alloc(change, array->count, 4 * (size_t)to, "an array");
    if (!bytes) return false;
    for (uint64_t i = 0; i < array->count; i++)
        memcpy(bytes + 4 * to * i, tn_span_record(array, i), (size_t)(4 * least));
    *array = (tenon_span){bytes, 4 * to * array->count, array->count, layout, true};
    return true;
}

// Convert everything to the engine's conventions: sizes in bytes, all values stored, four
// influences, tangents of three numbers, quaternions, rows, flags of 0 and 1.
static bool modeldata_adopt_engine_rules(tenon_modeldata *doc, const tn_change *change)
{
    bool are_degrees = modeldata_angles_are_degrees(doc);
    uint64_t angles = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_modeldata_mesh *m = &doc->meshes[i];
        tenon_span *tangents = &m->arrays[TENON_MODELDATA_TANGENTS];
        tenon_span *ids = &m->arrays[TENON_MODELDATA_JOINT_IDS];
        tenon_span *weights = &m->arrays[TENON_MODELDATA_WEIGHTS];
        m->size_unit = TENON_MODELDATA_BYTES;
        m->material.omits_defaults = 0;
        modeldata_value values[MODELDATA_VALUE_COUNT];
        modeldata_values(&m->material, values);
        for (int k = 0; k < MODELDATA_VALUE_COUNT; k++)
            if (*values[k].flag > INT8_MAX) *values[k].flag = 1;
        if (tangents->count && tangents->layout->stride != 12) {
            tn_change_report(change, TENON_DROPPED, "sides of tangents", tangents->count,
                             "the engine always computes the bitangent as normal x tangent");
            if (!modeldata_set_numbers(tangents, 3, &tn_layout_f32x3, change)) return false;
        }
        if (!ids->count || ids->layout->stride == 16) continue;
        if (ids->layout->stride > 16) {
            tn_change_report(change, TENON_APPROXIMATED, "influences", ids->count,
                             "the engine supports four per vertex; the largest are kept");
            uint8_t *new_ids = tn_own_bytes(change, ids);
            uint8_t *new_weights = tn_own_bytes(change, weights);
            if (!new_ids || !new_weights) return false;
            for (uint64_t v = 0; v < ids->count; v++) {
                uint32_t id[MODELDATA_INFLUENCES_MOST];
                float weight[MODELDATA_INFLUENCES_MOST];
                uint32_t count = modeldata_influences(m, v, id, weight);
                for (uint32_t k = 1; k < count; k++)
                    for (uint32_t at = k; at > 0 && weight[at] > weight[at - 1]; at--) {
                        uint32_t other_id = id[at];
                        float other_weight = weight[at];
                        id[at] = id[at - 1], weight[at] = weight[at - 1];
                        id[at - 1] = other_id, weight[at - 1] = other_weight;
                    }
                tn_copy_numbers(new_ids + ids->layout->stride * v, id, count, 4, true);
                tn_copy_numbers(new_weights + weights->layout->stride * v, weight, count, 4, true);
            }
        }
        if (!modeldata_set_numbers(ids, 4, &tn_layout_u32x4, change) ||
            !modeldata_set_numbers(weights, 4, &tn_layout_f32x4, change))
            return false;
    }
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        angles += doc->animations[i].rotation_size == 3;
        if (!modeldata_convert_angles(&doc->animations[i], are_degrees, change->arena, change->err))
            return false;
    }
    tn_change_report(change, TENON_APPROXIMATED, "rotations of three numbers", angles,
                     modeldata_angles_text(are_degrees));
    return true;
}

// Store matrices in this order. Reports a loss if the old order was only assumed.
static void modeldata_set_matrix_order(tenon_modeldata *doc, bool to_columns,
                                       const tn_change *change)
{
    if (doc->is_column_major == to_columns) return;
    if (doc->is_order_assumed && modeldata_order_matters(doc))
        tn_change_report(
            change, TENON_DEFAULTED, "matrix order", doc->joint_count,
            "cannot be detected without a translation; the usual order of the dialect was used");
    for (uint32_t i = 0; i < doc->joint_count; i++) {
        tn_stored_transpose(doc->joints[i].inverse_bind_matrix);
        tn_stored_transpose(doc->joints[i].bind_local_pose);
    }
    doc->is_column_major = to_columns;
}

// -- Change of dialect

// Flags and scale keys have different meanings in the engine and in the format's document.
static bool modeldata_change_rules(tenon_modeldata *doc, const tn_change *change)
{
    bool was_document = (doc->base.dialect->flags & TENON_MODELDATA_DOCUMENT) != 0;
    bool is_document = (change->to->flags & TENON_MODELDATA_DOCUMENT) != 0;
    uint64_t scaled = 0;
    if (was_document == is_document) return true;
    for (uint32_t i = 0; i < doc->animation_count; i++)
        for (uint32_t k = 0; k < doc->animations[i].scale_list_count; k++) {
            const tenon_span *keys = &doc->animations[i].scales[k].keys;
            bool is_scaling = false;
            for (uint64_t n = 0; n < keys->count && !is_scaling; n++) {
                float v[3];
                tn_span_vec3(keys, &keys->layout->elements[1], n, v);
                is_scaling = v[0] != 1 || v[1] != 1 || v[2] != 1;
            }
            scaled += is_scaling;
        }
    tn_change_report(change, TENON_APPROXIMATED, "lists of scale keys", scaled,
                     is_document
                         ? "the document uses them to scale joints, but the engine ignores them"
                         : "the engine ignores them");
    if (!is_document) return modeldata_adopt_engine_rules(doc, change);
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        modeldata_value values[MODELDATA_VALUE_COUNT];
        modeldata_values(&doc->meshes[i].material, values);
        for (int k = 0; k < MODELDATA_VALUE_COUNT; k++)
            if (*values[k].flag > INT8_MAX) *values[k].flag = 0;
    }
    return true;
}

bool modeldata_change(void *any, const tn_change *change)
{
    tenon_modeldata *doc = any;
    uint32_t flags = change->to->flags, ignored;
    int16_t ignored_map;
    if (change->to == doc->base.dialect) return true;
    bool becomes_static = (flags & TENON_MODELDATA_STATIC) && doc->is_animated;
    bool becomes_animated = (flags & TENON_MODELDATA_ANIMATED) && !doc->is_animated;
    if (becomes_static && !modeldata_has_meshes(doc, change->err)) return false;
    // Before anything is changed: the dialect must be able to store the size of every name.
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        for (int k = 0; k < TENON_MODELDATA_MAP_COUNT; k++)
            if (!modeldata_map_name_size(flags, doc->meshes[i].material.maps[k], &ignored_map,
                                         change->err))
                return false;
    for (uint32_t i = 0; i < doc->joint_count; i++)
        if (!modeldata_name_size(flags, doc->joints[i].name, &ignored, change->err)) return false;
    for (uint32_t i = 0; i < doc->animation_count; i++)
        if (!modeldata_name_size(flags, doc->animations[i].name, &ignored, change->err))
            return false;

    // Leftover bytes could be misread as fields in another dialect.
    tn_change_report(change, TENON_DROPPED, "leftover bytes", modeldata_count_leftovers(doc),
                     "they do not belong to any field");
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_modeldata_mesh *m = &doc->meshes[i];
        m->material.leftover = m->leftover = (tenon_span){0};
        for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++)
            m->array_leftovers[k] = (tenon_span){0};
    }
    for (uint32_t i = 0; i < doc->animation_count; i++)
        doc->animations[i].leftover = (tenon_span){0};
    doc->model_leftover = doc->skeleton_leftover = (tenon_span){0};

    if (!modeldata_change_rules(doc, change)) return false;
    modeldata_set_matrix_order(doc, (flags & TENON_MODELDATA_COLUMN_MAJOR) != 0, change);
    if (flags & TENON_MODELDATA_ORDER_FORCED) doc->is_order_assumed = false;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        doc->meshes[i].size_factor = flags & TENON_MODELDATA_LEGACY ? 4 : 1;
    if (!becomes_static && !becomes_animated) return true;

    if (becomes_static && !modeldata_bake_rest_pose(doc, change)) return false;
    uint64_t skins = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_span *ids = &doc->meshes[i].arrays[TENON_MODELDATA_JOINT_IDS];
        tenon_span *weights = &doc->meshes[i].arrays[TENON_MODELDATA_WEIGHTS];
        skins += ids->count || weights->count;
        *ids = *weights = (tenon_span){0};
    }
    static const char why[] = "not supported by static models";
    tn_change_report(change, TENON_DROPPED, "skins", skins, why);
    if (becomes_animated) return modeldata_change_to_animated(doc, change);
    tn_change_report(change, TENON_DROPPED, "joints", doc->joint_count, why);
    tn_change_report(change, TENON_DROPPED, "animations", doc->animation_count, why);
    doc->joint_count = doc->animation_count = doc->skeleton_size = doc->is_animated = 0;
    return true;
}

// -- Recovery: influences

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
    tn_path_text path = tn_path("meshes[%u].weights", mesh);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id[MODELDATA_INFLUENCES_MOST];
        float weight[MODELDATA_INFLUENCES_MOST];
        bool has_joint[MODELDATA_INFLUENCES_MOST], is_bad = true;
        uint32_t each = modeldata_influences(m, i, id, weight);
        for (uint32_t k = 0; k < each; k++) is_bad = is_bad && weight[k] == 0;
        for (uint32_t k = 0; k < each; k++) {
            has_joint[k] = modeldata_find_joint(joints, (int32_t)id[k]) != TENON_NONE;
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

// -- Recovery: keys

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
            tn_path_text path = tn_path("animations[%u].%s[%u]", animation, kinds[kind].name, i);
            if (!tn_keep_plausible(change, &lists[i].keys, modeldata_recover_key_is_plausible,
                                   &limits, path.text, tally))
                return false;
        }
    }
    return true;
}

// -- Recovery: the document

bool modeldata_recover(void *any, const tn_change *change)
{
    tenon_modeldata *doc = any;
    tn_mesh_outliers removed = {0};
    tn_filtered bad_keys = {0};
    uint32_t mesh_count = 0, animation_count = 0;
    if (!tn_view_remove_outliers(change, &modeldata_views, doc)) return false;
    uint32_t *memory =
        tn_change_alloc(change, doc->joint_count, MODELDATA_ORDER_SHARE, "the order of joints");
    if (!memory) return false;
    modeldata_order joints = modeldata_sort_joints(doc, memory);
    // In a truncated file joints may be missing, so weights for unknown joints may be correct.
    bool ok = true, has_joints = !change->is_cut && doc->is_animated && doc->joint_count;
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
            modeldata_values(&m.material, values);
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
        if (modeldata_find_joint(&joints, doc->joints[i].parent_index) == TENON_NONE)
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
