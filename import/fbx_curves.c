// fbx_curves.c: animation curves of FBX files, whose keys have tangents, as straight lines.
// SPDX-License-Identifier: MIT

#include "fbx_curves.h"

#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MOST     ((size_t)1 << 20)
#define STRAIGHT     5e-5                 // Share of the curve's range that a line may be off.
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
typedef struct tangents {
    uint32_t flags;
    double right, next_left;
    double weight, next_weight;
} tangents;

typedef struct curve {
    size_t count;
    double *times, *values;  // Ticks.
    tangents *keys;
    double tolerance;
    bool turns;
    double *out_times, *out_values;
    size_t out_count, out_room;
} curve;

// -- Reading

// The flags of keys are shared: each set of them is for so many keys in a row.
typedef struct attributes {
    double *flags, *data, *counts;
    size_t flag_count, data_count, count_count;
} attributes;

static bool read_attributes(const fbx_tree *tree, const fbx_node *node, attributes *a)
{
    return fbx_numbers(tree, fbx_child(node, "KeyAttrFlags"), &a->flags, &a->flag_count) &&
           fbx_numbers(tree, fbx_child(node, "KeyAttrDataFloat"), &a->data, &a->data_count) &&
           fbx_numbers(tree, fbx_child(node, "KeyAttrRefCount"), &a->counts, &a->count_count) &&
           a->flag_count == a->count_count && a->data_count / 4 >= a->flag_count;
}

// Text files have the bits of the packed weights as a number.
static void unpack_weights(const fbx_tree *tree, double packed, tangents *t)
{
    uint32_t bits;
    float small = (float)packed;
    memcpy(&bits, &small, sizeof bits);
    if (tree->is_text) bits = packed >= 0 && packed < 4294967296.0 ? (uint32_t)packed : 0;
    t->weight = t->next_weight = 1 / 3.0;
    if (t->flags & KEY_WEIGHTED_RIGHT) t->weight = (double)(bits & 0xffff) / 9999;
    if (t->flags & KEY_WEIGHTED_NEXT_LEFT) t->next_weight = (double)(bits >> 16) / 9999;
}

static void read_tangents(const fbx_tree *tree, const attributes *a, curve *c)
{
    size_t key = 0;
    for (size_t i = 0; i < a->flag_count; i++) {
        tangents t = {.flags = (uint32_t)fbx_whole(a->flags[i]),
                      .right = finite_or(a->data[4 * i], 0),
                      .next_left = finite_or(a->data[4 * i + 1], 0)};
        unpack_weights(tree, a->data[4 * i + 2], &t);
        for (double n = a->counts[i]; n >= 1 && key < c->count; n--) c->keys[key++] = t;
    }
}

static bool read_curve(const fbx_tree *tree, const fbx_node *node, curve *c)
{
    size_t value_count;
    attributes a = {0};
    if (!fbx_numbers(tree, fbx_child(node, "KeyTime"), &c->times, &c->count)) return false;
    if (!fbx_numbers(tree, fbx_child(node, "KeyValueFloat"), &c->values, &value_count))
        return false;
    if (c->count == 0 || c->count != value_count || c->count > KEY_MOST) return false;
    c->keys = import_alloc(c->count, sizeof *c->keys);
    if (read_attributes(tree, node, &a)) read_tangents(tree, &a, c);
    free(a.flags);
    free(a.data);
    free(a.counts);
    for (size_t i = 1; i < c->count; i++)
        if (!(c->times[i] > c->times[i - 1])) return false;
    return true;
}

// -- Tangents that follow from the keys

static bool is_auto(const tangents *t)
{
    return t->flags & KEY_CUBIC && t->flags & (KEY_AUTO | KEY_TCB);
}

static double slope_between(const curve *c, size_t a, size_t b)
{
    return (c->values[b] - c->values[a]) / ((c->times[b] - c->times[a]) / FBX_SECOND);
}

// Not so steep that the curve would go beyond the keys beside it.
static double limit_slope(const curve *c, size_t i, double slope)
{
    double sign = slope < 0 ? -1 : 1, most = sign * slope;
    double before = (c->times[i] - c->times[i - 1]) / FBX_SECOND * c->keys[i - 1].next_weight;
    double behind = (c->times[i + 1] - c->times[i]) / FBX_SECOND * c->keys[i].weight;
    if (before > 0) most = fmin(most, sign * (c->values[i] - c->values[i - 1]) / before);
    if (behind > 0) most = fmin(most, sign * (c->values[i + 1] - c->values[i]) / behind);
    return sign * fmax(0, most);
}

static double auto_slope(const curve *c, size_t i)
{
    const uint32_t flags = c->keys[i].flags;
    if (c->count < 2) return 0;
    if (i == 0 || i + 1 == c->count) {
        if (flags & (KEY_CLAMP_PROGRESSIVE | KEY_CLAMP)) return 0;
        return i == 0 ? slope_between(c, 0, 1) : slope_between(c, i - 1, i);
    }
    bool is_flat = c->values[i] == c->values[i - 1] || c->values[i] == c->values[i + 1];
    if (flags & KEY_CLAMP && is_flat) return 0;
    double slope = slope_between(c, i - 1, i + 1);
    if (!(flags & KEY_TIME_INDEPENDENT)) {
        double at = (c->times[i] - c->times[i - 1]) / (c->times[i + 1] - c->times[i - 1]);
        slope = slope_between(c, i - 1, i) * (1 - at) + slope_between(c, i, i + 1) * at;
    }
    return flags & KEY_CLAMP_PROGRESSIVE ? limit_slope(c, i, slope) : slope;
}

static void solve_tangents(curve *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!is_auto(&c->keys[i])) continue;
        double slope = auto_slope(c, i);
        c->keys[i].right = slope;
        if (i > 0) c->keys[i - 1].next_left = slope;
    }
}

// -- Sampling

static void add(curve *c, double time, double value)
{
    if (c->out_count == c->out_room) {
        size_t room = c->out_room ? 2 * c->out_room : c->count + 16;
        double *times = import_alloc(room, sizeof *times);
        double *values = import_alloc(room, sizeof *values);
        if (c->out_count) memcpy(times, c->out_times, c->out_count * sizeof *times);
        if (c->out_count) memcpy(values, c->out_values, c->out_count * sizeof *values);
        free(c->out_times);
        free(c->out_values);
        c->out_times = times, c->out_values = values;
        c->out_room = room;
    }
    c->out_times[c->out_count] = floor(time);
    c->out_values[c->out_count++] = value;
}

static double bezier(double a, double b, double c, double d, double t)
{
    double s = 1 - t;
    return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

// The value between key `i` and the next one, `at` being the share of the time.
static double cubic(const curve *c, size_t i, double at)
{
    const tangents *t = &c->keys[i];
    double span = (c->times[i + 1] - c->times[i]) / FBX_SECOND;
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
    return bezier(c->values[i], c->values[i] + t->right * span * t->weight,
                  c->values[i + 1] - t->next_left * span * t->next_weight, c->values[i + 1],
                  middle);
}

static double value_at(const curve *c, size_t i, double time)
{
    double at = (time - c->times[i]) / (c->times[i + 1] - c->times[i]);
    if (c->keys[i].flags & KEY_CUBIC) return cubic(c, i, at);
    return c->values[i] + at * (c->values[i + 1] - c->values[i]);
}

// Whether one line from the last sample to `time` does, past the grid points between them.
static bool is_straight(const curve *c, size_t i, double time)
{
    double from = c->out_times[c->out_count - 1], a = c->out_values[c->out_count - 1];
    double b = value_at(c, i, time);
    if (time - from > RUN_MOST * GRID_TICKS) return false;
    if (c->turns && fabs(b - a) > TURN_DEGREES) return false;
    // Thirds, too, so that a bend between two grid points is seen.
    for (double at = from + GRID_TICKS / 3; at < time; at += GRID_TICKS / 3) {
        double line = a + (b - a) * (at - from) / (time - from);
        if (!(fabs(value_at(c, i, at) - line) <= c->tolerance)) return false;
    }
    return true;
}

// From key `i` to the next one, a sample wherever a longer line would not do.
static void add_segment(curve *c, size_t i)
{
    double end = c->times[i + 1];
    bool is_line = !(c->keys[i].flags & KEY_CUBIC) && !c->turns;
    bool is_dense = end - c->times[i] < DENSE_TICKS;
    double at = (floor(c->times[i] / GRID_TICKS) + 1) * GRID_TICKS;
    for (; at < end && !is_line && !is_dense && c->out_count < KEY_MOST; at += GRID_TICKS)
        if (!is_straight(c, i, fmin(at + GRID_TICKS, end))) add(c, at, value_at(c, i, at));
    add(c, end, c->values[i + 1]);
}

static void add_step(curve *c, size_t i)
{
    bool takes_next = c->keys[i].flags & KEY_NEXT;
    double span = c->times[i + 1] - c->times[i], step = fmin(STEP_TICKS, span / 2);
    if (takes_next)
        add(c, c->times[i] + step, c->values[i + 1]);
    else
        add(c, c->times[i + 1] - step, c->values[i]);
    add(c, c->times[i + 1], c->values[i + 1]);
}

static void sample(curve *c)
{
    double low = c->values[0], high = c->values[0];
    for (size_t i = 1; i < c->count; i++)
        low = fmin(low, c->values[i]), high = fmax(high, c->values[i]);
    c->tolerance = STRAIGHT * (high - low);
    add(c, c->times[0], c->values[0]);
    for (size_t i = 0; i + 1 < c->count; i++) {
        if (c->keys[i].flags & KEY_CONSTANT)
            add_step(c, i);
        else
            add_segment(c, i);
    }
}

void fbx_straighten(const fbx_tree *tree, fbx_node *node, bool turns)
{
    curve c = {.turns = turns};
    bool ok = read_curve(tree, node, &c);
    if (ok) {
        solve_tangents(&c);
        sample(&c);
    }
    if (ok && c.out_count > c.count) {
        fbx_set_numbers(tree, fbx_child(node, "KeyTime"), 'l', c.out_times, c.out_count);
        fbx_set_numbers(tree, fbx_child(node, "KeyValueFloat"), 'f', c.out_values, c.out_count);
    }
    free(c.times);
    free(c.values);
    free(c.keys);
    free(c.out_times);
    free(c.out_values);
}
