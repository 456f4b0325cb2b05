// tally.c: how often something happened, and where first.
// SPDX-License-Identifier: MIT

#include "core/text/tally.h"

#include <stdarg.h>
#include <stdio.h>

void tn_tally_at(tn_tally *tally, uint64_t count, const char *list, uint32_t index)
{
    tn_tally_path(tally, count, "%s[%u]", list, (unsigned)index);
}

void tn_tally_in(tn_tally *tally, uint64_t count, const char *list, uint32_t index,
                 const char *inner_list, uint32_t inner_index)
{
    tn_tally_path(tally, count, "%s[%u].%s[%u]", list, (unsigned)index, inner_list,
                  (unsigned)inner_index);
}

void tn_tally_path(tn_tally *tally, uint64_t count, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (count && !tally->count) (void)vsnprintf(tally->path, sizeof tally->path, fmt, args);
    va_end(args);
    tally->count += count;
}
