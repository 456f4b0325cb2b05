// import_space.c: lengths, axes and hands of the file, and ours.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AXES_SIZE 48

// -- What the file says

static bool find_entry(const struct aiScene *scene, const char *key, aiMetadataType type,
                       const void **data)
{
    const struct aiMetadata *all = scene->mMetaData;
    for (unsigned i = 0; all && i < all->mNumProperties; i++)
        if (strcmp(all->mKeys[i].data, key) == 0 && all->mValues[i].mType == type) {
            *data = all->mValues[i].mData;
            return *data != NULL;
        }
    return false;
}

static int whole_number(const struct aiScene *scene, const char *key, int fallback)
{
    const void *data;
    return find_entry(scene, key, AI_INT32, &data) ? *(const int32_t *)data : fallback;
}

static double number(const struct aiScene *scene, const char *key, double fallback)
{
    const void *data;
    if (find_entry(scene, key, AI_FLOAT, &data)) return (double)*(const float *)data;
    if (find_entry(scene, key, AI_DOUBLE, &data)) return *(const double *)data;
    return fallback;
}

// Row `row` of the matrix from the file's axes to ours.
static bool set_row(mat4 *axes, int row, int axis, int sign)
{
    if (axis < 0 || axis > 2) return false;
    for (int column = 0; column < 3; column++)
        axes->m[4 * column + row] = column == axis ? (sign < 0 ? -1 : 1) : 0;
    return true;
}

// Such as "+Y up, +Z front, right-handed".
static const char *name_axes(const struct aiScene *s, bool is_left_handed)
{
    const int up = whole_number(s, "UpAxis", 1), front = whole_number(s, "FrontAxis", 2);
    char *text = import_alloc(AXES_SIZE, 1);
    (void)snprintf(text, AXES_SIZE, "%c%c up, %c%c front, %s-handed",
                   whole_number(s, "UpAxisSign", 1) < 0 ? '-' : '+', "XYZ"[up],
                   whole_number(s, "FrontAxisSign", 1) < 0 ? '-' : '+', "XYZ"[front],
                   is_left_handed ? "left" : "right");
    return text;
}

// FBX: lengths are in centimetres times a factor; axes are as the file says.
static void take_fbx_settings(assimp_importer *importer)
{
    const struct aiScene *s = importer->assimp;
    mat4 axes = mat4_identity;
    bool ok =
        set_row(&axes, 0, whole_number(s, "CoordAxis", 0), whole_number(s, "CoordAxisSign", 1)) &&
        set_row(&axes, 1, whole_number(s, "UpAxis", 1), whole_number(s, "UpAxisSign", 1)) &&
        set_row(&axes, 2, whole_number(s, "FrontAxis", 2), whole_number(s, "FrontAxisSign", 1));
    double factor = number(s, "UnitScaleFactor", 1);
    importer->space.scale = factor > 0 && isfinite(factor) ? 0.01 * factor : 0.01;
    importer->unit = importer->space.scale;
    // The same axis twice makes no sense; then they are taken for the usual ones.
    double hand = mat4_determinant(&axes);
    if (!ok || hand == 0) {
        import_report_loss(importer, TENON_DEFAULTED, "axes", "the file's settings make no sense",
                           1, NULL);
        return;
    }
    importer->axes = name_axes(s, hand < 0);
    importer->space.is_mirrored = hand < 0;
    for (int row = 0; row < 3 && importer->space.is_mirrored; row++)
        axes.m[8 + row] = -axes.m[8 + row];
    trs parts;
    (void)mat4_decompose(&axes, &parts);
    importer->space.turn = parts.rotation;
}

// -- What importers put into the root

static bool is_animated(const struct aiScene *scene, const char *name)
{
    for (unsigned a = 0; a < scene->mNumAnimations; a++)
        for (unsigned c = 0; c < scene->mAnimations[a]->mNumChannels; c++)
            if (strcmp(scene->mAnimations[a]->mChannels[c]->mNodeName.data, name) == 0) return true;
    return false;
}

static bool is_bone(const struct aiScene *scene, const char *name)
{
    for (unsigned i = 0; i < scene->mNumMeshes; i++)
        for (unsigned b = 0; b < scene->mMeshes[i]->mNumBones; b++)
            if (strcmp(scene->mMeshes[i]->mBones[b]->mName.data, name) == 0) return true;
    return false;
}

// Whether the root only turns and scales everything: then its children take its place.
static bool is_idle(const struct aiScene *scene, import_space *space)
{
    const struct aiNode *root = scene->mRootNode;
    trs parts;
    mat4 matrix = mat4_of(&root->mTransformation);
    if (root->mNumMeshes || !root->mNumChildren) return false;
    if (is_animated(scene, root->mName.data) || is_bone(scene, root->mName.data)) return false;
    if (!mat4_decompose(&matrix, &parts) || parts.scale.x < 0) return false;
    double least = fmin(parts.scale.x, fmin(parts.scale.y, parts.scale.z));
    double most = fmax(parts.scale.x, fmax(parts.scale.y, parts.scale.z));
    if (most - least > 1e-5 * most || vec3_length(parts.translation) > 0) return false;
    space->scale = most;
    space->turn = parts.rotation;
    return true;
}

static bool is_collada(const char *path)
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
    importer->root_is_idle = is_idle(importer->assimp, &importer->space);
    // The roots of COLLADA files have no transform of their own: what is there is the unit.
    if (importer->root_is_idle && is_collada(importer->name))
        importer->unit = importer->space.scale;
    if (find_entry(importer->assimp, "UnitScaleFactor", AI_FLOAT, &data))
        take_fbx_settings(importer);
}

// -- Ours

vec3 import_point(const assimp_importer *importer, vec3 p)
{
    if (importer->space.is_mirrored) p.z = -p.z;
    return vec3_scale(p, importer->space.scale);
}

vec3 import_direction(const assimp_importer *importer, vec3 d)
{
    if (importer->space.is_mirrored) d.z = -d.z;
    return vec3_normal(d);
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
    const import_node *n = &importer->nodes[node];
    matrix = import_matrix(importer, matrix);
    if (n->has_post) {
        trs post = {n->post_move, n->post_turn, {1, 1, 1}};
        mat4 after = mat4_of_trs(&post);
        matrix = mat4_mul(&matrix, &after);
    }
    if (n->parent != TENON_NONE) return matrix;
    trs turn = {{0, 0, 0}, importer->space.turn, {1, 1, 1}};
    mat4 before = mat4_of_trs(&turn);
    return mat4_mul(&before, &matrix);
}
