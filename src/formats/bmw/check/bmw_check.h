// bmw_check.h: the rules for BMW, and the checker's context.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_CHECK_BMW_CHECK_H
#define TN_FORMATS_BMW_CHECK_BMW_CHECK_H

#include "formats/bmw/bmw_format.h"

#define BMW_SHADER_NODES 128  // Matrices in the engine's shader.

enum {
    BMW_LAYOUT_OLD,
    BMW_NOT_FINITE,
    BMW_TEXT_UTF8,
    BMW_TEXTURE_COUNT,
    BMW_TEXTURE_NAME,
    BMW_TEXTURE_KIND,
    BMW_TEXTURE_PATH,
    BMW_TEXTURE_MISSING,
    BMW_NODE_ID_DUPLICATE,
    BMW_NODE_ID_ORDER,
    BMW_NODE_MESH,
    BMW_NODE_TRANSFORM,
    BMW_NAME_NODE,
    BMW_NAME_DUPLICATE,
    BMW_NAME_MISSING,
    BMW_MESH_REFERENCE,
    BMW_MESH_FACES,
    BMW_INDEX_RANGE,
    BMW_COLOR_RANGE,
    BMW_NORMAL_MISSING,
    BMW_WEIGHT_VERTEX,
    BMW_WEIGHT_NODE,
    BMW_WEIGHT_DUPLICATE,
    BMW_WEIGHT_SUM,
    BMW_WEIGHT_INFLUENCES,
    BMW_WEIGHT_MISSING,
    BMW_WEIGHT_UNMOVED,
    BMW_WEIGHT_MESHES,
    BMW_NODE_LIMIT,
    BMW_ANIMATION_EMPTY,
    BMW_ANIMATION_NODE,
    BMW_ANIMATION_DUPLICATE,
    BMW_ANIMATION_RATE,
    BMW_ANIMATION_FRAMES,
    BMW_ANIMATION_DURATION,
    BMW_ANIMATION_OLD,
    BMW_TICK_ZERO,
    BMW_MATRIX_ORDER,
    BMW_MATRIX_MIXED,
    BMW_MATRIX_AFFINE,
    BMW_MATRIX_SHEAR,
    BMW_SIDECAR_INVALID,
    BMW_SIDECAR_KEY,
    BMW_SIDECAR_AXIS,
    BMW_CLIP_MISSING,
    BMW_CLIP_DEFAULT,
    BMW_ONE_TICK_CLIP,
    BMW_CLIP_DUPLICATE,
    BMW_CLIP_RANGE,
    BMW_CLIP_ANIMATION,
    BMW_CLIP_TARGET,
    BMW_CLIP_FILE_PATH,
    BMW_CLIP_FILE_MISSING,
    BMW_CLIP_FILE,
    BMW_CLIP_NODES,
    BMW_ANIMATION_UNREACHED,
    BMW_RULE_COUNT,
};

extern const tenon_rule bmw_rules[BMW_RULE_COUNT];

// How a node is used.
typedef struct bmw_node_use {
    uint32_t animated_by;  // 1 + the last animation that moves it; 0: none.
    uint32_t weighted_by;  // 1 + the last mesh that has weights for it; 0: none.
} bmw_node_use;

// A check of one document.
typedef struct bmw_checker {
    tn_check *check;
    const tenon_bmw *doc;
    uint32_t flags;                   // Of the dialect.
    bool has_nodes;                   // False if a truncated file ends before them.
    bmw_sorted nodes;                 // By id.
    bmw_node_use *uses;               // One for each node.
    bool has_motion;                  // There are animations, here or in a clip's file.
    tenon_bmw_sidecar *sidecar;       // NULL: there is none, or it could not be read.
    char sidecar_name[64];            // Without control characters.
    const struct tenon_files *files;  // Never NULL.
} bmw_checker;

// The index of the node with that id; TENON_NONE: there is none.
uint32_t bmw_check_node_of_id(const bmw_checker *checker, uint32_t node_id);

// A finite number as text of at most TN_NUMBER_MAX bytes, with three digits after the point unless
// it is very large.
void bmw_check_number_text(double v, char *out);

// Meshes must be last: the others record which nodes are animated.
void bmw_check_motion(bmw_checker *checker);
void bmw_check_node_matrices(bmw_checker *checker);
void bmw_check_meshes(bmw_checker *checker);
void bmw_check_sidecar(bmw_checker *checker);

#endif  // TN_FORMATS_BMW_CHECK_BMW_CHECK_H
