// test_edit.c: spaces, nodes, clips and marks of a scene that is edited.
// SPDX-License-Identifier: MIT

#include "edit_help.h"

static const double half = 0.70710678118654752;

static bool has_rotation(const tenon_node *n, double x, double y, double z, double w)
{
    const double *q = n->rotation;
    double dot = q[0] * x + q[1] * y + q[2] * z + q[3] * w;
    return hand_near(fabs(dot), 1, 1e-9);
}

static bool has_translation(const tenon_node *n, double x, double y, double z)
{
    const double *t = n->translation;
    return t[0] == x && t[1] == y && t[2] == z;
}

// The value of an extra; "" if there is none.
static const char *extra_of(const tenon_scene *s, tenon_extra_of of, uint32_t index,
                            const char *name)
{
    const char *found = "";
    for (uint32_t i = 0; i < s->extra_count; i++) {
        const tenon_extra *e = &s->extras[i];
        if (e->of != of || e->index != index || strcmp(e->name.data, name) != 0) continue;
        CHECK_STR(found, "");  // Once only.
        found = e->value.data;
    }
    return found;
}

// -- Spaces

TEST(the_up_axis_goes_into_the_roots_and_the_scale_into_lengths)
{
    tn_scene_builder b;
    scene_begin(&b);
    uint32_t root = tn_add_node(&b, str("root"), TENON_NONE);
    uint32_t child = tn_add_node(&b, str("child"), root);
    memcpy(b.scene->nodes[root].translation, (double[3]){1, 2, 3}, 24);
    memcpy(b.scene->nodes[child].translation, (double[3]){1, 2, 3}, 24);
    must_reshape(b.scene, (edits){.source.turns = -1, .source.scale = 0.5});
    const tenon_node *n = b.scene->nodes;
    CHECK(b.scene->node_count == 2);
    CHECK(has_translation(&n[root], 0.5, 1.5, -1));
    CHECK(has_rotation(&n[root], -half, 0, 0, half) && n[root].scale[1] == 1);
    CHECK(has_translation(&n[child], 0.5, 1, 1.5) && n[child].scale[1] == 1);
    must_reshape(b.scene, (edits){.space.turns = 1, .space.scale = 2});
    CHECK(has_translation(&b.scene->nodes[root], 1, 2, 3));
    CHECK(has_rotation(&b.scene->nodes[root], 0, 0, 0, 1) && b.scene->nodes[root].scale[2] == 1);
    scene_end(&b);
}

// Keys of roots change as the roots do; tangents of cubic ones are not positions.
TEST(keys_of_roots_follow)
{
    tn_scene_builder b;
    scene_begin(&b);
    uint32_t root = tn_add_node(&b, str("root"), TENON_NONE);
    uint32_t child = tn_add_node(&b, str("child"), root);
    add_clip(&b, "clip");
    tenon_channel *moves = add_channel(&b, root, TENON_TRANSLATION, TENON_CUBIC, 1);
    tenon_channel *turns = add_channel(&b, root, TENON_ROTATION, TENON_LINEAR, 1);
    tenon_channel *grows = add_channel(&b, root, TENON_SCALE, TENON_STEP, 1);
    tenon_channel *other = add_channel(&b, child, TENON_SCALE, TENON_STEP, 1);
    for (int i = 0; i < 9; i++) moves->values[i] = (float)i;
    turns->values[1] = 1;
    for (int i = 0; i < 3; i++) grows->values[i] = 3, other->values[i] = 3;
    must_reshape(b.scene, (edits){.space.turns = 1, .space.scale = 10});
    const tenon_channel *c = b.scene->animations[0].channels;
    CHECK(hand_at(c[0].values, 0, -20, 10));
    CHECK(hand_at(c[0].values + 3, 30, -50, 40));
    CHECK(hand_at(c[0].values + 6, 60, -80, 70));
    // About y by half a turn, then about x by a quarter: (h, 0, 0, h) * (0, 1, 0, 0).
    CHECK(hand_at(c[1].values, 0, half, half) && hand_near(c[1].values[3], 0, 1e-7));
    CHECK(hand_at(c[2].values, 3, 3, 3) && hand_at(c[3].values, 3, 3, 3));
    scene_end(&b);
}

// No node gets a scale, unless floats could not hold the lengths.
TEST(the_scale_goes_into_vertices_and_binds)
{
    for (int is_huge = 0; is_huge < 2; is_huge++) {
        tn_scene_builder b;
        scene_begin(&b);
        uint32_t node = tn_add_node(&b, str("n"), TENON_NONE);
        tenon_primitive *p = add_triangle(&b, node, "mesh", 0);
        if (is_huge) p->positions[7] = 3e38f;
        tn_add_skin(&b, str("skin"), 1);
        b.scene->skins[0].inverse_binds[13] = 5;
        must_reshape(b.scene, (edits){.space.scale = 4});
        const float *at = b.scene->meshes[0].primitives[0].positions;
        CHECK(at[3] == (is_huge ? 1 : 4) && at[7] == (is_huge ? 3e38f : 8));
        CHECK(b.scene->nodes[node].scale[0] == (is_huge ? 4 : 1));
        CHECK(b.scene->skins[0].inverse_binds[13] == (is_huge ? 5 : 20));
        CHECK(b.scene->skins[0].inverse_binds[5] == 1);
        scene_end(&b);
    }
}

TEST(cameras_and_lights_have_lengths)
{
    tn_scene_builder b;
    scene_begin(&b);
    uint32_t node = tn_add_node(&b, str("n"), TENON_NONE);
    b.scene->nodes[node].camera = tn_add_camera(&b, str("camera"));
    b.scene->nodes[node].light = tn_add_light(&b, str("light"));
    b.scene->cameras[0].far_plane = 10;
    b.scene->lights[0].range = 3;
    must_reshape(b.scene, (edits){.space.scale = 2});
    CHECK(b.scene->cameras[0].far_plane == 20 && b.scene->cameras[0].near_plane == 0.2);
    CHECK(b.scene->lights[0].range == 6);
    scene_end(&b);
}

TEST(scales_are_numbers_above_zero)
{
    static const double wrong[] = {-1, HUGE_VAL, NAN};
    for (int i = 0; i < 6; i++) {
        tn_scene_builder b;
        scene_begin(&b);
        edits opts = {.space.scale = i < 3 ? wrong[i] : 0,
                      .source.scale = i < 3 ? 0 : wrong[i - 3]};
        CHECK_STR(refusal(b.scene, opts), "a scale has to be a number above 0");
        scene_end(&b);
    }
}

// -- The other hand

TEST(a_mirror_reverses_everything)
{
    tn_scene_builder b;
    scene_begin(&b);
    uint32_t node = tn_add_node(&b, str("n"), TENON_NONE);
    tenon_primitive *p = add_triangle(&b, node, "m", TN_WITH_NORMALS | TN_WITH_TANGENTS);
    p->positions[2] = 5;
    memcpy(b.scene->nodes[node].translation, (double[3]){1, 2, 3}, 24);
    memcpy(b.scene->nodes[node].rotation, (double[4]){0.5, 0.5, 0.5, 0.5}, 32);
    must_reshape(b.scene, (edits){.space.mirror = true});
    p = b.scene->meshes[0].primitives;
    CHECK(has_translation(&b.scene->nodes[0], 1, 2, -3));
    CHECK(has_rotation(&b.scene->nodes[0], -0.5, -0.5, 0.5, 0.5));
    CHECK(hand_at(p->positions, 0, 0, -5) && hand_at(p->positions + 3, 0, 2, 0));
    CHECK(hand_at(p->normals, 0, 0, -1) && hand_at(p->tangents, 1, 0, 0) && p->tangents[3] == -1);
    scene_end(&b);
}

// Streams that primitives share are mirrored once.
TEST(shared_streams_change_once)
{
    tn_scene_builder b;
    scene_begin(&b);
    uint32_t first = tn_add_node(&b, str("a"), TENON_NONE);
    uint32_t second = tn_add_node(&b, str("b"), TENON_NONE);
    tenon_primitive *p = add_triangle(&b, first, "a", TN_WITH_NORMALS);
    tenon_primitive *q = add_triangle(&b, second, "b", 0);
    static uint32_t indices[] = {0, 1, 2};
    p->positions[2] = 5;
    p->indices = indices, p->index_count = 3;
    *q = *p;
    must_reshape(b.scene, (edits){.source.mirror = true});
    p = b.scene->meshes[0].primitives, q = b.scene->meshes[1].primitives;
    CHECK(p->positions == q->positions && p->positions[2] == -5);
    CHECK(p->normals == q->normals && p->normals[2] == -1);
    CHECK(p->indices[1] == 2 && q->indices[1] == 2 && indices[1] == 1);
    scene_end(&b);
}

// A camera still looks at the same thing in the mirror; so does one whose node has a mesh.
TEST(cameras_look_the_same_way_in_the_mirror)
{
    for (int with_mesh = 0; with_mesh < 2; with_mesh++) {
        tn_scene_builder b;
        scene_begin(&b);
        uint32_t node = tn_add_node(&b, str("n"), TENON_NONE);
        memcpy(b.scene->nodes[node].rotation, (double[4]){0, half, 0, half}, 32);
        b.scene->nodes[node].camera = tn_add_camera(&b, str("camera"));
        if (with_mesh) (void)add_triangle(&b, node, "m", 0);
        add_clip(&b, "clip");
        tenon_channel *c = add_channel(&b, node, TENON_ROTATION, TENON_LINEAR, 1);
        c->values[3] = 1;  // In the clip it looks along -Z, at rest along -X.
        must_reshape(b.scene, (edits){.space.mirror = true});
        uint32_t view = with_mesh ? 1 : 0;
        CHECK(b.scene->node_count == view + 1 && b.scene->nodes[view].camera == 0);
        tenon_pose *pose = tenon_pose_new(b.scene, NULL, NULL);
        const double *m = tenon_pose_global(pose, view);
        CHECK(hand_near(m[8], 1, 1e-6) && hand_near(m[10], 0, 1e-6));
        tenon_pose_set(pose, 0, 0);
        CHECK(hand_near(m[10], -1, 1e-6));  // The mirror made +Z of -Z.
        tenon_pose_free(pose);
        scene_end(&b);
    }
}

TEST(point_lights_need_no_rotation)
{
    tn_scene_builder b;
    scene_begin(&b);
    uint32_t node = tn_add_node(&b, str("n"), TENON_NONE);
    b.scene->nodes[node].light = tn_add_light(&b, str("light"));
    b.scene->lights[0].kind = TENON_POINT_LIGHT;
    must_reshape(b.scene, (edits){.space.mirror = true});
    CHECK(has_rotation(&b.scene->nodes[0], 0, 0, 0, 1));
    scene_end(&b);
}

// -- Nodes

// Two towers; the skin of the second has a joint under the first.
static void make_towers(tn_scene_builder *b)
{
    scene_begin(b);
    uint32_t root = tn_add_node(b, str("root"), TENON_NONE);
    uint32_t one = tn_add_node(b, str("one"), root), two = tn_add_node(b, str("two"), root);
    uint32_t joint = tn_add_node(b, str("joint"), one), top = tn_add_node(b, str("top"), two);
    uint32_t lost = tn_add_node(b, str("lost"), one);
    (void)add_triangle(b, one, "base", 0);
    (void)add_triangle(b, top, "skinned", TN_WITH_SKIN);
    (void)add_triangle(b, lost, "unseen", 0);
    uint32_t skin = tn_add_skin(b, str("skin"), 1);
    b->scene->skins[skin].joints[0] = joint;
    b->scene->nodes[top].skin = skin;
    uint32_t material = tn_add_material(b, str("paint"));
    b->scene->meshes[2].primitives[0].material = material;
    tn_add_extra(b, TENON_EXTRA_OF_NODE, top, "tag", str("top"));
    tn_add_extra(b, TENON_EXTRA_OF_MESH, 1, "collision_shape", str("box"));
    tn_add_extra(b, TENON_EXTRA_OF_MESH, 2, "collision_shape", str("lost"));
    add_clip(b, "clip");
    for (uint32_t i = 0; i < 6; i++) (void)add_channel(b, i, TENON_TRANSLATION, TENON_STEP, 1);
    add_clip(b, "empty");
}

TEST(nodes_stay_with_what_they_reference)
{
    tn_scene_builder b;
    const char *names[] = {"two"};
    make_towers(&b);
    must_reshape(b.scene, (edits){.keep.nodes = names, .keep.node_count = 1});
    const tenon_scene *s = b.scene;
    CHECK(s->node_count == 5 && find_node(s, "lost") == TENON_NONE);
    uint32_t one = find_node(s, "one"), joint = find_node(s, "joint"), top = find_node(s, "top");
    CHECK(s->nodes[one].mesh == TENON_NONE && s->nodes[joint].parent == one);
    CHECK(s->mesh_count == 1 && s->nodes[top].mesh == 0 && s->skins[0].joints[0] == joint);
    CHECK(s->material_count == 0);
    CHECK(s->animations[0].channel_count == 5 && s->animations[0].channels[4].node == top);
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_NODE, top, "tag"), "top");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_MESH, 0, "collision_shape"), "box");
    CHECK(s->extra_count == 2);
    CHECK_STR(reported, "");
    scene_end(&b);
}

TEST(skins_of_removed_nodes_are_removed)
{
    tn_scene_builder b;
    const char *names[] = {"lost"};
    make_towers(&b);
    must_reshape(b.scene, (edits){.keep.nodes = names, .keep.node_count = 1});
    CHECK(b.scene->node_count == 3 && b.scene->skin_count == 0 && b.scene->mesh_count == 1);
    CHECK(b.scene->material_count == 1 && b.scene->extra_count == 1);
    scene_end(&b);
}

TEST(unknown_names_are_errors)
{
    const char *names[] = {"nobody"};
    const tenon_new_shape shapes[] = {{"nobody", "box"}};
    const tenon_new_event event = {"nobody", 0, "step"};
    const struct {
        edits opts;
        const char *why;
    } cases[] = {
        {{.keep.nodes = names, .keep.node_count = 1}, "no node is called 'nobody'"},
        {{.keep.clips = names, .keep.clip_count = 1}, "no clip is called 'nobody'"},
        {{.meshes.shapes = shapes, .meshes.shape_count = 1}, "no mesh is called 'nobody'"},
        {{.clips.new_events = &event, .clips.new_event_count = 1}, "no clip is called 'nobody'"},
        {{.clips.loops = names, .clips.loop_count = 1}, "no clip is called 'nobody'"},
        {{.clips.holds = names, .clips.hold_count = 1}, "no clip is called 'nobody'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tn_scene_builder b;
        make_towers(&b);
        CHECK_STR(refusal(b.scene, cases[i].opts), cases[i].why);
        scene_end(&b);
    }
}

// -- Clips

TEST(clips_are_chosen_in_order)
{
    tn_scene_builder b;
    const char *names[] = {"empty", "clip", "empty"};
    make_towers(&b);
    tn_add_extra(&b, TENON_EXTRA_OF_ANIMATION, 0, "loop", str("true"));
    must_reshape(b.scene, (edits){.keep.clips = names, .keep.clip_count = 3});
    CHECK(b.scene->animation_count == 2 && b.scene->animations[1].channel_count == 6);
    CHECK_STR(extra_of(b.scene, TENON_EXTRA_OF_ANIMATION, 1, "loop"), "true");
    must_reshape(b.scene, (edits){.keep.clips = names, .keep.clip_count = 1});
    CHECK(b.scene->animation_count == 1 && b.scene->animations[0].channel_count == 0);
    CHECK_STR(extra_of(b.scene, TENON_EXTRA_OF_ANIMATION, 0, "loop"), "");
    scene_end(&b);
}

// Keys at 1 and 2.5 move a node; the others do not change, from 0 on or at one time only.
static void make_late_clip(tn_scene_builder *b)
{
    scene_begin(b);
    add_clip(b, "late");
    for (uint32_t i = 0; i < 4; i++) (void)tn_add_node(b, str("node"), TENON_NONE);
    tenon_channel *moves = add_channel(b, 0, TENON_TRANSLATION, TENON_LINEAR, 2);
    moves->times[0] = 1, moves->times[1] = 2.5f;
    moves->values[3] = 7;
    tenon_channel *still = add_channel(b, 1, TENON_TRANSLATION, TENON_CUBIC, 4);
    for (uint32_t i = 0; i < 4; i++) still->values[9 * i + 4] = 3;
    (void)add_channel(b, 2, TENON_SCALE, TENON_STEP, 1);
    // Channels may share their times.
    tenon_channel *same = add_channel(b, 3, TENON_TRANSLATION, TENON_LINEAR, 2);
    same->times = moves->times;
    tenon_animation *a = &b->scene->animations[0];
    a->duration = 4;
    a->events = tn_scene_array(b, 2, sizeof *a->events);
    a->events[0] = (tenon_event){0.5, str("early")};
    a->events[1] = (tenon_event){2.5, str("step")};
    a->event_count = 2;
    add_clip(b, "other");
    tenon_channel *other = add_channel(b, 0, TENON_TRANSLATION, TENON_LINEAR, 2);
    other->values[3] = 1;
}

TEST(clips_start_at_the_first_key_that_changes_something)
{
    tn_scene_builder b;
    make_late_clip(&b);
    must_reshape(b.scene, (edits){.cut.start_at_first_key = true});
    const tenon_animation *a = &b.scene->animations[0];
    const tenon_channel *c = a->channels;
    CHECK(a->duration == 3 && a->channel_count == 4);
    CHECK(c[0].key_count == 2 && c[0].times[0] == 0 && c[0].times[1] == 1.5f);
    CHECK(c[0].values[3] == 7);
    CHECK(c[1].key_count == 3 && c[1].times[0] == 0 && c[1].times[2] == 2);
    CHECK(c[1].values[4] == 3 && c[1].values[22] == 3);
    CHECK(c[2].key_count == 1 && c[2].times[0] == 0);
    CHECK(c[3].times == c[0].times);
    CHECK(a->events[0].time == 0 && a->events[1].time == 1.5);
    // One that starts at 0 stays as it is.
    CHECK(b.scene->animations[1].duration == 1 && b.scene->animations[1].channels[0].times[1] == 1);
    CHECK_STR(reported, "");
    scene_end(&b);
}

TEST(clips_keep_the_time_before_their_first_key)
{
    tn_scene_builder b;
    make_late_clip(&b);
    must_reshape(b.scene, (edits){0});
    CHECK(b.scene->animations[0].duration == 4);
    CHECK(b.scene->animations[0].channels[0].times[0] == 1);
    scene_end(&b);
}

// A tangent moves the node, too, though both keys have the same value.
TEST(tangents_change_something)
{
    tn_scene_builder b;
    make_late_clip(&b);
    b.scene->animations[0].channels[1].values[6] = 1;
    must_reshape(b.scene, (edits){.cut.start_at_first_key = true});
    CHECK(b.scene->animations[0].duration == 4);
    scene_end(&b);
}

TEST(a_clip_in_which_nothing_changes_starts_at_its_first_key)
{
    tn_scene_builder b;
    scene_begin(&b);
    add_clip(&b, "pose");
    (void)tn_add_node(&b, str("node"), TENON_NONE);
    add_channel(&b, 0, TENON_TRANSLATION, TENON_LINEAR, 1)->times[0] = 2;
    (void)add_channel(&b, 0, TENON_SCALE, TENON_LINEAR, 2);
    b.scene->animations[0].channels[1].times[0] = 1.5f;
    b.scene->animations[0].channels[1].times[1] = 4;
    b.scene->animations[0].duration = 4;
    must_reshape(b.scene, (edits){.cut.start_at_first_key = true});
    const tenon_animation *a = &b.scene->animations[0];
    CHECK(a->duration == 2.5 && a->channels[0].times[0] == 0.5f && a->channels[1].times[0] == 0);
    scene_end(&b);
}

// Rounding moved both sides of a step to the same time.
TEST(times_of_clips_that_start_later_still_increase)
{
    tn_scene_builder b;
    scene_begin(&b);
    add_clip(&b, "steps");
    (void)tn_add_node(&b, str("node"), TENON_NONE);
    tenon_channel *c = add_channel(&b, 0, TENON_TRANSLATION, TENON_STEP, 401);
    c->times[0] = 1 / 24.0f;
    for (uint32_t i = 0; i < 200; i++) {
        c->times[2 * i + 2] = (float)(i + 3) / 24;
        c->times[2 * i + 1] = nextafterf(c->times[2 * i + 2], 0);
    }
    c->values[3] = 1;
    b.scene->animations[0].duration = 9;
    must_reshape(b.scene, (edits){.cut.start_at_first_key = true});
    c = &b.scene->animations[0].channels[0];
    CHECK(c->times[0] == 0);
    for (uint32_t i = 1; i < 401; i++) CHECK(c->times[i - 1] < c->times[i]);
    scene_end(&b);
}

// Another scene with the same names in another order, one of them twice, and one unknown.
static void make_other(tn_scene_builder *b)
{
    static const char *const names[] = {"top", "stranger", "joint", "joint", "fixed"};
    scene_begin(b);
    add_clip(b, "clip");
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t node = tn_add_node(b, str(names[i]), TENON_NONE);
        tenon_channel *c = add_channel(b, node, TENON_TRANSLATION, TENON_LINEAR, 2);
        c->values[3] = (float)(i + 1);
    }
    tenon_animation *a = &b->scene->animations[0];
    a->events = tn_scene_array(b, 1, sizeof *a->events);
    a->events[0] = (tenon_event){0.5, str("step")};
    a->event_count = 1;
    tn_add_extra(b, TENON_EXTRA_OF_ANIMATION, 0, "hold", str("true"));
    add_clip(b, "more");
}

TEST(clips_of_another_file_are_matched_by_node_names)
{
    tn_scene_builder b, other;
    make_towers(&b);
    make_other(&other);
    uint32_t fixed = tn_add_node(&b, str("fixed"), TENON_NONE);
    b.scene->nodes[fixed].has_matrix = true;
    b.scene->nodes[fixed].matrix[0] = b.scene->nodes[fixed].matrix[4] = 1;  // All on one line.
    b.scene->nodes[fixed].matrix[15] = 1;
    (void)tn_add_node(&b, str("top"), TENON_NONE);
    tn_add_extra(&b, TENON_EXTRA_OF_ANIMATION, 0, "loop", str("true"));
    must_reshape(b.scene, (edits){.clips_from = other.scene});
    scene_end(&other);  // It is no longer needed.
    const tenon_scene *s = b.scene;
    CHECK(s->animation_count == 3 && s->animations[0].channel_count == 2);
    const tenon_channel *c = s->animations[0].channels;
    CHECK(c[0].node == find_node(s, "top") && c[0].values[3] == 1 && c[0].times[1] == 1);
    CHECK(c[1].node == find_node(s, "joint") && c[1].values[3] == 3);
    CHECK(s->animations[0].event_count == 1 && s->animations[0].duration == 1);
    CHECK_STR(s->animations[0].events[0].name.data, "step");
    CHECK_STR(s->animations[2].name.data, "more");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_ANIMATION, 0, "loop"), "");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_ANIMATION, 0, "hold"), "true");
    CHECK_STR(reported, "dropped animations 1 at animations[0]; "
                        "dropped channels 1 at animations[0].channels[1]; "
                        "dropped channels 1 at animations[0].channels[3]; "
                        "dropped channels 1 at animations[0].channels[4]; "
                        "approximated channels 1 at animations[0].channels[0]; ");
    scene_end(&b);
}

// A matrix that is a translation, a rotation and a scale can be animated.
TEST(a_node_with_a_plain_matrix_can_be_moved)
{
    tn_scene_builder b, other;
    make_towers(&b);
    make_other(&other);
    uint32_t fixed = tn_add_node(&b, str("fixed"), TENON_NONE);
    tenon_node *node = &b.scene->nodes[fixed];
    node->has_matrix = true;
    for (int i = 0; i < 16; i++) node->matrix[i] = i % 5 == 0;
    node->matrix[13] = 7;
    must_reshape(b.scene, (edits){.clips_from = other.scene});
    scene_end(&other);
    node = &b.scene->nodes[find_node(b.scene, "fixed")];
    CHECK(!node->has_matrix && node->translation[1] == 7 && node->rotation[3] == 1);
    CHECK(b.scene->animations[0].channel_count == 3);
    scene_end(&b);
}

// Both files come from the same source: the options for the source apply to both.
TEST(clips_of_another_file_are_read_like_the_source)
{
    tn_scene_builder b, other;
    scene_begin(&b);
    scene_begin(&other);
    const char *names[] = {"run"};
    (void)tn_add_node(&b, str("hips"), TENON_NONE);
    add_clip(&b, "idle");
    (void)tn_add_node(&other, str("hips"), TENON_NONE);
    add_clip(&other, "run");
    tenon_channel *c = add_channel(&other, 0, TENON_TRANSLATION, TENON_LINEAR, 1);
    c->values[0] = 1, c->values[1] = 2, c->values[2] = 3;
    must_reshape(b.scene, (edits){.clips_from = other.scene,
                                  .source.turns = -1,
                                  .source.mirror = true,
                                  .keep.clips = names,
                                  .keep.clip_count = 1});
    CHECK(b.scene->animation_count == 1);
    CHECK(hand_at(b.scene->animations[0].channels[0].values, 1, 3, 2));
    scene_end(&b);
    scene_end(&other);
}

// -- Dropping

TEST(parts_are_dropped)
{
    tn_scene_builder b;
    scene_begin(&b);
    uint32_t node = tn_add_node(&b, str("n"), TENON_NONE);
    uint32_t material = tn_add_material(&b, str("paint"));
    tn_set_texture(&b, material, TENON_SLOT_BASE_COLOR, str("a.png"));
    tn_add_extra(&b, TENON_EXTRA_OF_MATERIAL, material, "shader", str("x"));
    tenon_primitive *p = add_triangle(&b, node, "m",
                                      TN_WITH_NORMALS | TN_WITH_TANGENTS | TN_WITH_UV0 |
                                          TN_WITH_UV1 | TN_WITH_COLOR);
    p->material = material;
    b.scene->nodes[node].camera = tn_add_camera(&b, str("camera"));
    b.scene->nodes[node].light = tn_add_light(&b, str("light"));
    p = b.scene->meshes[0].primitives;
    must_reshape(b.scene, (edits){.keep.drop = TENON_DROP_MORE_UVS | TENON_DROP_COLORS});
    p = b.scene->meshes[0].primitives;
    CHECK(p->uvs[0] && !p->uvs[1] && !p->colors[0] && p->tangents && p->material == material);
    must_reshape(b.scene, (edits){.keep.drop = TENON_DROP_UVS | TENON_DROP_TEXTURES});
    p = b.scene->meshes[0].primitives;
    CHECK(!p->uvs[0] && !p->tangents && p->normals && b.scene->image_count == 0);
    CHECK(b.scene->material_count == 1);
    must_reshape(b.scene, (edits){.keep.drop = TENON_DROP_NORMALS | TENON_DROP_MATERIALS |
                                               TENON_DROP_CAMERAS | TENON_DROP_LIGHTS});
    p = b.scene->meshes[0].primitives;
    CHECK(!p->normals && p->material == TENON_NONE && b.scene->material_count == 0);
    CHECK(b.scene->camera_count == 0 && b.scene->light_count == 0 && b.scene->extra_count == 0);
    CHECK(b.scene->nodes[0].camera == TENON_NONE && b.scene->nodes[0].light == TENON_NONE);
    CHECK_STR(reported, "");
    scene_end(&b);
}

TEST(extras_of_dropped_clips_are_dropped)
{
    tn_scene_builder b;
    make_towers(&b);
    tn_add_extra(&b, TENON_EXTRA_OF_ANIMATION, 0, "loop", str("true"));
    must_reshape(b.scene, (edits){.keep.drop = TENON_DROP_ANIMATIONS});
    CHECK(b.scene->animation_count == 0 && b.scene->skin_count == 1);
    CHECK(b.scene->extra_count == 3);
    CHECK_STR(reported, "");
    scene_end(&b);
}

// -- Marks

TEST(shapes_are_set_by_name_or_for_all)
{
    tn_scene_builder b;
    char name[] = "base", value[] = "sphere/2";
    const tenon_new_shape shapes[] = {{NULL, "box/1/1/1"}, {name, value}};
    make_towers(&b);
    must_reshape(b.scene, (edits){.meshes.shapes = shapes, .meshes.shape_count = 2});
    memset(value, '?', sizeof value - 1);  // The scene does not need it any more.
    CHECK_STR(extra_of(b.scene, TENON_EXTRA_OF_MESH, 0, "collision_shape"), "sphere/2");
    CHECK_STR(extra_of(b.scene, TENON_EXTRA_OF_MESH, 1, "collision_shape"), "box/1/1/1");
    CHECK_STR(extra_of(b.scene, TENON_EXTRA_OF_MESH, 2, "collision_shape"), "box/1/1/1");
    scene_end(&b);
}

TEST(events_are_put_in_order)
{
    tn_scene_builder b;
    const tenon_new_event events[] = {
        {"clip", 2, "end"}, {"clip", 0, "start"}, {"clip", 1, "a"}, {"clip", 1, "b"}};
    make_towers(&b);
    b.scene->animations[0].duration = 2;
    must_reshape(b.scene, (edits){.clips.new_events = events, .clips.new_event_count = 4});
    const tenon_animation *a = &b.scene->animations[0];
    static const char *const want[] = {"start", "a", "b", "end"};
    CHECK(a->event_count == 4);
    for (int i = 0; i < 4; i++) CHECK_STR(a->events[i].name.data, want[i]);
    CHECK(a->events[3].time == 2 && b.scene->animations[1].event_count == 0);
    const tenon_new_event late = {"clip", 2.1, "late"}, nearly = {"clip", 2.000001, "nearly"};
    must_reshape(b.scene, (edits){.clips.new_events = &nearly, .clips.new_event_count = 1});
    CHECK(b.scene->animations[0].events[4].time == 2);
    CHECK_STR(refusal(b.scene, (edits){.clips.new_events = &late, .clips.new_event_count = 1}),
              "the event 'late' is not within the clip 'clip'");
    scene_end(&b);
}

TEST(clips_loop_and_hold)
{
    tn_scene_builder b;
    const char *all[] = {"*"}, *one[] = {"empty"};
    make_towers(&b);
    tn_add_extra(&b, TENON_EXTRA_OF_ANIMATION, 1, "loop", str("false"));
    must_reshape(b.scene, (edits){.clips.loops = all,
                                  .clips.loop_count = 1,
                                  .clips.holds = one,
                                  .clips.hold_count = 1});
    for (uint32_t i = 0; i < 2; i++)
        CHECK_STR(extra_of(b.scene, TENON_EXTRA_OF_ANIMATION, i, "loop"), "true");
    CHECK_STR(extra_of(b.scene, TENON_EXTRA_OF_ANIMATION, 0, "hold"), "");
    CHECK_STR(extra_of(b.scene, TENON_EXTRA_OF_ANIMATION, 1, "hold"), "true");
    scene_end(&b);
}

// -- Stopping

static bool stop_at(void *user, uint64_t done, uint64_t total)
{
    CHECK(done < total);
    return done < *(uint64_t *)user;
}

TEST(the_progress_function_can_cancel)
{
    for (uint64_t at = 0; at < 7; at++) {
        tn_scene_builder b;
        tenon_error err;
        scene_begin(&b);
        edits opts = {.events = {.user = &at, .on_progress = stop_at},
                      .meshes.join = TENON_JOIN_NODES};
        bool ok = edit_scene(b.scene, &opts, &err);
        CHECK(ok == (at == 6) && (ok || err.code == TENON_ERR_CANCELLED));
        scene_end(&b);
    }
}

TEST(options_and_errors_may_be_missing)
{
    tn_scene_builder b;
    scene_begin(&b);
    CHECK(tenon_edit_space(b.scene, NULL, NULL));
    CHECK(!edit_scene(b.scene, &(edits){.space.scale = -1}, NULL));
    scene_end(&b);
}

int main(void)
{
    RUN(the_up_axis_goes_into_the_roots_and_the_scale_into_lengths);
    RUN(keys_of_roots_follow);
    RUN(the_scale_goes_into_vertices_and_binds);
    RUN(cameras_and_lights_have_lengths);
    RUN(scales_are_numbers_above_zero);
    RUN(a_mirror_reverses_everything);
    RUN(shared_streams_change_once);
    RUN(cameras_look_the_same_way_in_the_mirror);
    RUN(point_lights_need_no_rotation);
    RUN(nodes_stay_with_what_they_reference);
    RUN(skins_of_removed_nodes_are_removed);
    RUN(unknown_names_are_errors);
    RUN(clips_are_chosen_in_order);
    RUN(clips_start_at_the_first_key_that_changes_something);
    RUN(clips_keep_the_time_before_their_first_key);
    RUN(tangents_change_something);
    RUN(a_clip_in_which_nothing_changes_starts_at_its_first_key);
    RUN(times_of_clips_that_start_later_still_increase);
    RUN(clips_of_another_file_are_matched_by_node_names);
    RUN(a_node_with_a_plain_matrix_can_be_moved);
    RUN(clips_of_another_file_are_read_like_the_source);
    RUN(parts_are_dropped);
    RUN(extras_of_dropped_clips_are_dropped);
    RUN(shapes_are_set_by_name_or_for_all);
    RUN(events_are_put_in_order);
    RUN(clips_loop_and_hold);
    RUN(the_progress_function_can_cancel);
    RUN(options_and_errors_may_be_missing);
    TEST_END();
}
