// bmw_export.h: what the sources that make a BMW document of a scene share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_EXPORT_BMW_EXPORT_H
#define TN_FORMATS_BMW_EXPORT_BMW_EXPORT_H

#include "formats/bmw/bmw_format.h"

#include "exchange/export_document.h"
#include "exchange/rig.h"

#define BMW_TOP_ID 0  // Of the root; bones follow it.

// -- Surfaces

// What the file has of a material: the name of a texture, which the engine also takes for a sign
// of whether it is transparent.
typedef struct bmw_material_plan {
    tenon_str texture;    // Size 0: there is none.
    uint32_t texture_id;  // Equal texts have equal ones; TENON_NONE: there is none.
    uint32_t uv_set;
    bool has_transform;  // Texture coordinates are moved:
    double across[3];    // u is across[0] * u + across[1] * v + across[2],
    double down[3];      // v likewise.
    double color[3];     // Goes into the vertices, linear.
} bmw_material_plan;

// -- Meshes

// A mesh of the file: some parts, one after the other.
typedef struct bmw_group {
    uint32_t first, count;  // Of bmw_exporter.order.
    const bmw_material_plan *paint;
    uint64_t front;         // Vertices in front that nothing shows.
    uint64_t vertex_count;  // With them.
    uint64_t index_count;
    bool is_weighted;
} bmw_group;

// A box around what a bone moves, before it does.
typedef struct bmw_box {
    bool is_there;
    double min[3], max[3];
} bmw_box;

// -- Clips

typedef struct bmw_made_clip {
    tenon_str name;
    uint32_t animation;   // TENON_NONE: the rest pose.
    uint32_t start, end;  // Ticks.
    bool loop, hold, has_loop, has_hold;
} bmw_made_clip;

// Frames of all bones, one bone behind the other, as the file has them.
typedef struct bmw_frame_buffer {
    uint8_t *bytes;
    double *rest_errors;  // Of each bone: how far off it is where no clip moves it.
    bool *is_moved;       // Of each node: whether the clip that is looked at moves it.
    uint32_t *moved;      // Bones that this clip moves.
    uint32_t moved_count;
} bmw_frame_buffer;

// -- The whole

// What is told at the end.
typedef struct bmw_counts {
    uint64_t merged;      // Parts that share a mesh with others.
    uint64_t front;       // Vertices in front.
    uint64_t mixed;       // Meshes that the engine mixes up.
    uint64_t hollow;      // Nodes whose mesh has no faces.
    uint64_t colors;      // Vertices whose colour is not one of the file's.
    uint64_t renamed;     // Nodes.
    uint64_t clip_names;  // Clips.
    uint64_t blank;       // Meshes without a texture, where others have one.
    uint64_t not_dds;     // Materials whose texture is another kind of file.
    uint64_t not_finite;  // Numbers.
    uint64_t loops;       // Clips that are probably loops.
    bool is_resting;      // The rest pose is not where the engine begins.
    double between;       // The largest error between ticks, as a share of the diagonal.
} bmw_counts;

typedef struct bmw_exporter {
    tn_export e;  // With the scene as it was prepared.
    tenon_bmw *doc;
    tenon_pose *pose;
    double diagonal;
    uint32_t model;    // The node whose transform goes into the sidecar; TENON_NONE: none.
    tn_mat4 to_model;  // From the scene to that node.
    tn_rig rig;
    uint32_t *order;      // Of the parts.
    uint32_t part_count;  // With faces.
    bool is_animated;
    bool *moves;      // Of each node: whether a clip moves it.
    uint32_t still;   // The bone of what does not move; TENON_NONE: there is none.
    uint32_t *loose;  // Nodes that are bones without weights: joints, and others that move.
    uint32_t loose_count;
    uint32_t bone_count;        // Those of the rig, the one that does not move, and the loose ones.
    uint32_t *bone_ids;         // Ids of their nodes.
    bool keeps_tree;            // The nodes are those of the scene, not flat ones.
    uint32_t *tree_ids;         // Of each node: its id then.
    uint32_t extra_count;       // Bones that have nodes of their own then.
    bmw_box *boxes;             // Of each bone.
    bmw_material_plan *paints;  // Of each material, and, last, of no material.
    uint32_t group_count;
    bmw_group *groups;
    double levels[256];  // Colours of the file, made linear.
    uint32_t rate;
    uint32_t tick_count;
    uint32_t clip_count;
    bmw_made_clip *clips;
    tenon_str default_anim;
    bmw_frame_buffer sheet;
    uint32_t first_loop;  // Animation, if counts.loops is not 0.
    bmw_counts counts;
} bmw_exporter;

// Whether an extra of a clip says whether it loops, or holds its end.
bool bmw_is_flag(const tenon_extra *extra);

// Make a BMW file, and what lies beside it, of a scene.
bool bmw_export(const tn_export *e);

// What is too large for a float becomes the largest one, and what is no number 0.
void bmw_export_finite(bmw_exporter *m, float *numbers, uint64_t count);

// The node of a bone; TENON_NONE: it is the one that does not move.
uint32_t bmw_bone_node(const bmw_exporter *m, uint32_t bone);

// The matrix of a bone as the pose has it, seen from the model's node.
tn_mat4 bmw_bone_matrix(const bmw_exporter *m, uint32_t bone);

// Where a bone is, seen from the model's node.
tn_mat4 bmw_bone_place(const bmw_exporter *m, uint32_t bone);

void bmw_set_transform(bmw_exporter *m, tenon_bmw_node *node, uint32_t id, const tn_mat4 *matrix);

// -- bmw_export_tree.c

// Decide whether the tree is kept, and which ids its nodes have.
bool bmw_plan_tree(bmw_exporter *m);

// Give all bones their ids.
bool bmw_number_bones(bmw_exporter *m);
bool bmw_export_tree(bmw_exporter *m);

// -- bmw_export_material.c

// Find the textures of all materials, and write their files.
bool bmw_export_paints(bmw_exporter *m);
const bmw_material_plan *bmw_paint_of(const bmw_exporter *m, const tenon_primitive *p);

// -- bmw_export_group.c, bmw_export_mesh.c

// Decide which parts make a mesh.
bool bmw_export_groups(bmw_exporter *m);
// What moves a vertex: nodes and their weights. Returns how many; 0: nothing.
uint32_t bmw_vertex_bones(const bmw_exporter *m, const tn_part *part, uint32_t vertex,
                          uint32_t bones[TN_INFLUENCES], float weights[TN_INFLUENCES]);
bool bmw_export_meshes(bmw_exporter *m);

// -- bmw_export_motion.c, bmw_export_sidecar.c

// Decide about clips, ticks and where the engine begins.
bool bmw_plan_motion(bmw_exporter *m);
bool bmw_export_animation(bmw_exporter *m);
bool bmw_put_sidecar(bmw_exporter *m, const char *name);

// -- bmw_export_loss.c

// False without memory.
bool bmw_report_making(const bmw_exporter *m);

#endif  // TN_FORMATS_BMW_EXPORT_BMW_EXPORT_H
