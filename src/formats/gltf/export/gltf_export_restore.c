// gltf_export_restore.c: parts of the scene become again what they were in the file.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export_keep.h"

#include "core/text/text.h"

#include <string.h>

// -- Instances

// Whether a node is an instance that the import has made, and nothing else uses it.
static bool gltf_export_restore_is_instance(const tenon_scene *scene, uint32_t node)
{
    const tenon_node *n = &scene->nodes[node];
    if (!n->origin || n->parent == TENON_NONE) return false;
    const tenon_node *parent = &scene->nodes[n->parent];
    return parent->origin == n->origin && parent->mesh == TENON_NONE && !parent->has_matrix &&
           tn_text_equal(parent->name, n->name) && n->mesh != TENON_NONE && n->skin == TENON_NONE &&
           n->camera == TENON_NONE && n->light == TENON_NONE && !n->has_matrix && !n->is_joint;
}

// Whether an animation, an extra or a skin uses one of the nodes from `first` on.
static bool gltf_export_restore_is_used(const tenon_scene *scene, uint32_t first)
{
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            if (scene->animations[i].channels[k].node >= first) return true;
    for (uint32_t i = 0; i < scene->extra_count; i++)
        if (scene->extras[i].of == TENON_EXTRA_OF_NODE && scene->extras[i].index >= first)
            return true;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        if (scene->skins[i].root != TENON_NONE && scene->skins[i].root >= first) return true;
    return false;
}

static tn_json_value *gltf_export_restore_extension(const gltf_exporter *exporter, uint32_t origin)
{
    const tn_json_value *node = gltf_export_kept_object(exporter, LIST_NODES, origin);
    return tn_json_tree_get(tn_json_tree_get(node, "extensions"), "EXT_mesh_gpu_instancing");
}

// Give a node the mesh of `count` instances, and the extension of its object accessors for their
// transforms: those that it has, and those that are needed.
static void gltf_export_restore_node(gltf_exporter *exporter, tenon_node *node,
                                     const tenon_node *instances, uint32_t count)
{
    static const struct {
        const char *key;
        gltf_stream stream;
        uint32_t width;
        double usual[4];
    } kinds[] = {{"TRANSLATION", GLTF_VECTORS, 3, {0, 0, 0}},
                 {"ROTATION", GLTF_ROTATIONS, 4, {0, 0, 0, 1}},
                 {"SCALE", GLTF_VECTORS, 3, {1, 1, 1}}};
    gltf_keep *keep = exporter->keep;
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_NODES, node->origin);
    tn_json_value *attributes = tn_json_tree_get(
        tn_json_tree_get(tn_json_tree_get(from, "extensions"), "EXT_mesh_gpu_instancing"),
        "attributes");
    node->mesh = instances->mesh;
    node->morph_weights = instances->morph_weights;
    for (int k = 0; k < 3 && !exporter->failed; k++) {
        uint32_t width = kinds[k].width;
        float *values = gltf_export_alloc(exporter, count, width * sizeof *values);
        bool is_needed = tn_json_tree_get(attributes, kinds[k].key) != NULL;
        for (uint32_t i = 0; i < count && values; i++) {
            const tenon_node *n = &instances[i];
            const double *value = k == 0 ? n->translation : k == 1 ? n->rotation : n->scale;
            for (uint32_t c = 0; c < width; c++) {
                values[(size_t)i * width + c] = (float)value[c];
                is_needed = is_needed || value[c] != kinds[k].usual[c];
            }
        }
        if (exporter->failed || !is_needed) continue;
        uint32_t index = gltf_export_add_accessor(exporter, kinds[k].stream, values, count, width);
        tn_json_tree_set(&keep->tree, attributes, kinds[k].key,
                         tn_json_tree_make_u64(&keep->tree, index));
    }
}

void gltf_export_restore_instances(gltf_exporter *exporter)
{
    tenon_scene *scene = &exporter->keep->scene;
    uint32_t first = scene->node_count;
    bool is_whole = true;
    while (first > 0 && gltf_export_restore_is_instance(scene, first - 1)) first--;
    for (uint32_t i = 0; i < first; i++)
        if (gltf_export_restore_is_instance(scene, i)) is_whole = false;
    for (uint32_t i = first; i < scene->node_count; i++) {
        const tenon_node *n = &scene->nodes[i], *before = i > first ? n - 1 : n;
        bool is_in_order =
            n->origin > before->origin || (n->parent == before->parent && n->mesh == before->mesh);
        if (n->parent >= first || !is_in_order) is_whole = false;
    }
    if (is_whole && !gltf_export_restore_is_used(scene, first)) {
        tenon_node *nodes = gltf_export_alloc(exporter, first, sizeof *nodes);
        if (!nodes) return;
        if (first) memcpy(nodes, scene->nodes, first * sizeof *nodes);
        for (uint32_t i = first, next; i < scene->node_count && !exporter->failed; i = next) {
            uint32_t parent = scene->nodes[i].parent;
            for (next = i; next < scene->node_count && scene->nodes[next].parent == parent;) next++;
            gltf_export_restore_node(exporter, &nodes[parent], &scene->nodes[i], next - i);
        }
        scene->nodes = nodes;
        scene->node_count = first;
    }
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        tn_json_value *extension = gltf_export_restore_extension(exporter, scene->nodes[i].origin);
        if (!extension || extension->is_changed) continue;
        tn_tally_at(&exporter->losses[LOST_INSTANCES], 1, "nodes", i);
        tn_json_tree_remove(extension);
    }
}
