// bmw_info.c: counts, lists and facts about a BMW file.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_format.h"

#include "core/text/text.h"
#include "document/view.h"

#include <inttypes.h>
#include <string.h>

#define TEXTURES_SHOWN 100  // Of those that are listed as facts.

uint64_t bmw_info_count_nodes(const tenon_bmw_node *node)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < node->child_count; i++)
        count += bmw_info_count_nodes(&node->children[i]);
    return count;
}

uint64_t bmw_info_frame_count(const tenon_bmw_animation *animation)
{
    return animation->bone_count ? animation->bones[0].frames.count : 0;
}

// -- Views

static bool bmw_info_open(tn_view *view)
{
    const tenon_bmw *doc = view->doc;
    view->mesh_count = doc->mesh_count;
    view->clip_count = doc->animation_count;
    view->material_count = doc->material_count;
    return true;
}

// As stored: the engine ignores node transforms.
static void bmw_info_view_mesh(const tn_view *view, uint32_t index, tn_mesh_view *mesh)
{
    const tenon_bmw *doc = view->doc;
    tenon_bmw_mesh *m = &doc->meshes[index];
    mesh->path = tn_path("meshes[%" PRIu32 "]", index);
    mesh->vertex_count = m->vertices.count;
    mesh->array_count = 1;
    mesh->arrays[0] = (tn_array_view){&m->vertices, "vertices"};
    mesh->position = &bmw_vertex_layout.elements[0];
    mesh->part.path = tn_path("meshes[%" PRIu32 "].faces", index);
    if (doc->base.dialect->flags & TENON_BMW_FACES) mesh->part.indices = &m->faces;
}

static void bmw_info_view_clip(const tn_view *view, uint32_t index, tenon_clip_info *clip)
{
    const tenon_bmw *doc = view->doc;
    const tenon_bmw_animation *animation = &doc->animations[index];
    bool is_lost = (doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED) != 0;
    bool is_timed = !is_lost && animation->rate > 0;
    *clip =
        (tenon_clip_info){.name = {"", 0},
                          .seconds = is_timed ? (double)animation->duration / animation->rate : -1,
                          .channels = animation->bone_count,
                          .frames = bmw_info_frame_count(animation)};
}

// With its first texture. Further textures are listed as facts.
static void bmw_info_view_material(const tn_view *view, uint32_t index, tenon_material_info *info)
{
    const tenon_bmw_material *material = &((const tenon_bmw *)view->doc)->materials[index];
    info->name = info->texture = (tenon_str){"", 0};
    if (material->texture_count) info->texture = material->textures[0];
}

const tn_views bmw_views = {
    .open = bmw_info_open,
    .mesh = bmw_info_view_mesh,
    .clip = bmw_info_view_clip,
    .material = bmw_info_view_material,
};

// -- Facts

static void bmw_info_order(tn_info_builder *builder, const tenon_bmw *doc)
{
    uint32_t flags = doc->base.dialect->flags;
    const char *how = "detected";
    if (doc->is_order_assumed) how = "assumed, cannot be detected";
    if (flags & TENON_BMW_FRAMES_INFERRED) how = "from the frame count";
    if (flags & TENON_BMW_ORDER_FORCED) how = "as requested";
    tn_info_add(builder, "matrices", "%s (%s)", doc->is_row_major ? "row-major" : "column-major",
                how);
}

static void bmw_info_weights(tn_info_builder *builder, const tenon_bmw *doc)
{
    uint64_t weighted = 0, skinned = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        weighted += doc->meshes[i].weighted_vertices.count;
        skinned += doc->meshes[i].weighted_vertices.count > 0;
    }
    if (weighted)
        tn_info_add(builder, "weights", "%" PRIu64 " %s in %" PRIu64 " of %" PRIu32 " meshes",
                    weighted, weighted == 1 ? "vertex" : "vertices", skinned, doc->mesh_count);
}

// All textures of a material but the first.
static void bmw_info_textures(tn_info_builder *builder, const tenon_bmw *doc)
{
    uint64_t shown = 0, more = 0;
    for (uint32_t i = 0; i < doc->material_count; i++) {
        const tenon_bmw_material *material = &doc->materials[i];
        for (uint32_t k = 1; k < material->texture_count; k++) {
            char name[200];
            if (shown == TEXTURES_SHOWN) {
                more += material->texture_count - k;
                break;
            }
            shown++;
            tn_text_clean(material->textures[k].data, material->textures[k].size, name,
                          sizeof name);
            tn_info_add(builder, "texture", "%s, number %" PRIu32 " of material %" PRIu32, name, k,
                        i);
        }
    }
    if (more) tn_info_add(builder, "texture", "%" PRIu64 " more", more);
}

void bmw_info(tn_info_builder *builder, const void *any)
{
    const tenon_bmw *doc = any;
    memcpy(builder->info->version, "1", 2);
    builder->info->nodes = bmw_info_count_nodes(&doc->root);
    if (!(doc->base.dialect->flags & TENON_BMW_FACES))
        builder->info->triangles = 0;  // None stored.
    bmw_info_textures(builder, doc);
    bmw_info_order(builder, doc);
    bmw_info_weights(builder, doc);
    if (doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED)
        tn_info_add(builder, "durations",
                    "not stored; durations come from the frame count, the rate is unknown");
    if (doc->base.dialect->flags & TENON_BMW_NAMES)
        tn_info_add(builder, "names", "%" PRIu32 " for %" PRIu64 " %s", doc->name_count,
                    builder->info->nodes, builder->info->nodes == 1 ? "node" : "nodes");
}
