// cmd_map.c: tenon map: every byte of a file with its meaning.
// SPDX-License-Identifier: MIT

#include "commands/map_print.h"
#include "commands/map_walk.h"
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
} map_opts;

// A map being printed.
typedef struct map_printer {
    const map_opts *opts;
    map_columns columns;
    size_t shown_path;     // Size of the path that the line above shows, when inside of records.
    bool has_head;         // The names of the columns are printed.
    bool is_found;         // What --path or --at asks for.
    bool is_stopped;       // By us: there is nothing more to see.
    tenon_part remainder;  // Printed after the error; size 0: none.
    guess near;
} map_printer;

static bool is_filtered(const map_opts *opts)
{
    return opts->path || opts->at != TENON_ABSENT;
}

static void print_head(map_printer *printer)
{
    if (!printer->has_head && !printer->opts->common.quiet) map_print_head(&printer->columns);
    printer->has_head = true;
}

static void print_part(map_printer *printer, const tenon_part *part)
{
    if (printer->opts->common.json) {
        map_json_part(part, printer->opts->all);
        return;
    }
    print_head(printer);
    map_print_part(&printer->columns, part, printer->shown_path);
}

// -- Which parts are wanted

// Whether `path` is `top` or lies below it.
static bool is_below(const char *path, const char *top)
{
    size_t size = strlen(top);
    if (strncmp(path, top, size) != 0) return false;
    return path[size] == '\0' || strchr(".[/", path[size]);
}

static bool holds(const tenon_part *part, uint64_t at)
{
    return at >= part->offset && at - part->offset < part->size;
}

// -- Inside of parts

// An array as records of one number each.
typedef struct array_records {
    tenon_element element;
    tenon_layout layout;
    tenon_part part;
} array_records;

// The part itself if it is made of records; the array in it if that is too long for a line; NULL if
// it is neither.
static const tenon_part *items_of(const tenon_part *part, array_records *records)
{
    if (part->layout) return part;
    bool is_number = part->type >= TENON_TYPE_U8 && part->type <= TENON_TYPE_F64;
    if (!is_number || part->count <= MAP_INLINE_MAX) return NULL;
    records->element = (tenon_element){.name = "", .type = part->type, .count = 1};
    records->layout = (tenon_layout){
        .elements = &records->element, .element_count = 1, .stride = tenon_type_size(part->type)};
    records->part = *part;
    records->part.layout = &records->layout;
    return &records->part;
}

static bool print_cell(void *user, const tenon_part *cell)
{
    print_part(user, cell);
    return !out_failed();
}

static bool print_cell_if_below(void *user, const tenon_part *cell)
{
    map_printer *printer = user;
    if (!is_below(cell->path, printer->opts->path)) return true;
    printer->is_found = true;
    return print_cell(user, cell);
}

static bool print_cell_if_holding(void *user, const tenon_part *cell)
{
    map_printer *printer = user;
    if (!holds(cell, printer->opts->at)) return true;
    printer->is_found = true;
    print_part(printer, cell);
    return false;
}

// The one record that --path leads into: "[7]" or "[7].position".
static void print_record_of_path(map_printer *printer, const tenon_part *part)
{
    map_record record;
    const char *index = printer->opts->path + strlen(part->path) + 1;
    char *end;
    uint64_t number = strtoull(index, &end, 10);
    if (end != index && *end == ']' && map_record_at(part, number, &record))
        map_each_cell(part, &record, print_cell_if_below, printer);
}

// The one cell that --at leads to; a gap between cells is shown as the record around it.
static void print_record_at(map_printer *printer, const tenon_part *part)
{
    map_record record;
    if (!map_record_holding(part, printer->opts->at - part->offset, &record)) return;
    map_each_cell(part, &record, print_cell_if_holding, printer);
    if (printer->is_found) return;
    char path[256];
    (void)snprintf(path, sizeof path, "%s[%" PRIu64 "]", part->path, record.index);
    printer->is_found = true;
    print_part(printer, &(tenon_part){.kind = part->kind,
                                      .offset = part->offset + record.offset,
                                      .size = record.size,
                                      .path = path,
                                      .type = TENON_TYPE_BYTES,
                                      .count = record.size,
                                      .bytes = part->bytes + record.offset});
}

static void print_records(map_printer *printer, const tenon_part *part)
{
    map_record record;
    uint64_t last = part->count - 1;
    for (bool ok = map_record_first(part, &record); ok && !out_failed();
         ok = map_record_next(part, &record)) {
        map_each_cell(part, &record, print_cell, printer);
        bool is_folded = !printer->opts->all && record.index + 1 == FOLD_FIRST && last > FOLD_FIRST;
        if (!is_folded) continue;
        map_print_more(&printer->columns, last - FOLD_FIRST);
        if (!map_record_at(part, last, &record)) return;
        map_each_cell(part, &record, print_cell, printer);
        return;
    }
}

// All bytes of which nothing is known, a line at a time.
static void print_bytes(map_printer *printer, const tenon_part *part)
{
    tenon_part row = *part;
    for (uint64_t done = 0; done < part->size && !out_failed(); done += row.size) {
        uint64_t left = part->size - done;
        row.offset = part->offset + done;
        row.bytes = part->bytes + done;
        row.size = row.count = left < MAP_INLINE_MAX ? left : MAP_INLINE_MAX;
        print_part(printer, &row);
    }
}

// A part with what is inside, as far as that is wanted.
static void print_whole(map_printer *printer, const tenon_part *part)
{
    array_records records;
    const map_opts *opts = printer->opts;
    const tenon_part *items = items_of(part, &records);
    bool is_bytes = part->type == TENON_TYPE_BYTES && !part->layout;
    if (is_bytes && opts->all && !opts->common.json) {
        print_bytes(printer, part);
        return;
    }
    bool is_opened = items && (opts->all || (part->layout && !opts->common.json));
    if (!is_opened || !opts->common.json) print_part(printer, part);
    if (!is_opened) return;
    printer->shown_path = opts->common.json ? 0 : strlen(part->path);
    print_records(printer, items);
    printer->shown_path = 0;
}

// -- The parts as they come

static bool show_at(map_printer *printer, const tenon_part *part)
{
    array_records records;
    if (!holds(part, printer->opts->at)) return true;
    const tenon_part *items = items_of(part, &records);
    if (items)
        print_record_at(printer, items);
    else
        print_part(printer, part);
    printer->is_found = printer->is_stopped = true;
    return false;
}

static bool show_path(map_printer *printer, const tenon_part *part)
{
    array_records records;
    guess_offer(&printer->near, part->path);
    if (is_below(part->path, printer->opts->path)) {
        printer->is_found = true;
        print_whole(printer, part);
        return true;
    }
    const tenon_part *items = items_of(part, &records);
    bool leads_inside = items && is_below(printer->opts->path, part->path) &&
                        printer->opts->path[strlen(part->path)] == '[';
    if (leads_inside) print_record_of_path(printer, items);
    return true;
}

static bool show(void *user, const tenon_part *part)
{
    map_printer *printer = user;
    bool go_on = true;
    if (part->kind == TENON_PART_REST)
        printer->remainder = *part;
    else if (printer->opts->at != TENON_ABSENT)
        go_on = show_at(printer, part);
    else if (printer->opts->path)
        go_on = show_path(printer, part);
    else
        print_whole(printer, part);
    if (out_failed()) printer->is_stopped = true;
    return go_on && !printer->is_stopped;
}

// -- The end

// The place of the fault, and what lies behind it.
static void show_fault(map_printer *printer, const tenon_error *err)
{
    bool is_wanted = printer->opts->at == TENON_ABSENT
                         ? !printer->opts->path
                         : holds(&printer->remainder, printer->opts->at);
    printer->remainder.path = "";  // What the part had is gone.
    // Whatever was asked for: without words on standard error, this alone says why it failed.
    if (printer->opts->common.json) map_json_fault(err);
    if (!is_wanted) return;
    printer->is_found = true;
    if (!printer->opts->common.json) {
        print_head(printer);
        map_print_fault(&printer->columns, err);
    }
    if (printer->remainder.size) print_part(printer, &printer->remainder);
}

static int report_not_found(const cli_command *self, map_printer *printer, const model *file)
{
    if (printer->opts->path)
        report_unknown(self, &printer->near, "there is no '%s' in '%s'", printer->opts->path,
                       report_name(file->file));
    else
        report_usage(self, "offset 0x%06" PRIx64 " is past the end of '%s', which has %zu bytes",
                     printer->opts->at, report_name(file->file), file->bytes.size);
    return CLI_FAILED;
}

static int map_model(const cli_command *self, const map_opts *opts, const model *file)
{
    map_printer printer = {.opts = opts,
                           .columns = map_columns_for(file->bytes.size, opts->all),
                           .near = guess_begin(opts->path ? opts->path : "")};
    tenon_error err;
    progress line;
    tenon_read_opts read = model_read_opts(&opts->common, file->file);
    read.progress = progress_begin(&line, &opts->common, "mapping", file->file);
    bool is_whole = tenon_map(file->bytes.data, file->bytes.size, &read, show, &printer, &err);
    progress_end(&line);
    if (printer.is_stopped) return CLI_OK;
    if (!is_whole) {
        show_fault(&printer, &err);
        return opts->common.json ? report_status(&err) : report_fault(file->file, &err);
    }
    return is_filtered(opts) && !printer.is_found ? report_not_found(self, &printer, file) : CLI_OK;
}

static int run_map(const cli_command *self, char **args)
{
    map_opts opts = {.at = TENON_ABSENT};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (opts.path && opts.at != TENON_ABSENT)
        return report_usage(self, "'--path' and '--at' cannot be used together");
    model input;
    tenon_error err;
    const char *file = opts.common.operands[0];
    if (!model_load_exact(&input, &opts.common, file, "'map' cannot show the bytes of", &err))
        return report_unreadable(&opts.common, file, &err);
    status = map_model(self, &opts, &input);
    model_free(&input);
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
    {"tenon map robot.bplx --path 'faces[3]'", "one record (quoted for the shell)"},
    {"tenon map --json --all robot.bplx | wc -l", "one line per value"},
    {0},
};

const cli_command cmd_map = {
    .name = "map",
    .summary = "show every byte of a file: offset, type, path and value",
    .usage = {"[OPTION]... FILE"},
    .details = "If the file is broken, everything before the error is shown, then the error, then "
               "the bytes that were not read. '-' is standard input. Lines are as wide as the "
               "terminal, or 80 columns, or what COLUMNS says.",
    .options = options,
    .reads_models = true,
    .examples = examples,
    .statuses = {[1] = "the model is unreadable, or has nothing at PATH or OFFSET"},
    .operands_min = 1,
    .operands_max = 1,
    .operand = "FILE",
    .run = run_map,
};
