// gltf_export_seen.c: finds arrays that are already in the plan, by address or by content.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <string.h>

typedef struct gltf_known_entry {
    tn_named named;      // `places`, or the content.
    uint64_t places[4];  // Two addresses, two counts and the tag.
    uint32_t value;
} gltf_known_entry;

static gltf_known_entry *fresh_entry(gltf_exporter *w)
{
    gltf_known_entry *fresh = w->failed ? NULL : gltf_alloc(w, 1, sizeof *fresh);
    if (fresh) fresh->value = TENON_NONE;
    return fresh;
}

uint32_t *gltf_know(gltf_exporter *w, uint32_t tag, const void *a, const void *b, uint32_t count,
                    uint32_t each)
{
    const uint64_t places[4] = {(uintptr_t)a, (uintptr_t)b, (uint64_t)count << 32 | each, tag};
    tenon_str key = {(const char *)places, sizeof places};
    gltf_known_entry *known = (gltf_known_entry *)tn_name_find(&w->known.places, key);
    if (known) return &known->value;
    gltf_known_entry *fresh = fresh_entry(w);
    if (!fresh) return NULL;
    memcpy(fresh->places, places, sizeof places);
    fresh->named.name = (tenon_str){(const char *)fresh->places, sizeof places};
    (void)tn_name_enter(&w->known.places, &fresh->named);
    return &fresh->value;
}

// Content of 4 GiB or more is never found.
uint32_t *gltf_know_bytes(gltf_exporter *w, uint32_t tag, const void *bytes, uint64_t size)
{
    tenon_str key = {bytes, size > UINT32_MAX ? 0 : (uint32_t)size};
    gltf_known_entry *known =
        key.size ? (gltf_known_entry *)tn_name_find(&w->known.contents[tag], key) : NULL;
    if (known) return &known->value;
    gltf_known_entry *fresh = fresh_entry(w);
    if (!fresh) return NULL;
    fresh->named.name = key;
    if (key.size) (void)tn_name_enter(&w->known.contents[tag], &fresh->named);
    return &fresh->value;
}
