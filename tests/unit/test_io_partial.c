// test_io_partial.c: what is kept of a file with a fault, and how reading continues after it.
// SPDX-License-Identifier: MIT

#include "core_help.h"

#include "core/cursor/span.h"

// -- Meshes: a name, vertices, and a number after them

typedef struct mesh {
    uint8_t id;
    tenon_span vertices;
    uint8_t end;
} mesh;

typedef struct shelf {
    uint32_t count;
    mesh *meshes;
} shelf;

static void describe_mesh(tn_io *io, mesh *m)
{
    tn_u8(io, "id", &m->id);
    tn_counted(io, "vertices", &m->vertices, &tn_layout_u16);
    tn_u8(io, "end", &m->end);
}

static void describe_shelf(tn_io *io, shelf *s)
{
    tn_list(io, "meshes", &s->meshes, &s->count, sizeof *s->meshes, 6);
    for (uint32_t i = 0; tn_next(io, i, s->count); i++) describe_mesh(io, &s->meshes[i]);
}

// Two meshes of two vertices each.
static const uint8_t two[] = {2, 0, 0, 0, 7, 2, 0, 0, 0, 1, 1, 2,
                              2, 9, 8, 2, 0, 0, 0, 3, 3, 4, 4, 9};

static void begin_torn(reading *r, const void *data, size_t size)
{
    reading_begin(r, data, size);
    r->io.partial = r->io.keeps_parts = true;
}

// The cuts that were noted, the first one last.
static const tn_cut *cut_at(const tn_io *io, uint32_t index)
{
    const tn_cut *cut = io->cuts;
    for (uint32_t i = 0; cut && i < index; i++) cut = cut->next;
    return cut;
}

TEST(a_cut_item_is_kept_with_its_whole_records)
{
    reading r;
    shelf s;
    begin_torn(&r, two, sizeof two - 3);  // In the second vertex of the second mesh.
    describe_shelf(&r.io, &s);
    CHECK(r.io.failed && r.err.code == TENON_ERR_TRUNCATED);
    CHECK(s.count == 2 && s.meshes[1].id == 8 && s.meshes[1].vertices.count == 1);
    CHECK(s.meshes[1].end == 0);
    const tn_cut *cut = cut_at(&r.io, 0);
    CHECK_STR(cut->face.path, "meshes[1].vertices");
    CHECK(cut->face.kept == 1 && cut->face.stated == 2 && !cut->next);
    reading_end(&r);
}

TEST(a_cut_item_without_records_is_not_kept)
{
    reading r;
    shelf s;
    begin_torn(&r, two, sizeof two - 5);  // Before the first vertex of the second mesh.
    describe_shelf(&r.io, &s);
    CHECK(r.io.failed && s.count == 1 && s.meshes[0].vertices.count == 2);
    const tn_cut *cut = cut_at(&r.io, 0);
    CHECK_STR(cut->face.path, "meshes");
    CHECK(cut->face.kept == 1 && cut->face.stated == 2);
    reading_end(&r);
}

TEST(without_torn_only_whole_items_are_kept)
{
    reading r;
    shelf s;
    begin_torn(&r, two, sizeof two - 1);
    r.io.keeps_parts = false;
    describe_shelf(&r.io, &s);
    CHECK(r.io.failed && s.count == 1);
    reading_end(&r);
}

TEST(every_cut_leaves_what_was_whole)
{
    for (size_t size = 0; size < sizeof two; size++) {
        reading r;
        shelf s;
        begin_torn(&r, two, size);
        describe_shelf(&r.io, &s);
        CHECK(r.io.failed);
        uint64_t vertices = 0;
        for (uint32_t i = 0; i < s.count; i++) vertices += s.meshes[i].vertices.count;
        uint64_t whole = size < 9    ? 0
                         : size < 13 ? (size - 9) / 2
                         : size < 19 ? 2
                                     : (size - 15) / 2;
        CHECK(vertices == (whole > 4 ? 4 : whole));
        reading_end(&r);
    }
}

// -- Children: a node is whole without them

typedef struct node {
    uint8_t id;
    uint32_t child_count;
    struct node *children;
} node;

static void describe_node(tn_io *io, node *n)
{
    tn_u8(io, "id", &n->id);
    tn_list(io, "children", &n->children, &n->child_count, sizeof *n->children, 5);
    for (uint32_t i = 0; tn_next(io, i, n->child_count); i++) describe_node(io, &n->children[i]);
}

TEST(a_node_is_kept_without_the_children_that_are_cut)
{
    // 1 has the child 2, which has the children 3 and 4; cut in 4.
    static const uint8_t wire[] = {1, 1, 0, 0, 0, 2, 2, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0};
    reading r;
    node root;
    begin_torn(&r, wire, sizeof wire);
    describe_node(&r.io, &root);
    CHECK(r.io.failed && root.child_count == 1 && root.children[0].id == 2);
    // 4 itself is whole: only its number of children is unknown.
    CHECK(root.children[0].child_count == 2 && root.children[0].children[0].id == 3);
    CHECK(root.children[0].children[1].id == 4 && root.children[0].children[1].child_count == 0);
    reading_end(&r);
}

// -- Going on

// Meshes with their sizes in front: such a file says where the next mesh is.
static void describe_sized(tn_io *io, shelf *s)
{
    tn_list(io, "meshes", &s->meshes, &s->count, sizeof *s->meshes, 1);
    for (uint32_t i = 0; tn_next(io, i, s->count); i++) {
        uint8_t size = 0;
        tn_u8(io, "size", &size);
        uint32_t outer = tn_recoverable(io);
        tn_window window = tn_window_begin(io, "", size);
        describe_mesh(io, &s->meshes[i]);
        tn_window_end(io, &window, NULL);
        (void)tn_window_recover(io, &window, outer);
    }
}

// Three meshes of one vertex each; the count of the second is wrong.
static const uint8_t lie[] = {3, 0, 0, 0, 8, 5, 1, 0, 0, 0, 1, 1, 9, 8, 6, 255,
                              0, 0, 0, 2, 2, 9, 8, 7, 1, 0, 0, 0, 3, 3, 9};

TEST(reading_continues_after_a_damaged_part)
{
    reading r;
    shelf s;
    begin_torn(&r, lie, sizeof lie);
    describe_sized(&r.io, &s);
    CHECK(!r.io.failed && r.io.pos == sizeof lie && r.io.depth == 0 && s.count == 3);
    CHECK(s.meshes[0].vertices.count == 1 && s.meshes[2].id == 7 && s.meshes[2].end == 9);
    CHECK(s.meshes[1].vertices.count == 1);  // Of 255: the one for which there are bytes.
    CHECK(r.io.recovered.code == TENON_ERR_TRUNCATED);
    CHECK_STR(r.io.recovered.path, "meshes[1].vertices");
    reading_end(&r);
}

TEST(without_torn_a_damaged_part_ends_the_reading)
{
    reading r;
    shelf s;
    reading_begin(&r, lie, sizeof lie);
    describe_sized(&r.io, &s);
    CHECK(r.io.failed && r.io.recovered.code == TENON_OK && r.err.code == TENON_ERR_TRUNCATED);
    reading_end(&r);
    reading_begin(&r, lie, sizeof lie);
    r.io.partial = true;
    describe_sized(&r.io, &s);
    CHECK(r.io.failed && s.count == 1 && s.meshes[0].end == 9);  // Whole items only.
    reading_end(&r);
}

TEST(errors_that_are_not_the_files_fault_are_kept)
{
    reading r;
    shelf s;
    begin_torn(&r, lie, sizeof lie);
    r.arena.limit = 3 * sizeof(mesh) - 1;
    describe_sized(&r.io, &s);
    CHECK(r.io.failed && r.err.code == TENON_ERR_LIMIT);
    reading_end(&r);
}

TEST(a_cut_that_cannot_be_noted_is_a_lack_of_memory)
{
    reading r;
    tenon_span vertices;
    begin_torn(&r, two + 5, 7);  // Two vertices, and half of the second one is missing.
    r.meter.fail_at = 1, r.meter.fail_ever_after = true;
    tn_counted(&r.io, "vertices", &vertices, &tn_layout_u16);
    CHECK(r.io.failed && !r.io.cuts && r.err.code == TENON_ERR_MEMORY);
    CHECK_STR(r.err.message, "out of memory");
    reading_end(&r);
}

TEST(a_fault_in_front_of_a_part_is_kept)
{
    reading r;
    uint32_t before;
    uint8_t inside;
    begin_torn(&r, lie, 3);
    tn_u32(&r.io, "before", &before);
    uint32_t outer = tn_recoverable(&r.io);
    tn_u8(&r.io, "inside", &inside);
    CHECK(!tn_recover(&r.io, outer) && r.io.failed);
    CHECK_STR(r.err.path, "before");
    reading_end(&r);
}

TEST(a_window_beyond_the_end_is_read_as_far_as_it_goes)
{
    reading r;
    shelf s;
    begin_torn(&r, lie, 11);  // Half of the vertex of the first.
    describe_sized(&r.io, &s);
    CHECK(r.io.recovered.code == TENON_ERR_TRUNCATED);
    CHECK(s.meshes[0].id == 5 && s.meshes[0].vertices.count == 0);
    CHECK(r.io.pos <= 11);
    reading_end(&r);
}

// -- Records with tails

static const tenon_element tail_elements[] = {{"", TENON_TYPE_U8, 1, 0, 0}};
static const tenon_layout tails = {tail_elements, 1, 1, NULL, 0, NULL};
static const tenon_element run_elements[] = {{"count", TENON_TYPE_U32, 1, 0, 0}};
static const tenon_layout runs = {run_elements, 1, 4, &tails, 0, "bytes"};

TEST(whole_records_are_measured)
{
    static const uint8_t wire[] = {2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 3, 0, 0, 0, 'c'};
    uint64_t count = 3;
    CHECK(tn_layout_measure_whole(&runs, wire, sizeof wire, &count, false) == 10 && count == 2);
    count = 1;
    CHECK(tn_layout_measure_whole(&runs, wire, sizeof wire, &count, false) == 6 && count == 1);
    count = 9;
    CHECK(tn_layout_measure_whole(&tn_layout_u16, wire, 5, &count, false) == 4 && count == 2);
    count = UINT64_MAX;
    CHECK(tn_layout_measure_whole(&tn_layout_u16, wire, 0, &count, false) == 0 && count == 0);
}

int main(void)
{
    RUN(a_cut_item_is_kept_with_its_whole_records);
    RUN(a_cut_item_without_records_is_not_kept);
    RUN(without_torn_only_whole_items_are_kept);
    RUN(every_cut_leaves_what_was_whole);
    RUN(a_node_is_kept_without_the_children_that_are_cut);
    RUN(reading_continues_after_a_damaged_part);
    RUN(without_torn_a_damaged_part_ends_the_reading);
    RUN(errors_that_are_not_the_files_fault_are_kept);
    RUN(a_cut_that_cannot_be_noted_is_a_lack_of_memory);
    RUN(a_fault_in_front_of_a_part_is_kept);
    RUN(a_window_beyond_the_end_is_read_as_far_as_it_goes);
    RUN(whole_records_are_measured);
    TEST_END();
}
