// gltf_export_text.c: the JSON of a plan, and the extras in it.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "formats/gltf/export/gltf_export.h"

#include <string.h>

// -- Members

void gltf_export_begin_object(gltf_exporter *exporter, const char *key)
{
    if (key) tn_json_put_key(&exporter->json, key);
    tn_json_put_object_begin(&exporter->json, TN_JSON_INLINE);
}

void gltf_export_begin_array(gltf_exporter *exporter, const char *key)
{
    if (key) tn_json_put_key(&exporter->json, key);
    tn_json_put_array_begin(&exporter->json, TN_JSON_INLINE);
}

void gltf_export_end_object(gltf_exporter *exporter)
{
    tn_json_put_object_end(&exporter->json);
}

void gltf_export_end_array(gltf_exporter *exporter)
{
    tn_json_put_array_end(&exporter->json);
}

void gltf_export_name(gltf_exporter *exporter, tenon_str name)
{
    if (!name.size) return;
    tn_json_put_key(&exporter->json, "name");
    tn_json_put_string_bytes(&exporter->json, name.data, name.size);
}

void gltf_export_string(gltf_exporter *exporter, const char *key, const char *value)
{
    tn_json_put_key(&exporter->json, key);
    tn_json_put_string(&exporter->json, value);
}

void gltf_export_true(gltf_exporter *exporter, const char *key)
{
    tn_json_put_key(&exporter->json, key);
    tn_json_put_bool(&exporter->json, true);
}

void gltf_export_size(gltf_exporter *exporter, const char *key, uint64_t size)
{
    tn_json_put_key(&exporter->json, key);
    tn_json_put_u64(&exporter->json, size);
}

void gltf_export_index(gltf_exporter *exporter, const char *key, uint32_t index)
{
    if (index != TENON_NONE) gltf_export_size(exporter, key, index);
}

// Written as float if it fits, since readers use floats. -0 becomes 0.
static void gltf_export_text_value(gltf_exporter *exporter, double value)
{
    float single = (float)value;
    if (single - single == 0)
        tn_json_put_f32(&exporter->json, single + 0.0f);
    else
        tn_json_put_f64(&exporter->json, value);
}

void gltf_export_number(gltf_exporter *exporter, const char *key, double value)
{
    tn_json_put_key(&exporter->json, key);
    gltf_export_text_value(exporter, value);
}

void gltf_export_numbers(gltf_exporter *exporter, const char *key, const double *values,
                         uint32_t count)
{
    gltf_export_begin_array(exporter, key);
    for (uint32_t i = 0; i < count; i++) gltf_export_text_value(exporter, values[i]);
    gltf_export_end_array(exporter);
}

bool gltf_export_all_equal(const double *values, uint32_t count, double to)
{
    for (uint32_t i = 0; i < count; i++)
        if ((float)values[i] != (float)to) return false;
    return true;
}

void gltf_export_numbers_unless(gltf_exporter *exporter, double usual, const char *key,
                                const double *values, uint32_t count)
{
    if (gltf_export_all_equal(values, count, usual)) return;
    if (count == 1)
        gltf_export_number(exporter, key, *values);
    else
        gltf_export_numbers(exporter, key, values, count);
}

// -- Extras

bool gltf_export_is_reserved_extra(const tenon_extra *extra)
{
    if (extra->of == TENON_EXTRA_OF_NODE) return tn_text_is(extra->name, "joint");
    if (extra->of == TENON_EXTRA_OF_MESH) return tn_text_is(extra->name, "targetNames");
    if (extra->of == TENON_EXTRA_OF_ANIMATION) return tn_text_is(extra->name, "events");
    if (extra->of != TENON_EXTRA_OF_MATERIAL) return false;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        if (tn_text_is(extra->name, gltf_texture_keys[slot])) return true;
    return tn_text_is(extra->name, "specular") || tn_text_is(extra->name, "shininess");
}

// Build the list of each object. Of two extras with the same name the first is kept. A dropped
// extra has itself as `next_extra`.
void gltf_export_plan_extras(gltf_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    const uint32_t counts[GLTF_EXTRA_KINDS] = {[TENON_EXTRA_OF_SCENE] = 1,
                                               [TENON_EXTRA_OF_NODE] = scene->node_count,
                                               [TENON_EXTRA_OF_MESH] = scene->mesh_count,
                                               [TENON_EXTRA_OF_MATERIAL] = scene->material_count,
                                               [TENON_EXTRA_OF_ANIMATION] = scene->animation_count};
    for (int of = 0; of < GLTF_EXTRA_KINDS; of++)
        exporter->extras_of[of] = gltf_export_alloc_indices(exporter, counts[of]);
    exporter->next_extra = gltf_export_alloc_indices(exporter, scene->extra_count);
    for (uint32_t i = 0; i < scene->extra_count && !exporter->failed; i++) {
        const tenon_extra *extra = &scene->extras[i];
        if (extra->index < counts[extra->of] && !gltf_export_is_reserved_extra(extra)) {
            // The first extra of the object with that name?
            size_t size = sizeof extra->index + extra->name.size;
            uint8_t *key = gltf_export_alloc(exporter, size, 1);
            if (!key) return;
            memcpy(key, &extra->index, sizeof extra->index);
            memcpy(key + sizeof extra->index, extra->name.data, extra->name.size);
            uint32_t *place = gltf_export_find_planned_bytes(
                exporter, GLTF_TAG_EXTRA + (uint32_t)extra->of, key, size);
            if (!place) return;
            bool is_first = *place == TENON_NONE;
            *place = 0;
            if (is_first) continue;
        }
        tn_tally_at(&exporter->losses[LOST_EXTRAS], 1, "extras", i);
        exporter->next_extra[i] = i;
    }
    for (uint32_t i = scene->extra_count; i-- > 0 && !exporter->failed;) {
        if (exporter->next_extra[i] == i) continue;
        uint32_t *first = &exporter->extras_of[scene->extras[i].of][scene->extras[i].index];
        exporter->next_extra[i] = *first;
        *first = i;
    }
}

// -- Everything

// An array of objects, unless it is empty. `write` writes the members of one. Objects that are
// copied from the file follow.
static void gltf_export_text_list(gltf_exporter *exporter, const char *key, gltf_list list,
                                  uint32_t count,
                                  void (*write)(gltf_exporter *exporter, uint32_t index))
{
    uint32_t copy_count = gltf_export_copy_count(exporter, list);
    if (!count && !copy_count) return;
    gltf_export_begin_array(exporter, key);
    for (uint32_t i = 0; i < count; i++) {
        gltf_export_begin_object(exporter, NULL);
        write(exporter, i);
        gltf_export_end_object(exporter);
    }
    gltf_export_copies(exporter, list, 0, copy_count);
    gltf_export_end_array(exporter);
}

static void gltf_export_text_scenes(gltf_exporter *exporter)
{
    const tn_json_value *from = gltf_export_kept_scene(exporter);
    uint32_t before = gltf_export_scenes_before(exporter);
    gltf_export_index(exporter, "scene", before);
    gltf_export_begin_array(exporter, "scenes");
    gltf_export_copies(exporter, LIST_SCENES, 0, before);
    gltf_export_begin_object(exporter, NULL);
    gltf_export_name(exporter, exporter->scene->name);
    if (exporter->node_count) gltf_export_begin_array(exporter, "nodes");
    for (uint32_t i = 0; i < exporter->node_count; i++)
        if (exporter->nodes[i].parent == TENON_NONE) tn_json_put_u64(&exporter->json, i);
    if (exporter->node_count) gltf_export_end_array(exporter);
    gltf_export_kept_extensions(exporter, from);
    gltf_export_extras(exporter, TENON_EXTRA_OF_SCENE, 0, from);
    gltf_export_end_object(exporter);
    gltf_export_copies(exporter, LIST_SCENES, before,
                       gltf_export_copy_count(exporter, LIST_SCENES) - before);
    gltf_export_end_array(exporter);
}

void gltf_export_document(gltf_exporter *exporter)
{
    const tn_json_value *root = gltf_export_kept_root(exporter);
    gltf_export_begin_object(exporter, NULL);
    gltf_export_asset(exporter);
    gltf_export_extension_lists(exporter);
    gltf_export_text_scenes(exporter);
    gltf_export_text_list(exporter, "nodes", LIST_NODES, exporter->node_count,
                          gltf_export_write_node);
    gltf_export_text_list(exporter, "meshes", LIST_MESHES, exporter->mesh_count,
                          gltf_export_write_mesh);
    gltf_export_text_list(exporter, "skins", LIST_SKINS, exporter->skin_count,
                          gltf_export_write_skin);
    gltf_export_text_list(exporter, "materials", LIST_MATERIALS, exporter->material_count,
                          gltf_export_write_material);
    gltf_export_text_list(exporter, "textures", LIST_TEXTURES, exporter->texture_count,
                          gltf_export_write_texture);
    gltf_export_text_list(exporter, "samplers", LIST_SAMPLERS, exporter->sampler_count,
                          gltf_export_write_sampler);
    gltf_export_text_list(exporter, "images", LIST_IMAGES, exporter->image_count,
                          gltf_export_write_image);
    gltf_export_text_list(exporter, "cameras", LIST_CAMERAS, exporter->camera_count,
                          gltf_export_write_camera);
    gltf_export_text_list(exporter, "animations", LIST_ANIMATIONS, exporter->animation_count,
                          gltf_export_write_animation);
    gltf_export_text_list(exporter, "accessors", LIST_ACCESSORS, exporter->accessor_count,
                          gltf_export_write_accessor);
    gltf_export_text_list(exporter, "bufferViews", LIST_BUFFER_VIEWS,
                          exporter->view_count + gltf_export_kept_view_count(exporter),
                          gltf_export_write_view);
    if (exporter->buffer_size) {
        gltf_export_begin_array(exporter, "buffers");
        gltf_export_begin_object(exporter, NULL);
        if (exporter->buffer_uri) gltf_export_string(exporter, "uri", exporter->buffer_uri);
        gltf_export_size(exporter, "byteLength", exporter->buffer_size);
        gltf_export_end_object(exporter);
        gltf_export_end_array(exporter);
    }
    if (gltf_export_begin_extensions(exporter, root, exporter->light_count > 0)) {
        if (exporter->light_count) {
            gltf_export_begin_object(exporter, "KHR_lights_punctual");
            gltf_export_text_list(exporter, "lights", LIST_LIGHTS, exporter->light_count,
                                  gltf_export_write_light);
            gltf_export_end_object(exporter);
        }
        gltf_export_end_extensions(exporter, root);
    }
    gltf_export_kept_member(exporter, root, "extras");
    gltf_export_end_object(exporter);
}
