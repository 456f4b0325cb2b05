// paths.c: paths of files: their parts, the formats that extensions name, and lists of paths.
// SPDX-License-Identifier: MIT

#include "input/paths.h"

#include "system/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *path_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool path_has_same_folder(const char *a, const char *b)
{
    size_t size = (size_t)(path_base_name(a) - a);
    return size == (size_t)(path_base_name(b) - b) && memcmp(a, b, size) == 0;
}

size_t path_stem_size(const char *base_name)
{
    const char *dot = strrchr(base_name, '.');
    return dot && dot != base_name ? (size_t)(dot - base_name) : strlen(base_name);
}

size_t text_size_before(const char *text, const char *ending)
{
    size_t size = strlen(text), ending_size = strlen(ending);
    bool has_it = size > ending_size && strcmp(text + size - ending_size, ending) == 0;
    return has_it ? size - ending_size : size;
}

bool path_is_stream(const char *path)
{
    return strcmp(path, "-") == 0;
}

char *text_copy(const void *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    if (size) memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

uint64_t text_hash(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 1099511628211u;
    return hash;
}

bool file_id_equal(tenon_file_id a, tenon_file_id b)
{
    return a.device == b.device && a.inode == b.inode;
}

bool format_has_extension(const tenon_format *format, const char *extension)
{
    for (size_t i = 0; i < EXTENSION_COUNT && format->extensions[i]; i++)
        if (strcasecmp(format->extensions[i], extension) == 0) return true;
    return false;
}

const tenon_format *format_by_extension(const char *extension, uint32_t caps)
{
    const tenon_format *format;
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++)
        if (format->caps & caps && format_has_extension(format, extension)) return format;
    return NULL;
}

bool path_beside(const char *model_file, const char *name, char path[PATH_SIZE])
{
    tenon_str text = {name, (uint32_t)strlen(name)};
    return tenon_file_beside(guard_files(), model_file, text, path, PATH_SIZE);
}

// -- Lists

bool file_list_add(file_list *list, const char *folder, const char *name)
{
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 16;
        char **longer = realloc(list->names, room * sizeof *longer);
        list->failed |= !longer;
        if (!longer) return false;
        list->names = longer;
        list->room = room;
    }
    size_t folder_size = strlen(folder);
    bool needs_slash = folder_size > 0 && folder[folder_size - 1] != '/';
    size_t size = folder_size + 1 + strlen(name) + 1;
    char *path = malloc(size);
    list->failed |= !path;
    if (!path) return false;
    (void)snprintf(path, size, "%s%s%s", folder, needs_slash ? "/" : "", name);
    list->names[list->count++] = path;
    return true;
}

void file_list_take(void *user, const char *name)
{
    (void)file_list_add(user, "", name);
}

static int paths_compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void file_list_sort(file_list *list)
{
    if (list->count) qsort(list->names, list->count, sizeof *list->names, paths_compare_names);
}

void file_list_free(file_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) free(list->names[i]);
    free(list->names);
    *list = (file_list){0};
}
