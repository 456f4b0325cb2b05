// gltf_export_quantize.c: numbers of vertices as integers (KHR_mesh_quantization).
// SPDX-License-Identifier: MIT
//
// Positions are 16-bit numbers in a cube around the mesh, which a node below that of the mesh puts
// back; around all skinned meshes there is one cube, which their inverse bind matrices put back.
// The proof of the export measures what that changes.

#include "formats/gltf/export/gltf_export.h"

#include <math.h>
#include <string.h>

#define CUBE_LEAST 1e-30
#define CUBE_MOST  1e30

typedef struct gltf_box {
    double min[3], max[3], most;  // The largest offset of a morph target.
    bool is_used, is_exempt;      // It stays as it is.
} gltf_box;

static void gltf_export_quantize_add(gltf_box *box, const tenon_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const tenon_primitive *p = &mesh->primitives[i];
        for (uint64_t k = 0; k < 3 * (uint64_t)p->vertex_count; k++) {
            double v = (double)p->positions[k];
            if (k < 3 && !box->is_used) box->min[k] = box->max[k] = v;
            if (k == 2) box->is_used = true;
            if (v < box->min[k % 3]) box->min[k % 3] = v;
            if (v > box->max[k % 3]) box->max[k % 3] = v;
        }
        for (uint32_t n = 0; n < p->morph_count; n++)
            for (uint64_t k = 0; p->morphs[n].positions && k < 3 * (uint64_t)p->vertex_count; k++) {
                double v = fabs((double)p->morphs[n].positions[k]);
                box->most = v > box->most ? v : box->most;
            }
    }
}

static gltf_place gltf_export_quantize_cube(const gltf_box *box)
{
    gltf_place place = {.scale = box->most};
    for (int k = 0; k < 3; k++) {
        place.offset[k] = box->min[k];
        double extent = box->max[k] - box->min[k];
        place.scale = extent > place.scale ? extent : place.scale;
    }
    if (place.scale == 0) place.scale = 1;
    place.scale = (double)(float)place.scale;
    place.is_used =
        box->is_used && !box->is_exempt && place.scale >= CUBE_LEAST && place.scale <= CUBE_MOST;
    return place;
}

void gltf_export_plan_quantization(gltf_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    gltf_box skinned = {0};
    if (!exporter->export->opts->quantize || exporter->failed) return;
    gltf_box *boxes = gltf_export_alloc(exporter, scene->mesh_count, sizeof *boxes);
    bool *is_skinned = gltf_export_alloc(exporter, scene->mesh_count, sizeof *is_skinned);
    gltf_place *places =
        gltf_export_alloc(exporter, (uint64_t)scene->mesh_count + 1, sizeof *places);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        if (node->mesh == TENON_NONE) continue;
        // Instances apply to the node of the mesh itself.
        if (gltf_export_has_instances(exporter, node->origin)) boxes[node->mesh].is_exempt = true;
        if (node->skin != TENON_NONE) is_skinned[node->mesh] = true;
    }
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        gltf_export_quantize_add(&boxes[i], &scene->meshes[i]);
        if (is_skinned[i]) gltf_export_quantize_add(&skinned, &scene->meshes[i]);
        places[i] = gltf_export_quantize_cube(&boxes[i]);
    }
    places[scene->mesh_count] = gltf_export_quantize_cube(&skinned);
    for (uint32_t i = 0; i <= scene->mesh_count; i++) {
        uint32_t *first =
            gltf_export_find_planned_bytes(exporter, GLTF_POSITIONS16, &places[i],
                                           sizeof places[i].offset + sizeof places[i].scale);
        if (!first) return;
        if (*first == TENON_NONE) *first = i;
        places[i].first = &places[*first];
    }
    exporter->places = places;
}

const gltf_place *gltf_export_place_of(const gltf_exporter *exporter, uint32_t mesh,
                                       bool is_skinned)
{
    const gltf_place *place = exporter->places;
    if (place) place += is_skinned ? exporter->scene->mesh_count : mesh;
    return place && place->is_used ? place->first : NULL;
}

gltf_stream gltf_export_uv_stream(const gltf_exporter *exporter, const float *uvs, uint32_t count)
{
    bool is_inside = exporter->places != NULL;
    for (uint64_t i = 0; uvs && is_inside && i < 2 * (uint64_t)count; i++)
        is_inside = uvs[i] >= 0 && uvs[i] <= 1;
    return is_inside ? GLTF_UVS16 : GLTF_UVS;
}

void gltf_export_round_direction(const float from[3], float to[3])
{
    enum { ROUNDS_MOST = 8 };
    bool is_steady = false;
    memcpy(to, from, 3 * sizeof *to);
    for (int round = 0; round < ROUNDS_MOST && !is_steady; round++) {
        double length = 0;
        for (int k = 0; k < 3; k++) length += (double)to[k] * (double)to[k];
        is_steady = true;
        for (int k = 0; k < 3 && length > 0; k++) {
            double unit = (double)to[k] / sqrt(length);
            float next = (float)(floor(unit * INT8_MAX + 0.5) / INT8_MAX);
            is_steady = is_steady && next == to[k];
            to[k] = next;
        }
    }
}

// The largest weight of a vertex takes what the others lose, so that they still add up to 1.
const float *gltf_export_round_weights(gltf_exporter *exporter, const float *weights,
                                       uint32_t count, uint32_t each)
{
    float *rounded = gltf_export_alloc(exporter, (uint64_t)count * each, sizeof *rounded);
    for (uint64_t i = 0; rounded && i < count; i++) {
        const float *from = weights + i * each;
        float *to = rounded + i * each;
        double sum = 0;
        uint32_t largest = 0;
        for (uint32_t k = 0; k < each; k++) {
            to[k] = (float)floor((double)from[k] * UINT16_MAX + 0.5);
            sum += (double)to[k];
            if (from[k] > from[largest]) largest = k;
        }
        if (sum > 0) to[largest] += (float)(UINT16_MAX - sum);
        for (uint32_t k = 0; k < each; k++) to[k] = (float)((double)to[k] / UINT16_MAX);
    }
    return rounded;
}

void gltf_export_report_quantization(const gltf_exporter *exporter)
{
    static const struct {
        gltf_stream stream;
        const char *feature, *why;
    } streams[] = {{GLTF_NORMALS8, "normals", "rounded to 8 bits: at most half a degree off"},
                   {GLTF_TANGENTS8, "tangents", "rounded to 8 bits: at most half a degree off"},
                   {GLTF_UVS16, "texture coordinates",
                    "rounded to 16 bits: at most 1/131070 of the picture off"}};
    uint64_t counts[GLTF_STREAM_COUNT] = {0};
    for (uint32_t i = 0; i < exporter->accessor_count; i++)
        counts[exporter->accessors[i].stream] += exporter->accessors[i].count;
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
        tn_export_report(exporter->export, TENON_APPROXIMATED, streams[i].feature,
                         counts[streams[i].stream], "meshes", streams[i].why);
    uint64_t moved = counts[GLTF_POSITIONS16] + counts[GLTF_WEIGHTS16];
    if (moved)
        tn_export_approximate(exporter->export, TN_MEASURE_REMAINDER, "positions and weights",
                              moved, "meshes", "rounded to 16 bits");
}
