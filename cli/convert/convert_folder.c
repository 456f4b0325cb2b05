// convert_folder.c: lists of files; folders for outputs.
// SPDX-License-Identifier: MIT

#include "convert/convert_folder.h"

#include "system/guard.h"
#include "system/platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool folder_create(file_list *made, const char *folder)
{
    return make_parts(made, folder);
}

bool folder_can_create(const char *folder)
{
    return make_parts(NULL, folder);
}

void folder_remove_created(file_list *made)
{
    for (uint32_t i = made->count; i-- > 0;) (void)platform_remove_folder(made->names[i]);
    file_list_free(made);
}
