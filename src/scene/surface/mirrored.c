// mirrored.c: meshes that nodes mirror, for engines whose front faces have a fixed winding.
// SPDX-License-Identifier: MIT

#include "scene/surface/mirrored.h"

#include "core/text/text.h"
#include "scene/model/space.h"
#include "scene/pose/pose.h"
#include "scene/surface/surface.h"

#include <string.h>

// How nodes show a mesh; bits.
enum { USED_PLAIN = 1, USED_MIRRORED = 2 };

// Whether any matrix mirrors. Most scenes have none, and need no pose.
static bool mirrored_has_mirrors(const tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        tn_mat4 matrix;
        memcpy(matrix.m, node->matrix, sizeof matrix.m);
        bool has_negative = node->scale[0] < 0 || node->scale[1] < 0 || node->scale[2] < 0;
        if (node->has_matrix ? tn_mat4_mirrors(&matrix) : has_negative) return true;
    }
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++) {
            tn_mat4 bind = tn_mat4_from_columns(scene->skins[i].inverse_binds + 16 * (size_t)k);
            if (tn_mat4_mirrors(&bind)) return true;
        }
    return false;
}

// Add a copy of every mesh that nodes show both ways. `uses` has USED_… bits for each mesh.
static bool mirrored_split_meshes(tenon_scene *scene, tn_arena *arena, const uint8_t *uses,
                                  const bool *node_mirrors, tn_mirrored_meshes *mirrored,
                                  tenon_error *err)
{
    uint32_t count = scene->mesh_count;
    for (uint32_t i = 0; i < count; i++)
        mirrored->copy_count += uses[i] == (USED_PLAIN | USED_MIRRORED);
    uint64_t all = (uint64_t)count + mirrored->copy_count;
    if (all >= TENON_NONE) return tn_error(err, TENON_ERR_LIMIT, "there are too many meshes");
    uint32_t *copies = tn_arena_alloc_or_fail(arena, count, sizeof *copies, "mirrored meshes", err);
    tenon_mesh *meshes = tn_arena_alloc_or_fail(arena, all, sizeof *meshes, "mirrored meshes", err);
    tenon_node *nodes =
        tn_arena_alloc_or_fail(arena, scene->node_count, sizeof *nodes, "mirrored meshes", err);
    mirrored->is_mirrored =
        tn_arena_alloc_or_fail(arena, all, sizeof *mirrored->is_mirrored, "mirrored meshes", err);
    if (!copies || !meshes || !nodes || !mirrored->is_mirrored) return false;
    if (count) memcpy(meshes, scene->meshes, count * sizeof *meshes);
    if (scene->node_count) memcpy(nodes, scene->nodes, scene->node_count * sizeof *nodes);
    uint32_t used = count;
    for (uint32_t i = 0; i < count; i++) {
        static const tenon_str suffix = {"_mirrored", 9};
        bool is_both = uses[i] == (USED_PLAIN | USED_MIRRORED);
        copies[i] = is_both ? used++ : i;
        tenon_mesh *copy = &meshes[copies[i]];
        *copy = meshes[i];
        mirrored->is_mirrored[copies[i]] = (uses[i] & USED_MIRRORED) != 0;
        if (!is_both || copy->name.size == 0) continue;
        copy->name = tn_text_join(arena, copy->name, suffix, "mirrored meshes", err);
        if (!copy->name.data) return false;
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (node_mirrors[i]) nodes[i].mesh = copies[nodes[i].mesh];
    scene->meshes = meshes;
    scene->mesh_count = used;
    scene->nodes = nodes;
    return true;
}

bool tn_find_mirrored(tenon_scene *scene, tn_arena *arena, tn_mirrored_meshes *mirrored,
                      tenon_error *err)
{
    *mirrored = (tn_mirrored_meshes){0};
    if (!mirrored_has_mirrors(scene)) return true;
    uint8_t *uses =
        tn_arena_alloc_or_fail(arena, scene->mesh_count, sizeof *uses, "mirrored meshes", err);
    bool *node_mirrors = tn_arena_alloc_or_fail(arena, scene->node_count, sizeof *node_mirrors,
                                                "mirrored meshes", err);
    if (!uses || !node_mirrors) return false;
    tenon_pose *pose = tenon_pose_new(scene, &arena->allocator, err);
    if (!pose) return false;
    bool has_any = false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t mesh = scene->nodes[i].mesh;
        if (mesh == TENON_NONE) continue;
        node_mirrors[i] = tn_pose_mirrors(pose, i);
        uses[mesh] |= node_mirrors[i] ? USED_MIRRORED : USED_PLAIN;
        has_any = has_any || node_mirrors[i];
    }
    tenon_pose_free(pose);
    return !has_any || mirrored_split_meshes(scene, arena, uses, node_mirrors, mirrored, err);
}

void tn_finish_mirrored(tn_scene_builder *builder)
{
    tn_mirrored_meshes mirrored;
    if (builder->failed || !builder->front_is_fixed) return;
    builder->failed = !tn_find_mirrored(builder->scene, builder->arena, &mirrored, builder->err);
    if (builder->failed || !mirrored.is_mirrored) return;
    for (uint32_t i = 0; !builder->failed && i < builder->scene->mesh_count; i++) {
        tenon_mesh *mesh = &builder->scene->meshes[i];
        if (!mirrored.is_mirrored[i]) continue;
        tenon_primitive *all = tn_scene_array(builder, mesh->primitive_count, sizeof *all);
        for (uint32_t k = 0; !builder->failed && k < mesh->primitive_count; k++)
            if (!tn_reverse_winding(&mesh->primitives[k], builder->arena, &all[k]))
                tn_scene_fail(builder, TENON_ERR_MEMORY, NULL, "out of memory");
        mesh->primitives = all;
    }
}
