// test_diff.c: what differs between two scenes, where that is known beforehand.
// SPDX-License-Identifier: MIT

#include "diff_help.h"

// -- Nodes

TEST(a_scene_equals_itself)
{
    begin_both();
    same();
    check_same(&a.h.scene, &a.h.scene);
    hand nothing;
    hand_begin(&nothing);
    check_same(&nothing.scene, &nothing.scene);
}

TEST(another_name_is_one_difference)
{
    begin_both();
    b.h.nodes[MAST].name = hand_text("tower");
    one("nodes[mast].name", "mast", "tower", -1);
    begin_both();
    b.h.meshes[0].name = hand_text("panel");
    one("meshes[sign].name", "sign", "panel", -1);
    begin_both();
    b.h.scene.name = hand_text("yard");
    one("name", "", "yard", -1);
}

TEST(names_that_are_not_unique_are_numbers)
{
    begin_both();
    a.h.nodes[PANEL].name = b.h.nodes[PANEL].name = hand_text("jib");
    a.h.nodes[JIB].name = b.h.nodes[JIB].name = hand_text("jib");
    same();
    b.h.nodes[PANEL].translation[0] = 5;
    one("nodes[3].translation", "0 0 0", "5 0 0", 1);
}

TEST(a_moved_node_is_reported_as_a_share_of_the_diagonal)
{
    begin_both();
    b.h.nodes[PANEL].translation[0] = 1;
    one("nodes[panel].translation", "0 0 0", "1 0 0", 0.2);

    // Below a node that scales down, a length means less.
    begin_both();
    for (int k = 0; k < 3; k++) a.h.nodes[BASE].scale[k] = b.h.nodes[BASE].scale[k] = 0.01;
    for (int k = 0; k < 3; k++) a.h.nodes[MAST].scale[k] = b.h.nodes[MAST].scale[k] = 100;
    b.h.nodes[PANEL].translation[1] = 1;
    one("nodes[panel].translation", "0 0 0", "0 1 0", 0.002);
}

TEST(rotations_are_angles)
{
    double half = sqrt(0.5);
    begin_both();
    memcpy(b.h.nodes[PANEL].rotation, (double[]){0, 0, half, half}, sizeof(double[4]));
    one("nodes[panel].rotation", "0 0 0 1", "0 0 0.70710677 0.70710677", 1.5707963267948966);

    // A quaternion and its negative are the same rotation.
    begin_both();
    b.h.nodes[PANEL].rotation[3] = -1;
    same();
}

TEST(transforms_are_compared_as_matrices)
{
    // Half a turn about Y, expressed in three ways.
    begin_both();
    memcpy(a.h.nodes[PANEL].rotation, (double[]){0, 1, 0, 0}, sizeof(double[4]));
    b.h.nodes[PANEL].scale[0] = b.h.nodes[PANEL].scale[2] = -1;
    same();
    begin_both();
    memcpy(a.h.nodes[PANEL].rotation, (double[]){0, 1, 0, 0}, sizeof(double[4]));
    const double matrix[16] = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1};
    memcpy(b.h.nodes[PANEL].matrix, matrix, sizeof matrix);
    b.h.nodes[PANEL].has_matrix = true;
    same();
    b.h.nodes[PANEL].matrix[5] = 2;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 1);
    CHECK_STR(found.paths[0], "nodes[panel].matrix");
    CHECK_STR(found.b[0], "-1 0 0 0 0 2 0 0 0 0 -1 0 0 0 0 1");
    b.h.nodes[BASE].name = hand_text("foot");
    found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 2 && strcmp(found.paths[1], "nodes[panel].matrix") == 0);
}

TEST(a_node_with_another_parent_is_the_same_node)
{
    begin_both();
    b.h.nodes[JIB].parent = BASE;
    one("nodes[jib].parent", "mast", "base", -1);
}

TEST(nodes_come_and_go)
{
    begin_both();
    hand_node(&b.h, "flag", JIB);
    one("nodes[flag]", "", "flag", -1);
    make_rich(&a);
    hand_node(&a.h, "", MAST);  // Without a name, in order: it is the flag, moved and named.
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 2);
    CHECK_STR(found.paths[0], "nodes[4]");
    CHECK_STR(found.paths[1], "nodes[flag]");
}

TEST(references_are_compared_through_pairs)
{
    // The same meshes in another order.
    static float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    begin_both();
    hand_mesh(&a.h, "hook", JIB, triangle, 3);
    hand_mesh(&b.h, "hook", JIB, triangle, 3);
    tenon_mesh spare = b.h.meshes[0];
    b.h.meshes[0] = b.h.meshes[1], b.h.meshes[1] = spare;
    b.h.nodes[JIB].mesh = 0, b.h.nodes[PANEL].mesh = 1;
    b.extras[0].index = 1;
    same();
    b.h.nodes[JIB].mesh = 1;
    b.h.nodes[JIB].skin = 0;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 2);
    CHECK_STR(found.paths[0], "nodes[jib].mesh");
    CHECK_STR(found.a[0], "hook");
    CHECK_STR(found.b[0], "sign");
    CHECK_STR(found.paths[1], "nodes[jib].skin");
}

// -- Materials

TEST(materials_are_compared)
{
    begin_both();
    b.materials[0].base_color[1] = 0.5;
    one("materials[paint].base_color", "1 1 1 1", "1 0.5 1 1", 0.25);
    begin_both();
    b.materials[0].alpha = TENON_BLEND;
    one("materials[paint].alpha", "opaque", "blend", -1);
    begin_both();
    b.materials[1].double_sided = true;
    one("materials[steel].double_sided", "no", "yes", -1);
    begin_both();
    b.materials[1].shininess = 3;  // It is not compared, as the material is not classic.
    same();
    begin_both();
    b.materials[0].textures[0].wrap[1] = TENON_CLAMP;
    one("materials[paint].textures[base color].wrap", "repeat repeat", "repeat clamp", -1);
    begin_both();
    b.materials[1].textures[TENON_SLOT_NORMAL].image = 0;
    one("materials[steel].textures[normal]", "", "f", -1);
}

TEST(textures_are_compared_by_file)
{
    begin_both();
    b.images[0].path = hand_text("../models/skins/f.png");
    same();
    b.images[0].path = hand_text("f.png");
    same();
    b.images[0].path = hand_text("s/f.png");
    one("images[f].path", "skins/f.png", "s/f.png", -1);
    b.images[0].path = hand_text("hides/f.png");
    one("images[f].path", "skins/f.png", "hides/f.png", -1);
    b.images[0].path = hand_text("f.dds");
    one("images[f].path", "skins/f.png", "f.dds", -1);
    b.images[0].path = hand_text("");
    same();  // The bytes of the picture, and its name.
    a.images[0].data = (const uint8_t *)"123", a.images[0].size = 3;
    b.images[0].data = (const uint8_t *)"124", b.images[0].size = 3;
    one("images[f].data", "3 bytes", "3 other bytes", -1);
}

// -- Animations

TEST(curves_are_compared_by_what_they_do)
{
    static float more_times[] = {0, 0.5f, 1, 1.5f, 2};
    static float more_turns[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    more_turns[6] = more_turns[7] = more_turns[14] = more_turns[15] = (float)sqrt(0.5);
    begin_both();
    b.h.channels[0].key_count = 5;
    b.h.channels[0].times = more_times, b.h.channels[0].values = more_turns;
    same();
    for (int k = 0; k < 12; k++) more_turns[k] = -more_turns[k];  // The same rotations.
    same();
    b.h.channels[0].curve = TENON_STEP;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 1);
    CHECK_STR(found.paths[0], "animations[lift].channels[jib.rotation]");
    CHECK_STR(found.kinds[0], "channels");
    // At two thirds of the first half second the one has rotated by 30 degrees times 2.
    CHECK(hand_near(found.amounts[0], 3.14159265358979 / 3, 1e-6));
}

TEST(the_first_time_is_reported)
{
    begin_both();
    b.turns[6] = 0, b.turns[5] = 1;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 1);
    CHECK_STR(found.a[0], "0 0 0.5 0.8660254 at 0.33333334 s");
    CHECK_STR(found.b[0], "0 0.5 0 0.8660254 at 0.33333334 s");
    CHECK(hand_near(found.amounts[0], 3.14159265358979, 1e-6));  // Half a turn about another axis.
}

// A cubic whose tangents are straight is a line; another one with the same middle is not.
TEST(cubics_and_lines_are_distinguished)
{
    static float times[] = {0, 2}, line[] = {0, 0, 0, 4, 0, 0};
    static float straight[] = {2, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0, 0, 4, 0, 0, 2, 0, 0};
    begin_both();
    a.h.animations[0].channel_count = b.h.animations[0].channel_count = 2;
    a.h.channels[1] = b.h.channels[1] = (tenon_channel){.node = PANEL,
                                                        .target = TENON_TRANSLATION,
                                                        .curve = TENON_LINEAR,
                                                        .key_count = 2,
                                                        .times = times,
                                                        .values = line};
    b.h.channels[1].curve = TENON_CUBIC;
    b.h.channels[1].values = straight;
    same();
    straight[6] = straight[9] = 4;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 1);
    CHECK_STR(found.paths[0], "animations[lift].channels[panel.translation]");
    straight[6] = straight[9] = 2;
}

TEST(a_channel_without_motion_is_ignored)
{
    static float times[] = {0, 1}, still[] = {0, 0, 7, 0, 0, 7};
    begin_both();
    a.h.nodes[PANEL].translation[2] = b.h.nodes[PANEL].translation[2] = 7;
    hand_channel(&b.h, PANEL, TENON_TRANSLATION, 2, times, still);
    same();
    still[5] = 12;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 1);
    CHECK_STR(found.paths[0], "animations[lift].channels[panel.translation]");
    CHECK_STR(found.a[0], "0 0 7 at 0.33333334 s");
    CHECK(hand_near(found.amounts[0], 5.0 / 12, 1e-6));
    still[5] = 7;
}

TEST(clips_are_found_by_name)
{
    begin_both();
    b.h.animations[0].name = hand_text("Armature|Lift");
    one("animations[lift].name", "lift", "Armature|Lift", -1);
    hand_clip(&a.h, "idle", 1);
    hand_clip(&b.h, "idle", 1);
    tenon_animation spare = b.h.animations[0];
    b.h.animations[0] = b.h.animations[1], b.h.animations[1] = spare;
    one("animations[lift].name", "lift", "Armature|Lift", -1);
    begin_both();
    hand_clip(&a.h, "drop", 2);
    hand_clip(&b.h, "DROP", 2);
    b.h.animations[0].name = hand_text("Armature|Lift");
    tenon_animation other = b.h.animations[0];
    b.h.animations[0] = b.h.animations[1], b.h.animations[1] = other;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 2 && strcmp(found.b[0], "Armature|Lift") == 0 &&
          strcmp(found.b[1], "DROP") == 0);
    begin_both();
    b.h.animations[0].duration = 3;
    one("animations[lift].duration", "2", "3", 1.0 / 3);
}

TEST(events_are_compared)
{
    begin_both();
    b.events[0].time = 0.75;
    one("animations[lift].events[click]", "0.5 s", "0.75 s", 0.25);
    b.h.animations[0].event_count = 0;
    one("animations[lift].events[click]", "0.5 s", "", -1);
}

// -- The rest

TEST(cameras_lights_and_extras_are_compared)
{
    begin_both();
    b.cameras[0].near_plane = 2;
    one("cameras[eye].near_plane", "1", "2", 0.5);
    begin_both();
    b.lights[0].kind = TENON_POINT_LIGHT;
    one("lights[sun].kind", "directional", "point", -1);
    begin_both();
    b.extras[0].value = hand_text("sphere");
    one("meshes[sign].extras[shape]", "box", "sphere", -1);
    b.extras[0].name = hand_text("kind");
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 2);
    CHECK_STR(found.paths[0], "meshes[sign].extras[shape]");
    CHECK_STR(found.paths[1], "meshes[sign].extras[kind]");
    b.extras[0].of = TENON_EXTRA_OF_SCENE;
    found = compare(&a.h.scene, &b.h.scene);
    CHECK_STR(found.paths[1], "extras[kind]");
}

TEST(the_tolerance_counts)
{
    begin_both();
    b.h.nodes[PANEL].translation[0] = 4e-6;  // Of a diagonal of 5: 8e-7.
    same();
    diff_result found = compare_within(&a.h.scene, &b.h.scene, 1e-7);
    CHECK(found.count == 1 && hand_near(found.amounts[0], 8e-7, 1e-15));
    b.h.nodes[PANEL].translation[0] = 6e-6;
    CHECK(compare(&a.h.scene, &b.h.scene).count == 1);
    CHECK(compare_within(&a.h.scene, &b.h.scene, 1e-5).count == 0);
}

// Numbers that only differ in digits that floats do not have are shown with more digits.
TEST(texts_show_what_differs)
{
    begin_both();
    b.lights[0].intensity = 2 + 1e-9;
    diff_result found = compare_within(&a.h.scene, &b.h.scene, 1e-12);
    CHECK(found.count == 1);
    CHECK_STR(found.a[0], "2");
    CHECK_STR(found.b[0], "2.000000001");
}

TEST(twenty_of_a_kind_are_reported)
{
    enum { COUNT = 100 };
    static tenon_node ours[COUNT], theirs[COUNT];
    hand one_hand, other;
    hand_begin(&one_hand);
    hand_begin(&other);
    hand_node(&one_hand, "n", TENON_NONE);
    for (int i = 0; i < COUNT; i++) {
        ours[i] = theirs[i] = one_hand.nodes[0];
        theirs[i].translation[0] = i;  // The first one is where it was.
    }
    one_hand.scene.nodes = ours, other.scene.nodes = theirs;
    one_hand.scene.node_count = other.scene.node_count = COUNT;
    diff_result found = compare(&one_hand.scene, &other.scene);
    CHECK(found.size == 20 && found.count == 99);
    CHECK_STR(found.paths[0], "nodes[1].translation");
    CHECK_STR(found.paths[19], "nodes[20].translation");
    CHECK(found.more[18] == 0 && found.more[19] == 79);
}

// -- Faults

TEST(an_invalid_scene_is_refused)
{
    tenon_error err;
    uint64_t count;
    begin_both();
    b.h.nodes[BASE].parent = PANEL;
    CHECK(!tenon_diff(&a.h.scene, &b.h.scene, NULL, take, NULL, &count, &err));
    CHECK(err.code == TENON_ERR_VALUE && count == 0);
    begin_both();
    b.h.nodes[PANEL].translation[0] = 1;
    CHECK(tenon_diff(&a.h.scene, &b.h.scene, NULL, NULL, NULL, &count, NULL) && count == 1);
}

TEST(memory_may_run_out_at_any_time)
{
    begin_both();
    b.h.nodes[MAST].name = hand_text("tower");
    b.h.primitives[0].index_count = 3;
    b.turns[6] = 0, b.turns[5] = 1;
    bool ok = false;
    for (uint64_t call = 1; !ok && call < 200; call++) {
        hand_memory memory = {.refused = call};
        tenon_diff_opts opts = {.allocator = hand_allocator(&memory)};
        tenon_error err;
        diff_result found = {.size = 0};
        ok = tenon_diff(&a.h.scene, &b.h.scene, &opts, take, &found, &found.count, &err);
        CHECK(ok || (err.code == TENON_ERR_MEMORY && found.size == 0 && found.count == 0));
        CHECK(memory.live == 0);
    }
    CHECK(ok);
}

static bool stop(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    CHECK(done <= total);
    return false;
}

TEST(work_can_be_cancelled)
{
    tenon_error err;
    uint64_t count;
    tenon_diff_opts opts = {.events = {.user = NULL, .on_progress = stop}};
    begin_both();
    CHECK(!tenon_diff(&a.h.scene, &b.h.scene, &opts, take, NULL, &count, &err));
    CHECK(err.code == TENON_ERR_CANCELLED);
}

int main(void)
{
    RUN(a_scene_equals_itself);
    RUN(another_name_is_one_difference);
    RUN(names_that_are_not_unique_are_numbers);
    RUN(a_moved_node_is_reported_as_a_share_of_the_diagonal);
    RUN(rotations_are_angles);
    RUN(transforms_are_compared_as_matrices);
    RUN(a_node_with_another_parent_is_the_same_node);
    RUN(nodes_come_and_go);
    RUN(references_are_compared_through_pairs);
    RUN(materials_are_compared);
    RUN(textures_are_compared_by_file);
    RUN(curves_are_compared_by_what_they_do);
    RUN(the_first_time_is_reported);
    RUN(cubics_and_lines_are_distinguished);
    RUN(a_channel_without_motion_is_ignored);
    RUN(clips_are_found_by_name);
    RUN(events_are_compared);
    RUN(cameras_lights_and_extras_are_compared);
    RUN(the_tolerance_counts);
    RUN(texts_show_what_differs);
    RUN(twenty_of_a_kind_are_reported);
    RUN(an_invalid_scene_is_refused);
    RUN(memory_may_run_out_at_any_time);
    RUN(work_can_be_cancelled);
    TEST_END();
}
