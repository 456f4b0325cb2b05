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

static tenon_channel gltf_extend(gltf_exporter *w, const tenon_channel *c, float end)
{
    uint32_t width = gltf_width_of(c), each = c->curve == TENON_CUBIC ? 3 * width : width;
    tenon_channel longer = *c;
    longer.key_count++;
    longer.times = gltf_alloc(w, longer.key_count, sizeof *longer.times);
    longer.values = gltf_alloc(w, longer.key_count, each * sizeof *longer.values);
    if (w->failed) return *c;
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

static void gltf_plan_channel(gltf_exporter *w, const tenon_channel *c, uint32_t *times,
                              uint32_t *values)
{
    gltf_stream stream = c->target == TENON_ROTATION ? GLTF_TURNS : GLTF_VECTORS;
    bool is_single = c->curve == TENON_CUBIC && c->key_count == 1;
    const float *data = is_single ? c->values + gltf_width_of(c) : c->values;
    uint64_t count = (uint64_t)c->key_count * (gltf_is_cubic(c) ? 3 : 1);
    if (count >= TENON_NONE) {
        w->failed = !tn_error(w->e->err, TENON_ERR_LIMIT, "an animation has too many keys");
        return;
    }
    *times = gltf_share_accessor(w, GLTF_TIMES, c->times, c->key_count);
    *values = gltf_share_accessor(w, stream, data, (uint32_t)count);
    if (w->failed || w->accessors[*times].bounds) return;
    float *bounds = gltf_alloc(w, 2, sizeof *bounds);
    if (!bounds) return;
    bounds[0] = c->times[0];
    bounds[1] = c->times[c->key_count - 1];
    w->accessors[*times].bounds = bounds;
}

static void gltf_plan_animation(gltf_exporter *w, uint32_t source)
{
    const tenon_animation *a = &w->scene->animations[source];
    gltf_animation *out = &w->animations[w->animation_count++];
    uint32_t extended = gltf_channel_to_extend(a);
    out->source = source;
    out->times = gltf_alloc_indices(w, a->channel_count);
    out->values = gltf_alloc_indices(w, a->channel_count);
    for (uint32_t i = 0; i < a->channel_count && !w->failed; i++) {
        tenon_channel c = a->channels[i];
        if (i == extended) c = gltf_extend(w, &c, (float)a->duration);
        if (!w->failed) gltf_plan_channel(w, &c, &out->times[i], &out->values[i]);
    }
}

void gltf_plan_animations(gltf_exporter *w)
{
    w->animations = gltf_alloc(w, w->scene->animation_count, sizeof *w->animations);
    for (uint32_t i = 0; i < w->scene->animation_count && !w->failed; i++) {
        if (w->scene->animations[i].channel_count)
            gltf_plan_animation(w, i);
        else
            gltf_report_loss(w, GLTF_LOST_ANIMATIONS, 1, "animations", i);
    }
}

// -- Text

static void gltf_put_channels(gltf_exporter *w, const tenon_animation *a)
{
    static const char *const paths[] = {"translation", "rotation", "scale"};
    gltf_open_array(w, "channels");
    for (uint32_t i = 0; i < a->channel_count; i++) {
        gltf_open_object(w, NULL);
        gltf_put_index(w, "sampler", i);
        gltf_open_object(w, "target");
        gltf_put_index(w, "node", a->channels[i].node);
        tn_json_put_key(&w->json, "path");
        tn_json_put_string(&w->json, paths[a->channels[i].target]);
        gltf_close_object(w);
        gltf_close_object(w);
    }
    gltf_close_array(w);
}

static void gltf_put_channel_samplers(gltf_exporter *w, const gltf_animation *out,
                                      const tenon_animation *a)
{
    gltf_open_array(w, "samplers");
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const tenon_channel *c = &a->channels[i];
        const char *curve = NULL;
        if (c->curve == TENON_STEP) curve = "STEP";
        // The output may have one key more than the scene.
        bool is_cubic = c->curve == TENON_CUBIC && w->accessors[out->times[i]].count > 1;
        if (is_cubic) curve = "CUBICSPLINE";
        gltf_open_object(w, NULL);
        gltf_put_index(w, "input", out->times[i]);
        if (curve) {
            tn_json_put_key(&w->json, "interpolation");
            tn_json_put_string(&w->json, curve);
        }
        gltf_put_index(w, "output", out->values[i]);
        gltf_close_object(w);
    }
    gltf_close_array(w);
}

static void gltf_put_animation_extras(gltf_exporter *w, const tenon_animation *a, uint32_t index)
{
    if (!a->event_count && !gltf_has_extras(w, TENON_EXTRA_OF_ANIMATION, index)) return;
    gltf_open_object(w, "extras");
    if (a->event_count) gltf_open_array(w, "events");
    for (uint32_t i = 0; i < a->event_count; i++) {
        gltf_open_object(w, NULL);
        gltf_put_number(w, "time", a->events[i].time);
        gltf_put_name(w, a->events[i].name);
        gltf_close_object(w);
    }
    if (a->event_count) gltf_close_array(w);
    gltf_put_extra_members(w, TENON_EXTRA_OF_ANIMATION, index);
    gltf_close_object(w);
}

void gltf_put_animations(gltf_exporter *w)
{
    if (!w->animation_count) return;
    gltf_open_array(w, "animations");
    for (uint32_t i = 0; i < w->animation_count; i++) {
        const gltf_animation *out = &w->animations[i];
        const tenon_animation *a = &w->scene->animations[out->source];
        gltf_open_object(w, NULL);
        gltf_put_name(w, a->name);
        gltf_put_channels(w, a);
        gltf_put_channel_samplers(w, out, a);
        gltf_put_animation_extras(w, a, out->source);
        gltf_close_object(w);
    }
    gltf_close_array(w);
}
