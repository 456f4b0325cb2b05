// obj_export_names.c: unique names of one word.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "formats/obj/export/obj_export.h"

#include <string.h>

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

// '#' begins a comment, '\' joins lines, '/' would separate a folder in the name of the MTL file.
static bool breaks_a_word(const uint8_t *p, size_t size)
{
    if (is_control(p, size) || is_wide_space(p, size)) return true;
    return size == 1 && (p[0] == ' ' || p[0] == '#' || p[0] == '\\' || p[0] == '/');
}

// Copy `text` as one word, terminated. Returns its size, which is not greater than that of `text`.
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

void obj_put_text(obj_exporter *w, const char *text, size_t size)
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

// -- Unique names

tenon_str obj_word(const obj_exporter *w, tenon_str name)
{
    char *text = tn_export_alloc(w->e, (uint64_t)name.size + 1, 1);
    if (!text) return (tenon_str){NULL, 0};
    return (tenon_str){text, (uint32_t)make_word(name.data, name.size, text)};
}

// The word for a name, or for `fallback` if it is empty, with a number added if it is not unique.
// NULL without memory.
static const char *take_name(obj_exporter *w, tn_name_set *names, tenon_str name,
                             const char *fallback)
{
    bool has_name = name.size > 0;
    if (!has_name) name = (tenon_str){fallback, (uint32_t)strlen(fallback)};
    tenon_str word = obj_word(w, name);
    if (!word.data) return NULL;
    const char *text = tn_names_take(names, word, "");
    if (!text) (void)tn_names_fail(names, w->e->err);
    if (!text) return NULL;
    if (has_name)
        w->renamed_count += strlen(text) != name.size || memcmp(text, name.data, name.size) != 0;
    return text;
}

// -- Objects, materials, files

static bool name_objects(obj_exporter *w)
{
    const tenon_scene *s = w->e->scene;
    tn_name_set names = {.arena = w->e->arena};
    w->objects = tn_export_alloc(w->e, s->node_count, sizeof *w->objects);
    if (!w->objects) return false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const tenon_node *node = &s->nodes[i];
        if (node->mesh == TENON_NONE) continue;
        tenon_str name = node->name.size ? node->name : s->meshes[node->mesh].name;
        w->objects[i] = take_name(w, &names, name, "object");
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

static bool name_materials(obj_exporter *w)
{
    const tenon_scene *s = w->e->scene;
    tn_name_set names = {.arena = w->e->arena};
    if (s->material_count == 0) return true;
    w->materials = tn_export_alloc(w->e, s->material_count, sizeof *w->materials);
    if (!w->materials) return false;
    for (uint32_t i = 0; i < s->material_count; i++) {
        w->materials[i] = take_name(w, &names, s->materials[i].name, "material");
        if (!w->materials[i]) return false;
    }
    if (!lacks_material(s)) return true;
    w->no_material = take_name(w, &names, (tenon_str){"", 0}, "none");
    return w->no_material != NULL;
}

// The name of a sidecar is one word, because not all programs support blanks in file names.
static bool name_library(obj_exporter *w)
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

bool obj_name_all(obj_exporter *w)
{
    return name_objects(w) && name_materials(w) && name_library(w);
}
