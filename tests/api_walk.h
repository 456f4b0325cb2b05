// api_walk.h: functions for programs that use scenes: arrays, building, names, buffers, memory,
// conversions.
// SPDX-License-Identifier: MIT
//
// Each function works on any document or scene with the allocator it gets, which may fail. It
// returns false with the reason in `err`.

#ifndef TENON_TEST_API_WALK_H
#define TENON_TEST_API_WALK_H

#include <tenon/convert.h>
#include <tenon/gpu.h>
#include <tenon/render.h>

#include <errno.h>
#include <string.h>

// -- Arrays

typedef struct array_walk {
    tenon_doc *doc;
    uint32_t array_count;
    tenon_error *err;
} array_walk;

static inline bool walk_fails(tenon_error *err, tenon_code code, const char *message)
{
    *err = (tenon_error){.code = code};
    memcpy(err->message, message, strlen(message) + 1);
    return false;
}

static inline bool walk_part(void *user, const tenon_part *part)
{
    enum { MOST = 64 };
    array_walk *walk = user;
    tenon_span span;
    float numbers[MOST];
    uint32_t integers[MOST];
    if (!part->layout || !tenon_doc_span(walk->doc, part->path, &span)) return true;
    for (uint32_t i = 0; i < span.layout->element_count && span.count; i++) {
        const char *name = span.layout->elements[i].name;
        const tenon_element *e = tenon_span_element(&span, name);
        if (!e || (uint64_t)e->count * (e->rows ? e->rows : 1) > MOST) continue;
        tenon_span copy = span;
        if (tenon_span_f32(&span, name, span.count, 1, numbers))
            return walk_fails(walk->err, TENON_ERR_VALUE, "decoded past the end of an array");
        // A float need not fit into the integer it was decoded from; a u32 fits.
        if (tenon_span_f32(&span, name, span.count - 1, 1, numbers) && e->type == TENON_TYPE_F32 &&
            !tenon_span_set_f32(walk->doc, &copy, name, span.count - 1, 1, numbers))
            return walk_fails(walk->err, TENON_ERR_MEMORY, "a float is not set");
        if (tenon_span_u32(&span, name, 0, 1, integers) &&
            !tenon_span_set_u32(walk->doc, &copy, name, 0, 1, integers))
            return walk_fails(walk->err, TENON_ERR_MEMORY, "an integer is not set");
    }
    return ++walk->array_count < 100;
}

// Decode and set elements of the arrays of a file, of which `doc` is the document.
static inline bool walk_arrays(tenon_doc *doc, const void *data, size_t size, tenon_error *err)
{
    array_walk walk = {doc, 0, err};
    err->code = TENON_OK;
    (void)tenon_map(data, size, NULL, walk_part, &walk, NULL);
    return err->code == TENON_OK;
}

// -- Building

static inline void walk_primitive(tenon_scene *to, uint32_t mesh, const tenon_primitive *p)
{
    uint32_t streams = (p->normals ? TENON_WITH_NORMALS : 0) | (p->uvs[0] ? TENON_WITH_UV0 : 0);
    tenon_primitive *copy =
        tenon_scene_add_primitive(to, mesh, p->vertex_count, p->index_count, streams);
    if (!copy) return;
    copy->mode = p->mode;
    if (p->vertex_count)
        memcpy(copy->positions, p->positions, (size_t)p->vertex_count * 3 * sizeof(float));
    if (p->index_count) memcpy(copy->indices, p->indices, p->index_count * sizeof *p->indices);
    for (uint32_t i = 0; p->normals && i < p->vertex_count * 3; i++)
        copy->normals[i] = p->normals[i];
}

// A few morph targets of a mesh; one that a mesh without any does not have.
static inline void walk_morphs(tenon_scene *to, uint32_t mesh, const tenon_mesh *from)
{
    uint32_t count = from->morph_count == 0 ? 1 : from->morph_count < 4 ? from->morph_count : 4;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = from->morph_count ? from->morph_names[i].data : NULL;
        if (tenon_scene_add_morph(to, mesh, name) == TENON_NONE) return;
        for (uint32_t k = 0; k < from->primitive_count; k++) {
            const tenon_primitive *p = &from->primitives[k];
            uint32_t streams = p->normals ? TENON_WITH_NORMALS : 0;
            tenon_morph *copy = tenon_scene_add_offsets(to, mesh, k, i, streams);
            bool has_any = copy && p->vertex_count && p->morph_count && p->morphs[i].positions;
            if (has_any) copy->positions[0] = p->morphs[i].positions[0];
        }
    }
}

static inline void walk_channel(tenon_scene *to, uint32_t animation, const tenon_channel *c)
{
    tenon_channel *copy =
        tenon_scene_add_channel(to, animation, c->node, c->target, TENON_LINEAR, c->key_count);
    double value[4];
    for (uint32_t k = 0; copy && k < c->key_count; k++) {
        copy->times[k] = c->times[k];
        for (uint32_t i = 0; i < copy->weight_count; i++)
            copy->values[(size_t)k * copy->weight_count + i] =
                (float)tenon_channel_sample_weight(c, i, (double)c->times[k]);
        if (c->target == TENON_WEIGHTS) continue;
        tenon_channel_sample(c, (double)c->times[k], value);
        uint32_t each = c->target == TENON_ROTATION ? 4 : 3;
        for (uint32_t i = 0; i < each; i++) copy->values[k * each + i] = (float)value[i];
    }
}

// Add to an empty scene what a program would add that copies `from` by hand.
static inline void walk_objects(const tenon_scene *from, tenon_scene *to)
{
    for (uint32_t i = 0; i < from->image_count; i++)
        (void)tenon_scene_add_image(to, from->images[i].path.data, NULL, 0);
    for (uint32_t i = 0; i < from->material_count; i++)
        (void)tenon_scene_add_material(to, from->materials[i].name.data);
    for (uint32_t i = 0; i < from->mesh_count; i++) {
        uint32_t mesh = tenon_scene_add_mesh(to, from->meshes[i].name.data);
        for (uint32_t k = 0; k < from->meshes[i].primitive_count; k++)
            walk_primitive(to, mesh, &from->meshes[i].primitives[k]);
        walk_morphs(to, mesh, &from->meshes[i]);
        (void)tenon_scene_add_extra(to, TENON_EXTRA_OF_MESH, mesh, "collision_shape", "box");
    }
    for (uint32_t i = 0; i < from->node_count; i++) {
        uint32_t node = tenon_scene_add_node(to, from->nodes[i].name.data, from->nodes[i].parent);
        if (node == TENON_NONE) continue;
        to->nodes[node].mesh = from->nodes[i].mesh;
        if (from->nodes[i].mesh != TENON_NONE) (void)tenon_scene_add_weights(to, node);
    }
    for (uint32_t i = 0; i < from->skin_count; i++)
        (void)tenon_scene_add_skin(to, from->skins[i].name.data, from->skins[i].joints,
                                   from->skins[i].joint_count, NULL);
    for (uint32_t i = 0; i < from->animation_count; i++) {
        const tenon_animation *a = &from->animations[i];
        uint32_t animation = tenon_scene_add_animation(to, a->name.data);
        for (uint32_t k = 0; k < a->channel_count; k++)
            walk_channel(to, animation, &a->channels[k]);
        (void)tenon_scene_add_event(to, animation, 0, "start");
    }
    (void)tenon_scene_add_camera(to, "camera");
    (void)tenon_scene_add_light(to, "light");
}

static inline void walk_names(const tenon_scene *scene)
{
    if (scene->node_count) (void)tenon_find_node(scene, scene->nodes[0].name.data);
    if (scene->mesh_count) (void)tenon_find_mesh(scene, scene->meshes[0].name.data);
    (void)tenon_find_material(scene, "");
    (void)tenon_find_animation(scene, "walk");
    (void)tenon_find_extra(scene, TENON_EXTRA_OF_MESH, 0, "collision_shape");
}

// Build a scene that resembles `from`, and finish it.
static inline bool walk_building(const tenon_scene *from, const tenon_allocator *allocator,
                                 tenon_error *err)
{
    const tenon_scene_opts opts = {.allocator = *allocator};
    tenon_scene *scene = tenon_scene_new(&opts, err);
    if (!scene) return false;
    walk_objects(from, scene);
    bool ok = tenon_scene_finish(scene, NULL, err) && tenon_scene_check(scene, err);
    if (ok) walk_names(scene);
    tenon_scene_free(scene);
    return ok;
}

// -- Buffers

static inline bool walk_buffers(const tenon_scene *scene, const tenon_allocator *allocator,
                                tenon_error *err)
{
    enum { MATRICES = 64 };
    const tenon_prepare_opts opts = {.allocator = *allocator, .max_matrices = MATRICES};
    tenon_buffers *buffers = tenon_prepare(scene, &opts, err);
    tenon_pose *pose = buffers ? tenon_pose_new(scene, allocator, err) : NULL;
    float matrices[16 * MATRICES];
    for (uint32_t i = 0; pose && i < buffers->draw_count; i++) {
        tenon_draw_matrices(buffers, i, pose, matrices);
        if (buffers->morph_count <= 16 * MATRICES) tenon_draw_weights(buffers, i, pose, matrices);
        (void)tenon_pose_is_mirrored(pose, buffers->draws[i].node);
    }
    bool ok = pose != NULL;
    tenon_pose_free(pose);
    tenon_buffers_free(buffers);
    return ok;
}

// -- Pictures

static inline bool walk_forget(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes;
    return size > 0;
}

// Draw a scene in a small picture, and write that.
static inline bool walk_pictures(const tenon_scene *scene, const tenon_allocator *allocator,
                                 tenon_error *err)
{
    enum { WALK_SIDE = 24 };
    uint8_t pixels[4 * WALK_SIDE * WALK_SIDE];
    const tenon_renderer_opts loading = {.allocator = *allocator, .texture_size = WALK_SIDE};
    const double min[3] = {-1, -1, -1}, max[3] = {1, 1, 1};
    tenon_render_opts opts = {
        .width = WALK_SIDE, .height = WALK_SIDE, .allocator = *allocator, .samples = 4};
    opts.style = (tenon_style)(scene->node_count % (TENON_STYLE_WIREFRAME + 1));
    opts.flags = scene->animation_count % 2 ? TENON_RENDER_BONES | TENON_RENDER_EDGES : 0;
    if (scene->node_count % 2) opts.view = tenon_view_box(min, max, 1, 0.5, 1);
    tenon_pose *pose = tenon_pose_new(scene, allocator, err);
    if (pose && scene->node_count % 4 == 2)
        opts.view = tenon_view_clip(pose, scene->animation_count ? 0 : TENON_NONE, 1, 0.5, 1);
    tenon_renderer *renderer = pose ? tenon_renderer_new(scene, &loading, err) : NULL;
    bool ok = renderer && tenon_render(renderer, pose, &opts, pixels, err);
    tenon_renderer_free(renderer);
    tenon_pose_free(pose);
    double at[2];
    (void)tenon_view_project(&opts.view, WALK_SIDE, WALK_SIDE, (const float[3]){0, 1, 0}, at);
    const tenon_png png = {.allocator = *allocator,
                           .width = WALK_SIDE,
                           .height = WALK_SIDE,
                           .channels = ok ? tenon_drop_alpha(pixels, WALK_SIDE * WALK_SIDE) : 4,
                           .pixels = pixels};
    return ok && tenon_write_png(&png, walk_forget, NULL, err);
}

// Show how far a scene is from itself.
static inline bool walk_distances(const tenon_scene *scene, const tenon_allocator *allocator,
                                  tenon_error *err)
{
    const tenon_distance_opts opts = {.allocator = *allocator};
    double largest = 0;
    uint8_t color[3];
    tenon_scene *distances = tenon_distance_scene(scene, scene, &opts, &largest, err);
    tenon_distance_color(largest, color);
    tenon_scene_free(distances);
    return distances != NULL;
}

// -- Memory

static inline bool walk_copies(const tenon_memory *files, tenon_memory *copy, tenon_error *err)
{
    tenon_memory_file file;
    for (uint32_t i = 0; tenon_memory_at(files, i, &file); i++)
        if (!tenon_memory_find(files, file.path, &file) ||
            !tenon_memory_add(copy, file.path, file.data, file.size))
            return walk_fails(err, TENON_ERR_MEMORY, "a file is not added");
    return true;
}

// Export to files in memory, copy them, and read the model from the copies.
static inline bool walk_memory(const tenon_scene *scene, const tenon_allocator *allocator,
                               const char *format, tenon_error *err)
{
    const tenon_export_opts opts = {.allocator = *allocator, .format = format, .name = "model"};
    char path[32] = "model.";
    strncat(path, format, 8);
    tenon_memory *files = tenon_export_memory(scene, &opts, err);
    tenon_memory *copy = files ? tenon_memory_new(allocator, err) : NULL;
    bool ok = copy && walk_copies(files, copy, err);
    const tenon_read_opts read = {.allocator = *allocator,
                                  .files = ok ? tenon_memory_files(copy) : NULL};
    tenon_doc *again = ok ? tenon_read_file(path, &read, err) : NULL;
    tenon_doc *doc = again ? tenon_from_scene(scene, &opts, err) : NULL;
    ok = doc != NULL;
    // Files in memory report errors as those of a system do.
    if (!ok && err->code == TENON_ERR_IO && err->system == ENOMEM) err->code = TENON_ERR_MEMORY;
    tenon_doc_free(doc);
    tenon_doc_free(again);
    tenon_memory_free(copy);
    tenon_memory_free(files);
    return ok;
}

// To another format and within its own, from memory to memory.
static inline bool walk_converting(const void *data, size_t size, const tenon_allocator *allocator,
                                   const char *format, tenon_error *err)
{
    tenon_memory *from = tenon_memory_new(NULL, err), *to = tenon_memory_new(allocator, err);
    const tenon_convert_opts opts = {.allocator = *allocator,
                                     .reading.files = from ? tenon_memory_files(from) : NULL,
                                     .writing.files = to ? tenon_memory_files(to) : NULL,
                                     .exporting.format = format,
                                     .verify = true,
                                     .accept_losses = true};
    tenon_convert_opts within = opts;
    within.exporting.format = NULL;
    tenon_read_opts read = opts.reading;
    read.allocator = *allocator;
    bool has_input = from && to && tenon_memory_add(from, "in", data, size);
    bool ok = has_input && tenon_convert_file("in", "out", &opts, NULL, err);
    tenon_doc *doc = ok ? tenon_read_file("in", &read, err) : NULL;
    const tenon_scene_opts meaning = {.allocator = *allocator};
    tenon_scene *scene = doc ? tenon_import(doc, &read, &meaning, err) : NULL;
    ok = scene && tenon_convert(doc, "copy", &within, NULL, err);
    // Files in memory report errors as those of a system do.
    if (!ok && err->code == TENON_ERR_IO && err->system == ENOMEM) err->code = TENON_ERR_MEMORY;
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    tenon_memory_free(from);
    tenon_memory_free(to);
    return ok;
}

#endif  // TENON_TEST_API_WALK_H
