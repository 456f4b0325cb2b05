// cmd_convert.c: tenon convert: write models anew, in the same dialect or another.
// SPDX-License-Identifier: MIT

#include "cli.h"
#include "convert_edit.h"
#include "convert_one.h"
#include "convert_plan.h"
#include "guard.h"
#include "json_out.h"
#include "model.h"
#include "output.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

// Convert one file, and tell about it where that is wanted.
static int convert_and_record(const convert_opts *opts, const convert_plan *plan, uint32_t index,
                              FILE *report)
{
    const convert_job *job = &plan->jobs[index];
    if (!opts->common.json && !report) return convert_one(opts, plan, job, NULL);
    char *text = NULL;
    size_t size = 0;
    json_out json = {.to = out_to_memory(&text, &size)};
    if (!json.to) return report_no_memory();
    int status = convert_one(opts, plan, job, &json);
    bool ok = fclose(json.to) == 0;
    if (ok && opts->common.json) out(stdout, "%s\n", text);
    if (ok && report) out(report, "%s%s", index ? ",\n" : "", text);
    free(text);
    return ok ? status : report_no_memory();
}

// -- The report

static int save_report(const convert_opts *opts, const convert_plan *plan, const char *text,
                       size_t size)
{
    if (strcmp(opts->report, "-") == 0) {
        out_bytes(stdout, text, size);
        return CLI_OK;
    }
    tenon_error err;
    tenon_write_opts write = {.force = opts->force,
                              .inputs = plan->inputs,
                              .input_count = plan->input_count,
                              .files = guard_files()};
    if (tenon_save(opts->report, text, size, &write, &err)) return CLI_OK;
    return report_error(opts->report, &err);
}

static int convert_all(const convert_opts *opts, const convert_plan *plan, FILE *report)
{
    int worst = CLI_OK;
    for (uint32_t i = 0; i < plan->job_count && !out_failed(); i++) {
        int status = convert_and_record(opts, plan, i, report);
        if (status > worst) worst = status;
    }
    return worst;
}

// Convert all files; the report is collected and saved at the end.
static int convert_with_report(const convert_opts *opts, const convert_plan *plan)
{
    tenon_error err;
    if (!convert_may_write(plan, opts, opts->report, &err)) return report_error(opts->report, &err);
    char *text = NULL;
    size_t size = 0;
    FILE *report = out_to_memory(&text, &size);
    if (!report) return report_no_memory();
    out(report, "[\n");
    int worst = convert_all(opts, plan, report);
    out(report, "\n]\n");
    int status = fclose(report) == 0 ? save_report(opts, plan, text, size) : report_no_memory();
    free(text);
    return status > worst ? status : worst;
}

// -- The command

// "parent,world,bone" as bits. False if there is anything else in it.
static bool read_spaces(const char *text, uint32_t *bits)
{
    static const char *const names[] = {"parent", "world", "bone"};
    while (*text) {
        size_t size = strcspn(text, ","), i = 0;
        while (i < 3 && (strlen(names[i]) != size || strncmp(names[i], text, size) != 0)) i++;
        if (i == 3) return false;
        *bits |= 1u << i;
        text += size + (text[size] == ',');
    }
    return *bits != 0;
}

static int convert(const cli_command *self, const convert_opts *opts)
{
    convert_plan plan;
    int status = convert_plan_make(&plan, self, opts);
    if (status == CLI_GO_ON)
        status = opts->report ? convert_with_report(opts, &plan) : convert_all(opts, &plan, NULL);
    convert_plan_free(&plan);
    return status;
}

static int convert_with_model(const cli_command *self, convert_opts *opts)
{
    model m;
    tenon_error err;
    cli_common common = opts->common;
    common.from = (cli_format){0};  // It says what the inputs are.
    if (!model_read(&m, &common, opts->model, &err)) return report_error(opts->model, &err);
    opts->model_doc = m.doc;
    int status = convert(self, opts);
    model_free(&m);
    return status;
}

static int run(const cli_command *self, char **args)
{
    convert_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (opts.to.dialect && opts.as)
        return report_usage(self, "'--as' and the dialect of '--to' exclude each other");
    if (opts.spaces && !read_spaces(opts.spaces, &opts.space_bits))
        return report_usage(self, "'%s' is no LIST for '--spaces'; known: parent, world, bone",
                            opts.spaces);
    const char *wrong = convert_edit_misspelt(&opts);
    if (wrong)
        return report_usage(self, "'%s' is no MESH=SHAPE for '--set-shape'; 0=convex is", wrong);
    return opts.model ? convert_with_model(self, &opts) : convert(self, &opts);
}

#define ANSWER(field) offsetof(convert_opts, field)

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help = "the file or folder to write; all operands are inputs then",
     .answer = ANSWER(output)},
    {.long_name = "to",
     .kind = CLI_FORMAT,
     .metavar = "FORMAT[:DIALECT]",
     .help = "what to write",
     .fallback = "by the name of OUT, else as the input",
     .answer = ANSWER(to)},
    {.long_name = "as",
     .kind = CLI_DIALECT,
     .metavar = "DIALECT",
     .help = "change to this dialect of the same format",
     .answer = ANSWER(as)},
    {.long_name = "rate",
     .kind = CLI_NUMBER,
     .metavar = "FPS",
     .help = "frames a second, where a clip has to be sampled or does not say",
     .fallback = "as the format has it",
     .answer = ANSWER(rate)},
    {.long_name = "spaces",
     .metavar = "LIST",
     .kind = CLI_TEXT,
     .help = "what a .bbanim stores: parent, world, bone, with commas between them",
     .fallback = "as it is",
     .answer = ANSWER(spaces)},
    {.long_name = "model",
     .kind = CLI_FILE,
     .metavar = "FILE",
     .help = "the model that an animation belongs to",
     .answer = ANSWER(model)},
    {.long_name = "anim",
     .kind = CLI_FILES,
     .metavar = "FILE",
     .help = "a .bbanim that belongs to a BBMOD model; can be given several times",
     .fallback = "those beside it, MODEL_*.bbanim",
     .answer = ANSWER(animations)},
    {.long_name = "embed",
     .help = "put textures into a .glb or .gltf file instead of naming them",
     .answer = ANSWER(embed)},
    {.long_name = "clip",
     .kind = CLI_TEXT,
     .metavar = "NAME",
     .help = "pose an .obj file as in this clip",
     .answer = ANSWER(clip)},
    {.long_name = "at",
     .kind = CLI_AMOUNT,
     .metavar = "SECONDS",
     .help = "at this time of the clip",
     .fallback = "its start",
     .answer = ANSWER(at)},
    {.long_name = "refresh",
     .help = "recompute what the file says twice: offsets, bounds, parents",
     .answer = ANSWER(refresh)},
    {.long_name = "merge",
     .help = "make one file of all inputs: GPB bundles, or .cea files with the same skeleton",
     .answer = ANSWER(merge)},
    {.long_name = "set-shape",
     .kind = CLI_LIST,
     .metavar = "MESH=SHAPE",
     .help = "give a ModelData mesh, or 'all', this collision shape, such as 0=box/1/2/1; can be "
             "given several times",
     .answer = ANSWER(shapes)},
    {.long_name = "clear-shape",
     .help = "take the collision shapes of all ModelData meshes away, which means convex hulls",
     .answer = ANSWER(clear_shape)},
    {.long_name = "force",
     .short_name = 'f',
     .help = "replace files that exist",
     .answer = ANSWER(force)},
    {.long_name = "in-place",
     .help = "replace each input by its conversion",
     .answer = ANSWER(in_place)},
    {.long_name = "strict",
     .help = "write no file that would lose something",
     .answer = ANSWER(strict)},
    {.long_name = "dry-run",
     .help = "only say what would be written and lost",
     .answer = ANSWER(dry_run)},
    {.long_name = "report",
     .kind = CLI_FILE,
     .metavar = "FILE.json",
     .help = "write a report of all files and losses",
     .answer = ANSWER(report)},
    {0},
};

static const cli_example examples[] = {
    {"tenon convert hero.bbmod hero.glb", "out to glTF, with clips, skin and textures"},
    {"tenon convert robot.bplx copy.bplx", "the same bytes again, after reading them all"},
    {"tenon convert robot.bplx old.bplx --as script", "another dialect; losses are printed"},
    {"tenon convert *.bplx -o out/ --as script --strict", "a folder full, nothing lost"},
    {"tenon convert --in-place --as document robot.bplx", "change the file itself"},
    {"tenon convert --merge run.cea walk.cea -o hero.cea", "all their clips in one file"},
    {"tenon convert house.cem solid.cem --set-shape all=triangleMesh", "edit collision shapes"},
    {0},
};

const cli_command cmd_convert = {
    .name = "convert",
    .summary = "write models anew, in the same dialect or another",
    .usage = {"[OPTION]... IN OUT", "[OPTION]... IN... -o OUT", "--in-place [OPTION]... FILE..."},
    .details = "Without '--to' and '--as' the output is the input, byte for byte. OUT is a folder "
               "if it exists as one or ends in '/', and each input goes there under its own name. "
               "'-' is standard input or output. A file is written completely or not at all.",
    .options = options,
    .reads_models = true,
    .examples = examples,
    .statuses = {[1] = "a model is unreadable, cannot be converted, or would lose something with "
                       "'--strict'",
                 [2] = "the command line is wrong, or an output exists or is an input"},
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "IN",
    .run = run,
};
