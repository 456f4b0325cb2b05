// import.h: from what Assimp read to a scene of ours.
// SPDX-License-Identifier: MIT
//
// The program runs once, for one file, under limits that tenon has set: what it allocates it never
// frees, and where memory runs out it ends.

#ifndef TENON_IMPORT_SCENE_IMPORT_H
#define TENON_IMPORT_SCENE_IMPORT_H

#include "../fbx/fbx_rewrite.h"
#include "../system/import_memory.h"
#include "math3.h"

#include <tenon/scene.h>

#include <assimp/scene.h>

// In the names of helper nodes, between the name of the node and that of the part.
#define IMPORT_HELPER_MARK "_$AssimpFbx$_"

// A node of ours: in FBX files, several of Assimp's in a row.
typedef struct import_node {
    const struct aiNode *top;   // The first of the row.
    const struct aiNode *real;  // The one that the file has; its parents up to `top` are helpers.
    const struct aiNode *end;   // The one with the children.
    uint32_t parent;            // TENON_NONE: a root.
    mat4 geometric;             // What only the node's mesh is moved by.
    fbx_inherit inherit;
    vec3 post_move;  // What a camera or light turns to look along -Z.
    quat post_turn;
    bool has_post;
} import_node;

// How lengths, axes and hands of the file become ours: first mirrored, then scaled, then turned.
typedef struct import_space {
    bool is_mirrored;  // Z is negated.
    double scale;
    quat turn;
} import_space;

typedef struct assimp_importer {
    const char *name;  // The model's file, without its folder.
    const struct aiScene *assimp;
    tenon_scene *scene;
    import_space space;
    double unit;        // Meters, of a file that says so; 0: it does not.
    const char *axes;   // Of a file that says so, in words; NULL: it does not.
    bool root_is_idle;  // Its children are our roots: what it does is in `space`.
    fbx_facts fbx;      // What the FBX file says and Assimp does not tell.
    import_node *nodes;
    uint32_t node_count;
    uint32_t *by_name;               // Nodes in the order of their names.
    uint32_t *camera_of, *light_of;  // For each node; TENON_NONE: none.
    uint32_t *materials;             // Of ours, for each of Assimp's; TENON_NONE: a default one.
    uint32_t *embedded;              // Images, for each of Assimp's textures; TENON_NONE: not yet.
    uint32_t image_room;             // Images that there is memory for.
    struct import_loss *loss;        // What is lost, the last one first.
} assimp_importer;

// -- Memory (import_losses.c)

// Zeroed memory that the scene owns. The program ends if there is none.
void *import_scene_alloc(assimp_importer *importer, uint64_t count, size_t size);

// Text for the scene: valid UTF-8 without control characters.
tenon_str import_text(assimp_importer *importer, const char *text, size_t size);

// -- Losses

// Something is not in the scene as it is in the file. `feature` and `why` are constants; counts of
// the same two are added up. `path` (may be NULL) names the first such thing.
void import_report_loss(assimp_importer *importer, tenon_loss_kind kind, const char *feature,
                        const char *why, uint64_t count, const char *path);

// The file holds something that changes poses or shapes, and the scene does not have it: whoever
// compares the scene with another one says nothing about that.
void import_report_omission(assimp_importer *importer, const char *feature, const char *why,
                            uint64_t count, const char *path);

// Put all that was lost, the file's unit, and what else the file says about itself, into extras of
// the scene, where tenon finds them.
void import_store_report(assimp_importer *importer);

// -- The parts

void import_find_space(assimp_importer *importer);
void import_find_nodes(assimp_importer *importer);
void import_nodes(assimp_importer *importer);
void import_materials(assimp_importer *importer);
void import_meshes(assimp_importer *importer);
void import_animations(assimp_importer *importer);
void import_cameras(assimp_importer *importer);

// A name as the file has it, without the marks that Assimp and fbx_rewrite.c add.
tenon_str import_name(assimp_importer *importer, const char *name);

// The node of that name; TENON_NONE if there is none.
uint32_t import_node_named(const assimp_importer *importer, const char *name);

// A node's own transform when nothing moves, as the file has it.
mat4 import_rest_transform(const assimp_importer *importer, uint32_t node);

// Whether a node of Assimp's is one that it made up, and which part of a transform it is.
const char *import_helper_part(const struct aiNode *node);

// A joint of a skin that is being built.
typedef struct skin_joint {
    uint32_t node;
    mat4 bind;  // Inverse bind matrix.
} skin_joint;

// The skin that the meshes of one node share (import_meshes.c, import_skins.c).
typedef struct skin_builder {
    skin_joint *joints;
    uint32_t joint_count;
    size_t room;
} skin_builder;

// Set joints and weights of the vertices of `mesh` in `to`.
void import_weights(assimp_importer *importer, skin_builder *skin, uint32_t node,
                    const struct aiMesh *mesh, tenon_primitive *to);

// Report nodes whose motion skinned meshes do not follow.
void import_report_skin_motion(assimp_importer *importer);

// The image for a texture of Assimp's; TENON_NONE if it has none (import_images.c).
uint32_t import_image(assimp_importer *importer, const char *path);

// The bytes of a PNG file, to be freed by the caller; NULL if it cannot be made. Pixels have 3 or 4
// channels (import_png.c).
uint8_t *import_png(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels,
                    size_t *size);

// -- Inherited scales (import_inherit.c)

// A node's own transform at some time, as the file has it.
typedef mat4 import_local_fn(const void *user, uint32_t node);

// Whether a node is one that takes the scales above it in its own way.
bool import_inherits(const assimp_importer *importer, uint32_t node);

// The transform that puts such a node where the file says, in a scene whose nodes take all scales
// as they come: that of its own, where it cannot be found.
mat4 import_inherited(const assimp_importer *importer, uint32_t node, import_local_fn *own,
                      const void *user);

// -- Spaces (import_space.c)

vec3 import_point(const assimp_importer *importer,
                  vec3 p);  // Of a mesh, or how far something moves.
vec3 import_direction(const assimp_importer *importer,
                      vec3 d);  // Of length 1, or 0 if it has none.
quat import_rotation(const assimp_importer *importer, quat q);
mat4 import_matrix(const assimp_importer *importer, mat4 matrix);  // Within the scene: not turned.
mat4 import_local(const assimp_importer *importer, uint32_t node,
                  mat4 matrix);  // Of a node: roots are turned.

#endif  // TENON_IMPORT_SCENE_IMPORT_H
