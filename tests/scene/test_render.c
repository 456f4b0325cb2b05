// test_render.c: which pixels are covered, what is in front, and that no scene or option does harm.
// SPDX-License-Identifier: MIT

#include "render_help.h"

#include <math.h>

static const double white[4] = {1, 1, 1, 1}, half_white[4] = {1, 1, 1, 0.5};

// -- Coverage

// A fan of triangles around (x, y) up to a frame around the picture, in any order.
static tenon_scene *fan_scene(uint32_t seed, float x, float y, float frame)
{
    enum { SPOKES = 40 };
    float positions[9 * SPOKES], rim[SPOKES + 1][2];
    uint32_t state = seed;
    for (int i = 0; i < SPOKES; i++) {
        float along =
            (float)(i % (SPOKES / 4)) / (SPOKES / 4) + (float)(next_random(&state) % 90) / 1000;
        int side = i / (SPOKES / 4);
        float a = side < 2 ? along : 1 - along, b = side == 0 || side == 3 ? 0 : 1;
        rim[i][0] = (side % 2 == 0 ? a : b) * frame - 1;
        rim[i][1] = (side % 2 == 0 ? b : a) * frame - 1;
        if (i % (SPOKES / 4) == 0) {  // The corners themselves.
            rim[i][0] = side == 1 || side == 2 ? frame - 1 : -1;
            rim[i][1] = side >= 2 ? frame - 1 : -1;
        }
    }
    memcpy(rim[SPOKES], rim[0], sizeof rim[0]);
    for (int i = 0; i < SPOKES; i++) {
        int flipped = (int)(next_random(&state) % 2);
        const float corners[9] = {x,
                                  y,
                                  0,
                                  rim[i + flipped][0],
                                  rim[i + flipped][1],
                                  0,
                                  rim[i + 1 - flipped][0],
                                  rim[i + 1 - flipped][1],
                                  0};
        memcpy(positions + 9 * i, corners, sizeof corners);
    }
    tenon_scene *scene = begin_scene(half_white, TENON_BLEND);
    add_primitive(scene, TENON_TRIANGLES, positions, 3 * SPOKES, 0);
    return scene;
}

// What is covered twice is brighter, and what is not covered is black.
TEST(triangles_with_common_edges_cover_every_sample_once)
{
    for (uint32_t seed = 1; seed <= 60; seed++) {
        uint32_t state = seed;
        float x = (float)(next_random(&state) % (SIDE * 16)) / 16;
        float y = (float)(next_random(&state) % (SIDE * 16)) / 16;
        tenon_scene *scene = fan_scene(seed, x, y, SIDE + 2);
        tenon_render_opts opts = flat_opts();
        opts.samples = 1u << seed % 4;
        uint8_t *pixels = draw(scene, &opts);
        CHECK(count_red(pixels, SIDE * SIDE, 188) == SIDE * SIDE);
        free(pixels);
        tenon_scene_free(scene);
    }
}

TEST(bands_and_clipped_triangles_leave_no_gap)
{
    tenon_scene *scene = fan_scene(5, 31.5f, 30.25f, SIDE + 2);
    tenon_render_opts opts = flat_opts();
    opts.width = opts.height = 900;  // Of 8 samples: more than one band.
    opts.samples = 8;
    uint8_t *pixels = draw(scene, &opts);
    CHECK(count_red(pixels, 900 * 900, 188) == 900 * 900);
    free(pixels);
    // So near that corners are millions of pixels away.
    opts = flat_opts();
    opts.view.height = 1e-5;
    pixels = draw(scene, &opts);
    CHECK(count_red(pixels, SIDE * SIDE, 188) == SIDE * SIDE);
    free(pixels);
    // Within the plane of the triangles, and behind it.
    opts.view.height = 0;
    opts.view.field_of_view = 2;
    opts.view.eye[2] = 1e-3;
    pixels = draw(scene, &opts);
    CHECK(count_red(pixels, SIDE * SIDE, 188) == SIDE * SIDE);
    free(pixels);
    opts.view.target[2] = 1;
    pixels = draw(scene, &opts);
    CHECK(count_red(pixels, SIDE * SIDE, 0) == SIDE * SIDE);
    free(pixels);
    tenon_scene_free(scene);
}

TEST(a_triangle_covers_what_its_area_says)
{
    static const float positions[] = {0, 0, 0, SIDE, 0, 0, 0, SIDE, 0};
    tenon_scene *scene = begin_scene(white, TENON_OPAQUE);
    add_primitive(scene, TENON_TRIANGLES, positions, 3, 0);
    tenon_render_opts opts = flat_opts();
    uint8_t *pixels = draw(scene, &opts);
    uint32_t covered = count_red(pixels, SIDE * SIDE, 255);
    CHECK(covered == SIDE * (SIDE - 1) / 2 || covered == SIDE * (SIDE + 1) / 2);
    CHECK(pixels[4 * (SIDE * (SIDE - 2) + 1)] == 255 && pixels[4 * (2 * SIDE - 2)] == 0);
    free(pixels);
    opts.samples = 8;  // On the diagonal about half of the samples are covered.
    pixels = draw(scene, &opts);
    for (uint32_t i = 0; i < SIDE; i++) {
        uint8_t red = pixels[4 * (SIDE * i + i)];
        CHECK(red > 150 && red < 220);
    }
    free(pixels);
    tenon_scene_free(scene);
}

TEST(all_kinds_of_primitives_are_drawn)
{
    static const float square[] = {8, 8, 0, 24, 8, 0, 8, 24, 0, 24, 24, 0};
    static const float around[] = {8, 8, 0, 24, 8, 0, 24, 24, 0, 8, 24, 0};
    static const struct {
        tenon_mode mode;
        const float *positions;
        uint32_t least, most;
    } cases[] = {{TENON_TRIANGLE_STRIP, square, 256, 256},
                 {TENON_TRIANGLE_FAN, around, 256, 256},
                 {TENON_TRIANGLES, square, 120, 136},
                 {TENON_LINES, around, 60, 80},
                 {TENON_LINE_STRIP, around, 90, 110},
                 {TENON_LINE_LOOP, around, 120, 140},
                 {TENON_POINTS, square, 60, 70}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_scene *scene = begin_scene(white, TENON_OPAQUE);
        add_primitive(scene, cases[i].mode, cases[i].positions, 4, 0);
        tenon_render_opts opts = flat_opts();
        uint8_t *pixels = draw(scene, &opts);
        uint32_t covered = count_red(pixels, SIDE * SIDE, 255);
        CHECK(covered >= cases[i].least && covered <= cases[i].most);
        free(pixels);
        tenon_scene_free(scene);
    }
}

// -- Depth

static void put_square(float *out, float z)
{
    const float corners[6][2] = {{0, 0}, {SIDE, 0}, {SIDE, SIDE}, {0, 0}, {SIDE, SIDE}, {0, SIDE}};
    for (int i = 0; i < 6; i++) {
        out[3 * i] = corners[i][0], out[3 * i + 1] = corners[i][1];
        out[3 * i + 2] = z;
    }
}

// Squares with vertex colors of 0.2, 0.4, and so on.
static uint8_t red_of_squares(const float *depths, uint32_t count, tenon_alpha alpha,
                              double field_of_view)
{
    tenon_scene *scene = begin_scene(alpha == TENON_BLEND ? half_white : white, alpha);
    float positions[18 * 4];
    for (uint32_t i = 0; i < count; i++) put_square(positions + 18 * i, depths[i]);
    tenon_primitive *p =
        add_primitive(scene, TENON_TRIANGLES, positions, 6 * count, TENON_WITH_COLOR);
    for (uint32_t i = 0; i < 24 * count; i++)
        p->colors[0][i] = i % 4 == 3 ? 1 : 0.2f * (float)(i / 24 + 1);
    tenon_render_opts opts = flat_opts();
    opts.view.field_of_view = field_of_view;
    uint8_t *pixels = draw(scene, &opts);
    uint8_t red = pixels[4 * (SIDE * SIDE / 2 + SIDE / 2 + 3)];
    free(pixels);
    tenon_scene_free(scene);
    return red;
}

TEST(the_nearest_surface_is_seen)
{
    for (int i = 0; i < 2; i++) {
        double field = i ? 0.6 : 0;
        CHECK(red_of_squares((const float[]){1, 2}, 2, TENON_OPAQUE, field) == 170);
        CHECK(red_of_squares((const float[]){2, 1}, 2, TENON_OPAQUE, field) == 124);
        // 0.5 * 0.4 + 0.25 * 0.2, and the other way round.
        CHECK(red_of_squares((const float[]){1, 2}, 2, TENON_BLEND, field) == 137);
        CHECK(red_of_squares((const float[]){2, 1}, 2, TENON_BLEND, field) == 124);
        CHECK(red_of_squares((const float[]){1, 3, 2, 4}, 4, TENON_BLEND, field) ==
              red_of_squares((const float[]){1, 3, 2, 4}, 4, TENON_BLEND, field));
    }
}

TEST(backs_are_hidden_unless_they_are_wanted)
{
    static const float positions[] = {0, 0, 0, 0, 200, 0, 200, 0, 0};
    tenon_scene *scene = begin_scene(white, TENON_OPAQUE);
    tenon_primitive *p = add_primitive(scene, TENON_TRIANGLES, positions, 3, 0);
    tenon_render_opts opts = flat_opts();
    for (int i = 0; i < 4; i++) {
        scene->materials[0].double_sided = i == 1;
        p->material = i == 3 ? TENON_NONE : 0;
        opts.flags = i == 2 ? TENON_RENDER_BOTH_SIDES : 0;
        uint8_t *pixels = draw(scene, &opts);
        CHECK((count_red(pixels, SIDE * SIDE, 0) == 0) == (i > 0));
        free(pixels);
    }
    // A mirrored node changes the order of the corners, but not where the front is.
    p->material = 0;
    opts.flags = 0;
    scene->materials[0].double_sided = false;
    scene->nodes[0].scale[0] = -1;
    scene->nodes[0].translation[0] = SIDE;
    uint8_t *pixels = draw(scene, &opts);
    CHECK(count_red(pixels, SIDE * SIDE, 0) == SIDE * SIDE);
    free(pixels);
    tenon_scene_free(scene);
}

// -- What must not do harm

TEST(wrong_arguments_are_refused)
{
    tenon_scene *scene = begin_scene(white, TENON_OPAQUE), *other = begin_scene(white, TENON_MASK);
    tenon_renderer *renderer = tenon_renderer_new(scene, NULL, NULL);
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL),
               *stranger = tenon_pose_new(other, NULL, NULL);
    static uint8_t pixels[512 * 512 * 4];
    CHECK(tenon_renderer_new(NULL, NULL, &render_err) == NULL &&
          render_err.code == TENON_ERR_VALUE);
    CHECK(!tenon_render(NULL, pose, NULL, pixels, NULL));
    CHECK(!tenon_render(renderer, NULL, NULL, pixels, NULL));
    CHECK(!tenon_render(renderer, pose, NULL, NULL, NULL));
    CHECK(!tenon_render(renderer, stranger, NULL, pixels, NULL));
    CHECK(tenon_render(renderer, pose, NULL, pixels, NULL));
    tenon_render_opts opts[8];
    for (int i = 0; i < 8; i++) opts[i] = flat_opts();
    opts[0].view.eye[1] = (double)NAN;
    opts[1].view.up[0] = HUGE_VAL;
    opts[2].view.target[2] = 100;                    // The eye itself.
    opts[3].view.up[1] = 0, opts[3].view.up[2] = 1;  // Along the view.
    opts[4].view.height = -1;
    opts[5].view.field_of_view = 4;
    opts[6].samples = 3;
    opts[7].style = (tenon_style)99;
    for (int i = 0; i < 8; i++) {
        CHECK(!tenon_render(renderer, pose, &opts[i], pixels, &render_err));
        CHECK(render_err.code == TENON_ERR_VALUE);
    }
    tenon_render_opts huge = flat_opts();
    huge.width = 40000;
    CHECK(!tenon_render(renderer, pose, &huge, pixels, &render_err));
    CHECK(render_err.code == TENON_ERR_LIMIT);
    tenon_renderer_free(NULL);
    tenon_renderer_free(renderer);
    tenon_pose_free(pose);
    tenon_pose_free(stranger);
    tenon_scene_free(scene);
    tenon_scene_free(other);
}

TEST(extreme_coordinates_do_no_harm)
{
    static const float values[] = {0, 1, -1, 1e-30f, 3e38f, -3e38f, 1e19f, -1e10f, 31.5f, 64};
    tenon_render_opts opts = flat_opts();
    uint32_t state = 9;
    for (int i = 0; i < 400; i++) {
        float positions[9];
        for (int k = 0; k < 9; k++) positions[k] = values[next_random(&state) % 10];
        tenon_scene *scene = begin_scene(half_white, i % 2 ? TENON_BLEND : TENON_OPAQUE);
        tenon_primitive *p = add_primitive(scene, (tenon_mode)(i % 7), positions, 3,
                                           TENON_WITH_NORMALS | TENON_WITH_UV0);
        for (int k = 0; k < 6; k++) p->uvs[0][k] = values[next_random(&state) % 10];
        scene->materials[0].is_unlit = i % 3 == 0;
        opts.samples = 1u << i % 4;
        opts.style = (tenon_style)(i % 5);
        opts.flags = (uint32_t)i % 32;
        opts.view.field_of_view = i % 3 ? 0.5 : 0;
        opts.view.eye[2] = i % 5 ? 100 : 1e-3;
        free(draw(scene, &opts));
        tenon_scene_free(scene);
    }
}

TEST(a_box_always_has_a_view)
{
    static const double boxes[][2] = {{0, 0}, {-1, 1}, {5, 5}, {-1e30, 1e30}, {1e-30, 2e-30}};
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        double min[3], max[3];
        for (int k = 0; k < 3; k++) min[k] = boxes[i][0], max[k] = boxes[i][1];
        for (int k = -8; k <= 8; k++) {
            tenon_view view = tenon_view_box(min, max, k * 0.9, k * 0.19, 1.5);
            if (i == 0) view = tenon_view_box(NULL, NULL, k * 0.9, k * 0.19, 0);
            tenon_scene *scene = begin_scene(white, TENON_OPAQUE);
            tenon_render_opts opts = {.width = 8, .height = 8, .view = view};
            uint8_t *pixels = draw_with(scene, NULL, &opts);
            CHECK(pixels != NULL);
            free(pixels);
            tenon_scene_free(scene);
        }
    }
}

TEST(points_are_projected_to_where_they_are_drawn)
{
    tenon_view view = {.eye = {0, 0, 4}, .field_of_view = 1.5707963267948966};
    double at[2];
    CHECK(tenon_view_project(&view, 200, 100, (const float[]){0, 0, 0}, at));
    CHECK(fabs(at[0] - 100) < 1e-9 && fabs(at[1] - 50) < 1e-9);
    // Half of the height is seen at the distance 4.
    CHECK(tenon_view_project(&view, 200, 100, (const float[]){2, 2, 0}, at));
    CHECK(fabs(at[0] - 125) < 1e-9 && fabs(at[1] - 25) < 1e-9);
    CHECK(!tenon_view_project(&view, 200, 100, (const float[]){0, 0, 5}, at));
    CHECK(!tenon_view_project(&view, 200, 100, (const float[]){0, NAN, 0}, at));
    view.field_of_view = 0, view.height = 4;
    CHECK(tenon_view_project(&view, 200, 100, (const float[]){1, 1, 9}, at));
    CHECK(fabs(at[0] - 125) < 1e-9 && fabs(at[1] - 25) < 1e-9);
    view.height = 0;
    CHECK(!tenon_view_project(&view, 200, 100, (const float[]){0, 0, 0}, at));
    CHECK(!tenon_view_project(NULL, 200, 100, (const float[]){0, 0, 0}, at));
}

// Where the nearest corner of the box [-1, 1] is on a picture, as a fraction of half of it.
TEST(a_box_fills_the_picture)
{
    const double min[3] = {-1, -1, -1}, max[3] = {1, 1, 1};
    for (int i = 0; i < 40; i++) {
        double aspect = i % 2 ? 2 : 0.5, most = 0;
        tenon_view view = tenon_view_box(min, max, i * 0.37, i * 0.03 - 0.6, aspect);
        double back[3], length = 0, up[3], right[3];
        for (int k = 0; k < 3; k++) back[k] = view.eye[k], length += back[k] * back[k];
        for (int k = 0; k < 3; k++) back[k] /= sqrt(length), up[k] = view.up[k];
        for (int k = 0; k < 3; k++)
            right[k] = up[(k + 1) % 3] * back[(k + 2) % 3] - up[(k + 2) % 3] * back[(k + 1) % 3];
        for (int corner = 0; corner < 8; corner++) {
            double x = 0, y = 0, z = sqrt(length);
            for (int k = 0; k < 3; k++) {
                double c = corner >> k & 1 ? 1 : -1;
                x += c * right[k], y += c * up[k], z -= c * back[k];
            }
            double half = tan(view.field_of_view / 2);
            most = fmax(most, fmax(fabs(x) / z / half / aspect, fabs(y) / z / half));
        }
        CHECK(most > 0.9 && most < 0.97);
    }
}

// A square that a clip moves by 10: the view of the clip shows where it starts and where it ends.
TEST(the_view_of_a_clip_shows_all_of_it)
{
    static const float positions[] = {0, 0, 0, 2, 0, 0, 0, 2, 0};
    tenon_scene *scene = begin_scene(white, TENON_OPAQUE);
    add_primitive(scene, TENON_TRIANGLES, positions, 3, 0);
    uint32_t clip = tenon_scene_add_animation(scene, "slide");
    tenon_channel *c = tenon_scene_add_channel(scene, clip, 0, TENON_TRANSLATION, TENON_LINEAR, 2);
    CHECK(c != NULL);
    if (!c) return;
    c->times[1] = 1;
    c->values[3] = 10;
    CHECK(tenon_scene_finish(scene, NULL, &render_err));
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    tenon_view still = tenon_view_clip(pose, TENON_NONE, 0, 0, 1);
    tenon_view moving = tenon_view_clip(pose, clip, 0, 0, 1);
    CHECK(still.target[0] == 1 && still.target[1] == 1 && moving.target[0] == 6);
    CHECK(moving.eye[2] > 4 * still.eye[2]);
    // Without vertices, the node itself.
    scene->nodes[0].mesh = TENON_NONE;
    moving = tenon_view_clip(pose, clip, 0, 0, 1);
    CHECK(moving.target[0] == 5 && moving.target[1] == 0);
    CHECK(tenon_view_clip(NULL, TENON_NONE, 0, 0, 1).eye[2] == 1);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

static bool stop_at_once(void *user, uint64_t done, uint64_t total)
{
    (void)user, (void)done, (void)total;
    return false;
}

TEST(costs_are_limited_and_drawing_can_be_stopped)
{
    tenon_scene *scene = fan_scene(1, 20, 20, SIDE + 2);
    tenon_budget memory = {.memory.limit = 100000}, work = {.work.limit = 500}, none = {0};
    tenon_render_opts opts = flat_opts();
    opts.samples = 8;
    opts.allocator.budget = &memory;
    CHECK(!draw_with(scene, NULL, &opts) && render_err.code == TENON_ERR_LIMIT);
    CHECK(memory.memory.refused > 100000 && memory.memory.used == 0);
    opts.allocator.budget = &work;
    CHECK(!draw_with(scene, NULL, &opts) && render_err.code == TENON_ERR_LIMIT);
    CHECK(work.work.refused > 500);
    opts.allocator.budget = &none;
    free(draw(scene, &opts));
    CHECK(none.memory.used == 0 && none.memory.most < SIDE * SIDE * 100 && none.work.used > 500);
    opts.events.on_progress = stop_at_once;
    CHECK(!draw_with(scene, NULL, &opts) && render_err.code == TENON_ERR_CANCELLED);
    tenon_renderer_opts loading = {.allocator.budget = &memory};
    CHECK(!draw_with(scene, &loading, &opts) && render_err.code == TENON_ERR_LIMIT);
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(triangles_with_common_edges_cover_every_sample_once);
    RUN(bands_and_clipped_triangles_leave_no_gap);
    RUN(a_triangle_covers_what_its_area_says);
    RUN(all_kinds_of_primitives_are_drawn);
    RUN(the_nearest_surface_is_seen);
    RUN(backs_are_hidden_unless_they_are_wanted);
    RUN(wrong_arguments_are_refused);
    RUN(extreme_coordinates_do_no_harm);
    RUN(a_box_always_has_a_view);
    RUN(points_are_projected_to_where_they_are_drawn);
    RUN(a_box_fills_the_picture);
    RUN(the_view_of_a_clip_shows_all_of_it);
    RUN(costs_are_limited_and_drawing_can_be_stopped);
    TEST_END();
}
