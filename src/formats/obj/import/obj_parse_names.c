// obj_parse_names.c: hash tables of names and corners.
// SPDX-License-Identifier: MIT
//
// A file can be constructed so that all hashes are equal. So the search ends after some steps, and
// an item that was not found is added again: this takes more memory, but not more time.

#include "formats/obj/import/obj_parse.h"

#include <string.h>

#define STEPS_MOST 128

// At least twice the number of items, and a power of two.
static uint64_t obj_parse_names_slots_for(uint64_t room)
{
    uint64_t count = 4;
    while (count < 2 * room) count *= 2;
    return count;
}

static uint64_t obj_parse_names_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

// -- Names

static uint64_t obj_parse_names_hash_of(tenon_str text)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < text.size; i++) hash = (hash ^ (uint8_t)text.data[i]) * 0x100000001B3u;
    return obj_parse_names_mix(hash);
}

bool obj_parse_strings_begin(obj_strings *strings, uint32_t room, tn_arena *arena)
{
    *strings = (obj_strings){.room = room, .slot_count = obj_parse_names_slots_for(room)};
    strings->items = tn_arena_alloc(arena, room, sizeof *strings->items, NULL);
    strings->hashes = tn_arena_alloc(arena, room, sizeof *strings->hashes, NULL);
    strings->slots = tn_arena_alloc(arena, strings->slot_count, sizeof *strings->slots, NULL);
    return strings->items && strings->hashes && strings->slots;
}

// The slot of a text, or a free slot for it; NULL if the search ended before one was found.
static uint32_t *obj_parse_names_find_string(const obj_strings *strings, tenon_str text,
                                             uint64_t hash)
{
    for (uint64_t i = 0; i < STEPS_MOST && i < strings->slot_count; i++) {
        uint32_t *slot = &strings->slots[(hash + i) & (strings->slot_count - 1)];
        if (*slot == 0) return slot;
        tenon_str known = strings->items[*slot - 1];
        if (strings->hashes[*slot - 1] == hash && known.size == text.size &&
            memcmp(known.data, text.data, text.size) == 0)
            return slot;
    }
    return NULL;
}

uint32_t obj_parse_strings_find(const obj_strings *strings, tenon_str text)
{
    uint32_t *slot = obj_parse_names_find_string(strings, text, obj_parse_names_hash_of(text));
    return slot && *slot ? *slot - 1 : TENON_NONE;
}

uint32_t obj_parse_strings_add(obj_strings *strings, tenon_str text)
{
    uint64_t hash = obj_parse_names_hash_of(text);
    uint32_t *slot = obj_parse_names_find_string(strings, text, hash);
    if (slot && *slot) return *slot - 1;
    if (strings->count == strings->room) return strings->count - 1;
    strings->items[strings->count] = text;
    strings->hashes[strings->count++] = hash;
    if (slot) *slot = strings->count;
    return strings->count - 1;
}

// -- Triples

bool obj_parse_triples_begin(obj_triples *triples, uint64_t room, tn_arena *arena)
{
    uint64_t slot_count = obj_parse_names_slots_for(room);
    *triples =
        (obj_triples){.items = tn_arena_alloc(arena, room, sizeof *triples->items, NULL),
                      .room = room,
                      .slots = tn_arena_alloc(arena, slot_count, sizeof *triples->slots, NULL),
                      .slot_count = slot_count};
    return triples->items && triples->slots;
}

void obj_parse_triples_clear(obj_triples *triples, uint64_t room)
{
    triples->count = 0;
    triples->slot_count = obj_parse_names_slots_for(room);
    memset(triples->slots, 0, (size_t)triples->slot_count * sizeof *triples->slots);
}

uint32_t obj_parse_triples_add(obj_triples *triples, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t hash = obj_parse_names_mix(obj_parse_names_mix((uint64_t)a << 32 | b) + c);
    uint32_t *slot = NULL;
    for (uint64_t i = 0; i < STEPS_MOST && i < triples->slot_count; i++) {
        slot = &triples->slots[(hash + i) & (triples->slot_count - 1)];
        if (*slot == 0) break;
        const uint32_t *known = triples->items[*slot - 1];
        if (known[0] == a && known[1] == b && known[2] == c) return *slot - 1;
    }
    if (triples->count == triples->room) return triples->count - 1;
    uint32_t *item = triples->items[triples->count++];
    item[0] = a, item[1] = b, item[2] = c;
    if (*slot == 0) *slot = triples->count;
    return triples->count - 1;
}
