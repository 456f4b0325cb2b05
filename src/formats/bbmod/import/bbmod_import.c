// bbmod_import.c: a BBMOD model as a scene: nodes, skin, and the mesh of each node.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "scene/model/space.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define JOINTS_MOST 65536u  // The most that 16-bit joint indices can address.

// -- Memory and tallies

static void bbmod_refuse(bbmod_importer *importer, tn_refusal why)
{
    if (why == TN_OVER_LIMIT)
        tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL,
                      "creating the scene would need too much memory");
    else
        tn_scene_fail(importer->builder, TENON_ERR_MEMORY, NULL, "out of memory");
}

void *bbmod_scratch(bbmod_importer *importer, uint64_t count, size_t size)
{
    tn_refusal why = TN_GRANTED;
    void *memory =
        importer->builder->failed ? NULL : tn_arena_alloc(importer->scratch, count, size, &why);
    if (!memory && !importer->builder->failed) bbmod_refuse(importer, why);
    return memory;
}

// Only the first path is reported, so others are not computed.
void bbmod_tally_mesh(const bbmod_importer *importer, tn_tally *tally, uint64_t count,
                      uint32_t mesh)
{
    bool is_first = count && !tally->count;
    tn_tally_path(tally, count, "%s", is_first ? bbmod_mesh_path(&importer->view, mesh).text : "");
}

void bbmod_tally_item(tn_tally *tally, const bbmod_tree *tree, uint32_t item)
{
    tn_tally_path(tally, 1, "%s", tally->count ? "" : bbmod_item_path(tree, item).text);
}

// -- Nodes

static void bbmod_place_rigid_node(tenon_node *node, tn_dquat place)
{
    tn_vec3 t = tn_mirror_vec3(tn_dquat_translation(place));
    tn_quat r = tn_mirror_quat(place.real);
    memcpy(node->translation, &t, sizeof node->translation);
    memcpy(node->rotation, &r, sizeof node->rotation);
}

// The inverse transform, which is applied after the root, becomes a part of the root.
static void bbmod_place_node(bbmod_importer *importer, uint32_t i)
{
    const bbmod_joint *joint = &importer->rig.joints[i];
    tenon_node *node = &importer->builder->scene->nodes[i];
    node->is_joint = joint->is_bone;
    if (importer->rig.is_rigid) {
        bbmod_place_rigid_node(node, joint->rest);
        return;
    }
    bool is_root = joint->parent == TENON_NONE;
    tn_mat4 local = is_root ? tn_mat4_mul(&importer->rig.above, &joint->local) : joint->local;
    tn_mat4 mirrored = tn_mirror_mat4(&local);
    tn_set_matrix(importer->builder, i, mirrored.m);
}

static void bbmod_add_joints(bbmod_importer *importer)
{
    for (uint32_t i = 0; i < importer->rig.joint_count && !importer->builder->failed; i++) {
        (void)tn_add_node(importer->builder, importer->rig.joints[i].name,
                          importer->rig.joints[i].parent);
        if (!importer->builder->failed) bbmod_place_node(importer, i);
    }
    const tenon_bbmod *doc = importer->doc;
    bool is_nested = bbmod_has(doc, TENON_BBMOD_NESTED);
    const float *root = is_nested ? doc->v1_skeleton.transform : doc->root.transform;
    bool is_inverse = importer->rig.joint_count && !importer->rig.is_rigid &&
                      bbmod_root_is_inverse(root, doc->inverse_transform);
    tn_scene_report(importer->builder, TENON_MADE_UP, "the root's transform", is_inverse,
                    is_nested ? "skeleton.transform" : "root.transform",
                    "the file stores its inverse, which was inverted again");
}

// -- Skins

// Number the bones that have a node and an offset, in the order of their slots.
static uint32_t bbmod_number_bones(bbmod_importer *importer)
{
    uint32_t count = 0;
    importer->joint_of_slot =
        bbmod_scratch(importer, importer->rig.joint_count, sizeof *importer->joint_of_slot);
    for (uint32_t slot = 0; importer->joint_of_slot && slot < importer->rig.joint_count; slot++) {
        bool is_bone =
            importer->rig.offsets[slot].is_there && importer->rig.by_slot[slot] != TENON_NONE;
        importer->joint_of_slot[slot] = is_bone && count < JOINTS_MOST ? count++ : TENON_NONE;
    }
    return count;
}

static void bbmod_bind(const bbmod_importer *importer, uint32_t slot, const tn_mat4 *offset)
{
    uint32_t joint = slot < importer->rig.joint_count ? importer->joint_of_slot[slot] : TENON_NONE;
    if (joint == TENON_NONE) return;
    tn_mat4 mirrored = tn_mirror_mat4(offset);
    tn_mat4_to_columns(&mirrored, importer->builder->scene->skins[importer->skin].inverse_binds +
                                      16 * (size_t)joint);
}

// Offsets that are matrices. The rig has split them, so they are read again.
static void bbmod_bind_matrices(const bbmod_importer *importer)
{
    const tenon_span *bones = &importer->doc->bones;
    for (uint32_t i = 0; i < importer->view.bones.count; i++) {
        const float *offset = importer->view.bones.items[i].v1_bone->offset;
        tn_mat4 matrix = importer->doc->column_vectors ? tn_mat4_from_rows(offset)
                                                       : tn_mat4_from_columns(offset);
        if (importer->rig.joints[i].is_bone)
            bbmod_bind(importer, importer->rig.joints[i].slot, &matrix);
    }
    for (uint64_t i = 0; i < bones->count; i++) {
        float numbers[17];
        tn_copy_numbers(numbers, tn_span_record(bones, i), 17, 4, false);
        tn_mat4 matrix = tn_mat4_from_columns(numbers + 1);
        bbmod_bind(importer, bbmod_slot(numbers[0], importer->rig.joint_count), &matrix);
    }
}

// Without bones, meshes with weights follow their nodes.
static void bbmod_unskin(bbmod_importer *importer)
{
    for (uint32_t i = 0; i < importer->view.mesh_count; i++) {
        bbmod_tally_mesh(importer, &importer->tallies.without_bones, importer->shapes[i].is_skinned,
                         i);
        importer->shapes[i].is_skinned = false;
    }
}

static void bbmod_add_skin(bbmod_importer *importer)
{
    uint32_t count = bbmod_number_bones(importer);
    if (importer->builder->failed) return;
    if (count == 0) {
        bbmod_unskin(importer);
        return;
    }
    uint32_t skin = tn_add_skin(importer->builder, (tenon_str){"", 0}, count);
    if (importer->builder->failed) return;
    importer->skin = skin;
    for (uint32_t slot = 0; slot < importer->rig.joint_count; slot++) {
        uint32_t joint = importer->joint_of_slot[slot];
        if (joint == TENON_NONE) continue;
        importer->builder->scene->skins[skin].joints[joint] = importer->rig.by_slot[slot];
        if (!importer->rig.is_rigid) continue;
        tn_mat4 offset = tn_dquat_to_mat4(importer->rig.offsets[slot].rigid);
        bbmod_bind(importer, slot, &offset);
    }
    if (!importer->rig.is_rigid) bbmod_bind_matrices(importer);
}

// -- Meshes of nodes

// The meshes of a node: stored indices, or consecutive indices.
typedef struct bbmod_refs {
    const tenon_span *stored;  // NULL: consecutive, from `first` on.
    uint32_t first;
    uint64_t count;
} bbmod_refs;

// The node that gets meshes.
typedef struct bbmod_mesh_node {
    tenon_str name;
    uint32_t node;  // TENON_NONE: to be added to the scene.
} bbmod_mesh_node;

// The shape that a node refers to; NULL if the mesh does not exist or is not imported.
static bbmod_shape *bbmod_shape_at(const bbmod_importer *importer, const bbmod_refs *refs,
                                   uint64_t i)
{
    uint32_t mesh = refs->stored ? tn_span_u32(refs->stored, i) : refs->first + (uint32_t)i;
    if (mesh >= importer->view.mesh_count || !importer->shapes[mesh].is_shown) return NULL;
    return &importer->shapes[mesh];
}

// A node of a scene has one mesh; further meshes get child nodes.
static void bbmod_attach_mesh(bbmod_importer *importer, bbmod_mesh_node *place, uint32_t mesh,
                              bool is_skinned)
{
    uint32_t node = place->node;
    bool is_taken = node != TENON_NONE && importer->builder->scene->nodes[node].mesh != TENON_NONE;
    if (node == TENON_NONE || is_taken) node = tn_add_node(importer->builder, place->name, node);
    if (importer->builder->failed) return;
    if (place->node == TENON_NONE) place->node = node;
    importer->builder->scene->nodes[node].mesh = mesh;
    if (is_skinned) importer->builder->scene->nodes[node].skin = importer->skin;
}

// Meshes that only this node uses become one mesh; skinned ones become another.
static void bbmod_add_own_meshes(bbmod_importer *importer, bbmod_mesh_node *place,
                                 const bbmod_refs *refs, bool is_skinned)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < refs->count; i++) {
        const bbmod_shape *shape = bbmod_shape_at(importer, refs, i);
        count += shape && shape->use_count == 1 && shape->is_skinned == is_skinned;
    }
    uint32_t mesh = count ? tn_add_mesh(importer->builder, place->name, count) : TENON_NONE;
    if (importer->builder->failed || mesh == TENON_NONE) return;
    tenon_primitive *p = importer->builder->scene->meshes[mesh].primitives;
    for (uint64_t i = 0; i < refs->count && !importer->builder->failed; i++) {
        const bbmod_shape *shape = bbmod_shape_at(importer, refs, i);
        if (shape && shape->use_count == 1 && shape->is_skinned == is_skinned)
            bbmod_fill_primitive(importer, (uint32_t)(shape - importer->shapes), p++);
    }
    if (!importer->builder->failed) bbmod_attach_mesh(importer, place, mesh, is_skinned);
}

// Meshes that several nodes use are added once.
static void bbmod_add_shared_meshes(bbmod_importer *importer, bbmod_mesh_node *place,
                                    const bbmod_refs *refs)
{
    for (uint64_t i = 0; i < refs->count && !importer->builder->failed; i++) {
        bbmod_shape *shape = bbmod_shape_at(importer, refs, i);
        if (!shape || shape->use_count < 2) continue;
        if (shape->shared == TENON_NONE) {
            shape->shared = tn_add_mesh(importer->builder, place->name, 1);
            if (importer->builder->failed) return;
            bbmod_fill_primitive(importer, (uint32_t)(shape - importer->shapes),
                                 importer->builder->scene->meshes[shape->shared].primitives);
        }
        if (!importer->builder->failed)
            bbmod_attach_mesh(importer, place, shape->shared, shape->is_skinned);
    }
}

// Add the meshes of a node. `node` is the scene's, or TENON_NONE. Returns whether a node was added.
static bool bbmod_add_node_meshes(bbmod_importer *importer, tenon_str name, uint32_t node,
                                  const bbmod_refs *refs)
{
    bbmod_mesh_node place = {name, node};
    bbmod_add_own_meshes(importer, &place, refs, false);
    bbmod_add_own_meshes(importer, &place, refs, true);
    bbmod_add_shared_meshes(importer, &place, refs);
    return place.node != node;
}

// -- Models

// Up to version 2 the engine ignores the node transform of a mesh without bones.
static void bbmod_add_meshes(bbmod_importer *importer)
{
    tn_tally added = {0};
    bool is_moved = importer->rig.is_rigid || importer->skin != TENON_NONE;
    for (uint32_t n = 0; n < importer->view.nodes.count && !importer->builder->failed; n++) {
        const tenon_bbmod_node *node = importer->view.nodes.items[n].node;
        bbmod_refs refs = {.stored = &node->meshes, .count = node->meshes.count};
        if (bbmod_add_node_meshes(importer, node->name, is_moved ? n : TENON_NONE, &refs))
            bbmod_tally_item(&added, &importer->view.nodes, n);
    }
    tn_tally_report(
        importer->builder, &added, TENON_MADE_UP, "nodes",
        "added for meshes without bones, which version 2 draws without a node transform");
}

// The nodes of version 1 have no transform. If there is a skeleton, it contains them all, and only
// their meshes are imported.
static void bbmod_add_v1_meshes(bbmod_importer *importer)
{
    const bbmod_tree *tree = &importer->view.nodes;
    bool is_plain = importer->view.bones.count == 0;
    tn_tally added = {0};
    for (uint32_t n = 0; is_plain && n < tree->count && !importer->builder->failed; n++)
        (void)tn_add_node(importer->builder, tree->items[n].v1_node->name, tree->items[n].parent);
    uint32_t first = 0;
    for (uint32_t n = 0; n < tree->count && !importer->builder->failed; n++) {
        const tenon_bbmod_v1_node *node = tree->items[n].v1_node;
        bbmod_refs refs = {.first = first, .count = node->mesh_count};
        if (bbmod_add_node_meshes(importer, node->name, is_plain ? n : TENON_NONE, &refs))
            bbmod_tally_item(&added, tree, n);
        first += node->mesh_count;
    }
    tn_tally_report(importer->builder, &added, TENON_MADE_UP, "nodes",
                    "added for meshes, which version 1 does not attach to the skeleton");
}

static void bbmod_add_v0_meshes(bbmod_importer *importer)
{
    bbmod_refs refs = {.count = importer->view.mesh_count};
    bool is_added = bbmod_add_node_meshes(importer, (tenon_str){"RootNode", 8}, TENON_NONE, &refs);
    tn_scene_report(importer->builder, TENON_MADE_UP, "nodes", is_added, "meshes[0]",
                    "version 0 does not store any");
}

static bool bbmod_begin(bbmod_importer *importer)
{
    tn_refusal why = TN_GRANTED;
    importer->skin = TENON_NONE;
    for (int i = 0; i < 256; i++)
        importer->linear_levels[i] = (float)tn_linear_from_srgb(i / 255.0);
    if (bbmod_view_make(&importer->view, importer->doc, importer->scratch, &why) &&
        bbmod_rig_make(&importer->rig, &importer->view, importer->scratch, &why))
        return true;
    bbmod_refuse(importer, why);
    return false;
}

static void bbmod_export_document(bbmod_importer *importer)
{
    if (!bbmod_begin(importer)) return;
    bbmod_add_joints(importer);
    if (bbmod_select_meshes(importer)) bbmod_add_skin(importer);
    bbmod_add_materials(importer);
    if (importer->builder->failed) return;
    if (bbmod_is_v0_doc(importer->doc))
        bbmod_add_v0_meshes(importer);
    else if (bbmod_has(importer->doc, TENON_BBMOD_NESTED))
        bbmod_add_v1_meshes(importer);
    else
        bbmod_add_meshes(importer);
    if (!importer->builder->failed) bbmod_add_clips(importer);
    if (importer->builder->failed) return;
    bbmod_report_meshes(importer);
    tn_scene_report(
        importer->builder, TENON_MADE_UP, "handedness", 1, NULL,
        "not stored in the file; assumed left-handed with the up axis as stored, and mirrored Z");
}

void bbmod_import(tn_scene_builder *builder, const void *doc)
{
    tn_arena scratch = tn_arena_make(&builder->opts->allocator, builder->arena->limit);
    bbmod_importer importer = {.builder = builder, .doc = doc, .scratch = &scratch};
    bbmod_export_document(&importer);
    tn_arena_free(&scratch);
}
