// gpu.h: a scene as buffers that a graphics card draws.
// SPDX-License-Identifier: MIT
//
// Quick tour:
//
//     tenon_buffers *model = tenon_prepare(scene, NULL, &err);    // Vertices are tenon_vertex.
//     for (uint32_t i = 0; i < model->mesh_count; i++)
//         upload(&model->meshes[i]);                              // Vertices and indices, once.
//
//     tenon_pose_set(pose, clip, seconds);                        // In every frame.
//     for (uint32_t i = 0; i < model->draw_count; i++) {
//         float *matrices = ...;                                  // matrix_count times 16.
//         tenon_draw_matrices(model, i, pose, matrices);
//         draw(&model->meshes[model->draws[i].mesh], matrices);
//     }
//     tenon_buffers_free(model);
//
// Everything is a list of triangles with indices. Every mesh, skinned or not, is drawn the same
// way: a vertex is moved by the sum of weight * matrix, with the matrices of the draw. A mesh with
// morph targets (blend shapes) has their offsets beside its vertices; before the matrices, a vertex
// is moved by the sum of weight * offset, with the weights of the draw.

#ifndef TENON_GPU_H
#define TENON_GPU_H

#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// What an attribute of a vertex is.
typedef enum tenon_stream {
    TENON_STREAM_POSITION,  // If there are 4 numbers, the last is 1.
    TENON_STREAM_NORMAL,    // Computed where the scene has none.
    TENON_STREAM_TANGENT,   // The same, from texture coordinates; without those, (1, 0, 0, 1).
    TENON_STREAM_UV,        // Zeros where the scene has none.
    TENON_STREAM_COLOR,     // White where the scene has none.
    TENON_STREAM_JOINTS,    // Numbers of matrices of the draw; set 1 are the influences from the
    TENON_STREAM_WEIGHTS,   // fifth on. A mesh without a skin has (0, 0, 0, 0), (1, 0, 0, 0).
} tenon_stream;

// How the numbers of an attribute are stored, in the byte order of the machine.
typedef enum tenon_number {
    TENON_NUMBER_F32,
    TENON_NUMBER_U8,  // Integers, for joints.
    TENON_NUMBER_U16,
    TENON_NUMBER_U8_NORM,   // 0 to 255 is 0 to 1. Weights add up to 255 exactly.
    TENON_NUMBER_U16_NORM,  // 0 to 65535 is 0 to 1.
    TENON_NUMBER_I8_NORM,   // -127 to 127 is -1 to 1.
    TENON_NUMBER_I16_NORM,  // -32767 to 32767 is -1 to 1.
} tenon_number;

typedef struct tenon_attribute {
    tenon_stream stream;
    uint32_t set;  // Of texture coordinates, colors, joints and weights.
    tenon_number type;
    uint32_t count;   // Numbers, 1 to 4.
    uint32_t offset;  // Bytes from the start of the vertex.
} tenon_attribute;

// The vertex that is made if the options give no attributes.
typedef struct tenon_vertex {
    float position[3], normal[3], tangent[4], uv[2];
    uint8_t color[4];    // Normalized.
    uint8_t joints[4];   // Integers.
    uint8_t weights[4];  // Normalized.
} tenon_vertex;

typedef struct tenon_prepare_opts {
    tenon_allocator allocator;
    tenon_events events;                // Progress; losses: what is dropped, computed or changed.
    uint64_t max_memory;                // Bytes that the result may take (no limit).
    const tenon_attribute *attributes;  // NULL: those of tenon_vertex. A skinned mesh needs joints.
    uint32_t attribute_count;
    uint32_t stride;        // Bytes of a vertex; 0: up to the end of its last attribute.
    uint32_t max_matrices;  // Of a draw; meshes that need more are split. At least three times the
                            // influences of a vertex. 0: as many as the type of the joints holds.
    uint32_t index_size;    // 2: meshes with more vertices than that are split; 4; 0: as needed.
    uint64_t reserved[8];   // Zeros: room for what later versions add.
} tenon_prepare_opts;

// How one morph target moves the vertices of a mesh: 3 numbers for each vertex. NULL: it does not.
typedef struct tenon_gpu_morph {
    const float *positions, *normals, *tangents;
} tenon_gpu_morph;

// What is uploaded once: a primitive of a mesh, or a part of one.
typedef struct tenon_gpu_mesh {
    uint32_t mesh, primitive;  // Of the scene.
    uint32_t material;         // TENON_NONE: it has none.
    uint32_t vertex_count;
    const void *vertices;  // `stride` bytes each.
    uint32_t index_count;  // Three for each triangle.
    uint32_t index_size;   // 2 or 4 bytes.
    const void *indices;
    uint32_t matrix_count;   // At least 1.
    const uint16_t *joints;  // Of each matrix, an index into the joints of the skin. NULL: no skin.
    float min[3], max[3];    // Bounds of the positions, before they are moved.
    uint32_t morph_count;    // That of the mesh in the scene; 0: no morph target moves it.
    const tenon_gpu_morph *morphs;
} tenon_gpu_mesh;

// What is drawn in every frame.
typedef struct tenon_draw {
    uint32_t mesh;  // Of the buffers.
    uint32_t node;
    uint32_t skin;  // TENON_NONE: the node moves the mesh.
} tenon_draw;

typedef struct tenon_buffers {
    uint32_t stride;  // Bytes of a vertex.
    uint32_t mesh_count;
    tenon_gpu_mesh *meshes;
    uint32_t draw_count;
    tenon_draw *draws;              // In the order of the nodes.
    uint32_t matrix_count;          // The most that a draw needs,
    uint32_t morph_count;           // and the most morph targets of one.
    struct tenon_gpu_owner *owner;  // Private.
} tenon_buffers;

// Make the buffers of a scene, which may be freed afterwards. Points and lines are left out.
// Returns NULL on failure; free the result with tenon_buffers_free().
TENON_API tenon_buffers *tenon_prepare(const tenon_scene *scene, const tenon_prepare_opts *opts,
                                       tenon_error *err);

// Free the buffers. Does nothing for NULL.
TENON_API void tenon_buffers_free(tenon_buffers *buffers);

// The matrices of draw number `draw` in a pose of the same scene: 16 numbers, column by column, for
// each of the mesh's `matrix_count`. Does nothing if there is no such draw.
TENON_API void tenon_draw_matrices(const tenon_buffers *buffers, uint32_t draw,
                                   const tenon_pose *pose, float *matrices);

// The weights of the morph targets of draw number `draw` in a pose of the same scene: `morph_count`
// of its mesh. Does nothing if there is no such draw.
TENON_API void tenon_draw_weights(const tenon_buffers *buffers, uint32_t draw,
                                  const tenon_pose *pose, float *weights);

// Whether the pose turns the mesh of a node inside out, so that front faces are clockwise.
TENON_API bool tenon_pose_is_mirrored(const tenon_pose *pose, uint32_t node);

#ifdef __cplusplus
}
#endif
#endif  // TENON_GPU_H
