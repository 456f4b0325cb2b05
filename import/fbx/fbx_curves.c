// fbx_curves.c: samples animation curves of FBX files, so that straight lines connect their keys.
// SPDX-License-Identifier: MIT

#include "fbx_curves.h"

#include "../scene/math3.h"
#include "../system/import_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MOST     ((size_t)1 << 20)
#define STRAIGHT     5e-6                 // Tolerance, as a share of the range of the values.
#define TURN_MOST    360e3                // Degrees between two samples; more are full turns.
#define TURN_DEGREES 5.0                  // Degrees that one line may turn.
#define GRID_TICKS   (FBX_SECOND / 120)   // One grid for all curves, so that they share times.
#define LINE_MOST    64                   // Grid points that one line passes.
#define DENSE_TICKS  (FBX_SECOND / 23)    // Keys that are closer were sampled by the exporter.
#define STEP_TICKS   (FBX_SECOND / 1000)  // Duration of a step.

// Flags of keys.
enum {
    KEY_CONSTANT = 0x2,
    KEY_CUBIC = 0x8,
    KEY_AUTO = 0x100,  // Of cubic keys: tangents follow from the neighboring keys.
    KEY_TCB = 0x200,
    KEY_NEXT = 0x100,  // Of constant keys: use the next value.
    KEY_CLAMP = 0x1000,
    KEY_TIME_INDEPENDENT = 0x2000,
    KEY_CLAMP_PROGRESSIVE = 0x4000,
    KEY_WEIGHTED_RIGHT = 0x1000000,
    KEY_WEIGHTED_NEXT_LEFT = 0x2000000,
};

// The curve from a key to the next one: slopes in units a second, weights as shares of the time.
typedef struct fbx_tangents {
    uint32_t flags;
    double right, next_left;
    double weight, next_weight;
} fbx_tangents;

typedef struct fbx_curve {
    size_t count;
    double *times, *values;  // Of the keys; times are in ticks.
    fbx_tangents *keys;
    double tolerance;
    bool is_angle, turns;
    double *out_times, *out_values;  // Samples.
    size_t out_count, out_room;
} fbx_curve;

// -- Reading

// Several keys in a row share their flags and numbers.
static void fbx_curves_read_tangents(const fbx_tree *tree, const fbx_node *node, fbx_curve *curve)
{
    const fbx_node *data_node = fbx_tree_child(node, "KeyAttrDataFloat");
    double *flags = NULL, *data = NULL, *counts = NULL;
    size_t flag_count, data_count, count_count, key = 0;
    bool is_valid =
        fbx_numbers(tree, fbx_tree_child(node, "KeyAttrFlags"), &flags, &flag_count) &&
        fbx_numbers(tree, data_node, &data, &data_count) &&
        fbx_numbers(tree, fbx_tree_child(node, "KeyAttrRefCount"), &counts, &count_count) &&
        flag_count == count_count && data_count / 4 >= flag_count;
    // Text files have the bits of these floats as integers, since some are not numbers. Some
    // programs write the floats instead, with fractions.
    const fbx_node *list = tree->is_text ? fbx_tree_child(data_node, "a") : NULL;
    bool is_bits = list && list->value_count &&
                   !memchr(list->values[0].data, '.', list->values[0].size) &&
                   !memchr(list->values[0].data, 'e', list->values[0].size);
    for (size_t i = 0; is_valid && i < flag_count; i++) {
        uint32_t bits[3];
        float slopes[2];
        for (size_t k = 0; k < 3; k++) {
            float number = (float)data[4 * i + k];
            memcpy(&bits[k], &number, sizeof number);
            if (is_bits) bits[k] = (uint32_t)fbx_to_integer(data[4 * i + k]);
        }
        memcpy(slopes, bits, sizeof slopes);
        fbx_tangents tangents = {.flags = (uint32_t)fbx_to_integer(flags[i]),
                                 .right = finite_or((double)slopes[0], 0),
                                 .next_left = finite_or((double)slopes[1], 0),
                                 .weight = 1 / 3.0,
                                 .next_weight = 1 / 3.0};
        if (tangents.flags & KEY_WEIGHTED_RIGHT)
            tangents.weight = (double)(bits[2] & 0xffff) / 9999;
        if (tangents.flags & KEY_WEIGHTED_NEXT_LEFT)
            tangents.next_weight = (double)(bits[2] >> 16) / 9999;
        for (double n = counts[i]; n >= 1 && key < curve->count; n--) curve->keys[key++] = tangents;
    }
    free(flags);
    free(data);
    free(counts);
}

static bool fbx_read_curve(const fbx_tree *tree, const fbx_node *node, fbx_curve *curve)
{
    size_t value_count;
    if (!fbx_numbers(tree, fbx_tree_child(node, "KeyTime"), &curve->times, &curve->count))
        return false;
    if (!fbx_numbers(tree, fbx_tree_child(node, "KeyValueFloat"), &curve->values, &value_count))
        return false;
    if (curve->count == 0 || curve->count != value_count || curve->count > KEY_MOST) return false;
    curve->keys = import_alloc(curve->count, sizeof *curve->keys);
    fbx_curves_read_tangents(tree, node, curve);
    for (size_t i = 1; i < curve->count; i++)
        if (!(curve->times[i] > curve->times[i - 1])) return false;
    return true;
}

// -- Automatic tangents

static double fbx_curves_slope_between(const fbx_curve *curve, size_t a, size_t b)
{
    return (curve->values[b] - curve->values[a]) /
           ((curve->times[b] - curve->times[a]) / FBX_SECOND);
}

static double fbx_curves_auto_slope(const fbx_curve *curve, size_t i)
{
    const double *times = curve->times, *values = curve->values;
    const uint32_t flags = curve->keys[i].flags;
    if (curve->count < 2) return 0;
    if (i == 0 || i + 1 == curve->count) {
        if (flags & (KEY_CLAMP_PROGRESSIVE | KEY_CLAMP)) return 0;
        return i == 0 ? fbx_curves_slope_between(curve, 0, 1)
                      : fbx_curves_slope_between(curve, i - 1, i);
    }
    bool is_flat = values[i] == values[i - 1] || values[i] == values[i + 1];
    if (flags & KEY_CLAMP && is_flat) return 0;
    double slope = fbx_curves_slope_between(curve, i - 1, i + 1);
    if (!(flags & KEY_TIME_INDEPENDENT)) {
        double at = (times[i] - times[i - 1]) / (times[i + 1] - times[i - 1]);
        slope = fbx_curves_slope_between(curve, i - 1, i) * (1 - at) +
                fbx_curves_slope_between(curve, i, i + 1) * at;
    }
    if (!(flags & KEY_CLAMP_PROGRESSIVE)) return slope;
    // Not so steep that the curve overshoots the keys next to it.
    double sign = slope < 0 ? -1 : 1, most = sign * slope;
    double before = (times[i] - times[i - 1]) / FBX_SECOND * curve->keys[i - 1].next_weight;
    double after = (times[i + 1] - times[i]) / FBX_SECOND * curve->keys[i].weight;
    if (before > 0) most = fmin(most, sign * (values[i] - values[i - 1]) / before);
    if (after > 0) most = fmin(most, sign * (values[i + 1] - values[i]) / after);
    return sign * fmax(0, most);
}

static void fbx_curves_solve_tangents(fbx_curve *curve)
{
    for (size_t i = 0; i < curve->count; i++) {
        const uint32_t flags = curve->keys[i].flags;
        if (!(flags & KEY_CUBIC) || !(flags & (KEY_AUTO | KEY_TCB))) continue;
        double slope = fbx_curves_auto_slope(curve, i);
        curve->keys[i].right = slope;
        if (i > 0) curve->keys[i - 1].next_left = slope;
    }
}

// -- Sampling

static void fbx_curves_add_sample(fbx_curve *curve, double time, double value)
{
    size_t count = curve->out_count, room = curve->out_room;
    curve->out_times = import_grow(curve->out_times, count, &room, sizeof *curve->out_times);
    curve->out_values =
        import_grow(curve->out_values, count, &curve->out_room, sizeof *curve->out_values);
    curve->out_times[count] = floor(time);
    curve->out_values[count] = value;
    curve->out_count++;
}

static double fbx_curves_bezier(double a, double b, double c, double d, double t)
{
    double s = 1 - t;
    return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

// The value between key `i` and the next one.
static double fbx_curves_value_at(const fbx_curve *curve, size_t i, double time)
{
    const fbx_tangents *tangents = &curve->keys[i];
    const double *times = curve->times, *values = curve->values;
    double at = (time - times[i]) / (times[i + 1] - times[i]);
    if (!(tangents->flags & KEY_CUBIC)) return values[i] + at * (values[i + 1] - values[i]);
    double span = (times[i + 1] - times[i]) / FBX_SECOND;
    double b = fmin(1, fmax(0, tangents->weight)), d = 1 - fmin(1, fmax(0, tangents->next_weight));
    double low = 0, high = 1, middle = at;
    // With weights of 1/3, time is linear in the parameter; else find the parameter by bisection.
    for (int n = 0; n < 40 && (b != 1 / 3.0 || d != 1 - 1 / 3.0); n++) {
        middle = (low + high) / 2;
        if (fbx_curves_bezier(0, b, d, 1, middle) < at)
            low = middle;
        else
            high = middle;
    }
    return fbx_curves_bezier(values[i], values[i] + tangents->right * span * tangents->weight,
                             values[i + 1] - tangents->next_left * span * tangents->next_weight,
                             values[i + 1], middle);
}

// Whether one line from the last sample to `time` is close enough to the curve.
static bool fbx_curves_is_straight(const fbx_curve *curve, size_t i, double time)
{
    double from = curve->out_times[curve->out_count - 1];
    double a = curve->out_values[curve->out_count - 1], b = fbx_curves_value_at(curve, i, time);
    if (time - from > LINE_MOST * GRID_TICKS) return false;
    if (curve->turns && fabs(b - a) > TURN_DEGREES) return false;
    // Test at thirds as well, so that a bend between two grid points is seen.
    for (double at = from + GRID_TICKS / 3; at < time; at += GRID_TICKS / 3) {
        double line = a + (b - a) * (at - from) / (time - from);
        if (!(fabs(fbx_curves_value_at(curve, i, at) - line) <= curve->tolerance)) return false;
    }
    return true;
}

static void fbx_curves_sample_keys(fbx_curve *curve)
{
    const double *times = curve->times, *values = curve->values;
    double low = values[0], high = values[0];
    for (size_t i = 1; i < curve->count; i++)
        low = fmin(low, values[i]), high = fmax(high, values[i]);
    curve->tolerance = STRAIGHT * (high - low);
    fbx_curves_add_sample(curve, times[0], values[0]);
    for (size_t i = 0; i + 1 < curve->count; i++) {
        const uint32_t flags = curve->keys[i].flags;
        double span = times[i + 1] - times[i], end = times[i + 1];
        if (flags & KEY_CONSTANT) {
            double step = fmin(STEP_TICKS, span / 2);
            if (flags & KEY_NEXT)
                fbx_curves_add_sample(curve, times[i] + step, values[i + 1]);
            else
                fbx_curves_add_sample(curve, times[i + 1] - step, values[i]);
            fbx_curves_add_sample(curve, end, values[i + 1]);
            continue;
        }
        bool is_line = !(flags & KEY_CUBIC) && !curve->turns;
        bool is_dense = span < DENSE_TICKS;
        double at = (floor(times[i] / GRID_TICKS) + 1) * GRID_TICKS;
        for (; at < end && !is_line && !is_dense && curve->out_count < KEY_MOST; at += GRID_TICKS)
            if (!fbx_curves_is_straight(curve, i, fmin(at + GRID_TICKS, end)))
                fbx_curves_add_sample(curve, at, fbx_curves_value_at(curve, i, at));
        fbx_curves_add_sample(curve, end, values[i + 1]);
    }
}

// -- Before the first and after the last key

// Kinds of extrapolation, by the letters of the format.
enum {
    STAYS = 'C',
    REPEATS = 'R',
    REPEATS_HIGHER = 'A',  // Each time from where the last one ended.
    MIRRORS = 'M',
    KEEPS_SLOPE = 'K',
};

typedef struct fbx_extrapolation {
    int kind;
    double copies;  // At most.
} fbx_extrapolation;

static fbx_extrapolation fbx_curves_read_extrapolation(const fbx_node *owner, const char *name)
{
    const fbx_node *node = fbx_tree_child(owner, name), *kind = fbx_tree_child(node, "Type");
    fbx_extrapolation b = {STAYS, HUGE_VAL};
    int64_t number;
    if (fbx_integer(fbx_tree_child(node, "Repetition"), 0, &number) && number >= 0)
        b.copies = (double)number;
    if (fbx_integer(kind, 0, &number))
        b.kind = number > 0 && number < 128 ? (int)number : STAYS;
    else if (kind && kind->value_count && kind->values[0].size == 1)
        b.kind = kind->values[0].data[0];
    return b;
}

// Add a sample after the last one; at the same time, make it a step.
static void fbx_curves_append(fbx_curve *curve, double time, double value)
{
    double last = curve->out_count ? curve->out_times[curve->out_count - 1] : -HUGE_VAL;
    if (time <= last && curve->out_values[curve->out_count - 1] == value) return;
    if (curve->out_count < KEY_MOST)
        fbx_curves_add_sample(curve, fmax(time, last + STEP_TICKS), value);
}

// Append all samples again, `copy` lengths of the curve later (negative: earlier).
static void fbx_curves_append_copy(fbx_curve *to, const fbx_curve *from, int kind, double copy)
{
    const double *times = from->out_times, *values = from->out_values;
    size_t last = from->out_count - 1;
    double span = times[last] - times[0], rise = values[last] - values[0];
    bool is_mirrored = kind == MIRRORS && fmod(fabs(copy), 2) == 1;
    // Full turns are not undone.
    double shift = kind == REPEATS && from->is_angle ? 360 * round(rise / 360) : 0;
    if (kind == REPEATS_HIGHER) shift = rise;
    for (size_t i = 0; i <= last; i++) {
        size_t k = is_mirrored ? last - i : i;
        double at = is_mirrored ? times[0] + times[last] - times[k] : times[k];
        fbx_curves_append(to, at + copy * span, values[k] + copy * shift);
    }
}

// How many copies cover a time, within the limit of keys.
static double fbx_curves_copies_over(const fbx_curve *curve, const fbx_extrapolation *b,
                                     double time)
{
    double span = curve->out_times[curve->out_count - 1] - curve->out_times[0];
    if (b->kind != REPEATS && b->kind != REPEATS_HIGHER && b->kind != MIRRORS) return 0;
    if (!(time > 0) || !(span > 0)) return 0;
    double most = floor((double)KEY_MOST / 2 / (double)curve->out_count);
    return fmin(fmin(b->copies, ceil(time / span)), most);
}

// The slope at the first or last key, in units a second.
static double fbx_curves_end_slope(const fbx_curve *curve, bool is_last)
{
    if (curve->count < 2) return 0;
    const fbx_tangents *t = &curve->keys[is_last ? curve->count - 2 : 0];
    if (t->flags & KEY_CONSTANT) return 0;
    if (t->flags & KEY_CUBIC) return is_last ? t->next_left : t->right;
    return is_last ? fbx_curves_slope_between(curve, curve->count - 2, curve->count - 1)
                   : fbx_curves_slope_between(curve, 0, 1);
}

// Continue with a straight line, in steps that do not turn too far.
static void fbx_curves_append_line(fbx_curve *curve, double time, double value, double slope,
                                   double stop)
{
    double span = stop - time, rise = slope * span / FBX_SECOND;
    double steps = curve->turns ? fmin(ceil(fabs(rise) / TURN_DEGREES), (double)KEY_MOST / 4) : 1;
    for (double i = 0; i <= steps; i++)
        fbx_curves_append(curve, time + span * i / fmax(steps, 1),
                          value + rise * i / fmax(steps, 1));
}

// Add the extrapolation to the samples.
static void fbx_curves_extend(fbx_curve *curve, const fbx_node *node, fbx_range range)
{
    const fbx_extrapolation before = fbx_curves_read_extrapolation(node, "Pre-Extrapolation");
    const fbx_extrapolation after = fbx_curves_read_extrapolation(node, "Post-Extrapolation");
    const fbx_curve all = *curve;
    double first = all.out_times[0], last = all.out_times[all.out_count - 1];
    double value = all.out_values[0], slope = fbx_curves_end_slope(curve, false);
    curve->out_times = curve->out_values = NULL;
    curve->out_count = curve->out_room = 0;
    if (before.kind == KEEPS_SLOPE && range.start < first)
        fbx_curves_append_line(curve, range.start,
                               value - slope * (first - range.start) / FBX_SECOND, slope, first);
    for (double i = fbx_curves_copies_over(&all, &before, first - range.start); i >= 1; i--)
        fbx_curves_append_copy(curve, &all, before.kind, -i);
    fbx_curves_append_copy(curve, &all, STAYS, 0);
    double copies = fbx_curves_copies_over(&all, &after, range.stop - last);
    for (double i = 1; i <= copies; i++) fbx_curves_append_copy(curve, &all, after.kind, i);
    if (after.kind == KEEPS_SLOPE && range.stop > last)
        fbx_curves_append_line(curve, last, all.out_values[all.out_count - 1],
                               fbx_curves_end_slope(curve, true), range.stop);
    free(all.out_times);
    free(all.out_values);
}

// Leave out full turns that are too fast to be seen: Assimp would add a key for each half turn.
// Returns whether there were any.
static bool fbx_curves_unwind(fbx_curve *curve)
{
    double shift = 0;
    bool was_wound = false;
    for (size_t i = 1; i < curve->out_count; i++) {
        double *value = &curve->out_values[i], before = curve->out_values[i - 1];
        double span = curve->out_times[i] - curve->out_times[i - 1];
        double turn = finite_or(*value + shift - before, 0);
        double most = fmin(fmax(180, 360 * span / GRID_TICKS), TURN_MOST);
        if (fabs(turn) > most) {
            shift -= 360 * round(turn / 360);
            turn = remainder(turn, 360);
            was_wound = true;
        }
        *value = before + turn;
    }
    return was_wound;
}

void fbx_sample_curve(const fbx_tree *tree, fbx_node *node, fbx_curve_kind kind, fbx_range range)
{
    fbx_curve curve = {.is_angle = kind != FBX_LENGTHS, .turns = kind == FBX_ANGLES};
    bool ok = fbx_read_curve(tree, node, &curve);
    if (ok) {
        fbx_curves_solve_tangents(&curve);
        fbx_curves_sample_keys(&curve);
        fbx_curves_extend(&curve, node, range);
    }
    bool is_other = ok && curve.is_angle && fbx_curves_unwind(&curve);
    if (is_other || (ok && curve.out_count > curve.count)) {
        fbx_set_numbers(tree, fbx_tree_child(node, "KeyTime"), 'l', curve.out_times,
                        curve.out_count);
        fbx_set_numbers(tree, fbx_tree_child(node, "KeyValueFloat"), 'f', curve.out_values,
                        curve.out_count);
    }
    free(curve.times);
    free(curve.values);
    free(curve.keys);
    free(curve.out_times);
    free(curve.out_values);
}
