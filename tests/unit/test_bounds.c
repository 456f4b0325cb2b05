// test_bounds.c: the box around points.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/math/bounds.h"

TEST(bounds_are_empty_until_a_point_is_added)
{
    tn_bounds bounds = tn_bounds_empty(), other = tn_bounds_empty();
    CHECK(tn_bounds_is_empty(&bounds));
    tn_bounds_join(&bounds, &other);
    CHECK(tn_bounds_is_empty(&bounds));
    tn_bounds_add_f32(&other, (const float[3]){1, -2, 3});
    tn_bounds_join(&bounds, &other);
    CHECK(!tn_bounds_is_empty(&bounds));
    for (int k = 0; k < 3; k++) CHECK(bounds.min[k] == bounds.max[k]);
    CHECK(bounds.min[1] == -2);
}

TEST(bounds_grow_to_both_sides_and_leave_out_nan)
{
    tn_bounds bounds = tn_bounds_empty();
    tn_bounds_add(&bounds, (const double[3]){1, (double)NAN, 3});
    CHECK(tn_bounds_is_empty(&bounds));
    tn_bounds_add(&bounds, (const double[3]){-1, 5, 4});
    CHECK(!tn_bounds_is_empty(&bounds));
    CHECK(bounds.min[0] == -1 && bounds.max[0] == 1);
    CHECK(bounds.min[1] == 5 && bounds.max[1] == 5);
    CHECK(bounds.min[2] == 3 && bounds.max[2] == 4);
}

int main(void)
{
    RUN(bounds_are_empty_until_a_point_is_added);
    RUN(bounds_grow_to_both_sides_and_leave_out_nan);
    TEST_END();
}
