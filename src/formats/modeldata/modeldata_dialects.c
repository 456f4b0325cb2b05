// modeldata_dialects.c: recompute sizes; convert between dialects, and between .cem and .cea.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <string.h>

#define SIZE_MOST INT32_MAX  // The engine reads sizes as signed numbers.

bool modeldata_dialects_has_meshes(const tenon_modeldata *doc, tenon_error *err)
{
    return doc->mesh_count || tn_error(err, TENON_ERR_UNSUPPORTED,
                                       "the model has no triangles: the file would be empty");
}

// -- Sizes

static bool modeldata_dialects_set_size(uint32_t *size, uint64_t value, const char *what,
                                        tenon_error *err)
{
    if (value > SIZE_MOST)
        return tn_error(err, TENON_ERR_UNSUPPORTED,
                        "%s would have %" PRIu64 " bytes, but at most %" PRId32 " are supported",
                        what, value, SIZE_MOST);
    *size = (uint32_t)value;
    return true;
}

// Measure a part and store its size.
static bool modeldata_dialects_measure_into(uint32_t *size, const tenon_modeldata *doc,
                                            modeldata_part part, uint32_t index, const char *what,
                                            tenon_error *err)
{
    uint64_t value = modeldata_describe_measure(doc, part, index, err);
    return value && modeldata_dialects_set_size(size, value, what, err);
}

// The size of a name in a dialect with these flags: in bytes or in characters.
static bool modeldata_dialects_name_size(uint32_t flags, tenon_str name, uint32_t *size,
                                         tenon_error *err)
{
    *size = name.size;
    if (!(flags & TENON_MODELDATA_CHARACTERS)) return true;
    uint64_t characters = modeldata_describe_count_characters(name);
    *size = (uint32_t)characters;
    if (characters != TENON_ABSENT) return true;
    char shown[64];
    tn_text_clean(name.data, name.size, shown, sizeof shown);
    return tn_error(err, TENON_ERR_UNSUPPORTED,
                    "cannot count the characters of '%s', which is not UTF-8", shown);
}

static bool modeldata_dialects_map_name_size(uint32_t flags, tenon_str name, int16_t *map_size,
                                             tenon_error *err)
{
    uint32_t size;
    if (!modeldata_dialects_name_size(flags, name, &size, err)) return false;
    if (size > INT16_MAX)
        return tn_error(err, TENON_ERR_UNSUPPORTED,
                        "the name of a texture has the size %" PRIu32 ", the limit is %d", size,
                        INT16_MAX);
    *map_size = (int16_t)size;
    return true;
}

static bool modeldata_dialects_finalize_mesh(tenon_modeldata *doc, uint32_t index, tenon_error *err)
{
    tenon_modeldata_mesh *m = &doc->meshes[index];
    uint32_t flags = doc->base.dialect->flags;
    bool has_sizes = m->material_size || m->collision_shape.size;
    bool is_legacy = (flags & TENON_MODELDATA_LEGACY) && m->size_factor == 4 && has_sizes;
    m->size_factor = is_legacy ? 4 : 1;
    bool has_unit =
        (flags & TENON_MODELDATA_DOCUMENT) && m->size_unit < TENON_MODELDATA_SIZE_UNIT_COUNT;
    if (!has_unit) m->size_unit = TENON_MODELDATA_BYTES;
    // After recovery an array may have incomplete elements.
    for (uint32_t i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++)
        if ((m->arrays[i].size + m->array_leftovers[i].size) %
            modeldata_describe_unit_bytes_of(m->size_unit, i))
            m->size_unit = TENON_MODELDATA_BYTES;
    for (uint32_t i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++)
        if (!modeldata_dialects_set_size(&m->array_sizes[i],
                                         (m->arrays[i].size + m->array_leftovers[i].size) /
                                             modeldata_describe_unit_bytes_of(m->size_unit, i),
                                         modeldata_array_names[i], err))
            return false;
    uint64_t material = 0;
    if (m->material_size) {
        for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++)
            if (!modeldata_dialects_map_name_size(flags, m->material.maps[i],
                                                  &m->material.map_sizes[i], err))
                return false;
        material = modeldata_describe_measure(doc, MODELDATA_MATERIAL, index, err);
        if (material == 0) return false;
    }
    uint64_t shape = m->collision_shape.size;
    return modeldata_dialects_set_size(&m->material_size, m->size_factor * material, "a material",
                                       err) &&
           modeldata_dialects_set_size(&m->collision_shape_size, m->size_factor * shape, "a shape",
                                       err) &&
           modeldata_dialects_measure_into(&doc->mesh_sizes[index], doc, MODELDATA_MESH, index,
                                           "a mesh", err);
}

static bool modeldata_dialects_finalize_animation(tenon_modeldata *doc, uint32_t index,
                                                  tn_arena *arena, tenon_error *err)
{
    tenon_modeldata_animation *a = &doc->animations[index];
    modeldata_lists kinds[MODELDATA_LIST_KINDS];
    uint32_t *counts[MODELDATA_LIST_KINDS];
    modeldata_describe_lists(a, kinds);
    for (int k = 0; k < MODELDATA_LIST_KINDS; k++) {
        uint32_t count = *kinds[k].count;
        counts[k] =
            tn_arena_alloc_or_fail(arena, count, sizeof *counts[k], "the numbers of keys", err);
        if (!counts[k]) return false;
        for (uint32_t i = 0; i < count; i++)
            counts[k][i] = (uint32_t)(*kinds[k].lists)[i].keys.count;
    }
    for (int k = 0; k < MODELDATA_LIST_KINDS; k++) *kinds[k].key_counts = counts[k];
    a->rotation_size = a->rotation_size == 3 ? 3 : 4;
    return modeldata_dialects_name_size(doc->base.dialect->flags, a->name, &a->name_size, err) &&
           modeldata_dialects_measure_into(&doc->animation_sizes[index], doc, MODELDATA_ANIMATION,
                                           index, "an animation", err);
}

bool modeldata_dialects_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_modeldata *doc = any;
    uint32_t flags = doc->base.dialect->flags;
    tenon_error ignored;
    if (!err) err = &ignored;
    doc->mesh_sizes = tn_arena_alloc_or_fail(arena, doc->mesh_count, sizeof *doc->mesh_sizes,
                                             "the sizes of meshes", err);
    if (!doc->mesh_sizes) return false;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (!modeldata_dialects_finalize_mesh(doc, i, err)) return false;
    if (!doc->is_animated) return true;
    bool has_model = doc->model_size || doc->mesh_count || doc->model_leftover.size;
    if (has_model && !modeldata_dialects_measure_into(&doc->model_size, doc, MODELDATA_MODEL, 0,
                                                      "the model", err))
        return false;

    doc->joint_sizes = tn_arena_alloc_or_fail(arena, doc->joint_count, sizeof *doc->joint_sizes,
                                              "the sizes of joints", err);
    if (!doc->joint_sizes) return false;
    for (uint32_t i = 0; i < doc->joint_count; i++) {
        uint32_t *size = &doc->joint_sizes[i];
        if (!modeldata_dialects_name_size(flags, doc->joints[i].name, size, err)) return false;
        if (flags & TENON_MODELDATA_JOINT_SIZES) *size += MODELDATA_JOINT_MIN;
    }
    if ((doc->skeleton_size || doc->joint_count) &&
        !modeldata_dialects_measure_into(&doc->skeleton_size, doc, MODELDATA_SKELETON, 0,
                                         "the skeleton", err))
        return false;

    doc->animation_sizes = tn_arena_alloc_or_fail(
        arena, doc->animation_count, sizeof *doc->animation_sizes, "the sizes of animations", err);
    if (!doc->animation_sizes) return false;
    for (uint32_t i = 0; i < doc->animation_count; i++)
        if (!modeldata_dialects_finalize_animation(doc, i, arena, err)) return false;
    return true;
}

// -- Leftovers

static void modeldata_dialects_drop_span(tenon_span *span, uint64_t *dropped)
{
    *dropped += span->size;
    *span = (tenon_span){0};
}

// Leftover bytes could be misread as fields in another dialect.
static void modeldata_dialects_drop_leftovers(tenon_modeldata *doc, const tn_change *change)
{
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_modeldata_mesh *m = &doc->meshes[i];
        for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++)
            modeldata_dialects_drop_span(&m->array_leftovers[k], &dropped);
        modeldata_dialects_drop_span(&m->material.leftover, &dropped);
        modeldata_dialects_drop_span(&m->leftover, &dropped);
    }
    for (uint32_t i = 0; i < doc->animation_count; i++)
        modeldata_dialects_drop_span(&doc->animations[i].leftover, &dropped);
    modeldata_dialects_drop_span(&doc->model_leftover, &dropped);
    modeldata_dialects_drop_span(&doc->skeleton_leftover, &dropped);
    tn_change_report(change, TENON_DROPPED, "leftover bytes", dropped,
                     "they do not belong to any field");
}

// -- Between static and animated

static void modeldata_dialects_drop_skin(tenon_modeldata *doc, const tn_change *change)
{
    uint64_t skins = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_span *ids = &doc->meshes[i].arrays[TENON_MODELDATA_JOINT_IDS];
        tenon_span *weights = &doc->meshes[i].arrays[TENON_MODELDATA_WEIGHTS];
        skins += ids->count || weights->count;
        *ids = *weights = (tenon_span){0};
    }
    tn_change_report(change, TENON_DROPPED, "skins", skins, "not supported by static models");
}

static bool modeldata_dialects_change_to_static(tenon_modeldata *doc, const tn_change *change)
{
    if (!modeldata_bake_rest_pose(doc, change)) return false;
    modeldata_dialects_drop_skin(doc, change);
    tn_change_report(change, TENON_DROPPED, "joints", doc->joint_count,
                     "not supported by static models");
    tn_change_report(change, TENON_DROPPED, "animations", doc->animation_count,
                     "not supported by static models");
    doc->joint_count = doc->animation_count = doc->skeleton_size = 0;
    doc->is_animated = 0;
    return true;
}

// An array of `count` copies of `item`, which has four numbers.
static bool modeldata_dialects_repeat(tenon_span *span, uint64_t count, const uint8_t item[16],
                                      const tenon_layout *layout, const tn_change *change)
{
    uint8_t *bytes = tn_arena_alloc_or_fail(change->arena, count, 16, "the skin", change->err);
    if (!bytes) return false;
    for (uint64_t i = 0; i < count; i++) memcpy(bytes + 16 * i, item, 16);
    *span = (tenon_span){bytes, 16 * count, count, layout, true};
    return true;
}

// The engine requires a skeleton and a skin: add one joint that does not move the vertices.
static bool modeldata_dialects_change_to_animated(tenon_modeldata *doc, const tn_change *change)
{
    static const uint8_t first_joint[16] = {0}, whole_weight[16] = {0x3F, 0x80};
    modeldata_dialects_drop_skin(doc, change);
    tenon_modeldata_joint *root =
        tn_arena_alloc_or_fail(change->arena, 1, sizeof *root, "the skeleton", change->err);
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
    tn_change_report(change, TENON_MADE_UP, "skeleton", 1,
                     "not stored in static models; one joint in the rest pose was added");
    return true;
}

// -- Change of dialect

// Whether the dialect can store the size of every name. Checked before anything is changed.
static bool modeldata_dialects_names_fit(const tenon_modeldata *doc, const tn_change *change)
{
    uint32_t flags = change->to->flags, size;
    int16_t map_size;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        for (int k = 0; k < TENON_MODELDATA_MAP_COUNT; k++)
            if (!modeldata_dialects_map_name_size(flags, doc->meshes[i].material.maps[k], &map_size,
                                                  change->err))
                return false;
    for (uint32_t i = 0; i < doc->joint_count; i++)
        if (!modeldata_dialects_name_size(flags, doc->joints[i].name, &size, change->err))
            return false;
    for (uint32_t i = 0; i < doc->animation_count; i++)
        if (!modeldata_dialects_name_size(flags, doc->animations[i].name, &size, change->err))
            return false;
    return true;
}

// Flags and scale keys have different meanings in the engine and in the format's document.
static bool modeldata_dialects_change_rules(tenon_modeldata *doc, const tn_change *change)
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
    if (!is_document) return modeldata_conventions_adopt_engine_rules(doc, change);
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        uint8_t *flags[MODELDATA_VALUE_COUNT];
        modeldata_conventions_default_flags(&doc->meshes[i].material, flags);
        for (int k = 0; k < MODELDATA_VALUE_COUNT; k++)
            if (*flags[k] > INT8_MAX) *flags[k] = 0;
    }
    return true;
}

bool modeldata_change(void *any, const tn_change *change)
{
    tenon_modeldata *doc = any;
    uint32_t flags = change->to->flags;
    if (change->to == doc->base.dialect) return true;
    bool becomes_static = (flags & TENON_MODELDATA_STATIC) && doc->is_animated;
    if (becomes_static && !modeldata_dialects_has_meshes(doc, change->err)) return false;
    if (!modeldata_dialects_names_fit(doc, change)) return false;
    modeldata_dialects_drop_leftovers(doc, change);
    if (!modeldata_dialects_change_rules(doc, change)) return false;
    modeldata_conventions_set_matrix_order(doc, (flags & TENON_MODELDATA_COLUMN_MAJOR) != 0,
                                           change);
    if (flags & TENON_MODELDATA_ORDER_FORCED) doc->is_order_assumed = false;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        doc->meshes[i].size_factor = flags & TENON_MODELDATA_LEGACY ? 4 : 1;
    if (becomes_static) return modeldata_dialects_change_to_static(doc, change);
    if ((flags & TENON_MODELDATA_ANIMATED) && !doc->is_animated)
        return modeldata_dialects_change_to_animated(doc, change);
    return true;
}
