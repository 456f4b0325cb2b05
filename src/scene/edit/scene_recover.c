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

static void tell_damage(const tn_scene_builder *b, const tn_tally *flaw, const char *feature,
                        const char *why)
{
    tenon_loss loss = {.kind = TENON_DROPPED,
                       .feature = feature,
                       .why = why,
                       .count = flaw->count,
                       .path = flaw->path,
                       .is_damage = true};
    if (flaw->count && b->opts->lost) b->opts->lost(b->opts->user, &loss);
}

// -- Vertices

static double limit_of_positions(const tenon_scene *s)
{
    tn_magnitudes m = {0};
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &s->meshes[i].primitives[k];
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

static bool has_strays(const tenon_primitive *p, double limit)
{
    for (uint32_t v = 0; v < p->vertex_count; v++)
        if (!tn_is_plausible(p->positions + 3 * (size_t)v, 3, limit)) return true;
    return false;
}

// What is in no triangle any more must not be seen by anyone who asks how large the model is.
static void hide_strays(tenon_primitive *p, double limit)
{
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        float *position = p->positions + 3 * (size_t)v;
        if (!tn_is_plausible(position, 3, limit)) memset(position, 0, 3 * sizeof *position);
    }
}

static uint64_t salvage_primitive(tn_scene_builder *b, tenon_primitive *p, double limit)
{
    if (p->mode != TENON_TRIANGLES || !has_strays(p, limit)) return 0;
    uint32_t count = p->indices ? p->index_count : p->vertex_count;
    uint32_t *indices = p->indices;
    if (!indices) {
        indices = tn_scene_array(b, count, sizeof *indices);
        for (uint32_t i = 0; indices && i < count; i++) indices[i] = i;
    }
    uint64_t dropped = indices ? keep_triangles(p, indices, count, limit) : 0;
    hide_strays(p, limit);
    return dropped;
}

// -- Keys

static uint32_t width_of(const tenon_channel *c)
{
    return c->target == TENON_ROTATION ? 4 : 3;
}

// What no number of a key should exceed.
typedef struct key_limits {
    double place, time;
} key_limits;

static double limit_of_times(const tenon_scene *s)
{
    tn_magnitudes m = {0};
    for (uint32_t i = 0; i < s->animation_count; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++) {
            const tenon_channel *c = &s->animations[i].channels[k];
            for (uint32_t j = 0; j < c->key_count; j++) tn_add_magnitude(&m, &c->times[j], 1);
        }
    return fmin(tn_usual_limit(&m), LONGEST);
}

static bool key_is_meant(const tenon_channel *c, uint32_t key, key_limits limits)
{
    const float *value = c->values + (size_t)key * width_of(c);
    if (!tn_is_plausible(&c->times[key], 1, limits.time)) return false;
    return c->target == TENON_ROTATION ? tn_is_plausible_rotation(value)
                                       : tn_is_plausible(value, 3, limits.place);
}

// Into times of its own: channels may share theirs.
static void keep_meant(tn_scene_builder *b, tenon_channel *c, key_limits limits, uint32_t count)
{
    uint32_t kept = 0, width = width_of(c);
    float *times = tn_scene_floats(b, count, 1);
    if (!times) return;
    for (uint32_t i = 0; i < c->key_count; i++) {
        if (!key_is_meant(c, i, limits)) continue;
        times[kept] = c->times[i];
        memmove(c->values + (size_t)kept * width, c->values + (size_t)i * width,
                width * sizeof *c->values);
        kept++;
    }
    c->times = times;
    c->key_count = kept;
}

// Returns how many keys went.
static uint32_t salvage_channel(tn_scene_builder *b, tenon_channel *c, key_limits limits)
{
    uint32_t meant = 0, before = c->key_count;
    if (c->curve == TENON_CUBIC) return 0;
    for (uint32_t i = 0; i < before; i++) meant += key_is_meant(c, i, limits);
    // Of a channel without one good key nothing can be told.
    if (meant == 0 || meant == before) return 0;
    keep_meant(b, c, limits, meant);
    return before - c->key_count;
}

// A clip that lasts longer than any can ends with its last key. Returns whether it did.
static bool salvage_duration(tenon_animation *a, double limit)
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
static bool salvage_animation(tn_scene_builder *b, uint32_t index, key_limits limits,
                              tn_tally *keys)
{
    tenon_animation *a = &b->scene->animations[index];
    uint32_t had = a->channel_count, kept = 0;
    for (uint32_t i = 0; i < had; i++) {
        tenon_channel c = a->channels[i];
        bool is_kept = has_time(&c, limits.time);
        uint32_t lost = is_kept ? salvage_channel(b, &c, limits) : c.key_count;
        tn_tally_add(keys, lost, "animations", index, "channels", i);
        if (is_kept) a->channels[kept++] = c;
    }
    a->channel_count = kept;
    return kept || !had;
}

static void salvage_animations(tn_scene_builder *b, double place_limit)
{
    tenon_scene *s = b->scene;
    tn_tally keys = {0}, durations = {0}, clips = {0};
    const key_limits limits = {place_limit, limit_of_times(s)};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->animation_count; i++) {
        bool is_kept = salvage_animation(b, i, limits, &keys);
        bool is_shorter = is_kept && salvage_duration(&s->animations[i], limits.time);
        tn_tally_add(&durations, is_shorter, "animations", i, NULL, 0);
        tn_tally_add(&clips, !is_kept, "animations", i, NULL, 0);
        if (is_kept) s->animations[kept++] = s->animations[i];
    }
    s->animation_count = kept;
    tell_damage(b, &keys, "keys of animations", "no model moves or turns so, or so late");
    tell_damage(b, &durations, "durations", "no clip lasts so long: it ends with its last key");
    tell_damage(b, &clips, "animations", "none of their times can be meant");
}

// -- Skins

static bool is_finite(const float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!(values[i] - values[i] == 0)) return false;
    return true;
}

// A matrix that is no matrix would put its vertices into one point: better they stand still.
static void salvage_skins(tn_scene_builder *b)
{
    tenon_scene *s = b->scene;
    tn_tally lost = {0};
    bool *is_damaged = tn_scene_array(b, s->skin_count, sizeof *is_damaged);
    if (!is_damaged) return;
    for (uint32_t i = 0; i < s->skin_count; i++)
        is_damaged[i] =
            !is_finite(s->skins[i].inverse_binds, 16 * (uint64_t)s->skins[i].joint_count);
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t skin = s->nodes[i].skin;
        if (skin >= s->skin_count || !is_damaged[skin]) continue;
        s->nodes[i].skin = TENON_NONE;
        tn_tally_add(&lost, 1, "nodes", i, NULL, 0);
    }
    tn_tally_report(b, &lost, TENON_DROPPED, "skins of nodes",
                    "their matrices are damaged: the meshes stand as they are");
}

// -- Everything

void tn_scene_recover(tn_scene_builder *b)
{
    tenon_scene *s = b->scene;
    tn_tally triangles = {0};
    salvage_skins(b);
    double limit = limit_of_positions(s);
    for (uint32_t i = 0; i < s->mesh_count && !b->failed; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count && !b->failed; k++)
            tn_tally_add(&triangles, salvage_primitive(b, &s->meshes[i].primitives[k], limit),
                         "meshes", i, "primitives", k);
    tell_damage(b, &triangles, "triangles",
                "a corner is nowhere, or far away from all other vertices");
    salvage_animations(b, limit);
}
