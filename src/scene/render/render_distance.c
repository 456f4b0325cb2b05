// render_distance.c: a scene that shows how far two others are apart.
// SPDX-License-Identifier: MIT

#include "core/text/error.h"
#include "scene/compare/verify.h"
#include "scene/model/scene_build.h"
#include "scene/render/renderer.h"

#include <math.h>
#include <string.h>

#define STEPS_OF_SEARCH 16

void tenon_distance_color(double share, uint8_t color[3])
{
    static const uint8_t stops[][3] = {
        {190, 194, 200}, {244, 226, 120}, {242, 150, 52}, {208, 46, 40}, {98, 22, 92}};
    enum { LAST = sizeof stops / sizeof stops[0] - 1 };
    double at = share > 0 ? share < 1 ? share * LAST : LAST : 0;
    int below = (int)at < LAST ? (int)at : LAST - 1;
    double part = at - below;
    for (int k = 0; k < 3; k++) {
        double value = stops[below][k] + part * (stops[below + 1][k] - stops[below][k]);
        color[k] = (uint8_t)(value + 0.5);
    }
}

// How far each vertex of a triangle is from the other surface; HUGE_VAL: from nothing. The others
// are 0.
static bool distance_measure(tn_match_context *context, const tn_posed_scene *posed,
                             const tn_posed_scene *other, double *distances)
{
    uint32_t nearest = TENON_NONE, corner_count = 3 * posed->triangle_count;
    tn_surface *surface = tn_surface_new(context, other);
    if (!surface) return false;
    for (uint32_t i = 0; i < posed->vertex_count; i++) distances[i] = -1;
    for (uint32_t i = 0; i < corner_count; i++) {
        uint32_t vertex = posed->corners[i];
        if (distances[vertex] >= 0) continue;
        if (!tn_match_goes_on(context, STEPS_OF_SEARCH)) return false;
        double point[3];
        for (int k = 0; k < 3; k++)
            point[k] = (double)posed->positions[3 * (size_t)vertex + (size_t)k];
        double square = tn_surface_distance(surface, point, TENON_NONE, -1, &nearest);
        distances[vertex] = square >= 0 ? sqrt(square) : HUGE_VAL;
    }
    return true;
}

static double distance_largest(const double *distances, uint32_t count, double largest)
{
    for (uint32_t i = 0; i < count; i++)
        if (distances[i] > largest && distances[i] < HUGE_VAL) largest = distances[i];
    return largest;
}

// Add the triangles of a scene. What fails is reported when the scene is finished.
static void distance_add(tenon_scene *scene, const tn_posed_scene *posed, const double *distances,
                         double most, uint32_t material, const tn_color_tables *tables)
{
    if (posed->triangle_count == 0) return;
    uint32_t mesh = tenon_scene_add_mesh(scene, "distances");
    uint32_t node = tenon_scene_add_node(scene, "distances", TENON_NONE);
    tenon_primitive *p = tenon_scene_add_primitive(scene, mesh, posed->vertex_count,
                                                   3 * posed->triangle_count, TENON_WITH_COLOR);
    if (!p || node == TENON_NONE) return;
    scene->nodes[node].mesh = mesh;
    p->material = material;
    memcpy(p->positions, posed->positions, 3 * sizeof(float) * (size_t)posed->vertex_count);
    memcpy(p->indices, posed->corners, 3 * sizeof(uint32_t) * (size_t)posed->triangle_count);
    for (uint32_t i = 0; i < posed->vertex_count; i++) {
        uint8_t color[3];
        tenon_distance_color(distances[i] > 0 ? distances[i] / most : 0, color);
        for (uint32_t k = 0; k < 3; k++) p->colors[0][4 * (size_t)i + k] = tables->linear[color[k]];
        p->colors[0][4 * (size_t)i + 3] = 1;
    }
}

static bool distance_pose(tn_match_context *context, tn_posed_scene *posed,
                          const tenon_scene *scene, const char *clip, double seconds)
{
    if (!tn_posed_scene_begin(context, posed, scene, 0)) return false;
    uint32_t animation = clip ? tenon_find_animation(scene, clip) : TENON_NONE;
    if (clip && animation == TENON_NONE)
        return tn_error(context->err, TENON_ERR_VALUE, "no clip is called '%.100s'", clip);
    if (clip) tn_pose_scene(posed, animation, seconds);
    return true;
}

static tenon_scene *distance_scene(tn_match_context *context, const tn_posed_scene *a,
                                   const tn_posed_scene *b, const tenon_distance_opts *opts,
                                   double *largest)
{
    double *of_a = tn_match_alloc(context, a->vertex_count, sizeof *of_a);
    double *of_b = tn_match_alloc(context, b->vertex_count, sizeof *of_b);
    tn_color_tables *tables = tn_match_alloc(context, 1, sizeof *tables);
    if (context->failed || !distance_measure(context, a, b, of_a) ||
        !distance_measure(context, b, a, of_b))
        return NULL;
    *largest = distance_largest(of_a, a->vertex_count, 0);
    *largest = distance_largest(of_b, b->vertex_count, *largest);
    double most = opts->most > 0 ? opts->most : *largest > 0 ? *largest : 1;
    const tenon_scene_opts scene_opts = {.allocator = opts->allocator, .max_memory = UINT64_MAX};
    tn_scene_builder builder;
    if (!tn_scene_begin(&builder, &scene_opts, 0, context->err)) return NULL;
    tenon_scene *scene = builder.scene;
    uint32_t material = tenon_scene_add_material(scene, "distances");
    if (material != TENON_NONE) {
        scene->materials[material].double_sided = true;
        scene->materials[material].roughness = 1;
        scene->materials[material].metallic = 0;
    }
    tn_color_tables_fill(tables);
    distance_add(scene, a, of_a, most, material, tables);
    distance_add(scene, b, of_b, most, material, tables);
    if (tenon_scene_finish(scene, NULL, context->err)) return scene;
    tn_scene_free(scene);
    return NULL;
}

tenon_scene *tenon_distance_scene(const tenon_scene *a, const tenon_scene *b,
                                  const tenon_distance_opts *opts, double *largest,
                                  tenon_error *err)
{
    static const tenon_distance_opts defaults;
    tenon_error ignored;
    double unused;
    if (!err) err = &ignored;
    if (!largest) largest = &unused;
    if (!opts) opts = &defaults;
    tn_error_clear(err);
    if (!a || !b || !tenon_scene_check(a, err) || !tenon_scene_check(b, err)) {
        if (!a || !b) (void)tn_error(err, TENON_ERR_VALUE, "two scenes are needed");
        return NULL;
    }
    *largest = 0;
    tn_match_context context = {
        .arena = tn_arena_make(&opts->allocator, UINT64_MAX),
        .pulse = {.events = &opts->events, .budget = opts->allocator.budget},
        .err = err};
    tn_posed_scene posed_a = {0}, posed_b = {0};
    bool ok = distance_pose(&context, &posed_a, a, opts->a_clip, opts->seconds) &&
              distance_pose(&context, &posed_b, b, opts->b_clip, opts->seconds);
    tenon_scene *scene = ok ? distance_scene(&context, &posed_a, &posed_b, opts, largest) : NULL;
    tn_posed_scene_end(&posed_a);
    tn_posed_scene_end(&posed_b);
    tn_arena_free(&context.arena);
    tn_pulse_end(&context.pulse);
    if (tn_budget_settle(opts->allocator.budget, scene != NULL, err)) return scene;
    tn_scene_free(scene);
    return NULL;
}
