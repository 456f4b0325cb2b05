// test_motion_rate.c: animations as frames at a fixed rate.
// SPDX-License-Identifier: MIT

#include "motion_help.h"

static chain one;

// -- Frames

TEST(frames_reach_the_end)
{
    CHECK(tn_frame_count(0, 60) == 1);
    CHECK(tn_frame_count(1, 60) == 61);
    CHECK(tn_frame_count((double)0.1f, 30) == 4);
    CHECK(tn_frame_count((double)(float)(100 / 60.0), 60) == 101);
    CHECK(tn_frame_count(1.01, 60) == 62);
    CHECK(tn_frame_count(1e300, 60) == UINT32_MAX);
}

static double rate_of(uint32_t count, float *times, tenon_curve curve, double asked)
{
    mover m;
    float values[64] = {0};
    mover_begin(&m, 100);
    for (uint32_t i = 0; i < count; i++) values[3 * i] = (float)(i * i % 5);
    hand_channel(&m.h, 0, TENON_TRANSLATION, count, times, values)->curve = curve;
    mover_look(&m);
    m.w.opts.rate = asked;
    double rate = tn_motion_rate(&m.w.e, &m.motion);
    mover_end(&m);
    return rate;
}

TEST(the_rate_has_a_frame_at_every_key)
{
    float at_30[] = {0, 1 / 30.0f, 5 / 30.0f, 100 / 30.0f}, at_24[] = {1 / 24.0f, 2 / 24.0f, 50};
    float at_25[] = {0, 0.04f, 0.08f, 50}, at_144[] = {0, 1 / 144.0f, 99};
    float whole[] = {0, 50}, once[] = {0.123f};
    CHECK(rate_of(4, at_30, TENON_LINEAR, 0) == 60);
    CHECK(rate_of(3, at_24, TENON_LINEAR, 0) == 72);
    CHECK(rate_of(4, at_25, TENON_LINEAR, 0) == 75);
    CHECK(rate_of(3, at_144, TENON_STEP, 0) == 144);
    CHECK(rate_of(2, whole, TENON_LINEAR, 0) == 60);
    CHECK(rate_of(1, once, TENON_LINEAR, 0) == 60);
    CHECK(rate_of(4, at_30, TENON_LINEAR, 24) == 24);
    CHECK(rate_of(4, at_30, TENON_LINEAR, 0.3) == 1);
}

TEST(curves_that_never_change_need_no_frames)
{
    mover m;
    float times[] = {0, 0.04f, 0.08f}, values[] = {0, 0, 0, 1, 0, 0, 0, 0, 0};
    float odd[] = {0.0123f, 0.0777f}, still[] = {2, 2, 2, 2, 2, 2};
    mover_begin(&m, 1);
    hand_channel(&m.h, 0, TENON_TRANSLATION, 3, times, values);
    hand_channel(&m.h, 0, TENON_SCALE, 2, odd, still);
    mover_look(&m);
    CHECK(tn_motion_rate(&m.w.e, &m.motion) == 75);
    mover_end(&m);
}

TEST(keys_at_odd_times_take_the_lowest_rate_that_keeps_the_tolerance)
{
    float fast[] = {0, 0.041f, 0.083f, 0.125f, 0.167f, 0.208f};
    CHECK(rate_of(6, fast, TENON_LINEAR, 0) == 1000);
    // Slowly enough for the corners not to matter.
    mover m;
    float values[] = {0, 0, 0, 1e-2f, 0, 0, 1e-2f, 0, 0, 3e-2f, 0, 0, 0, 0, 0, 1e-2f, 0, 0};
    mover_begin(&m, 1);
    hand_channel(&m.h, 0, TENON_TRANSLATION, 6, fast, values);
    mover_look(&m);
    CHECK(tn_motion_rate(&m.w.e, &m.motion) == 1000);
    m.w.opts.tolerance = 1e-2;
    CHECK(tn_motion_rate(&m.w.e, &m.motion) == 60);
    m.w.opts.tolerance = 2e-3;
    CHECK(tn_motion_rate(&m.w.e, &m.motion) == 72);
    mover_end(&m);
}

// Every channel of a chain as frames.
static double frame_error(const chain *c, const tn_motion *motion, double rate)
{
    tenon_animation clip = c->animation;
    tn_times frames = {.count = tn_frame_count(clip.duration, rate)};
    frames.at = malloc(frames.count * sizeof *frames.at);
    for (uint32_t i = 0; i < frames.count; i++) frames.at[i] = i / rate;
    clip.channels = malloc(clip.channel_count * sizeof *clip.channels);
    for (uint32_t i = 0; i < clip.channel_count; i++)
        sample_channel(motion, &c->channels[i], &frames, &clip.channels[i]);
    double error = distance_of(&c->scene, &clip, 4000);
    free_channels(&clip);
    free(frames.at);
    return error;
}

TEST(the_error_of_a_rate_is_what_posing_finds)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        writing w;
        tn_motion motion;
        double rate = seed % 2 ? 30 : 120;
        chain_make(&one, 1 + (uint32_t)seed % 5, seed % 3 ? TENON_CUBIC : TENON_LINEAR, seed);
        writing_begin(&w, &one.scene, NULL);
        CHECK(tn_motion_make(&w.e, 0, &motion));
        double said = tn_motion_rate_error(&w.e, &motion, rate);
        double found = frame_error(&one, &motion, rate);
        CHECK(found <= said * 1.25 && said <= found * 3);
        writing_end(&w);
    }
}

TEST(smooth_curves_get_a_rate_that_keeps_the_tolerance)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        writing w;
        tn_motion motion;
        chain_make(&one, 2, TENON_CUBIC, seed);
        writing_begin(&w, &one.scene, NULL);
        w.opts.tolerance = 0.05;
        CHECK(tn_motion_make(&w.e, 0, &motion));
        double rate = tn_motion_rate(&w.e, &motion);
        CHECK(rate >= 60 && rate < 960 && floor(rate / 60) * 60 == rate);
        CHECK(frame_error(&one, &motion, rate) <= 0.05);
        writing_end(&w);
    }
}

TEST(jumps_count_as_errors_but_raise_no_rate)
{
    mover m;
    float times[] = {0, 0.5f}, values[] = {0, 0, 0, 1, 0, 0};
    mover_begin(&m, 1);
    hand_channel(&m.h, 0, TENON_TRANSLATION, 2, times, values)->curve = TENON_STEP;
    mover_look(&m);
    CHECK(tn_motion_rate(&m.w.e, &m.motion) == 60);
    CHECK(hand_near(tn_motion_rate_error(&m.w.e, &m.motion, 60), 1 / sqrt(2), 1e-3));
    mover_end(&m);
    float sizes[18] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1.1f, 1, 1, 0, 0, 0};  // Hardly bent.
    hand_channel(&m.h, 0, TENON_SCALE, 2, times, sizes)->curve = TENON_CUBIC;
    mover_look(&m);
    CHECK(tn_motion_rate(&m.w.e, &m.motion) == 120);
    mover_end(&m);
}

int main(void)
{
    RUN(frames_reach_the_end);
    RUN(the_rate_has_a_frame_at_every_key);
    RUN(curves_that_never_change_need_no_frames);
    RUN(keys_at_odd_times_take_the_lowest_rate_that_keeps_the_tolerance);
    RUN(the_error_of_a_rate_is_what_posing_finds);
    RUN(smooth_curves_get_a_rate_that_keeps_the_tolerance);
    RUN(jumps_count_as_errors_but_raise_no_rate);
    TEST_END();
}
