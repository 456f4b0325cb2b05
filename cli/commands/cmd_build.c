// cmd_build.c: tenon build: build a model from the JSON of 'tenon dump'.
// SPDX-License-Identifier: MIT

#include "input/job.h"
#include "input/model.h"
#include "options/cli.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <string.h>

typedef struct build_opts {
    cli_common common;
    const char *output;  // NULL: the second operand.
    bool force;
} build_opts;

static int run_build(const cli_command *self, char **args)
{
    build_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (!opts.output && opts.common.operand_count < 2) return report_usage(self, "OUT is missing");
    if (opts.output && opts.common.operand_count > 1)
        return report_usage(self, "unexpected argument '%s'", opts.common.operands[1]);
    model input;
    tenon_error err;
    progress line;
    const char *file = opts.common.operands[0];
    const char *path = opts.output ? opts.output : opts.common.operands[1];
    if (!model_load(&input, &opts.common, file, &err)) return report_error(file, &err);
    const tenon_bytes *text = &input.bytes;
    tenon_read_opts read = {
        .allocator = job_allocator(), .max_memory = opts.common.max_memory, .files = guard_files()};
    read.events = progress_begin(&line, &opts.common, "building", path);
    if (strcmp(path, "-") == 0) {
        // Try the text first, so that no incomplete model reaches the pipe.
        bool ok = tenon_build(text->data, text->size, &read, NULL, NULL, &err) &&
                  tenon_build(text->data, text->size, &read, out_to_stream, stdout, &err);
        status = ok || out_failed() ? CLI_OK : report_error(file, &err);
    } else {
        tenon_write_opts write = {.force = opts.force,
                                  .inputs = &text->id,
                                  .input_count = 1,
                                  .files = guard_output_files()};
        bool ok = tenon_build_file(text->data, text->size, path, &read, &write, &err);
        // Errors in the text have a line; others are about the output.
        bool is_output = !ok && (err.code == TENON_ERR_IO || err.code == TENON_ERR_EXISTS);
        status = ok ? CLI_OK : report_fault(is_output ? path : file, &err);
    }
    progress_end(&line);
    model_free(&input);
    return status;
}

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help = "the file to write, instead of a second operand",
     .field = offsetof(build_opts, output)},
    {.long_name = "force",
     .short_name = 'f',
     .help = "replace an existing file",
     .field = offsetof(build_opts, force)},
    {0},
};

static const cli_example examples[] = {
    {"tenon build robot.bplx.json robot.bplx", "build a model from its JSON"},
    {"tenon dump robot.bplx | tenon build - - | cmp - robot.bplx",
     "dump and build give the same bytes"},
    {0},
};

const cli_command cmd_build = {
    .name = "build",
    .summary = "build a model from the JSON of 'tenon dump'",
    .usage = {"[OPTION]... FILE.json OUT", "[OPTION]... FILE.json -o OUT"},
    .details = "The JSON may have been edited: counts before lists are computed from the lists; a "
               "value that is missing, unknown or out of range is an error with its line. The "
               "result must be a readable model, or nothing is written.",
    .options = options,
    .writes_files = true,
    .examples = examples,
    .statuses = {[1] = "the JSON is invalid, or does not describe a readable model",
                 [2] = "the command line is invalid, or the output exists or is the input"},
    .operands_min = 1,
    .operands_max = 2,
    .operand = "FILE.json",
    .run = run_build,
};
