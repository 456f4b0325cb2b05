// gltf_import_pointers.c: KHR_node_visibility, and what KHR_animation_pointer moves.
// SPDX-License-Identifier: MIT
//
// Scenes have no hidden nodes: those that stay hidden lose their meshes and lights, others are
// scaled to 0 while they are hidden. Exports to glTF undo that: see gltf_export_restore.c.

#include "core/text/text.h"
#include "formats/gltf/import/gltf_import.h"

#include <string.h>

static gltf_target gltf_import_pointers_parse(tenon_str pointer, uint32_t *node)
{
    static const struct {
        const char *path;
        gltf_target target;
    } targets[] = {{"translation", GLTF_TARGET_TRANSLATION},
                   {"rotation", GLTF_TARGET_ROTATION},
                   {"scale", GLTF_TARGET_SCALE},
                   {"weights", GLTF_TARGET_WEIGHTS},
                   {"extensions/KHR_node_visibility/visible", GLTF_TARGET_VISIBILITY}};
    static const char nodes[] = "/nodes/", meshes[] = "/meshes/";
    uint32_t at = sizeof nodes - 1, index = 0;
    if (pointer.size >= sizeof meshes && memcmp(pointer.data, meshes, sizeof meshes - 1) == 0)
        return GLTF_TARGET_UNKNOWN;
    if (pointer.size <= at || memcmp(pointer.data, nodes, at) != 0) return GLTF_TARGET_LOOK;
    for (; at < pointer.size && pointer.data[at] >= '0' && pointer.data[at] <= '9'; at++) {
        if (index > UINT32_MAX / 10 - 1) return GLTF_TARGET_UNKNOWN;
        index = 10 * index + (uint32_t)(pointer.data[at] - '0');
    }
    if (at == sizeof nodes - 1 || at >= pointer.size || pointer.data[at] != '/')
        return GLTF_TARGET_UNKNOWN;
    *node = index;
    tenon_str rest = {pointer.data + at + 1, pointer.size - at - 1};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (tn_text_is(rest, targets[i].path)) return targets[i].target;
    return GLTF_TARGET_UNKNOWN;
}

gltf_target gltf_import_channel_target(const gltf_importer *importer, const tn_json_value *channel,
                                       uint32_t *node)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const tn_json_value *target = tn_json_tree_get(channel, "target");
    const tn_json_value *path = tn_json_tree_get(target, "path");
    const tn_json_value *pointer =
        tn_json_tree_get(gltf_extension_of(target, "KHR_animation_pointer"), "pointer");
    gltf_target found = GLTF_TARGET_LOOK;
    *node = gltf_index_of(target, "node");
    for (int i = 0; i < 4; i++)
        if (tn_json_tree_is(path, paths[i])) found = (gltf_target)i;
    if (tn_json_tree_is(path, "pointer"))
        found = gltf_import_pointers_parse(gltf_import_text_of(pointer), node);
    if (*node < gltf_import_count(importer, LIST_NODES)) return found;
    if (*node != TENON_NONE) found = GLTF_TARGET_UNKNOWN;
    *node = TENON_NONE;
    return found;
}

// Mark the nodes whose visibility an animation changes, if nothing else scales them.
static void gltf_import_pointers_mark_blinking(gltf_importer *importer, bool *is_blinking)
{
    bool *is_scaled =
        gltf_import_scratch(importer, gltf_import_count(importer, LIST_NODES), sizeof *is_scaled);
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_ANIMATIONS); i++) {
        const tn_json_value *animation = gltf_import_item(importer, LIST_ANIMATIONS, i);
        const tn_json_value *channels = tn_json_tree_get(animation, "channels");
        for (uint32_t k = 0; k < tn_json_tree_count(channels) && !importer->builder->failed; k++) {
            const tn_json_value *channel = tn_json_tree_at(channels, k);
            uint32_t node;
            gltf_target target = gltf_import_channel_target(importer, channel, &node);
            if (node == TENON_NONE) continue;
            if (target == GLTF_TARGET_SCALE) is_scaled[node] = true;
            if (target == GLTF_TARGET_VISIBILITY) is_blinking[node] = true;
        }
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_NODES) && is_scaled; i++)
        if (is_scaled[i]) is_blinking[i] = false;
}

void gltf_import_visibility(gltf_importer *importer, const uint32_t *order)
{
    uint32_t count = gltf_import_count(importer, LIST_NODES);
    importer->is_hidden = gltf_import_scratch(importer, count, sizeof(bool));
    importer->is_blinking = gltf_import_scratch(importer, count, sizeof(bool));
    bool *is_below = gltf_import_scratch(importer, count, sizeof(bool));  // A node that blinks.
    if (importer->builder->failed) return;
    gltf_import_pointers_mark_blinking(importer, importer->is_blinking);
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const tn_json_value *node = gltf_import_item(importer, LIST_NODES, order[i]);
        uint32_t parent = importer->parents[order[i]];
        const tn_json_value *visible = tn_json_tree_get(
            gltf_import_extension(importer, node, "KHR_node_visibility"), "visible");
        bool is_blinking = importer->is_blinking[order[i]];
        importer->is_hidden[order[i]] = (!is_blinking && !tn_json_tree_bool(visible, true)) ||
                                        (parent != TENON_NONE && importer->is_hidden[parent]);
        is_below[order[i]] = is_blinking || (parent != TENON_NONE && is_below[parent]);
        bool is_drawn = importer->is_shown[order[i]] && tn_json_tree_get(node, "mesh");
        gltf_import_count_loss(importer, GLTF_UNREAD_HIDDEN,
                               is_drawn && importer->is_hidden[order[i]], node);
        // Skinned meshes ignore the scale of their nodes.
        gltf_import_count_loss(importer, GLTF_UNREAD_VISIBILITY,
                               is_drawn && is_below[order[i]] && !importer->is_hidden[order[i]] &&
                                   tn_json_tree_get(node, "skin"),
                               node);
    }
}

void gltf_import_visibility_values(const tn_json_value *node, const float *visible,
                                   tenon_channel *channel)
{
    double scale[3] = {1, 1, 1};
    (void)tn_json_tree_f64s(tn_json_tree_get(node, "scale"), scale, 3);
    channel->curve = TENON_STEP;
    for (uint32_t i = 0; i < channel->key_count; i++)
        for (uint32_t c = 0; c < 3; c++)
            channel->values[3 * (size_t)i + c] = visible[i] != 0 ? (float)scale[c] : 0;
}
