// gltf_export.c: glTF 2.0 from a scene: the plan, the GLB container, and .gltf with its .bin.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "formats/gltf/gltf_format.h"

#include <stdio.h>
#include <string.h>

// -- Shared

void *gltf_alloc(gltf_exporter *w, uint64_t count, size_t size)
{
    void *memory = w->failed ? NULL : tn_export_alloc(w->e, count, size);
    if (!memory) w->failed = true;
    return memory;
}

uint32_t *gltf_alloc_indices(gltf_exporter *w, uint64_t count)
{
    uint32_t *indices = gltf_alloc(w, count, sizeof *indices);
    for (uint64_t i = 0; indices && i < count; i++) indices[i] = TENON_NONE;
    return indices;
}

uint32_t gltf_grow(gltf_exporter *w, void **items, uint32_t *count, uint32_t *room, size_t size)
{
    if (w->failed) return TENON_NONE;
    if (*count == *room) {
        uint64_t larger = *room ? 2 * (uint64_t)*room : 64;
        if (larger >= TENON_NONE) {
            w->failed = !tn_error(w->e->err, TENON_ERR_LIMIT, "the scene has too many objects");
            return TENON_NONE;
        }
        void *memory = gltf_alloc(w, larger, size);
        if (!memory) return TENON_NONE;
        if (*count) memcpy(memory, *items, *count * size);
        *items = memory;
        *room = (uint32_t)larger;
    }
    return (*count)++;
}

// -- The plan

static void gltf_plan(gltf_exporter *w)
{
    const tenon_scene *s = w->scene;
    for (int i = 0; i < GLTF_STREAM_COUNT; i++) w->views[i].first = TENON_NONE;
    w->plain = gltf_alloc_indices(w, s->mesh_count);
    w->skinned = gltf_alloc_indices(w, s->mesh_count);
    w->material_of = gltf_alloc_indices(w, s->material_count);
    gltf_plan_extras(w);
    gltf_plan_cameras(w);
    gltf_plan_nodes(w);
    gltf_end_meshes(w);
    gltf_plan_animations(w);
    // From here on, files are written.
    if (!w->failed) gltf_plan_images(w);
    gltf_end_materials(w);
    if (!w->failed) gltf_add_tangents(w);
    if (!w->failed) gltf_place_streams(w);
}

// -- Text

typedef struct gltf_text {
    const tn_export *e;
    uint64_t size;
    bool is_measured_only;
} gltf_text;

static bool gltf_take_text(void *user, const void *bytes, size_t size)
{
    gltf_text *text = user;
    text->size += size;
    return text->is_measured_only || tn_export_write(text->e, bytes, size);
}

// Write the text, or measure it. Returns its size; 0 if that failed.
static uint64_t gltf_export_text(gltf_exporter *w, bool is_measured_only)
{
    gltf_text text = {w->e, 0, is_measured_only};
    tn_json_writer_begin_compact(&w->json, gltf_take_text, &text);
    gltf_put_text(w);
    if (tn_json_writer_end(&w->json)) return text.size;
    w->failed = true;
    return 0;
}

// -- Containers

static bool gltf_export_numbers(gltf_exporter *w, const uint32_t *numbers, uint32_t count)
{
    uint8_t bytes[20];
    for (uint32_t i = 0; i < 4 * count; i++) bytes[i] = (uint8_t)(numbers[i / 4] >> (8 * (i % 4)));
    return tn_export_write(w->e, bytes, 4 * (size_t)count);
}

static bool gltf_export_glb(gltf_exporter *w)
{
    enum { MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
    uint64_t text_size = gltf_export_text(w, true), padded = (text_size + 3) & ~(uint64_t)3;
    uint64_t total = 12 + 8 + padded + (w->buffer_size ? 8 + w->buffer_size : 0);
    if (w->failed) return false;
    if (total > UINT32_MAX)
        return tn_error(
            w->e->err, TENON_ERR_LIMIT,
            "a GLB file has at most 4 GiB, but this one would have %llu bytes; write .gltf",
            (unsigned long long)total);
    const uint32_t head[] = {MAGIC, 2, (uint32_t)total, (uint32_t)padded, JSON_CHUNK};
    if (!tn_export_begin(w->e, "") || !gltf_export_numbers(w, head, 5)) return false;
    if (!gltf_export_text(w, false)) return false;
    if (!tn_export_write(w->e, "   ", (size_t)(padded - text_size))) return false;
    if (w->buffer_size) {
        const uint32_t chunk[] = {(uint32_t)w->buffer_size, BINARY_CHUNK};
        if (!gltf_export_numbers(w, chunk, 2) || !gltf_export_buffer(w)) return false;
    }
    return tn_export_end(w->e);
}

static bool gltf_export_pair(gltf_exporter *w)
{
    if (w->buffer_size) {
        const char *stem = w->e->opts->name ? w->e->opts->name : "model";
        size_t room = strlen(stem) + sizeof ".bin";
        char *name = gltf_alloc(w, room, 1);
        if (!name) return false;
        (void)snprintf(name, room, "%s.bin", stem);
        w->buffer_uri = gltf_uri_of(w, (tenon_str){name, (uint32_t)strlen(name)}, true);
        if (!w->buffer_uri || !tn_export_begin(w->e, name)) return false;
        if (!gltf_export_buffer(w) || !tn_export_end(w->e)) return false;
    }
    if (!tn_export_begin(w->e, "") || !gltf_export_text(w, false)) return false;
    return tn_export_write(w->e, "\n", 1) && tn_export_end(w->e);
}

bool gltf_export(const tn_export *e)
{
    gltf_exporter *w = tn_export_alloc(e, 1, sizeof *w);
    if (!w) return false;
    w->e = e;
    w->scene = e->scene;
    gltf_plan(w);
    if (!w->failed) gltf_report_losses(w);
    bool is_text = e->dialect && (e->dialect->flags & TENON_GLTF_TEXT);
    bool is_written = !w->failed && (is_text ? gltf_export_pair(w) : gltf_export_glb(w));
    gltf_free_images(w);
    return is_written;
}
