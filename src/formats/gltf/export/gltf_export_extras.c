// gltf_export_extras.c: named extras, by the object that they belong to.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <string.h>

static uint32_t gltf_objects_of(const tenon_scene *s, tenon_extra_of of)
{
    switch (of) {  // unreachable: any other kind, since exports check the scene first
    case TENON_EXTRA_OF_SCENE:
        return 1;
    case TENON_EXTRA_OF_NODE:
        return s->node_count;
    case TENON_EXTRA_OF_MESH:
        return s->mesh_count;
    case TENON_EXTRA_OF_MATERIAL:
        return s->material_count;
    case TENON_EXTRA_OF_ANIMATION:
        return s->animation_count;
    }
    return 0;  // unreachable: all kinds have returned
}

static bool is_named(const tenon_extra *extra, const char *name)
{
    return extra->name.size == strlen(name) && memcmp(extra->name.data, name, strlen(name)) == 0;
}

// Keys that the export uses itself.
static bool is_reserved(const tenon_extra *extra)
{
    if (extra->of == TENON_EXTRA_OF_NODE) return is_named(extra, "joint");
    if (extra->of == TENON_EXTRA_OF_ANIMATION) return is_named(extra, "events");
    if (extra->of != TENON_EXTRA_OF_MATERIAL) return false;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        if (is_named(extra, gltf_texture_keys[slot])) return true;
    return is_named(extra, "specular") || is_named(extra, "shininess");
}

// Whether this is the first extra of the object with that name.
static bool gltf_is_new(gltf_exporter *exporter, const tenon_extra *extra)
{
    size_t size = sizeof extra->index + extra->name.size;
    uint8_t *key = gltf_alloc(exporter, size, 1);
    if (!key) return false;
    memcpy(key, &extra->index, sizeof extra->index);
    memcpy(key + sizeof extra->index, extra->name.data, extra->name.size);
    uint32_t *place =
        gltf_find_planned_bytes(exporter, GLTF_TAG_EXTRA + (uint32_t)extra->of, key, size);
    bool is_new = place && *place == TENON_NONE;
    if (place) *place = 0;
    return is_new;
}

// Build the list of each object. Of two extras with the same name the first is kept. A dropped
// extra has itself as `next_extra`.
void gltf_plan_extras(gltf_exporter *exporter)
{
    const tenon_scene *s = exporter->scene;
    for (int of = 0; of < GLTF_EXTRA_KINDS; of++)
        exporter->extras_of[of] =
            gltf_alloc_indices(exporter, gltf_objects_of(s, (tenon_extra_of)of));
    exporter->next_extra = gltf_alloc_indices(exporter, s->extra_count);
    for (uint32_t i = 0; i < s->extra_count && !exporter->failed; i++) {
        const tenon_extra *extra = &s->extras[i];
        bool exists = extra->index < gltf_objects_of(s, extra->of);
        if (exists && !is_reserved(extra) && gltf_is_new(exporter, extra)) continue;
        gltf_report_loss(exporter, GLTF_LOST_EXTRAS, 1, "extras", i);
        exporter->next_extra[i] = i;
    }
    for (uint32_t i = s->extra_count; i-- > 0 && !exporter->failed;) {
        if (exporter->next_extra[i] == i) continue;
        uint32_t *first = &exporter->extras_of[s->extras[i].of][s->extras[i].index];
        exporter->next_extra[i] = *first;
        *first = i;
    }
}

bool gltf_has_extras(const gltf_exporter *exporter, tenon_extra_of of, uint32_t index)
{
    return exporter->extras_of[of][index] != TENON_NONE;
}

void gltf_write_extra_members(gltf_exporter *exporter, tenon_extra_of of, uint32_t index)
{
    for (uint32_t i = exporter->extras_of[of][index]; i != TENON_NONE;
         i = exporter->next_extra[i]) {
        const tenon_extra *extra = &exporter->scene->extras[i];
        tn_json_put_key_bytes(&exporter->json, extra->name.data, extra->name.size);
        tn_json_put_string_bytes(&exporter->json, extra->value.data, extra->value.size);
    }
}

void gltf_write_extras(gltf_exporter *exporter, tenon_extra_of of, uint32_t index)
{
    if (!gltf_has_extras(exporter, of, index)) return;
    gltf_begin_object(exporter, "extras");
    gltf_write_extra_members(exporter, of, index);
    gltf_end_object(exporter);
}
