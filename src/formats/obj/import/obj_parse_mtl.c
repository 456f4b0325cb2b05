// obj_parse_mtl.c: parses MTL files, the materials of OBJ.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_parse_mtl.h"

#include "core/text/text.h"

#include <string.h>

#define WORD_MOST 16  // Bytes of the longest known word, with its NUL.

typedef struct mtl {
    const obj_mtl_parser *r;
    obj_text t;
    obj_look look;
    bool is_open;  // There was a `newmtl`.
    bool failed;
} mtl;

// -- Words

// Case is ignored: files contain `map_Kd`, `map_kd` and `Map_Kd`.
static bool same(const obj_word *word, const char *text)
{
    char copy[WORD_MOST] = "";
    if (word->size >= sizeof copy) return false;
    memcpy(copy, word->text, word->size);
    return tn_same_word(copy, text);
}

static const struct {
    const char *word;
    obj_trait trait;
    bool is_color;
} traits[] = {
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
static uint32_t take_numbers(mtl *m, uint32_t most, float *out)
{
    uint32_t count = 0;
    for (; count < most; count++) {
        obj_text before = m->t;
        obj_word word;
        if (obj_next_word(&m->t, &word) && obj_parse_number(&word, &out[count]) == OBJ_NUMBER)
            continue;
        m->t = before;
        break;
    }
    return count;
}

// One number means three equal numbers. Colors with `spectral` or `xyz` are not supported.
static void take_trait(mtl *m, const obj_word *key, obj_trait trait, bool is_color)
{
    obj_word word;
    float numbers[3];
    obj_text before = m->t;
    if (trait != OBJ_OPACITY || !obj_next_word(&m->t, &word) || !same(&word, "-halo"))
        m->t = before;
    uint32_t count = take_numbers(m, is_color ? 3 : 1, numbers);
    if (count == 0 || count == 2) {
        m->r->wrong(m->r->user, OBJ_MTL_VALUE, key);
        return;
    }
    for (uint32_t i = 0; i < 3; i++) m->look.traits[trait][i] = numbers[i < count ? i : 0];
    m->look.is_said[trait] = true;
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

static void apply_option(mtl *m, obj_map *map, const obj_word *key, option what, uint32_t count,
                         const float *numbers, const obj_word *argument)
{
    bool is_pair = what == MOVE || what == SCALE;
    for (uint32_t i = 0; is_pair && i < 2 && i < count; i++)
        (what == MOVE ? map->offset : map->scale)[i] = numbers[i];
    if (what == BUMP && count) map->bump = numbers[0];
    if (what == CLAMP) map->is_clamped = same(argument, "on");
    if (what == CHANNEL && argument->size) map->channel = argument->text[0];
    if (what == LOST) m->r->wrong(m->r->user, OBJ_MTL_OPTION, key);
}

// If `word` is an option, apply it with its arguments and return true.
static bool take_option(mtl *m, obj_map *map, const obj_word *word)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (!same(word, options[i].word)) continue;
        float numbers[3];
        obj_word argument = {.text = ""};
        uint32_t count = take_numbers(m, options[i].numbers, numbers);
        if (options[i].numbers == 0) (void)obj_next_word(&m->t, &argument);
        apply_option(m, map, word, options[i].option, count, numbers, &argument);
        return true;
    }
    return false;
}

// Options, then a path, which may contain blanks.
static void take_map(mtl *m, const obj_word *key, obj_map_use use)
{
    obj_map map = {.scale = {1, 1}, .bump = 1, .line = key->line};
    obj_text before = m->t;
    obj_word word;
    while (obj_next_word(&m->t, &word) && take_option(m, &map, &word)) before = m->t;
    m->t = before;
    m->failed = !obj_rest(&m->t, m->r->arena, &map.path);
    if (map.path.size)
        m->look.maps[use] = map;
    else
        m->r->wrong(m->r->user, OBJ_MTL_VALUE, key);
}

// -- The text

static void end_look(mtl *m)
{
    if (m->is_open) m->r->look(m->r->user, &m->look);
}

static void begin_look(mtl *m, const obj_word *key)
{
    end_look(m);
    m->look = (obj_look){.line = key->line};
    m->is_open = true;
    m->failed = !obj_rest(&m->t, m->r->arena, &m->look.name);
}

static void take_statement(mtl *m, const obj_word *key)
{
    if (same(key, "newmtl")) {
        begin_look(m, key);
        return;
    }
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++)
        if (same(key, traits[i].word)) {
            take_trait(m, key, traits[i].trait, traits[i].is_color);
            return;
        }
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        if (same(key, maps[i].word)) {
            take_map(m, key, maps[i].use);
            return;
        }
    m->r->wrong(m->r->user, OBJ_MTL_PROPERTY, key);
}

bool obj_parse_mtl(const obj_mtl_parser *r, tenon_str text)
{
    mtl m = {.r = r, .t = obj_text_begin(text.data, text.size)};
    obj_word key;
    do
        if (obj_next_word(&m.t, &key)) take_statement(&m, &key);
    while (!m.failed && obj_end_line(&m.t));
    if (!m.failed) end_look(&m);
    return !m.failed;
}
