// test_png.c: PNG files that are written are read again, and always have the same bytes; files of
// all kinds and damaged ones are decoded.
// SPDX-License-Identifier: MIT

#include "../png_help.h"
#include "../test.h"
#include "scene/pictures/pixels.h"

// -- Decoding

// The picture must be `want`, of 3 or 4 channels.
static bool gives(const png_bytes *f, uint32_t width, uint32_t height, uint32_t channels,
                  const char *want)
{
    tenon_error err = {0};
    tn_pixels pixels;
    bool ok = tn_pixels_decode(f->bytes, f->size, &(tenon_allocator){0}, &pixels, &err);
    CHECK_STR(err.message, "");
    if (!ok) return false;
    ok = pixels.width == width && pixels.height == height && pixels.channels == channels;
    ok = ok && memcmp(pixels.data, want, (size_t)width * height * channels) == 0;
    tn_pixels_free(&pixels);
    return ok;
}

TEST(every_kind_of_png_is_decoded)
{
    png_bytes gray = png_begin((png_header){4, 1, 2, 0, 0});
    png_end(&gray, "\0\x1b", 2);
    CHECK(gives(&gray, 4, 1, 3, "\0\0\0\x55\x55\x55\xaa\xaa\xaa\xff\xff\xff"));
    png_bytes palette = png_begin((png_header){3, 1, 8, 3, 0});
    png_chunk(&palette, "PLTE", "abcdef", 6);
    png_chunk(&palette, "tRNS", "\x07", 1);
    png_end(&palette, "\0\1\0\2", 4);  // The palette has no third color.
    CHECK(gives(&palette, 3, 1, 4,
                "def\xff"
                "abc\x07"
                "\0\0\0\xff"));
    png_bytes key = png_begin((png_header){2, 1, 16, 2, 0});
    png_chunk(&key, "tRNS", "aabbcc", 6);
    png_end(&key, "\0aabbccaabbcd", 13);
    CHECK(gives(&key, 2, 1, 4,
                "abc\0"
                "abc\xff"));
    png_bytes interlaced = png_begin((png_header){2, 2, 8, 6, 1});
    png_end(&interlaced, "\0abcd\0efgh\0ijklmnop", 19);
    CHECK(gives(&interlaced, 2, 2, 4, "abcdefghijklmnop"));
}

static tenon_error err;

static tenon_code code_of(const png_bytes *f, tenon_budget *budget)
{
    tn_pixels pixels;
    err = (tenon_error){0};
    if (tn_pixels_decode(f->bytes, f->size, &(tenon_allocator){.budget = budget}, &pixels, &err))
        tn_pixels_free(&pixels);
    return err.code;
}

TEST(broken_files_are_refused)
{
    png_bytes f = png_begin((png_header){4, 4, 8, 2, 0});
    png_end(&f, "\0aabbccddeeff\1aabbccddeeff\2aabbccddeeff\3aabbccddeeff", 52);
    png_bytes whole = f;
    CHECK(code_of(&f, NULL) == TENON_OK);
    for (f.size -= 13; f.size > 0; f.size--) CHECK(code_of(&f, NULL) != TENON_OK);
    // Every changed byte breaks a checksum; only the size and the checksum of the last chunk, which
    // is not needed, do not matter.
    for (size_t i = 0; i < whole.size - 12; i++) {
        f = whole;
        f.bytes[i] ^= 0x10;
        CHECK(code_of(&f, NULL) != TENON_OK);
    }
    png_bytes filter = png_begin((png_header){1, 1, 8, 0, 0});
    png_end(&filter, "\5a", 2);
    CHECK(code_of(&filter, NULL) == TENON_ERR_VALUE);
    CHECK_STR(err.message, "the PNG file has an unknown filter");
    png_bytes bare = png_begin((png_header){1, 1, 8, 3, 0});
    png_end(&bare, "\0\0", 2);
    CHECK(code_of(&bare, NULL) == TENON_ERR_VALUE);
    CHECK_STR(err.message, "the PNG file has no palette");
}

TEST(headers_that_the_standard_forbids_are_refused)
{
    static const png_header headers[] = {
        {1, 1, 3, 0, 0}, {1, 1, 16, 3, 0}, {1, 1, 4, 2, 0}, {1, 1, 8, 1, 0}, {1, 1, 8, 5, 0},
        {1, 1, 8, 7, 0}, {1, 1, 8, 0, 2},  {0, 1, 8, 0, 0}, {1, 0, 8, 0, 0}, {1, 1, 8, 255, 0}};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        png_bytes f = png_begin(headers[i]);
        png_end(&f, "\0\0", headers[i].width && headers[i].height ? 2 : 0);
        CHECK(code_of(&f, NULL) == TENON_ERR_VALUE);
    }
}

TEST(a_large_png_is_refused_before_it_is_allocated)
{
    static const png_header headers[] = {{16384, 16384, 1, 0, 0}, {UINT32_MAX, 2, 16, 6, 1}};
    for (int i = 0; i < 2; i++) {
        tenon_budget budget = {.memory.limit = 32 << 20};
        png_bytes f = png_begin(headers[i]);
        png_end(&f, "", 0);
        CHECK(code_of(&f, &budget) != TENON_OK && budget.memory.most == 0);
    }
}

// -- Writing

static uint8_t pixels[64 * 64 * 4];

static void make_pixels(void)
{
    for (uint32_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * i / 97 + i / 256);
}

TEST(what_is_written_is_read_again)
{
    static const uint32_t sizes[][2] = {{1, 1}, {64, 64}, {3, 5}, {64, 1}, {1, 64}};
    make_pixels();
    for (uint32_t channels = 1; channels <= 4; channels++) {
        if (channels == 2) continue;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            png_bytes f = {.size = 0};
            tn_pixels got;
            tenon_png png = {.width = sizes[i][0],
                             .height = sizes[i][1],
                             .channels = channels,
                             .pixels = pixels};
            CHECK(tenon_write_png(&png, png_append, &f, NULL));
            CHECK(tn_pixels_decode(f.bytes, f.size, &(tenon_allocator){0}, &got, NULL));
            CHECK(got.width == png.width && got.height == png.height);
            for (uint32_t k = 0; k < png.width * png.height * got.channels; k++) {
                uint32_t pixel = k / got.channels, channel = k % got.channels;
                uint32_t from = channels == 1 ? 0 : channel;
                CHECK(got.data[k] == pixels[pixel * channels + from]);
            }
            tn_pixels_free(&got);
        }
    }
}

static const uint8_t *give_frame(void *user, uint32_t index)
{
    return index < *(uint32_t *)user ? pixels + 16 * (size_t)index : NULL;
}

TEST(an_animation_has_numbered_frames)
{
    static const char *const types[] = {"IHDR", "sRGB", "acTL", "fcTL", "IDAT",
                                        "fcTL", "fdAT", "fcTL", "fdAT", "IEND"};
    uint32_t frames = 3, next = 0, count = 0;
    png_bytes f = {.size = 0};
    tenon_png png = {.width = 8,
                     .height = 8,
                     .channels = 3,
                     .frame = give_frame,
                     .user = &frames,
                     .frame_count = 3,
                     .frame_ms = 40};
    CHECK(tenon_write_png(&png, png_append, &f, NULL));
    for (size_t at = 8; at + 12 <= f.size && count < 10; count++) {
        uint32_t size = png_u32_at(&f, at);
        char type[5] = {0};
        memcpy(type, f.bytes + at + 4, 4);
        CHECK_STR(type, types[count]);
        if (type[0] == 'f') CHECK(png_u32_at(&f, at + 8) == next++);
        if (strcmp(type, "fcTL") == 0) CHECK(png_u32_at(&f, at + 28) == (40u << 16 | 1000u));
        at += 12 + size;
    }
    CHECK(count == 10 && next == 5);
    frames = 2;
    f.size = 0;
    err = (tenon_error){0};
    CHECK(!tenon_write_png(&png, png_append, &f, &err) && err.code == TENON_ERR_CANCELLED);
}

static bool refuse(void *user, const void *bytes, size_t size)
{
    (void)bytes, (void)size;
    return (*(uint32_t *)user)-- > 0;
}

TEST(alpha_is_dropped_if_nothing_is_transparent)
{
    uint8_t opaque[] = {1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255},
            clear[] = {1, 2, 3, 255, 4, 5, 6, 254};
    static const uint8_t wanted[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    CHECK(tenon_drop_alpha(opaque, 3) == 3);
    CHECK(memcmp(opaque, wanted, sizeof wanted) == 0);
    CHECK(tenon_drop_alpha(clear, 2) == 4 && clear[4] == 4 && clear[7] == 254);
    CHECK(tenon_drop_alpha(clear, 0) == 4);
    CHECK(tenon_drop_alpha(NULL, 2) == 4);
}

TEST(what_cannot_be_written_is_refused)
{
    tenon_png png = {.width = 8, .height = 8, .channels = 4, .pixels = pixels};
    png_bytes f = {.size = 0};
    CHECK(!tenon_write_png(NULL, png_append, &f, NULL));
    CHECK(!tenon_write_png(&png, NULL, NULL, NULL));
    tenon_png none = png, empty = png, two = png, large = png;
    none.pixels = NULL;
    empty.height = 0;
    two.channels = 2;
    large.width = UINT32_MAX;
    const tenon_png *wrong[] = {&none, &empty, &two, &large};
    for (int i = 0; i < 4; i++) {
        err = (tenon_error){0};
        CHECK(!tenon_write_png(wrong[i], png_append, &f, &err) && err.code == TENON_ERR_VALUE);
    }
    CHECK(f.size == 0);
    for (uint32_t calls = 0; calls < 12; calls++) {
        uint32_t left = calls;
        CHECK(!tenon_write_png(&png, refuse, &left, &err) && err.code == TENON_ERR_CANCELLED);
    }
    tenon_budget budgets[] = {{.memory.limit = 100000},
                              {.memory.limit = 600000},
                              {.output.limit = 60},
                              {.work.limit = 15}};
    for (int i = 0; i < 4; i++) {
        png.allocator.budget = &budgets[i];
        err = (tenon_error){0};
        bool ok = tenon_write_png(&png, png_append, &f, &err);
        CHECK(budgets[i].memory.used == 0);
        CHECK(i == 1 ? ok : !ok && err.code == TENON_ERR_LIMIT);
    }
}

int main(void)
{
    RUN(every_kind_of_png_is_decoded);
    RUN(broken_files_are_refused);
    RUN(headers_that_the_standard_forbids_are_refused);
    RUN(a_large_png_is_refused_before_it_is_allocated);
    RUN(what_is_written_is_read_again);
    RUN(an_animation_has_numbered_frames);
    RUN(alpha_is_dropped_if_nothing_is_transparent);
    RUN(what_cannot_be_written_is_refused);
    TEST_END();
}
