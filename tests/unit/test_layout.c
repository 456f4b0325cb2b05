// test_layout.c: layouts that only the file knows: made on reading, compared on writing.
// SPDX-License-Identifier: MIT

#include "core/cursor/layout.h"

#include "core/cursor/span.h"
#include "core_help.h"

// -- A mesh whose flags say what its vertices hold

typedef struct mesh {
    uint8_t has_position, has_color, row_count;
    uint16_t vertex_count;
    tenon_span vertices;
} mesh;

static const tenon_layout *mesh_layout(tn_io *io, const mesh *m)
{
    tn_layout_builder b = tn_layout_begin(io, "vertices", &m->vertices, 3);
    if (m->has_position) tn_layout_add(&b, "position", TENON_TYPE_F32, 2, 0);
    if (m->has_color) tn_layout_add(&b, "color", TENON_TYPE_U8, 4, 0);
    if (m->row_count) tn_layout_add(&b, "rows", TENON_TYPE_U16, 1, m->row_count);
    return tn_layout_end(&b);
}

static void describe_mesh(tn_io *io, mesh *m)
{
    tn_u8(io, "has_position", &m->has_position);
    tn_u8(io, "has_color", &m->has_color);
    tn_u8(io, "row_count", &m->row_count);
    tn_u16(io, "vertex_count", &m->vertex_count);
    tn_records(io, "vertices", &m->vertices, m->vertex_count, mesh_layout(io, m));
}

static const uint8_t wire[] = {
    1,   1,   3,   2,   0,  // position, color, 3 rows; 2 vertices
    'p', 'p', 'p', 'p', 'q', 'q', 'q', 'q', 'r', 'g', 'b', 'a', '1', '1', '2', '2', '3', '3',  //
    'P', 'P', 'P', 'P', 'Q', 'Q', 'Q', 'Q', 'R', 'G', 'B', 'A', '4', '4', '5', '5', '6', '6'};

static bool is_element(const tenon_element *e, const char *name, tenon_type type, uint32_t count,
                       uint32_t rows, uint64_t offset)
{
    return strcmp(e->name, name) == 0 && e->type == type && e->count == count && e->rows == rows &&
           e->offset == offset;
}

TEST(a_layout_is_made_from_the_file)
{
    reading r;
    mesh m;
    reading_begin(&r, wire, sizeof wire);
    describe_mesh(&r.io, &m);
    CHECK(!r.io.failed && r.io.pos == sizeof wire);
    const tenon_layout *layout = m.vertices.layout;
    CHECK(layout->element_count == 3 && layout->stride == 18 && !layout->tail);
    CHECK(is_element(&layout->elements[0], "position", TENON_TYPE_F32, 2, 0, 0));
    CHECK(is_element(&layout->elements[1], "color", TENON_TYPE_U8, 4, 0, 8));
    CHECK(is_element(&layout->elements[2], "rows", TENON_TYPE_U16, 1, 3, 12));
    CHECK(m.vertices.count == 2 && m.vertices.data == r.data + 5);
    reading_end(&r);
}

TEST(what_was_read_is_written_back)
{
    reading r;
    writing w;
    mesh m;
    reading_begin(&r, wire, sizeof wire);
    describe_mesh(&r.io, &m);
    writing_begin(&w);
    describe_mesh(&w.io, &m);
    CHECK(wrote(&w, wire, sizeof wire));
    CHECK(r.arena.used == 3 * sizeof(tenon_element) + sizeof(tenon_layout));
    reading_end(&r);
}

TEST(a_layout_that_no_longer_fits_its_format_is_refused)
{
    for (int change = 0; change < 4; change++) {
        reading r;
        writing w;
        mesh m;
        reading_begin(&r, wire, sizeof wire);
        describe_mesh(&r.io, &m);
        if (change == 0) m.has_position = 0;
        if (change == 1) m.has_color = 0;
        if (change == 2) m.row_count = 2;
        if (change == 3) m.row_count = 0;
        writing_begin(&w);
        describe_mesh(&w.io, &m);
        CHECK(w.size == 5);
        CHECK_ERROR(w.err, TENON_ERR_VALUE, 5, "vertices",
                    "the layout of 'vertices' does not match its format", "");
        reading_end(&r);
    }
}

TEST(an_element_that_differs_in_anything_is_refused)
{
    for (int change = 0; change < 6; change++) {
        tenon_element position = {"position", TENON_TYPE_F32, 2, 0, 0};
        tenon_layout layout = {&position, 1, 8, NULL, 0, NULL};
        mesh m = {.has_position = 1, .vertices = {.layout = &layout}};
        if (change == 1) position.name = "location";
        if (change == 2) position.type = TENON_TYPE_U32;
        if (change == 3) position.count = 1;
        if (change == 4) position.rows = 1;
        if (change == 5) position.offset = 4;
        writing w;
        writing_begin(&w);
        describe_mesh(&w.io, &m);
        CHECK(w.io.failed == (change != 0));
    }
}

TEST(a_format_that_says_more_than_the_layout_has_is_refused)
{
    writing w;
    mesh m = {.has_position = 1, .vertices = {.layout = NULL}};
    writing_begin(&w);
    describe_mesh(&w.io, &m);
    CHECK_STR(w.err.message, "the layout of 'vertices' does not match its format");
}

TEST(a_layout_whose_records_have_tails_is_refused)
{
    tenon_element position = {"position", TENON_TYPE_F32, 2, 0, 0};
    tenon_layout with_tail = {&position, 1, 8, &tn_layout_u8, 0, "tail"};
    mesh m = {.has_position = 1, .vertices = {.layout = &with_tail}};
    writing w;
    writing_begin(&w);
    describe_mesh(&w.io, &m);
    CHECK_STR(w.err.message, "the layout of 'vertices' does not match its format");
}

TEST(a_layout_with_gaps_is_refused)
{
    tenon_element position = {"position", TENON_TYPE_F32, 2, 0, 0};
    tenon_layout wide = {&position, 1, 12, NULL, 0, NULL};
    mesh m = {.has_position = 1, .vertices = {.layout = &wide}};
    writing w;
    writing_begin(&w);
    describe_mesh(&w.io, &m);
    CHECK_STR(w.err.message, "the layout of 'vertices' does not match its format");
}

TEST(vertices_that_hold_nothing_can_be_none_but_not_some)
{
    reading r;
    writing w;
    mesh m;
    reading_begin(&r, "\0\0\0\0\0", 5);
    describe_mesh(&r.io, &m);
    CHECK(!r.io.failed && m.vertices.layout->element_count == 0 && m.vertices.layout->stride == 0);
    writing_begin(&w);
    describe_mesh(&w.io, &m);
    CHECK(wrote(&w, "\0\0\0\0\0", 5));
    reading_end(&r);

    reading_begin(&r, "\0\0\0\1\0", 5);
    describe_mesh(&r.io, &m);
    CHECK_ERROR(r.err, TENON_ERR_VALUE, 5, "vertices", "'vertices' has 1 records of 0 bytes", "");
    reading_end(&r);
}

TEST(no_memory_for_a_layout_is_reported)
{
    for (uint64_t call = 1; call <= 2; call++) {
        reading r;
        mesh m;
        reading_begin(&r, wire, sizeof wire);
        r.arena.limit = call == 1 ? 10 : 3 * sizeof(tenon_element) + 1;
        describe_mesh(&r.io, &m);
        CHECK(r.err.code == TENON_ERR_LIMIT && m.vertices.count == 0);
        CHECK(m.vertices.layout && m.vertices.layout->element_count == 0);
        CHECK_STR(r.err.path, "vertices");
        reading_end(&r);
    }
}

TEST(after_a_failure_the_layout_is_empty_but_there)
{
    reading r;
    mesh m = {.has_position = 1, .has_color = 1};
    reading_begin(&r, wire, sizeof wire);
    tn_fail(&r.io, TENON_ERR_VALUE, 0, "", "no");
    const tenon_layout *layout = mesh_layout(&r.io, &m);
    CHECK(layout && layout->element_count == 0 && layout->stride == 0 && r.meter.calls == 0);
    reading_end(&r);
}

int main(void)
{
    RUN(a_layout_is_made_from_the_file);
    RUN(what_was_read_is_written_back);
    RUN(a_layout_that_no_longer_fits_its_format_is_refused);
    RUN(an_element_that_differs_in_anything_is_refused);
    RUN(a_format_that_says_more_than_the_layout_has_is_refused);
    RUN(a_layout_whose_records_have_tails_is_refused);
    RUN(a_layout_with_gaps_is_refused);
    RUN(vertices_that_hold_nothing_can_be_none_but_not_some);
    RUN(no_memory_for_a_layout_is_reported);
    RUN(after_a_failure_the_layout_is_empty_but_there);
    TEST_END();
}
