// gpb.h: the document of a gameplay bundle, little-endian, in the words of its own description.
// SPDX-License-Identifier: MIT

#ifndef TENON_GPB_H
#define TENON_GPB_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dialect flags.
enum {
    TENON_GPB_FONT_FORMAT = 1 << 0,   // 1.3: a font says whether it is a distance field.
    TENON_GPB_FONT_SIZES = 1 << 1,    // 1.4: a font holds several sizes.
    TENON_GPB_FONT_ADVANCE = 1 << 2,  // 1.5: a glyph has bearing and advance.
};

// Types of objects, as in the reference table.
enum {
    TENON_GPB_SCENE = 1,
    TENON_GPB_NODE = 2,
    TENON_GPB_ANIMATIONS = 3,
    TENON_GPB_CAMERA = 32,
    TENON_GPB_LIGHT = 33,
    TENON_GPB_MESH = 34,
    TENON_GPB_FONT = 128,
};

typedef struct tenon_gpb_reference {
    tenon_str id;
    uint32_t type;    // TENON_GPB_SCENE and so on.
    uint32_t offset;  // Of the object's first byte; 0: registered but never written.
} tenon_gpb_reference;

typedef struct tenon_gpb_part {
    uint32_t primitive_type;  // 0 points, 1 lines, 3 line strip, 4 triangles, 5 strip.
    uint32_t index_format;    // 0x1401 u8, 0x1403 u16, 0x1405 u32.
    uint32_t index_size;      // Bytes.
    tenon_span indices;
    tenon_span leftover;  // Bytes too few for an index.
} tenon_gpb_part;

typedef struct tenon_gpb_element {
    uint32_t usage;  // 1 position, 2 normal, 3 color, …, 8 to 15 texture coordinates.
    uint32_t size;   // Floats.
} tenon_gpb_element;

typedef struct tenon_gpb_mesh {
    uint32_t element_count;
    tenon_gpb_element *elements;
    uint32_t vertex_size;  // Bytes of all vertices.
    tenon_span vertices;   // Layout as the elements say.
    tenon_span leftover;   // Bytes too few for a vertex.
    float bounds_min[3], bounds_max[3], sphere_center[3], sphere_radius;
    uint32_t part_count;
    tenon_gpb_part *parts;
} tenon_gpb_mesh;

typedef struct tenon_gpb_camera {
    uint8_t camera_type;  // 0: there is none, 1 perspective, 2 orthographic.
    float aspect_ratio, near_plane, far_plane;
    float field_of_view;  // Vertical, degrees.
    float magnification[2];
} tenon_gpb_camera;

typedef struct tenon_gpb_light {
    uint8_t light_type;  // 0: there is none, 1 directional, 2 point, 3 spot.
    float color[3];
    float range;
    float inner_angle, outer_angle;  // Radians.
} tenon_gpb_light;

typedef struct tenon_gpb_model {
    tenon_str mesh;  // "#id"; without '#' or alone there is no model, and nothing follows.
    uint8_t has_skin;
    float bind_shape[16];
    uint32_t joint_count;
    tenon_str *joints;
    uint32_t bind_pose_count;  // Floats.
    tenon_span bind_poses;     // f32[16]: inverse bind matrices.
    tenon_span leftover;       // Floats too few for a matrix.
    uint32_t material_count;
    tenon_str *materials;
} tenon_gpb_model;

typedef struct tenon_gpb_node {
    uint32_t node_type;   // 1 node, 2 joint.
    float transform[16];  // Column-major.
    tenon_str parent_id;
    uint32_t child_count;
    struct tenon_gpb_node *children;
    tenon_gpb_camera camera;
    tenon_gpb_light light;
    tenon_gpb_model model;
} tenon_gpb_node;

typedef struct tenon_gpb_scene {
    uint32_t node_count;
    tenon_gpb_node *nodes;
    tenon_str active_camera;
    float ambient_color[3];
} tenon_gpb_scene;

typedef struct tenon_gpb_channel {
    tenon_str target_id;
    uint32_t target_attribute;
    tenon_span key_times;  // u32 milliseconds.
    tenon_span values, tangents_in, tangents_out;
    tenon_span interpolations;
} tenon_gpb_channel;

typedef struct tenon_gpb_animation {
    tenon_str id;
    uint32_t channel_count;
    tenon_gpb_channel *channels;
} tenon_gpb_animation;

typedef struct tenon_gpb_animations {
    uint32_t animation_count;
    tenon_gpb_animation *animations;
} tenon_gpb_animations;

typedef struct tenon_gpb_font_size {
    uint32_t size;
    tenon_str charset;
    tenon_span glyphs;
    uint32_t width, height;  // Of the texture.
    tenon_span texels;
    uint32_t format;
} tenon_gpb_font_size;

typedef struct tenon_gpb_font {
    tenon_str family;
    uint32_t style;
    uint32_t size_count;
    tenon_gpb_font_size *sizes;
} tenon_gpb_font;

// One object of the file. Bodies carry no tag: what it is was found in the reference table.
typedef struct tenon_gpb_block {
    uint32_t kind;    // Inferred: TENON_GPB_MESH and so on.
    uint32_t counts;  // Inferred: which counts stand in front of it (1 meshes, 2 objects).
    uint32_t mesh_count, object_count;
    uint32_t gap_size;  // Inferred: bytes in front of it that nothing explains.
    tenon_span gap;
    union {
        tenon_gpb_scene scene;
        tenon_gpb_animations animations;
        tenon_gpb_mesh mesh;
        tenon_gpb_font font;
    } body;
} tenon_gpb_block;

typedef struct tenon_gpb {
    tenon_doc base;
    uint8_t version[2];
    uint32_t reference_count;
    tenon_gpb_reference *references;
    uint32_t block_count;
    tenon_gpb_block *blocks;
} tenon_gpb;

// `doc` as a gameplay bundle, or NULL if it is none.
TENON_API tenon_gpb *tenon_as_gpb(tenon_doc *doc);

#ifdef __cplusplus
}
#endif
#endif  // TENON_GPB_H
