// surface_normals.c: compute normals and texture coordinates from positions.
// SPDX-License-Identifier: MIT

#include "core/math/bounds.h"
#include "scene/model/pieces.h"
#include "scene/surface/surface_private.h"

#include <math.h>

// A sum that is shorter than this share of its parts is 0 except for rounding.
#define CANCELLED 1e-6

// -- Faces

bool tn_has_faces(const tenon_primitive *p)
{
    return tn_piece_size(p->mode) == 3;
}

tn_vec3 tn_position(const tenon_primitive *p, uint32_t vertex)
{
    const float *v = p->positions + 3 * (size_t)vertex;
    return (tn_vec3){(double)v[0], (double)v[1], (double)v[2]};
}

tn_vec3 tn_face_area(const tenon_primitive *p, const uint32_t v[3])
{
    tn_vec3 a = tn_position(p, v[0]);
    return tn_vec3_cross(tn_vec3_sub(tn_position(p, v[1]), a),
                         tn_vec3_sub(tn_position(p, v[2]), a));
}

double tn_corner_angle(const tenon_primitive *p, const uint32_t v[3], uint32_t k)
{
    tn_vec3 here = tn_position(p, v[k]);
    tn_vec3 a = tn_vec3_sub(tn_position(p, v[(k + 1) % 3]), here);
    tn_vec3 b = tn_vec3_sub(tn_position(p, v[(k + 2) % 3]), here);
    return tn_atan2(tn_vec3_length(tn_vec3_cross(a, b)), tn_vec3_dot(a, b));
}

void tn_store_direction(float out[3], tn_vec3 v)
{
    out[0] = tn_to_float(v.x + 0.0), out[1] = tn_to_float(v.y + 0.0);
    out[2] = tn_to_float(v.z + 0.0);
}

// -- Smooth normals

// The sum of the normals of the faces around a position, and of their weights.
typedef struct normal_sum {
    tn_vec3 sum;
    double weight;
} normal_sum;

// Add the normal of each face to the sums of its corners. Vertex i has the sum `first[i]`, or i if
// that is NULL.
static bool surface_normals_add_faces(const tenon_primitive *p, const uint32_t *first,
                                      tn_pulse *pulse, normal_sum *sums)
{
    uint64_t count = tn_has_faces(p) ? tn_piece_count(p) : 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!tn_goes_on(pulse, 1)) return false;
        uint32_t v[3];
        tn_piece_at(p, i, v);
        tn_vec3 n = tn_vec3_normalise(tn_face_area(p, v));
        if (n.x == 0 && n.y == 0 && n.z == 0) continue;
        for (uint32_t k = 0; k < 3; k++) {
            normal_sum *at = &sums[first ? first[v[k]] : v[k]];
            double angle = tn_corner_angle(p, v, k);
            at->sum = tn_vec3_add(at->sum, tn_vec3_scale(n, angle));
            at->weight += angle;
        }
    }
    return true;
}

static bool surface_normals_has_direction(const normal_sum *normal)
{
    return tn_vec3_length(normal->sum) > CANCELLED * normal->weight;
}

bool tn_smooth_normals(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse, float *normals)
{
    tn_mark mark = tn_arena_mark(scratch);
    uint32_t *first = tn_arena_alloc(scratch, p->vertex_count, sizeof *first, NULL);
    normal_sum *sums = tn_arena_alloc(scratch, p->vertex_count, sizeof *sums, NULL);
    tn_key_layout layout = {1, &(tn_stream){p->positions, 3}, true};
    bool ok = first && sums && tn_find_equal(&layout, p->vertex_count, scratch, pulse, first) &&
              surface_normals_add_faces(p, first, pulse, sums);
    bool has_cancelled = false;
    for (uint32_t i = 0; ok && i < p->vertex_count; i++) {
        const normal_sum *at = &sums[first[i]];
        tn_vec3 n =
            surface_normals_has_direction(at) ? tn_vec3_normalise(at->sum) : (tn_vec3){0, 1, 0};
        tn_store_direction(normals + 3 * (size_t)i, n);
        has_cancelled |= at->weight > 0 && !surface_normals_has_direction(at);
    }
    if (has_cancelled) {
        normal_sum *own = tn_arena_alloc(scratch, p->vertex_count, sizeof *own, NULL);
        ok = own && surface_normals_add_faces(p, NULL, pulse, own);
        for (uint32_t i = 0; ok && i < p->vertex_count; i++)
            if (!surface_normals_has_direction(&sums[first[i]]) &&
                surface_normals_has_direction(&own[i]))
                tn_store_direction(normals + 3 * (size_t)i, tn_vec3_normalise(own[i].sum));
    }
    tn_arena_rewind(scratch, mark);
    return ok;
}

// -- Flat normals

void tn_flat_normals(const tenon_primitive *p, float *normals)
{
    for (uint32_t i = 0; i < p->vertex_count; i++)
        tn_store_direction(normals + 3 * (size_t)i, (tn_vec3){0, 1, 0});
    uint64_t count = tn_has_faces(p) ? tn_piece_count(p) : 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v[3];
        tn_piece_at(p, i, v);
        tn_vec3 n = tn_vec3_normalise(tn_face_area(p, v));
        if (n.x == 0 && n.y == 0 && n.z == 0) continue;
        for (uint32_t k = 0; k < 3; k++) tn_store_direction(normals + 3 * (size_t)v[k], n);
    }
}

// -- Texture coordinates

void tn_box_uvs(const tenon_primitive *p, float *uvs)
{
    tn_bounds box = tn_bounds_empty();
    for (uint32_t i = 0; i < p->vertex_count; i++)
        tn_bounds_add_f32(&box, p->positions + 3 * (size_t)i);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const float *position = p->positions + 3 * (size_t)i;
        double at[3], look[3], u, v;  // Where the vertex is in the box, and which way it faces.
        for (int k = 0; k < 3; k++) {
            double size = box.max[k] - box.min[k], offset = (double)position[k] - box.min[k];
            at[k] = size > 0 ? offset / size : 0;
            look[k] = p->normals ? (double)p->normals[3 * (size_t)i + (size_t)k] : at[k] - 0.5;
        }
        double x = fabs(look[0]), y = fabs(look[1]), z = fabs(look[2]);
        // Seen from outside, u goes to the right and v down; from above and below, -z is up.
        if (y > x && y > z)
            u = at[0], v = look[1] < 0 ? 1 - at[2] : at[2];
        else if (x > z)
            u = look[0] < 0 ? at[2] : 1 - at[2], v = 1 - at[1];
        else
            u = look[2] < 0 ? 1 - at[0] : at[0], v = 1 - at[1];
        uvs[2 * (size_t)i] = tn_to_float(u), uvs[2 * (size_t)i + 1] = tn_to_float(v);
    }
}
