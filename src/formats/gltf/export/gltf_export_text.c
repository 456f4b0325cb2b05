// gltf_export_text.c: the JSON text of a plan.
// SPDX-License-Identifier: MIT

#include "core/text/version.h"
#include "formats/gltf/export/gltf_export.h"

#include <stdio.h>
#include <string.h>

// -- Members

void gltf_begin_object(gltf_exporter *exporter, const char *key)
{
    if (key) tn_json_put_key(&exporter->json, key);
    tn_json_put_object_begin(&exporter->json, TN_JSON_INLINE);
}

void gltf_begin_array(gltf_exporter *exporter, const char *key)
{
    if (key) tn_json_put_key(&exporter->json, key);
    tn_json_put_array_begin(&exporter->json, TN_JSON_INLINE);
}

void gltf_end_object(gltf_exporter *exporter)
{
    tn_json_put_object_end(&exporter->json);
}

void gltf_end_array(gltf_exporter *exporter)
{
    tn_json_put_array_end(&exporter->json);
}

void gltf_write_name(gltf_exporter *exporter, tenon_str name)
{
    if (!name.size) return;
    tn_json_put_key(&exporter->json, "name");
    tn_json_put_string_bytes(&exporter->json, name.data, name.size);
}

void gltf_write_index(gltf_exporter *exporter, const char *key, uint32_t index)
{
    if (index == TENON_NONE) return;
    tn_json_put_key(&exporter->json, key);
    tn_json_put_u64(&exporter->json, index);
}

// Written as float if it fits, since readers use floats. -0 becomes 0.
static void gltf_write_value(gltf_exporter *exporter, double value)
{
    float single = (float)value;
    if (single - single == 0)
        tn_json_put_f32(&exporter->json, single + 0.0f);
    else
        tn_json_put_f64(&exporter->json, value);
}

void gltf_write_number(gltf_exporter *exporter, const char *key, double value)
{
    tn_json_put_key(&exporter->json, key);
    gltf_write_value(exporter, value);
}

void gltf_write_numbers(gltf_exporter *exporter, const char *key, const double *values,
                        uint32_t count)
{
    gltf_begin_array(exporter, key);
    for (uint32_t i = 0; i < count; i++) gltf_write_value(exporter, values[i]);
    gltf_end_array(exporter);
}

bool gltf_all_equal(const double *values, uint32_t count, double to)
{
    for (uint32_t i = 0; i < count; i++)
        if ((float)values[i] != (float)to) return false;
    return true;
}

// -- Everything

static void gltf_write_asset(gltf_exporter *exporter)
{
    char generator[32];
    (void)snprintf(generator, sizeof generator, "Tenon %s", TN_VERSION);
    gltf_begin_object(exporter, "asset");
    tn_json_put_key(&exporter->json, "version");
    tn_json_put_string(&exporter->json, "2.0");
    tn_json_put_key(&exporter->json, "generator");
    tn_json_put_string(&exporter->json, generator);
    gltf_end_object(exporter);
}

static void gltf_write_extensions(gltf_exporter *exporter)
{
    const struct {
        bool is_used;
        const char *name;
    } extensions[] = {
        {exporter->light_count > 0, "KHR_lights_punctual"},
        {exporter->has_emissive_strength, "KHR_materials_emissive_strength"},
        {exporter->has_unlit, "KHR_materials_unlit"},
        {exporter->has_transforms, "KHR_texture_transform"},
    };
    bool is_open = false;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        if (!extensions[i].is_used) continue;
        if (!is_open) gltf_begin_array(exporter, "extensionsUsed");
        is_open = true;
        tn_json_put_string(&exporter->json, extensions[i].name);
    }
    if (is_open) gltf_end_array(exporter);
}

static void gltf_write_scene(gltf_exporter *exporter)
{
    gltf_write_index(exporter, "scene", 0);
    gltf_begin_array(exporter, "scenes");
    gltf_begin_object(exporter, NULL);
    gltf_write_name(exporter, exporter->scene->name);
    if (exporter->node_count) gltf_begin_array(exporter, "nodes");
    for (uint32_t i = 0; i < exporter->node_count; i++)
        if (exporter->nodes[i].parent == TENON_NONE) tn_json_put_u64(&exporter->json, i);
    if (exporter->node_count) gltf_end_array(exporter);
    gltf_write_extras(exporter, TENON_EXTRA_OF_SCENE, 0);
    gltf_end_object(exporter);
    gltf_end_array(exporter);
}

static void gltf_write_buffer(gltf_exporter *exporter)
{
    if (!exporter->buffer_size) return;
    gltf_begin_array(exporter, "buffers");
    gltf_begin_object(exporter, NULL);
    if (exporter->buffer_uri) {
        tn_json_put_key(&exporter->json, "uri");
        tn_json_put_string(&exporter->json, exporter->buffer_uri);
    }
    tn_json_put_key(&exporter->json, "byteLength");
    tn_json_put_u64(&exporter->json, exporter->buffer_size);
    gltf_end_object(exporter);
    gltf_end_array(exporter);
}

void gltf_write_document(gltf_exporter *exporter)
{
    gltf_begin_object(exporter, NULL);
    gltf_write_asset(exporter);
    gltf_write_extensions(exporter);
    gltf_write_scene(exporter);
    gltf_write_nodes(exporter);
    gltf_write_meshes(exporter);
    gltf_write_skins(exporter);
    gltf_write_materials(exporter);
    gltf_write_textures(exporter);
    gltf_write_images(exporter);
    gltf_write_cameras(exporter);
    gltf_write_animations(exporter);
    gltf_write_accessors(exporter);
    gltf_write_views(exporter);
    gltf_write_buffer(exporter);
    gltf_write_lights(exporter);
    gltf_end_object(exporter);
}
