// temporaries.c: the temporary files that are being written, for handlers that remove them.
// SPDX-License-Identifier: MIT

#include "temporaries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static temporary all[TEMPORARY_MOST];
static int used_count;  // Slots behind this one have never been used.

const temporary *temporary_at(int index)
{
    return index < used_count ? &all[index] : NULL;
}

bool temporary_is_left(void)
{
    for (int i = 0; i < used_count; i++)
        if (all[i].path) return true;
    return false;
}

temporary *temporary_of_path(const char *path)
{
    for (int i = 0; i < used_count; i++)
        if (all[i].path && strcmp(all[i].path, path) == 0) return &all[i];
    return NULL;
}

temporary *temporary_of_file(tenon_file file)
{
    for (int i = 0; i < used_count; i++)
        if (all[i].path && all[i].file == file) return &all[i];
    return NULL;
}

int temporary_add(const char *path, temporary **added)
{
    int i = 0;
    *added = NULL;
    while (i < used_count && all[i].path) i++;
    if (i == TEMPORARY_MOST) return EMFILE;
    char *copy = malloc(strlen(path) + 1);
    if (!copy) return ENOMEM;
    all[i] = (temporary){.path = strcpy(copy, path)};
    if (i == used_count) used_count++;
    *added = &all[i];
    return 0;
}

void temporary_forget(temporary *t)
{
    if (!t) return;
    free(t->path);
    *t = (temporary){0};
}
