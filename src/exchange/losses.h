// losses.h: what a format cannot hold of a scene, computed from a table of its limits.
// SPDX-License-Identifier: MIT
//
//     static const tn_limit bplx_limits[] = {
//         {.feature = TN_HAS_TANGENTS},
//         {.feature = TN_HAS_UV_SETS, .most = 1, .why = "BPLX supports one set"},
//         {.is_lost = bplx_has_other_alpha, .name = "alpha modes", .why = "BPLX stores ..."},
//     };
//
// Rows speak of the whole scene, also of what no node uses. The path of a loss is that of the first
// object. What is not listed fits, or the format reports it itself. Approximations whose error is
// measured are always reported by the format: see tn_export_approximate().

#ifndef TN_EXCHANGE_LOSSES_H
#define TN_EXCHANGE_LOSSES_H

#include "exchange/export.h"

typedef enum tn_feature {
    TN_MATERIALS_IF,  // Materials of which `is_lost` is true.

    // Primitives of all meshes.
    TN_HAS_TANGENTS,
    TN_HAS_UV_SETS,     // That have a set whose number is `most` or more.
    TN_HAS_COLOR_SETS,  // The same.
    TN_HAS_WEIGHTS,

    // Meshes.
    TN_HAS_UNUSED_MESHES,  // By no node.
    TN_HAS_SHARED_MESHES,  // By several nodes.
    TN_HAS_MORPHS,         // Morph targets.
    TN_HAS_MESH_NAMES,     // Other than that of a node with the mesh: for each such node.

    // Materials.
    TN_HAS_METAL,       // That have metalness and roughness instead of a specular color.
    TN_HAS_BASE_ALPHA,  // Of the base color, other than 1.
    TN_HAS_DOUBLE_SIDES,
    TN_HAS_UNLIT,
    TN_HAS_STRENGTHS,      // Of normals or occlusion, other than 1.
    TN_HAS_TEXTURES,       // That have a texture in a slot which is not a bit of `most`.
    TN_HAS_TEXTURE_WRAPS,  // That do not repeat a texture in a slot which is a bit of `most`.

    // Objects of other lists: those after the first `most`.
    TN_HAS_SKINS,
    TN_HAS_ANIMATIONS,
    TN_HAS_CAMERAS,
    TN_HAS_LIGHTS,
    TN_HAS_EXTRAS,

    // Parts of objects.
    TN_HAS_SKIN_ROOTS,
    TN_HAS_SCALE_CHANNELS,
    TN_HAS_EVENTS,
    TN_HAS_SCENE_NAME,
    TN_HAS_PICTURE_NAMES,  // See tn_export_report_picture_names().
    TN_FEATURE_COUNT,
} tn_feature;

#define TN_SLOT_BIT(slot) (1u << (slot))
#define TN_ALL_SLOTS      (TN_SLOT_BIT(TENON_SLOT_COUNT) - 1)

typedef struct tn_limit {
    tn_feature feature;
    uint32_t most;         // How much of it fits; of textures: bits of slots.
    tenon_loss_kind kind;  // TENON_DROPPED: the usual one of the feature.
    const char *name;      // In the report; NULL: the usual one of the feature.
    const char *why;       // NULL: the usual reason, or "not supported by" the format.
    bool (*is_lost)(const tenon_material *material);
} tn_limit;

// Compare the scene of an export with the limits of a format and report what does not fit, in the
// order of the rows. `title` is the format's, as shown to people.
void tn_report_limits(const tn_export *export, const char *title, const tn_limit *limits,
                      size_t limit_count);

#endif  // TN_EXCHANGE_LOSSES_H
