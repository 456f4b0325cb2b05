// pose_sample.c: the value of an animation channel at any time.
// SPDX-License-Identifier: MIT

#include "scene/model/channels.h"
#include "scene/pose/pose.h"

static tn_quat pose_sample_to_quat(const float *v)
{
    return tn_quat_normalise((tn_quat){v[0], v[1], v[2], v[3]});
}

static void pose_sample_put_quat(tn_quat q, double value[4])
{
    value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
}

// The keys around a time.
typedef struct key_span {
    uint32_t key;     // The last at or before it; the first if all are later.
    double interval;  // To the next key; 0: the value of the key is constant.
    double passed;    // Since the key.
} key_span;

uint32_t tn_channel_find_key(const tenon_channel *channel, tn_cursor *cursor, double seconds)
{
    const float *times = channel->times;
    uint32_t key = cursor->key, high = channel->key_count;
    // Most often it is the same key as before or the next one.
    for (int i = 0; i < 2 && key < high && (double)times[key] <= seconds; i++) {
        if (key + 1 == high || (double)times[key + 1] > seconds) return cursor->key = key;
        key++;
    }
    key = 0;
    while (high - key > 1) {
        uint32_t middle = key + (high - key) / 2;
        if ((double)times[middle] <= seconds)
            key = middle;
        else
            high = middle;
    }
    return cursor->key = key;
}

static key_span pose_sample_find_span(const tenon_channel *channel, tn_cursor *cursor,
                                      double seconds)
{
    const float *times = channel->times;
    uint32_t key = tn_channel_find_key(channel, cursor, seconds);
    key_span span = {.key = key, .passed = seconds - (double)times[key]};
    if (channel->curve != TENON_STEP && key + 1 < channel->key_count && span.passed > 0)
        span.interval = (double)times[key + 1] - (double)times[key];
    return span;
}

// `count` numbers of a value from number `first` on, of which each is a separate curve. A cubic
// curve is a Hermite spline; its tangents are changes per second.
static void pose_sample_numbers(const tenon_channel *channel, key_span span, uint32_t first,
                                uint32_t count, double *values)
{
    bool is_cubic = channel->curve == TENON_CUBIC;
    size_t width = tn_channel_width(channel), stride = tn_key_size(channel);
    const float *from = channel->values + span.key * stride + first, *to = from + stride;
    if (!(span.interval > 0)) {
        for (uint32_t k = 0; k < count; k++) values[k] = (double)from[(is_cubic ? width : 0) + k];
        return;
    }
    double t = span.passed / span.interval, t2 = t * t, t3 = t2 * t;
    if (!is_cubic) {
        for (uint32_t k = 0; k < count; k++)
            values[k] = (1 - t) * (double)from[k] + t * (double)to[k];
        return;
    }
    double from_weight = 2 * t3 - 3 * t2 + 1, to_weight = 3 * t2 - 2 * t3;
    double out_weight = (t3 - 2 * t2 + t) * span.interval, in_weight = (t3 - t2) * span.interval;
    const float *out_tangent = from + 2 * width, *in_tangent = to;
    for (uint32_t k = 0; k < count; k++)
        values[k] = from_weight * (double)from[width + k] + out_weight * (double)out_tangent[k] +
                    to_weight * (double)to[width + k] + in_weight * (double)in_tangent[k];
}

void tn_channel_key_value(const tenon_channel *channel, uint32_t key, double value[4])
{
    const key_span span = {.key = key};
    if (channel->target != TENON_ROTATION) {
        pose_sample_numbers(channel, span, 0, 3, value);
        return;
    }
    const float *from = channel->values + (size_t)key * tn_key_size(channel);
    pose_sample_put_quat(pose_sample_to_quat(channel->curve == TENON_CUBIC ? from + 4 : from),
                         value);
}

void tn_channel_sample_near(const tenon_channel *channel, tn_cursor *cursor, double seconds,
                            double value[4])
{
    key_span span = pose_sample_find_span(channel, cursor, seconds);
    if (!(span.interval > 0)) {
        tn_channel_key_value(channel, span.key, value);
        return;
    }
    if (channel->target != TENON_ROTATION) {
        pose_sample_numbers(channel, span, 0, 3, value);
        return;
    }
    const float *from = channel->values + (size_t)span.key * tn_key_size(channel);
    if (channel->curve == TENON_CUBIC) {
        pose_sample_numbers(channel, span, 0, 4, value);
        pose_sample_put_quat(tn_quat_normalise((tn_quat){value[0], value[1], value[2], value[3]}),
                             value);
        return;
    }
    if (!cursor->has_turn || cursor->turning != span.key) {
        cursor->turn = tn_slerp_make(pose_sample_to_quat(from), pose_sample_to_quat(from + 4));
        cursor->turning = span.key;
        cursor->has_turn = true;
    }
    pose_sample_put_quat(tn_slerp_at(&cursor->turn, span.passed / span.interval), value);
}

void tn_channel_sample(const tenon_channel *channel, double seconds, double value[4])
{
    tn_cursor cursor = {0};
    tn_channel_sample_near(channel, &cursor, seconds, value);
}

void tn_channel_sample_weights(const tenon_channel *channel, double seconds, double *weights)
{
    tn_cursor cursor = {0};
    key_span span = pose_sample_find_span(channel, &cursor, seconds);
    pose_sample_numbers(channel, span, 0, channel->weight_count, weights);
}

// -- Public

void tenon_channel_sample(const tenon_channel *channel, double seconds, double value[4])
{
    value[0] = value[1] = value[2] = value[3] = 0;
    if (channel && channel->key_count && channel->target != TENON_WEIGHTS)
        tn_channel_sample(channel, seconds, value);
}

double tenon_channel_sample_weight(const tenon_channel *channel, uint32_t morph, double seconds)
{
    double weight = 0;
    tn_cursor cursor = {0};
    if (!channel || !channel->key_count || channel->target != TENON_WEIGHTS) return 0;
    if (morph >= channel->weight_count) return 0;
    pose_sample_numbers(channel, pose_sample_find_span(channel, &cursor, seconds), morph, 1,
                        &weight);
    return weight;
}
