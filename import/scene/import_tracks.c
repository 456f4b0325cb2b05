// import_tracks.c: keys of one property of one node, on their way from Assimp to a channel.
// SPDX-License-Identifier: MIT

#include "import_tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRAIGHT     1e-4  // How far from the straight way, as a share of what is there.
#define HALVINGS     6     // Of the time between two keys, at most.
#define SAME_SECONDS 1e-6

// -- Lists

static void add(track *t, double time, quat value)
{
    if (t->count == t->room) {
        size_t room = t->room ? 2 * t->room : 16;
        track_key *keys = import_alloc(room, sizeof *keys);
        if (t->count) memcpy(keys, t->keys, t->count * sizeof *keys);
        free(t->keys);
        t->keys = keys;
        t->room = room;
    }
    t->keys[t->count++] = (track_key){time, value};
}

void track_add_vec3(track *t, double time, vec3 value)
{
    add(t, time, (quat){value.x, value.y, value.z, 0});
}

void track_add_quat(track *t, double time, quat value)
{
    add(t, time, quat_normal(value));
}

void tracks_free(tracks *t)
{
    free(t->translation.keys);
    free(t->rotation.keys);
    free(t->scale.keys);
    *t = (tracks){0};
}

// -- Assimp's channels

// How far `at` is from `before` to `after`, 0 to 1.
static double share(double before, double after, double at)
{
    double span = after - before;
    return span > 0 ? fmin(1, fmax(0, (at - before) / span)) : 0;
}

// How many keys are not behind a time. Both kinds of keys, of `size` bytes, begin with theirs.
static unsigned keys_until(const void *keys, size_t size, unsigned count, double at)
{
    unsigned low = 0, high = count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        const double *time = (const void *)((const char *)keys + middle * size);
        if (*time <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static vec3 sample_vectors(const struct aiVectorKey *keys, unsigned count, double at, vec3 rest)
{
    if (count == 0) return rest;
    unsigned low = keys_until(keys, sizeof *keys, count, at);
    if (low == 0) return vec3_of(keys[0].mValue);
    if (low == count) return vec3_of(keys[count - 1].mValue);
    return vec3_lerp(vec3_of(keys[low - 1].mValue), vec3_of(keys[low].mValue),
                     share(keys[low - 1].mTime, keys[low].mTime, at));
}

static quat sample_rotations(const struct aiQuatKey *keys, unsigned count, double at)
{
    if (count == 0) return quat_identity;
    unsigned low = keys_until(keys, sizeof *keys, count, at);
    if (low == 0) return quat_of(keys[0].mValue);
    if (low == count) return quat_of(keys[count - 1].mValue);
    return quat_slerp(quat_of(keys[low - 1].mValue), quat_of(keys[low].mValue),
                      share(keys[low - 1].mTime, keys[low].mTime, at));
}

trs channel_sample(const struct aiNodeAnim *c, double ticks)
{
    return (trs){
        sample_vectors(c->mPositionKeys, c->mNumPositionKeys, ticks, (vec3){0, 0, 0}),
        sample_rotations(c->mRotationKeys, c->mNumRotationKeys, ticks),
        sample_vectors(c->mScalingKeys, c->mNumScalingKeys, ticks, (vec3){1, 1, 1}),
    };
}

// -- Sampling

typedef struct sampler {
    tracks *to;
    track_sample_fn *sample;
    const void *user;
} sampler;

static void add_all(tracks *to, double time, const trs *t)
{
    track_add_vec3(&to->translation, time, t->translation);
    track_add_quat(&to->rotation, time, t->rotation);
    track_add_vec3(&to->scale, time, t->scale);
}

static bool is_near(vec3 a, vec3 b, double size)
{
    return vec3_length(vec3_add(a, vec3_scale(b, -1))) <= STRAIGHT * size;
}

// Whether halfway is where a straight line between the ends would be.
static bool is_straight(const trs *a, const trs *middle, const trs *b)
{
    vec3 place = vec3_lerp(a->translation, b->translation, 0.5);
    vec3 scale = vec3_lerp(a->scale, b->scale, 0.5);
    quat turn = quat_slerp(a->rotation, b->rotation, 0.5);
    double size = fmax(vec3_length(a->translation), vec3_length(b->translation));
    return is_near(place, middle->translation, size) &&
           is_near(scale, middle->scale, vec3_length(scale)) &&
           fabs(quat_dot(turn, middle->rotation)) > 1 - 1e-9;
}

// Add what is needed between two times, and the second of them.
static void add_between(const sampler *s, double from, const trs *a, double to, const trs *b,
                        int halvings)
{
    double half = from + (to - from) / 2;
    trs middle = s->sample(s->user, half);
    if (halvings > 0 && to - from > SAME_SECONDS && !is_straight(a, &middle, b)) {
        add_between(s, from, a, half, &middle, halvings - 1);
        add_between(s, half, &middle, to, b, halvings - 1);
        return;
    }
    add_all(s->to, to, b);
}

void tracks_sample(tracks *to, const double *times, size_t count, track_sample_fn *sample,
                   const void *user)
{
    sampler s = {to, sample, user};
    trs before = {0};
    double last = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && times[i] - last < SAME_SECONDS) continue;
        trs now = sample(user, times[i]);
        if (i)
            add_between(&s, last, &before, times[i], &now, HALVINGS);
        else
            add_all(to, times[i], &now);
        before = now;
        last = times[i];
    }
}

// -- From a time to another

static quat value_at(const track *t, size_t after, double time, bool turns)
{
    const track_key *a = &t->keys[after - 1], *b = &t->keys[after];
    double at = share(a->time, b->time, time);
    if (turns) return quat_slerp(a->value, b->value, at);
    vec3 v = vec3_lerp((vec3){a->value.x, a->value.y, a->value.z},
                       (vec3){b->value.x, b->value.y, b->value.z}, at);
    return (quat){v.x, v.y, v.z, 0};
}

// Those before the first time that is kept become one key there.
static void trim_start(track *t, double start, bool turns)
{
    size_t first = 0;
    while (first < t->count && t->keys[first].time < start - SAME_SECONDS) first++;
    if (first == 0) return;
    track_key key = {start, t->keys[first - 1].value};
    bool is_between = first < t->count && t->keys[first].time > start + SAME_SECONDS;
    if (is_between) key.value = value_at(t, first, start, turns);
    bool is_needed = first == t->count || is_between;
    size_t gone = is_needed ? first - 1 : first;
    if (is_needed) t->keys[first - 1] = key;
    t->count -= gone;
    memmove(t->keys, t->keys + gone, t->count * sizeof *t->keys);
}

static void trim_end(track *t, double stop, bool turns)
{
    size_t count = t->count;
    while (count > 0 && t->keys[count - 1].time > stop + SAME_SECONDS) count--;
    if (count == t->count) return;
    if (count == 0) {
        t->keys[0].time = stop;
        t->count = 1;
        return;
    }
    if (t->keys[count - 1].time < stop - SAME_SECONDS) {
        t->keys[count].value = value_at(t, count, stop, turns);
        t->keys[count].time = stop;
        count++;
    }
    t->count = count;
}

void tracks_trim(tracks *t, double start, double stop)
{
    track *all[] = {&t->translation, &t->rotation, &t->scale};
    if (!(start < stop)) return;
    for (int i = 0; i < 3; i++) {
        trim_start(all[i], start, i == 1);
        trim_end(all[i], stop, i == 1);
    }
}

// -- Channels

static bool is_constant(const track *t)
{
    for (size_t i = 1; i < t->count; i++)
        if (memcmp(&t->keys[i].value, &t->keys[0].value, sizeof t->keys[0].value) != 0)
            return false;
    return true;
}

void track_finish(assimp_importer *importer, const track *t, tenon_target target, double shift,
                  tenon_channel *to)
{
    const size_t size = target == TENON_ROTATION ? 4 : 3;
    size_t step = t->count > 2 && is_constant(t) ? t->count - 1 : 1;
    if (t->count > UINT32_MAX / 4) return;
    to->times = import_scene_alloc(importer, t->count, sizeof *to->times);
    to->values = import_scene_alloc(importer, t->count, size * sizeof *to->values);
    for (size_t i = 0; i < t->count; i += step) {
        const track_key *key = &t->keys[i];
        float time = (float)fmax(0, key->time + shift);
        // Keys that are out of order, or too near to each other, are as good as one.
        if (!isfinite(time) || (to->key_count && !(time > to->times[to->key_count - 1]))) continue;
        const double values[4] = {key->value.x, key->value.y, key->value.z, key->value.w};
        to->times[to->key_count] = time;
        for (size_t k = 0; k < size; k++) to->values[to->key_count * size + k] = (float)values[k];
        to->key_count++;
    }
}
