// test_arrays.c: numbers in the arrays of documents, decoded and changed by the public functions.
// SPDX-License-Identifier: MIT

#include <tenon/bplx.h>
#include <tenon/modeldata.h>

#include <math.h>
#include <string.h>

#include "../test.h"

static tenon_doc *read_sample(const char *path)
{
    tenon_doc *doc = tenon_read_file(path, NULL, NULL);
    CHECK(doc != NULL);
    return doc;
}

// A record of every type: u8 x2, i16, u16, i32, u32, f32, f64, f32 in two rows of two, i64, u64.
static const tenon_element elements[] = {
    {"u8", TENON_TYPE_U8, 2, 0, 0},    {"i16", TENON_TYPE_I16, 1, 0, 2},
    {"u16", TENON_TYPE_U16, 1, 0, 4},  {"i32", TENON_TYPE_I32, 1, 0, 6},
    {"u32", TENON_TYPE_U32, 1, 0, 10}, {"f32", TENON_TYPE_F32, 1, 0, 14},
    {"f64", TENON_TYPE_F64, 1, 0, 18}, {"rows", TENON_TYPE_F32, 2, 2, 26},
    {"i64", TENON_TYPE_I64, 1, 0, 42}, {"u64", TENON_TYPE_U64, 1, 0, 50},
};
static const tenon_layout every_type = {elements, 10, 58, NULL, 0, NULL};

TEST(arrays_are_found_by_their_paths)
{
    tenon_doc *doc = read_sample("samples/crane.bplx");
    const tenon_bplx *model = tenon_as_bplx(doc);
    tenon_span span;
    CHECK(tenon_doc_span(doc, "positions", &span));
    CHECK(span.data == model->positions.data && span.count == model->positions.count);
    CHECK(!tenon_doc_span(doc, "positions[0]", &span));  // A record, not an array.
    CHECK(!tenon_doc_span(doc, "vertex_count", &span));  // A number.
    CHECK(!tenon_doc_span(doc, "bones[0]", &span));      // A structure.
    CHECK(!tenon_doc_span(doc, "no such array", &span));
    CHECK(!tenon_doc_span(NULL, "positions", &span));
    CHECK(!tenon_doc_span(doc, NULL, &span));
    CHECK(!tenon_doc_span(doc, "positions", NULL));
    tenon_doc_free(doc);
}

TEST(big_endian_arrays_decode_like_little_endian_ones)
{
    tenon_doc *big = read_sample("samples/crane.cem"), *little = read_sample("samples/crane.bplx");
    tenon_span span;
    float first[3];
    CHECK(tenon_doc_span(big, "meshes[0].vertices", &span));
    CHECK(span.big_endian && tenon_span_f32(&span, "", 0, 1, first));
    CHECK(first[0] == -4.3f && first[1] == 0.25f && first[2] == -1.5f);
    CHECK(tenon_doc_span(little, "faces", &span));
    uint32_t corners[3];
    CHECK(!span.big_endian && tenon_span_u32(&span, "", 0, 1, corners));
    for (int i = 0; i < 3; i++) CHECK(corners[i] < tenon_as_bplx(little)->vertex_count);
    tenon_doc_free(big);
    tenon_doc_free(little);
}

TEST(numbers_of_every_type_can_be_set_and_read_again)
{
    tenon_doc *doc = read_sample("samples/crane.bplx");
    for (int order = 0; order < 2; order++) {
        static const uint8_t zeros[116];
        tenon_span span = {zeros, 116, 2, &every_type, order == 1};
        const float two[] = {1, 255}, rows[] = {1.5f, -2, 0.25f, 1e30f};
        const float low[] = {-32768}, high[] = {65535}, lowest[] = {-2147483648.0f};
        const uint32_t highest = UINT32_MAX;
        CHECK(tenon_span_set_f32(doc, &span, "u8", 1, 1, two));
        CHECK(tenon_span_set_f32(doc, &span, "i16", 1, 1, low));
        CHECK(tenon_span_set_f32(doc, &span, "u16", 1, 1, high));
        CHECK(tenon_span_set_f32(doc, &span, "i32", 1, 1, lowest));
        CHECK(tenon_span_set_u32(doc, &span, "u32", 1, 1, &highest));
        CHECK(tenon_span_set_f32(doc, &span, "f32", 1, 1, rows));
        CHECK(tenon_span_set_u32(doc, &span, "f64", 1, 1, &highest));
        CHECK(tenon_span_set_f32(doc, &span, "rows", 1, 1, rows));
        CHECK(tenon_span_set_f32(doc, &span, "i64", 1, 1, (float[]){-9007199254740992.0f}));
        CHECK(tenon_span_set_u32(doc, &span, "u64", 1, 1, &highest));
        float out[4];
        uint32_t integers[2];
        CHECK(tenon_span_f32(&span, "u8", 1, 1, out) && out[0] == 1 && out[1] == 255);
        CHECK(tenon_span_u32(&span, "u8", 1, 1, integers) && integers[1] == 255);
        CHECK(tenon_span_f32(&span, "i16", 1, 1, out) && out[0] == -32768);
        CHECK(!tenon_span_u32(&span, "i16", 1, 1, integers));  // Negative.
        CHECK(tenon_span_u32(&span, "u16", 1, 1, integers) && integers[0] == 65535);
        CHECK(tenon_span_f32(&span, "i32", 1, 1, out) && out[0] == -2147483648.0f);
        CHECK(tenon_span_u32(&span, "u32", 1, 1, integers) && integers[0] == UINT32_MAX);
        CHECK(tenon_span_f32(&span, "f32", 1, 1, out) && out[0] == 1.5f);
        CHECK(!tenon_span_u32(&span, "f32", 1, 1, integers));  // A fraction.
        CHECK(tenon_span_u32(&span, "f64", 1, 1, integers) && integers[0] == UINT32_MAX);
        CHECK(tenon_span_f32(&span, "rows", 1, 1, out) && memcmp(out, rows, sizeof rows) == 0);
        CHECK(tenon_span_f32(&span, "i64", 1, 1, out) && out[0] == -9007199254740992.0f);
        CHECK(tenon_span_u32(&span, "u64", 1, 1, integers) && integers[0] == UINT32_MAX);
        for (uint32_t i = 0; i < every_type.element_count; i++) {  // The other record is as it was.
            CHECK(tenon_span_f32(&span, elements[i].name, 0, 1, out) && out[0] == 0);
        }
    }
    tenon_doc_free(doc);
}

TEST(what_does_not_fit_changes_nothing)
{
    tenon_doc *doc = read_sample("samples/crane.bplx");
    static const uint8_t zeros[116];
    tenon_span span = {zeros, 116, 2, &every_type, false};
    const struct {
        const char *element;
        float values[2];
    } bad[] = {{"u8", {256, 0}}, {"u8", {0, -1}}, {"u8", {0, 0.5f}}, {"i16", {32768}},
               {"u16", {-1}},    {"i32", {3e9f}}, {"u32", {5e9f}},   {"u32", {NAN}},
               {"i64", {1e17f}}, {"u64", {-1}},   {"none", {0}},     {"", {0}}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!tenon_span_set_f32(doc, &span, bad[i].element, 0, 1, bad[i].values));
    float value = 1;
    uint32_t integer;
    CHECK(!tenon_span_set_f32(doc, &span, "f32", 2, 1, &value));
    CHECK(!tenon_span_set_f32(doc, &span, "f32", 1, UINT64_MAX, &value));
    CHECK(!tenon_span_set_f32(doc, &span, "f32", 0, 1, NULL));
    CHECK(!tenon_span_set_u32(doc, &span, "f32", 0, 1, NULL));
    CHECK(!tenon_span_set_f32(NULL, &span, "f32", 0, 1, &value));
    CHECK(!tenon_span_set_f32(doc, NULL, "f32", 0, 1, &value));
    CHECK(span.data == zeros);
    CHECK(!tenon_span_f32(&span, "f32", 3, 0, &value));
    CHECK(!tenon_span_f32(NULL, "f32", 0, 0, &value));
    CHECK(!tenon_span_f32(&span, NULL, 0, 0, &value));
    CHECK(!tenon_span_u32(&span, "f32", UINT64_MAX, 1, &integer));
    CHECK(tenon_span_f32(&span, "f32", 0, 2, NULL) && tenon_span_u32(&span, "f32", 0, 2, NULL));
    CHECK(tenon_span_f32(&span, "f32", 2, 0, &value));
    CHECK(tenon_span_element(&span, "f64") == &elements[6]);
    CHECK(!tenon_span_element(&span, "f16") && !tenon_span_element(NULL, ""));
    span.layout = NULL;
    CHECK(!tenon_span_element(&span, "f64"));
    tenon_doc_free(doc);
}

TEST(records_with_tails_are_refused)
{
    tenon_doc *doc = read_sample("samples/crane.bmw");
    tenon_layout tailed = every_type;
    tailed.tail = &every_type;
    static const uint8_t zeros[116];
    const tenon_span span = {zeros, 116, 2, &tailed, false};
    CHECK(!tenon_span_f32(&span, "f32", 0, 1, NULL));
    tenon_doc_free(doc);
}

TEST(a_changed_array_is_written)
{
    tenon_doc *doc = read_sample("samples/crane.bplx");
    tenon_bplx *model = tenon_as_bplx(doc);
    const float moved[] = {7, 8, 9};
    uint64_t size = doc->source_size;
    CHECK(tenon_span_set_f32(doc, &model->positions, "", 1, 1, moved));
    CHECK(tenon_write(doc, NULL, NULL, NULL) == size);
    tenon_span span;
    float out[3];
    CHECK(tenon_doc_span(doc, "positions", &span) && tenon_span_f32(&span, "", 1, 1, out));
    CHECK(memcmp(out, moved, sizeof moved) == 0);
    tenon_doc_free(doc);
}

int main(void)
{
    RUN(arrays_are_found_by_their_paths);
    RUN(big_endian_arrays_decode_like_little_endian_ones);
    RUN(numbers_of_every_type_can_be_set_and_read_again);
    RUN(what_does_not_fit_changes_nothing);
    RUN(records_with_tails_are_refused);
    RUN(a_changed_array_is_written);
    TEST_END();
}
