// bmw_recover.c: completes the document of a damaged BMW file.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_format.h"

#include "core/cursor/span.h"
#include "document/recover.h"

#include <string.h>

// -- Meshes

// Whether a mesh has no triangles. In layouts without faces, three vertices are one.
static bool bmw_recover_is_empty_mesh(const tenon_bmw *doc, const tenon_bmw_mesh *mesh)
{
    bool has_faces = doc->base.dialect->flags & TENON_BMW_FACES;
    return has_faces ? mesh->faces.count == 0 : mesh->vertices.count < 3;
}

// Only the last mesh can be unfinished.
static void bmw_recover_meshes(tenon_bmw *doc, const tn_change *change)
{
    tenon_bmw_mesh *last = doc->mesh_count ? &doc->meshes[doc->mesh_count - 1] : NULL;
    if (!last) return;
    if (!(doc->base.dialect->flags & TENON_BMW_FACES)) {
        last->vertices.count -= last->vertices.count % 3;
        last->vertices.size = last->vertices.count * last->vertices.layout->stride;
    }
    if (!bmw_recover_is_empty_mesh(doc, last)) return;
    tn_change_report(change, TENON_DROPPED, "meshes", 1, "the file ends before its faces");
    doc->mesh_count--;
}

// -- Nodes

static void bmw_recover_mark_used(const tenon_bmw *doc, const tenon_bmw_node *node, bool *is_used)
{
    tn_mark_shown(&node->meshes, is_used, doc->mesh_count);
    for (uint32_t i = 0; i < node->child_count; i++)
        bmw_recover_mark_used(doc, &node->children[i], is_used);
}

static void bmw_recover_node(tn_node_recovery *recovery, tenon_bmw_node *node)
{
    static const float usual[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    tn_recover_node(recovery, &node->meshes, node->transform, usual, 16);
    for (uint32_t i = 0; i < node->child_count; i++) bmw_recover_node(recovery, &node->children[i]);
}

static bool bmw_recover_nodes(tenon_bmw *doc, const tn_change *change)
{
    tn_node_recovery recovery = {.change = change, .mesh_count = doc->mesh_count};
    bmw_recover_node(&recovery, &doc->root);
    tn_report_nodes(&recovery);
    return !recovery.failed;
}

// A root that could not be read gets the identity.
static void bmw_recover_root(tenon_bmw *doc, const tn_change *change)
{
    static const float nowhere[16];
    if (memcmp(doc->root.transform, nowhere, sizeof nowhere) != 0) return;
    for (int i = 0; i < 4; i++) doc->root.transform[5 * i] = 1;
    tn_change_report(change, TENON_MADE_UP, "nodes", 1,
                     "the file ends before its root; a root without a transform was added");
}

static bool bmw_recover_attach_unused(tenon_bmw *doc, const tn_change *change)
{
    bool *is_used = tn_arena_alloc(change->arena, doc->mesh_count, sizeof *is_used, NULL);
    if (!is_used) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    bmw_recover_mark_used(doc, &doc->root, is_used);
    return tn_attach_to_root(change, &doc->root.meshes, is_used, doc->mesh_count);
}

// -- Animated nodes

// Frames include the transforms of nodes, so if the tree is lost, a new node with the right id is
// all that bones and weights need. Files have a few hundred nodes.
#define BMW_IDS_MOST 4096

typedef struct bmw_ids {
    bool has[BMW_IDS_MOST];
} bmw_ids;

static void bmw_recover_mark_id(bmw_ids *ids, uint32_t id, bool has)
{
    if (id < BMW_IDS_MOST) ids->has[id] = has;
}

static void bmw_recover_mark_weights(bmw_ids *ids, const tenon_span *weighted)
{
    const uint8_t *p = weighted->data;
    for (uint64_t i = 0; i < weighted->count; i++) {
        uint32_t count = tn_load32(p + 4, false);
        p += 8;
        for (uint32_t k = 0; k < count; k++, p += 8)
            bmw_recover_mark_id(ids, tn_load32(p, false), true);
    }
}

static void bmw_recover_unmark_nodes(bmw_ids *ids, const tenon_bmw_node *node)
{
    bmw_recover_mark_id(ids, node->node_id, false);
    for (uint32_t i = 0; i < node->child_count; i++)
        bmw_recover_unmark_nodes(ids, &node->children[i]);
}

// Find the ids that bones and weights use, but no node has. Returns how many there are.
static uint32_t bmw_recover_find_lost(const tenon_bmw *doc, bmw_ids *lost)
{
    uint32_t count = 0;
    *lost = (bmw_ids){0};
    for (uint32_t i = 0; i < doc->animation_count; i++)
        for (uint32_t k = 0; k < doc->animations[i].bone_count; k++)
            bmw_recover_mark_id(lost, doc->animations[i].bones[k].node_id, true);
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        bmw_recover_mark_weights(lost, &doc->meshes[i].weighted_vertices);
    bmw_recover_unmark_nodes(lost, &doc->root);
    for (uint32_t i = 0; i < BMW_IDS_MOST; i++) count += lost->has[i];
    return count;
}

// Add the missing nodes as the last children of the root.
static bool bmw_recover_synthesize_nodes(tenon_bmw *doc, const tn_change *change)
{
    bmw_ids lost;
    tenon_bmw_node *root = &doc->root;
    uint32_t added =
        doc->base.dialect->flags & TENON_BMW_NODE_IDS ? bmw_recover_find_lost(doc, &lost) : 0;
    if (!added) return true;
    uint32_t count = root->child_count;
    tenon_bmw_node *children =
        tn_arena_alloc(change->arena, (uint64_t)count + added, sizeof *children, NULL);
    if (!children) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    if (count) memcpy(children, root->children, count * sizeof *children);
    for (uint32_t id = 0; id < BMW_IDS_MOST; id++) {
        if (!lost.has[id]) continue;
        tenon_bmw_node node = {.node_id = id, .meshes.layout = &tn_layout_u32};
        for (int i = 0; i < 4; i++) node.transform[5 * i] = 1;
        children[count++] = node;
    }
    root->children = children;
    root->child_count = count;
    tn_change_report(
        change, TENON_MADE_UP, "nodes", added,
        "used by bones or weights, but the file ends before them; added below the root");
    return true;
}

// -- Animations

// Only the last bone can have too few frames.
static void bmw_recover_animation(const tenon_bmw *doc, tenon_bmw_animation *animation,
                                  const tn_change *change)
{
    uint32_t flags = doc->base.dialect->flags;
    tenon_bmw_bone *last =
        animation->bone_count ? &animation->bones[animation->bone_count - 1] : NULL;
    if (!last) return;
    if (flags & TENON_BMW_FRAMES_INFERRED) {
        last->frame_count = (uint32_t)last->frames.count;
        return;
    }
    uint64_t wanted = (uint64_t)animation->duration + (flags & TENON_BMW_FRAMES_LITERAL ? 0 : 1);
    if (last->frames.count == wanted) return;
    tn_change_report(change, TENON_DROPPED, "bones of an animation", 1,
                     "some of its frames are missing");
    animation->bone_count--;
}

// The engine cannot load animations without bones. Only the last animation can have lost them all.
static void bmw_recover_animations(tenon_bmw *doc, const tn_change *change)
{
    for (uint32_t i = 0; i < doc->animation_count; i++)
        bmw_recover_animation(doc, &doc->animations[i], change);
    uint32_t last = doc->animation_count - 1;
    if (!doc->animation_count || doc->animations[last].bone_count) return;
    tn_change_report(change, TENON_DROPPED, "animations", 1,
                     "all of its bones have missing frames");
    doc->animation_count--;
}

bool bmw_recover(void *any, const tn_change *change)
{
    tenon_bmw *doc = any;
    bmw_recover_meshes(doc, change);
    bmw_recover_root(doc, change);
    bmw_recover_animations(doc, change);
    if (!bmw_recover_nodes(doc, change)) return false;
    if (change->is_cut &&
        !(bmw_recover_attach_unused(doc, change) && bmw_recover_synthesize_nodes(doc, change)))
        return false;
    return bmw_remove_outliers(doc, change);
}
