// convert_folder.c: inputs that are folders become the models in them; folders for outputs.
// SPDX-License-Identifier: MIT

#include "convert_folder.h"

#include "guard.h"
#include "platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXTENSION_COUNT (sizeof((tenon_format *)0)->extensions / sizeof(const char *))

bool file_list_add(file_list *list, const char *folder, const char *name)
{
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 16;
        char **longer = realloc(list->names, room * sizeof *longer);
        if (!longer) return false;
        list->names = longer;
        list->room = room;
    }
    size_t folder_size = strlen(folder);
    bool needs_slash = folder_size > 0 && folder[folder_size - 1] != '/';
    size_t size = folder_size + 1 + strlen(name) + 1;
    char *path = malloc(size);
    if (!path) return false;
    (void)snprintf(path, size, "%s%s%s", folder, needs_slash ? "/" : "", name);
    list->names[list->count++] = path;
    return true;
}

void file_list_free(file_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) free(list->names[i]);
    free(list->names);
    *list = (file_list){0};
}

// Whether a file of that name is a model, by its extension.
static bool is_model(const char *name)
{
    const char *dot = strrchr(name, '.');
    const tenon_format *format;
    if (!dot || dot == name) return false;
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++)
        for (size_t k = 0; k < EXTENSION_COUNT && format->extensions[k]; k++)
            if (format->caps & TENON_TO_SCENE && strcasecmp(format->extensions[k], dot + 1) == 0)
                return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef struct folder_listing {
    file_list *list;
    const char *folder;
    bool failed;
} folder_listing;

static bool take_model(void *user, const char *name)
{
    folder_listing *f = user;
    f->failed = is_model(name) && !file_list_add(f->list, f->folder, name);
    return !f->failed;
}

bool folder_list(file_list *list, const char *folder)
{
    folder_listing f = {.list = list, .folder = folder};
    uint32_t start = list->count;
    int error = platform_list(folder, take_model, &f);
    if (f.failed) error = ENOMEM;
    if (list->count > start)
        qsort(list->names + start, list->count - start, sizeof *list->names, by_name);
    errno = error;
    return error == 0;
}

// -- New folders

static int make_one(file_list *made, const char *folder)
{
    int error = platform_make_folder(folder);
    if (error == 0 && !file_list_add(made, "", folder)) error = ENOMEM;
    return error;
}

// The first part of `path` that is missing is as good as made, if it could be.
static int try_one(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return platform_may_create(".");
    if (slash == path) return platform_may_create("/");
    *slash = '\0';
    int error = platform_may_create(path);
    *slash = '/';
    return error;
}

// Create what is missing of a folder, or only look (`made` is NULL) whether that could be done.
static bool make_parts(file_list *made, const char *folder)
{
    char *path = malloc(strlen(folder) + 1);
    int error = path ? 0 : ENOMEM;
    bool goes_on = path != NULL;
    if (path) (void)strcpy(path, folder);
    for (char *end = path; goes_on && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char behind = *end;
        tenon_file_info info;
        const tenon_files *files = guard_files();
        *end = '\0';
        bool is_there = files->look(files->user, path, &info) == 0;
        if (is_there)
            error = info.kind == TENON_FILE_FOLDER ? 0 : ENOTDIR;
        else
            error = made ? make_one(made, path) : try_one(path);
        goes_on = error == 0 && (is_there || made);
        *end = behind;
    }
    free(path);
    errno = error;
    return error == 0;
}

bool folder_make(file_list *made, const char *folder)
{
    return make_parts(made, folder);
}

bool folder_may_make(const char *folder)
{
    return make_parts(NULL, folder);
}

void folder_unmake(file_list *made)
{
    for (uint32_t i = made->count; i-- > 0;) (void)platform_remove_folder(made->names[i]);
    file_list_free(made);
}
