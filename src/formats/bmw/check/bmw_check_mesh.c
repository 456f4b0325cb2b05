// bmw_check_mesh.c: the rules of BMW for vertices, faces and weights.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"

#include "core/cursor/span.h"
#include "core/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define INFLUENCES_MOST 4
#define SUM_TOLERANCE   0.01

// -- Vertices

// How many vertices of a mesh violate a rule, and the first of them.
typedef struct bmw_vertex_tally {
    uint64_t count, first;
} bmw_vertex_tally;

static void bmw_check_mesh_tally_vertex(bmw_vertex_tally *tally, bool is_found, uint64_t index)
{
    if (is_found && tally->count++ == 0) tally->first = index;
}

// Without normals, the converter stores the integer 1 as the second number of a normal.
static bool bmw_check_mesh_is_normal_missing(const uint8_t *normal)
{
    return tn_load32(normal, false) == 0 && tn_load32(normal + 4, false) == 1 &&
           tn_load32(normal + 8, false) == 0;
}

static bool bmw_check_mesh_is_color_invalid(const uint8_t *color)
{
    bool is_invalid = false;
    for (uint32_t i = 0; i < 4; i++) is_invalid |= tn_load32(color + 4 * i, false) > 255;
    return is_invalid;
}

// Whether a vertex may violate a rule, which is rare. Without branches, for speed.
static bool bmw_check_mesh_may_violate_rules(const tenon_span *vertices)
{
    uint32_t tally = 0;
    for (uint64_t i = 0; i < vertices->count; i++) {
        const uint8_t *v = vertices->data + BMW_VERTEX_SIZE * i;
        tally |= bmw_check_mesh_is_color_invalid(v + 12);
        tally |= tn_load32(v + 40, false) == 1;
    }
    return tally != 0;
}

static void bmw_check_mesh_vertices(bmw_checker *checker, const tenon_span *vertices, uint32_t m)
{
    bmw_vertex_tally colors = {0, 0}, normals = {0, 0};
    if (!bmw_check_mesh_may_violate_rules(vertices)) return;
    for (uint64_t i = 0; i < vertices->count; i++) {
        const uint8_t *v = vertices->data + BMW_VERTEX_SIZE * i;
        bmw_check_mesh_tally_vertex(&colors, bmw_check_mesh_is_color_invalid(v + 12), i);
        bmw_check_mesh_tally_vertex(&normals, bmw_check_mesh_is_normal_missing(v + 36), i);
    }
    if (colors.count)
        tn_found(checker->check, BMW_COLOR_RANGE,
                 tn_path("meshes[%" PRIu32 "].vertices[%" PRIu64 "].color", m, colors.first),
                 "%" PRIu64 " of %" PRIu64 " vertices have a color outside 0 to 255", colors.count,
                 vertices->count);
    if (normals.count)
        tn_found(checker->check, BMW_NORMAL_MISSING,
                 tn_path("meshes[%" PRIu32 "].vertices[%" PRIu64 "].normal", m, normals.first),
                 "%" PRIu64 " of %" PRIu64 " vertices have no normal", normals.count,
                 vertices->count);
}

// -- Weights

// What is wrong with the weights of a mesh.
typedef struct bmw_weight_findings {
    bmw_vertex_tally no_vertex, no_node, repeated, not_finite, bad_sum, many, beyond_limit;
    uint32_t most;         // The largest number of influences.
    uint32_t node_id;      // Of the first of no_node.
    uint32_t vertex_id;    // Of the first of no_vertex.
    uint32_t limit_id;     // The node of the first of beyond_limit.
    double sum;            // Of the first of bad_sum.
    uint8_t *is_weighted;  // For each vertex.
    uint64_t weighted;     // Vertices with weights.
    uint64_t nodes;        // Nodes with weights.
    uint64_t unmoved;      // Nodes with weights that no animation moves.
} bmw_weight_findings;

// Count a node with a weight, once for each mesh.
static void bmw_check_mesh_count_node(bmw_weight_findings *findings, bmw_node_use *use, uint32_t m)
{
    if (use->weighted_by == m + 1) return;
    use->weighted_by = m + 1;
    findings->nodes++;
    findings->unmoved += !use->animated_by;
}

// The influences of one vertex, `count` pairs of node and weight at `p`.
static void bmw_check_mesh_influences(bmw_checker *checker, bmw_weight_findings *findings,
                                      const uint8_t *p, uint32_t count, uint32_t m, uint64_t index)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; k++, p += 8) {
        uint32_t id = tn_load32(p, false);
        uint64_t node = bmw_check_node_of_id(checker, id);
        if (node == TENON_ABSENT) {
            if (findings->no_node.count == 0) findings->node_id = id;
            bmw_check_mesh_tally_vertex(&findings->no_node, true, index);
        } else {
            bmw_check_mesh_count_node(findings, &checker->uses[node], m);
        }
        if (id >= BMW_SHADER_NODES && findings->beyond_limit.count == 0) findings->limit_id = id;
        bmw_check_mesh_tally_vertex(&findings->beyond_limit, id >= BMW_SHADER_NODES, index);
        sum += tn_load_f32(p + 4, false);
    }
    bool is_wrong = !(fabs(sum - 1) <= SUM_TOLERANCE);
    if (is_wrong && isfinite(sum) && findings->bad_sum.count == 0) findings->sum = sum;
    bmw_check_mesh_tally_vertex(&findings->not_finite, !isfinite(sum), index);
    bmw_check_mesh_tally_vertex(&findings->bad_sum, is_wrong && isfinite(sum), index);
    bmw_check_mesh_tally_vertex(&findings->many, count > INFLUENCES_MOST, index);
    if (count > findings->most) findings->most = count;
}

static void bmw_check_mesh_weighted(bmw_weight_findings *findings, uint32_t vertex,
                                    uint64_t vertex_count, uint64_t index)
{
    if (vertex >= vertex_count) {
        if (findings->no_vertex.count == 0) findings->vertex_id = vertex;
        bmw_check_mesh_tally_vertex(&findings->no_vertex, true, index);
        return;
    }
    bmw_check_mesh_tally_vertex(&findings->repeated, findings->is_weighted[vertex], index);
    findings->weighted += !findings->is_weighted[vertex];
    findings->is_weighted[vertex] = 1;
}

// Fast path for nearly all vertices. Count a vertex with four influences at `p` if it violates no
// rule and all its nodes are counted already; return false if not. The ids of the first `dense`
// nodes are their indices.
static bool bmw_check_mesh_is_simple_vertex(const bmw_checker *checker,
                                            bmw_weight_findings *findings, uint32_t vertex,
                                            const uint8_t *p, uint64_t dense, uint32_t m)
{
    float weights[4];
    bool is_new = false;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t id = tn_load32(p + 8 * k, false);
        if (id >= dense) return false;
        is_new = is_new || checker->uses[id].weighted_by != m + 1;
        weights[k] = tn_load_f32(p + 8 * k + 4, false);
    }
    float sum = weights[0] + weights[1] + weights[2] + weights[3];
    if (is_new || findings->is_weighted[vertex] || !(fabsf(sum - 1) < TN_PLAIN)) return false;
    findings->is_weighted[vertex] = 1;
    findings->weighted++;
    if (findings->most < 4) findings->most = 4;
    return true;
}

// How many nodes at the start have their indices as ids, up to the limit of the engine's shader.
static uint64_t bmw_check_mesh_count_dense(const bmw_checker *checker)
{
    uint64_t count = 0;
    while (count < checker->nodes.count && count < BMW_SHADER_NODES &&
           bmw_check_node_of_id(checker, (uint32_t)count) == count)
        count++;
    return count;
}

static void bmw_check_mesh_all_weights(bmw_checker *checker, bmw_weight_findings *findings,
                                       const tenon_bmw_mesh *mesh, uint32_t m)
{
    const uint8_t *p = mesh->weighted_vertices.data;
    uint64_t dense = bmw_check_mesh_count_dense(checker);
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        uint32_t vertex = tn_load32(p, false), count = tn_load32(p + 4, false);
        bool is_simple =
            count == 4 && vertex < mesh->vertices.count &&
            bmw_check_mesh_is_simple_vertex(checker, findings, vertex, p + 8, dense, m);
        if (!is_simple) {
            bmw_check_mesh_weighted(findings, vertex, mesh->vertices.count, i);
            bmw_check_mesh_influences(checker, findings, p + 8, count, m, i);
        }
        p += 8 + (uint64_t)8 * count;
    }
}

void bmw_check_number_text(double v, char *out)
{
    uint64_t thousandths = fabs(v) < 1e6 ? (uint64_t)(fabs(v) * 1000) : 0;
    if (fabs(v) < 1e6)
        snprintf(out, TN_NUMBER_MAX, "%s%" PRIu64 ".%03" PRIu64, v < 0 ? "-" : "",
                 thousandths / 1000, thousandths % 1000);
    else
        tn_f64_text(v, out);
}

static tn_path_text bmw_check_mesh_weight_path(uint32_t m, const bmw_vertex_tally *tally)
{
    return tn_path("meshes[%" PRIu32 "].weighted_vertices[%" PRIu64 "]", m, tally->first);
}

static void bmw_check_mesh_report_references(bmw_checker *checker,
                                             const bmw_weight_findings *findings,
                                             const tenon_bmw_mesh *mesh, uint32_t m)
{
    if (findings->no_vertex.count)
        tn_found(checker->check, BMW_WEIGHT_VERTEX,
                 bmw_check_mesh_weight_path(m, &findings->no_vertex),
                 "weights for vertex %" PRIu32 ", but the mesh has %" PRIu64 " vertices",
                 findings->vertex_id, mesh->vertices.count);
    if (findings->no_node.count && checker->has_nodes)
        tn_found(checker->check, BMW_WEIGHT_NODE, bmw_check_mesh_weight_path(m, &findings->no_node),
                 "a weight is for node %" PRIu32 ", which does not exist; %" PRIu64
                 " weights are affected",
                 findings->node_id, findings->no_node.count);
    if (findings->repeated.count)
        tn_found(checker->check, BMW_WEIGHT_DUPLICATE,
                 bmw_check_mesh_weight_path(m, &findings->repeated),
                 "%" PRIu64 " vertices have two lists of weights", findings->repeated.count);
    if (findings->beyond_limit.count)
        tn_found(checker->check, BMW_NODE_LIMIT,
                 bmw_check_mesh_weight_path(m, &findings->beyond_limit),
                 "the engine ignores node %" PRIu32, findings->limit_id);
    if (findings->weighted && findings->weighted < mesh->vertices.count)
        tn_found(checker->check, BMW_WEIGHT_MISSING,
                 tn_path("meshes[%" PRIu32 "].weighted_vertices", m),
                 "%" PRIu64 " of %" PRIu64 " vertices have no weights",
                 mesh->vertices.count - findings->weighted, mesh->vertices.count);
}

static void bmw_check_mesh_report_values(bmw_checker *checker, const bmw_weight_findings *findings,
                                         uint64_t count, uint32_t m)
{
    if (findings->not_finite.count)
        tn_found(checker->check, BMW_NOT_FINITE,
                 bmw_check_mesh_weight_path(m, &findings->not_finite),
                 "%" PRIu64 " of %" PRIu64 " vertices have a weight that is not finite",
                 findings->not_finite.count, count);
    if (findings->bad_sum.count) {
        char sum[TN_NUMBER_MAX];
        bmw_check_number_text(findings->sum, sum);
        tn_found(checker->check, BMW_WEIGHT_SUM, bmw_check_mesh_weight_path(m, &findings->bad_sum),
                 "the weights of %" PRIu64 " of %" PRIu64
                 " vertices do not sum to 1; here they sum to %s",
                 findings->bad_sum.count, count, sum);
    }
    if (findings->many.count)
        tn_found(checker->check, BMW_WEIGHT_INFLUENCES,
                 bmw_check_mesh_weight_path(m, &findings->many),
                 "%" PRIu64 " of %" PRIu64 " vertices have more than 4 weights, up to %" PRIu32,
                 findings->many.count, count, findings->most);
}

static void bmw_check_mesh_weights(bmw_checker *checker, const tenon_bmw_mesh *mesh, uint32_t m)
{
    bmw_weight_findings findings = {.most = 0};
    if (mesh->weighted_vertices.count == 0) return;
    findings.is_weighted = tn_check_alloc(checker->check, mesh->vertices.count, 1);
    if (!findings.is_weighted) return;
    bmw_check_mesh_all_weights(checker, &findings, mesh, m);
    bmw_check_mesh_report_references(checker, &findings, mesh, m);
    bmw_check_mesh_report_values(checker, &findings, mesh->weighted_vertices.count, m);
    if (findings.unmoved && checker->has_motion && checker->has_nodes)
        tn_found(checker->check, BMW_WEIGHT_UNMOVED,
                 tn_path("meshes[%" PRIu32 "].weighted_vertices", m),
                 "%" PRIu64 " of %" PRIu64 " nodes with weights are not animated", findings.unmoved,
                 findings.nodes);
}

void bmw_check_meshes(bmw_checker *checker)
{
    uint32_t skinned = 0;
    for (uint32_t m = 0; m < checker->doc->mesh_count; m++) {
        const tenon_bmw_mesh *mesh = &checker->doc->meshes[m];
        bmw_check_mesh_vertices(checker, &mesh->vertices, m);
        tn_check_indices(checker->check, tn_path("meshes[%" PRIu32 "].faces", m).text, &mesh->faces,
                         mesh->vertices.count);
        if (mesh->faces.count == 0)
            tn_found(checker->check, BMW_MESH_FACES, tn_path("meshes[%" PRIu32 "]", m),
                     "%" PRIu64 " vertices, but no faces", mesh->vertices.count);
        bmw_check_mesh_weights(checker, mesh, m);
        skinned += mesh->weighted_vertices.count > 0;
        if (skinned == 2 && mesh->weighted_vertices.count > 0)
            tn_found(checker->check, BMW_WEIGHT_MESHES,
                     tn_path("meshes[%" PRIu32 "].weighted_vertices", m),
                     "more than one mesh has weights");
    }
}
