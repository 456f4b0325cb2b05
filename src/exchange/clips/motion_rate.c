// motion_rate.c: the rate at which animations are sampled as frames.
// SPDX-License-Identifier: MIT
//
// The candidates are the key rate of the source, its multiples, and 60. The lowest that keeps the
// tolerance is chosen; if none does, the most exact one. None is above 120, except for the key rate
// itself. Keys that are far apart have no key rate: engines that show one frame after the other
// would jump from key to key, so such clips get at least 60 frames per second.

#include "exchange/clips/motion_private.h"

#include "core/math/sort.h"
#include "core/text/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE_USUAL     60.0
#define RATE_MOST      120.0
#define RATE_SEEN      15.0   // Slower frames are visible one by one: such keys are not frames.
#define RATE_HAIR      2e-3   // Relative distance from a whole rate at which a rate may be rounded.
#define RATE_SHARE     0.8    // Of the tolerance: errors are measured at some times only.
#define RATE_GAIN      0.9    // Of the error: what a higher rate must get below to be more exact.
#define RATE_AHEAD     2.0    // Times the first error above the tolerance that is found.
#define RATE_ABOVE     1.001  // Times an error: more than rounding.
#define RATES_MOST     9      // Candidates: eight multiples of 15, and one more.
#define GAPS_MOST      512    // Gaps between keys that are looked at, evenly spread.
#define GAP_LEAST      5e-4   // Seconds; closer keys are at the same time.
#define GAP_JITTER     0.25   // Of the usual gap: how much a gap may differ to count as equal.
#define GRID_JITTER    0.1    // Of a gap: how far from the grid a key may be.
#define RATE_TEXT_SIZE 160
#define EXCLUDING_KEYS 32  // Enough to exclude all rates up to 120.

double tn_motion_tolerance(const tn_export *export)
{
    return export->opts->tolerance > 0 ? export->opts->tolerance : 1e-4;
}

bool tn_has_frame(double seconds, double rate)
{
    return fabs(seconds - floor(seconds * rate + 0.5) / rate) <= tn_time_tolerance(seconds);
}

uint32_t tn_frame_count(double duration, double rate)
{
    double frames =
        tn_has_frame(duration, rate) ? floor(duration * rate + 0.5) : ceil(duration * rate);
    if (!(frames > 0)) return 1;
    return frames < UINT32_MAX ? (uint32_t)frames + 1 : UINT32_MAX;
}

// -- Keys

// The channels of some clips whose values change. The others need no frames.
typedef struct moving_channels {
    uint64_t count;
    const tenon_channel **channels;
} moving_channels;

// False, with the error set, if out of memory.
static bool motion_rate_list_moving_channels(const tn_export *export, uint32_t first, uint32_t end,
                                             moving_channels *moving)
{
    const tenon_animation *animations = export->scene->animations;
    uint64_t most = 0;
    for (uint32_t i = first; i < end; i++) most += animations[i].channel_count;
    *moving =
        (moving_channels){.channels = tn_export_alloc(export, most, sizeof *moving->channels)};
    if (!moving->channels) return false;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = 0; k < animations[i].channel_count; k++) {
            const tenon_channel *c = &animations[i].channels[k];
            if (!tn_channel_is_constant(c)) moving->channels[moving->count++] = c;
        }
    return true;
}

static bool motion_rate_is_gap_shorter(const void *gaps, uint32_t a, uint32_t b)
{
    return ((const double *)gaps)[a] < ((const double *)gaps)[b];
}

// The gap, in seconds, that most neighboring keys have; 0: they differ too much.
static double motion_rate_find_usual_gap(const moving_channels *moving)
{
    double gaps[GAPS_MOST];
    uint32_t sorted[GAPS_MOST], spare[GAPS_MOST], count = 0, alike = 0;
    uint64_t total = 0, start = 0, next = 0;
    for (uint64_t i = 0; i < moving->count; i++) total += moving->channels[i]->key_count - 1;
    for (uint64_t i = 0; i < moving->count; i++) {
        const tenon_channel *c = moving->channels[i];
        for (; next < start + c->key_count - 1; next += total / GAPS_MOST + 1) {
            const float *at = c->times + (next - start);
            double gap = (double)at[1] - (double)at[0];
            if (gap >= GAP_LEAST) gaps[count++] = gap;
        }
        start += c->key_count - 1;
    }
    if (count == 0) return 0;
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    tn_sort(sorted, spare, count, motion_rate_is_gap_shorter, gaps);
    double usual = gaps[sorted[count / 2]];
    for (uint32_t i = 0; i < count; i++) alike += fabs(gaps[i] - usual) <= GAP_JITTER * usual;
    return alike >= count - count / 3 ? usual : 0;
}

// The key rate of a channel, given the approximate gap between its keys. Times that were rounded,
// to milliseconds or to floats, leave a range of rates: the simplest of them is chosen.
static double motion_find_channel_rate(const tenon_channel *c, double gap)
{
    double first = (double)c->times[0], last = (double)c->times[c->key_count - 1];
    double steps = 0, seconds = 0, off = 0;
    for (uint32_t i = 1; i < c->key_count; i++) {
        double passed = (double)c->times[i] - (double)c->times[i - 1];
        if (fabs(passed - gap) > GAP_JITTER * gap) continue;
        steps++;
        seconds += passed;
    }
    if (!(steps > 0)) return 0;
    double rate = steps / seconds;
    for (uint32_t i = 1; i < c->key_count; i++) {
        double step = ((double)c->times[i] - first) * rate;
        off = fmax(off, fabs(step - floor(step + 0.5)));
    }
    double room = 2 * (off + tn_time_tolerance(last) * rate) / (last - first);
    const double simple[] = {floor(rate + 0.5), floor(2 * rate + 0.5) / 2,
                             floor(rate * 1.001 + 0.5) / 1.001};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (fabs(simple[i] - rate) <= room) return simple[i];
    return rate;
}

// Whether nearly all keys are near a frame.
static bool motion_rate_fits_keys(const moving_channels *moving, double rate)
{
    uint64_t total = 0, missed = 0;
    for (uint64_t i = 0; i < moving->count; i++) total += moving->channels[i]->key_count;
    for (uint64_t i = 0; i < moving->count && missed <= total / 10; i++)
        for (uint32_t k = 0; k < moving->channels[i]->key_count; k++) {
            double frame = (double)moving->channels[i]->times[k] * rate;
            missed += fabs(frame - floor(frame + 0.5)) > GRID_JITTER;
        }
    return missed <= total / 10;
}

// The key rate of the source: the rate of the grid on which its keys are, though not every point of
// the grid has a key; 0: there is none, or keys are too far apart to be frames.
static double motion_find_key_rate(const moving_channels *moving)
{
    double gap = motion_rate_find_usual_gap(moving);
    if (!(gap > 0)) return 0;
    const tenon_channel *longest = moving->channels[0];
    for (uint64_t i = 1; i < moving->count; i++)
        if (moving->channels[i]->key_count > longest->key_count) longest = moving->channels[i];
    double rate = motion_find_channel_rate(longest, gap);
    if (!(rate * (1 + RATE_HAIR) >= RATE_SEEN)) return 0;
    for (uint32_t factor = 1; factor == 1 || factor * rate <= RATE_MOST; factor++)
        if (motion_rate_fits_keys(moving, factor * rate)) return factor * rate;
    return 0;
}

static bool motion_rate_is_at_frame(double seconds, double rate, double jitter)
{
    double frame = seconds * rate;
    return tn_has_frame(seconds, rate) || fabs(frame - floor(frame + 0.5)) <= jitter;
}

// The lowest whole rate from 60 to 120 with a frame at every key, or 0. With jitter, frames may be
// so far from keys, as a share of the time between two frames. Cubic curves need a frame only where
// they bend sharply at keys. A key that excluded a rate is checked first for the next ones: since
// it leaves only multiples of some rate, the other keys have to be looked at a few times only.
static double motion_find_whole_rate(const moving_channels *moving, double jitter, bool with_cubic)
{
    double excluding_keys[EXCLUDING_KEYS];
    uint32_t count = 0;
    for (double rate = RATE_USUAL; rate <= RATE_MOST; rate++) {
        bool fits = true;
        for (uint32_t i = 0; i < count && fits; i++)
            fits = motion_rate_is_at_frame(excluding_keys[i], rate, jitter);
        if (!fits) continue;
        for (uint64_t i = 0; i < moving->count && fits; i++) {
            const tenon_channel *c = moving->channels[i];
            if (c->curve == TENON_CUBIC && !with_cubic) continue;
            for (uint32_t k = 0; k < c->key_count && fits; k++) {
                double seconds = (double)c->times[k];
                fits = motion_rate_is_at_frame(seconds, rate, jitter);
                if (!fits && count < EXCLUDING_KEYS) excluding_keys[count++] = seconds;
            }
        }
        if (fits) return rate;
    }
    return 0;
}

// -- Candidates

typedef struct rate_list {
    bool is_whole;  // The format can store only whole rates.
    uint32_t count;
    double rates[RATES_MOST];  // Lowest first.
} rate_list;

static void motion_add_rate(rate_list *list, double rate)
{
    uint32_t at = list->count;
    double whole = floor(rate + 0.5);
    if (list->is_whole && fabs(whole - rate) > RATE_HAIR * rate) return;
    if (list->is_whole) rate = whole;
    while (at > 0 && list->rates[at - 1] > rate) at--;
    if (at > 0 && list->rates[at - 1] == rate) return;
    for (uint32_t i = list->count++; i > at; i--) list->rates[i] = list->rates[i - 1];
    list->rates[at] = rate;
}

static rate_list motion_list_rates(const moving_channels *moving, bool is_whole)
{
    rate_list list = {.is_whole = is_whole};
    double key_rate = motion_find_key_rate(moving);
    for (uint32_t factor = 1; key_rate > 0 && (factor == 1 || factor * key_rate <= RATE_MOST);
         factor++)
        motion_add_rate(&list, factor * key_rate);
    if (list.count == 0) {
        double whole = motion_find_whole_rate(moving, 0, true);
        if (!(whole > 0)) whole = motion_find_whole_rate(moving, 0, false);
        if (!(whole > 0)) whole = motion_find_whole_rate(moving, GRID_JITTER / 2, true);
        if (whole > 0) motion_add_rate(&list, whole);
        motion_add_rate(&list, RATE_MOST);
    }
    motion_add_rate(&list, RATE_USUAL);
    return list;
}

// The error of a clip at a rate, or the largest one of all clips if `motion` is NULL; above
// `enough` it is not exact. Without jumps, since no rate helps there. `times` are those of a clip
// at that rate.
static double motion_error_at_rate(const tn_export *export, const tn_motion *motion, double rate,
                                   double enough, tn_frame_times *times)
{
    if (motion) return tn_motion_frame_error(export, motion, rate, false, enough, times);
    double most = 0;
    for (uint32_t i = 0; i < export->scene->animation_count && !(most > enough); i++) {
        tn_motion clip;
        tn_mark mark = tn_arena_mark(export->arena);
        if (!tn_motion_make(export, i, &clip)) return HUGE_VAL;
        if (export->scene->animation_count > 1) times->rate = 0;
        double error = tn_motion_frame_error(export, &clip, rate, false, enough, times);
        tn_arena_rewind(export->arena, mark);
        if (!(error <= most)) most = error;
    }
    return most;
}

// The rate of a list that is chosen, and its error. Most often the first rate keeps the tolerance.
// If not, the highest is often the most exact one by far, so that the errors of the others need not
// be exact. For one clip, or for all clips of the scene if `motion` is NULL.
static double motion_choose_rate(const tn_export *export, const tn_motion *motion,
                                 const rate_list *list, double *least)
{
    double wanted = RATE_SHARE * tn_motion_tolerance(export);
    uint32_t last = list->count - 1;
    tn_frame_times of_first = {0}, of_last = {0}, of_other = {0};
    if (last > 0) {
        double first = motion_error_at_rate(export, motion, list->rates[0], wanted, &of_first);
        *least = first;
        if (first <= wanted) return list->rates[0];
        // What was found first may be far below the largest error.
        of_first.is_rough = true;
        first = fmax(first, motion_error_at_rate(export, motion, list->rates[0], RATE_AHEAD * first,
                                                 &of_first));
        of_first.is_rough = false;
        *least =
            motion_error_at_rate(export, motion, list->rates[last], RATE_GAIN * first, &of_last);
        double enough = fmax(wanted, *least * RATE_ABOVE / RATE_GAIN);
        bool is_best = *least < RATE_GAIN * first;
        for (uint32_t i = 1; i < last && is_best; i++) {
            double error = motion_error_at_rate(export, motion, list->rates[i], enough, &of_other);
            is_best = error > wanted && *least < RATE_GAIN * error;
        }
        if (is_best) return list->rates[last];
    }
    double best = list->rates[0];
    *least = HUGE_VAL;
    for (uint32_t i = 0; i < list->count && !(*least <= wanted); i++) {
        double most = fmax(wanted, RATE_GAIN * *least);
        tn_frame_times *times = i == 0 ? &of_first : i == last ? &of_last : &of_other;
        double error = motion_error_at_rate(export, motion, list->rates[i], most, times);
        // Where keys are a little beside their grid, all rates have nearly the same error: then the
        // lowest is as exact as any.
        if (error <= wanted || error < RATE_GAIN * *least) best = list->rates[i], *least = error;
    }
    return best;
}

// For one clip, or for all clips of the scene if `motion` is NULL.
static double motion_find_rate(const tn_export *export, const tn_motion *motion, bool is_whole)
{
    double asked = export->opts->rate;
    if (asked > 0) return asked < 1 ? 1 : is_whole ? floor(asked + 0.5) : asked;
    uint32_t first = motion ? motion->animation : 0;
    uint32_t end = motion ? motion->animation + 1 : export->scene->animation_count;
    tn_mark mark = tn_arena_mark(export->arena);
    moving_channels moving;
    if (!motion_rate_list_moving_channels(export, first, end, &moving)) return 0;
    rate_list list = motion_list_rates(&moving, is_whole);
    tn_arena_rewind(export->arena, mark);
    if (list.count == 1 && !motion) return list.rates[0];
    double least, best = motion_choose_rate(export, motion, &list, &least);
    if (motion && motion->animation != TENON_NONE && least < HUGE_VAL)
        export->state->measured_rate =
            (tn_measured_rate){motion->scene, motion->animation, best, least};
    return export->err->code == TENON_OK ? best : 0;
}

double tn_motion_rate(const tn_export *export, const tn_motion *motion)
{
    return motion_find_rate(export, motion, false);
}

double tn_common_rate(const tn_export *export)
{
    return motion_find_rate(export, NULL, true);
}

// -- Reports

const char *tn_rate_text(const tn_export *export, const char *start, double lowest, double highest)
{
    char low[TN_NUMBER_MAX], high[TN_NUMBER_MAX],
        *text = tn_export_alloc(export, 1, RATE_TEXT_SIZE);
    if (!text) return NULL;
    (void)tn_f64_text(floor(lowest * 1000 + 0.5) / 1000, low);
    (void)tn_f64_text(floor(highest * 1000 + 0.5) / 1000, high);
    bool is_one = strcmp(low, high) == 0;
    (void)snprintf(text, RATE_TEXT_SIZE, "%s %s%s%s frames per second", start, low,
                   is_one ? "" : " to ", is_one ? "" : high);
    return text;
}
