// obj_export_text.c: buffered output of words and numbers for OBJ and MTL, and unique names.
// SPDX-License-Identifier: MIT

#include "formats/obj/export/obj_export.h"

#include "core/math/math.h"
#include "core/text/text.h"

#include <string.h>

// -- Output

bool obj_has_failed(const obj_exporter *exporter)
{
    return exporter->export->err->code != TENON_OK;
}

void obj_flush(obj_exporter *exporter)
{
    if (exporter->used && !obj_has_failed(exporter))
        (void)tn_export_write(exporter->export, exporter->buffer, exporter->used);
    exporter->used = 0;
}

void obj_write_bytes(obj_exporter *exporter, const char *bytes, size_t size)
{
    if (size > sizeof exporter->buffer - exporter->used) obj_flush(exporter);
    if (size > sizeof exporter->buffer) {
        if (!obj_has_failed(exporter)) (void)tn_export_write(exporter->export, bytes, size);
        return;
    }
    memcpy(exporter->buffer + exporter->used, bytes, size);
    exporter->used += size;
}

void obj_write(obj_exporter *exporter, const char *text)
{
    obj_write_bytes(exporter, text, strlen(text));
}

// Space for one number in the buffer.
static char *obj_room(obj_exporter *exporter)
{
    if (TN_NUMBER_MAX > sizeof exporter->buffer - exporter->used) obj_flush(exporter);
    return exporter->buffer + exporter->used;
}

void obj_write_u64(obj_exporter *exporter, uint64_t value)
{
    exporter->used += tn_u64_text(value, obj_room(exporter));
}

// Poses of huge scenes can overflow; OBJ cannot store infinity. Negative zeros, which poses also
// produce, are written as 0.
void obj_write_f32(obj_exporter *exporter, float value)
{
    bool is_finite = value - value == 0;
    exporter->not_finite_count += !is_finite;
    exporter->used += tn_f32_text(is_finite && value != 0 ? value : 0, obj_room(exporter));
}

void obj_write_f32s(obj_exporter *exporter, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        obj_write(exporter, " ");
        obj_write_f32(exporter, values[i]);
    }
}

void obj_write_line(obj_exporter *exporter, const char *key, const char *name)
{
    obj_write(exporter, key);
    obj_write(exporter, " ");
    obj_write(exporter, name);
    obj_write(exporter, "\n");
}

void obj_write_row(obj_exporter *exporter, const char *key, const double *values, uint32_t count)
{
    obj_write(exporter, key);
    for (uint32_t i = 0; i < count; i++) {
        obj_write(exporter, " ");
        obj_write_f32(exporter, tn_narrow(values[i], NULL));
    }
    obj_write(exporter, "\n");
}

// -- Words

static bool obj_is_control(const uint8_t *p, size_t size)
{
    if (size == 1) return p[0] < 0x20 || p[0] == 0x7F;
    return size == 2 && p[0] == 0xC2 && p[1] < 0xA0;
}

// '#' begins a comment, '\' joins lines, '/' would separate a folder in the name of the MTL file.
// Some programs also split a line at spaces beyond ASCII.
static bool obj_breaks_a_word(const uint8_t *p, size_t size)
{
    if (obj_is_control(p, size)) return true;
    if (size == 1) return p[0] == ' ' || p[0] == '#' || p[0] == '\\' || p[0] == '/';
    if (size == 2) return p[0] == 0xC2 && p[1] == 0xA0;
    if (size != 3) return false;
    uint32_t code = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
           code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

tenon_str obj_name_word(const obj_exporter *exporter, tenon_str name)
{
    char *out = tn_export_alloc(exporter->export, (uint64_t)name.size + 1, 1);
    if (!out) return (tenon_str){NULL, 0};
    uint32_t used = 0;
    for (size_t at = 0, step; at < name.size; at += step) {
        const char *text = name.data + at;
        step = tn_utf8_step(text, name.size - at);
        bool keep = step && !obj_breaks_a_word((const uint8_t *)text, step);
        if (keep) memcpy(out + used, text, step);
        if (!keep) out[used] = '_';
        used += keep ? (uint32_t)step : 1;
        step = step ? step : 1;
    }
    return (tenon_str){out, used};
}

void obj_write_text(obj_exporter *exporter, const char *text, size_t size)
{
    size_t start = 0;
    for (size_t at = 0, step; at < size; at += step) {
        step = tn_utf8_step(text + at, size - at);
        if (step && !obj_is_control((const uint8_t *)text + at, step)) continue;
        obj_write_bytes(exporter, text + start, at - start);
        obj_write(exporter, "_");
        step = step ? step : 1;
        start = at + step;
    }
    obj_write_bytes(exporter, text + start, size - start);
}

// -- Unique names

// The word for a name, or for `fallback` if it is empty, with a number added if it is not unique.
// NULL without memory.
static const char *obj_unique_name(obj_exporter *exporter, tn_name_set *names, tenon_str name,
                                   const char *fallback)
{
    bool has_name = name.size > 0;
    if (!has_name) name = (tenon_str){fallback, (uint32_t)strlen(fallback)};
    tenon_str word = obj_name_word(exporter, name);
    if (!word.data) return NULL;
    const char *text = tn_names_take(names, word, "");
    if (!text) (void)tn_names_fail(names, exporter->export->err);
    if (text && has_name) exporter->renamed_count += !tn_text_is(name, text);
    return text;
}

bool obj_choose_names(obj_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = export->scene;
    tn_name_set objects = {.arena = export->arena}, materials = {.arena = export->arena};
    exporter->objects = tn_export_alloc(export, scene->node_count, sizeof *exporter->objects);
    if (!exporter->objects) return false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        if (node->mesh == TENON_NONE) continue;
        tenon_str name = node->name.size ? node->name : scene->meshes[node->mesh].name;
        exporter->objects[i] = obj_unique_name(exporter, &objects, name, "object");
        if (!exporter->objects[i]) return false;
    }

    // The name of a sidecar is one word, because not all programs support blanks in file names.
    const char *name = export->opts->name && *export->opts->name ? export->opts->name : "model";
    tenon_str stem = obj_name_word(exporter, (tenon_str){name, (uint32_t)strlen(name)});
    if (!stem.data) return false;
    exporter->stem = stem;
    if (scene->material_count == 0) return true;
    char *library = tn_export_alloc(export, stem.size + sizeof ".mtl", 1);
    exporter->materials =
        tn_export_alloc(export, scene->material_count, sizeof *exporter->materials);
    if (!library || !exporter->materials) return false;
    memcpy(library, stem.data, stem.size);
    memcpy(library + stem.size, ".mtl", sizeof ".mtl");
    exporter->library = library;
    bool needs_default = false;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++)
            if (scene->meshes[i].primitives[k].material == TENON_NONE) needs_default = true;
    for (uint32_t i = 0; i < scene->material_count; i++) {
        tenon_str material = scene->materials[i].name;
        exporter->materials[i] = obj_unique_name(exporter, &materials, material, "material");
        if (!exporter->materials[i]) return false;
    }
    if (!needs_default) return true;
    exporter->default_material = obj_unique_name(exporter, &materials, (tenon_str){"", 0}, "none");
    return exporter->default_material != NULL;
}
