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

static void bbmod_refuse(bbmod_importer *m, tn_refusal why)
{
    if (why == TN_OVER_LIMIT)
        tn_scene_fail(m->b, TENON_ERR_LIMIT, NULL, "creating the scene would need too much memory");
    else
        tn_scene_fail(m->b, TENON_ERR_MEMORY, NULL, "out of memory");
}

void *bbmod_scratch(bbmod_importer *m, uint64_t count, size_t size)
{
    tn_refusal why = TN_GRANTED;
    void *memory = m->b->failed ? NULL : tn_arena_alloc(m->scratch, count, size, &why);
    if (!memory && !m->b->failed) bbmod_refuse(m, why);
    return memory;
}

// Only the first path is reported, so others are not computed.
void bbmod_tally_mesh(const bbmod_importer *m, tn_tally *flaw, uint64_t count, uint32_t mesh)
{
    bool is_first = count && !flaw->count;
    tn_tally_path(flaw, count, "%s", is_first ? bbmod_mesh_spot(&m->view, mesh).text : "");
}

void bbmod_tally_leaf(tn_tally *flaw, const bbmod_tree *tree, uint32_t leaf)
{
    tn_tally_path(flaw, 1, "%s", flaw->count ? "" : bbmod_leaf_spot(tree, leaf).text);
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
static void bbmod_place_node(bbmod_importer *m, uint32_t i)
{
    const bbmod_joint *joint = &m->rig.joints[i];
    tenon_node *node = &m->b->scene->nodes[i];
    node->is_joint = joint->is_bone;
    if (m->rig.is_rigid) {
        bbmod_place_rigid_node(node, joint->rest);
        return;
    }
    bool is_root = joint->parent == TENON_NONE;
    tn_mat4 local = is_root ? tn_mat4_mul(&m->rig.above, &joint->local) : joint->local;
    tn_mat4 mirrored = tn_mirror_mat4(&local);
    tn_set_matrix(m->b, i, mirrored.m);
}

static void bbmod_add_joints(bbmod_importer *m)
{
    for (uint32_t i = 0; i < m->rig.joint_count && !m->b->failed; i++) {
        (void)tn_add_node(m->b, m->rig.joints[i].name, m->rig.joints[i].parent);
        if (!m->b->failed) bbmod_place_node(m, i);
    }
    const tenon_bbmod *doc = m->doc;
    bool is_nested = bbmod_has(doc, TENON_BBMOD_NESTED);
    const float *root = is_nested ? doc->v1_skeleton.transform : doc->root.transform;
    bool is_inverse = m->rig.joint_count && !m->rig.is_rigid &&
                      bbmod_root_is_inverse(root, doc->inverse_transform);
    tn_scene_report(m->b, TENON_MADE_UP, "the root's transform", is_inverse,
                    is_nested ? "skeleton.transform" : "root.transform",
                    "the file stores its inverse, which was inverted again");
}

// -- Skins

// Number the bones that have a node and an offset, in the order of their slots.
static uint32_t bbmod_number_bones(bbmod_importer *m)
{
    uint32_t count = 0;
    m->joint_of_slot = bbmod_scratch(m, m->rig.joint_count, sizeof *m->joint_of_slot);
    for (uint32_t slot = 0; m->joint_of_slot && slot < m->rig.joint_count; slot++) {
        bool is_bone = m->rig.offsets[slot].is_there && m->rig.by_slot[slot] != TENON_NONE;
        m->joint_of_slot[slot] = is_bone && count < JOINTS_MOST ? count++ : TENON_NONE;
    }
    return count;
}

static void bbmod_bind(const bbmod_importer *m, uint32_t slot, const tn_mat4 *offset)
{
    uint32_t joint = slot < m->rig.joint_count ? m->joint_of_slot[slot] : TENON_NONE;
    if (joint == TENON_NONE) return;
    tn_mat4 mirrored = tn_mirror_mat4(offset);
    tn_mat4_to_columns(&mirrored, m->b->scene->skins[m->skin].inverse_binds + 16 * (size_t)joint);
}

// Offsets that are matrices. The rig has split them, so they are read again.
static void bbmod_bind_matrices(const bbmod_importer *m)
{
    const tenon_span *bones = &m->doc->bones;
    for (uint32_t i = 0; i < m->view.bones.count; i++) {
        const float *offset = m->view.bones.leaves[i].v1_bone->offset;
        tn_mat4 matrix =
            m->doc->column_vectors ? tn_mat4_from_rows(offset) : tn_mat4_from_columns(offset);
        if (m->rig.joints[i].is_bone) bbmod_bind(m, m->rig.joints[i].slot, &matrix);
    }
    for (uint64_t i = 0; i < bones->count; i++) {
        float numbers[17];
        tn_copy_numbers(numbers, tn_span_record(bones, i), 17, 4, false);
        tn_mat4 matrix = tn_mat4_from_columns(numbers + 1);
        bbmod_bind(m, bbmod_slot(numbers[0], m->rig.joint_count), &matrix);
    }
}

// Without bones, meshes with weights follow their nodes.
static void bbmod_unskin(bbmod_importer *m)
{
    for (uint32_t i = 0; i < m->view.mesh_count; i++) {
        bbmod_tally_mesh(m, &m->flaws.boneless, m->shapes[i].is_skinned, i);
        m->shapes[i].is_skinned = false;
    }
}

static void bbmod_add_skin(bbmod_importer *m)
{
    uint32_t count = bbmod_number_bones(m);
    if (m->b->failed) return;
    if (count == 0) {
        bbmod_unskin(m);
        return;
    }
    uint32_t skin = tn_add_skin(m->b, (tenon_str){"", 0}, count);
    if (m->b->failed) return;
    m->skin = skin;
    for (uint32_t slot = 0; slot < m->rig.joint_count; slot++) {
        uint32_t joint = m->joint_of_slot[slot];
        if (joint == TENON_NONE) continue;
        m->b->scene->skins[skin].joints[joint] = m->rig.by_slot[slot];
        if (!m->rig.is_rigid) continue;
        tn_mat4 offset = tn_dquat_to_mat4(m->rig.offsets[slot].rigid);
        bbmod_bind(m, slot, &offset);
    }
    if (!m->rig.is_rigid) bbmod_bind_matrices(m);
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
static bbmod_shape *bbmod_shape_at(const bbmod_importer *m, const bbmod_refs *refs, uint64_t i)
{
    uint32_t mesh = refs->stored ? tn_span_u32(refs->stored, i) : refs->first + (uint32_t)i;
    if (mesh >= m->view.mesh_count || !m->shapes[mesh].is_shown) return NULL;
    return &m->shapes[mesh];
}

// A node of a scene has one mesh; further meshes get child nodes.
static void bbmod_hang(bbmod_importer *m, bbmod_mesh_node *stand, uint32_t mesh, bool is_skinned)
{
    uint32_t node = stand->node;
    bool is_taken = node != TENON_NONE && m->b->scene->nodes[node].mesh != TENON_NONE;
    if (node == TENON_NONE || is_taken) node = tn_add_node(m->b, stand->name, node);
    if (m->b->failed) return;
    if (stand->node == TENON_NONE) stand->node = node;
    m->b->scene->nodes[node].mesh = mesh;
    if (is_skinned) m->b->scene->nodes[node].skin = m->skin;
}

// Meshes that only this node uses become one mesh; skinned ones become another.
static void bbmod_show_own(bbmod_importer *m, bbmod_mesh_node *stand, const bbmod_refs *refs,
                           bool is_skinned)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < refs->count; i++) {
        const bbmod_shape *shape = bbmod_shape_at(m, refs, i);
        count += shape && shape->use_count == 1 && shape->is_skinned == is_skinned;
    }
    uint32_t mesh = count ? tn_add_mesh(m->b, stand->name, count) : TENON_NONE;
    if (m->b->failed || mesh == TENON_NONE) return;
    tenon_primitive *p = m->b->scene->meshes[mesh].primitives;
    for (uint64_t i = 0; i < refs->count && !m->b->failed; i++) {
        const bbmod_shape *shape = bbmod_shape_at(m, refs, i);
        if (shape && shape->use_count == 1 && shape->is_skinned == is_skinned)
            bbmod_fill_primitive(m, (uint32_t)(shape - m->shapes), p++);
    }
    if (!m->b->failed) bbmod_hang(m, stand, mesh, is_skinned);
}

// Meshes that several nodes use are added once.
static void bbmod_show_shared(bbmod_importer *m, bbmod_mesh_node *stand, const bbmod_refs *refs)
{
    for (uint64_t i = 0; i < refs->count && !m->b->failed; i++) {
        bbmod_shape *shape = bbmod_shape_at(m, refs, i);
        if (!shape || shape->use_count < 2) continue;
        if (shape->shared == TENON_NONE) {
            shape->shared = tn_add_mesh(m->b, stand->name, 1);
            if (m->b->failed) return;
            bbmod_fill_primitive(m, (uint32_t)(shape - m->shapes),
                                 m->b->scene->meshes[shape->shared].primitives);
        }
        if (!m->b->failed) bbmod_hang(m, stand, shape->shared, shape->is_skinned);
    }
}

// Add the meshes of a node. `node` is the scene's, or TENON_NONE. Returns whether a node was added.
static bool bbmod_show(bbmod_importer *m, tenon_str name, uint32_t node, const bbmod_refs *refs)
{
    bbmod_mesh_node stand = {name, node};
    bbmod_show_own(m, &stand, refs, false);
    bbmod_show_own(m, &stand, refs, true);
    bbmod_show_shared(m, &stand, refs);
    return stand.node != node;
}

// -- Models

// Up to version 2 the engine ignores the node transform of a mesh without bones.
static void bbmod_show_nodes(bbmod_importer *m)
{
    tn_tally made_up = {0};
    bool is_moved = m->rig.is_rigid || m->skin != TENON_NONE;
    for (uint32_t n = 0; n < m->view.nodes.count && !m->b->failed; n++) {
        const tenon_bbmod_node *node = m->view.nodes.leaves[n].node;
        bbmod_refs refs = {.stored = &node->meshes, .count = node->meshes.count};
        if (bbmod_show(m, node->name, is_moved ? n : TENON_NONE, &refs))
            bbmod_tally_leaf(&made_up, &m->view.nodes, n);
    }
    tn_tally_report(
        m->b, &made_up, TENON_MADE_UP, "nodes",
        "added for meshes without bones, which version 2 draws without a node transform");
}

// The nodes of version 1 have no transform. If there is a skeleton, it contains them all, and only
// their meshes are imported.
static void bbmod_show_v1_nodes(bbmod_importer *m)
{
    const bbmod_tree *tree = &m->view.nodes;
    bool is_plain = m->view.bones.count == 0;
    tn_tally made_up = {0};
    for (uint32_t n = 0; is_plain && n < tree->count && !m->b->failed; n++)
        (void)tn_add_node(m->b, tree->leaves[n].v1_node->name, tree->leaves[n].parent);
    uint32_t first = 0;
    for (uint32_t n = 0; n < tree->count && !m->b->failed; n++) {
        const tenon_bbmod_v1_node *node = tree->leaves[n].v1_node;
        bbmod_refs refs = {.first = first, .count = node->mesh_count};
        if (bbmod_show(m, node->name, is_plain ? n : TENON_NONE, &refs))
            bbmod_tally_leaf(&made_up, tree, n);
        first += node->mesh_count;
    }
    tn_tally_report(m->b, &made_up, TENON_MADE_UP, "nodes",
                    "added for meshes, which version 1 does not attach to the skeleton");
}

static void bbmod_show_v0(bbmod_importer *m)
{
    bbmod_refs refs = {.count = m->view.mesh_count};
    bool is_made_up = bbmod_show(m, (tenon_str){"RootNode", 8}, TENON_NONE, &refs);
    tn_scene_report(m->b, TENON_MADE_UP, "nodes", is_made_up, "meshes[0]",
                    "version 0 does not store any");
}

static bool bbmod_begin(bbmod_importer *m)
{
    tn_refusal why = TN_GRANTED;
    m->skin = TENON_NONE;
    for (int i = 0; i < 256; i++) m->linear_levels[i] = (float)tn_linear_from_srgb(i / 255.0);
    if (bbmod_look(&m->view, m->doc, m->scratch, &why) &&
        bbmod_rig_make(&m->rig, &m->view, m->scratch, &why))
        return true;
    bbmod_refuse(m, why);
    return false;
}

static void bbmod_export_document(bbmod_importer *m)
{
    if (!bbmod_begin(m)) return;
    bbmod_add_joints(m);
    if (bbmod_judge_meshes(m)) bbmod_add_skin(m);
    bbmod_add_materials(m);
    if (m->b->failed) return;
    if (bbmod_is_v0_doc(m->doc))
        bbmod_show_v0(m);
    else if (bbmod_has(m->doc, TENON_BBMOD_NESTED))
        bbmod_show_v1_nodes(m);
    else
        bbmod_show_nodes(m);
    if (!m->b->failed) bbmod_add_clips(m);
    if (m->b->failed) return;
    bbmod_report_meshes(m);
    tn_scene_report(
        m->b, TENON_MADE_UP, "handedness", 1, NULL,
        "not stored in the file; assumed left-handed with the up axis as stored, and mirrored Z");
}

void bbmod_import(tn_scene_builder *b, const void *doc)
{
    tn_arena scratch = tn_arena_make(&b->opts->allocator, b->arena->limit);
    bbmod_importer m = {.b = b, .doc = doc, .scratch = &scratch};
    bbmod_export_document(&m);
    tn_arena_free(&scratch);
}
