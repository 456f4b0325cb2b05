// test_json.c: the JSON tokenizer and writer, each alone and one against the other.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/json/json.h"
#include "core/json/json_write.h"
#include "core/text/number.h"

#include <math.h>
#include <stdlib.h>

// -- Helpers

typedef struct buffer {
    size_t size;
    char text[200000];
} buffer;

static void add(buffer *b, const char *text, size_t size)
{
    if (size > sizeof b->text - 1 - b->size) abort();
    memcpy(b->text + b->size, text, size);
    b->size += size;
    b->text[b->size] = '\0';
}

static void add_token(buffer *b, const tn_json_token *token)
{
    static const char *const names[] = {"error", "end", "{", "}",    "[",     "]",
                                        "k:",    "s:",  "",  "true", "false", "null"};
    if (b->size) add(b, " ", 1);
    add(b, names[token->kind], strlen(names[token->kind]));
    if (token->kind == TN_JSON_NUMBER) add(b, token->text, token->size);
    if (token->kind != TN_JSON_KEY && token->kind != TN_JSON_STRING) return;
    char *decoded = malloc(token->size + 1);
    size_t size = tn_json_decode(token, decoded);
    CHECK(size <= token->size && size == tn_json_decode(token, NULL));
    add(b, decoded, size);
    free(decoded);
}

// Tokenizes a copy that ends where its memory ends, so that sanitizers notice a read beyond it.
static tn_json_error tokens(const char *text, size_t size, uint32_t max_depth, buffer *out)
{
    char *copy = malloc(size ? size : 1);
    if (size) memcpy(copy, text, size);
    tn_json json;
    tn_json_begin(&json, copy, size, max_depth);
    out->size = 0;
    out->text[0] = '\0';
    do {
        tn_json_next(&json);
        add_token(out, &json.token);
        CHECK(json.token.offset <= size);
    } while (json.token.kind > TN_JSON_END);
    CHECK(tn_json_next(&json) == json.token.kind);  // And every time after that.
    free(copy);
    return json.error;
}

static const char *trace(const char *text)
{
    static buffer out;
    tokens(text, strlen(text), 0, &out);
    return out.text;
}

static tn_json_error error_of(const char *text, size_t size)
{
    static buffer out;
    return tokens(text, size, 0, &out);
}

// -- What is accepted

TEST(values_of_every_kind)
{
    CHECK_STR(trace("{}"), "{ } end");
    CHECK_STR(trace("[]"), "[ ] end");
    CHECK_STR(trace(" \t\r\n[ \n] "), "[ ] end");
    CHECK_STR(trace("true"), "true end");
    CHECK_STR(trace("false"), "false end");
    CHECK_STR(trace("null"), "null end");
    CHECK_STR(trace("0"), "0 end");
    CHECK_STR(trace("-0.5e+10"), "-0.5e+10 end");
    CHECK_STR(trace("\"\""), "s: end");
    CHECK_STR(trace("[1,2 , 3]"), "[ 1 2 3 ] end");
    CHECK_STR(trace("{\"a\":1,\"b\":[{}, null]}"), "{ k:a 1 k:b [ { } null ] } end");
    CHECK_STR(trace("{\"a\":{\"a\":[[]]},\"\":\"x\"}"), "{ k:a { k:a [ [ ] ] } k: s:x } end");
    CHECK_STR(trace("[true,false,null,\"s\"]"), "[ true false null s:s ] end");
}

TEST(strings_are_decoded)
{
    CHECK_STR(trace("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "s:\"\\/\b\f\n\r\t end");
    CHECK_STR(trace("\"\\u0041\\u00e4\\u20AC\""), "s:A\xC3\xA4\xE2\x82\xAC end");
    CHECK_STR(trace("\"\\ud83d\\uDD28\""), "s:\xF0\x9F\x94\xA8 end");
    CHECK_STR(trace("\"\\uFFFF\\uD7FF\\uE000\""), "s:\xEF\xBF\xBF\xED\x9F\xBF\xEE\x80\x80 end");
    CHECK_STR(trace("\"\xC3\xA4 \x7F \xF4\x8F\xBF\xBF\""), "s:\xC3\xA4 \x7F \xF4\x8F\xBF\xBF end");
    tn_json json;
    tn_json_begin(&json, "[\"a\\u0000b\", \"plain\"]", 21, 0);
    tn_json_next(&json);
    CHECK(tn_json_next(&json) == TN_JSON_STRING && json.token.has_escapes);
    CHECK(json.token.offset == 1 && json.token.size == 8);
    char out[8];
    CHECK(tn_json_decode(&json.token, out) == 3 && memcmp(out, "a\0b", 3) == 0);
    CHECK(tn_json_next(&json) == TN_JSON_STRING && !json.token.has_escapes);
    CHECK(json.token.offset == 13 && json.token.size == 5);
    CHECK(memcmp(json.token.text, "plain", 5) == 0);
}

static bool key_is(const char *text, const char *want)
{
    tn_json json;
    tn_json_begin(&json, text, strlen(text), 0);
    CHECK(tn_json_next(&json) == TN_JSON_OBJECT_BEGIN && tn_json_next(&json) == TN_JSON_KEY);
    return tn_json_is(&json.token, want);
}

TEST(keys_are_compared_with_escapes_resolved)
{
    CHECK(key_is("{\"name\":0}", "name"));
    CHECK(!key_is("{\"name\":0}", "nam"));
    CHECK(!key_is("{\"name\":0}", "names"));
    CHECK(key_is("{\"n\\u0061me\":0}", "name"));
    CHECK(key_is("{\"\\u006e\\u0061\\u006d\\u0065\":0}", "name"));
    CHECK(!key_is("{\"n\\u0061me\":0}", "nam"));
    CHECK(!key_is("{\"n\\u0061me\":0}", "names"));
    CHECK(!key_is("{\"n\\u0061me\":0}", "n\\u0061me"));
    CHECK(!key_is("{\"name\\u0000\":0}", "name"));
    CHECK(key_is("{\"\":0}", ""));
    CHECK(key_is("{\"\\t\":0}", "\t"));
    CHECK(key_is("{\"\\ud83d\\udd28!\":0}", "\xF0\x9F\x94\xA8!"));
}

TEST(numbers_are_slices)
{
    tn_json json;
    tn_json_begin(&json, "[0.5, 18446744073709551615]", 27, 0);
    tn_json_next(&json);
    double d;
    uint64_t u;
    CHECK(tn_json_next(&json) == TN_JSON_NUMBER && json.token.offset == 1);
    CHECK(tn_f64_parse(json.token.text, json.token.size, &d) && d == 0.5);
    CHECK(tn_json_next(&json) == TN_JSON_NUMBER && json.token.offset == 6);
    CHECK(tn_u64_parse(json.token.text, json.token.size, &u) && u == UINT64_MAX);
}

// -- What is rejected

typedef struct rejection {
    const char *text;
    tn_json_code code;
    uint64_t offset;
} rejection;

static void check_rejections(const rejection *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tn_json_error error = error_of(list[i].text, strlen(list[i].text));
        bool is_right = error.code == list[i].code && error.offset == list[i].offset;
        if (!is_right)
            fprintf(stderr, "%s: \"%s\" at %u\n", list[i].text, error.message,
                    (unsigned)error.offset);
        CHECK(is_right);
    }
}

#define CHECK_REJECTIONS(list) check_rejections(list, sizeof(list) / sizeof *(list))

TEST(broken_structure_is_rejected_where_it_breaks)
{
    static const rejection list[] = {
        {"", TN_JSON_ERR_EMPTY, 0},
        {" \n ", TN_JSON_ERR_EMPTY, 3},
        {"\xEF\xBB\xBF[]", TN_JSON_ERR_BOM, 0},
        {"[1,]", TN_JSON_ERR_SPARE_COMMA, 2},
        {"[1 , ]", TN_JSON_ERR_SPARE_COMMA, 3},
        {"{\"a\":1,}", TN_JSON_ERR_SPARE_COMMA, 6},
        {"[,1]", TN_JSON_ERR_VALUE, 1},
        {"[1,,2]", TN_JSON_ERR_VALUE, 3},
        {"{,}", TN_JSON_ERR_KEY, 1},
        {"[1 2]", TN_JSON_ERR_ARRAY_COMMA, 3},
        {"[1}", TN_JSON_ERR_ARRAY_COMMA, 2},
        {"[1:2]", TN_JSON_ERR_ARRAY_COMMA, 2},
        {"{\"a\":1 \"b\":2}", TN_JSON_ERR_OBJECT_COMMA, 7},
        {"{\"a\":1]", TN_JSON_ERR_OBJECT_COMMA, 6},
        {"{\"a\" 1}", TN_JSON_ERR_COLON, 5},
        {"{\"a\"}", TN_JSON_ERR_COLON, 4},
        {"{\"a\":}", TN_JSON_ERR_VALUE, 5},
        {"{a:1}", TN_JSON_ERR_KEY, 1},
        {"{'a':1}", TN_JSON_ERR_KEY, 1},
        {"{1:1}", TN_JSON_ERR_KEY, 1},
        {"{\"a\":1,2}", TN_JSON_ERR_KEY, 7},
        {"[}", TN_JSON_ERR_VALUE, 1},
        {"{]", TN_JSON_ERR_KEY, 1},
        {"]", TN_JSON_ERR_VALUE, 0},
        {"[] []", TN_JSON_ERR_REST, 3},
        {"1 2", TN_JSON_ERR_REST, 2},
        {"{}}", TN_JSON_ERR_REST, 2},
        {"null\f", TN_JSON_ERR_REST, 4},
        {"[1] // ok", TN_JSON_ERR_REST, 4},
        {"// a\n[]", TN_JSON_ERR_COMMENT, 0},
        {"[1, /* a */ 2]", TN_JSON_ERR_COMMENT, 4},
        {"[1 /* a */, 2]", TN_JSON_ERR_COMMENT, 3},
        {"{\"a\" /**/: 1}", TN_JSON_ERR_COMMENT, 5},
        {"[\v1]", TN_JSON_ERR_VALUE, 1},
        {"[\xC2\xA0]", TN_JSON_ERR_VALUE, 1},
    };
    CHECK_REJECTIONS(list);
}

TEST(what_is_not_a_value_is_rejected)
{
    static const rejection list[] = {
        {"NaN", TN_JSON_ERR_VALUE, 0},
        {"[Infinity]", TN_JSON_ERR_VALUE, 1},
        {"[-Infinity]", TN_JSON_ERR_DIGIT, 2},
        {"[nan]", TN_JSON_ERR_VALUE, 1},
        {"[True]", TN_JSON_ERR_VALUE, 1},
        {"[truE]", TN_JSON_ERR_VALUE, 1},
        {"[undefined]", TN_JSON_ERR_VALUE, 1},
        {"[truely]", TN_JSON_ERR_ARRAY_COMMA, 5},
        {"nul", TN_JSON_ERR_CUT, 3},
        {"'a'", TN_JSON_ERR_VALUE, 0},
        {"[01]", TN_JSON_ERR_LEADING_ZERO, 2},
        {"[-012]", TN_JSON_ERR_LEADING_ZERO, 3},
        {"[00]", TN_JSON_ERR_LEADING_ZERO, 2},
        {"[+1]", TN_JSON_ERR_VALUE, 1},
        {"[.5]", TN_JSON_ERR_VALUE, 1},
        {"[-.5]", TN_JSON_ERR_DIGIT, 2},
        {"[1.]", TN_JSON_ERR_DIGIT, 3},
        {"[1.e5]", TN_JSON_ERR_DIGIT, 3},
        {"[1e]", TN_JSON_ERR_DIGIT, 3},
        {"[1e+]", TN_JSON_ERR_DIGIT, 4},
        {"[--1]", TN_JSON_ERR_DIGIT, 2},
        {"[0x10]", TN_JSON_ERR_ARRAY_COMMA, 2},
        {"[1_000]", TN_JSON_ERR_ARRAY_COMMA, 2},
        {"1.5f", TN_JSON_ERR_REST, 3},
        {"-", TN_JSON_ERR_CUT, 1},
        {"1e", TN_JSON_ERR_CUT, 2},
    };
    CHECK_REJECTIONS(list);
}

TEST(broken_strings_are_rejected_where_they_break)
{
    static const rejection list[] = {
        {"\"abc", TN_JSON_ERR_CUT, 4},
        {"\"abc\\", TN_JSON_ERR_CUT, 5},
        {"\"a\nb\"", TN_JSON_ERR_CONTROL, 2},
        {"\"a\tb\"", TN_JSON_ERR_CONTROL, 2},
        {"\"\x1F\"", TN_JSON_ERR_CONTROL, 1},
        {"\"a\\x41\"", TN_JSON_ERR_ESCAPE, 2},
        {"\"\\'\"", TN_JSON_ERR_ESCAPE, 1},
        {"\"\\U0041\"", TN_JSON_ERR_ESCAPE, 1},
        {"\"\\\n\"", TN_JSON_ERR_ESCAPE, 1},
        {"\"\\u12\"", TN_JSON_ERR_HEX, 1},
        {"\"\\u12G4\"", TN_JSON_ERR_HEX, 1},
        {"\"\\u+123\"", TN_JSON_ERR_HEX, 1},
        {"\"\\ud800\"", TN_JSON_ERR_SURROGATE, 1},
        {"\"ab\\uDC00\"", TN_JSON_ERR_SURROGATE, 3},
        {"\"\\ud800x\"", TN_JSON_ERR_SURROGATE, 1},
        {"\"\\ud800\\n\"", TN_JSON_ERR_SURROGATE, 1},
        {"\"\\ud800\\u0041\"", TN_JSON_ERR_SURROGATE, 1},
        {"\"\\ud800\\ud800\"", TN_JSON_ERR_SURROGATE, 1},
        {"\"\\udc00\\ud800\"", TN_JSON_ERR_SURROGATE, 1},
        {"\"\\ud800\\u12\"", TN_JSON_ERR_HEX, 1},
        {"\"\xFF\"", TN_JSON_ERR_UTF8, 1},
        {"\"ab\xC3\"", TN_JSON_ERR_UTF8, 3},
        {"\"\xC0\xAF\"", TN_JSON_ERR_UTF8, 1},
        {"\"\xED\xA0\x80\"", TN_JSON_ERR_UTF8, 1},
        {"\"\xF4\x90\x80\x80\"", TN_JSON_ERR_UTF8, 1},
        {"{\"\x80\":1}", TN_JSON_ERR_UTF8, 2},
        {"\"\xE0\x80", TN_JSON_ERR_UTF8, 1},
        {"\"\xF0\x9F\xC0", TN_JSON_ERR_UTF8, 1},
        {"\"\xFF", TN_JSON_ERR_UTF8, 1},
    };
    CHECK_REJECTIONS(list);
    CHECK(error_of("\"a\0b\"", 5).code == TN_JSON_ERR_CONTROL);
    CHECK(error_of("\"\\\0\"", 4).code == TN_JSON_ERR_ESCAPE);
    CHECK(error_of("[]\0", 3).code == TN_JSON_ERR_REST);
}

TEST(errors_have_messages)
{
    CHECK_STR(error_of("[1,]", 4).message, "nothing follows the last ','");
    CHECK_STR(error_of("[\"\\u1\"]", 7).message, "'\\u' needs four hexadecimal digits");
    CHECK_STR(error_of("[]", 2).message, "no error");
}

// -- Every byte

static const char sample[] =
    " {\"name\": \"t\\u0065non \\ud83d\\udd28\", \"raw\": \"\xC3\xA9 \xE2\x82\xAC "
    "\xF0\x9F\x94\xA8\",\n"
    "  \"size\": -12.5e-3,\n"
    "  \"list\": [true, false, null, 0, [], {}], \"deep\": [[[{\"\": \"\\n\"}]]] }\n";

TEST(every_truncation_is_a_cut)
{
    size_t last = (size_t)(strrchr(sample, '}') - sample) + 1;
    CHECK(error_of(sample, sizeof sample - 1).code == TN_JSON_OK);
    CHECK(error_of(sample, last).code == TN_JSON_OK);
    for (size_t size = 0; size < last; size++) {
        tn_json_error error = error_of(sample, size);
        CHECK(error.code == (size < 2 ? TN_JSON_ERR_EMPTY : TN_JSON_ERR_CUT));
        CHECK(error.offset == size);
    }
}

// The only requirement is that it ends, in bounds, with at most one token for each byte.
TEST(every_changed_byte_is_handled)
{
    static buffer out;
    for (size_t at = 0; at < sizeof sample - 1; at++) {
        for (int c = 0; c < 256; c++) {
            char text[sizeof sample];
            memcpy(text, sample, sizeof text);
            text[at] = (char)c;
            tn_json_error error = tokens(text, sizeof sample - 1, 0, &out);
            CHECK(error.code == TN_JSON_OK ? error.offset == 0 : error.offset < sizeof sample);
        }
    }
}

TEST(nesting_has_a_limit)
{
    static char text[2 * TN_JSON_MAX_DEPTH + 2];
    static buffer out;
    for (size_t i = 0; i < TN_JSON_MAX_DEPTH + 1; i++) {
        text[i] = '[';
        text[sizeof text - 1 - i] = ']';
    }
    const char *inner = text + 1;
    CHECK(tokens(inner, sizeof text - 2, 0, &out).code == TN_JSON_OK);
    CHECK(tokens(inner, sizeof text - 2, 5000, &out).code == TN_JSON_OK);
    tn_json_error error = tokens(text, sizeof text, 0, &out);
    CHECK(error.code == TN_JSON_ERR_DEPTH && error.offset == TN_JSON_MAX_DEPTH);
    CHECK(tokens("[{\"a\":[]}]", 10, 3, &out).code == TN_JSON_OK);
    error = tokens("[{\"a\":[]}]", 10, 2, &out);
    CHECK(error.code == TN_JSON_ERR_DEPTH && error.offset == 6);
    CHECK(tokens("[[],[],[]]", 10, 2, &out).code == TN_JSON_OK);
}

TEST(levels_are_remembered_beyond_one_word_of_bits)
{
    static char text[20 * 300];
    static buffer out;
    size_t size = 0;
    for (int i = 0; i < 300; i++) size += (size_t)sprintf(text + size, i % 3 ? "[" : "{\"k\":");
    strcpy(text + size++, "0");
    for (int i = 299; i >= 0; i--) text[size++] = i % 3 ? ']' : '}';
    CHECK(tokens(text, size, 300, &out).code == TN_JSON_OK);
    text[size - 150] = text[size - 150] == ']' ? '}' : ']';
    CHECK(tokens(text, size, 300, &out).offset == size - 150);
}

// Linear time: each call advances, and as many calls as there are tokens reach the end.
TEST(as_many_calls_as_tokens)
{
    enum { COUNT = 200000 };
    char *text = malloc(COUNT * 4 + 2), *p = text;
    *p++ = '[';
    for (int i = 0; i < COUNT; i++) p += sprintf(p, i ? ",%d" : "%d", i % 100);
    *p++ = ']';
    tn_json json;
    tn_json_begin(&json, text, (size_t)(p - text), 0);
    uint64_t count = 0, offset = 0;
    while (tn_json_next(&json) > TN_JSON_END) {
        CHECK(count == 0 || json.token.offset > offset);
        offset = json.token.offset;
        count++;
    }
    CHECK(json.token.kind == TN_JSON_END && count == COUNT + 2);
    free(text);
}

TEST(offsets_become_lines_and_columns)
{
    static const char text[] = "ab\n\ncd\r\nx";
    static const struct {
        uint64_t offset, line, column;
    } cases[] = {{0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {4, 3, 1},
                 {6, 3, 3}, {8, 4, 1}, {9, 4, 2}, {99, 4, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t line, column;
        tn_json_place(text, sizeof text - 1, cases[i].offset, &line, &column);
        CHECK(line == cases[i].line && column == cases[i].column);
    }
    uint64_t line, column;
    tn_json_place(NULL, 0, 0, &line, &column);
    CHECK(line == 1 && column == 1);
}

// -- The writer

static bool to_buffer(void *user, const void *bytes, size_t size)
{
    add(user, bytes, size);
    return true;
}

static buffer written;

static tn_json_writer start(uint32_t indent)
{
    tn_json_writer w;
    written.size = 0;
    tn_json_writer_begin(&w, to_buffer, &written, indent);
    return w;
}

TEST(the_writer_lays_out)
{
    tn_json_writer w = start(1);
    tn_json_put_object_begin(&w, TN_JSON_BLOCK);
    tn_json_put_key(&w, "name");
    tn_json_put_string(&w, "tenon");
    tn_json_put_key(&w, "list");
    tn_json_put_array_begin(&w, TN_JSON_INLINE);
    for (int i = 1; i <= 3; i++) tn_json_put_i64(&w, -i);
    tn_json_put_array_end(&w);
    tn_json_put_key(&w, "rows");
    tn_json_put_array_begin(&w, TN_JSON_BLOCK);
    for (int i = 0; i < 2; i++) {
        tn_json_put_object_begin(&w, TN_JSON_INLINE);
        tn_json_put_key(&w, "a");
        tn_json_put_bool(&w, i == 0);
        tn_json_put_key(&w, "b");
        tn_json_put_array_begin(&w, TN_JSON_BLOCK);  // Inline all the same.
        tn_json_put_null(&w);
        tn_json_put_raw(&w, "1e2", 3);
        tn_json_put_array_end(&w);
        tn_json_put_object_end(&w);
    }
    tn_json_put_array_end(&w);
    tn_json_put_key(&w, "empty");
    tn_json_put_array_begin(&w, TN_JSON_BLOCK);
    tn_json_put_object_begin(&w, TN_JSON_BLOCK);
    tn_json_put_object_end(&w);
    tn_json_put_array_begin(&w, TN_JSON_INLINE);
    tn_json_put_array_end(&w);
    tn_json_put_array_end(&w);
    tn_json_put_object_end(&w);
    CHECK(tn_json_writer_end(&w));
    CHECK_STR(written.text, "{\n"
                            " \"name\": \"tenon\",\n"
                            " \"list\": [-1, -2, -3],\n"
                            " \"rows\": [\n"
                            "  {\"a\": true, \"b\": [null, 1e2]},\n"
                            "  {\"a\": false, \"b\": [null, 1e2]}\n"
                            " ],\n"
                            " \"empty\": [\n"
                            "  {},\n"
                            "  []\n"
                            " ]\n"
                            "}\n");
}

TEST(the_writer_indents_by_as_much_as_requested)
{
    tn_json_writer w = start(20);
    for (int i = 0; i < 3; i++) tn_json_put_array_begin(&w, TN_JSON_BLOCK);
    tn_json_put_u64(&w, UINT64_MAX);
    for (int i = 0; i < 3; i++) tn_json_put_array_end(&w);
    CHECK(tn_json_writer_end(&w));
    char want[400];
    snprintf(want, sizeof want, "[\n%20s[\n%40s[\n%60s18446744073709551615\n%40s]\n%20s]\n]\n", "",
             "", "", "", "");
    CHECK_STR(written.text, want);
}

TEST(the_writer_escapes_what_it_must)
{
    char all[0x82];
    for (int i = 0; i < 0x80; i++) all[i] = (char)i;
    memcpy(all + 0x80, "\xC3\xA4", 2);
    tn_json_writer w = start(0);
    tn_json_put_string_bytes(&w, all, sizeof all);
    CHECK(tn_json_writer_end(&w));
    CHECK(memcmp(written.text, "\"\\u0000\\u0001", 13) == 0);
    CHECK(strstr(written.text, "\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e") != NULL);
    CHECK(strstr(written.text, "\\u001f !\\\"#") != NULL);
    CHECK(strstr(written.text, "[\\\\]") != NULL);
    CHECK(strstr(written.text, "~\x7F\xC3\xA4\"\n") != NULL);
    tn_json json;
    char back[400];
    tn_json_begin(&json, written.text, written.size, 0);
    CHECK(tn_json_next(&json) == TN_JSON_STRING);
    CHECK(tn_json_decode(&json.token, back) == sizeof all && memcmp(back, all, sizeof all) == 0);
}

static float from_bits(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

TEST(the_writer_keeps_nan_and_infinity)
{
    tn_json_writer w = start(0);
    tn_json_put_array_begin(&w, TN_JSON_INLINE);
    tn_json_put_f32(&w, 0.1f);
    tn_json_put_f64(&w, -0.0);
    tn_json_put_f32(&w, from_bits(0x7fc00001));
    tn_json_put_f32(&w, -INFINITY);
    tn_json_put_f64(&w, INFINITY);
    tn_json_put_array_end(&w);
    CHECK(tn_json_writer_end(&w));
    CHECK_STR(written.text,
              "[0.1, -0, \"f32:7fc00001\", \"f32:ff800000\", \"f64:7ff0000000000000\"]\n");
}

TEST(the_writer_refuses_what_is_not_json)
{
    tn_json_writer w = start(0);
    CHECK(!tn_json_writer_end(&w));  // Nothing at all.
    w = start(0);
    tn_json_put_object_begin(&w, TN_JSON_BLOCK);
    tn_json_put_null(&w);  // No key.
    CHECK(w.failed);
    w = start(0);
    tn_json_put_array_begin(&w, TN_JSON_BLOCK);
    tn_json_put_key(&w, "a");  // No object.
    CHECK(w.failed);
    w = start(0);
    tn_json_put_array_begin(&w, TN_JSON_BLOCK);
    tn_json_put_object_end(&w);  // The wrong end.
    CHECK(w.failed);
    w = start(0);
    tn_json_put_object_begin(&w, TN_JSON_BLOCK);
    tn_json_put_key(&w, "a");
    tn_json_put_object_end(&w);  // No value.
    CHECK(w.failed);
    w = start(0);
    tn_json_put_null(&w);
    tn_json_put_null(&w);  // Two texts.
    CHECK(w.failed);
    w = start(0);
    tn_json_put_null(&w);
    tn_json_put_array_end(&w);  // No begin.
    CHECK(w.failed);
    w = start(0);
    tn_json_put_array_begin(&w, TN_JSON_BLOCK);
    CHECK(!tn_json_writer_end(&w));  // No end.
}

TEST(the_writer_stops_where_the_tokenizer_would)
{
    tn_json_writer w = start(0);
    for (int i = 0; i < TN_JSON_MAX_DEPTH; i++) tn_json_put_array_begin(&w, TN_JSON_INLINE);
    CHECK(!w.failed);
    for (int i = 0; i < TN_JSON_MAX_DEPTH; i++) tn_json_put_array_end(&w);
    CHECK(tn_json_writer_end(&w));
    CHECK(error_of(written.text, written.size).code == TN_JSON_OK);
    w = start(0);
    for (int i = 0; i < TN_JSON_MAX_DEPTH + 1; i++) tn_json_put_array_begin(&w, TN_JSON_INLINE);
    CHECK(w.failed);
}

// A sink that refuses its nth call.
typedef struct refusal {
    int calls, refused;
} refusal;

static bool refuse(void *user, const void *bytes, size_t size)
{
    refusal *r = user;
    (void)bytes;
    CHECK(size > 0);
    return ++r->calls != r->refused;
}

static bool write_much(refusal *r)
{
    static const char text[10000] = "long";
    tn_json_writer w;
    tn_json_writer_begin(&w, refuse, r, 1);
    tn_json_put_array_begin(&w, TN_JSON_BLOCK);
    for (int i = 0; i < 3000; i++) tn_json_put_f64(&w, i * 0.37);
    tn_json_put_raw(&w, text, sizeof text);
    for (int i = 0; i < 3000; i++) tn_json_put_string(&w, "some text");
    tn_json_put_array_end(&w);
    return tn_json_writer_end(&w);
}

TEST(a_refusal_is_final)
{
    refusal all = {0, 0};
    CHECK(write_much(&all) && all.calls > 10);
    for (int i = 1; i <= all.calls; i++) {
        refusal r = {0, i};
        CHECK(!write_much(&r));
        CHECK(r.calls == i);
    }
}

// -- One against the other

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static const char *const texts[] = {
    "", "a", "name with \"quotes\"", "\xE2\x82\xAC\n\t", "back\\slash", "\x01\x1F\x7F"};

// Puts a random value, and into `want` the tokens that it should come back as.
static void put_random(tn_json_writer *w, uint64_t *state, uint32_t depth, buffer *want)
{
    tn_json_layout layout = next_random(state) % 2 ? TN_JSON_BLOCK : TN_JSON_INLINE;
    const char *text = texts[next_random(state) % (sizeof texts / sizeof *texts)];
    uint64_t count = next_random(state) % 5;
    char number[TN_NUMBER_MAX];
    switch (next_random(state) % (depth < 6 ? 6 : 4)) {
    case 0:
        tn_json_put_string(w, text);
        add(want, " s:", 3);
        add(want, text, strlen(text));
        break;
    case 1:
        tn_json_put_f64(w, (double)count * 0.1);
        add(want, " ", 1);
        add(want, number, tn_f64_text((double)count * 0.1, number));
        break;
    case 2:
        tn_json_put_bool(w, count % 2);
        add(want, count % 2 ? " true" : " false", count % 2 ? 5 : 6);
        break;
    case 3:
        tn_json_put_null(w);
        add(want, " null", 5);
        break;
    case 4:
        tn_json_put_array_begin(w, layout);
        add(want, " [", 2);
        for (uint64_t i = 0; i < count; i++) put_random(w, state, depth + 1, want);
        tn_json_put_array_end(w);
        add(want, " ]", 2);
        break;
    default:
        tn_json_put_object_begin(w, layout);
        add(want, " {", 2);
        for (uint64_t i = 0; i < count; i++) {
            tn_json_put_key(w, text);
            add(want, " k:", 3);
            add(want, text, strlen(text));
            put_random(w, state, depth + 1, want);
        }
        tn_json_put_object_end(w);
        add(want, " }", 2);
    }
}

TEST(what_is_written_is_read)
{
    static buffer want, got;
    uint64_t state = 1;
    for (int i = 0; i < 3000; i++) {
        tn_json_writer w = start((uint32_t)(i % 3));
        want.size = 0;
        put_random(&w, &state, 0, &want);
        add(&want, " end", 4);
        CHECK(tn_json_writer_end(&w));
        CHECK(tokens(written.text, written.size, 0, &got).code == TN_JSON_OK);
        CHECK_STR(got.text, want.text + 1);
    }
}

int main(void)
{
    RUN(values_of_every_kind);
    RUN(strings_are_decoded);
    RUN(keys_are_compared_with_escapes_resolved);
    RUN(numbers_are_slices);
    RUN(broken_structure_is_rejected_where_it_breaks);
    RUN(what_is_not_a_value_is_rejected);
    RUN(broken_strings_are_rejected_where_they_break);
    RUN(errors_have_messages);
    RUN(every_truncation_is_a_cut);
    RUN(every_changed_byte_is_handled);
    RUN(nesting_has_a_limit);
    RUN(levels_are_remembered_beyond_one_word_of_bits);
    RUN(as_many_calls_as_tokens);
    RUN(offsets_become_lines_and_columns);
    RUN(the_writer_lays_out);
    RUN(the_writer_indents_by_as_much_as_requested);
    RUN(the_writer_escapes_what_it_must);
    RUN(the_writer_keeps_nan_and_infinity);
    RUN(the_writer_refuses_what_is_not_json);
    RUN(the_writer_stops_where_the_tokenizer_would);
    RUN(a_refusal_is_final);
    RUN(what_is_written_is_read);
    TEST_END();
}
