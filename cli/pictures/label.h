// label.h: text in pictures, in a small built-in font, and rectangles of pixels.
// SPDX-License-Identifier: MIT
//
// The font has the letters of European languages in Latin script, digits and punctuation; any other
// character is a box.

#ifndef TENON_CLI_LABEL_H
#define TENON_CLI_LABEL_H

#include <stdint.h>

// Pixels of 4 bytes, rows from the top, without gaps.
typedef struct canvas {
    uint8_t *pixels;
    uint32_t width, height;
} canvas;

// A rectangle of one color: red, green, blue, alpha. What is outside of the canvas is left out,
// here and below.
void canvas_fill(const canvas *to, int64_t x, int64_t y, uint32_t width, uint32_t height,
                 const uint8_t color[4]);

// Copy another canvas, with its upper left corner at (x, y).
void canvas_copy(const canvas *to, int64_t x, int64_t y, const canvas *from);

#define LABEL_ROWS 12  // Of pixels, times the scale: a line of text with accents and descenders.

// The pixels that a text is wide, with each pixel of the font `scale` pixels wide. Texts are UTF-8.
uint32_t label_width(const char *text, uint32_t scale);

// Draw a text whose upper left corner is at (x, y). If it is wider than `width`, its middle is left
// out, which three dots show.
void label_draw(const canvas *to, int64_t x, int64_t y, uint32_t width, const char *text,
                uint32_t scale, const uint8_t color[4]);

#endif  // TENON_CLI_LABEL_H
