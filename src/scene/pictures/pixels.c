// pixels.c: decode pictures: what PNG, DDS and TGA share.
// SPDX-License-Identifier: MIT

#include "scene/pictures/pixels.h"

#include "core/memory/arena.h"
#include "core/memory/budget.h"
#include "scene/pictures/pixels_private.h"

#include <tenon/render.h>

#include <string.h>

#define PIXELS_PER_STEP 4   // Of work.
#define PART_OF_SIZE    32  // The largest size is this part of SIZE_MAX, so that none overflows.

tn_picture tn_picture_kind(const void *bytes, uint64_t size)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const uint8_t jpeg[] = {0xff, 0xd8, 0xff};
    if (size >= sizeof png && memcmp(bytes, png, sizeof png) == 0) return TN_PICTURE_PNG;
    if (size >= sizeof jpeg && memcmp(bytes, jpeg, sizeof jpeg) == 0) return TN_PICTURE_JPEG;
    static const uint8_t ktx2[] = {0xab, 'K',  'T',  'X',  ' ',  '2',
                                   '0',  0xbb, '\r', '\n', 0x1a, '\n'};
    const uint8_t *start = bytes;
    if (size >= sizeof ktx2 && memcmp(start, ktx2, sizeof ktx2) == 0) return TN_PICTURE_KTX2;
    if (size >= 12 && memcmp(start, "RIFF", 4) == 0 && memcmp(start + 8, "WEBP", 4) == 0)
        return TN_PICTURE_WEBP;
    if (tn_is_dds(bytes, size)) return TN_PICTURE_DDS;
    return tn_is_tga(bytes, size) ? TN_PICTURE_TGA : TN_PICTURE_UNKNOWN;
}

bool tn_pixels_alloc(tn_pixels *pixels, const tn_pixels_source *src, uint32_t width,
                     uint32_t height, uint64_t need)
{
    if (width == 0 || height == 0)
        return tn_error(src->err, TENON_ERR_VALUE, "the picture has no pixels");
    tenon_budget *budget = pixels->allocator.budget;
    uint64_t most = budget && budget->memory.limit ? SIZE_MAX / PART_OF_SIZE : TN_PIXELS_MOST;
    if (width > most / height)
        return tn_error(src->err, TENON_ERR_LIMIT, "the picture is too large: %u x %u pixels",
                        (unsigned)width, (unsigned)height);
    if (need > src->left)
        return tn_error(src->err, TENON_ERR_TRUNCATED, "the pixels need %llu bytes, only %llu left",
                        (unsigned long long)need, (unsigned long long)src->left);
    if (!tn_budget_work(budget, (uint64_t)width * height / PIXELS_PER_STEP))
        return tn_error(src->err, TENON_ERR_LIMIT, "the picture takes too much work");
    pixels->width = width;
    pixels->height = height;
    pixels->channels = 4;
    pixels->size = (size_t)width * height * 4;
    pixels->data = tn_block_alloc(&pixels->allocator, pixels->size);
    if (!pixels->data) return tn_error(src->err, TENON_ERR_MEMORY, "out of memory for a picture");
    return true;
}

uint32_t tenon_drop_alpha(uint8_t *pixels, uint64_t count)
{
    for (uint64_t i = 0; i < count && pixels; i++)
        if (pixels[4 * i + 3] != 255) return 4;
    if (!pixels || count == 0) return 4;
    for (uint64_t i = 1; i < count; i++)
        for (uint64_t k = 0; k < 3; k++) pixels[3 * i + k] = pixels[4 * i + k];
    return 3;
}

bool tn_pixels_decode_whole(const void *bytes, uint64_t size, const tenon_allocator *allocator,
                            tn_pixels *pixels, tenon_error *err)
{
    tn_pixels_source src = {bytes, size, err};
    tn_picture kind = tn_picture_kind(bytes, size);
    *pixels = (tn_pixels){.allocator = *allocator};
    bool is_decoded = false;
    if (kind == TN_PICTURE_DDS)
        is_decoded = tn_dds_decode(&src, pixels);
    else if (kind == TN_PICTURE_TGA)
        is_decoded = tn_tga_decode(&src, pixels);
    else if (kind == TN_PICTURE_PNG)
        is_decoded = tn_png_decode(&src, pixels);
    else
        tn_error(err, TENON_ERR_FORMAT, "the picture is not PNG, DDS or TGA");
    if (!is_decoded) tn_pixels_free(pixels);
    return is_decoded;
}

bool tn_pixels_decode(const void *bytes, uint64_t size, const tenon_allocator *allocator,
                      tn_pixels *pixels, tenon_error *err)
{
    bool ok = tn_pixels_decode_whole(bytes, size, allocator, pixels, err);
    if (ok)
        pixels->channels = tenon_drop_alpha(pixels->data, (uint64_t)pixels->width * pixels->height);
    return ok;
}

void tn_pixels_free(tn_pixels *pixels)
{
    if (pixels->data) tn_block_free(&pixels->allocator, pixels->data, pixels->size);
    *pixels = (tn_pixels){0};
}

void tn_pixels_flip(tn_pixels *pixels)
{
    size_t row = (size_t)pixels->width * pixels->channels;
    for (uint32_t y = 0; y < pixels->height / 2; y++) {
        uint8_t *a = pixels->data + y * row;
        uint8_t *b = pixels->data + (pixels->height - 1 - y) * row;
        for (size_t i = 0; i < row; i++) {
            uint8_t above = a[i];
            a[i] = b[i];
            b[i] = above;
        }
    }
}
