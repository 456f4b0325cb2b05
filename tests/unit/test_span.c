// test_span.c: loading numbers, layouts and their sizes, decoding many numbers at once.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"

#include "core_help.h"

// -- Types

TEST(every_type_has_a_word_and_a_size)
{
    static const struct {
        tenon_type type;
        const char *word;
        uint32_t size;
    } types[] = {
        {TENON_TYPE_BYTES, "bytes", 1}, {TENON_TYPE_U8, "u8", 1},
        {TENON_TYPE_I16, "i16", 2},     {TENON_TYPE_U16, "u16", 2},
        {TENON_TYPE_I32, "i32", 4},     {TENON_TYPE_U32, "u32", 4},
        {TENON_TYPE_F32, "f32", 4},     {TENON_TYPE_F64, "f64", 8},
        {TENON_TYPE_STR, "str", 1},     {TENON_TYPE_STR32, "str32", 1},
        {TENON_TYPE_STRZ, "strz", 1},   {TENON_TYPE_RECORDS, "records", 1},
        {TENON_TYPE_I64, "i64", 8},     {TENON_TYPE_U64, "u64", 8},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        CHECK(types[i].type == (tenon_type)i);
        CHECK_STR(tenon_type_word(types[i].type), types[i].word);
        CHECK(tenon_type_size(types[i].type) == types[i].size);
    }
    CHECK_STR(tenon_type_word((tenon_type)99), "unknown");
    CHECK(tenon_type_size((tenon_type)99) == 1);
}

// -- Single numbers

TEST(numbers_are_loaded_in_both_byte_orders)
{
    static const uint8_t p[] = {0x81, 0x92, 0xA3, 0xB4, 0xC5, 0xD6, 0xE7, 0xF8};
    CHECK(tn_load16(p, false) == 0x9281 && tn_load16(p, true) == 0x8192);
    CHECK(tn_load32(p, false) == 0xB4A39281 && tn_load32(p, true) == 0x8192A3B4);
    CHECK(tn_load64(p, false) == 0xF8E7D6C5B4A39281 && tn_load64(p, true) == 0x8192A3B4C5D6E7F8);
}

TEST(floats_are_loaded_in_both_byte_orders)
{
    static const uint8_t f32[] = {0x3F, 0xC0, 0, 0, 0xC0, 0x3F};
    static const uint8_t f64[] = {0xC0, 0x04, 0, 0, 0, 0, 0, 0, 0x04, 0xC0};
    CHECK(tn_load_f32(f32, true) == 1.5f && tn_load_f32(f32 + 2, false) == 1.5f);
    CHECK(tn_load_f64(f64, true) == -2.5 && tn_load_f64(f64 + 2, false) == -2.5);
}

TEST(numbers_need_not_be_aligned)
{
    uint8_t p[16];
    for (uint8_t i = 0; i < 16; i++) p[i] = i;
    for (int at = 0; at < 8; at++) {
        CHECK(tn_load32(p + at, true) == 0x00010203u + 0x01010101u * (uint32_t)at);
        CHECK(tn_load64(p + at, true) == 0x0001020304050607u + 0x0101010101010101u * (uint64_t)at);
    }
}

TEST(copying_twice_gives_the_same_numbers)
{
    static const uint32_t widths[] = {1, 2, 4, 8};
    uint8_t from[24], there[24], back[24];
    for (uint8_t i = 0; i < 24; i++) from[i] = (uint8_t)(i * 7 + 1);
    for (int w = 0; w < 4; w++) {
        for (int big = 0; big < 2; big++) {
            uint64_t count = 24 / widths[w];
            tn_copy_numbers(there, from, count, widths[w], big);
            tn_copy_numbers(back, there, count, widths[w], big);
            CHECK(memcmp(back, from, 24) == 0);
            bool swapped = widths[w] > 1 && (bool)big != tn_host_is_big();
            CHECK((memcmp(there, from, 24) != 0) == swapped);
        }
    }
    tn_copy_numbers(NULL, NULL, 0, 4, true);  // No numbers need no memory.
}

TEST(many_numbers_are_byte_swapped_like_one)
{
    static const uint32_t widths[] = {2, 4, 8};
    static uint8_t from[8 * 300], to[8 * 300 + 1];
    for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)(i * 31 + i / 256);
    for (int w = 0; w < 3; w++) {
        uint32_t width = widths[w];
        for (uint64_t count = 0; count <= 300; count++) {
            memset(to, 0xEE, sizeof to);
            tn_copy_numbers(to, from, count, width, !tn_host_is_big());
            bool turned = true;
            for (uint64_t i = 0; i < count * width; i++)
                turned = turned && to[i] == from[i / width * width + (width - 1 - i % width)];
            CHECK(turned && to[count * width] == 0xEE);
        }
    }
}

// -- Layouts

static const tenon_element vertex_elements[] = {
    {"position", TENON_TYPE_F32, 3, 0, 0},
    {"bones", TENON_TYPE_U16, 2, 2, 12},
};
static const tenon_layout vertices = {vertex_elements, 2, 20, NULL, 0, NULL};

static const tenon_element run_elements[] = {
    {"count", TENON_TYPE_U32, 1, 0, 0},
};
static const tenon_layout runs = {run_elements, 1, 4, &tn_layout_u16, 0, "tail"};

TEST(an_element_has_the_size_of_its_rows)
{
    CHECK(tn_element_size(&vertex_elements[0]) == 12);
    CHECK(tn_element_size(&vertex_elements[1]) == 8);
    tenon_element huge = {"huge", TENON_TYPE_F64, UINT32_MAX, 0, 0};
    CHECK(tn_element_size(&huge) == 8 * (uint64_t)UINT32_MAX);
}

TEST(elements_are_found_by_name)
{
    CHECK(tn_layout_find(&vertices, "position") == &vertex_elements[0]);
    CHECK(tn_layout_find(&vertices, "bones") == &vertex_elements[1]);
    CHECK(tn_layout_find(&vertices, "bone") == NULL);
    CHECK(tn_layout_find(&vertices, "") == NULL);
    CHECK(tn_layout_find(&tn_layout_f32, "") != NULL);
}

TEST(plain_layouts_have_one_element_that_fills_them)
{
    static const tenon_layout *const plain[] = {
        &tn_layout_u8,    &tn_layout_u16,   &tn_layout_u32,   &tn_layout_f32,  &tn_layout_f32x2,
        &tn_layout_f32x3, &tn_layout_f32x4, &tn_layout_u32x3, &tn_layout_u32x4};
    static const uint64_t strides[] = {1, 2, 4, 4, 8, 12, 16, 12, 16};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        CHECK(plain[i]->element_count == 1 && plain[i]->stride == strides[i]);
        CHECK(tn_element_size(&plain[i]->elements[0]) == strides[i]);
        CHECK_STR(plain[i]->elements[0].name, "");
        CHECK(!plain[i]->tail);
        for (size_t k = 0; k < i; k++) CHECK(!tn_layout_equal(plain[i], plain[k]));
    }
}

TEST(layouts_are_equal_if_they_describe_the_same_bytes)
{
    tenon_element elements[2];
    tenon_layout copy = {elements, 2, 20, NULL, 0, NULL};
    memcpy(elements, vertex_elements, sizeof elements);
    CHECK(tn_layout_equal(&vertices, &vertices) && tn_layout_equal(&vertices, &copy));
    CHECK(tn_layout_equal(NULL, NULL));
    CHECK(!tn_layout_equal(&vertices, NULL) && !tn_layout_equal(NULL, &vertices));
    for (int change = 0; change < 8; change++) {
        memcpy(elements, vertex_elements, sizeof elements);
        copy = (tenon_layout){elements, 2, 20, NULL, 0, NULL};
        if (change == 0) copy.stride++;
        if (change == 1) copy.element_count--;
        if (change == 2) copy.tail = &tn_layout_u8;
        if (change == 3) elements[1].name = "joints";
        if (change == 4) elements[1].type = TENON_TYPE_I16;
        if (change == 5) elements[1].count++;
        if (change == 6) elements[1].rows++;
        if (change == 7) elements[1].offset++;
        CHECK(!tn_layout_equal(&vertices, &copy) && !tn_layout_equal(&copy, &vertices));
    }
}

TEST(layouts_with_tails_are_equal_if_their_tails_are)
{
    tenon_layout same = {run_elements, 1, 4, &tn_layout_u16, 0, "other name"};
    tenon_layout other = {run_elements, 1, 4, &tn_layout_u8, 0, "tail"};
    CHECK(tn_layout_equal(&runs, &same));
    CHECK(!tn_layout_equal(&runs, &other));
}

// -- Measuring

TEST(records_of_one_size_are_measured_by_division)
{
    CHECK(tn_layout_measure(&vertices, NULL, 60, 3, false) == 60);
    CHECK(tn_layout_measure(&vertices, NULL, 61, 3, false) == 60);
    CHECK(tn_layout_measure(&vertices, NULL, 59, 3, false) == TENON_ABSENT);
    CHECK(tn_layout_measure(&vertices, NULL, 0, 0, false) == 0);
    CHECK(tn_layout_measure(&vertices, NULL, UINT64_MAX, UINT64_MAX, false) == TENON_ABSENT);
    CHECK(tn_layout_measure(&vertices, NULL, 60, UINT64_MAX / 20 + 2, false) == TENON_ABSENT);
}

TEST(records_of_no_size_have_no_number)
{
    static const tenon_layout empty = {NULL, 0, 0, NULL, 0, NULL};
    CHECK(tn_layout_measure(&empty, NULL, 100, 0, false) == 0);
    CHECK(tn_layout_measure(&empty, NULL, 100, 1, false) == TENON_ABSENT);
}

TEST(records_with_tails_are_measured_in_both_byte_orders)
{
    static const uint8_t little[] = {2, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0, 1, 0, 0, 0, 9, 9};
    static const uint8_t big[] = {0, 0, 0, 2, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 1, 9, 9};
    static const uint64_t sizes[] = {0, 8, 12, 18};
    for (uint64_t count = 0; count <= 3; count++) {
        CHECK(tn_layout_measure(&runs, little, 18, count, false) == sizes[count]);
        CHECK(tn_layout_measure(&runs, big, 18, count, true) == sizes[count]);
        if (count == 0) continue;
        CHECK(tn_layout_measure(&runs, little, sizes[count] - 1, count, false) == TENON_ABSENT);
    }
    CHECK(tn_layout_measure(&runs, little, 18, 4, false) == TENON_ABSENT);
    CHECK(tn_layout_measure(&runs, big, 18, 1, false) == TENON_ABSENT);  // 2 << 24 of them.
}

// -- Spans

TEST(records_and_numbers_of_a_span_are_found)
{
    static const uint8_t data[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    tenon_span big = {data, 12, 3, &tn_layout_u32, true};
    CHECK(tn_span_record(&big, 2) == data + 8);
    CHECK(tn_span_u32(&big, 0) == 1 && tn_span_u32(&big, 2) == 3);
    tenon_span little = {data, 12, 3, &tn_layout_u32, false};
    CHECK(tn_span_u32(&little, 1) == 0x02000000);
}

// `count` records of the layout above, position k of record i is 10 * i + k.
static void fill_vertices(uint8_t *data, uint64_t count, bool big)
{
    memset(data, 0, (size_t)count * 20);
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t k = 0; k < 3; k++) {
            float v = (float)(10 * i + k);
            tn_copy_numbers(data + 20 * i + 4 * k, &v, 1, 4, big);
        }
    }
}

TEST(floats_are_decoded_in_bulk)
{
    uint8_t data[5 * 20];
    for (int big = 0; big < 2; big++) {
        float out[10] = {0};
        fill_vertices(data, 5, big);
        tenon_span span = {data, sizeof data, 5, &vertices, big};
        tn_span_f32(&span, &vertex_elements[0], 1, 3, out);
        for (int i = 0; i < 9; i++) CHECK(out[i] == (float)(10 * (1 + i / 3) + i % 3));
        CHECK(out[9] == 0);
        tn_span_f32(&span, &vertex_elements[0], 5, 0, out);  // None, after the last one.
        CHECK(out[0] == 10);
    }
}

static void set_bits(uint8_t *data, uint64_t record, uint64_t number, uint32_t bits, bool big)
{
    tn_copy_numbers(data + 20 * record + 4 * number, &bits, 1, 4, big);
}

TEST(numbers_that_are_not_finite_are_found_and_counted)
{
    static const uint32_t odd[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF};
    uint8_t data[5 * 20];
    for (int big = 0; big < 2; big++) {
        tenon_span span = {data, sizeof data, 5, &vertices, big};
        uint64_t bad = 99;
        fill_vertices(data, 5, big);
        CHECK(tn_span_not_finite(&span, &bad) == TENON_ABSENT && bad == 0);
        for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
            fill_vertices(data, 5, big);
            set_bits(data, 2, 1, odd[i], big);
            set_bits(data, 2, 2, odd[i], big);  // Two in one record are one record.
            set_bits(data, 4, 0, odd[i], big);
            CHECK(tn_span_not_finite(&span, &bad) == 2 && bad == 2);
            CHECK(tn_span_not_finite(&span, NULL) == 2);
        }
        fill_vertices(data, 5, big);
        set_bits(data, 1, 0, 0x7F7FFFFF, big);  // The largest number is finite.
        set_bits(data, 3, 3, 0xFFFFFFFF, big);  // These bits are integers.
        CHECK(tn_span_not_finite(&span, &bad) == TENON_ABSENT && bad == 0);
    }
}

TEST(floats_after_integers_are_checked_and_integers_are_not)
{
    static const tenon_element key_elements[] = {
        {"bone", TENON_TYPE_U32, 1, 0, 0},
        {"time", TENON_TYPE_F32, 1, 0, 4},
    };
    static const tenon_layout keys = {key_elements, 2, 8, NULL, 0, NULL};
    static const uint32_t bits[] = {0xFFFFFFFF, 0, 1, 0x7FC00000, 0xFFFFFFFF, 0};
    uint64_t bad;
    tenon_span span = {(const uint8_t *)bits, 24, 3, &keys, tn_host_is_big()};
    CHECK(tn_span_not_finite(&span, &bad) == 1 && bad == 1);
    float times[3];
    tn_span_f32(&span, &key_elements[1], 0, 3, times);
    CHECK(times[0] == 0 && times[1] != times[1] && times[2] == 0);
}

TEST(plain_floats_take_the_short_way_to_the_same_answer)
{
    uint32_t bits[6] = {0, 0x3F800000, 0, 0, 0x7FC00000, 0xFF800000};
    uint64_t bad;
    tenon_span span = {(const uint8_t *)bits, 24, 2, &tn_layout_f32x3, tn_host_is_big()};
    CHECK(tn_span_not_finite(&span, &bad) == 1 && bad == 1);
    bits[4] = bits[5] = 0;
    CHECK(tn_span_not_finite(&span, &bad) == TENON_ABSENT && bad == 0);
    tenon_span none = {NULL, 0, 0, &tn_layout_f32x3, false};
    CHECK(tn_span_not_finite(&none, &bad) == TENON_ABSENT && bad == 0);
}

int main(void)
{
    RUN(every_type_has_a_word_and_a_size);
    RUN(numbers_are_loaded_in_both_byte_orders);
    RUN(floats_are_loaded_in_both_byte_orders);
    RUN(numbers_need_not_be_aligned);
    RUN(copying_twice_gives_the_same_numbers);
    RUN(many_numbers_are_byte_swapped_like_one);
    RUN(an_element_has_the_size_of_its_rows);
    RUN(elements_are_found_by_name);
    RUN(plain_layouts_have_one_element_that_fills_them);
    RUN(layouts_are_equal_if_they_describe_the_same_bytes);
    RUN(layouts_with_tails_are_equal_if_their_tails_are);
    RUN(records_of_one_size_are_measured_by_division);
    RUN(records_of_no_size_have_no_number);
    RUN(records_with_tails_are_measured_in_both_byte_orders);
    RUN(records_and_numbers_of_a_span_are_found);
    RUN(floats_are_decoded_in_bulk);
    RUN(numbers_that_are_not_finite_are_found_and_counted);
    RUN(floats_after_integers_are_checked_and_integers_are_not);
    RUN(plain_floats_take_the_short_way_to_the_same_answer);
    TEST_END();
}
