// span.c: numbers in the file's own byte order: loading, storing, layouts, bulk decoding.
// SPDX-License-Identifier: MIT

#include "span.h"

#include <string.h>

#define SWAP_BLOCK 64  // Numbers turned round at once.

// -- Types

static const struct {
    const char *word;
    uint32_t size;
} types[] = {
    [TENON_TYPE_BYTES] = {"bytes", 1}, [TENON_TYPE_U8] = {"u8", 1},
    [TENON_TYPE_I16] = {"i16", 2},     [TENON_TYPE_U16] = {"u16", 2},
    [TENON_TYPE_I32] = {"i32", 4},     [TENON_TYPE_U32] = {"u32", 4},
    [TENON_TYPE_F32] = {"f32", 4},     [TENON_TYPE_F64] = {"f64", 8},
    [TENON_TYPE_STR] = {"str", 1},     [TENON_TYPE_STR32] = {"str32", 1},
    [TENON_TYPE_STRZ] = {"strz", 1},   [TENON_TYPE_RECORDS] = {"records", 1},
};

const char *tenon_type_word(tenon_type type)
{
    return (size_t)type < sizeof types / sizeof types[0] ? types[type].word : "unknown";
}

uint32_t tenon_type_size(tenon_type type)
{
    return (size_t)type < sizeof types / sizeof types[0] ? types[type].size : 1;
}

// -- Single numbers

// Shifts instead of casts: right on every machine, and compilers make one load of them.

uint16_t tn_load16(const uint8_t *p, bool big_endian)
{
    return (uint16_t)(big_endian ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

uint32_t tn_load32(const uint8_t *p, bool big_endian)
{
    return big_endian ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                      : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

uint64_t tn_load64(const uint8_t *p, bool big_endian)
{
    uint64_t first = tn_load32(p, big_endian), second = tn_load32(p + 4, big_endian);
    return big_endian ? first << 32 | second : second << 32 | first;
}

float tn_load_f32(const uint8_t *p, bool big_endian)
{
    uint32_t bits = tn_load32(p, big_endian);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

double tn_load_f64(const uint8_t *p, bool big_endian)
{
    uint64_t bits = tn_load64(p, big_endian);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

bool tn_host_is_big(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 0;
}

// Two loops, since one that turns all four bytes round is taken for a single instruction, of which
// not every machine has one for vectors: so both become vectors everywhere.
static void swap_block(uint8_t *to, const uint8_t *from)
{
    uint32_t v[SWAP_BLOCK];
    memcpy(v, from, sizeof v);
    for (int i = 0; i < SWAP_BLOCK; i++)
        v[i] = (v[i] & 0x00FF00FFu) << 8 | (v[i] >> 8 & 0x00FF00FFu);
    for (int i = 0; i < SWAP_BLOCK; i++) v[i] = v[i] << 16 | v[i] >> 16;
    memcpy(to, v, sizeof v);
}

void tn_copy_numbers(void *dst, const void *src, uint64_t count, uint32_t width, bool big_endian)
{
    if (count == 0) return;
    if (width == 1 || big_endian == tn_host_is_big()) {
        memcpy(dst, src, (size_t)count * width);
        return;
    }
    uint8_t *to = dst;
    const uint8_t *from = src;
    for (; width == 4 && count >= SWAP_BLOCK; count -= SWAP_BLOCK) {
        swap_block(to, from);
        to += 4 * SWAP_BLOCK;
        from += 4 * SWAP_BLOCK;
    }
    for (uint64_t i = 0; i < count; i++, to += width, from += width)
        for (uint32_t b = 0; b < width; b++) to[b] = from[width - 1 - b];
}

// -- Layouts

#define PLAIN(name, type, width, n)                                               \
    static const tenon_element name##_element = {"", TENON_TYPE_##type, n, 0, 0}; \
    const tenon_layout name = {&name##_element, 1, (uint64_t)(width) * (n), NULL, 0, NULL}

PLAIN(tn_layout_u8, U8, 1, 1);
PLAIN(tn_layout_u16, U16, 2, 1);
PLAIN(tn_layout_u32, U32, 4, 1);
PLAIN(tn_layout_f32, F32, 4, 1);
PLAIN(tn_layout_f32x2, F32, 4, 2);
PLAIN(tn_layout_f32x3, F32, 4, 3);
PLAIN(tn_layout_f32x4, F32, 4, 4);
PLAIN(tn_layout_u32x3, U32, 4, 3);
PLAIN(tn_layout_u32x4, U32, 4, 4);

static bool same_element(const tenon_element *a, const tenon_element *b)
{
    return a->type == b->type && a->count == b->count && a->rows == b->rows &&
           a->offset == b->offset && strcmp(a->name, b->name) == 0;
}

bool tn_layout_equal(const tenon_layout *a, const tenon_layout *b)
{
    if (a == b) return true;
    if (!a || !b || a->stride != b->stride || a->element_count != b->element_count) return false;
    for (uint32_t i = 0; i < a->element_count; i++)
        if (!same_element(&a->elements[i], &b->elements[i])) return false;
    return a->tail_count == b->tail_count && tn_layout_equal(a->tail, b->tail);
}

uint64_t tn_element_size(const tenon_element *element)
{
    uint64_t rows = element->rows ? element->rows : 1;
    return rows * element->count * tenon_type_size(element->type);
}

const tenon_element *tn_layout_find(const tenon_layout *layout, const char *name)
{
    for (uint32_t i = 0; i < layout->element_count; i++)
        if (strcmp(layout->elements[i].name, name) == 0) return &layout->elements[i];
    return NULL;
}

uint64_t tn_layout_measure(const tenon_layout *layout, const uint8_t *p, uint64_t left,
                           uint64_t count, bool big_endian)
{
    if (!layout->tail) {
        if (layout->stride == 0) return count ? TENON_ABSENT : 0;
        return count > left / layout->stride ? TENON_ABSENT : count * layout->stride;
    }
    uint64_t count_at = layout->elements[layout->tail_count].offset;
    uint64_t pos = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (layout->stride > left - pos) return TENON_ABSENT;
        uint64_t tails = tn_load32(p + pos + count_at, big_endian);
        pos += layout->stride;
        if (tails > (left - pos) / layout->tail->stride) return TENON_ABSENT;
        pos += tails * layout->tail->stride;
    }
    return pos;
}

// -- Spans

const uint8_t *tn_span_record(const tenon_span *span, uint64_t index)
{
    return span->data + index * span->layout->stride;
}

uint32_t tn_span_u32(const tenon_span *span, uint64_t index)
{
    return tn_load32(span->data + 4 * index, span->big_endian);
}

void tn_span_f32(const tenon_span *span, const tenon_element *element, uint64_t first,
                 uint64_t count, float *out)
{
    const uint8_t *p = tn_span_record(span, first) + element->offset;
    if (4 * (uint64_t)element->count == span->layout->stride) {  // Nothing lies between them.
        tn_copy_numbers(out, p, count * element->count, 4, span->big_endian);
        return;
    }
    for (uint64_t i = 0; i < count; i++, p += span->layout->stride, out += element->count)
        tn_copy_numbers(out, p, element->count, 4, span->big_endian);
}

// All exponent bits set: infinity or NaN. Integer arithmetic, so that no compiler flag and no
// floating-point mode can change the answer.
static uint64_t not_finite_in(const uint8_t *p, uint64_t count, bool big_endian)
{
    uint64_t bad = 0;
    for (uint64_t i = 0; i < count; i++)
        bad += (tn_load32(p + 4 * i, big_endian) & 0x7f800000u) == 0x7f800000u;
    return bad;
}

static bool only_f32(const tenon_layout *layout)
{
    uint64_t covered = 0;
    for (uint32_t i = 0; i < layout->element_count; i++) {
        if (layout->elements[i].type != TENON_TYPE_F32) return false;
        covered += tn_element_size(&layout->elements[i]);
    }
    return covered == layout->stride;
}

static uint64_t not_finite_in_record(const tenon_span *span, uint64_t index)
{
    const uint8_t *record = tn_span_record(span, index);
    uint64_t bad = 0;
    for (uint32_t i = 0; i < span->layout->element_count; i++) {
        const tenon_element *e = &span->layout->elements[i];
        if (e->type != TENON_TYPE_F32) continue;
        bad += not_finite_in(record + e->offset, tn_element_size(e) / 4, span->big_endian);
    }
    return bad;
}

uint64_t tn_span_not_finite(const tenon_span *span, uint64_t *bad_count)
{
    uint64_t first = TENON_ABSENT, bad = 0;
    if (bad_count) *bad_count = 0;
    // Nearly every file is clean: one pass over plain numbers says so.
    if (only_f32(span->layout) && not_finite_in(span->data, span->size / 4, span->big_endian) == 0)
        return first;
    for (uint64_t i = 0; i < span->count; i++) {
        if (not_finite_in_record(span, i) == 0) continue;
        if (bad++ == 0) first = i;
    }
    if (bad_count) *bad_count = bad;
    return first;
}
