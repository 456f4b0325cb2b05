// gltf_import_accessors.c: arrays of numbers: all component types, interleaved, normalized, sparse.
// SPDX-License-Identifier: MIT

#include "formats/gltf/import/gltf_import.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <string.h>

uint32_t gltf_import_component_size(uint64_t type)
{
    static const uint32_t sizes[] = {1, 1, 2, 2, 0, 4, 4};
    return type >= GLTF_I8 && type <= GLTF_F32 ? sizes[type - GLTF_I8] : 0;
}

// -- Accessors

// Bytes from one element to the next. Columns of matrices start at multiples of 4 bytes.
static uint64_t gltf_import_accessors_element_step(const gltf_elements *e)
{
    uint64_t column = (uint64_t)e->rows * e->component_size;
    if (e->width == e->rows) return column;
    return (column + 3) / 4 * 4 * (e->width / e->rows);
}

uint32_t gltf_import_element_step(const gltf_elements *e)
{
    return (uint32_t)gltf_import_accessors_element_step(e);
}

// Bytes of an element. The last column has no padding.
static uint64_t gltf_import_accessors_element_size(const gltf_elements *e)
{
    uint64_t column = (uint64_t)e->rows * e->component_size;
    if (e->width == e->rows) return column;
    return gltf_import_accessors_element_step(e) - (column + 3) / 4 * 4 + column;
}

// The bytes of an accessor, or of its sparse indices or values: `count` elements of `size` bytes,
// which are `step` bytes apart if the view has no stride.
static bool gltf_import_accessors_open_range(gltf_importer *importer, const tn_json_value *node,
                                             uint64_t count, uint64_t size, uint64_t step,
                                             gltf_range *range)
{
    uint32_t view = gltf_import_index(importer, node, "bufferView", LIST_BUFFER_VIEWS);
    uint64_t offset = gltf_import_integer(importer, node, "byteOffset", 0);
    if (importer->builder->failed || view == TENON_NONE) return !importer->builder->failed;
    if (!gltf_import_view_bytes(importer, view, range)) return false;
    if (!range->stride) range->stride = step;
    if (range->stride < size)
        return gltf_import_fail(importer, TENON_ERR_VALUE, node,
                                "'byteStride' is %" PRIu64 ", but an element has %" PRIu64 " bytes",
                                range->stride, size);
    uint64_t left = offset < range->size ? range->size - offset : 0;
    if (size > left || count - 1 > (left - size) / range->stride)
        return gltf_import_fail(importer, TENON_ERR_VALUE, node,
                                "%" PRIu64 " elements of %" PRIu64
                                " bytes with a stride of %" PRIu64 " do not fit in the %" PRIu64
                                " bytes left",
                                count, size, range->stride, left);
    if (range->data) range->data += offset;
    range->size = left;
    return true;
}

static bool gltf_import_accessors_open_sparse(gltf_importer *importer, gltf_elements *e)
{
    const tn_json_value *sparse = gltf_import_object(importer, e->node, "sparse");
    const tn_json_value *indices = gltf_import_object(importer, sparse, "indices");
    const tn_json_value *values = gltf_import_object(importer, sparse, "values");
    if (importer->builder->failed || !sparse) return !importer->builder->failed;
    uint64_t count = gltf_import_integer(importer, sparse, "count", 0);
    uint64_t type = gltf_import_integer(importer, indices, "componentType", 0);
    bool is_index = type == GLTF_U8 || type == GLTF_U16 || type == GLTF_U32;
    if (importer->builder->failed) return false;
    if (!indices || !values || count == 0 || count > e->count)
        return gltf_import_fail(
            importer, TENON_ERR_VALUE, sparse,
            "'sparse' needs 'indices', 'values' and a 'count' from 1 to %" PRIu64 ", not %" PRIu64,
            e->count, count);
    if (!is_index)
        return gltf_import_fail(importer, TENON_ERR_VALUE, indices,
                                "'componentType' of sparse indices must be 5121, 5123 or 5125");
    e->sparse_count = count;
    e->sparse_index_size = gltf_import_component_size(type);
    uint32_t index_size = e->sparse_index_size;
    uint64_t value_size = gltf_import_accessors_element_size(e),
             step = gltf_import_accessors_element_step(e);
    if (!gltf_import_accessors_open_range(importer, indices, count, index_size, index_size,
                                          &e->sparse_indices) ||
        !gltf_import_accessors_open_range(importer, values, count, value_size, step,
                                          &e->sparse_values))
        return false;
    if (e->sparse_indices.stride && e->sparse_values.stride) return true;
    return gltf_import_fail(importer, TENON_ERR_VALUE, sparse,
                            "'indices' and 'values' require a 'bufferView'");
}

static bool gltf_import_accessors_shape(gltf_importer *importer, gltf_shape shape, gltf_elements *e)
{
    static const struct {
        const char *name;
        uint32_t width, rows;
        gltf_shape shape;
    } shapes[] = {{"SCALAR", 1, 1, GLTF_SCALAR},  {"VEC2", 2, 2, GLTF_VEC2},
                  {"VEC3", 3, 3, GLTF_VEC3},      {"VEC4", 4, 4, GLTF_VEC4},
                  {"MAT2", 4, 2, GLTF_ANY_SHAPE}, {"MAT3", 9, 3, GLTF_ANY_SHAPE},
                  {"MAT4", 16, 4, GLTF_MAT4}};
    const tn_json_value *type = tn_json_tree_get(e->node, "type");
    const char *wanted =
        shape == GLTF_VEC3_OR_4 ? "VEC3 or VEC4" : "SCALAR, VEC2 to 4 or MAT2 to 4";
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (shapes[i].shape == shape && shape != GLTF_ANY_SHAPE) wanted = shapes[i].name;
        if (!tn_json_tree_is(type, shapes[i].name)) continue;
        e->width = shapes[i].width;
        e->rows = shapes[i].rows;
    }
    bool is_vector = e->rows == e->width;
    bool is_right = e->width == (uint32_t)shape && (is_vector || shape == GLTF_MAT4);
    if (shape == GLTF_VEC3_OR_4) is_right = is_vector && (e->width == 3 || e->width == 4);
    if (shape == GLTF_ANY_SHAPE) is_right = e->width > 0;
    return is_right || gltf_import_fail(importer, TENON_ERR_VALUE, type ? type : e->node,
                                        "expected an accessor of type %s", wanted);
}

bool gltf_import_open_accessor(gltf_importer *importer, uint32_t index, gltf_shape shape,
                               gltf_elements *out)
{
    const tn_json_value *node = gltf_import_item(importer, LIST_ACCESSORS, index);
    gltf_elements e = {.node = node};
    e.count = gltf_import_integer(importer, node, "count", 0);
    uint64_t type = gltf_import_integer(importer, node, "componentType", 0);
    e.is_normalized = gltf_import_flag(importer, node, "normalized", false);
    if (importer->builder->failed || !gltf_import_accessors_shape(importer, shape, &e))
        return false;
    e.component_size = gltf_import_component_size(type);
    if (!e.component_size)
        return gltf_import_fail(
            importer, TENON_ERR_VALUE, node,
            "'componentType' is %" PRIu64 ", not one of 5120 to 5123, 5125 and 5126", type);
    if (e.count == 0)
        return gltf_import_fail(importer, TENON_ERR_VALUE, node, "'count' must be at least 1");
    e.component_type = (uint32_t)type;
    if (importer->draco && importer->draco[index].data) {
        e.bytes = importer->draco[index];
        *out = e;
        return true;
    }
    if (!gltf_import_accessors_open_range(importer, node, e.count,
                                          gltf_import_accessors_element_size(&e),
                                          gltf_import_accessors_element_step(&e), &e.bytes))
        return false;
    if (e.count >= TENON_NONE)
        return gltf_import_fail(importer, TENON_ERR_LIMIT, node,
                                "'count' is %" PRIu64 ", more than %" PRIu32, e.count,
                                TENON_NONE - 1);
    if (!gltf_import_accessors_open_sparse(importer, &e)) return false;
    *out = e;
    return true;
}

// -- Elements

static float gltf_import_accessors_load_float(const uint8_t *p, uint32_t type, bool is_normalized)
{
    static const int32_t mosts[] = {INT8_MAX, UINT8_MAX, INT16_MAX, UINT16_MAX};
    if (type == GLTF_F32) return tn_load_f32(p, false);
    if (type == GLTF_U32)
        return is_normalized ? (float)(tn_load32(p, false) / 4294967295.0)
                             : (float)tn_load32(p, false);
    int32_t value = type <= GLTF_U8 ? *p : tn_load16(p, false);
    if (type == GLTF_I8) value = (int8_t)value;
    if (type == GLTF_I16) value = (int16_t)value;
    if (!is_normalized) return (float)value;
    float unit = (float)value / (float)mosts[type - GLTF_I8];
    return unit < -1 ? -1 : unit;
}

static uint32_t gltf_import_accessors_load_integer(const uint8_t *p, uint32_t size)
{
    if (size == 1) return *p;
    return size == 2 ? tn_load16(p, false) : tn_load32(p, false);
}

typedef void decode_fn(const gltf_elements *e, const uint8_t *p, void *out);

static void gltf_import_accessors_decode_float_element(const gltf_elements *e, const uint8_t *p,
                                                       void *out)
{
    float *values = out;
    uint32_t column = (e->rows * e->component_size + 3) / 4 * 4;
    for (uint32_t k = 0; k < e->width; k++) {
        const uint8_t *at = p + (size_t)(k / e->rows) * column + k % e->rows * e->component_size;
        values[k] = gltf_import_accessors_load_float(at, e->component_type, e->is_normalized);
    }
}

static void gltf_import_accessors_decode_integer_element(const gltf_elements *e, const uint8_t *p,
                                                         void *out)
{
    uint32_t *values = out;
    for (uint32_t k = 0; k < e->width; k++)
        values[k] = gltf_import_accessors_load_integer(p + (size_t)k * e->component_size,
                                                       e->component_size);
}

static void gltf_import_accessors_decode_joint_element(const gltf_elements *e, const uint8_t *p,
                                                       void *out)
{
    uint16_t *values = out;
    for (uint32_t k = 0; k < e->width; k++)
        values[k] = (uint16_t)gltf_import_accessors_load_integer(p + (size_t)k * e->component_size,
                                                                 e->component_size);
}

// Decode all elements, which are `step` bytes apart in `out`. Inline, so that there is a loop for
// each type. Only the sparse elements if `is_copied`.
static inline void gltf_import_accessors_decode(gltf_importer *importer, const gltf_elements *e,
                                                uint8_t *out, size_t step, bool is_copied,
                                                decode_fn *decode)
{
    const uint8_t *p = is_copied ? NULL : e->bytes.data;
    for (uint64_t i = 0; p && i < e->count; i++, p += e->bytes.stride) decode(e, p, out + i * step);
    const gltf_range *indices = &e->sparse_indices, *values = &e->sparse_values;
    uint64_t before = TENON_ABSENT;
    for (uint64_t i = 0; i < e->sparse_count; i++) {
        uint64_t index = gltf_import_accessors_load_integer(indices->data + i * indices->stride,
                                                            e->sparse_index_size);
        if (index >= e->count || (before != TENON_ABSENT && index <= before)) {
            gltf_import_fail(importer, TENON_ERR_VALUE, tn_json_tree_get(e->node, "sparse"),
                             index < e->count ? "index %" PRIu64 " of %" PRIu64
                                                ": sparse indices must increase"
                                              : "sparse index %" PRIu64 ", but 'count' is %" PRIu64,
                             index, e->count);
            return;
        }
        decode(e, values->data + i * values->stride, out + index * step);
        before = index;
    }
}

// Whether decoding can be skipped. Only sparse elements can fail when they are decoded.
static bool gltf_import_accessors_skips_decoding(const gltf_importer *importer,
                                                 const gltf_elements *e)
{
    return importer->is_trial && e->sparse_count == 0;
}

void gltf_import_decode_floats(gltf_importer *importer, const gltf_elements *e, float *out,
                               uint32_t out_width)
{
    if (gltf_import_accessors_skips_decoding(importer, e)) return;
    bool is_plain = e->component_type == GLTF_F32 && out_width == e->width &&
                    e->bytes.stride == (uint64_t)e->width * e->component_size;
    if (is_plain && e->bytes.data)
        tn_copy_numbers(out, e->bytes.data, e->count * e->width, 4, false);
    gltf_import_accessors_decode(importer, e, (uint8_t *)out, out_width * sizeof *out, is_plain,
                                 gltf_import_accessors_decode_float_element);
}

// Whether to decode integers. Fails unless they are unsigned and have at most `most` bytes.
static bool gltf_import_accessors_wants_integers(gltf_importer *importer, const gltf_elements *e,
                                                 uint32_t most)
{
    bool is_whole = e->component_type == GLTF_U8 || e->component_type == GLTF_U16 ||
                    e->component_type == GLTF_U32;
    if (is_whole && e->component_size <= most && !e->is_normalized)
        return !gltf_import_accessors_skips_decoding(importer, e);
    return gltf_import_fail(importer, TENON_ERR_VALUE, e->node,
                            "expected unsigned integers of at most %" PRIu32 " bytes", most);
}

bool gltf_import_is_packed_integers(const gltf_elements *e, tenon_span *span)
{
    const tenon_layout *layout = e->component_type == GLTF_U8    ? &tn_layout_u8
                                 : e->component_type == GLTF_U16 ? &tn_layout_u16
                                 : e->component_type == GLTF_U32 ? &tn_layout_u32
                                                                 : NULL;
    uint64_t count = e->count * e->width;
    bool is_dense = e->width == e->rows && e->bytes.stride == e->width * e->component_size;
    if (!layout || !is_dense || !e->bytes.data || e->sparse_count || e->is_normalized) return false;
    *span = (tenon_span){e->bytes.data, count * e->component_size, count, layout, false};
    return true;
}

void gltf_import_decode_integers(gltf_importer *importer, const gltf_elements *e, uint32_t *out,
                                 uint32_t out_width)
{
    tenon_span packed;
    if (!gltf_import_accessors_wants_integers(importer, e, 4)) return;
    if (out_width == e->width && gltf_import_is_packed_integers(e, &packed))
        tn_span_indices(&packed, out);
    else
        gltf_import_accessors_decode(importer, e, (uint8_t *)out, out_width * sizeof *out, false,
                                     gltf_import_accessors_decode_integer_element);
}

void gltf_import_decode_joints(gltf_importer *importer, const gltf_elements *e, uint16_t *out,
                               uint32_t out_width)
{
    tenon_span packed;
    if (!gltf_import_accessors_wants_integers(importer, e, 2)) return;
    if (out_width == e->width && e->component_size == 2 &&
        gltf_import_is_packed_integers(e, &packed))
        tn_copy_numbers(out, packed.data, packed.count, 2, false);
    else
        gltf_import_accessors_decode(importer, e, (uint8_t *)out, out_width * sizeof *out, false,
                                     gltf_import_accessors_decode_joint_element);
}

// -- As they are

void gltf_import_copy_elements(const gltf_elements *e, uint8_t *out, uint32_t stride)
{
    size_t size = (size_t)gltf_import_accessors_element_size(e);
    for (uint64_t i = 0; i < e->count && e->bytes.data; i++)
        memcpy(out + i * stride, e->bytes.data + i * e->bytes.stride, size);
    for (uint64_t i = 0; i < e->sparse_count && e->sparse_values.data; i++) {
        uint64_t at = gltf_import_accessors_load_integer(
            e->sparse_indices.data + i * e->sparse_indices.stride, e->sparse_index_size);
        if (at < e->count)
            memcpy(out + at * stride, e->sparse_values.data + i * e->sparse_values.stride, size);
    }
}
