// test_io_lists.c: lists and structures through the cursor: counts, paths, depth, partial
// documents.
// SPDX-License-Identifier: MIT

#include "core_help.h"

// -- A tree: a number, and children that are the same again

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

// 1 has the children 2 and 4; 2 has the child 3.
static const uint8_t tree[] = {1, 2, 0, 0, 0, 2, 1, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0};

static bool is_tree(const node *n)
{
    return n->id == 1 && n->child_count == 2 && n->children[0].id == 2 &&
           n->children[0].child_count == 1 && n->children[0].children[0].id == 3 &&
           n->children[0].children[0].child_count == 0 && n->children[1].id == 4 &&
           n->children[1].child_count == 0;
}

TEST(nested_lists_are_read_and_written_back)
{
    reading r;
    writing w;
    node root;
    memset(&root, 0xEE, sizeof root);
    reading_begin(&r, tree, sizeof tree);
    describe_node(&r.io, &root);
    CHECK(!r.io.failed && r.io.pos == sizeof tree && r.io.depth == 0 && is_tree(&root));
    writing_begin(&w);
    describe_node(&w.io, &root);
    CHECK(wrote(&w, tree, sizeof tree));
    CHECK(w.io.depth == 0 && is_tree(&root));
    tn_io_writer(&w.io, NULL, NULL, &w.err);
    describe_node(&w.io, &root);
    CHECK(w.io.pos == sizeof tree);
    reading_end(&r);
}

TEST(the_count_is_in_the_files_byte_order)
{
    reading r;
    writing w;
    node root;
    static const uint8_t wire[] = {9, 0, 0, 0, 1, 8, 0, 0, 0, 0};
    reading_begin(&r, wire, sizeof wire);
    r.io.big_endian = true;
    describe_node(&r.io, &root);
    CHECK(!r.io.failed && root.child_count == 1 && root.children[0].id == 8);
    writing_begin(&w);
    w.io.big_endian = true;
    describe_node(&w.io, &root);
    CHECK(wrote(&w, wire, sizeof wire));
    reading_end(&r);
}

TEST(a_list_of_no_items_costs_no_memory)
{
    reading r;
    node root;
    reading_begin(&r, tree + 10, 5);
    describe_node(&r.io, &root);
    CHECK(!r.io.failed && root.id == 3 && root.child_count == 0 && root.children != NULL);
    CHECK(r.meter.calls == 0 && r.io.depth == 0);
    reading_end(&r);
}

// -- Too many

TEST(a_count_the_file_cannot_hold_is_refused_before_memory_is_allocated)
{
    static const uint32_t counts[] = {3, 4, 1000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint8_t wire[5 + 14] = {1};  // Room for two items of five bytes.
        wire_put_u32(wire + 1, counts[i]);
        reading r;
        node root = {0, 77, &root};
        reading_begin(&r, wire, sizeof wire);
        describe_node(&r.io, &root);
        char message[100];
        snprintf(message, sizeof message,
                 "'children' says %" PRIu32 " items, the file has room for 2", counts[i]);
        CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 1, "children", message, "");
        CHECK(root.id == 1 && root.child_count == 0 && root.children == NULL);
        CHECK(r.meter.calls == 0);
        reading_end(&r);
    }
}

TEST(a_count_that_just_fits_is_believed)
{
    uint8_t wire[5 + 10] = {1, 2};
    reading r;
    node root;
    reading_begin(&r, wire, sizeof wire);
    describe_node(&r.io, &root);
    CHECK(!r.io.failed && root.child_count == 2);
    reading_end(&r);
}

TEST(a_count_is_compared_with_what_is_left_of_the_window)
{
    uint8_t wire[5 + 10] = {1, 2};
    reading r;
    node root;
    reading_begin(&r, wire, sizeof wire);
    tn_window window = tn_window_begin(&r.io, "part", 14);
    describe_node(&r.io, &root);
    tn_window_end(&r.io, &window, NULL);
    CHECK_STR(r.err.message, "'children' says 2 items, the file has room for 1");
    reading_end(&r);
}

TEST(a_count_that_is_cut_short_says_so)
{
    reading r;
    node root;
    reading_begin(&r, tree, 3);
    describe_node(&r.io, &root);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 1, "children.count",
                "'count' needs 4 bytes, only 2 left", "");
    reading_end(&r);
}

TEST(memory_is_allocated_once_and_in_the_right_size)
{
    uint8_t wire[5 + 500] = {1, 100};
    reading r;
    node root;
    reading_begin(&r, wire, sizeof wire);
    r.arena.limit = 100 * sizeof(node) - 1;
    describe_node(&r.io, &root);
    CHECK(r.err.code == TENON_ERR_LIMIT && r.meter.calls == 0);
    CHECK_STR(r.err.path, "children");
    CHECK(root.children == NULL && root.child_count == 0);
    reading_end(&r);

    reading_begin(&r, wire, sizeof wire);
    r.arena.limit = 100 * sizeof(node);
    describe_node(&r.io, &root);
    CHECK(!r.io.failed && r.arena.used == 100 * sizeof(node) && r.meter.calls == 1);
    reading_end(&r);
}

// -- Counts that are stored elsewhere

typedef struct shelf {
    uint32_t count;
    uint8_t *items;
} shelf;

static void describe_shelf(tn_io *io, shelf *s)
{
    tn_u32(io, "count", &s->count);
    tn_items(io, "items", &s->items, &s->count, 1, 1);
    for (uint32_t i = 0; tn_next(io, i, s->count); i++) tn_u8(io, "", &s->items[i]);
}

TEST(a_list_can_have_its_count_in_another_field)
{
    reading r;
    writing w;
    shelf s;
    trace t;
    reading_begin(&r, "\2\0\0\0ab", 6);
    trace_begin(&t, &r.io);
    describe_shelf(&r.io, &s);
    CHECK(!r.io.failed && s.count == 2 && s.items[0] == 'a' && s.items[1] == 'b');
    CHECK_STR(t.text, "0+4 u32 count; 4+1 u8 items[0]; 5+1 u8 items[1]; ");
    writing_begin(&w);
    describe_shelf(&w.io, &s);
    CHECK(wrote(&w, "\2\0\0\0ab", 6));
    reading_end(&r);
}

TEST(a_count_in_another_field_is_not_believed_either)
{
    reading r;
    shelf s;
    reading_begin(&r, "\3\0\0\0ab", 6);
    describe_shelf(&r.io, &s);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "items",
                "'items' says 3 items, the file has room for 2", "");
    CHECK(s.count == 0 && s.items == NULL && r.meter.calls == 0);
    reading_end(&r);
}

TEST(items_without_bytes_need_a_limit_and_have_one)
{
    reading r;
    uint32_t count = UINT32_MAX;
    node *items = NULL;
    reading_begin(&r, "", 0);
    tn_items(&r.io, "items", &items, &count, sizeof *items, 0);
    CHECK(r.err.code == TENON_ERR_LIMIT && count == 0 && items == NULL && r.meter.calls == 0);
    reading_end(&r);
}

TEST(an_inferred_list_takes_its_count_from_the_description)
{
    reading r;
    uint32_t count = 3;
    uint8_t *items;
    trace t;
    reading_begin(&r, "abc", 3);
    trace_begin(&t, &r.io);
    tn_inferred_items(&r.io, "items", &items, &count, 1, 1);
    for (uint32_t i = 0; tn_next(&r.io, i, count); i++) tn_u8(&r.io, "", &items[i]);
    CHECK(!r.io.failed && count == 3 && items[2] == 'c');
    CHECK_STR(t.text, "0+1 u8 items[0]; 1+1 u8 items[1]; 2+1 u8 items[2]; ");
    reading_end(&r);
}

TEST(after_a_failure_every_kind_of_list_is_empty)
{
    for (int kind = 0; kind < 3; kind++) {
        reading r;
        uint32_t count = 2;
        uint8_t here[2], *items = here;
        reading_begin(&r, "\2\0\0\0ab", 6);
        tn_fail(&r.io, TENON_ERR_VALUE, 0, "", "no");
        if (kind == 0) tn_list(&r.io, "items", &items, &count, 1, 1);
        if (kind == 1) tn_items(&r.io, "items", &items, &count, 1, 1);
        if (kind == 2) tn_inferred_items(&r.io, "items", &items, &count, 1, 1);
        CHECK(count == 0 && items == NULL && r.io.pos == 0 && r.io.depth == 0);
        CHECK(!tn_next(&r.io, 0, 2));
        reading_end(&r);
    }
}

// -- Paths

TEST(paths_name_structures_lists_and_items)
{
    reading r;
    uint8_t v;
    uint32_t count;
    uint8_t *items;
    char path[64];
    reading_begin(&r, "\2\0\0\0abcd", 8);
    tn_enter(&r.io, "outer");
    tn_enter(&r.io, "inner");
    tn_list(&r.io, "items", &items, &count, 1, 1);
    tn_io_path(&r.io, "x", path, sizeof path);
    CHECK_STR(path, "outer.inner.items.x");
    CHECK(tn_next(&r.io, 0, count));
    CHECK(tn_next(&r.io, 1, count));
    tn_io_path(&r.io, "x", path, sizeof path);
    CHECK_STR(path, "outer.inner.items[1].x");
    tn_io_path(&r.io, "", path, sizeof path);
    CHECK_STR(path, "outer.inner.items[1]");
    CHECK(!tn_next(&r.io, 2, count));
    tn_leave(&r.io);
    tn_io_path(&r.io, "x", path, sizeof path);
    CHECK_STR(path, "outer.x");
    tn_leave(&r.io);
    tn_u8(&r.io, "v", &v);
    tn_io_path(&r.io, "x", path, sizeof path);
    CHECK_STR(path, "x");
    tn_io_path(&r.io, "", path, sizeof path);
    CHECK_STR(path, "");
    reading_end(&r);
}

TEST(a_path_too_long_for_its_buffer_is_cut)
{
    reading r;
    char path[12];
    reading_begin(&r, "", 0);
    for (int i = 0; i < 10; i++) tn_enter(&r.io, "abc");
    memset(path, 'x', sizeof path);
    tn_io_path(&r.io, "end", path, 10);
    CHECK_STR(path, "abc.abc.a");
    CHECK(path[10] == 'x' && path[11] == 'x');
    tn_io_path(&r.io, "end", path, 1);
    CHECK_STR(path, "");
    reading_end(&r);
}

TEST(an_error_inside_a_list_says_which_item)
{
    reading r;
    node root;
    reading_begin(&r, tree, sizeof tree - 1);
    describe_node(&r.io, &root);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 16, "children[1].children.count",
                "'count' needs 4 bytes, only 3 left", "");
    reading_end(&r);
}

// -- Depth

// A chain of `depth` lists, one inside the other.
static uint8_t *make_chain(uint32_t depth, size_t *size)
{
    *size = 5 * ((size_t)depth + 1);
    uint8_t *wire = calloc(*size, 1);
    if (!wire) abort();
    for (uint32_t i = 0; i <= depth; i++) {
        wire[5 * i] = (uint8_t)i;
        wire[5 * i + 1] = i < depth;
    }
    return wire;
}

TEST(the_depth_limit_is_exact)
{
    static const uint32_t limits[] = {1, 2, 10, TN_DEPTH_MAX};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        for (uint32_t lists = limits[i]; lists <= limits[i] + 1; lists++) {
            size_t size;
            uint8_t *wire = make_chain(lists - 1, &size);  // The innermost list is empty.
            reading r;
            node root;
            reading_begin(&r, wire, size);
            r.io.max_depth = limits[i];
            describe_node(&r.io, &root);
            CHECK(r.io.failed == (lists > limits[i]));
            if (r.io.failed) {
                char message[64];
                snprintf(message, sizeof message, "'children' is nested deeper than %u",
                         (unsigned)limits[i]);
                CHECK(r.err.code == TENON_ERR_LIMIT && r.err.offset == 5 * (lists - 1) + 1);
                CHECK_STR(r.err.message, message);
            }
            reading_end(&r);
            free(wire);
        }
    }
}

TEST(writing_refuses_the_depth_that_reading_refuses)
{
    size_t size;
    uint8_t *wire = make_chain(10, &size);
    reading r;
    writing w;
    node root;
    reading_begin(&r, wire, size);
    describe_node(&r.io, &root);
    writing_begin(&w);
    w.io.max_depth = 11;
    describe_node(&w.io, &root);
    CHECK(wrote(&w, wire, size));
    writing_begin(&w);
    w.io.max_depth = 10;
    describe_node(&w.io, &root);
    CHECK(w.err.code == TENON_ERR_LIMIT);
    CHECK_STR(w.err.message, "'children' is nested deeper than 10");
    reading_end(&r);
    free(wire);
}

TEST(structures_count_as_depth_too)
{
    reading r;
    reading_begin(&r, "", 0);
    r.io.max_depth = 2;
    tn_enter(&r.io, "a");
    tn_enter(&r.io, "b");
    CHECK(!r.io.failed);
    tn_enter(&r.io, "c");
    CHECK_ERROR(r.err, TENON_ERR_LIMIT, 0, "a.b.c", "'c' is nested deeper than 2", "");
    tn_leave(&r.io);
    tn_leave(&r.io);
    tn_leave(&r.io);
    reading_end(&r);
}

// -- Partial documents

// How many nodes are in the tree, following only what its counts say.
static uint32_t count_nodes(const node *n)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < n->child_count; i++) count += count_nodes(&n->children[i]);
    return count;
}

TEST(a_partial_document_has_the_whole_items_of_every_list_on_the_path)
{
    // 1 has the children 2, 3 and 6; 3 has the children 4 and 5. Cut in the count of 5.
    static const uint8_t wire[] = {1, 3, 0, 0, 0, 2, 0, 0, 0, 0, 3, 2,
                                   0, 0, 0, 4, 0, 0, 0, 0, 5, 0, 0};
    reading r;
    node root;
    reading_begin(&r, wire, sizeof wire);
    r.io.partial = true;
    describe_node(&r.io, &root);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 21, "children[1].children[1].children.count",
                "'count' needs 4 bytes, only 2 left", "");
    CHECK(root.child_count == 1 && root.children[0].id == 2);  // 3 itself is not whole,
    CHECK(root.children[1].child_count == 1);                  // but neither is half of 5 in it.
    CHECK(root.children[1].children[0].id == 4);
    reading_end(&r);
}

TEST(a_partial_document_allocates_no_more_memory_than_the_file_has_items)
{
    uint8_t wire[5 + 12] = {1, 0xFF, 0xFF, 0xFF, 0xFF};
    reading r;
    node root;
    reading_begin(&r, wire, sizeof wire);
    r.io.partial = true;
    describe_node(&r.io, &root);
    CHECK(r.err.code == TENON_ERR_TRUNCATED && root.child_count == 2);
    // Two whole ones, and the one that is not; and a note of what is missing.
    CHECK(r.arena.used <= 3 * sizeof(node) + sizeof(tn_cut) + 32);
    reading_end(&r);
}

TEST(a_partial_document_never_holds_half_an_item)
{
    for (size_t size = 0; size < sizeof tree; size++) {
        // Enough zeros to make every count valid, so that the fault is the one made below.
        uint8_t wire[sizeof tree + 64] = {0};
        memcpy(wire, tree, sizeof tree);
        reading r;
        trace t;
        node root = {0};
        reading_begin(&r, wire, sizeof wire);
        trace_begin(&t, &r.io);
        r.io.partial = true;
        t.stop_at = (uint32_t)size + 1;
        describe_node(&r.io, &root);
        if (!r.io.failed) CHECK(size >= 8 && is_tree(&root));  // The tree has eight fields.
        if (r.io.failed && size < 2) CHECK(count_nodes(&root) == 1);
        if (r.io.failed && size >= 2) CHECK(count_nodes(&root) <= (size >= 6 ? 3 : 1));
        if (r.io.failed && size >= 6) CHECK(root.child_count == 1 && root.children[0].id == 2);
        reading_end(&r);
    }
}

TEST(without_partial_the_lists_stay_as_they_are)
{
    reading r;
    node root;
    reading_begin(&r, tree, sizeof tree - 1);
    describe_node(&r.io, &root);
    CHECK(r.io.failed && root.child_count == 2);
    reading_end(&r);
}

TEST(a_list_that_was_finished_before_the_fault_is_not_cut)
{
    typedef struct two {
        shelf a, b;
    } two;
    reading r;
    two v;
    reading_begin(&r, "\2\0\0\0ab\3\0\0\0cd", 12);
    r.io.partial = true;
    describe_shelf(&r.io, &v.a);
    describe_shelf(&r.io, &v.b);
    CHECK(r.io.failed && v.a.count == 2 && v.a.items[1] == 'b');
    CHECK(v.b.count == 2 && v.b.items[1] == 'd');
    reading_end(&r);
}

TEST(a_fault_after_the_last_list_cuts_nothing)
{
    reading r;
    shelf s;
    uint8_t v;
    reading_begin(&r, "\2\0\0\0ab", 6);
    r.io.partial = true;
    describe_shelf(&r.io, &s);
    tn_u8(&r.io, "v", &v);
    CHECK(r.io.failed && r.io.depth == 0 && s.count == 2);
    reading_end(&r);
}

TEST(writing_never_cuts_a_list)
{
    uint8_t items[] = {'a', 'b'};
    shelf s = {2, items};
    writing w;
    trace t;
    writing_begin(&w);
    w.io.partial = true;
    trace_begin(&t, &w.io);
    t.stop_at = 3;
    describe_shelf(&w.io, &s);
    CHECK(w.io.failed && s.count == 2);
}

int main(void)
{
    RUN(nested_lists_are_read_and_written_back);
    RUN(the_count_is_in_the_files_byte_order);
    RUN(a_list_of_no_items_costs_no_memory);
    RUN(a_count_the_file_cannot_hold_is_refused_before_memory_is_allocated);
    RUN(a_count_that_just_fits_is_believed);
    RUN(a_count_is_compared_with_what_is_left_of_the_window);
    RUN(a_count_that_is_cut_short_says_so);
    RUN(memory_is_allocated_once_and_in_the_right_size);
    RUN(a_list_can_have_its_count_in_another_field);
    RUN(a_count_in_another_field_is_not_believed_either);
    RUN(items_without_bytes_need_a_limit_and_have_one);
    RUN(an_inferred_list_takes_its_count_from_the_description);
    RUN(after_a_failure_every_kind_of_list_is_empty);
    RUN(paths_name_structures_lists_and_items);
    RUN(a_path_too_long_for_its_buffer_is_cut);
    RUN(an_error_inside_a_list_says_which_item);
    RUN(the_depth_limit_is_exact);
    RUN(writing_refuses_the_depth_that_reading_refuses);
    RUN(structures_count_as_depth_too);
    RUN(a_partial_document_has_the_whole_items_of_every_list_on_the_path);
    RUN(a_partial_document_allocates_no_more_memory_than_the_file_has_items);
    RUN(a_partial_document_never_holds_half_an_item);
    RUN(without_partial_the_lists_stay_as_they_are);
    RUN(a_list_that_was_finished_before_the_fault_is_not_cut);
    RUN(a_fault_after_the_last_list_cuts_nothing);
    RUN(writing_never_cuts_a_list);
    TEST_END();
}
