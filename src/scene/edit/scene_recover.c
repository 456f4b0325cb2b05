// scene_recover.c: leave out of a scene what is implausible, after its file was damaged.
// SPDX-License-Identifier: MIT
//
// Noise in the middle of the vertices does not damage the structure of a file: the numbers are
// wrong, but no rule of the format is broken. Outliers, which are far larger than all other numbers
// or not finite, are not plausible.

#include "scene/edit/scene_recover.h"

#include "scene/model/channels.h"
#include "scene/model/plausible.h"
#include "scene/model/scene_finish.h"

#include <math.h>
#include <string.h>

#define LONGEST 86400.0  // Seconds that a clip may last.

static void scene_recover_report_damage(const tn_scene_builder *builder, const tn_tally *tally,
                                        const char *feature, const char *why)
{
    tenon_loss loss = {.kind = TENON_DROPPED,
                       .feature = feature,
                       .why = why,
                       .count = tally->count,
                       .path = tally->path,
                       .is_damage = true};
    if (tally->count && builder->opts->events.on_loss)
        builder->opts->events.on_loss(builder->opts->events.user, &loss);
}

// -- Skins

static bool scene_recover_is_finite(const float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!(values[i] - values[i] == 0)) return false;
    return true;
}

// A damaged matrix would move its vertices to one point: without the skin they stay where they are.
static void scene_recover_skins(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    tn_tally lost = {0};
    bool *is_damaged = tn_scene_array(builder, scene->skin_count, sizeof *is_damaged);
    if (!is_damaged) return;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        is_damaged[i] = !scene_recover_is_finite(scene->skins[i].inverse_binds,
                                                 16 * (uint64_t)scene->skins[i].joint_count);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t skin = scene->nodes[i].skin;
        if (skin >= scene->skin_count || !is_damaged[skin]) continue;
        scene->nodes[i].skin = TENON_NONE;
        tn_tally_at(&lost, 1, "nodes", i);
    }
    tn_tally_report(builder, &lost, TENON_DROPPED, "skins of nodes",
                    "their matrices are damaged: the meshes are not skinned");
}

// -- Vertices

static double scene_recover_find_position_limit(const tenon_scene *scene)
{
    tn_magnitudes magnitudes = {0};
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            for (uint32_t v = 0; v < p->vertex_count; v++)
                tn_add_magnitude(&magnitudes, p->positions + 3 * (size_t)v, 3);
        }
    return tn_usual_limit(&magnitudes);
}

// Drop the triangles that have an outlier. Returns how many.
static uint64_t scene_recover_primitive(tn_scene_builder *builder, tenon_primitive *p, double limit)
{
    if (p->mode != TENON_TRIANGLES) return 0;
    bool has_outliers = false;
    for (uint32_t v = 0; v < p->vertex_count && !has_outliers; v++)
        has_outliers = !tn_is_plausible(p->positions + 3 * (size_t)v, 3, limit);
    if (!has_outliers) return 0;
    uint32_t count = p->indices ? p->index_count : p->vertex_count, kept = 0;
    uint32_t *indices = p->indices;
    if (!indices) {
        indices = tn_scene_array(builder, count, sizeof *indices);
        if (!indices) return 0;
        for (uint32_t i = 0; i < count; i++) indices[i] = i;
    }
    for (uint32_t i = 0; i + 3 <= count; i += 3) {
        bool is_kept = true;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t v = indices[i + k];
            is_kept = is_kept && v < p->vertex_count &&
                      tn_is_plausible(p->positions + 3 * (size_t)v, 3, limit);
        }
        if (!is_kept) continue;
        memmove(indices + kept, indices + i, 3 * sizeof *indices);
        kept += 3;
    }
    p->indices = indices;
    p->index_count = kept;
    p->polygon_count = 0;
    p->polygon_sizes = NULL;
    // Outliers, which no triangle uses now, must not count for the size of the model.
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        float *position = p->positions + 3 * (size_t)v;
        if (!tn_is_plausible(position, 3, limit)) memset(position, 0, 3 * sizeof *position);
    }
    return (count - kept) / 3;
}

// -- Animations

// The largest plausible numbers of keys.
typedef struct key_limits {
    double position, time;
} key_limits;

static double scene_recover_find_time_limit(const tenon_scene *scene)
{
    tn_magnitudes magnitudes = {0};
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++) {
            const tenon_channel *c = &scene->animations[i].channels[k];
            for (uint32_t j = 0; j < c->key_count; j++)
                tn_add_magnitude(&magnitudes, &c->times[j], 1);
        }
    return fmin(tn_usual_limit(&magnitudes), LONGEST);
}

static bool scene_recover_is_plausible_key(const tenon_channel *c, uint32_t key, key_limits limits)
{
    const float *value = c->values + (size_t)key * tn_channel_width(c);
    if (!tn_is_plausible(&c->times[key], 1, limits.time)) return false;
    if (c->target == TENON_ROTATION) return tn_is_plausible_rotation(value);
    return tn_is_plausible(value, tn_channel_width(c), limits.position);
}

// Drop implausible keys. Returns how many.
static uint32_t scene_recover_channel(tn_scene_builder *builder, tenon_channel *c,
                                      key_limits limits)
{
    uint32_t plausible = 0, before = c->key_count, kept = 0, width = tn_channel_width(c);
    if (c->curve == TENON_CUBIC) return 0;
    for (uint32_t i = 0; i < before; i++) plausible += scene_recover_is_plausible_key(c, i, limits);
    // Without any plausible key there is nothing to compare with.
    if (plausible == 0 || plausible == before) return 0;
    float *times = tn_scene_floats(builder, plausible, 1);  // Channels may share theirs.
    if (!times) return 0;
    for (uint32_t i = 0; i < before; i++) {
        if (!scene_recover_is_plausible_key(c, i, limits)) continue;
        times[kept] = c->times[i];
        memmove(c->values + (size_t)kept * width, c->values + (size_t)i * width,
                width * sizeof *c->values);
        kept++;
    }
    c->times = times;
    c->key_count = kept;
    return before - kept;
}

// Drop implausible keys, and channels without a plausible time. Returns whether the clip still has
// channels, or had none before.
static bool scene_recover_channels(tn_scene_builder *builder, uint32_t index, key_limits limits,
                                   tn_tally *keys)
{
    tenon_animation *a = &builder->scene->animations[index];
    uint32_t before = a->channel_count, kept = 0;
    for (uint32_t i = 0; i < before; i++) {
        tenon_channel c = a->channels[i];
        bool is_kept = false;
        for (uint32_t k = 0; k < c.key_count && !is_kept; k++)
            is_kept = tn_is_plausible(&c.times[k], 1, limits.time);
        uint32_t lost = is_kept ? scene_recover_channel(builder, &c, limits) : c.key_count;
        tn_tally_in(keys, lost, "animations", index, "channels", i);
        if (is_kept) a->channels[kept++] = c;
    }
    a->channel_count = kept;
    return kept || !before;
}

// End a clip at its last key. Events after it are dropped.
static void scene_recover_shorten(tenon_animation *a)
{
    a->duration = 0;
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const tenon_channel *c = &a->channels[i];
        if (c->key_count) a->duration = fmax(a->duration, c->times[c->key_count - 1]);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->event_count; i++)
        if (a->events[i].time <= a->duration) a->events[kept++] = a->events[i];
    a->event_count = kept;
}

void tn_scene_recover(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    tn_tally triangles = {0}, keys = {0}, durations = {0}, clips = {0};
    scene_recover_skins(builder);
    const key_limits limits = {scene_recover_find_position_limit(scene),
                               scene_recover_find_time_limit(scene)};
    for (uint32_t i = 0; i < scene->mesh_count && !builder->failed; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count && !builder->failed; k++) {
            tenon_primitive *p = &scene->meshes[i].primitives[k];
            tn_tally_in(&triangles, scene_recover_primitive(builder, p, limits.position), "meshes",
                        i, "primitives", k);
        }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        tenon_animation *a = &scene->animations[i];
        bool is_kept = scene_recover_channels(builder, i, limits, &keys);
        bool is_too_long = is_kept && !(a->duration <= limits.time);
        if (is_too_long) scene_recover_shorten(a);
        tn_tally_at(&durations, is_too_long, "animations", i);
        tn_tally_at(&clips, !is_kept, "animations", i);
        if (is_kept) scene->animations[kept++] = *a;
    }
    scene->animation_count = kept;
    scene_recover_report_damage(builder, &triangles, "triangles",
                                "a corner is not finite, or far away from all other vertices");
    scene_recover_report_damage(builder, &keys, "keys of animations",
                                "their values or times are not plausible");
    scene_recover_report_damage(builder, &durations, "durations",
                                "they are not plausible: the clip ends with its last key");
    scene_recover_report_damage(builder, &clips, "animations", "none of their times is plausible");
}
