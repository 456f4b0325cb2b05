// picture.h: pictures to and from PNG files.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_PICTURE_H
#define TENON_CLI_PICTURE_H

#include <tenon/tenon.h>

// Rows of pixels from the top, `channels` bytes each: 1 grey, 3 red, green, blue, 4 and alpha.
typedef struct picture {
    const uint8_t *pixels;
    uint32_t width, height, channels;
} picture;

// A file in memory; free with png_file_free().
typedef struct png_file {
    uint8_t *data;
    size_t size;
} png_file;

// Encode a picture. False, with `err` set, if it has no pixels or memory ran out.
bool png_encode(const picture *p, png_file *file, tenon_error *err);

void png_file_free(png_file *file);

// Decode a PNG or, with libjpeg, a JPEG file to four channels; picture_free() it. False, with `err`
// set, if it is none, is broken or too large, or if memory ran out.
bool picture_decode(const uint8_t *bytes, size_t size, picture *p, tenon_error *err);

void picture_free(picture *p);

#endif  // TENON_CLI_PICTURE_H
