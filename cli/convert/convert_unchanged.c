// convert_unchanged.c: what has changed since an earlier run, and what the manifest says of it.
// SPDX-License-Identifier: MIT

#include "convert/convert_unchanged.h"

#include "batch/manifest_text.h"
#include "convert/convert_output.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MARK ".tenon-"  // In the names of temporary files, before 16 digits.

// -- Shards

bool convert_read_shard(const char *text, uint64_t *shard, uint64_t *count)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    *shard = strtoull(text, &end, 10);
    if (*end != '/' || end[1] < '0' || end[1] > '9') return false;
    *count = strtoull(end + 1, &end, 10);
    return !*end && *shard >= 1 && *shard <= *count && *count <= 1000000;
}

bool convert_shard_has(uint64_t shard, uint64_t count, const char *name)
{
    if (count == 0) return true;
    uint64_t hash = text_hash(name);
    hash ^= hash >> 32;
    return hash % count == shard - 1;
}

// -- The key

// A value, as the bytes or the text that it was.
static void convert_hash_value(hash_state *state, const cli_option *option, const char *opts)
{
    const void *value = opts + option->field;
    const cli_list *list = value;
    const cli_format *format = value;
    switch (option->kind) {
    case CLI_FLAG:
        hash_add(state, value, sizeof(bool));
        break;
    case CLI_TEXT:
    case CLI_FILE:
    case CLI_DIALECT:
    case CLI_PROFILE:
        hash_add_text(state, *(char *const *)value ? *(char *const *)value : "");
        break;
    case CLI_LIST:
    case CLI_FILES:
        for (uint32_t i = 0; i < list->count; i++) hash_add_text(state, list->values[i]);
        break;
    case CLI_FORMAT:
        hash_add_text(state, format->format ? format->format->name : "");
        hash_add_text(state, format->dialect ? format->dialect->name : "");
        break;
    case CLI_CHOICE:
    case CLI_WORDS:
        hash_add(state, value, sizeof(uint32_t));
        break;
    case CLI_SIZE:
    case CLI_OFFSET:
        hash_add(state, value, sizeof(uint64_t));
        break;
    case CLI_NUMBER:
    case CLI_AMOUNT:
        hash_add(state, value, sizeof(double));
        break;
    }
}

static void convert_hash_options(convert_plan *plan, const cli_command *command)
{
    hash_state state;
    const cli_option *option;
    char content[HASH_SIZE] = "";
    hash_begin(&state);
    hash_add_text(&state, tenon_version());
    for (uint32_t i = 0; (option = cli_option_at(command, i)); i++) {
        bool counts = cli_option_is_own(command, option) || strcmp(option->long_name, "from") == 0;
        if (!counts || option->is_of_run) continue;
        hash_add_text(&state, option->long_name);
        convert_hash_value(&state, option, (const char *)plan->opts);
    }
    if (plan->opts->model) (void)trace_hash_file(plan->opts->model, content);
    hash_add_text(&state, content);
    hash_end(&state, plan->options_hash);
}

bool convert_is_unchanged(convert_job *job)
{
    const convert_plan *plan = job->plan;
    hash_state state;
    if (!plan->has_manifest) return false;
    const char *output = manifest_below(&plan->manifest, job->out);
    if (!output) return false;
    hash_begin(&state);
    hash_add_text(&state, plan->options_hash);
    hash_add_text(&state, job->in);
    hash_add_text(&state, output);
    hash_end(&state, job->key);
    const planned_job *planned = &plan->jobs[job->number];
    const manifest_seen seen = {job->in, planned->in_stamp, planned->out_stamp};
    return manifest_is_current(&plan->manifest, output, job->key, &seen);
}

// -- Recording

// The hash of a file that was written, whose name the temporary's name begins with. Takes it out.
static const char *convert_find_written(trace *files, const char *path)
{
    const char *name = path_base_name(path);
    for (uint32_t i = 0; i < files->output_count; i++) {
        trace_file *output = &files->outputs[i];
        const char *temporary = output->path ? path_base_name(output->path) : "";
        size_t size = strlen(temporary), end = strlen(MARK) + 16;
        if (size <= end || temporary[0] != '.') continue;
        size -= end + 1;
        // A long name is cut.
        bool is_same = strncmp(name, temporary + 1, size) == 0 && (!name[size] || size > 100);
        if (!is_same) continue;
        free(output->path);
        output->path = NULL;
        return output->hash;
    }
    return "";
}

static bool convert_is_of_output(const convert_plan *plan, const char *path)
{
    size_t size = strlen(plan->manifest.folder);
    return strncmp(path, plan->manifest.folder, size) == 0 || strcmp(path, plan->output) == 0;
}

// Files are complete now: those that were not read to their end are read again.
static uint32_t convert_list_used(convert_job *job, const char *(*used)[3])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < job->files.input_count; i++) {
        trace_file *input = &job->files.inputs[i];
        if (input->hash[0] == '?' || convert_is_of_output(job->plan, input->path)) continue;
        if (!input->hash[0]) (void)trace_hash_file(input->path, input->hash);
        used[count][0] = input->path;
        used[count][1] = input->is_recent ? "" : input->stamp;
        used[count++][2] = input->hash;
    }
    return count;
}

bool convert_record(convert_job *job)
{
    manifest *all = &job->plan->manifest;
    uint32_t most = job->written.count + job->shared.count;
    const char *(*used)[3] = calloc(job->files.input_count + 1, sizeof *used);
    const char *(*made)[3] = calloc(most + 1, sizeof *made);
    char(*hashes)[HASH_SIZE] = calloc(job->shared.count + 1, sizeof *hashes);
    char here[PATH_SIZE], source[2 * PATH_SIZE];
    const tenon_files *files = tenon_system_files();
    bool is_relative =
        job->in[0] != '/' && files->resolve(files->user, ".", here, sizeof here) == 0;
    (void)snprintf(source, sizeof source, "%s%s%s", is_relative ? here : "", is_relative ? "/" : "",
                   job->in);
    manifest_record record = {.output = manifest_below(all, job->out),
                              .key = job->key,
                              .source = source,
                              .used = used,
                              .made = made};
    bool ok = used && made && hashes && !job->files.failed;
    if (ok) record.used_count = convert_list_used(job, used);
    for (uint32_t i = 0; ok && i < most; i++) {
        bool is_shared = i >= job->written.count;
        uint32_t k = is_shared ? i - job->written.count : i;
        const char *path = is_shared ? job->shared.names[k] : job->written.names[k];
        const char *name = manifest_below(all, path);
        if (!name) continue;
        if (is_shared) (void)trace_hash_file(path, hashes[k]);
        made[record.made_count][0] = name;
        made[record.made_count][1] = "";
        made[record.made_count++][2] =
            is_shared ? hashes[k] : convert_find_written(&job->files, path);
    }
    if (ok) {
        ok = manifest_add(all, &record);
        if (!ok) job->err = report_make(TENON_ERR_IO, "the manifest cannot be written");
    } else {
        job->err = report_make(TENON_ERR_MEMORY, "out of memory");
    }
    job->is_recorded = ok;
    if (ok) job->manifest_line = manifest_last(all);
    free((void *)used);
    free((void *)made);
    free(hashes);
    return ok;
}

// -- The manifest

// Remove the temporary files of a run that was killed, also from folders in which nothing has to be
// written again: every writer removes what others left before it creates a file of its own, which
// a batch that is not committed removes.
static void convert_remove_leftovers(const convert_plan *plan)
{
    for (uint32_t i = 0; i < plan->job_count; i++) {
        const char *out = plan->jobs[i].out;
        size_t size = (size_t)(path_base_name(out) - out);
        bool is_same = i > 0 && path_has_same_folder(out, plan->jobs[i - 1].out);
        char path[PATH_SIZE];
        tenon_error err;
        if (is_same || size + 16 > sizeof path) continue;
        (void)snprintf(path, sizeof path, "%.*s%s", (int)size, out, MARK "leftovers");
        tenon_write_opts opts = {.files = guard_output_files(),
                                 .batch = tenon_batch_new(NULL, &err)};
        if (opts.batch) (void)tenon_save(path, "", 0, &opts, &err);
        tenon_batch_free(opts.batch);
    }
}

int convert_open_manifest(convert_plan *plan, const cli_command *command)
{
    const convert_opts *opts = plan->opts;
    bool is_dry = opts->dry_run || opts->check_only;
    if (!opts->skip_unchanged && !opts->prune && !opts->check_only) return CLI_GO_ON;
    if (!plan->is_into_folder)
        return report_usage(command, "'--%s' needs '-o FOLDER'",
                            opts->check_only ? "check-only"
                            : opts->prune    ? "prune"
                                             : "skip-unchanged");
    convert_hash_options(plan, command);
    plan->has_manifest = true;
    int status =
        manifest_open(&plan->manifest, plan->output, plan->shard, plan->shard_count, is_dry);
    if (plan->manifest.was_killed) convert_remove_leftovers(plan);
    return status;
}

// What pruning reports.
typedef struct pruning {
    convert_plan *plan;
    int worst;
} pruning;

static bool convert_prune_is_wanted(void *user, const char *output)
{
    convert_plan *plan = ((pruning *)user)->plan;
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s%s", plan->manifest.folder, output);
    return claims_has(&plan->claims, path);
}

static void convert_prune_report(void *user, const char *path, bool is_removed)
{
    pruning *all = user;
    const convert_opts *opts = all->plan->opts;
    bool is_stale = opts->check_only && is_removed;
    if (!is_removed && all->worst < CLI_USAGE) all->worst = CLI_USAGE;
    if (is_stale && all->worst < CLI_FAILED) all->worst = CLI_FAILED;
    if (opts->common.json) {
        json_out json = {.to = stdout};
        json_begin(&json, NULL, '{');
        json_text(&json, "file", path);
        json_bool(&json, "removed", is_removed && !opts->dry_run && !opts->check_only);
        json_end(&json, '}');
        json_line(&json);
        return;
    }
    if (is_removed && opts->common.quiet && !is_stale) return;
    report_note(path, !is_removed        ? "its input is gone, but it was changed since it was "
                                           "written: not removed"
                      : opts->check_only ? "its input is gone"
                      : opts->dry_run    ? "its input is gone: would be removed"
                                         : "its input is gone: removed");
}

int convert_close_manifest(convert_plan *plan, bool is_complete)
{
    const convert_opts *opts = plan->opts;
    pruning all = {.plan = plan, .worst = CLI_OK};
    tenon_error err;
    if (!plan->has_manifest) return CLI_OK;
    bool is_dry = opts->dry_run || opts->check_only;
    if (is_complete && (opts->prune || opts->check_only))
        manifest_prune(&plan->manifest, is_dry, convert_prune_is_wanted, convert_prune_report,
                       &all);
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s", plan->manifest.path ? plan->manifest.path : "");
    plan->has_manifest = false;
    if (manifest_close(&plan->manifest, &err)) return all.worst;
    int status = report_error(path, &err);
    return status > all.worst ? status : all.worst;
}
