// convert_output.c: the files of a job: claims, one transaction, whether they may be written, and
// the folders that they need.
// SPDX-License-Identifier: MIT

#include "convert/convert_output.h"

#include "input/job.h"
#include "report/report.h"
#include "system/guard.h"
#include "system/platform.h"

#include <errno.h>
#include <string.h>

#define SHOWN_SIZE   144  // Of a path in a message, which needs room for the reason.
#define CREATE_TRIES 16   // For a folder, while other runs remove those above it.

// The library compares each output with all inputs; of more than so many, only
// convert_may_write() does, which is faster.
#define INPUTS_MOST 1000

// -- The files of a job

bool convert_claim(convert_job *job, const char *path)
{
    if (path_is_stream(path)) return true;
    // As in the name of the output, which may have no folder.
    bool is_plain = strncmp(path, "./", 2) == 0 && strncmp(job->out, "./", 2) != 0;
    if (!file_list_add(&job->written, "", is_plain ? path + 2 : path))
        return job_out_of_memory(&job->err);
    if (job->is_deferred) return true;
    // Jobs share sidecars with the same bytes, but a dry run has no bytes to compare.
    bool shares = job->opts->dry_run && strcmp(path, job->out) != 0;
    return claims_take(&job->plan->claims, path, job->number, shares, &job->err);
}

bool convert_claim_existing(convert_job *job, const char *path)
{
    if (job->is_deferred)
        return file_list_add(&job->shared, "", path) || job_out_of_memory(&job->err);
    return claims_take(&job->plan->claims, path, job->number, true, &job->err);
}

tenon_write_opts convert_write_opts(const convert_plan *plan, tenon_batch *batch)
{
    return (tenon_write_opts){.force = plan->opts->force || plan->has_manifest,
                              .inputs = plan->inputs,
                              .input_count =
                                  plan->input_count < INPUTS_MOST ? plan->input_count : 0,
                              .files = guard_output_files(),
                              .batch = batch};
}

// -- Folders

void convert_find_folder(const char *path, char folder[PATH_SIZE])
{
    const char *slash = strrchr(path, '/');
    int size = slash ? (int)(slash - path) : 1;
    (void)snprintf(folder, PATH_SIZE, "%.*s", size ? size : 1, slash ? path : ".");
}

int convert_look_for_folder(const char *path, bool *is_folder)
{
    tenon_file_info info;
    const tenon_files *files = guard_output_files();
    int error = files->look(files->user, path, &info);
    *is_folder = error == 0 && info.kind == TENON_FILE_FOLDER;
    return error == ENOENT || error == ENOTDIR ? 0 : error;
}

// Create what is missing of the folders in `folder`. Another run may create them at the same time,
// or remove those that it has created and not used. Returns 0, or an errno value.
static int convert_output_make_folders(convert_plan *plan, char folder[PATH_SIZE])
{
    const tenon_files *files = guard_output_files();
    int error = 0;
    for (char *end = folder; *end && !error;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char next = *end;
        tenon_file_info info;
        *end = '\0';
        if (files->look(files->user, folder, &info) != 0) {
            error = platform_make_folder(folder);
            if (error == 0 && !file_list_add(&plan->created_folders, "", folder)) error = ENOMEM;
            if (error == EEXIST) error = files->look(files->user, folder, &info);
        } else if (info.kind != TENON_FILE_FOLDER) {
            error = ENOTDIR;
        }
        *end = next;
    }
    return error;
}

// Whether they could be created: in the lowest folder that exists. Returns 0, or an errno value.
static int convert_output_may_make_folders(char folder[PATH_SIZE])
{
    const tenon_files *files = guard_output_files();
    char above[PATH_SIZE];
    tenon_file_info info;
    while (files->look(files->user, folder, &info) != 0) {
        convert_find_folder(folder, above);
        if (strcmp(above, folder) == 0) return ENOENT;
        memcpy(folder, above, PATH_SIZE);
    }
    return info.kind == TENON_FILE_FOLDER ? platform_may_create(folder) : ENOTDIR;
}

bool convert_create_folder(convert_plan *plan, const char *path, bool is_dry, tenon_error *err)
{
    char folder[PATH_SIZE];
    bool exists;
    int error = ENOENT;
    if (path_is_stream(path)) return true;
    convert_find_folder(path, folder);
    if (convert_look_for_folder(folder, &exists) == 0 && exists) return true;
    if (is_dry) error = convert_output_may_make_folders(folder);
    for (int i = 0; i < CREATE_TRIES && !is_dry && error == ENOENT; i++) {
        workers_enter(plan->lock);
        error = convert_output_make_folders(plan, folder);
        workers_leave(plan->lock);
    }
    if (error == 0) return true;
    *err = report_make(TENON_ERR_IO, "cannot create the folder: %s", strerror(error));
    return false;
}

void convert_remove_created(file_list *created)
{
    for (uint32_t i = created->count; i-- > 0;) (void)platform_remove_folder(created->names[i]);
    file_list_free(created);
}

// -- Files

static bool convert_output_cannot_create(const char *path, int error, tenon_error *err)
{
    size_t size = strlen(path);
    bool is_long = size > SHOWN_SIZE;
    *err = report_make(TENON_ERR_IO, "cannot create '%s%s': %s", is_long ? "..." : "",
                       is_long ? path + size - SHOWN_SIZE : path, strerror(error));
    return false;
}

// Whether files can be created in the folder of `path`. A link is replaced where it leads.
static bool convert_output_folder_is_writable(convert_plan *plan, const char *path,
                                              bool may_be_link, tenon_error *err)
{
    const tenon_files *files = guard_output_files();
    char place[PATH_SIZE], folder[PATH_SIZE];
    bool exists;
    convert_find_folder(path, folder);
    if (convert_look_for_folder(folder, &exists) == 0 && !exists)
        return convert_create_folder(plan, path, plan->opts->dry_run, err);
    // Many files in a row are in one folder.
    static _Thread_local char writable[PATH_SIZE];
    if (!may_be_link && strcmp(folder, writable) == 0) return true;
    int error = files->resolve(files->user, path, place, sizeof place);
    if (error == ENOSYS) return true;
    convert_find_folder(place, folder);
    if (error == 0) error = platform_may_create(folder);
    if (error == 0 && !may_be_link) convert_find_folder(path, writable);
    return error == 0 || convert_output_cannot_create(path, error, err);
}

// By id, or by name: an input that could not be examined has no id.
static bool convert_output_is_input(const convert_plan *plan, const char *path, tenon_file_id id)
{
    if (convert_plan_has_input(plan, id)) return true;
    for (uint32_t i = 0; i < plan->job_count && plan->has_unknown_inputs; i++)
        if (strcmp(path, plan->jobs[i].in) == 0) return true;
    return false;
}

// Whether `path` is a link to a file that does not exist: open_write() does not follow it.
static bool convert_output_is_dangling_link(const char *path)
{
    tenon_file file;
    const tenon_files *files = guard_output_files();
    int error = files->open_write(files->user, path, &file);
    if (error == 0) (void)files->close(files->user, file);
    return error == ELOOP;
}

bool convert_may_write(convert_plan *plan, const char *path, tenon_error *err)
{
    const convert_opts *opts = plan->opts;
    tenon_file_info info;
    const tenon_files *files = guard_output_files();
    if (path_is_stream(path)) return true;
    if (platform_is_absent(path)) return convert_output_folder_is_writable(plan, path, false, err);
    int error = files->look(files->user, path, &info);
    bool may_be_link = (error == 0 || error == ENOENT) && platform_may_be_link(path, NULL);
    if (error == ENOENT && !opts->force && may_be_link && convert_output_is_dangling_link(path)) {
        *err = report_make(TENON_ERR_EXISTS, "'%s' is a link", path);
        return false;
    }
    if (error == ENOENT) return convert_output_folder_is_writable(plan, path, may_be_link, err);
    if (error) return convert_output_cannot_create(path, error, err);
    if (info.kind == TENON_FILE_FOLDER || info.kind == TENON_FILE_DISK) {
        *err = report_make(TENON_ERR_IO, "'%s' is a %s", path,
                           info.kind == TENON_FILE_FOLDER ? "folder" : "disk");
        return false;
    }
    if (info.kind != TENON_FILE_REGULAR) return true;  // A pipe or a device.
    bool is_the_input = convert_output_is_input(plan, path, info.id);
    bool is_ours = !is_the_input && plan->has_manifest && manifest_has_made(&plan->manifest, path);
    if (is_the_input ? opts->in_place : opts->force || is_ours)
        return convert_output_folder_is_writable(plan, path, may_be_link, err);
    *err = report_make(TENON_ERR_EXISTS, is_the_input ? "'%s' is the input" : "'%s' exists", path);
    if (!is_the_input && plan->has_manifest)
        (void)snprintf(err->note, sizeof err->note,
                       "no earlier run has written it as it is now; '--force' replaces it");
    return false;
}
