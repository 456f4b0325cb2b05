// bmw_import_nodes.c: nodes of BMW as joints, all below one node, and as a tree.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"
#include "formats/bmw/sidecar/bmw_sidecar.h"

#include "core/cursor/span.h"

#include <stdio.h>
#include <string.h>

#define SKIN_MOST 65535u  // Joints with weights; one more is for the static joint.
#define LEVELS    256     // Reading fails with more.

// -- Nodes of the file

bmw_file_node *bmw_import_find_file_node(const bmw_importer *importer, uint32_t node_id)
{
    uint32_t at = bmw_names_find(&importer->by_id, (tenon_bmw_name){.node_id = node_id});
    return at == TENON_NONE ? NULL : &importer->file_nodes[at];
}

// The path is "root.children[2].children[0]", truncated if it is too long.
static void bmw_import_tally_node(const bmw_importer *importer, tn_tally *tally, uint32_t index)
{
    uint32_t steps[LEVELS], count = 0;
    if (tally->count++ > 0) return;
    const bmw_file_node *file_node = &importer->file_nodes[index];
    while (file_node->parent != TENON_NONE && count < LEVELS) {
        const bmw_file_node *parent = &importer->file_nodes[file_node->parent];
        steps[count++] = (uint32_t)(file_node->node - parent->node->children);
        file_node = parent;
    }
    size_t size = sizeof tally->path, used = (size_t)snprintf(tally->path, size, "root");
    while (count-- > 0 && used < size)
        used += (size_t)snprintf(tally->path + used, size - used, ".children[%u]", steps[count]);
}

static tn_mat4 bmw_import_nodes_local_of(const bmw_importer *importer,
                                         const bmw_file_node *file_node)
{
    const float *m = file_node->node->transform;
    if (!tn_all_finite(m, 16)) return tn_mat4_identity();
    return importer->doc->is_row_major ? tn_mat4_from_rows(m) : tn_mat4_from_columns(m);
}

// Find the rest transforms of nodes, and the first node that uses each mesh.
static void bmw_import_resolve_nodes(bmw_importer *importer)
{
    const tenon_bmw *doc = importer->doc;
    bmw_tallies *tallies = &importer->tallies;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        importer->meshes[i] = (bmw_imported_mesh){
            .file_node = TENON_NONE, .mesh = TENON_NONE, .material = TENON_NONE};
    for (uint32_t i = 0; i < importer->file_node_count; i++) {
        bmw_file_node *file_node = &importer->file_nodes[i];
        tn_mat4 local = bmw_import_nodes_local_of(importer, file_node);
        if (!tn_all_finite(file_node->node->transform, 16))
            bmw_import_tally_node(importer, &tallies->bad_transforms, i);
        else if (!tn_stored_is_symmetric(file_node->node->transform))
            importer->is_order_visible = true;
        file_node->rest = tn_mat4_identity();
        if (file_node->parent != TENON_NONE)
            file_node->rest = tn_mat4_mul(&importer->file_nodes[file_node->parent].rest, &local);

        const tenon_span *meshes = &file_node->node->meshes;
        for (uint64_t k = 0; k < meshes->count; k++) {
            uint32_t index = tn_span_u32(meshes, k);
            bmw_imported_mesh *mesh = index < doc->mesh_count ? &importer->meshes[index] : NULL;
            if (!mesh || mesh->last == i + 1) {
                bmw_import_tally_node(importer, &tallies->bad_references, i);
                continue;
            }
            if (mesh->file_node == TENON_NONE) mesh->file_node = i;
            mesh->last = i + 1;
        }
    }
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        bmw_imported_mesh *mesh = &importer->meshes[i];
        bool is_empty = doc->meshes[i].vertices.count == 0;
        bool is_unused = mesh->file_node == TENON_NONE;
        tn_tally_at(&tallies->empty_meshes, is_empty, "meshes", i);
        tn_tally_at(&tallies->unused_meshes, !is_empty && is_unused, "meshes", i);
        if (is_empty) mesh->file_node = TENON_NONE;
    }
}

void bmw_import_list_nodes(bmw_importer *importer)
{
    struct pending {
        const tenon_bmw_node *node;
        uint32_t parent;
    };
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw *doc = importer->doc;
    uint64_t count = bmw_info_count_nodes(&doc->root);
    if (count >= TENON_NONE)
        tn_scene_fail(builder, TENON_ERR_LIMIT, "root", "the model has too many nodes");
    importer->file_nodes = tn_scene_array(builder, count, sizeof *importer->file_nodes);
    struct pending *stack = tn_scene_array(builder, count, sizeof *stack);
    tenon_bmw_name *ids = tn_scene_array(builder, count, sizeof *ids);
    uint32_t *room = tn_scene_array(builder, count, 2 * sizeof *room);
    uint32_t *names_room = tn_scene_array(builder, doc->name_count, 2 * sizeof *names_room);
    importer->meshes = tn_scene_array(builder, doc->mesh_count, sizeof *importer->meshes);
    if (builder->failed) return;

    // In file order, without recursion.
    bool has_ids = (doc->base.dialect->flags & TENON_BMW_NODE_IDS) != 0;
    uint32_t pending_count = 0;
    importer->are_ids_indices = true;
    stack[pending_count++] = (struct pending){&doc->root, TENON_NONE};
    while (pending_count) {
        struct pending next = stack[--pending_count];
        uint32_t index = importer->file_node_count++;
        importer->file_nodes[index] = (bmw_file_node){.node = next.node,
                                                      .parent = next.parent,
                                                      .tree_node = TENON_NONE,
                                                      .joint = TENON_NONE,
                                                      .shear_node = TENON_NONE,
                                                      .skin_joint = TENON_NONE};
        ids[index].node_id = has_ids ? next.node->node_id : index;
        importer->are_ids_indices = importer->are_ids_indices && ids[index].node_id == index;
        for (uint32_t i = next.node->child_count; i-- > 0;)
            stack[pending_count++] = (struct pending){&next.node->children[i], index};
    }
    importer->by_id = bmw_names_sort(ids, importer->file_node_count, false, room);
    bmw_sorted names = bmw_names_sort(doc->names, doc->name_count, false, names_room);
    for (uint32_t i = 0; i < importer->file_node_count && !builder->failed; i++) {
        uint32_t at = bmw_names_find(&names, ids[i]);
        tenon_str *name = &importer->file_nodes[i].name;
        if (at != TENON_NONE) *name = doc->names[at].name;
        if (name->size) continue;
        *name = bmw_import_format(importer, "node_%u", ids[i].node_id);
        bmw_import_tally_node(importer, &importer->tallies.unnamed_nodes, i);
    }
    bmw_import_resolve_nodes(importer);
}

// -- Joints

uint32_t bmw_import_static_joint(bmw_importer *importer)
{
    tenon_skin *skin = &importer->builder->scene->skins[importer->skin];
    if (skin->joint_count > importer->skin_size) return importer->skin_size;
    uint32_t node = tn_add_node(importer->builder, (tenon_str){"still", 5}, importer->skeleton);
    if (importer->builder->failed) return 0;
    importer->builder->scene->nodes[node].is_joint = true;
    skin->joints[skin->joint_count++] = node;
    return importer->skin_size;
}

// Add the sidecar's node, a joint for every node that has weights or is moved, and one skin for all
// meshes, with room for the static joint.
void bmw_import_joints(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw_sidecar *sidecar = importer->sidecar ? importer->sidecar : &bmw_default_sidecar;
    if (builder->failed) return;
    const double *axis = sidecar->rotation_angle, *t = sidecar->translation, *k = sidecar->scale;
    bool has_axis = axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
    if (!has_axis)
        tn_scene_report(builder, TENON_DROPPED, "rotation", 1, "rotationAngle",
                        "the axis is 0 0 0, which makes the model invisible in the engine");
    bool is_moved = t[0] != 0 || t[1] != 0 || t[2] != 0 || k[0] != 1 || k[1] != 1 || k[2] != 1;
    if (is_moved || (has_axis && sidecar->rotation != 0)) {
        importer->model = tn_add_node(builder, (tenon_str){"model", 5}, TENON_NONE);
        if (builder->failed) return;
        tenon_node *node = &builder->scene->nodes[importer->model];
        tn_quat q = tn_quat_from_axis_angle((tn_vec3){axis[0], axis[1], axis[2]},
                                            tn_radians(sidecar->rotation));
        memcpy(node->rotation, &q, sizeof node->rotation);
        memcpy(node->translation, t, sizeof node->translation);
        memcpy(node->scale, k, sizeof node->scale);
    }
    for (uint32_t i = 0; i < importer->file_node_count && !builder->failed; i++) {
        bmw_file_node *file_node = &importer->file_nodes[i];
        tenon_str name = file_node->name;
        if (!file_node->is_weighted && !file_node->is_moved) continue;
        if (importer->skeleton == TENON_NONE)
            importer->skeleton = tn_add_node(builder, (tenon_str){"skeleton", 8}, importer->model);
        uint32_t parent = importer->skeleton;
        if (file_node->is_sheared) {
            tenon_str shear = bmw_import_format(importer, "%.*s_shear", (int)name.size, name.data);
            parent = file_node->shear_node = tn_add_node(builder, shear, parent);
        }
        file_node->joint = tn_add_node(builder, name, parent);
        if (builder->failed) return;
        builder->scene->nodes[file_node->joint].is_joint = true;
        if (file_node->is_weighted && importer->skin_size < SKIN_MOST)
            file_node->skin_joint = importer->skin_size++;
        // The frames of a node without weights include no bind pose: they are its transform.
        if (!file_node->is_weighted) file_node->tree_node = file_node->joint;
    }
    if (builder->failed || importer->skin_size == 0) return;
    uint32_t index = tn_add_skin(builder, (tenon_str){"skin", 4}, importer->skin_size + 1);
    if (builder->failed) return;
    tenon_skin *skin = &builder->scene->skins[index];
    skin->root = importer->skeleton;
    skin->joint_count = importer->skin_size;
    for (uint32_t i = 0; i < importer->file_node_count; i++)
        if (importer->file_nodes[i].skin_joint != TENON_NONE)
            skin->joints[importer->file_nodes[i].skin_joint] = importer->file_nodes[i].joint;
    importer->skin = index;
}

// -- The tree

void bmw_import_tree(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    if (builder->failed) return;
    for (uint32_t i = 0; i < importer->doc->mesh_count; i++) importer->meshes[i].last = 0;
    for (uint32_t i = 0; i < importer->file_node_count && !builder->failed; i++) {
        bmw_file_node *file_node = &importer->file_nodes[i];
        if (file_node->tree_node == TENON_NONE) {
            bool is_root = file_node->parent == TENON_NONE;
            uint32_t parent =
                is_root ? importer->model : importer->file_nodes[file_node->parent].tree_node;
            tenon_str name = file_node->name;
            // The joint has the name already.
            if (file_node->joint != TENON_NONE)
                name = bmw_import_format(importer, "%.*s_rest", (int)name.size, name.data);
            tn_mat4 local = bmw_import_nodes_local_of(importer, file_node);
            file_node->tree_node = tn_add_node(builder, name, parent);
            tn_set_matrix(builder, file_node->tree_node, local.m);
        }
        // A single mesh is added to the node itself; of several, each gets a child node.
        const tenon_span *meshes = &file_node->node->meshes;
        for (uint64_t k = 0; k < meshes->count && !builder->failed; k++) {
            uint32_t index = tn_span_u32(meshes, k), node = file_node->tree_node;
            if (index >= importer->doc->mesh_count) continue;
            bmw_imported_mesh *mesh = &importer->meshes[index];
            if (mesh->mesh == TENON_NONE || mesh->last == i + 1) continue;
            mesh->last = i + 1;
            if (meshes->count > 1)
                node = tn_add_node(builder, builder->scene->meshes[mesh->mesh].name, node);
            if (builder->failed) return;
            builder->scene->nodes[node].mesh = mesh->mesh;
            if (mesh->is_skinned) builder->scene->nodes[node].skin = importer->skin;
        }
    }
}
