// test_twin_tokens.c: a dump in which one token is replaced by another is refused where the token
// is, or builds a file.
// SPDX-License-Identifier: MIT

#include "model_help.h"

#include "core/json/json_tree.h"

static const char *const fixtures[] = {"bbanim/3.4_events.bbanim",
                                       "bbmod/3.4_skinned.bbmod",
                                       "bmw/R4_full.bmw",
                                       "bplx/document_full.bplx",
                                       "gpb/1_5_scene.gpb",
                                       "gpb/1_5_font.gpb",
                                       "modeldata/current_full.cea",
                                       "modeldata/characters_map.cem",
                                       "modeldata/current_odd_arrays.cem"};

// What a token becomes. What is never valid is refused.
typedef struct swap {
    const char *text;
    bool is_never_right;
} swap;

static const swap swaps[] = {{"null", true},
                             {"true", true},
                             {"{}", true},
                             {"{\"hex\": 1}", true},
                             {"{\"hexes\": \"\"}", true},
                             {"{\"hex\": \"0g\"}", true},
                             {"{\"hex\": \"012\"}", true},
                             {"{\"hex\": \"00\", \"b\": 1}", true},
                             {"[]", false},
                             {"[1, 2]", false},
                             {"-1", false},
                             {"0.5", false},
                             {"4294967296", false},
                             {"1e400", false},
                             {"\"f32:7fc00001\"", false},
                             {"\"f32:7fc0000\"", false},
                             {"\"a\\u0000b\"", false},
                             {"{\"hex\": \"61ff62\"}", false},
                             {"{\"hex\": \"610062\"}", false}};

static blob dump_of(const char *name)
{
    char path[128];
    blob text = {0};
    tenon_error err;
    snprintf(path, sizeof path, "tests/fixtures/%s", name);
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    if (!doc) fprintf(stderr, "%s: %s\n", path, err.message);
    CHECK(doc && tenon_dump(doc, blob_add, &text, &err));
    tenon_doc_free(doc);
    return text;
}

// The text with what is between `from` and `to` replaced.
static blob replaced(const blob *text, size_t from, size_t to, const char *by)
{
    blob other = {0};
    blob_add(&other, text->data, from);
    blob_add(&other, by, strlen(by));
    blob_add(&other, text->data + to, text->size - to);
    return other;
}

// Build it. A refusal has a reason; a result can be used as a file, which need not be a model:
// offsets and sizes may be wrong by now, and tenon_build_file() checks that.
static bool is_built(const blob *text)
{
    blob bytes = {0};
    tenon_error err = {0};
    bool ok = tenon_build((const char *)text->data, text->size, NULL, blob_add, &bytes, &err);
    tenon_doc *doc = ok ? tenon_read(bytes.data, bytes.size, NULL, &err) : NULL;
    CHECK(doc || (err.message[0] && err.code != TENON_OK));
    tenon_doc_free(doc);
    blob_free(&bytes);
    return ok;
}

// Every value of the text, one after the other; of long texts some.
static void swap_values(const char *name)
{
    blob text = dump_of(name);
    tn_json json;
    size_t count = 0;
    tn_json_begin(&json, text.data, text.size, 0);
    while (tn_json_next(&json) > TN_JSON_END) {
        bool is_plain = json.token.kind >= TN_JSON_STRING;
        if (!is_plain || (++count > 90 && count % 7)) continue;
        for (size_t i = 0; i < sizeof swaps / sizeof swaps[0]; i++) {
            blob other = replaced(&text, (size_t)json.token.offset, json.pos, swaps[i].text);
            bool ok = is_built(&other);
            if (ok && swaps[i].is_never_right)
                fprintf(stderr, "%s: %s in place of '%.*s' is taken\n", name, swaps[i].text,
                        (int)json.token.size, json.token.text);
            CHECK(!ok || !swaps[i].is_never_right);
            blob_free(&other);
        }
    }
    CHECK(json.token.kind == TN_JSON_END && count > 10);
    blob_free(&text);
}

TEST(values_of_another_kind_are_refused)
{
    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++) swap_values(fixtures[i]);
}

// Whether an error is where the value is: a field of numbers or bytes is one place.
static bool is_path_of(const char *path, const tn_json_value *value)
{
    char whole[256];
    tn_json_tree_path(value, whole, sizeof whole);
    size_t size = strlen(path);
    if (strncmp(whole, path, size) != 0) return false;
    const char *rest = whole + size;
    return !*rest || strcmp(rest, ".hex") == 0 || (*rest == '[' && !strpbrk(rest + 1, "[."));
}

static void find_paths(const char *name)
{
    blob text = dump_of(name);
    tenon_allocator allocator = {0};
    tn_arena arena = tn_arena_make(&allocator, UINT64_MAX);
    tn_json_tree tree;
    size_t count = 0;
    CHECK(tn_json_tree_parse(&tree, (char *)text.data, text.size, &arena, NULL));
    const tn_json_value *value = tree.root;
    while (value) {
        bool has_items = value->kind >= TN_TREE_ARRAY && value->size > 0;
        bool is_tried = value != tree.root && (++count < 90 || count % 7 == 0);
        if (is_tried) {
            blob other = replaced(&text, value->offset, value->end, "null");
            tenon_error err = {0};
            CHECK(!tenon_build((char *)other.data, other.size, NULL, NULL, NULL, &err));
            if (!is_path_of(err.path, value)) {
                char whole[256];
                tn_json_tree_path(value, whole, sizeof whole);
                fprintf(stderr, "%s: '%s' is the path of %s\n", name, err.path, whole);
                test_failures++;
            }
            blob_free(&other);
        }
        if (has_items) {
            value = value->items[0];
            continue;
        }
        while (value->parent && value->index + 1 == value->parent->size) value = value->parent;
        value = value->parent ? value->parent->items[value->index + 1] : NULL;
    }
    CHECK(count > 10);
    tn_arena_free(&arena);
    blob_free(&text);
}

TEST(errors_have_the_whole_path_of_their_value)
{
    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++) find_paths(fixtures[i]);
}

// Keys are in their order, all of them, and no others.
static void swap_keys(const char *name)
{
    blob text = dump_of(name);
    tn_json json;
    size_t count = 0;
    tn_json_begin(&json, text.data, text.size, 0);
    while (tn_json_next(&json) > TN_JSON_END) {
        if (json.token.kind != TN_JSON_KEY || (++count > 90 && count % 5)) continue;
        size_t at = (size_t)json.token.offset;
        blob other = replaced(&text, at, at + json.token.size + 2, "\"nothing\"");
        blob twice = replaced(&text, at, at, "\"nothing\": 0, ");
        CHECK(!is_built(&other));
        CHECK(!is_built(&twice));
        blob_free(&other);
        blob_free(&twice);
    }
    CHECK(json.token.kind == TN_JSON_END && count > 5);
    blob_free(&text);
}

TEST(keys_that_are_not_known_are_refused)
{
    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++) swap_keys(fixtures[i]);
}

// An output that takes only so many bytes: the error is that of the output.
typedef struct narrow {
    size_t room;
} narrow;

static bool narrow_add(void *user, const void *bytes, size_t size)
{
    narrow *n = user;
    (void)bytes;
    if (size > n->room) return false;
    n->room -= size;
    return true;
}

TEST(an_output_may_refuse_any_byte)
{
    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++) {
        blob text = dump_of(fixtures[i]);
        bool is_over = false;
        size_t tried = 0;
        for (size_t room = 0; !is_over && room < 4096; room += 3, tried++) {
            tenon_error err = {0};
            narrow n = {room};
            is_over = tenon_build((const char *)text.data, text.size, NULL, narrow_add, &n, &err);
            CHECK(is_over || err.code == TENON_ERR_IO);
        }
        CHECK(tried > 5);
        blob_free(&text);
    }
}

int main(void)
{
    RUN(values_of_another_kind_are_refused);
    RUN(errors_have_the_whole_path_of_their_value);
    RUN(keys_that_are_not_known_are_refused);
    RUN(an_output_may_refuse_any_byte);
    TEST_END();
}
