// test_surface.c: generated normals, tangents and texture coordinates, and equal vertices.
// SPDX-License-Identifier: MIT

#include "hand_scene.h"
#include "scene/model/pieces.h"
#include "scene/surface/surface.h"

#define QUAD 4

// A square in the XY plane, front to +Z, with the picture upright on it.
static float square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static float square_normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
static float square_uvs[] = {0, 1, 1, 1, 1, 0, 0, 0};
static uint32_t square_indices[] = {0, 1, 2, 0, 2, 3};

static tenon_primitive make_square(void)
{
    return (tenon_primitive){.mode = TENON_TRIANGLES,
                             .material = TENON_NONE,
                             .vertex_count = QUAD,
                             .positions = square,
                             .normals = square_normals,
                             .uvs = {square_uvs},
                             .index_count = 6,
                             .indices = square_indices};
}

static tn_arena memory(void)
{
    return tn_arena_make(&(tenon_allocator){0}, UINT64_MAX);
}

static bool is_unit(const float *v)
{
    return hand_near(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 1, 1e-6);
}

// -- Normals

TEST(flat_faces_have_flat_normals)
{
    tn_arena work = memory();
    tenon_primitive p = make_square();
    float normals[12];
    CHECK(tn_smooth_normals(&p, &work, NULL, normals));
    for (int i = 0; i < QUAD; i++) CHECK(hand_at(normals + 3 * i, 0, 0, 1));
    CHECK(work.used == 0);
    tn_arena_free(&work);
}

// Three faces of a cube meet in a corner; one of them as two triangles, one with separate
// vertices. By angles each face counts once.
TEST(smooth_normals_count_angles_and_not_triangles)
{
    static float points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0,
                             1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    // Bottom (-Z) from vertex 0, side (-Y) from vertex 0, side (-X) from vertices 5 to 7.
    static uint32_t indices[] = {0, 2, 1, 0, 3, 2, 0, 1, 4, 5, 7, 6};
    tenon_primitive p = {.mode = TENON_TRIANGLES,
                         .vertex_count = 9,
                         .positions = points,
                         .index_count = 12,
                         .indices = indices};
    tn_arena work = memory();
    float normals[27];
    const double third = -1 / sqrt(3);
    CHECK(tn_smooth_normals(&p, &work, NULL, normals));
    CHECK(hand_at(normals, third, third, third));
    CHECK(hand_at(normals + 15, third, third, third));
    CHECK(hand_at(normals + 24, third, third, third));  // In no face, but at the same place.
    tn_arena_free(&work);
}

// Mirroring a model makes -0 of 0: the position is the same.
TEST(zero_of_either_sign_is_the_same_position)
{
    static float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -0.0f, 0, 0, 0, 1, 0, 0, 0, 1};
    tenon_primitive p = {.mode = TENON_TRIANGLES, .vertex_count = 6, .positions = points};
    tn_arena work = memory();
    float normals[18];
    CHECK(tn_smooth_normals(&p, &work, NULL, normals));
    CHECK(memcmp(normals, normals + 9, 12) == 0);
    CHECK(hand_at(normals, sqrt(0.5), 0, sqrt(0.5)));
    tn_arena_free(&work);
}

TEST(two_sheets_back_to_back_keep_their_sides)
{
    static float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0};
    tenon_primitive p = {.mode = TENON_TRIANGLES, .vertex_count = 6, .positions = points};
    tn_arena work = memory();
    float normals[18];
    CHECK(tn_smooth_normals(&p, &work, NULL, normals));
    for (int i = 0; i < 6; i++) CHECK(hand_at(normals + 3 * i, 0, 0, i < 3 ? 1 : -1));
    tn_arena_free(&work);
}

TEST(without_a_face_normals_point_up)
{
    static float points[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 5, 5, 5};
    tenon_primitive p = {.mode = TENON_TRIANGLES, .vertex_count = 4, .positions = points};
    tn_arena work = memory();
    float normals[12];
    CHECK(tn_smooth_normals(&p, &work, NULL, normals));  // The only triangle is a line.
    for (int i = 0; i < 4; i++) CHECK(hand_at(normals + 3 * i, 0, 1, 0));
    p.mode = TENON_POINTS;
    CHECK(tn_smooth_normals(&p, &work, NULL, normals));
    CHECK(hand_at(normals, 0, 1, 0));
    p.vertex_count = 0;
    p.positions = NULL;
    CHECK(tn_smooth_normals(&p, &work, NULL, normals));
    tn_arena_free(&work);
}

TEST(strips_and_fans_have_the_normals_of_lists)
{
    static uint32_t strip[] = {3, 0, 2, 1}, fan[] = {0, 1, 2, 3};
    tenon_primitive p = make_square();
    tn_arena work = memory();
    float normals[12];
    p.mode = TENON_TRIANGLE_STRIP, p.indices = strip, p.index_count = 4;
    CHECK(tn_smooth_normals(&p, &work, NULL, normals));
    for (int i = 0; i < QUAD; i++) CHECK(hand_at(normals + 3 * i, 0, 0, 1));
    p.mode = TENON_TRIANGLE_FAN, p.indices = fan;
    CHECK(tn_smooth_normals(&p, &work, NULL, normals));
    for (int i = 0; i < QUAD; i++) CHECK(hand_at(normals + 3 * i, 0, 0, 1));
    tn_arena_free(&work);
}

// A roof: the ridge is shared, the slopes keep their own normals once they share nothing.
TEST(flat_normals_are_those_of_faces)
{
    static float points[] = {0, 1, 0, 0, 1, -1, 1, 0, 0, -1, 0, 0};
    static uint32_t indices[] = {0, 2, 1, 0, 1, 3};
    tenon_primitive p = {.mode = TENON_TRIANGLES,
                         .vertex_count = 4,
                         .positions = points,
                         .index_count = 6,
                         .indices = indices};
    tenon_primitive apart;
    tn_arena arena = memory();
    float normals[18];
    CHECK(tn_unshare(&p, &arena, &apart));
    CHECK(apart.vertex_count == 6 && !apart.indices && apart.mode == TENON_TRIANGLES);
    tn_flat_normals(&apart, normals);
    for (int i = 0; i < 6; i++)
        CHECK(hand_at(normals + 3 * i, i < 3 ? sqrt(0.5) : -sqrt(0.5), sqrt(0.5), 0));
    tn_arena_free(&arena);
}

// -- Tangents

// As in Khronos' samples that have tangents: the bitangent, cross(normal, tangent) * w, goes where
// v gets less, up the picture.
TEST(an_upright_picture_has_its_bitangent_up)
{
    tenon_primitive p = make_square();
    tn_arena work = memory();
    float tangents[16];
    CHECK(tn_make_tangents(&p, &work, NULL, tangents));
    for (int i = 0; i < QUAD; i++) {
        CHECK(hand_at(tangents + 4 * i, 1, 0, 0));
        CHECK(tangents[4 * i + 3] == 1);
    }
    CHECK(work.used == 0);
    tn_arena_free(&work);
}

TEST(mirrored_pictures_change_the_sign)
{
    float left[8], upside[8], tangents[16];
    tenon_primitive p = make_square();
    tn_arena work = memory();
    for (int i = 0; i < 8; i++) {
        left[i] = i % 2 == 0 ? 1 - square_uvs[i] : square_uvs[i];
        upside[i] = i % 2 == 1 ? 1 - square_uvs[i] : square_uvs[i];
    }
    p.uvs[0] = left;
    CHECK(tn_make_tangents(&p, &work, NULL, tangents));
    CHECK(hand_at(tangents, -1, 0, 0) && tangents[3] == -1);
    p.uvs[0] = upside;
    CHECK(tn_make_tangents(&p, &work, NULL, tangents));
    CHECK(hand_at(tangents, 1, 0, 0) && tangents[3] == -1);
    tn_arena_free(&work);
}

// Two triangles share an edge; the picture of the smaller one is mirrored at it.
TEST(the_larger_triangle_decides_for_shared_vertices)
{
    static float points[] = {0, 0, 0, 0, 1, 0, -2, 0, 0, 1, 0, 0};
    static float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static float uvs[] = {0, 1, 0, 0, 1, 1, 1, 1};
    static uint32_t indices[] = {0, 1, 2, 0, 3, 1};
    tenon_primitive p = {.mode = TENON_TRIANGLES,
                         .vertex_count = 4,
                         .positions = points,
                         .normals = normals,
                         .uvs = {uvs},
                         .index_count = 6,
                         .indices = indices};
    tn_arena work = memory();
    float tangents[16];
    CHECK(tn_make_tangents(&p, &work, NULL, tangents));
    CHECK(hand_at(tangents, -1, 0, 0) && tangents[3] == -1);
    CHECK(hand_at(tangents + 8, -1, 0, 0) && tangents[11] == -1);
    CHECK(hand_at(tangents + 12, 1, 0, 0) && tangents[15] == 1);
    points[6] = -0.5f;
    CHECK(tn_make_tangents(&p, &work, NULL, tangents));
    CHECK(hand_at(tangents, 1, 0, 0) && tangents[3] == 1);
    points[6] = -2;
    tn_arena_free(&work);
}

TEST(tangents_are_at_right_angles_to_normals)
{
    static float leaning[] = {0.6f, 0, 0.8f, 0, 0.6f, 0.8f, -0.6f, 0, 0.8f, 1, 0, 0};
    tenon_primitive p = make_square();
    tn_arena work = memory();
    float tangents[16];
    p.normals = leaning;
    CHECK(tn_make_tangents(&p, &work, NULL, tangents));
    for (int i = 0; i < QUAD; i++) {
        const float *t = tangents + 4 * i, *n = leaning + 3 * i;
        CHECK(is_unit(t));
        CHECK(hand_near(t[0] * n[0] + t[1] * n[1] + t[2] * n[2], 0, 1e-6));
    }
    CHECK(hand_at(tangents, 0.8, 0, -0.6));
    tn_arena_free(&work);
}

TEST(without_directions_any_tangent_is_accepted)
{
    float nowhere[8] = {0}, tangents[16];
    tenon_primitive p = make_square();
    tn_arena work = memory();
    for (int round = 0; round < 2; round++) {
        p.uvs[0] = round ? NULL : nowhere;
        CHECK(tn_make_tangents(&p, &work, NULL, tangents));
        for (int i = 0; i < QUAD; i++) {
            CHECK(is_unit(tangents + 4 * i) && tangents[4 * i + 2] == 0);
            CHECK(tangents[4 * i + 3] == 1);
        }
    }
    tn_arena_free(&work);
}

// A list without indices is smooth where vertices are equal except for their number.
TEST(equal_vertices_have_equal_tangents)
{
    static float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, -1, 0, 0.5f};
    static float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static float uvs[] = {0, 1, 1, 1, 0, 0, 0, 1, 0, 0, -1, 1.4f};
    tenon_primitive p = {.mode = TENON_TRIANGLES,
                         .vertex_count = 6,
                         .positions = points,
                         .normals = normals,
                         .uvs = {uvs}};
    tn_arena work = memory();
    float tangents[24];
    CHECK(tn_make_tangents(&p, &work, NULL, tangents));
    CHECK(memcmp(tangents, tangents + 12, 16) == 0);
    CHECK(memcmp(tangents + 8, tangents + 16, 16) == 0);
    CHECK(memcmp(tangents + 4, tangents + 20, 16) != 0);
    tn_arena_free(&work);
}

// -- Texture coordinates

TEST(box_mapping_shows_pictures_upright_on_all_sides)
{
    static const float sides[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    // The corner at the lower left of each side, seen from outside; from above, -Z is up.
    static const float corners[6][3] = {{1, 0, 1}, {0, 0, 0}, {0, 1, 1},
                                        {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    float points[8 * 3], normals[8 * 3], uvs[16];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) points[3 * i + k] = (float)(i >> k & 1);
    tenon_primitive p = {
        .mode = TENON_POINTS, .vertex_count = 8, .positions = points, .normals = normals};
    for (int side = 0; side < 6; side++) {
        for (int i = 0; i < 8; i++) memcpy(normals + 3 * i, sides[side], 12);
        tn_box_uvs(&p, uvs);
        for (int i = 0; i < 8; i++) {
            if (memcmp(points + 3 * i, corners[side], 12) != 0) continue;
            CHECK(uvs[2 * i] == 0 && uvs[2 * i + 1] == 1);
        }
    }
}

TEST(a_box_without_a_size_has_coordinates)
{
    static float points[] = {3, 4, 5, 3, 4, 5};
    tenon_primitive p = {.mode = TENON_POINTS, .vertex_count = 2, .positions = points};
    float uvs[4] = {9, 9, 9, 9};
    tn_box_uvs(&p, uvs);
    for (int i = 0; i < 4; i++) CHECK(uvs[i] >= 0 && uvs[i] <= 1);
    p.vertex_count = 0;
    p.positions = NULL;
    tn_box_uvs(&p, uvs);
}

// -- Equal vertices

TEST(welding_joins_equal_vertices_only)
{
    static float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0};
    static float uvs[] = {0, 0, 1, 0, 0, 1, 0, 1, 1, 0.5f, 1, 1, 1, 0};
    tenon_primitive p = {
        .mode = TENON_TRIANGLES, .vertex_count = 6, .positions = points, .uvs = {uvs}};
    tenon_primitive welded;
    tn_arena arena = memory();
    CHECK(tn_weld(&p, &arena, NULL, &welded));
    static const uint32_t want[] = {0, 1, 2, 2, 3, 4};  // Number 4 has other coordinates than 1.
    CHECK(welded.vertex_count == 5 && welded.index_count == 6);
    CHECK(memcmp(welded.indices, want, sizeof want) == 0);
    CHECK(welded.uvs[0][7] == 0.5f && hand_at(welded.positions + 12, 1, 1, 0));
    p.uvs[0] = NULL;
    CHECK(tn_weld(&p, &arena, NULL, &welded));
    CHECK(welded.vertex_count == 4 && !welded.uvs[0]);
    tn_arena_free(&arena);
}

TEST(welding_compares_weights_and_signs)
{
    float points[12] = {[6] = -0.0f};
    uint16_t joints[16] = {1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 2, 1};
    float weights[16] = {0.5f, 0.5f, 0, 0, 0.75f, 0.25f, 0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f};
    tenon_primitive p = {.mode = TENON_POINTS,
                         .vertex_count = 4,
                         .positions = points,
                         .influence_count = 4,
                         .joints = joints,
                         .weights = weights};
    tenon_primitive welded;
    tn_arena arena = memory();
    CHECK(tn_weld(&p, &arena, NULL, &welded));
    CHECK(welded.vertex_count == 4);
    CHECK(welded.joints[12] == 2 && welded.weights[5] == 0.25f);
    points[6] = 0;
    CHECK(tn_weld(&p, &arena, NULL, &welded));
    CHECK(welded.vertex_count == 3 && welded.indices[2] == 0);
    tn_arena_free(&arena);
}

// Split and joined again: the same triangles.
TEST(unsharing_and_welding_keep_the_triangles)
{
    tenon_primitive p = make_square(), apart, again;
    tn_arena arena = memory();
    CHECK(tn_unshare(&p, &arena, &apart));
    CHECK(tn_weld(&apart, &arena, NULL, &again));
    CHECK(again.vertex_count == QUAD && again.index_count == 6);
    for (uint64_t i = 0; i < 2; i++) {
        uint32_t a[3], b[3];
        tn_piece_at(&p, i, a);
        tn_piece_at(&again, i, b);
        for (int k = 0; k < 3; k++)
            CHECK(memcmp(square + 3 * a[k], again.positions + 3 * b[k], 12) == 0);
    }
    tn_arena_free(&arena);
}

TEST(many_vertices_take_linear_time)
{
    enum { COUNT = 300000 };
    float *points = calloc(COUNT, 3 * sizeof *points);
    tenon_primitive p = {.mode = TENON_POINTS, .vertex_count = COUNT, .positions = points};
    tenon_primitive welded;
    for (uint32_t i = 0; i < COUNT; i++) points[3 * i] = (float)(i / 2), points[3 * i + 2] = 1;
    tn_arena arena = memory();
    CHECK(tn_weld(&p, &arena, NULL, &welded));
    CHECK(welded.vertex_count == COUNT / 2 && welded.indices[COUNT - 1] == COUNT / 2 - 1);
    tn_arena_free(&arena);
    free(points);
}

// -- Windings

TEST(reversed_triangles_face_the_other_way)
{
    static uint32_t strip[] = {3, 0, 2, 1};
    tn_arena arena = memory();
    float normals[18];
    tenon_primitive p = make_square(), out, apart;
    CHECK(tn_reverse_winding(&p, &arena, &out) && out.positions == square);
    CHECK(tn_smooth_normals(&out, &arena, NULL, normals) && hand_at(normals, 0, 0, -1));
    CHECK(tn_unshare(&p, &arena, &apart));
    CHECK(tn_reverse_winding(&apart, &arena, &out) && !out.indices);
    CHECK(tn_smooth_normals(&out, &arena, NULL, normals) && hand_at(normals, 0, 0, -1));
    CHECK(out.uvs[0][4] == 1 && out.uvs[0][5] == 1);  // They are reversed, too.
    p.mode = TENON_TRIANGLE_STRIP, p.indices = strip, p.index_count = 4;
    CHECK(tn_reverse_winding(&p, &arena, &out) && out.mode == TENON_TRIANGLES);
    CHECK(tn_smooth_normals(&out, &arena, NULL, normals) && hand_at(normals, 0, 0, -1));
    p.mode = TENON_LINE_STRIP;
    CHECK(tn_reverse_winding(&p, &arena, &out) && out.indices == strip);
    tn_arena_free(&arena);
}

TEST(degenerate_triangles_between_strips_are_left_out)
{
    static uint32_t strip[] = {3, 0, 2, 1, 1, 1, 3, 0};
    tenon_primitive p = make_square(), out;
    tn_arena arena = memory();
    p.mode = TENON_TRIANGLE_STRIP, p.indices = strip, p.index_count = 8;
    CHECK(tn_list_triangles(&p, &arena, &out));
    CHECK(out.index_count == 9 && out.indices[0] == 3 && out.indices[3] == 0);
    tn_arena_free(&arena);
}

// -- Stopping

static bool refuse(void *user, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    ++*(uint32_t *)user;
    return false;
}

// Few vertices and many triangles: the progress function is called while these are processed.
TEST(tangents_of_many_triangles_can_be_stopped)
{
    enum { COUNT = 3 * TN_PULSE_STEPS };
    uint32_t *indices = malloc(COUNT * sizeof *indices), asked = 0;
    if (!indices) abort();
    for (uint32_t i = 0; i < COUNT; i++) indices[i] = square_indices[i % 6];
    tenon_primitive p = make_square();
    p.indices = indices, p.index_count = COUNT;
    tn_pulse pulse = {.events = &(tenon_events){.on_progress = refuse, .user = &asked}};
    tn_arena work = memory();
    float tangents[4 * QUAD];
    CHECK(!tn_make_tangents(&p, &work, &pulse, tangents));
    CHECK(asked == 1 && work.used == 0);
    tn_arena_free(&work);
    free(indices);
}

// -- Memory

TEST(without_memory_all_of_them_fail)
{
    bool has_all = false;
    for (uint64_t limit = 0; limit < 4096 && !has_all; limit += 16) {
        tn_arena arena = tn_arena_make(&(tenon_allocator){0}, limit);
        tenon_primitive p = make_square(), out;
        float room[18];
        has_all =
            tn_smooth_normals(&p, &arena, NULL, room) && tn_make_tangents(&p, &arena, NULL, room);
        CHECK(arena.used == 0);
        bool is_apart = tn_unshare(&p, &arena, &out), is_welded = tn_weld(&p, &arena, NULL, &out);
        has_all = has_all && is_apart && is_welded;
        tn_arena_free(&arena);
    }
    CHECK(has_all);
}

int main(void)
{
    RUN(flat_faces_have_flat_normals);
    RUN(smooth_normals_count_angles_and_not_triangles);
    RUN(zero_of_either_sign_is_the_same_position);
    RUN(two_sheets_back_to_back_keep_their_sides);
    RUN(without_a_face_normals_point_up);
    RUN(strips_and_fans_have_the_normals_of_lists);
    RUN(flat_normals_are_those_of_faces);
    RUN(an_upright_picture_has_its_bitangent_up);
    RUN(mirrored_pictures_change_the_sign);
    RUN(the_larger_triangle_decides_for_shared_vertices);
    RUN(tangents_are_at_right_angles_to_normals);
    RUN(without_directions_any_tangent_is_accepted);
    RUN(equal_vertices_have_equal_tangents);
    RUN(box_mapping_shows_pictures_upright_on_all_sides);
    RUN(a_box_without_a_size_has_coordinates);
    RUN(welding_joins_equal_vertices_only);
    RUN(welding_compares_weights_and_signs);
    RUN(unsharing_and_welding_keep_the_triangles);
    RUN(many_vertices_take_linear_time);
    RUN(reversed_triangles_face_the_other_way);
    RUN(degenerate_triangles_between_strips_are_left_out);
    RUN(tangents_of_many_triangles_can_be_stopped);
    RUN(without_memory_all_of_them_fail);
    TEST_END();
}
