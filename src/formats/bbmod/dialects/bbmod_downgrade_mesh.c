// bbmod_downgrade_mesh.c: meshes for versions with one vertex format for all.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"

#include <string.h>

// -- Meshes of several nodes

static bool bbmod_is_skinned(const tenon_bbmod_mesh *mesh)
{
    return mesh->vertex_format.bones != 0;
}

// Each node gets its own copy of a mesh without bones, because the copies are transformed
// differently. `node_of_mesh` is the node of each mesh, TENON_NONE if no node uses it.
typedef struct bbmod_mesh_splitter {
    bbmod_converter *converter;
    uint32_t *node_of_mesh;
    uint32_t room;
    uint64_t copy_count;
} bbmod_mesh_splitter;

static uint32_t bbmod_split_reference(bbmod_mesh_splitter *splitter, uint32_t mesh, uint32_t item)
{
    tenon_bbmod *next = &splitter->converter->next;
    if (mesh >= next->mesh_count) return mesh;
    if (splitter->node_of_mesh[mesh] == TENON_NONE) splitter->node_of_mesh[mesh] = item;
    if (splitter->node_of_mesh[mesh] == item || bbmod_is_skinned(&next->meshes[mesh])) return mesh;
    if (next->mesh_count == splitter->room) return mesh;
    next->meshes[next->mesh_count] = next->meshes[mesh];
    splitter->node_of_mesh[next->mesh_count] = item;
    splitter->copy_count++;
    return next->mesh_count++;
}

static void bbmod_split_node(bbmod_mesh_splitter *splitter, tenon_bbmod_node *node, uint32_t item)
{
    uint64_t count = node->meshes.count;
    uint8_t *bytes = bbmod_converter_alloc(splitter->converter, count, 4, "nodes");
    if (!bytes) return;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t mesh = bbmod_split_reference(splitter, tn_span_u32(&node->meshes, i), item);
        tn_copy_numbers(bytes + 4 * i, &mesh, 1, 4, false);
    }
    node->meshes.data = bytes;
}

// bbmod_downgrade() has copied the nodes of `next`.
static uint32_t *bbmod_split_meshes(bbmod_converter *converter, const bbmod_view *view)
{
    tenon_bbmod *next = &converter->next;
    uint64_t references = 0;
    for (uint32_t n = 0; n < view->nodes.count; n++)
        references += view->nodes.items[n].node->meshes.count;
    uint64_t room = next->mesh_count + references;
    if (room >= TENON_NONE) room = TENON_NONE - 1;
    bbmod_mesh_splitter splitter = {.converter = converter, .room = (uint32_t)room};
    tenon_bbmod_mesh *meshes = bbmod_converter_alloc(converter, room, sizeof *meshes, "meshes");
    splitter.node_of_mesh =
        bbmod_converter_alloc(converter, room, sizeof *splitter.node_of_mesh, "meshes");
    if (!meshes || !splitter.node_of_mesh) return NULL;
    memcpy(meshes, next->meshes, next->mesh_count * sizeof *meshes);
    next->meshes = meshes;
    for (uint64_t m = 0; m < room; m++) splitter.node_of_mesh[m] = TENON_NONE;
    for (uint32_t n = 0; n < view->nodes.count && !converter->failed; n++)
        bbmod_split_node(&splitter, (tenon_bbmod_node *)view->nodes.items[n].node, n);
    tn_change_report(converter->change, TENON_MADE_UP, "meshes", splitter.copy_count,
                     "a mesh used by several nodes was copied for each node");
    return converter->failed ? NULL : splitter.node_of_mesh;
}

// -- One format

static bool bbmod_knows(const tn_change *change, uint32_t flag)
{
    return (change->to->flags & flag) != 0;
}

// The attributes that some mesh has and the dialect supports.
static tenon_bbmod_vertex_format bbmod_union(const bbmod_converter *converter, bool is_posed)
{
    tenon_bbmod_vertex_format all = {0};
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
    }
    if (!bbmod_knows(converter->change, TENON_BBMOD_UV2)) all.texture_coords2 = 0;
    if (!bbmod_knows(converter->change, TENON_BBMOD_IDS)) all.ids = 0;
    if (!bbmod_knows(converter->change, TENON_BBMOD_BONES) || is_posed) all.bones = 0;
    return all;
}

static void bbmod_report_attributes(const bbmod_converter *converter)
{
    uint64_t uv2 = 0, ids = 0;
    for (uint32_t i = 0; i < converter->next.mesh_count; i++) {
        const tenon_bbmod_mesh *mesh = &converter->next.meshes[i];
        uv2 += mesh->vertex_format.texture_coords2 && mesh->vertices.count;
        ids += mesh->vertex_format.ids && mesh->vertices.count;
    }
    if (!bbmod_knows(converter->change, TENON_BBMOD_UV2))
        tn_change_report(converter->change, TENON_DROPPED, "second texture coordinates", uv2,
                         "only version 3.3 and later have a second set");
    if (!bbmod_knows(converter->change, TENON_BBMOD_IDS))
        tn_change_report(converter->change, TENON_DROPPED, "instance ids", ids,
                         "only version 2 and later have instance ids");
}

// -- Binding to bones

// The bone for a mesh of a node: the node itself or its nearest ancestor with an offset; else the
// first bone. TENON_NONE if there are no bones.
static uint32_t bbmod_carrier(const bbmod_rig *rig, uint32_t item)
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
static bool bbmod_bind_mesh(tenon_bbmod_mesh *mesh, const bbmod_rig *rig, uint32_t item)
{
    uint32_t slot = bbmod_carrier(rig, item);
    if (slot == TENON_NONE) return false;
    uint32_t joint = rig->by_slot[slot];
    tn_dquat carried = tn_dquat_mul(rig->joints[joint].world, rig->offsets[slot].rigid);
    tn_dquat place = tn_dquat_mul(tn_dquat_inverse(carried), rig->joints[item].world);
    tn_mat4 m = tn_dquat_to_mat4(place);
    bbmod_move_vertices(mesh, &m);
    bbmod_bind_vertices(mesh, slot);
    return joint != item;
}

static bool bbmod_same_format(const tenon_bbmod_vertex_format *a,
                              const tenon_bbmod_vertex_format *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

// State of merging, with counts for the report.
typedef struct bbmod_merger {
    bbmod_converter *converter;
    const bbmod_rig *rig;
    bbmod_merge_opts opts;
    tenon_bbmod_vertex_format format;
    uint64_t reformatted, points, bound, unused, bare;
} bbmod_merger;

static void bbmod_empty(tenon_bbmod_mesh *mesh)
{
    mesh->vertices.count = mesh->vertices.size = 0;
    mesh->primitive_type = TENON_BBMOD_TRIANGLES;
}

// Bind a mesh without bones to a bone, or move it to the space of the model.
static void bbmod_move_mesh(bbmod_merger *merger, tenon_bbmod_mesh *mesh, uint32_t item)
{
    if (merger->format.bones) {
        merger->bound += bbmod_bind_mesh(mesh, merger->rig, item);
    } else {
        tn_mat4 place = tn_dquat_to_mat4(merger->rig->joints[item].world);
        bbmod_move_vertices(mesh, &place);
    }
    bbmod_set_bounds(mesh);
}

static void bbmod_merge_mesh(bbmod_merger *merger, tenon_bbmod_mesh *mesh, uint32_t item)
{
    bbmod_converter *converter = merger->converter;
    bool was_skinned = bbmod_is_skinned(mesh);
    bool is_posed = was_skinned && merger->opts.is_posed;
    bool moves =
        !was_skinned && item != TENON_NONE && (merger->opts.is_flat || merger->format.bones);
    merger->bare += mesh->bare_vertex_count;
    mesh->bare_vertex_count = 0;
    if (merger->opts.drops_unused && item == TENON_NONE) {
        merger->unused += mesh->vertices.count > 0;
        bbmod_empty(mesh);
    }
    if (!bbmod_to_triangles(converter, mesh)) {
        merger->points += mesh->vertices.count;
        bbmod_empty(mesh);
    }
    bool is_other = !bbmod_same_format(&mesh->vertex_format, &merger->format);
    merger->reformatted += is_other;
    // Posing needs bones, which the new format may not have.
    if (is_posed) bbmod_reformat(converter, mesh, mesh->vertex_format, 0);
    if (is_posed && !converter->failed) bbmod_pose_vertices(mesh, merger->rig);
    if (moves || is_other)
        bbmod_reformat(converter, mesh, merger->format, converter->change->to->flags);
    if (moves && !converter->failed) bbmod_move_mesh(merger, mesh, item);
}

static void bbmod_report_merged(const bbmod_merger *merger)
{
    const tn_change *change = merger->converter->change;
    tn_change_report(change, TENON_DROPPED, "vertices", merger->bare,
                     "vertices without attributes cannot be stored");
    tn_change_report(change, TENON_APPROXIMATED, "vertex formats", merger->reformatted,
                     "below version 3.2 all meshes share one format; missing attributes were "
                     "filled with defaults");
    tn_change_report(change, TENON_DROPPED, "points and lines", merger->points,
                     "below version 3.2 only triangles are supported");
    tn_change_report(change, TENON_APPROXIMATED, "meshes without bones", merger->bound,
                     "bound to a nearby bone, because all meshes need bones in this version");
    tn_change_report(change, TENON_DROPPED, "meshes that no node refers to", merger->unused,
                     "this version stores meshes inside nodes");
}

void bbmod_merge_formats(bbmod_converter *converter, const bbmod_rig *rig, bbmod_merge_opts opts)
{
    tenon_bbmod *next = &converter->next;
    bbmod_view view;
    if (!bbmod_converter_view(converter, next, &view)) return;
    uint32_t *node_of_mesh = bbmod_split_meshes(converter, &view);
    if (!node_of_mesh) return;
    bbmod_report_attributes(converter);
    next->vertex_format = bbmod_union(converter, opts.is_posed);
    bbmod_merger merger = {
        .converter = converter, .rig = rig, .opts = opts, .format = next->vertex_format};
    for (uint32_t m = 0; m < next->mesh_count && !converter->failed; m++)
        bbmod_merge_mesh(&merger, &next->meshes[m], node_of_mesh[m]);
    bbmod_report_merged(&merger);
}
