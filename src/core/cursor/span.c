// span.c: numbers in the file's own byte order: loading, storing, layouts, bulk decoding.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"

#include "core/cursor/wide.h"

#include <string.h>

#define TOP_BLOCK     1024
#define PATTERN_WORDS 256  // Words that are examined at once.

// -- Types

static const struct {
    const char *word;
    uint32_t size;
} types[] = {
    [TENON_TYPE_BYTES] = {"bytes", 1}, [TENON_TYPE_U8] = {"u8", 1},
    [TENON_TYPE_I16] = {"i16", 2},     [TENON_TYPE_U16] = {"u16", 2},
    [TENON_TYPE_I32] = {"i32", 4},     [TENON_TYPE_U32] = {"u32", 4},
    [TENON_TYPE_I64] = {"i64", 8},     [TENON_TYPE_U64] = {"u64", 8},
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

// -- Many numbers

bool tn_host_is_big(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 0;
}

void tn_copy_numbers(void *dst, const void *src, uint64_t count, uint32_t width, bool big_endian)
{
    if (count == 0) return;
    if (width == 1 || big_endian == tn_host_is_big()) {
        if (dst != src) memcpy(dst, src, (size_t)count * width);
        return;
    }
    uint8_t *to = dst;
    const uint8_t *from = src;
    if (width == 4) {
        tn_loops_here()->swap(to, from, count);
        return;
    }
    // Without an array, so that calls need no check of the stack. `dst` may be `src`.
    for (uint64_t i = 0; i < count; i++, to += width, from += width) {
        for (uint32_t b = 0; b < width / 2; b++) {
            uint8_t low = from[b], high = from[width - 1 - b];
            to[b] = high;
            to[width - 1 - b] = low;
        }
    }
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
PLAIN(tn_layout_f32x5, F32, 4, 5);
PLAIN(tn_layout_f32x6, F32, 4, 6);
PLAIN(tn_layout_f32x7, F32, 4, 7);
PLAIN(tn_layout_f32x8, F32, 4, 8);
PLAIN(tn_layout_u32x2, U32, 4, 2);
PLAIN(tn_layout_u32x3, U32, 4, 3);
PLAIN(tn_layout_u32x4, U32, 4, 4);
PLAIN(tn_layout_u32x5, U32, 4, 5);
PLAIN(tn_layout_u32x6, U32, 4, 6);
PLAIN(tn_layout_u32x7, U32, 4, 7);
PLAIN(tn_layout_u32x8, U32, 4, 8);

const tenon_layout *const tn_layouts_f32[TN_LAYOUTS] = {
    &tn_layout_f32,   &tn_layout_f32x2, &tn_layout_f32x3, &tn_layout_f32x4,
    &tn_layout_f32x5, &tn_layout_f32x6, &tn_layout_f32x7, &tn_layout_f32x8};
const tenon_layout *const tn_layouts_u32[TN_LAYOUTS] = {
    &tn_layout_u32,   &tn_layout_u32x2, &tn_layout_u32x3, &tn_layout_u32x4,
    &tn_layout_u32x5, &tn_layout_u32x6, &tn_layout_u32x7, &tn_layout_u32x8};

static bool span_same_element(const tenon_element *a, const tenon_element *b)
{
    return a->type == b->type && a->count == b->count && a->rows == b->rows &&
           a->offset == b->offset && strcmp(a->name, b->name) == 0;
}

bool tn_layout_equal(const tenon_layout *a, const tenon_layout *b)
{
    if (a == b) return true;
    if (!a || !b || a->stride != b->stride || a->element_count != b->element_count) return false;
    for (uint32_t i = 0; i < a->element_count; i++)
        if (!span_same_element(&a->elements[i], &b->elements[i])) return false;
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
    uint64_t whole = count;
    uint64_t size = tn_layout_measure_whole(layout, p, left, &whole, big_endian);
    return whole == count ? size : TENON_ABSENT;
}

static uint64_t span_measure_tailed(const tenon_layout *layout, const uint8_t *p, uint64_t left,
                                    uint64_t *count, bool big_endian)
{
    uint64_t count_at = layout->elements[layout->tail_count].offset;
    uint64_t pos = 0, i = 0;
    for (; i < *count && layout->stride <= left - pos; i++) {
        uint64_t tails = tn_load32(p + pos + count_at, big_endian);
        uint64_t after_record = left - pos - layout->stride;
        // A u32 times the size of one of our records: this cannot wrap, and division is slow.
        if (tails * layout->tail->stride > after_record) break;
        pos += layout->stride + tails * layout->tail->stride;
    }
    *count = i;
    return pos;
}

uint64_t tn_layout_measure_whole(const tenon_layout *layout, const uint8_t *p, uint64_t left,
                                 uint64_t *count, bool big_endian)
{
    if (layout->tail) return span_measure_tailed(layout, p, left, count, big_endian);
    uint64_t room = layout->stride ? left / layout->stride : 0;
    if (*count > room) *count = room;
    return *count * layout->stride;
}

// -- Spans

// Two loops for two widths: with the width a constant, each becomes vectors.

static uint32_t span_top_of_u16(const tenon_span *span)
{
    uint16_t block[TOP_BLOCK], top = 0;
    for (uint64_t at = 0, now; at < span->size / 2; at += now) {
        now = span->size / 2 - at < TOP_BLOCK ? span->size / 2 - at : TOP_BLOCK;
        tn_copy_numbers(block, span->data + 2 * at, now, 2, span->big_endian);
        for (uint64_t i = 0; i < now; i++) top = block[i] > top ? block[i] : top;
    }
    return top;
}

static uint32_t span_top_of_u32(const tenon_span *span)
{
    uint32_t block[TOP_BLOCK], top = 0;
    const tn_loops *loops = tn_loops_here();
    if (span->big_endian == tn_host_is_big()) return loops->top(span->data, span->size / 4);
    for (uint64_t at = 0, now; at < span->size / 4; at += now) {
        now = span->size / 4 - at < TOP_BLOCK ? span->size / 4 - at : TOP_BLOCK;
        tn_copy_numbers(block, span->data + 4 * at, now, 4, span->big_endian);
        uint32_t here = loops->top((const uint8_t *)block, now);
        top = here > top ? here : top;
    }
    return top;
}

tenon_span tn_span_of(void *numbers, uint64_t count, const tenon_layout *layout)
{
    tn_copy_numbers(numbers, numbers, count * layout->stride / 4, 4, false);
    return (tenon_span){numbers, count * layout->stride, count, layout, false};
}

uint32_t tn_span_top(const tenon_span *span)
{
    uint8_t top = 0;
    if (span->size == 0) return 0;  // A span that was not read has no layout.
    switch (tenon_type_size(span->layout->elements[0].type)) {
    case 4:
        return span_top_of_u32(span);
    case 2:
        return span_top_of_u16(span);
    default:
        for (uint64_t i = 0; i < span->size; i++) top = span->data[i] > top ? span->data[i] : top;
        return top;
    }
}

void tn_span_indices(const tenon_span *span, uint32_t *out)
{
    const uint8_t *p = span->data;
    uint64_t width = span->layout->stride;
    if (width == 4) tn_copy_numbers(out, p, span->count, 4, span->big_endian);
    if (width == 2 && span->big_endian)
        for (uint64_t i = 0; i < span->count; i++) out[i] = tn_load16(p + 2 * i, true);
    if (width == 2 && !span->big_endian)
        for (uint64_t i = 0; i < span->count; i++) out[i] = tn_load16(p + 2 * i, false);
    for (uint64_t i = 0; width == 1 && i < span->count; i++) out[i] = p[i];
}

// Gather `size` bytes of each of `count` records. The sizes that vertices are made of are constants
// here, so that they are moved without a call.
static void span_gather(uint8_t *out, const uint8_t *p, uint64_t stride, uint64_t count,
                        size_t size)
{
    switch (size) {
    case 8:
        for (uint64_t i = 0; i < count; i++, p += stride) memcpy(out + 8 * i, p, 8);
        return;
    case 12:
        for (uint64_t i = 0; i < count; i++, p += stride) memcpy(out + 12 * i, p, 12);
        return;
    case 16:
        for (uint64_t i = 0; i < count; i++, p += stride) memcpy(out + 16 * i, p, 16);
        return;
    default:
        for (uint64_t i = 0; i < count; i++, p += stride) memcpy(out + size * i, p, size);
        return;
    }
}

void tn_span_f32(const tenon_span *span, const tenon_element *element, uint64_t first,
                 uint64_t count, float *out)
{
    if (count == 0) return;
    const uint8_t *p = tn_span_record(span, first) + element->offset;
    size_t size = 4 * (size_t)element->count;
    if (size == span->layout->stride) {  // They are contiguous.
        tn_copy_numbers(out, p, count * element->count, 4, span->big_endian);
        return;
    }
    span_gather((uint8_t *)out, p, span->layout->stride, count, size);
    if (span->big_endian != tn_host_is_big())
        tn_copy_numbers(out, out, count * element->count, 4, span->big_endian);
}

// -- NaNs and infinities

// Which bits of the words of some records to look at: all of them set is infinity or NaN. Words
// that are not f32 get an exponent that matches no bits. Integer arithmetic, in the order of the
// file, so that no compiler flag and no floating-point mode can change the answer.
typedef struct exponents {
    uint32_t mask[PATTERN_WORDS], all[PATTERN_WORDS];
    uint32_t count;  // Words, of whole records.
} exponents;

static bool span_only_f32(const tenon_layout *layout)
{
    uint64_t covered = 0;
    for (uint32_t i = 0; i < layout->element_count; i++) {
        if (layout->elements[i].type != TENON_TYPE_F32) return false;
        covered += tn_element_size(&layout->elements[i]);
    }
    return covered == layout->stride;
}

// Repeat a pattern of `size` words as often as there is room.
static void span_repeat(exponents *e, uint32_t size)
{
    e->count = PATTERN_WORDS / size * size;
    for (uint32_t i = size; i < e->count; i++) {
        e->mask[i] = e->mask[i - size];
        e->all[i] = e->all[i - size];
    }
}

// The exponent of an f32, in the byte order of the file.
static uint32_t span_exponent_of(const tenon_span *span)
{
    const uint8_t big[4] = {0x7f, 0x80, 0, 0}, little[4] = {0, 0, 0x80, 0x7f};
    uint32_t mask;
    memcpy(&mask, span->big_endian ? big : little, sizeof mask);
    return mask;
}

// False if the records are too large for that, or their numbers are not whole words.
static bool span_find_exponents(const tenon_span *span, exponents *e)
{
    const tenon_layout *layout = span->layout;
    uint32_t mask = span_exponent_of(span);
    uint64_t size = layout->stride / 4;
    if (size == 0 || size > PATTERN_WORDS || layout->stride % 4) return false;
    for (uint64_t i = 0; i < size; i++) e->mask[i] = 0, e->all[i] = mask;
    for (uint32_t i = 0; i < layout->element_count; i++) {
        const tenon_element *element = &layout->elements[i];
        if (element->offset % 4) return false;
        if (element->type != TENON_TYPE_F32) continue;
        for (uint64_t k = 0; k < tn_element_size(element) / 4; k++)
            e->mask[element->offset / 4 + k] = mask;
    }
    span_repeat(e, (uint32_t)size);
    return true;
}

// Whether all floats are known to be finite. One fast pass is enough for nearly every file.
static bool span_is_clean(const tenon_span *span)
{
    exponents e;
    const tn_loops *loops = tn_loops_here();
    const uint8_t *p = span->data;
    uint64_t left = span->count * span->layout->stride / 4;
    if (span_only_f32(span->layout)) return loops->none_has_all(p, left, span_exponent_of(span));
    if (!span_find_exponents(span, &e)) return false;
    for (; left >= e.count; left -= e.count, p += 4 * (size_t)e.count)
        if (!loops->none_matches(p, e.count, e.mask, e.all)) return false;
    return loops->none_matches(p, (uint32_t)left, e.mask, e.all);
}

bool tn_all_finite(const float *values, uint64_t count)
{
    return tn_loops_here()->none_has_all((const uint8_t *)values, count, 0x7f800000u);
}

static bool span_is_not_finite(const uint8_t *record, const tenon_element *e, bool big_endian)
{
    for (uint64_t i = 0; i < tn_element_size(e) / 4; i++) {
        uint32_t bits = tn_load32(record + e->offset + 4 * i, big_endian);
        if ((bits & 0x7f800000u) == 0x7f800000u) return true;
    }
    return false;
}

static bool span_record_is_not_finite(const tenon_span *span, uint64_t index)
{
    for (uint32_t i = 0; i < span->layout->element_count; i++) {
        const tenon_element *e = &span->layout->elements[i];
        if (e->type == TENON_TYPE_F32 &&
            span_is_not_finite(tn_span_record(span, index), e, span->big_endian))
            return true;
    }
    return false;
}

uint64_t tn_span_not_finite(const tenon_span *span, uint64_t *bad_count)
{
    uint64_t first = TENON_ABSENT, bad = 0;
    if (bad_count) *bad_count = 0;
    if (span->count == 0 || span_is_clean(span)) return first;
    for (uint64_t i = 0; i < span->count; i++) {
        if (!span_record_is_not_finite(span, i)) continue;
        if (bad++ == 0) first = i;
    }
    if (bad_count) *bad_count = bad;
    return first;
}
