// convert_plan.c: which file becomes which, decided before anything is written.
// SPDX-License-Identifier: MIT

#include "convert/convert_plan.h"

#include "import/import_format.h"
#include "input/model.h"
#include "report/report.h"
#include "system/guard.h"
#include "system/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE       4096
#define SHOWN_SIZE      144  // Of a path in a message, which has to have room for the rest.
#define EXTENSION_COUNT (sizeof((tenon_format *)0)->extensions / sizeof(const char *))

static bool is_dash(const char *file)
{
    return strcmp(file, "-") == 0;
}

// -- The words of the command line

// The inputs, and where they go: NULL if each is changed in its place.
typedef struct words {
    char **inputs;
    uint32_t input_count;
    const char *output;
    uint32_t job_count;  // Inputs that get an output of their own: with --merge, the first.
} words;

static int split(words *w, const cli_command *command, const convert_opts *opts)
{
    char **operands = opts->common.operands;
    uint32_t count = opts->common.operand_count;
    *w = (words){.inputs = operands, .input_count = count, .output = opts->output};
    if (opts->in_place) {
        if (opts->output)
            return report_usage(command, "'--in-place' and '--output' exclude each other");
        return CLI_GO_ON;
    }
    if (opts->output) return CLI_GO_ON;
    if (count == 1) return report_usage(command, "OUT is missing");
    if (count > 2) return report_usage(command, "several inputs need '-o FOLDER'");
    w->input_count = 1;
    w->output = operands[1];
    return CLI_GO_ON;
}

// Returns the system's error; it is none that nothing is there.
static int look_for_folder(const char *path, bool *is_there)
{
    tenon_file_info info;
    const tenon_files *files = guard_files();
    int error = files->look(files->user, path, &info);
    *is_there = error == 0 && info.kind == TENON_FILE_FOLDER;
    return error == ENOENT || error == ENOTDIR ? 0 : error;
}

static bool folder_exists(const char *path)
{
    bool is_there;
    return look_for_folder(path, &is_there) == 0 && is_there;
}

// Folders among the inputs become the models in them.
static int expand(convert_plan *plan, words *w, const convert_opts *opts)
{
    const folder_search search = {
        .recursive = opts->recursive, .only_models = true, .output = w->output};
    int status = inputs_find(&plan->sources, w->inputs, w->input_count, &search, &plan->summary);
    w->inputs = plan->sources.files;
    w->input_count = plan->sources.count;
    return status;
}

// With --merge, all inputs become one output.
static int group(words *w, const cli_command *command, const convert_opts *opts)
{
    w->job_count = w->input_count;
    if (!opts->merge) return CLI_GO_ON;
    if (!opts->output)
        return report_usage(command, "'--merge' needs '-o FILE'; all operands are inputs");
    if (w->input_count < 2) return report_usage(command, "'--merge' needs two inputs or more");
    w->job_count = 1;
    return CLI_GO_ON;
}

static int check_streams(const cli_command *command, const convert_opts *opts, const words *w)
{
    bool to_stdout = w->output && is_dash(w->output);
    bool report_to_stdout = opts->report && is_dash(opts->report);
    if (model_stdin_is_repeated(w->inputs, w->input_count))
        return report_usage(command, "standard input can be read only once");
    if (to_stdout + report_to_stdout + opts->common.json > 1)
        return report_usage(command, "only one thing can go to standard output");
    if (to_stdout && out_is_terminal(stdout) && !opts->force && !opts->dry_run)
        return report_usage(command, "a model is not for a terminal; '--force' prints it");
    return CLI_GO_ON;
}

// -- The format to write

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool has_extension(const tenon_format *format, const char *extension)
{
    for (size_t i = 0; i < EXTENSION_COUNT && format->extensions[i]; i++) {
        const char *want = format->extensions[i], *have = extension;
        while (*want && lower(*have) == *want) want++, have++;
        if (!*want && !*have) return true;
    }
    return false;
}

// A name like "robot.gpb" says what it should be. One without an extension says nothing.
static int format_of_name(convert_plan *plan, const cli_command *command, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *dot = strrchr(slash ? slash + 1 : name, '.');
    if (!dot || is_dash(name)) return CLI_GO_ON;
    for (uint32_t i = 0; (plan->to = tenon_format_at(i)); i++)
        if (has_extension(plan->to, dot + 1)) return CLI_GO_ON;
    const import_format *imported = import_format_by_name(name);
    char why[256];
    if (imported) {
        import_refuse_writing(imported, why, sizeof why);
        return report_usage(command, "%s", why);
    }
    return report_usage(command, "no format has files named '*%s'; say with '--to' what to write",
                        dot);
}

// -- Outputs

// By its spelling, or because there is one.
static int look_at_output(const char *path, bool *is_folder)
{
    size_t size = strlen(path);
    *is_folder = size > 0 && path[size - 1] == '/';
    return *is_folder ? 0 : look_for_folder(path, is_folder);
}

// The input's name in that folder, with an extension that fits what is written (NULL: the same). It
// may have folders, which are made there as well.
static char *join(const char *folder, const char *name, const cli_format *written)
{
    const tenon_format *to = written->format;
    const tenon_dialect *dialect = written->dialect;
    const char *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name, *dot = strrchr(last, '.');
    size_t folder_size = strlen(folder), stem_size = strlen(name);
    bool has_slash = folder_size > 0 && folder[folder_size - 1] == '/';
    const char *extension = "";
    if (to && !(dot && has_extension(to, dot + 1) && !dialect)) {
        bool is_own = dialect && has_extension(to, dialect->name);
        extension = is_own ? dialect->name : to->extensions[0];
        if (dot && dot != last) stem_size = (size_t)(dot - name);
    }
    size_t size = folder_size + 1 + stem_size + 1 + strlen(extension) + 1;
    char *path = malloc(size);
    if (path)
        (void)snprintf(path, size, "%s%s%.*s%s%s", folder, has_slash ? "" : "/", (int)stem_size,
                       name, *extension ? "." : "", extension);
    return path;
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *made = malloc(size);
    return made ? memcpy(made, text, size) : NULL;
}

// False if memory ran out.
static bool add_jobs(convert_plan *plan, const words *w, const convert_opts *opts, bool into_folder)
{
    size_t input_most = (size_t)w->input_count + opts->clips_from.count + 1;
    plan->jobs = calloc(w->job_count, sizeof *plan->jobs);
    plan->inputs = calloc(input_most, sizeof *plan->inputs);
    if (!plan->jobs || !plan->inputs) return false;
    plan->job_count = w->job_count;
    plan->merged = w->inputs + w->job_count;
    plan->merged_count = w->input_count - w->job_count;
    for (uint32_t i = 0; i < w->job_count; i++) {
        convert_job *job = &plan->jobs[i];
        job->in = w->inputs[i];
        const char *slash = strrchr(job->in, '/'), *name = slash ? slash + 1 : job->in;
        job->is_from_folder = plan->sources.has_folder && plan->sources.folder_sizes[i] > 0;
        if (job->is_from_folder) name = job->in + plan->sources.folder_sizes[i];
        job->out =
            into_folder ? join(w->output, name, &opts->to) : copy(w->output ? w->output : job->in);
        if (!job->out) return false;
    }
    return true;
}

// -- Which files they are

static bool identify(const char *file, tenon_file_id *id)
{
    const tenon_files *files = guard_files();
    if (!is_dash(file)) return tenon_file_identify(files, file, id);
    tenon_file_info info;
    if (files->stat(files->user, tenon_stdin(), &info) != 0) return false;
    *id = info.id;
    return info.kind == TENON_FILE_REGULAR;
}

static void add_input(convert_plan *plan, const char *file)
{
    if (identify(file, &plan->inputs[plan->input_count])) plan->input_count++;
}

static void identify_all(convert_plan *plan, const convert_opts *opts)
{
    for (uint32_t i = 0; i < plan->job_count; i++) {
        convert_job *job = &plan->jobs[i];
        add_input(plan, job->in);
        job->out_exists = !is_dash(job->out) && identify(job->out, &job->out_id);
    }
    for (uint32_t i = 0; i < plan->merged_count; i++) add_input(plan, plan->merged[i]);
    for (uint32_t i = 0; i < opts->clips_from.count; i++)
        add_input(plan, opts->clips_from.values[i]);
    if (opts->model) add_input(plan, opts->model);
}

static bool same(tenon_file_id a, tenon_file_id b)
{
    return a.device == b.device && a.inode == b.inode;
}

static int reserve_output(const convert_plan *plan, const cli_command *command, uint32_t index)
{
    convert_job *job = &plan->jobs[index];
    const claim *other;
    bool is_by_case;
    if (is_dash(job->out)) return CLI_GO_ON;
    if (!claims_reserve(plan->claims, job->out, index, &other, &is_by_case))
        return report_no_memory();
    if (!other) return CLI_GO_ON;
    // One file of a folder stops no other.
    if (job->is_from_folder) job->conflicting_input = plan->jobs[other->owner].in;
    if (job->is_from_folder) return CLI_GO_ON;
    return report_usage(command, "'%s' and '%s' would both be written to '%s'%s",
                        plan->jobs[other->owner].in, job->in, job->out,
                        is_by_case ? ": case does not count there" : "");
}

// No two outputs are one file, by one name or by two that lead to it; nor is the report.
static int reserve(convert_plan *plan, const cli_command *command, const char *report)
{
    int status = CLI_GO_ON;
    const claim *other = NULL;
    bool is_by_case;
    plan->claims = calloc(1, sizeof *plan->claims);
    if (!plan->claims) return report_no_memory();
    for (uint32_t i = 0; i < plan->job_count && status == CLI_GO_ON; i++)
        status = reserve_output(plan, command, i);
    if (status != CLI_GO_ON || !report || is_dash(report)) return status;
    if (!claims_reserve(plan->claims, report, CLAIM_REPORT, &other, &is_by_case))
        return report_no_memory();
    if (!other) return CLI_GO_ON;
    return report_usage(command, "'%s' would be both output and report", report);
}

// -- Folders of outputs

// The folder of `path`, without the slash at its end; "." if it names none.
static void find_folder(const char *path, char folder[PATH_SIZE])
{
    const char *slash = strrchr(path, '/');
    int size = slash ? (int)(slash - path) : 1;
    (void)snprintf(folder, PATH_SIZE, "%.*s", size ? size : 1, slash ? path : ".");
}

// Create the folder of a file to be written, with those above it; or see whether that could be
// done.
static bool provide_folder(const convert_plan *plan, const char *path, bool is_dry,
                           tenon_error *err)
{
    char folder[PATH_SIZE];
    find_folder(path, folder);
    if (is_dash(path) || folder_exists(folder)) return true;
    if (is_dry ? folder_can_create(folder) : folder_create(plan->created_folders, folder))
        return true;
    *err = report_make(TENON_ERR_IO, "the folder cannot be created: %s", strerror(errno));
    return false;
}

// Before all the work is done.
static int provide_folders(const convert_plan *plan, const convert_opts *opts)
{
    tenon_error err;
    char folder[PATH_SIZE];
    for (uint32_t i = 0; i <= plan->job_count; i++) {
        bool is_report = i == plan->job_count;  // A dry run writes it as well.
        const char *path = is_report ? opts->report : plan->jobs[i].out;
        if (!path || provide_folder(plan, path, opts->dry_run && !is_report, &err)) continue;
        find_folder(path, folder);
        return report_error(folder, &err);
    }
    return CLI_GO_ON;
}

// Several inputs cannot have this output; `error` if it could not be seen what it is.
static int refuse_output(const cli_command *command, const char *path, int error)
{
    if (!error)
        return report_usage(command, "several inputs need a folder, which '%s' is not", path);
    tenon_error err = report_make(TENON_ERR_IO, "cannot be looked at: %s", strerror(error));
    return report_error(path, &err);
}

// -- The plan

int convert_plan_make(convert_plan *plan, const cli_command *command, const convert_opts *opts)
{
    *plan = (convert_plan){.to = opts->to.format};
    words w;
    int status = split(&w, command, opts);
    if (status == CLI_GO_ON) status = expand(plan, &w, opts);
    if (status == CLI_GO_ON) status = group(&w, command, opts);
    if (status == CLI_GO_ON) status = check_streams(command, opts, &w);
    if (status != CLI_GO_ON) return status;

    bool into_folder = false, has_stdin = false;
    int error = w.output && !is_dash(w.output) ? look_at_output(w.output, &into_folder) : 0;
    for (uint32_t i = 0; i < w.input_count; i++) has_stdin |= is_dash(w.inputs[i]);
    if (has_stdin && (into_folder || !w.output))
        return report_usage(command, "standard input has no name; give the output one");
    if (w.job_count > 1 && w.output && !into_folder) return refuse_output(command, w.output, error);
    if (!plan->to && w.output && !into_folder) {
        status = format_of_name(plan, command, w.output);
        if (status != CLI_GO_ON) return status;
    }
    if (!add_jobs(plan, &w, opts, into_folder)) return report_no_memory();
    identify_all(plan, opts);
    plan->created_folders = calloc(1, sizeof *plan->created_folders);
    plan->written_files = calloc(1, sizeof *plan->written_files);
    if (!plan->created_folders || !plan->written_files) return report_no_memory();
    status = provide_folders(plan, opts);
    return status == CLI_GO_ON ? reserve(plan, command, opts->report) : status;
}

void convert_plan_free(convert_plan *plan)
{
    if (plan->created_folders) folder_remove_created(plan->created_folders);
    free(plan->created_folders);
    if (plan->written_files) file_list_free(plan->written_files);
    free(plan->written_files);
    for (uint32_t i = 0; i < plan->job_count; i++) free(plan->jobs[i].out);
    free(plan->jobs);
    free(plan->inputs);
    if (plan->claims) claims_free(plan->claims);
    free(plan->claims);
    inputs_free(&plan->sources);
    summary_free(&plan->summary);
    *plan = (convert_plan){0};
}

// The number by which files are claimed.
static uint32_t owner(const convert_plan *plan, const convert_job *job)
{
    return (uint32_t)(job - plan->jobs);
}

bool convert_claim(const convert_plan *plan, const convert_opts *opts, const convert_job *job,
                   const char *path, tenon_error *err)
{
    if (is_dash(path)) return true;
    // As in the name of the output, which may have no folder.
    bool is_plain = strncmp(path, "./", 2) == 0 && strncmp(job->out, "./", 2) != 0;
    if (!file_list_add(plan->written_files, "", is_plain ? path + 2 : path)) {
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
        return false;
    }
    // Side files with the same bytes are shared, but only what is written can be compared.
    if (opts->dry_run && strcmp(path, job->out) != 0)
        return convert_claim_existing(plan, job, path, err);
    return claims_take(plan->claims, path, owner(plan, job), err);
}

bool convert_claim_existing(const convert_plan *plan, const convert_job *job, const char *path,
                            tenon_error *err)
{
    return claims_share(plan->claims, path, owner(plan, job), err);
}

void convert_release_claims(const convert_plan *plan, const convert_job *job)
{
    claims_release(plan->claims, owner(plan, job));
}

// -- Whether a file can be written

static bool cannot_create(const char *path, int error, tenon_error *err)
{
    size_t size = strlen(path);
    bool is_long = size > SHOWN_SIZE;
    *err = report_make(TENON_ERR_IO, "cannot create '%s%s': %s", is_long ? "..." : "",
                       is_long ? path + size - SHOWN_SIZE : path, strerror(error));
    return false;
}

// Whether a file can get a name there. Where links lead, it gets it.
static bool folder_takes(const convert_plan *plan, const convert_opts *opts, const char *path,
                         tenon_error *err)
{
    const tenon_files *files = guard_files();
    char place[PATH_SIZE], folder[PATH_SIZE];
    bool is_there;
    find_folder(path, folder);
    if (look_for_folder(folder, &is_there) == 0 && !is_there)
        return provide_folder(plan, path, opts->dry_run, err);
    int error = files->resolve(files->user, path, place, sizeof place);
    if (error == ENOSYS) return true;
    find_folder(place, folder);
    if (error == 0) error = platform_may_create(folder);
    return error == 0 || cannot_create(path, error, err);
}

// By its id, or by its name: an input that could not be looked at has no id.
static bool is_input(const convert_plan *plan, const char *path, tenon_file_id id)
{
    bool found = false;
    for (uint32_t i = 0; i < plan->input_count; i++) found |= same(id, plan->inputs[i]);
    for (uint32_t i = 0; i < plan->job_count; i++) found |= strcmp(path, plan->jobs[i].in) == 0;
    return found;
}

// Whether there is a link, though nothing is where it leads: open_write() does not follow it.
static bool is_link(const char *path)
{
    tenon_file file;
    const tenon_files *files = guard_files();
    int error = files->open_write(files->user, path, &file);
    if (error == 0) (void)files->close(files->user, file);
    return error == ELOOP;
}

bool convert_may_write(const convert_plan *plan, const convert_opts *opts, const char *path,
                       tenon_error *err)
{
    tenon_file_info info;
    const tenon_files *files = guard_files();
    if (is_dash(path)) return true;
    int error = files->look(files->user, path, &info);
    if (error == ENOENT && !opts->force && is_link(path)) {
        *err = report_make(TENON_ERR_EXISTS, "'%s' is a link", path);
        return false;
    }
    if (error == ENOENT) return folder_takes(plan, opts, path, err);
    if (error) return cannot_create(path, error, err);
    bool is_folder = info.kind == TENON_FILE_FOLDER, is_disk = info.kind == TENON_FILE_DISK;
    bool is_pipe = info.kind != TENON_FILE_REGULAR;
    bool is_taken = !is_pipe && is_input(plan, path, info.id);
    if (is_folder || is_disk)
        *err = report_make(TENON_ERR_IO, "'%s' is a %s", path, is_folder ? "folder" : "disk");
    else if (is_taken && !opts->in_place)
        *err = report_make(TENON_ERR_EXISTS, "'%s' is the input", path);
    else if (!is_pipe && !is_taken && !opts->force)
        *err = report_make(TENON_ERR_EXISTS, "'%s' exists", path);
    else
        return is_pipe || folder_takes(plan, opts, path, err);
    return false;
}
