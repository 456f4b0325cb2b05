// bake_morphs.c: apply morph targets, for formats that cannot hold them.
// SPDX-License-Identifier: MIT

#include "scene/edit/bake_morphs.h"

#include "core/memory/budget.h"
#include "core/text/error.h"
#include "scene/model/space.h"
#include "scene/pose/pose.h"

#include <string.h>

typedef struct morph_baker {
    tn_arena *arena;
    tenon_error *err;
    bool failed;
} morph_baker;

uint64_t tn_count_morphs(const tenon_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++) count += scene->meshes[i].morph_count;
    return count;
}

bool tn_has_moving_morphs(const tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            if (scene->animations[i].channels[k].target == TENON_WEIGHTS) return true;
    return false;
}

static void *bake_morphs_alloc(morph_baker *baker, uint64_t count, size_t size)
{
    if (baker->failed) return NULL;
    void *memory = tn_arena_alloc_or_fail(baker->arena, count, size, "morph targets", baker->err);
    baker->failed = !memory;
    return memory;
}

// A direction of length 1; `before` if it has become zero.
static void bake_morphs_store_direction(float *out, const double v[3], const float *before)
{
    tn_vec3 unit = tn_vec3_normalise((tn_vec3){v[0], v[1], v[2]});
    bool is_lost = unit.x == 0 && unit.y == 0 && unit.z == 0;
    out[0] = is_lost ? before[0] : (float)unit.x;
    out[1] = is_lost ? before[1] : (float)unit.y;
    out[2] = is_lost ? before[2] : (float)unit.z;
}

static void bake_morphs_primitive(morph_baker *baker, tenon_primitive *p, const double *weights)
{
    const tenon_primitive from = *p;
    bool moves_positions = false, moves_normals = false, moves_tangents = false;
    for (uint32_t i = 0; i < from.morph_count; i++) {
        if (weights[i] == 0) continue;
        moves_positions = moves_positions || from.morphs[i].positions;
        moves_normals = moves_normals || from.morphs[i].normals;
        moves_tangents = moves_tangents || from.morphs[i].tangents;
    }
    uint64_t work = (uint64_t)from.vertex_count * from.morph_count;
    if (!tn_budget_work(baker->arena->allocator.budget, work)) return;
    uint32_t count = from.vertex_count;
    p->morph_count = 0;
    p->morphs = NULL;
    if (moves_positions) p->positions = bake_morphs_alloc(baker, count, 3 * sizeof(float));
    if (moves_normals) p->normals = bake_morphs_alloc(baker, count, 3 * sizeof(float));
    if (moves_tangents) p->tangents = bake_morphs_alloc(baker, count, 4 * sizeof(float));
    for (uint32_t i = 0; i < count && !baker->failed; i++) {
        size_t at = 3 * (size_t)i, tangent = 4 * (size_t)i;
        double v[3];
        if (moves_positions) {
            tn_morph_position(&from, weights, i, v);
            for (size_t k = 0; k < 3; k++) p->positions[at + k] = tn_to_float(v[k]);
        }
        if (moves_normals) {
            tn_morph_normal(&from, weights, i, v);
            bake_morphs_store_direction(p->normals + at, v, from.normals + at);
        }
        if (!moves_tangents) continue;
        for (size_t k = 0; k < 3; k++) v[k] = (double)from.tangents[tangent + k];
        for (uint32_t m = 0; m < from.morph_count; m++)
            for (size_t k = 0; k < 3 && from.morphs[m].tangents; k++)
                v[k] += weights[m] * (double)from.morphs[m].tangents[at + k];
        bake_morphs_store_direction(p->tangents + tangent, v, from.tangents + tangent);
        p->tangents[tangent + 3] = from.tangents[tangent + 3];
    }
}

static tenon_mesh bake_morphs_mesh(morph_baker *baker, const tenon_mesh *from,
                                   const double *weights)
{
    tenon_mesh mesh = *from;
    mesh.morph_count = 0;
    mesh.morph_names = NULL;
    mesh.morph_weights = NULL;
    mesh.primitives = bake_morphs_alloc(baker, mesh.primitive_count, sizeof *mesh.primitives);
    for (uint32_t i = 0; i < mesh.primitive_count && !baker->failed; i++) {
        mesh.primitives[i] = from->primitives[i];
        bake_morphs_primitive(baker, &mesh.primitives[i], weights);
    }
    return mesh;
}

// The meshes: the first node of each decides about the weights of its mesh, and nodes with others
// get a mesh each.
static void bake_morphs_meshes(morph_baker *baker, tenon_scene *copy)
{
    const tenon_scene from = *copy;
    uint64_t room = from.mesh_count;
    const double **chosen = bake_morphs_alloc(baker, from.mesh_count, sizeof *chosen);
    copy->nodes = bake_morphs_alloc(baker, from.node_count, sizeof *copy->nodes);
    if (baker->failed) return;
    for (uint32_t i = 0; i < from.node_count; i++) {
        const double *weights = tn_rest_weights(&from, i);
        copy->nodes[i] = from.nodes[i];
        copy->nodes[i].morph_weights = NULL;
        if (!weights) continue;
        const double **of_mesh = &chosen[from.nodes[i].mesh];
        size_t size = tn_morph_count(&from, i) * sizeof *weights;
        if (!*of_mesh) *of_mesh = weights;
        if (memcmp(*of_mesh, weights, size) == 0) continue;
        if (room >= TENON_NONE) {
            baker->failed = !tn_error(baker->err, TENON_ERR_LIMIT, "there are too many meshes");
            return;
        }
        copy->nodes[i].mesh = (uint32_t)room++;
    }
    copy->meshes = bake_morphs_alloc(baker, room, sizeof *copy->meshes);
    copy->mesh_count = (uint32_t)room;
    for (uint32_t i = 0; i < from.mesh_count && !baker->failed; i++) {
        const tenon_mesh *mesh = &from.meshes[i];
        copy->meshes[i] = *mesh;
        if (mesh->morph_count)
            copy->meshes[i] =
                bake_morphs_mesh(baker, mesh, chosen[i] ? chosen[i] : mesh->morph_weights);
    }
    for (uint32_t i = 0; i < from.node_count && !baker->failed; i++)
        if (copy->nodes[i].mesh != from.nodes[i].mesh)
            copy->meshes[copy->nodes[i].mesh] = bake_morphs_mesh(
                baker, &from.meshes[from.nodes[i].mesh], tn_rest_weights(&from, i));
}

// Remove the channels of weights.
static void bake_morphs_animations(morph_baker *baker, tenon_scene *copy)
{
    const tenon_animation *from = copy->animations;
    if (!tn_has_moving_morphs(copy)) return;
    copy->animations = bake_morphs_alloc(baker, copy->animation_count, sizeof *copy->animations);
    for (uint32_t i = 0; i < copy->animation_count && !baker->failed; i++) {
        tenon_animation *a = &copy->animations[i];
        *a = from[i];
        a->channels = bake_morphs_alloc(baker, a->channel_count, sizeof *a->channels);
        a->channel_count = 0;
        for (uint32_t k = 0; k < from[i].channel_count && !baker->failed; k++)
            if (from[i].channels[k].target != TENON_WEIGHTS)
                a->channels[a->channel_count++] = from[i].channels[k];
    }
}

bool tn_bake_morphs(const tenon_scene *scene, tn_arena *arena, tenon_scene *copy, tenon_error *err)
{
    morph_baker baker = {.arena = arena, .err = err};
    *copy = *scene;
    bake_morphs_meshes(&baker, copy);
    if (!baker.failed) bake_morphs_animations(&baker, copy);
    return !baker.failed;
}
