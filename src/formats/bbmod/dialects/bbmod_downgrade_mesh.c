// bbmod_downgrade_mesh.c: meshes for versions with one vertex format for all.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"

#include <string.h>

// -- Meshes of several nodes

// Give each node its own copy of a mesh without bones, because the copies are transformed
// differently. Returns the node of each mesh, TENON_NONE if no node uses it. bbmod_downgrade() has
// copied the nodes of `next`.
static uint32_t *bbmod_downgrade_mesh_split_meshes(bbmod_converter *converter,
                                                   const bbmod_view *view)
{
    tenon_bbmod *next = &converter->next;
    uint64_t references = 0, copy_count = 0;
    for (uint32_t n = 0; n < view->nodes.count; n++)
        references += view->nodes.items[n].node->meshes.count;
    uint64_t room = next->mesh_count + references;
    if (room >= TENON_NONE) room = TENON_NONE - 1;
    tenon_bbmod_mesh *meshes =
        bbmod_dialects_converter_alloc(converter, room, sizeof *meshes, "meshes");
    uint32_t *node_of_mesh =
        bbmod_dialects_converter_alloc(converter, room, sizeof *node_of_mesh, "meshes");
    if (!meshes || !node_of_mesh) return NULL;
    memcpy(meshes, next->meshes, next->mesh_count * sizeof *meshes);
    next->meshes = meshes;
    for (uint64_t m = 0; m < room; m++) node_of_mesh[m] = TENON_NONE;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        tenon_bbmod_node *node = (tenon_bbmod_node *)view->nodes.items[n].node;
        uint8_t *bytes = bbmod_dialects_converter_alloc(converter, node->meshes.count, 4, "nodes");
        if (!bytes) return NULL;
        for (uint64_t i = 0; i < node->meshes.count; i++) {
            uint32_t mesh = tn_span_u32(&node->meshes, i);
            bool is_known = mesh < next->mesh_count;
            if (is_known && node_of_mesh[mesh] == TENON_NONE) node_of_mesh[mesh] = n;
            if (is_known && node_of_mesh[mesh] != n && !meshes[mesh].vertex_format.bones &&
                next->mesh_count < room) {
                meshes[next->mesh_count] = meshes[mesh];
                mesh = next->mesh_count++;
                node_of_mesh[mesh] = n;
                copy_count++;
            }
            tn_copy_numbers(bytes + 4 * i, &mesh, 1, 4, false);
        }
        node->meshes.data = bytes;
    }
    tn_change_report(converter->change, TENON_MADE_UP, "meshes", copy_count,
                     "a mesh used by several nodes was copied for each node");
    return node_of_mesh;
}

// -- Vertex format

// The attributes that some mesh has and the dialect supports. Reports those that are dropped.
static tenon_bbmod_vertex_format bbmod_downgrade_mesh_merged_format(
    const bbmod_converter *converter, bool is_posed)
{
    tenon_bbmod_vertex_format all = {0};
    uint32_t flags = converter->change->to->flags;
    uint64_t uv2 = 0, ids = 0;
    for (uint32_t i = 0; i < converter->next.mesh_count; i++) {
        const tenon_bbmod_vertex_format *f = &converter->next.meshes[i].vertex_format;
        if (converter->next.meshes[i].vertices.count == 0) continue;
        all.vertices |= f->vertices != 0;
        all.normals |= f->normals != 0;
        all.texture_coords |= f->texture_coords != 0;
        all.texture_coords2 |= f->texture_coords2 != 0;
        all.colors |= f->colors != 0;
        all.tangent_w |= f->tangent_w != 0;
        all.bones |= f->bones != 0;
        all.ids |= f->ids != 0;
        uv2 += f->texture_coords2 != 0;
        ids += f->ids != 0;
    }
    if (!(flags & TENON_BBMOD_UV2)) {
        all.texture_coords2 = 0;
        tn_change_report(converter->change, TENON_DROPPED, "second texture coordinates", uv2,
                         "only version 3.3 and later have a second set");
    }
    if (!(flags & TENON_BBMOD_IDS)) {
        all.ids = 0;
        tn_change_report(converter->change, TENON_DROPPED, "instance ids", ids,
                         "only version 2 and later have instance ids");
    }
    if (!(flags & TENON_BBMOD_BONES) || is_posed) all.bones = 0;
    return all;
}

// -- Binding to bones

// The bone for a mesh of a node: the node itself or its nearest ancestor with an offset; else the
// first bone. TENON_NONE if there are no bones.
static uint32_t bbmod_downgrade_mesh_bone_for(const bbmod_rig *rig, uint32_t item)
{
    for (uint32_t i = item; i != TENON_NONE; i = rig->joints[i].parent) {
        uint32_t slot = rig->joints[i].slot;
        if (slot != TENON_NONE && rig->offsets[slot].is_there) return slot;
    }
    for (uint32_t slot = 0; slot < rig->joint_count; slot++)
        if (rig->offsets[slot].is_there) return slot;
    return TENON_NONE;
}

// Bind a mesh to a bone so that it stays where it is in the rest pose. Returns whether the bone is
// not its own node.
static bool bbmod_downgrade_bind_mesh(tenon_bbmod_mesh *mesh, const bbmod_rig *rig, uint32_t item)
{
    uint32_t slot = bbmod_downgrade_mesh_bone_for(rig, item);
    if (slot == TENON_NONE) return false;
    uint32_t joint = rig->by_slot[slot];
    tn_dquat skinned = tn_dquat_mul(rig->joints[joint].world, rig->offsets[slot].rigid);
    tn_dquat place = tn_dquat_mul(tn_dquat_inverse(skinned), rig->joints[item].world);
    tn_mat4 m = tn_dquat_to_mat4(place);
    bbmod_bake_move_vertices(mesh, &m);
    bbmod_bake_bind_vertices(mesh, slot);
    return joint != item;
}

// -- Merging

// What is lost, to be reported after all meshes.
typedef struct bbmod_merge_losses {
    uint64_t reformatted, points, bound, unused, bare;
} bbmod_merge_losses;

static void bbmod_downgrade_mesh_empty(tenon_bbmod_mesh *mesh)
{
    mesh->vertices.count = mesh->vertices.size = 0;
    mesh->primitive_type = TENON_BBMOD_TRIANGLES;
}

// `item` is the node of the mesh; TENON_NONE if no node uses it.
static void bbmod_downgrade_merge_mesh(bbmod_converter *converter, const bbmod_rig *rig,
                                       bbmod_merge_opts opts, tenon_bbmod_mesh *mesh, uint32_t item,
                                       bbmod_merge_losses *losses)
{
    const tenon_bbmod_vertex_format format = converter->next.vertex_format;
    bool was_skinned = mesh->vertex_format.bones != 0;
    bool is_posed = was_skinned && opts.is_posed;
    bool moves = !was_skinned && item != TENON_NONE && (opts.is_flat || format.bones);
    losses->bare += mesh->bare_vertex_count;
    mesh->bare_vertex_count = 0;
    if (opts.drops_unused && item == TENON_NONE) {
        losses->unused += mesh->vertices.count > 0;
        bbmod_downgrade_mesh_empty(mesh);
    }
    if (!bbmod_bake_to_triangles(converter, mesh)) {
        losses->points += mesh->vertices.count;
        bbmod_downgrade_mesh_empty(mesh);
    }
    bool is_other = memcmp(&mesh->vertex_format, &format, sizeof format) != 0;
    losses->reformatted += is_other;
    // Posing needs bones, which the new format may not have.
    if (is_posed) bbmod_bake_reformat(converter, mesh, mesh->vertex_format, 0);
    if (is_posed && !converter->failed) bbmod_bake_pose_vertices(mesh, rig);
    if (moves || is_other)
        bbmod_bake_reformat(converter, mesh, format, converter->change->to->flags);
    if (!moves || converter->failed) return;
    if (format.bones) {
        losses->bound += bbmod_downgrade_bind_mesh(mesh, rig, item);
    } else {
        tn_mat4 world = tn_dquat_to_mat4(rig->joints[item].world);
        bbmod_bake_move_vertices(mesh, &world);
    }
    bbmod_bake_set_bounds(mesh);
}

void bbmod_downgrade_merge_formats(bbmod_converter *converter, const bbmod_rig *rig,
                                   bbmod_merge_opts opts)
{
    const tn_change *change = converter->change;
    tenon_bbmod *next = &converter->next;
    bbmod_merge_losses losses = {0};
    bbmod_view view;
    if (!bbmod_dialects_converter_view(converter, next, &view)) return;
    uint32_t *node_of_mesh = bbmod_downgrade_mesh_split_meshes(converter, &view);
    if (!node_of_mesh) return;
    next->vertex_format = bbmod_downgrade_mesh_merged_format(converter, opts.is_posed);
    for (uint32_t m = 0; m < next->mesh_count && !converter->failed; m++)
        bbmod_downgrade_merge_mesh(converter, rig, opts, &next->meshes[m], node_of_mesh[m],
                                   &losses);
    tn_change_report(change, TENON_DROPPED, "vertices", losses.bare,
                     "vertices without attributes cannot be stored");
    tn_change_report(change, TENON_APPROXIMATED, "vertex formats", losses.reformatted,
                     "below version 3.2 all meshes share one format; missing attributes were "
                     "filled with defaults");
    tn_change_report(change, TENON_DROPPED, "points and lines", losses.points,
                     "below version 3.2 only triangles are supported");
    tn_change_report(change, TENON_APPROXIMATED, "meshes without bones", losses.bound,
                     "bound to a nearby bone, because all meshes need bones in this version");
    tn_change_report(change, TENON_DROPPED, "meshes that no node refers to", losses.unused,
                     "this version stores meshes inside nodes");
}
