// check_upload.c: what examples/load_and_upload.c draws covers the pixels that the triangles of the
// posed scene cover.
// SPDX-License-Identifier: MIT
//
// Usage: check_upload MODEL CLIP. The exit status is 77 if there is no OpenGL.

int example_main(int argc, char **argv);

#define main example_main
#include "../../examples/load_and_upload.c"
#undef main

#include "../test.h"

#include <math.h>
#include <stdlib.h>

#define SIZE 256

static const float center[3] = {0, 4, 0};
static const float scale = 0.12f;

typedef struct coverage {
    bool is_covered[SIZE * SIZE];
} coverage;

// The share of pixels that are covered, and their mean.
typedef struct summary {
    double share, x, y;
} summary;

static summary summarize(const coverage *picture)
{
    summary sum = {0};
    for (int i = 0; i < SIZE * SIZE; i++) {
        if (!picture->is_covered[i]) continue;
        sum.share++;
        sum.x += i % SIZE;
        sum.y += i / SIZE;
    }
    if (sum.share > 0) sum.x /= sum.share, sum.y /= sum.share;
    sum.share /= SIZE * SIZE;
    return sum;
}

static double turn(const double a[2], const double b[2], const double p[2])
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

// Cover the pixels whose centers are in a triangle, from either side.
static void cover(coverage *picture, const float *positions, const uint32_t corners[3])
{
    double p[3][2], low[2] = {SIZE, SIZE}, high[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        for (uint32_t axis = 0; axis < 2; axis++) {
            double value = (double)(positions[3 * corners[i] + axis] - center[axis]) * scale;
            p[i][axis] = (value + 1) / 2 * SIZE;
            low[axis] = fmin(low[axis], p[i][axis]);
            high[axis] = fmax(high[axis], p[i][axis]);
        }
    }
    for (int y = (int)fmax(low[1], 0); y <= high[1] && y < SIZE; y++) {
        for (int x = (int)fmax(low[0], 0); x <= high[0] && x < SIZE; x++) {
            double at[2] = {x + 0.5, y + 0.5};
            double a = turn(p[0], p[1], at), b = turn(p[1], p[2], at), c = turn(p[2], p[0], at);
            if ((a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0))
                picture->is_covered[y * SIZE + x] = true;
        }
    }
}

static void draw_expected(coverage *picture, const tenon_scene *scene, const tenon_pose *pose)
{
    memset(picture, 0, sizeof *picture);
    for (uint32_t n = 0; n < scene->node_count; n++) {
        if (scene->nodes[n].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[n].mesh];
        for (uint32_t k = 0; k < mesh->primitive_count; k++) {
            const tenon_primitive *primitive = &mesh->primitives[k];
            CHECK(primitive->mode == TENON_TRIANGLES && primitive->indices);
            float *positions = malloc(3 * sizeof *positions * (size_t)primitive->vertex_count + 1);
            if (!positions) exit(1);
            tenon_pose_skin(pose, n, k, positions, NULL);
            for (uint32_t i = 0; i + 2 < primitive->index_count; i += 3)
                cover(picture, positions, primitive->indices + i);
            free(positions);
        }
    }
}

static void read_drawn(coverage *picture)
{
    static uint8_t pixels[4 * SIZE * SIZE];
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int i = 0; i < SIZE * SIZE; i++)
        picture->is_covered[i] = pixels[4 * i] || pixels[4 * i + 1] || pixels[4 * i + 2];
}

static summary compare(const gl_model *model, const tenon_buffers *buffers,
                       const tenon_scene *scene, tenon_pose *pose)
{
    static coverage expected, drawn;
    uint32_t differing = 0;
    draw_expected(&expected, scene, pose);
    draw_frame(model, buffers, pose, center, scale);
    read_drawn(&drawn);
    summary want = summarize(&expected), got = summarize(&drawn);
    for (int i = 0; i < SIZE * SIZE; i++)
        differing += expected.is_covered[i] != drawn.is_covered[i];
    printf("covered %.4f, expected %.4f; center %.2f %.2f, expected %.2f %.2f; %u pixels differ\n",
           got.share, want.share, got.x, got.y, want.x, want.y, differing);
    CHECK(want.share > 0.05);
    CHECK(fabs(got.share - want.share) < 0.001);
    CHECK(fabs(got.x - want.x) < 0.2 && fabs(got.y - want.y) < 0.2);
    CHECK(differing < 0.001 * SIZE * SIZE);
    return got;
}

int main(int argc, char **argv)
{
    tenon_error err;
    static gl_model model;
    if (argc != 3) return 2;
    if (SDL_Init(SDL_INIT_VIDEO) != 0) return printf("skipped: %s\n", SDL_GetError()), 77;
    SDL_Window *window = SDL_CreateWindow("", 0, 0, SIZE, SIZE, SDL_WINDOW_OPENGL);
    if (!window || !SDL_GL_CreateContext(window))
        return printf("skipped: no OpenGL: %s\n", SDL_GetError()), 77;
    tenon_scene *scene = tenon_import_file(argv[1], NULL, NULL, &err);
    tenon_pose *pose = scene ? tenon_pose_new(scene, NULL, &err) : NULL;
    tenon_prepare_opts opts = {.max_matrices = GL_MODEL_MATRICES};
    tenon_buffers *buffers = pose ? tenon_prepare(scene, &opts, &err) : NULL;
    if (!buffers) return printf("%s: %s\n", argv[1], err.message), 1;
    CHECK(gl_model_upload(&model, buffers));
    uint32_t clip = tenon_find_animation(scene, argv[2]);
    CHECK(clip != TENON_NONE);
    summary rest = compare(&model, buffers, scene, pose);
    tenon_pose_set(pose, clip, scene->animations[clip].duration * 0.4);
    summary moved = compare(&model, buffers, scene, pose);
    CHECK(fabs(rest.x - moved.x) > 0.5 || fabs(rest.y - moved.y) > 0.5);  // The clip was played.
    tenon_buffers_free(buffers);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
    SDL_Quit();
    TEST_END();
}
