// gpb_recover.c: completes a bundle of which only a part could be read.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"

#include <string.h>

// -- Parts and channels

// Remove indices that are too few for another triangle.
static void gpb_recover_mesh(tenon_gpb_mesh *mesh)
{
    const uint32_t triangles = 4;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        tenon_gpb_part *part = &mesh->parts[i];
        if (part->primitive_type != triangles || part->indices.count % 3 == 0) continue;
        part->indices.count -= part->indices.count % 3;
        part->indices.size = part->indices.count * part->indices.layout->stride;
        part->leftover = (tenon_span){0};
    }
}

// A channel that was read completely has interpolations.
static void gpb_recover_animation(tenon_gpb_animation *animation, const tn_change *change)
{
    uint32_t kept = 0;
    if (!animation->id.data) animation->id = (tenon_str){"", 0};
    for (uint32_t i = 0; i < animation->channel_count; i++)
        if (animation->channels[i].interpolations.count || !animation->channels[i].key_times.count)
            animation->channels[kept++] = animation->channels[i];
    tn_change_report(change, TENON_DROPPED, "channels", animation->channel_count - kept,
                     "some of their keys are missing");
    animation->channel_count = kept;
}

// -- Fonts

#define GPB_TEXTURE_SHARE 16  // A texture is kept if at least one part in 16 of it is there.

static uint64_t gpb_recover_texels_needed(const tenon_gpb_font_size *size)
{
    return (uint64_t)size->width * size->height;
}

static bool gpb_recover_has_texture(const tenon_gpb_font_size *size)
{
    uint64_t count = size->texels.count;
    return count > 0 && count >= gpb_recover_texels_needed(size) / GPB_TEXTURE_SHARE;
}

bool gpb_recover_font_is_usable(const tenon_gpb_font *font)
{
    for (uint32_t i = 0; i < font->size_count; i++)
        if (gpb_recover_has_texture(&font->sizes[i])) return true;
    return false;
}

// The format is stored after the texture, so it is the first field to be lost.
static void gpb_recover_format(tenon_gpb_font_size *size, const tn_change *change)
{
    if (size->format != TENON_NONE) return;
    size->format = gpb_dialects_looks_like_distance_field(size);
    tn_change_report(change, TENON_MADE_UP, "formats of fonts", 1,
                     size->format ? "guessed from the texture, which looks like a distance field"
                                  : "guessed from the texture, which looks like a bitmap");
}

// Missing texels are empty.
static bool gpb_recover_texels(tenon_gpb_font_size *size, const tn_change *change)
{
    uint64_t needed = gpb_recover_texels_needed(size), had = size->texels.count;
    if (had >= needed) return true;
    uint8_t *texels = tn_arena_alloc_or_fail(change->arena, needed, 1, "texels", change->err);
    if (!texels) return false;
    memcpy(texels, size->texels.data, (size_t)had);
    size->texels.data = texels;
    size->texels.size = size->texels.count = needed;
    tn_change_report(change, TENON_MADE_UP, "texels of fonts", needed - had,
                     "the texture is cut off: the missing texels are empty");
    return true;
}

static bool gpb_recover_font(tenon_gpb_font *font, const tn_change *change)
{
    uint32_t kept = 0;
    if (!gpb_recover_font_is_usable(font)) return true;
    for (uint32_t i = 0; i < font->size_count; i++) {
        tenon_gpb_font_size *size = &font->sizes[i];
        if (!gpb_recover_has_texture(size)) continue;
        gpb_recover_format(size, change);
        if (!gpb_recover_texels(size, change)) return false;
        font->sizes[kept++] = *size;
    }
    tn_change_report(change, TENON_DROPPED, "sizes of fonts", font->size_count - kept,
                     "too little of their texture is left");
    font->size_count = kept;
    return true;
}

static bool gpb_recover_block(tenon_gpb_block *block, const tn_change *change)
{
    block->gap = (tenon_span){0};
    if (block->kind == TENON_GPB_MESH) gpb_recover_mesh(&block->body.mesh);
    if (block->kind == TENON_GPB_FONT) return gpb_recover_font(&block->body.font, change);
    if (block->kind != TENON_GPB_ANIMATIONS) return true;
    for (uint32_t i = 0; i < block->body.animations.animation_count; i++)
        gpb_recover_animation(&block->body.animations.animations[i], change);
    return true;
}

// -- Meshes without nodes

static tenon_gpb_scene *gpb_recover_find_scene(const tenon_gpb *doc)
{
    for (uint32_t i = 0; i < doc->block_count; i++)
        if (doc->blocks[i].kind == TENON_GPB_SCENE) return &doc->blocks[i].body.scene;
    return NULL;
}

// "#id" of a mesh; empty if it has none.
static tenon_str gpb_recover_mesh_xref(const tenon_gpb *doc, const tenon_gpb_block *block,
                                       tn_arena *arena, tenon_error *err)
{
    tenon_str id = gpb_index_id_of(doc, block->reference);
    char *text = id.size
                     ? tn_arena_alloc_or_fail(arena, (uint64_t)id.size + 2, 1, "a reference", err)
                     : NULL;
    if (!text) return (tenon_str){"", 0};
    text[0] = '#';
    memcpy(text + 1, id.data, id.size);
    return (tenon_str){text, id.size + 1};
}

static tenon_gpb_node gpb_recover_node_for_mesh(tenon_str mesh)
{
    tenon_gpb_node node = {.reference = TENON_NONE,
                           .node_type = 1,
                           .parent_id = {"", 0},
                           .camera = {.reference = TENON_NONE},
                           .light = {.reference = TENON_NONE},
                           .model = {.mesh = mesh, .skin = {.root_joint = {"", 0}}}};
    for (int i = 0; i < 4; i++) node.transform[5 * i] = 1;
    return node;
}

static void gpb_recover_mark_used(const gpb_index *index, bool *is_used)
{
    for (uint32_t i = 0; i < index->tree.count; i++) {
        uint32_t block = gpb_index_find_mesh_block(index, index->tree.nodes[i].node->model.mesh);
        if (block != TENON_NONE) is_used[block] = true;
    }
}

// The next mesh, from *block on, that has an id and is not used by a node; empty if there is none.
static tenon_str gpb_recover_next_unused_mesh(const tenon_gpb *doc, const bool *is_used,
                                              uint32_t *block, const tn_change *change)
{
    tenon_str xref = {"", 0};
    for (; *block < doc->block_count && !xref.size; ++*block)
        if (doc->blocks[*block].kind == TENON_GPB_MESH && !is_used[*block])
            xref = gpb_recover_mesh_xref(doc, &doc->blocks[*block], change->arena, change->err);
    return xref;
}

// A damaged name separates a node from its mesh. Nodes that name a mesh that does not exist get the
// unused meshes, one after the other.
static bool gpb_recover_reassign_meshes(tenon_gpb *doc, const tn_change *change)
{
    gpb_index index;
    tenon_str wanted = {"", 0}, found = {"", 0};
    uint32_t block = 0;
    uint64_t count = 0;
    bool *is_used = tn_arena_alloc_or_fail(change->arena, doc->block_count, sizeof *is_used,
                                           "marks of meshes", change->err);
    if (!is_used || !gpb_index_make(&index, doc, change->arena, change->err)) return false;
    gpb_recover_mark_used(&index, is_used);
    for (uint32_t i = 0; i < index.tree.count; i++) {
        tenon_gpb_model *model = &index.tree.nodes[i].node->model;
        bool is_lost = gpb_index_xref_id(doc, model->mesh).size > 0 &&
                       gpb_index_find_mesh_block(&index, model->mesh) == TENON_NONE;
        if (!is_lost) continue;
        if (!wanted.size || !tn_text_equal(wanted, model->mesh))
            found = gpb_recover_next_unused_mesh(doc, is_used, &block, change);
        if (change->err->code != TENON_OK) return false;
        if (!found.size) break;
        wanted = model->mesh;
        model->mesh = found;
        count++;
    }
    tn_change_report(change, TENON_MADE_UP, "meshes of nodes", count,
                     "the named meshes do not exist: replaced by meshes that have no node");
    return true;
}

// Meshes whose nodes are lost get new nodes at the end of the scene. In a bundle without a scene,
// an importer shows all meshes anyway.
static bool gpb_recover_add_lost_nodes(tenon_gpb *doc, const tn_change *change)
{
    gpb_index index;
    tn_arena *arena = change->arena;
    tenon_error *err = change->err;
    tenon_gpb_scene *scene = gpb_recover_find_scene(doc);
    if (!scene) return true;
    uint64_t most = (uint64_t)scene->node_count + doc->block_count;
    bool *is_used =
        tn_arena_alloc_or_fail(arena, doc->block_count, sizeof *is_used, "marks of meshes", err);
    tenon_gpb_node *nodes = tn_arena_alloc_or_fail(arena, most, sizeof *nodes, "nodes", err);
    if (!is_used || !nodes || !gpb_index_make(&index, doc, arena, err)) return false;
    gpb_recover_mark_used(&index, is_used);
    uint32_t count = scene->node_count, had = count;
    if (count) memcpy(nodes, scene->nodes, count * sizeof *nodes);
    for (uint32_t i = 0; i < doc->block_count; i++) {
        if (doc->blocks[i].kind != TENON_GPB_MESH || is_used[i]) continue;
        tenon_str mesh = gpb_recover_mesh_xref(doc, &doc->blocks[i], arena, err);
        if (err->code != TENON_OK) return false;
        if (mesh.size) nodes[count++] = gpb_recover_node_for_mesh(mesh);
    }
    scene->nodes = nodes;
    scene->node_count = count;
    tn_change_report(change, TENON_MADE_UP, "places of meshes", count - had,
                     "their nodes are lost: placed at the origin");
    return true;
}

bool gpb_recover(void *any, const tn_change *change)
{
    tenon_gpb *doc = any;
    for (uint32_t i = 0; i < doc->block_count; i++)
        if (!gpb_recover_block(&doc->blocks[i], change)) return false;
    return gpb_remove_outliers(doc, change) && gpb_recover_reassign_meshes(doc, change) &&
           (!change->is_cut || gpb_recover_add_lost_nodes(doc, change));
}
