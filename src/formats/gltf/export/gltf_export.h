// gltf_export.h: the plan of a glTF export, shared by the files that make and write it.
// SPDX-License-Identifier: MIT
//
// Everything is planned first: which objects are written, and where their bytes go. Then the JSON
// is measured and written from the plan, and the bytes are streamed from the arrays of the scene.
// Arrays are copied only if glTF does not allow their values.

#ifndef TN_FORMATS_GLTF_EXPORT_GLTF_EXPORT_H
#define TN_FORMATS_GLTF_EXPORT_GLTF_EXPORT_H

#include "core/text/name_tree.h"
#include "exchange/export.h"
#include "formats/gltf/gltf_extensions.h"

#include <tenon/files.h>

// -- Losses

typedef enum gltf_loss {
    LOST_PARTS,
    LOST_VERTICES,
    LOST_MESHES,
    LOST_WEIGHTS,
    LOST_COLORS,
    LOST_COLOR_SETS,
    LOST_UV_GAPS,
    LOST_TANGENTS,
    LOST_PLACES,
    LOST_SHEAR,
    LOST_PROJECTION,
    LOST_ROOTS,
    LOST_JOINT_COPIES,
    LOST_SKELETONS,
    LOST_BINDS,
    LOST_SKINS,
    LOST_MATERIALS,
    LOST_NUMBERS,
    LOST_HIGHLIGHTS,
    LOST_SLOTS,
    LOST_TEXTURES,
    LOST_NORMAL_TEXTURES,
    LOST_PICTURES_MISSING,
    LOST_PICTURES_OUTSIDE,
    LOST_PICTURES_UNLOADED,
    LOST_PICTURES_UNAVAILABLE,
    LOST_PICTURES_BROKEN,
    LOST_PICTURES_UNCONVERTED,
    LOST_ANIMATIONS,
    LOST_CAMERAS,
    LOST_CAMERA_NUMBERS,
    LOST_LIGHTS,
    LOST_LIGHT_NUMBERS,
    LOST_EXTRAS,
    LOST_INSTANCES,
    LOST_LOOKS,
    LOST_COUNT,
} gltf_loss;

// -- The plan. Indices are into the output, except `source`, which is an index into the scene.

// Kinds of data. Each kind that is used has one buffer view.
typedef enum gltf_stream {
    GLTF_INDICES16,
    GLTF_INDICES32,
    GLTF_POSITIONS,
    GLTF_NORMALS,
    GLTF_TANGENTS,
    GLTF_UVS,
    GLTF_COLORS,
    GLTF_COLORS8,
    GLTF_JOINTS8,
    GLTF_JOINTS16,
    GLTF_WEIGHTS,
    GLTF_BINDS,
    GLTF_TIMES,
    GLTF_VECTORS,
    GLTF_ROTATIONS,
    GLTF_MORPH_WEIGHTS,
    GLTF_POSITIONS16,  // From here on, as integers that stand for floats.
    GLTF_OFFSETS16,    // Of morph targets.
    GLTF_NORMALS8,
    GLTF_TANGENTS8,  // The last one that needs KHR_mesh_quantization.
    GLTF_UVS16,
    GLTF_WEIGHTS16,
    GLTF_STREAM_COUNT,
} gltf_stream;

// The cube of positions that are integers: they are scaled, then moved.
typedef struct gltf_place {
    double offset[3], scale;
    bool is_used;
    const struct gltf_place *first;  // The first one that is equal, so that accessors are shared.
} gltf_place;

typedef struct gltf_accessor {
    gltf_stream stream;
    uint32_t count;           // Elements.
    const void *data;         // Floats; 32-bit indices; 16-bit joints.
    uint32_t row;             // From one element to the next in `data`, in components.
    uint32_t next;            // The next accessor in the same view, or TENON_NONE.
    uint64_t offset;          // In its view, in bytes.
    const float *bounds;      // 'min' and then 'max' of each component; NULL: not written.
    const gltf_place *place;  // Of GLTF_POSITIONS16 and GLTF_OFFSETS16.
} gltf_accessor;

typedef struct gltf_view {
    uint64_t offset, size;
    uint32_t stride, target;  // 0: not written.
} gltf_view;

// Accessors of one morph target.
typedef struct gltf_morph {
    uint32_t positions, normals, tangents;
} gltf_morph;

typedef struct gltf_primitive {
    const tenon_primitive *source;
    uint32_t material;
    uint32_t indices, positions, normals, tangents, uvs[TENON_UV_SETS], colors[TENON_COLOR_SETS];
    uint32_t set_count;        // Of four influences each.
    uint32_t joints, weights;  // Accessors of the first set; those of the other sets follow.
    gltf_morph *morphs;        // As many as the mesh has.
} gltf_primitive;

typedef struct gltf_mesh {
    uint32_t source;
    uint32_t first, count;  // Primitives.
} gltf_mesh;

typedef struct gltf_node {
    tenon_str name;
    uint32_t source;  // TENON_NONE: it is synthesized.
    uint32_t parent, first_child, last_child, next_sibling;
    uint32_t mesh, skin, camera, light;
    uint32_t shown;           // The node of the scene whose mesh it has, or TENON_NONE.
    bool is_unskinned_joint;  // It is a joint that no skin lists.
    double translation[3], rotation[4], scale[3];
} gltf_node;

typedef struct gltf_skin {
    uint32_t source, skeleton, binds;
    uint32_t *joints;
} gltf_skin;

// A material with those textures for which its primitives have texture coordinates.
typedef struct gltf_material {
    uint32_t source;
    uint32_t slots;  // Its textures: one bit for each tenon_slot.
    uint32_t next;   // The next material of the same source, or TENON_NONE.
} gltf_material;

// Some bytes of a converted picture.
typedef struct gltf_picture_block {
    struct gltf_picture_block *next;
    size_t size, room;
    uint8_t bytes[];
} gltf_picture_block;

typedef enum gltf_image_kind {
    GLTF_IMAGE_UNUSED,
    GLTF_IMAGE_WANTED,  // How it is written is not decided yet.
    GLTF_IMAGE_LOST,
    GLTF_IMAGE_NAMED,   // As a URI.
    GLTF_IMAGE_STORED,  // In the buffer.
} gltf_image_kind;

typedef struct gltf_image {
    gltf_image_kind kind;
    uint32_t index;          // In 'images'.
    uint32_t view;           // Of a stored image that does not share the view of another.
    const char *uri;         // Of a named image.
    const char *extras_uri;  // Its URI for extras if it is not written as a texture; NULL: no path.
    const char *mime;        // Of a stored image.
    const char *extension;   // That textures need for pictures of that type; NULL: none.
    bool is_flipped;         // The first row is the bottom one: texture transforms flip it.
    gltf_loss why;           // Of a lost image.
    uint32_t shared;         // The image whose buffer view it uses; TENON_NONE: it has its own.
    uint64_t size;
    const uint8_t *bytes;  // NULL: the picture was converted, and is in blocks.
    gltf_picture_block *first, *last;
    tenon_bytes loaded;
} gltf_image;

typedef struct gltf_texture {
    uint32_t image;   // Index into the scene.
    uint32_t wraps;   // Both wrap modes: 3 * wrap[0] + wrap[1].
    uint32_t origin;  // Of the texture of the file that it is, plus 1; 0: none.
} gltf_texture;

typedef struct gltf_animation {
    uint32_t source;
    uint32_t *times, *values;  // Accessors, for each channel.
} gltf_animation;

typedef struct gltf_extension_names {
    tenon_str *items;
    uint32_t count;
} gltf_extension_names;

enum { GLTF_WRAPS = 9, GLTF_EXTRA_KINDS = 5 };

// Tags of gltf_export_find_planned(): the streams, and one for each kind of object that has extras.
enum { GLTF_TAG_EXTRA = GLTF_STREAM_COUNT, GLTF_TAG_COUNT = GLTF_TAG_EXTRA + GLTF_EXTRA_KINDS };

// JSON keys of textures, by slot. Extras use them for textures that glTF cannot hold.
extern const char *const gltf_texture_keys[TENON_SLOT_COUNT];

typedef struct gltf_exporter {
    const tn_export *export;
    const tenon_scene *scene;
    bool failed;
    tn_tally losses[LOST_COUNT];
    // Arrays that are already in the plan, by address or by content.
    tn_name_tree by_address, by_content[GLTF_TAG_COUNT];

    gltf_node *nodes;
    uint32_t node_count, node_room;
    uint32_t *inner;       // For each node of the scene: the node that has its whole transform.
    uint32_t *mesh_nodes;  // For each node of the scene: the node that has its mesh, or TENON_NONE.
    gltf_mesh *meshes;
    uint32_t mesh_count, mesh_room;
    uint32_t *plain_mesh_of, *skinned_mesh_of;  // For each mesh of the scene.
    const gltf_place *places;  // The same, and then one for skinned meshes; NULL: floats.
    gltf_primitive *primitives;
    uint32_t primitive_count, primitive_room;
    uint32_t *joint_marks;  // For each joint: the last mark, and the influence that set it.
    uint32_t mark;
    struct gltf_tangent_sums *tangent_sums;
    gltf_skin *skins;
    uint32_t skin_count;
    uint32_t *skin_of;  // For each skin of the scene.
    gltf_material *materials;
    uint32_t material_count, material_room;
    uint32_t *material_of;                 // For each material of the scene, the first.
    gltf_image *images;                    // For each image of the scene.
    uint32_t *image_sources, image_count;  // Those that are written.
    gltf_texture *textures;
    uint32_t texture_count, texture_room;
    // For each image of the scene and pair of wrap modes; for each texture of the file.
    uint32_t *texture_of, *texture_of_origin;
    uint32_t sampler_of[GLTF_WRAPS], sampler_count;
    bool has_transforms, has_unlit, has_emissive_strength;  // Extensions of materials.
    gltf_animation *animations;
    uint32_t animation_count;
    tenon_camera *cameras;
    tenon_light *lights;
    uint32_t camera_count, light_count, *camera_of, *light_of;
    uint32_t *extras_of[GLTF_EXTRA_KINDS], *next_extra;

    gltf_accessor *accessors;
    uint32_t accessor_count, accessor_room;
    // For each stream: the accessors, or TENON_NONE, and the view.
    uint32_t first_of[GLTF_STREAM_COUNT], last_of[GLTF_STREAM_COUNT], view_of[GLTF_STREAM_COUNT];
    gltf_view *views;
    uint32_t view_count;
    uint64_t buffer_size;
    const char *buffer_uri;  // NULL: it is in the same file.

    struct gltf_keep *keep;              // What is written again of the file; NULL: nothing.
    gltf_extension_names extensions[2];  // Used, required.
    tn_json_writer json;
    uint64_t text_size;     // Of the JSON that was written so far.
    bool is_measured_only;  // The JSON.
} gltf_exporter;

// -- Shared, in gltf_export.c

// Zeroed memory. Returns NULL, and the export fails, if there is none.
void *gltf_export_alloc(gltf_exporter *exporter, uint64_t count, size_t size);
uint32_t *gltf_export_alloc_indices(gltf_exporter *exporter, uint64_t count);  // All TENON_NONE.

// Make room for one more item of `size` bytes. Returns its index; TENON_NONE: the export failed.
uint32_t gltf_export_grow(gltf_exporter *exporter, void **items, uint32_t *count, uint32_t *room,
                          size_t size);

// Clamp values. Returns how many changed; NaNs do.
uint64_t gltf_export_clamp(double *values, uint32_t count, double low, double high);

// The number that is stored for this key, to read and set; TENON_NONE if the key is new. Returns
// NULL if the export failed. Keys with different tags are different.
uint32_t *gltf_export_find_planned(gltf_exporter *exporter, uint32_t tag, const void *a,
                                   const void *b, uint32_t count, uint32_t each);

// The same by content. The bytes must live as long as the export.
uint32_t *gltf_export_find_planned_bytes(gltf_exporter *exporter, uint32_t tag, const void *bytes,
                                         uint64_t size);

// -- Vertices as integers, in gltf_export_quantize.c

void gltf_export_plan_quantization(gltf_exporter *exporter);
void gltf_export_report_quantization(const gltf_exporter *exporter);

// The cube of a mesh, or of all that are skinned. NULL: positions are floats.
const gltf_place *gltf_export_place_of(const gltf_exporter *exporter, uint32_t mesh,
                                       bool is_skinned);

// The stream of texture coordinates: integers only if they are from 0 to 1.
gltf_stream gltf_export_uv_stream(const gltf_exporter *exporter, const float *uvs, uint32_t count);

// Round a direction to what 8-bit integers stand for, so that it stays the same when it is read,
// normalized and rounded again.
void gltf_export_round_direction(const float from[3], float to[3]);

// A copy of weights, `each` for a vertex, that are what integers stand for. NULL on failure.
const float *gltf_export_round_weights(gltf_exporter *exporter, const float *weights,
                                       uint32_t count, uint32_t each);

// -- Streams, in gltf_export_streams.c

uint32_t gltf_export_add_accessor(gltf_exporter *exporter, gltf_stream stream, const void *data,
                                  uint32_t count, uint32_t row);

// Add an accessor of packed elements, or return the one that has the same data: at the same
// address, or if `by_content`, with the same bytes.
uint32_t gltf_export_share_accessor(gltf_exporter *exporter, gltf_stream stream, const void *data,
                                    uint32_t count, bool by_content);

// Give everything its offset in the buffer; write the buffer.
void gltf_export_place_streams(gltf_exporter *exporter);
bool gltf_export_buffer_bytes(gltf_exporter *exporter);

// -- Planning, in the file of each kind of object

void gltf_export_plan_extras(gltf_exporter *exporter);
void gltf_export_plan_cameras(gltf_exporter *exporter);  // And lights.
void gltf_export_plan_nodes(gltf_exporter *exporter);    // And skins.
void gltf_export_plan_animations(gltf_exporter *exporter);
void gltf_export_plan_images(gltf_exporter *exporter);
void gltf_export_plan_materials(gltf_exporter *exporter);

// The mesh of that source, with weights if `is_skinned`; TENON_NONE: it is empty.
uint32_t gltf_export_mesh_for(gltf_exporter *exporter, uint32_t source, bool is_skinned);
void gltf_export_report_unused_meshes(gltf_exporter *exporter);

// Add tangents to primitives that have a normal texture but no tangents.
void gltf_export_add_tangents(gltf_exporter *exporter);

// The material with the textures in `slots` (bits) alone.
uint32_t gltf_export_material_for(gltf_exporter *exporter, uint32_t source, uint32_t slots);
bool gltf_export_has_texture(const gltf_exporter *exporter, const gltf_material *m, uint32_t slot);

void gltf_export_free_images(gltf_exporter *exporter);
bool gltf_export_image_bytes(const gltf_exporter *exporter, const gltf_image *image);
bool gltf_export_has_view(const gltf_image *image);  // Whether it has its own buffer view.

// The URI of a path relative to the model's folder, or to the output's; NULL: the export failed. Of
// an absolute path only the last part is used.
const char *gltf_export_uri_of(gltf_exporter *exporter, tenon_str path, bool is_beside_output);

// -- Text

void gltf_export_document(gltf_exporter *exporter);

// The members of one object of a list.
void gltf_export_write_node(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_mesh(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_skin(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_material(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_texture(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_sampler(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_image(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_camera(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_light(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_animation(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_accessor(gltf_exporter *exporter, uint32_t index);
void gltf_export_write_view(gltf_exporter *exporter, uint32_t index);

// Members of objects. Names that are empty and indices that are TENON_NONE are left out. Without a
// key, objects and arrays are items of an array.
void gltf_export_name(gltf_exporter *exporter, tenon_str name);
void gltf_export_string(gltf_exporter *exporter, const char *key, const char *value);
void gltf_export_true(gltf_exporter *exporter, const char *key);
void gltf_export_size(gltf_exporter *exporter, const char *key, uint64_t size);
void gltf_export_index(gltf_exporter *exporter, const char *key, uint32_t index);
void gltf_export_number(gltf_exporter *exporter, const char *key, double value);
void gltf_export_numbers(gltf_exporter *exporter, const char *key, const double *values,
                         uint32_t count);
void gltf_export_begin_object(gltf_exporter *exporter, const char *key);
void gltf_export_begin_array(gltf_exporter *exporter, const char *key);
void gltf_export_end_object(gltf_exporter *exporter);
void gltf_export_end_array(gltf_exporter *exporter);

// Several numbers as an array or one alone, unless all equal the default, as floats.
void gltf_export_numbers_unless(gltf_exporter *exporter, double usual, const char *key,
                                const double *values, uint32_t count);
bool gltf_export_all_equal(const double *values, uint32_t count, double to);

// Named extras: 'extras' of an object, if there are any; or, for objects with other extras, whether
// there are any, and their members alone.

// `from` is the object of the file, or NULL. `written` are keys of members that the caller writes,
// and ends with NULL.
bool gltf_export_has_extras(const gltf_exporter *exporter, tenon_extra_of of, uint32_t index,
                            const tn_json_value *from);
void gltf_export_extras(gltf_exporter *exporter, tenon_extra_of of, uint32_t index,
                        const tn_json_value *from);
void gltf_export_extra_members(gltf_exporter *exporter, tenon_extra_of of, uint32_t index,
                               const tn_json_value *from, const char *const *written);

// -- What is written again of the file that the scene is from, in gltf_export_keep.c

bool gltf_export_begin_keeping(gltf_exporter *exporter);
void gltf_export_plan_kept(gltf_exporter *exporter);

// Whether a node of the file, by its `origin`, has instances.
bool gltf_export_has_instances(const gltf_exporter *exporter, uint32_t origin);

// Whether a node of the file, by its `origin`, is hidden: its mesh and skin are only kept.
bool gltf_export_is_hidden(const gltf_exporter *exporter, uint32_t origin);

// Whether the image is in the scene for extensions only.
bool gltf_export_is_kept_image(const gltf_exporter *exporter, uint32_t image);

// The object of the file that is the origin of one of the scene, or NULL.
const tn_json_value *gltf_export_kept_object(const gltf_exporter *exporter, gltf_list list,
                                             uint32_t origin);
const tn_json_value *gltf_export_kept_primitive(const gltf_exporter *exporter, uint32_t origin);
const tn_json_value *gltf_export_kept_channel(const gltf_exporter *exporter, uint32_t origin);

// The `origin` of a texture of a material, if the file's texture is still the same; else 0.
uint32_t gltf_export_texture_origin(const gltf_exporter *exporter, const tenon_texture *texture);

// Note that the output uses an extension of the file's list or another one.
void gltf_export_use_extension(gltf_exporter *exporter, tenon_str name, bool is_required);

// Decide what 'extensionsUsed' and 'extensionsRequired' list. In gltf_export_kept.c.
void gltf_export_plan_extensions(gltf_exporter *exporter);

// -- Its text, in gltf_export_kept.c

// The object 'extensions' is `begin`, members that the caller writes, and `end`, or all in one.
// With `has_own`, or if there are kept members, it is written. Returns whether it is.
bool gltf_export_begin_extensions(gltf_exporter *exporter, const tn_json_value *from, bool has_own);
void gltf_export_end_extensions(gltf_exporter *exporter, const tn_json_value *from);
void gltf_export_kept_extensions(gltf_exporter *exporter, const tn_json_value *from);

// Whether the writer of an object writes an extension of the file's object, from the scene.
bool gltf_export_is_own_extension(const tn_json_value *extension);

// Extensions and extras of an object whose extras are not in the scene.
void gltf_export_kept_members(gltf_exporter *exporter, const tn_json_value *from);

// A member as it is in the file, if it has it.
void gltf_export_kept_member(gltf_exporter *exporter, const tn_json_value *from, const char *key);

// Objects of a list that are copied from the file. `first` of them, `count` at most, are written as
// items of an array.
uint32_t gltf_export_copy_count(const gltf_exporter *exporter, gltf_list list);
void gltf_export_copies(gltf_exporter *exporter, gltf_list list, uint32_t first, uint32_t count);

void gltf_export_kept_attributes(gltf_exporter *exporter, const gltf_primitive *primitive);
void gltf_export_kept_channels(gltf_exporter *exporter, uint32_t origin, uint32_t sampler);
void gltf_export_kept_samplers(gltf_exporter *exporter, uint32_t origin);
void gltf_export_asset(gltf_exporter *exporter);
void gltf_export_extension_lists(gltf_exporter *exporter);

uint32_t gltf_export_scenes_before(const gltf_exporter *exporter);  // Copies before the scene.
const tn_json_value *gltf_export_kept_scene(const gltf_exporter *exporter);
const tn_json_value *gltf_export_kept_root(const gltf_exporter *exporter);
uint32_t gltf_export_kept_count(const gltf_exporter *exporter, gltf_list list);  // Of the file.

// Buffer views of what is kept, and their bytes.
uint32_t gltf_export_kept_view_count(const gltf_exporter *exporter);
void gltf_export_write_kept_view(gltf_exporter *exporter, uint32_t index);
bool gltf_export_kept_bytes(gltf_exporter *exporter);

// Whether the export itself writes extras of that name for such objects.
bool gltf_export_is_reserved_extra(const tenon_extra *extra);

#endif  // TN_FORMATS_GLTF_EXPORT_GLTF_EXPORT_H
