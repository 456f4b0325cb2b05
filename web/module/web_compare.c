// web_compare.c: verify and diff: two models in one call.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <string.h>
#include <tenon/edit.h>

// -- Verify

void web_put_verdict(web_json *json, const tenon_verify_result *result)
{
    web_json_text(json, "verdict", tenon_verdict_word(result->verdict));
    web_json_number(json, "largest", result->largest);
    web_json_number(json, "rms", result->rms);
    web_json_number(json, "diagonal", result->diagonal);
    web_json_text(json, "mode", tenon_verify_mode(result));
    web_json_number(json, "matched", result->matched);
    web_json_number(json, "reversed", result->reversed);
    web_json_number(json, "surface", result->surface);
    web_json_uint(json, "clips", result->clip_count);
    web_json_uint(json, "missing_clips", result->missing_clips);
    web_json_uint(json, "extra_clips", result->extra_clips);
    web_json_uint(json, "missing_meshes", result->missing_meshes);
    if (result->by_node) web_json_uint(json, "missing_nodes", result->missing_nodes);
    if (result->missing_lines + result->extra_lines) {
        web_json_uint(json, "missing_lines", result->missing_lines);
        web_json_uint(json, "extra_lines", result->extra_lines);
    }
    if (result->missing_points + result->extra_points) {
        web_json_uint(json, "missing_points", result->missing_points);
        web_json_uint(json, "extra_points", result->extra_points);
    }
    if (result->at_frames) web_json_number(json, "between_frames", result->between_frames);
}

static void web_put_omissions(const char *key, const tenon_scene *scene)
{
    web_json *json = &web.json;
    if (scene->omission_count == 0) return;
    web_json_begin(json, key, '[');
    for (uint32_t i = 0; i < scene->omission_count; i++) {
        const tenon_omission *omission = &scene->omissions[i];
        web_json_begin(json, NULL, '{');
        web_json_str(json, "feature", omission->feature);
        web_json_uint(json, "count", omission->count);
        web_json_str(json, "why", omission->why);
        if (omission->path.size) web_json_str(json, "path", omission->path);
        web_json_end(json, '}');
    }
    web_json_end(json, ']');
}

static void web_put_comparison(const tenon_scene *a, const tenon_scene *b, double tolerance,
                               const tenon_verify_result *result)
{
    web_json *json = &web.json;
    web_json_number(json, "tolerance", tolerance);
    web_json_text(json, "scope", web.options.rest ? "rest" : "all");
    web_put_verdict(json, result);
    web_put_omissions("not_read_a", a);
    web_put_omissions("not_read_b", b);
    if (!result->mesh[0]) return;
    web_json_begin(json, "worst", '{');
    if (result->clip[0]) web_json_text(json, "clip", result->clip);
    if (result->clip[0]) web_json_number(json, "seconds", result->seconds);
    web_json_text(json, "joint", result->bone);
    web_json_text(json, "mesh", result->mesh);
    web_json_begin(json, "where", '[');
    for (int k = 0; k < 3; k++) web_json_number(json, NULL, result->where[k]);
    web_json_end(json, ']');
    web_json_end(json, '}');
}

tenon_scene *web_load_scene(const char *path)
{
    tenon_read_opts read = web_read_opts();
    read.name = path;
    const tenon_scene_opts opts = {.allocator = web_allocator()};
    const tenon_edit_clip_opts edit = {.start_at_first_key = true};
    tenon_scene *scene = tenon_import_file(path, &read, &opts, &web.err);
    bool is_fbx = scene && scene->source && strcmp(scene->source->name, "fbx") == 0;
    if (!is_fbx || web.options.lead_in || tenon_edit_clips(scene, &edit, &web.err)) return scene;
    tenon_scene_free(scene);
    return NULL;
}

bool web_verify(void)
{
    tenon_verify_result result;
    const web_options *opts = &web.options;
    double tolerance = opts->tolerance > 0 ? opts->tolerance : 1e-4;
    tenon_events events = web_events();
    events.on_loss = NULL;
    const tenon_verify_opts verify = {.allocator = web_allocator(),
                                      .events = events,
                                      .tolerance = tolerance,
                                      .samples = (uint32_t)opts->samples,
                                      .clip = opts->clip,
                                      .rest_only = opts->rest};
    tenon_scene *a = web_load_scene(opts->model);
    tenon_scene *b = a ? web_load_scene(opts->other) : NULL;
    bool ok = b && tenon_verify(a, b, &verify, &result, &web.err);
    if (ok) web_put_comparison(a, b, tolerance, &result);
    tenon_scene_free(b);
    tenon_scene_free(a);
    return ok;
}

// -- Diff

static void web_put_difference(void *user, const tenon_difference *difference)
{
    web_json *json = user;
    web_json_begin(json, NULL, '{');
    web_json_text(json, "kind", difference->kind);
    web_json_text(json, "path", difference->path);
    if (*difference->a) web_json_text(json, "a", difference->a);
    if (*difference->b) web_json_text(json, "b", difference->b);
    if (difference->amount >= 0) web_json_number(json, "amount", difference->amount);
    if (difference->more) web_json_uint(json, "more", difference->more);
    web_json_end(json, '}');
}

bool web_diff(void)
{
    uint64_t count = 0;
    const web_options *opts = &web.options;
    tenon_events events = web_events();
    events.on_loss = NULL;
    const tenon_diff_opts diff = {
        .allocator = web_allocator(), .events = events, .tolerance = opts->tolerance};
    const tenon_scene_opts none = {.allocator = web_allocator()};
    const tenon_read_opts read = web_read_opts();
    tenon_scene *a = tenon_import_file(opts->model, &read, &none, &web.err);
    tenon_scene *b = a ? tenon_import_file(opts->other, &read, &none, &web.err) : NULL;
    web_json_begin(&web.json, "differences", '[');
    bool ok = b && tenon_diff(a, b, &diff, web_put_difference, &web.json, &count, &web.err);
    web_json_end(&web.json, ']');
    web_json_uint(&web.json, "count", count);
    tenon_scene_free(b);
    tenon_scene_free(a);
    return ok;
}
