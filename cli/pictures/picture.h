// picture.h: pictures to and from PNG files.
// SPDX-License-Identifier: MIT
//
// Memory and work are charged to a budget, which may be NULL, before they are used: a small file
// can claim to be a huge picture. A decoder or encoder that reaches a limit fails with
// TENON_ERR_LIMIT.

#ifndef TENON_CLI_PICTURE_H
#define TENON_CLI_PICTURE_H

#include <tenon/tenon.h>

// Rows of pixels from the top, `channels` bytes each: 1 gray, 3 red, green, blue, 4 and alpha.
typedef struct picture {
    const uint8_t *pixels;
    uint32_t width, height, channels;
} picture;

// Encode a picture and give the bytes of the file to `write`, in pieces. False, with `err` set, if
// it has no pixels, if `write` said stop (TENON_ERR_IO), or if memory ran out.
bool png_encode(const picture *image, tenon_budget *budget, tenon_write_fn *write, void *user,
                tenon_error *err);

// Decode a PNG or, with libjpeg, a JPEG file to four channels; picture_free() it with the same
// budget. Color profiles and gamma are ignored, as glTF and the engines do. False, with `err` set,
// if the file is neither, is broken or too large, or if memory ran out.
bool picture_decode(const uint8_t *bytes, size_t size, tenon_budget *budget, picture *image,
                    tenon_error *err);

void picture_free(picture *image, tenon_budget *budget);

// Room for the four channels of a decoded picture, which is freed as picture_free() does it. NULL,
// with *why set, if it has no pixels, if it is too large, or if memory ran out.
uint8_t *picture_alloc(uint32_t width, uint32_t height, tenon_budget *budget, tenon_code *why);

#endif  // TENON_CLI_PICTURE_H
