// test_json_tree_edit.c: the JSON tree: how it is changed and written.
// SPDX-License-Identifier: MIT

#include "tree_help.h"

#include <math.h>

// -- Writing

TEST(what_did_not_change_is_written_byte_for_byte)
{
    static const char *const texts[] = {
        "{}",
        " [ ] \r\n",
        "\t\"a\\/\\u0041\"",
        "{ \"a\" :1.50 ,\r\n\t\"\\u0062\":[1,2 ,{ }]}\n\n",
        "[1e5, -0, 0.10, 1E+2, 12345678901234567890]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        planted *p = grow(texts[i]);
        CHECK_STR(rewritten(&p->tree), texts[i]);
        tn_json_tree_remove(p->tree.root);
        CHECK_STR(rewritten(&p->tree), texts[i]);
        fell(p);
    }
}

TEST(the_writer_keeps_order_and_spelling)
{
    planted *p = grow("{\"z\":1.50,\"a\":[1,2e0,\"\\u0041\\n\"],\"m\":{\"q\":[],\"b\":{}},"
                      "\"l\":[[true],null]}");
    CHECK_STR(written(p->tree.root), "{\n"
                                     " \"z\": 1.50,\n"
                                     " \"a\": [1, 2e0, \"A\\n\"],\n"
                                     " \"m\": {\n"
                                     "  \"q\": [],\n"
                                     "  \"b\": {}\n"
                                     " },\n"
                                     " \"l\": [\n"
                                     "  [true],\n"
                                     "  null\n"
                                     " ]\n"
                                     "}\n");
    CHECK_STR(written(tn_json_tree_get(p->tree.root, "a")), "[1, 2e0, \"A\\n\"]\n");
    fell(p);
}

TEST(a_tree_can_be_built_from_scratch)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 16);
    tn_json_tree tree = {.arena = &arena};
    CHECK(!tn_json_tree_rewrite(&tree, take, NULL));
    tn_json_value *root = tree.root = tn_json_tree_make_object(&tree),
                  *list = tn_json_tree_make_array(&tree);
    tn_json_tree_set(&tree, root, "name", tn_json_tree_make_string(&tree, "a\"\n", 3));
    for (int i = 0; i < 3; i++)
        tn_json_tree_append(&tree, list, tn_json_tree_make_f32(&tree, 0.1f));
    tn_json_tree_set(&tree, root, "list", list);
    tn_json_value *inner = tn_json_tree_make_object(&tree);
    tn_json_tree_set(&tree, root, "inner", inner);
    tn_json_tree_set(&tree, inner, "yes", tn_json_tree_make_bool(&tree, true));
    tn_json_tree_set(&tree, inner, "no", tn_json_tree_make_bool(&tree, false));
    tn_json_tree_set(&tree, inner, "null", tn_json_tree_make_null(&tree));
    tn_json_tree_set(&tree, inner, "u64", tn_json_tree_make_u64(&tree, UINT64_MAX));
    tn_json_tree_set(&tree, inner, "nan", tn_json_tree_make_f32(&tree, INFINITY));
    tn_json_tree_set(&tree, inner, "inf", tn_json_tree_make_f64(&tree, -HUGE_VAL));
    tn_json_tree_set(&tree, root, "empty", tn_json_tree_make_array(&tree));
    CHECK(!tree.failed);
    CHECK_STR(rewritten(&tree), "{\n"
                                "  \"name\": \"a\\\"\\n\",\n"
                                "  \"list\": [0.1, 0.1, 0.1],\n"
                                "  \"inner\": {\n"
                                "    \"yes\": true,\n"
                                "    \"no\": false,\n"
                                "    \"null\": null,\n"
                                "    \"u64\": 18446744073709551615,\n"
                                "    \"nan\": \"f32:7f800000\",\n"
                                "    \"inf\": \"f64:fff0000000000000\"\n"
                                "  },\n"
                                "  \"empty\": []\n"
                                "}\n");
    tn_arena_free(&arena);
}

// -- Changing

TEST(a_changed_value_changes_nothing_else)
{
    planted *p =
        grow("{\r\n\t\"a\" : 1.0,\r\n\t\"b\\u0062\" :  [1 ,2,\r\n3 ],\r\n\t\"c\":{}\r\n}\r\n");
    tn_json_tree_set(&p->tree, p->tree.root, "a", number(&p->tree, 2));
    CHECK_STR(rewritten(&p->tree),
              "{\r\n\t\"a\" : 2,\r\n\t\"b\\u0062\" :  [1 ,2,\r\n3 ],\r\n\t\"c\":{}\r\n}\r\n");
    tn_json_value *list = tn_json_tree_get(p->tree.root, "bb");
    tn_json_tree_replace(&p->tree, tn_json_tree_at(list, 2), number(&p->tree, 4));
    CHECK(tn_json_tree_f64(tn_json_tree_at(list, 2), 0) == 4 && tn_json_tree_count(list) == 3);
    CHECK_STR(rewritten(&p->tree),
              "{\r\n\t\"a\" : 2,\r\n\t\"b\\u0062\" :  [1,2,\r\n4 ],\r\n\t\"c\":{}\r\n}\r\n");
    tn_json_tree_set(&p->tree, tn_json_tree_get(p->tree.root, "c"), "d", number(&p->tree, 5));
    tn_json_tree_set(&p->tree, p->tree.root, "bb", tn_json_tree_make_null(&p->tree));
    CHECK_STR(rewritten(&p->tree), "{\r\n\t\"a\" : 2,\r\n\t\"b\\u0062\" :  null,\r\n"
                                   "\t\"c\":{\r\n\t\t\"d\" : 5\r\n\t}\r\n}\r\n");
    fell(p);
}

TEST(what_is_new_has_the_layout_of_the_rest)
{
    planted *p = grow("{\"a\":[1,2],\"b\":{}}");
    tn_json_tree_append(&p->tree, tn_json_tree_get(p->tree.root, "a"), number(&p->tree, 3));
    tn_json_tree_set(&p->tree, tn_json_tree_get(p->tree.root, "b"), "c", number(&p->tree, 4));
    tn_json_tree_set(&p->tree, p->tree.root, "d", tn_json_tree_make_array(&p->tree));
    CHECK_STR(rewritten(&p->tree), "{\"a\":[1,2,3],\"b\":{\"c\":4},\"d\":[]}");
    fell(p);
    p = grow("[{\"a\":1}, {\"a\":2}]");
    tn_json_value *object = tn_json_tree_make_object(&p->tree);
    tn_json_tree_set(&p->tree, object, "b", tn_json_tree_make_array(&p->tree));
    tn_json_tree_append(&p->tree, p->tree.root, object);
    CHECK_STR(rewritten(&p->tree), "[{\"a\":1}, {\"a\":2}, {\"b\":[]}]");
    fell(p);
    p = grow("{\n    \"a\": [\n        1,\n        2\n    ]\n}");
    tn_json_tree_append(&p->tree, tn_json_tree_get(p->tree.root, "a"), number(&p->tree, 3));
    tn_json_value *list = tn_json_tree_make_array(&p->tree);
    tn_json_tree_append(&p->tree, list, tn_json_tree_make_object(&p->tree));
    tn_json_tree_append(&p->tree, list, number(&p->tree, 4));
    tn_json_tree_set(&p->tree, p->tree.root, "b", list);
    CHECK_STR(rewritten(&p->tree), "{\n    \"a\": [\n        1,\n        2,\n        3\n    ],\n"
                                   "    \"b\": [\n        {},\n        4\n    ]\n}");
    fell(p);
}

TEST(members_and_items_can_be_removed)
{
    planted *p = grow("{ \"a\": 1,  \"b\": [1, 2, 3], \"c\": 3 }");
    tn_json_value *list = tn_json_tree_get(p->tree.root, "b");
    tn_json_tree_remove(tn_json_tree_at(list, 0));
    CHECK_STR(rewritten(&p->tree), "{ \"a\": 1,  \"b\": [2, 3], \"c\": 3 }");
    tn_json_tree_remove(tn_json_tree_get(p->tree.root, "a"));
    CHECK_STR(rewritten(&p->tree), "{ \"b\": [2, 3], \"c\": 3 }");
    tn_json_tree_remove(tn_json_tree_get(p->tree.root, "c"));
    CHECK(tn_json_tree_at(list, 1)->index == 1 && tn_json_tree_count(p->tree.root) == 1);
    tn_json_tree_remove(tn_json_tree_at(list, 1));
    tn_json_tree_remove(tn_json_tree_at(list, 0));
    CHECK_STR(rewritten(&p->tree), "{ \"b\": [] }");
    tn_json_tree_remove(list);
    tn_json_tree_remove(NULL);
    CHECK_STR(rewritten(&p->tree), "{}");
    tn_json_tree_set(&p->tree, p->tree.root, "z", list);
    CHECK_STR(rewritten(&p->tree), "{ \"z\": [] }");
    fell(p);
}

TEST(what_moves_takes_the_layout_of_its_new_place)
{
    planted *p =
        grow("{\n \"a\": {\n  \"b\": { \"c\":1.50, \"d\": [ ] }\n },\n \"e\": [\n  2\n ]\n}");
    tn_json_value *b = tn_json_tree_get(tn_json_tree_get(p->tree.root, "a"), "b");
    tn_json_tree_remove(b);
    tn_json_tree_append(&p->tree, tn_json_tree_get(p->tree.root, "e"), b);
    CHECK(!p->tree.failed && !b->key && b->offset == TN_TREE_NOWHERE);
    CHECK_STR(rewritten(&p->tree), "{\n \"a\": {},\n \"e\": [\n  2,\n  {\n   \"c\": 1.50,\n"
                                   "   \"d\": []\n  }\n ]\n}");
    tn_json_value *two = tn_json_tree_at(tn_json_tree_get(p->tree.root, "e"), 0);
    tn_json_tree_replace(&p->tree, two, number(&p->tree, 3));
    tn_json_tree_set(&p->tree, b, "c", two);
    CHECK(!p->tree.failed && tn_json_tree_f64(tn_json_tree_get(b, "c"), 0) == 2);
    fell(p);
}

TEST(changes_that_make_no_sense_are_refused)
{
    for (int i = 0; i < 9; i++) {
        planted *p = grow("{\"a\": [1], \"o\": {}}");
        tn_json_tree *tree = &p->tree;
        tn_json_value *root = tree->root, *a = tn_json_tree_get(root, "a"),
                      *o = tn_json_tree_get(root, "o");
        if (i == 0) tn_json_tree_set(tree, a, "x", number(tree, 1));
        if (i == 1) tn_json_tree_append(tree, root, number(tree, 1));
        if (i == 2) tn_json_tree_append(tree, a, o);
        if (i == 3) tn_json_tree_append(tree, a, root);
        if (i == 4) tn_json_tree_set(tree, root, "x", root);
        if (i == 5) tn_json_tree_set(tree, NULL, "x", number(tree, 1));
        if (i == 6) tn_json_tree_append(tree, a, NULL);
        if (i == 7) tn_json_tree_replace(tree, root, number(tree, 1));
        if (i == 8) tn_json_tree_replace(tree, a, a);
        CHECK(tree->failed && !tn_json_tree_rewrite(tree, take, NULL));
        CHECK(tn_json_tree_count(root) == 2 && tn_json_tree_count(a) == 1 &&
              tn_json_tree_count(o) == 0);
        fell(p);
    }
}

static bool count_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return true;
}

TEST(a_tree_deeper_than_readers_accept_is_not_written)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    for (int depth = TN_JSON_MAX_DEPTH; depth <= TN_JSON_MAX_DEPTH + 1; depth++) {
        tn_json_tree tree = {.arena = &arena};
        tree.root = tn_json_tree_make_array(&tree);
        for (int i = 1; i < depth; i++) {
            tn_json_value *outer = tn_json_tree_make_array(&tree);
            tn_json_tree_append(&tree, outer, tree.root);
            tree.root = outer;
        }
        uint64_t count = 0;
        tn_json_writer w;
        tn_json_writer_begin(&w, count_bytes, &count, 0);
        tn_json_tree_write(tree.root, &w);
        CHECK(tn_json_writer_end(&w) == (depth == TN_JSON_MAX_DEPTH));
        CHECK(tn_json_tree_rewrite(&tree, count_bytes, &count) == (depth == TN_JSON_MAX_DEPTH));
    }
    tn_arena_free(&arena);
}

TEST(a_refusal_to_take_bytes_is_final)
{
    planted *p = grow("{\"a\": [1, 2], \"b\": {\"c\": \"d\"}}");
    tn_json_tree_append(&p->tree, tn_json_tree_get(p->tree.root, "a"), number(&p->tree, 3));
    tn_json_tree_set(&p->tree, p->tree.root, "e", tn_json_tree_make_string(&p->tree, "f", 1));
    size_t whole = strlen(rewritten(&p->tree));
    static buffer out;
    for (out.most = 1; out.most < whole; out.most++) {
        out.size = 0;
        CHECK(!tn_json_tree_rewrite(&p->tree, take, &out));
    }
    out.size = 0;
    CHECK(tn_json_tree_rewrite(&p->tree, take, &out) && out.size == whole);
    fell(p);
}

// Makes some of everything. Returns whether all of it was made.
static bool change_much(tn_json_tree *tree)
{
    tn_json_value *list = tn_json_tree_make_array(tree);
    for (int i = 0; i < 40; i++) tn_json_tree_append(tree, list, number(tree, i));
    tn_json_tree_set(tree, tree->root, "list", list);
    tn_json_tree_set(tree, tree->root, "a", tn_json_tree_make_string(tree, "text", 4));
    tn_json_tree_set(tree, tree->root, "null", tn_json_tree_make_null(tree));
    tn_json_tree_set(tree, tree->root, "object", tn_json_tree_make_object(tree));
    return !tree->failed;
}

TEST(a_change_without_memory_fails_and_breaks_nothing)
{
    planted *p = grow("{\"a\": 1}");
    uint64_t before = p->arena.used;
    CHECK(change_much(&p->tree));
    uint64_t need = p->arena.used - before;
    fell(p);
    for (uint64_t room = 0; room < need; room += 8) {
        p = grow("{\"a\": 1}");
        p->arena.limit = p->arena.used + room;
        CHECK(!change_much(&p->tree));
        p->tree.failed = false;
        tn_json_tree again;
        tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 16);
        const char *text = rewritten(&p->tree);
        CHECK(tn_json_tree_parse(&again, text, strlen(text), &arena, NULL));
        tn_arena_free(&arena);
        fell(p);
    }
}

// -- Anything goes

static uint32_t dice(uint32_t *seed, uint32_t sides)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % sides;
}

// A node somewhere in the tree.
static tn_json_value *wander(const tn_json_tree *tree, uint32_t *seed)
{
    tn_json_value *node = tree->root;
    while (tn_json_tree_count(node) > 0 && dice(seed, 4) > 0)
        node = tn_json_tree_at(node, dice(seed, tn_json_tree_count(node)));
    return node;
}

static tn_json_value *make_any(tn_json_tree *tree, uint32_t *seed)
{
    uint32_t kind = dice(seed, 4);
    if (kind == 0) return tn_json_tree_make_array(tree);
    if (kind == 1) return tn_json_tree_make_object(tree);
    return kind == 2 ? number(tree, dice(seed, 100)) : tn_json_tree_make_string(tree, "\t\"", 2);
}

static void change_something(tn_json_tree *tree, uint32_t *seed)
{
    static const char *const keys[] = {"a", "b", "c", "\n", "e f"};
    tn_json_value *node = wander(tree, seed);
    if (node->kind == TN_TREE_ARRAY && dice(seed, 2))
        tn_json_tree_append(tree, node, make_any(tree, seed));
    else if (node->kind == TN_TREE_OBJECT && dice(seed, 2))
        tn_json_tree_set(tree, node, keys[dice(seed, 5)], make_any(tree, seed));
    else if (node->parent && dice(seed, 2))
        tn_json_tree_replace(tree, node, make_any(tree, seed));
    else
        tn_json_tree_remove(node);
}

TEST(any_changes_give_a_text_that_says_the_same)
{
    static const char *const texts[] = {
        "{}", "[ ]", "{\n\t\"a\": [\n\t\t1,\n\t\t{\"b\":2, \"c\":[[ ]]}\n\t],\n\t\"\\n\":{ }}",
        "[1, {\"a\" : {\"b\" : [2, 3]}}, [[]]]"};
    uint32_t seed = 1;
    for (int round = 0; round < 4000; round++) {
        planted *p = grow(texts[round % 4]);
        uint32_t changes = dice(&seed, 12);
        for (uint32_t i = 0; i < changes; i++) change_something(&p->tree, &seed);
        CHECK(!p->tree.failed);
        tn_json_tree again;
        tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
        const char *text = rewritten(&p->tree);
        CHECK(tn_json_tree_parse(&again, text, strlen(text), &arena, NULL));
        static buffer want;
        want.size = 0;
        const char *layout = written(p->tree.root);
        CHECK(take(&want, layout, strlen(layout)));
        CHECK_STR(written(again.root), want.text);
        tn_arena_free(&arena);
        fell(p);
    }
}

int main(void)
{
    RUN(what_did_not_change_is_written_byte_for_byte);
    RUN(the_writer_keeps_order_and_spelling);
    RUN(a_tree_can_be_built_from_scratch);
    RUN(a_changed_value_changes_nothing_else);
    RUN(what_is_new_has_the_layout_of_the_rest);
    RUN(members_and_items_can_be_removed);
    RUN(what_moves_takes_the_layout_of_its_new_place);
    RUN(changes_that_make_no_sense_are_refused);
    RUN(a_tree_deeper_than_readers_accept_is_not_written);
    RUN(a_refusal_to_take_bytes_is_final);
    RUN(a_change_without_memory_fails_and_breaks_nothing);
    RUN(any_changes_give_a_text_that_says_the_same);
    TEST_END();
}
