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

TEST(keys_that_are_far_apart_get_60_or_a_frame_at_every_key)
{
    float at_30[] = {0, 1 / 30.0f, 5 / 30.0f, 100 / 30.0f}, at_24[] = {1 / 24.0f, 2 / 24.0f, 50};
    float at_25[] = {0, 0.04f, 0.12f, 50}, at_144[] = {0, 1 / 144.0f, 99};
    float whole[] = {0, 50}, once[] = {0.123f}, odd[] = {0, 0.1234f, 0.9876f};
    CHECK(rate_of(4, at_30, TENON_LINEAR, 0) == 60);
    CHECK(rate_of(3, at_24, TENON_LINEAR, 0) == 72);
    CHECK(rate_of(4, at_25, TENON_LINEAR, 0) == 75);
    CHECK(rate_of(3, at_144, TENON_STEP, 0) == 60);  // Jumps do not count.
    CHECK(rate_of(2, whole, TENON_LINEAR, 0) == 60);
    CHECK(rate_of(1, once, TENON_LINEAR, 0) == 60);
    double rate = rate_of(3, odd, TENON_LINEAR, 0);
    CHECK(rate >= 60 && rate <= 120);
    float rounded[] = {0, 1.20834f, 1.25001f, 3.70834f};  // At 24 a second, nearly.
    CHECK(rate_of(4, rounded, TENON_LINEAR, 0) == 72);
    CHECK(rate_of(4, at_30, TENON_LINEAR, 24) == 24);
    CHECK(rate_of(4, at_30, TENON_LINEAR, 29.97) == 29.97);
    CHECK(rate_of(4, at_30, TENON_LINEAR, 0.3) == 1);
}

// Times of keys on a grid, rounded to so many parts of a second; 0: to floats alone.
static void fill_grid(float *times, uint32_t count, double rate, double parts)
{
    for (uint32_t i = 0; i < count; i++) {
        double seconds = (i + 1) / rate;
        times[i] = (float)(parts > 0 ? floor(seconds * parts + 0.5) / parts : seconds);
    }
}

TEST(the_rate_is_that_of_the_keys)
{
    static const double rates[] = {15, 20, 23.976, 24, 25, 30, 37.5, 48, 59.94, 60, 100, 144, 240};
    float times[20];
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        fill_grid(times, 20, rates[i], 0);
        double rate = rate_of(20, times, TENON_LINEAR, 0);
        CHECK(fabs(rate - rates[i]) < 1e-3);
        if (floor(2 * rates[i]) == 2 * rates[i]) CHECK(rate == rates[i]);
    }
    fill_grid(times, 20, 14, 0);
    CHECK(rate_of(20, times, TENON_LINEAR, 0) == 70);
    // Some keys may be missing, wherever that is.
    for (uint32_t i = 1; i < 18; i++) {
        fill_grid(times, 20, 30, 0);
        memmove(times + i, times + i + 2, (18 - i) * sizeof *times);
        CHECK(rate_of(18, times, TENON_LINEAR, 0) == 30);
    }
}

// A node that goes there and back, slowly enough for corners between frames to be small.
static double slow_rate_of(uint32_t count, float *times, double step, bool is_common)
{
    mover m;
    float values[64] = {0};
    mover_begin(&m, (double)times[count - 1]);
    for (uint32_t i = 0; i < count; i++) values[3 * i] = (float)(i % 4 < 2 ? step : 0);
    hand_channel(&m.h, 0, TENON_TRANSLATION, count, times, values);
    mover_look(&m);
    double rate = is_common ? tn_common_rate(&m.w.e) : tn_motion_rate(&m.w.e, &m.motion);
    mover_end(&m);
    return rate;
}

TEST(rounded_keys_still_have_their_rate)
{
    static const double rates[] = {24, 25, 30, 37.5, 60};
    float times[20];
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        fill_grid(times, 20, rates[i], 1000);
        CHECK(slow_rate_of(20, times, 1e-3, false) == rates[i]);
    }
    // Faster motion uses the most exact of the multiples and 60, never more.
    fill_grid(times, 20, 37.5, 1e4);
    double rate = slow_rate_of(20, times, 1, false);
    CHECK(rate == 37.5 || rate == 60 || rate == 75 || rate == 112.5);
}

TEST(formats_with_whole_rates_take_a_whole_multiple)
{
    float times[20];
    fill_grid(times, 20, 37.5, 0);
    CHECK(slow_rate_of(20, times, 1, true) == 75);
    fill_grid(times, 20, 24, 0);
    CHECK(slow_rate_of(20, times, 1, true) == 24);
    fill_grid(times, 20, 29.97, 0);
    CHECK(slow_rate_of(20, times, 1e-4, true) == 30);
    fill_grid(times, 20, 33.3, 0);
    CHECK(slow_rate_of(20, times, 1e-4, true) == 60);
}

TEST(clips_with_a_common_rate_have_frames_at_all_keys)
{
    mover m;
    float at_24[12], at_30[20], values[60] = {0};
    fill_grid(at_24, 12, 24, 0);
    fill_grid(at_30, 20, 30, 0);
    for (uint32_t i = 0; i < 20; i++) values[3 * i] = (float)(i % 4 < 2);
    mover_begin(&m, 1);
    hand_channel(&m.h, 0, TENON_TRANSLATION, 20, at_30, values);
    hand_clip(&m.h, "other", 1);
    hand_channel(&m.h, 0, TENON_TRANSLATION, 12, at_24, values);
    mover_look(&m);
    CHECK(tn_motion_rate(&m.w.e, &m.motion) == 30);
    CHECK(tn_common_rate(&m.w.e) == 120);
    mover_end(&m);
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
    CHECK(tn_motion_rate(&m.w.e, &m.motion) == 25);
    mover_end(&m);
}

TEST(texts_say_the_rates)
{
    mover m;
    mover_begin(&m, 1);
    mover_look(&m);
    CHECK_STR(tn_rate_text(&m.w.e, "at", 24, 24), "at 24 frames per second");
    CHECK_STR(tn_rate_text(&m.w.e, "at", 23.976023, 37.5), "at 23.976 to 37.5 frames per second");
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
        CHECK(rate == 60 || rate == 120);
        CHECK(frame_error(&one, &motion, rate) <= 0.05 || rate == 120);
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
    float sizes[18] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1.2f, 1, 1, 0, 0, 0};  // Hardly bent.
    hand_channel(&m.h, 0, TENON_SCALE, 2, times, sizes)->curve = TENON_CUBIC;
    mover_look(&m);
    CHECK(tn_motion_rate(&m.w.e, &m.motion) == 120);
    mover_end(&m);
}

int main(void)
{
    RUN(frames_reach_the_end);
    RUN(keys_that_are_far_apart_get_60_or_a_frame_at_every_key);
    RUN(the_rate_is_that_of_the_keys);
    RUN(rounded_keys_still_have_their_rate);
    RUN(formats_with_whole_rates_take_a_whole_multiple);
    RUN(clips_with_a_common_rate_have_frames_at_all_keys);
    RUN(curves_that_never_change_need_no_frames);
    RUN(texts_say_the_rates);
    RUN(the_error_of_a_rate_is_what_posing_finds);
    RUN(smooth_curves_get_a_rate_that_keeps_the_tolerance);
    RUN(jumps_count_as_errors_but_raise_no_rate);
    TEST_END();
}
