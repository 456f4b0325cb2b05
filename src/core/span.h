// span.h: numbers in the file's own byte order: loading, storing, layouts, bulk decoding.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_SPAN_H
#define TN_CORE_SPAN_H

#include <tenon/tenon.h>

// -- Single numbers

uint16_t tn_load16(const uint8_t *p, bool big_endian);
uint32_t tn_load32(const uint8_t *p, bool big_endian);
uint64_t tn_load64(const uint8_t *p, bool big_endian);
float tn_load_f32(const uint8_t *p, bool big_endian);
double tn_load_f64(const uint8_t *p, bool big_endian);

// Whether this machine keeps the highest byte of a number first.
bool tn_host_is_big(void);

// Copy numbers of `width` bytes between the host's order and the file's, either way.
void tn_copy_numbers(void *dst, const void *src, uint64_t count, uint32_t width, bool big_endian);

// -- Layouts

// Plain arrays: one unnamed element.
extern const tenon_layout tn_layout_u8, tn_layout_u16, tn_layout_u32, tn_layout_f32,
    tn_layout_f32x2, tn_layout_f32x3, tn_layout_f32x4, tn_layout_u32x3, tn_layout_u32x4;

// Whether two layouts describe the same bytes in the same way.
bool tn_layout_equal(const tenon_layout *a, const tenon_layout *b);

// Bytes of one element.
uint64_t tn_element_size(const tenon_element *element);

// The element of that name, or NULL.
const tenon_element *tn_layout_find(const tenon_layout *layout, const char *name);

// Bytes that `count` records take of the `left` bytes at `p`, or TENON_ABSENT if those are too few.
uint64_t tn_layout_measure(const tenon_layout *layout, const uint8_t *p, uint64_t left,
                           uint64_t count, bool big_endian);

// -- Spans

// The first byte of record `index`; only for layouts without a tail.
const uint8_t *tn_span_record(const tenon_span *span, uint64_t index);

// Number `index` of a plain array of u32.
uint32_t tn_span_u32(const tenon_span *span, uint64_t index);

// Decode `element` of `count` records from `first` on into `out`, element->count floats each.
void tn_span_f32(const tenon_span *span, const tenon_element *element, uint64_t first,
                 uint64_t count, float *out);

// The first record whose f32 elements hold a NaN or an infinity, or TENON_ABSENT; *bad_count (may
// be NULL) gets how many there are.
uint64_t tn_span_not_finite(const tenon_span *span, uint64_t *bad_count);

#endif  // TN_CORE_SPAN_H
