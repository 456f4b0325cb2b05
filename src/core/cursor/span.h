// span.h: numbers in the file's own byte order: loading, storing, layouts, bulk decoding.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_CURSOR_SPAN_H
#define TN_CORE_CURSOR_SPAN_H

#include <tenon/tenon.h>

#include <string.h>

#include "core/math/floating_point.h"

// -- Single numbers

// Shifts instead of casts: correct on every machine, and compiled to one load. Inline, since a call
// for each number would cost more than the load.

static inline uint16_t tn_load16(const uint8_t *p, bool big_endian)
{
    return (uint16_t)(big_endian ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

static inline uint32_t tn_load32(const uint8_t *p, bool big_endian)
{
    return big_endian ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                      : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static inline uint64_t tn_load64(const uint8_t *p, bool big_endian)
{
    uint64_t first = tn_load32(p, big_endian), second = tn_load32(p + 4, big_endian);
    return big_endian ? first << 32 | second : second << 32 | first;
}

static inline float tn_load_f32(const uint8_t *p, bool big_endian)
{
    uint32_t bits = tn_load32(p, big_endian);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline double tn_load_f64(const uint8_t *p, bool big_endian)
{
    uint64_t bits = tn_load64(p, big_endian);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// Whether this machine keeps the highest byte of a number first.
bool tn_host_is_big(void);

// Whether none of them is a NaN or an infinity.
bool tn_all_finite(const float *values, uint64_t count);

// Copy numbers of `width` bytes, at most 8, between the host's order and the file's, either way.
// `dst` may be `src`.
void tn_copy_numbers(void *dst, const void *src, uint64_t count, uint32_t width, bool big_endian);

// -- Layouts

// Plain arrays: one unnamed element.
extern const tenon_layout tn_layout_u8, tn_layout_u16, tn_layout_u32, tn_layout_f32,
    tn_layout_f32x2, tn_layout_f32x3, tn_layout_f32x4, tn_layout_f32x5, tn_layout_f32x6,
    tn_layout_f32x7, tn_layout_f32x8, tn_layout_u32x2, tn_layout_u32x3, tn_layout_u32x4,
    tn_layout_u32x5, tn_layout_u32x6, tn_layout_u32x7, tn_layout_u32x8;

// Those of 1 to 8 numbers, in this order.
enum { TN_LAYOUTS = 8 };
extern const tenon_layout *const tn_layouts_f32[TN_LAYOUTS], *const tn_layouts_u32[TN_LAYOUTS];

// Whether two layouts describe the same bytes in the same way.
bool tn_layout_equal(const tenon_layout *a, const tenon_layout *b);

// Bytes of one element.
uint64_t tn_element_size(const tenon_element *element);

// The element of that name, or NULL.
const tenon_element *tn_layout_find(const tenon_layout *layout, const char *name);

// Bytes that `count` records take of the `left` bytes at `p`, or TENON_ABSENT if those are too few.
uint64_t tn_layout_measure(const tenon_layout *layout, const uint8_t *p, uint64_t left,
                           uint64_t count, bool big_endian);

// Bytes of the records, at most *count, that are whole in the `left` bytes at `p`; *count becomes
// their number.
uint64_t tn_layout_measure_whole(const tenon_layout *layout, const uint8_t *p, uint64_t left,
                                 uint64_t *count, bool big_endian);

// -- Spans

// The first byte of record `index`; only for layouts without a tail.
static inline const uint8_t *tn_span_record(const tenon_span *span, uint64_t index)
{
    return span->data + index * span->layout->stride;
}

// A span of `count` records that consist of numbers of four bytes in the order of the host, which
// become little endian where they are.
tenon_span tn_span_of(void *numbers, uint64_t count, const tenon_layout *layout);

// Number `index` of a plain array of u32.
static inline uint32_t tn_span_u32(const tenon_span *span, uint64_t index)
{
    return tn_load32(span->data + 4 * index, span->big_endian);
}

// The largest of all numbers of a span whose records hold unsigned integers of one width only; 0 if
// there are none.
uint32_t tn_span_top(const tenon_span *span);

// Decode a plain array of unsigned integers of any width.
void tn_span_indices(const tenon_span *span, uint32_t *out);

// Decode `element` of `count` records from `first` on into `out`, element->count floats each.
void tn_span_f32(const tenon_span *span, const tenon_element *element, uint64_t first,
                 uint64_t count, float *out);

// The same of one record, for an element of three numbers.
static inline void tn_span_vec3(const tenon_span *span, const tenon_element *element,
                                uint64_t index, float out[3])
{
    const uint8_t *p = tn_span_record(span, index) + element->offset;
    for (int i = 0; i < 3; i++) out[i] = tn_load_f32(p + 4 * i, span->big_endian);
}

// The first record whose f32 elements hold a NaN or an infinity, or TENON_ABSENT; *bad_count (may
// be NULL) gets how many there are.
uint64_t tn_span_not_finite(const tenon_span *span, uint64_t *bad_count);

#endif  // TN_CORE_CURSOR_SPAN_H
