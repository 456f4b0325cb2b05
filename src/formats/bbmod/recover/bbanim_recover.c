// bbanim_recover.c: recovering a damaged BBANIM file.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "document/outliers.h"

// -- Frames

// Whether eight numbers are a plausible dual quaternion: the length of its first half is about 1.
static bool bbanim_recover_is_rigid(const uint8_t *p)
{
    float q[8];
    tn_copy_numbers(q, p, 8, 4, false);
    return tn_all_finite(q, 8) && tn_is_plausible_rotation(q);
}

static bool bbanim_recover_frame_is_good(const void *context, const uint8_t *frame)
{
    const tenon_span *frames = context;
    const uint64_t each = 8 * sizeof(float);
    for (uint64_t at = 0; at + each <= frames->layout->stride; at += each)
        if (!bbanim_recover_is_rigid(frame + at)) return false;
    return true;
}

static bool bbanim_recover_frames(tenon_bbanim *doc, const tn_change *change)
{
    const tenon_span frames = doc->frames;
    tn_filtered bad = {0};
    uint64_t size = frames.count ? frames.layout->stride : 0;
    bool ok = tn_repeat_plausible(change, &doc->frames, size, bbanim_recover_frame_is_good, &frames,
                                  "frames", &bad);
    tn_report_filtered(change, &bad, TENON_APPROXIMATED, "frames",
                       "damaged; replaced by the previous frame");
    return ok;
}

bool bbanim_recover(void *any, const tn_change *change)
{
    tenon_bbanim *doc = any;
    doc->is_cut = false;
    if (doc->base.dialect->flags & TENON_BBANIM_KEYFRAMES) return true;
    if (doc->frames.count != doc->frame_count) {
        tn_change_report(change, TENON_DROPPED, "frames", doc->frame_count - doc->frames.count,
                         "the file ends before them; the clip is shorter");
        doc->frame_count = (uint32_t)doc->frames.count;
        doc->duration = (double)doc->frames.count;
    }
    return bbanim_recover_frames(doc, change);
}
