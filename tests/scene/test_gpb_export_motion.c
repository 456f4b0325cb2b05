// test_gpb_export_motion.c: clips exported as the animations of gameplay bundles.
// SPDX-License-Identifier: MIT

#include "gpb_export_help.h"

static float unit[2] = {0, 1};
static float along_x[6] = {0, 0, 0, 1, 0, 0};
static float turns[8] = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f};
static float grows[6] = {1, 1, 1, 2, 2, 2};

// A stage with two nodes that have meshes.
static void begin(stage *s)
{
    stage_begin(s);
    hand_mesh(&s->h, "mesh_a", hand_node(&s->h, "a", AT_TOP), triangle, 3);
    hand_mesh(&s->h, "mesh_b", hand_node(&s->h, "b", AT_TOP), triangle, 3);
}

static const tenon_gpb_animations *animations_of(const bundle *b)
{
    return &gpb_block(b->doc, TENON_GPB_ANIMATIONS)->body.animations;
}

static void finish(bundle *b, stage *s)
{
    bundle_free(b);
    stage_end(s);
}

// -- Channels

TEST(a_channel_moves_what_moves_and_no_more)
{
    // Scale and rotation alone are two channels.
    const uint32_t want[8] = {0, 9, 8, 16, 1, 18, 1, 17};
    for (uint32_t targets = 1; targets < 8; targets++) {
        stage s;
        bundle b;
        begin(&s);
        hand_clip(&s.h, "go", 1);
        if (targets & 1) hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, along_x);
        if (targets & 2) hand_channel(&s.h, 0, TENON_ROTATION, 2, unit, turns);
        if (targets & 4) hand_channel(&s.h, 0, TENON_SCALE, 2, unit, grows);
        write_stage(&b, &s);
        const tenon_gpb_animations *all = animations_of(&b);
        CHECK(all->animation_count == 1);
        CHECK(all->animations[0].channel_count == (targets == 6 ? 2 : 1));
        CHECK(text_is(all->animations[0].id, "go"));
        const tenon_gpb_channel *c = all->animations[0].channels;
        CHECK(text_is(c->target_id, "a") && c->target_attribute == want[targets]);
        if (targets == 6) CHECK(c[1].target_attribute == 8);
        CHECK(c->key_times.count == 2 && gpb_u32_at(&c->key_times, 1) == 1000);
        CHECK(c->interpolations.count == 1 && gpb_u32_at(&c->interpolations, 0) == 1);
        CHECK(is_same_pose(&b));
        finish(&b, &s);
    }
}

// Scale, rotation, translation.
TEST(the_numbers_of_a_key_are_in_order)
{
    stage s;
    bundle b;
    begin(&s);
    hand_clip(&s.h, "go", 1);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, along_x);
    hand_channel(&s.h, 0, TENON_ROTATION, 2, unit, turns);
    hand_channel(&s.h, 0, TENON_SCALE, 2, unit, grows);
    write_stage(&b, &s);
    const tenon_span *values = &animations_of(&b)->animations[0].channels[0].values;
    const float want[10] = {2, 2, 2, 0, 0, 0.70710678f, 0.70710678f, 1, 0, 0};
    CHECK(values->count == 20);
    for (uint32_t i = 0; i < 10; i++) CHECK(close_to(gpb_f32_at(values, 10 + i), want[i], 1e-7));
    finish(&b, &s);
}

// The engine stretches each channel over the whole animation.
TEST(every_channel_lasts_as_long_as_its_clip)
{
    float late[2] = {0.25f, 0.5f};
    stage s;
    bundle b;
    begin(&s);
    hand_clip(&s.h, "go", 2);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, along_x);
    hand_channel(&s.h, 1, TENON_TRANSLATION, 2, late, along_x);
    write_stage(&b, &s);
    const uint32_t want[2][4] = {{0, 1000, 2000}, {0, 250, 500, 2000}};
    for (uint32_t i = 0; i < 2; i++) {
        const tenon_span *times = &animations_of(&b)->animations[0].channels[i].key_times;
        CHECK(times->count == 3 + i);
        for (uint32_t k = 0; k < 3 + i; k++) CHECK(gpb_u32_at(times, k) == want[i][k]);
    }
    CHECK(b.scene->animations[0].duration == 2 && is_same_pose(&b));
    finish(&b, &s);
}

// The engine interpolates linearly, so a jump has a key just before it.
TEST(jumps_are_jumps_for_all_readers)
{
    float times[3] = {0, 0.1f, 0.5f}, values[9] = {0, 0, 0, 5, 0, 0, 7, 0, 0};
    stage s;
    bundle b;
    begin(&s);
    hand_clip(&s.h, "go", 1);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 3, times, values)->curve = TENON_STEP;
    hand_channel(&s.h, 0, TENON_ROTATION, 2, unit, turns);
    write_stage(&b, &s);
    const tenon_gpb_animation *a = animations_of(&b)->animations;
    CHECK(a->channel_count == 2);
    CHECK(a->channels[0].target_attribute == 8 && a->channels[1].target_attribute == 9);
    CHECK(gpb_u32_at(&a->channels[1].interpolations, 0) == 6);
    const uint32_t want[6] = {0, 99, 100, 499, 500, 1000};
    const float x[6] = {0, 0, 5, 5, 7, 7};
    CHECK(a->channels[1].key_times.count == 6);
    for (uint32_t i = 0; i < 6 && a->channels[1].key_times.count == 6; i++) {
        CHECK(gpb_u32_at(&a->channels[1].key_times, i) == want[i]);
        CHECK(gpb_f32_at(&a->channels[1].values, 3 * i) == x[i]);
    }
    CHECK(channel_of(b.scene, 0, "a", TENON_TRANSLATION)->curve == TENON_STEP);
    CHECK(is_same_pose(&b));
    finish(&b, &s);
}

TEST(curves_become_lines_within_the_tolerance)
{
    float values[18] = {0, 0, 0, 0, 0, 0, 9, 0, 0, 9, 0, 0, 1, 0, 0, 0, 0, 0};
    stage s;
    bundle b;
    begin(&s);
    hand_clip(&s.h, "go", 1);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, values)->curve = TENON_CUBIC;
    write_stage(&b, &s);
    CHECK(lost_count(&b.lost, "curves") == 1);
    CHECK(b.proof.largest <= 1e-4 && b.proof.largest > 0);
    CHECK(animations_of(&b)->animations[0].channels[0].key_times.count > 10);
    finish(&b, &s);
}

TEST(keys_between_milliseconds_are_reported)
{
    float times[3] = {0, 1.0f / 3, 1}, values[9] = {0, 0, 0, 5, 0, 0, 0, 0, 0};
    stage s;
    bundle b;
    begin(&s);
    hand_clip(&s.h, "go", 1.0001);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 3, times, values);
    write_stage(&b, &s);
    CHECK(lost_count(&b.lost, "times of keys") == 1);
    CHECK(lost_count(&b.lost, "lengths of clips") == 1);
    CHECK(b.proof.largest > 0 && b.proof.largest < 0.01);
    finish(&b, &s);
}

// A matrix does not say which of its axes were mirrored.
TEST(mirrored_nodes_have_full_channels)
{
    stage s;
    bundle b;
    begin(&s);
    s.h.nodes[0].scale[1] = -2;
    hand_clip(&s.h, "go", 1);
    hand_channel(&s.h, 0, TENON_ROTATION, 2, unit, turns);
    write_stage(&b, &s);
    CHECK(animations_of(&b)->animations[0].channels[0].target_attribute == 17);
    CHECK(lost_count(&b.lost, "channels") == 1 && is_same_pose(&b));
    finish(&b, &s);
}

// -- Clips

TEST(clips_of_one_length_stay_apart)
{
    stage s;
    bundle b;
    begin(&s);
    hand_clip(&s.h, "left", 1);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, along_x);
    hand_clip(&s.h, "right", 1);
    hand_channel(&s.h, 1, TENON_TRANSLATION, 2, unit, along_x);
    write_stage(&b, &s);
    CHECK(b.scene->animation_count == 2 && is_same_pose(&b));
    CHECK(clip_named(b.scene, "left") == 0 && clip_named(b.scene, "right") == 1);
    CHECK(lost_count(&b.lost, "channels") == 1);
    CHECK(animations_of(&b)->animations[0].channel_count == 1);
    CHECK(animations_of(&b)->animations[1].channel_count == 2);
    finish(&b, &s);
}

TEST(clips_that_move_the_same_are_left_alone)
{
    stage s;
    bundle b;
    begin(&s);
    hand_clip(&s.h, "one", 1);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, along_x);
    hand_clip(&s.h, "two", 1);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, along_x);
    hand_clip(&s.h, "three", 3);
    hand_channel(&s.h, 1, TENON_ROTATION, 2, unit, turns);
    write_stage(&b, &s);
    CHECK(b.scene->animation_count == 3 && is_same_pose(&b));
    CHECK(lost_count(&b.lost, "channels") == 0);
    CHECK(b.scene->animations[clip_named(b.scene, "three")].duration == 3);
    finish(&b, &s);
}

// A single moment, or nothing at all, is a clip, too; but the engine divides by its length.
TEST(clips_without_length_or_motion_are_kept)
{
    stage s;
    bundle b;
    begin(&s);
    hand_clip(&s.h, "a", 0);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 1, unit, along_x + 3);
    hand_clip(&s.h, "walk", 1);
    hand_channel(&s.h, 1, TENON_TRANSLATION, 2, unit, along_x);
    hand_clip(&s.h, "wait", 1.5);
    write_stage(&b, &s);
    CHECK(b.scene->animation_count == 3 && is_same_pose(&b));
    CHECK(b.scene->animations[clip_named(b.scene, "a")].duration == (double)0.001f);
    CHECK(lost_count(&b.lost, "lengths of clips") == 1);
    CHECK(b.scene->animations[clip_named(b.scene, "wait")].duration == 1.5);
    finish(&b, &s);
}

TEST(clips_without_nodes_are_lost)
{
    stage s;
    bundle b;
    stage_begin(&s);
    hand_clip(&s.h, "wait", 1);
    write_stage(&b, &s);
    CHECK(b.doc->block_count == 1 && lost_count(&b.lost, "animations") == 1);
    CHECK(!has_id(b.doc, "__Animations__"));
    finish(&b, &s);
}

TEST(nodes_may_have_separate_animations)
{
    stage s;
    bundle b;
    begin(&s);
    hand_clip(&s.h, "go", 1);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, along_x);
    hand_channel(&s.h, 1, TENON_TRANSLATION, 2, unit, along_x);
    hand_channel(&s.h, 0, TENON_ROTATION, 2, unit, turns)->curve = TENON_STEP;
    write_with(&b, &s.h.scene, (tenon_export_opts){.grouping = TENON_GROUP_NODES});
    CHECK(b.is_written);
    const tenon_gpb_animations *all = animations_of(&b);
    CHECK(all->animation_count == 2);
    CHECK(all->animations[0].channel_count == 2 && all->animations[1].channel_count == 1);
    CHECK(text_is(all->animations[0].id, "go") && text_is(all->animations[1].id, "go"));
    CHECK(b.scene->animation_count == 1 && is_same_pose(&b));
    finish(&b, &s);
}

TEST(names_of_clips_are_unique)
{
    stage s;
    bundle b;
    begin(&s);
    for (int i = 0; i < 3; i++) {
        hand_clip(&s.h, i == 2 ? "" : "go", 1 + i);
        hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, along_x);
    }
    write_stage(&b, &s);
    CHECK(clip_named(b.scene, "go") == 0 && clip_named(b.scene, "go_2") == 1);
    CHECK(clip_named(b.scene, "animation") == 2 && lost_count(&b.lost, "names") == 1);
    CHECK(lost_count(&b.lost, "names of clips") == 1);
    finish(&b, &s);
}

TEST(events_are_reported_and_clips_of_weeks_are_refused)
{
    tenon_event event = {0.5, {"step", 4}};
    stage s;
    bundle b;
    begin(&s);
    tenon_animation *clip = hand_clip(&s.h, "go", 1);
    hand_channel(&s.h, 0, TENON_TRANSLATION, 2, unit, along_x);
    clip->event_count = 1;
    clip->events = &event;
    write_stage(&b, &s);
    CHECK(lost_count(&b.lost, "events") == 1);
    bundle_free(&b);
    clip->duration = 2e6;
    write_with(&b, &s.h.scene, (tenon_export_opts){0});
    CHECK(!b.is_written && b.err.code == TENON_ERR_LIMIT);
    finish(&b, &s);
}

int main(void)
{
    RUN(a_channel_moves_what_moves_and_no_more);
    RUN(the_numbers_of_a_key_are_in_order);
    RUN(every_channel_lasts_as_long_as_its_clip);
    RUN(jumps_are_jumps_for_all_readers);
    RUN(curves_become_lines_within_the_tolerance);
    RUN(keys_between_milliseconds_are_reported);
    RUN(mirrored_nodes_have_full_channels);
    RUN(clips_of_one_length_stay_apart);
    RUN(clips_that_move_the_same_are_left_alone);
    RUN(clips_without_length_or_motion_are_kept);
    RUN(clips_without_nodes_are_lost);
    RUN(nodes_may_have_separate_animations);
    RUN(names_of_clips_are_unique);
    RUN(events_are_reported_and_clips_of_weeks_are_refused);
    TEST_END();
}
