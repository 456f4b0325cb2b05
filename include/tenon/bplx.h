// bplx.h: the document of a BPLX file, little-endian, in the terms of its format description.
// SPDX-License-Identifier: MIT

#ifndef TENON_BPLX_H
#define TENON_BPLX_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dialect flags.
enum {
    TENON_BPLX_MATERIALS = 1 << 0,  // The file has a materials block.
    TENON_BPLX_SHORT =
        1 << 1,  // A material that is not textured has neither a path nor its length.
};

typedef struct tenon_bplx_material {
    tenon_str name;
    float diffuse_color[3], specular_color[3];
    float shininess;
    float emissive_color[3];
    float transparency;      // Behaves as opacity: 1 is opaque.
    uint8_t is_textured;     // 0 or 1.
    tenon_str texture_path;  // Empty in dialects with TENON_BPLX_SHORT if is_textured is 0.
} tenon_bplx_material;

typedef struct tenon_bplx_bone {
    tenon_str name;
    int32_t parent_index;  // -1 for a root.
    float rest_position[3];
    float rest_rotation[4];  // Quaternion x, y, z, w.
    float rest_scale[3];
} tenon_bplx_bone;

typedef struct tenon_bplx_clip {
    tenon_str name;
    float animation_length;  // Seconds, as far as files show.
    tenon_span keyframes;    // time, bone_index, position, rotation, scale; of all bones together.
} tenon_bplx_clip;

typedef struct tenon_bplx {
    tenon_doc base;
    uint32_t version;  // 1.
    uint32_t vertex_count;
    uint32_t face_count;
    uint32_t material_count;  // In the header; every known writer stores 1.
    uint32_t padding;
    uint32_t material_list_count;  // In the materials block; 0 without the block.
    tenon_bplx_material *materials;
    tenon_span positions;  // f32[3] for each vertex.
    tenon_span normals;    // f32[3]
    tenon_span uvs;        // f32[2]
    tenon_span faces;      // u32[3] for each face.
    uint32_t bone_count;
    tenon_bplx_bone *bones;
    uint32_t clip_count;
    tenon_bplx_clip *clips;
} tenon_bplx;

// `doc` as a BPLX document, or NULL if it is another format.
TENON_API tenon_bplx *tenon_as_bplx(tenon_doc *doc);

#ifdef __cplusplus
}
#endif
#endif  // TENON_BPLX_H
