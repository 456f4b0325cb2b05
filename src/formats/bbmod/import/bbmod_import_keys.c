// bbmod_import_keys.c: keyframes of versions 1 and 2 as channels of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"

#include <math.h>
#include <string.h>

#define RECENT_MOST 8     // Lists of times that are compared.
#define SCALE_SLACK 1e-6  // Smaller differences between scales are ignored.

// -- Times

// The last lists of times: most channels have the same times and share them.
typedef struct bbmod_recent {
    bbmod_times lists[RECENT_MOST];
    uint32_t count;
} bbmod_recent;

static bool bbmod_import_keys_load_times(const bbmod_clip *clip, const tenon_span *keys,
                                         bbmod_recent *recent, bbmod_times *times)
{
    tn_mark mark = tn_arena_mark(clip->importer->builder->arena);
    if (!bbmod_import_begin_times(clip, keys->count, times)) return false;
    for (uint32_t i = 0; i < keys->count; i++)
        bbmod_import_time(clip, times, i, tn_load_f64(tn_span_record(keys, i), false));
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

// -- Channels

// The channel of each joint, NULL if it has none.
static const tenon_bbanim_channel **bbmod_import_keys_channels_of_joints(const bbmod_clip *clip)
{
    const bbmod_rig *rig = &clip->importer->rig;
    const tenon_bbanim_channel **by_joint =
        bbmod_import_scratch(clip->importer, rig->joint_count, sizeof *by_joint);
    uint32_t most = rig->joint_count;
    if (!bbanim_has(clip->doc, TENON_BBANIM_NODES) && rig->bone_count < most)
        most = rig->bone_count;
    for (uint32_t c = 0; by_joint && c < clip->doc->channel_count; c++) {
        const tenon_bbanim_channel *channel = &clip->doc->channels[c];
        uint32_t slot = bbmod_tree_slot(channel->index, most);
        uint32_t joint = slot == TENON_NONE ? TENON_NONE : rig->by_slot[slot];
        if (joint == TENON_NONE || by_joint[joint])
            tn_tally_path(&clip->tallies->channels, 1, "%s", clip->name);
        else
            by_joint[joint] = channel;
    }
    return by_joint;
}

// Keys have no scale: a node with a scale in the rest pose loses it while it is animated.
static bool bbmod_import_keys_loses_scale(const bbmod_joint *joint)
{
    tn_trs rest;
    (void)tn_mat4_decompose(&joint->local, &rest);
    tn_vec3 s = rest.scale;
    return fabs(s.x - 1) + fabs(s.y - 1) + fabs(s.z - 1) > SCALE_SLACK;
}

// Fill a channel with all keys, or with one if all have the same bits. `above` is the rotation of
// the inverse transform for keys of the root; else NULL.
static void bbmod_import_keys_fill_channel(const bbmod_clip *clip, const tenon_span *keys,
                                           const tn_quat *above, bbmod_recent *recent,
                                           tenon_channel *channel)
{
    tn_scene_builder *builder = clip->importer->builder;
    const tn_mat4 *matrix = &clip->importer->rig.above;
    uint32_t size = channel->target == TENON_ROTATION ? 4 : 3;
    bbmod_times times;
    if (!bbmod_import_keys_load_times(clip, keys, recent, &times)) return;
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
static uint32_t bbmod_import_keys_fill_joint(const bbmod_clip *clip,
                                             const tenon_bbanim_channel *from, uint32_t joint,
                                             bbmod_recent *recent, tenon_channel *out)
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
    if (from->positions.count) {
        *out = (tenon_channel){.node = joint, .target = TENON_TRANSLATION};
        bbmod_import_keys_fill_channel(clip, &from->positions, rotation, recent, out++);
    }
    if (from->rotations.count) {
        *out = (tenon_channel){.node = joint, .target = TENON_ROTATION};
        bbmod_import_keys_fill_channel(clip, &from->rotations, rotation, recent, out++);
    }
    if (bbmod_import_keys_loses_scale(&rig->joints[joint])) {
        *out = (tenon_channel){.node = joint, .target = TENON_SCALE};
        tn_channel_alloc(clip->importer->builder, out, 1);
        if (clip->importer->builder->failed) return 0;
        if (!is_root) s = (tn_vec3){1, 1, 1};
        out->values[0] = (float)s.x, out->values[1] = (float)s.y, out->values[2] = (float)s.z;
        out++;
    }
    return (uint32_t)(out - first);
}

void bbmod_import_add_keys(const bbmod_clip *clip)
{
    const bbmod_rig *rig = &clip->importer->rig;
    const tenon_bbanim_channel **by_joint = bbmod_import_keys_channels_of_joints(clip);
    uint64_t count = 0;
    for (uint32_t i = 0; by_joint && i < rig->joint_count; i++)
        if (by_joint[i])
            count += (uint64_t)(by_joint[i]->positions.count > 0) +
                     (by_joint[i]->rotations.count > 0) +
                     bbmod_import_keys_loses_scale(&rig->joints[i]);
    tenon_channel *channels = bbmod_import_begin_clip(clip, count);
    bbmod_recent recent = {.count = 0};
    for (uint32_t i = 0; i < rig->joint_count && !clip->importer->builder->failed; i++)
        if (by_joint[i])
            channels += bbmod_import_keys_fill_joint(clip, by_joint[i], i, &recent, channels);
}
