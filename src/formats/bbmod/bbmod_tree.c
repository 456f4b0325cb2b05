// bbmod_tree.c: the trees of a model as flat lists, and its skeleton as rigid transforms.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_tree.h"
#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "core/text/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOISE 2e-7  // Rounding errors of single precision.

// -- Questions

bool bbmod_has(const tenon_bbmod *doc, uint32_t flag)
{
    return (doc->base.dialect->flags & flag) != 0;
}

bool bbmod_is_v0_doc(const tenon_bbmod *doc)
{
    return !bbmod_has(doc, TENON_BBMOD_LOWER | TENON_BBMOD_UPPER);
}

uint32_t bbmod_slot(float index, uint32_t count)
{
    if (!(index >= 0 && index < 4294967040.0f)) return TENON_NONE;
    uint32_t slot = (uint32_t)index;
    return (float)slot == index && slot < count ? slot : TENON_NONE;
}

uint32_t bbmod_node_slot(const tenon_bbmod *doc, const tenon_bbmod_node *node, uint32_t count)
{
    if (!bbmod_has(doc, TENON_BBMOD_TEXT_INDEX)) return bbmod_slot(node->index, count);
    uint64_t slot;
    if (tn_u64_parse(node->index_text.data, node->index_text.size, &slot))
        return slot < count ? (uint32_t)slot : TENON_NONE;
    double number;  // "3.0" is a whole number as well.
    bool is_number = tn_f64_parse(node->index_text.data, node->index_text.size, &number);
    bool is_slot = is_number && number >= 0 && number < count && floor(number) == number;
    return is_slot ? (uint32_t)number : TENON_NONE;
}

uint32_t *bbmod_bare_slots(const bbmod_view *view, uint64_t count, tn_arena *arena,
                           tenon_error *err)
{
    uint32_t node_count = view->nodes.count, bone_count = 0;
    uint32_t *slots = tn_arena_alloc_or_fail(arena, count, sizeof *slots, "nodes", err);
    uint8_t *is_bone =
        slots ? tn_arena_alloc_or_fail(arena, node_count, sizeof *is_bone, "nodes", err) : NULL;
    if (!is_bone) return NULL;
    for (uint32_t i = 0; i < node_count; i++) {
        const tenon_bbmod_node *node = view->nodes.items[i].node;
        uint32_t slot = node->is_bone ? bbmod_node_slot(view->doc, node, node_count) : TENON_NONE;
        if (slot == TENON_NONE || is_bone[slot]) continue;
        is_bone[slot] = 1;
        bone_count++;
    }
    uint32_t next = 0;
    for (uint32_t slot = 0; bone_count == count && slot < node_count; slot++)
        if (is_bone[slot]) slots[next++] = slot;
    for (uint64_t i = next; i < count; i++) slots[i] = i < node_count ? (uint32_t)i : TENON_NONE;
    return slots;
}

uint32_t *bbmod_entry_slots(const bbmod_view *view, tn_arena *arena, tenon_error *err)
{
    const tenon_span *bones = &view->doc->bones;
    if (bones->layout && bones->layout->element_count == 1)
        return bbmod_bare_slots(view, bones->count, arena, err);
    uint32_t *slots = tn_arena_alloc_or_fail(arena, bones->count, sizeof *slots, "nodes", err);
    for (uint64_t i = 0; slots && i < bones->count; i++)
        slots[i] = bbmod_slot(tn_load_f32(tn_span_record(bones, i), false), view->nodes.count);
    return slots;
}

bool bbmod_root_is_inverse(const float root[16], const float inverse[16])
{
    bool is_identity = true;
    for (int i = 0; i < 16; i++) {
        if (root[i] != inverse[i]) return false;
        if (root[i] != (i % 5 == 0 ? 1.0f : 0.0f)) is_identity = false;
    }
    return !is_identity;
}

// -- Flattening trees

static uint32_t bbmod_tree_child_count(const bbmod_tree_item *item)
{
    if (item->node) return item->node->child_count;
    return item->v1_node ? item->v1_node->child_count : item->v1_bone->child_count;
}

static bbmod_tree_item bbmod_tree_child(const bbmod_tree_item *item, uint32_t index)
{
    bbmod_tree_item child = {.position = index};
    if (item->node) child.node = &item->node->children[index];
    if (item->v1_node) child.v1_node = &item->v1_node->children[index];
    if (item->v1_bone) child.v1_bone = &item->v1_bone->children[index];
    return child;
}

uint64_t bbmod_tree_count(const bbmod_tree_item *item)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < bbmod_tree_child_count(item); i++) {
        bbmod_tree_item child = bbmod_tree_child(item, i);
        count += bbmod_tree_count(&child);
    }
    return count;
}

static void bbmod_tree_fill(bbmod_tree *tree, bbmod_tree_item item, uint32_t parent)
{
    uint32_t own = tree->count++;
    item.parent = parent;
    tree->items[own] = item;
    for (uint32_t i = 0; i < bbmod_tree_child_count(&item); i++)
        bbmod_tree_fill(tree, bbmod_tree_child(&item, i), own);
}

// Items are numbered with 32 bits.
static void *bbmod_tree_list_alloc(tn_arena *arena, uint64_t count, size_t size, tenon_error *err)
{
    if (count < TENON_NONE) return tn_arena_alloc_or_fail(arena, count, size, "nodes", err);
    (void)tn_error(err, TENON_ERR_LIMIT, "too many nodes or meshes");
    return NULL;
}

static bool bbmod_tree_flatten(bbmod_tree *tree, bbmod_tree_item root, tn_arena *arena,
                               tenon_error *err)
{
    tree->items = bbmod_tree_list_alloc(arena, bbmod_tree_count(&root), sizeof *tree->items, err);
    if (!tree->items) return false;
    bbmod_tree_fill(tree, root, TENON_NONE);
    return true;
}

bool bbmod_view_make(bbmod_view *view, const tenon_bbmod *doc, tn_arena *arena, tenon_error *err)
{
    *view = (bbmod_view){.doc = doc, .nodes = {.name = "root"}, .bones = {.name = "skeleton"}};
    bool is_nested = bbmod_has(doc, TENON_BBMOD_NESTED);
    bbmod_tree_item root = {.node = is_nested ? NULL : &doc->root,
                            .v1_node = is_nested ? &doc->v1_root : NULL};
    bbmod_tree_item skeleton = {.v1_bone = &doc->v1_skeleton};
    if (!bbmod_is_v0_doc(doc) && !bbmod_tree_flatten(&view->nodes, root, arena, err)) return false;
    if (is_nested && doc->v1_bone_count && !bbmod_tree_flatten(&view->bones, skeleton, arena, err))
        return false;
    uint64_t count = is_nested ? 0 : doc->mesh_count;
    for (uint32_t n = 0; is_nested && n < view->nodes.count; n++)
        count += view->nodes.items[n].v1_node->mesh_count;
    view->meshes = bbmod_tree_list_alloc(arena, count, sizeof *view->meshes, err);
    if (!view->meshes) return false;
    for (uint32_t i = 0; !is_nested && i < doc->mesh_count; i++)
        view->meshes[view->mesh_count++] = (bbmod_view_mesh){&doc->meshes[i], TENON_NONE, i};
    for (uint32_t n = 0; is_nested && n < view->nodes.count; n++) {
        const tenon_bbmod_v1_node *node = view->nodes.items[n].v1_node;
        for (uint32_t i = 0; i < node->mesh_count; i++)
            view->meshes[view->mesh_count++] = (bbmod_view_mesh){&node->meshes[i], n, i};
    }
    return true;
}

// -- Paths

bbmod_path bbmod_item_path(const bbmod_tree *tree, uint32_t item)
{
    uint32_t steps[256], depth = 0;
    for (uint32_t i = item; tree->items[i].parent != TENON_NONE; i = tree->items[i].parent)
        steps[depth++ % 256] = tree->items[i].position;
    bbmod_path path = {.is_cut = depth > 256};
    int n = snprintf(path.text, sizeof path.text, "%s", tree->name);
    while (depth > 0 && !path.is_cut) {
        char step[32];
        int size = snprintf(step, sizeof step, ".children[%u]", steps[--depth]);
        path.is_cut = (size_t)(n + size) >= sizeof path.text;
        if (!path.is_cut) n += snprintf(path.text + n, sizeof path.text - (size_t)n, "%s", step);
    }
    return path;
}

bbmod_path bbmod_mesh_path(const bbmod_view *view, uint32_t mesh)
{
    const bbmod_view_mesh *mesh_item = &view->meshes[mesh];
    bbmod_path path = {.is_cut = false};
    if (mesh_item->node == TENON_NONE) {
        snprintf(path.text, sizeof path.text, "meshes[%u]", mesh_item->index);
        return path;
    }
    path = bbmod_item_path(&view->nodes, mesh_item->node);
    char step[32];
    size_t used = strlen(path.text);
    int size = snprintf(step, sizeof step, ".meshes[%u]", mesh_item->index);
    path.is_cut = path.is_cut || used + (size_t)size >= sizeof path.text;
    if (!path.is_cut) memcpy(path.text + used, step, (size_t)size + 1);
    return path;
}

tn_path_text bbmod_field_path(const bbmod_path *path, const char *fmt, ...)
{
    char inside[sizeof(tn_path_text) - sizeof path->text] = "";
    va_list args;
    va_start(args, fmt);
    if (!path->is_cut) vsnprintf(inside, sizeof inside, fmt, args);
    va_end(args);
    return tn_path("%s%s", path->text, inside);
}

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

bool bbmod_rig_make(bbmod_rig *rig, const bbmod_view *view, tn_arena *arena, tenon_error *err)
{
    const tenon_bbmod *doc = view->doc;
    bool is_nested = bbmod_has(doc, TENON_BBMOD_NESTED);
    uint32_t count = is_nested ? view->bones.count : view->nodes.count;
    *rig = (bbmod_rig){.joint_count = count,
                       .bone_count = is_nested ? doc->v1_bone_count : (uint32_t)doc->bones.count,
                       .is_rigid = !bbmod_has(doc, TENON_BBMOD_MATRICES),
                       .above = tn_mat4_identity()};
    if (!(rig->joints = tn_arena_alloc_or_fail(arena, count, sizeof *rig->joints, "nodes", err)))
        return false;
    if (!(rig->offsets = tn_arena_alloc_or_fail(arena, count, sizeof *rig->offsets, "nodes", err)))
        return false;
    if (!(rig->by_slot = tn_arena_alloc_or_fail(arena, count, sizeof *rig->by_slot, "nodes", err)))
        return false;
    tn_mat4 *worlds = tn_arena_alloc_or_fail(arena, count, sizeof *worlds, "nodes", err);
    if (!worlds) return false;
    uint32_t *slots = bbmod_entry_slots(view, arena, err);
    if (!slots) return false;
    // Bones of version 1 keep their index; the other nodes are numbered after them in tree order,
    // as later converters do.
    uint64_t next = doc->v1_bone_count;
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        bbmod_joint *joint = &rig->joints[i];
        rig->by_slot[i] = TENON_NONE;
        if (view->bones.count) {
            const tenon_bbmod_v1_bone *bone = view->bones.items[i].v1_bone;
            uint64_t slot = bbmod_slot(bone->index, doc->v1_bone_count);
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
        joint->slot = bbmod_node_slot(doc, node, rig->joint_count);
        if (rig->is_rigid)
            joint->rest = tn_dquat_normalise(bbmod_rig_dual_load(node->transform));
        else
            joint->local = tn_mat4_from_columns(node->transform);
    }
    if (!rig->is_rigid && count) {
        const float *root = is_nested ? doc->v1_skeleton.transform : doc->root.transform;
        rig->above =
            bbmod_rig_load_matrix(doc->inverse_transform, is_nested && doc->column_vectors);
        // Some files store the inverse of the root's transform instead of the transform.
        if (bbmod_root_is_inverse(root, doc->inverse_transform))
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
