// bmw_import_nodes.c: nodes of BMW as joints, all below one node, and as a tree.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SKIN_MOST 65535u  // Joints with weights; one more is for the static joint.

bool bmw_is_asymmetric(const float m[16])
{
    for (int row = 0; row < 4; row++)
        for (int column = row + 1; column < 4; column++)
            if (m[4 * row + column] != m[4 * column + row]) return true;
    return false;
}

// -- Numbers in order

static bool bmw_is_before(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *numbers = context;
    return numbers[a] < numbers[b];
}

static bmw_id_index bmw_index_ids(bmw_importer *importer, const uint32_t *numbers, uint32_t count)
{
    bmw_id_index order = {numbers, tn_scene_array(importer->builder, count, sizeof *order.items),
                          count, true};
    uint32_t *spare = tn_scene_array(importer->builder, count, sizeof *spare);
    if (importer->builder->failed) return (bmw_id_index){0};
    for (uint32_t i = 0; i < count; i++) {
        order.items[i] = i;
        order.is_plain = order.is_plain && numbers[i] == i;
    }
    tn_sort(order.items, spare, count, bmw_is_before, numbers);
    return order;
}

// The first item with that number, or TENON_NONE.
static uint32_t bmw_find_id(const bmw_id_index *order, uint32_t number)
{
    uint32_t low = 0, high = order->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (order->numbers[order->items[middle]] < number)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < order->count && order->numbers[order->items[low]] == number;
    return is_there ? order->items[low] : TENON_NONE;
}

bmw_file_node *bmw_find_file_node(const bmw_importer *importer, uint32_t node_id)
{
    uint32_t at = bmw_find_id(&importer->by_id, node_id);
    return at == TENON_NONE ? NULL : &importer->file_nodes[at];
}

// -- Paths

#define LEVELS 256  // Reading fails with more.

// "root.children[2].children[0]", truncated to the size of `out`.
static void bmw_file_node_path(const bmw_importer *importer, uint32_t index, char *out,
                               size_t out_size)
{
    uint32_t steps[LEVELS], count = 0;
    for (const bmw_file_node *at = &importer->file_nodes[index];
         at->parent != TENON_NONE && count < LEVELS;) {
        const bmw_file_node *parent = &importer->file_nodes[at->parent];
        steps[count++] = (uint32_t)(at->node - parent->node->children);
        at = parent;
    }
    size_t used = (size_t)snprintf(out, out_size, "root");
    while (count-- > 0 && used < out_size)
        used +=
            (size_t)snprintf(out + used, out_size - used, ".children[%" PRIu32 "]", steps[count]);
}

static void bmw_tally_node(const bmw_importer *importer, tn_tally *tally, uint32_t index)
{
    if (tally->count++ == 0) bmw_file_node_path(importer, index, tally->path, sizeof tally->path);
}

// -- Listing

// A node that has not been listed yet.
typedef struct bmw_pending_node {
    const tenon_bmw_node *node;
    uint32_t parent;
} bmw_pending_node;

// Parents first, as in the file, without recursion.
static void bmw_list_file_nodes(bmw_importer *importer, bmw_pending_node *stack)
{
    uint32_t waiting = 0;
    stack[waiting++] = (bmw_pending_node){&importer->doc->root, TENON_NONE};
    while (waiting) {
        bmw_pending_node next = stack[--waiting];
        uint32_t index = importer->file_node_count++;
        importer->file_nodes[index] = (bmw_file_node){.node = next.node,
                                                      .parent = next.parent,
                                                      .tree_node = TENON_NONE,
                                                      .joint = TENON_NONE,
                                                      .shear_node = TENON_NONE,
                                                      .skin_joint = TENON_NONE};
        for (uint32_t i = next.node->child_count; i-- > 0;)
            stack[waiting++] = (bmw_pending_node){&next.node->children[i], index};
    }
}

static void bmw_name_file_nodes(bmw_importer *importer)
{
    const tenon_bmw *doc = importer->doc;
    uint32_t *ids = tn_scene_array(importer->builder, doc->name_count, sizeof *ids);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < doc->name_count; i++) ids[i] = doc->names[i].node_id;
    bmw_id_index names = bmw_index_ids(importer, ids, doc->name_count);
    for (uint32_t i = 0; i < importer->file_node_count && !importer->builder->failed; i++) {
        uint32_t at = bmw_find_id(&names, importer->by_id.numbers[i]);
        if (at != TENON_NONE) importer->file_nodes[i].name = doc->names[at].name;
        if (importer->file_nodes[i].name.size) continue;
        importer->file_nodes[i].name =
            bmw_import_format(importer, "node_%" PRIu32, importer->by_id.numbers[i]);
        bmw_tally_node(importer, &importer->tallies.unnamed_nodes, i);
    }
}

static bool bmw_is_matrix(const float m[16])
{
    float sum = 0;
    for (int i = 0; i < 16; i++) sum += m[i] - m[i];  // 0, or NaN from then on.
    return sum == 0;
}

static tn_mat4 bmw_local_of(const bmw_importer *importer, const bmw_file_node *file_node)
{
    const float *m = file_node->node->transform;
    if (!bmw_is_matrix(m)) return tn_mat4_identity();
    return importer->doc->is_row_major ? tn_mat4_from_rows(m) : tn_mat4_from_columns(m);
}

static void bmw_place_file_node(bmw_importer *importer, uint32_t index)
{
    bmw_file_node *file_node = &importer->file_nodes[index];
    tn_mat4 local = bmw_local_of(importer, file_node);
    if (!bmw_is_matrix(file_node->node->transform))
        bmw_tally_node(importer, &importer->tallies.bad_transforms, index);
    else if (bmw_is_asymmetric(file_node->node->transform))
        importer->is_order_visible = true;
    file_node->rest = file_node->parent == TENON_NONE
                          ? tn_mat4_identity()
                          : tn_mat4_mul(&importer->file_nodes[file_node->parent].rest, &local);
}

// List the meshes that a node uses, each once.
static void bmw_list_used_meshes(bmw_importer *importer, uint32_t file_node)
{
    const tenon_span *meshes = &importer->file_nodes[file_node].node->meshes;
    for (uint64_t i = 0; i < meshes->count; i++) {
        uint32_t mesh = tn_span_u32(meshes, i);
        bool is_new =
            mesh < importer->doc->mesh_count && importer->meshes[mesh].last != file_node + 1;
        if (!is_new) bmw_tally_node(importer, &importer->tallies.bad_references, file_node);
        if (!is_new) continue;
        if (importer->meshes[mesh].file_node == TENON_NONE)
            importer->meshes[mesh].file_node = file_node;
        importer->meshes[mesh].last = file_node + 1;
    }
}

void bmw_list_nodes(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw *doc = importer->doc;
    uint64_t count = bmw_count_nodes(&doc->root);
    if (count >= TENON_NONE)
        tn_scene_fail(builder, TENON_ERR_LIMIT, "root", "the model has too many nodes");
    importer->file_nodes = tn_scene_array(builder, count, sizeof *importer->file_nodes);
    bmw_pending_node *stack = tn_scene_array(builder, count, sizeof *stack);
    uint32_t *ids = tn_scene_array(builder, count, sizeof *ids);
    importer->meshes = tn_scene_array(builder, doc->mesh_count, sizeof *importer->meshes);
    if (builder->failed) return;
    bmw_list_file_nodes(importer, stack);
    bool has_ids = (doc->base.dialect->flags & TENON_BMW_NODE_IDS) != 0;
    for (uint32_t i = 0; i < importer->file_node_count; i++)
        ids[i] = has_ids ? importer->file_nodes[i].node->node_id : i;
    importer->by_id = bmw_index_ids(importer, ids, importer->file_node_count);
    if (!builder->failed) bmw_name_file_nodes(importer);
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        importer->meshes[i] = (bmw_imported_mesh){
            .file_node = TENON_NONE, .mesh = TENON_NONE, .material = TENON_NONE};
    for (uint32_t i = 0; i < importer->file_node_count; i++) {
        bmw_place_file_node(importer, i);
        bmw_list_used_meshes(importer, i);
    }
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        bool is_hollow = doc->meshes[i].vertices.count == 0;
        tn_tally_at(&importer->tallies.empty_meshes, is_hollow, "meshes", i);
        tn_tally_at(&importer->tallies.unused_meshes,
                    !is_hollow && importer->meshes[i].file_node == TENON_NONE, "meshes", i);
        if (is_hollow) importer->meshes[i].file_node = TENON_NONE;
    }
}

// -- The sidecar's node

static void bmw_add_model(bmw_importer *importer)
{
    const tenon_bmw_sidecar *side = importer->sidecar;
    const double *axis = side->rotation_angle, *t = side->translation, *k = side->scale;
    bool has_axis = axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
    if (!has_axis)
        tn_scene_report(importer->builder, TENON_DROPPED, "rotation", 1, "rotationAngle",
                        "the axis is 0 0 0, which makes the model invisible in the engine");
    bool is_moved = t[0] != 0 || t[1] != 0 || t[2] != 0 || k[0] != 1 || k[1] != 1 || k[2] != 1;
    if (!is_moved && !(has_axis && side->rotation != 0)) return;
    importer->model = tn_add_node(importer->builder, (tenon_str){"model", 5}, TENON_NONE);
    if (importer->builder->failed) return;
    tenon_node *node = &importer->builder->scene->nodes[importer->model];
    tn_quat q =
        tn_quat_from_axis_angle((tn_vec3){axis[0], axis[1], axis[2]}, tn_radians(side->rotation));
    memcpy(node->rotation, &q, sizeof node->rotation);
    memcpy(node->translation, t, sizeof node->translation);
    memcpy(node->scale, k, sizeof node->scale);
}

// -- Joints

static void bmw_add_joint(bmw_importer *importer, bmw_file_node *file_node)
{
    uint32_t parent = importer->skeleton;
    if (file_node->is_sheared) {
        tenon_str name = bmw_import_format(importer, "%.*s_shear", (int)file_node->name.size,
                                           file_node->name.data);
        parent = file_node->shear_node = tn_add_node(importer->builder, name, parent);
    }
    file_node->joint = tn_add_node(importer->builder, file_node->name, parent);
    if (importer->builder->failed) return;
    importer->builder->scene->nodes[file_node->joint].is_joint = true;
    if (file_node->is_weighted && importer->skin_size < SKIN_MOST)
        file_node->skin_joint = importer->skin_size++;
    // The frames of a node without weights include no bind pose, so they are the node's transform.
    if (!file_node->is_weighted) file_node->tree_node = file_node->joint;
}

// One skin for all meshes, with room for the static joint.
static void bmw_add_skin(bmw_importer *importer)
{
    uint32_t skin = tn_add_skin(importer->builder, (tenon_str){"skin", 4}, importer->skin_size + 1);
    if (importer->builder->failed) return;
    tenon_skin *made = &importer->builder->scene->skins[skin];
    made->root = importer->skeleton;
    made->joint_count = importer->skin_size;
    for (uint32_t i = 0; i < importer->file_node_count; i++)
        if (importer->file_nodes[i].skin_joint != TENON_NONE)
            made->joints[importer->file_nodes[i].skin_joint] = importer->file_nodes[i].joint;
    importer->skin = skin;
}

uint32_t bmw_static_joint(bmw_importer *importer)
{
    tenon_skin *skin = &importer->builder->scene->skins[importer->skin];
    if (skin->joint_count > importer->skin_size) return importer->skin_size;
    uint32_t node = tn_add_node(importer->builder, (tenon_str){"still", 5}, importer->skeleton);
    if (importer->builder->failed) return 0;
    importer->builder->scene->nodes[node].is_joint = true;
    skin->joints[skin->joint_count++] = node;
    return importer->skin_size;
}

void bmw_add_joints(bmw_importer *importer)
{
    if (importer->builder->failed) return;
    if (importer->sidecar) bmw_add_model(importer);
    for (uint32_t i = 0; i < importer->file_node_count && !importer->builder->failed; i++) {
        bmw_file_node *file_node = &importer->file_nodes[i];
        if (!file_node->is_weighted && !file_node->is_moved) continue;
        if (importer->skeleton == TENON_NONE)
            importer->skeleton =
                tn_add_node(importer->builder, (tenon_str){"skeleton", 8}, importer->model);
        bmw_add_joint(importer, file_node);
    }
    if (!importer->builder->failed && importer->skin_size) bmw_add_skin(importer);
}

// -- The tree

static void bmw_use_mesh(bmw_importer *importer, uint32_t node, const bmw_imported_mesh *mesh)
{
    tenon_node *n = &importer->builder->scene->nodes[node];
    n->mesh = mesh->mesh;
    if (mesh->is_skinned) n->skin = importer->skin;
}

// A single mesh is added to the node itself; of several, each gets a child node.
static void bmw_use_meshes(bmw_importer *importer, uint32_t index)
{
    const bmw_file_node *file_node = &importer->file_nodes[index];
    const tenon_span *meshes = &file_node->node->meshes;
    for (uint64_t i = 0; i < meshes->count && !importer->builder->failed; i++) {
        uint32_t mesh = tn_span_u32(meshes, i);
        if (mesh >= importer->doc->mesh_count || importer->meshes[mesh].mesh == TENON_NONE)
            continue;
        if (importer->meshes[mesh].last == index + 1) continue;
        importer->meshes[mesh].last = index + 1;
        uint32_t node = file_node->tree_node;
        if (meshes->count > 1)
            node = tn_add_node(importer->builder,
                               importer->builder->scene->meshes[importer->meshes[mesh].mesh].name,
                               node);
        if (!importer->builder->failed) bmw_use_mesh(importer, node, &importer->meshes[mesh]);
    }
}

static void bmw_add_tree_node(bmw_importer *importer, bmw_file_node *file_node)
{
    uint32_t parent = file_node->parent == TENON_NONE
                          ? importer->model
                          : importer->file_nodes[file_node->parent].tree_node;
    tenon_str name = file_node->name;
    // The joint has the name already.
    if (file_node->joint != TENON_NONE)
        name = bmw_import_format(importer, "%.*s_rest", (int)name.size, name.data);
    tn_mat4 local = bmw_local_of(importer, file_node);
    file_node->tree_node = tn_add_node(importer->builder, name, parent);
    tn_set_matrix(importer->builder, file_node->tree_node, local.m);
}

void bmw_add_tree(bmw_importer *importer)
{
    for (uint32_t i = 0; i < importer->doc->mesh_count && !importer->builder->failed; i++)
        importer->meshes[i].last = 0;
    for (uint32_t i = 0; i < importer->file_node_count && !importer->builder->failed; i++) {
        if (importer->file_nodes[i].tree_node == TENON_NONE)
            bmw_add_tree_node(importer, &importer->file_nodes[i]);
        bmw_use_meshes(importer, i);
    }
}
