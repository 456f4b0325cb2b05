// pixels_png.c: decode PNG files of all kinds: gray, colors, palettes, 1 to 16 bits, interlaced.
// SPDX-License-Identifier: MIT

#include "core/compress/crc32.h"
#include "core/compress/inflate.h"
#include "core/memory/arena.h"
#include "core/memory/budget.h"
#include "scene/pictures/pixels_private.h"

#include <string.h>

#define SIGNATURE    8
#define CHUNK_FRAME  12  // Size, type and checksum.
#define HEADER       13
#define PALETTE_MOST 256
#define STEP_MOST    8  // Bytes of a pixel.
#define SIDE_MOST    ((uint32_t)1 << 24)

enum { GRAY = 0, COLORS = 2, PALETTE = 3, GRAY_ALPHA = 4, COLORS_ALPHA = 6 };

typedef struct png_file {
    uint32_t width, height, bits, kind;
    bool is_interlaced;
    uint32_t channels;
    uint8_t palette[PALETTE_MOST][4];
    uint32_t palette_count;
    bool has_key;
    uint32_t key[3];     // The samples of transparent pixels.
    uint64_t data_size;  // Bytes of all IDAT chunks together.
} png_file;

// A picture, or one of the seven of an interlaced file.
typedef struct png_pass {
    uint32_t x, y, step_x, step_y;
    uint32_t width, height;
} png_pass;

static uint32_t pixels_png_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// -- Chunks

// The next chunk, whose checksum is right. False at the end, or if it is damaged: pixels that are
// complete until then are used.
static bool pixels_png_next(const uint8_t **at, const uint8_t *end, const uint8_t **data,
                            uint32_t *size, const uint8_t **type)
{
    uint64_t left = (uint64_t)(end - *at);
    if (left < CHUNK_FRAME) return false;
    *size = pixels_png_be32(*at);
    if (*size > left - CHUNK_FRAME) return false;
    *type = *at + 4;
    *data = *at + 8;
    *at += CHUNK_FRAME + (uint64_t)*size;
    return pixels_png_be32(*data + *size) == tn_crc32(0, *type, 4 + (uint64_t)*size);
}

static bool pixels_png_read_header(png_file *file, const uint8_t *h)
{
    static const uint8_t channels[] = {
        [GRAY] = 1, [COLORS] = 3, [PALETTE] = 1, [GRAY_ALPHA] = 2, [COLORS_ALPHA] = 4, [1] = 0};
    *file = (png_file){.width = pixels_png_be32(h),
                       .height = pixels_png_be32(h + 4),
                       .bits = h[8],
                       .kind = h[9],
                       .is_interlaced = h[12] == 1};
    file->channels = file->kind < sizeof channels ? channels[file->kind] : 0;
    bool is_depth = file->bits == 8 || (file->bits == 16 && file->kind != PALETTE) ||
                    ((file->bits == 1 || file->bits == 2 || file->bits == 4) &&
                     (file->kind == GRAY || file->kind == PALETTE));
    return file->channels && is_depth && h[10] == 0 && h[11] == 0 && h[12] <= 1 &&
           file->width <= SIDE_MOST && file->height <= SIDE_MOST;
}

static void pixels_png_read_palette(png_file *file, const uint8_t *data, uint32_t size)
{
    file->palette_count = size / 3 < PALETTE_MOST ? size / 3 : PALETTE_MOST;
    for (uint32_t i = 0; i < file->palette_count; i++) {
        memcpy(file->palette[i], data + 3 * (size_t)i, 3);
        file->palette[i][3] = 255;
    }
}

static void pixels_png_read_transparency(png_file *file, const uint8_t *data, uint32_t size)
{
    if (file->kind == PALETTE) {
        for (uint32_t i = 0; i < size && i < file->palette_count; i++)
            file->palette[i][3] = data[i];
        return;
    }
    file->has_key = (file->kind == GRAY || file->kind == COLORS) && size >= 2 * file->channels;
    for (uint32_t k = 0; k < file->channels && file->has_key; k++)
        file->key[k] = (uint32_t)data[2 * k] << 8 | data[2 * k + 1];
}

// What the chunks before and between the pixels say.
static bool pixels_png_read_chunks(png_file *file, const tn_pixels_source *src)
{
    const uint8_t *at = src->at + SIGNATURE, *end = src->at + src->left, *data, *type;
    uint32_t size;
    if (!pixels_png_next(&at, end, &data, &size, &type) || memcmp(type, "IHDR", 4) != 0 ||
        size != HEADER || !pixels_png_read_header(file, data))
        return tn_error(src->err, TENON_ERR_VALUE, "the header of the PNG file is wrong");
    while (pixels_png_next(&at, end, &data, &size, &type)) {
        if (memcmp(type, "IDAT", 4) == 0)
            file->data_size += size;
        else if (memcmp(type, "PLTE", 4) == 0)
            pixels_png_read_palette(file, data, size);
        else if (memcmp(type, "tRNS", 4) == 0)
            pixels_png_read_transparency(file, data, size);
        else if (memcmp(type, "IEND", 4) == 0)
            break;
    }
    if (file->kind == PALETTE && file->palette_count == 0)
        return tn_error(src->err, TENON_ERR_VALUE, "the PNG file has no palette");
    return true;
}

// Collect the data of all IDAT chunks.
static void pixels_png_collect(const tn_pixels_source *src, uint8_t *out)
{
    const uint8_t *at = src->at + SIGNATURE, *end = src->at + src->left, *data, *type;
    uint32_t size;
    while (pixels_png_next(&at, end, &data, &size, &type)) {
        if (memcmp(type, "IEND", 4) == 0) break;
        if (memcmp(type, "IDAT", 4) != 0) continue;
        memcpy(out, data, size);
        out += size;
    }
}

// -- Rows

static uint64_t pixels_png_row_size(const png_file *file, uint32_t width)
{
    return ((uint64_t)width * file->channels * file->bits + 7) / 8;
}

// Undo the filter of a row whose pixels have `step` bytes; `above` is NULL for the first.
static inline void pixels_png_unfilter_by(uint32_t filter, uint8_t *row, const uint8_t *above,
                                          uint64_t size, uint32_t step)
{
    uint8_t left[STEP_MOST] = {0}, corner[STEP_MOST] = {0};
    if (filter == 1 || (filter == 4 && !above)) {
        for (uint64_t i = step; i < size; i++) row[i] = (uint8_t)(row[i] + row[i - step]);
    } else if (filter == 2) {
        for (uint64_t i = 0; i < size && above; i++) row[i] = (uint8_t)(row[i] + above[i]);
    } else if (filter == 3) {
        for (uint64_t i = 0; i < size; i += step)
            for (uint32_t k = 0; k < step; k++) {
                left[k] = (uint8_t)(row[i + k] + (left[k] + (above ? above[i + k] : 0)) / 2);
                row[i + k] = left[k];
            }
    } else if (filter == 4) {
        for (uint64_t i = 0; i < size; i += step)
            for (uint32_t k = 0; k < step; k++) {
                uint8_t up = above[i + k];
                left[k] = (uint8_t)(row[i + k] + tn_png_nearest(left[k], up, corner[k]));
                corner[k] = up;
                row[i + k] = left[k];
            }
    }
}

// The compiler makes a loop of its own for the common sizes of pixels.
static bool pixels_png_unfilter(uint32_t filter, uint8_t *row, const uint8_t *above, uint64_t size,
                                uint32_t step)
{
    if (step == 3)
        pixels_png_unfilter_by(filter, row, above, size, 3);
    else if (step == 4)
        pixels_png_unfilter_by(filter, row, above, size, 4);
    else
        pixels_png_unfilter_by(filter, row, above, size, step);
    return filter <= 4;
}

// Sample number `index` of a row.
static uint32_t pixels_png_sample(const png_file *file, const uint8_t *row, uint64_t index)
{
    if (file->bits == 8) return row[index];
    if (file->bits == 16) return (uint32_t)row[2 * index] << 8 | row[2 * index + 1];
    uint64_t bit = index * file->bits;
    return (uint32_t)row[bit / 8] >> (8 - file->bits - bit % 8) & ((1u << file->bits) - 1);
}

static void pixels_png_read_pixel(const png_file *file, const uint8_t *row, uint32_t x,
                                  uint8_t out[4])
{
    uint32_t samples[4] = {0}, most = (1u << file->bits) - 1;
    bool is_key = file->has_key;
    for (uint32_t k = 0; k < file->channels; k++) {
        samples[k] = pixels_png_sample(file, row, (uint64_t)x * file->channels + k);
        if (k < 3 && samples[k] != file->key[k]) is_key = false;
    }
    if (file->kind == PALETTE) {
        // Colors that the palette does not have are black.
        memcpy(out, (const uint8_t[4]){0, 0, 0, 255}, 4);
        if (samples[0] < file->palette_count) memcpy(out, file->palette[samples[0]], 4);
        return;
    }
    bool has_colors = file->channels >= 3;
    for (uint32_t k = 0; k < 3; k++) out[k] = tn_to_byte(samples[has_colors ? k : 0], most);
    out[3] = 255;
    if (file->channels % 2 == 0) out[3] = tn_to_byte(samples[file->channels - 1], most);
    if (is_key) out[3] = 0;
}

// A row of bytes of colors, with or without alpha, of which no color is transparent.
static void pixels_png_read_colors(const uint8_t *row, uint32_t count, uint32_t channels,
                                   uint8_t *out)
{
    if (channels == 4) memcpy(out, row, 4 * (size_t)count);
    for (uint32_t x = 0; x < count && channels == 3; x++, row += 3, out += 4) {
        memcpy(out, row, 3);
        out[3] = 255;
    }
}

// -- Passes

static png_pass pixels_png_pass(const png_file *file, uint32_t index)
{
    static const uint8_t passes[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                         {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    if (!file->is_interlaced) return (png_pass){0, 0, 1, 1, file->width, file->height};
    const uint8_t *p = passes[index];
    png_pass pass = {p[0], p[1], p[2], p[3], 0, 0};
    pass.width = (file->width + pass.step_x - 1 - pass.x) / pass.step_x;
    pass.height = (file->height + pass.step_y - 1 - pass.y) / pass.step_y;
    if (pass.width == 0) pass.height = 0;
    return pass;
}

static uint64_t pixels_png_expanded_size(const png_file *file)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < (file->is_interlaced ? 7u : 1u); i++) {
        png_pass pass = pixels_png_pass(file, i);
        size += pass.height * (1 + pixels_png_row_size(file, pass.width));
    }
    return size;
}

static bool pixels_png_read_pixels(const png_file *file, uint8_t *rows, tn_pixels *pixels,
                                   tenon_error *err)
{
    uint32_t step = (file->channels * file->bits + 7) / 8;
    bool is_simple =
        file->bits == 8 && file->channels >= 3 && !file->has_key && !file->is_interlaced;
    for (uint32_t i = 0; i < (file->is_interlaced ? 7u : 1u); i++) {
        png_pass pass = pixels_png_pass(file, i);
        uint64_t size = pixels_png_row_size(file, pass.width);
        const uint8_t *above = NULL;
        for (uint32_t y = 0; y < pass.height; y++, rows += 1 + size) {
            if (!pixels_png_unfilter(rows[0], rows + 1, above, size, step))
                return tn_error(err, TENON_ERR_VALUE, "the PNG file has an unknown filter");
            above = rows + 1;
            uint64_t at = (uint64_t)(pass.y + y * pass.step_y) * file->width + pass.x;
            if (is_simple) pixels_png_read_colors(above, pass.width, step, pixels->data + 4 * at);
            for (uint32_t x = 0; x < pass.width && !is_simple; x++, at += pass.step_x)
                pixels_png_read_pixel(file, above, x, pixels->data + 4 * at);
        }
    }
    return true;
}

bool tn_png_decode(tn_pixels_source *src, tn_pixels *pixels)
{
    png_file file;
    if (!pixels_png_read_chunks(&file, src)) return false;
    uint64_t expanded = pixels_png_expanded_size(&file);
    if (!tn_inflate_can_fill(file.data_size, expanded))
        return tn_error(src->err, TENON_ERR_TRUNCATED, "the PNG file has too little data");
    if (!tn_pixels_alloc(pixels, src, file.width, file.height, 0)) return false;
    const tenon_allocator *allocator = &pixels->allocator;
    if (expanded > SIZE_MAX || !tn_budget_work(allocator->budget, expanded / TN_STEP_BYTES))
        return tn_error(src->err, TENON_ERR_LIMIT, "the picture takes too much work");
    uint8_t *data = tn_block_alloc(allocator, (size_t)file.data_size);
    uint8_t *rows = data ? tn_block_alloc(allocator, (size_t)expanded) : NULL;
    bool ok = rows != NULL;
    if (ok) {
        pixels_png_collect(src, data);
        const char *fault = tn_inflate(data, file.data_size, rows, expanded, NULL);
        ok = !fault;
        if (ok)
            ok = pixels_png_read_pixels(&file, rows, pixels, src->err);
        else
            (void)tn_error(src->err, TENON_ERR_VALUE, "the data of the PNG file %s", fault);
    } else {
        (void)tn_error(src->err, TENON_ERR_MEMORY, "out of memory for a picture");
    }
    if (rows) tn_block_free(allocator, rows, (size_t)expanded);
    if (data) tn_block_free(allocator, data, (size_t)file.data_size);
    return ok;
}
