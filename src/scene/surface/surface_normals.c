// surface_normals.c: normals and texture coordinates from where the vertices are.
// SPDX-License-Identifier: MIT

#include "scene/model/pieces.h"
#include "scene/surface/surface_private.h"

#include <math.h>

// A sum that is shorter than this share of its parts is what rounding left of nothing.
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

// The sum of the normals around a place, and of their weights.
typedef struct normal_sum {
    tn_vec3 sum;
    double weight;
} normal_sum;

// Add the normals of all faces to their corners; `first` (NULL: itself) is where a vertex' are.
static bool add_faces(const tenon_primitive *p, const uint32_t *first, tn_pulse *pulse,
                      normal_sum *out)
{
    uint64_t count = tn_has_faces(p) ? tn_piece_count(p) : 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!tn_goes_on(pulse, 1)) return false;
        uint32_t v[3];
        tn_piece_at(p, i, v);
        tn_vec3 n = tn_vec3_normalise(tn_face_area(p, v));
        if (n.x == 0 && n.y == 0 && n.z == 0) continue;
        for (uint32_t k = 0; k < 3; k++) {
            normal_sum *at = &out[first ? first[v[k]] : v[k]];
            double angle = tn_corner_angle(p, v, k);
            at->sum = tn_vec3_add(at->sum, tn_vec3_scale(n, angle));
            at->weight += angle;
        }
    }
    return true;
}

static bool has_direction(const normal_sum *a)
{
    return tn_vec3_length(a->sum) > CANCELLED * a->weight;
}

// Returns how many vertices have faces, but no direction.
static uint32_t take_means(const tenon_primitive *p, const uint32_t *first, const normal_sum *sums,
                           float *normals)
{
    uint32_t cancelled = 0;
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const normal_sum *at = &sums[first[i]];
        tn_vec3 n = has_direction(at) ? tn_vec3_normalise(at->sum) : (tn_vec3){0, 1, 0};
        tn_store_direction(normals + 3 * (size_t)i, n);
        cancelled += at->weight > 0 && !has_direction(at);
    }
    return cancelled;
}

// Where the faces around a place cancel out, take those of the vertex alone.
static bool take_own(const tenon_primitive *p, const uint32_t *first, const normal_sum *sums,
                     tn_arena *scratch, tn_pulse *pulse, float *normals)
{
    normal_sum *own = tn_arena_alloc(scratch, p->vertex_count, sizeof *own, NULL);
    if (!own || !add_faces(p, NULL, pulse, own)) return false;
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        if (has_direction(&sums[first[i]]) || !has_direction(&own[i])) continue;
        tn_store_direction(normals + 3 * (size_t)i, tn_vec3_normalise(own[i].sum));
    }
    return true;
}

bool tn_smooth_normals(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse, float *normals)
{
    tn_mark mark = tn_arena_mark(scratch);
    uint32_t *first = tn_arena_alloc(scratch, p->vertex_count, sizeof *first, NULL);
    normal_sum *sums = tn_arena_alloc(scratch, p->vertex_count, sizeof *sums, NULL);
    tn_key_layout layout = {1, {{p->positions, 3}}, true};
    bool ok = first && sums && tn_find_equal(&layout, p->vertex_count, scratch, pulse, first) &&
              add_faces(p, first, pulse, sums);
    if (ok && take_means(p, first, sums, normals) > 0)
        ok = take_own(p, first, sums, scratch, pulse, normals);
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

typedef struct box {
    double min[3], size[3];
} box;

static box box_around(const tenon_primitive *p)
{
    box out = {{0}, {0}};
    for (int k = 0; k < 3 && p->vertex_count; k++) {
        double min = (double)p->positions[k], max = min;
        for (uint32_t i = 1; i < p->vertex_count; i++) {
            double v = (double)p->positions[3 * (size_t)i + (size_t)k];
            min = v < min ? v : min;
            max = v > max ? v : max;
        }
        out.min[k] = min, out.size[k] = max - min;
    }
    return out;
}

// Which way a vertex looks: along its normal, or out of the middle of the box.
static void look_of(const tenon_primitive *p, uint32_t vertex, const double in_box[3],
                    double look[3])
{
    for (int k = 0; k < 3; k++)
        look[k] = p->normals ? (double)p->normals[3 * (size_t)vertex + (size_t)k] : in_box[k] - 0.5;
}

void tn_box_uvs(const tenon_primitive *p, float *uvs)
{
    box b = box_around(p);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        double at[3], look[3], u, v;
        for (int k = 0; k < 3; k++) {
            double place = (double)p->positions[3 * (size_t)i + (size_t)k] - b.min[k];
            at[k] = b.size[k] > 0 ? place / b.size[k] : 0;
        }
        look_of(p, i, at, look);
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
