// gltf_write_known.c: what the writer has seen, found again by where it is or by what it holds.
// SPDX-License-Identifier: MIT

#include "gltf_write.h"

#include <string.h>

// A key, by place: two pointers and two counts; or by content: `size` bytes at `a`.
typedef struct gltf_known_entry {
    uint64_t hash;
    const void *a, *b;
    uint64_t size;  // By place: the counts.
    uint32_t tag;
    bool is_content, is_taken;
    uint32_t value;
} gltf_known_entry;

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_bytes(const uint8_t *bytes, uint64_t size, uint32_t tag)
{
    uint64_t hash = mix(tag, size), word = 0;
    uint64_t at = 0;
    for (; size - at >= sizeof word; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        hash = mix(hash, word);
    }
    for (; at < size; at++) hash = mix(hash, bytes[at]);
    return hash;
}

static bool is_same(const gltf_known_entry *x, const gltf_known_entry *y)
{
    if (x->hash != y->hash || x->tag != y->tag || x->size != y->size) return false;
    if (x->is_content != y->is_content) return false;
    if (x->is_content) return memcmp(x->a, y->a, (size_t)x->size) == 0;
    return x->a == y->a && x->b == y->b;
}

static gltf_known_entry *place_of(const gltf_known *known, const gltf_known_entry *key)
{
    uint32_t mask = known->room - 1, at = (uint32_t)(key->hash >> 32) & mask;
    while (known->entries[at].is_taken && !is_same(&known->entries[at], key)) at = (at + 1) & mask;
    return &known->entries[at];
}

// The table is at most half full.
static bool make_room(gltf_writer *w)
{
    gltf_known *known = &w->known;
    if (2 * (uint64_t)known->count < known->room) return !w->failed;
    gltf_known larger = {.count = known->count, .room = known->room ? 2 * known->room : 256};
    if (larger.room == 0) w->failed = !tn_error(w->e->err, TENON_ERR_LIMIT, "too many objects");
    larger.entries = gltf_alloc(w, larger.room, sizeof *larger.entries);
    if (!larger.entries) return false;
    for (uint32_t i = 0; i < known->room; i++)
        if (known->entries[i].is_taken) *place_of(&larger, &known->entries[i]) = known->entries[i];
    *known = larger;
    return true;
}

static uint32_t *know(gltf_writer *w, gltf_known_entry key)
{
    if (!make_room(w)) return NULL;
    gltf_known_entry *place = place_of(&w->known, &key);
    if (!place->is_taken) {
        *place = key;
        place->is_taken = true;
        place->value = TENON_NONE;
        w->known.count++;
    }
    return &place->value;
}

uint32_t *gltf_know(gltf_writer *w, uint32_t tag, const void *a, const void *b, uint32_t count,
                    uint32_t each)
{
    uint64_t size = (uint64_t)count << 32 | each;
    uint64_t hash = mix(mix(mix(tag, (uintptr_t)a), (uintptr_t)b), size);
    return know(w, (gltf_known_entry){.hash = hash, .a = a, .b = b, .size = size, .tag = tag});
}

uint32_t *gltf_know_bytes(gltf_writer *w, uint32_t tag, const void *bytes, uint64_t size)
{
    return know(w, (gltf_known_entry){.hash = hash_bytes(bytes, size, tag),
                                      .a = bytes,
                                      .size = size,
                                      .tag = tag,
                                      .is_content = true});
}
