// bmw_outliers.c: removes outliers from the arrays of a damaged BMW file.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_format.h"
#include "formats/bmw/bmw_names.h"

#include "core/cursor/span.h"
#include "document/outliers.h"
#include "document/view.h"

#include <inttypes.h>
#include <string.h>

// -- Weights

static bool bmw_outliers_has_node(const bmw_sorted *nodes, uint32_t id)
{
    return bmw_names_find(nodes, &(tenon_bmw_node){.node_id = id}) != TENON_ABSENT;
}

// Whether a node id and a weight are plausible.
static bool bmw_outliers_is_influence_plausible(const bmw_sorted *nodes, const uint8_t *p)
{
    return tn_weight_is_plausible(tn_load_f32(p + 4, false)) &&
           bmw_outliers_has_node(nodes, tn_load32(p, false));
}

// Remove implausible pairs of node id and weight from those at `p`, and normalize the others.
// Returns how many are left.
static uint32_t bmw_outliers_filter_influences(const bmw_sorted *nodes, uint8_t *p, uint32_t count)
{
    uint32_t kept = 0;
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *pair = p + 8 * (size_t)i;
        if (!bmw_outliers_is_influence_plausible(nodes, pair)) continue;
        sum += (double)tn_load_f32(pair + 4, false);
        memmove(p + 8 * (size_t)kept++, pair, 8);
    }
    if (kept == count) return kept;
    if (!(sum > 0)) return 0;
    for (uint32_t i = 0; i < kept; i++) {
        float share = (float)((double)tn_load_f32(p + 8 * (size_t)i + 4, false) / sum);
        tn_copy_numbers(p + 8 * (size_t)i + 4, &share, 1, 4, false);
    }
    return kept;
}

// Whether all weights of a mesh are plausible, as is usual.
static bool bmw_outliers_are_weights_plausible(const tenon_bmw_mesh *mesh, const bmw_sorted *nodes)
{
    const uint8_t *p = mesh->weighted_vertices.data;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        uint32_t count = tn_load32(p + 4, false);
        if (tn_load32(p, false) >= mesh->vertices.count) return false;
        p += 8;
        for (uint32_t k = 0; k < count; k++, p += 8)
            if (!bmw_outliers_is_influence_plausible(nodes, p)) return false;
    }
    return true;
}

static bool bmw_outliers_filter_weights(tenon_bmw_mesh *mesh, const bmw_sorted *nodes,
                                        const char *path, const tn_change *change,
                                        tn_filtered *weights)
{
    tenon_span *weighted = &mesh->weighted_vertices;
    if (!weighted->count || bmw_outliers_are_weights_plausible(mesh, nodes)) return true;
    uint8_t *own = tn_own_bytes(change, weighted), *from = own, *to = own;
    uint64_t kept = 0;
    if (!own) return false;
    for (uint64_t i = 0; i < weighted->count; i++) {
        uint32_t count = tn_load32(from + 4, false);
        bool has_vertex = tn_load32(from, false) < mesh->vertices.count;
        uint32_t left = has_vertex ? bmw_outliers_filter_influences(nodes, from + 8, count) : 0;
        size_t size = left || (has_vertex && !count) ? 8 + 8 * (size_t)left : 0;
        if (left < count || !size) tn_count_filtered(weights, path, i);
        tn_copy_numbers(from + 4, &left, 1, 4, false);
        memmove(to, from, size);
        to += size;
        kept += size > 0;
        from += 8 + 8 * (size_t)count;
    }
    weighted->count = kept;
    weighted->size = (uint64_t)(to - own);
    return true;
}

// -- Animations

// The first frame is exempt: that of the engine's own converter contains NaNs.
typedef struct bmw_frame_limit {
    double limit;
    const uint8_t *first;
} bmw_frame_limit;

static bool bmw_outliers_is_frame_plausible(const void *context, const uint8_t *frame)
{
    const bmw_frame_limit *limit = context;
    float m[16];
    tn_copy_numbers(m, frame, 16, 4, false);
    return frame == limit->first || tn_is_plausible(m, 16, limit->limit);
}

static double bmw_outliers_limit_of_frames(const tenon_bmw_animation *animation)
{
    tn_magnitudes sizes = {0};
    for (uint32_t i = 0; i < animation->bone_count; i++)
        for (uint64_t k = 0; k < animation->bones[i].frames.count; k++) {
            float m[16];
            tn_copy_numbers(m, animation->bones[i].frames.data + 64 * k, 16, 4, false);
            tn_add_magnitude(&sizes, m, 16);
        }
    return tn_usual_limit(&sizes);
}

// Drop bones whose node does not exist.
static void bmw_outliers_drop_bones(tenon_bmw_animation *animation, const bmw_sorted *nodes,
                                    const char *path, tn_filtered *bones)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < animation->bone_count; i++) {
        if (bmw_outliers_has_node(nodes, animation->bones[i].node_id))
            animation->bones[kept++] = animation->bones[i];
        else
            tn_count_filtered(bones, path, i);
    }
    animation->bone_count = kept;
}

static bool bmw_outliers_filter_frames(tenon_bmw_animation *animation, const char *path,
                                       const tn_change *change, tn_filtered *frames)
{
    bmw_frame_limit limit = {.limit = bmw_outliers_limit_of_frames(animation)};
    for (uint32_t i = 0; i < animation->bone_count; i++) {
        tenon_span *span = &animation->bones[i].frames;
        tn_path_text at = tn_path("%s[%" PRIu32 "].frames", path, i);
        limit.first = span->data;
        if (!tn_repeat_plausible(change, span, 64, bmw_outliers_is_frame_plausible, &limit, at.text,
                                 frames))
            return false;
    }
    return true;
}

static bool bmw_outliers_filter_animations(tenon_bmw *doc, const bmw_sorted *nodes,
                                           const tn_change *change)
{
    tn_filtered bones = {0}, frames = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < doc->animation_count; i++) {
        tn_path_text path = tn_path("animations[%" PRIu32 "].bones", i);
        bmw_outliers_drop_bones(&doc->animations[i], nodes, path.text, &bones);
        ok = bmw_outliers_filter_frames(&doc->animations[i], path.text, change, &frames);
    }
    tn_report_filtered(change, &bones, TENON_DROPPED, "bones of animations", "no node has this id");
    tn_report_filtered(change, &frames, TENON_APPROXIMATED, "frames",
                       "damaged; replaced by the previous frame");
    return ok;
}

bool bmw_remove_outliers(tenon_bmw *doc, const tn_change *change)
{
    bmw_sorted nodes = bmw_names_nodes_by_id(doc, change->arena);
    if (!nodes.items) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    tn_mesh_outliers removed = {0};
    bool ok = tn_view_remove_outliers(change, &bmw_views, doc);
    for (uint32_t i = 0; ok && i < doc->mesh_count; i++) {
        tn_path_text path = tn_path("meshes[%" PRIu32 "].weighted_vertices", i);
        ok = bmw_outliers_filter_weights(&doc->meshes[i], &nodes, path.text, change,
                                         &removed.weights);
    }
    tn_report_mesh_outliers(change, &removed);
    return ok && bmw_outliers_filter_animations(doc, &nodes, change);
}
