// fbx_curves.c: animation curves of FBX files, whose keys have tangents, as straight lines.
// SPDX-License-Identifier: MIT

#include "fbx_curves.h"

#include "../scene/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MOST     ((size_t)1 << 20)
#define STRAIGHT     5e-6                 // Share of the curve's range that a line may be off.
#define TURN_MOST    360e3                // Degrees that one line turns at most.
#define TURN_DEGREES 5.0                  // How far a line may turn.
#define GRID_TICKS   (FBX_SECOND / 120)   // Where samples are, so that curves share their times.
#define RUN_MOST     64                   // Of grid points that one line goes over.
#define DENSE_TICKS  (FBX_SECOND / 23)    // Keys so near to each other were sampled already.
#define STEP_TICKS   (FBX_SECOND / 1000)  // How long a step takes.

// Flags of keys.
enum {
    KEY_CONSTANT = 0x2,
    KEY_CUBIC = 0x8,
    KEY_AUTO = 0x100,  // Of cubic keys: the tangents follow from the keys beside it.
    KEY_TCB = 0x200,
    KEY_NEXT = 0x100,  // Of constant keys: the next value counts.
    KEY_CLAMP = 0x1000,
    KEY_TIME_INDEPENDENT = 0x2000,
    KEY_CLAMP_PROGRESSIVE = 0x4000,
    KEY_WEIGHTED_RIGHT = 0x1000000,
    KEY_WEIGHTED_NEXT_LEFT = 0x2000000,
};

// Tangents from a key to the next one: slopes in units a second, weights as shares of the time.
typedef struct fbx_tangents {
    uint32_t flags;
    double right, next_left;
    double weight, next_weight;
} fbx_tangents;

typedef struct fbx_curve {
    size_t count;
    double *times, *values;  // Ticks.
    fbx_tangents *keys;
    double tolerance;
    bool is_angle, turns;
    double *out_times, *out_values;
    size_t out_count, out_room;
} fbx_curve;

// -- Reading

// The flags of keys are shared: each set of them is for so many keys in a row.
typedef struct fbx_key_attributes {
    double *flags, *data, *counts;
    size_t flag_count, data_count, count_count;
} fbx_key_attributes;

static bool read_attributes(const fbx_tree *tree, const fbx_node *node,
                            fbx_key_attributes *attributes)
{
    return fbx_numbers(tree, fbx_child(node, "KeyAttrFlags"), &attributes->flags,
                       &attributes->flag_count) &&
           fbx_numbers(tree, fbx_child(node, "KeyAttrDataFloat"), &attributes->data,
                       &attributes->data_count) &&
           fbx_numbers(tree, fbx_child(node, "KeyAttrRefCount"), &attributes->counts,
                       &attributes->count_count) &&
           attributes->flag_count == attributes->count_count &&
           attributes->data_count / 4 >= attributes->flag_count;
}

// Texts have the bits of these numbers, as whole numbers, since not all of them are numbers. Those
// of some other programs have fractions, as if they were.
static bool has_bits(const fbx_tree *tree, const fbx_node *node)
{
    const fbx_node *list = fbx_child(fbx_child(node, "KeyAttrDataFloat"), "a");
    if (!tree->is_text || !list || !list->value_count) return false;
    const fbx_value *text = &list->values[0];
    return !memchr(text->data, '.', text->size) && !memchr(text->data, 'e', text->size);
}

static uint32_t bits_of(double value, bool is_bits)
{
    uint32_t bits;
    float small = (float)value;
    if (is_bits) return (uint32_t)fbx_to_integer(value);
    memcpy(&bits, &small, sizeof bits);
    return bits;
}

static double slope_of(double value, bool is_bits)
{
    uint32_t bits = bits_of(value, is_bits);
    float slope;
    memcpy(&slope, &bits, sizeof slope);
    return finite_or((double)slope, 0);
}

static void unpack_weights(uint32_t bits, fbx_tangents *t)
{
    t->weight = t->next_weight = 1 / 3.0;
    if (t->flags & KEY_WEIGHTED_RIGHT) t->weight = (double)(bits & 0xffff) / 9999;
    if (t->flags & KEY_WEIGHTED_NEXT_LEFT) t->next_weight = (double)(bits >> 16) / 9999;
}

static void read_tangents(const fbx_key_attributes *attributes, bool is_bits, fbx_curve *curve)
{
    size_t key = 0;
    for (size_t i = 0; i < attributes->flag_count; i++) {
        fbx_tangents t = {.flags = (uint32_t)fbx_to_integer(attributes->flags[i]),
                          .right = slope_of(attributes->data[4 * i], is_bits),
                          .next_left = slope_of(attributes->data[4 * i + 1], is_bits)};
        unpack_weights(bits_of(attributes->data[4 * i + 2], is_bits), &t);
        for (double n = attributes->counts[i]; n >= 1 && key < curve->count; n--)
            curve->keys[key++] = t;
    }
}

static bool read_curve(const fbx_tree *tree, const fbx_node *node, fbx_curve *curve)
{
    size_t value_count;
    fbx_key_attributes attributes = {0};
    if (!fbx_numbers(tree, fbx_child(node, "KeyTime"), &curve->times, &curve->count)) return false;
    if (!fbx_numbers(tree, fbx_child(node, "KeyValueFloat"), &curve->values, &value_count))
        return false;
    if (curve->count == 0 || curve->count != value_count || curve->count > KEY_MOST) return false;
    curve->keys = import_alloc(curve->count, sizeof *curve->keys);
    if (read_attributes(tree, node, &attributes))
        read_tangents(&attributes, has_bits(tree, node), curve);
    free(attributes.flags);
    free(attributes.data);
    free(attributes.counts);
    for (size_t i = 1; i < curve->count; i++)
        if (!(curve->times[i] > curve->times[i - 1])) return false;
    return true;
}

// -- Tangents that follow from the keys

static bool is_auto(const fbx_tangents *t)
{
    return t->flags & KEY_CUBIC && t->flags & (KEY_AUTO | KEY_TCB);
}

static double slope_between(const fbx_curve *curve, size_t a, size_t b)
{
    return (curve->values[b] - curve->values[a]) /
           ((curve->times[b] - curve->times[a]) / FBX_SECOND);
}

// Not so steep that the curve would go beyond the keys beside it.
static double limit_slope(const fbx_curve *curve, size_t i, double slope)
{
    double sign = slope < 0 ? -1 : 1, most = sign * slope;
    double before =
        (curve->times[i] - curve->times[i - 1]) / FBX_SECOND * curve->keys[i - 1].next_weight;
    double after = (curve->times[i + 1] - curve->times[i]) / FBX_SECOND * curve->keys[i].weight;
    if (before > 0) most = fmin(most, sign * (curve->values[i] - curve->values[i - 1]) / before);
    if (after > 0) most = fmin(most, sign * (curve->values[i + 1] - curve->values[i]) / after);
    return sign * fmax(0, most);
}

static double auto_slope(const fbx_curve *curve, size_t i)
{
    const uint32_t flags = curve->keys[i].flags;
    if (curve->count < 2) return 0;
    if (i == 0 || i + 1 == curve->count) {
        if (flags & (KEY_CLAMP_PROGRESSIVE | KEY_CLAMP)) return 0;
        return i == 0 ? slope_between(curve, 0, 1) : slope_between(curve, i - 1, i);
    }
    bool is_flat =
        curve->values[i] == curve->values[i - 1] || curve->values[i] == curve->values[i + 1];
    if (flags & KEY_CLAMP && is_flat) return 0;
    double slope = slope_between(curve, i - 1, i + 1);
    if (!(flags & KEY_TIME_INDEPENDENT)) {
        double at =
            (curve->times[i] - curve->times[i - 1]) / (curve->times[i + 1] - curve->times[i - 1]);
        slope = slope_between(curve, i - 1, i) * (1 - at) + slope_between(curve, i, i + 1) * at;
    }
    return flags & KEY_CLAMP_PROGRESSIVE ? limit_slope(curve, i, slope) : slope;
}

static void solve_tangents(fbx_curve *curve)
{
    for (size_t i = 0; i < curve->count; i++) {
        if (!is_auto(&curve->keys[i])) continue;
        double slope = auto_slope(curve, i);
        curve->keys[i].right = slope;
        if (i > 0) curve->keys[i - 1].next_left = slope;
    }
}

// -- Sampling

static void add(fbx_curve *curve, double time, double value)
{
    if (curve->out_count == curve->out_room) {
        size_t room = curve->out_room ? 2 * curve->out_room : curve->count + 16;
        double *times = import_alloc(room, sizeof *times);
        double *values = import_alloc(room, sizeof *values);
        if (curve->out_count) memcpy(times, curve->out_times, curve->out_count * sizeof *times);
        if (curve->out_count) memcpy(values, curve->out_values, curve->out_count * sizeof *values);
        free(curve->out_times);
        free(curve->out_values);
        curve->out_times = times, curve->out_values = values;
        curve->out_room = room;
    }
    curve->out_times[curve->out_count] = floor(time);
    curve->out_values[curve->out_count++] = value;
}

static double bezier(double a, double b, double c, double d, double t)
{
    double s = 1 - t;
    return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

// The value between key `i` and the next one, `at` being the share of the time.
static double cubic(const fbx_curve *curve, size_t i, double at)
{
    const fbx_tangents *t = &curve->keys[i];
    double span = (curve->times[i + 1] - curve->times[i]) / FBX_SECOND;
    double b = fmin(1, fmax(0, t->weight)), d = 1 - fmin(1, fmax(0, t->next_weight));
    double low = 0, high = 1, middle = at;
    // With weights of a third, time goes evenly.
    for (int n = 0; n < 40 && (b != 1 / 3.0 || d != 1 - 1 / 3.0); n++) {
        middle = (low + high) / 2;
        if (bezier(0, b, d, 1, middle) < at)
            low = middle;
        else
            high = middle;
    }
    return bezier(curve->values[i], curve->values[i] + t->right * span * t->weight,
                  curve->values[i + 1] - t->next_left * span * t->next_weight, curve->values[i + 1],
                  middle);
}

static double value_at(const fbx_curve *curve, size_t i, double time)
{
    double at = (time - curve->times[i]) / (curve->times[i + 1] - curve->times[i]);
    if (curve->keys[i].flags & KEY_CUBIC) return cubic(curve, i, at);
    return curve->values[i] + at * (curve->values[i + 1] - curve->values[i]);
}

// Whether one line from the last sample to `time` does, past the grid points between them.
static bool is_straight(const fbx_curve *curve, size_t i, double time)
{
    double from = curve->out_times[curve->out_count - 1],
           a = curve->out_values[curve->out_count - 1];
    double b = value_at(curve, i, time);
    if (time - from > RUN_MOST * GRID_TICKS) return false;
    if (curve->turns && fabs(b - a) > TURN_DEGREES) return false;
    // Thirds, too, so that a bend between two grid points is seen.
    for (double at = from + GRID_TICKS / 3; at < time; at += GRID_TICKS / 3) {
        double line = a + (b - a) * (at - from) / (time - from);
        if (!(fabs(value_at(curve, i, at) - line) <= curve->tolerance)) return false;
    }
    return true;
}

// From key `i` to the next one, a sample wherever a longer line would not do.
static void add_segment(fbx_curve *curve, size_t i)
{
    double end = curve->times[i + 1];
    bool is_line = !(curve->keys[i].flags & KEY_CUBIC) && !curve->turns;
    bool is_dense = end - curve->times[i] < DENSE_TICKS;
    double at = (floor(curve->times[i] / GRID_TICKS) + 1) * GRID_TICKS;
    for (; at < end && !is_line && !is_dense && curve->out_count < KEY_MOST; at += GRID_TICKS)
        if (!is_straight(curve, i, fmin(at + GRID_TICKS, end)))
            add(curve, at, value_at(curve, i, at));
    add(curve, end, curve->values[i + 1]);
}

static void add_step(fbx_curve *curve, size_t i)
{
    bool takes_next = curve->keys[i].flags & KEY_NEXT;
    double span = curve->times[i + 1] - curve->times[i], step = fmin(STEP_TICKS, span / 2);
    if (takes_next)
        add(curve, curve->times[i] + step, curve->values[i + 1]);
    else
        add(curve, curve->times[i + 1] - step, curve->values[i]);
    add(curve, curve->times[i + 1], curve->values[i + 1]);
}

static void sample(fbx_curve *curve)
{
    double low = curve->values[0], high = curve->values[0];
    for (size_t i = 1; i < curve->count; i++)
        low = fmin(low, curve->values[i]), high = fmax(high, curve->values[i]);
    curve->tolerance = STRAIGHT * (high - low);
    add(curve, curve->times[0], curve->values[0]);
    for (size_t i = 0; i + 1 < curve->count; i++) {
        if (curve->keys[i].flags & KEY_CONSTANT)
            add_step(curve, i);
        else
            add_segment(curve, i);
    }
}

// -- Beyond the keys

// What a curve does there, with the format's own letters.
enum {
    STAYS = 'C',
    REPEATS = 'R',
    REPEATS_HIGHER = 'A',  // Each time from where it ended.
    MIRRORS = 'M',
    KEEPS_SLOPE = 'K',
};

typedef struct fbx_extrapolation {
    int kind;
    double copies;  // How often at most.
} fbx_extrapolation;

static fbx_extrapolation read_extrapolation(const fbx_node *owner, const char *name)
{
    const fbx_node *node = fbx_child(owner, name), *kind = fbx_child(node, "Type");
    fbx_extrapolation b = {STAYS, HUGE_VAL};
    int64_t number;
    if (fbx_integer(fbx_child(node, "Repetition"), 0, &number) && number >= 0)
        b.copies = (double)number;
    if (fbx_integer(kind, 0, &number))
        b.kind = number > 0 && number < 128 ? (int)number : STAYS;
    else if (kind && kind->value_count && kind->values[0].size == 1)
        b.kind = kind->values[0].data[0];
    return b;
}

// A sample behind the last one; at the same time, it is a step.
static void append(fbx_curve *curve, double time, double value)
{
    double last = curve->out_count ? curve->out_times[curve->out_count - 1] : -HUGE_VAL;
    if (time <= last && curve->out_values[curve->out_count - 1] == value) return;
    if (curve->out_count < KEY_MOST) add(curve, fmax(time, last + STEP_TICKS), value);
}

// All samples once more, `copy` times their length later; before the curve, that is negative.
static void append_copy(fbx_curve *to, const fbx_curve *from, int kind, double copy)
{
    const double *times = from->out_times, *values = from->out_values;
    size_t last = from->out_count - 1;
    double span = times[last] - times[0], rise = values[last] - values[0];
    bool is_mirrored = kind == MIRRORS && fmod(fabs(copy), 2) == 1;
    // Whole turns are not turned back.
    double shift = kind == REPEATS && from->is_angle ? 360 * round(rise / 360) : 0;
    if (kind == REPEATS_HIGHER) shift = rise;
    for (size_t i = 0; i <= last; i++) {
        size_t k = is_mirrored ? last - i : i;
        double at = is_mirrored ? times[0] + times[last] - times[k] : times[k];
        append(to, at + copy * span, values[k] + copy * shift);
    }
}

// How many copies reach over a time; not more than there is room for.
static double copies_over(const fbx_curve *curve, const fbx_extrapolation *b, double time)
{
    double span = curve->out_times[curve->out_count - 1] - curve->out_times[0];
    if (b->kind != REPEATS && b->kind != REPEATS_HIGHER && b->kind != MIRRORS) return 0;
    if (!(time > 0) || !(span > 0)) return 0;
    double most = floor((double)KEY_MOST / 2 / (double)curve->out_count);
    return fmin(fmin(b->copies, ceil(time / span)), most);
}

// Units a second, at the first or last key.
static double end_slope(const fbx_curve *curve, bool is_last)
{
    if (curve->count < 2) return 0;
    const fbx_tangents *t = &curve->keys[is_last ? curve->count - 2 : 0];
    if (t->flags & KEY_CONSTANT) return 0;
    if (t->flags & KEY_CUBIC) return is_last ? t->next_left : t->right;
    return is_last ? slope_between(curve, curve->count - 2, curve->count - 1)
                   : slope_between(curve, 0, 1);
}

// On from `value` at `time`, in steps that do not turn too far.
static void append_line(fbx_curve *curve, double time, double value, double slope, double stop)
{
    double span = stop - time, rise = slope * span / FBX_SECOND;
    double steps = curve->turns ? fmin(ceil(fabs(rise) / TURN_DEGREES), (double)KEY_MOST / 4) : 1;
    for (double i = 0; i <= steps; i++)
        append(curve, time + span * i / fmax(steps, 1), value + rise * i / fmax(steps, 1));
}

// The samples, and what is before and behind them.
static void extend(fbx_curve *curve, const fbx_node *node, fbx_range range)
{
    const fbx_extrapolation before = read_extrapolation(node, "Pre-Extrapolation");
    const fbx_extrapolation after = read_extrapolation(node, "Post-Extrapolation");
    const fbx_curve all = *curve;
    double first = all.out_times[0], last = all.out_times[all.out_count - 1];
    double value = all.out_values[0], slope = end_slope(curve, false);
    curve->out_times = curve->out_values = NULL;
    curve->out_count = curve->out_room = 0;
    if (before.kind == KEEPS_SLOPE && range.start < first)
        append_line(curve, range.start, value - slope * (first - range.start) / FBX_SECOND, slope,
                    first);
    for (double i = copies_over(&all, &before, first - range.start); i >= 1; i--)
        append_copy(curve, &all, before.kind, -i);
    append_copy(curve, &all, STAYS, 0);
    double copies = copies_over(&all, &after, range.stop - last);
    for (double i = 1; i <= copies; i++) append_copy(curve, &all, after.kind, i);
    if (after.kind == KEEPS_SLOPE && range.stop > last)
        append_line(curve, last, all.out_values[all.out_count - 1], end_slope(curve, true),
                    range.stop);
    free(all.out_times);
    free(all.out_values);
}

// Assimp adds a key for each half turn, so that whole turns that are too fast to be seen are left
// out. Returns whether there were any.
static bool unwind(fbx_curve *curve)
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
    bool ok = read_curve(tree, node, &curve);
    if (ok) {
        solve_tangents(&curve);
        sample(&curve);
        extend(&curve, node, range);
    }
    bool is_other = ok && curve.is_angle && unwind(&curve);
    if (is_other || (ok && curve.out_count > curve.count)) {
        fbx_set_numbers(tree, fbx_child(node, "KeyTime"), 'l', curve.out_times, curve.out_count);
        fbx_set_numbers(tree, fbx_child(node, "KeyValueFloat"), 'f', curve.out_values,
                        curve.out_count);
    }
    free(curve.times);
    free(curve.values);
    free(curve.keys);
    free(curve.out_times);
    free(curve.out_values);
}
