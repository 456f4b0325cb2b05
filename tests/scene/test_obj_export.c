// test_obj_export.c: the export of OBJ, read again with an independent small parser.
// SPDX-License-Identifier: MIT

#include "obj_export_help.h"
#include "truth_help.h"

// -- Geometry

TEST(a_triangle_is_written_like_this)
{
    hand h;
    begin_corner(&h, "corner");
    outputs o = exported(&h.scene);
    CHECK(o.count == 1);
    CHECK_STR(o.files[0].text, "# Written by Tenon. Metres, Y is up, front faces "
                               "counter-clockwise.\n"
                               "\n"
                               "o corner\n"
                               "g corner_1\n"
                               "v 0 0 0\n"
                               "v 1 0 0\n"
                               "v 0 1 0\n"
                               "vt 0 0\n"
                               "vt 0.75 0\n"
                               "vt 0 0.75\n"
                               "vn 0 0 1\n"
                               "vn 0 0 1\n"
                               "vn 0 0 1\n"
                               "f 1/1/1 2/2/2 3/3/3\n");
    CHECK_STR(o.losses, "");
    free_outputs(&o);
}

TEST(streams_that_are_not_there_are_not_written)
{
    hand h;
    tenon_primitive *p = begin_corner(&h, "a");
    p->uvs[0] = NULL;
    outputs o = exported(&h.scene);
    CHECK(strstr(body(&o), "f 1//1 2//2 3//3\n") && !strstr(body(&o), "vt"));
    free_outputs(&o);
    p->normals = NULL;
    o = exported(&h.scene);
    CHECK_STR(body(&o), "o a\ng a_1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    free_outputs(&o);
    p->uvs[0] = corner_uvs;
    o = exported(&h.scene);
    CHECK(strstr(body(&o), "f 1/1 2/2 3/3\n"));
    free_outputs(&o);
}

TEST(colors_follow_positions)
{
    static float colors[] = {1, 0.5f, 0.25f, 1, 0, 0, 0, 1, 1, 1, 1, 0.5f};
    hand h;
    begin_corner(&h, "a")->colors[0] = colors;
    outputs o = exported(&h.scene);
    CHECK(strstr(body(&o), "v 0 0 0 1 0.5 0.25\nv 1 0 0 0 0 0\nv 0 1 0 1 1 1\n"));
    CHECK_STR(o.losses, "dropped alpha of vertex colors 1 meshes[0].primitives[0]\n");
    free_outputs(&o);
}

// Two objects: the second one counts its vertices after those of the first, each kind by itself.
TEST(indices_count_on)
{
    hand h;
    begin_corner(&h, "a")->uvs[0] = NULL;
    tenon_primitive *p = hand_mesh(&h, "n", hand_node(&h, "b", TENON_NONE), corner_positions, 3);
    p->uvs[0] = corner_uvs;
    outputs o = exported(&h.scene);
    CHECK(strstr(body(&o), "f 1//1 2//2 3//3\n"));
    CHECK(strstr(body(&o), "f 4/1 5/2 6/3\n"));
    free_outputs(&o);
}

static const char *pieces(hand *h, tenon_mode mode, outputs *o)
{
    static float six[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 2, 1, 0, 2, 2, 0, 3, 2, 0};
    hand_begin(h);
    hand_mesh(h, "m", hand_node(h, "a", TENON_NONE), six, 6)->mode = mode;
    *o = exported(&h->scene);
    const char *last = strstr(body(o), "v 3 2 0\n");
    return last ? last + strlen("v 3 2 0\n") : "";
}

TEST(strips_fans_lines_and_points_are_split)
{
    static const char *const wanted[] = {
        [TENON_POINTS] = "p 1\np 2\np 3\np 4\np 5\np 6\n",
        [TENON_LINES] = "l 1 2\nl 3 4\nl 5 6\n",
        [TENON_LINE_LOOP] = "l 1 2\nl 2 3\nl 3 4\nl 4 5\nl 5 6\nl 6 1\n",
        [TENON_LINE_STRIP] = "l 1 2\nl 2 3\nl 3 4\nl 4 5\nl 5 6\n",
        [TENON_TRIANGLES] = "f 1 2 3\nf 4 5 6\n",
        [TENON_TRIANGLE_STRIP] = "f 1 2 3\nf 2 4 3\nf 3 4 5\nf 4 6 5\n",
        [TENON_TRIANGLE_FAN] = "f 1 2 3\nf 1 3 4\nf 1 4 5\nf 1 5 6\n",
    };
    for (int mode = 0; mode <= TENON_TRIANGLE_FAN; mode++) {
        hand h;
        outputs o;
        CHECK_STR(pieces(&h, (tenon_mode)mode, &o), wanted[mode]);
        free_outputs(&o);
    }
}

TEST(degenerate_triangles_of_strips_are_left_out)
{
    static uint32_t strip[] = {0, 1, 2, 2, 0}, list[] = {0, 1, 2, 0, 0, 1};
    hand h;
    tenon_primitive *p = begin_corner(&h, "a");
    p->mode = TENON_TRIANGLE_STRIP;
    p->indices = strip, p->index_count = 5;
    outputs o = exported(&h.scene);
    CHECK(strstr(body(&o), "f 1/1/1 2/2/2 3/3/3\n") && o.losses[0] == '\0');
    free_outputs(&o);
    p->mode = TENON_TRIANGLES;
    p->indices = list, p->index_count = 6;
    o = exported(&h.scene);
    CHECK_STR(o.losses, "dropped flat triangles 1 -\n");
    parsed read = parse(o.files[0].text);
    CHECK(read.face_count == 1);
    free_parsed(&read);
    free_outputs(&o);
}

TEST(numbers_read_back_to_the_same_bits)
{
    enum { COUNT = 3000 };
    static float positions[3 * COUNT];
    uint64_t state = 11;
    for (int i = 0; i < 3 * COUNT; i++) {
        uint32_t bits = (uint32_t)(hand_random(&state) * 0xFFFFFF) << 8;
        bits |= (uint32_t)(hand_random(&state) * 256);
        memcpy(&positions[i], &bits, sizeof bits);
        if (positions[i] - positions[i] != 0) positions[i] = -0.0f;
    }
    hand h;
    hand_begin(&h);
    hand_mesh(&h, "m", hand_node(&h, "a", TENON_NONE), positions, COUNT);
    outputs o = exported(&h.scene);
    parsed p = parse(o.files[0].text);
    CHECK(p.v_count == COUNT && p.face_count == COUNT / 3);
    for (int i = 0; i < 3 * COUNT && p.v_count == COUNT; i++) CHECK(p.v[i] == positions[i]);
    free_parsed(&p);
    free_outputs(&o);
}

// -- Poses

TEST(vertices_are_where_the_clip_moves_them)
{
    static float times[] = {0, 1}, moves[] = {0, 0, 0, 0, 0, 8};
    hand h;
    begin_corner(&h, "a");
    h.nodes[0].scale[0] = 2;
    hand_clip(&h, "lift up", 1);
    hand_channel(&h, 0, TENON_TRANSLATION, 2, times, moves);
    outputs o = {.count = 0};
    tenon_export_opts opts = {.clip = "lift up", .seconds = 0.25};
    CHECK(export_with(&h.scene, opts, &o, NULL));
    CHECK(strstr(o.files[0].text, "\n# Clip 'lift up' at 0.25 seconds.\n"));
    CHECK(strstr(body(&o), "v 0 0 2\nv 2 0 2\nv 0 1 2\n"));
    free_outputs(&o);
    o = exported(&h.scene);  // Zeroed options: at rest.
    CHECK(strstr(body(&o), "v 0 0 0\nv 2 0 0\nv 0 1 0\n") && !strstr(o.files[0].text, "Clip"));
    CHECK_STR(o.losses, "dropped nodes 1 nodes[0]\ndropped animations 1 animations[0]\n");
    free_outputs(&o);
}

TEST(a_clip_that_is_not_there_is_refused)
{
    hand h;
    tenon_error err;
    outputs o = {.count = 0};
    begin_corner(&h, "a");
    CHECK(!export_with(&h.scene, (tenon_export_opts){.clip = "b\n"}, &o, &err));
    CHECK(err.code == TENON_ERR_VALUE && o.count == 0);
    CHECK_STR(err.message, "the clip 'b?' does not exist");
    CHECK(export_with(&h.scene, (tenon_export_opts){0}, &o, &err));  // Zeroed options are fine.
    free_outputs(&o);
}

// Mirrored in X: the front stays the front, though its corners have the other order.
TEST(a_mirror_reverses_faces)
{
    hand h;
    begin_corner(&h, "a")->normals = NULL;
    h.nodes[0].scale[0] = -1;
    outputs o = exported(&h.scene);
    CHECK(strstr(body(&o), "v -1 0 0\n") && strstr(body(&o), "f 3/3 2/2 1/1\n"));
    free_outputs(&o);
}

// The node of a skinned mesh does not matter, its joints do.
TEST(a_skin_moves_vertices)
{
    static uint16_t joints[12];
    static float weights[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static float binds[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static uint32_t skin_joints[1] = {1};
    hand h;
    tenon_primitive *p = begin_corner(&h, "a");
    p->joints = joints, p->weights = weights, p->influence_count = 4;
    h.nodes[hand_node(&h, "bone", TENON_NONE)].translation[1] = 5;
    h.nodes[0].translation[0] = 100;
    h.nodes[0].skin = h.scene.skin_count++;
    h.skins[0] = (tenon_skin){hand_text("s"), TENON_NONE, 1, skin_joints, binds, 0};
    outputs o = exported(&h.scene);
    CHECK(strstr(body(&o), "v 0 5 0\nv 1 5 0\nv 0 6 0\n") && strstr(body(&o), "f 1/1/1 2/2/2"));
    CHECK_STR(o.losses, "dropped nodes 1 nodes[1]\ndropped skins 1 skins[0]\n");
    free_outputs(&o);
    h.nodes[1].scale[2] = -1;
    o = exported(&h.scene);
    CHECK(strstr(body(&o), "vn 0 0 -1\n") && strstr(body(&o), "f 3/3/3 2/2/2 1/1/1"));
    free_outputs(&o);
}

// -- Names

TEST(names_are_words_and_no_two_the_same)
{
    hand h;
    hand_begin(&h);
    const char *const names[] = {"left arm", "left_arm",       "left\tarm",  "left_arm_2", "",
                                 "#1",       "a\xE3\x80\x80z", "a\xC2\xA0z", "\xC3\xBC"};
    const char *const wanted[] = {"left_arm", "left_arm_2", "left_arm_3", "left_arm_2_2", "m",
                                  "_1",       "a_z",        "a_z_2",      "\xC3\xBC"};
    for (int i = 0; i < 9; i++)
        hand_mesh(&h, "m", hand_node(&h, names[i], TENON_NONE), corner_positions, 3);
    outputs o = exported(&h.scene);
    const char *at = o.files[0].text;
    for (int i = 0; i < 9; i++) {
        char line[64];
        (void)snprintf(line, sizeof line, "\no %s\ng %s_1\n", wanted[i], wanted[i]);
        at = strstr(at, line);
        CHECK(at != NULL);
        if (!at) break;
    }
    CHECK_STR(o.losses, "dropped names of meshes 8 meshes[0]\napproximated names 7 -\n");
    free_outputs(&o);
}

// Many of the same name take no more steps than many others.
TEST(a_thousand_of_the_same_name_are_numbered)
{
    enum { COUNT = 1000 };
    static tenon_node nodes[COUNT];
    hand h;
    begin_corner(&h, "a");
    for (int i = 0; i < COUNT; i++) nodes[i] = h.nodes[0];
    h.scene.nodes = nodes;
    h.scene.node_count = COUNT;
    outputs o = exported(&h.scene);
    CHECK(strstr(o.files[0].text, "\no a\n") && strstr(o.files[0].text, "\no a_1000\n"));
    CHECK(!strstr(o.files[0].text, "\no a_1001\n"));
    CHECK_STR(o.losses, "approximated shared meshes 1 meshes[0]\napproximated names 999 -\n");
    parsed p = parse(o.files[0].text);
    CHECK(p.face_count == COUNT && p.v_count == 3 * COUNT && p.faces[9 * COUNT - 1] == 3 * COUNT);
    free_parsed(&p);
    free_outputs(&o);
}

// -- The crane

// How far the nearest triangle of the file is from a true one, in any turn.
static double nearest(const double *truly, const parsed *p)
{
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < 3 * p->face_count; i++) {
        double most = 0;
        for (uint32_t k = 0; k < 9; k++) {
            uint32_t corner = (i + k / 3) % 3, vertex = p->faces[9 * (i / 3) + 3 * corner];
            most = fmax(most, fabs((double)p->v[3 * (vertex - 1) + k % 3] - truly[k]));
        }
        least = fmin(least, most);
    }
    return least;
}

static void check_moment(const char *file, const tenon_scene *scene, const truth *t,
                         const moment *now)
{
    outputs o = {.count = 0};
    tenon_export_opts opts = {.clip = now->clip[0] ? now->clip : NULL, .seconds = now->seconds};
    if (now->clip[0] && clip_named(scene, now->clip) == TENON_NONE)
        complain(file, "no clip '%s'", now->clip);
    CHECK(export_with(scene, opts, &o, NULL));
    parsed p = parse(o.files[o.count - 1].text);
    double worst = 0;
    CHECK(p.face_count == t->triangle_count);
    for (uint32_t i = 0; i < t->triangle_count; i++)
        worst = fmax(worst, nearest(now->corners + 9 * (size_t)i, &p));
    if (worst > 1e-6 * t->diagonal)
        complain(file, "a triangle is off by %g in '%s' at %g s", worst, now->clip, now->seconds);
    free_parsed(&p);
    free_outputs(&o);
}

static void check_file(const char *file, const truth *t, uint32_t moment_count)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(file, NULL, &err);
    tenon_scene *scene =
        doc ? tenon_to_scene(doc, &(tenon_scene_opts){.model_path = file}, &err) : NULL;
    CHECK(scene || err.code == TENON_ERR_UNSUPPORTED);
    if (!scene) printf("  %s: skipped: %s\n", file, err.message);
    for (uint32_t i = 0; scene && i < moment_count; i++)
        check_moment(file, scene, t, &t->moments[i]);
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

TEST(the_crane_is_posed_as_it_should_be)
{
    truth t;
    CHECK(load_truth(&t));
    check_file("samples/crane.gpb", &t, t.moment_count);
    check_file("samples/crane.cea", &t, t.moment_count);
    check_file("samples/crane.bmw", &t, t.moment_count);
    check_file("samples/crane.bplx", &t, 1);
    check_file("samples/crane.bbmod", &t, 1);
    free_truth(&t);
}

int main(void)
{
    RUN(a_triangle_is_written_like_this);
    RUN(streams_that_are_not_there_are_not_written);
    RUN(colors_follow_positions);
    RUN(indices_count_on);
    RUN(strips_fans_lines_and_points_are_split);
    RUN(degenerate_triangles_of_strips_are_left_out);
    RUN(numbers_read_back_to_the_same_bits);
    RUN(vertices_are_where_the_clip_moves_them);
    RUN(a_clip_that_is_not_there_is_refused);
    RUN(a_mirror_reverses_faces);
    RUN(a_skin_moves_vertices);
    RUN(names_are_words_and_no_two_the_same);
    RUN(a_thousand_of_the_same_name_are_numbered);
    RUN(the_crane_is_posed_as_it_should_be);
    TEST_END();
}
