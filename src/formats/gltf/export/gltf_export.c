// gltf_export.c: glTF 2.0 from a scene: the plan, the GLB container, and .gltf with its .bin.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "formats/gltf/gltf_format.h"

#include <stdio.h>
#include <string.h>

// -- Shared

void *gltf_alloc(gltf_exporter *exporter, uint64_t count, size_t size)
{
    void *memory = exporter->failed ? NULL : tn_export_alloc(exporter->export, count, size);
    if (!memory) exporter->failed = true;
    return memory;
}

uint32_t *gltf_alloc_indices(gltf_exporter *exporter, uint64_t count)
{
    uint32_t *indices = gltf_alloc(exporter, count, sizeof *indices);
    for (uint64_t i = 0; indices && i < count; i++) indices[i] = TENON_NONE;
    return indices;
}

uint32_t gltf_grow(gltf_exporter *exporter, void **items, uint32_t *count, uint32_t *room,
                   size_t size)
{
    if (exporter->failed) return TENON_NONE;
    if (*count == *room) {
        uint64_t larger = *room ? 2 * (uint64_t)*room : 64;
        if (larger >= TENON_NONE) {
            exporter->failed =
                !tn_error(exporter->export->err, TENON_ERR_LIMIT, "the scene has too many objects");
            return TENON_NONE;
        }
        void *memory = gltf_alloc(exporter, larger, size);
        if (!memory) return TENON_NONE;
        if (*count) memcpy(memory, *items, *count * size);
        *items = memory;
        *room = (uint32_t)larger;
    }
    return (*count)++;
}

// -- The plan

static void gltf_plan(gltf_exporter *exporter)
{
    const tenon_scene *s = exporter->scene;
    for (int i = 0; i < GLTF_STREAM_COUNT; i++) exporter->views[i].first = TENON_NONE;
    exporter->plain_mesh_of = gltf_alloc_indices(exporter, s->mesh_count);
    exporter->skinned_mesh_of = gltf_alloc_indices(exporter, s->mesh_count);
    exporter->material_of = gltf_alloc_indices(exporter, s->material_count);
    gltf_plan_extras(exporter);
    gltf_plan_cameras(exporter);
    gltf_plan_nodes(exporter);
    gltf_report_unused_meshes(exporter);
    gltf_plan_animations(exporter);
    // From here on, files are written.
    if (!exporter->failed) gltf_plan_images(exporter);
    gltf_plan_materials(exporter);
    if (!exporter->failed) gltf_add_tangents(exporter);
    if (!exporter->failed) gltf_place_streams(exporter);
}

// -- Text

typedef struct gltf_text {
    const tn_export *export;
    uint64_t size;
    bool is_measured_only;
} gltf_text;

static bool gltf_write_or_measure(void *user, const void *bytes, size_t size)
{
    gltf_text *text = user;
    text->size += size;
    return text->is_measured_only || tn_export_write(text->export, bytes, size);
}

// Write the text, or measure it. Returns its size; 0 if that failed.
static uint64_t gltf_write_text(gltf_exporter *exporter, bool is_measured_only)
{
    gltf_text text = {exporter->export, 0, is_measured_only};
    tn_json_writer_begin_compact(&exporter->json, gltf_write_or_measure, &text);
    gltf_write_document(exporter);
    if (tn_json_writer_end(&exporter->json)) return text.size;
    exporter->failed = true;
    return 0;
}

// -- Containers

static bool gltf_write_words(gltf_exporter *exporter, const uint32_t *numbers, uint32_t count)
{
    uint8_t bytes[20];
    for (uint32_t i = 0; i < 4 * count; i++) bytes[i] = (uint8_t)(numbers[i / 4] >> (8 * (i % 4)));
    return tn_export_write(exporter->export, bytes, 4 * (size_t)count);
}

static bool gltf_export_glb(gltf_exporter *exporter)
{
    enum { MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
    uint64_t text_size = gltf_write_text(exporter, true), padded = (text_size + 3) & ~(uint64_t)3;
    uint64_t total = 12 + 8 + padded + (exporter->buffer_size ? 8 + exporter->buffer_size : 0);
    if (exporter->failed) return false;
    if (total > UINT32_MAX)
        return tn_error(
            exporter->export->err, TENON_ERR_LIMIT,
            "a GLB file has at most 4 GiB, but this one would have %llu bytes; write .gltf",
            (unsigned long long)total);
    const uint32_t head[] = {MAGIC, 2, (uint32_t)total, (uint32_t)padded, JSON_CHUNK};
    if (!tn_export_begin(exporter->export, "") || !gltf_write_words(exporter, head, 5))
        return false;
    if (!gltf_write_text(exporter, false)) return false;
    if (!tn_export_write(exporter->export, "   ", (size_t)(padded - text_size))) return false;
    if (exporter->buffer_size) {
        const uint32_t chunk[] = {(uint32_t)exporter->buffer_size, BINARY_CHUNK};
        if (!gltf_write_words(exporter, chunk, 2) || !gltf_write_buffer_bytes(exporter))
            return false;
    }
    return tn_export_end(exporter->export);
}

static bool gltf_export_pair(gltf_exporter *exporter)
{
    if (exporter->buffer_size) {
        const char *stem = exporter->export->opts->name ? exporter->export->opts->name : "model";
        size_t room = strlen(stem) + sizeof ".bin";
        char *name = gltf_alloc(exporter, room, 1);
        if (!name) return false;
        (void)snprintf(name, room, "%s.bin", stem);
        exporter->buffer_uri =
            gltf_uri_of(exporter, (tenon_str){name, (uint32_t)strlen(name)}, true);
        if (!exporter->buffer_uri || !tn_export_begin(exporter->export, name)) return false;
        if (!gltf_write_buffer_bytes(exporter) || !tn_export_end(exporter->export)) return false;
    }
    if (!tn_export_begin(exporter->export, "") || !gltf_write_text(exporter, false)) return false;
    return tn_export_write(exporter->export, "\n", 1) && tn_export_end(exporter->export);
}

bool gltf_export(const tn_export *export)
{
    gltf_exporter *exporter = tn_export_alloc(export, 1, sizeof *exporter);
    if (!exporter) return false;
    exporter->export = export;
    exporter->scene = export->scene;
    gltf_plan(exporter);
    if (!exporter->failed) gltf_report_losses(exporter);
    bool is_text = export->dialect && (export->dialect->flags & TENON_GLTF_TEXT);
    bool is_written =
        !exporter->failed && (is_text ? gltf_export_pair(exporter) : gltf_export_glb(exporter));
    gltf_free_images(exporter);
    return is_written;
}
