// cmd_salvage.c: tenon salvage: recover what is intact in a damaged model.
// SPDX-License-Identifier: MIT

#include "batch/mirror.h"
#include "commands/salvage_report.h"
#include "convert/convert_output.h"
#include "convert/readback.h"
#include "input/job.h"
#include "options/cli.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <string.h>

typedef struct salvage_opts {
    cli_common common;
    const char *output;
    cli_format to;
    bool force, dry_run;
} salvage_opts;

// -- Reading

// Read what is readable. A file whose bytes match no format is read as its name says.
static bool cmd_salvage_read_damaged(model_recovery *recovery, tenon_error *err)
{
    const cli_common *common = &recovery->opts.common;
    model *input = &recovery->job.input;
    tenon_error *fault = &recovery->fault;
    progress line;
    tenon_read_opts read = model_read_opts(common, recovery->job.in);
    read.events = progress_begin(&line, common, "reading", recovery->job.in);
    read.partial = read.incomplete = true;
    input->doc = tenon_read(input->bytes.data, input->bytes.size, &read, fault);
    bool is_unknown = !input->doc && !read.format &&
                      (fault->code == TENON_ERR_FORMAT || fault->code == TENON_ERR_AMBIGUOUS);
    if (is_unknown && (read.format = report_format_of_name(recovery->job.in)) != NULL)
        input->doc = tenon_read(input->bytes.data, input->bytes.size, &read, fault);
    recovery->is_known_by_name = is_unknown && input->doc && fault->code == TENON_OK;
    progress_end(&line);
    if (!input->doc) *err = *fault;
    return input->doc != NULL;
}

// Count the errors in a document. False if that was not possible.
static bool cmd_salvage_count_errors(const tenon_doc *doc, uint64_t *count, tenon_error *err)
{
    tenon_check_opts opts = {.allocator = job_allocator()};
    tenon_check_result result;
    if (!tenon_check(doc, &opts, NULL, NULL, &result, err)) return false;
    *count = result.errors;
    return true;
}

static void cmd_salvage_note_damage(void *user, const tenon_loss *loss)
{
    bool *is_damaged = user;
    *is_damaged |= loss->is_damage;
}

// Whether a document without errors contains implausible numbers, such as a page of noise among the
// vertices. False if that was not possible.
static bool cmd_salvage_find_outliers(const model_recovery *recovery, bool *has_outliers,
                                      tenon_error *err)
{
    tenon_scene_opts opts = {.allocator = job_allocator(),
                             .files = guard_files(),
                             .salvage = true,
                             .events = {.user = has_outliers, .on_loss = cmd_salvage_note_damage}};
    *has_outliers = false;
    if (!(recovery->job.input.doc->format->caps & TENON_TO_SCENE)) return true;
    tenon_scene *scene = tenon_to_scene(recovery->job.input.doc, &opts, err);
    bool ok = scene || (err->code != TENON_ERR_MEMORY && err->code != TENON_ERR_IO);
    tenon_scene_free(scene);
    return ok;
}

// -- Writing

static bool cmd_salvage_has_any(uint64_t count)
{
    return count != TENON_ABSENT && count > 0;
}

// Whether a document has no errors and something visible in it.
static bool cmd_salvage_is_worth_writing(tenon_doc *doc, bool *is_worth, tenon_error *err)
{
    tenon_info info;
    uint64_t errors;
    if (!cmd_salvage_count_errors(doc, &errors, err) ||
        !tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, err))
        return false;
    bool has_nodes = info.nodes != TENON_ABSENT && info.nodes > 1;
    *is_worth =
        errors == 0 &&
        (cmd_salvage_has_any(info.triangles) || cmd_salvage_has_any(info.animations) ||
         cmd_salvage_has_any(info.frames) || cmd_salvage_has_any(info.font_sizes) || has_nodes);
    tenon_info_free(&info);
    return true;
}

// A document that is intact again is written as it is. One that still has errors or outliers, or
// that is to become another format, is written from its scene.
static bool cmd_salvage_write_recovered(model_recovery *recovery)
{
    convert_job *job = &recovery->job;
    tenon_error *err = &job->err;
    tenon_doc *doc = job->input.doc;
    const tenon_format *to = recovery->job.plan->to ? recovery->job.plan->to : doc->format;
    tenon_change_opts change = {.events = {.user = recovery, .on_loss = recovery_add_loss}};
    bool is_sound =
        recovery->fault.code == TENON_OK && recovery->error_count == 0 && !recovery->has_outliers;
    bool is_whole = is_sound && !recovery->is_known_by_name, has_outliers = false;
    bool is_repaired = is_whole || tenon_recover(doc, &change, err);
    if (!is_repaired && err->code != TENON_ERR_UNSUPPORTED) return false;
    bool is_same = !recovery->job.plan->to || (to == doc->format && !recovery->opts.to.dialect);
    bool is_worth = false;
    if (is_same && is_repaired && !recovery->is_known_by_name &&
        !cmd_salvage_is_worth_writing(doc, &is_worth, err))
        return false;
    if (is_worth && !is_whole && !cmd_salvage_find_outliers(recovery, &has_outliers, err))
        return false;
    is_worth = is_worth && !has_outliers;
    if (is_worth && !readback_doc(doc, job->out, &recovery->opts.common, &is_worth, err))
        return false;
    if (!is_worth && (!(doc->format->caps & TENON_TO_SCENE) || !(to->caps & TENON_FROM_SCENE))) {
        *err =
            report_make(TENON_ERR_UNSUPPORTED, "nothing is left of it that %s can store", to->name);
        return false;
    }
    // Keep the dialect: a reader of version 1.2 does not know 1.5.
    bool keeps_dialect = to == doc->format && !recovery->opts.to.dialect;
    if (is_worth)
        recovery->dialect = doc->dialect->name;
    else if (keeps_dialect)
        recovery->opts.as = doc->dialect->name;
    job->to = to;
    job->how = is_worth ? WITHIN_FORMAT : THROUGH_SCENE;
    job->without_sidecars = is_worth;
    return convert_model(job);
}

// -- The command

static int cmd_salvage_report_failure(const model_recovery *recovery, const char *file,
                                      const tenon_error *err)
{
    if (!recovery->opts.common.json) {
        if (recovery->job.input.doc && !recovery->opts.common.quiet)
            recovery_print_fault(recovery, stderr);
        return report_error(file, err);
    }
    recovery_print_json(recovery, err);
    return report_status(err);
}

static int cmd_salvage_recover_file(model_recovery *recovery)
{
    tenon_error *err = &recovery->job.err;
    const char *in = recovery->job.in, *path = recovery->job.out;
    if (!cmd_salvage_read_damaged(recovery, err))
        return cmd_salvage_report_failure(recovery, in, err);
    bool ok = true;
    if (recovery->fault.code == TENON_OK) {  // It can be read; what else is wrong with it?
        ok = cmd_salvage_count_errors(recovery->job.input.doc, &recovery->error_count, err) &&
             (recovery->error_count ||
              cmd_salvage_find_outliers(recovery, &recovery->has_outliers, err));
    }
    ok = ok && cmd_salvage_write_recovered(recovery);
    if (recovery->has_no_memory) return report_no_memory();
    if (!ok)
        return cmd_salvage_report_failure(recovery, err->code == TENON_ERR_EXISTS ? path : in, err);
    if (!recovery_locate_losses(recovery, err))
        return cmd_salvage_report_failure(recovery, in, err);

    // Count what is in the file that was written. A pipe cannot be read again.
    bool is_in_file = recovery->job.is_written && !path_is_stream(path);
    tenon_read_opts read = {.allocator = job_allocator(),
                            .map = true,
                            .format = recovery->job.to->name,
                            .files = guard_files()};
    tenon_doc *written = is_in_file ? tenon_read_file(path, &read, err) : NULL;
    tenon_doc *doc = is_in_file ? written : recovery->job.input.doc;
    ok = doc && tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &recovery->info, err);
    if (ok && recovery->opts.common.json)
        recovery_print_json(recovery, &(tenon_error){0});
    else if (ok && !recovery->opts.common.quiet)
        recovery_print(recovery, path_is_stream(path) ? stderr : stdout);
    tenon_info_free(&recovery->info);
    tenon_doc_free(written);
    if (!ok) return cmd_salvage_report_failure(recovery, path, err);
    return CLI_OK;
}

static model_recovery cmd_salvage_begin(const convert_opts *opts, convert_plan *plan)
{
    return (model_recovery){.opts = *opts, .job.plan = plan};
}

// The job and its options point into the recovery, which stays where it is from now on.
static void cmd_salvage_link(model_recovery *recovery)
{
    recovery->job.opts = &recovery->opts;
    recovery->job.source = &recovery->job.input;
    recovery->job.events = (tenon_events){.user = recovery, .on_loss = recovery_add_loss};
}

// One of several files.
static int cmd_salvage_mirrored(void *user, const mirror_job *job, char why[EACH_WHY_SIZE])
{
    const convert_opts *opts = user;
    model_recovery recovery = cmd_salvage_begin(opts, job->plan);
    tenon_error *err = &recovery.job.err;
    int status;
    cmd_salvage_link(&recovery);
    recovery.job.number = job->number;
    recovery.job.in = job->in;
    recovery.job.out = job->out;
    if (model_load_exact(&recovery.job.input, &opts->common, job->in, "'salvage' cannot recover",
                         err))
        status = cmd_salvage_recover_file(&recovery);
    else
        status = report_unreadable(&opts->common, job->in, err);
    (void)snprintf(why, EACH_WHY_SIZE, "%s", err->message);
    recovery_free(&recovery);
    return status;
}

// The only file.
static int cmd_salvage_alone(const cli_command *self, const convert_opts *opts)
{
    convert_plan plan = {0};
    model_recovery recovery = cmd_salvage_begin(opts, &plan);
    tenon_error err;
    const char *in = opts->common.operands[0];
    cmd_salvage_link(&recovery);
    // Before the plan, which would complain about an output of a format that is only imported.
    if (!model_load_exact(&recovery.job.input, &opts->common, in, "'salvage' cannot recover", &err))
        return report_unreadable(&opts->common, in, &err);
    int status = convert_plan_make(&plan, self, opts);
    if (status == CLI_GO_ON) {
        recovery.job.in = plan.jobs[0].in;
        recovery.job.out = plan.jobs[0].out;
        status = cmd_salvage_recover_file(&recovery);
    }
    recovery_free(&recovery);
    convert_plan_free(&plan);
    return status;
}

static int run_salvage(const cli_command *self, char **args)
{
    salvage_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    cli_common *common = &opts.common;
    // The last of two operands is the output.
    if (!opts.output && common->operand_count == 2) {
        opts.output = common->operands[1];
        common->operand_count = 1;
    }
    convert_opts outputs = {.common = opts.common,
                            .output = opts.output,
                            .to = opts.to,
                            .force = opts.force,
                            .dry_run = opts.dry_run,
                            .salvage = true};
    if (common->json && opts.output && path_is_stream(opts.output))
        return report_usage(self, "'--json' cannot be used with the output '-'");
    if (!mirror_is_wanted(common, NULL)) return cmd_salvage_alone(self, &outputs);
    return mirror_run(&(mirror){.command = self,
                                .opts = &outputs,
                                .done = opts.dry_run ? "can be recovered" : "recovered",
                                .is_in_order = true,
                                .user = &outputs,
                                .run = cmd_salvage_mirrored});
}

#define FIELD(field) offsetof(salvage_opts, field)

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help = "the file to write, or a folder",
     .field = FIELD(output)},
    {.long_name = "to",
     .kind = CLI_FORMAT,
     .metavar = "FORMAT[:DIALECT]",
     .help = "the format to write, if the name of the output does not say it",
     .field = FIELD(to)},
    {.long_name = "force",
     .kind = CLI_FLAG,
     .help = "replace an existing output",
     .field = FIELD(force)},
    {.long_name = "dry-run",
     .kind = CLI_FLAG,
     .help = "write nothing; only report what could be recovered",
     .field = FIELD(dry_run)},
    {0},
};

static const cli_example examples[] = {
    {"tenon salvage broken.gpb whole.gpb", "recover what is intact, in the same format"},
    {"tenon salvage broken.bbmod seen.glb", "recover it as glTF, to look at it"},
    {"tenon salvage --dry-run broken.cea x.cea", "show what would be kept and lost"},
    {"tenon salvage -r broken/ -o whole/", "every model of a folder"},
    {"tenon salvage --from modeldata lost+found/17 hero.cea", "a file without an extension"},
    {0},
};

const cli_command cmd_salvage = {
    .name = "salvage",
    .alias = "recover",
    .summary = "recover what is intact in a damaged model",
    .usage = {"[OPTION]... IN OUT", "[OPTION]... IN... -o OUT"},
    .details = "If the file is cut short, recovers everything before the cut; if a part is "
               "damaged and the format says where the next part begins, everything but that part. "
               "Arrays keep the records that are intact, meshes the triangles whose corners are "
               "plausible. Missing data that the format requires is synthesized. If nothing else "
               "has to change, the file keeps its layout; otherwise it is rebuilt from its "
               "contents. The report says where the error is, and what was cut, lost, synthesized "
               "and kept. If IN is a folder, the models in it are recovered, into the same "
               "subfolders of OUT. '-' is standard input or output.",
    .options = options,
    .takes_folders = true,
    .reads_models = true,
    .writes_files = true,
    .examples = examples,
    .statuses = {"something was recovered and written", "nothing could be recovered",
                 "the command line is invalid, or the output exists or is the input"},
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "IN",
    .run = run_salvage,
};
