// gpb_info.c: the info of a gameplay bundle, and its nodes in file order.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "formats/gpb/gpb_attribute.h"
#include "formats/gpb/gpb_facts.h"
#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"
#include "core/math/bounds.h"
#include "core/math/math.h"
#include "core/math/sort.h"

#include <math.h>
#include <stdio.h>

// -- Counts

uint64_t gpb_info_triangle_count(const tenon_gpb_mesh *mesh)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        uint64_t indices = mesh->parts[i].indices.count;
        if (mesh->parts[i].primitive_type == 4) count += indices / 3;
        if (mesh->parts[i].primitive_type == 5 && indices > 2) count += indices - 2;
    }
    return mesh->part_count ? count : mesh->vertices.count / 3;
}

static void gpb_info_count(const tenon_gpb *doc, const gpb_tree *tree, tenon_info *info)
{
    info->meshes = info->vertices = info->triangles = info->joints = 0;
    info->animations = info->channels = info->fonts = info->font_sizes = 0;
    info->nodes = tree->count;
    for (uint32_t i = 0; i < tree->count; i++) info->joints += tree->nodes[i].node->node_type == 2;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        const tenon_gpb_animations *all = &block->body.animations;
        switch (block->kind) {
        case TENON_GPB_MESH:
            info->meshes++;
            info->vertices += block->body.mesh.vertices.count;
            info->triangles += gpb_info_triangle_count(&block->body.mesh);
            break;
        case TENON_GPB_ANIMATIONS:
            info->animations += all->animation_count;
            for (uint32_t i = 0; i < all->animation_count; i++)
                info->channels += all->animations[i].channel_count;
            break;
        case TENON_GPB_ANIMATION:
            info->animations++;
            info->channels += block->body.animation.channel_count;
            break;
        case TENON_GPB_CHANNEL:
            info->channels++;
            break;
        case TENON_GPB_FONT:
            info->fonts++;
            info->font_sizes += block->body.font.size_count;
            break;
        default:
            break;
        }
    }
    bool has_scene = info->fonts == 0 || info->nodes || info->meshes || info->animations;
    if (info->fonts == 0) info->fonts = info->font_sizes = TENON_ABSENT;
    if (has_scene) return;
    info->meshes = info->vertices = info->triangles = info->nodes = TENON_ABSENT;
    info->joints = info->animations = info->channels = TENON_ABSENT;
}

// The bounds of the stored boxes of all meshes, transformed by their nodes.
static void gpb_info_bounds(tn_info_builder *builder, const gpb_index *index)
{
    tenon_info *info = builder->info;
    const gpb_tree *tree = &index->tree;
    tn_mat4 *world = tn_info_alloc(builder, tree->count, sizeof *world);
    if (!world) return;
    tn_bounds bounds = tn_bounds_empty();
    for (uint32_t i = 0; i < tree->count; i++) {
        const gpb_tree_node *tree_node = &tree->nodes[i];
        tn_mat4 local = tn_mat4_from_columns(tree_node->node->transform);
        world[i] = tree_node->parent == TENON_NONE ? local
                                                   : tn_mat4_mul(&world[tree_node->parent], &local);
        const tenon_gpb_mesh *mesh =
            gpb_has_model(index->doc->base.dialect->flags, &tree_node->node->model)
                ? gpb_index_find_mesh(index, tree_node->node->model.mesh)
                : NULL;
        for (uint32_t corner = 0; mesh && corner < 8; corner++) {
            const float *min = mesh->bounds.min, *max = mesh->bounds.max;
            tn_vec3 p = tn_mat4_point(&world[i], (tn_vec3){corner & 1 ? max[0] : min[0],
                                                           corner & 2 ? max[1] : min[1],
                                                           corner & 4 ? max[2] : min[2]});
            tn_bounds_add(&bounds, (const double[3]){p.x, p.y, p.z});
        }
    }
    info->has_bounds = true;
    for (int k = 0; k < 3; k++) {
        info->bounds_min[k] = bounds.min[k];
        info->bounds_max[k] = bounds.max[k];
        info->has_bounds = info->has_bounds && isfinite(bounds.min[k]) && isfinite(bounds.max[k]);
    }
}

// -- Clips

static void gpb_info_add_clip(tenon_info *info, const tenon_gpb_animation *animation)
{
    double last = 0;
    uint64_t keys = 0;
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const tenon_gpb_channel *channel = &animation->channels[i];
        uint64_t count = channel->key_times.count;
        double time = count ? gpb_check_key_time(channel, count - 1) : 0;
        if (time > last) last = time;
        if (count > keys) keys = count;
    }
    info->clips[info->clip_count++] = (tenon_clip_info){.name = animation->id,
                                                        .seconds = last / 1000,
                                                        .channels = animation->channel_count,
                                                        .frames = keys};
}

static void gpb_info_list_clips(tn_info_builder *builder, const tenon_gpb *doc)
{
    tenon_info *info = builder->info;
    if (info->animations == TENON_ABSENT || info->animations > UINT32_MAX) return;
    info->clips = tn_info_alloc(builder, info->animations, sizeof *info->clips);
    if (!info->clips) return;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        const tenon_gpb_animations *all = &block->body.animations;
        if (block->kind == TENON_GPB_ANIMATION) gpb_info_add_clip(info, &block->body.animation);
        for (uint32_t i = 0; block->kind == TENON_GPB_ANIMATIONS && i < all->animation_count; i++)
            gpb_info_add_clip(info, &all->animations[i]);
    }
}

// -- Materials

static bool gpb_info_material_order(const void *context, uint32_t a, uint32_t b)
{
    const tenon_material_info *list = context;
    return tn_text_order(list[a].name, list[b].name) < 0;
}

static void gpb_info_list_material(tn_info_builder *builder, const tenon_gpb *doc,
                                   const tenon_gpb_material *material)
{
    gpb_text_list line = {""};
    tenon_str name =
        material->entry ? gpb_index_id_of(doc, material->entry - 1) : (tenon_str){"", 0};
    bool goes_on = true;
    for (uint32_t i = 0; goes_on && i < material->parameter_count; i++) {
        const tenon_gpb_parameter *p = &material->parameters[i];
        char text[160];
        int size = snprintf(text, sizeof text, "%s", gpb_info_text_of(p->name).text);
        for (uint64_t k = 0; k < p->value.count && k < 4; k++)
            size += snprintf(text + size, sizeof text - (size_t)size, " %s",
                             gpb_info_number_of(tn_load_f32(p->value.data + 4 * k, false)).text);
        goes_on = gpb_info_append(&line, text);
    }
    bool has_effect = material->effect.size > 0;
    tn_info_add(builder, "parameters", "'%s': %s%s%s%s", gpb_info_text_of(name).text,
                line.text[0] ? line.text : "no parameters", has_effect ? "; effect '" : "",
                gpb_info_text_of(material->effect).text, has_effect ? "'" : "");
    tenon_info *info = builder->info;
    info->material_list[info->material_count++] = (tenon_material_info){name, {"", 0}};
}

// In dialect "document", models contain materials, not only their names: list each.
static void gpb_info_list_objects(tn_info_builder *builder, const tenon_gpb *doc,
                                  const gpb_tree *tree)
{
    tenon_info *info = builder->info;
    uint64_t count = 0;
    for (uint32_t i = 0; i < tree->count; i++) count += tree->nodes[i].node->model.material_count;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        if (block->kind == TENON_GPB_MODEL) count += block->body.model.material_count;
        count += block->kind == TENON_GPB_MATERIAL;
    }
    if (count == 0 || count > UINT32_MAX) return;
    info->material_list = tn_info_alloc(builder, count, sizeof *info->material_list);
    if (builder->failed) return;
    for (uint32_t i = 0; i < tree->count; i++) {
        const tenon_gpb_model *model = &tree->nodes[i].node->model;
        for (uint32_t k = 0; k < model->material_count; k++)
            gpb_info_list_material(builder, doc, &model->materials[k]);
    }
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        if (block->kind == TENON_GPB_MATERIAL)
            gpb_info_list_material(builder, doc, &block->body.material);
        for (uint32_t k = 0; block->kind == TENON_GPB_MODEL && k < block->body.model.material_count;
             k++)
            gpb_info_list_material(builder, doc, &block->body.model.materials[k]);
    }
    info->materials = info->material_count;
}

// List every name once, in the order of first use.
static void gpb_info_list_materials(tn_info_builder *builder, const gpb_tree *tree)
{
    tenon_info *info = builder->info;
    uint64_t uses = 0;
    for (uint32_t i = 0; i < tree->count; i++) uses += tree->nodes[i].node->model.material_count;
    if (uses == 0 || uses > UINT32_MAX) return;
    tenon_material_info *list = tn_info_alloc(builder, uses, sizeof *list);
    uint32_t *order = tn_info_alloc(builder, uses, sizeof *order);
    uint32_t *spare = tn_info_alloc(builder, uses, sizeof *spare);
    if (builder->failed) return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const tenon_gpb_model *model = &tree->nodes[i].node->model;
        for (uint32_t k = 0; k < model->material_count; k++) {
            order[count] = count;
            list[count++] = (tenon_material_info){model->materials[k].name, {"", 0}};
        }
    }
    tn_sort(order, spare, count, gpb_info_material_order, list);
    for (uint32_t i = 0; i < count; i++) spare[i] = i;
    for (uint32_t i = 1; i < count; i++)  // Of equal names, the first in use comes first.
        if (tn_text_equal(list[order[i - 1]].name, list[order[i]].name))
            spare[order[i]] = TENON_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (spare[i] != TENON_NONE && list[i].name.size) list[info->material_count++] = list[i];
    info->material_list = list;
    info->materials = info->material_count;
}

void gpb_info(tn_info_builder *builder, const void *any)
{
    const tenon_gpb *doc = any;
    tenon_info *info = builder->info;
    gpb_index index;
    snprintf(info->version, sizeof info->version, "%u.%u", doc->version[0], doc->version[1]);
    if (!gpb_index_make(&index, doc, builder->arena, NULL)) {
        builder->failed = true;
        return;
    }
    gpb_info_count(doc, &index.tree, info);
    gpb_info_bounds(builder, &index);
    gpb_info_list_clips(builder, doc);
    if (doc->base.dialect->flags & TENON_GPB_DOCUMENT)
        gpb_info_list_objects(builder, doc, &index.tree);
    else
        gpb_info_list_materials(builder, &index.tree);
    gpb_info_report_facts(builder, &index);
}

// -- Tree

#define GPB_WALK_DEPTH 256

// A list of nodes and the next one to visit.
typedef struct gpb_branch {
    const tenon_gpb_node *nodes;
    uint32_t count, next;
} gpb_branch;

void tenon_gpb_each_node(const tenon_gpb *doc, tenon_gpb_node_fn *fn, void *user)
{
    gpb_branch branches[GPB_WALK_DEPTH];
    for (uint32_t i = 0; i < doc->block_count; i++) {
        const tenon_gpb_block *block = &doc->blocks[i];
        branches[0] = (gpb_branch){0};
        if (block->kind == TENON_GPB_SCENE)
            branches[0] = (gpb_branch){block->body.scene.nodes, block->body.scene.node_count, 0};
        if (block->kind == TENON_GPB_NODE) branches[0] = (gpb_branch){&block->body.node, 1, 0};
        for (uint32_t depth = 0;;) {
            gpb_branch *branch = &branches[depth];
            if (branch->next == branch->count) {
                if (depth-- == 0) break;
                continue;
            }
            const tenon_gpb_node *node = &branch->nodes[branch->next++];
            if (!fn(user, node, depth)) return;
            if (depth + 1 < GPB_WALK_DEPTH)
                branches[++depth] = (gpb_branch){node->children, node->child_count, 0};
        }
    }
}

typedef struct gpb_tree_walk {
    const tenon_gpb *doc;
    tn_walk *walk;
} gpb_tree_walk;

static bool gpb_info_report_node(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    static const char *const camera_kinds[] = {NULL, "perspective camera", "orthographic camera"};
    static const char *const light_kinds[] = {NULL, "directional light", "point light",
                                              "spot light"};
    const gpb_tree_walk *context = user;
    const char *words[3];
    uint32_t count = 0;
    if (node->camera.camera_type - 1u < 2) words[count++] = camera_kinds[node->camera.camera_type];
    if (node->light.light_type - 1u < 3) words[count++] = light_kinds[node->light.light_type];
    if (gpb_has_model(context->doc->base.dialect->flags, &node->model))
        words[count++] = node->model.has_skin ? "skinned mesh" : "mesh";
    char what[64] = "";
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++)
        size += (size_t)snprintf(what + size, sizeof what - size, "%s%s", i ? ", " : "", words[i]);
    return tn_walk_report(context->walk, gpb_index_id_of(context->doc, node->reference), depth,
                          node->node_type == 2 ? "joint" : "node", what);
}

void gpb_report_tree(tn_walk *walk, const void *opaque)
{
    gpb_tree_walk context = {.doc = opaque, .walk = walk};
    tenon_gpb_each_node(opaque, gpb_info_report_node, &context);
}
