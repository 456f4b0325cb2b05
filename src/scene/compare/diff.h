// diff.h: the parts of tenon_diff().
// SPDX-License-Identifier: MIT
//
// First the objects of both scenes are paired, list by list. Then pairs are compared, and objects
// without a partner are reported. References between objects are compared through the pairs, so
// that an object with another name or at another index is one difference and not many.

#ifndef TN_SCENE_COMPARE_DIFF_H
#define TN_SCENE_COMPARE_DIFF_H

#include "scene/compare/match.h"

#include <string.h>

// What can differ, in the order of the reports.
#define TN_DIFF_KINDS(X)                  \
    X(TN_DIFF_NAMES, "names")             \
    X(TN_DIFF_NODES, "nodes")             \
    X(TN_DIFF_PARENTS, "parents")         \
    X(TN_DIFF_TRANSFORMS, "transforms")   \
    X(TN_DIFF_REFERENCES, "references")   \
    X(TN_DIFF_MESHES, "meshes")           \
    X(TN_DIFF_COUNTS, "counts")           \
    X(TN_DIFF_BOUNDS, "bounds")           \
    X(TN_DIFF_TRIANGLES, "triangles")     \
    X(TN_DIFF_WINDINGS, "windings")       \
    X(TN_DIFF_ASSIGNMENTS, "assignments") \
    X(TN_DIFF_POSITIONS, "positions")     \
    X(TN_DIFF_NORMALS, "normals")         \
    X(TN_DIFF_TANGENTS, "tangents")       \
    X(TN_DIFF_UVS, "texture coordinates") \
    X(TN_DIFF_COLORS, "colors")           \
    X(TN_DIFF_WEIGHTS, "weights")         \
    X(TN_DIFF_MORPHS, "morph targets")    \
    X(TN_DIFF_SKINS, "skins")             \
    X(TN_DIFF_JOINTS, "joints")           \
    X(TN_DIFF_BINDS, "inverse binds")     \
    X(TN_DIFF_MATERIALS, "materials")     \
    X(TN_DIFF_TEXTURES, "textures")       \
    X(TN_DIFF_IMAGES, "images")           \
    X(TN_DIFF_ANIMATIONS, "animations")   \
    X(TN_DIFF_CHANNELS, "channels")       \
    X(TN_DIFF_EVENTS, "events")           \
    X(TN_DIFF_CAMERAS, "cameras")         \
    X(TN_DIFF_LIGHTS, "lights")           \
    X(TN_DIFF_EXTRAS, "extras")

typedef enum tn_diff_kind {
#define KIND(id, word) id,
    TN_DIFF_KINDS(KIND)
#undef KIND
        TN_DIFF_KIND_COUNT,
} tn_diff_kind;

typedef struct tn_diff_item {
    struct tn_diff_item *next;
    tenon_difference difference;
} tn_diff_item;

typedef struct tn_diff {
    tn_match_context context;  // Its memory is temporary, its error never NULL.
    const tenon_scene *scenes[2];
    double tolerance;
    double diagonal;  // Of the larger scene in its rest pose; 1 if nothing is visible.
    double *lengths;  // The diagonal in the space of the parent of each node of A.
    tn_pairing pairings[TN_OBJECT_LIST_COUNT];
    bool *is_unique[TN_OBJECT_LIST_COUNT][2];  // No other object of the list has its name.
    tn_arena report_arena;                     // For differences.
    tn_diff_item *first, **end;
    struct {
        uint32_t count;
        tn_diff_item *last;
    } kinds[TN_DIFF_KIND_COUNT];
    uint64_t count;
} tn_diff;

// -- Pairing (diff_pair.c)

// Pair the objects of all lists.
bool tn_pair_objects(tn_diff *diff);

// -- Reporting (diff_report.c)

typedef struct tn_diff_text {
    char text[512];
} tn_diff_text;

tn_diff_text tn_diff_print(const char *fmt, ...) TN_PRINTF(1, 2);

// A name for a path: its start, without control characters.
tn_diff_text tn_diff_name(tenon_str name);

// How paths refer to an object of scene `side`: by its name if that is unique, else by its index.
tn_diff_text tn_diff_label(const tn_diff *diff, int side, tn_object_list list, uint32_t index);

// Two objects that are compared; TENON_NONE if one does not exist.
typedef struct tn_object_pair {
    tn_object_list list;
    uint32_t a, b;
} tn_object_pair;

// "nodes[boom]", or "nodes[boom].property" if `property` is not empty.
tn_diff_text tn_diff_path(const tn_diff *diff, const tn_object_pair *pair, const char *property);

// Report one difference for `count` of them. `amount` is negative if there is none.
void tn_diff_report(tn_diff *diff, tn_diff_kind kind, const char *path, tenon_str a, tenon_str b,
                    double amount, uint64_t count);

// The same for C strings.
void tn_diff_report_words(tn_diff *diff, tn_diff_kind kind, const char *path, const char *a,
                          const char *b, double amount, uint64_t count);

// The same for a single difference of numbers.
void tn_diff_report_numbers(tn_diff *diff, tn_diff_kind kind, const char *path, const double *a,
                            const double *b, uint32_t count, double amount);

// -- Comparing values (diff_report.c)

// The distance between two points, as a share of `reference`, or of their distance from the origin
// if that is larger.
double tn_diff_distance(const double *a, const double *b, uint32_t count, double reference);

// The angle, in radians, between two rotations of length 1.
double tn_diff_angle(const double a[4], const double b[4]);

bool tn_diff_is_equal(const tn_diff *diff, double distance);

// Numbers as text, with enough digits to show where they differ.
void tn_diff_numbers_text(const double *a, const double *b, uint32_t count, tn_diff_text *a_text,
                          tn_diff_text *b_text);

// Compare a property of two objects and report a difference.
void tn_diff_numbers(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                     const char *property, const double *a, const double *b, uint32_t count,
                     double reference);
void tn_diff_number(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                    const char *property, double a, double b, double reference);
void tn_diff_texts(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                   const char *property, tenon_str a, tenon_str b);
void tn_diff_words(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                   const char *property, const char *a, const char *b);
void tn_diff_flags(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                   const char *property, bool a, bool b);

// The same for indices of objects of `list`, which are equal if the objects are partners.
void tn_diff_reference(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                       const char *property, tn_object_list list, uint32_t a, uint32_t b);

// Report the objects of a list that have no partner, and names that changed.
void tn_diff_unpaired(tn_diff *diff, tn_diff_kind kind, tn_object_list list);

// -- Lists

void tn_diff_nodes(tn_diff *diff);               // diff_node.c
void tn_diff_skins(tn_diff *diff);               // diff_node.c
void tn_diff_meshes(tn_diff *diff);              // diff_mesh.c, diff_piece.c
void tn_diff_materials(tn_diff *diff);           // diff_objects.c
void tn_diff_cameras_and_lights(tn_diff *diff);  // diff_objects.c
void tn_diff_extras(tn_diff *diff);              // diff_objects.c
void tn_diff_animations(tn_diff *diff);          // diff_motion.c

#endif  // TN_SCENE_COMPARE_DIFF_H
