// test_verify_claims.c: what tenon_verify() may report as verified, and what it must not.
// SPDX-License-Identifier: MIT

#include "verify_help.h"

// -- Polygons

// One polygon of four corners, twisted, cut along one of its diagonals.
typedef struct quad {
    hand h;
    float positions[12];
    uint32_t indices[6], sizes[1];
} quad;

static void begin_quad(quad *q, bool is_cut_otherwise, bool is_polygon)
{
    static const float corners[12] = {0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0};
    static const uint32_t cuts[2][6] = {{0, 1, 2, 0, 2, 3}, {1, 2, 3, 1, 3, 0}};
    memcpy(q->positions, corners, sizeof corners);
    memcpy(q->indices, cuts[is_cut_otherwise], sizeof q->indices);
    q->sizes[0] = 2;
    hand_begin(&q->h);
    tenon_primitive *p =
        hand_mesh(&q->h, "quad", hand_node(&q->h, "quad", TENON_NONE), q->positions, 4);
    p->indices = q->indices;
    p->index_count = 6;
    p->polygon_sizes = is_polygon ? q->sizes : NULL;
    p->polygon_count = is_polygon;
}

TEST(a_polygon_is_the_same_whichever_diagonal_cuts_it)
{
    for (int which = 1; which < 4; which++) {
        quad a, b;
        begin_quad(&a, false, which & 1);
        begin_quad(&b, true, which & 2);
        tenon_verify_result r = compared(&a.h, &b.h, NULL);
        CHECK(r.verdict == TENON_VERIFIED && r.largest == 0 && r.matched == 1 && !r.by_surface);
    }
}

TEST(triangles_of_files_without_polygons_that_cut_otherwise_differ)
{
    quad a, b;
    begin_quad(&a, false, false);
    begin_quad(&b, true, false);
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE && r.by_surface && r.largest > 0.01);
}

TEST(a_polygon_with_a_corner_elsewhere_is_not_the_same)
{
    quad a, b;
    begin_quad(&a, false, true);
    begin_quad(&b, true, true);
    b.positions[8] = 1.5f;
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE && r.largest > 0.1);
}

TEST(a_polygon_that_is_folded_is_matched_only_with_a_polygon)
{
    static const float corners[12] = {0, 0, 0, 2, 1, 0, 0, 2, 0, 0.5f, 1, 0};
    for (int is_polygon = 0; is_polygon < 2; is_polygon++) {
        // The diagonal from the first corner is outside, as if the polygon was flat when it was
        // cut.
        quad a, b;
        begin_quad(&a, true, true);
        begin_quad(&b, false, is_polygon);
        memcpy(a.positions, corners, sizeof corners);
        memcpy(b.positions, corners, sizeof corners);
        tenon_verify_result r = compared(&a.h, &b.h, NULL);
        CHECK(r.matched == is_polygon);
        CHECK((r.verdict == TENON_VERIFIED) == is_polygon);
    }
}

TEST(a_polygon_that_faces_away_is_not_the_same)
{
    quad a, b;
    begin_quad(&a, false, true);
    begin_quad(&b, true, true);
    for (int i = 0; i < 6; i += 3) {
        uint32_t second = b.indices[i + 1];
        b.indices[i + 1] = b.indices[i + 2];
        b.indices[i + 2] = second;
    }
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.matched == 0 && r.verdict == TENON_BEYOND_TOLERANCE);
}

// A ring of `count` corners that is not flat, cut into a fan from one of them.
static void begin_ring(hand *h, uint32_t count, uint32_t start, float *positions, uint32_t *indices,
                       uint32_t *sizes)
{
    for (uint32_t i = 0; i < count; i++) {
        double turn = 6.283185307179586 * i / count;
        positions[3 * i] = (float)cos(turn);
        positions[3 * i + 1] = (float)sin(turn);
        positions[3 * i + 2] = i % 2 ? 0.2f : 0;
    }
    for (uint32_t i = 0; i + 2 < count; i++) {
        indices[3 * i] = start;
        indices[3 * i + 1] = (start + i + 1) % count;
        indices[3 * i + 2] = (start + i + 2) % count;
    }
    *sizes = count - 2;
    hand_begin(h);
    tenon_primitive *p = hand_mesh(h, "ring", hand_node(h, "ring", TENON_NONE), positions, count);
    p->indices = indices;
    p->index_count = 3 * (count - 2);
    p->polygon_sizes = sizes;
    p->polygon_count = 1;
}

TEST(polygons_of_many_corners_are_matched_too)
{
    static const uint32_t counts[] = {5, 6, 9, 64};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (uint32_t start = 0; start < 5; start++) {
            hand a, b;
            float p[3 * 64], q[3 * 64];
            uint32_t a_indices[3 * 64], b_indices[3 * 64], a_size, b_size;
            begin_ring(&a, counts[i], 0, p, a_indices, &a_size);
            begin_ring(&b, counts[i], start, q, b_indices, &b_size);
            tenon_verify_result r = compared(&a, &b, NULL);
            CHECK(r.verdict == TENON_VERIFIED && r.largest == 0 && r.matched == 1);
            b.primitives[0].polygon_sizes = NULL;  // One file with the polygon is enough.
            r = compared(&a, &b, NULL);
            CHECK(r.verdict == TENON_VERIFIED && r.matched == 1);
        }
}

// Of these two ways to cut a pentagon one triangle is the same.
TEST(a_polygon_of_which_some_triangles_match_is_matched_in_its_remainder)
{
    hand a, b;
    float p[15], q[15];
    uint32_t a_indices[9], b_indices[9], a_size, b_size;
    static const uint32_t other[9] = {0, 1, 2, 0, 2, 4, 2, 3, 4};
    begin_ring(&a, 5, 0, p, a_indices, &a_size);
    begin_ring(&b, 5, 0, q, b_indices, &b_size);
    memcpy(b_indices, other, sizeof other);
    tenon_verify_result r = compared(&a, &b, NULL);
    CHECK(r.verdict == TENON_VERIFIED && r.matched == 1 && r.largest == 0);
}

// -- Surfaces

#define RIM 1024

// A disk that turns, as a fan around its center or from its rim.
typedef struct disk {
    hand h;
    float positions[3 * (RIM + 1)], times[2], turns[8];
    uint32_t indices[3 * RIM];
} disk;

static void begin_disk(disk *d, bool is_from_rim, float direction)
{
    uint32_t count = 0, last = is_from_rim ? RIM - 1 : RIM;
    for (uint32_t i = 0; i < RIM; i++) {
        double turn = 6.283185307179586 * i / RIM;
        d->positions[3 * i] = (float)cos(turn);
        d->positions[3 * i + 1] = (float)sin(turn);
        d->positions[3 * i + 2] = 0;
    }
    for (int k = 0; k < 3; k++) d->positions[3 * RIM + k] = 0;
    for (uint32_t i = is_from_rim; i < last; i++) {
        d->indices[count++] = is_from_rim ? 0 : RIM;
        d->indices[count++] = i;
        d->indices[count++] = (i + 1) % RIM;
    }
    d->times[0] = 0, d->times[1] = 1;
    const float turns[8] = {0, 0, 0, 1, 0, 0, direction * 0.70710678f, 0.70710678f};
    memcpy(d->turns, turns, sizeof turns);
    hand_begin(&d->h);
    uint32_t node = hand_node(&d->h, "disk", TENON_NONE);
    tenon_primitive *p = hand_mesh(&d->h, "disk", node, d->positions, RIM + 1);
    p->indices = d->indices;
    p->index_count = count;
    hand_clip(&d->h, "turn", 1);
    hand_channel(&d->h, node, TENON_ROTATION, 2, d->times, d->turns);
}

TEST(motion_along_a_surface_is_found)
{
    static disk a, b;
    begin_disk(&a, false, 1);
    begin_disk(&b, true, 1);
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_VERIFIED && r.by_surface && r.largest < 1e-5);
    begin_disk(&b, true, -1);
    r = compared(&a.h, &b.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE && r.largest > 0.1);
}

// -- Lines and points

static hand drawn(tenon_mode mode, float *positions, uint32_t count)
{
    hand h;
    hand_begin(&h);
    hand_mesh(&h, "drawn", hand_node(&h, "drawn", TENON_NONE), positions, count)->mode = mode;
    return h;
}

// The lists of a scene point into the struct that holds them.
static tenon_verify_result compare_drawn(tenon_mode a_mode, float *a, tenon_mode b_mode, float *b,
                                         uint32_t count)
{
    hand x = drawn(a_mode, a, count), y = drawn(b_mode, b, count);
    hand *both[] = {&x, &y};
    for (int i = 0; i < 2; i++) {
        both[i]->scene.nodes = both[i]->nodes;
        both[i]->scene.meshes = both[i]->meshes;
        both[i]->meshes[0].primitives = both[i]->primitives;
    }
    return compared(&x, &y, NULL);
}

TEST(points_are_compared_as_points)
{
    float p[] = {0, 0, 0, 3, 4, 0, 1, 1, 1}, turned[] = {1, 1, 1, 0, 0, 0, 3, 4, 0};
    float moved[] = {0, 0, 0, 3, 4, 0.5f, 1, 1, 1};
    tenon_verify_result r = compare_drawn(TENON_POINTS, p, TENON_POINTS, turned, 3);
    CHECK(r.verdict == TENON_VERIFIED && r.matched == 1 && r.largest == 0);
    r = compare_drawn(TENON_POINTS, p, TENON_POINTS, moved, 3);
    CHECK(r.verdict == TENON_DIFFERENT && r.missing_points == 1 && r.extra_points == 1);
}

TEST(lines_are_the_same_in_either_direction)
{
    float p[] = {0, 0, 0, 3, 4, 0, 1, 1, 1, 2, 2, 2}, q[] = {2, 2, 2, 1, 1, 1, 3, 4, 0, 0, 0, 0};
    tenon_verify_result r = compare_drawn(TENON_LINES, p, TENON_LINES, q, 4);
    CHECK(r.verdict == TENON_VERIFIED && r.matched == 1 && r.largest == 0);
    r = compare_drawn(TENON_LINES, p, TENON_LINE_STRIP, p, 4);  // One more in between.
    CHECK(r.verdict == TENON_DIFFERENT && r.missing_lines == 0 && r.extra_lines == 1);
    r = compare_drawn(TENON_LINES, p, TENON_POINTS, p, 4);
    CHECK(r.verdict == TENON_DIFFERENT && r.missing_lines == 2 && r.extra_points == 4);
}

// -- Scopes

TEST(at_rest_clips_do_not_count)
{
    mover a, b;
    begin_mover(&a, "walk");
    begin_mover(&b, "walk");
    b.values[3] = 5;
    tenon_verify_result r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE);
    r = compared(&a.n.h, &b.n.h, &(tenon_verify_opts){.rest_only = true});
    CHECK(r.verdict == TENON_VERIFIED && r.clip_count == 0 && r.largest == 0);
    b.n.h.scene.animation_count = 0;
    r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(r.verdict == TENON_DIFFERENT && r.missing_clips == 1);
    r = compared(&a.n.h, &b.n.h, &(tenon_verify_opts){.rest_only = true});
    CHECK(r.verdict == TENON_VERIFIED && r.missing_clips == 0);
    end_net(&a.n);
    end_net(&b.n);
}

TEST(one_time_of_the_only_clip_needs_no_name)
{
    mover a;
    net b;
    begin_mover(&a, "walk");
    begin_net(&b);
    for (uint32_t i = 0; i < 3 * b.triangle_count; i++) b.positions[3 * (size_t)i] += 1.5f;
    const tenon_verify_opts opts = {.at_one_time = true, .seconds = 1.5};
    tenon_verify_result r = compared(&a.n.h, &b.h, &opts);
    CHECK(r.verdict == TENON_VERIFIED && r.largest < 1e-6);
    hand_clip(&a.n.h, "run", 1);
    tenon_error err;
    CHECK(!tenon_verify(&a.n.h.scene, &b.h.scene, &opts, &r, &err));
    CHECK(err.code == TENON_ERR_VALUE && strstr(err.message, "there are 2") != NULL);
    end_net(&a.n);
    end_net(&b);
}

TEST(the_tolerance_decides)
{
    mover a, b;
    begin_mover(&a, "walk");
    begin_mover(&b, "walk");
    b.values[3] += (float)(2e-4 * net_diagonal());
    tenon_verify_result r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE && r.largest > 1e-4 && r.largest < 3e-4);
    r = compared(&a.n.h, &b.n.h, &(tenon_verify_opts){.tolerance = 1e-3});
    CHECK(r.verdict == TENON_VERIFIED);
    end_net(&a.n);
    end_net(&b.n);
}

// -- Omissions

TEST(what_a_reader_could_not_represent_is_never_verified)
{
    net a, b;
    tenon_omission omission = {hand_text("morph targets"), hand_text("not read"), 2, {"", 0}};
    begin_net(&a);
    begin_net(&b);
    CHECK(compared(&a.h, &b.h, NULL).verdict == TENON_VERIFIED);
    a.h.scene.omissions = &omission;
    a.h.scene.omission_count = 1;
    CHECK(compared(&a.h, &b.h, NULL).verdict == TENON_NOT_VERIFIED);
    CHECK(compared(&b.h, &a.h, NULL).verdict == TENON_NOT_VERIFIED);
    b.positions[0] += 9;
    CHECK(compared(&a.h, &b.h, NULL).verdict == TENON_NOT_VERIFIED);
    CHECK(compared(&a.h, &b.h, NULL).largest > 1e-4);
    CHECK_STR(tenon_verdict_word(TENON_NOT_VERIFIED), "not verified");
    end_net(&a);
    end_net(&b);
}

// -- Engines that show frames

TEST(frames_that_do_not_blend_are_compared_at_their_times)
{
    mover a, b;
    begin_mover(&a, "walk");
    begin_mover(&b, "walk");
    a.values[6] = 1;  // Between frames A takes another path.
    float times[] = {0, 1.5f, 3}, values[] = {0, 0, 0, 1.5f, 0, 0, 3, 0, 0};
    b.n.h.channels[0].times = times;
    b.n.h.channels[0].values = values;
    b.n.h.channels[0].key_count = 3;
    a.values[3] = 2;  // At 1.5 s it is at 1.5 all the same.
    tenon_verify_result r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE && !r.at_frames);
    b.n.h.scene.source = tenon_format_by_name("bmw");
    r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(r.verdict == TENON_VERIFIED && r.at_frames && r.largest < 1e-6);
    CHECK(r.between_frames * net_diagonal() > 1.5);  // Up to 2 while frame 0 is still shown.
    values[3] = 1.6f;
    CHECK(compared(&a.n.h, &b.n.h, NULL).verdict == TENON_BEYOND_TOLERANCE);
    values[3] = 0, values[6] = 0;  // It never moves: frames do not excuse that.
    r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(r.verdict == TENON_BEYOND_TOLERANCE);
    end_net(&a.n);
    end_net(&b.n);
}

int main(void)
{
    RUN(a_polygon_is_the_same_whichever_diagonal_cuts_it);
    RUN(triangles_of_files_without_polygons_that_cut_otherwise_differ);
    RUN(a_polygon_with_a_corner_elsewhere_is_not_the_same);
    RUN(a_polygon_that_is_folded_is_matched_only_with_a_polygon);
    RUN(a_polygon_that_faces_away_is_not_the_same);
    RUN(polygons_of_many_corners_are_matched_too);
    RUN(a_polygon_of_which_some_triangles_match_is_matched_in_its_remainder);
    RUN(motion_along_a_surface_is_found);
    RUN(points_are_compared_as_points);
    RUN(lines_are_the_same_in_either_direction);
    RUN(at_rest_clips_do_not_count);
    RUN(one_time_of_the_only_clip_needs_no_name);
    RUN(the_tolerance_decides);
    RUN(what_a_reader_could_not_represent_is_never_verified);
    RUN(frames_that_do_not_blend_are_compared_at_their_times);
    TEST_END();
}
