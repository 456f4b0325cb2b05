// bbmod_rig.c: the skeleton of a model of any version, as rigid transforms.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_rig.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"

#include <math.h>

#define NOISE 2e-7  // Rounding errors of single precision.

// -- Dual quaternions

void bbmod_rig_dual_store(tn_dquat q, float v[8])
{
    const double numbers[8] = {q.real.x, q.real.y, q.real.z, q.real.w,
                               q.dual.x, q.dual.y, q.dual.z, q.dual.w};
    for (int i = 0; i < 8; i++) v[i] = tn_to_float(numbers[i]);
}

tn_dquat bbmod_rig_load_row(const uint8_t *rows, uint64_t row)
{
    float v[8];
    tn_copy_numbers(v, rows + 32 * row, 8, 4, false);
    return tn_dquat_normalise(bbmod_rig_dual_load(v));
}

void bbmod_rig_store_row(uint8_t *rows, uint64_t row, tn_dquat q)
{
    float v[8];
    bbmod_rig_dual_store(q, v);
    tn_copy_numbers(rows + 32 * row, v, 8, 4, false);
}

bool bbmod_rig_is_identity(const tn_mat3 *m)
{
    for (int i = 0; i < 9; i++)
        if (!(fabs(m->m[i] - (i % 4 == 0)) <= NOISE)) return false;
    return true;
}

tn_dquat bbmod_rig_without_scale(const tn_mat4 *m, bool *is_sheared)
{
    tn_trs trs;
    uint32_t flags = tn_mat4_decompose(m, &trs);
    tn_vec3 s = trs.scale, t = trs.translation;
    double uneven = fabs(s.x - s.y) + fabs(s.y - s.z);
    if (is_sheared && (flags != 0 || uneven > 1e-4 * fabs(s.x))) *is_sheared = true;
    tn_mat3 rotation = tn_mat3_from_quat(trs.rotation);
    bool is_identity =
        bbmod_rig_is_identity(&rotation) && fabs(t.x) + fabs(t.y) + fabs(t.z) <= NOISE;
    return is_identity ? tn_dquat_identity() : tn_dquat_make(trs.rotation, t);
}

// -- Joints

static tn_mat4 bbmod_rig_load_matrix(const float m[16], bool column_vectors)
{
    return column_vectors ? tn_mat4_from_rows(m) : tn_mat4_from_columns(m);
}

// Bones of version 1 keep their index; the other nodes are numbered after them in tree order, as
// later converters do.
static void bbmod_rig_joints(bbmod_rig *rig, const bbmod_view *view)
{
    const tenon_bbmod *doc = view->doc;
    uint64_t next = doc->v1_bone_count;
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        bbmod_joint *joint = &rig->joints[i];
        rig->by_slot[i] = TENON_NONE;
        if (view->bones.count) {
            const tenon_bbmod_v1_bone *bone = view->bones.items[i].v1_bone;
            uint64_t slot = bbmod_tree_slot(bone->index, doc->v1_bone_count);
            joint->is_bone = slot != TENON_NONE;
            if (!joint->is_bone) slot = next++;
            joint->name = bone->name;
            joint->parent = view->bones.items[i].parent;
            joint->slot = slot < rig->joint_count ? (uint32_t)slot : TENON_NONE;
            joint->local = bbmod_rig_load_matrix(bone->transform, doc->column_vectors != 0);
            continue;
        }
        const tenon_bbmod_node *node = view->nodes.items[i].node;
        joint->is_bone = node->is_bone != 0;
        joint->name = node->name;
        joint->parent = view->nodes.items[i].parent;
        joint->slot = bbmod_tree_node_slot(doc, node, rig->joint_count);
        if (rig->is_rigid)
            joint->rest = tn_dquat_normalise(bbmod_rig_dual_load(node->transform));
        else
            joint->local = tn_mat4_from_columns(node->transform);
    }
}

// -- Offsets

// Split an offset, together with the scale of its joint, into a stretch followed by a rigid
// transform.
static void bbmod_rig_offset(bbmod_rig *rig, uint32_t slot, const tn_mat4 *worlds,
                             const tn_mat4 *offset)
{
    uint32_t i = rig->by_slot[slot];
    if (i == TENON_NONE) return;
    tn_mat4 back = tn_dquat_to_mat4(tn_dquat_inverse(rig->joints[i].world));
    tn_mat4 scale = tn_mat4_mul(&back, &worlds[i]), whole = tn_mat4_mul(&scale, offset);
    tn_mat3 upper = tn_mat4_upper(&whole), rotation, stretch;
    tn_mat3_polar(&upper, &rotation, &stretch);
    tn_vec3 t = {whole.m[12], whole.m[13], whole.m[14]};
    bool is_plain = bbmod_rig_is_identity(&stretch);
    rig->offsets[slot] = (bbmod_offset){.is_there = true,
                                        .rigid = tn_dquat_make(tn_quat_from_mat3(&rotation), t),
                                        .stretch = is_plain ? tn_mat3_identity() : stretch};
    rig->stretched_count += !is_plain;
}

static void bbmod_rig_offsets(bbmod_rig *rig, const bbmod_view *view, const uint32_t *slots,
                              const tn_mat4 *worlds)
{
    const tenon_bbmod *doc = view->doc;
    for (uint32_t i = 0; i < view->bones.count; i++) {
        const tenon_bbmod_v1_bone *bone = view->bones.items[i].v1_bone;
        tn_mat4 offset = bbmod_rig_load_matrix(bone->offset, doc->column_vectors != 0);
        if (rig->joints[i].is_bone && rig->joints[i].slot != TENON_NONE)
            bbmod_rig_offset(rig, rig->joints[i].slot, worlds, &offset);
    }
    const tenon_layout *layout = doc->bones.layout;
    for (uint64_t i = 0; i < doc->bones.count; i++) {
        float numbers[16];
        if (slots[i] == TENON_NONE) continue;
        tn_span_f32(&doc->bones, &layout->elements[layout->element_count - 1], i, 1, numbers);
        if (rig->is_rigid) {
            rig->offsets[slots[i]] =
                (bbmod_offset){.is_there = true,
                               .rigid = tn_dquat_normalise(bbmod_rig_dual_load(numbers)),
                               .stretch = tn_mat3_identity()};
        } else {
            tn_mat4 offset = tn_mat4_from_columns(numbers);
            bbmod_rig_offset(rig, slots[i], worlds, &offset);
        }
    }
}

bool bbmod_rig_make(bbmod_rig *rig, const bbmod_view *view, tn_arena *arena, tn_refusal *why)
{
    const tenon_bbmod *doc = view->doc;
    bool is_nested = bbmod_tree_has(doc, TENON_BBMOD_NESTED);
    uint32_t count = is_nested ? view->bones.count : view->nodes.count;
    *rig = (bbmod_rig){.joint_count = count,
                       .bone_count = is_nested ? doc->v1_bone_count : (uint32_t)doc->bones.count,
                       .is_rigid = !bbmod_tree_has(doc, TENON_BBMOD_MATRICES),
                       .above = tn_mat4_identity()};
    if (!(rig->joints = tn_arena_alloc(arena, count, sizeof *rig->joints, why))) return false;
    if (!(rig->offsets = tn_arena_alloc(arena, count, sizeof *rig->offsets, why))) return false;
    if (!(rig->by_slot = tn_arena_alloc(arena, count, sizeof *rig->by_slot, why))) return false;
    tn_mat4 *worlds = tn_arena_alloc(arena, count, sizeof *worlds, why);
    if (!worlds) return false;
    uint32_t *slots = bbmod_tree_entry_slots(view, arena, why);
    if (!slots) return false;
    bbmod_rig_joints(rig, view);
    if (!rig->is_rigid && count) {
        const float *root = is_nested ? doc->v1_skeleton.transform : doc->root.transform;
        rig->above =
            bbmod_rig_load_matrix(doc->inverse_transform, is_nested && doc->column_vectors);
        // Some files store the inverse of the root's transform instead of the transform.
        if (bbmod_tree_root_is_inverse(root, doc->inverse_transform))
            tn_mat4_inverse(&rig->above, &rig->joints[0].local);
    }
    for (uint32_t i = 0; i < count; i++) {
        bbmod_joint *joint = &rig->joints[i];
        bool is_sheared = false, is_root = joint->parent == TENON_NONE;
        tn_dquat parent = is_root ? tn_dquat_identity() : rig->joints[joint->parent].world;
        if (rig->is_rigid) {
            joint->world = tn_dquat_mul(parent, joint->rest);
            joint->local = tn_dquat_to_mat4(joint->rest);
        } else {
            worlds[i] = tn_mat4_mul(is_root ? &rig->above : &worlds[joint->parent], &joint->local);
            joint->world = bbmod_rig_without_scale(&worlds[i], &is_sheared);
            joint->rest = tn_dquat_mul(tn_dquat_inverse(parent), joint->world);
            rig->sheared_count += is_sheared;
        }
        if (joint->slot != TENON_NONE && rig->by_slot[joint->slot] == TENON_NONE)
            rig->by_slot[joint->slot] = i;
    }
    bbmod_rig_offsets(rig, view, slots, worlds);
    return true;
}
