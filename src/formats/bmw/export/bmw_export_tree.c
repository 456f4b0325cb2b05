// bmw_export_tree.c: exports the tree of nodes, for the layout of the format's own text.
// SPDX-License-Identifier: MIT
//
// The engine ignores node transforms, so files for it have all nodes below the root. A file in the
// layout of the format's own text has the nodes of the scene, with their transforms, below a root
// with the identity. Ids count up in file order, parents first. A node can have several bind poses,
// but only one id: the bones for its other bind poses are the root's last children.

#include "formats/bmw/export/bmw_export.h"

#include "core/cursor/span.h"

#include <string.h>

#define DEPTH_MOST 200  // Reading fails at a depth of 256, lists included.

// The parent of a node in the file; the scene's node count if that is the root.
static uint32_t bmw_export_tree_parent(const bmw_exporter *exporter, uint32_t node)
{
    uint32_t parent = exporter->export.scene->nodes[node].parent;
    return parent == TENON_NONE || parent == exporter->model ? exporter->export.scene->node_count
                                                             : parent;
}

bool bmw_export_plan_tree(bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    uint32_t count = scene->node_count;
    uint32_t *depths = tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *depths);
    uint32_t *sizes = tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *sizes);
    uint32_t *next = tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *next);
    exporter->tree_ids = tn_export_alloc(&exporter->export, count, sizeof *exporter->tree_ids);
    if (!depths || !sizes || !next || !exporter->tree_ids) return false;
    exporter->keeps_tree = bmw_export_is_literal(exporter);
    for (uint32_t i = 0; i < count; i++) {
        depths[i] = depths[bmw_export_tree_parent(exporter, i)] + 1;
        if (i != exporter->model && depths[i] > DEPTH_MOST) exporter->keeps_tree = false;
    }
    // Parents come before their children.
    for (uint32_t i = count; i-- > 0;)
        if (i != exporter->model) sizes[bmw_export_tree_parent(exporter, i)] += ++sizes[i];
    next[count] = BMW_TOP_ID + 1;
    for (uint32_t i = 0; i < count; i++) {
        if (i == exporter->model) continue;
        uint32_t *id = &next[bmw_export_tree_parent(exporter, i)];
        exporter->tree_ids[i] = *id;
        next[i] = *id + 1;
        *id += sizes[i];
    }
    return true;
}

bool bmw_export_assign_bone_ids(bmw_exporter *exporter)
{
    uint32_t count = exporter->export.scene->node_count, next = BMW_TOP_ID + 1;
    bool *is_taken = tn_export_alloc(&exporter->export, count, sizeof *is_taken);
    exporter->bone_ids =
        tn_export_alloc(&exporter->export, exporter->bone_count, sizeof *exporter->bone_ids);
    if (!is_taken || !exporter->bone_ids) return false;
    if (exporter->keeps_tree) next += count - (exporter->model != TENON_NONE);
    for (uint32_t i = 0; i < exporter->bone_count; i++) {
        uint32_t node = bmw_export_bone_node(exporter, i);
        bool is_free = exporter->keeps_tree && node != TENON_NONE && !is_taken[node];
        exporter->bone_ids[i] = is_free ? exporter->tree_ids[node] : next++;
        if (is_free) is_taken[node] = true;
        if (exporter->keeps_tree && !is_free) exporter->extra_count++;
    }
    return true;
}

bool bmw_export_tree(bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    uint32_t count = scene->node_count, at = 0, extra = 0, named = 0;
    uint64_t all = (uint64_t)count + exporter->extra_count;
    tenon_bmw_node *nodes = tn_export_alloc(&exporter->export, all, sizeof *nodes);
    tenon_bmw_name *names = tn_export_alloc(&exporter->export, count, sizeof *names);
    uint32_t *child_counts =
        tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *child_counts);
    uint32_t *firsts = tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *firsts);
    uint32_t *filled = tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *filled);
    uint32_t *starts = tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *starts);
    uint32_t *listed = tn_export_alloc(&exporter->export, count, sizeof *listed);
    uint8_t *meshes = tn_export_alloc(&exporter->export, exporter->group_count, 4);
    if (!nodes || !names || !child_counts || !firsts || !filled || !starts || !listed || !meshes)
        return false;
    // The lists of meshes of all nodes, one after the other: node i's is from starts[i] on.
    for (uint32_t i = 0; i < exporter->group_count; i++)
        starts[bmw_export_part_at(exporter, exporter->groups[i].first)->node + 1]++;
    for (uint32_t i = 0; i < count; i++) starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < exporter->group_count; i++) {
        uint32_t node = bmw_export_part_at(exporter, exporter->groups[i].first)->node;
        tn_copy_numbers(meshes + 4 * (size_t)(starts[node] + listed[node]++), &i, 1, 4, false);
    }
    for (uint32_t i = 0; i < count; i++)
        child_counts[bmw_export_tree_parent(exporter, i)] += i != exporter->model;
    for (uint32_t i = 0; i <= count; i++) {
        firsts[i] = at;
        at += child_counts[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i == exporter->model) continue;
        uint32_t parent = bmw_export_tree_parent(exporter, i),
                 mesh_count = starts[i + 1] - starts[i];
        tenon_bmw_node *node = &nodes[firsts[parent] + filled[parent]++];
        // With the rotation as it is: tn_node_local() would normalize it again.
        const tenon_node *from = &scene->nodes[i];
        const double *t = from->translation, *r = from->rotation, *s = from->scale;
        const tn_trs trs = {{t[0], t[1], t[2]}, {r[0], r[1], r[2], r[3]}, {s[0], s[1], s[2]}};
        tn_mat4 local = tn_mat4_from_trs(&trs);
        if (from->has_matrix) memcpy(local.m, from->matrix, sizeof local.m);
        bmw_export_set_transform(exporter, node, exporter->tree_ids[i], &local);
        node->children = nodes + firsts[i];
        node->child_count = child_counts[i];
        node->meshes = (tenon_span){meshes + 4 * (size_t)starts[i], 4 * (uint64_t)mesh_count,
                                    mesh_count, &tn_layout_u32, false};
        if (from->name.size) names[named++] = (tenon_bmw_name){exporter->tree_ids[i], from->name};
    }
    // The root's children are the last of the list, so the additional bones follow them.
    for (uint32_t i = 0; i < exporter->bone_count; i++) {
        if (exporter->bone_ids[i] <= count - (exporter->model != TENON_NONE)) continue;
        tn_mat4 transform = bmw_export_bone_transform(exporter, i);
        bmw_export_set_transform(exporter, &nodes[firsts[count] + child_counts[count] + extra++],
                                 exporter->bone_ids[i], &transform);
    }
    tn_mat4 identity = tn_mat4_identity();
    bmw_export_set_transform(exporter, &exporter->doc->root, BMW_TOP_ID, &identity);
    exporter->doc->root.children = nodes + firsts[count];
    exporter->doc->root.child_count = child_counts[count] + extra;
    exporter->doc->names = names;
    exporter->doc->name_count = named;
    return true;
}
