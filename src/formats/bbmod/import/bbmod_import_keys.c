// bbmod_import_keys.c: keyframes of versions 1 and 2 as channels of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"

#include <math.h>
#include <string.h>

#define RECENT_MOST 8     // Lists of times that are compared.
#define SCALE_SLACK 1e-6  // Smaller differences between scales are ignored.

// Keys of a joint. The inverse transform is applied to those of the root.
typedef struct bbmod_keys {
    const tenon_span *span;
    bool is_root;
    tn_mat4 above;
    tn_trs above_parts;
} bbmod_keys;

// -- Numbers

static void bbmod_store_key_translation(const void *context, uint32_t key, float *numbers)
{
    const bbmod_keys *keys = context;
    float v[3];
    tn_span_f32(keys->span, &keys->span->layout->elements[1], key, 1, v);
    tn_vec3 t = {v[0], v[1], v[2]};
    bbmod_store_translation(keys->is_root ? tn_mat4_point(&keys->above, t) : t, numbers);
}

static void bbmod_store_key_rotation(const void *context, uint32_t key, float *numbers)
{
    const bbmod_keys *keys = context;
    float v[4];
    tn_span_f32(keys->span, &keys->span->layout->elements[1], key, 1, v);
    tn_quat r = {v[0], v[1], v[2], v[3]};
    if (keys->is_root) r = tn_quat_mul(keys->above_parts.rotation, tn_quat_normalise(r));
    bbmod_store_rotation(r, numbers);
}

// -- Times

// The last lists of times: most channels have the same times and share them.
typedef struct bbmod_recent {
    bbmod_times lists[RECENT_MOST];
    uint32_t count;
} bbmod_recent;

static bool bbmod_find_times(const bbmod_recent *recent, bbmod_times *times)
{
    for (uint32_t i = 0; i < RECENT_MOST && i < recent->count; i++) {
        const bbmod_times *other = &recent->lists[i];
        if (other->count != times->count) continue;
        if (memcmp(other->seconds, times->seconds, times->count * sizeof(float)) != 0) continue;
        times->seconds = other->seconds;
        return true;
    }
    return false;
}

static bool bbmod_load_times(const bbmod_clip *clip, const tenon_span *keys, bbmod_recent *recent,
                             bbmod_times *times)
{
    tn_mark mark = tn_arena_mark(clip->importer->builder->arena);
    if (!bbmod_begin_times(clip, keys->count, times)) return false;
    for (uint32_t i = 0; i < keys->count; i++)
        bbmod_add_time(clip, times, i, tn_load_f64(tn_span_record(keys, i), false));
    if (bbmod_find_times(recent, times))
        tn_arena_rewind(clip->importer->builder->arena, mark);
    else
        recent->lists[recent->count++ % RECENT_MOST] = *times;
    return true;
}

// -- Channels

// The channel of each joint, NULL if it has none.
static const tenon_bbanim_channel **bbmod_channels_of_joints(const bbmod_clip *clip)
{
    const bbmod_rig *rig = &clip->importer->rig;
    const tenon_bbanim_channel **by_joint =
        bbmod_scratch(clip->importer, rig->joint_count, sizeof *by_joint);
    uint32_t most = rig->joint_count;
    if (!bbanim_has(clip->doc, TENON_BBANIM_NODES) && rig->bone_count < most)
        most = rig->bone_count;
    for (uint32_t c = 0; by_joint && c < clip->doc->channel_count; c++) {
        const tenon_bbanim_channel *channel = &clip->doc->channels[c];
        uint32_t slot = bbmod_slot(channel->index, most);
        uint32_t joint = slot == TENON_NONE ? TENON_NONE : rig->by_slot[slot];
        if (joint == TENON_NONE || by_joint[joint])
            tn_tally_path(&clip->tallies->channels, 1, "%s", clip->name);
        else
            by_joint[joint] = channel;
    }
    return by_joint;
}

// Keys have no scale: a node with a scale in the rest pose loses it while it is animated.
static bool bbmod_loses_scale(const bbmod_joint *joint)
{
    tn_trs rest;
    (void)tn_mat4_decompose(&joint->local, &rest);
    tn_vec3 s = rest.scale;
    return fabs(s.x - 1) + fabs(s.y - 1) + fabs(s.z - 1) > SCALE_SLACK;
}

static uint64_t bbmod_count_parts(const tenon_bbanim_channel *channel, const bbmod_joint *joint)
{
    if (!channel) return 0;
    return (uint64_t)(channel->positions.count > 0) + (channel->rotations.count > 0) +
           bbmod_loses_scale(joint);
}

static void bbmod_fill_keys(const bbmod_clip *clip, bbmod_keys *keys, const tenon_span *span,
                            bbmod_recent *recent, tenon_channel *out)
{
    bbmod_times times;
    keys->span = span;
    if (!bbmod_load_times(clip, span, recent, &times)) return;
    bool is_rotation = out->target == TENON_ROTATION;
    bbmod_fill_channel(clip, out, &times,
                       is_rotation ? bbmod_store_key_rotation : bbmod_store_key_translation, keys);
}

static void bbmod_fill_scale(const bbmod_clip *clip, const bbmod_keys *keys, tenon_channel *out)
{
    tn_channel_alloc(clip->importer->builder, out, 1);
    if (clip->importer->builder->failed) return;
    const tn_vec3 s = keys->is_root ? keys->above_parts.scale : (tn_vec3){1, 1, 1};
    out->values[0] = (float)s.x, out->values[1] = (float)s.y, out->values[2] = (float)s.z;
}

// The inverse transform can be applied to the root's keys exactly if its scale is uniform.
static bool bbmod_split_above(bbmod_keys *keys)
{
    uint32_t flags = tn_mat4_decompose(&keys->above, &keys->above_parts);
    tn_vec3 s = keys->above_parts.scale;
    return flags == 0 && fabs(s.x - s.y) + fabs(s.y - s.z) <= SCALE_SLACK * fabs(s.x);
}

// Returns how many channels were filled.
static uint32_t bbmod_fill_joint(const bbmod_clip *clip, const tenon_bbanim_channel *from,
                                 uint32_t joint, bbmod_recent *recent, tenon_channel *out)
{
    const bbmod_rig *rig = &clip->importer->rig;
    bbmod_keys keys = {.is_root = rig->joints[joint].parent == TENON_NONE, .above = rig->above};
    tenon_channel *first = out;
    if (!bbmod_split_above(&keys) && keys.is_root)
        tn_tally_path(&clip->tallies->uneven, 1, "%s", clip->name);
    if (from->positions.count) {
        *out = (tenon_channel){.node = joint, .target = TENON_TRANSLATION};
        bbmod_fill_keys(clip, &keys, &from->positions, recent, out++);
    }
    if (from->rotations.count) {
        *out = (tenon_channel){.node = joint, .target = TENON_ROTATION};
        bbmod_fill_keys(clip, &keys, &from->rotations, recent, out++);
    }
    if (bbmod_loses_scale(&rig->joints[joint])) {
        *out = (tenon_channel){.node = joint, .target = TENON_SCALE};
        bbmod_fill_scale(clip, &keys, out++);
    }
    return (uint32_t)(out - first);
}

void bbmod_add_keys(const bbmod_clip *clip)
{
    const bbmod_rig *rig = &clip->importer->rig;
    const tenon_bbanim_channel **by_joint = bbmod_channels_of_joints(clip);
    uint64_t count = 0;
    for (uint32_t i = 0; by_joint && i < rig->joint_count; i++)
        count += bbmod_count_parts(by_joint[i], &rig->joints[i]);
    tenon_channel *channels = bbmod_begin_clip(clip, count);
    bbmod_recent recent = {.count = 0};
    for (uint32_t i = 0; i < rig->joint_count && !clip->importer->builder->failed; i++)
        if (by_joint[i]) channels += bbmod_fill_joint(clip, by_joint[i], i, &recent, channels);
}
