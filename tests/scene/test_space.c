// test_space.c: a left-handed space made right-handed, and colors made linear.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "scene/model/space.h"

#include <math.h>

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-15;
}

// -- Handedness

// A quarter turn about X takes Y to Z. With Z the other way, it takes Y to -Z.
TEST(a_rotation_is_mirrored_with_its_axis)
{
    const double half = sqrt(0.5);
    tn_quat about_x = tn_mirror_quat((tn_quat){half, 0, 0, half});
    tn_quat about_z = tn_mirror_quat((tn_quat){0, 0, half, half});
    tn_vec3 y = tn_quat_rotate(about_x, (tn_vec3){0, 1, 0});
    tn_vec3 x = tn_quat_rotate(about_z, (tn_vec3){1, 0, 0});
    CHECK(near(y.x, 0) && near(y.y, 0) && near(y.z, -1));
    CHECK(near(x.x, 0) && near(x.y, 1) && near(x.z, 0));
}

// Whether a point is moved and then mirrored, or the reverse with everything mirrored.
TEST(a_matrix_is_mirrored_on_both_sides)
{
    tn_mat4 m = {{1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 1}};
    tn_mat4 mirrored = tn_mirror_mat4(&m), again = tn_mirror_mat4(&mirrored);
    tn_vec3 p = {0.5, -2, 3};
    tn_vec3 want = tn_mirror_vec3(tn_mat4_point(&m, p));
    tn_vec3 got = tn_mat4_point(&mirrored, tn_mirror_vec3(p));
    CHECK(got.x == want.x && got.y == want.y && got.z == want.z);
    CHECK(memcmp(&m, &again, sizeof m) == 0);
}

TEST(tangents_change_their_sign_and_zero_has_none)
{
    float tangents[] = {1, 2, 3, 1, 4, 5, 0, -1}, normals[] = {1, 2, -3, -0.0f, 5, 0};
    const float turned[] = {1, 2, -3, -1, 4, 5, 0, 1}, mirrored[] = {1, 2, 3, -0.0f, 5, 0};
    tn_mirror_floats(tangents, 2, 4);
    tn_mirror_floats(normals, 2, 3);
    CHECK(memcmp(tangents, turned, sizeof turned) == 0);
    CHECK(memcmp(normals, mirrored, sizeof mirrored) == 0);
}

// -- Colors

TEST(srgb_values_are_made_linear)
{
    double last = -1, most = 0;
    for (int i = 0; i < 256; i++) {
        double value = i / 255.0, linear = tn_linear_from_srgb(value);
        double want = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
        most = fmax(most, fabs(linear - want));
        CHECK(linear > last);
        last = linear;
    }
    CHECK(most <= 1e-15);
    CHECK(tn_linear_from_srgb(0) == 0 && tn_linear_from_srgb(1) == 1);
    CHECK(fabs(tn_linear_from_srgb(0.5) - 0.21404114048) < 1e-11);
}

TEST(values_out_of_range_stay)
{
    CHECK(tn_linear_from_srgb(-3) == -3 && tn_linear_from_srgb(7) == 7);
    CHECK(isnan(tn_linear_from_srgb(NAN)));
}

TEST(the_nearest_byte_is_found)
{
    float levels[256];
    tn_srgb_levels(levels);
    for (int i = 0; i < 256; i++) CHECK(tn_srgb_byte(levels, (double)levels[i]) == i);
    for (int i = 0; i < 255; i++) {
        double middle = ((double)levels[i] + (double)levels[i + 1]) / 2;
        CHECK(tn_srgb_byte(levels, middle) == i);
        CHECK(tn_srgb_byte(levels, middle * (1 + 1e-9)) == i + 1);
    }
    CHECK(tn_srgb_byte(levels, -1) == 0 && tn_srgb_byte(levels, 7) == 255);
}

int main(void)
{
    RUN(a_rotation_is_mirrored_with_its_axis);
    RUN(a_matrix_is_mirrored_on_both_sides);
    RUN(tangents_change_their_sign_and_zero_has_none);
    RUN(srgb_values_are_made_linear);
    RUN(values_out_of_range_stay);
    RUN(the_nearest_byte_is_found);
    TEST_END();
}
