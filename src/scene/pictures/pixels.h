// pixels.h: decode pictures: PNG, DDS and TGA.
// SPDX-License-Identifier: MIT
//
// Files are not trusted: for any bytes, nothing outside of them is read, and no more memory is
// allocated than their size justifies.

#ifndef TN_SCENE_PICTURES_PIXELS_H
#define TN_SCENE_PICTURES_PIXELS_H

#include <tenon/tenon.h>

// The format of a picture's file. TGA has no signature: a file with a plausible header is one.
typedef enum tn_picture {
    TN_PICTURE_UNKNOWN,
    TN_PICTURE_PNG,
    TN_PICTURE_JPEG,
    TN_PICTURE_DDS,
    TN_PICTURE_TGA,
    TN_PICTURE_WEBP,  // These two are not decoded here.
    TN_PICTURE_KTX2,
} tn_picture;

tn_picture tn_picture_kind(const void *bytes, uint64_t size);

// Of one picture, unless a budget limits memory: 8192 by 8192.
#define TN_PIXELS_MOST ((uint64_t)1 << 26)

typedef struct tn_pixels {
    uint32_t width, height;
    uint32_t channels;  // 3: red, green, blue; 4: and alpha, if some pixel is transparent.
    uint8_t *data;      // Rows from the top, without gaps.

    // Private.
    tenon_allocator allocator;
    size_t size;
} tn_pixels;

// Decode a PNG, a DDS (BC1, BC2, BC3, or uncompressed with 8 to 32 bits; the largest level) or a
// TGA. Free the result with tn_pixels_free(). False, with `err` set, on failure; there is nothing
// to free then.
bool tn_pixels_decode(const void *bytes, uint64_t size, const tenon_allocator *allocator,
                      tn_pixels *pixels, tenon_error *err);

// The same, always with four channels.
bool tn_pixels_decode_whole(const void *bytes, uint64_t size, const tenon_allocator *allocator,
                            tn_pixels *pixels, tenon_error *err);

void tn_pixels_free(tn_pixels *pixels);

// tenon_write_png(), but who takes the bytes counts them as output.
bool tn_pixels_write_png(const tn_pixels *pixels, const tenon_allocator *allocator,
                         tenon_write_fn *write, void *user, tenon_error *err);

// Turn the picture upside down.
void tn_pixels_flip(tn_pixels *pixels);

#endif  // TN_SCENE_PICTURES_PIXELS_H
