// convert_sidecars.c: copies the sidecars of a model to where the model is written.
// SPDX-License-Identifier: MIT

#include "convert/convert_job.h"
#include "convert/convert_output.h"
#include "input/job.h"
#include "system/guard.h"

#include <errno.h>
#include <string.h>

// Replace the names of sidecars by their paths beside a model; "" for one that must not be used.
static bool convert_sidecars_find_paths(file_list *list, const char *model_file)
{
    file_list names = *list;
    *list = (file_list){.failed = names.failed};
    for (uint32_t i = 0; i < names.count; i++) {
        char path[PATH_SIZE];
        const char *name = names.names[i];
        // A failure of the system also gives false. If it is temporary, trying again is enough; if
        // not, the output cannot be created, which is reported.
        if (!path_beside(model_file, name, path) && !path_beside(model_file, name, path))
            path[0] = '\0';
        file_list_take(list, path);
    }
    file_list_free(&names);
    return !list->failed;
}

static bool convert_sidecars_is_regular(const char *path, tenon_file_info *info)
{
    const tenon_files *files = guard_files();
    return *path && files->look(files->user, path, info) == 0 && info->kind == TENON_FILE_REGULAR;
}

// Whether a sidecar has to be copied: it exists, and is not yet at the other path, where a texture
// of several models may be.
static bool convert_sidecars_needs_copy(const char *model_file, const char *from, const char *to)
{
    tenon_file_info from_info, to_info;
    const tenon_files *files = guard_files();
    if (!*to || !*from) return false;
    int error = files->look(files->user, from, &from_info);
    if (error == ENOENT || error == ENOTDIR) return false;
    if (error) return true;  // Copying it will say why it cannot be read.
    if (from_info.kind != TENON_FILE_REGULAR) return false;
    if (!convert_sidecars_is_regular(to, &to_info)) return true;
    if (file_id_equal(from_info.id, to_info.id)) return false;
    if (from_info.size != to_info.size) return true;
    tenon_bytes first, second;
    tenon_read_opts read = {
        .allocator = job_allocator(), .files = guard_files(), .beside = model_file};
    tenon_error ignored;
    if (!tenon_load(from, &read, &first, &ignored)) return true;
    read.beside = NULL;
    bool is_same = tenon_load(to, &read, &second, &ignored);
    if (is_same) {
        is_same = first.size == second.size && memcmp(first.data, second.data, first.size) == 0;
        tenon_unload(&second);
    }
    tenon_unload(&first);
    return !is_same;
}

// List the names of all sidecars that a model can have, beside the input and beside the output.
static bool convert_sidecars_list(const convert_job *job, file_list *from, file_list *to,
                                  tenon_error *err)
{
    const tenon_doc *doc = job->input.doc;
    if (!tenon_sidecars(doc, job->in, file_list_take, from) ||
        !tenon_sidecars(doc, job->out, file_list_take, to))
        return job_out_of_memory(err);
    if (strcmp(doc->format->name, "bbmod") != 0) return true;
    // Clips of a BBMOD model are separate files: MODEL_CLIP.bbanim.
    loaded_scene found = {0};
    const char *name = path_base_name(job->out);
    bool ok = scene_find_animations(&found, job->in, err);
    for (uint32_t i = 0; i < found.animation_count; i++) {
        char new_name[PATH_SIZE];
        (void)snprintf(new_name, sizeof new_name, "%.*s_%s.bbanim", (int)path_stem_size(name), name,
                       found.animations[i].clip);
        file_list_take(from, path_base_name(found.animations[i].file));
        file_list_take(to, new_name);
    }
    scene_unload(&found);
    return ok;
}

// Write a sidecar into the batch.
static bool convert_sidecars_copy(convert_job *job, const char *from, const char *to)
{
    const tenon_write_opts write = convert_write_opts(job->plan, job->batch);
    if (job->materials.text && materials_is_file(to))
        return tenon_save(to, job->materials.text, job->materials.size, &write, &job->err);
    const tenon_read_opts read = {
        .allocator = job_allocator(), .files = guard_files(), .beside = job->in};
    tenon_bytes bytes;
    if (!tenon_load(from, &read, &bytes, &job->err)) return false;
    bool ok = tenon_save(to, bytes.data, bytes.size, &write, &job->err);
    tenon_unload(&bytes);
    return ok;
}

bool convert_copy_sidecars(convert_job *job)
{
    file_list from = {0}, to = {0};
    if (path_is_stream(job->in) || path_is_stream(job->out) || job->opts->in_place) return true;
    bool ok = convert_sidecars_list(job, &from, &to, &job->err);
    if (ok && (!convert_sidecars_find_paths(&from, job->in) ||
               !convert_sidecars_find_paths(&to, job->out)))
        ok = job_out_of_memory(&job->err);
    uint32_t count = from.count < to.count ? from.count : to.count;
    for (uint32_t i = 0; ok && i < count; i++) {
        tenon_file_info info;
        bool is_merged = job->materials.text && materials_is_file(to.names[i]);
        if (is_merged || convert_sidecars_needs_copy(job->in, from.names[i], to.names[i])) continue;
        if (convert_sidecars_is_regular(from.names[i], &info) &&
            convert_sidecars_is_regular(to.names[i], &info))
            ok = convert_claim_existing(job, to.names[i]);
        to.names[i][0] = '\0';  // It is not copied.
    }
    for (uint32_t i = 0; ok && i < count; i++)
        ok = !*to.names[i] || (convert_may_write(job->plan, to.names[i], &job->err) &&
                               convert_claim(job, to.names[i]));
    for (uint32_t i = 0; ok && i < count && !job->opts->dry_run; i++)
        ok = !*to.names[i] || convert_sidecars_copy(job, from.names[i], to.names[i]);
    file_list_free(&from);
    file_list_free(&to);
    return ok;
}
