// test_motion_curve.c: how curves bend, and how far their errors propagate.
// SPDX-License-Identifier: MIT

#include "exchange/clips/motion_curve.h"
#include "motion_help.h"
#include "scene/pose/pose.h"

// -- Bounds

// The error of a line between two points of a cubic curve, measured in many places.
static double found_miss(const tenon_channel *c, double from, double to)
{
    double a[4], b[4], there[4], between[4], most = 0;
    double start = (double)c->times[0], length = (double)c->times[1] - start;
    tn_channel_sample(c, start + from * length, a);
    tn_channel_sample(c, start + to * length, b);
    for (uint32_t i = 1; i < 64; i++) {
        double share = i / 64.0;
        tn_channel_sample(c, start + (from + share * (to - from)) * length, there);
        tn_value_between(c->target, a, b, share, between);
        double miss = tn_value_distance(c->target, there, between);
        if (miss > most) most = miss;
    }
    return most;
}

// Rotations of all speeds, including those near 0, where a quaternion has no direction.
TEST(no_line_has_a_larger_error_than_computed)
{
    uint64_t state = 3;
    double tightest = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        float times[] = {0.5f, 0.5f + (float)(0.01 + 2 * hand_random(&state))}, values[24];
        tenon_channel c = {.target = i % 2 ? TENON_ROTATION : TENON_TRANSLATION,
                           .curve = TENON_CUBIC,
                           .key_count = 2,
                           .times = times,
                           .values = values};
        double wildness = hand_random(&state) * 8;
        for (uint32_t k = 0; k < 24; k++) values[k] = (float)chain_number(&state, wildness);
        tn_cubic_segment segment = tn_segment_make(&c, 0);
        double size = hand_random(&state), from = hand_random(&state) * (1 - size * size);
        double said = tn_segment_error(&segment, from, from + size * size);
        double found = found_miss(&c, from, from + size * size);
        CHECK(found <= said + 1e-12);
        if (found > 1e-4 && found / said > tightest) tightest = found / said;
    }
    CHECK(tightest > 0.9);
}

TEST(rotations_of_opposite_sign_are_the_same)
{
    const double q[4] = {0.5, -0.5, 0.5, 0.5}, r[4] = {-0.5, 0.5, -0.5, -0.5};
    const double x[4] = {1, 0, 0, 0}, w[4] = {0, 0, 0, 1};
    CHECK(tn_value_distance(TENON_ROTATION, q, r) == 0);
    CHECK(hand_near(tn_value_distance(TENON_ROTATION, x, w), TN_PI, 1e-12));
    CHECK(hand_near(tn_value_distance(TENON_SCALE, x, w), 1, 1e-12));
    // An even rotation whose keys change their signs has no corners: the nearer tick is used.
    mover m;
    float times[] = {0, 0.5004f, 1.0008f}, values[12];
    for (int i = 0; i < 3; i++) {
        double sign = i > 0 ? -1 : 1;
        values[4 * i] = values[4 * i + 2] = 0;
        values[4 * i + 1] = (float)(sign * tn_sin(i * 0.3));
        values[4 * i + 3] = (float)(sign * tn_cos(i * 0.3));
    }
    mover_begin(&m, 2);
    hand_channel(&m.h, 0, TENON_ROTATION, 3, times, values);
    mover_look(&m);
    mover_times(&m, TN_MOVES_ALL, 1000);
    CHECK(has_times(&m, TIMES(0, 500, 1000, 1001), 1000));
    mover_end(&m);
}

TEST(curves_go_no_farther_than_computed)
{
    uint64_t state = 11;
    for (uint32_t i = 0; i < 1000; i++) {
        float times[] = {0, 1, 3}, values[27];
        tenon_channel c = {.target = i % 2 ? TENON_SCALE : TENON_TRANSLATION,
                           .curve = (tenon_curve)(i % 3),
                           .key_count = 3,
                           .times = times,
                           .values = values};
        double most = 0, said;
        for (uint32_t k = 0; k < 27; k++) values[k] = (float)chain_number(&state, 2);
        for (uint32_t k = 0; k <= 300; k++) {
            double v[4];
            tn_channel_sample(&c, k / 100.0, v);
            double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
            most = fmax(most, i % 2 ? largest : tn_vec3_length((tn_vec3){v[0], v[1], v[2]}));
        }
        said = tn_channel_max(&c);
        CHECK(most <= said + 1e-12 && said < 1.1 * most + 0.1);
    }
}

// -- Few samples

TEST(a_curve_that_bends_nowhere_needs_no_samples)
{
    mover m;
    mover_begin(&m, 2);
    float times[] = {0, 2}, values[] = {0, 0, 0, 1, 0, 0, 3, 0, 0, 3, 0, 0, 7, 0, 0, 0, 0, 0};
    hand_channel(&m.h, 0, TENON_TRANSLATION, 2, times, values)->curve = TENON_CUBIC;
    mover_look(&m);
    mover_times(&m, TN_MOVES_ALL, 0);
    CHECK(has_times(&m, TIMES(0, 2), 0));
    values[6] = 0;  // Starts slowly.
    mover_times(&m, TN_MOVES_ALL, 0);
    CHECK(m.times.count > 20 && m.times.count < 500);
    CHECK(m.times.at[0] == 0 && m.times.at[m.times.count - 1] == 2);
    mover_end(&m);
}

// A cubic curve that rotates at constant speed, so that its acceleration is all towards the axis.
TEST(an_even_rotation_needs_few_samples)
{
    mover m;
    mover_begin(&m, 1);
    float times[] = {0, 1}, values[24] = {0};
    for (int i = 0; i < 2; i++) {
        double angle = i * 0.5;
        values[12 * i + 4 + 2] = (float)tn_sin(angle),
                            values[12 * i + 4 + 3] = (float)tn_cos(angle);
        for (int side = 0; side <= 8; side += 8) {
            values[12 * i + side + 2] = (float)(0.5 * tn_cos(angle));
            values[12 * i + side + 3] = (float)(-0.5 * tn_sin(angle));
        }
    }
    hand_channel(&m.h, 0, TENON_ROTATION, 2, times, values)->curve = TENON_CUBIC;
    mover_look(&m);
    mover_times(&m, TN_MOVES_ALL, 0);
    CHECK(m.times.count < 40);
    mover_end(&m);
}

// -- Leverage

// A root that doubles what is below it, and an arm 3 long that a clip makes longer.
TEST(errors_propagate_along_the_chain_and_its_scales)
{
    mover m;
    mover_begin(&m, 1);
    uint32_t arm = hand_node(&m.h, "arm", 0), leaf = hand_node(&m.h, "leaf", arm);
    // What is after the third corner is not part of the triangle.
    float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1e6f, 1e6f, 1e6f};
    m.h.primitives[0].positions = corners;
    CHECK(m.h.primitives[0].vertex_count == 3);
    m.h.nodes[0].mesh = TENON_NONE;
    m.h.nodes[leaf].mesh = 0;
    m.h.nodes[arm].translation[1] = 3;
    m.h.nodes[leaf].translation[2] = 1;
    m.h.nodes[leaf].scale[0] = -5;
    float times[] = {0, 1}, sizes[] = {1, 1, 1, 1, -2, 1}, places[] = {0, 3, 0, 0, 4, 0};
    float turns[] = {0, 0, 0, 1, 0, 0, 1, 0}, still[] = {0, 0, 1, 0, 0, 1};
    hand_channel(&m.h, 0, TENON_SCALE, 2, times, sizes);
    hand_channel(&m.h, arm, TENON_TRANSLATION, 2, times, places);
    hand_channel(&m.h, arm, TENON_ROTATION, 2, times, turns);
    hand_channel(&m.h, leaf, TENON_TRANSLATION, 2, times, still);
    mover_look(&m);
    // The triangle goes from 0 to 1 along x and y, so it is sqrt(2) from its node at most, in a
    // box.
    double leaf_reach = sqrt(2), arm_reach = 1 + 5 * leaf_reach, root_reach = 4 + arm_reach;
    double diagonal = sqrt(26);
    const double wanted[9] = {1, 2 * root_reach,  root_reach,    2, 2 * arm_reach, 2 * arm_reach,
                              2, 10 * leaf_reach, 2 * leaf_reach};
    CHECK(hand_near(levers_of(&m)->diagonal, diagonal, 1e-6));
    for (uint32_t i = 0; i < 9; i++)
        CHECK(hand_near(levers_of(&m)->leverage[i], wanted[i] / diagonal, 1e-6));
    // Three channels move on the way from the root to the leaf; the leaf's own does not.
    for (uint32_t i = 0; i < 3; i++) CHECK(hand_near(levers_of(&m)->slack[i], 1e-4 / 2 / 3, 1e-12));
    mover_end(&m);
}

int main(void)
{
    RUN(a_curve_that_bends_nowhere_needs_no_samples);
    RUN(an_even_rotation_needs_few_samples);
    RUN(no_line_has_a_larger_error_than_computed);
    RUN(rotations_of_opposite_sign_are_the_same);
    RUN(curves_go_no_farther_than_computed);
    RUN(errors_propagate_along_the_chain_and_its_scales);
    TEST_END();
}
