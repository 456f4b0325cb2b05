// bbmod_check.c: the rules of BBMOD models.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/bbmod_tree.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "document/field_rules.h"

#include <inttypes.h>
#include <math.h>

#define UNIT_TOLERANCE   1e-3   // How far a length may be from 1.
#define SCALE_TOLERANCE  1e-3   // How far a scale may be from 1.
#define SINGULAR         1e-18  // A determinant that counts as 0.
#define WEIGHT_TOLERANCE 0.01   // How far the sum of weights may be from 1.
#define BOX_TOLERANCE    1e-5   // How far a box may be off, as a share of its size.
#define ENGINE_MOST      128    // Bones, and nodes, that the runtime supports.

#define ENGINE "bbmod"

const tenon_rule bbmod_rules[BBMOD_RULE_COUNT] = {
    {"bbmod/node-index", TENON_ERROR,
     "the index of a node is a whole number below the number of nodes",
     "number the nodes from 0, bones first", NULL},
    {"bbmod/node-index-twice", TENON_WARNING, "no two nodes have the same index",
     "give each node its own name in the source, and convert it again", NULL},
    {"bbmod/node-count", TENON_WARNING, "the node count matches the tree",
     "convert with --refresh, which recounts the nodes", NULL},
    {"bbmod/bone-entry", TENON_ERROR, "every bone entry belongs to a different node that is a bone",
     NULL, NULL},
    {"bbmod/bone-missing", TENON_ERROR, "every node that is a bone has a bone entry",
     "add the bone's offset matrix, or clear the node's bone flag", NULL},
    {"bbmod/bone-count", TENON_ERROR,
     "the bones of a skeleton match the bone count and are numbered from 0", NULL, NULL},
    {"bbmod/mesh-index", TENON_ERROR, "nodes refer to meshes that exist", "remove the reference",
     NULL},
    {"bbmod/mesh-unused", TENON_INFO, "every mesh belongs to a node (otherwise it is never drawn)",
     NULL, NULL},
    {"bbmod/material-index", TENON_ERROR, "meshes refer to materials that exist",
     "add the missing material names (the runtime omits them when it saves imported OBJ files)",
     NULL},
    {"bbmod/material-unnamed", TENON_INFO, "materials have names", NULL, NULL},
    {"bbmod/primitive-type", TENON_ERROR, "a primitive type is 1 to 6, a GameMaker constant",
     "set it to 4 (triangle list) if the vertices form triangles", NULL},
    {"bbmod/primitive-count", TENON_WARNING,
     "the vertices of a mesh form complete lines or triangles", NULL, NULL},
    {"bbmod/vertex-format", TENON_WARNING, "a mesh with vertices has vertex attributes",
     "set the vertex count to 0: vertices without attributes draw nothing", NULL},
    {"bbmod/vertex-bone", TENON_ERROR, "weighted vertices refer to bones that exist", NULL, NULL},
    {"bbmod/vertex-bone-fraction", TENON_WARNING, "bone indices of vertices are whole numbers",
     "round the indices: shaders ignore the fraction", NULL},
    {"bbmod/weights", TENON_WARNING, "weights are not negative and sum to 1",
     "divide the weights of a vertex by their sum", NULL},
    {"bbmod/bounds-unset", TENON_INFO, "bounding boxes are set",
     "convert with --refresh, which computes the boxes", NULL},
    {"bbmod/bounds-stale", TENON_WARNING, "a bounding box matches the mesh's positions",
     "convert with --refresh, which computes the boxes", NULL},
    {"bbmod/winding", TENON_WARNING, "the winding of triangles agrees with their normals",
     "convert with --reverse-winding, unless the winding was inverted on purpose", NULL},
    {"bbmod/transform-zero", TENON_ERROR, "the rotation of a dual quaternion is not zero",
     "set it to 0, 0, 0, 1, 0, 0, 0, 0 (identity)", NULL},
    {"bbmod/transform-unit", TENON_WARNING,
     "the real part of a dual quaternion has the length 1 and is perpendicular to the dual part",
     NULL, NULL},
    {"bbmod/matrix", TENON_WARNING, "a matrix is invertible and ends in 0, 0, 0, 1", NULL, NULL},
    {"bbmod/matrix-scale", TENON_INFO, "matrices have no scale (version 3 cannot store it)",
     "convert with --as 3.4, which applies the scale to the vertices as far as possible", NULL},
    {"bbmod/root-inverse", TENON_INFO, "the root stores its transform, not the inverse",
     "convert with --as 3.4, which inverts it again", NULL},
    {"bbmod/not-finite", TENON_ERROR, "numbers are finite", NULL, NULL},
    {"bbmod/flag", TENON_WARNING, "a flag is 0 or 1",
     "write 0 or 1: readers treat every value except 0 as 1", NULL},
    {"bbmod/text-utf8", TENON_WARNING, "names are UTF-8", NULL, NULL},
    {"bbmod/broken-saver", TENON_ERROR,
     "bone entries are not all zeros (runtimes 3.12.0 to 3.16.1 saved zeros)",
     "save the source again with 3.16.2 or later: the bones are lost", NULL},
    {"bbmod/material-file", TENON_WARNING, "a material file beside the model is a JSON object",
     NULL, NULL},
    {"bbmod/texture-path", TENON_WARNING,
     "textures of a material file are in the model's folder or a subfolder", NULL, NULL},
    {"bbmod/texture-missing", TENON_WARNING, "textures that a material file names exist", NULL,
     NULL},
    {"bbmod/bone-limit", TENON_ERROR, "a model has at most 128 bones (64 before 3.15.0)",
     "split the model: the shaders do not support more bones", ENGINE},
    {"bbmod/node-limit", TENON_ERROR, "an animated model has at most 128 nodes",
     "merge nodes: the runtime cannot play animations in parent space with more nodes", ENGINE},
    {"bbmod/version", TENON_ERROR, "the runtime reads version 3 only", "convert with --as 3.4",
     ENGINE},
};

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

// A dual quaternion or a matrix, depending on the dialect.
static void bbmod_check_transform(tn_check *check, const tenon_bbmod *doc, tn_path_text path,
                                  const float *m)
{
    if (!bbmod_has(doc, TENON_BBMOD_MATRICES)) {
        bbmod_dual_state state = bbmod_dual_check(m);
        if (state == BBMOD_DUAL_ZERO)
            tn_found(check, "transform-zero", path, "the rotation is 0, 0, 0, 0");
        if (state == BBMOD_DUAL_OFF)
            tn_found(check, "transform-unit", path,
                     "the dual quaternion is not a rotation and translation");
        return;
    }
    if (!tn_all_finite(m, 16)) return;
    bool column_vectors = bbmod_has(doc, TENON_BBMOD_NESTED) && doc->column_vectors;
    int step = column_vectors ? 1 : 4, first = column_vectors ? 12 : 3;
    bool ends_well =
        m[first] == 0 && m[first + step] == 0 && m[first + 2 * step] == 0 && m[15] == 1;
    double determinant = m[0] * ((double)m[5] * m[10] - (double)m[6] * m[9]) -
                         m[1] * ((double)m[4] * m[10] - (double)m[6] * m[8]) +
                         m[2] * ((double)m[4] * m[9] - (double)m[5] * m[8]);
    if (!ends_well || fabs(determinant) < SINGULAR) {
        tn_found(check, "matrix", path,
                 ends_well ? "the matrix cannot be inverted"
                           : "the matrix does not end in 0 0 0 1");
        return;
    }
    for (int k = 0; k < 3; k++) {
        double x = m[4 * k], y = m[4 * k + 1], z = m[4 * k + 2];
        double length = sqrt(x * x + y * y + z * z);
        if (fabs(length - 1) <= SCALE_TOLERANCE) continue;
        tn_found(check, "matrix-scale", path, "the matrix contains a scale of %s",
                 tn_show_f32((float)length).text);
        return;
    }
}

// -- Nodes and bones

// What uses a slot, the index that a node, a bone entry and vertices share.
enum { SLOT_NODE = 1, SLOT_BONE = 2, SLOT_ENTRY = 4 };

// Dialect "document" stores the index as text; then the number is 0.
static void bbmod_check_report_index(tn_check *check, const char *rule, tn_path_text path,
                                     float index, uint32_t node_count)
{
    tn_found(check, rule, path, "the index is %s, not a whole number below %u, the node count",
             bbmod_slot(index, node_count) == TENON_NONE ? tn_show_f32(index).text : "text",
             node_count);
}

static void bbmod_check_entries(tn_check *check, const bbmod_view *view, uint8_t *slots)
{
    const tenon_bbmod *doc = view->doc;
    const tenon_span *bones = &doc->bones;
    // BBMOD 3.12.0 to 3.16.1 saved every bone with index 0 and an offset of zeros.
    bool is_broken = bones->count > 0 && bones->layout == &bbmod_bone_layout;
    for (uint64_t i = 0; is_broken && i < bones->size; i++) is_broken = bones->data[i] == 0;
    if (is_broken) {
        tn_found(check, "broken-saver", tn_path("bones"),
                 "all %" PRIu64 " bones have the index 0 and an offset of zeros", bones->count);
        return;
    }
    for (uint64_t i = 0; i < bones->count; i++) {
        bool has_index = bones->layout->element_count == 2;
        float offset[16];
        tn_span_f32(bones, &bones->layout->elements[has_index ? 1 : 0], i, 1, offset);
        bbmod_check_transform(
            check, doc, tn_path(has_index ? "bones[%" PRIu64 "].offset" : "bones[%" PRIu64 "]", i),
            offset);
        if (!has_index) continue;
        float index = tn_load_f32(tn_span_record(bones, i), false);
        uint32_t slot = bbmod_slot(index, view->nodes.count);
        tn_path_text path = tn_path("bones[%" PRIu64 "].index", i);
        if (slot == TENON_NONE)
            bbmod_check_report_index(check, "bone-entry", path, index, view->nodes.count);
        else if (!(slots[slot] & SLOT_BONE))
            tn_found(check, "bone-entry", path, "node %u is not a bone", slot);
        else if (slots[slot] & SLOT_ENTRY)
            tn_found(check, "bone-entry", path, "an earlier entry is for bone %u, too", slot);
        if (slot != TENON_NONE) slots[slot] |= SLOT_ENTRY;
    }
    bool has_indices = !bbmod_has(doc, TENON_BBMOD_BARE_OFFSETS);
    for (uint32_t i = 0; has_indices && i < view->nodes.count; i++) {
        const tenon_bbmod_node *node = view->nodes.items[i].node;
        uint32_t slot = bbmod_node_slot(doc, node, view->nodes.count);
        if (!node->is_bone || slot == TENON_NONE || (slots[slot] & SLOT_ENTRY)) continue;
        bbmod_path path = bbmod_item_path(&view->nodes, i);
        tn_found(check, "bone-missing", bbmod_field_path(&path, ".is_bone"),
                 "node %u is a bone, but has no bone entry", slot);
    }
    if (bones->count > ENGINE_MOST)
        tn_found(check, "bone-limit", tn_path("bones"),
                 "%" PRIu64 " bones, but the runtime supports at most %d", bones->count,
                 ENGINE_MOST);
}

static void bbmod_check_tree(tn_check *check, const bbmod_view *view)
{
    const tenon_bbmod *doc = view->doc;
    uint8_t *slots = tn_check_alloc(check, view->nodes.count, 1);
    uint8_t *used = tn_check_alloc(check, doc->mesh_count, 1);
    if (check->failed) return;
    if (doc->node_count != view->nodes.count)
        tn_found(check, "node-count", tn_path("node_count"),
                 "the count is %u, but the tree has %u nodes", doc->node_count, view->nodes.count);
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        // Adds the node to `slots`, and its meshes to those that are used.
        const tenon_bbmod_node *node = view->nodes.items[i].node;
        bbmod_path path = bbmod_item_path(&view->nodes, i);
        uint32_t slot = bbmod_node_slot(doc, node, view->nodes.count);
        bbmod_check_transform(check, doc, bbmod_field_path(&path, ".transform"), node->transform);
        if (slot == TENON_NONE) {
            bbmod_check_report_index(check, "node-index", bbmod_field_path(&path, ".index"),
                                     node->index, view->nodes.count);
        } else {
            if (slots[slot] & SLOT_NODE)
                tn_found(check, "node-index-twice", bbmod_field_path(&path, ".index"),
                         "an earlier node has the index %u, too", slot);
            slots[slot] |= node->is_bone ? SLOT_NODE | SLOT_BONE : SLOT_NODE;
        }
        for (uint64_t k = 0; k < node->meshes.count; k++) {
            uint32_t mesh = tn_span_u32(&node->meshes, k);
            if (mesh < doc->mesh_count)
                used[mesh] = 1;
            else
                tn_found(check, "mesh-index", bbmod_field_path(&path, ".meshes[%" PRIu64 "]", k),
                         "mesh %u, but the model has %u meshes", mesh, doc->mesh_count);
        }
    }
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (!used[i])
            tn_found(check, "mesh-unused", tn_path("meshes[%u]", i), "no node refers to the mesh");
    if (view->nodes.count > ENGINE_MOST && doc->bones.count)
        tn_found(check, "node-limit", tn_path("node_count"),
                 "%u nodes, but the runtime animates at most %d", view->nodes.count, ENGINE_MOST);
    bbmod_check_entries(check, view, slots);
}

// -- Meshes

// Made for findings only: there may be many small meshes.
static tn_path_text bbmod_check_mesh_path(const bbmod_view *view, uint32_t index, const char *field)
{
    bbmod_path path = bbmod_mesh_path(view, index);
    return bbmod_field_path(&path, "%s", field);
}

// How many vertices of a mesh have a fault; the first of them, and the number that is wrong.
typedef struct bbmod_fault {
    uint64_t count, first;
    float value;
} bbmod_fault;

static void bbmod_check_count(bbmod_fault *fault, uint64_t vertex, float value)
{
    if (fault->count++ == 0) fault->first = vertex, fault->value = value;
}

static void bbmod_check_influences(tn_check *check, const bbmod_view *view, uint32_t index)
{
    const tenon_bbmod *doc = view->doc;
    const tenon_span *vertices = &view->meshes[index].mesh->vertices;
    const tenon_element *indices = bbmod_element(vertices, "bone_indices");
    const tenon_element *weights = bbmod_element(vertices, "bone_weights");
    float i4[4 * BBMOD_BLOCK], w4[4 * BBMOD_BLOCK];
    if (!indices || !weights) return;
    uint32_t bone_count =
        bbmod_has(doc, TENON_BBMOD_NESTED) ? doc->v1_bone_count : (uint32_t)doc->bones.count;
    bbmod_fault outside = {0}, fraction = {0}, sum = {0};
    for (uint64_t at = 0; at < vertices->count; at += BBMOD_BLOCK) {
        uint64_t left = vertices->count - at, count = left < BBMOD_BLOCK ? left : BBMOD_BLOCK;
        tn_span_f32(vertices, indices, at, count, i4);
        tn_span_f32(vertices, weights, at, count, w4);
        if (tn_joints_are_plain(i4, 4 * count, (float)bone_count - 1) &&
            tn_weights_are_plain(w4, count))
            continue;
        for (uint64_t i = 0; i < count; i++) {
            const float *bones = i4 + 4 * i, *w = w4 + 4 * i;
            float total = 0, lowest = 0, out = NAN, broken = NAN;
            bool is_finite = true;
            for (int k = 0; k < 4; k++) {
                total += w[k];
                if (!isfinite(w[k])) is_finite = false;
                if (w[k] < lowest) lowest = w[k];
                if (w[k] == 0 || !isfinite(bones[k])) continue;
                if (bones[k] < 0 || bones[k] >= (float)bone_count) out = bones[k];
                if (floorf(bones[k]) != bones[k]) broken = bones[k];
            }
            if (!isnan(out)) bbmod_check_count(&outside, at + i, out);
            if (!isnan(broken)) bbmod_check_count(&fraction, at + i, broken);
            if (is_finite && (lowest < 0 || fabs((double)total - 1) > WEIGHT_TOLERANCE))
                bbmod_check_count(&sum, at + i, lowest < 0 ? lowest : total);
        }
    }
    bbmod_path path = bbmod_mesh_path(view, index);
    if (outside.count)
        tn_found(check, "vertex-bone",
                 bbmod_field_path(&path, ".vertices[%" PRIu64 "].bone_indices", outside.first),
                 "bone %s, but the model has %u bones; %" PRIu64 " of %" PRIu64
                 " vertices are affected",
                 tn_show_f32(outside.value).text, bone_count, outside.count, vertices->count);
    if (fraction.count)
        tn_found(check, "vertex-bone-fraction",
                 bbmod_field_path(&path, ".vertices[%" PRIu64 "].bone_indices", fraction.first),
                 "the bone index is %s; %" PRIu64 " of %" PRIu64 " vertices are affected",
                 tn_show_f32(fraction.value).text, fraction.count, vertices->count);
    if (sum.count)
        tn_found(check, "weights",
                 bbmod_field_path(&path, ".vertices[%" PRIu64 "].bone_weights", sum.first),
                 sum.value < 0 ? "a weight is %s; %" PRIu64 " of %" PRIu64 " vertices are affected"
                               : "the weights sum to %s; %" PRIu64 " of %" PRIu64
                                 " vertices are affected",
                 tn_show_f32(sum.value).text, sum.count, vertices->count);
}

static void bbmod_check_bounds(tn_check *check, const bbmod_view *view, uint32_t index)
{
    const tenon_bbmod_mesh *mesh = view->meshes[index].mesh;
    float low[3], high[3];
    if (!bbmod_bounds(&mesh->vertices, low, high)) return;
    double size = 0, off = 0;
    for (int k = 0; k < 3; k++) {
        double off_low = fabs((double)mesh->bbox_min[k] - low[k]);
        double off_high = fabs((double)mesh->bbox_max[k] - high[k]);
        if (!isfinite(off_low + off_high)) return;  // Another rule reports it.
        size = fmax(size, fmax(fabs(low[k]), fabs(high[k])));
        off = fmax(off, fmax(off_low, off_high));
    }
    if (off <= BOX_TOLERANCE * size) return;
    if (bbmod_box_is_unset(mesh)) {
        tn_found(check, "bounds-unset", bbmod_check_mesh_path(view, index, ".bbox_min"),
                 "the bounding box is all zeros");
        return;
    }
    tn_found(check, "bounds-stale", bbmod_check_mesh_path(view, index, ".bbox_min"),
             "the bounding box differs from the positions by up to %s",
             tn_show_f32((float)off).text);
}

static void bbmod_check_mesh(tn_check *check, const bbmod_view *view, uint32_t index)
{
    const tenon_bbmod_mesh *mesh = view->meshes[index].mesh;
    const tenon_bbmod *doc = view->doc;
    if (!mesh->vertices.layout) return;
    if (!bbmod_is_v0_doc(doc) && !doc->is_cut && mesh->material_index >= doc->material_count)
        tn_found(check, "material-index", bbmod_check_mesh_path(view, index, ".material_index"),
                 "material %u, but the model has %u materials", mesh->material_index,
                 doc->material_count);
    const bbmod_primitive *primitive = bbmod_vertices_primitive(mesh->primitive_type);
    if (!primitive)
        tn_found(check, "primitive-type", bbmod_check_mesh_path(view, index, ".primitive_type"),
                 "primitive type %u, expected 1 to 6", mesh->primitive_type);
    else if (mesh->vertices.count % primitive->step)
        tn_found(check, "primitive-count", bbmod_check_mesh_path(view, index, ".vertices"),
                 "%" PRIu64 " vertices do not form complete %s", mesh->vertices.count,
                 primitive->word);
    if (mesh->bare_vertex_count)
        tn_found(check, "vertex-format", bbmod_check_mesh_path(view, index, ".vertices"),
                 "the mesh has %u vertices, but the vertex format has no attributes",
                 mesh->bare_vertex_count);
    if (bbmod_has(doc, TENON_BBMOD_BOUNDS)) bbmod_check_bounds(check, view, index);
    if (!doc->is_cut) bbmod_check_influences(check, view, index);
    const tenon_element *position = bbmod_element(&mesh->vertices, "position");
    const tenon_element *normal = bbmod_element(&mesh->vertices, "normal");
    tn_turns turns = {0, 0};
    uint64_t count = position && normal ? bbmod_triangle_count(mesh) : 0;
    for (uint64_t t = 0; t < count && !tn_turns_are_clear(&turns, count); t++) {
        uint64_t corners[3];
        float p[3][3], n[3][3];
        bbmod_triangle_corners(mesh, t, corners);
        for (int k = 0; k < 3; k++) {
            tn_span_vec3(&mesh->vertices, position, corners[k], p[k]);
            tn_span_vec3(&mesh->vertices, normal, corners[k], n[k]);
        }
        tn_turns_add(&turns, (const float(*)[3])p, (const float(*)[3])n);
    }
    if (turns.against)
        tn_check_winding(check, bbmod_check_mesh_path(view, index, ".vertices").text, turns);
}

// -- Models

void bbmod_check(tn_check *check, const void *any)
{
    const tenon_bbmod *doc = any;
    bbmod_view view;
    tn_check_fields(check, doc);
    if (!bbmod_view_make(&view, doc, check->arena, NULL)) {
        check->failed = true;
        return;
    }
    for (uint32_t i = 0; i < view.mesh_count; i++) bbmod_check_mesh(check, &view, i);
    // What follows the meshes may not have been read.
    if (doc->is_cut) return;
    if (bbmod_has(doc, TENON_BBMOD_DOCUMENT))
        tn_found(check, "version", tn_path("version_major"),
                 "the layout follows the format's document, which the runtime does not read");
    else if (doc->version_major != 3)
        tn_found(check, "version", tn_path("version_major"),
                 "version %u, but the runtime reads only version 3", (unsigned)doc->version_major);
    bool is_nested = bbmod_has(doc, TENON_BBMOD_NESTED);
    if (is_nested) {
        // The skeleton of version 1.
        uint32_t bone_count = 0;
        for (uint32_t i = 0; i < view.bones.count; i++)
            bone_count += view.bones.items[i].v1_bone->index != -1;
        if (bone_count != doc->v1_bone_count)
            tn_found(check, "bone-count", tn_path("bone_count"),
                     "the count is %u, but the skeleton has %u bones", doc->v1_bone_count,
                     bone_count);
        uint8_t *seen = tn_check_alloc(check, bone_count, 1);
        for (uint32_t i = 0; seen && i < view.bones.count; i++) {
            const tenon_bbmod_v1_bone *bone = view.bones.items[i].v1_bone;
            bbmod_path path = bbmod_item_path(&view.bones, i);
            bbmod_check_transform(check, doc, bbmod_field_path(&path, ".transform"),
                                  bone->transform);
            bbmod_check_transform(check, doc, bbmod_field_path(&path, ".offset"), bone->offset);
            if (bone->index == -1) continue;
            uint32_t slot = bbmod_slot(bone->index, bone_count);
            if (slot == TENON_NONE)
                tn_found(check, "bone-count", bbmod_field_path(&path, ".index"),
                         "the index is %s, neither -1 nor a whole number below %u, the bone count",
                         tn_show_f32(bone->index).text, bone_count);
            else if (seen[slot]++)
                tn_found(check, "bone-count", bbmod_field_path(&path, ".index"),
                         "an earlier bone has the index %u, too", slot);
        }
    } else if (!bbmod_is_v0_doc(doc))
        bbmod_check_tree(check, &view);
    if (bbmod_has(doc, TENON_BBMOD_MATRICES)) {
        const float *root = is_nested ? doc->v1_skeleton.transform : doc->root.transform;
        bool has_root = !is_nested || doc->v1_bone_count;
        bbmod_check_transform(check, doc, tn_path("inverse_transform"), doc->inverse_transform);
        if (has_root && bbmod_root_is_inverse(root, doc->inverse_transform))
            tn_found(check, "root-inverse",
                     tn_path(is_nested ? "skeleton.transform" : "root.transform"),
                     "the root's transform equals the inverse transform");
    }
    if (doc->material_count && !doc->material_names)
        tn_found(check, "material-unnamed", tn_path("material_count"),
                 "the file counts %u materials, but does not store their names",
                 doc->material_count);
    bbmod_check_sidecars(check, doc);
}
