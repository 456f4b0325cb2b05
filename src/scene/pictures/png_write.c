// png_write.c: write PNG files and animations of them, always with the same bytes.
// SPDX-License-Identifier: MIT

#include <tenon/render.h>

#include "core/compress/crc32.h"
#include "core/compress/deflate.h"
#include "core/memory/arena.h"
#include "core/memory/budget.h"
#include "core/text/error.h"
#include "scene/pictures/pixels_private.h"

#include <string.h>

#define SIDE_MOST        ((uint32_t)1 << 24)
#define PART_SIZE        ((size_t)1 << 16)  // Bytes of compressed data in a chunk.
#define FILTER_COUNT     5
#define UP               2  // The filter that takes the row above.
#define CHANNELS_MOST    4
#define DEFAULT_FRAME_MS 100
#define PIXELS_PER_STEP  4
#define SUM_SIZE         256

typedef struct png_writer {
    const tenon_png *png;
    tenon_write_fn *write;
    void *user;
    tenon_error *err;
    tenon_budget *output;  // Counts the bytes; NULL: who takes them does.
    bool stopped;          // `write` said so.
    uint32_t sequence;     // The number of the next chunk of an animation.
    uint32_t frame;
    size_t row_size;    // Bytes, without the filter's number.
    uint8_t *filtered;  // All rows, each after the number of its filter.
    size_t filtered_size;
    uint8_t *rows;  // Those that are filtered.
    size_t rows_size;
    size_t part_size;  // Bytes in `part`, which starts with room for the number of the chunk.
    uint8_t part[4 + PART_SIZE];
} png_writer;

// -- Chunks

static void png_write_u32(uint8_t out[4], uint32_t value)
{
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void png_write_bytes(png_writer *w, const void *bytes, size_t size)
{
    if (w->stopped) return;
    w->stopped = !tn_budget_output(w->output, size) || !w->write(w->user, bytes, size);
}

static void png_write_chunk(png_writer *w, const char type[4], const uint8_t *data, size_t size)
{
    uint8_t head[8], tail[4];
    png_write_u32(head, (uint32_t)size);
    memcpy(head + 4, type, 4);
    png_write_u32(tail, tn_crc32(tn_crc32(0, head + 4, 4), data, size));
    png_write_bytes(w, head, sizeof head);
    if (size > 0) png_write_bytes(w, data, size);
    png_write_bytes(w, tail, sizeof tail);
}

// The collected data as a chunk. In frames after the first the chunks are numbered.
static void png_write_part(png_writer *w)
{
    if (w->part_size == 0) return;
    if (w->frame == 0) {
        png_write_chunk(w, "IDAT", w->part + 4, w->part_size);
    } else {
        png_write_u32(w->part, w->sequence++);
        png_write_chunk(w, "fdAT", w->part, 4 + w->part_size);
    }
    w->part_size = 0;
}

static bool png_write_compressed(void *user, const void *bytes, size_t size)
{
    png_writer *w = user;
    const uint8_t *from = bytes;
    while (size > 0 && !w->stopped) {
        size_t room = PART_SIZE - w->part_size, count = size < room ? size : room;
        memcpy(w->part + 4 + w->part_size, from, count);
        w->part_size += count;
        from += count;
        size -= count;
        if (w->part_size == PART_SIZE) png_write_part(w);
    }
    return !w->stopped;
}

// -- Rows

// What is left of a row after a filter. `above` and `row` have a pixel of zeros before them.
// Returns the sum of the distances from 0: the smallest usually compresses best.
static uint64_t png_write_filter(const png_writer *w, const uint8_t *row, const uint8_t *above,
                                 uint32_t filter, uint8_t *out)
{
    const uint8_t *left = row - w->png->channels, *corner = above - w->png->channels;
    size_t size = w->row_size;
    uint64_t sum = 0;
    switch (filter) {
    case 0:
        memcpy(out, row, size);
        break;
    case 1:
        for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(row[i] - left[i]);
        break;
    case 2:
        for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(row[i] - above[i]);
        break;
    case 3:
        for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(row[i] - (left[i] + above[i]) / 2);
        break;
    default:
        for (size_t i = 0; i < size; i++)
            out[i] = (uint8_t)(row[i] - tn_png_nearest(left[i], above[i], corner[i]));
    }
    // In parts, whose sums fit into 16 bits: compilers add up many at once.
    for (size_t i = 0; i < size;) {
        size_t end = size - i > SUM_SIZE ? i + SUM_SIZE : size;
        uint16_t part = 0;
        for (; i < end; i++) {
            uint8_t negative = (uint8_t)(0 - out[i]);
            part = (uint16_t)(part + (out[i] < negative ? out[i] : negative));
        }
        sum += part;
    }
    return sum;
}

static bool png_write_pixels(png_writer *w, const uint8_t *pixels)
{
    const tenon_png *png = w->png;
    if (!tn_budget_work(png->allocator.budget,
                        (uint64_t)png->width * png->height / PIXELS_PER_STEP))
        return false;
    // Two rows, each after a pixel of zeros, and one to try filters in.
    uint8_t *rows[2] = {w->rows + CHANNELS_MOST, w->rows + 2 * CHANNELS_MOST + w->row_size};
    uint8_t *trial = rows[1] + w->row_size;
    memset(w->rows, 0, w->rows_size);
    for (uint32_t y = 0; y < png->height; y++) {
        uint8_t *row = rows[y % 2], *above = rows[1 - y % 2];
        uint8_t *out = w->filtered + y * (w->row_size + 1);
        memcpy(row, pixels + y * w->row_size, w->row_size);
        out[0] = UP;
        uint64_t least = png_write_filter(w, row, above, UP, out + 1);
        // A row like the one above is often one of many.
        for (uint32_t filter = 0; filter < FILTER_COUNT && least > 0; filter++) {
            if (filter == UP) continue;
            uint64_t sum = png_write_filter(w, row, above, filter, trial);
            if (sum >= least) continue;
            least = sum;
            out[0] = (uint8_t)filter;
            memcpy(out + 1, trial, w->row_size);
        }
    }
    bool ok =
        tn_deflate(w->filtered, w->filtered_size, &png->allocator, png_write_compressed, w, w->err);
    if (ok) png_write_part(w);
    return ok && !w->stopped;
}

// -- The file

static void png_write_frame_control(png_writer *w)
{
    uint8_t control[26] = {0};
    uint32_t ms = w->png->frame_ms ? w->png->frame_ms : DEFAULT_FRAME_MS;
    png_write_u32(control, w->sequence++);
    png_write_u32(control + 4, w->png->width);
    png_write_u32(control + 8, w->png->height);
    if (ms > UINT16_MAX) ms = UINT16_MAX;
    control[20] = (uint8_t)(ms >> 8);
    control[21] = (uint8_t)ms;
    control[22] = 1000 >> 8;
    control[23] = 1000 & 255;
    png_write_chunk(w, "fcTL", control, sizeof control);
}

static bool png_write_file(png_writer *w)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const tenon_png *png = w->png;
    uint8_t head[13] = {0}, animation[8];
    png_write_u32(head, png->width);
    png_write_u32(head + 4, png->height);
    head[8] = 8;
    head[9] = png->channels == 1 ? 0 : png->channels == 3 ? 2 : 6;
    png_write_bytes(w, signature, sizeof signature);
    png_write_chunk(w, "IHDR", head, sizeof head);
    png_write_chunk(w, "sRGB", (const uint8_t[]){0}, 1);
    if (png->frame) {
        png_write_u32(animation, png->frame_count);
        png_write_u32(animation + 4, png->plays);
        png_write_chunk(w, "acTL", animation, sizeof animation);
    }
    for (w->frame = 0; w->frame < (png->frame ? png->frame_count : 1); w->frame++) {
        const uint8_t *pixels = png->frame ? png->frame(png->user, w->frame) : png->pixels;
        if (!pixels) return tn_error(w->err, TENON_ERR_CANCELLED, "a frame was not drawn");
        if (png->frame) png_write_frame_control(w);
        if (!png_write_pixels(w, pixels)) return false;
    }
    png_write_chunk(w, "IEND", NULL, 0);
    return !w->stopped;
}

static bool png_write_counted(const tenon_png *png, tenon_budget *output, tenon_write_fn *write,
                              void *user, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!png || !write || png->width == 0 || png->height == 0 || png->width > SIDE_MOST ||
        png->height > SIDE_MOST || !(png->frame ? png->frame_count : png->pixels != NULL))
        return tn_error(err, TENON_ERR_VALUE, "there are no pixels to write");
    if (png->channels != 1 && png->channels != 3 && png->channels != 4)
        return tn_error(err, TENON_ERR_VALUE, "a pixel has 1, 3 or 4 bytes");
    const tenon_allocator *allocator = &png->allocator;
    uint64_t row_size = (uint64_t)png->width * png->channels;
    if (row_size + 1 > SIZE_MAX / ((uint64_t)png->height + 4))
        return tn_error(err, TENON_ERR_LIMIT, "the picture is too large");
    png_writer *w = tn_block_alloc(allocator, sizeof *w);
    if (w) {
        memset(w, 0, sizeof *w);
        w->png = png;
        w->write = write;
        w->user = user;
        w->err = err;
        w->output = output;
        w->row_size = (size_t)row_size;
        w->filtered_size = ((size_t)row_size + 1) * png->height;
        w->filtered = tn_block_alloc(allocator, w->filtered_size);
        w->rows_size = 3 * (size_t)row_size + 2 * CHANNELS_MOST;
        w->rows = tn_block_alloc(allocator, w->rows_size);
    }
    bool ok = w && w->filtered && w->rows;
    if (!ok) (void)tn_error(err, TENON_ERR_MEMORY, "out of memory for a picture");
    if (ok && !png_write_file(w)) {
        ok = false;
        if (w->stopped) (void)tn_error(err, TENON_ERR_CANCELLED, "writing was stopped");
    }
    if (w && w->filtered) tn_block_free(allocator, w->filtered, w->filtered_size);
    if (w && w->rows) tn_block_free(allocator, w->rows, w->rows_size);
    if (w) tn_block_free(allocator, w, sizeof *w);
    return tn_budget_settle(allocator->budget, ok, err);
}

bool tenon_write_png(const tenon_png *png, tenon_write_fn *write, void *user, tenon_error *err)
{
    return png_write_counted(png, png ? png->allocator.budget : NULL, write, user, err);
}

bool tn_pixels_write_png(const tn_pixels *pixels, const tenon_allocator *allocator,
                         tenon_write_fn *write, void *user, tenon_error *err)
{
    const tenon_png png = {.allocator = *allocator,
                           .width = pixels->width,
                           .height = pixels->height,
                           .channels = pixels->channels,
                           .pixels = pixels->data};
    return png_write_counted(&png, NULL, write, user, err);
}
