// verify_times.c: the times at which two clips are compared; radix sort.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include <string.h>

#define KEY_TIMES_MOST 512  // Of two clips; of more, as many are taken, evenly spread.

// -- Sorting

tn_radix_item *tn_radix_sort(tn_radix_item *items, tn_radix_item *spare, uint64_t count)
{
    uint64_t differing = 0;
    for (uint64_t i = 1; i < count; i++) differing |= items[i].key ^ items[0].key;
    for (uint32_t shift = 0; shift < 64; shift += 8) {
        if ((differing >> shift & 0xff) == 0) continue;
        uint64_t starts[256], counts[256] = {0}, sum = 0;
        for (uint64_t i = 0; i < count; i++) counts[items[i].key >> shift & 0xff]++;
        for (uint32_t i = 0; i < 256; i++) {
            starts[i] = sum;
            sum += counts[i];
        }
        for (uint64_t i = 0; i < count; i++)
            spare[starts[items[i].key >> shift & 0xff]++] = items[i];
        tn_radix_item *swap = items;
        items = spare;
        spare = swap;
    }
    return items;
}

// -- Times

// The times of the keys of both, sorted, each once. If there are too many, the first, the last, and
// some at equal steps between them. Times are not negative, so their bits, read as integers, are in
// the order of the times.
static bool verify_collect_key_times(tn_match_context *context, const tenon_animation *a,
                                     const tenon_animation *b, double out[KEY_TIMES_MOST],
                                     uint32_t *out_count)
{
    const tenon_animation *const animations[2] = {a, b};
    uint64_t count = 0, next = 0, kept = 0;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; animations[side] && i < animations[side]->channel_count; i++)
            count += animations[side]->channels[i].key_count;
    tn_mark mark = tn_arena_mark(&context->arena);
    tn_radix_item *keys = tn_match_alloc(context, count, sizeof *keys);
    tn_radix_item *spare = tn_match_alloc(context, count, sizeof *spare);
    if (context->failed) return false;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; animations[side] && i < animations[side]->channel_count; i++) {
            const tenon_channel *channel = &animations[side]->channels[i];
            const tenon_channel *before = i > 0 ? channel - 1 : channel;
            uint32_t shared = i == 0                                   ? 0
                              : before->key_count < channel->key_count ? before->key_count
                                                                       : channel->key_count;
            for (uint32_t k = 0; k < channel->key_count; k++) {
                // Most channels have the times of the one before.
                if (k < shared && before->times[k] == channel->times[k]) continue;
                uint32_t bits;
                float seconds = channel->times[k] + 0.0f;  // Not -0.
                memcpy(&bits, &seconds, sizeof bits);
                keys[next++].key = bits;
            }
        }
    keys = tn_radix_sort(keys, spare, next);
    for (uint64_t i = 0; i < next; i++)
        if (kept == 0 || keys[i].key != keys[kept - 1].key) keys[kept++] = keys[i];
    uint32_t taken = kept < KEY_TIMES_MOST ? (uint32_t)kept : KEY_TIMES_MOST;
    for (uint32_t i = 0; i < taken; i++) {
        uint64_t at = taken < 2 ? 0 : i * (kept - 1) / (taken - 1);
        uint32_t bits = (uint32_t)keys[at].key;
        float seconds;
        memcpy(&seconds, &bits, sizeof seconds);
        out[i] = (double)seconds;
    }
    *out_count = taken;
    tn_arena_rewind(&context->arena, mark);
    return true;
}

// Samples are in the middle of equal parts of the clip, because the ends are keys.
bool tn_collect_times(tn_match_context *context, const tenon_animation *a, const tenon_animation *b,
                      uint32_t samples, tn_time_list *times)
{
    double keys[KEY_TIMES_MOST], end = a ? a->duration : 0;
    if (b && b->duration > end) end = b->duration;
    uint32_t taken;
    if (!verify_collect_key_times(context, a, b, keys, &taken)) return false;
    double *even = tn_match_alloc(context, samples, sizeof *even);
    double *merged = tn_match_alloc(context, (uint64_t)samples + taken, sizeof *merged);
    if (context->failed) return false;
    for (uint32_t i = 0; i < samples; i++) even[i] = end * ((double)i + 0.5) / (double)samples;
    uint32_t count = 0;
    for (uint32_t i = 0, k = 0; i < taken || k < samples;) {
        bool is_key = k == samples || (i < taken && keys[i] <= even[k]);
        double seconds = is_key ? keys[i++] : even[k++];
        if (count == 0 || merged[count - 1] < seconds) merged[count++] = seconds;
    }
    *times = (tn_time_list){.count = count, .seconds = merged};
    return true;
}
