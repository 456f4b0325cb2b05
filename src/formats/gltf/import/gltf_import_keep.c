// gltf_import_keep.c: keep what scenes cannot hold, for exports to glTF: the JSON, and the bytes
// that the parts of it use which are not imported.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "formats/gltf/gltf_kept.h"
#include "formats/gltf/import/gltf_import.h"

#include <string.h>

// What is kept besides the JSON is at most this much more than the input.
#define KEPT_MORE ((uint64_t)1 << 20)

typedef enum gltf_need { NOT_NEEDED, NEEDED_PACKED, NEEDED_AS_VERTICES } gltf_need;

typedef struct gltf_keeper {
    gltf_importer *importer;
    gltf_kept *kept;
    uint8_t *accessor_needs, *view_needs;  // For each, a gltf_need.
    uint64_t left;                         // Bytes that may still be kept.
} gltf_keeper;

// Damage in what is only kept does not concern the scene.
static void gltf_import_keep_forgive(gltf_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    if (!builder->failed || tn_is_outage(builder->err)) return;
    builder->failed = false;
    tn_error_clear(builder->err);
}

// -- What is needed

static void gltf_import_keep_need(gltf_keeper *keeper, gltf_list list, const tn_json_value *value,
                                  gltf_need need)
{
    uint8_t *needs = list == LIST_ACCESSORS      ? keeper->accessor_needs
                     : list == LIST_BUFFER_VIEWS ? keeper->view_needs
                                                 : NULL;
    uint32_t index = tn_json_tree_u32(value, TENON_NONE);
    if (!needs || index >= gltf_import_count(keeper->importer, list)) return;
    if (needs[index] < need) needs[index] = (uint8_t)need;
}

// The list whose item the value is part of, and the number of the item; LIST_COUNT: none.
static gltf_list gltf_import_keep_list_of(const gltf_importer *importer, const tn_json_value *item)
{
    for (int i = 0; i < LIST_LIGHTS; i++)
        if (importer->lists[i] && item->parent == importer->lists[i]) return (gltf_list)i;
    return LIST_COUNT;
}

// Mark what the extensions use, and what the objects use that are not imported.
static void gltf_import_keep_mark(gltf_keeper *keeper)
{
    const gltf_importer *importer = keeper->importer;
    const tn_json_value *value = importer->tree.root;
    bool is_imported = true;  // The item of a list that the value is part of.
    while (value) {
        bool is_extras = gltf_import_has_key(value, "extras");
        gltf_list list = gltf_import_keep_list_of(importer, value);
        bool is_bytes = list == LIST_ACCESSORS || list == LIST_BUFFER_VIEWS ||
                        list == LIST_BUFFERS || list == LIST_IMAGES;
        if (list < LIST_COUNT)
            is_imported =
                !keeper->kept->is_imported[list] || keeper->kept->is_imported[list][value->index];
        if (tn_json_tree_kind_of(value) == TN_TREE_NUMBER) {
            const tn_json_value *extension = gltf_extension_around(value);
            if (extension || !is_imported) {
                gltf_list wanted = gltf_extension_reference(value, extension);
                const tn_json_value *above = value->parent->parent;
                bool is_vertices = !extension && wanted == LIST_ACCESSORS &&
                                   (gltf_import_has_key(value->parent, "attributes") ||
                                    (above && gltf_import_has_key(above, "targets")));
                gltf_import_keep_need(keeper, wanted, value,
                                      is_vertices ? NEEDED_AS_VERTICES : NEEDED_PACKED);
            }
        }
        value = tn_json_tree_next(value, importer->tree.root, is_extras || is_bytes);
    }
}

// Mark the attributes of imported meshes that scenes do not have, and what the channels use that
// are not imported.
static void gltf_import_keep_mark_parts(gltf_keeper *keeper)
{
    const gltf_importer *importer = keeper->importer;
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_MESHES); i++) {
        const tn_json_value *primitives =
            tn_json_tree_get(gltf_import_item(importer, LIST_MESHES, i), "primitives");
        for (uint32_t k = 0; k < tn_json_tree_count(primitives); k++) {
            const tn_json_value *attributes =
                tn_json_tree_get(tn_json_tree_at(primitives, k), "attributes");
            for (uint32_t n = 0; n < tn_json_tree_count(attributes); n++) {
                const tn_json_value *member = tn_json_tree_at(attributes, n);
                if (!gltf_import_has_attribute(member))
                    gltf_import_keep_need(keeper, LIST_ACCESSORS, member, NEEDED_AS_VERTICES);
            }
        }
    }
    uint32_t number = 0;
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_ANIMATIONS); i++) {
        const tn_json_value *animation = gltf_import_item(importer, LIST_ANIMATIONS, i);
        const tn_json_value *channels = tn_json_tree_get(animation, "channels");
        const tn_json_value *samplers = tn_json_tree_get(animation, "samplers");
        for (uint32_t k = 0; k < tn_json_tree_count(channels); k++, number++) {
            if (importer->is_channel_imported[number]) continue;
            const tn_json_value *channel = tn_json_tree_at(channels, k);
            uint32_t at = gltf_index_of(channel, "sampler");
            const tn_json_value *sampler = tn_json_tree_at(samplers, at);
            gltf_import_keep_need(keeper, LIST_ACCESSORS, tn_json_tree_get(sampler, "input"),
                                  NEEDED_PACKED);
            gltf_import_keep_need(keeper, LIST_ACCESSORS, tn_json_tree_get(sampler, "output"),
                                  NEEDED_PACKED);
        }
    }
}

// -- Bytes

// Memory of the scene for bytes that are kept; NULL if that would be too much.
static uint8_t *gltf_import_keep_bytes(gltf_keeper *keeper, uint64_t size)
{
    if (size > keeper->left) return NULL;
    keeper->left -= size;
    return tn_scene_array(keeper->importer->builder, size, 1);
}

static void gltf_import_keep_data(gltf_keeper *keeper)
{
    gltf_importer *importer = keeper->importer;
    const tn_scene_builder *builder = importer->builder;
    gltf_kept *kept = keeper->kept;
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_ACCESSORS) && !builder->failed; i++) {
        gltf_kept_accessor *out = &kept->accessors[i];
        gltf_elements e;
        if (keeper->accessor_needs[i] == NOT_NEEDED) continue;
        const tn_json_value *count =
            tn_json_tree_get(gltf_import_item(importer, LIST_ACCESSORS, i), "count");
        if (tn_json_tree_u32(count, TENON_NONE) != TENON_NONE &&
            gltf_import_open_accessor(importer, i, GLTF_ANY_SHAPE, &e)) {
            uint32_t step = gltf_import_element_step(&e);
            out->is_packed = keeper->accessor_needs[i] == NEEDED_PACKED || step % 4 == 0;
            out->stride = out->is_packed ? step : (step + 3) / 4 * 4;
            out->count = (uint32_t)e.count;
            out->is_vertices = keeper->accessor_needs[i] == NEEDED_AS_VERTICES;
            bool has_data = e.bytes.data || e.bytes.stride == 0;
            uint8_t *data = has_data ? gltf_import_keep_bytes(keeper, e.count * out->stride) : NULL;
            if (data) gltf_import_copy_elements(&e, data, out->stride);
            out->data = data;
        }
        gltf_import_keep_forgive(importer);
        if (!out->data) kept->lacks_data = true;
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_BUFFER_VIEWS) && !builder->failed;
         i++) {
        gltf_kept_view *out = &kept->views[i];
        gltf_range range;
        if (keeper->view_needs[i] == NOT_NEEDED) continue;
        if (gltf_import_view_bytes(importer, i, &range) && range.data) {
            uint8_t *data = gltf_import_keep_bytes(keeper, range.size);
            if (data) memcpy(data, range.data, (size_t)range.size);
            *out = (gltf_kept_view){data, range.size};
        }
        gltf_import_keep_forgive(importer);
        if (!out->data) kept->lacks_data = true;
    }
}

// -- Objects

// Mark the objects that the finished scene will have.
static void gltf_import_keep_mark_imported(gltf_importer *importer, gltf_kept *kept)
{
    const tenon_scene *scene = importer->builder->scene;
    const uint32_t *const places[LIST_COUNT] = {[LIST_NODES] = importer->node_of,
                                                [LIST_MESHES] = importer->mesh_of,
                                                [LIST_SKINS] = importer->skin_of};
    static const gltf_list others[] = {LIST_ANIMATIONS, LIST_IMAGES, LIST_MATERIALS, LIST_SCENES,
                                       LIST_TEXTURES};
    for (int list = 0; list < LIST_COUNT && !importer->builder->failed; list++) {
        bool is_wanted = places[list] != NULL;
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            if ((int)others[k] == list) is_wanted = true;
        if (!is_wanted) continue;
        uint32_t count = gltf_import_count(importer, (gltf_list)list);
        kept->is_imported[list] = tn_scene_array(importer->builder, count, sizeof(bool));
        for (uint32_t i = 0; i < count && kept->is_imported[list] && places[list]; i++)
            kept->is_imported[list][i] = places[list][i] != TENON_NONE;
    }
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            if (importer->is_channel_imported[scene->animations[i].channels[k].origin - 1])
                kept->is_imported[LIST_ANIMATIONS][scene->animations[i].origin - 1] = true;
    const tn_json_value *wanted = tn_json_tree_get(importer->tree.root, "scene");
    uint32_t shown = tn_json_tree_u32(wanted, 0);
    if (shown < gltf_import_count(importer, LIST_SCENES))
        kept->is_imported[LIST_SCENES][shown] = true;
    // Materials that no mesh uses are dropped, and then their images. Exports to glTF find those of
    // the file's materials and of those that the scene will have.
    uint32_t image_count = gltf_import_count(importer, LIST_IMAGES);
    bool *is_shown = gltf_import_scratch(importer, image_count, sizeof *is_shown);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            uint32_t index = scene->meshes[i].primitives[k].material;
            if (index == TENON_NONE) continue;
            const tenon_material *material = &scene->materials[index];
            if (kept->is_imported[LIST_MATERIALS][material->origin - 1]) continue;
            kept->is_imported[LIST_MATERIALS][material->origin - 1] = true;
            for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
                const tenon_texture *texture = &material->textures[slot];
                if (texture->image == TENON_NONE || !texture->origin) continue;
                kept->is_imported[LIST_TEXTURES][texture->origin - 1] = true;
                uint32_t origin = scene->images[texture->image].origin;
                if (origin) kept->is_imported[LIST_IMAGES][origin - 1] = true;
            }
            const tenon_material *look = importer->looks[index];
            for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
                uint32_t image = (look ? look : material)->textures[slot].image;
                uint32_t origin = image == TENON_NONE ? 0 : scene->images[image].origin;
                if (origin) is_shown[origin - 1] = true;
            }
        }
    for (uint32_t i = 0; i < image_count; i++)
        if (!is_shown[i]) kept->is_imported[LIST_IMAGES][i] = false;
}

// Keep all images, but not more copies of bytes than in a file of views that do not overlap. Those
// that are not in the scene are added to it, and dropped when it is finished, since no material
// uses them.
static void gltf_import_keep_images(gltf_importer *importer, gltf_kept *kept)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = gltf_import_count(importer, LIST_IMAGES);
    uint64_t left = KEPT_MORE + builder->input_size;
    tn_tally lost = {0};
    kept->images = tn_scene_array(builder, count, sizeof *kept->images);
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        const tn_json_value *item = gltf_import_item(importer, LIST_IMAGES, i);
        uint32_t view = gltf_index_of(item, "bufferView");
        gltf_range bytes;
        bool is_new = importer->image_of[i] == TENON_NONE &&
                      view < gltf_import_count(importer, LIST_BUFFER_VIEWS) &&
                      !importer->pictures[view] && gltf_import_view_bytes(importer, view, &bytes);
        if (is_new && bytes.size > left) {
            kept->lacks_data = true;
            tn_tally_path(&lost, 1, "/images/%u", (unsigned)i);
            continue;
        }
        if (is_new) left -= bytes.size;
        uint32_t image = gltf_import_image(importer, i);
        gltf_import_keep_forgive(importer);
        if (builder->failed || image == TENON_NONE) continue;
        kept->images[i] = builder->scene->images[image];
        if (kept->images[i].data) kept->images[i].path = (tenon_str){"", 0};
    }
    tn_scene_report(builder, TENON_DROPPED, "unused pictures", lost.count, lost.path,
                    "their buffer views overlap, and are larger together than the file");
}

// Report the extras of accessors and buffer views: as lost, or to other formats only.
static void gltf_import_keep_report_extras(const gltf_keeper *keeper)
{
    const gltf_importer *importer = keeper->importer;
    const gltf_list lists[] = {LIST_ACCESSORS, LIST_BUFFER_VIEWS};
    tn_tally lost = {0}, kept = {0};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < gltf_import_count(importer, lists[k]); i++) {
            const tn_json_value *extras =
                tn_json_tree_get(gltf_import_item(importer, lists[k], i), "extras");
            const uint8_t *data = k ? keeper->kept->views[i].data : keeper->kept->accessors[i].data;
            char path[96];
            if (!extras) continue;
            gltf_import_pointer(extras, path, sizeof path);
            tn_tally_path(data ? &kept : &lost, 1, "%s", path);
        }
    tn_scene_report(importer->builder, TENON_DROPPED, "extras", lost.count, lost.path,
                    "those of accessors and buffer views are not kept");
    tn_scene_report_unkept(importer->builder, TENON_DROPPED, "extras", kept.count, kept.path,
                           "those of accessors and buffer views are not kept");
}

void gltf_import_keep(gltf_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    gltf_kept *kept = tn_scene_array(builder, 1, sizeof *kept);
    gltf_keeper keeper = {.importer = importer, .kept = kept};
    keeper.left = KEPT_MORE + 2 * builder->input_size;
    keeper.accessor_needs = gltf_import_scratch_for(importer, LIST_ACCESSORS, 1);
    keeper.view_needs = gltf_import_scratch_for(importer, LIST_BUFFER_VIEWS, 1);
    char *text = tn_scene_array(builder, importer->tree.size, 1);
    if (builder->failed) return;
    memcpy(text, importer->tree.text, importer->tree.size);
    kept->json = (tenon_str){text, (uint32_t)importer->tree.size};
    kept->accessors = tn_scene_array(builder, gltf_import_count(importer, LIST_ACCESSORS),
                                     sizeof *kept->accessors);
    kept->views = tn_scene_array(builder, gltf_import_count(importer, LIST_BUFFER_VIEWS),
                                 sizeof *kept->views);
    kept->is_channel_imported = tn_scene_array(builder, importer->channel_number, sizeof(bool));
    if (builder->failed) return;
    if (importer->channel_number)
        memcpy(kept->is_channel_imported, importer->is_channel_imported, importer->channel_number);
    uint32_t node_count = gltf_import_count(importer, LIST_NODES);
    kept->is_hidden = tn_scene_array(builder, node_count, sizeof(bool));
    kept->is_blinking = tn_scene_array(builder, node_count, sizeof(bool));
    for (uint32_t i = 0; i < node_count && !builder->failed; i++) {
        kept->is_hidden[i] = importer->is_hidden[i];
        kept->is_blinking[i] = importer->is_blinking[i];
    }
    if (builder->failed) return;
    gltf_import_keep_mark_imported(importer, kept);
    if (!builder->failed) gltf_import_keep_images(importer, kept);
    if (builder->failed) return;
    gltf_import_keep_mark(&keeper);
    gltf_import_keep_mark_parts(&keeper);
    gltf_import_keep_data(&keeper);
    if (!builder->failed) gltf_import_keep_report_extras(&keeper);
    if (!builder->failed) gltf_import_show_looks(importer, kept);
    if (!builder->failed) builder->kept->contents = kept;
}
