// pixels_tga.c: decode Truevision TGA: color map, true color and gray, packed or not.
// SPDX-License-Identifier: MIT

#include "scene/pictures/pixels_private.h"

#include <string.h>

#define HEADER     18
#define FROM_RIGHT 0x10u
#define FROM_TOP   0x20u
#define PACKED     8u

enum { MAPPED = 1, COLORS = 2, GRAY = 3 };  // Of the type, without PACKED.

typedef struct tga_file {
    uint32_t id_size, map_kind, type, map_first, map_count, map_bits;
    uint32_t width, height, bits, flags;
    const uint8_t *map;  // Colors of whole bytes.
} tga_file;

static tga_file pixels_tga_read_header(const uint8_t *h)
{
    return (tga_file){.id_size = h[0],
                      .map_kind = h[1],
                      .type = h[2],
                      .map_first = tn_le16(h + 3),
                      .map_count = tn_le16(h + 5),
                      .map_bits = h[7],
                      .width = tn_le16(h + 12),
                      .height = tn_le16(h + 14),
                      .bits = h[16],
                      .flags = h[17]};
}

static uint32_t pixels_tga_byte_count(uint32_t bits)
{
    return (bits + 7) / 8;
}

static bool pixels_tga_is_color_size(uint32_t bits)
{
    return bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

uint32_t tn_is_tga(const uint8_t *bytes, uint64_t size)
{
    if (size < HEADER) return 0;
    tga_file file = pixels_tga_read_header(bytes);
    bool is_sound = file.map_kind <= 1 && file.width && file.height && !(file.flags & 0xc0u);
    switch (file.type & ~PACKED) {
    case MAPPED:
        is_sound = is_sound && file.map_kind == 1 && file.map_count &&
                   pixels_tga_is_color_size(file.map_bits) && (file.bits == 8 || file.bits == 16);
        break;
    case COLORS:
        is_sound = is_sound && pixels_tga_is_color_size(file.bits);
        break;
    case GRAY:
        is_sound = is_sound && (file.bits == 8 || file.bits == 16);
        break;
    default:
        is_sound = false;
    }
    return is_sound ? HEADER : 0;
}

// -- One pixel

// Blue comes first. The flags say whether the highest of 16 bits is alpha.
static void pixels_tga_decode_color(const uint8_t *p, uint32_t bits, bool has_alpha, uint8_t out[4])
{
    if (bits >= 24) {
        out[0] = p[2], out[1] = p[1], out[2] = p[0];
        out[3] = bits == 32 ? p[3] : 255;
        return;
    }
    uint32_t pixel = tn_le16(p);
    for (uint32_t k = 0; k < 3; k++) out[k] = tn_to_byte(pixel >> (10 - 5 * k) & 31, 31);
    out[3] = has_alpha && bits == 16 && !(pixel & 0x8000) ? 0 : 255;
}

static void tga_decode_pixel(const tga_file *file, const uint8_t *p, uint8_t out[4])
{
    switch (file->type & ~PACKED) {
    case MAPPED: {
        uint32_t index = tn_le(p, pixels_tga_byte_count(file->bits)) - file->map_first;
        memcpy(out, (const uint8_t[4]){0, 0, 0, 255}, 4);  // For indices beyond the map.
        if (index < file->map_count)
            pixels_tga_decode_color(file->map +
                                        (size_t)index * pixels_tga_byte_count(file->map_bits),
                                    file->map_bits, file->flags & 15, out);
        break;
    }
    case GRAY:
        out[0] = out[1] = out[2] = p[0];
        out[3] = file->bits == 16 ? p[1] : 255;
        break;
    default:
        pixels_tga_decode_color(p, file->bits, file->flags & 15, out);
    }
}

// -- All pixels

// Packets of up to 128 pixels: one pixel that is repeated, or all of them.
static bool pixels_tga_decode_packed(const tga_file *file, tn_pixels_source *src, tn_pixels *pixels)
{
    uint32_t size = pixels_tga_byte_count(file->bits);
    uint64_t count = (uint64_t)file->width * file->height, at = 0;
    while (at < count) {
        bool is_run = src->left > 0 && (src->at[0] & 0x80);
        uint32_t length = src->left > 0 ? (src->at[0] & 0x7fu) + 1 : 1;
        uint64_t need = 1 + (uint64_t)size * (is_run ? 1 : length);
        if (need > src->left)
            return tn_error(src->err, TENON_ERR_TRUNCATED,
                            "the picture ends after %llu of %llu pixels", (unsigned long long)at,
                            (unsigned long long)count);
        for (uint32_t i = 0; i < length && at < count; i++, at++)
            tga_decode_pixel(file, src->at + 1 + (is_run ? 0 : i * size), pixels->data + 4 * at);
        src->at += need;
        src->left -= need;
    }
    return true;
}

static void pixels_tga_mirror(tn_pixels *pixels)
{
    for (uint32_t y = 0; y < pixels->height; y++) {
        uint8_t *row = pixels->data + 4 * (size_t)y * pixels->width;
        for (uint32_t x = 0; x < pixels->width / 2; x++) {
            uint8_t kept[4], *other = row + 4 * (size_t)(pixels->width - 1 - x);
            memcpy(kept, row + 4 * (size_t)x, 4);
            memcpy(row + 4 * (size_t)x, other, 4);
            memcpy(other, kept, 4);
        }
    }
}

static bool pixels_tga_skip(tn_pixels_source *src, uint64_t size, const char *what)
{
    if (size > src->left)
        return tn_error(src->err, TENON_ERR_TRUNCATED, "the %s needs %llu bytes, only %llu left",
                        what, (unsigned long long)size, (unsigned long long)src->left);
    src->at += size;
    src->left -= size;
    return true;
}

bool tn_tga_decode(tn_pixels_source *src, tn_pixels *pixels)
{
    tga_file file = pixels_tga_read_header(src->at);
    uint64_t count = (uint64_t)file.width * file.height;
    uint32_t size = pixels_tga_byte_count(file.bits);
    bool is_packed = file.type & PACKED;
    if (!pixels_tga_skip(src, HEADER + file.id_size, "header")) return false;
    file.map = src->at;
    if (file.map_kind &&
        !pixels_tga_skip(src, (uint64_t)file.map_count * pixels_tga_byte_count(file.map_bits),
                         "color map"))
        return false;
    uint64_t need = is_packed ? (count + 127) / 128 * (1 + size) : count * size;
    if (!tn_pixels_alloc(pixels, src, file.width, file.height, need)) return false;
    if (is_packed && !pixels_tga_decode_packed(&file, src, pixels)) return false;
    for (uint64_t i = 0; !is_packed && i < count; i++)
        tga_decode_pixel(&file, src->at + i * size, pixels->data + 4 * i);
    // Many programs leave the alpha of opaque pictures at 0.
    bool has_alpha = false;
    for (uint64_t i = 0; i < count && !has_alpha; i++) has_alpha = pixels->data[4 * i + 3] != 0;
    for (uint64_t i = 0; i < count && !has_alpha; i++) pixels->data[4 * i + 3] = 255;
    if (file.flags & FROM_RIGHT) pixels_tga_mirror(pixels);
    if (!(file.flags & FROM_TOP)) tn_pixels_flip(pixels);
    return true;
}
