// test_obj_import.c: the import of OBJ.
// SPDX-License-Identifier: MIT

#include "hand_scene.h"
#include "obj_import_help.h"

// -- The document

TEST(the_document_is_the_text)
{
    tenon_doc *doc = tenon_read_file("tests/fixtures/obj/minimal.obj", NULL, NULL);
    tenon_obj *obj = tenon_as_obj(doc);
    CHECK(obj != NULL && tenon_as_obj(NULL) == NULL);
    if (!obj) return;
    CHECK(obj->size == 32 && obj->text.size == 32);
    CHECK(memcmp(obj->text.data, TRIANGLE "f 1 2 3\n", 32) == 0);
    obj->text = (tenon_str){"v 0 0 0\n", 8};
    CHECK(tenon_write(doc, NULL, NULL, NULL) == TENON_ABSENT);  // The size is stale.
    CHECK(tenon_finalize(doc, NULL) && tenon_write(doc, NULL, NULL, NULL) == 8);
    tenon_doc_free(doc);
}

TEST(an_empty_text_is_written_as_an_empty_file)
{
    tenon_read_opts opts = {.format = "obj"};
    tenon_doc *doc = tenon_read("", 0, &opts, NULL);
    tenon_error err = {.code = TENON_ERR_IO};
    CHECK(doc && tenon_write(doc, NULL, NULL, &err) == 0 && err.code == TENON_OK);
    CHECK(doc && tenon_write(doc, NULL, NULL, NULL) == 0);
    tenon_doc_free(doc);
}

TEST(an_empty_text_is_an_empty_scene)
{
    static const char *const texts[] = {"", "\n", "# nothing", "\\", "\\\n", "o", "vt 1\nvn 0 0 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        made m = read_obj(texts[i]);
        CHECK(m.scene && m.scene->node_count == 0 && m.scene->mesh_count == 0);
        free_made(&m);
    }
}

// -- One triangle, in all spellings

static void check_triangle(const made *m)
{
    const tenon_primitive *p = part(m, 0, 0);
    CHECK(m->scene->node_count == 1 && m->scene->mesh_count == 1 && m->scene->nodes[0].mesh == 0);
    CHECK(p->mode == TENON_TRIANGLES && p->vertex_count == 3 && p->index_count == 3);
    CHECK(near3(corner_of(p, 0), 0, 0, 0) && near3(corner_of(p, 1), 1, 0, 0));
    CHECK(near3(corner_of(p, 2), 0, 1, 0));
}

TEST(a_triangle_is_read_however_it_is_written)
{
    static const char *const names[] = {"minimal",      "crlf",   "cr",      "no_newline",
                                        "continued",    "blanks", "numbers", "mark",
                                        "half_corners", "utf8",   "latin1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[100];
        snprintf(path, sizeof path, "tests/fixtures/obj/%s.obj", names[i]);
        tenon_doc *doc = tenon_read_file(path, NULL, NULL);
        CHECK(doc != NULL);
        if (!doc) continue;
        made m = make_scene(doc);
        if (m.scene && m.scene->mesh_count) check_triangle(&m);
        CHECK(m.scene && m.scene->mesh_count == 1);
        free_made(&m);
        tenon_doc_free(doc);
    }
}

TEST(numbers_of_every_form_are_exact)
{
    made m = good("v 1e3 +.5 5.\nv -007.25e-2 1.e2 3.4028235e38\nv 0.1 1E+1 -1e-50\nf 1 2 3\n");
    const float *p = part(&m, 0, 0)->positions;
    static const float wanted[] = {1000, 0.5f, 5, -0.0725f, 100, 3.4028235e38f, 0.1f, 10, 0};
    for (int i = 0; i < 9; i++) CHECK(p[i] == wanted[i]);
    free_made(&m);
}

TEST(names_keep_their_blanks_and_may_continue_in_the_next_line)
{
    made m = good(TRIANGLE "o  the left   arm \nf 1 2 3\no a\\\n  b \\\n\nf 1 2 3\n"
                           "o #1\nf 1 2 3\no C:\\x\nf 1 2 3");
    CHECK(m.scene->node_count == 4);
    CHECK_STR(m.scene->nodes[0].name.data, "the left   arm");
    CHECK_STR(m.scene->meshes[0].name.data, "the left   arm");
    CHECK_STR(m.scene->nodes[1].name.data, "a b");
    CHECK_STR(m.scene->nodes[2].name.data, "#1");
    CHECK_STR(m.scene->nodes[3].name.data, "C:\\x");
    free_made(&m);
}

// A backslash at the end of a comment must not join the next line.
TEST(comments_do_not_continue)
{
    made m = good("# from C:\\models\\\n" TRIANGLE "# \\\nf 1 2 3 # that was it \\\nf 3 2 1\n");
    CHECK(part(&m, 0, 0)->index_count == 6);
    free_made(&m);
}

// -- Corners

TEST(corners_that_are_the_same_are_one_vertex)
{
    made m = good(SQUARE "vt 0 0\nvt 1 0\nf 1 2 3\nf 1 3 4\nf 1/1 2/1 3/1\nf 1/1 3/2 4/1\n");
    const tenon_primitive *p = part(&m, 0, 0);
    // 1 2 3 4 without texture; with it 1/1 2/1 3/1, and 3/2 4/1.
    CHECK(p->vertex_count == 9 && p->index_count == 12);
    static const uint32_t wanted[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 7, 8};
    for (int i = 0; i < 12; i++) CHECK(p->indices[i] == wanted[i]);
    CHECK(lost(&m, TENON_DEFAULTED, "texture coordinates") == 4);
    free_made(&m);
}

TEST(texture_coordinates_go_down)
{
    made m = good(TRIANGLE "vt 0 0\nvt 0.75 0.25\nvt 0.5\nf 1/1 2/2 3/3\n");
    const float *uv = part(&m, 0, 0)->uvs[0];
    CHECK(uv && uv[0] == 0 && uv[1] == 1 && uv[2] == 0.75f && uv[3] == 0.75f);
    CHECK(uv && uv[4] == 0.5f && uv[5] == 1);
    free_made(&m);
}

TEST(negative_indices_count_back)
{
    made m = good("v 9 9 9\n" TRIANGLE "vn 0 0 1\nvn 1 0 0\nf -3//-2 -2//2 -1//-2\nv 5 5 5\n");
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(near3(corner_of(p, 0), 0, 0, 0) && near3(corner_of(p, 2), 0, 1, 0));
    CHECK(p->normals && near3(p->normals, 0, 0, 1) && near3(p->normals + 3, 1, 0, 0));
    CHECK(lost(&m, TENON_DROPPED, "vertices") == 2);
    free_made(&m);
}

// Some programs number the normals of a file without normals.
TEST(indices_of_normals_without_normals_are_ignored)
{
    static const char *const faces[] = {"f 1//1 2//2 3//3\n", "f 1//7 2//7 3//7\n",
                                        "f -3//-3 -2//-2 -1//-1\n", "f 1//1 2 3//4294967295\n"};
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, TRIANGLE "%s", faces[i]);
        made m = good(text);
        check_triangle(&m);
        CHECK(!part(&m, 0, 0)->normals);
        CHECK(lost(&m, TENON_DROPPED, "normals of corners") == (i == 3 ? 2 : 3));
        free_made(&m);
    }
    static const char *const wrong[] = {TRIANGLE "f 1//0 2//1 3//1\n",
                                        TRIANGLE "vn 0 0 1\nf 1//1 2//1 3//2\n",
                                        TRIANGLE "f 1//x 2//1 3//1\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        made m = read_obj(wrong[i]);
        CHECK(!m.scene && m.err.line == (i == 1 ? 5 : 4));
        free_made(&m);
    }
}

// ZBrush ends the text with a NUL.
TEST(a_nul_may_end_the_text)
{
    static const char text[] = TRIANGLE "f 1 2 3\n\n\0\n";
    for (size_t size = sizeof text - 4; size < sizeof text; size++) {
        tenon_doc *doc = tenon_read(text, size, NULL, NULL);
        CHECK(tenon_as_obj(doc) && tenon_as_obj(doc)->text.size == size);
        if (!doc) continue;
        made m = make_scene(doc);
        check_triangle(&m);
        CHECK(lost(&m, TENON_DROPPED, "statements") == 0);
        free_made(&m);
        tenon_doc_free(doc);
    }
    CHECK(tenon_read("v 1 2 3\n\0\0", 10, NULL, NULL) == NULL);
    CHECK(tenon_read("v 1 2 3\n\0v 1 2 3\n", 17, NULL, NULL) == NULL);
}

TEST(vertices_may_follow_their_faces)
{
    made m = good("f 1 2 3\n" TRIANGLE);
    check_triangle(&m);
    free_made(&m);
}

TEST(vertices_can_have_colors)
{
    made m = good("v 0 0 0 1 0.5 0.25\nv 1 0 0\nv 0 1 0 0 0 0\nv 2 0 0\nv 2 1 0\n"
                  "usemtl a\nf 1 2 3\nusemtl b\nf 2 4 5\n");
    static const float wanted[] = {1, 0.5f, 0.25f, 1, 1, 1, 1, 1, 0, 0, 0, 1};
    const float *colors = part(&m, 0, 0)->colors[0];
    for (int i = 0; i < 12 && colors; i++) CHECK(colors[i] == wanted[i]);
    CHECK(colors && !part(&m, 0, 1)->colors[0]);
    free_made(&m);
}

// As ZBrush paints the last vertices before a block, with a mask in front of each color.
TEST(vertices_can_be_painted)
{
    made m = good(TRIANGLE "#MRGB ff00ff00FfFf0000\n#MRGB 003366cc\nv 2 0 0\nv 2 2 0\nv 4 0 0\n"
                           "#Some comment\n#MRGB ff0000ff\n#MRGB ff0000\nf 1 2 3\nf 4 5 6\n");
    static const float colors[][3] = {{0, 1, 0}, {1, 0, 0}, {0.2f, 0.4f, 0.8f}, {0, 0, 1}};
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(p->vertex_count == 6 && p->colors[0] != NULL);
    for (int i = 0; i < 3 && p->colors[0]; i++) {
        CHECK(memcmp(p->colors[0] + 4 * i, colors[i], 12) == 0 && p->colors[0][4 * i + 3] == 1);
        bool is_painted = i == 2;
        for (int k = 0; k < 3; k++)
            CHECK(p->colors[0][4 * (3 + i) + k] == (is_painted ? colors[3][k] : 1));
    }
    free_made(&m);
    m = good(TRIANGLE "#MRGB ff00ff0\n#MRGBff00ff00\n #MRGB ff00ff00\n#MRGB ff00fg00\nf 1 2 3\n");
    CHECK(!part(&m, 0, 0)->colors[0]);
    free_made(&m);
    m = good(TRIANGLE "#MRGB ff000000ff000000ff0000ffff00ff00\nf 1 2 3\n");  // One too many.
    CHECK(part(&m, 0, 0)->colors[0] && part(&m, 0, 0)->colors[0][4 * 2 + 2] == 1);
    free_made(&m);
}

TEST(extra_numbers_are_reported)
{
    made m = good("v 0 0 0 1\nv 1 0 0 0.5\nv 0 1 0 9 9\nvt 0 0 0\nvt 0 0 1\nvn 0 0 1 7\n"
                  "f 1/1/1 2/2/1 3/1/1\n");
    CHECK(lost(&m, TENON_DROPPED, "weights of vertices") == 1);
    CHECK_STR(lost_at(&m, "weights of vertices"), "line:2");
    CHECK(lost(&m, TENON_DROPPED, "third texture coordinates") == 1);
    CHECK(lost(&m, TENON_DROPPED, "numbers") == 2 && !part(&m, 0, 0)->colors[0]);
    free_made(&m);
}

// -- Polygons

TEST(quads_are_cut_from_the_first_corner)
{
    made m = good(SQUARE "f 1 2 3 4\n");
    static const uint32_t wanted[] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 6; i++) CHECK(part(&m, 0, 0)->indices[i] == wanted[i]);
    free_made(&m);
}

// An arrow head, whose notch is opposite to each of its corners in turn.
TEST(a_concave_quad_is_cut_at_its_notch)
{
    static const char *const faces[] = {"f 1 2 3 4", "f 2 3 4 1", "f 3 4 1 2", "f 4 1 2 3",
                                        "f 4 3 2 1"};
    for (int i = 0; i < 5; i++) {
        char text[200];
        snprintf(text, sizeof text, "v 1 0 0\nv 0 2 0\nv -1 0 0\nv 0 0.5 0\n%s\n", faces[i]);
        made m = good(text);
        const tenon_primitive *p = part(&m, 0, 0);
        double sign = i == 4 ? -1 : 1;
        CHECK(p->index_count == 6 && near(area_of(p), sign * 1.5));
        CHECK(i == 4 || near(least_area_of(p), 0.75));
        free_made(&m);
    }
}

// A comb of `teeth` teeth: its area is known, and no triangle may be inside out.
static void check_comb(uint32_t teeth, bool is_turned)
{
    size_t room = 64 * (size_t)(4 * teeth + 4), used = 0;
    char *text = malloc(room);
    if (!text) exit(1);
    for (uint32_t i = 0; i < teeth; i++) {
        unsigned x = 2 * i;
        used += (size_t)snprintf(text + used, room - used,
                                 "v %u 0 0\nv %u 9 0\nv %u 9 0\nv %u 0 0\n", x, x, x + 1, x + 1);
    }
    used += (size_t)snprintf(text + used, room - used, "v %u -1 0\nv 0 -1 0\nf", 2 * teeth - 1);
    for (uint32_t i = 0; i < 4 * teeth + 2; i++)
        used += (size_t)snprintf(text + used, room - used, " %u",
                                 is_turned ? i + 1 : 4 * teeth + 2 - i);
    made m = good(text);
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(p->index_count == 3 * (4 * teeth));
    double area = 9 * (double)teeth + 2 * (double)teeth - 1;
    CHECK(near(area_of(p), is_turned ? -area : area));
    if (!is_turned) CHECK(least_area_of(p) >= 0);
    CHECK(lost(&m, TENON_APPROXIMATED, "polygons") == 0);
    free_made(&m);
    free(text);
}

TEST(combs_are_cut_without_overlap)
{
    for (uint32_t teeth = 1; teeth < 40; teeth++) check_comb(teeth, teeth % 2 == 0);
    check_comb(1000, false);
}

// Around a center that sees every corner, at distances that differ widely: simple, and concave.
static void check_star(uint32_t corners, uint64_t *state)
{
    double x[64], y[64], area = 0;
    char text[8192] = "";
    for (uint32_t i = 0; i < corners; i++) {
        double angle = 2 * 3.14159265358979 * i / corners, far = 0.05 + hand_random(state);
        x[i] = (double)(float)(far * cos(angle)), y[i] = (double)(float)(far * sin(angle));
        snprintf(text + strlen(text), 80, "v %.9g %.9g 0\n", x[i], y[i]);
    }
    strcat(text, "f");
    for (uint32_t i = 0; i < corners; i++) snprintf(text + strlen(text), 16, " %u", i + 1);
    for (uint32_t i = 0; i < corners; i++) {
        uint32_t next = (i + 1) % corners;
        area += (x[i] * y[next] - x[next] * y[i]) / 2;
    }
    made m = good(text);
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(p->index_count == 3 * (corners - 2) && near(area_of(p), area) && least_area_of(p) >= 0);
    CHECK(lost(&m, TENON_APPROXIMATED, "polygons") == 0);
    free_made(&m);
}

TEST(stars_are_cut_without_overlap)
{
    uint64_t state = 5;
    for (uint32_t i = 0; i < 600; i++) check_star(5 + i % 56, &state);
}

// A square with a square hole, joined by an edge that is used twice.
TEST(a_hole_with_a_bridge_stays_open)
{
    made m = good("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 1 0\nv 1 3 0\nv 3 3 0\nv 3 1 0\n"
                  "f 1 2 3 4 1 5 6 7 8 5\n");
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(p->index_count == 24 && near(area_of(p), 12) && least_area_of(p) >= 0);
    CHECK(lost(&m, TENON_APPROXIMATED, "polygons") == 0);
    free_made(&m);
}

TEST(polygons_may_be_in_any_plane)
{
    // The arrow head again, in the planes of Y and Z and of Z and X, seen from both sides.
    made m = good("v 5 1 0\nv 5 0 2\nv 5 -1 0\nv 5 0 0.5\nf 2 3 4 1\nf 1 4 3 2\n"
                  "v 0 5 1\nv 2 5 0\nv 0 5 -1\nv 0.5 5 0\nf 6 7 8 5\nf 5 8 7 6\n");
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(p->index_count == 24);
    for (uint32_t i = 0; i < 24; i += 3) {  // Each triangle has the notch and the tip.
        bool has_tip = false, has_notch = false;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = p->indices[i + k];
            const float *at = p->positions + 3 * (size_t)vertex;
            has_tip = has_tip || near3(at, 5, 0, 2) || near3(at, 2, 5, 0);
            has_notch = has_notch || near3(at, 5, 0, 0.5) || near3(at, 0.5, 5, 0);
        }
        CHECK(has_tip && has_notch);
    }
    free_made(&m);
}

TEST(corners_on_a_line_are_handled)
{
    made m = good("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n");
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(p->index_count == 12 && near(area_of(p), 4) && least_area_of(p) > 0);
    free_made(&m);
}

TEST(a_polygon_that_crosses_itself_is_triangulated_and_reported)
{
    made m = good("v 4 2 0\nv 0 3 0\nv 0 4 0\nv 3 0 0\nv 2 4 0\nv 4 0 0\nf 1 2 3 4 5 6\n");
    CHECK(part(&m, 0, 0)->index_count == 12 && lost(&m, TENON_APPROXIMATED, "polygons") == 1);
    CHECK_STR(lost_at(&m, "polygons"), "line:7");
    free_made(&m);
}

TEST(polygons_without_area_are_kept)
{
    made m = good(TRIANGLE "f 1 1 1\nf 1 2 1 2\nf 1 1 1 1 1\n");
    CHECK(part(&m, 0, 0)->index_count == 3 * (1 + 2 + 3));
    free_made(&m);
}

// -- Lines and points

TEST(lines_and_points_are_separate_parts)
{
    made m = good(SQUARE "vt 0\nvt 1\no a\nf 1 2 3\nl 1/1 2/2 3/1\nl 1 4\np 4 3\np 1\n");
    CHECK(m.scene->mesh_count == 1 && m.scene->meshes[0].primitive_count == 3);
    const tenon_primitive *lines = part(&m, 0, 1), *points = part(&m, 0, 2);
    CHECK(lines->mode == TENON_LINES && lines->index_count == 6 && lines->uvs[0]);
    CHECK(near3(corner_of(lines, 2), 1, 0, 0) && near3(corner_of(lines, 3), 1, 1, 0));
    CHECK(near3(corner_of(lines, 5), 0, 1, 0));
    CHECK(points->mode == TENON_POINTS && points->index_count == 3 && points->vertex_count == 3);
    CHECK(near3(corner_of(points, 0), 0, 1, 0) && near3(corner_of(points, 2), 0, 0, 0));
    free_made(&m);
}

TEST(vertices_alone_are_points)
{
    made m = good("v 1 2 3 1 0 0\nv 4 5 6\n");
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(p->mode == TENON_POINTS && p->vertex_count == 2 && near3(p->positions + 3, 4, 5, 6));
    CHECK(p->colors[0] && p->colors[0][1] == 0 && p->colors[0][5] == 1);
    CHECK(lost(&m, TENON_APPROXIMATED, "meshes") == 1);
    free_made(&m);
}

TEST(what_is_too_short_is_reported)
{
    made m = good(TRIANGLE "f 1 2\nf\nl 3\np\nf 1 2 3\n");
    CHECK(lost(&m, TENON_DROPPED, "faces and lines") == 4 && part(&m, 0, 0)->index_count == 3);
    CHECK_STR(lost_at(&m, "faces and lines"), "line:4");
    free_made(&m);
}

// -- Objects, groups, materials

TEST(objects_are_nodes_with_a_mesh)
{
    made m = good(TRIANGLE "f 1 2 3\no left\nf 1 2 3\no empty\no right\ng inner\nf 3 2 1\n"
                           "o left\nf 2 3 1\n");
    CHECK(m.scene->node_count == 3 && m.scene->mesh_count == 3);
    CHECK(node_called(m.scene, "mesh") != TENON_NONE && lost(&m, TENON_SYNTHESIZED, "names") == 1);
    uint32_t left = m.scene->nodes[node_called(m.scene, "left")].mesh;
    CHECK(m.scene->meshes[left].primitive_count == 1 && part(&m, left, 0)->index_count == 6);
    CHECK(lost(&m, TENON_DROPPED, "groups") == 1 && lost(&m, TENON_DROPPED, "objects") == 1);
    CHECK_STR(lost_at(&m, "groups"), "line:9");
    free_made(&m);
}

TEST(groups_are_nodes_where_there_are_no_objects)
{
    made m = good("g default\n" TRIANGLE "g a b\nf 1 2 3\ng\nf 3 2 1\ng a b\nf 1 2 3\n");
    CHECK(m.scene->node_count == 2 && m.scene->mesh_count == 2);
    CHECK_STR(m.scene->nodes[0].name.data, "default");
    CHECK_STR(m.scene->nodes[1].name.data, "a b");
    CHECK(part(&m, 1, 0)->index_count == 6 && lost(&m, TENON_DROPPED, "groups") == 0);
    free_made(&m);
}

TEST(each_material_of_an_object_is_a_primitive)
{
    made m = good(SQUARE "usemtl red\no box\nf 1 2 3\nusemtl blue\nf 1 3 4\nusemtl red\nf 4 3 2\n"
                         "o other\nf 1 2 3\nusemtl\nf 1 2 3\n");
    CHECK(m.scene->material_count == 2 && m.scene->meshes[0].primitive_count == 2);
    CHECK_STR(m.scene->materials[part(&m, 0, 0)->material].name.data, "red");
    CHECK_STR(m.scene->materials[part(&m, 0, 1)->material].name.data, "blue");
    CHECK(part(&m, 0, 0)->index_count == 6 && part(&m, 1, 0)->material == 0);
    CHECK(part(&m, 1, 1)->material == TENON_NONE);
    CHECK(lost(&m, TENON_DEFAULTED, "materials") == 2);
    free_made(&m);
}

TEST(what_is_not_a_polygon_is_reported)
{
    made m = good(SQUARE "vp 0.5\ncstype bezier\ndeg 3\ncurv 0 1 1 2 3 4\nend\nlod 2\nwhatever 1\n"
                         "f 1 2 3 4\n");
    CHECK(lost(&m, TENON_DROPPED, "curves and surfaces") == 5);
    CHECK(lost(&m, TENON_DROPPED, "display attributes") == 1);
    CHECK(lost(&m, TENON_DROPPED, "statements") == 1);
    CHECK_STR(lost_at(&m, "statements"), "line:11");
    free_made(&m);
}

// -- Normals

// Two squares at a right angle, the second one with twice the area.
#define ROOF "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 -2\nv 0 1 -2\n"

TEST(without_smoothing_groups_there_are_no_normals)
{
    made m = good(ROOF "f 1 2 3 4\nf 1 4 6 5\n");
    CHECK(!part(&m, 0, 0)->normals && part(&m, 0, 0)->vertex_count == 6);
    CHECK(lost(&m, TENON_SYNTHESIZED, "normals") == 0);
    free_made(&m);
}

TEST(faces_that_are_not_smooth_have_a_normal_each)
{
    static const char *const words[] = {"s off\n", "s 0\n", "s\n"};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, ROOF "%sf 1 2 3 4\nf 1 4 6 5\n", words[i]);
        made m = good(text);
        const tenon_primitive *p = part(&m, 0, 0);
        CHECK(p->vertex_count == 8 && p->normals && lost(&m, TENON_SYNTHESIZED, "normals") == 8);
        for (uint32_t k = 0; p->normals && k < 8; k++)
            CHECK(near3(p->normals + 3 * k, k < 4 ? 0 : -1, 0, k < 4 ? 1 : 0));
        free_made(&m);
    }
}

// The area counts: 1 along Z and 2 along -X.
TEST(faces_of_a_smoothing_group_share_normals)
{
    made m = good(ROOF "s 1\nf 1 2 3 4\nf 1 4 6 5\ns 2\nf 1 2 3 4\n");
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(p->vertex_count == 10 && p->normals);
    double length = sqrt(5);
    CHECK(near3(p->normals, -2 / length, 0, 1 / length));  // On the edge.
    CHECK(near3(p->normals + 3, 0, 0, 1));                 // On the first square only.
    CHECK(near3(p->normals + 3 * 6, 0, 0, 1));             // The same corner in another group.
    free_made(&m);
}

TEST(normals_of_the_file_are_kept_where_some_are_missing)
{
    made m = good(TRIANGLE "vn 1 0 0\nf 1//1 2 3\n");
    const tenon_primitive *p = part(&m, 0, 0);
    CHECK(p->normals && near3(p->normals, 1, 0, 0) && near3(p->normals + 3, 0, 0, 1));
    CHECK(lost(&m, TENON_SYNTHESIZED, "normals") == 2);
    free_made(&m);
}

int main(void)
{
    RUN(the_document_is_the_text);
    RUN(an_empty_text_is_written_as_an_empty_file);
    RUN(an_empty_text_is_an_empty_scene);
    RUN(a_triangle_is_read_however_it_is_written);
    RUN(numbers_of_every_form_are_exact);
    RUN(names_keep_their_blanks_and_may_continue_in_the_next_line);
    RUN(comments_do_not_continue);
    RUN(corners_that_are_the_same_are_one_vertex);
    RUN(texture_coordinates_go_down);
    RUN(negative_indices_count_back);
    RUN(indices_of_normals_without_normals_are_ignored);
    RUN(a_nul_may_end_the_text);
    RUN(vertices_may_follow_their_faces);
    RUN(vertices_can_have_colors);
    RUN(vertices_can_be_painted);
    RUN(extra_numbers_are_reported);
    RUN(quads_are_cut_from_the_first_corner);
    RUN(a_concave_quad_is_cut_at_its_notch);
    RUN(combs_are_cut_without_overlap);
    RUN(stars_are_cut_without_overlap);
    RUN(a_hole_with_a_bridge_stays_open);
    RUN(polygons_may_be_in_any_plane);
    RUN(corners_on_a_line_are_handled);
    RUN(a_polygon_that_crosses_itself_is_triangulated_and_reported);
    RUN(polygons_without_area_are_kept);
    RUN(lines_and_points_are_separate_parts);
    RUN(vertices_alone_are_points);
    RUN(what_is_too_short_is_reported);
    RUN(objects_are_nodes_with_a_mesh);
    RUN(groups_are_nodes_where_there_are_no_objects);
    RUN(each_material_of_an_object_is_a_primitive);
    RUN(what_is_not_a_polygon_is_reported);
    RUN(without_smoothing_groups_there_are_no_normals);
    RUN(faces_that_are_not_smooth_have_a_normal_each);
    RUN(faces_of_a_smoothing_group_share_normals);
    RUN(normals_of_the_file_are_kept_where_some_are_missing);
    TEST_END();
}
