// modeldata_check_material.c: checks the material and the collision shape of a mesh.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/check/modeldata_check.h"
#include "formats/modeldata/modeldata_shape.h"

#include "core/text/text.h"

#include <inttypes.h>

static void modeldata_check_material_values(tn_check *check, const tenon_modeldata *doc, uint32_t i)
{
    const tenon_modeldata_material *m = &doc->meshes[i].material;
    modeldata_value values[MODELDATA_VALUE_COUNT];
    modeldata_conventions_values(m, values);
    for (int k = 0; k < MODELDATA_VALUE_COUNT; k++) {
        const modeldata_value *value = &values[k];
        bool is_stored = false;
        for (uint32_t n = 0; n < value->count; n++)
            is_stored = is_stored || value->v[n] != value->placeholder;
        if (is_stored && modeldata_conventions_is_default(doc, value))
            tn_found(check, MODELDATA_IGNORED_VALUE,
                     tn_path("meshes[%" PRIu32 "].material.%s", i, value->name),
                     "a value is stored, but the flag selects the default");
    }
    if (m->omits_defaults)
        tn_found(check, MODELDATA_OMITTED_VALUES, tn_path("meshes[%" PRIu32 "].material", i),
                 "values whose flag is set are omitted, but the engine expects them and misreads "
                 "the data after them");
}

static void modeldata_check_material_map(tn_check *check, const tenon_modeldata *doc, uint32_t i,
                                         uint32_t map)
{
    const tenon_modeldata_material *m = &doc->meshes[i].material;
    tn_path_text path = tn_path("meshes[%" PRIu32 "].material.%s", i, modeldata_map_names[map]);
    if (m->map_sizes[map] < 0)
        tn_found(check, MODELDATA_MAP_SIZE, path, "the engine reads its size, %u, as %d",
                 (unsigned)(uint16_t)m->map_sizes[map], m->map_sizes[map]);
    if (!m->maps[map].size) return;
    modeldata_check_characters(check, doc, path, m->maps[map]);
    if (map == TENON_MODELDATA_ALPHA_MAP || map == TENON_MODELDATA_REFLECTION_MAP)
        tn_found(check, MODELDATA_TEXTURE_UNUSED, path, "the engine never draws this map");
}

static void modeldata_check_material_shape(tn_check *check, tenon_str text, uint32_t i)
{
    if (!text.size) return;
    char shown[64];
    tn_path_text path = tn_path("meshes[%" PRIu32 "].collision_shape", i);
    modeldata_shape shape = modeldata_parse_shape(text);
    tn_text_clean(text.data, text.size, shown, sizeof shown);
    if (shape.kind == MODELDATA_SHAPE_UNKNOWN)
        tn_found(check, MODELDATA_SHAPE_NONE, path,
                 "'%s' is not a collision shape that the engine knows", shown);
    if (shape.fault)
        tn_found(check, MODELDATA_SHAPE_FAULT, path, "'%s': %s", shown, shape.fault);
    else if (shape.misread)
        tn_found(check, MODELDATA_SHAPE_MISREAD, path, "'%s': %s", shown, shape.misread);
    if (shape.is_flat)
        tn_found(check, MODELDATA_SHAPE_SIZE, path, "'%s' has a size that is not positive", shown);
}

void modeldata_check_material(tn_check *check, const tenon_modeldata *doc, uint32_t i)
{
    const tenon_modeldata_mesh *mesh = &doc->meshes[i];
    modeldata_check_material_shape(check, mesh->collision_shape, i);
    if (!mesh->material_size) return;
    modeldata_check_material_values(check, doc, i);
    for (uint32_t map = 0; map < TENON_MODELDATA_MAP_COUNT; map++)
        modeldata_check_material_map(check, doc, i, map);
    modeldata_check_leftover(check, tn_path("meshes[%" PRIu32 "].material.leftover", i),
                             &mesh->material.leftover);
}
