// gpb_export.h: what the sources that write a scene as a gameplay bundle share.
// SPDX-License-Identifier: MIT
//
// Everything is planned first: which nodes there will be, which meshes, which materials. Then all
// get their ids, and then the document is filled.

#ifndef TN_FORMATS_GPB_EXPORT_GPB_EXPORT_H
#define TN_FORMATS_GPB_EXPORT_GPB_EXPORT_H

#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"
#include "formats/gpb/gpb_table.h"

#include "core/math/math.h"
#include "exchange/export_document.h"
#include "scene/surface/mirrored.h"

// -- What is told at the end

// The first ones change poses: their error is measured.
typedef enum gpb_lost {
    GPB_LOST_INFLUENCES,
    GPB_LOST_PROJECTION,
    GPB_LOST_CURVES,
    GPB_LOST_TIMES,
    GPB_MEASURED_COUNT,
    GPB_LOST_PARTS = GPB_MEASURED_COUNT,
    GPB_LOST_TAILS,
    GPB_LOST_MESHES,
    GPB_LOST_MIRRORED,
    GPB_LOST_ELEMENTS,
    GPB_LOST_NORMALS,
    GPB_LOST_TANGENTS,
    GPB_LOST_COLORS,
    GPB_LOST_WEIGHTS,
    GPB_LOST_PLACES,
    GPB_LOST_HOLDERS,
    GPB_LOST_SHEAR,
    GPB_LOST_TWINS,
    GPB_LOST_PALETTES,
    GPB_LOST_SKINS,
    GPB_LOST_SKIN_NAMES,
    GPB_LOST_CAMERAS,
    GPB_LOST_SHARED_CAMERAS,
    GPB_LOST_CAMERA_NUMBERS,
    GPB_LOST_ACTIVE_CAMERA,
    GPB_LOST_LIGHTS,
    GPB_LOST_SHARED_LIGHTS,
    GPB_LOST_INTENSITIES,
    GPB_LOST_RANGES,
    GPB_LOST_MATERIALS,
    GPB_LOST_VARIANTS,
    GPB_LOST_NO_MATERIAL,
    GPB_LOST_NO_FILE,
    GPB_LOST_METAL,
    GPB_LOST_EMISSIVE,
    GPB_LOST_SPECULAR,
    GPB_LOST_UNLIT,
    GPB_LOST_CUTOFF,
    GPB_LOST_STRENGTHS,
    GPB_LOST_SLOTS,
    GPB_LOST_UV_SETS,
    GPB_LOST_PLACEMENTS,
    GPB_LOST_EDGES,
    GPB_LOST_PATHS,
    GPB_LOST_JPEG,
    GPB_LOST_MATERIAL_NAMES,
    GPB_LOST_EMPTY_CLIPS,
    GPB_LOST_ANCHORS,
    GPB_LOST_CONSTANTS,
    GPB_LOST_LENGTHS,
    GPB_LOST_GROUPED,
    GPB_LOST_MIRRORING,
    GPB_LOST_EVENTS,
    GPB_LOST_NUMBERS,
    GPB_LOST_EXTRAS,
    GPB_LOST_NAMES,
    GPB_LOST_NO_NAMES,
    GPB_LOST_COUNT,
} gpb_lost;

// -- Nodes

// A node of the bundle. The first ones are those of the scene, in its order.
typedef struct gpb_made_node {
    uint32_t origin;     // The node of the scene that it is, or is there for.
    tenon_str name;      // That it should have.
    uint32_t reference;  // That it got.
    tenon_str xref;      // "#id"
    uint32_t parent;     // Another one, not always an earlier one; TENON_NONE: it is a root.
    tn_mat4 local;
    bool is_joint;
    uint32_t source;  // The node of the scene whose camera and light it has; TENON_NONE: none.
    uint32_t shows;   // The node of the scene whose mesh it has; TENON_NONE: none.
    uint32_t first_child, next_sibling;
} gpb_made_node;

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

// A mesh of the scene on its way.
typedef struct gpb_made_mesh {
    bool is_drawn;        // There is something to draw in it.
    bool is_mirrored;     // By the nodes that show it: its triangles are written reversed.
    bool is_rigid;        // A node shows it without a skin,
    bool is_skinned;      // and one with a skin.
    uint32_t usages;      // Elements that its vertices have, by bit.
    uint32_t part_count;  // Primitives that there is something to draw in.
    uint32_t *parts;      // Their numbers.
    uint32_t block;       // Of the document; TENON_NONE: it is not written.
    tenon_str xref;       // "#id"
} gpb_made_mesh;

// -- Materials

// What the shaders of a part have to do, by bit.
enum {
    GPB_WITH_SKIN = 1 << 0,
    GPB_WITH_COLORS = 1 << 1,
    GPB_WITH_LIGHT = 1 << 2,
    GPB_WITH_BUMPS = 1 << 3,
    GPB_WAYS = 1 << 4,
};

// A block of the .material file.
typedef struct gpb_made_material {
    uint32_t source;  // A material of the scene; TENON_NONE: there was none.
    uint32_t ways;    // GPB_WITH_… bits.
    uint32_t joints;  // The most that a skin has of those it is shown with.
    tenon_str name;
} gpb_made_material;

// -- The whole

typedef struct gpb_exporter {
    const tn_export *e;
    const tenon_scene *scene;  // That of the export, every primitive with indices.
    tenon_gpb *doc;
    gpb_table table;
    tn_tally losses[GPB_LOST_COUNT];
    bool failed;  // The error of the export says why.

    uint32_t node_count, node_room;
    gpb_made_node *nodes;
    bool *moves;        // By node of the scene: an animation moves it, or one above it,
    bool *has_channel;  // or it itself.
    uint32_t **joints;  // By skin: the nodes of the bundle; NULL: no node shows a mesh with it.
    gpb_made_mesh *meshes;

    uint32_t material_count;
    gpb_made_material *materials;
    uint32_t *variants;  // GPB_WAYS for each material of the scene and one for none: plus one.
    tenon_str *effects;  // "document", by material of the scene: "#id" of its effect; else NULL.
    tenon_gpb_material *parameters;  // The same: what was made of a material so far.
    uint32_t *extra_firsts;          // The same, and one more: where its extras start in
    uint32_t *extra_order;           // this: indices of extras.
    uint32_t effect_count;
    tenon_gpb_block *effect_blocks;
} gpb_exporter;

// Zeroed memory; NULL, and the maker fails, without.
void *gpb_export_alloc(gpb_exporter *m, uint64_t count, size_t size);

// Count what is lost; the path of the first is "list[index]".
void gpb_export_lose(gpb_exporter *m, gpb_lost what, uint64_t count, const char *list,
                     uint32_t index);

// A number as a float; the maker fails if it is too large for one.
float gpb_export_float(gpb_exporter *m, double value);

// Two texts as one.
tenon_str gpb_export_text(gpb_exporter *m, tenon_str start, const char *end);

// As much of a name as the engine takes: whole characters.
tenon_str gpb_shorten(tenon_str name);

// What an object should be called.
typedef struct gpb_wish {
    uint32_t type;     // TENON_GPB_NODE and so on.
    tenon_str name;    // If it is empty,
    const char *word;  // this instead.
    const char *end;   // Put behind a name that is taken; a number follows if that is taken, too.
    const char *list;  // Where it is in the scene, for telling that it got another name.
    uint32_t index;
} gpb_wish;

// A reference to an object. TENON_NONE if the maker failed.
uint32_t gpb_export_reference(gpb_exporter *m, const gpb_wish *wish);

// "#id"
tenon_str gpb_export_xref(gpb_exporter *m, uint32_t reference);

// Numbers of four bytes as a span of the file's; `layout` is that of one record.
tenon_span gpb_export_span(gpb_exporter *m, const void *numbers, uint64_t count,
                           const tenon_layout *layout);

bool gpb_export(const tn_export *e);

// Tell all that was counted, and what is not written at all.
void gpb_report_losses(gpb_exporter *m);

// -- gpb_export_nodes.c, gpb_export_joints.c

// Plan the nodes: those of the scene, and those that the engine needs besides.
void gpb_choose_nodes(gpb_exporter *m);

// Whether a node of the scene shows a mesh with a skin.
bool gpb_is_skinned(const gpb_exporter *m, uint32_t node);

// Add a node of the bundle; TENON_NONE if the maker failed.
uint32_t gpb_add_made_node(gpb_exporter *m, const gpb_made_node *node);

// Find the nodes that are the joints of skins.
void gpb_choose_joints(gpb_exporter *m);

// -- gpb_export_tree.c, gpb_export_model.c, gpb_export_camera.c

// Make the scene of the document, with all nodes.
void gpb_export_tree(gpb_exporter *m, tenon_gpb_scene *scene);

// Give a node of the document its mesh, skin and materials; its camera and light.
void gpb_export_model(gpb_exporter *m, const gpb_made_node *node, tenon_gpb_model *model);
void gpb_export_camera(gpb_exporter *m, uint32_t node, tenon_gpb_camera *camera);
void gpb_export_light(gpb_exporter *m, uint32_t node, tenon_gpb_light *light);

// What the scene says of itself: the active camera and the ambient color.
void gpb_export_scene_extras(gpb_exporter *m, tenon_gpb_scene *scene);

// -- gpb_export_mesh.c, gpb_export_vertices.c, gpb_export_bounds.c

// Find out which meshes there is something to draw in, and which are mirrored; later, what their
// vertices need.
void gpb_choose_meshes(gpb_exporter *m, const tn_mirrored_meshes *fronts);
void gpb_choose_elements(gpb_exporter *m);

// Make a mesh of the document.
void gpb_export_mesh(gpb_exporter *m, uint32_t mesh, tenon_gpb_mesh *out);
void gpb_export_vertices(gpb_exporter *m, uint32_t mesh, tenon_gpb_mesh *out);

// The bounds of all meshes, once they have their vertices.
void gpb_export_bounds(gpb_exporter *m);

// -- gpb_export_material.c, gpb_export_material_text.c

// Plan the blocks of the .material file.
void gpb_choose_materials(gpb_exporter *m);

// The name of the block for a part of a mesh as a node of the scene shows it.
tenon_str gpb_material_name(const gpb_exporter *m, uint32_t node, const tenon_primitive *p);

// The material of the scene that a part has there; TENON_NONE: none.
uint32_t gpb_material_source(const gpb_exporter *m, uint32_t node, const tenon_primitive *p);

// Write the .material file.
void gpb_put_materials(gpb_exporter *m);

// -- gpb_export_parameters.c

// For dialect "document": make the effects of all materials, and then the parameters of one.
void gpb_export_effects(gpb_exporter *m);
void gpb_export_parameters(gpb_exporter *m, uint32_t material, tenon_gpb_material *out);

// Whether an extra is something that these make of it.
bool gpb_is_parameter(const tenon_extra *extra);

// -- gpb_export_motion.c

// Make all animations. Returns how many.
uint32_t gpb_export_animations(gpb_exporter *m, tenon_gpb_animations *all);

#endif  // TN_FORMATS_GPB_EXPORT_GPB_EXPORT_H
