// bplx_mend.c: a BPLX file of which only the beginning could be read, made whole.
// SPDX-License-Identifier: MIT

#include "bplx_format.h"

#include "../../core/span.h"

// Keep the first `count` records.
static void bplx_trim(tenon_span *span, uint64_t count)
{
    if (span->count <= count) return;
    span->count = count;
    span->size = count * span->layout->stride;
}

// A vertex is whole if all three arrays have it.
static void bplx_mend_vertices(tenon_bplx *doc, const tn_change *change)
{
    uint64_t count = doc->positions.count, stated = count;
    if (doc->normals.count < count) count = doc->normals.count;
    if (doc->uvs.count < count) count = doc->uvs.count;
    bplx_trim(&doc->positions, count);
    bplx_trim(&doc->normals, count);
    bplx_trim(&doc->uvs, count);
    tn_lose(change, TENON_DROPPED, "positions", stated - count,
            "the file ends before their normals or texture coordinates");
}

bool bplx_mend(void *any, const tn_change *change)
{
    tenon_bplx *doc = any;
    bplx_mend_vertices(doc, change);
    for (uint32_t i = 0; i < doc->bone_count; i++) {
        int64_t parent = doc->bones[i].parent_index;
        if (parent >= (int64_t)doc->bone_count) doc->bones[i].parent_index = -1;
    }
    return true;
}
