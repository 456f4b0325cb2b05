// gltf_import_animations.c: animations: their channels and events.
// SPDX-License-Identifier: MIT

#include "formats/gltf/import/gltf_import.h"

#include "scene/pose/pose.h"

#include <inttypes.h>

// Read the keys of a sampler into a channel whose target is set. `blinking` is the node whose
// visibility they are, or NULL.
static bool gltf_import_animations_keys(gltf_importer *importer, const tn_json_value *sampler,
                                        const tn_json_value *blinking, tenon_channel *channel)
{
    gltf_elements input, output;
    bool is_of_weights = channel->target == TENON_WEIGHTS;
    gltf_shape shape = is_of_weights || blinking           ? GLTF_SCALAR
                       : channel->target == TENON_ROTATION ? GLTF_VEC4
                                                           : GLTF_VEC3;
    uint32_t times = gltf_import_index(importer, sampler, "input", LIST_ACCESSORS);
    uint32_t values = gltf_import_index(importer, sampler, "output", LIST_ACCESSORS);
    const tn_json_value *curve = tn_json_tree_get(sampler, "interpolation");
    if (importer->builder->failed) return false;
    channel->curve = TENON_LINEAR;
    if (tn_json_tree_is(curve, "STEP"))
        channel->curve = TENON_STEP;
    else if (tn_json_tree_is(curve, "CUBICSPLINE"))
        channel->curve = TENON_CUBIC;
    else if (curve && !tn_json_tree_is(curve, "LINEAR"))
        return gltf_import_fail(importer, TENON_ERR_VALUE, curve,
                                "'interpolation' must be LINEAR, STEP or CUBICSPLINE");
    if (times == TENON_NONE || values == TENON_NONE)
        return gltf_import_fail(importer, TENON_ERR_VALUE, sampler,
                                "a sampler needs 'input' and 'output'");
    if (!gltf_import_open_accessor(importer, times, GLTF_SCALAR, &input)) return false;
    if (!gltf_import_open_accessor(importer, values, shape, &output)) return false;
    if (blinking) channel->curve = TENON_STEP;
    uint64_t wanted = input.count * (channel->curve == TENON_CUBIC ? 3 : 1);
    if (is_of_weights) wanted *= channel->weight_count;
    if (output.count != wanted)
        return gltf_import_fail(importer, TENON_ERR_VALUE, sampler,
                                "'output' has %" PRIu64 " elements, but 'input' requires %" PRIu64,
                                output.count, wanted);
    tn_channel_alloc(importer->builder, channel, input.count);
    if (importer->builder->failed) return false;
    gltf_import_decode_floats(importer, &input, channel->times, 1);
    float *visible = blinking ? gltf_import_scratch(importer, input.count, sizeof *visible) : NULL;
    if (importer->builder->failed) return false;
    gltf_import_decode_floats(importer, &output, visible ? visible : channel->values,
                              (uint32_t)shape);
    if (visible) gltf_import_visibility_values(blinking, visible, channel);
    return !importer->builder->failed;
}

// Returns false if the import failed, or the target is not in the scene.
static bool gltf_import_animations_channel(gltf_importer *importer, const tn_json_value *from,
                                           const tn_json_value *samplers, tenon_channel *channel)
{
    const tenon_scene *scene = importer->builder->scene;
    uint64_t sampler = gltf_import_integer(importer, from, "sampler", TENON_ABSENT);
    uint32_t count = tn_json_tree_count(samplers), node;
    if (importer->builder->failed) return false;
    if (sampler >= count)
        return gltf_import_fail(importer, TENON_ERR_VALUE, from,
                                "a channel needs a 'sampler' that exists: there are %" PRIu32,
                                count);
    const tn_json_value *object = gltf_import_object(importer, from, "target");
    (void)gltf_import_index(importer, object, "node", LIST_NODES);
    if (importer->builder->failed) return false;
    if (!object)
        return gltf_import_fail(importer, TENON_ERR_VALUE, from, "a channel needs 'target'");
    gltf_target target = gltf_import_channel_target(importer, from, &node);
    bool is_there =
        target < GLTF_TARGET_LOOK && node != TENON_NONE && importer->node_of[node] != TENON_NONE;
    bool is_of_visibility = is_there && target == GLTF_TARGET_VISIBILITY;
    bool is_unread = target == GLTF_TARGET_UNKNOWN;
    if (is_there && target == GLTF_TARGET_WEIGHTS) {
        channel->weight_count = tn_morph_count(scene, importer->node_of[node]);
        is_there = channel->weight_count > 0;
    }
    if (is_of_visibility)
        is_there = importer->is_blinking[node] && !scene->nodes[importer->node_of[node]].has_matrix;
    gltf_import_count_loss(importer, GLTF_UNREAD_POINTERS, is_unread, from);
    gltf_import_count_loss(importer, GLTF_UNREAD_VISIBILITY, is_of_visibility && !is_there, from);
    gltf_import_count_loss(importer, GLTF_MADE_BLINKING, is_of_visibility && is_there, from);
    gltf_import_count_loss(importer, GLTF_UNREAD_CHANNELS,
                           !is_there && !is_unread && !is_of_visibility, from);
    if (!is_there) return false;
    channel->node = importer->node_of[node];
    channel->target = is_of_visibility ? TENON_SCALE : (tenon_target)target;
    return gltf_import_animations_keys(
        importer, tn_json_tree_at(samplers, (uint32_t)sampler),
        is_of_visibility ? gltf_import_item(importer, LIST_NODES, node) : NULL, channel);
}

// Animations without a channel that is kept are dropped.
static void gltf_import_animation(gltf_importer *importer, const tn_json_value *animation)
{
    static const char *const known[] = {"events", NULL};
    const tn_json_value *channels = gltf_import_array(importer, animation, "channels");
    const tn_json_value *samplers = gltf_import_array(importer, animation, "samplers");
    uint32_t count = tn_json_tree_count(channels), kept = 0;
    tenon_channel *list = tn_scene_array(importer->builder, count, sizeof *list);
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const tn_json_value *channel = tn_json_tree_at(channels, i);
        uint32_t number = importer->channel_number + i;
        bool is_kept = gltf_import_animations_channel(importer, channel, samplers, &list[kept]);
        uint32_t node;
        importer->is_channel_imported[number] =
            is_kept &&
            gltf_import_channel_target(importer, channel, &node) != GLTF_TARGET_VISIBILITY;
        list[kept].origin = number + 1;
        kept += is_kept;
        if (gltf_recover_skip_damaged(importer, "channels", channel))
            list[kept] = (tenon_channel){0};
    }
    if (importer->builder->failed) return;
    gltf_import_count_loss(importer, GLTF_UNREAD_CLIPS, kept == 0, animation);
    if (kept == 0) return;
    uint32_t index =
        tn_add_animation(importer->builder, gltf_import_text(importer, animation, "name"), 0);
    if (importer->builder->failed) return;
    tenon_animation *out = &importer->builder->scene->animations[index];
    out->origin = animation->index + 1;
    out->channels = list;
    out->channel_count = kept;
    // Tenon's export stores events in extras.
    const tn_json_value *events = tn_json_tree_get(tn_json_tree_get(animation, "extras"), "events");
    if (tn_json_tree_kind_of(events) == TN_TREE_ARRAY) {
        out->events = tn_scene_array(importer->builder, events->size, sizeof *out->events);
        for (uint32_t i = 0; i < events->size && !importer->builder->failed; i++) {
            const tn_json_value *event = tn_json_tree_at(events, i);
            tenon_str text = gltf_import_text_of(tn_json_tree_get(event, "name"));
            out->events[i] = (tenon_event){tn_json_tree_f64(tn_json_tree_get(event, "time"), -1),
                                           tn_scene_text(importer->builder, text)};
        }
        out->event_count = importer->builder->failed ? 0 : events->size;
    }
    gltf_import_extras(importer, animation, TENON_EXTRA_OF_ANIMATION, index, known);
}

void gltf_import_animations(gltf_importer *importer)
{
    uint64_t channel_count = 0;
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_ANIMATIONS); i++)
        channel_count += tn_json_tree_count(
            tn_json_tree_get(gltf_import_item(importer, LIST_ANIMATIONS, i), "channels"));
    importer->is_channel_imported = gltf_import_scratch(importer, channel_count, sizeof(bool));
    for (uint32_t i = 0;
         i < gltf_import_count(importer, LIST_ANIMATIONS) && !importer->builder->failed; i++) {
        const tn_json_value *animation = gltf_import_item(importer, LIST_ANIMATIONS, i);
        gltf_import_animation(importer, animation);
        importer->channel_number += tn_json_tree_count(tn_json_tree_get(animation, "channels"));
        (void)gltf_recover_skip_damaged(importer, "animations", animation);
    }
}
