// math_trig.c: sine, cosine and their inverses, with the same bits on every machine.
// SPDX-License-Identifier: MIT
//
// Taylor series, after the argument has been brought near zero. That takes a few terms more than
// a fitted polynomial, but every coefficient can be checked by eye.

#include "core/math/math.h"

#include <math.h>

#ifdef __FAST_MATH__
#error "compile without -ffast-math: results must not depend on the compiler"
#endif

double tn_radians(double degrees)
{
    return degrees * 0x1.1df46a2529d39p-6;
}

double tn_degrees(double radians)
{
    return radians * 0x1.ca5dc1a63c1f8p+5;
}

// -- Sine and cosine

#define TWO_OVER_PI 0x1.45f306dc9c883p-1

// An angle as a number of quarter turns and a remainder in -pi/4 to pi/4, which is rest + tail.
typedef struct reduced {
    int quarter;  // 0 to 3.
    double rest, tail;
} reduced;

// pi/2 in three parts. Those but the last have 33 bits, so that up to 2^20 times they are exact.
static const double half_pi[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};

// Angles that are so large that their own last bit is many times the error made here: subtract the
// double next to 2 pi, times powers of two. Each difference is exact, so the result is off by what
// that double is off times the number of turns, 4e-17 of x.
static double math_trig_unwind(double x)
{
    double left = fabs(x), turns = 2 * TN_PI;
    while (turns <= left / 2 && 2 * turns < HUGE_VAL) turns *= 2;
    for (; turns >= 2 * TN_PI; turns /= 2)
        if (left >= turns) left -= turns;
    return x < 0 ? -left : left;
}

static reduced math_trig_reduce(double x)
{
    if (fabs(x) <= TN_PI / 4) return (reduced){0, x, 0.0};
    if (fabs(x) > 0x1p20 * TN_PI / 2) x = math_trig_unwind(x);
    double n = floor(x * TWO_OVER_PI + 0.5);
    double a = x - n * half_pi[0], b = n * half_pi[1];
    double difference = a - b, back = difference - a;
    double lost = (a - (difference - back)) - (b + back);
    double tail = lost - n * half_pi[2];
    double rest = difference + tail;
    return (reduced){(int)(n - 4 * floor(n / 4)), rest, (difference - rest) + tail};
}

// Both series are evaluated from their smallest term on; z is the square of x.

static double math_trig_sine_near_zero(double x, double tail)
{
    static const double terms[] = {
        1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
        1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    double z = x * x, sum = 0;
    for (int i = 0; i < 8; i++) sum = sum * z + terms[i];
    return x + (x * z * sum + tail * (1 - z / 2));
}

static double math_trig_cosine_near_zero(double x, double tail)
{
    static const double terms[] = {
        1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
        1.0 / 40320,          -1.0 / 720,         1.0 / 24};
    double z = x * x, sum = 0;
    for (int i = 0; i < 7; i++) sum = sum * z + terms[i];
    // 1 - z / 2 is rounded; what that loses is added to the small terms.
    double head = 1 - z / 2, lost = (1 - head) - z / 2;
    return head + (lost + (z * z * sum - x * tail));
}

// The sine, `ahead` quarter turns on.
static double math_trig_turn(double x, int ahead)
{
    if (!(fabs(x) < HUGE_VAL)) return x - x;
    reduced r = math_trig_reduce(x);
    int quarter = (r.quarter + ahead) % 4;
    double v = quarter % 2 ? math_trig_cosine_near_zero(r.rest, r.tail)
                           : math_trig_sine_near_zero(r.rest, r.tail);
    return quarter >= 2 ? -v : v;
}

double tn_sin(double x)
{
    return math_trig_turn(x, 0);
}

double tn_cos(double x)
{
    return math_trig_turn(x, 1);
}

// -- Arc functions

// atan(k / 16), and what the double before leaves of it.
static const double atan_table[17][2] = {
    {0x0p+0, 0x0p+0},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

#define PI_REST 0x1.1a62633145c07p-53  // pi - TN_PI

// An angle as a sum, for it will be subtracted from a right angle or two.
typedef struct angle {
    double high, low;
} angle;

// x - x^3/3 + x^5/5 and so on without the first term, for |x| up to 1/32.
static double math_trig_atan_rest(double x)
{
    double z = x * x;
    double sum = 1.0 / 13;
    for (int i = 11; i >= 3; i -= 2) sum = 1.0 / i - z * sum;
    return -x * z * sum;
}

// The angle of (x, y) for 0 <= y <= x, x > 0: that of the nearest k / 16, and that between them.
static angle math_trig_eighth(double y, double x)
{
    double k = floor(16 * (y / x) + 0.5), slope = k / 16;
    double between = (y - slope * x) / (x + slope * y);
    const double *known = atan_table[(int)k];
    double small = math_trig_atan_rest(between);
    if (k == 0) return (angle){between, small};
    return (angle){known[0], between + (known[1] + small)};
}

// Bring both numbers, the larger of which is `y` or `x`, where nothing overflows or is lost.
static void math_trig_to_middle(double *y, double *x)
{
    double most = *x > *y ? *x : *y;
    if (most == HUGE_VAL) {
        *x = *x == HUGE_VAL ? 1 : 0;
        *y = *y == HUGE_VAL ? 1 : 0;
    } else if (most > 0x1p900 || most < 0x1p-900) {
        int shift = most > 1 ? -200 : 200;
        *x = ldexp(*x, shift);
        *y = ldexp(*y, shift);
    }
}

double tn_atan2(double y, double x)
{
    if (x != x || y != y) return x + y;
    bool is_left = signbit(x) != 0, is_below = signbit(y) != 0;
    double ax = fabs(x), ay = fabs(y);
    math_trig_to_middle(&ay, &ax);
    angle a = {0, 0};
    if (ax > 0 || ay > 0) a = ay > ax ? math_trig_eighth(ax, ay) : math_trig_eighth(ay, ax);
    if (ay > ax) a = (angle){TN_PI / 2 - a.high, PI_REST / 2 - a.low};
    if (is_left) a = (angle){TN_PI - a.high, PI_REST - a.low};
    double v = a.high + a.low;
    return is_below ? -v : v;
}

static double math_trig_clamp(double x)
{
    if (x > 1) return 1;
    return x < -1 ? -1 : x;
}

double tn_asin(double x)
{
    x = math_trig_clamp(x);
    return tn_atan2(x, sqrt((1 - x) * (1 + x)));
}

// Half the angle has this tangent; near both ends nothing cancels.
double tn_acos(double x)
{
    x = math_trig_clamp(x);
    return 2 * tn_atan2(sqrt(1 - x), sqrt(1 + x));
}
