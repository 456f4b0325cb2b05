// obj_read_look.c: the materials of a scene, from the MTL files beside an OBJ file.
// SPDX-License-Identifier: MIT

#include "obj_read_look.h"

#include <stdio.h>
#include <string.h>

// -- Losing

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
} losses[OBJ_LOOK_LOSS_COUNT] = {
    [OBJ_LOOK_NO_FOLDER] = {TENON_DROPPED, "material libraries",
                            "the folder of the model is not known"},
    [OBJ_LOOK_MISSING] = {TENON_DROPPED, "material libraries", "they are not beside the model"},
    [OBJ_LOOK_UNREADABLE] = {TENON_DROPPED, "material libraries", "they cannot be read"},
    [OBJ_LOOK_TOO_MANY] = {TENON_DROPPED, "material libraries", "there are too many"},
    [OBJ_LOOK_UNDEFINED] = {TENON_DEFAULTED, "materials", "no library says what they look like"},
    [OBJ_LOOK_UNUSED] = {TENON_DROPPED, "materials", "no mesh uses them"},
    [OBJ_LOOK_VALUE] = {TENON_DEFAULTED, "materials", "what follows a word cannot be read"},
    [OBJ_LOOK_PROPERTY] = {TENON_DROPPED, "properties of materials", "scenes do not have them"},
    [OBJ_LOOK_OPTION] = {TENON_DROPPED, "options of textures", "scenes do not have them"},
    [OBJ_LOOK_AMBIENT] = {TENON_DROPPED, "ambient colors", "scenes do not have them"},
    [OBJ_LOOK_CLASSIC] = {TENON_DROPPED, "specular colors",
                          "the material has metal and roughness as well"},
    [OBJ_LOOK_TEXTURE] = {TENON_DROPPED, "textures", "a scene has no place for them"},
};

void obj_look_lose(obj_looks *looks, obj_look_loss loss, uint64_t line, tenon_str name)
{
    obj_look_flaw *flaw = &looks->lost[loss];
    if (flaw->count++) return;
    int size = name.size < 48 ? (int)name.size : 48;
    const char *file = looks->library ? looks->library : "";
    if (line)
        (void)snprintf(flaw->path, sizeof flaw->path, "%.64s line %llu", file,
                       (unsigned long long)line);
    else
        (void)snprintf(flaw->path, sizeof flaw->path, "%.*s", size, name.data);
}

void obj_look_tell(const obj_looks *looks)
{
    for (int i = 0; i < OBJ_LOOK_LOSS_COUNT; i++)
        tn_scene_lose(looks->s->b, losses[i].kind, losses[i].feature, looks->lost[i].count,
                      looks->lost[i].path, losses[i].why);
}

// -- Textures

// A path from the model's folder: textures are named as seen from their library.
static tenon_str from_model(obj_looks *looks, tenon_str path)
{
    bool is_absolute =
        path.data[0] == '/' || path.data[0] == '\\' || (path.size > 1 && path.data[1] == ':');
    tenon_str folder = looks->folder;
    if (folder.size == 0 || is_absolute || path.size > UINT32_MAX - folder.size) return path;
    char *joined = obj_scene_alloc(looks->s, (uint64_t)folder.size + path.size, 1);
    if (!joined) return path;
    memcpy(joined, folder.data, folder.size);
    memcpy(joined + folder.size, path.data, path.size);
    return (tenon_str){joined, folder.size + path.size};
}

// V goes up in OBJ and down in scenes: 1 - (s (1 - v) + o) = s v + (1 - s - o).
static void set_texture(obj_looks *looks, uint32_t material, tenon_slot slot, const obj_map *map)
{
    tn_builder *b = looks->s->b;
    if (map->path.size == 0) return;
    tn_set_texture(b, material, slot, from_model(looks, map->path));
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

// A scene has both in one picture, roughness in green and metalness in blue.
static void set_metallic_roughness(obj_looks *looks, uint32_t material, const obj_look *look)
{
    const obj_map *rough = &look->maps[OBJ_MAP_ROUGHNESS], *metal = &look->maps[OBJ_MAP_METALLIC];
    bool has_rough = rough->path.size > 0, has_metal = metal->path.size > 0;
    if (!has_rough && !has_metal) return;
    bool fits = has_rough && has_metal ? same_path(rough, metal)
                : has_rough            ? rough->channel == 'g'
                                       : metal->channel == 'b';
    if (!fits) {
        uint64_t line = has_rough ? rough->line : metal->line;
        obj_look_lose(looks, OBJ_LOOK_TEXTURE, line, (tenon_str){"", 0});
        return;
    }
    set_texture(looks, material, TENON_SLOT_METALLIC_ROUGHNESS, has_rough ? rough : metal);
    if (looks->s->b->failed) return;
    // What a picture says is multiplied with the number.
    tenon_material *m = &looks->s->b->scene->materials[material];
    if (has_metal && !look->is_said[OBJ_METALLIC]) m->metallic = 1;
    if (has_rough && !look->is_said[OBJ_ROUGHNESS]) m->roughness = 1;
}

// The alpha of a scene is in the picture of the base color.
static void set_alpha_map(obj_looks *looks, uint32_t material, const obj_look *look)
{
    const obj_map *alpha = &look->maps[OBJ_MAP_ALPHA];
    if (alpha->path.size == 0 || looks->s->b->failed) return;
    if (same_path(alpha, &look->maps[OBJ_MAP_DIFFUSE]))
        looks->s->b->scene->materials[material].alpha = TENON_BLEND;
    else
        obj_look_lose(looks, OBJ_LOOK_TEXTURE, alpha->line, (tenon_str){"", 0});
}

static void set_textures(obj_looks *looks, uint32_t material, const obj_look *look)
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
    // Many programs name the picture of the diffuse color once more.
    const obj_map *ambient = &look->maps[OBJ_MAP_AMBIENT];
    if (ambient->path.size && !same_path(ambient, &look->maps[OBJ_MAP_DIFFUSE]))
        obj_look_lose(looks, OBJ_LOOK_TEXTURE, ambient->line, (tenon_str){"", 0});
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

// Black and white are what programs write that know no ambient color.
static bool has_ambient(const obj_look *look)
{
    const float *c = look->traits[OBJ_AMBIENT];
    bool is_gray = c[0] == c[1] && c[1] == c[2];
    return look->is_said[OBJ_AMBIENT] && !(is_gray && (c[0] == 0 || c[0] == 1));
}

static void set_numbers(obj_looks *looks, tenon_material *m, const obj_look *look)
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
    if (is_metallic && has_specular) obj_look_lose(looks, OBJ_LOOK_CLASSIC, look->line, look->name);
    if (has_ambient(look)) obj_look_lose(looks, OBJ_LOOK_AMBIENT, look->line, look->name);
}

void obj_set_look(obj_looks *looks, uint32_t material, const obj_look *look)
{
    tn_builder *b = looks->s->b;
    if (b->failed) return;
    set_numbers(looks, &b->scene->materials[material], look);
    set_textures(looks, material, look);
}
