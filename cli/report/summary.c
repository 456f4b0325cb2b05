// summary.c: what became of many files, in a few lines at the end.
// SPDX-License-Identifier: MIT

#include "report/summary.h"

#include "report/output.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define SKIPPED_SHOWN 20  // Names, unless all are wanted.

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *made = malloc(size);
    return made ? memcpy(made, text, size) : NULL;
}

static void add(summary *s, const char *file, const char *why, bool is_skipped)
{
    ++*(is_skipped ? &s->skipped : &s->failed);
    if (s->count == s->room) {
        uint32_t room = s->room ? 2 * s->room : 16;
        summary_entry *longer = realloc(s->entries, room * sizeof *longer);
        s->has_no_memory |= !longer;
        if (!longer) return;
        s->entries = longer;
        s->room = room;
    }
    summary_entry entry = {.file = copy(file), .why = copy(why), .is_skipped = is_skipped};
    if (entry.file && entry.why) {
        s->entries[s->count++] = entry;
        return;
    }
    s->has_no_memory = true;
    free(entry.file);
    free(entry.why);
}

void summary_fail(summary *s, const char *file, const char *why)
{
    add(s, file, why, false);
}

void summary_skip(summary *s, const char *file, const char *why)
{
    add(s, file, why, true);
}

static void print_entries(const summary *s, bool skipped, uint32_t most)
{
    uint32_t shown = 0, count = skipped ? s->skipped : s->failed;
    for (uint32_t i = 0; i < s->count && shown < most; i++) {
        const summary_entry *entry = &s->entries[i];
        if (entry->is_skipped != skipped) continue;
        out(stderr, skipped ? "  skipped: " : "  failed: ");
        out_clean(stderr, entry->file);
        out(stderr, ": ");
        out_clean(stderr, entry->why);
        out(stderr, "\n");
        shown++;
    }
    if (shown < count) out(stderr, "  and %u more\n", (unsigned)(count - shown));
}

int summary_end(const summary *s, const cli_common *opts, const char *done, bool are_many,
                int status)
{
    if (!are_many) return status;
    if (s->has_no_memory) return report_no_memory();
    if (opts->quiet || opts->json) return status;
    out_flush();
    out_count(stderr, s->done, "file");
    out(stderr, " %s", done);
    if (s->failed) out(stderr, ", %u failed", (unsigned)s->failed);
    if (s->skipped) out(stderr, ", %u skipped", (unsigned)s->skipped);
    out(stderr, "\n");
    print_entries(s, false, UINT32_MAX);
    print_entries(s, true, opts->verbose ? UINT32_MAX : SKIPPED_SHOWN);
    return status;
}

void summary_write_skipped(const summary_entry *entry, json_out *json)
{
    json_begin(json, NULL, '{');
    json_text(json, "file", entry->file);
    json_text(json, "skipped", entry->why);
    json_end(json, '}');
}

void summary_print_skipped(const summary *s)
{
    json_out json = {.to = stdout};
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->entries[i].is_skipped) continue;
        summary_write_skipped(&s->entries[i], &json);
        json_line(&json);
    }
}

void summary_free(summary *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        free(s->entries[i].file);
        free(s->entries[i].why);
    }
    free(s->entries);
    *s = (summary){0};
}
