// gltf_export_animations.c: animations. Times that are the same in several channels are kept once.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <string.h>

static uint32_t gltf_width_of(const tenon_channel *c)
{
    return c->target == TENON_ROTATION ? 4 : 3;
}

// A spline needs two keys.
static bool gltf_is_cubic(const tenon_channel *c)
{
    return c->curve == TENON_CUBIC && c->key_count > 1;
}

// -- Planning

// glTF does not store durations: an animation ends with its last key. If the duration is longer,
// the channel with the fewest keys, which is returned, gets another key with the same value.
static uint32_t gltf_channel_to_extend(const tenon_animation *a)
{
    uint32_t shortest = TENON_NONE;
    float end = (float)a->duration;
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const tenon_channel *c = &a->channels[i];
        if (c->times[c->key_count - 1] >= end) return TENON_NONE;
        if (shortest == TENON_NONE || c->key_count < a->channels[shortest].key_count) shortest = i;
    }
    return shortest;
}

static tenon_channel gltf_extend(gltf_exporter *exporter, const tenon_channel *c, float end)
{
    uint32_t width = gltf_width_of(c), each = c->curve == TENON_CUBIC ? 3 * width : width;
    tenon_channel longer = *c;
    longer.key_count++;
    longer.times = gltf_alloc(exporter, longer.key_count, sizeof *longer.times);
    longer.values = gltf_alloc(exporter, longer.key_count, each * sizeof *longer.values);
    if (exporter->failed) return *c;
    memcpy(longer.times, c->times, c->key_count * sizeof *c->times);
    memcpy(longer.values, c->values, (size_t)c->key_count * each * sizeof *c->values);
    float *last = longer.values + (size_t)(c->key_count - 1) * each;
    longer.times[c->key_count] = end;
    memcpy(last + each, last, each * sizeof *last);
    if (c->curve != TENON_CUBIC) return longer;
    // The value is constant from the last key on: tangents are 0.
    memset(last + 2 * width, 0, 2 * width * sizeof *last);
    memset(last + each + 2 * width, 0, width * sizeof *last);
    return longer;
}

static void gltf_plan_channel(gltf_exporter *exporter, const tenon_channel *c, uint32_t *times,
                              uint32_t *values)
{
    gltf_stream stream = c->target == TENON_ROTATION ? GLTF_ROTATIONS : GLTF_VECTORS;
    bool is_single = c->curve == TENON_CUBIC && c->key_count == 1;
    const float *data = is_single ? c->values + gltf_width_of(c) : c->values;
    uint64_t count = (uint64_t)c->key_count * (gltf_is_cubic(c) ? 3 : 1);
    if (count >= TENON_NONE) {
        exporter->failed =
            !tn_error(exporter->export->err, TENON_ERR_LIMIT, "an animation has too many keys");
        return;
    }
    *times = gltf_share_accessor(exporter, GLTF_TIMES, c->times, c->key_count);
    *values = gltf_share_accessor(exporter, stream, data, (uint32_t)count);
    if (exporter->failed || exporter->accessors[*times].bounds) return;
    float *bounds = gltf_alloc(exporter, 2, sizeof *bounds);
    if (!bounds) return;
    bounds[0] = c->times[0];
    bounds[1] = c->times[c->key_count - 1];
    exporter->accessors[*times].bounds = bounds;
}

static void gltf_plan_animation(gltf_exporter *exporter, uint32_t source)
{
    const tenon_animation *a = &exporter->scene->animations[source];
    gltf_animation *out = &exporter->animations[exporter->animation_count++];
    uint32_t extended = gltf_channel_to_extend(a);
    out->source = source;
    out->times = gltf_alloc_indices(exporter, a->channel_count);
    out->values = gltf_alloc_indices(exporter, a->channel_count);
    for (uint32_t i = 0; i < a->channel_count && !exporter->failed; i++) {
        tenon_channel c = a->channels[i];
        if (i == extended) c = gltf_extend(exporter, &c, (float)a->duration);
        if (!exporter->failed) gltf_plan_channel(exporter, &c, &out->times[i], &out->values[i]);
    }
}

void gltf_plan_animations(gltf_exporter *exporter)
{
    exporter->animations =
        gltf_alloc(exporter, exporter->scene->animation_count, sizeof *exporter->animations);
    for (uint32_t i = 0; i < exporter->scene->animation_count && !exporter->failed; i++) {
        if (exporter->scene->animations[i].channel_count)
            gltf_plan_animation(exporter, i);
        else
            gltf_report_loss(exporter, GLTF_LOST_ANIMATIONS, 1, "animations", i);
    }
}

// -- Text

static void gltf_write_channels(gltf_exporter *exporter, const tenon_animation *a)
{
    static const char *const paths[] = {"translation", "rotation", "scale"};
    gltf_begin_array(exporter, "channels");
    for (uint32_t i = 0; i < a->channel_count; i++) {
        gltf_begin_object(exporter, NULL);
        gltf_write_index(exporter, "sampler", i);
        gltf_begin_object(exporter, "target");
        gltf_write_index(exporter, "node", a->channels[i].node);
        tn_json_put_key(&exporter->json, "path");
        tn_json_put_string(&exporter->json, paths[a->channels[i].target]);
        gltf_end_object(exporter);
        gltf_end_object(exporter);
    }
    gltf_end_array(exporter);
}

static void gltf_write_channel_samplers(gltf_exporter *exporter, const gltf_animation *out,
                                        const tenon_animation *a)
{
    gltf_begin_array(exporter, "samplers");
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const tenon_channel *c = &a->channels[i];
        const char *curve = NULL;
        if (c->curve == TENON_STEP) curve = "STEP";
        // The output may have one key more than the scene.
        bool is_cubic = c->curve == TENON_CUBIC && exporter->accessors[out->times[i]].count > 1;
        if (is_cubic) curve = "CUBICSPLINE";
        gltf_begin_object(exporter, NULL);
        gltf_write_index(exporter, "input", out->times[i]);
        if (curve) {
            tn_json_put_key(&exporter->json, "interpolation");
            tn_json_put_string(&exporter->json, curve);
        }
        gltf_write_index(exporter, "output", out->values[i]);
        gltf_end_object(exporter);
    }
    gltf_end_array(exporter);
}

static void gltf_write_animation_extras(gltf_exporter *exporter, const tenon_animation *a,
                                        uint32_t index)
{
    if (!a->event_count && !gltf_has_extras(exporter, TENON_EXTRA_OF_ANIMATION, index)) return;
    gltf_begin_object(exporter, "extras");
    if (a->event_count) gltf_begin_array(exporter, "events");
    for (uint32_t i = 0; i < a->event_count; i++) {
        gltf_begin_object(exporter, NULL);
        gltf_write_number(exporter, "time", a->events[i].time);
        gltf_write_name(exporter, a->events[i].name);
        gltf_end_object(exporter);
    }
    if (a->event_count) gltf_end_array(exporter);
    gltf_write_extra_members(exporter, TENON_EXTRA_OF_ANIMATION, index);
    gltf_end_object(exporter);
}

void gltf_write_animations(gltf_exporter *exporter)
{
    if (!exporter->animation_count) return;
    gltf_begin_array(exporter, "animations");
    for (uint32_t i = 0; i < exporter->animation_count; i++) {
        const gltf_animation *out = &exporter->animations[i];
        const tenon_animation *a = &exporter->scene->animations[out->source];
        gltf_begin_object(exporter, NULL);
        gltf_write_name(exporter, a->name);
        gltf_write_channels(exporter, a);
        gltf_write_channel_samplers(exporter, out, a);
        gltf_write_animation_extras(exporter, a, out->source);
        gltf_end_object(exporter);
    }
    gltf_end_array(exporter);
}
