// import_meshes.c: imports the meshes of each node as one mesh of primitives, with one skin.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STREAM_MOST (3 + TENON_UV_SETS + TENON_COLOR_SETS + 2)

// -- Vertices

static void import_meshes_put_vec3(float *to, vec3 v)
{
    to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

static vec3 import_meshes_get_vec3(const float *from, uint32_t vertex)
{
    const float *at = from + 3 * (size_t)vertex;
    return (vec3){(double)at[0], (double)at[1], (double)at[2]};
}

static void import_meshes_copy_shape(assimp_importer *importer, tenon_primitive *to,
                                     const struct aiMesh *mesh)
{
    const unsigned count = mesh->mNumVertices;
    to->positions = import_scene_alloc(importer, count, 3 * sizeof(float));
    for (unsigned i = 0; i < count; i++)
        import_meshes_put_vec3(to->positions + 3 * (size_t)i,
                               import_point(importer, vec3_of(mesh->mVertices[i])));
    if (!mesh->mNormals) return;
    to->normals = import_scene_alloc(importer, count, 3 * sizeof(float));
    for (unsigned i = 0; i < count; i++)
        import_meshes_put_vec3(to->normals + 3 * (size_t)i,
                               vec3_normal(vec3_of(mesh->mNormals[i])));
    if (!mesh->mTangents || !mesh->mBitangents) return;
    float *tangents = import_scene_alloc(importer, count, 4 * sizeof(float));
    for (unsigned i = 0; i < count; i++) {
        vec3 tangent = vec3_normal(vec3_of(mesh->mTangents[i]));
        vec3 side = vec3_of(mesh->mBitangents[i]);
        // Tangents can be computed again, so if one has no direction, all are left out.
        if (vec3_length(tangent) == 0) return;
        double hand = vec3_dot(vec3_cross(import_meshes_get_vec3(to->normals, i), tangent), side);
        import_meshes_put_vec3(tangents + 4 * (size_t)i, tangent);
        tangents[4 * (size_t)i + 3] = hand < 0 ? -1 : 1;
    }
    to->tangents = tangents;
}

static float import_meshes_finite_f32(float value)
{
    return isfinite(value) ? value : 0;
}

static void import_meshes_copy_uvs_and_colors(assimp_importer *importer, tenon_primitive *primitive,
                                              const struct aiMesh *mesh)
{
    const unsigned count = mesh->mNumVertices;
    for (unsigned set = 0; set < AI_MAX_NUMBER_OF_TEXTURECOORDS && set < TENON_UV_SETS; set++) {
        const struct aiVector3D *from = mesh->mTextureCoords[set];
        if (!from) continue;
        float *to = primitive->uvs[set] = import_scene_alloc(importer, count, 2 * sizeof(float));
        // Assimp's origin is at the bottom of the image.
        for (unsigned i = 0; i < count; i++, to += 2)
            to[0] = import_meshes_finite_f32(from[i].x),
            to[1] = 1 - import_meshes_finite_f32(from[i].y);
    }
    for (unsigned set = 0; set < AI_MAX_NUMBER_OF_COLOR_SETS; set++) {
        const struct aiColor4D *from = mesh->mColors[set];
        if (!from) continue;
        if (set >= TENON_COLOR_SETS) {
            import_report_loss(importer, TENON_DROPPED, "vertex colors",
                               "at most two sets are supported", 1, mesh->mName.data);
            continue;
        }
        float *to = primitive->colors[set] = import_scene_alloc(importer, count, 4 * sizeof(float));
        for (unsigned i = 0; i < count; i++, to += 4) {
            to[0] = import_meshes_finite_f32(from[i].r),
            to[1] = import_meshes_finite_f32(from[i].g);
            to[2] = import_meshes_finite_f32(from[i].b),
            to[3] = import_meshes_finite_f32(from[i].a);
        }
    }
}

// -- Faces

static void import_meshes_copy_faces(assimp_importer *importer, tenon_primitive *to,
                                     const struct aiMesh *mesh)
{
    bool is_line = mesh->mPrimitiveTypes & aiPrimitiveType_LINE;
    uint32_t corners = is_line ? 2 : 1;
    to->mode = is_line ? TENON_LINES : TENON_POINTS;
    if (mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE) {
        to->mode = TENON_TRIANGLES;
        corners = 3;
    }
    if (mesh->mNumFaces > UINT32_MAX / 3) return;
    uint64_t most = (uint64_t)mesh->mNumFaces * corners;
    to->indices = import_scene_alloc(importer, most, sizeof *to->indices);
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        bool is_valid = face->mNumIndices == corners;
        for (uint32_t i = 0; is_valid && i < corners; i++)
            is_valid = face->mIndices[i] < mesh->mNumVertices;
        if (!is_valid) {
            import_report_loss(importer, TENON_DROPPED, "faces",
                               "they refer to vertices that do not exist", 1, mesh->mName.data);
            continue;
        }
        for (uint32_t i = 0; i < corners; i++) to->indices[to->index_count++] = face->mIndices[i];
    }
}

// Replace a normal without a direction by that of a face at its vertex.
static void import_meshes_replace_zero_normals(assimp_importer *importer,
                                               tenon_primitive *primitive, const char *name)
{
    const float *positions = primitive->positions;
    if (!primitive->normals) return;
    uint32_t index_count = primitive->mode == TENON_TRIANGLES ? primitive->index_count : 0;
    for (uint32_t i = 0; i < index_count; i++) {
        const uint32_t *corner = primitive->indices + i - i % 3;
        float *normal = primitive->normals + 3 * (size_t)primitive->indices[i];
        if (normal[0] != 0 || normal[1] != 0 || normal[2] != 0) continue;
        vec3 first = import_meshes_get_vec3(positions, corner[0]);
        vec3 side = vec3_add(import_meshes_get_vec3(positions, corner[1]), vec3_scale(first, -1));
        vec3 other = vec3_add(import_meshes_get_vec3(positions, corner[2]), vec3_scale(first, -1));
        import_meshes_put_vec3(normal, vec3_normal(vec3_cross(side, other)));
    }
    for (uint32_t i = 0; i < primitive->vertex_count; i++) {
        float *normal = primitive->normals + 3 * (size_t)i;
        if (normal[0] != 0 || normal[1] != 0 || normal[2] != 0) continue;
        normal[1] = 1;
        import_report_loss(importer, TENON_SYNTHESIZED, "normals", "they had no direction", 1,
                           name);
    }
}

// -- Joining equal vertices

// One attribute of a primitive's vertices.
typedef struct vertex_stream {
    unsigned char *data;
    size_t size;  // Bytes of one vertex.
} vertex_stream;

typedef struct vertex_streams {
    vertex_stream items[STREAM_MOST];
    uint32_t count;
} vertex_streams;

static void import_meshes_add_stream(vertex_streams *streams, void *data, size_t size)
{
    if (data) streams->items[streams->count++] = (vertex_stream){data, size};
}

static bool import_meshes_is_equal(const vertex_streams *streams, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < streams->count; i++) {
        const unsigned char *data = streams->items[i].data;
        size_t size = streams->items[i].size;
        if (memcmp(data + a * size, data + b * size, size) != 0) return false;
    }
    return true;
}

// Join vertices that are equal in every byte.
static void import_meshes_join_vertices(tenon_primitive *primitive)
{
    vertex_streams streams = {.count = 0};
    uint32_t mask = 15, used = 0;
    if (!primitive->indices || primitive->vertex_count > UINT32_MAX / 4) return;
    import_meshes_add_stream(&streams, primitive->positions, 3 * sizeof(float));
    import_meshes_add_stream(&streams, primitive->normals, 3 * sizeof(float));
    import_meshes_add_stream(&streams, primitive->tangents, 4 * sizeof(float));
    for (int i = 0; i < TENON_UV_SETS; i++)
        import_meshes_add_stream(&streams, primitive->uvs[i], 2 * sizeof(float));
    for (int i = 0; i < TENON_COLOR_SETS; i++)
        import_meshes_add_stream(&streams, primitive->colors[i], 4 * sizeof(float));
    import_meshes_add_stream(&streams, primitive->joints,
                             primitive->influence_count * sizeof(uint16_t));
    import_meshes_add_stream(&streams, primitive->weights,
                             primitive->influence_count * sizeof(float));
    while (mask < 2 * primitive->vertex_count) mask = 2 * mask + 1;
    // A hash table of vertices, plus 1; 0 is free.
    uint32_t *slots = import_alloc((uint64_t)mask + 1, sizeof *slots);
    uint32_t *places = import_alloc(primitive->vertex_count, sizeof *places);
    for (uint32_t vertex = 0; vertex < primitive->vertex_count; vertex++) {
        uint32_t hash = 2166136261u;
        for (uint32_t i = 0; i < streams.count; i++) {
            const vertex_stream *stream = &streams.items[i];
            for (size_t k = 0; k < stream->size; k++)
                hash = (hash ^ stream->data[vertex * stream->size + k]) * 16777619u;
        }
        uint32_t slot = hash & mask;
        while (slots[slot] && !import_meshes_is_equal(&streams, vertex, slots[slot] - 1))
            slot = (slot + 1) & mask;
        if (!slots[slot]) {
            for (uint32_t i = 0; i < streams.count && vertex != used; i++) {
                const vertex_stream *stream = &streams.items[i];
                memcpy(stream->data + used * stream->size, stream->data + vertex * stream->size,
                       stream->size);
            }
            slots[slot] = ++used;
        }
        places[vertex] = slots[slot] - 1;
    }
    for (uint32_t i = 0; i < primitive->index_count; i++)
        primitive->indices[i] = places[primitive->indices[i]];
    primitive->vertex_count = used;
    free(places);
    free(slots);
}

// -- Meshes

static void import_meshes_make_primitive(assimp_importer *importer, tenon_primitive *to,
                                         uint32_t node, const struct aiMesh *mesh,
                                         skin_builder *skin)
{
    bool has_material = mesh->mMaterialIndex < importer->assimp->mNumMaterials;
    to->material = has_material ? importer->materials[mesh->mMaterialIndex] : TENON_NONE;
    to->vertex_count = mesh->mNumVertices;
    import_meshes_copy_shape(importer, to, mesh);
    import_meshes_copy_uvs_and_colors(importer, to, mesh);
    import_meshes_copy_faces(importer, to, mesh);
    import_meshes_replace_zero_normals(importer, to, mesh->mName.data);
    if (skin) import_weights(importer, skin, node, mesh, to);
    import_meshes_join_vertices(to);
    import_report_loss(importer, TENON_DROPPED, "morph targets", "not supported",
                       mesh->mNumAnimMeshes, mesh->mName.data);
    for (unsigned i = 0; i < mesh->mNumAnimMeshes; i++)
        import_report_omission(importer, "blend shapes",
                               "not applied: meshes have their base shape",
                               mesh->mAnimMeshes[i]->mWeight != 0, mesh->mName.data);
}

static void import_meshes_make_mesh(assimp_importer *importer, tenon_mesh *to, uint32_t node,
                                    skin_builder *skin)
{
    const struct aiNode *from = importer->nodes[node].from;
    to->primitives = import_scene_alloc(importer, from->mNumMeshes, sizeof *to->primitives);
    for (unsigned i = 0; i < from->mNumMeshes; i++) {
        const struct aiMesh *mesh = importer->assimp->mMeshes[from->mMeshes[i]];
        if (!to->name.size) to->name = import_name(importer, mesh->mName.data);
        if (mesh->mNumVertices > 0 && mesh->mNumFaces > 0 && mesh->mVertices)
            import_meshes_make_primitive(importer, &to->primitives[to->primitive_count++], node,
                                         mesh, skin);
    }
    if (!to->name.size) to->name = importer->scene->nodes[node].name;
}

static void import_meshes_make_skin(assimp_importer *importer, uint32_t node,
                                    const skin_builder *from)
{
    tenon_scene *scene = importer->scene;
    uint32_t index = scene->skin_count++;
    tenon_skin *skin = &scene->skins[index];
    *skin = (tenon_skin){
        .name = scene->nodes[node].name, .root = TENON_NONE, .joint_count = from->joint_count};
    skin->joints = import_scene_alloc(importer, from->joint_count, sizeof *skin->joints);
    skin->inverse_binds = import_scene_alloc(importer, from->joint_count, 16 * sizeof(float));
    for (uint32_t i = 0; i < from->joint_count; i++) {
        skin->joints[i] = from->joints[i].node;
        scene->nodes[from->joints[i].node].is_joint = true;
        for (int k = 0; k < 16; k++)
            skin->inverse_binds[16 * (size_t)i + (size_t)k] = (float)from->joints[i].bind.m[k];
    }
    scene->nodes[node].skin = index;
}

// Nodes share a mesh without a skin if they have the same Assimp meshes.
static bool import_has_same_meshes(const import_node *a, const import_node *b)
{
    unsigned count = a->from->mNumMeshes;
    return b->from->mNumMeshes == count &&
           memcmp(a->from->mMeshes, b->from->mMeshes, count * sizeof *a->from->mMeshes) == 0;
}

void import_meshes(assimp_importer *importer)
{
    const struct aiScene *from = importer->assimp;
    tenon_scene *scene = importer->scene;
    uint32_t *shown_by = import_alloc(from->mNumMeshes, sizeof *shown_by);
    memset(shown_by, 0xff, from->mNumMeshes * sizeof *shown_by);
    scene->meshes = import_scene_alloc(importer, importer->node_count, sizeof *scene->meshes);
    scene->skins = import_scene_alloc(importer, importer->node_count, sizeof *scene->skins);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        const struct aiNode *node = importer->nodes[i].from;
        bool has_meshes = node->mNumMeshes > 0, has_skin = false;
        for (unsigned k = 0; k < node->mNumMeshes; k++)
            has_meshes &= node->mMeshes[k] < from->mNumMeshes;
        if (!has_meshes) continue;
        for (unsigned k = 0; k < node->mNumMeshes; k++)
            has_skin |= from->mMeshes[node->mMeshes[k]]->mNumBones > 0;
        uint32_t *before = &shown_by[node->mMeshes[0]];
        if (*before != TENON_NONE && !has_skin &&
            import_has_same_meshes(&importer->nodes[*before], &importer->nodes[i])) {
            scene->nodes[i].mesh = scene->nodes[*before].mesh;
            continue;
        }
        skin_builder skin = {0};
        scene->nodes[i].mesh = scene->mesh_count;
        import_meshes_make_mesh(importer, &scene->meshes[scene->mesh_count++], i,
                                has_skin ? &skin : NULL);
        if (has_skin) import_meshes_make_skin(importer, i, &skin);
        *before = i;
    }
    free(shown_by);
}
