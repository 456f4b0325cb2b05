// fbx_rewrite.h: what Assimp would lose of an FBX file, kept or mended before it reads it.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_REWRITE_H
#define TENON_IMPORT_FBX_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Stands before a number behind the names of nodes that would be called like others.
#define FBX_DUPLICATE_MARK "_$TenonTwin$_"

// A take, which FBX calls animation stack. Times are in seconds.
typedef struct fbx_take {
    const char *name;
    size_t name_size;
    double start, stop;  // As in the file.
    bool has_range;      // They are known.
} fbx_take;

// How a node takes the scales of those above it, with the format's own numbers.
typedef enum fbx_inherit {
    FBX_SCALES_LAST = 0,         // All of them, behind its own rotation: nothing is sheared.
    FBX_SCALES_FIRST = 1,        // All of them, before it, as everywhere else.
    FBX_SCALES_NOT_PARENTS = 2,  // As the first, but without the scale of its parent itself.
} fbx_inherit;

typedef struct fbx_model {
    const char *name;
    size_t name_size;
    fbx_inherit inherit;
    double geometric_turn[3];  // Degrees around X, Y and Z, in this order.
    bool has_mesh;             // With at least one face.
} fbx_model;

// What neither Assimp nor we read.
typedef enum fbx_feature {
    FBX_NURBS_CURVES,
    FBX_NURBS_SURFACES,
    FBX_OTHER_GEOMETRY,
    FBX_BLEND_SHAPES,
    FBX_BLEND_SHAPE_CURVES,
    FBX_CACHES,
    FBX_SUBDIVISION,
    FBX_HOLES,
    FBX_CONSTRAINTS,
    FBX_DUAL_QUATERNIONS,
    FBX_ADDITIVE_CLUSTERS,
    FBX_SKIN_INSTANCES,
    FBX_VISIBILITY_CURVES,
    FBX_TCB_TANGENTS,
    FBX_BIASED_TANGENTS,
    FBX_OTHER_TICKS,
    FBX_HIDDEN,  // Drawn all the same.
    FBX_LEVELS_OF_DETAIL,
    FBX_FEATURE_COUNT
} fbx_feature;

// How often something occurs, and where first.
typedef struct fbx_finding {
    uint64_t count;
    const char *name;
    size_t name_size;
} fbx_finding;

typedef struct fbx_facts {
    char *program;     // That wrote the file; NULL or empty: not known.
    uint32_t version;  // Of the format, 7400 for 7.4; 0: not known.
    bool is_text;
    fbx_finding found[FBX_FEATURE_COUNT];
    bool is_rewritten;  // What is below is known.
    double base;        // Seconds: how much later Assimp says that everything happens.
    fbx_take *takes;
    uint32_t take_count;
    fbx_model *models;  // In the order of their names, which are unique.
    uint32_t model_count;
    uint32_t spheric_count;  // Models that turn in no order of axes.
    uint32_t layer_count;    // Layers of animations beyond the first of each take.
} fbx_facts;

bool fbx_detect(const void *data, size_t size);

// Mend the file, which becomes another one: *data is allocated. What cannot be understood is left
// as it is.
void fbx_rewrite(const void **data, size_t *size, fbx_facts *facts);

// The take of that name; NULL: not known.
const fbx_take *fbx_take_named(const fbx_facts *facts, const char *name);

// The model of that name; NULL: not known.
const fbx_model *fbx_model_named(const fbx_facts *facts, const char *name);

#endif  // TENON_IMPORT_FBX_REWRITE_H
