// obj_parse_plain.c: fast paths for the most frequent form of OBJ statements.
// SPDX-License-Identifier: MIT
//
// A statement is plain if it has one or two blanks between words, numbers without an exponent, and
// positive indices. All others are left to obj_parse_text.c and obj_parse.c; so is the end of the
// text, because these functions read ahead.

#include "formats/obj/import/obj_parse.h"

#include "core/text/number_short.h"

#define ROOM        32  // Bytes that are read ahead at most.
#define WHOLE_MOST  7   // Digits before the point.
#define GROUPS_MOST 63  // Groups of eight bytes in a line: the count of words is in one byte.
#define EACH        0x0101010101010101u
#define HIGH        0x8080808080808080u

static inline bool obj_parse_plain_is_break(char c)
{
    return c == '\n' || c == '\r';
}

static inline bool obj_parse_plain_ends_word(char c)
{
    return c == ' ' || obj_parse_plain_is_break(c);
}

// -- Numbers

static const uint32_t powers[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Parse digits with an optional minus sign and decimal point. Returns the end of the number; NULL
// if the text is not of this form.
static inline const char *obj_parse_plain_number(const char *p, float *out)
{
    bool is_negative = *p == '-';
    const char *first = p + is_negative;
    uint64_t digits = 0;
    uint32_t fraction = 0, part;
    for (p = first; *p >= '0' && *p <= '9' && p - first < WHOLE_MOST; p++)
        digits = 10 * digits + (uint64_t)(*p - '0');
    uint32_t whole = (uint32_t)(p - first);
    if (whole == 0 || (whole > 1 && *first == '0')) return NULL;
    if (*p == '.') {
        fraction = short_digits8(++p, &part);
        if (fraction == 0) return NULL;
        digits = digits * powers[fraction] + part;
        p += fraction;
    }
    if (fraction == 8) {
        uint32_t more = short_digits8(p, &part);
        digits = digits * powers[more] + part;
        fraction += more;
        p += more;
    }
    if (whole + fraction > SHORT_DIGITS || !obj_parse_plain_ends_word(*p)) return NULL;
    return short_f32((short_decimal){digits, fraction, is_negative}, out) ? p : NULL;
}

uint32_t obj_parse_plain_numbers(obj_text *text, uint32_t least, uint32_t most, float *out)
{
    const char *p = text->data + text->pos, *end = text->data + text->size;
    uint32_t count = 0;
    while (end - p >= ROOM && *p == ' ') {
        p++;
        if (*p == ' ') p++;  // Some programs write two after the key, or one at the end.
        if (obj_parse_plain_is_break(*p)) break;
        if (count == most || !(p = obj_parse_plain_number(p, &out[count++]))) return 0;
    }
    if (count < least || p == end || !obj_parse_plain_is_break(*p)) return 0;
    text->pos = (uint64_t)(p - text->data);
    return count;
}

// -- Corners

// An index from 1 to `count`, of at most seven digits. *index is counted from 0.
static inline bool obj_parse_plain_index(const char **p, uint32_t count, uint32_t *index)
{
    uint32_t value, size = short_digits8(*p, &value);
    if (size == 0 || size == 8 || value - 1 >= count) return false;
    *p += size;
    *index = value - 1;
    return true;
}

// "7", "7/7", "7//7" or "7/7/7". Returns its end; NULL if it is something else.
static inline const char *obj_parse_plain_corner(const char *p, const obj_model *model,
                                                 obj_corner *corner)
{
    *corner = (obj_corner){TENON_NONE, TENON_NONE, TENON_NONE};
    if (!obj_parse_plain_index(&p, model->position_count, &corner->v)) return NULL;
    if (*p == '/') {
        p++;
        if (*p != '/' && !obj_parse_plain_index(&p, model->uv_count, &corner->vt)) return NULL;
        if (*p == '/') {
            p++;
            if (!obj_parse_plain_index(&p, model->normal_count, &corner->vn)) return NULL;
        }
    }
    return obj_parse_plain_ends_word(*p) ? p : NULL;
}

void obj_parse_plain_corners(obj_text *text, obj_model *model)
{
    const char *p = text->data + text->pos, *end = text->data + text->size;
    obj_corner *corner = model->corners + model->corner_count;
    const obj_corner *last = model->corners + model->corner_room;
    while (corner < last && end - p >= ROOM && *p == ' ') {
        const char *next = obj_parse_plain_corner(p + 1 + (p[1] == ' '), model, corner);
        if (!next) break;
        corner++;
        p = next;
    }
    model->corner_count = (uint32_t)(corner - model->corners);
    text->pos = (uint64_t)(p - text->data);
}

// -- Counting

// The highest bit of each byte that is 0. All bytes must be below 128.
static inline uint64_t obj_parse_plain_zeros_of(uint64_t bytes)
{
    return ~(bytes + 0x7F * EACH) & HIGH;
}

// Handles eight bytes at a time. A word begins after a blank. The first byte that is above '9', a
// control character or '#' ends the line; it must be a line break.
uint64_t obj_parse_plain_words(obj_text *text)
{
    const char *p = text->data + text->pos, *end = text->data + text->size;
    uint64_t begun = 0, was_blank = 0;
    for (int group = 0; group < GROUPS_MOST && end - p >= 8; group++, p += 8) {
        uint64_t x = tn_load64((const uint8_t *)p, false) ^ ' ' * EACH;
        uint64_t hash = x ^ ('#' ^ ' ') * EACH;
        uint64_t odd = ((x + (0x7F - ('9' ^ ' ')) * EACH) | x | ((hash - EACH) & ~hash)) & HIGH;
        uint64_t below = odd ? (odd & (0 - odd)) - 1 : UINT64_MAX;
        uint64_t blank = obj_parse_plain_zeros_of(x);
        begun += ((blank << 8 | was_blank) & ~blank & below & HIGH) >> 7;
        was_blank = blank >> 56;
        if (!odd) continue;
        p += short_trailing_zeros(odd) / 8;
        if (!obj_parse_plain_is_break(*p)) return TENON_ABSENT;
        text->pos = (uint64_t)(p - text->data);
        return (begun * EACH) >> 56;
    }
    return TENON_ABSENT;
}
