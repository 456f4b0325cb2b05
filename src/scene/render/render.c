// render.c: the renderer of a scene, and drawing a picture band by band.
// SPDX-License-Identifier: MIT

#include "core/memory/budget.h"
#include "core/text/error.h"
#include "scene/pose/pose.h"
#include "scene/render/renderer.h"

#include <math.h>
#include <string.h>

#define DEFAULT_SIZE      512
#define SIDE_MOST         32768u
#define BAND_BYTES        ((uint64_t)26 << 20)
#define SAMPLE_BYTES      (sizeof(uint64_t) + sizeof(float))
#define DEFAULT_AZIMUTH   0.6
#define DEFAULT_ELEVATION 0.35

// -- Materials

static tn_paint_texture render_paint_texture(const tenon_renderer *renderer,
                                             const tenon_texture *from)
{
    tn_paint_texture out = {.matrix = {1, 0, 0, 0, 1, 0}};
    if (from->image >= renderer->scene->image_count || from->uv_set >= TENON_UV_SETS) return out;
    double sine = tn_sin(from->rotation), cosine = tn_cos(from->rotation);
    const double m[6] = {cosine * from->scale[0], sine * from->scale[1],   from->offset[0],
                         -sine * from->scale[0],  cosine * from->scale[1], from->offset[1]};
    out.texture = &renderer->textures[from->image];
    out.uv_set = from->uv_set;
    for (int i = 0; i < 6; i++) out.matrix[i] = tn_narrow(m[i], NULL);
    for (int i = 0; i < 2; i++) out.wrap[i] = from->wrap[i];
    return out;
}

static tn_paint render_paint(const tenon_renderer *renderer, const tenon_material *from)
{
    tn_paint out = {.metallic = tn_narrow(from->metallic, NULL),
                    .roughness = tn_narrow(from->roughness, NULL),
                    .alpha = from->alpha,
                    .cutoff = tn_narrow(from->alpha_cutoff, NULL),
                    .is_double_sided = from->double_sided,
                    .is_unlit = from->is_unlit};
    if (from->is_classic) {
        // Highlights of an exponent of 2, 4, 8 and so on.
        double exponent = 2;
        out.metallic = 0;
        out.roughness = 1;
        for (; exponent < from->shininess && out.roughness > 0; exponent *= 2)
            out.roughness -= 0.125f;
    }
    for (int k = 0; k < 4; k++) out.base[k] = tn_narrow(from->base_color[k], NULL);
    for (int k = 0; k < 3; k++) out.emissive[k] = tn_narrow(from->emissive[k], NULL);
    out.color = render_paint_texture(renderer, &from->textures[TENON_SLOT_BASE_COLOR]);
    out.glow = render_paint_texture(renderer, &from->textures[TENON_SLOT_EMISSIVE]);
    return out;
}

// -- The renderer

// Room for what the largest primitive has.
static bool render_make_room(tenon_renderer *renderer, tenon_error *err)
{
    const tenon_scene *scene = renderer->scene;
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t m = 0; m < scene->mesh_count; m++)
        for (uint32_t i = 0; i < scene->meshes[m].primitive_count; i++) {
            const tenon_primitive *p = &scene->meshes[m].primitives[i];
            uint64_t corners = p->indices ? p->index_count : p->vertex_count;
            bool is_blended = p->material < scene->material_count &&
                              scene->materials[p->material].alpha == TENON_BLEND;
            if (p->vertex_count > vertices) vertices = p->vertex_count;
            // Of a strip; a list has a third.
            if (is_blended && corners > triangles) triangles = corners;
        }
    tn_arena *arena = &renderer->arena;
    static const char what[] = "vertices";
    renderer->positions = tn_arena_alloc_or_fail(arena, vertices, 3 * sizeof(float), what, err);
    renderer->normals = tn_arena_alloc_or_fail(arena, vertices, 3 * sizeof(float), what, err);
    renderer->vertices =
        tn_arena_alloc_or_fail(arena, vertices, sizeof(tn_screen_vertex), what, err);
    renderer->order = tn_arena_alloc_or_fail(arena, triangles, sizeof(uint32_t), what, err);
    renderer->spare = tn_arena_alloc_or_fail(arena, triangles, sizeof(uint32_t), what, err);
    renderer->keys = tn_arena_alloc_or_fail(arena, triangles, sizeof(float), what, err);
    return renderer->positions && renderer->normals && renderer->vertices && renderer->order &&
           renderer->spare && renderer->keys;
}

static bool render_fill(tenon_renderer *renderer, const tenon_renderer_opts *opts, tenon_error *err)
{
    const tenon_scene *scene = renderer->scene;
    tn_arena *arena = &renderer->arena;
    tn_color_tables_fill(&renderer->tables);
    renderer->textures = tn_arena_alloc_or_fail(arena, scene->image_count,
                                                sizeof *renderer->textures, "textures", err);
    renderer->paints = tn_arena_alloc_or_fail(arena, (uint64_t)scene->material_count + 1,
                                              sizeof *renderer->paints, "materials", err);
    if (!renderer->textures || !renderer->paints || !render_make_room(renderer, err)) return false;
    for (uint32_t i = 0; i < scene->material_count; i++)
        renderer->paints[i] = render_paint(renderer, &scene->materials[i]);
    renderer->paints[scene->material_count] = (tn_paint){.base = {0.8f, 0.8f, 0.8f, 1},
                                                         .roughness = 1,
                                                         .is_double_sided = true,
                                                         .color.matrix = {1, 0, 0, 0, 1, 0},
                                                         .glow.matrix = {1, 0, 0, 0, 1, 0}};
    if (!opts->without_textures && !tn_textures_load(renderer, opts, err)) return false;
    // What could not be loaded is not looked up.
    for (uint32_t i = 0; i < scene->material_count; i++) {
        tn_paint *paint = &renderer->paints[i];
        if (paint->color.texture && !paint->color.texture->level_count) paint->color.texture = NULL;
        if (paint->glow.texture && !paint->glow.texture->level_count) paint->glow.texture = NULL;
    }
    return true;
}

tenon_renderer *tenon_renderer_new(const tenon_scene *scene, const tenon_renderer_opts *opts,
                                   tenon_error *err)
{
    static const tenon_renderer_opts defaults;
    tenon_error ignored;
    if (!err) err = &ignored;
    if (!opts) opts = &defaults;
    tn_error_clear(err);
    if (!scene) {
        (void)tn_error(err, TENON_ERR_VALUE, "there is no scene to draw");
        return NULL;
    }
    tn_arena arena = tn_arena_make(&opts->allocator, UINT64_MAX);
    tenon_renderer *renderer =
        tn_arena_alloc_or_fail(&arena, 1, sizeof *renderer, "a renderer", err);
    bool ok = renderer != NULL;
    if (ok) {
        renderer->arena = arena;
        renderer->scene = scene;
        ok = render_fill(renderer, opts, err);
        arena = renderer->arena;
    }
    ok = tn_budget_settle(opts->allocator.budget, ok, err);
    if (!ok) tn_arena_free(&arena);
    return ok ? renderer : NULL;
}

void tenon_renderer_free(tenon_renderer *renderer)
{
    if (!renderer) return;
    tn_arena arena = renderer->arena;
    tn_arena_free(&arena);
}

// -- Drawing

// The joints of skins and what files call a joint; all nodes if there is no mesh at all.
static void render_find_bones(tn_drawing *drawing)
{
    const tenon_scene *scene = drawing->renderer->scene;
    for (uint32_t i = 0; i < scene->node_count; i++)
        drawing->is_bone[i] = scene->nodes[i].is_joint || drawing->item_count == 0;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            drawing->is_bone[scene->skins[i].joints[k]] = true;
}

static void render_list_items(tn_drawing *drawing)
{
    const tenon_scene *scene = drawing->renderer->scene;
    drawing->item_count = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t mesh = scene->nodes[i].mesh;
        if (mesh == TENON_NONE) continue;
        for (uint32_t p = 0; p < scene->meshes[mesh].primitive_count; p++) {
            uint32_t material = scene->meshes[mesh].primitives[p].material;
            bool is_blended =
                material < scene->material_count && scene->materials[material].alpha == TENON_BLEND;
            if (drawing->items)
                drawing->items[drawing->item_count] =
                    (tn_item){.node = i, .primitive = p, .is_blended = is_blended};
            drawing->item_count++;
        }
    }
}

// The view that shows all of the pose; of a pose without vertices, all of its nodes.
static tenon_view render_default_view(const tenon_pose *pose, uint32_t width, uint32_t height)
{
    tn_bounds bounds = tn_bounds_empty();
    if (!tenon_pose_bounds(pose, bounds.min, bounds.max)) {
        bounds = tn_bounds_empty();
        tn_bounds_add_nodes(&bounds, pose);
    }
    return tenon_view_box(bounds.min, bounds.max, DEFAULT_AZIMUTH, DEFAULT_ELEVATION,
                          (double)width / height);
}

static void render_set_light(tn_drawing *drawing)
{
    const tn_camera *c = drawing->camera;
    // Above the left shoulder of the viewer.
    tn_vec3 sun = tn_vec3_add(tn_vec3_scale(c->right, -0.45), tn_vec3_scale(c->up, 0.75));
    sun = tn_vec3_normalise(tn_vec3_add(sun, tn_vec3_scale(c->forward, -0.62)));
    drawing->light =
        (tn_light){.eye = {(float)c->eye.x, (float)c->eye.y, (float)c->eye.z},
                   .forward = {(float)c->forward.x, (float)c->forward.y, (float)c->forward.z},
                   .is_parallel = c->is_parallel,
                   .sun = {(float)sun.x, (float)sun.y, (float)sun.z}};
}

static bool render_bands(tn_drawing *drawing, uint32_t band_rows, uint8_t *pixels, tn_pulse *pulse)
{
    tn_canvas *canvas = &drawing->canvas;
    const tn_color_tables *tables = &drawing->renderer->tables;
    for (uint32_t row = 0; row < canvas->height; row += band_rows) {
        uint32_t left = canvas->height - row;
        canvas->first_row = row;
        canvas->row_end = row + (left < band_rows ? left : band_rows);
        uint64_t count = (uint64_t)(canvas->row_end - row) * canvas->width;
        if (!tn_budget_work(pulse->budget, count / 4)) return false;
        tn_canvas_clear(canvas, drawing->opts->background, tables);
        if (!tn_draw_band(drawing)) return false;
        tn_canvas_resolve(canvas, tables, pixels);
        if (!tn_pulse_report(pulse, canvas->row_end, canvas->height)) return false;
    }
    return true;
}

static bool render_picture(tn_drawing *drawing, uint32_t band_rows, tn_arena *arena,
                           uint8_t *pixels, tenon_error *err)
{
    const tenon_render_opts *opts = drawing->opts;
    static const char what[] = "a picture";
    render_list_items(drawing);
    uint32_t item_count = drawing->item_count;
    bool has_bones = (opts->flags & TENON_RENDER_BONES) || item_count == 0;
    uint32_t node_count = has_bones ? drawing->renderer->scene->node_count : 0;
    drawing->items = tn_arena_alloc_or_fail(arena, item_count, sizeof(tn_item), what, err);
    drawing->order = tn_arena_alloc_or_fail(arena, item_count, sizeof(uint32_t), what, err);
    drawing->spare = tn_arena_alloc_or_fail(arena, item_count, sizeof(uint32_t), what, err);
    bool *is_bone = tn_arena_alloc_or_fail(arena, node_count, sizeof(bool), what, err);
    if (!drawing->items || !drawing->order || !drawing->spare || !is_bone) return false;
    render_list_items(drawing);
    if (has_bones) {
        drawing->is_bone = is_bone;
        render_find_bones(drawing);
    }
    tn_pulse pulse = {.events = &opts->events, .budget = opts->allocator.budget};
    drawing->canvas.pulse = &pulse;
    bool ok = render_bands(drawing, band_rows, pixels, &pulse);
    tn_pulse_end(&pulse);
    if (!ok) (void)tn_error(err, TENON_ERR_CANCELLED, "drawing was stopped");
    return ok;
}

// Draw with room for the samples of a band.
static bool render_with_samples(tn_drawing *drawing, uint8_t *pixels, tenon_error *err)
{
    const tenon_allocator *allocator = &drawing->opts->allocator;
    tn_canvas *canvas = &drawing->canvas;
    uint64_t row_bytes = (uint64_t)canvas->width * (canvas->samples * SAMPLE_BYTES + 1);
    uint64_t band_rows = BAND_BYTES / row_bytes + (BAND_BYTES < row_bytes);
    if (band_rows > canvas->height) band_rows = canvas->height;
    size_t size = (size_t)(band_rows * row_bytes);
    canvas->colors = tn_block_alloc(allocator, size);
    if (!canvas->colors) return tn_error(err, TENON_ERR_MEMORY, "out of memory for a picture");
    canvas->depths = (float *)(canvas->colors + band_rows * canvas->width * canvas->samples);
    canvas->states = (uint8_t *)(canvas->depths + band_rows * canvas->width * canvas->samples);
    tn_arena arena = tn_arena_make(allocator, UINT64_MAX);
    bool ok = render_picture(drawing, (uint32_t)band_rows, &arena, pixels, err);
    tn_arena_free(&arena);
    tn_block_free(allocator, canvas->colors, size);
    return ok;
}

bool tenon_render(tenon_renderer *renderer, const tenon_pose *pose, const tenon_render_opts *opts,
                  uint8_t *pixels, tenon_error *err)
{
    static const tenon_render_opts defaults;
    tenon_error ignored;
    tn_camera camera;
    if (!err) err = &ignored;
    if (!opts) opts = &defaults;
    tn_error_clear(err);
    if (!renderer || !pose || !pixels || pose->scene != renderer->scene)
        return tn_error(err, TENON_ERR_VALUE,
                        "a renderer, a pose of its scene and pixels are needed");
    uint32_t width = opts->width ? opts->width : DEFAULT_SIZE;
    uint32_t height = opts->height ? opts->height : DEFAULT_SIZE;
    uint32_t samples = opts->samples ? opts->samples : TN_SAMPLES_MOST;
    if (width > SIDE_MOST || height > SIDE_MOST)
        return tn_error(err, TENON_ERR_LIMIT, "a picture has at most %u by %u pixels", SIDE_MOST,
                        SIDE_MOST);
    if (samples > TN_SAMPLES_MOST || (samples & (samples - 1)) != 0 ||
        (uint32_t)opts->style > TENON_STYLE_WIREFRAME)
        return tn_error(err, TENON_ERR_VALUE, "a pixel has 1, 2, 4 or 8 samples, in a known style");
    tenon_view view = opts->view;
    static const tenon_view none;
    if (memcmp(&view, &none, sizeof view) == 0) view = render_default_view(pose, width, height);
    if (!tn_camera_make(&camera, &view, width, height, err)) return false;
    tn_drawing drawing = {
        .renderer = renderer,
        .pose = pose,
        .opts = opts,
        .camera = &camera,
        .canvas = {
            .width = width, .height = height, .samples = samples, .raster = tn_wide_raster()}};
    if (!drawing.canvas.raster) drawing.canvas.raster = tn_plain_raster();
    tn_sample_grid_fill(&drawing.canvas.grid, samples);
    render_set_light(&drawing);
    bool ok = render_with_samples(&drawing, pixels, err);
    ok = tn_budget_settle(pose->arena.allocator.budget, ok, err);
    return tn_budget_settle(opts->allocator.budget, ok, err);
}
