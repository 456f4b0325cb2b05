// obj_import_material.c: imports the materials from the MTL files beside an OBJ file.
// SPDX-License-Identifier: MIT

#include "core/text/tally.h"
#include "formats/obj/import/obj_import.h"
#include "formats/obj/import/obj_library.h"
#include "formats/obj/import/obj_parse_mtl.h"

#include <stdio.h>
#include <string.h>

typedef enum look_loss {
    LOOK_NO_FOLDER,
    LOOK_MISSING,
    LOOK_UNREADABLE,
    LOOK_TOO_MANY,
    LOOK_UNDEFINED,
    LOOK_UNUSED,
    LOOK_VALUE,
    LOOK_PROPERTY,
    LOOK_OPTION,
    LOOK_AMBIENT,
    LOOK_CLASSIC,
    LOOK_TEXTURE,
    LOOK_LOSS_COUNT,
} look_loss;

typedef struct looks_state {
    obj_importer *s;
    bool *is_defined;            // For each material.
    const obj_library *library;  // The current library.
    tn_tally lost[LOOK_LOSS_COUNT];
} looks_state;

// -- Losses

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
} losses[LOOK_LOSS_COUNT] = {
    [LOOK_NO_FOLDER] = {TENON_DROPPED, "material libraries", "the folder of the model is unknown"},
    [LOOK_MISSING] = {TENON_DROPPED, "material libraries", "the files do not exist"},
    [LOOK_UNREADABLE] = {TENON_DROPPED, "material libraries", "the files cannot be read"},
    [LOOK_TOO_MANY] = {TENON_DROPPED, "material libraries", "there are too many libraries"},
    [LOOK_UNDEFINED] = {TENON_DEFAULTED, "materials", "they are not defined in a library"},
    [LOOK_UNUSED] = {TENON_DROPPED, "materials", "not used by a mesh"},
    [LOOK_VALUE] = {TENON_DEFAULTED, "materials", "a value cannot be read"},
    [LOOK_PROPERTY] = {TENON_DROPPED, "properties of materials", "not supported in scenes"},
    [LOOK_OPTION] = {TENON_DROPPED, "options of textures", "not supported in scenes"},
    [LOOK_AMBIENT] = {TENON_DROPPED, "ambient colors", "not supported in scenes"},
    [LOOK_CLASSIC] = {TENON_DROPPED, "specular colors",
                      "the material also has metalness and roughness"},
    [LOOK_TEXTURE] = {TENON_DROPPED, "textures", "not supported in scenes"},
};

// Count a loss. Its place is `line` of the library, or, if that is 0, `name`.
static void lose(looks_state *looks, look_loss loss, uint64_t line, tenon_str name)
{
    tn_tally *flaw = &looks->lost[loss];
    int size = name.size < 48 ? (int)name.size : 48;
    if (line)
        tn_tally_path(flaw, 1, "%.64s:%llu", looks->library->file, (unsigned long long)line);
    else
        tn_tally_path(flaw, 1, "%.*s", size, name.data);
}

static void tell(const looks_state *looks)
{
    for (int i = 0; i < LOOK_LOSS_COUNT; i++)
        tn_scene_report(looks->s->b, losses[i].kind, losses[i].feature, looks->lost[i].count,
                        looks->lost[i].path, losses[i].why);
}

// -- Textures

// V goes up in OBJ and down in scenes: 1 - (s (1 - v) + o) = s v + (1 - s - o).
static void set_texture(looks_state *looks, uint32_t material, tenon_slot slot, const obj_map *map)
{
    tn_scene_builder *b = looks->s->b;
    tenon_str path;
    if (map->path.size == 0) return;
    if (!obj_from_model(looks->library->folder, map->path, looks->s->arena, &path))
        obj_import_out_of_memory(looks->s);
    tn_set_texture(b, material, slot, path);
    if (b->failed) return;
    tenon_texture *t = &b->scene->materials[material].textures[slot];
    for (int k = 0; k < 2; k++) {
        t->scale[k] = map->scale[k];
        t->wrap[k] = map->is_clamped ? TENON_CLAMP : TENON_REPEAT;
    }
    t->offset[0] = map->offset[0];
    t->offset[1] = 1 - (double)map->scale[1] - (double)map->offset[1];
}

static bool same_path(const obj_map *a, const obj_map *b)
{
    return a->path.size == b->path.size && memcmp(a->path.data, b->path.data, a->path.size) == 0;
}

// A scene has both in one image: roughness in green, metalness in blue.
static void set_metallic_roughness(looks_state *looks, uint32_t material, const obj_look *look)
{
    const obj_map *rough = &look->maps[OBJ_MAP_ROUGHNESS], *metal = &look->maps[OBJ_MAP_METALLIC];
    bool has_rough = rough->path.size > 0, has_metal = metal->path.size > 0;
    if (!has_rough && !has_metal) return;
    bool fits = has_rough && has_metal ? same_path(rough, metal)
                : has_rough            ? rough->channel == 'g'
                                       : metal->channel == 'b';
    if (!fits) {
        uint64_t line = has_rough ? rough->line : metal->line;
        lose(looks, LOOK_TEXTURE, line, (tenon_str){"", 0});
        return;
    }
    set_texture(looks, material, TENON_SLOT_METALLIC_ROUGHNESS, has_rough ? rough : metal);
    if (looks->s->b->failed) return;
    // The image is multiplied by the number.
    tenon_material *m = &looks->s->b->scene->materials[material];
    if (has_metal && !look->is_said[OBJ_METALLIC]) m->metallic = 1;
    if (has_rough && !look->is_said[OBJ_ROUGHNESS]) m->roughness = 1;
}

// In a scene alpha is in the image of the base color.
static void set_alpha_map(looks_state *looks, uint32_t material, const obj_look *look)
{
    const obj_map *alpha = &look->maps[OBJ_MAP_ALPHA];
    if (alpha->path.size == 0 || looks->s->b->failed) return;
    if (same_path(alpha, &look->maps[OBJ_MAP_DIFFUSE]))
        looks->s->b->scene->materials[material].alpha = TENON_BLEND;
    else
        lose(looks, LOOK_TEXTURE, alpha->line, (tenon_str){"", 0});
}

static void set_textures(looks_state *looks, uint32_t material, const obj_look *look)
{
    static const struct {
        obj_map_use use;
        tenon_slot slot;
    } slots[] = {
        {OBJ_MAP_DIFFUSE, TENON_SLOT_BASE_COLOR},        {OBJ_MAP_SPECULAR, TENON_SLOT_SPECULAR},
        {OBJ_MAP_EMISSIVE, TENON_SLOT_EMISSIVE},         {OBJ_MAP_NORMAL, TENON_SLOT_NORMAL},
        {OBJ_MAP_DISPLACEMENT, TENON_SLOT_DISPLACEMENT},
    };
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++)
        set_texture(looks, material, slots[i].slot, &look->maps[slots[i].use]);
    set_metallic_roughness(looks, material, look);
    set_alpha_map(looks, material, look);
    // Many programs repeat the diffuse map as the ambient map.
    const obj_map *ambient = &look->maps[OBJ_MAP_AMBIENT];
    if (ambient->path.size && !same_path(ambient, &look->maps[OBJ_MAP_DIFFUSE]))
        lose(looks, LOOK_TEXTURE, ambient->line, (tenon_str){"", 0});
}

// -- Numbers

static void set_color(double *to, const obj_look *look, obj_trait trait, bool has_map)
{
    for (int k = 0; k < 3; k++)
        if (look->is_said[trait] || has_map)
            to[k] = look->is_said[trait] ? look->traits[trait][k] : 1;
}

static void set_opacity(tenon_material *m, const obj_look *look)
{
    double opacity = 1;
    if (look->is_said[OBJ_TRANSPARENCY]) opacity = 1 - (double)look->traits[OBJ_TRANSPARENCY][0];
    if (look->is_said[OBJ_OPACITY]) opacity = look->traits[OBJ_OPACITY][0];
    m->base_color[3] = opacity;
    if (opacity < 1) m->alpha = TENON_BLEND;
}

// Programs without ambient colors write black or white.
static bool has_ambient(const obj_look *look)
{
    const float *c = look->traits[OBJ_AMBIENT];
    bool is_gray = c[0] == c[1] && c[1] == c[2];
    return look->is_said[OBJ_AMBIENT] && !(is_gray && (c[0] == 0 || c[0] == 1));
}

static void set_numbers(looks_state *looks, tenon_material *m, const obj_look *look)
{
    bool is_metallic = look->is_said[OBJ_ROUGHNESS] || look->is_said[OBJ_METALLIC] ||
                       look->maps[OBJ_MAP_ROUGHNESS].path.size ||
                       look->maps[OBJ_MAP_METALLIC].path.size;
    bool has_specular = look->is_said[OBJ_SPECULAR] || look->is_said[OBJ_SHININESS] ||
                        look->maps[OBJ_MAP_SPECULAR].path.size;
    m->is_classic = has_specular && !is_metallic;
    set_color(m->base_color, look, OBJ_DIFFUSE, false);
    set_color(m->emissive, look, OBJ_EMISSIVE, look->maps[OBJ_MAP_EMISSIVE].path.size > 0);
    set_opacity(m, look);
    if (m->is_classic)
        set_color(m->specular, look, OBJ_SPECULAR, look->maps[OBJ_MAP_SPECULAR].path.size > 0);
    if (m->is_classic && look->is_said[OBJ_SHININESS])
        m->shininess = look->traits[OBJ_SHININESS][0];
    if (look->is_said[OBJ_ROUGHNESS]) m->roughness = look->traits[OBJ_ROUGHNESS][0];
    if (look->is_said[OBJ_METALLIC]) m->metallic = look->traits[OBJ_METALLIC][0];
    m->is_unlit = look->is_said[OBJ_ILLUMINATION] && look->traits[OBJ_ILLUMINATION][0] == 0;
    if (look->maps[OBJ_MAP_NORMAL].path.size) m->normal_scale = look->maps[OBJ_MAP_NORMAL].bump;
    if (is_metallic && has_specular) lose(looks, LOOK_CLASSIC, look->line, look->name);
    if (has_ambient(look)) lose(looks, LOOK_AMBIENT, look->line, look->name);
}

static void set_look(looks_state *looks, uint32_t material, const obj_look *look)
{
    tn_scene_builder *b = looks->s->b;
    if (b->failed) return;
    set_numbers(looks, &b->scene->materials[material], look);
    set_textures(looks, material, look);
}

// -- Libraries

static void take_look(void *user, const obj_look *look)
{
    looks_state *looks = user;
    uint32_t material = obj_strings_find(&looks->s->m.materials, look->name);
    if (material == TENON_NONE) {
        lose(looks, LOOK_UNUSED, look->line, look->name);
        return;
    }
    if (looks->is_defined[material]) return;
    looks->is_defined[material] = true;
    set_look(looks, looks->s->materials[material], look);
}

static void take_fault(void *user, obj_mtl_fault fault, const obj_word *at)
{
    static const look_loss kinds[] = {[OBJ_MTL_VALUE] = LOOK_VALUE,
                                      [OBJ_MTL_PROPERTY] = LOOK_PROPERTY,
                                      [OBJ_MTL_OPTION] = LOOK_OPTION};
    lose(user, kinds[fault], at->line, (tenon_str){"", 0});
}

static bool take_library(void *user, const obj_library *library)
{
    looks_state *looks = user;
    obj_mtl_parser reader = {looks->s->arena, take_look, take_fault, looks};
    looks->library = library;
    return obj_parse_mtl(&reader, library->text) && !looks->s->b->failed;
}

static void take_missing(void *user, obj_missing why, tenon_str name)
{
    static const look_loss kinds[] = {[OBJ_NO_FOLDER] = LOOK_NO_FOLDER,
                                      [OBJ_OUTSIDE] = LOOK_MISSING,
                                      [OBJ_NOT_THERE] = LOOK_MISSING,
                                      [OBJ_UNREADABLE] = LOOK_UNREADABLE,
                                      [OBJ_TOO_MANY] = LOOK_TOO_MANY};
    lose(user, kinds[why], 0, name);
}

static void read_libraries(looks_state *looks)
{
    const tenon_scene_opts *opts = looks->s->b->opts;
    tenon_error why;
    const obj_library_walk walk = {.model_path = opts->model_path,
                                   .files = opts->files,
                                   .allocator = opts->allocator,
                                   .found = take_library,
                                   .missing = take_missing,
                                   .user = looks,
                                   .err = &why};
    if (!obj_walk_libraries(&walk, &looks->s->m.libraries))
        tn_scene_fail(looks->s->b, why.code, NULL, "%s", why.message);
}

void obj_add_materials(obj_importer *s)
{
    uint32_t count = s->m.materials.count;
    looks_state *looks = obj_import_alloc(s, 1, sizeof *looks);
    s->materials = obj_import_alloc(s, count, sizeof *s->materials);
    bool *is_defined = obj_import_alloc(s, count, sizeof *is_defined);
    if (s->b->failed) return;
    *looks = (looks_state){.s = s, .is_defined = is_defined};
    for (uint32_t i = 0; i < count && !s->b->failed; i++)
        s->materials[i] = tn_add_material(s->b, s->m.materials.items[i]);
    if (!s->b->failed) read_libraries(looks);
    for (uint32_t i = 0; i < count && !s->b->failed; i++)
        if (!is_defined[i]) lose(looks, LOOK_UNDEFINED, 0, s->m.materials.items[i]);
    if (!s->b->failed) tell(looks);
}
