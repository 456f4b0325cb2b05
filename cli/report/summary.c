// summary.c: the results of many files, in a few lines at the end.
// SPDX-License-Identifier: MIT

#include "report/summary.h"

#include "report/output.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define SKIPPED_SHOWN 20  // Names, unless all are wanted.

static char *summary_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *made = malloc(size);
    return made ? memcpy(made, text, size) : NULL;
}

static void summary_add_entry(summary *totals, const char *file, const char *why, bool is_skipped)
{
    ++*(is_skipped ? &totals->skipped : &totals->failed);
    if (totals->count == totals->room) {
        uint32_t room = totals->room ? 2 * totals->room : 16;
        summary_entry *longer = realloc(totals->entries, room * sizeof *longer);
        totals->has_no_memory |= !longer;
        if (!longer) return;
        totals->entries = longer;
        totals->room = room;
    }
    summary_entry entry = {
        .file = summary_copy(file), .why = summary_copy(why), .is_skipped = is_skipped};
    if (entry.file && entry.why) {
        totals->entries[totals->count++] = entry;
        return;
    }
    totals->has_no_memory = true;
    free(entry.file);
    free(entry.why);
}

void summary_fail(summary *totals, const char *file, const char *why)
{
    summary_add_entry(totals, file, why, false);
}

void summary_skip(summary *totals, const char *file, const char *why)
{
    summary_add_entry(totals, file, why, true);
}

static void summary_print_entries(const summary *totals, bool skipped, uint32_t most)
{
    uint32_t shown = 0, count = skipped ? totals->skipped : totals->failed;
    for (uint32_t i = 0; i < totals->count && shown < most; i++) {
        const summary_entry *entry = &totals->entries[i];
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

int summary_end(const summary *totals, const cli_common *opts, const char *done, bool are_many,
                int status)
{
    if (!are_many) return status;
    if (totals->has_no_memory) return report_no_memory();
    if (opts->quiet || opts->json) return status;
    out_flush();
    out_count(stderr, totals->done, "file");
    out(stderr, " %s", done);
    if (totals->failed) out(stderr, ", %u failed", (unsigned)totals->failed);
    if (totals->skipped) out(stderr, ", %u skipped", (unsigned)totals->skipped);
    out(stderr, "\n");
    summary_print_entries(totals, false, UINT32_MAX);
    summary_print_entries(totals, true, opts->verbose ? UINT32_MAX : SKIPPED_SHOWN);
    return status;
}

void summary_write_skipped(const summary_entry *entry, json_out *json)
{
    json_begin(json, NULL, '{');
    json_text(json, "file", entry->file);
    json_text(json, "skipped", entry->why);
    json_end(json, '}');
}

void summary_print_skipped(const summary *totals)
{
    json_out json = {.to = stdout};
    for (uint32_t i = 0; i < totals->count; i++) {
        if (!totals->entries[i].is_skipped) continue;
        summary_write_skipped(&totals->entries[i], &json);
        json_line(&json);
    }
}

void summary_free(summary *totals)
{
    for (uint32_t i = 0; i < totals->count; i++) {
        free(totals->entries[i].file);
        free(totals->entries[i].why);
    }
    free(totals->entries);
    *totals = (summary){0};
}
