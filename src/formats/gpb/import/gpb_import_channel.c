// gpb_import_channel.c: imports one property of a node from the channels that move it.
// SPDX-License-Identifier: MIT
//
// A scene supports lines, steps and polynomials. If components have different keys, the result has
// the keys of all. Other curves are replaced by many short lines.

#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"

#include <math.h>
#include <string.h>

#define GPB_SAMPLES 16  // Lines for each curve between two keys.

// Samples the tracks of one property in time order.
typedef struct gpb_channel_sampler {
    const gpb_property_tracks *property;
    uint32_t size;  // Numbers: 3, or 4 for a rotation.
    gpb_cursor cursors[3];
    double rest[3];  // Values of components that do not move.
} gpb_channel_sampler;

static gpb_channel_sampler gpb_channel_sampler_begin(const gpb_importer *importer,
                                                     const gpb_property_tracks *property)
{
    gpb_channel_sampler sampler = {.property = property,
                                   .size = property->target == TENON_ROTATION ? 4 : 3};
    const tenon_node *node =
        &importer->builder->scene->nodes[importer->scene_nodes[property->node_index].node];
    const double *rest = property->target == TENON_SCALE ? node->scale : node->translation;
    for (int i = 0; i < 3; i++) {
        sampler.rest[i] = rest[i];
        if (property->tracks[i]) sampler.cursors[i] = gpb_cursor_at(property->tracks[i]);
    }
    return sampler;
}

static void gpb_channel_seek(gpb_channel_sampler *sampler, double time)
{
    for (int i = 0; i < 3; i++)
        if (sampler->property->tracks[i]) gpb_cursor_seek(&sampler->cursors[i], time);
}

// The cursor of component `k`, and the index of the component in a key; NULL if it does not move.
static const gpb_cursor *gpb_channel_cursor(const gpb_channel_sampler *sampler, uint32_t k,
                                            uint32_t *offset)
{
    const gpb_property_tracks *property = sampler->property;
    bool is_rotation = property->target == TENON_ROTATION;
    const gpb_track *track = property->tracks[is_rotation ? 0 : k];
    if (!track) return NULL;
    uint32_t first = property->target == TENON_SCALE ? GPB_SCALE_X : GPB_TRANSLATION_X;
    *offset = is_rotation ? track->offsets[GPB_ROTATION] + k : track->offsets[first + k];
    return &sampler->cursors[is_rotation ? 0 : k];
}

// Component `k` as stored, and its speed.
static double gpb_channel_value(const gpb_channel_sampler *sampler, uint32_t k, bool is_before)
{
    uint32_t offset;
    const gpb_cursor *cursor = gpb_channel_cursor(sampler, k, &offset);
    return cursor ? gpb_cursor_value(cursor, offset, is_before) : sampler->rest[k];
}

static double gpb_channel_speed(const gpb_channel_sampler *sampler, uint32_t k, bool is_before)
{
    uint32_t offset;
    const gpb_cursor *cursor = gpb_channel_cursor(sampler, k, &offset);
    return cursor ? gpb_cursor_speed(cursor, offset, is_before) : 0;
}

// All components; rotations are normalized.
static void gpb_channel_values(const gpb_channel_sampler *sampler, bool is_before, double values[4])
{
    if (sampler->size == 4) {
        tn_quat q = gpb_cursor_rotation(&sampler->cursors[0], is_before);
        values[0] = q.x, values[1] = q.y, values[2] = q.z, values[3] = q.w;
        return;
    }
    for (uint32_t k = 0; k < 3; k++) values[k] = gpb_channel_value(sampler, k, is_before);
}

// -- Times

// The different tracks of a property.
static uint32_t gpb_list_different_tracks(const gpb_property_tracks *property,
                                          const gpb_track *tracks[3])
{
    uint32_t count = 0;
    for (int i = 0; i < 3; i++) {
        bool is_new = property->tracks[i] != NULL;
        for (uint32_t k = 0; k < count; k++) is_new = is_new && tracks[k] != property->tracks[i];
        if (is_new) tracks[count++] = property->tracks[i];
    }
    return count;
}

// The only track of a property, if it has all components; else NULL.
static const gpb_track *gpb_only_track(const gpb_property_tracks *property)
{
    const gpb_track *track = property->tracks[0];
    bool is_whole = property->target == TENON_ROTATION ||
                    (track == property->tracks[1] && track == property->tracks[2]);
    return is_whole ? track : NULL;
}

// All times of the keys of the tracks, each once. Returns how many. `times` has room for the keys
// of all tracks.
static uint32_t gpb_merge_times(const gpb_track *const *tracks, uint32_t count, float *times)
{
    uint32_t at[3] = {0}, made = 0;
    if (count == 1) {
        gpb_track_times(tracks[0], times);
        return tracks[0]->key_count;
    }
    for (;;) {
        float next = INFINITY;
        for (uint32_t i = 0; i < count; i++)
            if (at[i] < tracks[i]->key_count && gpb_track_time(tracks[i], at[i]) < next)
                next = gpb_track_time(tracks[i], at[i]);
        if (next == INFINITY) return made;
        for (uint32_t i = 0; i < count; i++)
            if (at[i] < tracks[i]->key_count && gpb_track_time(tracks[i], at[i]) == next) at[i]++;
        times[made++] = next;
    }
}

// The next smaller float of a positive one.
static float gpb_just_before(float time)
{
    uint32_t bits;
    memcpy(&bits, &time, sizeof bits);
    bits--;
    memcpy(&time, &bits, sizeof time);
    return time;
}

// -- Keys that a scene supports

static void gpb_fill_keys(gpb_channel_sampler *sampler, tenon_channel *channel)
{
    float *out = channel->values;
    for (uint32_t i = 0; i < channel->key_count; i++) {
        gpb_channel_seek(sampler, channel->times[i]);
        for (uint32_t k = 0; k < sampler->size; k++, out++) {
            if (channel->curve != TENON_CUBIC) {
                *out = (float)gpb_channel_value(sampler, k, false);
                continue;
            }
            out[0] = (float)gpb_channel_speed(sampler, k, true);
            out[sampler->size] = (float)gpb_channel_value(sampler, k, false);
            out[2 * (size_t)sampler->size] = (float)gpb_channel_speed(sampler, k, false);
        }
        if (channel->curve == TENON_CUBIC) out += 2 * (size_t)sampler->size;
    }
}

// The same for linear keys of one track. Adding 0 times the next key has the same effect on the
// sign of a zero as interpolation.
static void gpb_copy_keys(const gpb_track *track, tenon_channel *channel)
{
    static const uint32_t firsts[] = {[TENON_TRANSLATION] = GPB_TRANSLATION_X,
                                      [TENON_ROTATION] = GPB_ROTATION,
                                      [TENON_SCALE] = GPB_SCALE_X};
    uint32_t size = channel->target == TENON_ROTATION ? 4 : 3;
    uint64_t step = 4 * (uint64_t)track->size;
    const uint8_t *p = track->channel->values.data + 4 * track->offsets[firsts[channel->target]];
    float *out = channel->values;
    for (uint32_t i = 0; i + 1 < channel->key_count; i++, p += step, out += size)
        for (uint32_t k = 0; k < size; k++)
            out[k] = tn_load_f32(p + 4 * k, false) + 0 * tn_load_f32(p + step + 4 * k, false);
    for (uint32_t k = 0; k < size; k++) out[k] = tn_load_f32(p + 4 * k, false);
}

// -- Sampled keys

// A list of keys that is being filled.
typedef struct gpb_samples {
    tenon_channel *channel;
    uint32_t size, room;
    double error;
} gpb_samples;

static void gpb_add_sample(gpb_samples *to, float time, const double values[4])
{
    tenon_channel *channel = to->channel;
    uint32_t count = channel->key_count;
    bool is_later = count == 0 || time > channel->times[count - 1];
    if (!is_later || count == to->room) return;
    channel->times[count] = time;
    for (uint32_t k = 0; k < to->size; k++)
        channel->values[(size_t)count * to->size + k] = (float)values[k];
    channel->key_count++;
}

static tn_quat gpb_to_quat(const double v[4])
{
    return (tn_quat){v[0], v[1], v[2], v[3]};
}

// The distance of two values. A quaternion and its negative are equal.
static double gpb_value_distance(const double a[4], const double b[4], uint32_t size)
{
    double same = 0, opposite = 0;
    for (uint32_t k = 0; k < size; k++) {
        if (fabs(a[k] - b[k]) > same) same = fabs(a[k] - b[k]);
        if (fabs(a[k] + b[k]) > opposite) opposite = fabs(a[k] + b[k]);
    }
    return size == 4 && opposite < same ? opposite : same;
}

// The value of the scene in the middle between a and b.
static void gpb_midpoint(const double a[4], const double b[4], uint32_t size, double half[4])
{
    for (uint32_t k = 0; k < size; k++) half[k] = (a[k] + b[k]) / 2;
    if (size != 4) return;
    tn_quat q = tn_quat_slerp(gpb_to_quat(a), gpb_to_quat(b), 0.5);
    half[0] = q.x, half[1] = q.y, half[2] = q.z, half[3] = q.w;
}

static bool gpb_is_curved(const gpb_channel_sampler *sampler)
{
    uint32_t kinds = 0;
    for (int i = 0; i < 3; i++)
        if (sampler->property->tracks[i]) kinds |= gpb_cursor_kind(&sampler->cursors[i]);
    return (kinds & (GPB_CUBIC | GPB_FREE_HANDLES)) != 0;
}

// Sample between two keys. `last` is the value at the start.
static void gpb_sample_curve(gpb_samples *to, gpb_channel_sampler *sampler, float start, float end,
                             double last[4])
{
    double step = ((double)end - start) / GPB_SAMPLES;
    for (uint32_t i = 1; i <= GPB_SAMPLES; i++) {
        float time = i < GPB_SAMPLES ? (float)(start + step * i) : end;
        double next[4] = {0}, half[4] = {0}, there[4] = {0};
        gpb_channel_seek(sampler, start + step * (i - 0.5));
        gpb_channel_values(sampler, false, there);
        gpb_channel_seek(sampler, time);
        gpb_channel_values(sampler, i == GPB_SAMPLES, next);
        gpb_midpoint(last, next, to->size, half);
        double error = gpb_value_distance(half, there, to->size);
        if (error > to->error) to->error = error;
        if (time < end) gpb_add_sample(to, time, next);
        memcpy(last, next, sizeof next);
    }
}

// Sample from one key to the next, where the value may jump.
static void gpb_sample_segment(gpb_samples *to, gpb_channel_sampler *sampler, float start,
                               float end)
{
    double last[4] = {0}, before[4] = {0}, after[4] = {0};
    gpb_channel_seek(sampler, start);
    gpb_channel_values(sampler, false, last);
    gpb_add_sample(to, start, last);
    if (gpb_is_curved(sampler)) gpb_sample_curve(to, sampler, start, end, last);
    gpb_channel_seek(sampler, end);
    gpb_channel_values(sampler, true, before);
    gpb_channel_values(sampler, false, after);
    if (gpb_value_distance(before, after, to->size) > 0)
        gpb_add_sample(to, gpb_just_before(end), before);
}

// The largest number of keys that sampling can give.
static uint64_t gpb_count_samples(gpb_channel_sampler sampler, const float *times, uint32_t count)
{
    uint64_t room = count;
    for (uint32_t i = 0; i + 1 < count; i++) {
        gpb_channel_seek(&sampler, times[i]);
        room += gpb_is_curved(&sampler) ? GPB_SAMPLES : 1;
    }
    return room;
}

static void gpb_sample_channel(gpb_importer *importer, const gpb_property_tracks *property,
                               const float *times, uint32_t count, tenon_channel *channel)
{
    gpb_channel_sampler sampler = gpb_channel_sampler_begin(importer, property);
    uint64_t room = gpb_count_samples(sampler, times, count);
    double last[4] = {0};
    tn_channel_alloc(importer->builder, channel, room);
    if (importer->builder->failed) return;
    channel->key_count = 0;
    gpb_samples to = {.channel = channel, .size = sampler.size, .room = (uint32_t)room};
    for (uint32_t i = 0; i + 1 < count; i++)
        gpb_sample_segment(&to, &sampler, times[i], times[i + 1]);
    gpb_channel_seek(&sampler, times[count - 1]);
    gpb_channel_values(&sampler, false, last);
    gpb_add_sample(&to, times[count - 1], last);
    if (to.error > importer->curve_error) importer->curve_error = to.error;
}

// -- Channels

// Import a channel that one track defines. All channels of a track share their times.
static void gpb_copy_channel(gpb_importer *importer, const gpb_track *track, tenon_channel *channel)
{
    gpb_track *own = &importer->tracks[track - importer->tracks];
    if (!own->times) {
        own->times = tn_scene_floats(importer->builder, own->key_count, 1);
        if (own->times) gpb_track_times(own, own->times);
    }
    channel->times = own->times;
    channel->key_count = own->key_count;
    channel->values = tn_scene_floats(importer->builder, own->key_count,
                                      channel->target == TENON_ROTATION ? 4 : 3);
    if (!importer->builder->failed) gpb_copy_keys(own, channel);
}

static uint32_t gpb_curve_of(const gpb_property_tracks *property)
{
    uint32_t kinds = 0;
    for (int i = 0; i < 3; i++)
        if (property->tracks[i]) kinds |= property->tracks[i]->kinds;
    if ((kinds & ~(uint32_t)GPB_LINEAR) == 0) return TENON_LINEAR;
    if (kinds == GPB_STEP) return TENON_STEP;
    // A line is also a polynomial, but a rotation at constant speed is not.
    uint32_t polynomials = property->target == TENON_ROTATION ? GPB_CUBIC : GPB_CUBIC | GPB_LINEAR;
    return kinds & ~polynomials ? TENON_NONE : TENON_CUBIC;
}

void gpb_fill_channel(gpb_importer *importer, const gpb_property_tracks *property,
                      tenon_channel *channel)
{
    const gpb_track *tracks[3];
    uint32_t count = gpb_list_different_tracks(property, tracks), curve = gpb_curve_of(property);
    uint64_t room = 0;
    for (uint32_t i = 0; i < count; i++) room += tracks[i]->key_count;
    if (curve == TENON_NONE) {
        float *times = tn_scene_floats(importer->builder, room, 1);
        if (!times) return;
        tn_tally_path(&importer->losses.curves, 1, "%s", gpb_track_path(importer, tracks[0]).text);
        gpb_sample_channel(importer, property, times, gpb_merge_times(tracks, count, times),
                           channel);
        return;
    }
    channel->curve = (tenon_curve)curve;
    const gpb_track *only = gpb_only_track(property);
    if (curve == TENON_LINEAR && only && !only->keys) {
        gpb_copy_channel(importer, only, channel);
        return;
    }
    tn_channel_alloc(importer->builder, channel, room);
    if (importer->builder->failed) return;
    channel->key_count = gpb_merge_times(tracks, count, channel->times);
    gpb_channel_sampler sampler = gpb_channel_sampler_begin(importer, property);
    gpb_fill_keys(&sampler, channel);
}
