// pixels_private.h: what the decoders and the encoder of pictures share.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_PICTURES_PIXELS_PRIVATE_H
#define TN_SCENE_PICTURES_PIXELS_PRIVATE_H

#include "scene/pictures/pixels.h"

#include "core/text/error.h"

// The bytes of a picture's file that are not read yet.
typedef struct tn_pixels_source {
    const uint8_t *at;
    uint64_t left;
    tenon_error *err;
} tn_pixels_source;

// The size of the header if the file is of that format, else 0.
uint32_t tn_is_dds(const uint8_t *bytes, uint64_t size);
uint32_t tn_is_tga(const uint8_t *bytes, uint64_t size);

// Decode to four channels. False, with `err` set, on failure.
bool tn_dds_decode(tn_pixels_source *src, tn_pixels *pixels);
bool tn_tga_decode(tn_pixels_source *src, tn_pixels *pixels);
bool tn_png_decode(tn_pixels_source *src, tn_pixels *pixels);

// Allocate a picture of four channels. Fails if it is empty or too large, or if fewer than `need`
// bytes are left for it.
bool tn_pixels_alloc(tn_pixels *pixels, const tn_pixels_source *src, uint32_t width,
                     uint32_t height, uint64_t need);

// Which of three neighbors is nearest to left + above - corner: a filter of PNG (Paeth).
static inline uint8_t tn_png_nearest(uint8_t left, uint8_t above, uint8_t corner)
{
    // Of 16 bits and without branches, so that compilers can compute many at once.
    int16_t to_left = (int16_t)(above - corner), to_above = (int16_t)(left - corner);
    int16_t to_corner = (int16_t)(to_left + to_above);
    to_left = (int16_t)(to_left < 0 ? -to_left : to_left);
    to_above = (int16_t)(to_above < 0 ? -to_above : to_above);
    to_corner = (int16_t)(to_corner < 0 ? -to_corner : to_corner);
    int16_t nearest = to_above <= to_corner ? above : corner;
    int16_t least = to_above <= to_corner ? to_above : to_corner;
    return (uint8_t)(to_left <= least ? left : nearest);
}

// -- Numbers, lowest byte first

static inline uint32_t tn_le16(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t tn_le32(const uint8_t *p)
{
    return tn_le16(p) | tn_le16(p + 2) << 16;
}

// The number of `size` bytes, 1 to 4.
static inline uint32_t tn_le(const uint8_t *p, uint32_t size)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < size; i++) value |= (uint32_t)p[i] << (8 * i);
    return value;
}

// 0 to `most` as 0 to 255, rounded.
static inline uint8_t tn_to_byte(uint32_t value, uint32_t most)
{
    if (most == 255) return (uint8_t)value;
    return (uint8_t)(((uint64_t)value * 255 + most / 2) / most);
}

#endif  // TN_SCENE_PICTURES_PIXELS_PRIVATE_H
