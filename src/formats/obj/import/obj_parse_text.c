// obj_parse_text.c: words, numbers and statements of OBJ and MTL.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_parse.h"

#include "core/text/number.h"
#include "core/text/text.h"

#include <string.h>

#define NUMBER_MOST 512                 // Bytes of the longest number.
#define LINE_NEAR   256                 // Bytes that are searched for the end of a line at once.
#define RETURN_NEAR ((size_t)32 << 10)  // The same for a carriage return: fits into a cache.

// -- Lines

uint64_t obj_parse_text_size(const char *data, uint64_t size)
{
    uint64_t end = size;
    while (end > 0 && (data[end - 1] == '\n' || data[end - 1] == '\r')) end--;
    return end > 0 && data[end - 1] == '\0' ? end - 1 : size;
}

obj_text obj_parse_text_begin(const char *data, uint64_t size)
{
    bool has_mark = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0;
    size = obj_parse_text_size(data, size);
    return (obj_text){.data = data, .size = size, .pos = has_mark ? 3 : 0, .line = 1};
}

// The size of the line break at `pos`: LF, CR LF or CR; 0 if there is none.
static uint32_t obj_parse_text_break_size(const obj_text *text, uint64_t pos)
{
    if (pos >= text->size || (text->data[pos] != '\n' && text->data[pos] != '\r')) return 0;
    return text->data[pos] == '\r' && pos + 1 < text->size && text->data[pos + 1] == '\n' ? 2 : 1;
}

static void obj_parse_text_skip_break(obj_text *text, uint32_t size)
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

static inline uint8_t obj_parse_text_class_of(char c)
{
    return classes[(uint8_t)c];
}

// A backslash at the end of a line.
static bool obj_parse_text_is_continuation(const obj_text *text, uint64_t pos)
{
    return text->data[pos] == '\\' && obj_parse_text_break_size(text, pos + 1);
}

static void obj_parse_text_skip_to_break(obj_text *text)
{
    while (text->pos < text->size && obj_parse_text_class_of(text->data[text->pos]) != BREAK)
        text->pos++;
}

static inline void obj_parse_text_skip_blanks(obj_text *text)
{
    for (; text->pos < text->size; text->pos++) {
        uint8_t class = obj_parse_text_class_of(text->data[text->pos]);
        while (class == BACKSLASH && obj_parse_text_is_continuation(text, text->pos)) {
            text->pos++;
            obj_parse_text_skip_break(text, obj_parse_text_break_size(text, text->pos));
            class = text->pos < text->size ? obj_parse_text_class_of(text->data[text->pos]) : 0;
        }
        if (class != BLANK) return;
    }
}

// The end of the word at `pos`.
static inline uint64_t obj_parse_text_end_of_word(const obj_text *text, uint64_t pos)
{
    const char *data = text->data;
    for (uint64_t size = text->size;; pos++) {
        while (pos < size && !obj_parse_text_class_of(data[pos])) pos++;
        bool is_inside = pos < size && obj_parse_text_class_of(data[pos]) == BACKSLASH &&
                         !obj_parse_text_is_continuation(text, pos);
        if (!is_inside) return pos;
    }
}

// Go to the next word of the statement. Returns false if there is none.
static inline bool obj_parse_text_find_word(obj_text *text)
{
    obj_parse_text_skip_blanks(text);
    if (text->pos == text->size || obj_parse_text_class_of(text->data[text->pos]) == BREAK)
        return false;
    if (text->data[text->pos] != '#') return true;
    obj_parse_text_skip_to_break(text);
    return false;
}

bool obj_parse_next_word(obj_text *text, obj_word *word)
{
    if (!obj_parse_text_find_word(text)) return false;
    uint64_t start = text->pos;
    text->pos = obj_parse_text_end_of_word(text, start);
    *word = (obj_word){text->data + start, (uint32_t)(text->pos - start), start, text->line,
                       start - text->line_start + 1};
    return true;
}

uint64_t obj_parse_count_words(obj_text *text)
{
    uint64_t count = 0;
    for (; obj_parse_text_find_word(text); count++)
        text->pos = obj_parse_text_end_of_word(text, text->pos);
    return count;
}

// The position after the end of the line, if it is near and the statement ends there; else 0.
static inline uint64_t obj_parse_text_end_of_plain_line(obj_text *text)
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

bool obj_parse_skip_line(obj_text *text)
{
    uint64_t end = obj_parse_text_end_of_plain_line(text);
    if (end) {
        obj_parse_text_skip_break(text, (uint32_t)(end - text->pos));
        return true;
    }
    (void)obj_parse_count_words(text);
    if (text->pos == text->size) return false;
    obj_parse_text_skip_break(text, obj_parse_text_break_size(text, text->pos));
    return true;
}

// -- The remainder of a statement

// The remainder of the line, without blanks around it.
static tenon_str obj_parse_text_next_piece(obj_text *text, bool *is_continued)
{
    while (text->pos < text->size && obj_parse_text_class_of(text->data[text->pos]) == BLANK)
        text->pos++;
    uint64_t start = text->pos;
    obj_parse_text_skip_to_break(text);
    uint64_t end = text->pos;
    *is_continued = end > start && text->pos < text->size && text->data[end - 1] == '\\';
    if (*is_continued) end--;
    while (end > start && obj_parse_text_class_of(text->data[end - 1]) == BLANK) end--;
    return (tenon_str){text->data + start, (uint32_t)(end - start)};
}

bool obj_remainder(obj_text *text, tn_arena *arena, tenon_str *rest)
{
    bool is_continued;
    *rest = obj_parse_text_next_piece(text, &is_continued);
    if (!is_continued) return true;
    obj_text ahead = *text;
    uint64_t room = rest->size;  // At most: all pieces, with a blank before each.
    for (bool has_more = true; has_more;) {
        obj_parse_text_skip_break(&ahead, obj_parse_text_break_size(&ahead, ahead.pos));
        room += 1 + obj_parse_text_next_piece(&ahead, &has_more).size;
    }
    char *joined = tn_arena_alloc(arena, room, 1, NULL);
    if (!joined) return false;
    memcpy(joined, rest->data, rest->size);
    rest->data = joined;
    while (is_continued) {
        obj_parse_text_skip_break(text, obj_parse_text_break_size(text, text->pos));
        tenon_str piece = obj_parse_text_next_piece(text, &is_continued);
        if (piece.size >= room - rest->size) break;
        if (rest->size && piece.size) joined[rest->size++] = ' ';
        memcpy(joined + rest->size, piece.data, piece.size);
        rest->size += piece.size;
    }
    return true;
}

// -- Numbers

static bool obj_parse_text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Convert a number to JSON: no plus, no leading zeros, digits on both sides of a point. Returns the
// size; 0 if it is too long or has two signs.
static size_t obj_parse_text_to_json_number(const obj_word *word, char *json)
{
    size_t at = 0, used = 0;
    if (word->size + 2 > NUMBER_MOST) return 0;
    if (word->text[0] == '-') json[used++] = '-';
    if (word->text[0] == '-' || word->text[0] == '+') at++;
    if (at < word->size && word->text[at] == '-') return 0;
    bool has_digits = at < word->size && obj_parse_text_is_digit(word->text[at]);
    while (at + 1 < word->size && word->text[at] == '0' &&
           obj_parse_text_is_digit(word->text[at + 1]))
        at++;
    if (at < word->size && word->text[at] == '.') json[used++] = '0';
    while (at < word->size && obj_parse_text_is_digit(word->text[at]))
        json[used++] = word->text[at++];
    if (at < word->size && word->text[at] == '.') {
        json[used++] = word->text[at++];
        bool is_followed = at < word->size && obj_parse_text_is_digit(word->text[at]);
        if (!is_followed && has_digits) json[used++] = '0';
    }
    memcpy(json + used, word->text + at, word->size - at);
    return used + word->size - at;
}

// What programs print for NaN and infinity: nan, -inf, Infinity, 1.#IND.
static bool obj_parse_text_is_not_finite(const obj_word *word)
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
    if (tn_f32_parse(word->text, word->size, out)) return OBJ_NUMBER;
    if (obj_parse_text_is_not_finite(word)) return OBJ_NOT_FINITE;
    size_t size = obj_parse_text_to_json_number(word, json), end;
    if (size && tn_f32_parse(json, size, out)) return OBJ_NUMBER;
    return size && tn_number_scan(json, size, &end) && end == size ? OBJ_TOO_LARGE : OBJ_NO_NUMBER;
}

// -- Statements

bool obj_parse_is(const obj_word *word, const char *text)
{
    return strlen(text) == word->size && memcmp(word->text, text, word->size) == 0;
}

obj_key obj_parse_key_of(const obj_word *word)
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
        if (obj_parse_is(word, keys[i].word)) return keys[i].key;
    for (size_t i = 0; i < sizeof free_form / sizeof free_form[0]; i++)
        if (obj_parse_is(word, free_form[i])) return OBJ_FREE_FORM;
    for (size_t i = 0; i < sizeof display / sizeof display[0]; i++)
        if (obj_parse_is(word, display[i])) return OBJ_DISPLAY;
    return OBJ_UNKNOWN;
}
