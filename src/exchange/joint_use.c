// joint_use.c: find the joints that move vertices.
// SPDX-License-Identifier: MIT

#include "exchange/joint_use.h"

#define JOINTS_MOST 65536  // Their numbers have 16 bits.

// The joints that a mesh uses, by their numbers in its streams.
typedef struct mesh_joints {
    tn_bounds *bounds;   // JOINTS_MOST.
    uint32_t *last_use;  // Of each joint: 1 + the last mesh that uses it.
    uint32_t *used;      // Joints that the mesh uses, in the order of their appearance.
    uint32_t count;      // Of `used`.
} mesh_joints;

static void joint_use_add_vertex(mesh_joints *joints, uint32_t joint, uint32_t mesh, const float *p)
{
    if (joints->last_use[joint] != mesh + 1) {
        joints->last_use[joint] = mesh + 1;
        joints->used[joints->count++] = joint;
        joints->bounds[joint] = tn_bounds_empty();
    }
    tn_bounds_add_f32(&joints->bounds[joint], p);
}

static void use_find_joints(mesh_joints *joints, const tenon_scene *scene, uint32_t mesh)
{
    joints->count = 0;
    for (uint32_t i = 0; i < scene->meshes[mesh].primitive_count; i++) {
        const tenon_primitive *p = &scene->meshes[mesh].primitives[i];
        uint64_t at = 0;
        for (uint32_t v = 0; v < p->vertex_count; v++)
            for (uint32_t k = 0; k < p->influence_count; k++, at++)
                if (p->weights[at] > 0)
                    joint_use_add_vertex(joints, p->joints[at], mesh, p->positions + 3 * (size_t)v);
    }
}

bool tn_joint_uses(const tn_export *export, tn_joint_use_fn *fn, void *user)
{
    const tenon_scene *scene = export->scene;
    if (scene->skin_count == 0) return true;
    tn_mark mark = tn_arena_mark(export->arena);
    mesh_joints joints = {.bounds = tn_export_alloc(export, JOINTS_MOST, sizeof *joints.bounds)};
    joints.last_use = tn_export_alloc(export, JOINTS_MOST, sizeof *joints.last_use);
    joints.used = tn_export_alloc(export, JOINTS_MOST, sizeof *joints.used);
    // The skinned nodes of each mesh, as a list.
    uint32_t *first = tn_export_alloc(export, scene->mesh_count, sizeof *first);
    uint32_t *next = tn_export_alloc(export, scene->node_count, sizeof *next);
    // Of each skin: 1 + the last mesh that it was reported with.
    uint32_t *last_mesh = tn_export_alloc(export, scene->skin_count, sizeof *last_mesh);
    if (!joints.bounds || !joints.last_use || !joints.used || !first || !next || !last_mesh)
        return false;
    for (uint32_t i = 0; i < scene->mesh_count; i++) first[i] = TENON_NONE;
    for (uint32_t i = scene->node_count; i-- > 0;) {
        const tenon_node *node = &scene->nodes[i];
        if (node->mesh == TENON_NONE || node->skin == TENON_NONE) continue;
        next[i] = first[node->mesh];
        first[node->mesh] = i;
    }
    for (uint32_t mesh = 0; mesh < scene->mesh_count; mesh++) {
        if (first[mesh] == TENON_NONE) continue;
        use_find_joints(&joints, scene, mesh);
        for (uint32_t i = first[mesh]; i != TENON_NONE; i = next[i]) {
            uint32_t skin = scene->nodes[i].skin;
            if (last_mesh[skin] == mesh + 1) continue;
            last_mesh[skin] = mesh + 1;
            for (uint32_t k = 0; k < joints.count; k++)
                fn(user, skin, joints.used[k], &joints.bounds[joints.used[k]]);
        }
    }
    tn_arena_rewind(export->arena, mark);
    return true;
}
