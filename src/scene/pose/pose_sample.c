// pose_sample.c: the value of an animation channel at any time.
// SPDX-License-Identifier: MIT

#include "scene/pose/pose.h"

static tn_quat pose_sample_to_quat(const float *v)
{
    return tn_quat_normalise((tn_quat){v[0], v[1], v[2], v[3]});
}

static void pose_sample_put_quat(tn_quat q, double value[4])
{
    value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
}

// A Hermite spline. Tangents are changes per second, so they are multiplied by the interval.
static void pose_sample_mix_cubic(const float *from, const float *to, double t, double interval,
                                  uint32_t size, double value[4])
{
    double t2 = t * t, t3 = t2 * t;
    double from_weight = 2 * t3 - 3 * t2 + 1, to_weight = 3 * t2 - 2 * t3;
    double out_weight = (t3 - 2 * t2 + t) * interval, in_weight = (t3 - t2) * interval;
    const float *out_tangent = from + 2 * (size_t)size, *in_tangent = to;
    for (uint32_t k = 0; k < size; k++)
        value[k] = from_weight * (double)from[size + k] + out_weight * (double)out_tangent[k] +
                   to_weight * (double)to[size + k] + in_weight * (double)in_tangent[k];
    if (size < 4) return;
    pose_sample_put_quat(tn_quat_normalise((tn_quat){value[0], value[1], value[2], value[3]}),
                         value);
}

void tn_channel_sample(const tenon_channel *channel, double seconds, double value[4])
{
    bool is_cubic = channel->curve == TENON_CUBIC;
    uint32_t size = channel->target == TENON_ROTATION ? 4 : 3;
    uint32_t stride = is_cubic ? 3 * size : size;
    // The last key at or before `seconds`; the first key if all are later.
    const float *times = channel->times;
    uint32_t key = 0, high = channel->key_count;
    while (high - key > 1) {
        uint32_t middle = key + (high - key) / 2;
        if ((double)times[middle] <= seconds)
            key = middle;
        else
            high = middle;
    }
    const float *from = channel->values + (size_t)key * stride, *to = from + stride;
    double passed = seconds - (double)times[key], interval = 0;
    if (key + 1 < channel->key_count && passed > 0)
        interval = (double)times[key + 1] - (double)times[key];
    if (channel->curve == TENON_STEP || !(interval > 0)) {
        const float *constant = is_cubic ? from + size : from;
        for (uint32_t k = 0; k < size; k++) value[k] = (double)constant[k];
        if (size == 4) pose_sample_put_quat(pose_sample_to_quat(constant), value);
        return;
    }
    double share = passed / interval;
    if (is_cubic) {
        pose_sample_mix_cubic(from, to, share, interval, size, value);
    } else if (size == 4) {
        pose_sample_put_quat(
            tn_quat_slerp(pose_sample_to_quat(from), pose_sample_to_quat(to), share), value);
    } else {
        for (uint32_t k = 0; k < size; k++)
            value[k] = (1 - share) * (double)from[k] + share * (double)to[k];
    }
}

void tenon_channel_sample(const tenon_channel *channel, double seconds, double value[4])
{
    value[0] = value[1] = value[2] = value[3] = 0;
    if (channel && channel->key_count) tn_channel_sample(channel, seconds, value);
}
