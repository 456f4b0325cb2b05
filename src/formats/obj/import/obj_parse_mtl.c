// obj_parse_mtl.c: parses MTL files, the materials of OBJ.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_parse_mtl.h"

#include "core/text/text.h"

#include <string.h>

#define WORD_MOST 16  // Bytes of the longest known word, with its NUL.

typedef struct obj_mtl_reader {
    const obj_mtl_parser *parser;
    obj_text text;
    obj_material material;
    bool is_open;  // There was a `newmtl`.
    bool failed;
} obj_mtl_reader;

// -- Words

// Case is ignored: files contain `map_Kd`, `map_kd` and `Map_Kd`.
static bool obj_parse_mtl_is_word(const obj_word *word, const char *text)
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

// -- Numbers

// Up to `most` numbers. Stops before the first word that is not a number.
static uint32_t obj_parse_mtl_parse_numbers(obj_mtl_reader *reader, uint32_t most, float *out)
{
    uint32_t count = 0;
    for (; count < most; count++) {
        obj_text before = reader->text;
        obj_word word;
        if (obj_parse_next_word(&reader->text, &word) &&
            obj_parse_number(&word, &out[count]) == OBJ_NUMBER)
            continue;
        reader->text = before;
        break;
    }
    return count;
}

// One number means three equal numbers. Colors with `spectral` or `xyz` are not supported.
static void obj_parse_mtl_property(obj_mtl_reader *reader, const obj_word *key,
                                   obj_property property, bool is_color)
{
    obj_word word;
    float numbers[3];
    obj_text before = reader->text;
    if (property != OBJ_OPACITY || !obj_parse_next_word(&reader->text, &word) ||
        !obj_parse_mtl_is_word(&word, "-halo"))
        reader->text = before;
    uint32_t count = obj_parse_mtl_parse_numbers(reader, is_color ? 3 : 1, numbers);
    if (count == 0 || count == 2) {
        reader->parser->on_fault(reader->parser->user, OBJ_MTL_VALUE, key);
        return;
    }
    for (uint32_t i = 0; i < 3; i++)
        reader->material.values[property][i] = numbers[i < count ? i : 0];
    reader->material.is_set[property] = true;
}

// -- Textures

typedef enum option {
    MOVE,
    SCALE,
    BUMP,
    CLAMP,
    CHANNEL,
    WITHOUT_LOSS,  // Has no effect in common renderers.
    LOST,
} option;

static const struct {
    const char *word;
    option option;
    uint32_t numbers;  // At most this many; 0 if a word follows.
} options[] = {
    {"-o", MOVE, 3},
    {"-s", SCALE, 3},
    {"-bm", BUMP, 1},
    {"-clamp", CLAMP, 0},
    {"-imfchan", CHANNEL, 0},
    {"-blendu", WITHOUT_LOSS, 0},
    {"-blendv", WITHOUT_LOSS, 0},
    {"-texres", WITHOUT_LOSS, 1},
    {"-type", LOST, 0},
    {"-cc", LOST, 0},
    {"-mm", LOST, 2},
    {"-t", LOST, 3},
    {"-boost", LOST, 1},
};

// If `word` is an option, apply it with its arguments and return true.
static bool obj_parse_mtl_option(obj_mtl_reader *reader, obj_map *map, const obj_word *word)
{
    size_t i = 0, option_count = sizeof options / sizeof options[0];
    while (i < option_count && !obj_parse_mtl_is_word(word, options[i].word)) i++;
    if (i == option_count) return false;
    float numbers[3];
    obj_word argument = {.text = ""};
    uint32_t count = obj_parse_mtl_parse_numbers(reader, options[i].numbers, numbers);
    if (options[i].numbers == 0) (void)obj_parse_next_word(&reader->text, &argument);
    switch (options[i].option) {
    case MOVE:
        for (uint32_t k = 0; k < 2 && k < count; k++) map->offset[k] = numbers[k];
        break;
    case SCALE:
        for (uint32_t k = 0; k < 2 && k < count; k++) map->scale[k] = numbers[k];
        break;
    case BUMP:
        if (count) map->bump = numbers[0];
        break;
    case CLAMP:
        map->is_clamped = obj_parse_mtl_is_word(&argument, "on");
        break;
    case CHANNEL:
        if (argument.size) map->channel = argument.text[0];
        break;
    case WITHOUT_LOSS:
        break;
    case LOST:
        reader->parser->on_fault(reader->parser->user, OBJ_MTL_OPTION, word);
    }
    return true;
}

// Options, then a path, which may contain blanks.
static void obj_parse_mtl_map(obj_mtl_reader *reader, const obj_word *key, obj_map_use use)
{
    obj_map map = {.scale = {1, 1}, .bump = 1, .line = key->line};
    obj_text before = reader->text;
    obj_word word;
    while (obj_parse_next_word(&reader->text, &word) && obj_parse_mtl_option(reader, &map, &word))
        before = reader->text;
    reader->text = before;
    reader->failed = !obj_remainder(&reader->text, reader->parser->arena, &map.path);
    if (map.path.size)
        reader->material.maps[use] = map;
    else
        reader->parser->on_fault(reader->parser->user, OBJ_MTL_VALUE, key);
}

// -- The text

static void obj_parse_mtl_parse_statement(obj_mtl_reader *reader, const obj_word *key)
{
    const obj_mtl_parser *parser = reader->parser;
    if (obj_parse_mtl_is_word(key, "newmtl")) {
        if (reader->is_open) parser->on_material(parser->user, &reader->material);
        reader->material = (obj_material){.line = key->line};
        reader->is_open = true;
        reader->failed = !obj_remainder(&reader->text, parser->arena, &reader->material.name);
        return;
    }
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
        if (obj_parse_mtl_is_word(key, properties[i].word)) {
            obj_parse_mtl_property(reader, key, properties[i].property, properties[i].is_color);
            return;
        }
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        if (obj_parse_mtl_is_word(key, maps[i].word)) {
            obj_parse_mtl_map(reader, key, maps[i].use);
            return;
        }
    parser->on_fault(parser->user, OBJ_MTL_PROPERTY, key);
}

bool obj_parse_mtl(const obj_mtl_parser *parser, tenon_str text)
{
    obj_mtl_reader reader = {.parser = parser, .text = obj_parse_text_begin(text.data, text.size)};
    obj_word key;
    do
        if (obj_parse_next_word(&reader.text, &key)) obj_parse_mtl_parse_statement(&reader, &key);
    while (!reader.failed && obj_parse_end_line(&reader.text));
    if (!reader.failed && reader.is_open) parser->on_material(parser->user, &reader.material);
    return !reader.failed;
}
