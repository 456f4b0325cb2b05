// test_twin.c: build makes the same file from what dump wrote; mistakes in the text are found.
// SPDX-License-Identifier: MIT

#include "../test.h"

#include <tenon/tenon.h>

#include <stdlib.h>

#define FULL "tests/fixtures/bplx/document_full.bplx"

typedef struct buffer {
    char *data;
    size_t size, room;
} buffer;

static bool append(void *user, const void *bytes, size_t size)
{
    buffer *b = user;
    if (size > b->room - b->size) {
        b->room = 2 * (b->size + size);
        b->data = realloc(b->data, b->room);
        if (!b->data) abort();
    }
    memcpy(b->data + b->size, bytes, size);
    b->size += size;
    return true;
}

static buffer load(const char *path)
{
    buffer b = {0};
    char chunk[4096];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    for (size_t n; file && (n = fread(chunk, 1, sizeof chunk, file)) > 0;) append(&b, chunk, n);
    if (file) fclose(file);
    return b;
}

static buffer dump(const char *path)
{
    buffer text = {0};
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    CHECK(doc && tenon_dump(doc, append, &text, &err));
    append(&text, "", 1);
    text.size--;
    tenon_doc_free(doc);
    return text;
}

// The text with the first `old` in it replaced.
static buffer edit(const buffer *text, const char *old, const char *with)
{
    buffer out = {0};
    char *at = strstr(text->data, old);
    CHECK(at != NULL);
    if (!at) return out;
    append(&out, text->data, (size_t)(at - text->data));
    append(&out, with, strlen(with));
    append(&out, at + strlen(old), strlen(at + strlen(old)) + 1);
    out.size--;
    return out;
}

// -- The same file again

static void comes_back(const char *path)
{
    buffer file = load(path), text = dump(path), again = {0};
    tenon_error err;
    bool built = tenon_build(text.data, text.size, NULL, append, &again, &err);
    bool same = built && again.size == file.size && memcmp(again.data, file.data, file.size) == 0;
    if (!same) fprintf(stderr, "%s: %s\n", path, built ? "differs" : err.message);
    CHECK(same);
    free(file.data);
    free(text.data);
    free(again.data);
}

TEST(every_fixture_comes_back)
{
    static const char *const names[] = {"empty", "minimal", "utf8", "latin1", "float_bits"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "tests/fixtures/bplx/document_%s.bplx", names[i]);
        comes_back(path);
        snprintf(path, sizeof path, "tests/fixtures/bplx/script_%s.bplx", names[i]);
        comes_back(path);
    }
    comes_back(FULL);
    comes_back("tests/fixtures/bplx/script_animated.bplx");
}

TEST(samples_come_back)
{
    comes_back("samples/crane.bplx");
    comes_back("samples/crane_script.bplx");
}

TEST(text_that_is_not_utf8_and_the_bits_of_nans_are_kept)
{
    buffer latin = dump("tests/fixtures/bplx/document_latin1.bplx");
    CHECK(strstr(latin.data, "{\"hex\": \"4772fc6e\"}") != NULL);  // "Gr\xfcn"
    buffer bits = dump("tests/fixtures/bplx/document_float_bits.bplx");
    CHECK(strstr(bits.data, "\"f32:7f") != NULL);
    CHECK(strstr(bits.data, "-0.0") != NULL);
    CHECK(strstr(bits.data, "-0,") == NULL && strstr(bits.data, "-0]") == NULL);
    free(latin.data);
    free(bits.data);
}

// -- Edits

static tenon_doc *build_edited(const char *old, const char *with, buffer *bytes, tenon_error *err)
{
    buffer text = dump(FULL), edited = edit(&text, old, with);
    tenon_doc *doc = NULL;
    if (tenon_build(edited.data, edited.size, NULL, append, bytes, err))
        doc = tenon_read(bytes->data, bytes->size, NULL, err);
    free(text.data);
    free(edited.data);
    return doc;
}

TEST(an_edited_vertex_changes_its_bytes_and_no_other)
{
    buffer file = load(FULL), bytes = {0};
    tenon_error err;
    tenon_doc *doc = build_edited("[2, 0, 0]", "[2.5, 0, 0]", &bytes, &err);
    CHECK(doc != NULL && bytes.size == file.size);
    uint64_t offset = 0;
    CHECK(doc && tenon_locate(doc, "positions[1]", &offset, NULL));
    for (size_t i = 0; doc && i < file.size; i++)
        if (i < offset || i >= offset + 4) CHECK(bytes.data[i] == file.data[i]);
    CHECK(doc && memcmp(bytes.data + offset, "\x00\x00\x20\x40", 4) == 0);
    tenon_doc_free(doc);
    free(file.data);
    free(bytes.data);
}

TEST(an_edited_name_may_change_its_length)
{
    buffer file = load(FULL), bytes = {0};
    tenon_error err;
    tenon_doc *doc = build_edited("\"mast\"", "\"the mast\"", &bytes, &err);
    CHECK(doc != NULL && bytes.size == file.size + 4);
    tenon_doc_free(doc);
    free(file.data);
    free(bytes.data);
}

TEST(counts_in_front_of_lists_follow_the_lists)
{
    buffer file = load(FULL), bytes = {0};
    tenon_error err;
    tenon_doc *doc = build_edited("   \"keyframes\": [\n",
                                  "   \"keyframes\": [\n    {\"time\": 0, \"bone_index\": 0, "
                                  "\"position\": [0, 0, 0], \"rotation\": [0, 0, 0, 1], "
                                  "\"scale\": [1, 1, 1]},\n",
                                  &bytes, &err);
    CHECK(doc != NULL && bytes.size == file.size + 48);
    tenon_doc_free(doc);
    free(file.data);
    free(bytes.data);
}

// -- What is wrong

typedef struct mistake {
    const char *old, *with;
    const char *path, *message;
    uint64_t line, column;
} mistake;

static const mistake mistakes[] = {
    {" \"face_count\": 1,\n", "", "face_count",
     "expected the key 'face_count', found the key 'material_count'", 7, 2},
    {"\"padding\"", "\"spare\": 1,\n \"padding\"", "padding",
     "expected the key 'padding', found the key 'spare'", 9, 2},
    {"\"vertex_count\": 3", "\"vertex_count\": 4", "positions",
     "'positions' has 3 items, its count says 4", 36, 2},
    {"\"vertex_count\": 3", "\"vertex_count\": 2", "positions",
     "'positions' has more items than its count, 2", 35, 3},
    {"\"padding\": 0", "\"padding\": -1", "padding",
     "expected a number of type u32, found the number -1", 9, 13},
    {"\"padding\": 0", "\"padding\": 4294967296", "padding",
     "expected a number of type u32, found the number 4294967296", 9, 13},
    {"\"is_textured\": 0", "\"is_textured\": 256", "materials[0].is_textured",
     "expected a number of type u8, found the number 256", 18, 19},
    {"\"shininess\": 16", "\"shininess\": 1e39", "materials[0].shininess",
     "expected a number of type f32, found the number 1e39", 15, 17},
    {"\"name\": \"red\"", "\"name\": null", "materials[0].name", "expected a string, found null",
     12, 12},
    {"\"name\": \"red\"", "\"name\": {\"hex\": \"4g\"}", "materials[0].name",
     "expected pairs of hexadecimal digits, found the string \"4g\"", 12, 20},
    {"[0, 0, 1],\n  [0, 0, 1],", "[0, 0],\n  [0, 0, 1],", "normals[0]",
     "expected a number of type f32, found ']'", 38, 8},
    {"[0, 1, 2]", "[0, 1, 2, 0]", "faces[0]", "expected ']', found the number 0", 48, 13},
    {"\"tenon\": 1", "\"tenon\": 2", "tenon",
     "expected 1, the only version of this text, found the number 2", 2, 11},
    {"\"padding\": 0,", "\"padding\": 0,,", "materials",
     "invalid JSON: expected a key in double quotes", 9, 15},
};

TEST(mistakes_are_found_where_they_are)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const mistake *m = &mistakes[i];
        buffer bytes = {0};
        tenon_error err = {0};
        tenon_doc *doc = build_edited(m->old, m->with, &bytes, &err);
        CHECK(doc == NULL);
        CHECK(err.code == TENON_ERR_VALUE);
        CHECK_STR(err.message, m->message);
        CHECK_STR(err.path, m->path);
        if (err.line != m->line || err.column != m->column)
            fprintf(stderr, "%s: at %u:%u\n", m->with, (unsigned)err.line, (unsigned)err.column);
        CHECK(err.line == m->line && err.column == m->column);
        tenon_doc_free(doc);
        free(bytes.data);
    }
}

// However little is left of a list after its count, the text is cut, not the list.
TEST(a_text_that_was_cut_says_so_wherever_that_is)
{
    static const char *const files[] = {FULL, "tests/fixtures/modeldata/current_full.cea",
                                        "tests/fixtures/gltf/triangle.glb"};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        buffer text = dump(files[f]);
        size_t last = (size_t)(strrchr(text.data, '}') - text.data);
        for (size_t size = 1; size <= last; size++) {
            tenon_error err = {0};
            CHECK(!tenon_build(text.data, size, NULL, NULL, NULL, &err));
            bool ok = strcmp(err.message, "invalid JSON: the text ends inside a value") == 0;
            if (!ok) fprintf(stderr, "%s, %zu bytes: %s\n", files[f], size, err.message);
            CHECK(ok && err.offset == size);
            if (!ok) break;
        }
        free(text.data);
    }
}

TEST(unknown_formats_and_dialects_are_named)
{
    tenon_error err;
    buffer bytes = {0};
    CHECK(build_edited("\"bplx\"", "\"bplz\"", &bytes, &err) == NULL);
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "there is no format 'bplz'");
    CHECK(build_edited("\"document\"", "\"x\"", &bytes, &err) == NULL);
    CHECK_STR(err.message, "bplx has no dialect 'x'");
    free(bytes.data);
}

// Cut anywhere, the text is refused without a crash.
TEST(every_cut_is_refused)
{
    buffer text = dump(FULL);
    size_t end = text.size;
    while (end > 0 && text.data[end - 1] <= ' ') end--;
    for (size_t size = 0; size < end; size++) {
        char *exact = malloc(size ? size : 1);
        if (!exact) abort();
        memcpy(exact, text.data, size);
        buffer bytes = {0};
        tenon_error err;
        CHECK(!tenon_build(exact, size, NULL, append, &bytes, &err));
        CHECK(err.code == TENON_ERR_VALUE);
        free(bytes.data);
        free(exact);
    }
    free(text.data);
}

static bool refuse(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    size_t *room = user;
    if (size > *room) return false;
    *room -= size;
    return true;
}

TEST(an_output_that_fails_is_reported)
{
    buffer text = dump("samples/crane.bplx");
    tenon_error err;
    tenon_doc *doc = tenon_read_file("samples/crane.bplx", NULL, &err);
    for (size_t room = 0; room < 20000; room += 5000) {
        size_t left = room;
        CHECK(!tenon_build(text.data, text.size, NULL, refuse, &left, &err));
        CHECK(err.code == TENON_ERR_IO);
        left = room;
        CHECK(!tenon_dump(doc, refuse, &left, &err));
        CHECK(err.code == TENON_ERR_IO);
    }
    tenon_doc_free(doc);
    free(text.data);
}

int main(void)
{
    RUN(every_fixture_comes_back);
    RUN(samples_come_back);
    RUN(text_that_is_not_utf8_and_the_bits_of_nans_are_kept);
    RUN(an_edited_vertex_changes_its_bytes_and_no_other);
    RUN(an_edited_name_may_change_its_length);
    RUN(counts_in_front_of_lists_follow_the_lists);
    RUN(mistakes_are_found_where_they_are);
    RUN(a_text_that_was_cut_says_so_wherever_that_is);
    RUN(unknown_formats_and_dialects_are_named);
    RUN(every_cut_is_refused);
    RUN(an_output_that_fails_is_reported);
    TEST_END();
}
