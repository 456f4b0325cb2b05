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
    return gltf_extension_of(node, "EXT_mesh_gpu_instancing");
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
    tn_json_value *attributes =
        tn_json_tree_get(gltf_export_restore_extension(exporter, node->origin), "attributes");
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

static void gltf_export_restore_instances(gltf_exporter *exporter)
{
    tenon_scene *scene = &exporter->keep->scene;
    uint32_t first = scene->node_count;
    bool is_whole = true, *is_restored = gltf_export_alloc(exporter, first, sizeof *is_restored);
    if (exporter->failed) return;
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
            is_restored[parent] = true;
        }
        scene->nodes = nodes;
        scene->node_count = first;
    }
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        tn_json_value *extension = gltf_export_restore_extension(exporter, scene->nodes[i].origin);
        if (!extension || is_restored[i] || gltf_export_is_hidden(exporter, scene->nodes[i].origin))
            continue;
        tn_tally_at(&exporter->losses[LOST_INSTANCES], 1, "nodes", i);
        tn_json_tree_remove(extension);
    }
}

bool gltf_export_has_instances(const gltf_exporter *exporter, uint32_t origin)
{
    return gltf_export_restore_extension(exporter, origin) != NULL;
}

// -- Visibility

bool gltf_export_is_hidden(const gltf_exporter *exporter, uint32_t origin)
{
    return gltf_export_kept_object(exporter, LIST_NODES, origin) &&
           exporter->keep->kept->is_hidden[origin - 1];
}

tn_json_value *gltf_export_restore_optional(tn_json_value *index)
{
    static const char *const keys[] = {"mesh", "skin", "camera", "material", "skeleton"};
    tenon_str key = {index->key, index->key ? index->key_size : 0};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (tn_text_is(key, keys[i])) return index;
    return tn_text_is(key, "index") ? index->parent : NULL;
}

void gltf_export_restore_hidden(gltf_exporter *exporter, const tn_json_value *node)
{
    if (!gltf_export_is_hidden(exporter, node->index + 1)) return;
    tn_json_value *mesh = tn_json_tree_get(node, "mesh"), *skin = tn_json_tree_get(node, "skin");
    bool has_mesh = mesh && gltf_export_keep_rewrite(exporter, mesh, false);
    bool has_skin = has_mesh && skin && gltf_export_keep_rewrite(exporter, skin, false);
    if (!has_mesh) tn_json_tree_remove(mesh);
    if (!has_skin) tn_json_tree_remove(skin);
}

// The light of a hidden node; TENON_NONE: it has none, or the light is not in the scene.
static uint32_t gltf_export_restore_light(const gltf_exporter *exporter, uint32_t origin)
{
    const tenon_scene *scene = exporter->scene;
    const tn_json_value *node = gltf_export_kept_object(exporter, LIST_NODES, origin);
    const tn_json_value *extension = gltf_extension_of(node, "KHR_lights_punctual");
    uint32_t light = gltf_index_of(extension, "light");
    return light < scene->light_count && scene->lights[light].origin == light + 1 ? light
                                                                                  : TENON_NONE;
}

// Remove the channels that stand for others, and the scale 0 of nodes that are hidden at first. If
// clips were edited these stay, and visibility is removed.
static void gltf_export_restore_visibility(gltf_exporter *exporter)
{
    tenon_scene *scene = &exporter->keep->scene;
    const gltf_kept *kept = exporter->keep->kept;
    bool is_edited = scene->edited & TN_EDITED_CLIPS;
    tenon_node *nodes = gltf_export_alloc(exporter, scene->node_count, sizeof *nodes);
    tenon_animation *animations =
        gltf_export_alloc(exporter, scene->animation_count, sizeof *animations);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t origin = scene->nodes[i].origin, parent = scene->nodes[i].parent;
        const tn_json_value *from = gltf_export_kept_object(exporter, LIST_NODES, origin);
        nodes[i] = scene->nodes[i];
        if (gltf_export_is_hidden(exporter, origin) && nodes[i].light == TENON_NONE)
            nodes[i].light = gltf_export_restore_light(exporter, origin);
        bool is_instance = parent != TENON_NONE && scene->nodes[parent].origin == origin;
        if (!from || !kept->is_blinking[origin - 1] || is_instance) continue;
        if (is_edited)
            tn_json_tree_remove(gltf_extension_of(from, "KHR_node_visibility"));
        else if (gltf_export_all_equal(nodes[i].scale, 3, 0) &&
                 !tn_json_tree_f64s(tn_json_tree_get(from, "scale"), nodes[i].scale, 3))
            for (int c = 0; c < 3; c++) nodes[i].scale[c] = 1;
    }
    scene->nodes = nodes;
    for (uint32_t i = 0; i < scene->animation_count && !is_edited && !exporter->failed; i++) {
        uint32_t count = scene->animations[i].channel_count;
        tenon_channel *channels = gltf_export_alloc(exporter, count, sizeof *channels);
        animations[i] = scene->animations[i];
        animations[i].channels = channels;
        animations[i].channel_count = 0;
        for (uint32_t k = 0; k < count && channels; k++) {
            const tenon_channel *channel = &scene->animations[i].channels[k];
            if (!gltf_export_kept_channel(exporter, channel->origin) ||
                kept->is_channel_imported[channel->origin - 1])
                channels[animations[i].channel_count++] = *channel;
        }
    }
    if (!is_edited) scene->animations = animations;
}

// -- Materials

// The parts of a material that its extensions change.
typedef struct gltf_look {
    double base_color[4], metallic, roughness, specular[3], shininess;
    uint32_t alpha, is_classic, images[3], textures[3];
} gltf_look;

static const tenon_slot gltf_look_slots[3] = {TENON_SLOT_BASE_COLOR, TENON_SLOT_METALLIC_ROUGHNESS,
                                              TENON_SLOT_SPECULAR};

// `scene` is NULL if textures have the `origin` of their images.
static gltf_look gltf_export_restore_look(const tenon_scene *scene, const tenon_material *m)
{
    gltf_look look;
    memset(&look, 0, sizeof look);
    memcpy(look.base_color, m->base_color, sizeof look.base_color);
    memcpy(look.specular, m->specular, sizeof look.specular);
    look.metallic = m->metallic, look.roughness = m->roughness, look.shininess = m->shininess;
    look.alpha = (uint32_t)m->alpha, look.is_classic = m->is_classic;
    for (int k = 0; k < 3; k++) {
        const tenon_texture *texture = &m->textures[gltf_look_slots[k]];
        look.images[k] = texture->image;
        if (scene && texture->image != TENON_NONE)
            look.images[k] = scene->images[texture->image].origin;
        look.textures[k] = texture->origin;
    }
    return look;
}

static void gltf_export_restore_materials(gltf_exporter *exporter)
{
    static const char *const names[] = {"KHR_materials_pbrSpecularGlossiness",
                                        "KHR_materials_specular", "KHR_materials_ior",
                                        "KHR_materials_transmission"};
    tenon_scene *scene = &exporter->keep->scene;
    uint32_t file_count = gltf_export_kept_count(exporter, LIST_IMAGES);
    tenon_material *materials =
        gltf_export_alloc(exporter, scene->material_count, sizeof *materials);
    uint32_t *image_of = gltf_export_alloc_indices(exporter, file_count);
    for (uint32_t i = 0; i < scene->image_count && image_of; i++) {
        uint32_t origin = scene->images[i].origin;
        if (origin && origin <= file_count) image_of[origin - 1] = i;
    }
    for (uint32_t i = 0; i < scene->material_count && !exporter->failed; i++) {
        uint32_t origin = scene->materials[i].origin;
        tenon_material *m = &materials[i];
        *m = scene->materials[i];
        const tn_json_value *from = gltf_export_kept_object(exporter, LIST_MATERIALS, origin);
        const gltf_kept_look *kept = from ? exporter->keep->kept->looks[origin - 1] : NULL;
        if (!kept) continue;
        gltf_look now = gltf_export_restore_look(scene, m),
                  shown = gltf_export_restore_look(NULL, &kept->shown);
        if (memcmp(&now, &shown, sizeof now) != 0) {
            for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
                tn_json_tree_remove(gltf_extension_of(from, names[k]));
            tn_tally_at(&exporter->losses[LOST_LOOKS], 1, "materials", i);
            continue;
        }
        memcpy(m->base_color, kept->file.base_color, sizeof m->base_color);
        memcpy(m->specular, kept->file.specular, sizeof m->specular);
        m->metallic = kept->file.metallic, m->roughness = kept->file.roughness;
        m->shininess = kept->file.shininess;
        m->alpha = kept->file.alpha, m->is_classic = kept->file.is_classic;
        for (int k = 0; k < 3; k++) {
            tenon_texture *texture = &m->textures[gltf_look_slots[k]];
            if (now.images[k] == kept->file.textures[gltf_look_slots[k]].image) continue;
            *texture = kept->file.textures[gltf_look_slots[k]];
            if (texture->image != TENON_NONE)
                texture->image = texture->image ? image_of[texture->image - 1] : TENON_NONE;
        }
    }
    if (!exporter->failed) scene->materials = materials;
}

void gltf_export_restore(gltf_exporter *exporter)
{
    gltf_export_restore_instances(exporter);
    if (!exporter->failed) gltf_export_restore_visibility(exporter);
    if (!exporter->failed) gltf_export_restore_materials(exporter);
}
