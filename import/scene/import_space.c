// import_space.c: converts lengths, axes and handedness of the file to those of the scene.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AXES_SIZE 48

// -- Settings of the file

static bool import_space_find_entry(const struct aiScene *scene, const char *key,
                                    aiMetadataType type, const void **data)
{
    const struct aiMetadata *all = scene->mMetaData;
    for (unsigned i = 0; all && i < all->mNumProperties; i++)
        if (strcmp(all->mKeys[i].data, key) == 0 && all->mValues[i].mType == type) {
            *data = all->mValues[i].mData;
            return *data != NULL;
        }
    return false;
}

static int import_space_get_integer(const struct aiScene *scene, const char *key, int fallback)
{
    const void *data;
    return import_space_find_entry(scene, key, AI_INT32, &data) ? *(const int32_t *)data : fallback;
}

// Set a row of the matrix from the file's axes to those of the scene.
static bool import_space_set_row(mat4 *axes, int row, int axis, int sign)
{
    if (axis < 0 || axis > 2) return false;
    for (int column = 0; column < 3; column++)
        axes->m[4 * column + row] = column == axis ? (sign < 0 ? -1 : 1) : 0;
    return true;
}

// FBX: lengths are in centimeters times a factor; the file names its axes.
static void import_space_read_fbx_settings(assimp_importer *importer)
{
    const struct aiScene *from = importer->assimp;
    const int side = import_space_get_integer(from, "CoordAxis", 0),
              up = import_space_get_integer(from, "UpAxis", 1);
    const int side_sign = import_space_get_integer(from, "CoordAxisSign", 1);
    const int up_sign = import_space_get_integer(from, "UpAxisSign", 1);
    const int front = import_space_get_integer(from, "FrontAxis", 2);
    const int front_sign = import_space_get_integer(from, "FrontAxisSign", 1);
    const void *data;
    double factor = 1;
    if (import_space_find_entry(from, "UnitScaleFactor", AI_FLOAT, &data))
        factor = (double)*(const float *)data;
    importer->space.scale = factor > 0 && isfinite(factor) ? 0.01 * factor : 0.01;
    importer->unit = importer->space.scale;
    mat4 axes = mat4_identity;
    bool is_valid = import_space_set_row(&axes, 0, side, side_sign) &&
                    import_space_set_row(&axes, 1, up, up_sign) &&
                    import_space_set_row(&axes, 2, front, front_sign);
    double hand = mat4_determinant(&axes);
    // If an axis occurs twice, the usual axes are used.
    if (!is_valid || hand == 0) {
        import_report_loss(importer, TENON_DEFAULTED, "axes",
                           "invalid in the file: the default axes are used", 1, NULL);
        return;
    }
    char *text = import_alloc(AXES_SIZE, 1);
    (void)snprintf(text, AXES_SIZE, "%c%c up, %c%c front, %s-handed", up_sign < 0 ? '-' : '+',
                   "XYZ"[up], front_sign < 0 ? '-' : '+', "XYZ"[front],
                   hand < 0 ? "left" : "right");
    importer->axes = text;
    importer->space.is_mirrored = hand < 0;
    for (int row = 0; row < 3 && hand < 0; row++) axes.m[8 + row] = -axes.m[8 + row];
    trs parts;
    (void)mat4_decompose(&axes, &parts);
    importer->space.turn = parts.rotation;
}

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
    const void *data;
    importer->space = (import_space){.scale = 1, .turn = quat_identity};
    importer->root_is_idle = import_space_is_idle(importer->assimp, &importer->space);
    // The root of a COLLADA file has no transform; its scale is the unit of the file.
    if (importer->root_is_idle && import_space_is_collada(importer->name))
        importer->unit = importer->space.scale;
    if (import_space_find_entry(importer->assimp, "UnitScaleFactor", AI_FLOAT, &data))
        import_space_read_fbx_settings(importer);
}

// -- Conversion to the space of the scene

vec3 import_point(const assimp_importer *importer, vec3 point)
{
    if (importer->space.is_mirrored) point.z = -point.z;
    return vec3_scale(point, importer->space.scale);
}

vec3 import_direction(const assimp_importer *importer, vec3 direction)
{
    if (importer->space.is_mirrored) direction.z = -direction.z;
    return vec3_normal(direction);
}

quat import_rotation(const assimp_importer *importer, quat q)
{
    return importer->space.is_mirrored ? (quat){-q.x, -q.y, q.z, q.w} : q;
}

mat4 import_matrix(const assimp_importer *importer, mat4 matrix)
{
    for (int i = 0; i < 3 && importer->space.is_mirrored; i++) {
        matrix.m[8 + i] = -matrix.m[8 + i];
        matrix.m[4 * i + 2] = -matrix.m[4 * i + 2];
    }
    if (importer->space.is_mirrored) matrix.m[14] = -matrix.m[14];
    for (int i = 0; i < 3; i++) matrix.m[12 + i] *= importer->space.scale;
    return matrix;
}

mat4 import_local(const assimp_importer *importer, uint32_t node, mat4 matrix)
{
    const import_node *joined = &importer->nodes[node];
    matrix = import_matrix(importer, matrix);
    if (joined->has_post) {
        trs post = {joined->post_move, joined->post_turn, {1, 1, 1}};
        mat4 after = mat4_of_trs(&post);
        matrix = mat4_mul(&matrix, &after);
    }
    if (joined->parent != TENON_NONE) return matrix;
    trs turn = {{0, 0, 0}, importer->space.turn, {1, 1, 1}};
    mat4 before = mat4_of_trs(&turn);
    return mat4_mul(&before, &matrix);
}
