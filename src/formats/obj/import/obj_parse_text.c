// obj_parse_text.c: words, numbers and statements of OBJ and MTL.
// SPDX-License-Identifier: MIT

#include "formats/obj/obj_format.h"

#include "core/text/number.h"
#include "core/text/number_short.h"
#include "core/text/text.h"

#include <string.h>

#define NUMBER_MOST 512                 // Bytes of the longest number.
#define LINE_NEAR   256                 // Bytes that are searched for the end of a line at once.
#define RETURN_NEAR ((size_t)32 << 10)  // The same for a carriage return: fits into a cache.

// -- Lines

uint64_t obj_text_size(const char *data, uint64_t size)
{
    uint64_t end = size;
    while (end > 0 && (data[end - 1] == '\n' || data[end - 1] == '\r')) end--;
    return end > 0 && data[end - 1] == '\0' ? end - 1 : size;
}

obj_text obj_text_begin(const char *data, uint64_t size)
{
    bool has_mark = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0;
    size = obj_text_size(data, size);
    return (obj_text){.data = data, .size = size, .pos = has_mark ? 3 : 0, .line = 1};
}

// The size of the line break at `pos`: LF, CR LF or CR; 0 if there is none.
static uint32_t obj_break_size(const obj_text *text, uint64_t pos)
{
    if (pos >= text->size || (text->data[pos] != '\n' && text->data[pos] != '\r')) return 0;
    return text->data[pos] == '\r' && pos + 1 < text->size && text->data[pos + 1] == '\n' ? 2 : 1;
}

static void obj_skip_break(obj_text *text, uint32_t size)
{
    text->pos += size;
    text->line++;
    text->line_start = text->pos;
}

// Classes of characters that can end a word; 0 for all others.
enum { BLANK = 1, BREAK, BACKSLASH };

static const uint8_t classes[256] = {
    [' '] = BLANK,  ['\t'] = BLANK, ['\v'] = BLANK,     ['\f'] = BLANK,
    ['\n'] = BREAK, ['\r'] = BREAK, ['\\'] = BACKSLASH,
};

static inline uint8_t obj_class_of(char c)
{
    return classes[(uint8_t)c];
}

// A backslash at the end of a line.
static bool obj_is_continuation(const obj_text *text, uint64_t pos)
{
    return text->data[pos] == '\\' && obj_break_size(text, pos + 1);
}

static void obj_skip_to_break(obj_text *text)
{
    while (text->pos < text->size && obj_class_of(text->data[text->pos]) != BREAK) text->pos++;
}

// The end of the word at `pos`.
static inline uint64_t obj_end_of_word(const obj_text *text, uint64_t pos)
{
    const char *data = text->data;
    for (uint64_t size = text->size;; pos++) {
        while (pos < size && !obj_class_of(data[pos])) pos++;
        bool is_inside =
            pos < size && obj_class_of(data[pos]) == BACKSLASH && !obj_is_continuation(text, pos);
        if (!is_inside) return pos;
    }
}

// Go to the next word of the statement. Returns false if there is none.
static inline bool obj_find_word(obj_text *text)
{
    for (; text->pos < text->size; text->pos++) {
        uint8_t class = obj_class_of(text->data[text->pos]);
        while (class == BACKSLASH && obj_is_continuation(text, text->pos)) {
            text->pos++;
            obj_skip_break(text, obj_break_size(text, text->pos));
            class = text->pos < text->size ? obj_class_of(text->data[text->pos]) : 0;
        }
        if (class != BLANK) break;
    }
    if (text->pos == text->size || obj_class_of(text->data[text->pos]) == BREAK) return false;
    if (text->data[text->pos] != '#') return true;
    obj_skip_to_break(text);
    return false;
}

bool obj_next_word(obj_text *text, obj_word *word)
{
    if (!obj_find_word(text)) return false;
    uint64_t start = text->pos;
    text->pos = obj_end_of_word(text, start);
    *word = (obj_word){text->data + start, (uint32_t)(text->pos - start), start, text->line,
                       start - text->line_start + 1};
    return true;
}

uint64_t obj_count_words(obj_text *text)
{
    uint64_t count = 0;
    for (; obj_find_word(text); count++) text->pos = obj_end_of_word(text, text->pos);
    return count;
}

// The position after the end of the line, if it is near and the statement ends there; else 0.
static inline uint64_t obj_end_of_plain_line(obj_text *text)
{
    uint64_t left = text->size - text->pos;
    size_t near = left < LINE_NEAR ? (size_t)left : LINE_NEAR;
    const char *start = text->data + text->pos, *found = near ? memchr(start, '\n', near) : NULL;
    if (!found) return 0;
    const char *end = found > start && found[-1] == '\r' ? found - 1 : found;
    if (end > start && end[-1] == '\\') return 0;
    // There must be no carriage return in the line. Most texts have none, so a large block is
    // searched at once.
    uint64_t line_end = (uint64_t)(end - text->data);
    if (text->plain < line_end) {
        size_t size = left < RETURN_NEAR ? (size_t)left : RETURN_NEAR;
        const char *other = memchr(start, '\r', size);
        text->plain = text->pos + (other ? (uint64_t)(other - start) : size);
    }
    return text->plain >= line_end ? (uint64_t)(found + 1 - text->data) : 0;
}

bool obj_skip_line(obj_text *text)
{
    uint64_t end = obj_end_of_plain_line(text);
    if (end) {
        obj_skip_break(text, (uint32_t)(end - text->pos));
        return true;
    }
    (void)obj_count_words(text);
    if (text->pos == text->size) return false;
    obj_skip_break(text, obj_break_size(text, text->pos));
    return true;
}

// -- The remainder of a statement

// The remainder of the line, without blanks around it.
static tenon_str obj_next_piece(obj_text *text, bool *is_continued)
{
    while (text->pos < text->size && obj_class_of(text->data[text->pos]) == BLANK) text->pos++;
    uint64_t start = text->pos;
    obj_skip_to_break(text);
    uint64_t end = text->pos;
    *is_continued = end > start && text->pos < text->size && text->data[end - 1] == '\\';
    if (*is_continued) end--;
    while (end > start && obj_class_of(text->data[end - 1]) == BLANK) end--;
    return (tenon_str){text->data + start, (uint32_t)(end - start)};
}

bool obj_remainder(obj_text *text, tn_arena *arena, tenon_str *rest)
{
    bool is_continued;
    *rest = obj_next_piece(text, &is_continued);
    if (!is_continued) return true;
    obj_text ahead = *text;
    uint64_t room = rest->size;  // At most: all pieces, with a blank before each.
    for (bool has_more = true; has_more;) {
        obj_skip_break(&ahead, obj_break_size(&ahead, ahead.pos));
        room += 1 + obj_next_piece(&ahead, &has_more).size;
    }
    char *joined = tn_arena_alloc(arena, room, 1, NULL);
    if (!joined) return false;
    memcpy(joined, rest->data, rest->size);
    rest->data = joined;
    while (is_continued) {
        obj_skip_break(text, obj_break_size(text, text->pos));
        tenon_str piece = obj_next_piece(text, &is_continued);
        if (piece.size >= room - rest->size) break;
        if (rest->size && piece.size) joined[rest->size++] = ' ';
        memcpy(joined + rest->size, piece.data, piece.size);
        rest->size += piece.size;
    }
    return true;
}

// What programs print for NaN and infinity: nan, -inf, Infinity, 1.#IND.
static bool obj_is_not_finite(const obj_word *word)
{
    static const char *const words[] = {"nan", "inf", "infinity", "1.#inf", "1.#ind", "1.#qnan"};
    char text[12] = "";
    uint32_t sign = word->text[0] == '-' || word->text[0] == '+';
    if (word->size - sign >= sizeof text) return false;
    memcpy(text, word->text + sign, word->size - sign);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (tn_same_word(text, words[i])) return true;
    return strncmp(text, "1.#", 3) == 0 || tn_same_word(text, "nan(ind)");
}

obj_number_result obj_parse_number(const obj_word *word, float *out)
{
    char json[NUMBER_MOST];
    bool is_long = word->size + 2 > NUMBER_MOST;
    if (tn_f32_parse(word->text, word->size, out)) return OBJ_NUMBER;
    if (obj_is_not_finite(word)) return OBJ_NOT_FINITE;
    size_t size = is_long ? 0 : tn_number_spell(word->text, word->size, json), end;
    if (size && tn_f32_parse(json, size, out)) return OBJ_NUMBER;
    return size && tn_number_scan(json, size, &end) && end == size ? OBJ_TOO_LARGE : OBJ_NO_NUMBER;
}

// -- Numbers and statements

bool obj_is(const obj_word *word, const char *text)
{
    return strlen(text) == word->size && memcmp(word->text, text, word->size) == 0;
}

obj_key obj_key_of(const obj_word *word)
{
    static const struct {
        const char *word;
        obj_key key;
    } keys[] = {
        {"v", OBJ_V},           {"f", OBJ_F},
        {"vt", OBJ_VT},         {"vn", OBJ_VN},
        {"l", OBJ_L},           {"p", OBJ_P},
        {"o", OBJ_O},           {"g", OBJ_G},
        {"s", OBJ_S},           {"usemtl", OBJ_USEMTL},
        {"mtllib", OBJ_MTLLIB}, {"fo", OBJ_F},  // The key of faces before 1990.
    };
    static const char *const free_form[] = {"vp",    "cstype", "deg",  "bmat",  "step", "curv",
                                            "curv2", "surf",   "parm", "trim",  "hole", "scrv",
                                            "sp",    "end",    "con",  "ctech", "stech"};
    static const char *const display[] = {"mg",        "bevel",  "c_interp", "d_interp",
                                          "lod",       "maplib", "usemap",   "shadow_obj",
                                          "trace_obj", "call",   "csh"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (obj_is(word, keys[i].word)) return keys[i].key;
    for (size_t i = 0; i < sizeof free_form / sizeof free_form[0]; i++)
        if (obj_is(word, free_form[i])) return OBJ_FREE_FORM;
    for (size_t i = 0; i < sizeof display / sizeof display[0]; i++)
        if (obj_is(word, display[i])) return OBJ_DISPLAY;
    return OBJ_UNKNOWN;
}

// -- Plain statements: fast paths for the most frequent form
//
// A statement is plain if it has one or two blanks between words, numbers without an exponent, and
// positive indices. All others are left to the functions above and obj_parse.c; so is the end of
// the text, because these functions read ahead.

#define ROOM        32  // Bytes that are read ahead at most.
#define WHOLE_MOST  7   // Digits before the point.
#define GROUPS_MOST 63  // Groups of eight bytes in a line: the count of words is in one byte.
#define EACH        0x0101010101010101u
#define HIGH        0x8080808080808080u

static inline bool obj_is_break(char c)
{
    return c == '\n' || c == '\r';
}

static inline bool obj_ends_plain_word(char c)
{
    return c == ' ' || obj_is_break(c);
}

static const uint32_t powers[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Parse digits with an optional minus sign and decimal point. Returns the end of the number; NULL
// if the text is not of this form.
static inline const char *obj_plain_number(const char *p, float *out)
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
    if (whole + fraction > SHORT_DIGITS || !obj_ends_plain_word(*p)) return NULL;
    return short_f32((short_decimal){digits, fraction, is_negative}, out) ? p : NULL;
}

uint32_t obj_plain_numbers(obj_text *text, uint32_t least, uint32_t most, float *out)
{
    const char *p = text->data + text->pos, *end = text->data + text->size;
    uint32_t count = 0;
    while (end - p >= ROOM && *p == ' ') {
        p++;
        if (*p == ' ') p++;  // Some programs write two after the key, or one at the end.
        if (obj_is_break(*p)) break;
        if (count == most || !(p = obj_plain_number(p, &out[count++]))) return 0;
    }
    if (count < least || p == end || !obj_is_break(*p)) return 0;
    text->pos = (uint64_t)(p - text->data);
    return count;
}

// An index from 1 to `count`, of at most seven digits. *index is counted from 0.
static inline bool obj_plain_index(const char **p, uint32_t count, uint32_t *index)
{
    uint32_t value, size = short_digits8(*p, &value);
    if (size == 0 || size == 8 || value - 1 >= count) return false;
    *p += size;
    *index = value - 1;
    return true;
}

// "7", "7/7", "7//7" or "7/7/7". Returns its end; NULL if it is something else.
static inline const char *obj_plain_corner(const char *p, const obj_model *model,
                                           obj_corner *corner)
{
    *corner = (obj_corner){TENON_NONE, TENON_NONE, TENON_NONE};
    if (!obj_plain_index(&p, model->position_count, &corner->v)) return NULL;
    if (*p == '/') {
        p++;
        if (*p != '/' && !obj_plain_index(&p, model->uv_count, &corner->vt)) return NULL;
        if (*p == '/') {
            p++;
            if (!obj_plain_index(&p, model->normal_count, &corner->vn)) return NULL;
        }
    }
    return obj_ends_plain_word(*p) ? p : NULL;
}

void obj_plain_corners(obj_text *text, obj_model *model)
{
    const char *p = text->data + text->pos, *end = text->data + text->size;
    obj_corner *corner = model->corners + model->corner_count;
    const obj_corner *last = model->corners + model->corner_room;
    while (corner < last && end - p >= ROOM && *p == ' ') {
        const char *next = obj_plain_corner(p + 1 + (p[1] == ' '), model, corner);
        if (!next) break;
        corner++;
        p = next;
    }
    model->corner_count = (uint32_t)(corner - model->corners);
    text->pos = (uint64_t)(p - text->data);
}

// Handles eight bytes at a time. A word begins after a blank. The first byte that is above '9', a
// control character or '#' ends the line; it must be a line break.
uint64_t obj_plain_words(obj_text *text)
{
    const char *p = text->data + text->pos, *end = text->data + text->size;
    uint64_t begun = 0, was_blank = 0;
    for (int group = 0; group < GROUPS_MOST && end - p >= 8; group++, p += 8) {
        uint64_t x = tn_load64((const uint8_t *)p, false) ^ ' ' * EACH;
        uint64_t hash = x ^ ('#' ^ ' ') * EACH;
        uint64_t odd = ((x + (0x7F - ('9' ^ ' ')) * EACH) | x | ((hash - EACH) & ~hash)) & HIGH;
        uint64_t below = odd ? (odd & (0 - odd)) - 1 : UINT64_MAX;
        uint64_t blank = ~(x + 0x7F * EACH) & HIGH;  // Of bytes that are 0, if all are below 128.
        begun += ((blank << 8 | was_blank) & ~blank & below & HIGH) >> 7;
        was_blank = blank >> 56;
        if (!odd) continue;
        p += short_trailing_zeros(odd) / 8;
        if (!obj_is_break(*p)) return TENON_ABSENT;
        text->pos = (uint64_t)(p - text->data);
        return (begun * EACH) >> 56;
    }
    return TENON_ABSENT;
}
