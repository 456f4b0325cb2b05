// cmd_map.c: tenon map: every byte of a file with its meaning.
// SPDX-License-Identifier: MIT

#include "batch/each_file.h"
#include "commands/map_print.h"
#include "commands/map_walk.h"
#include "input/inputs.h"
#include "input/job.h"
#include "input/model.h"
#include "options/cli.h"
#include "options/guess.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FOLD_FIRST 4  // Of many records the first of them are shown, and the last.

typedef struct map_opts {
    cli_common common;
    const char *path;  // NULL: everything.
    uint64_t at;       // TENON_ABSENT: everything.
    bool all;
    bool are_many;  // Lines say of which file they are.
} map_opts;

typedef struct map_run {
    map_opts opts;
    inputs sources;
} map_run;

// What the callback for parts needs.
typedef struct map_printer {
    const map_opts *opts;
    const char *file;
    map_columns columns;
    size_t shown_path;     // Size of the path that the line above shows, when inside of records.
    bool has_head;         // The names of the columns are printed.
    bool is_found;         // Something matches --path or --at.
    bool is_stopped;       // By us: nothing more has to be printed.
    tenon_part remainder;  // Printed after the error; size 0: none.
    guess near;
} map_printer;

static void cmd_map_print_head(map_printer *printer)
{
    if (!printer->has_head && printer->opts->are_many) {
        out_color(stdout, OUT_STRONG);
        out_clean(stdout, report_name(printer->file));
        out_color(stdout, OUT_PLAIN);
        out(stdout, "\n");
    }
    if (!printer->has_head && !printer->opts->common.quiet) map_print_head(&printer->columns);
    printer->has_head = true;
}

static void cmd_map_print_part(map_printer *printer, const tenon_part *part)
{
    if (printer->opts->common.json) {
        map_json_part(printer->opts->are_many ? printer->file : NULL, part, printer->opts->all);
        return;
    }
    cmd_map_print_head(printer);
    map_print_part(&printer->columns, part, printer->shown_path);
}

// -- Filters

// Whether `path` is `top` or below it.
static bool cmd_map_is_below(const char *path, const char *top)
{
    size_t size = strlen(top);
    if (strncmp(path, top, size) != 0) return false;
    return path[size] == '\0' || strchr(".[/", path[size]);
}

static bool cmd_map_contains(const tenon_part *part, uint64_t at)
{
    return at >= part->offset && at - part->offset < part->size;
}

// -- Inside of parts

// An array of numbers as records with one number each.
typedef struct array_records {
    tenon_element element;
    tenon_layout layout;
    tenon_part part;
} array_records;

// The part itself if it consists of records; its array if that is too long for a line; else NULL.
static const tenon_part *cmd_map_items_of(const tenon_part *part, array_records *records)
{
    if (part->layout) return part;
    bool is_number = (part->type >= TENON_TYPE_U8 && part->type <= TENON_TYPE_F64) ||
                     part->type == TENON_TYPE_I64 || part->type == TENON_TYPE_U64;
    if (!is_number || part->count <= MAP_INLINE_MAX) return NULL;
    records->element = (tenon_element){.name = "", .type = part->type, .count = 1};
    records->layout = (tenon_layout){
        .elements = &records->element, .element_count = 1, .stride = tenon_type_size(part->type)};
    records->part = *part;
    records->part.layout = &records->layout;
    return &records->part;
}

static bool cmd_map_print_cell(void *user, const tenon_part *cell)
{
    cmd_map_print_part(user, cell);
    return !out_failed();
}

static bool cmd_map_print_cell_if_below(void *user, const tenon_part *cell)
{
    map_printer *printer = user;
    if (!cmd_map_is_below(cell->path, printer->opts->path)) return true;
    printer->is_found = true;
    return cmd_map_print_cell(user, cell);
}

static bool cmd_map_print_cell_at_offset(void *user, const tenon_part *cell)
{
    map_printer *printer = user;
    if (!cmd_map_contains(cell, printer->opts->at)) return true;
    printer->is_found = true;
    cmd_map_print_part(printer, cell);
    return false;
}

// A part with its records, as far as they are requested.
static void cmd_map_print_whole(map_printer *printer, const tenon_part *part)
{
    array_records records;
    map_record record;
    const map_opts *opts = printer->opts;
    const tenon_part *items = cmd_map_items_of(part, &records);
    bool is_bytes = part->type == TENON_TYPE_BYTES && !part->layout;
    if (is_bytes && opts->all && !opts->common.json) {
        tenon_part row = *part;
        for (uint64_t done = 0; done < part->size && !out_failed(); done += row.size) {
            uint64_t left = part->size - done;
            row.offset = part->offset + done;
            row.bytes = part->bytes + done;
            row.size = row.count = left < MAP_INLINE_MAX ? left : MAP_INLINE_MAX;
            cmd_map_print_part(printer, &row);
        }
        return;
    }
    bool is_opened = items && (opts->all || (part->layout && !opts->common.json));
    if (!is_opened || !opts->common.json) cmd_map_print_part(printer, part);
    if (!is_opened) return;
    uint64_t last = items->count - 1;
    printer->shown_path = opts->common.json ? 0 : strlen(part->path);
    for (bool ok = map_record_first(items, &record); ok && !out_failed();
         ok = map_record_next(items, &record)) {
        map_each_cell(items, &record, cmd_map_print_cell, printer);
        bool is_folded = !opts->all && record.index + 1 == FOLD_FIRST && last > FOLD_FIRST;
        if (!is_folded) continue;
        map_print_more(&printer->columns, last - FOLD_FIRST);
        if (map_record_at(items, last, &record))
            map_each_cell(items, &record, cmd_map_print_cell, printer);
        break;
    }
    printer->shown_path = 0;
}

// -- The parts in file order

// Print the field at the offset of --at, and stop. Inside of records it is one cell, or the whole
// record if the offset is between cells.
static bool cmd_map_show_at(map_printer *printer, const tenon_part *part)
{
    array_records records;
    map_record record;
    uint64_t at = printer->opts->at;
    if (!cmd_map_contains(part, at)) return true;
    const tenon_part *items = cmd_map_items_of(part, &records);
    if (!items) {
        cmd_map_print_part(printer, part);
    } else if (map_record_holding(items, at - items->offset, &record)) {
        map_each_cell(items, &record, cmd_map_print_cell_at_offset, printer);
        char path[256];
        (void)snprintf(path, sizeof path, "%s[%" PRIu64 "]", items->path, record.index);
        tenon_part whole = {.kind = items->kind,
                            .offset = items->offset + record.offset,
                            .size = record.size,
                            .path = path,
                            .type = TENON_TYPE_BYTES,
                            .count = record.size,
                            .bytes = items->bytes + record.offset};
        if (!printer->is_found) cmd_map_print_part(printer, &whole);
    }
    printer->is_found = printer->is_stopped = true;
    return false;
}

// Print a part that is below --path, or the record in it that --path names: "[7]", "[7].position".
static bool cmd_map_show_path(map_printer *printer, const tenon_part *part)
{
    array_records records;
    map_record record;
    const char *path = printer->opts->path;
    guess_offer(&printer->near, part->path);
    if (cmd_map_is_below(part->path, path)) {
        printer->is_found = true;
        cmd_map_print_whole(printer, part);
        return true;
    }
    size_t size = strlen(part->path);
    const tenon_part *items = cmd_map_items_of(part, &records);
    if (!items || !cmd_map_is_below(path, part->path) || path[size] != '[') return true;
    const char *index = path + size + 1;
    char *end;
    uint64_t number = strtoull(index, &end, 10);
    if (end != index && *end == ']' && map_record_at(items, number, &record))
        map_each_cell(items, &record, cmd_map_print_cell_if_below, printer);
    return true;
}

static bool cmd_map_show(void *user, const tenon_part *part)
{
    map_printer *printer = user;
    bool go_on = true;
    if (part->kind == TENON_PART_REMAINDER)
        printer->remainder = *part;
    else if (printer->opts->at != TENON_ABSENT)
        go_on = cmd_map_show_at(printer, part);
    else if (printer->opts->path)
        go_on = cmd_map_show_path(printer, part);
    else
        cmd_map_print_whole(printer, part);
    if (out_failed()) printer->is_stopped = true;
    return go_on && !printer->is_stopped;
}

// -- The command

static int map_model(const map_opts *opts, const model *input, char why[EACH_WHY_SIZE])
{
    const cli_command *self = &cmd_map;
    map_printer printer = {.opts = opts,
                           .file = input->file,
                           .columns = map_columns_for(input->bytes.size, opts->all),
                           .near = guess_begin(opts->path ? opts->path : "")};
    tenon_error err;
    progress line;
    const char *name = report_name(input->file);
    tenon_read_opts read = model_read_opts(&opts->common, input->file);
    read.events = progress_begin(&line, &opts->common, "mapping", input->file);
    bool is_whole =
        tenon_map(input->bytes.data, input->bytes.size, &read, cmd_map_show, &printer, &err);
    progress_end(&line);
    if (printer.is_stopped) return CLI_OK;
    if (is_whole) {
        bool is_filtered = opts->path || opts->at != TENON_ABSENT;
        if (!is_filtered || printer.is_found) return CLI_OK;
        if (opts->path)
            report_unknown(self, &printer.near, "there is no '%s' in '%s'", opts->path, name);
        else
            report_usage(self,
                         "offset 0x%06" PRIx64 " is past the end of '%s', which has %zu bytes",
                         opts->at, name, input->bytes.size);
        (void)snprintf(why, EACH_WHY_SIZE, "there is nothing at that place");
        return CLI_FAILED;
    }
    // In JSON the error comes whatever was requested: nothing else says why the status is not 0.
    job_explain_cancelling(&opts->common, &err);
    (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
    if (opts->common.json) map_json_fault(opts->are_many ? input->file : NULL, &err);
    tenon_part *remainder = &printer.remainder;
    remainder->path = "";  // Its text is gone.
    bool is_shown = opts->at == TENON_ABSENT ? !opts->path : cmd_map_contains(remainder, opts->at);
    if (is_shown && !opts->common.json) {
        cmd_map_print_head(&printer);
        map_print_fault(&printer.columns, &err);
    }
    if (is_shown && remainder->size) cmd_map_print_part(&printer, remainder);
    return opts->common.json ? report_status(&err) : report_fault(input->file, &err);
}

static int cmd_map_run(void *user, uint32_t index, char why[EACH_WHY_SIZE])
{
    const map_run *run = user;
    const cli_common *common = &run->opts.common;
    const char *file = run->sources.files[index];
    model input;
    tenon_error err;
    if (model_load_exact(&input, common, file, "'map' cannot show the bytes of", &err)) {
        int status = map_model(&run->opts, &input, why);
        model_free(&input);
        return status;
    }
    (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
    return report_unreadable(common, file, &err);
}

static int run_map(const cli_command *self, char **args)
{
    map_run run = {.opts.at = TENON_ABSENT};
    const cli_common *common = &run.opts.common;
    int status = cli_parse(self, args, &run.opts);
    if (status != CLI_GO_ON) return status;
    if (run.opts.path && run.opts.at != TENON_ABSENT)
        return report_usage(self, "'--path' and '--at' cannot be used together");
    if (model_stdin_is_repeated(common, common->operand_count))
        return report_usage(self, "standard input can be read only once");
    summary totals = {0};
    const folder_search search = {0};
    status = inputs_find(&run.sources, common, common->operand_count, &search, &totals);
    if (status == CLI_GO_ON) {
        run.opts.are_many = run.sources.are_many || run.sources.count > 1;
        if (common->json) summary_print_skipped(&totals, false);
        const each_file work = {.common = common,
                                .names = run.sources.files,
                                .count = run.sources.count,
                                .user = &run,
                                .run = cmd_map_run};
        int worst = totals.failed ? CLI_SYSTEM : CLI_OK;
        status = each_file_run(&work, &totals);
        if (worst > status) status = worst;
        status = summary_end(&totals, common, "mapped", run.sources.are_many, status);
    }
    inputs_free(&run.sources);
    summary_free(&totals);
    return status;
}

#define FIELD(field) offsetof(map_opts, field)

static const cli_option options[] = {
    {.long_name = "path",
     .kind = CLI_TEXT,
     .metavar = "PATH",
     .help = "show only PATH and what is below it, for example 'bones[2]'",
     .field = FIELD(path)},
    {.long_name = "at",
     .kind = CLI_OFFSET,
     .metavar = "OFFSET",
     .help = "show only the field that contains the byte at OFFSET, for example 0x1a4",
     .field = FIELD(at)},
    {.long_name = "all",
     .short_name = 'a',
     .help = "show every record and every value in full",
     .field = FIELD(all)},
    {0},
};

static const cli_example examples[] = {
    {"tenon map robot.bplx", "every field; the first and last items of long lists"},
    {"tenon map robot.bplx --at 0x1a4", "the field that an error message points at"},
    {"tenon map robot.bplx --path 'faces[3]'", "one record; the quotes are for the shell"},
    {"tenon map --json --all robot.bplx | wc -l", "one line per value"},
    {"tenon map -r models/ --at 0", "how each model of a folder begins"},
    {0},
};

const cli_command cmd_map = {
    .name = "map",
    .summary = "show every byte of a file: offset, type, path and value",
    .usage = {"[OPTION]... FILE..."},
    .details =
        "If the file is broken, everything before the error is shown, then the error, then "
        "the bytes that were not read. If FILE is a folder, the models in it are shown; of "
        "several files, each begins with its name. '-' is standard input. Lines are as wide as the "
        "terminal, or 80 columns, or what COLUMNS says.",
    .options = options,
    .takes_folders = true,
    .reads_models = true,
    .examples = examples,
    .statuses = {[1] = "the model is unreadable, or has nothing at PATH or OFFSET"},
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "FILE",
    .run = run_map,
};
