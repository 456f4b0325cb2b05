// channels.h: how many numbers the keys of a channel have.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_MODEL_CHANNELS_H
#define TN_SCENE_MODEL_CHANNELS_H

#include <tenon/scene.h>

enum { TN_MORPHS_MOST = 1 << 24 };  // Morph targets of a mesh.

// Numbers of a value.
static inline uint32_t tn_channel_width(const tenon_channel *channel)
{
    if (channel->target == TENON_WEIGHTS) return channel->weight_count;
    return channel->target == TENON_ROTATION ? 4 : 3;
}

// Numbers of a key, with its tangents.
static inline uint32_t tn_key_size(const tenon_channel *channel)
{
    return tn_channel_width(channel) * (channel->curve == TENON_CUBIC ? 3 : 1);
}

#endif  // TN_SCENE_MODEL_CHANNELS_H
