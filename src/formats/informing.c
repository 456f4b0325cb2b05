// informing.c: what formats use to say what is in a document.
// SPDX-License-Identifier: MIT

#include "formats.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FACTS_MOST 64  // A file has few kinds of things to say; more would not be read.

void *tn_inform_alloc(tn_informer *informer, uint64_t count, size_t size)
{
    void *memory = informer->failed ? NULL : tn_arena_alloc(informer->arena, count, size, NULL);
    if (!memory) informer->failed = true;
    return memory;
}

void tn_inform(tn_informer *informer, const char *label, const char *fmt, ...)
{
    tenon_info *info = informer->info;
    if (!info->facts) info->facts = tn_inform_alloc(informer, FACTS_MOST, sizeof *info->facts);
    if (informer->failed || info->fact_count == FACTS_MOST) return;
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    char *copy = tn_inform_alloc(informer, strlen(text) + 1, 1);
    if (!copy) return;
    memcpy(copy, text, strlen(text) + 1);
    info->facts[info->fact_count++] = (tenon_fact){label, copy};
}
