// scene_trace_paths.c: which vertices and triangles of a scene are at a place of the file.
// SPDX-License-Identifier: MIT

#include "core/memory/budget.h"
#include "document/document.h"
#include "exchange/scene_import.h"
#include "exchange/scene_trace.h"
#include "scene/model/origin.h"

#include <string.h>

// Whether a path is that of something, or of what is in it.
static bool trace_paths_is_in(const char *path, const char *whole)
{
    size_t size = strlen(whole);
    return size > 0 && strncmp(path, whole, size) == 0 &&
           (path[size] == '\0' || strchr(".[/", path[size]));
}

// The number N of "ARRAY[N]" and what is in it, where the path of the array is in two parts.
static bool trace_paths_item(const char *path, const char *folder, size_t folder_size,
                             const char *name, uint64_t *item)
{
    size_t size = strlen(name);
    bool is_in = folder_size + size > 0 && strncmp(path, folder, folder_size) == 0 &&
                 strncmp(path + folder_size, name, size) == 0;
    if (!is_in || path[folder_size + size] != '[') return false;
    *item = 0;
    for (const char *p = path + folder_size + size + 1; *p >= '0' && *p <= '9'; p++)
        if (*item < UINT32_MAX) *item = *item * 10 + (uint64_t)(*p - '0');
    return true;
}

static bool trace_paths_vertex(const tn_origin *origin, const tenon_primitive *p, uint64_t item,
                               tenon_traced_part *place)
{
    uint64_t vertex = item;
    if (origin->vertex_items)
        for (vertex = 0; vertex < p->vertex_count && origin->vertex_items[vertex] != item;)
            vertex++;
    if (vertex >= p->vertex_count) return false;
    place->vertices[0] = (uint32_t)vertex;
    place->vertex_count = 1;
    return true;
}

// The triangle that has the item of an array of corners.
static bool trace_paths_triangle(const tn_origin *origin, const tenon_primitive *p, uint64_t item,
                                 tenon_traced_part *place)
{
    uint64_t corners = p->indices ? p->index_count : p->vertex_count, triangle = item / 3;
    if (p->mode != TENON_TRIANGLES) return false;
    const uint32_t *firsts = origin->triangle_firsts, *sizes = origin->triangle_sizes;
    for (triangle = firsts ? 0 : triangle; firsts && triangle < corners / 3; triangle++)
        if (item >= firsts[triangle] && item - firsts[triangle] < (sizes ? sizes[triangle] : 3))
            break;
    if (triangle >= corners / 3) return false;
    place->vertex_count = 0;
    for (uint64_t i = 3 * triangle; i < 3 * triangle + 3; i++) {
        uint32_t vertex = p->indices ? p->indices[i] : (uint32_t)i;
        if (vertex < p->vertex_count) place->vertices[place->vertex_count++] = vertex;
    }
    return place->vertex_count > 0;
}

// Find a vertex or a triangle of a primitive. `text_at` is where the base of an array of bytes
// starts.
static bool trace_paths_exactly(const tn_origin *origin, const tenon_primitive *p, uint64_t text_at,
                                tenon_traced_part *place)
{
    const tn_origin_array *corners = &origin->corners, *vertices = &origin->vertices;
    const char *path = place->path ? place->path : "", *dot = strrchr(vertices->path, '.');
    uint64_t item = 0, first = text_at + corners->first;
    if (corners->stride > 0)
        return text_at != TENON_ABSENT && place->offset != TENON_ABSENT && place->offset >= first &&
               trace_paths_triangle(origin, p, (place->offset - first) / corners->stride, place);
    if (vertices->stride > 0) return false;
    if (origin->influences[0] &&
        trace_paths_item(path, origin->influences, strlen(origin->influences), "", &item)) {
        bool exists = item < origin->influence_count;
        return exists && trace_paths_vertex(origin, p, origin->influence_items[item], place);
    }
    bool is_vertex = trace_paths_item(path, vertices->path, strlen(vertices->path), "", &item);
    if (is_vertex &&
        trace_paths_vertex(origin, p, item / (vertices->records ? vertices->records : 1), place))
        return true;
    // Where corners are records, equal ones are one vertex: of the others, the triangle is found.
    if (trace_paths_item(path, corners->path, strlen(corners->path), "", &item))
        return trace_paths_triangle(origin, p,
                                    item * (corners->per_record ? corners->per_record : 1), place);
    size_t folder_size = dot ? (size_t)(dot + 1 - vertices->path) : 0;
    for (const char *const *name = origin->beside; name && *name; name++)
        if (trace_paths_item(path, vertices->path, folder_size, *name, &item))
            return trace_paths_vertex(origin, p, item, place);
    return false;
}

static uint32_t trace_paths_mesh_of(const tenon_scene *scene, const tenon_primitive *p,
                                    uint32_t *primitive)
{
    for (uint32_t m = 0; m < scene->mesh_count; m++)
        for (uint32_t i = 0; i < scene->meshes[m].primitive_count; i++)
            if (&scene->meshes[m].primitives[i] == p) {
                *primitive = i;
                return m;
            }
    return TENON_NONE;
}

static void trace_paths_place(const tn_scene_builder *builder, uint64_t text_at,
                              tenon_traced_part *place)
{
    const tn_origins *origins = builder->origins;
    const char *path = place->path ? place->path : "";
    place->mesh = place->primitive = TENON_NONE;
    place->vertex_count = 0;
    for (uint32_t i = 0; i < origins->count; i++) {
        const tn_origin_entry *entry = &origins->entries[i];
        if (!trace_paths_exactly(&entry->origin, entry->primitive, text_at, place)) continue;
        place->mesh = trace_paths_mesh_of(builder->scene, entry->primitive, &place->primitive);
        return;
    }
    for (uint32_t i = 0; i < origins->count; i++) {
        const tn_origin_entry *entry = &origins->entries[i];
        const tn_origin *origin = &entry->origin;
        uint32_t primitive = TENON_NONE;
        bool is_about =
            trace_paths_is_in(path, origin->part) ||
            (origin->corners.stride == 0 && trace_paths_is_in(path, origin->corners.path));
        uint32_t mesh = is_about ? trace_paths_mesh_of(builder->scene, entry->primitive, &primitive)
                                 : TENON_NONE;
        if (mesh == TENON_NONE || (place->mesh != TENON_NONE && mesh != place->mesh)) continue;
        // Of several primitives: all.
        place->primitive = place->mesh == TENON_NONE ? primitive : TENON_NONE;
        place->mesh = mesh;
    }
}

bool tn_trace_paths(const tenon_doc *doc, tenon_traced_part *places, uint32_t count,
                    const tenon_scene_opts *opts, tenon_error *err)
{
    const tn_format *format = doc->owner->format;
    tn_scene_builder builder;
    tn_origins origins = {0};
    if (!tn_import_can(format, err) || !tn_scene_begin(&builder, opts, doc->source_size, err))
        return false;
    builder.origins = &origins;
    format->import(&builder, doc);
    tn_pulse_end(&builder.pulse);
    uint64_t text_at = TENON_ABSENT, work = origins.count;
    for (uint32_t i = 0; i < origins.count && !builder.failed; i++) {
        const tn_origin *origin = &origins.entries[i].origin;
        if (origin->corners.stride > 0 && text_at == TENON_ABSENT)
            text_at = tn_doc_find(doc, origin->corners.base).offset;
        work += origins.entries[i].primitive->vertex_count / 16;
    }
    bool ok = !builder.failed && tn_budget_work(opts->allocator.budget, count * work);
    for (uint32_t i = 0; i < count && ok; i++) trace_paths_place(&builder, text_at, &places[i]);
    ok = tn_budget_settle(opts->allocator.budget, ok, err);
    tn_scene_free(builder.scene);
    return ok;
}
