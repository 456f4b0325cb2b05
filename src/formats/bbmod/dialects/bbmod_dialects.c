// bbmod_dialects.c: changing the dialect of a model; upgrading a model of any version to 3.4.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "formats/bbmod/bbmod_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// -- Memory

void *bbmod_alloc(bbmod_converter *converter, uint64_t count, size_t size, const char *what)
{
    const tn_change *change = converter->change;
    tn_refusal why;
    void *memory = converter->failed ? NULL : tn_arena_alloc(change->arena, count, size, &why);
    if (memory || converter->failed) return memory;
    converter->failed = true;
    if (why == TN_OVER_LIMIT && size && count <= UINT64_MAX / size)
        tn_error(change->err, TENON_ERR_LIMIT,
                 "the changed %s need %" PRIu64 " bytes, the memory limit of %" PRIu64
                 " leaves %" PRIu64,
                 what, count * size, change->arena->limit,
                 change->arena->limit - change->arena->used);
    else
        (void)tn_arena_fail(change->arena, why, what, change->err);
    return NULL;
}

bool bbmod_expect(bbmod_converter *converter, bool ok)
{
    converter->failed = converter->failed || !ok;
    return ok;
}

void bbmod_drop_trailing(const tn_change *change, tenon_doc *next)
{
    tn_change_report(change, TENON_DROPPED, "bytes after the end", next->trailing.size,
                     "another dialect could read them as data");
    next->trailing = (tenon_span){0};
}

// -- Upgrading

// The identity as a dual quaternion.
static const float bbmod_identity_dual[8] = {0, 0, 0, 1, 0, 0, 0, 0};

// -- Nodes

// Set the meshes of each node. `node_of_mesh` is the node of each mesh, or TENON_NONE.
static void bbmod_upgrade_attach(bbmod_converter *converter, tenon_bbmod_node **nodes,
                                 uint32_t node_count, const uint32_t *node_of_mesh)
{
    uint32_t mesh_count = converter->next.mesh_count;
    uint32_t *counts = bbmod_alloc(converter, node_count, sizeof *counts, "nodes");
    if (!counts) return;
    for (uint32_t m = 0; m < mesh_count; m++)
        if (node_of_mesh[m] != TENON_NONE) counts[node_of_mesh[m]]++;
    for (uint32_t n = 0; n < node_count; n++) {
        uint8_t *bytes = bbmod_alloc(converter, counts[n], 4, "nodes");
        nodes[n]->meshes = bbmod_span(bytes, 0, &tn_layout_u32);
    }
    for (uint32_t m = 0; !converter->failed && m < mesh_count; m++) {
        if (node_of_mesh[m] == TENON_NONE) continue;
        tenon_span *meshes = &nodes[node_of_mesh[m]]->meshes;
        tn_copy_numbers((uint8_t *)meshes->data + 4 * meshes->count++, &m, 1, 4, false);
        meshes->size += 4;
    }
}

tenon_bbmod_node **bbmod_upgrade_copy_tree(bbmod_converter *converter, const bbmod_tree *tree)
{
    tenon_bbmod_node **nodes = bbmod_alloc(converter, tree->count, sizeof *nodes, "nodes");
    uint32_t *counts = bbmod_alloc(converter, tree->count, sizeof *counts, "nodes");
    if (!nodes || !counts) return NULL;
    for (uint32_t i = 1; i < tree->count; i++) counts[tree->items[i].parent]++;
    for (uint32_t i = 0; i < tree->count; i++) {
        const bbmod_tree_item *item = &tree->items[i];
        nodes[i] = i ? &nodes[item->parent]->children[item->position] : &converter->next.root;
        *nodes[i] =
            item->node ? *item->node : (tenon_bbmod_node){.meshes = {.layout = &tn_layout_u32}};
        nodes[i]->index_text = (tenon_str){"", 0};
        nodes[i]->child_count = counts[i];
        nodes[i]->children = bbmod_alloc(converter, counts[i], sizeof *nodes[i]->children, "nodes");
        if (converter->failed) return NULL;
    }
    converter->next.node_count = tree->count;
    return nodes;
}

// Convert a model with matrices: its rig, a node for each item of `tree`, which has the order of
// the rig, and bone entries in the order of their slots. NULL if the change fails.
static tenon_bbmod_node **bbmod_upgrade_rig(bbmod_converter *converter, const bbmod_view *view,
                                            const bbmod_tree *tree, bbmod_rig *rig)
{
    tenon_bbmod *next = &converter->next;
    const tn_change *change = converter->change;
    if (!bbmod_expect(converter, bbmod_rig_make(rig, view, change->arena, change->err)))
        return NULL;
    uint64_t scaled = 0, bone_count = 0;
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        tn_trs trs;
        tn_mat4_decompose(&rig->joints[i].local, &trs);
        tn_mat3 scale =
            tn_mat3_from_columns((tn_vec3){trs.scale.x, 0, 0}, (tn_vec3){0, trs.scale.y, 0},
                                 (tn_vec3){0, 0, trs.scale.z});
        scaled += !bbmod_rig_is_identity(&scale);
        bone_count += rig->offsets[i].is_there;
    }
    tn_change_report(
        change, TENON_APPROXIMATED, "scale", scaled,
        "applied to positions, offsets and vertices, because version 3 cannot store scale");
    tn_change_report(change, TENON_DROPPED, "shear", rig->sheared_count,
                     "version 3 supports neither shear nor non-uniform scale");
    bool is_nested = bbmod_has(next, TENON_BBMOD_NESTED);
    const float *root = is_nested ? next->v1_skeleton.transform : next->root.transform;
    if (bbmod_root_is_inverse(root, next->inverse_transform))
        tn_change_report(change, TENON_SYNTHESIZED, "the root's transform", 1,
                         "the file stores its inverse, which was inverted again");
    tenon_bbmod_node **nodes = bbmod_upgrade_copy_tree(converter, tree);
    uint8_t *bytes = bbmod_alloc(converter, bone_count, 36, "bones");
    if (!nodes || !bytes) return NULL;
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        const bbmod_joint *joint = &rig->joints[i];
        nodes[i]->name = joint->name;
        nodes[i]->index = (float)(joint->slot == TENON_NONE ? i : joint->slot);
        nodes[i]->is_bone = joint->is_bone;
        memset(nodes[i]->transform, 0, sizeof nodes[i]->transform);
        bbmod_rig_dual_store(joint->rest, nodes[i]->transform);
    }
    next->bones = bbmod_span(bytes, bone_count, &bbmod_bone_layout);
    for (uint32_t slot = 0; slot < rig->joint_count; slot++) {
        float numbers[9] = {(float)slot};
        if (!rig->offsets[slot].is_there) continue;
        bbmod_rig_dual_store(rig->offsets[slot].rigid, numbers + 1);
        tn_copy_numbers(bytes, numbers, 9, 4, false);
        bytes += 36;
    }
    return nodes;
}

// -- Vertices

// Version 3 applies the node's transform to meshes without bones, older versions do not; so these
// vertices are moved to the node's space. The scale of bones is applied to skinned vertices.
static void bbmod_upgrade_rebase_meshes(bbmod_converter *converter, const bbmod_rig *rig,
                                        const uint32_t *node_of_mesh)
{
    tenon_bbmod *next = &converter->next;
    uint64_t differing = 0;
    for (uint32_t m = 0; m < next->mesh_count && !converter->failed; m++) {
        tenon_bbmod_mesh *mesh = &next->meshes[m];
        bool is_skinned = mesh->vertex_format.bones != 0;
        if (is_skinned && rig->stretched_count) {
            bbmod_reformat(converter, mesh, mesh->vertex_format, 0);
            if (!converter->failed) differing += bbmod_stretch_vertices(mesh, rig);
        } else if (!is_skinned && node_of_mesh[m] != TENON_NONE) {
            tn_mat4 back = tn_dquat_to_mat4(tn_dquat_inverse(rig->joints[node_of_mesh[m]].world));
            tn_mat3 rotation = tn_mat4_upper(&back);
            bool is_identity = bbmod_rig_is_identity(&rotation) && back.m[12] == 0 &&
                               back.m[13] == 0 && back.m[14] == 0;
            if (is_identity) continue;
            bbmod_reformat(converter, mesh, mesh->vertex_format, 0);
            if (!converter->failed) bbmod_move_vertices(mesh, 0, mesh->vertices.count, &back);
        }
    }
    tn_change_report(converter->change, TENON_APPROXIMATED, "vertices", differing,
                     "their bones have different scales; the mean was used");
}

// -- Version 0

static void bbmod_upgrade_v0(bbmod_converter *converter)
{
    tenon_bbmod *next = &converter->next;
    tenon_str *names = bbmod_alloc(converter, 1, sizeof *names, "materials");
    uint32_t *node_of_mesh = bbmod_alloc(converter, 1, sizeof *node_of_mesh, "meshes");
    if (!names || !node_of_mesh) return;
    next->root = (tenon_bbmod_node){.name = {"RootNode", 8}, .index_text = {"", 0}};
    memcpy(next->root.transform, bbmod_identity_dual, sizeof bbmod_identity_dual);
    tenon_bbmod_node *root = &next->root;
    bbmod_upgrade_attach(converter, &root, 1, node_of_mesh);
    next->node_count = 1;
    next->bones = (tenon_span){.layout = &bbmod_bone_layout};
    names[0] = (tenon_str){"DefaultMaterial", 15};
    next->material_names = names;
    next->material_count = 1;
    for (uint32_t m = 0; m < next->mesh_count && !converter->failed; m++) {
        tenon_bbmod_mesh *mesh = &next->meshes[m];
        if (!mesh->vertex_format.colors) continue;
        bbmod_reformat(converter, mesh, mesh->vertex_format, 0);
        if (!converter->failed) bbmod_swap_colors(mesh);
    }
    tn_change_report(converter->change, TENON_SYNTHESIZED, "nodes", 1,
                     "version 0 does not store any");
    tn_change_report(converter->change, TENON_SYNTHESIZED, "materials", 1,
                     "version 0 does not store any");
}

// -- Version 1

// Find the bone of each node. Both trees come from the same source, but that of the nodes has only
// those with meshes in their subtree. Children are matched by name, in order.
static uint32_t *bbmod_upgrade_match_nodes(bbmod_converter *converter, const bbmod_view *view)
{
    const bbmod_tree *nodes = &view->nodes, *bones = &view->bones;
    uint32_t *match = bbmod_alloc(converter, nodes->count, sizeof *match, "nodes");
    uint32_t *cursor = bbmod_alloc(converter, bones->count, sizeof *cursor, "nodes");
    uint32_t *sibling = bbmod_alloc(converter, bones->count, sizeof *sibling, "nodes");
    if (!match || !cursor || !sibling) return NULL;
    for (uint32_t i = 0; i < bones->count; i++) cursor[i] = TENON_NONE;
    for (uint32_t i = bones->count; i-- > 1;) {
        sibling[i] = cursor[bones->items[i].parent];
        cursor[bones->items[i].parent] = i;
    }
    for (uint32_t n = 1; n < nodes->count; n++) {
        uint32_t parent = match[nodes->items[n].parent];
        tenon_str name = nodes->items[n].v1_node->name;
        uint32_t at = cursor[parent];
        while (at != TENON_NONE) {
            tenon_str other = bones->items[at].v1_bone->name;
            if (tn_text_equal(other, name)) break;
            at = sibling[at];
        }
        match[n] = at == TENON_NONE ? parent : at;
        cursor[parent] = at == TENON_NONE ? TENON_NONE : sibling[at];
    }
    return match;
}

static void bbmod_upgrade_v1(bbmod_converter *converter, const bbmod_view *view)
{
    tenon_bbmod *next = &converter->next;
    if (!next->material_names) {
        uint32_t count = next->material_count;
        next->material_names =
            bbmod_alloc(converter, count, sizeof *next->material_names, "materials");
        for (uint32_t i = 0; next->material_names && i < count; i++) {
            char *name = bbmod_alloc(converter, 24, 1, "materials");
            if (!name) return;
            int size = snprintf(name, 24, "material_%u", (unsigned)i);
            next->material_names[i] = (tenon_str){name, (uint32_t)size};
        }
        tn_change_report(converter->change, TENON_SYNTHESIZED, "material names", count,
                         "this version does not store material names");
    }
    bbmod_rig rig;
    bool has_bones = view->bones.count > 0;
    uint32_t *match = has_bones ? bbmod_upgrade_match_nodes(converter, view) : NULL;
    uint32_t *node_of_mesh =
        bbmod_alloc(converter, view->mesh_count, sizeof *node_of_mesh, "meshes");
    tenon_bbmod_node **nodes = has_bones ? bbmod_upgrade_rig(converter, view, &view->bones, &rig)
                                         : bbmod_upgrade_copy_tree(converter, &view->nodes);
    if (!nodes || !node_of_mesh) return;
    for (uint32_t i = 0; !has_bones && i < view->nodes.count; i++) {
        nodes[i]->name = view->nodes.items[i].v1_node->name;
        nodes[i]->index = (float)i;
        memcpy(nodes[i]->transform, bbmod_identity_dual, sizeof bbmod_identity_dual);
    }
    if (!has_bones) next->bones = (tenon_span){.layout = &bbmod_bone_layout};
    for (uint32_t m = 0; m < view->mesh_count; m++) {
        uint32_t node = view->meshes[m].node;
        node_of_mesh[m] = match ? match[node] : node;
    }
    bbmod_upgrade_attach(converter, nodes, has_bones ? view->bones.count : view->nodes.count,
                         node_of_mesh);
    if (has_bones) bbmod_upgrade_rebase_meshes(converter, &rig, node_of_mesh);
}

// -- Version 2

static void bbmod_upgrade_v2(bbmod_converter *converter, const bbmod_view *view)
{
    bbmod_rig rig;
    uint32_t *node_of_mesh =
        bbmod_alloc(converter, view->mesh_count, sizeof *node_of_mesh, "meshes");
    tenon_bbmod_node **nodes = bbmod_upgrade_rig(converter, view, &view->nodes, &rig);
    if (!nodes) return;
    // Find the first node that uses each mesh. Version 2 draws a mesh without bones in the same
    // place for every node, so further nodes lose it; version 3 would draw it in different places.
    uint64_t repeated = 0;
    for (uint32_t m = 0; m < converter->next.mesh_count; m++) node_of_mesh[m] = TENON_NONE;
    for (uint32_t n = 0; n < view->nodes.count && !converter->failed; n++) {
        const tenon_span *from = &view->nodes.items[n].node->meshes;
        uint8_t *bytes = bbmod_alloc(converter, from->count, 4, "nodes");
        uint64_t kept = 0;
        for (uint64_t i = 0; bytes && i < from->count; i++) {
            uint32_t m = tn_span_u32(from, i);
            bool is_known = m < converter->next.mesh_count;
            bool is_identity = is_known && !converter->next.meshes[m].vertex_format.bones;
            if (is_identity && node_of_mesh[m] != TENON_NONE) {
                repeated++;
                continue;
            }
            if (is_known && node_of_mesh[m] == TENON_NONE) node_of_mesh[m] = n;
            tn_copy_numbers(bytes + 4 * kept++, &m, 1, 4, false);
        }
        nodes[n]->meshes = bbmod_span(bytes, kept, &tn_layout_u32);
    }
    tn_change_report(
        converter->change, TENON_DROPPED, "repeated meshes", repeated,
        "version 2 draws a mesh used by several nodes only once, version 3 draws it for each node");
    bbmod_upgrade_rebase_meshes(converter, &rig, node_of_mesh);
}

// -- Dialects of the format's document

static void bbmod_upgrade_document(bbmod_converter *converter, const bbmod_view *view)
{
    bool has_weights = !bbmod_has(view->doc, TENON_BBMOD_NO_WEIGHTS);
    uint64_t invalid = 0;
    // Indices of nodes become numbers. Everything else keeps its bits.
    if (bbmod_has(view->doc, TENON_BBMOD_TEXT_INDEX)) {
        tenon_bbmod_node **nodes = bbmod_upgrade_copy_tree(converter, &view->nodes);
        if (!nodes) return;
        for (uint32_t i = 0; i < view->nodes.count; i++) {
            const tenon_bbmod_node *from = view->nodes.items[i].node;
            uint32_t slot = bbmod_node_slot(view->doc, from, view->nodes.count);
            invalid += slot == TENON_NONE;
            nodes[i]->index = (float)(slot == TENON_NONE ? i : slot);
        }
        tn_change_report(converter->change, TENON_SYNTHESIZED, "indices of nodes", invalid,
                         "the stored index is not a number; numbered in tree order");
    }
    // Offsets get an index.
    if (bbmod_has(view->doc, TENON_BBMOD_BARE_OFFSETS)) {
        const tenon_span *from = &view->doc->bones;
        const tn_change *change = converter->change;
        uint32_t *slots = bbmod_entry_slots(view, change->arena, change->err);
        (void)bbmod_expect(converter, slots != NULL);
        uint8_t *bytes = bbmod_alloc(converter, from->count, 36, "bones");
        if (!bytes) return;
        converter->next.bones = bbmod_span(bytes, from->count, &bbmod_bone_layout);
        for (uint64_t i = 0; i < from->count; i++) {
            float index = slots[i] == TENON_NONE ? (float)i : (float)slots[i];
            tn_copy_numbers(bytes + 36 * i, &index, 1, 4, false);
            memcpy(bytes + 36 * i + 4, tn_span_record(from, i), 32);
        }
    }
    uint64_t weightless = 0;
    for (uint32_t m = 0; m < converter->next.mesh_count && !converter->failed; m++) {
        tenon_bbmod_mesh *mesh = &converter->next.meshes[m];
        bool is_weightless = mesh->vertex_format.bones && !has_weights;
        if (!mesh->vertex_format.colors && !is_weightless) continue;
        bbmod_reformat(converter, mesh, mesh->vertex_format, 0);
        if (converter->failed) return;
        bbmod_swap_colors(mesh);
        if (is_weightless) weightless += mesh->vertices.count;
        if (is_weightless) bbmod_set_first_weights(mesh);
    }
    tn_change_report(converter->change, TENON_SYNTHESIZED, "bone weights", weightless,
                     "this dialect does not store weights; the first bone has weight 1");
}

// -- Models

// Upgrade `next` to 3.4: nodes, dual quaternions, a vertex format and a primitive type for each
// mesh, names for materials, colors in the order red, green, blue.
static void bbmod_upgrade(bbmod_converter *converter)
{
    tenon_bbmod *next = &converter->next;
    const tenon_bbmod before = *next;
    bbmod_view view;
    const tn_change *change = converter->change;
    if (!bbmod_expect(converter, bbmod_view_make(&view, &before, change->arena, change->err)))
        return;
    // Copy the meshes, so that those of the document stay unchanged.
    next->meshes = bbmod_alloc(converter, view.mesh_count, sizeof *next->meshes, "meshes");
    if (!next->meshes) return;
    next->mesh_count = view.mesh_count;
    for (uint32_t i = 0; i < view.mesh_count; i++) next->meshes[i] = *view.meshes[i].mesh;
    if (bbmod_is_v0_doc(&before))
        bbmod_upgrade_v0(converter);
    else if (bbmod_has(&before, TENON_BBMOD_NESTED))
        bbmod_upgrade_v1(converter, &view);
    else if (bbmod_has(&before, TENON_BBMOD_MATRICES))
        bbmod_upgrade_v2(converter, &view);
    else if (bbmod_has(&before, TENON_BBMOD_DOCUMENT))
        bbmod_upgrade_document(converter, &view);
    next->base.dialect = bbmod_newest_dialect();
}

// -- Derived fields

bool bbmod_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_bbmod *doc = any;
    (void)arena;
    (void)err;
    bbmod_version version = bbmod_version_of(doc->base.dialect);
    doc->version_major = version.major;
    doc->version_minor = version.minor;
    return true;
}

// -- Changing a model

bool bbmod_change(void *any, const tn_change *change)
{
    tenon_bbmod *doc = any;
    bbmod_converter converter = {.change = change, .next = *doc};
    tenon_bbmod *next = &converter.next;
    bool is_other = change->to != doc->base.dialect;
    if (is_other) bbmod_upgrade(&converter);
    if (is_other && !converter.failed) bbmod_downgrade(&converter);
    if (converter.failed) return false;
    if (is_other) bbmod_drop_trailing(change, &next->base);
    bool has_boxes = (change->to->flags & TENON_BBMOD_BOUNDS) != 0;
    bool were_stored = bbmod_has(doc, TENON_BBMOD_BOUNDS);
    for (uint32_t i = 0; has_boxes && i < next->mesh_count; i++) {
        bool is_missing = is_other && (!were_stored || bbmod_box_is_unset(&next->meshes[i]));
        if (is_missing || change->opts->refresh) bbmod_set_bounds(&next->meshes[i]);
    }
    bbmod_tree_item root = {.node = &next->root};
    if (change->opts->refresh) next->node_count = (uint32_t)bbmod_tree_count(&root);
    *doc = *next;
    return true;
}
