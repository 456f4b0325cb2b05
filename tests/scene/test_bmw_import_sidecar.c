// test_bmw_import_sidecar.c: what the sidecar of a BMW model adds to its scene: a transform, and
// clips.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "bmw_small_help.h"

TEST(the_sidecar_scales_rotates_and_moves)
{
    const small parts = {.hip = "hip", .box = moved(0, 0, 1)};
    bmw_made m = make_beside(&parts, "{\"rotation\": 90, \"rotationAngle\": \"4 0 0\","
                                     " \"scale\": \"2 3 4\", \"translation\": \"10 20 30\"}");
    // (0 1 1) is scaled to (0 3 4), rotated to (0 -4 3), moved to (10 16 33).
    CHECK(is_at(&m, "box", 2, 10, 16, 33));
    CHECK(m.scene->nodes[find_node(m.scene, "top")].parent == find_node(m.scene, "model"));
    made_free(&m);
}

// The node of the sidecar comes first in the scene; no vertex is bound to it, whichever node of
// the file moves it.
TEST(joints_of_a_skin_are_the_joints_under_the_sidecars_node)
{
    for (int is_rooted = 0; is_rooted < 2; is_rooted++) {
        const small parts = {.is_weighted = true, .is_rooted = is_rooted, .hip = "hip"};
        bmw_made m = make_beside(&parts, "{\"translation\": \"10 20 30\"}");
        CHECK(m.scene->skin_count == 1 && m.scene->skins[0].joint_count > 0);
        for (uint32_t i = 0; i < m.scene->skins[0].joint_count; i++) {
            const tenon_node *joint = &m.scene->nodes[m.scene->skins[0].joints[i]];
            CHECK(joint->is_joint && !is_text(joint->name, "model"));
        }
        made_free(&m);
    }
}

static const char *fact(const tenon_info *info, const char *label)
{
    for (uint32_t i = 0; i < info->fact_count; i++)
        if (strcmp(info->facts[i].label, label) == 0) return info->facts[i].text;
    return "";
}

// Values that are the default are not repeated.
TEST(info_has_the_transform_of_the_sidecar)
{
    static const struct {
        const char *json, *rotation, *scale, *translation;
    } cases[] = {
        {"{\"rotation\": 90, \"rotationAngle\": \"4 0 0.5\", \"scale\": \"2 3 4\","
         " \"translation\": \"10 20 30\"}",
         "90 degrees about 4 0 0.5", "2 3 4", "10 20 30"},
        {"{\"scale\": \"1 1 2\", \"translation\": \"0 0 0\"}", "", "1 1 2", ""},
        {"{\"scale\": \"1 1 1\", \"translation\": \"0 1 0\"}", "", "", "0 1 0"},
        {"{\"rotation\": 0, \"scale\": \"1 2 1\"}", "", "1 2 1", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bmw_made m = make_beside(&(small){.hip = "hip"}, cases[i].json);
        tenon_info info;
        tenon_error err;
        const tenon_info_opts opts = {.model_path = scratch("m.bmw")};
        CHECK(tenon_doc_info(m.doc, &opts, &info, &err));
        CHECK_STR(fact(&info, "rotation"), cases[i].rotation);
        CHECK_STR(fact(&info, "scale"), cases[i].scale);
        CHECK_STR(fact(&info, "translation"), cases[i].translation);
        tenon_info_free(&info);
        made_free(&m);
    }
}

TEST(clips_are_cut_to_their_animation)
{
    const small parts = {.is_weighted = true,
                         .hip = "hip",
                         .rate = 10,
                         .frame_count = 3,
                         .frames = {moved(1, 0, 0), moved(2, 0, 0), moved(3, 0, 0)}};
    bmw_made m = make_beside(
        &parts, "{\"defaultAnim\": \"b\", \"clips\": ["
                "{\"name\": \"a\", \"start\": 9, \"end\": 9}, {\"name\": \"a\", \"start\": 1, "
                "\"end\": 7}, {\"name\": \"b\", \"start\": 1, \"end\": 0}]}");
    CHECK(m.scene->animation_count == 2 && find_clip(m.scene, "a") == 0);
    CHECK(fabs(m.scene->animations[0].duration - 0.1) < 1e-8);
    tenon_pose_set(m.pose, 0, 1);
    CHECK(is_at(&m, "top", 1, 4, 0, 0));
    tenon_pose_set(m.pose, TENON_NONE, 0);  // As the engine begins: clip b, at tick 1.
    CHECK(is_at(&m, "top", 1, 3, 0, 0));
    CHECK(lost(&m.losses, TENON_APPROXIMATED, "clips[1]", "outside") == 2);
    CHECK(lost(&m.losses, TENON_DROPPED, "clips[0]", "same name") == 1);
    made_free(&m);
}

TEST(clips_of_other_files_move_nodes_of_the_same_name)
{
    const small model = {.is_weighted = true, .hip = "hip"};
    save_walk();
    bmw_made m = make_beside(&model, "{\"clips\": [{\"name\": \"walk\", \"file\": \"walk.bmw\"},"
                                     " {\"name\": \"gone\", \"file\": \"gone.bmw\"},"
                                     " {\"name\": \"out\", \"file\": \"../walk.bmw\"}]}");
    CHECK(m.scene->animation_count == 1 && find_clip(m.scene, "walk") == 0);
    tenon_pose_set(m.pose, 0, 0.1f);
    CHECK(is_at(&m, "top", 1, 1, 0, 5));
    CHECK(lost(&m.losses, TENON_DROPPED, "clips[1]", "not found next to") == 1);
    CHECK(lost(&m.losses, TENON_DROPPED, "clips[2]", "folder") == 1);
    made_free(&m);
}

TEST(files_of_clips_that_move_nothing_are_reported)
{
    const small model = {.is_weighted = true, .hip = "hip"};
    blob still = make_small(&(small){.hip = "hip"});
    scratch_save("still.bmw", still.data, still.size);
    scratch_save("text.bmw", "no model", 8);
    bmw_made m = make_beside(&model, "{\"clips\": [{\"name\": \"a\", \"file\": \"still.bmw\"},"
                                     " {\"name\": \"b\", \"file\": \"text.bmw\"},"
                                     " {\"name\": \"c\", \"start\": 0, \"end\": 1}]}");
    CHECK(m.scene->animation_count == 0);
    CHECK(lost(&m.losses, TENON_DROPPED, "clips[0]", "its file has no animation") == 1);
    CHECK(lost(&m.losses, TENON_DROPPED, "clips[1]", "") == 1);
    CHECK(lost(&m.losses, TENON_DROPPED, "clips[2]", "its animation does not exist") == 1);
    made_free(&m);
    blob_free(&still);
}

TEST(not_more_than_64_files_of_clips_are_read)
{
    const small model = {.is_weighted = true, .hip = "hip"};
    char sidecar[4096] = "{\"clips\": [";
    save_walk();
    for (int i = 0; i < 66; i++) {
        size_t used = strlen(sidecar);
        snprintf(sidecar + used, sizeof sidecar - used,
                 "%s{\"name\": \"%d\", \"file\": \"walk.bmw\"}", i ? "," : "", i);
    }
    strcat(sidecar, "]}");
    bmw_made m = make_beside(&model, sidecar);
    CHECK(m.scene->animation_count == 64);
    CHECK(lost(&m.losses, TENON_DROPPED, "clips[64]", "at most 64 clip files") == 1);
    CHECK(lost(&m.losses, TENON_DROPPED, "clips[65]", "at most 64 clip files") == 1);
    made_free(&m);
}

// The engine would rotate about an invalid axis; the other parts of the transform still count.
TEST(a_sidecar_without_an_axis_does_not_rotate)
{
    const small parts = {.hip = "hip", .box = moved(0, 0, 1)};
    bmw_made m = make_beside(&parts, "{\"rotation\": 90, \"rotationAngle\": \"0 0 0\"}");
    CHECK(find_node(m.scene, "model") == TENON_NONE);
    CHECK(lost(&m.losses, TENON_DROPPED, "rotationAngle", "invisible") == 1);
    made_free(&m);
    static const char *const moves[] = {"1 0 0", "0 1 0", "0 0 1"}, *const scales[] = {
                                                                        "2 1 1", "1 2 1", "1 1 2"};
    for (int i = 0; i < 6; i++) {
        char sidecar[128];
        snprintf(sidecar, sizeof sidecar,
                 "{\"rotation\": 90, \"rotationAngle\": \"0 0 0\", \"%s\": \"%s\"}",
                 i < 3 ? "translation" : "scale", i < 3 ? moves[i] : scales[i - 3]);
        m = make_beside(&parts, sidecar);
        const tenon_node *node = &m.scene->nodes[find_node(m.scene, "model")];
        CHECK(node->rotation[3] == 1 && node->translation[i % 3] == (i < 3));
        CHECK(node->scale[i % 3] == (i < 3 ? 1 : 2));
        made_free(&m);
    }
}

TEST(a_broken_sidecar_costs_its_clips_only)
{
    const small parts = {
        .is_weighted = true, .hip = "hip", .rate = 9, .frame_count = 1, .frames = {IDENTITY}};
    bmw_made m = make_beside(&parts, "{\"clips\": [],}");
    CHECK(find_clip(m.scene, "animation") == 0);
    CHECK(lost(&m.losses, TENON_DROPPED, "m.json", "line 1, column") == 1);
    made_free(&m);
}

int main(void)
{
    scratch_begin();
    RUN(the_sidecar_scales_rotates_and_moves);
    RUN(joints_of_a_skin_are_the_joints_under_the_sidecars_node);
    RUN(info_has_the_transform_of_the_sidecar);
    RUN(clips_are_cut_to_their_animation);
    RUN(clips_of_other_files_move_nodes_of_the_same_name);
    RUN(files_of_clips_that_move_nothing_are_reported);
    RUN(not_more_than_64_files_of_clips_are_read);
    RUN(a_sidecar_without_an_axis_does_not_rotate);
    RUN(a_broken_sidecar_costs_its_clips_only);
    scratch_end();
    TEST_END();
}
