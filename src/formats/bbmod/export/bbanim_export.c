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
    bbmod_exporter *w;
    const tenon_animation *clip;
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
static bool bbanim_count_frames(bbanim_exporter *k, double rate, uint32_t *count)
{
    double whole = floor(k->clip->duration * rate + 0.5);
    if (!(whole <= FRAMES_MOST))
        return tn_error(k->w->e->err, TENON_ERR_LIMIT, "a clip is too long to sample");
    uint32_t needed = tn_frame_count(bbanim_last_key(k->clip), rate);
    *count = needed > whole ? needed : (uint32_t)whole;
    if (*count == 0) *count = 1;
    return true;
}

// -- Frames

// Of the two dual quaternions for a transform, store the one nearer to that of the previous frame.
static bool bbanim_put_row(bbanim_exporter *k, uint8_t *row, bool has_before, tn_dquat place)
{
    float numbers[8];
    double dot = 0;
    if (!bbmod_store_place(k->w, place, numbers)) return false;
    for (int i = 0; i < 4 && has_before; i++)
        dot += (double)numbers[i] * (double)tn_load_f32(row - k->frame_size + 4 * i, false);
    for (int i = 0; i < 8 && dot < 0; i++) numbers[i] = 0 - numbers[i];
    tn_copy_numbers(row, numbers, 8, 4, false);
    return true;
}

static tn_dquat bbanim_place(const bbmod_exporter *w, uint32_t space, uint32_t slot)
{
    uint32_t limb = w->by_slot[slot];
    if (space == TENON_BBANIM_PARENT) return bbmod_limb_local(w, limb);
    tn_dquat world = bbmod_limb_world(w, limb);
    if (space == TENON_BBANIM_WORLD) return world;
    return tn_dquat_mul(world, w->bones[w->limbs[limb].bone].offset);
}

static bool bbanim_put_frame(bbanim_exporter *k, uint32_t frame)
{
    uint8_t *row = k->frames + frame * k->frame_size;
    for (uint32_t space = TENON_BBANIM_PARENT; space <= TENON_BBANIM_BONE; space *= 2) {
        uint32_t count = space == TENON_BBANIM_BONE ? k->w->bone_limb_count : k->w->limb_count;
        for (uint32_t slot = 0; (k->doc->spaces & space) && slot < count; slot++) {
            if (!bbanim_put_row(k, row, frame > 0, bbanim_place(k->w, space, slot))) return false;
            row += ROW_SIZE;
        }
    }
    return true;
}

static bool bbanim_fill_frames(bbanim_exporter *k, uint32_t count)
{
    const tn_export *e = k->w->e;
    tenon_bbanim *doc = k->doc;
    tn_refusal why;
    const tenon_layout *layout = bbanim_layout_of_frames(doc->spaces, doc->model_node_count,
                                                         doc->model_bone_count, e->arena, &why);
    if (!layout) return tn_error(e->err, TENON_ERR_MEMORY, "out of memory while writing");
    k->frame_size = layout->stride;
    k->frames = tn_export_alloc(e, count, (size_t)layout->stride);
    if (!k->frames) return false;
    doc->frames = (tenon_span){.data = k->frames,
                               .size = count * layout->stride,
                               .count = layout->stride ? count : 0,
                               .layout = layout};
    for (uint32_t i = 0; i < count; i++) {
        bbmod_pose(k->w, &k->motion, i / doc->tics_per_second);
        if (!bbanim_put_frame(k, i)) return false;
    }
    return true;
}

// If the last two frames are equal, the last one is not needed, because the engine holds the one
// before it.
static void bbanim_drop_held_frame(bbanim_exporter *k)
{
    tenon_bbanim *doc = k->doc;
    uint64_t count = doc->frames.count;
    double length = k->clip->duration * doc->tics_per_second;
    if (count < 2 || (double)count < length + 0.5) return;
    const uint8_t *last = k->frames + (count - 1) * k->frame_size;
    if (memcmp(last, last - k->frame_size, (size_t)k->frame_size) != 0) return;
    doc->frames.count--;
    doc->frames.size -= k->frame_size;
    doc->duration = (double)doc->frames.count;
}

static void bbanim_note_duration(const bbanim_exporter *k)
{
    double off = fabs(k->doc->duration / k->doc->tics_per_second - k->clip->duration);
    tn_tally_at(&k->w->notes.durations, off > WHOLE, "animations", k->index);
}

// -- Documents

// The engine cannot play animations in parent space if the model has too many nodes; the other
// spaces have no such limit. Bone space needs bones, and some dialects have parent space only.
uint8_t bbanim_choose_spaces(const bbmod_exporter *w)
{
    const tenon_dialect *dialect = bbanim_dialect_for(w->e->dialect);
    uint32_t fixed = TENON_BBANIM_KEYFRAMES | TENON_BBANIM_DOCUMENT;
    uint32_t asked = w->e->opts->spaces;
    if (!dialect || (dialect->flags & fixed)) return TENON_BBANIM_PARENT;
    if (asked == TENON_BBANIM_BONE && w->bone_limb_count == 0) return TENON_BBANIM_PARENT;
    if (asked) return (uint8_t)asked;
    return w->limb_count > BBMOD_ENGINE_MOST ? TENON_BBANIM_WORLD | TENON_BBANIM_BONE
                                             : TENON_BBANIM_PARENT;
}

static bool bbanim_fill_events(bbanim_exporter *k)
{
    uint32_t count = k->clip->event_count;
    tenon_bbanim_event *events = tn_export_alloc(k->w->e, count, sizeof *events);
    if (!events) return false;
    for (uint32_t i = 0; i < count; i++) {
        double frame = k->clip->events[i].time * k->doc->tics_per_second;
        double whole = floor(frame + 0.5);
        bool is_whole = fabs(frame - whole) < WHOLE;
        events[i] = (tenon_bbanim_event){is_whole ? whole : frame, k->clip->events[i].name};
    }
    k->doc->events = events;
    k->doc->event_count = count;
    return true;
}

static void bbanim_note_rate(const bbanim_exporter *k, double rate)
{
    bbmod_notes *notes = &k->w->notes;
    double error = tn_motion_rate_error(k->w->e, &k->motion, rate);
    if (!(error > WHOLE)) return;
    if (notes->rates.count == 0 || rate < notes->lowest_rate) notes->lowest_rate = rate;
    if (rate > notes->highest_rate) notes->highest_rate = rate;
    if (error > notes->rate_error) notes->rate_error = error;
    tn_tally_at(&notes->rates, 1, "animations", k->index);
}

static bool bbanim_fill(bbanim_exporter *k)
{
    const bbmod_exporter *w = k->w;
    uint32_t count = 0;
    double rate = tn_motion_rate(w->e, &k->motion);
    if (!(rate > 0) || !bbanim_count_frames(k, rate, &count)) return false;
    k->doc->spaces = bbanim_choose_spaces(w);
    k->doc->duration = count;
    k->doc->tics_per_second = rate;
    k->doc->model_node_count = w->limb_count;
    k->doc->model_bone_count = w->bone_limb_count;
    bbanim_note_rate(k, rate);
    if (!bbanim_fill_frames(k, count)) return false;
    bbanim_drop_held_frame(k);
    bbanim_note_duration(k);
    return bbanim_fill_events(k);
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
static const char *bbanim_name_file(const bbanim_exporter *k)
{
    const tn_export *e = k->w->e;
    bool has_prefix = !e->opts->without_prefix;
    tenon_str name = bbanim_clip_name(k->clip->name);
    char *rest = tn_export_alloc(e, (uint64_t)name.size + 1, 1);
    if (!rest) return NULL;
    rest[0] = '_';
    memcpy(rest + 1, name.data, name.size);
    const char *file =
        tn_export_name(e, has_prefix ? tn_export_stem(e) : (tenon_str){"", 0},
                       (tenon_str){rest + !has_prefix, name.size + has_prefix}, ".bbanim");
    if (!file) return NULL;
    size_t start = has_prefix ? tn_export_stem(e).size + 1u : 0;
    size_t size = strlen(file) - start - strlen(".bbanim");
    bool is_kept =
        size == k->clip->name.size && memcmp(file + start, k->clip->name.data, size) == 0;
    tn_tally_at(&k->w->notes.clip_names, !is_kept, "animations", k->index);
    return file;
}

// -- Clips

// The memory of a clip is freed before the next one, except in the dialect of the document: there,
// losses that are reported later point into it.
static bool bbanim_export_clip(bbmod_exporter *w, uint32_t index, const tenon_dialect *dialect)
{
    const tn_export *e = w->e;
    bbanim_exporter k = {.w = w, .clip = &w->s->animations[index], .index = index};
    const char *name = bbanim_name_file(&k);
    k.doc = tn_export_doc(e, &tn_bbanim_format, bbanim_dialect_for(NULL));
    if (!name || !k.doc) return false;
    tn_mark mark = tn_arena_mark(e->arena);
    bool ok = tn_motion_make(e, index, &k.motion) && bbanim_fill(&k) &&
              bbmod_put_doc(w, name, &k.doc->base, dialect);
    if (!(dialect->flags & TENON_BBANIM_DOCUMENT)) tn_arena_rewind(e->arena, mark);
    return ok;
}

bool bbanim_export_clips(bbmod_exporter *w)
{
    const tenon_dialect *dialect = bbanim_dialect_for(w->e->dialect);
    if (!dialect)
        tn_export_report(w->e, TENON_DROPPED, "animations", w->s->animation_count, "animations[0]",
                         "not supported by this version of BBMOD");
    for (uint32_t i = 0; dialect && i < w->s->animation_count; i++)
        if (!bbanim_export_clip(w, i, dialect)) return false;
    return true;
}
