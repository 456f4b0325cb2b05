// inputs.c: the files that a command works on: those that are named, and those in named folders.
// SPDX-License-Identifier: MIT

#include "input/inputs.h"

#include "import/import_format.h"
#include "report/report.h"
#include "system/guard.h"
#include "system/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXTENSION_COUNT (sizeof((tenon_format *)0)->extensions / sizeof(const char *))

static const char not_a_model[] = "not a model";

// A folder that is being searched, and the one it was found in.
typedef struct level {
    const struct level *above;
    const char *path;
    tenon_file_id id;
} level;

typedef struct walk {
    inputs *in;
    const folder_search *search;
    summary *skipped;
    uint32_t root_size;  // Bytes of the path of the folder that was named, with a slash.
    bool has_output;
    tenon_file_id output;
    bool has_folders;  // That were not searched.
} walk;

static bool is_same(tenon_file_id a, tenon_file_id b)
{
    return a.device == b.device && a.inode == b.inode;
}

// What a file of that name is taken for, by its extension.
typedef enum file_kind { OTHER_FILE, MODEL_FILE, ANIMATION_FILE } file_kind;

static file_kind kind_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    const tenon_format *format;
    if (!dot || dot == name) return OTHER_FILE;
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++)
        for (size_t k = 0; k < EXTENSION_COUNT && format->extensions[k]; k++) {
            if (strcasecmp(format->extensions[k], dot + 1) != 0) continue;
            if (format->caps & TENON_TO_SCENE) return MODEL_FILE;
            if (format->caps & TENON_CAN_READ) return ANIMATION_FILE;
        }
    return import_format_by_name(name) ? MODEL_FILE : OTHER_FILE;
}

// False if memory ran out.
static bool add_file(inputs *in, const char *path, uint32_t folder_size)
{
    if (in->found.count == in->room) {
        uint32_t room = in->room ? 2 * in->room : 16;
        uint32_t *longer = realloc(in->folder_sizes, room * sizeof *longer);
        if (!longer) return false;
        in->folder_sizes = longer;
        in->room = room;
    }
    in->folder_sizes[in->found.count] = folder_size;
    return file_list_add(&in->found, "", path);
}

// -- Searching a folder

typedef struct listing {
    file_list names;
    const char *folder;
    bool failed;
} listing;

// Names that begin with a dot are hidden.
static bool take_name(void *user, const char *name)
{
    listing *l = user;
    l->failed = name[0] != '.' && !file_list_add(&l->names, l->folder, name);
    return !l->failed;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_above(const level *l, tenon_file_id id)
{
    for (; l; l = l->above)
        if (is_same(l->id, id)) return true;
    return false;
}

static int search_folder(walk *w, const level *here);

// Returns 0, or an errno value.
static int take_entry(walk *w, const level *here, const char *path)
{
    const tenon_files *files = guard_files();
    tenon_file_info info;
    int error = files->look(files->user, path, &info);
    if (!error && info.kind == TENON_FILE_FOLDER) {
        if (w->has_output && is_same(info.id, w->output)) return 0;
        w->has_folders |= !w->search->recursive;
        if (!w->search->recursive)
            summary_skip(w->skipped, path, "a folder; '-r' searches it");
        else if (is_above(here, info.id))
            summary_skip(w->skipped, path, "a link to a folder above");
        else
            return search_folder(w, &(level){here, path, info.id});
        return 0;
    }
    if (error && error != ENOENT) {
        tenon_error err = report_make(TENON_ERR_IO, "cannot be looked at: %s", strerror(error));
        (void)report_error(path, &err);
        summary_fail(w->skipped, path, err.message);
        return 0;
    }
    // A link to nothing is opened if it has the name of a model, which fails.
    bool is_file = error || info.kind == TENON_FILE_REGULAR;
    file_kind kind = is_file ? kind_of(path) : OTHER_FILE;
    if (kind == ANIMATION_FILE && w->search->only_models)
        summary_skip(w->skipped, path, "an animation, converted with its model");
    else if (kind == OTHER_FILE)
        summary_skip(w->skipped, path, not_a_model);
    else if (!add_file(w->in, path, w->root_size))
        return ENOMEM;
    return 0;
}

static int search_folder(walk *w, const level *here)
{
    listing l = {.folder = here->path};
    int error = platform_list(here->path, take_name, &l);
    if (l.failed) error = ENOMEM;
    if (l.names.count) qsort(l.names.names, l.names.count, sizeof *l.names.names, by_name);
    for (uint32_t i = 0; i < l.names.count && !error; i++)
        error = take_entry(w, here, l.names.names[i]);
    file_list_free(&l.names);
    // A folder below that cannot be listed stops no other.
    if (!error || error == ENOMEM || !here->above) return error;
    tenon_error err = report_make(TENON_ERR_IO, "cannot list the folder: %s", strerror(error));
    (void)report_error(here->path, &err);
    summary_fail(w->skipped, here->path, err.message);
    return 0;
}

// -- Operands

static bool find_folder(const char *path, tenon_file_id *id)
{
    const tenon_files *files = guard_files();
    tenon_file_info info;
    if (files->look(files->user, path, &info) != 0) return false;
    *id = info.id;
    return info.kind == TENON_FILE_FOLDER;
}

static int expand_folder(inputs *in, const char *folder, tenon_file_id id,
                         const folder_search *search, summary *skipped)
{
    size_t size = strlen(folder);
    walk w = {.in = in, .search = search, .skipped = skipped};
    w.root_size = (uint32_t)size + (size > 0 && folder[size - 1] != '/');
    w.has_output = search->output && find_folder(search->output, &w.output);
    uint32_t before = in->found.count;
    int error = search_folder(&w, &(level){NULL, folder, id});
    if (error == ENOMEM) return report_no_memory();
    if (!error && in->found.count > before) return CLI_GO_ON;
    tenon_error err = error
                          ? report_make(TENON_ERR_IO, "cannot list the folder: %s", strerror(error))
                          : report_make(TENON_ERR_IO, "this folder contains no models");
    if (w.has_folders)
        (void)snprintf(err.note, sizeof err.note, "'-r' also searches the folders in it");
    return report_error(folder, &err);
}

int inputs_find(inputs *in, char **operands, uint32_t count, const folder_search *search,
                summary *skipped)
{
    tenon_file_id id;
    *in = (inputs){.files = operands, .count = count};
    for (uint32_t i = 0; i < count; i++) in->has_folder |= find_folder(operands[i], &id);
    if (!in->has_folder) return CLI_GO_ON;
    for (uint32_t i = 0; i < count; i++) {
        int status = CLI_GO_ON;
        if (find_folder(operands[i], &id))
            status = expand_folder(in, operands[i], id, search, skipped);
        else if (!add_file(in, operands[i], 0))
            status = report_no_memory();
        if (status != CLI_GO_ON) return status;
    }
    in->files = in->found.names;
    in->count = in->found.count;
    return CLI_GO_ON;
}

void inputs_free(inputs *in)
{
    file_list_free(&in->found);
    free(in->folder_sizes);
    *in = (inputs){0};
}
