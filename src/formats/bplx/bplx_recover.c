// bplx_recover.c: complete a BPLX document of which only the beginning could be read.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_format.h"

#include "core/cursor/span.h"
#include "document/outliers.h"
#include "document/view.h"

#include <inttypes.h>

// Keep the first `count` records.
static void bplx_recover_trim(tenon_span *span, uint64_t count)
{
    if (span->count <= count) return;
    span->count = count;
    span->size = count * span->layout->stride;
}

// A vertex is complete if all three arrays have it.
static void bplx_recover_vertices(tenon_bplx *doc, const tn_change *change)
{
    uint64_t count = doc->positions.count, stated = count;
    if (doc->normals.count < count) count = doc->normals.count;
    if (doc->uvs.count < count) count = doc->uvs.count;
    bplx_recover_trim(&doc->positions, count);
    bplx_recover_trim(&doc->normals, count);
    bplx_recover_trim(&doc->uvs, count);
    tn_change_report(change, TENON_DROPPED, "positions", stated - count,
                     "the file ends before their normals or texture coordinates");
}

// -- Outliers

// Whether the bone of a key exists and its transform is plausible.
static bool bplx_recover_key_is_plausible(const void *context, const uint8_t *key)
{
    const tenon_bplx *doc = context;
    float v[10];
    tn_copy_numbers(v, key + 8, 10, 4, false);
    return tn_load32(key + 4, false) < doc->bone_count && tn_all_finite(v, 10) &&
           tn_is_plausible_rotation(v + 3);
}

static bool bplx_recover_filter_clips(tenon_bplx *doc, const tn_change *change)
{
    tn_filtered keys = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < doc->clip_count; i++)
        ok = tn_keep_plausible(change, &doc->clips[i].keyframes, bplx_recover_key_is_plausible, doc,
                               tn_path("clips[%" PRIu32 "].keyframes", i).text, &keys);
    tn_report_filtered(change, &keys, TENON_DROPPED, "keys of animations",
                       "the bone does not exist, or the position or rotation is not plausible");
    return ok;
}

bool bplx_recover(void *any, const tn_change *change)
{
    tenon_bplx *doc = any;
    bplx_recover_vertices(doc, change);
    for (uint32_t i = 0; i < doc->bone_count; i++) {
        int64_t parent = doc->bones[i].parent_index;
        if (parent >= (int64_t)doc->bone_count) doc->bones[i].parent_index = -1;
    }
    return tn_view_remove_outliers(change, &bplx_views, doc) &&
           bplx_recover_filter_clips(doc, change);
}
