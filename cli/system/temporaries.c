// temporaries.c: the list of temporary files, for handlers that remove them.
// SPDX-License-Identifier: MIT

#include "system/temporaries.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static temporary *slots;
static int used_count;  // Slots from here on have never been used.
static int room;
static int left_count;  // Slots that are not free.

const temporary *temporary_at(int index)
{
    return index < used_count ? &slots[index] : NULL;
}

bool temporary_is_left(void)
{
    return left_count > 0;
}

static uint32_t temporaries_hash(const char *path)
{
    uint32_t hash = 2166136261u;
    for (; *path; path++) hash = (hash ^ (uint8_t)*path) * 16777619u;
    return hash;
}

temporary *temporary_of_path(const char *path)
{
    uint32_t hash = temporaries_hash(path);
    for (int i = 0; i < used_count; i++)
        if (slots[i].hash == hash && slots[i].path && strcmp(slots[i].path, path) == 0)
            return &slots[i];
    return NULL;
}

temporary *temporary_of_file(tenon_file file)
{
    for (int i = 0; i < used_count; i++)
        if (slots[i].path && !slots[i].is_closed && slots[i].file == file) return &slots[i];
    return NULL;
}

static bool temporaries_make_room(void)
{
    if (used_count < room) return true;
    if (room > INT_MAX / 2) return false;
    int more = room ? 2 * room : 64;
    temporary *longer = realloc(slots, (size_t)more * sizeof *longer);
    if (!longer) return false;
    slots = longer;
    room = more;
    return true;
}

int temporary_add(const char *path, temporary **added)
{
    int i = left_count < used_count ? 0 : used_count;
    *added = NULL;
    while (i < used_count && slots[i].path) i++;
    char *copy = malloc(strlen(path) + 1);
    if (!copy || !temporaries_make_room()) {
        free(copy);
        return ENOMEM;
    }
    slots[i] = (temporary){.path = strcpy(copy, path), .hash = temporaries_hash(path)};
    if (i == used_count) used_count++;
    left_count++;
    *added = &slots[i];
    return 0;
}

void temporary_forget(temporary *entry)
{
    if (!entry) return;
    free(entry->path);
    *entry = (temporary){0};
    left_count--;
}

int temporary_list_once(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    static _Thread_local char listed[4096];
    if (strcmp(folder, listed) == 0) return 0;
    if (strlen(folder) < sizeof listed) (void)strcpy(listed, folder);
    return tenon_system_files()->list(user, folder, take, take_user);
}
