// bbmod_export_material.c: material names and material files.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/export/bbmod_export.h"

#include "core/json/json_write.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "scene/model/space.h"

#include <math.h>
#include <string.h>

#define ENTRIES_MOST 320  // Values of one file; at most 256 of them are extras.
#define INDENT       4

// A value of a material file: a member of the root, or of an object in it.
typedef struct bbmat_entry {
    tenon_str outer;  // The key of that object; "" for the root.
    tenon_str key;
    tenon_str value;
    bool is_text;  // False: it is JSON text.
} bbmat_entry;

typedef struct bbmat_exporter {
    const tn_export *export;
    uint32_t *first_extra;  // Of each material; TENON_NONE: it has none.
    uint32_t *next_extra;   // Of the same material, for each extra.
    // The current material:
    uint32_t index;
    uint32_t entry_count;
    uint64_t left_out;  // Entries that did not fit.
    bool failed;
    bbmat_entry entries[ENTRIES_MOST];
} bbmat_exporter;

static tenon_str bbmat_export_word(const char *text)
{
    return (tenon_str){text, (uint32_t)strlen(text)};
}

// -- Entries

static void bbmat_export_add(bbmat_exporter *bbmat, tenon_str outer, tenon_str key, tenon_str value,
                             bool is_text)
{
    if (bbmat->entry_count < ENTRIES_MOST)
        bbmat->entries[bbmat->entry_count++] = (bbmat_entry){outer, key, value, is_text};
    else
        bbmat->left_out++;
}

static void bbmat_export_add_text(bbmat_exporter *bbmat, const char *outer, const char *key,
                                  const char *value)
{
    bbmat_export_add(bbmat, bbmat_export_word(outer), bbmat_export_word(key),
                     bbmat_export_word(value), true);
}

static void bbmat_export_add_number(bbmat_exporter *bbmat, const char *outer, const char *key,
                                    double value)
{
    char *text = tn_export_alloc(bbmat->export, TN_NUMBER_MAX, 1);
    bbmat->failed = bbmat->failed || !text;
    if (!text) return;
    uint32_t size = (uint32_t)tn_f64_text(value, text);
    bbmat_export_add(bbmat, bbmat_export_word(outer), bbmat_export_word(key),
                     (tenon_str){text, size}, false);
}

static void bbmat_export_add_flag(bbmat_exporter *bbmat, const char *key, bool value)
{
    bbmat_export_add(bbmat, bbmat_export_word(""), bbmat_export_word(key),
                     bbmat_export_word(value ? "true" : "false"), false);
}

// -- Values

// The inverse of tn_linear_from_srgb() by bisection, 0 to 255; nearly whole numbers are rounded.
static double bbmat_export_level(double linear)
{
    if (!(linear > 0 && linear < 1)) return 255 * linear;
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (tn_linear_from_srgb(middle) < linear)
            low = middle;
        else
            high = middle;
    }
    double level = 255 * high, whole = floor(level + 0.5);
    return fabs(level - whole) < 1e-6 ? whole : level;
}

// -- Extras

tenon_str bbmod_export_bbmat_name(const tenon_extra *extra)
{
    tenon_str name = extra->name;
    bool is_ours = extra->of == TENON_EXTRA_OF_MATERIAL && tn_text_skip(&name, "bbmat.");
    return is_ours ? name : (tenon_str){"", 0};
}

static void bbmat_export_add_extra(bbmat_exporter *bbmat, const tenon_extra *extra)
{
    tenon_str name = bbmod_export_bbmat_name(extra), outer = {"", 0}, value = extra->value;
    const char *dot = memchr(name.data, '.', name.size);
    if (dot) {
        outer = (tenon_str){name.data, (uint32_t)(dot - name.data)};
        name = (tenon_str){dot + 1, name.size - outer.size - 1};
    }
    if (tn_text_is(outer, "__Textures")) {
        // A texture for which scenes have no slot.
        const char *path = tn_export_path(bbmat->export, value);
        bbmat->failed = bbmat->failed || !path;
        if (path) bbmat_export_add(bbmat, outer, name, bbmat_export_word(path), true);
        return;
    }
    // Extras are text; JSON numbers, booleans and null are written without quotes.
    size_t end;
    bool is_number = tn_number_scan(value.data, value.size, &end) && end == value.size;
    bool is_json = is_number || tn_text_is(value, "true") || tn_text_is(value, "false") ||
                   tn_text_is(value, "null");
    bbmat_export_add(bbmat, outer, name, value, !is_json);
}

static const tenon_extra *bbmat_export_find_extra(const bbmat_exporter *bbmat, const char *name)
{
    const tenon_extra *extras = bbmat->export->scene->extras;
    for (uint32_t i = bbmat->first_extra[bbmat->index]; i != TENON_NONE; i = bbmat->next_extra[i])
        if (tn_text_is(bbmod_export_bbmat_name(&extras[i]), name)) return &extras[i];
    return NULL;
}

// -- Writing

// Whether an entry before `index` has the same key in the root.
static bool bbmat_export_is_taken(const bbmat_exporter *bbmat, uint32_t index)
{
    const bbmat_entry *own = &bbmat->entries[index];
    tenon_str top = own->outer.size ? own->outer : own->key;
    for (uint32_t i = 0; i < index; i++) {
        const bbmat_entry *other = &bbmat->entries[i];
        if (tn_text_equal(other->outer.size ? other->outer : other->key, top)) return true;
    }
    return false;
}

static bool bbmat_export_is_repeated(const bbmat_exporter *bbmat, uint32_t first, uint32_t index)
{
    for (uint32_t i = first; i < index; i++)
        if (tn_text_equal(bbmat->entries[i].outer, bbmat->entries[index].outer) &&
            tn_text_equal(bbmat->entries[i].key, bbmat->entries[index].key))
            return true;
    return false;
}

static void bbmat_export_entry(tn_json_writer *out, const bbmat_entry *entry)
{
    tn_json_put_key_bytes(out, entry->key.data, entry->key.size);
    if (entry->is_text)
        tn_json_put_string_bytes(out, entry->value.data, entry->value.size);
    else
        tn_json_put_raw(out, entry->value.data, entry->value.size);
}

static bool bbmat_export_bytes(void *user, const void *bytes, size_t size)
{
    return tn_export_write(user, bytes, size);
}

static bool bbmat_export_write(const bbmat_exporter *bbmat, const char *file)
{
    tn_json_writer out;
    if (bbmat->failed || !tn_export_begin(bbmat->export, file)) return false;
    tn_json_writer_begin(&out, bbmat_export_bytes, (void *)bbmat->export, INDENT);
    tn_json_put_object_begin(&out, TN_JSON_BLOCK);
    for (uint32_t i = 0; i < bbmat->entry_count; i++) {
        tenon_str outer = bbmat->entries[i].outer;
        if (bbmat_export_is_taken(bbmat, i)) continue;
        if (outer.size == 0) {
            bbmat_export_entry(&out, &bbmat->entries[i]);
            continue;
        }
        tn_json_put_key_bytes(&out, outer.data, outer.size);
        tn_json_put_object_begin(&out, TN_JSON_BLOCK);
        for (uint32_t k = i; k < bbmat->entry_count; k++)
            if (tn_text_equal(bbmat->entries[k].outer, outer) &&
                !bbmat_export_is_repeated(bbmat, i, k))
                bbmat_export_entry(&out, &bbmat->entries[k]);
        tn_json_put_object_end(&out);
    }
    tn_json_put_object_end(&out);
    return tn_json_writer_end(&out) && tn_export_end(bbmat->export);
}

static bool bbmat_export(bbmat_exporter *bbmat, const char *file, tn_tally *left_out)
{
    static const char *const channels[] = {"Red", "Green", "Blue"};
    static const char color[] = "BaseOpacityMultiplier";
    const tenon_scene *scene = bbmat->export->scene;
    const tenon_material *material = &scene->materials[bbmat->index];
    bbmat->entry_count = 0;
    bbmat->left_out = 0;
    // The base material: the original one, or one of the engine's defaults.
    static const char key[] = "__MaterialName";
    const tenon_extra *known = bbmat_export_find_extra(bbmat, key);
    bool is_unlit = material->is_unlit, was_unlit = false;
    bool has_light_map = material->textures[TENON_SLOT_LIGHT_MAP].image != TENON_NONE;
    for (uint32_t i = 0; known && i + 5 <= known->value.size; i++)
        if (memcmp(known->value.data + i, "UNLIT", 5) == 0) was_unlit = true;
    if (known && was_unlit == is_unlit)
        bbmat_export_add(bbmat, bbmat_export_word(""), bbmat_export_word(key), known->value, true);
    else
        bbmat_export_add_text(bbmat, "", key,
                              is_unlit        ? "BBMOD_MATERIAL_DEFAULT_UNLIT"
                              : has_light_map ? "BBMOD_MATERIAL_DEFAULT_LIGHTMAP"
                                              : "BBMOD_MATERIAL_DEFAULT");
    if (!bbmat_export_find_extra(bbmat, "RenderQueue"))
        bbmat_export_add_text(bbmat, "", "RenderQueue", "Default");
    for (int i = 0; i < 3; i++)
        bbmat_export_add_number(bbmat, color, channels[i],
                                bbmat_export_level(material->base_color[i]));
    bbmat_export_add_number(bbmat, color, "Alpha", material->base_color[3]);
    if (material->double_sided) bbmat_export_add_text(bbmat, "", "Culling", "cull_noculling");
    if (material->alpha == TENON_BLEND) bbmat_export_add_flag(bbmat, "AlphaBlend", true);
    if (material->alpha == TENON_MASK)
        bbmat_export_add_number(bbmat, "", "AlphaTest", material->alpha_cutoff);
    const tenon_texture *textures = material->textures;
    const tenon_texture *first = NULL;
    bool has_specular = textures[TENON_SLOT_SPECULAR].image != TENON_NONE;
    // A material stores offset, scale and wrap mode once: use those of the first texture.
    for (size_t i = 0; i < BBMOD_SLOT_USES && !first; i++) {
        const tenon_texture *texture = &textures[bbmod_slot_uses[i].slot];
        bool is_light_map = bbmod_slot_uses[i].slot == TENON_SLOT_LIGHT_MAP;
        if (texture->image != TENON_NONE && !is_light_map) first = texture;
    }
    bool is_moved = first && (first->offset[0] != 0 || first->offset[1] != 0);
    bool is_scaled = first && (first->scale[0] != 1 || first->scale[1] != 1);
    for (int i = 0; i < 2 && is_moved; i++)
        bbmat_export_add_number(bbmat, "TextureOffset", i ? "Y" : "X", first->offset[i]);
    for (int i = 0; i < 2 && is_scaled; i++)
        bbmat_export_add_number(bbmat, "TextureScale", i ? "Y" : "X", first->scale[i]);
    bbmat_export_add_flag(bbmat, "Repeat", first && first->wrap[0] != TENON_CLAMP);
    for (size_t i = 0; i < BBMOD_SLOT_USES && !bbmat->failed; i++) {
        tenon_slot slot = bbmod_slot_uses[i].slot;
        if (textures[slot].image == TENON_NONE) continue;
        // With specular colors, the alpha channel of a normal texture is smoothness, not roughness.
        bool is_smooth = i == BBMOD_SMOOTH_NORMALS;
        if (slot == TENON_SLOT_NORMAL && is_smooth != has_specular) continue;
        const char *path =
            tn_export_picture(bbmat->export, textures[slot].image, TN_PICTURE_AS_COMMON);
        bbmat->failed = !path;
        if (!path || !*path) continue;
        bbmat_export_add_text(bbmat, "__Textures", bbmod_slot_uses[i].name, path);
    }
    for (uint32_t i = bbmat->first_extra[bbmat->index]; i != TENON_NONE; i = bbmat->next_extra[i])
        bbmat_export_add_extra(bbmat, &scene->extras[i]);
    tn_tally_at(left_out, bbmat->left_out, "materials", bbmat->index);
    return bbmat_export_write(bbmat, file);
}

// -- All materials

bool bbmod_export_materials(bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    const tenon_str name = bbmat_export_word("DefaultMaterial");
    uint32_t added = exporter->default_material;
    uint32_t count = scene->material_count + (added != TENON_NONE);
    tenon_str *names = tn_export_alloc(export, count, sizeof *names);
    if (!names) return false;
    exporter->doc->material_names = names;
    exporter->doc->material_count = count;
    if (export->opts->without_materials) {
        // Names only have to be unique.
        uint64_t changed;
        for (uint32_t i = 0; i < scene->material_count; i++) names[i] = scene->materials[i].name;
        if (added != TENON_NONE) names[added] = name;
        if (!tn_unique_names(export, names, count, "Material", &changed)) return false;
        tn_tally_at(&exporter->tallies.material_names, changed, "materials", 0);
        return true;
    }
    // The engine finds a material file by the material's name, so the name must be a valid file
    // name.
    bbmat_exporter *bbmat = tn_export_alloc(export, 1, sizeof *bbmat);
    uint32_t *first = tn_export_alloc(export, scene->material_count, sizeof *first);
    uint32_t *next = tn_export_alloc(export, scene->extra_count, sizeof *next);
    if (!bbmat || !first || !next) return false;
    for (uint32_t i = 0; i < scene->material_count; i++) first[i] = TENON_NONE;
    for (uint32_t i = scene->extra_count; i-- > 0;) {
        const tenon_extra *extra = &scene->extras[i];
        if (!bbmod_export_bbmat_name(extra).size) continue;
        next[i] = first[extra->index];
        first[extra->index] = i;
    }
    bbmat->export = export;
    bbmat->first_extra = first;
    bbmat->next_extra = next;
    for (uint32_t i = 0; i < scene->material_count; i++) {
        tenon_str own = scene->materials[i].name;
        tenon_str wanted = own.size ? own : bbmat_export_word("Material");
        const char *file = bbmod_export_name_file(export, wanted, ".bbmat", &names[i]);
        bbmat->index = i;
        if (!file || !bbmat_export(bbmat, file, &exporter->tallies.values)) return false;
        tn_tally_at(&exporter->tallies.material_names, !tn_text_equal(names[i], own), "materials",
                    i);
    }
    return added == TENON_NONE || bbmod_export_name_file(export, name, ".bbmat", &names[added]);
}
