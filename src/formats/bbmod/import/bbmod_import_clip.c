// bbmod_import_clip.c: the animations that come with a BBMOD model, as clips of the scene.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "scene/model/space.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE_DEFAULT 60.0  // Frames per second, as the converter samples.

// -- Whether an animation fits

static void bbmod_refuse_clip(const bbmod_clip *clip, const char *what, uint32_t own, uint32_t has)
{
    tn_scene_fail(clip->m->b, TENON_ERR_VALUE, clip->name,
                  "the animation does not fit the model: it is for %" PRIu32
                  " %s, but the model has %" PRIu32,
                  own, what, has);
}

// Compare with the nodes and bones that exist, not with the counts that the model stores: the
// indices of the model are used to look up rows of frames.
static bool bbmod_clip_fits(const bbmod_clip *clip)
{
    const tenon_bbanim *doc = clip->doc;
    const bbmod_rig *rig = &clip->m->rig;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool counts_nodes = !has_keys || bbanim_has(doc, TENON_BBANIM_NODES);
    bool counts_bones = !has_keys || !counts_nodes;
    if (counts_nodes && doc->model_node_count != rig->joint_count)
        bbmod_refuse_clip(clip, "nodes", doc->model_node_count, rig->joint_count);
    else if (counts_bones && doc->model_bone_count != rig->bone_count)
        bbmod_refuse_clip(clip, "bones", doc->model_bone_count, rig->bone_count);
    else
        return true;
    return false;
}

// -- Times

bool bbmod_begin_times(const bbmod_clip *clip, uint64_t count, bbmod_times *times)
{
    *times = (bbmod_times){.seconds = tn_scene_floats(clip->m->b, count, 1),
                           .sources = bbmod_scratch(clip->m, count, sizeof *times->sources)};
    return !clip->m->b->failed;
}

void bbmod_add_time(const bbmod_clip *clip, bbmod_times *times, uint32_t source, double tics)
{
    double seconds = tics / clip->rate;
    float time = seconds <= 3e38 ? (float)seconds : INFINITY;
    float last = times->count ? times->seconds[times->count - 1] : -1.0f;
    if (!(time >= 0 && time > last && time < INFINITY)) {
        tn_tally_path(&clip->flaws->keys, 1, "%s", clip->name);
        return;
    }
    times->seconds[times->count] = time;
    times->sources[times->count++] = source;
}

// -- Channels

void bbmod_fill_channel(const bbmod_clip *clip, tenon_channel *channel, const bbmod_times *times,
                        bbmod_put_fn *put, const void *context)
{
    tn_scene_builder *b = clip->m->b;
    uint32_t each = channel->target == TENON_ROTATION ? 4 : 3;
    tn_mark mark = tn_arena_mark(b->arena);
    channel->values = tn_scene_floats(b, times->count, each);
    if (b->failed) return;
    channel->times = times->seconds;
    channel->key_count = times->count;
    bool is_constant = times->count > 0;
    for (uint32_t i = 0; i < times->count; i++) {
        float *numbers = channel->values + (size_t)i * each;
        put(context, times->sources[i], numbers);
        if (memcmp(numbers, channel->values, each * sizeof *numbers) != 0) is_constant = false;
    }
    if (!is_constant) return;
    float first[4];
    memcpy(first, channel->values, each * sizeof *first);
    tn_arena_rewind(b->arena, mark);
    channel->key_count = 1;
    channel->values = tn_scene_floats(b, 1, each);
    if (!b->failed) memcpy(channel->values, first, each * sizeof *first);
}

// -- Clips

static void bbmod_add_events(const bbmod_clip *clip, uint32_t animation)
{
    tn_scene_builder *b = clip->m->b;
    uint32_t count = clip->doc->event_count;
    tenon_event *events = tn_scene_array(b, count, sizeof *events);
    for (uint32_t i = 0; i < count && !b->failed; i++)
        events[i] = (tenon_event){clip->doc->events[i].frame / clip->rate,
                                  tn_scene_text(b, clip->doc->events[i].name)};
    if (b->failed) return;
    b->scene->animations[animation].events = events;
    b->scene->animations[animation].event_count = count;
}

tenon_channel *bbmod_begin_clip(const bbmod_clip *clip, uint64_t channel_count)
{
    tn_scene_builder *b = clip->m->b;
    if (channel_count >= TENON_NONE)
        tn_scene_fail(b, TENON_ERR_LIMIT, clip->name, "an animation has too many channels");
    uint32_t index = tn_add_animation(b, (tenon_str){clip->name, (uint32_t)strlen(clip->name)},
                                      (uint32_t)channel_count);
    if (b->failed) return NULL;
    b->scene->animations[index].duration = clip->doc->duration / clip->rate;
    bbmod_add_events(clip, index);
    return b->scene->animations[index].channels;
}

static double bbmod_clip_rate(const bbmod_clip *clip)
{
    double rate = clip->doc->tics_per_second;
    if (rate > 0 && rate < HUGE_VAL) return rate;
    tn_tally_path(&clip->flaws->rates, 1, "%s", clip->name);
    return clip->m->b->opts->rate > 0 ? clip->m->b->opts->rate : RATE_DEFAULT;
}

static void bbmod_add_clip(bbmod_importer *m, const tenon_companion *companion,
                           bbmod_clip_flaws *flaws)
{
    bbmod_clip clip = {.m = m,
                       .doc = tenon_as_bbanim((tenon_doc *)companion->doc),
                       .name = companion->name ? companion->name : "",
                       .flaws = flaws};
    if (!clip.doc) {
        tn_scene_fail(m->b, TENON_ERR_UNSUPPORTED, clip.name, "the file is not a BBMOD animation");
        return;
    }
    if (!bbmod_clip_fits(&clip)) return;
    clip.rate = bbmod_clip_rate(&clip);
    bool has_keys = bbanim_has(clip.doc, TENON_BBANIM_KEYFRAMES);
    if (has_keys == m->rig.is_rigid) tn_tally_path(&flaws->foreign, 1, "%s", clip.name);
    tn_mark mark = tn_arena_mark(m->scratch);
    if (has_keys)
        bbmod_add_keys(&clip);
    else
        bbmod_add_frames(&clip);
    tn_arena_rewind(m->scratch, mark);
}

void bbmod_add_clips(bbmod_importer *m)
{
    bbmod_clip_flaws f = {0};
    for (uint32_t i = 0; i < m->b->opts->companion_count && !m->b->failed; i++)
        bbmod_add_clip(m, &m->b->opts->companions[i], &f);
    if (m->b->failed) return;
    tn_tally_report(m->b, &f.rates, TENON_DEFAULTED, "tics per second",
                    "the stored value is not usable");
    tn_tally_report(m->b, &f.frameless, TENON_DROPPED, "frames",
                    "the animation does not store any frames");
    tn_tally_report(m->b, &f.unsaid, TENON_DEFAULTED, "motion of nodes",
                    "not contained in the frames; they stay in the rest pose");
    tn_tally_report(m->b, &f.channels, TENON_DROPPED, "channels",
                    "the model does not have this node, or another channel animates it");
    tn_tally_report(m->b, &f.keys, TENON_DROPPED, "keys", "not later than the previous key");
    tn_tally_report(m->b, &f.uneven, TENON_APPROXIMATED, "the root's motion",
                    "the model's inverse transform has a non-uniform scale");
    tn_tally_report(m->b, &f.foreign, TENON_APPROXIMATED, "animations",
                    "no engine version reads both the model and the animation");
}

// -- Animations alone

void bbanim_import(tn_scene_builder *b, const void *doc)
{
    (void)doc;
    tn_scene_fail(
        b, TENON_ERR_UNSUPPORTED, NULL,
        "an animation alone is not a scene: convert its model together with the animation");
}
