// test_pixels.c: DDS and TGA become pixels; nothing outside of the file is read.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "scene/pictures/pixels.h"

#include <stdlib.h>

// -- Files made by hand

typedef struct picture_file {
    uint8_t bytes[512];
    size_t size;
} picture_file;

static void put_bytes(picture_file *f, const void *bytes, size_t size)
{
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static void put_u32_at(picture_file *f, size_t at, uint32_t v)
{
    for (int i = 0; i < 4; i++) f->bytes[at + (size_t)i] = (uint8_t)(v >> (8 * i));
}

enum { ALPHA = 0x1, ONLY_ALPHA = 0x2, CODE = 0x4, RGB = 0x40, GREY = 0x20000 };

// The header of a DDS of that size.
static picture_file dds(uint32_t width, uint32_t height, uint32_t flags)
{
    picture_file f = {.size = 128};
    memcpy(f.bytes, "DDS ", 4);
    put_u32_at(&f, 4, 124);
    put_u32_at(&f, 12, height);
    put_u32_at(&f, 16, width);
    put_u32_at(&f, 76, 32);
    put_u32_at(&f, 80, flags);
    return f;
}

static picture_file dds_blocks(uint32_t width, uint32_t height, const char *code)
{
    picture_file f = dds(width, height, CODE);
    memcpy(f.bytes + 84, code, 4);
    return f;
}

static picture_file dds_masks(uint32_t width, uint32_t flags, uint32_t bits,
                              const uint32_t masks[4])
{
    picture_file f = dds(width, 1, flags);
    put_u32_at(&f, 88, bits);
    for (size_t i = 0; i < 4; i++) put_u32_at(&f, 92 + 4 * i, masks[i]);
    return f;
}

static picture_file tga(uint8_t type, uint8_t width, uint8_t height, uint8_t bits, uint8_t flags)
{
    picture_file f = {.size = 18};
    f.bytes[2] = type;
    f.bytes[12] = width;
    f.bytes[14] = height;
    f.bytes[16] = bits;
    f.bytes[17] = flags;
    return f;
}

// -- Expected results

static tenon_error err;

static bool decode(const picture_file *f, tn_pixels *pixels)
{
    // Of the exact size, so that a sanitizer notices a read beyond the end.
    uint8_t *copy = malloc(f->size ? f->size : 1);
    memcpy(copy, f->bytes, f->size);
    err = (tenon_error){0};
    bool ok = tn_pixels_decode(copy, f->size, &(tenon_allocator){0}, pixels, &err);
    free(copy);
    return ok;
}

// Whether the file decodes to these bytes.
static bool gives(const picture_file *f, uint32_t width, uint32_t height, uint32_t channels,
                  const uint8_t *want)
{
    tn_pixels p;
    if (!decode(f, &p)) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    bool same = p.width == width && p.height == height && p.channels == channels;
    for (size_t i = 0; same && i < (size_t)width * height * channels; i++) {
        same = p.data[i] == want[i];
        if (!same) fprintf(stderr, "byte %zu: got %d, want %d\n", i, p.data[i], want[i]);
    }
    tn_pixels_free(&p);
    return same;
}

static bool is_refused(const picture_file *f, tenon_code code)
{
    tn_pixels p;
    bool ok = decode(f, &p);
    if (ok) tn_pixels_free(&p);
    if (!ok && err.code != code) fprintf(stderr, "%d: %s\n", err.code, err.message);
    return !ok && err.code == code && !p.data;
}

// -- Kinds

TEST(kinds_are_recognized_by_content)
{
    picture_file f = dds(1, 1, RGB);
    CHECK(tn_picture_kind(f.bytes, f.size) == TN_PICTURE_DDS);
    CHECK(tn_picture_kind(f.bytes, 127) == TN_PICTURE_UNKNOWN);
    f = tga(2, 1, 1, 24, 0);
    CHECK(tn_picture_kind(f.bytes, f.size) == TN_PICTURE_TGA);
    CHECK(tn_picture_kind(f.bytes, 17) == TN_PICTURE_UNKNOWN);
    CHECK(tn_picture_kind("\x89PNG\r\n\x1a\n", 8) == TN_PICTURE_PNG);
    CHECK(tn_picture_kind("\xff\xd8\xff\xe0", 4) == TN_PICTURE_JPEG);
    CHECK(tn_picture_kind("BM", 2) == TN_PICTURE_UNKNOWN);
    CHECK(tn_picture_kind(NULL, 0) == TN_PICTURE_UNKNOWN);
    CHECK(tn_picture_kind("a text that is long enough for a header", 39) == TN_PICTURE_UNKNOWN);
}

// -- Blocks

// Red 0xf800 and blue 0x001f; the pixels of each row are 0, 1, 2, 3.
static const uint8_t red_blue[] = {0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4};
static const uint8_t blue_red[] = {0x1f, 0x00, 0x00, 0xf8, 0xe4, 0xe4, 0xe4, 0xe4};

TEST(bc1_mixes_two_colors)
{
    picture_file f = dds_blocks(4, 4, "DXT1");
    put_bytes(&f, red_blue, 8);
    uint8_t want[48];
    const uint8_t row[] = {255, 0, 0, 0, 0, 255, 170, 0, 85, 85, 0, 170};
    for (int i = 0; i < 4; i++) memcpy(want + 12 * i, row, 12);
    CHECK(gives(&f, 4, 4, 3, want));
}

TEST(bc1_in_the_other_order_is_transparent)
{
    picture_file f = dds_blocks(4, 4, "DXT1");
    put_bytes(&f, blue_red, 8);
    uint8_t want[64];
    const uint8_t row[] = {0, 0, 255, 255, 255, 0, 0, 255, 128, 0, 128, 255, 0, 0, 0, 0};
    for (int i = 0; i < 4; i++) memcpy(want + 16 * i, row, 16);
    CHECK(gives(&f, 4, 4, 4, want));
}

TEST(bc2_has_four_bits_of_alpha_and_is_never_transparent)
{
    picture_file f = dds_blocks(4, 1, "DXT3");
    const uint8_t alpha[] = {0x10, 0xf8, 0, 0, 0, 0, 0, 0};
    put_bytes(&f, alpha, 8);
    put_bytes(&f, blue_red, 8);
    const uint8_t want[] = {0, 0, 255, 0, 255, 0, 0, 17, 85, 0, 170, 136, 170, 0, 85, 255};
    CHECK(gives(&f, 4, 1, 4, want));
}

TEST(bc3_mixes_two_alphas_by_sevenths)
{
    picture_file f = dds_blocks(4, 2, "DXT5");
    // Pixels 0 to 7 take values 0 to 7: three bits each, 0xfac688.
    const uint8_t alpha[] = {255, 0, 0x88, 0xc6, 0xfa, 0, 0, 0};
    const uint8_t white[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    put_bytes(&f, alpha, 8);
    put_bytes(&f, white, 8);
    const uint8_t values[] = {255, 0, 219, 182, 146, 109, 73, 36};
    uint8_t want[32];
    memset(want, 255, sizeof want);
    for (int i = 0; i < 8; i++) want[4 * i + 3] = values[i];
    CHECK(gives(&f, 4, 2, 4, want));
}

TEST(bc3_in_the_other_order_mixes_by_fifths)
{
    picture_file f = dds_blocks(4, 2, "DXT5");
    const uint8_t alpha[] = {0, 255, 0x88, 0xc6, 0xfa, 0, 0, 0};
    put_bytes(&f, alpha, 8);
    put_bytes(&f, red_blue, 8);
    const uint8_t values[] = {0, 255, 51, 102, 153, 204, 0, 255};
    const uint8_t row[] = {255, 0, 0, 0, 0, 255, 170, 0, 85, 85, 0, 170};
    uint8_t want[32];
    for (int i = 0; i < 8; i++) {
        memcpy(want + 4 * i, row + 3 * (i % 4), 3);
        want[4 * i + 3] = values[i];
    }
    CHECK(gives(&f, 4, 2, 4, want));
}

TEST(blocks_reach_beyond_the_edge)
{
    picture_file f = dds_blocks(5, 5, "DXT1");
    for (int i = 0; i < 4; i++) {
        const uint8_t one_color[] = {(uint8_t)i, 0, 0, 0, 0, 0, 0, 0};
        put_bytes(&f, one_color, 8);
    }
    tn_pixels p;
    CHECK(decode(&f, &p));
    // Blue of 0 to 3 in 31: 0, 8, 16, 24 in 255.
    CHECK(p.width == 5 && p.height == 5 && p.channels == 3);
    CHECK(p.data[2] == 0 && p.data[3 * 4 + 2] == 8);
    CHECK(p.data[3 * 20 + 2] == 16 && p.data[3 * 24 + 2] == 24);
    tn_pixels_free(&p);
    f.size--;
    CHECK(is_refused(&f, TENON_ERR_TRUNCATED));
    CHECK_STR(err.message, "the pixels need 32 bytes, only 31 left");
}

TEST(direct3d_10_numbers_its_formats)
{
    picture_file f = dds_blocks(4, 4, "DX10");
    uint8_t more[20] = {71, 0, 0, 0, 3};
    put_bytes(&f, more, 20);
    put_bytes(&f, red_blue, 8);
    tn_pixels p;
    CHECK(decode(&f, &p));
    CHECK(p.data[0] == 255 && p.data[5] == 255 && p.channels == 3);
    tn_pixels_free(&p);
    f = dds_blocks(1, 1, "DX10");
    more[0] = 28;
    put_bytes(&f, more, 20);
    put_bytes(&f, "\1\2\3\4", 4);
    CHECK(gives(&f, 1, 1, 4, (const uint8_t[]){1, 2, 3, 4}));
    f.bytes[128] = 98;  // BC7.
    CHECK(is_refused(&f, TENON_ERR_UNSUPPORTED));
}

// -- Masks

TEST(masks_say_where_colors_are)
{
    picture_file f = dds_masks(3, RGB, 16, (const uint32_t[]){0xf800, 0x7e0, 0x1f, 0});
    put_bytes(&f, "\x00\xf8\xe0\x07\x10\x00", 6);  // Red; green; blue of 16 in 31.
    CHECK(gives(&f, 3, 1, 3, (const uint8_t[]){255, 0, 0, 0, 255, 0, 0, 0, 132}));

    f = dds_masks(2, RGB | ALPHA, 16, (const uint32_t[]){0x7c00, 0x3e0, 0x1f, 0x8000});
    put_bytes(&f, "\x00\xfc\x1f\x00", 4);
    CHECK(gives(&f, 2, 1, 4, (const uint8_t[]){255, 0, 0, 255, 0, 0, 255, 0}));

    f = dds_masks(1, RGB | ALPHA, 16, (const uint32_t[]){0xf00, 0xf0, 0xf, 0xf000});
    put_bytes(&f, "\x23\x41", 2);
    CHECK(gives(&f, 1, 1, 4, (const uint8_t[]){17, 34, 51, 68}));

    f = dds_masks(2, RGB, 24, (const uint32_t[]){0xff0000, 0xff00, 0xff, 0});
    put_bytes(&f, "\1\2\3\4\5\6", 6);
    CHECK(gives(&f, 2, 1, 3, (const uint8_t[]){3, 2, 1, 6, 5, 4}));

    f = dds_masks(1, RGB | ALPHA, 32, (const uint32_t[]){0xff0000, 0xff00, 0xff, 0xff000000});
    put_bytes(&f, "\1\2\3\4", 4);
    CHECK(gives(&f, 1, 1, 4, (const uint8_t[]){3, 2, 1, 4}));
    // Without the flag there is no alpha, whatever its mask says.
    put_u32_at(&f, 80, RGB);
    CHECK(gives(&f, 1, 1, 3, (const uint8_t[]){3, 2, 1}));

    f = dds_masks(1, RGB | ALPHA, 32, (const uint32_t[]){0x3ff, 0xffc00, 0x3ff00000, 0xc0000000});
    put_bytes(&f, "\xff\x03\x00\x80", 4);  // Ten bits each, two of alpha: 1023, 0, 0, 2.
    CHECK(gives(&f, 1, 1, 4, (const uint8_t[]){255, 0, 0, 170}));
}

TEST(gray_and_alpha_can_be_alone)
{
    picture_file f = dds_masks(2, GREY, 8, (const uint32_t[]){0xff, 0, 0, 0});
    put_bytes(&f, "\x07\xff", 2);
    CHECK(gives(&f, 2, 1, 3, (const uint8_t[]){7, 7, 7, 255, 255, 255}));
    put_u32_at(&f, 92, 0);
    CHECK(gives(&f, 2, 1, 3, (const uint8_t[]){7, 7, 7, 255, 255, 255}));

    f = dds_masks(1, GREY | ALPHA, 16, (const uint32_t[]){0xff, 0, 0, 0xff00});
    put_bytes(&f, "\x07\x09", 2);
    CHECK(gives(&f, 1, 1, 4, (const uint8_t[]){7, 7, 7, 9}));

    f = dds_masks(1, ONLY_ALPHA, 8, (const uint32_t[]){0, 0, 0, 0xff});
    put_bytes(&f, "\x09", 1);
    CHECK(gives(&f, 1, 1, 4, (const uint8_t[]){255, 255, 255, 9}));
}

TEST(invalid_dds_is_refused)
{
    picture_file f = dds_blocks(4, 4, "ATI2");
    CHECK(is_refused(&f, TENON_ERR_UNSUPPORTED));
    f = dds_blocks(4, 4, "DXT1");
    put_u32_at(&f, 112, 0x200);  // A cube.
    CHECK(is_refused(&f, TENON_ERR_UNSUPPORTED));
    f = dds_blocks(0, 4, "DXT1");
    CHECK(is_refused(&f, TENON_ERR_VALUE));
    f = dds_blocks(UINT32_MAX, UINT32_MAX, "DXT1");
    CHECK(is_refused(&f, TENON_ERR_LIMIT));
    f = dds_blocks(8192, 8193, "DXT1");
    CHECK(is_refused(&f, TENON_ERR_LIMIT));
    f = dds_blocks(8192, 8192, "DXT1");
    CHECK(is_refused(&f, TENON_ERR_TRUNCATED));
    f = dds_masks(1, RGB, 12, (const uint32_t[]){1, 2, 4, 8});
    CHECK(is_refused(&f, TENON_ERR_UNSUPPORTED));
    f = dds_masks(1, RGB, 40, (const uint32_t[]){1, 2, 4, 8});
    CHECK(is_refused(&f, TENON_ERR_UNSUPPORTED));
    f = dds_masks(1, 0x200, 16, (const uint32_t[]){1, 2, 4, 8});  // YUV.
    CHECK(is_refused(&f, TENON_ERR_UNSUPPORTED));
}

// -- TGA

// There are five codes of four letters.
TEST(unknown_dds_blocks_are_refused)
{
    for (int last = 1; last < 256; last++) {
        const char code[5] = {'D', 'X', 'T', (char)last};
        picture_file f = dds_blocks(4, 4, code);
        tn_pixels pixels = {0};
        f.size += 16;
        bool is_known = last >= '1' && last <= '5', is_decoded = decode(&f, &pixels);
        CHECK(is_decoded == is_known);
        if (is_decoded) tn_pixels_free(&pixels);
    }
}

// Every type, size of pixels and kind of table: only what the format defines is accepted.
TEST(invalid_tga_headers_are_not_accepted)
{
    for (uint32_t type = 0; type < 256; type++)
        for (uint32_t bits = 0; bits < 64; bits++) {
            picture_file f = tga((uint8_t)type, 1, 1, (uint8_t)bits, 0);
            uint32_t plain = type & ~8u;  // The others are packed.
            bool is_color = bits == 15 || bits == 16 || bits == 24 || bits == 32;
            bool is_known = (plain == 2 && is_color) || (plain == 3 && (bits == 8 || bits == 16));
            CHECK((tn_picture_kind(f.bytes, f.size) == TN_PICTURE_TGA) == is_known);
        }
    for (uint32_t map_bits = 0; map_bits < 64; map_bits++) {
        picture_file f = tga(1, 1, 1, 8, 0);
        f.bytes[1] = f.bytes[5] = 1;  // A table of one color.
        f.bytes[7] = (uint8_t)map_bits;
        bool is_known = map_bits == 15 || map_bits == 16 || map_bits == 24 || map_bits == 32;
        CHECK((tn_picture_kind(f.bytes, f.size) == TN_PICTURE_TGA) == is_known);
        f.bytes[5] = 0;
        CHECK(tn_picture_kind(f.bytes, f.size) != TN_PICTURE_TGA);
    }
}

TEST(tga_starts_where_it_says)
{
    const uint8_t bottom[] = {1, 2, 3, 4, 5, 6}, top[] = {7, 8, 9, 10, 11, 12};
    picture_file f = tga(2, 2, 2, 24, 0);
    put_bytes(&f, bottom, 6);
    put_bytes(&f, top, 6);
    CHECK(gives(&f, 2, 2, 3, (const uint8_t[]){9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4}));
    f.bytes[17] = 0x20;
    CHECK(gives(&f, 2, 2, 3, (const uint8_t[]){3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}));
    f.bytes[17] = 0x30;
    CHECK(gives(&f, 2, 2, 3, (const uint8_t[]){6, 5, 4, 3, 2, 1, 12, 11, 10, 9, 8, 7}));
}

TEST(tga_has_pixels_of_many_sizes)
{
    picture_file f = tga(2, 2, 1, 32, 0x28);
    put_bytes(&f, "\1\2\3\4\5\6\7\0", 8);
    CHECK(gives(&f, 2, 1, 4, (const uint8_t[]){3, 2, 1, 4, 7, 6, 5, 0}));
    // All pixels invisible: that is a mistake.
    f.bytes[18 + 3] = 0;
    CHECK(gives(&f, 2, 1, 3, (const uint8_t[]){3, 2, 1, 7, 6, 5}));

    f = tga(2, 2, 1, 16, 0x21);
    put_bytes(&f, "\x00\xfc\x1f\x00", 4);
    CHECK(gives(&f, 2, 1, 4, (const uint8_t[]){255, 0, 0, 255, 0, 0, 255, 0}));
    f.bytes[17] = 0x20;
    CHECK(gives(&f, 2, 1, 3, (const uint8_t[]){255, 0, 0, 0, 0, 255}));
    f.bytes[16] = 15;
    CHECK(gives(&f, 2, 1, 3, (const uint8_t[]){255, 0, 0, 0, 0, 255}));

    f = tga(3, 2, 1, 8, 0x20);
    put_bytes(&f, "\x07\x08", 2);
    CHECK(gives(&f, 2, 1, 3, (const uint8_t[]){7, 7, 7, 8, 8, 8}));
    f = tga(3, 1, 1, 16, 0x28);
    put_bytes(&f, "\x07\x08", 2);
    CHECK(gives(&f, 1, 1, 4, (const uint8_t[]){7, 7, 7, 8}));
}

TEST(tga_can_have_a_color_table)
{
    picture_file f = tga(1, 4, 1, 8, 0x20);
    f.bytes[0] = 2;  // An identifier of two bytes.
    f.bytes[1] = 1;
    f.bytes[3] = 10;  // The first entry is number 10.
    f.bytes[5] = 2;
    f.bytes[7] = 24;
    put_bytes(&f, "id\1\2\3\4\5\6\x0a\x0b\x0c\x00", 12);
    const uint8_t want[] = {3, 2, 1, 6, 5, 4, 0, 0, 0, 0, 0, 0};
    CHECK(gives(&f, 4, 1, 3, want));
    f.bytes[2] = 9;  // The same, packed.
    f.size -= 4;
    put_bytes(&f, "\x01\x0a\x0b\x81\x0c", 5);
    CHECK(gives(&f, 4, 1, 3, want));
    f.bytes[1] = 0;
    CHECK(is_refused(&f, TENON_ERR_FORMAT));
}

TEST(tga_packets_may_cross_rows)
{
    picture_file f = tga(10, 3, 2, 24, 0x20);
    put_bytes(&f, "\x83\1\2\3", 4);            // Four times the same.
    put_bytes(&f, "\x01\4\5\6\7\x08\x09", 7);  // Two literal ones.
    const uint8_t want[] = {3, 2, 1, 3, 2, 1, 3, 2, 1, 3, 2, 1, 6, 5, 4, 9, 8, 7};
    CHECK(gives(&f, 3, 2, 3, want));
    f.size--;
    CHECK(is_refused(&f, TENON_ERR_TRUNCATED));
    CHECK_STR(err.message, "the picture ends after 4 of 6 pixels");
    // A packet that is longer than the picture is cut.
    f.bytes[18] = 0xff;
    tn_pixels p;
    CHECK(decode(&f, &p));
    tn_pixels_free(&p);
    f = tga(11, 2, 1, 8, 0x20);
    put_bytes(&f, "\x81\x07", 2);
    CHECK(gives(&f, 2, 1, 3, (const uint8_t[]){7, 7, 7, 7, 7, 7}));
}

TEST(a_small_file_does_not_make_a_large_picture)
{
    picture_file f = tga(10, 0, 0, 24, 0);
    memcpy(f.bytes + 12, "\xff\x1f\xff\x1f", 4);  // 8191 by 8191.
    put_bytes(&f, "\xff\1\2\3", 4);
    CHECK(is_refused(&f, TENON_ERR_TRUNCATED));
    memcpy(f.bytes + 12, "\xff\xff\xff\xff", 4);
    CHECK(is_refused(&f, TENON_ERR_LIMIT));
}

TEST(a_picture_can_be_flipped)
{
    picture_file f = tga(3, 1, 3, 8, 0x20);
    put_bytes(&f, "\1\2\3", 3);
    tn_pixels p;
    CHECK(decode(&f, &p));
    tn_pixels_flip(&p);
    CHECK(memcmp(p.data, "\3\3\3\2\2\2\1\1\1", 9) == 0);
    tn_pixels_free(&p);
}

// -- Hostile files

static void try(const picture_file *f)
{
    tn_pixels p;
    if (!decode(f, &p)) return;
    CHECK(p.width && p.height && (p.channels == 3 || p.channels == 4));
    tn_pixels_free(&p);
}

TEST(any_bytes_are_handled)
{
    picture_file files[8] = {
        dds_blocks(5, 3, "DXT1"),
        dds_blocks(5, 3, "DXT3"),
        dds_blocks(5, 3, "DXT5"),
        dds_masks(4, RGB | ALPHA, 32, (const uint32_t[]){0xff, 0xff00, 0xff0000, 0xff000000}),
        tga(2, 3, 3, 24, 0),
        tga(10, 9, 3, 16, 0),
        tga(9, 3, 3, 8, 0),
        dds_blocks(4, 4, "DX10"),
    };
    files[6].bytes[1] = files[6].bytes[5] = 1;
    files[6].bytes[7] = 32;
    for (int k = 0; k < 8; k++) {
        uint8_t noise[60];
        for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)(i * 37 + (size_t)k);
        put_bytes(&files[k], noise, sizeof noise);
        picture_file f = files[k];
        for (; f.size > 0; f.size--) try(&f);
        for (size_t at = 0; at < files[k].size; at++) {
            static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
            f = files[k];
            for (size_t i = 0; i < sizeof values; i++) f.bytes[at] = values[i], try(&f);
        }
    }
}

static void *refuse(void *user, size_t size)
{
    (void)user;
    (void)size;
    return NULL;
}

static void never(void *user, void *memory, size_t size)
{
    (void)user;
    (void)memory;
    (void)size;
    CHECK(false);
}

TEST(no_memory_is_an_error)
{
    picture_file f = tga(3, 1, 1, 8, 0x20);
    put_bytes(&f, "\1", 1);
    tn_pixels p;
    tenon_allocator none = {.alloc = refuse, .free = never};
    CHECK(!tn_pixels_decode(f.bytes, f.size, &none, &p, &err));
    CHECK(err.code == TENON_ERR_MEMORY);
}

// -- Budgets

// The largest block that was requested.
static size_t largest;

static void *count_block(void *user, size_t size)
{
    (void)user;
    if (largest < size) largest = size;
    return malloc(size);
}

static void free_block(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static tenon_code decode_within(const picture_file *f, uint64_t size, tenon_budget *budget)
{
    tenon_allocator allocator = {.alloc = count_block, .free = free_block, .budget = budget};
    uint8_t *bytes = calloc(1, (size_t)size);
    tn_pixels p;
    memcpy(bytes, f->bytes, f->size);
    err = (tenon_error){0};
    largest = 0;
    if (tn_pixels_decode(bytes, size, &allocator, &p, &err)) tn_pixels_free(&p);
    free(bytes);
    return err.code;
}

TEST(the_budget_is_checked_before_memory_is_allocated)
{
    const uint64_t pixels = 64 * 64;
    picture_file files[] = {tga(10, 64, 64, 8, 0), tga(3, 64, 64, 8, 0), dds_blocks(64, 64, "DXT1"),
                            dds_blocks(64, 64, "DXT5")};
    files[0].bytes[2] = 11;  // Packed gray.
    for (int i = 0; i < 4; i++) {
        tenon_budget enough = {.memory.limit = 4 * pixels, .work.limit = pixels / 4};
        tenon_budget small = {.memory.limit = 4 * pixels - 1},
                     slow = {.work.limit = pixels / 4 - 1};
        CHECK(decode_within(&files[i], 16384, &enough) == TENON_OK && largest == 4 * pixels);
        CHECK(enough.memory.used == 0 && enough.work.used == pixels / 4);
        CHECK(decode_within(&files[i], 16384, &small) != TENON_OK && largest == 0);
        CHECK(small.memory.refused == 4 * pixels);
        CHECK(decode_within(&files[i], 16384, &slow) == TENON_ERR_LIMIT && largest == 0);
        CHECK(slow.work.refused == pixels / 4);
    }
}

// A size that the file cannot have is refused first; else the budget decides.
TEST(sizes_are_limited_by_the_file_then_by_the_budget)
{
    tenon_budget budget = {.memory.limit = 1 << 20}, unlimited = {0};
    picture_file huge = dds_blocks(UINT32_MAX, UINT32_MAX, "DXT5");
    picture_file large = dds_blocks(16384, 16384, "DXT1");
    CHECK(decode_within(&huge, 4096, &budget) == TENON_ERR_LIMIT && !budget.memory.refused);
    CHECK(decode_within(&large, 4096, &budget) == TENON_ERR_TRUNCATED && !budget.memory.refused);
    CHECK(decode_within(&large, 4096, &unlimited) == TENON_ERR_LIMIT);
    picture_file packed = tga(10, 0, 0, 8, 0);
    packed.bytes[2] = 11;
    packed.bytes[13] = packed.bytes[15] = 64;  // 16384 by 16384.
    CHECK(decode_within(&packed, 5 << 20, &budget) != TENON_OK && largest == 0);
    CHECK(budget.memory.refused == (uint64_t)4 << 28);
}

int main(void)
{
    RUN(kinds_are_recognized_by_content);
    RUN(bc1_mixes_two_colors);
    RUN(bc1_in_the_other_order_is_transparent);
    RUN(bc2_has_four_bits_of_alpha_and_is_never_transparent);
    RUN(bc3_mixes_two_alphas_by_sevenths);
    RUN(bc3_in_the_other_order_mixes_by_fifths);
    RUN(blocks_reach_beyond_the_edge);
    RUN(direct3d_10_numbers_its_formats);
    RUN(masks_say_where_colors_are);
    RUN(gray_and_alpha_can_be_alone);
    RUN(invalid_dds_is_refused);
    RUN(unknown_dds_blocks_are_refused);
    RUN(invalid_tga_headers_are_not_accepted);
    RUN(tga_starts_where_it_says);
    RUN(tga_has_pixels_of_many_sizes);
    RUN(tga_can_have_a_color_table);
    RUN(tga_packets_may_cross_rows);
    RUN(a_small_file_does_not_make_a_large_picture);
    RUN(a_picture_can_be_flipped);
    RUN(any_bytes_are_handled);
    RUN(no_memory_is_an_error);
    RUN(the_budget_is_checked_before_memory_is_allocated);
    RUN(sizes_are_limited_by_the_file_then_by_the_budget);
    TEST_END();
}
