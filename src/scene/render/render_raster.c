// render_raster.c: which samples a triangle covers, and their colors and depths.
// SPDX-License-Identifier: MIT
//
// For each edge there is a number that is positive on the inner side. It is linear, and an integer,
// so that it is exact: 0 is on the edge. Such samples belong to one of the two triangles that have
// the edge, since they have it in opposite directions.

#include "scene/render/renderer.h"

#include <math.h>
#include <string.h>

#define ONE          65535.0f  // Of 16 bits.
#define PIXELS_COUNT 2         // Pixels of a step of work.
#define SPAN_LEAST   16        // Of rows that are shorter, every pixel is tried.
#define SMALL        (64 * TN_SUBPIXELS)

static const uint32_t bits[TN_SAMPLES_MOST] = {1, 2, 4, 8, 16, 32, 64, 128};  // Of masks.

// What is linear on the screen, from the first corner on.
typedef struct plane {
    double at, across, down;
} plane;

typedef struct triangle {
    const tn_canvas *canvas;
    const tn_shade *shade;
    const tn_screen_vertex *corners[3];
    bool has_uvs;
    int64_t across[3], down[3];  // How the number of each edge changes from pixel to pixel,
    int64_t least[3], most[3];   // and at most from the middle of a pixel to its samples,
    bool is_small;               // Edges are shorter than SMALL: near it, numbers have 32 bits.
    union {                      // and to each of the samples.
        int32_t small[3][TN_SAMPLES_MOST];
        int64_t large[3][TN_SAMPLES_MOST];
    } samples;
    double area;
    double depth_across, depth_down;  // In parts of a pixel.
    float depth_samples[TN_SAMPLES_MOST];
    plane uvs[2][2], w;  // Texture coordinates times w, and w.
} triangle;

// -- Setting up

// The value of a plane with these values at the corners; `shares` are the numbers of the edges at
// the place, divided by the area.
static plane raster_plane(const triangle *t, double a, double b, double c)
{
    return (plane){a, ((double)t->across[1] * (b - a) + (double)t->across[2] * (c - a)) / t->area,
                   ((double)t->down[1] * (b - a) + (double)t->down[2] * (c - a)) / t->area};
}

// -- Pixels

// Fill in what shading needs, at the place where the edges have these numbers.
static void raster_fragment(const triangle *t, const double edges[3], tn_fragment *f)
{
    double parts[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        parts[i] = edges[i] * (double)t->corners[i]->w;
        sum += parts[i];
    }
    double share = sum > 0 ? 1 / sum : 0;
    for (int i = 0; i < 3; i++) f->parts[i] = (float)(parts[i] * share);
    if (sum <= 0) f->parts[0] = 1;
    if (!t->has_uvs) return;
    double w = sum / t->area, over = w > 0 ? 1 / w : 0;
    for (int set = 0; set < 2; set++)
        for (int k = 0; k < 2; k++) {
            const float(*uvs)[2] = t->shade->uvs[set];
            double at = (double)(uvs[0][k] * f->parts[0] + uvs[1][k] * f->parts[1] +
                                 uvs[2][k] * f->parts[2]);
            f->uv_steps[set][k] = (float)((t->uvs[set][k].across - at * t->w.across) * over);
            f->uv_steps[set][2 + k] = (float)((t->uvs[set][k].down - at * t->w.down) * over);
        }
}

static uint64_t raster_clamp(float value)
{
    float positive = value > 0 ? value : 0;
    return (uint64_t)(int64_t)((positive < 1 ? positive : 1) * ONE + 0.5f);
}

static uint64_t raster_blend(uint64_t under, uint64_t over, uint64_t alpha)
{
    uint64_t out = 0;
    for (uint32_t shift = 0; shift < 64; shift += 16) {
        uint64_t below = under >> shift & 0xffff;
        uint64_t value = (over >> shift & 0xffff) + (below * (65535 - alpha) + 32767) / 65535;
        out |= (value < 65535 ? value : 65535) << shift;
    }
    return out;
}

// Only so many of the samples as alpha says, in an order that spreads them.
static uint32_t raster_thin_out(uint32_t mask, float alpha, uint32_t samples)
{
    static const uint8_t order[TN_SAMPLES_MOST] = {0, 4, 2, 6, 1, 5, 3, 7};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < TN_SAMPLES_MOST; i++)
        if (order[i] < samples && alpha * (float)TN_SAMPLES_MOST >= (float)i + 0.5f)
            kept |= 1u << order[i];
    return samples == 1 ? (alpha >= 0.5f ? mask : 0) : mask & kept;
}

// Give every sample of a pixel its color and depth.
static void raster_spread(const tn_canvas *canvas, size_t pixel)
{
    uint64_t *colors = &canvas->colors[pixel * canvas->samples];
    bool is_empty = canvas->states[pixel] == TN_PIXEL_EMPTY;
    uint64_t color = is_empty ? canvas->background : colors[0];
    for (uint32_t s = 0; s < canvas->samples; s++) colors[s] = color;
    for (uint32_t s = 0; s < canvas->samples && is_empty; s++)
        canvas->depths[pixel * canvas->samples + s] = -HUGE_VALF;
}

// -- Rows

static int64_t raster_divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// The part of a row, from `*left` to before `*right`, in which no edge rules out all samples.
// `edges` are the numbers at `*left`.
static void raster_cut_row(const triangle *t, const int64_t edges[3], int64_t *left, int64_t *right)
{
    int64_t from = *left;
    for (int i = 0; i < 3; i++) {
        int64_t at = edges[i] + t->most[i], step = t->across[i];
        // The first pixel where at + step * n >= 0, or the first where it no longer is.
        if (step > 0 && at < 0) {
            int64_t first = from - raster_divide_down(at, step);
            if (first > *left) *left = first;
        } else if (step < 0) {
            int64_t end = at < 0 ? from : from + raster_divide_down(at, -step) + 1;
            if (end < *right) *right = end;
        } else if (at < 0) {
            *right = *left;
        }
    }
}

static int64_t raster_limit(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

int64_t tn_screen_area(const tn_screen_vertex *a, const tn_screen_vertex *b,
                       const tn_screen_vertex *c)
{
    return ((int64_t)b->x - a->x) * ((int64_t)c->y - a->y) -
           ((int64_t)c->x - a->x) * ((int64_t)b->y - a->y);
}

// -- The two builds

#define BUILT           static inline
#define NAMED(function) function##_plain

// The samples that three edges have on their inner side.
static inline uint32_t raster_cover_small_plain(const int32_t steps[3][TN_SAMPLES_MOST], int32_t a,
                                                int32_t b, int32_t c)
{
    uint32_t covered = 0;
    for (int s = 0; s < TN_SAMPLES_MOST; s++) {
        int32_t sign = (a + steps[0][s]) | (b + steps[1][s]) | (c + steps[2][s]);
        covered |= sign >= 0 ? bits[s] : 0;
    }
    return covered;
}

// The samples that are not farther away than what is there.
static inline uint32_t raster_compare_plain(const float *depths, const float *there, uint32_t count)
{
    uint32_t mask = 0;
    for (uint32_t s = 0; s < count; s++) mask |= depths[s] >= there[s] ? bits[s] : 0;
    return mask;
}

#include "scene/render/raster_loops.h"
#undef BUILT
#undef NAMED

tn_raster_fn *tn_plain_raster(void)
{
    return raster_triangle_plain;
}

// As in wide.c.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)

#define BUILT           __attribute__((target("avx2"))) static inline
#define NAMED(function) function##_wide

typedef int32_t lane_ints __attribute__((vector_size(4 * TN_SAMPLES_MOST)));
typedef float lane_floats __attribute__((vector_size(4 * TN_SAMPLES_MOST)));

// Compilers do not find the instruction that collects signs.
BUILT uint32_t raster_signs_wide(lane_ints numbers)
{
    return (uint32_t)__builtin_ia32_movmskps256((lane_floats)numbers);
}

BUILT uint32_t raster_cover_small_wide(const int32_t steps[3][TN_SAMPLES_MOST], int32_t a,
                                       int32_t b, int32_t c)
{
    lane_ints first, second, third;
    memcpy(&first, steps[0], sizeof first);
    memcpy(&second, steps[1], sizeof second);
    memcpy(&third, steps[2], sizeof third);
    return raster_signs_wide(~((first + a) | (second + b) | (third + c)));
}

BUILT uint32_t raster_compare_wide(const float *depths, const float *there, uint32_t count)
{
    if (count < TN_SAMPLES_MOST) return raster_compare_plain(depths, there, count);
    lane_floats ours, theirs;
    memcpy(&ours, depths, sizeof ours);
    memcpy(&theirs, there, sizeof theirs);
    return raster_signs_wide(ours >= theirs);
}

#include "scene/render/raster_loops.h"

tn_raster_fn *tn_wide_raster(void)
{
    return __builtin_cpu_supports("avx2") ? raster_triangle_wide : NULL;
}

#else

tn_raster_fn *tn_wide_raster(void)
{
    return NULL;
}

#endif
