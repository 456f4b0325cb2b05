// gpb.h: the document of a gameplay bundle, with the field names of its documentation.
// SPDX-License-Identifier: MIT

#ifndef TENON_GPB_H
#define TENON_GPB_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dialect flags.
enum {
    TENON_GPB_FONT_FORMAT = 1 << 0,        // 1.3: a font says whether it is a distance field.
    TENON_GPB_FONT_SIZES = 1 << 1,         // 1.4: a font has several sizes.
    TENON_GPB_FONT_ADVANCE = 1 << 2,       // 1.5: a glyph has bearing and advance.
    TENON_GPB_PARENT_ID = 1 << 3,          // 1.2: a node names its parent.
    TENON_GPB_BARE_ANIMATIONS = 1 << 4,    // Early 1.0: each animation is a separate object.
    TENON_GPB_FLOAT_TIMES = 1 << 5,        // Early 1.0: key times are f32, not u32.
    TENON_GPB_SKIN_ROOT = 1 << 6,          // Early 1.0: a skin names its root joint.
    TENON_GPB_LIGHT_ATTENUATION = 1 << 7,  // Early 1.0: lights have attenuation, not a range.
    TENON_GPB_FONT_UNICODE = 1 << 8,       // A fork of 1.5: fonts have one more 32-bit value.
    TENON_GPB_DOCUMENT = 1 << 9,  // The documentation taken literally: see docs/formats/gpb.md.
    // Variants where the documentation is ambiguous, each with TENON_GPB_DOCUMENT:
    TENON_GPB_FROM_ZERO = 1 << 10,   // Types of cameras and lights count from 0, not from 1.
    TENON_GPB_NOTHING = 1 << 11,     // An absent camera, light or model has no bytes.
    TENON_GPB_WHOLE = 1 << 12,       // An absent model is stored in full, without a mesh name.
    TENON_GPB_FLAGS = 1 << 13,       // A byte before a camera, light or model is 1 if it exists.
    TENON_GPB_PLAIN_SKIN = 1 << 14,  // There is no such byte before a skin.
    TENON_GPB_NO_MODEL = 1 << 15,    // An absent model has no bytes; others have a type of 0.
};

// Types of objects, as in the reference table. Those marked * are in the table of dialect
// "document" only.
enum {
    TENON_GPB_SCENE = 1,
    TENON_GPB_NODE = 2,
    TENON_GPB_ANIMATIONS = 3,
    TENON_GPB_ANIMATION = 4,  // *
    TENON_GPB_CHANNEL = 5,    // *
    TENON_GPB_MODEL = 11,     // *
    TENON_GPB_MATERIAL = 16,  // *
    TENON_GPB_EFFECT = 17,    // *
    TENON_GPB_CAMERA = 32,
    TENON_GPB_LIGHT = 33,
    TENON_GPB_MESH = 34,
    TENON_GPB_PART = 35,  // *
    TENON_GPB_SKIN = 36,  // *
    TENON_GPB_FONT = 128,
};

// The only place where objects have names. Each object has the index of its reference, and
// tenon_finalize() sets the offset of every reference that an object has. Objects that only dialect
// "document" lists in the table have an `entry` instead: that index plus 1, or 0 if there is none.
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
    tenon_span leftover;  // Bytes that are too few for an index.
    uint32_t entry;       // "document": index of its reference plus 1; 0 if there is none.
} tenon_gpb_part;

typedef struct tenon_gpb_element {
    uint32_t usage;  // 1 position, 2 normal, 3 color, …, 8 to 15 texture coordinates.
    uint32_t size;   // Floats.
} tenon_gpb_element;

typedef struct tenon_gpb_bounds {
    float min[3], max[3];
    float center[3], radius;
} tenon_gpb_bounds;

typedef struct tenon_gpb_mesh {
    uint32_t element_count;
    tenon_gpb_element *elements;
    uint32_t vertex_size;  // Bytes of all vertices.
    tenon_span vertices;   // The layout is that of `elements`.
    tenon_span leftover;   // Bytes that are too few for a vertex.
    tenon_gpb_bounds bounds;
    uint32_t part_count;
    tenon_gpb_part *parts;
} tenon_gpb_mesh;

typedef struct tenon_gpb_camera {
    uint32_t reference;   // Index into references; TENON_NONE if the camera has no name.
    uint8_t camera_type;  // 0 if there is none, 1 perspective, 2 orthographic, in every dialect.
    float aspect_ratio, near_plane, far_plane;
    float field_of_view;     // Type 1: vertical, degrees.
    float magnification[2];  // Type 2: width and height of the view.
} tenon_gpb_camera;

typedef struct tenon_gpb_light {
    uint32_t reference;  // Index into references; TENON_NONE if the light has no name.
    uint8_t light_type;  // 0 if there is none, 1 directional, 2 point, 3 spot, in every dialect.
    float color[3];
    float range;                            // Types 2 and 3.
    float inner_angle, outer_angle;         // Type 3: radians from the axis.
    float attenuation[3];                   // Early 1.0: constant, linear, quadratic.
    float falloff_angle, falloff_exponent;  // Early 1.0, type 3.
} tenon_gpb_light;

typedef struct tenon_gpb_parameter {
    tenon_str name;
    tenon_span value;  // f32
    uint32_t type;
} tenon_gpb_parameter;

typedef struct tenon_gpb_effect {
    tenon_str vertex_shader, fragment_shader;
} tenon_gpb_effect;

// Files contain only the name. Dialect "document" has parameters and an effect.
typedef struct tenon_gpb_material {
    tenon_str name;  // In dialect "document", the name is in the reference, if there is one.
    uint32_t parameter_count;
    tenon_gpb_parameter *parameters;
    tenon_str effect;  // "#id" or "file#id" of an effect; empty if there is none.
    uint32_t entry;    // "document": index of its reference plus 1; 0 if there is none.
} tenon_gpb_material;

typedef struct tenon_gpb_skin {
    float bind_shape[16];
    tenon_str root_joint;  // Early 1.0: an id without '#'.
    uint32_t joint_count;
    tenon_str *joints;         // "#id" of a node; "document": also "id" or "file#id".
    uint32_t bind_pose_count;  // Floats.
    tenon_span bind_poses;     // f32[16]: inverse bind matrices, column-major.
    tenon_span leftover;       // Floats that are too few for a matrix.
    tenon_gpb_bounds bounds;   // Dialect "document" only.
    uint32_t entry;            // "document": index of its reference plus 1; 0 if there is none.
} tenon_gpb_skin;

typedef struct tenon_gpb_model {
    // "#id". If it is empty or only "#", there is no model, and nothing follows. The same if it
    // does not start with '#', but dialect "document" also has "id" and "file#id".
    tenon_str mesh;
    uint8_t has_skin;
    tenon_gpb_skin skin;
    uint32_t material_count;
    tenon_gpb_material *materials;  // Material i is for part i of the mesh.
    uint32_t entry;  // "document": index of its reference plus 1; 0 if there is none.
} tenon_gpb_model;

typedef struct tenon_gpb_node {
    uint32_t reference;   // Index into references; TENON_NONE if the node has no name.
    uint32_t node_type;   // 1 node, 2 joint.
    float transform[16];  // Column-major, local to the parent.
    tenon_str parent_id;  // From 1.2 on: an id without '#'; empty for a root.
    uint32_t child_count;
    struct tenon_gpb_node *children;
    uint32_t has_camera, has_light, has_model;  // Only used by dialects that store them separately.
    tenon_gpb_camera camera;
    tenon_gpb_light light;
    tenon_gpb_model model;
} tenon_gpb_node;

typedef struct tenon_gpb_scene {
    uint32_t node_count;
    tenon_gpb_node *nodes;
    tenon_str active_camera;  // "#id" of the node that has the camera; empty if there is none.
    float ambient_color[3];
} tenon_gpb_scene;

typedef struct tenon_gpb_channel {
    tenon_str target_id;        // Id of a node, without '#'.
    uint32_t target_attribute;  // 1 scale, 8 rotate, 9 translate, 16, 17 …: docs/formats/gpb.md.
    tenon_span key_times;       // Milliseconds: u32; f32 in some early 1.0 files.
    tenon_span values, tangents_in, tangents_out;  // f32
    tenon_span interpolations;                     // u32: one for all keys, or one for each key.
    uint32_t entry;  // "document": index of its reference plus 1; 0 if there is none.
} tenon_gpb_channel;

typedef struct tenon_gpb_animation {
    tenon_str id;  // Not always unique. For a bare animation, the id of its reference.
    uint32_t channel_count;
    tenon_gpb_channel *channels;
    uint32_t entry;  // "document": index of its reference plus 1; 0 if there is none.
} tenon_gpb_animation;

typedef struct tenon_gpb_animations {
    uint32_t animation_count;
    tenon_gpb_animation *animations;
} tenon_gpb_animations;

typedef struct tenon_gpb_font_size {
    uint32_t size;           // Pixels.
    tenon_str charset;       // Empty in all known files.
    tenon_span glyphs;       // code, width, bearing_x and advance (from 1.5 on), uv.
    uint32_t width, height;  // Of the texture.
    tenon_span texels;       // u8; the first row is the top.
    uint32_t format;         // From 1.3 on: 0 bitmap, 1 distance field.
} tenon_gpb_font_size;

typedef struct tenon_gpb_font {
    tenon_str family;
    uint32_t style;         // 0 plain, 1 bold, 2 italic, 4 bold and italic.
    uint32_t unicode;       // A fork only: not 0 if there is an outline font instead of sizes.
    tenon_span face_sizes;  // u32: the sizes to render from the outline font.
    tenon_span face;        // u8: the outline font.
    uint32_t size_count;
    tenon_gpb_font_size *sizes;
} tenon_gpb_font;

// Which counts are stored before a block, or after the last one.
enum {
    TENON_GPB_COUNTS_MESHES = 1,
    TENON_GPB_COUNTS_OBJECTS = 2,
};

// One object of the file. Objects have no tag: the reference table says what they are.
typedef struct tenon_gpb_block {
    uint32_t kind;       // Inferred: TENON_GPB_MESH and so on.
    uint32_t counts;     // Inferred: which counts are stored before it.
    uint32_t reference;  // Index into references; TENON_NONE if the object has no name.
    tenon_span gap;      // Unknown bytes before it.
    union {
        tenon_gpb_scene scene;
        tenon_gpb_node node;
        tenon_gpb_animations animations;
        tenon_gpb_animation animation;
        tenon_gpb_channel channel;
        tenon_gpb_model model;
        tenon_gpb_material material;
        tenon_gpb_effect effect;
        tenon_gpb_camera camera;
        tenon_gpb_light light;
        tenon_gpb_mesh mesh;
        tenon_gpb_part part;
        tenon_gpb_skin skin;
        tenon_gpb_font font;
    } body;  // The member for `kind`.
} tenon_gpb_block;

typedef struct tenon_gpb {
    tenon_doc base;
    uint8_t version[2];
    uint32_t reference_count;
    tenon_gpb_reference *references;
    uint32_t mesh_count;    // As stored, if a block or the end has this count.
    uint32_t object_count;  // The same for objects other than meshes; "document": for all.
    uint32_t is_uncounted;  // Inferred, "document": there is no count of objects.
    uint32_t end_counts;    // Inferred: which counts are stored after the last block.
    uint32_t block_count;
    tenon_gpb_block *blocks;  // In file order.
} tenon_gpb;

// `doc` as a gameplay bundle, or NULL if it is of another format.
TENON_API tenon_gpb *tenon_as_gpb(tenon_doc *doc);

// The id of a reference; empty if the index is out of range.
TENON_API tenon_str tenon_gpb_id(const tenon_gpb *doc, uint32_t reference);

// Call `fn` for every node in file order, parents before children, with its depth: 0 for a root.
// Nodes deeper than 255 are left out. The callback returns false to stop.
typedef bool tenon_gpb_node_fn(void *user, const tenon_gpb_node *node, uint32_t depth);
TENON_API void tenon_gpb_each_node(const tenon_gpb *doc, tenon_gpb_node_fn *fn, void *user);

// -- Fonts

// A glyph with the metrics that the engine uses, also of versions that do not store all of them.
typedef struct tenon_gpb_glyph {
    uint32_t code;
    uint32_t x, y, width, height;  // Its place in the texture, in texels from the top left.
    int32_t bearing_x;             // Texels from the pen to the left side of the glyph.
    uint32_t advance;              // Texels from the pen to the pen of the next glyph.
} tenon_gpb_glyph;

// Glyph number `index`, which must be less than size->glyphs.count.
TENON_API tenon_gpb_glyph tenon_gpb_glyph_at(const tenon_gpb_font_size *size, uint64_t index);

// Write the metrics of size number `index` of a font as the text of a BMFont .fnt file. `picture`
// is the name of the file with its texels, which the caller has to write: size->texels, 8 bits
// each, size->width times size->height.
TENON_API bool tenon_gpb_write_fnt(const tenon_gpb_font *font, uint32_t index, const char *picture,
                                   tenon_write_fn *write, void *user, tenon_error *err);

// -- Property files: .material and .animation next to a bundle

typedef struct tenon_gpb_property {
    tenon_str name, value;
    uint32_t line;  // From 1.
    struct tenon_gpb_property *next;
} tenon_gpb_property;

// A block of a property file: `type id : parent { name = value … }`.
typedef struct tenon_gpb_properties {
    tenon_str type;                           // "material"; empty for the file itself.
    tenon_str id;                             // Empty if there is none.
    tenon_str parent_id;                      // The block it inherits from; empty if there is none.
    uint32_t line;                            // First line, from 1.
    tenon_gpb_property *properties;           // Without inherited ones.
    struct tenon_gpb_properties *children;    // Blocks in this block.
    struct tenon_gpb_properties *next;        // The next block in the same parent.
    const struct tenon_gpb_properties *base;  // Named by `parent_id`, or NULL.
    struct tenon_gpb_properties_owner *owner;  // Private. Set in the root only.
} tenon_gpb_properties;

// Read the text of a property file. The result has copies of all texts. Only `allocator` and
// `max_memory` (4 MiB + 64 times the text) of the options are used.
//
// If the text is not a property file, the error has the line. Returns NULL on failure; free the
// result with tenon_gpb_properties_free().
TENON_API tenon_gpb_properties *tenon_gpb_properties_read(const char *text, size_t size,
                                                          const tenon_read_opts *opts,
                                                          tenon_error *err);

// Read the property file with that extension ("material", "animation") next to a bundle. Returns
// NULL, without an error (TENON_OK), if there is none.
TENON_API tenon_gpb_properties *tenon_gpb_properties_beside(const char *model_path,
                                                            const char *extension,
                                                            const tenon_read_opts *opts,
                                                            tenon_error *err);

// Free a file and all its blocks. `file` may be NULL.
TENON_API void tenon_gpb_properties_free(tenon_gpb_properties *file);

// The descendant of `block` with that type and id; NULL if there is none.
TENON_API const tenon_gpb_properties *tenon_gpb_properties_find(const tenon_gpb_properties *block,
                                                                const char *type, tenon_str id);

// The value of a property of a block or of the blocks it inherits from. Its data is NULL if there
// is none.
TENON_API tenon_str tenon_gpb_property_value(const tenon_gpb_properties *block, const char *name);

// Call `fn` for every block of a type ("sampler") in a material, at any depth, inherited ones last.
// A block that overrides an inherited one with the same id replaces it. If a material has thousands
// of blocks, not all are visited. The callback returns false to stop.
typedef bool tenon_gpb_block_fn(void *user, const tenon_gpb_properties *block);
TENON_API void tenon_gpb_properties_each(const tenon_gpb_properties *material, const char *type,
                                         tenon_gpb_block_fn *fn, void *user);

#ifdef __cplusplus
}
#endif
#endif  // TENON_GPB_H
