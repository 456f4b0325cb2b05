// motion_times.c: when curves have to be sampled.
// SPDX-License-Identifier: MIT

#include "exchange/clips/motion_private.h"

#include <math.h>

#define TIMES_MOST   (1u << 24)   // For one node. No curve of use has as many.
#define STEPS_MOST   4096         // Between two keys.
#define STEPS_LEAST  16           // Between two keys that are close to each other.
#define STEPS_ALL    (1u << 20)   // Between all keys of a scene.
#define STEP_SECONDS 1e-4         // No curve of use needs closer samples.
#define STEP_LARGE   (1.0 / 240)  // Seconds; close enough where there are very many curves.

// Where times go: counted, and kept if there is room.
typedef struct time_list {
    double *at;  // NULL: they are only counted.
    uint64_t count;
    double last;  // Of them; -1 before the first.
} time_list;

static void add_time(time_list *times, double time)
{
    if (!(time > times->last)) return;
    if (times->at) times->at[times->count] = time;
    times->count++;
    times->last = time;
}

// A channel whose times are asked for. Times are in ticks, or in seconds if there are none.
typedef struct sampled_channel {
    const tenon_channel *channel;
    double ticks;         // A second; 0: any time will do.
    double tolerance;     // Of the value.
    uint32_t steps_most;  // Between two keys that are close to each other.
} sampled_channel;

// -- Ticks

static double nearest_tick(const sampled_channel *sampled, double seconds)
{
    return floor(seconds * sampled->ticks + 0.5);
}

// A key between two ticks: a line through both cuts the corner there; the nearer one alone bends
// the lines on either side, unless there is hardly a corner.
static void add_key_ticks(const sampled_channel *sampled, time_list *times, uint32_t key)
{
    double seconds = (double)sampled->channel->times[key], tick = nearest_tick(sampled, seconds);
    double away = fabs(seconds - tick / sampled->ticks);
    if (away <= tn_time_tolerance(seconds) ||
        tn_channel_corner(sampled->channel, key) * away <= sampled->tolerance / 4) {
        add_time(times, tick);
        return;
    }
    add_time(times, floor(seconds * sampled->ticks));
    add_time(times, ceil(seconds * sampled->ticks));
}

// A jump: the first tick that is sampled behind it, and the one before.
static void add_jump_ticks(const sampled_channel *sampled, time_list *times, uint32_t key)
{
    double seconds = (double)sampled->channel->times[key], tick = ceil(seconds * sampled->ticks);
    if (tick > 0 && tn_step_sample_time((tick - 1) / sampled->ticks) >= seconds) tick--;
    if (tick > 0) add_time(times, tick - 1);
    add_time(times, tick);
}

// A jump needs a moment before it: too far from it for rounding to make both one.
static void add_jump_times(const sampled_channel *sampled, time_list *times, uint32_t key)
{
    double seconds = (double)sampled->channel->times[key];
    double before = seconds - 4 * tn_time_tolerance(seconds);
    if (before > (double)sampled->channel->times[key - 1]) add_time(times, before);
    add_time(times, seconds);
}

// -- Channels

static double seconds_of(const sampled_channel *sampled, double time)
{
    return sampled->ticks > 0 ? time / sampled->ticks : time;
}

// The last moment to be had that is not behind `seconds`, but behind what is there.
static double latest_time(const sampled_channel *sampled, const time_list *times, double seconds)
{
    if (!(sampled->ticks > 0)) return seconds;
    double tick = floor(seconds * sampled->ticks);
    return tick > times->last ? tick : times->last + 1;
}

// The ends of lines that together are the curve between a key, which is put already, and the next.
static void add_segment_times(const sampled_channel *sampled, time_list *times, uint32_t key)
{
    tn_cubic_segment segment = tn_segment_make(sampled->channel, key);
    double tolerance = sampled->ticks > 0 ? sampled->tolerance / 2
                                          : sampled->tolerance;  // The other half is for corners.
    double least = fmin(segment.length / sampled->steps_most, STEP_LARGE), step = 1;
    least = fmax(fmax(least, STEP_SECONDS) / segment.length, 1.0 / STEPS_MOST);
    double at = (seconds_of(sampled, times->last) - segment.start) / segment.length;
    if (!(at > 0)) at = 0;
    while (at < 1) {
        step = tn_segment_step(&segment, at, 1.25 * step, tolerance, least);
        double time = latest_time(sampled, times, segment.start + (at + step) * segment.length);
        double next = (seconds_of(sampled, time) - segment.start) / segment.length;
        if (!(next > at && next < 1)) return;
        add_time(times, time);
        at = next;
    }
}

static void add_key(const sampled_channel *sampled, time_list *times, uint32_t key)
{
    bool is_jump = sampled->channel->curve == TENON_STEP && key > 0;
    if (is_jump && sampled->ticks > 0)
        add_jump_ticks(sampled, times, key);
    else if (is_jump)
        add_jump_times(sampled, times, key);
    else if (sampled->ticks > 0)
        add_key_ticks(sampled, times, key);
    else
        add_time(times, (double)sampled->channel->times[key]);
}

static void add_times(const sampled_channel *sampled, time_list *times)
{
    const tenon_channel *c = sampled->channel;
    for (uint32_t key = 0; key < c->key_count && times->count <= TIMES_MOST; key++) {
        add_key(sampled, times, key);
        if (c->curve == TENON_CUBIC && key + 1 < c->key_count)
            add_segment_times(sampled, times, key);
    }
}

static bool list_times(const tn_export *export, const sampled_channel *sampled, time_list *out)
{
    time_list counted = {.last = -1};
    add_times(sampled, &counted);
    if (counted.count > TIMES_MOST)
        return tn_error(export->err, TENON_ERR_LIMIT, "a curve needs more than %u samples",
                        (unsigned)TIMES_MOST);
    *out = (time_list){.at = tn_export_alloc(export, counted.count, sizeof *out->at), .last = -1};
    if (out->at) add_times(sampled, out);
    return out->at != NULL;
}

// -- Nodes

// All times of three sorted lists, those that are in several once.
static void merge(const time_list from[3], time_list *times)
{
    uint64_t next[3] = {0, 0, 0};
    for (;;) {
        uint32_t first = 3;
        for (uint32_t i = 0; i < 3; i++)
            if (next[i] < from[i].count &&
                (first == 3 || from[i].at[next[i]] < from[first].at[next[first]]))
                first = i;
        if (first == 3) return;
        add_time(times, from[first].at[next[first]++]);
    }
}

// Whether all that is wanted of a curve is its keys, so that no slack is needed.
static bool is_exact(const tenon_channel *c, double ticks)
{
    if (c->curve == TENON_CUBIC) return false;
    for (uint32_t i = 0; i < c->key_count && ticks > 0 && c->curve == TENON_LINEAR; i++)
        if (!tn_has_frame((double)c->times[i], ticks)) return false;
    return true;
}

static bool find_tolerance(const tn_export *export, const tn_motion *motion, uint32_t target,
                           sampled_channel *sampled)
{
    if (is_exact(sampled->channel, sampled->ticks)) return true;
    const tn_levers *levers = tn_levers_find(export, motion);
    uint32_t node = sampled->channel->node;
    if (!levers) return false;
    double tolerance = levers->slack[node] / levers->leverage[3 * (size_t)node + target];
    sampled->tolerance = tolerance >= 0 ? tolerance : 0;
    return true;
}

// In a long chain of moving nodes each one has a small share of the tolerance, so that its curves
// would need thousands of samples. A scene that has few curves gets them; one that has many gets no
// more than it takes to show them smoothly.
static uint32_t find_steps_most(const tn_export *export)
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
    time_list time_lists[3] = {{0}};
    uint64_t count = 1;
    for (uint32_t target = 0; target < 3; target++) {
        sampled_channel sampled = {.channel = motion->channels[3 * (size_t)node + target],
                                   .ticks = ticks,
                                   .steps_most = find_steps_most(export)};
        if (!sampled.channel || !(targets >> target & 1)) continue;
        if (!find_tolerance(export, motion, target, &sampled) ||
            !list_times(export, &sampled, &time_lists[target]))
            return false;
        count += time_lists[target].count;
    }
    time_list all = {.at = tn_export_alloc(export, count, sizeof *all.at), .last = -1};
    if (!all.at) return false;
    merge(time_lists, &all);
    if (all.count == 0) add_time(&all, 0);
    for (uint64_t i = 0; i < all.count && ticks > 0; i++) all.at[i] /= ticks;
    *times = (tn_times){(uint32_t)all.count, all.at};
    return true;
}
