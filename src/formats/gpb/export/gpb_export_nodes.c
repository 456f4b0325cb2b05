// gpb_export_nodes.c: plans the nodes of a bundle and their parents.
// SPDX-License-Identifier: MIT
//
// The engine stores scale, rotation and translation: a sheared transform needs two nodes. It
// transforms skinned vertices by their joints and then by the node of the mesh, and it removes the
// whole tree that contains the joints from the scene. So the node of a skinned mesh must be at the
// origin, in a tree without joints.

#include "formats/gpb/export/gpb_export.h"

#include <string.h>

// Facts about the nodes of the scene.
typedef struct gpb_node_facts {
    gpb_exporter *m;
    uint32_t *tops;    // The root of its tree.
    bool *stays;       // It and its ancestors are at the origin and not animated.
    bool *has_joints;  // For a root: its tree contains joints.
    bool *has_children;
} gpb_node_facts;

// -- Nodes

// As floats, as in the file.
static bool gpb_is_identity(const tn_mat4 *matrix)
{
    for (int i = 0; i < 16; i++)
        if (tn_to_float(matrix->m[i]) != (float)(i % 5 == 0)) return false;
    return true;
}

static tn_mat4 gpb_local_of(const tenon_node *n)
{
    tn_trs trs = {{n->translation[0], n->translation[1], n->translation[2]},
                  {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]},
                  {n->scale[0], n->scale[1], n->scale[2]}};
    trs.rotation = tn_quat_normalise(trs.rotation);
    tn_mat4 matrix;
    if (!n->has_matrix) return tn_mat4_from_trs(&trs);
    memcpy(matrix.m, n->matrix, sizeof matrix.m);
    return matrix;
}

uint32_t gpb_add_made_node(gpb_exporter *m, const gpb_made_node *node)
{
    if (m->node_count == m->node_room) {
        uint64_t room = 2 * (uint64_t)m->node_room + 16;
        gpb_made_node *larger = gpb_export_alloc(m, room, sizeof *larger);
        if (larger && room >= TENON_NONE)
            m->failed = !tn_error(m->e->err, TENON_ERR_LIMIT, "too many nodes");
        if (m->failed) return TENON_NONE;
        if (m->node_count) memcpy(larger, m->nodes, m->node_count * sizeof *larger);
        m->nodes = larger;
        m->node_room = (uint32_t)room;
    }
    m->nodes[m->node_count] = *node;
    return m->node_count++;
}

// The last row of a matrix is ignored by the engine and in poses.
static void gpb_add_nodes(gpb_exporter *m)
{
    const tenon_scene *s = m->scene;
    for (uint32_t i = 0; i < s->node_count && !m->failed; i++) {
        const tenon_node *n = &s->nodes[i];
        gpb_made_node made = {.origin = i,
                              .name = n->name,
                              .parent = n->parent,
                              .local = gpb_local_of(n),
                              .is_joint = n->is_joint,
                              .source = i,
                              .shows = TENON_NONE};
        bool is_shown = n->mesh != TENON_NONE && m->meshes[n->mesh].is_drawn;
        if (is_shown) made.shows = i;
        gpb_export_lose(m, GPB_LOST_PROJECTION, !tn_mat4_is_affine(&made.local), "nodes", i);
        for (int k = 0; k < 4; k++) made.local.m[4 * k + 3] = k == 3;
        (void)gpb_add_made_node(m, &made);
    }
}

// -- Shear

// m = u s v^T: the upper node rotates by u and scales by s. The lower node, which represents the
// node of the scene, rotates by v^T.
static void gpb_split_sheared(gpb_exporter *m, uint32_t node)
{
    tn_mat4 matrix = m->nodes[node].local;
    tn_trs trs;
    if (!m->scene->nodes[node].has_matrix || m->has_channel[node]) return;
    if (!(tn_mat4_decompose(&matrix, &trs) & TN_TRS_SHEARED)) return;
    tn_mat3 linear = tn_mat4_upper(&matrix);
    tn_svd svd = tn_mat3_svd(&linear);
    tn_mat3 scale = {{svd.s.x, 0, 0, 0, svd.s.y, 0, 0, 0, svd.s.z}};
    tn_mat3 outer = tn_mat3_mul(&svd.u, &scale), inner = tn_mat3_transpose(&svd.v);
    gpb_made_node upper = {
        .origin = node,
        .name = gpb_export_text(m, m->nodes[node].name, "_shear"),
        .parent = m->nodes[node].parent,
        .local = tn_mat4_from_mat3(&outer, (tn_vec3){matrix.m[12], matrix.m[13], matrix.m[14]}),
        .source = TENON_NONE,
        .shows = TENON_NONE};
    uint32_t made = gpb_add_made_node(m, &upper);
    if (m->failed) return;
    m->nodes[node].parent = made;
    m->nodes[node].local = tn_mat4_from_mat3(&inner, (tn_vec3){0, 0, 0});
    gpb_export_lose(m, GPB_LOST_SHEAR, 1, "nodes", node);
}

// -- Nodes of skinned meshes

bool gpb_is_skinned(const gpb_exporter *m, uint32_t node)
{
    const tenon_node *n = &m->scene->nodes[node];
    return n->skin != TENON_NONE && m->meshes[n->mesh].is_drawn;
}

static bool gpb_grove_make(gpb_node_facts *g)
{
    gpb_exporter *m = g->m;
    const tenon_scene *s = m->scene;
    g->tops = gpb_export_alloc(m, s->node_count, sizeof *g->tops);
    g->stays = gpb_export_alloc(m, s->node_count, sizeof *g->stays);
    g->has_joints = gpb_export_alloc(m, s->node_count, sizeof *g->has_joints);
    g->has_children = gpb_export_alloc(m, s->node_count, sizeof *g->has_children);
    if (m->failed) return false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t parent = s->nodes[i].parent;
        bool is_root = parent == TENON_NONE;
        g->tops[i] = is_root ? i : g->tops[parent];
        g->stays[i] = (is_root || g->stays[parent]) && !m->moves[i] && !m->has_channel[i] &&
                      gpb_is_identity(&m->nodes[i].local);
        if (!is_root) g->has_children[parent] = true;
    }
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (!gpb_is_skinned(m, i)) continue;
        const tenon_skin *skin = &s->skins[s->nodes[i].skin];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            m->nodes[skin->joints[k]].is_joint = true;
            g->has_joints[g->tops[skin->joints[k]]] = true;
        }
    }
    return true;
}

// Whether a node has only a mesh, so that it can be moved.
static bool gpb_is_bare(const gpb_node_facts *g, uint32_t node)
{
    const tenon_node *n = &g->m->scene->nodes[node];
    return !g->has_children[node] && n->camera == TENON_NONE && n->light == TENON_NONE &&
           !g->m->nodes[node].is_joint && !g->m->has_channel[node];
}

static void gpb_place_skinned(const gpb_node_facts *g, uint32_t node)
{
    gpb_exporter *m = g->m;
    bool is_apart = !g->has_joints[g->tops[node]];
    uint32_t parent = m->scene->nodes[node].parent;
    if (is_apart && g->stays[node]) return;
    if (gpb_is_bare(g, node)) {
        bool keeps_parent = is_apart && parent != TENON_NONE && g->stays[parent];
        if (!keeps_parent) m->nodes[node].parent = TENON_NONE;
        m->nodes[node].local = tn_mat4_identity();
        gpb_export_lose(m, GPB_LOST_PLACES, 1, "nodes", node);
        return;
    }
    gpb_made_node holder = {.origin = node,
                            .name = gpb_export_text(m, m->nodes[node].name, "_model"),
                            .parent = TENON_NONE,
                            .local = tn_mat4_identity(),
                            .source = TENON_NONE,
                            .shows = node};
    m->nodes[node].shows = TENON_NONE;
    (void)gpb_add_made_node(m, &holder);
    gpb_export_lose(m, GPB_LOST_HOLDERS, 1, "nodes", node);
}

// -- All nodes

static void gpb_find_channels(gpb_exporter *m)
{
    const tenon_scene *s = m->scene;
    m->has_channel = gpb_export_alloc(m, s->node_count, sizeof *m->has_channel);
    for (uint32_t i = 0; i < s->animation_count && !m->failed; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++)
            m->has_channel[s->animations[i].channels[k].node] = true;
}

void gpb_choose_nodes(gpb_exporter *m)
{
    gpb_node_facts g = {.m = m};
    gpb_find_channels(m);
    gpb_add_nodes(m);
    if (m->failed || !gpb_grove_make(&g)) return;
    for (uint32_t i = 0; i < m->scene->node_count && !m->failed; i++) {
        const tenon_node *n = &m->scene->nodes[i];
        bool is_shown = m->nodes[i].shows != TENON_NONE;
        if (is_shown && n->skin == TENON_NONE) m->meshes[n->mesh].is_rigid = true;
        if (is_shown && n->skin != TENON_NONE) m->meshes[n->mesh].is_skinned = true;
        if (is_shown && n->skin != TENON_NONE) gpb_place_skinned(&g, i);
        // A bare node that was moved to the origin is no longer sheared.
        if (!m->failed) gpb_split_sheared(m, i);
    }
}
