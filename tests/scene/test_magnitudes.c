// test_magnitudes.c: noise is separated from the numbers of a model, however much of it there is.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "scene/model/plausible.h"

#include <math.h>

static uint32_t seed = 1;

static uint32_t random_word(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static float random_bits(void)
{
    uint32_t bits = random_word();
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// A thousand vertices of a model ten units large, of which some are noise.
static tn_magnitudes note_model(uint32_t noise)
{
    tn_magnitudes m = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        float at[3];
        for (int k = 0; k < 3; k++)
            at[k] = i < noise ? random_bits() : (float)(random_word() % 10000) / 1000;
        tn_add_magnitude(&m, at, 3);
    }
    return m;
}

TEST(no_numbers_give_no_limit)
{
    const float zero[3] = {0, 0, 0}, bad[3] = {1, NAN, 0}, far[3] = {0, 0, 3e38f};
    tn_magnitudes m = {0};
    CHECK(tn_usual_limit(&m) == INFINITY);
    tn_add_magnitude(&m, bad, 3);
    CHECK(tn_usual_limit(&m) == INFINITY);
    tn_add_magnitude(&m, zero, 3);
    CHECK(tn_usual_limit(&m) == INFINITY);
    CHECK(tn_is_plausible(far, 3, tn_usual_limit(&m)));
    CHECK(!tn_is_plausible(bad, 3, INFINITY));
}

TEST(a_model_is_within_its_limit_and_a_thousand_times_its_size_is_not)
{
    tn_magnitudes m = note_model(0);
    double limit = tn_usual_limit(&m);
    CHECK(limit >= 10 * 1000);
    CHECK(limit < 10 * 4096);
}

TEST(noise_does_not_raise_the_limit)
{
    for (uint32_t noise = 0; noise <= 600; noise += 50) {
        tn_magnitudes m = note_model(noise);
        double limit = tn_usual_limit(&m);
        CHECK(limit >= 10 * 1000);
        CHECK(limit < 10 * 4096);
    }
}

// A sky around a small model: a tenth of the vertices, a thousand times as far away.
TEST(large_parts_of_a_model_stay)
{
    tn_magnitudes m = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        const float at = i < 150 ? 5000.0f : 1.0f;
        tn_add_magnitude(&m, &at, 1);
    }
    CHECK(tn_usual_limit(&m) > 5000);
}

int main(void)
{
    RUN(no_numbers_give_no_limit);
    RUN(a_model_is_within_its_limit_and_a_thousand_times_its_size_is_not);
    RUN(noise_does_not_raise_the_limit);
    RUN(large_parts_of_a_model_stay);
    TEST_END();
}
