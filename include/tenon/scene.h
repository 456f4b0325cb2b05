// scene.h: what a model means, whatever file it came from.
// SPDX-License-Identifier: MIT
//
// Quick tour:
//
//     tenon_scene *scene = tenon_import_file("crane.gpb", NULL, NULL, &err);
//     tenon_pose *pose = tenon_pose_new(scene, NULL, &err);
//     tenon_pose_set(pose, 0, 0.5);                       // Half a second into the first clip.
//     tenon_pose_skin(pose, node, 0, positions, NULL);    // Where its vertices are then.
//     tenon_export_opts to = {.format = "bbmod"};
//     tenon_export_file(scene, "crane.bbmod", &to, NULL, &err);
//
// One set of conventions, those of glTF: right-handed, +Y up, meters, seconds, radians; front faces
// counter-clockwise; texture coordinates from the top left; matrices column-major, for column
// vectors; quaternions x, y, z, w; colors linear.
//
// A scene consists of flat arrays and indices. These rules hold for every scene from
// tenon_to_scene(), and tenon_scene_check() checks them for scenes from elsewhere:
//
// * Every index is in range or TENON_NONE, every pointer that has a count beside it is valid.
// * Parents come before their children.
// * Every number is finite, every rotation has length 1, every text is UTF-8 without NULs.
// * Weights are not negative and add up to 1 for every vertex of a skinned mesh.
// * Times of keys grow strictly. A node with a matrix is not moved by an animation.

#ifndef TENON_SCENE_H
#define TENON_SCENE_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_UV_SETS    8
#define TENON_COLOR_SETS 2

// -- Nodes

typedef struct tenon_node {
    tenon_str name;
    uint32_t parent;                               // Less than the index of the node.
    bool has_matrix;                               // `matrix` instead of the three below it.
    double matrix[16];                             // Relative to the parent.
    double translation[3], rotation[4], scale[3];  // Scale first, then rotation.
    uint32_t mesh, skin, camera, light;            // TENON_NONE: it has none.
    bool is_joint;                                 // The file calls it a joint or bone.
    double *morph_weights;  // At rest: `morph_count` of its mesh; NULL: those of the mesh.
    uint32_t origin;        // See tenon_scene.
} tenon_node;

// -- Meshes

// What the vertices of a primitive form; the values are those of glTF.
typedef enum tenon_mode {
    TENON_POINTS,
    TENON_LINES,
    TENON_LINE_LOOP,
    TENON_LINE_STRIP,
    TENON_TRIANGLES,
    TENON_TRIANGLE_STRIP,
    TENON_TRIANGLE_FAN,
} tenon_mode;

// How one morph target moves the vertices of a primitive: the streams plus weight times these, of
// each target. 3 each; NULL: it does not change them. There are no normals or tangents if the
// primitive has none.
typedef struct tenon_morph {
    float *positions, *normals, *tangents;
} tenon_morph;

// A part of a mesh with one material. Missing streams are NULL.
typedef struct tenon_primitive {
    tenon_mode mode;
    uint32_t material;  // TENON_NONE: it has none.
    uint32_t vertex_count;
    float *positions;                 // 3 each; NULL only if there are no vertices.
    float *normals;                   // 3 each, of length 1.
    float *tangents;                  // 4 each: a direction of length 1; w, 1 or -1, is the side.
    float *uvs[TENON_UV_SETS];        // 2 each.
    float *colors[TENON_COLOR_SETS];  // 4 each.
    uint32_t influence_count;         // Of each vertex: a multiple of 4; 0: it is not skinned.
    uint16_t *joints;                 // Indices into the joints of the skin.
    float *weights;                   // Unused ones are joint 0 with weight 0.
    uint32_t index_count;
    uint32_t *indices;        // NULL: vertices in their order.
    uint32_t polygon_count;   // Polygons of the file, which were triangulated.
    uint32_t *polygon_sizes;  // Triangles of each, in order; NULL: the file has triangles.
    uint32_t morph_count;     // That of its mesh; 0: no morph target moves it.
    tenon_morph *morphs;
    uint32_t origin;  // See tenon_scene.
} tenon_primitive;

typedef struct tenon_mesh {
    tenon_str name;
    uint32_t primitive_count;
    tenon_primitive *primitives;
    uint32_t morph_count;    // Morph targets, also called blend shapes or shape keys.
    tenon_str *morph_names;  // May be empty.
    double *morph_weights;   // At rest.
    uint32_t origin;         // See tenon_scene.
} tenon_mesh;

// Morph targets apply before skins. A vertex of a skinned mesh is moved by the sum of weight *
// global(joint) * inverse bind: the node that has the mesh does not matter.
typedef struct tenon_skin {
    tenon_str name;
    uint32_t root;  // A node above all joints; TENON_NONE: unknown.
    uint32_t joint_count;
    uint32_t *joints;      // Nodes.
    float *inverse_binds;  // 16 for each joint.
    uint32_t origin;       // See tenon_scene.
} tenon_skin;

// -- Materials

// What a texture is for. The first five are those of glTF.
typedef enum tenon_slot {
    TENON_SLOT_BASE_COLOR,
    TENON_SLOT_METALLIC_ROUGHNESS,  // Roughness in green, metalness in blue.
    TENON_SLOT_NORMAL,
    TENON_SLOT_OCCLUSION,
    TENON_SLOT_EMISSIVE,
    TENON_SLOT_SPECULAR,
    TENON_SLOT_DISPLACEMENT,
    TENON_SLOT_LIGHT_MAP,
    TENON_SLOT_COUNT,
} tenon_slot;

// The word for a slot, for example "base color".
TENON_API const char *tenon_slot_word(tenon_slot slot);

typedef enum tenon_wrap { TENON_REPEAT, TENON_CLAMP, TENON_MIRROR } tenon_wrap;

typedef struct tenon_texture {
    uint32_t image;              // TENON_NONE: none.
    uint32_t uv_set;             // Which texture coordinates it uses.
    double offset[2], scale[2];  // Of the coordinates: scaled, then rotated, then moved.
    double rotation;
    tenon_wrap wrap[2];
    uint32_t origin;  // See tenon_scene.
} tenon_texture;

// A picture: a file, or its bytes.
typedef struct tenon_image {
    tenon_str name;
    tenon_str path;  // Relative to the model's folder, with '/'; empty if there is only `data`.
    const uint8_t *data;  // The bytes of a PNG, JPEG, DDS or TGA file; NULL: the file at the path.
    uint64_t size;
    bool flip_y;  // The rows of the file go from the bottom up, as in DDS files made for OpenGL.
    bool is_only_named;  // It was missing when the file was written, which stores its name in
                         // extras.
    uint32_t origin;     // See tenon_scene.
} tenon_image;

typedef enum tenon_alpha { TENON_OPAQUE, TENON_MASK, TENON_BLEND } tenon_alpha;

typedef struct tenon_material {
    tenon_str name;
    double base_color[4];
    double metallic, roughness;
    double emissive[3];
    double normal_scale, occlusion_strength;
    tenon_alpha alpha;
    double alpha_cutoff;  // Of TENON_MASK.
    bool double_sided;
    bool is_unlit;
    // Of formats without metalness; the base color is their diffuse color.
    bool is_classic;
    double specular[3], shininess;  // The exponent of the highlight, from 1 on.
    tenon_texture textures[TENON_SLOT_COUNT];
    uint32_t origin;  // See tenon_scene.
} tenon_material;

// -- Animations

typedef enum tenon_target {
    TENON_TRANSLATION,
    TENON_ROTATION,
    TENON_SCALE,
    TENON_WEIGHTS,  // Of the morph targets of the node's mesh.
} tenon_target;
typedef enum tenon_curve { TENON_LINEAR, TENON_STEP, TENON_CUBIC } tenon_curve;

// How one property of one node changes. Rotations between linear keys have constant speed and take
// the shorter way. Before the first and after the last key values are constant.
typedef struct tenon_channel {
    uint32_t node;
    tenon_target target;
    tenon_curve curve;
    uint32_t key_count;  // At least 1.
    float *times;        // Seconds, from 0 on.
    float *values;       // 3 each, 4 for rotations, `weight_count` for TENON_WEIGHTS; three times
                         // that for TENON_CUBIC: tangents in, values, tangents out.
    uint32_t weight_count;  // Of TENON_WEIGHTS: `morph_count` of the mesh of its node; else 0.
    uint32_t origin;        // See tenon_scene.
} tenon_channel;

typedef struct tenon_event {
    double time;
    tenon_str name;
} tenon_event;

typedef struct tenon_animation {
    tenon_str name;
    double duration;  // Seconds; no key comes later.
    uint32_t channel_count;
    tenon_channel *channels;  // At most one for each node and target.
    uint32_t event_count;
    tenon_event *events;
    uint32_t origin;  // See tenon_scene.
} tenon_animation;

// -- Cameras and lights, which look along -Z of their nodes

typedef struct tenon_camera {
    tenon_str name;
    bool is_orthographic;
    double field_of_view;            // Vertical.
    double aspect_ratio;             // 0: that of the window.
    double half_width, half_height;  // Orthographic: half of what is seen.
    double near_plane, far_plane;    // 0 for the far one: infinite.
    uint32_t origin;                 // See tenon_scene.
} tenon_camera;

typedef enum tenon_light_kind {
    TENON_DIRECTIONAL_LIGHT,
    TENON_POINT_LIGHT,
    TENON_SPOT_LIGHT,
} tenon_light_kind;

typedef struct tenon_light {
    tenon_str name;
    tenon_light_kind kind;
    double color[3], intensity;
    double range;                     // 0: infinite.
    double inner_angle, outer_angle;  // Of a spot, from its axis.
    uint32_t origin;                  // See tenon_scene.
} tenon_light;

// -- Extras: what only some formats can hold, by name

typedef enum tenon_extra_of {
    TENON_EXTRA_OF_SCENE,
    TENON_EXTRA_OF_NODE,
    TENON_EXTRA_OF_MESH,
    TENON_EXTRA_OF_MATERIAL,
    TENON_EXTRA_OF_ANIMATION,
} tenon_extra_of;

// For example "collision_shape" of a mesh: "box/1/2/1".
typedef struct tenon_extra {
    tenon_extra_of of;
    uint32_t index;  // Of the object; 0 for the scene.
    tenon_str name, value;
} tenon_extra;

// -- Omissions

// Something in the file about shapes or motion that the scene cannot represent, for example a cache
// of points. A scene with omissions differs from its file: tenon_verify() never calls it verified.
typedef struct tenon_omission {
    tenon_str feature;  // "point caches"
    tenon_str why;      // What happened to it.
    uint64_t count;
    tenon_str path;  // Of the first, in the file; may be empty.
} tenon_omission;

// -- The scene

// `origin`: the number of an object in its file, plus 1, for exports to that format; 0: none.
typedef struct tenon_scene {
    tenon_str name;
    uint32_t node_count;
    tenon_node *nodes;
    uint32_t mesh_count;
    tenon_mesh *meshes;
    uint32_t skin_count;
    tenon_skin *skins;
    uint32_t material_count;
    tenon_material *materials;
    uint32_t image_count;
    tenon_image *images;
    uint32_t animation_count;
    tenon_animation *animations;
    uint32_t camera_count;
    tenon_camera *cameras;
    uint32_t light_count;
    tenon_light *lights;
    uint32_t extra_count;
    tenon_extra *extras;
    uint32_t omission_count;
    tenon_omission *omissions;
    const tenon_format *source;  // The format it was imported from; NULL: not a file.
    const struct tn_kept *kept;  // Private: what only that format holds.
    uint32_t edited;             // Private: what edits have changed, which limits what is kept.
    struct tenon_scene_owner *owner;  // Private.
} tenon_scene;

// A file that belongs to a model: an animation, whose name is that of its clip.
typedef struct tenon_companion {
    const tenon_doc *doc;
    const char *name;
} tenon_companion;

struct tenon_draco_mesh;  // See gltf.h.

typedef struct tenon_scene_opts {
    tenon_allocator allocator;
    tenon_events events;                // Progress and losses.
    uint64_t max_memory;                // Bytes a scene may own (the budget, else 64
                                        // MiB + 64 times the input).
    const char *model_path;             // The model's file, to look beside it; NULL: do not look.
    const struct tenon_files *files;    // NULL: the system's.
    const tenon_companion *companions;  // Animations of a BBMOD model.
    uint32_t companion_count;
    double rate;   // Ticks or frames per second, if the file does not store it (the format's).
    bool salvage;  // Leave out and report damaged parts instead of failing.
    // See tenon_draco_fn in gltf.h; NULL: files that require Draco are refused.
    bool (*decode_draco)(void *user, const struct tenon_draco_mesh *meshes, uint32_t count,
                         tenon_error *err);
    void *draco_user;
    uint64_t reserved[6];  // Zeros: room for what later versions add.
} tenon_scene_opts;

// Import a document, which may be freed afterwards. Returns NULL on failure; free the result with
// tenon_scene_free().
// What only glTF holds is kept for exports to glTF, and a loss of other exports.
TENON_API tenon_scene *tenon_to_scene(const tenon_doc *doc, const tenon_scene_opts *opts,
                                      tenon_error *err);

// Read a model's file and import it together with its sidecars: materials and metadata, as
// tenon_to_scene() does with a `model_path`, and the animations of a BBMOD model,
// "MODEL_CLIP.bbanim", unless `opts->companions` are given. An animation that cannot be read or
// does not fit the model is left out, and reported to `opts->events`.
//
// `opts->model_path` is not used; `format`, `dialect` and `name` of `read_opts` apply to the model
// only. Returns NULL on failure; free the result with tenon_scene_free(), it borrows nothing.
TENON_API tenon_scene *tenon_import_file(const char *path, const tenon_read_opts *read_opts,
                                         const tenon_scene_opts *opts, tenon_error *err);

// The same for a document that was read from the file `opts->model_path`; NULL: it has no sidecars.
TENON_API tenon_scene *tenon_import(const tenon_doc *doc, const tenon_read_opts *read_opts,
                                    const tenon_scene_opts *opts, tenon_error *err);

// An empty scene, to be filled with the functions below. Of the options, `allocator` and
// `max_memory` (no limit) are used.
TENON_API tenon_scene *tenon_scene_new(const tenon_scene_opts *opts, tenon_error *err);

// Zeroed memory that lives as long as the scene; NULL if out of memory.
TENON_API void *tenon_scene_alloc(tenon_scene *scene, size_t size);

// Free a scene and everything it owns. Does nothing for NULL.
TENON_API void tenon_scene_free(tenon_scene *scene);

// Whether the rules at the top of this file hold. If not, `err` has the first violation and its
// path.
TENON_API bool tenon_scene_check(const tenon_scene *scene, tenon_error *err);

// -- Building

// Add an object with defaults: identity transforms, a white material without textures, lists of
// triangles without a material. Returns its index; change the rest in the lists of the scene, to
// which pointers are valid until the next object is added. Names are copied, NULL is "".
//
// If one of these functions fails, for lack of memory or because of an index that does not exist,
// it returns TENON_NONE or NULL, which the others accept, and tenon_scene_finish() says so: a
// program can build a model and look for errors once, at the end.
TENON_API uint32_t tenon_scene_add_node(tenon_scene *scene, const char *name, uint32_t parent);
TENON_API uint32_t tenon_scene_add_mesh(tenon_scene *scene, const char *name);
TENON_API uint32_t tenon_scene_add_material(tenon_scene *scene, const char *name);
TENON_API uint32_t tenon_scene_add_animation(tenon_scene *scene, const char *name);
TENON_API uint32_t tenon_scene_add_camera(tenon_scene *scene, const char *name);
TENON_API uint32_t tenon_scene_add_light(tenon_scene *scene, const char *name);

// Streams that a primitive has besides positions; bits.
enum {
    TENON_WITH_NORMALS = 1 << 0,
    TENON_WITH_TANGENTS = 1 << 1,
    TENON_WITH_UV0 = 1 << 2,
    TENON_WITH_UV1 = 1 << 3,
    TENON_WITH_COLOR = 1 << 4,
    TENON_WITH_SKIN = 1 << 5,  // Four influences of each vertex.
};

// Add a primitive to a mesh, with zeroed arrays to be filled in: positions, what `streams` says,
// and indices, if there are any.
TENON_API tenon_primitive *tenon_scene_add_primitive(tenon_scene *scene, uint32_t mesh,
                                                     uint32_t vertex_count, uint32_t index_count,
                                                     uint32_t streams);

// Add a morph target to a mesh, with a weight of 0 at rest. Returns its number in the mesh.
TENON_API uint32_t tenon_scene_add_morph(tenon_scene *scene, uint32_t mesh, const char *name);

// Let a morph target of a mesh move one of its primitives: zeroed offsets to be filled in, of
// positions and of the normals and tangents that `streams` says. NULL on failure.
TENON_API tenon_morph *tenon_scene_add_offsets(tenon_scene *scene, uint32_t mesh,
                                               uint32_t primitive, uint32_t morph,
                                               uint32_t streams);

// Give a node weights of its own at rest, which are those of its mesh until they are changed. NULL
// on failure, and if the mesh has no morph targets.
TENON_API double *tenon_scene_add_weights(tenon_scene *scene, uint32_t node);

// Add a skin whose joints are these nodes. Vertices are bound to the nodes as they are now, if
// `inverse_binds` (16 for each joint) is NULL.
TENON_API uint32_t tenon_scene_add_skin(tenon_scene *scene, const char *name,
                                        const uint32_t *joints, uint32_t joint_count,
                                        const float *inverse_binds);

// Add a picture: the bytes of its file, which are copied, or its path, if `data` is NULL.
TENON_API uint32_t tenon_scene_add_image(tenon_scene *scene, const char *path, const void *data,
                                         uint64_t size);

// Add a channel to an animation, with zeroed keys to be filled in. A node with TENON_WEIGHTS needs
// a mesh with all its morph targets before.
TENON_API tenon_channel *tenon_scene_add_channel(tenon_scene *scene, uint32_t animation,
                                                 uint32_t node, tenon_target target,
                                                 tenon_curve curve, uint32_t key_count);

TENON_API bool tenon_scene_add_event(tenon_scene *scene, uint32_t animation, double seconds,
                                     const char *name);
TENON_API bool tenon_scene_add_extra(tenon_scene *scene, tenon_extra_of of, uint32_t index,
                                     const char *name, const char *value);

// Make the rules at the top of this file hold for a scene that was built or changed: rotations and
// weights are normalized, durations cover their keys, materials and pictures that nothing uses are
// removed. Of the options, only `events` are used: what had to be changed is reported as it is
// for files. Returns false if something could not be added, or if out of memory.
//
// A node, mesh or material of zeros is valid: texts of NULL become "", a rotation of zeros becomes
// none and a scale of zeros beside it 1, a texture with a scale of zeros none, and a node that is
// all zeros, but for its translation, has no parent and shows nothing. In other nodes an index of 0
// is the first object; TENON_NONE says that there is none.
TENON_API bool tenon_scene_finish(tenon_scene *scene, const tenon_scene_opts *opts,
                                  tenon_error *err);

// -- Finding by name

// The first object of that name, or TENON_NONE. Also for NULL.
TENON_API uint32_t tenon_find_node(const tenon_scene *scene, const char *name);
TENON_API uint32_t tenon_find_mesh(const tenon_scene *scene, const char *name);
TENON_API uint32_t tenon_find_material(const tenon_scene *scene, const char *name);
TENON_API uint32_t tenon_find_animation(const tenon_scene *scene, const char *name);

// The value of that extra of an object, NUL-terminated, or NULL if it has none.
TENON_API const char *tenon_find_extra(const tenon_scene *scene, tenon_extra_of of, uint32_t index,
                                       const char *name);

// The value of a channel at that time: 3 numbers and 0, or 4 for a rotation. A channel without
// keys, one of weights, and NULL, give zeros.
TENON_API void tenon_channel_sample(const tenon_channel *channel, double seconds, double value[4]);

// The weight of one morph target at that time. A channel without keys or without that target, one
// that is not TENON_WEIGHTS, and NULL, give 0.
TENON_API double tenon_channel_sample_weight(const tenon_channel *channel, uint32_t morph,
                                             double seconds);

// -- Poses

// A scene at one moment. Create it once for a scene; setting it and skinning do not allocate.
typedef struct tenon_pose tenon_pose;

// A pose at rest. Returns NULL if out of memory. `allocator` may be NULL. The scene must outlive
// the pose and must not change.
TENON_API tenon_pose *tenon_pose_new(const tenon_scene *scene, const tenon_allocator *allocator,
                                     tenon_error *err);

// Free a pose. Does nothing for NULL.
TENON_API void tenon_pose_free(tenon_pose *pose);

// Pose the scene: at `seconds` of an animation, or at rest if that is TENON_NONE. Times are clamped
// to the start and the end.
TENON_API void tenon_pose_set(tenon_pose *pose, uint32_t animation, double seconds);

// The matrix from a node to the scene, 16 numbers, valid until the pose changes. The node must
// exist.
TENON_API const double *tenon_pose_global(const tenon_pose *pose, uint32_t node);

// The matrices of a skin, which must exist, `joint_count` times 16: global(joint) * inverse bind.
TENON_API void tenon_pose_palette(const tenon_pose *pose, uint32_t skin, float *matrices);

// The vertices of a primitive of the mesh of a node, in the space of the scene: skinned if it has a
// skin, else moved by the node. `positions` and `normals`, 3 for each vertex, may be NULL. The node
// must have a mesh with that primitive.
TENON_API void tenon_pose_skin(const tenon_pose *pose, uint32_t node, uint32_t primitive,
                               float *positions, float *normals);

// The bounds of the posed scene. Returns false if there are no vertices.
TENON_API bool tenon_pose_bounds(const tenon_pose *pose, double min[3], double max[3]);

// The same over a whole clip, which must exist: at its keys and at times between them. This moves
// the pose. Returns false if there are no vertices.
TENON_API bool tenon_pose_clip_bounds(tenon_pose *pose, uint32_t animation, double min[3],
                                      double max[3]);

// -- Writing

// Receives the files of an export: begin, some writes, end for each. Sidecars come first; the main
// file, whose name is "", comes last. Return false to stop.
typedef struct tenon_sink {
    bool (*begin)(void *user, const char *name);
    tenon_write_fn *write;
    bool (*end)(void *user);
    void *user;
} tenon_sink;

// Takes pixels, 4 bytes each, rows from the top.
typedef bool tenon_pixels_fn(void *user, const uint8_t *pixels, uint32_t width, uint32_t height);

// How pictures are converted, for formats that need it. Both may be NULL: the library decodes PNG,
// DDS and TGA files and encodes PNG files itself; JPEG files that have to be converted are dropped.
typedef struct tenon_pictures {
    void *user;
    // Encode pixels, `channels` (3 or 4) bytes each, rows from the top, as the bytes of a PNG file,
    // in place of the library.
    bool (*encode_png)(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                       uint32_t channels, tenon_write_fn *write, void *write_user);
    // Decode the bytes of a PNG or JPEG file and give the pixels to `take`, once. False if that
    // cannot be done; the library tries PNG files then.
    bool (*decode)(void *user, const uint8_t *bytes, uint64_t size, tenon_pixels_fn *take,
                   void *take_user);
    void *reserved[2];  // NULL: room for what later versions add.
} tenon_pictures;

// How animations are grouped, for formats with a choice (GPB).
typedef enum tenon_grouping {
    TENON_GROUP_CLIPS,    // One for each clip.
    TENON_GROUP_NODES,    // One for each clip and node.
    TENON_GROUP_ENCODER,  // As gameplay-encoder: the channels of joints and nodes below them in the
                          // first clip are called "animations"; its other nodes have one animation
                          // each.
} tenon_grouping;

typedef struct tenon_export_opts {
    tenon_allocator allocator;
    tenon_events events;  // Progress, losses, and the files of tenon_export_file().
    uint64_t max_memory;  // Bytes it may take (what the budget allows, else 256 MiB + 16 times the
                          // scene's).
    const char *format;  // "gpb", "glb", "cea": the name of a format, or of a dialect of one. NULL:
                         // the extension of the output; tenon_export() has none, and fails.
    const char *dialect;       // Of the format: "1.4"; NULL: the one its engine reads today.
    const char *name;          // Of the output without extension, for its sidecars ("model").
    const char *texture_root;  // From the output's folder to the model's; NULL: the same.
    const char *model_path;    // The model's file, to load pictures beside it; NULL: do not.
    const struct tenon_files *files;  // NULL: the system's.
    bool embed;                       // Store pictures in the file, if the format supports it.
    bool copy_textures;               // Copy pictures to files beside the output.
    bool without_materials;           // Do not write material files beside the output.
    bool without_prefix;              // Names of sidecars do not start with the name of the model.
    double tolerance;                 // Of sampled curves, as a fraction of the diagonal (1e-4).
    double rate;                      // Frames or ticks per second; 0: the format's, or as needed.
    uint32_t spaces;                  // BBANIM: the spaces that frames are stored in; 0: parent.
    tenon_grouping grouping;          // GPB.
    tenon_pictures pictures;          // How pictures are converted.
    const char *clip;                 // OBJ: export a pose of this clip; NULL: the rest pose.
    double seconds;                   // OBJ: the time of the pose in the clip.
    bool dry_run;                     // tenon_export_file(): write nothing, only report.
    bool quantize;                    // glTF: store vertices as integers (KHR_mesh_quantization).
    // Verify what was written, as tenon_verify() does, before files get their names, and store the
    // result. NULL: do not.
    const struct tenon_verify_opts *verify;
    struct tenon_verify_result *verified;
    const tenon_executor *executor;  // To compare poses with; NULL: one after the other.
    uint64_t reserved[7];            // Zeros: room for what later versions add.
} tenon_export_opts;

// Write a scene. Where the format cannot hold it exactly, the loss has the error, measured by
// reading what was written again and posing both; without `events.on_loss` nothing is measured. The
// options must name the format.
TENON_API bool tenon_export(const tenon_scene *scene, const tenon_export_opts *opts,
                            const tenon_sink *sink, tenon_error *err);

// The same, to a file, with sidecars beside it. All files are renamed together when everything is
// written, the main one last; if something fails before that, nothing has changed. A sidecar that
// exists with the same bytes is not touched. `name` and `texture_root` are derived from the paths
// if they are NULL.
TENON_API bool tenon_export_file(const tenon_scene *scene, const char *path,
                                 const tenon_export_opts *opts, const tenon_write_opts *write_opts,
                                 tenon_error *err);

// The same, to files in memory: the model, "NAME.gpb" with the name of the options, and its
// sidecars. Returns NULL on failure; free the result with tenon_memory_free().
TENON_API struct tenon_memory *tenon_export_memory(const tenon_scene *scene,
                                                   const tenon_export_opts *opts, tenon_error *err);

// A scene as a document of the format that the options name, without sidecars. Returns NULL on
// failure; free the result with tenon_doc_free(), it borrows nothing.
TENON_API tenon_doc *tenon_from_scene(const tenon_scene *scene, const tenon_export_opts *opts,
                                      tenon_error *err);

// -- Comparing

typedef struct tenon_verify_opts {
    tenon_allocator allocator;
    tenon_events events;  // Progress.
    double tolerance;     // The largest distance allowed, as a fraction of the diagonal (1e-4).
    uint32_t samples;     // Times for each clip, besides the keys (16).
    const char *clip;     // Only this clip of A; NULL: all, and the rest pose.
    double seconds;       // Only this time of the clip, against B at rest; negative: all times.
    bool at_one_time;     // Use `seconds`. Without `clip`: of the only clip of A.
    bool rest_only;       // Compare the rest pose only, not the clips.
    bool largest_only;    // Leave out `rms`, which takes all vertices of all poses. Of surfaces
                          // that are farthest apart in several places, another may be named.
    const tenon_executor *executor;  // To compare poses with; NULL: one after the other.
    uint64_t reserved[7];            // Zeros: room for what later versions add.
} tenon_verify_opts;

typedef enum tenon_verdict {
    TENON_VERIFIED,          // Everything is within the tolerance.
    TENON_BEYOND_TOLERANCE,  // Something exceeds the tolerance.
    TENON_DIFFERENT,         // Something has no counterpart, or is inside out.
    TENON_NOT_VERIFIED,      // A scene lacks something that its file has (see tenon_omission),
                             // whatever the distances are.
} tenon_verdict;

// The words for a verdict, for example "not within tolerance".
TENON_API const char *tenon_verdict_word(tenon_verdict verdict);

typedef struct tenon_verify_result {
    tenon_verdict verdict;
    double diagonal;      // Of the box of A at rest.
    double largest, rms;  // Distances, as a fraction of the diagonal.
    double matched;       // Fraction of A's triangles, lines and points that B has.
    double reversed;      // Fraction of A's triangles that B has inside out.
    double surface;       // Difference of the surfaces at rest in area, in the directions they
                          // face, or in the volume they enclose, as a fraction of the area.
    bool by_surface;      // Too few triangles matched: distances between the surfaces, both ways.
    bool by_node;  // Neither scene has geometry: joints are compared, or all nodes of A if it
                   // has no joints, by their origins and by points in the directions of
                   // their axes, a tenth of the diagonal away.
    uint32_t clip_count;                                                    // Clips compared.
    uint32_t missing_clips, missing_meshes, missing_lines, missing_points;  // Of A, not in B.
    uint32_t missing_nodes;                                                 // With `by_node`.
    uint32_t extra_clips, extra_lines, extra_points;                        // Of B, not in A.
    bool at_frames;         // One of them shows frames without interpolating (TENON_SHOWS_FRAMES):
                            // clips are compared at its frames,
    double between_frames;  // and this is the largest distance between them, not in `largest`.
    char clip[64];          // Where the distance is largest; "" at rest.
    double seconds;
    char bone[64];  // The joint with the largest weight there, or the node.
    char mesh[64];
    double where[3];       // Of A, at rest.
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_verify_result;

// How distances were measured: "corner", "surface" or "node"; "" for NULL.
TENON_API const char *tenon_verify_mode(const tenon_verify_result *result);

// Pose both scenes at many times and compare the positions of their triangles, or of their joints
// if neither has geometry. Returns false only if the comparison could not be completed. `result`
// may be NULL.
TENON_API bool tenon_verify(const tenon_scene *a, const tenon_scene *b,
                            const tenon_verify_opts *opts, tenon_verify_result *result,
                            tenon_error *err);

// Export a scene to memory, read it again, and compare: the result that tenon_verify() would give
// for the files of tenon_export(). `opts->events` are not called. `result` may be NULL.
TENON_API bool tenon_export_verify(const tenon_scene *scene, const tenon_export_opts *opts,
                                   const tenon_verify_opts *verify_opts,
                                   tenon_verify_result *result, tenon_error *err);

// One thing that differs. All pointers are valid during the call only.
typedef struct tenon_difference {
    const char *path;   // "nodes[boom].rotation", a path in the scene.
    const char *a, *b;  // As text; "" if it is missing.
    double amount;      // The distance, for numbers; negative if it does not apply.
    const char *kind;   // What differs, a constant: "transforms", "positions".
    uint64_t more;  // Further ones of that kind, which are not reported; `amount` is the largest.
} tenon_difference;

typedef void tenon_difference_fn(void *user, const tenon_difference *difference);

typedef struct tenon_diff_opts {
    tenon_allocator allocator;
    tenon_events events;   // Progress.
    double tolerance;      // Numbers this close are equal (1e-6); lengths as a fraction of the
                           // diagonal.
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_diff_opts;

// Report the differences in content to `fn`. *count gets their number. Both may be NULL. Returns
// false only if the comparison could not be completed.
TENON_API bool tenon_diff(const tenon_scene *a, const tenon_scene *b, const tenon_diff_opts *opts,
                          tenon_difference_fn *fn, void *user, uint64_t *count, tenon_error *err);

#ifdef __cplusplus
}
#endif
#endif  // TENON_SCENE_H
