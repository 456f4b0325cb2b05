// scene_trace.c: from triangles of a scene to bytes of its file, and back.
// SPDX-License-Identifier: MIT

#include "exchange/scene_trace.h"

#include "core/memory/budget.h"
#include "exchange/scene_import.h"
#include "scene/model/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Import a document and collect origins; false if there is nothing to free. What fails later is in
// builder->failed.
static bool trace_import(const tenon_doc *doc, const tenon_scene_opts *opts, tn_origins *origins,
                         tn_scene_builder *builder, tenon_error *err)
{
    const tn_format *format = doc->owner->format;
    *origins = (tn_origins){0};
    if (!tn_import_can(format, err) || !tn_scene_begin(builder, opts, doc->source_size, err))
        return false;
    builder->origins = origins;
    format->import(builder, doc);
    tn_pulse_end(&builder->pulse);
    return true;
}

// -- To bytes

// The place of `count` items of an array, from item number `index` on.
static tenon_place trace_place(const tenon_doc *doc, const tn_origin_array *array, uint64_t index,
                               uint64_t count)
{
    tenon_place place = {.offset = TENON_ABSENT};
    bool is_bytes = array->stride > 0;
    uint64_t per_record = array->per_record ? array->per_record : 1;
    uint64_t records = array->records ? array->records : 1;
    (void)snprintf(place.path, sizeof place.path, "%s", array->path);
    if (!is_bytes && array->path[0])
        (void)snprintf(place.path, sizeof place.path, "%s[%" PRIu64 "]", array->path,
                       index * records / per_record);
    uint64_t size = is_bytes ? (count - 1) * array->stride + array->size : 0;
    bool is_exact = true;
    while (place.path[0]) {
        tn_wanted wanted = tn_doc_find(doc, is_bytes ? array->base : place.path);
        if (wanted.offset != TENON_ABSENT) {
            place.offset = wanted.offset + (is_bytes ? array->first + index * array->stride : 0);
            place.size = wanted.size;
            if (is_exact && is_bytes) place.size = size;
            if (is_exact && !is_bytes)
                place.size *= (count * records + per_record - 1) / per_record;
            break;
        }
        // What contains it: numbers of old files are no arrays.
        char *dot = strrchr(place.path, '.'), *bracket = strrchr(place.path, '[');
        char *end = bracket > dot ? bracket : dot;
        *(end ? end : place.path) = '\0';
        is_exact = false;
    }
    return place;
}

bool tn_trace(const tenon_doc *doc, uint32_t node, uint32_t primitive, uint64_t triangle,
              const tenon_scene_opts *opts, tenon_traced *traced, tenon_error *err)
{
    tn_scene_builder builder;
    tn_origins origins;
    *traced = (tenon_traced){0};
    if (!trace_import(doc, opts, &origins, &builder, err)) return false;
    const tenon_scene *scene = builder.scene;
    const tn_origin *origin = NULL;
    uint64_t number = 0;
    uint32_t vertices[3];
    if (!builder.failed && node < scene->node_count && scene->nodes[node].mesh != TENON_NONE) {
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[node].mesh];
        for (uint32_t i = 0; i < origins.count && primitive < mesh->primitive_count; i++)
            if (origins.entries[i].primitive == &mesh->primitives[primitive] &&
                tn_find_triangle(&mesh->primitives[primitive], triangle, &number, vertices))
                origin = &origins.entries[i].origin;
    }
    if (origin) {
        const tn_origin_array *corners = &origin->corners;
        uint64_t first = origin->triangle_firsts ? origin->triangle_firsts[number] : 3 * number;
        uint32_t size = origin->triangle_sizes ? origin->triangle_sizes[number] : 3;
        for (int k = 0; k < 3; k++) {
            uint32_t item = origin->vertex_items ? origin->vertex_items[vertices[k]] : vertices[k];
            traced->corners[k] = trace_place(doc, &origin->vertices, item, 1);
        }
        traced->triangle =
            corners->path[0] ? trace_place(doc, corners, first, size) : traced->corners[0];
    } else if (!builder.failed) {
        tn_error(err, TENON_ERR_VALUE, "there is no such triangle, or it is not in the file");
    }
    bool ok = tn_budget_settle(opts->allocator.budget, origin && !builder.failed, err);
    tn_scene_free(builder.scene);
    return ok;
}

// -- From bytes

// What is at an offset of the file.
typedef struct trace_target {
    tn_observer observer;
    uint64_t offset;
    char path[TN_ORIGIN_PATH];  // Of the array there; "": there is none.
    uint64_t count, record;     // Its records, and which of them is there.
    // The field that bytes were counted from last.
    const char *base;
    uint64_t base_offset;
} trace_target;

static void trace_look(tn_observer *self, tn_io *io, const tn_field *field)
{
    trace_target *target = (trace_target *)self;
    uint64_t offset = target->offset;
    if (offset < field->offset || offset - field->offset >= field->size) return;
    if (!field->layout || field->layout->tail || field->layout->stride == 0) return;
    tn_io_path(io, field->name, target->path, sizeof target->path);
    target->count = field->count;
    target->record = (offset - field->offset) / field->layout->stride;
}

// Which item of an array is at the offset; TENON_ABSENT if none is.
static uint64_t trace_item(const tenon_doc *doc, trace_target *target, const tn_origin_array *array)
{
    if (!array->path[0]) return TENON_ABSENT;
    if (array->stride == 0) {
        uint64_t per_record = array->per_record ? array->per_record : 1;
        if (strcmp(array->path, target->path) != 0) return TENON_ABSENT;
        return target->record * per_record / (array->records ? array->records : 1);
    }
    if (target->base != array->base) {
        target->base = array->base;
        target->base_offset = tn_doc_find(doc, array->base).offset;
    }
    if (target->base_offset == TENON_ABSENT) return TENON_ABSENT;
    uint64_t start = target->base_offset + array->first;
    if (target->offset < start || (target->offset - start) % array->stride >= array->size)
        return TENON_ABSENT;
    return (target->offset - start) / array->stride;
}

// Whether the array at the offset is beside that of the positions, and has a record for each
// vertex.
static bool trace_is_beside(const trace_target *target, const tn_origin_entry *entry)
{
    const tn_origin *origin = &entry->origin;
    const char *positions = origin->vertices.path, *dot = strrchr(positions, '.');
    size_t size = dot ? (size_t)(dot - positions) + 1 : 0;
    const char *last = strrchr(target->path, '.');
    return target->path[0] && !origin->vertex_items && origin->vertices.stride == 0 &&
           strncmp(positions, target->path, size) == 0 &&
           (last ? (size_t)(last - target->path) + 1 : 0) == size &&
           strcmp(target->path, origin->corners.path) != 0 &&
           target->count == entry->primitive->vertex_count;
}

// Look in a primitive for what is at the offset.
static bool trace_find(const tenon_doc *doc, trace_target *target, const tn_origin_entry *entry,
                       tenon_corner *corner)
{
    const tn_origin *origin = &entry->origin;
    uint64_t item = trace_is_beside(target, entry) ? target->record
                                                   : trace_item(doc, target, &origin->vertices);
    for (int i = 0; i <= TN_ORIGIN_STREAMS; i++) {
        bool may_be = origin->vertex_items || item < entry->primitive->vertex_count;
        if (may_be && tn_find_vertex(entry, item, &corner->triangle, &corner->corner)) return true;
        if (i < TN_ORIGIN_STREAMS) item = trace_item(doc, target, &origin->streams[i]);
    }
    corner->corner = TENON_NONE;
    return tn_find_item(entry, trace_item(doc, target, &origin->corners), &corner->triangle);
}

// The first node that shows a primitive, and its number in the mesh; false if none does.
static bool trace_find_node(const tenon_scene *scene, const tenon_primitive *primitive,
                            tenon_corner *corner)
{
    uint32_t mesh = TENON_NONE;
    for (uint32_t m = 0; m < scene->mesh_count; m++)
        for (uint32_t i = 0; i < scene->meshes[m].primitive_count; i++)
            if (&scene->meshes[m].primitives[i] == primitive) mesh = m, corner->primitive = i;
    for (uint32_t n = 0; n < scene->node_count; n++) {
        if (mesh == TENON_NONE || scene->nodes[n].mesh != mesh) continue;
        corner->node = n;
        return true;
    }
    return false;
}

bool tn_trace_back(const tenon_doc *doc, uint64_t offset, const tenon_scene_opts *opts,
                   tenon_corner *corner, tenon_error *err)
{
    tn_scene_builder builder;
    tn_origins origins;
    trace_target target = {.observer.field = trace_look, .offset = offset};
    *corner = (tenon_corner){.corner = TENON_NONE};
    if (!trace_import(doc, opts, &origins, &builder, err)) return false;
    const tenon_primitive *found = NULL;
    tn_io io;
    tenon_error ignored;
    tn_io_writer(&io, NULL, NULL, &ignored);
    if (!builder.failed) tn_doc_write(doc, &io, &target.observer);
    for (uint32_t i = 0; i < origins.count && !builder.failed && !found; i++)
        if (trace_find(doc, &target, &origins.entries[i], corner))
            found = origins.entries[i].primitive;
    bool is_found = found && trace_find_node(builder.scene, found, corner);
    if (!is_found && !builder.failed)
        tn_error(err, TENON_ERR_VALUE, "the byte is not part of a triangle that is shown");
    bool ok = tn_budget_settle(opts->allocator.budget, is_found && !builder.failed, err);
    tn_scene_free(builder.scene);
    return ok;
}
