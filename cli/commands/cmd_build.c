// cmd_build.c: tenon build: build a model from the JSON of 'tenon dump'.
// SPDX-License-Identifier: MIT

#include "batch/mirror.h"
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

// Build the model `path` from the text in `file`.
static int cmd_build_file(void *user, const mirror_job *job, char why[EACH_WHY_SIZE])
{
    const char *const file = job->in, *const path = job->out;
    const cli_common *common = user;
    model input;
    tenon_error err;
    progress line;
    int status;
    if (!model_load(&input, common, file, &err)) {
        (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
        return report_error(file, &err);
    }
    const tenon_bytes *text = &input.bytes;
    tenon_read_opts read = {
        .allocator = job_allocator(), .max_memory = common->max_memory, .files = guard_files()};
    read.events = progress_begin(&line, common, "building", path);
    if (path_is_stream(path)) {
        // Try the text first, so that no incomplete model reaches the pipe.
        bool ok = tenon_build(text->data, text->size, &read, NULL, NULL, &err) &&
                  tenon_build(text->data, text->size, &read, out_to_stream, stdout, &err);
        status = ok || out_failed() ? CLI_OK : report_error(file, &err);
    } else {
        tenon_write_opts with_input = job->write;
        if (!with_input.input_count) with_input.inputs = &text->id, with_input.input_count = 1;
        bool ok = tenon_build_file(text->data, text->size, path, &read, &with_input, &err);
        // Errors in the text have a line; others are about the output.
        bool is_output = !ok && (err.code == TENON_ERR_IO || err.code == TENON_ERR_EXISTS);
        if (!ok) job_explain_cancelling(common, &err);
        if (!ok) (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
        status = ok ? CLI_OK : report_fault(is_output ? path : file, &err);
    }
    progress_end(&line);
    model_free(&input);
    return status;
}

static int run_build(const cli_command *self, char **args)
{
    build_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    cli_common *common = &opts.common;
    char **words = common->operands;
    // The last of two operands is the output.
    if (!opts.output && common->operand_count == 2) {
        opts.output = words[1];
        common->operand_count = 1;
    }
    const convert_opts outputs = {.common = opts.common,
                                  .output = opts.output,
                                  .force = opts.force,
                                  .removed = ".json",
                                  .takes_animations = true};
    const mirror all = {
        .command = self, .opts = &outputs, .done = "built", .user = common, .run = cmd_build_file};
    if (mirror_is_wanted(common, opts.output)) return mirror_run(&all);
    if (!opts.output) return report_usage(self, "OUT is missing");
    return mirror_run_alone(&all, words[0], opts.output);
}

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help = "the file to write, instead of a second operand, or a folder",
     .field = offsetof(build_opts, output)},
    {.long_name = "force",
     .short_name = 'f',
     .help = "replace an existing file",
     .field = offsetof(build_opts, force)},
    {0},
};

static const cli_example examples[] = {
    {"tenon build robot.bplx.json robot.bplx", "build a model from its JSON"},
    {"tenon build -r text/ -o models/", "every model of a folder, after `tenon dump -r`"},
    {"tenon dump robot.bplx | tenon build - - | cmp - robot.bplx",
     "dump and build give the same bytes"},
    {0},
};

const cli_command cmd_build = {
    .name = "build",
    .summary = "build a model from the JSON of 'tenon dump'",
    .usage = {"[OPTION]... FILE.json OUT", "[OPTION]... FILE.json... -o OUT"},
    .details =
        "The JSON may have been edited: counts before lists are computed from the lists; a "
        "value that is missing, unknown or out of range is an error with its line. The "
        "result must be a readable model, or nothing is written. In a folder OUT the name of "
        "each file loses '.json' at its end; if FILE.json is a folder, the files in it that "
        "are called like 'robot.bplx.json' are built, into the same subfolders.",
    .options = options,
    .takes_folders = true,
    .writes_files = true,
    .examples = examples,
    .statuses = {[1] = "the JSON is invalid, or does not describe a readable model",
                 [2] = "the command line is invalid, or the output exists or is the input"},
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "FILE.json",
    .run = run_build,
};
