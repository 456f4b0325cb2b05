// test_picture.c: the tool's pictures: what is decoded, and its cost.
// SPDX-License-Identifier: MIT

#include "../../cli/pictures/picture.h"
#include "../../cli/report/report.h"
#include "../test.h"

#include <stdarg.h>
#include <stdlib.h>

// The tool's own needs all of the tool.
tenon_error report_make(tenon_code code, const char *fmt, ...)
{
    tenon_error err = {.code = code};
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(err.message, sizeof err.message, fmt, args);
    va_end(args);
    return err;
}

// -- PNG files made by hand

typedef struct file {
    uint8_t bytes[4096];
    size_t size;
} file;

static bool append(void *user, const void *bytes, size_t size)
{
    file *f = user;
    if (size > sizeof f->bytes - f->size) return false;
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
    return true;
}

static void put_u32(file *f, uint32_t v)
{
    const uint8_t bytes[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8),
                              (uint8_t)v};
    (void)append(f, bytes, sizeof bytes);
}

static void put_chunk(file *f, const char *type, const void *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    put_u32(f, (uint32_t)size);
    size_t start = f->size;
    (void)append(f, type, 4);
    (void)append(f, bytes, size);
    for (size_t i = start; i < f->size; i++) {
        crc ^= f->bytes[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    put_u32(f, ~crc);
}

typedef struct header {
    uint32_t width, height;
    uint8_t bits, color, interlace;
} header;

static file begin_png(header h)
{
    file f = {.size = 0}, ihdr = {.size = 0};
    (void)append(&f, "\x89PNG\r\n\x1a\n", 8);
    put_u32(&ihdr, h.width);
    put_u32(&ihdr, h.height);
    (void)append(&ihdr, (const uint8_t[]){h.bits, h.color, 0, 0, h.interlace}, 5);
    put_chunk(&f, "IHDR", ihdr.bytes, ihdr.size);
    return f;
}

// Rows with their filters, in one stored block.
static void end_png(file *f, const void *rows, size_t size)
{
    file data = {.size = 0};
    uint32_t a = 1, b = 0;
    const uint8_t *row_bytes = rows;
    (void)append(&data, (const uint8_t[]){0x78, 1, 1}, 3);
    (void)append(&data, (const uint8_t[]){(uint8_t)size, (uint8_t)(size >> 8)}, 2);
    (void)append(&data, (const uint8_t[]){(uint8_t)~size, (uint8_t)(~size >> 8)}, 2);
    (void)append(&data, rows, size);
    for (size_t i = 0; i < size; i++) {
        a = (a + row_bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    put_u32(&data, b << 16 | a);
    put_chunk(f, "IDAT", data.bytes, data.size);
    put_chunk(f, "IEND", "", 0);
}

static bool gives(const file *f, uint32_t width, uint32_t height, const uint8_t *want)
{
    tenon_budget budget = {0};
    tenon_error err = {0};
    picture p;
    bool ok = picture_decode(f->bytes, f->size, &budget, &p, &err);
    CHECK_STR(err.message, "");
    ok = ok && p.width == width && p.height == height && p.channels == 4;
    ok = ok && memcmp(p.pixels, want, (size_t)width * height * 4) == 0;
    picture_free(&p, &budget);
    CHECK(budget.memory.used == 0);
    return ok;
}

TEST(every_kind_of_png_becomes_four_channels)
{
    file gray = begin_png((header){4, 1, 2, 0, 0});
    end_png(&gray, "\0\x1b", 2);
    CHECK(gives(&gray, 4, 1,
                (const uint8_t *)"\0\0\0\xff\x55\x55\x55\xff\xaa\xaa\xaa\xff\xff\xff\xff\xff"));
    file palette = begin_png((header){2, 1, 8, 3, 0});
    put_chunk(&palette, "PLTE", "abcdef", 6);
    put_chunk(&palette, "tRNS", "\x07", 1);
    end_png(&palette, "\0\1\0", 3);
    CHECK(gives(&palette, 2, 1,
                (const uint8_t *)"def\xff"
                                 "abc\x07"));
    file color = begin_png((header){1, 2, 8, 2, 0});
    end_png(&color, "\0abc\0def", 8);
    CHECK(gives(&color, 1, 2,
                (const uint8_t *)"abc\xff"
                                 "def\xff"));
    file interlaced = begin_png((header){2, 2, 8, 6, 1});
    end_png(&interlaced, "\0abcd\0efgh\0ijklmnop", 19);
    CHECK(gives(&interlaced, 2, 2, (const uint8_t *)"abcdefghijklmnop"));
}

// Engines ignore gamma, and it would spoil normal maps.
TEST(gamma_is_ignored)
{
    file deep = begin_png((header){2, 1, 16, 0, 0});
    end_png(&deep, "\0\x40\x40\x80\x80", 5);
    CHECK(gives(&deep, 2, 1, (const uint8_t *)"@@@\xff\x80\x80\x80\xff"));
    file bright = begin_png((header){1, 1, 8, 2, 0});
    put_chunk(&bright, "gAMA", "\0\1\x86\xa0", 4);
    end_png(&bright, "\0@\x80 ", 4);
    CHECK(gives(&bright, 1, 1, (const uint8_t *)"@\x80 \xff"));
}

static tenon_code code_of(const file *f, tenon_budget *budget)
{
    tenon_error err = {0};
    picture p;
    bool ok = picture_decode(f->bytes, f->size, budget, &p, &err);
    CHECK(ok == (err.code == TENON_OK));
    if (ok) picture_free(&p, budget);
    CHECK(!p.pixels && (!budget || budget->memory.used == 0));
    return err.code;
}

TEST(broken_files_are_refused)
{
    file f = begin_png((header){4, 4, 8, 2, 0});
    end_png(&f, "\0aabbccddeeff\0aabbccddeeff\0aabbccddeeff\0aabbccddeeff", 52);
    for (; f.size > 0; f.size--) {
        bool has_pixels = f.size >= 8 + 25 + 8 + 7 + 52;  // Headers of the file and of the data.
        if (!has_pixels) CHECK(code_of(&f, NULL) == TENON_ERR_VALUE);
    }
}

TEST(without_a_budget_there_is_a_fixed_limit)
{
    file large = begin_png((header){8193, 8192, 1, 0, 0});
    end_png(&large, "", 0);
    CHECK(code_of(&large, NULL) == TENON_ERR_LIMIT);
    tenon_budget unlimited = {0};
    CHECK(code_of(&large, &unlimited) == TENON_ERR_LIMIT && unlimited.memory.most < 100000);
}

TEST(a_large_png_is_refused_before_it_is_allocated)
{
    static const header headers[] = {{16384, 16384, 1, 0, 0}, {16384, 16384, 16, 6, 1}};
    for (int i = 0; i < 2; i++) {
        tenon_budget budget = {.memory.limit = 32 << 20}, slow = {.work.limit = 1 << 20};
        file f = begin_png(headers[i]);
        end_png(&f, "", 0);
        CHECK(code_of(&f, &budget) == TENON_ERR_LIMIT && budget.memory.most < 100000);
        CHECK(budget.memory.refused >= (uint64_t)4 << 28);
        slow.memory.limit = UINT64_MAX;
        CHECK(code_of(&f, &slow) == TENON_ERR_LIMIT && slow.work.refused == 1 << 26);
    }
}

// What libpng itself needs counts, too: one byte less than the total is not enough.
TEST(all_that_libpng_allocates_counts)
{
    tenon_budget needed = {0};
    file f = begin_png((header){2, 2, 8, 6, 1});
    end_png(&f, "\0abcd\0efgh\0ijklmnop", 19);
    CHECK(code_of(&f, &needed) == TENON_OK && needed.memory.most > 32768);
    for (uint64_t limit = needed.memory.most - 1; limit > 0; limit = limit * 3 / 4) {
        tenon_budget budget = {.memory.limit = limit};
        CHECK(code_of(&f, &budget) == TENON_ERR_LIMIT && budget.memory.refused > limit);
    }
}

// Texts of 64 KiB of zeros each: libpng would inflate and keep them.
TEST(texts_are_not_inflated)
{
    static const uint8_t start[] =
        "Comment\0\0\x78\xda\xed\xc1\1\1\0\0\0\x80\x90\xfe\xaf\xee\x08\x0a";
    static const uint8_t end[] = {0x6a, 0, 0x0f, 0, 1}, zeros[63];
    tenon_budget budget = {0}, bare = {0};
    file f = begin_png((header){1, 1, 8, 0, 0}), plain = f, text = {.size = 0};
    (void)append(&text, start, sizeof start - 1);
    (void)append(&text, zeros, sizeof zeros);
    (void)append(&text, end, sizeof end);
    for (int i = 0; i < 20; i++) put_chunk(&f, "zTXt", text.bytes, text.size);
    end_png(&f, "\0a", 2);
    end_png(&plain, "\0a", 2);
    CHECK(code_of(&f, &budget) == TENON_OK && code_of(&plain, &bare) == TENON_OK);
    CHECK(budget.memory.most == bare.memory.most);
}

// -- Encoding

TEST(pixels_come_back_from_a_png)
{
    static const uint8_t pixels[] = "abcdefghijklmnopqrstuvwx";
    static const uint8_t widened[] = "abc\xff"
                                     "def\xff"
                                     "ghi\xff"
                                     "jkl\xff";
    tenon_budget budget = {0};
    tenon_error err;
    file four = {.size = 0}, three = {.size = 0};
    CHECK(png_encode(&(picture){pixels, 3, 2, 4}, &budget, append, &four, &err));
    CHECK(png_encode(&(picture){pixels, 2, 2, 3}, &budget, append, &three, &err));
    CHECK(gives(&four, 3, 2, pixels) && gives(&three, 2, 2, widened));
    CHECK(budget.memory.used == 0 && budget.memory.most > 32768 && budget.work.used == 10);
}

static bool stop(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    return (*(size_t *)user -= size) > 0;
}

TEST(encoding_has_limits_and_can_be_stopped)
{
    uint8_t pixels[64] = {0};
    const picture p = {pixels, 4, 4, 4}, none = {pixels, 0, 4, 4};
    tenon_budget memory = {.memory.limit = 100000}, work = {.work.limit = 3};
    tenon_error err;
    file f = {.size = 0};
    size_t left = 8;
    CHECK(!png_encode(&p, &memory, append, &f, &err) && err.code == TENON_ERR_LIMIT);
    CHECK(memory.memory.refused > 100000 && memory.memory.used == 0);
    f.size = 0;
    CHECK(!png_encode(&p, &work, append, &f, &err) && err.code == TENON_ERR_LIMIT && !f.size);
    CHECK(!png_encode(&none, NULL, append, &f, &err) && err.code == TENON_ERR_VALUE);
    CHECK(!png_encode(&p, NULL, stop, &left, &err) && err.code == TENON_ERR_IO);
}

// -- JPEG

#ifdef TENON_JPEG

// 16 by 16 pixels. The frame is at FRAME: a marker, two bytes of size, one of precision, height,
// width.
enum { FRAME = 140 };

static const uint8_t photo[] = {
    0xff, 0xd8, 0xff, 0xdb, 0x00, 0x43, 0x00, 0x03, 0x02, 0x02, 0x03, 0x02, 0x02, 0x03, 0x03, 0x03,
    0x03, 0x04, 0x03, 0x03, 0x04, 0x05, 0x08, 0x05, 0x05, 0x04, 0x04, 0x05, 0x0a, 0x07, 0x07, 0x06,
    0x08, 0x0c, 0x0a, 0x0c, 0x0c, 0x0b, 0x0a, 0x0b, 0x0b, 0x0d, 0x0e, 0x12, 0x10, 0x0d, 0x0e, 0x11,
    0x0e, 0x0b, 0x0b, 0x10, 0x16, 0x10, 0x11, 0x13, 0x14, 0x15, 0x15, 0x15, 0x0c, 0x0f, 0x17, 0x18,
    0x16, 0x14, 0x18, 0x12, 0x14, 0x15, 0x14, 0xff, 0xdb, 0x00, 0x43, 0x01, 0x03, 0x04, 0x04, 0x05,
    0x04, 0x05, 0x09, 0x05, 0x05, 0x09, 0x14, 0x0d, 0x0b, 0x0d, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
    0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
    0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14,
    0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0xff, 0xc0, 0x00, 0x11,
    0x08, 0x00, 0x10, 0x00, 0x10, 0x03, 0x01, 0x11, 0x00, 0x02, 0x11, 0x01, 0x03, 0x11, 0x01, 0xff,
    0xc4, 0x00, 0x16, 0x00, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x09, 0x07, 0x08, 0xff, 0xc4, 0x00, 0x14, 0x10, 0x01, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xc4, 0x00,
    0x17, 0x01, 0x00, 0x03, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x08, 0x09, 0x0a, 0x07, 0xff, 0xc4, 0x00, 0x14, 0x11, 0x01, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xda, 0x00, 0x0c,
    0x03, 0x01, 0x00, 0x02, 0x11, 0x03, 0x11, 0x00, 0x3f, 0x00, 0xce, 0x8c, 0x30, 0xd4, 0xd0, 0x23,
    0xc6, 0x27, 0x42, 0x86, 0x9c, 0xc0, 0x34, 0x2f, 0x14, 0x66, 0x39, 0x5f, 0xff, 0xd9,
};

static file photo_of(uint8_t kind, uint16_t width, uint16_t height)
{
    file f = {.size = 0};
    (void)append(&f, photo, sizeof photo);
    f.bytes[FRAME + 1] = kind;
    f.bytes[FRAME + 5] = (uint8_t)(height >> 8);
    f.bytes[FRAME + 6] = (uint8_t)height;
    f.bytes[FRAME + 7] = (uint8_t)(width >> 8);
    f.bytes[FRAME + 8] = (uint8_t)width;
    return f;
}

TEST(a_jpeg_costs_what_it_is_allowed_to)
{
    file f = photo_of(0xc0, 16, 16);
    tenon_budget needed = {0};
    CHECK(code_of(&f, &needed) == TENON_OK && needed.work.used == 2 * 64);
    tenon_budget enough = {.memory.limit = needed.memory.most}, less = enough;
    less.memory.limit--;
    CHECK(code_of(&f, &enough) == TENON_OK);
    CHECK(code_of(&f, &less) == TENON_ERR_LIMIT && less.memory.refused == needed.memory.most);
    tenon_budget slow = {.work.limit = 127};
    CHECK(code_of(&f, &slow) == TENON_ERR_LIMIT && slow.work.refused == 128);
}

TEST(a_large_jpeg_is_refused_before_it_is_allocated)
{
    file f = photo_of(0xc0, 65500, 65500);
    tenon_budget budget = {.memory.limit = 32 << 20};
    CHECK(code_of(&f, &budget) == TENON_ERR_LIMIT && budget.memory.most == 0);
    CHECK(budget.memory.refused == (uint64_t)65500 * 65500 * 4);
    CHECK(code_of(&f, NULL) == TENON_ERR_LIMIT);
}

// All coefficients are kept until the last scan: six bytes a pixel more.
TEST(a_progressive_jpeg_needs_more)
{
    const uint64_t pixels = 2048 * 1024 * 4, coefficients = 2048 * 1024 * 6;
    tenon_budget budget = {.memory.limit = pixels + coefficients};
    file plain = photo_of(0xc0, 2048, 1024), progressive = photo_of(0xc2, 2048, 1024);
    CHECK(code_of(&plain, &budget) == TENON_ERR_VALUE && !budget.memory.refused);
    CHECK(code_of(&progressive, &budget) == TENON_ERR_LIMIT && budget.memory.most < 2 * pixels);
    CHECK(budget.memory.refused > pixels + coefficients);
}

#endif

int main(void)
{
    RUN(every_kind_of_png_becomes_four_channels);
    RUN(gamma_is_ignored);
    RUN(broken_files_are_refused);
    RUN(without_a_budget_there_is_a_fixed_limit);
    RUN(a_large_png_is_refused_before_it_is_allocated);
    RUN(all_that_libpng_allocates_counts);
    RUN(texts_are_not_inflated);
    RUN(pixels_come_back_from_a_png);
    RUN(encoding_has_limits_and_can_be_stopped);
#ifdef TENON_JPEG
    RUN(a_jpeg_costs_what_it_is_allowed_to);
    RUN(a_large_jpeg_is_refused_before_it_is_allocated);
    RUN(a_progressive_jpeg_needs_more);
#endif
    TEST_END();
}
