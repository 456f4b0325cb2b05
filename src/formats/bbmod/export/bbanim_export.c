// bbanim_export.c: exporting each clip of a scene as a BBMOD animation with baked frames.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <math.h>
#include <string.h>

#define ROW_SIZE    32  // Bytes of a dual quaternion.
#define WHOLE       1e-6
#define FRAMES_MOST 1e8

// -- Dialects

// The dialect of animations for a dialect of models; NULL: that dialect has no animations.
static const tenon_dialect *bbanim_export_dialect_for(const tenon_dialect *model)
{
    const tenon_format *format = &tn_bbanim_format.face;
    if (!model) return tenon_dialect_by_name(format, bbmod_newest_dialect()->name);
    if (model->flags & TENON_BBMOD_NO_BONE_COUNT) return NULL;
    if (model->flags & TENON_BBMOD_NESTED) return tenon_dialect_by_name(format, "1");
    if (model->flags & TENON_BBMOD_DOCUMENT) return tenon_dialect_by_name(format, "document");
    return tenon_dialect_by_name(format, model->name);
}

// -- Frames

static bool bbanim_export_fill_frames(bbmod_exporter *exporter, const tenon_animation *animation,
                                      const tn_motion *motion, tenon_bbanim *doc)
{
    const tn_export *export = exporter->export;
    double rate = doc->tics_per_second, whole = floor(animation->duration * rate + 0.5), last = 0;
    if (!(whole <= FRAMES_MOST))
        return tn_error(export->err, TENON_ERR_LIMIT, "a clip is too long to sample");
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const tenon_channel *channel = &animation->channels[i];
        double time = (double)channel->times[channel->key_count - 1];
        if (channel->key_count > 1 && time > last) last = time;
    }
    // The last frame is shown for the duration of a frame. A clip whose last key is at its end
    // therefore becomes longer by one frame.
    uint32_t needed = tn_frame_count(last, rate);
    uint32_t count = needed > whole ? needed : (uint32_t)whole;
    if (count == 0) count = 1;
    tn_refusal why;
    const tenon_layout *layout = bbanim_layout_of_frames(
        doc->spaces, doc->model_node_count, doc->model_bone_count, export->arena, &why);
    if (!layout) return tn_error(export->err, TENON_ERR_MEMORY, "out of memory while writing");
    uint64_t stride = layout->stride;
    uint8_t *frames = tn_export_alloc(export, count, (size_t)stride);
    if (!frames) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *frame = frames + i * stride;
        bbmod_pose(exporter, motion, i / rate);
        // Of the two dual quaternions for a transform, store the one nearer to that of the previous
        // frame.
        uint8_t *row = frame;
        const uint8_t *previous = i ? frame - stride : NULL;
        for (uint32_t space = TENON_BBANIM_PARENT; space <= TENON_BBANIM_BONE; space *= 2) {
            uint32_t slot_count =
                space == TENON_BBANIM_BONE ? exporter->bone_count : exporter->node_count;
            for (uint32_t slot = 0; (doc->spaces & space) && slot < slot_count;
                 slot++, row += ROW_SIZE) {
                uint32_t plan = exporter->by_slot[slot];
                tn_dquat transform = space == TENON_BBANIM_PARENT
                                         ? bbmod_export_plan_local(exporter, plan)
                                         : bbmod_export_plan_world(exporter, plan);
                if (space == TENON_BBANIM_BONE)
                    transform =
                        tn_dquat_mul(transform, exporter->bones[exporter->plans[plan].bone].offset);
                float numbers[8];
                double dot = 0;
                if (!bbmod_export_store_transform(exporter, transform, numbers)) return false;
                for (int k = 0; k < 4 && previous; k++)
                    dot += (double)numbers[k] * (double)tn_load_f32(previous + 4 * k, false);
                for (int k = 0; k < 8 && dot < 0; k++) numbers[k] = 0 - numbers[k];
                tn_copy_numbers(row, numbers, 8, 4, false);
                if (previous) previous += ROW_SIZE;
            }
        }
    }
    // If the last two frames are equal, the last one is not needed, because the engine holds the
    // one before it.
    bool is_longer = count > 1 && stride && count >= animation->duration * rate + 0.5;
    const uint8_t *end = frames + (count - 1) * stride;
    if (is_longer && memcmp(end, end - stride, (size_t)stride) == 0) count--;
    doc->duration = count;
    doc->frames = bbmod_span(frames, count, layout);
    return true;
}

// -- Documents

// The engine cannot play animations in parent space if the model has too many nodes; the other
// spaces have no such limit. Bone space needs bones, and some dialects have parent space only.
uint8_t bbanim_export_choose_spaces(const bbmod_exporter *exporter)
{
    const tenon_dialect *dialect = bbanim_export_dialect_for(exporter->export->dialect);
    uint32_t fixed = TENON_BBANIM_KEYFRAMES | TENON_BBANIM_DOCUMENT;
    uint32_t asked = exporter->export->opts->spaces;
    if (!dialect || (dialect->flags & fixed)) return TENON_BBANIM_PARENT;
    if (asked == TENON_BBANIM_BONE && exporter->bone_count == 0) return TENON_BBANIM_PARENT;
    if (asked) return (uint8_t)asked;
    bool is_crowded = exporter->node_count > BBMOD_ENGINE_MOST;
    return is_crowded ? TENON_BBANIM_WORLD | TENON_BBANIM_BONE : TENON_BBANIM_PARENT;
}

static bool bbanim_export_fill(bbmod_exporter *exporter, uint32_t index, tenon_bbanim *doc)
{
    const tn_export *export = exporter->export;
    const tenon_animation *animation = &exporter->scene->animations[index];
    bbmod_export_tallies *tallies = &exporter->tallies;
    tn_motion motion;
    if (!tn_motion_make(export, index, &motion)) return false;
    double rate = tn_motion_rate(export, &motion);
    if (!(rate > 0)) return false;
    doc->spaces = bbanim_export_choose_spaces(exporter);
    doc->tics_per_second = rate;
    doc->model_node_count = exporter->node_count;
    doc->model_bone_count = exporter->bone_count;
    if (!bbanim_export_fill_frames(exporter, animation, &motion, doc)) return false;
    double error = tn_motion_rate_error(export, &motion, rate);
    if (error > WHOLE) {
        if (tallies->rates.count == 0 || rate < tallies->lowest_rate) tallies->lowest_rate = rate;
        if (rate > tallies->highest_rate) tallies->highest_rate = rate;
        if (error > tallies->rate_error) tallies->rate_error = error;
        tn_tally_at(&tallies->rates, 1, "animations", index);
    }
    double off = fabs(doc->duration / rate - animation->duration);
    tn_tally_at(&tallies->durations, off > WHOLE, "animations", index);
    uint32_t event_count = animation->event_count;
    tenon_bbanim_event *events = tn_export_alloc(export, event_count, sizeof *events);
    if (!events) return false;
    for (uint32_t i = 0; i < event_count; i++) {
        double frame = animation->events[i].time * rate, whole = floor(frame + 0.5);
        bool is_whole = fabs(frame - whole) < WHOLE;
        events[i] = (tenon_bbanim_event){is_whole ? whole : frame, animation->events[i].name};
    }
    doc->events = events;
    doc->event_count = event_count;
    return true;
}

// -- Clips

bool bbanim_export_clips(bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    uint32_t count = exporter->scene->animation_count;
    const tenon_dialect *dialect = bbanim_export_dialect_for(export->dialect);
    if (!dialect)
        tn_export_report(export, TENON_DROPPED, "animations", count, "animations[0]",
                         "not supported by this version of BBMOD");
    for (uint32_t i = 0; dialect && i < count; i++) {
        // Some exporters write "Armature|walk" for "walk".
        tenon_str own = exporter->scene->animations[i].name, wanted = own, kept;
        for (uint32_t k = 1; k < own.size; k++)
            if (own.data[k - 1] == '|') wanted = (tenon_str){own.data + k, own.size - k};
        const char *name = bbmod_export_name_file(export, wanted, ".bbanim", &kept);
        tenon_bbanim *doc =
            tn_export_doc(export, &tn_bbanim_format, bbanim_export_dialect_for(NULL));
        if (!name || !doc) return false;
        tn_tally_at(&exporter->tallies.clip_names, !tn_text_equal(kept, own), "animations", i);
        tn_mark mark = tn_arena_mark(export->arena);
        if (!bbanim_export_fill(exporter, i, doc) ||
            !bbmod_export_doc(exporter, name, &doc->base, dialect))
            return false;
        // The memory of a clip is freed before the next one, except in the dialect of the format's
        // document: there, losses that are reported later point into it.
        if (!(dialect->flags & TENON_BBANIM_DOCUMENT)) tn_arena_rewind(export->arena, mark);
    }
    return true;
}
