// bbmod_import_frames.c: baked frames of any space as channels of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"

#include <string.h>

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

// -- Transforms

// A faulty save function stored the list of all frames in each: the first one is complete.
static bbmod_rows bbmod_import_frames_find_rows(const tenon_bbanim *doc, const char *space,
                                                uint32_t row_count)
{
    const tenon_layout *layout = doc->frames.layout;
    const tenon_element *element = layout ? tn_layout_find(layout, space) : NULL;
    if (!element || doc->frames.count == 0) return (bbmod_rows){.first = NULL};
    bool is_repeated = bbanim_has(doc, TENON_BBANIM_REPEATED);
    return (bbmod_rows){.first = doc->frames.data + element->offset,
                        .step = is_repeated ? 32 * (uint64_t)row_count : layout->stride};
}

static tn_dquat bbmod_import_frames_row(const bbmod_rows *rows, uint32_t frame, uint32_t slot)
{
    const uint8_t *p = rows->first + frame * rows->step + 32 * (uint64_t)slot;
    float v[8];
    for (int i = 0; i < 8; i++) v[i] = tn_load_f32(p + 4 * i, false);
    return tn_dquat_normalise(bbmod_rig_dual_load(v));
}

// The transform in the model of a joint that frames contain.
static tn_dquat bbmod_import_frames_stored_world(const bbmod_frames *frames, uint32_t frame,
                                                 uint32_t joint)
{
    uint32_t slot = frames->rig->joints[joint].slot;
    if (frames->world.first) return bbmod_import_frames_row(&frames->world, frame, slot);
    return tn_dquat_mul(bbmod_import_frames_row(&frames->bone, frame, slot),
                        tn_dquat_inverse(frames->rig->offsets[slot].rigid));
}

// The transform relative to the parent of a joint that frames contain.
static tn_dquat bbmod_import_frames_stored_local(const bbmod_frames *frames, uint32_t frame,
                                                 uint32_t index)
{
    const bbmod_joint *joint = &frames->rig->joints[index];
    if (frames->parent.first) return bbmod_import_frames_row(&frames->parent, frame, joint->slot);
    tn_dquat own = bbmod_import_frames_stored_world(frames, frame, index);
    if (joint->parent == TENON_NONE) return own;
    const bbmod_anchor *anchor = &frames->anchors[joint->parent];
    tn_dquat parent = anchor->place;
    if (anchor->joint != TENON_NONE)
        parent = tn_dquat_mul(bbmod_import_frames_stored_world(frames, frame, anchor->joint),
                              anchor->place);
    return tn_dquat_mul(tn_dquat_inverse(parent), own);
}

// Returns how many joints frames contain.
static uint32_t bbmod_import_frames_find_anchors(bbmod_frames *frames)
{
    const bbmod_rig *rig = frames->rig;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        const bbmod_joint *joint = &rig->joints[i];
        uint32_t slot = joint->slot;
        bool is_contained =
            slot != TENON_NONE &&
            (frames->parent.first || frames->world.first ||
             (frames->bone.first && slot < rig->bone_count && rig->offsets[slot].is_there));
        bbmod_anchor above = {TENON_NONE, tn_dquat_identity()};
        if (joint->parent != TENON_NONE) above = frames->anchors[joint->parent];
        frames->anchors[i] =
            is_contained ? (bbmod_anchor){i, tn_dquat_identity()}
                         : (bbmod_anchor){above.joint, tn_dquat_mul(above.place, joint->rest)};
        count += is_contained;
    }
    return count;
}

// -- Channels

// Fill keys `first` to `end` of the translation and the rotation of a joint.
static void bbmod_import_frames_fill_keys_between(const bbmod_frames *frames,
                                                  const bbmod_times *times, uint32_t first,
                                                  uint32_t end, const tenon_channel channels[2])
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
        tn_dquat local = bbmod_import_frames_stored_local(frames, sources[i], joint);
        bbmod_import_store_translation(tn_dquat_translation(local), translations);
        bbmod_import_store_rotation(local.real, rotations);
    }
}

// Fill all joints for a few frames at a time, so that every byte of the file is fetched once.
static void bbmod_import_frames_fill_channels(tn_scene_builder *builder, const bbmod_frames *frames,
                                              const bbmod_times *times, tenon_channel *channels)
{
    tenon_channel *end = channels;
    for (uint32_t i = 0; i < frames->rig->joint_count; i++) {
        if (frames->anchors[i].joint != i) continue;
        for (int k = 0; k < 2; k++)
            *end++ = (tenon_channel){.node = i,
                                     .target = k ? TENON_ROTATION : TENON_TRANSLATION,
                                     .key_count = times->count,
                                     .times = times->seconds,
                                     .values = tn_scene_floats(builder, times->count, k ? 4 : 3)};
        if (builder->failed) return;
    }
    for (uint32_t key = 0, next; key < times->count; key = next) {
        next = times->count - key < TN_LANES ? times->count : key + TN_LANES;
        for (tenon_channel *channel = channels; channel < end; channel += 2)
            bbmod_import_frames_fill_keys_between(frames, times, key, next, channel);
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

void bbmod_import_add_frames(const bbmod_clip *clip)
{
    const tenon_bbanim *doc = clip->doc;
    const bbmod_rig *rig = &clip->importer->rig;
    bbmod_frames frames = {
        .rig = rig,
        .parent = bbmod_import_frames_find_rows(doc, "parent", doc->model_node_count),
        .world = bbmod_import_frames_find_rows(doc, "world", doc->model_node_count),
        .bone = bbmod_import_frames_find_rows(doc, "bone", doc->model_bone_count),
        .anchors = bbmod_import_scratch(clip->importer, rig->joint_count, sizeof *frames.anchors)};
    bbmod_times times;
    if (!bbmod_import_begin_times(clip, doc->frames.count, &times)) return;
    for (uint32_t i = 0; i < doc->frames.count; i++) bbmod_import_time(clip, &times, i, i);
    uint32_t count = bbmod_import_frames_find_anchors(&frames);
    if (doc->frames.count == 0)
        tn_tally_path(&clip->tallies->without_frames, 1, "%s", clip->name);
    else
        tn_tally_path(&clip->tallies->missing, rig->joint_count - count, "%s", clip->name);
    tenon_channel *channels = bbmod_import_begin_clip(clip, 2 * (uint64_t)count);
    if (channels)
        bbmod_import_frames_fill_channels(clip->importer->builder, &frames, &times, channels);
}
