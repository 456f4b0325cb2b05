// edit_bake.c: what nodes and skins do at rest, put into the vertices.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"
#include "scene/pose/pose.h"
#include "scene/surface/surface.h"

#include <string.h>

// -- One primitive

static tn_affine affine_of(const tn_mat4 *matrix)
{
    const double *m = matrix->m;
    return (tn_affine){
        {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14]}};
}

static tn_mat3 upper_of(const tn_affine *a)
{
    tn_mat3 out;
    memcpy(out.m, a->m, sizeof out.m);
    return out;
}

// The matrix that moves a vertex.
static tn_affine matrix_at(const tenon_pose *pose, const tenon_node *n, const tenon_primitive *p,
                           uint32_t node, uint32_t vertex)
{
    if (n->skin == TENON_NONE || !p->influence_count) return affine_of(&pose->globals[node]);
    const tn_affine *palette = pose->palette + pose->skin_starts[n->skin];
    tn_affine sum = {{0}};
    for (uint32_t i = 0; i < p->influence_count; i++) {
        size_t at = (size_t)vertex * p->influence_count + i;
        for (int k = 0; k < 12; k++)
            sum.m[k] += (double)p->weights[at] * palette[p->joints[at]].m[k];
    }
    return sum;
}

// Directions that were squeezed to nothing, or beyond what a number can hold.
static bool has_direction(const float *v)
{
    double square = 0;
    for (int k = 0; k < 3; k++) square += (double)v[k] * (double)v[k];
    return square > 0.99 && square < 1.01;
}

static void mend_normals(float *normals, uint32_t count)
{
    const float up[3] = {0, 1, 0};
    for (uint32_t i = 0; i < count; i++, normals += 3)
        if (!has_direction(normals)) memcpy(normals, up, sizeof up);
}

// Tangents go with the surface; those that do not lie in it any more are laid into it.
static void move_tangents(const tenon_pose *pose, uint32_t node, const tenon_primitive *p,
                          bool is_mirrored, const float *normals, float *tangents)
{
    const tenon_node *n = &pose->scene->nodes[node];
    for (uint32_t i = 0; i < p->vertex_count; i++, normals += 3, tangents += 4) {
        tn_affine m = matrix_at(pose, n, p, node, i);
        const float *from = p->tangents + 4 * (size_t)i;
        tn_vec3 v = {(double)from[0], (double)from[1], (double)from[2]};
        tn_vec3 up = {(double)normals[0], (double)normals[1], (double)normals[2]};
        tn_mat3 upper = upper_of(&m);
        tn_mat4 turn = tn_mat4_from_mat3(&upper, (tn_vec3){0, 0, 0});
        v = tn_vec3_normalise(tn_mat4_vector(&turn, v));
        v = tn_vec3_normalise(tn_vec3_sub(v, tn_vec3_scale(up, tn_vec3_dot(v, up))));
        tangents[0] = tn_to_float(v.x), tangents[1] = tn_to_float(v.y);
        tangents[2] = tn_to_float(v.z), tangents[3] = is_mirrored ? -from[3] : from[3];
        if (!has_direction(tangents)) tn_any_tangent(normals, tangents);
    }
}

static void bake(const tn_baker *b, uint32_t node, uint32_t primitive, bool is_mirrored,
                 tenon_primitive *out)
{
    tn_editor *r = b->r;
    const tenon_scene *s = b->pose->scene;
    const tenon_primitive *p = &s->meshes[s->nodes[node].mesh].primitives[primitive];
    uint32_t count = p->vertex_count;
    tenon_primitive baked = *p;
    baked.positions = tn_edit_array(r, count, 3 * sizeof(float));
    if (p->normals) baked.normals = tn_edit_array(r, count, 3 * sizeof(float));
    if (p->tangents) baked.tangents = tn_edit_array(r, count, 4 * sizeof(float));
    if (r->failed) return;
    tenon_pose_skin(b->pose, node, primitive, baked.positions, baked.normals);
    if (baked.normals) mend_normals(baked.normals, count);
    if (baked.tangents) move_tangents(b->pose, node, p, is_mirrored, baked.normals, baked.tangents);
    baked.influence_count = 0;
    baked.joints = NULL;
    baked.weights = NULL;
    *out = baked;
    if (is_mirrored) (void)tn_edit_expect(r, tn_reverse_winding(&baked, r->arena, out));
}

// -- Meshes

// Whether most joints of a skin mirror what they move.
static bool mirrors(const tenon_pose *pose, uint32_t skin)
{
    uint32_t negative = 0, count = pose->scene->skins[skin].joint_count;
    for (uint32_t i = 0; i < count; i++) {
        tn_mat3 upper = upper_of(&pose->palette[pose->skin_starts[skin] + i]);
        negative += tn_mat3_determinant(&upper) < 0;
    }
    return negative > count / 2;
}

void tn_bake_begin(tn_baker *b, tn_editor *r, const tenon_scene *scene)
{
    *b = (tn_baker){.r = r};
    b->mirrored_skins = tn_edit_room(r, scene->skin_count, sizeof *b->mirrored_skins);
    if (!r->failed) b->pose = tenon_pose_new(scene, &r->arena->allocator, NULL);
    if (!tn_edit_expect(r, b->pose != NULL)) return;
    for (uint32_t i = 0; i < scene->skin_count; i++) b->mirrored_skins[i] = mirrors(b->pose, i);
}

void tn_bake_end(tn_baker *b)
{
    tenon_pose_free(b->pose);
    b->pose = NULL;
}

void tn_bake_primitives(const tn_baker *b, uint32_t node, tenon_primitive *out)
{
    if (b->r->failed) return;
    const tenon_scene *s = b->pose->scene;
    const tenon_node *n = &s->nodes[node];
    tn_mat3 upper = tn_mat4_upper(&b->pose->globals[node]);
    bool is_mirrored =
        n->skin == TENON_NONE ? tn_mat3_determinant(&upper) < 0 : b->mirrored_skins[n->skin];
    for (uint32_t i = 0; i < s->meshes[n->mesh].primitive_count && !b->r->failed; i++)
        bake(b, node, i, is_mirrored, &out[i]);
}

static tenon_mesh bake_mesh(const tn_baker *b, uint32_t node)
{
    tenon_mesh mesh = b->r->scene->meshes[b->r->scene->nodes[node].mesh];
    mesh.primitives = tn_edit_array(b->r, mesh.primitive_count, sizeof *mesh.primitives);
    tn_bake_primitives(b, node, mesh.primitives);
    return mesh;
}

static void drop_motion(tn_editor *r)
{
    tn_edit_report(r, TENON_DROPPED, "animations", r->scene->animation_count, "animations[0]",
                   "everything stays as it is at rest");
    tn_order_animations(r, NULL, 0);
}

// -- Without skins

static bool is_identity(const tn_mat4 *m)
{
    const tn_mat4 identity = tn_mat4_identity();
    for (int i = 0; i < 16; i++)
        if (m->m[i] != identity.m[i]) return false;
    return true;
}

// Give a node its baked mesh, or, if the node moves it, a new one that does not.
static void show_baked(tn_editor *r, uint32_t node, uint32_t mesh, bool stands)
{
    uint32_t at = stands ? node : tn_append_node(r, r->scene->nodes[node].name, TENON_NONE);
    r->scene->nodes[node].mesh = r->scene->nodes[node].skin = TENON_NONE;
    if (at != TENON_NONE) r->scene->nodes[at].mesh = mesh;
}

void tn_edit_drop_skins(tn_editor *r)
{
    tenon_scene *s = r->scene;
    uint32_t skinned = 0, node_count = s->node_count, at = s->mesh_count;
    for (uint32_t i = 0; i < node_count; i++) skinned += s->nodes[i].skin != TENON_NONE;
    uint64_t room = (uint64_t)at + skinned;
    tenon_mesh *meshes = tn_edit_array(r, room, sizeof *meshes);
    uint32_t *origins = tn_edit_room(r, room, sizeof *origins);
    bool *stands = tn_edit_room(r, node_count, sizeof *stands);
    tn_baker b;
    tn_bake_begin(&b, r, s);
    for (uint32_t i = 0; i < s->mesh_count && !r->failed; i++)
        meshes[i] = s->meshes[i], origins[i] = i;
    for (uint32_t i = 0; i < node_count && !r->failed; i++) {
        if (s->nodes[i].skin == TENON_NONE) continue;
        stands[i] = is_identity(&b.pose->globals[i]);
        origins[at] = s->nodes[i].mesh;
        meshes[at++] = bake_mesh(&b, i);
    }
    tn_bake_end(&b);
    if (!r->failed) tn_replace_meshes(r, meshes, origins, at);
    at -= skinned;
    for (uint32_t i = 0; i < node_count && !r->failed; i++) {
        s->nodes[i].is_joint = false;
        if (s->nodes[i].skin != TENON_NONE) show_baked(r, i, at++, stands[i]);
    }
    if (r->failed) return;
    drop_motion(r);
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++)
            s->meshes[i].primitives[k].influence_count = 0;
    tn_drop_unused(r);
}

// -- Without nodes

// What becomes of the nodes: one for each mesh, at the origin, and one for each view.
typedef struct baked {
    tenon_node *nodes;
    tenon_mesh *meshes;
    uint32_t *origins;  // Of the meshes.
    uint32_t *places;   // Of the old nodes.
    tn_mat4 *views;     // Where views are; of meshes the identity.
    uint32_t node_count, mesh_count;
} baked;

static bool allocate_baked(tn_editor *r, baked *out)
{
    const tenon_scene *s = r->scene;
    uint64_t meshes = 0, views = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        meshes += s->nodes[i].mesh != TENON_NONE;
        views += s->nodes[i].camera != TENON_NONE || s->nodes[i].light != TENON_NONE;
    }
    if (meshes + views >= TENON_NONE) tn_edit_fail(r, TENON_ERR_LIMIT, "there are too many nodes");
    out->nodes = tn_edit_array(r, meshes + views, sizeof *out->nodes);
    out->meshes = tn_edit_array(r, meshes, sizeof *out->meshes);
    out->origins = tn_edit_room(r, meshes, sizeof *out->origins);
    out->places = tn_edit_room(r, s->node_count, sizeof *out->places);
    out->views = tn_edit_room(r, meshes + views, sizeof *out->views);
    return !r->failed;
}

static tenon_node *add_baked(baked *out, tenon_str name, const tn_mat4 *at)
{
    out->views[out->node_count] = *at;
    tenon_node *n = &out->nodes[out->node_count++];
    *n = (tenon_node){.name = name,
                      .parent = TENON_NONE,
                      .rotation = {0, 0, 0, 1},
                      .scale = {1, 1, 1},
                      .mesh = TENON_NONE,
                      .skin = TENON_NONE,
                      .camera = TENON_NONE,
                      .light = TENON_NONE};
    return n;
}

static void bake_node(const tn_baker *b, uint32_t node, baked *out)
{
    const tenon_node *n = &b->r->scene->nodes[node];
    const tn_mat4 identity = tn_mat4_identity();
    out->places[node] = TENON_NONE;
    if (n->camera != TENON_NONE || n->light != TENON_NONE) {
        out->places[node] = out->node_count;
        tenon_node *view = add_baked(out, n->name, &b->pose->globals[node]);
        view->camera = n->camera, view->light = n->light;
    }
    if (n->mesh == TENON_NONE) return;
    out->places[node] = out->node_count;
    add_baked(out, n->name, &identity)->mesh = out->mesh_count;
    out->origins[out->mesh_count] = n->mesh;
    out->meshes[out->mesh_count++] = bake_mesh(b, node);
}

static void take_baked(tn_editor *r, const baked *out)
{
    tenon_scene *s = r->scene;
    tn_replace_meshes(r, out->meshes, out->origins, out->mesh_count);
    tn_move_extras(r, TENON_EXTRA_OF_NODE, out->places, s->node_count);
    tn_edit_report(r, TENON_DROPPED, "skins", s->skin_count, "skins[0]",
                   "their meshes stay as they are at rest");
    drop_motion(r);
    if (r->failed) return;
    s->skin_count = 0;
    s->nodes = out->nodes;
    s->node_count = r->node_room = out->node_count;
    for (uint32_t i = 0; i < s->node_count; i++)
        if (s->nodes[i].mesh == TENON_NONE) tn_place_node(r, i, &out->views[i]);
    tn_drop_unused(r);
}

void tn_edit_bake(tn_editor *r)
{
    baked out = {0};
    tn_baker b;
    if (!r->opts->pre_transform || !allocate_baked(r, &out)) return;
    tn_bake_begin(&b, r, r->scene);
    for (uint32_t i = 0; i < r->scene->node_count && !r->failed; i++) bake_node(&b, i, &out);
    tn_bake_end(&b);
    if (!r->failed) take_baked(r, &out);
}
