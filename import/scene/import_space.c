// import_space.c: converts lengths and axes of the file to those of the scene.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- Transforms that Assimp's importers put into the root

// Whether a channel or a bone names a node.
static bool import_space_is_referenced(const struct aiScene *scene, const char *name)
{
    for (unsigned i = 0; i < scene->mNumAnimations; i++)
        for (unsigned k = 0; k < scene->mAnimations[i]->mNumChannels; k++)
            if (strcmp(scene->mAnimations[i]->mChannels[k]->mNodeName.data, name) == 0) return true;
    for (unsigned i = 0; i < scene->mNumMeshes; i++)
        for (unsigned k = 0; k < scene->mMeshes[i]->mNumBones; k++)
            if (strcmp(scene->mMeshes[i]->mBones[k]->mName.data, name) == 0) return true;
    return false;
}

// Whether the root only turns and scales everything: then its children become roots.
static bool import_space_is_idle(const struct aiScene *scene, import_space *space)
{
    const struct aiNode *root = scene->mRootNode;
    trs parts;
    mat4 matrix = mat4_of(&root->mTransformation);
    if (root->mNumMeshes || !root->mNumChildren) return false;
    if (import_space_is_referenced(scene, root->mName.data)) return false;
    if (!mat4_decompose(&matrix, &parts) || parts.scale.x < 0) return false;
    double least = fmin(parts.scale.x, fmin(parts.scale.y, parts.scale.z));
    double most = fmax(parts.scale.x, fmax(parts.scale.y, parts.scale.z));
    if (most - least > 1e-5 * most || vec3_length(parts.translation) > 0) return false;
    space->scale = most;
    space->turn = parts.rotation;
    return true;
}

static bool import_space_is_collada(const char *path)
{
    static const char end[] = ".dae";
    size_t size = strlen(path), end_size = sizeof end - 1, same = 0;
    for (size_t i = 0; size >= end_size && i < end_size; i++) {
        char c = path[size - end_size + i];
        same += (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) == end[i];
    }
    return same == end_size;
}

void import_find_space(assimp_importer *importer)
{
    importer->space = (import_space){.scale = 1, .turn = quat_identity};
    importer->root_is_idle = import_space_is_idle(importer->assimp, &importer->space);
    // The root of a COLLADA file has no transform; its scale is the unit of the file.
    if (importer->root_is_idle && import_space_is_collada(importer->name))
        importer->unit = importer->space.scale;
}

// -- Conversion to the space of the scene

vec3 import_point(const assimp_importer *importer, vec3 point)
{
    return vec3_scale(point, importer->space.scale);
}

mat4 import_matrix(const assimp_importer *importer, mat4 matrix)
{
    for (int i = 0; i < 3; i++) matrix.m[12 + i] *= importer->space.scale;
    return matrix;
}

mat4 import_local(const assimp_importer *importer, uint32_t node, mat4 matrix)
{
    const import_node *from = &importer->nodes[node];
    matrix = import_matrix(importer, matrix);
    if (from->has_post) {
        trs post = {from->post_move, from->post_turn, {1, 1, 1}};
        mat4 after = mat4_of_trs(&post);
        matrix = mat4_mul(&matrix, &after);
    }
    if (from->parent != TENON_NONE) return matrix;
    trs turn = {{0, 0, 0}, importer->space.turn, {1, 1, 1}};
    mat4 before = mat4_of_trs(&turn);
    return mat4_mul(&before, &matrix);
}
