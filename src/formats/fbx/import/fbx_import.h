// fbx_import.h: what the files of the FBX import share.
// SPDX-License-Identifier: MIT
//
// Files of every version become the same objects, links and tracks (fbx_import_objects.c,
// fbx_import_old.c); everything after that knows no versions. Nothing in the file is trusted:
// counts come from the bytes that are there, indices are checked where they are used, and what
// hangs together in a cycle is cut.

#ifndef TN_FORMATS_FBX_IMPORT_FBX_IMPORT_H
#define TN_FORMATS_FBX_IMPORT_FBX_IMPORT_H

#include "core/text/name_tree.h"
#include "core/text/tally.h"
#include "formats/fbx/fbx_format.h"
#include "scene/model/scene_build.h"

// -- Objects

typedef enum fbx_kind {
    FBX_OTHER,
    FBX_MODEL,
    FBX_GEOMETRY,
    FBX_ATTRIBUTE,
    FBX_MATERIAL,
    FBX_TEXTURE,
    FBX_LAYERED_TEXTURE,
    FBX_VIDEO,
    FBX_DEFORMER,  // With its parts, "sub-deformers".
    FBX_STACK,
    FBX_LAYER,
    FBX_CURVE_NODE,
    FBX_CURVE,
    FBX_CONSTRAINT,
    FBX_CACHE,
    FBX_DISPLAY_LAYER,
} fbx_kind;

// The properties that objects of one class and kind have unless they say something else.
typedef struct fbx_template {
    tn_named named;  // The kind: "Node" for "FbxNode".
    tn_name_tree properties;
} fbx_template;

typedef struct fbx_object {
    fbx_kind kind;
    const tenon_fbx_node *node;
    tenon_str name;                    // Without its class.
    tenon_str type;                    // The kind of a model, deformer, …: "Mesh", "Skin".
    const tenon_fbx_node *properties;  // NULL: none.
    const fbx_template *defaults;      // NULL: none.
    const tenon_fbx_node *take;  // Before version 6: of a model, what the first take says. Or NULL.
    uint32_t index;  // Of what the importer keeps for it: in `models`, `geometries` or `textures`,
                     // or the material or, of a video, image of the scene; TENON_NONE: nothing.
    bool is_read;    // Of a video: it was tried.
} fbx_object;

// A child is part of its parent, or, if there is a property, is its value.
typedef struct fbx_link {
    uint32_t child, parent;  // Objects.
    tenon_str property;      // "" if there is none.
} fbx_link;

// The links of an object in the order of the file.
typedef struct fbx_links {
    const uint32_t *items;  // Indices of links.
    uint32_t count;
} fbx_links;

// -- Models: nodes of the hierarchy

typedef struct fbx_model {
    uint32_t object;
    uint32_t parent;  // A model that comes before this one; TENON_NONE: a root.
    double translation[3], rotation[3], scale[3];  // At rest, in the file's unit; degrees.
    double rotation_offset[3], rotation_pivot[3], scale_offset[3], scale_pivot[3];
    tn_quat before, after;  // Rotations before and after that of the curves.
    bool turns;             // Those rotations and the order of the axes count.
    uint32_t order;         // Of the axes.
    uint32_t inheritance;   // 0, 1, 2: see fbx_import_models.c.
    uint32_t donor;         // The model whose scale it inherits; TENON_NONE: none.
    bool is_scaled;         // Its scale is not 1 at some time, with those that it inherits.
    bool feeds_unscaled;    // A child needs its frame without scale.
    bool has_children;
    bool has_curves;  // That move it, in some clip.
    bool moves;       // It has, or a model above it.
    bool is_hidden;
    uint32_t node;      // The node of the scene that has the name; the frame without scale if there
    uint32_t scaled;    // is another node that scales. Else the same.
    tn_mat4 geometric;  // From its geometry to the model, in meters.
    tn_quat aim;        // Of the camera or light that it carries, relative to the model.
} fbx_model;

// -- Curves

typedef enum fbx_segment { FBX_HOLDS, FBX_HOLDS_NEXT, FBX_LINE, FBX_BEZIER } fbx_segment;

// A key, and the curve from it to the next one.
typedef struct fbx_key {
    double time;  // Seconds.
    float value;
    float right, left;                // Slopes, in units a second, here and at the next key.
    float right_weight, left_weight;  // Of the slopes, as shares of the time between the keys.
    uint8_t segment;                  // fbx_segment
} fbx_key;

typedef struct fbx_beyond {
    char type;      // 'C', 'R', 'A', 'M', 'K'.
    int64_t count;  // Repetitions; negative: without end.
} fbx_beyond;

typedef struct fbx_curve {
    const fbx_key *keys;
    uint32_t key_count;
    fbx_beyond before, after;
} fbx_curve;

// The curves of one property of one object in one layer of a clip.
typedef struct fbx_track {
    uint32_t object;
    tenon_str property;
    uint32_t layer;       // Of the clip; 0 is the base.
    fbx_curve curves[3];  // Without keys: the value is constant.
    double values[3];     // Those constants.
    uint32_t next;        // The track of the next layer for the same property; TENON_NONE: none.
    bool is_of_shape;     // It moves the percentage of a blend shape.
} fbx_track;

typedef enum fbx_blend { FBX_ADDS, FBX_REPLACES, FBX_MIXES } fbx_blend;

typedef struct fbx_clip_layer {
    uint32_t object;  // TENON_NONE in old files.
    double weight;    // 0 to 1.
    fbx_curve weights;
    uint32_t blend;
    bool turns_by_angle, adds_scales;
    bool is_alone;  // "Solo": the others do not count.
    bool is_muted;  // It does not count.
} fbx_clip_layer;

// An animation of the file: a stack with layers, or a take.
typedef struct fbx_clip {
    tenon_str name;
    uint32_t object;  // The stack; TENON_NONE in old files.
    bool has_range;
    double start, stop;  // Seconds.
    fbx_clip_layer *layers;
    uint32_t layer_count;
    fbx_track *tracks;  // In the order of objects, properties and layers.
    uint32_t track_count;
} fbx_clip;

// -- Geometries

// A target of a blend shape.
typedef struct fbx_shape {
    uint32_t object;  // TENON_NONE in old files, whose shape is `node`.
    const tenon_fbx_node *node;
    uint32_t channel;       // Index of its blend channel in the geometry.
    double full;            // The percentage of the channel at which it is complete.
    bool is_per_point;      // Its full weights are factors of its points, as Blender writes them:
    const double *factors;  // percentages.
    tenon_str name;
} fbx_shape;

typedef struct fbx_channel {
    uint32_t object;  // Whose property `property` is the percentage.
    tenon_str property;
    double percent;  // At rest.
    uint32_t first_shape, shape_count;
    uint32_t track;  // In the clip that is imported; TENON_NONE: none.
} fbx_channel;

typedef struct fbx_geometry {
    uint32_t object;
    fbx_shape *shapes;
    uint32_t shape_count;
    fbx_channel *channels;
    uint32_t channel_count;
    uint32_t user_count;  // Models that have it.
} fbx_geometry;

// -- The importer

// The texture coordinates of a texture: a set by its name, whose number is known when a mesh is
// read that has it.
typedef struct fbx_uv_use {
    tenon_str name;  // "": the first set.
    bool is_found;
} fbx_uv_use;

// A texture that some material uses.
typedef struct fbx_texture {
    tenon_str relative, absolute;  // Paths of its picture.
    tenon_texture place;           // Where it is on a mesh, without its picture.
    tenon_str set;                 // The name of its coordinates; "": the first ones.
    uint32_t image;                // Of the scene; TENON_NONE: none.
    bool has_image;                // `image` is known.
} fbx_texture;

// A picture that was made of two; TENON_NONE: that was not possible.
typedef struct fbx_joined {
    tn_named named;
    uint32_t image;
} fbx_joined;

// A node of the scene and another one that moves as it does.
typedef struct fbx_copy {
    uint32_t node, copy;
} fbx_copy;

// A node of the scene that has a mesh of a geometry.
typedef struct fbx_show {
    uint32_t node, geometry;
    uint32_t rest;  // The node of the model, which has the same place.
} fbx_show;

// What is reported at the end. The first ones change shapes or motion.
typedef enum fbx_unread {
    FBX_UNREAD_CURVES,
    FBX_UNREAD_SURFACES,
    FBX_UNREAD_GEOMETRY,
    FBX_UNREAD_SUBDIVISION,
    FBX_UNREAD_CACHES,
    FBX_UNREAD_CONSTRAINTS,
    FBX_UNREAD_DUAL_QUATERNIONS,
    FBX_UNREAD_CLUSTER_MODES,
    FBX_UNREAD_SKINS,
    FBX_UNREAD_MOVED_SKINS,
    FBX_UNREAD_VISIBILITY,
    FBX_UNREAD_SPHERIC,
    FBX_UNREAD_OMISSIONS,
    FBX_UNREAD_HIDDEN = FBX_UNREAD_OMISSIONS,
    FBX_UNREAD_LEVELS,
    FBX_UNREAD_HOLES,
    FBX_UNREAD_CREASES,
    FBX_UNREAD_HIDDEN_EDGES,
    FBX_UNREAD_SMOOTHING,
    FBX_UNREAD_TAKES,
    FBX_UNREAD_CURVES_BROKEN,
    FBX_UNREAD_CURVES_TWICE,
    FBX_UNREAD_PROPERTIES,
    FBX_UNREAD_LINKS,
    FBX_UNREAD_CYCLES,
    FBX_UNREAD_IDS,
    FBX_UNREAD_FACES,
    FBX_UNREAD_LAYERS,
    FBX_UNREAD_UV_SETS,
    FBX_UNREAD_COLOR_SETS,
    FBX_UNREAD_TEXTURES,
    FBX_UNREAD_TEXTURE_LAYERS,
    FBX_UNREAD_TEXTURE_TURNS,
    FBX_UNREAD_TEXTURE_SETS,
    FBX_UNREAD_JOINED,
    FBX_UNREAD_LIGHTS,
    FBX_UNREAD_BUMPS,
    FBX_UNREAD_CROSSING,
    FBX_UNREAD_FANS,
    FBX_UNREAD_UNBOUND,
    FBX_UNREAD_MOVED_TAKES,
    FBX_UNREAD_ROUGH_CLIPS,
    FBX_UNREAD_ENCODINGS,
    FBX_UNREAD_COUNT,
} fbx_unread;

typedef struct fbx_importer {
    tn_scene_builder *builder;
    const tenon_fbx *doc;
    uint32_t version;  // 7400
    bool is_old;       // Before 7.0.
    tn_arena scratch;  // Freed after the import.
    fbx_object *objects;
    uint32_t object_count;
    fbx_link *links;
    uint32_t link_count, link_room;
    uint32_t *by_child, *by_parent;          // Links, sorted.
    uint32_t *child_starts, *parent_starts;  // For each object and one more.
    uint32_t *roots;  // Models that are children of the scene, in the order of the file.
    uint32_t root_count;
    fbx_model *models;
    uint32_t model_count;
    fbx_geometry *geometries;
    uint32_t geometry_count;
    fbx_uv_use (*uv_uses)[TENON_SLOT_COUNT];  // Of each material of the scene.
    fbx_texture *textures;
    uint32_t texture_count;
    tn_name_tree videos;   // Those with a picture, by path: fbx_video
    tn_name_tree joined;   // fbx_joined
    uint64_t pixels_left;  // That may be decoded and joined.
    fbx_clip *clips;
    uint32_t clip_count;
    fbx_copy *copies;
    uint32_t copy_count, copy_room;
    fbx_show *shows;
    uint32_t show_count, show_room;
    tn_mat4 *rests;  // The places of the nodes of models at rest; NULL: not computed yet.
    uint32_t rest_count;
    uint32_t *bone_of;  // For each of these nodes: its bone in the skin that is imported, plus one.
    double unit;        // Meters.
    tn_quat turn;       // From the axes of the file to those of the scene.
    bool is_mirrored;   // The file is left-handed.
    bool is_blender;    // Blender wrote it.
    bool has_own_skins;  // In its program, the place of a skinned mesh moves nothing.
    double tick_rate;    // Ticks a second.
    tn_tally unread[FBX_UNREAD_COUNT];
} fbx_importer;

// Count what is reported at the end, with the name of the object (TENON_NONE: without).
void fbx_import_count(fbx_importer *importer, fbx_unread what, uint64_t count, uint32_t object);

// A name as UTF-8. Old programs write the code page of the computer, which files do not name: what
// is not UTF-8 is read as Windows-1252, so that different names stay different.
tenon_str fbx_import_text(fbx_importer *importer, tenon_str text);

// Zeroed memory that is freed after the import. NULL, and the import fails, if there is none.
void *fbx_import_alloc(fbx_importer *importer, uint64_t count, size_t size);

// Make room for one more item of a list in such memory, which doubles. False if the import failed.
bool fbx_import_grow(fbx_importer *importer, void **items, uint32_t count, uint32_t *room,
                     size_t size);
bool fbx_import_grow_in(fbx_importer *importer, tn_arena *arena, void **items, uint32_t count,
                        uint32_t *room, size_t size);

// The numbers of a node, in such memory. NULL, and the import fails, if they are damaged.
double *fbx_import_f64s(fbx_importer *importer, const tenon_fbx_node *node, uint64_t *count);
float *fbx_import_f32s(fbx_importer *importer, const tenon_fbx_node *node, uint64_t *count);
int32_t *fbx_import_i32s(fbx_importer *importer, const tenon_fbx_node *node, uint64_t *count);
int64_t *fbx_import_i64s(fbx_importer *importer, const tenon_fbx_node *node, uint64_t *count);

// -- Objects (fbx_import_objects.c)

bool fbx_import_objects(fbx_importer *importer);
bool fbx_import_index_links(fbx_importer *importer);
bool fbx_import_add_link(fbx_importer *importer, uint32_t child, uint32_t parent,
                         tenon_str property);
fbx_kind fbx_import_kind_of(tenon_str name);

fbx_links fbx_import_children(const fbx_importer *importer, uint32_t object);
fbx_links fbx_import_parents(const fbx_importer *importer, uint32_t object);

// The first child or parent of that kind, by a link without property; TENON_NONE: none.
uint32_t fbx_import_child_of(const fbx_importer *importer, uint32_t object, fbx_kind kind);
uint32_t fbx_import_parent_of(const fbx_importer *importer, uint32_t object, fbx_kind kind);

// -- Properties, of the object or else of its template (fbx_import_objects.c)

const tenon_fbx_node *fbx_import_property(const fbx_object *object, const char *name);
double fbx_import_property_number(const fbx_object *object, const char *name, double fallback);
bool fbx_import_property_vec3(const fbx_object *object, const char *name, double out[3]);

// The first value of a property; text and integer.
tenon_str fbx_import_property_text(const fbx_object *object, const char *name);
int64_t fbx_import_property_integer(const tenon_fbx_node *property, int64_t fallback);

// Keep a property as an extra, if it has a value.
void fbx_import_extra(fbx_importer *importer, tenon_extra_of of, uint32_t index,
                      const tenon_fbx_node *property);

// The places of all nodes of models in the scene at rest. NULL if the import failed.
const tn_mat4 *fbx_import_rests(fbx_importer *importer);

// A finite number; 0 for others.
double fbx_import_finite(double value);

// -- Parts of the import, each in its file

bool fbx_import_models(fbx_importer *importer);  // Without nodes.
bool fbx_import_clips(fbx_importer *importer);   // Without keys.
bool fbx_import_nodes(fbx_importer *importer);
void fbx_import_materials(fbx_importer *importer);
bool fbx_import_geometries(fbx_importer *importer);  // What deforms them.
void fbx_import_meshes(fbx_importer *importer);
void fbx_import_attributes(fbx_importer *importer);  // Cameras and lights.
void fbx_import_extras(fbx_importer *importer);      // What users added to models.
void fbx_import_animations(fbx_importer *importer);
void fbx_import_omissions(fbx_importer *importer);

#endif  // TN_FORMATS_FBX_IMPORT_FBX_IMPORT_H
