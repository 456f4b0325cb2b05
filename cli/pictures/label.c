// label.c: text in pictures, and rectangles of pixels.
// SPDX-License-Identifier: MIT

#include "pictures/label.h"

#include "pictures/label_font.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

_Static_assert(LABEL_ROWS == LETTER_ROWS, "a line is as high as a letter");

void canvas_fill(const canvas *to, int64_t x, int64_t y, uint32_t width, uint32_t height,
                 const uint8_t color[4])
{
    for (int64_t row = y < 0 ? 0 : y; row < y + height && row < to->height; row++)
        for (int64_t column = x < 0 ? 0 : x; column < x + width && column < to->width; column++)
            memcpy(to->pixels + 4 * ((size_t)row * to->width + (size_t)column), color, 4);
}

void canvas_copy(const canvas *to, int64_t x, int64_t y, const canvas *from)
{
    int64_t first = x < 0 ? -x : 0, end = to->width - x;
    if (end > from->width) end = from->width;
    for (int64_t row = 0; row < from->height && end > first; row++)
        if (y + row >= 0 && y + row < to->height)
            memcpy(to->pixels + 4 * (size_t)((y + row) * to->width + x + first),
                   from->pixels + 4 * (size_t)(row * from->width + first),
                   4 * (size_t)(end - first));
}

// The character at *text, which is moved past it. Bytes that are not UTF-8 are U+FFFD each.
static uint32_t label_next(const char **text)
{
    const uint8_t *p = (const uint8_t *)*text;
    uint32_t extra = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
    uint32_t character = p[0] & (extra == 3 ? 7u : extra == 2 ? 15u : extra == 1 ? 31u : 127u);
    bool is_valid = p[0] < 0x80 || extra > 0;
    for (uint32_t i = 1; i <= extra && is_valid; i++) {
        is_valid = (p[i] & 0xc0) == 0x80;
        character = character << 6 | (p[i] & 0x3fu);
    }
    *text += is_valid ? 1 + extra : 1;
    return is_valid ? character : 0xfffd;
}

uint32_t label_width(const char *text, uint32_t scale)
{
    uint32_t width = 0;
    while (*text) width += (letter_of(label_next(&text)).width + 1) * scale;
    return width ? width - scale : 0;
}

// Returns where the next letter starts.
static int64_t label_draw_letter(const canvas *to, int64_t x, int64_t y, uint32_t character,
                                 uint32_t scale, const uint8_t color[4])
{
    letter l = letter_of(character);
    for (uint32_t row = 0; row < LETTER_ROWS; row++)
        for (uint32_t column = 0; column < l.width; column++)
            if (l.rows[row] >> (4 - column) & 1)
                canvas_fill(to, x + column * scale, y + row * scale, scale, scale, color);
    return x + (l.width + 1) * scale;
}

void label_draw(const canvas *to, int64_t x, int64_t y, uint32_t width, const char *text,
                uint32_t scale, const uint8_t color[4])
{
    const char *end = text + strlen(text), *tail = text;
    bool is_cut = label_width(text, scale) > width;
    uint32_t room = width, dots = label_width("...", scale) + scale;
    if (is_cut) room = width > dots ? (width - dots) / 2 : 0;
    // The longest end of the text that fits into the second half.
    while (is_cut && tail < end && label_width(tail, scale) > room) (void)label_next(&tail);
    int64_t limit = x + room;
    while (*text && text < (is_cut ? tail : end)) {
        const char *next = text;
        uint32_t character = label_next(&next);
        if (is_cut && x + letter_of(character).width * scale > limit) break;
        x = label_draw_letter(to, x, y, character, scale, color);
        text = next;
    }
    for (int i = 0; is_cut && i < 3; i++) x = label_draw_letter(to, x, y, '.', scale, color);
    while (is_cut && *tail) x = label_draw_letter(to, x, y, label_next(&tail), scale, color);
}
