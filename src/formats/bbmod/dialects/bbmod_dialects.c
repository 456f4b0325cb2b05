// bbmod_dialects.c: changing the dialect of a model, or the dialect or spaces of an animation.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/dialects/bbmod_dialects.h"
#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define RATE_DEFAULT 60.0  // Frames per second, as the converter samples.

// -- Memory

void *bbmod_alloc(bbmod_converter *converter, uint64_t count, size_t size, const char *what)
{
    const tn_change *change = converter->change;
    tn_refusal why;
    void *memory = converter->failed ? NULL : tn_arena_alloc(change->arena, count, size, &why);
    if (memory || converter->failed) return memory;
    converter->failed = true;
    if (why == TN_OVER_LIMIT && size && count <= UINT64_MAX / size)
        tn_error(change->err, TENON_ERR_LIMIT,
                 "the changed %s need %" PRIu64 " bytes, the memory limit of %" PRIu64
                 " leaves %" PRIu64,
                 what, count * size, change->arena->limit,
                 change->arena->limit - change->arena->used);
    else
        (void)tn_arena_fail(change->arena, why, what, change->err);
    return NULL;
}

bool bbmod_dialects_refuse(bbmod_converter *converter, tn_refusal why, const char *what)
{
    converter->failed = true;
    return tn_arena_fail(converter->change->arena, why, what, converter->change->err);
}

bool bbmod_dialects_view(bbmod_converter *converter, const tenon_bbmod *doc, bbmod_view *view)
{
    tn_refusal why;
    if (converter->failed) return false;
    return bbmod_tree_view_make(view, doc, converter->change->arena, &why) ||
           bbmod_dialects_refuse(converter, why, "the changed nodes");
}

bool bbmod_dialects_rig(bbmod_converter *converter, const bbmod_view *view, bbmod_rig *rig)
{
    tn_refusal why;
    if (converter->failed) return false;
    return bbmod_rig_make(rig, view, converter->change->arena, &why) ||
           bbmod_dialects_refuse(converter, why, "the changed nodes");
}

// Drop the bytes after the end of a document whose dialect changes. Several dialects are recognized
// by where they end, so another dialect could read these bytes as data.
static void bbmod_dialects_drop_trailing(const tn_change *change, tenon_doc *next)
{
    tn_change_report(change, TENON_DROPPED, "bytes after the end", next->trailing.size,
                     "another dialect could read them as data");
    next->trailing = (tenon_span){0};
}

// -- Derived fields

bool bbmod_dialects_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_bbmod *doc = any;
    (void)arena;
    (void)err;
    bbmod_version version = bbmod_version_of(doc->base.dialect);
    doc->version_major = version.major;
    doc->version_minor = version.minor;
    return true;
}

// -- Changing a model

bool bbmod_change(void *any, const tn_change *change)
{
    tenon_bbmod *doc = any;
    bbmod_converter converter = {.change = change, .next = *doc};
    tenon_bbmod *next = &converter.next;
    bool is_other = change->to != doc->base.dialect;
    if (is_other) bbmod_upgrade(&converter);
    if (is_other && !converter.failed) bbmod_downgrade(&converter);
    if (converter.failed) return false;
    if (is_other) bbmod_dialects_drop_trailing(change, &next->base);
    bool has_boxes = (change->to->flags & TENON_BBMOD_BOUNDS) != 0;
    bool were_stored = bbmod_tree_has(doc, TENON_BBMOD_BOUNDS);
    for (uint32_t i = 0; has_boxes && i < next->mesh_count; i++) {
        bool is_missing =
            is_other && (!were_stored || bbmod_vertices_box_is_unset(&next->meshes[i]));
        if (is_missing || change->opts->refresh) bbmod_bake_set_bounds(&next->meshes[i]);
    }
    bbmod_tree_item root = {.node = &next->root};
    if (change->opts->refresh) next->node_count = (uint32_t)bbmod_tree_count(&root);
    *doc = *next;
    return true;
}

// -- The model

bool bbanim_dialects_needs_model(bbmod_converter *converter, const char *why)
{
    if (converter->has_rig) return true;
    converter->failed = true;
    return tn_error(converter->change->err, TENON_ERR_UNSUPPORTED,
                    "%s requires the model, which was not given", why);
}

// -- Repeated and single frames

// Each record is the list of all frames: keep the first record.
static void bbanim_dialects_drop_repeated(bbmod_converter *converter)
{
    tenon_bbanim *next = &converter->clip;
    uint64_t count = next->frames.count;
    tenon_span frames;
    uint8_t *bytes;
    if (count == 0 || !bbanim_spaces_new_frames(converter, next->spaces, count, &frames, &bytes))
        return;
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t e = 0; e < frames.layout->element_count; e++) {
            const tenon_element *element = &frames.layout->elements[e];
            size_t size = (size_t)tn_element_size(element);
            memcpy(bytes + i * frames.layout->stride + element->offset,
                   bbanim_spaces_rows(next, element->name, 0) + i * size, size);
        }
    next->frames = frames;
    tn_change_report(converter->change, TENON_DROPPED, "repeated frames", count * (count - 1),
                     "each frame was stored as the list of all frames");
}

// Whether a dialect stores a single frame, whatever the duration.
static bool bbanim_dialects_has_one_frame(uint32_t flags)
{
    return (flags & TENON_BBANIM_DOCUMENT) && !(flags & TENON_BBANIM_ALL_FRAMES);
}

// Repeat the only frame for the whole duration. If the duration is invalid or needs too much
// memory, bbanim_change() reports it.
static void bbanim_dialects_hold_frame(bbmod_converter *converter)
{
    tenon_bbanim *next = &converter->clip;
    double count = ceil(next->duration);
    uint64_t stride = next->frames.count == 1 ? next->frames.layout->stride : 0;
    if (!stride || !(count > 1 && count < UINT32_MAX)) return;
    tn_refusal why;
    uint8_t *bytes =
        tn_arena_alloc(converter->change->arena, (uint64_t)count, (size_t)stride, &why);
    if (!bytes && why == TN_OUT_OF_MEMORY)
        (void)bbmod_dialects_refuse(converter, why, "the changed frames");
    if (!bytes) return;
    for (uint64_t i = 0; i < (uint64_t)count; i++)
        memcpy(bytes + i * stride, next->frames.data, (size_t)stride);
    next->frames = bbmod_span(bytes, (uint64_t)count, next->frames.layout);
}

// -- Changing an animation

// Whether a dialect stores frames in parent space only, whatever spaces the file declares.
static bool bbanim_dialects_is_literal(uint32_t flags)
{
    return (flags & TENON_BBANIM_DOCUMENT) && !(flags & TENON_BBANIM_ALL_SPACES);
}

static void bbanim_dialects_convert(bbmod_converter *converter)
{
    const tn_change *change = converter->change;
    tenon_bbanim *next = &converter->clip;
    uint32_t from = next->base.dialect->flags, to = change->to->flags;
    bool is_other = change->to != next->base.dialect;
    if (is_other && (from & TENON_BBANIM_REPEATED)) bbanim_dialects_drop_repeated(converter);
    if (is_other && (from & TENON_BBANIM_DOCUMENT)) {
        // Clear the spaces that the file declares, but its dialect does not store.
        uint8_t others = next->spaces & ~bbanim_describe_stored_spaces(from, next->spaces) &
                         (TENON_BBANIM_WORLD | TENON_BBANIM_BONE);
        next->spaces &= (uint8_t)~others;
        bool has_world = others & TENON_BBANIM_WORLD, has_bone = others & TENON_BBANIM_BONE;
        tn_change_report(change, TENON_DROPPED, "spaces", (uint64_t)has_world + has_bone,
                         "the file declares these spaces, but stores no frames for them");
    }
    bool is_held = !bbanim_dialects_has_one_frame(to) && !(to & TENON_BBANIM_KEYFRAMES);
    if (bbanim_dialects_has_one_frame(from) && is_held) bbanim_dialects_hold_frame(converter);
    if (converter->failed) return;
    if (from & to & TENON_BBANIM_KEYFRAMES) {
        if (is_other) bbanim_keys_rekey(converter);
        return;
    }
    if (from & TENON_BBANIM_KEYFRAMES)
        bbanim_keys_bake(converter, change->opts->rate > 0 ? change->opts->rate : RATE_DEFAULT);
    if (converter->failed) return;
    if (to & TENON_BBANIM_KEYFRAMES) {
        bbanim_keys_unbake(converter);
        return;
    }
    uint8_t wanted = change->opts->spaces ? (uint8_t)change->opts->spaces : next->spaces;
    if (is_other && bbanim_dialects_is_literal(to)) wanted = TENON_BBANIM_PARENT;
    bbanim_spaces_respace(converter, wanted);
    if (converter->failed || !is_other || !bbanim_dialects_has_one_frame(to)) return;
    // Keep one frame. Frames equal to the first do not count as lost.
    uint64_t stride = next->frames.count ? next->frames.layout->stride : 0, lost = 0;
    for (uint64_t i = 1; i < next->frames.count; i++)
        lost += memcmp(next->frames.data + i * stride, next->frames.data, (size_t)stride) != 0;
    if (next->frames.count) next->frames.count = 1;
    next->frames.size = stride;
    tn_change_report(change, TENON_DROPPED, "frames", lost, "this dialect stores only one frame");
}

// Why the requested change is not possible; NULL if it is.
static const char *bbanim_dialects_refusal(const tenon_bbanim *doc, const tn_change *change)
{
    uint32_t spaces = change->opts->spaces, flags = change->to->flags;
    uint32_t known = TENON_BBANIM_PARENT | TENON_BBANIM_WORLD | TENON_BBANIM_BONE;
    double rate = change->opts->rate;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    if (change->to != doc->base.dialect && (flags & TENON_BBANIM_REPEATED))
        return "the dialect 'repeated' is a bug of the runtime and can only be read";
    if (rate > 0 && !has_keys && rate != doc->tics_per_second)
        return "the rate can be changed only for keyframes, not for baked frames";
    if (rate > 0 && has_keys && (flags & TENON_BBANIM_KEYFRAMES))
        return "the rate applies only if keyframes are converted to frames (version 3)";
    if (spaces & ~known) return "the spaces must be a combination of 1, 2 and 4";
    if (spaces && (flags & TENON_BBANIM_KEYFRAMES))
        return "spaces can be chosen only for baked frames, not for keyframes";
    if (spaces && (flags & TENON_BBANIM_REPEATED))
        return "the frames must be repaired first: change the dialect to 3.4";
    if ((spaces & ~(uint32_t)TENON_BBANIM_PARENT) && bbanim_dialects_is_literal(flags))
        return "this dialect stores frames in parent space only";
    return NULL;
}

bool bbanim_change(void *any, const tn_change *change)
{
    tenon_bbanim *doc = any;
    bbmod_converter converter = {.change = change, .clip = *doc};
    tenon_bbanim *next = &converter.clip;
    const tenon_bbmod *model = tenon_as_bbmod((tenon_doc *)change->opts->model);
    const char *refusal = bbanim_dialects_refusal(doc, change);
    if (refusal) return tn_error(change->err, TENON_ERR_UNSUPPORTED, "%s", refusal);
    if (change->opts->model && (!model || bbmod_tree_is_v0_doc(model)))
        return tn_error(change->err, TENON_ERR_UNSUPPORTED, "the given model has no nodes");
    if (model) {
        bbmod_view view;
        if (!bbmod_dialects_view(&converter, model, &view) ||
            !bbmod_dialects_rig(&converter, &view, &converter.rig))
            return false;
        converter.has_rig = true;
        bbanim_misfit misfit = bbanim_fit_rig(next, &converter.rig);
        if (misfit.what)
            return tn_error(change->err, TENON_ERR_VALUE,
                            "the animation is for %u %s, but the model has %u", misfit.expected,
                            misfit.what, misfit.has);
    }
    bbanim_dialects_convert(&converter);
    if (converter.failed) return false;
    bool is_other = change->to != doc->base.dialect;
    bool has_events = (change->to->flags & TENON_BBANIM_EVENTS) != 0;
    if (is_other || has_events) next->has_events = 0;
    if (is_other && !has_events) {
        tn_change_report(change, TENON_DROPPED, "events", next->event_count,
                         "only version 3.4 and later store events");
        next->event_count = 0;
    }
    if (is_other) bbmod_dialects_drop_trailing(change, &next->base);
    // Readers interpret a fraction of a frame by the file size, which has changed, so the duration
    // is set to the number of frames.
    uint32_t flags = change->to->flags;
    bool has_duration = !(flags & TENON_BBANIM_KEYFRAMES) && !bbanim_dialects_has_one_frame(flags);
    bool has_rows =
        bbanim_frame_size(next->spaces, next->model_node_count, next->model_bone_count) > 0;
    double count = (double)next->frames.count;
    if ((is_other || change->opts->refresh) && has_duration && has_rows &&
        next->duration != count) {
        tn_change_report(change, TENON_APPROXIMATED, "duration", 1,
                         "set to the number of stored frames");
        next->duration = count;
    }
    *doc = *next;
    return true;
}

// -- Derived fields of an animation

bool bbanim_dialects_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_bbanim *doc = any;
    uint32_t flags = doc->base.dialect->flags;
    bbmod_version version = bbanim_version_of(doc->base.dialect);
    if (!(flags & TENON_BBANIM_REPEATED)) {
        doc->version_major = version.major;
        doc->version_minor = version.minor;
    }
    if (flags & TENON_BBANIM_KEYFRAMES) return true;
    uint8_t stored = bbanim_describe_stored_spaces(flags, doc->spaces);
    // Frames that were not read have no layout, but writing needs one.
    if (!doc->frames.layout && !(flags & TENON_BBANIM_REPEATED)) {
        tn_refusal why;
        doc->frames.layout = bbanim_layout_of_frames(stored, doc->model_node_count,
                                                     doc->model_bone_count, arena, &why);
        if (!doc->frames.layout) return tn_arena_fail(arena, why, "the layout of frames", err);
    }
    doc->frame_count = (uint32_t)doc->frames.count;
    if (bbanim_dialects_has_one_frame(flags)) {
        // Readers expect one frame, or none if a frame has no bytes.
        uint64_t expected = doc->frames.layout->stride > 0;
        if (doc->frames.count == expected) return true;
        return tn_error(err, TENON_ERR_UNSUPPORTED,
                        "this dialect stores %" PRIu64 " frame%s, but the animation has %" PRIu64,
                        expected, expected == 1 ? "" : "s", doc->frames.count);
    }
    bool has_rows = bbanim_frame_size(stored, doc->model_node_count, doc->model_bone_count) > 0;
    bool fits = ceil(doc->duration) == doc->frame_count || floor(doc->duration) == doc->frame_count;
    if (has_rows && !fits) doc->duration = doc->frame_count;
    return true;
}
