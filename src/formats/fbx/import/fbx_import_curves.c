// fbx_import_curves.c: the values of curves: tangents of all kinds, and beyond the keys.
// SPDX-License-Identifier: MIT
//
// A segment from one key to the next is constant, a line, or a Bezier curve in time and value,
// whose inner points are at a share of the time, the weight, along the slope.

#include "formats/fbx/import/fbx_import_curves.h"

#include <math.h>

#define EQUAL_VALUES 1e-4  // Values of neighbors for which FBX_KEY_CLAMP makes a tangent flat.
#define SOLVER_STEPS 60

// -- Slopes

// The slope to one side of an inner key whose tangent is automatic: `bias` prefers the chord to the
// next (above 0) or to the previous key.
static double fbx_import_curves_auto_slope(const fbx_raw_key *key, double bias, double before,
                                           double after, const double spans[2],
                                           const double rises[2])
{
    uint32_t flags = key->flags;
    if ((flags & FBX_KEY_CLAMP) && fmin(fabs(rises[0]), fabs(rises[1])) <= EQUAL_VALUES) return 0;
    double left = rises[0] / spans[0], right = rises[1] / spans[1];
    double span = spans[0] + spans[1], slope = (rises[0] + rises[1]) / span;
    if (!(flags & FBX_KEY_TIME_INDEPENDENT)) {
        double share = spans[0] / span, strength = fabs(bias) / 100;
        slope = slope / 2 + (left * (1 - share) + right * share) / 2;
        slope = slope * (1 - strength) + strength * (bias > 0 ? right : left);
        double more = strength - 5;
        if (more > 0) slope += (bias > 0 ? 40 : -40) * more * more;
    }
    if (!(flags & FBX_KEY_PROGRESSIVE)) return slope;
    // The inner points do not pass the values of the neighbors.
    double sign = slope < 0 ? -1 : 1, reach[2] = {before * spans[0], after * spans[1]};
    for (int side = 0; side < 2; side++) {
        double most = reach[side] > 0 ? sign * rises[side] / reach[side] : 0;
        if (!(most > 0)) most = 0;
        slope = sign * fmin(fabs(slope), most);
    }
    return slope;
}

// The slopes at a key: to the left and to the right.
static void fbx_import_curves_slopes(const fbx_raw_key *raw, uint32_t count, uint32_t k,
                                     const fbx_key *times, double slopes[2])
{
    const fbx_raw_key *key = &raw[k];
    bool has_left = k > 0, has_right = k + 1 < count;
    slopes[0] = has_left ? (double)raw[k - 1].data[1] : 0;
    slopes[1] = (double)key->data[0];
    bool is_cubic = key->flags & FBX_KEY_CUBIC, is_tcb = key->flags & FBX_KEY_TCB;
    bool is_auto = (key->flags & FBX_KEY_AUTO) && !(key->flags & FBX_KEY_USER);
    if (!is_cubic || !(is_tcb || is_auto)) return;
    double spans[2] = {1, 1}, rises[2] = {0, 0};
    if (has_left) spans[0] = times[k].time - times[k - 1].time;
    if (has_left) rises[0] = (double)key->value - (double)raw[k - 1].value;
    if (has_right) spans[1] = times[k + 1].time - times[k].time;
    if (has_right) rises[1] = (double)raw[k + 1].value - (double)key->value;
    double left = rises[0] / spans[0], right = rises[1] / spans[1];
    if (is_tcb) {
        double t = (double)key->data[0], c = (double)key->data[1], b = (double)key->data[2];
        double half = has_left && has_right ? 0.5 : 1;
        slopes[0] = half * (1 - t) * ((1 + b) * (1 - c) * left + (1 - b) * (1 + c) * right);
        slopes[1] = half * (1 - t) * ((1 + b) * (1 + c) * left + (1 - b) * (1 - c) * right);
        return;
    }
    if (!has_left || !has_right) {
        double chord = key->flags & FBX_KEY_PROGRESSIVE ? 0 : has_left ? left : right;
        slopes[0] = slopes[1] = chord;
        return;
    }
    double before = (double)raw[k - 1].left_weight, after = (double)key->right_weight;
    double biases[2] = {-(double)raw[k - 1].data[1], (double)key->data[0]};
    // The automatic keys before this one have a bias, all others a slope.
    bool is_after_auto =
        (raw[k - 1].flags & (FBX_KEY_AUTO | FBX_KEY_CUBIC)) == (FBX_KEY_AUTO | FBX_KEY_CUBIC) &&
        !(raw[k - 1].flags & FBX_KEY_USER);
    if (!is_after_auto || fabs(biases[0] - biases[1]) < 1e-4) biases[0] = biases[1];
    for (int side = 0; side < 2; side++)
        slopes[side] = fbx_import_curves_auto_slope(key, biases[side], before, after, spans, rises);
}

static float fbx_import_curves_finite(double value)
{
    return value - value == 0 && fabs(value) <= 3e38 ? (float)value : 0;
}

// -- Keys

uint32_t fbx_import_curve_keys(fbx_raw_key *raw, uint32_t count, double tick_rate, fbx_key *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_finite = raw[i].value - raw[i].value == 0;
        if (!is_finite || (kept && raw[i].ticks <= raw[kept - 1].ticks)) continue;
        raw[kept] = raw[i];
        out[kept++].time = (double)raw[i].ticks / tick_rate;
    }
    double slopes[2];
    for (uint32_t k = 0; k < kept; k++) {
        const fbx_raw_key *key = &raw[k];
        // Times of a tick apart may be equal as doubles.
        if (k && !(out[k].time > out[k - 1].time)) out[k].time = out[k - 1].time + 1e-9;
        out[k].value = key->value;
        out[k].right_weight = key->right_weight;
        out[k].left_weight = key->left_weight;
        out[k].segment = FBX_LINE;
        if (key->flags & FBX_KEY_CUBIC) out[k].segment = FBX_BEZIER;
        if (key->flags & FBX_KEY_CONSTANT)
            out[k].segment = key->flags & FBX_KEY_AUTO ? FBX_HOLDS_NEXT : FBX_HOLDS;
    }
    for (uint32_t k = 0; k < kept; k++) {
        fbx_import_curves_slopes(raw, kept, k, out, slopes);
        if (k) out[k - 1].left = fbx_import_curves_finite(slopes[0]);
        out[k].right = fbx_import_curves_finite(slopes[1]);
    }
    return kept;
}

// -- Values

// The share of the way along a Bezier curve at which the share `u` of the time has passed.
static double fbx_import_curves_solve(const fbx_key *key, double u)
{
    double a = (double)key->right_weight, b = 1 - (double)key->left_weight;
    if (fabs(a - 1.0 / 3) < 1e-9 && fabs(b - 2.0 / 3) < 1e-9) return u;
    // Bisection guards Newton's method: the time does not decrease along the curve.
    double low = 0, high = 1, m = u;
    for (int i = 0; i < SOLVER_STEPS; i++) {
        double n = 1 - m, x = 3 * n * n * m * a + 3 * n * m * m * b + m * m * m;
        double slope = 3 * n * n * a + 6 * n * m * (b - a) + 3 * m * m * (1 - b);
        double off = x - u;
        if (fabs(off) < 1e-14) break;
        if (off > 0)
            high = m;
        else
            low = m;
        double next = slope > 0 ? m - off / slope : low - 1;
        m = next > low && next < high ? next : (low + high) / 2;
    }
    return m;
}

static double fbx_import_curves_between(const fbx_key *key, const fbx_key *next, double time)
{
    double span = next->time - key->time, u = (time - key->time) / span;
    double from = (double)key->value, to = (double)next->value;
    if (key->segment == FBX_HOLDS) return from;
    if (key->segment == FBX_HOLDS_NEXT) return time > key->time ? to : from;
    if (key->segment == FBX_LINE) return from + u * (to - from);
    double m = fbx_import_curves_solve(key, u), n = 1 - m;
    double a = from + (double)key->right * (double)key->right_weight * span;
    double b = to - (double)key->left * (double)key->left_weight * span;
    return n * n * n * from + 3 * n * n * m * a + 3 * n * m * m * b + m * m * m * to;
}

// At a time from the first to the last key.
static double fbx_import_curves_inside(const fbx_curve *curve, double time)
{
    uint32_t low = 0, high = curve->key_count - 1;
    if (time <= curve->keys[0].time) return (double)curve->keys[0].value;
    if (time >= curve->keys[high].time) return (double)curve->keys[high].value;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->keys[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return fbx_import_curves_between(&curve->keys[low], &curve->keys[high], time);
}

double fbx_import_curve_value(const fbx_curve *curve, double time)
{
    const fbx_key *first = &curve->keys[0], *last = &curve->keys[curve->key_count - 1];
    bool is_before = time < first->time;
    if (!is_before && time <= last->time) return fbx_import_curves_inside(curve, time);
    const fbx_beyond *beyond = is_before ? &curve->before : &curve->after;
    double beyond_by = is_before ? first->time - time : time - last->time;
    double span = last->time - first->time, end = (double)(is_before ? first : last)->value;
    if (beyond->type == 'K' && curve->key_count > 1) {
        const fbx_key *key = is_before ? first : last - 1;
        double slope = (double)(is_before ? key->right : key->left);
        if (key->segment == FBX_LINE)
            slope = ((double)key[1].value - (double)key->value) / (key[1].time - key->time);
        if (key->segment == FBX_HOLDS || key->segment == FBX_HOLDS_NEXT) slope = 0;
        return is_before ? end - slope * beyond_by : end + slope * beyond_by;
    }
    bool repeats = beyond->type == 'R' || beyond->type == 'A' || beyond->type == 'M';
    if (!repeats || !(span > 0) || beyond->count == 0) return end;
    double copies = floor(beyond_by / span), within = beyond_by - copies * span;
    bool is_over = beyond->count > 0 && copies >= (double)beyond->count;
    if (is_over) copies = (double)beyond->count - 1, within = span;
    bool turns = beyond->type == 'M' && floor(copies / 2) * 2 == copies;
    bool from_start = is_before == turns;
    double value =
        fbx_import_curves_inside(curve, from_start ? first->time + within : last->time - within);
    if (beyond->type != 'A') return value;
    double rise = (copies + 1) * ((double)last->value - (double)first->value);
    return is_before ? value - rise : value + rise;
}

bool fbx_import_curve_moves(const fbx_curve *curve)
{
    for (uint32_t i = 0; i + 1 < curve->key_count; i++) {
        const fbx_key *key = &curve->keys[i];
        if (key[1].value != key->value) return true;
        if (key->segment == FBX_BEZIER && (key->right != 0 || key->left != 0)) return true;
    }
    return false;
}
