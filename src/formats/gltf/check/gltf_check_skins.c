// gltf_check_skins.c: skins: the hierarchy of their joints, matrices, and the weights of vertices.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define WEIGHT_SLACK 2e-7              // For each weight that is not 0.
#define BLOCK        ((uint64_t)4096)  // Weights that are decoded at once.

enum { SETS_MOST = 16, SET_SIZE = 4 };

// -- Joints

void gltf_check_joints(gltf_checker *checker, const uint32_t *order)
{
    gltf_importer *importer = &checker->importer;
    const uint32_t most = 64;  // Scenes that are checked, each against all nodes.
    const uint32_t *parents = importer->parents;
    uint32_t count = gltf_import_count(importer, GLTF_LIST_NODES), top = 0;
    uint32_t skins = gltf_import_count(importer, GLTF_LIST_SKINS);
    if (skins == 0) return;
    uint32_t *shown = gltf_import_scratch(importer, count, sizeof *shown);  // By scene, plus 1.
    // Nodes are numbered depth first, so that the descendants of a node follow it.
    uint32_t *next = gltf_import_scratch(importer, count, sizeof *next);
    uint32_t *number = gltf_import_scratch(importer, count, sizeof *number);
    uint32_t *size = gltf_import_scratch(importer, count, sizeof *size);  // Of the subtree.
    uint32_t *root_of = gltf_import_scratch(importer, count, sizeof *root_of);
    uint32_t *root_of_skin = gltf_import_scratch(importer, skins, sizeof *root_of_skin);
    if (checker->builder.failed) return;
    for (uint32_t i = count; i-- > 0;) {
        size[order[i]]++;
        if (parents[order[i]] != TENON_NONE) size[parents[order[i]]] += size[order[i]];
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = order[i], parent = parents[node];
        uint32_t *place = parent == TENON_NONE ? &top : &next[parent];
        number[node] = *place;
        *place += size[node];
        next[node] = number[node] + 1;
        root_of[node] = parent == TENON_NONE ? node : root_of[parent];
    }
    for (uint32_t k = 0; k < skins; k++) {
        const tn_json_value *skin = gltf_import_item(importer, GLTF_LIST_SKINS, k);
        const tn_json_value *joints = tn_json_tree_get(skin, "joints"),
                            *value = tn_json_tree_get(skin, "skeleton");
        uint32_t root = TENON_NONE, skeleton = tn_json_tree_u32(value, TENON_NONE);
        for (uint32_t i = 0; i < tn_json_tree_count(joints); i++) {
            uint32_t joint = tn_json_tree_u32(tn_json_tree_at(joints, i), TENON_NONE);
            if (joint >= count) continue;
            if (root == TENON_NONE) root = root_of[joint];
            if (root_of[joint] != root) {
                gltf_check_found(checker, GLTF_RULE_SKELETON, tn_json_tree_at(joints, i),
                                 "this joint and the first joint have no common ancestor");
                root = TENON_NONE;
                break;
            }
            if (skeleton < count && number[joint] - number[skeleton] >= size[skeleton]) {
                gltf_check_found(checker, GLTF_RULE_SKELETON, value,
                                 "joint %" PRIu32 " is not a descendant of node %" PRIu32, i,
                                 skeleton);
                skeleton = TENON_NONE;
            }
        }
        root_of_skin[k] = root;
    }
    // A scene with a skinned mesh must have its joints as well.
    for (uint32_t scene = 0; scene < gltf_import_count(importer, GLTF_LIST_SCENES) && scene < most;
         scene++) {
        const tn_json_value *roots =
            tn_json_tree_get(gltf_import_item(importer, GLTF_LIST_SCENES, scene), "nodes");
        for (uint32_t i = 0; i < tn_json_tree_count(roots); i++) {
            uint32_t node = tn_json_tree_u32(tn_json_tree_at(roots, i), TENON_NONE);
            if (node < count) shown[node] = scene + 1;
        }
        for (uint32_t i = 0; i < count; i++) {
            const tn_json_value *node = gltf_import_item(importer, GLTF_LIST_NODES, i);
            const tn_json_value *value = tn_json_tree_get(node, "skin");
            uint32_t skin = tn_json_tree_u32(value, TENON_NONE);
            if (skin >= skins || shown[root_of[i]] != scene + 1) continue;
            if (root_of_skin[skin] != TENON_NONE && shown[root_of_skin[skin]] != scene + 1)
                gltf_check_found(checker, GLTF_RULE_SKELETON, value,
                                 "scene %" PRIu32 " has the mesh, but not its joints", scene);
        }
    }
}

// -- Matrices

void gltf_check_skins(gltf_checker *checker)
{
    uint32_t count = gltf_import_count(&checker->importer, GLTF_LIST_SKINS);
    for (uint32_t i = 0; i < count && !checker->builder.failed; i++) {
        const tn_json_value *skin = gltf_import_item(&checker->importer, GLTF_LIST_SKINS, i);
        const tn_json_value *value = tn_json_tree_get(skin, "inverseBindMatrices");
        uint32_t joints = tn_json_tree_count(tn_json_tree_get(skin, "joints"));
        gltf_elements e;
        if (!gltf_check_open_used(checker, GLTF_RULE_SKIN, value, &e)) continue;
        if (e.width != 16 || e.component_type != 5126 || e.count < joints) {
            gltf_check_found(checker, GLTF_RULE_SKIN, value,
                             "%" PRIu32 " float matrices are required, one for each joint", joints);
            continue;
        }
        if (!gltf_check_has_numbers(&e) ||
            !gltf_check_is_first_examination(checker, value, GLTF_EXAMINED_BINDS))
            continue;
        tn_mark mark = tn_arena_mark(&checker->importer.scratch);
        const float *m = gltf_check_decode_all_floats(checker, &e);
        uint64_t bad = 0;
        for (uint64_t k = 0; m && k < e.count; k++, m += 16)
            bad += m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1;
        tn_arena_rewind(&checker->importer.scratch, mark);
        if (bad)
            gltf_check_found(checker, GLTF_RULE_SKIN, value,
                             "the last row of %" PRIu64 " matrices is not 0 0 0 1", bad);
    }
}

// -- Weights

// Open the accessor of a set. False: it cannot be examined. `*is_there`: whether it exists.
static bool gltf_check_skins_open_set(gltf_checker *checker, const tn_json_value *attributes,
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

// `count` elements from `first` on.
static gltf_elements gltf_check_skins_part_of(const gltf_elements *e, uint64_t first,
                                              uint64_t count)
{
    gltf_elements part = *e;
    part.count = count;
    if (part.bytes.data) part.bytes.data += first * e->bytes.stride;
    return part;
}

// Numbers of vertices with faults.
typedef struct gltf_faults {
    uint64_t bad, negative, twice;
} gltf_faults;

static inline bool gltf_check_skins_has_twice(const uint32_t *joints, const float *weights,
                                              uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i && weights[i] != 0; k++)
            if (weights[k] != 0 && joints[k] == joints[i]) return true;
    return false;
}

// Inline, so that the compiler unrolls the loops where `each` is constant.
static inline void gltf_check_skins_add_faults(const float *weights, const uint32_t *joints,
                                               uint64_t vertices, uint32_t each,
                                               gltf_faults *faults)
{
    for (uint64_t i = 0; i < vertices; i++, weights += each, joints += each) {
        double sum = 0;
        for (uint32_t k = 0; k < each; k++) faults->negative += !(weights[k] >= 0);
        for (uint32_t k = 0; k < each; k++) sum += weights[k];
        double error = fabs(sum - 1);
        if (!(error <= WEIGHT_SLACK)) {
            uint32_t used = 0;
            for (uint32_t k = 0; k < each; k++) used += weights[k] != 0;
            faults->bad += !(error <= WEIGHT_SLACK * used);
        }
        faults->twice += gltf_check_skins_has_twice(joints, weights, each);
    }
}

void gltf_check_weights(gltf_checker *checker, const tn_json_value *attributes, uint64_t vertices)
{
    gltf_importer *importer = &checker->importer;
    gltf_elements weight_sets[SETS_MOST], joint_sets[SETS_MOST];
    uint32_t sets = 0;
    bool is_sparse = false;  // An accessor is sparse: all elements are decoded at once.
    for (; sets < SETS_MOST; sets++) {
        gltf_elements *w = &weight_sets[sets], *j = &joint_sets[sets];
        bool has_weights, has_joints;
        bool is_open =
            gltf_check_skins_open_set(checker, attributes, "WEIGHTS", sets, w, &has_weights);
        is_open = gltf_check_skins_open_set(checker, attributes, "JOINTS", sets, j, &has_joints) &&
                  is_open;
        if (!has_weights && !has_joints) break;
        if (!is_open || w->count != vertices || j->count != vertices) return;
        is_sparse = is_sparse || w->sparse_count || j->sparse_count;
    }
    if (sets == 0 || checker->builder.failed) return;
    const tn_json_value *first = tn_json_tree_get(attributes, "WEIGHTS_0");
    if (!gltf_check_is_first_examination(checker, first, GLTF_EXAMINED_WEIGHTS)) return;
    uint32_t each = SET_SIZE * sets;
    uint64_t most = is_sparse || vertices < BLOCK / each ? vertices : BLOCK / each;
    if (!gltf_import_scratch_fits(importer, vertices * each, sizeof(float) + sizeof(uint32_t)))
        return;
    tn_mark mark = tn_arena_mark(&importer->scratch);
    float *weights = gltf_import_scratch(importer, most * each, sizeof *weights);
    uint32_t *joints = gltf_import_scratch(importer, most * each, sizeof *joints);
    gltf_faults faults = {0, 0, 0};
    for (uint64_t at = 0, count; at < vertices && !checker->builder.failed; at += count) {
        count = most < vertices - at ? most : vertices - at;
        for (uint32_t i = 0; i < sets && !checker->builder.failed; i++) {
            gltf_elements w = gltf_check_skins_part_of(&weight_sets[i], at, count);
            gltf_elements j = gltf_check_skins_part_of(&joint_sets[i], at, count);
            gltf_import_decode_floats(importer, &w, weights + SET_SIZE * i, each);
            if (!checker->builder.failed)
                gltf_import_decode_integers(importer, &j, joints + SET_SIZE * i, each);
        }
        if (checker->builder.failed) break;
        if (each == SET_SIZE)
            gltf_check_skins_add_faults(weights, joints, count, SET_SIZE, &faults);
        else
            gltf_check_skins_add_faults(weights, joints, count, each, &faults);
    }
    tn_arena_rewind(&importer->scratch, mark);
    if (checker->builder.failed) return;
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
