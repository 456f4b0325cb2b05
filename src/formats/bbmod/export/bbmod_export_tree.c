// bbmod_export_tree.c: the nodes of a model: one root, limited depth, bones numbered first.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/bbmod_rig.h"

#include "core/cursor/span.h"
#include "scene/model/space.h"

#include <math.h>

#define DEPTH_MOST 250u        // Readers support 254.
#define NODES_MOST 0x1000000u  // Indices are floats, which are exact up to here.

// -- The list

// A node that would be too deep becomes a sibling of its parent.
static void bbmod_plan_node(bbmod_exporter *exporter, tenon_str name, uint32_t node,
                            uint32_t parent)
{
    bbmod_node_plan *plan = &exporter->plans[exporter->node_count++];
    *plan = (bbmod_node_plan){.name = name, .node = node, .parent = parent, .bone = TENON_NONE};
    if (parent == TENON_NONE) return;
    if (exporter->plans[parent].depth == DEPTH_MOST) {
        plan->parent = exporter->plans[parent].parent;
        tn_tally_at(&exporter->tallies.too_deep, 1, "nodes", node);
    }
    plan->depth = exporter->plans[plan->parent].depth + 1;
}

// The parent of a node in the model: the nearest ancestor that is not left out.
static uint32_t bbmod_plan_above(const bbmod_exporter *exporter, uint32_t node, uint32_t root)
{
    uint32_t parent = exporter->scene->nodes[node].parent;
    return parent == TENON_NONE ? root : exporter->sources[parent].plan;
}

// A node that is left out refers to its nearest exported ancestor.
static void bbmod_add_nodes(bbmod_exporter *exporter)
{
    uint32_t root = exporter->node_count ? 0 : TENON_NONE;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        uint32_t above = bbmod_plan_above(exporter, i, root);
        exporter->sources[i].plan = exporter->sources[i].is_left_out ? above : exporter->node_count;
        if (!exporter->sources[i].is_left_out)
            bbmod_plan_node(exporter, exporter->scene->nodes[i].name, i, above);
    }
}

static void bbmod_add_bones(bbmod_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++) {
        uint32_t node = exporter->rig.bones[i].node, plan = exporter->sources[node].plan;
        if (exporter->bones[i].is_separate) {
            bbmod_plan_node(exporter, exporter->scene->nodes[node].name, node, plan);
            plan = exporter->node_count - 1;
            exporter->added_count++;
        }
        exporter->bones[i].plan = plan;
        if (exporter->plans[plan].bone == TENON_NONE) exporter->plans[plan].bone = i;
    }
}

static uint32_t bbmod_count_roots(const bbmod_exporter *exporter, bool *is_below)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        uint32_t parent = exporter->scene->nodes[i].parent;
        bool is_under = parent != TENON_NONE && is_below[parent];
        count += !is_under && !exporter->sources[i].is_left_out;
        is_below[i] = is_under || !exporter->sources[i].is_left_out;
    }
    return count;
}

static bool bbmod_list_plans(bbmod_exporter *exporter)
{
    uint64_t most = (uint64_t)exporter->scene->node_count + exporter->rig.bone_count + 1;
    bool *is_below =
        tn_export_alloc(exporter->export, exporter->scene->node_count, sizeof *is_below);
    if (most > NODES_MOST)
        return tn_error(exporter->export->err, TENON_ERR_LIMIT,
                        "the scene has too many nodes for BBMOD");
    exporter->plans = tn_export_alloc(exporter->export, most, sizeof *exporter->plans);
    if (!exporter->plans || !is_below) return false;
    exporter->added_count = bbmod_count_roots(exporter, is_below) != 1;
    if (exporter->added_count)
        bbmod_plan_node(exporter, (tenon_str){"RootNode", 8}, TENON_NONE, TENON_NONE);
    bbmod_add_nodes(exporter);
    bbmod_add_bones(exporter);
    return true;
}

// -- Children

// The children of each node, in order.
typedef struct bbmod_child_lists {
    uint32_t *first, *last, *next;
} bbmod_child_lists;

static bool bbmod_link_children(const bbmod_exporter *exporter, bbmod_child_lists *children)
{
    uint32_t count = exporter->node_count;
    uint32_t *lists = tn_export_alloc(exporter->export, 3 * (uint64_t)count, sizeof *lists);
    if (!lists) return false;
    *children = (bbmod_child_lists){lists, lists + count, lists + 2 * (size_t)count};
    for (uint32_t i = 0; i < count; i++)
        children->first[i] = children->last[i] = children->next[i] = TENON_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = exporter->plans[i].parent;
        if (parent == TENON_NONE) continue;
        if (children->first[parent] == TENON_NONE)
            children->first[parent] = i;
        else
            children->next[children->last[parent]] = i;
        children->last[parent] = i;
    }
    return true;
}

// -- Numbers

static void bbmod_give_slot(bbmod_exporter *exporter, uint32_t plan, uint32_t *slot)
{
    if (exporter->plans[plan].slot != TENON_NONE) return;
    exporter->plans[plan].slot = *slot;
    exporter->by_slot[(*slot)++] = plan;
}

// Bones in the order of the joints of skins, so that an imported model keeps its numbers; then the
// others.
static void bbmod_number_bones(bbmod_exporter *exporter, bool *is_seen, uint32_t *slot)
{
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        uint32_t skin = exporter->scene->nodes[part->node].skin;
        if (!part->is_skinned || is_seen[skin]) continue;
        is_seen[skin] = true;
        for (uint32_t k = 0; k < exporter->scene->skins[skin].joint_count; k++)
            if (part->bones[k] != TENON_NONE)
                bbmod_give_slot(exporter, exporter->bones[part->bones[k]].plan, slot);
    }
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++)
        bbmod_give_slot(exporter, exporter->bones[i].plan, slot);
    exporter->bone_count = *slot;
}

// All other nodes, depth first.
static void bbmod_number_rest(bbmod_exporter *exporter, const bbmod_child_lists *children,
                              uint32_t *slot)
{
    uint32_t plan = 0;
    while (plan != TENON_NONE) {
        bbmod_give_slot(exporter, plan, slot);
        if (children->first[plan] != TENON_NONE) {
            plan = children->first[plan];
            continue;
        }
        while (plan != TENON_NONE && children->next[plan] == TENON_NONE)
            plan = exporter->plans[plan].parent;
        if (plan != TENON_NONE) plan = children->next[plan];
    }
}

bool bbmod_plan_nodes(bbmod_exporter *exporter)
{
    bbmod_child_lists children;
    uint32_t slot = 0;
    if (!bbmod_list_plans(exporter) || !bbmod_link_children(exporter, &children)) return false;
    exporter->by_slot =
        tn_export_alloc(exporter->export, exporter->node_count, sizeof *exporter->by_slot);
    bool *is_seen = tn_export_alloc(exporter->export, exporter->scene->skin_count, sizeof *is_seen);
    if (!exporter->by_slot || !is_seen) return false;
    for (uint32_t i = 0; i < exporter->node_count; i++) exporter->plans[i].slot = TENON_NONE;
    bbmod_number_bones(exporter, is_seen, &slot);
    bbmod_number_rest(exporter, &children, &slot);
    return true;
}

// -- Transforms

tn_dquat bbmod_plan_world(const bbmod_exporter *exporter, uint32_t plan)
{
    uint32_t node = exporter->plans[plan].node;
    return node == TENON_NONE ? tn_dquat_identity() : exporter->poses[node].world;
}

tn_dquat bbmod_plan_local(const bbmod_exporter *exporter, uint32_t index)
{
    const bbmod_node_plan *plan = &exporter->plans[index];
    if (plan->parent == TENON_NONE) return bbmod_plan_world(exporter, index);
    uint32_t above = exporter->plans[plan->parent].node;
    if (above == plan->node) return tn_dquat_identity();
    bool is_whole = exporter->sources[plan->node].is_plain &&
                    exporter->scene->nodes[plan->node].parent == above;
    if (is_whole) return exporter->poses[plan->node].local;
    return tn_dquat_mul(tn_dquat_inverse(bbmod_plan_world(exporter, plan->parent)),
                        exporter->poses[plan->node].world);
}

bool bbmod_store_place(const bbmod_exporter *exporter, tn_dquat place, float numbers[8])
{
    tn_vec3 move = tn_mirror_vec3(tn_dquat_translation(place));
    bbmod_dual_store(tn_dquat_make(tn_mirror_quat(place.real), move), numbers);
    for (int i = 0; i < 8; i++)
        if (!isfinite(numbers[i]))
            return tn_error(exporter->export->err, TENON_ERR_VALUE,
                            "a node position is too large for BBMOD");
    return true;
}

// -- The document

static bool bbmod_fill_node(const bbmod_exporter *exporter, uint32_t index, uint8_t *refs,
                            tenon_bbmod_node *node)
{
    const bbmod_node_plan *plan = &exporter->plans[index];
    node->name = plan->name;
    node->index = (float)plan->slot;
    node->is_bone = plan->bone != TENON_NONE;
    node->meshes = (tenon_span){.data = refs + 4 * (size_t)plan->first_ref,
                                .size = 4 * (uint64_t)plan->ref_count,
                                .count = plan->ref_count,
                                .layout = &tn_layout_u32};
    return bbmod_store_place(exporter, bbmod_plan_local(exporter, index), node->transform);
}

// All nodes in one array, level by level, so that the children of each are adjacent.
static bool bbmod_fill_nodes(const bbmod_exporter *exporter, const bbmod_child_lists *children,
                             uint8_t *refs)
{
    uint32_t count = exporter->node_count, used = 1;
    tenon_bbmod_node *nodes = tn_export_alloc(exporter->export, count, sizeof *nodes);
    uint32_t *order =
        tn_export_alloc(exporter->export, count, sizeof *order);  // Starts with the root, 0.
    if (!nodes || !order) return false;
    for (uint32_t i = 0; i < count; i++) {
        nodes[i].children = nodes + used;
        for (uint32_t k = children->first[order[i]]; k != TENON_NONE; k = children->next[k])
            order[used++] = k;
        nodes[i].child_count = (uint32_t)(nodes + used - nodes[i].children);
        if (!bbmod_fill_node(exporter, order[i], refs, &nodes[i])) return false;
    }
    exporter->doc->root = nodes[0];
    exporter->doc->node_count = count;
    return true;
}

static bool bbmod_fill_bones(const bbmod_exporter *exporter)
{
    uint64_t stride = bbmod_bone_layout.stride, count = exporter->bone_count;
    uint8_t *bytes = tn_export_alloc(exporter->export, count, (size_t)stride);
    if (!bytes) return false;
    for (uint32_t slot = 0; slot < count; slot++) {
        float numbers[9] = {(float)slot};
        uint32_t bone = exporter->plans[exporter->by_slot[slot]].bone;
        if (!bbmod_store_place(exporter, exporter->bones[bone].offset, numbers + 1)) return false;
        tn_copy_numbers(bytes + slot * stride, numbers, 9, 4, false);
    }
    exporter->doc->bones = (tenon_span){
        .data = bytes, .size = count * stride, .count = count, .layout = &bbmod_bone_layout};
    return true;
}

bool bbmod_fill_tree(bbmod_exporter *exporter)
{
    bbmod_child_lists children;
    uint8_t *refs = tn_export_alloc(exporter->export, exporter->rig.part_count, 4);
    if (!refs || !bbmod_link_children(exporter, &children)) return false;
    tn_copy_numbers(refs, exporter->refs, exporter->rig.part_count, 4, false);
    return bbmod_fill_nodes(exporter, &children, refs) && bbmod_fill_bones(exporter);
}
