// test_check.c: how findings are collected, placed, ordered, limited and reported.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"
#include "core_help.h"
#include "document/doc_check.h"

#include <math.h>

// -- A format whose rules find what the items ask for

enum { BROKEN, ODD, NOTE, RULES };

static const tenon_rule rules[RULES] = {
    [BROKEN] = {"toy/broken", TENON_ERROR, "no item is broken", "repair it", NULL},
    [ODD] = {"toy/odd", TENON_WARNING, "no item is odd", NULL, NULL},
    [NOTE] = {"toy/note", TENON_INFO, "no item is noted", NULL, NULL},
};

typedef struct toy {
    tenon_doc base;
    uint32_t item_count;
    uint8_t *items;  // 'b' broken, 'o' odd, 'B' both, 'n' noted, else fine.
    tenon_span values;
} toy;

static void toy_describe(tn_io *io, void *any)
{
    toy *doc = any;
    tn_list(io, "items", &doc->items, &doc->item_count, 1, 1);
    for (uint32_t i = 0; tn_next(io, i, doc->item_count); i++) tn_u8(io, "", &doc->items[i]);
    tn_counted(io, "values", &doc->values, &tn_layout_f32);
}

// From the last item to the first, so that the order of the file is not that of finding.
static void toy_check(tn_check *check, const void *any)
{
    const toy *doc = any;
    for (uint32_t i = doc->item_count; i-- > 0;) {
        tn_path_text path = tn_path("items[%" PRIu32 "]", i);
        bool both = doc->items[i] == 'B';
        if (both) tn_found(check, "odd", path, "item %" PRIu32 " is odd as well", i);
        if (both || doc->items[i] == 'b')
            tn_found(check, "broken", path, "item %" PRIu32 " is broken", i);
        if (doc->items[i] == 'o') tn_found(check, "odd", path, "item %" PRIu32 " is odd", i);
        if (doc->items[i] == 'n') tn_found(check, "note", tn_path("nowhere"), "noted");
    }
    uint64_t bad, first = tn_check_find_not_finite(check, &doc->values, &bad);
    if (first != TENON_ABSENT)
        tn_found(check, "broken", tn_path("values[%" PRIu64 "]", first),
                 "%" PRIu64 " of %" PRIu64 " items are not finite", bad, doc->values.count);
}

static const tenon_dialect dialects[] = {{"one", "", 0, false}, {"two", "", 1, false}};
static const tn_format format = {.face = {.name = "toy",
                                          .caps = TENON_HAS_MAGIC,
                                          .dialects = dialects,
                                          .dialect_count = 1,
                                          .rules = rules,
                                          .rule_count = RULES},
                                 .doc_size = sizeof(toy),
                                 .describe = toy_describe,
                                 .check = toy_check};

static toy *make(const char *items, const void *values, uint32_t value_count)
{
    static const tenon_read_opts opts;
    toy *doc = (toy *)tn_doc_new(&format, &opts, 0, &(tenon_error){0});
    if (!doc) abort();
    doc->base.dialect = &dialects[0];
    doc->items = (uint8_t *)items;
    doc->item_count = (uint32_t)strlen(items);
    doc->values = (tenon_span){.data = values,
                               .size = 4 * (uint64_t)value_count,
                               .count = value_count,
                               .layout = &tn_layout_f32};
    return doc;
}

// -- What is reported, one line each

typedef struct reported {
    size_t size;
    char text[8192];
} reported;

static void note(void *user, const tenon_finding *f)
{
    static const char *const severities[] = {"info", "warning", "error"};
    reported *t = user;
    int size = snprintf(t->text + t->size, sizeof t->text - t->size,
                        "%s %s %s@%" PRId64 " '%s' fix=%s more=%" PRIu64 "\n",
                        severities[f->severity], f->rule->id, f->path, (int64_t)f->offset,
                        f->message, f->fix ? f->fix : "-", f->more);
    if (size > 0 && (size_t)size < sizeof t->text - t->size) t->size += (size_t)size;
}

static tenon_check_result check(toy *doc, const tenon_check_opts *opts, reported *t)
{
    tenon_check_result result;
    tenon_error err;
    *t = (reported){0};
    CHECK(tenon_check(&doc->base, opts, note, t, &result, &err));
    CHECK(err.code == TENON_OK);
    return result;
}

TEST(a_good_document_has_no_findings)
{
    reported t;
    toy *doc = make("....", NULL, 0);
    tenon_check_result result = check(doc, NULL, &t);
    CHECK(result.errors == 0 && result.warnings == 0 && result.infos == 0);
    CHECK_STR(t.text, "");
    tenon_doc_free(&doc->base);
}

TEST(findings_are_reported_in_file_order_with_their_place)
{
    reported t;
    toy *doc = make("o.b.n", NULL, 0);
    tenon_check_result result = check(doc, NULL, &t);
    CHECK(result.errors == 1 && result.warnings == 1 && result.infos == 1);
    CHECK_STR(t.text, "warning toy/odd items[0]@4 'item 0 is odd' fix=- more=0\n"
                      "error toy/broken items[2]@6 'item 2 is broken' fix=repair it more=0\n"
                      "info toy/note nowhere@-1 'noted' fix=- more=0\n");
    tenon_doc_free(&doc->base);
}

TEST(findings_at_one_place_stay_in_the_order_of_finding)
{
    reported t;
    toy *doc = make("..B", NULL, 0);
    check(doc, NULL, &t);
    CHECK_STR(t.text, "warning toy/odd items[2]@6 'item 2 is odd as well' fix=- more=0\n"
                      "error toy/broken items[2]@6 'item 2 is broken' fix=repair it more=0\n");
    tenon_doc_free(&doc->base);
}

TEST(a_rule_is_reported_up_to_its_limit_and_counted_in_full)
{
    reported t;
    char items[101] = {0};
    memset(items, 'b', 100);
    toy *doc = make(items, NULL, 0);
    tenon_check_result result = check(doc, NULL, &t);
    unsigned lines = 0;
    for (const char *p = t.text; *p; p++) lines += *p == '\n';
    CHECK(result.errors == 100 && lines == 20);
    tenon_doc_free(&doc->base);
}

TEST(the_last_one_reported_says_how_many_were_not)
{
    reported t;
    toy *doc = make("bbbb.o", NULL, 0);
    tenon_check_result result = check(doc, &(tenon_check_opts){.max_per_rule = 2}, &t);
    CHECK(result.errors == 4 && result.warnings == 1);
    // Found from the end: items 3 and 2 are the two that are reported.
    CHECK_STR(t.text, "error toy/broken items[2]@6 'item 2 is broken' fix=repair it more=0\n"
                      "error toy/broken items[3]@7 'item 3 is broken' fix=repair it more=2\n"
                      "warning toy/odd items[5]@9 'item 5 is odd' fix=- more=0\n");
    tenon_doc_free(&doc->base);
}

TEST(exactly_the_limit_leaves_nothing_unreported)
{
    reported t;
    toy *doc = make("bb", NULL, 0);
    check(doc, &(tenon_check_opts){.max_per_rule = 2}, &t);
    CHECK(strstr(t.text, "more=1") == NULL);
    tenon_doc_free(&doc->base);
}

TEST(shared_rules_are_applied_to_every_format)
{
    reported t;
    toy *doc = make("b", NULL, 0);
    doc->base.also = &dialects[1];
    doc->base.trailing = (tenon_span){.data = (const uint8_t *)"xyz", .size = 3, .count = 3};
    tenon_check_result result = check(doc, NULL, &t);
    CHECK(result.errors == 1 && result.warnings == 2);
    CHECK_STR(t.text,
              "error toy/broken items[0]@4 'item 0 is broken' fix=repair it more=0\n"
              "warning file/trailing-bytes trailing@9 '3 bytes follow the end of the model'"
              " fix=remove the bytes if they are a mistake: rewriting the file keeps them"
              " more=0\n"
              "warning file/ambiguous-dialect @-1 'read as 'one', but the file also matches 'two''"
              " fix=choose the dialect with --from FORMAT:DIALECT more=0\n");
    tenon_doc_free(&doc->base);
}

TEST(a_number_that_is_not_finite_is_found_in_its_record)
{
    static const uint8_t bytes[5][4] = {
        {0}, {0, 0, 0x80, 0x3F}, {0, 0, 0xC0, 0x7F}, {0}, {0, 0, 0x80, 0xFF}};
    reported t;
    toy *doc = make("", bytes, 5);
    tenon_check_result result = check(doc, NULL, &t);
    CHECK(result.errors == 1);
    CHECK_STR(t.text,
              "error toy/broken values[2]@16 '2 of 5 items are not finite' fix=repair it more=0\n");
    tenon_doc_free(&doc->base);
}

TEST(a_callback_is_optional)
{
    toy *doc = make("bo", NULL, 0);
    tenon_check_result result;
    CHECK(tenon_check(&doc->base, NULL, NULL, NULL, &result, NULL));
    CHECK(result.errors == 1 && result.warnings == 1);
    CHECK(tenon_check(&doc->base, NULL, NULL, NULL, NULL, NULL));
    tenon_doc_free(&doc->base);
}

TEST(a_profile_that_does_not_exist_is_refused)
{
    toy *doc = make("", NULL, 0);
    tenon_error err;
    const tenon_check_opts opts = {.profile = "unity"};
    CHECK(!tenon_check(&doc->base, &opts, NULL, NULL, NULL, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "there is no profile 'unity'");
    tenon_doc_free(&doc->base);
}

TEST(without_memory_a_check_fails_and_reports_nothing)
{
    toy *doc = make("bbbooonnn", NULL, 0);
    for (uint64_t fail = 1; fail < 100; fail++) {
        meter m = {.fail_at = fail};
        reported t = {0};
        tenon_error err;
        const tenon_check_opts opts = {.allocator = metered(&m)};
        bool done = tenon_check(&doc->base, &opts, note, &t, NULL, &err);
        CHECK(m.live_blocks == 0 && !m.wrong_size);
        CHECK(done ? err.code == TENON_OK && t.size > 0
                   : err.code == TENON_ERR_MEMORY && t.size == 0);
        if (done && m.calls < fail) break;
    }
    tenon_doc_free(&doc->base);
}

TEST(long_paths_and_messages_are_cut_not_overrun)
{
    char many[600];
    memset(many, 'x', sizeof many);
    many[sizeof many - 1] = '\0';
    tn_path_text path = tn_path("%s", many);
    CHECK(strlen(path.text) == sizeof path.text - 1);

    uint64_t totals[RULES] = {0};
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    tn_check c = {
        .rules = rules, .rule_count = RULES, .totals = totals, .max_per_rule = 1, .arena = &arena};
    tn_found(&c, "odd", path, "%s", many);
    CHECK(c.found && strlen(c.found->message) == sizeof c.found->message - 1);
    CHECK(totals[ODD] == 1 && c.found_count == 1);
    tn_arena_free(&arena);
}

// -- Rules that many formats share

// The message of the newest finding, or "".
static const char *newest(const tn_check *c)
{
    return c->found ? c->found->message : "";
}

TEST(shared_rules_find_what_they_are_for)
{
    uint64_t totals[RULES] = {0};
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    tn_check c = {
        .rules = rules, .rule_count = RULES, .totals = totals, .max_per_rule = 99, .arena = &arena};
    tn_check_inside(&c, "odd", tn_path("texture"), (tenon_str){"", 0});
    tn_check_inside(&c, "odd", tn_path("texture"), (tenon_str){"maps/paint.png", 14});
    CHECK(c.found_count == 0);
    tn_found(&c, "unlisted", tn_path("name"), "a rule that the format does not have");
    CHECK(c.found_count == 0);
    tn_check_inside(&c, "odd", tn_path("texture"), (tenon_str){"../paint.png", 12});
    CHECK_STR(newest(&c), "'../paint.png' is outside the model's folder");
    CHECK(c.found_count == 1 && totals[BROKEN] == 0 && totals[ODD] == 1);
    tn_arena_free(&arena);
}

TEST(what_was_counted_is_one_finding_at_the_first_place)
{
    uint64_t totals[RULES] = {0};
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    tn_check c = {
        .rules = rules, .rule_count = RULES, .totals = totals, .max_per_rule = 99, .arena = &arena};
    tn_tally tally = {0};
    tn_found_tally(&c, "odd", &tally, "%" PRIu64 " are odd", tally.count);
    CHECK(c.found_count == 0 && totals[ODD] == 0);
    tn_tally_at(&tally, 2, "items", 7);
    tn_tally_at(&tally, 1, "items", 9);
    tn_found_tally(&c, "odd", &tally, "%" PRIu64 " are odd", tally.count);
    CHECK(c.found_count == 1 && totals[ODD] == 1);
    CHECK_STR(newest(&c), "3 are odd");
    CHECK_STR(c.found->path, "items[7]");
    tn_arena_free(&arena);
}

static bool count_steps(void *user, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    ++*(uint32_t *)user;
    return true;
}

// No more than 4 MiB are read without progress, unless it is a single record.
TEST(large_records_are_checked_one_by_one)
{
    static const tenon_element element = {"", TENON_TYPE_F32, 1, 0, 0};
    static const tenon_layout layout = {&element, 1, (4 << 20) + 4, NULL, 0, NULL};
    uint32_t steps = 0;
    uint64_t totals[RULES] = {0};
    const tenon_check_opts opts = {.events = {.on_progress = count_steps, .user = &steps}};
    tn_check c = {
        .rules = rules, .rule_count = RULES, .totals = totals, .max_per_rule = 1, .opts = &opts};
    uint8_t *bytes = calloc(3, (size_t)layout.stride);
    if (!bytes) abort();
    const tenon_span span = {bytes, 3 * layout.stride, 3, &layout, false};
    uint64_t bad;
    CHECK(tn_check_find_not_finite(&c, &span, &bad) == TENON_ABSENT && bad == 0 && steps == 3);
    free(bytes);
}

int main(void)
{
    RUN(a_good_document_has_no_findings);
    RUN(findings_are_reported_in_file_order_with_their_place);
    RUN(findings_at_one_place_stay_in_the_order_of_finding);
    RUN(a_rule_is_reported_up_to_its_limit_and_counted_in_full);
    RUN(the_last_one_reported_says_how_many_were_not);
    RUN(exactly_the_limit_leaves_nothing_unreported);
    RUN(shared_rules_are_applied_to_every_format);
    RUN(a_number_that_is_not_finite_is_found_in_its_record);
    RUN(a_callback_is_optional);
    RUN(a_profile_that_does_not_exist_is_refused);
    RUN(without_memory_a_check_fails_and_reports_nothing);
    RUN(long_paths_and_messages_are_cut_not_overrun);
    RUN(shared_rules_find_what_they_are_for);
    RUN(what_was_counted_is_one_finding_at_the_first_place);
    RUN(large_records_are_checked_one_by_one);
    TEST_END();
}
