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
typedef struct modeldata_look {
    float diffuse_color[3], glow_color[3];
    float displacement_factor, tiling, shininess, shine_damping;
    const tenon_str *maps;  // NULL if there are none.
} modeldata_look;

static const modeldata_look modeldata_default_look = {
    .diffuse_color = {1, 1, 1},
    .displacement_factor = 0.001f,
    .tiling = 1,
    .shininess = 0.2f,
    .shine_damping = 10,
};

static modeldata_look modeldata_look_of(const tenon_modeldata *doc, uint32_t mesh)
{
    const tenon_modeldata_material *m = &doc->meshes[mesh].material;
    modeldata_look look = modeldata_default_look;
    if (!doc->meshes[mesh].material_size) return look;
    // In the order of modeldata_values().
    float *targets[MODELDATA_VALUE_COUNT] = {look.diffuse_color,        look.glow_color,
                                             &look.displacement_factor, &look.tiling,
                                             &look.shininess,           &look.shine_damping};
    modeldata_value values[MODELDATA_VALUE_COUNT];
    modeldata_values(m, values);
    for (int i = 0; i < MODELDATA_VALUE_COUNT; i++)
        if (!modeldata_is_default(doc, &values[i]))
            memcpy(targets[i], values[i].v, values[i].count * sizeof(float));
    look.maps = m->maps;
    return look;
}

// -- Equal materials

// Any total order in which only equal materials compare as 0.
static int modeldata_compare_looks(const modeldata_look *a, const modeldata_look *b)
{
    int order = memcmp(a, b, offsetof(modeldata_look, maps));
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT && order == 0; i++) {
        tenon_str none = {"", 0};
        order = tn_text_order(a->maps ? a->maps[i] : none, b->maps ? b->maps[i] : none);
    }
    return order;
}

static bool modeldata_look_before(const void *context, uint32_t a, uint32_t b)
{
    modeldata_look look_a = modeldata_look_of(context, a), look_b = modeldata_look_of(context, b);
    return modeldata_compare_looks(&look_a, &look_b) < 0;
}

// For each mesh, the first mesh with an equal material, which may be itself.
static uint32_t *modeldata_find_equals(const modeldata_importer *m)
{
    uint32_t count = m->doc->mesh_count;
    uint32_t *equals = tn_scene_array(m->b, count, sizeof *equals);
    uint32_t *order = tn_scene_array(m->b, count, sizeof *order);
    uint32_t *spare = tn_scene_array(m->b, count, sizeof *spare);
    if (m->b->failed) return NULL;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, modeldata_look_before, m->doc);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = i == 0 || modeldata_look_before(m->doc, order[i - 1], order[i]);
        equals[order[i]] = is_new ? order[i] : equals[order[i - 1]];
    }
    return equals;
}

// -- Materials

static const struct {
    tenon_slot slot;
    const char *extra;  // Name of an extra, for maps that the engine does not draw; else NULL.
} modeldata_slots[TENON_MODELDATA_MAP_COUNT] = {
    [TENON_MODELDATA_DIFFUSE_MAP] = {TENON_SLOT_BASE_COLOR, NULL},
    [TENON_MODELDATA_NORMAL_MAP] = {TENON_SLOT_NORMAL, NULL},
    [TENON_MODELDATA_SPECULAR_MAP] = {TENON_SLOT_SPECULAR, NULL},
    [TENON_MODELDATA_DISPLACEMENT_MAP] = {TENON_SLOT_DISPLACEMENT, NULL},
    [TENON_MODELDATA_AMBIENT_OCCLUSION_MAP] = {TENON_SLOT_OCCLUSION, NULL},
    [TENON_MODELDATA_ALPHA_MAP] = {TENON_SLOT_COUNT, "alpha_map"},
    [TENON_MODELDATA_REFLECTION_MAP] = {TENON_SLOT_COUNT, "reflection_map"},
    [TENON_MODELDATA_GLOW_MAP] = {TENON_SLOT_EMISSIVE, NULL},
};

// The engine multiplies the coordinates by `tiling`, then flips v. In the scene v is already
// flipped.
static void modeldata_set_map(tn_scene_builder *b, uint32_t material, int map,
                              const modeldata_look *look)
{
    if (modeldata_slots[map].extra) {
        tn_add_extra(b, TENON_EXTRA_OF_MATERIAL, material, modeldata_slots[map].extra,
                     look->maps[map]);
        return;
    }
    tn_set_texture(b, material, modeldata_slots[map].slot, look->maps[map]);
    if (b->failed) return;
    tenon_texture *t = &b->scene->materials[material].textures[modeldata_slots[map].slot];
    t->scale[0] = t->scale[1] = (double)look->tiling;
    t->offset[1] = 1 - (double)look->tiling;
}

static void modeldata_set_colors(tenon_material *m, const modeldata_look *look)
{
    m->is_classic = true;
    for (int k = 0; k < 3; k++) {
        m->base_color[k] = (double)look->diffuse_color[k];
        m->emissive[k] = (double)look->glow_color[k];
        m->specular[k] = (double)look->shininess;
    }
    // The shader clamps it to at least 1.
    m->shininess = look->shine_damping < 1 ? 1 : (double)look->shine_damping;
    // The engine does not draw where the alpha of the diffuse map is less than 0.5.
    if (look->maps && look->maps[TENON_MODELDATA_DIFFUSE_MAP].size) m->alpha = TENON_MASK;
}

static void modeldata_keep_number(tn_scene_builder *b, uint32_t material, const char *name,
                                  float value)
{
    char text[TN_NUMBER_MAX];
    uint32_t size = (uint32_t)tn_f32_text(value, text);
    tn_add_extra(b, TENON_EXTRA_OF_MATERIAL, material, name, (tenon_str){text, size});
}

static uint32_t modeldata_add_material(tn_scene_builder *b, tenon_str name,
                                       const modeldata_look *look)
{
    uint32_t index = tn_add_material(b, name);
    bool has_texture = false;
    if (b->failed) return index;
    modeldata_set_colors(&b->scene->materials[index], look);
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT && look->maps; i++) {
        if (!look->maps[i].size) continue;
        modeldata_set_map(b, index, i, look);
        has_texture = has_texture || !modeldata_slots[i].extra;
    }
    if (look->displacement_factor != modeldata_default_look.displacement_factor)
        modeldata_keep_number(b, index, "displacement_factor", look->displacement_factor);
    // With a texture, it is in the transform of the texture.
    if (look->tiling != modeldata_default_look.tiling && !has_texture)
        modeldata_keep_number(b, index, "tiling", look->tiling);
    return index;
}

void modeldata_add_materials(modeldata_importer *m)
{
    uint32_t *equals = modeldata_find_equals(m), number = 0;
    tn_tally missing = {0};
    for (uint32_t i = 0; i < m->doc->mesh_count && !m->b->failed; i++) {
        tn_tally_at(&missing, !m->doc->meshes[i].material_size, "meshes", i);
        if (equals[i] == i) {
            char room[MODELDATA_NAME_SIZE];
            tenon_str name = modeldata_name_of(m, (tenon_str){"", 0}, "material", number++, room);
            modeldata_look look = modeldata_look_of(m->doc, i);
            equals[i] = modeldata_add_material(m->b, name, &look);
        } else {
            equals[i] = equals[equals[i]];  // An earlier mesh, which has its material by now.
        }
    }
    m->materials = equals;
    tn_tally_report(m->b, &missing, TENON_DEFAULTED, "materials",
                    "a mesh without a material uses the engine's defaults");
}
