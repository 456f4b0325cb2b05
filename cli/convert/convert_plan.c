// convert_plan.c: which file becomes which, decided before anything is written.
// SPDX-License-Identifier: MIT

#include "convert/convert_plan.h"

#include "convert/convert_output.h"
#include "convert/convert_unchanged.h"
#include "import/import_format.h"
#include "input/model.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONFLICTS_SHOWN 20

// -- The command line

// Split the operands into inputs and output, and replace folders by the models in them.
static int convert_plan_read_operands(convert_plan *plan, const cli_command *command)
{
    const convert_opts *opts = plan->opts;
    char **words = opts->common.operands;
    uint32_t count = opts->common.operand_count;
    const char *output = opts->output;
    if (opts->in_place && output)
        return report_usage(command, "'--in-place' and '--output' exclude each other");
    if (!opts->in_place && !output && opts->common.batch.files_from.count)
        return report_usage(command, "'--files-from' needs '-o FOLDER' or '--in-place'");
    if (!opts->in_place && !output) {
        if (count == 1) return report_usage(command, "OUT is missing");
        if (count > 2) return report_usage(command, "several inputs need '-o FOLDER'");
        output = words[1];
        count = 1;
    }
    const folder_search search = {.only_models = !opts->takes_animations,
                                  .output = output,
                                  .may_be_empty = opts->is_of_recipe || opts->watch,
                                  .ending = opts->removed,
                                  .wants_stamps = plan->wants_stamps};
    int status = inputs_find(&plan->sources, &opts->common, count, &search, &plan->summary);
    if (status != CLI_GO_ON) return status;
    plan->output = output;
    if (opts->merge && !opts->output)
        return report_usage(command, "'--merge' needs '-o FILE'; all operands are inputs");
    if (opts->merge && plan->sources.count < 2)
        return report_usage(command, "'--merge' needs two inputs or more");

    bool to_stdout = output && path_is_stream(output);
    bool report_to_stdout = opts->report && path_is_stream(opts->report);
    if (model_stdin_is_repeated(&opts->common, count))
        return report_usage(command, "standard input can be read only once");
    if (to_stdout + report_to_stdout + opts->common.json > 1)
        return report_usage(command, "only one thing can go to standard output");
    if (to_stdout && out_is_terminal(stdout) && !opts->force && !opts->dry_run)
        return report_usage(command, "a model is not for a terminal; '--force' prints it");
    return CLI_GO_ON;
}

// A name like "robot.gpb" says what to write. One without an extension says nothing.
static int convert_plan_find_output_format(convert_plan *plan, const cli_command *command,
                                           const char *name)
{
    const char *dot = strrchr(path_base_name(name), '.');
    if (!dot || path_is_stream(name)) return CLI_GO_ON;
    plan->to = format_by_extension(dot + 1, UINT32_MAX);
    if (plan->to) return CLI_GO_ON;
    const import_format *imported = import_format_by_name(name);
    if (!imported)
        return report_usage(command, "unknown extension '%s'; '--to FORMAT' says what to write",
                            dot);
    char why[256];
    import_refuse_writing(imported->title, why, sizeof why);
    return report_usage(command, "%s", why);
}

// -- Jobs

// The path of an input's name in the output folder, with an extension that fits what is written
// (NULL: the same). The name may have folders, which are created there.
static char *convert_plan_make_output_path(const char *folder, const char *name,
                                           const convert_opts *opts)
{
    const tenon_format *to = opts->to.format;
    const tenon_dialect *dialect = opts->to.dialect;
    const char *base_name = path_base_name(name), *dot = strrchr(base_name, '.');
    size_t folder_size = strlen(folder), stem_size = strlen(name);
    bool has_slash = folder_size > 0 && folder[folder_size - 1] == '/';
    const char *extension = opts->added ? opts->added + 1 : "";
    if (opts->removed) stem_size = text_size_before(name, opts->removed);
    if (to && !(dot && format_has_extension(to, dot + 1) && !dialect)) {
        bool names_dialect = dialect && format_has_extension(to, dialect->name);
        extension = names_dialect ? dialect->name : to->extensions[0];
        if (dot && dot != base_name) stem_size = (size_t)(dot - name);
    }
    size_t size = folder_size + 1 + stem_size + 1 + strlen(extension) + 1;
    char *path = malloc(size);
    if (path)
        (void)snprintf(path, size, "%s%s%.*s%s%s", folder, has_slash ? "" : "/", (int)stem_size,
                       name, *extension ? "." : "", extension);
    return path;
}

static int convert_plan_compare_inputs(const void *a, const void *b)
{
    const tenon_file_id *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

bool convert_plan_has_input(const convert_plan *plan, tenon_file_id id)
{
    return plan->input_count &&
           bsearch(&id, plan->inputs, plan->input_count, sizeof id, convert_plan_compare_inputs);
}

static void convert_plan_add_input(convert_plan *plan, const char *file, tenon_file_id known)
{
    const tenon_files *files = guard_files();
    tenon_file_id *id = &plan->inputs[plan->input_count];
    tenon_file_info info;
    if (!path_is_stream(file)) {
        bool is_known = known.device || known.inode;
        if (is_known)
            *id = known;
        else
            is_known = tenon_file_identify(files, file, id);
        plan->input_count += is_known;
        plan->has_unknown_inputs |= !is_known;
        return;
    }
    if (files->stat(files->user, tenon_stdin(), &info) != 0) return;
    if (info.kind != TENON_FILE_REGULAR) return;
    *id = info.id;
    plan->input_count++;
}

// False if memory ran out.
static bool convert_plan_add_jobs(convert_plan *plan, uint32_t job_count, bool into_folder)
{
    const convert_opts *opts = plan->opts;
    const inputs *sources = &plan->sources;
    const char *output = plan->output;
    plan->jobs = calloc(job_count ? job_count : 1, sizeof *plan->jobs);
    plan->inputs =
        calloc((size_t)sources->count + opts->clips_from.count + opts->animations.count + 1,
               sizeof *plan->inputs);
    if (!plan->jobs || !plan->inputs) return false;
    plan->job_count = job_count;
    plan->merged = sources->files + job_count;
    plan->merged_count = sources->count - job_count;
    for (uint32_t i = 0; i < plan->job_count; i++) {
        planned_job *job = &plan->jobs[i];
        job->in = sources->files[i];
        job->index = i;
        job->is_from_folder = sources->places[i].is_found;
        job->in_stamp = sources->places[i].stamp;
        const char *name = job->in + sources->places[i].name_at;
        const char *path = output ? output : job->in;
        job->out = into_folder ? convert_plan_make_output_path(output, name, opts)
                               : text_copy(path, strlen(path));
        if (!job->out) return false;
    }
    for (uint32_t i = 0; i < sources->count; i++)
        convert_plan_add_input(plan, sources->files[i], sources->places[i].id);
    for (uint32_t i = 0; i < opts->clips_from.count; i++)
        convert_plan_add_input(plan, opts->clips_from.values[i], (tenon_file_id){0});
    for (uint32_t i = 0; i < opts->animations.count; i++)
        convert_plan_add_input(plan, opts->animations.values[i], (tenon_file_id){0});
    if (opts->model) convert_plan_add_input(plan, opts->model, (tenon_file_id){0});
    if (plan->input_count)
        qsort(plan->inputs, plan->input_count, sizeof *plan->inputs, convert_plan_compare_inputs);
    return true;
}

// Create the folders of all outputs before the work begins.
static int convert_plan_create_folders(convert_plan *plan)
{
    const convert_opts *opts = plan->opts;
    tenon_error err;
    char folder[PATH_SIZE];
    for (uint32_t i = 0; i <= plan->job_count; i++) {
        bool is_report = i == plan->job_count;  // A dry run writes it as well.
        const char *path = is_report ? opts->report : plan->jobs[i].out;
        if (!path || (i > 0 && !is_report && path_has_same_folder(path, plan->jobs[i - 1].out)))
            continue;
        if (convert_create_folder(plan, path, (opts->dry_run || opts->check_only) && !is_report,
                                  &err))
            continue;
        convert_find_folder(path, folder);
        return report_error(folder, &err);
    }
    return CLI_GO_ON;
}

// No two outputs are the same file, by one name or by two that lead to it; nor is the report. All
// conflicts are reported, since nothing is written then.
static int convert_plan_reserve_outputs(convert_plan *plan, bool into_folder)
{
    const char *report = plan->opts->report, *folder = into_folder ? plan->output : NULL;
    claim_conflict conflict;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->job_count; i++) {
        planned_job *job = &plan->jobs[i];
        if (path_is_stream(job->out)) continue;
        if (!claims_reserve(&plan->claims, job->out, folder, i, plan->wants_stamps, &conflict))
            return report_no_memory();
        job->out_stamp = conflict.stamp;
        if ((!conflict.other && !conflict.is_outside) || count++ >= CONFLICTS_SHOWN) continue;
        out(stderr, "tenon: '");
        if (conflict.other) {
            out_clean(stderr, plan->jobs[conflict.other->owner].in);
            out(stderr, "' and '");
        }
        out_clean(stderr, job->in);
        out(stderr, conflict.other ? "' would both be written to '" : "' would be written to '");
        out_clean(stderr, job->out);
        out(stderr, "'%s\n",
            !conflict.other       ? ", from where a link leads out of the folder"
            : conflict.is_by_case ? ": the names differ only in case"
                                  : "");
    }
    if (count > CONFLICTS_SHOWN)
        out(stderr, "  and %u more\n", (unsigned)(count - CONFLICTS_SHOWN));
    if (count) {
        if (!plan->opts->common.quiet)
            out(stderr, "  nothing was written%s\n",
                plan->sources.are_many ? "; '--include' and '--exclude' select files" : "");
        return CLI_USAGE;
    }
    if (!report || path_is_stream(report)) return CLI_GO_ON;
    if (!claims_reserve(&plan->claims, report, NULL, CLAIM_REPORT, false, &conflict))
        return report_no_memory();
    if (!conflict.other) return CLI_GO_ON;
    return report_usage(plan->command, "'%s' would be both output and report", report);
}

// Whether an input is in the output folder or below: then what one job writes may belong to what
// another one reads.
static bool convert_plan_reads_outputs(const convert_plan *plan, bool into_folder)
{
    const tenon_files *files = guard_files();
    char folder[PATH_SIZE], place[PATH_SIZE], root[PATH_SIZE];
    if (!into_folder || files->resolve(files->user, plan->output, root, sizeof root) != 0)
        return !into_folder;
    size_t size = strlen(root);
    if (size > 0 && root[size - 1] == '/') size--;
    for (uint32_t i = 0; i < plan->job_count; i++) {
        if (i > 0 && path_has_same_folder(plan->jobs[i].in, plan->jobs[i - 1].in)) continue;
        convert_find_folder(plan->jobs[i].in, folder);
        if (files->resolve(files->user, folder, place, sizeof place) != 0) continue;
        if (strncmp(place, root, size) == 0 && (place[size] == '/' || !place[size])) return true;
    }
    return false;
}

// Keep what the shard has to do, when conflicts with other shards are known.
static void convert_plan_keep_shard(convert_plan *plan)
{
    const inputs *sources = &plan->sources;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->job_count; i++) {
        const char *name = sources->files[i] + sources->places[i].name_at;
        if (convert_shard_has(plan->shard, plan->shard_count, name)) {
            plan->jobs[count++] = plan->jobs[i];
            claims_renumber(&plan->claims, i, count - 1);
        } else {
            claims_renumber(&plan->claims, i, CLAIM_ELSEWHERE);
            free(plan->jobs[i].out);
        }
    }
    plan->job_count = count;
    summary *skipped = &plan->summary;
    count = 0;
    for (uint32_t i = 0; i < skipped->count; i++) {
        summary_entry *entry = &skipped->entries[i];
        entry->index = i;
        if (convert_shard_has(plan->shard, plan->shard_count, entry->file)) {
            skipped->entries[count++] = *entry;
            continue;
        }
        --*(entry->is_skipped ? &skipped->skipped : &skipped->failed);
        free(entry->file);
        free(entry->why);
    }
    skipped->count = count;
}

// -- The plan

// Whether an output for several inputs, where nothing is, is the name of a folder: one without an
// extension. `are_many` also for a folder that happens to hold one model.
static bool convert_plan_is_new_folder(const char *output, bool are_many)
{
    tenon_file_info info;
    const tenon_files *files = guard_output_files();
    return are_many && !strchr(path_base_name(output), '.') &&
           files->look(files->user, output, &info) == ENOENT;
}

int convert_plan_make(convert_plan *plan, const cli_command *command, const convert_opts *opts)
{
    *plan = (convert_plan){.command = command, .opts = opts, .to = opts->to.format};
    if (opts->shard && !convert_read_shard(opts->shard, &plan->shard, &plan->shard_count))
        return report_usage(command, "invalid value '%s' for '--shard': expected K/N such as 1/8",
                            opts->shard);
    // While it is watched, a file may change between two looks.
    plan->wants_stamps = !opts->watch && (opts->skip_unchanged || opts->check_only);
    int status = convert_plan_read_operands(plan, command);
    if (status != CLI_GO_ON) return status;

    // With --merge, only the first input gets an output.
    uint32_t job_count = opts->merge ? 1 : plan->sources.count;
    const char *output = plan->output;
    size_t size = output ? strlen(output) : 0;
    bool into_folder = size > 0 && output[size - 1] == '/', has_stdin = false;
    int error = output && !into_folder && !path_is_stream(output)
                    ? convert_look_for_folder(output, &into_folder)
                    : 0;
    if (output && !into_folder && !path_is_stream(output))
        into_folder = convert_plan_is_new_folder(output, plan->sources.are_many || job_count > 1);
    for (uint32_t i = 0; i < plan->sources.count; i++)
        has_stdin |= path_is_stream(plan->sources.files[i]);
    if (has_stdin && (into_folder || !output))
        return report_usage(command, "standard input has no name; give the output one");
    if (job_count > 1 && output && !into_folder && !error)
        return report_usage(command, "several inputs need a folder, which '%s' is not", output);
    if (job_count > 1 && output && !into_folder) {
        tenon_error err = report_make(TENON_ERR_IO, "cannot be accessed: %s", strerror(error));
        return report_error(output, &err);
    }
    if (!plan->to && output && !into_folder && !opts->added && !opts->removed) {
        status = convert_plan_find_output_format(plan, command, output);
        if (status != CLI_GO_ON) return status;
    }
    if (!convert_plan_add_jobs(plan, job_count, into_folder)) return report_no_memory();
    plan->is_in_order = convert_plan_reads_outputs(plan, into_folder);
    plan->lock = workers_lock_new();
    if (!plan->lock) return report_no_memory();
    plan->is_into_folder = into_folder;
    status = convert_plan_reserve_outputs(plan, into_folder);
    if (status == CLI_GO_ON && plan->shard_count) convert_plan_keep_shard(plan);
    return status == CLI_GO_ON ? convert_plan_create_folders(plan) : status;
}

void convert_plan_free(convert_plan *plan)
{
    tenon_error ignored;
    if (plan->has_manifest) (void)manifest_close(&plan->manifest, &ignored);
    convert_remove_created(&plan->created_folders);
    for (uint32_t i = 0; i < plan->job_count; i++) free(plan->jobs[i].out);
    free(plan->jobs);
    free(plan->inputs);
    claims_free(&plan->claims);
    workers_lock_free(plan->lock);
    inputs_free(&plan->sources);
    summary_free(&plan->summary);
    *plan = (convert_plan){0};
}
