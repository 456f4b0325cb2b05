// test_math_trig.c: sine, cosine and their inverses, against those of the system.
// SPDX-License-Identifier: MIT

#include "math_help.h"

// The system's functions may be off by one unit themselves.

TEST(sine_and_cosine_agree_with_the_system)
{
    double worst = 0, worst_ulps = 0;
    for (int i = 0; i < 200000; i++) {
        double x = random_in(-4 * TN_PI, 4 * TN_PI);
        if (i % 4 == 1) x = random_in(-1.6e6, 1.6e6);
        if (i % 4 == 2) x = ldexp(x, -i % 60);
        if (i % 4 == 3) x = floor(random_in(-1e6, 1e6)) * (TN_PI / 2);
        worst = fmax(worst, fabs(tn_sin(x) - sin(x)));
        worst = fmax(worst, fabs(tn_cos(x) - cos(x)));
        worst_ulps = fmax(worst_ulps, ulps(tn_sin(x), sin(x)));
        worst_ulps = fmax(worst_ulps, ulps(tn_cos(x), cos(x)));
    }
    CHECK(worst < 3e-16);
    CHECK(worst_ulps <= 2);
}

TEST(sine_and_cosine_of_huge_angles_stay_near)
{
    for (int i = 0; i < 2000; i++) {
        double x = ldexp(random_in(1, 2), i % 30 + 20) * (i % 2 ? -1 : 1);
        double last = nextafter(fabs(x), HUGE_VAL) - fabs(x);
        CHECK(fabs(tn_sin(x) - sin(x)) < last && fabs(tn_cos(x) - cos(x)) < last);
    }
    for (int e = 50; e < 1024; e++) {
        double s = tn_sin(ldexp(1, e)), c = tn_cos(ldexp(-1, e));
        CHECK(fabs(s * s + c * c - 1) < 1e-15);
    }
    CHECK(fabs(tn_sin(DBL_MAX)) <= 1 && fabs(tn_cos(-DBL_MAX)) <= 1);
}

TEST(sine_and_cosine_of_special_values)
{
    CHECK(tn_sin(0) == 0 && tn_cos(0) == 1 && tn_cos(-0.0) == 1);
    CHECK(tn_sin(TN_PI / 2) == 1 && tn_cos(TN_PI) == -1 && tn_sin(-TN_PI / 2) == -1);
    CHECK(tn_sin(TN_PI) == sin(TN_PI) && tn_cos(TN_PI / 2) == cos(TN_PI / 2));
    CHECK(tn_sin(DBL_MIN) == DBL_MIN && tn_sin(-DBL_TRUE_MIN) == -DBL_TRUE_MIN);
    CHECK(isnan(tn_sin(NAN)) && isnan(tn_cos(HUGE_VAL)) && isnan(tn_sin(-HUGE_VAL)));
    for (int i = 0; i < 1000; i++) {
        double x = random_in(-50, 50);
        CHECK(tn_sin(-x) == -tn_sin(x) && tn_cos(-x) == tn_cos(x));
    }
}

TEST(arc_functions_agree_with_the_system)
{
    double worst = 0;
    for (int i = 0; i < 100000; i++) {
        double x = random_in(-1, 1), y = random_in(-1, 1);
        if (i % 3 == 1) x = (x > 0 ? 1 : -1) * (1 - ldexp(fabs(x), -i % 50));
        if (i % 3 == 2) x = ldexp(x, -i % 60);
        worst = fmax(worst, fmax(ulps(tn_asin(x), asin(x)), ulps(tn_acos(x), acos(x))));
        worst = fmax(worst, ulps(tn_atan2(y, x), atan2(y, x)));
        double wide_y = ldexp(y, i % 2000 - 1000), wide_x = ldexp(x, i * 7 % 2000 - 1000);
        worst = fmax(worst, ulps(tn_atan2(wide_y, wide_x), atan2(wide_y, wide_x)));
    }
    CHECK(worst <= 4);
}

TEST(arc_functions_of_special_values)
{
    static const double some[] = {0.0,     1.0,          0.5,    2.0,   DBL_MAX,
                                  DBL_MIN, DBL_TRUE_MIN, 1e-300, 1e300, HUGE_VAL};
    int count = (int)(sizeof some / sizeof *some);
    for (int i = 0; i < 4 * count * count; i++) {
        double y = some[i / 4 % count] * (i % 2 ? -1 : 1);
        double x = some[i / 4 / count] * (i / 2 % 2 ? -1 : 1);
        double got = tn_atan2(y, x), want = atan2(y, x);
        CHECK(ulps(got, want) <= 2 && signbit(got) == signbit(want));
    }
    CHECK(isnan(tn_atan2(NAN, 1)) && isnan(tn_atan2(1, NAN)));
    CHECK(tn_asin(1) == TN_PI / 2 && tn_asin(-1) == -TN_PI / 2 && tn_asin(0) == 0);
    CHECK(tn_acos(1) == 0 && tn_acos(-1) == TN_PI && tn_acos(0) == TN_PI / 2);
    CHECK(tn_acos(1.5) == 0 && tn_acos(-HUGE_VAL) == TN_PI && tn_asin(2) == TN_PI / 2);
    CHECK(isnan(tn_acos(NAN)) && isnan(tn_asin(NAN)));
}

TEST(degrees_and_radians)
{
    CHECK(tn_radians(180) == TN_PI && tn_radians(-90) == -TN_PI / 2 && tn_radians(0) == 0);
    CHECK(tn_degrees(TN_PI) == 180 && tn_degrees(TN_PI / 2) == 90);
    for (int i = -720; i <= 720; i++) CHECK(ulps(tn_degrees(tn_radians(i)), i) <= 1);
}

int main(void)
{
#ifdef _WIN32
    SKIP(sine_and_cosine_agree_with_the_system, "those of Windows are less exact");
#else
    RUN_SEEDED(sine_and_cosine_agree_with_the_system);
#endif
    RUN_SEEDED(sine_and_cosine_of_huge_angles_stay_near);
    RUN_SEEDED(sine_and_cosine_of_special_values);
    RUN_SEEDED(arc_functions_agree_with_the_system);
    RUN_SEEDED(arc_functions_of_special_values);
    RUN_SEEDED(degrees_and_radians);
    TEST_END();
}
