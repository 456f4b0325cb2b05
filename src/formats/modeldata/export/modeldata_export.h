// modeldata_export.h: what the files that export a scene to ModelData share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_MODELDATA_EXPORT_MODELDATA_EXPORT_H
#define TN_FORMATS_MODELDATA_EXPORT_MODELDATA_EXPORT_H

#include "formats/modeldata/modeldata_format.h"

#include "exchange/export_document.h"
#include "exchange/rig.h"

enum { MODELDATA_ENGINE_MOST = 50 };  // Joints that the engine supports.

// -- Joints

// How the skeleton represents a node: global(node) = global(base) * offset, at all times.
typedef struct modeldata_node_plan {
    uint32_t joint;         // The joint of this node; TENON_NONE if it has none.
    uint32_t base;          // The joint of this node, or of the nearest ancestor that has one.
    uint32_t offset_joint;  // A joint that applies `offset`; TENON_NONE if no child needs one.
    tn_mat4 offset;         // Constant.
    bool has_channels;      // Of any kind.
    bool has_keys;          // Some clip has positions or rotations for it.
    bool moves;             // Some of these keys differ from the rest pose.
    bool is_keyed;      // Its joint gets keys. The scale of the node is `scale`, part of `offset`.
    bool scale_varies;  // Clips change the scale of the node, which the file cannot store.
    tn_vec3 scale;
    tn_trs frame;  // Applied to all keys. Its scale is uniform.
    // While clips are analyzed:
    uint32_t clip;             // The last clip that has keys for it, plus one.
    uint32_t clip_count;       // Clips that have keys for it.
    uint32_t scaled_count;     // Clips among these that scale it.
    bool has_range;            // `least` and `most` are set.
    double least[3], most[3];  // Of the scale in these clips.
} modeldata_node_plan;

typedef struct modeldata_joint_plan {
    uint32_t node;  // TENON_NONE if it is synthesized.
    uint32_t parent;
    tenon_str name;
    tn_mat4 local, global;  // At rest.
    tn_mat4 inverse_bind;
    bool is_bound;  // inverse_bind is set.
} modeldata_joint_plan;

// -- Parts

// How the vertices of a part are moved to where the file stores them.
typedef enum modeldata_placement {
    MODELDATA_UNMOVED,
    MODELDATA_BY_MATRIX,
    MODELDATA_BY_POSE,  // Each vertex by its joints.
} modeldata_placement;

typedef struct modeldata_part_plan {
    modeldata_placement placement;
    tn_mat4 matrix;
    bool is_mirrored;   // The winding of triangles is reversed.
    uint32_t joint;     // Of a rigid part.
    uint32_t bone_set;  // Of a skinned part: index into bone_joints.
} modeldata_part_plan;

// A texture transform that `tiling` cannot express is applied to the texture coordinates.
typedef struct modeldata_material_plan {
    bool is_used;
    tenon_modeldata_material material;
    uint32_t uv_set;
    bool has_transform;
    double uv_rows[2][3];  // As tn_texture_rows() has them.
} modeldata_material_plan;

// -- The whole

typedef struct modeldata_exporter {
    tn_export export;  // With the prepared scene.
    const tenon_scene *scene;
    tenon_modeldata *doc;
    tenon_pose *pose;  // The rest pose.
    double rate;       // Ticks per second.
    bool is_document;  // Follow the format's document instead of the engine: scale keys have an
                       // effect, all values are stored, and nothing is dropped.
    tn_rig rig;
    modeldata_node_plan *node_plans;  // Of each node.
    modeldata_joint_plan *joints;     // joints[0] is a synthesized root.
    uint32_t first_joint;             // 1 if the synthesized root is not needed, else 0.
    uint32_t joint_count;             // Includes joints[0].
    uint32_t *bone_joints[2];         // Of each bone: for skins that do not mirror, and that do.
    bool is_minimal;                  // Keep only joints that are used.
    modeldata_part_plan *part_plans;  // Of each part.
    modeldata_material_plan *material_plans;  // Of each material.
    const tenon_extra **shapes;               // Of each mesh; NULL if it has none.
    const tenon_extra **material_extras;  // MODELDATA_EXTRA_COUNT for each material; NULL if none.
    uint64_t other_extras, clip_names, not_finite;
    tn_tally curves, bad_shapes, moved_shapes, tangent_signs, empty_parts;
} modeldata_exporter;

// -- modeldata_export_joints.c: the skeleton

bool modeldata_export_plan_nodes(modeldata_exporter *exporter);
bool modeldata_export_joints(modeldata_exporter *exporter);

// The texture of a material whose transform and uv set are used for all of its textures; NULL if it
// has no texture.
const tenon_texture *modeldata_export_first_texture(const tenon_material *m);

// -- modeldata_export_loss.c

void modeldata_export_report_losses(const modeldata_exporter *exporter);

#endif  // TN_FORMATS_MODELDATA_EXPORT_MODELDATA_EXPORT_H
