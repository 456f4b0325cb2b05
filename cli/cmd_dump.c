// cmd_dump.c: tenon dump: a model as text that compiles back to the same bytes.
// SPDX-License-Identifier: MIT

#include "cli.h"
#include "guard.h"
#include "model.h"
#include "output.h"
#include "report.h"

#include <string.h>

typedef struct dump_opts {
    cli_common common;
    const char *output;
    bool force;
} dump_opts;

static bool print(void *user, const void *bytes, size_t size)
{
    (void)user;
    out_bytes(stdout, bytes, size);
    return !out_failed();
}

static int dump_to_stdout(const model *m)
{
    tenon_error err;
    // Why printing failed is said at the end, once for all.
    if (tenon_dump(m->doc, print, NULL, &err) || out_failed()) return CLI_OK;
    return report_error(m->file, &err);
}

static int dump_to_file(const model *m, const dump_opts *opts)
{
    tenon_error err;
    tenon_write_opts write = {
        .force = opts->force, .inputs = &m->bytes.id, .input_count = 1, .files = guard_files()};
    if (tenon_dump_file(m->doc, opts->output, &write, &err)) return CLI_OK;
    return report_error(opts->output, &err);
}

static int run(const cli_command *self, char **args)
{
    dump_opts opts = {.output = "-"};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    model m;
    tenon_error err;
    const char *file = opts.common.operands[0];
    if (!model_read_exact(&m, &opts.common, file, "'dump' cannot show the fields of", &err))
        return report_unreadable(&opts.common, file, &err);
    status = strcmp(opts.output, "-") == 0 ? dump_to_stdout(&m) : dump_to_file(&m, &opts);
    model_free(&m);
    return status;
}

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT.json",
     .help = "the file to write",
     .fallback = "standard output",
     .answer = offsetof(dump_opts, output)},
    {.long_name = "force",
     .short_name = 'f',
     .help = "replace a file that exists",
     .answer = offsetof(dump_opts, force)},
    {0},
};

static const cli_example examples[] = {
    {"tenon dump robot.bplx | less", "read every field of a model"},
    {"tenon dump robot.bplx -o robot.json", "then edit it, and `tenon build robot.json new.bplx`"},
    {"git config diff.tenon.textconv 'tenon dump'", "let git show what changed in a model"},
    {0},
};

const cli_command cmd_dump = {
    .name = "dump",
    .summary = "show a model as JSON that compiles back to the same bytes",
    .usage = {"[OPTION]... FILE [-o OUT.json]"},
    .details = "Every field is there, in the order of the file. Text that is not UTF-8 and bytes "
               "of which nothing is known stand as {\"hex\": \"...\"}, numbers that are not finite "
               "as \"f32:7fc00001\". Counts in front of lists are left out: 'tenon build' counts. "
               "The JSON of a glTF file is shown as JSON if it has no spaces between its values, "
               "else as pieces of text that end with a comma.",
    .options = options,
    .reads_models = true,
    .examples = examples,
    .operands_min = 1,
    .operands_max = 1,
    .operand = "FILE",
    .run = run,
};
