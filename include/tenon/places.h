// places.h: from triangles of a scene to bytes of its file, and back.
// SPDX-License-Identifier: MIT

#ifndef TENON_PLACES_H
#define TENON_PLACES_H

#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where something is in a file.
typedef struct tenon_place {
    char path[192];   // "meshes[2].vertices[7]"
    uint64_t offset;  // TENON_ABSENT: it is in no bytes of this file.
    uint64_t size;
} tenon_place;

// Where a triangle of a scene is in the file.
typedef struct tenon_traced {
    tenon_place triangle;    // What says which vertices it has.
    tenon_place corners[3];  // Its vertices, in the order of the scene; of several arrays that with
                             // the positions.
    uint64_t reserved[8];    // Zeros: room for what later versions add.
} tenon_traced;

// Find the bytes of triangle number `triangle` of a primitive of the mesh of a node, all of them
// numbers of the scene that tenon_to_scene() makes of `doc`. Strips and fans count their triangles
// from 0 as well. `opts` may be NULL. Returns false if there is no such triangle. It imports the
// document each time, and takes as long.
TENON_API bool tenon_trace(const tenon_doc *doc, uint32_t node, uint32_t primitive,
                           uint64_t triangle, const tenon_scene_opts *opts, tenon_traced *traced,
                           tenon_error *err);

// What a byte of a file is in its scene.
typedef struct tenon_corner {
    uint32_t node;       // The first that shows it.
    uint32_t primitive;  // Of the mesh of that node.
    uint64_t triangle;   // As tenon_trace() counts them.
    uint32_t corner;     // Which of its vertices, 0 to 2; TENON_NONE: the byte says which vertices
                         // the triangle has.
    uint64_t reserved[6];  // Zeros: room for what later versions add.
} tenon_corner;

// The reverse of tenon_trace(): find the first triangle that the byte at an offset of the file
// belongs to, or that has a vertex which the byte belongs to. `opts` may be NULL. Returns false,
// with TENON_ERR_VALUE, if there is none. It imports the document each time, and takes as long.
TENON_API bool tenon_trace_back(const tenon_doc *doc, uint64_t offset, const tenon_scene_opts *opts,
                                tenon_corner *corner, tenon_error *err);

// A place in a file, and what of the scene is there.
typedef struct tenon_traced_part {
    // Given: as a finding has them.
    const char *path;  // NULL: unknown.
    uint64_t offset;   // TENON_ABSENT: unknown.
    // Found.
    uint32_t mesh;          // Index into scene->meshes; TENON_NONE: the place is in no mesh.
    uint32_t primitive;     // Of the mesh; TENON_NONE: all of them.
    uint32_t vertex_count;  // 1: a vertex, 3: a triangle, 2: one whose third vertex does not
                            // exist; 0: all of the primitive.
    uint32_t vertices[3];
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_traced_part;

// Find what findings are about, in the scene that tenon_to_scene() makes of `doc`. Of a vertex that
// several primitives share, that is in the first of them; a polygon is its first triangle. `opts`
// may be NULL. It imports the document once for all places. Returns false on failure.
TENON_API bool tenon_trace_paths(const tenon_doc *doc, tenon_traced_part *places, uint32_t count,
                                 const tenon_scene_opts *opts, tenon_error *err);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLACES_H
