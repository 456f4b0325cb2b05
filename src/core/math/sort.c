// sort.c: the only sort of the library, by merging.
// SPDX-License-Identifier: MIT

#include "core/math/sort.h"

#include <string.h>

// Two sorted runs, [start, middle) and [middle, end), become one in `to`.
typedef struct runs {
    const uint32_t *from;
    uint32_t *to;
    uint32_t start, middle, end;
} runs;

static void sort_merge(const runs *r, tn_before_fn *before, const void *context)
{
    uint32_t a = r->start, b = r->middle;
    for (uint32_t i = r->start; i < r->end; i++) {
        bool takes_b = a == r->middle || (b < r->end && before(context, r->from[b], r->from[a]));
        r->to[i] = r->from[takes_b ? b++ : a++];
    }
}

static uint32_t sort_least(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

void tn_sort(uint32_t *items, uint32_t *spare, uint32_t count, tn_before_fn *before,
             const void *context)
{
    uint32_t *from = items, *to = spare;
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t start = 0; start < count; start += 2 * width) {
            runs r = {from, to, (uint32_t)start, sort_least(start + width, count),
                      sort_least(start + 2 * width, count)};
            sort_merge(&r, before, context);
        }
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
}

void tn_sort_all(uint32_t *order, uint32_t count, tn_before_fn *before, const void *context)
{
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, order + count, count, before, context);
}
