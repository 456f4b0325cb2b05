// png_help.h: PNG files made by hand, in memory.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_PNG_HELP_H
#define TENON_TESTS_PNG_HELP_H

#include <tenon/render.h>

#include "core/compress/crc32.h"
#include "core/compress/deflate.h"

#include <stdlib.h>
#include <string.h>

typedef struct png_bytes {
    uint8_t bytes[65536];
    size_t size;
} png_bytes;

typedef struct png_header {
    uint32_t width, height;
    uint8_t bits, kind, interlace;
} png_header;

// A tenon_write_fn; `user` is the png_bytes.
static inline bool png_append(void *user, const void *bytes, size_t size)
{
    png_bytes *f = user;
    if (size > sizeof f->bytes - f->size) return false;
    if (size > 0) memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
    return true;
}

static inline void png_u32(png_bytes *f, uint32_t v)
{
    const uint8_t bytes[] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
    if (!png_append(f, bytes, sizeof bytes)) abort();
}

static inline uint32_t png_u32_at(const png_bytes *f, size_t at)
{
    const uint8_t *p = f->bytes + at;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void png_chunk(png_bytes *f, const char *type, const void *bytes, size_t size)
{
    png_u32(f, (uint32_t)size);
    size_t start = f->size;
    if (!png_append(f, type, 4) || !png_append(f, bytes, size)) abort();
    png_u32(f, tn_crc32(0, f->bytes + start, size + 4));
}

// A file with its header.
static inline png_bytes png_begin(png_header h)
{
    png_bytes f = {.size = 0}, head = {.size = 0};
    const uint8_t rest[] = {h.bits, h.kind, 0, 0, h.interlace};
    (void)png_append(&f, "\x89PNG\r\n\x1a\n", 8);
    png_u32(&head, h.width);
    png_u32(&head, h.height);
    (void)png_append(&head, rest, sizeof rest);
    png_chunk(&f, "IHDR", head.bytes, head.size);
    return f;
}

// Rows with their filters, compressed and in two chunks, and the end of the file.
static inline void png_end(png_bytes *f, const void *rows, size_t size)
{
    static const tenon_allocator plain;
    png_bytes *data = calloc(1, sizeof *data);
    if (!data || !tn_deflate(rows, size, &plain, png_append, data, NULL)) abort();
    png_chunk(f, "IDAT", data->bytes, 3);
    png_chunk(f, "IDAT", data->bytes + 3, data->size - 3);
    png_chunk(f, "IEND", "", 0);
    free(data);
}

#endif  // TENON_TESTS_PNG_HELP_H
