// api_convert_files.c: the files of a conversion: which may be written, and copies of sidecars.
// SPDX-License-Identifier: MIT

#include "api/api_convert.h"
#include "core/files/file.h"
#include "core/text/error.h"

#include <tenon/bbmod.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

// -- Names

typedef struct name_list {
    tn_arena *arena;
    const char **names;
    uint32_t count, room;
    bool failed;  // Out of memory.
} name_list;

static void api_convert_take_name(void *user, const char *name)
{
    name_list *list = user;
    size_t size = strlen(name) + 1;
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 16;
        const char **longer = tn_arena_alloc(list->arena, room, sizeof *longer, NULL);
        if (longer && list->count) memcpy(longer, list->names, list->count * sizeof *longer);
        list->failed |= !longer;
        if (!longer) return;
        list->names = longer;
        list->room = room;
    }
    char *copy = tn_arena_alloc(list->arena, 1, size, NULL);
    list->failed |= !copy;
    if (!copy) return;
    memcpy(copy, name, size);
    list->names[list->count++] = copy;
}

// The sidecars that the document can have beside `path`, in an order that does not depend on the
// path.
static bool api_convert_list_sidecars(tn_conversion *c, const char *path, name_list *list)
{
    list->arena = &c->arena;
    bool ok = tenon_sidecars(c->face.doc, path, api_convert_take_name, list) && !list->failed;
    return ok || tn_error(c->err, TENON_ERR_MEMORY, "out of memory");
}

static bool api_convert_list_animations(tn_conversion *c, name_list *list)
{
    list->arena = &c->arena;
    if (!tenon_as_bbmod(c->face.doc)) return true;
    return tenon_bbanim_find(c->files, c->in, &c->opts->allocator, api_convert_take_name, list,
                             c->err) &&
           (!list->failed || tn_error(c->err, TENON_ERR_MEMORY, "out of memory"));
}

// Where a sidecar of that name is beside a model; "" if it must not be used. A failure of the
// system also gives "": trying again is enough if it is temporary.
static void api_convert_find_beside(const tenon_files *files, const char *model, const char *name,
                                    char path[TN_PATH_SIZE])
{
    const tenon_str text = {name, (uint32_t)strlen(name)};
    if (!tenon_file_beside(files, model, text, path, TN_PATH_SIZE) &&
        !tenon_file_beside(files, model, text, path, TN_PATH_SIZE))
        path[0] = '\0';
}

// -- Which files may be written

static bool api_convert_is_file(const tn_conversion *c, const char *path, tenon_file_id id)
{
    tenon_file_id other;
    return tenon_file_identify(c->files, path, &other) && other.device == id.device &&
           other.inode == id.inode;
}

// Whether `path` exists and is a file that the input needs: *is_main, itself.
static bool api_convert_is_input(tn_conversion *c, const char *path, bool *is_main, bool *is_part)
{
    tenon_file_id id;
    *is_main = *is_part = false;
    if (!c->in || !tenon_file_identify(c->writing.files, path, &id)) return true;
    *is_main = api_convert_is_file(c, c->in, id);
    name_list names = {0};
    tn_mark mark = tn_arena_mark(&c->arena);
    bool ok = *is_main || (api_convert_list_sidecars(c, c->in, &names) &&
                           api_convert_list_animations(c, &names));
    for (uint32_t i = 0; ok && i < names.count && !*is_part; i++) {
        char sidecar[TN_PATH_SIZE];
        api_convert_find_beside(c->files, c->in, names.names[i], sidecar);
        *is_part = *sidecar && api_convert_is_file(c, sidecar, id);
    }
    tn_arena_rewind(&c->arena, mark);
    return ok;
}

bool tn_convert_report_file(tn_conversion *c, const tenon_written_file *file)
{
    const tenon_convert_opts *opts = c->opts;
    bool is_main = false, is_part = false;
    if (strcmp(file->path, c->out) == 0) c->result.size = file->size;
    if (!file->is_unchanged && !opts->sink &&
        !api_convert_is_input(c, file->path, &is_main, &is_part))
        return false;
    if (is_part || (is_main && !opts->writing.in_place)) {
        (void)tn_error(c->err, TENON_ERR_EXISTS,
                       is_part ? "'%s' is part of the input" : "'%s' is the input", file->path);
        if (is_part)
            (void)snprintf(c->err->note, sizeof c->err->note, "give the output another name");
        return false;
    }
    if (!opts->events.on_file || opts->events.on_file(opts->events.user, file)) return true;
    if (c->err->code == TENON_OK) (void)tn_error(c->err, TENON_ERR_CANCELLED, "cancelled");
    return false;
}

// -- Copies of sidecars

// A sidecar, and where it goes.
typedef struct sidecar_copy {
    char from[TN_PATH_SIZE], to[TN_PATH_SIZE];
    tenon_memory_file replaced;  // What is written instead,
    bool is_replaced;            // if there is something.
} sidecar_copy;

// Whether two files exist and have the same bytes, or are one file.
static bool api_convert_is_copy(const tn_conversion *c, const sidecar_copy *copy,
                                const tenon_file_info *from)
{
    tenon_file_info to;
    const tenon_files *files = c->writing.files;
    if (files->look(files->user, copy->to, &to) != 0 || to.kind != TENON_FILE_REGULAR) return false;
    bool is_one = c->files == files && (from->id.device || from->id.inode) &&
                  from->id.device == to.id.device && from->id.inode == to.id.inode;
    if (is_one || from->size != to.size) return is_one;
    tenon_bytes first, second;
    tenon_read_opts read = {.allocator = c->opts->allocator, .files = c->files, .beside = c->in};
    tenon_error ignored;
    if (!tenon_load(copy->from, &read, &first, &ignored)) return false;
    read.beside = NULL;
    read.files = files;
    bool is_same = tenon_load(copy->to, &read, &second, &ignored);
    if (is_same) {
        is_same = first.size == second.size && memcmp(first.data, second.data, first.size) == 0;
        tenon_unload(&second);
    }
    tenon_unload(&first);
    return is_same;
}

static bool api_convert_copy_file(tn_conversion *c, const sidecar_copy *copy)
{
    if (copy->is_replaced)
        return tenon_save(copy->to, copy->replaced.data, copy->replaced.size, &c->writing, c->err);
    const tenon_read_opts read = {
        .allocator = c->opts->allocator, .files = c->files, .beside = c->in};
    tenon_bytes bytes;
    if (!tenon_load(copy->from, &read, &bytes, c->err)) return false;
    bool ok = tenon_save(copy->to, bytes.data, bytes.size, &c->writing, c->err);
    tenon_unload(&bytes);
    return ok;
}

// Copy one sidecar that exists. What is there already, with the same bytes, is not touched.
static bool api_convert_copy_sidecar(tn_conversion *c, const char *from, const char *to)
{
    tenon_file_info info = {0};
    const tenon_files *files = c->files;
    sidecar_copy *copy = tn_arena_alloc_or_fail(&c->arena, 1, sizeof *copy, "a path", c->err);
    if (!copy) return false;
    api_convert_find_beside(files, c->in, from, copy->from);
    api_convert_find_beside(c->writing.files, c->out, to, copy->to);
    if (!*copy->to) return true;
    copy->is_replaced =
        c->opts->sidecars && tenon_memory_find(c->opts->sidecars, from, &copy->replaced);
    tenon_written_file file = {.path = copy->to, .size = copy->replaced.size};
    if (!copy->is_replaced) {
        int error = *copy->from ? files->look(files->user, copy->from, &info) : ENOENT;
        if (error == ENOENT || error == ENOTDIR) return true;
        // After any other failure, copying it will say why it cannot be read.
        if (error == 0 && info.kind != TENON_FILE_REGULAR) return true;
        file.size = info.size;
        file.is_unchanged = error == 0 && api_convert_is_copy(c, copy, &info);
    }
    if (!tn_convert_report_file(c, &file)) return false;
    return file.is_unchanged || c->opts->exporting.dry_run || api_convert_copy_file(c, copy);
}

bool tn_convert_copy_sidecars(tn_conversion *c)
{
    name_list from = {0}, to = {0}, clips = {0};
    if (!c->in || c->opts->sink || c->opts->writing.in_place) return true;
    bool ok = api_convert_list_sidecars(c, c->in, &from) &&
              api_convert_list_sidecars(c, c->out, &to) && api_convert_list_animations(c, &clips);
    for (uint32_t i = 0; ok && i < from.count && i < to.count; i++)
        ok = api_convert_copy_sidecar(c, from.names[i], to.names[i]);
    // Clips of a BBMOD model are separate files: MODEL_CLIP.bbanim.
    tenon_str stem = tn_path_stem(c->out);
    for (uint32_t i = 0; ok && i < clips.count; i++) {
        char new_name[TN_PATH_SIZE];
        tenon_str clip = tenon_bbanim_clip(c->in, clips.names[i]);
        (void)snprintf(new_name, sizeof new_name, "%.*s_%.*s.bbanim", (int)stem.size, stem.data,
                       (int)clip.size, clip.data);
        ok = api_convert_copy_sidecar(c, clips.names[i], new_name);
    }
    return ok;
}
