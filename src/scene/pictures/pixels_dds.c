// pixels_dds.c: decode DirectDraw surfaces: BC1, BC2, BC3, and pixels that masks describe.
// SPDX-License-Identifier: MIT

#include "scene/pictures/pixels_private.h"

#include <string.h>

#define HEADER          128
#define HEADER_DX10     20  // Follows it in files of Direct3D 10 and later.
#define FLAG_ALPHA      0x1u
#define FLAG_ONLY_ALPHA 0x2u
#define FLAG_FOURCC     0x4u
#define FLAG_RGB        0x40u
#define FLAG_GRAY       0x20000u
#define CUBE_OR_VOLUME  0x200200u

// How the pixels are stored: in blocks, or with masks.
typedef struct dds_layout {
    uint32_t block;     // 1, 2, 3: BC1, BC2, BC3; 0: not in blocks.
    uint32_t bits;      // Of a pixel.
    uint32_t masks[4];  // Red, green, blue, alpha; 0: there is none.
} dds_layout;

uint32_t tn_is_dds(const uint8_t *bytes, uint64_t size)
{
    bool is_dds = size >= HEADER && memcmp(bytes, "DDS ", 4) == 0 && tn_le32(bytes + 4) == 124;
    return is_dds ? HEADER : 0;
}

// -- Header

static bool pixels_dds_find_layout(tn_pixels_source *src, dds_layout *layout)
{
    static const struct {
        uint32_t first, last;  // DXGI formats.
        dds_layout layout;
    } known[] = {
        {70, 72, {.block = 1}},
        {73, 75, {.block = 2}},
        {76, 78, {.block = 3}},
        {27, 29, {0, 32, {0xff, 0xff00, 0xff0000, 0xff000000}}},
        {87, 87, {0, 32, {0xff0000, 0xff00, 0xff, 0xff000000}}},
        {90, 91, {0, 32, {0xff0000, 0xff00, 0xff, 0xff000000}}},
        {88, 88, {0, 32, {0xff0000, 0xff00, 0xff, 0}}},
        {92, 93, {0, 32, {0xff0000, 0xff00, 0xff, 0}}},
        {85, 85, {0, 16, {0xf800, 0x7e0, 0x1f, 0}}},
        {86, 86, {0, 16, {0x7c00, 0x3e0, 0x1f, 0x8000}}},
        {115, 115, {0, 16, {0xf00, 0xf0, 0xf, 0xf000}}},
        {60, 61, {0, 8, {0xff, 0xff, 0xff, 0}}},
    };
    const uint8_t *header = src->at, *fourcc = header + 84;
    uint32_t flags = tn_le32(header + 80);
    src->at += HEADER;
    src->left -= HEADER;
    if (tn_le32(header + 112) & CUBE_OR_VOLUME) return false;
    if (flags & FLAG_FOURCC) {
        if (memcmp(fourcc, "DXT", 3) == 0 && fourcc[3] >= '1' && fourcc[3] <= '5') {
            // DXT2 and DXT4 are DXT3 and DXT5 with colors that are multiplied by alpha. They stay
            // so.
            layout->block = 1 + (uint32_t)(fourcc[3] - '0') / 2;
            return true;
        }
        if (memcmp(fourcc, "DX10", 4) != 0 || src->left < HEADER_DX10) return false;
        uint32_t format = tn_le32(src->at);
        src->at += HEADER_DX10;
        src->left -= HEADER_DX10;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            if (format < known[i].first || format > known[i].last) continue;
            *layout = known[i].layout;
            return true;
        }
        return false;
    }
    layout->bits = tn_le32(header + 88);
    if (layout->bits % 8 || layout->bits < 8 || layout->bits > 32) return false;
    uint32_t all = layout->bits == 32 ? UINT32_MAX : (1u << layout->bits) - 1;
    for (uint32_t i = 0; i < 4; i++) layout->masks[i] = tn_le32(header + 92 + 4 * i) & all;
    if (!(flags & (FLAG_ALPHA | FLAG_ONLY_ALPHA))) layout->masks[3] = 0;
    if (flags & FLAG_GRAY) {
        // Some programs write no mask for pictures that are only gray.
        if (!layout->masks[0] && !layout->masks[3]) layout->masks[0] = all;
        layout->masks[1] = layout->masks[2] = layout->masks[0];
    }
    return (flags & (FLAG_RGB | FLAG_GRAY | FLAG_ONLY_ALPHA)) != 0;
}

// -- Blocks of 4 by 4 pixels

static void pixels_dds_unpack_565(uint32_t c, uint8_t out[4])
{
    uint32_t r = c >> 11, g = c >> 5 & 63, b = c & 31;
    out[0] = (uint8_t)(r << 3 | r >> 2);
    out[1] = (uint8_t)(g << 2 | g >> 4);
    out[2] = (uint8_t)(b << 3 | b >> 2);
    out[3] = 255;
}

// Two colors, two between them, and two bits for each pixel. In BC1, if the first color is not
// the larger number, there is one between them, and the fourth is transparent black.
static void pixels_dds_decode_colors(const uint8_t *block, bool is_bc1, uint8_t out[16][4])
{
    uint8_t colors[4][4] = {{0}};
    uint32_t first = tn_le16(block), second = tn_le16(block + 2), bits = tn_le32(block + 4);
    bool has_hole = is_bc1 && first <= second;
    pixels_dds_unpack_565(first, colors[0]);
    pixels_dds_unpack_565(second, colors[1]);
    for (int k = 0; k < 3; k++) {
        uint32_t a = colors[0][k], b = colors[1][k];
        colors[2][k] = (uint8_t)(has_hole ? (a + b + 1) / 2 : (2 * a + b + 1) / 3);
        colors[3][k] = (uint8_t)(has_hole ? 0 : (a + 2 * b + 1) / 3);
    }
    colors[2][3] = 255;
    colors[3][3] = has_hole ? 0 : 255;
    for (int i = 0; i < 16; i++) memcpy(out[i], colors[bits >> (2 * i) & 3], 4);
}

// BC3: two values of alpha, six or four between them, and three bits for each pixel.
static void pixels_dds_decode_smooth_alpha(const uint8_t *block, uint8_t out[16][4])
{
    uint32_t first = block[0], second = block[1], steps = first > second ? 7 : 5;
    uint8_t values[8] = {block[0], block[1], [6] = 0, [7] = 255};
    for (uint32_t i = 1; i < steps; i++)
        values[i + 1] = (uint8_t)(((steps - i) * first + i * second + steps / 2) / steps);
    uint64_t bits = tn_le32(block + 2) | (uint64_t)tn_le16(block + 6) << 32;
    for (int i = 0; i < 16; i++) out[i][3] = values[bits >> (3 * i) & 7];
}

static bool pixels_dds_decode_blocks(tn_pixels_source *src, tn_pixels *pixels, uint32_t kind,
                                     uint32_t width, uint32_t height)
{
    uint32_t size = kind == 1 ? 8 : 16;
    uint64_t count = ((uint64_t)width + 3) / 4 * (((uint64_t)height + 3) / 4);
    if (!tn_pixels_alloc(pixels, src, width, height, count * size)) return false;
    for (uint32_t y = 0; y < height; y += 4) {
        for (uint32_t x = 0; x < width; x += 4) {
            uint8_t block[16][4];
            pixels_dds_decode_colors(src->at + (kind == 1 ? 0 : 8), kind == 1, block);
            for (int i = 0; kind == 2 && i < 16; i++)  // BC2: four bits of alpha for each pixel.
                block[i][3] = (uint8_t)((src->at[i / 2] >> (i % 2 * 4) & 15) * 17);
            if (kind == 3) pixels_dds_decode_smooth_alpha(src->at, block);
            // Blocks at the right and lower edge reach beyond the picture.
            uint32_t columns = width - x < 4 ? width - x : 4;
            uint32_t rows = height - y < 4 ? height - y : 4;
            for (uint32_t row = 0; row < rows; row++)
                memcpy(pixels->data + 4 * ((size_t)(y + row) * width + x), block[4 * row],
                       4 * (size_t)columns);
            src->at += size;
        }
    }
    return true;
}

// -- Pixels with masks

static uint8_t pixels_dds_take_channel(uint32_t pixel, uint32_t mask, uint8_t missing)
{
    if (!mask) return missing;
    uint32_t lowest = mask & (~mask + 1);
    return tn_to_byte((pixel & mask) / lowest, mask / lowest);
}

static bool pixels_dds_decode_masks(tn_pixels_source *src, tn_pixels *pixels,
                                    const dds_layout *layout, uint32_t width, uint32_t height)
{
    uint32_t size = layout->bits / 8;
    if (!tn_pixels_alloc(pixels, src, width, height, (uint64_t)width * height * size)) return false;
    // A picture of alpha alone is white.
    bool has_color = layout->masks[0] || layout->masks[1] || layout->masks[2];
    uint8_t missing = has_color ? 0 : 255;
    uint8_t *out = pixels->data;
    for (uint64_t i = (uint64_t)width * height; i > 0; i--, out += 4, src->at += size) {
        uint32_t pixel = tn_le(src->at, size);
        for (int k = 0; k < 3; k++)
            out[k] = pixels_dds_take_channel(pixel, layout->masks[k], missing);
        out[3] = pixels_dds_take_channel(pixel, layout->masks[3], 255);
    }
    return true;
}

bool tn_dds_decode(tn_pixels_source *src, tn_pixels *pixels)
{
    uint32_t height = tn_le32(src->at + 12), width = tn_le32(src->at + 16);
    dds_layout layout = {0};
    if (!pixels_dds_find_layout(src, &layout))
        return tn_error(src->err, TENON_ERR_UNSUPPORTED,
                        "unsupported DDS: expected BC1, BC2, BC3 or no compression");
    if (layout.block) return pixels_dds_decode_blocks(src, pixels, layout.block, width, height);
    return pixels_dds_decode_masks(src, pixels, &layout, width, height);
}
