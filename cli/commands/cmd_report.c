// cmd_report.c: tenon report: join the reports, or the manifests, of the parts of a run.
// SPDX-License-Identifier: MIT

#include "batch/manifest_text.h"
#include "input/paths.h"
#include "options/cli.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct report_opts {
    cli_common common;
    const char *output;
    bool force;
} report_opts;

// An object of a report, or a line of a manifest.
typedef struct report_line {
    const char *file;  // Where it is from.
    const char *text;  // Without the index and what separates lines.
    uint64_t index;    // Of a report: where it was; of a manifest: its place among all lines.
    bool is_input;     // Not a file that was skipped when folders were searched: those come first.
} report_line;

typedef struct merged_report {
    report_line *lines;
    uint32_t count, room;
    char **texts;  // Of the files.
    uint32_t text_count;
    bool are_manifests;
    tenon_error err;
} merged_report;

static bool cmd_report_add(merged_report *all, const report_line *line)
{
    if (all->count == all->room) {
        uint32_t room = all->room ? 2 * all->room : 256;
        report_line *longer = realloc(all->lines, room * sizeof *longer);
        if (!longer) {
            all->err = report_make(TENON_ERR_MEMORY, "out of memory");
            return false;
        }
        all->lines = longer;
        all->room = room;
    }
    all->lines[all->count++] = *line;
    return true;
}

// The end of a string in JSON that begins at `text`, after its quote.
static const char *cmd_report_skip_string(const char *text)
{
    for (text++; *text && *text != '"'; text++)
        if (*text == '\\' && text[1]) text++;
    return *text ? text + 1 : text;
}

// {"index":12,"file":"a.glb","output":...}: as `convert --report` writes it for a shard.
static bool cmd_report_read_object(merged_report *all, const char *file, char *text, uint32_t row)
{
    static const char head[] = "{\"index\":", next[] = ",\"file\":\"";
    size_t head_size = strlen(head), size = strlen(text);
    if (size && text[size - 1] == ',') text[--size] = '\0';
    char *end = text;
    bool ok = size > 2 && text[size - 1] == '}' && strncmp(text, head, head_size) == 0;
    uint64_t index = ok ? strtoull(text + head_size, &end, 10) : 0;
    ok = ok && strncmp(end, next, strlen(next)) == 0;
    if (!ok) {
        all->err =
            report_make(TENON_ERR_FORMAT, "line %u is not of a report of `tenon convert --shard`",
                        (unsigned)row);
        return false;
    }
    const char *after = cmd_report_skip_string(end + strlen(next) - 1);
    *end = '{';  // In place of the comma.
    return cmd_report_add(all, &(report_line){.file = file,
                                              .text = end,
                                              .index = index,
                                              .is_input = strncmp(after, ",\"output\"", 9) == 0});
}

static bool cmd_report_read_lines(merged_report *all, const char *file, char *text, size_t size)
{
    uint32_t row = 1;
    bool is_manifest = strncmp(text, MANIFEST_HEAD, strlen(MANIFEST_HEAD)) == 0;
    bool is_report =
        strncmp(text, "[\n", 2) == 0 && size > 4 && strcmp(text + size - 3, "\n]\n") == 0;
    if ((!is_manifest && !is_report) || strlen(text) != size) {
        all->err = report_make(TENON_ERR_FORMAT, "this is neither a report nor a manifest");
        return false;
    }
    if (all->text_count > 1 && is_manifest != all->are_manifests) {
        all->err = report_make(TENON_ERR_FORMAT, "reports and manifests cannot be joined");
        return false;
    }
    all->are_manifests = is_manifest;
    if (is_report) text[size - 2] = '\0';
    for (char *line = strchr(text, '\n') + 1, *next; *line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        if (end) *end = '\0';
        row++;
        if (is_manifest && (!end || !manifest_text_is_sound(line, strlen(line)))) {
            all->err = report_make(TENON_ERR_VALUE, "line %u is damaged", (unsigned)row);
            return false;
        }
        bool ok = is_report
                      ? !*line || cmd_report_read_object(all, file, line, row)
                      : cmd_report_add(
                            all, &(report_line){.file = file, .text = line, .index = all->count});
        if (!ok) return false;
    }
    return true;
}

static bool cmd_report_read(merged_report *all, const char *file)
{
    tenon_bytes bytes;
    const tenon_read_opts opts = {.files = guard_files()};
    if (!tenon_load(file, &opts, &bytes, &all->err)) return false;
    char *text = text_copy(bytes.data, bytes.size);
    size_t size = bytes.size;
    tenon_unload(&bytes);
    if (!text) {
        all->err = report_make(TENON_ERR_MEMORY, "out of memory");
        return false;
    }
    all->texts[all->text_count++] = text;
    return cmd_report_read_lines(all, file, text, size);
}

static int cmd_report_compare(const void *a, const void *b)
{
    const report_line *x = a, *y = b;
    if (x->is_input != y->is_input) return x->is_input ? 1 : -1;
    return x->index < y->index ? -1 : x->index > y->index;
}

// By the output, which follows the sum; then in their order.
static int cmd_report_compare_outputs(const void *a, const void *b)
{
    const report_line *x = a, *y = b;
    const char *p = strchr(x->text, '\t') + 1, *q = strchr(y->text, '\t') + 1;
    size_t p_size = strcspn(p, "\t"), q_size = strcspn(q, "\t");
    int order = strncmp(p, q, p_size < q_size ? p_size : q_size);
    if (order == 0 && p_size != q_size) order = p_size < q_size ? -1 : 1;
    if (order) return order;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool cmd_report_is_same_output(const report_line *a, const report_line *b)
{
    report_line first = *a, second = *b;
    first.index = second.index = 0;
    return cmd_report_compare_outputs(&first, &second) == 0;
}

static bool cmd_report_write(merged_report *all, const report_opts *opts)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = out_to_memory(&text, &size);
    if (!to) {
        all->err = report_make(TENON_ERR_MEMORY, "out of memory");
        return false;
    }
    if (all->count)
        qsort(all->lines, all->count, sizeof *all->lines,
              all->are_manifests ? cmd_report_compare_outputs : cmd_report_compare);
    out(to, "%s", all->are_manifests ? MANIFEST_HEAD : "[\n");
    for (uint32_t i = 0; i < all->count; i++) {
        const report_line *line = &all->lines[i], *next = line + 1;
        bool is_last = i + 1 == all->count;
        // Of several lines about one output, the last manifest has the newest.
        if (all->are_manifests && !is_last && cmd_report_is_same_output(line, next)) continue;
        out_bytes(to, line->text, strlen(line->text));
        out(to, all->are_manifests || is_last ? "\n" : ",\n");
    }
    if (!all->are_manifests) out(to, all->count ? "]\n" : "\n]\n");
    bool ok = out_memory_end(to, &text, &size);
    const tenon_write_opts write = {.force = opts->force, .files = guard_output_files()};
    if (!ok) all->err = report_make(TENON_ERR_MEMORY, "out of memory");
    if (ok && opts->output && !path_is_stream(opts->output))
        ok = tenon_save(opts->output, text, size, &write, &all->err);
    else if (ok)
        out_bytes(stdout, text, size);
    free(text);
    return ok;
}

// An input that is in two reports: one was given twice, or they are not of one run.
static bool cmd_report_find_repetition(merged_report *all)
{
    if (all->count == 0 || all->are_manifests) return false;
    qsort(all->lines, all->count, sizeof *all->lines, cmd_report_compare);
    for (uint32_t i = 1; i < all->count; i++) {
        if (cmd_report_compare(&all->lines[i - 1], &all->lines[i]) != 0) continue;
        all->err = report_make(TENON_ERR_VALUE, "part %" PRIu64 " is also in '%.120s'",
                               all->lines[i].index, all->lines[i - 1].file);
        return true;
    }
    return false;
}

static int run_report(const cli_command *self, char **args)
{
    report_opts opts = {0};
    merged_report all = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    char **words = opts.common.operands;
    uint32_t count = opts.common.operand_count;
    if (strcmp(words[0], "merge") != 0)
        return report_usage(self, "unknown action '%s'; known: merge", words[0]);
    if (count < 2) return report_usage(self, "FILE is missing");
    all.texts = calloc(count, sizeof *all.texts);
    if (!all.texts) return report_no_memory();
    const char *at_fault = opts.output ? opts.output : "<stdout>";
    bool ok = true;
    for (uint32_t i = 1; i < count && ok; i++) {
        ok = cmd_report_read(&all, words[i]);
        if (!ok) at_fault = words[i];
    }
    ok = ok && !cmd_report_find_repetition(&all) && cmd_report_write(&all, &opts);
    status = ok ? CLI_OK : report_error(at_fault, &all.err);
    for (uint32_t i = 0; i < all.text_count; i++) free(all.texts[i]);
    free(all.texts);
    free(all.lines);
    return status;
}

#define FIELD(field) offsetof(report_opts, field)

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help = "the file to write",
     .fallback = "standard output",
     .field = FIELD(output)},
    {.long_name = "force",
     .short_name = 'f',
     .help = "replace an existing file",
     .field = FIELD(force)},
    {0},
};

static const cli_example examples[] = {
    {"tenon report merge shard-*.json -o all.json", "one report of all shards"},
    {"tenon report merge out/.tenon-manifest-* -o out/.tenon-manifest", "one manifest"},
    {0},
};

const cli_command cmd_report = {
    .name = "report",
    .summary = "join the reports of the parts of a run",
    .usage = {"merge [OPTION]... FILE..."},
    .details = "FILEs are reports that `tenon convert --shard K/N --report FILE` has written, or "
               "the manifests of shards. The result is what one run over everything would have "
               "written.",
    .options = options,
    .examples = examples,
    .statuses = {"the file was written", "a FILE is not a report or manifest of a shard"},
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "merge",
    .run = run_report,
};
