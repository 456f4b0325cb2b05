// test_fbx.c: nodes and values of FBX files, numbers however they are stored, and changes.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/memory/arena.h"
#include "formats/fbx/fbx_format.h"
#include "formats/fbx/fbx_text.h"

#include <math.h>
#include <stdlib.h>
#include <tenon/scene.h>

#define FIXTURES "tests/fixtures/fbx/"

static tenon_fbx *read_fixture(const char *name)
{
    char path[128];
    tenon_error err;
    snprintf(path, sizeof path, FIXTURES "%s.fbx", name);
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    if (!doc) fprintf(stderr, "%s: %s\n", path, err.message);
    if (!doc) abort();
    return tenon_as_fbx(doc);
}

static tenon_fbx *read_text(const char *text, tenon_error *err)
{
    return tenon_as_fbx(tenon_read(text, strlen(text), &(tenon_read_opts){.format = "fbx"}, err));
}

typedef struct file_bytes {
    uint8_t data[8192];
    size_t size;
} file_bytes;

static bool append(void *user, const void *bytes, size_t size)
{
    file_bytes *file = user;
    if (size > sizeof file->data - file->size) return false;
    memcpy(file->data + file->size, bytes, size);
    file->size += size;
    return true;
}

// -- The tree

TEST(all_encodings_give_the_same_tree)
{
    static const char *const names[] = {"narrow", "wide", "big_endian", "text"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tenon_fbx *doc = read_fixture(names[i]);
        tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
        const tenon_fbx_node *objects = fbx_child(&doc->root, "Objects");
        const tenon_fbx_node *mesh = fbx_child(objects, "Geometry");
        const tenon_fbx_node *model = fbx_child_at(objects, "Model", 0);
        const tenon_fbx_node *moved = fbx_child(fbx_child(model, "Properties70"), "P");
        tenon_str kind;
        uint64_t count;
        CHECK(doc->is_text == (i == 3) && (doc->is_big_endian == 1) == (i == 2));
        CHECK(doc->version == (i == 1 ? 7500u : 7400u));
        CHECK(fbx_int(mesh, 0, 0) == 10 && fbx_text_is(mesh, 2, "Mesh"));
        CHECK_STR(fbx_text(moved, 0).data, "Lcl Translation");
        CHECK(fbx_number(moved, 4, 9) == 1.5 && fbx_number(moved, 5, 9) == -2);
        CHECK(fbx_number(moved, 6, 9) == 0.25 && fbx_number(moved, 7, 9) == 9);
        CHECK(fbx_text_is(fbx_child(model, "Shading"), 0, "T"));
        tenon_str name = fbx_object_name(doc, fbx_text(model, 1), &kind);
        CHECK(name.size == 4 && memcmp(name.data, "mast", 4) == 0);
        CHECK(kind.size == 5 && memcmp(kind.data, "Model", 5) == 0);
        double *corners = fbx_f64s(doc, fbx_child(mesh, "Vertices"), &arena, &count, NULL);
        CHECK(corners && count == 12 && corners[3] == 2 && corners[11] == 0.5);
        float *narrow = fbx_f32s(doc, fbx_child(mesh, "Vertices"), &arena, &count, NULL);
        CHECK(narrow && count == 12 && narrow[10] == 1);
        int32_t *polygon =
            fbx_i32s(doc, fbx_child(mesh, "PolygonVertexIndex"), &arena, &count, NULL);
        CHECK(polygon && count == 4 && polygon[2] == 2 && polygon[3] == -4);
        int64_t *wide = fbx_i64s(doc, fbx_child(mesh, "PolygonVertexIndex"), &arena, &count, NULL);
        CHECK(wide && count == 4 && wide[3] == -4);
        tn_arena_free(&arena);
        tenon_doc_free(&doc->base);
    }
}

TEST(values_of_every_type_are_read)
{
    tenon_fbx *doc = read_fixture("values");
    const tenon_fbx_node *node = fbx_child(&doc->root, "Values");
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    tenon_span bytes;
    uint64_t count;
    CHECK(fbx_int(node, 0, 0) == 1 && fbx_int(node, 1, 0) == 255 && fbx_int(node, 2, 0) == -32768);
    CHECK(fbx_int(node, 3, 0) == -1 && fbx_int(node, 4, 0) == INT64_MIN);
    CHECK(fbx_number(node, 5, 0) == -INFINITY && fbx_int(node, 5, 0) == INT64_MIN);
    CHECK(fbx_number(node, 6, 1) == 0 && fbx_text(node, 7).size == 0 &&
          fbx_text(node, 8).size == 4);
    CHECK(fbx_bytes(doc, node, &arena, &bytes, NULL) && bytes.size == 5 && bytes.data[4] == 0);
    CHECK(fbx_int(node, 99, 7) == 7 && fbx_int(node, 8, 7) == 7 && fbx_number(NULL, 0, 3) == 3);
    CHECK(fbx_number_count(node) == 7 && fbx_has_numbers(node) && !fbx_has_numbers(NULL));
    double *all = fbx_f64s(doc, node, &arena, &count, NULL);
    CHECK(all && count == 7 && all[2] == -32768 && all[5] == -INFINITY);
    int64_t *times = fbx_i64s(doc, fbx_child(node, "Times"), &arena, &count, NULL);
    CHECK(times && count == 3 && times[1] == INT64_MAX && times[2] == -5);
    int32_t *cut = fbx_i32s(doc, fbx_child(node, "Times"), &arena, &count, NULL);
    CHECK(cut && cut[1] == INT32_MAX && cut[2] == -5);
    CHECK(fbx_i32s(doc, fbx_child(node, "Empty"), &arena, &count, NULL) && count == 0);
    CHECK(fbx_child(node, "List")->child_list == TENON_FBX_TERMINATED);
    CHECK(fbx_child(node, "Empty")->child_list == TENON_FBX_NO_LIST);
    tn_arena_free(&arena);
    tenon_doc_free(&doc->base);
}

TEST(old_files_have_lists_and_a_second_part)
{
    tenon_fbx *doc = read_fixture("old");
    const tenon_fbx_node *plane = fbx_child(&doc->root, "Model");
    const tenon_fbx_node *vertices = fbx_child(plane, "Vertices");
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    uint64_t count;
    CHECK(doc->container_version == 3000 && doc->version == 5800);
    CHECK(vertices->property_count == 36 && vertices->value_count == 1);
    CHECK(vertices->values[0].array->encoding == TENON_FBX_LIST);
    double *numbers = fbx_f64s(doc, vertices, &arena, &count, NULL);
    CHECK(numbers && count == 36 && numbers[7] == 2);
    CHECK(fbx_child(plane, "Key")->value_count == 6);
    CHECK(doc->extension.child_count == 2 && doc->extension_footer.kind == TENON_FBX_PADDED);
    char path[64];
    fbx_path(doc, &doc->extension.children[1].children[0], path, sizeof path);
    CHECK_STR(path, "extension.nodes[1].children[0]");
    tn_arena_free(&arena);
    tenon_doc_free(&doc->base);
}

// -- Text

TEST(text_is_read_as_programs_write_it)
{
    tenon_fbx *doc = read_fixture("text");
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    const tenon_fbx_node *video = fbx_child(fbx_child(&doc->root, "Objects"), "Video");
    tenon_span bytes;
    CHECK_STR(fbx_text(fbx_child(&doc->root, "Creator"), 0).data, "Tenon's \"fixtures\"");
    CHECK(fbx_bytes(doc, fbx_child(video, "Content"), &arena, &bytes, NULL) && bytes.size == 11);
    for (uint64_t i = 0; i < bytes.size; i++) CHECK(bytes.data[i] == i);
    tenon_doc_free(&doc->base);
    doc = read_fixture("text_old");
    const tenon_fbx_node *objects = fbx_child(&doc->root, "Objects");
    const tenon_fbx_node *vertices = fbx_child(fbx_child(objects, "Model"), "Vertices");
    uint64_t count;
    CHECK(doc->version == 6100 && vertices->value_count == 1 && vertices->property_count == 36);
    double *numbers = fbx_f64s(doc, vertices, &arena, &count, NULL);
    CHECK(numbers && count == 36 && numbers[24] == 7 && numbers[25] == INFINITY);
    CHECK(numbers && isnan(numbers[26]) && numbers[27] == INFINITY && signbit(numbers[28]));
    const tenon_fbx_node *jib = fbx_child_at(objects, "Model", 1);
    const tenon_fbx_node *key = fbx_child(fbx_child(jib, "Channel"), "Key");
    CHECK(key->value_count == 10 && fbx_int(key, 0, 0) == 1924423250);
    CHECK(fbx_text_is(key, 2, "U") && fbx_number(key, 5, 0) == 0.25 && fbx_text_is(key, 9, "L"));
    tn_arena_free(&arena);
    tenon_doc_free(&doc->base);
}

TEST(numbers_are_parsed_exactly)
{
    static const struct {
        const char *text;
        double value;
        size_t size;
    } cases[] = {{"12", 12, 2},
                 {"-0.1,", -0.1, 4},
                 {"1e-12", 1e-12, 5},
                 {"5.", 5, 2},
                 {".5e1", 5, 4},
                 {"+007.25", 7.25, 7},
                 {"9007199254740993", 9007199254740992.0, 16},
                 {"123456789012345678901234567890", 123456789012345678901234567890.0, 30},
                 {"0.1000000000000000055511151231257827", 0.1, 36},
                 {"1e400", INFINITY, 5},
                 {"-inf", -INFINITY, 4},
                 {"1.#INF00", INFINITY, 8},
                 {"2.2250738585072011e-308", 2.2250738585072011e-308, 23},
                 {"1e", 0, 0},
                 {"+Infinity", INFINITY, 9},
                 {"infty", INFINITY, 5},
                 {"word", 0, 0},
                 {"-", 0, 0},
                 {"", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fbx_text_number number;
        CHECK(fbx_text_number_at(cases[i].text, strlen(cases[i].text), &number) == cases[i].size);
        CHECK(number.number == cases[i].value);
    }
    fbx_text_number number;
    CHECK(fbx_text_number_at("-9223372036854775808", 20, &number) == 20);
    CHECK(number.is_integer && number.integer == INT64_MIN);
    CHECK(fbx_text_number_at("1.#QNAN", 7, &number) == 7 && isnan(number.number));
    CHECK(fbx_text_number_at("-nan(ind)", 9, &number) == 9 && isnan(number.number));
    CHECK(fbx_text_number_at("Nan((,", 6, &number) == 5 && isnan(number.number));
    CHECK(fbx_text_number_at("nan()),", 7, &number) == 6 && isnan(number.number));
    CHECK(fbx_text_number_at("ind", 3, &number) == 3 && isnan(number.number));
    CHECK(fbx_text_number_at("snan", 4, &number) == 4 && isnan(number.number));
    CHECK(fbx_text_number_at("1.#INDIE", 8, &number) == 6 && isnan(number.number));
    CHECK(fbx_text_number_at("1.#NOPE", 7, &number) == 0);
}

TEST(faults_of_text_have_a_line_and_a_column)
{
    tenon_error err;
    CHECK(!read_text("; FBX 7.4.0 project file\nA: 1\n  B: \"x", &err));
    CHECK(err.code == TENON_ERR_TRUNCATED && err.line == 3 && err.column == 6);
    CHECK(!read_text("Objects: {\n", &err) && err.line == 1 && err.column == 10);
    char deep[256] = "";
    for (int i = 0; i < 40; i++) strcat(deep, "A:{");
    CHECK(!read_text(deep, &err) && err.code == TENON_ERR_LIMIT);
}

TEST(numbers_that_cannot_be_decoded_are_refused_with_their_place)
{
    tenon_error err = {0};
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    tenon_fbx *doc = read_text("; FBX 7.4.0 project file\nA: 1\nB: *3 { a: 1,two,3 }\n", &err);
    uint64_t count = 5;
    CHECK(doc != NULL);
    CHECK(!fbx_f64s(doc, fbx_child(&doc->root, "B"), &arena, &count, &err) && count == 0);
    CHECK(err.code == TENON_ERR_VALUE && err.offset == 43);
    CHECK_STR(err.path, "nodes[1]");
    CHECK_STR(err.message, "'B' has a text where a number is expected");
    tn_arena_free(&arena);
    arena = tn_arena_make(&(tenon_allocator){0}, 8);
    CHECK(fbx_i32s(doc, fbx_child(&doc->root, "A"), &arena, &count, &err) && count == 1);
    CHECK(!fbx_i64s(doc, fbx_child(&doc->root, "B"), &arena, &count, &err));
    CHECK(err.code == TENON_ERR_LIMIT);
    tn_arena_free(&arena);
    tenon_doc_free(&doc->base);
}

// -- Changing

TEST(a_changed_tree_is_written_with_new_offsets)
{
    static const char *const names[] = {"narrow", "wide", "big_endian", "old"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tenon_fbx *doc = read_fixture(names[i]);
        tenon_error err;
        tenon_fbx_node *first = &doc->root.children[0];
        first->name = (tenon_str){"A longer name", 13};
        doc->root.child_count--;
        CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT);
        CHECK(tenon_finalize(&doc->base, &err));
        file_bytes file = {.size = 0};
        CHECK(tenon_write(&doc->base, append, &file, &err) == file.size && file.size);
        tenon_fbx *again = tenon_as_fbx(tenon_read(file.data, file.size, NULL, &err));
        CHECK(again && again->root.child_count == doc->root.child_count);
        CHECK(again && fbx_is_named(&again->root.children[0], "A longer name"));
        CHECK(again && again->footer.kind == doc->footer.kind && !again->base.trailing.size);
        CHECK(again && again->extension.child_count == doc->extension.child_count);
        if (again) tenon_doc_free(&again->base);
        tenon_doc_free(&doc->base);
    }
}

TEST(what_does_not_fit_is_not_written)
{
    tenon_fbx *doc = read_fixture("values");
    tenon_error err;
    doc->root.children[1].values[2].integer = 40000;  // An i16.
    CHECK(tenon_write(&doc->base, NULL, NULL, &err) == TENON_ABSENT);
    CHECK_STR(err.message, "40000 is not in the range of its type");
    CHECK_STR(err.path, "nodes[1].values[2].value");
    tenon_doc_free(&doc->base);
}

TEST(damaged_files_are_recovered)
{
    static const char *const names[] = {"narrow", "wide", "big_endian", "old", "text", "text_old"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tenon_fbx *whole = read_fixture(names[i]);
        file_bytes file = {.size = 0};
        CHECK(tenon_write(&whole->base, append, &file, NULL) == file.size);
        tenon_doc_free(&whole->base);
        for (size_t size = 40; size < file.size; size += 7) {
            tenon_error err;
            tenon_read_opts opts = {.partial = true, .incomplete = true, .format = "fbx"};
            tenon_doc *doc = tenon_read(file.data, size, &opts, &err);
            if (!doc) continue;
            CHECK(tenon_recover(doc, NULL, &err));
            file_bytes out = {.size = 0};
            CHECK(tenon_write(doc, append, &out, &err) == out.size);
            tenon_doc *again = tenon_read(out.data, out.size, NULL, &err);
            CHECK(again || out.size < 100);
            tenon_doc_free(again);
            tenon_doc_free(doc);
        }
    }
}

TEST(arrays_that_are_cut_have_the_numbers_that_are_there)
{
    static const char *const names[] = {"narrow", "old"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tenon_fbx *whole = read_fixture(names[i]);
        file_bytes file = {.size = 0};
        CHECK(tenon_write(&whole->base, append, &file, NULL) == file.size);
        const tenon_fbx_node *objects = fbx_child(&whole->root, "Objects");
        const tenon_fbx_node *mesh = objects ? objects->children : whole->root.children;
        const tenon_fbx_array *array = fbx_child(mesh, "Vertices")->values[0].array;
        // Two numbers and a half.
        uint64_t count, each = array->data.layout->stride, size = array->offset + 5 * each / 2;
        tenon_read_opts opts = {.partial = true, .incomplete = true, .format = "fbx"};
        tenon_error err;
        tenon_doc *doc = tenon_read(file.data, size, &opts, &err);
        tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
        CHECK(doc != NULL);
        objects = doc ? fbx_child(&tenon_as_fbx(doc)->root, "Objects") : NULL;
        mesh = objects ? objects->children : doc ? tenon_as_fbx(doc)->root.children : NULL;
        const tenon_fbx_node *node = fbx_child(mesh, "Vertices");
        CHECK(fbx_number_count(node) == 2);
        CHECK(doc && fbx_f64s(tenon_as_fbx(doc), node, &arena, &count, &err) && count == 2);
        tn_arena_free(&arena);
        tenon_doc_free(doc);
        tenon_doc_free(&whole->base);
    }
}

// Lists that there was no memory for had a count, and no items.
TEST(a_memory_limit_leaves_no_lists_without_items)
{
    static const char *const names[] = {"text", "narrow", "text_old", "old"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tenon_fbx *whole = read_fixture(names[i]);
        file_bytes file = {.size = 0};
        CHECK(tenon_write(&whole->base, append, &file, NULL) == file.size);
        tenon_doc_free(&whole->base);
        bool is_read = false;
        for (uint64_t limit = 1; !is_read; limit += 64) {
            tenon_error err;
            tenon_read_opts opts = {.partial = true, .max_memory = limit, .format = "fbx"};
            tenon_doc *doc = tenon_read(file.data, file.size, &opts, &err);
            is_read = doc && err.code == TENON_OK;
            CHECK(is_read || err.code == TENON_ERR_LIMIT);
            if (doc) (void)tenon_check(doc, NULL, NULL, NULL, NULL, &err);
            tenon_scene_free(doc ? tenon_to_scene(doc, NULL, &err) : NULL);
            tenon_doc_free(doc);
        }
    }
}

int main(void)
{
    RUN(all_encodings_give_the_same_tree);
    RUN(values_of_every_type_are_read);
    RUN(old_files_have_lists_and_a_second_part);
    RUN(text_is_read_as_programs_write_it);
    RUN(numbers_are_parsed_exactly);
    RUN(faults_of_text_have_a_line_and_a_column);
    RUN(numbers_that_cannot_be_decoded_are_refused_with_their_place);
    RUN(a_changed_tree_is_written_with_new_offsets);
    RUN(what_does_not_fit_is_not_written);
    RUN(damaged_files_are_recovered);
    RUN(arrays_that_are_cut_have_the_numbers_that_are_there);
    RUN(a_memory_limit_leaves_no_lists_without_items);
    TEST_END();
}
