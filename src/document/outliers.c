// outliers.c: remove implausible values from the arrays of a damaged model.
// SPDX-License-Identifier: MIT

#include "document/outliers.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LARGEST_WEIGHT \
    16  // Some files have weights that do not sum to 1, but none are far from it.

// -- Losses

void tn_count_filtered(tn_filtered *patched, const char *path, uint64_t index)
{
    if (patched->count++ == 0) patched->first = tn_path("%s[%" PRIu64 "]", path, index);
}

void tn_report_filtered(const tn_change *change, const tn_filtered *patched, tenon_loss_kind kind,
                        const char *feature, const char *why)
{
    tenon_loss loss = {.kind = kind,
                       .feature = feature,
                       .why = why,
                       .count = patched->count,
                       .path = patched->first.text,
                       .is_damage = true};
    if (patched->count && change->opts->events.on_loss)
        change->opts->events.on_loss(change->opts->events.user, &loss);
}

void tn_report_mesh_outliers(const tn_change *change, const tn_mesh_outliers *patches)
{
    tn_report_filtered(change, &patches->triangles, TENON_DROPPED, "triangles",
                       "a corner is not finite, does not exist, or is far away from all others");
    tn_report_filtered(change, &patches->numbers, TENON_DEFAULTED, "numbers of vertices",
                       "not finite: set to 0");
    tn_report_filtered(change, &patches->weights, TENON_APPROXIMATED, "weights of vertices",
                       "implausible weights removed, and the others normalized");
}

uint8_t *tn_own_bytes(const tn_change *change, tenon_span *span)
{
    uint8_t *own = tn_change_alloc(change, span->size, 1, "changed data");
    if (!own) return NULL;
    if (span->size) memcpy(own, span->data, (size_t)span->size);
    span->data = own;
    return own;
}

// -- Vertices

void tn_add_positions(tn_magnitudes *m, const tenon_span *vertices, const tenon_element *position)
{
    float at[3];
    for (uint64_t i = 0; i < vertices->count; i++) {
        tn_span_vec3(vertices, position, i, at);
        tn_add_magnitude(m, at, 3);
    }
}

static bool outliers_is_stray(const tenon_span *vertices, const tenon_element *position,
                              uint64_t index, double limit)
{
    float at[3];
    tn_span_vec3(vertices, position, index, at);
    return !tn_is_plausible(at, 3, limit);
}

bool tn_find_outliers(const tn_change *change, const tenon_span *vertices,
                      const tenon_element *position, double limit, tn_outliers *outliers)
{
    uint64_t first = 0, count = vertices->count;
    *outliers = (tn_outliers){NULL, count};
    while (first < count && !outliers_is_stray(vertices, position, first, limit)) first++;
    if (first == count) return true;
    bool *are = tn_change_alloc(change, count, sizeof *are, "recovered data");
    for (uint64_t i = first; are && i < count; i++)
        are[i] = outliers_is_stray(vertices, position, i, limit);
    outliers->are = are;
    return are != NULL;
}

bool tn_hide_outliers(const tn_change *change, tenon_span *vertices, const tenon_element *position,
                      const tn_outliers *outliers)
{
    const size_t size = 3 * sizeof(float);
    uint64_t last = 0, stride = vertices->count ? vertices->layout->stride : 0;
    if (!outliers->are) return true;
    uint8_t *own = tn_own_bytes(change, vertices);
    if (!own) return false;
    uint8_t *at = own + position->offset;
    while (last < vertices->count && outliers->are[last]) last++;
    bool has_good = last < vertices->count;
    for (uint64_t i = 0; i < vertices->count; i++) {
        if (!outliers->are[i])
            last = i;
        else if (has_good)
            memcpy(at + i * stride, at + last * stride, size);
        else
            memset(at + i * stride, 0, size);
    }
    return true;
}

// -- Numbers

static bool outliers_element_is_finite(const uint8_t *bytes, uint64_t size, bool big_endian)
{
    for (uint64_t i = 0; i < size; i += 4) {
        float v = tn_load_f32(bytes + i, big_endian);
        if (!(v - v == 0)) return false;
    }
    return true;
}

bool tn_clear_numbers(const tn_change *change, tenon_span *span, const char *path,
                      tn_filtered *numbers)
{
    uint64_t first = span->count ? tn_span_not_finite(span, NULL) : TENON_ABSENT;
    if (first == TENON_ABSENT) return true;
    uint8_t *own = tn_own_bytes(change, span);
    if (!own) return false;
    for (uint64_t i = first; i < span->count; i++)
        for (uint32_t k = 0; k < span->layout->element_count; k++) {
            const tenon_element *e = &span->layout->elements[k];
            uint8_t *bytes = own + i * span->layout->stride + e->offset;
            uint64_t size = tn_element_size(e);
            if (e->type != TENON_TYPE_F32 ||
                outliers_element_is_finite(bytes, size, span->big_endian))
                continue;
            memset(bytes, 0, (size_t)size);
            tn_count_filtered(numbers, path, i);
        }
    return true;
}

// -- Triangles

static uint32_t outliers_load_index(const uint8_t *p, uint32_t width, bool big_endian)
{
    return width == 4 ? tn_load32(p, big_endian) : width == 2 ? tn_load16(p, big_endian) : *p;
}

static bool outliers_triangle_is_good(const tenon_span *indices, uint32_t width, uint64_t triangle,
                                      const tn_outliers *outliers)
{
    const uint8_t *p = indices->data + triangle * 3 * width;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t vertex = outliers_load_index(p + k * width, width, indices->big_endian);
        if (vertex >= outliers->vertex_count || (outliers->are && outliers->are[vertex]))
            return false;
    }
    return true;
}

bool tn_drop_triangles(const tn_change *change, tenon_span *indices, const tn_outliers *outliers,
                       const char *path, tn_filtered *triangles)
{
    if (!indices->size) return true;
    uint32_t width = tenon_type_size(indices->layout->elements[0].type);
    uint64_t each = 3 * (uint64_t)width, count = indices->size / each, kept = 0;
    if (!outliers->are && tn_span_top(indices) < outliers->vertex_count) return true;
    while (kept < count && outliers_triangle_is_good(indices, width, kept, outliers)) kept++;
    if (kept == count) return true;
    uint8_t *own = tn_own_bytes(change, indices);
    if (!own) return false;
    for (uint64_t i = kept; i < count; i++) {
        if (outliers_triangle_is_good(indices, width, i, outliers))
            memmove(own + each * kept++, own + each * i, (size_t)each);
        else
            tn_count_filtered(triangles, path, each * i / indices->layout->stride);
    }
    indices->size = each * kept;
    indices->count = indices->size / indices->layout->stride;
    return true;
}

bool tn_drop_corners(const tn_change *change, tenon_span *vertices, tn_outliers *outliers,
                     const char *path, tn_filtered *triangles)
{
    const bool *are = outliers->are;
    if (!are) return true;
    uint64_t each = 3 * vertices->layout->stride, kept = 0;
    uint8_t *own = tn_own_bytes(change, vertices);
    if (!own) return false;
    for (uint64_t i = 0; i < vertices->count / 3; i++) {
        if (are[3 * i] || are[3 * i + 1] || are[3 * i + 2])
            tn_count_filtered(triangles, path, 3 * i);
        else
            memmove(own + each * kept++, own + each * i, (size_t)each);
    }
    vertices->count = 3 * kept;
    vertices->size = each * kept;
    *outliers = (tn_outliers){NULL, vertices->count};
    return true;
}

// -- Influences

bool tn_weight_is_plausible(float weight)
{
    return fabsf(weight) <= LARGEST_WEIGHT;
}

void tn_share_weights(float *weights, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += (double)weights[i];
    if (!(sum > 0)) {
        memset(weights, 0, count * sizeof *weights);
        weights[0] = 1;
        return;
    }
    for (uint32_t i = 0; i < count; i++) weights[i] = (float)((double)weights[i] / sum);
}

// Correct the influences of a vertex. Returns whether something was wrong with them.
static bool outliers_mend_influences(float *joints, float *weights, uint32_t count,
                                     uint64_t joint_count)
{
    bool is_bad = false;
    for (uint32_t i = 0; i < count; i++) {
        bool has_joint =
            joints[i] >= 0 && joints[i] < (float)joint_count && floorf(joints[i]) == joints[i];
        if (tn_weight_is_plausible(weights[i]) && (has_joint || weights[i] == 0)) continue;
        is_bad = true;
        joints[i] = weights[i] = 0;
    }
    if (is_bad) tn_share_weights(weights, count);
    return is_bad;
}

bool tn_filter_influences(const tn_change *change, tenon_span *vertices,
                          const tenon_element *joints, const tenon_element *weights,
                          uint64_t joint_count, const char *path, tn_filtered *patched)
{
    uint8_t *own = NULL;
    if (!joints || !weights || joints->count != weights->count || joints->count > 4) return true;
    for (uint64_t i = 0; i < vertices->count; i++) {
        float j4[4], w4[4];
        tn_span_f32(vertices, joints, i, 1, j4);
        tn_span_f32(vertices, weights, i, 1, w4);
        if (!outliers_mend_influences(j4, w4, joints->count, joint_count)) continue;
        if (!own && !(own = tn_own_bytes(change, vertices))) return false;
        uint8_t *record = own + i * vertices->layout->stride;
        tn_copy_numbers(record + joints->offset, j4, joints->count, 4, vertices->big_endian);
        tn_copy_numbers(record + weights->offset, w4, weights->count, 4, vertices->big_endian);
        tn_count_filtered(patched, path, i);
    }
    return true;
}

// -- Records

// For each record of `size` bytes whether it is good, and how many are not; NULL if out of memory.
static bool *outliers_judge_records(const tn_change *change, const tenon_span *span, uint64_t size,
                                    tn_record_fn *is_good, const void *context, uint64_t *bad)
{
    uint64_t count = span->size / size;
    bool *are_good = tn_change_alloc(change, count, sizeof *are_good, "recovered data");
    *bad = 0;
    for (uint64_t i = 0; are_good && i < count; i++)
        *bad += !(are_good[i] = is_good(context, span->data + i * size));
    return are_good;
}

bool tn_keep_plausible(const tn_change *change, tenon_span *span, tn_record_fn *is_good,
                       const void *context, const char *path, tn_filtered *records)
{
    if (!span->count) return true;
    uint64_t bad, kept = 0, stride = span->layout->stride;
    const bool *are_good = outliers_judge_records(change, span, stride, is_good, context, &bad);
    if (!are_good) return false;
    if (!bad) return true;
    uint8_t *own = tn_own_bytes(change, span);
    if (!own) return false;
    for (uint64_t i = 0; i < span->count; i++) {
        if (are_good[i])
            memmove(own + stride * kept++, own + stride * i, (size_t)stride);
        else
            tn_count_filtered(records, path, i);
    }
    span->count = kept;
    span->size = kept * stride;
    return true;
}

bool tn_repeat_plausible(const tn_change *change, tenon_span *span, uint64_t size,
                         tn_record_fn *is_good, const void *context, const char *path,
                         tn_filtered *records)
{
    if (!span->size || !size) return true;
    uint64_t bad, last = 0, count = span->size / size;
    const bool *are_good = outliers_judge_records(change, span, size, is_good, context, &bad);
    if (!are_good) return false;
    if (!bad || bad == count) return true;
    uint8_t *own = tn_own_bytes(change, span);
    if (!own) return false;
    while (!are_good[last]) last++;
    for (uint64_t i = 0; i < count; i++) {
        if (are_good[i]) {
            last = i;
            continue;
        }
        memcpy(own + i * size, own + last * size, (size_t)size);
        tn_count_filtered(records, path, i);
    }
    return true;
}
