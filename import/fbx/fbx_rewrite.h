// fbx_rewrite.h: rewrites an FBX file so that Assimp reads it correctly, and collects facts.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_REWRITE_H
#define TENON_IMPORT_FBX_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Precedes the number that is added to a name that is not unique.
#define FBX_DUPLICATE_MARK "_$TenonTwin$_"

// A take, which FBX calls animation stack. Times are in seconds.
typedef struct fbx_take {
    const char *name;
    size_t name_size;
    double start, stop;  // As in the file.
    bool has_range;      // The times are known.
} fbx_take;

// How a node inherits the scales of its ancestors. The numbers are those of the format.
typedef enum fbx_inherit {
    FBX_SCALES_LAST = 0,         // After its own rotation: nothing is sheared.
    FBX_SCALES_FIRST = 1,        // Before its own rotation, as everywhere else.
    FBX_SCALES_NOT_PARENTS = 2,  // As FBX_SCALES_LAST, without the scale of its parent.
} fbx_inherit;

typedef struct fbx_model {
    const char *name;
    size_t name_size;
    fbx_inherit inherit;
    double geometric_rotation[3];  // Degrees around X, Y and Z, in this order.
    bool has_mesh;                 // With at least one face.
} fbx_model;

// What neither Assimp nor Tenon reads.
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
    FBX_HIDDEN,  // Drawn anyway.
    FBX_LEVELS_OF_DETAIL,
    FBX_FEATURE_COUNT
} fbx_feature;

// How often something occurs, and the name of the first object.
typedef struct fbx_finding {
    uint64_t count;
    const char *name;
    size_t name_size;
} fbx_finding;

typedef struct fbx_facts {
    char *program;     // That wrote the file; NULL or empty if unknown.
    uint32_t version;  // Of the format, 7400 for 7.4; 0 if unknown.
    bool is_text;
    fbx_finding found[FBX_FEATURE_COUNT];
    bool is_rewritten;  // The members below are valid.
    double base;        // Seconds that Assimp's times are ahead of the file's.
    fbx_take *takes;
    uint32_t take_count;
    fbx_model *models;  // Sorted by name; names are unique.
    uint32_t model_count;
    uint32_t spheric_count;  // Models with the rotation order "spheric".
    uint32_t layer_count;    // Animation layers after the first of each take.
} fbx_facts;

// Whether the data begins as binary or text FBX does.
bool fbx_detect(const void *data, size_t size);

// Replace the file by a rewritten one: *data is allocated. A file that cannot be parsed is left
// unchanged.
void fbx_rewrite(const void **data, size_t *size, fbx_facts *facts);

// The take of that name; NULL if there is none.
const fbx_take *fbx_take_named(const fbx_facts *facts, const char *name);

// The model of that name; NULL if there is none.
const fbx_model *fbx_model_named(const fbx_facts *facts, const char *name);

#endif  // TENON_IMPORT_FBX_REWRITE_H
