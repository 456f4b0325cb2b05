// modeldata_import_material.c: imports materials.
// SPDX-License-Identifier: MIT
//
// Every mesh has a separate material. Equal materials become one.

#include "formats/modeldata/import/modeldata_import.h"

#include "core/math/sort.h"
#include "core/text/number.h"
#include "core/text/text.h"

#include <string.h>

// A material with the engine's defaults filled in.
typedef struct modeldata_full_material {
    float diffuse_color[3], glow_color[3];
    float displacement_factor, tiling, shininess, shine_damping;
    const tenon_str *maps;  // NULL if there are none.
} modeldata_full_material;

static modeldata_full_material modeldata_import_full_material_of(const tenon_modeldata *doc,
                                                                 uint32_t mesh)
{
    const tenon_modeldata_material *m = &doc->meshes[mesh].material;
    bool has_material = doc->meshes[mesh].material_size != 0;
    modeldata_full_material full = {.maps = has_material ? m->maps : NULL};
    // In the order of modeldata_conventions_values().
    float *targets[MODELDATA_VALUE_COUNT] = {full.diffuse_color,        full.glow_color,
                                             &full.displacement_factor, &full.tiling,
                                             &full.shininess,           &full.shine_damping};
    modeldata_value values[MODELDATA_VALUE_COUNT];
    modeldata_conventions_values(m, values);
    for (int i = 0; i < MODELDATA_VALUE_COUNT; i++) {
        bool is_usual = !has_material || modeldata_conventions_is_default(doc, &values[i]);
        for (uint32_t k = 0; k < values[i].count; k++)
            targets[i][k] = is_usual ? values[i].usual : values[i].v[k];
    }
    return full;
}

// -- Equal materials

// Any total order in which only equal materials are neither before nor after each other.
static bool modeldata_import_material_before(const void *context, uint32_t mesh_a, uint32_t mesh_b)
{
    modeldata_full_material a = modeldata_import_full_material_of(context, mesh_a);
    modeldata_full_material b = modeldata_import_full_material_of(context, mesh_b);
    int order = memcmp(&a, &b, offsetof(modeldata_full_material, maps));
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT && order == 0; i++) {
        tenon_str none = {"", 0};
        order = tn_text_order(a.maps ? a.maps[i] : none, b.maps ? b.maps[i] : none);
    }
    return order < 0;
}

// -- Materials

static void modeldata_import_material_number_extra(tn_scene_builder *builder, uint32_t material,
                                                   const char *name, float value)
{
    char text[TN_NUMBER_MAX];
    uint32_t size = (uint32_t)tn_f32_text(value, text);
    tn_add_extra(builder, TENON_EXTRA_OF_MATERIAL, material, name, (tenon_str){text, size});
}

static uint32_t modeldata_import_add_material(tn_scene_builder *builder, tenon_str name,
                                              const modeldata_full_material *full)
{
    uint32_t index = tn_add_material(builder, name);
    bool has_texture = false;
    if (builder->failed) return index;
    tenon_material *material = &builder->scene->materials[index];
    material->is_classic = true;
    for (int k = 0; k < 3; k++) {
        material->base_color[k] = (double)full->diffuse_color[k];
        material->emissive[k] = (double)full->glow_color[k];
        material->specular[k] = (double)full->shininess;
    }
    // The shader clamps it to at least 1.
    material->shininess = full->shine_damping < 1 ? 1 : (double)full->shine_damping;
    // The engine does not draw where the alpha of the diffuse map is less than 0.5.
    if (full->maps && full->maps[TENON_MODELDATA_DIFFUSE_MAP].size) material->alpha = TENON_MASK;
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT && full->maps; i++) {
        if (!full->maps[i].size) continue;
        if (modeldata_maps[i].slot == TENON_SLOT_COUNT) {
            tn_add_extra(builder, TENON_EXTRA_OF_MATERIAL, index, modeldata_maps[i].name,
                         full->maps[i]);
            continue;
        }
        // The engine multiplies the coordinates by `tiling`, then flips v. In the scene v is
        // already flipped.
        tn_set_texture(builder, index, modeldata_maps[i].slot, full->maps[i]);
        if (builder->failed) return index;
        tenon_texture *t = &material->textures[modeldata_maps[i].slot];
        t->scale[0] = t->scale[1] = (double)full->tiling;
        t->offset[1] = 1 - (double)full->tiling;
        has_texture = true;
    }
    if (full->displacement_factor != 0.001f)
        modeldata_import_material_number_extra(builder, index, "displacement_factor",
                                               full->displacement_factor);
    // With a texture, it is in the transform of the texture.
    if (full->tiling != 1 && !has_texture)
        modeldata_import_material_number_extra(builder, index, "tiling", full->tiling);
    return index;
}

void modeldata_import_materials(modeldata_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_modeldata *doc = importer->doc;
    uint32_t count = doc->mesh_count, number = 0;
    uint32_t *equals = tn_scene_array(builder, count, sizeof *equals);
    uint32_t *order = tn_scene_array(builder, count, sizeof *order);
    uint32_t *spare = tn_scene_array(builder, count, sizeof *spare);
    tn_tally missing = {0};
    if (builder->failed) return;
    // For each mesh, the first mesh with an equal material, which may be itself.
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, modeldata_import_material_before, doc);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = i == 0 || modeldata_import_material_before(doc, order[i - 1], order[i]);
        equals[order[i]] = is_new ? order[i] : equals[order[i - 1]];
    }
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        tn_tally_at(&missing, !doc->meshes[i].material_size, "meshes", i);
        if (equals[i] == i) {
            char name_buffer[MODELDATA_NAME_SIZE];
            tenon_str name = modeldata_import_name_of(importer, (tenon_str){"", 0}, "material",
                                                      number++, name_buffer);
            modeldata_full_material full = modeldata_import_full_material_of(doc, i);
            equals[i] = modeldata_import_add_material(builder, name, &full);
        } else {
            equals[i] = equals[equals[i]];  // An earlier mesh, which has its material by now.
        }
    }
    importer->materials = equals;
    tn_tally_report(builder, &missing, TENON_DEFAULTED, "materials",
                    "a mesh without a material uses the engine's defaults");
}
