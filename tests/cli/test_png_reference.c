// test_png_reference.c: our PNG code and libpng agree about files of all kinds.
// SPDX-License-Identifier: MIT

#include "../../cli/pictures/picture.h"
#include "../../cli/report/report.h"
#include "../png_help.h"
#include "../test.h"
#include "scene/pictures/pixels.h"

// The tool's own needs all of the tool.
tenon_error report_make(tenon_code code, const char *fmt, ...)
{
    (void)fmt;
    return (tenon_error){.code = code};
}

static uint32_t state = 1;

static uint32_t random_below(uint32_t end)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % end;
}

// Whether both decode the file to the same pixels, or both refuse it.
static bool agree(const png_bytes *f)
{
    tenon_error err = {0};
    tn_pixels ours;
    picture theirs;
    bool ok = tn_pixels_decode(f->bytes, f->size, &(tenon_allocator){0}, &ours, NULL);
    bool is_read = picture_decode(f->bytes, f->size, NULL, &theirs, &err);
    bool same = ok == is_read;
    if (ok && is_read) {
        same = ours.width == theirs.width && ours.height == theirs.height;
        for (uint32_t i = 0; same && i < ours.width * ours.height; i++) {
            const uint8_t *p = ours.data + (size_t)i * ours.channels, *q = theirs.pixels + 4 * i;
            same = memcmp(p, q, 3) == 0 && (ours.channels == 4 ? p[3] : 255) == q[3];
        }
    }
    if (ok) tn_pixels_free(&ours);
    if (is_read) picture_free(&theirs, NULL);
    return same;
}

// A file of noise. Its rows have all filters.
static png_bytes noise(png_header h)
{
    static const uint8_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    static const uint8_t steps[7][2] = {{8, 8}, {8, 8}, {4, 8}, {4, 4}, {2, 4}, {2, 2}, {1, 2}};
    static const uint8_t starts[7][2] = {{0, 0}, {4, 0}, {0, 4}, {2, 0}, {0, 2}, {1, 0}, {0, 1}};
    uint8_t rows[8192], extra[768];
    size_t size = 0;
    png_bytes f = png_begin(h);
    for (uint32_t i = 0; i < sizeof extra; i++) extra[i] = (uint8_t)random_below(256);
    if (h.kind == 3) png_chunk(&f, "PLTE", extra, (size_t)3 << h.bits);
    if (h.kind == 3 || ((h.kind == 0 || h.kind == 2) && random_below(2))) {
        uint32_t few = 1 + random_below(1u << (h.bits & 15));
        // A sample has no more bits than the file says.
        for (uint32_t i = 0; h.kind != 3 && i < 6; i += 2) {
            if (h.bits < 16) extra[i] = 0;
            extra[i + 1] &= (uint8_t)((1u << (h.bits < 8 ? h.bits : 8)) - 1);
        }
        png_chunk(&f, "tRNS", extra, h.kind == 3 ? few : h.kind == 2 ? 6 : 2);
    }
    for (uint32_t pass = 0; pass < (h.interlace ? 7u : 1u); pass++) {
        uint32_t x = h.interlace ? starts[pass][0] : 0, y = h.interlace ? starts[pass][1] : 0;
        uint32_t across = h.interlace ? steps[pass][0] : 1, down = h.interlace ? steps[pass][1] : 1;
        uint32_t width = h.width > x ? (h.width - x + across - 1) / across : 0;
        uint32_t height = h.height > y ? (h.height - y + down - 1) / down : 0;
        for (uint32_t row = 0; row < height && width > 0; row++) {
            rows[size++] = (uint8_t)random_below(5);
            for (uint32_t i = 0; i < (width * channels[h.kind] * h.bits + 7) / 8; i++)
                rows[size++] = (uint8_t)random_below(256);
        }
    }
    png_end(&f, rows, size);
    return f;
}

TEST(files_of_all_kinds_are_decoded_as_by_libpng)
{
    static const uint8_t kinds[][2] = {{0, 1}, {0, 2},  {0, 4},  {0, 8}, {0, 16},
                                       {2, 8}, {2, 16}, {3, 1},  {3, 2}, {3, 4},
                                       {3, 8}, {4, 8},  {4, 16}, {6, 8}, {6, 16}};
    for (uint32_t i = 0; i < 15 * 2 * 12; i++) {
        const uint8_t *kind = kinds[i % 15];
        png_bytes f = noise((png_header){1 + random_below(19), 1 + random_below(19), kind[1],
                                         kind[0], (uint8_t)(i / 15 % 2)});
        CHECK(agree(&f));
    }
}

TEST(what_we_write_is_read_by_libpng)
{
    static uint8_t pixels[40 * 40 * 4];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(random_below(i % 64 + 1) + i);
    for (uint32_t width = 1; width <= 40; width += 3)
        for (uint32_t channels = 3; channels <= 4; channels++) {
            png_bytes f = {.size = 0};
            picture p;
            tenon_error err;
            const tenon_png png = {
                .width = width, .height = 40, .channels = channels, .pixels = pixels};
            CHECK(tenon_write_png(&png, png_append, &f, NULL));
            if (!picture_decode(f.bytes, f.size, NULL, &p, &err)) abort();
            for (uint32_t i = 0; i < width * 40; i++)
                CHECK(memcmp(p.pixels + 4 * i, pixels + (size_t)channels * i, channels) == 0);
            picture_free(&p, NULL);
        }
}

int main(void)
{
    RUN(files_of_all_kinds_are_decoded_as_by_libpng);
    RUN(what_we_write_is_read_by_libpng);
    TEST_END();
}
