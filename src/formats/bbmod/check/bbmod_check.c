// bbmod_check.c: checking BBMOD models: header, nodes, bones, materials.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/check/bbmod_check.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "core/text/number.h"
#include "document/field_rules.h"

#include <inttypes.h>
#include <math.h>

#define UNIT_TOLERANCE  1e-3   // How far a length may be from 1.
#define SCALE_TOLERANCE 1e-3   // How far a scale may be from 1.
#define SINGULAR        1e-18  // A determinant that counts as 0.
#define ENGINE_MOST     128    // Bones, and nodes, that the runtime supports.

// What uses a slot, the index that a node, a bone entry and vertices share.
enum { SLOT_NODE = 1, SLOT_BONE = 2, SLOT_ENTRY = 4 };

typedef struct bbmod_slots {
    uint8_t *marks;
    uint32_t count;
} bbmod_slots;

// -- Transforms

bbmod_dual_state bbmod_dual_check(const float v[8])
{
    double square = 0, dot = 0, dual_square = 0;
    for (int i = 0; i < 4; i++) {
        square += (double)v[i] * v[i];
        dot += (double)v[i] * v[4 + i];
        dual_square += (double)v[4 + i] * v[4 + i];
    }
    if (!isfinite(square) || !isfinite(dual_square)) return BBMOD_DUAL_GOOD;
    if (square == 0) return BBMOD_DUAL_ZERO;
    bool is_off = fabs(sqrt(square) - 1) > UNIT_TOLERANCE ||
                  fabs(dot) > UNIT_TOLERANCE * (1 + sqrt(dual_square));
    return is_off ? BBMOD_DUAL_OFF : BBMOD_DUAL_GOOD;
}

static void bbmod_check_dual(tn_check *check, tn_path_text path, const float v[8])
{
    bbmod_dual_state state = bbmod_dual_check(v);
    if (state == BBMOD_DUAL_ZERO)
        tn_found(check, BBMOD_TRANSFORM_ZERO, path, "the rotation is 0, 0, 0, 0");
    if (state == BBMOD_DUAL_OFF)
        tn_found(check, BBMOD_TRANSFORM_UNIT, path,
                 "the dual quaternion is not a rotation and translation");
}

// The length of row or column `k` of the upper left of a matrix.
static double bbmod_check_axis_length(const float m[16], int k)
{
    return sqrt((double)m[4 * k] * m[4 * k] + (double)m[4 * k + 1] * m[4 * k + 1] +
                (double)m[4 * k + 2] * m[4 * k + 2]);
}

static double bbmod_check_determinant(const float m[16])
{
    return m[0] * ((double)m[5] * m[10] - (double)m[6] * m[9]) -
           m[1] * ((double)m[4] * m[10] - (double)m[6] * m[8]) +
           m[2] * ((double)m[4] * m[9] - (double)m[5] * m[8]);
}

static void bbmod_check_matrix(tn_check *check, tn_path_text path, const float m[16],
                               bool column_vectors)
{
    if (!tn_all_finite(m, 16)) return;
    int step = column_vectors ? 1 : 4, first = column_vectors ? 12 : 3;
    bool ends_well =
        m[first] == 0 && m[first + step] == 0 && m[first + 2 * step] == 0 && m[15] == 1;
    if (!ends_well || fabs(bbmod_check_determinant(m)) < SINGULAR) {
        tn_found(check, BBMOD_MATRIX, path,
                 ends_well ? "the matrix cannot be inverted"
                           : "the matrix does not end in 0 0 0 1");
        return;
    }
    for (int k = 0; k < 3; k++) {
        double length = bbmod_check_axis_length(m, k);
        if (fabs(length - 1) <= SCALE_TOLERANCE) continue;
        char number[TN_NUMBER_MAX];
        tn_f32_text((float)length, number);
        tn_found(check, BBMOD_MATRIX_SCALE, path, "the matrix contains a scale of %s", number);
        return;
    }
}

static void bbmod_check_transform(tn_check *check, const tenon_bbmod *doc, tn_path_text path,
                                  const float *v)
{
    if (bbmod_tree_has(doc, TENON_BBMOD_MATRICES))
        bbmod_check_matrix(check, path, v, false);
    else
        bbmod_check_dual(check, path, v);
}

// -- Nodes

// Dialect "document" stores the index as text; then the number is 0.
static void bbmod_check_report_index(tn_check *check, uint32_t rule, tn_path_text path, float index,
                                     uint32_t node_count)
{
    char number[TN_NUMBER_MAX];
    tn_f32_text(index, number);
    tn_found(check, rule, path,
             "the index is %s, not a whole number below %" PRIu32 ", the node count",
             bbmod_tree_slot(index, node_count) == TENON_NONE ? number : "text", node_count);
}

static void bbmod_check_slot(tn_check *check, const bbmod_view *view, uint32_t item,
                             bbmod_slots *slots)
{
    const tenon_bbmod_node *node = view->nodes.items[item].node;
    bbmod_path path = bbmod_tree_item_path(&view->nodes, item);
    uint32_t slot = bbmod_tree_node_slot(view->doc, node, slots->count);
    if (slot == TENON_NONE) {
        bbmod_check_report_index(check, BBMOD_NODE_INDEX, bbmod_tree_field_path(&path, ".index"),
                                 node->index, slots->count);
        return;
    }
    if (slots->marks[slot] & SLOT_NODE)
        tn_found(check, BBMOD_NODE_INDEX_TWICE, bbmod_tree_field_path(&path, ".index"),
                 "an earlier node has the index %" PRIu32 ", too", slot);
    slots->marks[slot] |= SLOT_NODE;
    if (node->is_bone) slots->marks[slot] |= SLOT_BONE;
}

static void bbmod_check_references(tn_check *check, const bbmod_view *view, uint32_t item,
                                   uint8_t *used)
{
    const tenon_span *meshes = &view->nodes.items[item].node->meshes;
    bbmod_path path = bbmod_tree_item_path(&view->nodes, item);
    for (uint64_t i = 0; i < meshes->count; i++) {
        uint32_t mesh = tn_span_u32(meshes, i);
        if (mesh < view->doc->mesh_count)
            used[mesh] = 1;
        else
            tn_found(check, BBMOD_MESH_INDEX,
                     bbmod_tree_field_path(&path, ".meshes[%" PRIu64 "]", i),
                     "mesh %" PRIu32 ", but the model has %" PRIu32 " meshes", mesh,
                     view->doc->mesh_count);
    }
}

static void bbmod_check_node(tn_check *check, const bbmod_view *view, uint32_t item)
{
    const tenon_bbmod_node *node = view->nodes.items[item].node;
    bbmod_path path = bbmod_tree_item_path(&view->nodes, item);
    bbmod_check_transform(check, view->doc, bbmod_tree_field_path(&path, ".transform"),
                          node->transform);
}

static void bbmod_check_nodes(tn_check *check, const bbmod_view *view, bbmod_slots *slots)
{
    const tenon_bbmod *doc = view->doc;
    uint8_t *used = tn_check_alloc(check, doc->mesh_count, 1);
    if (!used) return;
    if (doc->node_count != view->nodes.count)
        tn_found(check, BBMOD_NODE_COUNT, tn_path("node_count"),
                 "the count is %" PRIu32 ", but the tree has %" PRIu32 " nodes", doc->node_count,
                 view->nodes.count);
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        bbmod_check_node(check, view, i);
        bbmod_check_slot(check, view, i, slots);
        bbmod_check_references(check, view, i, used);
    }
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (!used[i])
            tn_found(check, BBMOD_MESH_UNUSED, tn_path("meshes[%" PRIu32 "]", i),
                     "no node refers to the mesh");
    if (view->nodes.count > ENGINE_MOST && doc->bones.count)
        tn_found(check, BBMOD_NODE_LIMIT, tn_path("node_count"),
                 "%" PRIu32 " nodes, but the runtime animates at most %d", view->nodes.count,
                 ENGINE_MOST);
}

// -- Bones

static float bbmod_check_bone_index(const tenon_bbmod *doc, uint64_t i)
{
    return tn_load_f32(tn_span_record(&doc->bones, i), false);
}

static void bbmod_check_bone_offset(const tenon_bbmod *doc, uint64_t i, float *offset)
{
    const tenon_layout *layout = doc->bones.layout;
    tn_span_f32(&doc->bones, &layout->elements[layout->element_count - 1], i, 1, offset);
}

// BBMOD 3.12.0 to 3.16.1 saved every bone with index 0 and an offset of zeros.
static bool bbmod_check_bones_are_zero(const tenon_bbmod *doc)
{
    if (doc->bones.count == 0 || doc->bones.layout != &bbmod_bone_layout) return false;
    for (uint64_t i = 0; i < doc->bones.size; i++)
        if (doc->bones.data[i]) return false;
    return true;
}

static void bbmod_check_entry(tn_check *check, const tenon_bbmod *doc, uint64_t i,
                              bbmod_slots *slots)
{
    bool has_index = doc->bones.layout->element_count == 2;
    float offset[16];
    bbmod_check_bone_offset(doc, i, offset);
    bbmod_check_transform(
        check, doc, tn_path(has_index ? "bones[%" PRIu64 "].offset" : "bones[%" PRIu64 "]", i),
        offset);
    if (!has_index) return;
    float index = bbmod_check_bone_index(doc, i);
    uint32_t slot = bbmod_tree_slot(index, slots->count);
    tn_path_text path = tn_path("bones[%" PRIu64 "].index", i);
    if (slot == TENON_NONE)
        bbmod_check_report_index(check, BBMOD_BONE_ENTRY, path, index, slots->count);
    else if (!(slots->marks[slot] & SLOT_BONE))
        tn_found(check, BBMOD_BONE_ENTRY, path, "node %" PRIu32 " is not a bone", slot);
    else if (slots->marks[slot] & SLOT_ENTRY)
        tn_found(check, BBMOD_BONE_ENTRY, path, "an earlier entry is for bone %" PRIu32 ", too",
                 slot);
    if (slot != TENON_NONE) slots->marks[slot] |= SLOT_ENTRY;
}

static void bbmod_check_missing(tn_check *check, const bbmod_view *view, const bbmod_slots *slots)
{
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        const tenon_bbmod_node *node = view->nodes.items[i].node;
        uint32_t slot = bbmod_tree_node_slot(view->doc, node, slots->count);
        if (!node->is_bone || slot == TENON_NONE || (slots->marks[slot] & SLOT_ENTRY)) continue;
        bbmod_path path = bbmod_tree_item_path(&view->nodes, i);
        tn_found(check, BBMOD_BONE_MISSING, bbmod_tree_field_path(&path, ".is_bone"),
                 "node %" PRIu32 " is a bone, but has no bone entry", slot);
    }
}

static void bbmod_check_bones(tn_check *check, const bbmod_view *view, bbmod_slots *slots)
{
    const tenon_bbmod *doc = view->doc;
    if (bbmod_check_bones_are_zero(doc)) {
        tn_found(check, BBMOD_BROKEN_SAVER, tn_path("bones"),
                 "all %" PRIu64 " bones have the index 0 and an offset of zeros", doc->bones.count);
        return;
    }
    for (uint64_t i = 0; i < doc->bones.count; i++) bbmod_check_entry(check, doc, i, slots);
    if (!bbmod_tree_has(doc, TENON_BBMOD_BARE_OFFSETS)) bbmod_check_missing(check, view, slots);
    if (doc->bones.count > ENGINE_MOST)
        tn_found(check, BBMOD_BONE_LIMIT, tn_path("bones"),
                 "%" PRIu64 " bones, but the runtime supports at most %d", doc->bones.count,
                 ENGINE_MOST);
}

// -- Version 1

static void bbmod_check_v1_bone(tn_check *check, const bbmod_view *view, uint32_t item,
                                bbmod_slots *slots)
{
    const tenon_bbmod_v1_bone *bone = view->bones.items[item].v1_bone;
    bbmod_path path = bbmod_tree_item_path(&view->bones, item);
    bool columns = view->doc->column_vectors != 0;
    bbmod_check_matrix(check, bbmod_tree_field_path(&path, ".transform"), bone->transform, columns);
    bbmod_check_matrix(check, bbmod_tree_field_path(&path, ".offset"), bone->offset, columns);
    if (bone->index == -1) return;
    uint32_t slot = bbmod_tree_slot(bone->index, slots->count);
    char number[TN_NUMBER_MAX];
    tn_f32_text(bone->index, number);
    if (slot == TENON_NONE)
        tn_found(check, BBMOD_BONE_COUNT, bbmod_tree_field_path(&path, ".index"),
                 "the index is %s, neither -1 nor a whole number below %" PRIu32 ", the bone count",
                 number, slots->count);
    else if (slots->marks[slot]++)
        tn_found(check, BBMOD_BONE_COUNT, bbmod_tree_field_path(&path, ".index"),
                 "an earlier bone has the index %" PRIu32 ", too", slot);
}

static void bbmod_check_v1(tn_check *check, const bbmod_view *view)
{
    const tenon_bbmod *doc = view->doc;
    bbmod_check_matrix(check, tn_path("inverse_transform"), doc->inverse_transform,
                       doc->column_vectors != 0);
    uint32_t bone_count = 0;
    for (uint32_t i = 0; i < view->bones.count; i++)
        bone_count += view->bones.items[i].v1_bone->index != -1;
    if (bone_count != doc->v1_bone_count)
        tn_found(check, BBMOD_BONE_COUNT, tn_path("bone_count"),
                 "the count is %" PRIu32 ", but the skeleton has %" PRIu32 " bones",
                 doc->v1_bone_count, bone_count);
    bbmod_slots slots = {tn_check_alloc(check, bone_count, 1), bone_count};
    for (uint32_t i = 0; slots.marks && i < view->bones.count; i++)
        bbmod_check_v1_bone(check, view, i, &slots);
    if (doc->v1_bone_count &&
        bbmod_tree_root_is_inverse(doc->v1_skeleton.transform, doc->inverse_transform))
        tn_found(check, BBMOD_ROOT_INVERSE, tn_path("skeleton.transform"),
                 "the root's transform equals the inverse transform");
}

// -- Models

static void bbmod_check_materials(tn_check *check, const tenon_bbmod *doc)
{
    if (doc->material_count && !doc->material_names)
        tn_found(check, BBMOD_MATERIAL_UNNAMED, tn_path("material_count"),
                 "the file counts %" PRIu32 " materials, but does not store their names",
                 doc->material_count);
}

static void bbmod_check_tree(tn_check *check, const bbmod_view *view)
{
    const tenon_bbmod *doc = view->doc;
    bbmod_slots slots = {tn_check_alloc(check, view->nodes.count, 1), view->nodes.count};
    if (!slots.marks) return;
    bbmod_check_nodes(check, view, &slots);
    bbmod_check_bones(check, view, &slots);
    if (!bbmod_tree_has(doc, TENON_BBMOD_MATRICES)) return;
    bbmod_check_matrix(check, tn_path("inverse_transform"), doc->inverse_transform, false);
    if (bbmod_tree_root_is_inverse(doc->root.transform, doc->inverse_transform))
        tn_found(check, BBMOD_ROOT_INVERSE, tn_path("root.transform"),
                 "the root's transform equals the inverse transform");
}

void bbmod_check(tn_check *check, const void *any)
{
    const tenon_bbmod *doc = any;
    bbmod_view view;
    tn_check_fields(check, doc);
    if (!bbmod_tree_view_make(&view, doc, check->arena, NULL)) {
        check->failed = true;
        return;
    }
    bbmod_check_meshes(check, &view);
    // What follows the meshes may not have been read.
    if (doc->is_cut) return;
    if (bbmod_tree_has(doc, TENON_BBMOD_DOCUMENT))
        tn_found(check, BBMOD_VERSION, tn_path("version_major"),
                 "the layout follows the format's document, which the runtime does not read");
    else if (doc->version_major != 3)
        tn_found(check, BBMOD_VERSION, tn_path("version_major"),
                 "version %u, but the runtime reads only version 3", (unsigned)doc->version_major);
    if (bbmod_tree_has(doc, TENON_BBMOD_NESTED))
        bbmod_check_v1(check, &view);
    else if (!bbmod_tree_is_v0_doc(doc))
        bbmod_check_tree(check, &view);
    bbmod_check_materials(check, doc);
    bbmod_check_sidecars(check, doc);
}
