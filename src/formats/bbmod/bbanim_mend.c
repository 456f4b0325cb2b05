// bbanim_mend.c: a BBANIM file of which not everything could be read, or is as it was, made whole.
// SPDX-License-Identifier: MIT

#include "bbmod_format.h"

#include "../../core/span.h"

#include <string.h>

// -- Frames

// Whether eight numbers can be a dual quaternion: its first half has length 1, more or less.
static bool bbanim_is_rigid(const uint8_t *p)
{
    float q[8];
    double square = 0, sum = 0;
    tn_copy_numbers(q, p, 8, 4, false);
    for (int i = 0; i < 8; i++) sum += q[i];
    for (int i = 0; i < 4; i++) square += (double)q[i] * q[i];
    return sum - sum == 0 && square > 0.25 && square < 4;
}

static bool bbanim_frame_is_good(const tenon_span *frames, uint64_t frame)
{
    const uint64_t each = 8 * sizeof(float);
    const uint8_t *p = tn_span_record(frames, frame);
    for (uint64_t at = 0; at + each <= frames->layout->stride; at += each)
        if (!bbanim_is_rigid(p + at)) return false;
    return true;
}

// The first good frame, of which there is one.
static uint64_t bbanim_first_good(const bool *is_good)
{
    uint64_t i = 0;
    while (!is_good[i]) i++;
    return i;
}

// Frames that were damaged repeat the one before them; at the start, the first that was not.
static bool bbanim_mend_frames(tenon_bbanim *doc, const tn_change *change)
{
    tenon_span *frames = &doc->frames;
    uint64_t bad = 0, count = frames->count, stride = frames->layout ? frames->layout->stride : 0;
    if (!count || !stride) return true;
    bool *is_good = tn_arena_alloc(change->arena, count, sizeof *is_good, NULL);
    if (!is_good) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    for (uint64_t i = 0; i < count; i++) bad += !(is_good[i] = bbanim_frame_is_good(frames, i));
    if (!bad || bad == count) return true;
    uint8_t *copy = tn_arena_alloc(change->arena, frames->size, 1, NULL);
    if (!copy) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    memcpy(copy, frames->data, (size_t)frames->size);
    for (uint64_t i = 0, last = bbanim_first_good(is_good); i < count; i++) {
        if (is_good[i]) last = i;
        if (last != i) memcpy(copy + i * stride, frames->data + last * stride, (size_t)stride);
    }
    frames->data = copy;
    tn_lose(change, TENON_APPROXIMATED, "frames", bad,
            "they are damaged, and repeat the one before");
    return true;
}

bool bbanim_mend(void *any, const tn_change *change)
{
    tenon_bbanim *doc = any;
    doc->is_cut = false;
    if (doc->base.dialect->flags & TENON_BBANIM_KEYFRAMES) return true;
    if (doc->frames.count != doc->frame_count) {
        tn_lose(change, TENON_DROPPED, "frames", doc->frame_count - doc->frames.count,
                "the file ends before them: the clip is shorter");
        doc->frame_count = (uint32_t)doc->frames.count;
        doc->duration = (double)doc->frames.count;
    }
    return bbanim_mend_frames(doc, change);
}
