// modeldata_check_mesh.c: checks the arrays, the material and the collision shape of a mesh.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/check/modeldata_check.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>

#define BLOCK         256   // Vertices decoded at once.
#define SUM_TOLERANCE 1e-3  // How far the sum of weights may be from 1.

// Sizes and counts.
static void modeldata_check_mesh_arrays(tn_check *check, const tenon_modeldata *doc, uint32_t i)
{
    const tenon_modeldata_mesh *m = &doc->meshes[i];
    uint64_t vertex_count = m->arrays[TENON_MODELDATA_VERTICES].count;
    if (m->size_unit != TENON_MODELDATA_BYTES)
        tn_found(check, MODELDATA_SIZE_UNIT, tn_path("meshes[%" PRIu32 "].vertices_size", i),
                 "the size %" PRIu32 " describes %" PRIu64 " bytes, but the engine reads %" PRIu32
                 " bytes",
                 m->array_sizes[0], m->arrays[0].size, m->array_sizes[0]);
    for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++) {
        const tenon_span *array = &m->arrays[k];
        const char *name = modeldata_array_names[k];
        uint64_t stride = modeldata_array_layouts[k]->stride;
        bool is_skin = k == TENON_MODELDATA_JOINT_IDS || k == TENON_MODELDATA_WEIGHTS;
        if (m->array_leftovers[k].size)
            tn_found(check, MODELDATA_ELEMENT_SIZE, tn_path("meshes[%" PRIu32 "].%s_size", i, name),
                     "%" PRIu32 " bytes are not a multiple of %" PRIu64, m->array_sizes[k], stride);
        if (!array->count && (doc->is_animated || !is_skin))
            tn_found(check, is_skin ? MODELDATA_MISSING_SKIN : MODELDATA_MISSING_ARRAY,
                     tn_path("meshes[%" PRIu32 "].%s_size", i, name), "the mesh has no %s", name);
        if (!array->count || k == TENON_MODELDATA_INDICES) continue;
        if (array->count != vertex_count)
            tn_found(check, MODELDATA_VERTEX_COUNT, tn_path("meshes[%" PRIu32 "].%s", i, name),
                     "the array has %" PRIu64 " elements, but the mesh has %" PRIu64 " vertices",
                     array->count, vertex_count);
        else if (array->layout->stride != stride)
            tn_found(check, MODELDATA_NUMBERS_EACH, tn_path("meshes[%" PRIu32 "].%s", i, name),
                     "%" PRIu64 " numbers per vertex, but the engine reads %" PRIu64,
                     array->layout->stride / 4, stride / 4);
    }
    uint64_t index_count = m->arrays[TENON_MODELDATA_INDICES].count;
    if (index_count % 3 != 0)
        tn_found(check, MODELDATA_TRIANGLE_COUNT, tn_path("meshes[%" PRIu32 "].indices", i),
                 "%" PRIu64 " indices are not a multiple of 3", index_count);
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

static void modeldata_check_mesh_skin(tn_check *check, const tenon_modeldata *doc, uint32_t mesh,
                                      const modeldata_skeleton *skeleton)
{
    const tenon_span *ids = &doc->meshes[mesh].arrays[TENON_MODELDATA_JOINT_IDS];
    const tenon_span *weights = &doc->meshes[mesh].arrays[TENON_MODELDATA_WEIGHTS];
    uint64_t count = ids->count < weights->count ? ids->count : weights->count;
    if (!doc->is_animated || !doc->joint_count || !count) return;
    uint64_t each = ids->layout->stride / 4;
    if (each > MODELDATA_INFLUENCES_MOST || weights->layout->stride != 4 * each) return;
    // Vertices with a problem: how many, and the first of each kind.
    uint64_t bad_ids = 0, first_id = 0, zeros = 0, first_zero = 0, sums = 0, first_sum = 0;
    uint32_t id_block[MODELDATA_INFLUENCES_MOST * BLOCK], bad_id = 0, known_count = 0;
    float weight_block[MODELDATA_INFLUENCES_MOST * BLOCK];
    while (known_count < MODELDATA_KNOWN_COUNT && skeleton->is_known[known_count]) known_count++;
    for (uint64_t at = 0; at < count; at += BLOCK) {
        uint64_t n = count - at < BLOCK ? count - at : BLOCK;
        uint32_t top = 0;
        tn_copy_numbers(id_block, tn_span_record(ids, at), each * n, 4, ids->big_endian);
        tn_copy_numbers(weight_block, tn_span_record(weights, at), each * n, 4,
                        weights->big_endian);
        for (uint64_t k = 0; k < each * n; k++) top = id_block[k] > top ? id_block[k] : top;
        if (each == 4 && top < known_count && tn_weights_are_plain(weight_block, n)) continue;
        for (uint64_t k = 0; k < n; k++) {
            double sum = 0;
            bool is_bad = false, is_zero = true;
            for (uint64_t j = each * k; j < each * (k + 1); j++) {
                uint32_t id = id_block[j];
                if (weight_block[j] == 0) continue;
                sum += (double)weight_block[j];
                is_zero = false;
                if (id < MODELDATA_KNOWN_COUNT
                        ? skeleton->is_known[id]
                        : modeldata_order_find_index(&skeleton->by_index, (int32_t)id) !=
                              TENON_NONE)
                    continue;
                if (!bad_ids) bad_id = id;
                is_bad = true;
            }
            if (is_bad && bad_ids++ == 0) first_id = at + k;
            if (is_zero && zeros++ == 0) first_zero = at + k;
            // modeldata/not-finite reports sums that are not finite.
            bool is_off = !is_zero && isfinite(sum) && fabs(sum - 1) > SUM_TOLERANCE;
            if (is_off && sums++ == 0) first_sum = at + k;
        }
    }
    if (bad_ids)
        tn_found(check, MODELDATA_JOINT_ID,
                 tn_path("meshes[%" PRIu32 "].joint_ids[%" PRIu64 "]", mesh, first_id),
                 "%" PRIu64 " of %" PRIu64
                 " vertices refer to joints that do not exist, this one to joint %" PRId32,
                 bad_ids, count, (int32_t)bad_id);
    if (zeros)
        tn_found(check, MODELDATA_WEIGHT_ZERO,
                 tn_path("meshes[%" PRIu32 "].weights[%" PRIu64 "]", mesh, first_zero),
                 "all weights of %" PRIu64 " of %" PRIu64 " vertices are 0, this is the first",
                 zeros, count);
    if (sums)
        tn_found(check, MODELDATA_WEIGHT_SUM,
                 tn_path("meshes[%" PRIu32 "].weights[%" PRIu64 "]", mesh, first_sum),
                 "the weights of %" PRIu64 " of %" PRIu64
                 " vertices do not sum to 1, these are the first",
                 sums, count);
}

static void modeldata_check_mesh_material(tn_check *check, const tenon_modeldata *doc, uint32_t i)
{
    const tenon_modeldata_material *m = &doc->meshes[i].material;
    modeldata_value values[MODELDATA_VALUE_COUNT];
    modeldata_conventions_values(m, values);
    for (int k = 0; k < MODELDATA_VALUE_COUNT; k++) {
        const modeldata_value *value = &values[k];
        bool is_stored = false;
        for (uint32_t n = 0; n < value->count; n++)
            is_stored = is_stored || value->v[n] != value->placeholder;
        if (is_stored && modeldata_conventions_is_default(doc, value))
            tn_found(check, MODELDATA_IGNORED_VALUE,
                     tn_path("meshes[%" PRIu32 "].material.%s", i, value->name),
                     "a value is stored, but the flag selects the default");
    }
    if (m->omits_defaults)
        tn_found(check, MODELDATA_OMITTED_VALUES, tn_path("meshes[%" PRIu32 "].material", i),
                 "values whose flag is set are omitted, but the engine expects them and misreads "
                 "the data after them");
    for (uint32_t k = 0; k < TENON_MODELDATA_MAP_COUNT; k++) {
        if (!m->maps[k].size && m->map_sizes[k] >= 0) continue;
        tn_path_text path = tn_path("meshes[%" PRIu32 "].material.%s", i, modeldata_map_names[k]);
        if (m->map_sizes[k] < 0)
            tn_found(check, MODELDATA_MAP_SIZE, path, "the engine reads its size, %u, as %d",
                     (unsigned)(uint16_t)m->map_sizes[k], m->map_sizes[k]);
        modeldata_check_characters(check, doc, path, m->maps[k]);
        bool is_unused = k == TENON_MODELDATA_ALPHA_MAP || k == TENON_MODELDATA_REFLECTION_MAP;
        if (is_unused && m->maps[k].size)
            tn_found(check, MODELDATA_TEXTURE_UNUSED, path, "the engine never draws this map");
    }
    modeldata_check_leftover(check, tn_path("meshes[%" PRIu32 "].material.leftover", i),
                             &m->leftover);
}

static void modeldata_check_mesh_shape(tn_check *check, tenon_str text, uint32_t i)
{
    if (!text.size) return;
    char shown[64];
    tn_path_text path = tn_path("meshes[%" PRIu32 "].collision_shape", i);
    modeldata_shape shape = modeldata_parse_shape(text);
    tn_text_clean(text.data, text.size, shown, sizeof shown);
    if (shape.kind == MODELDATA_SHAPE_UNKNOWN)
        tn_found(check, MODELDATA_SHAPE_NONE, path,
                 "'%s' is not a collision shape that the engine knows", shown);
    if (shape.fault)
        tn_found(check, MODELDATA_SHAPE_FAULT, path, "'%s': %s", shown, shape.fault);
    else if (shape.misread)
        tn_found(check, MODELDATA_SHAPE_MISREAD, path, "'%s': %s", shown, shape.misread);
    if (shape.is_flat)
        tn_found(check, MODELDATA_SHAPE_SIZE, path, "'%s' has a size that is not positive", shown);
}

void modeldata_check_mesh(tn_check *check, const tenon_modeldata *doc, uint32_t i,
                          const modeldata_skeleton *skeleton)
{
    const tenon_modeldata_mesh *m = &doc->meshes[i];
    const tenon_span *vertices = &m->arrays[TENON_MODELDATA_VERTICES];
    const tenon_span *normals = &m->arrays[TENON_MODELDATA_NORMALS];
    const tenon_span *indices = &m->arrays[TENON_MODELDATA_INDICES];
    tn_path_text path = tn_path("meshes[%" PRIu32 "].indices", i);
    modeldata_check_mesh_arrays(check, doc, i);
    tn_check_indices(check, path.text, indices, vertices->count);
    if (normals->count) tn_check_winding(check, path.text, tn_turns_of(indices, vertices, normals));
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
    modeldata_check_mesh_skin(check, doc, i, skeleton);
    if (m->material_size) modeldata_check_mesh_material(check, doc, i);
    modeldata_check_mesh_shape(check, m->collision_shape, i);
    modeldata_check_leftover(check, tn_path("meshes[%" PRIu32 "].leftover", i), &m->leftover);
}
