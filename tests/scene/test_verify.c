// test_verify.c: how far two scenes are apart, where that is known beforehand.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"
#include "verify_help.h"

static void swap_triangles(net *n, uint32_t a, uint32_t b)
{
    float spare[9], *p = n->positions + 9 * (size_t)a, *q = n->positions + 9 * (size_t)b;
    memcpy(spare, p, sizeof spare);
    memcpy(p, q, sizeof spare);
    memcpy(q, spare, sizeof spare);
}

// Corner 0 becomes corner 1, and so on.
static void turn_triangle(net *n, uint32_t i)
{
    float spare[9], *p = n->positions + 9 * (size_t)i;
    memcpy(spare, p, sizeof spare);
    for (int k = 0; k < 9; k++) p[(k + 3) % 9] = spare[k];
}

static void shuffle(net *n)
{
    uint64_t state = 7;
    for (uint32_t i = n->triangle_count - 1; i > 0; i--) {
        swap_triangles(n, i, (uint32_t)(hand_random(&state) * (i + 1)));
        for (double turns = 3 * hand_random(&state); turns > 1; turns--) turn_triangle(n, i);
    }
}

// -- Corners

TEST(a_scene_equals_itself)
{
    net a;
    begin_net(&a);
    tenon_verify_result r = compared(&a.h, &a.h, NULL);
    CHECK(is_same(&r));
    CHECK(hand_near(r.diagonal, net_diagonal(), 1e-9));
    end_net(&a);
}

TEST(order_and_first_corner_do_not_matter)
{
    net a, b;
    begin_net(&a);
    begin_net(&b);
    shuffle(&b);
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(is_same(&r));
    end_net(&a);
    end_net(&b);
}

TEST(a_corner_that_moved_is_measured_and_named)
{
    net a, b;
    begin_net(&a);
    begin_net(&b);
    shuffle(&b);
    double shift = 1e-3;  // Far less than 1e-4 of the diagonal, which still is the same triangle.
    b.positions[9 * 100 + 2] += (float)shift;
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.matched == 1 && !r.by_surface);
    CHECK(hand_near(r.largest * net_diagonal(), shift, 1e-9));
    CHECK(hand_near(r.rms * net_diagonal(), shift / sqrt(6.0 * CELLS), 1e-9));
    CHECK_STR(r.mesh, "net");
    CHECK_STR(r.bone, "net");
    CHECK_STR(r.clip, "");
    CHECK(r.where[0] == b.positions[900] && r.where[1] == b.positions[901] && r.where[2] == 0);
    end_net(&a);
    end_net(&b);
}

// Small triangles scattered over a unit cube, all moved by nearly the tolerance within which
// triangles are the same, in every direction and in random ones: whatever the cells of a grid, many
// cross borders.
TEST(cell_borders_do_not_separate_triangles)
{
    enum { COUNT = 5000 };
    static float a[9 * COUNT], b[9 * COUNT];
    hand one, other;
    uint64_t state = 3;
    double shift = 0.9e-4 * sqrt(3);
    hand_begin(&one);
    hand_begin(&other);
    hand_mesh(&one, "a", hand_node(&one, "a", TENON_NONE), a, 3 * COUNT);
    hand_mesh(&other, "b", hand_node(&other, "b", TENON_NONE), b, 3 * COUNT);
    for (int direction = 0; direction < 28; direction++) {
        for (int i = 0; i < 9 * COUNT; i++) {
            int step = direction / (i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 9) % 3 - 1;
            double by = direction == 27 ? 2 * hand_random(&state) - 1 : step;
            double at = i % 9 < 3 ? hand_random(&state) : a[i - i % 9 + i % 3];
            a[i] = (float)(at + (i % 9 < 3 ? 0 : 0.01 * hand_random(&state)));
            b[i] = a[i] + (float)(by * shift);
        }
        tenon_verify_result r = compared(&one, &other, NULL);
        CHECK(r.matched == 1 && r.largest < 1.6e-4);
    }
}

static void turn_inside_out(float *positions, uint32_t triangle_count)
{
    for (uint32_t i = 0; i < triangle_count; i++) {
        float *p = positions + 9 * (size_t)i, spare[3];
        memcpy(spare, p, sizeof spare);
        memcpy(p, p + 3, sizeof spare);
        memcpy(p + 3, spare, sizeof spare);
    }
}

TEST(inside_out_is_not_the_same)
{
    net a, b;
    begin_net(&a);
    begin_net(&b);
    turn_inside_out(b.positions, b.triangle_count);
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.matched == 0 && r.reversed == 1 && r.by_surface);
    CHECK(r.largest < 1e-12);  // But it is where it should be.
    end_net(&a);
    end_net(&b);
}

// The same two cells as a list, as a strip glued with empty triangles, and as fans.
TEST(lists_strips_and_fans_are_triangles)
{
    float corners[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    uint32_t list[] = {0, 1, 2, 0, 2, 3}, strip[] = {1, 1, 1, 2, 0, 3, 3, 3}, fan[] = {0, 1, 2, 3};
    hand a, b;
    for (int way = 0; way < 2; way++) {
        hand_begin(&a);
        hand_begin(&b);
        tenon_primitive *p = hand_mesh(&a, "a", hand_node(&a, "a", TENON_NONE), corners, 4);
        tenon_primitive *q = hand_mesh(&b, "b", hand_node(&b, "b", TENON_NONE), corners, 4);
        p->indices = list, p->index_count = 6;
        q->mode = way == 0 ? TENON_TRIANGLE_STRIP : TENON_TRIANGLE_FAN;
        q->indices = way == 0 ? strip : fan, q->index_count = way == 0 ? 8 : 4;
        tenon_verify_result r = compared(&a, &b, NULL);
        CHECK(is_same(&r));
        r = compared(&b, &a, NULL);
        CHECK(is_same(&r));
    }
}

// Less than 1 in 1000 is missing, but it is found.
TEST(what_is_missing_or_extra_is_found_in_corner_mode)
{
    net a, b;
    begin_net(&a);
    begin_net(&b);
    put_triangle(a.positions, 10, 10, false);  // It covers another one ...
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(!r.by_surface && r.matched > 0.999 && r.matched < 1);
    // ... but B has one where A has a hole. Its corners are those of others; its centroid, at
    // (2/3, 1/3), is nearest to the cell's other half.
    CHECK(hand_near(r.largest * net_diagonal(), sqrt(2) / 6, 1e-6));
    a.positions[2] = a.positions[5] = a.positions[8] = 3;
    r = compared(&a.h, &b.h, NULL);
    CHECK(!r.by_surface && hand_near(r.largest * r.diagonal, 3, 1e-6));
    CHECK_STR(r.mesh, "net");
    r = compared(&b.h, &a.h, NULL);
    CHECK(!r.by_surface && hand_near(r.largest * r.diagonal, 3, 1e-6));
    end_net(&a);
    end_net(&b);
}

// -- Surfaces

TEST(other_triangles_of_the_same_surface_are_equal)
{
    net a, b;
    begin_net(&a);
    begin_net(&b);
    cut_otherwise(&b);
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(r.by_surface && r.matched == 0 && r.reversed == 0 && r.largest < 1e-12);
    b.h.nodes[b.node].translation[2] = 0.5;
    r = compared(&a.h, &b.h, NULL);
    CHECK(r.by_surface && hand_near(r.largest * net_diagonal(), 0.5, 1e-9));
    CHECK(hand_near(r.rms * net_diagonal(), 0.5, 1e-9));
    end_net(&a);
    end_net(&b);
}

// A part that only one of them has is as far off as its farthest point is from the other.
TEST(surfaces_are_compared_both_ways)
{
    net a, b;
    begin_net(&a);
    begin_net(&b);
    cut_otherwise(&b);
    uint32_t node = hand_node(&b.h, "spike", TENON_NONE);
    float spike[] = {1, 1, 0, 2, 1, 0, 1, 1, 7};
    hand_mesh(&b.h, "spike", node, spike, 3);
    tenon_verify_result r = compared(&a.h, &b.h, NULL), back = compared(&b.h, &a.h, NULL);
    CHECK(r.by_surface && hand_near(r.largest * net_diagonal(), 7, 1e-6));
    CHECK_STR(r.mesh, "net");  // Of A, where it is nearest.
    CHECK(hand_near(r.where[0], 1, 1) && hand_near(r.where[1], 1, 1));
    CHECK(back.by_surface && hand_near(back.largest * back.diagonal, 7, 1e-6));
    CHECK_STR(back.mesh, "spike");
    CHECK(back.where[2] == 7 && back.missing_meshes == 1);
    end_net(&a);
    end_net(&b);
}

// The nearest point of a triangle by the regions of its corners and edges: another method than that
// of the library.
static double reference_distance(const float *t, const double p[3])
{
    double ab[3], ac[3], ap[3], bp[3], cp[3], d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0, d6 = 0;
    for (int k = 0; k < 3; k++) {
        ab[k] = (double)t[3 + k] - (double)t[k], ac[k] = (double)t[6 + k] - (double)t[k];
        ap[k] = p[k] - (double)t[k], bp[k] = p[k] - (double)t[3 + k],
        cp[k] = p[k] - (double)t[6 + k];
        d1 += ab[k] * ap[k], d2 += ac[k] * ap[k], d3 += ab[k] * bp[k];
        d4 += ac[k] * bp[k], d5 += ab[k] * cp[k], d6 += ac[k] * cp[k];
    }
    double v = 0, w = 0, vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (d1 <= 0 && d2 <= 0)
        v = w = 0;
    else if (d3 >= 0 && d4 <= d3)
        v = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        v = d1 / (d1 - d3);
    else if (d6 >= 0 && d5 <= d6)
        w = 1;
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        w = (d4 - d3) / (d4 - d3 + d5 - d6), v = 1 - w;
    else
        v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double gap = ap[k] - v * ab[k] - w * ac[k];
        square += gap * gap;
    }
    return square;
}

// Distances show none of these: a part that exists twice, a net that faces the other way, and a
// closed body that does. Each is a share of the area.
TEST(surfaces_differ_in_area_direction_and_volume)
{
    enum { CORNERS = 12 };
    static const float body[3 * CORNERS] = {0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 5,
                                            0, 0, 0, 0, 0, 5, 0, 3, 0, 4, 0, 0, 0, 3, 0, 0, 0, 5};
    net a, b;
    begin_net(&a);
    begin_net(&b);
    float flap[18] = {5, 5, 0, 13, 5, 0, 5, 9, 0, 5, 5, 0, 5, 9, 0, 13, 5, 0};
    hand_mesh(&b.h, "flap", hand_node(&b.h, "flap", TENON_NONE), flap, 6);
    tenon_verify_result r = compared(&a.h, &b.h, NULL);
    CHECK(hand_near(r.surface, 32.0 / (CELLS + 32), 1e-9) && r.largest == 0);
    CHECK(r.verdict == TENON_DIFFERENT);
    end_net(&b);
    begin_net(&b);
    turn_inside_out(b.positions, b.triangle_count);
    r = compared(&a.h, &b.h, NULL);
    CHECK(hand_near(r.surface, 2, 1e-9) && r.largest < 1e-12);
    end_net(&a);
    end_net(&b);
    hand bodies[2];
    float corners[2][3 * CORNERS];
    for (int i = 0; i < 2; i++) {
        memcpy(corners[i], body, sizeof body);
        hand_begin(&bodies[i]);
        hand_mesh(&bodies[i], "body", hand_node(&bodies[i], "body", TENON_NONE), corners[i],
                  CORNERS);
    }
    turn_inside_out(corners[1], CORNERS / 3);
    r = compared(&bodies[0], &bodies[1], NULL);
    // A volume of 10 on either side; the slanted side has half the length of (15, 20, 12).
    double area = (12 + 15 + 20 + sqrt(15 * 15 + 20 * 20 + 12 * 12)) / 2;
    CHECK(hand_near(r.surface, 3 * 20 / (area * sqrt(9 + 16 + 25)), 1e-9));
}

TEST(the_nearest_triangle_is_found)
{
    for (uint32_t count = 1; count < 400; count += count < 20 ? 1 : 97) {
        float *soup = malloc(9 * sizeof(float) * count);
        uint64_t state = count;
        hand h;
        tn_posed_scene posed;
        tn_match_context context = {.arena = tn_arena_make(&(tenon_allocator){0}, UINT64_MAX)};
        for (uint32_t i = 0; soup && i < 9 * count; i++) {
            double size = i / 9 % 7 == 0 ? 0.5 : 0.05,
                   at = i % 9 < 3 ? 0 : (double)soup[i - i % 9 + i % 3];
            soup[i] = (float)(at + (i % 9 < 3 ? 1 : size) * hand_random(&state));
        }
        hand_begin(&h);
        hand_mesh(&h, "soup", hand_node(&h, "soup", TENON_NONE), soup, 3 * count);
        CHECK(tn_posed_scene_begin(&context, &posed, &h.scene, 0));
        tn_surface *surface = tn_surface_new(&context, &posed);
        uint32_t nearest = TENON_NONE;
        for (int i = 0; i < 300; i++) {
            double p[3], least = HUGE_VAL;
            for (int k = 0; k < 3; k++) p[k] = 2 * hand_random(&state) - 0.5;
            for (uint32_t t = 0; t < count; t++)
                least = fmin(least, reference_distance(soup + 9 * (size_t)t, p));
            CHECK(
                hand_near(tn_surface_distance(surface, p, TENON_NONE, -1, &nearest), least, 1e-12));
            CHECK(hand_near(reference_distance(soup + 9 * (size_t)nearest, p), least, 1e-12));
        }
        tn_posed_scene_end(&posed);
        tn_arena_free(&context.arena);
        free(soup);
    }
}

// A sheet rolled up: boxes of neighboring layers overlap, and the guess may be in any of them.
TEST(the_nearest_triangle_is_found_from_any_guess)
{
    enum { COUNT = 20000 };
    static float roll[9 * COUNT];
    uint64_t state = 5;
    hand h;
    tn_posed_scene posed;
    tn_match_context context = {.arena = tn_arena_make(&(tenon_allocator){0}, UINT64_MAX)};
    for (int i = 0; i < 9 * COUNT; i += 3) {
        int cell = i / 18, corner = i / 3 % 3, half = i / 9 % 2;
        int along = cell % 500 + (corner == 1 || (corner == 2 && half == 0));
        double angle = along * 0.08, out = 1 + 0.01 * angle;
        roll[i] = (float)(out * cos(angle)), roll[i + 1] = (float)(out * sin(angle));
        roll[i + 2] = (float)(cell / 500 + (corner == 2 || (corner == 1 && half == 1))) * 0.1f;
    }
    hand_begin(&h);
    hand_mesh(&h, "roll", hand_node(&h, "roll", TENON_NONE), roll, 3 * COUNT);
    CHECK(tn_posed_scene_begin(&context, &posed, &h.scene, 0));
    tn_surface *surface = tn_surface_new(&context, &posed);
    for (int i = 0; i < 200; i++) {
        uint32_t nearest = (uint32_t)(COUNT * hand_random(&state));
        double p[3], least = HUGE_VAL;
        for (int k = 0; k < 3; k++) p[k] = 3 * hand_random(&state) - (k < 2 ? 1.5 : 0.5);
        for (size_t t = 0; t < COUNT; t++) least = fmin(least, reference_distance(roll + 9 * t, p));
        CHECK(hand_near(tn_surface_distance(surface, p, TENON_NONE, -1, &nearest), least, 1e-12));
    }
    tn_posed_scene_end(&posed);
    tn_arena_free(&context.arena);
}

// -- Clips

TEST(a_wrong_key_is_found_at_its_time)
{
    mover a, b;
    begin_mover(&a, "walk");
    begin_mover(&b, "walk");
    b.values[3 * 2 + 1] = 0.25f;  // At 2 s it is 1/4 off, and nowhere more.
    tenon_verify_result r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(r.clip_count == 1 && r.missing_clips == 0 && r.matched == 1);
    CHECK(hand_near(r.largest * net_diagonal(), 0.25, 1e-9) && r.seconds == 2);
    CHECK_STR(r.clip, "walk");
    CHECK_STR(r.bone, "net");
    end_net(&a.n);
    end_net(&b.n);
}

// Keys only at the ends: the middle of a wrong arc is found by samples alone.
TEST(samples_are_taken_between_keys)
{
    mover a, b;
    begin_mover(&a, "walk");
    begin_mover(&b, "walk");
    a.n.h.channels[0].key_count = b.n.h.channels[0].key_count = 2;
    b.n.h.channels[0].curve = TENON_STEP;
    tenon_verify_opts opts = {.samples = 3};  // At 0.5, 1.5 and 2.5 s.
    tenon_verify_result r = compared(&a.n.h, &b.n.h, &opts);
    CHECK(r.seconds == 0.5 && hand_near(r.largest * net_diagonal(), 0.5, 1e-9));
    end_net(&a.n);
    end_net(&b.n);
}

TEST(clips_are_paired_by_name_then_by_order)
{
    mover a, b;
    begin_mover(&a, "Armature|Walk");
    begin_mover(&b, "jump");
    hand_clip(&a.n.h, "run", 1);
    hand_clip(&b.n.h, "WALK", 3);
    float *times = a.times, *values = a.values;
    hand_channel(&b.n.h, b.n.node, TENON_TRANSLATION, 4, times, values);
    b.n.h.animations[0].channel_count = 0;  // Now "jump", like "run", does nothing.
    tenon_verify_result r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(is_same(&r) && r.clip_count == 2);
    hand_clip(&a.n.h, "third", 3);  // Other counts: no pairing by order.
    r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(r.missing_clips == 0 && r.extra_clips == 0 && r.clip_count == 1);  // They do nothing.
    hand_channel(&a.n.h, a.n.node, TENON_TRANSLATION, 4, times, values);
    b.n.h.animations[0].channel_count = 1;
    r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(r.missing_clips == 1 && r.extra_clips == 1 && r.clip_count == 1);
    CHECK(r.verdict == TENON_DIFFERENT);
    tenon_verify_opts opts = {.clip = "walk"};
    r = compared(&a.n.h, &b.n.h, &opts);
    CHECK(r.missing_clips == 0 && r.clip_count == 1);
    end_net(&a.n);
    end_net(&b.n);
}

// "run" does not move, "Run" does; the other scene has them in the other order.
TEST(clips_that_differ_in_case_only_are_distinguished)
{
    mover a, b;
    begin_mover(&a, "Run");
    hand_clip(&a.n.h, "run", 3);
    begin_mover(&b, "run");
    hand_clip(&b.n.h, "Run", 3);
    hand_channel(&b.n.h, b.n.node, TENON_TRANSLATION, 4, b.times, b.values);
    b.n.h.animations[0].channel_count = 0;
    tenon_verify_result r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(is_same(&r) && r.clip_count == 2);
    tenon_verify_opts opts = {.clip = "Run"};
    r = compared(&b.n.h, &a.n.h, &opts);
    CHECK(is_same(&r) && r.clip_count == 1);
    b.n.h.animations[0].name = b.n.h.animations[1].name = hand_text("Armature|run");
    r = compared(&a.n.h, &b.n.h, NULL);
    CHECK(is_same(&r));  // The first of two that are both "run" is the partner of "run".
    end_net(&a.n);
    end_net(&b.n);
}

TEST(a_clip_that_is_not_there_is_an_error)
{
    mover a;
    tenon_verify_result r;
    tenon_error err;
    begin_mover(&a, "walk");
    tenon_verify_opts opts = {.clip = "fly"};
    CHECK(!tenon_verify(&a.n.h.scene, &a.n.h.scene, &opts, &r, &err));
    CHECK(err.code == TENON_ERR_VALUE);
    CHECK_STR(err.message, "no clip is called 'fly'");
    end_net(&a.n);
}

TEST(a_posed_scene_is_compared_with_one_at_rest)
{
    mover a;
    net b;
    begin_mover(&a, "walk");
    begin_net(&b);
    b.h.nodes[b.node].translation[0] = 1.5;
    tenon_verify_opts opts = {.clip = "walk", .seconds = 1.5, .at_one_time = true};
    tenon_verify_result r = compared(&a.n.h, &b.h, &opts);
    CHECK(is_same(&r) && r.clip_count == 1);
    b.h.nodes[b.node].translation[1] = 1e-3;
    r = compared(&a.n.h, &b.h, &opts);
    CHECK(!r.by_surface && hand_near(r.largest * net_diagonal(), 1e-3, 1e-6));
    CHECK_STR(r.clip, "walk");
    CHECK(r.seconds == 1.5);
    end_net(&a.n);
    end_net(&b);
}

TEST(many_keys_are_thinned_out)
{
    enum { KEYS = 5000 };
    static float times[KEYS], values[3 * KEYS];
    net a;
    tn_time_list collected;
    tn_match_context context = {.arena = tn_arena_make(&(tenon_allocator){0}, UINT64_MAX)};
    begin_net(&a);
    hand_clip(&a.h, "long", KEYS);
    for (int i = 0; i < KEYS; i++) times[i] = (float)i;
    hand_channel(&a.h, a.node, TENON_TRANSLATION, KEYS, times, values);
    CHECK(tn_collect_times(&context, &a.h.animations[0], &a.h.animations[0], 16, &collected));
    CHECK(collected.count == 512 + 16);
    CHECK(collected.seconds[0] == 0 && collected.seconds[collected.count - 1] == KEYS - 1);
    for (uint32_t i = 1; i < collected.count; i++)
        CHECK(collected.seconds[i] > collected.seconds[i - 1] &&
              collected.seconds[i] - collected.seconds[i - 1] <= 11);
    tn_arena_free(&context.arena);
    end_net(&a);
}

// A large net that never moves, a flag that a node moves, and a banner that a joint moves: clips
// that move little are compared where they move, and the rest counts as it is at rest.
TEST(clips_that_move_little_are_compared_with_all_that_is_still)
{
    enum { TWINS = 6 * CELLS + 6, MOMENTS = 1 + 3 * 18 };
    static float flag[] = {5, 5, 0, 5.5f, 5, 0, 5, 5.25f, 0}, times[] = {0, 1};
    static float banner[] = {7, 7, 0, 7.5f, 7, 0, 7, 7.25f, 0},
                 weights[12] = {[0] = 1, [4] = 1, [8] = 1};
    static float binds[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static uint16_t joints[12];
    static uint32_t bone = 2;
    float values[2][2][6] = {{{0}}};  // Of the flag and the joint, of both scenes.
    net nets[2];
    for (int i = 0; i < 2; i++) {
        hand *h = &nets[i].h;
        begin_net(&nets[i]);
        hand_mesh(h, "flag", hand_node(h, "pole", TENON_NONE), flag, 3);
        hand_node(h, "arm", TENON_NONE);
        uint32_t node = hand_node(h, "banner", TENON_NONE);
        tenon_primitive *p = hand_mesh(h, "banner", node, banner, 3);
        p->influence_count = 4, p->joints = joints, p->weights = weights;
        h->skins[0] = (tenon_skin){hand_text("skin"), TENON_NONE, 1, &bone, binds, 0};
        h->scene.skin_count = 1;
        h->nodes[node].skin = 0;
        hand_clip(h, "wave", 1);
        hand_channel(h, 1, TENON_TRANSLATION, 2, times, values[0][i]);
        hand_clip(h, "bend", 1);
        hand_channel(h, 2, TENON_TRANSLATION, 2, times, values[1][i]);
        hand_clip(h, "again", 1);
        hand_channel(h, 1, TENON_TRANSLATION, 2, times, values[0][i]);
    }
    tenon_verify_result r = compared(&nets[0].h, &nets[1].h, NULL);
    CHECK(is_same(&r) && r.clip_count == 3);
    double shift = 1e-3, sum = MOMENTS * shift * shift;
    nets[1].positions[9 * 100 + 2] += (float)shift;
    r = compared(&nets[0].h, &nets[1].h, NULL);
    CHECK(hand_near(r.largest * net_diagonal(), shift, 1e-9));
    CHECK(hand_near(r.rms * net_diagonal(), shift / sqrt(TWINS), 1e-9));
    CHECK_STR(r.bone, "net");
    CHECK_STR(r.clip, "");
    r = compared(&nets[0].h, &nets[1].h, &(tenon_verify_opts){.clip = "bend"});
    CHECK(hand_near(r.largest * net_diagonal(), shift, 1e-9));
    CHECK(hand_near(r.rms * net_diagonal(), shift / sqrt(TWINS), 1e-9));
    CHECK_STR(r.clip, "bend");
    for (int moved = 0; moved < 2; moved++) {
        values[moved][1][5] = moved ? 0.5f : 0.25f;  // The scene is that far off at the end.
        double off = moved ? 0.5 : 0.25;
        double squares = 3 * off * off;
        for (int i = 0; i < 16; i++) squares += 3 * off * off * (i + 0.5) * (i + 0.5) / 256;
        sum += moved ? squares : 2 * squares;  // Two clips move the flag.
        r = compared(&nets[0].h, &nets[1].h, NULL);
        CHECK(!r.by_surface && r.matched == 1 && r.seconds == 1);
        CHECK(hand_near(r.largest * net_diagonal(), off, 1e-9));
        CHECK(hand_near(r.rms * net_diagonal(), sqrt(sum / MOMENTS / TWINS), 1e-9));
        CHECK_STR(r.bone, moved ? "arm" : "pole");
        CHECK_STR(r.clip, moved ? "bend" : "wave");
    }
    end_net(&nets[0]);
    end_net(&nets[1]);
}

// -- Meshes and joints

// Three copies that are in one place at rest and go three ways: only names distinguish them.
TEST(what_is_in_one_place_at_rest_is_distinguished_by_names)
{
    static float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, times[] = {0, 1};
    static float ways[3][6] = {{0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}};
    const char *names[] = {"left", "up", "out"};
    hand a, b;
    for (int by_mesh = 0; by_mesh < 2; by_mesh++) {
        hand_begin(&a);
        hand_begin(&b);
        for (int i = 0; i < 3; i++) {
            const char *node_a = by_mesh ? "x" : names[i], *node_b = by_mesh ? "x" : names[2 - i];
            hand_mesh(&a, by_mesh ? names[i] : "m", hand_node(&a, node_a, TENON_NONE), triangle, 3);
            hand_mesh(&b, by_mesh ? names[2 - i] : "m", hand_node(&b, node_b, TENON_NONE), triangle,
                      3);
        }
        if (!by_mesh) a.scene.mesh_count = b.scene.mesh_count = 1;
        for (int i = 0; i < 3 && !by_mesh; i++) a.nodes[i].mesh = b.nodes[i].mesh = 0;
        hand_clip(&a, "go", 1);
        hand_clip(&b, "go", 1);
        for (uint32_t i = 0; i < 3; i++) {
            hand_channel(&a, i, TENON_TRANSLATION, 2, times, ways[i]);
            hand_channel(&b, 2 - i, TENON_TRANSLATION, 2, times, ways[i]);
        }
        tenon_verify_result r = compared(&a, &b, NULL);
        CHECK(is_same(&r) && r.clip_count == 1);
    }
}

// One mesh of many parts is the same as many meshes: no mesh is missing.
TEST(meshes_may_be_merged)
{
    static float both[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0};
    hand a, b;
    hand_begin(&a);
    hand_begin(&b);
    hand_mesh(&a, "one", hand_node(&a, "one", TENON_NONE), both, 3);
    hand_mesh(&a, "two", hand_node(&a, "two", TENON_NONE), both + 9, 3);
    hand_mesh(&b, "all", hand_node(&b, "all", TENON_NONE), both, 6);
    tenon_verify_result r = compared(&a, &b, NULL);
    CHECK(is_same(&r));
    b.primitives[0].vertex_count = 3;
    r = compared(&a, &b, NULL);
    CHECK(r.missing_meshes == 1 && r.by_surface && r.matched == 0.5 && r.largest > 0.5);
    CHECK_STR(r.mesh, "two");
}

TEST(the_joint_with_the_largest_weight_is_named)
{
    float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, moved[] = {0, 0, 0, 1, 0, 0, 0, 1, 1e-4f};
    float binds[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                       1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    uint16_t joints[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};
    float weights[12] = {1, 0, 0, 0, 1, 0, 0, 0, 0.25f, 0.75f, 0, 0};
    uint32_t bones[2] = {0, 1};
    hand scenes[2];
    for (int i = 0; i < 2; i++) {
        hand *h = &scenes[i];
        hand_begin(h);
        hand_node(h, "hip", TENON_NONE);
        hand_node(h, "", 0);
        uint32_t node = hand_node(h, "body", TENON_NONE);
        tenon_primitive *p = hand_mesh(h, "", node, i ? moved : triangle, 3);
        p->influence_count = 4, p->joints = joints, p->weights = weights;
        h->skins[0] = (tenon_skin){hand_text(""), TENON_NONE, 2, bones, binds, 0};
        h->scene.skin_count = 1;
        h->nodes[node].skin = 0;
    }
    tenon_verify_result r = compared(&scenes[0], &scenes[1], NULL);
    CHECK(!r.by_surface && r.where[1] == 1);
    CHECK_STR(r.bone, "#1");  // It has no name.
    CHECK_STR(r.mesh, "#0");
}

int main(void)
{
    RUN(a_scene_equals_itself);
    RUN(order_and_first_corner_do_not_matter);
    RUN(a_corner_that_moved_is_measured_and_named);
    RUN(cell_borders_do_not_separate_triangles);
    RUN(inside_out_is_not_the_same);
    RUN(lists_strips_and_fans_are_triangles);
    RUN(what_is_missing_or_extra_is_found_in_corner_mode);
    RUN(other_triangles_of_the_same_surface_are_equal);
    RUN(surfaces_are_compared_both_ways);
    RUN(surfaces_differ_in_area_direction_and_volume);
    RUN(the_nearest_triangle_is_found);
    RUN(the_nearest_triangle_is_found_from_any_guess);
    RUN(a_wrong_key_is_found_at_its_time);
    RUN(samples_are_taken_between_keys);
    RUN(clips_are_paired_by_name_then_by_order);
    RUN(clips_that_differ_in_case_only_are_distinguished);
    RUN(a_clip_that_is_not_there_is_an_error);
    RUN(a_posed_scene_is_compared_with_one_at_rest);
    RUN(many_keys_are_thinned_out);
    RUN(clips_that_move_little_are_compared_with_all_that_is_still);
    RUN(what_is_in_one_place_at_rest_is_distinguished_by_names);
    RUN(meshes_may_be_merged);
    RUN(the_joint_with_the_largest_weight_is_named);
    TEST_END();
}
