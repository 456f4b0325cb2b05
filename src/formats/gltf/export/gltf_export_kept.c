// gltf_export_kept.c: the text and the bytes of what is written again of the file.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "core/text/version.h"
#include "formats/gltf/export/gltf_export_keep.h"

#include <string.h>

// -- The file

const tn_json_value *gltf_export_kept_root(const gltf_exporter *exporter)
{
    return exporter->keep ? exporter->keep->tree.root : NULL;
}

uint32_t gltf_export_kept_count(const gltf_exporter *exporter, gltf_list list)
{
    return exporter->keep ? tn_json_tree_count(exporter->keep->lists[list]) : 0;
}

const tn_json_value *gltf_export_kept_scene(const gltf_exporter *exporter)
{
    for (uint32_t i = 0; i < gltf_export_kept_count(exporter, LIST_SCENES); i++)
        if (exporter->keep->kept->is_imported[LIST_SCENES][i])
            return tn_json_tree_at(exporter->keep->lists[LIST_SCENES], i);
    return NULL;
}

uint32_t gltf_export_scenes_before(const gltf_exporter *exporter)
{
    return exporter->keep ? exporter->keep->scenes_before : 0;
}

// -- Extensions

static void gltf_export_kept_put(gltf_exporter *exporter, const tn_json_value *member)
{
    tn_json_put_key_bytes(&exporter->json, member->key, member->key_size);
    tn_json_tree_write(member, &exporter->json);
}

bool gltf_export_is_own_extension(const tn_json_value *extension)
{
    const gltf_extension *row =
        gltf_extension_find((tenon_str){extension->key, extension->key_size});
    return row && (row->flags & GLTF_IS_WRITTEN);
}

bool gltf_export_begin_extensions(gltf_exporter *exporter, const tn_json_value *from, bool has_own)
{
    const tn_json_value *extensions = tn_json_tree_get(from, "extensions");
    if (tn_json_tree_kind_of(extensions) == TN_TREE_OBJECT)
        for (uint32_t i = 0; i < extensions->size && !has_own; i++)
            has_own = !gltf_export_is_own_extension(extensions->items[i]);
    if (has_own) gltf_export_begin_object(exporter, "extensions");
    return has_own;
}

void gltf_export_end_extensions(gltf_exporter *exporter, const tn_json_value *from)
{
    const tn_json_value *extensions = tn_json_tree_get(from, "extensions");
    if (tn_json_tree_kind_of(extensions) == TN_TREE_OBJECT)
        for (uint32_t i = 0; i < extensions->size; i++)
            if (!gltf_export_is_own_extension(extensions->items[i]))
                gltf_export_kept_put(exporter, extensions->items[i]);
    gltf_export_end_object(exporter);
}

void gltf_export_kept_extensions(gltf_exporter *exporter, const tn_json_value *from)
{
    if (gltf_export_begin_extensions(exporter, from, false))
        gltf_export_end_extensions(exporter, from);
}

void gltf_export_kept_member(gltf_exporter *exporter, const tn_json_value *from, const char *key)
{
    const tn_json_value *member = tn_json_tree_get(from, key);
    if (member) gltf_export_kept_put(exporter, member);
}

void gltf_export_kept_members(gltf_exporter *exporter, const tn_json_value *from)
{
    gltf_export_kept_extensions(exporter, from);
    gltf_export_kept_member(exporter, from, "extras");
}

// -- Extras of objects that have them in the scene

static bool gltf_export_kept_is_scalar(const tn_json_value *value)
{
    tn_json_tree_kind kind = tn_json_tree_kind_of(value);
    return kind == TN_TREE_STRING || kind == TN_TREE_NUMBER || kind == TN_TREE_BOOL;
}

static bool gltf_export_kept_is_reserved(const tn_json_value *member, tenon_extra_of of)
{
    const tenon_extra extra = {.of = of, .name = {member->key, member->key_size}};
    return gltf_export_is_reserved_extra(&extra);
}

// Whether a member of extras is not one of the scene's extras, which edits may have changed.
static bool gltf_export_kept_is_apart(const tn_json_value *member, tenon_extra_of of)
{
    return !gltf_export_kept_is_scalar(member) || gltf_export_kept_is_reserved(member, of);
}

bool gltf_export_has_extras(const gltf_exporter *exporter, tenon_extra_of of, uint32_t index,
                            const tn_json_value *from)
{
    const tn_json_value *extras = tn_json_tree_get(from, "extras");
    bool is_object = tn_json_tree_kind_of(extras) == TN_TREE_OBJECT;
    if (exporter->extras_of[of][index] != TENON_NONE) return true;
    for (uint32_t i = 0; is_object && i < extras->size; i++)
        if (gltf_export_kept_is_apart(tn_json_tree_at(extras, i), of)) return true;
    return extras && !is_object;
}

// The members of the file are written in their order, with the values of the scene; then what only
// the scene has. The extras of the scene are in the order of the file, unless they were edited.
void gltf_export_extra_members(gltf_exporter *exporter, tenon_extra_of of, uint32_t index,
                               const tn_json_value *from, const char *const *written)
{
    const tn_json_value *extras = tn_json_tree_get(from, "extras");
    bool is_object = tn_json_tree_kind_of(extras) == TN_TREE_OBJECT;
    uint32_t next = exporter->extras_of[of][index];
    for (uint32_t i = 0; is_object && i < extras->size; i++) {
        const tn_json_value *member = tn_json_tree_at(extras, i);
        tenon_str key = {member->key, member->key_size};
        if (gltf_export_kept_is_apart(member, of)) {
            bool is_written = false;
            for (uint32_t k = 0; written && written[k]; k++)
                if (tn_text_is(key, written[k])) is_written = true;
            if (!is_written) gltf_export_kept_put(exporter, member);
            continue;
        }
        const tenon_extra *extra = next == TENON_NONE ? NULL : &exporter->scene->extras[next];
        if (!extra || !tn_text_equal(extra->name, key)) continue;  // An edit has removed it.
        if (tn_text_equal(extra->value, (tenon_str){member->text, member->size})) {
            gltf_export_kept_put(exporter, member);
        } else {
            tn_json_put_key_bytes(&exporter->json, key.data, key.size);
            tn_json_put_string_bytes(&exporter->json, extra->value.data, extra->value.size);
        }
        next = exporter->next_extra[next];
    }
    for (; next != TENON_NONE; next = exporter->next_extra[next]) {
        const tenon_extra *extra = &exporter->scene->extras[next];
        tn_json_put_key_bytes(&exporter->json, extra->name.data, extra->name.size);
        tn_json_put_string_bytes(&exporter->json, extra->value.data, extra->value.size);
    }
}

void gltf_export_extras(gltf_exporter *exporter, tenon_extra_of of, uint32_t index,
                        const tn_json_value *from)
{
    const tn_json_value *extras = tn_json_tree_get(from, "extras");
    if (!gltf_export_has_extras(exporter, of, index, from)) return;
    if (extras && tn_json_tree_kind_of(extras) != TN_TREE_OBJECT &&
        exporter->extras_of[of][index] == TENON_NONE) {
        gltf_export_kept_put(exporter, extras);
        return;
    }
    gltf_export_begin_object(exporter, "extras");
    gltf_export_extra_members(exporter, of, index, from, NULL);
    gltf_export_end_object(exporter);
}

// -- Copies

uint32_t gltf_export_copy_count(const gltf_exporter *exporter, gltf_list list)
{
    bool is_list = exporter->keep && list < LIST_LIGHTS && list != LIST_BUFFER_VIEWS;
    return is_list ? exporter->keep->copy_count[list] : 0;
}

// An accessor with its own buffer view.
static void gltf_export_kept_accessor(gltf_exporter *exporter, const tn_json_value *from)
{
    static const char *const members[] = {"componentType", "normalized", "count", "type",
                                          "max",           "min",        "name"};
    const gltf_keep *keep = exporter->keep;
    gltf_export_begin_object(exporter, NULL);
    gltf_export_index(exporter, "bufferView", exporter->view_count + keep->bytes_of[from->index]);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        gltf_export_kept_member(exporter, from, members[i]);
    gltf_export_kept_members(exporter, from);
    gltf_export_end_object(exporter);
}

void gltf_export_copies(gltf_exporter *exporter, gltf_list list, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const tn_json_value *from =
            tn_json_tree_at(exporter->keep->lists[list], exporter->keep->copies[list][i]);
        if (list == LIST_ACCESSORS)
            gltf_export_kept_accessor(exporter, from);
        else
            tn_json_tree_write(from, &exporter->json);
    }
}

// -- Parts

// Attributes of meshes that are as in the file; see gltf_export_keep_is_attribute().
void gltf_export_kept_attributes(gltf_exporter *exporter, const gltf_primitive *primitive)
{
    const tn_json_value *attributes = tn_json_tree_get(
        gltf_export_kept_primitive(exporter, primitive->source->origin), "attributes");
    // Vertices that nothing uses may be left out.
    bool is_whole =
        exporter->accessors[primitive->positions].count == primitive->source->vertex_count;
    for (uint32_t i = 0; is_whole && i < tn_json_tree_count(attributes); i++)
        gltf_export_kept_put(exporter, tn_json_tree_at(attributes, i));
}

// The channels of the animation of the file, and the number of the first; NULL: there are none.
static const tn_json_value *gltf_export_kept_channels_of(const gltf_exporter *exporter,
                                                         uint32_t origin, uint32_t *first)
{
    const gltf_keep *keep = exporter->keep;
    const tn_json_value *animation = gltf_export_kept_object(exporter, LIST_ANIMATIONS, origin);
    const tn_json_value *channels = tn_json_tree_get(animation, "channels");
    if (!tn_json_tree_count(channels)) return NULL;
    *first = keep->first_channels[origin - 1];
    return channels;
}

void gltf_export_kept_channels(gltf_exporter *exporter, uint32_t origin, uint32_t sampler)
{
    uint32_t first = 0;
    const tn_json_value *channels = gltf_export_kept_channels_of(exporter, origin, &first);
    for (uint32_t i = 0; i < tn_json_tree_count(channels); i++) {
        const tn_json_value *channel = tn_json_tree_at(channels, i);
        if (!exporter->keep->is_channel_kept[first + i]) continue;
        gltf_export_begin_object(exporter, NULL);
        gltf_export_index(exporter, "sampler", sampler++);
        gltf_export_kept_member(exporter, channel, "target");
        gltf_export_kept_members(exporter, channel);
        gltf_export_end_object(exporter);
    }
}

void gltf_export_kept_samplers(gltf_exporter *exporter, uint32_t origin)
{
    uint32_t first = 0;
    const tn_json_value *channels = gltf_export_kept_channels_of(exporter, origin, &first);
    const tn_json_value *samplers =
        channels ? tn_json_tree_get(channels->parent, "samplers") : NULL;
    for (uint32_t i = 0; i < tn_json_tree_count(channels); i++)
        if (exporter->keep->is_channel_kept[first + i])
            tn_json_tree_write(
                tn_json_tree_at(
                    samplers,
                    tn_json_tree_u32(tn_json_tree_get(tn_json_tree_at(channels, i), "sampler"), 0)),
                &exporter->json);
}

// -- The asset

// The generator, which names the one of the file: "Tenon 0.2, from Blender".
void gltf_export_asset(gltf_exporter *exporter)
{
    static const char ours[] = "Tenon ", from_word[] = ", from ";
    const tn_json_value *asset = tn_json_tree_get(gltf_export_kept_root(exporter), "asset");
    const tn_json_value *generator = tn_json_tree_get(asset, "generator");
    bool is_text = tn_json_tree_kind_of(generator) == TN_TREE_STRING;
    tenon_str from = is_text ? (tenon_str){generator->text, generator->size} : (tenon_str){"", 0};
    if (from.size >= sizeof ours - 1 && memcmp(from.data, ours, sizeof ours - 1) == 0) {
        uint32_t at = 0;
        while (at + sizeof from_word - 1 <= from.size &&
               memcmp(from.data + at, from_word, sizeof from_word - 1) != 0)
            at++;
        bool is_found = at + sizeof from_word - 1 <= from.size;
        at = is_found ? at + (uint32_t)sizeof from_word - 1 : from.size;
        from = (tenon_str){from.data + at, from.size - at};
    }
    gltf_export_begin_object(exporter, "asset");
    gltf_export_string(exporter, "version", "2.0");
    if (from.size) {
        const char *start = "Tenon " TN_VERSION;
        size_t start_size = strlen(start);
        char *text = gltf_export_alloc(exporter, start_size + sizeof from_word + from.size, 1);
        if (!text) return;
        memcpy(text, start, start_size);
        memcpy(text + start_size, from_word, sizeof from_word - 1);
        memcpy(text + start_size + sizeof from_word - 1, from.data, from.size);
        tn_json_put_key(&exporter->json, "generator");
        tn_json_put_string_bytes(&exporter->json, text,
                                 start_size + sizeof from_word - 1 + from.size);
    } else {
        gltf_export_string(exporter, "generator", "Tenon " TN_VERSION);
    }
    gltf_export_kept_member(exporter, asset, "copyright");
    gltf_export_kept_members(exporter, asset);
    gltf_export_end_object(exporter);
}

// -- Lists of extensions

gltf_kept_name *gltf_export_kept_name(gltf_exporter *exporter, tenon_str name)
{
    gltf_keep *keep = exporter->keep;
    gltf_kept_name *found = (gltf_kept_name *)tn_name_find(&keep->names, name);
    if (found || exporter->failed) return found;
    found = gltf_export_alloc(exporter, 1, sizeof *found);
    if (!found) return NULL;
    found->named.name = name;
    (void)tn_name_enter(&keep->names, &found->named);
    if (keep->last_name)
        keep->last_name->next = found;
    else
        keep->first_name = found;
    return keep->last_name = found;
}

void gltf_export_use_extension(gltf_exporter *exporter, tenon_str name, bool is_required)
{
    gltf_kept_name *entry = gltf_export_kept_name(exporter, name);
    if (!entry) return;
    entry->is_used = true;
    entry->is_required = entry->is_required || is_required;
}

typedef struct gltf_own_extension {
    bool is_used;
    const char *name;
    bool is_required;
} gltf_own_extension;

static void gltf_export_kept_add_name(gltf_exporter *exporter, int list, tenon_str name)
{
    gltf_extension_names *names = &exporter->extensions[list];
    names->items[names->count++] = name;
}

// Those of the file in its order, then the others.
void gltf_export_plan_extensions(gltf_exporter *exporter)
{
    static const char *const keys[] = {"extensionsUsed", "extensionsRequired"};
    gltf_own_extension own[] = {
        {exporter->light_count > 0, "KHR_lights_punctual", false},
        {exporter->has_emissive_strength, "KHR_materials_emissive_strength", false},
        {exporter->has_unlit, "KHR_materials_unlit", false},
        {exporter->has_transforms, "KHR_texture_transform", false},
        // Required where there is no other picture.
        {false, gltf_picture_extensions[0].name, true},
        {false, gltf_picture_extensions[1].name, true},
        {false, gltf_picture_extensions[2].name, true},
        {exporter->keep && exporter->keep->copy_count[LIST_MESHES], "KHR_mesh_quantization", true},
    };
    enum {
        OWN = sizeof own / sizeof own[0],
        FIRST_PICTURE = 4,
        LAST_PICTURE = 6,
        QUANTIZATION = 7
    };
    gltf_keep *keep = exporter->keep;
    const tn_json_value *lists[2];
    uint64_t room = OWN;
    for (int i = 0; i < 2; i++) {
        lists[i] = tn_json_tree_get(gltf_export_kept_root(exporter), keys[i]);
        if (tn_json_tree_kind_of(lists[i]) != TN_TREE_ARRAY) lists[i] = NULL;
        room += tn_json_tree_count(lists[i]);
    }
    // Meshes are copied as they are, and the others do not need it.
    bool is_quantized = false;
    for (uint32_t i = 0; i < tn_json_tree_count(lists[0]); i++)
        if (tn_json_tree_is(tn_json_tree_at(lists[0], i), own[QUANTIZATION].name))
            is_quantized = true;
    own[QUANTIZATION].is_used = is_quantized && own[QUANTIZATION].is_used;
    // Texture coordinates and weights may be integers without it.
    for (int i = GLTF_POSITIONS16; i <= GLTF_TANGENTS8; i++)
        if (exporter->first_of[i] != TENON_NONE) own[QUANTIZATION].is_used = true;
    for (uint32_t i = 0; i < exporter->texture_count; i++) {
        const char *extension = exporter->images[exporter->textures[i].image].extension;
        for (int k = FIRST_PICTURE; k <= LAST_PICTURE; k++)
            if (extension && strcmp(extension, own[k].name) == 0) own[k].is_used = true;
    }
    for (gltf_kept_name *entry = keep ? keep->first_name : NULL; entry; entry = entry->next) room++;
    for (int i = 0; i < 2; i++)
        exporter->extensions[i].items =
            gltf_export_alloc(exporter, room, sizeof *exporter->extensions[i].items);
    for (int k = 0; k < OWN && !exporter->failed; k++) {
        tenon_str name = {own[k].name, (uint32_t)strlen(own[k].name)};
        if (!own[k].is_used) continue;
        if (keep) {
            gltf_export_use_extension(exporter, name, own[k].is_required);
            continue;
        }
        gltf_export_kept_add_name(exporter, 0, name);
        if (own[k].is_required) gltf_export_kept_add_name(exporter, 1, name);
    }
    for (int list = 0; list < 2 && keep && !exporter->failed; list++) {
        for (uint32_t i = 0; i < tn_json_tree_count(lists[list]); i++) {
            const tn_json_value *item = tn_json_tree_at(lists[list], i);
            if (tn_json_tree_kind_of(item) != TN_TREE_STRING) continue;
            tenon_str name = {item->text, item->size};
            const gltf_extension *row = gltf_extension_find(name);
            // Unknown ones that no object has are marks of other programs.
            if (!tn_name_find(&keep->names, name) && (!row || row->flags & GLTF_IS_MARK))
                gltf_export_use_extension(exporter, name, false);
            gltf_kept_name *entry = (gltf_kept_name *)tn_name_find(&keep->names, name);
            if (!entry || !entry->is_used || entry->is_listed[list]) continue;
            entry->is_listed[list] = true;
            gltf_export_kept_add_name(exporter, list, entry->named.name);
        }
        for (gltf_kept_name *entry = keep->first_name; entry; entry = entry->next) {
            if (!entry->is_used || entry->is_listed[list] || (list == 1 && !entry->is_required))
                continue;
            entry->is_listed[list] = true;
            gltf_export_kept_add_name(exporter, list, entry->named.name);
        }
    }
}

void gltf_export_extension_lists(gltf_exporter *exporter)
{
    static const char *const keys[] = {"extensionsUsed", "extensionsRequired"};
    for (int list = 0; list < 2; list++) {
        const gltf_extension_names *names = &exporter->extensions[list];
        if (!names->count) continue;
        gltf_export_begin_array(exporter, keys[list]);
        for (uint32_t i = 0; i < names->count; i++)
            tn_json_put_string_bytes(&exporter->json, names->items[i].data, names->items[i].size);
        gltf_export_end_array(exporter);
    }
}

// -- Bytes

uint32_t gltf_export_kept_view_count(const gltf_exporter *exporter)
{
    return exporter->keep ? exporter->keep->bytes_count : 0;
}

void gltf_export_write_kept_view(gltf_exporter *exporter, uint32_t index)
{
    const gltf_kept_bytes *bytes = &exporter->keep->bytes[index];
    gltf_export_index(exporter, "buffer", 0);
    if (bytes->offset) gltf_export_size(exporter, "byteOffset", bytes->offset);
    gltf_export_size(exporter, "byteLength", bytes->size);
    if (bytes->stride) gltf_export_index(exporter, "byteStride", bytes->stride);
    if (bytes->target) gltf_export_index(exporter, "target", bytes->target);
}

bool gltf_export_kept_bytes(gltf_exporter *exporter)
{
    for (uint32_t i = 0; i < gltf_export_kept_view_count(exporter); i++) {
        const gltf_kept_bytes *bytes = &exporter->keep->bytes[i];
        size_t padding = (size_t)(-bytes->size & 3);
        if (!tn_export_write(exporter->export, bytes->data, (size_t)bytes->size) ||
            !tn_export_write(exporter->export, "\0\0\0", padding))
            return false;
    }
    return true;
}
