// bbanim_export.c: exporting each clip of a scene as a BBMOD animation with baked frames.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"

#include <math.h>
#include <string.h>

#define ROW_SIZE    32  // Bytes of a dual quaternion.
#define WHOLE       1e-6
#define FRAMES_MOST 1e8

// State of exporting one clip.
typedef struct bbanim_exporter {
    bbmod_exporter *exporter;
    const tenon_animation *animation;
    uint32_t index;
    tn_motion motion;
    tenon_bbanim *doc;
    uint8_t *frames;
    uint64_t frame_size;
} bbanim_exporter;

// -- Dialects

// The dialect of animations for a dialect of models; NULL: that dialect has no animations.
static const tenon_dialect *bbanim_dialect_for(const tenon_dialect *model)
{
    const tenon_format *format = &tn_bbanim_format.face;
    if (!model) return tenon_dialect_by_name(format, bbmod_newest_dialect()->name);
    if (model->flags & TENON_BBMOD_NO_BONE_COUNT) return NULL;
    if (model->flags & TENON_BBMOD_NESTED) return tenon_dialect_by_name(format, "1");
    if (model->flags & TENON_BBMOD_DOCUMENT) return tenon_dialect_by_name(format, "document");
    return tenon_dialect_by_name(format, model->name);
}

// -- Duration

static double bbanim_last_key(const tenon_animation *clip)
{
    double last = 0;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const tenon_channel *channel = &clip->channels[i];
        double time = (double)channel->times[channel->key_count - 1];
        if (channel->key_count > 1 && time > last) last = time;
    }
    return last;
}

// The last frame is shown for the duration of a frame. A clip whose last key is at its end
// therefore becomes longer by one frame.
static bool bbanim_count_frames(bbanim_exporter *clip, double rate, uint32_t *count)
{
    double whole = floor(clip->animation->duration * rate + 0.5);
    if (!(whole <= FRAMES_MOST))
        return tn_error(clip->exporter->export->err, TENON_ERR_LIMIT,
                        "a clip is too long to sample");
    uint32_t needed = tn_frame_count(bbanim_last_key(clip->animation), rate);
    *count = needed > whole ? needed : (uint32_t)whole;
    if (*count == 0) *count = 1;
    return true;
}

// -- Frames

// Of the two dual quaternions for a transform, store the one nearer to that of the previous frame.
static bool bbanim_store_row(bbanim_exporter *clip, uint8_t *row, bool has_before, tn_dquat place)
{
    float numbers[8];
    double dot = 0;
    if (!bbmod_store_place(clip->exporter, place, numbers)) return false;
    for (int i = 0; i < 4 && has_before; i++)
        dot += (double)numbers[i] * (double)tn_load_f32(row - clip->frame_size + 4 * i, false);
    for (int i = 0; i < 8 && dot < 0; i++) numbers[i] = 0 - numbers[i];
    tn_copy_numbers(row, numbers, 8, 4, false);
    return true;
}

static tn_dquat bbanim_place(const bbmod_exporter *exporter, uint32_t space, uint32_t slot)
{
    uint32_t plan = exporter->by_slot[slot];
    if (space == TENON_BBANIM_PARENT) return bbmod_plan_local(exporter, plan);
    tn_dquat world = bbmod_plan_world(exporter, plan);
    if (space == TENON_BBANIM_WORLD) return world;
    return tn_dquat_mul(world, exporter->bones[exporter->plans[plan].bone].offset);
}

static bool bbanim_store_frame(bbanim_exporter *clip, uint32_t frame)
{
    uint8_t *row = clip->frames + frame * clip->frame_size;
    for (uint32_t space = TENON_BBANIM_PARENT; space <= TENON_BBANIM_BONE; space *= 2) {
        uint32_t count =
            space == TENON_BBANIM_BONE ? clip->exporter->bone_count : clip->exporter->node_count;
        for (uint32_t slot = 0; (clip->doc->spaces & space) && slot < count; slot++) {
            if (!bbanim_store_row(clip, row, frame > 0, bbanim_place(clip->exporter, space, slot)))
                return false;
            row += ROW_SIZE;
        }
    }
    return true;
}

static bool bbanim_fill_frames(bbanim_exporter *clip, uint32_t count)
{
    const tn_export *export = clip->exporter->export;
    tenon_bbanim *doc = clip->doc;
    tn_refusal why;
    const tenon_layout *layout = bbanim_layout_of_frames(
        doc->spaces, doc->model_node_count, doc->model_bone_count, export->arena, &why);
    if (!layout) return tn_error(export->err, TENON_ERR_MEMORY, "out of memory while writing");
    clip->frame_size = layout->stride;
    clip->frames = tn_export_alloc(export, count, (size_t)layout->stride);
    if (!clip->frames) return false;
    doc->frames = (tenon_span){.data = clip->frames,
                               .size = count * layout->stride,
                               .count = layout->stride ? count : 0,
                               .layout = layout};
    for (uint32_t i = 0; i < count; i++) {
        bbmod_pose(clip->exporter, &clip->motion, i / doc->tics_per_second);
        if (!bbanim_store_frame(clip, i)) return false;
    }
    return true;
}

// If the last two frames are equal, the last one is not needed, because the engine holds the one
// before it.
static void bbanim_drop_held_frame(bbanim_exporter *clip)
{
    tenon_bbanim *doc = clip->doc;
    uint64_t count = doc->frames.count;
    double length = clip->animation->duration * doc->tics_per_second;
    if (count < 2 || (double)count < length + 0.5) return;
    const uint8_t *last = clip->frames + (count - 1) * clip->frame_size;
    if (memcmp(last, last - clip->frame_size, (size_t)clip->frame_size) != 0) return;
    doc->frames.count--;
    doc->frames.size -= clip->frame_size;
    doc->duration = (double)doc->frames.count;
}

static void bbanim_tally_duration(const bbanim_exporter *clip)
{
    double off = fabs(clip->doc->duration / clip->doc->tics_per_second - clip->animation->duration);
    tn_tally_at(&clip->exporter->tallies.durations, off > WHOLE, "animations", clip->index);
}

// -- Documents

// The engine cannot play animations in parent space if the model has too many nodes; the other
// spaces have no such limit. Bone space needs bones, and some dialects have parent space only.
uint8_t bbanim_choose_spaces(const bbmod_exporter *exporter)
{
    const tenon_dialect *dialect = bbanim_dialect_for(exporter->export->dialect);
    uint32_t fixed = TENON_BBANIM_KEYFRAMES | TENON_BBANIM_DOCUMENT;
    uint32_t asked = exporter->export->opts->spaces;
    if (!dialect || (dialect->flags & fixed)) return TENON_BBANIM_PARENT;
    if (asked == TENON_BBANIM_BONE && exporter->bone_count == 0) return TENON_BBANIM_PARENT;
    if (asked) return (uint8_t)asked;
    return exporter->node_count > BBMOD_ENGINE_MOST ? TENON_BBANIM_WORLD | TENON_BBANIM_BONE
                                                    : TENON_BBANIM_PARENT;
}

static bool bbanim_fill_events(bbanim_exporter *clip)
{
    uint32_t count = clip->animation->event_count;
    tenon_bbanim_event *events = tn_export_alloc(clip->exporter->export, count, sizeof *events);
    if (!events) return false;
    for (uint32_t i = 0; i < count; i++) {
        double frame = clip->animation->events[i].time * clip->doc->tics_per_second;
        double whole = floor(frame + 0.5);
        bool is_whole = fabs(frame - whole) < WHOLE;
        events[i] = (tenon_bbanim_event){is_whole ? whole : frame, clip->animation->events[i].name};
    }
    clip->doc->events = events;
    clip->doc->event_count = count;
    return true;
}

static void bbanim_tally_rate(const bbanim_exporter *clip, double rate)
{
    bbmod_export_tallies *tallies = &clip->exporter->tallies;
    double error = tn_motion_rate_error(clip->exporter->export, &clip->motion, rate);
    if (!(error > WHOLE)) return;
    if (tallies->rates.count == 0 || rate < tallies->lowest_rate) tallies->lowest_rate = rate;
    if (rate > tallies->highest_rate) tallies->highest_rate = rate;
    if (error > tallies->rate_error) tallies->rate_error = error;
    tn_tally_at(&tallies->rates, 1, "animations", clip->index);
}

static bool bbanim_fill(bbanim_exporter *clip)
{
    const bbmod_exporter *exporter = clip->exporter;
    uint32_t count = 0;
    double rate = tn_motion_rate(exporter->export, &clip->motion);
    if (!(rate > 0) || !bbanim_count_frames(clip, rate, &count)) return false;
    clip->doc->spaces = bbanim_choose_spaces(exporter);
    clip->doc->duration = count;
    clip->doc->tics_per_second = rate;
    clip->doc->model_node_count = exporter->node_count;
    clip->doc->model_bone_count = exporter->bone_count;
    bbanim_tally_rate(clip, rate);
    if (!bbanim_fill_frames(clip, count)) return false;
    bbanim_drop_held_frame(clip);
    bbanim_tally_duration(clip);
    return bbanim_fill_events(clip);
}

// -- Names

// Some exporters write "Armature|walk" for "walk".
static tenon_str bbanim_clip_name(tenon_str name)
{
    for (uint32_t i = name.size; i > 0; i--)
        if (name.data[i - 1] == '|' && i < name.size)
            return (tenon_str){name.data + i, name.size - i};
    return name;
}

// "crane_walk.bbanim"; "walk.bbanim" without the prefix.
static const char *bbanim_name_file(const bbanim_exporter *clip)
{
    const tn_export *export = clip->exporter->export;
    bool has_prefix = !export->opts->without_prefix;
    tenon_str name = bbanim_clip_name(clip->animation->name);
    char *rest = tn_export_alloc(export, (uint64_t)name.size + 1, 1);
    if (!rest) return NULL;
    rest[0] = '_';
    memcpy(rest + 1, name.data, name.size);
    const char *file =
        tn_export_name(export, has_prefix ? tn_export_stem(export) : (tenon_str){"", 0},
                       (tenon_str){rest + !has_prefix, name.size + has_prefix}, ".bbanim");
    if (!file) return NULL;
    size_t start = has_prefix ? tn_export_stem(export).size + 1u : 0;
    size_t size = strlen(file) - start - strlen(".bbanim");
    bool is_kept = size == clip->animation->name.size &&
                   memcmp(file + start, clip->animation->name.data, size) == 0;
    tn_tally_at(&clip->exporter->tallies.clip_names, !is_kept, "animations", clip->index);
    return file;
}

// -- Clips

// The memory of a clip is freed before the next one, except in the dialect of the document: there,
// losses that are reported later point into it.
static bool bbanim_export_clip(bbmod_exporter *exporter, uint32_t index,
                               const tenon_dialect *dialect)
{
    const tn_export *export = exporter->export;
    bbanim_exporter clip = {
        .exporter = exporter, .animation = &exporter->scene->animations[index], .index = index};
    const char *name = bbanim_name_file(&clip);
    clip.doc = tn_export_doc(export, &tn_bbanim_format, bbanim_dialect_for(NULL));
    if (!name || !clip.doc) return false;
    tn_mark mark = tn_arena_mark(export->arena);
    bool ok = tn_motion_make(export, index, &clip.motion) && bbanim_fill(&clip) &&
              bbmod_write_doc(exporter, name, &clip.doc->base, dialect);
    if (!(dialect->flags & TENON_BBANIM_DOCUMENT)) tn_arena_rewind(export->arena, mark);
    return ok;
}

bool bbanim_export_clips(bbmod_exporter *exporter)
{
    const tenon_dialect *dialect = bbanim_dialect_for(exporter->export->dialect);
    if (!dialect)
        tn_export_report(exporter->export, TENON_DROPPED, "animations",
                         exporter->scene->animation_count, "animations[0]",
                         "not supported by this version of BBMOD");
    for (uint32_t i = 0; dialect && i < exporter->scene->animation_count; i++)
        if (!bbanim_export_clip(exporter, i, dialect)) return false;
    return true;
}
