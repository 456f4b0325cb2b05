// bmw_check_mesh.c: the rules of BMW for vertices, faces and weights.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"

#include "core/cursor/span.h"
#include "core/text/tally.h"

#include <inttypes.h>
#include <math.h>

#define INFLUENCES_MOST 4
#define SUM_TOLERANCE   0.01

// -- Vertices

static bool bmw_check_is_color_invalid(const uint8_t *color)
{
    bool is_invalid = false;
    for (uint32_t i = 0; i < 4; i++) is_invalid |= tn_load32(color + 4 * i, false) > 255;
    return is_invalid;
}

// -- Weights

// What is wrong with the weights of a mesh.
typedef struct bmw_weights {
    tn_tally no_vertex, no_node, repeated, not_finite, bad_sum, many, beyond_limit;
    uint32_t vertex_id, node_id, limit_id;  // Of the first no_vertex, no_node and beyond_limit.
    double sum;                             // Of the first bad_sum.
    uint32_t most;                          // The largest number of influences.
    uint64_t weighted;                      // Vertices with weights.
    uint64_t nodes;                         // Nodes with weights.
    uint64_t unmoved;                       // Nodes with weights that no animation moves.
} bmw_weights;

// Count weights that violate a rule. Returns whether they are the first.
static bool bmw_check_tally(tn_tally *tally, uint32_t m, uint64_t index)
{
    tn_tally_path(tally, 1, "meshes[%u].weighted_vertices[%" PRIu64 "]", m, index);
    return tally->count == 1;
}

// Fast path for nearly all vertices: whether four influences violate no rule, and all their nodes
// are counted already. The ids of the first `dense` nodes are their indices.
static bool bmw_check_are_plain(const bmw_checker *checker, const uint8_t *p, uint32_t dense,
                                uint32_t m)
{
    float sum = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t id = tn_load32(p + 8 * k, false);
        if (id >= dense || checker->uses[id].weighted_by != m + 1) return false;
        sum += tn_load_f32(p + 8 * k + 4, false);
    }
    return fabsf(sum - 1) < TN_PLAIN;
}

static void bmw_check_weights(bmw_checker *checker, uint32_t m)
{
    const tenon_bmw_mesh *mesh = &checker->doc->meshes[m];
    const uint8_t *p = mesh->weighted_vertices.data;
    bmw_weights weights = {0};
    uint8_t *is_weighted = tn_check_alloc(checker->check, mesh->vertices.count, 1);
    if (!is_weighted) return;
    // How many nodes at the start have their indices as ids, up to the limit of the shader.
    uint32_t dense = 0;
    while (dense < checker->nodes.count && dense < BMW_SHADER_NODES &&
           checker->nodes.names[dense].node_id == dense)
        dense++;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        uint32_t vertex = tn_load32(p, false), count = tn_load32(p + 4, false);
        const uint8_t *end = p + 8 + 8 * (size_t)count;
        p += 8;
        if (count > weights.most) weights.most = count;
        if (vertex >= mesh->vertices.count) {
            if (bmw_check_tally(&weights.no_vertex, m, i)) weights.vertex_id = vertex;
        } else {
            if (is_weighted[vertex]) bmw_check_tally(&weights.repeated, m, i);
            weights.weighted += !is_weighted[vertex];
            is_weighted[vertex] = 1;
        }
        if (count == 4 && bmw_check_are_plain(checker, p, dense, m)) {
            p = end;
            continue;
        }
        double sum = 0;
        for (; p < end; p += 8) {
            uint32_t id = tn_load32(p, false), node = bmw_check_node_of_id(checker, id);
            if (node == TENON_NONE) {
                if (bmw_check_tally(&weights.no_node, m, i)) weights.node_id = id;
            } else if (checker->uses[node].weighted_by != m + 1) {  // Count it once for each mesh.
                checker->uses[node].weighted_by = m + 1;
                weights.nodes++;
                weights.unmoved += !checker->uses[node].animated_by;
            }
            if (id >= BMW_SHADER_NODES && bmw_check_tally(&weights.beyond_limit, m, i))
                weights.limit_id = id;
            sum += tn_load_f32(p + 4, false);
        }
        if (!isfinite(sum))
            bmw_check_tally(&weights.not_finite, m, i);
        else if (fabs(sum - 1) > SUM_TOLERANCE && bmw_check_tally(&weights.bad_sum, m, i))
            weights.sum = sum;
        if (count > INFLUENCES_MOST) bmw_check_tally(&weights.many, m, i);
    }
    tn_check *check = checker->check;
    uint64_t count = mesh->weighted_vertices.count, vertex_count = mesh->vertices.count;
    tn_path_text path = tn_path("meshes[%u].weighted_vertices", m);
    tn_found_tally(check, "weight-vertex", &weights.no_vertex,
                   "weights for vertex %u, but the mesh has %" PRIu64 " vertices",
                   weights.vertex_id, vertex_count);
    if (weights.no_node.count && checker->has_nodes)
        tn_found(check, "weight-node", tn_path("%s", weights.no_node.path),
                 "a weight is for node %u, which does not exist; %" PRIu64 " weights are affected",
                 weights.node_id, weights.no_node.count);
    tn_found_tally(check, "weight-duplicate", &weights.repeated,
                   "%" PRIu64 " vertices have two lists of weights", weights.repeated.count);
    tn_found_tally(check, "node-limit", &weights.beyond_limit, "the engine ignores node %u",
                   weights.limit_id);
    if (weights.weighted && weights.weighted < vertex_count)
        tn_found(check, "weight-missing", path,
                 "%" PRIu64 " of %" PRIu64 " vertices have no weights",
                 vertex_count - weights.weighted, vertex_count);
    tn_found_tally(check, "not-finite", &weights.not_finite,
                   "%" PRIu64 " of %" PRIu64 " vertices have a weight that is not finite",
                   weights.not_finite.count, count);
    tn_found_tally(check, "weight-sum", &weights.bad_sum,
                   "the weights of %" PRIu64 " of %" PRIu64
                   " vertices do not sum to 1; here they sum to %s",
                   weights.bad_sum.count, count, bmw_check_number(weights.sum).text);
    tn_found_tally(check, "weight-influences", &weights.many,
                   "%" PRIu64 " of %" PRIu64 " vertices have more than 4 weights, up to %u",
                   weights.many.count, count, weights.most);
    if (weights.unmoved && checker->has_motion && checker->has_nodes)
        tn_found(check, "weight-unmoved", path,
                 "%" PRIu64 " of %" PRIu64 " nodes with weights are not animated", weights.unmoved,
                 weights.nodes);
}

void bmw_check_meshes(bmw_checker *checker)
{
    uint32_t skinned = 0;
    for (uint32_t m = 0; m < checker->doc->mesh_count; m++) {
        const tenon_bmw_mesh *mesh = &checker->doc->meshes[m];
        const tenon_span *vertices = &mesh->vertices;
        tn_tally colors = {0}, normals = {0};
        const uint8_t *v = vertices->data;
        // A first pass without branches, for speed, is enough for nearly all meshes.
        unsigned may_be_wrong = 0;
        for (uint64_t i = 0; i < vertices->count; i++, v += BMW_VERTEX_SIZE) {
            may_be_wrong |= bmw_check_is_color_invalid(v + 12);
            may_be_wrong |= tn_load32(v + 40, false) == 1;
        }
        v = vertices->data;
        for (uint64_t i = 0; may_be_wrong && i < vertices->count; i++, v += BMW_VERTEX_SIZE) {
            if (bmw_check_is_color_invalid(v + 12))
                tn_tally_path(&colors, 1, "meshes[%u].vertices[%" PRIu64 "].color", m, i);
            // Without normals, the converter stores the integer 1 as the second number of a normal.
            if (tn_load32(v + 36, false) == 0 && tn_load32(v + 40, false) == 1 &&
                tn_load32(v + 44, false) == 0)
                tn_tally_path(&normals, 1, "meshes[%u].vertices[%" PRIu64 "].normal", m, i);
        }
        tn_found_tally(checker->check, "color-range", &colors,
                       "%" PRIu64 " of %" PRIu64 " vertices have a color outside 0 to 255",
                       colors.count, vertices->count);
        tn_found_tally(checker->check, "normal-missing", &normals,
                       "%" PRIu64 " of %" PRIu64 " vertices have no normal", normals.count,
                       vertices->count);
        if (mesh->faces.count == 0)
            tn_found(checker->check, "mesh-faces", tn_path("meshes[%u]", m),
                     "%" PRIu64 " vertices, but no faces", mesh->vertices.count);
        if (mesh->weighted_vertices.count == 0) continue;
        bmw_check_weights(checker, m);
        if (++skinned == 2)
            tn_found(checker->check, "weight-meshes", tn_path("meshes[%u].weighted_vertices", m),
                     "more than one mesh has weights");
    }
}
