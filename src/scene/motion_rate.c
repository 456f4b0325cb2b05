// motion_rate.c: animations as frames, one after the other at a fixed rate.
// SPDX-License-Identifier: MIT

#include "motion_work.h"

#include <math.h>

#define RATE_LEAST      60
#define RATE_MOST       1000
#define RATE_EXACT_MOST 240  // Up to here a frame at every key is worth the frames.
#define WITNESSES       32   // More than there are ways to be no multiple of something up to 1000.

static const double usual_rates[] = {60, 72, 100, 120, 240, 480, 960};

#define USUAL_COUNT (sizeof usual_rates / sizeof *usual_rates)

double tn_motion_tolerance(const tn_export *e)
{
    return e->opts->tolerance > 0 ? e->opts->tolerance : 1e-4;
}

bool tn_has_frame(double seconds, double rate)
{
    return fabs(seconds - floor(seconds * rate + 0.5) / rate) <= tn_moment_slack(seconds);
}

uint32_t tn_frame_count(double duration, double rate)
{
    double frames =
        tn_has_frame(duration, rate) ? floor(duration * rate + 0.5) : ceil(duration * rate);
    if (!(frames > 0)) return 1;
    return frames < UINT32_MAX ? (uint32_t)frames + 1 : UINT32_MAX;
}

// -- Rates

// The first key that has no frame; negative: all have one. Curves that never change need none, and
// cubic ones only where they bend sharply at their keys.
static double find_key_between(const tn_motion *motion, double rate, bool with_cubic)
{
    uint64_t count = 3 * (uint64_t)motion->scene->node_count;
    for (uint64_t i = 0; i < count; i++) {
        const tenon_channel *c = motion->channels[i];
        if (!c || (c->curve == TENON_CUBIC && !with_cubic) || tn_channel_is_still(c)) continue;
        for (uint32_t k = 0; k < c->key_count; k++)
            if (!tn_has_frame((double)c->times[k], rate)) return (double)c->times[k];
    }
    return -1;
}

// The lowest rate with a frame at every key, or 0. Keys that have ruled out a rate are asked first
// about the next ones: since each of them leaves only multiples of something, all keys have to be
// looked at a few times only.
static double find_exact_rate(const tn_motion *motion, bool with_cubic)
{
    double witnesses[WITNESSES];
    uint32_t count = 0;
    for (uint32_t rate = RATE_LEAST; rate <= RATE_MOST; rate++) {
        bool fits = true;
        for (uint32_t i = 0; i < count && fits; i++) fits = tn_has_frame(witnesses[i], rate);
        if (!fits) continue;
        double between = find_key_between(motion, rate, with_cubic);
        if (between < 0) return rate;
        if (count < WITNESSES) witnesses[count++] = between;
    }
    return 0;
}

// A multiple of a rate that keeps the tolerance, or the largest one. The error of smooth curves
// shrinks with the square of the rate.
static double raise_rate(const tn_export *e, const tn_motion *motion, double base)
{
    double wanted = TN_SHARE_OF_CURVES * tn_motion_tolerance(e);
    double rate = base, most = floor(RATE_MOST / base) * base;
    while (rate < most) {
        double error = tn_motion_frame_error(e, motion, rate, false);
        if (error <= wanted) break;
        double next = ceil(0.98 * sqrt(error / wanted) * rate / base) * base;
        if (!(next > rate)) next = rate + base;
        rate = next < most ? next : most;
    }
    return rate;
}

// For keys at odd times, as those that were rounded to milliseconds: the lowest rate below `limit`
// that is near enough; without one, 0.
static double find_near_rate(const tn_export *e, const tn_motion *motion, double limit)
{
    double wanted = TN_SHARE_OF_CURVES * tn_motion_tolerance(e);
    for (size_t i = 0; i < USUAL_COUNT && usual_rates[i] < limit; i++)
        if (tn_motion_frame_error(e, motion, usual_rates[i], false) <= wanted)
            return usual_rates[i];
    return 0;
}

double tn_motion_rate(const tn_export *e, const tn_motion *motion)
{
    if (e->opts->rate > 0) return e->opts->rate < 1 ? 1 : floor(e->opts->rate + 0.5);
    double exact = find_exact_rate(motion, true);
    if (!(exact > 0 && exact <= RATE_EXACT_MOST)) exact = find_exact_rate(motion, false);
    if (exact > 0 && exact <= RATE_EXACT_MOST) return raise_rate(e, motion, exact);
    double near = find_near_rate(e, motion, exact > 0 ? exact : HUGE_VAL);
    if (near > 0) return near;
    return exact > 0 ? raise_rate(e, motion, exact) : RATE_MOST;
}
