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
static uint32_t bmw_tree_parent(const bmw_exporter *m, uint32_t node)
{
    uint32_t parent = m->e.scene->nodes[node].parent;
    return parent == TENON_NONE || parent == m->model ? m->e.scene->node_count : parent;
}

bool bmw_plan_tree(bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    uint32_t count = s->node_count;
    uint32_t *depths = tn_export_alloc(&m->e, (uint64_t)count + 1, sizeof *depths);
    uint32_t *sizes = tn_export_alloc(&m->e, (uint64_t)count + 1, sizeof *sizes);
    uint32_t *next = tn_export_alloc(&m->e, (uint64_t)count + 1, sizeof *next);
    m->tree_ids = tn_export_alloc(&m->e, count, sizeof *m->tree_ids);
    if (!depths || !sizes || !next || !m->tree_ids) return false;
    m->keeps_tree = m->e.dialect && (m->e.dialect->flags & TENON_BMW_FRAMES_LITERAL);
    for (uint32_t i = 0; i < count; i++) {
        depths[i] = depths[bmw_tree_parent(m, i)] + 1;
        if (i != m->model && depths[i] > DEPTH_MOST) m->keeps_tree = false;
    }
    // Parents come before their children.
    for (uint32_t i = count; i-- > 0;)
        if (i != m->model) sizes[bmw_tree_parent(m, i)] += ++sizes[i];
    next[count] = BMW_TOP_ID + 1;
    for (uint32_t i = 0; i < count; i++) {
        if (i == m->model) continue;
        uint32_t *place = &next[bmw_tree_parent(m, i)];
        m->tree_ids[i] = *place;
        next[i] = *place + 1;
        *place += sizes[i];
    }
    return true;
}

bool bmw_number_bones(bmw_exporter *m)
{
    uint32_t count = m->e.scene->node_count, next = BMW_TOP_ID + 1;
    bool *is_taken = tn_export_alloc(&m->e, count, sizeof *is_taken);
    m->bone_ids = tn_export_alloc(&m->e, m->bone_count, sizeof *m->bone_ids);
    if (!is_taken || !m->bone_ids) return false;
    if (m->keeps_tree) next += count - (m->model != TENON_NONE);
    for (uint32_t i = 0; i < m->bone_count; i++) {
        uint32_t node = bmw_bone_node(m, i);
        bool is_free = m->keeps_tree && node != TENON_NONE && !is_taken[node];
        m->bone_ids[i] = is_free ? m->tree_ids[node] : next++;
        if (is_free) is_taken[node] = true;
        if (m->keeps_tree && !is_free) m->extra_count++;
    }
    return true;
}

// The lists of meshes of all nodes, one after the other: `starts[i]` is the start of node i's list.
static bool bmw_list_meshes(bmw_exporter *m, uint32_t *starts, uint8_t **meshes)
{
    uint32_t count = m->e.scene->node_count, at = 0;
    uint32_t *filled = tn_export_alloc(&m->e, count, sizeof *filled);
    *meshes = tn_export_alloc(&m->e, m->group_count, 4);
    if (!filled || !*meshes) return false;
    for (uint32_t i = 0; i < m->group_count; i++)
        starts[m->rig.parts[m->order[m->groups[i].first]].node + 1]++;
    for (uint32_t i = 0; i <= count; i++) starts[i] = at += starts[i];
    for (uint32_t i = 0; i < m->group_count; i++) {
        uint32_t node = m->rig.parts[m->order[m->groups[i].first]].node;
        tn_copy_numbers(*meshes + 4 * (size_t)(starts[node] + filled[node]++), &i, 1, 4, false);
    }
    return true;
}

static tn_mat4 bmw_node_local(const tenon_node *node)
{
    tn_mat4 local;
    tn_trs trs;
    memcpy(local.m, node->matrix, sizeof local.m);
    memcpy(&trs.translation, node->translation, sizeof trs.translation);
    memcpy(&trs.rotation, node->rotation, sizeof trs.rotation);
    memcpy(&trs.scale, node->scale, sizeof trs.scale);
    return node->has_matrix ? local : tn_mat4_from_trs(&trs);
}

bool bmw_export_tree(bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    uint32_t count = s->node_count, at = 0, extra = 0, named = 0;
    uint64_t all = (uint64_t)count + m->extra_count;
    tenon_bmw_node *nodes = tn_export_alloc(&m->e, all, sizeof *nodes);
    tenon_bmw_name *names = tn_export_alloc(&m->e, count, sizeof *names);
    uint32_t *child_counts = tn_export_alloc(&m->e, (uint64_t)count + 1, sizeof *child_counts);
    uint32_t *firsts = tn_export_alloc(&m->e, (uint64_t)count + 1, sizeof *firsts);
    uint32_t *filled = tn_export_alloc(&m->e, (uint64_t)count + 1, sizeof *filled);
    uint32_t *starts = tn_export_alloc(&m->e, (uint64_t)count + 1, sizeof *starts);
    uint8_t *meshes;
    if (!nodes || !names || !child_counts || !firsts || !filled || !starts) return false;
    if (!bmw_list_meshes(m, starts, &meshes)) return false;
    for (uint32_t i = 0; i < count; i++) child_counts[bmw_tree_parent(m, i)] += i != m->model;
    for (uint32_t i = 0; i <= count; i++) {
        firsts[i] = at;
        at += child_counts[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i == m->model) continue;
        uint32_t parent = bmw_tree_parent(m, i), mesh_count = starts[i + 1] - starts[i];
        tenon_bmw_node *node = &nodes[firsts[parent] + filled[parent]++];
        tn_mat4 local = bmw_node_local(&s->nodes[i]);
        bmw_set_transform(m, node, m->tree_ids[i], &local);
        node->children = nodes + firsts[i];
        node->child_count = child_counts[i];
        node->meshes = (tenon_span){meshes + 4 * (size_t)starts[i], 4 * (uint64_t)mesh_count,
                                    mesh_count, &tn_layout_u32, false};
        if (s->nodes[i].name.size)
            names[named++] = (tenon_bmw_name){m->tree_ids[i], s->nodes[i].name};
    }
    // The root's children are the last of the list, so the additional bones follow them.
    for (uint32_t i = 0; i < m->bone_count; i++) {
        if (m->bone_ids[i] <= count - (m->model != TENON_NONE)) continue;
        tn_mat4 place = bmw_bone_place(m, i);
        bmw_set_transform(m, &nodes[firsts[count] + child_counts[count] + extra++], m->bone_ids[i],
                          &place);
    }
    tn_mat4 identity = tn_mat4_identity();
    bmw_set_transform(m, &m->doc->root, BMW_TOP_ID, &identity);
    m->doc->root.children = nodes + firsts[count];
    m->doc->root.child_count = child_counts[count] + extra;
    m->doc->names = names;
    m->doc->name_count = named;
    return true;
}
