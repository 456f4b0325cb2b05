// obj_import_material.c: parses the MTL files beside an OBJ file, and imports their materials.
// SPDX-License-Identifier: MIT

#include "formats/obj/obj_format.h"

#include "core/text/error.h"
#include "core/text/tally.h"
#include "core/text/text.h"
#include "scene/model/scene_finish.h"

#include <inttypes.h>
#include <string.h>

#define LIBRARIES_MOST 64  // Files that are searched.
#define WORD_MOST      16  // Bytes of the longest known word, with its NUL.

static void obj_report_fault(const obj_library_reader *reader, obj_library_fault fault,
                             const obj_word *at)
{
    reader->on_fault(reader->user, fault, (tenon_str){at->text, at->size}, at->line);
}

// -- Words and numbers

// Case is ignored: files contain `map_Kd`, `map_kd` and `Map_Kd`.
static bool obj_is_word(const obj_word *word, const char *text)
{
    char copy[WORD_MOST] = "";
    if (word->size >= sizeof copy) return false;
    memcpy(copy, word->text, word->size);
    return tn_same_word(copy, text);
}

static const struct {
    const char *word;
    obj_property property;
    bool is_color;
} properties[] = {
    {"Kd", OBJ_DIFFUSE, true},          {"Ks", OBJ_SPECULAR, true},   {"Ke", OBJ_EMISSIVE, true},
    {"Ka", OBJ_AMBIENT, true},          {"Ns", OBJ_SHININESS, false}, {"d", OBJ_OPACITY, false},
    {"Tr", OBJ_TRANSPARENCY, false},    {"Pr", OBJ_ROUGHNESS, false}, {"Pm", OBJ_METALLIC, false},
    {"illum", OBJ_ILLUMINATION, false},
};

static const struct {
    const char *word;
    obj_map_use use;
} maps[] = {
    {"map_Kd", OBJ_MAP_DIFFUSE},        {"map_Ks", OBJ_MAP_SPECULAR},
    {"map_Ke", OBJ_MAP_EMISSIVE},       {"map_Bump", OBJ_MAP_NORMAL},
    {"bump", OBJ_MAP_NORMAL},           {"norm", OBJ_MAP_NORMAL},
    {"map_Norm", OBJ_MAP_NORMAL},       {"disp", OBJ_MAP_DISPLACEMENT},
    {"map_disp", OBJ_MAP_DISPLACEMENT}, {"map_d", OBJ_MAP_ALPHA},
    {"map_Pr", OBJ_MAP_ROUGHNESS},      {"map_Pm", OBJ_MAP_METALLIC},
    {"map_Ka", OBJ_MAP_AMBIENT},
};

// Up to `most` numbers. Stops before the first word that is not a number.
static uint32_t obj_read_numbers(obj_library_reader *reader, uint32_t most, float *out)
{
    uint32_t count = 0;
    for (; count < most; count++) {
        obj_text before = reader->text;
        obj_word word;
        if (obj_next_word(&reader->text, &word) &&
            obj_parse_number(&word, &out[count]) == OBJ_NUMBER)
            continue;
        reader->text = before;
        break;
    }
    return count;
}

// Options that are neither applied nor lost have no effect in common renderers.
static const struct {
    const char *word;
    uint32_t numbers;  // At most this many; 0 if a word follows.
    bool is_lost;
} options[] = {
    {"-o", 3, false},       {"-s", 3, false},      {"-bm", 1, false},     {"-clamp", 0, false},
    {"-imfchan", 0, false}, {"-blendu", 0, false}, {"-blendv", 0, false}, {"-texres", 1, false},
    {"-type", 0, true},     {"-cc", 0, true},      {"-mm", 2, true},      {"-t", 3, true},
    {"-boost", 1, true},
};

// Options, then a path, which may contain blanks.
static void obj_read_map(obj_library_reader *reader, const obj_word *key, obj_map_use use)
{
    obj_map map = {.scale = {1, 1}, .bump = 1, .line = key->line};
    obj_text before = reader->text;
    obj_word word;
    while (obj_next_word(&reader->text, &word)) {
        // An option is applied with its arguments.
        size_t i = 0, option_count = sizeof options / sizeof options[0];
        while (i < option_count && !obj_is_word(&word, options[i].word)) i++;
        if (i == option_count) break;
        float numbers[3];
        obj_word argument = {.text = ""};
        uint32_t count = obj_read_numbers(reader, options[i].numbers, numbers);
        if (options[i].numbers == 0) (void)obj_next_word(&reader->text, &argument);
        for (uint32_t k = 0; k < 2 && k < count; k++) {
            if (obj_is_word(&word, "-o")) map.offset[k] = numbers[k];
            if (obj_is_word(&word, "-s")) map.scale[k] = numbers[k];
        }
        if (count && obj_is_word(&word, "-bm")) map.bump = numbers[0];
        if (obj_is_word(&word, "-clamp")) map.is_clamped = obj_is_word(&argument, "on");
        if (argument.size && obj_is_word(&word, "-imfchan")) map.channel = argument.text[0];
        if (options[i].is_lost) obj_report_fault(reader, OBJ_LIBRARY_OPTION, &word);
        before = reader->text;
    }
    reader->text = before;
    reader->stopped = !obj_remainder(&reader->text, reader->arena, &map.path);
    if (map.path.size)
        reader->material.maps[use] = map;
    else
        obj_report_fault(reader, OBJ_LIBRARY_VALUE, key);
}

// -- Textures and materials

// Report the current material. For that its paths, which are relative to the library, become
// relative to the model.
static void obj_end_material(obj_library_reader *reader)
{
    obj_material *material = &reader->material;
    uint32_t index = tn_name_list_find(reader->materials, material->name);
    if (index == TENON_NONE) {
        reader->on_fault(reader->user, OBJ_LIBRARY_UNUSED, material->name, material->line);
        return;
    }
    tn_mark mark = tn_arena_mark(reader->arena);
    tenon_str folder = reader->folder;
    for (int i = 0; i < OBJ_MAP_COUNT; i++) {
        tenon_str *path = &material->maps[i].path;
        if (path->size == 0 || folder.size == 0) continue;
        bool has_drive = path->size > 1 && path->data[1] == ':';
        if (path->data[0] == '/' || path->data[0] == '\\' || has_drive) continue;
        *path = tn_text_join(reader->arena, folder, *path, "a path", NULL);
        reader->stopped = !path->data;
        if (reader->stopped) return;
    }
    reader->stopped =
        !reader->on_material(reader->user, index, material, !reader->is_defined[index]);
    reader->is_defined[index] = true;
    tn_arena_rewind(reader->arena, mark);
}

static void obj_read_statement(obj_library_reader *reader, const obj_word *key)
{
    if (obj_is_word(key, "newmtl")) {
        if (reader->is_open) obj_end_material(reader);
        if (reader->stopped) return;
        reader->material = (obj_material){.line = key->line};
        reader->is_open = true;
        reader->stopped = !obj_remainder(&reader->text, reader->arena, &reader->material.name);
        return;
    }
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        if (!obj_is_word(key, properties[i].word)) continue;
        // One number means three equal numbers. Colors with `spectral` or `xyz` are not supported.
        obj_property property = properties[i].property;
        obj_word word;
        float numbers[3];
        obj_text before = reader->text;
        if (property != OBJ_OPACITY || !obj_next_word(&reader->text, &word) ||
            !obj_is_word(&word, "-halo"))
            reader->text = before;
        uint32_t count = obj_read_numbers(reader, properties[i].is_color ? 3 : 1, numbers);
        bool is_good = count == 1 || count == 3;
        for (uint32_t k = 0; k < 3 && is_good; k++)
            reader->material.values[property][k] = numbers[k < count ? k : 0];
        if (is_good) reader->material.is_set[property] = true;
        if (!is_good) obj_report_fault(reader, OBJ_LIBRARY_VALUE, key);
        return;
    }
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        if (obj_is_word(key, maps[i].word)) {
            obj_read_map(reader, key, maps[i].use);
            return;
        }
    obj_report_fault(reader, OBJ_LIBRARY_PROPERTY, key);
}

// -- Files

// Load a file and parse it. Returns false if it does not exist.
static bool obj_try_library(obj_library_reader *reader, tenon_str name)
{
    char path[TN_PATH_SIZE];
    tenon_file_info info;
    tenon_error err = {0};
    const tn_search search = {reader->files, reader->model_path, path, TN_PATH_SIZE, &err, &info};
    if (reader->left == 0) return false;
    tn_place place = tn_find_sidecar(&search, name);
    if (err.code != TENON_OK) {
        reader->stopped = true;
        *reader->err = err;
    }
    if (place != TN_PLACE_FOUND || info.kind != TENON_FILE_REGULAR || info.size >= UINT32_MAX)
        return false;
    reader->left--;
    tenon_bytes bytes;
    const tenon_read_opts opts = {.allocator = reader->arena->allocator,
                                  .files = reader->files,
                                  .beside = reader->model_path};
    if (!tenon_load(path, &opts, &bytes, &err)) {
        reader->stopped = tn_is_outage(&err);
        if (reader->stopped)
            *reader->err = err;
        else
            reader->on_fault(reader->user, OBJ_LIBRARY_UNREADABLE, name, 0);
        return true;
    }
    reader->file = path + tn_path_folder_size(path);
    reader->folder = name;
    while (reader->folder.size && name.data[reader->folder.size - 1] != '/' &&
           name.data[reader->folder.size - 1] != '\\')
        reader->folder.size--;
    reader->text = obj_text_begin(bytes.data, (uint32_t)bytes.size);
    reader->is_open = false;
    obj_word key;
    do
        if (obj_next_word(&reader->text, &key)) obj_read_statement(reader, &key);
    while (!reader->stopped && obj_end_line(&reader->text));
    if (!reader->stopped && reader->is_open) obj_end_material(reader);
    if (reader->stopped) (void)tn_error(reader->err, TENON_ERR_MEMORY, "out of memory");
    tenon_unload(&bytes);
    return true;
}

bool obj_read_libraries(obj_library_reader *reader, const tn_name_list *lines)
{
    reader->left = LIBRARIES_MOST;
    if (!reader->files) reader->files = tenon_system_files();
    for (uint32_t i = 0; i < lines->count && !reader->stopped; i++) {
        tenon_str line = lines->items[i].name;
        if (!reader->model_path) {
            reader->on_fault(reader->user, OBJ_LIBRARY_NO_FOLDER, line, 0);
            continue;
        }
        // A line can name one file, whose name may contain blanks, or several files.
        if (obj_try_library(reader, line)) continue;
        obj_text text = obj_text_begin(line.data, line.size);
        obj_word word;
        while (!reader->stopped && obj_next_word(&text, &word)) {
            tenon_str name = {word.text, word.size};
            if (obj_try_library(reader, name)) continue;
            obj_library_fault why =
                tn_name_stays_inside(name) ? OBJ_LIBRARY_MISSING : OBJ_LIBRARY_OUTSIDE;
            reader->on_fault(reader->user, reader->left ? why : OBJ_LIBRARY_TOO_MANY, name, 0);
            if (reader->left) reader->left--;
        }
    }
    for (uint32_t i = 0; i < reader->materials->count && !reader->stopped; i++)
        if (!reader->is_defined[i])
            reader->on_fault(reader->user, OBJ_LIBRARY_UNDEFINED, reader->materials->items[i].name,
                             0);
    return !reader->stopped;
}

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
    tn_tally_path(&materials->lost[loss], 1, "%.64s:%" PRIu64, materials->libraries.file, line);
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
