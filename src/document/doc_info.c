// doc_info.c: functions with which formats report what is in a document.
// SPDX-License-Identifier: MIT

#include "document/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FACTS_ROOM 64  // Doubled when it is full.

void *tn_info_alloc(tn_info_builder *informer, uint64_t count, size_t size)
{
    void *memory = informer->failed ? NULL : tn_arena_alloc(informer->arena, count, size, NULL);
    if (!memory) informer->failed = true;
    return memory;
}

tenon_str tn_info_copy(tn_info_builder *informer, tenon_str text)
{
    char *copy = tn_info_alloc(informer, (uint64_t)text.size + 1, 1);
    if (!copy) return (tenon_str){"", 0};
    if (text.size) memcpy(copy, text.data, text.size);
    return (tenon_str){copy, text.size};
}

bool tn_text_list_add(tn_text_list *list, const char *fmt, ...)
{
    static const char more[] = ", ...";
    uint32_t most = list->most ? list->most : sizeof list->text - 1;
    char item[256];
    va_list args;
    if (list->is_full) return false;
    va_start(args, fmt);
    int size = vsnprintf(item, sizeof item, fmt, args);
    va_end(args);
    list->is_full = size < 0 || list->size + (uint64_t)size + 2 + sizeof more > most;
    list->size += (uint32_t)snprintf(list->text + list->size, sizeof list->text - list->size,
                                     "%s%s", list->size ? ", " : "", list->is_full ? "..." : item);
    return !list->is_full;
}

void tn_info_add(tn_info_builder *informer, const char *label, const char *fmt, ...)
{
    tenon_info *info = informer->info;
    uint32_t count = info->fact_count;
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    // The list always has room for the next power of two, so that its length is not stored.
    if (count == 0 || (count >= FACTS_ROOM && (count & (count - 1)) == 0)) {
        uint64_t room = count ? 2 * (uint64_t)count : FACTS_ROOM;
        tenon_fact *facts = tn_info_alloc(informer, room, sizeof *facts);
        if (!facts) return;
        if (count) memcpy(facts, info->facts, count * sizeof *facts);
        info->facts = facts;
    }
    char *copy = tn_info_alloc(informer, strlen(text) + 1, 1);
    if (!copy) return;
    memcpy(copy, text, strlen(text) + 1);
    info->facts[info->fact_count++] = (tenon_fact){label, copy};
}
