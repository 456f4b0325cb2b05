// import_meshes.c: the meshes of each node become one mesh of parts, with one skin.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Streams

static bool has(const void *stream, const struct aiMesh *mesh)
{
    return stream && mesh->mNumVertices > 0;
}

static void put3(float *to, vec3 v)
{
    to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

static void copy_positions(assimp_importer *importer, tenon_primitive *primitive,
                           const struct aiMesh *mesh, const mat4 *by)
{
    primitive->positions = import_scene_alloc(importer, mesh->mNumVertices, 3 * sizeof(float));
    for (unsigned i = 0; i < mesh->mNumVertices; i++)
        put3(primitive->positions + 3 * (size_t)i,
             import_point(importer, mat4_point(by, vec3_of(mesh->mVertices[i]))));
}

static void copy_normals(assimp_importer *importer, tenon_primitive *primitive,
                         const struct aiMesh *mesh, const mat4 *by)
{
    if (!has(mesh->mNormals, mesh)) return;
    primitive->normals = import_scene_alloc(importer, mesh->mNumVertices, 3 * sizeof(float));
    for (unsigned i = 0; i < mesh->mNumVertices; i++)
        put3(primitive->normals + 3 * (size_t)i,
             import_direction(importer, mat4_normal(by, vec3_of(mesh->mNormals[i]))));
}

static vec3 turned(const assimp_importer *importer, const mat4 *by, struct aiVector3D direction)
{
    mat4 turn = *by;
    turn.m[12] = turn.m[13] = turn.m[14] = 0;
    return import_direction(importer, mat4_point(&turn, vec3_of(direction)));
}

// Those of which one has no direction are left out: they can be made anew.
static void copy_tangents(assimp_importer *importer, tenon_primitive *primitive,
                          const struct aiMesh *mesh, const mat4 *by)
{
    if (!has(mesh->mTangents, mesh) || !mesh->mBitangents || !primitive->normals) return;
    float *tangents = import_scene_alloc(importer, mesh->mNumVertices, 4 * sizeof(float));
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const float *n = primitive->normals + 3 * (size_t)i;
        vec3 normal = {(double)n[0], (double)n[1], (double)n[2]};
        vec3 tangent = turned(importer, by, mesh->mTangents[i]);
        vec3 side = turned(importer, by, mesh->mBitangents[i]);
        if (vec3_length(tangent) == 0) return;
        put3(tangents + 4 * (size_t)i, tangent);
        tangents[4 * (size_t)i + 3] = vec3_dot(vec3_cross(normal, tangent), side) < 0 ? -1 : 1;
    }
    primitive->tangents = tangents;
}

// Assimp's texture coordinates begin at the bottom.
static void copy_uvs(assimp_importer *importer, tenon_primitive *primitive,
                     const struct aiMesh *mesh)
{
    for (unsigned set = 0; set < AI_MAX_NUMBER_OF_TEXTURECOORDS && set < TENON_UV_SETS; set++) {
        if (!has(mesh->mTextureCoords[set], mesh)) continue;
        primitive->uvs[set] = import_scene_alloc(importer, mesh->mNumVertices, 2 * sizeof(float));
        for (unsigned i = 0; i < mesh->mNumVertices; i++) {
            primitive->uvs[set][2 * (size_t)i] = import_finite(mesh->mTextureCoords[set][i].x);
            primitive->uvs[set][2 * (size_t)i + 1] =
                1 - import_finite(mesh->mTextureCoords[set][i].y);
        }
    }
}

static void copy_colors(assimp_importer *importer, tenon_primitive *primitive,
                        const struct aiMesh *mesh)
{
    for (unsigned set = 0; set < AI_MAX_NUMBER_OF_COLOR_SETS; set++) {
        const struct aiColor4D *from = mesh->mColors[set];
        if (!has(from, mesh)) continue;
        if (set >= TENON_COLOR_SETS) {
            import_report_loss(importer, TENON_DROPPED, "vertex colors",
                               "there is room for two sets", 1, mesh->mName.data);
            continue;
        }
        float *to = primitive->colors[set] =
            import_scene_alloc(importer, mesh->mNumVertices, 4 * sizeof(float));
        for (unsigned i = 0; i < mesh->mNumVertices; i++, to += 4) {
            to[0] = import_finite(from[i].r), to[1] = import_finite(from[i].g);
            to[2] = import_finite(from[i].b), to[3] = import_finite(from[i].a);
        }
    }
}

// -- Faces

static uint32_t corners_of(const struct aiMesh *mesh, tenon_mode *mode)
{
    if (mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE) {
        *mode = TENON_TRIANGLES;
        return 3;
    }
    *mode = mesh->mPrimitiveTypes & aiPrimitiveType_LINE ? TENON_LINES : TENON_POINTS;
    return *mode == TENON_LINES ? 2 : 1;
}

static bool is_whole(const struct aiMesh *mesh, const struct aiFace *face, uint32_t corners)
{
    if (face->mNumIndices != corners) return false;
    for (uint32_t i = 0; i < corners; i++)
        if (face->mIndices[i] >= mesh->mNumVertices) return false;
    return true;
}

static void copy_faces(assimp_importer *importer, tenon_primitive *primitive,
                       const struct aiMesh *mesh, bool is_reversed)
{
    uint32_t corners = corners_of(mesh, &primitive->mode);
    if (mesh->mNumFaces > UINT32_MAX / 3) return;
    primitive->indices = import_scene_alloc(importer, (uint64_t)mesh->mNumFaces * corners,
                                            sizeof *primitive->indices);
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (!is_whole(mesh, face, corners)) {
            import_report_loss(importer, TENON_DROPPED, "faces",
                               "they name vertices that are not there", 1, mesh->mName.data);
            continue;
        }
        for (uint32_t i = 0; i < corners; i++)
            primitive->indices[primitive->index_count++] =
                face->mIndices[is_reversed ? corners - 1 - i : i];
    }
}

static vec3 position(const tenon_primitive *primitive, uint32_t vertex)
{
    const float *at = primitive->positions + 3 * (size_t)vertex;
    return (vec3){(double)at[0], (double)at[1], (double)at[2]};
}

// A normal without a direction becomes that of a face at its vertex.
static void replace_zero_normals(assimp_importer *importer, tenon_primitive *primitive,
                                 const char *name)
{
    for (uint32_t i = 0;
         primitive->normals && primitive->mode == TENON_TRIANGLES && i < primitive->index_count;
         i++) {
        const uint32_t *corner = primitive->indices + i - i % 3;
        float *n = primitive->normals + 3 * (size_t)primitive->indices[i];
        if (n[0] != 0 || n[1] != 0 || n[2] != 0) continue;
        vec3 a = position(primitive, corner[0]);
        vec3 side = vec3_add(position(primitive, corner[1]), vec3_scale(a, -1));
        vec3 other = vec3_add(position(primitive, corner[2]), vec3_scale(a, -1));
        put3(n, vec3_normal(vec3_cross(side, other)));
    }
    for (uint32_t i = 0; primitive->normals && i < primitive->vertex_count; i++) {
        float *n = primitive->normals + 3 * (size_t)i;
        if (n[0] != 0 || n[1] != 0 || n[2] != 0) continue;
        n[1] = 1;
        import_report_loss(importer, TENON_MADE_UP, "normals", "they had no direction", 1, name);
    }
}

// -- A mesh of ours

static void make_primitive(assimp_importer *importer, tenon_primitive *primitive, uint32_t node,
                           const struct aiMesh *mesh, skin_builder *skin)
{
    const mat4 *by = &importer->nodes[node].geometric;
    primitive->material = mesh->mMaterialIndex < importer->assimp->mNumMaterials
                              ? importer->materials[mesh->mMaterialIndex]
                              : TENON_NONE;
    primitive->vertex_count = mesh->mNumVertices;
    copy_positions(importer, primitive, mesh, by);
    copy_normals(importer, primitive, mesh, by);
    copy_tangents(importer, primitive, mesh, by);
    copy_uvs(importer, primitive, mesh);
    copy_colors(importer, primitive, mesh);
    copy_faces(importer, primitive, mesh,
               importer->space.is_mirrored != (mat4_determinant(by) < 0));
    replace_zero_normals(importer, primitive, mesh->mName.data);
    if (skin)
        import_weights(importer, skin, node, mesh, &primitive->influence_count, &primitive->joints,
                       &primitive->weights);
    import_weld(primitive);
    import_report_loss(importer, TENON_DROPPED, "morph targets", "there is no place for them",
                       mesh->mNumAnimMeshes, mesh->mName.data);
    // Of FBX files, fbx_omissions.c knows those that matter.
    for (unsigned i = 0; !importer->fbx.is_rewritten && i < mesh->mNumAnimMeshes; i++)
        import_report_omission(importer, "blend shapes",
                               "they change meshes at rest and are not applied",
                               mesh->mAnimMeshes[i]->mWeight != 0, mesh->mName.data);
}

static bool is_drawn(const struct aiMesh *mesh)
{
    return mesh->mNumVertices > 0 && mesh->mNumFaces > 0 && mesh->mVertices;
}

static void make_mesh(assimp_importer *importer, tenon_mesh *to, uint32_t node, skin_builder *skin)
{
    const struct aiNode *from = importer->nodes[node].real;
    to->primitives = import_scene_alloc(importer, from->mNumMeshes, sizeof *to->primitives);
    for (unsigned i = 0; i < from->mNumMeshes; i++) {
        const struct aiMesh *mesh = importer->assimp->mMeshes[from->mMeshes[i]];
        if (!to->name.size) to->name = import_name(importer, mesh->mName.data);
        if (is_drawn(mesh))
            make_primitive(importer, &to->primitives[to->primitive_count++], node, mesh, skin);
    }
    if (!to->name.size) to->name = importer->scene->nodes[node].name;
}

static void make_skin(assimp_importer *importer, uint32_t node, const skin_builder *from)
{
    uint32_t index = importer->scene->skin_count++;
    tenon_skin *skin = &importer->scene->skins[index];
    *skin = (tenon_skin){.name = importer->scene->nodes[node].name,
                         .root = TENON_NONE,
                         .joint_count = from->joint_count};
    skin->joints = import_scene_alloc(importer, from->joint_count, sizeof *skin->joints);
    skin->inverse_binds = import_scene_alloc(importer, from->joint_count, 16 * sizeof(float));
    for (uint32_t i = 0; i < from->joint_count; i++) {
        skin->joints[i] = from->joints[i];
        importer->scene->nodes[from->joints[i]].is_joint = true;
        for (int k = 0; k < 16; k++)
            skin->inverse_binds[16 * (size_t)i + (size_t)k] = (float)from->binds[i].m[k];
    }
    importer->scene->nodes[node].skin = index;
}

// -- All of them

// A mesh that several nodes show is there once, unless a skin makes it theirs alone.
static bool shows_the_same(const assimp_importer *importer, uint32_t a, uint32_t b)
{
    const struct aiNode *x = importer->nodes[a].real, *y = importer->nodes[b].real;
    if (x->mNumMeshes != y->mNumMeshes) return false;
    return memcmp(x->mMeshes, y->mMeshes, x->mNumMeshes * sizeof *x->mMeshes) == 0 &&
           memcmp(&importer->nodes[a].geometric, &importer->nodes[b].geometric, sizeof(mat4)) == 0;
}

static bool names_meshes(const assimp_importer *importer, const struct aiNode *node)
{
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        if (node->mMeshes[i] >= importer->assimp->mNumMeshes) return false;
    return node->mNumMeshes > 0;
}

void import_meshes(assimp_importer *importer)
{
    uint32_t *shown_by = import_alloc(importer->assimp->mNumMeshes, sizeof *shown_by);
    memset(shown_by, 0xff, importer->assimp->mNumMeshes * sizeof *shown_by);
    importer->scene->meshes =
        import_scene_alloc(importer, importer->node_count, sizeof *importer->scene->meshes);
    importer->scene->skins =
        import_scene_alloc(importer, importer->node_count, sizeof *importer->scene->skins);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        const struct aiNode *node = importer->nodes[i].real;
        if (!names_meshes(importer, node)) continue;
        uint32_t *before = &shown_by[node->mMeshes[0]];
        bool has_skin = import_has_bones(importer, node);
        if (*before != TENON_NONE && !has_skin && shows_the_same(importer, *before, i)) {
            importer->scene->nodes[i].mesh = importer->scene->nodes[*before].mesh;
            continue;
        }
        skin_builder skin = {0};
        importer->scene->nodes[i].mesh = importer->scene->mesh_count;
        make_mesh(importer, &importer->scene->meshes[importer->scene->mesh_count++], i,
                  has_skin ? &skin : NULL);
        if (has_skin) make_skin(importer, i, &skin);
        *before = i;
    }
    free(shown_by);
}
