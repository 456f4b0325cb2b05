// convert_document.c: changes to a document that only some formats know.
// SPDX-License-Identifier: MIT

#include "convert/convert_document.h"

#include "report/report.h"

#include <string.h>
#include <tenon/modeldata.h>

// "12" or "all", in front of '='. False if it is neither.
static bool read_mesh(const char *text, size_t size, uint32_t *mesh)
{
    *mesh = TENON_NONE;
    if (size == 3 && memcmp(text, "all", 3) == 0) return true;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
        if (value >= TENON_NONE) return false;
    }
    *mesh = (uint32_t)value;
    return size > 0;
}

// MESH=SHAPE. False if it is something else.
static bool read_shape(const char *text, uint32_t *mesh, const char **shape)
{
    const char *equals = strchr(text, '=');
    if (!equals || !read_mesh(text, (size_t)(equals - text), mesh)) return false;
    *shape = equals + 1;
    return true;
}

const char *convert_invalid_shape(const convert_opts *opts)
{
    uint32_t mesh;
    const char *shape;
    for (uint32_t i = 0; i < opts->shapes.count; i++)
        if (!read_shape(opts->shapes.values[i], &mesh, &shape)) return opts->shapes.values[i];
    return NULL;
}

bool convert_scene_shape(const convert_opts *opts, uint32_t index, const tenon_scene *scene,
                         tenon_pair *shape)
{
    uint32_t mesh = TENON_NONE;
    *shape = (tenon_pair){0};
    (void)read_shape(opts->shapes.values[index], &mesh, &shape->value);
    if (mesh == TENON_NONE) return true;
    if (mesh >= scene->mesh_count) return false;
    shape->name = scene->meshes[mesh].name.data;
    return true;
}

static bool set_shape(tenon_modeldata *doc, const char *text, tenon_error *err)
{
    uint32_t mesh = TENON_NONE;
    const char *shape = "";
    (void)read_shape(text, &mesh, &shape);
    if (mesh == TENON_NONE || mesh < doc->mesh_count)
        return tenon_modeldata_set_shape(doc, mesh, shape, err);
    *err = report_make(TENON_ERR_UNSUPPORTED, "there is no mesh %u for '--set-shape', only %u",
                       (unsigned)mesh, (unsigned)doc->mesh_count);
    return false;
}

bool convert_edit_document(tenon_doc *doc, const convert_opts *opts, bool *is_changed,
                           tenon_error *err)
{
    if (!opts->clear_shape && opts->shapes.count == 0) return true;
    tenon_modeldata *model = tenon_as_modeldata(doc);
    if (!model) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "%s has no collision shapes; ModelData has",
                           doc->format->name);
        return false;
    }
    *is_changed = true;
    if (opts->clear_shape && !tenon_modeldata_set_shape(model, TENON_NONE, NULL, err)) return false;
    for (uint32_t i = 0; i < opts->shapes.count; i++)
        if (!set_shape(model, opts->shapes.values[i], err)) return false;
    return true;
}
