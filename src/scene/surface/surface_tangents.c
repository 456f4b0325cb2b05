// surface_tangents.c: tangents from normals and texture coordinates.
// SPDX-License-Identifier: MIT

#include "scene/model/pieces.h"
#include "scene/surface/surface_private.h"

#include <math.h>

// Sums over the faces around a vertex: [0] those that show the picture as it is, [1] those that
// show it mirrored. They are kept apart, since their directions would cancel out.
typedef struct tangent_sums {
    tn_vec3 sum[2];
    double area[2];
} tangent_sums;

static tn_vec3 surface_tangents_normal_at(const tenon_primitive *p, uint32_t vertex)
{
    const float *n = p->normals + 3 * (size_t)vertex;
    return (tn_vec3){(double)n[0], (double)n[1], (double)n[2]};
}

// The part of a direction that is at right angles to a unit normal.
static tn_vec3 surface_tangents_flatten(tn_vec3 v, tn_vec3 normal)
{
    return tn_vec3_sub(v, tn_vec3_scale(normal, tn_vec3_dot(v, normal)));
}

static void surface_tangents_add_face(const tenon_primitive *p, const uint32_t v[3],
                                      const uint32_t *first, tangent_sums *out)
{
    const float *a = p->uvs[0] + 2 * (size_t)v[0], *b = p->uvs[0] + 2 * (size_t)v[1];
    const float *c = p->uvs[0] + 2 * (size_t)v[2];
    double u1 = (double)b[0] - (double)a[0], v1 = (double)b[1] - (double)a[1];
    double u2 = (double)c[0] - (double)a[0], v2 = (double)c[1] - (double)a[1];
    double turn = u1 * v2 - u2 * v1, area = tn_vec3_length(tn_face_area(p, v));
    if (!(turn != 0 && area > 0)) return;
    tn_vec3 at = tn_position(p, v[0]);
    tn_vec3 e1 = tn_vec3_sub(tn_position(p, v[1]), at);
    tn_vec3 e2 = tn_vec3_sub(tn_position(p, v[2]), at);
    tn_vec3 along = tn_vec3_sub(tn_vec3_scale(e1, v2), tn_vec3_scale(e2, v1));
    along = tn_vec3_normalise(tn_vec3_scale(along, turn > 0 ? 1 : -1));
    // Where u and v turn like the face, v goes along cross(normal, u): the bitangent, which goes
    // up the picture, goes the other way.
    int side = turn > 0;
    for (uint32_t k = 0; k < 3; k++) {
        tangent_sums *sums = &out[first[v[k]]];
        tn_vec3 flat =
            tn_vec3_normalise(surface_tangents_flatten(along, surface_tangents_normal_at(p, v[k])));
        sums->sum[side] =
            tn_vec3_add(sums->sum[side], tn_vec3_scale(flat, tn_corner_angle(p, v, k)));
        sums->area[side] += area;
    }
}

void tn_any_tangent(const float normal[3], float tangent[3])
{
    tn_vec3 n = {(double)normal[0], (double)normal[1], (double)normal[2]};
    tn_vec3 axis = fabs(n.x) < 0.9 ? (tn_vec3){1, 0, 0} : (tn_vec3){0, 1, 0};
    tn_vec3 side = tn_vec3_normalise(tn_vec3_cross(n, axis));
    tn_store_direction(tangent, side);
}

bool tn_make_tangents(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse, float *tangents)
{
    tn_mark mark = tn_arena_mark(scratch);
    uint32_t *first = tn_arena_alloc(scratch, p->vertex_count, sizeof *first, NULL);
    tangent_sums *all = tn_arena_alloc(scratch, p->vertex_count, sizeof *all, NULL);
    const tn_stream streams[] = {{p->positions, 3}, {p->normals, 3}, {p->uvs[0], 2}};
    tn_key_layout layout = {p->uvs[0] ? 3 : 2, streams, true};
    bool ok = first && all && tn_find_equal(&layout, p->vertex_count, scratch, pulse, first);
    uint64_t count = ok && p->uvs[0] && tn_has_faces(p) ? tn_piece_count(p) : 0;
    for (uint64_t i = 0; ok && i < count; i++) {
        uint32_t v[3];
        tn_piece_at(p, i, v);
        surface_tangents_add_face(p, v, first, all);
        ok = tn_goes_on(pulse, 1);
    }
    for (uint32_t i = 0; ok && i < p->vertex_count; i++) {
        const tangent_sums *sums = &all[first[i]];
        int side = sums->area[1] > sums->area[0];
        tn_vec3 sum = sums->sum[side], t = tn_vec3_normalise(surface_tangents_flatten(
                                           sum, surface_tangents_normal_at(p, i)));
        float *tangent = tangents + 4 * (size_t)i;
        bool has_direction = tn_vec3_length(sum) > 1e-6 && !(t.x == 0 && t.y == 0 && t.z == 0);
        tangent[3] = side ? -1 : 1;
        if (has_direction)
            tn_store_direction(tangent, t);
        else
            tn_any_tangent(p->normals + 3 * (size_t)i, tangent);
    }
    tn_arena_rewind(scratch, mark);
    return ok;
}
