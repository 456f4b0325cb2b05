// label_font.h: the letters of labels.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_LABEL_FONT_H
#define TENON_CLI_LABEL_FONT_H

#include <stdint.h>

#define LETTER_ROWS 12  // Three for accents, seven for letters, two below the line.

// Rows of five pixels, the left one in bit 4.
typedef struct letter {
    uint8_t rows[LETTER_ROWS];
    uint32_t width;  // Pixels, without the gap after it.
} letter;

// The letter for a Unicode character.
letter letter_of(uint32_t character);

#endif  // TENON_CLI_LABEL_FONT_H
