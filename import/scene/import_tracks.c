// import_tracks.c: keys of a node while they are converted to channels.
// SPDX-License-Identifier: MIT

#include "import_tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRAIGHT     1e-4  // Tolerance, as a share of the length.
#define HALVINGS     6     // Of the time between two keys, at most.
#define SAME_SECONDS 1e-6

// -- Lists

static void import_tracks_add_key(key_track *track, double time, quat value)
{
    track->keys = import_grow(track->keys, track->count, &track->room, sizeof *track->keys);
    track->keys[track->count++] = (track_key){time, value};
}

void track_add_vec3(key_track *track, double time, vec3 value)
{
    import_tracks_add_key(track, time, (quat){value.x, value.y, value.z, 0});
}

void track_add_quat(key_track *track, double time, quat value)
{
    import_tracks_add_key(track, time, quat_normal(value));
}

void tracks_free(node_tracks *tracks)
{
    free(tracks->translation.keys);
    free(tracks->rotation.keys);
    free(tracks->scale.keys);
}

// -- Assimp's channels

// Where `at` is between `before` and `after`, from 0 to 1.
static double import_tracks_share(double before, double after, double at)
{
    double span = after - before;
    return span > 0 ? fmin(1, fmax(0, (at - before) / span)) : 0;
}

// How many keys are not after a time. Both kinds of keys, of `size` bytes, begin with their time.
static unsigned import_tracks_keys_until(const void *keys, size_t size, unsigned count, double at)
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

static vec3 import_tracks_sample_vectors(const struct aiVectorKey *keys, unsigned count, double at,
                                         vec3 rest)
{
    if (count == 0) return rest;
    unsigned low = import_tracks_keys_until(keys, sizeof *keys, count, at);
    if (low == 0) return vec3_of(keys[0].mValue);
    if (low == count) return vec3_of(keys[count - 1].mValue);
    return vec3_lerp(vec3_of(keys[low - 1].mValue), vec3_of(keys[low].mValue),
                     import_tracks_share(keys[low - 1].mTime, keys[low].mTime, at));
}

static quat import_tracks_sample_rotations(const struct aiQuatKey *keys, unsigned count, double at)
{
    if (count == 0) return quat_identity;
    unsigned low = import_tracks_keys_until(keys, sizeof *keys, count, at);
    if (low == 0) return quat_of(keys[0].mValue);
    if (low == count) return quat_of(keys[count - 1].mValue);
    return quat_slerp(quat_of(keys[low - 1].mValue), quat_of(keys[low].mValue),
                      import_tracks_share(keys[low - 1].mTime, keys[low].mTime, at));
}

trs channel_sample(const struct aiNodeAnim *channel, double ticks)
{
    return (trs){
        import_tracks_sample_vectors(channel->mPositionKeys, channel->mNumPositionKeys, ticks,
                                     (vec3){0, 0, 0}),
        import_tracks_sample_rotations(channel->mRotationKeys, channel->mNumRotationKeys, ticks),
        import_tracks_sample_vectors(channel->mScalingKeys, channel->mNumScalingKeys, ticks,
                                     (vec3){1, 1, 1}),
    };
}

// -- Sampling

typedef struct track_sampler {
    node_tracks *to;
    track_sample_fn *sample;
    const void *user;
} track_sampler;

static void import_tracks_add_keys(node_tracks *to, double time, const trs *parts)
{
    track_add_vec3(&to->translation, time, parts->translation);
    track_add_quat(&to->rotation, time, parts->rotation);
    track_add_vec3(&to->scale, time, parts->scale);
}

static bool import_tracks_is_near(vec3 a, vec3 b, double size)
{
    return vec3_length(vec3_add(a, vec3_scale(b, -1))) <= STRAIGHT * size;
}

// Add the keys that are needed between two times, and one at the second time.
static void import_tracks_add_between(const track_sampler *sampler, double from, const trs *a,
                                      double to, const trs *b, int halvings)
{
    double half = from + (to - from) / 2;
    trs middle = sampler->sample(sampler->user, half);
    // A straight line from `a` to `b` would be here.
    vec3 place = vec3_lerp(a->translation, b->translation, 0.5);
    vec3 scale = vec3_lerp(a->scale, b->scale, 0.5);
    quat turn = quat_slerp(a->rotation, b->rotation, 0.5);
    double size = fmax(vec3_length(a->translation), vec3_length(b->translation));
    bool is_straight = import_tracks_is_near(place, middle.translation, size) &&
                       import_tracks_is_near(scale, middle.scale, vec3_length(scale)) &&
                       fabs(quat_dot(turn, middle.rotation)) > 1 - 1e-9;
    if (is_straight || halvings == 0 || !(to - from > SAME_SECONDS)) {
        import_tracks_add_keys(sampler->to, to, b);
        return;
    }
    import_tracks_add_between(sampler, from, a, half, &middle, halvings - 1);
    import_tracks_add_between(sampler, half, &middle, to, b, halvings - 1);
}

void tracks_sample(node_tracks *to, const double *times, size_t count, track_sample_fn *sample,
                   const void *user)
{
    track_sampler sampler = {to, sample, user};
    trs before = {0};
    double last = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && times[i] - last < SAME_SECONDS) continue;
        trs now = sample(user, times[i]);
        if (i)
            import_tracks_add_between(&sampler, last, &before, times[i], &now, HALVINGS);
        else
            import_tracks_add_keys(to, times[i], &now);
        before = now;
        last = times[i];
    }
}

// -- Trimming

static quat import_tracks_value_at(const key_track *track, size_t after, double time, bool turns)
{
    const track_key *a = &track->keys[after - 1], *b = &track->keys[after];
    double at = import_tracks_share(a->time, b->time, time);
    if (turns) return quat_slerp(a->value, b->value, at);
    vec3 value = vec3_lerp((vec3){a->value.x, a->value.y, a->value.z},
                           (vec3){b->value.x, b->value.y, b->value.z}, at);
    return (quat){value.x, value.y, value.z, 0};
}

// Replace the keys before `start` by one key there.
static void import_tracks_trim_start(key_track *track, double start, bool turns)
{
    size_t first = 0;
    while (first < track->count && track->keys[first].time < start - SAME_SECONDS) first++;
    if (first == 0) return;
    track_key key = {start, track->keys[first - 1].value};
    bool is_between = first < track->count && track->keys[first].time > start + SAME_SECONDS;
    if (is_between) key.value = import_tracks_value_at(track, first, start, turns);
    bool is_needed = first == track->count || is_between;
    size_t removed = is_needed ? first - 1 : first;
    if (is_needed) track->keys[first - 1] = key;
    track->count -= removed;
    memmove(track->keys, track->keys + removed, track->count * sizeof *track->keys);
}

// Replace the keys after `stop` by one key there.
static void import_tracks_trim_end(key_track *track, double stop, bool turns)
{
    size_t count = track->count;
    while (count > 0 && track->keys[count - 1].time > stop + SAME_SECONDS) count--;
    if (count == track->count) return;
    if (count == 0) {
        track->keys[0].time = stop;
        track->count = 1;
        return;
    }
    if (track->keys[count - 1].time < stop - SAME_SECONDS) {
        track->keys[count].value = import_tracks_value_at(track, count, stop, turns);
        track->keys[count].time = stop;
        count++;
    }
    track->count = count;
}

void tracks_trim(node_tracks *tracks, double start, double stop)
{
    key_track *all[] = {&tracks->translation, &tracks->rotation, &tracks->scale};
    if (!(start < stop)) return;
    for (int i = 0; i < 3; i++) {
        import_tracks_trim_start(all[i], start, i == 1);
        import_tracks_trim_end(all[i], stop, i == 1);
    }
}

// -- Channels

void track_finish(assimp_importer *importer, const key_track *track, tenon_target target,
                  double shift, tenon_channel *to)
{
    const size_t size = target == TENON_ROTATION ? 4 : 3;
    if (track->count > UINT32_MAX / 4) return;
    bool is_constant = true;
    for (size_t i = 1; is_constant && i < track->count; i++)
        is_constant = memcmp(&track->keys[i].value, &track->keys[0].value, sizeof(quat)) == 0;
    size_t step = track->count > 2 && is_constant ? track->count - 1 : 1;
    to->times = import_scene_alloc(importer, track->count, sizeof *to->times);
    to->values = import_scene_alloc(importer, track->count, size * sizeof *to->values);
    for (size_t i = 0; i < track->count; i += step) {
        const track_key *key = &track->keys[i];
        float time = (float)fmax(0, key->time + shift);
        // Skip keys that are out of order or too close to each other.
        if (!isfinite(time) || (to->key_count && !(time > to->times[to->key_count - 1]))) continue;
        const double values[4] = {key->value.x, key->value.y, key->value.z, key->value.w};
        to->times[to->key_count] = time;
        for (size_t k = 0; k < size; k++) to->values[to->key_count * size + k] = (float)values[k];
        to->key_count++;
    }
}
