// test_vertex_codec.c: streams of files as streams of primitives, and back.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/cursor/span.h"
#include "exchange/vertex_codec.h"

#define COUNT 600  // More than a block, and not a multiple of it.

// Records with a tangent of three numbers, a gap, and texture coordinates.
static const tenon_element elements[] = {{"tangent", TENON_TYPE_F32, 3, 0, 0},
                                         {"uv", TENON_TYPE_F32, 2, 0, 16}};
static const tenon_layout layout = {elements, 2, 24, NULL, 0, NULL};

static tn_vertices vertices_of(const tenon_span *span)
{
    return (tn_vertices){.count = COUNT,
                         .is_v_up = true,
                         .is_left_handed = true,
                         .streams = {[TN_TANGENT] = tn_find_stream(span, "tangent"),
                                     [TN_UV0 + 3] = tn_find_stream(span, "uv")}};
}

static void check_round_trip(bool big_endian)
{
    static float tangents[4 * COUNT], uvs[2 * COUNT], got[4 * COUNT];
    static uint8_t bytes[24 * COUNT];
    tenon_span span = {bytes, sizeof bytes, COUNT, &layout, big_endian};
    tn_vertices vertices = vertices_of(&span);
    tenon_primitive p = {.vertex_count = COUNT, .tangents = tangents, .uvs = {[3] = uvs}};
    for (int i = 0; i < 4 * COUNT; i++) tangents[i] = (float)i;
    for (int i = 0; i < 2 * COUNT; i++) uvs[i] = (float)i / 8;
    memset(bytes, 0x55, sizeof bytes);
    tn_pack_vertices(&vertices, &p, bytes);
    const uint8_t *last = bytes + 24 * (COUNT - 1);
    CHECK(tn_load_f32(last + 4, big_endian) == 4 * COUNT - 3);
    CHECK(tn_load_f32(last + 8, big_endian) == -(4 * COUNT - 2));
    CHECK(tn_load32(last + 12, false) == 0x55555555);
    CHECK(tn_load_f32(last + 20, big_endian) == 1 - uvs[2 * COUNT - 1]);
    tn_read_stream(&vertices, (tn_meaning)(TN_UV0 + 3), 0, COUNT, got);
    for (int i = 0; i < 2 * COUNT; i++) CHECK(got[i] == uvs[i]);
    tn_read_stream(&vertices, TN_TANGENT, 0, COUNT, got);
    // Mirroring changes the sign of the 1 as well.
    for (int i = 0; i < 4 * COUNT; i++) CHECK(got[i] == (i % 4 == 3 ? -1 : tangents[i]));
}

TEST(what_is_packed_is_read)
{
    check_round_trip(false);
    check_round_trip(true);
}

TEST(records_are_chosen_and_missing_ones_left)
{
    static uint8_t bytes[8 * COUNT];
    const uint32_t records[] = {COUNT - 1, 0, 7};
    float numbers[2 * COUNT], got[6] = {0, 0, 0, 0, 9, 9};
    for (int i = 0; i < 2 * COUNT; i++) numbers[i] = (float)i;
    tn_copy_numbers(bytes, numbers, sizeof numbers / 4, 4, true);
    tenon_span span = {bytes, sizeof bytes, COUNT, &tn_layout_f32x2, true};
    tn_vertices from = {.count = COUNT, .streams = {[TN_UV0] = tn_find_stream(&span, "")}};
    tn_read_stream(&from, TN_UV0, COUNT - 2, 3, got);
    CHECK(got[0] == 2 * COUNT - 4 && got[3] == 2 * COUNT - 1 && got[4] == 9);
    from.records = records;
    tn_read_stream(&from, TN_UV0, 0, 3, got);
    CHECK(got[0] == 2 * COUNT - 2 && got[2] == 0 && got[4] == 14);
    span.count = 0;
    CHECK(tn_find_stream(&span, "").count == 0);
}

// A color of three numbers is opaque, and a primitive without colors is white.
TEST(missing_numbers_have_defaults)
{
    uint8_t bytes[16];
    float numbers[4] = {0.25f, 0.5f, 0.75f, 0}, got[4];
    tn_copy_numbers(bytes, numbers, 4, 4, false);
    tenon_span span = {bytes, 16, 1, &tn_layout_f32x4, false};
    tn_vertices vertices = {.count = 1, .streams = {[TN_COLOR] = {&span, 0, 3}}};
    vertices.streams[TN_WEIGHTS] = vertices.streams[TN_COLOR];
    tn_read_stream(&vertices, TN_COLOR, 0, 1, got);
    CHECK(got[2] == 0.75f && got[3] == 1);
    tn_read_stream(&vertices, TN_WEIGHTS, 0, 1, got);
    CHECK(got[2] == 0.75f && got[3] == 0);
    tenon_primitive p = {.vertex_count = 1};
    tn_pack_vertices(&vertices, &p, bytes);
    CHECK(tn_load_f32(bytes, false) == 1 && tn_load_f32(bytes + 12, false) == 0);
}

int main(void)
{
    RUN(what_is_packed_is_read);
    RUN(records_are_chosen_and_missing_ones_left);
    RUN(missing_numbers_have_defaults);
    TEST_END();
}
