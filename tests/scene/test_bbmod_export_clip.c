// test_bbmod_export_clip.c: clips exported as BBMOD animations: frames, spaces, events, durations,
// names; and the crane, from every format, in every dialect.
// SPDX-License-Identifier: MIT

#include "bbmod_export_help.h"

#define SLACK 1e-6

// -- Frames

// A clip of a ball that goes up by 1 a second, for two seconds, and has no parent.
static tenon_animation *make_ball(void)
{
    start(NULL);
    uint32_t node = add_mesh_node(&b, "ball", TENON_NONE, add_triangle(&b, "ball", 0, 0));
    add_clip(&b, "up", node, 3);
    return &b.scene->animations[0];
}

TEST(frames_are_the_pose_at_their_time)
{
    make_ball();
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbanim *clip = made_clip("box_up.bbanim");
    CHECK_STR(clip->base.dialect->name, "3.4");
    CHECK(clip->spaces == TENON_BBANIM_PARENT && clip->tics_per_second == 60);
    CHECK(clip->model_node_count == 1 && clip->model_bone_count == 0);
    CHECK(clip->duration == 121 && clip->frames.count == 121);
    const double at_half[] = {0, 0, 0, 1, 0, 0.25, 0, 0};
    CHECK(floats_are(clip->frames.data + 30 * 32, at_half, 8));
    CHECK(errors_in("box_up.bbanim", NULL) == 0);
    CHECK(made_error((tenon_export_opts){0}) < SLACK);
    tenon_doc_free(&clip->base);
    done();
}

// A frame lasts until the next one: a clip that is longer than its keys keeps its duration.
TEST(durations_are_kept_where_that_is_possible)
{
    static const struct {
        double duration, frames;
    } rows[] = {{2, 121}, {2.0 + 1.0 / 60, 121}, {2.5, 150}, {3, 180}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_ball()->duration = rows[i].duration;
        CHECK(make_bbmod((tenon_export_opts){0}));
        tenon_bbanim *clip = made_clip("box_up.bbanim");
        CHECK(clip->duration == rows[i].frames);
        bool is_kept = fabs(rows[i].frames / 60 - rows[i].duration) < 1e-9;
        CHECK((reported(TENON_APPROXIMATED, "durations") == NULL) == is_kept);
        tenon_doc_free(&clip->base);
        done();
    }
}

TEST(a_clip_without_length_is_one_frame)
{
    tenon_animation *clip = make_ball();
    clip->channels[0].key_count = 1;
    clip->duration = 0;
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbanim *made = made_clip("box_up.bbanim");
    CHECK(made->duration == 1);
    CHECK(reported(TENON_APPROXIMATED, "durations")->count == 1);
    CHECK(errors_in("box_up.bbanim", NULL) == 0);
    tenon_doc_free(&made->base);
    done();
}

TEST(the_rate_can_be_chosen)
{
    make_ball();
    CHECK(make_bbmod((tenon_export_opts){.rate = 10}));
    tenon_bbanim *clip = made_clip("box_up.bbanim");
    CHECK(clip->tics_per_second == 10 && clip->duration == 21);
    CHECK(!reported(TENON_APPROXIMATED, "motion between frames"));
    tenon_doc_free(&clip->base);
    b.scene->animations[0].channels[0].times[1] = 0.25f;  // Between two frames.
    CHECK(make_bbmod((tenon_export_opts){.rate = 10}));
    const tenon_loss *loss = reported(TENON_APPROXIMATED, "motion between frames");
    CHECK(loss && loss->count == 1 && loss->error > 0.01);
    CHECK_STR(lost_why(&k, "motion between frames"), "sampled at 10 frames per second");
    done();
}

TEST(a_clip_that_never_ends_is_refused)
{
    make_ball()->duration = 1e30;
    CHECK(!make_bbmod((tenon_export_opts){0}));
    CHECK(k.err.code == TENON_ERR_LIMIT && !kept_named(&k, ""));
    done();
}

TEST(events_are_at_their_frames)
{
    tenon_event events[] = {{0.5, str("step")}, {1.23456, str("")}};
    tenon_animation *clip = make_ball();
    clip->events = events;
    clip->event_count = 2;
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbanim *made = made_clip("box_up.bbanim");
    CHECK(made->event_count == 2 && made->events[0].frame == 30);
    CHECK_STR(made->events[0].name.data, "step");
    CHECK(fabs(made->events[1].frame - 1.23456 * 60) < 1e-9);
    tenon_doc_free(&made->base);
    CHECK(make_bbmod((tenon_export_opts){.dialect = "3.3"}));
    CHECK(reported(TENON_DROPPED, "events")->count == 2);
    done();
}

// -- Names

TEST(files_have_the_names_of_clips)
{
    static const char *const names[] = {"Armature|run", "run", "RUN", "a/b", ""};
    make_ball();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) add_clip(&b, names[i], 0, 2);
    CHECK(make_bbmod((tenon_export_opts){0}));
    CHECK(kept_named(&k, "box_up.bbanim") && kept_named(&k, "box_run.bbanim"));
    CHECK(kept_named(&k, "box_run_2.bbanim") && kept_named(&k, "box_RUN_3.bbanim"));
    CHECK(kept_named(&k, "box_a_b.bbanim") && kept_named(&k, "box_animation.bbanim"));
    CHECK(reported(TENON_APPROXIMATED, "names of animations")->count == 4);
    CHECK(reported(TENON_SYNTHESIZED, "names of clips")->count == 1);
    CHECK(make_bbmod((tenon_export_opts){.without_prefix = true}));
    CHECK(kept_named(&k, "up.bbanim") && kept_named(&k, "run.bbanim"));
    done();
}

// -- Spaces

// Two joints, one on the other, that turn.
static void make_arm(void)
{
    start(NULL);
    uint32_t low = tn_add_node(&b, str("low"), TENON_NONE),
             high = tn_add_node(&b, str("high"), low);
    uint32_t arm = add_mesh_node(&b, "arm", low, add_triangle(&b, "arm", 1, TN_WITH_SKIN));
    const uint32_t joints[] = {low, high};
    b.scene->nodes[arm].skin = add_skin(&b, joints, 2);
    b.scene->nodes[high].translation[0] = 1;
    b.scene->skins[0].inverse_binds[16 + 12] = -1;
    b.scene->meshes[0].primitives->joints[4] = 1;
    uint32_t clip = tn_add_animation(&b, str("turn"), 2);
    for (uint32_t i = 0; i < 2; i++) {
        tenon_channel *channel = &b.scene->animations[clip].channels[i];
        channel->node = joints[i];
        channel->target = TENON_ROTATION;
        tn_channel_alloc(&b, channel, 2);
        channel->times[1] = 1;
        channel->values[3] = 1;
        channel->values[4] = channel->values[7] = 0.70710678f;
    }
    b.scene->animations[clip].duration = 1;
}

TEST(all_spaces_hold_the_same)
{
    make_arm();
    for (uint32_t spaces = 1; spaces < 8; spaces++) {
        CHECK(make_bbmod((tenon_export_opts){.spaces = spaces}));
        tenon_doc *model = made_doc("");
        tenon_bbanim *clip = made_clip("box_turn.bbanim");
        CHECK(clip->spaces == spaces);
        CHECK(errors_in("box_turn.bbanim", model) == 0);
        CHECK(made_error((tenon_export_opts){.spaces = spaces}) < SLACK);
        tenon_doc_free(&clip->base);
        tenon_doc_free(model);
    }
    CHECK(!make_bbmod((tenon_export_opts){.spaces = 8}));
    CHECK(k.err.code == TENON_ERR_UNSUPPORTED && k.file_count == 0);
    done();
}

// Bone space has no other nodes: without bones it is not used, with bones that is reported.
TEST(bone_space_alone_has_bones_only)
{
    make_ball();
    CHECK(make_bbmod((tenon_export_opts){.spaces = TENON_BBANIM_BONE}));
    tenon_bbanim *clip = made_clip("box_up.bbanim");
    CHECK(clip->spaces == TENON_BBANIM_PARENT);
    CHECK(reported(TENON_DEFAULTED, "spaces")->count == 1);
    tenon_doc_free(&clip->base);
    done();
    make_arm();
    CHECK(make_bbmod((tenon_export_opts){.spaces = TENON_BBANIM_BONE}));
    const tenon_loss *loss = reported(TENON_APPROXIMATED, "motion of nodes");
    CHECK(loss && loss->count == 1 && loss->error < SLACK);  // The node of the skin itself.
    add_mesh_node(&b, "hat", 1, add_triangle(&b, "hat", 0, 0));
    CHECK(make_bbmod((tenon_export_opts){.spaces = TENON_BBANIM_BONE}));
    loss = reported(TENON_APPROXIMATED, "motion of nodes");
    CHECK(loss && loss->count == 2);
    done();
}

// Of the two dual quaternions for a transform, frames have the one nearer to the frame before:
// also where a scale makes them come from a matrix, with a rotation of nearly a full turn.
TEST(frames_do_not_jump_from_sign_to_sign)
{
    make_arm();
    tenon_channel *channel = &b.scene->animations[0].channels[0];
    tn_channel_alloc(&b, channel, 4);
    for (int i = 0; i < 4; i++) {
        channel->times[i] = (float)i / 3;
        channel->values[4 * i + 2] = (float)sin(i);
        channel->values[4 * i + 3] = (float)cos(i);
    }
    b.scene->nodes[0].scale[0] = 2;
    CHECK(make_bbmod((tenon_export_opts){.spaces = 7}));
    tenon_bbanim *clip = made_clip("box_turn.bbanim");
    uint64_t stride = clip->frames.layout->stride, jumps = 0;
    for (uint64_t at = stride; at < clip->frames.size; at += 32) {
        double dot = 0;
        for (uint64_t i = 0; i < 16; i += 4)
            dot += (double)float_at(clip->frames.data + at + i) *
                   (double)float_at(clip->frames.data + at + i - stride);
        jumps += dot < 0;
    }
    CHECK(jumps == 0 && clip->frames.size > stride);
    tenon_doc_free(&clip->base);
    done();
}

// -- The crane

static tenon_scene *load(const char *path)
{
    tenon_error err;
    static const char *const clips[] = {"travel", "lift"};
    tenon_doc *doc = tenon_read_file(path, NULL, &err), *more[2] = {NULL, NULL};
    tenon_companion companions[2];
    bool is_bbmod = tenon_as_bbmod(doc) != NULL;
    for (int i = 0; i < 2 && is_bbmod; i++) {
        char name[64];
        snprintf(name, sizeof name, "samples/crane_%s.bbanim", clips[i]);
        more[i] = tenon_read_file(name, NULL, &err);
        companions[i] = (tenon_companion){more[i], clips[i]};
    }
    tenon_scene_opts opts = {
        .model_path = path, .companions = companions, .companion_count = is_bbmod ? 2 : 0};
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, &err) : NULL;
    if (!scene) fprintf(stderr, "%s: %s\n", path, err.message);
    CHECK(scene != NULL);
    for (int i = 0; i < 2; i++) tenon_doc_free(more[i]);
    tenon_doc_free(doc);
    return scene;
}

TEST(the_crane_is_converted_from_every_format)
{
    static const char *const files[] = {
        "samples/crane.glb", "samples/crane.gpb",  "samples/crane.bmw",  "samples/crane.cea",
        "samples/crane.cem", "samples/crane.bplx", "samples/crane.bbmod"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        b.scene = load(files[i]);
        if (!b.scene) continue;
        CHECK(make_bbmod((tenon_export_opts){0}));
        CHECK(errors_in("", NULL) == 0);
        CHECK(made_error((tenon_export_opts){0}) < SLACK);
        done();
    }
}

// All of them hold its poses, except the dialect of the document, and those without bones.
TEST(the_crane_is_written_in_every_dialect)
{
    static const char *const dialects[] = {"3.4",       "3.3", "3.2", "3.1", "3.0",
                                           "3.0-upper", "2",   "1b",  "1a"};
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        b.scene = load("samples/crane.bbmod");
        if (!b.scene) continue;
        CHECK(make_bbmod((tenon_export_opts){.dialect = dialects[i]}));
        tenon_doc *model = made_doc("");
        CHECK_STR(model->dialect->name, dialects[i]);
        CHECK(made_error((tenon_export_opts){.dialect = dialects[i]}) < SLACK);
        tenon_doc_free(model);
        done();
    }
}

TEST(dialects_without_animations_report_it)
{
    static const char *const dialects[] = {"0", "1a-boneless"};
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        b.scene = load("samples/crane.bbmod");
        if (!b.scene) continue;
        CHECK(make_bbmod((tenon_export_opts){.dialect = dialects[i]}));
        CHECK(reported(TENON_DROPPED, "animations")->count == 2);
        CHECK(!kept_named(&k, "box_lift.bbanim"));
        done();
    }
}

// Version 0 has no magic: without a vertex it could not be recognized.
TEST(version_0_needs_triangles)
{
    make_ball();
    CHECK(make_bbmod((tenon_export_opts){.dialect = "0"}));
    b.scene->meshes[0].primitives->mode = TENON_LINES;
    CHECK(!make_bbmod((tenon_export_opts){.dialect = "0"}));
    CHECK(k.err.code == TENON_ERR_UNSUPPORTED && k.file_count == 0);
    done();
}

TEST(the_dialect_of_the_document_loses_what_is_measured)
{
    b.scene = load("samples/crane.bbmod");
    CHECK(make_bbmod((tenon_export_opts){.dialect = "document"}));
    CHECK(reported(TENON_APPROXIMATED, "frames")->error > 0.1);
    CHECK(!reported(TENON_APPROXIMATED, "bone weights"));
    done();
    b.scene = load("samples/crane.bbmod");
    CHECK(make_bbmod((tenon_export_opts){.dialect = "document-16"}));
    // One number for what cannot be distinguished.
    const tenon_loss *weights = reported(TENON_APPROXIMATED, "bone weights");
    CHECK(weights->error == 0);
    CHECK(strstr(lost_why(&k, "bone weights"), "measured together with") != NULL);
    done();
}

// What comes from BBMOD is written with the same numbers.
TEST(indices_survive)
{
    b.scene = load("samples/crane.bbmod");
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *made = made_model();
    tenon_error err;
    tenon_doc *doc = tenon_read_file("samples/crane.bbmod", NULL, &err);
    const tenon_bbmod *from = tenon_as_bbmod(doc);
    CHECK(from && made->node_count == from->node_count && made->bones.count == from->bones.count);
    const tenon_bbmod_node *x = &made->root, *y = &from->root;
    for (; x->child_count && x->child_count == y->child_count;
         x = &x->children[x->child_count - 1], y = &y->children[y->child_count - 1])
        CHECK(x->index == y->index && strcmp(x->name.data, y->name.data) == 0);
    CHECK(x->child_count == y->child_count);
    for (uint32_t i = 0; i < from->bones.count; i++)
        for (uint32_t at = 0; at < 36; at += 4)
            CHECK(fabs((double)float_at(made->bones.data + 36 * i + at) -
                       (double)float_at(from->bones.data + 36 * i + at)) < 1e-6);
    tenon_doc_free(doc);
    tenon_doc_free(&made->base);
    done();
}

TEST(the_same_scene_gives_the_same_bytes)
{
    b.scene = load("samples/crane.gpb");
    CHECK(make_bbmod((tenon_export_opts){0}));
    kept first = k;
    k = (kept){.calls_left = -1};
    CHECK(make_bbmod((tenon_export_opts){0}));
    CHECK(first.file_count == k.file_count && k.file_count > 3);
    for (int i = 0; i < k.file_count; i++) {
        CHECK_STR(first.files[i].name, k.files[i].name);
        CHECK(first.files[i].size == k.files[i].size &&
              memcmp(first.files[i].bytes, k.files[i].bytes, k.files[i].size) == 0);
    }
    kept_free(&first);
    done();
}

int main(void)
{
    RUN(frames_are_the_pose_at_their_time);
    RUN(durations_are_kept_where_that_is_possible);
    RUN(a_clip_without_length_is_one_frame);
    RUN(the_rate_can_be_chosen);
    RUN(a_clip_that_never_ends_is_refused);
    RUN(events_are_at_their_frames);
    RUN(files_have_the_names_of_clips);
    RUN(all_spaces_hold_the_same);
    RUN(bone_space_alone_has_bones_only);
    RUN(frames_do_not_jump_from_sign_to_sign);
    RUN(the_crane_is_converted_from_every_format);
    RUN(the_crane_is_written_in_every_dialect);
    RUN(dialects_without_animations_report_it);
    RUN(version_0_needs_triangles);
    RUN(the_dialect_of_the_document_loses_what_is_measured);
    RUN(indices_survive);
    RUN(the_same_scene_gives_the_same_bytes);
    TEST_END();
}
