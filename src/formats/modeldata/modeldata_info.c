// modeldata_info.c: what is in a ModelData file.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "document/view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_SIZE  200  // Bytes of a fact.
#define CLIPS_MAX  8    // Animations whose length is shown.
#define VALUES_MAX 8    // Materials whose values are shown.

// A list of texts, separated by commas.
typedef struct modeldata_line {
    char text[LINE_SIZE];
    size_t size;
} modeldata_line;

// Append a text, if there is room for it.
TN_PRINTF(2, 3)
static void modeldata_info_append(modeldata_line *line, const char *format, ...)
{
    char text[128];
    size_t left = sizeof line->text - line->size;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    int size = snprintf(line->text + line->size, left, "%s%s", line->size ? ", " : "", text);
    if (size > 0 && (size_t)size < left) line->size += (size_t)size;
    line->text[line->size] = '\0';
}

// -- Meshes

static void modeldata_info_report_meshes(tn_info_builder *informer, const tenon_modeldata *doc)
{
    modeldata_line arrays = {.size = 0}, maps = {.size = 0}, shapes = {.size = 0};
    uint32_t shape_counts[MODELDATA_SHAPE_UNKNOWN + 1] = {0}, absent = 0, material_count = 0;
    for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < doc->mesh_count; i++) count += doc->meshes[i].arrays[k].count > 0;
        if (count && count == doc->mesh_count)
            modeldata_info_append(&arrays, "%s", modeldata_arrays[k].name);
        else if (count)
            modeldata_info_append(&arrays, "%s (in %" PRIu32 " of %" PRIu32 ")",
                                  modeldata_arrays[k].name, count, doc->mesh_count);
    }
    if (arrays.size) tn_info_add(informer, "arrays", "%s", arrays.text);

    // The diffuse map is in the list of materials.
    for (int map = TENON_MODELDATA_DIFFUSE_MAP + 1; map < TENON_MODELDATA_MAP_COUNT; map++) {
        uint32_t count = 0;
        char shown[48] = "";
        for (uint32_t i = 0; i < doc->mesh_count; i++) {
            tenon_str name = doc->meshes[i].material.maps[map];
            if (name.size && count++ == 0) tn_text_clean(name.data, name.size, shown, sizeof shown);
        }
        if (count)
            modeldata_info_append(&maps, "%s %s%s", modeldata_maps[map].name, shown,
                                  count > 1 ? " and others" : "");
    }
    if (maps.size) tn_info_add(informer, "other maps", "%s", maps.text);

    // Values that differ from the engine's defaults.
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        modeldata_value values[MODELDATA_VALUE_COUNT];
        modeldata_line line = {.size = 0};
        uint32_t defaults = 0;
        if (!doc->meshes[i].material_size || material_count++ >= VALUES_MAX) continue;
        modeldata_conventions_values(&doc->meshes[i].material, values);
        for (int k = 0; k < MODELDATA_VALUE_COUNT; k++) {
            char numbers[3 * (TN_NUMBER_MAX + 1)];
            size_t size = 0;
            for (uint32_t n = 0; n < values[k].count; n++) {
                numbers[size++] = ' ';
                size += tn_f32_text(values[k].v[n], numbers + size);
            }
            bool is_default = modeldata_conventions_is_default(doc, &values[k]);
            defaults += is_default;
            if (!is_default) modeldata_info_append(&line, "%s%s", values[k].name, numbers);
        }
        if (defaults)
            modeldata_info_append(&line, "%s", line.size ? "others default" : "all default");
        tn_info_add(informer, "values", "mesh %" PRIu32 ": %s", i, line.text);
    }
    if (material_count > VALUES_MAX)
        tn_info_add(informer, "values", "and of %" PRIu32 " more", material_count - VALUES_MAX);

    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_str shape = doc->meshes[i].collision_shape;
        absent += !shape.size;
        if (shape.size) shape_counts[modeldata_parse_shape(shape).kind]++;
    }
    for (int kind = 0; kind <= MODELDATA_SHAPE_UNKNOWN; kind++)
        if (shape_counts[kind])
            modeldata_info_append(&shapes, "%" PRIu32 " %s", shape_counts[kind],
                                  modeldata_shape_word((modeldata_shape_kind)kind));
    if (absent) modeldata_info_append(&shapes, "%" PRIu32 " not set (convex)", absent);
    if (shapes.size) tn_info_add(informer, "shapes", "%s", shapes.text);
}

// -- Animations

typedef struct modeldata_extent {
    float ticks;        // Time of the last key.
    uint64_t channels;  // Lists that have keys.
    uint64_t keys;
} modeldata_extent;

static modeldata_extent modeldata_info_extent_of(const tenon_modeldata_animation *a)
{
    modeldata_extent extent = {0};
    modeldata_lists kinds[MODELDATA_LIST_KINDS];
    modeldata_describe_lists(a, kinds);
    for (int k = 0; k < MODELDATA_LIST_KINDS; k++)
        for (uint32_t i = 0; i < *kinds[k].count; i++) {
            const tenon_span *keys = &(*kinds[k].lists)[i].keys;
            if (!keys->count) continue;
            float time = tn_load_f32(tn_span_record(keys, keys->count - 1), keys->big_endian);
            if (time > extent.ticks) extent.ticks = time;
            extent.channels++;
            extent.keys += keys->count;
        }
    return extent;
}

// -- Views

// The joints of a document, and its meshes that have a material.
typedef struct modeldata_view_index {
    modeldata_order joints;
    uint32_t *material_meshes;
    char (*material_names)[24];
} modeldata_view_index;

static bool modeldata_info_open(tn_view *view)
{
    const tenon_modeldata *doc = view->doc;
    modeldata_view_index *index = tn_arena_alloc(view->arena, 1, sizeof *index, NULL);
    uint32_t *order = tn_arena_alloc(view->arena, doc->joint_count, MODELDATA_ORDER_SHARE, NULL);
    uint32_t *meshes = tn_arena_alloc(view->arena, doc->mesh_count, sizeof *meshes, NULL);
    char(*names)[24] = tn_arena_alloc(view->arena, doc->mesh_count, sizeof *names, NULL);
    if (!index || !order || !meshes || !names) return false;
    *index = (modeldata_view_index){modeldata_conventions_sort_joints(doc, order), meshes, names};
    view->index = index;
    view->mesh_count = doc->mesh_count;
    view->node_count = doc->joint_count;
    view->clip_count = doc->animation_count;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (doc->meshes[i].material_size) meshes[view->material_count++] = i;
    return true;
}

static void modeldata_info_view_mesh(const tn_view *view, uint32_t index, tn_mesh_view *mesh)
{
    tenon_modeldata_mesh *m = &((const tenon_modeldata *)view->doc)->meshes[index];
    mesh->path = tn_path("meshes[%" PRIu32 "]", index);
    mesh->vertex_count = m->arrays[TENON_MODELDATA_VERTICES].count;
    mesh->position = &tn_layout_f32x3.elements[0];
    mesh->part.path = tn_path("meshes[%" PRIu32 "].indices", index);
    mesh->part.indices = &m->arrays[TENON_MODELDATA_INDICES];
    for (int k = TENON_MODELDATA_VERTICES; k < TENON_MODELDATA_INDICES; k++)
        mesh->arrays[mesh->array_count++] =
            (tn_array_view){&m->arrays[k], modeldata_arrays[k].name};
}

// Joints refer to parents by the stored index, not by their position in the list.
static void modeldata_info_view_node(const tn_view *view, uint32_t index, tenon_tree_node *node,
                                     uint32_t *parent)
{
    const tenon_modeldata_joint *joint = &((const tenon_modeldata *)view->doc)->joints[index];
    const modeldata_view_index *found = view->index;
    node->name = joint->name;
    node->kind = "joint";
    *parent = joint->parent_index == -1
                  ? TENON_NONE
                  : modeldata_conventions_find_joint(&found->joints, joint->parent_index);
}

// Seconds are unknown, because the file does not store the length of a tick.
static void modeldata_info_view_clip(const tn_view *view, uint32_t index, tenon_clip_info *clip)
{
    const tenon_modeldata_animation *a = &((const tenon_modeldata *)view->doc)->animations[index];
    *clip = (tenon_clip_info){.name = a->name,
                              .seconds = -1,
                              .channels = modeldata_info_extent_of(a).channels,
                              .frames = TENON_ABSENT};
}

// Materials have no names: use the number of their mesh.
static void modeldata_info_view_material(const tn_view *view, uint32_t index,
                                         tenon_material_info *material)
{
    const modeldata_view_index *found = view->index;
    uint32_t mesh = found->material_meshes[index];
    char *name = found->material_names[index];
    int size = snprintf(name, sizeof found->material_names[index], "of mesh %" PRIu32, mesh);
    material->name = (tenon_str){name, (uint32_t)size};
    material->texture = ((const tenon_modeldata *)view->doc)
                            ->meshes[mesh]
                            .material.maps[TENON_MODELDATA_DIFFUSE_MAP];
}

const tn_views modeldata_views = {
    .open = modeldata_info_open,
    .mesh = modeldata_info_view_mesh,
    .node = modeldata_info_view_node,
    .clip = modeldata_info_view_clip,
    .material = modeldata_info_view_material,
};

void modeldata_info(tn_info_builder *informer, const void *any)
{
    static const char *const units[TENON_MODELDATA_SIZE_UNIT_COUNT] = {
        NULL,
        "numbers",
        "vertices and indices",
        "vertices, joint ids, weights and indices",
        "vertices and triangles",
        "vertices, joint ids, weights and triangles"};
    const tenon_modeldata *doc = any;
    tenon_info *info = informer->info;
    snprintf(info->version, sizeof info->version, "%s", doc->is_animated ? "cea" : "cem");
    info->joints = doc->joint_count;
    tn_info_add(informer, "kind", "%s",
                doc->is_animated ? "AnimatedModelData (.cea)" : "ModelData (.cem)");
    modeldata_line lengths = {.size = 0};
    for (uint32_t i = 0; i < doc->animation_count && i < CLIPS_MAX; i++) {
        modeldata_extent extent = modeldata_info_extent_of(&doc->animations[i]);
        char number[TN_NUMBER_MAX];
        tn_f32_text(extent.ticks, number);
        modeldata_info_append(&lengths, "%s ticks with %" PRIu64 " keys", number, extent.keys);
    }
    if (doc->animation_count > CLIPS_MAX)
        modeldata_info_append(&lengths, "and %" PRIu32 " more", doc->animation_count - CLIPS_MAX);
    if (lengths.size) tn_info_add(informer, "lengths", "%s", lengths.text);
    modeldata_info_report_meshes(informer, doc);
    uint32_t root = 0;
    while (root < doc->joint_count && doc->joints[root].parent_index != -1) root++;
    if (root < doc->joint_count) {
        tenon_str name = doc->joints[root].name;
        char shown[64];
        tn_text_clean(name.data, name.size, shown, sizeof shown);
        tn_info_add(informer, "root", "%s", shown[0] ? shown : "(no name)");
    }
    const char *how = doc->is_order_assumed ? "assumed, cannot be detected" : "detected";
    if (doc->base.dialect->flags & TENON_MODELDATA_ORDER_FORCED) how = "as requested";
    if (doc->joint_count)
        tn_info_add(informer, "matrices", "%s (%s)",
                    doc->is_column_major ? "column-major" : "row-major", how);
    // Those that differ from the engine's.
    uint32_t unit = TENON_MODELDATA_BYTES, omitting = 0, angles = 0;
    uint64_t influences = 16, tangent = 12;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const tenon_modeldata_mesh *m = &doc->meshes[i];
        if (!unit) unit = m->size_unit;
        omitting += m->material.omits_defaults != 0;
        const tenon_span *ids = &m->arrays[TENON_MODELDATA_JOINT_IDS];
        const tenon_span *tangents = &m->arrays[TENON_MODELDATA_TANGENTS];
        if (ids->count && ids->layout->stride != 16) influences = ids->layout->stride;
        if (tangents->count) tangent = tangents->layout->stride;
    }
    for (uint32_t i = 0; i < doc->animation_count; i++)
        angles += doc->animations[i].rotation_size == 3;
    if (unit) tn_info_add(informer, "sizes", "of arrays count %s, not bytes", units[unit]);
    if (omitting)
        tn_info_add(informer, "defaults",
                    "values whose flag is set are omitted from %" PRIu32 " material%s", omitting,
                    omitting == 1 ? "" : "s");
    if (influences != 16)
        tn_info_add(informer, "influences", "%" PRIu64 " per vertex", influences / 4);
    if (tangent != 12) tn_info_add(informer, "tangents", "%" PRIu64 " numbers each", tangent / 4);
    if (angles)
        tn_info_add(
            informer, "rotations", "of three numbers, %s",
            modeldata_conventions_angles_text(modeldata_conventions_angles_are_degrees(doc)));
}
