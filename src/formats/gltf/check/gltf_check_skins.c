// gltf_check_skins.c: skins: their matrices, and the hierarchy of their joints.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include <inttypes.h>

// Nodes numbered depth first, so that the descendants of a node follow it.
typedef struct gltf_node_order {
    uint32_t *number, *size;  // For each node: its number, and the size of its subtree.
    uint32_t *root;           // For each node.
    uint32_t *common;         // For each skin: the root of all its joints, or TENON_NONE.
} gltf_node_order;

// -- The tree

// `order`: parents come before their children.
static bool gltf_check_skins_number_nodes(gltf_checker *checker, const uint32_t *order,
                                          gltf_node_order *t)
{
    uint32_t count = gltf_import_count(&checker->importer, GLTF_LIST_NODES), top = 0;
    const uint32_t *parents = checker->importer.parents;
    uint32_t *next = gltf_import_scratch(&checker->importer, count, sizeof *next);
    t->number = gltf_import_scratch(&checker->importer, count, sizeof *t->number);
    t->size = gltf_import_scratch(&checker->importer, count, sizeof *t->size);
    t->root = gltf_import_scratch(&checker->importer, count, sizeof *t->root);
    t->common = gltf_import_scratch_indices(&checker->importer,
                                            gltf_import_count(&checker->importer, GLTF_LIST_SKINS));
    if (checker->builder.failed) return false;
    for (uint32_t i = count; i-- > 0;) {
        t->size[order[i]]++;
        if (parents[order[i]] != TENON_NONE) t->size[parents[order[i]]] += t->size[order[i]];
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = order[i], parent = parents[node];
        uint32_t *place = parent == TENON_NONE ? &top : &next[parent];
        t->number[node] = *place;
        *place += t->size[node];
        next[node] = t->number[node] + 1;
        t->root[node] = parent == TENON_NONE ? node : t->root[parent];
    }
    return true;
}

// -- Joints

static void gltf_check_skins_skeleton(gltf_checker *checker, uint32_t index, gltf_node_order *t)
{
    const tn_json_value *skin = gltf_import_item(&checker->importer, GLTF_LIST_SKINS, index);
    const tn_json_value *joints = tn_json_tree_get(skin, "joints"),
                        *value = tn_json_tree_get(skin, "skeleton");
    uint32_t count = gltf_import_count(&checker->importer, GLTF_LIST_NODES), root = TENON_NONE;
    uint32_t skeleton = tn_json_tree_u32(value, TENON_NONE);
    for (uint32_t i = 0; i < tn_json_tree_count(joints); i++) {
        uint32_t joint = tn_json_tree_u32(tn_json_tree_at(joints, i), TENON_NONE);
        if (joint >= count) continue;
        if (root == TENON_NONE) root = t->root[joint];
        if (t->root[joint] != root) {
            gltf_check_found(checker, GLTF_RULE_SKELETON, tn_json_tree_at(joints, i),
                             "this joint and the first joint have no common ancestor");
            return;
        }
        if (skeleton < count && t->number[joint] - t->number[skeleton] >= t->size[skeleton]) {
            gltf_check_found(checker, GLTF_RULE_SKELETON, value,
                             "joint %" PRIu32 " is not a descendant of node %" PRIu32, i, skeleton);
            skeleton = TENON_NONE;
        }
    }
    t->common[index] = root;
}

void gltf_check_joints(gltf_checker *checker, const uint32_t *order)
{
    const gltf_importer *importer = &checker->importer;
    const uint32_t most = 64;  // Scenes that are checked, each against all nodes.
    uint32_t count = gltf_import_count(importer, GLTF_LIST_NODES);
    uint32_t skins = gltf_import_count(importer, GLTF_LIST_SKINS);
    uint32_t *shown =
        gltf_import_scratch(&checker->importer, count, sizeof *shown);  // By scene, plus 1.
    gltf_node_order tree;
    if (skins == 0 || !gltf_check_skins_number_nodes(checker, order, &tree)) return;
    for (uint32_t i = 0; i < skins; i++) gltf_check_skins_skeleton(checker, i, &tree);
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
            if (skin >= skins || shown[tree.root[i]] != scene + 1) continue;
            uint32_t root = tree.common[skin];
            if (root != TENON_NONE && shown[root] != scene + 1)
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
