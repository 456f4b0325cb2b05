// test_render_raster.c: both builds of the rasterizer give the same samples, bit for bit.
// SPDX-License-Identifier: MIT

#include "scene/render/renderer.h"

#include "render_help.h"

#define WIDTH     96
#define TRIANGLES 600

static tn_color_tables tables;

typedef struct samples {
    uint64_t colors[WIDTH * WIDTH * TN_SAMPLES_MOST];
    float depths[WIDTH * WIDTH * TN_SAMPLES_MOST];
    uint8_t states[WIDTH * WIDTH];
} samples;

static float random_float(uint32_t *state, float least, float most)
{
    return least + (most - least) * (float)(next_random(state) % 65536) / 65536;
}

// A corner near the picture; some triangles are much larger than it, most are small.
static tn_screen_vertex random_corner(uint32_t *state, int32_t x, int32_t y, int32_t size)
{
    return (tn_screen_vertex){
        .x = x + (int32_t)(next_random(state) % (uint32_t)size) - size / 2,
        .y = y + (int32_t)(next_random(state) % (uint32_t)size) - size / 2,
        .depth = random_float(state, 0.5f, 1.5f),
        .w = random_float(state, 0.5f, 1.5f),
    };
}

// Opaque, masked and blended triangles, with and without depths and colors.
static void draw_random(samples *out, tn_raster_fn *raster, uint32_t count, uint32_t seed)
{
    const double background[4] = {0.2, 0.4, 0.6, 0.5};
    uint8_t pixels[16];
    for (uint32_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(11 * i);
    const tn_texture texture = {
        .level_count = 1, .widths = {2}, .heights = {2}, .levels = {pixels}};
    const tn_paint paint = {
        .base = {0.9f, 0.5f, 0.2f, 0.7f}, .roughness = 0.4f, .color.texture = &texture};
    const tn_light light = {.eye = {1, 2, 9}, .forward = {0, 0, -1}, .sun = {0, 0.6f, 0.8f}};
    tn_canvas canvas = {.width = WIDTH,
                        .height = WIDTH,
                        .row_end = WIDTH,
                        .samples = count,
                        .colors = out->colors,
                        .depths = out->depths,
                        .states = out->states};
    memset(out, 0, sizeof *out);
    tn_sample_grid_fill(&canvas.grid, count);
    tn_canvas_clear(&canvas, background, &tables);
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        uint32_t kind = next_random(&seed) % 8;
        const int32_t sizes[] = {300, 900, 3000, 20000, WIDTH * 1024};
        int32_t size = sizes[next_random(&seed) % 5];
        int32_t x = (int32_t)(next_random(&seed) % (WIDTH * TN_SUBPIXELS));
        int32_t y = (int32_t)(next_random(&seed) % (WIDTH * TN_SUBPIXELS));
        tn_paint look = paint;
        look.alpha = kind == 1 ? TENON_BLEND : kind == 2 ? TENON_MASK : TENON_OPAQUE;
        look.cutoff = random_float(&seed, 0, 1);
        tn_shade shade = {.paint = &look,
                          .tables = &tables,
                          .light = &light,
                          .is_textured = kind > 5,
                          .has_colors = true,
                          .is_front = next_random(&seed) % 2,
                          .writes_depth = kind != 1,
                          .writes_color = kind != 3,
                          .is_plain = kind == 4,
                          .plain = {0.1f, 0.2f, 0.3f, 1}};
        tn_screen_vertex corners[3];
        for (int k = 0; k < 3; k++) {
            corners[k] = random_corner(&seed, x, y, size);
            for (int a = 0; a < 3; a++) {
                shade.positions[k][a] = random_float(&seed, -1, 1);
                shade.normals[k][a] = random_float(&seed, -1, 1);
                shade.colors[k][a] = random_float(&seed, 0, 1);
            }
            shade.colors[k][3] = random_float(&seed, 0, 1);
            for (int a = 0; a < 2; a++) shade.uvs[0][k][a] = random_float(&seed, -2, 2);
        }
        raster(&canvas, corners, &shade);
    }
}

TEST(both_builds_give_the_same_samples)
{
    static samples plain, wide;
    tn_color_tables_fill(&tables);
    for (uint32_t count = 1; count <= TN_SAMPLES_MOST; count *= 2)
        for (uint32_t seed = 1; seed <= 5; seed++) {
            draw_random(&plain, tn_plain_raster(), count, seed);
            draw_random(&wide, tn_wide_raster(), count, seed);
            CHECK(memcmp(&plain, &wide, sizeof plain) == 0);
            uint32_t mixed = 0;
            for (uint32_t i = 0; i < WIDTH * WIDTH; i++) mixed += plain.states[i] == TN_PIXEL_MIXED;
            CHECK(count == 1 || mixed > 100);
        }
}

int main(void)
{
    if (tn_wide_raster())
        RUN(both_builds_give_the_same_samples);
    else
        SKIP(both_builds_give_the_same_samples, "this machine has no vectors of 32 bytes");
    TEST_END();
}
