// doc_read.c: from bytes to a document: which dialect it is, and reading it.
// SPDX-License-Identifier: MIT
//
// Dialects share their magic and often their version, so they are distinguished by trial: the first
// one whose description ends exactly at the end of the file is it. Trials skip the large arrays, so
// they cost little.

#include "document/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MEMORY_BASE  ((uint64_t)4 << 20)
#define MEMORY_SHARE 16

#define EXTENTS_FEW  128
#define EXTENTS_MANY 4096
#define EXTENTS_FROM ((uint64_t)32 << 20)  // Bytes of a file.

// One attempt to read the file.
typedef struct attempt {
    tenon_doc *doc;
    const uint8_t *data;
    uint64_t size;
    const tenon_read_opts *opts;
    const tenon_dialect *dialect;
    tn_observer *observers;
    bool is_trial;
    bool keep_trailing;  // Bytes after the end are kept; otherwise they are an error.
    bool is_whole;       // Trials have shown that nothing is damaged.
    bool partial, keeps_parts;
    tn_extent *extents;  // Shared by all trials.
    uint32_t extent_count;
} attempt;

// What the trials have shown so far.
typedef struct verdict {
    const tenon_dialect *winner, *also, *furthest;
    uint32_t asked;         // Flags that the winner's description looked at.
    uint32_t doubts;        // That it had.
    uint64_t furthest_end;  // Of what it explains.
    int weight;             // Of its failure.
    uint32_t tried;
    tenon_error why;  // Of the furthest.
} verdict;

tenon_doc *tn_doc_new(const tn_format *format, const tenon_read_opts *opts, uint64_t input_size,
                      tenon_error *err)
{
    uint64_t most = (UINT64_MAX - MEMORY_BASE) / MEMORY_SHARE;
    uint64_t fallback = input_size > most ? UINT64_MAX : MEMORY_BASE + MEMORY_SHARE * input_size;
    struct tenon_owner *owner = tn_block_alloc(&opts->allocator, sizeof *owner);
    if (!owner) {
        tn_error(err, TENON_ERR_MEMORY, "out of memory for the document");
        return NULL;
    }
    *owner = (struct tenon_owner){
        .arena = tn_arena_make(&opts->allocator, opts->max_memory ? opts->max_memory : fallback),
        .format = format,
        .max_depth =
            opts->max_depth && opts->max_depth < TN_DEPTH_MAX ? opts->max_depth : TN_DEPTH_MAX};
    tenon_doc *doc =
        tn_arena_alloc_or_fail(&owner->arena, 1, format->doc_size, "the document", err);
    if (!doc) {
        tn_arena_free(&owner->arena);
        tn_block_free(&opts->allocator, owner, sizeof *owner);
        return NULL;
    }
    *doc = (tenon_doc){.format = &format->face, .source_size = input_size, .owner = owner};
    return doc;
}

// Clear what an earlier attempt read, so that each starts from zero.
static void doc_read_reset(tenon_doc *doc, const tenon_dialect *dialect)
{
    tenon_doc head = {.format = doc->format,
                      .dialect = dialect,
                      .also = doc->also,
                      .source_size = doc->source_size,
                      .owner = doc->owner};
    memset(doc, 0, doc->owner->format->doc_size);
    *doc = head;
}

// The cursor lists them with the latest first.
static tn_cut *doc_read_in_order(tn_cut *latest)
{
    tn_cut *first = NULL;
    while (latest) {
        tn_cut *next = latest->next;
        latest->next = first;
        first = latest;
        latest = next;
    }
    return first;
}

// Neither a wrong guess nor anything that another dialect could change.
static bool doc_read_is_final(tenon_code code)
{
    return code == TENON_ERR_MEMORY || code == TENON_ERR_CANCELLED;
}

// Describe the file once. Returns whether it was read to its end.
static bool doc_read_run(const attempt *a, tn_io *io, tenon_error *err)
{
    struct tenon_owner *owner = a->doc->owner;
    doc_read_reset(a->doc, a->dialect);
    tn_io_reader(io, a->data, a->size, &owner->arena, err);
    io->flags = a->dialect->flags;
    io->max_depth = owner->max_depth;
    io->events = a->opts->events;
    io->observers = a->observers;
    io->skip_text = a->is_trial;
    io->partial = a->partial;
    io->keeps_parts = a->keeps_parts;
    io->extents = a->extents;
    io->extent_count = a->extent_count;
    tn_format_describe(io, owner->format, a->doc);
    if (io->recovered.code) {
        if (!io->failed || !doc_read_is_final(err->code)) *err = io->recovered;
        return false;
    }
    if (io->failed || io->pos == io->end) return !io->failed;
    if (a->keep_trailing) {
        tn_rest(io, "trailing", &a->doc->trailing);
        return !io->failed;
    }
    tn_fail(io, TENON_ERR_TRAILING, io->pos, "", "%" PRIu64 " bytes follow the end of the model",
            io->end - io->pos);
    return false;
}

// -- Trials

static bool doc_read_is_possible(const attempt *a, const tenon_dialect *dialect)
{
    const tn_format *format = a->doc->owner->format;
    if (a->opts->dialect) return strcmp(a->opts->dialect, dialect->name) == 0;
    return !format->fits || format->fits(a->data, a->size, dialect);
}

// Dialects that differ only in what the description never asked for are the same here.
static bool doc_read_same_where_asked(const tenon_dialect *a, const tenon_dialect *b,
                                      uint32_t asked)
{
    return ((a->flags ^ b->flags) & asked) == 0;
}

// The first dialect that fits wins, unless a later one raises fewer doubts.
static void doc_read_weigh(verdict *v, const tenon_dialect *dialect, const tn_io *io)
{
    if (!v->winner || io->doubts < v->doubts) {
        v->winner = dialect;
        v->also = NULL;
        v->asked = io->asked;
        v->doubts = io->doubts;
    } else if (io->doubts == v->doubts && !v->also) {
        v->also = dialect;
    }
}

// How strongly a failure speaks for its dialect. A limit hides whether the dialect fits, so it
// counts for more than how far another one got. In a damaged file, an array that continues to the
// end of the file and of which at least half is present counts for even more: the file is only cut.
static int doc_read_weight_of(const attempt *a, const tn_io *io, tenon_code code)
{
    if (a->opts->incomplete && io->explained > (a->size - io->pos) / 2) return 2;
    return code == TENON_ERR_LIMIT ? 1 : 0;
}

static bool doc_read_try_dialect(attempt *a, const tenon_dialect *dialect, verdict *v)
{
    if (v->winner && doc_read_same_where_asked(dialect, v->winner, v->asked)) return true;
    tn_io io;
    tenon_error err = {0};
    tn_mark mark = tn_arena_mark(&a->doc->owner->arena);
    a->dialect = dialect;
    bool fits = doc_read_run(a, &io, &err);
    tn_arena_rewind(&a->doc->owner->arena, mark);
    doc_read_reset(a->doc, NULL);  // Its contents were freed.
    v->tried++;
    if (fits) {
        doc_read_weigh(v, dialect, &io);
        return true;
    }
    uint64_t end = io.pos + io.explained;
    int weight = doc_read_weight_of(a, &io, err.code);
    bool tells_more = weight == v->weight ? end > v->furthest_end : weight > v->weight;
    if (doc_read_is_final(err.code) || !v->furthest || tells_more) {
        v->furthest = dialect;
        v->furthest_end = end;
        v->weight = weight;
        v->why = err;
    }
    return !doc_read_is_final(err.code);
}

// Try every dialect that the header leaves possible; false if that had to be broken off.
static bool doc_read_hold_trials(attempt *a, verdict *v)
{
    const tenon_format *face = a->doc->format;
    for (int last = 0; last < 2 && !(last && v->winner); last++)
        for (uint32_t i = 0; i < face->dialect_count; i++) {
            const tenon_dialect *dialect = &face->dialects[i];
            if (dialect->last_resort != (last == 1) || !doc_read_is_possible(a, dialect)) continue;
            if (!doc_read_try_dialect(a, dialect, v)) return false;
        }
    return true;
}

static const tenon_dialect *doc_read_only_candidate(const attempt *a)
{
    const tenon_dialect *only = NULL;
    for (uint32_t i = 0; i < a->doc->format->dialect_count; i++) {
        const tenon_dialect *dialect = &a->doc->format->dialects[i];
        if (!doc_read_is_possible(a, dialect)) continue;
        if (only) return NULL;
        only = dialect;
    }
    return only;
}

// -- Reading

// The final pass. `failure` is why the trials failed, or NULL.
static bool doc_read_finally(attempt *a, const tenon_dialect *dialect, const tenon_error *failure,
                             tenon_error *err)
{
    tn_io io;
    a->dialect = dialect;
    a->is_trial = false;
    a->partial = a->opts->partial;
    a->keeps_parts = a->opts->partial && a->opts->incomplete && !a->is_whole;
    bool whole = doc_read_run(a, &io, err);
    a->doc->owner->cuts = doc_read_in_order(io.cuts);
    if (!whole && failure && !err->note[0]) memcpy(err->note, failure->note, sizeof err->note);
    return whole;
}

// The header left no dialect possible.
static bool doc_read_refuse_version(const tenon_format *format, tenon_error *err)
{
    char known[128] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < format->dialect_count; i++) {
        const char *name = format->dialects[i].name;
        bool fits = strlen(name) + sizeof ", " + sizeof ", ..." <= sizeof known - n;
        int w = snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", fits ? name : "...");
        n += w > 0 ? (size_t)w : 0;
        if (!fits) break;
    }
    tn_error(err, TENON_ERR_VERSION, "the header does not match a known %s version (%s)",
             format->name, known);
    err->offset = 0;
    return false;
}

static bool doc_read_by_trial(attempt *a, tn_observer *observers, tenon_error *err)
{
    verdict v = {0};
    a->is_trial = true;
    if (!doc_read_hold_trials(a, &v)) {
        *err = v.why;
        return false;
    }
    if (!v.furthest && !v.winner) return doc_read_refuse_version(a->doc->format, err);
    a->observers = observers;
    if (v.winner) {
        a->doc->also = v.also;
        a->is_whole = true;
        return doc_read_finally(a, v.winner, NULL, err);
    }
    if (v.tried > 1 && !v.why.note[0])
        snprintf(v.why.note, sizeof v.why.note, "read as dialect '%s', which got furthest",
                 v.furthest->name);
    *err = v.why;
    bool wanted = a->opts->partial || observers;
    if (wanted) doc_read_finally(a, v.furthest, &v.why, err);
    return false;
}

// Results of trials are kept on the stack. Large files have more of them, so they get a larger
// table; if there is no memory for that, the small one works as well, but takes longer.
static bool doc_read_with_extents(attempt *a, tn_observer *observers, tenon_error *err)
{
    tn_extent few[EXTENTS_FEW] = {0};
    const tenon_allocator *allocator = &a->opts->allocator;
    size_t many_size = EXTENTS_MANY * sizeof *few;
    tn_extent *many = a->size >= EXTENTS_FROM ? tn_block_alloc(allocator, many_size) : NULL;
    if (many) memset(many, 0, many_size);
    a->extents = many ? many : few;
    a->extent_count = many ? EXTENTS_MANY : EXTENTS_FEW;
    bool ok = doc_read_by_trial(a, observers, err);
    if (many) tn_block_free(allocator, many, many_size);
    return ok;
}

bool tn_doc_read(tenon_doc *doc, const uint8_t *data, uint64_t size, const tenon_read_opts *opts,
                 tn_observer *observers, tenon_error *err)
{
    attempt a = {.doc = doc, .data = data, .size = size, .opts = opts};
    if (opts->dialect && !tenon_dialect_by_name(doc->format, opts->dialect))
        return tn_error(err, TENON_ERR_UNSUPPORTED, "%s has no dialect '%s'", doc->format->name,
                        opts->dialect);
    const tenon_dialect *only = doc_read_only_candidate(&a);
    if (!only) return doc_read_with_extents(&a, observers, err);
    a.observers = observers;
    a.keep_trailing = (doc->format->caps & TENON_HAS_MAGIC) != 0;
    return doc_read_finally(&a, only, NULL, err);
}

// -- Writing

uint64_t tn_doc_write(const tenon_doc *doc, tn_io *io, tn_observer *observers)
{
    io->flags = doc->dialect->flags;
    io->max_depth = doc->owner->max_depth;
    io->observers = observers;
    // In WRITE mode a description does not change the document.
    tn_format_describe(io, doc->owner->format, (tenon_doc *)doc);
    tenon_span trailing = doc->trailing;
    tn_rest(io, "trailing", &trailing);
    return io->failed ? TENON_ABSENT : io->pos;
}

void tn_doc_look(const tenon_doc *doc, tn_observer *observers)
{
    tn_io io;
    tenon_error ignored;
    tn_io_writer(&io, NULL, NULL, &ignored);
    io.is_looking = true;
    (void)tn_doc_write(doc, &io, observers);
}
