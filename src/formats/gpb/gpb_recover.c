// gpb_recover.c: completes a bundle of which only a part could be read, and removes values that are
// not plausible.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "document/outliers.h"

#include <string.h>

#define GPB_TRIANGLES 4

// -- Fonts

#define GPB_TEXTURE_SHARE 16  // A texture is kept if at least one part in 16 of it is there.

static bool gpb_has_texture(const tenon_gpb_font_size *size)
{
    uint64_t count = size->texels.count;
    return count > 0 && count >= (uint64_t)size->width * size->height / GPB_TEXTURE_SHARE;
}

bool gpb_font_is_usable(const tenon_gpb_font *font)
{
    for (uint32_t i = 0; i < font->size_count; i++)
        if (gpb_has_texture(&font->sizes[i])) return true;
    return false;
}

// The format is stored after the texture, so it is the first field to be lost. Missing texels are
// empty.
static bool gpb_recover_font(tenon_gpb_font *font, const tn_change *change)
{
    uint32_t kept = 0;
    if (!gpb_font_is_usable(font)) return true;
    for (uint32_t i = 0; i < font->size_count; i++) {
        tenon_gpb_font_size *size = &font->sizes[i];
        uint64_t needed = (uint64_t)size->width * size->height, had = size->texels.count;
        if (!gpb_has_texture(size)) continue;
        if (size->format == TENON_NONE) {
            size->format = gpb_looks_like_distance_field(size);
            tn_change_report(change, TENON_SYNTHESIZED, "formats of fonts", 1,
                             size->format
                                 ? "guessed from the texture, which looks like a distance field"
                                 : "guessed from the texture, which looks like a bitmap");
        }
        if (had < needed) {
            uint8_t *texels = tn_change_alloc(change, needed, 1, "texels");
            if (!texels) return false;
            memcpy(texels, size->texels.data, (size_t)had);
            size->texels.data = texels;
            size->texels.size = size->texels.count = needed;
            tn_change_report(change, TENON_SYNTHESIZED, "texels of fonts", needed - had,
                             "the texture is cut off: the missing texels are empty");
        }
        font->sizes[kept++] = *size;
    }
    tn_change_report(change, TENON_DROPPED, "sizes of fonts", font->size_count - kept,
                     "too little of their texture is left");
    font->size_count = kept;
    return true;
}

// -- Outliers

static const tenon_element *gpb_position_of(const tenon_gpb_block *block)
{
    const tenon_gpb_mesh *mesh = &block->body.mesh;
    if (block->kind != TENON_GPB_MESH || !mesh->vertices.count) return NULL;
    const tenon_element *position = tn_layout_find(mesh->vertices.layout, "position");
    return position && position->count == 3 ? position : NULL;
}

static bool gpb_filter_meshes(tenon_gpb *doc, const tn_change *change, tn_mesh_outliers *removed)
{
    tn_magnitudes sizes = {0};
    bool ok = true;
    for (uint32_t i = 0; i < doc->block_count; i++) {
        const tenon_element *position = gpb_position_of(&doc->blocks[i]);
        if (position) tn_add_positions(&sizes, &doc->blocks[i].body.mesh.vertices, position);
    }
    double limit = tn_usual_limit(&sizes);
    for (uint32_t i = 0; ok && i < doc->block_count; i++) {
        const tenon_element *position = gpb_position_of(&doc->blocks[i]);
        tenon_gpb_mesh *mesh = &doc->blocks[i].body.mesh;
        tn_path_text path = tn_path("blocks[%u].mesh", i);
        tn_outliers outliers;
        if (!position) continue;
        ok = tn_find_outliers(change, &mesh->vertices, position, limit, &outliers);
        for (uint32_t k = 0; ok && k < mesh->part_count; k++)
            if (mesh->parts[k].primitive_type == GPB_TRIANGLES)
                ok = tn_drop_triangles(change, &mesh->parts[k].indices, &outliers,
                                       tn_path("%s.parts[%u].indices", path.text, k).text,
                                       &removed->triangles);
        ok = ok && tn_hide_outliers(change, &mesh->vertices, position, &outliers) &&
             tn_clear_numbers(change, &mesh->vertices, tn_path("%s.vertices", path.text).text,
                              &removed->numbers);
    }
    return ok;
}

// A joint of a mesh must exist in all skins that use it.
static bool gpb_filter_skins(const gpb_index *index, const tn_change *change, tn_filtered *removed)
{
    const tenon_gpb *doc = index->doc;
    uint32_t *joint_counts =
        tn_change_alloc(change, doc->block_count, sizeof *joint_counts, "joint counts");
    bool ok = joint_counts != NULL;
    for (uint32_t i = 0; ok && i < index->tree.count; i++) {
        const tenon_gpb_model *model = &index->tree.nodes[i].node->model;
        uint32_t block = gpb_find_mesh_block(index, model->mesh);
        if (block == TENON_NONE || !model->has_skin || !model->skin.joint_count) continue;
        if (!joint_counts[block] || model->skin.joint_count < joint_counts[block])
            joint_counts[block] = model->skin.joint_count;
    }
    for (uint32_t i = 0; ok && i < doc->block_count; i++) {
        tenon_span *vertices = &doc->blocks[i].body.mesh.vertices;
        if (joint_counts[i] && vertices->count)
            ok = tn_filter_influences(change, vertices, tn_layout_find(vertices->layout, "indices"),
                                      tn_layout_find(vertices->layout, "weights"), joint_counts[i],
                                      tn_path("blocks[%u].mesh.vertices", i).text, removed);
    }
    return ok;
}

// -- Meshes without nodes

// "#id" of a mesh; empty if it has none, or if there is no memory.
static tenon_str gpb_mesh_xref(const tenon_gpb *doc, uint32_t block, const tn_change *change)
{
    tenon_str id = gpb_id_of(doc, doc->blocks[block].reference);
    return id.size ? gpb_make_xref(id, change->arena, change->err) : id;
}

// A damaged name separates a node from its mesh. Nodes that name a mesh that does not exist get the
// unused meshes that have an id, one after the other.
static bool gpb_reassign_meshes(const gpb_index *index, bool *is_used, const tn_change *change)
{
    const tenon_gpb *doc = index->doc;
    tenon_str wanted = {"", 0}, found = {"", 0};
    uint32_t block = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < index->tree.count; i++) {
        tenon_gpb_model *model = &index->tree.nodes[i].node->model;
        bool is_lost = gpb_xref_id(doc, model->mesh).size > 0 &&
                       gpb_find_mesh_block(index, model->mesh) == TENON_NONE;
        if (!is_lost) continue;
        if (!wanted.size || !tn_text_equal(wanted, model->mesh)) {
            found = (tenon_str){"", 0};
            for (; block < doc->block_count && !found.size; block++)
                if (doc->blocks[block].kind == TENON_GPB_MESH && !is_used[block])
                    found = gpb_mesh_xref(doc, block, change);
        }
        if (change->err->code != TENON_OK) return false;
        if (!found.size) break;
        wanted = model->mesh;
        model->mesh = found;
        count++;
        uint32_t now = gpb_find_mesh_block(index, found);
        if (now != TENON_NONE) is_used[now] = true;
    }
    tn_change_report(change, TENON_SYNTHESIZED, "meshes of nodes", count,
                     "the named meshes do not exist: replaced by meshes that have no node");
    return true;
}

// Meshes whose nodes are lost get new nodes at the end of the first scene. In a bundle without a
// scene, an importer shows all meshes anyway.
static bool gpb_add_lost_nodes(tenon_gpb *doc, const bool *is_used, const tn_change *change)
{
    uint32_t first = 0;
    while (first < doc->block_count && doc->blocks[first].kind != TENON_GPB_SCENE) first++;
    if (first == doc->block_count) return true;
    tenon_gpb_scene *scene = &doc->blocks[first].body.scene;
    tenon_gpb_node *nodes = tn_change_alloc(change, (uint64_t)scene->node_count + doc->block_count,
                                            sizeof *nodes, "nodes");
    if (!nodes) return false;
    uint32_t count = scene->node_count, had = count;
    if (count) memcpy(nodes, scene->nodes, count * sizeof *nodes);
    for (uint32_t i = 0; i < doc->block_count; i++) {
        if (doc->blocks[i].kind != TENON_GPB_MESH || is_used[i]) continue;
        tenon_str mesh = gpb_mesh_xref(doc, i, change);
        if (change->err->code != TENON_OK) return false;
        if (!mesh.size) continue;
        nodes[count] = gpb_node_for(NULL);
        nodes[count++].model.mesh = mesh;
    }
    scene->nodes = nodes;
    scene->node_count = count;
    tn_change_report(change, TENON_SYNTHESIZED, "places of meshes", count - had,
                     "their nodes are lost: placed at the origin");
    return true;
}

// -- All blocks

static bool gpb_recover_block(tenon_gpb_block *block, const tn_change *change)
{
    block->gap = (tenon_span){0};
    if (block->kind == TENON_GPB_FONT) return gpb_recover_font(&block->body.font, change);
    // Remove indices that are too few for another triangle.
    for (uint32_t i = 0; block->kind == TENON_GPB_MESH && i < block->body.mesh.part_count; i++) {
        tenon_gpb_part *part = &block->body.mesh.parts[i];
        if (part->primitive_type != GPB_TRIANGLES || part->indices.count % 3 == 0) continue;
        part->indices.count -= part->indices.count % 3;
        part->indices.size = part->indices.count * part->indices.layout->stride;
        part->leftover = (tenon_span){0};
    }
    // A channel that was read completely has interpolations.
    const tenon_gpb_animations *all = &block->body.animations;
    for (uint32_t i = 0; block->kind == TENON_GPB_ANIMATIONS && i < all->animation_count; i++) {
        tenon_gpb_animation *animation = &all->animations[i];
        uint32_t kept = 0;
        if (!animation->id.data) animation->id = (tenon_str){"", 0};
        for (uint32_t k = 0; k < animation->channel_count; k++) {
            const tenon_gpb_channel *channel = &animation->channels[k];
            if (channel->interpolations.count || !channel->key_times.count)
                animation->channels[kept++] = *channel;
        }
        tn_change_report(change, TENON_DROPPED, "channels", animation->channel_count - kept,
                         "some of their keys are missing");
        animation->channel_count = kept;
    }
    return true;
}

// If a bundle is cut, joints may be missing, so weights for joints that do not exist are plausible.
bool gpb_recover(void *any, const tn_change *change)
{
    tenon_gpb *doc = any;
    tn_mesh_outliers removed = {0};
    for (uint32_t i = 0; i < doc->block_count; i++)
        if (!gpb_recover_block(&doc->blocks[i], change)) return false;
    gpb_index index;
    bool *is_used = tn_change_alloc(change, doc->block_count, sizeof *is_used, "marks of meshes");
    bool ok = is_used && gpb_index_make(&index, doc, change->arena, change->err) &&
              gpb_filter_meshes(doc, change, &removed) &&
              (change->is_cut || gpb_filter_skins(&index, change, &removed.weights));
    tn_report_mesh_outliers(change, &removed);
    for (uint32_t i = 0; ok && i < index.tree.count; i++) {
        uint32_t block = gpb_find_mesh_block(&index, index.tree.nodes[i].node->model.mesh);
        if (block != TENON_NONE) is_used[block] = true;
    }
    return ok && gpb_reassign_meshes(&index, is_used, change) &&
           (!change->is_cut || gpb_add_lost_nodes(doc, is_used, change));
}
