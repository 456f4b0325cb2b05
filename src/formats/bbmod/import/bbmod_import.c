// bbmod_import.c: a BBMOD model as a scene: nodes, skin, and the mesh of each node.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "scene/model/space.h"

#include <string.h>

#define JOINTS_MOST 65536u  // The most that 16-bit joint indices can address.

// -- Memory and tallies

static void bbmod_import_refuse(bbmod_importer *importer, tn_refusal why)
{
    if (why == TN_OVER_LIMIT)
        tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL,
                      "creating the scene would need too much memory");
    else
        tn_scene_fail(importer->builder, TENON_ERR_MEMORY, NULL, "out of memory");
}

void *bbmod_import_scratch(bbmod_importer *importer, uint64_t count, size_t size)
{
    tn_refusal why = TN_GRANTED;
    void *memory =
        importer->builder->failed ? NULL : tn_arena_alloc(importer->scratch, count, size, &why);
    if (!memory && !importer->builder->failed) bbmod_import_refuse(importer, why);
    return memory;
}

// Only the first path is reported, so others are not computed.
void bbmod_import_tally_mesh(const bbmod_importer *importer, tn_tally *tally, uint64_t count,
                             uint32_t mesh)
{
    bool is_first = count && !tally->count;
    tn_tally_path(tally, count, "%s",
                  is_first ? bbmod_tree_mesh_path(&importer->view, mesh).text : "");
}

void bbmod_import_tally_item(tn_tally *tally, const bbmod_tree *tree, uint32_t item)
{
    tn_tally_path(tally, 1, "%s", tally->count ? "" : bbmod_tree_item_path(tree, item).text);
}

// -- Nodes

// The joints of the rig become the first nodes of the scene, with the same numbers.
static void bbmod_import_joints(bbmod_importer *importer)
{
    const tenon_bbmod *doc = importer->doc;
    const bbmod_rig *rig = &importer->rig;
    tn_scene_builder *builder = importer->builder;
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        const bbmod_joint *joint = &rig->joints[i];
        (void)tn_add_node(builder, joint->name, joint->parent);
        if (builder->failed) return;
        tenon_node *node = &builder->scene->nodes[i];
        node->is_joint = joint->is_bone;
        if (rig->is_rigid) {
            tn_vec3 t = tn_mirror_vec3(tn_dquat_translation(joint->rest));
            tn_quat r = tn_mirror_quat(joint->rest.real);
            memcpy(node->translation, &t, sizeof node->translation);
            memcpy(node->rotation, &r, sizeof node->rotation);
        } else {
            // The inverse transform, which is applied after the root, becomes a part of the root.
            bool is_root = joint->parent == TENON_NONE;
            tn_mat4 local = is_root ? tn_mat4_mul(&rig->above, &joint->local) : joint->local;
            tn_mat4 mirrored = tn_mirror_mat4(&local);
            tn_set_matrix(builder, i, mirrored.m);
        }
    }
    bool is_nested = bbmod_tree_has(doc, TENON_BBMOD_NESTED);
    const float *root = is_nested ? doc->v1_skeleton.transform : doc->root.transform;
    bool is_inverse = rig->joint_count && !rig->is_rigid &&
                      bbmod_tree_root_is_inverse(root, doc->inverse_transform);
    tn_scene_report(builder, TENON_SYNTHESIZED, "the root's transform", is_inverse,
                    is_nested ? "skeleton.transform" : "root.transform",
                    "the file stores its inverse, which was inverted again");
}

// -- Skins

static void bbmod_import_set_bind(const bbmod_importer *importer, uint32_t slot,
                                  const tn_mat4 *offset)
{
    uint32_t joint = slot < importer->rig.joint_count ? importer->joint_of_slot[slot] : TENON_NONE;
    if (joint == TENON_NONE) return;
    float *binds = importer->builder->scene->skins[importer->skin].inverse_binds;
    tn_mat4 mirrored = tn_mirror_mat4(offset);
    tn_mat4_to_columns(&mirrored, binds + 16 * (size_t)joint);
}

// Offsets that are matrices. The rig has split them, so they are read again.
static void bbmod_import_set_matrix_binds(const bbmod_importer *importer)
{
    const tenon_bbmod *doc = importer->doc;
    const bbmod_rig *rig = &importer->rig;
    for (uint32_t i = 0; i < importer->view.bones.count; i++) {
        const float *offset = importer->view.bones.items[i].v1_bone->offset;
        tn_mat4 matrix =
            doc->column_vectors ? tn_mat4_from_rows(offset) : tn_mat4_from_columns(offset);
        if (rig->joints[i].is_bone) bbmod_import_set_bind(importer, rig->joints[i].slot, &matrix);
    }
    for (uint64_t i = 0; i < doc->bones.count; i++) {
        float numbers[17];
        tn_copy_numbers(numbers, tn_span_record(&doc->bones, i), 17, 4, false);
        tn_mat4 matrix = tn_mat4_from_columns(numbers + 1);
        bbmod_import_set_bind(importer, bbmod_tree_slot(numbers[0], rig->joint_count), &matrix);
    }
}

// The joints of the skin are the bones that have a node and an offset, in the order of their slots.
static void bbmod_import_skin(bbmod_importer *importer)
{
    const bbmod_rig *rig = &importer->rig;
    uint32_t count = 0, *joint_of_slot;
    joint_of_slot = bbmod_import_scratch(importer, rig->joint_count, sizeof *joint_of_slot);
    if (!joint_of_slot) return;
    importer->joint_of_slot = joint_of_slot;
    for (uint32_t slot = 0; slot < rig->joint_count; slot++) {
        bool is_bone = rig->offsets[slot].is_there && rig->by_slot[slot] != TENON_NONE;
        joint_of_slot[slot] = is_bone && count < JOINTS_MOST ? count++ : TENON_NONE;
    }
    if (count == 0) {
        // Without bones, meshes with weights follow their nodes.
        for (uint32_t i = 0; i < importer->view.mesh_count; i++) {
            bool is_skinned = importer->mesh_plans[i].is_skinned;
            bbmod_import_tally_mesh(importer, &importer->tallies.without_bones, is_skinned, i);
            importer->mesh_plans[i].is_skinned = false;
        }
        return;
    }
    uint32_t skin = tn_add_skin(importer->builder, (tenon_str){"", 0}, count);
    if (importer->builder->failed) return;
    importer->skin = skin;
    for (uint32_t slot = 0; slot < rig->joint_count; slot++) {
        if (joint_of_slot[slot] == TENON_NONE) continue;
        importer->builder->scene->skins[skin].joints[joint_of_slot[slot]] = rig->by_slot[slot];
        if (!rig->is_rigid) continue;
        tn_mat4 offset = tn_dquat_to_mat4(rig->offsets[slot].rigid);
        bbmod_import_set_bind(importer, slot, &offset);
    }
    if (!rig->is_rigid) bbmod_import_set_matrix_binds(importer);
}

// -- Meshes of nodes

// The meshes of a node: stored indices, or consecutive indices.
typedef struct bbmod_mesh_refs {
    const tenon_span *stored;  // NULL: consecutive, from `first` on.
    uint32_t first;
    uint64_t count;
} bbmod_mesh_refs;

// The plan that a node refers to; NULL if the mesh does not exist or is not imported.
static bbmod_mesh_plan *bbmod_import_mesh_plan_at(const bbmod_importer *importer,
                                                  const bbmod_mesh_refs *refs, uint64_t i)
{
    uint32_t mesh = refs->stored ? tn_span_u32(refs->stored, i) : refs->first + (uint32_t)i;
    if (mesh >= importer->view.mesh_count || !importer->mesh_plans[mesh].is_shown) return NULL;
    return &importer->mesh_plans[mesh];
}

// A node of a scene has one mesh; further meshes get child nodes. *node may be TENON_NONE: then a
// node is added.
static void bbmod_import_attach_mesh(bbmod_importer *importer, tenon_str name, uint32_t *node,
                                     uint32_t mesh, bool is_skinned)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t target = *node;
    if (target == TENON_NONE || builder->scene->nodes[target].mesh != TENON_NONE)
        target = tn_add_node(builder, name, *node);
    if (builder->failed) return;
    if (*node == TENON_NONE) *node = target;
    builder->scene->nodes[target].mesh = mesh;
    if (is_skinned) builder->scene->nodes[target].skin = importer->skin;
}

// Meshes that only this node uses become one mesh; skinned ones become another.
static void bbmod_import_own_meshes(bbmod_importer *importer, tenon_str name, uint32_t *node,
                                    const bbmod_mesh_refs *refs, bool is_skinned)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = 0;
    for (uint64_t i = 0; i < refs->count; i++) {
        const bbmod_mesh_plan *plan = bbmod_import_mesh_plan_at(importer, refs, i);
        count += plan && plan->use_count == 1 && plan->is_skinned == is_skinned;
    }
    if (!count || builder->failed) return;
    uint32_t mesh = tn_add_mesh(builder, name, count);
    if (builder->failed) return;
    tenon_primitive *p = builder->scene->meshes[mesh].primitives;
    for (uint64_t i = 0; i < refs->count && !builder->failed; i++) {
        const bbmod_mesh_plan *plan = bbmod_import_mesh_plan_at(importer, refs, i);
        if (plan && plan->use_count == 1 && plan->is_skinned == is_skinned)
            bbmod_import_fill_primitive(importer, (uint32_t)(plan - importer->mesh_plans), p++);
    }
    if (!builder->failed) bbmod_import_attach_mesh(importer, name, node, mesh, is_skinned);
}

// Add the meshes of a node. `node` is an index into the nodes of the scene, or TENON_NONE. Returns
// whether a node was added.
static bool bbmod_import_node_meshes(bbmod_importer *importer, tenon_str name, uint32_t node,
                                     const bbmod_mesh_refs *refs)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t target = node;
    bbmod_import_own_meshes(importer, name, &target, refs, false);
    bbmod_import_own_meshes(importer, name, &target, refs, true);
    for (uint64_t i = 0; i < refs->count && !builder->failed; i++) {
        bbmod_mesh_plan *plan = bbmod_import_mesh_plan_at(importer, refs, i);
        if (!plan || plan->use_count < 2) continue;
        if (plan->shared == TENON_NONE) {
            plan->shared = tn_add_mesh(builder, name, 1);
            if (builder->failed) break;
            bbmod_import_fill_primitive(importer, (uint32_t)(plan - importer->mesh_plans),
                                        builder->scene->meshes[plan->shared].primitives);
        }
        if (!builder->failed)
            bbmod_import_attach_mesh(importer, name, &target, plan->shared, plan->is_skinned);
    }
    return target != node;
}

// -- Models

// Up to version 2 the engine ignores the node transform of a mesh without bones. The nodes of
// version 1 have no transform: if there is a skeleton, it contains them all, and only their meshes
// are imported.
static void bbmod_import_meshes(bbmod_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const bbmod_tree *tree = &importer->view.nodes;
    bool is_nested = bbmod_tree_has(importer->doc, TENON_BBMOD_NESTED);
    bool is_moved = is_nested ? importer->view.bones.count == 0
                              : importer->rig.is_rigid || importer->skin != TENON_NONE;
    tn_tally added = {0};
    for (uint32_t n = 0; is_nested && is_moved && n < tree->count && !builder->failed; n++)
        (void)tn_add_node(builder, tree->items[n].v1_node->name, tree->items[n].parent);
    bbmod_mesh_refs refs = {0};
    for (uint32_t n = 0; n < tree->count && !builder->failed; n++) {
        const tenon_bbmod_v1_node *v1 = tree->items[n].v1_node;
        const tenon_bbmod_node *node = tree->items[n].node;
        refs.stored = is_nested ? NULL : &node->meshes;
        refs.count = is_nested ? v1->mesh_count : node->meshes.count;
        if (bbmod_import_node_meshes(importer, is_nested ? v1->name : node->name,
                                     is_moved ? n : TENON_NONE, &refs))
            bbmod_import_tally_item(&added, tree, n);
        if (is_nested) refs.first += v1->mesh_count;
    }
    tn_tally_report(
        builder, &added, TENON_SYNTHESIZED, "nodes",
        is_nested
            ? "added for meshes, which version 1 does not attach to the skeleton"
            : "added for meshes without bones, which version 2 draws without a node transform");
}

static void bbmod_import_model(bbmod_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    tn_refusal why = TN_GRANTED;
    tn_srgb_levels(importer->linear_levels);
    if (!bbmod_tree_view_make(&importer->view, importer->doc, importer->scratch, &why) ||
        !bbmod_rig_make(&importer->rig, &importer->view, importer->scratch, &why)) {
        bbmod_import_refuse(importer, why);
        return;
    }
    bbmod_import_joints(importer);
    if (bbmod_import_select_meshes(importer)) bbmod_import_skin(importer);
    bbmod_import_materials(importer);
    if (builder->failed) return;
    if (bbmod_tree_is_v0_doc(importer->doc)) {
        bbmod_mesh_refs refs = {.count = importer->view.mesh_count};
        bool is_added =
            bbmod_import_node_meshes(importer, (tenon_str){"RootNode", 8}, TENON_NONE, &refs);
        tn_scene_report(builder, TENON_SYNTHESIZED, "nodes", is_added, "meshes[0]",
                        "version 0 does not store any");
    } else {
        bbmod_import_meshes(importer);
    }
    if (!builder->failed) bbmod_import_clips(importer);
    if (builder->failed) return;
    bbmod_import_report_meshes(importer);
    tn_scene_report(
        builder, TENON_SYNTHESIZED, "handedness", 1, NULL,
        "not stored in the file; assumed left-handed with the up axis as stored, and mirrored Z");
}

void bbmod_import(tn_scene_builder *builder, const void *doc)
{
    tn_arena scratch = tn_arena_make(&builder->opts->allocator, builder->arena->limit);
    bbmod_importer importer = {
        .builder = builder, .doc = doc, .scratch = &scratch, .skin = TENON_NONE};
    bbmod_import_model(&importer);
    tn_arena_free(&scratch);
}
