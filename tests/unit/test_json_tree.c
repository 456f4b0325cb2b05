// test_json_tree.c: the JSON tree: what it contains and what it refuses.
// SPDX-License-Identifier: MIT

#include "tree_help.h"

// -- Looking up

TEST(values_of_every_kind)
{
    planted *p = grow(" {\"n\": null, \"t\": true, \"f\": false, \"x\": -1.50, \"s\": \"a\\u0062\","
                      " \"a\": [1, [2], {}], \"o\": {\"k\": []}} ");
    const tn_json_value *root = p->tree.root;
    CHECK(tn_json_tree_kind_of(root) == TN_TREE_OBJECT && tn_json_tree_count(root) == 7);
    CHECK(tn_json_tree_kind_of(tn_json_tree_get(root, "n")) == TN_TREE_NULL);
    CHECK(tn_json_tree_bool(tn_json_tree_get(root, "t"), false) &&
          tn_json_tree_get(root, "t")->is_true);
    CHECK(!tn_json_tree_bool(tn_json_tree_get(root, "f"), true));
    const tn_json_value *x = tn_json_tree_get(root, "x");
    CHECK(x->kind == TN_TREE_NUMBER && x->size == 5 && memcmp(x->text, "-1.50", 5) == 0);
    CHECK(tn_json_tree_f64(x, 0) == -1.5 && tn_json_tree_f32(x, 0) == -1.5f);
    CHECK(tn_json_tree_is(tn_json_tree_get(root, "s"), "ab"));
    const tn_json_value *a = tn_json_tree_get(root, "a");
    CHECK(a->kind == TN_TREE_ARRAY && tn_json_tree_count(a) == 3);
    CHECK(tn_json_tree_f64(tn_json_tree_at(tn_json_tree_at(a, 1), 0), 0) == 2);
    CHECK(tn_json_tree_kind_of(tn_json_tree_at(a, 2)) == TN_TREE_OBJECT && !tn_json_tree_at(a, 3));
    CHECK(tn_json_tree_count(tn_json_tree_get(tn_json_tree_get(root, "o"), "k")) == 0);
    CHECK(tn_json_tree_at(root, 6) == tn_json_tree_get(root, "o"));
    fell(p);
}

TEST(a_text_may_be_one_plain_value)
{
    planted *p = grow(" 7 ");
    CHECK(tn_json_tree_f64(p->tree.root, 0) == 7 && tn_json_tree_count(p->tree.root) == 0);
    CHECK_STR(rewritten(&p->tree), " 7 ");
    fell(p);
}

TEST(what_is_not_there_becomes_the_fallback)
{
    planted *p = grow("{\"a\": {\"b\": \"text\"}}");
    const tn_json_value *a = tn_json_tree_get(p->tree.root, "a"), *b = tn_json_tree_get(a, "b");
    CHECK(tn_json_tree_get(tn_json_tree_get(tn_json_tree_get(a, "x"), "y"), "z") == NULL);
    CHECK(tn_json_tree_get(b, "a") == NULL && tn_json_tree_at(b, 0) == NULL &&
          tn_json_tree_at(NULL, 0) == NULL);
    CHECK(tn_json_tree_get(a, "bb") == NULL && tn_json_tree_get(a, "") == NULL);
    CHECK(tn_json_tree_count(b) == 0 && tn_json_tree_count(NULL) == 0);
    CHECK(tn_json_tree_f64(b, 3) == 3 && tn_json_tree_f64(NULL, 4) == 4 &&
          tn_json_tree_f64(a, 5) == 5);
    CHECK(tn_json_tree_f32(b, 3) == 3 && tn_json_tree_u32(b, 6) == 6 &&
          tn_json_tree_u64(NULL, 7) == 7);
    CHECK(tn_json_tree_bool(b, true) && !tn_json_tree_bool(NULL, false));
    CHECK(!tn_json_tree_is(a, "text") && !tn_json_tree_is(NULL, "") && !tn_json_tree_is(b, "tex"));
    CHECK_STR(tn_json_tree_word(NULL), "nothing");
    CHECK_STR(tn_json_tree_word(a), "an object");
    CHECK_STR(tn_json_tree_word(b), "a string");
    fell(p);
}

TEST(numbers_that_do_not_fit_become_the_fallback)
{
    planted *p = grow("[4294967295, 4294967296, 12.0, 1.2e1, -1, 0.5, 1e999, 1e39,"
                      " 18446744073709551615, 18446744073709551616]");
    const tn_json_value *root = p->tree.root;
    CHECK(tn_json_tree_u32(tn_json_tree_at(root, 0), 7) == UINT32_MAX);
    CHECK(tn_json_tree_u32(tn_json_tree_at(root, 1), 7) == 7);
    CHECK(tn_json_tree_u64(tn_json_tree_at(root, 1), 7) == 4294967296);
    CHECK(tn_json_tree_u32(tn_json_tree_at(root, 2), 7) == 12 &&
          tn_json_tree_u32(tn_json_tree_at(root, 3), 7) == 12);
    CHECK(tn_json_tree_u32(tn_json_tree_at(root, 4), 7) == 7 &&
          tn_json_tree_u32(tn_json_tree_at(root, 5), 7) == 7);
    CHECK(tn_json_tree_f64(tn_json_tree_at(root, 6), 7) == 7 &&
          tn_json_tree_f32(tn_json_tree_at(root, 7), 7) == 7);
    CHECK(tn_json_tree_f64(tn_json_tree_at(root, 7), 7) == 1e39);
    CHECK(tn_json_tree_u64(tn_json_tree_at(root, 8), 7) == UINT64_MAX);
    CHECK(tn_json_tree_u64(tn_json_tree_at(root, 9), 7) == 7);
    fell(p);
}

TEST(lists_of_numbers_are_taken_whole_or_not_at_all)
{
    planted *p =
        grow("{\"a\": [1, 2.5, -3], \"b\": [1, 2, \"3\"], \"c\": [1, 2, 1e999], \"d\": {}}");
    double v[3] = {9, 9, 9};
    CHECK(!tn_json_tree_f64s(tn_json_tree_get(p->tree.root, "b"), v, 3) && v[0] == 9);
    CHECK(!tn_json_tree_f64s(tn_json_tree_get(p->tree.root, "c"), v, 3) && v[0] == 9);
    CHECK(!tn_json_tree_f64s(tn_json_tree_get(p->tree.root, "a"), v, 2) && v[0] == 9);
    CHECK(!tn_json_tree_f64s(tn_json_tree_get(p->tree.root, "d"), v, 0) &&
          !tn_json_tree_f64s(NULL, v, 0));
    CHECK(tn_json_tree_f64s(tn_json_tree_get(p->tree.root, "a"), v, 3));
    CHECK(v[0] == 1 && v[1] == 2.5 && v[2] == -3);
    fell(p);
}

TEST(text_is_copied_and_terminated)
{
    planted *p = grow("[\"plain\", \"t\\u0000\\ud83d\\udd28\", \"\", 5]");
    const tn_json_value *root = p->tree.root;
    tenon_str plain = tn_json_tree_text(tn_json_tree_at(root, 0), NULL, &p->arena);
    CHECK(plain.size == 5);
    CHECK_STR(plain.data, "plain");
    tenon_str odd = tn_json_tree_text(tn_json_tree_at(root, 1), NULL, &p->arena);
    CHECK(odd.size == 6 && memcmp(odd.data, "t\0\xF0\x9F\x94\xA8", 7) == 0);
    CHECK_STR(tn_json_tree_text(tn_json_tree_at(root, 2), "x", &p->arena).data, "");
    CHECK_STR(tn_json_tree_text(tn_json_tree_at(root, 3), "five", &p->arena).data, "five");
    CHECK(tn_json_tree_text(NULL, NULL, &p->arena).data == NULL);
    p->arena.limit = p->arena.used;
    CHECK(tn_json_tree_text(tn_json_tree_at(root, 0), NULL, &p->arena).data == NULL);
    fell(p);
}

TEST(keys_are_compared_with_escapes_resolved)
{
    planted *p = grow("{\"n\\u0061me\": 1, \"\": 2, \"\\ud83d\\udd28\": 3}");
    CHECK(tn_json_tree_f64(tn_json_tree_get(p->tree.root, "name"), 0) == 1);
    CHECK(tn_json_tree_f64(tn_json_tree_get(p->tree.root, ""), 0) == 2);
    CHECK(tn_json_tree_f64(tn_json_tree_get(p->tree.root, "\xF0\x9F\x94\xA8"), 0) == 3);
    fell(p);
}

// -- Places

TEST(nodes_know_their_place)
{
    planted *p = grow("{\"clips\": [\n  {},\n  {\"start\": -1}]}");
    const tn_json_value *clip = tn_json_tree_at(tn_json_tree_get(p->tree.root, "clips"), 1);
    const tn_json_value *start = tn_json_tree_get(clip, "start");
    CHECK(start->offset == 30 && start->end == 32 && start->place == 21);
    CHECK(clip->offset == 20 && clip->end == 33 && clip->place == 20);
    tenon_error err;
    CHECK(!tn_json_tree_fail(&p->tree, start, &err, "'start' is %d, less than 0", -1));
    CHECK_ERROR(err, TENON_ERR_VALUE, 30, "clips[1].start", "'start' is -1, less than 0", "");
    CHECK(err.line == 3 && err.column == 13);
    CHECK(!tn_json_tree_fail(&p->tree, p->tree.root, &err, "no"));
    CHECK_ERROR(err, TENON_ERR_VALUE, 0, "", "no", "");
    CHECK(!tn_json_tree_fail(&p->tree, NULL, &err, "no") && err.offset == TENON_ABSENT);
    CHECK(!tn_json_tree_fail(&p->tree, start, NULL, "no"));
    tn_json_value *made = number(&p->tree, 1);
    tn_json_tree_set(&p->tree, tn_json_tree_at(tn_json_tree_get(p->tree.root, "clips"), 0), "new",
                     made);
    CHECK(!tn_json_tree_fail(&p->tree, made, &err, "no"));
    CHECK_ERROR(err, TENON_ERR_VALUE, TENON_ABSENT, "clips[0].new", "no", "");
    fell(p);
}

TEST(long_paths_lose_their_beginning)
{
    planted *p = grow("{\"abcdefgh\": {\"ij\\nkl\": [[0]]}}");
    const tn_json_value *node =
        tn_json_tree_get(tn_json_tree_get(p->tree.root, "abcdefgh"), "ij\nkl");
    node = tn_json_tree_at(tn_json_tree_at(node, 0), 0);
    char path[32];
    tn_json_tree_path(node, path, 21);
    CHECK_STR(path, "abcdefgh.ij?kl[0][0]");
    tn_json_tree_path(node, path, 20);
    CHECK_STR(path, "....ij?kl[0][0]");
    tn_json_tree_path(node, path, 15);
    CHECK_STR(path, "...ij?kl[0][0]");
    tn_json_tree_path(node, path, 8);
    CHECK_STR(path, "...][0]");
    fell(p);
}

// -- What is refused

typedef struct refusal {
    const char *text;
    uint64_t offset;
    const char *path;
    const char *message;
} refusal;

TEST(broken_text_is_refused_with_its_place)
{
    static const refusal list[] = {
        {"", 0, "", "invalid JSON: the text has no value"},
        {"[1,]", 2, "", "invalid JSON: nothing follows the last ','"},
        {"[1] 2", 4, "", "invalid JSON: the text continues after its value"},
        {"{\"a\": [0, x]}", 10, "a[1]", "invalid JSON: expected a value"},
        {"{\"a\": [0 1]}", 9, "a", "invalid JSON: expected ',' or ']'"},
        {"{\"a\": {\"b\": 01}}", 13, "a.b", "invalid JSON: the number has a leading zero"},
        {"{\"a\": {\"b\" 1}}", 11, "a.b", "invalid JSON: expected ':' after the key"},
        {"{\"a\": {b: 1}}", 7, "a", "invalid JSON: expected a key in double quotes"},
        {"[[], [[\"\xFF\"]]]", 8, "[1][0][0]", "invalid JSON: the string is not UTF-8"},
        {"[{}, {\"k\": [", 12, "[1].k[0]", "invalid JSON: the text ends inside a value"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        planted *p = grow(list[i].text);
        CHECK_ERROR(p->err, TENON_ERR_VALUE, list[i].offset, list[i].path, list[i].message, "");
        CHECK(p->err.line == 1 && p->err.column == list[i].offset + 1);
        fell(p);
    }
    tn_json_tree tree;
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 16);
    CHECK(!tn_json_tree_parse(&tree, "[", 1, &arena, NULL) && !tree.root);
    CHECK(!tn_json_tree_parse(&tree, "{\"a\":1,\"a\":1}", 13, &arena, NULL) && !tree.root);
    tn_arena_free(&arena);
}

TEST(every_truncation_is_refused)
{
    static const char text[] = "{\"a\": [1, \"x\\n\", {\"b\": null}], \"c\": {\"d\": [true]}}";
    for (size_t size = 0; size < sizeof text - 1; size++) {
        planted p = {0};
        plant(&p, text, size, 1 << 16);
        CHECK(p.err.code == TENON_ERR_VALUE);
        fell(&p);
    }
}

TEST(a_key_that_occurs_twice_is_refused_with_both_places)
{
    planted *p = grow("{\"o\": {\"a\": 1,\n  \"b\": 2, \"c\": 3, \"\\u0062\": 4, \"a\": 5}}");
    CHECK_ERROR(p->err, TENON_ERR_VALUE, 33, "o.b", "the key 'b' occurs twice in one object",
                "first on line 2, column 3 (at 0x000011)");
    CHECK(p->err.line == 2 && p->err.column == 19);
    fell(p);
    p = grow("{\"a\": {\"a\": {\"a\": 1}}, \"b\": {\"a\": 2}}");
    CHECK(p->ok);
    fell(p);
}

// An object of `count` keys "k0", "k1" and so on; the one at `twin` is "k7" again.
static char *many_keys(uint32_t count, uint32_t twin, size_t *size)
{
    char *text = malloc((size_t)count * 24 + 3);
    if (!text) abort();
    *size = (size_t)sprintf(text, "{");
    for (uint32_t i = 0; i < count; i++)
        *size += (size_t)sprintf(text + *size, "%s\"k%u\":%u", i ? "," : "",
                                 (unsigned)(i == twin ? 7 : i), (unsigned)i);
    *size += (size_t)sprintf(text + *size, "}");
    return text;
}

TEST(a_hundred_thousand_keys_are_compared_in_few_steps)
{
    size_t size;
    char *text = many_keys(100000, UINT32_MAX, &size);
    planted p = {0};
    plant(&p, text, size, 64 << 20);
    CHECK(p.ok && tn_json_tree_count(p.tree.root) == 100000);
    CHECK(tn_json_tree_u32(tn_json_tree_get(p.tree.root, "k99999"), 0) == 99999);
    CHECK(p.arena.used <= 100001 * sizeof(tn_json_value) + 100000 * sizeof(tn_json_value *));
    fell(&p);
    free(text);
    text = many_keys(100000, 99998, &size);
    p = (planted){0};
    plant(&p, text, size, 64 << 20);
    CHECK_STR(p.err.path, "k7");
    CHECK(p.err.offset == (uint64_t)(strstr(text, "\"k7\":99998") - text));
    fell(&p);
    free(text);
}

TEST(keys_are_compared_whatever_their_number)
{
    for (uint32_t count = 9; count < 70; count++) {
        size_t size;
        for (uint32_t twin = 8; twin < count + 1; twin++) {
            char *text = many_keys(count, twin, &size);
            planted p = {0};
            plant(&p, text, size, 1 << 20);
            CHECK(p.ok == (twin == count));
            fell(&p);
            free(text);
        }
    }
}

TEST(depth_has_a_limit)
{
    char text[2 * (TN_JSON_MAX_DEPTH + 1)];
    for (size_t depth = TN_JSON_MAX_DEPTH; depth <= TN_JSON_MAX_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        planted p = {0};
        plant(&p, text, 2 * depth, 1 << 20);
        CHECK(p.ok == (depth == TN_JSON_MAX_DEPTH));
        if (!p.ok) {
            CHECK(p.err.code == TENON_ERR_LIMIT && p.err.offset == TN_JSON_MAX_DEPTH);
            CHECK_STR(p.err.message, "'nesting' is deeper than 1024 levels");
            CHECK(strncmp(p.err.path, "...[0][0]", 9) == 0);
        }
        fell(&p);
    }
}

TEST(memory_has_a_limit)
{
    static const char text[] =
        "{\"a\\u0062\": [1, 2, {\"c\": \"\\n\"}], \"d\": {\"e\": {}, \"f\": 1}}";
    planted whole = {0};
    plant(&whole, text, sizeof text - 1, 1 << 16);
    uint64_t need = whole.arena.used;
    fell(&whole);
    for (uint64_t limit = 0; limit < need; limit++) {
        planted p = {0};
        plant(&p, text, sizeof text - 1, limit);
        CHECK(p.err.code == TENON_ERR_LIMIT && p.err.line == 1);
        fell(&p);
    }
    planted *p = grow("[1]");
    fell(p);
    planted small = {0};
    char message[80];
    uint64_t limit = 2 * sizeof(tn_json_value) + 22;  // Too few for the third value.
    plant(&small, "{\"a\": [1]}", 10, limit);
    snprintf(message, sizeof message, "the tree would exceed the memory limit of %" PRIu64 " bytes",
             limit);
    CHECK_ERROR(small.err, TENON_ERR_LIMIT, 7, "a[0]", message, "");
    fell(&small);
    tenon_error err;
    CHECK(!tn_json_tree_parse(&small.tree, text, UINT32_MAX, &small.arena, &err));
    CHECK(err.code == TENON_ERR_LIMIT);
    CHECK_STR(err.message, "the text has 4294967295 bytes, but must have fewer than 4294967295");
}

TEST(every_allocation_may_fail)
{
    size_t size;
    char *text = many_keys(1000, UINT32_MAX, &size);
    planted p = {.meter = {.fail_at = 1}};
    for (; !p.ok; p = (planted){.meter = {.fail_at = p.meter.fail_at + 1}}) {
        plant(&p, text, size, 1 << 20);
        CHECK(p.ok || p.err.code == TENON_ERR_MEMORY);
        fell(&p);
        if (p.ok) break;
    }
    CHECK(p.meter.fail_at > 2);
    free(text);
}

int main(void)
{
    RUN(values_of_every_kind);
    RUN(a_text_may_be_one_plain_value);
    RUN(what_is_not_there_becomes_the_fallback);
    RUN(numbers_that_do_not_fit_become_the_fallback);
    RUN(lists_of_numbers_are_taken_whole_or_not_at_all);
    RUN(text_is_copied_and_terminated);
    RUN(keys_are_compared_with_escapes_resolved);
    RUN(nodes_know_their_place);
    RUN(long_paths_lose_their_beginning);
    RUN(broken_text_is_refused_with_its_place);
    RUN(every_truncation_is_refused);
    RUN(a_key_that_occurs_twice_is_refused_with_both_places);
    RUN(a_hundred_thousand_keys_are_compared_in_few_steps);
    RUN(keys_are_compared_whatever_their_number);
    RUN(depth_has_a_limit);
    RUN(memory_has_a_limit);
    RUN(every_allocation_may_fail);
    TEST_END();
}
