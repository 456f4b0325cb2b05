// gltf_export.h: a scene on its way to glTF.
// SPDX-License-Identifier: MIT
//
// Everything is planned first: which objects are written, as what, and where their bytes go. Then
// the text is measured and written from the plan, and the bytes are streamed from the scene's own
// arrays: there is no second copy of them, except where glTF forbids what they hold.

#ifndef TN_FORMATS_GLTF_EXPORT_GLTF_EXPORT_H
#define TN_FORMATS_GLTF_EXPORT_GLTF_EXPORT_H

#include "core/json/json_write.h"
#include "core/text/name_tree.h"
#include "exchange/export.h"

#include <tenon/files.h>

// -- What is lost, in gltf_export_losses.c

typedef enum gltf_lost {
    GLTF_LOST_PARTS,
    GLTF_LOST_TAILS,
    GLTF_LOST_MESHES,
    GLTF_LOST_WEIGHTS,
    GLTF_LOST_COLORS,
    GLTF_LOST_COLOR_SETS,
    GLTF_LOST_UV_GAPS,
    GLTF_LOST_TANGENTS,
    GLTF_LOST_PLACES,
    GLTF_LOST_SHEAR,
    GLTF_LOST_PROJECTION,
    GLTF_LOST_ROOTS,
    GLTF_LOST_TWINS,
    GLTF_LOST_SKELETONS,
    GLTF_LOST_BINDS,
    GLTF_LOST_SKINS,
    GLTF_LOST_MATERIALS,
    GLTF_LOST_NUMBERS,
    GLTF_LOST_HIGHLIGHTS,
    GLTF_LOST_SLOTS,
    GLTF_LOST_TEXTURES,
    GLTF_LOST_NORMAL_TEXTURES,
    GLTF_LOST_PICTURES_MISSING,
    GLTF_LOST_PICTURES_OUTSIDE,
    GLTF_LOST_PICTURES_UNLOADED,
    GLTF_LOST_PICTURES_UNSEEN,
    GLTF_LOST_PICTURES_BROKEN,
    GLTF_LOST_PICTURES_UNCODED,
    GLTF_LOST_ANIMATIONS,
    GLTF_LOST_CAMERAS,
    GLTF_LOST_CAMERA_NUMBERS,
    GLTF_LOST_LIGHTS,
    GLTF_LOST_LIGHT_NUMBERS,
    GLTF_LOST_EXTRAS,
    GLTF_LOST_COUNT,
} gltf_lost;

// -- What is planned. All indices are of the output, unless they are called sources.

// The streams of numbers; each that is used is one buffer view.
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
    GLTF_TURNS,
    GLTF_STREAM_COUNT,
} gltf_stream;

typedef struct gltf_accessor {
    gltf_stream stream;
    uint32_t count;       // Elements.
    const void *data;     // Floats; 32-bit indices; 16-bit joints.
    uint32_t row;         // Numbers from one element to the next in `data`.
    uint32_t next;        // The next one in the same view; TENON_NONE: none.
    uint64_t offset;      // Bytes, in its view.
    const float *bounds;  // The least of each number, then the most; NULL: not told.
} gltf_accessor;

typedef struct gltf_view {
    uint32_t first, last;  // Accessors; TENON_NONE: there are none.
    uint32_t index;        // Among the views that are written.
    uint64_t offset, size;
} gltf_view;

typedef struct gltf_primitive {
    const tenon_primitive *source;
    uint32_t material;
    uint32_t indices, positions, normals, tangents, uvs[TENON_UV_SETS], colors[TENON_COLOR_SETS];
    uint32_t set_count;        // Of four influences each.
    uint32_t joints, weights;  // Of the first set; those of the others follow.
} gltf_primitive;

typedef struct gltf_mesh {
    uint32_t source;
    uint32_t first, count;  // Primitives.
} gltf_mesh;

typedef struct gltf_node {
    tenon_str name;
    uint32_t source;  // Whose extras it has; TENON_NONE: it was made up.
    uint32_t parent, first_child, last_child, next_sibling;
    uint32_t mesh, skin, camera, light;
    bool is_stray_joint;  // No skin tells that it is a joint.
    double translation[3], rotation[4], scale[3];
} gltf_node;

typedef struct gltf_skin {
    uint32_t source, skeleton, binds;
    uint32_t *joints;
} gltf_skin;

// A material, with those of its textures that the meshes it is on can have.
typedef struct gltf_material {
    uint32_t source;
    uint32_t slots;  // Bits.
    uint32_t next;   // Another one of the same source.
} gltf_material;

// Bytes of a picture that was converted, in a block of their own.
typedef struct gltf_picture_block {
    struct gltf_picture_block *next;
    size_t size, room;
    uint8_t bytes[];
} gltf_picture_block;

typedef enum gltf_image_kind {
    GLTF_IMAGE_UNUSED,
    GLTF_IMAGE_WANTED,  // It is not known yet how it is written.
    GLTF_IMAGE_LOST,
    GLTF_IMAGE_NAMED,   // By a URI.
    GLTF_IMAGE_STORED,  // In the buffer.
} gltf_image_kind;

typedef struct gltf_image {
    gltf_image_kind kind;
    uint32_t index;     // Among the images that are written.
    uint32_t view;      // Of stored ones that share none.
    const char *uri;    // As it is written.
    const char *named;  // For extras, where it is not written as a texture; NULL: it has no path.
    const char *mime;   // Of stored ones.
    bool is_flipped;    // Its rows are still from the bottom: textures turn it.
    gltf_lost why;      // Of lost ones.
    uint32_t shared;    // The image whose buffer view it has, too; TENON_NONE: it has one itself.
    uint64_t offset, size;
    const uint8_t *bytes;              // As they were found; or, if it was converted,
    gltf_picture_block *first, *last;  // in pieces.
    tenon_bytes loaded;
} gltf_image;

typedef struct gltf_texture {
    uint32_t image;  // A source.
    uint32_t wraps;  // Both of them: 3 * first + second.
} gltf_texture;

typedef struct gltf_animation {
    uint32_t source;
    uint32_t *times, *values;  // Accessors, for each channel.
} gltf_animation;

enum { GLTF_WRAPS = 9, GLTF_EXTRA_KINDS = 5 };

// Of what is known: the streams, and one tag for each kind of object that has extras.
enum { GLTF_TAG_EXTRA = GLTF_STREAM_COUNT, GLTF_TAG_COUNT = GLTF_TAG_EXTRA + GLTF_EXTRA_KINDS };

// What textures are called, by slot: those of glTF, and in extras the others and those lost.
extern const char *const gltf_texture_keys[TENON_SLOT_COUNT];

// What has been seen, to find it again; in gltf_export_seen.c.
typedef struct gltf_known {
    tn_name_tree places;
    tn_name_tree contents[GLTF_TAG_COUNT];
} gltf_known;

typedef struct gltf_exporter {
    const tn_export *e;
    const tenon_scene *scene;
    bool failed;
    tn_tally losses[GLTF_LOST_COUNT];
    gltf_known known;

    gltf_node *nodes;
    uint32_t node_count, node_room;
    uint32_t *inner;  // For each source: the node that has its whole transform.
    gltf_mesh *meshes;
    uint32_t mesh_count, mesh_room;
    uint32_t *plain, *skinned;  // For each source, without and with weights.
    gltf_primitive *primitives;
    uint32_t primitive_count, primitive_room;
    uint32_t *joint_marks;  // For each joint: a mark, and where it was found.
    uint32_t mark;
    struct gltf_made *made_tangents;
    gltf_skin *skins;
    uint32_t skin_count;
    uint32_t *skin_of;  // For each source.
    gltf_material *materials;
    uint32_t material_count, material_room;
    uint32_t *material_of;  // For each source, the first.
    gltf_image *images;     // For each source.
    uint32_t image_count;
    gltf_texture *textures;
    uint32_t texture_count, texture_room;
    uint32_t *texture_of;  // For each source image and way of wrapping.
    uint32_t sampler_of[GLTF_WRAPS], sampler_count;
    bool has_transforms, has_unlit, has_strengths;  // Extensions of materials.
    gltf_animation *animations;
    uint32_t animation_count;
    tenon_camera *cameras;
    tenon_light *lights;
    uint32_t camera_count, light_count, *camera_of, *light_of;
    uint32_t *extras_of[GLTF_EXTRA_KINDS], *next_extra;

    gltf_accessor *accessors;
    uint32_t accessor_count, accessor_room;
    gltf_view views[GLTF_STREAM_COUNT];
    uint32_t view_count;
    uint64_t buffer_size;
    const char *buffer_uri;  // NULL: it is in the same file.

    tn_json_writer json;
} gltf_exporter;

// -- Shared, in gltf_export.c

// Zeroed memory; NULL, and the writer fails, if there is none.
void *gltf_alloc(gltf_exporter *w, uint64_t count, size_t size);

// `count` indices that are TENON_NONE.
uint32_t *gltf_alloc_indices(gltf_exporter *w, uint64_t count);

// Make room for one more item of `size` bytes. Returns its index; TENON_NONE if the writer failed.
uint32_t gltf_grow(gltf_exporter *w, void **items, uint32_t *count, uint32_t *room, size_t size);

// Something is lost. `list` and `index` say where it is: "meshes", 3.
void gltf_report_loss(gltf_exporter *w, gltf_lost what, uint64_t count, const char *list,
                      uint32_t index);
void gltf_report_losses(const gltf_exporter *w);

// -- What has been seen, in gltf_export_seen.c

// The number kept for this key, to be read and set; TENON_NONE if it is new. NULL if the writer
// failed. `tag` keeps keys of different kinds apart.
uint32_t *gltf_know(gltf_exporter *w, uint32_t tag, const void *a, const void *b, uint32_t count,
                    uint32_t each);

// The same by content. The bytes must stay where they are.
uint32_t *gltf_know_bytes(gltf_exporter *w, uint32_t tag, const void *bytes, uint64_t size);

// -- Streams, in gltf_export_streams.c

uint32_t gltf_add_accessor(gltf_exporter *w, gltf_stream stream, const void *data, uint32_t count,
                           uint32_t row);

// An accessor of numbers side by side; the one there is if there is one of the same numbers.
uint32_t gltf_share_accessor(gltf_exporter *w, gltf_stream stream, const float *data,
                             uint32_t count);

// Place everything in the buffer, and write it there.
void gltf_place_streams(gltf_exporter *w);
bool gltf_export_buffer(gltf_exporter *w);

// Numbers of an element of the stream.
uint32_t gltf_stream_width(gltf_stream stream);

void gltf_put_accessors(gltf_exporter *w);
void gltf_put_views(gltf_exporter *w);

// -- Objects

// The mesh of that source, whose weights are written if `is_skinned`; TENON_NONE: it is empty.
uint32_t gltf_mesh_for(gltf_exporter *w, uint32_t source, bool is_skinned);
void gltf_end_meshes(gltf_exporter *w);
void gltf_put_meshes(gltf_exporter *w);

// What is written of the vertices, in gltf_export_vertices.c. `count` of them are drawn.
uint32_t gltf_positions_of(gltf_exporter *w, const float *positions, uint32_t count);
uint32_t gltf_colors_of(gltf_exporter *w, const float *colors, uint32_t count, uint32_t mesh);
void gltf_influences_of(gltf_exporter *w, gltf_primitive *out, uint32_t count);

// Tangents for primitives with a normal texture and none of their own, once it is known which
// textures there are.
void gltf_add_tangents(gltf_exporter *w);

void gltf_plan_nodes(gltf_exporter *w);
void gltf_put_nodes(gltf_exporter *w);

// Skins, once the nodes of the scene are there; in gltf_export_skins.c.
void gltf_plan_skins(gltf_exporter *w, const bool *is_used);
void gltf_put_skins(gltf_exporter *w);
uint32_t gltf_add_node(gltf_exporter *w, tenon_str name, uint32_t parent);

// The material with those textures only that `slots` (bits) allows.
uint32_t gltf_material_for(gltf_exporter *w, uint32_t source, uint32_t slots);
void gltf_end_materials(gltf_exporter *w);
bool gltf_has_texture(const gltf_exporter *w, const gltf_material *m, uint32_t slot);
void gltf_put_materials(gltf_exporter *w);
void gltf_put_textures(gltf_exporter *w);

void gltf_plan_images(gltf_exporter *w);
void gltf_put_images(gltf_exporter *w);
void gltf_free_images(gltf_exporter *w);
bool gltf_export_image(const gltf_exporter *w, const gltf_image *image);  // Its bytes.
bool gltf_has_view(const gltf_image *image);                              // For it alone.

// Names of pictures, in gltf_export_names.c. Each is NULL if the writer failed.

// A path relative to the model's folder, or to the output's, as a URI. Of one that starts at a root
// or a drive only the last part is taken.
const char *gltf_uri_of(gltf_exporter *w, tenon_str path, bool is_beside_output);

// The name for a new file beside the output, which no other has. `extension` has a dot.
const char *gltf_sidecar_name(gltf_exporter *w, const tenon_image *image, const char *extension);

// Do not give away that name.
void gltf_reserve_name(gltf_exporter *w, tenon_str name);

// The last part of a path.
tenon_str gltf_base_name(tenon_str path);

void gltf_plan_animations(gltf_exporter *w);
void gltf_put_animations(gltf_exporter *w);

void gltf_plan_cameras(gltf_exporter *w);
void gltf_put_cameras(gltf_exporter *w);
void gltf_put_lights(gltf_exporter *w);

// -- Text

void gltf_put_text(gltf_exporter *w);

void gltf_put_name(gltf_exporter *w, tenon_str name);
void gltf_put_index(gltf_exporter *w, const char *key, uint32_t index);  // Unless TENON_NONE.
void gltf_put_number(gltf_exporter *w, const char *key, double value);
void gltf_put_numbers(gltf_exporter *w, const char *key, const double *values, uint32_t count);
void gltf_open_object(gltf_exporter *w, const char *key);  // NULL: as an item of an array.
void gltf_open_array(gltf_exporter *w, const char *key);
void gltf_close_object(gltf_exporter *w);
void gltf_close_array(gltf_exporter *w);
bool gltf_all_equal(const double *values, uint32_t count, double to);  // As floats.

// Named extras, in gltf_export_extras.c: the member of an object, if there are any; or, for objects
// with extras of the writer's own, whether there are any, and the members of the member.
void gltf_plan_extras(gltf_exporter *w);
void gltf_put_extras(gltf_exporter *w, tenon_extra_of of, uint32_t index);
bool gltf_has_extras(const gltf_exporter *w, tenon_extra_of of, uint32_t index);
void gltf_put_extra_members(gltf_exporter *w, tenon_extra_of of, uint32_t index);

#endif  // TN_FORMATS_GLTF_EXPORT_GLTF_EXPORT_H
