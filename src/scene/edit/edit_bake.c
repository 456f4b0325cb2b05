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

static void replace_lost_normals(float *normals, uint32_t count)
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

static void bake(const tn_baker *baker, uint32_t node, uint32_t primitive, bool is_mirrored,
                 tenon_primitive *out)
{
    tn_editor *editor = baker->editor;
    const tenon_scene *scene = baker->pose->scene;
    const tenon_primitive *p = &scene->meshes[scene->nodes[node].mesh].primitives[primitive];
    uint32_t count = p->vertex_count;
    tenon_primitive baked = *p;
    baked.positions = tn_edit_array(editor, count, 3 * sizeof(float));
    if (p->normals) baked.normals = tn_edit_array(editor, count, 3 * sizeof(float));
    if (p->tangents) baked.tangents = tn_edit_array(editor, count, 4 * sizeof(float));
    if (editor->failed) return;
    tenon_pose_skin(baker->pose, node, primitive, baked.positions, baked.normals);
    if (baked.normals) replace_lost_normals(baked.normals, count);
    if (baked.tangents)
        move_tangents(baker->pose, node, p, is_mirrored, baked.normals, baked.tangents);
    baked.influence_count = 0;
    baked.joints = NULL;
    baked.weights = NULL;
    *out = baked;
    if (is_mirrored) (void)tn_edit_expect(editor, tn_reverse_winding(&baked, editor->arena, out));
}

// -- Meshes

// Whether most joints of a skin mirror what they move.
static bool skin_mirrors(const tenon_pose *pose, uint32_t skin)
{
    uint32_t negative = 0, count = pose->scene->skins[skin].joint_count;
    for (uint32_t i = 0; i < count; i++) {
        tn_mat3 upper = upper_of(&pose->palette[pose->skin_starts[skin] + i]);
        negative += tn_mat3_determinant(&upper) < 0;
    }
    return negative > count / 2;
}

void tn_bake_begin(tn_baker *baker, tn_editor *editor, const tenon_scene *scene)
{
    *baker = (tn_baker){.editor = editor};
    baker->mirrored_skins =
        tn_edit_scratch(editor, scene->skin_count, sizeof *baker->mirrored_skins);
    if (!editor->failed) baker->pose = tenon_pose_new(scene, &editor->arena->allocator, NULL);
    if (!tn_edit_expect(editor, baker->pose != NULL)) return;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        baker->mirrored_skins[i] = skin_mirrors(baker->pose, i);
}

void tn_bake_end(tn_baker *baker)
{
    tenon_pose_free(baker->pose);
    baker->pose = NULL;
}

void tn_bake_primitives(const tn_baker *baker, uint32_t node, tenon_primitive *out)
{
    if (baker->editor->failed) return;
    const tenon_scene *scene = baker->pose->scene;
    const tenon_node *n = &scene->nodes[node];
    tn_mat3 upper = tn_mat4_upper(&baker->pose->globals[node]);
    bool is_mirrored =
        n->skin == TENON_NONE ? tn_mat3_determinant(&upper) < 0 : baker->mirrored_skins[n->skin];
    for (uint32_t i = 0; i < scene->meshes[n->mesh].primitive_count && !baker->editor->failed; i++)
        bake(baker, node, i, is_mirrored, &out[i]);
}

static tenon_mesh bake_mesh(const tn_baker *baker, uint32_t node)
{
    tenon_mesh mesh = baker->editor->scene->meshes[baker->editor->scene->nodes[node].mesh];
    mesh.primitives = tn_edit_array(baker->editor, mesh.primitive_count, sizeof *mesh.primitives);
    tn_bake_primitives(baker, node, mesh.primitives);
    return mesh;
}

static void drop_motion(tn_editor *editor)
{
    tn_edit_report(editor, TENON_DROPPED, "animations", editor->scene->animation_count,
                   "animations[0]", "everything stays as it is at rest");
    tn_order_animations(editor, NULL, 0);
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
static void show_baked(tn_editor *editor, uint32_t node, uint32_t mesh, bool is_at_origin)
{
    uint32_t at =
        is_at_origin ? node : tn_append_node(editor, editor->scene->nodes[node].name, TENON_NONE);
    editor->scene->nodes[node].mesh = editor->scene->nodes[node].skin = TENON_NONE;
    if (at != TENON_NONE) editor->scene->nodes[at].mesh = mesh;
}

void tn_edit_drop_skins(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    uint32_t skinned = 0, node_count = scene->node_count, at = scene->mesh_count;
    for (uint32_t i = 0; i < node_count; i++) skinned += scene->nodes[i].skin != TENON_NONE;
    uint64_t room = (uint64_t)at + skinned;
    tenon_mesh *meshes = tn_edit_array(editor, room, sizeof *meshes);
    uint32_t *origins = tn_edit_scratch(editor, room, sizeof *origins);
    bool *is_at_origin = tn_edit_scratch(editor, node_count, sizeof *is_at_origin);
    tn_baker baker;
    tn_bake_begin(&baker, editor, scene);
    for (uint32_t i = 0; i < scene->mesh_count && !editor->failed; i++)
        meshes[i] = scene->meshes[i], origins[i] = i;
    for (uint32_t i = 0; i < node_count && !editor->failed; i++) {
        if (scene->nodes[i].skin == TENON_NONE) continue;
        is_at_origin[i] = is_identity(&baker.pose->globals[i]);
        origins[at] = scene->nodes[i].mesh;
        meshes[at++] = bake_mesh(&baker, i);
    }
    tn_bake_end(&baker);
    if (!editor->failed) tn_replace_meshes(editor, meshes, origins, at);
    at -= skinned;
    for (uint32_t i = 0; i < node_count && !editor->failed; i++) {
        scene->nodes[i].is_joint = false;
        if (scene->nodes[i].skin != TENON_NONE) show_baked(editor, i, at++, is_at_origin[i]);
    }
    if (editor->failed) return;
    drop_motion(editor);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++)
            scene->meshes[i].primitives[k].influence_count = 0;
    tn_drop_unused(editor);
}

// -- Without nodes

// What becomes of the nodes: one for each mesh, at the origin, and one for each view.
typedef struct baked_nodes {
    tenon_node *nodes;
    tenon_mesh *meshes;
    uint32_t *origins;  // Of the meshes.
    uint32_t *places;   // Of the old nodes.
    tn_mat4 *views;     // Where views are; of meshes the identity.
    uint32_t node_count, mesh_count;
} baked_nodes;

static bool allocate_baked(tn_editor *editor, baked_nodes *out)
{
    const tenon_scene *scene = editor->scene;
    uint64_t meshes = 0, views = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        meshes += scene->nodes[i].mesh != TENON_NONE;
        views += scene->nodes[i].camera != TENON_NONE || scene->nodes[i].light != TENON_NONE;
    }
    if (meshes + views >= TENON_NONE)
        tn_edit_fail(editor, TENON_ERR_LIMIT, "there are too many nodes");
    out->nodes = tn_edit_array(editor, meshes + views, sizeof *out->nodes);
    out->meshes = tn_edit_array(editor, meshes, sizeof *out->meshes);
    out->origins = tn_edit_scratch(editor, meshes, sizeof *out->origins);
    out->places = tn_edit_scratch(editor, scene->node_count, sizeof *out->places);
    out->views = tn_edit_scratch(editor, meshes + views, sizeof *out->views);
    return !editor->failed;
}

static tenon_node *add_baked(baked_nodes *out, tenon_str name, const tn_mat4 *at)
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

static void bake_node(const tn_baker *baker, uint32_t node, baked_nodes *out)
{
    const tenon_node *n = &baker->editor->scene->nodes[node];
    const tn_mat4 identity = tn_mat4_identity();
    out->places[node] = TENON_NONE;
    if (n->camera != TENON_NONE || n->light != TENON_NONE) {
        out->places[node] = out->node_count;
        tenon_node *view = add_baked(out, n->name, &baker->pose->globals[node]);
        view->camera = n->camera, view->light = n->light;
    }
    if (n->mesh == TENON_NONE) return;
    out->places[node] = out->node_count;
    add_baked(out, n->name, &identity)->mesh = out->mesh_count;
    out->origins[out->mesh_count] = n->mesh;
    out->meshes[out->mesh_count++] = bake_mesh(baker, node);
}

static void take_baked(tn_editor *editor, const baked_nodes *out)
{
    tenon_scene *scene = editor->scene;
    tn_replace_meshes(editor, out->meshes, out->origins, out->mesh_count);
    tn_move_extras(editor, TENON_EXTRA_OF_NODE, out->places, scene->node_count);
    tn_edit_report(editor, TENON_DROPPED, "skins", scene->skin_count, "skins[0]",
                   "their meshes stay as they are at rest");
    drop_motion(editor);
    if (editor->failed) return;
    scene->skin_count = 0;
    scene->nodes = out->nodes;
    scene->node_count = editor->node_room = out->node_count;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh == TENON_NONE) tn_set_node_matrix(editor, i, &out->views[i]);
    tn_drop_unused(editor);
}

void tn_edit_bake(tn_editor *editor)
{
    baked_nodes out = {0};
    tn_baker baker;
    if (!editor->opts->pre_transform || !allocate_baked(editor, &out)) return;
    tn_bake_begin(&baker, editor, editor->scene);
    for (uint32_t i = 0; i < editor->scene->node_count && !editor->failed; i++)
        bake_node(&baker, i, &out);
    tn_bake_end(&baker);
    if (!editor->failed) take_baked(editor, &out);
}
