// test_modeldata_export_motion.c: scenes exported as AnimatedModelData: joints, keys, scales,
// limits.
// SPDX-License-Identifier: MIT

#include "export_help.h"

#include <tenon/modeldata.h>

static const tenon_modeldata *model_of(const written *w)
{
    return tenon_as_modeldata(w->doc);
}

static const tenon_modeldata_joint *joint_called(const written *w, const char *name)
{
    for (uint32_t i = 0; i < model_of(w)->joint_count; i++) {
        const tenon_modeldata_joint *joint = &model_of(w)->joints[i];
        if (joint->name.size == strlen(name) && memcmp(joint->name.data, name, strlen(name)) == 0)
            return joint;
    }
    fprintf(stderr, "there is no joint '%s'\n", name);
    exit(1);
}

// A plate on an arm, which a clip moves from the left to the right in a second.
typedef struct swing {
    stage s;
    uint32_t arm, plate;
    float times[2], places[6], turns[8];
} swing;

static void swing_begin(swing *w)
{
    *w = (swing){.times = {0, 1},
                 .places = {-1, 0, 0, 1, 0, 0},
                 .turns = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f}};
    stage_begin(&w->s);
    w->arm = hand_node(&w->s.h, "arm", TENON_NONE);
    w->plate = hand_node(&w->s.h, "plate", w->arm);
    stage_move(&w->s, w->plate, 0, 3, 0);
    stage_triangle(&w->s, "plate", w->plate);
    hand_clip(&w->s.h, "swing", 1);
    hand_channel(&w->s.h, w->arm, TENON_TRANSLATION, 2, w->times, w->places);
}

// -- Joints

TEST(rigid_parts_are_bound_to_what_moves_them)
{
    swing from;
    written w;
    swing_begin(&from);
    write_as(&w, &from.s, "modeldata");
    const tenon_modeldata *doc = model_of(&w);
    CHECK(doc->is_animated && doc->joint_count == 1 && text_is(doc->joints[0].name, "arm"));
    CHECK(doc->joints[0].index == 0 && doc->joints[0].parent_index == -1);
    CHECK(HOLDS(&doc->meshes[0].arrays[TENON_MODELDATA_VERTICES], 0, 0, 3, 0, 1, 3, 0));
    CHECK(HOLDS(&doc->meshes[0].arrays[TENON_MODELDATA_WEIGHTS], 0, 1, 0, 0, 0));
    CHECK(tn_span_u32(&doc->meshes[0].arrays[TENON_MODELDATA_JOINT_IDS], 0) == 0);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "rigid meshes") == 1);
    CHECK(lost(&w.reported, TENON_SYNTHESIZED, "joints") == 0 && is_same_pose(&w));
    written_free(&w);
    stage_end(&from.s);
}

TEST(a_missing_root_is_synthesized)
{
    swing from;
    written w;
    swing_begin(&from);
    stage_triangle(&from.s, "still", hand_node(&from.s.h, "still", TENON_NONE));
    write_as(&w, &from.s, "modeldata");
    const tenon_modeldata *doc = model_of(&w);
    CHECK(doc->joint_count == 2 && text_is(doc->joints[0].name, "root"));
    CHECK(doc->joints[0].parent_index == -1 && doc->joints[1].parent_index == 0);
    CHECK(doc->joints[0].bind_local_pose[0] == 1 && doc->joints[0].inverse_bind_matrix[3] == 0);
    CHECK(lost(&w.reported, TENON_SYNTHESIZED, "joints") == 1 && is_same_pose(&w));
    written_free(&w);
    from.s.h.nodes[from.arm].is_joint = true;
    from.s.h.nodes[hand_node(&from.s.h, "other", TENON_NONE)].is_joint = true;
    write_as(&w, &from.s, "modeldata");
    CHECK(model_of(&w)->joint_count == 3 && is_same_pose(&w));
    written_free(&w);
    stage_end(&from.s);
}

// Row by row: the translation is at 3, 7 and 11.
TEST(matrices_are_row_major)
{
    stage s;
    limb l = {.joints = {1, 2}};
    written w;
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "skinned", TENON_NONE);
    stage_move(&s, hand_node(&s.h, "low", TENON_NONE), 1, 2, 3);
    stage_move(&s, hand_node(&s.h, "high", 1), 4, 5, 6);
    stage_skin(&s, &l, node, 2);
    l.binds[12] = -1;
    l.binds[16 + 13] = -7;
    write_as(&w, &s, "modeldata");
    const tenon_modeldata_joint *low = joint_called(&w, "low"), *high = joint_called(&w, "high");
    CHECK(low->bind_local_pose[3] == 1 && low->bind_local_pose[7] == 2);
    CHECK(low->bind_local_pose[11] == 3 && low->inverse_bind_matrix[3] == -1);
    CHECK(high->parent_index == low->index && high->bind_local_pose[3] == 4);
    CHECK(high->inverse_bind_matrix[7] == -7 && high->inverse_bind_matrix[15] == 1);
    const tenon_span *ids = &model_of(&w)->meshes[0].arrays[TENON_MODELDATA_JOINT_IDS];
    CHECK(tn_span_u32(ids, 0) == 0 && tn_span_u32(ids, 4) == 1 && is_same_pose(&w));
    written_free(&w);
    stage_end(&s);
}

TEST(a_node_that_skins_bind_differently_has_two_joints)
{
    stage s;
    limb one = {.joints = {2}}, other = {.joints = {2}};
    written w;
    stage_begin(&s);
    uint32_t a = hand_node(&s.h, "a", TENON_NONE), b = hand_node(&s.h, "b", TENON_NONE);
    stage_move(&s, hand_node(&s.h, "bone", TENON_NONE), 5, 0, 0);
    stage_skin(&s, &one, a, 1);
    stage_skin(&s, &other, b, 1);
    other.binds[12] = 8;
    write_as(&w, &s, "modeldata");
    CHECK(model_of(&w)->joint_count == 2);
    const tenon_modeldata_joint *twin = joint_called(&w, "bone_bind");
    CHECK(twin->parent_index == joint_called(&w, "bone")->index);
    CHECK(twin->bind_local_pose[3] == 0 && twin->inverse_bind_matrix[3] == 8);
    CHECK(lost(&w.reported, TENON_SYNTHESIZED, "joints") == 1 && is_same_pose(&w));
    written_free(&w);
    stage_end(&s);
}

// A rigid part uses the joint as the skin has bound it.
TEST(skinned_and_rigid_parts_share_joints)
{
    stage s;
    limb l = {.joints = {1}};
    written w;
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "skinned", TENON_NONE);
    uint32_t bone = hand_node(&s.h, "bone", TENON_NONE);
    stage_move(&s, bone, 5, 0, 0);
    stage_skin(&s, &l, node, 1);
    l.binds[12] = 8;
    l.binds[0] = 2;
    stage_triangle(&s, "rigid", hand_node(&s.h, "rigid", bone));
    write_as(&w, &s, "modeldata");
    CHECK(model_of(&w)->joint_count == 1 && is_same_pose(&w));
    written_free(&w);
    stage_end(&s);
}

TEST(more_than_four_influences_are_reported_with_their_error)
{
    stage s;
    limb l = {.joints = {1, 2}};
    written w;
    uint32_t joints[5];
    uint16_t numbers[24] = {0};
    float weights[24] = {0}, binds[80] = {0};
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "skinned", TENON_NONE);
    tenon_primitive *p = stage_skin(&s, &l, node, 2);
    for (uint32_t i = 0; i < 5; i++) {
        joints[i] = hand_node(&s.h, "bone", TENON_NONE);
        stage_move(&s, joints[i], i, 0, 0);
        for (int k = 0; k < 16; k += 5) binds[16 * i + (uint32_t)k] = 1;
        for (uint32_t v = 0; v < 3; v++) {
            numbers[8 * v + i] = (uint16_t)i;
            weights[8 * v + i] = i == 4 ? 0.125f : 0.21875f;
        }
    }
    s.h.skins[0].joints = joints;
    s.h.skins[0].joint_count = 5;
    s.h.skins[0].inverse_binds = binds;
    p->influence_count = 8;
    p->joints = numbers;
    p->weights = weights;
    write_as(&w, &s, "modeldata");
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "influences") == 3);
    CHECK(w.proof.largest > 1e-3 &&
          hand_near(reported_error(&w, "influences"), w.proof.largest, 1e-9));
    written_free(&w);
    stage_end(&s);
}

// -- Keys

static const tenon_modeldata_animation *clip_of(const written *w, uint32_t index)
{
    return &model_of(w)->animations[index];
}

TEST(every_joint_has_its_lists)
{
    swing from;
    written w;
    swing_begin(&from);
    from.s.h.nodes[from.plate].is_joint = true;
    hand_clip(&from.s.h, "swing", 1);
    hand_channel(&from.s.h, from.arm, TENON_ROTATION, 2, from.times, from.turns);
    write_as(&w, &from.s, "modeldata");
    const tenon_modeldata_animation *a = clip_of(&w, 0), *b = clip_of(&w, 1);
    CHECK(model_of(&w)->joint_count == 2);
    CHECK(a->position_list_count == 2 && a->rotation_list_count == 2 && a->scale_list_count == 2);
    CHECK(a->positions[0].keys.count == 2 && a->rotations[0].keys.count == 0);
    CHECK(a->positions[1].keys.count == 0 && a->scales[0].keys.count == 0);
    CHECK(HOLDS(&a->positions[0].keys, 0, 0, -1, 0, 0, 24, 1, 0, 0));
    CHECK(HOLDS(&b->rotations[0].keys, 0, 0, 0, 0, 0, 1, 24, 0, 0, 0.70710678f, 0.70710678f));
    CHECK(text_is(a->name, "swing") && text_is(b->name, "swing_2"));
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "names of animations") == 1);
    CHECK(lost(&w.reported, TENON_DEFAULTED, "rate") == 2);
    written_free(&w);
    stage_end(&from.s);
}

// Before the first key the engine would keep the bind pose.
TEST(lists_start_at_0_and_one_lasts_to_the_end)
{
    swing from;
    written w;
    swing_begin(&from);
    from.times[0] = 0.5f;
    from.s.h.animations[0].duration = 2;
    write_with(&w, &from.s.h.scene, (tenon_export_opts){.format = "cea", .rate = 10});
    const tenon_span *keys = &clip_of(&w, 0)->positions[0].keys;
    CHECK(keys->count == 4);
    CHECK(HOLDS(keys, 0, 0, -1, 0, 0, 5, -1, 0, 0, 10, 1, 0, 0, 20, 1, 0, 0));
    CHECK(w.scene->animations[0].duration == 2 && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_DROPPED, "rate") == 1);
    CHECK(lost(&w.reported, TENON_DEFAULTED, "rate") == 0);
    written_free(&w);
    stage_end(&from.s);
}

TEST(clips_in_which_nothing_moves_last_as_long)
{
    swing from;
    written w;
    swing_begin(&from);
    hand_clip(&from.s.h, "pause", 3);
    hand_clip(&from.s.h, "", 0);
    write_as(&w, &from.s, "modeldata");
    CHECK(w.scene->animations[1].duration == 3 && w.scene->animations[2].duration == 0);
    CHECK(clip_of(&w, 1)->scales[0].keys.count == 2 && clip_of(&w, 2)->scales[0].keys.count == 0);
    CHECK(text_is(clip_of(&w, 2)->name, "animation"));
    written_free(&w);
    stage_end(&from.s);
}

TEST(stepped_and_cubic_curves_become_lines)
{
    swing from;
    written w;
    float values[18] = {0, 0, 0, -1, 0, 0, 0, 9, 0, 0, 9, 0, 1, 0, 0, 0, 0, 0};
    swing_begin(&from);
    from.s.h.channels[0].curve = TENON_STEP;
    write_as(&w, &from.s, "modeldata");
    CHECK(clip_of(&w, 0)->positions[0].keys.count == 3 && w.proof.largest < 1e-4);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "curves") == 1);
    written_free(&w);
    from.s.h.channels[0].curve = TENON_CUBIC;
    from.s.h.channels[0].values = values;
    write_as(&w, &from.s, "modeldata");
    CHECK(clip_of(&w, 0)->positions[0].keys.count > 8 && w.proof.largest < 1e-4);
    CHECK(hand_near(reported_error(&w, "curves"), w.proof.largest, 1e-12));
    written_free(&w);
    stage_end(&from.s);
}

// A curve between two times that have no float between them: key times still rise.
TEST(keys_closer_than_floats_still_rise)
{
    swing from;
    written w;
    float times[] = {0, 1, 1 + 0x1p-23f, 2};
    float values[36] = {0};
    swing_begin(&from);
    for (int i = 0; i < 4; i++) values[9 * i + 3] = i % 2 ? 8.0f : 0.0f;
    values[9 + 6] = 1e9f;
    values[18] = -1e9f;
    tenon_channel *c = &from.s.h.channels[0];
    *c = (tenon_channel){.node = c->node,
                         .target = TENON_TRANSLATION,
                         .curve = TENON_CUBIC,
                         .key_count = 4,
                         .times = times,
                         .values = values};
    from.s.h.animations[0].duration = 2;
    write_as(&w, &from.s, "modeldata");
    const tenon_span *keys = &clip_of(&w, 0)->positions[0].keys;
    CHECK(keys->count > 4);
    for (uint64_t i = 1; i < keys->count; i++)
        CHECK(tn_load_f32(keys->data + 16 * i, true) > tn_load_f32(keys->data + 16 * i - 16, true));
    written_free(&w);
    stage_end(&from.s);
}

TEST(rotations_take_the_shorter_way)
{
    swing from;
    written w;
    swing_begin(&from);
    for (int i = 4; i < 8; i++) from.turns[i] = -from.turns[i];
    hand_channel(&from.s.h, from.arm, TENON_ROTATION, 2, from.times, from.turns);
    write_as(&w, &from.s, "modeldata");
    CHECK(HOLDS(&clip_of(&w, 0)->rotations[0].keys, 5, 24, 0, 0, 0.70710678f, 0.70710678f));
    CHECK(is_same_pose(&w));
    written_free(&w);
    stage_end(&from.s);
}

// -- Scales

// A part bound to a joint that moves has its scale.
TEST(scales_of_joints_go_into_their_vertices)
{
    swing from;
    written w;
    swing_begin(&from);
    stage_scale(&from.s, from.arm, 2, 2, 2);
    hand_channel(&from.s.h, from.plate, TENON_ROTATION, 2, from.times, from.turns);
    write_as(&w, &from.s, "modeldata");
    CHECK(model_of(&w)->joint_count == 2 && joint_called(&w, "arm")->bind_local_pose[0] == 1);
    CHECK(joint_called(&w, "plate")->bind_local_pose[7] == 6 && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "scales of joints") == 1);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "scale animation") == 0);
    written_free(&w);
    stage_scale(&from.s, from.arm, 2, 3, -4);
    stage_move(&from.s, from.plate, 1, 1, 1);
    write_as(&w, &from.s, "modeldata");
    CHECK(model_of(&w)->joint_count == 3 && joint_called(&w, "arm_scale")->parent_index == 0);
    CHECK(is_same_pose(&w));
    written_free(&w);
    stage_end(&from.s);
}

// As imported joints have it: the bind pose is scaled, animated joints are not.
TEST(a_scale_may_differ_where_clips_move_the_joint)
{
    swing from;
    written w;
    float one[3] = {1, 1, 1}, zero[1] = {0};
    swing_begin(&from);
    stage_scale(&from.s, from.arm, 2, 2, 2);
    hand_channel(&from.s.h, from.arm, TENON_SCALE, 1, zero, one);
    write_as(&w, &from.s, "modeldata");
    CHECK(joint_called(&w, "arm")->bind_local_pose[0] == 2 && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "scale animation") == 0);
    written_free(&w);
    one[1] = 3;
    write_as(&w, &from.s, "modeldata");
    CHECK(joint_called(&w, "arm")->bind_local_pose[0] == 2 && is_same_pose(&w));
    written_free(&w);
    stage_end(&from.s);
}

TEST(scales_that_change_are_reported_with_their_error)
{
    swing from;
    written w;
    float scales[6] = {1, 1, 1, 2, 2, 2};
    swing_begin(&from);
    hand_channel(&from.s.h, from.arm, TENON_SCALE, 2, from.times, scales);
    write_as(&w, &from.s, "modeldata");
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "scale animation") == 1 && w.proof.largest > 0.1);
    CHECK(hand_near(reported_error(&w, "scale animation"), w.proof.largest, 1e-9));
    CHECK(lost(&w.reported, TENON_DROPPED, "scale channels") == 1);
    written_free(&w);
    stage_end(&from.s);
}

TEST(sheared_nodes_between_joints_are_matrices)
{
    swing from;
    written w;
    swing_begin(&from);
    uint32_t between = hand_node(&from.s.h, "between", from.arm);
    uint32_t last = hand_node(&from.s.h, "last", between);
    tenon_node *node = &from.s.h.nodes[between];
    node->has_matrix = true;
    for (int i = 0; i < 16; i++) node->matrix[i] = i % 5 == 0;
    node->matrix[4] = 1;
    stage_triangle(&from.s, "last", last);
    hand_channel(&from.s.h, last, TENON_ROTATION, 2, from.times, from.turns);
    write_as(&w, &from.s, "modeldata");
    CHECK(joint_called(&w, "between")->bind_local_pose[1] == 1 && is_same_pose(&w));
    written_free(&w);
    stage_end(&from.s);
}

// -- Limits

#define CHAIN 300

// A chain of nodes, each a little above the one before, with a plate at its end.
typedef struct chain {
    stage s;
    tenon_node nodes[CHAIN];
    tenon_channel channels[CHAIN];
    float times[2], turns[8];
} chain;

// Every node whose number can be divided by `step` turns.
static void chain_begin(chain *c, uint32_t count, uint32_t step)
{
    stage_begin(&c->s);
    for (uint32_t i = 0; i < count; i++) {
        c->s.h.scene.node_count = 0;
        (void)hand_node(&c->s.h, "link", i ? i - 1 : TENON_NONE);
        c->nodes[i] = c->s.h.nodes[0];
        c->nodes[i].translation[1] = 0.1;
        c->nodes[i].is_joint = true;
    }
    c->s.h.scene.nodes = c->nodes;
    c->s.h.scene.node_count = count;
    stage_triangle(&c->s, "plate", 0);
    c->nodes[0].mesh = TENON_NONE;
    c->nodes[count - 1].mesh = 0;
    memcpy(c->times, (const float[]){0, 1}, sizeof c->times);
    memcpy(c->turns, (const float[]){0, 0, 0, 1, 0.6f, 0, 0, 0.8f}, sizeof c->turns);
    tenon_animation *a = hand_clip(&c->s.h, "bend", 1);
    a->channels = c->channels;
    for (uint32_t i = 0; i < count; i += step)
        c->channels[a->channel_count++] = (tenon_channel){.node = i,
                                                          .target = TENON_ROTATION,
                                                          .key_count = 2,
                                                          .times = c->times,
                                                          .values = c->turns};
}

TEST(unneeded_joints_are_left_out_if_there_are_too_many)
{
    static chain c;
    written w;
    chain_begin(&c, 50, 1);
    write_as(&w, &c.s, "modeldata");
    CHECK(model_of(&w)->joint_count == 50 && lost(&w.reported, TENON_DROPPED, "joints") == 0);
    written_free(&w);
    stage_end(&c.s);
    chain_begin(&c, 60, 4);
    write_as(&w, &c.s, "modeldata");
    CHECK(model_of(&w)->joint_count == 15 && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_DROPPED, "joints") == 45);
    written_free(&w);
    stage_end(&c.s);
}

TEST(more_joints_than_the_engine_allows_are_reported)
{
    static chain c;
    written w;
    chain_begin(&c, CHAIN, 1);
    write_with(&w, &c.s.h.scene, (tenon_export_opts){.format = "cea"});
    CHECK(w.is_written && model_of(&w)->joint_count == CHAIN && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "joints") == CHAIN - 50);
    written_free(&w);
    stage_end(&c.s);
}

// What a clip keeps at rest moves nothing, and can be left out.
TEST(channels_that_hold_the_rest_pose_need_no_joints)
{
    static chain c;
    written w;
    static float still[8] = {0, 0, 0, 1, 0, 0, 0, 1};
    chain_begin(&c, 60, 1);
    for (uint32_t i = 10; i < 60; i++) c.channels[i].values = still;
    write_as(&w, &c.s, "modeldata");
    CHECK(model_of(&w)->joint_count == 10 && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_DROPPED, "channels") == 50);
    written_free(&w);
    stage_end(&c.s);
}

TEST(other_losses_are_reported)
{
    swing from;
    written w;
    tenon_event event = {0.5, {"bang", 4}};
    tenon_camera camera = {.name = {"eye", 3}, .field_of_view = 1, .near_plane = 0.1};
    tenon_light light = {.name = {"lamp", 4}, .kind = TENON_POINT_LIGHT};
    swing_begin(&from);
    from.s.h.animations[0].events = &event;
    from.s.h.animations[0].event_count = 1;
    from.s.h.scene.cameras = &camera;
    from.s.h.scene.camera_count = 1;
    from.s.h.scene.lights = &light;
    from.s.h.scene.light_count = 1;
    from.s.h.scene.name = hand_text("yard");
    write_as(&w, &from.s, "modeldata");
    static const char *const dropped[] = {"events", "cameras", "lights", "name of the scene",
                                          "nodes"};
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++)
        CHECK(lost(&w.reported, TENON_DROPPED, dropped[i]) == 1);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "nodes") == 1);
    written_free(&w);
    stage_end(&from.s);
}

int main(void)
{
    RUN(rigid_parts_are_bound_to_what_moves_them);
    RUN(a_missing_root_is_synthesized);
    RUN(matrices_are_row_major);
    RUN(a_node_that_skins_bind_differently_has_two_joints);
    RUN(skinned_and_rigid_parts_share_joints);
    RUN(more_than_four_influences_are_reported_with_their_error);
    RUN(every_joint_has_its_lists);
    RUN(lists_start_at_0_and_one_lasts_to_the_end);
    RUN(clips_in_which_nothing_moves_last_as_long);
    RUN(stepped_and_cubic_curves_become_lines);
    RUN(keys_closer_than_floats_still_rise);
    RUN(rotations_take_the_shorter_way);
    RUN(scales_of_joints_go_into_their_vertices);
    RUN(a_scale_may_differ_where_clips_move_the_joint);
    RUN(scales_that_change_are_reported_with_their_error);
    RUN(sheared_nodes_between_joints_are_matrices);
    RUN(unneeded_joints_are_left_out_if_there_are_too_many);
    RUN(more_joints_than_the_engine_allows_are_reported);
    RUN(channels_that_hold_the_rest_pose_need_no_joints);
    RUN(other_losses_are_reported);
    TEST_END();
}
