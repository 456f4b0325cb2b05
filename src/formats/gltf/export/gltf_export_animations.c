// gltf_export_animations.c: animations. Channels with the same key times share them.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "scene/model/channels.h"

#include <string.h>

// -- Planning

// The node that a channel moves; TENON_NONE if the mesh whose weights it moves is not written.
static uint32_t gltf_export_animations_target(const gltf_exporter *exporter,
                                              const tenon_channel *channel)
{
    return channel->target == TENON_WEIGHTS ? exporter->mesh_nodes[channel->node] : channel->node;
}

// A copy of a channel with another key at `end`, which has the value of the last key.
static tenon_channel gltf_export_animations_extend_channel(gltf_exporter *exporter,
                                                           const tenon_channel *channel, float end)
{
    uint32_t width = tn_channel_width(channel), each = tn_key_size(channel);
    uint32_t count = channel->key_count;
    tenon_channel longer = *channel;
    longer.key_count++;
    longer.times = gltf_export_alloc(exporter, longer.key_count, sizeof *longer.times);
    longer.values = gltf_export_alloc(exporter, longer.key_count, each * sizeof *longer.values);
    if (exporter->failed) return *channel;
    memcpy(longer.times, channel->times, count * sizeof *channel->times);
    memcpy(longer.values, channel->values, (size_t)count * each * sizeof *channel->values);
    float *last = longer.values + (size_t)(count - 1) * each;
    longer.times[count] = end;
    memcpy(last + each, last, each * sizeof *last);
    if (channel->curve != TENON_CUBIC) return longer;
    // The value is constant from the last key on: tangents are 0.
    memset(last + 2 * (size_t)width, 0, 2 * (size_t)width * sizeof *last);
    memset(last + each + 2 * (size_t)width, 0, width * sizeof *last);
    return longer;
}

static void gltf_export_animations_plan_channel(gltf_exporter *exporter,
                                                const tenon_channel *channel, uint32_t *times,
                                                uint32_t *values)
{
    static const gltf_stream streams[] = {[TENON_TRANSLATION] = GLTF_VECTORS,
                                          [TENON_ROTATION] = GLTF_ROTATIONS,
                                          [TENON_SCALE] = GLTF_VECTORS,
                                          [TENON_WEIGHTS] = GLTF_MORPH_WEIGHTS};
    bool is_cubic = channel->curve == TENON_CUBIC;
    const float *data = channel->values;
    uint64_t count = channel->key_count;
    if (is_cubic && count == 1) {
        // A spline needs two keys: only the value between the tangents is written.
        data += tn_channel_width(channel);
        is_cubic = false;
    }
    if (is_cubic) count *= 3;
    if (channel->target == TENON_WEIGHTS) count *= channel->weight_count;
    if (count >= TENON_NONE) {
        exporter->failed =
            !tn_error(exporter->export->err, TENON_ERR_LIMIT, "an animation has too many keys");
        return;
    }
    *times =
        gltf_export_share_accessor(exporter, GLTF_TIMES, channel->times, channel->key_count, true);
    *values =
        gltf_export_share_accessor(exporter, streams[channel->target], data, (uint32_t)count, true);
    if (exporter->failed || exporter->accessors[*times].bounds) return;
    float *bounds = gltf_export_alloc(exporter, 2, sizeof *bounds);
    if (!bounds) return;
    bounds[0] = channel->times[0];
    bounds[1] = channel->times[channel->key_count - 1];
    exporter->accessors[*times].bounds = bounds;
}

void gltf_export_plan_animations(gltf_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->animations =
        gltf_export_alloc(exporter, scene->animation_count, sizeof *exporter->animations);
    for (uint32_t i = 0; i < scene->animation_count && !exporter->failed; i++) {
        const tenon_animation *source = &scene->animations[i];
        uint32_t count = source->channel_count, extended = TENON_NONE, kept = 0;
        float end = (float)source->duration;
        for (uint32_t k = 0; k < count; k++)
            kept += gltf_export_animations_target(exporter, &source->channels[k]) != TENON_NONE;
        if (kept == 0) {
            // Without channels, it is one that is copied.
            tn_tally_at(&exporter->losses[LOST_ANIMATIONS], count > 0 || !exporter->keep,
                        "animations", i);
            continue;
        }
        // glTF does not store durations: an animation ends with its last key. If the duration is
        // longer, the channel with the fewest keys gets another key.
        bool is_longer = true;
        for (uint32_t k = 0; k < count; k++) {
            const tenon_channel *channel = &source->channels[k];
            if (gltf_export_animations_target(exporter, channel) == TENON_NONE) continue;
            if (channel->times[channel->key_count - 1] >= end) is_longer = false;
            if (extended == TENON_NONE || channel->key_count < source->channels[extended].key_count)
                extended = k;
        }
        gltf_animation *out = &exporter->animations[exporter->animation_count++];
        out->source = i;
        out->times = gltf_export_alloc_indices(exporter, count);
        out->values = gltf_export_alloc_indices(exporter, count);
        for (uint32_t k = 0; k < count && !exporter->failed; k++) {
            tenon_channel channel = source->channels[k];
            if (gltf_export_animations_target(exporter, &channel) == TENON_NONE) continue;
            if (is_longer && k == extended)
                channel = gltf_export_animations_extend_channel(exporter, &channel, end);
            if (!exporter->failed)
                gltf_export_animations_plan_channel(exporter, &channel, &out->times[k],
                                                    &out->values[k]);
        }
    }
}

// -- Text

void gltf_export_write_animation(gltf_exporter *exporter, uint32_t index)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const gltf_animation *planned = &exporter->animations[index];
    const tenon_animation *source = &exporter->scene->animations[planned->source];
    gltf_export_name(exporter, source->name);
    gltf_export_begin_array(exporter, "channels");
    uint32_t sampler = 0;
    for (uint32_t k = 0; k < source->channel_count; k++) {
        if (planned->times[k] == TENON_NONE) continue;
        gltf_export_begin_object(exporter, NULL);
        gltf_export_index(exporter, "sampler", sampler++);
        gltf_export_begin_object(exporter, "target");
        const tn_json_value *channel =
            gltf_export_kept_channel(exporter, source->channels[k].origin);
        const tn_json_value *target = tn_json_tree_get(channel, "target");
        bool is_pointer = gltf_extension_of(target, "KHR_animation_pointer") != NULL;
        if (!is_pointer)
            gltf_export_index(exporter, "node",
                              gltf_export_animations_target(exporter, &source->channels[k]));
        gltf_export_string(exporter, "path",
                           is_pointer ? "pointer" : paths[source->channels[k].target]);
        gltf_export_kept_members(exporter, target);
        gltf_export_end_object(exporter);
        gltf_export_kept_members(exporter, channel);
        gltf_export_end_object(exporter);
    }
    gltf_export_kept_channels(exporter, source->origin, sampler);
    gltf_export_end_array(exporter);
    gltf_export_begin_array(exporter, "samplers");
    for (uint32_t k = 0; k < source->channel_count; k++) {
        tenon_curve curve = source->channels[k].curve;
        if (planned->times[k] == TENON_NONE) continue;
        gltf_export_begin_object(exporter, NULL);
        gltf_export_index(exporter, "input", planned->times[k]);
        if (curve == TENON_STEP) gltf_export_string(exporter, "interpolation", "STEP");
        // The output may have one key more than the scene.
        if (curve == TENON_CUBIC && exporter->accessors[planned->times[k]].count > 1)
            gltf_export_string(exporter, "interpolation", "CUBICSPLINE");
        gltf_export_index(exporter, "output", planned->values[k]);
        gltf_export_end_object(exporter);
    }
    gltf_export_kept_samplers(exporter, source->origin);
    gltf_export_end_array(exporter);
    static const char *const events[] = {"events", NULL};
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_ANIMATIONS, source->origin);
    gltf_export_kept_extensions(exporter, from);
    if (!source->event_count) {
        gltf_export_extras(exporter, TENON_EXTRA_OF_ANIMATION, planned->source, from);
        return;
    }
    gltf_export_begin_object(exporter, "extras");
    gltf_export_begin_array(exporter, "events");
    for (uint32_t k = 0; k < source->event_count; k++) {
        gltf_export_begin_object(exporter, NULL);
        gltf_export_number(exporter, "time", source->events[k].time);
        gltf_export_name(exporter, source->events[k].name);
        gltf_export_end_object(exporter);
    }
    gltf_export_end_array(exporter);
    gltf_export_extra_members(exporter, TENON_EXTRA_OF_ANIMATION, planned->source, from, events);
    gltf_export_end_object(exporter);
}
