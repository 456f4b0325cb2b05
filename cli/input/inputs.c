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

// A folder that is being searched, and the one it was found in.
typedef struct folder_level {
    const struct folder_level *above;
    const char *path;
    tenon_file_id id;
} folder_level;

// The search of a folder that was named.
typedef struct folder_walk {
    inputs *in;
    const folder_search *search;
    summary *skipped;
    uint32_t root_size;  // Bytes of the path of the folder that was named, with a slash.
    bool has_output;
    tenon_file_id output;
    bool has_subfolders;  // Some were not searched.
} folder_walk;

// False if memory ran out.
static bool inputs_add_file(inputs *in, const char *path, uint32_t folder_size)
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

typedef struct folder_listing {
    file_list paths;
    const char *folder;
    bool failed;  // Out of memory.
} folder_listing;

// Names that begin with a dot are hidden.
static bool inputs_list_entry(void *user, const char *name)
{
    folder_listing *listing = user;
    listing->failed = name[0] != '.' && !file_list_add(&listing->paths, listing->folder, name);
    return !listing->failed;
}

static void inputs_report_failure(folder_walk *walk, const char *path, const char *what, int error)
{
    tenon_error err = report_make(TENON_ERR_IO, "%s: %s", what, strerror(error));
    (void)report_error(path, &err);
    summary_fail(walk->skipped, path, err.message);
}

// Add a file of a folder to the inputs if it is a model by its extension, else to what is skipped.
// Returns 0, or an errno value.
static int inputs_add_found_file(folder_walk *walk, const char *path, bool is_regular)
{
    const char *dot = strrchr(path, '.');
    bool has_extension = is_regular && dot && dot != path;
    const tenon_format *format =
        has_extension ? format_by_extension(dot + 1, TENON_TO_SCENE | TENON_CAN_READ) : NULL;
    bool is_animation = format && !(format->caps & TENON_TO_SCENE);
    bool is_readable = format || (has_extension && import_format_by_name(path));
    if (is_animation && walk->search->only_models)
        summary_skip(walk->skipped, path, "an animation, converted with its model");
    else if (!is_readable)
        summary_skip(walk->skipped, path, "not a model");
    else if (!inputs_add_file(walk->in, path, walk->root_size))
        return ENOMEM;
    return 0;
}

// Returns 0, or an errno value.
static int inputs_search_folder(folder_walk *walk, const folder_level *here)
{
    const tenon_files *files = guard_files();
    folder_listing listing = {.folder = here->path};
    int error = platform_list(here->path, inputs_list_entry, &listing);
    if (listing.failed) error = ENOMEM;
    file_list_sort(&listing.paths);
    for (uint32_t i = 0; i < listing.paths.count && !error; i++) {
        const char *path = listing.paths.names[i];
        tenon_file_info info;
        int look_error = files->look(files->user, path, &info);
        if (look_error && look_error != ENOENT) {
            inputs_report_failure(walk, path, "cannot be accessed", look_error);
            continue;
        }
        if (look_error || info.kind != TENON_FILE_FOLDER) {
            // A link to nothing is opened if it has the name of a model, which fails.
            error =
                inputs_add_found_file(walk, path, look_error || info.kind == TENON_FILE_REGULAR);
            continue;
        }
        if (walk->has_output && file_id_equal(info.id, walk->output)) continue;
        if (!walk->search->recursive) {
            walk->has_subfolders = true;
            summary_skip(walk->skipped, path, "a folder; '-r' searches it");
            continue;
        }
        const folder_level *above = here;
        while (above && !file_id_equal(above->id, info.id)) above = above->above;
        if (above)
            summary_skip(walk->skipped, path, "a link to a folder above");
        else
            error = inputs_search_folder(walk, &(folder_level){here, path, info.id});
    }
    file_list_free(&listing.paths);
    // A subfolder that cannot be listed does not stop the search.
    if (!error || error == ENOMEM || !here->above) return error;
    inputs_report_failure(walk, here->path, "cannot list the folder", error);
    return 0;
}

// -- Operands

static bool inputs_find_folder(const char *path, tenon_file_id *id)
{
    const tenon_files *files = guard_files();
    tenon_file_info info;
    if (files->look(files->user, path, &info) != 0) return false;
    *id = info.id;
    return info.kind == TENON_FILE_FOLDER;
}

static int inputs_expand_folder(inputs *in, const char *folder, tenon_file_id id,
                                const folder_search *search, summary *skipped)
{
    size_t size = strlen(folder);
    folder_walk walk = {.in = in, .search = search, .skipped = skipped};
    walk.root_size = (uint32_t)size + (size > 0 && folder[size - 1] != '/');
    walk.has_output = search->output && inputs_find_folder(search->output, &walk.output);
    uint32_t before = in->found.count;
    int error = inputs_search_folder(&walk, &(folder_level){NULL, folder, id});
    if (error == ENOMEM) return report_no_memory();
    if (!error && in->found.count > before) return CLI_GO_ON;
    tenon_error err = error
                          ? report_make(TENON_ERR_IO, "cannot list the folder: %s", strerror(error))
                          : report_make(TENON_ERR_IO, "this folder contains no models");
    if (walk.has_subfolders)
        (void)snprintf(err.note, sizeof err.note, "'-r' also searches its subfolders");
    return report_error(folder, &err);
}

int inputs_find(inputs *in, char **operands, uint32_t count, const folder_search *search,
                summary *skipped)
{
    tenon_file_id id;
    *in = (inputs){.files = operands, .count = count};
    for (uint32_t i = 0; i < count; i++) in->has_folder |= inputs_find_folder(operands[i], &id);
    if (!in->has_folder) return CLI_GO_ON;
    for (uint32_t i = 0; i < count; i++) {
        int status = CLI_GO_ON;
        if (inputs_find_folder(operands[i], &id))
            status = inputs_expand_folder(in, operands[i], id, search, skipped);
        else if (!inputs_add_file(in, operands[i], 0))
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
