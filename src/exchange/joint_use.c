// joint_use.c: which vertices the joints of skins move.
// SPDX-License-Identifier: MIT

#include "exchange/joint_use.h"

#define JOINTS_MOST 65536  // Their numbers have 16 bits.

// The joints of one mesh, by their numbers in its streams.
typedef struct mesh_use {
    const tenon_scene *scene;
    tn_box *boxes;      // JOINTS_MOST.
    uint32_t *stamps;   // Of each joint: which mesh used it last, counted from 1.
    uint32_t *used;     // Those that this mesh uses, in the order of their appearance.
    uint32_t count;     // Of them.
    uint32_t *first;    // Of each mesh: a skinned node that shows it.
    uint32_t *next;     // Of each node: another one that shows the same mesh.
    uint32_t *skin_of;  // Of each skin: the mesh that it was told with last, counted from 1.
} mesh_use;

static bool allocate(const tn_export *e, mesh_use *u)
{
    const tenon_scene *scene = e->scene;
    *u = (mesh_use){.scene = scene};
    u->boxes = tn_export_alloc(e, JOINTS_MOST, sizeof *u->boxes);
    u->stamps = tn_export_alloc(e, JOINTS_MOST, sizeof *u->stamps);
    u->used = tn_export_alloc(e, JOINTS_MOST, sizeof *u->used);
    u->first = tn_export_alloc(e, scene->mesh_count, sizeof *u->first);
    u->next = tn_export_alloc(e, scene->node_count, sizeof *u->next);
    u->skin_of = tn_export_alloc(e, scene->skin_count, sizeof *u->skin_of);
    return u->boxes && u->stamps && u->used && u->first && u->next && u->skin_of;
}

static void list_nodes(mesh_use *u)
{
    for (uint32_t i = 0; i < u->scene->mesh_count; i++) u->first[i] = TENON_NONE;
    for (uint32_t i = u->scene->node_count; i-- > 0;) {
        const tenon_node *node = &u->scene->nodes[i];
        if (node->mesh == TENON_NONE || node->skin == TENON_NONE) continue;
        u->next[i] = u->first[node->mesh];
        u->first[node->mesh] = i;
    }
}

static void widen(tn_box *box, const float *p)
{
    for (int k = 0; k < 3; k++) {
        box->min[k] = p[k] < box->min[k] ? p[k] : box->min[k];
        box->max[k] = p[k] > box->max[k] ? p[k] : box->max[k];
    }
}

static void use_joint(mesh_use *u, uint32_t joint, uint32_t stamp, const float *p)
{
    if (u->stamps[joint] == stamp) {
        widen(&u->boxes[joint], p);
        return;
    }
    u->stamps[joint] = stamp;
    u->used[u->count++] = joint;
    u->boxes[joint] = (tn_box){{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
}

static void look_at_mesh(mesh_use *u, uint32_t mesh)
{
    u->count = 0;
    for (uint32_t i = 0; i < u->scene->meshes[mesh].primitive_count; i++) {
        const tenon_primitive *p = &u->scene->meshes[mesh].primitives[i];
        uint64_t at = 0;
        for (uint32_t v = 0; v < p->vertex_count; v++)
            for (uint32_t k = 0; k < p->influence_count; k++, at++)
                if (p->weights[at] > 0)
                    use_joint(u, p->joints[at], mesh + 1, p->positions + 3 * (size_t)v);
    }
}

bool tn_joint_uses(const tn_export *e, tn_joint_use_fn *fn, void *user)
{
    mesh_use u;
    if (e->scene->skin_count == 0) return true;
    tn_mark mark = tn_arena_mark(e->arena);
    if (!allocate(e, &u)) return false;
    list_nodes(&u);
    for (uint32_t m = 0; m < u.scene->mesh_count; m++) {
        if (u.first[m] == TENON_NONE) continue;
        look_at_mesh(&u, m);
        for (uint32_t i = u.first[m]; i != TENON_NONE; i = u.next[i]) {
            uint32_t skin = u.scene->nodes[i].skin;
            if (u.skin_of[skin] == m + 1) continue;
            u.skin_of[skin] = m + 1;
            for (uint32_t k = 0; k < u.count; k++) fn(user, skin, u.used[k], &u.boxes[u.used[k]]);
        }
    }
    tn_arena_rewind(e->arena, mark);
    return true;
}
