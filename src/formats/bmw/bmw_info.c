// bmw_info.c: counts, lists and facts about a BMW file.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_format.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <float.h>
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

uint64_t bmw_info_count_textures(const tenon_bmw *doc)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < doc->material_count; i++) count += doc->materials[i].texture_count;
    return count;
}

// -- Counts

static void bmw_info_widen(tenon_info *info, const tenon_span *vertices)
{
    for (uint64_t i = 0; i < vertices->count; i++) {
        float p[3];
        tn_copy_numbers(p, vertices->data + BMW_VERTEX_SIZE * i, 3, 4, vertices->big_endian);
        for (int k = 0; k < 3; k++) {
            if (p[k] < info->bounds_min[k]) info->bounds_min[k] = p[k];
            if (p[k] > info->bounds_max[k]) info->bounds_max[k] = p[k];
        }
    }
}

// The bounds of the stored vertices: the engine ignores node transforms.
static void bmw_info_bounds(const tenon_bmw *doc, tenon_info *info)
{
    for (int k = 0; k < 3; k++) info->bounds_min[k] = DBL_MAX, info->bounds_max[k] = -DBL_MAX;
    for (uint32_t i = 0; i < doc->mesh_count; i++) bmw_info_widen(info, &doc->meshes[i].vertices);
    // NaNs are never less or greater, so meshes of NaNs have no bounds.
    info->has_bounds = true;
    for (int k = 0; k < 3; k++)
        info->has_bounds = info->has_bounds && info->bounds_min[k] <= info->bounds_max[k];
}

static void bmw_info_counts(const tenon_bmw *doc, tenon_info *info)
{
    memcpy(info->version, "1", 2);
    info->meshes = doc->mesh_count;
    info->vertices = info->triangles = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        info->vertices += doc->meshes[i].vertices.count;
        info->triangles += doc->meshes[i].faces.count;
    }
    info->nodes = bmw_info_count_nodes(&doc->root);
    info->animations = doc->animation_count;
    info->materials = doc->material_count;
}

// -- Lists

uint64_t bmw_info_frame_count(const tenon_bmw_animation *animation)
{
    return animation->bone_count ? animation->bones[0].frames.count : 0;
}

static void bmw_info_clips(tn_info_builder *builder, const tenon_bmw *doc)
{
    tenon_info *info = builder->info;
    bool is_lost = (doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED) != 0;
    info->clips = tn_info_alloc(builder, doc->animation_count, sizeof *info->clips);
    if (!info->clips) return;
    info->clip_count = doc->animation_count;
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        const tenon_bmw_animation *animation = &doc->animations[i];
        bool is_timed = !is_lost && animation->rate > 0;
        info->clips[i] = (tenon_clip_info){
            .name = {"", 0},
            .seconds = is_timed ? (double)animation->duration / animation->rate : -1,
            .channels = animation->bone_count,
            .frames = bmw_info_frame_count(animation)};
    }
}

// One entry for each material, with its first texture. Further textures are listed as facts.
static void bmw_info_materials(tn_info_builder *builder, const tenon_bmw *doc)
{
    tenon_info *info = builder->info;
    info->material_list = tn_info_alloc(builder, doc->material_count, sizeof *info->material_list);
    if (!info->material_list) return;
    info->material_count = doc->material_count;
    for (uint32_t i = 0; i < doc->material_count; i++) {
        const tenon_bmw_material *material = &doc->materials[i];
        tenon_str texture = material->texture_count ? material->textures[0] : (tenon_str){"", 0};
        info->material_list[i] = (tenon_material_info){.name = {"", 0}, .texture = texture};
    }
}

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
    bmw_info_counts(doc, builder->info);
    if (builder->full) bmw_info_bounds(doc, builder->info);
    bmw_info_clips(builder, doc);
    bmw_info_materials(builder, doc);
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
