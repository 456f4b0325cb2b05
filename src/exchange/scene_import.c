// scene_import.c: make a scene from a document of any format.
// SPDX-License-Identifier: MIT

#include "exchange/scene_import.h"

#include "core/memory/budget.h"
#include "document/document.h"
#include "scene/model/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool import_can(const tn_format *format, tenon_error *err)
{
    return format->import ||
           tn_error(err, TENON_ERR_UNSUPPORTED, "%s files hold no scene", format->face.name);
}

tenon_scene *tn_import(const tenon_doc *doc, const tenon_scene_opts *opts, tenon_error *err)
{
    const tn_format *format = doc->owner->format;
    if (!import_can(format, err)) return NULL;
    uint64_t input_size = doc->source_size;  // Of all files that the scene is made from.
    for (uint32_t i = 0; i < opts->companion_count; i++)
        input_size += opts->companions[i].doc->source_size;
    tn_scene_builder builder;
    tenon_budget *budget = opts->allocator.budget;
    bool has_begun =
        tn_budget_work(budget, input_size) && tn_scene_begin(&builder, opts, input_size, err);
    if (!tn_budget_settle(budget, has_begun, err)) return NULL;
    builder.scene->source = &format->face;
    format->import(&builder, doc);
    bool is_finished = tn_scene_finish(&builder);
    tn_pulse_end(&builder.pulse);
    if (tn_budget_settle(budget, is_finished, err)) return builder.scene;
    tn_scene_free(builder.scene);
    return NULL;
}

// -- Tracing

// The place of `count` items of an array, from item number `index` on.
static tenon_place import_place(const tenon_doc *doc, const tn_origin_array *array, uint64_t index,
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
    const tn_format *format = doc->owner->format;
    tn_scene_builder builder;
    tn_origins origins = {0};
    *traced = (tenon_traced){0};
    if (!import_can(format, err) || !tn_scene_begin(&builder, opts, doc->source_size, err))
        return false;
    builder.origins = &origins;
    format->import(&builder, doc);
    tn_pulse_end(&builder.pulse);
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
            traced->corners[k] = import_place(doc, &origin->vertices, item, 1);
        }
        traced->triangle =
            corners->path[0] ? import_place(doc, corners, first, size) : traced->corners[0];
    } else if (!builder.failed) {
        tn_error(err, TENON_ERR_VALUE, "there is no such triangle, or it is not in the file");
    }
    bool ok = tn_budget_settle(opts->allocator.budget, origin && !builder.failed, err);
    tn_scene_free(builder.scene);
    return ok;
}
