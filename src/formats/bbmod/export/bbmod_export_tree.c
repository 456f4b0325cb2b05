// bbmod_export_tree.c: the nodes of a model: one root, limited depth, bones numbered first.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/bbmod_rig.h"

#include "core/cursor/span.h"
#include "scene/model/space.h"

#include <math.h>

#define DEPTH_MOST 250u        // Readers support 254.
#define LIMBS_MOST 0x1000000u  // Indices are floats, which are exact up to here.

// -- The list

// A node that would be too deep becomes a sibling of its parent.
static void bbmod_add_limb(bbmod_exporter *w, tenon_str name, uint32_t node, uint32_t parent)
{
    bbmod_node_plan *limb = &w->limbs[w->limb_count++];
    *limb = (bbmod_node_plan){.name = name, .node = node, .parent = parent, .bone = TENON_NONE};
    if (parent == TENON_NONE) return;
    if (w->limbs[parent].depth == DEPTH_MOST) {
        limb->parent = w->limbs[parent].parent;
        tn_tally_at(&w->notes.flat, 1, "nodes", node);
    }
    limb->depth = w->limbs[limb->parent].depth + 1;
}

// The parent of a node in the model: the nearest ancestor that is not left out.
static uint32_t bbmod_limb_above(const bbmod_exporter *w, uint32_t node, uint32_t root)
{
    uint32_t parent = w->s->nodes[node].parent;
    return parent == TENON_NONE ? root : w->bodies[parent].limb;
}

// A node that is left out refers to its nearest exported ancestor.
static void bbmod_add_nodes(bbmod_exporter *w)
{
    uint32_t root = w->limb_count ? 0 : TENON_NONE;
    for (uint32_t i = 0; i < w->s->node_count; i++) {
        uint32_t above = bbmod_limb_above(w, i, root);
        w->bodies[i].limb = w->bodies[i].is_left_out ? above : w->limb_count;
        if (!w->bodies[i].is_left_out) bbmod_add_limb(w, w->s->nodes[i].name, i, above);
    }
}

static void bbmod_add_bones(bbmod_exporter *w)
{
    for (uint32_t i = 0; i < w->rig.bone_count; i++) {
        uint32_t node = w->rig.bones[i].node, limb = w->bodies[node].limb;
        if (w->bones[i].is_apart) {
            bbmod_add_limb(w, w->s->nodes[node].name, node, limb);
            limb = w->limb_count - 1;
            w->new_limb_count++;
        }
        w->bones[i].limb = limb;
        if (w->limbs[limb].bone == TENON_NONE) w->limbs[limb].bone = i;
    }
}

static uint32_t bbmod_count_roots(const bbmod_exporter *w, bool *is_below)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->s->node_count; i++) {
        uint32_t parent = w->s->nodes[i].parent;
        bool is_under = parent != TENON_NONE && is_below[parent];
        count += !is_under && !w->bodies[i].is_left_out;
        is_below[i] = is_under || !w->bodies[i].is_left_out;
    }
    return count;
}

static bool bbmod_list_limbs(bbmod_exporter *w)
{
    uint64_t most = (uint64_t)w->s->node_count + w->rig.bone_count + 1;
    bool *is_below = tn_export_alloc(w->e, w->s->node_count, sizeof *is_below);
    if (most > LIMBS_MOST)
        return tn_error(w->e->err, TENON_ERR_LIMIT, "the scene has too many nodes for BBMOD");
    w->limbs = tn_export_alloc(w->e, most, sizeof *w->limbs);
    if (!w->limbs || !is_below) return false;
    w->new_limb_count = bbmod_count_roots(w, is_below) != 1;
    if (w->new_limb_count) bbmod_add_limb(w, (tenon_str){"RootNode", 8}, TENON_NONE, TENON_NONE);
    bbmod_add_nodes(w);
    bbmod_add_bones(w);
    return true;
}

// -- Children

// The children of each node, in order.
typedef struct bbmod_child_lists {
    uint32_t *first, *last, *next;
} bbmod_child_lists;

static bool bbmod_find_kin(const bbmod_exporter *w, bbmod_child_lists *kin)
{
    uint32_t count = w->limb_count;
    uint32_t *lists = tn_export_alloc(w->e, 3 * (uint64_t)count, sizeof *lists);
    if (!lists) return false;
    *kin = (bbmod_child_lists){lists, lists + count, lists + 2 * (size_t)count};
    for (uint32_t i = 0; i < count; i++) kin->first[i] = kin->last[i] = kin->next[i] = TENON_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = w->limbs[i].parent;
        if (parent == TENON_NONE) continue;
        if (kin->first[parent] == TENON_NONE)
            kin->first[parent] = i;
        else
            kin->next[kin->last[parent]] = i;
        kin->last[parent] = i;
    }
    return true;
}

// -- Numbers

static void bbmod_give_slot(bbmod_exporter *w, uint32_t limb, uint32_t *slot)
{
    if (w->limbs[limb].slot != TENON_NONE) return;
    w->limbs[limb].slot = *slot;
    w->by_slot[(*slot)++] = limb;
}

// Bones in the order of the joints of skins, so that an imported model keeps its numbers; then the
// others.
static void bbmod_number_bones(bbmod_exporter *w, bool *is_seen, uint32_t *slot)
{
    for (uint32_t i = 0; i < w->rig.part_count; i++) {
        const tn_part *part = &w->rig.parts[i];
        uint32_t skin = w->s->nodes[part->node].skin;
        if (!part->is_skinned || is_seen[skin]) continue;
        is_seen[skin] = true;
        for (uint32_t k = 0; k < w->s->skins[skin].joint_count; k++)
            if (part->bones[k] != TENON_NONE)
                bbmod_give_slot(w, w->bones[part->bones[k]].limb, slot);
    }
    for (uint32_t i = 0; i < w->rig.bone_count; i++) bbmod_give_slot(w, w->bones[i].limb, slot);
    w->bone_limb_count = *slot;
}

// All other nodes, depth first.
static void bbmod_number_rest(bbmod_exporter *w, const bbmod_child_lists *kin, uint32_t *slot)
{
    uint32_t limb = 0;
    while (limb != TENON_NONE) {
        bbmod_give_slot(w, limb, slot);
        if (kin->first[limb] != TENON_NONE) {
            limb = kin->first[limb];
            continue;
        }
        while (limb != TENON_NONE && kin->next[limb] == TENON_NONE) limb = w->limbs[limb].parent;
        if (limb != TENON_NONE) limb = kin->next[limb];
    }
}

bool bbmod_export_limbs(bbmod_exporter *w)
{
    bbmod_child_lists kin;
    uint32_t slot = 0;
    if (!bbmod_list_limbs(w) || !bbmod_find_kin(w, &kin)) return false;
    w->by_slot = tn_export_alloc(w->e, w->limb_count, sizeof *w->by_slot);
    bool *is_seen = tn_export_alloc(w->e, w->s->skin_count, sizeof *is_seen);
    if (!w->by_slot || !is_seen) return false;
    for (uint32_t i = 0; i < w->limb_count; i++) w->limbs[i].slot = TENON_NONE;
    bbmod_number_bones(w, is_seen, &slot);
    bbmod_number_rest(w, &kin, &slot);
    return true;
}

// -- Transforms

tn_dquat bbmod_limb_world(const bbmod_exporter *w, uint32_t limb)
{
    uint32_t node = w->limbs[limb].node;
    return node == TENON_NONE ? tn_dquat_identity() : w->places[node].world;
}

tn_dquat bbmod_limb_local(const bbmod_exporter *w, uint32_t index)
{
    const bbmod_node_plan *limb = &w->limbs[index];
    if (limb->parent == TENON_NONE) return bbmod_limb_world(w, index);
    uint32_t above = w->limbs[limb->parent].node;
    if (above == limb->node) return tn_dquat_identity();
    bool is_whole = w->bodies[limb->node].is_plain && w->s->nodes[limb->node].parent == above;
    if (is_whole) return w->places[limb->node].local;
    return tn_dquat_mul(tn_dquat_inverse(bbmod_limb_world(w, limb->parent)),
                        w->places[limb->node].world);
}

bool bbmod_store_place(const bbmod_exporter *w, tn_dquat place, float numbers[8])
{
    tn_vec3 move = tn_mirror_vec3(tn_dquat_translation(place));
    bbmod_dual_store(tn_dquat_make(tn_mirror_quat(place.real), move), numbers);
    for (int i = 0; i < 8; i++)
        if (!isfinite(numbers[i]))
            return tn_error(w->e->err, TENON_ERR_VALUE, "a node position is too large for BBMOD");
    return true;
}

// -- The document

static bool bbmod_fill_node(const bbmod_exporter *w, uint32_t index, uint8_t *refs,
                            tenon_bbmod_node *node)
{
    const bbmod_node_plan *limb = &w->limbs[index];
    node->name = limb->name;
    node->index = (float)limb->slot;
    node->is_bone = limb->bone != TENON_NONE;
    node->meshes = (tenon_span){.data = refs + 4 * (size_t)limb->first_ref,
                                .size = 4 * (uint64_t)limb->ref_count,
                                .count = limb->ref_count,
                                .layout = &tn_layout_u32};
    return bbmod_store_place(w, bbmod_limb_local(w, index), node->transform);
}

// All nodes in one array, level by level, so that the children of each are adjacent.
static bool bbmod_fill_nodes(const bbmod_exporter *w, const bbmod_child_lists *kin, uint8_t *refs)
{
    uint32_t count = w->limb_count, used = 1;
    tenon_bbmod_node *nodes = tn_export_alloc(w->e, count, sizeof *nodes);
    uint32_t *order = tn_export_alloc(w->e, count, sizeof *order);  // Starts with the root, 0.
    if (!nodes || !order) return false;
    for (uint32_t i = 0; i < count; i++) {
        nodes[i].children = nodes + used;
        for (uint32_t k = kin->first[order[i]]; k != TENON_NONE; k = kin->next[k])
            order[used++] = k;
        nodes[i].child_count = (uint32_t)(nodes + used - nodes[i].children);
        if (!bbmod_fill_node(w, order[i], refs, &nodes[i])) return false;
    }
    w->doc->root = nodes[0];
    w->doc->node_count = count;
    return true;
}

static bool bbmod_fill_bones(const bbmod_exporter *w)
{
    uint64_t stride = bbmod_bone_layout.stride, count = w->bone_limb_count;
    uint8_t *bytes = tn_export_alloc(w->e, count, (size_t)stride);
    if (!bytes) return false;
    for (uint32_t slot = 0; slot < count; slot++) {
        float numbers[9] = {(float)slot};
        uint32_t bone = w->limbs[w->by_slot[slot]].bone;
        if (!bbmod_store_place(w, w->bones[bone].offset, numbers + 1)) return false;
        tn_copy_numbers(bytes + slot * stride, numbers, 9, 4, false);
    }
    w->doc->bones = (tenon_span){
        .data = bytes, .size = count * stride, .count = count, .layout = &bbmod_bone_layout};
    return true;
}

bool bbmod_fill_tree(bbmod_exporter *w)
{
    bbmod_child_lists kin;
    uint8_t *refs = tn_export_alloc(w->e, w->rig.part_count, 4);
    if (!refs || !bbmod_find_kin(w, &kin)) return false;
    tn_copy_numbers(refs, w->refs, w->rig.part_count, 4, false);
    return bbmod_fill_nodes(w, &kin, refs) && bbmod_fill_bones(w);
}
