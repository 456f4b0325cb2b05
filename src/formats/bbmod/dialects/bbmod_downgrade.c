// bbmod_downgrade.c: downgrading a model from 3.4 to another dialect.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"
#include "core/text/number.h"

#include <string.h>

static const float bbmod_identity_matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

// -- Dialects of the format's document

static void bbmod_downgrade_to_document(bbmod_converter *converter, const bbmod_view *view,
                                        tenon_bbmod_node **nodes)
{
    uint32_t flags = converter->change->to->flags;
    uint64_t weights = 0, types = 0;
    for (uint32_t i = 0; (flags & TENON_BBMOD_TEXT_INDEX) && i < view->nodes.count; i++) {
        char *text = bbmod_alloc(converter, TN_NUMBER_MAX, 1, "nodes");
        if (!text) return;
        nodes[i]->index_text = (tenon_str){text, (uint32_t)tn_f32_text(nodes[i]->index, text)};
    }
    if (flags & TENON_BBMOD_BARE_OFFSETS) {
        // Remove the indices of offsets and sort them by bone. Readers assign them to the nodes
        // that are bones in ascending order; offsets that would get another bone are reported. Of
        // two entries of a bone the last counts.
        const tenon_span from = converter->next.bones;
        uint32_t slot_count = view->nodes.count;
        uint64_t count = 0, misplaced = 0;
        const tn_change *change = converter->change;
        uint32_t *slots = bbmod_entry_slots(view, change->arena, change->err);
        (void)bbmod_expect(converter, slots != NULL);
        const uint8_t **offsets = bbmod_alloc(converter, slot_count, sizeof *offsets, "bones");
        uint8_t *bytes = bbmod_alloc(converter, from.count, 32, "bones");
        if (!offsets || !bytes) return;
        for (uint64_t i = 0; i < from.count; i++)
            if (slots[i] != TENON_NONE) offsets[slots[i]] = tn_span_record(&from, i) + 4;
        for (uint32_t slot = 0; slot < slot_count; slot++) count += offsets[slot] != NULL;
        uint32_t *expected = bbmod_bare_slots(view, count, change->arena, change->err);
        if (!bbmod_expect(converter, expected != NULL)) return;
        converter->next.bones = bbmod_span(bytes, count, &bbmod_bare_bone_layout);
        for (uint32_t slot = 0, i = 0; slot < slot_count; slot++) {
            if (!offsets[slot]) continue;
            misplaced += expected[i] != slot;
            memcpy(bytes + 32 * (uint64_t)i++, offsets[slot], 32);
        }
        tn_change_report(converter->change, TENON_DROPPED, "offsets of bones", from.count - count,
                         "no node has this index, or another entry has it, too");
        tn_change_report(converter->change, TENON_DROPPED, "indices of offsets", misplaced,
                         "this dialect stores offsets in the order of the bones, without indices");
    }
    for (uint32_t m = 0; m < converter->next.mesh_count && !converter->failed; m++) {
        tenon_bbmod_mesh *mesh = &converter->next.meshes[m];
        bool is_weightless = mesh->vertex_format.bones && (flags & TENON_BBMOD_NO_WEIGHTS);
        if ((flags & TENON_BBMOD_BYTE_PRIMITIVE) && mesh->primitive_type > UINT8_MAX) {
            mesh->primitive_type = 0;
            types++;
        }
        if (!mesh->vertex_format.colors && !is_weightless) continue;
        if (is_weightless) weights += mesh->vertices.count;
        bbmod_reformat(converter, mesh, mesh->vertex_format, flags);
        if (!converter->failed) bbmod_swap_colors(mesh);
    }
    tn_change_report(converter->change, TENON_DROPPED, "bone weights", weights,
                     "this dialect does not store weights");
    tn_change_report(converter->change, TENON_DROPPED, "unknown primitive types", types,
                     "values above 255 do not fit in one byte");
}

// -- Meshes of several nodes

// Give each node its own copy of a mesh without bones, because the copies are transformed
// differently. Returns the node of each mesh, TENON_NONE if no node uses it.
static uint32_t *bbmod_downgrade_split_meshes(bbmod_converter *converter, tenon_bbmod_node **nodes,
                                              uint32_t node_count)
{
    tenon_bbmod *next = &converter->next;
    uint64_t references = 0, copy_count = 0;
    for (uint32_t n = 0; n < node_count; n++) references += nodes[n]->meshes.count;
    uint64_t room = next->mesh_count + references;
    if (room >= TENON_NONE) room = TENON_NONE - 1;
    tenon_bbmod_mesh *meshes = bbmod_alloc(converter, room, sizeof *meshes, "meshes");
    uint32_t *node_of_mesh = bbmod_alloc(converter, room, sizeof *node_of_mesh, "meshes");
    if (!meshes || !node_of_mesh) return NULL;
    memcpy(meshes, next->meshes, next->mesh_count * sizeof *meshes);
    next->meshes = meshes;
    for (uint64_t m = 0; m < room; m++) node_of_mesh[m] = TENON_NONE;
    for (uint32_t n = 0; n < node_count; n++) {
        tenon_bbmod_node *node = nodes[n];
        uint8_t *bytes = bbmod_alloc(converter, node->meshes.count, 4, "nodes");
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
    tn_change_report(converter->change, TENON_SYNTHESIZED, "meshes", copy_count,
                     "a mesh used by several nodes was copied for each node");
    return node_of_mesh;
}

// -- Vertex format

// The attributes that some mesh has and the dialect supports. Reports those that are dropped.
static tenon_bbmod_vertex_format bbmod_downgrade_merged_format(const bbmod_converter *converter,
                                                               bool is_posed)
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

// Bind a mesh of a node to a bone so that it stays where it is in the rest pose: to the node itself
// or its nearest ancestor with an offset; else to the first bone, if there is one. Returns whether
// the bone is not its own node.
static bool bbmod_downgrade_bind_mesh(tenon_bbmod_mesh *mesh, const bbmod_rig *rig, uint32_t item)
{
    uint32_t slot = TENON_NONE;
    for (uint32_t i = item; i != TENON_NONE && slot == TENON_NONE; i = rig->joints[i].parent)
        if (rig->joints[i].slot != TENON_NONE && rig->offsets[rig->joints[i].slot].is_there)
            slot = rig->joints[i].slot;
    for (uint32_t i = 0; i < rig->joint_count && slot == TENON_NONE; i++)
        if (rig->offsets[i].is_there) slot = i;
    if (slot == TENON_NONE) return false;
    uint32_t joint = rig->by_slot[slot];
    tn_dquat skinned = tn_dquat_mul(rig->joints[joint].world, rig->offsets[slot].rigid);
    tn_dquat place = tn_dquat_mul(tn_dquat_inverse(skinned), rig->joints[item].world);
    tn_mat4 m = tn_dquat_to_mat4(place);
    bbmod_move_vertices(mesh, 0, mesh->vertices.count, &m);
    bbmod_bind_vertices(mesh, slot);
    return joint != item;
}

// -- Merging

// Convert strips and fans to a list of triangles. False if the mesh has points or lines.
static bool bbmod_to_triangles(bbmod_converter *converter, tenon_bbmod_mesh *mesh)
{
    const tenon_span *from = &mesh->vertices;
    if (mesh->primitive_type == TENON_BBMOD_TRIANGLES) return true;
    if (mesh->primitive_type != TENON_BBMOD_TRIANGLE_STRIP &&
        mesh->primitive_type != TENON_BBMOD_TRIANGLE_FAN)
        return false;
    uint64_t count = bbmod_triangle_count(mesh), stride = from->layout->stride;
    uint8_t *bytes = bbmod_alloc(converter, 3 * count, (size_t)stride, "vertices");
    if (!bytes) return false;
    for (uint64_t t = 0; t < count; t++) {
        uint64_t corners[3];
        bbmod_triangle_corners(mesh, t, corners);
        for (uint64_t k = 0; k < 3; k++)
            memcpy(bytes + (3 * t + k) * stride, tn_span_record(from, corners[k]), (size_t)stride);
    }
    mesh->primitive_type = TENON_BBMOD_TRIANGLES;
    mesh->vertices = bbmod_span(bytes, 3 * count, from->layout);
    return true;
}

static void bbmod_downgrade_empty_mesh(tenon_bbmod_mesh *mesh)
{
    mesh->vertices.count = mesh->vertices.size = 0;
    mesh->primitive_type = TENON_BBMOD_TRIANGLES;
}

// Convert the meshes of `next`, whose nodes and rig are given, to triangle lists with one vertex
// format. If some have bones, those without are bound to one.
static void bbmod_downgrade_merge_formats(bbmod_converter *converter, tenon_bbmod_node **nodes,
                                          const bbmod_rig *rig)
{
    const tn_change *change = converter->change;
    tenon_bbmod *next = &converter->next;
    uint32_t flags = change->to->flags;
    bool is_v0 = !(flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER));
    // Meshes without bones are moved to the space of the model.
    bool is_flat = is_v0 || (flags & TENON_BBMOD_MATRICES);
    // Meshes lose their bones and stay in the rest pose.
    bool is_posed = is_v0 || (flags & TENON_BBMOD_NO_BONE_COUNT);
    // Meshes that no node uses become empty.
    bool drops_unused = is_v0 || (flags & TENON_BBMOD_NESTED);
    uint64_t reformatted = 0, points = 0, bound = 0, unused = 0, bare = 0;
    uint32_t *node_of_mesh = bbmod_downgrade_split_meshes(converter, nodes, rig->joint_count);
    if (!node_of_mesh) return;
    next->vertex_format = bbmod_downgrade_merged_format(converter, is_posed);
    const tenon_bbmod_vertex_format format = next->vertex_format;
    for (uint32_t m = 0; m < next->mesh_count && !converter->failed; m++) {
        tenon_bbmod_mesh *mesh = &next->meshes[m];
        uint32_t item = node_of_mesh[m];
        bool is_skinned = mesh->vertex_format.bones != 0;
        bool moves = !is_skinned && item != TENON_NONE && (is_flat || format.bones);
        bare += mesh->bare_vertex_count;
        mesh->bare_vertex_count = 0;
        if (drops_unused && item == TENON_NONE) {
            unused += mesh->vertices.count > 0;
            bbmod_downgrade_empty_mesh(mesh);
        }
        if (!bbmod_to_triangles(converter, mesh)) {
            points += mesh->vertices.count;
            bbmod_downgrade_empty_mesh(mesh);
        }
        bool is_other = memcmp(&mesh->vertex_format, &format, sizeof format) != 0;
        reformatted += is_other;
        // Posing needs bones, which the new format may not have.
        if (is_skinned && is_posed) bbmod_reformat(converter, mesh, mesh->vertex_format, 0);
        if (is_skinned && is_posed && !converter->failed) bbmod_pose_vertices(mesh, rig);
        if (moves || is_other) bbmod_reformat(converter, mesh, format, flags);
        if (!moves || converter->failed) continue;
        if (format.bones) {
            bound += bbmod_downgrade_bind_mesh(mesh, rig, item);
        } else {
            tn_mat4 world = tn_dquat_to_mat4(rig->joints[item].world);
            bbmod_move_vertices(mesh, 0, mesh->vertices.count, &world);
        }
        bbmod_set_bounds(mesh);
    }
    tn_change_report(change, TENON_DROPPED, "vertices", bare,
                     "vertices without attributes cannot be stored");
    tn_change_report(change, TENON_APPROXIMATED, "vertex formats", reformatted,
                     "below version 3.2 all meshes share one format; missing attributes were "
                     "filled with defaults");
    tn_change_report(change, TENON_DROPPED, "points and lines", points,
                     "below version 3.2 only triangles are supported");
    tn_change_report(change, TENON_APPROXIMATED, "meshes without bones", bound,
                     "bound to a nearby bone, because all meshes need bones in this version");
    tn_change_report(change, TENON_DROPPED, "meshes that no node refers to", unused,
                     "this version stores meshes inside nodes");
}

// -- Version 2

static void bbmod_downgrade_to_v2(bbmod_converter *converter, tenon_bbmod_node **nodes,
                                  uint32_t node_count)
{
    tenon_bbmod *next = &converter->next;
    const tenon_span from = next->bones;
    memcpy(next->inverse_transform, bbmod_identity_matrix, sizeof bbmod_identity_matrix);
    for (uint32_t i = 0; i < node_count; i++) {
        float *numbers = nodes[i]->transform;
        tn_mat4 m = tn_dquat_to_mat4(tn_dquat_normalise(bbmod_rig_dual_load(numbers)));
        tn_mat4_to_columns(&m, numbers);
    }
    uint8_t *bytes = bbmod_alloc(converter, from.count, 68, "bones");
    if (!bytes) return;
    next->bones = bbmod_span(bytes, from.count, &bbmod_matrix_bone_layout);
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

static void bbmod_downgrade_store_matrix(const bbmod_converter *converter, tn_dquat q,
                                         float out[16])
{
    tn_mat4 m = tn_dquat_to_mat4(q);
    if (converter->next.column_vectors)
        tn_mat4_to_rows(&m, out);
    else
        tn_mat4_to_columns(&m, out);
}

static void bbmod_downgrade_to_v1(bbmod_converter *converter, tenon_bbmod_node **nodes,
                                  const bbmod_rig *rig)
{
    tenon_bbmod *next = &converter->next;
    uint32_t flags = converter->change->to->flags;
    bool has_skeleton = next->bones.count && !(flags & TENON_BBMOD_NO_BONE_COUNT);
    next->column_vectors = !(flags & TENON_BBMOD_NAMES);
    memcpy(next->inverse_transform, bbmod_identity_matrix, sizeof bbmod_identity_matrix);
    uint32_t bone_count = 0, end = 0;
    for (uint32_t i = 0; has_skeleton && i < rig->joint_count; i++) {
        if (!rig->offsets[i].is_there) continue;
        bone_count++;
        end = i + 1;
    }
    if (bone_count != end) {
        tn_error(converter->change->err, TENON_ERR_UNSUPPORTED,
                 "version 1 requires bones to be numbered from 0, before all other nodes");
        converter->failed = true;
        return;
    }
    next->v1_bone_count = bone_count;
    // The root and the nodes with meshes in their subtree; and, if wanted, the skeleton, which
    // contains all nodes. The rig has the order of `nodes`.
    uint32_t count = rig->joint_count;
    bool *holds_mesh = bbmod_alloc(converter, count, sizeof *holds_mesh, "nodes");
    tenon_bbmod_v1_node **held = bbmod_alloc(converter, count, sizeof *held, "nodes");
    tenon_bbmod_v1_bone **bones = bbmod_alloc(converter, count, sizeof *bones, "bones");
    for (uint32_t i = count; i-- > 0 && !converter->failed;) {
        if (nodes[i]->meshes.count) holds_mesh[i] = true;
        if (holds_mesh[i] && i) holds_mesh[rig->joints[i].parent] = true;
    }
    for (uint32_t i = 0; i < count && !converter->failed; i++) {
        if (i && !holds_mesh[i]) continue;
        const tenon_span *meshes = &nodes[i]->meshes;
        tenon_bbmod_v1_node *above = i ? held[rig->joints[i].parent] : NULL;
        tenon_bbmod_v1_node *node = i ? &above->children[above->child_count++] : &next->v1_root;
        held[i] = node;
        *node = (tenon_bbmod_v1_node){.name = nodes[i]->name};
        node->meshes = bbmod_alloc(converter, meshes->count, sizeof *node->meshes, "meshes");
        node->children =
            bbmod_alloc(converter, nodes[i]->child_count, sizeof *node->children, "nodes");
        for (uint64_t k = 0; k < meshes->count && !converter->failed; k++) {
            uint32_t mesh = tn_span_u32(meshes, k);
            if (mesh < next->mesh_count) node->meshes[node->mesh_count++] = next->meshes[mesh];
        }
    }
    for (uint32_t i = 0; has_skeleton && i < count && !converter->failed; i++) {
        const bbmod_joint *joint = &rig->joints[i];
        bool has_offset = joint->slot != TENON_NONE && rig->offsets[joint->slot].is_there;
        tenon_bbmod_v1_bone *above = i ? bones[joint->parent] : NULL;
        tenon_bbmod_v1_bone *bone = i ? &above->children[above->child_count++] : &next->v1_skeleton;
        bones[i] = bone;
        *bone = (tenon_bbmod_v1_bone){.name = nodes[i]->name,
                                      .index = has_offset ? (float)joint->slot : -1};
        bbmod_downgrade_store_matrix(converter, joint->rest, bone->transform);
        bbmod_downgrade_store_matrix(
            converter, has_offset ? rig->offsets[joint->slot].rigid : tn_dquat_identity(),
            bone->offset);
        bone->children =
            bbmod_alloc(converter, nodes[i]->child_count, sizeof *bone->children, "bones");
    }
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
static void bbmod_downgrade_to_v0(bbmod_converter *converter)
{
    tenon_bbmod *next = &converter->next;
    tenon_bbmod_vertex_format format = next->vertex_format;
    format.vertices = format.colors = 1;
    const tenon_layout *layout = bbmod_bake_layout(converter, &format, 0);
    if (!layout) return;
    uint64_t total = 0;
    for (uint32_t m = 0; m < next->mesh_count; m++) total += next->meshes[m].vertices.count;
    tenon_bbmod_mesh *whole = bbmod_alloc(converter, 1, sizeof *whole, "meshes");
    uint8_t *bytes = bbmod_alloc(converter, total, (size_t)layout->stride, "vertices");
    if (!whole || !bytes) return;
    *whole = (tenon_bbmod_mesh){.vertex_format = format,
                                .primitive_type = TENON_BBMOD_TRIANGLES,
                                .vertices = bbmod_span(bytes, total, layout)};
    for (uint32_t m = 0; m < next->mesh_count && !converter->failed; m++) {
        tenon_bbmod_mesh *mesh = &next->meshes[m];
        bbmod_reformat(converter, mesh, format, 0);
        if (converter->failed) return;
        if (mesh->vertices.size) memcpy(bytes, mesh->vertices.data, (size_t)mesh->vertices.size);
        bytes += mesh->vertices.size;
    }
    bbmod_swap_colors(whole);
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

// -- Models

void bbmod_downgrade(bbmod_converter *converter)
{
    tenon_bbmod *next = &converter->next;
    const tn_change *change = converter->change;
    uint32_t flags = change->to->flags;
    if ((flags & TENON_BBMOD_MESH_FORMATS) && !(flags & TENON_BBMOD_DOCUMENT)) {
        uint64_t dropped = 0;
        for (uint32_t m = 0; m < next->mesh_count && !converter->failed; m++) {
            tenon_bbmod_vertex_format format = next->meshes[m].vertex_format;
            if (!format.texture_coords2 || (flags & TENON_BBMOD_UV2)) continue;
            format.texture_coords2 = 0;
            bbmod_reformat(converter, &next->meshes[m], format, flags);
            dropped++;
        }
        tn_change_report(change, TENON_DROPPED, "second texture coordinates", dropped,
                         "only version 3.3 and later have a second set");
        return;
    }
    // Copy all nodes, because the document must not change before everything has succeeded.
    bbmod_view view;
    bbmod_rig rig;
    const tenon_bbmod before = *next;
    if (!bbmod_expect(converter, bbmod_view_make(&view, &before, change->arena, change->err)))
        return;
    tenon_bbmod_node **nodes = bbmod_upgrade_copy_tree(converter, &view.nodes);
    if (!nodes) return;
    next->node_count = before.node_count;  // As stored, even if it is wrong.
    if (flags & TENON_BBMOD_DOCUMENT) {
        bbmod_downgrade_to_document(converter, &view, nodes);
        return;
    }
    if (!bbmod_expect(converter, bbmod_rig_make(&rig, &view, change->arena, change->err))) return;
    bbmod_downgrade_merge_formats(converter, nodes, &rig);
    if (converter->failed) return;
    if (!(flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER)))
        bbmod_downgrade_to_v0(converter);
    else if (flags & TENON_BBMOD_NESTED)
        bbmod_downgrade_to_v1(converter, nodes, &rig);
    else if (flags & TENON_BBMOD_MATRICES)
        bbmod_downgrade_to_v2(converter, nodes, rig.joint_count);
}
