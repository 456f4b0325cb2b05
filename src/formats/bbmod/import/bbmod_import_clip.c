// bbmod_import_clip.c: the animations that come with a BBMOD model, as clips of the scene.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"
#include "scene/model/space.h"

#include <math.h>
#include <string.h>

#define RATE_DEFAULT 60.0  // Frames per second, as the converter samples.
#define RECENT_MOST  8     // Lists of times that are compared.
#define SCALE_SLACK  1e-6  // Smaller differences between scales are ignored.

// What was lost, to be reported after all clips.
typedef struct bbmod_clip_tallies {
    tn_tally rates, keys, channels, without_frames, missing, uneven, incompatible;
} bbmod_clip_tallies;

typedef struct bbmod_clip {
    bbmod_importer *importer;
    const tenon_bbanim *doc;
    const char *name;
    double rate;  // Frames or tics per second.
    bbmod_clip_tallies *tallies;
} bbmod_clip;

// Strictly increasing key times, which channels can share.
typedef struct bbmod_times {
    float *seconds;     // The scene's.
    uint32_t *sources;  // The frame or key of each time; temporary.
    uint32_t count;
} bbmod_times;

// -- Times

// Allocate `count` key times, which are then added one by one.
static bool bbmod_import_clip_begin_times(const bbmod_clip *clip, uint64_t count,
                                          bbmod_times *times)
{
    *times = (bbmod_times){.seconds = tn_scene_floats(clip->importer->builder, count, 1),
                           .sources =
                               bbmod_import_scratch(clip->importer, count, sizeof *times->sources)};
    return !clip->importer->builder->failed;
}

// A time that is not later than the previous one is dropped and reported.
static void bbmod_import_add_time(const bbmod_clip *clip, bbmod_times *times, uint32_t source,
                                  double tics)
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

// The first of `channel_count` channels of a new animation; NULL if the builder has failed.
static tenon_channel *bbmod_import_clip_begin(const bbmod_clip *clip, uint64_t channel_count)
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

// Store a translation or rotation of a key in the space of the scene.
static void bbmod_import_store_translation(tn_vec3 t, float numbers[3])
{
    t = tn_mirror_vec3(t);
    numbers[0] = (float)t.x, numbers[1] = (float)t.y, numbers[2] = (float)t.z;
}

static void bbmod_import_store_rotation(tn_quat r, float numbers[4])
{
    r = tn_mirror_quat(r);
    numbers[0] = (float)r.x, numbers[1] = (float)r.y;
    numbers[2] = (float)r.z, numbers[3] = (float)r.w;
}

// -- Baked frames

// The rows of one space in all frames.
typedef struct bbmod_rows {
    const uint8_t *first;  // In the first frame; NULL: the space is not stored.
    uint64_t step;         // Bytes to the next frame.
} bbmod_rows;

// The nearest joint at or above a joint that frames contain.
typedef struct bbmod_anchor {
    uint32_t joint;  // TENON_NONE: frames contain none of them.
    tn_dquat place;  // In the rest pose, relative to that joint.
} bbmod_anchor;

typedef struct bbmod_frames {
    const bbmod_rig *rig;
    bbmod_rows parent, world, bone;
    bbmod_anchor *anchors;  // Of each joint; the joint itself if frames contain it.
} bbmod_frames;

// A faulty save function stored the list of all frames in each: the first one is complete.
static bbmod_rows bbmod_import_find_rows(const tenon_bbanim *doc, const char *space,
                                         uint32_t row_count)
{
    const tenon_layout *layout = doc->frames.layout;
    const tenon_element *element = layout ? tn_layout_find(layout, space) : NULL;
    if (!element || doc->frames.count == 0) return (bbmod_rows){.first = NULL};
    bool is_repeated = bbanim_has(doc, TENON_BBANIM_REPEATED);
    return (bbmod_rows){.first = doc->frames.data + element->offset,
                        .step = is_repeated ? 32 * (uint64_t)row_count : layout->stride};
}

static tn_dquat bbmod_import_clip_row(const bbmod_rows *rows, uint32_t frame, uint32_t slot)
{
    return bbmod_rig_load_row(rows->first + frame * rows->step, slot);
}

// The transform in the model of a joint that frames contain.
static tn_dquat bbmod_import_stored_world(const bbmod_frames *frames, uint32_t frame,
                                          uint32_t joint)
{
    uint32_t slot = frames->rig->joints[joint].slot;
    if (frames->world.first) return bbmod_import_clip_row(&frames->world, frame, slot);
    return tn_dquat_mul(bbmod_import_clip_row(&frames->bone, frame, slot),
                        tn_dquat_inverse(frames->rig->offsets[slot].rigid));
}

// The transform relative to the parent of a joint that frames contain.
static tn_dquat bbmod_import_stored_local(const bbmod_frames *frames, uint32_t frame,
                                          uint32_t index)
{
    const bbmod_joint *joint = &frames->rig->joints[index];
    if (frames->parent.first) return bbmod_import_clip_row(&frames->parent, frame, joint->slot);
    tn_dquat own = bbmod_import_stored_world(frames, frame, index);
    if (joint->parent == TENON_NONE) return own;
    const bbmod_anchor *anchor = &frames->anchors[joint->parent];
    tn_dquat parent = anchor->place;
    if (anchor->joint != TENON_NONE)
        parent =
            tn_dquat_mul(bbmod_import_stored_world(frames, frame, anchor->joint), anchor->place);
    return tn_dquat_mul(tn_dquat_inverse(parent), own);
}

// Fill keys `first` to `end` of the translation and the rotation of a joint.
static void bbmod_import_fill_keys_between(const bbmod_frames *frames, const bbmod_times *times,
                                           uint32_t first, uint32_t end,
                                           const tenon_channel channels[2])
{
    uint32_t joint = channels[0].node;
    float *translations = channels[0].values + 3 * (size_t)first;
    float *rotations = channels[1].values + 4 * (size_t)first;
    const uint32_t *sources = times->sources + first;
    bool is_block = frames->parent.first && end - first == TN_LANES &&
                    sources[TN_LANES - 1] - sources[0] == TN_LANES - 1;
    if (is_block) {
        const uint8_t *p = frames->parent.first + sources[0] * frames->parent.step +
                           32 * (uint64_t)frames->rig->joints[joint].slot;
        float rows[8 * TN_LANES];
        for (int i = 0; i < TN_LANES; i++, p += frames->parent.step) memcpy(rows + 8 * i, p, 32);
        if (tn_host_is_big()) tn_copy_numbers(rows, rows, 8 * TN_LANES, 4, false);
        // Rotations with the length 0 have to be converted one by one.
        if (tn_loops_here()->split_duals(rows, translations, rotations)) return;
    }
    for (uint32_t i = 0; i < end - first; i++, translations += 3, rotations += 4) {
        tn_dquat local = bbmod_import_stored_local(frames, sources[i], joint);
        bbmod_import_store_translation(tn_dquat_translation(local), translations);
        bbmod_import_store_rotation(local.real, rotations);
    }
}

static void bbmod_import_add_frames(const bbmod_clip *clip)
{
    const tenon_bbanim *doc = clip->doc;
    const bbmod_rig *rig = &clip->importer->rig;
    bbmod_frames frames = {
        .rig = rig,
        .parent = bbmod_import_find_rows(doc, "parent", doc->model_node_count),
        .world = bbmod_import_find_rows(doc, "world", doc->model_node_count),
        .bone = bbmod_import_find_rows(doc, "bone", doc->model_bone_count),
        .anchors = bbmod_import_scratch(clip->importer, rig->joint_count, sizeof *frames.anchors)};
    bbmod_times times;
    if (!bbmod_import_clip_begin_times(clip, doc->frames.count, &times)) return;
    for (uint32_t i = 0; i < doc->frames.count; i++) bbmod_import_add_time(clip, &times, i, i);
    uint32_t count = 0;  // Joints that frames contain.
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        const bbmod_joint *joint = &rig->joints[i];
        uint32_t slot = joint->slot;
        bool is_contained =
            slot != TENON_NONE &&
            (frames.parent.first || frames.world.first ||
             (frames.bone.first && slot < rig->bone_count && rig->offsets[slot].is_there));
        bbmod_anchor above = {TENON_NONE, tn_dquat_identity()};
        if (joint->parent != TENON_NONE) above = frames.anchors[joint->parent];
        frames.anchors[i] =
            is_contained ? (bbmod_anchor){i, tn_dquat_identity()}
                         : (bbmod_anchor){above.joint, tn_dquat_mul(above.place, joint->rest)};
        count += is_contained;
    }
    if (doc->frames.count == 0)
        tn_tally_path(&clip->tallies->without_frames, 1, "%s", clip->name);
    else
        tn_tally_path(&clip->tallies->missing, rig->joint_count - count, "%s", clip->name);
    tenon_channel *channels = bbmod_import_clip_begin(clip, 2 * (uint64_t)count);
    if (channels) {
        // Fill all joints for a few frames at a time, so that every byte of the file is fetched
        // once.
        tenon_channel *end = channels;
        for (uint32_t i = 0; i < frames.rig->joint_count; i++) {
            if (frames.anchors[i].joint != i) continue;
            for (int k = 0; k < 2; k++)
                *end++ = (tenon_channel){
                    .node = i,
                    .target = k ? TENON_ROTATION : TENON_TRANSLATION,
                    .key_count = times.count,
                    .times = times.seconds,
                    .values = tn_scene_floats(clip->importer->builder, times.count, k ? 4 : 3)};
            if (clip->importer->builder->failed) return;
        }
        for (uint32_t key = 0, next; key < times.count; key = next) {
            next = times.count - key < TN_LANES ? times.count : key + TN_LANES;
            for (tenon_channel *channel = channels; channel < end; channel += 2)
                bbmod_import_fill_keys_between(&frames, &times, key, next, channel);
        }
        // A constant channel needs only one key.
        for (tenon_channel *channel = channels; channel < end; channel++) {
            size_t size = (channel->target == TENON_ROTATION ? 4 : 3) * sizeof *channel->values;
            uint32_t same = 1;
            while (same < channel->key_count &&
                   memcmp((const char *)channel->values + same * size, channel->values, size) == 0)
                same++;
            if (same == channel->key_count) channel->key_count = 1;
        }
    }
}

// -- Keys of versions 1 and 2

// The last lists of times: most channels have the same times and share them.
typedef struct bbmod_recent {
    bbmod_times lists[RECENT_MOST];
    uint32_t count;
} bbmod_recent;

static bool bbmod_import_load_times(const bbmod_clip *clip, const tenon_span *keys,
                                    bbmod_recent *recent, bbmod_times *times)
{
    tn_mark mark = tn_arena_mark(clip->importer->builder->arena);
    if (!bbmod_import_clip_begin_times(clip, keys->count, times)) return false;
    for (uint32_t i = 0; i < keys->count; i++)
        bbmod_import_add_time(clip, times, i, tn_load_f64(tn_span_record(keys, i), false));
    for (uint32_t i = 0; i < RECENT_MOST && i < recent->count; i++) {
        const bbmod_times *other = &recent->lists[i];
        if (other->count != times->count) continue;
        if (memcmp(other->seconds, times->seconds, times->count * sizeof(float)) != 0) continue;
        times->seconds = other->seconds;
        tn_arena_rewind(clip->importer->builder->arena, mark);
        return true;
    }
    recent->lists[recent->count++ % RECENT_MOST] = *times;
    return true;
}

// Keys have no scale: a node with a scale in the rest pose loses it while it is animated.
static bool bbmod_import_loses_scale(const bbmod_joint *joint)
{
    tn_trs rest;
    (void)tn_mat4_decompose(&joint->local, &rest);
    tn_vec3 s = rest.scale;
    return fabs(s.x - 1) + fabs(s.y - 1) + fabs(s.z - 1) > SCALE_SLACK;
}

// Fill a channel with all keys, or with one if all have the same bits. `above` is the rotation of
// the inverse transform for keys of the root; else NULL.
static void bbmod_import_fill_channel(const bbmod_clip *clip, const tenon_span *keys,
                                      const tn_quat *above, bbmod_recent *recent,
                                      tenon_channel *channel)
{
    tn_scene_builder *builder = clip->importer->builder;
    const tn_mat4 *matrix = &clip->importer->rig.above;
    uint32_t size = channel->target == TENON_ROTATION ? 4 : 3;
    bbmod_times times;
    if (!bbmod_import_load_times(clip, keys, recent, &times)) return;
    tn_mark mark = tn_arena_mark(builder->arena);
    channel->values = tn_scene_floats(builder, times.count, size);
    if (builder->failed) return;
    channel->times = times.seconds;
    channel->key_count = times.count;
    bool is_constant = times.count > 0;
    for (uint32_t i = 0; i < times.count; i++) {
        float v[4], *values = channel->values + (size_t)i * size;
        tn_span_f32(keys, &keys->layout->elements[1], times.sources[i], 1, v);
        if (channel->target == TENON_ROTATION) {
            tn_quat r = {v[0], v[1], v[2], v[3]};
            if (above) r = tn_quat_mul(*above, tn_quat_normalise(r));
            bbmod_import_store_rotation(r, values);
        } else {
            tn_vec3 t = {v[0], v[1], v[2]};
            bbmod_import_store_translation(above ? tn_mat4_point(matrix, t) : t, values);
        }
        if (memcmp(values, channel->values, size * sizeof *values) != 0) is_constant = false;
    }
    if (!is_constant) return;
    float first[4];
    memcpy(first, channel->values, size * sizeof *first);
    tn_arena_rewind(builder->arena, mark);
    channel->key_count = 1;
    channel->values = tn_scene_floats(builder, 1, size);
    if (!builder->failed) memcpy(channel->values, first, size * sizeof *first);
}

// Returns how many channels were filled.
static uint32_t bbmod_import_fill_joint(const bbmod_clip *clip, const tenon_bbanim_channel *from,
                                        uint32_t joint, bbmod_recent *recent, tenon_channel *out)
{
    const bbmod_rig *rig = &clip->importer->rig;
    bool is_root = rig->joints[joint].parent == TENON_NONE;
    tn_trs above;
    uint32_t flags = tn_mat4_decompose(&rig->above, &above);
    tn_vec3 s = above.scale;
    // The inverse transform can be applied to the root's keys exactly if its scale is uniform.
    bool is_uniform = flags == 0 && fabs(s.x - s.y) + fabs(s.y - s.z) <= SCALE_SLACK * fabs(s.x);
    if (is_root && !is_uniform) tn_tally_path(&clip->tallies->uneven, 1, "%s", clip->name);
    const tn_quat *rotation = is_root ? &above.rotation : NULL;
    tenon_channel *first = out;
    for (int k = 0; k < 2; k++) {
        const tenon_span *keys = k ? &from->rotations : &from->positions;
        if (keys->count == 0) continue;
        *out = (tenon_channel){.node = joint, .target = k ? TENON_ROTATION : TENON_TRANSLATION};
        bbmod_import_fill_channel(clip, keys, rotation, recent, out++);
    }
    if (bbmod_import_loses_scale(&rig->joints[joint])) {
        *out = (tenon_channel){.node = joint, .target = TENON_SCALE};
        tn_channel_alloc(clip->importer->builder, out, 1);
        if (clip->importer->builder->failed) return 0;
        if (!is_root) s = (tn_vec3){1, 1, 1};
        out->values[0] = (float)s.x, out->values[1] = (float)s.y, out->values[2] = (float)s.z;
        out++;
    }
    return (uint32_t)(out - first);
}

static void bbmod_import_add_keys(const bbmod_clip *clip)
{
    const bbmod_rig *rig = &clip->importer->rig;
    const tenon_bbanim_channel **by_joint =
        bbmod_import_scratch(clip->importer, rig->joint_count, sizeof *by_joint);
    uint32_t slot_count = rig->joint_count;
    if (!bbanim_has(clip->doc, TENON_BBANIM_NODES) && rig->bone_count < slot_count)
        slot_count = rig->bone_count;
    if (!by_joint) return;
    tn_tally_path(&clip->tallies->channels,
                  bbanim_fit_channels(clip->doc, rig, slot_count, by_joint), "%s", clip->name);
    uint64_t count = 0;
    for (uint32_t i = 0; i < rig->joint_count; i++)
        if (by_joint[i])
            count += (uint64_t)(by_joint[i]->positions.count > 0) +
                     (by_joint[i]->rotations.count > 0) + bbmod_import_loses_scale(&rig->joints[i]);
    tenon_channel *channels = bbmod_import_clip_begin(clip, count);
    bbmod_recent recent = {.count = 0};
    for (uint32_t i = 0; i < rig->joint_count && !clip->importer->builder->failed; i++)
        if (by_joint[i])
            channels += bbmod_import_fill_joint(clip, by_joint[i], i, &recent, channels);
}

// -- Companions

void bbmod_import_clips(bbmod_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    bbmod_clip_tallies tallies = {0};
    for (uint32_t i = 0; i < builder->opts->companion_count && !builder->failed; i++) {
        const tenon_companion *companion = &builder->opts->companions[i];
        bbmod_clip clip = {.importer = importer,
                           .doc = tenon_as_bbanim((tenon_doc *)companion->doc),
                           .name = companion->name ? companion->name : "",
                           .tallies = &tallies};
        if (!clip.doc) {
            tn_scene_fail(builder, TENON_ERR_UNSUPPORTED, clip.name,
                          "the file is not a BBMOD animation");
            continue;
        }
        bbanim_misfit misfit = bbanim_fit_misfit(
            clip.doc, (bbanim_counts){importer->rig.joint_count, importer->rig.bone_count});
        if (misfit.what) {
            tn_scene_fail(
                builder, TENON_ERR_VALUE, clip.name,
                "the animation does not fit the model: it is for %u %s, but the model has %u",
                misfit.expected, misfit.what, misfit.has);
            continue;
        }
        clip.rate = clip.doc->tics_per_second;
        if (!(clip.rate > 0 && clip.rate < HUGE_VAL)) {
            tn_tally_path(&tallies.rates, 1, "%s", clip.name);
            double asked = builder->opts->rate;
            clip.rate = asked > 0 ? asked : RATE_DEFAULT;
        }
        bool has_keys = bbanim_has(clip.doc, TENON_BBANIM_KEYFRAMES);
        if (has_keys == importer->rig.is_rigid)
            tn_tally_path(&tallies.incompatible, 1, "%s", clip.name);
        tn_mark mark = tn_arena_mark(importer->scratch);
        if (has_keys)
            bbmod_import_add_keys(&clip);
        else
            bbmod_import_add_frames(&clip);
        tn_arena_rewind(importer->scratch, mark);
    }
    if (builder->failed) return;
    tn_tally_report(builder, &tallies.rates, TENON_DEFAULTED, "tics per second",
                    "the stored value is not usable");
    tn_tally_report(builder, &tallies.without_frames, TENON_DROPPED, "frames",
                    "the animation does not store any frames");
    tn_tally_report(builder, &tallies.missing, TENON_DEFAULTED, "motion of nodes",
                    "not contained in the frames; they stay in the rest pose");
    tn_tally_report(builder, &tallies.channels, TENON_DROPPED, "channels",
                    "the model does not have this node, or another channel animates it");
    tn_tally_report(builder, &tallies.keys, TENON_DROPPED, "keys",
                    "not later than the previous key");
    tn_tally_report(builder, &tallies.uneven, TENON_APPROXIMATED, "the root's motion",
                    "the model's inverse transform has a non-uniform scale");
    tn_tally_report(builder, &tallies.incompatible, TENON_APPROXIMATED, "animations",
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
