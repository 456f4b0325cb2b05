// summary.c: the results of many files, in a few lines at the end.
// SPDX-License-Identifier: MIT

#include "report/summary.h"

#include "report/output.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define SKIPPED_SHOWN 20  // Names, unless all are wanted.
#define REASONS_MOST  32

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

// How many were skipped for each of the first reasons.
typedef struct summary_reason {
    const char *why;
    uint32_t count;
} summary_reason;

static uint32_t summary_count_reasons(const summary *totals, summary_reason reasons[REASONS_MOST])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < totals->count; i++) {
        const summary_entry *entry = &totals->entries[i];
        uint32_t k = 0;
        if (!entry->is_skipped) continue;
        while (k < count && strcmp(reasons[k].why, entry->why) != 0) k++;
        if (k == REASONS_MOST) continue;
        if (k == count) reasons[count++] = (summary_reason){.why = entry->why};
        reasons[k].count++;
    }
    return count;
}

// Of skipped files that are not all named, how many there are for each reason.
static void summary_print_reasons(const summary *totals)
{
    summary_reason reasons[REASONS_MOST];
    uint32_t count = summary_count_reasons(totals, reasons);
    for (uint32_t i = 0; i < count; i++) {
        out(stderr, "  skipped in all: ");
        out_clean(stderr, reasons[i].why);
        out(stderr, ": %u\n", (unsigned)reasons[i].count);
    }
}

// {"summary": {...}}, in one line.
static void summary_print_json(const summary *totals, const char *done, int status)
{
    json_out json = {.to = stdout};
    summary_reason reasons[REASONS_MOST];
    uint32_t count = summary_count_reasons(totals, reasons);
    json_begin(&json, NULL, '{');
    json_begin(&json, "summary", '{');
    json_uint(&json, done, totals->done);
    if (totals->unchanged) json_uint(&json, "unchanged", totals->unchanged);
    json_uint(&json, "failed", totals->failed);
    json_uint(&json, "skipped", totals->skipped);
    json_begin(&json, "failures", '[');
    for (uint32_t i = 0; i < totals->count; i++) {
        const summary_entry *entry = &totals->entries[i];
        if (entry->is_skipped) continue;
        json_begin(&json, NULL, '{');
        json_text(&json, "file", entry->file);
        json_text(&json, "why", entry->why);
        json_end(&json, '}');
    }
    json_end(&json, ']');
    json_begin(&json, "reasons", '{');
    for (uint32_t i = 0; i < count; i++) json_uint(&json, reasons[i].why, reasons[i].count);
    json_end(&json, '}');
    json_uint(&json, "status", (uint64_t)status);
    json_end(&json, '}');
    json_end(&json, '}');
    json_line(&json);
}

int summary_end(const summary *totals, const cli_common *opts, const char *done, bool are_many,
                int status)
{
    if (!are_many) return status;
    if (totals->has_no_memory) return report_no_memory();
    if (opts->json) summary_print_json(totals, done, status);
    if (opts->quiet || opts->json) return status;
    out_flush();
    out_count(stderr, totals->done, "file");
    out(stderr, " %s", done);
    if (totals->unchanged) out(stderr, ", %u unchanged", (unsigned)totals->unchanged);
    if (totals->failed) out(stderr, ", %u failed", (unsigned)totals->failed);
    if (totals->skipped) out(stderr, ", %u skipped", (unsigned)totals->skipped);
    out(stderr, "\n");
    uint32_t most = opts->verbose ? UINT32_MAX : SKIPPED_SHOWN;
    summary_print_entries(totals, false, UINT32_MAX);
    summary_print_entries(totals, true, most);
    if (totals->skipped > most) summary_print_reasons(totals);
    return status;
}

void summary_write_skipped(const summary_entry *entry, bool is_of_shard, json_out *json)
{
    json_begin(json, NULL, '{');
    if (is_of_shard) json_uint(json, "index", entry->index);
    json_text(json, "file", entry->file);
    json_text(json, "skipped", entry->why);
    json_end(json, '}');
}

void summary_print_skipped(const summary *totals, bool is_of_shard)
{
    json_out json = {.to = stdout};
    for (uint32_t i = 0; i < totals->count; i++) {
        if (!totals->entries[i].is_skipped) continue;
        summary_write_skipped(&totals->entries[i], is_of_shard, &json);
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
