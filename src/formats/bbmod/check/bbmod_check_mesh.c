// bbmod_check_mesh.c: checking BBMOD models: meshes and their vertices.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/check/bbmod_check.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "core/text/number.h"

#include <inttypes.h>
#include <math.h>

#define WEIGHT_TOLERANCE 0.01  // How far the sum of weights may be from 1.
#define BOX_TOLERANCE    1e-5  // How far a box may be off, as a share of its size.

// -- Influences

// How many vertices of a mesh have a fault, and the first of them.
typedef struct bbmod_fault {
    uint64_t first, count;
    float value;
} bbmod_fault;

static void bbmod_check_mesh_count_fault(bbmod_fault *fault, uint64_t vertex, float value)
{
    if (fault->count++ == 0) fault->first = vertex, fault->value = value;
}

typedef struct bbmod_bake_influences {
    bbmod_fault range, fraction, sum;
    uint32_t bone_count;
} bbmod_bake_influences;

static void bbmod_check_mesh_vertex(bbmod_bake_influences *influences, uint64_t vertex,
                                    const float bones[4], const float weights[4])
{
    float sum = 0, lowest = 0, out_of_range = 0, fraction = 0;
    bool is_out = false, is_broken = false, is_finite = true;
    for (int k = 0; k < 4; k++) {
        sum += weights[k];
        if (!isfinite(weights[k])) is_finite = false;
        if (weights[k] < lowest) lowest = weights[k];
        if (weights[k] == 0 || !isfinite(bones[k])) continue;
        if (bones[k] < 0 || bones[k] >= (float)influences->bone_count)
            is_out = true, out_of_range = bones[k];
        if (floor(bones[k]) != bones[k]) is_broken = true, fraction = bones[k];
    }
    if (is_out) bbmod_check_mesh_count_fault(&influences->range, vertex, out_of_range);
    if (is_broken) bbmod_check_mesh_count_fault(&influences->fraction, vertex, fraction);
    if (is_finite && (lowest < 0 || fabs((double)sum - 1) > WEIGHT_TOLERANCE))
        bbmod_check_mesh_count_fault(&influences->sum, vertex, lowest < 0 ? lowest : sum);
}

static void bbmod_check_mesh_report_influences(tn_check *check, const bbmod_path *path,
                                               const bbmod_bake_influences *influences,
                                               uint64_t vertex_count)
{
    char number[TN_NUMBER_MAX];
    if (influences->range.count) {
        tn_f32_text(influences->range.value, number);
        tn_found(check, BBMOD_VERTEX_BONE,
                 bbmod_tree_field_path(path, ".vertices[%" PRIu64 "].bone_indices",
                                       influences->range.first),
                 "bone %s, but the model has %" PRIu32 " bones; %" PRIu64 " of %" PRIu64
                 " vertices are affected",
                 number, influences->bone_count, influences->range.count, vertex_count);
    }
    if (influences->fraction.count) {
        tn_f32_text(influences->fraction.value, number);
        tn_found(check, BBMOD_VERTEX_BONE_FRACTION,
                 bbmod_tree_field_path(path, ".vertices[%" PRIu64 "].bone_indices",
                                       influences->fraction.first),
                 "the bone index is %s; %" PRIu64 " of %" PRIu64 " vertices are affected", number,
                 influences->fraction.count, vertex_count);
    }
    if (influences->sum.count) {
        tn_f32_text(influences->sum.value, number);
        tn_found(check, BBMOD_WEIGHTS,
                 bbmod_tree_field_path(path, ".vertices[%" PRIu64 "].bone_weights",
                                       influences->sum.first),
                 influences->sum.value < 0
                     ? "a weight is %s; %" PRIu64 " of %" PRIu64 " vertices are affected"
                     : "the weights sum to %s; %" PRIu64 " of %" PRIu64 " vertices are affected",
                 number, influences->sum.count, vertex_count);
    }
}

static void bbmod_check_mesh_influences(tn_check *check, const bbmod_view *view,
                                        const bbmod_path *path, const tenon_span *vertices)
{
    const tenon_element *indices = bbmod_vertices_element(vertices, "bone_indices");
    const tenon_element *weights = bbmod_vertices_element(vertices, "bone_weights");
    const tenon_bbmod *doc = view->doc;
    float i4[4 * BBMOD_BLOCK], w4[4 * BBMOD_BLOCK];
    if (!indices || !weights) return;
    uint64_t bone_count =
        bbmod_tree_has(doc, TENON_BBMOD_NESTED) ? doc->v1_bone_count : doc->bones.count;
    bbmod_bake_influences influences = {.bone_count = (uint32_t)bone_count};
    for (uint64_t at = 0; at < vertices->count; at += BBMOD_BLOCK) {
        uint64_t left = vertices->count - at, count = left < BBMOD_BLOCK ? left : BBMOD_BLOCK;
        tn_span_f32(vertices, indices, at, count, i4);
        tn_span_f32(vertices, weights, at, count, w4);
        if (tn_joints_are_plain(i4, 4 * count, (float)bone_count - 1) &&
            tn_weights_are_plain(w4, count))
            continue;
        for (uint64_t i = 0; i < count; i++)
            bbmod_check_mesh_vertex(&influences, at + i, i4 + 4 * i, w4 + 4 * i);
    }
    bbmod_check_mesh_report_influences(check, path, &influences, vertices->count);
}

// -- Bounds

// The larger of two numbers; NaN counts as the largest.
static double bbmod_check_mesh_larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static void bbmod_check_mesh_bounds(tn_check *check, const bbmod_path *path,
                                    const tenon_bbmod_mesh *mesh)
{
    float low[3], high[3];
    if (!bbmod_vertices_bounds(&mesh->vertices, low, high)) return;
    double size = 0, off = 0;  // Not finite if a box is not, which another rule reports.
    for (int k = 0; k < 3; k++) {
        size = bbmod_check_mesh_larger(size, bbmod_check_mesh_larger(fabs(low[k]), fabs(high[k])));
        off = bbmod_check_mesh_larger(
            off, bbmod_check_mesh_larger(fabs((double)mesh->bbox_min[k] - low[k]),
                                         fabs((double)mesh->bbox_max[k] - high[k])));
    }
    if (!isfinite(off) || off <= BOX_TOLERANCE * size) return;
    if (bbmod_vertices_box_is_unset(mesh)) {
        tn_found(check, BBMOD_BOUNDS_UNSET, bbmod_tree_field_path(path, ".bbox_min"),
                 "the bounding box is all zeros");
        return;
    }
    char number[TN_NUMBER_MAX];
    tn_f32_text((float)off, number);
    tn_found(check, BBMOD_BOUNDS_STALE, bbmod_tree_field_path(path, ".bbox_min"),
             "the bounding box differs from the positions by up to %s", number);
}

// -- Winding

static void bbmod_check_mesh_winding(tn_check *check, const bbmod_path *path,
                                     const tenon_bbmod_mesh *mesh)
{
    const tenon_element *position = bbmod_vertices_element(&mesh->vertices, "position");
    const tenon_element *normal = bbmod_vertices_element(&mesh->vertices, "normal");
    tn_turns turns = {0, 0};
    uint64_t count = position && normal ? bbmod_vertices_triangle_count(mesh) : 0;
    for (uint64_t t = 0; t < count && !tn_turns_are_clear(&turns, count); t++) {
        uint64_t corners[3];
        float p[3][3], n[3][3];
        bbmod_vertices_triangle_corners(mesh, t, corners);
        for (int k = 0; k < 3; k++) {
            tn_span_vec3(&mesh->vertices, position, corners[k], p[k]);
            tn_span_vec3(&mesh->vertices, normal, corners[k], n[k]);
        }
        tn_turns_add(&turns, (const float(*)[3])p, (const float(*)[3])n);
    }
    tn_check_winding(check, bbmod_tree_field_path(path, ".vertices").text, turns);
}

// -- Meshes

static void bbmod_check_mesh_primitive(tn_check *check, const bbmod_path *path,
                                       const tenon_bbmod_mesh *mesh)
{
    uint32_t type = mesh->primitive_type;
    uint64_t count = mesh->vertices.count;
    if (!bbmod_vertices_primitive_word(type)) {
        tn_found(check, BBMOD_PRIMITIVE_TYPE, bbmod_tree_field_path(path, ".primitive_type"),
                 "primitive type %" PRIu32 ", expected 1 to 6", type);
        return;
    }
    uint32_t each = type == TENON_BBMOD_TRIANGLES ? 3 : type == TENON_BBMOD_LINES ? 2 : 1;
    if (count % each)
        tn_found(check, BBMOD_PRIMITIVE_COUNT, bbmod_tree_field_path(path, ".vertices"),
                 "%" PRIu64 " vertices do not form complete %s", count,
                 bbmod_vertices_primitive_word(type));
}

static void bbmod_check_mesh(tn_check *check, const bbmod_view *view, uint32_t index)
{
    const tenon_bbmod_mesh *mesh = view->meshes[index].mesh;
    const tenon_bbmod *doc = view->doc;
    bbmod_path path = bbmod_tree_mesh_path(view, index);
    if (!mesh->vertices.layout) return;
    if (!bbmod_tree_is_v0_doc(doc) && !doc->is_cut && mesh->material_index >= doc->material_count)
        tn_found(check, BBMOD_MATERIAL_INDEX, bbmod_tree_field_path(&path, ".material_index"),
                 "material %" PRIu32 ", but the model has %" PRIu32 " materials",
                 mesh->material_index, doc->material_count);
    bbmod_check_mesh_primitive(check, &path, mesh);
    if (mesh->bare_vertex_count)
        tn_found(check, BBMOD_VERTEX_FORMAT, bbmod_tree_field_path(&path, ".vertices"),
                 "the mesh has %" PRIu32 " vertices, but the vertex format has no attributes",
                 mesh->bare_vertex_count);
    if (bbmod_tree_has(doc, TENON_BBMOD_BOUNDS)) bbmod_check_mesh_bounds(check, &path, mesh);
    if (!doc->is_cut) bbmod_check_mesh_influences(check, view, &path, &mesh->vertices);
    bbmod_check_mesh_winding(check, &path, mesh);
}

void bbmod_check_meshes(tn_check *check, const bbmod_view *view)
{
    for (uint32_t i = 0; i < view->mesh_count; i++) bbmod_check_mesh(check, view, i);
}
