// raster_loops.h: the part of render_raster.c that is built twice, under different names for
// different machines.
// SPDX-License-Identifier: MIT
//
// BUILT comes before each function, NAMED() around its name. Compilers vectorize the loops over the
// samples of a pixel; both builds do the same operations.

// -- Setting up

BUILT void NAMED(raster_set_up_edges)(triangle *t)
{
    const tn_sample_grid *grid = &t->canvas->grid;
    int64_t dx[3], dy[3];
    t->is_small = true;
    for (int i = 0; i < 3; i++) {
        // Edge number i is opposite to corner i.
        const tn_screen_vertex *from = t->corners[(i + 1) % 3], *to = t->corners[(i + 2) % 3];
        dx[i] = (int64_t)to->x - from->x;
        dy[i] = (int64_t)to->y - from->y;
        t->across[i] = -dy[i] * TN_SUBPIXELS;
        t->down[i] = dx[i] * TN_SUBPIXELS;
        t->is_small &= dx[i] < SMALL && dx[i] > -SMALL && dy[i] < SMALL && dy[i] > -SMALL;
    }
    for (int i = 0; i < 3 && t->is_small; i++) {
        int32_t least = 0, most = 0, small_dx = (int32_t)dx[i], small_dy = (int32_t)dy[i];
        for (int s = 0; s < TN_SAMPLES_MOST; s++) {
            int32_t step = small_dx * grid->y[s] - small_dy * grid->x[s];
            t->samples.small[i][s] = step;
            least = step < least ? step : least;
            most = step > most ? step : most;
        }
        t->least[i] = least;
        t->most[i] = most;
    }
    for (int i = 0; i < 3 && !t->is_small; i++) {
        t->least[i] = t->most[i] = 0;
        for (int s = 0; s < TN_SAMPLES_MOST; s++) {
            int64_t step = dx[i] * grid->y[s] - dy[i] * grid->x[s];
            t->samples.large[i][s] = step;
            t->least[i] = step < t->least[i] ? step : t->least[i];
            t->most[i] = step > t->most[i] ? step : t->most[i];
        }
    }
}

BUILT void NAMED(raster_set_up_values)(triangle *t)
{
    const tn_screen_vertex *a = t->corners[0], *b = t->corners[1], *c = t->corners[2];
    plane depth = raster_plane(t, (double)a->depth, (double)b->depth, (double)c->depth);
    t->depth_across = depth.across;
    t->depth_down = depth.down;
    const tn_sample_grid *grid = &t->canvas->grid;
    for (int s = 0; s < TN_SAMPLES_MOST; s++)
        t->depth_samples[s] =
            (float)((depth.across * grid->x[s] + depth.down * grid->y[s]) / TN_SUBPIXELS);
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

BUILT void NAMED(raster_put_depths)(const tn_canvas *canvas, size_t pixel, uint32_t mask,
                                    const float *depths)
{
    uint32_t samples = canvas->samples;
    float *at = &canvas->depths[pixel * samples];
    if (mask + 1 == 1u << samples) {
        memcpy(at, depths, samples * sizeof *at);
        return;
    }
    for (uint32_t s = 0; s < samples; s++) at[s] = mask & bits[s] ? depths[s] : at[s];
}

// Put a color, which is multiplied by alpha, and depths into the samples of the mask.
BUILT void NAMED(raster_put)(const tn_canvas *canvas, size_t pixel, uint32_t mask, uint64_t color,
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
        for (uint32_t s = 0; s < samples && alpha == 65535; s++)
            colors[s] = mask & bits[s] ? color : colors[s];
        for (uint32_t s = 0; s < samples && alpha < 65535; s++)
            if (mask & bits[s]) colors[s] = raster_blend(colors[s], color, alpha);
    }
    if (writes_depth) NAMED(raster_put_depths)(canvas, pixel, mask, depths);
}

// Shade the samples of the mask, whose edges' numbers in the middle of the pixel are known.
BUILT void NAMED(raster_shade)(const triangle *t, const int64_t edges[3], uint32_t covered,
                               uint32_t mask, size_t pixel, const float *depths)
{
    const tn_canvas *canvas = t->canvas;
    const tn_shade *shade = t->shade;
    uint32_t samples = canvas->samples;
    if (!shade->writes_color) {
        if (canvas->states[pixel] == TN_PIXEL_EMPTY) {
            raster_spread(canvas, pixel);
            canvas->states[pixel] = TN_PIXEL_EVEN;
        }
        NAMED(raster_put_depths)(canvas, pixel, mask, depths);
        return;
    }
    // The middle of what is covered, which is inside of the triangle.
    double middle[3] = {(double)edges[0], (double)edges[1], (double)edges[2]};
    if (covered + 1 != 1u << samples) {
        const tn_sample_grid *grid = &canvas->grid;
        int64_t x = grid->x_sums[covered], y = grid->y_sums[covered];
        for (int i = 0; i < 3; i++) {
            int64_t sum = (t->down[i] * y + t->across[i] * x) / TN_SUBPIXELS;
            middle[i] += (double)sum / (double)grid->counts[covered];
        }
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
    NAMED(raster_put)(canvas, pixel, mask, packed, depths, shade->writes_depth);
}

// The samples of a pixel that a triangle covers.
BUILT uint32_t NAMED(raster_cover)(const triangle *t, const int64_t edges[3])
{
    if (t->is_small)
        return NAMED(raster_cover_small)(t->samples.small, (int32_t)edges[0], (int32_t)edges[1],
                                         (int32_t)edges[2]);
    uint32_t covered = 0;
    const int64_t(*steps)[TN_SAMPLES_MOST] = t->samples.large;
    for (int s = 0; s < TN_SAMPLES_MOST; s++) {
        int64_t sign =
            (edges[0] + steps[0][s]) | (edges[1] + steps[1][s]) | (edges[2] + steps[2][s]);
        covered |= sign >= 0 ? bits[s] : 0;
    }
    return covered;
}

// One pixel, in whose middle the edges have these numbers.
BUILT void NAMED(raster_pixel)(const triangle *t, const int64_t edges[3], size_t pixel,
                               double depth, uint32_t samples)
{
    const tn_canvas *canvas = t->canvas;
    uint32_t covered = (1u << samples) - 1, mask = 0;
    bool is_whole =
        edges[0] + t->least[0] >= 0 && edges[1] + t->least[1] >= 0 && edges[2] + t->least[2] >= 0;
    if (!is_whole) covered &= NAMED(raster_cover)(t, edges);
    if (covered == 0) return;
    float depths[TN_SAMPLES_MOST], middle = (float)depth;
    for (uint32_t s = 0; s < samples; s++) depths[s] = middle + t->depth_samples[s];
    if (canvas->states[pixel] == TN_PIXEL_EMPTY) {
        for (uint32_t s = 0; s < samples; s++) mask |= depths[s] >= -HUGE_VALF ? bits[s] : 0;
    } else {
        mask = NAMED(raster_compare)(depths, &canvas->depths[pixel * samples], samples);
    }
    mask &= covered;
    if (mask) NAMED(raster_shade)(t, edges, covered, mask, pixel, depths);
}

// -- Rows

BUILT void NAMED(raster_rows)(const triangle *t)
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
    int64_t firsts[3];  // The numbers of the edges at the left of a row.
    for (int i = 0; i < 3; i++) {
        const tn_screen_vertex *from = c[(i + 1) % 3];
        int64_t px = left * TN_SUBPIXELS + TN_SUBPIXELS / 2 - from->x;
        int64_t py = top * TN_SUBPIXELS + TN_SUBPIXELS / 2 - from->y;
        int64_t dx = t->down[i] / TN_SUBPIXELS, dy = -t->across[i] / TN_SUBPIXELS;
        // On an edge that goes up, or to the right, a sample is inside; else just outside.
        bool has_edge = dy < 0 || (dy == 0 && dx > 0);
        firsts[i] = dx * py - dy * px - !has_edge;
    }
    for (int64_t y = top; y < bottom; y++) {
        int64_t edges[3], start = left, end = right;
        for (int i = 0; i < 3; i++) {
            edges[i] = firsts[i];
            firsts[i] += t->down[i];
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
            bool is_near =
                ((edges[0] + t->most[0]) | (edges[1] + t->most[1]) | (edges[2] + t->most[2])) >= 0;
            double here = depth + t->depth_across * (double)(x - start);
            // The compiler makes code of its own for the usual number of samples.
            if (is_near && canvas->samples == TN_SAMPLES_MOST)
                NAMED(raster_pixel)(t, edges, pixel, here, TN_SAMPLES_MOST);
            else if (is_near)
                NAMED(raster_pixel)(t, edges, pixel, here, canvas->samples);
            for (int i = 0; i < 3; i++) edges[i] += t->across[i];
        }
    }
}

BUILT void NAMED(raster_triangle)(const tn_canvas *canvas, const tn_screen_vertex corners[3],
                                  const tn_shade *shade)
{
    triangle t;  // All of it is set below; clearing it first takes longer.
    t.canvas = canvas;
    t.shade = shade;
    for (int i = 0; i < 3; i++) t.corners[i] = &corners[i];
    int64_t area = tn_screen_area(t.corners[0], t.corners[1], t.corners[2]);
    if (area <= 0) return;
    t.area = (double)area;
    NAMED(raster_set_up_edges)(&t);
    NAMED(raster_set_up_values)(&t);
    NAMED(raster_rows)(&t);
}
