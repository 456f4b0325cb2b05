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
typedef struct list {
    double *at;  // NULL: they are only counted.
    uint64_t count;
    double last;  // Of them; -1 before the first.
} list;

static void put(list *to, double time)
{
    if (!(time > to->last)) return;
    if (to->at) to->at[to->count] = time;
    to->count++;
    to->last = time;
}

// A channel whose times are asked for. Times are in ticks, or in seconds if there are none.
typedef struct source {
    const tenon_channel *channel;
    double ticks;         // A second; 0: any time will do.
    double slack;         // Of the value.
    uint32_t steps_most;  // Between two keys that are close to each other.
} source;

// -- Ticks

static double nearest_tick(const source *s, double seconds)
{
    return floor(seconds * s->ticks + 0.5);
}

// A key between two ticks: a line through both cuts the corner there; the nearer one alone bends
// the lines on either side, unless there is hardly a corner.
static void put_key_tick(const source *s, list *to, uint32_t key)
{
    double seconds = (double)s->channel->times[key], tick = nearest_tick(s, seconds);
    double away = fabs(seconds - tick / s->ticks);
    if (away <= tn_moment_slack(seconds) ||
        tn_channel_corner(s->channel, key) * away <= s->slack / 4) {
        put(to, tick);
        return;
    }
    put(to, floor(seconds * s->ticks));
    put(to, ceil(seconds * s->ticks));
}

// A jump: the first tick that is sampled behind it, and the one before.
static void put_jump_tick(const source *s, list *to, uint32_t key)
{
    double seconds = (double)s->channel->times[key], tick = ceil(seconds * s->ticks);
    if (tick > 0 && tn_step_moment((tick - 1) / s->ticks) >= seconds) tick--;
    if (tick > 0) put(to, tick - 1);
    put(to, tick);
}

// A jump needs a moment before it: too far from it for rounding to make both one.
static void put_jump_time(const source *s, list *to, uint32_t key)
{
    double seconds = (double)s->channel->times[key];
    double before = seconds - 4 * tn_moment_slack(seconds);
    if (before > (double)s->channel->times[key - 1]) put(to, before);
    put(to, seconds);
}

// -- Channels

static double seconds_of(const source *s, double time)
{
    return s->ticks > 0 ? time / s->ticks : time;
}

// The last moment to be had that is not behind `seconds`, but behind what is there.
static double moment_until(const source *s, const list *to, double seconds)
{
    if (!(s->ticks > 0)) return seconds;
    double tick = floor(seconds * s->ticks);
    return tick > to->last ? tick : to->last + 1;
}

// The ends of lines that together are the curve between a key, which is put already, and the next.
static void put_steps(const source *s, list *to, uint32_t key)
{
    tn_stretch stretch = tn_stretch_make(s->channel, key);
    double slack = s->ticks > 0 ? s->slack / 2 : s->slack;  // The other half is for corners.
    double least = fmin(stretch.length / s->steps_most, STEP_LARGE), step = 1;
    least = fmax(fmax(least, STEP_SECONDS) / stretch.length, 1.0 / STEPS_MOST);
    double at = (seconds_of(s, to->last) - stretch.start) / stretch.length;
    if (!(at > 0)) at = 0;
    while (at < 1) {
        step = tn_stretch_step(&stretch, at, 1.25 * step, slack, least);
        double time = moment_until(s, to, stretch.start + (at + step) * stretch.length);
        double next = (seconds_of(s, time) - stretch.start) / stretch.length;
        if (!(next > at && next < 1)) return;
        put(to, time);
        at = next;
    }
}

static void put_key(const source *s, list *to, uint32_t key)
{
    bool jumps = s->channel->curve == TENON_STEP && key > 0;
    if (jumps && s->ticks > 0)
        put_jump_tick(s, to, key);
    else if (jumps)
        put_jump_time(s, to, key);
    else if (s->ticks > 0)
        put_key_tick(s, to, key);
    else
        put(to, (double)s->channel->times[key]);
}

static void put_times(const source *s, list *to)
{
    const tenon_channel *c = s->channel;
    for (uint32_t key = 0; key < c->key_count && to->count <= TIMES_MOST; key++) {
        put_key(s, to, key);
        if (c->curve == TENON_CUBIC && key + 1 < c->key_count) put_steps(s, to, key);
    }
}

static bool make_list(const tn_export *e, const source *s, list *out)
{
    list counted = {.last = -1};
    put_times(s, &counted);
    if (counted.count > TIMES_MOST)
        return tn_error(e->err, TENON_ERR_LIMIT, "a curve needs more than %u samples",
                        (unsigned)TIMES_MOST);
    *out = (list){.at = tn_export_alloc(e, counted.count, sizeof *out->at), .last = -1};
    if (out->at) put_times(s, out);
    return out->at != NULL;
}

// -- Nodes

// All times of three sorted lists, those that are in several once.
static void merge(const list from[3], list *to)
{
    uint64_t next[3] = {0, 0, 0};
    for (;;) {
        uint32_t first = 3;
        for (uint32_t i = 0; i < 3; i++)
            if (next[i] < from[i].count &&
                (first == 3 || from[i].at[next[i]] < from[first].at[next[first]]))
                first = i;
        if (first == 3) return;
        put(to, from[first].at[next[first]++]);
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

static bool find_slack(const tn_export *e, const tn_motion *motion, uint32_t target, source *s)
{
    if (is_exact(s->channel, s->ticks)) return true;
    const tn_levers *levers = tn_levers_find(e, motion);
    uint32_t node = s->channel->node;
    if (!levers) return false;
    double slack = levers->slack[node] / levers->leverage[3 * (size_t)node + target];
    s->slack = slack >= 0 ? slack : 0;
    return true;
}

// In a long chain of moving nodes each one has a small share of the tolerance, so that its curves
// would need thousands of samples. A scene that has few curves gets them; one that has many gets no
// more than it takes to show them smoothly.
static uint32_t find_steps_most(const tn_export *e)
{
    uint64_t count = 1;
    if (e->state->steps_most) return e->state->steps_most;
    for (uint32_t i = 0; i < e->scene->animation_count; i++)
        for (uint32_t k = 0; k < e->scene->animations[i].channel_count; k++) {
            const tenon_channel *c = &e->scene->animations[i].channels[k];
            if (c->curve == TENON_CUBIC) count += c->key_count;
        }
    uint64_t steps = STEPS_ALL / count;
    if (steps < STEPS_LEAST) steps = STEPS_LEAST;
    e->state->steps_most = steps < STEPS_MOST ? (uint32_t)steps : STEPS_MOST;
    return e->state->steps_most;
}

bool tn_motion_times(const tn_export *e, const tn_motion *motion, uint32_t node, uint32_t targets,
                     double ticks, tn_times *times)
{
    list lists[3] = {{0}};
    uint64_t count = 1;
    for (uint32_t target = 0; target < 3; target++) {
        source s = {.channel = motion->channels[3 * (size_t)node + target],
                    .ticks = ticks,
                    .steps_most = find_steps_most(e)};
        if (!s.channel || !(targets >> target & 1)) continue;
        if (!find_slack(e, motion, target, &s) || !make_list(e, &s, &lists[target])) return false;
        count += lists[target].count;
    }
    list all = {.at = tn_export_alloc(e, count, sizeof *all.at), .last = -1};
    if (!all.at) return false;
    merge(lists, &all);
    if (all.count == 0) put(&all, 0);
    for (uint64_t i = 0; i < all.count && ticks > 0; i++) all.at[i] /= ticks;
    *times = (tn_times){(uint32_t)all.count, all.at};
    return true;
}
