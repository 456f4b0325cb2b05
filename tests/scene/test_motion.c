// test_motion.c: sampled animations: exact where they are linear, within the tolerance elsewhere.
// SPDX-License-Identifier: MIT

#include "motion_help.h"

// -- Where nodes are

TEST(a_motion_at_rest_moves_nothing)
{
    mover m;
    mover_begin(&m, 1);
    m.h.nodes[0].translation[1] = 3;
    m.h.nodes[0].rotation[2] = 0.6, m.h.nodes[0].rotation[3] = 0.8;
    float times[] = {0, 1}, values[] = {1, 1, 1, 2, 2, 2};
    hand_channel(&m.h, 0, TENON_SCALE, 2, times, values);
    mover_look(&m);
    tn_motion rest;
    CHECK(tn_motion_make(&m.w.e, TENON_NONE, &rest));
    CHECK(rest.duration == 0 && tn_motion_moves(&rest, 0) == 0);
    tn_trs local = tn_motion_local(&rest, 0, 0.5);
    CHECK(local.translation.y == 3 && local.rotation.z == 0.6 && local.scale.x == 1);
    CHECK(tn_motion_moves(&m.motion, 0) == TN_MOVES_SCALE);
    local = tn_motion_local(&m.motion, 0, 0.5);
    CHECK(local.translation.y == 3 && local.scale.x == 1.5);
    CHECK(tn_motion_times(&m.w.e, &rest, 0, TN_MOVES_ALL, 0, &m.times));
    CHECK(has_times(&m, TIMES(0), 0));
    CHECK(tn_motion_times(&m.w.e, &m.motion, 0, TN_MOVES_ROTATION, 1000, &m.times));
    CHECK(has_times(&m, TIMES(0), 0));
    CHECK(tn_motion_rate(&m.w.e, &rest) == 60 && tn_motion_rate_error(&m.w.e, &rest, 60) == 0);
    mover_end(&m);
}

TEST(matrices_are_split)
{
    mover m;
    mover_begin(&m, 1);
    const double matrix[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1};
    m.h.nodes[0].has_matrix = true;
    memcpy(m.h.nodes[0].matrix, matrix, sizeof matrix);
    mover_look(&m);
    tn_trs local = tn_motion_local(&m.motion, 0, 0);
    tn_mat4 again = tn_mat4_from_trs(&local);
    for (int i = 0; i < 16; i++) CHECK(hand_near(again.m[i], matrix[i], 1e-12));
    mover_end(&m);
}

// -- Linear curves

static float uneven[] = {0.1f, 0.25f, 0.7000001f, 1.9f};
static float steps[] = {0, 0, 0, 1, 0, 0, -1, 0, 0, 4, 0, 0};

TEST(linear_curves_are_sampled_at_their_keys)
{
    mover m;
    mover_begin(&m, 2);
    float turns[] = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f};
    hand_channel(&m.h, 0, TENON_TRANSLATION, 4, uneven, steps);
    hand_channel(&m.h, 0, TENON_ROTATION, 2, (float[]){0.25f, 1.5f}, turns);
    mover_look(&m);
    mover_times(&m, TN_MOVES_TRANSLATION, 0);
    CHECK(has_times(&m, TIMES(0.1f, 0.25f, 0.7000001f, 1.9f), 0));
    for (uint32_t i = 0; i < 4; i++) CHECK(place_at(&m, m.times.at[i]) == (double)steps[3 * i]);
    mover_times(&m, TN_MOVES_ALL, 0);
    CHECK(has_times(&m, TIMES(0.1f, 0.25f, 0.7000001f, 1.5, 1.9f), 0));
    mover_times(&m, TN_MOVES_SCALE, 0);
    CHECK(has_times(&m, TIMES(0), 0));
    mover_end(&m);
}

// -- Ticks

TEST(keys_at_ticks_stay_there_with_their_values)
{
    enum { COUNT = 2000 };
    static float times[COUNT], values[3 * COUNT];
    mover m;
    mover_begin(&m, 14);
    for (uint32_t i = 0; i < COUNT; i++) {
        times[i] = (float)(i * 7 / 1000.0);
        values[3 * i] = (float)((i * 7919) % 1000) / 7;
    }
    hand_channel(&m.h, 0, TENON_TRANSLATION, COUNT, times, values);
    mover_look(&m);
    mover_times(&m, TN_MOVES_ALL, 1000);
    CHECK(m.times.count == COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK(m.times.at[i] == i * 7 / 1000.0);
        CHECK(place_at(&m, m.times.at[i]) == (double)values[3 * i]);
    }
    mover_end(&m);
}

TEST(a_key_between_ticks_becomes_two_unless_it_is_on_a_line)
{
    mover m;
    mover_begin(&m, 3);
    float times[] = {0, 0.9996f, 2.0004f, 2.5f, 2.5000005f, 3};
    float values[] = {0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0, 6, 0, 0, 6, 0, 0};
    hand_channel(&m.h, 0, TENON_TRANSLATION, 6, times, values);
    mover_look(&m);
    mover_times(&m, TN_MOVES_ALL, 1000);
    CHECK(has_times(&m, TIMES(0, 999, 1000, 2000, 2001, 2500, 3000), 1000));
    // All on one line: the nearer tick is as good as the key.
    for (uint32_t i = 0; i < 6; i++) values[3 * i] = times[i] - times[0];
    values[15] = 3;
    mover_times(&m, TN_MOVES_ALL, 1000);
    CHECK(has_times(&m, TIMES(0, 1000, 2000, 2500, 3000), 1000));
    mover_end(&m);
}

TEST(coarse_ticks_merge_keys)
{
    enum { COUNT = 100 };
    float times[COUNT], values[3 * COUNT] = {0};
    mover m;
    mover_begin(&m, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        times[i] = (float)i / COUNT, values[3 * i] = (float)(i % 2);
    hand_channel(&m.h, 0, TENON_TRANSLATION, COUNT, times, values);
    mover_look(&m);
    mover_times(&m, TN_MOVES_ALL, 10);
    CHECK(has_times(&m, TIMES(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 10));
    mover_end(&m);
}

// -- Steps

TEST(jumps_have_a_moment_before_them)
{
    mover m;
    mover_begin(&m, 2000);
    float times[] = {0.1f, 0.25f, 0.7000001f, 1900};
    hand_channel(&m.h, 0, TENON_TRANSLATION, 4, times, steps)->curve = TENON_STEP;
    mover_look(&m);
    mover_times(&m, TN_MOVES_ALL, 0);
    CHECK(m.times.count == 7);
    CHECK(m.times.at[0] == (double)times[0]);
    for (uint32_t i = 1; i < 4 && m.times.count == 7; i++) {
        double before = m.times.at[2 * i - 1], at = m.times.at[2 * i];
        CHECK(at == (double)times[i] && before < at && before > at * (1 - 1e-6) - 1e-5);
        CHECK((float)(before * 24) < (float)(at * 24));  // As other units round them.
        CHECK(place_at(&m, before) == (double)steps[3 * i - 3]);
        CHECK(place_at(&m, at) == (double)steps[3 * i]);
    }
    mover_end(&m);
}

// Ticks whose floats are below and above them, keys that are a little late, and keys between.
TEST(jumps_at_ticks_are_over_at_the_tick)
{
    enum { COUNT = 400 };
    static float times[COUNT], values[3 * COUNT];
    uint64_t state = 5;
    mover m;
    mover_begin(&m, 100);
    for (uint32_t i = 0; i < COUNT; i++) {
        double off = i % 3 == 0 ? 0 : i % 3 == 1 ? chain_number(&state, 2e-6) : hand_random(&state);
        times[i] = (float)fabs((i * 31 + (i % 3 == 2 ? off : off * 1000)) / 1000.0);
        values[3 * i] = (float)i;
    }
    hand_channel(&m.h, 0, TENON_TRANSLATION, COUNT, times, values)->curve = TENON_STEP;
    mover_look(&m);
    mover_times(&m, TN_MOVES_ALL, 1000);
    // Between adjacent ticks there is a jump; between all others nothing happens.
    uint32_t jumps = 0;
    for (uint32_t i = 1; i < m.times.count; i++) {
        double from = place_at(&m, m.times.at[i - 1]), to = place_at(&m, m.times.at[i]);
        bool is_next = m.times.at[i] - m.times.at[i - 1] < 1.5e-3;
        CHECK(is_next ? to - from == 1 : to == from);
        jumps += is_next;
    }
    CHECK(jumps == COUNT - 1);
    mover_end(&m);
}

// -- Tolerance

// Sample a chain, with times for each channel or, `together`, for each node.
static double sampled_error(const chain *c, double tolerance, double ticks, bool together,
                            uint64_t *keys)
{
    writing w;
    tn_motion motion;
    tenon_animation clip = c->animation;
    clip.channels = malloc(clip.channel_count * sizeof *clip.channels);
    *keys = 0;
    writing_begin(&w, &c->scene, NULL);
    w.opts.tolerance = tolerance;
    CHECK(tn_motion_make(&w.e, 0, &motion));
    for (uint32_t i = 0; i < clip.channel_count; i++) {
        const tenon_channel *from = &c->channels[i];
        tn_times times;
        uint32_t targets = together ? TN_MOVES_ALL : 1u << from->target;
        CHECK(tn_motion_times(&w.e, &motion, from->node, targets, ticks, &times));
        sample_channel(&motion, from, &times, &clip.channels[i]);
        *keys += times.count;
    }
    double error = distance_of(&c->scene, &clip, 4000);
    free_channels(&clip);
    writing_end(&w);
    return error;
}

static chain one;

TEST(linear_curves_are_exact_to_the_rounding_of_floats)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t keys, given = 0;
        chain_make(&one, 6, TENON_LINEAR, seed);
        for (uint32_t i = 0; i < one.animation.channel_count; i++)
            given += one.channels[i].key_count;
        CHECK(sampled_error(&one, 1e-4, 0, false, &keys) < 1e-6);
        CHECK(keys == given);
        CHECK(sampled_error(&one, 1e-4, 0, true, &keys) < 1e-6);
    }
}

TEST(cubic_curves_keep_the_tolerance_along_chains)
{
    static const struct {
        uint32_t nodes;
        double tolerance;
        uint64_t seeds;
    } cases[] = {{1, 1e-4, 20}, {1, 1e-2, 20}, {3, 1e-3, 10}, {3, 1e-4, 4}, {12, 1e-2, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 1; seed <= cases[i].seeds; seed++) {
            uint64_t keys, more;
            chain_make(&one, cases[i].nodes, TENON_CUBIC, seed);
            double error = sampled_error(&one, cases[i].tolerance, 0, false, &keys);
            CHECK(error <= cases[i].tolerance);
            // A single node takes no more samples than it has to.
            if (cases[i].nodes == 1) CHECK(error > cases[i].tolerance / 8);
            CHECK(sampled_error(&one, cases[i].tolerance, 0, true, &more) <= cases[i].tolerance);
            CHECK(more >= keys);
        }
}

TEST(cubic_curves_keep_the_tolerance_on_ticks)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        uint64_t keys, free_keys;
        chain_make(&one, 2, TENON_CUBIC, seed);
        CHECK(sampled_error(&one, 4e-3, 1000, false, &keys) <= 4e-3);
        sampled_error(&one, 4e-3, 0, false, &free_keys);
        CHECK(keys < 3 * free_keys);
    }
}

// Through 0, where a quaternion has no direction, and with arbitrary tangents.
TEST(wild_curves_end)
{
    static const float sizes[] = {0, 1e-30f, 1, 1e10f, 3e38f};
    for (uint32_t i = 0; i < 25; i++) {
        mover m;
        mover_begin(&m, 3.4e38);
        float big = sizes[i % 5], late = sizes[i / 5], values[24] = {0};
        float times[] = {late, late * 1.0000002f > late ? late * 1.0000002f : late + 1e-30f};
        values[7] = 1, values[19] = -1, values[9] = big, values[12] = -big, values[16] = 1e-20f;
        hand_channel(&m.h, 0, TENON_ROTATION, 2, times, values)->curve = TENON_CUBIC;
        hand_channel(&m.h, 0, TENON_TRANSLATION, 2, times, values)->curve = TENON_CUBIC;
        hand_channel(&m.h, 0, TENON_SCALE, 2, times, values)->curve = TENON_CUBIC;
        mover_look(&m);
        mover_times(&m, TN_MOVES_ALL, 0);
        CHECK(m.times.count <= 3 * 4097);
        CHECK(tn_motion_times(&m.w.e, &m.motion, 0, TN_MOVES_ALL, 1000, &m.times));
        CHECK(m.times.count >= 1 && m.times.count <= 3 * 4100);
        double rate = tn_motion_rate(&m.w.e, &m.motion);
        CHECK(rate >= 60 && rate <= 1000);
        CHECK(m.w.err.code == TENON_OK);
        mover_end(&m);
    }
}

// -- Odd scenes

TEST(empty_nodes_and_scenes_without_meshes_have_a_size)
{
    mover m;
    float times[] = {0, 1}, values[24] = {0};
    mover_begin(&m, 1);
    m.h.nodes[0].mesh = TENON_NONE;
    values[7] = 1, values[18] = 1, values[10] = 2;
    hand_channel(&m.h, 0, TENON_ROTATION, 2, times, values)->curve = TENON_CUBIC;
    mover_look(&m);
    mover_times(&m, TN_MOVES_ALL, 0);
    CHECK(levers_of(&m)->diagonal == 1);
    CHECK(m.times.count > 10 && m.times.count < 1000);
    CHECK(tn_motion_rate_error(&m.w.e, &m.motion, 10) > 1e-6);
    mover_end(&m);
    m.h.nodes[hand_node(&m.h, "hand", 0)].translation[1] = 7;
    mover_look(&m);
    CHECK(levers_of(&m)->diagonal == 7);
    mover_end(&m);
}

// The larger what is moved, the finer: a skin counts with the vertices of each joint.
TEST(sampling_is_as_fine_as_the_moved_vertices_need)
{
    uint32_t counts[2];
    for (int i = 0; i < 2; i++) {
        mover m;
        float times[] = {0, 1}, values[24] = {0}, weights[12] = {0};
        float inverse[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
        uint32_t joint = 1;
        uint16_t joints[12] = {0};
        values[7] = 1, values[18] = 1, values[10] = 2;
        weights[0] = weights[4] = weights[8] = 1;
        mover_begin(&m, 1);
        hand_node(&m.h, "joint", TENON_NONE);
        m.h.nodes[1].translation[0] = i ? -100 : 0;  // Bound where it rests, far away or near.
        inverse[12] = i ? 100 : 0;
        m.h.skins[0] = (tenon_skin){hand_text("skin"), TENON_NONE, 1, &joint, inverse, 0};
        m.h.scene.skin_count = 1;
        m.h.nodes[0].skin = 0;
        m.h.primitives[0].influence_count = 4;
        m.h.primitives[0].joints = joints, m.h.primitives[0].weights = weights;
        hand_channel(&m.h, 1, TENON_ROTATION, 2, times, values)->curve = TENON_CUBIC;
        mover_look(&m);
        CHECK(tn_motion_times(&m.w.e, &m.motion, 1, TN_MOVES_ALL, 0, &m.times));
        counts[i] = m.times.count;
        CHECK(hand_near(levers_of(&m)->leverage[3 + TENON_ROTATION], (i ? 101 : 1) / sqrt(2), 1));
        mover_end(&m);
    }
    CHECK(counts[1] > 6 * counts[0] && counts[1] < 12 * counts[0]);
}

// -- Sizes

#define DEEP 100000

// A chain too deep for any stack, with a triangle at its end; each node is moved by `channel`.
typedef struct deep_chain {
    hand h;
    tenon_node *nodes;
    tenon_channel *channels;
    writing w;
    tn_motion motion;
} deep_chain;

static void deep_begin(deep_chain *d, tenon_channel channel)
{
    hand_begin(&d->h);
    hand_node(&d->h, "link", TENON_NONE);
    hand_mesh(&d->h, "mesh", 0, mover_triangle, 3);
    d->nodes = malloc(DEEP * sizeof *d->nodes);
    d->channels = malloc(DEEP * sizeof *d->channels);
    for (uint32_t i = 0; i < DEEP; i++) {
        d->nodes[i] = d->h.nodes[0];
        d->nodes[i].parent = i ? i - 1 : TENON_NONE;
        if (i < DEEP - 1) d->nodes[i].mesh = TENON_NONE;
        d->channels[i] = channel;
        d->channels[i].node = i;
    }
    hand_clip(&d->h, "wave", 1);
    d->h.scene.nodes = d->nodes;
    d->h.scene.node_count = d->h.animations[0].channel_count = DEEP;
    d->h.animations[0].channels = d->channels;
    writing_begin(&d->w, &d->h.scene, NULL);
    CHECK(tn_motion_make(&d->w.e, 0, &d->motion));
}

static void deep_end(deep_chain *d)
{
    writing_end(&d->w);
    free(d->nodes), free(d->channels);
}

// Half a million keys.
TEST(deep_chains_with_many_keys_take_few_steps)
{
    static float times[] = {0, 0.25f, 0.5f, 0.75f, 1};
    static float values[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0};
    deep_chain d;
    tn_times got;
    deep_begin(&d, (tenon_channel){.node = 0,
                                   .target = TENON_TRANSLATION,
                                   .curve = TENON_LINEAR,
                                   .key_count = 5,
                                   .times = times,
                                   .values = values});
    for (uint32_t i = 0; i < DEEP; i++) {
        bool ok = tn_motion_times(&d.w.e, &d.motion, i, TN_MOVES_ALL, 1000, &got) && got.count == 5;
        if (!ok) CHECK(ok);
    }
    CHECK(tn_motion_rate(&d.w.e, &d.motion) == 60);
    CHECK(hand_near(tn_levers_find(&d.w.e, &d.motion)->slack[DEEP / 2] * DEEP, 5e-5, 1e-9));
    deep_end(&d);
}

// All nodes of a chain share the tolerance. Of many nodes none has enough of it to decide the
// samples: then there are no more samples than needed to look smooth.
TEST(smooth_curves_of_deep_chains_have_a_bounded_number_of_samples)
{
    static float times[] = {0, 0.5f}, close_times[] = {0, 0.01f};
    static float values[24] = {[7] = 1, [10] = 2, [18] = 1};
    deep_chain d;
    tn_times got;
    deep_begin(&d, (tenon_channel){.node = 0,
                                   .target = TENON_ROTATION,
                                   .curve = TENON_CUBIC,
                                   .key_count = 2,
                                   .times = times,
                                   .values = values});
    for (uint32_t i = 0; i < DEEP; i += DEEP / 10) {
        CHECK(tn_motion_times(&d.w.e, &d.motion, i, TN_MOVES_ALL, 0, &got));
        CHECK(got.count >= 120 && got.count <= 122);
        d.channels[i].times = close_times;
        CHECK(tn_motion_times(&d.w.e, &d.motion, i, TN_MOVES_ALL, 0, &got));
        CHECK(got.count >= 16 && got.count <= 18);
    }
    deep_end(&d);
}

// -- Memory

TEST(every_allocation_may_fail)
{
    bool done = false;
    chain_make(&one, 3, TENON_CUBIC, 1);
    for (uint64_t refused = 1; !done && refused < 200; refused++) {
        hand_memory memory = {.refused = refused};
        tenon_allocator allocator = hand_allocator(&memory);
        writing w;
        tn_motion motion;
        tn_times times;
        writing_begin(&w, &one.scene, &allocator);
        done = tn_motion_make(&w.e, 0, &motion) &&
               tn_motion_times(&w.e, &motion, 1, TN_MOVES_ALL, 0, &times) &&
               tn_motion_rate_error(&w.e, &motion, 60) < HUGE_VAL;
        CHECK(done == (w.err.code == TENON_OK) && done == (memory.calls < refused));
        writing_end(&w);
        CHECK(memory.live == 0);
    }
    CHECK(done);
}

int main(void)
{
    RUN(a_motion_at_rest_moves_nothing);
    RUN(matrices_are_split);
    RUN(linear_curves_are_sampled_at_their_keys);
    RUN(keys_at_ticks_stay_there_with_their_values);
    RUN(a_key_between_ticks_becomes_two_unless_it_is_on_a_line);
    RUN(coarse_ticks_merge_keys);
    RUN(jumps_have_a_moment_before_them);
    RUN(jumps_at_ticks_are_over_at_the_tick);
    RUN(linear_curves_are_exact_to_the_rounding_of_floats);
    RUN(cubic_curves_keep_the_tolerance_along_chains);
    RUN(cubic_curves_keep_the_tolerance_on_ticks);
    RUN(wild_curves_end);
    RUN(empty_nodes_and_scenes_without_meshes_have_a_size);
    RUN(sampling_is_as_fine_as_the_moved_vertices_need);
    RUN(deep_chains_with_many_keys_take_few_steps);
    RUN(smooth_curves_of_deep_chains_have_a_bounded_number_of_samples);
    RUN(every_allocation_may_fail);
    TEST_END();
}
