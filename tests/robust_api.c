// robust_api.c: arrays, scenes built in code, buffers and files in memory while memory runs out.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "api_walk.h"
#include "robust.h"

#include "robust_faults.h"

#include <tenon/places.h>

static tenon_scene *scene_of(const robust_file *file)
{
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
    tenon_doc_free(doc);
    return scene;
}

static bool use_arrays(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, err);
    bool ok = doc && walk_arrays(doc, file->data, file->size, err);
    tenon_doc_free(doc);
    return ok;
}

static bool build_one(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file);
    tenon_allocator allocator = robust_allocator(memory);
    bool ok = walk_building(scene, &allocator, err);
    tenon_scene_free(scene);
    return ok;
}

static bool prepare_one(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file);
    tenon_allocator allocator = robust_allocator(memory);
    bool ok = walk_buffers(scene, &allocator, err);
    tenon_scene_free(scene);
    return ok;
}

static bool export_one(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file);
    tenon_allocator allocator = robust_allocator(memory);
    bool ok = walk_memory(scene, &allocator, "obj", err);
    tenon_scene_free(scene);
    return ok;
}

static bool draw_one(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_scene *scene = scene_of(file);
    tenon_allocator allocator = robust_allocator(memory);
    bool ok = walk_pictures(scene, &allocator, err);
    tenon_scene_free(scene);
    return ok;
}

static bool compare_one(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_allocator allocator = robust_allocator(memory);
    tenon_scene *scene = scene_of(file);
    bool ok = walk_distances(scene, &allocator, err);
    tenon_scene_free(scene);
    return ok;
}

static bool convert_one(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_allocator allocator = robust_allocator(memory);
    return walk_converting(file->data, file->size, &allocator, "obj", err);
}

// The first triangle of the first node that has one.
static bool trace_one(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
    const tenon_scene_opts opts = {.allocator = robust_allocator(memory)};
    tenon_traced traced;
    uint32_t node = 0, count = scene ? scene->node_count : 0;
    while (node < count && !tenon_trace(doc, node, 0, 0, NULL, &traced, NULL)) node++;
    tenon_corner corner;
    bool ok = node == count || tenon_trace(doc, node, 0, 0, &opts, &traced, err);
    // Numbers of text files are no arrays: nothing leads back from them.
    if (ok && node < count && tenon_trace_back(doc, traced.triangle.offset, NULL, &corner, NULL))
        ok = tenon_trace_back(doc, traced.triangle.offset, &opts, &corner, err);
    tenon_traced_part part = {.path = traced.triangle.path};
    ok = ok && (node == count || tenon_trace_paths(doc, &part, 1, &opts, err));
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    return ok;
}

static const robust_task tasks[] = {
    {"using arrays", use_arrays},       {"building", build_one},
    {"preparing buffers", prepare_one}, {"exporting to memory", export_one},
    {"making pictures", draw_one},      {"showing distances", compare_one},
    {"converting", convert_one},        {"tracing", trace_one}};

static void starve_each(const robust_file *file)
{
    tenon_scene *scene = file->format->caps & TENON_TO_SCENE ? scene_of(file) : NULL;
    for (size_t i = 0; scene && i < sizeof tasks / sizeof tasks[0]; i++)
        robust_starve(file, &tasks[i]);
    tenon_scene_free(scene);
}

TEST(memory_can_run_out_while_programs_use_models)
{
    robust_each(starve_each);
}

static void run_all(void)
{
    RUN(memory_can_run_out_while_programs_use_models);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
