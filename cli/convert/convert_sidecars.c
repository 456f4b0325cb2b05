// convert_sidecars.c: the files beside a model that belong to it go where the model goes.
// SPDX-License-Identifier: MIT

#include "convert/convert_sidecars.h"

#include "convert/convert_output.h"

#include "input/job.h"
#include "input/scene_load.h"
#include "report/report.h"
#include "system/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096

// The paths of side files, for one place of the model.
typedef struct path_list {
    const char *model;
    char **paths;  // "" for one that must not be touched.
    uint32_t count;
    bool failed;  // Out of memory.
} path_list;

static void add_path(void *user, const char *name)
{
    path_list *list = user;
    char path[PATH_SIZE];
    if (list->failed) return;
    tenon_str text = {name, (uint32_t)strlen(name)};
    // The answer no may also come of a failure. If that lasts, the output cannot be created, which
    // is told; if it passes, asking again is enough.
    if (!tenon_file_beside(guard_files(), list->model, text, path, sizeof path) &&
        !tenon_file_beside(guard_files(), list->model, text, path, sizeof path))
        path[0] = '\0';
    char **longer = realloc(list->paths, (list->count + 1) * sizeof *longer);
    if (longer) list->paths = longer;
    char *copy = longer ? malloc(strlen(path) + 1) : NULL;
    list->failed = !copy;
    if (copy) list->paths[list->count++] = memcpy(copy, path, strlen(path) + 1);
}

static void free_paths(path_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) free(list->paths[i]);
    free(list->paths);
}

static bool exists(const char *path, tenon_file_info *info)
{
    const tenon_files *files = guard_files();
    return *path && files->look(files->user, path, info) == 0 && info->kind == TENON_FILE_REGULAR;
}

static bool have_same_bytes(const char *model_file, const char *from, const char *to)
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

// Whether there is surely no such file. Copying one that cannot be looked at says why.
static bool is_missing(const char *path)
{
    tenon_file_info info;
    const tenon_files *files = guard_files();
    int error = *path ? files->look(files->user, path, &info) : ENOENT;
    return error ? error == ENOENT || error == ENOTDIR : info.kind != TENON_FILE_REGULAR;
}

// Whether the file has to be copied: it is there, and its place is another one, where it is not
// yet, as a texture of several models might be.
static bool moves(const char *model_file, const char *from, const char *to)
{
    tenon_file_info a, b;
    if (!*to || is_missing(from)) return false;
    if (!exists(from, &a) || !exists(to, &b)) return true;
    bool is_itself = a.id.device == b.id.device && a.id.inode == b.id.inode;
    return !is_itself && (a.size != b.size || !have_same_bytes(model_file, from, to));
}

static bool is_material(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".material") == 0;
}

// Take the pairs that move out of the two lists.
static bool pair_up(sidecar_list *sides, path_list *from, path_list *to,
                    const merged_materials *materials)
{
    sides->list = calloc(from->count ? from->count : 1, sizeof *sides->list);
    if (!sides->list) return false;
    for (uint32_t i = 0; i < from->count && i < to->count; i++) {
        bool is_new = materials->text && is_material(to->paths[i]);
        if (!is_new && !moves(from->model, from->paths[i], to->paths[i])) continue;
        sides->list[sides->count++] = (sidecar){.from = from->paths[i],
                                                .to = to->paths[i],
                                                .text = is_new ? materials->text : NULL,
                                                .size = materials->size};
        from->paths[i] = to->paths[i] = NULL;
    }
    return true;
}

// What does not move is there already.
static bool keep_others(const path_list *from, const path_list *to, const convert_plan *plan,
                        const convert_job *job, tenon_error *err)
{
    tenon_file_info info;
    for (uint32_t i = 0; i < from->count && i < to->count; i++) {
        bool is_there = from->paths[i] && exists(from->paths[i], &info) && to->paths[i] &&
                        exists(to->paths[i], &info);
        if (is_there && !convert_claim_existing(plan, job, to->paths[i], err)) return false;
    }
    return true;
}

// Clips of a BBMOD model are files of their own: MODEL_CLIP.bbanim.
static bool add_animations(const convert_job *job, path_list *from, path_list *to, tenon_error *err)
{
    loaded_scene s = {0};
    const char *slash = strrchr(job->out, '/'), *name = slash ? slash + 1 : job->out;
    const char *dot = strrchr(name, '.');
    int stem = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    bool ok = scene_find_animations(&s, job->in, err);
    for (uint32_t i = 0; i < s.animation_count; i++) {
        const char *file = s.animations[i].file, *end = strrchr(file, '/');
        char made[PATH_SIZE];
        (void)snprintf(made, sizeof made, "%.*s_%s.bbanim", stem, name, s.animations[i].clip);
        add_path(from, end ? end + 1 : file);
        add_path(to, made);
    }
    scene_unload(&s);
    return ok;
}

bool sidecars_find(sidecar_list *sides, const tenon_doc *doc, const merged_materials *materials,
                   const convert_job *job, const convert_plan *plan, const convert_opts *opts,
                   tenon_error *err)
{
    *sides = (sidecar_list){.model = job->in};
    if (strcmp(job->in, "-") == 0 || strcmp(job->out, "-") == 0 || opts->in_place) return true;
    path_list from = {.model = job->in}, to = {.model = job->out};
    bool are_told =
        tenon_sides(doc, job->in, add_path, &from) && tenon_sides(doc, job->out, add_path, &to);
    bool has_clips = strcmp(doc->format->name, "bbmod") == 0;
    bool ok = !has_clips || add_animations(job, &from, &to, err);
    if (ok && (!are_told || from.failed || to.failed || !pair_up(sides, &from, &to, materials))) {
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
        ok = false;
    }
    ok = ok && keep_others(&from, &to, plan, job, err);
    free_paths(&from);
    free_paths(&to);
    for (uint32_t i = 0; ok && i < sides->count; i++)
        ok = convert_may_write(plan, opts, sides->list[i].to, err) &&
             convert_claim(plan, opts, job, sides->list[i].to, err);
    return ok;
}

static bool copy(const char *model_file, const sidecar *side, const tenon_write_opts *write,
                 tenon_error *err)
{
    tenon_bytes bytes;
    tenon_read_opts read = {
        .allocator = job_allocator(), .files = guard_files(), .beside = model_file};
    if (side->text) return tenon_save(side->to, side->text, side->size, write, err);
    if (!tenon_load(side->from, &read, &bytes, err)) return false;
    bool ok = tenon_save(side->to, bytes.data, bytes.size, write, err);
    tenon_unload(&bytes);
    return ok;
}

bool sidecars_copy(const sidecar_list *sides, const convert_plan *plan, const convert_opts *opts,
                   tenon_batch *batch, tenon_error *err)
{
    tenon_write_opts write = {.force = opts->force,
                              .inputs = plan->inputs,
                              .input_count = plan->input_count,
                              .files = guard_output_files(),
                              .batch = batch};
    for (uint32_t i = 0; i < sides->count; i++)
        if (!copy(sides->model, &sides->list[i], &write, err)) return false;
    return true;
}

void sidecars_free(sidecar_list *sides)
{
    for (uint32_t i = 0; i < sides->count; i++) {
        free(sides->list[i].from);
        free(sides->list[i].to);
    }
    free(sides->list);
    *sides = (sidecar_list){0};
}
