// gltf_check.h: the rules for glTF, and what the sources that apply them share.
// SPDX-License-Identifier: MIT

#ifndef TN_GLTF_CHECK_H
#define TN_GLTF_CHECK_H

#include "../../core/check.h"
#include "gltf_read.h"

enum {
    // The container and the text.
    GLTF_RULE_CHUNK,
    GLTF_RULE_CHUNK_UNKNOWN,
    GLTF_RULE_TEXT,
    GLTF_RULE_VERSION,
    GLTF_RULE_EXTENSION,
    GLTF_RULE_EXTENSION_UNKNOWN,
    // Values, by the tables of the specification.
    GLTF_RULE_TYPE,
    GLTF_RULE_MISSING,
    GLTF_RULE_VALUE,
    GLTF_RULE_SIZE,
    GLTF_RULE_INDEX,
    GLTF_RULE_DUPLICATE,
    GLTF_RULE_MEMBER,
    // Bytes.
    GLTF_RULE_BYTES,
    GLTF_RULE_ALIGNMENT,
    GLTF_RULE_BOUNDS,
    GLTF_RULE_NOT_FINITE,
    // Nodes, meshes, skins, animations.
    GLTF_RULE_TREE,
    GLTF_RULE_TRANSFORM,
    GLTF_RULE_ATTRIBUTE,
    GLTF_RULE_INDEX_RANGE,
    GLTF_RULE_UNIT,
    GLTF_RULE_WEIGHTS,
    GLTF_RULE_SKIN,
    GLTF_RULE_KEYS,
    // What keeps a file from being read that no rule above explains.
    GLTF_RULE_UNREADABLE,
    GLTF_RULE_COUNT,
};

extern const tenon_rule gltf_rules[GLTF_RULE_COUNT];

typedef struct gltf_checker {
    tn_check *check;
    gltf_reader r;       // Its failures become findings.
    uint64_t errors;     // Findings that are errors.
    tn_builder builder;  // Of a scene that nobody sees.
    tenon_error err;
} gltf_checker;

// Note that the value at `node` breaks a rule.
void gltf_found(gltf_checker *c, uint32_t rule, const tn_node *node, const char *fmt, ...)
    TN_PRINTF(4, 5);

// If the reader failed, that breaks the rule, and it can go on. Returns whether it had failed.
bool gltf_found_failure(gltf_checker *c, uint32_t rule);

// -- Parts, each in a file of its own

void gltf_check_values(gltf_checker *c);   // By tables: gltf_check_values.c
void gltf_check_bytes(gltf_checker *c);    // Buffers, views, accessors: gltf_check_bytes.c
void gltf_check_objects(gltf_checker *c);  // Nodes, meshes, skins, clips: gltf_check_objects.c

#endif  // TN_GLTF_CHECK_H
