// bbmod_downgrade_old.c: downgrading a model to versions 0, 1 and 2.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"

#include <string.h>

static const float bbmod_identity_matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

// -- Version 2

static void bbmod_downgrade_old_matrix_nodes(tenon_bbmod_node *node)
{
    tn_mat4 m = tn_dquat_to_mat4(tn_dquat_normalise(bbmod_rig_dual_load(node->transform)));
    tn_mat4_to_columns(&m, node->transform);
    for (uint32_t i = 0; i < node->child_count; i++)
        bbmod_downgrade_old_matrix_nodes(&node->children[i]);
}

void bbmod_downgrade_to_v2(bbmod_converter *converter)
{
    tenon_bbmod *next = &converter->next;
    const tenon_span from = next->bones;
    memcpy(next->inverse_transform, bbmod_identity_matrix, sizeof bbmod_identity_matrix);
    bbmod_downgrade_old_matrix_nodes(&next->root);
    uint8_t *bytes = bbmod_dialects_converter_alloc(converter, from.count, 68, "bones");
    if (!bytes) return;
    next->bones = (tenon_span){.data = bytes,
                               .size = 68 * from.count,
                               .count = from.count,
                               .layout = &bbmod_matrix_bone_layout};
    for (uint64_t i = 0; i < from.count; i++) {
        float numbers[9], entry[17];
        tn_copy_numbers(numbers, tn_span_record(&from, i), 9, 4, false);
        tn_mat4 m = tn_dquat_to_mat4(tn_dquat_normalise(bbmod_rig_dual_load(numbers + 1)));
        entry[0] = numbers[0];
        tn_mat4_to_columns(&m, entry + 1);
        tn_copy_numbers(bytes + 68 * i, entry, 17, 4, false);
    }
}

// -- Version 1

static void bbmod_downgrade_old_store_matrix(const bbmod_converter *converter, tn_dquat q,
                                             float out[16])
{
    tn_mat4 m = tn_dquat_to_mat4(q);
    if (converter->next.column_vectors)
        tn_mat4_to_rows(&m, out);
    else
        tn_mat4_to_columns(&m, out);
}

// The skeleton contains all nodes. `item` counts them in the order of the rig.
static void bbmod_downgrade_old_copy_bone(bbmod_converter *converter, const bbmod_rig *rig,
                                          const tenon_bbmod_node *node, tenon_bbmod_v1_bone *bone,
                                          uint32_t *item)
{
    const bbmod_joint *joint = &rig->joints[(*item)++];
    bool has_offset = joint->slot != TENON_NONE && rig->offsets[joint->slot].is_there;
    *bone = (tenon_bbmod_v1_bone){.name = node->name,
                                  .index = has_offset ? (float)joint->slot : -1,
                                  .child_count = node->child_count};
    bbmod_downgrade_old_store_matrix(converter, joint->rest, bone->transform);
    bbmod_downgrade_old_store_matrix(
        converter, has_offset ? rig->offsets[joint->slot].rigid : tn_dquat_identity(),
        bone->offset);
    bone->children = bbmod_dialects_converter_alloc(converter, bone->child_count,
                                                    sizeof *bone->children, "bones");
    for (uint32_t i = 0; i < node->child_count && !converter->failed; i++)
        bbmod_downgrade_old_copy_bone(converter, rig, &node->children[i], &bone->children[i], item);
}

// Whether the bones have the first slots, as version 1 requires.
static bool bbmod_downgrade_old_bones_come_first(const bbmod_rig *rig)
{
    bool has_ended = false;
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        if (rig->offsets[i].is_there && has_ended) return false;
        if (!rig->offsets[i].is_there) has_ended = true;
    }
    return true;
}

static bool bbmod_downgrade_old_holds_mesh(const tenon_bbmod_node *node)
{
    if (node->meshes.count) return true;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (bbmod_downgrade_old_holds_mesh(&node->children[i])) return true;
    return false;
}

// A node with its meshes; of its children only those with meshes in their subtree.
static void bbmod_downgrade_old_copy_node(bbmod_converter *converter, const tenon_bbmod_node *node,
                                          tenon_bbmod_v1_node *to)
{
    const tenon_bbmod *next = &converter->next;
    uint64_t count = node->meshes.count;
    *to = (tenon_bbmod_v1_node){.name = node->name};
    to->meshes = bbmod_dialects_converter_alloc(converter, count, sizeof *to->meshes, "meshes");
    to->children =
        bbmod_dialects_converter_alloc(converter, node->child_count, sizeof *to->children, "nodes");
    if (converter->failed) return;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t mesh = tn_span_u32(&node->meshes, i);
        if (mesh < next->mesh_count) to->meshes[to->mesh_count++] = next->meshes[mesh];
    }
    for (uint32_t i = 0; i < node->child_count && !converter->failed; i++)
        if (bbmod_downgrade_old_holds_mesh(&node->children[i]))
            bbmod_downgrade_old_copy_node(converter, &node->children[i],
                                          &to->children[to->child_count++]);
}

void bbmod_downgrade_to_v1(bbmod_converter *converter, const bbmod_rig *rig)
{
    tenon_bbmod *next = &converter->next;
    uint32_t flags = converter->change->to->flags, item = 0;
    bool has_skeleton = next->bones.count && !(flags & TENON_BBMOD_NO_BONE_COUNT);
    next->column_vectors = !(flags & TENON_BBMOD_NAMES);
    memcpy(next->inverse_transform, bbmod_identity_matrix, sizeof bbmod_identity_matrix);
    next->v1_bone_count = 0;
    if (has_skeleton && !bbmod_downgrade_old_bones_come_first(rig)) {
        tn_error(converter->change->err, TENON_ERR_UNSUPPORTED,
                 "version 1 requires bones to be numbered from 0, before all other nodes");
        converter->failed = true;
        return;
    }
    bbmod_downgrade_old_copy_node(converter, &next->root, &next->v1_root);
    if (has_skeleton)
        bbmod_downgrade_old_copy_bone(converter, rig, &next->root, &next->v1_skeleton, &item);
    for (uint32_t i = 0; has_skeleton && i < rig->joint_count; i++)
        next->v1_bone_count += rig->offsets[i].is_there;
    if (!has_skeleton)
        tn_change_report(converter->change, TENON_DROPPED, "bones", next->bones.count,
                         "not supported by this dialect; meshes stay in the rest pose");
    if (!(flags & TENON_BBMOD_NAMES)) {
        tn_change_report(converter->change, TENON_DROPPED, "material names", next->material_count,
                         "this dialect stores only the number of materials");
        next->material_names = NULL;
    }
    // Version 1 stores these in nodes or not at all. Left in place, a later change would use them.
    next->bones = (tenon_span){0};
    next->mesh_count = 0;
    next->meshes = NULL;
}

// -- Version 0

// Version 0 always stores colors.
void bbmod_downgrade_to_v0(bbmod_converter *converter)
{
    tenon_bbmod *next = &converter->next;
    tenon_bbmod_vertex_format format = next->vertex_format;
    format.vertices = format.colors = 1;
    tn_refusal why;
    const tenon_layout *layout = bbmod_vertex_layout(&format, 0, converter->change->arena, &why);
    if (!layout) {
        converter->failed = !tn_arena_fail(converter->change->arena, why, "the changed vertices",
                                           converter->change->err);
        return;
    }
    uint64_t total = 0;
    for (uint32_t m = 0; m < next->mesh_count; m++) total += next->meshes[m].vertices.count;
    tenon_bbmod_mesh *whole = bbmod_dialects_converter_alloc(converter, 1, sizeof *whole, "meshes");
    uint8_t *bytes =
        bbmod_dialects_converter_alloc(converter, total, (size_t)layout->stride, "vertices");
    if (!whole || !bytes) return;
    *whole = (tenon_bbmod_mesh){
        .vertex_format = format,
        .primitive_type = TENON_BBMOD_TRIANGLES,
        .vertices = {
            .data = bytes, .size = total * layout->stride, .count = total, .layout = layout}};
    for (uint32_t m = 0; m < next->mesh_count && !converter->failed; m++) {
        tenon_bbmod_mesh *mesh = &next->meshes[m];
        bbmod_bake_reformat(converter, mesh, format, 0);
        if (converter->failed) return;
        if (mesh->vertices.size) memcpy(bytes, mesh->vertices.data, (size_t)mesh->vertices.size);
        bytes += mesh->vertices.size;
    }
    bbmod_bake_swap_colors(whole);
    tn_change_report(converter->change, TENON_DROPPED, "meshes",
                     next->mesh_count > 1 ? next->mesh_count - 1 : 0,
                     "merged, because version 0 stores one mesh");
    tn_change_report(converter->change, TENON_DROPPED, "nodes", next->node_count,
                     "not supported by version 0");
    tn_change_report(converter->change, TENON_DROPPED, "bones", next->bones.count,
                     "not supported by version 0; the mesh stays in the rest pose");
    tn_change_report(converter->change, TENON_DROPPED, "materials", next->material_count,
                     "not supported by version 0");
    next->vertex_format = format;
    next->meshes = whole;
    next->mesh_count = 1;
    next->material_count = 0;
}
