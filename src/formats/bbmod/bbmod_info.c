// bbmod_info.c: information about a model or an animation.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/bbmod_tree.h"

#include "core/text/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMATS_MOST 4  // Vertex formats of one model that are listed.

// -- Meshes

// Different vertex formats in the order in which they occur; only the first FORMATS_MOST.
static void bbmod_info_report_formats(tn_info_builder *builder, const bbmod_view *view)
{
    const tenon_bbmod_mesh *first[FORMATS_MOST];  // Mesh of each format.
    uint32_t uses[FORMATS_MOST], count = 0;
    for (uint32_t i = 0; i < view->mesh_count; i++) {
        const tenon_bbmod_mesh *mesh = view->meshes[i].mesh;
        uint32_t k = 0;
        while (k < count && memcmp(&first[k]->vertex_format, &mesh->vertex_format,
                                   sizeof mesh->vertex_format) != 0)
            k++;
        if (k == FORMATS_MOST) continue;
        if (k == count) first[count] = mesh, uses[count++] = 0;
        uses[k]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const tenon_layout *layout = first[i]->vertices.layout;
        tn_text_list line = {0};
        for (uint32_t k = 0; layout && k < layout->element_count; k++)
            tn_text_list_add(&line, "%s", layout->elements[k].name);
        if (line.size == 0) tn_text_list_add(&line, "nothing");
        if (count == 1)
            tn_info_add(builder, "attributes", "%s", line.text);
        else
            tn_info_add(builder, "attributes", "%s (%u of %u meshes)", line.text, uses[i],
                        view->mesh_count);
    }
}

// Boxes that are not finite are ignored.
static void bbmod_info_widen(tenon_info *info, const float low[3], const float high[3])
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(low[k]) || !isfinite(high[k])) return;
    for (int k = 0; k < 3; k++) {
        if (low[k] < info->bounds_min[k]) info->bounds_min[k] = low[k];
        if (high[k] > info->bounds_max[k]) info->bounds_max[k] = high[k];
    }
    info->has_bounds = true;
}

// -- Models

void bbmod_info(tn_info_builder *builder, const void *any)
{
    const tenon_bbmod *doc = any;
    tenon_info *info = builder->info;
    bool has_minor = doc->version_major >= 3, is_nested = bbmod_tree_has(doc, TENON_BBMOD_NESTED);
    snprintf(info->version, sizeof info->version, has_minor ? "%u.%u" : "%u",
             (unsigned)doc->version_major, (unsigned)doc->version_minor);
    bbmod_view view;
    if (!bbmod_tree_view_make(&view, doc, builder->arena, NULL)) {
        builder->failed = true;
        return;
    }
    tn_text_list primitives = {0}, bones = {0};
    uint32_t seen = 0;
    info->meshes = view.mesh_count;
    info->vertices = info->triangles = 0;
    for (uint32_t i = 0; i < view.mesh_count; i++) {
        const tenon_bbmod_mesh *mesh = view.meshes[i].mesh;
        const bbmod_primitive *primitive = bbmod_vertices_primitive(mesh->primitive_type);
        const char *word = primitive ? primitive->word : "unknown";
        uint32_t bit = primitive ? 1u << mesh->primitive_type : 1u;
        info->vertices += mesh->vertices.count + mesh->bare_vertex_count;
        info->triangles += bbmod_vertices_triangle_count(mesh);
        if (!(seen & bit)) tn_text_list_add(&primitives, "%s", word);
        seen |= bit;
    }
    info->nodes = is_nested ? view.nodes.count : doc->node_count;
    info->joints = is_nested ? doc->v1_bone_count : doc->bones.count;
    info->materials = doc->material_count;
    bbmod_info_report_formats(builder, &view);
    if (primitives.size) tn_info_add(builder, "primitives", "%s", primitives.text);
    // The stored boxes of all meshes; with `full`, boxes that are not stored are computed.
    bool are_stored = bbmod_tree_has(view.doc, TENON_BBMOD_BOUNDS);
    uint32_t unset = 0;
    for (int k = 0; k < 3; k++) info->bounds_min[k] = DBL_MAX, info->bounds_max[k] = -DBL_MAX;
    for (uint32_t i = 0; i < view.mesh_count; i++) {
        const tenon_bbmod_mesh *mesh = view.meshes[i].mesh;
        float low[3], high[3];
        bool is_set = are_stored && !bbmod_vertices_box_is_unset(mesh);
        unset += are_stored && !is_set;
        if (is_set)
            bbmod_info_widen(info, mesh->bbox_min, mesh->bbox_max);
        else if (builder->full && bbmod_vertices_bounds(&mesh->vertices, low, high))
            bbmod_info_widen(info, low, high);
    }
    if (unset) tn_info_add(builder, "boxes", "unset in %u of %u meshes", unset, view.mesh_count);
    for (uint32_t i = 0; i < view.nodes.count; i++) {
        const tenon_bbmod_node *node = view.nodes.items[i].node;
        if (node && node->is_bone) tn_text_list_add(&bones, "%s", tn_show(node->name, 64).text);
    }
    for (uint32_t i = 0; i < view.bones.count; i++) {
        const tenon_bbmod_v1_bone *bone = view.bones.items[i].v1_bone;
        if (bone->index >= 0) tn_text_list_add(&bones, "%s", tn_show(bone->name, 64).text);
    }
    if (bones.size) tn_info_add(builder, "bones", "%s", bones.text);
    if (is_nested)
        tn_info_add(builder, "matrices", "for %s vectors", doc->column_vectors ? "column" : "row");
    if (doc->material_names)
        info->material_list =
            tn_info_alloc(builder, doc->material_count, sizeof *info->material_list);
    if (!info->material_list) return;
    info->material_count = doc->material_count;
    for (uint32_t i = 0; i < doc->material_count; i++)
        info->material_list[i] = (tenon_material_info){doc->material_names[i], {"", 0}};
}

// -- Animations

void bbanim_info(tn_info_builder *builder, const void *any)
{
    static const char *const spaces[] = {"parent", "world", "bone"};
    const tenon_bbanim *doc = any;
    tenon_info *info = builder->info;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool has_nodes = !has_keys || bbanim_has(doc, TENON_BBANIM_NODES);
    bool has_bones = !has_keys || !has_nodes;
    snprintf(info->version, sizeof info->version, has_keys ? "%u" : "%u.%u",
             (unsigned)doc->version_major, (unsigned)doc->version_minor);
    if (has_nodes) info->nodes = doc->model_node_count;
    if (has_bones) info->joints = doc->model_bone_count;
    info->animations = 1;
    if (has_keys) info->channels = doc->channel_count;
    if (!has_keys) info->frames = doc->frames.count;
    tn_info_add(builder, "rate", "%s %s per second", tn_show_f64(doc->tics_per_second).text,
                has_keys ? "tics" : "frames");
    if (has_nodes && has_bones)
        tn_info_add(builder, "model", "%u nodes, %u bones", doc->model_node_count,
                    doc->model_bone_count);
    else
        tn_info_add(builder, "model", "%u %s",
                    has_nodes ? doc->model_node_count : doc->model_bone_count,
                    has_nodes ? "nodes" : "bones");
    tn_text_list stored = {0}, events = {0};
    for (uint32_t i = 0; i < 3; i++)
        if (doc->spaces & 1u << i) tn_text_list_add(&stored, "%s", spaces[i]);
    if (!has_keys) tn_info_add(builder, "spaces", "%s", stored.size ? stored.text : "none");
    for (uint32_t i = 0; i < doc->event_count && !events.is_full; i++)
        tn_text_list_add(&events, "'%s' at %s", tn_show(doc->events[i].name, 64).text,
                         tn_show_f64(doc->events[i].frame).text);
    if (doc->event_count)
        tn_info_add(builder, "events", "%u: %s", doc->event_count, events.text);
    else if (bbanim_has(doc, TENON_BBANIM_EVENTS))
        tn_info_add(builder, "events", "0");
    info->clips = tn_info_alloc(builder, 1, sizeof *info->clips);
    if (!info->clips) return;
    double seconds = doc->duration / doc->tics_per_second;
    bool is_valid = doc->tics_per_second > 0 && seconds >= 0 && seconds < HUGE_VAL;
    info->clip_count = 1;
    info->clips[0] = (tenon_clip_info){.name = {"", 0},
                                       .seconds = is_valid ? seconds : -1,
                                       .channels = info->channels,
                                       .frames = info->frames};
}
