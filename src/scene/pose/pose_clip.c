// pose_clip.c: the box around everything that a clip does.
// SPDX-License-Identifier: MIT

#include "scene/pose/pose.h"

#define EVEN_TIMES 64   // Between the keys, where joints swing outwards.
#define KEYS_MOST  512  // Of one channel; of more, so many are taken, evenly.

static void widen(const tenon_pose *pose, double min[3], double max[3], bool *any)
{
    double low[3], high[3];
    if (!tenon_pose_bounds(pose, low, high)) return;
    for (int k = 0; k < 3; k++) {
        if (!*any || low[k] < min[k]) min[k] = low[k];
        if (!*any || high[k] > max[k]) max[k] = high[k];
    }
    *any = true;
}

// The channel with the most keys stands for all: baked clips have them in common.
static const tenon_channel *busiest(const tenon_animation *a)
{
    const tenon_channel *most = NULL;
    for (uint32_t i = 0; i < a->channel_count; i++)
        if (!most || a->channels[i].key_count > most->key_count) most = &a->channels[i];
    return most;
}

bool tenon_pose_clip_bounds(tenon_pose *pose, uint32_t animation, double min[3], double max[3])
{
    bool any = false;
    const tenon_animation *clip = &pose->scene->animations[animation];
    const tenon_channel *keys = busiest(clip);
    uint32_t count = keys ? keys->key_count : 0, step = count / KEYS_MOST + 1;
    for (uint32_t i = 0; i < count; i += step) {
        tenon_pose_set(pose, animation, (double)keys->times[i]);
        widen(pose, min, max, &any);
    }
    for (uint32_t i = 0; i <= EVEN_TIMES; i++) {
        tenon_pose_set(pose, animation, clip->duration * i / EVEN_TIMES);
        widen(pose, min, max, &any);
    }
    return any;
}
