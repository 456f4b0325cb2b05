// bmw_export.h: shared by the sources that export a scene to a BMW document.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_EXPORT_BMW_EXPORT_H
#define TN_FORMATS_BMW_EXPORT_BMW_EXPORT_H

#include "formats/bmw/bmw_format.h"

#include "core/math/bounds.h"
#include "exchange/export_document.h"
#include "exchange/rig.h"

#define BMW_TOP_ID 0  // Of the root; bones follow it.

// -- Materials

// How a material is exported: as the path of a texture. By that path, the engine also decides
// whether the material is transparent.
typedef struct bmw_material_plan {
    tenon_str texture;    // Size 0: there is none.
    uint32_t texture_id;  // Equal for equal paths; TENON_NONE: none.
    uint32_t uv_set;
    bool has_transform;    // Texture coordinates are transformed:
    double uv_rows[2][3];  // As tn_texture_rows() has them.
    double color[3];       // Linear; multiplied into the vertex colors.
} bmw_material_plan;

// -- Meshes

// Parts that become one mesh of the file.
typedef struct bmw_group {
    uint32_t first, count;  // Range of bmw_exporter.order.
    const bmw_material_plan *material;
    uint64_t padding;       // Vertices at the start that no face uses.
    uint64_t vertex_count;  // Padding included.
    uint64_t index_count;
    bool is_weighted;
} bmw_group;

// -- Clips

typedef struct bmw_clip_plan {
    tenon_str name;
    uint32_t animation;   // Of the scene; TENON_NONE: the rest pose.
    uint32_t start, end;  // Ticks.
    bool loop, hold, has_loop, has_hold;
} bmw_clip_plan;

// -- The exporter

// What is reported at the end.
typedef struct bmw_counts {
    uint64_t merged_parts;         // Parts that share a mesh with others.
    uint64_t padding;              // Padding vertices.
    uint64_t mixed_meshes;         // Meshes whose weights the engine mixes up.
    uint64_t nodes_without_faces;  // Nodes whose mesh has no faces.
    uint64_t colors;               // Vertices whose color was rounded.
    uint64_t renamed;              // Nodes.
    uint64_t clip_names;           // Renamed clips.
    uint64_t untextured_meshes;    // Meshes without a texture, if others have one.
    uint64_t not_dds;              // Materials whose texture is not a DDS file.
    uint64_t not_finite;           // Numbers that were clamped.
    uint64_t probable_loops;       // Clips that are probably loops.
    bool is_rest_changed;          // The default clip does not start with the rest pose.
    bool is_wrong_between;         // The motion between ticks is lost.
} bmw_counts;

typedef struct bmw_exporter {
    tn_export export;  // With the prepared scene.
    tenon_bmw *doc;
    tenon_pose *pose;
    double diagonal;   // Of the bounds in the rest pose.
    uint32_t model;    // The node whose transform goes into the sidecar; TENON_NONE: none.
    tn_mat4 to_model;  // From the scene to that node.
    tn_rig rig;
    uint32_t *order;      // Sorted parts of the rig that have faces.
    uint32_t part_count;  // Parts in `order`.
    bool is_animated;
    bool *is_moving;       // For each node, whether a clip moves it.
    uint32_t static_bone;  // The bone that never moves; TENON_NONE: there is none.
    uint32_t *unweighted;  // Nodes that become bones without weights: joints and animated nodes.
    uint32_t unweighted_count;
    uint32_t bone_count;   // Bones of the rig, the static bone, and those without weights.
    uint32_t *bone_ids;    // The node id of each bone.
    bool keeps_tree;       // The nodes are those of the scene; else all are below the root.
    uint32_t *tree_ids;    // With keeps_tree, the id of each node of the scene.
    uint32_t extra_count;  // With keeps_tree, bones that need an additional node.
    tn_bounds *bounds;     // Of the vertices that each bone moves, before it moves them.
    bmw_material_plan *material_plans;  // Of each material, and, last, of primitives without one.
    uint32_t group_count;
    bmw_group *groups;
    float levels[256];  // The linear value of each color byte.
    uint32_t rate;
    uint32_t tick_count;
    uint32_t clip_count;
    bmw_clip_plan *clips;
    tenon_str default_anim;
    uint8_t *frame_bytes;  // The frames of all bones, one bone after the other.
    double *rest_errors;   // The error of each bone in the rest pose.
    bool *is_moved;        // For each node, whether the current clip moves it.
    uint32_t *moved;       // The bones that the current clip moves.
    uint32_t moved_count;
    uint32_t first_loop;  // The first of the probable loops: an animation.
    bmw_counts counts;
} bmw_exporter;

// Part `i` of `order`.
static inline const tn_part *bmw_export_part_at(const bmw_exporter *exporter, uint32_t i)
{
    return &exporter->rig.parts[exporter->order[i]];
}

// Whether the layout is that of the format's own text, which counts frames instead of ticks.
static inline bool bmw_export_is_literal(const bmw_exporter *exporter)
{
    const tenon_dialect *dialect = exporter->export.dialect;
    return dialect && (dialect->flags & TENON_BMW_FRAMES_LITERAL);
}

// Export a scene as a BMW file with its sidecar and textures.
bool bmw_export(const tn_export *export);

// The steps of an export. They return false, and the export's error is set, if they fail.
bool bmw_export_plan_materials(bmw_exporter *exporter);  // And write the texture files.
bool bmw_export_plan_groups(bmw_exporter *exporter);     // Which parts become which mesh.
bool bmw_export_assign_bone_ids(bmw_exporter *exporter);
bool bmw_export_plan_motion(bmw_exporter *exporter);  // Clips, ticks and the default clip.
bool bmw_export_animation(bmw_exporter *exporter);
bool bmw_export_meshes(bmw_exporter *exporter);

// Whether an extra is a clip's "loop" or "hold".
bool bmw_export_is_flag(const tenon_extra *extra);

// Clamp infinities to the largest float, and replace NaNs by 0.
void bmw_export_finite(bmw_exporter *exporter, float *numbers, uint64_t count);

// The node of a bone; TENON_NONE: it is the static bone.
uint32_t bmw_export_bone_node(const bmw_exporter *exporter, uint32_t bone);

// The skinning matrix and the transform of a bone in the current pose, relative to the model's
// node.
tn_mat4 bmw_export_bone_matrix(const bmw_exporter *exporter, uint32_t bone);

const bmw_material_plan *bmw_export_plan_of(const bmw_exporter *exporter, const tenon_primitive *p);

#endif  // TN_FORMATS_BMW_EXPORT_BMW_EXPORT_H
