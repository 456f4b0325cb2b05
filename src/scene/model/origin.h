// origin.h: where the triangles of a scene are in the file that it is imported from.
// SPDX-License-Identifier: MIT
//
// Only an import for tenon_trace() and the like collects origins. A format reports that of each
// primitive, in the words of its document.

#ifndef TN_SCENE_MODEL_ORIGIN_H
#define TN_SCENE_MODEL_ORIGIN_H

#include "scene/model/scene_build.h"

#define TN_ORIGIN_PATH    160
#define TN_ORIGIN_STREAMS 16

// An array of the document.
typedef struct tn_origin_array {
    char path[TN_ORIGIN_PATH];  // "": there is none.
    uint32_t per_record;        // Items in one record; 0: 1.
    uint32_t records;           // Records of one item, as of numbers; 0: 1.
    // Of an array of bytes, in place of records:
    const char *base;  // the path of the field in which
    uint64_t first;    // its items start at this offset,
    uint32_t stride;   // how far apart they are; 0: it has records,
    uint32_t size;     // and how large.
} tn_origin_array;

typedef struct tn_origin {
    tn_origin_array corners;  // Says which vertices form triangles; none: they are in order.
    const uint32_t *triangle_firsts;  // The first corner of each triangle in it; NULL: in order.
    const uint32_t *triangle_sizes;   // How many of its items each has; NULL: 3.
    tn_origin_array vertices;         // Has the positions.
    const uint32_t *vertex_items;     // The item of each vertex; NULL: in order.
    // Others with an item for each vertex, such as normals. Those beside the positions in a
    // structure of the document are not listed.
    tn_origin_array streams[TN_ORIGIN_STREAMS];
    // For tenon_trace_paths() only:
    char part[TN_ORIGIN_PATH];        // All that is in it is about this primitive; "": nothing.
    const char *const *beside;        // The names of the arrays beside that of the positions that
                                      // have an item for each vertex, up to a NULL; NULL: none.
    char influences[TN_ORIGIN_PATH];  // Has the weights of one vertex in each record; "": none.
    const uint32_t *influence_items;  // The vertices of these records,
    uint32_t influence_count;         // and how many they are.
} tn_origin;

typedef struct tn_origin_entry {
    const tenon_primitive *primitive;
    tn_origin origin;
} tn_origin_entry;

typedef struct tn_origins {
    tn_scene_list list;
    tn_origin_entry *entries;
    uint32_t count;
} tn_origins;

// Report the origin of a primitive, once its indices are known: its lists are copied. Does nothing
// unless origins are collected.
void tn_add_origin(tn_scene_builder *builder, const tenon_primitive *p, const tn_origin *origin);

// The vertices of triangle number `triangle` that is drawn of a primitive, before the scene is
// finished, and its number with those that are not drawn. False if there is none.
bool tn_find_triangle(const tenon_primitive *p, uint64_t triangle, uint64_t *number,
                      uint32_t vertices[3]);

// The reverse: the first triangle with item number `item` of the vertices, and which of its corners
// that is, or with item number `item` of the corners. False if there is none.
bool tn_find_vertex(const tn_origin_entry *entry, uint64_t item, uint64_t *triangle,
                    uint32_t *corner);
bool tn_find_item(const tn_origin_entry *entry, uint64_t item, uint64_t *triangle);

#endif  // TN_SCENE_MODEL_ORIGIN_H
