// pose_sample.c: the value of an animation channel at any time.
// SPDX-License-Identifier: MIT

#include "scene/pose/pose.h"

// Where a time lies: behind which key, and how far on the way to the next.
typedef struct place {
    uint32_t key;
    double share;     // 0 to less than 1.
    double interval;  // Seconds from this key to the next; 0 if there is no way between keys.
} place;

// The last key that is not behind `seconds`; 0 if all are.
static uint32_t find_key(const float *times, uint32_t count, double seconds)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)times[middle] <= seconds)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static place find_place(const tenon_channel *channel, double seconds)
{
    place at = {.key = find_key(channel->times, channel->key_count, seconds)};
    double passed = seconds - (double)channel->times[at.key];
    if (at.key + 1 == channel->key_count || !(passed > 0)) return at;
    at.interval = (double)channel->times[at.key + 1] - (double)channel->times[at.key];
    at.share = passed / at.interval;
    return at;
}

static tn_quat to_quat(const float *v)
{
    return tn_quat_normalise((tn_quat){v[0], v[1], v[2], v[3]});
}

static void put_quat(tn_quat q, double value[4])
{
    value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
}

static void mix_linear(const float *from, const float *to, double share, uint32_t size,
                       double value[4])
{
    if (size == 4) {
        put_quat(tn_quat_slerp(to_quat(from), to_quat(to), share), value);
        return;
    }
    for (uint32_t k = 0; k < size; k++)
        value[k] = (1 - share) * (double)from[k] + share * (double)to[k];
}

// The cubic of Hermite: tangents are changes a second, so the interval makes lengths of them.
static void mix_cubic(const float *from, const float *to, const place *at, uint32_t size,
                      double value[4])
{
    double t = at->share, t2 = t * t, t3 = t2 * t;
    double from_weight = 2 * t3 - 3 * t2 + 1, to_weight = 3 * t2 - 2 * t3;
    double leave_weight = (t3 - 2 * t2 + t) * at->interval;
    double arrive_weight = (t3 - t2) * at->interval;
    const float *leave = from + 2 * (size_t)size, *arrive = to;
    for (uint32_t k = 0; k < size; k++)
        value[k] = from_weight * (double)from[size + k] + leave_weight * (double)leave[k] +
                   to_weight * (double)to[size + k] + arrive_weight * (double)arrive[k];
    if (size < 4) return;
    put_quat(tn_quat_normalise((tn_quat){value[0], value[1], value[2], value[3]}), value);
}

static void copy_key(const float *key, uint32_t size, double value[4])
{
    for (uint32_t k = 0; k < size; k++) value[k] = (double)key[k];
    if (size == 4) put_quat(to_quat(key), value);
}

void tn_channel_sample(const tenon_channel *channel, double seconds, double value[4])
{
    bool is_cubic = channel->curve == TENON_CUBIC;
    uint32_t size = channel->target == TENON_ROTATION ? 4 : 3;
    uint32_t stride = is_cubic ? 3 * size : size;
    place at = find_place(channel, seconds);
    const float *from = channel->values + (size_t)at.key * stride, *to = from + stride;
    if (channel->curve == TENON_STEP || !(at.interval > 0))
        copy_key(is_cubic ? from + size : from, size, value);
    else if (is_cubic)
        mix_cubic(from, to, &at, size, value);
    else
        mix_linear(from, to, at.share, size, value);
}
