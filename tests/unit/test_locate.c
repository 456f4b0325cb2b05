// test_locate.c: from the path of a field to its place in the file.
// SPDX-License-Identifier: MIT

#include "core/cursor/locate.h"

#include "core/cursor/span.h"
#include "core_help.h"

// -- A document with one of everything

static const tenon_element vertex_elements[] = {
    {"position", TENON_TYPE_U8, 3, 0, 0},
    {"bones", TENON_TYPE_U16, 2, 2, 3},
};
static const tenon_layout vertex_layout = {vertex_elements, 2, 11, NULL, 0, NULL};

static const tenon_element run_elements[] = {
    {"id", TENON_TYPE_U8, 1, 0, 0},
    {"count", TENON_TYPE_U32, 1, 0, 1},
};
static const tenon_layout run_layout = {run_elements, 2, 5, &tn_layout_u8, 1, "tail"};

static const tenon_element grid_element = {"", TENON_TYPE_U8, 2, 3, 0};
static const tenon_layout grid_layout = {&grid_element, 1, 6, NULL, 0, NULL};

typedef struct item {
    tenon_str name;
    uint16_t number;
} item;

typedef struct document {
    uint32_t version;
    uint8_t nested;
    uint32_t item_count;
    item *items;
    uint32_t name_count;
    tenon_str *names;
    tenon_span faces, vertices, runs, grids, keys, many;
    uint32_t guess;
    uint32_t *sizes;
} document;

static uint64_t infer_guess(tn_io *io, const void *subject)
{
    (void)io;
    (void)subject;
    return 7;
}

static void describe_document(tn_io *io, document *d)
{
    tn_u32(io, "version", &d->version);
    tn_enter(io, "outer");
    tn_enter(io, "inner");
    tn_u8(io, "nested", &d->nested);
    tn_leave(io);
    tn_leave(io);
    tn_list(io, "items", &d->items, &d->item_count, sizeof *d->items, 3);
    for (uint32_t i = 0; tn_next(io, i, d->item_count); i++) {
        tn_strz(io, "name", &d->items[i].name);
        tn_u16(io, "number", &d->items[i].number);
    }
    tn_list(io, "names", &d->names, &d->name_count, sizeof *d->names, 1);
    for (uint32_t i = 0; tn_next(io, i, d->name_count); i++) tn_strz(io, "", &d->names[i]);
    tn_records(io, "faces", &d->faces, 2, &tn_layout_u32x3);
    tn_records(io, "vertices", &d->vertices, 2, &vertex_layout);
    tn_records(io, "runs", &d->runs, 3, &run_layout);
    tn_records(io, "grids", &d->grids, 1, &grid_layout);
    tn_inferred_u32(io, "guess", &d->guess, infer_guess, NULL);
    tn_u32_array(io, "sizes", &d->sizes, 2);
    tn_counted(io, "keys", &d->keys, &tn_layout_u16);
    tn_records(io, "many", &d->many, 20, &tn_layout_u8);
}

// Written once; every test reads it.
static uint8_t file[512];
static size_t file_size;

static void make_file(void)
{
    static item items[] = {{{"a", 1}, 1}, {{"bcd", 3}, 2}};
    static tenon_str names[] = {{"", 0}, {"xyz", 3}};
    static const uint8_t faces[24], vertices[22], runs[] = "A\2\0\0\0..B\0\0\0\0C\1\0\0\0.";
    static const uint8_t grid[6];
    static uint32_t sizes[] = {5, 6};
    document d = {.version = 1,
                  .item_count = 2,
                  .items = items,
                  .name_count = 2,
                  .names = names,
                  .faces = {faces, 24, 2, &tn_layout_u32x3, false},
                  .vertices = {vertices, 22, 2, &vertex_layout, false},
                  .runs = {runs, 18, 3, &run_layout, false},
                  .grids = {grid, 6, 1, &grid_layout, false},
                  .guess = 7,
                  .sizes = sizes,
                  .keys = {grid, 4, 2, &tn_layout_u16, false},
                  .many = {faces, 20, 20, &tn_layout_u8, false}};
    writing w;
    writing_begin(&w);
    describe_document(&w.io, &d);
    CHECK(!w.io.failed);
    memcpy(file, w.bytes, w.size);
    file_size = w.size;
}

// Look for `path` while reading and while writing; both must give the same place.
static tn_wanted look_for(const char *path)
{
    reading r;
    writing w;
    document d;
    tn_locator locator;
    tn_wanted reading_it = {.path = path}, writing_it = {.path = path};
    reading_begin(&r, file, file_size);
    tn_locator_init(&locator, &reading_it, 1);
    r.io.observers = &locator.observer;
    describe_document(&r.io, &d);
    CHECK(!r.io.failed);
    writing_begin(&w);
    tn_locator_init(&locator, &writing_it, 1);
    w.io.observers = &locator.observer;
    describe_document(&w.io, &d);
    CHECK(!w.io.failed);
    CHECK(reading_it.offset == writing_it.offset);
    if (reading_it.offset != TENON_ABSENT) CHECK(reading_it.size == writing_it.size);
    reading_end(&r);
    return writing_it;
}

static void check_place(const char *path, uint64_t offset, uint64_t size)
{
    tn_wanted w = look_for(path);
    if (w.offset != offset || w.size != size) {
        fprintf(stderr, "%s: found %" PRId64 "+%" PRIu64 ", want %" PRIu64 "+%" PRIu64 "\n", path,
                (int64_t)w.offset, w.size, offset, size);
        test_failures++;
    }
}

static void check_absent(const char *path)
{
    tn_wanted w = look_for(path);
    if (w.offset == TENON_ABSENT) return;
    fprintf(stderr, "'%s': found %" PRIu64 "+%" PRIu64 ", but there is no such field\n", path,
            w.offset, w.size);
    test_failures++;
}

// -- Found

TEST(fields_are_found)
{
    check_place("version", 0, 4);
    check_place("outer.inner.nested", 4, 1);
    check_place("items.count", 5, 4);
    check_place("items[0].name", 9, 2);
    check_place("items[0].number", 11, 2);
    check_place("items[1].name", 13, 4);
    check_place("items[1].number", 17, 2);
    check_place("names.count", 19, 4);
    check_place("names[0]", 23, 1);
    check_place("names[1]", 24, 4);
}

TEST(structures_and_lists_are_where_their_first_field_is)
{
    check_place("outer", 4, 0);
    check_place("outer.inner", 4, 0);
    check_place("items", 5, 0);
    check_place("items[0]", 9, 0);
    check_place("items[1]", 13, 0);
    check_place("names", 19, 0);
}

TEST(records_elements_and_rows_are_found)
{
    check_place("faces", 28, 24);
    check_place("faces[0]", 28, 12);
    check_place("faces[1]", 40, 12);
    check_place("vertices", 52, 22);
    check_place("vertices[1]", 63, 11);
    check_place("vertices[1].position", 63, 3);
    check_place("vertices[1].bones", 66, 8);
    check_place("vertices[1].bones[0]", 66, 4);
    check_place("vertices[1].bones[1]", 70, 4);
}

TEST(records_with_tails_are_found_by_walking)
{
    check_place("runs", 74, 18);
    check_place("runs[0]", 74, 5);
    check_place("runs[1]", 81, 5);
    check_place("runs[2]", 86, 5);
    check_place("runs[2].count", 87, 4);
}

TEST(rows_of_an_element_without_a_name_are_found_as_maps_call_them)
{
    check_place("grids[0]", 92, 6);
    check_place("grids[0][0]", 92, 2);
    check_place("grids[0][2]", 96, 2);
}

TEST(fields_without_bytes_and_needed_arrays_are_found)
{
    check_place("guess", 98, 0);
    check_place("sizes", 98, 8);
    check_place("sizes[1]", 102, 4);
}

TEST(every_index_is_read)
{
    char path[32];
    for (unsigned i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "many[%u]", i);
        check_place(path, 114 + i, 1);
    }
    check_absent("many[20]");
}

TEST(an_array_after_its_count_is_found_as_the_array)
{
    check_place("keys.count", 106, 4);
    check_place("keys", 110, 4);
    check_place("keys[1]", 112, 2);
    check_absent("keys[2]");
}

// -- Not found

TEST(what_is_not_there_is_not_found)
{
    check_absent("");
    check_absent("versio");
    check_absent("versions");
    check_absent("version.x");
    check_absent("version[0]");
    check_absent("nested");
    check_absent("inner.nested");
    check_absent("outer.nested");
    check_absent("items[2]");
    check_absent("items[2].name");
    check_absent("items[0].title");
    check_absent("items[10]");
    check_absent("names[0][0]");
}

TEST(records_that_are_not_there_are_not_found)
{
    check_absent("faces[2]");
    check_absent("faces[18446744073709551615]");
    check_absent("faces[18446744073709551616]");
    check_absent("faces[99999999999999999999999999]");
    check_absent("faces[0].position");
    check_absent("faces[0][0]");
    check_absent("vertices[2].position");
    check_absent("vertices[0].positio");
    check_absent("vertices[0].position2");
    check_absent("runs[3]");
    check_absent("runs[0].tail[0]");
}

TEST(rows_that_are_not_there_are_not_found)
{
    check_absent("vertices[0].bones[2]");
    check_absent("vertices[0].bones[9]");
    check_absent("vertices[0].position[0]");  // One row is not shown as a list.
    check_absent("vertices[0].position[3]");
    check_absent("grids[0][3]");
    check_absent("grids[1][0]");
}

TEST(malformed_paths_are_not_found)
{
    static const char *const paths[] = {
        ".",
        "[",
        "]",
        "[0]",
        ".version",
        "version.",
        "items[",
        "items[]",
        "items[0",
        "items[-1]",
        "items[ 0]",
        "items[0 ]",
        "items[0]x",
        "items[0].",
        "items[0]..name",
        "items[0x0]",
        "items.[0]",
        "faces[",
        "faces[]",
        "faces[0",
        "faces[0].",
        "faces[0]x",
        "faces[0]0",
        "faces[+0]",
        "faces[0][",
        "faces.0",
        "items[00]",
        "faces[01]",
        "vertices[0]..position",
        "vertices[0].position[",
        "vertices[0].bones[",
        "vertices[0].bones[]",
        "vertices[0].bones[0",
        "vertices[0].bones[0]x",
        "vertices[0].bones[0].",
        "vertices[0].",
        "vertices.[0]",
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) check_absent(paths[i]);
}

// -- Many, and long

TEST(many_paths_are_found_in_one_pass)
{
    reading r;
    document d;
    tn_locator locator;
    tn_wanted wanted[] = {{.path = "sizes"},
                          {.path = "nothing"},
                          {.path = "version"},
                          {.path = "items[1]"},
                          {.path = "version"}};
    reading_begin(&r, file, file_size);
    tn_locator_init(&locator, wanted, 5);
    CHECK(wanted[0].offset == TENON_ABSENT && wanted[4].offset == TENON_ABSENT);
    r.io.observers = &locator.observer;
    describe_document(&r.io, &d);
    CHECK(wanted[0].offset == 98 && wanted[1].offset == TENON_ABSENT && wanted[2].offset == 0);
    CHECK(wanted[3].offset == 13 && wanted[4].offset == 0);
    reading_end(&r);
}

typedef struct chain {
    tenon_span leaf;
    uint32_t count;
    struct chain *next;
} chain;

// Named so that a path of a hundred of them is longer than any path in an error.
static void describe_chain(tn_io *io, chain *c)
{
    tn_records(io, "leaf", &c->leaf, 1, &tn_layout_u8);
    tn_list(io, "next", &c->next, &c->count, sizeof *c->next, 5);
    for (uint32_t i = 0; tn_next(io, i, c->count); i++) describe_chain(io, &c->next[i]);
}

static tn_wanted look_in_chain(const char *path, uint32_t depth)
{
    uint8_t wire[5 * 101] = {0};
    for (uint32_t i = 0; i < depth; i++) wire[5 * i + 1] = 1;
    reading r;
    chain root;
    tn_locator locator;
    tn_wanted wanted = {.path = path};
    reading_begin(&r, wire, 5 * ((size_t)depth + 1));
    tn_locator_init(&locator, &wanted, 1);
    r.io.observers = &locator.observer;
    describe_chain(&r.io, &root);
    CHECK(!r.io.failed);
    reading_end(&r);
    return wanted;
}

TEST(a_path_may_be_longer_than_an_error_can_show)
{
    char path[1000] = "";
    for (uint32_t depth = 0; depth <= 100; depth++) {
        size_t size = strlen(path);
        memcpy(path + size, "leaf[0]", 8);
        tn_wanted leaf = look_in_chain(path, 100);
        CHECK(leaf.offset == 5 * depth && leaf.size == 1);
        CHECK(depth == 0 || look_in_chain(path, depth - 1).offset == TENON_ABSENT);
        path[size] = '\0';
        memcpy(path + size, "next[0].", 9);
    }
}

int main(void)
{
    make_file();
    RUN(fields_are_found);
    RUN(structures_and_lists_are_where_their_first_field_is);
    RUN(records_elements_and_rows_are_found);
    RUN(records_with_tails_are_found_by_walking);
    RUN(rows_of_an_element_without_a_name_are_found_as_maps_call_them);
    RUN(fields_without_bytes_and_needed_arrays_are_found);
    RUN(every_index_is_read);
    RUN(an_array_after_its_count_is_found_as_the_array);
    RUN(what_is_not_there_is_not_found);
    RUN(records_that_are_not_there_are_not_found);
    RUN(rows_that_are_not_there_are_not_found);
    RUN(malformed_paths_are_not_found);
    RUN(many_paths_are_found_in_one_pass);
    RUN(a_path_may_be_longer_than_an_error_can_show);
    TEST_END();
}
