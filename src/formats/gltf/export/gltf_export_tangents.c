// gltf_export_tangents.c: tangents for meshes that have a normal texture but no tangents.
// SPDX-License-Identifier: MIT
//
// The tangent of a vertex is the mean direction of increasing u of the faces around it, weighted by
// area. Primitives that share vertices share tangents.

#include "formats/gltf/export/gltf_export.h"

#include "core/math/math.h"

#include <math.h>

// Tangents that are being computed: sums of directions and of handedness.
typedef struct gltf_tangent_sums {
    struct gltf_tangent_sums *next;
    const float *normals;
    float *tangents;
    uint32_t count;
} gltf_tangent_sums;

static tn_vec3 point(const float *values, uint32_t vertex)
{
    const float *v = values + 3 * (size_t)vertex;
    return (tn_vec3){v[0], v[1], v[2]};
}

// -- Faces

static void add_face(const tenon_primitive *p, const float *uvs, const uint32_t v[3],
                     float *tangents)
{
    const float *a = uvs + 2 * (size_t)v[0], *b = uvs + 2 * (size_t)v[1],
                *c = uvs + 2 * (size_t)v[2];
    tn_vec3 origin = point(p->positions, v[0]);
    tn_vec3 e1 = tn_vec3_sub(point(p->positions, v[1]), origin);
    tn_vec3 e2 = tn_vec3_sub(point(p->positions, v[2]), origin);
    double u1 = (double)b[0] - a[0], u2 = (double)c[0] - a[0];
    double v1 = (double)b[1] - a[1], v2 = (double)c[1] - a[1];
    double side = u1 * v2 - u2 * v1 > 0 ? 1 : -1;
    double area = tn_vec3_length(tn_vec3_cross(e1, e2));
    tn_vec3 t = tn_vec3_sub(tn_vec3_scale(e1, v2), tn_vec3_scale(e2, v1));
    t = tn_vec3_scale(tn_vec3_normalise(t), side * area);
    for (int k = 0; k < 3; k++) {
        float *sum = tangents + 4 * (size_t)v[k];
        sum[0] += (float)t.x, sum[1] += (float)t.y, sum[2] += (float)t.z;
        // v points down in the picture, the bitangent up.
        sum[3] -= (float)(side * area);
    }
}

static uint32_t corner(const tenon_primitive *p, uint32_t i)
{
    return p->indices ? p->indices[i] : i;
}

static void add_faces(const tenon_primitive *p, uint32_t uv_set, float *tangents)
{
    uint32_t count = p->indices ? p->index_count : p->vertex_count;
    bool is_strip = p->mode == TENON_TRIANGLE_STRIP, is_fan = p->mode == TENON_TRIANGLE_FAN;
    uint32_t step = is_strip || is_fan ? 1 : 3;
    for (uint64_t i = 0; i + 2 < count; i += step) {
        uint32_t at = (uint32_t)i, is_odd = is_strip && i % 2;
        uint32_t v[3] = {corner(p, is_fan ? 0 : at), corner(p, at + 1 + is_odd),
                         corner(p, at + 2 - is_odd)};
        add_face(p, p->uvs[uv_set], v, tangents);
    }
}

static uint32_t gltf_tangents_for(gltf_exporter *exporter, const tenon_primitive *p,
                                  uint32_t uv_set, uint32_t count)
{
    uint32_t *place =
        gltf_find_planned(exporter, GLTF_TANGENTS, p->normals, p->uvs[uv_set], count, 4);
    if (!place) return TENON_NONE;
    if (*place == TENON_NONE) {
        gltf_tangent_sums *sums = gltf_alloc(exporter, 1, sizeof *sums);
        float *tangents = gltf_alloc(exporter, count, 4 * sizeof *tangents);
        if (!sums || !tangents) return TENON_NONE;
        *sums = (gltf_tangent_sums){exporter->tangent_sums, p->normals, tangents, count};
        exporter->tangent_sums = sums;
        *place = gltf_add_accessor(exporter, GLTF_TANGENTS, tangents, count, 4);
    }
    if (*place == TENON_NONE) return TENON_NONE;
    add_faces(p, uv_set, (float *)(uintptr_t)exporter->accessors[*place].data);
    return *place;
}

// -- Vertices

// Any direction perpendicular to the normal.
static tn_vec3 across(tn_vec3 n)
{
    tn_vec3 axis = fabs(n.x) < 0.5 ? (tn_vec3){1, 0, 0} : (tn_vec3){0, 1, 0};
    return tn_vec3_normalise(tn_vec3_cross(axis, n));
}

static void finish_tangent(tn_vec3 n, float *tangent)
{
    tn_vec3 t = {tangent[0], tangent[1], tangent[2]};
    tn_vec3 flat = tn_vec3_sub(t, tn_vec3_scale(n, tn_vec3_dot(n, t)));
    bool has_direction = tn_vec3_length(flat) > 1e-4 * tn_vec3_length(t);
    t = has_direction ? tn_vec3_normalise(flat) : across(n);
    tangent[0] = (float)t.x, tangent[1] = (float)t.y, tangent[2] = (float)t.z;
    tangent[3] = tangent[3] < 0 ? -1 : 1;
}

static void gltf_finish(const gltf_tangent_sums *sums)
{
    for (uint32_t i = 0; i < sums->count; i++)
        finish_tangent(point(sums->normals, i), sums->tangents + 4 * (size_t)i);
}

// -- Meshes

static void gltf_add_to_primitive(gltf_exporter *exporter, gltf_primitive *p, uint32_t mesh)
{
    if (p->tangents != TENON_NONE || p->material == TENON_NONE) return;
    const gltf_material *m = &exporter->materials[p->material];
    if (!gltf_has_texture(exporter, m, TENON_SLOT_NORMAL)) return;
    uint32_t uv_set = exporter->scene->materials[m->source].textures[TENON_SLOT_NORMAL].uv_set;
    uint32_t count = exporter->accessors[p->positions].count;
    p->tangents = gltf_tangents_for(exporter, p->source, uv_set, count);
    gltf_report_loss(exporter, GLTF_LOST_TANGENTS, count, "meshes", mesh);
}

void gltf_add_tangents(gltf_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->mesh_count; i++)
        for (uint32_t k = 0; k < exporter->meshes[i].count && !exporter->failed; k++)
            gltf_add_to_primitive(exporter, &exporter->primitives[exporter->meshes[i].first + k],
                                  exporter->meshes[i].source);
    for (const gltf_tangent_sums *sums = exporter->tangent_sums; sums && !exporter->failed;
         sums = sums->next)
        gltf_finish(sums);
}
