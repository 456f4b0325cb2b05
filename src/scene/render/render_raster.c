// render_raster.c: which samples a triangle covers, and their colors and depths.
// SPDX-License-Identifier: MIT
//
// For each edge there is a number that is positive on the inner side. It is linear, and an integer,
// so that it is exact: 0 is on the edge. Such samples belong to one of the two triangles that have
// the edge, since they have it in opposite directions.

#include "scene/render/renderer.h"

#include <math.h>

#define ONE          65535.0f  // Of 16 bits.
#define PIXELS_COUNT 64        // Pixels of a step of work.
#define SPAN_LEAST   16        // Of rows that are shorter, every pixel is tried.
#define SMALL        (64 * TN_SUBPIXELS)

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
    int64_t samples[3][TN_SAMPLES_MOST];  // and from the middle of a pixel to its samples,
    int64_t least[3], most[3];            // and the extremes of these.
    bool is_small;  // Edges are shorter than SMALL: near it, all of these numbers have 32 bits.
    int32_t small_samples[3][TN_SAMPLES_MOST];
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

static void raster_set_up_edges(triangle *t)
{
    const tn_canvas *canvas = t->canvas;
    t->is_small = true;
    for (int i = 0; i < 3; i++) {
        // Edge number i is opposite to corner i.
        const tn_screen_vertex *from = t->corners[(i + 1) % 3], *to = t->corners[(i + 2) % 3];
        int64_t dx = (int64_t)to->x - from->x, dy = (int64_t)to->y - from->y;
        t->across[i] = -dy * TN_SUBPIXELS;
        t->down[i] = dx * TN_SUBPIXELS;
        t->is_small &= dx < SMALL && dx > -SMALL && dy < SMALL && dy > -SMALL;
        for (uint32_t s = 0; s < canvas->samples; s++) {
            int64_t step = dx * canvas->offsets[s][1] - dy * canvas->offsets[s][0];
            t->samples[i][s] = step;
            if (s == 0 || step < t->least[i]) t->least[i] = step;
            if (s == 0 || step > t->most[i]) t->most[i] = step;
        }
    }
    for (int i = 0; i < 3 && t->is_small; i++)
        for (uint32_t s = 0; s < TN_SAMPLES_MOST; s++)
            t->small_samples[i][s] = (int32_t)t->samples[i][s];
}

static void raster_set_up_values(triangle *t)
{
    const tn_screen_vertex *a = t->corners[0], *b = t->corners[1], *c = t->corners[2];
    plane depth = raster_plane(t, (double)a->depth, (double)b->depth, (double)c->depth);
    t->depth_across = depth.across;
    t->depth_down = depth.down;
    for (uint32_t s = 0; s < t->canvas->samples; s++)
        t->depth_samples[s] = (float)((depth.across * t->canvas->offsets[s][0] +
                                       depth.down * t->canvas->offsets[s][1]) /
                                      TN_SUBPIXELS);
    t->has_uvs = t->shade->is_textured;
    if (!t->has_uvs) return;
    t->w = raster_plane(t, (double)a->w, (double)b->w, (double)c->w);
    for (int set = 0; set < 2; set++)
        for (int k = 0; k < 2; k++) {
            const float(*uvs)[2] = t->shade->uvs[set];
            t->uvs[set][k] =
                raster_plane(t, (double)uvs[0][k] * (double)a->w, (double)uvs[1][k] * (double)b->w,
                             (double)uvs[2][k] * (double)c->w);
        }
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
    return (uint64_t)((value > 0 ? value < 1 ? value : 1 : 0) * ONE + 0.5f);
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

// Put a color, which is multiplied by alpha, and depths into the samples of the mask.
static void raster_put(const tn_canvas *canvas, size_t pixel, uint32_t mask, uint64_t color,
                       const float *depths, bool writes_depth)
{
    uint32_t samples = canvas->samples;
    uint64_t alpha = color >> 48, *colors = &canvas->colors[pixel * samples];
    float *at = &canvas->depths[pixel * samples];
    uint8_t *state = &canvas->states[pixel];
    if (mask + 1 == 1u << samples && *state != TN_PIXEL_MIXED) {
        uint64_t below = *state == TN_PIXEL_EMPTY ? canvas->background : colors[0];
        colors[0] = alpha < 65535 ? raster_blend(below, color, alpha) : color;
        for (uint32_t s = 0; s < samples && *state == TN_PIXEL_EMPTY; s++) at[s] = -HUGE_VALF;
        *state = TN_PIXEL_EVEN;
    } else if (mask + 1 == 1u << samples && alpha == 65535) {
        colors[0] = color;
        *state = TN_PIXEL_EVEN;
    } else {
        if (*state != TN_PIXEL_MIXED) raster_spread(canvas, pixel);
        *state = TN_PIXEL_MIXED;
        for (uint32_t s = 0; s < samples; s++)
            if (mask >> s & 1)
                colors[s] = alpha < 65535 ? raster_blend(colors[s], color, alpha) : color;
    }
    for (uint32_t s = 0; s < samples && writes_depth; s++)
        if (mask >> s & 1) at[s] = depths[s];
}

// Shade the samples of the mask, whose edges' numbers in the middle of the pixel are known.
static void raster_shade(const triangle *t, const int64_t edges[3], uint32_t covered, uint32_t mask,
                         size_t pixel, const float *depths)
{
    const tn_canvas *canvas = t->canvas;
    const tn_shade *shade = t->shade;
    uint32_t samples = canvas->samples;
    if (!shade->writes_color) {
        if (canvas->states[pixel] == TN_PIXEL_EMPTY) {
            raster_spread(canvas, pixel);
            canvas->states[pixel] = TN_PIXEL_EVEN;
        }
        for (uint32_t s = 0; s < samples; s++)
            if (mask >> s & 1) canvas->depths[pixel * samples + s] = depths[s];
        return;
    }
    // The middle of what is covered, which is inside of the triangle.
    double middle[3] = {(double)edges[0], (double)edges[1], (double)edges[2]};
    if (covered + 1 != 1u << samples) {
        int64_t sums[3] = {0, 0, 0}, count = 0;
        for (uint32_t s = 0; s < samples; s++) {
            if (!(covered >> s & 1)) continue;
            for (int i = 0; i < 3; i++) sums[i] += t->samples[i][s];
            count++;
        }
        for (int i = 0; i < 3; i++) middle[i] += (double)sums[i] / (double)count;
    }
    tn_fragment fragment;
    float color[4];
    raster_fragment(t, middle, &fragment);
    tn_shade_fragment(shade, &fragment, color);
    tenon_alpha kind = shade->is_plain ? TENON_OPAQUE : shade->paint->alpha;
    if (kind == TENON_MASK) mask = raster_thin_out(mask, color[3], samples);
    if (!mask) return;
    uint64_t alpha = kind == TENON_BLEND ? raster_clamp(color[3]) : 65535, packed = alpha << 48;
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t part = raster_clamp(color[k]);
        packed |= (alpha == 65535 ? part : (part * alpha + 32767) / 65535) << (16 * k);
    }
    raster_put(canvas, pixel, mask, packed, depths, shade->writes_depth);
}

// The samples of a pixel that a triangle covers.
static inline uint32_t raster_cover(const triangle *t, const int64_t edges[3], uint32_t samples)
{
    static const uint32_t bits[TN_SAMPLES_MOST] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint32_t covered = 0;
    if (t->is_small) {
        const int32_t a = (int32_t)edges[0], b = (int32_t)edges[1], c = (int32_t)edges[2];
        for (uint32_t s = 0; s < samples; s++) {
            int32_t sign = (a + t->small_samples[0][s]) | (b + t->small_samples[1][s]) |
                           (c + t->small_samples[2][s]);
            covered |= sign >= 0 ? bits[s] : 0;
        }
        return covered;
    }
    for (uint32_t s = 0; s < samples; s++) {
        int64_t sign = (edges[0] + t->samples[0][s]) | (edges[1] + t->samples[1][s]) |
                       (edges[2] + t->samples[2][s]);
        covered |= sign >= 0 ? bits[s] : 0;
    }
    return covered;
}

// One pixel, in whose middle the edges have these numbers.
static inline void raster_pixel(const triangle *t, const int64_t edges[3], size_t pixel,
                                double depth, uint32_t samples)
{
    static const uint32_t bits[TN_SAMPLES_MOST] = {1, 2, 4, 8, 16, 32, 64, 128};
    const tn_canvas *canvas = t->canvas;
    uint32_t covered = (1u << samples) - 1, mask = 0;
    bool is_whole =
        edges[0] + t->least[0] >= 0 && edges[1] + t->least[1] >= 0 && edges[2] + t->least[2] >= 0;
    if (!is_whole) covered = raster_cover(t, edges, samples);
    if (covered == 0) return;
    float depths[TN_SAMPLES_MOST], middle = (float)depth;
    for (uint32_t s = 0; s < samples; s++) depths[s] = middle + t->depth_samples[s];
    if (canvas->states[pixel] == TN_PIXEL_EMPTY) {
        for (uint32_t s = 0; s < samples; s++) mask |= depths[s] >= -HUGE_VALF ? bits[s] : 0;
    } else {
        const float *there = &canvas->depths[pixel * samples];
        for (uint32_t s = 0; s < samples; s++) mask |= depths[s] >= there[s] ? bits[s] : 0;
    }
    mask &= covered;
    if (mask) raster_shade(t, edges, covered, mask, pixel, depths);
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

static void raster_rows(const triangle *t)
{
    const tn_canvas *canvas = t->canvas;
    const tn_screen_vertex *const *c = t->corners;
    int64_t bounds[4] = {c[0]->x, c[0]->x, c[0]->y, c[0]->y};
    for (int i = 1; i < 3; i++) {
        if (c[i]->x < bounds[0]) bounds[0] = c[i]->x;
        if (c[i]->x > bounds[1]) bounds[1] = c[i]->x;
        if (c[i]->y < bounds[2]) bounds[2] = c[i]->y;
        if (c[i]->y > bounds[3]) bounds[3] = c[i]->y;
    }
    for (int i = 0; i < 4; i++) bounds[i] = raster_divide_down(bounds[i], TN_SUBPIXELS);
    int64_t left = raster_limit(bounds[0], 0, canvas->width);
    int64_t right = raster_limit(bounds[1] + 1, 0, canvas->width);
    int64_t top = raster_limit(bounds[2], canvas->first_row, canvas->row_end);
    int64_t bottom = raster_limit(bounds[3] + 1, canvas->first_row, canvas->row_end);
    for (int64_t y = top; y < bottom; y++) {
        int64_t edges[3], start = left, end = right;
        for (int i = 0; i < 3; i++) {
            const tn_screen_vertex *from = c[(i + 1) % 3];
            int64_t px = left * TN_SUBPIXELS + TN_SUBPIXELS / 2 - from->x;
            int64_t py = y * TN_SUBPIXELS + TN_SUBPIXELS / 2 - from->y;
            int64_t dx = t->down[i] / TN_SUBPIXELS, dy = -t->across[i] / TN_SUBPIXELS;
            // On an edge that goes up, or to the right, a sample is inside; else just outside.
            bool has_edge = dy < 0 || (dy == 0 && dx > 0);
            edges[i] = dx * py - dy * px - !has_edge;
        }
        if (end - start >= SPAN_LEAST) raster_cut_row(t, edges, &start, &end);
        for (int i = 0; i < 3; i++) edges[i] += (start - left) * t->across[i];
        double depth = (double)c[0]->depth +
                       t->depth_across * ((double)start + 0.5 - c[0]->x / (double)TN_SUBPIXELS) +
                       t->depth_down * ((double)y + 0.5 - c[0]->y / (double)TN_SUBPIXELS);
        if (end > start && !tn_goes_on(canvas->pulse, 1 + (uint32_t)(end - start) / PIXELS_COUNT))
            return;
        size_t pixel = (size_t)(y - canvas->first_row) * canvas->width + (size_t)start;
        for (int64_t x = start; x < end; x++, pixel++) {
            bool is_near = edges[0] + t->most[0] >= 0 && edges[1] + t->most[1] >= 0 &&
                           edges[2] + t->most[2] >= 0;
            double here = depth + t->depth_across * (double)(x - start);
            // The compiler makes code of its own for the usual number of samples.
            if (is_near && canvas->samples == TN_SAMPLES_MOST)
                raster_pixel(t, edges, pixel, here, TN_SAMPLES_MOST);
            else if (is_near)
                raster_pixel(t, edges, pixel, here, canvas->samples);
            for (int i = 0; i < 3; i++) edges[i] += t->across[i];
        }
    }
}

int64_t tn_screen_area(const tn_screen_vertex *a, const tn_screen_vertex *b,
                       const tn_screen_vertex *c)
{
    return ((int64_t)b->x - a->x) * ((int64_t)c->y - a->y) -
           ((int64_t)c->x - a->x) * ((int64_t)b->y - a->y);
}

void tn_raster_triangle(const tn_canvas *canvas, const tn_screen_vertex corners[3],
                        const tn_shade *shade)
{
    triangle t = {
        .canvas = canvas, .shade = shade, .corners = {&corners[0], &corners[1], &corners[2]}};
    int64_t area = tn_screen_area(t.corners[0], t.corners[1], t.corners[2]);
    if (area <= 0) return;
    t.area = (double)area;
    raster_set_up_edges(&t);
    raster_set_up_values(&t);
    raster_rows(&t);
}
