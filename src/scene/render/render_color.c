// render_color.c: the curve of sRGB, the samples of a band, and their pixels.
// SPDX-License-Identifier: MIT

#include "scene/render/renderer.h"

#include <math.h>
#include <string.h>

#define ONE 65535.0  // Of 16 bits.

// The power 2.4 as x^2 times the fifth root of x^2, by Newton's method.
static double render_color_decode(double encoded)
{
    if (encoded <= 0.04045) return encoded / 12.92;
    double base = (encoded + 0.055) / 1.055, square = base * base, root = 1;
    for (int i = 0; i < 40; i++) root = (4 * root + square / (root * root * root * root)) / 5;
    return square * root;
}

void tn_color_tables_fill(tn_color_tables *tables)
{
    uint32_t code = 0;
    for (uint32_t i = 0; i < 256; i++) tables->linear[i] = (float)render_color_decode(i / 255.0);
    for (uint32_t i = 0; i < 256; i++) tables->quarters[i] = tables->linear[i] * 0.25f;
    double next = render_color_decode(0.5 / 255);
    for (uint32_t i = 0; i < 65536; i++) {
        while (code < 255 && i / ONE >= next) {
            code++;
            next = render_color_decode((code + 0.5) / 255);
        }
        tables->encoded[i] = (uint8_t)code;
    }
}

// Where the samples of a pixel are: no two are in one row, column or diagonal of a grid.
void tn_sample_grid_fill(tn_sample_grid *grid, uint32_t count)
{
    static const int8_t one[1][2] = {{0, 0}};
    static const int8_t two[2][2] = {{-64, -64}, {64, 64}};
    static const int8_t four[4][2] = {{-32, -96}, {96, -32}, {-96, 32}, {32, 96}};
    static const int8_t eight[8][2] = {{-112, -112}, {16, -80}, {112, -48}, {48, -16},
                                       {-48, 16},    {80, 48},  {-80, 80},  {-16, 112}};
    const int8_t(*places)[2] = count == 1 ? one : count == 2 ? two : count == 4 ? four : eight;
    memset(grid, 0, sizeof *grid);
    for (uint32_t s = 0; s < count; s++) {
        grid->x[s] = places[s][0];
        grid->y[s] = places[s][1];
        uint32_t bit = 1u << s;
        for (uint32_t mask = bit; mask < 2 * bit; mask++) {
            grid->x_sums[mask] = (int16_t)(grid->x_sums[mask - bit] + places[s][0]);
            grid->y_sums[mask] = (int16_t)(grid->y_sums[mask - bit] + places[s][1]);
            grid->counts[mask] = (uint8_t)(grid->counts[mask - bit] + 1);
        }
    }
}

void tn_canvas_clear(tn_canvas *canvas, const double background[4], const tn_color_tables *tables)
{
    uint64_t color = 0;
    double alpha = background[3] > 0 ? background[3] < 1 ? background[3] : 1 : 0;
    for (uint32_t k = 0; k < 3; k++) {
        double value = background[k] > 0 ? background[k] < 1 ? background[k] : 1 : 0;
        double linear = (double)tables->linear[(uint32_t)(value * 255 + 0.5)] * alpha;
        color |= (uint64_t)(linear * ONE + 0.5) << (16 * k);
    }
    color |= (uint64_t)(alpha * ONE + 0.5) << 48;
    canvas->background = color;
    memset(canvas->states, TN_PIXEL_EMPTY,
           (size_t)(canvas->row_end - canvas->first_row) * canvas->width);
}

// The pixel of some samples, whose numbers were added.
static void render_color_resolve(const uint32_t sums[4], uint32_t samples,
                                 const tn_color_tables *tables, uint8_t out[4])
{
    uint32_t alpha = sums[3];
    if (alpha == samples * 65535) {
        for (uint32_t k = 0; k < 3; k++)
            out[k] = tables->encoded[(sums[k] + samples / 2) / samples];
        out[3] = 255;
        return;
    }
    out[3] = (uint8_t)((alpha * 2 / samples * 255 + 65535) / 131070);
    for (uint32_t k = 0; k < 3; k++) {
        // Not multiplied by alpha, as PNG files have it.
        uint64_t value = alpha ? ((uint64_t)sums[k] * 65535 + alpha / 2) / alpha : 0;
        out[k] = tables->encoded[value < 65535 ? value : 65535];
    }
}

// The same where all samples have one color.
static void render_color_resolve_even(uint64_t color, uint32_t samples,
                                      const tn_color_tables *tables, uint8_t out[4])
{
    uint32_t sums[4];
    for (uint32_t k = 0; k < 4; k++) sums[k] = samples * (uint32_t)(color >> (16 * k) & 0xffff);
    render_color_resolve(sums, samples, tables, out);
}

void tn_canvas_resolve(const tn_canvas *canvas, const tn_color_tables *tables, uint8_t *pixels)
{
    size_t count = (size_t)(canvas->row_end - canvas->first_row) * canvas->width;
    uint32_t samples = canvas->samples;
    uint8_t *out = pixels + 4 * (size_t)canvas->first_row * canvas->width, background[4];
    render_color_resolve_even(canvas->background, samples, tables, background);
    for (size_t i = 0; i < count; i++, out += 4) {
        const uint64_t *color = canvas->colors + i * samples;
        if (canvas->states[i] == TN_PIXEL_EMPTY) {
            memcpy(out, background, sizeof background);
            continue;
        }
        if (canvas->states[i] == TN_PIXEL_EVEN && color[0] >> 48 == 65535) {
            for (uint32_t k = 0; k < 3; k++) out[k] = tables->encoded[color[0] >> (16 * k) & 65535];
            out[3] = 255;
            continue;
        }
        if (canvas->states[i] == TN_PIXEL_EVEN) {
            render_color_resolve_even(color[0], samples, tables, out);
            continue;
        }
        // Two numbers of 32 bits at once: red and blue, green and alpha.
        const uint64_t lanes = UINT64_C(0x0000ffff0000ffff);
        uint64_t red_blue = 0, green_alpha = 0;
        for (uint32_t s = 0; s < samples; s++) {
            red_blue += color[s] & lanes;
            green_alpha += color[s] >> 16 & lanes;
        }
        const uint32_t sums[4] = {(uint32_t)red_blue, (uint32_t)green_alpha,
                                  (uint32_t)(red_blue >> 32), (uint32_t)(green_alpha >> 32)};
        render_color_resolve(sums, samples, tables, out);
    }
}
