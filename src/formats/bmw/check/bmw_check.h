// bmw_check.h: the rules for BMW, and the checker's context.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_CHECK_BMW_CHECK_H
#define TN_FORMATS_BMW_CHECK_BMW_CHECK_H

#include "core/text/text.h"
#include "formats/bmw/bmw_format.h"

#define BMW_SHADER_NODES 128  // Matrices in the engine's shader.

enum { BMW_RULE_COUNT = 56 };

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

// A finite number with three digits after the point, unless it is very large.
tn_shown bmw_check_number(double v);

void bmw_check_meshes(bmw_checker *checker);
void bmw_check_sidecar(bmw_checker *checker);

#endif  // TN_FORMATS_BMW_CHECK_BMW_CHECK_H
