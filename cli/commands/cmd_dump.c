// cmd_dump.c: tenon dump: a model as text that compiles back to the same bytes.
// SPDX-License-Identifier: MIT

#include "batch/mirror.h"
#include "input/job.h"
#include "input/model.h"
#include "input/paths.h"
#include "options/cli.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"

#include <string.h>

typedef struct dump_opts {
    cli_common common;
    const char *output;
    bool force;
} dump_opts;

static bool cmd_dump_find_folder(const char *path, tenon_file_id *id)
{
    char folder[PATH_SIZE];
    size_t size = (size_t)(path_base_name(path) - path);
    if (size >= sizeof folder - 1) return false;
    (void)snprintf(folder, sizeof folder, "%.*s.", (int)size, path);
    return tenon_file_identify(guard_files(), folder, id);
}

// Whether the output has the name and the folder of a sidecar of the model.
static bool cmd_dump_is_sidecar(const file_list *sidecars, const char *file, const char *output)
{
    char path[PATH_SIZE];
    tenon_file_id a, b;
    for (uint32_t i = 0; i < sidecars->count; i++)
        if (path_beside(file, sidecars->names[i], path) &&
            strcmp(path_base_name(path), path_base_name(output)) == 0 &&
            cmd_dump_find_folder(path, &a) && cmd_dump_find_folder(output, &b) &&
            file_id_equal(a, b))
            return true;
    return false;
}

// Write the text of a file to `output`.
static int cmd_dump_file(void *user, const mirror_job *job, char why[EACH_WHY_SIZE])
{
    const char *const file = job->in, *const output = job->out;
    const cli_common *common = user;
    model input;
    tenon_error err;
    int status = CLI_OK;
    if (!model_read_exact(&input, common, file, "'dump' cannot show the fields of", &err)) {
        job_explain_cancelling(common, &err);
        (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
        return report_unreadable(common, file, &err);
    }
    file_list sidecars = {0};
    bool is_to_stdout = path_is_stream(output);
    if (!is_to_stdout && !path_is_stream(file))
        sidecars.failed |= !tenon_sidecars(input.doc, file, file_list_take, &sidecars);
    if (sidecars.failed) {
        status = report_no_memory();
    } else if (cmd_dump_is_sidecar(&sidecars, file, output)) {
        status = report_usage(&cmd_dump,
                              "'%s' is the name of a file that belongs to the model; use '%s.json'",
                              output, file);
    } else if (is_to_stdout) {
        // A failed standard output is reported when the tool ends.
        bool ok = tenon_dump(input.doc, out_to_stream, stdout, &err) || out_failed();
        status = ok ? CLI_OK : report_error(file, &err);
    } else {
        tenon_write_opts with_input = job->write;
        if (!with_input.input_count)
            with_input.inputs = &input.bytes.id, with_input.input_count = 1;
        bool ok = tenon_dump_file(input.doc, output, &with_input, &err);
        if (!ok) (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
        status = ok ? CLI_OK : report_error(output, &err);
    }
    file_list_free(&sidecars);
    model_free(&input);
    return status;
}

static int run_dump(const cli_command *self, char **args)
{
    dump_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    cli_common *common = &opts.common;
    const convert_opts outputs = {.common = opts.common,
                                  .output = opts.output,
                                  .force = opts.force,
                                  .added = ".json",
                                  .takes_animations = true};
    const mirror all = {
        .command = self, .opts = &outputs, .done = "dumped", .user = common, .run = cmd_dump_file};
    if (mirror_is_wanted(common, opts.output)) return mirror_run(&all);
    return mirror_run_alone(&all, common->operands[0], opts.output ? opts.output : "-");
}

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT.json",
     .help = "the file to write, or a folder",
     .fallback = "standard output",
     .field = offsetof(dump_opts, output)},
    {.long_name = "force",
     .short_name = 'f',
     .help = "replace an existing file",
     .field = offsetof(dump_opts, force)},
    {0},
};

static const cli_example examples[] = {
    {"tenon dump robot.bplx | less", "show every field of a model"},
    {"tenon dump robot.bmw -o robot.bmw.json",
     "edit it, then `tenon build robot.bmw.json new.bmw`"},
    {"tenon dump -r models/ -o text/", "every model of a folder: text/props/lamp.gpb.json"},
    {"git config diff.tenon.textconv 'tenon dump'", "let git show what changed in a model"},
    {0},
};

const cli_command cmd_dump = {
    .name = "dump",
    .summary = "show a model as JSON that compiles back to the same bytes",
    .usage = {"[OPTION]... FILE [-o OUT.json]", "[OPTION]... FILE... -o OUT/"},
    .details =
        "Shows every field, in the order of the file. Text that is not UTF-8 and bytes of "
        "unknown meaning are written as {\"hex\": \"...\"}, numbers that are not finite as "
        "\"f32:7fc00001\". Counts before lists are left out: 'tenon build' computes them. "
        "The JSON of a glTF file is shown as JSON if it has no spaces between its values, "
        "else as pieces of text that end with a comma. OUT.json must not be the name of a "
        "file that belongs to the model: 'robot.json' is the sidecar of 'robot.bmw'. In a folder "
        "OUT/ the name of each file gets '.json' at its end; if FILE is a folder, the "
        "models in it are dumped, into the same subfolders.",
    .options = options,
    .takes_folders = true,
    .reads_models = true,
    .writes_files = true,
    .examples = examples,
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "FILE",
    .run = run_dump,
};
