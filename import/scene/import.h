// import.h: converts what Assimp read to a scene.
// SPDX-License-Identifier: MIT
//
// The program runs once, for one file, under limits that tenon has set. It does not free all that
// it allocates, and it ends if memory runs out.

#ifndef TENON_IMPORT_SCENE_IMPORT_H
#define TENON_IMPORT_SCENE_IMPORT_H

#include "../system/import_memory.h"
#include "math3.h"

#include <tenon/scene.h>

#include <assimp/scene.h>

// A node of the scene.
typedef struct import_node {
    const struct aiNode *from;
    uint32_t parent;  // TENON_NONE if it is a root.
    vec3 post_move;   // Applied after the node, so that a camera or light looks along -Z.
    quat post_turn;
    bool has_post;
} import_node;

// The conversion from the file's space to the scene's: first scale, then turn.
typedef struct import_space {
    double scale;
    quat turn;
} import_space;

typedef struct assimp_importer {
    const char *name;  // Of the model's file, without its folder.
    const struct aiScene *assimp;
    tenon_scene *scene;
    import_space space;
    double unit;        // In meters; 0 if the file does not say.
    bool root_is_idle;  // Its children are roots; its transform is in `space`.
    import_node *nodes;
    uint32_t node_count;
    uint32_t *by_name;               // Nodes, sorted by name.
    uint32_t *camera_of, *light_of;  // For each node; TENON_NONE if it has none.
    uint32_t *materials;             // For each of Assimp's; TENON_NONE for the default one.
    uint32_t *embedded;          // Image of each of Assimp's textures; TENON_NONE if not added yet.
    uint32_t image_room;         // Images that fit into the allocated memory.
    struct import_loss *losses;  // In the order in which they were found.
} assimp_importer;

// -- Memory (import_losses.c)

// Zeroed memory that the scene owns. The program ends if there is none.
void *import_scene_alloc(assimp_importer *importer, uint64_t count, size_t size);

// Text for the scene: valid UTF-8 without control characters.
tenon_str import_text(assimp_importer *importer, const char *text, size_t size);

// -- Losses

// Report that something is not in the scene as it is in the file. Counts with the same `feature`
// and `why` pointers are added up. `path` (may be NULL) names the first one. A count of 0 is
// ignored.
void import_report_loss(assimp_importer *importer, tenon_loss_kind kind, const char *feature,
                        const char *why, uint64_t count, const char *path);

// Report that the file has something that changes poses or shapes and that the scene does not have,
// so that a comparison with the scene does not cover it.
void import_report_omission(assimp_importer *importer, const char *feature, const char *why,
                            uint64_t count, const char *path);

// Store losses, omissions, the unit and other facts of the file in extras of the scene, where tenon
// finds them.
void import_store_report(assimp_importer *importer);

// -- The parts

void import_find_space(assimp_importer *importer);
void import_find_nodes(assimp_importer *importer);
void import_nodes(assimp_importer *importer);
void import_materials(assimp_importer *importer);
void import_meshes(assimp_importer *importer);
void import_animations(assimp_importer *importer);
void import_cameras(assimp_importer *importer);

// A name in the file.
tenon_str import_name(assimp_importer *importer, const char *name);

// The node of that name; TENON_NONE if there is none.
uint32_t import_node_named(const assimp_importer *importer, const char *name);

// A node's local transform in the rest pose, in the file's space.
mat4 import_rest_transform(const assimp_importer *importer, uint32_t node);

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

// The image for the path of a texture; TENON_NONE if there is none (import_images.c).
uint32_t import_image(assimp_importer *importer, const char *path);

// The bytes of a PNG file, to be freed by the caller; NULL on failure. Pixels have 3 or 4
// channels (import_images.c).
uint8_t *import_png(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels,
                    size_t *size);

// -- Conversion from the file's space to the scene's (import_space.c)

// A position or translation.
vec3 import_point(const assimp_importer *importer, vec3 point);

// Any transform within the scene.
mat4 import_matrix(const assimp_importer *importer, mat4 matrix);

// The local transform of a node; roots are turned to the scene's axes.
mat4 import_local(const assimp_importer *importer, uint32_t node, mat4 matrix);

#endif  // TENON_IMPORT_SCENE_IMPORT_H
