// bbmod_export_material.c: material names and material files.
// SPDX-License-Identifier: MIT

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

// State of exporting one material.
typedef struct bbmat_exporter {
    const tn_export *e;
    const tenon_material *m;
    uint32_t entry_count;
    uint64_t left_out;  // Entries that did not fit.
    bool failed;
    bbmat_entry entries[ENTRIES_MOST];
} bbmat_exporter;

// The extras of each material, as linked lists.
typedef struct bbmat_extras {
    uint32_t *first;  // Of each material; TENON_NONE: it has none.
    uint32_t *next;   // Of each extra.
} bbmat_extras;

static tenon_str bbmat_word(const char *text)
{
    return (tenon_str){text, (uint32_t)strlen(text)};
}

// -- Entries

static void bbmat_add(bbmat_exporter *k, tenon_str outer, tenon_str key, tenon_str value,
                      bool is_text)
{
    if (k->entry_count < ENTRIES_MOST)
        k->entries[k->entry_count++] = (bbmat_entry){outer, key, value, is_text};
    else
        k->left_out++;
}

static void bbmat_add_text(bbmat_exporter *k, const char *outer, const char *key, const char *value)
{
    bbmat_add(k, bbmat_word(outer), bbmat_word(key), bbmat_word(value), true);
}

static void bbmat_add_number(bbmat_exporter *k, const char *outer, const char *key, double value)
{
    char *text = tn_export_alloc(k->e, TN_NUMBER_MAX, 1);
    k->failed = k->failed || !text;
    if (!text) return;
    uint32_t size = (uint32_t)tn_f64_text(value, text);
    bbmat_add(k, bbmat_word(outer), bbmat_word(key), (tenon_str){text, size}, false);
}

static void bbmat_add_flag(bbmat_exporter *k, const char *key, bool value)
{
    bbmat_add(k, bbmat_word(""), bbmat_word(key), bbmat_word(value ? "true" : "false"), false);
}

// -- Values

// The inverse of tn_linear_from_srgb() by bisection, 0 to 255; nearly whole numbers are rounded.
static double bbmat_level(double linear)
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

static void bbmat_add_values(bbmat_exporter *k)
{
    static const char *const channels[] = {"Red", "Green", "Blue"};
    static const char color[] = "BaseOpacityMultiplier";
    const tenon_material *m = k->m;
    for (int i = 0; i < 3; i++)
        bbmat_add_number(k, color, channels[i], bbmat_level(m->base_color[i]));
    bbmat_add_number(k, color, "Alpha", m->base_color[3]);
    if (m->double_sided) bbmat_add_text(k, "", "Culling", "cull_noculling");
    if (m->alpha == TENON_BLEND) bbmat_add_flag(k, "AlphaBlend", true);
    if (m->alpha == TENON_MASK) bbmat_add_number(k, "", "AlphaTest", m->alpha_cutoff);
}

// -- Textures

// Slots of a material file.
static const struct {
    tenon_slot slot;
    const char *name;
} bbmat_slots[] = {
    {TENON_SLOT_BASE_COLOR, "BaseOpacity"}, {TENON_SLOT_NORMAL, "NormalRoughness"},
    {TENON_SLOT_SPECULAR, "SpecularColor"}, {TENON_SLOT_EMISSIVE, "Emissive"},
    {TENON_SLOT_LIGHT_MAP, "Lightmap"},
};

#define SLOT_COUNT (sizeof bbmat_slots / sizeof bbmat_slots[0])

// A material stores offset, scale and wrap mode once: use those of the first texture.
static void bbmat_add_frame(bbmat_exporter *k)
{
    const tenon_texture *first = NULL;
    for (size_t i = 0; i < SLOT_COUNT && !first; i++) {
        const tenon_texture *t = &k->m->textures[bbmat_slots[i].slot];
        if (t->image != TENON_NONE && bbmat_slots[i].slot != TENON_SLOT_LIGHT_MAP) first = t;
    }
    bool is_moved = first && (first->offset[0] != 0 || first->offset[1] != 0);
    bool is_scaled = first && (first->scale[0] != 1 || first->scale[1] != 1);
    for (int i = 0; i < 2 && is_moved; i++)
        bbmat_add_number(k, "TextureOffset", i ? "Y" : "X", first->offset[i]);
    for (int i = 0; i < 2 && is_scaled; i++)
        bbmat_add_number(k, "TextureScale", i ? "Y" : "X", first->scale[i]);
    bbmat_add_flag(k, "Repeat", first && first->wrap[0] != TENON_CLAMP);
}

// With specular colors, the alpha channel of a normal texture is smoothness, not roughness.
static const char *bbmat_slot_name(const tenon_material *m, size_t i)
{
    bool is_smooth = bbmat_slots[i].slot == TENON_SLOT_NORMAL &&
                     m->textures[TENON_SLOT_SPECULAR].image != TENON_NONE;
    return is_smooth ? "NormalSmoothness" : bbmat_slots[i].name;
}

static void bbmat_add_textures(bbmat_exporter *k)
{
    for (size_t i = 0; i < SLOT_COUNT && !k->failed; i++) {
        uint32_t image = k->m->textures[bbmat_slots[i].slot].image;
        if (image == TENON_NONE) continue;
        const char *path = tn_export_picture(k->e, image, TN_PICTURE_AS_COMMON);
        k->failed = !path;
        if (path && *path) bbmat_add_text(k, "__Textures", bbmat_slot_name(k->m, i), path);
    }
}

// -- Extras

static const char bbmat_prefix[] = "bbmat.";

// The name of an extra without its prefix; without data if the extra is not from a material file.
static tenon_str bbmat_name_of(const tenon_extra *extra)
{
    uint32_t size = sizeof bbmat_prefix - 1;
    bool is_ours = extra->of == TENON_EXTRA_OF_MATERIAL && extra->name.size > size &&
                   memcmp(extra->name.data, bbmat_prefix, size) == 0;
    if (!is_ours) return (tenon_str){NULL, 0};
    return (tenon_str){extra->name.data + size, extra->name.size - size};
}

// Extras are text. Whether the text is a JSON number, boolean or null.
static bool bbmat_is_json(tenon_str text)
{
    size_t end;
    if (tn_number_scan(text.data, text.size, &end) && end == text.size) return true;
    return tn_text_equal(text, bbmat_word("true")) || tn_text_equal(text, bbmat_word("false")) ||
           tn_text_equal(text, bbmat_word("null"));
}

// The path of a texture for which scenes have no slot, relative to the output.
static tenon_str bbmat_path_of(bbmat_exporter *k, tenon_str path)
{
    const char *root = k->e->opts->texture_root;
    bool is_absolute =
        path.size > 0 && (path.data[0] == '/' || (path.size > 1 && path.data[1] == ':'));
    uint32_t root_size = root && !is_absolute ? (uint32_t)strlen(root) : 0;
    if (path.size == 0 || root_size == 0) return path;
    char *text = tn_export_alloc(k->e, (uint64_t)root_size + path.size + 1, 1);
    k->failed = k->failed || !text;
    if (!text) return path;
    memcpy(text, root, root_size);
    if (text[root_size - 1] != '/') text[root_size++] = '/';
    memcpy(text + root_size, path.data, path.size);
    return (tenon_str){text, root_size + path.size};
}

static void bbmat_add_extra(bbmat_exporter *k, const tenon_extra *extra)
{
    tenon_str name = bbmat_name_of(extra), outer = {"", 0}, value = extra->value;
    const char *dot = memchr(name.data, '.', name.size);
    if (dot) {
        outer = (tenon_str){name.data, (uint32_t)(dot - name.data)};
        name = (tenon_str){dot + 1, name.size - outer.size - 1};
    }
    bool is_path = tn_text_equal(outer, bbmat_word("__Textures"));
    if (is_path) value = bbmat_path_of(k, value);
    bbmat_add(k, outer, name, value, is_path || !bbmat_is_json(value));
}

static const tenon_extra *bbmat_find_extra(const bbmat_exporter *k, const bbmat_extras *extras,
                                           uint32_t material, const char *name)
{
    for (uint32_t i = extras->first[material]; i != TENON_NONE; i = extras->next[i])
        if (tn_text_equal(bbmat_name_of(&k->e->scene->extras[i]), bbmat_word(name)))
            return &k->e->scene->extras[i];
    return NULL;
}

static bool bbmat_names_unlit(tenon_str name)
{
    for (uint32_t i = 0; i + 5 <= name.size; i++)
        if (memcmp(name.data + i, "UNLIT", 5) == 0) return true;
    return false;
}

// The base material: the original one, or one of the engine's defaults.
static void bbmat_add_base(bbmat_exporter *k, const bbmat_extras *extras, uint32_t material)
{
    static const char key[] = "__MaterialName";
    const tenon_extra *known = bbmat_find_extra(k, extras, material, key);
    bool has_light_map = k->m->textures[TENON_SLOT_LIGHT_MAP].image != TENON_NONE;
    if (known && bbmat_names_unlit(known->value) == k->m->is_unlit)
        bbmat_add(k, bbmat_word(""), bbmat_word(key), known->value, true);
    else
        bbmat_add_text(k, "", key,
                       k->m->is_unlit  ? "BBMOD_MATERIAL_DEFAULT_UNLIT"
                       : has_light_map ? "BBMOD_MATERIAL_DEFAULT_LIGHTMAP"
                                       : "BBMOD_MATERIAL_DEFAULT");
    if (!bbmat_find_extra(k, extras, material, "RenderQueue"))
        bbmat_add_text(k, "", "RenderQueue", "Default");
}

// -- Writing

// Whether an entry before `index` has the same key in the root.
static bool bbmat_is_taken(const bbmat_exporter *k, uint32_t index)
{
    const bbmat_entry *own = &k->entries[index];
    tenon_str top = own->outer.size ? own->outer : own->key;
    for (uint32_t i = 0; i < index; i++) {
        const bbmat_entry *other = &k->entries[i];
        if (tn_text_equal(other->outer.size ? other->outer : other->key, top)) return true;
    }
    return false;
}

static bool bbmat_is_repeated(const bbmat_exporter *k, uint32_t first, uint32_t index)
{
    for (uint32_t i = first; i < index; i++)
        if (tn_text_equal(k->entries[i].outer, k->entries[index].outer) &&
            tn_text_equal(k->entries[i].key, k->entries[index].key))
            return true;
    return false;
}

static void bbmat_put_entry(tn_json_writer *out, const bbmat_entry *entry)
{
    tn_json_put_key_bytes(out, entry->key.data, entry->key.size);
    if (entry->is_text)
        tn_json_put_string_bytes(out, entry->value.data, entry->value.size);
    else
        tn_json_put_raw(out, entry->value.data, entry->value.size);
}

static void bbmat_put_members(tn_json_writer *out, const bbmat_exporter *k, uint32_t first)
{
    tenon_str outer = k->entries[first].outer;
    tn_json_put_key_bytes(out, outer.data, outer.size);
    tn_json_put_object_begin(out, TN_JSON_BLOCK);
    for (uint32_t i = first; i < k->entry_count; i++)
        if (tn_text_equal(k->entries[i].outer, outer) && !bbmat_is_repeated(k, first, i))
            bbmat_put_entry(out, &k->entries[i]);
    tn_json_put_object_end(out);
}

static bool bbmat_take_bytes(void *user, const void *bytes, size_t size)
{
    return tn_export_write(user, bytes, size);
}

static bool bbmat_write(const bbmat_exporter *k, const char *file)
{
    tn_json_writer out;
    if (k->failed || !tn_export_begin(k->e, file)) return false;
    tn_json_writer_begin(&out, bbmat_take_bytes, (void *)k->e, INDENT);
    tn_json_put_object_begin(&out, TN_JSON_BLOCK);
    for (uint32_t i = 0; i < k->entry_count; i++) {
        if (bbmat_is_taken(k, i)) continue;
        if (k->entries[i].outer.size)
            bbmat_put_members(&out, k, i);
        else
            bbmat_put_entry(&out, &k->entries[i]);
    }
    tn_json_put_object_end(&out);
    return tn_json_writer_end(&out) && tn_export_end(k->e);
}

static bool bbmat_export(bbmod_exporter *w, bbmat_exporter *k, const bbmat_extras *extras,
                         uint32_t index, const char *file)
{
    k->m = &w->s->materials[index];
    k->entry_count = 0;
    k->left_out = 0;
    bbmat_add_base(k, extras, index);
    bbmat_add_values(k);
    bbmat_add_frame(k);
    bbmat_add_textures(k);
    for (uint32_t i = extras->first[index]; i != TENON_NONE; i = extras->next[i])
        bbmat_add_extra(k, &w->s->extras[i]);
    tn_tally_at(&w->notes.values, k->left_out, "materials", index);
    return bbmat_write(k, file);
}

// -- Names

// The engine finds a material file by the material's name, so the name must be a valid file name.
static const char *bbmat_name_file(bbmod_exporter *w, uint32_t index, tenon_str wanted)
{
    bool has_prefix = !w->e->opts->without_prefix;
    tenon_str stem = has_prefix ? tn_export_stem(w->e) : (tenon_str){"", 0};
    char *rest = tn_export_alloc(w->e, (uint64_t)wanted.size + 1, 1);
    if (!rest) return NULL;
    rest[0] = '_';
    if (wanted.size) memcpy(rest + 1, wanted.data, wanted.size);
    const char *file = tn_export_name(
        w->e, stem, (tenon_str){rest + !has_prefix, wanted.size + has_prefix}, ".bbmat");
    if (!file) return NULL;
    tenon_str name = bbmat_word(file + stem.size + has_prefix);
    name.size -= (uint32_t)strlen(".bbmat");
    w->doc->material_names[index] = name;
    return file;
}

static bool bbmat_name_plainly(bbmod_exporter *w)
{
    uint64_t changed;
    for (uint32_t i = 0; i < w->s->material_count; i++)
        w->doc->material_names[i] = w->s->materials[i].name;
    if (w->default_material != TENON_NONE)
        w->doc->material_names[w->default_material] = bbmat_word("DefaultMaterial");
    if (!tn_unique_names(w->e, w->doc->material_names, w->doc->material_count, "Material",
                         &changed))
        return false;
    tn_tally_at(&w->notes.material_names, changed, "materials", 0);
    return true;
}

// -- All materials

static bool bbmat_sort_extras(const bbmod_exporter *w, bbmat_extras *out)
{
    out->first = tn_export_alloc(w->e, w->s->material_count, sizeof *out->first);
    out->next = tn_export_alloc(w->e, w->s->extra_count, sizeof *out->next);
    if (!out->first || !out->next) return false;
    for (uint32_t i = 0; i < w->s->material_count; i++) out->first[i] = TENON_NONE;
    for (uint32_t i = w->s->extra_count; i-- > 0;) {
        const tenon_extra *extra = &w->s->extras[i];
        if (!bbmat_name_of(extra).data) continue;
        out->next[i] = out->first[extra->index];
        out->first[extra->index] = i;
    }
    return true;
}

static bool bbmat_export_all(bbmod_exporter *w)
{
    bbmat_extras extras;
    bbmat_exporter *maker = tn_export_alloc(w->e, 1, sizeof *maker);
    if (!maker || !bbmat_sort_extras(w, &extras)) return false;
    maker->e = w->e;
    for (uint32_t i = 0; i < w->s->material_count; i++) {
        tenon_str wanted = w->s->materials[i].name;
        if (wanted.size == 0) wanted = bbmat_word("Material");
        const char *file = bbmat_name_file(w, i, wanted);
        if (!file || !bbmat_export(w, maker, &extras, i, file)) return false;
        bool is_kept = tn_text_equal(w->doc->material_names[i], w->s->materials[i].name);
        tn_tally_at(&w->notes.material_names, !is_kept, "materials", i);
    }
    return w->default_material == TENON_NONE ||
           bbmat_name_file(w, w->default_material, bbmat_word("DefaultMaterial"));
}

bool bbmod_export_materials(bbmod_exporter *w)
{
    uint32_t count = w->s->material_count + (w->default_material != TENON_NONE);
    w->doc->material_names = tn_export_alloc(w->e, count, sizeof *w->doc->material_names);
    w->doc->material_count = count;
    if (!w->doc->material_names) return false;
    return w->e->opts->without_materials ? bbmat_name_plainly(w) : bbmat_export_all(w);
}
