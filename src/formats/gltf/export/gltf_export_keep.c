// gltf_export_keep.c: the plan of what is written again of the file that the scene is from.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export_keep.h"

#include "core/text/text.h"
#include "formats/formats.h"
#include "formats/gltf/import/gltf_import.h"

#include <stdio.h>
#include <string.h>

// -- The file

// Count the parts of all objects of a list: the items of the array `key` in each. `parts` and
// `firsts`, the number of the first part of each object, are filled in unless NULL.
static uint32_t gltf_export_keep_parts(const gltf_keep *keep, gltf_list list, const char *key,
                                       const tn_json_value **parts, uint32_t *firsts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tn_json_tree_count(keep->lists[list]); i++) {
        const tn_json_value *items = tn_json_tree_get(tn_json_tree_at(keep->lists[list], i), key);
        if (firsts) firsts[i] = count;
        for (uint32_t k = 0; k < tn_json_tree_count(items); k++, count++)
            if (parts) parts[count] = tn_json_tree_at(items, k);
    }
    return count;
}

// Parse the JSON, and find its lists, primitives and channels.
static bool gltf_export_keep_parse(gltf_exporter *exporter, gltf_keep *keep)
{
    const tn_export *export = exporter->export;
    const tenon_str *json = &keep->kept->json;
    if (!tn_json_tree_parse(&keep->tree, json->data, json->size, export->arena, export->err))
        return false;
    const tn_json_value *root = keep->tree.root;
    const tn_json_value *extensions = tn_json_tree_get(root, "extensions");
    for (int i = 0; i <= LIST_LIGHTS; i++) {
        const tn_json_value *parent =
            i == LIST_LIGHTS ? tn_json_tree_get(extensions, "KHR_lights_punctual") : root;
        keep->lists[i] = tn_json_tree_get(parent, gltf_list_keys[i]);
        uint32_t count = tn_json_tree_count(keep->lists[i]);
        keep->out_of[i] = gltf_export_alloc_indices(exporter, count);
        keep->copies[i] = gltf_export_alloc_indices(exporter, count);
    }
    keep->primitive_count = gltf_export_keep_parts(keep, LIST_MESHES, "primitives", NULL, NULL);
    keep->channel_count = gltf_export_keep_parts(keep, LIST_ANIMATIONS, "channels", NULL, NULL);
    keep->primitives =
        gltf_export_alloc(exporter, keep->primitive_count, sizeof(const tn_json_value *));
    keep->channels =
        gltf_export_alloc(exporter, keep->channel_count, sizeof(const tn_json_value *));
    keep->first_channels =
        gltf_export_alloc_indices(exporter, tn_json_tree_count(keep->lists[LIST_ANIMATIONS]));
    keep->is_primitive_done = gltf_export_alloc(exporter, keep->primitive_count, sizeof(bool));
    keep->is_channel_kept = gltf_export_alloc(exporter, keep->channel_count, sizeof(bool));
    uint64_t bytes_most = (uint64_t)tn_json_tree_count(keep->lists[LIST_ACCESSORS]) +
                          tn_json_tree_count(keep->lists[LIST_BUFFER_VIEWS]);
    keep->bytes = gltf_export_alloc(exporter, bytes_most, sizeof *keep->bytes);
    keep->bytes_of =
        gltf_export_alloc_indices(exporter, tn_json_tree_count(keep->lists[LIST_ACCESSORS]));
    if (exporter->failed) return false;
    (void)gltf_export_keep_parts(keep, LIST_MESHES, "primitives", keep->primitives, NULL);
    (void)gltf_export_keep_parts(keep, LIST_ANIMATIONS, "channels", keep->channels,
                                 keep->first_channels);
    return true;
}

// Add the images of the file that no material of the scene uses.
static void gltf_export_keep_images(gltf_exporter *exporter, gltf_keep *keep)
{
    const tenon_scene *scene = exporter->scene;
    uint32_t count = tn_json_tree_count(keep->lists[LIST_IMAGES]);
    bool is_edited = scene->edited & (TN_EDITED_MATERIALS | TN_EDITED_TEXTURES);
    uint64_t room = (uint64_t)scene->image_count + count;
    tenon_image *images = gltf_export_alloc(exporter, room, sizeof *images);
    if (exporter->failed) return;
    if (scene->image_count) memcpy(images, scene->images, scene->image_count * sizeof *images);
    keep->first_image = scene->image_count;
    keep->scene = *scene;
    for (uint32_t i = 0; i < count && !is_edited; i++)
        if (keep->kept->images[i].origin == i + 1 && !keep->kept->is_imported[LIST_IMAGES][i])
            images[keep->scene.image_count++] = keep->kept->images[i];
    keep->scene.images = images;
    keep->export = *exporter->export;
    keep->export.scene = &keep->scene;
    exporter->scene = &keep->scene;
    exporter->export = &keep->export;
}

bool gltf_export_is_kept_image(const gltf_exporter *exporter, uint32_t image)
{
    return exporter->keep && image >= exporter->keep->first_image;
}

const tn_json_value *gltf_export_kept_object(const gltf_exporter *exporter, gltf_list list,
                                             uint32_t origin)
{
    return exporter->keep && origin ? tn_json_tree_at(exporter->keep->lists[list], origin - 1)
                                    : NULL;
}

const tn_json_value *gltf_export_kept_primitive(const gltf_exporter *exporter, uint32_t origin)
{
    const gltf_keep *keep = exporter->keep;
    return keep && origin && origin <= keep->primitive_count ? keep->primitives[origin - 1] : NULL;
}

const tn_json_value *gltf_export_kept_channel(const gltf_exporter *exporter, uint32_t origin)
{
    const gltf_keep *keep = exporter->keep;
    return keep && origin && origin <= keep->channel_count ? keep->channels[origin - 1] : NULL;
}

// -- Textures

// Find the image that each texture of the file shows in the scene, and its wrap modes, before
// indices are replaced.
static void gltf_export_keep_textures(gltf_exporter *exporter, gltf_keep *keep)
{
    enum { REPEAT = 10497 };
    uint32_t count = tn_json_tree_count(keep->lists[LIST_TEXTURES]);
    keep->sources = gltf_export_alloc(exporter, count, sizeof *keep->sources);
    keep->wraps = gltf_export_alloc(exporter, count, sizeof *keep->wraps);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        const tn_json_value *texture = tn_json_tree_at(keep->lists[LIST_TEXTURES], i);
        const tn_json_value *source = tn_json_tree_get(texture, "source");
        const tn_json_value *extensions = tn_json_tree_get(texture, "extensions");
        const tn_json_value *sampler =
            tn_json_tree_at(keep->lists[LIST_SAMPLERS], gltf_index_of(texture, "sampler"));
        for (size_t k = 0; !source && k < GLTF_PICTURE_EXTENSIONS; k++)
            source = tn_json_tree_get(tn_json_tree_get(extensions, gltf_picture_extensions[k].name),
                                      "source");
        uint32_t index = tn_json_tree_u32(source, TENON_NONE);
        if (index < tn_json_tree_count(keep->lists[LIST_IMAGES]))
            keep->sources[i] = keep->kept->images[index].origin;
        keep->wraps[i][0] = tn_json_tree_u32(tn_json_tree_get(sampler, "wrapS"), REPEAT);
        keep->wraps[i][1] = tn_json_tree_u32(tn_json_tree_get(sampler, "wrapT"), REPEAT);
    }
}

uint32_t gltf_export_texture_origin(const gltf_exporter *exporter, const tenon_texture *texture)
{
    static const uint32_t modes[] = {
        [TENON_REPEAT] = 10497, [TENON_CLAMP] = 33071, [TENON_MIRROR] = 33648};
    const gltf_keep *keep = exporter->keep;
    uint32_t origin = texture->origin;
    if (!gltf_export_kept_object(exporter, LIST_TEXTURES, origin)) return 0;
    uint32_t image = exporter->scene->images[texture->image].origin;
    bool is_same = image && image == keep->sources[origin - 1] &&
                   keep->wraps[origin - 1][0] == modes[texture->wrap[0]] &&
                   keep->wraps[origin - 1][1] == modes[texture->wrap[1]];
    return is_same ? origin : 0;
}

bool gltf_export_begin_keeping(gltf_exporter *exporter)
{
    const tn_kept *kept = exporter->scene->kept;
    if (!kept || kept->format != &tn_gltf_format.face || !kept->contents) return true;
    gltf_keep *keep = gltf_export_alloc(exporter, 1, sizeof *keep);
    if (!keep) return false;
    keep->kept = kept->contents;
    keep->tree.arena = exporter->export->arena;
    if (!gltf_export_keep_parse(exporter, keep)) {
        exporter->failed = true;
        return false;
    }
    gltf_export_keep_textures(exporter, keep);
    gltf_export_keep_images(exporter, keep);
    exporter->keep = keep;
    gltf_export_restore(exporter);
    return !exporter->failed;
}

// -- Indices

static void gltf_export_keep_copy(gltf_keep *keep, gltf_list list, uint32_t index)
{
    keep->out_of[list][index] = keep->own_count[list] + keep->copy_count[list];
    keep->copies[list][keep->copy_count[list]++] = index;
}

// The index in the output of an object of the file; TENON_NONE: it is not written. What only
// extensions use is added on demand.
static uint32_t gltf_export_keep_resolve(gltf_keep *keep, gltf_list list, uint32_t index)
{
    const gltf_kept *kept = keep->kept;
    if (list >= LIST_VARIANTS || index >= tn_json_tree_count(keep->lists[list])) return TENON_NONE;
    if (keep->out_of[list][index] != TENON_NONE) return keep->out_of[list][index];
    if (list == LIST_ACCESSORS && kept->accessors[index].data) {
        const gltf_kept_accessor *a = &kept->accessors[index];
        gltf_export_keep_copy(keep, list, index);
        keep->bytes_of[index] = keep->bytes_count;
        keep->bytes[keep->bytes_count++] =
            (gltf_kept_bytes){.data = a->data,
                              .size = (uint64_t)a->count * a->stride,
                              .stride = a->is_packed ? 0 : a->stride,
                              .target = a->is_vertices ? GLTF_TARGET_VERTICES : 0};
    } else if (list == LIST_BUFFER_VIEWS && kept->views[index].data) {
        keep->out_of[list][index] = keep->own_count[list] + keep->bytes_count;
        keep->bytes[keep->bytes_count++] =
            (gltf_kept_bytes){.data = kept->views[index].data, .size = kept->views[index].size};
    } else if (list == LIST_SAMPLERS) {
        gltf_export_keep_copy(keep, list, index);
    } else if (list == LIST_TEXTURES) {
        uint32_t source = keep->sources[index];
        if (source && keep->out_of[LIST_IMAGES][source - 1] != TENON_NONE)
            gltf_export_keep_copy(keep, list, index);
    }
    return keep->out_of[list][index];
}

// -- Extensions

// Whether a number in an unknown extension may be an index that is another one in the output.
static bool gltf_export_keep_may_move(const gltf_keep *keep, const tn_json_value *number)
{
    uint32_t index = tn_json_tree_u32(number, TENON_NONE);
    for (int list = 0; list < LIST_VARIANTS && index != TENON_NONE; list++) {
        bool is_bytes = list == LIST_ACCESSORS || list == LIST_BUFFER_VIEWS || list == LIST_BUFFERS;
        if (index < tn_json_tree_count(keep->lists[list]) &&
            (is_bytes || keep->out_of[list][index] != index))
            return true;
    }
    return false;
}

// The JSON pointer of KHR_animation_pointer, "/nodes/3/scale", with the index of the output. NULL
// data: the object is not written.
static tenon_str gltf_export_keep_pointer(gltf_exporter *exporter, const tn_json_value *pointer)
{
    static const char lights[] = "/extensions/KHR_lights_punctual/lights/";
    gltf_keep *keep = exporter->keep;
    for (int list = 0; list <= LIST_LIGHTS; list++) {
        char start[64];
        int size = list == LIST_LIGHTS
                       ? snprintf(start, sizeof start, "%s", lights)
                       : snprintf(start, sizeof start, "/%s/", gltf_list_keys[list]);
        uint32_t at = (uint32_t)size, index = 0;
        if (pointer->size <= at || memcmp(pointer->text, start, at) != 0) continue;
        for (; at < pointer->size && pointer->text[at] >= '0' && pointer->text[at] <= '9'; at++) {
            if (index > UINT32_MAX / 10 - 1) return (tenon_str){NULL, 0};
            index = 10 * index + (uint32_t)(pointer->text[at] - '0');
        }
        uint32_t out = at > (uint32_t)size ? gltf_export_keep_resolve(keep, (gltf_list)list, index)
                                           : TENON_NONE;
        if (out == TENON_NONE) return (tenon_str){NULL, 0};
        size_t room = sizeof start + 12 + pointer->size;
        char *text = gltf_export_alloc(exporter, room, 1);
        if (!text) return (tenon_str){NULL, 0};
        int used = snprintf(text, room, "%s%u", start, (unsigned)out);
        memcpy(text + used, pointer->text + at, pointer->size - at);
        return (tenon_str){text, (uint32_t)used + (pointer->size - at)};
    }
    return (tenon_str){pointer->text, pointer->size};
}

// Whether an extension of an object is written again. Counts why not.
static bool gltf_export_keep_decide(gltf_exporter *exporter, tn_json_value *extension,
                                    bool is_of_scene)
{
    gltf_keep *keep = exporter->keep;
    tenon_str name = {extension->key, extension->key_size};
    const gltf_extension *row = gltf_extension_find(name);
    uint32_t flags = row ? row->flags : 0;
    gltf_kept_name *entry = gltf_export_kept_name(exporter, name);
    if (!entry || (flags & GLTF_IS_PACKING)) return false;
    if (is_of_scene && gltf_export_is_own_extension(extension)) return true;
    tn_tally *lost = NULL;
    if ((flags & GLTF_IS_OF_SHAPES) && (keep->scene.edited & TN_EDITED_SHAPES))
        lost = &entry->lost_shapes;
    for (tn_json_value *value = extension; value && !lost;) {
        bool is_apart = gltf_import_has_key(value, "extras") ||
                        (value != extension && gltf_import_has_key(value, "extensions"));
        if (tn_json_tree_kind_of(value) == TN_TREE_NUMBER && !is_apart && !value->is_changed) {
            gltf_list list = row ? gltf_extension_reference(value, extension) : LIST_COUNT;
            uint32_t index = tn_json_tree_u32(value, TENON_NONE);
            if ((!row || flags & GLTF_IS_OPAQUE) && gltf_export_keep_may_move(keep, value))
                lost = &entry->lost_indices;
            if (list < LIST_COUNT && gltf_export_keep_resolve(keep, list, index) == TENON_NONE)
                lost = &entry->lost_references;
        }
        value = tn_json_tree_next(value, extension, is_apart);
    }
    tn_json_value *pointer = gltf_import_has_key(extension, "KHR_animation_pointer")
                                 ? tn_json_tree_get(extension, "pointer")
                                 : NULL;
    if (!lost && tn_json_tree_kind_of(pointer) == TN_TREE_STRING) {
        tenon_str text = gltf_export_keep_pointer(exporter, pointer);
        if (text.data)
            tn_json_tree_replace(&keep->tree, pointer,
                                 tn_json_tree_make_string(&keep->tree, text.data, text.size));
        else
            lost = &entry->lost_references;
    }
    if (!lost) entry->is_used = true;
    char path[96];
    if (lost) gltf_import_pointer(extension, path, sizeof path);
    if (lost) tn_tally_path(lost, 1, "%s", path);
    return !lost;
}

// -- Objects

typedef struct gltf_keep_filter {
    gltf_exporter *exporter;
    bool is_of_scene;
} gltf_keep_filter;

static bool gltf_export_keep_decides(void *user, tn_json_value *extension)
{
    const gltf_keep_filter *filter = user;
    return gltf_export_keep_decide(filter->exporter, extension, filter->is_of_scene);
}

bool gltf_export_keep_rewrite(gltf_exporter *exporter, tn_json_value *top, bool is_of_scene)
{
    gltf_keep *keep = exporter->keep;
    bool is_whole = true;
    for (tn_json_value *value = top; value && !exporter->failed;) {
        bool is_extras = gltf_import_has_key(value, "extras");
        if (gltf_import_has_key(value, "extensions") && value != top &&
            tn_json_tree_kind_of(value) == TN_TREE_OBJECT) {
            gltf_keep_filter filter = {exporter,
                                       is_of_scene && !gltf_extension_around(value->parent)};
            tn_json_tree_keep(value, gltf_export_keep_decides, &filter);
            if (tn_json_tree_count(value) == 0) {
                tn_json_value *empty = value;
                value = tn_json_tree_next(value, top, true);
                tn_json_tree_remove(empty);
                continue;
            }
        }
        if (tn_json_tree_kind_of(value) == TN_TREE_NUMBER && !value->is_changed) {
            const tn_json_value *extension = gltf_extension_around(value);
            gltf_list list =
                extension || !is_of_scene ? gltf_extension_reference(value, extension) : LIST_COUNT;
            if (list < LIST_COUNT) {
                uint32_t out =
                    gltf_export_keep_resolve(keep, list, tn_json_tree_u32(value, TENON_NONE));
                tn_json_value *lost =
                    out == TENON_NONE && !extension ? gltf_export_restore_optional(value) : NULL;
                if (out == TENON_NONE)
                    is_whole = false;
                else
                    tn_json_tree_change_u64(&keep->tree, value, out);
                if (lost) value = tn_json_tree_next(lost, top, true);
                if (lost) tn_json_tree_remove(lost);
                if (lost) continue;
            }
        }
        value = tn_json_tree_next(value, top, is_extras);
    }
    if (keep->tree.failed && !exporter->failed)
        exporter->failed = !tn_error(exporter->export->err, TENON_ERR_MEMORY, "out of memory");
    return is_whole;
}

// The same for the extensions of an object alone.
static void gltf_export_keep_extensions(gltf_exporter *exporter, const tn_json_value *object)
{
    tn_json_value *extensions = tn_json_tree_get(object, "extensions");
    gltf_keep_filter filter = {exporter, true};
    if (tn_json_tree_kind_of(extensions) != TN_TREE_OBJECT) return;
    tn_json_tree_keep(extensions, gltf_export_keep_decides, &filter);
    for (uint32_t i = 0; i < extensions->size; i++)
        (void)gltf_export_keep_rewrite(exporter, extensions->items[i], true);
}

// -- The plan

// Count the children of a node of the scene that only the file has. Below it they would be in the
// scene, where joints are even if the file does not list them.
static void gltf_export_keep_count_children(gltf_keep *keep, const tn_json_value *node)
{
    const tn_json_value *children = tn_json_tree_get(node, "children");
    for (uint32_t i = 0; i < tn_json_tree_count(children); i++) {
        uint32_t index = tn_json_tree_u32(tn_json_tree_at(children, i), TENON_NONE);
        if (index < tn_json_tree_count(keep->lists[LIST_NODES]) &&
            keep->out_of[LIST_NODES][index] != TENON_NONE &&
            keep->out_of[LIST_NODES][index] >= keep->own_count[LIST_NODES])
            tn_tally_path(&keep->lost_places, 1, "/nodes/%u", (unsigned)index);
    }
}

// Whether an item of the nodes of another scene is a root of the output.
static bool gltf_export_keep_is_root(void *user, tn_json_value *item)
{
    const gltf_exporter *exporter = user;
    const gltf_keep *keep = exporter->keep;
    uint32_t index = tn_json_tree_u32(item, TENON_NONE);
    if (index >= tn_json_tree_count(keep->lists[LIST_NODES])) return false;
    uint32_t out = keep->out_of[LIST_NODES][index];
    return out != TENON_NONE &&
           (out >= exporter->node_count || exporter->nodes[out].parent == TENON_NONE);
}

typedef struct gltf_attribute_filter {
    gltf_exporter *exporter;
    uint32_t vertex_count;  // In the file.
} gltf_attribute_filter;

// Keep an attribute that scenes do not have, with its accessor.
static bool gltf_export_keep_is_attribute(void *user, tn_json_value *member)
{
    const gltf_attribute_filter *filter = user;
    gltf_exporter *exporter = filter->exporter;
    gltf_keep *keep = exporter->keep;
    uint32_t index = tn_json_tree_u32(member, TENON_NONE);
    if (gltf_import_has_attribute(member)) return false;
    uint32_t out = keep->scene.edited & TN_EDITED_SHAPES
                       ? TENON_NONE
                       : gltf_export_keep_resolve(keep, LIST_ACCESSORS, index);
    if (out != TENON_NONE && keep->kept->accessors[index].count == filter->vertex_count) {
        tn_json_tree_change_u64(&keep->tree, member, out);
        return true;
    }
    char path[96];
    gltf_import_pointer(member, path, sizeof path);
    tn_tally_path(&keep->lost_attributes, 1, "%s", path);
    return false;
}

// A channel that the scene does not have, and its sampler, which several channels may share.
static bool gltf_export_keep_channel(void *user, tn_json_value *channel)
{
    gltf_exporter *exporter = user;
    gltf_keep *keep = exporter->keep;
    const tn_json_value *samplers = tn_json_tree_get(channel->parent->parent, "samplers");
    tn_json_value *sampler = tn_json_tree_at(samplers, gltf_index_of(channel, "sampler"));
    const tn_json_value *input = tn_json_tree_get(sampler, "input");
    const tn_json_value *target = tn_json_tree_get(channel, "target");
    bool is_edited = keep->scene.edited & TN_EDITED_CLIPS;
    bool is_whole = !is_edited && input && target &&
                    (input->is_changed || gltf_export_keep_rewrite(exporter, sampler, false)) &&
                    gltf_export_keep_rewrite(exporter, channel, false);
    if (tn_json_tree_is(tn_json_tree_get(target, "path"), "pointer"))
        is_whole = is_whole && gltf_extension_of(target, "KHR_animation_pointer");
    else
        is_whole = is_whole && tn_json_tree_get(target, "node");
    if (is_whole) return true;
    char path[96];
    gltf_import_pointer(channel, path, sizeof path);
    tn_tally_path(&keep->lost_channels, 1, "%s", path);
    return false;
}

static void gltf_export_keep_animations(gltf_exporter *exporter)
{
    gltf_keep *keep = exporter->keep;
    for (uint32_t i = 0; i < exporter->animation_count && !exporter->failed; i++) {
        uint32_t origin = keep->scene.animations[exporter->animations[i].source].origin;
        const tn_json_value *animation = gltf_export_kept_object(exporter, LIST_ANIMATIONS, origin);
        const tn_json_value *channels = tn_json_tree_get(animation, "channels");
        if (!animation || keep->out_of[LIST_ANIMATIONS][origin - 1] != i) continue;
        for (uint32_t k = 0; k < tn_json_tree_count(channels); k++) {
            tn_json_value *channel = tn_json_tree_at(channels, k);
            uint32_t number = keep->first_channels[origin - 1] + k;
            if (keep->kept->is_channel_imported[number])
                (void)gltf_export_keep_rewrite(exporter, channel, true);
            else
                keep->is_channel_kept[number] = gltf_export_keep_channel(exporter, channel);
        }
        gltf_export_keep_extensions(exporter, animation);
    }
    for (uint32_t i = 0; i < tn_json_tree_count(keep->lists[LIST_ANIMATIONS]); i++) {
        tn_json_value *channels =
            tn_json_tree_get(tn_json_tree_at(keep->lists[LIST_ANIMATIONS], i), "channels");
        if (keep->kept->is_imported[LIST_ANIMATIONS][i] || exporter->failed) continue;
        tn_json_tree_keep(channels, gltf_export_keep_channel, exporter);
        if (tn_json_tree_count(channels)) gltf_export_keep_copy(keep, LIST_ANIMATIONS, i);
    }
}

static void gltf_export_keep_map(gltf_keep *keep, gltf_list list, uint32_t origin, uint32_t out)
{
    if (origin && origin <= tn_json_tree_count(keep->lists[list]) &&
        keep->out_of[list][origin - 1] == TENON_NONE)
        keep->out_of[list][origin - 1] = out;
}

// Say which object of the output each object of the file is, as far as the scene has it.
static void gltf_export_keep_map_all(gltf_exporter *exporter)
{
    gltf_keep *keep = exporter->keep;
    const tenon_scene *scene = exporter->scene;
    for (uint32_t i = 0; i < exporter->node_count; i++)
        if (exporter->nodes[i].source != TENON_NONE)
            gltf_export_keep_map(keep, LIST_NODES, scene->nodes[exporter->nodes[i].source].origin,
                                 i);
    for (uint32_t i = 0; i < exporter->mesh_count; i++)
        gltf_export_keep_map(keep, LIST_MESHES, scene->meshes[exporter->meshes[i].source].origin,
                             i);
    for (uint32_t i = 0; i < exporter->skin_count; i++)
        gltf_export_keep_map(keep, LIST_SKINS, scene->skins[exporter->skins[i].source].origin, i);
    for (uint32_t i = 0; i < exporter->material_count; i++)
        gltf_export_keep_map(keep, LIST_MATERIALS,
                             scene->materials[exporter->materials[i].source].origin, i);
    for (uint32_t i = 0; i < exporter->animation_count; i++)
        gltf_export_keep_map(keep, LIST_ANIMATIONS,
                             scene->animations[exporter->animations[i].source].origin, i);
    for (uint32_t i = 0; i < scene->camera_count; i++)
        gltf_export_keep_map(keep, LIST_CAMERAS, scene->cameras[i].origin, exporter->camera_of[i]);
    for (uint32_t i = 0; i < scene->light_count; i++)
        gltf_export_keep_map(keep, LIST_LIGHTS, scene->lights[i].origin, exporter->light_of[i]);
    for (uint32_t i = 0; i < exporter->image_count; i++)
        gltf_export_keep_map(keep, LIST_IMAGES, scene->images[exporter->image_sources[i]].origin,
                             i);
    for (uint32_t i = 0; i < exporter->texture_count; i++)
        gltf_export_keep_map(keep, LIST_TEXTURES, exporter->textures[i].origin, i);
    // Images that are the same in the scene.
    for (uint32_t i = 0; i < tn_json_tree_count(keep->lists[LIST_IMAGES]); i++) {
        uint32_t first = keep->kept->images[i].origin;
        if (first)
            gltf_export_keep_map(keep, LIST_IMAGES, i + 1, keep->out_of[LIST_IMAGES][first - 1]);
    }
    keep->own_count[LIST_NODES] = exporter->node_count;
    keep->own_count[LIST_MESHES] = exporter->mesh_count;
    keep->own_count[LIST_SKINS] = exporter->skin_count;
    keep->own_count[LIST_MATERIALS] = exporter->material_count;
    keep->own_count[LIST_ANIMATIONS] = exporter->animation_count;
    keep->own_count[LIST_TEXTURES] = exporter->texture_count;
    keep->own_count[LIST_SAMPLERS] = exporter->sampler_count;
    keep->own_count[LIST_ACCESSORS] = exporter->accessor_count;
    keep->own_count[LIST_BUFFER_VIEWS] = exporter->view_count;
}

// Copy the objects that only the file has, unless edits cannot apply to them.
static void gltf_export_keep_copy_objects(gltf_exporter *exporter)
{
    static const gltf_list lists[] = {LIST_NODES, LIST_MESHES, LIST_SKINS, LIST_MATERIALS};
    gltf_keep *keep = exporter->keep;
    bool are_shapes_known = !(keep->scene.edited & TN_EDITED_SHAPES) && !keep->kept->lacks_data;
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        bool is_copied = lists[k] == LIST_MATERIALS ? !(keep->scene.edited & TN_EDITED_MATERIALS)
                                                    : are_shapes_known;
        for (uint32_t i = 0; i < tn_json_tree_count(keep->lists[lists[k]]); i++) {
            if (keep->kept->is_imported[lists[k]][i]) continue;
            if (is_copied)
                gltf_export_keep_copy(keep, lists[k], i);
            else
                tn_tally_path(&keep->lost_objects, 1, "/%s/%u", gltf_list_keys[lists[k]],
                              (unsigned)i);
        }
    }
    // Scenes keep their order.
    uint32_t own = 0, count = tn_json_tree_count(keep->lists[LIST_SCENES]);
    while (own < count && !keep->kept->is_imported[LIST_SCENES][own]) own++;
    if (own < count) keep->out_of[LIST_SCENES][own] = 0;
    keep->own_count[LIST_SCENES] = 1;
    keep->scenes_before = are_shapes_known && own < count ? own : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (keep->kept->is_imported[LIST_SCENES][i]) continue;
        if (are_shapes_known)
            keep->copies[LIST_SCENES][keep->copy_count[LIST_SCENES]++] = i;
        else
            tn_tally_path(&keep->lost_objects, 1, "/scenes/%u", (unsigned)i);
    }
}

static void gltf_export_keep_report(gltf_exporter *exporter)
{
    const gltf_keep *keep = exporter->keep;
    const tn_export *export = exporter->export;
    tn_export_report_tally(export, &keep->lost_objects, TENON_DROPPED, "unused objects and scenes",
                           "they are not in the default scene, to which edits apply");
    tn_export_report_tally(export, &keep->lost_places, TENON_DROPPED, "places of unused nodes",
                           "their parents are joints, and now part of the scene");
    tn_export_report_tally(export, &keep->lost_channels, TENON_DROPPED, "channels",
                           "they move what is not written, or their clip was edited");
    tn_export_report_tally(export, &keep->lost_attributes, TENON_DROPPED, "vertex attributes",
                           "not supported in scenes, and the meshes were edited");
    for (const gltf_kept_name *entry = keep->first_name; entry; entry = entry->next) {
        char name[64];
        tn_text_clean(entry->named.name.data, entry->named.name.size, name, sizeof name);
        tn_export_report_tally(export, &entry->lost_references, TENON_DROPPED, name,
                               "it refers to what is not written");
        tn_export_report_tally(export, &entry->lost_indices, TENON_DROPPED, name,
                               "unknown: its numbers may be indices, which have changed");
        tn_export_report_tally(export, &entry->lost_shapes, TENON_DROPPED, name,
                               "it does not apply to meshes that were edited");
    }
}

// Rewrite the objects of a list in their order in the output, so that what they use is added in
// that order, too: a second conversion then changes nothing.
static void gltf_export_keep_list(gltf_exporter *exporter, gltf_list list)
{
    gltf_keep *keep = exporter->keep;
    uint32_t count = tn_json_tree_count(keep->lists[list]), own = 0;
    uint32_t *order = gltf_export_alloc_indices(exporter, (uint64_t)keep->own_count[list] + count);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < count; i++)
        if (keep->out_of[list][i] < keep->own_count[list]) order[keep->out_of[list][i]] = i;
    own = keep->own_count[list];
    for (uint32_t i = 0; i < keep->copy_count[list]; i++) order[own + i] = keep->copies[list][i];
    for (uint32_t i = 0; i < own + keep->copy_count[list] && !exporter->failed; i++) {
        tn_json_value *item = tn_json_tree_at(keep->lists[list], order[i]);
        bool is_of_scene = i < own && list != LIST_TEXTURES;
        if (!item) continue;
        if (list == LIST_NODES && is_of_scene) {
            gltf_export_keep_count_children(keep, item);
            gltf_export_restore_hidden(exporter, item);
        }
        if (list == LIST_SCENES && !is_of_scene)
            tn_json_tree_keep(tn_json_tree_get(item, "nodes"), gltf_export_keep_is_root, exporter);
        (void)gltf_export_keep_rewrite(exporter, item, is_of_scene);
    }
}

void gltf_export_plan_kept(gltf_exporter *exporter)
{
    static const gltf_list others[] = {LIST_CAMERAS, LIST_IMAGES, LIST_LIGHTS};
    static const gltf_list copied[] = {LIST_SCENES, LIST_NODES, LIST_MESHES, LIST_SKINS,
                                       LIST_MATERIALS};
    gltf_keep *keep = exporter->keep;
    if (!keep || exporter->failed) return;
    gltf_export_keep_map_all(exporter);
    gltf_export_keep_copy_objects(exporter);
    gltf_export_keep_animations(exporter);
    for (size_t k = 0; k < sizeof copied / sizeof copied[0]; k++)
        gltf_export_keep_list(exporter, copied[k]);
    for (uint32_t i = 0; i < exporter->primitive_count && !exporter->failed; i++) {
        uint32_t origin = exporter->primitives[i].source->origin;
        const tn_json_value *from = gltf_export_kept_primitive(exporter, origin);
        tn_json_value *attributes = tn_json_tree_get(from, "attributes");
        if (!from || keep->is_primitive_done[origin - 1]) continue;
        const tn_json_value *positions =
            tn_json_tree_at(keep->lists[LIST_ACCESSORS], gltf_index_of(attributes, "POSITION"));
        gltf_attribute_filter filter = {exporter,
                                        tn_json_tree_u32(tn_json_tree_get(positions, "count"), 0)};
        tn_json_tree_keep(attributes, gltf_export_keep_is_attribute, &filter);
        keep->is_primitive_done[origin - 1] = true;
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        for (uint32_t i = 0; i < tn_json_tree_count(keep->lists[others[k]]); i++)
            (void)gltf_export_keep_rewrite(exporter, tn_json_tree_at(keep->lists[others[k]], i),
                                           true);
    gltf_export_keep_extensions(exporter, keep->tree.root);
    tn_json_value *asset = tn_json_tree_get(keep->tree.root, "asset");
    if (asset) (void)gltf_export_keep_rewrite(exporter, asset, true);
    // Textures last: extensions add some, and they refer only to images and samplers.
    for (uint32_t i = 0; i < tn_json_tree_count(keep->lists[LIST_TEXTURES]); i++)
        if (!(keep->scene.edited & TN_EDITED_TEXTURES) &&
            !keep->kept->is_imported[LIST_TEXTURES][i])
            (void)gltf_export_keep_resolve(keep, LIST_TEXTURES, i);
    gltf_export_keep_list(exporter, LIST_TEXTURES);
    for (uint32_t i = 0; i < tn_json_tree_count(keep->lists[LIST_SAMPLERS]); i++)
        if (keep->out_of[LIST_SAMPLERS][i] != TENON_NONE)
            (void)gltf_export_keep_rewrite(exporter, tn_json_tree_at(keep->lists[LIST_SAMPLERS], i),
                                           true);
    // Accessors only have extensions that are kept if they are copied.
    for (uint32_t i = 0; i < keep->copy_count[LIST_ACCESSORS] && !exporter->failed; i++)
        (void)gltf_export_keep_rewrite(
            exporter, tn_json_tree_at(keep->lists[LIST_ACCESSORS], keep->copies[LIST_ACCESSORS][i]),
            true);
    for (uint32_t i = 0; i < keep->bytes_count; i++) {
        keep->bytes[i].offset = exporter->buffer_size;
        exporter->buffer_size += (keep->bytes[i].size + 3) & ~(uint64_t)3;
    }
    if (!exporter->failed) gltf_export_keep_report(exporter);
}
