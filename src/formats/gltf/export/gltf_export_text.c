// gltf_export_text.c: the JSON text of a plan.
// SPDX-License-Identifier: MIT

#include "core/text/version.h"
#include "formats/gltf/export/gltf_export.h"

#include <stdio.h>
#include <string.h>

// -- Members

void gltf_open_object(gltf_exporter *w, const char *key)
{
    if (key) tn_json_put_key(&w->json, key);
    tn_json_put_object_begin(&w->json, TN_JSON_INLINE);
}

void gltf_open_array(gltf_exporter *w, const char *key)
{
    if (key) tn_json_put_key(&w->json, key);
    tn_json_put_array_begin(&w->json, TN_JSON_INLINE);
}

void gltf_close_object(gltf_exporter *w)
{
    tn_json_put_object_end(&w->json);
}

void gltf_close_array(gltf_exporter *w)
{
    tn_json_put_array_end(&w->json);
}

void gltf_put_name(gltf_exporter *w, tenon_str name)
{
    if (!name.size) return;
    tn_json_put_key(&w->json, "name");
    tn_json_put_string_bytes(&w->json, name.data, name.size);
}

void gltf_put_index(gltf_exporter *w, const char *key, uint32_t index)
{
    if (index == TENON_NONE) return;
    tn_json_put_key(&w->json, key);
    tn_json_put_u64(&w->json, index);
}

// Written as float if it fits, since readers use floats. -0 becomes 0.
static void gltf_put_value(gltf_exporter *w, double value)
{
    float single = (float)value;
    if (single - single == 0)
        tn_json_put_f32(&w->json, single + 0.0f);
    else
        tn_json_put_f64(&w->json, value);
}

void gltf_put_number(gltf_exporter *w, const char *key, double value)
{
    tn_json_put_key(&w->json, key);
    gltf_put_value(w, value);
}

void gltf_put_numbers(gltf_exporter *w, const char *key, const double *values, uint32_t count)
{
    gltf_open_array(w, key);
    for (uint32_t i = 0; i < count; i++) gltf_put_value(w, values[i]);
    gltf_close_array(w);
}

bool gltf_all_equal(const double *values, uint32_t count, double to)
{
    for (uint32_t i = 0; i < count; i++)
        if ((float)values[i] != (float)to) return false;
    return true;
}

// -- Everything

static void gltf_put_asset(gltf_exporter *w)
{
    char generator[32];
    (void)snprintf(generator, sizeof generator, "Tenon %s", TN_VERSION);
    gltf_open_object(w, "asset");
    tn_json_put_key(&w->json, "version");
    tn_json_put_string(&w->json, "2.0");
    tn_json_put_key(&w->json, "generator");
    tn_json_put_string(&w->json, generator);
    gltf_close_object(w);
}

static void gltf_put_extensions(gltf_exporter *w)
{
    const struct {
        bool is_used;
        const char *name;
    } extensions[] = {
        {w->light_count > 0, "KHR_lights_punctual"},
        {w->has_strengths, "KHR_materials_emissive_strength"},
        {w->has_unlit, "KHR_materials_unlit"},
        {w->has_transforms, "KHR_texture_transform"},
    };
    bool is_open = false;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        if (!extensions[i].is_used) continue;
        if (!is_open) gltf_open_array(w, "extensionsUsed");
        is_open = true;
        tn_json_put_string(&w->json, extensions[i].name);
    }
    if (is_open) gltf_close_array(w);
}

static void gltf_put_scene(gltf_exporter *w)
{
    gltf_put_index(w, "scene", 0);
    gltf_open_array(w, "scenes");
    gltf_open_object(w, NULL);
    gltf_put_name(w, w->scene->name);
    if (w->node_count) gltf_open_array(w, "nodes");
    for (uint32_t i = 0; i < w->node_count; i++)
        if (w->nodes[i].parent == TENON_NONE) tn_json_put_u64(&w->json, i);
    if (w->node_count) gltf_close_array(w);
    gltf_put_extras(w, TENON_EXTRA_OF_SCENE, 0);
    gltf_close_object(w);
    gltf_close_array(w);
}

static void gltf_put_buffer(gltf_exporter *w)
{
    if (!w->buffer_size) return;
    gltf_open_array(w, "buffers");
    gltf_open_object(w, NULL);
    if (w->buffer_uri) {
        tn_json_put_key(&w->json, "uri");
        tn_json_put_string(&w->json, w->buffer_uri);
    }
    tn_json_put_key(&w->json, "byteLength");
    tn_json_put_u64(&w->json, w->buffer_size);
    gltf_close_object(w);
    gltf_close_array(w);
}

void gltf_put_text(gltf_exporter *w)
{
    gltf_open_object(w, NULL);
    gltf_put_asset(w);
    gltf_put_extensions(w);
    gltf_put_scene(w);
    gltf_put_nodes(w);
    gltf_put_meshes(w);
    gltf_put_skins(w);
    gltf_put_materials(w);
    gltf_put_textures(w);
    gltf_put_images(w);
    gltf_put_cameras(w);
    gltf_put_animations(w);
    gltf_put_accessors(w);
    gltf_put_views(w);
    gltf_put_buffer(w);
    gltf_put_lights(w);
    gltf_close_object(w);
}
