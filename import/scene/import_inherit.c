// import_inherit.c: nodes of FBX files that take the scales of those above them in their own way.
// SPDX-License-Identifier: MIT
//
// Everywhere else, a node is its parent times its own transform. FBX has two more ways, in which
// all rotations come before all scales: skeletons of Maya leave their parent's scale out, too.

#include "import.h"

#include <math.h>
#include <stdlib.h>

// A node in the world: its place, and its rotation and scale apart from each other.
typedef struct world_transform {
    mat4 world;
    quat turn;
    mat4 stretch;  // What `turn` is multiplied by, to be the world's upper 3x3.
    vec3 scale;    // Its own.
} world_transform;

bool import_is_unscaled(vec3 scale)
{
    vec3 off = vec3_add(scale, (vec3){-1, -1, -1});
    return vec3_length(off) < 1e-6;
}

bool import_inherits(const assimp_importer *importer, uint32_t node)
{
    return importer->nodes[node].inherit != FBX_SCALES_FIRST &&
           importer->nodes[node].parent != TENON_NONE;
}

static mat4 turning(quat turn)
{
    trs t = {{0, 0, 0}, turn, {1, 1, 1}};
    return mat4_of_trs(&t);
}

static mat4 scaling(vec3 scale)
{
    trs t = {{0, 0, 0}, quat_identity, scale};
    return mat4_of_trs(&t);
}

// All rotations, then all scales; the place is where the parent's whole transform puts it.
static mat4 apart(const world_transform *parent, const trs *own, bool with_parents)
{
    vec3 s = parent->scale;
    mat4 without = scaling((vec3){1 / s.x, 1 / s.y, 1 / s.z});
    mat4 stretch = with_parents ? parent->stretch : mat4_mul(&parent->stretch, &without);
    mat4 turn = turning(quat_mul(parent->turn, own->rotation)), scale = scaling(own->scale);
    mat4 world = mat4_mul(&turn, &stretch);
    world = mat4_mul(&world, &scale);
    vec3 place = mat4_point(&parent->world, own->translation);
    world.m[12] = place.x, world.m[13] = place.y, world.m[14] = place.z;
    return world;
}

static world_transform place(const world_transform *parent, const mat4 *own, fbx_inherit inherit)
{
    trs parts, all;
    world_transform p = {.world = mat4_mul(&parent->world, own)};
    bool is_whole = mat4_decompose(own, &parts);
    bool is_flat = parent->scale.x * parent->scale.y * parent->scale.z == 0;
    if (inherit != FBX_SCALES_FIRST && is_whole && !is_flat)
        p.world = apart(parent, &parts, inherit == FBX_SCALES_LAST);
    (void)mat4_decompose(&p.world, &all);
    bool is_apart = inherit != FBX_SCALES_FIRST && is_whole;
    p.turn = is_apart ? quat_mul(parent->turn, parts.rotation) : all.rotation;
    p.scale = parts.scale;
    mat4 back = turning(quat_inverse(p.turn));
    p.stretch = mat4_mul(&back, &p.world);
    p.stretch.m[12] = p.stretch.m[13] = p.stretch.m[14] = 0;
    return p;
}

mat4 import_inherited(const assimp_importer *importer, uint32_t node, import_local_fn *own,
                      const void *user)
{
    const world_transform nowhere = {mat4_identity, quat_identity, mat4_identity, {1, 1, 1}};
    uint32_t depth = 0;
    for (uint32_t i = node; i != TENON_NONE; i = importer->nodes[i].parent) depth++;
    uint32_t *path = import_alloc(depth, sizeof *path);
    for (uint32_t i = node, at = depth; i != TENON_NONE; i = importer->nodes[i].parent)
        path[--at] = i;
    world_transform p = nowhere, parent = nowhere;
    for (uint32_t i = 0; i < depth; i++) {
        mat4 matrix = own(user, path[i]);
        parent = p;
        p = place(&parent, &matrix, importer->nodes[path[i]].inherit);
    }
    free(path);
    mat4 back;
    if (!mat4_invert(&parent.world, &back)) return own(user, node);
    return mat4_mul(&back, &p.world);
}
