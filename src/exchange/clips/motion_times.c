// motion_times.c: at which times curves have to be sampled.
// SPDX-License-Identifier: MIT

#include "exchange/clips/motion_private.h"

#include <math.h>

#define TIMES_MOST   (1u << 24)   // For one node. No real curve has as many.
#define STEPS_MOST   4096         // Between two keys.
#define STEPS_LEAST  16           // Between two keys that are close to each other.
#define STEPS_ALL    (1u << 20)   // Between all keys of a scene.
#define STEP_SECONDS 1e-4         // No real curve needs closer samples.
#define STEP_LARGE   (1.0 / 240)  // Seconds; close enough where there are very many curves.

// Times in rising order: counted, and stored if there is room.
typedef struct time_list {
    double *at;  // NULL: they are only counted.
    uint64_t count;
    double last;           // -1 before the first.
    tn_velocity velocity;  // Of the channel at the last key that was looked at.
} time_list;

static void motion_times_add_time(time_list *times, double time)
{
    if (!(time > times->last)) return;
    if (times->at) times->at[times->count] = time;
    times->count++;
    times->last = time;
}

// A channel and how to sample it. Times are in ticks, or in seconds if `ticks` is 0.
typedef struct sampled_channel {
    const tenon_channel *channel;
    double ticks;         // Per second; 0: any time is allowed.
    double tolerance;     // Of the value.
    uint32_t steps_most;  // Between two keys that are close to each other.
} sampled_channel;

// -- Channels

static double motion_times_seconds_of(const sampled_channel *sampled, double time)
{
    return sampled->ticks > 0 ? time / sampled->ticks : time;
}

static void motion_times_add_key(const sampled_channel *sampled, time_list *times, uint32_t key)
{
    const tenon_channel *c = sampled->channel;
    double seconds = (double)c->times[key], ticks = sampled->ticks;
    bool is_jump = c->curve == TENON_STEP && key > 0;
    if (is_jump && ticks > 0) {
        // The first tick whose sample is after the jump, and the tick before.
        double tick = ceil(seconds * ticks);
        if (tick > 0 && tn_step_sample_time((tick - 1) / ticks) >= seconds) tick--;
        if (tick > 0) motion_times_add_time(times, tick - 1);
        motion_times_add_time(times, tick);
        return;
    }
    if (is_jump) {
        // A time before the jump, far enough from it that rounding does not make both equal.
        double before = seconds - 4 * tn_time_tolerance(seconds);
        if (before > (double)c->times[key - 1]) motion_times_add_time(times, before);
    }
    if (!(ticks > 0)) {
        motion_times_add_time(times, seconds);
        return;
    }
    // A key between two ticks: a line through both ticks cuts the corner at the key; the nearer
    // tick alone bends the lines on either side, unless there is hardly a corner.
    double tick = floor(seconds * ticks + 0.5), away = fabs(seconds - tick / ticks);
    if (away <= tn_time_tolerance(seconds) ||
        tn_channel_corner(c, key, &times->velocity) * away <= sampled->tolerance / 4) {
        motion_times_add_time(times, tick);
        return;
    }
    motion_times_add_time(times, floor(seconds * ticks));
    motion_times_add_time(times, ceil(seconds * ticks));
}

// Add the ends of lines that together approximate the curve from a key, which was added, to the
// next key.
static void motion_times_add_segment(const sampled_channel *sampled, time_list *times, uint32_t key)
{
    tn_cubic_segment segment = tn_segment_make(sampled->channel, key);
    double tolerance = sampled->ticks > 0 ? sampled->tolerance / 2
                                          : sampled->tolerance;  // The other half is for corners.
    double least = fmin(segment.length / sampled->steps_most, STEP_LARGE), step = 1;
    least = fmax(fmax(least, STEP_SECONDS) / segment.length, 1.0 / STEPS_MOST);
    double at = (motion_times_seconds_of(sampled, times->last) - segment.start) / segment.length;
    if (!(at > 0)) at = 0;
    while (at < 1) {
        step = tn_segment_step(&segment, at, 1.25 * step, tolerance, least);
        double time = segment.start + (at + step) * segment.length;
        if (sampled->ticks > 0) {
            // The last tick up to there, but at least one tick further.
            double tick = floor(time * sampled->ticks);
            time = tick > times->last ? tick : times->last + 1;
        }
        double next = (motion_times_seconds_of(sampled, time) - segment.start) / segment.length;
        if (!(next > at && next < 1)) return;
        motion_times_add_time(times, time);
        at = next;
    }
}

static void motion_add_times(const sampled_channel *sampled, time_list *times)
{
    const tenon_channel *c = sampled->channel;
    for (uint32_t key = 0; key < c->key_count && times->count <= TIMES_MOST; key++) {
        motion_times_add_key(sampled, times, key);
        if (c->curve == TENON_CUBIC && key + 1 < c->key_count)
            motion_times_add_segment(sampled, times, key);
    }
}

static bool motion_list_times(const tn_export *export, const sampled_channel *sampled,
                              time_list *out)
{
    // At most two for each key, but cubic curves have to be counted.
    time_list counted = {.count = 2 * (uint64_t)sampled->channel->key_count, .last = -1};
    if (sampled->channel->curve == TENON_CUBIC || counted.count > TIMES_MOST) {
        counted.count = 0;
        motion_add_times(sampled, &counted);
    }
    if (counted.count > TIMES_MOST)
        return tn_error(export->err, TENON_ERR_LIMIT, "a curve needs more than %u samples",
                        (unsigned)TIMES_MOST);
    *out = (time_list){.at = tn_export_alloc(export, counted.count, sizeof *out->at), .last = -1};
    if (out->at) motion_add_times(sampled, out);
    return out->at != NULL;
}

// -- Nodes

// Whether a curve needs samples only at its keys, so that its tolerance does not matter.
static bool motion_times_is_exact(const tenon_channel *c, double ticks)
{
    if (c->curve == TENON_CUBIC) return false;
    for (uint32_t i = 0; i < c->key_count && ticks > 0 && c->curve == TENON_LINEAR; i++)
        if (!tn_has_frame((double)c->times[i], ticks)) return false;
    return true;
}

// In a long chain of moving nodes each one has a small share of the tolerance, so that its curves
// would need thousands of samples. A scene with few curves gets them; one with many gets only as
// many as smooth playback needs.
static uint32_t motion_times_find_steps_most(const tn_export *export)
{
    uint64_t count = 1;
    if (export->state->steps_most) return export->state->steps_most;
    for (uint32_t i = 0; i < export->scene->animation_count; i++)
        for (uint32_t k = 0; k < export->scene->animations[i].channel_count; k++) {
            const tenon_channel *c = &export->scene->animations[i].channels[k];
            if (c->curve == TENON_CUBIC) count += c->key_count;
        }
    uint64_t steps = STEPS_ALL / count;
    if (steps < STEPS_LEAST) steps = STEPS_LEAST;
    export->state->steps_most = steps < STEPS_MOST ? (uint32_t)steps : STEPS_MOST;
    return export->state->steps_most;
}

bool tn_motion_times(const tn_export *export, const tn_motion *motion, uint32_t node,
                     uint32_t targets, double ticks, tn_times *times)
{
    time_list lists[3] = {{0}};
    uint64_t count = 1, next[3] = {0, 0, 0};
    for (uint32_t target = 0; target < 3; target++) {
        sampled_channel sampled = {.channel = motion->channels[3 * (size_t)node + target],
                                   .ticks = ticks,
                                   .steps_most = motion_times_find_steps_most(export)};
        if (!sampled.channel || !(targets >> target & 1)) continue;
        if (!motion_times_is_exact(sampled.channel, ticks)) {
            const tn_levers *levers = tn_levers_find(export, motion);
            if (!levers) return false;
            double tolerance = levers->slack[node] / levers->leverage[3 * (size_t)node + target];
            sampled.tolerance = tolerance >= 0 ? tolerance : 0;
        }
        if (!motion_list_times(export, &sampled, &lists[target])) return false;
        count += lists[target].count;
    }
    time_list all = {.at = tn_export_alloc(export, count, sizeof *all.at), .last = -1};
    if (!all.at) return false;
    for (;;) {
        uint32_t first = 3;  // The list whose next time is the earliest.
        for (uint32_t i = 0; i < 3; i++)
            if (next[i] < lists[i].count &&
                (first == 3 || lists[i].at[next[i]] < lists[first].at[next[first]]))
                first = i;
        if (first == 3) break;
        motion_times_add_time(&all, lists[first].at[next[first]++]);
    }
    if (all.count == 0) motion_times_add_time(&all, 0);
    for (uint64_t i = 0; i < all.count && ticks > 0; i++) all.at[i] /= ticks;
    *times = (tn_times){(uint32_t)all.count, all.at};
    return true;
}
