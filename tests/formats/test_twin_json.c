// test_twin_json.c: the JSON of a GLB file in a dump: as values, or as pieces of its text.
// SPDX-License-Identifier: MIT

#include "model_help.h"

#include "core/json/json.h"

static void add_u32(blob *b, uint32_t v)
{
    uint8_t wire[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    blob_add(b, wire, 4);
}

// A file with nothing but this chunk of JSON.
static blob glb_of(const char *json, size_t size)
{
    blob file = {0};
    blob_add(&file, "glTF", 4);
    add_u32(&file, 2);
    add_u32(&file, (uint32_t)(20 + size));
    add_u32(&file, (uint32_t)size);
    blob_add(&file, "JSON", 4);
    blob_add(&file, json, size);
    return file;
}

// The dump, terminated.
static blob dump_of(const blob *file)
{
    blob text = {0};
    tenon_error err = {0};
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, &err);
    if (!doc) fprintf(stderr, "%s\n", err.message);
    CHECK(doc && tenon_dump(doc, blob_add, &text, &err));
    blob_add(&text, "", 1);
    text.size--;
    tenon_doc_free(doc);
    return text;
}

static bool is_built_from(const blob *file, const char *text, size_t size)
{
    blob built = {0};
    tenon_error err = {0};
    bool ok = tenon_build(text, size, NULL, blob_add, &built, &err) && blob_same(&built, file);
    if (err.code != TENON_OK) fprintf(stderr, "%.40s: %s\n", text, err.message);
    blob_free(&built);
    return ok;
}

// Whether the chunk comes back from its dump, in which `part` is.
static bool is_shown(const char *json, const char *part)
{
    blob file = glb_of(json, strlen(json)), text = dump_of(&file);
    bool is_exact = is_built_from(&file, (char *)text.data, text.size);
    bool has_part = strstr((char *)text.data, part) != NULL;
    if (!is_exact) fprintf(stderr, "%s is built differently\n", json);
    if (!has_part) fprintf(stderr, "'%s' is not in:\n%s", part, (char *)text.data);
    blob_free(&file);
    blob_free(&text);
    return is_exact && has_part;
}

TEST(json_without_spaces_is_shown_as_values)
{
    CHECK(is_shown("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"scale\":[1,2,3]}]}",
                   "   \"json\": {\n    \"asset\": {\n     \"version\": \"2.0\"\n    },\n"
                   "    \"nodes\": [\n     {\n      \"scale\": [1, 2, 3]\n     }\n    ]\n   }\n"));
    CHECK(is_shown("{}", "\"json\": {}"));
    CHECK(is_shown("{\"a\":[]}   ", "\"a\": []"));
    CHECK(is_shown("{\"a\":[\"x]\",\"[\\\"\",{}]}", "\"[\\\"\",\n"));
}

TEST(values_keep_their_spelling)
{
    CHECK(is_shown("{\"a\":[1.50,1E+2,-0,1e400]}", "[1.50, 1E+2, -0, 1e400]"));
    CHECK(
        is_shown("{\"\\u0061\\/\":\"\\u00e9\\/\\ud83d\\ude00\"}", "\"\\u0061\\/\": \"\\u00e9\\/"));
    CHECK(is_shown("{\"a\":1,\"a\":true,\"\":null}", "\"a\": true"));
}

TEST(other_json_is_shown_as_pieces)
{
    CHECK(is_shown("{\"asset\": {\"version\":\"2.0\"},\"a,b\":[1,2]}",
                   "\"json\": [\n    \"{\\\"asset\\\": {\\\"version\\\":\\\"2.0\\\"},\",\n"
                   "    \"\\\"a,\",\n    \"b\\\":[1,\",\n    \"2]}\"\n   ]\n"));
    CHECK(is_shown("{\"a\":1}    ", "\"{\\\"a\\\":1}    \""));  // More than padding.
    CHECK(is_shown("{\"a\":1}\n", "\"{\\\"a\\\":1}\\n\""));
}

// What could be read as another spelling of text.
TEST(json_that_looks_like_other_text_is_shown_as_pieces)
{
    CHECK(is_shown("{\"hex\":\"00\"}", "\"{\\\"hex\\\":\\\"00\\\"}\""));
    CHECK(is_shown("{\"h\\u0065x\":\"00\"}", "\"json\": ["));
    CHECK(is_shown("[\"a\",\"b\"]", "\"[\\\"a\\\",\","));
    CHECK(is_shown("\"text\"", "\"\\\"text\\\"\""));
    CHECK(is_shown("1", "\"1\""));
    CHECK(is_shown("{\"a\":{\"hex\":\"00\"}}", "\"hex\": \"00\""));
}

// Deeper than is shown as values, and as deep as JSON may be.
TEST(json_that_is_deep_comes_back)
{
    static const uint32_t depths[] = {31, 32, 33, TN_JSON_MAX_DEPTH - 4, TN_JSON_MAX_DEPTH};
    for (size_t k = 0; k < sizeof depths / sizeof depths[0]; k++) {
        uint32_t depth = depths[k];
        blob json = {0};
        blob_add(&json, "{\"a\":", 5);
        for (uint32_t i = 1; i < depth; i++) blob_add(&json, "[", 1);
        for (uint32_t i = 1; i < depth; i++) blob_add(&json, "]", 1);
        blob_add(&json, "}", 2);
        CHECK(is_shown((char *)json.data, depth <= 32 ? "\"a\": [" : "\"json\": ["));
        blob_free(&json);
    }
}

// A string is what dumps of earlier versions have.
TEST(json_may_be_given_as_a_string_or_digits)
{
    const char *head =
        "{\"tenon\":1,\"format\":\"gltf\",\"dialect\":\"glb\",\"version\":2,\"length\":27,"
        "\"chunk_count\":1,\"chunks\":[{\"length\":7,\"type\":1313821514,\"json\":";
    const char *const spellings[] = {"\"{\\\"a\\\":1}\"", "{\"hex\":\"7b2261223a317d\"}",
                                     "{\"a\" : 1}", "[\"{\\\"a\\\"\", \":1}\"]"};
    blob file = glb_of("{\"a\":1}", 7);
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        char text[512];
        int size = snprintf(text, sizeof text, "%s%s}]}", head, spellings[i]);
        CHECK(is_built_from(&file, text, (size_t)size));
    }
    blob_free(&file);
}

TEST(json_of_another_size_is_refused)
{
    const char *head =
        "{\"tenon\":1,\"format\":\"gltf\",\"dialect\":\"glb\",\"version\":2,\"length\":27,"
        "\"chunk_count\":1,\"chunks\":[{\"length\":7,\"type\":1313821514,\"json\":";
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{}", "'json' has 2 bytes, its size says 7"},
        {"{\"a\":123}", "'json' has 9 bytes, its size says 7"},
        {"[\"{\\\"a\\\":\", \"1} \"]", "'json' has 8 bytes, its size says 7"},
        {"[\"{}\", {}]", "expected a string, found '{'"},
        {"[\"{}\"", "invalid JSON: expected ',' or ']'"},
        {"{\"a\":}", "invalid JSON: expected a value"},
        {"7", "expected a string, found the number 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        blob built = {0};
        tenon_error err = {0};
        int size = snprintf(text, sizeof text, "%s%s}]}", head, cases[i].json);
        CHECK(!tenon_build(text, (size_t)size, NULL, blob_add, &built, &err));
        CHECK_STR(err.message, cases[i].message);
        CHECK_STR(err.path, "chunks[0].json");
        blob_free(&built);
    }
}

int main(void)
{
    RUN(json_without_spaces_is_shown_as_values);
    RUN(values_keep_their_spelling);
    RUN(other_json_is_shown_as_pieces);
    RUN(json_that_looks_like_other_text_is_shown_as_pieces);
    RUN(json_that_is_deep_comes_back);
    RUN(json_may_be_given_as_a_string_or_digits);
    RUN(json_of_another_size_is_refused);
    TEST_END();
}
