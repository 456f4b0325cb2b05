// test_pose.c: sampling, global matrices, skinning and bounds, against numbers computed by hand.
// SPDX-License-Identifier: MIT

#include "hand_scene.h"
#include "scene/pose/pose.h"

#define HALF  0.70710678118654752  // The sine and cosine of 45 degrees.
#define TIGHT 1e-12

static tenon_pose *pose_of(const hand *h)
{
    tenon_error err;
    tenon_pose *pose = tenon_pose_new(&h->scene, NULL, &err);
    if (!pose) abort();
    return pose;
}

static bool is_place(const tenon_pose *pose, uint32_t node, double x, double y, double z)
{
    const double *m = tenon_pose_global(pose, node);
    bool is_there =
        hand_near(m[12], x, TIGHT) && hand_near(m[13], y, TIGHT) && hand_near(m[14], z, TIGHT);
    if (!is_there)
        fprintf(stderr, "got %.17g %.17g %.17g, want %g %g %g\n", m[12], m[13], m[14], x, y, z);
    return is_there;
}

// -- Nodes

TEST(children_are_scaled_rotated_and_moved_by_their_parents)
{
    hand h;
    hand_begin(&h);
    uint32_t top = hand_node(&h, "top", TENON_NONE);
    uint32_t child = hand_node(&h, "child", top);
    uint32_t leaf = hand_node(&h, "leaf", child);
    tenon_node *n = &h.nodes[top];
    // Twice as large, a quarter turn about Z (x becomes y), then to (1, 2, 3).
    n->scale[0] = n->scale[1] = n->scale[2] = 2;
    n->rotation[2] = n->rotation[3] = HALF;
    n->translation[0] = 1, n->translation[1] = 2, n->translation[2] = 3;
    h.nodes[child].translation[0] = 5;
    h.nodes[leaf].translation[1] = 1;
    tenon_pose *pose = pose_of(&h);
    CHECK(is_place(pose, top, 1, 2, 3));
    CHECK(is_place(pose, child, 1, 12, 3));
    CHECK(is_place(pose, leaf, -1, 12, 3));
    tenon_pose_free(pose);
}

TEST(a_matrix_replaces_a_transform)
{
    hand h;
    hand_begin(&h);
    uint32_t top = hand_node(&h, "sheared", TENON_NONE), child = hand_node(&h, "child", top);
    const double sheared[16] = {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1};
    h.nodes[top].has_matrix = true;
    memcpy(h.nodes[top].matrix, sheared, sizeof sheared);
    h.nodes[child].translation[1] = 4;
    tenon_pose *pose = pose_of(&h);
    CHECK(is_place(pose, child, 9, 12, 9));
    tenon_pose_free(pose);
}

// -- Sampling

static void move_one_node(hand *h, tenon_target target, tenon_curve curve, uint32_t key_count,
                          float *times, float *values)
{
    hand_begin(h);
    hand_node(h, "node", TENON_NONE);
    hand_clip(h, "clip", (double)times[key_count - 1]);
    hand_channel(h, 0, target, key_count, times, values)->curve = curve;
}

TEST(linear_keys_are_mixed_and_held_at_the_ends)
{
    hand h;
    float times[] = {1, 3, 4}, values[] = {0, 0, 0, 4, 0, 8, 4, 2, 8};
    move_one_node(&h, TENON_TRANSLATION, TENON_LINEAR, 3, times, values);
    tenon_pose *pose = pose_of(&h);
    static const double expected[][4] = {{-1, 0, 0, 0},  {0, 0, 0, 0},        {1, 0, 0, 0},
                                         {1.5, 1, 0, 2}, {3, 4, 0, 8},        {3.25, 4, 0.5, 8},
                                         {4, 4, 2, 8},   {HUGE_VAL, 4, 2, 8}, {NAN, 0, 0, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        tenon_pose_set(pose, 0, expected[i][0]);
        CHECK(is_place(pose, 0, expected[i][1], expected[i][2], expected[i][3]));
    }
    tenon_pose_free(pose);
}

TEST(steps_keep_the_value_until_the_next_key)
{
    hand h;
    float times[] = {0, 1, 2}, values[] = {1, 0, 0, 2, 0, 0, 3, 0, 0};
    move_one_node(&h, TENON_TRANSLATION, TENON_STEP, 3, times, values);
    tenon_pose *pose = pose_of(&h);
    tenon_pose_set(pose, 0, 0.999);
    CHECK(is_place(pose, 0, 1, 0, 0));
    tenon_pose_set(pose, 0, 1);
    CHECK(is_place(pose, 0, 2, 0, 0));
    tenon_pose_set(pose, 0, 2.5);
    CHECK(is_place(pose, 0, 3, 0, 0));
    tenon_pose_free(pose);
}

// Over two seconds from 0 to 1, leaving at 1 a second and arriving at rest: at the middle
// 1/2 * 0 + 1/8 * 2 * 1 + 1/2 * 1 - 1/8 * 2 * 0, at a quarter 10/64 * 1 + 9/64 * 2 * 1.
TEST(cubic_tangents_are_changes_a_second)
{
    hand h;
    float times[] = {1, 3};
    float values[] = {9, 9, 9, 0, 5, 0, 1, 0, 0,   // First key.
                      0, 0, 0, 1, 5, 0, 9, 9, 9};  // Second key.
    move_one_node(&h, TENON_TRANSLATION, TENON_CUBIC, 2, times, values);
    tenon_pose *pose = pose_of(&h);
    tenon_pose_set(pose, 0, 2);
    CHECK(is_place(pose, 0, 0.75, 5, 0));
    tenon_pose_set(pose, 0, 1.5);
    CHECK(is_place(pose, 0, 28.0 / 64, 5, 0));
    tenon_pose_set(pose, 0, 0);
    CHECK(is_place(pose, 0, 0, 5, 0));
    tenon_pose_set(pose, 0, 9);
    CHECK(is_place(pose, 0, 1, 5, 0));
    tenon_pose_free(pose);
}

// The matrix of a rotation about Z has its cosine and sine in the first column.
static bool is_turned(const tenon_pose *pose, double degrees, double slack)
{
    const double *m = tenon_pose_global(pose, 0), angle = degrees * 3.14159265358979323846 / 180;
    bool is_so = hand_near(m[0], cos(angle), slack) && hand_near(m[1], sin(angle), slack) &&
                 hand_near(m[10], 1, slack);
    if (!is_so) fprintf(stderr, "got %.17g %.17g, want %g degrees\n", m[0], m[1], degrees);
    return is_so;
}

TEST(rotations_have_constant_speed_and_take_the_shorter_way)
{
    hand h;
    // From 0 to 90 degrees; the second quaternion has the sign of the longer way.
    float times[] = {0, 1}, values[] = {0, 0, 0, 1, 0, 0, (float)-HALF, (float)-HALF};
    move_one_node(&h, TENON_ROTATION, TENON_LINEAR, 2, times, values);
    tenon_pose *pose = pose_of(&h);
    for (int i = 0; i <= 8; i++) {
        tenon_pose_set(pose, 0, i / 8.0);
        CHECK(is_turned(pose, 90 * i / 8.0, TIGHT + 1e-7 * (i > 0)));
    }
    tenon_pose_free(pose);
}

// Tangents of 0: the mean of the quaternions of 0 and 90 degrees has the direction of that of 45.
TEST(cubic_rotations_are_of_length_1)
{
    hand h;
    float times[] = {0, 1}, v[24] = {0};
    v[7] = 1;
    v[12 + 6] = v[12 + 7] = (float)HALF;
    move_one_node(&h, TENON_ROTATION, TENON_CUBIC, 2, times, v);
    tenon_pose *pose = pose_of(&h);
    tenon_pose_set(pose, 0, 0.5);
    CHECK(is_turned(pose, 45, 1e-7));
    tenon_pose_set(pose, 0, 1);
    CHECK(is_turned(pose, 90, 1e-7));
    tenon_pose_free(pose);
}

// A rotation as floats has a length of 1 up to 1e-7; its matrix must rotate, not scale.
TEST(rotations_do_not_scale)
{
    hand h;
    float times[] = {0}, values[] = {0.3f, 0.5f, 0.1f, 0.806f};
    float length = sqrtf(0.3f * 0.3f + 0.5f * 0.5f + 0.1f * 0.1f + 0.806f * 0.806f);
    for (int k = 0; k < 4; k++) values[k] = values[k] / length * 1.000001f;
    move_one_node(&h, TENON_ROTATION, TENON_LINEAR, 1, times, values);
    tenon_pose *pose = pose_of(&h);
    tenon_pose_set(pose, 0, 0);
    const double *m = tenon_pose_global(pose, 0);
    CHECK(hand_near(m[0] * m[0] + m[1] * m[1] + m[2] * m[2], 1, 1e-15));
    tenon_pose_free(pose);
}

TEST(what_no_channel_moves_stays_at_rest)
{
    hand h;
    float times[] = {0, 1}, values[] = {1, 1, 1, 3, 3, 3};
    move_one_node(&h, TENON_SCALE, TENON_LINEAR, 2, times, values);
    h.nodes[0].translation[0] = 7;
    uint32_t child = hand_node(&h, "child", 0);
    h.nodes[child].translation[1] = 1;
    tenon_pose *pose = pose_of(&h);
    tenon_pose_set(pose, 0, 0.5);
    CHECK(is_place(pose, 0, 7, 0, 0) && is_place(pose, child, 7, 2, 0));
    tenon_pose_set(pose, TENON_NONE, 0.5);
    CHECK(is_place(pose, child, 7, 1, 0));
    tenon_pose_set(pose, 99, 0.5);  // There is no such clip.
    CHECK(is_place(pose, child, 7, 1, 0));
    tenon_pose_free(pose);
}

TEST(a_pose_does_not_depend_on_the_one_before)
{
    hand h;
    float times[200], values[800];
    uint64_t state = 1;
    for (int i = 0; i < 200; i++) {
        double angle = 6 * hand_random(&state);
        times[i] = (float)i * 0.03f;
        values[4 * i] = values[4 * i + 1] = 0;
        values[4 * i + 2] = (float)sin(angle), values[4 * i + 3] = (float)cos(angle);
    }
    move_one_node(&h, TENON_ROTATION, TENON_LINEAR, 200, times, values);
    tenon_pose *one = pose_of(&h), *other = pose_of(&h);
    for (int i = 0; i < 1000; i++) {
        double seconds = 6.5 * hand_random(&state) - 0.2;
        tenon_pose_set(one, 0, 6.5 * hand_random(&state));
        tenon_pose_set(one, 0, seconds);
        tenon_pose_free(other);
        other = pose_of(&h);
        tenon_pose_set(other, 0, seconds);
        CHECK(memcmp(tenon_pose_global(one, 0), tenon_pose_global(other, 0), 128) == 0);
    }
    tenon_pose_free(one);
    tenon_pose_free(other);
}

// Five clips that move one to three nodes of a tree whose branches alternate in the list, and a
// skin of all nodes, of which some are inside out.
TEST(a_clip_does_not_affect_the_next_one)
{
    enum { NODES = 12 };
    static const uint32_t parents[NODES] = {TENON_NONE, TENON_NONE, 0, 1, 0, 1, 2, 3, 2, 7, 4, 9};
    static float times[] = {0, 1}, sizes[] = {1, 1, 1, -2, 1, 1}, binds[16 * NODES];
    static uint32_t joints[NODES];
    uint64_t state = 1;
    hand h;
    hand_begin(&h);
    for (uint32_t i = 0; i < NODES; i++) {
        hand_node(&h, "node", parents[i]);
        h.nodes[i].translation[i % 3] = 1 + i;
        joints[i] = NODES - 1 - i;
        for (uint32_t k = 0; k < 16; k++) binds[16 * i + k] = k % 5 == 0;
    }
    h.skins[0] = (tenon_skin){hand_text("skin"), TENON_NONE, NODES, joints, binds, 0};
    h.scene.skin_count = 1;
    for (uint32_t i = 0; i < NODES; i++) {
        static const uint32_t moved[NODES] = {0, 11, 2, 6, 10, 8, 1, 3, 9, 5, 4, 7};
        if (i == 0 || i == 1 || i == 3 || i == 6 || i == 9) hand_clip(&h, "clip", 1);
        hand_channel(&h, moved[i], TENON_SCALE, 2, times, sizes);
    }
    tenon_pose *one = pose_of(&h);
    for (int i = 0; i < 200; i++) {
        float palette[16 * NODES], expected[16 * NODES];
        uint32_t clip = (uint32_t)(6 * hand_random(&state));
        double seconds = hand_random(&state);
        tenon_pose *fresh = pose_of(&h);
        tenon_pose_set(one, clip, seconds);
        tenon_pose_set(fresh, clip, seconds);
        for (uint32_t k = 0; k < NODES; k++)
            CHECK(memcmp(tenon_pose_global(one, k), tenon_pose_global(fresh, k), 128) == 0);
        tenon_pose_palette(one, 0, palette);
        tenon_pose_palette(fresh, 0, expected);
        CHECK(memcmp(palette, expected, sizeof palette) == 0);
        CHECK(one->mirrors[0] == fresh->mirrors[0] && one->negatives[0] == fresh->negatives[0]);
        tenon_pose_free(fresh);
    }
    tenon_pose_free(one);
}

// -- Skinning

// Two joints, the second of which was bound 2 above the first, and a node that does not matter.
typedef struct arm {
    hand h;
    uint32_t low, high, node, joints[2];
    float binds[32];
} arm;

static void begin_arm(arm *a)
{
    hand *h = &a->h;
    hand_begin(h);
    a->low = hand_node(h, "low", TENON_NONE);
    a->high = hand_node(h, "high", a->low);
    a->node = hand_node(h, "skinned", TENON_NONE);
    h->nodes[a->high].translation[1] = 2;
    h->nodes[a->node].translation[0] = 1000;
    a->joints[0] = a->low, a->joints[1] = a->high;
    for (int i = 0; i < 32; i++) a->binds[i] = i % 16 % 5 == 0;
    a->binds[16 + 13] = -2;
    h->skins[0] = (tenon_skin){hand_text("skin"), TENON_NONE, 2, a->joints, a->binds, 0};
    h->scene.skin_count = 1;
    h->nodes[a->node].skin = 0;
}

// Rotate the upper joint by 90 degrees about Z: its vertices rotate about (0, 2, 0).
static void bend(arm *a)
{
    a->h.nodes[a->high].rotation[2] = a->h.nodes[a->high].rotation[3] = HALF;
}

TEST(vertices_follow_their_joints_by_weight)
{
    arm a;
    float positions[] = {0, 1, 0, 0, 3, 0, 0, 3, 0, 1, 4, 5}, out[12], normals[12];
    float normal[] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
    uint16_t joints[16] = {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    float weights[16] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0.25f, 0.75f};
    begin_arm(&a);
    bend(&a);
    tenon_primitive *p = hand_mesh(&a.h, "mesh", a.node, positions, 4);
    p->influence_count = 4, p->joints = joints, p->weights = weights, p->normals = normal;
    tenon_pose *pose = pose_of(&a.h);
    tenon_pose_skin(pose, a.node, 0, out, normals);
    CHECK(hand_at(out, 0, 1, 0));
    CHECK(hand_at(out + 3, -1, 2, 0));
    CHECK(hand_at(out + 6, -0.5, 2.5, 0));  // The mean of both.
    // (1, 4, 5) rotated about (0, 2, 0) is (-2, 3, 5).
    CHECK(hand_at(out + 9, 0.25 * 1 + 0.75 * -2, 0.25 * 4 + 0.75 * 3, 5));
    CHECK(hand_at(normals, 1, 0, 0));
    CHECK(hand_at(normals + 3, 0, 1, 0));
    CHECK(hand_at(normals + 6, HALF, HALF, 0));
    CHECK(hand_at(normals + 9, 0, 0, 1));
    tenon_pose_free(pose);
}

TEST(eight_influences_count)
{
    arm a;
    float positions[] = {0, 3, 0}, out[3];
    uint16_t joints[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    float weights[8] = {0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.125f};
    begin_arm(&a);
    bend(&a);
    tenon_primitive *p = hand_mesh(&a.h, "mesh", a.node, positions, 1);
    p->influence_count = 8, p->joints = joints, p->weights = weights;
    tenon_pose *pose = pose_of(&a.h);
    tenon_pose_skin(pose, a.node, 0, out, NULL);
    CHECK(hand_at(out, -0.5, 2.5, 0));
    tenon_pose_free(pose);
}

TEST(palettes_are_joints_times_inverse_binds)
{
    arm a;
    begin_arm(&a);
    bend(&a);
    float positions[] = {0, 0, 0}, m[32];
    hand_mesh(&a.h, "mesh", a.node, positions, 0);
    tenon_pose *pose = pose_of(&a.h);
    tenon_pose_palette(pose, 0, m);
    static const float still[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    CHECK(memcmp(m, still, sizeof still) == 0);
    CHECK(hand_at(m + 16, 0, 1, 0) && hand_at(m + 20, -1, 0, 0) && hand_at(m + 24, 0, 0, 1));
    CHECK(hand_at(m + 28, 2, 2, 0));  // What was at the origin, 2 below the joint, is beside it.
    CHECK(m[16 + 3] == 0 && m[16 + 7] == 0 && m[16 + 11] == 0 && m[16 + 15] == 1);
    tenon_pose_free(pose);
}

TEST(a_mesh_without_skin_moves_with_its_node)
{
    hand h;
    hand_begin(&h);
    uint32_t node = hand_node(&h, "node", TENON_NONE);
    float positions[] = {1, 1, 1}, out[3], normals[3] = {9, 9, 9};
    hand_mesh(&h, "mesh", node, positions, 1);
    h.nodes[node].translation[2] = 3;
    h.nodes[node].scale[0] = -2;
    tenon_pose *pose = pose_of(&h);
    tenon_pose_skin(pose, node, 0, out, normals);
    CHECK(hand_at(out, -2, 1, 4));
    CHECK(hand_at(normals, 0, 0, 0));  // It has none.
    tenon_pose_free(pose);
}

TEST(a_part_without_vertices_has_nothing_to_skin)
{
    hand h;
    hand_begin(&h);
    uint32_t node = hand_node(&h, "node", TENON_NONE);
    float out[3] = {1, 2, 3}, normals[3] = {4, 5, 6};
    hand_mesh(&h, "mesh", node, NULL, 0);
    tenon_pose *pose = pose_of(&h);
    tenon_pose_skin(pose, node, 0, out, normals);
    CHECK(hand_at(out, 1, 2, 3) && hand_at(normals, 4, 5, 6));
    tenon_pose_free(pose);
}

// A plane x + y = 0 stretched along x has a normal that leans towards y; mirrors keep the outside.
TEST(normals_stay_perpendicular_on_stretched_and_mirrored_surfaces)
{
    hand h;
    hand_begin(&h);
    uint32_t node = hand_node(&h, "node", TENON_NONE);
    float positions[9] = {0}, normal[9] = {(float)HALF, (float)HALF, 0, 1, 0, 0, 0, 1, 0}, out[9];
    hand_mesh(&h, "mesh", node, positions, 3)->normals = normal;
    h.nodes[node].scale[0] = 2;
    tenon_pose *pose = pose_of(&h);
    tenon_pose_skin(pose, node, 0, NULL, out);
    CHECK(hand_at(out, 1 / sqrt(5), 2 / sqrt(5), 0));
    tenon_pose_free(pose);
    h.nodes[node].scale[0] = -1;
    pose = pose_of(&h);
    tenon_pose_skin(pose, node, 0, NULL, out);
    CHECK(hand_at(out, -HALF, HALF, 0) && hand_at(out + 3, -1, 0, 0) && hand_at(out + 6, 0, 1, 0));
    tenon_pose_free(pose);
    h.nodes[node].scale[0] = h.nodes[node].scale[2] = 0;  // Nothing is left but a line.
    pose = pose_of(&h);
    tenon_pose_skin(pose, node, 0, NULL, out);
    CHECK(hand_at(out, 0, 0, 0));
    tenon_pose_free(pose);
}

// -- Bounds

TEST(bounds_hold_every_vertex_of_every_node)
{
    enum { COUNT = 1000 };
    static float many[3 * COUNT];
    hand h;
    hand_begin(&h);
    uint32_t one = hand_node(&h, "one", TENON_NONE), two = hand_node(&h, "two", TENON_NONE);
    for (int i = 0; i < COUNT; i++) many[3 * i] = (float)(i == 999 ? -5 : i) / 100;
    float lone[] = {0, 3, -4};
    hand_mesh(&h, "many", one, many, COUNT);
    hand_mesh(&h, "lone", two, lone, 1);
    h.nodes[two].translation[1] = 1;
    tenon_pose *pose = pose_of(&h);
    double min[3], max[3];
    CHECK(tenon_pose_bounds(pose, min, max));
    CHECK(hand_near(min[0], -0.05, 1e-7) && min[1] == 0 && min[2] == -4);
    CHECK(hand_near(max[0], 9.98, 1e-6) && max[1] == 4 && max[2] == 0);
    tenon_pose_free(pose);
}

// A point one meter from a joint that makes half a turn: the arc is higher than its ends.
TEST(bounds_of_a_clip_hold_the_way_between_keys)
{
    hand h;
    float times[] = {0, 1, 2}, positions[] = {1, 0, 0};
    float turns[] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0};
    move_one_node(&h, TENON_ROTATION, TENON_LINEAR, 3, times, turns);
    hand_mesh(&h, "mesh", 0, positions, 1);
    tenon_pose *pose = pose_of(&h);
    double min[3], max[3];
    CHECK(tenon_pose_clip_bounds(pose, 0, min, max));
    CHECK(fabs(min[0] + 1) < 1e-6 && fabs(max[0] - 1) < 1e-6);
    CHECK(min[1] > -1e-6 && max[1] > 0.999 && max[1] < 1.001);
    tenon_pose_free(pose);
}

TEST(an_empty_scene_has_no_bounds)
{
    hand h;
    hand_begin(&h);
    hand_node(&h, "node", TENON_NONE);
    tenon_pose *pose = pose_of(&h);
    double min[3], max[3];
    CHECK(!tenon_pose_bounds(pose, min, max));
    tenon_pose_free(pose);
    h.scene.node_count = 0;
    pose = pose_of(&h);
    CHECK(!tenon_pose_bounds(pose, min, max));
    tenon_pose_free(pose);
}

// -- Memory

TEST(setting_and_skinning_allocate_nothing)
{
    arm a;
    float positions[] = {0, 3, 0}, out[3], m[32], times[] = {0, 1}, values[] = {0, 0, 0, 1, 1, 1};
    uint16_t joints[4] = {0, 1};
    float weights[4] = {0.5f, 0.5f};
    double min[3], max[3];
    begin_arm(&a);
    tenon_primitive *p = hand_mesh(&a.h, "mesh", a.node, positions, 1);
    p->influence_count = 4, p->joints = joints, p->weights = weights;
    hand_clip(&a.h, "clip", 1);
    hand_channel(&a.h, a.low, TENON_TRANSLATION, 2, times, values);
    hand_memory memory = {0};
    tenon_allocator allocator = hand_allocator(&memory);
    tenon_pose *pose = tenon_pose_new(&a.h.scene, &allocator, NULL);
    CHECK(pose != NULL);
    uint64_t before = memory.calls;
    tenon_pose_set(pose, 0, 0.5);
    tenon_pose_skin(pose, a.node, 0, out, NULL);
    tenon_pose_palette(pose, 0, m);
    CHECK(tenon_pose_bounds(pose, min, max));
    CHECK(memory.calls == before);
    tenon_pose_free(pose);
    CHECK(memory.live == 0);
}

TEST(memory_that_runs_out_is_reported)
{
    enum { NODES = 5000 };
    tenon_node *nodes = calloc(NODES, sizeof *nodes);
    for (int i = 0; nodes && i < NODES; i++)
        nodes[i] = (tenon_node){.name = {"", 0},
                                .parent = TENON_NONE,
                                .rotation = {0, 0, 0, 1},
                                .mesh = TENON_NONE,
                                .skin = TENON_NONE};
    tenon_scene scene = {.name = {"", 0}, .node_count = NODES, .nodes = nodes};
    tenon_pose *pose = NULL;
    for (uint64_t refused = 1; !pose; refused++) {
        hand_memory memory = {.refused = refused};
        tenon_allocator allocator = hand_allocator(&memory);
        tenon_error err;
        pose = tenon_pose_new(&scene, &allocator, &err);
        if (!pose) CHECK(err.code == TENON_ERR_MEMORY && memory.live == 0);
        if (pose) CHECK(refused > 3);
        if (pose) tenon_pose_free(pose);
    }
    tenon_pose_free(NULL);
    free(nodes);
}

int main(void)
{
    RUN(children_are_scaled_rotated_and_moved_by_their_parents);
    RUN(a_matrix_replaces_a_transform);
    RUN(linear_keys_are_mixed_and_held_at_the_ends);
    RUN(steps_keep_the_value_until_the_next_key);
    RUN(cubic_tangents_are_changes_a_second);
    RUN(rotations_have_constant_speed_and_take_the_shorter_way);
    RUN(cubic_rotations_are_of_length_1);
    RUN(rotations_do_not_scale);
    RUN(what_no_channel_moves_stays_at_rest);
    RUN(a_pose_does_not_depend_on_the_one_before);
    RUN(a_clip_does_not_affect_the_next_one);
    RUN(vertices_follow_their_joints_by_weight);
    RUN(eight_influences_count);
    RUN(palettes_are_joints_times_inverse_binds);
    RUN(a_mesh_without_skin_moves_with_its_node);
    RUN(a_part_without_vertices_has_nothing_to_skin);
    RUN(normals_stay_perpendicular_on_stretched_and_mirrored_surfaces);
    RUN(bounds_hold_every_vertex_of_every_node);
    RUN(bounds_of_a_clip_hold_the_way_between_keys);
    RUN(an_empty_scene_has_no_bounds);
    RUN(setting_and_skinning_allocate_nothing);
    RUN(memory_that_runs_out_is_reported);
    TEST_END();
}
