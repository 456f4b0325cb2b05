// bmw_import_nodes.c: nodes of BMW as joints, all below one node, and as a tree.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SKIN_MOST 65535u  // Joints with weights; one more is for the static joint.

bool bmw_is_turned(const float m[16])
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

static bmw_order bmw_order_of(bmw_importer *s, const uint32_t *numbers, uint32_t count)
{
    bmw_order order = {numbers, tn_scene_array(s->b, count, sizeof *order.items), count, true};
    uint32_t *spare = tn_scene_array(s->b, count, sizeof *spare);
    if (s->b->failed) return (bmw_order){0};
    for (uint32_t i = 0; i < count; i++) {
        order.items[i] = i;
        order.is_plain = order.is_plain && numbers[i] == i;
    }
    tn_sort(order.items, spare, count, bmw_is_before, numbers);
    return order;
}

// The first item with that number, or TENON_NONE.
static uint32_t bmw_order_find(const bmw_order *order, uint32_t number)
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

bmw_branch *bmw_find_branch(const bmw_importer *s, uint32_t node_id)
{
    uint32_t at = bmw_order_find(&s->by_id, node_id);
    return at == TENON_NONE ? NULL : &s->branches[at];
}

// -- Paths

#define LEVELS 256  // Reading fails with more.

// "root.children[2].children[0]", truncated to the size of `out`.
static void bmw_branch_path(const bmw_importer *s, uint32_t index, char *out, size_t out_size)
{
    uint32_t steps[LEVELS], count = 0;
    for (const bmw_branch *at = &s->branches[index]; at->parent != TENON_NONE && count < LEVELS;) {
        const bmw_branch *parent = &s->branches[at->parent];
        steps[count++] = (uint32_t)(at->node - parent->node->children);
        at = parent;
    }
    size_t used = (size_t)snprintf(out, out_size, "root");
    while (count-- > 0 && used < out_size)
        used +=
            (size_t)snprintf(out + used, out_size - used, ".children[%" PRIu32 "]", steps[count]);
}

static void bmw_branch_flaw(const bmw_importer *s, tn_tally *flaw, uint32_t index)
{
    if (flaw->count++ == 0) bmw_branch_path(s, index, flaw->path, sizeof flaw->path);
}

// -- Listing

// A node that has not been listed yet.
typedef struct bmw_waiting {
    const tenon_bmw_node *node;
    uint32_t parent;
} bmw_waiting;

// Parents first, as in the file, without recursion.
static void bmw_list_branches(bmw_importer *s, bmw_waiting *stack)
{
    uint32_t waiting = 0;
    stack[waiting++] = (bmw_waiting){&s->doc->root, TENON_NONE};
    while (waiting) {
        bmw_waiting next = stack[--waiting];
        uint32_t index = s->branch_count++;
        s->branches[index] = (bmw_branch){.node = next.node,
                                          .parent = next.parent,
                                          .tree_node = TENON_NONE,
                                          .joint = TENON_NONE,
                                          .outer = TENON_NONE,
                                          .skin_joint = TENON_NONE};
        for (uint32_t i = next.node->child_count; i-- > 0;)
            stack[waiting++] = (bmw_waiting){&next.node->children[i], index};
    }
}

static void bmw_name_branches(bmw_importer *s)
{
    const tenon_bmw *doc = s->doc;
    uint32_t *ids = tn_scene_array(s->b, doc->name_count, sizeof *ids);
    if (s->b->failed) return;
    for (uint32_t i = 0; i < doc->name_count; i++) ids[i] = doc->names[i].node_id;
    bmw_order names = bmw_order_of(s, ids, doc->name_count);
    for (uint32_t i = 0; i < s->branch_count && !s->b->failed; i++) {
        uint32_t at = bmw_order_find(&names, s->by_id.numbers[i]);
        if (at != TENON_NONE) s->branches[i].name = doc->names[at].name;
        if (s->branches[i].name.size) continue;
        s->branches[i].name = bmw_import_format(s, "node_%" PRIu32, s->by_id.numbers[i]);
        bmw_branch_flaw(s, &s->flaws.names, i);
    }
}

static bool bmw_is_matrix(const float m[16])
{
    float sum = 0;
    for (int i = 0; i < 16; i++) sum += m[i] - m[i];  // 0, or NaN from then on.
    return sum == 0;
}

static tn_mat4 bmw_local_of(const bmw_importer *s, const bmw_branch *branch)
{
    const float *m = branch->node->transform;
    if (!bmw_is_matrix(m)) return tn_mat4_identity();
    return s->doc->is_row_major ? tn_mat4_from_rows(m) : tn_mat4_from_columns(m);
}

static void bmw_place_branch(bmw_importer *s, uint32_t index)
{
    bmw_branch *branch = &s->branches[index];
    tn_mat4 local = bmw_local_of(s, branch);
    if (!bmw_is_matrix(branch->node->transform))
        bmw_branch_flaw(s, &s->flaws.transforms, index);
    else if (bmw_is_turned(branch->node->transform))
        s->is_turned = true;
    branch->rest = branch->parent == TENON_NONE
                       ? tn_mat4_identity()
                       : tn_mat4_mul(&s->branches[branch->parent].rest, &local);
}

// List the meshes that a node uses, each once.
static void bmw_list_shown(bmw_importer *s, uint32_t branch)
{
    const tenon_span *meshes = &s->branches[branch].node->meshes;
    for (uint64_t i = 0; i < meshes->count; i++) {
        uint32_t mesh = tn_span_u32(meshes, i);
        bool is_new = mesh < s->doc->mesh_count && s->shown[mesh].last != branch + 1;
        if (!is_new) bmw_branch_flaw(s, &s->flaws.references, branch);
        if (!is_new) continue;
        if (s->shown[mesh].branch == TENON_NONE) s->shown[mesh].branch = branch;
        s->shown[mesh].last = branch + 1;
    }
}

void bmw_list_nodes(bmw_importer *s)
{
    tn_scene_builder *b = s->b;
    const tenon_bmw *doc = s->doc;
    uint64_t count = bmw_count_nodes(&doc->root);
    if (count >= TENON_NONE)
        tn_scene_fail(b, TENON_ERR_LIMIT, "root", "the model has too many nodes");
    s->branches = tn_scene_array(b, count, sizeof *s->branches);
    bmw_waiting *stack = tn_scene_array(b, count, sizeof *stack);
    uint32_t *ids = tn_scene_array(b, count, sizeof *ids);
    s->shown = tn_scene_array(b, doc->mesh_count, sizeof *s->shown);
    if (b->failed) return;
    bmw_list_branches(s, stack);
    bool has_ids = (doc->base.dialect->flags & TENON_BMW_NODE_IDS) != 0;
    for (uint32_t i = 0; i < s->branch_count; i++)
        ids[i] = has_ids ? s->branches[i].node->node_id : i;
    s->by_id = bmw_order_of(s, ids, s->branch_count);
    if (!b->failed) bmw_name_branches(s);
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        s->shown[i] = (bmw_shown){.branch = TENON_NONE, .mesh = TENON_NONE, .material = TENON_NONE};
    for (uint32_t i = 0; i < s->branch_count; i++) {
        bmw_place_branch(s, i);
        bmw_list_shown(s, i);
    }
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        bool is_hollow = doc->meshes[i].vertices.count == 0;
        tn_tally_at(&s->flaws.hollow, is_hollow, "meshes", i);
        tn_tally_at(&s->flaws.meshes, !is_hollow && s->shown[i].branch == TENON_NONE, "meshes", i);
        if (is_hollow) s->shown[i].branch = TENON_NONE;
    }
}

// -- The sidecar's node

static void bmw_add_model(bmw_importer *s)
{
    const tenon_bmw_sidecar *side = s->sidecar;
    const double *axis = side->rotation_angle, *t = side->translation, *k = side->scale;
    bool has_axis = axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
    if (!has_axis)
        tn_scene_report(s->b, TENON_DROPPED, "rotation", 1, "rotationAngle",
                        "the axis is 0 0 0, which makes the model invisible in the engine");
    bool is_moved = t[0] != 0 || t[1] != 0 || t[2] != 0 || k[0] != 1 || k[1] != 1 || k[2] != 1;
    if (!is_moved && !(has_axis && side->rotation != 0)) return;
    s->model = tn_add_node(s->b, (tenon_str){"model", 5}, TENON_NONE);
    if (s->b->failed) return;
    tenon_node *node = &s->b->scene->nodes[s->model];
    tn_quat q =
        tn_quat_from_axis_angle((tn_vec3){axis[0], axis[1], axis[2]}, tn_radians(side->rotation));
    memcpy(node->rotation, &q, sizeof node->rotation);
    memcpy(node->translation, t, sizeof node->translation);
    memcpy(node->scale, k, sizeof node->scale);
}

// -- Joints

static void bmw_add_joint(bmw_importer *s, bmw_branch *branch)
{
    uint32_t parent = s->skeleton;
    if (branch->is_sheared) {
        tenon_str name =
            bmw_import_format(s, "%.*s_shear", (int)branch->name.size, branch->name.data);
        parent = branch->outer = tn_add_node(s->b, name, parent);
    }
    branch->joint = tn_add_node(s->b, branch->name, parent);
    if (s->b->failed) return;
    s->b->scene->nodes[branch->joint].is_joint = true;
    if (branch->is_weighted && s->skin_size < SKIN_MOST) branch->skin_joint = s->skin_size++;
    // The frames of a node without weights include no bind pose, so they are the node's transform.
    if (!branch->is_weighted) branch->tree_node = branch->joint;
}

// One skin for all meshes, with room for the static joint.
static void bmw_add_skin(bmw_importer *s)
{
    uint32_t skin = tn_add_skin(s->b, (tenon_str){"skin", 4}, s->skin_size + 1);
    if (s->b->failed) return;
    tenon_skin *made = &s->b->scene->skins[skin];
    made->root = s->skeleton;
    made->joint_count = s->skin_size;
    for (uint32_t i = 0; i < s->branch_count; i++)
        if (s->branches[i].skin_joint != TENON_NONE)
            made->joints[s->branches[i].skin_joint] = s->branches[i].joint;
    s->skin = skin;
}

uint32_t bmw_still_joint(bmw_importer *s)
{
    tenon_skin *skin = &s->b->scene->skins[s->skin];
    if (skin->joint_count > s->skin_size) return s->skin_size;
    uint32_t node = tn_add_node(s->b, (tenon_str){"still", 5}, s->skeleton);
    if (s->b->failed) return 0;
    s->b->scene->nodes[node].is_joint = true;
    skin->joints[skin->joint_count++] = node;
    return s->skin_size;
}

void bmw_add_joints(bmw_importer *s)
{
    if (s->b->failed) return;
    if (s->sidecar) bmw_add_model(s);
    for (uint32_t i = 0; i < s->branch_count && !s->b->failed; i++) {
        bmw_branch *branch = &s->branches[i];
        if (!branch->is_weighted && !branch->is_moved) continue;
        if (s->skeleton == TENON_NONE)
            s->skeleton = tn_add_node(s->b, (tenon_str){"skeleton", 8}, s->model);
        bmw_add_joint(s, branch);
    }
    if (!s->b->failed && s->skin_size) bmw_add_skin(s);
}

// -- The tree

static void bmw_show_mesh(bmw_importer *s, uint32_t node, const bmw_shown *shown)
{
    tenon_node *n = &s->b->scene->nodes[node];
    n->mesh = shown->mesh;
    if (shown->is_skinned) n->skin = s->skin;
}

// A single mesh is added to the node itself; of several, each gets a child node.
static void bmw_show_meshes(bmw_importer *s, uint32_t index)
{
    const bmw_branch *branch = &s->branches[index];
    const tenon_span *meshes = &branch->node->meshes;
    for (uint64_t i = 0; i < meshes->count && !s->b->failed; i++) {
        uint32_t mesh = tn_span_u32(meshes, i);
        if (mesh >= s->doc->mesh_count || s->shown[mesh].mesh == TENON_NONE) continue;
        if (s->shown[mesh].last == index + 1) continue;
        s->shown[mesh].last = index + 1;
        uint32_t node = branch->tree_node;
        if (meshes->count > 1)
            node = tn_add_node(s->b, s->b->scene->meshes[s->shown[mesh].mesh].name, node);
        if (!s->b->failed) bmw_show_mesh(s, node, &s->shown[mesh]);
    }
}

static void bmw_add_branch(bmw_importer *s, bmw_branch *branch)
{
    uint32_t parent =
        branch->parent == TENON_NONE ? s->model : s->branches[branch->parent].tree_node;
    tenon_str name = branch->name;
    // The joint has the name already.
    if (branch->joint != TENON_NONE)
        name = bmw_import_format(s, "%.*s_rest", (int)name.size, name.data);
    tn_mat4 local = bmw_local_of(s, branch);
    branch->tree_node = tn_add_node(s->b, name, parent);
    tn_set_matrix(s->b, branch->tree_node, local.m);
}

void bmw_add_tree(bmw_importer *s)
{
    for (uint32_t i = 0; i < s->doc->mesh_count && !s->b->failed; i++) s->shown[i].last = 0;
    for (uint32_t i = 0; i < s->branch_count && !s->b->failed; i++) {
        if (s->branches[i].tree_node == TENON_NONE) bmw_add_branch(s, &s->branches[i]);
        bmw_show_meshes(s, i);
    }
}
