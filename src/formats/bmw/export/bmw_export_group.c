// bmw_export_group.c: decides which parts of a scene become which mesh of BMW.
// SPDX-License-Identifier: MIT
//
// The engine has a fault: it adds the weights of vertex i of all earlier meshes to vertex i of a
// mesh. So parts with the same texture become one mesh, and every mesh starts with padding vertices
// for all earlier ones. Small meshes come first, which needs the least padding.

#include "formats/bmw/export/bmw_export.h"

#include "core/math/sort.h"

#include <string.h>

#define FRONT_SHARE 8       // Padding may be 8 times the vertices of the model,
#define FRONT_FREE  65536u  // or this many vertices.

// -- Parts

// Leaves out parts without faces, which crash the engine.
static bool bmw_list_parts(bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    bool *is_shown = tn_export_alloc(&m->e, s->node_count, sizeof *is_shown);
    m->order = tn_export_alloc(&m->e, m->rig.part_count, sizeof *m->order);
    if (!m->order || !is_shown) return false;
    for (uint32_t i = 0; i < m->rig.part_count; i++) {
        if (m->rig.parts[i].p->index_count < 3) continue;
        m->order[m->part_count++] = i;
        is_shown[m->rig.parts[i].node] = true;
    }
    for (uint32_t i = 0; i < s->node_count; i++)
        m->counts.hollow += s->nodes[i].mesh != TENON_NONE && !is_shown[i];
    return true;
}

// -- Bones

// The engine does not draw vertices without bones, so static parts need a bone, too.
static bool bmw_needs_still(const bmw_exporter *m)
{
    bool is_for_engine = m->is_animated && !m->keeps_tree;
    for (uint32_t i = 0; i < m->part_count && is_for_engine; i++) {
        const tn_part *part = &m->rig.parts[m->order[i]];
        if (!part->is_skinned && part->bone == TENON_NONE) return true;
    }
    return false;
}

// Joints without weights, and nodes with channels. Their descendants are not bones: import creates
// such nodes for every bone.
static bool *bmw_find_loose(const bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    bool *is_loose = tn_export_alloc(&m->e, s->node_count, sizeof *is_loose);
    if (!is_loose) return NULL;
    for (uint32_t i = 0; i < s->node_count; i++) is_loose[i] = s->nodes[i].is_joint;
    for (uint32_t i = 0; i < s->animation_count && m->is_animated; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++)
            is_loose[s->animations[i].channels[k].node] = true;
    for (uint32_t i = 0; i < s->node_count; i++)
        if (i == m->model || s->nodes[i].mesh != TENON_NONE) is_loose[i] = false;
    for (uint32_t i = 0; i < m->rig.bone_count; i++) is_loose[m->rig.bones[i].node] = false;
    return is_loose;
}

static bool bmw_export_bones(bmw_exporter *m)
{
    uint32_t node_count = m->e.scene->node_count;
    bool *is_loose = bmw_find_loose(m);
    m->still = bmw_needs_still(m) ? m->rig.bone_count : TENON_NONE;
    m->loose = tn_export_alloc(&m->e, node_count, sizeof *m->loose);
    if (!m->loose || !is_loose) return false;
    for (uint32_t i = 0; i < node_count; i++)
        if (is_loose[i]) m->loose[m->loose_count++] = i;
    m->bone_count = m->rig.bone_count + (m->still != TENON_NONE) + m->loose_count;
    // An animation without bones crashes the engine.
    m->is_animated = m->is_animated && m->bone_count > 0;
    return bmw_number_bones(m);
}

uint32_t bmw_vertex_bones(const bmw_exporter *m, const tn_part *part, uint32_t vertex,
                          uint32_t bones[TN_INFLUENCES], float weights[TN_INFLUENCES])
{
    uint32_t count = 0;
    bool is_rigid = !part->is_skinned;
    if (is_rigid && part->bone == TENON_NONE) {
        bones[0] = m->still;
        weights[0] = 1;
        return m->still != TENON_NONE;
    }
    (void)tn_part_influences(part, vertex, bones, weights);
    while (count < TN_INFLUENCES && weights[count] > 0) count++;
    return count;
}

// -- Bounds

static void bmw_grow(bmw_box *box, const float *p)
{
    for (int k = 0; k < 3; k++) {
        if (!box->is_there || p[k] < box->min[k]) box->min[k] = p[k];
        if (!box->is_there || p[k] > box->max[k]) box->max[k] = p[k];
    }
    box->is_there = true;
}

static bool bmw_export_boxes(bmw_exporter *m)
{
    m->boxes = tn_export_alloc(&m->e, m->bone_count, sizeof *m->boxes);
    if (!m->boxes) return false;
    for (uint32_t i = 0; i < m->part_count && m->is_animated; i++) {
        const tn_part *part = &m->rig.parts[m->order[i]];
        for (uint32_t v = 0; v < part->p->vertex_count; v++) {
            uint32_t bones[TN_INFLUENCES];
            float weights[TN_INFLUENCES];
            uint32_t count = bmw_vertex_bones(m, part, v, bones, weights);
            for (uint32_t k = 0; k < count; k++)
                bmw_grow(&m->boxes[bones[k]], part->p->positions + 3 * (size_t)v);
        }
    }
    return true;
}

// -- Groups

static uint32_t bmw_part_texture(const bmw_exporter *m, uint32_t part)
{
    return bmw_paint_of(m, m->rig.parts[part].p)->texture_id;
}

static bool bmw_looks_before(const void *context, uint32_t a, uint32_t b)
{
    return bmw_part_texture(context, a) < bmw_part_texture(context, b);
}

static void bmw_begin_group(bmw_exporter *m, uint32_t at)
{
    const tn_part *part = &m->rig.parts[m->order[at]];
    m->groups[m->group_count++] = (bmw_group){.first = at, .paint = bmw_paint_of(m, part->p)};
}

static void bmw_add_to_group(bmw_exporter *m, uint32_t at)
{
    const tn_part *part = &m->rig.parts[m->order[at]];
    bmw_group *group = &m->groups[m->group_count - 1];
    group->count++;
    group->vertex_count += part->p->vertex_count;
    group->index_count += part->p->index_count;
    bool is_moved = m->keeps_tree ? part->bone != TENON_NONE : m->is_animated;
    group->is_weighted = group->is_weighted || is_moved || part->is_skinned;
    m->counts.merged += group->count == 2 ? 2 : group->count > 2;
}

static bool bmw_smaller(const void *context, uint32_t a, uint32_t b)
{
    const bmw_group *groups = context;
    return groups[a].vertex_count < groups[b].vertex_count;
}

static bool bmw_sort_groups(bmw_exporter *m)
{
    uint32_t *order = tn_export_alloc(&m->e, m->group_count, sizeof *order);
    uint32_t *spare = tn_export_alloc(&m->e, m->group_count, sizeof *spare);
    bmw_group *sorted = tn_export_alloc(&m->e, m->group_count, sizeof *sorted);
    if (!order || !spare || !sorted) return false;
    for (uint32_t i = 0; i < m->group_count; i++) order[i] = i;
    tn_sort(order, spare, m->group_count, bmw_smaller, m->groups);
    for (uint32_t i = 0; i < m->group_count; i++) sorted[i] = m->groups[order[i]];
    m->groups = sorted;
    return true;
}

// Add padding, unless it would be too much.
static void bmw_keep_apart(bmw_exporter *m)
{
    uint64_t total = 0, front = 0, before = 0;
    for (uint32_t i = 0; i < m->group_count; i++) {
        front += total;
        total += m->groups[i].vertex_count;
    }
    if (front > FRONT_SHARE * total && front > FRONT_FREE) {
        m->counts.mixed = m->group_count - 1;
        return;
    }
    m->counts.front = front;
    for (uint32_t i = 0; i < m->group_count; i++) {
        m->groups[i].front = before;
        before += m->groups[i].vertex_count;
        m->groups[i].vertex_count = before;
    }
}

bool bmw_export_groups(bmw_exporter *m)
{
    if (!bmw_list_parts(m) || !bmw_export_bones(m)) return false;
    m->groups = tn_export_alloc(&m->e, m->part_count, sizeof *m->groups);
    uint32_t *spare = tn_export_alloc(&m->e, m->part_count, sizeof *spare);
    if (!m->groups || !spare) return false;
    bool is_for_engine = m->is_animated && !m->keeps_tree;
    if (is_for_engine) tn_sort(m->order, spare, m->part_count, bmw_looks_before, m);
    for (uint32_t i = 0; i < m->part_count; i++) {
        bool joins = i > 0 && is_for_engine &&
                     bmw_part_texture(m, m->order[i]) == bmw_part_texture(m, m->order[i - 1]);
        if (!joins) bmw_begin_group(m, i);
        bmw_add_to_group(m, i);
    }
    if (is_for_engine) {
        if (!bmw_sort_groups(m)) return false;
        bmw_keep_apart(m);
    }
    for (uint32_t i = 0; i < m->group_count; i++)
        if (m->groups[i].vertex_count > UINT32_MAX || m->groups[i].index_count > UINT32_MAX)
            return tn_error(m->e.err, TENON_ERR_LIMIT, "a mesh has too many vertices");
    return bmw_export_boxes(m);
}
