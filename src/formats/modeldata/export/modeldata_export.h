// modeldata_export.h: what the files that make a ModelData of a scene share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_MODELDATA_EXPORT_MODELDATA_EXPORT_H
#define TN_FORMATS_MODELDATA_EXPORT_MODELDATA_EXPORT_H

#include "formats/modeldata/modeldata_format.h"

#include "exchange/export_document.h"
#include "exchange/rig.h"

enum { MODELDATA_ENGINE_MOST = 50 };  // Joints that the engine has room for.

// -- Joints

// A node, as the skeleton has it: global(node) = global(base) * offset, at every time.
typedef struct modeldata_node_plan {
    uint32_t joint;     // Its own; TENON_NONE: it has none.
    uint32_t base;      // Its own joint, or the nearest one above.
    uint32_t carrier;   // The joint that does what `offset` says; TENON_NONE: nobody needs one.
    tn_mat4 offset;     // Never changes.
    bool has_channels;  // Of whatever kind.
    bool has_keys;      // Some clip has positions or rotations for it,
    bool moves;         // which are not all those of the rest pose.
    bool is_played;     // Its joint gets keys; then its scale is `scale`, and is in `offset`.
    bool is_uneven;     // Its scale is not always that.
    tn_vec3 scale;
    tn_trs frame;  // Keys are seen from here; the scale is the same along all axes.
    // While clips are looked at:
    uint32_t clip;          // The last one that has keys for it, plus one.
    uint32_t clip_count;    // How many have,
    uint32_t scaled_count;  // and how many of those scale it:
    bool has_range;         // from `least` to `most`.
    double least[3], most[3];
} modeldata_node_plan;

typedef struct modeldata_joint_plan {
    uint32_t node;  // TENON_NONE: it is made up.
    uint32_t parent;
    tenon_str name;
    tn_mat4 local, global;  // At rest.
    tn_mat4 inverse_bind;
    bool is_bound;  // The inverse bind matrix is decided.
} modeldata_joint_plan;

// -- Parts

// How the vertices of a part get to where the file has them.
typedef enum modeldata_way {
    MODELDATA_AS_THEY_ARE,
    MODELDATA_BY_MATRIX,
    MODELDATA_BY_POSE,  // Each by its own joints.
} modeldata_way;

typedef struct modeldata_place {
    modeldata_way way;
    tn_mat4 matrix;
    bool is_mirrored;  // Triangles are turned round.
    uint32_t joint;    // Of a rigid part.
    uint32_t side;     // Of a skinned part: which list of bone_joints it takes.
} modeldata_place;

// How a material is laid on: texture coordinates are moved, where the tiling cannot say it.
typedef struct modeldata_material_plan {
    bool is_made;
    tenon_modeldata_material material;
    uint32_t uv_set;
    bool has_transform;
    double across[3], down[3];  // u is across[0] * u + across[1] * v + across[2], v likewise.
} modeldata_material_plan;

// That materials may have.
enum {
    MODELDATA_EXTRA_ALPHA,
    MODELDATA_EXTRA_REFLECTION,
    MODELDATA_EXTRA_DISPLACEMENT,
    MODELDATA_EXTRA_TILING,
    MODELDATA_EXTRA_COUNT,
};

// -- The whole

typedef struct modeldata_exporter {
    tn_export e;  // With the scene as it was prepared.
    const tenon_scene *s;
    tenon_modeldata *doc;
    tenon_pose *pose;  // At rest.
    double rate;       // Ticks a second.
    bool is_document;  // By the format's text: scale keys scale, all values are stored, and nothing
                       // is left out for the engine's sake.
    tn_rig rig;
    modeldata_node_plan *limbs;    // Of each node.
    modeldata_joint_plan *joints;  // The first one is made up, and may not be needed:
    uint32_t first_joint;          // 1 then, else 0.
    uint32_t joint_count;          // With the first.
    uint32_t *bone_joints[2];  // Of each bone: for skins that do not mirror, and for those that do.
    bool is_frugal;            // Only joints that something needs.
    modeldata_place *places;   // Of each part.
    modeldata_material_plan *paints;  // Of each material.
    const tenon_extra **shapes;       // Of each mesh; NULL: none.
    const tenon_extra **values;       // MODELDATA_EXTRA_COUNT of each material; NULL: none.
    uint64_t other_extras, clip_names, not_finite;
    tn_tally curves, bad_shapes, moved_shapes, sides, hollow;
} modeldata_exporter;

// Write a scene.
bool modeldata_export(const tn_export *e);

// Memory of the document, which stays when that of the export is rewound.
void *modeldata_export_room(modeldata_exporter *w, uint64_t count, size_t size);

// -- modeldata_export_motion.c, modeldata_export_joints.c: the skeleton

bool modeldata_look_at_clips(modeldata_exporter *w);
bool modeldata_export_joints(modeldata_exporter *w);
tn_mat4 modeldata_local_of(const tenon_node *node);

// -- modeldata_export_mesh.c, modeldata_export_material.c, modeldata_export_keys.c

bool modeldata_export_looks(modeldata_exporter *w);

// The texture of a material that tells how all of its textures lie; NULL: it has none.
const tenon_texture *modeldata_first_texture(const tenon_material *m);

// Whether the file has a place for such textures.
bool modeldata_has_map(tenon_slot slot);

bool modeldata_export_meshes(modeldata_exporter *w);
bool modeldata_export_animations(modeldata_exporter *w);

// -- modeldata_export_loss.c

void modeldata_report_losses(const modeldata_exporter *w);

#endif  // TN_FORMATS_MODELDATA_EXPORT_MODELDATA_EXPORT_H
