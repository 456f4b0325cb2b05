// gltf_export_vertices.c: positions, colors and influences, which are examined before they are
// written. Streams that several primitives share are examined once.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <math.h>
#include <string.h>

#define JOINTS_MOST  65536u
#define WEIGHT_SLACK 1e-7  // How far from 1 a sum of weights may be.

// -- Positions

// 'min' and 'max'.
static const float *gltf_bounds_of(gltf_exporter *exporter, const float *values, uint32_t count)
{
    float *bounds = gltf_alloc(exporter, 6, sizeof *bounds);
    if (!bounds) return NULL;
    for (int k = 0; k < 3; k++) bounds[k] = bounds[3 + k] = values[k];
    for (uint64_t i = 1; i < count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            float v = values[3 * i + k];
            if (v < bounds[k]) bounds[k] = v;
            if (v > bounds[3 + k]) bounds[3 + k] = v;
        }
    }
    return bounds;
}

uint32_t gltf_add_positions(gltf_exporter *exporter, const float *positions, uint32_t count)
{
    uint32_t *place = gltf_find_planned(exporter, GLTF_POSITIONS, positions, NULL, count, 3);
    if (!place) return TENON_NONE;
    if (*place != TENON_NONE) return *place;
    uint32_t index = *place = gltf_add_accessor(exporter, GLTF_POSITIONS, positions, count, 3);
    if (index != TENON_NONE)
        exporter->accessors[index].bounds = gltf_bounds_of(exporter, positions, count);
    return index;
}

// -- Colors

// Whether every value is a multiple of 1/255.
static bool are_bytes(const float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        // Computed as double and rounded once: some machines keep more precision in between.
        float nearest = (float)((uint32_t)(values[i] * 255.0 + 0.5) / 255.0);
        if (nearest != values[i]) return false;
    }
    return true;
}

static uint64_t count_outside(const float *values, uint64_t count)
{
    uint64_t outside = 0;
    for (uint64_t i = 0; i < count; i++) outside += !(values[i] >= 0 && values[i] <= 1);
    return outside;
}

static const float *gltf_clamp(gltf_exporter *exporter, const float *values, uint64_t count)
{
    float *copy = gltf_alloc(exporter, count, sizeof *copy);
    for (uint64_t i = 0; copy && i < count; i++)
        copy[i] = values[i] > 1 ? 1 : values[i] >= 0 ? values[i] : 0;
    return copy;
}

uint32_t gltf_add_colors(gltf_exporter *exporter, const float *colors, uint32_t count,
                         uint32_t mesh)
{
    uint32_t *place = gltf_find_planned(exporter, GLTF_COLORS, colors, NULL, count, 4);
    if (!place) return TENON_NONE;
    if (*place != TENON_NONE) return *place;
    const float *values = colors;
    uint64_t outside = count_outside(values, 4 * (uint64_t)count);
    if (outside) {
        gltf_report_loss(exporter, GLTF_LOST_COLORS, outside, "meshes", mesh);
        values = gltf_clamp(exporter, values, 4 * (uint64_t)count);
    }
    if (!values) return TENON_NONE;
    bool as_bytes = are_bytes(values, 4 * (uint64_t)count);
    return *place =
               gltf_add_accessor(exporter, as_bytes ? GLTF_COLORS8 : GLTF_COLORS, values, count, 4);
}

// -- Influences

// Whether the influences of a vertex can be written as they are: no joint twice, joint 0 where the
// weight is 0, and a sum of 1 within the precision of floats.
static bool is_clean(gltf_exporter *exporter, const uint16_t *joints, const float *weights,
                     uint32_t count)
{
    double sum = 0;
    exporter->mark++;
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i];
        if (weights[i] == 0 && joints[i] != 0) return false;
        if (weights[i] == 0) continue;
        if (exporter->joint_marks[2 * joints[i]] == exporter->mark) return false;
        exporter->joint_marks[2 * joints[i]] = exporter->mark;
    }
    return fabs(sum - 1) <= WEIGHT_SLACK;
}

static void clean(gltf_exporter *exporter, uint16_t *joints, float *weights, uint32_t count)
{
    double sum = 0;
    exporter->mark++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *mark = &exporter->joint_marks[2 * joints[i]];
        sum += weights[i];
        if (weights[i] != 0 && mark[0] != exporter->mark) {
            mark[0] = exporter->mark;
            mark[1] = i;
            continue;
        }
        if (weights[i] != 0) weights[mark[1]] += weights[i];
        weights[i] = 0;
        joints[i] = 0;
    }
    for (uint32_t i = 0; i < count && sum > 0; i++) weights[i] = (float)(weights[i] / sum);
}

// Marks increase; before they overflow, all are reset.
static bool gltf_prepare_marks(gltf_exporter *exporter, uint32_t count)
{
    if (!exporter->joint_marks)
        exporter->joint_marks =
            gltf_alloc(exporter, JOINTS_MOST, 2 * sizeof *exporter->joint_marks);
    if (!exporter->joint_marks) return false;
    if (exporter->mark < UINT32_MAX / 2 && count < UINT32_MAX / 4) return true;
    memset(exporter->joint_marks, 0, JOINTS_MOST * 2 * sizeof *exporter->joint_marks);
    exporter->mark = 0;
    return true;
}

// Replace the influences by a clean copy if a vertex needs that.
static bool gltf_clean_all(gltf_exporter *exporter, const uint16_t **joints, const float **weights,
                           uint32_t count, uint32_t each)
{
    uint64_t first = 0;
    if (!gltf_prepare_marks(exporter, count)) return false;
    while (first < count &&
           is_clean(exporter, *joints + first * each, *weights + first * each, each))
        first++;
    if (first == count) return true;
    uint16_t *new_joints = gltf_alloc(exporter, (uint64_t)count * each, sizeof *new_joints);
    float *new_weights = gltf_alloc(exporter, (uint64_t)count * each, sizeof *new_weights);
    if (!new_joints || !new_weights || !gltf_prepare_marks(exporter, count)) return false;
    memcpy(new_joints, *joints, (size_t)count * each * sizeof *new_joints);
    memcpy(new_weights, *weights, (size_t)count * each * sizeof *new_weights);
    for (uint64_t i = first; i < count; i++)
        if (!is_clean(exporter, new_joints + i * each, new_weights + i * each, each))
            clean(exporter, new_joints + i * each, new_weights + i * each, each);
    *joints = new_joints;
    *weights = new_weights;
    return true;
}

static bool fit_bytes(const uint16_t *joints, uint64_t count)
{
    uint32_t most = 0;
    for (uint64_t i = 0; i < count; i++) most = joints[i] > most ? joints[i] : most;
    return most <= UINT8_MAX;
}

void gltf_add_influences(gltf_exporter *exporter, gltf_primitive *out, uint32_t count)
{
    const tenon_primitive *p = out->source;
    uint32_t each = p->influence_count;
    const uint16_t *joints = p->joints;
    const float *weights = p->weights;
    out->set_count = each / 4;
    uint32_t *place = gltf_find_planned(exporter, GLTF_JOINTS16, joints, weights, count, each);
    if (!place) return;
    if (*place == TENON_NONE) {
        *place = exporter->accessor_count;
        if (!gltf_clean_all(exporter, &joints, &weights, count, each)) return;
        gltf_stream stream =
            fit_bytes(joints, (uint64_t)count * each) ? GLTF_JOINTS8 : GLTF_JOINTS16;
        for (uint32_t k = 0; k < out->set_count; k++)
            gltf_add_accessor(exporter, stream, joints + 4 * (size_t)k, count, each);
        for (uint32_t k = 0; k < out->set_count; k++)
            gltf_add_accessor(exporter, GLTF_WEIGHTS, weights + 4 * (size_t)k, count, each);
    }
    out->joints = *place;
    out->weights = *place + out->set_count;
}
