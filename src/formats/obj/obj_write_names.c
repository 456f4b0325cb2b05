// obj_write_names.c: names that are one word, and no two the same.
// SPDX-License-Identifier: MIT

#include "../../core/text.h"
#include "obj_write.h"

#include <string.h>

#define SUFFIX_MAX 24  // "_" and a number, with a NUL.

// -- Words

// Spaces beyond ASCII at which some programs split a line: U+00A0, U+1680, U+2000 to U+200A,
// U+2028, U+2029, U+202F, U+205F, U+3000.
static bool is_wide_space(const uint8_t *p, size_t size)
{
    if (size == 2) return p[0] == 0xC2 && p[1] == 0xA0;
    if (size != 3) return false;
    uint32_t code = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
           code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

static bool is_control(const uint8_t *p, size_t size)
{
    if (size == 1) return p[0] < 0x20 || p[0] == 0x7F;
    return size == 2 && p[0] == 0xC2 && p[1] < 0xA0;
}

// '#' begins a comment, '\' joins lines, '/' would make a folder of the MTL file's name.
static bool breaks_a_word(const uint8_t *p, size_t size)
{
    if (is_control(p, size) || is_wide_space(p, size)) return true;
    return size == 1 && (p[0] == ' ' || p[0] == '#' || p[0] == '\\' || p[0] == '/');
}

// Copy `text` as one word, terminated; returns its size, which is never more than that of `text`.
static size_t make_word(const char *text, size_t size, char *out)
{
    size_t used = 0;
    for (size_t at = 0, step; at < size; at += step) {
        step = tn_utf8_step(text + at, size - at);
        bool keep = step && !breaks_a_word((const uint8_t *)text + at, step);
        if (keep) memcpy(out + used, text + at, step);
        if (!keep) out[used] = '_';
        used += keep ? step : 1;
        step = step ? step : 1;
    }
    out[used] = '\0';
    return used;
}

void obj_put_text(obj_writer *w, const char *text, size_t size)
{
    size_t start = 0;
    for (size_t at = 0, step; at < size; at += step) {
        step = tn_utf8_step(text + at, size - at);
        if (step && !is_control((const uint8_t *)text + at, step)) continue;
        obj_put_bytes(w, text + start, at - start);
        obj_put(w, "_");
        step = step ? step : 1;
        start = at + step;
    }
    obj_put_bytes(w, text + start, size - start);
}

// -- Names that are taken

struct obj_name {
    const char *text;  // NULL: this place is free.
    uint64_t number;   // That of the last name made of this one by adding a number.
};

bool obj_names_begin(const tn_export *e, obj_names *names, uint64_t most)
{
    uint64_t size = 4;
    while (size < 2 * most + 2) size *= 2;
    names->mask = size - 1;
    names->table = tn_export_alloc(e, size, sizeof *names->table);
    return names->table != NULL;
}

// Where a name is, or would go.
static struct obj_name *find_name(const obj_names *names, const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *p = text; *p; p++) hash = (hash ^ (uint8_t)*p) * 0x100000001b3u;
    hash ^= hash >> 32;
    while (names->table[hash & names->mask].text &&
           strcmp(names->table[hash & names->mask].text, text) != 0)
        hash++;
    return &names->table[hash & names->mask];
}

static void add_number(char *text, size_t size, uint64_t number)
{
    char digits[TN_NUMBER_MAX];
    size_t count = tn_u64_text(number, digits);
    text[size] = '_';
    memcpy(text + size + 1, digits, count + 1);
}

const char *obj_take_name(obj_writer *w, obj_names *names, tenon_str name, const char *fallback)
{
    if (name.size == 0) name = (tenon_str){fallback, (uint32_t)strlen(fallback)};
    char *text = tn_export_alloc(w->e, (uint64_t)name.size + SUFFIX_MAX, 1);
    if (!text) return NULL;
    size_t size = make_word(name.data, name.size, text);
    struct obj_name *place = find_name(names, text), *base = place;
    while (place->text) {
        add_number(text, size, base->number = base->number ? base->number + 1 : 2);
        place = find_name(names, text);
    }
    place->text = text;
    if (name.data != fallback)
        w->renamed_count += strlen(text) != name.size || memcmp(text, name.data, name.size) != 0;
    return text;
}

// -- Everything that has a name

static bool name_objects(obj_writer *w)
{
    const tenon_scene *s = w->e->scene;
    obj_names names;
    w->objects = tn_export_alloc(w->e, s->node_count, sizeof *w->objects);
    if (!w->objects || !obj_names_begin(w->e, &names, s->node_count)) return false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const tenon_node *node = &s->nodes[i];
        if (node->mesh == TENON_NONE) continue;
        tenon_str name = node->name.size ? node->name : s->meshes[node->mesh].name;
        w->objects[i] = obj_take_name(w, &names, name, "object");
        if (!w->objects[i]) return false;
    }
    return true;
}

static bool lacks_material(const tenon_scene *s)
{
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++)
            if (s->meshes[i].primitives[k].material == TENON_NONE) return true;
    return false;
}

static bool name_materials(obj_writer *w)
{
    const tenon_scene *s = w->e->scene;
    obj_names names;
    if (s->material_count == 0) return true;
    w->materials = tn_export_alloc(w->e, s->material_count, sizeof *w->materials);
    if (!w->materials || !obj_names_begin(w->e, &names, (uint64_t)s->material_count + 1))
        return false;
    for (uint32_t i = 0; i < s->material_count; i++) {
        w->materials[i] = obj_take_name(w, &names, s->materials[i].name, "material");
        if (!w->materials[i]) return false;
    }
    if (!lacks_material(s)) return true;
    w->no_material = obj_take_name(w, &names, (tenon_str){"", 0}, "none");
    return w->no_material != NULL;
}

// Side files are ours, so that their names can be one word, which every program reads.
static bool name_library(obj_writer *w)
{
    const char *name = w->e->opts->name && *w->e->opts->name ? w->e->opts->name : "model";
    char *stem = tn_export_alloc(w->e, strlen(name) + 1, 1);
    char *library = tn_export_alloc(w->e, strlen(name) + sizeof ".mtl", 1);
    if (!stem || !library) return false;
    size_t size = make_word(name, strlen(name), stem);
    memcpy(library, stem, size);
    memcpy(library + size, ".mtl", sizeof ".mtl");
    w->stem = stem;
    if (w->e->scene->material_count) w->library = library;
    return true;
}

bool obj_name_all(obj_writer *w)
{
    return name_objects(w) && name_materials(w) && name_library(w);
}
