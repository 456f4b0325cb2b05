// obj_import_material.c: imports the materials from the MTL files beside an OBJ file.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_import.h"

#include "core/text/tally.h"
#include "core/text/text.h"
#include "scene/model/scene_finish.h"

// What is lost: the faults of libraries, and these.
enum {
    LOST_AMBIENT = OBJ_LIBRARY_FAULT_COUNT,
    LOST_CLASSIC,
    LOST_TEXTURE,
    MATERIAL_LOSS_COUNT,
};

typedef struct obj_material_importer {
    obj_importer *importer;
    obj_library_reader libraries;
    tn_tally lost[MATERIAL_LOSS_COUNT];
} obj_material_importer;

// -- Losses

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
} losses[MATERIAL_LOSS_COUNT] = {
    [OBJ_LIBRARY_NO_FOLDER] = {TENON_DROPPED, "material libraries",
                               "the folder of the model is unknown"},
    [OBJ_LIBRARY_MISSING] = {TENON_DROPPED, "material libraries", "the files do not exist"},
    [OBJ_LIBRARY_UNREADABLE] = {TENON_DROPPED, "material libraries", "the files cannot be read"},
    [OBJ_LIBRARY_TOO_MANY] = {TENON_DROPPED, "material libraries", "there are too many libraries"},
    [OBJ_LIBRARY_UNDEFINED] = {TENON_DEFAULTED, "materials", "they are not defined in a library"},
    [OBJ_LIBRARY_UNUSED] = {TENON_DROPPED, "materials", "not used by a mesh"},
    [OBJ_LIBRARY_VALUE] = {TENON_DEFAULTED, "materials", "a value cannot be read"},
    [OBJ_LIBRARY_PROPERTY] = {TENON_DROPPED, "properties of materials", "not supported in scenes"},
    [OBJ_LIBRARY_OPTION] = {TENON_DROPPED, "options of textures", "not supported in scenes"},
    [LOST_AMBIENT] = {TENON_DROPPED, "ambient colors", "not supported in scenes"},
    [LOST_CLASSIC] = {TENON_DROPPED, "specular colors",
                      "the material also has metalness and roughness"},
    [LOST_TEXTURE] = {TENON_DROPPED, "textures", "not supported in scenes"},
};

static void obj_lose_material(obj_material_importer *materials, uint32_t loss, uint64_t line)
{
    tn_tally_path(&materials->lost[loss], 1, "%.64s:%llu", materials->libraries.file,
                  (unsigned long long)line);
}

static void obj_tally_fault(void *user, obj_library_fault fault, tenon_str name, uint64_t line)
{
    obj_material_importer *materials = user;
    if (fault == OBJ_LIBRARY_OUTSIDE) fault = OBJ_LIBRARY_MISSING;
    if (line)
        obj_lose_material(materials, fault, line);
    else
        tn_tally_path(&materials->lost[fault], 1, "%.*s", name.size < 48 ? (int)name.size : 48,
                      name.data);
}

// -- Textures

// V goes up in OBJ and down in scenes: 1 - (s (1 - v) + o) = s v + (1 - s - o).
static void obj_set_texture(obj_material_importer *materials, uint32_t material, tenon_slot slot,
                            const obj_map *map)
{
    tn_scene_builder *builder = materials->importer->builder;
    if (map->path.size == 0) return;
    tn_set_texture(builder, material, slot, map->path);
    if (builder->failed) return;
    tenon_texture *t = &builder->scene->materials[material].textures[slot];
    for (int k = 0; k < 2; k++) {
        t->scale[k] = map->scale[k];
        t->wrap[k] = map->is_clamped ? TENON_CLAMP : TENON_REPEAT;
    }
    t->offset[0] = map->offset[0];
    t->offset[1] = 1 - (double)map->scale[1] - (double)map->offset[1];
}

static void obj_set_textures(obj_material_importer *materials, uint32_t material,
                             const obj_material *from)
{
    static const struct {
        obj_map_use use;
        tenon_slot slot;
    } slots[] = {
        {OBJ_MAP_DIFFUSE, TENON_SLOT_BASE_COLOR},        {OBJ_MAP_SPECULAR, TENON_SLOT_SPECULAR},
        {OBJ_MAP_EMISSIVE, TENON_SLOT_EMISSIVE},         {OBJ_MAP_NORMAL, TENON_SLOT_NORMAL},
        {OBJ_MAP_DISPLACEMENT, TENON_SLOT_DISPLACEMENT},
    };
    tn_scene_builder *builder = materials->importer->builder;
    tenon_str diffuse = from->maps[OBJ_MAP_DIFFUSE].path;
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++)
        obj_set_texture(materials, material, slots[i].slot, &from->maps[slots[i].use]);
    // A scene has both in one image: roughness in green, metalness in blue.
    const obj_map *rough = &from->maps[OBJ_MAP_ROUGHNESS], *metal = &from->maps[OBJ_MAP_METALLIC];
    bool has_rough = rough->path.size > 0, has_metal = metal->path.size > 0;
    bool fits = has_rough && has_metal ? tn_text_equal(rough->path, metal->path)
                : has_rough            ? rough->channel == 'g'
                                       : metal->channel == 'b';
    if ((has_rough || has_metal) && !fits)
        obj_lose_material(materials, LOST_TEXTURE, has_rough ? rough->line : metal->line);
    else
        obj_set_texture(materials, material, TENON_SLOT_METALLIC_ROUGHNESS,
                        has_rough ? rough : metal);
    if (fits && !builder->failed) {
        // The image is multiplied by the number.
        tenon_material *m = &builder->scene->materials[material];
        if (has_metal && !from->is_set[OBJ_METALLIC]) m->metallic = 1;
        if (has_rough && !from->is_set[OBJ_ROUGHNESS]) m->roughness = 1;
    }
    // In a scene alpha is in the image of the base color.
    const obj_map *alpha = &from->maps[OBJ_MAP_ALPHA];
    if (alpha->path.size && !tn_text_equal(alpha->path, diffuse))
        obj_lose_material(materials, LOST_TEXTURE, alpha->line);
    else if (alpha->path.size && !builder->failed)
        builder->scene->materials[material].alpha = TENON_BLEND;
    // Many programs repeat the diffuse map as the ambient map.
    const obj_map *ambient = &from->maps[OBJ_MAP_AMBIENT];
    if (ambient->path.size && !tn_text_equal(ambient->path, diffuse))
        obj_lose_material(materials, LOST_TEXTURE, ambient->line);
}

// -- Numbers

static void obj_set_color(double *to, const obj_material *from, obj_property property, bool has_map)
{
    for (int k = 0; k < 3; k++)
        if (from->is_set[property] || has_map)
            to[k] = from->is_set[property] ? from->values[property][k] : 1;
}

// -- Libraries

static bool obj_add_material(void *user, uint32_t index, const obj_material *from, bool is_first)
{
    obj_material_importer *materials = user;
    tn_scene_builder *builder = materials->importer->builder;
    uint32_t material = materials->importer->materials[index];
    if (!is_first) return true;
    tenon_material *m = &builder->scene->materials[material];
    bool is_metallic = from->is_set[OBJ_ROUGHNESS] || from->is_set[OBJ_METALLIC] ||
                       from->maps[OBJ_MAP_ROUGHNESS].path.size ||
                       from->maps[OBJ_MAP_METALLIC].path.size;
    bool has_specular = from->is_set[OBJ_SPECULAR] || from->is_set[OBJ_SHININESS] ||
                        from->maps[OBJ_MAP_SPECULAR].path.size;
    m->is_classic = has_specular && !is_metallic;
    obj_set_color(m->base_color, from, OBJ_DIFFUSE, false);
    obj_set_color(m->emissive, from, OBJ_EMISSIVE, from->maps[OBJ_MAP_EMISSIVE].path.size > 0);
    m->base_color[3] = 1;
    if (from->is_set[OBJ_TRANSPARENCY])
        m->base_color[3] = 1 - (double)from->values[OBJ_TRANSPARENCY][0];
    if (from->is_set[OBJ_OPACITY]) m->base_color[3] = from->values[OBJ_OPACITY][0];
    if (m->base_color[3] < 1) m->alpha = TENON_BLEND;
    if (m->is_classic)
        obj_set_color(m->specular, from, OBJ_SPECULAR, from->maps[OBJ_MAP_SPECULAR].path.size > 0);
    if (m->is_classic && from->is_set[OBJ_SHININESS]) m->shininess = from->values[OBJ_SHININESS][0];
    if (from->is_set[OBJ_ROUGHNESS]) m->roughness = from->values[OBJ_ROUGHNESS][0];
    if (from->is_set[OBJ_METALLIC]) m->metallic = from->values[OBJ_METALLIC][0];
    m->is_unlit = from->is_set[OBJ_ILLUMINATION] && from->values[OBJ_ILLUMINATION][0] == 0;
    if (from->maps[OBJ_MAP_NORMAL].path.size) m->normal_scale = from->maps[OBJ_MAP_NORMAL].bump;
    if (is_metallic && has_specular) obj_lose_material(materials, LOST_CLASSIC, from->line);
    // Programs without ambient colors write black or white.
    const float *ambient = from->values[OBJ_AMBIENT];
    bool is_gray = ambient[0] == ambient[1] && ambient[1] == ambient[2];
    bool has_ambient =
        from->is_set[OBJ_AMBIENT] && !(is_gray && (ambient[0] == 0 || ambient[0] == 1));
    if (has_ambient) obj_lose_material(materials, LOST_AMBIENT, from->line);
    obj_set_textures(materials, material, from);
    return !builder->failed;
}

void obj_import_materials(obj_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tn_name_list *names = &importer->model.materials;
    importer->materials = obj_alloc(importer, names->count, sizeof *importer->materials);
    bool *is_defined = obj_alloc(importer, names->count, sizeof *is_defined);
    for (uint32_t i = 0; i < names->count && !builder->failed; i++)
        importer->materials[i] = tn_add_material(builder, names->items[i].name);
    if (builder->failed) return;
    tenon_error why;
    obj_material_importer materials = {.importer = importer,
                                       .libraries = {.model_path = builder->opts->model_path,
                                                     .files = builder->opts->files,
                                                     .arena = importer->arena,
                                                     .materials = names,
                                                     .is_defined = is_defined,
                                                     .on_material = obj_add_material,
                                                     .on_fault = obj_tally_fault,
                                                     .user = &materials,
                                                     .err = &why}};
    if (!obj_read_libraries(&materials.libraries, &importer->model.libraries)) {
        tn_scene_fail(builder, why.code, NULL, "%s", why.message);
        return;
    }
    for (int i = 0; i < MATERIAL_LOSS_COUNT; i++)
        tn_tally_report(builder, &materials.lost[i], losses[i].kind, losses[i].feature,
                        losses[i].why);
}
