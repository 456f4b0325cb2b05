// test_math.c: vectors, quaternions, matrices and dual quaternions, and the same bits everywhere.
// SPDX-License-Identifier: MIT

#include "math_help.h"

#include <float.h>
#include <inttypes.h>

// -- Vectors

TEST(vectors_keep_the_rules)
{
    for (int i = 0; i < 1000; i++) {
        tn_vec3 a = random_vec3(5), b = random_vec3(5), c = tn_vec3_cross(a, b);
        CHECK(fabs(tn_vec3_dot(a, c)) < 1e-13 && fabs(tn_vec3_dot(b, c)) < 1e-13);
        double dot = tn_vec3_dot(a, b);
        CHECK(fabs(tn_vec3_dot(c, c) + dot * dot - tn_vec3_dot(a, a) * tn_vec3_dot(b, b)) < 1e-11);
        CHECK(fabs(tn_vec3_length(tn_vec3_normalise(a)) - 1) < 4e-16);
        tn_vec3 start = tn_vec3_lerp(a, b, 0), end = tn_vec3_lerp(a, b, 1);
        CHECK(near_vec3(start, a, 0) && near_vec3(end, b, 0));
        tn_vec3 half = tn_vec3_scale(tn_vec3_add(a, b), 0.5);
        CHECK(near_vec3(tn_vec3_lerp(a, b, 0.5), half, 1e-15));
    }
    tn_vec3 z = tn_vec3_cross((tn_vec3){1, 0, 0}, (tn_vec3){0, 1, 0});
    CHECK(z.x == 0 && z.y == 0 && z.z == 1);
}

TEST(what_has_no_direction_becomes_zero)
{
    static const tn_vec3 bad[] = {{0, 0, 0}, {NAN, 1, 0}, {0, HUGE_VAL, 0}, {1, 2, -HUGE_VAL}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tn_vec3 v = tn_vec3_normalise(bad[i]);
        CHECK(v.x == 0 && v.y == 0 && v.z == 0);
    }
    CHECK(tn_vec3_normalise((tn_vec3){0, 1e-45, 0}).y == 1);
    CHECK(tn_vec3_normalise((tn_vec3){0, 0, -3e38}).z == -1);
}

// -- Quaternions

TEST(quaternions_rotate_as_hamilton_defined)
{
    tn_quat i = {1, 0, 0, 0}, j = {0, 1, 0, 0}, k = {0, 0, 1, 0}, one = tn_quat_identity();
    CHECK(near_quat(tn_quat_mul(i, j), k, 0) && near_quat(tn_quat_mul(j, k), i, 0));
    CHECK(near_quat(tn_quat_mul(k, i), j, 0) && tn_quat_mul(i, i).w == -1);
    CHECK(near_quat(tn_quat_mul(one, j), j, 0));
    tn_quat quarter = tn_quat_from_axis_angle((tn_vec3){0, 0, 7}, TN_PI / 2);
    CHECK(near_vec3(tn_quat_rotate(quarter, (tn_vec3){1, 0, 0}), (tn_vec3){0, 1, 0}, 1e-15));
    CHECK(near_quat(tn_quat_from_axis_angle((tn_vec3){0, 0, 0}, 1), one, 0));
    CHECK(near_quat(tn_quat_from_axis_angle((tn_vec3){0, NAN, 0}, 1), one, 0));
}

TEST(products_of_quaternions_rotate_one_after_the_other)
{
    for (int i = 0; i < 1000; i++) {
        tn_quat a = random_quat(), b = random_quat();
        tn_vec3 v = random_vec3(10);
        tn_vec3 once = tn_quat_rotate(tn_quat_mul(a, b), v);
        CHECK(near_vec3(once, tn_quat_rotate(a, tn_quat_rotate(b, v)), 2e-14));
        CHECK(near_vec3(tn_quat_rotate(tn_quat_conjugate(a), tn_quat_rotate(a, v)), v, 2e-14));
        tn_mat3 ma = tn_mat3_from_quat(a), mb = tn_mat3_from_quat(b), both = tn_mat3_mul(&ma, &mb);
        tn_mat3 product = tn_mat3_from_quat(tn_quat_mul(a, b));
        CHECK(is_rotation(&ma) && near_mat3(&both, &product, 4e-15));
    }
}

TEST(quaternions_and_matrices_are_the_same_rotations)
{
    for (int i = 0; i < 4000; i++) {
        tn_quat q = random_quat();
        if (i % 4 == 0) q.w *= 1e-3;  // So that each component is the largest now and then.
        if (i % 8 == 1) q.x *= 1e-9;
        if (i % 8 == 2) q.y = q.z = 0;
        q = tn_quat_normalise(q);
        tn_mat3 m = tn_mat3_from_quat(q);
        tn_quat back = tn_quat_from_mat3(&m);
        CHECK(same_turn(back, q, 1e-15));
        double most = fmax(fmax(fabs(back.x), fabs(back.y)), fmax(fabs(back.z), fabs(back.w)));
        CHECK(fmax(fmax(back.x, back.y), fmax(back.z, back.w)) > most - 1e-9);
    }
    tn_mat3 bad = tn_mat3_identity();
    bad.m[4] = NAN;
    CHECK(near_quat(tn_quat_from_mat3(&bad), tn_quat_identity(), 0));
    CHECK(near_quat(tn_quat_normalise((tn_quat){0, 0, 0, 0}), tn_quat_identity(), 0));
    CHECK(near_quat(tn_quat_normalise((tn_quat){0, HUGE_VAL, 0, 1}), tn_quat_identity(), 0));
}

TEST(slerp_rotates_at_constant_speed_on_the_shorter_way)
{
    for (int i = 0; i < 2000; i++) {
        tn_vec3 axis = tn_vec3_normalise(random_vec3(1));
        double angle = ldexp(random_in(0, 3.1), i % 2 ? 0 : -i % 60), t = random_unit();
        tn_quat a = random_quat();
        tn_quat b = tn_quat_mul(tn_quat_from_axis_angle(axis, angle), a);
        if (i % 3 == 0) b = (tn_quat){-b.x, -b.y, -b.z, -b.w};
        tn_quat want = tn_quat_mul(tn_quat_from_axis_angle(axis, t * angle), a);
        CHECK(near_quat(tn_quat_slerp(a, b, t), want, 2e-15));
        tn_quat half = tn_quat_mul(tn_quat_from_axis_angle(axis, angle / 2), a);
        CHECK(near_quat(tn_quat_nlerp(a, b, 0.5), half, 2e-15));
        CHECK(fabs(tn_quat_dot(tn_quat_nlerp(a, b, t), want)) > 0.98);
    }
}

TEST(slerp_is_exact_at_its_ends)
{
    for (int i = 0; i < 1000; i++) {
        tn_quat a = random_quat(), b = random_quat();
        tn_quat end = tn_quat_dot(a, b) < 0 ? (tn_quat){-b.x, -b.y, -b.z, -b.w} : b;
        CHECK(near_quat(tn_quat_slerp(a, b, 0), a, 0) && near_quat(tn_quat_slerp(a, b, 1), end, 0));
        CHECK(near_quat(tn_quat_nlerp(a, b, -1), a, 0) &&
              near_quat(tn_quat_nlerp(a, b, 2), end, 0));
        CHECK(near_quat(tn_quat_slerp(a, a, 0.3), a, 4e-16));
    }
}

// -- Matrices

TEST(products_of_matrices_keep_the_rules)
{
    tn_mat4 identity = tn_mat4_identity();
    for (int i = 0; i < 500; i++) {
        tn_mat4 a = random_mat4(), b = random_mat4(), c = random_mat4();
        tn_mat4 ab = tn_mat4_mul(&a, &b), bc = tn_mat4_mul(&b, &c);
        tn_mat4 left = tn_mat4_mul(&ab, &c), right = tn_mat4_mul(&a, &bc);
        CHECK(near_mat4(&left, &right, 1e-13));
        tn_mat4 same = tn_mat4_mul(&a, &identity);
        CHECK(near_mat4(&same, &a, 0));
        tn_mat4 at = tn_mat4_transpose(&a), bt = tn_mat4_transpose(&b);
        tn_mat4 abt = tn_mat4_transpose(&ab), btat = tn_mat4_mul(&bt, &at);
        CHECK(near_mat4(&abt, &btat, 0));
        double product = tn_mat4_determinant(&a) * tn_mat4_determinant(&b);
        CHECK(fabs(tn_mat4_determinant(&ab) - product) < 1e-10);
        tn_mat3 ma = random_mat3(2), mb = random_mat3(2), mab = tn_mat3_mul(&ma, &mb);
        product = tn_mat3_determinant(&ma) * tn_mat3_determinant(&mb);
        CHECK(fabs(tn_mat3_determinant(&mab) - product) < 1e-11);
    }
}

TEST(matrices_move_points_and_not_vectors)
{
    for (int i = 0; i < 500; i++) {
        tn_mat4 a = random_affine(), b = random_affine(), ab = tn_mat4_mul(&a, &b);
        tn_vec3 p = random_vec3(5), q = random_vec3(5);
        CHECK(near_vec3(tn_mat4_point(&ab, p), tn_mat4_point(&a, tn_mat4_point(&b, p)), 1e-12));
        tn_vec3 along = tn_vec3_sub(tn_mat4_point(&a, p), tn_mat4_point(&a, q));
        CHECK(near_vec3(tn_mat4_vector(&a, tn_vec3_sub(p, q)), along, 1e-12));
        CHECK(tn_mat4_is_affine(&ab));
    }
    tn_mat4 m = tn_mat4_identity();
    m.m[7] = 1e-30;
    CHECK(!tn_mat4_is_affine(&m));
}

TEST(inverses_undo)
{
    tn_mat4 identity = tn_mat4_identity();
    for (int i = 0; i < 2000; i++) {
        tn_mat4 m = i % 2 ? random_mat4() : random_affine(), inverse;
        if (fabs(tn_mat4_determinant(&m)) < 0.1) continue;
        CHECK(tn_mat4_inverse(&m, &inverse));
        tn_mat4 product = tn_mat4_mul(&m, &inverse);
        CHECK(near_mat4(&product, &identity, 1e-11));
        tn_mat4 same = m;
        CHECK(tn_mat4_inverse(&same, &same) && near_mat4(&same, &inverse, 0));
        if (i % 2) continue;
        CHECK(tn_mat4_affine_inverse(&m, &m) && near_mat4(&m, &inverse, 0));
        CHECK(tn_mat4_is_affine(&inverse));
    }
}

TEST(inverses_do_not_depend_on_size)
{
    tn_mat4 identity = tn_mat4_identity();
    for (int e = -140; e <= 120; e++) {
        tn_trs trs = {random_vec3(ldexp(1, e)), random_quat(), {1, 3, -0.5}};
        trs.scale = tn_vec3_scale(trs.scale, ldexp(1, e));
        tn_mat4 m = tn_mat4_from_trs(&trs), inverse;
        CHECK(tn_mat4_inverse(&m, &inverse));
        tn_mat4 product = tn_mat4_mul(&inverse, &m);
        CHECK(near_mat4(&product, &identity, 1e-14));
        m = random_mat4();
        CHECK(tn_mat4_inverse(&m, &inverse));
        for (int i = 0; i < 16; i++) m.m[i] = ldexp(m.m[i], e);
        for (int i = 0; i < 16; i++) inverse.m[i] = ldexp(inverse.m[i], -e);
        CHECK(tn_mat4_inverse(&m, &m) && near_mat4(&m, &inverse, 0));
    }
}

TEST(what_is_flat_has_no_inverse)
{
    tn_mat4 out, identity = tn_mat4_identity(), zero = {{0}};
    for (int i = 0; i < 500; i++) {
        tn_mat4 m = i % 2 ? random_mat4() : random_affine();
        double a = random_in(-1, 1), b = random_in(-1, 1);
        for (int r = 0; r < 4; r++) m.m[8 + r] = a * m.m[r] + b * m.m[4 + r];
        if (i % 2 == 0) m.m[11] = 0;
        CHECK(!tn_mat4_inverse(&m, &out) && near_mat4(&out, &identity, 0));
    }
    CHECK(!tn_mat4_inverse(&zero, &out) && !tn_mat4_affine_inverse(&zero, &out));
    for (int i = 0; i < 16; i++) {
        tn_mat4 m = identity;
        m.m[i] = i % 2 ? NAN : HUGE_VAL;
        CHECK(!tn_mat4_inverse(&m, &out) && near_mat4(&out, &identity, 0));
    }
}

TEST(floats_come_and_go_by_rows_and_columns)
{
    float in[16], out[16];
    for (int i = 0; i < 16; i++) in[i] = (float)random_in(-9, 9);
    tn_mat4 columns = tn_mat4_from_columns(in), rows = tn_mat4_from_rows(in);
    CHECK(columns.m[12] == (double)in[12] && rows.m[12] == (double)in[3]);
    CHECK(rows.m[1] == (double)in[4]);
    tn_mat4_to_columns(&columns, out);
    CHECK(memcmp(in, out, sizeof in) == 0);
    tn_mat4_to_rows(&rows, out);
    CHECK(memcmp(in, out, sizeof in) == 0);
}

// -- Taking apart

static tn_mat3 compose(const tn_svd *svd)
{
    tn_mat3 us = svd->u, back = tn_mat3_transpose(&svd->v);
    const double s[3] = {svd->s.x, svd->s.y, svd->s.z};
    for (int i = 0; i < 9; i++) us.m[i] *= s[i / 3];
    return tn_mat3_mul(&us, &back);
}

static void check_svd(const tn_mat3 *m, double size)
{
    tn_svd svd = tn_mat3_svd(m);
    tn_mat3 again = compose(&svd);
    CHECK(near_mat3(&again, m, 1e-14 * size));
    CHECK(is_rotation(&svd.u) && is_rotation(&svd.v));
    CHECK(svd.s.x >= svd.s.y && svd.s.y >= fabs(svd.s.z));
}

TEST(singular_values_give_the_matrix_back)
{
    for (int i = 0; i < 3000; i++) {
        double size = ldexp(1, i % 200 - 100);
        tn_mat3 m = random_mat3(size);
        check_svd(&m, 4 * size);
        CHECK((tn_mat3_svd(&m).s.z < 0) == (tn_mat3_determinant(&m) < 0));
        if (i % 3 == 0)  // Columns of very different length.
            for (int k = 0; k < 9; k++) m.m[k] *= ldexp(1, k / 3 * (i % 40));
        if (i % 3 == 1)  // Nearly the same column twice.
            for (int k = 0; k < 3; k++) m.m[k] = m.m[3 + k] * (1 + 1e-9 * random_unit());
        check_svd(&m, 4 * size * ldexp(1, i % 3 ? 0 : 80));
        tn_mat3 r = tn_mat3_from_quat(random_quat());
        check_svd(&r, 1);
    }
}

TEST(singular_values_of_flat_matrices)
{
    for (int i = 0; i < 500; i++) {
        tn_vec3 a = random_vec3(1), b = random_vec3(1), zero = {0, 0, 0};
        tn_mat3 line = tn_mat3_from_columns(tn_vec3_scale(a, random_in(-1, 1)), a,
                                            tn_vec3_scale(a, random_in(-1, 1)));
        tn_mat3 plane = tn_mat3_from_columns(a, tn_vec3_sub(a, b), b);
        tn_mat3 with_zero =
            i % 2 ? tn_mat3_from_columns(a, zero, b) : tn_mat3_from_columns(zero, zero, a);
        check_svd(&line, 2);
        check_svd(&plane, 2);
        check_svd(&with_zero, 2);
        CHECK(fabs(tn_mat3_svd(&line).s.y) < 1e-15 && fabs(tn_mat3_svd(&plane).s.z) < 1e-15);
    }
    tn_mat3 zero = {{0}}, identity = tn_mat3_identity();
    tn_svd svd = tn_mat3_svd(&zero);
    CHECK(near_mat3(&svd.u, &identity, 0) && near_mat3(&svd.v, &identity, 0) && svd.s.x == 0);
}

TEST(nan_and_infinity_do_not_hang_any_function)
{
    static const double bad[] = {NAN, HUGE_VAL, -HUGE_VAL, DBL_MAX, DBL_TRUE_MIN};
    for (int i = 0; i < 5 * 512; i++) {
        tn_mat4 m = tn_mat4_identity();
        for (int k = 0; k < 9; k++)
            if (i / 5 >> k & 1) m.m[k / 3 * 4 + k % 3] = bad[i % 5];
        tn_mat3 upper = tn_mat4_upper(&m), rotation, stretch;
        (void)tn_mat3_svd(&upper);
        tn_mat3_polar(&upper, &rotation, &stretch);
        tn_trs trs;
        uint32_t flags = tn_mat4_decompose(&m, &trs);
        if (i % 5 > 2 || i < 5) continue;
        CHECK(flags == TN_TRS_DEGENERATE && near_quat(trs.rotation, tn_quat_identity(), 0));
        CHECK(trs.scale.x == 1 && trs.translation.x == 0);
    }
}

TEST(polar_parts_are_a_rotation_and_a_symmetric_stretch)
{
    for (int i = 0; i < 2000; i++) {
        tn_mat3 m = random_mat3(3), rotation, stretch;
        if (i % 4 == 0) m.m[0] = m.m[1] = m.m[2] = 0;
        tn_mat3_polar(&m, &rotation, &stretch);
        tn_mat3 product = tn_mat3_mul(&rotation, &stretch), mirror = tn_mat3_transpose(&stretch);
        CHECK(is_rotation(&rotation) && near_mat3(&product, &m, 1e-13));
        CHECK(near_mat3(&mirror, &stretch, 1e-13));
        tn_mat3 turn = tn_mat3_from_quat(random_quat()), other;
        tn_mat3_polar(&turn, &other, NULL);
        CHECK(near_mat3(&other, &turn, 4e-15));
    }
}

static tn_trs random_trs(void)
{
    tn_trs trs = {random_vec3(100), random_quat(), {0, 0, 0}};
    trs.scale.x = ldexp(random_in(0.5, 1), (int)random_in(-8, 8));
    trs.scale.y = ldexp(random_in(0.5, 1), (int)random_in(-8, 8));
    trs.scale.z = ldexp(random_in(0.5, 1), (int)random_in(-8, 8));
    return trs;
}

TEST(what_was_composed_is_decomposed)
{
    for (int i = 0; i < 5000; i++) {
        tn_trs want = random_trs(), got;
        tn_mat4 m = tn_mat4_from_trs(&want);
        CHECK(tn_mat4_decompose(&m, &got) == 0);
        CHECK(near_vec3(got.translation, want.translation, 0));
        CHECK(near_vec3(got.scale, want.scale, 1e-12));
        CHECK(same_turn(got.rotation, want.rotation, 1e-14));
        want.scale.x = -want.scale.x;
        m = tn_mat4_from_trs(&want);
        CHECK(tn_mat4_decompose(&m, &got) == TN_TRS_MIRRORED);
        CHECK(near_vec3(got.scale, want.scale, 1e-12));
        CHECK(same_turn(got.rotation, want.rotation, 1e-14));
        want.scale.y = -want.scale.y;
        want.scale.z = -want.scale.z;
        m = tn_mat4_from_trs(&want);
        CHECK(tn_mat4_decompose(&m, &got) == TN_TRS_MIRRORED && got.scale.x < 0);
        tn_mat4 again = tn_mat4_from_trs(&got);
        CHECK(near_mat4(&again, &m, 1e-12));
    }
}

TEST(floats_are_not_taken_for_shear)
{
    for (int i = 0; i < 5000; i++) {
        tn_trs want = random_trs(), got;
        tn_mat4 m = tn_mat4_from_trs(&want);
        float floats[16];
        tn_mat4_to_columns(&m, floats);
        m = tn_mat4_from_columns(floats);
        CHECK(tn_mat4_decompose(&m, &got) == 0);
        CHECK(same_turn(got.rotation, want.rotation, 1e-6));
        tn_mat4 again = tn_mat4_from_trs(&got);
        CHECK(near_mat4(&again, &m, 1e-6 * tn_vec3_length(want.scale)));
    }
}

TEST(shear_is_reported_and_approximated)
{
    for (int i = 0; i < 1000; i++) {
        tn_trs outer = random_trs(), inner = random_trs(), got;
        outer.scale = (tn_vec3){1, 1, i % 2 ? 3 : -3};
        inner.scale = (tn_vec3){1, 1, 1};
        inner.rotation = tn_quat_from_axis_angle(random_vec3(1), 0.5);
        tn_mat4 a = tn_mat4_from_trs(&outer), b = tn_mat4_from_trs(&inner);
        tn_mat4 m = tn_mat4_mul(&a, &b);
        uint32_t flags = tn_mat4_decompose(&m, &got);
        tn_mat4 again = tn_mat4_from_trs(&got);
        bool fits = largest(again.m, m.m, 12) < 1e-4;
        CHECK(fits == !(flags & TN_TRS_SHEARED));
        CHECK(((flags & TN_TRS_MIRRORED) != 0) == (i % 2 == 0));
        CHECK(fabs(tn_quat_dot(got.rotation, got.rotation) - 1) < 1e-14);
    }
    tn_mat4 little = tn_mat4_identity();
    tn_trs got;
    little.m[4] = 0.9e-5;
    CHECK(tn_mat4_decompose(&little, &got) == 0);
    little.m[4] = 1.1e-5;
    CHECK(tn_mat4_decompose(&little, &got) == TN_TRS_SHEARED);
}

TEST(axes_and_zero_scales_come_out_exactly)
{
    for (int i = 0; i < 8; i++) {
        tn_mat4 m = tn_mat4_identity();
        tn_vec3 scale = {i & 1 ? 0 : 2, i & 2 ? 0 : 3, i & 4 ? 0 : 0.1};
        m.m[0] = scale.x;
        m.m[5] = scale.y;
        m.m[10] = scale.z;
        tn_trs got;
        CHECK(tn_mat4_decompose(&m, &got) == (i ? TN_TRS_DEGENERATE : 0u));
        CHECK(near_quat(got.rotation, tn_quat_identity(), 0) && near_vec3(got.scale, scale, 0));
    }
    for (int i = 0; i < 500; i++) {
        tn_trs want = random_trs(), got;
        want.scale.y = 0;
        if (i % 2) want.scale.z = 0;
        tn_mat4 m = tn_mat4_from_trs(&want);
        CHECK(tn_mat4_decompose(&m, &got) == TN_TRS_DEGENERATE);
        CHECK(i % 2 || same_turn(got.rotation, want.rotation, 1e-14));
        tn_mat4 again = tn_mat4_from_trs(&got);
        CHECK(near_mat4(&again, &m, 1e-12));
    }
}

// -- Dual quaternions

static tn_dquat random_dquat(void)
{
    tn_quat rotation = random_quat();
    return tn_dquat_make(rotation, random_vec3(10));
}

TEST(dual_quaternions_and_matrices_move_alike)
{
    for (int i = 0; i < 1000; i++) {
        tn_dquat a = random_dquat(), b = random_dquat(), ab = tn_dquat_mul(a, b);
        tn_mat4 ma = tn_dquat_to_mat4(a), mb = tn_dquat_to_mat4(b), mab = tn_mat4_mul(&ma, &mb);
        tn_mat4 product = tn_dquat_to_mat4(ab);
        CHECK(near_mat4(&product, &mab, 5e-14));
        tn_vec3 p = random_vec3(10);
        CHECK(near_vec3(tn_dquat_point(ab, p), tn_mat4_point(&mab, p), 1e-13));
        CHECK(near_vec3(tn_dquat_point(tn_dquat_inverse(a), tn_dquat_point(a, p)), p, 1e-13));
        tn_dquat back = tn_dquat_from_mat4(&ma);
        tn_mat4 again = tn_dquat_to_mat4(back);
        CHECK(near_mat4(&again, &ma, 5e-14) && same_turn(back.real, a.real, 1e-15));
    }
    tn_vec3 p = tn_dquat_point(tn_dquat_identity(), (tn_vec3){1, 2, 3});
    CHECK(p.x == 1 && p.y == 2 && p.z == 3);
}

TEST(normalizing_meets_both_conditions)
{
    for (int i = 0; i < 1000; i++) {
        tn_dquat q = {random_quat(), random_quat()}, unit;
        q.real.x *= 5;
        unit = tn_dquat_normalise(q);
        CHECK(fabs(tn_quat_dot(unit.real, unit.real) - 1) < 1e-15);
        CHECK(fabs(tn_quat_dot(unit.real, unit.dual)) < 1e-15);
    }
    tn_dquat zero = tn_dquat_normalise((tn_dquat){{0, 0, 0, 0}, {1, 1, 1, 1}});
    CHECK(near_quat(zero.real, tn_quat_identity(), 0) && zero.dual.x == 0);
    CHECK(tn_dquat_normalise((tn_dquat){{NAN, 0, 0, 0}, {0, 0, 0, 0}}).real.w == 1);
}

TEST(blending_goes_the_shorter_way)
{
    for (int i = 0; i < 500; i++) {
        tn_dquat q[3] = {random_dquat(), random_dquat(), random_dquat()};
        double weights[3] = {random_unit(), random_unit(), random_unit()};
        tn_dquat mean = tn_dquat_blend(q, weights, 3);
        CHECK(fabs(tn_quat_dot(mean.real, mean.dual)) < 1e-13);
        q[1].real = (tn_quat){-q[1].real.x, -q[1].real.y, -q[1].real.z, -q[1].real.w};
        q[1].dual = (tn_quat){-q[1].dual.x, -q[1].dual.y, -q[1].dual.z, -q[1].dual.w};
        tn_dquat other = tn_dquat_blend(q, weights, 3);
        CHECK(near_quat(mean.real, other.real, 0) && near_quat(mean.dual, other.dual, 0));
        tn_dquat alone = tn_dquat_blend(q, (double[]){3, 0, 0}, 3);
        CHECK(near_quat(alone.real, q[0].real, 1e-15) && near_quat(alone.dual, q[0].dual, 1e-14));
    }
    CHECK(tn_dquat_blend(NULL, NULL, 0).real.w == 1);
    tn_dquat q[2] = {random_dquat(), random_dquat()};
    CHECK(tn_dquat_blend(q, (double[]){0, 0}, 2).real.w == 1);
}

// -- The same bits everywhere

static uint64_t hash;
static uint32_t hashed_count;

static void add_bits(const void *numbers, size_t count)
{
    const unsigned char *bytes = numbers;
    for (size_t i = 0; i < count; i++) {
        double v;
        uint64_t bits;
        memcpy(&v, bytes + i * sizeof v, sizeof v);
        memcpy(&bits, &v, sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3;
        hash ^= hash >> 29;
        hashed_count++;
    }
}

static void add_one(double v)
{
    add_bits(&v, 1);
}

static void add_angles(void)
{
    double x = random_in(-20, 20), y = random_in(-1, 1), wide = random_in(-1e9, 1e9);
    add_one(tn_sin(x));
    add_one(tn_cos(x));
    add_one(tn_sin(wide));
    add_one(tn_asin(y));
    add_one(tn_acos(y));
    add_one(tn_atan2(y, x));
}

static void add_turns(void)
{
    tn_quat a = random_quat(), b = random_quat();
    tn_vec3 v = random_vec3(3);
    tn_quat between = tn_quat_slerp(a, b, random_unit()), near = tn_quat_nlerp(a, b, 0.25);
    tn_vec3 turned = tn_quat_rotate(a, v);
    tn_dquat q[2] = {tn_dquat_make(a, v), tn_dquat_make(b, turned)};
    tn_dquat mean = tn_dquat_blend(q, (double[]){0.25, 0.75}, 2);
    tn_vec3 moved = tn_dquat_point(mean, v);
    tn_mat4 product = tn_dquat_to_mat4(tn_dquat_mul(q[0], q[1]));
    add_bits(&product, 16);
    add_bits(&between, 4);
    add_bits(&near, 4);
    add_bits(&turned, 3);
    add_bits(&mean, 8);
    add_bits(&moved, 3);
}

static void add_matrices(void)
{
    tn_mat4 a = random_mat4(), b = random_affine(), inverse;
    tn_mat4 ab = tn_mat4_mul(&a, &b);
    tn_mat4_inverse(&ab, &inverse);
    add_bits(&inverse, 16);
    tn_mat4_affine_inverse(&b, &inverse);
    add_bits(&inverse, 16);
    tn_trs trs;
    add_one((double)tn_mat4_decompose(&b, &trs));
    add_bits(&trs, 10);
    tn_mat3 upper = tn_mat4_upper(&b), rotation, stretch;
    tn_svd svd = tn_mat3_svd(&upper);
    add_bits(&svd, 21);
    tn_mat3_polar(&upper, &rotation, &stretch);
    add_bits(&stretch, 9);
}

// Compilers, their options and machines must not matter. If a change of the code is intended to
// change results, the new value goes here.
TEST(a_hundred_thousand_results_have_the_same_bits_everywhere)
{
    hash = 0xcbf29ce484222325;
    hashed_count = 0;
    while (hashed_count < 100000) {
        add_angles();
        add_turns();
        add_matrices();
    }
    printf("# checksum of %" PRIu32 " results: %016" PRIx64 "\n", hashed_count, hash);
    CHECK(hash == 0x0e9dec3f21c72b66);
}

TEST(the_next_float_is_the_next)
{
    CHECK(tn_float_after(0) > 0 && tn_float_after(0) == 0x1p-149f);
    CHECK(tn_float_after(1) == 1 + 0x1p-23f);
    CHECK(tn_float_after(0x1.fffffep+3f) == 16);
}

TEST(numbers_become_finite_floats)
{
    uint64_t clamped = 0;
    CHECK(tn_narrow(0.5, &clamped) == 0.5F && tn_narrow(FLT_MAX, &clamped) == FLT_MAX);
    CHECK(clamped == 0);
    CHECK(tn_narrow(1e39, &clamped) == FLT_MAX && tn_narrow(-HUGE_VAL, &clamped) == -FLT_MAX);
    CHECK(tn_narrow(NAN, &clamped) == 0 && clamped == 3);
    CHECK(tn_narrow(1e300, NULL) == FLT_MAX);
}

int main(void)
{
    RUN_SEEDED(vectors_keep_the_rules);
    RUN_SEEDED(what_has_no_direction_becomes_zero);
    RUN_SEEDED(quaternions_rotate_as_hamilton_defined);
    RUN_SEEDED(products_of_quaternions_rotate_one_after_the_other);
    RUN_SEEDED(quaternions_and_matrices_are_the_same_rotations);
    RUN_SEEDED(slerp_rotates_at_constant_speed_on_the_shorter_way);
    RUN_SEEDED(slerp_is_exact_at_its_ends);
    RUN_SEEDED(products_of_matrices_keep_the_rules);
    RUN_SEEDED(matrices_move_points_and_not_vectors);
    RUN_SEEDED(inverses_undo);
    RUN_SEEDED(inverses_do_not_depend_on_size);
    RUN_SEEDED(what_is_flat_has_no_inverse);
    RUN_SEEDED(floats_come_and_go_by_rows_and_columns);
    RUN_SEEDED(singular_values_give_the_matrix_back);
    RUN_SEEDED(singular_values_of_flat_matrices);
    RUN_SEEDED(nan_and_infinity_do_not_hang_any_function);
    RUN_SEEDED(polar_parts_are_a_rotation_and_a_symmetric_stretch);
    RUN_SEEDED(what_was_composed_is_decomposed);
    RUN_SEEDED(floats_are_not_taken_for_shear);
    RUN_SEEDED(shear_is_reported_and_approximated);
    RUN_SEEDED(axes_and_zero_scales_come_out_exactly);
    RUN_SEEDED(dual_quaternions_and_matrices_move_alike);
    RUN_SEEDED(normalizing_meets_both_conditions);
    RUN_SEEDED(blending_goes_the_shorter_way);
    RUN_SEEDED(a_hundred_thousand_results_have_the_same_bits_everywhere);
    RUN(the_next_float_is_the_next);
    RUN(numbers_become_finite_floats);
    TEST_END();
}
