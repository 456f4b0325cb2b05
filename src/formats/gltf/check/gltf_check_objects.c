// gltf_check_objects.c: nodes, cameras, skins, the weights of vertices, and animations.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include "core/math/math.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNIT_SLACK   0.0077            // Error of the length of 8-bit rotations.
#define MATRIX_SLACK 1e-4              // Times the largest entry.
#define WEIGHT_SLACK 2e-7              // For each weight that is not 0.
#define BLOCK        ((uint64_t)4096)  // Weights that are decoded at once.

enum { SETS_MOST = 16, SET_SIZE = 4 };

// -- Joints of skins

static void gltf_check_objects_joints(gltf_checker *checker, const uint32_t *order)
{
    gltf_importer *importer = &checker->importer;
    const uint32_t most = 64;  // Scenes that are checked, each against all nodes.
    const uint32_t *parents = importer->parents;
    uint32_t count = gltf_import_count(importer, LIST_NODES), top = 0;
    uint32_t skins = gltf_import_count(importer, LIST_SKINS);
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
        const tn_json_value *skin = gltf_import_item(importer, LIST_SKINS, k);
        const tn_json_value *joints = tn_json_tree_get(skin, "joints"),
                            *value = tn_json_tree_get(skin, "skeleton");
        uint32_t root = TENON_NONE, skeleton = tn_json_tree_u32(value, TENON_NONE);
        for (uint32_t i = 0; i < tn_json_tree_count(joints); i++) {
            uint32_t joint = tn_json_tree_u32(tn_json_tree_at(joints, i), TENON_NONE);
            if (joint >= count) continue;
            if (root == TENON_NONE) root = root_of[joint];
            if (root_of[joint] != root) {
                gltf_check_found(checker, "skeleton", tn_json_tree_at(joints, i),
                                 "this joint and the first joint have no common ancestor");
                root = TENON_NONE;
                break;
            }
            if (skeleton < count && number[joint] - number[skeleton] >= size[skeleton]) {
                gltf_check_found(checker, "skeleton", value,
                                 "joint %" PRIu32 " is not a descendant of node %" PRIu32, i,
                                 skeleton);
                skeleton = TENON_NONE;
            }
        }
        root_of_skin[k] = root;
    }
    // A scene with a skinned mesh must have its joints as well.
    for (uint32_t scene = 0; scene < gltf_import_count(importer, LIST_SCENES) && scene < most;
         scene++) {
        const tn_json_value *roots =
            tn_json_tree_get(gltf_import_item(importer, LIST_SCENES, scene), "nodes");
        for (uint32_t i = 0; i < tn_json_tree_count(roots); i++) {
            uint32_t node = tn_json_tree_u32(tn_json_tree_at(roots, i), TENON_NONE);
            if (node < count) shown[node] = scene + 1;
        }
        for (uint32_t i = 0; i < count; i++) {
            const tn_json_value *node = gltf_import_item(importer, LIST_NODES, i);
            const tn_json_value *value = tn_json_tree_get(node, "skin");
            uint32_t skin = tn_json_tree_u32(value, TENON_NONE);
            if (skin >= skins || shown[root_of[i]] != scene + 1) continue;
            if (root_of_skin[skin] != TENON_NONE && shown[root_of_skin[skin]] != scene + 1)
                gltf_check_found(checker, "skeleton", value,
                                 "scene %" PRIu32 " has the mesh, but not its joints", scene);
        }
    }
}

// -- Matrices of skins

static void gltf_check_objects_skins(gltf_checker *checker)
{
    uint32_t count = gltf_import_count(&checker->importer, LIST_SKINS);
    for (uint32_t i = 0; i < count && !checker->builder.failed; i++) {
        const tn_json_value *skin = gltf_import_item(&checker->importer, LIST_SKINS, i);
        const tn_json_value *value = tn_json_tree_get(skin, "inverseBindMatrices");
        uint32_t joints = tn_json_tree_count(tn_json_tree_get(skin, "joints"));
        gltf_elements e;
        if (!gltf_check_open_used(checker, "skin", value, &e)) continue;
        if (e.width != 16 || e.component_type != GLTF_F32 || e.count < joints) {
            gltf_check_found(checker, "skin", value,
                             "%" PRIu32 " float matrices are required, one for each joint", joints);
            continue;
        }
        if (!gltf_check_is_first_examination(checker, value, GLTF_EXAMINED_BINDS)) continue;
        tn_mark mark = tn_arena_mark(&checker->importer.scratch);
        const float *m;
        uint64_t bad = 0;
        for (uint64_t at = 0, n; (n = gltf_check_decode_block(checker, &e, at, &m)) > 0; at += n)
            for (uint64_t k = 0; k < n; k++, m += 16)
                bad += m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1;
        tn_arena_rewind(&checker->importer.scratch, mark);
        if (bad)
            gltf_check_found(checker, "skin", value,
                             "the last row of %" PRIu64 " matrices is not 0 0 0 1", bad);
    }
}

// -- Weights

// Open the accessor of a set. False: it cannot be examined. `*is_there`: whether it exists.
static bool gltf_check_objects_open_set(gltf_checker *checker, const tn_json_value *attributes,
                                        const char *word, uint32_t set, gltf_elements *e,
                                        bool *is_there)
{
    char key[24];
    (void)snprintf(key, sizeof key, "%s_%" PRIu32, word, set);
    const tn_json_value *value = tn_json_tree_get(attributes, key);
    uint32_t index = tn_json_tree_u32(value, TENON_NONE);
    *is_there = value;
    return index < gltf_import_count(&checker->importer, LIST_ACCESSORS) &&
           !checker->is_bad_accessor[index] &&
           gltf_import_open_accessor(&checker->importer, index, GLTF_ANY_SHAPE, e) &&
           e->width == SET_SIZE && gltf_check_has_numbers(e);
}

// `count` elements from `first` on.
static gltf_elements gltf_check_objects_part_of(const gltf_elements *e, uint64_t first,
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

static inline bool gltf_check_objects_has_twice(const uint32_t *joints, const float *weights,
                                                uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i && weights[i] != 0; k++)
            if (weights[k] != 0 && joints[k] == joints[i]) return true;
    return false;
}

// Inline, so that the compiler unrolls the loops where `each` is constant.
static inline void gltf_check_objects_add_faults(const float *weights, const uint32_t *joints,
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
        faults->twice += gltf_check_objects_has_twice(joints, weights, each);
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
            gltf_check_objects_open_set(checker, attributes, "WEIGHTS", sets, w, &has_weights);
        is_open =
            gltf_check_objects_open_set(checker, attributes, "JOINTS", sets, j, &has_joints) &&
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
            gltf_elements w = gltf_check_objects_part_of(&weight_sets[i], at, count);
            gltf_elements j = gltf_check_objects_part_of(&joint_sets[i], at, count);
            gltf_import_decode_floats(importer, &w, weights + SET_SIZE * i, each);
            if (!checker->builder.failed)
                gltf_import_decode_integers(importer, &j, joints + SET_SIZE * i, each);
        }
        if (checker->builder.failed) break;
        if (each == SET_SIZE)
            gltf_check_objects_add_faults(weights, joints, count, SET_SIZE, &faults);
        else
            gltf_check_objects_add_faults(weights, joints, count, each, &faults);
    }
    tn_arena_rewind(&importer->scratch, mark);
    if (checker->builder.failed) return;
    if (faults.bad || faults.negative)
        gltf_check_found(checker, "weights", attributes,
                         "the weights of %" PRIu64 " of %" PRIu64
                         " vertices do not sum to 1, %" PRIu64 " are negative",
                         faults.bad, vertices, faults.negative);
    if (faults.twice)
        gltf_check_found(checker, "joint-twice", attributes,
                         "%" PRIu64 " of %" PRIu64 " vertices have two weights for the same joint",
                         faults.twice, vertices);
}

// -- Nodes

// The number of morph targets of a node's mesh; 0 if it has no mesh.
static uint32_t gltf_check_objects_count_targets(const gltf_checker *checker,
                                                 const tn_json_value *node)
{
    uint32_t mesh = gltf_index_of(node, "mesh");
    const tn_json_value *parts =
        tn_json_tree_get(gltf_import_item(&checker->importer, LIST_MESHES, mesh), "primitives");
    return tn_json_tree_count(tn_json_tree_get(tn_json_tree_at(parts, 0), "targets"));
}

static bool gltf_check_objects_has_transform(const tn_json_value *node)
{
    static const struct {
        const char *key;
        double usual[16];
        uint32_t size;
    } parts[] = {
        {"matrix", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 16},
        {"translation", {0, 0, 0}, 3},
        {"rotation", {0, 0, 0, 1}, 4},
        {"scale", {1, 1, 1}, 3},
    };
    double values[16];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (tn_json_tree_f64s(tn_json_tree_get(node, parts[i].key), values, parts[i].size))
            for (uint32_t k = 0; k < parts[i].size; k++)
                if (values[k] != parts[i].usual[k]) return true;
    return false;
}

static void gltf_check_objects_tree(gltf_checker *checker)
{
    gltf_importer *importer = &checker->importer;
    const uint32_t *order = gltf_import_order_nodes(importer);
    if (!order) {
        // Invalid indices are already reported.
        if (checker->errors == 0 || strstr(checker->err.message, "node "))
            gltf_check_report_failure(checker, "tree");
        gltf_check_clear_failure(checker);
        return;
    }
    uint32_t count = gltf_import_count(importer, LIST_NODES);
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_SCENES); i++) {
        const tn_json_value *roots =
            tn_json_tree_get(gltf_import_item(importer, LIST_SCENES, i), "nodes");
        for (uint32_t k = 0; k < tn_json_tree_count(roots); k++) {
            uint32_t node = tn_json_tree_u32(tn_json_tree_at(roots, k), TENON_NONE);
            if (node < count && importer->parents[node] != TENON_NONE)
                gltf_check_found(checker, "tree", tn_json_tree_at(roots, k),
                                 "node %" PRIu32 " is a child of node %" PRIu32, node,
                                 importer->parents[node]);
        }
    }
    gltf_check_objects_joints(checker, order);
    // A skinned mesh ignores the transform of its node. Parents come before their children.
    bool *has_moved_ancestor = gltf_import_scratch(importer, count, sizeof *has_moved_ancestor);
    for (uint32_t i = 0; has_moved_ancestor && i < count; i++) {
        const tn_json_value *node = gltf_import_item(importer, LIST_NODES, order[i]);
        uint32_t parent = importer->parents[order[i]];
        bool is_above = parent != TENON_NONE && has_moved_ancestor[parent],
             is_own = gltf_check_objects_has_transform(node);
        bool is_skinned = tn_json_tree_get(node, "mesh") && tn_json_tree_get(node, "skin");
        if (is_skinned && (is_own || is_above))
            gltf_check_found(checker, "no-effect", node,
                             "a skinned mesh ignores the transform of its node%s",
                             is_own ? "" : "'s parents");
        has_moved_ancestor[order[i]] = is_own || is_above;
    }
}

// -- Cameras and lights

static void gltf_check_objects_cameras(gltf_checker *checker)
{
    for (uint32_t i = 0; i < gltf_import_count(&checker->importer, LIST_CAMERAS); i++) {
        const tn_json_value *camera = gltf_import_item(&checker->importer, LIST_CAMERAS, i);
        bool is_orthographic = tn_json_tree_is(tn_json_tree_get(camera, "type"), "orthographic");
        const char *kind = is_orthographic ? "orthographic" : "perspective";
        const tn_json_value *numbers = tn_json_tree_get(camera, kind);
        double near_plane = tn_json_tree_f64(tn_json_tree_get(numbers, "znear"), 0);
        double far_plane = tn_json_tree_f64(tn_json_tree_get(numbers, "zfar"), HUGE_VAL);
        for (int k = 0; is_orthographic && k < 2; k++) {
            const tn_json_value *size = tn_json_tree_get(numbers, k ? "ymag" : "xmag");
            if (size && tn_json_tree_f64(size, 1) == 0)
                gltf_check_found(checker, "value", size,
                                 "a camera with a width or height of 0 sees nothing");
            if (tn_json_tree_f64(size, 1) < 0)
                gltf_check_found(checker, "implausible", size,
                                 "a negative size mirrors the picture");
        }
        const tn_json_value *angle = tn_json_tree_get(numbers, "yfov");
        if (!is_orthographic && tn_json_tree_f64(angle, 1) >= TN_PI)
            gltf_check_found(checker, "implausible", angle, "the angle is 180 degrees or more");
        bool is_known =
            is_orthographic || tn_json_tree_is(tn_json_tree_get(camera, "type"), "perspective");
        if (!numbers && is_known)
            gltf_check_found(checker, "missing", camera, "'%s' is missing", kind);
        if (tn_json_tree_get(camera, "perspective") && tn_json_tree_get(camera, "orthographic"))
            gltf_check_found(checker, "missing", camera,
                             "only one of 'perspective' and 'orthographic' is allowed");
        if (numbers && !(far_plane > near_plane))
            gltf_check_found(checker, "value", numbers, "'zfar' is not greater than 'znear'");
    }
    for (uint32_t i = 0; i < gltf_import_count(&checker->importer, LIST_LIGHTS); i++) {
        const tn_json_value *light = gltf_import_item(&checker->importer, LIST_LIGHTS, i);
        const tn_json_value *spot = tn_json_tree_get(light, "spot");
        double inner = tn_json_tree_f64(tn_json_tree_get(spot, "innerConeAngle"), 0);
        double outer = tn_json_tree_f64(tn_json_tree_get(spot, "outerConeAngle"), TN_PI / 4);
        if (tn_json_tree_is(tn_json_tree_get(light, "type"), "spot") && !spot)
            gltf_check_found(checker, "missing", light, "'spot' is missing");
        if (spot && !(inner < outer))
            gltf_check_found(checker, "value", spot,
                             "the inner angle is not less than the outer angle");
    }
}

// -- Animations

// The keys of a channel. `targets`: values of each key; 0: unknown.
static void gltf_check_objects_keys(gltf_checker *checker, const tn_json_value *sampler,
                                    bool is_rotation, bool is_morph, uint32_t targets)
{
    const tn_json_value *input = tn_json_tree_get(sampler, "input"),
                        *output = tn_json_tree_get(sampler, "output");
    bool is_cubic = tn_json_tree_is(tn_json_tree_get(sampler, "interpolation"), "CUBICSPLINE");
    gltf_elements times, values;
    const float *block;
    uint64_t bad_times = 0, bad_rotations = 0;
    if (!gltf_check_open_used(checker, "keys", input, &times) ||
        !gltf_check_open_used(checker, "keys", output, &values))
        return;
    tn_mark mark = tn_arena_mark(&checker->importer.scratch);
    if (times.width != 1 || times.component_type != GLTF_F32) {
        gltf_check_found(checker, "keys", input, "times must be floats");
    } else if (gltf_check_is_first_examination(checker, input, GLTF_EXAMINED_TIMES)) {
        float last = -1;
        for (uint64_t at = 0, n; (n = gltf_check_decode_block(checker, &times, at, &block)) > 0;
             at += n)
            for (uint64_t i = 0; i < n; last = block[i++])
                bad_times += !(block[i] >= 0) || (at + i > 0 && !(block[i] > last));
        if (bad_times)
            gltf_check_found(checker, "keys", input,
                             "%" PRIu64 " times are negative or do not increase", bad_times);
        if (!tn_json_tree_get(times.node, "min") || !tn_json_tree_get(times.node, "max"))
            gltf_check_found(checker, "bounds", input, "times need 'min' and 'max'");
    }
    tn_arena_rewind(&checker->importer.scratch, mark);
    uint32_t width = is_morph ? 1 : is_rotation ? 4 : 3;
    bool is_float = values.component_type == GLTF_F32;
    bool is_unit = (is_rotation || is_morph) && values.is_normalized;
    if (values.width != width || values.rows != width || (!is_float && !is_unit))
        gltf_check_found(checker, "keys", output, "the target does not allow values of this type");
    else if (is_rotation &&
             gltf_check_is_first_examination(checker, output, GLTF_EXAMINED_ROTATIONS))
        for (uint64_t at = 0, n; (n = gltf_check_decode_block(checker, &values, at, &block)) > 0;
             at += n)
            for (uint64_t i = 0; i < n; i++) {
                const float *q = block + 4 * i;
                double square = (double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] +
                                (double)q[3] * q[3];
                bool is_tangent = is_cubic && (at + i) % 3 != 1;
                bad_rotations += !is_tangent && !(fabs(sqrt(square) - 1) <= UNIT_SLACK);
            }
    tn_arena_rewind(&checker->importer.scratch, mark);
    if (bad_rotations)
        gltf_check_found(checker, "keys", output, "%" PRIu64 " rotations do not have length 1",
                         bad_rotations);
    uint64_t wanted = times.count * (is_cubic ? 3 : 1) * targets;
    if (targets && values.count != wanted)
        gltf_check_found(checker, "keys", output, "%" PRIu64 " values, expected %" PRIu64,
                         values.count, wanted);
    if (is_cubic && times.count < 2)
        gltf_check_found(checker, "keys", input, "a cubic spline needs at least two keys");
}

// `taken`: for each path of each node, the last animation with that target, plus 1.
static void gltf_check_objects_channel(gltf_checker *checker, const tn_json_value *channel,
                                       const tn_json_value *samplers, uint32_t animation,
                                       uint32_t *taken)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const tn_json_value *target = tn_json_tree_get(channel, "target"),
                        *value = tn_json_tree_get(target, "node");
    const tn_json_value *sampler = tn_json_tree_get(channel, "sampler");
    uint32_t node = tn_json_tree_u32(value, TENON_NONE), path = 0;
    uint32_t index = tn_json_tree_u32(sampler, TENON_NONE);
    while (path < 4 && !tn_json_tree_is(tn_json_tree_get(target, "path"), paths[path])) path++;
    if (sampler && index >= tn_json_tree_count(samplers))
        gltf_check_found(checker, "index", sampler,
                         "index %" PRIu32 ", but there are %" PRIu32 " samplers", index,
                         tn_json_tree_count(samplers));
    const tn_json_value *extensions = tn_json_tree_get(target, "extensions");
    const tn_json_value *pointer = tn_json_tree_get(extensions, "KHR_animation_pointer");
    if (pointer && value)
        gltf_check_found(checker, "keys", pointer,
                         "the target must not have 'node' together with this extension");
    if (pointer && !tn_json_tree_is(tn_json_tree_get(target, "path"), "pointer"))
        gltf_check_found(checker, "keys", pointer,
                         "'path' must be 'pointer' together with this extension");
    if (path == 4 || pointer) return;
    const tn_json_value *moved = gltf_import_item(&checker->importer, LIST_NODES, node);
    uint32_t targets = path < 3 ? 1 : gltf_check_objects_count_targets(checker, moved);
    if (targets == 0 && moved)
        gltf_check_found(checker, "keys", value, "the mesh of the node has no morph targets");
    else
        gltf_check_objects_keys(checker, tn_json_tree_at(samplers, index), path == 1, path == 3,
                                targets);
    if (node >= gltf_import_count(&checker->importer, LIST_NODES)) return;
    uint32_t *last = &taken[4 * (size_t)node + path];
    if (*last == animation + 1)
        gltf_check_found(checker, "keys", channel, "another channel has the same target");
    *last = animation + 1;
    if (path < 3 && tn_json_tree_get(moved, "matrix"))
        gltf_check_found(checker, "keys", value, "a node with a matrix cannot be animated");
    if (path < 3 && tn_json_tree_get(moved, "skin"))
        gltf_check_found(checker, "no-effect", tn_json_tree_get(target, "path"),
                         "the node has a skin: only the joints move the mesh");
}

void gltf_check_objects(gltf_checker *checker)
{
    gltf_importer *importer = &checker->importer;
    uint32_t count = gltf_import_count(importer, LIST_NODES);
    for (uint32_t i = 0; i < count && !checker->check->failed; i++) {
        const tn_json_value *node = gltf_import_item(importer, LIST_NODES, i);
        const tn_json_value *rotation = tn_json_tree_get(node, "rotation");
        const tn_json_value *matrix = tn_json_tree_get(node, "matrix");
        double q[4];
        tn_mat4 m;
        if (tn_json_tree_f64s(rotation, q, 4)) {
            double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
            if (!(fabs(length - 1) <= UNIT_SLACK))
                gltf_check_found(checker, "transform", rotation, "its length is not 1");
        }
        if (tn_json_tree_f64s(matrix, m.m, 16)) {
            if (rotation || tn_json_tree_get(node, "translation") ||
                tn_json_tree_get(node, "scale"))
                gltf_check_found(checker, "transform", matrix,
                                 "the node also has translation, rotation or scale");
            tn_trs trs;
            if ((tn_mat4_decompose(&m, &trs) & TN_TRS_DEGENERATE) ||
                !tn_mat4_is_trs(&m, &trs, MATRIX_SLACK))
                gltf_check_found(checker, "transform", matrix,
                                 "it cannot be split into translation, rotation and scale");
        }
        // The mesh of a node with a skin has joints of the skin.
        const tn_json_value *value = tn_json_tree_get(node, "skin");
        uint32_t skin = tn_json_tree_u32(value, TENON_NONE);
        uint32_t mesh = gltf_index_of(node, "mesh");
        const tn_json_value *joints =
            tn_json_tree_get(gltf_import_item(importer, LIST_SKINS, skin), "joints");
        bool has_mesh = mesh < gltf_import_count(importer, LIST_MESHES);
        if (joints && !has_mesh) gltf_check_found(checker, "skin", value, "the node has no mesh");
        if (joints && has_mesh && checker->max_joint[mesh] == 0)
            gltf_check_found(checker, "skin", value,
                             "the mesh of the node has no joints and weights");
        if (joints && has_mesh && checker->max_joint[mesh] > joints->size)
            gltf_check_found(checker, "weights", value,
                             "the mesh uses joint %" PRIu32 ", but the skin has %" PRIu32 " joints",
                             checker->max_joint[mesh] - 1, joints->size);
        const tn_json_value *weights = tn_json_tree_get(node, "weights");
        uint32_t targets = gltf_check_objects_count_targets(checker, node);
        if (weights && !tn_json_tree_get(node, "mesh"))
            gltf_check_found(checker, "missing", weights, "the node has no mesh");
        else if (weights && tn_json_tree_count(weights) != targets)
            gltf_check_found(checker, "size", weights, "the mesh has %" PRIu32 " morph targets",
                             targets);
    }
    gltf_check_objects_tree(checker);
    gltf_check_objects_cameras(checker);
    gltf_check_objects_skins(checker);
    uint32_t *taken = gltf_import_scratch_for(importer, LIST_NODES, 4 * sizeof *taken);
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_ANIMATIONS); i++) {
        const tn_json_value *animation = gltf_import_item(importer, LIST_ANIMATIONS, i);
        const tn_json_value *channels = tn_json_tree_get(animation, "channels");
        const tn_json_value *samplers = tn_json_tree_get(animation, "samplers");
        for (uint32_t k = 0; k < tn_json_tree_count(channels) && !checker->builder.failed; k++)
            gltf_check_objects_channel(checker, tn_json_tree_at(channels, k), samplers, i, taken);
    }
}
