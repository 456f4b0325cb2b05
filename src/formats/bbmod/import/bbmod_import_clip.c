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

static void bbmod_reject_clip(const bbmod_clip *clip, const char *what, uint32_t own, uint32_t has)
{
    tn_scene_fail(clip->importer->builder, TENON_ERR_VALUE, clip->name,
                  "the animation does not fit the model: it is for %" PRIu32
                  " %s, but the model has %" PRIu32,
                  own, what, has);
}

// Compare with the nodes and bones that exist, not with the counts that the model stores: the
// indices of the model are used to look up rows of frames.
static bool bbmod_clip_fits(const bbmod_clip *clip)
{
    const tenon_bbanim *doc = clip->doc;
    const bbmod_rig *rig = &clip->importer->rig;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool counts_nodes = !has_keys || bbanim_has(doc, TENON_BBANIM_NODES);
    bool counts_bones = !has_keys || !counts_nodes;
    if (counts_nodes && doc->model_node_count != rig->joint_count)
        bbmod_reject_clip(clip, "nodes", doc->model_node_count, rig->joint_count);
    else if (counts_bones && doc->model_bone_count != rig->bone_count)
        bbmod_reject_clip(clip, "bones", doc->model_bone_count, rig->bone_count);
    else
        return true;
    return false;
}

// -- Times

bool bbmod_begin_times(const bbmod_clip *clip, uint64_t count, bbmod_times *times)
{
    *times = (bbmod_times){.seconds = tn_scene_floats(clip->importer->builder, count, 1),
                           .sources = bbmod_scratch(clip->importer, count, sizeof *times->sources)};
    return !clip->importer->builder->failed;
}

void bbmod_add_time(const bbmod_clip *clip, bbmod_times *times, uint32_t source, double tics)
{
    double seconds = tics / clip->rate;
    float time = seconds <= 3e38 ? (float)seconds : INFINITY;
    float last = times->count ? times->seconds[times->count - 1] : -1.0f;
    if (!(time >= 0 && time > last && time < INFINITY)) {
        tn_tally_path(&clip->tallies->keys, 1, "%s", clip->name);
        return;
    }
    times->seconds[times->count] = time;
    times->sources[times->count++] = source;
}

// -- Channels

void bbmod_fill_channel(const bbmod_clip *clip, tenon_channel *channel, const bbmod_times *times,
                        bbmod_key_fn *store, const void *context)
{
    tn_scene_builder *builder = clip->importer->builder;
    uint32_t each = channel->target == TENON_ROTATION ? 4 : 3;
    tn_mark mark = tn_arena_mark(builder->arena);
    channel->values = tn_scene_floats(builder, times->count, each);
    if (builder->failed) return;
    channel->times = times->seconds;
    channel->key_count = times->count;
    bool is_constant = times->count > 0;
    for (uint32_t i = 0; i < times->count; i++) {
        float *numbers = channel->values + (size_t)i * each;
        store(context, times->sources[i], numbers);
        if (memcmp(numbers, channel->values, each * sizeof *numbers) != 0) is_constant = false;
    }
    if (!is_constant) return;
    float first[4];
    memcpy(first, channel->values, each * sizeof *first);
    tn_arena_rewind(builder->arena, mark);
    channel->key_count = 1;
    channel->values = tn_scene_floats(builder, 1, each);
    if (!builder->failed) memcpy(channel->values, first, each * sizeof *first);
}

// -- Clips

static void bbmod_add_events(const bbmod_clip *clip, uint32_t animation)
{
    tn_scene_builder *builder = clip->importer->builder;
    uint32_t count = clip->doc->event_count;
    tenon_event *events = tn_scene_array(builder, count, sizeof *events);
    for (uint32_t i = 0; i < count && !builder->failed; i++)
        events[i] = (tenon_event){clip->doc->events[i].frame / clip->rate,
                                  tn_scene_text(builder, clip->doc->events[i].name)};
    if (builder->failed) return;
    builder->scene->animations[animation].events = events;
    builder->scene->animations[animation].event_count = count;
}

tenon_channel *bbmod_begin_clip(const bbmod_clip *clip, uint64_t channel_count)
{
    tn_scene_builder *builder = clip->importer->builder;
    if (channel_count >= TENON_NONE)
        tn_scene_fail(builder, TENON_ERR_LIMIT, clip->name, "an animation has too many channels");
    uint32_t index = tn_add_animation(
        builder, (tenon_str){clip->name, (uint32_t)strlen(clip->name)}, (uint32_t)channel_count);
    if (builder->failed) return NULL;
    builder->scene->animations[index].duration = clip->doc->duration / clip->rate;
    bbmod_add_events(clip, index);
    return builder->scene->animations[index].channels;
}

static double bbmod_clip_rate(const bbmod_clip *clip)
{
    double rate = clip->doc->tics_per_second;
    if (rate > 0 && rate < HUGE_VAL) return rate;
    tn_tally_path(&clip->tallies->rates, 1, "%s", clip->name);
    return clip->importer->builder->opts->rate > 0 ? clip->importer->builder->opts->rate
                                                   : RATE_DEFAULT;
}

static void bbmod_add_clip(bbmod_importer *importer, const tenon_companion *companion,
                           bbmod_clip_tallies *tallies)
{
    bbmod_clip clip = {.importer = importer,
                       .doc = tenon_as_bbanim((tenon_doc *)companion->doc),
                       .name = companion->name ? companion->name : "",
                       .tallies = tallies};
    if (!clip.doc) {
        tn_scene_fail(importer->builder, TENON_ERR_UNSUPPORTED, clip.name,
                      "the file is not a BBMOD animation");
        return;
    }
    if (!bbmod_clip_fits(&clip)) return;
    clip.rate = bbmod_clip_rate(&clip);
    bool has_keys = bbanim_has(clip.doc, TENON_BBANIM_KEYFRAMES);
    if (has_keys == importer->rig.is_rigid)
        tn_tally_path(&tallies->incompatible, 1, "%s", clip.name);
    tn_mark mark = tn_arena_mark(importer->scratch);
    if (has_keys)
        bbmod_add_keys(&clip);
    else
        bbmod_add_frames(&clip);
    tn_arena_rewind(importer->scratch, mark);
}

void bbmod_add_clips(bbmod_importer *importer)
{
    bbmod_clip_tallies tallies = {0};
    for (uint32_t i = 0; i < importer->builder->opts->companion_count && !importer->builder->failed;
         i++)
        bbmod_add_clip(importer, &importer->builder->opts->companions[i], &tallies);
    if (importer->builder->failed) return;
    tn_tally_report(importer->builder, &tallies.rates, TENON_DEFAULTED, "tics per second",
                    "the stored value is not usable");
    tn_tally_report(importer->builder, &tallies.without_frames, TENON_DROPPED, "frames",
                    "the animation does not store any frames");
    tn_tally_report(importer->builder, &tallies.missing, TENON_DEFAULTED, "motion of nodes",
                    "not contained in the frames; they stay in the rest pose");
    tn_tally_report(importer->builder, &tallies.channels, TENON_DROPPED, "channels",
                    "the model does not have this node, or another channel animates it");
    tn_tally_report(importer->builder, &tallies.keys, TENON_DROPPED, "keys",
                    "not later than the previous key");
    tn_tally_report(importer->builder, &tallies.uneven, TENON_APPROXIMATED, "the root's motion",
                    "the model's inverse transform has a non-uniform scale");
    tn_tally_report(importer->builder, &tallies.incompatible, TENON_APPROXIMATED, "animations",
                    "no engine version reads both the model and the animation");
}

// -- Animations alone

void bbanim_import(tn_scene_builder *builder, const void *doc)
{
    (void)doc;
    tn_scene_fail(
        builder, TENON_ERR_UNSUPPORTED, NULL,
        "an animation alone is not a scene: convert its model together with the animation");
}
