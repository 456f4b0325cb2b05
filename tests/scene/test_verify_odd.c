// test_verify_odd.c: comparing scenes that are empty, huge or absurd, and what must be refused.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"
#include "verify_help.h"

// Every key once, and the middles of equal parts.
TEST(clips_are_compared_at_their_keys_and_between)
{
    static const tenon_allocator usual;
    float first[] = {0, 1, 4}, second[] = {1, 2, 4}, places[9] = {0};
    tenon_channel channels[] = {{.key_count = 3, .times = first, .values = places},
                                {.key_count = 3, .times = second, .values = places}};
    tenon_animation none = {.duration = 4}, a = none, b = none;
    a.channels = &channels[0], a.channel_count = 1;
    b.channels = &channels[1], b.channel_count = 1;
    tn_match_context context = {.arena = tn_arena_make(&usual, UINT64_MAX)};
    tn_time_list times;
    static const double merged[] = {0, 1, 2, 3, 4}, even[] = {0.5, 1.5, 2.5, 3.5};
    CHECK(tn_collect_times(&context, &a, &b, 2, &times));  // In the middle of halves: 1 and 3.
    CHECK(times.count == 5 && memcmp(times.seconds, merged, sizeof merged) == 0);
    CHECK(tn_collect_times(&context, &none, &none, 4, &times));
    CHECK(times.count == 4 && memcmp(times.seconds, even, sizeof even) == 0);
    tn_arena_free(&context.arena);
}

TEST(empty_scenes_are_equal_and_far_from_others)
{
    float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    hand a, b;
    hand_begin(&a);
    hand_begin(&b);
    tenon_verify_result r = compared(&a, &b, NULL);
    CHECK(is_same(&r) && r.diagonal == 1);
    hand_mesh(&b, "b", hand_node(&b, "b", TENON_NONE), triangle, 3);
    r = compared(&a, &b, NULL);
    CHECK(r.matched == 0 && r.largest == HUGE_VAL);
    r = compared(&b, &a, NULL);
    CHECK(r.matched == 0 && r.largest == HUGE_VAL && r.missing_meshes == 1);
    CHECK_STR(r.mesh, "b");
}

// Everything in one point: no size, and all triangles are alike.
TEST(a_million_equal_triangles_take_no_longer_than_others)
{
    enum { COUNT = 1000000 };
    float *points = calloc(COUNT, 9 * sizeof(float));
    hand a;
    hand_begin(&a);
    hand_mesh(&a, "pile", hand_node(&a, "pile", TENON_NONE), points, 3 * COUNT);
    tenon_verify_result r = compared(&a, &a, NULL);
    CHECK(is_same(&r) && r.diagonal == 1);
    free(points);
}

// Scales that multiply until no number can hold them.
TEST(poses_that_overflow_are_handled)
{
    float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    hand a, b;
    hand_begin(&a);
    uint32_t node = TENON_NONE;
    for (int i = 0; i < 12; i++) {
        node = hand_node(&a, "up", node);
        for (int k = 0; k < 3; k++) a.nodes[node].scale[k] = 1e38;
    }
    hand_mesh(&a, "mesh", node, triangle, 3);
    tenon_verify_result r = compared(&a, &a, NULL);
    CHECK(r.largest == 0 && r.matched == 1);
    hand_begin(&b);
    hand_mesh(&b, "mesh", hand_node(&b, "node", TENON_NONE), triangle, 3);
    r = compared(&a, &b, NULL);
    CHECK(r.largest == HUGE_VAL);
    r = compared(&b, &a, NULL);
    CHECK(r.largest == HUGE_VAL);
}

// -- Limits

TEST(every_refused_allocation_is_reported)
{
    mover a, b;
    begin_mover(&a, "walk");
    begin_mover(&b, "run");
    cut_otherwise(&b.n);
    bool done = false;
    for (uint64_t refused = 1; !done; refused++) {
        hand_memory memory = {.refused = refused};
        tenon_verify_opts opts = {.allocator = hand_allocator(&memory), .samples = 1};
        tenon_verify_result r;
        tenon_error err;
        done = tenon_verify(&a.n.h.scene, &b.n.h.scene, &opts, &r, &err);
        CHECK(memory.live == 0);
        CHECK(done ? refused > 5 : err.code == TENON_ERR_MEMORY);
    }
    end_net(&a.n);
    end_net(&b.n);
}

static bool stop_later(void *user, uint64_t done, uint64_t total)
{
    uint64_t *last = user;
    CHECK(done <= total && done >= *last);
    *last = done;
    return done < total / 2;
}

TEST(it_can_be_cancelled)
{
    mover a;
    uint64_t last = 0;
    tenon_verify_result r;
    tenon_error err;
    begin_mover(&a, "walk");
    tenon_verify_opts opts = {.events = {.user = &last, .on_progress = stop_later}};
    CHECK(!tenon_verify(&a.n.h.scene, &a.n.h.scene, &opts, &r, &err));
    CHECK(err.code == TENON_ERR_CANCELLED && last > 0);
    end_net(&a.n);
}

// A small file can show a mesh many times; the cost of that is refused.
TEST(a_mesh_shown_too_often_is_over_the_limit)
{
    enum { NODES = 20000 };
    net a;
    tenon_verify_result r;
    tenon_error err;
    begin_net(&a);
    tenon_node *nodes = calloc(NODES, sizeof *nodes);
    for (int i = 0; nodes && i < NODES; i++) nodes[i] = a.h.nodes[0];
    a.h.scene.nodes = nodes;
    a.h.scene.node_count = NODES;
    CHECK(!tenon_verify(&a.h.scene, &a.h.scene, NULL, &r, &err));
    CHECK(err.code == TENON_ERR_LIMIT);
    free(nodes);
    end_net(&a);
}

TEST(an_invalid_scene_is_refused)
{
    net a;
    tenon_verify_result r;
    tenon_error err;
    begin_net(&a);
    a.positions[7] = NAN;
    CHECK(!tenon_verify(&a.h.scene, &a.h.scene, NULL, &r, &err));
    CHECK(err.code == TENON_ERR_VALUE);
    CHECK_STR(err.path, "meshes[0].primitives[0]");
    end_net(&a);
}

int main(void)
{
    RUN(clips_are_compared_at_their_keys_and_between);
    RUN(empty_scenes_are_equal_and_far_from_others);
    RUN(a_million_equal_triangles_take_no_longer_than_others);
    RUN(poses_that_overflow_are_handled);
    RUN(every_refused_allocation_is_reported);
    RUN(it_can_be_cancelled);
    RUN(a_mesh_shown_too_often_is_over_the_limit);
    RUN(an_invalid_scene_is_refused);
    TEST_END();
}
