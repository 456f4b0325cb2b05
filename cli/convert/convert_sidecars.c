// convert_sidecars.c: copies the sidecars of a model to where the model is written.
// SPDX-License-Identifier: MIT

#include "convert/convert_sidecars.h"

#include "convert/convert_output.h"

#include "input/job.h"
#include "input/paths.h"
#include "input/scene_load.h"
#include "report/report.h"
#include "system/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The paths of all sidecars, for a model at one place.
typedef struct sidecar_paths {
    const char *model;
    file_list list;  // "" for a path that must not be used.
    bool failed;     // Out of memory.
} sidecar_paths;

static void convert_sidecars_add_path(void *user, const char *name)
{
    sidecar_paths *paths = user;
    char path[PATH_SIZE];
    if (paths->failed) return;
    tenon_str text = {name, (uint32_t)strlen(name)};
    // A failure of the system also gives false. If it is temporary, trying again is enough; if not,
    // the output cannot be created, which is reported.
    if (!tenon_file_beside(guard_files(), paths->model, text, path, sizeof path) &&
        !tenon_file_beside(guard_files(), paths->model, text, path, sizeof path))
        path[0] = '\0';
    paths->failed = !file_list_add(&paths->list, "", path);
}

static bool convert_sidecars_is_regular(const char *path, tenon_file_info *info)
{
    const tenon_files *files = guard_files();
    return *path && files->look(files->user, path, info) == 0 && info->kind == TENON_FILE_REGULAR;
}

static bool convert_sidecars_have_same_bytes(const char *model_file, const char *from,
                                             const char *to)
{
    tenon_bytes first, second;
    tenon_read_opts read = {
        .allocator = job_allocator(), .files = guard_files(), .beside = model_file};
    tenon_error ignored;
    if (!tenon_load(from, &read, &first, &ignored)) return false;
    read.beside = NULL;
    bool is_same = tenon_load(to, &read, &second, &ignored);
    if (is_same) {
        is_same = first.size == second.size && memcmp(first.data, second.data, first.size) == 0;
        tenon_unload(&second);
    }
    tenon_unload(&first);
    return is_same;
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
    return from_info.size != to_info.size ||
           !convert_sidecars_have_same_bytes(model_file, from, to);
}

// Clips of a BBMOD model are separate files: MODEL_CLIP.bbanim.
static bool convert_sidecars_add_animations(const convert_job *job, sidecar_paths *from,
                                            sidecar_paths *to, tenon_error *err)
{
    loaded_scene found = {0};
    const char *name = path_base_name(job->out);
    bool ok = scene_find_animations(&found, job->in, err);
    for (uint32_t i = 0; i < found.animation_count; i++) {
        char new_name[PATH_SIZE];
        (void)snprintf(new_name, sizeof new_name, "%.*s_%s.bbanim", (int)path_stem_size(name), name,
                       found.animations[i].clip);
        convert_sidecars_add_path(from, path_base_name(found.animations[i].file));
        convert_sidecars_add_path(to, new_name);
    }
    scene_unload(&found);
    return ok;
}

bool sidecars_find(sidecar_list *sidecars, const tenon_doc *doc, const merged_materials *materials,
                   const convert_job *job, convert_plan *plan, tenon_error *err)
{
    *sidecars = (sidecar_list){.model = job->in};
    if (path_is_stream(job->in) || path_is_stream(job->out) || plan->opts->in_place) return true;
    sidecar_paths from = {.model = job->in}, to = {.model = job->out};
    bool has_memory = tenon_sides(doc, job->in, convert_sidecars_add_path, &from) &&
                      tenon_sides(doc, job->out, convert_sidecars_add_path, &to);
    bool has_clips = strcmp(doc->format->name, "bbmod") == 0;
    bool ok = !has_clips || convert_sidecars_add_animations(job, &from, &to, err);
    uint32_t count = from.list.count < to.list.count ? from.list.count : to.list.count;
    sidecars->list = calloc((size_t)count + 1, sizeof *sidecars->list);
    if (ok && (!has_memory || from.failed || to.failed || !sidecars->list))
        ok = job_out_of_memory(err);
    for (uint32_t i = 0; ok && i < count; i++) {
        char **from_path = &from.list.names[i], **to_path = &to.list.names[i];
        const char *dot = strrchr(*to_path, '.');
        bool is_merged = materials->text && dot && strcmp(dot, ".material") == 0;
        if (is_merged || convert_sidecars_needs_copy(job->in, *from_path, *to_path)) {
            sidecars->list[sidecars->count++] =
                (sidecar){.from = *from_path,
                          .to = *to_path,
                          .text = is_merged ? materials->text : NULL,
                          .size = materials->size};
            *from_path = *to_path = NULL;
            continue;
        }
        tenon_file_info info;
        if (convert_sidecars_is_regular(*from_path, &info) &&
            convert_sidecars_is_regular(*to_path, &info))
            ok = convert_claim_existing(plan, job, *to_path, err);
    }
    file_list_free(&from.list);
    file_list_free(&to.list);
    for (uint32_t i = 0; ok && i < sidecars->count; i++)
        ok = convert_may_write(plan, sidecars->list[i].to, err) &&
             convert_claim(plan, job, sidecars->list[i].to, err);
    return ok;
}

bool sidecars_copy(const sidecar_list *sidecars, convert_plan *plan, tenon_batch *batch,
                   tenon_error *err)
{
    const tenon_write_opts write = convert_write_opts(plan, batch);
    const tenon_read_opts read = {
        .allocator = job_allocator(), .files = guard_files(), .beside = sidecars->model};
    for (uint32_t i = 0; i < sidecars->count; i++) {
        const sidecar *one = &sidecars->list[i];
        if (one->text) {
            if (!tenon_save(one->to, one->text, one->size, &write, err)) return false;
            continue;
        }
        tenon_bytes bytes;
        if (!tenon_load(one->from, &read, &bytes, err)) return false;
        bool ok = tenon_save(one->to, bytes.data, bytes.size, &write, err);
        tenon_unload(&bytes);
        if (!ok) return false;
    }
    return true;
}

void sidecars_free(sidecar_list *sidecars)
{
    for (uint32_t i = 0; i < sidecars->count; i++) {
        free(sidecars->list[i].from);
        free(sidecars->list[i].to);
    }
    free(sidecars->list);
    *sidecars = (sidecar_list){0};
}
