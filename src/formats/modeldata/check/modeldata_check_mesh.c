// modeldata_check_mesh.c: checks the arrays of a mesh.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/check/modeldata_check.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>

#define BLOCK         256   // Vertices decoded at once.
#define SUM_TOLERANCE 1e-3  // How far the sum of weights may be from 1.

// -- Sizes

static void modeldata_check_mesh_sizes(tn_check *check, const tenon_modeldata *doc, uint32_t i)
{
    const tenon_modeldata_mesh *m = &doc->meshes[i];
    for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++)
        if (m->array_leftovers[k].size)
            tn_found(check, MODELDATA_ELEMENT_SIZE,
                     tn_path("meshes[%" PRIu32 "].%s_size", i, modeldata_array_names[k]),
                     "%" PRIu32 " bytes are not a multiple of %" PRIu64, m->array_sizes[k],
                     modeldata_array_layouts[k]->stride);
    modeldata_check_leftover(check, tn_path("meshes[%" PRIu32 "].leftover", i), &m->leftover);
    if (m->size_unit != TENON_MODELDATA_BYTES)
        tn_found(check, MODELDATA_SIZE_UNIT, tn_path("meshes[%" PRIu32 "].vertices_size", i),
                 "the size %" PRIu32 " describes %" PRIu64 " bytes, but the engine reads %" PRIu32
                 " bytes",
                 m->array_sizes[0], m->arrays[0].size, m->array_sizes[0]);
    if (m->size_factor != 4 || (!m->material_size && !m->collision_shape_size)) return;
    tn_found(check, MODELDATA_LEGACY_SIZES, tn_path("meshes[%" PRIu32 "].material_size", i),
             "the sizes %" PRIu32 " and %" PRIu32
             " are four times the bytes of the material and the shape",
             m->material_size, m->collision_shape_size);
    if (m->material_size && m->collision_shape_size)
        tn_found(check, MODELDATA_LEGACY_SHAPE, tn_path("meshes[%" PRIu32 "].collision_shape", i),
                 "the engine expects it %" PRIu32 " bytes after the start of the material",
                 m->material_size);
}

static void modeldata_check_mesh_counts(tn_check *check, const tenon_modeldata_mesh *m, uint32_t i)
{
    uint64_t count = m->arrays[TENON_MODELDATA_VERTICES].count;
    for (int k = TENON_MODELDATA_VERTICES + 1; k < TENON_MODELDATA_INDICES; k++) {
        const tenon_span *array = &m->arrays[k];
        if (array->count && array->count != count)
            tn_found(check, MODELDATA_VERTEX_COUNT,
                     tn_path("meshes[%" PRIu32 "].%s", i, modeldata_array_names[k]),
                     "the array has %" PRIu64 " elements, but the mesh has %" PRIu64 " vertices",
                     array->count, count);
        else if (array->count && array->layout->stride != modeldata_array_layouts[k]->stride)
            tn_found(check, MODELDATA_NUMBERS_EACH,
                     tn_path("meshes[%" PRIu32 "].%s", i, modeldata_array_names[k]),
                     "%" PRIu64 " numbers per vertex, but the engine reads %" PRIu64,
                     array->layout->stride / 4, modeldata_array_layouts[k]->stride / 4);
    }
    uint64_t index_count = m->arrays[TENON_MODELDATA_INDICES].count;
    if (index_count % 3 != 0)
        tn_found(check, MODELDATA_TRIANGLE_COUNT, tn_path("meshes[%" PRIu32 "].indices", i),
                 "%" PRIu64 " indices are not a multiple of 3", index_count);
}

static void modeldata_check_mesh_presence(tn_check *check, const tenon_modeldata *doc, uint32_t i)
{
    for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++) {
        bool is_skin = k == TENON_MODELDATA_JOINT_IDS || k == TENON_MODELDATA_WEIGHTS;
        if (doc->meshes[i].arrays[k].count || (is_skin && !doc->is_animated)) continue;
        tn_found(check, is_skin ? MODELDATA_MISSING_SKIN : MODELDATA_MISSING_ARRAY,
                 tn_path("meshes[%" PRIu32 "].%s_size", i, modeldata_array_names[k]),
                 "the mesh has no %s", modeldata_array_names[k]);
    }
}

// -- Vertices

static void modeldata_check_mesh_normals(tn_check *check, const tenon_modeldata_mesh *m, uint32_t i)
{
    const tenon_span *normals = &m->arrays[TENON_MODELDATA_NORMALS];
    uint64_t bad = 0, first = 0;
    float block[3 * BLOCK];
    for (uint64_t at = 0; at < normals->count; at += BLOCK) {
        uint64_t left = normals->count - at, n = left < BLOCK ? left : BLOCK;
        tn_span_f32(normals, &normals->layout->elements[0], at, n, block);
        for (uint64_t k = 0; k < n; k++) {
            const float *v = &block[3 * k];
            if (v[0] != 0 || v[1] != 0 || v[2] != 0) continue;
            if (bad++ == 0) first = at + k;
        }
    }
    if (bad)
        tn_found(check, MODELDATA_ZERO_NORMAL,
                 tn_path("meshes[%" PRIu32 "].normals[%" PRIu64 "]", i, first),
                 "%" PRIu64 " of %" PRIu64 " normals are zero, this is the first", bad,
                 normals->count);
}

// -- Skin

// Vertices with a problem: how many, and the first of each kind.
typedef struct modeldata_skin_findings {
    tn_check *check;
    const modeldata_skeleton *skeleton;
    uint64_t bad_ids, first_id, zeros, first_zero, sums, first_sum;
    int32_t bad_id;
} modeldata_skin_findings;

static bool modeldata_check_mesh_has_joint(const modeldata_skin_findings *findings, uint32_t id)
{
    if (id < MODELDATA_KNOWN_COUNT) return findings->skeleton->is_known[id];
    return modeldata_order_find_index(&findings->skeleton->by_index, (int32_t)id) != TENON_NONE;
}

static void modeldata_check_mesh_count_vertex(modeldata_skin_findings *findings, uint64_t vertex,
                                              const uint32_t ids[], const float weights[],
                                              uint32_t count)
{
    double sum = 0;
    bool is_bad = false, is_zero = true;
    for (uint32_t k = 0; k < count; k++) {
        sum += (double)weights[k];
        is_zero = is_zero && weights[k] == 0;
        if (weights[k] == 0 || modeldata_check_mesh_has_joint(findings, ids[k])) continue;
        if (!findings->bad_ids) findings->bad_id = (int32_t)ids[k];
        is_bad = true;
    }
    if (is_bad && findings->bad_ids++ == 0) findings->first_id = vertex;
    if (is_zero && findings->zeros++ == 0) findings->first_zero = vertex;
    // modeldata/not-finite reports sums that are not finite.
    bool is_off = !is_zero && isfinite(sum) && fabs(sum - 1) > SUM_TOLERANCE;
    if (is_off && findings->sums++ == 0) findings->first_sum = vertex;
}

// The smallest index that no joint has.
static uint32_t modeldata_check_mesh_first_unknown(const modeldata_skeleton *skeleton)
{
    uint32_t count = 0;
    while (count < MODELDATA_KNOWN_COUNT && skeleton->is_known[count]) count++;
    return count;
}

static bool modeldata_check_mesh_are_below(const uint32_t *ids, uint64_t count, uint32_t limit)
{
    uint32_t top = 0;
    for (uint64_t i = 0; i < count; i++) top = ids[i] > top ? ids[i] : top;
    return top < limit;
}

static void modeldata_check_mesh_report_skin(const modeldata_skin_findings *findings, uint32_t i,
                                             uint64_t count)
{
    if (findings->bad_ids)
        tn_found(findings->check, MODELDATA_JOINT_ID,
                 tn_path("meshes[%" PRIu32 "].joint_ids[%" PRIu64 "]", i, findings->first_id),
                 "%" PRIu64 " of %" PRIu64
                 " vertices refer to joints that do not exist, this one to joint %" PRId32,
                 findings->bad_ids, count, findings->bad_id);
    if (findings->zeros)
        tn_found(findings->check, MODELDATA_WEIGHT_ZERO,
                 tn_path("meshes[%" PRIu32 "].weights[%" PRIu64 "]", i, findings->first_zero),
                 "all weights of %" PRIu64 " of %" PRIu64 " vertices are 0, this is the first",
                 findings->zeros, count);
    if (findings->sums)
        tn_found(findings->check, MODELDATA_WEIGHT_SUM,
                 tn_path("meshes[%" PRIu32 "].weights[%" PRIu64 "]", i, findings->first_sum),
                 "the weights of %" PRIu64 " of %" PRIu64
                 " vertices do not sum to 1, these are the "
                 "first",
                 findings->sums, count);
}

static void modeldata_check_mesh_skin(tn_check *check, const tenon_modeldata *doc, uint32_t mesh,
                                      const modeldata_skeleton *skeleton)
{
    const tenon_span *ids = &doc->meshes[mesh].arrays[TENON_MODELDATA_JOINT_IDS];
    const tenon_span *weights = &doc->meshes[mesh].arrays[TENON_MODELDATA_WEIGHTS];
    uint64_t count = ids->count < weights->count ? ids->count : weights->count;
    if (!doc->is_animated || !doc->joint_count || !count) return;
    modeldata_skin_findings findings = {.check = check, .skeleton = skeleton};
    uint32_t id_block[4 * BLOCK], known = modeldata_check_mesh_first_unknown(skeleton);
    float weight_block[4 * BLOCK];
    bool is_usual = ids->layout->stride == 16;
    for (uint64_t i = 0; i < count && !is_usual; i++) {
        uint32_t each =
            modeldata_conventions_influences(&doc->meshes[mesh], i, id_block, weight_block);
        modeldata_check_mesh_count_vertex(&findings, i, id_block, weight_block, each);
    }
    for (uint64_t at = 0; at < count && is_usual; at += BLOCK) {
        uint64_t n = count - at < BLOCK ? count - at : BLOCK;
        tn_copy_numbers(id_block, tn_span_record(ids, at), 4 * n, 4, ids->big_endian);
        tn_copy_numbers(weight_block, tn_span_record(weights, at), 4 * n, 4, weights->big_endian);
        if (modeldata_check_mesh_are_below(id_block, 4 * n, known) &&
            tn_weights_are_plain(weight_block, n))
            continue;
        for (uint64_t k = 0; k < n; k++)
            modeldata_check_mesh_count_vertex(&findings, at + k, &id_block[4 * k],
                                              &weight_block[4 * k], 4);
    }
    modeldata_check_mesh_report_skin(&findings, mesh, count);
}

void modeldata_check_mesh(tn_check *check, const tenon_modeldata *doc, uint32_t i,
                          const modeldata_skeleton *skeleton)
{
    const tenon_modeldata_mesh *m = &doc->meshes[i];
    const tenon_span *vertices = &m->arrays[TENON_MODELDATA_VERTICES];
    const tenon_span *normals = &m->arrays[TENON_MODELDATA_NORMALS];
    const tenon_span *indices = &m->arrays[TENON_MODELDATA_INDICES];
    tn_path_text path = tn_path("meshes[%" PRIu32 "].indices", i);
    modeldata_check_mesh_sizes(check, doc, i);
    modeldata_check_mesh_counts(check, m, i);
    modeldata_check_mesh_presence(check, doc, i);
    tn_check_indices(check, path.text, indices, vertices->count);
    if (normals->count) tn_check_winding(check, path.text, tn_turns_of(indices, vertices, normals));
    modeldata_check_mesh_normals(check, m, i);
    modeldata_check_mesh_skin(check, doc, i, skeleton);
}
