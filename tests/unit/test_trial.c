// test_trial.c: which dialect a file is: by trial, with formats made for this test.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"
#include "core_help.h"
#include "document/document.h"

// -- A format whose dialects differ in what flags say

enum { WIDE = 1, EXTRA = 2, OTHER = 4 };

typedef struct trial {
    tenon_doc base;
    uint8_t kind;  // 2: EXTRA is looked at; 3, 4: wide and narrow have the same size.
    uint32_t wide;
    uint16_t narrow, more;
    uint8_t extra;
    uint32_t name_count;
    tenon_str *names;
    tenon_span bytes;
} trial;

static uint32_t descriptions;  // How often a file was read.

static void trial_describe(tn_io *io, void *any)
{
    trial *doc = any;
    descriptions += io->mode == TN_READ;
    tn_magic(io, "magic", "TRY", 3);
    tn_u8(io, "kind", &doc->kind);
    if (tn_has(io, WIDE))
        tn_u32(io, "wide", &doc->wide);
    else
        tn_u16(io, "narrow", &doc->narrow);
    if (doc->kind >= 3 && !tn_has(io, WIDE)) tn_u16(io, "more", &doc->more);
    if (doc->kind == 4 && tn_has(io, WIDE)) tn_doubt(io);
    if (doc->kind == 2 && tn_has(io, EXTRA)) tn_u8(io, "extra", &doc->extra);
    tn_list(io, "names", &doc->names, &doc->name_count, sizeof *doc->names, 4);
    for (uint32_t i = 0; tn_next(io, i, doc->name_count); i++) tn_str32(io, "", &doc->names[i]);
    tn_counted(io, "bytes", &doc->bytes, &tn_layout_u8);
}

static tn_format make_format(const tenon_dialect *dialects, uint32_t count)
{
    return (tn_format){.face = {.name = "trial",
                                .caps = TENON_HAS_MAGIC,
                                .dialects = dialects,
                                .dialect_count = count},
                       .doc_size = sizeof(trial),
                       .describe = trial_describe};
}

static const tenon_dialect wide = {"wide", "", WIDE, false};
static const tenon_dialect narrow = {"narrow", "", 0, false};

// A narrow file is not a wide one, and the other way round.
static const char narrow_file[] = "TRY\1nn\1\0\0\0\2\0\0\0ab\1\0\0\0x";
static const char wide_file[] = "TRY\1wwww\1\0\0\0\2\0\0\0ab\1\0\0\0x";
enum { NARROW_SIZE = sizeof narrow_file - 1, WIDE_SIZE = sizeof wide_file - 1 };

static const char both_file[] = "TRY\3abcd\0\0\0\0\0\0\0\0";
enum { BOTH_SIZE = sizeof both_file - 1 };

static trial *read_with(const tn_format *format, const void *data, size_t size,
                        const tenon_read_opts *opts, tenon_error *err)
{
    static const tenon_read_opts none;
    if (!opts) opts = &none;
    *err = (tenon_error){0};
    descriptions = 0;
    tenon_doc *doc = tn_doc_new(format, opts, size, err);
    CHECK(doc != NULL);
    if (!doc) return NULL;
    bool whole = tn_doc_read(doc, data, size, opts, NULL, err);
    CHECK(whole == (err->code == TENON_OK));
    if (whole || opts->partial) return (trial *)doc;
    tenon_doc_free(doc);
    return NULL;
}

static bool writes(const trial *doc, const void *bytes, size_t size)
{
    writing w;
    writing_begin(&w);
    tn_doc_write(&doc->base, &w.io, NULL);
    return wrote(&w, bytes, size);
}

// Read, compare the verdict, write back.
static void check_verdict(const tn_format *format, const void *data, size_t size,
                          const char *dialect, const char *also)
{
    tenon_error err;
    trial *doc = read_with(format, data, size, NULL, &err);
    CHECK(doc != NULL);
    if (!doc) return;
    CHECK_STR(doc->base.dialect->name, dialect);
    CHECK_STR(doc->base.also ? doc->base.also->name : "-", also);
    CHECK(writes(doc, data, size));
    tenon_doc_free(&doc->base);
}

// -- Which one it is

TEST(the_dialect_that_ends_with_the_file_is_the_one)
{
    const tenon_dialect ab[] = {wide, narrow}, ba[] = {narrow, wide};
    const tn_format first_wide = make_format(ab, 2), first_narrow = make_format(ba, 2);
    check_verdict(&first_wide, wide_file, WIDE_SIZE, "wide", "-");
    check_verdict(&first_wide, narrow_file, NARROW_SIZE, "narrow", "-");
    check_verdict(&first_narrow, wide_file, WIDE_SIZE, "wide", "-");
    check_verdict(&first_narrow, narrow_file, NARROW_SIZE, "narrow", "-");
}

TEST(of_two_that_fit_the_first_in_the_table_wins_and_the_other_is_reported)
{
    const tenon_dialect ab[] = {wide, narrow}, ba[] = {narrow, wide};
    const tn_format first_wide = make_format(ab, 2), first_narrow = make_format(ba, 2);
    check_verdict(&first_wide, both_file, BOTH_SIZE, "wide", "narrow");
    check_verdict(&first_narrow, both_file, BOTH_SIZE, "narrow", "wide");
}

TEST(of_two_that_fit_the_one_with_fewer_doubts_wins)
{
    static const char file[] = "TRY\4abcd\0\0\0\0\0\0\0\0";  // As wide it would be doubtful.
    const tenon_dialect ab[] = {wide, narrow}, ba[] = {narrow, wide};
    const tn_format first_wide = make_format(ab, 2), first_narrow = make_format(ba, 2);
    check_verdict(&first_wide, file, 16, "narrow", "-");
    check_verdict(&first_narrow, file, 16, "narrow", "-");
    const tn_format only_wide = make_format(ab, 1);  // Doubts are not faults.
    check_verdict(&only_wide, file, 16, "wide", "-");
}

TEST(dialects_that_differ_in_what_was_never_asked_are_one)
{
    const tenon_dialect table[] = {{"plain", "", 0, false},
                                   {"extra", "", EXTRA, false},
                                   {"other", "", OTHER, false},
                                   {"both", "", EXTRA | OTHER, false}};
    const tn_format format = make_format(table, 4);
    check_verdict(&format, narrow_file, NARROW_SIZE, "plain", "-");
    CHECK(descriptions == 2);  // One trial, then the reading; nothing else had to be tried.
}

TEST(dialects_that_differ_in_what_was_asked_are_not)
{
    static const char file[] = "TRY\2nn\0\0\0\0\1\0\0\0\0";
    const tenon_dialect table[] = {
        {"plain", "", 0, false}, {"other", "", OTHER, false}, {"extra", "", EXTRA, false}};
    const tn_format format = make_format(table, 3);
    check_verdict(&format, file, 15, "plain", "-");
    CHECK(descriptions == 3);  // plain and extra, then the reading; other is plain by another name.
}

TEST(what_is_asked_only_on_some_files_counts_only_there)
{
    const tenon_dialect table[] = {{"extra", "", EXTRA, false}, {"plain", "", 0, false}};
    const tn_format format = make_format(table, 2);
    check_verdict(&format, narrow_file, NARROW_SIZE, "extra", "-");  // kind 1 does not ask.
    static const char kind_2[] = "TRY\2nn\0\0\0\0\0\0\0\0";
    check_verdict(&format, kind_2, 14, "plain", "-");
}

TEST(the_last_resort_is_tried_only_when_nothing_else_fits)
{
    const tenon_dialect table[] = {{"wide", "", WIDE, true}, {"narrow", "", 0, false}};
    const tn_format format = make_format(table, 2);
    check_verdict(&format, both_file, BOTH_SIZE, "narrow", "-");  // wide would fit, too.
    CHECK(descriptions == 2);
    check_verdict(&format, wide_file, WIDE_SIZE, "wide", "-");
    CHECK(descriptions == 3);
}

// -- None

TEST(if_none_fits_the_error_is_of_the_one_that_got_furthest)
{
    const tenon_dialect ab[] = {wide, narrow}, ba[] = {narrow, wide};
    for (int order = 0; order < 2; order++) {
        const tn_format format = make_format(order ? ba : ab, 2);
        tenon_error err;
        // As narrow: one name of two bytes, which is cut; as wide: a huge count of names.
        CHECK(read_with(&format, narrow_file, 15, NULL, &err) == NULL);
        CHECK_ERROR(err, TENON_ERR_TRUNCATED, 10, "names[0]", "'names' needs 2 bytes, only 1 left",
                    "read as dialect 'narrow', which got furthest");
    }
}

TEST(a_number_that_was_never_a_count_explains_nothing)
{
    const tenon_dialect table[] = {wide, narrow};
    const tn_format format = make_format(table, 2);
    static uint8_t cut[14 + 40000];
    tenon_error err;
    // As narrow: 65,536 bytes, most of which are there; as wide, two bytes further: four billion.
    memset(cut, 0xff, sizeof cut);
    memcpy(cut, "TRY\1nn\0\0\0\0\0\0\1\0", 14);
    CHECK(read_with(&format, cut, sizeof cut, NULL, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_TRUNCATED, 14, "bytes", "'bytes' needs 65536 bytes, only 40000 left",
                "count is 65536 (at 0x00000a)");
}

TEST(if_none_got_further_it_is_the_first_in_the_table)
{
    const tenon_dialect table[] = {narrow, wide};
    const tn_format format = make_format(table, 2);
    tenon_error err;
    CHECK(read_with(&format, "TRX\1", 4, NULL, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_FORMAT, 0, "magic",
                "the file does not start with the magic bytes of this format",
                "read as dialect 'narrow', which got furthest");
}

TEST(a_specific_note_is_preferred_to_the_name_of_the_dialect)
{
    const tenon_dialect table[] = {wide, narrow};
    const tn_format format = make_format(table, 2);
    tenon_error err;
    CHECK(read_with(&format, "TRY\1nn\0\0\0\0\7\0\0\0abc", 17, NULL, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_TRUNCATED, 14, "bytes", "'bytes' needs 7 bytes, only 3 left",
                "count is 7 (at 0x00000a)");
}

TEST(a_single_candidate_needs_no_note)
{
    const tn_format format = make_format(&narrow, 1);
    tenon_error err;
    CHECK(read_with(&format, narrow_file, 15, NULL, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_TRUNCATED, 10, "names[0]", "'names' needs 2 bytes, only 1 left", "");
    CHECK(descriptions == 1);  // Nor a trial.
}

// -- What the header leaves

static bool only_wide_for_w(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    return size > 4 && (data[4] == 'w' ? (dialect->flags & WIDE) != 0 : data[4] == 'n');
}

TEST(what_the_header_strikes_out_is_not_tried)
{
    const tenon_dialect table[] = {narrow, wide};
    tn_format format = make_format(table, 2);
    format.fits = only_wide_for_w;
    check_verdict(&format, wide_file, WIDE_SIZE, "wide", "-");
    CHECK(descriptions == 1);
    check_verdict(&format, narrow_file, NARROW_SIZE, "narrow", "-");
    CHECK(descriptions == 3);
}

TEST(a_header_that_leaves_nothing_is_an_unknown_version)
{
    const tenon_dialect table[] = {narrow, wide};
    tn_format format = make_format(table, 2);
    format.fits = only_wide_for_w;
    tenon_error err;
    CHECK(read_with(&format, both_file, BOTH_SIZE, NULL, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_VERSION, 0, "",
                "the header does not match a known trial version (narrow, wide)", "");
    CHECK(descriptions == 0);
}

// -- Forced

TEST(a_forced_dialect_is_taken_whatever_else_fits)
{
    const tenon_dialect table[] = {wide, narrow};
    tn_format format = make_format(table, 2);
    tenon_error err;
    const tenon_read_opts opts = {.dialect = "narrow"};
    trial *doc = read_with(&format, both_file, BOTH_SIZE, &opts, &err);
    CHECK(doc != NULL && descriptions == 1);
    if (!doc) return;
    CHECK_STR(doc->base.dialect->name, "narrow");
    CHECK(doc->base.also == NULL);
    tenon_doc_free(&doc->base);

    format.fits = only_wide_for_w;  // The header is ignored then.
    doc = read_with(&format, both_file, BOTH_SIZE, &opts, &err);
    CHECK(doc != NULL);
    if (doc) tenon_doc_free(&doc->base);
}

TEST(a_forced_dialect_that_does_not_fit_is_an_error_without_a_guess)
{
    const tenon_dialect table[] = {wide, narrow};
    const tn_format format = make_format(table, 2);
    tenon_error err;
    const tenon_read_opts opts = {.dialect = "wide"};
    CHECK(read_with(&format, narrow_file, NARROW_SIZE, &opts, &err) == NULL);
    CHECK(err.code == TENON_ERR_TRUNCATED);
    CHECK_STR(err.note, "");
    CHECK(descriptions == 1);
}

TEST(a_dialect_that_does_not_exist_cannot_be_forced)
{
    const tenon_dialect table[] = {wide, narrow};
    const tn_format format = make_format(table, 2);
    tenon_error err;
    const tenon_read_opts opts = {.dialect = "middle"};
    CHECK(read_with(&format, narrow_file, NARROW_SIZE, &opts, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_UNSUPPORTED, TENON_ABSENT, "", "trial has no dialect 'middle'", "");
}

// -- Bytes after the end

static const char trailing_file[] = "TRY\1nn\0\0\0\0\0\0\0\0more";

TEST(bytes_after_the_end_are_kept_if_there_is_one_candidate_and_magic)
{
    const tn_format format = make_format(&narrow, 1);
    tenon_error err;
    trial *doc = read_with(&format, trailing_file, 18, NULL, &err);
    CHECK(doc != NULL);
    if (!doc) return;
    CHECK((const char *)doc->base.trailing.data == trailing_file + 14);
    CHECK(doc->base.trailing.size == 4 && doc->base.trailing.layout == NULL);
    CHECK(writes(doc, trailing_file, 18));
    uint64_t offset, size;
    CHECK(tenon_locate(&doc->base, "trailing", &offset, &size) && offset == 14 && size == 4);
    tenon_doc_free(&doc->base);
}

TEST(bytes_after_the_end_are_kept_if_the_dialect_is_forced)
{
    const tenon_dialect table[] = {wide, narrow};
    const tn_format format = make_format(table, 2);
    tenon_error err;
    const tenon_read_opts opts = {.dialect = "narrow"};
    trial *doc = read_with(&format, trailing_file, 18, &opts, &err);
    CHECK(doc && doc->base.trailing.size == 4);
    if (doc) tenon_doc_free(&doc->base);
}

TEST(bytes_after_the_end_are_an_error_without_magic)
{
    tn_format format = make_format(&narrow, 1);
    format.face.caps = 0;
    tenon_error err;
    CHECK(read_with(&format, trailing_file, 18, NULL, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_TRAILING, 14, "", "4 bytes follow the end of the model", "");
}

TEST(bytes_after_the_end_are_an_error_if_there_are_several_candidates)
{
    const tenon_dialect table[] = {wide, narrow};
    const tn_format format = make_format(table, 2);
    tenon_error err;
    // Cut so that wide gets nowhere.
    CHECK(read_with(&format, "TRY\1nn\0\0\0\0\0\0\0\0\xFF", 15, NULL, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_TRAILING, 14, "", "1 bytes follow the end of the model",
                "read as dialect 'narrow', which got furthest");
}

// -- Memory

TEST(limits_are_those_of_the_options_or_follow_the_input)
{
    static const struct {
        uint64_t max_memory, input, limit;
        uint32_t max_depth, depth;
    } cases[] = {
        {0, 0, (uint64_t)4 << 20, 0, TN_DEPTH_MAX},
        {0, 1000, ((uint64_t)4 << 20) + 16000, 5, 5},
        {12345, 1000, 12345, TN_DEPTH_MAX, TN_DEPTH_MAX},
        {0, UINT64_MAX / 16, UINT64_MAX, TN_DEPTH_MAX + 1, TN_DEPTH_MAX},
    };
    const tn_format format = make_format(&narrow, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tenon_read_opts opts = {.max_memory = cases[i].max_memory,
                                      .max_depth = cases[i].max_depth};
        tenon_doc *doc = tn_doc_new(&format, &opts, cases[i].input, NULL);
        CHECK(doc && doc->owner->arena.limit == cases[i].limit);
        CHECK(doc && doc->owner->max_depth == cases[i].depth);
        tenon_doc_free(doc);
    }
}

TEST(a_document_that_cannot_even_begin_says_why)
{
    const tn_format format = make_format(&narrow, 1);
    tenon_error err;
    CHECK(tn_doc_new(&format, &(tenon_read_opts){.max_memory = 1}, 0, &err) == NULL);
    CHECK_ERROR(err, TENON_ERR_LIMIT, TENON_ABSENT, "",
                "the document would exceed the memory limit of 1 bytes", "");
    for (uint64_t fail = 1; fail <= 2; fail++) {
        meter m = {.fail_at = fail};
        const tenon_read_opts opts = {.allocator = metered(&m)};
        CHECK(tn_doc_new(&format, &opts, 0, &err) == NULL && m.live_blocks == 0);
        CHECK_ERROR(err, TENON_ERR_MEMORY, TENON_ABSENT, "", "out of memory for the document", "");
    }
}

static tenon_read_opts metered_opts(meter *m)
{
    return (tenon_read_opts){.allocator = metered(m)};
}

TEST(without_memory_nothing_more_is_tried)
{
    const tenon_dialect table[] = {narrow, wide};
    const tn_format format = make_format(table, 2);
    char file[6 + 4 + 4 * 1200 + 4] = "TRY\1nn\xB0\4";  // 1200 names: more than was allocated.
    bool whole = false;
    for (uint64_t fail = 1; fail < 10000 && !whole; fail++) {
        meter m = {.fail_at = fail};
        const tenon_read_opts opts = metered_opts(&m);
        tenon_error err = {0};
        tenon_doc *doc = tn_doc_new(&format, &opts, sizeof file, &err);
        if (!doc) continue;  // There was none for the document itself.
        descriptions = 0;
        whole = tn_doc_read(doc, (const uint8_t *)file, sizeof file, &opts, NULL, &err);
        if (!whole) CHECK(err.code == TENON_ERR_MEMORY && descriptions == (m.calls == 3 ? 1 : 3));
        tenon_doc_free(doc);
        CHECK(m.live_blocks == 0 && !m.wrong_size);
    }
    CHECK(whole);  // The last round had all the memory it asked for.
}

TEST(a_limit_is_reported_before_how_far_another_dialect_got)
{
    const tenon_dialect table[] = {narrow, wide};
    const tn_format format = make_format(table, 2);
    char file[6 + 4 + 4 * 40 + 4] = "TRY\1nn\x28";  // 40 names; as wide it is cut, but later.
    const tenon_read_opts opts = {.max_memory = sizeof(trial) + 39 * sizeof(tenon_str)};
    tenon_error err;
    file[8] = 0;
    CHECK(read_with(&format, file, sizeof file, &opts, &err) == NULL);
    CHECK(err.code == TENON_ERR_LIMIT);
    CHECK_STR(err.path, "names");
    CHECK_STR(err.note, "read as dialect 'narrow', which got furthest");
}

TEST(trials_leave_no_memory_allocated)
{
    const tenon_dialect ab[] = {wide, narrow};
    const tn_format two = make_format(ab, 2), one = make_format(&narrow, 1);
    tenon_error err;
    trial *a = read_with(&two, narrow_file, NARROW_SIZE, NULL, &err);
    trial *b = read_with(&one, narrow_file, NARROW_SIZE, NULL, &err);
    CHECK(a && b && a->base.owner->arena.used == b->base.owner->arena.used);
    if (a) tenon_doc_free(&a->base);
    if (b) tenon_doc_free(&b->base);
}

TEST(every_attempt_starts_from_zero)
{
    const tenon_dialect table[] = {wide, narrow};
    const tn_format format = make_format(table, 2);
    tenon_error err;
    trial *doc = read_with(&format, narrow_file, NARROW_SIZE, NULL, &err);
    CHECK(doc != NULL);
    if (!doc) return;
    CHECK(doc->wide == 0 && doc->narrow != 0);  // The wide attempt had read something there.
    CHECK(doc->name_count == 1 && strcmp(doc->names[0].data, "ab") == 0);
    CHECK(doc->names[0].data < narrow_file || doc->names[0].data > narrow_file + NARROW_SIZE);
    tenon_doc_free(&doc->base);
}

// -- Cancelled, partial, watched

static bool cancel_at_once(void *user, uint64_t done, uint64_t total)
{
    uint32_t *calls = user;
    CHECK(done <= total);
    ++*calls;
    return false;
}

TEST(a_cancelled_trial_ends_everything_and_holds_nothing)
{
    const tenon_dialect table[] = {narrow, wide};
    const tn_format format = make_format(table, 2);
    for (int partial = 0; partial < 2; partial++) {
        uint32_t calls = 0;
        const tenon_read_opts opts = {.events = {.user = &calls, .on_progress = cancel_at_once},
                                      .partial = partial};
        tenon_error err;
        trial *doc = read_with(&format, narrow_file, NARROW_SIZE, &opts, &err);
        CHECK(err.code == TENON_ERR_CANCELLED && calls == 1 && descriptions == 1);
        CHECK((doc != NULL) == partial);
        if (!doc) continue;
        CHECK(doc->name_count == 0 && doc->names == NULL);  // Its memory is gone.
        tenon_doc_free(&doc->base);
    }
}

TEST(a_partial_document_is_what_the_furthest_attempt_read)
{
    const tenon_dialect table[] = {wide, narrow};
    const tn_format format = make_format(table, 2);
    static const char file[] = "TRY\1nn\3\0\0\0\1\0\0\0a\2\0\0\0bb\3\0\0\0cc";
    char *copy = malloc(27);
    if (!copy) abort();
    memcpy(copy, file, 27);
    const tenon_read_opts opts = {.partial = true};
    tenon_error err;
    trial *doc = read_with(&format, copy, 27, &opts, &err);
    memset(copy, 'x', 27);  // Names are copies.
    free(copy);
    CHECK_ERROR(err, TENON_ERR_TRUNCATED, 21, "names[2]", "'names' needs 3 bytes, only 2 left",
                "read as dialect 'narrow', which got furthest");
    CHECK(doc != NULL);
    if (!doc) return;
    CHECK_STR(doc->base.dialect->name, "narrow");
    CHECK(doc->name_count == 2);
    CHECK_STR(doc->names[1].data, "bb");
    CHECK(doc->bytes.count == 0);
    tenon_doc_free(&doc->base);
}

TEST(observers_see_the_reading_but_not_the_trials)
{
    const tenon_dialect table[] = {wide, narrow};
    const tn_format format = make_format(table, 2);
    const tenon_read_opts opts = {0};
    tenon_error err = {0};
    tenon_doc *doc = tn_doc_new(&format, &opts, NARROW_SIZE, &err);
    trace t = {.observer = {.field = trace_field}};
    CHECK(doc &&
          tn_doc_read(doc, (const uint8_t *)narrow_file, NARROW_SIZE, &opts, &t.observer, &err));
    CHECK_STR(t.text, "0+3 str magic; 3+1 u8 kind; 4+2 u16 narrow; 6+4 u32 names.count; "
                      "10+6 str32 names[0]; 16+4 u32 bytes.count; 20+1 records bytes; ");
    tenon_doc_free(doc);
}

int main(void)
{
    RUN(the_dialect_that_ends_with_the_file_is_the_one);
    RUN(of_two_that_fit_the_first_in_the_table_wins_and_the_other_is_reported);
    RUN(of_two_that_fit_the_one_with_fewer_doubts_wins);
    RUN(dialects_that_differ_in_what_was_never_asked_are_one);
    RUN(dialects_that_differ_in_what_was_asked_are_not);
    RUN(what_is_asked_only_on_some_files_counts_only_there);
    RUN(the_last_resort_is_tried_only_when_nothing_else_fits);
    RUN(if_none_fits_the_error_is_of_the_one_that_got_furthest);
    RUN(a_number_that_was_never_a_count_explains_nothing);
    RUN(if_none_got_further_it_is_the_first_in_the_table);
    RUN(a_specific_note_is_preferred_to_the_name_of_the_dialect);
    RUN(a_single_candidate_needs_no_note);
    RUN(what_the_header_strikes_out_is_not_tried);
    RUN(a_header_that_leaves_nothing_is_an_unknown_version);
    RUN(a_forced_dialect_is_taken_whatever_else_fits);
    RUN(a_forced_dialect_that_does_not_fit_is_an_error_without_a_guess);
    RUN(a_dialect_that_does_not_exist_cannot_be_forced);
    RUN(bytes_after_the_end_are_kept_if_there_is_one_candidate_and_magic);
    RUN(bytes_after_the_end_are_kept_if_the_dialect_is_forced);
    RUN(bytes_after_the_end_are_an_error_without_magic);
    RUN(bytes_after_the_end_are_an_error_if_there_are_several_candidates);
    RUN(limits_are_those_of_the_options_or_follow_the_input);
    RUN(a_document_that_cannot_even_begin_says_why);
    RUN(without_memory_nothing_more_is_tried);
    RUN(a_limit_is_reported_before_how_far_another_dialect_got);
    RUN(trials_leave_no_memory_allocated);
    RUN(every_attempt_starts_from_zero);
    RUN(a_cancelled_trial_ends_everything_and_holds_nothing);
    RUN(a_partial_document_is_what_the_furthest_attempt_read);
    RUN(observers_see_the_reading_but_not_the_trials);
    TEST_END();
}
