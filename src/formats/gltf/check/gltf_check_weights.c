// gltf_check_weights.c: the joints and weights of vertices.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define WEIGHT_SLACK 2e-7              // For each weight that is not 0.
#define BLOCK        ((uint64_t)4096)  // Weights that are decoded at once.

enum { SETS_MOST = 16, SET_SIZE = 4 };

// Influences of some vertices.
typedef struct gltf_influences {
    uint64_t vertices;
    uint32_t each;  // Influences of a vertex.
    float *weights;
    uint32_t *joints;
} gltf_influences;

// The accessors of all sets.
typedef struct gltf_sets {
    uint32_t count;
    bool is_sparse;  // An accessor is sparse: all elements are decoded at once.
    gltf_elements joints[SETS_MOST], weights[SETS_MOST];
} gltf_sets;

// -- Decoding

// Open the accessor of a set. False: it cannot be examined. `*is_there`: whether it exists.
static bool gltf_check_weights_open_set(gltf_checker *checker, const tn_json_value *attributes,
                                        const char *word, uint32_t set, gltf_elements *e,
                                        bool *is_there)
{
    char key[24];
    (void)snprintf(key, sizeof key, "%s_%" PRIu32, word, set);
    const tn_json_value *value = tn_json_tree_get(attributes, key);
    uint32_t index = tn_json_tree_u32(value, TENON_NONE);
    *is_there = value;
    return index < gltf_import_count(&checker->importer, GLTF_LIST_ACCESSORS) &&
           !checker->is_bad_accessor[index] &&
           gltf_import_open_accessor(&checker->importer, index, GLTF_ANY_SHAPE, e) &&
           e->width == SET_SIZE && gltf_check_has_numbers(e);
}

// Open all sets; none if one of them cannot be examined.
static void gltf_check_weights_open_sets(gltf_checker *checker, const tn_json_value *attributes,
                                         uint64_t vertices, gltf_sets *sets)
{
    sets->count = 0;
    sets->is_sparse = false;
    for (uint32_t i = 0; i < SETS_MOST; i++) {
        gltf_elements *weights = &sets->weights[i], *joints = &sets->joints[i];
        bool has_weights, has_joints;
        bool is_open =
            gltf_check_weights_open_set(checker, attributes, "WEIGHTS", i, weights, &has_weights);
        is_open =
            gltf_check_weights_open_set(checker, attributes, "JOINTS", i, joints, &has_joints) &&
            is_open;
        if (!has_weights && !has_joints) return;
        if (!is_open || weights->count != vertices || joints->count != vertices) {
            sets->count = 0;
            return;
        }
        sets->is_sparse = sets->is_sparse || weights->sparse_count || joints->sparse_count;
        sets->count++;
    }
}

// `count` elements from `first` on.
static gltf_elements gltf_check_weights_part_of(const gltf_elements *e, uint64_t first,
                                                uint64_t count)
{
    gltf_elements part = *e;
    part.count = count;
    if (part.bytes.data) part.bytes.data += first * e->bytes.stride;
    return part;
}

// -- Checking

static inline bool gltf_check_weights_has_twice(const uint32_t *joints, const float *weights,
                                                uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i && weights[i] != 0; k++)
            if (weights[k] != 0 && joints[k] == joints[i]) return true;
    return false;
}

static inline bool gltf_check_weights_is_sum_right(const float *weights, uint32_t count)
{
    double sum = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) sum += weights[i];
    double error = fabs(sum - 1);
    if (error <= WEIGHT_SLACK) return true;
    for (uint32_t i = 0; i < count; i++) used += weights[i] != 0;
    return error <= WEIGHT_SLACK * used;
}

// Numbers of vertices with faults.
typedef struct gltf_faults {
    uint64_t bad, negative, twice;
} gltf_faults;

// Inline, so that the compiler unrolls the loops where `each` is constant.
static inline void gltf_check_weights_add_faults(const gltf_influences *some, uint32_t each,
                                                 gltf_faults *faults)
{
    for (uint64_t i = 0; i < some->vertices; i++) {
        const float *weights = some->weights + i * each;
        for (uint32_t k = 0; k < each; k++) faults->negative += !(weights[k] >= 0);
        faults->bad += !gltf_check_weights_is_sum_right(weights, each);
        faults->twice += gltf_check_weights_has_twice(some->joints + i * each, weights, each);
    }
}

// Examine all vertices in blocks. Returns false if the importer failed.
static bool gltf_check_weights_count_faults(gltf_checker *checker, const gltf_sets *sets,
                                            uint64_t vertices, gltf_faults *faults)
{
    gltf_importer *importer = &checker->importer;
    uint32_t each = SET_SIZE * sets->count;
    uint64_t most = sets->is_sparse || vertices < BLOCK / each ? vertices : BLOCK / each;
    if (!gltf_import_scratch_fits(importer, vertices * each, sizeof(float) + sizeof(uint32_t)))
        return false;
    gltf_influences some = {
        .each = each,
        .weights = gltf_import_scratch(importer, most * each, sizeof *some.weights),
        .joints = gltf_import_scratch(importer, most * each, sizeof *some.joints)};
    for (uint64_t at = 0; at < vertices && !checker->builder.failed; at += some.vertices) {
        some.vertices = most < vertices - at ? most : vertices - at;
        for (uint32_t i = 0; i < sets->count && !checker->builder.failed; i++) {
            gltf_elements weights =
                gltf_check_weights_part_of(&sets->weights[i], at, some.vertices);
            gltf_elements joints = gltf_check_weights_part_of(&sets->joints[i], at, some.vertices);
            gltf_import_decode_floats(importer, &weights, some.weights + SET_SIZE * i, each);
            if (!checker->builder.failed)
                gltf_import_decode_integers(importer, &joints, some.joints + SET_SIZE * i, each);
        }
        if (checker->builder.failed) break;
        if (each == SET_SIZE)
            gltf_check_weights_add_faults(&some, SET_SIZE, faults);
        else
            gltf_check_weights_add_faults(&some, each, faults);
    }
    return !checker->builder.failed;
}

void gltf_check_weights(gltf_checker *checker, const tn_json_value *attributes, uint64_t vertices)
{
    gltf_sets sets;
    gltf_faults faults = {0, 0, 0};
    const tn_json_value *first = tn_json_tree_get(attributes, "WEIGHTS_0");
    gltf_check_weights_open_sets(checker, attributes, vertices, &sets);
    if (sets.count == 0 || checker->builder.failed) return;
    if (!gltf_check_is_first_examination(checker, first, GLTF_EXAMINED_WEIGHTS)) return;
    tn_mark mark = tn_arena_mark(&checker->importer.scratch);
    bool is_known = gltf_check_weights_count_faults(checker, &sets, vertices, &faults);
    tn_arena_rewind(&checker->importer.scratch, mark);
    if (!is_known) return;
    if (faults.bad || faults.negative)
        gltf_check_found(checker, GLTF_RULE_WEIGHTS, attributes,
                         "the weights of %" PRIu64 " of %" PRIu64
                         " vertices do not sum to 1, %" PRIu64 " are negative",
                         faults.bad, vertices, faults.negative);
    if (faults.twice)
        gltf_check_found(checker, GLTF_RULE_JOINT_TWICE, attributes,
                         "%" PRIu64 " of %" PRIu64 " vertices have two weights for the same joint",
                         faults.twice, vertices);
}
