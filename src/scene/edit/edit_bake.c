// edit_bake.c: apply the transforms of nodes and skins, in the rest pose, to the vertices.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"
#include "scene/pose/pose.h"
#include "scene/surface/surface.h"

#include <string.h>

tenon_pose *tn_edit_pose(tn_editor *editor, const tenon_scene *scene)
{
    if (editor->failed) return NULL;
    tenon_pose *pose = tenon_pose_new(scene, &editor->arena->allocator, NULL);
    (void)tn_edit_expect(editor, pose != NULL);
    return pose;
}

bool tn_is_at_origin(const tenon_pose *pose, uint32_t node)
{
    const tn_mat4 identity = tn_mat4_identity();
    for (int i = 0; i < 16; i++)
        if (pose->globals[node].m[i] != identity.m[i]) return false;
    return true;
}

// -- Primitives

// The matrix for directions at a vertex.
static tn_mat3 edit_bake_direction_matrix(const tenon_pose *pose, uint32_t node,
                                          const tenon_primitive *p, uint32_t vertex)
{
    uint32_t skin = pose->scene->nodes[node].skin;
    if (skin == TENON_NONE || !p->influence_count) return tn_mat4_upper(&pose->globals[node]);
    const tn_affine *palette = pose->palette + pose->skin_starts[skin];
    tn_mat3 sum = {{0}};
    for (uint32_t i = 0; i < p->influence_count; i++) {
        size_t at = (size_t)vertex * p->influence_count + i;
        for (int k = 0; k < 9; k++)
            sum.m[k] += (double)p->weights[at] * palette[p->joints[at]].m[k];
    }
    return sum;
}

// False for directions that a transform made zero or not finite.
static bool edit_bake_has_direction(const float *v)
{
    double square = 0;
    for (int k = 0; k < 3; k++) square += (double)v[k] * (double)v[k];
    return square > 0.99 && square < 1.01;
}

// Tangents are transformed like positions, then made perpendicular to the normals again.
static void edit_bake_tangents(const tenon_pose *pose, uint32_t node, const tenon_primitive *p,
                               bool is_mirrored, const float *normals, float *tangents)
{
    for (uint32_t i = 0; i < p->vertex_count; i++, normals += 3, tangents += 4) {
        const float *from = p->tangents + 4 * (size_t)i;
        tn_vec3 v = {(double)from[0], (double)from[1], (double)from[2]};
        tn_vec3 up = {(double)normals[0], (double)normals[1], (double)normals[2]};
        tn_mat3 upper = edit_bake_direction_matrix(pose, node, p, i);
        tn_mat4 matrix = tn_mat4_from_mat3(&upper, (tn_vec3){0, 0, 0});
        v = tn_vec3_normalise(tn_mat4_vector(&matrix, v));
        v = tn_vec3_normalise(tn_vec3_sub(v, tn_vec3_scale(up, tn_vec3_dot(v, up))));
        tangents[0] = tn_to_float(v.x), tangents[1] = tn_to_float(v.y);
        tangents[2] = tn_to_float(v.z), tangents[3] = is_mirrored ? -from[3] : from[3];
        if (!edit_bake_has_direction(tangents)) tn_any_tangent(normals, tangents);
    }
}

void tn_bake_primitives(tn_editor *editor, const tenon_pose *pose, uint32_t node,
                        tenon_primitive *out)
{
    if (editor->failed) return;
    const float up[3] = {0, 1, 0};
    const tenon_mesh *mesh = &pose->scene->meshes[pose->scene->nodes[node].mesh];
    bool is_mirrored = tn_pose_mirrors(pose, node);
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const tenon_primitive *p = &mesh->primitives[i];
        tenon_primitive baked = *p;
        baked.positions = tn_edit_array(editor, p->vertex_count, 3 * sizeof(float));
        if (p->normals) baked.normals = tn_edit_array(editor, p->vertex_count, 3 * sizeof(float));
        if (p->tangents) baked.tangents = tn_edit_array(editor, p->vertex_count, 4 * sizeof(float));
        if (editor->failed) return;
        tenon_pose_skin(pose, node, i, baked.positions, baked.normals);
        for (uint32_t k = 0; baked.normals && k < p->vertex_count; k++) {
            float *normal = baked.normals + 3 * (size_t)k;
            if (!edit_bake_has_direction(normal)) memcpy(normal, up, sizeof up);
        }
        if (baked.tangents)
            edit_bake_tangents(pose, node, p, is_mirrored, baked.normals, baked.tangents);
        baked.influence_count = 0;
        baked.joints = NULL;
        baked.weights = NULL;
        baked.morph_count = 0;
        baked.morphs = NULL;
        out[i] = baked;
        if (is_mirrored &&
            !tn_edit_expect(editor, tn_reverse_winding(&baked, editor->arena, &out[i])))
            return;
    }
}

static tenon_mesh edit_bake_mesh(tn_editor *editor, const tenon_pose *pose, uint32_t node)
{
    tenon_mesh mesh = editor->scene->meshes[editor->scene->nodes[node].mesh];
    mesh.primitives = tn_edit_array(editor, mesh.primitive_count, sizeof *mesh.primitives);
    mesh.morph_count = 0;
    tn_bake_primitives(editor, pose, node, mesh.primitives);
    return mesh;
}

static void edit_bake_drop_animations(tn_editor *editor)
{
    tn_edit_report(editor, TENON_DROPPED, "animations", editor->scene->animation_count,
                   "animations[0]", "everything stays in its rest pose");
    tn_order_animations(editor, NULL, 0);
}

// -- Skins

void tn_edit_drop_skins(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    uint32_t skinned = 0, node_count = scene->node_count, at = scene->mesh_count;
    for (uint32_t i = 0; i < node_count; i++) skinned += scene->nodes[i].skin != TENON_NONE;
    uint64_t room = (uint64_t)at + skinned;
    tenon_mesh *meshes = tn_edit_array(editor, room, sizeof *meshes);
    uint32_t *origins = tn_edit_scratch(editor, room, sizeof *origins);
    bool *is_at_origin = tn_edit_scratch(editor, node_count, sizeof *is_at_origin);
    tenon_pose *pose = tn_edit_pose(editor, scene);
    for (uint32_t i = 0; i < scene->mesh_count && !editor->failed; i++)
        meshes[i] = scene->meshes[i], origins[i] = i;
    for (uint32_t i = 0; i < node_count && !editor->failed; i++) {
        if (scene->nodes[i].skin == TENON_NONE) continue;
        is_at_origin[i] = tn_is_at_origin(pose, i);
        origins[at] = scene->nodes[i].mesh;
        meshes[at++] = edit_bake_mesh(editor, pose, i);
    }
    tenon_pose_free(pose);
    if (!editor->failed) tn_replace_meshes(editor, meshes, origins, at);
    at -= skinned;
    for (uint32_t i = 0; i < node_count && !editor->failed; i++) {
        scene->nodes[i].is_joint = false;
        if (scene->nodes[i].skin == TENON_NONE) continue;
        // A node that would move its baked mesh gives it to a new root.
        uint32_t owner =
            is_at_origin[i] ? i : tn_append_node(editor, scene->nodes[i].name, TENON_NONE);
        scene->nodes[i].mesh = scene->nodes[i].skin = TENON_NONE;
        if (owner != TENON_NONE) scene->nodes[owner].mesh = at++;
    }
    if (editor->failed) return;
    edit_bake_drop_animations(editor);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++)
            scene->meshes[i].primitives[k].influence_count = 0;
    tn_drop_unused(editor);
}

// -- Nodes

// Each mesh, camera and light gets a root; those of meshes are at the origin.
void tn_edit_bake(tn_editor *editor)
{
    if (!editor->meshes->pre_transform) return;
    tenon_scene *scene = editor->scene;
    uint64_t mesh_room = 0, view_room = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *n = &scene->nodes[i];
        mesh_room += n->mesh != TENON_NONE;
        view_room += n->camera != TENON_NONE || n->light != TENON_NONE;
    }
    uint64_t room = mesh_room + view_room;
    if (room >= TENON_NONE) tn_edit_fail(editor, TENON_ERR_LIMIT, "there are too many nodes");
    tenon_node *nodes = tn_edit_array(editor, room, sizeof *nodes);
    tn_mat4 *globals = tn_edit_scratch(editor, room, sizeof *globals);
    tenon_mesh *meshes = tn_edit_array(editor, mesh_room, sizeof *meshes);
    uint32_t *origins = tn_edit_scratch(editor, mesh_room, sizeof *origins);
    uint32_t *places = tn_edit_scratch(editor, scene->node_count, sizeof *places);
    tenon_pose *pose = tn_edit_pose(editor, scene);
    uint32_t node_count = 0, mesh_count = 0;
    for (uint32_t i = 0; i < scene->node_count && !editor->failed; i++) {
        const tenon_node *n = &scene->nodes[i];
        places[i] = TENON_NONE;
        if (n->camera != TENON_NONE || n->light != TENON_NONE) {
            places[i] = node_count;
            globals[node_count] = pose->globals[i];
            nodes[node_count] = tn_empty_node(n->name, TENON_NONE);
            nodes[node_count].camera = n->camera;
            nodes[node_count++].light = n->light;
        }
        if (n->mesh == TENON_NONE) continue;
        places[i] = node_count;
        nodes[node_count] = tn_empty_node(n->name, TENON_NONE);
        nodes[node_count++].mesh = mesh_count;
        origins[mesh_count] = n->mesh;
        meshes[mesh_count++] = edit_bake_mesh(editor, pose, i);
    }
    tenon_pose_free(pose);
    if (editor->failed) return;
    tn_replace_meshes(editor, meshes, origins, mesh_count);
    tn_move_extras(editor, TENON_EXTRA_OF_NODE, places, scene->node_count);
    tn_edit_report(editor, TENON_DROPPED, "skins", scene->skin_count, "skins[0]",
                   "their meshes stay in the rest pose");
    edit_bake_drop_animations(editor);
    if (editor->failed) return;
    scene->skin_count = 0;
    scene->nodes = nodes;
    scene->node_count = editor->node_room = node_count;
    for (uint32_t i = 0; i < node_count; i++)
        if (nodes[i].mesh == TENON_NONE) tn_set_node_matrix(editor, i, &globals[i]);
    tn_drop_unused(editor);
}
