// verify_times.c: the times at which two clips are compared; and sorting.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include <string.h>

#define KEY_TIMES_MOST 512  // Of two clips; if they have more, as many of them, evenly spread.

// -- Sorting

static void count_bytes(const tn_radix_item *items, uint64_t count, uint32_t shift,
                        uint64_t starts[256])
{
    uint64_t counts[256] = {0}, sum = 0;
    for (uint64_t i = 0; i < count; i++) counts[items[i].key >> shift & 0xff]++;
    for (uint32_t i = 0; i < 256; i++) {
        starts[i] = sum;
        sum += counts[i];
    }
}

tn_radix_item *tn_radix_sort(tn_radix_item *items, tn_radix_item *spare, uint64_t count)
{
    uint64_t differing = 0;
    for (uint64_t i = 1; i < count; i++) differing |= items[i].key ^ items[0].key;
    for (uint32_t shift = 0; shift < 64; shift += 8) {
        if ((differing >> shift & 0xff) == 0) continue;
        uint64_t starts[256];
        count_bytes(items, count, shift, starts);
        for (uint64_t i = 0; i < count; i++)
            spare[starts[items[i].key >> shift & 0xff]++] = items[i];
        tn_radix_item *swap = items;
        items = spare;
        spare = swap;
    }
    return items;
}

// -- Keys

// Times are not negative, so their bits, taken for whole numbers, are in the order of the times.
static uint64_t time_key(float seconds)
{
    uint32_t bits;
    seconds += 0.0f;  // Not -0.
    memcpy(&bits, &seconds, sizeof bits);
    return bits;
}

static float key_time(uint64_t key)
{
    uint32_t bits = (uint32_t)key;
    float seconds;
    memcpy(&seconds, &bits, sizeof seconds);
    return seconds;
}

static uint64_t key_count(const tenon_animation *animation)
{
    uint64_t count = 0;
    for (uint32_t i = 0; animation && i < animation->channel_count; i++)
        count += animation->channels[i].key_count;
    return count;
}

static tn_radix_item *put_keys(const tenon_animation *animation, tn_radix_item *out)
{
    for (uint32_t i = 0; animation && i < animation->channel_count; i++)
        for (uint32_t k = 0; k < animation->channels[i].key_count; k++)
            (out++)->key = time_key(animation->channels[i].times[k]);
    return out;
}

static uint64_t drop_repeated(tn_radix_item *items, uint64_t count)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (kept == 0 || items[i].key != items[kept - 1].key) items[kept++] = items[i];
    return kept;
}

// Put the times of all keys, sorted, or as many as are allowed: the first, the last, and between
// them at equal steps.
static uint32_t put_key_times(const tn_radix_item *keys, uint64_t count, double *out)
{
    uint32_t taken = count < KEY_TIMES_MOST ? (uint32_t)count : KEY_TIMES_MOST;
    for (uint32_t i = 0; i < taken; i++) {
        uint64_t at = taken < 2 ? 0 : i * (count - 1) / (taken - 1);
        out[i] = (double)key_time(keys[at].key);
    }
    return taken;
}

// -- Both

// Sorted times of two lists as one, those that are in both once.
static uint32_t merge(const double *a, uint32_t a_count, const double *b, uint32_t b_count,
                      double *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0, k = 0; i < a_count || k < b_count;) {
        bool is_from_a = k == b_count || (i < a_count && a[i] <= b[k]);
        double seconds = is_from_a ? a[i++] : b[k++];
        if (count == 0 || out[count - 1] < seconds) out[count++] = seconds;
    }
    return count;
}

static bool collect_keys(tn_verify_context *context, const tenon_animation *a,
                         const tenon_animation *b, double out[KEY_TIMES_MOST], uint32_t *taken)
{
    uint64_t count = key_count(a) + key_count(b);
    tn_mark mark = tn_arena_mark(&context->arena);
    tn_radix_item *keys = tn_verify_alloc(context, count, sizeof *keys);
    tn_radix_item *spare = tn_verify_alloc(context, count, sizeof *spare);
    if (context->failed) return false;
    (void)put_keys(b, put_keys(a, keys));
    keys = tn_radix_sort(keys, spare, count);
    *taken = put_key_times(keys, drop_repeated(keys, count), out);
    tn_arena_rewind(&context->arena, mark);
    return true;
}

// Samples lie in the middle of equal parts of the clip, since the ends are keys.
bool tn_collect_times(tn_verify_context *context, const tenon_animation *a,
                      const tenon_animation *b, uint32_t samples, tn_time_list *times)
{
    double keys[KEY_TIMES_MOST], end = a ? a->duration : 0;
    if (b && b->duration > end) end = b->duration;
    uint32_t taken;
    if (!collect_keys(context, a, b, keys, &taken)) return false;
    double *even = tn_verify_alloc(context, samples, sizeof *even);
    *times = (tn_time_list){
        .seconds = tn_verify_alloc(context, (uint64_t)samples + taken, sizeof *times->seconds)};
    if (context->failed) return false;
    for (uint32_t i = 0; i < samples; i++) even[i] = end * ((double)i + 0.5) / (double)samples;
    times->count = merge(keys, taken, even, samples, times->seconds);
    return true;
}
