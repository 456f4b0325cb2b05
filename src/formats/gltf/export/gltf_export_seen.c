// gltf_export_seen.c: finds arrays that are already in the plan, by address or by content.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <string.h>

typedef struct gltf_planned_item {
    tn_named named;      // `places`, or the content.
    uint64_t places[4];  // Two addresses, two counts and the tag.
    uint32_t value;
} gltf_planned_item;

static gltf_planned_item *fresh_entry(gltf_exporter *exporter)
{
    gltf_planned_item *fresh = exporter->failed ? NULL : gltf_alloc(exporter, 1, sizeof *fresh);
    if (fresh) fresh->value = TENON_NONE;
    return fresh;
}

uint32_t *gltf_find_planned(gltf_exporter *exporter, uint32_t tag, const void *a, const void *b,
                            uint32_t count, uint32_t each)
{
    const uint64_t places[4] = {(uintptr_t)a, (uintptr_t)b, (uint64_t)count << 32 | each, tag};
    tenon_str key = {(const char *)places, sizeof places};
    gltf_planned_item *known = (gltf_planned_item *)tn_name_find(&exporter->planned.places, key);
    if (known) return &known->value;
    gltf_planned_item *fresh = fresh_entry(exporter);
    if (!fresh) return NULL;
    memcpy(fresh->places, places, sizeof places);
    fresh->named.name = (tenon_str){(const char *)fresh->places, sizeof places};
    (void)tn_name_enter(&exporter->planned.places, &fresh->named);
    return &fresh->value;
}

// Content of 4 GiB or more is never found.
uint32_t *gltf_find_planned_bytes(gltf_exporter *exporter, uint32_t tag, const void *bytes,
                                  uint64_t size)
{
    tenon_str key = {bytes, size > UINT32_MAX ? 0 : (uint32_t)size};
    gltf_planned_item *known =
        key.size ? (gltf_planned_item *)tn_name_find(&exporter->planned.contents[tag], key) : NULL;
    if (known) return &known->value;
    gltf_planned_item *fresh = fresh_entry(exporter);
    if (!fresh) return NULL;
    fresh->named.name = key;
    if (key.size) (void)tn_name_enter(&exporter->planned.contents[tag], &fresh->named);
    return &fresh->value;
}
