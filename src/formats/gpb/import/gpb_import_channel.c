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

static gpb_channel_sampler gpb_import_channel_sampler_begin(const gpb_importer *importer,
                                                            const gpb_property_tracks *property)
{
    gpb_channel_sampler sampler = {.property = property,
                                   .size = property->target == TENON_ROTATION ? 4 : 3};
    const tenon_node *node =
        &importer->builder->scene->nodes[importer->scene_nodes[property->node_index].node];
    const double *rest = property->target == TENON_SCALE ? node->scale : node->translation;
    for (int i = 0; i < 3; i++) {
        sampler.rest[i] = rest[i];
        if (property->tracks[i]) sampler.cursors[i] = (gpb_cursor){.track = property->tracks[i]};
    }
    return sampler;
}

static void gpb_import_channel_seek(gpb_channel_sampler *sampler, double time)
{
    for (int i = 0; i < 3; i++)
        if (sampler->property->tracks[i]) gpb_import_cursor_seek(&sampler->cursors[i], time);
}

// The cursor of component `k`, and the index of the component in a key; NULL if it does not move.
static const gpb_cursor *gpb_import_channel_cursor(const gpb_channel_sampler *sampler, uint32_t k,
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
static double gpb_import_channel_value(const gpb_channel_sampler *sampler, uint32_t k,
                                       bool is_before)
{
    uint32_t offset;
    const gpb_cursor *cursor = gpb_import_channel_cursor(sampler, k, &offset);
    return cursor ? gpb_import_cursor_value(cursor, offset, is_before) : sampler->rest[k];
}

static double gpb_import_channel_speed(const gpb_channel_sampler *sampler, uint32_t k,
                                       bool is_before)
{
    uint32_t offset;
    const gpb_cursor *cursor = gpb_import_channel_cursor(sampler, k, &offset);
    return cursor ? gpb_import_cursor_speed(cursor, offset, is_before) : 0;
}

// All components; rotations are normalized.
static void gpb_import_channel_values(const gpb_channel_sampler *sampler, bool is_before,
                                      double values[4])
{
    if (sampler->size == 4) {
        tn_quat q = gpb_import_cursor_rotation(&sampler->cursors[0], is_before);
        values[0] = q.x, values[1] = q.y, values[2] = q.z, values[3] = q.w;
        return;
    }
    for (uint32_t k = 0; k < 3; k++) values[k] = gpb_import_channel_value(sampler, k, is_before);
}

// -- Times

// All times of the keys of the tracks, each once. Returns how many. `times` has room for the keys
// of all tracks.
static uint32_t gpb_import_channel_merge_times(const gpb_track *const *tracks, uint32_t count,
                                               float *times)
{
    uint32_t at[3] = {0}, merged = 0;
    if (count == 1) {
        gpb_import_track_times(tracks[0], times);
        return tracks[0]->key_count;
    }
    for (;;) {
        float next = INFINITY;
        for (uint32_t i = 0; i < count; i++)
            if (at[i] < tracks[i]->key_count && gpb_import_track_time(tracks[i], at[i]) < next)
                next = gpb_import_track_time(tracks[i], at[i]);
        if (next == INFINITY) return merged;
        for (uint32_t i = 0; i < count; i++)
            if (at[i] < tracks[i]->key_count && gpb_import_track_time(tracks[i], at[i]) == next)
                at[i]++;
        times[merged++] = next;
    }
}

// -- Keys that a scene supports

static void gpb_import_channel_fill_keys(gpb_channel_sampler *sampler, tenon_channel *channel)
{
    float *out = channel->values;
    for (uint32_t i = 0; i < channel->key_count; i++) {
        gpb_import_channel_seek(sampler, channel->times[i]);
        for (uint32_t k = 0; k < sampler->size; k++, out++) {
            if (channel->curve != TENON_CUBIC) {
                *out = (float)gpb_import_channel_value(sampler, k, false);
                continue;
            }
            out[0] = (float)gpb_import_channel_speed(sampler, k, true);
            out[sampler->size] = (float)gpb_import_channel_value(sampler, k, false);
            out[2 * (size_t)sampler->size] = (float)gpb_import_channel_speed(sampler, k, false);
        }
        if (channel->curve == TENON_CUBIC) out += 2 * (size_t)sampler->size;
    }
}

// -- Sampled keys

// A list of keys that is being filled.
typedef struct gpb_samples {
    tenon_channel *channel;
    uint32_t size, room;
    double error;
} gpb_samples;

static void gpb_import_channel_sample(gpb_samples *to, float time, const double values[4])
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

// The distance between two values. A quaternion and its negative are equal.
static double gpb_import_channel_value_distance(const double a[4], const double b[4], uint32_t size)
{
    double same = 0, opposite = 0;
    for (uint32_t k = 0; k < size; k++) {
        if (fabs(a[k] - b[k]) > same) same = fabs(a[k] - b[k]);
        if (fabs(a[k] + b[k]) > opposite) opposite = fabs(a[k] + b[k]);
    }
    return size == 4 && opposite < same ? opposite : same;
}

// The value of the scene in the middle between a and b.
static void gpb_import_channel_midpoint(const double a[4], const double b[4], uint32_t size,
                                        double half[4])
{
    for (uint32_t k = 0; k < size; k++) half[k] = (a[k] + b[k]) / 2;
    if (size != 4) return;
    tn_quat q =
        tn_quat_slerp((tn_quat){a[0], a[1], a[2], a[3]}, (tn_quat){b[0], b[1], b[2], b[3]}, 0.5);
    half[0] = q.x, half[1] = q.y, half[2] = q.z, half[3] = q.w;
}

static bool gpb_import_channel_is_curved(const gpb_channel_sampler *sampler)
{
    uint32_t kinds = 0;
    for (int i = 0; i < 3; i++)
        if (sampler->property->tracks[i]) kinds |= gpb_import_cursor_kind(&sampler->cursors[i]);
    return (kinds & (GPB_CUBIC | GPB_FREE_HANDLES)) != 0;
}

// Sample between two keys. `last` is the value at the start.
static void gpb_import_channel_sample_curve(gpb_samples *to, gpb_channel_sampler *sampler,
                                            float start, float end, double last[4])
{
    double step = ((double)end - start) / GPB_SAMPLES;
    for (uint32_t i = 1; i <= GPB_SAMPLES; i++) {
        float time = i < GPB_SAMPLES ? (float)(start + step * i) : end;
        double next[4] = {0}, half[4] = {0}, there[4] = {0};
        gpb_import_channel_seek(sampler, start + step * (i - 0.5));
        gpb_import_channel_values(sampler, false, there);
        gpb_import_channel_seek(sampler, time);
        gpb_import_channel_values(sampler, i == GPB_SAMPLES, next);
        gpb_import_channel_midpoint(last, next, to->size, half);
        double error = gpb_import_channel_value_distance(half, there, to->size);
        if (error > to->error) to->error = error;
        if (time < end) gpb_import_channel_sample(to, time, next);
        memcpy(last, next, sizeof next);
    }
}

// Sample from one key to the next, where the value may jump.
static void gpb_import_channel_sample_segment(gpb_samples *to, gpb_channel_sampler *sampler,
                                              float start, float end)
{
    double last[4] = {0}, before[4] = {0}, after[4] = {0};
    gpb_import_channel_seek(sampler, start);
    gpb_import_channel_values(sampler, false, last);
    gpb_import_channel_sample(to, start, last);
    if (gpb_import_channel_is_curved(sampler))
        gpb_import_channel_sample_curve(to, sampler, start, end, last);
    gpb_import_channel_seek(sampler, end);
    gpb_import_channel_values(sampler, true, before);
    gpb_import_channel_values(sampler, false, after);
    if (gpb_import_channel_value_distance(before, after, to->size) > 0) {
        uint32_t bits;  // The next smaller float, since the time is positive.
        memcpy(&bits, &end, sizeof bits);
        bits--;
        memcpy(&end, &bits, sizeof end);
        gpb_import_channel_sample(to, end, before);
    }
}

static void gpb_import_sample_channel(gpb_importer *importer, const gpb_property_tracks *property,
                                      const float *times, uint32_t count, tenon_channel *channel)
{
    gpb_channel_sampler sampler = gpb_import_channel_sampler_begin(importer, property),
                        ahead = sampler;
    uint64_t room = count;
    for (uint32_t i = 0; i + 1 < count; i++) {
        gpb_import_channel_seek(&ahead, times[i]);
        room += gpb_import_channel_is_curved(&ahead) ? GPB_SAMPLES : 1;
    }
    tn_channel_alloc(importer->builder, channel, room);
    if (importer->builder->failed) return;
    channel->key_count = 0;
    gpb_samples to = {.channel = channel, .size = sampler.size, .room = (uint32_t)room};
    for (uint32_t i = 0; i + 1 < count; i++)
        gpb_import_channel_sample_segment(&to, &sampler, times[i], times[i + 1]);
    double last[4] = {0};
    gpb_import_channel_seek(&sampler, times[count - 1]);
    gpb_import_channel_values(&sampler, false, last);
    gpb_import_channel_sample(&to, times[count - 1], last);
    if (to.error > importer->curve_error) importer->curve_error = to.error;
}

// -- Channels

// Import a channel that one track with linear keys defines. All channels of a track share their
// times. Adding 0 times the next key has the same effect on the sign of a zero as interpolation.
static void gpb_import_copy_channel(gpb_importer *importer, const gpb_track *from,
                                    tenon_channel *channel)
{
    static const uint32_t firsts[] = {[TENON_TRANSLATION] = GPB_TRANSLATION_X,
                                      [TENON_ROTATION] = GPB_ROTATION,
                                      [TENON_SCALE] = GPB_SCALE_X};
    gpb_track *track = &importer->tracks[from - importer->tracks];
    if (!track->times) {
        track->times = tn_scene_floats(importer->builder, track->key_count, 1);
        if (track->times) gpb_import_track_times(track, track->times);
    }
    uint32_t size = channel->target == TENON_ROTATION ? 4 : 3;
    channel->times = track->times;
    channel->key_count = track->key_count;
    channel->values = tn_scene_floats(importer->builder, track->key_count, size);
    if (importer->builder->failed) return;
    uint64_t step = 4 * (uint64_t)track->size;
    const uint8_t *p = track->channel->values.data + 4 * track->offsets[firsts[channel->target]];
    float *out = channel->values;
    for (uint32_t i = 0; i + 1 < channel->key_count; i++, p += step, out += size)
        for (uint32_t k = 0; k < size; k++)
            out[k] = tn_load_f32(p + 4 * k, false) + 0 * tn_load_f32(p + step + 4 * k, false);
    for (uint32_t k = 0; k < size; k++) out[k] = tn_load_f32(p + 4 * k, false);
}

void gpb_import_fill_channel(gpb_importer *importer, const gpb_property_tracks *property,
                             tenon_channel *channel)
{
    const gpb_track *const *given = property->tracks, *tracks[3];  // `tracks`: each once.
    bool is_rotation = property->target == TENON_ROTATION;
    uint32_t count = 0, kinds = 0;
    uint64_t room = 0;
    for (int i = 0; i < 3; i++) {
        bool is_new = given[i] != NULL;
        for (uint32_t k = 0; k < count; k++) is_new = is_new && tracks[k] != given[i];
        if (!is_new) continue;
        tracks[count++] = given[i];
        kinds |= given[i]->kinds;
        room += given[i]->key_count;
    }
    // A line is also a polynomial, but a rotation at constant speed is not.
    uint32_t polynomials = is_rotation ? GPB_CUBIC : GPB_CUBIC | GPB_LINEAR;
    bool is_linear = (kinds & ~(uint32_t)GPB_LINEAR) == 0, is_stepped = kinds == GPB_STEP;
    if (!is_linear && !is_stepped && kinds & ~polynomials) {
        float *times = tn_scene_floats(importer->builder, room, 1);
        if (!times) return;
        tn_tally_path(&importer->losses.curves, 1, "%s",
                      gpb_import_track_path(importer, tracks[0]).text);
        gpb_import_sample_channel(importer, property, times,
                                  gpb_import_channel_merge_times(tracks, count, times), channel);
        return;
    }
    channel->curve = is_linear ? TENON_LINEAR : is_stepped ? TENON_STEP : TENON_CUBIC;
    bool is_whole = given[0] && (is_rotation || (given[0] == given[1] && given[0] == given[2]));
    if (is_linear && is_whole && !given[0]->keys) {
        gpb_import_copy_channel(importer, given[0], channel);
        return;
    }
    tn_channel_alloc(importer->builder, channel, room);
    if (importer->builder->failed) return;
    channel->key_count = gpb_import_channel_merge_times(tracks, count, channel->times);
    gpb_channel_sampler sampler = gpb_import_channel_sampler_begin(importer, property);
    gpb_import_channel_fill_keys(&sampler, channel);
}
