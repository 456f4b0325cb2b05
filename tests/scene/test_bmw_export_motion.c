// test_bmw_export_motion.c: animated scenes exported as BMW: frames, clips, where the engine
// begins.
// SPDX-License-Identifier: MIT

#include "bmw_export_help.h"

#define SAMPLES "samples/"

static const tenon_export_opts plain;

// A triangle that a clip lifts by 1 a second, for two seconds.
static void make_lift(tn_scene_builder *builder)
{
    uint32_t mesh = add_triangle(builder, "box", 0, TN_WITH_NORMALS);
    (void)add_clip(builder, "lift", add_mesh_node(builder, "box", TENON_NONE, mesh), 3);
}

static tenon_channel *channel_of(uint32_t clip)
{
    return b.scene->animations[clip].channels;
}

// -- Frames

TEST(a_frame_is_a_matrix_that_is_ready_for_skinning)
{
    start(make_skinned);
    made m = make_bmw(plain);
    const tenon_bmw_animation *a = m.bmw->animations;
    CHECK(m.bmw->animation_count == 1 && a->rate == 60 && a->bone_count == 2);
    // Ticks 0 to 120 are the clip, 121 and 122 the rest pose.
    CHECK(a->duration == 122 && a->bones[0].frames.count == 123);
    CHECK(a->bones[0].node_id == 1 && a->bones[1].node_id == 2);
    // The knee is bound at 1 and goes from 0 to 2.
    CHECK(fabs(frame_number(&m, 1, 0, 13) + 1) < 1e-6);
    CHECK(fabs(frame_number(&m, 1, 30, 13) + 0.5) < 1e-6);
    CHECK(fabs(frame_number(&m, 1, 120, 13) - 1) < 1e-6);
    for (uint32_t i = 0; i < 16; i++) CHECK(frame_number(&m, 1, 121, i) == (i % 5 == 0));
    for (uint32_t i = 0; i < 16; i++) CHECK(frame_number(&m, 1, 122, i) == (i % 5 == 0));
    CHECK(vertex_is(&m, 0, 0, 0, 0, 0));  // As it is bound, not where its node is.
    CHECK(proof_of(b.scene, plain).largest < 1e-6 && errors_in(&m) == 0);
    made_free(&m);
    done();
}

TEST(rigid_parts_are_moved_by_weights)
{
    start(make_lift);
    made m = make_bmw(plain);
    CHECK(m.bmw->animations[0].bone_count == 1 && weight_u32(&m, 0, 2) == 1);
    CHECK(fabs(frame_number(&m, 0, 90, 13) - 1.5) < 1e-6);
    CHECK(proof_of(b.scene, plain).largest < 1e-6);
    made_free(&m);
    done();
}

// The engine shows each tick until the next one: motion between them is lost, and
// reported.
TEST(motion_between_frames_is_reported)
{
    start(make_skinned);
    static const float turns[] = {0, 0, 0, 1, 0, 0, 1, 0};
    tenon_skin *skin = &b.scene->skins[0];
    for (int i = 0; i < 2; i++) skin->inverse_binds[16 * i + 12] = -30;
    tenon_channel *c = channel_of(0);
    c->node = 0, c->target = TENON_ROTATION;
    tn_channel_alloc(&b, c, 2);
    c->times[1] = 1;
    memcpy(c->values, turns, sizeof turns);
    b.scene->animations[0].duration = 1;
    made m = make_bmw(plain);
    CHECK(m.bmw->animations[0].rate == 60);
    CHECK(reported(TENON_APPROXIMATED, "motion between frames") == 1);
    CHECK_STR(lost_why(&k, "motion between frames"),
              "the engine does not interpolate between frames: 60 frames per second");
    made_free(&m);
    m = make_bmw((tenon_export_opts){.rate = 30});
    CHECK(m.bmw->animations[0].rate == 30);
    tenon_verify_result result = proof_of(b.scene, (tenon_export_opts){.rate = 30});
    CHECK(result.verdict == TENON_VERIFIED && result.at_frames && result.largest < 1e-5);
    CHECK(result.between_frames > 1e-2);
    CHECK(told_error("motion between frames") == result.between_frames);
    made_free(&m);
    done();
}

TEST(ticks_come_at_the_rate_of_the_keys)
{
    start(make_lift);
    tenon_channel *c = channel_of(0);
    tn_channel_alloc(&b, c, 20);
    for (uint32_t i = 0; i < 20; i++) {
        c->times[i] = (float)(i / 37.5);
        c->values[3 * i + 1] = (float)(i % 4 >= 2);
    }
    b.scene->animations[0].duration = (double)c->times[19];
    made m = make_bmw(plain);
    CHECK(m.bmw->animations[0].rate == 75 && m.bmw->animations[0].duration == 38);
    CHECK(proof_of(b.scene, plain).largest < 1e-6);
    made_free(&m);
    done();
}

TEST(all_clips_have_ticks_at_their_keys)
{
    start(make_lift);
    (void)add_clip(&b, "slow", 0, 2);
    channel_of(1)->times[1] = 1.0f / 3 * 1.125f;  // 0.375
    b.scene->animations[1].duration = 0.375;
    made m = make_bmw(plain);
    CHECK(m.bmw->animations[0].rate % 8 == 0);
    CHECK(proof_of(b.scene, plain).largest < 1e-6);
    CHECK(reported(TENON_APPROXIMATED, "durations") == 0);
    made_free(&m);
    done();
}

TEST(jumps_do_not_raise_the_rate)
{
    start(make_lift);
    channel_of(0)->curve = TENON_STEP;
    made m = make_bmw(plain);
    CHECK(m.bmw->animations[0].rate == 60);
    CHECK(reported(TENON_APPROXIMATED, "motion between frames") == 1);
    CHECK(frame_number(&m, 0, 59, 13) == 0 && frame_number(&m, 0, 60, 13) == 1);
    made_free(&m);
    done();
}

// -- Clips

TEST(clips_follow_each_other)
{
    start(make_lift);
    (void)add_clip(&b, "lift", 0, 2);
    (void)add_clip(&b, "", 0, 1);
    tn_add_extra(&b, TENON_EXTRA_OF_ANIMATION, 0, "loop", str("true"));
    tn_add_extra(&b, TENON_EXTRA_OF_ANIMATION, 1, "hold", str("true"));
    made m = make_bmw(plain);
    static const struct {
        const char *name;
        double start, end;
    } want[] = {{"lift", 0, 120}, {"lift_2", 121, 181}, {"animation", 182, 184}};
    CHECK(m.side && m.side->clip_count == 3);
    for (uint32_t i = 0; m.side && i < 3 && i < m.side->clip_count; i++) {
        const tenon_bmw_clip *clip = &m.side->clips[i];
        CHECK(text_is(clip->name, want[i].name) && clip->has_range);
        CHECK(clip->start == want[i].start && clip->end == want[i].end);
        CHECK(clip->loop == (i == 0) && clip->hold == (i == 1));
    }
    CHECK(m.side && text_is(m.side->default_anim, "lift"));  // It begins at the rest pose.
    CHECK(reported(TENON_SYNTHESIZED, "names of clips") == 1);
    CHECK(reported(TENON_APPROXIMATED, "names of clips") == 1 &&
          reported(TENON_DROPPED, "extras") == 0);
    CHECK(errors_in(&m) == 0);
    made_free(&m);
    done();
}

TEST(a_clip_is_synthesized_if_the_first_one_does_not_begin_at_rest)
{
    start(make_lift);
    b.scene->nodes[0].translation[0] = 2;
    made m = make_bmw(plain);
    CHECK(m.side && m.side->clip_count == 2 && text_is(m.side->default_anim, "rest"));
    const tenon_bmw_clip *rest = &m.side->clips[1];
    CHECK(text_is(rest->name, "rest") && rest->start == 121 && rest->end == 122 && rest->hold);
    CHECK(frame_number(&m, 0, 121, 12) == 2 && reported(TENON_SYNTHESIZED, "clips") == 1);
    tenon_verify_result result = proof_of(b.scene, plain);
    CHECK(result.largest < 1e-6 && result.missing_clips == 0 && result.extra_clips == 0);
    made_free(&m);
    done();
}

TEST(the_engine_begins_with_the_clip_called_idle)
{
    start(make_lift);
    b.scene->nodes[0].translation[0] = 2;
    (void)add_clip(&b, "idle", 0, 2);
    made m = make_bmw(plain);
    CHECK(m.side && m.side->clip_count == 2 && text_is(m.side->default_anim, "idle"));
    CHECK(reported(TENON_SYNTHESIZED, "clips") == 0 && told_error("rest pose") > 0.1);
    made_free(&m);
    tn_add_extra(&b, TENON_EXTRA_OF_SCENE, 0, "defaultAnim", str("lift"));
    m = make_bmw(plain);
    CHECK(m.side && text_is(m.side->default_anim, "lift") &&
          reported(TENON_DROPPED, "extras") == 0);
    made_free(&m);
    done();
}

// Only clips that are marked loop, but a clip that ends as it begins is reported.
TEST(clips_that_end_as_they_begin_are_probably_loops)
{
    start(make_lift);
    (void)add_clip(&b, "hop", 0, 3);
    tn_channel_alloc(&b, channel_of(1), 3);
    for (uint32_t i = 0; i < 3; i++) channel_of(1)->times[i] = (float)i;
    channel_of(1)->values[4] = 1;
    made m = make_bmw(plain);
    CHECK(reported(TENON_DEFAULTED, "loops") == 1 && !m.side->clips[1].loop);
    CHECK_STR(lost_why(&k, "loops"),
              "clip 'hop' ends as it begins and is probably a loop: use '--loop hop'");
    made_free(&m);
    channel_of(1)->values[4] = 0;  // It never moves.
    m = make_bmw(plain);
    CHECK(reported(TENON_DEFAULTED, "loops") == 0);
    made_free(&m);
    channel_of(1)->values[4] = 1;
    tn_add_extra(&b, TENON_EXTRA_OF_ANIMATION, 1, "loop", str("false"));
    m = make_bmw(plain);
    CHECK(reported(TENON_DEFAULTED, "loops") == 0);
    made_free(&m);
    done();
}

TEST(clips_that_move_nothing_are_dropped)
{
    start(make_triangle);
    (void)add_clip(&b, "pan", tn_add_node(&b, str("eye"), TENON_NONE), 2);
    made m = make_bmw(plain);
    CHECK(!m.side && m.bmw->animation_count == 0 && reported(TENON_DROPPED, "animations") == 1);
    CHECK(m.bmw->meshes[0].weighted_vertices.count == 0);
    made_free(&m);
    // But a joint counts, even without vertices.
    b.scene->nodes[1].is_joint = true;
    m = make_bmw(plain);
    CHECK(m.side && m.bmw->animation_count == 1 && m.bmw->animations[0].bone_count == 2);
    CHECK(weight_u32(&m, 0, 2) == 1 && text_is(m.bmw->names[1].name, "still"));
    CHECK(fabs(frame_number(&m, 1, 60, 13) - 1) < 1e-6);
    CHECK(text_is(m.bmw->names[2].name, "eye"));
    made_free(&m);
    done();
}

// -- The crane

static tenon_scene *load(const char *path, const tenon_companion *clips, uint32_t clip_count)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    tenon_scene_opts opts = {
        .model_path = path, .companions = clips, .companion_count = clip_count};
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, &err) : NULL;
    if (!scene) fprintf(stderr, "%s: %s\n", path, err.message);
    CHECK(scene != NULL);
    tenon_doc_free(doc);
    return scene;
}

static void prove_crane(tenon_scene *scene, uint32_t clip_count)
{
    if (!scene) return;
    tenon_verify_result result = proof_of(scene, plain);
    kept_free(&k);
    CHECK(write_scene(scene, "bmw", plain, &k));
    CHECK(result.verdict == TENON_VERIFIED && result.largest <= 1e-6 && result.matched == 1);
    CHECK(result.clip_count == clip_count && result.missing_clips == 0);
    tenon_scene_free(scene);
}

TEST(the_crane_is_the_same_from_every_format)
{
    prove_crane(load(SAMPLES "crane.glb", NULL, 0), 2);
    prove_crane(load(SAMPLES "crane.gpb", NULL, 0), 2);
    prove_crane(load(SAMPLES "crane.bmw", NULL, 0), 3);
    prove_crane(load(SAMPLES "crane.cea", NULL, 0), 2);
    prove_crane(load(SAMPLES "crane.cem", NULL, 0), 0);
    prove_crane(load(SAMPLES "crane.bplx", NULL, 0), 2);
    tenon_doc *lift = tenon_read_file(SAMPLES "crane_lift.bbanim", NULL, NULL);
    tenon_doc *travel = tenon_read_file(SAMPLES "crane_travel.bbanim", NULL, NULL);
    const tenon_companion clips[] = {{lift, "lift"}, {travel, "travel"}};
    prove_crane(load(SAMPLES "crane.bbmod", clips, 2), 2);
    tenon_doc_free(lift);
    tenon_doc_free(travel);
}

// What reading adds is not written again.
TEST(the_crane_does_not_grow)
{
    tenon_scene *scene = load(SAMPLES "crane.bmw", NULL, 0);
    kept_free(&k);
    CHECK(scene && write_scene(scene, "bmw", (tenon_export_opts){.name = "crane"}, &k));
    const kept_file *file = kept_named(&k, ""), *side = kept_named(&k, "crane.json");
    tenon_doc *doc = file ? tenon_read(file->bytes, file->size, NULL, NULL) : NULL;
    tenon_doc *first = tenon_read_file(SAMPLES "crane.bmw", NULL, NULL);
    const tenon_bmw *a = tenon_as_bmw(first), *c = tenon_as_bmw(doc);
    CHECK(a && c && a->animations[0].bone_count == c->animations[0].bone_count);
    CHECK(a && c && a->mesh_count == c->mesh_count && side);
    CHECK(c && c->name_count <= a->name_count + 1);
    CHECK(reported(TENON_SYNTHESIZED, "clips") == 0 &&
          reported(TENON_SYNTHESIZED, "vertices") == 0);
    tenon_doc_free(doc);
    tenon_doc_free(first);
    tenon_scene_free(scene);
    kept_free(&k);
}

int main(void)
{
    RUN(a_frame_is_a_matrix_that_is_ready_for_skinning);
    RUN(rigid_parts_are_moved_by_weights);
    RUN(motion_between_frames_is_reported);
    RUN(ticks_come_at_the_rate_of_the_keys);
    RUN(all_clips_have_ticks_at_their_keys);
    RUN(jumps_do_not_raise_the_rate);
    RUN(clips_follow_each_other);
    RUN(a_clip_is_synthesized_if_the_first_one_does_not_begin_at_rest);
    RUN(the_engine_begins_with_the_clip_called_idle);
    RUN(clips_that_end_as_they_begin_are_probably_loops);
    RUN(clips_that_move_nothing_are_dropped);
    RUN(the_crane_is_the_same_from_every_format);
    RUN(the_crane_does_not_grow);
    TEST_END();
}
