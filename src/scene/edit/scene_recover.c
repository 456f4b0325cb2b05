// scene_recover.c: leave out of a scene what a damaged file cannot have meant.
// SPDX-License-Identifier: MIT
//
// A page of noise in the middle of the vertices leaves the structure of a file as it is: the
// numbers are wrong, and no rule of the format is broken. What is far larger than all others, or
// not finite, was not meant.

#include "scene/edit/scene_recover.h"

#include "scene/model/plausible.h"
#include "scene/model/scene_finish.h"

#include <math.h>
#include <string.h>

#define LONGEST 86400.0  // Seconds that a clip may last.

static void report_damage(const tn_scene_builder *builder, const tn_tally *tally,
                          const char *feature, const char *why)
{
    tenon_loss loss = {.kind = TENON_DROPPED,
                       .feature = feature,
                       .why = why,
                       .count = tally->count,
                       .path = tally->path,
                       .is_damage = true};
    if (tally->count && builder->opts->lost) builder->opts->lost(builder->opts->user, &loss);
}

// -- Vertices

static double limit_of_positions(const tenon_scene *scene)
{
    tn_magnitudes m = {0};
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            for (uint32_t v = 0; v < p->vertex_count; v++)
                tn_add_magnitude(&m, p->positions + 3 * (size_t)v, 3);
        }
    return tn_usual_limit(&m);
}

// The triangles of `p` whose vertices are meant, as indices into its vertices. Returns how many
// were left out.
static uint64_t keep_triangles(tenon_primitive *p, uint32_t *indices, uint32_t count, double limit)
{
    uint32_t kept = 0;
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
    return (count - kept) / 3;
}

static bool has_outliers(const tenon_primitive *p, double limit)
{
    for (uint32_t v = 0; v < p->vertex_count; v++)
        if (!tn_is_plausible(p->positions + 3 * (size_t)v, 3, limit)) return true;
    return false;
}

// What is in no triangle any more must not be seen by anyone who asks how large the model is.
static void clear_outliers(tenon_primitive *p, double limit)
{
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        float *position = p->positions + 3 * (size_t)v;
        if (!tn_is_plausible(position, 3, limit)) memset(position, 0, 3 * sizeof *position);
    }
}

static uint64_t recover_primitive(tn_scene_builder *builder, tenon_primitive *p, double limit)
{
    if (p->mode != TENON_TRIANGLES || !has_outliers(p, limit)) return 0;
    uint32_t count = p->indices ? p->index_count : p->vertex_count;
    uint32_t *indices = p->indices;
    if (!indices) {
        indices = tn_scene_array(builder, count, sizeof *indices);
        for (uint32_t i = 0; indices && i < count; i++) indices[i] = i;
    }
    uint64_t dropped = indices ? keep_triangles(p, indices, count, limit) : 0;
    clear_outliers(p, limit);
    return dropped;
}

// -- Keys

static uint32_t value_width(const tenon_channel *c)
{
    return c->target == TENON_ROTATION ? 4 : 3;
}

// What no number of a key should exceed.
typedef struct key_limits {
    double position, time;
} key_limits;

static double limit_of_times(const tenon_scene *scene)
{
    tn_magnitudes m = {0};
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++) {
            const tenon_channel *c = &scene->animations[i].channels[k];
            for (uint32_t j = 0; j < c->key_count; j++) tn_add_magnitude(&m, &c->times[j], 1);
        }
    return fmin(tn_usual_limit(&m), LONGEST);
}

static bool is_plausible_key(const tenon_channel *c, uint32_t key, key_limits limits)
{
    const float *value = c->values + (size_t)key * value_width(c);
    if (!tn_is_plausible(&c->times[key], 1, limits.time)) return false;
    return c->target == TENON_ROTATION ? tn_is_plausible_rotation(value)
                                       : tn_is_plausible(value, 3, limits.position);
}

// Into times of its own: channels may share theirs.
static void keep_plausible_keys(tn_scene_builder *builder, tenon_channel *c, key_limits limits,
                                uint32_t count)
{
    uint32_t kept = 0, width = value_width(c);
    float *times = tn_scene_floats(builder, count, 1);
    if (!times) return;
    for (uint32_t i = 0; i < c->key_count; i++) {
        if (!is_plausible_key(c, i, limits)) continue;
        times[kept] = c->times[i];
        memmove(c->values + (size_t)kept * width, c->values + (size_t)i * width,
                width * sizeof *c->values);
        kept++;
    }
    c->times = times;
    c->key_count = kept;
}

// Returns how many keys went.
static uint32_t recover_channel(tn_scene_builder *builder, tenon_channel *c, key_limits limits)
{
    uint32_t plausible = 0, before = c->key_count;
    if (c->curve == TENON_CUBIC) return 0;
    for (uint32_t i = 0; i < before; i++) plausible += is_plausible_key(c, i, limits);
    // Of a channel without one good key nothing can be told.
    if (plausible == 0 || plausible == before) return 0;
    keep_plausible_keys(builder, c, limits, plausible);
    return before - c->key_count;
}

// A clip that lasts longer than any can ends with its last key. Returns whether it did.
static bool recover_duration(tenon_animation *a, double limit)
{
    if (a->duration <= limit) return false;
    a->duration = 0;
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const tenon_channel *c = &a->channels[i];
        if (c->key_count) a->duration = fmax(a->duration, c->times[c->key_count - 1]);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->event_count; i++)
        if (a->events[i].time <= a->duration) a->events[kept++] = a->events[i];
    a->event_count = kept;
    return true;
}

static bool has_time(const tenon_channel *c, double limit)
{
    for (uint32_t i = 0; i < c->key_count; i++)
        if (tn_is_plausible(&c->times[i], 1, limit)) return true;
    return false;
}

// Channels in which no time can be meant are dropped, and clips that had no others.
static bool recover_animation(tn_scene_builder *builder, uint32_t index, key_limits limits,
                              tn_tally *keys)
{
    tenon_animation *a = &builder->scene->animations[index];
    uint32_t had = a->channel_count, kept = 0;
    for (uint32_t i = 0; i < had; i++) {
        tenon_channel c = a->channels[i];
        bool is_kept = has_time(&c, limits.time);
        uint32_t lost = is_kept ? recover_channel(builder, &c, limits) : c.key_count;
        tn_tally_add(keys, lost, "animations", index, "channels", i);
        if (is_kept) a->channels[kept++] = c;
    }
    a->channel_count = kept;
    return kept || !had;
}

static void recover_animations(tn_scene_builder *builder, double position_limit)
{
    tenon_scene *scene = builder->scene;
    tn_tally keys = {0}, durations = {0}, clips = {0};
    const key_limits limits = {position_limit, limit_of_times(scene)};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        bool is_kept = recover_animation(builder, i, limits, &keys);
        bool is_shorter = is_kept && recover_duration(&scene->animations[i], limits.time);
        tn_tally_add(&durations, is_shorter, "animations", i, NULL, 0);
        tn_tally_add(&clips, !is_kept, "animations", i, NULL, 0);
        if (is_kept) scene->animations[kept++] = scene->animations[i];
    }
    scene->animation_count = kept;
    report_damage(builder, &keys, "keys of animations", "no model moves or turns so, or so late");
    report_damage(builder, &durations, "durations",
                  "no clip lasts so long: it ends with its last key");
    report_damage(builder, &clips, "animations", "none of their times can be meant");
}

// -- Skins

static bool is_finite(const float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!(values[i] - values[i] == 0)) return false;
    return true;
}

// A matrix that is no matrix would put its vertices into one point: better they stand still.
static void recover_skins(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    tn_tally lost = {0};
    bool *is_damaged = tn_scene_array(builder, scene->skin_count, sizeof *is_damaged);
    if (!is_damaged) return;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        is_damaged[i] =
            !is_finite(scene->skins[i].inverse_binds, 16 * (uint64_t)scene->skins[i].joint_count);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t skin = scene->nodes[i].skin;
        if (skin >= scene->skin_count || !is_damaged[skin]) continue;
        scene->nodes[i].skin = TENON_NONE;
        tn_tally_add(&lost, 1, "nodes", i, NULL, 0);
    }
    tn_tally_report(builder, &lost, TENON_DROPPED, "skins of nodes",
                    "their matrices are damaged: the meshes stand as they are");
}

// -- Everything

void tn_scene_recover(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    tn_tally triangles = {0};
    recover_skins(builder);
    double limit = limit_of_positions(scene);
    for (uint32_t i = 0; i < scene->mesh_count && !builder->failed; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count && !builder->failed; k++)
            tn_tally_add(&triangles,
                         recover_primitive(builder, &scene->meshes[i].primitives[k], limit),
                         "meshes", i, "primitives", k);
    report_damage(builder, &triangles, "triangles",
                  "a corner is nowhere, or far away from all other vertices");
    recover_animations(builder, limit);
}
