// test_verify_nodes.c: scenes without geometry, such as animations in separate files, differ where
// their joints differ.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"
#include "verify_help.h"

// A chain of joints along y, 1 apart, below a node that is not a joint.
typedef struct chain {
    hand h;
    uint32_t root, joints[3];
    float times[2], values[6];
} chain;

static void begin_chain(chain *c)
{
    static const char *const names[] = {"hip", "knee", "ankle"};
    hand_begin(&c->h);
    c->root = hand_node(&c->h, "rig", TENON_NONE);
    for (uint32_t i = 0; i < 3; i++) {
        c->joints[i] = hand_node(&c->h, names[i], i ? c->joints[i - 1] : c->root);
        c->h.nodes[c->joints[i]].is_joint = true;
        c->h.nodes[c->joints[i]].translation[1] = i > 0;
    }
}

// The ankle goes along x at 1 a second.
static void move_ankle(chain *c, float to)
{
    hand_clip(&c->h, "kick", 1);
    for (int i = 0; i < 2; i++) {
        c->times[i] = (float)i;
        c->values[3 * i] = i ? to : 0;
        c->values[3 * i + 1] = 1;
        c->values[3 * i + 2] = 0;
    }
    hand_channel(&c->h, c->joints[2], TENON_TRANSLATION, 2, c->times, c->values);
}

TEST(equal_skeletons_are_verified)
{
    chain a;
    begin_chain(&a);
    move_ankle(&a, 1);
    tenon_verify_result r = compared(&a.h, &a.h, NULL);
    CHECK(is_same(&r) && r.by_node && r.clip_count == 1);
    CHECK(hand_near(r.diagonal, sqrt(0.2 * 0.2 + 2.2 * 2.2 + 0.2 * 0.2), 1e-6));
    CHECK_STR(tenon_verify_mode(&r), "node");
}

TEST(a_joint_that_moved_is_measured_and_named)
{
    chain a, b;
    begin_chain(&a);
    begin_chain(&b);
    b.h.nodes[b.joints[1]].translation[0] = 0.5;
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE && r.matched == 1);
    CHECK(hand_near(r.largest * r.diagonal, 0.5, 1e-6));
    CHECK_STR(r.bone, "knee");
    CHECK_STR(r.mesh, "");
}

TEST(a_joint_that_is_turned_in_place_is_different)
{
    chain a, b;
    begin_chain(&a);
    begin_chain(&b);
    double *turned = b.h.nodes[b.joints[2]].rotation;
    turned[2] = turned[3] = sqrt(0.5);
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE);
    CHECK(hand_near(r.largest * r.diagonal, sqrt(2) * 0.1 * 2, 1e-6));
    CHECK_STR(r.bone, "ankle");
}

TEST(clips_are_compared)
{
    chain a, b;
    begin_chain(&a);
    begin_chain(&b);
    move_ankle(&a, 1);
    move_ankle(&b, 1.25F);
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE && r.clip_count == 1);
    CHECK(hand_near(r.largest * r.diagonal, 0.25, 1e-6));
    CHECK_STR(r.clip, "kick");
    CHECK(r.seconds == 1);
}

TEST(missing_joints_are_different_and_added_nodes_are_not)
{
    chain a, b;
    begin_chain(&a);
    begin_chain(&b);
    (void)hand_node(&b.h, "added", TENON_NONE);
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_VERIFIED && r.missing_nodes == 0);
    b.h.nodes[b.joints[2]].name = hand_text("foot");
    r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_DIFFERENT && r.missing_nodes == 1);
    CHECK(hand_near(r.matched, 2 / 3.0, 1e-12));
}

// A renamed joint of a skeleton with as many nodes is found by the order.
TEST(renamed_joints_are_paired_in_order)
{
    chain a, b;
    begin_chain(&a);
    begin_chain(&b);
    b.h.nodes[b.joints[2]].name = hand_text("foot");
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_VERIFIED && r.matched == 1);
}

TEST(a_scene_with_geometry_is_compared_by_that)
{
    chain a;
    net b;
    begin_chain(&a);
    begin_net(&b);
    tenon_verify_result r;
    CHECK(tenon_verify(&a.h.scene, &b.h.scene, NULL, &r, NULL));
    CHECK(!r.by_node && r.verdict != TENON_VERIFIED);
    end_net(&b);
}

TEST(every_refused_allocation_is_reported)
{
    chain a;
    begin_chain(&a);
    move_ankle(&a, 1);
    bool done = false;
    for (uint64_t refused = 1; !done; refused++) {
        hand_memory memory = {.refused = refused};
        tenon_verify_opts opts = {.allocator = hand_allocator(&memory), .samples = 1};
        tenon_error err;
        done = tenon_verify(&a.h.scene, &a.h.scene, &opts, NULL, &err);
        CHECK(memory.live == 0);
        CHECK(done ? refused > 5 : err.code == TENON_ERR_MEMORY);
    }
}

int main(void)
{
    RUN(equal_skeletons_are_verified);
    RUN(a_joint_that_moved_is_measured_and_named);
    RUN(a_joint_that_is_turned_in_place_is_different);
    RUN(clips_are_compared);
    RUN(missing_joints_are_different_and_added_nodes_are_not);
    RUN(renamed_joints_are_paired_in_order);
    RUN(a_scene_with_geometry_is_compared_by_that);
    RUN(every_refused_allocation_is_reported);
    TEST_END();
}
