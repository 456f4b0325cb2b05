// doc_arrays.c: the public functions that read and change numbers in the arrays of documents.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "document/document.h"

#include <math.h>

const tenon_element *tenon_span_element(const tenon_span *span, const char *name)
{
    return span && name && span->layout ? tn_layout_find(span->layout, name) : NULL;
}

// The element of `name`, if records `first` to `first + count` can be addressed. NULL if not.
static const tenon_element *doc_arrays_find(const tenon_span *span, const char *name,
                                            uint64_t first, uint64_t count)
{
    const tenon_element *element = tenon_span_element(span, name);
    if (!element || span->layout->tail || first > span->count || count > span->count - first)
        return NULL;
    return element;
}

// Numbers are exact as f64, but for those of 64 bits from 2^53 on.
static double doc_arrays_load(const uint8_t *p, tenon_type type, bool big_endian)
{
    switch (type) {
    case TENON_TYPE_I16:
        return (int16_t)tn_load16(p, big_endian);
    case TENON_TYPE_U16:
        return tn_load16(p, big_endian);
    case TENON_TYPE_I32:
        return (int32_t)tn_load32(p, big_endian);
    case TENON_TYPE_U32:
        return tn_load32(p, big_endian);
    case TENON_TYPE_I64:
        return (double)(int64_t)tn_load64(p, big_endian);
    case TENON_TYPE_U64:
        return (double)tn_load64(p, big_endian);
    case TENON_TYPE_F32:
        return (double)tn_load_f32(p, big_endian);
    case TENON_TYPE_F64:
        return tn_load_f64(p, big_endian);
    default:
        return p[0];
    }
}

bool tenon_span_f32(const tenon_span *span, const char *element, uint64_t first, uint64_t count,
                    float *out)
{
    const tenon_element *e = doc_arrays_find(span, element, first, count);
    if (!e) return false;
    if (!out || count == 0) return true;
    if (e->type == TENON_TYPE_F32 && e->rows <= 1) {
        tn_span_f32(span, e, first, count, out);
        return true;
    }
    uint32_t width = tenon_type_size(e->type);
    uint64_t numbers = tn_element_size(e) / width;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *p = tn_span_record(span, first + i) + e->offset;
        for (uint64_t k = 0; k < numbers; k++)
            *out++ = tn_to_float(doc_arrays_load(p + k * width, e->type, span->big_endian));
    }
    return true;
}

bool tenon_span_u32(const tenon_span *span, const char *element, uint64_t first, uint64_t count,
                    uint32_t *out)
{
    const tenon_element *e = doc_arrays_find(span, element, first, count);
    if (!e) return false;
    uint32_t width = tenon_type_size(e->type);
    uint64_t numbers = tn_element_size(e) / width;
    for (int pass = 0; pass < 2; pass++) {  // Nothing is decoded unless everything fits.
        for (uint64_t i = 0; i < count; i++) {
            const uint8_t *p = tn_span_record(span, first + i) + e->offset;
            for (uint64_t k = 0; k < numbers; k++) {
                double value = doc_arrays_load(p + k * width, e->type, span->big_endian);
                if (pass == 0 && !(value >= 0 && value <= UINT32_MAX && value == floor(value)))
                    return false;
                if (pass == 1) out[i * numbers + k] = (uint32_t)value;
            }
        }
        if (!out) return true;
    }
    return true;
}

// -- Changing

// The smallest and the largest value of an integer type.
static void doc_arrays_range(tenon_type type, double *least, double *most)
{
    const double exact = 9007199254740992.0;  // 2^53.
    *least = type == TENON_TYPE_I16   ? INT16_MIN
             : type == TENON_TYPE_I32 ? INT32_MIN
             : type == TENON_TYPE_I64 ? -exact
                                      : 0;
    *most = type == TENON_TYPE_I16   ? INT16_MAX
            : type == TENON_TYPE_U16 ? UINT16_MAX
            : type == TENON_TYPE_I32 ? INT32_MAX
            : type == TENON_TYPE_U32 ? UINT32_MAX
            : type == TENON_TYPE_U8  ? UINT8_MAX
                                     : exact;
}

// Store a number. False if the type cannot hold it: not an integer, or out of range. A u32 that is
// not exact as an f32 is rounded, as everywhere.
static bool doc_arrays_store(uint8_t *p, tenon_type type, bool big_endian, double value)
{
    double least, most;
    float single = tn_to_float(value);
    if (type == TENON_TYPE_F32) {
        tn_copy_numbers(p, &single, 1, 4, big_endian);
        return true;
    }
    if (type == TENON_TYPE_F64) {
        tn_copy_numbers(p, &value, 1, 8, big_endian);
        return true;
    }
    doc_arrays_range(type, &least, &most);
    if (!(value >= least && value <= most && value == floor(value))) return false;
    uint64_t wide = (uint64_t)(int64_t)value;
    uint32_t bits = (uint32_t)wide;
    uint16_t half = (uint16_t)bits;
    switch (tenon_type_size(type)) {
    case 8:
        tn_copy_numbers(p, &wide, 1, 8, big_endian);
        return true;
    case 4:
        tn_copy_numbers(p, &bits, 1, 4, big_endian);
        return true;
    case 2:
        tn_copy_numbers(p, &half, 1, 2, big_endian);
        return true;
    default:
        p[0] = (uint8_t)bits;
        return true;
    }
}

// Set numbers from one of the two arrays.
static bool doc_arrays_set(tenon_doc *doc, tenon_span *span, const char *element, uint64_t first,
                           uint64_t count, const float *floats, const uint32_t *integers)
{
    const tenon_element *e = doc_arrays_find(span, element, first, count);
    if (!doc || !e || (!floats && !integers)) return false;
    uint8_t *copy = tn_arena_alloc(&doc->owner->arena, span->size, 1, NULL);
    if (!copy) return false;
    if (span->size) memcpy(copy, span->data, (size_t)span->size);
    uint32_t width = tenon_type_size(e->type);
    uint64_t numbers = tn_element_size(e) / width, at = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *p = copy + (first + i) * span->layout->stride + e->offset;
        for (uint64_t k = 0; k < numbers; k++, at++) {
            double value = floats ? (double)floats[at] : integers[at];
            if (!doc_arrays_store(p + k * width, e->type, span->big_endian, value)) return false;
        }
    }
    span->data = copy;
    return true;
}

bool tenon_span_set_f32(tenon_doc *doc, tenon_span *span, const char *element, uint64_t first,
                        uint64_t count, const float *values)
{
    return doc_arrays_set(doc, span, element, first, count, values, NULL);
}

bool tenon_span_set_u32(tenon_doc *doc, tenon_span *span, const char *element, uint64_t first,
                        uint64_t count, const uint32_t *values)
{
    return doc_arrays_set(doc, span, element, first, count, NULL, values);
}
