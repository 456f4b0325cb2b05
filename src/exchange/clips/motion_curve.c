// motion_curve.c: animation curves, and the error of straight lines between samples of them.
// SPDX-License-Identifier: MIT

#include "exchange/clips/motion_curve.h"

#include <math.h>

#define MOST_SAMPLES 16  // Of a cubic curve between two keys, to find how far it goes.

// -- Values

uint32_t tn_channel_size(const tenon_channel *channel)
{
    return channel->target == TENON_ROTATION ? 4 : 3;
}

const float *tn_channel_key(const tenon_channel *channel, uint32_t key)
{
    uint32_t size = tn_channel_size(channel);
    // Cubic keys are tangent in, value, tangent out.
    return channel->curve == TENON_CUBIC ? channel->values + (size_t)key * 3 * size + size
                                         : channel->values + (size_t)key * size;
}

static double motion_curve_length_of(const double *v, uint32_t size)
{
    double square = 0;
    for (uint32_t k = 0; k < size; k++) square += v[k] * v[k];
    return sqrt(square);
}

static tn_quat motion_curve_key_quat(const float *v)
{
    return tn_quat_normalise((tn_quat){(double)v[0], (double)v[1], (double)v[2], (double)v[3]});
}

double tn_value_distance(tenon_target target, const double a[4], const double b[4])
{
    double apart[4] = {0}, together[4] = {0};
    uint32_t size = target == TENON_ROTATION ? 4 : 3;
    for (uint32_t k = 0; k < size; k++) apart[k] = a[k] - b[k], together[k] = a[k] + b[k];
    double difference = motion_curve_length_of(apart, size),
           sum = motion_curve_length_of(together, size);
    if (target != TENON_ROTATION) return difference;
    // q and -q are the same turn; the angle of a turn is twice that of its quaternion.
    return 4 * (difference < sum ? tn_atan2(difference, sum) : tn_atan2(sum, difference));
}

void tn_value_between(tenon_target target, const double a[4], const double b[4], double share,
                      double value[4])
{
    if (target == TENON_ROTATION) {
        tn_quat q = tn_quat_slerp((tn_quat){a[0], a[1], a[2], a[3]},
                                  (tn_quat){b[0], b[1], b[2], b[3]}, share);
        value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
        return;
    }
    for (uint32_t k = 0; k < 3; k++) value[k] = (1 - share) * a[k] + share * b[k];
}

// -- Whole curves

static double motion_curve_magnitude_of(tenon_target target, const double v[3])
{
    if (target == TENON_TRANSLATION) return motion_curve_length_of(v, 3);
    double most = 0;
    for (uint32_t k = 0; k < 3; k++)
        if (fabs(v[k]) > most) most = fabs(v[k]);
    return most;
}

bool tn_channel_is_constant(const tenon_channel *channel)
{
    uint32_t size = tn_channel_size(channel);
    const float *first = tn_channel_key(channel, 0);
    for (uint32_t i = 0; i < channel->key_count; i++) {
        const float *key = tn_channel_key(channel, i);
        for (uint32_t k = 0; k < size; k++) {
            if (key[k] != first[k]) return false;
            if (channel->curve != TENON_CUBIC) continue;
            bool arrives = i > 0 && (key - size)[k] != 0;
            bool leaves = i + 1 < channel->key_count && (key + size)[k] != 0;
            if (arrives || leaves) return false;
        }
    }
    return true;
}

// -- Corners

// The velocity between two linear keys.
static tn_vec3 motion_curve_linear_velocity(const tenon_channel *c, uint32_t key)
{
    const float *a = tn_channel_key(c, key), *b = tn_channel_key(c, key + 1);
    double seconds = (double)c->times[key + 1] - (double)c->times[key];
    if (c->target != TENON_ROTATION) {
        tn_vec3 change = {(double)b[0] - (double)a[0], (double)b[1] - (double)a[1],
                          (double)b[2] - (double)a[2]};
        return tn_vec3_scale(change, 1 / seconds);
    }
    tn_quat turn =
        tn_quat_mul(tn_quat_conjugate(motion_curve_key_quat(a)), motion_curve_key_quat(b));
    tn_vec3 axis = {turn.x, turn.y, turn.z};
    double sine = tn_vec3_length(axis), angle = 2 * tn_atan2(sine, fabs(turn.w));
    return tn_vec3_scale(tn_vec3_normalise(axis), (turn.w < 0 ? -angle : angle) / seconds);
}

static tn_vec3 motion_curve_cubic_velocity(const tenon_channel *c, uint32_t key, bool leaving)
{
    const float *v = tn_channel_key(c, key);
    uint32_t size = tn_channel_size(c);
    const float *t = leaving ? v + size : v - size;
    if (size == 3) return (tn_vec3){(double)t[0], (double)t[1], (double)t[2]};
    const double q[4] = {(double)v[0], (double)v[1], (double)v[2], (double)v[3]};
    double length = motion_curve_length_of(q, 4), scale = length > 0 ? 1 / length : 0;
    tn_quat change = {(double)t[0] * scale, (double)t[1] * scale, (double)t[2] * scale,
                      (double)t[3] * scale};
    tn_quat turned = tn_quat_mul(tn_quat_conjugate(motion_curve_key_quat(v)), change);
    return tn_vec3_scale((tn_vec3){turned.x, turned.y, turned.z}, 2);
}

// Nothing moves before the first key and after the last one.
double tn_channel_corner(const tenon_channel *c, uint32_t key, tn_velocity *last)
{
    tn_vec3 before = {0, 0, 0}, after = {0, 0, 0};
    bool is_first = key == 0, is_last = key + 1 == c->key_count;
    if (c->curve == TENON_CUBIC) {
        if (!is_first) before = motion_curve_cubic_velocity(c, key, false);
        if (!is_last) after = motion_curve_cubic_velocity(c, key, true);
    } else if (c->curve == TENON_LINEAR) {
        bool is_shared = !is_first && last->is_known && last->key == key - 1;
        if (!is_first) before = is_shared ? last->value : motion_curve_linear_velocity(c, key - 1);
        if (!is_last) after = motion_curve_linear_velocity(c, key);
        *last = (tn_velocity){.is_known = !is_last, .key = key, .value = after};
    }
    return tn_vec3_length(tn_vec3_sub(after, before));
}

// -- Cubic curves

tn_cubic_segment tn_segment_make(const tenon_channel *channel, uint32_t key)
{
    uint32_t size = tn_channel_size(channel);
    const float *from = tn_channel_key(channel, key), *to = tn_channel_key(channel, key + 1);
    double start = (double)channel->times[key];
    tn_cubic_segment s = {.target = channel->target,
                          .start = start,
                          .length = (double)channel->times[key + 1] - start};
    for (uint32_t k = 0; k < size; k++) {
        double leave = (double)from[size + k] * s.length;
        double arrive = (double)(to - size)[k] * s.length;
        double change = (double)to[k] - (double)from[k];
        s.c[0][k] = (double)from[k];
        s.c[1][k] = leave;
        s.c[2][k] = 3 * change - 2 * leave - arrive;
        s.c[3][k] = leave + arrive - 2 * change;
    }
    return s;
}

// Position, velocity and acceleration at u.
typedef struct derivatives {
    double p[4], v[4], a[4];
} derivatives;

static derivatives motion_curve_derivatives_at(const tn_cubic_segment *segment, double u)
{
    derivatives m;
    for (uint32_t k = 0; k < 4; k++) {
        double c1 = segment->c[1][k], c2 = segment->c[2][k], c3 = segment->c[3][k];
        m.p[k] = segment->c[0][k] + u * (c1 + u * (c2 + u * c3));
        m.v[k] = c1 + u * (2 * c2 + u * 3 * c3);
        m.a[k] = 2 * c2 + u * 6 * c3;
    }
    return m;
}

static double motion_curve_dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// The length of the part of v that is perpendicular to a direction of length 1.
static double motion_curve_perpendicular_length(const double v[4], const double direction[4])
{
    double rest[4], along = motion_curve_dot4(v, direction);
    for (uint32_t k = 0; k < 4; k++) rest[k] = v[k] - along * direction[k];
    return motion_curve_length_of(rest, 4);
}

// The acceleration is linear in u: it is largest at one of the ends.
static double motion_curve_max_acceleration(const tn_cubic_segment *segment, double from, double to)
{
    double first[4], second[4];
    for (uint32_t k = 0; k < 4; k++) {
        first[k] = 2 * segment->c[2][k] + from * 6 * segment->c[3][k];
        second[k] = 2 * segment->c[2][k] + to * 6 * segment->c[3][k];
    }
    double a = motion_curve_length_of(first, 4), b = motion_curve_length_of(second, 4);
    return a > b ? a : b;
}

// A quaternion is normalized: with p = r q, where q has length 1, the acceleration of q along the
// sphere is the part of p'' - 2 r' q' that is perpendicular to q, divided by r. All of that is
// bounded by its value in the middle and by how fast it changes. A turn at constant speed is a
// great circle; as for a straight line, the error of a curve of acceleration A is A h^2 / 8, and a
// little more on a sphere: 5 % if the curve is half a radian long.
static double motion_curve_rotation_error(const tn_cubic_segment *segment, double from, double to)
{
    double half = (to - from) / 2, a = motion_curve_max_acceleration(segment, from, to);
    derivatives m = motion_curve_derivatives_at(segment, from + half);
    double length = motion_curve_length_of(m.p, 4), v = motion_curve_length_of(m.v, 4) + a * half;
    double least = length - v * half;
    if (!(least > 0)) return HUGE_VAL;
    double q[4];
    for (uint32_t k = 0; k < 4; k++) q[k] = m.p[k] / length;
    double turning = v / least;  // A bound on the speed of q.
    double jerk = 6 * motion_curve_length_of(segment->c[3], 4);
    double v_across = motion_curve_perpendicular_length(m.v, q) + (a + v * turning) * half;
    double v_along = fabs(motion_curve_dot4(m.v, q)) + (a + v * turning) * half;
    double a_across = motion_curve_perpendicular_length(m.a, q) + (jerk + a * turning) * half;
    double speed = v_across / least;
    if (!(speed * (to - from) <= 0.5)) return HUGE_VAL;
    double acceleration = (a_across + 2 * v_along * speed) / least;
    return 2 * 1.05 * acceleration * half * half / 2;
}

double tn_channel_max(const tenon_channel *channel)
{
    double most = 0, step = 1.0 / MOST_SAMPLES;
    for (uint32_t i = 0; i < channel->key_count; i++) {
        const float *key = tn_channel_key(channel, i);
        const double v[3] = {(double)key[0], (double)key[1], (double)key[2]};
        double size = motion_curve_magnitude_of(channel->target, v);
        if (channel->curve == TENON_CUBIC && i + 1 < channel->key_count) {
            tn_cubic_segment segment = tn_segment_make(channel, i);
            size = 0;
            for (uint32_t k = 0; k <= MOST_SAMPLES; k++) {
                derivatives m = motion_curve_derivatives_at(&segment, k * step);
                double sample = motion_curve_magnitude_of(channel->target, m.p);
                if (!(sample <= size)) size = sample;
            }
            // Between two samples, the curve is at most this far from the straight line through
            // them.
            size = size + motion_curve_max_acceleration(&segment, 0, 1) * step * step / 8;
        }
        if (!(size <= most)) most = size;
    }
    return most;
}

double tn_segment_error(const tn_cubic_segment *segment, double from, double to)
{
    double half = (to - from) / 2, error;
    if (segment->target == TENON_ROTATION)
        error = motion_curve_rotation_error(segment, from, to);
    else
        error = motion_curve_max_acceleration(segment, from, to) * half * half / 2;
    return error < HUGE_VAL ? error : HUGE_VAL;
}

double tn_segment_step(const tn_cubic_segment *segment, double from, double guess, double tolerance,
                       double least)
{
    double step = guess < 1 - from ? guess : 1 - from;
    while (step > least) {
        double error = tn_segment_error(segment, from, from + step);
        if (error <= tolerance) return step;
        // The error grows with the square of the step.
        double factor = error < HUGE_VAL ? 0.98 * sqrt(tolerance / error) : 0.5;
        step *= factor < 0.5 ? 0.5 : (factor < 0.9 ? factor : 0.9);
    }
    return least < 1 - from ? least : 1 - from;
}
