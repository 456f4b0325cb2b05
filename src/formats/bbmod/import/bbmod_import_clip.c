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

// Compare with the nodes and bones that exist, not with the counts that the model stores: the
// indices of the model are used to look up rows of frames.
static bool bbmod_import_clip_fits(const bbmod_clip *clip)
{
    const tenon_bbanim *doc = clip->doc;
    const bbmod_rig *rig = &clip->importer->rig;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool counts_nodes = !has_keys || bbanim_has(doc, TENON_BBANIM_NODES);
    bool counts_bones = !has_keys || !counts_nodes;
    bool nodes_fit = !counts_nodes || doc->model_node_count == rig->joint_count;
    bool bones_fit = !counts_bones || doc->model_bone_count == rig->bone_count;
    if (nodes_fit && bones_fit) return true;
    return tn_scene_fail(clip->importer->builder, TENON_ERR_VALUE, clip->name,
                         "the animation does not fit the model: it is for %" PRIu32
                         " %s, but the model has %" PRIu32,
                         nodes_fit ? doc->model_bone_count : doc->model_node_count,
                         nodes_fit ? "bones" : "nodes",
                         nodes_fit ? rig->bone_count : rig->joint_count);
}

// -- Times

bool bbmod_import_begin_times(const bbmod_clip *clip, uint64_t count, bbmod_times *times)
{
    *times = (bbmod_times){.seconds = tn_scene_floats(clip->importer->builder, count, 1),
                           .sources =
                               bbmod_import_scratch(clip->importer, count, sizeof *times->sources)};
    return !clip->importer->builder->failed;
}

void bbmod_import_time(const bbmod_clip *clip, bbmod_times *times, uint32_t source, double tics)
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

// -- Clips

tenon_channel *bbmod_import_begin_clip(const bbmod_clip *clip, uint64_t channel_count)
{
    tn_scene_builder *builder = clip->importer->builder;
    if (channel_count >= TENON_NONE)
        tn_scene_fail(builder, TENON_ERR_LIMIT, clip->name, "an animation has too many channels");
    uint32_t index = tn_add_animation(
        builder, (tenon_str){clip->name, (uint32_t)strlen(clip->name)}, (uint32_t)channel_count);
    if (builder->failed) return NULL;
    builder->scene->animations[index].duration = clip->doc->duration / clip->rate;
    uint32_t event_count = clip->doc->event_count;
    tenon_event *events = tn_scene_array(builder, event_count, sizeof *events);
    for (uint32_t i = 0; i < event_count && !builder->failed; i++)
        events[i] = (tenon_event){clip->doc->events[i].frame / clip->rate,
                                  tn_scene_text(builder, clip->doc->events[i].name)};
    if (builder->failed) return NULL;
    tenon_animation *animation = &builder->scene->animations[index];
    animation->events = events;
    animation->event_count = event_count;
    return animation->channels;
}

static void bbmod_import_add_clip(bbmod_importer *importer, const tenon_companion *companion,
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
    if (!bbmod_import_clip_fits(&clip)) return;
    clip.rate = clip.doc->tics_per_second;
    if (!(clip.rate > 0 && clip.rate < HUGE_VAL)) {
        tn_tally_path(&tallies->rates, 1, "%s", clip.name);
        double asked = importer->builder->opts->rate;
        clip.rate = asked > 0 ? asked : RATE_DEFAULT;
    }
    bool has_keys = bbanim_has(clip.doc, TENON_BBANIM_KEYFRAMES);
    if (has_keys == importer->rig.is_rigid)
        tn_tally_path(&tallies->incompatible, 1, "%s", clip.name);
    tn_mark mark = tn_arena_mark(importer->scratch);
    if (has_keys)
        bbmod_import_add_keys(&clip);
    else
        bbmod_import_add_frames(&clip);
    tn_arena_rewind(importer->scratch, mark);
}

void bbmod_import_clips(bbmod_importer *importer)
{
    bbmod_clip_tallies tallies = {0};
    for (uint32_t i = 0; i < importer->builder->opts->companion_count && !importer->builder->failed;
         i++)
        bbmod_import_add_clip(importer, &importer->builder->opts->companions[i], &tallies);
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
