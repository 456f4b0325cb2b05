// convert_folder.c: inputs that are folders become the models in them.
// SPDX-License-Identifier: MIT

#include "convert_folder.h"

#include "guard.h"

#include <dirent.h>
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

bool file_list_has(const file_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0) return true;
    return false;
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

bool folder_list(file_list *list, const char *folder)
{
    DIR *listing = opendir(folder);
    uint32_t start = list->count;
    bool ok = listing != NULL;
    for (struct dirent *entry; ok && (entry = readdir(listing));)
        if (is_model(entry->d_name)) ok = file_list_add(list, folder, entry->d_name);
    int why = listing ? ENOMEM : errno;
    if (listing) (void)closedir(listing);
    if (list->count > start)
        qsort(list->names + start, list->count - start, sizeof *list->names, by_name);
    errno = ok ? 0 : why;
    return ok;
}
