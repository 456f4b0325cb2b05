// fuzz_render.c: whatever becomes a scene can be drawn: in all styles, from anywhere, at any time,
// also with colors, coordinates and materials that no file would have; the pixels are always the
// same; two poses can be compared.
// SPDX-License-Identifier: MIT
//
// With TENON_FUZZ_FORMAT=bmw in the environment every input is read as a BMW file.

#include "fuzz.h"

#include <math.h>
#include <tenon/render.h>

#define SCENE_MEMORY  ((uint64_t)32 << 20)
#define RENDER_MEMORY ((uint64_t)96 << 20)
#define SIDE_MOST     48
#define MOST_VALUES   64  // That are replaced.

static const double extremes[] = {0,    1,    -1,   1e-30, 1e-9, 0.5,  255,   1e6,
                                  1e15, -1e9, 3e38, -3e38, 1e19, -0.0, 1e300, -1e300};

static double pick_number(uint64_t *state)
{
    return extremes[pick(state, sizeof extremes / sizeof extremes[0])];
}

// Replace some numbers of a scene by extreme ones; they stay finite.
static void make_extreme(tenon_scene *scene, uint64_t *state)
{
    for (uint64_t i = pick(state, MOST_VALUES); i > 0 && scene->mesh_count > 0; i--) {
        const tenon_mesh *mesh = &scene->meshes[pick(state, scene->mesh_count)];
        if (mesh->primitive_count == 0) continue;
        tenon_primitive *p = &mesh->primitives[pick(state, mesh->primitive_count)];
        if (p->vertex_count == 0) continue;
        float value = (float)extremes[pick(state, 14)];
        uint64_t vertex = pick(state, p->vertex_count);
        float *streams[] = {p->positions, p->uvs[0], p->colors[0]};
        float *stream = streams[pick(state, 3)];
        if (stream) stream[2 * vertex] = value;
    }
    for (uint32_t i = 0; i < scene->material_count; i++) {
        tenon_material *m = &scene->materials[i];
        if (pick(state, 2)) m->alpha = (tenon_alpha)pick(state, 3);
        if (pick(state, 4) == 0) m->alpha_cutoff = pick_number(state);
        if (pick(state, 4) == 0) m->roughness = pick_number(state);
        if (pick(state, 4) == 0) m->base_color[pick(state, 4)] = pick_number(state);
        tenon_texture *t = &m->textures[TENON_SLOT_BASE_COLOR];
        if (pick(state, 4) == 0) t->scale[pick(state, 2)] = pick_number(state);
        if (pick(state, 4) == 0) t->wrap[pick(state, 2)] = (tenon_wrap)pick(state, 3);
    }
}

static tenon_render_opts pick_opts(const tenon_scene *scene, tenon_pose *pose, uint64_t *state)
{
    tenon_render_opts opts = {.width = 1 + (uint32_t)pick(state, SIDE_MOST),
                              .height = 1 + (uint32_t)pick(state, SIDE_MOST),
                              .style = (tenon_style)pick(state, TENON_STYLE_WIREFRAME + 1),
                              .flags = (uint32_t)pick(state, 32),
                              .samples = 1u << pick(state, 4)};
    for (int k = 0; k < 4; k++) opts.background[k] = pick_number(state);
    double azimuth = (double)pick(state, 100) / 9, elevation = (double)pick(state, 100) / 20 - 2.5;
    double aspect = (double)opts.width / opts.height;
    uint32_t clip = TENON_NONE;
    if (scene->animation_count > 0 && pick(state, 2))
        clip = (uint32_t)pick(state, scene->animation_count);
    bool is_short = clip == TENON_NONE || scene->animations[clip].duration < 60;
    if (is_short && pick(state, 2))
        opts.view = tenon_view_clip(pose, clip, azimuth, elevation, aspect);
    double duration = clip == TENON_NONE ? 0 : scene->animations[clip].duration;
    tenon_pose_set(pose, clip, duration * (double)pick(state, 5) / 4);
    for (uint64_t i = pick(state, 3); i > 0; i--) {
        double *values = &opts.view.eye[0];
        values[pick(state, sizeof opts.view / sizeof *values)] = pick_number(state);
    }
    return opts;
}

static void draw(tenon_scene *scene, uint64_t *state)
{
    static uint8_t pixels[2][4 * SIDE_MOST * SIDE_MOST];
    tenon_error err;
    tenon_budget budget = {.memory.limit = RENDER_MEMORY};
    const tenon_allocator allocator = {.budget = &budget};
    const tenon_renderer_opts loading = {.allocator = allocator,
                                         .texture_size = 1u << pick(state, 8)};
    tenon_renderer *renderer = tenon_renderer_new(scene, &loading, &err);
    tenon_pose *pose = tenon_pose_new(scene, &allocator, &err);
    for (int i = 0; i < 3 && renderer && pose; i++) {
        tenon_render_opts opts = pick_opts(scene, pose, state);
        opts.allocator = allocator;
        size_t size = 4 * (size_t)opts.width * opts.height;
        memset(pixels[0], 0, size);
        memset(pixels[1], 255, size);
        bool ok = tenon_render(renderer, pose, &opts, pixels[0], &err);
        require(ok || is_excused(&err) || err.code == TENON_ERR_VALUE, "drawing", &err);
        require(ok == tenon_render(renderer, pose, &opts, pixels[1], &err), "drawing again", &err);
        require(!ok || memcmp(pixels[0], pixels[1], size) == 0, "the same pixels", NULL);
        const float point[3] = {(float)pick_number(state), (float)pick_number(state), 0};
        double at[2];
        if (tenon_view_project(&opts.view, opts.width, opts.height, point, at))
            require(isfinite(at[0]) && isfinite(at[1]), "a place in the picture", NULL);
        uint64_t written = 0;
        tenon_png png = {
            .width = opts.width, .height = opts.height, .channels = 4, .pixels = pixels[0]};
        if (ok) png.channels = tenon_drop_alpha(pixels[0], (uint64_t)opts.width * opts.height);
        if (ok) require(tenon_write_png(&png, count_bytes, &written, &err), "a file", &err);
    }
    tenon_pose_free(pose);
    tenon_renderer_free(renderer);
    require(budget.memory.used == 0, "memory is given back", NULL);
}

static void compare(const tenon_scene *scene, uint64_t *state)
{
    tenon_error err;
    tenon_distance_opts opts = {.seconds = (double)pick(state, 100) / 50};
    if (scene->animation_count > 0) opts.b_clip = scene->animations[0].name.data;
    tenon_scene *shown = tenon_distance_scene(scene, scene, &opts, NULL, &err);
    require(shown || is_excused(&err), "distances", &err);
    if (shown) require(tenon_scene_check(shown, &err), "the scene of distances holds", &err);
    tenon_scene_free(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tenon_error err;
    tenon_read_opts opts = {.max_memory = SCENE_MEMORY, .format = fuzzed_format()};
    tenon_doc *doc = tenon_read(data, size, &opts, &err);
    if (!doc) return 0;
    tenon_scene_opts scene_opts = {.max_memory = SCENE_MEMORY};
    tenon_scene *scene = tenon_to_scene(doc, &scene_opts, &err);
    tenon_doc_free(doc);
    if (!scene) return 0;
    uint64_t state = hash_of(data, size);
    if (pick(&state, 4) == 0) compare(scene, &state);
    if (pick(&state, 2)) make_extreme(scene, &state);
    draw(scene, &state);
    tenon_scene_free(scene);
    return 0;
}
