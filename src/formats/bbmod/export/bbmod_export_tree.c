// bbmod_export_tree.c: the nodes of a model: which are exported, one root, limited depth, bones
// numbered first.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/bbmod_tree.h"

#include "core/cursor/span.h"
#include "core/math/tree_links.h"
#include "scene/model/space.h"

#include <math.h>

#define DEPTH_MOST 250u        // Readers support 254.
#define NODES_MOST 0x1000000u  // Indices are floats, which are exact up to here.
#define STILL      1e-5        // Smaller changes of a scale are ignored.

// -- Nodes that are left out

static bool bbmod_export_tree_scale_changes(const tenon_channel *channel)
{
    bool is_cubic = channel->curve == TENON_CUBIC;
    uint32_t stride = is_cubic ? 9 : 3, at = is_cubic ? 3 : 0;
    for (uint64_t i = 1; i < channel->key_count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            double first = (double)channel->values[at + k];
            double now = (double)channel->values[i * stride + at + k];
            if (!(fabs(now - first) <= STILL * fabs(first))) return true;
        }
    return false;
}

// Which nodes are left out first.
typedef enum bbmod_rank {
    BBMOD_KEPT,
    BBMOD_STILL,  // Invisible and not animated: children can take over its transform.
    BBMOD_SPARE,  // Invisible, and no descendant is visible either.
} bbmod_rank;

// Nodes of the model if those of `rank` and above are left out.
static uint64_t bbmod_export_tree_count_below(const bbmod_exporter *exporter, const uint8_t *ranks,
                                              bbmod_rank rank)
{
    uint64_t count = 1;  // For a root that may be added.
    for (uint32_t i = 0; i < exporter->scene->node_count; i++)
        count += !exporter->sources[i].is_left_out && ranks[i] < rank;
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++) count += exporter->bones[i].is_separate;
    return count;
}

static bool bbmod_export_tree_leave_out_nodes(bbmod_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    uint8_t *ranks = tn_export_alloc(exporter->export, scene->node_count, sizeof *ranks);
    if (!ranks) return false;
    // Invisible nodes that only scale their children, such as the two nodes that replace a matrix
    // with shear. Without scale, they would only disturb the interpolation between frames.
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++) {
            const tenon_channel *channel = &scene->animations[a].channels[i];
            bbmod_source_node *source = &exporter->sources[channel->node];
            if (channel->target != TENON_SCALE || source->is_needed || source->is_left_out)
                continue;
            source->is_left_out = bbmod_export_tree_scale_changes(channel);
            tn_tally_at(&exporter->tallies.scaling, source->is_left_out, "nodes", channel->node);
        }
    // More nodes than the engine supports.
    bool is_crowded =
        bbmod_export_tree_count_below(exporter, ranks, BBMOD_STILL) > BBMOD_ENGINE_MOST;
    if (!is_crowded || exporter->rig.bone_count == 0) return true;
    bool *moves = tn_export_alloc(exporter->export, scene->node_count, sizeof *moves);
    bool *is_used = tn_export_alloc(exporter->export, scene->node_count, sizeof *is_used);
    if (!moves || !is_used) return false;
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++)
            moves[scene->animations[a].channels[i].node] = true;
    for (uint32_t i = scene->node_count; i-- > 0;) {
        const bbmod_source_node *source = &exporter->sources[i];
        uint32_t parent = scene->nodes[i].parent;
        is_used[i] = is_used[i] || source->is_needed;
        if (parent != TENON_NONE && is_used[i]) is_used[parent] = true;
        if (source->is_needed || source->is_left_out || parent == TENON_NONE) continue;
        ranks[i] = !is_used[i] ? BBMOD_SPARE : moves[i] ? BBMOD_KEPT : BBMOD_STILL;
    }
    bbmod_rank rank = BBMOD_SPARE;
    if (bbmod_export_tree_count_below(exporter, ranks, rank) > BBMOD_ENGINE_MOST)
        rank = BBMOD_STILL;
    if (bbmod_export_tree_count_below(exporter, ranks, rank) > BBMOD_ENGINE_MOST) return true;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (exporter->sources[i].is_left_out || ranks[i] < rank) continue;
        exporter->sources[i].is_left_out = true;
        tn_tally_at(&exporter->tallies.spare, 1, "nodes", i);
    }
    return true;
}

// -- Plans

// A node that would be too deep becomes a sibling of its parent.
static void bbmod_export_tree_plan_node(bbmod_exporter *exporter, tenon_str name, uint32_t node,
                                        uint32_t parent)
{
    bbmod_node_plan *plan = &exporter->plans[exporter->node_count++];
    *plan = (bbmod_node_plan){
        .name = name, .node = node, .parent = parent, .bone = TENON_NONE, .slot = TENON_NONE};
    if (parent == TENON_NONE) return;
    if (exporter->plans[parent].depth == DEPTH_MOST) {
        plan->parent = exporter->plans[parent].parent;
        tn_tally_at(&exporter->tallies.too_deep, 1, "nodes", node);
    }
    plan->depth = exporter->plans[plan->parent].depth + 1;
}

static bool bbmod_export_tree_list_plans(bbmod_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    bbmod_source_node *sources = exporter->sources;
    uint64_t most = (uint64_t)scene->node_count + exporter->rig.bone_count + 1;
    bool *is_below = tn_export_alloc(exporter->export, scene->node_count, sizeof *is_below);
    if (most > NODES_MOST)
        return tn_error(exporter->export->err, TENON_ERR_LIMIT,
                        "the scene has too many nodes for BBMOD");
    exporter->plans = tn_export_alloc(exporter->export, most, sizeof *exporter->plans);
    if (!exporter->plans || !is_below) return false;
    uint32_t root_count = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        bool is_under = parent != TENON_NONE && is_below[parent];
        root_count += !is_under && !sources[i].is_left_out;
        is_below[i] = is_under || !sources[i].is_left_out;
    }
    exporter->added_count = root_count != 1;
    if (root_count != 1)
        bbmod_export_tree_plan_node(exporter, (tenon_str){"RootNode", 8}, TENON_NONE, TENON_NONE);
    // A node that is left out refers to its nearest exported ancestor.
    uint32_t root = root_count == 1 ? TENON_NONE : 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        uint32_t above = parent == TENON_NONE ? root : sources[parent].plan;
        sources[i].plan = sources[i].is_left_out ? above : exporter->node_count;
        if (!sources[i].is_left_out)
            bbmod_export_tree_plan_node(exporter, scene->nodes[i].name, i, above);
    }
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++) {
        uint32_t node = exporter->rig.bones[i].node, plan = sources[node].plan;
        if (exporter->bones[i].is_separate) {
            bbmod_export_tree_plan_node(exporter, scene->nodes[node].name, node, plan);
            plan = exporter->node_count - 1;
            exporter->added_count++;
        }
        exporter->bones[i].plan = plan;
        if (exporter->plans[plan].bone == TENON_NONE) exporter->plans[plan].bone = i;
    }
    return true;
}

// The children of each node.
static tn_tree_link *bbmod_export_tree_link_children(const bbmod_exporter *exporter)
{
    tn_tree_link *links = tn_export_alloc(exporter->export, exporter->node_count, sizeof *links);
    if (!links) return NULL;
    for (uint32_t i = 0; i < exporter->node_count; i++) links[i].parent = exporter->plans[i].parent;
    (void)tn_tree_link_all(links, exporter->node_count);
    return links;
}

static void bbmod_export_tree_give_slot(bbmod_exporter *exporter, uint32_t plan, uint32_t *slot)
{
    if (exporter->plans[plan].slot != TENON_NONE) return;
    exporter->plans[plan].slot = *slot;
    exporter->by_slot[(*slot)++] = plan;
}

bool bbmod_export_plan_nodes(bbmod_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    const tn_rig *rig = &exporter->rig;
    uint32_t slot = 0;
    if (!bbmod_export_tree_leave_out_nodes(exporter) || !bbmod_export_tree_list_plans(exporter))
        return false;
    tn_tree_link *links = bbmod_export_tree_link_children(exporter);
    exporter->by_slot =
        tn_export_alloc(exporter->export, exporter->node_count, sizeof *exporter->by_slot);
    bool *is_seen = tn_export_alloc(exporter->export, scene->skin_count, sizeof *is_seen);
    if (!links || !exporter->by_slot || !is_seen) return false;
    // Bones in the order of the joints of skins, so that an imported model keeps its numbers; then
    // the other bones.
    for (uint32_t i = 0; i < rig->part_count; i++) {
        const tn_part *part = &rig->parts[i];
        uint32_t skin = scene->nodes[part->node].skin;
        if (!part->is_skinned || is_seen[skin]) continue;
        is_seen[skin] = true;
        for (uint32_t k = 0; k < scene->skins[skin].joint_count; k++)
            if (part->bones[k] != TENON_NONE)
                bbmod_export_tree_give_slot(exporter, exporter->bones[part->bones[k]].plan, &slot);
    }
    for (uint32_t i = 0; i < rig->bone_count; i++)
        bbmod_export_tree_give_slot(exporter, exporter->bones[i].plan, &slot);
    exporter->bone_count = slot;
    // All other nodes, depth first.
    uint32_t count = exporter->node_count;
    for (uint32_t i = 0; i != TN_NO_NODE; i = tn_tree_next(links, count, i, TN_NO_NODE, NULL))
        bbmod_export_tree_give_slot(exporter, i, &slot);
    return true;
}

// -- Transforms

tn_dquat bbmod_export_plan_world(const bbmod_exporter *exporter, uint32_t plan)
{
    uint32_t node = exporter->plans[plan].node;
    return node == TENON_NONE ? tn_dquat_identity() : exporter->poses[node].world;
}

tn_dquat bbmod_export_plan_local(const bbmod_exporter *exporter, uint32_t index)
{
    const bbmod_node_plan *plan = &exporter->plans[index];
    if (plan->parent == TENON_NONE) return bbmod_export_plan_world(exporter, index);
    uint32_t above = exporter->plans[plan->parent].node;
    if (above == plan->node) return tn_dquat_identity();
    bool is_whole = exporter->sources[plan->node].is_plain &&
                    exporter->scene->nodes[plan->node].parent == above;
    if (is_whole) return exporter->poses[plan->node].local;
    return tn_dquat_mul(tn_dquat_inverse(bbmod_export_plan_world(exporter, plan->parent)),
                        exporter->poses[plan->node].world);
}

bool bbmod_export_store_transform(const bbmod_exporter *exporter, tn_dquat transform,
                                  float numbers[8])
{
    tn_vec3 move = tn_mirror_vec3(tn_dquat_translation(transform));
    bbmod_rig_dual_store(tn_dquat_make(tn_mirror_quat(transform.real), move), numbers);
    for (int i = 0; i < 8; i++)
        if (!isfinite(numbers[i]))
            return tn_error(exporter->export->err, TENON_ERR_VALUE,
                            "a node position is too large for BBMOD");
    return true;
}

// -- The document

bool bbmod_export_fill_tree(bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    tenon_bbmod *doc = exporter->doc;
    uint32_t count = exporter->node_count, ref_count = exporter->rig.part_count, used = 1;
    uint8_t *refs = tn_export_alloc(export, ref_count, 4);
    tn_tree_link *links = bbmod_export_tree_link_children(exporter);
    tenon_bbmod_node *nodes = tn_export_alloc(export, count, sizeof *nodes);
    uint32_t *order = tn_export_alloc(export, count, sizeof *order);  // Starts with the root, 0.
    uint64_t stride = bbmod_bone_layout.stride, bone_count = exporter->bone_count;
    uint8_t *bones = tn_export_alloc(export, bone_count, (size_t)stride);
    if (!refs || !links || !nodes || !order || !bones) return false;
    tn_copy_numbers(refs, exporter->refs, ref_count, 4, false);
    // All nodes in one array, level by level, so that the children of each are adjacent.
    for (uint32_t i = 0; i < count; i++) {
        const bbmod_node_plan *plan = &exporter->plans[order[i]];
        uint32_t first_child = used;
        for (uint32_t k = links[order[i]].first_child; k != TN_NO_NODE; k = links[k].next_sibling)
            order[used++] = k;
        nodes[i] = (tenon_bbmod_node){.name = plan->name,
                                      .index = (float)plan->slot,
                                      .is_bone = plan->bone != TENON_NONE,
                                      .meshes = bbmod_span(refs + 4 * (size_t)plan->first_ref,
                                                           plan->ref_count, &tn_layout_u32),
                                      .child_count = used - first_child,
                                      .children = nodes + first_child};
        tn_dquat local = bbmod_export_plan_local(exporter, order[i]);
        if (!bbmod_export_store_transform(exporter, local, nodes[i].transform)) return false;
    }
    doc->root = nodes[0];
    doc->node_count = count;
    for (uint32_t slot = 0; slot < bone_count; slot++) {
        float numbers[9] = {(float)slot};
        uint32_t bone = exporter->plans[exporter->by_slot[slot]].bone;
        if (!bbmod_export_store_transform(exporter, exporter->bones[bone].offset, numbers + 1))
            return false;
        tn_copy_numbers(bones + slot * stride, numbers, 9, 4, false);
    }
    doc->bones = bbmod_span(bones, bone_count, &bbmod_bone_layout);
    return true;
}
