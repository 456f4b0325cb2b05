// test_diff_mesh.c: what differs between two meshes and their skins.
// SPDX-License-Identifier: MIT

#include "diff_help.h"

// -- Meshes

// Give a scene a separate mesh: triangles as three corners each, without indices.
static void unshare(rich *r, float *positions, float *normals, uint32_t turn)
{
    tenon_primitive *p = &r->h.primitives[0];
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t from = r->indices[(i + turn) % 3 + 3 * (1 - i / 3)];
        memcpy(positions + 3 * i, r->positions + 3 * from, 3 * sizeof(float));
        memcpy(normals + 3 * i, r->normals + 3 * from, 3 * sizeof(float));
    }
    *p = (tenon_primitive){.mode = TENON_TRIANGLES,
                           .material = 0,
                           .vertex_count = 6,
                           .positions = positions,
                           .normals = normals};
}

// Leave positions, normals and indices.
static void simplify(rich *r)
{
    tenon_primitive *p = &r->h.primitives[0];
    p->uvs[0] = p->colors[0] = NULL;
    p->influence_count = 0;
    r->h.nodes[PANEL].skin = TENON_NONE;
}

TEST(how_triangles_are_stored_does_not_matter)
{
    static float positions[18], normals[18];
    static uint32_t strip[] = {1, 2, 0, 3}, fan[] = {2, 3, 0, 1}, loose[] = {3, 0, 2, 2, 0, 1};
    for (uint32_t turn = 0; turn < 3; turn++) {
        begin_both();
        simplify(&a);
        simplify(&b);
        unshare(&b, positions, normals, turn);
        same();
    }
    const struct {
        tenon_mode mode;
        uint32_t *indices, count;
    } ways[] = {{TENON_TRIANGLE_STRIP, strip, 4},
                {TENON_TRIANGLE_FAN, fan, 4},
                {TENON_TRIANGLES, loose, 6}};
    for (int way = 0; way < 3; way++) {
        begin_both();
        b.h.primitives[0].mode = ways[way].mode;
        b.h.primitives[0].indices = ways[way].indices;
        b.h.primitives[0].index_count = ways[way].count;
        same();
    }
}

TEST(a_mesh_may_be_split)
{
    static uint32_t halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
    tenon_primitive parts[2];
    begin_both();
    for (int i = 0; i < 2; i++) {
        parts[i] = b.h.primitives[0];
        parts[i].indices = halves[i], parts[i].index_count = 3;
    }
    b.h.meshes[0].primitives = parts;
    b.h.meshes[0].primitive_count = 2;
    same();
    parts[1].material = 1;
    one("meshes[sign].primitives[0].material", "paint", "steel", -1);
}

TEST(vertices_that_moved_are_counted)
{
    begin_both();
    b.positions[8] = 2;  // The third vertex.
    b.positions[11] = 0.5f;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    double reference = sqrt(9 + 16 + 4);  // Of the larger box.
    CHECK(found.size == 2 && found.count == 3);
    CHECK_STR(found.paths[0], "meshes[sign].bounds");
    CHECK_STR(found.a[0], "0 0 0 3 4 0");
    CHECK_STR(found.b[0], "0 0 0 3 4 2");
    CHECK_STR(found.paths[1], "meshes[sign].primitives[0].positions[2]");
    CHECK_STR(found.a[1], "3 4 0");
    CHECK_STR(found.b[1], "3 4 2");
    CHECK_STR(found.kinds[1], "positions");
    CHECK(hand_near(found.amounts[1], 2 / reference, 1e-9) && found.more[1] == 1);
}

TEST(streams_are_compared)
{
    begin_both();
    b.normals[2] = 0, b.normals[1] = 1;
    one("meshes[sign].primitives[0].normals[0]", "0 0 1", "0 1 0", sqrt(2));
    begin_both();
    b.uvs[2] = 0.5f;
    one("meshes[sign].primitives[0].uvs[0][1]", "0.75 0", "0.5 0", 0.25);
    begin_both();
    b.colors[15] = 1;
    one("meshes[sign].primitives[0].colors[0][3]", "0.5 0.5 0.5 0.5", "0.5 0.5 0.5 1",
        0.5 / sqrt(1.75));
    begin_both();
    b.h.primitives[0].colors[0] = NULL;
    one("meshes[sign].primitives[0].colors[0][0]", "0.5 0.5 0.5 0.5", "", -1);
    begin_both();
    b.h.primitives[0].material = TENON_NONE;
    one("meshes[sign].primitives[0].material", "paint", "", -1);
}

TEST(triangles_come_and_go)
{
    begin_both();
    b.h.primitives[0].index_count = 3;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 2);
    CHECK_STR(found.paths[0], "meshes[sign].triangle_count");
    CHECK_STR(found.a[0], "2");
    CHECK_STR(found.b[0], "1");
    CHECK_STR(found.paths[1], "meshes[sign].primitives[0].triangles[1]");
    CHECK_STR(found.a[1], "0 0 0, 3 4 0, 0 4 0");
    CHECK_STR(found.b[1], "");
}

TEST(a_triangle_that_is_inside_out_is_reported)
{
    static const uint32_t turned[] = {0, 2, 1, 0, 2, 3};
    begin_both();
    memcpy(b.indices, turned, sizeof turned);
    one("meshes[sign].primitives[0].triangles[0]", "facing one way", "facing the other way", -1);
}

// 2000 triangles in a random order, all corners moved by a bit less than the tolerance.
TEST(cell_borders_do_not_separate_triangles)
{
    enum { COUNT = 2000 };
    static float ours[9 * COUNT], theirs[9 * COUNT];
    static hand one_hand, other;
    uint64_t state = 5;
    hand_begin(&one_hand);
    hand_begin(&other);
    for (int i = 0; i < COUNT; i++) {
        double middle[3] = {hand_random(&state), hand_random(&state), hand_random(&state)};
        for (int k = 0; k < 9; k++)
            ours[9 * i + k] = (float)(middle[k % 3] + 0.02 * hand_random(&state));
    }
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 9; k++) {
            int from = 9 * ((i * 7 + 3) % COUNT) + (k + 3) % 9;
            theirs[9 * i + k] = ours[from] + (float)(0.9e-4 * (2 * hand_random(&state) - 1));
        }
    hand_mesh(&one_hand, "m", hand_node(&one_hand, "n", TENON_NONE), ours, 3 * COUNT);
    hand_mesh(&other, "m", hand_node(&other, "n", TENON_NONE), theirs, 3 * COUNT);
    diff_result found = compare_within(&one_hand.scene, &other.scene, 1e-4);
    CHECK(found.count == 0);
    found = compare_within(&one_hand.scene, &other.scene, 1e-5);
    CHECK(found.count > COUNT);
}

// Triangles in the same place are distinguished by their other streams.
TEST(triangles_in_one_place_are_paired)
{
    static float positions[18], here[12], there[12];
    static const float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (int i = 0; i < 18; i++) positions[i] = triangle[i % 9];
    for (int i = 0; i < 12; i++) here[i] = i < 6, there[i] = i >= 6;
    hand one_hand, other;
    hand_begin(&one_hand);
    hand_begin(&other);
    hand_mesh(&one_hand, "m", hand_node(&one_hand, "n", TENON_NONE), positions, 6)->uvs[0] = here;
    tenon_primitive *p = hand_mesh(&other, "m", hand_node(&other, "n", TENON_NONE), positions, 6);
    p->uvs[0] = there;
    static uint32_t order[] = {0, 1, 2, 3, 4, 5};
    p->indices = order, p->index_count = 6;  // Stored otherwise: order does not decide.
    check_same(&one_hand.scene, &other.scene);
    there[0] = 0.5f;
    diff_result found = compare(&one_hand.scene, &other.scene);
    CHECK(found.count == 1 && strcmp(found.kinds[0], "texture coordinates") == 0);
}

// -- Skins

TEST(the_order_of_joints_and_influences_does_not_matter)
{
    begin_both();
    b.skin_joints[0] = JIB, b.skin_joints[1] = MAST;
    for (int i = 0; i < 4; i++) {
        b.joints[4 * i] = 0, b.weights[4 * i] = 0.25f;
        b.joints[4 * i + 1] = 0, b.weights[4 * i + 1] = 0;
        b.joints[4 * i + 2] = 1, b.weights[4 * i + 2] = 0.75f;
    }
    same();
    b.weights[4 + 0] = 0.5f, b.weights[4 + 2] = 0.5f;
    one("meshes[sign].primitives[0].weights[1]", "mast 0.75, jib 0.25", "jib 0.5, mast 0.5", 0.25);
}

TEST(joints_and_binds_are_compared)
{
    begin_both();
    b.binds[16 + 13] = 2;
    diff_result found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.count == 1);
    CHECK_STR(found.paths[0], "skins[rig].inverse_binds[jib]");
    CHECK_STR(found.kinds[0], "inverse binds");

    begin_both();
    b.skin_joints[1] = BASE;
    found = compare(&a.h.scene, &b.h.scene);
    CHECK(found.size == 5 && found.count == 8);
    CHECK_STR(found.paths[0], "nodes[base].is_joint");
    CHECK_STR(found.paths[1], "nodes[jib].is_joint");
    CHECK_STR(found.paths[2], "meshes[sign].primitives[0].weights[0]");
    CHECK_STR(found.b[2], "mast 0.75, base 0.25");
    CHECK(found.more[2] == 3);
    CHECK_STR(found.paths[3], "skins[rig].joints[jib]");
    CHECK_STR(found.paths[4], "skins[rig].joints[base]");
}

int main(void)
{
    RUN(how_triangles_are_stored_does_not_matter);
    RUN(a_mesh_may_be_split);
    RUN(vertices_that_moved_are_counted);
    RUN(streams_are_compared);
    RUN(triangles_come_and_go);
    RUN(a_triangle_that_is_inside_out_is_reported);
    RUN(cell_borders_do_not_separate_triangles);
    RUN(triangles_in_one_place_are_paired);
    RUN(the_order_of_joints_and_influences_does_not_matter);
    RUN(joints_and_binds_are_compared);
    TEST_END();
}
