// inputs.c: the files that a command works on: those that are named, and those in named folders.
// SPDX-License-Identifier: MIT

#include "input/inputs.h"

#include "import/import_format.h"
#include "input/pattern.h"
#include "report/output.h"
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
    const cli_common *common;
    const folder_search *search;
    summary *skipped;
    uint32_t root_size;  // Bytes of the path of the folder that was named, with a slash.
    bool has_output;
    tenon_file_id output;
    bool has_subfolders;  // Some were not searched.
} folder_walk;

// False if memory ran out.
static bool inputs_add_file(inputs *in, const char *path, input_place place)
{
    if (in->found.count == in->room) {
        uint32_t room = in->room ? 2 * in->room : 16;
        input_place *longer = realloc(in->found_places, room * sizeof *longer);
        if (!longer) return false;
        in->found_places = longer;
        in->room = room;
    }
    in->found_places[in->found.count] = place;
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

// Whether the model of an animation, "MODEL_CLIP.bbanim", is in the same folder.
static bool inputs_has_model(const char *path)
{
    const tenon_files *files = guard_files();
    const char *base_name = path_base_name(path);
    for (const char *end = strchr(base_name, '_'); end; end = strchr(end + 1, '_')) {
        char model[PATH_SIZE];
        tenon_file_info info;
        (void)snprintf(model, sizeof model, "%.*s.bbmod", (int)(end - path), path);
        if (files->look(files->user, model, &info) == 0) return true;
    }
    return false;
}

// Add a file of a folder to the inputs if it is a model by its extension, else to what is skipped.
// Returns 0, or an errno value.
static int inputs_add_found_file(folder_walk *walk, const char *path, bool is_regular,
                                 const input_place *place)
{
    const cli_batch *batch = &walk->common->batch;
    const char *name = path + walk->root_size;
    if (batch->include.count && !pattern_list_matches(&batch->include, name)) return 0;
    const char *ending = walk->search->ending ? walk->search->ending : "";
    char model[PATH_SIZE];
    (void)snprintf(model, sizeof model, "%.*s", (int)text_size_before(path, ending), path);
    const char *dot = strrchr(model, '.');
    bool has_extension = is_regular && dot && dot != model && (!*ending || strcmp(model, path));
    const tenon_format *format =
        has_extension ? format_by_extension(dot + 1, TENON_TO_SCENE | TENON_CAN_READ) : NULL;
    bool is_animation = format && !(format->caps & TENON_TO_SCENE);
    bool is_wanted = is_regular && batch->include.count && (walk->common->from.format || *ending);
    bool is_readable =
        format || is_wanted || (has_extension && !*ending && import_format_by_name(path));
    if (is_animation && walk->search->only_models)
        summary_skip(walk->skipped, path,
                     inputs_has_model(path)
                         ? "an animation, converted with its model"
                         : "an animation without a model: 'MODEL_CLIP.bbanim' goes with "
                           "'MODEL.bbmod'");
    else if (!is_readable)
        summary_skip(walk->skipped, path, *ending ? "not the text of a model" : "not a model");
    else if (!inputs_add_file(walk->in, path, *place))
        return ENOMEM;
    return 0;
}

// Returns 0, or an errno value.
static int inputs_search_folder(folder_walk *walk, const folder_level *here)
{
    folder_listing listing = {.folder = here->path};
    if (!file_list_add(&walk->in->folders, "", here->path)) return ENOMEM;
    int error = platform_list(here->path, inputs_list_entry, &listing);
    if (listing.failed) error = ENOMEM;
    file_list_sort(&listing.paths);
    for (uint32_t i = 0; i < listing.paths.count && !error; i++) {
        const char *path = listing.paths.names[i];
        tenon_file_info info;
        if (pattern_list_matches(&walk->common->batch.exclude, path + walk->root_size)) continue;
        uint64_t stamp = 0;
        int look_error = platform_look(path, &info, walk->search->wants_stamps ? &stamp : NULL);
        if (look_error && look_error != ENOENT) {
            inputs_report_failure(walk, path, "cannot be accessed", look_error);
            continue;
        }
        if (look_error || info.kind != TENON_FILE_FOLDER) {
            // A link to nothing is opened if it has the name of a model, which fails.
            bool is_regular = look_error || info.kind == TENON_FILE_REGULAR;
            input_place place = {.name_at = walk->root_size, .is_found = true, .stamp = stamp};
            if (!look_error) place.id = info.id;
            error = inputs_add_found_file(walk, path, is_regular, &place);
            continue;
        }
        if (walk->has_output && file_id_equal(info.id, walk->output)) continue;
        if (!walk->common->batch.recursive) {
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

static int inputs_expand_folder(folder_walk *walk, const char *folder, tenon_file_id id)
{
    inputs *in = walk->in;
    size_t size = strlen(folder);
    walk->root_size = (uint32_t)size + (size > 0 && folder[size - 1] != '/');
    walk->has_subfolders = false;
    uint32_t before = in->found.count;
    int error = inputs_search_folder(walk, &(folder_level){NULL, folder, id});
    if (error == ENOMEM) return report_no_memory();
    bool is_enough = in->found.count > before || walk->search->may_be_empty;
    if (!error && is_enough) return CLI_GO_ON;
    const cli_batch *batch = &walk->common->batch;
    tenon_error err =
        error ? report_make(TENON_ERR_IO, "cannot list the folder: %s", strerror(error))
        : batch->include.count || batch->exclude.count
            ? report_make(TENON_ERR_IO, "this folder contains no models that are selected")
            : report_make(TENON_ERR_IO, "this folder contains no models");
    if (walk->has_subfolders)
        (void)snprintf(err.note, sizeof err.note, "'-r' also searches its subfolders");
    return report_error(folder, &err);
}

// Whether a path stays in its folder by its spelling, so that outputs can have the same folders.
static bool inputs_can_mirror(const char *path)
{
    if (path[0] == '/' || strchr(path, ':') || strchr(path, '\\')) return false;
    for (const char *name = path; name; name = strchr(name, '/')) {
        name += *name == '/';
        size_t size = strcspn(name, "/");
        if (size == 2 && name[0] == '.' && name[1] == '.') return false;
    }
    return true;
}

// Add a file or folder that was named, in a list or as an operand.
static int inputs_add_named(folder_walk *walk, const char *path, bool is_listed)
{
    tenon_file_id id;
    if (!path_is_stream(path) && inputs_find_folder(path, &id)) {
        walk->in->are_many = true;
        return inputs_expand_folder(walk, path, id);
    }
    const char *name = path_base_name(path);
    if (is_listed && inputs_can_mirror(path)) name = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    char folder[PATH_SIZE];
    size_t folder_size = (size_t)(path_base_name(path) - path);
    (void)snprintf(folder, sizeof folder, "%.*s", (int)folder_size, path);
    if (!file_list_add(&walk->in->folders, "", folder_size ? folder : "."))
        return report_no_memory();
    input_place place = {.name_at = (uint32_t)(name - path)};
    return inputs_add_file(walk->in, path, place) ? CLI_GO_ON : report_no_memory();
}

// Add the files that are named in a list: each ends with its line, or with a NUL if there is one.
static int inputs_add_list(folder_walk *walk, const char *list)
{
    tenon_bytes bytes;
    tenon_error err;
    const tenon_read_opts read = {.files = tenon_system_files()};
    walk->in->are_many = true;
    bool is_stream = path_is_stream(list);
    if (!(is_stream ? tenon_load_stream(tenon_stdin(), report_name(list), &read, &bytes, &err)
                    : tenon_load(list, &read, &bytes, &err)))
        return report_error(list, &err);
    char *text = text_copy(bytes.data, bytes.size);
    size_t size = bytes.size;
    tenon_unload(&bytes);
    if (!text) return report_no_memory();
    int status = CLI_GO_ON;
    char separator = memchr(text, '\0', size) ? '\0' : '\n';
    for (char *line = text, *next; line < text + size && status == CLI_GO_ON; line = next) {
        char *end = memchr(line, separator, (size_t)(text + size - line));
        if (!end) end = text + size;
        next = end + 1;
        *end = '\0';
        if (separator == '\n' && end > line && end[-1] == '\r') end[-1] = '\0';
        platform_clean_path(line);
        if (*line) status = inputs_add_named(walk, line, true);
    }
    free(text);
    return status;
}

int inputs_find(inputs *in, const cli_common *common, uint32_t count, const folder_search *search,
                summary *skipped)
{
    *in = (inputs){0};
    folder_walk walk = {.in = in, .common = common, .search = search, .skipped = skipped};
    walk.has_output = search->output && inputs_find_folder(search->output, &walk.output);
    int status = CLI_GO_ON;
    for (uint32_t i = 0; i < count && status == CLI_GO_ON; i++) {
        const char *word = common->operands[i];
        bool is_list = word[0] == '@' && word[1];
        status = is_list ? inputs_add_list(&walk, word + 1) : inputs_add_named(&walk, word, false);
    }
    for (uint32_t i = 0; i < common->batch.files_from.count && status == CLI_GO_ON; i++)
        status = inputs_add_list(&walk, common->batch.files_from.values[i]);
    in->files = in->found.names;
    in->count = in->found.count;
    in->places = in->found_places;
    return status;
}

void inputs_free(inputs *in)
{
    file_list_free(&in->found);
    file_list_free(&in->folders);
    free(in->found_places);
    *in = (inputs){0};
}
