// test_span_bulk.c: functions for many numbers at once give the results of one at a time.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"
#include "document/findings.h"

#include "core_help.h"

#include <math.h>

#define COUNT 1100  // More than a block of anything, and not a multiple of it.

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void store(uint8_t *p, uint32_t value, uint32_t width, bool big_endian)
{
    for (uint32_t i = 0; i < width; i++)
        p[big_endian ? width - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

// -- Indices

static void check_top(const tenon_layout *layout, uint32_t width, bool big_endian)
{
    static uint8_t bytes[4 * COUNT + 1];
    uint32_t state = width;
    for (uint32_t at = 0; at < COUNT; at += 97) {
        uint32_t decoded[COUNT];
        for (uint32_t i = 0; i < COUNT; i++)
            store(bytes + 1 + width * i, next_random(&state) % 100, width, big_endian);
        store(bytes + 1 + width * at, 200, width, big_endian);
        tenon_span span = {bytes + 1, (uint64_t)width * COUNT, COUNT, layout, big_endian};
        CHECK(tn_span_top(&span) == 200);
        tn_span_indices(&span, decoded);
        CHECK(decoded[at] == 200 && decoded[0] <= 200 && decoded[COUNT - 1] <= 200);
    }
}

TEST(the_largest_index_is_found_wherever_it_is)
{
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        check_top(&tn_layout_u8, 1, big_endian);
        check_top(&tn_layout_u16, 2, big_endian);
        check_top(&tn_layout_u32, 4, big_endian);
    }
    CHECK(tn_span_top(&(tenon_span){0}) == 0);
}

TEST(large_indices_are_not_negative)
{
    static const uint8_t u32[] = {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0}, u16[] = {1, 0, 0, 0x80};
    CHECK(tn_span_top(&(tenon_span){u32, 8, 2, &tn_layout_u32, false}) == UINT32_MAX);
    CHECK(tn_span_top(&(tenon_span){u16, 4, 2, &tn_layout_u16, false}) == 0x8000);
}

// -- Floats

static const tenon_element mixed_elements[] = {
    {"position", TENON_TYPE_F32, 3, 0, 0},
    {"color", TENON_TYPE_U8, 4, 0, 12},
    {"uv", TENON_TYPE_F32, 2, 0, 16},
};
static const tenon_layout mixed = {mixed_elements, 3, 24, NULL, 0, NULL};

TEST(a_number_that_is_not_finite_is_found_in_every_word_of_every_record)
{
    static const uint32_t bad[] = {0x7f800000, 0xff800000, 0x7f800001, 0xffc00000};
    static uint8_t bytes[24 * 67];
    for (uint32_t word = 0; word < 6 * 67; word++) {
        for (uint32_t i = 0; i < sizeof bytes; i += 4) store(bytes + i, 0x7f7fffff, 4, word & 1);
        store(bytes + 4 * word, bad[word % 4], 4, word & 1);
        tenon_span span = {bytes, sizeof bytes, 67, &mixed, word & 1};
        bool is_color = word % 6 == 3;
        CHECK(tn_span_not_finite(&span, NULL) == (is_color ? TENON_ABSENT : word / 6));
    }
}

// Nothing but floats, and an odd number of them.
TEST(a_number_that_is_not_finite_is_found_in_plain_arrays)
{
    static uint8_t bytes[12 * 67];
    for (uint32_t word = 0; word < 3 * 67; word++) {
        bool big_endian = word & 1;
        for (uint32_t i = 0; i < sizeof bytes; i += 4) store(bytes + i, 0xff7fffff, 4, big_endian);
        tenon_span span = {bytes, sizeof bytes, 67, &tn_layout_f32x3, big_endian};
        CHECK(tn_span_not_finite(&span, NULL) == TENON_ABSENT);
        store(bytes + 4 * word, word % 3 ? 0x7f800000 : 0xffc00001, 4, big_endian);
        CHECK(tn_span_not_finite(&span, NULL) == word / 3);
    }
}

TEST(floats_are_byte_swapped_in_place)
{
    static uint8_t bytes[24 * 67];
    float out[3 * 67];
    for (uint32_t i = 0; i < sizeof bytes / 4; i++) {
        float v = (float)i + 0.5f;
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        store(bytes + 4 * i, bits, 4, true);
    }
    tenon_span span = {bytes, sizeof bytes, 67, &mixed, true};
    for (uint32_t element = 0; element < 3; element += 2) {
        uint32_t each = mixed_elements[element].count;
        tn_span_f32(&span, &mixed_elements[element], 0, 67, out);
        for (uint32_t i = 0; i < 67; i++)
            for (uint32_t k = 0; k < each; k++)
                CHECK(out[each * i + k] == (float)(6 * i + 2 * element + k) + 0.5f);
    }
}

TEST(all_finite_means_all)
{
    float values[COUNT] = {0};
    CHECK(tn_all_finite(values, COUNT) && tn_all_finite(NULL, 0));
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = i % 2 ? INFINITY : NAN;
        CHECK(!tn_all_finite(values, COUNT));
        CHECK(tn_all_finite(values, COUNT - 1) == (i == COUNT - 1));
        values[i] = i % 3 ? 3.4e38f : -1e-45f;
    }
    CHECK(tn_all_finite(values, COUNT));
}

// -- What is plainly right

TEST(joints_that_are_not_whole_or_out_of_range_are_not_plain)
{
    static const float odd[] = {-1, 0.5f, 8.0f, 1e9f, INFINITY, -INFINITY, NAN, 6.9999995f};
    float joints[COUNT] = {0};
    for (uint32_t i = 0; i < COUNT; i++) joints[i] = (float)(i % 8);
    CHECK(tn_joints_are_plain(joints, COUNT, 7));
    for (uint32_t i = 0; i < COUNT; i++) {
        float before = joints[i];
        joints[i] = odd[i % 8];
        CHECK(!tn_joints_are_plain(joints, COUNT, 7));
        joints[i] = before;
    }
    CHECK(!tn_joints_are_plain(joints, COUNT, -1) && !tn_joints_are_plain(joints, COUNT, NAN));
    CHECK(tn_joints_are_plain(joints, 1, 0) && tn_joints_are_plain(joints, 0, 7));
}

TEST(weights_that_a_rule_could_report_are_not_plain)
{
    static const float odd[] = {-0.25f, 0.26f, 0.24f, INFINITY, NAN, 0};
    float weights[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) weights[i] = 0.25f;
    CHECK(tn_weights_are_plain(weights, COUNT / 4));
    for (uint32_t i = 0; i < COUNT; i++) {
        weights[i] = odd[i % 6];
        CHECK(!tn_weights_are_plain(weights, COUNT / 4));
        weights[i] = 0.25f;
    }
}

TEST(rotations_that_a_rule_could_report_are_not_plain)
{
    static const float good[4] = {0.5f, -0.5f, 0.5f, 0.5f};
    for (int i = 0; i < 4; i++) {
        static const float factors[] = {0, 1.01f, 0.99f, INFINITY, NAN};
        for (int k = 0; k < 5; k++) {
            float q[4];
            for (int n = 0; n < 4; n++) q[n] = good[n] * factors[k];
            CHECK(!tn_turn_is_plain(q));
        }
    }
    CHECK(tn_turn_is_plain(good));
}

// -- Winding

static void put_floats(uint8_t *out, const float *values, uint32_t count, bool big_endian)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        store(out + 4 * i, bits, 4, big_endian);
    }
}

// `with` triangles wind as their normals say, `against` do not, and one names no vertex.
static tn_turns turns_of(uint32_t with, uint32_t against, bool big_endian)
{
    static const float places[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0},
                       ups[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    static uint8_t indices[12 * 32], positions[36], normals[36];
    put_floats(positions, places, 9, big_endian);
    put_floats(normals, ups, 9, big_endian);
    for (uint32_t t = 0; t < with + against; t++)
        for (uint32_t k = 0; k < 3; k++)
            store(indices + 12 * t + 4 * k, t < against ? 2 - k : k, 4, big_endian);
    store(indices + 12 * (with + against), 3, 4, big_endian);
    tenon_span faces = {indices, 12 * (with + against + 1), 0, NULL, big_endian};
    tenon_span p = {positions, 36, 3, NULL, big_endian}, n = {normals, 36, 3, NULL, big_endian};
    return tn_turns_of(&faces, &p, &n);
}

TEST(the_vote_on_winding_ends_early_only_when_it_is_clear)
{
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        for (uint32_t with = 0; with < 12; with++) {
            for (uint32_t against = 0; against < 12; against++) {
                tn_turns turns = turns_of(with, against, big_endian);
                CHECK((turns.against > turns.with) == (against > with));
                if (against > with) CHECK(turns.against == against && turns.with == with);
            }
        }
    }
}

int main(void)
{
    RUN(the_largest_index_is_found_wherever_it_is);
    RUN(large_indices_are_not_negative);
    RUN(a_number_that_is_not_finite_is_found_in_every_word_of_every_record);
    RUN(a_number_that_is_not_finite_is_found_in_plain_arrays);
    RUN(floats_are_byte_swapped_in_place);
    RUN(all_finite_means_all);
    RUN(joints_that_are_not_whole_or_out_of_range_are_not_plain);
    RUN(weights_that_a_rule_could_report_are_not_plain);
    RUN(rotations_that_a_rule_could_report_are_not_plain);
    RUN(the_vote_on_winding_ends_early_only_when_it_is_clear);
    TEST_END();
}
