// modeldata_describe.c: the bytes of ModelData and AnimatedModelData files.
// SPDX-License-Identifier: MIT
//
// The size of every part is stored at the beginning of the part that contains it. Bytes that no
// field uses are kept as leftovers.

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <string.h>

const modeldata_array modeldata_arrays[TENON_MODELDATA_ARRAY_COUNT] = {
    {"vertices", "vertices_size", "vertices_leftover", &tn_layout_f32x3},
    {"texture_coordinates", "texture_coordinates_size", "texture_coordinates_leftover",
     &tn_layout_f32x2},
    {"normals", "normals_size", "normals_leftover", &tn_layout_f32x3},
    {"tangents", "tangents_size", "tangents_leftover", &tn_layout_f32x3},
    {"joint_ids", "joint_ids_size", "joint_ids_leftover", &tn_layout_u32x4},
    {"weights", "weights_size", "weights_leftover", &tn_layout_f32x4},
    {"indices", "indices_size", "indices_leftover", &tn_layout_u32},
};

const modeldata_map modeldata_maps[TENON_MODELDATA_MAP_COUNT] = {
    {"diffuse_map", "diffuse_map_bytes", TENON_SLOT_BASE_COLOR},
    {"normal_map", "normal_map_bytes", TENON_SLOT_NORMAL},
    {"specular_map", "specular_map_bytes", TENON_SLOT_SPECULAR},
    {"displacement_map", "displacement_map_bytes", TENON_SLOT_DISPLACEMENT},
    {"ambient_occlusion_map", "ambient_occlusion_map_bytes", TENON_SLOT_OCCLUSION},
    {"alpha_map", "alpha_map_bytes", TENON_SLOT_COUNT},
    {"reflection_map", "reflection_map_bytes", TENON_SLOT_COUNT},
    {"glow_map", "glow_map_bytes", TENON_SLOT_EMISSIVE},
};

static const tenon_element modeldata_vector_key[] = {
    {"time", TENON_TYPE_F32, 1, 0, 0},
    {"vec", TENON_TYPE_F32, 3, 0, 4},
};
const tenon_layout modeldata_vector_keys = {modeldata_vector_key, 2, 16, NULL, 0, NULL};

static const tenon_element modeldata_rotation_key[] = {
    {"time", TENON_TYPE_F32, 1, 0, 0},
    {"vec", TENON_TYPE_F32, 4, 0, 4},
};
const tenon_layout modeldata_rotation_keys = {modeldata_rotation_key, 2, 20, NULL, 0, NULL};

// -- Names

uint64_t modeldata_describe_bytes_of_characters(const uint8_t *p, uint64_t size, uint64_t count)
{
    uint64_t at = 0, units = 0;
    while (units < count) {
        size_t step = tn_utf8_step(p + at, (size_t)(size - at));
        if (step == 0) return TENON_ABSENT;
        at += step;
        units += step == 4 ? 2 : 1;
    }
    return units == count ? at : TENON_ABSENT;
}

uint64_t modeldata_describe_count_characters(tenon_str text)
{
    uint64_t units = 0;
    for (uint32_t at = 0; at < text.size;) {
        size_t step = tn_utf8_step(text.data + at, text.size - at);
        if (step == 0) return TENON_ABSENT;
        at += (uint32_t)step;
        units += step == 4 ? 2 : 1;
    }
    return units;
}

static uint64_t modeldata_describe_infer_bytes(tn_io *io, const void *subject)
{
    uint64_t count = *(const uint32_t *)subject, left = io->end - io->pos;
    const uint8_t *p = tn_peek(io, io->pos, left);
    uint64_t bytes = p ? modeldata_describe_bytes_of_characters(p, left, count) : TENON_ABSENT;
    if (bytes == TENON_ABSENT)
        tn_fail(io, TENON_ERR_VALUE, io->pos, "",
                "the %" PRIu64 " bytes left are not %" PRIu64 " characters of UTF-8", left, count);
    return bytes;
}

// The engine writes the size of a name in characters, but reads it as bytes. For ASCII it makes no
// difference. A text twin has no bytes to test; its dialect says what sizes count.
static void modeldata_describe_name(tn_io *io, const char *name, const char *byte_name,
                                    tenon_str *v, uint32_t size, tn_role role)
{
    bool counts_characters = (io->flags & TENON_MODELDATA_CHARACTERS) != 0;
    if (io->mode == TN_READ && !io->failed) {
        const uint8_t *p = io->source == &tn_file_source ? tn_peek(io, io->pos, size) : NULL;
        uint32_t ascii = 0;
        while (p && ascii < size && p[ascii] < 0x80) ascii++;
        if (p && ascii < size) counts_characters = tn_has(io, TENON_MODELDATA_CHARACTERS);
    }
    uint32_t bytes = v->size;
    if (counts_characters && size) {
        tn_inferred_u32(io, byte_name, &bytes, modeldata_describe_infer_bytes, &size);
        if (io->mode == TN_WRITE && modeldata_describe_count_characters(*v) != size)
            tn_fail(io, TENON_ERR_VALUE, io->pos, name,
                    "'%s' does not have the %u characters that its size says", name, size);
        size = bytes;
    }
    tn_as(io, role);
    tn_str(io, name, v, size);
}

// Unused bytes at the end of a part. A dialect without any is more likely the right one.
static void modeldata_describe_leftover(tn_io *io, const char *name, tenon_span *v)
{
    tn_rest(io, name, v);
    if (v->size) tn_doubt(io);
}

// -- Sizes of arrays

const uint8_t modeldata_unit_bytes[TENON_MODELDATA_SIZE_UNIT_COUNT][TENON_MODELDATA_ARRAY_COUNT] = {
    [TENON_MODELDATA_BYTES] = {1, 1, 1, 1, 1, 1, 1},
    [TENON_MODELDATA_NUMBERS] = {4, 4, 4, 4, 4, 4, 4},
    [TENON_MODELDATA_ELEMENTS] = {12, 8, 12, 12, 16, 16, 4},
    [TENON_MODELDATA_ELEMENTS_FLAT] = {12, 8, 12, 12, 4, 4, 4},
    [TENON_MODELDATA_TRIANGLES] = {12, 8, 12, 12, 16, 16, 12},
    [TENON_MODELDATA_TRIANGLES_FLAT] = {12, 8, 12, 12, 4, 4, 12},
};

// If sizes are not in bytes, the arrays must also have the same number of vertices: a sum alone
// could fit by chance. If they are in numbers, a tangent may have four, and a vertex may have any
// number of influences.
uint32_t modeldata_describe_find_unit(const uint32_t sizes[], uint64_t room)
{
    for (uint32_t unit = 0; unit < TENON_MODELDATA_SIZE_UNIT_COUNT; unit++) {
        uint64_t sum = 0, vertex_count = (uint64_t)modeldata_unit_bytes[unit][0] * sizes[0] / 12;
        bool fits = true;
        for (uint32_t i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++) {
            uint64_t bytes = (uint64_t)modeldata_unit_bytes[unit][i] * sizes[i];
            bool is_open = unit == TENON_MODELDATA_NUMBERS && i >= TENON_MODELDATA_TANGENTS;
            sum += bytes;
            if (unit == TENON_MODELDATA_BYTES || i == TENON_MODELDATA_INDICES || !bytes) continue;
            uint64_t each = vertex_count ? bytes / vertex_count : 0;
            fits = fits && each && each * vertex_count == bytes &&
                   (is_open ? each % 4 == 0 : each == modeldata_arrays[i].layout->stride);
        }
        if (fits && sum == room) return unit;
    }
    return TENON_MODELDATA_BYTES;
}

// Whether the last two sizes are four times too large, as in the first releases. The size of the
// mesh, which is the window, was correct.
static bool modeldata_describe_is_legacy(const tenon_modeldata_mesh *m, uint64_t left)
{
    uint64_t arrays = 0;
    for (int i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++) arrays += m->array_sizes[i];
    uint64_t last = (uint64_t)m->material_size + m->collision_shape_size;
    bool divisible = m->material_size % 4 == 0 && m->collision_shape_size % 4 == 0;
    return arrays + last != left && divisible && arrays + last / 4 == left;
}

static uint64_t modeldata_describe_infer_factor(tn_io *io, const void *subject)
{
    return modeldata_describe_is_legacy(subject, io->end - io->pos) &&
                   tn_has(io, TENON_MODELDATA_LEGACY)
               ? 4
               : 1;
}

// Bytes, unless these do not fill the mesh and another unit does.
static uint64_t modeldata_describe_infer_unit(tn_io *io, const void *subject)
{
    const tenon_modeldata_mesh *m = subject;
    uint64_t left = io->end - io->pos, last = (uint64_t)m->material_size + m->collision_shape_size;
    if (last > left || modeldata_describe_is_legacy(m, left)) return TENON_MODELDATA_BYTES;
    uint32_t unit = modeldata_describe_find_unit(m->array_sizes, left - last);
    bool is_other = unit != TENON_MODELDATA_BYTES;
    return is_other && tn_has(io, TENON_MODELDATA_DOCUMENT) ? unit : TENON_MODELDATA_BYTES;
}

// A number that only the format's document leaves open. With other dialects it is inferred from
// files as well, not from text twins, so that tn_has() notes that another dialect would differ.
static void modeldata_describe_open(tn_io *io, const char *name, uint32_t *v, tn_infer_fn *infer,
                                    const void *subject)
{
    if (io->flags & TENON_MODELDATA_DOCUMENT)
        tn_inferred_u32(io, name, v, infer, subject);
    else if (io->mode == TN_READ && !io->failed && io->source == &tn_file_source)
        *v = (uint32_t)infer(io, subject);
}

// -- Arrays

static uint64_t modeldata_describe_array_bytes(const tenon_modeldata_mesh *m, uint32_t array)
{
    return (uint64_t)modeldata_unit_bytes[m->size_unit][array] * m->array_sizes[array];
}

// The format's document does not say how many numbers a vertex has. If sizes are in bytes or
// numbers, the number of vertices shows whether a tangent has four numbers, or whether a vertex
// does not have four influences.
static const tenon_layout *modeldata_describe_layout_of(const tenon_modeldata_mesh *m,
                                                        uint32_t array)
{
    const tenon_layout *usual = modeldata_arrays[array].layout;
    uint64_t vertex_bytes = modeldata_describe_array_bytes(m, TENON_MODELDATA_VERTICES);
    uint64_t bytes = modeldata_describe_array_bytes(m, array), count = vertex_bytes / 12;
    bool is_ids = array == TENON_MODELDATA_JOINT_IDS, is_weights = array == TENON_MODELDATA_WEIGHTS;
    if (m->size_unit > TENON_MODELDATA_NUMBERS || !bytes || !count || vertex_bytes % 12 != 0 ||
        bytes == usual->stride * count)
        return usual;
    if (array == TENON_MODELDATA_TANGENTS && bytes == 16 * count) return &tn_layout_f32x4;
    uint64_t pair = modeldata_describe_array_bytes(m, is_ids ? TENON_MODELDATA_WEIGHTS
                                                             : TENON_MODELDATA_JOINT_IDS);
    uint64_t each = bytes / 4 / count;
    if ((!is_ids && !is_weights) || pair != bytes || bytes != 4 * each * count ||
        each > MODELDATA_INFLUENCES_MOST)
        return usual;
    return is_weights ? tn_layouts_f32[each - 1] : tn_layouts_u32[each - 1];
}

// -- Meshes

// Bytes from the colors to the end of the material; TENON_ABSENT if the names do not fit.
static uint64_t modeldata_describe_material_bytes(tn_io *io, const tenon_modeldata_material *m,
                                                  bool omits)
{
    modeldata_value values[MODELDATA_VALUE_COUNT];
    uint64_t at = 0;
    modeldata_values(m, values);
    for (int i = 0; i < 2; i++) at += omits && *values[i].flag ? 0 : 4 * values[i].count;
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++) {
        uint64_t size = (uint16_t)m->map_sizes[i];
        const uint8_t *p = tn_peek(io, io->pos + at, 0);
        if (!p) return TENON_ABSENT;
        if (io->flags & TENON_MODELDATA_CHARACTERS)
            size = modeldata_describe_bytes_of_characters(p, io->end - io->pos - at, size);
        if (size > io->end - io->pos - at) return TENON_ABSENT;
        at += size;
    }
    for (int i = 2; i < MODELDATA_VALUE_COUNT; i++)
        at += omits && *values[i].flag ? 0 : 4 * values[i].count;
    return at;
}

// Whether values whose flag is set are omitted: the remaining bytes are enough only for the others.
static uint64_t modeldata_describe_infer_omission(tn_io *io, const void *subject)
{
    uint64_t left = io->end - io->pos;
    uint64_t full = modeldata_describe_material_bytes(io, subject, false);
    if (full == left) return 0;
    uint64_t omitting = modeldata_describe_material_bytes(io, subject, true);
    return omitting == left && omitting != full && tn_has(io, TENON_MODELDATA_DOCUMENT);
}

// No rule for all fields is about a value that the flag replaces with the default. An omitted value
// has the engine's placeholder.
static void modeldata_describe_value(tn_io *io, const modeldata_value *value, bool omits_defaults)
{
    uint8_t flag = *value->flag;
    if (omits_defaults && flag) {
        for (uint32_t i = 0; i < value->count && io->mode == TN_READ; i++)
            value->v[i] = value->placeholder;
        return;
    }
    if (flag && (flag <= INT8_MAX || (io->flags & TENON_MODELDATA_DOCUMENT)))
        tn_as(io, TN_ROLE_JUDGED);
    tn_f32s(io, value->name, value->v, value->count);
}

static void modeldata_describe_material_fields(tn_io *io, tenon_modeldata_material *m)
{
    modeldata_value values[MODELDATA_VALUE_COUNT];
    modeldata_values(m, values);
    for (int i = 0; i < MODELDATA_VALUE_COUNT; i++) {
        if (i == 2) tn_i16s(io, "map_sizes", m->map_sizes, TENON_MODELDATA_MAP_COUNT);
        // According to the format's document, all flags above 0 are true.
        if (!(io->flags & TENON_MODELDATA_DOCUMENT)) tn_as(io, TN_ROLE_FLAG);
        tn_u8(io, values[i].flag_name, values[i].flag);
    }
    modeldata_describe_open(io, "omits_defaults", &m->omits_defaults,
                            modeldata_describe_infer_omission, m);
    for (int i = 0; i < 2; i++) modeldata_describe_value(io, &values[i], m->omits_defaults);
    for (uint32_t i = 0; i < TENON_MODELDATA_MAP_COUNT; i++)
        modeldata_describe_name(io, modeldata_maps[i].name, modeldata_maps[i].bytes_name,
                                &m->maps[i], (uint16_t)m->map_sizes[i], TN_ROLE_TEXTURE);
    for (int i = 2; i < MODELDATA_VALUE_COUNT; i++)
        modeldata_describe_value(io, &values[i], m->omits_defaults);
    modeldata_describe_leftover(io, "leftover", &m->leftover);
}

static void modeldata_describe_mesh_fields(tn_io *io, tenon_modeldata_mesh *m)
{
    for (int i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++)
        tn_u32(io, modeldata_arrays[i].size_name, &m->array_sizes[i]);
    tn_u32(io, "material_size", &m->material_size);
    tn_u32(io, "collision_shape_size", &m->collision_shape_size);
    tn_inferred_u32(io, "size_factor", &m->size_factor, modeldata_describe_infer_factor, m);
    uint32_t factor = m->size_factor ? m->size_factor : 1;
    modeldata_describe_open(io, "size_unit", &m->size_unit, modeldata_describe_infer_unit, m);
    if (m->size_unit >= TENON_MODELDATA_SIZE_UNIT_COUNT) {
        tn_fail(io, TENON_ERR_VALUE, io->pos, "size_unit", "'size_unit' is %u, at most %d",
                m->size_unit, TENON_MODELDATA_SIZE_UNIT_COUNT - 1);
        if (io->mode == TN_WRITE) return;
        m->size_unit = TENON_MODELDATA_BYTES;
    }

    for (uint32_t i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++) {
        const tenon_layout *layout = modeldata_describe_layout_of(m, i);
        if (layout != modeldata_arrays[i].layout && !(io->flags & TENON_MODELDATA_DOCUMENT)) {
            layout = modeldata_arrays[i].layout;
            (void)tn_has(io, TENON_MODELDATA_DOCUMENT);
            tn_doubt(io);
        }
        uint64_t size = modeldata_describe_array_bytes(m, i), rest = size % layout->stride;
        tn_records(io, modeldata_arrays[i].name, &m->arrays[i], size / layout->stride, layout);
        if (!rest && !m->array_leftovers[i].size) continue;
        // Too few bytes for another element.
        tn_bytes(io, modeldata_arrays[i].leftover_name, &m->array_leftovers[i], rest);
        tn_doubt(io);
    }
    if (m->material_size / factor) {
        tn_enter(io, "material");
        tn_window window = tn_window_begin(io, "", m->material_size / factor);
        modeldata_describe_material_fields(io, &m->material);
        tn_window_end(io, &window, NULL);
        tn_leave(io);
    } else {  // In a document that was read, no text is NULL.
        for (int i = 0; i < TENON_MODELDATA_MAP_COUNT && io->mode == TN_READ; i++)
            m->material.maps[i] = (tenon_str){"", 0};
    }
    if (m->collision_shape_size / factor || m->collision_shape.size) {
        tn_as(io, TN_ROLE_JUDGED);
        tn_str(io, "collision_shape", &m->collision_shape, m->collision_shape_size / factor);
    } else if (io->mode == TN_READ) {
        m->collision_shape = (tenon_str){"", 0};
    }
    modeldata_describe_leftover(io, "leftover", &m->leftover);
}

static void modeldata_describe_model_fields(tn_io *io, tenon_modeldata *doc)
{
    tn_u32(io, "mesh_count", &doc->mesh_count);
    tn_u32_array(io, "mesh_sizes", &doc->mesh_sizes, doc->mesh_count);
    tn_items(io, "meshes", &doc->meshes, &doc->mesh_count, sizeof *doc->meshes, MODELDATA_MESH_MIN);
    for (uint32_t i = 0; tn_next(io, i, doc->mesh_count); i++) {
        uint32_t outer = tn_recoverable(io);
        tn_window window = tn_window_begin(io, "", doc->mesh_sizes[i]);
        modeldata_describe_mesh_fields(io, &doc->meshes[i]);
        tn_window_end(io, &window, NULL);
        (void)tn_window_recover(io, &window, outer);
    }
}

// -- Skeleton and animations

static void modeldata_describe_skeleton_fields(tn_io *io, tenon_modeldata *doc)
{
    tn_u32(io, "joint_count", &doc->joint_count);
    tn_u32_array(io, "joint_sizes", &doc->joint_sizes, doc->joint_count);
    tn_items(io, "joints", &doc->joints, &doc->joint_count, sizeof *doc->joints,
             MODELDATA_JOINT_MIN);
    for (uint32_t i = 0; tn_next(io, i, doc->joint_count); i++) {
        tenon_modeldata_joint *joint = &doc->joints[i];
        uint32_t size = doc->joint_sizes[i];
        // The engine stores sizes of names. The format's document says sizes of joints.
        if (tn_has(io, TENON_MODELDATA_JOINT_SIZES)) {
            if (size < MODELDATA_JOINT_MIN)
                tn_fail(io, TENON_ERR_VALUE, io->pos, "",
                        "the size is %u, but a joint has at least %d bytes", size,
                        MODELDATA_JOINT_MIN);
            size = size < MODELDATA_JOINT_MIN ? 0 : size - MODELDATA_JOINT_MIN;
        }
        tn_i32(io, "index", &joint->index);
        tn_i32(io, "parent_index", &joint->parent_index);
        modeldata_describe_name(io, "name", "name_bytes", &joint->name, size, TN_ROLE_VALUE);
        tn_f32s(io, "inverse_bind_matrix", joint->inverse_bind_matrix, 16);
        tn_f32s(io, "bind_local_pose", joint->bind_local_pose, 16);
    }
    modeldata_describe_leftover(io, "skeleton_leftover", &doc->skeleton_leftover);
}

void modeldata_describe_lists(const tenon_modeldata_animation *unchanged,
                              modeldata_lists kinds[MODELDATA_LIST_KINDS])
{
    tenon_modeldata_animation *a = (tenon_modeldata_animation *)unchanged;
    const modeldata_lists all[MODELDATA_LIST_KINDS] = {
        {"positions", "position_list_count", "position_key_counts", &a->positions,
         &a->position_list_count, &a->position_key_counts},
        {"rotations", "rotation_list_count", "rotation_key_counts", &a->rotations,
         &a->rotation_list_count, &a->rotation_key_counts},
        {"scales", "scale_list_count", "scale_key_counts", &a->scales, &a->scale_list_count,
         &a->scale_key_counts},
    };
    memcpy(kinds, all, sizeof all);
}

// Rotations have three numbers if four do not fill the animation and three do.
static uint64_t modeldata_describe_infer_rotation(tn_io *io, const void *subject)
{
    const tenon_modeldata_animation *a = subject;
    uint64_t size = a->name_size, rotations = 0, left = io->end - io->pos;
    if (io->flags & TENON_MODELDATA_CHARACTERS) {
        const uint8_t *p = tn_peek(io, io->pos, 0);
        size =
            p ? modeldata_describe_bytes_of_characters(p, io->end - io->pos, size) : TENON_ABSENT;
        if (size == TENON_ABSENT) return 4;
    }
    for (uint32_t i = 0; i < a->position_list_count && size <= left; i++)
        size += 16 * (uint64_t)a->position_key_counts[i];
    for (uint32_t i = 0; i < a->scale_list_count && size <= left; i++)
        size += 16 * (uint64_t)a->scale_key_counts[i];
    for (uint32_t i = 0; i < a->rotation_list_count && rotations <= left; i++)
        rotations += a->rotation_key_counts[i];
    bool is_three = rotations && size + 20 * rotations != left && size + 16 * rotations == left;
    return is_three && tn_has(io, TENON_MODELDATA_DOCUMENT) ? 3 : 4;
}

static void modeldata_describe_animation_fields(tn_io *io, tenon_modeldata_animation *a)
{
    modeldata_lists kinds[MODELDATA_LIST_KINDS];
    modeldata_describe_lists(a, kinds);
    tn_u32(io, "name_size", &a->name_size);
    for (int k = 0; k < MODELDATA_LIST_KINDS; k++) tn_u32(io, kinds[k].count_name, kinds[k].count);
    for (int k = 0; k < MODELDATA_LIST_KINDS; k++)
        tn_u32_array(io, kinds[k].key_counts_name, kinds[k].key_counts, *kinds[k].count);
    modeldata_describe_open(io, "rotation_size", &a->rotation_size,
                            modeldata_describe_infer_rotation, a);
    modeldata_describe_name(io, "name", "name_bytes", &a->name, a->name_size, TN_ROLE_VALUE);
    for (int k = 0; k < MODELDATA_LIST_KINDS; k++) {
        bool is_vector = k != TENON_ROTATION || a->rotation_size == 3;
        tn_items(io, kinds[k].name, kinds[k].lists, kinds[k].count, sizeof **kinds[k].lists, 0);
        for (uint32_t i = 0; tn_next(io, i, *kinds[k].count); i++)
            tn_records(io, "", &(*kinds[k].lists)[i].keys, (*kinds[k].key_counts)[i],
                       is_vector ? &modeldata_vector_keys : &modeldata_rotation_keys);
    }
    modeldata_describe_leftover(io, "leftover", &a->leftover);
}

// -- Files

static uint64_t modeldata_describe_infer_kind(tn_io *io, const void *subject)
{
    (void)subject;
    if (tn_has(io, TENON_MODELDATA_ANIMATED)) return 1;
    if (tn_has(io, TENON_MODELDATA_STATIC)) return 0;
    return modeldata_looks_animated(io->src, io->end);
}

void modeldata_describe(tn_io *io, void *any)
{
    tenon_modeldata *doc = any;
    tn_inferred_u32(io, "is_animated", &doc->is_animated, modeldata_describe_infer_kind, NULL);
    if (!io->failed &&
        tn_has(io, doc->is_animated ? TENON_MODELDATA_STATIC : TENON_MODELDATA_ANIMATED))
        tn_fail(io, TENON_ERR_VALUE, io->pos, "is_animated",
                "'is_animated' is %u, which this dialect does not allow", doc->is_animated);
    if (doc->is_animated) {
        tn_u32(io, "model_size", &doc->model_size);
        tn_u32(io, "skeleton_size", &doc->skeleton_size);
        tn_u32(io, "animation_count", &doc->animation_count);
        tn_u32_array(io, "animation_sizes", &doc->animation_sizes, doc->animation_count);

        uint32_t outer = tn_recoverable(io);
        if (doc->model_size || doc->mesh_count) {
            tn_window model = tn_window_begin(io, "model", doc->model_size);
            modeldata_describe_model_fields(io, doc);
            modeldata_describe_leftover(io, "model_leftover", &doc->model_leftover);
            tn_window_end(io, &model, NULL);
            (void)tn_window_recover(io, &model, outer);
        }

        if (doc->skeleton_size || doc->joint_count) {
            outer = tn_recoverable(io);
            tn_window skeleton = tn_window_begin(io, "skeleton", doc->skeleton_size);
            modeldata_describe_skeleton_fields(io, doc);
            tn_window_end(io, &skeleton, NULL);
            (void)tn_window_recover(io, &skeleton, outer);
        }
        tn_items(io, "animations", &doc->animations, &doc->animation_count, sizeof *doc->animations,
                 MODELDATA_ANIMATION_MIN);
        for (uint32_t i = 0; tn_next(io, i, doc->animation_count); i++) {
            outer = tn_recoverable(io);
            tn_window window = tn_window_begin(io, "", doc->animation_sizes[i]);
            modeldata_describe_animation_fields(io, &doc->animations[i]);
            tn_window_end(io, &window, NULL);
            (void)tn_window_recover(io, &window, outer);
        }
    } else {
        modeldata_describe_model_fields(io, doc);
    }
    // Trials do not need the matrix order.
    if (io->mode == TN_READ && !io->skip_text) modeldata_detect_order(doc);
}

// -- Measuring

uint64_t modeldata_describe_measure(const tenon_modeldata *doc, modeldata_part part, uint32_t index,
                                    tenon_error *err)
{
    tn_io io;
    tn_io_writer(&io, NULL, NULL, err);
    io.big_endian = true;
    io.flags = doc->base.dialect->flags;
    tenon_modeldata *unchanged = (tenon_modeldata *)doc;  // WRITE mode does not change it.
    switch (part) {
    case MODELDATA_MODEL:
        modeldata_describe_model_fields(&io, unchanged);
        modeldata_describe_leftover(&io, "model_leftover", &unchanged->model_leftover);
        break;
    case MODELDATA_MESH:
        modeldata_describe_mesh_fields(&io, &unchanged->meshes[index]);
        break;
    case MODELDATA_MATERIAL:
        modeldata_describe_material_fields(&io, &unchanged->meshes[index].material);
        break;
    case MODELDATA_SKELETON:
        modeldata_describe_skeleton_fields(&io, unchanged);
        break;
    case MODELDATA_ANIMATION:
        modeldata_describe_animation_fields(&io, &unchanged->animations[index]);
        break;
    }
    return io.failed ? 0 : io.pos;
}
