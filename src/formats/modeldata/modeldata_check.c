// modeldata_check.c: the rules of ModelData.
// SPDX-License-Identifier: MIT
//
// Errors make the engine throw or draw something wrong.

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "core/text/name_tree.h"
#include "core/text/text.h"
#include "document/field_rules.h"

#include <inttypes.h>
#include <math.h>

#define ENGINE          "coreengine"
#define BLOCK           256   // Vertices or keys decoded at once.
#define KEY_NUMBERS     5     // In the longest key.
#define JOINTS_MOST     50    // Limit of the engine's shader.
#define SUM_TOLERANCE   1e-3  // How far the sum of weights may be from 1.
#define ROW_TOLERANCE   1e-4  // How far the last row of a matrix may be from 0 0 0 1.
#define UNIT_TOLERANCE  1e-3  // How far the length of a rotation may be from 1.
#define SCALE_TOLERANCE 1e-3  // How far a scale may be from 1.

const tenon_rule modeldata_rules[MODELDATA_RULE_COUNT] = {
    // -- Sizes
    {"modeldata/legacy-sizes", TENON_WARNING, "the sizes of materials and shapes are in bytes",
     "convert with --as current, which writes correct sizes", NULL},
    {"modeldata/legacy-shape", TENON_ERROR,
     "the shape is where the engine expects it, after the material",
     "convert with --as current, which writes correct sizes", NULL},
    {"modeldata/character-count", TENON_ERROR, "the size of a name counts its bytes",
     "convert with --as current, which writes correct sizes", NULL},
    {"modeldata/joint-sizes", TENON_ERROR,
     "sizes of names, not of joints, are stored before the joints", "convert with --as current",
     ENGINE},
    {"modeldata/leftover-bytes", TENON_WARNING, "all bytes of a part belong to a field",
     "convert with --as cem or --as cea, which drops the bytes", NULL},
    {"modeldata/element-size", TENON_ERROR,
     "arrays hold whole elements, of 12, 8, 12, 12, 16, 16 and 4 bytes",
     "convert with --as cem or --as cea, which drops incomplete elements", NULL},
    {"modeldata/size-unit", TENON_ERROR, "the sizes of arrays are in bytes",
     "convert with --as current", ENGINE},
    {"modeldata/numbers-each", TENON_ERROR,
     "a tangent has three numbers, and a vertex has four joint ids and weights",
     "convert with --as current", ENGINE},
    // -- Meshes
    {"modeldata/vertex-count", TENON_ERROR, "the arrays of a mesh have one element per vertex",
     NULL, NULL},
    {"modeldata/triangle-count", TENON_WARNING, "there are three indices for each triangle", NULL,
     NULL},
    {"modeldata/index-range", TENON_ERROR, "indices refer to vertices that exist",
     "remove the triangle, or restore the missing vertices", NULL},
    {"modeldata/winding", TENON_WARNING, "the winding of triangles agrees with their normals",
     "reverse the winding: the engine shows the back of the triangles", NULL},
    {"modeldata/zero-normal", TENON_WARNING, "a normal is not zero", "compute the normals again",
     NULL},
    {"modeldata/not-finite", TENON_ERROR, "numbers are finite", NULL, NULL},
    {"modeldata/missing-array", TENON_ERROR,
     "a mesh has vertices, texture coordinates, normals, tangents and indices",
     "compute the missing arrays: the engine rejects the mesh", ENGINE},
    {"modeldata/missing-skin", TENON_ERROR, "a mesh of an animated model has joint ids and weights",
     "convert with --as cem, which writes a static model", ENGINE},
    {"modeldata/joint-id", TENON_ERROR, "vertices refer to joints that exist", NULL, NULL},
    {"modeldata/weight-zero", TENON_ERROR, "a vertex has a weight other than 0",
     "give the vertex a weight: the engine draws it at the origin", NULL},
    {"modeldata/weight-sum", TENON_WARNING, "the weights of a vertex sum to 1",
     "divide the weights by their sum", NULL},
    // -- Materials and shapes
    {"modeldata/flag", TENON_WARNING, "a flag is 0 or 1",
     "write 0 or 1: the engine reads 1 to 127 as 1, and all other values as 0", NULL},
    {"modeldata/ignored-value", TENON_INFO, "a value whose flag selects the default is not stored",
     "set the flag to 0 if the value is intended", NULL},
    {"modeldata/omitted-values", TENON_ERROR,
     "a material stores all values, even if their flag selects the default",
     "convert with --as current", ENGINE},
    {"modeldata/map-size", TENON_ERROR, "the name of a texture has at most 32767 bytes",
     "shorten the name: the engine reads larger sizes as negative", NULL},
    {"modeldata/texture-path", TENON_WARNING, "a texture is in the texture folder or a subfolder",
     "put the texture there and use its name without a folder", NULL},
    {"modeldata/texture-missing", TENON_WARNING, "textures exist",
     "put it there, unless the game uses another folder for textures", NULL},
    {"modeldata/texture-unused", TENON_INFO, "the engine draws all textures of a material",
     "remove alpha and reflection maps: the engine does not draw them", ENGINE},
    {"modeldata/shape-fault", TENON_ERROR, "the engine can parse the collision shape",
     "replace the shape with --set-shape, or use the convex hull with --clear-shape", NULL},
    {"modeldata/shape-unknown", TENON_WARNING, "a collision shape is one that the engine knows",
     "replace the shape with --set-shape, or use the convex hull with --clear-shape", NULL},
    {"modeldata/shape-misread", TENON_WARNING, "the engine reads a collision shape as written",
     NULL, NULL},
    {"modeldata/shape-size", TENON_WARNING, "the sizes of a collision shape are positive", NULL,
     NULL},
    {"modeldata/text-utf8", TENON_WARNING, "names are UTF-8", NULL, NULL},
    // -- Skeleton
    {"modeldata/skeleton-missing", TENON_ERROR, "an animated model has a skeleton",
     "add the skeleton, or convert with --as cem, which writes a static model", ENGINE},
    {"modeldata/root-count", TENON_ERROR, "exactly one joint is a root, with parent -1", NULL,
     NULL},
    {"modeldata/joint-index", TENON_ERROR,
     "every joint has a different index, which is not negative", NULL, NULL},
    {"modeldata/parent-missing", TENON_ERROR,
     "the parent of a joint is the index of a joint, or -1", NULL, NULL},
    {"modeldata/parent-cycle", TENON_ERROR, "no joint is its own ancestor", NULL, NULL},
    {"modeldata/matrix-row", TENON_WARNING,
     "the last row of a matrix, its last four numbers, is 0 0 0 1",
     "store matrices by rows, with the translation at 3, 7 and 11", NULL},
    {"modeldata/matrix-columns", TENON_ERROR, "matrices are stored by rows",
     "convert with --as current-row", ENGINE},
    {"modeldata/matrix-order", TENON_INFO, "the matrix order (rows or columns) can be detected",
     "choose one with --from modeldata:current-row or modeldata:current-column", NULL},
    {"modeldata/joint-limit", TENON_ERROR, "the index of a joint is less than 50", NULL, ENGINE},
    // -- Animations
    {"modeldata/animation-name", TENON_WARNING, "every animation has a different name",
     "rename all but one: the engine uses only the last", NULL},
    {"modeldata/list-count", TENON_ERROR,
     "an animation has a list of positions and a list of rotations for each joint",
     "add empty lists up to the largest index of a joint", NULL},
    {"modeldata/list-counts-differ", TENON_WARNING,
     "an animation has the same number of lists of each kind", NULL, NULL},
    {"modeldata/list-joint", TENON_WARNING, "a list with keys belongs to a joint", NULL, NULL},
    {"modeldata/key-order", TENON_WARNING, "keys are sorted by time", "sort the keys by time",
     NULL},
    {"modeldata/rotation-zero", TENON_ERROR, "a rotation is not the zero quaternion",
     "set it to 0, 0, 0, 1 (identity)", NULL},
    {"modeldata/rotation-unit", TENON_WARNING, "a rotation has the length 1",
     "divide the quaternion by its length", NULL},
    {"modeldata/rotation-size", TENON_ERROR, "a rotation has four numbers (a quaternion)",
     "convert with --as current", ENGINE},
    {"modeldata/scale-keys", TENON_INFO, "all scales are 1 (the engine ignores them)", NULL, NULL},
};

static void modeldata_check_leftover(tn_check *check, tn_path_text path, const tenon_span *leftover)
{
    if (leftover->size)
        tn_found(check, "leftover-bytes", path, "%" PRIu64 " bytes do not belong to any field",
                 leftover->size);
}

static void modeldata_check_characters(tn_check *check, const tenon_modeldata *doc,
                                       tn_path_text path, tenon_str name)
{
    if (!(doc->base.dialect->flags & TENON_MODELDATA_CHARACTERS)) return;
    uint64_t characters = modeldata_describe_count_characters(name);
    if (characters == name.size || characters == TENON_ABSENT) return;
    tn_found(check, "character-count", path,
             "the size counts %" PRIu64 " characters, which are %u bytes", characters, name.size);
}

// -- Meshes

// Sizes and counts.
static void modeldata_check_arrays(tn_check *check, const tenon_modeldata *doc, uint32_t i)
{
    const tenon_modeldata_mesh *m = &doc->meshes[i];
    uint64_t vertex_count = m->arrays[TENON_MODELDATA_VERTICES].count;
    if (m->size_unit != TENON_MODELDATA_BYTES)
        tn_found(check, "size-unit", tn_path("meshes[%u].vertices_size", i),
                 "the size %u describes %" PRIu64 " bytes, but the engine reads %u bytes",
                 m->array_sizes[0], m->arrays[0].size, m->array_sizes[0]);
    for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++) {
        const tenon_span *array = &m->arrays[k];
        const char *name = modeldata_arrays[k].name;
        uint64_t stride = modeldata_arrays[k].layout->stride;
        bool is_skin = k == TENON_MODELDATA_JOINT_IDS || k == TENON_MODELDATA_WEIGHTS;
        if (m->array_leftovers[k].size)
            tn_found(check, "element-size", tn_path("meshes[%u].%s_size", i, name),
                     "%u bytes are not a multiple of %" PRIu64, m->array_sizes[k], stride);
        if (!array->count && (doc->is_animated || !is_skin))
            tn_found(check, is_skin ? "missing-skin" : "missing-array",
                     tn_path("meshes[%u].%s_size", i, name), "the mesh has no %s", name);
        if (!array->count || k == TENON_MODELDATA_INDICES) continue;
        if (array->count != vertex_count)
            tn_found(check, "vertex-count", tn_path("meshes[%u].%s", i, name),
                     "the array has %" PRIu64 " elements, but the mesh has %" PRIu64 " vertices",
                     array->count, vertex_count);
        else if (array->layout->stride != stride)
            tn_found(check, "numbers-each", tn_path("meshes[%u].%s", i, name),
                     "%" PRIu64 " numbers per vertex, but the engine reads %" PRIu64,
                     array->layout->stride / 4, stride / 4);
    }
    uint64_t index_count = m->arrays[TENON_MODELDATA_INDICES].count;
    if (index_count % 3 != 0)
        tn_found(check, "triangle-count", tn_path("meshes[%u].indices", i),
                 "%" PRIu64 " indices are not a multiple of 3", index_count);
    if (m->size_factor != 4 || (!m->material_size && !m->collision_shape_size)) return;
    tn_found(check, "legacy-sizes", tn_path("meshes[%u].material_size", i),
             "the sizes %u and %u are four times the bytes of the material and the shape",
             m->material_size, m->collision_shape_size);
    if (m->material_size && m->collision_shape_size)
        tn_found(check, "legacy-shape", tn_path("meshes[%u].collision_shape", i),
                 "the engine expects it %u bytes after the start of the material",
                 m->material_size);
}

// `known_count` is the least index that no joint has.
static void modeldata_check_skin(tn_check *check, const tenon_modeldata *doc, uint32_t mesh,
                                 const modeldata_order *by_index, uint32_t known_count)
{
    const tenon_span *ids = &doc->meshes[mesh].arrays[TENON_MODELDATA_JOINT_IDS];
    const tenon_span *weights = &doc->meshes[mesh].arrays[TENON_MODELDATA_WEIGHTS];
    uint64_t count = ids->count < weights->count ? ids->count : weights->count;
    if (!doc->is_animated || !doc->joint_count || !count) return;
    uint64_t each = ids->layout->stride / 4;
    if (each > MODELDATA_INFLUENCES_MOST || weights->layout->stride != 4 * each) return;
    tn_tally bad_ids = {0}, zeros = {0}, sums = {0};  // Vertices with a problem.
    uint32_t id_block[MODELDATA_INFLUENCES_MOST * BLOCK], bad_id = 0;
    float weight_block[MODELDATA_INFLUENCES_MOST * BLOCK];
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
                if (id < known_count || modeldata_find_joint(by_index, (int32_t)id) != TENON_NONE)
                    continue;
                if (!bad_ids.count) bad_id = id;
                is_bad = true;
            }
            // modeldata/not-finite reports sums that are not finite.
            bool is_off = !is_zero && isfinite(sum) && fabs(sum - 1) > SUM_TOLERANCE;
            uint32_t vertex = (uint32_t)(at + k);
            tn_tally_in(&bad_ids, is_bad, "meshes", mesh, "joint_ids", vertex);
            tn_tally_in(&zeros, is_zero, "meshes", mesh, "weights", vertex);
            tn_tally_in(&sums, is_off, "meshes", mesh, "weights", vertex);
        }
    }
    tn_found_tally(check, "joint-id", &bad_ids,
                   "%" PRIu64 " of %" PRIu64
                   " vertices refer to joints that do not exist, this one to joint %d",
                   bad_ids.count, count, (int32_t)bad_id);
    tn_found_tally(check, "weight-zero", &zeros,
                   "all weights of %" PRIu64 " of %" PRIu64 " vertices are 0, this is the first",
                   zeros.count, count);
    tn_found_tally(check, "weight-sum", &sums,
                   "the weights of %" PRIu64 " of %" PRIu64
                   " vertices do not sum to 1, these are the first",
                   sums.count, count);
}

static void modeldata_check_mesh(tn_check *check, const tenon_modeldata *doc, uint32_t i,
                                 const modeldata_order *by_index, uint32_t known_count)
{
    const tenon_modeldata_mesh *m = &doc->meshes[i];
    const tenon_span *vertices = &m->arrays[TENON_MODELDATA_VERTICES];
    const tenon_span *normals = &m->arrays[TENON_MODELDATA_NORMALS];
    const tenon_span *indices = &m->arrays[TENON_MODELDATA_INDICES];
    tn_path_text path = tn_path("meshes[%u].indices", i);
    modeldata_check_arrays(check, doc, i);
    tn_check_indices(check, path.text, indices, vertices->count);
    if (normals->count) tn_check_winding(check, path.text, tn_turns_of(indices, vertices, normals));
    tn_tally zeros = {0};
    float block[3 * BLOCK];
    for (uint64_t at = 0; at < normals->count; at += BLOCK) {
        uint64_t left = normals->count - at, n = left < BLOCK ? left : BLOCK;
        tn_span_f32(normals, &normals->layout->elements[0], at, n, block);
        for (uint64_t k = 0; k < n; k++) {
            const float *v = &block[3 * k];
            if (v[0] == 0 && v[1] == 0 && v[2] == 0)
                tn_tally_in(&zeros, 1, "meshes", i, "normals", (uint32_t)(at + k));
        }
    }
    tn_found_tally(check, "zero-normal", &zeros,
                   "%" PRIu64 " of %" PRIu64 " normals are zero, this is the first", zeros.count,
                   normals->count);
    modeldata_check_skin(check, doc, i, by_index, known_count);
    if (m->material_size) {
        const tenon_modeldata_material *material = &m->material;
        modeldata_value values[MODELDATA_VALUE_COUNT];
        modeldata_values(material, values);
        for (int k = 0; k < MODELDATA_VALUE_COUNT; k++) {
            const modeldata_value *value = &values[k];
            bool is_stored = false;
            for (uint32_t n = 0; n < value->count; n++)
                is_stored = is_stored || value->v[n] != value->placeholder;
            if (is_stored && modeldata_is_default(doc, value))
                tn_found(check, "ignored-value", tn_path("meshes[%u].material.%s", i, value->name),
                         "a value is stored, but the flag selects the default");
        }
        if (material->omits_defaults)
            tn_found(
                check, "omitted-values", tn_path("meshes[%u].material", i),
                "values whose flag is set are omitted, but the engine expects them and misreads "
                "the data after them");
        for (uint32_t k = 0; k < TENON_MODELDATA_MAP_COUNT; k++) {
            if (!material->maps[k].size && material->map_sizes[k] >= 0) continue;
            path = tn_path("meshes[%u].material.%s", i, modeldata_maps[k].name);
            if (material->map_sizes[k] < 0)
                tn_found(check, "map-size", path, "the engine reads its size, %u, as %d",
                         (unsigned)(uint16_t)material->map_sizes[k], material->map_sizes[k]);
            modeldata_check_characters(check, doc, path, material->maps[k]);
            bool is_unused = k == TENON_MODELDATA_ALPHA_MAP || k == TENON_MODELDATA_REFLECTION_MAP;
            if (is_unused && material->maps[k].size)
                tn_found(check, "texture-unused", path, "the engine never draws this map");
        }
        modeldata_check_leftover(check, tn_path("meshes[%u].material.leftover", i),
                                 &material->leftover);
    }
    if (m->collision_shape.size) {
        modeldata_shape shape = modeldata_parse_shape(m->collision_shape);
        tn_shown shown = tn_show(m->collision_shape, 64);
        path = tn_path("meshes[%u].collision_shape", i);
        if (shape.kind == MODELDATA_SHAPE_UNKNOWN)
            tn_found(check, "shape-unknown", path,
                     "'%s' is not a collision shape that the engine knows", shown.text);
        if (shape.fault)
            tn_found(check, "shape-fault", path, "'%s': %s", shown.text, shape.fault);
        else if (shape.misread)
            tn_found(check, "shape-misread", path, "'%s': %s", shown.text, shape.misread);
        if (shape.is_flat)
            tn_found(check, "shape-size", path, "'%s' has a size that is not positive", shown.text);
    }
    modeldata_check_leftover(check, tn_path("meshes[%u].leftover", i), &m->leftover);
}

// -- Skeleton

static void modeldata_check_skeleton(tn_check *check, const tenon_modeldata *doc,
                                     const modeldata_order *by_index)
{
    if (!doc->skeleton_size) {
        tn_found(check, "skeleton-missing", tn_path("skeleton_size"),
                 "the animated model has no skeleton");
        return;
    }
    if ((doc->base.dialect->flags & TENON_MODELDATA_JOINT_SIZES) && doc->joint_count)
        tn_found(check, "joint-sizes", tn_path("joint_sizes"),
                 "the engine reads the %u bytes of the first joint as its name",
                 doc->joint_sizes[0]);
    if (doc->is_column_major && doc->joint_count)
        tn_found(check, "matrix-columns", tn_path("joints[0].inverse_bind_matrix"),
                 "matrices are stored by columns, but the engine reads rows");
    if (doc->is_order_assumed && modeldata_order_matters(doc))
        tn_found(check, "matrix-order", tn_path("joints[0].inverse_bind_matrix"),
                 "read as stored by %s, but this cannot be detected without a translation",
                 doc->is_column_major ? "columns" : "rows");
    uint32_t roots = 0, last = 0;
    for (uint32_t i = 0; i < doc->joint_count; i++) {
        const tenon_modeldata_joint *joint = &doc->joints[i];
        modeldata_check_characters(check, doc, tn_path("joints[%u].name", i), joint->name);
        if (joint->index < 0)
            tn_found(check, "joint-index", tn_path("joints[%u].index", i), "the index is %d",
                     joint->index);
        if (joint->index >= JOINTS_MOST)
            tn_found(check, "joint-limit", tn_path("joints[%u].index", i),
                     "index %d, but the engine supports at most %d joints", joint->index,
                     JOINTS_MOST);
        if (joint->parent_index != -1 &&
            modeldata_find_joint(by_index, joint->parent_index) == TENON_NONE)
            tn_found(check, "parent-missing", tn_path("joints[%u].parent_index", i),
                     "parent %d, but no joint has that index", joint->parent_index);
        for (int k = 0; k < 2; k++) {
            float m[16];
            modeldata_to_rows(doc, k == 0 ? joint->inverse_bind_matrix : joint->bind_local_pose, m);
            int at = 0;
            while (at < 4 && !(fabs((double)m[12 + at] - (at == 3)) > ROW_TOLERANCE)) at++;
            if (at < 4)
                tn_found(
                    check, "matrix-row",
                    tn_path("joints[%u].%s", i, k == 0 ? "inverse_bind_matrix" : "bind_local_pose"),
                    "element %d of the last row of the matrix is not %d", at + 1, at == 3);
        }
        if (doc->joints[i].parent_index == -1) roots++, last = i;
    }
    // Reported at the size, because the count of joints may be missing in a truncated file.
    if (doc->joint_count == 0)
        tn_found(check, "root-count", tn_path("skeleton_size"),
                 "the skeleton of %u bytes has no joints", doc->skeleton_size);
    else if (roots == 0)
        tn_found(check, "root-count", tn_path("joint_count"), "none of %u joints is a root",
                 doc->joint_count);
    if (roots > 1)
        tn_found(check, "root-count", tn_path("joints[%u].parent_index", last),
                 "%u of %u joints are roots; the engine uses this one", roots, doc->joint_count);
    for (uint32_t i = 1; i < by_index->count; i++) {
        uint32_t a = by_index->items[i - 1], b = by_index->items[i];
        if (doc->joints[a].index == doc->joints[b].index)
            tn_found(check, "joint-index", tn_path("joints[%u].index", b),
                     "joint %u has the index %d, too", a, doc->joints[a].index);
    }
    // Mark the ancestors of each joint with its number. A joint that has the number already is in a
    // cycle.
    uint32_t *stamps = tn_check_alloc(check, doc->joint_count, sizeof *stamps);
    for (uint32_t i = 0; stamps && i < doc->joint_count; i++) {
        uint32_t at = i;
        while (at != TENON_NONE && stamps[at] == 0) {
            int32_t parent = doc->joints[at].parent_index;
            stamps[at] = i + 1;
            at = parent == -1 ? TENON_NONE : modeldata_find_joint(by_index, parent);
        }
        if (at != TENON_NONE && stamps[at] == i + 1)
            tn_found(check, "parent-cycle", tn_path("joints[%u].parent_index", at),
                     "the joint with index %d is its own ancestor", doc->joints[at].index);
    }
    modeldata_check_leftover(check, tn_path("skeleton_leftover"), &doc->skeleton_leftover);
}

// -- Animations

// Check one list of keys. Returns how many have a scale other than 1.
static uint64_t modeldata_check_keys(tn_check *check, const char *path, const tenon_span *keys,
                                     bool is_scale)
{
    tn_tally disorders = {0}, zeros = {0}, longs = {0};
    uint64_t scaled = 0;
    uint32_t numbers = (uint32_t)(keys->layout->stride / 4);
    bool is_rotation = numbers == KEY_NUMBERS;
    float last_time = -INFINITY, block[KEY_NUMBERS * BLOCK];
    for (uint64_t k = 0; k < keys->count; k++) {
        float time = tn_load_f32(tn_span_record(keys, k), keys->big_endian);
        if (time < last_time) tn_tally_path(&disorders, 1, "%s[%" PRIu64 "].time", path, k);
        last_time = time;
    }
    for (uint64_t at = 0; at < keys->count && (is_rotation || is_scale); at += BLOCK) {
        uint64_t n = keys->count - at < BLOCK ? keys->count - at : BLOCK;
        tn_copy_numbers(block, tn_span_record(keys, at), n * numbers, 4, keys->big_endian);
        for (uint64_t k = 0; k < n; k++) {
            const float *v = &block[numbers * k + 1];
            if (is_scale)
                scaled += fabs((double)v[0] - 1) > SCALE_TOLERANCE ||
                          fabs((double)v[1] - 1) > SCALE_TOLERANCE ||
                          fabs((double)v[2] - 1) > SCALE_TOLERANCE;
            if (!is_rotation || tn_turn_is_plain(v)) continue;
            double square = 0;
            for (int i = 0; i < 4; i++) square += (double)v[i] * (double)v[i];
            if (!isfinite(square)) continue;  // Reported by modeldata/not-finite.
            bool is_off = square != 0 && fabs(sqrt(square) - 1) > UNIT_TOLERANCE;
            tn_tally_path(&zeros, square == 0, "%s[%" PRIu64 "].vec", path, at + k);
            tn_tally_path(&longs, is_off, "%s[%" PRIu64 "].vec", path, at + k);
        }
    }
    tn_found_tally(check, "key-order", &disorders,
                   "%" PRIu64 " of %" PRIu64
                   " keys are earlier than the previous key, this is the first",
                   disorders.count, keys->count);
    tn_found_tally(check, "rotation-zero", &zeros,
                   "%" PRIu64 " of %" PRIu64 " rotations are 0, 0, 0, 0, this is the first",
                   zeros.count, keys->count);
    tn_found_tally(check, "rotation-unit", &longs,
                   "%" PRIu64 " of %" PRIu64
                   " rotations do not have the length 1, this is the first",
                   longs.count, keys->count);
    return scaled;
}

static void modeldata_check_animation(tn_check *check, const tenon_modeldata *doc, uint32_t i,
                                      const modeldata_order *by_index)
{
    const tenon_modeldata_animation *a = &doc->animations[i];
    modeldata_lists kinds[MODELDATA_LIST_KINDS];
    modeldata_describe_lists(a, kinds);
    modeldata_check_characters(check, doc, tn_path("animations[%u].name", i), a->name);
    if (a->position_list_count != a->rotation_list_count ||
        a->position_list_count != a->scale_list_count)
        tn_found(check, "list-counts-differ", tn_path("animations[%u].position_list_count", i),
                 "%u lists of positions, %u of rotations, %u of scales", a->position_list_count,
                 a->rotation_list_count, a->scale_list_count);
    if (a->rotation_size == 3)
        tn_found(check, "rotation-size", tn_path("animations[%u].rotations", i),
                 "rotations have three numbers, but the engine reads four");
    uint32_t joint_count = by_index->count;
    int64_t largest = joint_count ? doc->joints[by_index->items[joint_count - 1]].index : -1;
    uint64_t scaled = 0, scale_count = 0;
    for (int k = 0; k < MODELDATA_LIST_KINDS; k++) {
        uint32_t count = *kinds[k].count;
        tn_tally orphans = {0};
        bool is_scale = k == TENON_SCALE;  // The engine does not use them.
        for (uint32_t n = 0; n < count; n++) {
            const tenon_span *keys = &(*kinds[k].lists)[n].keys;
            if (!keys->count) continue;
            tn_path_text path = tn_path("animations[%u].%s[%u]", i, kinds[k].name, n);
            scaled += modeldata_check_keys(check, path.text, keys, is_scale);
            if (is_scale) scale_count += keys->count;
            bool is_orphan = modeldata_find_joint(by_index, n) == TENON_NONE;
            tn_tally_path(&orphans, is_orphan, "%s", path.text);
        }
        if (joint_count)
            tn_found_tally(check, "list-joint", &orphans,
                           "%" PRIu64 " of %u lists have keys, but no joint, this is the first",
                           orphans.count, count);
        if (!is_scale && largest >= (int64_t)count)
            tn_found(check, "list-count", tn_path("animations[%u].%s", i, kinds[k].count_name),
                     "%u lists, but a joint has the index %" PRId64, count, largest);
    }
    if (scaled)
        tn_found(check, "scale-keys", tn_path("animations[%u].scales", i),
                 "%" PRIu64 " of %" PRIu64 " scales are not 1, but the engine ignores them", scaled,
                 scale_count);
    modeldata_check_leftover(check, tn_path("animations[%u].leftover", i), &a->leftover);
}

// -- The document

void modeldata_check(tn_check *check, const void *any)
{
    const tenon_modeldata *doc = any;
    uint32_t count = doc->animation_count, known_count = 0;
    tn_check_fields(check, doc);
    uint32_t *memory = tn_check_alloc(check, doc->joint_count, MODELDATA_ORDER_SHARE);
    struct animation_name {
        tn_named named;
        uint32_t last;  // Animation with this name.
    } *names = tn_check_alloc(check, count, sizeof *names);
    tn_name_tree tree = {0};
    if (check->failed) return;
    modeldata_order by_index = modeldata_sort_joints(doc, memory);
    for (uint32_t i = 0; i < by_index.count; i++)
        known_count += doc->joints[by_index.items[i]].index == (int64_t)known_count;
    for (uint32_t i = 0; i < doc->mesh_count && tn_check_step(check, 0); i++)
        modeldata_check_mesh(check, doc, i, &by_index, known_count);
    modeldata_check_leftover(check, tn_path("model_leftover"), &doc->model_leftover);
    if (!doc->is_animated) return;
    modeldata_check_skeleton(check, doc, &by_index);
    for (uint32_t i = 0; i < count && tn_check_step(check, 0); i++)
        modeldata_check_animation(check, doc, i, &by_index);
    for (uint32_t i = 0; i < count; i++) {
        names[i].named.name = doc->animations[i].name;
        struct animation_name *known = (void *)tn_name_enter(&tree, &names[i].named);
        if (known != &names[i])
            tn_found(check, "animation-name", tn_path("animations[%u].name", i),
                     "'%s' is also the name of animation %u",
                     tn_show(doc->animations[i].name, 64).text, known->last);
        known->last = i;
    }
}
