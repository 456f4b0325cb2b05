// surface_private.h: what the files of surface.h share: equal vertices, corners of faces.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_SURFACE_SURFACE_PRIVATE_H
#define TN_SCENE_SURFACE_SURFACE_PRIVATE_H

#include "core/math/math.h"
#include "scene/surface/surface.h"

// Numbers as bits: `words` words of 32 bits for each vertex.
typedef struct tn_stream {
    const void *data;
    uint32_t words;
} tn_stream;

// The numbers by which vertices, or other items, are compared.
typedef struct tn_key_layout {
    uint32_t stream_count;
    const tn_stream *streams;
    bool zeros_are_equal;  // 0 and -0; only of floats.
} tn_key_layout;

// For each of `count` items the first one that is equal. False if out of memory or stopped.
bool tn_find_equal(const tn_key_layout *layout, uint32_t count, tn_arena *scratch, tn_pulse *pulse,
                   uint32_t *first);

tn_vec3 tn_position(const tenon_primitive *p, uint32_t vertex);

// The angle of a triangle at corner `k`, 0 to pi; 0 where an edge has no length.
double tn_corner_angle(const tenon_primitive *p, const uint32_t v[3], uint32_t k);

// The normal of a triangle. Its length is twice the area.
tn_vec3 tn_face_area(const tenon_primitive *p, const uint32_t v[3]);

// Store as floats. -0 becomes 0, so that equal directions have equal bits.
void tn_store_direction(float out[3], tn_vec3 v);

// Whether the primitive has triangles at all.
bool tn_has_faces(const tenon_primitive *p);

#endif  // TN_SCENE_SURFACE_SURFACE_PRIVATE_H
