// temporaries.c: the list of temporary files, for handlers that remove them.
// SPDX-License-Identifier: MIT

#include "system/temporaries.h"

#include <stdlib.h>
#include <string.h>

#define CHAINS 1024u

static temporary *first;
static temporary *by_path[CHAINS], *by_file[CHAINS];

const temporary *temporary_first(void)
{
    return first;
}

static uint32_t temporaries_hash(const char *path)
{
    uint32_t hash = 2166136261u;
    for (; *path; path++) hash = (hash ^ (uint8_t)*path) * 16777619u;
    return hash;
}

static temporary **temporaries_chain_of_file(tenon_file file)
{
    return &by_file[(uint64_t)file % CHAINS];
}

temporary *temporary_of_path(const char *path)
{
    uint32_t hash = temporaries_hash(path);
    temporary *entry = by_path[hash % CHAINS];
    while (entry && (entry->hash != hash || strcmp(entry->path, path) != 0))
        entry = entry->next_of_path;
    return entry;
}

temporary *temporary_of_file(tenon_file file)
{
    temporary *entry = *temporaries_chain_of_file(file);
    while (entry && entry->file != file) entry = entry->next_of_file;
    return entry;
}

temporary *temporary_add(const char *path)
{
    size_t size = strlen(path) + 1;
    temporary *entry = malloc(sizeof *entry + size);
    if (!entry) return NULL;
    *entry = (temporary){.next = first, .hash = temporaries_hash(path)};
    memcpy(entry->path, path, size);
    temporary **chain = &by_path[entry->hash % CHAINS];
    entry->next_of_path = *chain;
    *chain = entry;
    if (first) first->previous = entry;
    first = entry;
    return entry;
}

void temporary_set_open(temporary *entry, tenon_file file)
{
    temporary **chain = temporaries_chain_of_file(file);
    entry->file = file;
    entry->is_open = true;
    entry->next_of_file = *chain;
    *chain = entry;
}

void temporary_set_closed(temporary *entry)
{
    if (!entry->is_open) return;
    temporary **link = temporaries_chain_of_file(entry->file);
    while (*link != entry) link = &(*link)->next_of_file;
    *link = entry->next_of_file;
    entry->is_open = false;
}

void temporary_forget(temporary *entry)
{
    if (!entry) return;
    temporary_set_closed(entry);
    temporary **link = &by_path[entry->hash % CHAINS];
    while (*link != entry) link = &(*link)->next_of_path;
    *link = entry->next_of_path;
    if (entry->next) entry->next->previous = entry->previous;
    *(entry->previous ? &entry->previous->next : &first) = entry->next;
    free(entry);
}

int temporary_list_once(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    static _Thread_local char listed[4096];
    if (strcmp(folder, listed) == 0) return 0;
    if (strlen(folder) < sizeof listed) (void)strcpy(listed, folder);
    return tenon_system_files()->list(user, folder, take, take_user);
}
