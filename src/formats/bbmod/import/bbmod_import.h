// bbmod_import.h: importing a model, its materials and its animations.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BBMOD_IMPORT_BBMOD_IMPORT_H
#define TN_FORMATS_BBMOD_IMPORT_BBMOD_IMPORT_H

#include "core/text/tally.h"
#include "formats/bbmod/bbmod_tree.h"
#include "scene/model/scene_build.h"
#include "scene/model/scene_finish.h"
#include "scene/model/space.h"

#include <tenon/bbmod.h>

// How a mesh of the model is imported.
typedef struct bbmod_mesh_plan {
    uint32_t use_count;  // By nodes.
    bool is_shown;       // False: it is dropped.
    bool is_skinned;     // By the skin of the scene.
    uint32_t material;   // The scene's; TENON_NONE: it has none.
    uint32_t shared;     // The scene's mesh if several nodes use it; TENON_NONE: not added yet.
} bbmod_mesh_plan;

// What was lost, to be reported at the end.
typedef struct bbmod_mesh_tallies {
    tn_tally unused, empty, without_positions, unknown, partial, ids, without_weights, influences,
        materials, colors, without_bones, blended;
} bbmod_mesh_tallies;

typedef struct bbmod_importer {
    tn_scene_builder *builder;
    const tenon_bbmod *doc;
    tn_arena *scratch;  // Freed at the end of the import.
    bbmod_view view;
    bbmod_rig rig;                // Joint i is node i of the scene.
    bbmod_mesh_plan *mesh_plans;  // Of each mesh of the view.
    uint32_t *joint_of_slot;      // Index of the joint in the skin; TENON_NONE if there is none.
    uint32_t skin;                // The only one; TENON_NONE if there is none.
    float linear_levels[256];     // Linear values of color bytes.
    bbmod_mesh_tallies tallies;
} bbmod_importer;

// `count` zeroed temporary objects. NULL, and the builder fails, if there is no memory.
void *bbmod_import_scratch(bbmod_importer *importer, uint64_t count, size_t size);

// -- Parts

// Import a document. An animation alone is refused.
void bbmod_import(tn_scene_builder *builder, const void *doc);
void bbanim_import(tn_scene_builder *builder, const void *doc);

// Add the materials that are used, with the values of their sidecars, in bbmod_import_material.c.
void bbmod_import_materials(bbmod_importer *importer);

// Add the companions, which must be animations that fit the model, in bbmod_import_clip.c.
void bbmod_import_clips(bbmod_importer *importer);

#endif  // TN_FORMATS_BBMOD_IMPORT_BBMOD_IMPORT_H
