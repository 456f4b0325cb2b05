// gpb_export.h: declarations that the sources of the exporter share.
// SPDX-License-Identifier: MIT
//
// The exporter first plans which nodes, meshes and materials there will be. Then it gives them ids,
// and then it fills the document.

#ifndef TN_FORMATS_GPB_EXPORT_GPB_EXPORT_H
#define TN_FORMATS_GPB_EXPORT_GPB_EXPORT_H

#include "formats/gpb/gpb_format.h"

#include "core/math/math.h"
#include "exchange/export_document.h"
#include "scene/surface/mirrored.h"

// -- Losses

typedef struct gpb_export_losses {
    // These change poses, so their error is measured.
    tn_tally influences, projection, curves, times;
    // Meshes.
    tn_tally parts, tails, meshes, mirrored, elements, normals, tangents, colors, weights;
    // Nodes and skins.
    tn_tally places, model_nodes, shear, bind_joints, palettes, skins, skin_names;
    // Cameras and lights.
    tn_tally cameras, shared_cameras, camera_numbers, active_camera;
    tn_tally lights, shared_lights, intensities, ranges;
    // Materials.
    tn_tally materials, variants, no_material, no_file, metal, emissive, specular, unlit, cutoff;
    tn_tally strengths, slots, uv_sets, placements, edges, paths, jpeg, material_names;
    // Clips.
    tn_tally empty_clips, anchors, constants, lengths, grouped, mirroring, events;
    // Anything.
    tn_tally numbers, extras, names, no_names;
} gpb_export_losses;

// -- Nodes

// A node of the bundle. The first ones are the nodes of the scene, in the same order.
typedef struct gpb_node_plan {
    uint32_t origin;     // The node of the scene that it represents or was added for.
    tenon_str name;      // The wanted name.
    uint32_t reference;  // Index into references.
    tenon_str xref;      // "#id"
    uint32_t parent;  // Index into the planned nodes, possibly a later one; TENON_NONE for a root.
    tn_mat4 local;
    bool is_joint;
    uint32_t source;     // The node of the scene whose camera and light it has; TENON_NONE if none.
    uint32_t mesh_node;  // The node of the scene whose mesh it has; TENON_NONE if none.
} gpb_node_plan;

// -- Meshes

enum {
    GPB_USE_POSITION = 1,
    GPB_USE_NORMAL,
    GPB_USE_COLOR,
    GPB_USE_TANGENT,
    GPB_USE_BINORMAL,
    GPB_USE_WEIGHTS,
    GPB_USE_INDICES,
    GPB_USE_TEXCOORD0,
};

// How a mesh of the scene is exported.
typedef struct gpb_mesh_plan {
    bool is_drawn;        // Has something to draw.
    bool is_mirrored;     // The nodes that use it are mirrored: its triangles are written reversed.
    bool is_rigid;        // A node uses it without a skin.
    bool is_skinned;      // A node uses it with a skin.
    uint32_t usages;      // Elements of its vertices, as bits.
    uint32_t part_count;  // Primitives that have something to draw.
    uint32_t *parts;      // Indices of these primitives.
    uint32_t block;       // Index into the blocks; TENON_NONE if it is not written.
    tenon_str xref;       // "#id"
} gpb_mesh_plan;

// -- Materials

// What the shaders of a part have to support, as bits.
enum {
    GPB_WITH_SKIN = 1 << 0,
    GPB_WITH_COLORS = 1 << 1,
    GPB_WITH_LIGHT = 1 << 2,
    GPB_WITH_NORMAL_MAP = 1 << 3,
    GPB_SHADER_COUNT = 1 << 4,
};

// A material of the .material file.
typedef struct gpb_material_plan {
    uint32_t source;        // Material of the scene; TENON_NONE if none.
    uint32_t shader_flags;  // GPB_WITH_… bits.
    uint32_t joints;        // The largest number of joints of the skins it is used with.
    bool is_variant;        // An earlier material has the same source.
    tenon_str name;
} gpb_material_plan;

// -- The exporter

typedef struct gpb_exporter {
    const tn_export *export;
    const tenon_scene *scene;  // The prepared scene: every primitive has indices.
    tenon_gpb *doc;
    gpb_table table;
    gpb_export_losses lost;
    bool failed;  // The error of the export is set.

    uint32_t node_count, node_room;
    gpb_node_plan *nodes;
    bool *moves;        // For each node of the scene: it or an ancestor is animated.
    bool *has_channel;  // For each node of the scene: it is animated itself.
    uint32_t **joints;  // For each skin: the planned nodes of its joints; NULL if no mesh uses it.
    gpb_mesh_plan *meshes;

    uint32_t material_count;
    gpb_material_plan *materials;
    uint32_t *variants;              // For each material, and none, all shaders: index plus 1.
    tenon_str *effects;              // "document", by material: "#id" of its effect; else NULL.
    tenon_gpb_material *parameters;  // The same: the parameters exported so far.
    uint32_t *extra_firsts;  // The same, and one more: where its extras start in `extra_order`.
    uint32_t *extra_order;   // Indices of extras, ordered by material.
    uint32_t effect_count;
    tenon_gpb_block *effect_blocks;
} gpb_exporter;

// Zeroed memory; NULL, and the exporter has failed, if there is none.
void *gpb_alloc(gpb_exporter *exporter, uint64_t count, size_t size);

// A number as a finite float. Numbers that are too large are clamped and counted.
float gpb_narrow(gpb_exporter *exporter, double value);

// Join two texts.
tenon_str gpb_join(gpb_exporter *exporter, tenon_str start, const char *end);

#define GPB_ID_MOST 4000  // Bytes: the engine allows less than 5000, including a prefix.

// Shorten a name to at most that many bytes, without splitting a character.
tenon_str gpb_shorten_name(tenon_str name, uint32_t most);

// Add a reference to an object: a scene, node, camera, light or mesh. If it has no name, or the
// name is taken, it gets another; `index` is that of the object in the scene, to report this.
// TENON_NONE if the exporter has failed.
uint32_t gpb_add_reference(gpb_exporter *exporter, uint32_t type, tenon_str name, uint32_t index);

// "#id" of a reference.
tenon_str gpb_xref_of(gpb_exporter *exporter, uint32_t reference);

// A span of 4-byte numbers, in the byte order of the file; `layout` is that of one record.
tenon_span gpb_make_span(gpb_exporter *exporter, const void *numbers, uint64_t count,
                         const tenon_layout *layout);

// -- gpb_export_tree.c

// Plan the nodes: those of the scene, and additional ones that the engine needs.
void gpb_plan_nodes(gpb_exporter *exporter);

// Whether a node of the scene has a mesh with a skin.
bool gpb_is_skinned(const gpb_exporter *exporter, uint32_t node);

// Find the planned nodes for the joints of skins.
void gpb_plan_joints(gpb_exporter *exporter);

// Export all nodes, the active camera and the ambient color.
void gpb_export_tree(gpb_exporter *exporter, tenon_gpb_scene *scene);

// -- gpb_export_mesh.c

// Find out which meshes have something to draw and which are mirrored; later, which elements their
// vertices need.
void gpb_plan_meshes(gpb_exporter *exporter, const tn_mirrored_meshes *mirrored);
void gpb_plan_elements(gpb_exporter *exporter);

void gpb_export_mesh(gpb_exporter *exporter, uint32_t mesh, tenon_gpb_mesh *out);

// Compute the bounds of all meshes. They must have their vertices.
void gpb_export_bounds(gpb_exporter *exporter);

// -- gpb_export_material.c

// Plan the materials of the .material file.
void gpb_plan_materials(gpb_exporter *exporter);

// The material of a part of a mesh that a node of the scene uses; NULL if it has none.
const gpb_material_plan *gpb_find_material(const gpb_exporter *exporter, uint32_t node,
                                           const tenon_primitive *p);

// Write the .material file.
void gpb_export_materials(gpb_exporter *exporter);

// Dialect "document": export the effects of all materials; then the parameters of one material.
void gpb_export_effects(gpb_exporter *exporter);
void gpb_export_parameters(gpb_exporter *exporter, uint32_t material, tenon_gpb_material *out);

// Whether an extra is exported by these functions.
bool gpb_is_parameter(const tenon_extra *extra);

// -- gpb_export_motion.c

// Export all animations. Returns how many there are.
uint32_t gpb_export_animations(gpb_exporter *exporter, tenon_gpb_animations *all);

#endif  // TN_FORMATS_GPB_EXPORT_GPB_EXPORT_H
