// text.c: UTF-8, and text from files made fit for a terminal.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"

#include "core/text/error.h"
#include "core/text/number.h"

#include <string.h>

static bool text_is_tail(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

// The size that a first byte announces, and the range of the byte after it, which excludes overlong
// forms, surrogates and code points above U+10FFFF (Unicode, table 3-7).
static size_t text_announced(uint8_t first, uint8_t *low, uint8_t *high)
{
    *low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    *high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0x80) return 1;
    if (first < 0xC2) return 0;
    if (first < 0xE0) return 2;
    if (first < 0xF0) return 3;
    return first < 0xF5 ? 4 : 0;
}

size_t tn_utf8_step(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    if (size == 0) return 0;
    if (p[0] < 0x80) return 1;
    uint8_t low, high;
    size_t need = text_announced(p[0], &low, &high);
    if (need == 0 || need > size) return 0;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < need; i++) {
        if (!text_is_tail(p[i])) return 0;
    }
    return need;
}

bool tn_utf8_is_cut(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    uint8_t low, high;
    if (size == 0 || text_announced(p[0], &low, &high) <= size) return false;
    return (size < 2 || (p[1] >= low && p[1] <= high)) && (size < 3 || text_is_tail(p[2]));
}

size_t tn_utf8_put(uint32_t c, char *out)
{
    static const uint8_t firsts[] = {0, 0xC0, 0xE0, 0xF0};
    size_t tails = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out[0] = (char)(firsts[tails] | c >> (6 * tails));
    for (size_t i = 1; i <= tails; i++) out[i] = (char)(0x80 | (c >> (6 * (tails - i)) & 0x3F));
    return tails + 1;
}

// Eight bytes at a time while they are ASCII, as names and most texts are.
static size_t text_skip_ascii(const uint8_t *p, size_t size)
{
    size_t at = 0;
    for (uint64_t word; size - at >= sizeof word; at += sizeof word) {
        memcpy(&word, p + at, sizeof word);
        if (word & 0x8080808080808080u) break;
    }
    return at;
}

bool tn_utf8_valid(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    size_t at = 0;
    while (at < size) {
        at += text_skip_ascii(p + at, size - at);
        if (at == size) return true;
        size_t step = tn_utf8_step(p + at, size - at);
        if (step == 0) return false;
        at += step;
    }
    return true;
}

// C1 controls are two bytes in UTF-8, and some terminals obey them.
static bool text_is_control(const uint8_t *p, size_t step)
{
    if (step == 1) return p[0] < 0x20 || p[0] == 0x7F;
    return step == 2 && p[0] == 0xC2 && p[1] < 0xA0;
}

size_t tn_text_clean(const void *bytes, size_t size, char *out, size_t out_size)
{
    if (out_size == 0) return 0;
    const uint8_t *p = bytes;
    size_t used = 0;
    for (size_t at = 0; at < size;) {
        size_t step = tn_utf8_step(p + at, size - at);
        bool keep = step != 0 && !text_is_control(p + at, step);
        size_t put = keep ? step : 1;
        if (put > out_size - 1 - used) break;
        if (keep)
            memcpy(out + used, p + at, step);
        else
            out[used] = '?';
        used += put;
        at += step ? step : 1;
    }
    out[used] = '\0';
    return used;
}

tn_shown tn_show(tenon_str text, size_t room)
{
    tn_shown shown;
    tn_text_clean(text.data, text.size, shown.text, room);
    return shown;
}

tn_shown tn_show_f32(float v)
{
    tn_shown shown;
    tn_f32_text(v, shown.text);
    return shown;
}

tn_shown tn_show_f64(double v)
{
    tn_shown shown;
    tn_f64_text(v, shown.text);
    return shown;
}

bool tn_text_equal(tenon_str a, tenon_str b)
{
    // The text of pictures can be long, and in one place.
    return a.size == b.size &&
           (a.size == 0 || a.data == b.data || memcmp(a.data, b.data, a.size) == 0);
}

bool tn_text_is(tenon_str text, const char *word)
{
    size_t size = strlen(word);
    return text.size == size && (size == 0 || memcmp(text.data, word, size) == 0);
}

tenon_str tn_text_join(tn_arena *arena, tenon_str start, tenon_str end, const char *what,
                       tenon_error *err)
{
    uint64_t size = (uint64_t)start.size + end.size;
    bool fits = size < UINT32_MAX;
    char *text = fits ? tn_arena_alloc_or_fail(arena, size + 1, 1, what, err) : NULL;
    if (!fits) (void)tn_error(err, TENON_ERR_LIMIT, "a text is too long for %s", what);
    if (!text) return (tenon_str){NULL, 0};
    if (start.size) memcpy(text, start.data, start.size);
    if (end.size) memcpy(text + start.size, end.data, end.size);
    return (tenon_str){text, (uint32_t)size};
}

tenon_str tn_text_cut(tenon_str *text, char separator)
{
    const char *end = text->size ? memchr(text->data, separator, text->size) : NULL;
    tenon_str part = *text;
    if (end) part.size = (uint32_t)(end - part.data);
    *text = end ? (tenon_str){end + 1, text->size - part.size - 1} : (tenon_str){NULL, 0};
    return part;
}

bool tn_text_skip(tenon_str *text, const char *start)
{
    size_t size = strlen(start);
    if (text->size < size || memcmp(text->data, start, size) != 0) return false;
    *text = (tenon_str){text->data + size, text->size - (uint32_t)size};
    return true;
}

int tn_text_order(tenon_str a, tenon_str b)
{
    uint32_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

int tn_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static char text_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool tn_same_word(const char *a, const char *b)
{
    while (*a && text_lower(*a) == text_lower(*b)) a++, b++;
    return text_lower(*a) == text_lower(*b);
}
