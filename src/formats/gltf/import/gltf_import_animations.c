// gltf_import_animations.c: animations: their channels, and the events that extras hold.
// SPDX-License-Identifier: MIT

#include "formats/gltf/import/gltf_import.h"

#include <inttypes.h>
#include <string.h>

// -- Channels

static bool gltf_read_curve(gltf_importer *importer, const tn_json_value *sampler,
                            tenon_curve *curve)
{
    const tn_json_value *word = tn_json_tree_get(sampler, "interpolation");
    *curve = TENON_LINEAR;
    if (tn_json_tree_is(word, "STEP")) *curve = TENON_STEP;
    if (tn_json_tree_is(word, "CUBICSPLINE")) *curve = TENON_CUBIC;
    if (!word || *curve != TENON_LINEAR || tn_json_tree_is(word, "LINEAR")) return true;
    return gltf_fail(importer, TENON_ERR_VALUE, word,
                     "'interpolation' must be LINEAR, STEP or CUBICSPLINE");
}

// Read the keys of a sampler into a channel whose target is set.
static bool gltf_read_keys(gltf_importer *importer, const tn_json_value *sampler, tenon_channel *c)
{
    gltf_elements input, output;
    gltf_shape shape = c->target == TENON_ROTATION ? GLTF_VEC4 : GLTF_VEC3;
    uint32_t times = gltf_index(importer, sampler, "input", GLTF_LIST_ACCESSORS);
    uint32_t values = gltf_index(importer, sampler, "output", GLTF_LIST_ACCESSORS);
    if (importer->builder->failed || !gltf_read_curve(importer, sampler, &c->curve)) return false;
    if (times == TENON_NONE || values == TENON_NONE)
        return gltf_fail(importer, TENON_ERR_VALUE, sampler,
                         "a sampler needs 'input' and 'output'");
    if (!gltf_open_accessor(importer, times, GLTF_SCALAR, &input)) return false;
    if (!gltf_open_accessor(importer, values, shape, &output)) return false;
    uint64_t wanted = input.count * (c->curve == TENON_CUBIC ? 3 : 1);
    if (output.count != wanted)
        return gltf_fail(importer, TENON_ERR_VALUE, sampler,
                         "'output' has %" PRIu64 " elements, but 'input' requires %" PRIu64,
                         output.count, wanted);
    tn_channel_alloc(importer->builder, c, input.count);
    if (importer->builder->failed) return false;
    gltf_decode_floats(importer, &input, c->times, 1);
    gltf_decode_floats(importer, &output, c->values, (uint32_t)shape);
    return !importer->builder->failed;
}

// Set the target of a channel. Returns false if it is not in the scene.
static bool gltf_read_target(gltf_importer *importer, const tn_json_value *channel,
                             tenon_channel *c)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const tn_json_value *target = gltf_object(importer, channel, "target"),
                        *path = tn_json_tree_get(target, "path");
    uint32_t node = gltf_index(importer, target, "node", GLTF_LIST_NODES), kind = 0;
    if (importer->builder->failed) return false;
    while (kind < 4 && !tn_json_tree_is(path, paths[kind])) kind++;
    bool is_morph = kind == 3;
    bool is_there = kind < 3 && node != TENON_NONE && importer->node_of[node] != TENON_NONE;
    gltf_count_loss(importer, is_morph ? GLTF_UNREAD_MORPH_KEYS : GLTF_UNREAD_CHANNELS, !is_there,
                    channel);
    if (!target) gltf_fail(importer, TENON_ERR_VALUE, channel, "a channel needs 'target'");
    if (!is_there) return false;
    c->node = importer->node_of[node];
    c->target = (tenon_target)kind;
    return true;
}

static bool gltf_read_channel(gltf_importer *importer, const tn_json_value *channel,
                              const tn_json_value *samplers, tenon_channel *c)
{
    uint64_t sampler = gltf_integer(importer, channel, "sampler", TENON_ABSENT);
    uint32_t count = tn_json_tree_count(samplers);
    if (importer->builder->failed) return false;
    if (sampler >= count)
        return gltf_fail(importer, TENON_ERR_VALUE, channel,
                         "a channel needs a 'sampler' that exists: there are %" PRIu32, count);
    return gltf_read_target(importer, channel, c) &&
           gltf_read_keys(importer, tn_json_tree_at(samplers, (uint32_t)sampler), c);
}

// -- Events

static void gltf_read_events(gltf_importer *importer, const tn_json_value *animation,
                             uint32_t index)
{
    const tn_json_value *events = tn_json_tree_get(tn_json_tree_get(animation, "extras"), "events");
    if (tn_json_tree_kind_of(events) != TN_TREE_ARRAY) return;
    tenon_event *list = tn_scene_array(importer->builder, events->size, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; list && i < events->size && !importer->builder->failed; i++) {
        const tn_json_value *event = tn_json_tree_at(events, i),
                            *name = tn_json_tree_get(event, "name");
        double time = tn_json_tree_f64(tn_json_tree_get(event, "time"), -1);
        bool is_text = tn_json_tree_kind_of(name) == TN_TREE_STRING;
        tenon_str text = is_text ? (tenon_str){name->text, name->size} : (tenon_str){"", 0};
        list[count++] = (tenon_event){time, tn_scene_text(importer->builder, text)};
    }
    if (importer->builder->failed) return;
    importer->builder->scene->animations[index].events = list;
    importer->builder->scene->animations[index].event_count = count;
}

// -- Animations

// Animations without a channel that is kept are dropped.
static void gltf_add_animation(gltf_importer *importer, const tn_json_value *animation)
{
    static const char *const known[] = {"events", NULL};
    const tn_json_value *channels = gltf_array(importer, animation, "channels");
    const tn_json_value *samplers = gltf_array(importer, animation, "samplers");
    uint32_t count = tn_json_tree_count(channels), kept = 0;
    tenon_channel *list = tn_scene_array(importer->builder, count, sizeof *list);
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        kept += gltf_read_channel(importer, tn_json_tree_at(channels, i), samplers, &list[kept]);
        if (gltf_skip_damaged(importer, "channels", tn_json_tree_at(channels, i)))
            list[kept] = (tenon_channel){0};
    }
    if (importer->builder->failed) return;
    gltf_count_loss(importer, GLTF_UNREAD_CLIPS, kept == 0, animation);
    if (kept == 0) return;
    uint32_t index = tn_add_animation(importer->builder, gltf_text(importer, animation, "name"), 0);
    if (importer->builder->failed) return;
    importer->builder->scene->animations[index].channels = list;
    importer->builder->scene->animations[index].channel_count = kept;
    gltf_read_events(importer, animation, index);
    gltf_import_extras(importer, animation, TENON_EXTRA_OF_ANIMATION, index, known);
}

void gltf_import_animations(gltf_importer *importer)
{
    for (uint32_t i = 0;
         i < gltf_count(importer, GLTF_LIST_ANIMATIONS) && !importer->builder->failed; i++) {
        const tn_json_value *animation = gltf_item(importer, GLTF_LIST_ANIMATIONS, i);
        gltf_add_animation(importer, animation);
        (void)gltf_skip_damaged(importer, "animations", animation);
    }
}
