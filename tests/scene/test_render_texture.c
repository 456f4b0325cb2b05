// test_render_texture.c: textures in pictures: places, sizes, edges, light; missing ones.
// SPDX-License-Identifier: MIT

#include "../png_help.h"
#include "render_help.h"

#include <tenon/files.h>

#include <math.h>

static const double white[4] = {1, 1, 1, 1};

// A square of the size of the picture with a texture, of which it shows `repeats`.
static tenon_scene *square_scene(const png_bytes *file, float repeats)
{
    static const float corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    float positions[18];
    for (int i = 0; i < 6; i++) {
        positions[3 * i] = corners[i][0] * SIDE;
        positions[3 * i + 1] = corners[i][1] * SIDE;
        positions[3 * i + 2] = 0;
    }
    tenon_scene *scene = begin_scene(white, TENON_OPAQUE);
    tenon_primitive *p = add_primitive(scene, TENON_TRIANGLES, positions, 6, TENON_WITH_UV0);
    for (int i = 0; i < 6; i++) {
        p->uvs[0][2 * i] = corners[i][0] * repeats;
        p->uvs[0][2 * i + 1] = (1 - corners[i][1]) * repeats;
    }
    scene->images = tenon_scene_alloc(scene, sizeof *scene->images);
    if (!scene->images) abort();
    scene->image_count = 1;
    scene->images[0] = (tenon_image){.name = {"picture", 7}, .path = {"", 0}};
    if (file) {
        scene->images[0].data = file->bytes;
        scene->images[0].size = file->size;
    }
    scene->materials[0].textures[TENON_SLOT_BASE_COLOR] =
        (tenon_texture){.image = 0, .scale = {1, 1}};
    return scene;
}

static png_bytes picture_of(const uint8_t *pixels, uint32_t width, uint32_t height,
                            uint32_t channels)
{
    png_bytes f = {.size = 0};
    const tenon_png png = {
        .width = width, .height = height, .channels = channels, .pixels = pixels};
    if (!tenon_write_png(&png, png_append, &f, NULL)) abort();
    return f;
}

static uint8_t red_at(const uint8_t *pixels, uint32_t x, uint32_t y)
{
    return pixels[4 * (y * SIDE + x)];
}

// Four pixels, each as large as a quarter of the picture.
static const uint8_t four[] = {60, 100, 200, 255};

TEST(a_texture_starts_at_the_top_left)
{
    png_bytes f = picture_of(four, 2, 2, 1);
    tenon_scene *scene = square_scene(&f, 1);
    tenon_render_opts opts = flat_opts();
    uint8_t *pixels = draw(scene, &opts);
    CHECK(abs(red_at(pixels, 15, 15) - 60) <= 14 && abs(red_at(pixels, 48, 15) - 100) <= 8);
    CHECK(abs(red_at(pixels, 15, 48) - 200) <= 4 && red_at(pixels, 48, 48) >= 250);
    free(pixels);
    scene->images[0].flip_y = true;
    pixels = draw(scene, &opts);
    CHECK(abs(red_at(pixels, 15, 15) - 200) <= 4 && red_at(pixels, 48, 15) >= 250);
    free(pixels);
    scene->images[0].flip_y = false;
    opts.flags = TENON_RENDER_UNTEXTURED;
    pixels = draw(scene, &opts);
    CHECK(count_red(pixels, SIDE * SIDE, 255) == SIDE * SIDE);
    free(pixels);
    tenon_scene_free(scene);
}

TEST(textures_are_wrapped_and_moved)
{
    png_bytes f = picture_of(four, 2, 2, 1);
    tenon_scene *scene = square_scene(&f, 2);
    tenon_render_opts opts = flat_opts();
    tenon_texture *t = &scene->materials[0].textures[TENON_SLOT_BASE_COLOR];
    uint8_t *pixels = draw(scene, &opts);  // Repeated: 60 100 60 100.
    CHECK(red_at(pixels, 8, 8) < 75 && red_at(pixels, 40, 8) < 75 && red_at(pixels, 24, 8) > 90);
    free(pixels);
    t->wrap[0] = TENON_MIRROR;  // 60 100 100 60.
    pixels = draw(scene, &opts);
    CHECK(red_at(pixels, 8, 8) < 75 && red_at(pixels, 40, 8) > 90 && red_at(pixels, 56, 8) < 75);
    free(pixels);
    t->wrap[0] = TENON_CLAMP;  // 60 100 100 100.
    pixels = draw(scene, &opts);
    CHECK(red_at(pixels, 40, 8) > 90 && red_at(pixels, 60, 8) > 90);
    free(pixels);
    t->wrap[0] = TENON_REPEAT;
    t->offset[0] = 0.5;  // 100 60 100 60.
    pixels = draw(scene, &opts);
    CHECK(red_at(pixels, 8, 8) > 90 && red_at(pixels, 24, 8) < 75);
    free(pixels);
    t->offset[0] = 0;
    t->scale[0] = t->scale[1] = 0.5;
    pixels = draw(scene, &opts);
    CHECK(abs(red_at(pixels, 15, 15) - 60) <= 14 && red_at(pixels, 48, 48) >= 250);
    free(pixels);
    tenon_scene_free(scene);
}

// Black and white are 188 from afar, not 128: the mean of light, not of bytes.
TEST(small_textures_are_means_of_light)
{
    uint8_t squares[128 * 128];
    for (int i = 0; i < 128 * 128; i++) squares[i] = (i + i / 128) % 2 ? 255 : 0;
    png_bytes f = picture_of(squares, 128, 128, 1);
    tenon_scene *scene = square_scene(&f, 4);
    tenon_render_opts opts = flat_opts();
    uint8_t *pixels = draw(scene, &opts);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) CHECK(abs(pixels[4 * i] - 188) <= 1);
    free(pixels);
    tenon_scene_free(scene);
}

// A square that is seen at a slant, with a texture that gets lighter from side to side.
TEST(textures_have_the_right_perspective)
{
    uint8_t ramp[256];
    for (int i = 0; i < 256; i++) ramp[i] = (uint8_t)i;
    png_bytes f = picture_of(ramp, 256, 1, 1);
    tenon_scene *scene = square_scene(&f, 1);
    tenon_render_opts opts = flat_opts();
    const double eye[3] = {-20, 32, 18}, target[3] = {32, 32, 0}, field = 1;
    memcpy(opts.view.eye, eye, sizeof eye);
    memcpy(opts.view.target, target, sizeof target);
    opts.view.up[2] = 1;
    opts.view.field_of_view = field;
    scene->materials[0].textures[TENON_SLOT_BASE_COLOR].wrap[0] = TENON_CLAMP;
    uint8_t *pixels = draw(scene, &opts);
    double forward[3] = {52, 0, -18}, length = sqrt(52 * 52 + 18 * 18);
    uint32_t compared = 0;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            // The ray through the pixel, in the plane z = 0.
            double a = (x + 0.5 - 32) / 32 * tan(field / 2),
                   b = (32 - y - 0.5) / 32 * tan(field / 2);
            double up[3] = {18 / length, 0, 52 / length}, ray[3];
            for (int k = 0; k < 3; k++) ray[k] = forward[k] / length + b * up[k];
            ray[1] -= a;
            double t = ray[2] < 0 ? -eye[2] / ray[2] : -1;
            double px = eye[0] + t * ray[0], py = eye[1] + t * ray[1];
            if (t < 0 || px < 2 || px > 62 || py < 1 || py > 63) continue;
            double want = px / 64 * 256 - 0.5;
            CHECK(fabs(red_at(pixels, x, y) - want) < 4);
            compared++;
        }
    CHECK(compared > 300);
    free(pixels);
    tenon_scene_free(scene);
}

TEST(transparent_pixels_are_left_out)
{
    const uint8_t half[] = {255, 255, 255, 255, 255, 0, 0, 0};
    png_bytes f = picture_of(half, 2, 1, 4);
    tenon_scene *scene = square_scene(&f, 1);
    tenon_render_opts opts = flat_opts();
    scene->materials[0].textures[TENON_SLOT_BASE_COLOR].wrap[0] = TENON_CLAMP;
    for (int i = 0; i < 2; i++) {
        opts.samples = i ? 8 : 1;
        scene->materials[0].alpha = TENON_MASK;
        scene->materials[0].alpha_cutoff = 0.5;
        uint8_t *pixels = draw(scene, &opts);
        CHECK(red_at(pixels, 8, 8) == 255 && red_at(pixels, 56, 8) == 0);
        free(pixels);
        scene->materials[0].alpha = TENON_BLEND;
        pixels = draw(scene, &opts);
        CHECK(red_at(pixels, 8, 8) == 255 && red_at(pixels, 56, 8) == 0);
        CHECK(red_at(pixels, 32, 8) > 150 && red_at(pixels, 32, 8) < 220);
        free(pixels);
    }
    // On nothing, colors are not darkened by what is transparent.
    memset(opts.background, 0, sizeof opts.background);
    uint8_t *pixels = draw(scene, &opts);
    const uint8_t *middle = pixels + 4 * (8 * SIDE + 30);
    CHECK(middle[0] == 255 && middle[3] > 100 && middle[3] < 200);
    CHECK(pixels[4 * (8 * SIDE + 60) + 3] == 0);
    free(pixels);
    tenon_scene_free(scene);
}

// -- Where textures come from

static uint32_t loss_count;

static void count_loss(void *user, const tenon_loss *loss)
{
    (void)user;
    CHECK(loss->kind == TENON_DROPPED && strcmp(loss->feature, "textures") == 0);
    loss_count++;
}

static uint8_t red_with(const tenon_scene *scene, const tenon_renderer_opts *opts)
{
    tenon_render_opts flat = flat_opts();
    loss_count = 0;
    uint8_t *pixels = draw_with(scene, opts, &flat);
    if (!pixels) return 1;
    uint8_t red = red_at(pixels, 40, 40);
    free(pixels);
    return red;
}

static bool decode_gray(void *user, const uint8_t *bytes, uint64_t size, tenon_pixels_fn *take,
                        void *take_user)
{
    static const uint8_t gray[4] = {100, 100, 100, 255};
    (void)bytes;
    *(uint64_t *)user = size;
    return take(take_user, gray, 1, 1);
}

TEST(textures_are_found_beside_the_model)
{
    static const uint8_t gray[] = {70, 70, 70, 70};
    png_bytes f = picture_of(gray, 2, 2, 1);
    tenon_memory *memory = tenon_memory_new(NULL, NULL);
    if (!memory || !tenon_memory_add(memory, "models/skin.png", f.bytes, f.size)) abort();
    tenon_scene *scene = square_scene(NULL, 1);
    tenon_renderer_opts opts = {.events.on_loss = count_loss,
                                .model_path = "models/a.glb",
                                .files = tenon_memory_files(memory)};
    scene->images[0].path = (tenon_str){"skin.png", 8};
    CHECK(red_with(scene, &opts) == 70 && loss_count == 0);
    opts.without_textures = true;
    CHECK(red_with(scene, &opts) == 255 && loss_count == 0);
    opts.without_textures = false;
    scene->images[0].path = (tenon_str){"../models/skin.png", 18};
    CHECK(red_with(scene, &opts) == 255 && loss_count == 1);
    scene->images[0].path = (tenon_str){"other.png", 9};
    CHECK(red_with(scene, &opts) == 255 && loss_count == 1);
    opts.model_path = NULL;
    scene->images[0].path = (tenon_str){"skin.png", 8};
    CHECK(red_with(scene, &opts) == 255 && loss_count == 1);
    tenon_scene_free(scene);
    tenon_memory_free(memory);
}

TEST(other_pictures_are_decoded_by_the_caller)
{
    png_bytes f = {.bytes = {0xff, 0xd8, 0xff, 0xe0, 1}, .size = 5};
    tenon_scene *scene = square_scene(&f, 1);
    uint64_t size = 0;
    tenon_renderer_opts opts = {.events.on_loss = count_loss};
    CHECK(red_with(scene, &opts) == 255 && loss_count == 1);
    opts.pictures.user = &size;
    opts.pictures.decode = decode_gray;
    CHECK(red_with(scene, &opts) == 100 && loss_count == 0 && size == 5);
    tenon_scene_free(scene);
    png_bytes broken = picture_of(four, 2, 2, 1);
    broken.size -= 20;
    scene = square_scene(&broken, 1);
    CHECK(red_with(scene, &opts) == 255 && loss_count == 1);
    tenon_scene_free(scene);
}

TEST(large_textures_are_made_smaller)
{
    uint8_t noise[100 * 60];
    uint32_t state = 3;
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)next_random(&state);
    png_bytes f = picture_of(noise, 100, 60, 1);
    tenon_scene *scene = square_scene(&f, 1);
    tenon_render_opts flat = flat_opts();
    for (uint32_t size = 1; size < 128; size += size) {
        tenon_budget budget = {0};
        tenon_renderer_opts opts = {.texture_size = size, .allocator.budget = &budget};
        uint8_t *pixels = draw_with(scene, &opts, &flat);
        uint32_t least = 255, most = 0;
        for (uint32_t i = 0; pixels && i < SIDE * SIDE; i++) {
            if (pixels[4 * i] < least) least = pixels[4 * i];
            if (pixels[4 * i] > most) most = pixels[4 * i];
        }
        CHECK(pixels && (size == 1 ? most - least < 3 : size < 32 || most > least + 60));
        free(pixels);
        budget = (tenon_budget){.memory.limit = 100000};
        CHECK(!draw_with(scene, &opts, &flat) && render_err.code == TENON_ERR_LIMIT);
        CHECK(budget.memory.used == 0);
    }
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(a_texture_starts_at_the_top_left);
    RUN(textures_are_wrapped_and_moved);
    RUN(small_textures_are_means_of_light);
    RUN(textures_have_the_right_perspective);
    RUN(transparent_pixels_are_left_out);
    RUN(textures_are_found_beside_the_model);
    RUN(other_pictures_are_decoded_by_the_caller);
    RUN(large_textures_are_made_smaller);
    TEST_END();
}
