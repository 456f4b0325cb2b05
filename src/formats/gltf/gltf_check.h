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
    GLTF_RULE_USE,
    GLTF_RULE_PICTURE,
    // Nodes, meshes, skins, animations.
    GLTF_RULE_TREE,
    GLTF_RULE_TRANSFORM,
    GLTF_RULE_ATTRIBUTE,
    GLTF_RULE_INDEX_RANGE,
    GLTF_RULE_UNIT,
    GLTF_RULE_WEIGHTS,
    GLTF_RULE_JOINT_TWICE,
    GLTF_RULE_SKIN,
    GLTF_RULE_SKELETON,
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
    uint32_t *last_array, array_count;  // For each node: the last array that named it.
    bool *is_bad_buffer, *is_bad_view, *is_bad_accessor;  // What was told, and is not used again.
    uint8_t *looked;                                      // For each accessor: bits of gltf_look.
    uint32_t *top_value;     // For each accessor of whole numbers that was looked at: the largest.
    float *block;            // See gltf_some_floats().
    uint32_t *user_of_view;  // For each view: an accessor of vertices in it, plus 1.
    uint8_t *use_of_accessor, *use_of_view;  // Numbers of gltf_use; 0: nobody uses it.
    bool is_quantized;                       // KHR_mesh_quantization is used.
    uint32_t *top_joint;                     // For each mesh, plus 1; 0: it has none.
} gltf_checker;

// Whether the file says that it uses the extension.
bool gltf_uses_extension(const gltf_checker *c, const char *name, uint32_t size);

// Note that the value at `node` breaks a rule.
void gltf_found(gltf_checker *c, uint32_t rule, const tn_node *node, const char *fmt, ...)
    TN_PRINTF(4, 5);

// If the reader failed, that breaks the rule, and it can go on. Returns whether it had failed.
bool gltf_found_failure(gltf_checker *c, uint32_t rule);

// Let the reader go on after a failure that was told elsewhere; not without memory.
void gltf_forgive(gltf_checker *c);

// What accessors are looked through for. Many may share one: each is looked through once.
typedef enum gltf_look {
    GLTF_LOOK_UNITS = 1,
    GLTF_LOOK_COLORS = 2,
    GLTF_LOOK_TOP = 4,
    GLTF_LOOK_WEIGHTS = 8,
    GLTF_LOOK_BINDS = 16,
    GLTF_LOOK_TIMES = 32,
    GLTF_LOOK_TURNS = 64,
} gltf_look;

// Morph targets of the mesh that a node shows; 0 if it shows none.
uint32_t gltf_count_targets(const gltf_checker *c, const tn_node *node);

// Whether this is the first look at the accessor that the value names.
bool gltf_is_first_look(gltf_checker *c, const tn_node *accessor, gltf_look look);

// Whether the accessor that the value names is there and was not told to be bad.
bool gltf_is_good(const gltf_checker *c, const tn_node *accessor);

// All numbers of an accessor, in memory that goes when `mark` is rewound. NULL: they cannot be had.
float *gltf_all_floats(gltf_checker *c, const gltf_elements *e);

// Numbers of elements from `first` on, as many as fit a cache, in memory that the next call uses
// again. Of an accessor with sparse elements, all, as above. Returns how many elements; 0: these
// were all, or they cannot be had.
uint64_t gltf_some_floats(gltf_checker *c, const gltf_elements *e, uint64_t first,
                          const float **values);

// -- Parts, each in a file of its own

void gltf_check_values(gltf_checker *c);   // By tables: gltf_check_values.c
void gltf_check_bytes(gltf_checker *c);    // Buffers, views, accessors: gltf_check_bytes.c
void gltf_check_uses(gltf_checker *c);     // Purposes of these: gltf_check_uses.c
void gltf_check_images(gltf_checker *c);   // gltf_check_images.c
void gltf_check_skins(gltf_checker *c);    // gltf_check_skins.c
void gltf_check_meshes(gltf_checker *c);   // gltf_check_meshes.c
void gltf_check_objects(gltf_checker *c);  // Nodes, skins, clips: gltf_check_objects.c

// The joints and weights of a primitive: gltf_check_weights.c
void gltf_check_weights(gltf_checker *c, const tn_node *attributes, uint64_t vertices);

// The trees that joints are, from nodes in an order in which parents come first: gltf_check_skins.c
void gltf_check_joints(gltf_checker *c, const uint32_t *order);

#endif  // TN_GLTF_CHECK_H
