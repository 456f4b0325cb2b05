// gpb_import_channel.c: lists the channels of a bundle that have a target, and imports one property
// of a node from them.
// SPDX-License-Identifier: MIT
//
// The engine interpolates all keys linearly. If the file has all data of a curve, as COLLADA
// defines it, the curve is imported, because that is what its author saw. A scene supports lines,
// steps and polynomials; other curves are replaced by many short lines.

#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"
#include "exchange/rig.h"

#include <math.h>
#include <string.h>

#define GPB_SAMPLES     16    // Lines for each curve between two keys.
#define GPB_SOLVE_STEPS 60    // Bisections: the precision of a double.
#define GPB_THIRD_SLACK 1e-5  // Tolerance for handles at a third and two thirds of a segment.

// Kinds of interpolation, as numbers in the file.
enum {
    GPB_LINEAR_KEYS = 1,
    GPB_BEZIER_KEYS = 2,
    GPB_CARDINAL_KEYS = 3,
    GPB_HERMITE_KEYS = 4,
    GPB_BSPLINE_KEYS = 5,
    GPB_STEP_KEYS = 6,
};

// The same in a scene, as bits.
enum {
    GPB_LINEAR = 1 << 0,
    GPB_STEP = 1 << 1,
    GPB_CUBIC = 1 << 2,  // A polynomial of time.
    GPB_OTHER = 1 << 3,  // A curve with handles at any time, or segments that do not meet.
};

// -- Tracks

tn_path_text gpb_source_path(const gpb_importer *importer, const gpb_source *source)
{
    if (importer->doc->blocks[source->block].kind == TENON_GPB_ANIMATION)
        return tn_path("blocks[%u].animation", source->block);
    return tn_path("blocks[%u].animations.animations[%u]", source->block, source->index);
}

static tn_path_text gpb_track_path(const gpb_importer *importer, const gpb_track *track)
{
    return tn_path("%s.channels[%u]",
                   gpb_source_path(importer, &importer->sources[track->animation]).text,
                   track->index);
}

float gpb_track_time(const gpb_track *track, uint32_t key)
{
    uint64_t number = track->keys ? track->keys[key] : key;
    return (float)(gpb_key_time(track->channel, number) / 1000);
}

static void gpb_tally_track(gpb_importer *importer, tn_tally *loss, const gpb_track *track,
                            uint64_t count)
{
    if (count) tn_tally_path(loss, count, "%s", gpb_track_path(importer, track).text);
}

// Returns whether the channel moves something. Keys are valid if their times are not negative and
// increase.
static bool gpb_read_track(gpb_importer *importer, gpb_track *track)
{
    const tenon_gpb_channel *c = track->channel;
    gpb_import_losses *lost = &importer->lost;
    // The components of a key: scale, rotation, translation, or one number.
    uint32_t attribute = c->target_attribute;
    gpb_attribute known = gpb_attribute_of(attribute);
    bool has_scale = attribute == 1 || (attribute >= 17 && attribute <= 19);
    bool has_translation = attribute == 9 || (attribute >= 16 && attribute <= 18);
    for (uint32_t k = 0; k < 3; k++) {
        track->offsets[GPB_SCALE_X + k] = has_scale ? k : attribute == 2 + k ? 0 : TENON_NONE;
        track->offsets[GPB_TRANSLATION_X + k] = has_translation       ? known.size - 3 + k
                                                : attribute == 10 + k ? 0
                                                                      : TENON_NONE;
    }
    track->offsets[GPB_ROTATION] = known.rotation;
    track->size = known.size;
    if (attribute == 0 || track->size == 0) {
        bool is_known = attribute == 0;
        gpb_tally_track(importer, is_known ? &lost->unplayed : &lost->attributes, track, 1);
        return false;
    }
    track->node_index = gpb_find_node(&importer->index, c->target_id);
    if (track->node_index == TENON_NONE) {
        gpb_tally_track(importer, &lost->targets, track, 1);
        return false;
    }
    uint64_t whole = c->values.count / track->size;
    uint64_t usable = whole < c->key_times.count ? whole : c->key_times.count;
    uint32_t count = usable < TENON_NONE ? (uint32_t)usable : TENON_NONE - 1;
    uint32_t *keys = NULL;  // Needed from the first key on that is not valid.
    float last = -1;
    for (uint32_t i = 0; i < count; i++) {
        float time = gpb_track_time(track, i);
        if (time >= 0 && time > last && time <= 1e30f) {
            last = time;
            if (keys) keys[track->key_count] = i;
            track->key_count++;
        } else if (!keys) {
            keys = tn_scene_array(importer->builder, count, sizeof *keys);
            if (!keys) return false;
            for (uint32_t k = 0; k < i; k++) keys[k] = k;
        }
    }
    track->keys = keys;
    gpb_tally_track(importer, &lost->values, track,
                    c->key_times.count != whole || c->values.count % track->size);
    gpb_tally_track(importer, &lost->keys, track, usable - track->key_count);
    return track->key_count > 0;
}

void gpb_list_tracks(gpb_importer *importer)
{
    uint64_t sources = 0, tracks = 0;
    for (uint32_t i = 0; i < importer->doc->block_count; i++) {
        tenon_gpb_animations all = gpb_animations_of(&importer->doc->blocks[i]);
        sources += all.animation_count;
        for (uint32_t k = 0; k < all.animation_count; k++)
            tracks += all.animations[k].channel_count;
    }
    importer->is_animated = tn_scene_array(importer->builder, importer->index.tree.count,
                                           sizeof *importer->is_animated);
    importer->sources = tn_scene_array(importer->builder, sources, sizeof *importer->sources);
    importer->tracks = tn_scene_array(importer->builder, tracks + 1, sizeof *importer->tracks);
    for (uint32_t i = 0; i < importer->doc->block_count && !importer->builder->failed; i++) {
        tenon_gpb_animations all = gpb_animations_of(&importer->doc->blocks[i]);
        for (uint32_t k = 0; k < all.animation_count && !importer->builder->failed; k++) {
            const tenon_gpb_animation *animation = &all.animations[k];
            uint32_t number = importer->source_count++;
            gpb_source *source = &importer->sources[number];
            *source = (gpb_source){.animation = animation,
                                   .block = i,
                                   .index = k,
                                   .first = importer->track_count,
                                   .clip = TENON_NONE};
            for (uint32_t c = 0; c < animation->channel_count && !importer->builder->failed; c++) {
                gpb_track *track = &importer->tracks[importer->track_count];
                *track = (gpb_track){
                    .channel = &animation->channels[c], .animation = number, .index = c};
                if (!gpb_read_track(importer, track)) continue;
                importer->is_animated[track->node_index] = true;
                importer->track_count++;
                source->count++;
            }
        }
    }
}

// -- Segments between keys

static double gpb_number_at(const tenon_span *span, uint64_t index)
{
    return tn_load_f32(span->data + 4 * index, false);
}

// Where a component of a key is among the values.
static uint64_t gpb_value_index(const gpb_track *track, uint32_t key, uint32_t offset)
{
    return (track->keys ? track->keys[key] : (uint64_t)key) * track->size + offset;
}

static double gpb_key_value(const gpb_track *track, uint32_t key, uint32_t offset)
{
    return gpb_number_at(&track->channel->values, gpb_value_index(track, key, offset));
}

// Numbers in the tangents for each number of a key: 2 for a time and a value.
static uint32_t gpb_tangent_width(const gpb_track *track)
{
    const tenon_gpb_channel *c = track->channel;
    uint64_t single = c->key_times.count * track->size;
    if (c->tangents_in.count != c->tangents_out.count) return 0;
    return c->tangents_in.count == single ? 1 : c->tangents_in.count == 2 * single ? 2 : 0;
}

static uint32_t gpb_interpolation_of(const gpb_track *track, uint32_t key)
{
    const tenon_span *all = &track->channel->interpolations;
    uint64_t number = all->count == 1 ? 0 : track->keys ? track->keys[key] : key;
    uint32_t how = number < all->count ? tn_span_u32(all, number) : GPB_LINEAR_KEYS;
    bool has_handles = how == GPB_BEZIER_KEYS || how == GPB_HERMITE_KEYS;
    if (has_handles && gpb_tangent_width(track) == 0) return GPB_LINEAR_KEYS;
    return how >= GPB_BEZIER_KEYS && how <= GPB_STEP_KEYS ? how : GPB_LINEAR_KEYS;
}

// One component between two keys as a cubic Bézier curve: its ends, its slopes there, and the times
// of the handles, from 0 to 1.
typedef struct gpb_segment {
    double from, to, leave, arrive;
    double handles[2];
    bool has_free_handles;  // The curve is not a polynomial of time.
} gpb_segment;

static gpb_segment gpb_segment_of(const gpb_track *track, uint32_t key, uint32_t offset)
{
    const tenon_gpb_channel *c = track->channel;
    double from = gpb_key_value(track, key, offset), to = gpb_key_value(track, key + 1, offset);
    gpb_segment segment = {from, to, to - from, to - from, {1.0 / 3, 2.0 / 3}, false};
    uint32_t how = gpb_interpolation_of(track, key);
    if (how == GPB_CARDINAL_KEYS || how == GPB_BSPLINE_KEYS) {
        // The neighbors determine the slopes. A key before the first or after the last is
        // extrapolated linearly.
        double p[4];
        for (int i = 0; i < 4; i++) {
            int64_t last = (int64_t)track->key_count - 1, at = (int64_t)key + i - 1;
            int64_t inner = at < 0 ? 0 : at > last ? last : at, next = at < 0 ? 1 : last - 1;
            p[i] = gpb_key_value(track, (uint32_t)inner, offset);
            if (inner != at) p[i] = 2 * p[i] - gpb_key_value(track, (uint32_t)next, offset);
        }
        segment.leave = (p[2] - p[0]) / 2;
        segment.arrive = (p[3] - p[1]) / 2;
        if (how == GPB_CARDINAL_KEYS) return segment;
        segment.from = (p[0] + 4 * p[1] + p[2]) / 6;
        segment.to = (p[1] + 4 * p[2] + p[3]) / 6;
    }
    // Bézier handles are points. Hermite handles are vectors that are three times as long.
    bool is_hermite = how == GPB_HERMITE_KEYS;
    if (how != GPB_BEZIER_KEYS && !is_hermite) return segment;
    uint32_t width = gpb_tangent_width(track);
    uint64_t out = gpb_value_index(track, key, offset) * width;
    uint64_t in = gpb_value_index(track, key + 1, offset) * width;
    double leave = gpb_number_at(&c->tangents_out, out + width - 1);
    double arrive = gpb_number_at(&c->tangents_in, in + width - 1);
    segment.leave = is_hermite ? leave : 3 * (leave - from);
    segment.arrive = is_hermite ? arrive : 3 * (to - arrive);
    if (width == 1) return segment;
    double start = gpb_track_time(track, key), end = gpb_track_time(track, key + 1);
    double first = gpb_number_at(&c->tangents_out, out), last = gpb_number_at(&c->tangents_in, in);
    double handles[2] = {(is_hermite ? first / 3 : first - start) / (end - start),
                         (is_hermite ? end - start - last / 3 : last - start) / (end - start)};
    for (int i = 0; i < 2; i++) {
        segment.handles[i] = handles[i] > 0 ? handles[i] < 1 ? handles[i] : 1 : 0;
        if (!(fabs(segment.handles[i] - (i + 1) / 3.0) <= GPB_THIRD_SLACK))
            segment.has_free_handles = true;
    }
    return segment;
}

// The value at a share of the time between two keys.
static double gpb_segment_value(const gpb_segment *segment, double share)
{
    double s = share;
    if (segment->has_free_handles) {
        // Find the curve parameter at which the time is `share`. Time never decreases.
        double low = 0, high = 1;
        for (int i = 0; i < GPB_SOLVE_STEPS; i++) {
            double middle = low + (high - low) / 2, r = 1 - middle;
            double time = 3 * r * r * middle * segment->handles[0] +
                          3 * r * middle * middle * segment->handles[1] + middle * middle * middle;
            if (time < share)
                low = middle;
            else
                high = middle;
        }
        s = high;
    }
    double s2 = s * s, s3 = s2 * s;
    return (2 * s3 - 3 * s2 + 1) * segment->from + (s3 - 2 * s2 + s) * segment->leave +
           (3 * s2 - 2 * s3) * segment->to + (s3 - s2) * segment->arrive;
}

// All kinds of interpolation that a track uses. A single key fits any kind.
static uint32_t gpb_kinds_of(const gpb_track *track)
{
    uint32_t kinds = 0, before = 0;
    bool is_line = track->channel->interpolations.count <= 1 && track->key_count > 1 &&
                   gpb_interpolation_of(track, 0) == GPB_LINEAR_KEYS;
    if (is_line) return GPB_LINEAR;  // One interpolation for all keys.
    for (uint32_t i = 0; i + 1 < track->key_count; i++) {
        uint32_t how = gpb_interpolation_of(track, i);
        uint32_t kind = how == GPB_LINEAR_KEYS ? GPB_LINEAR
                        : how == GPB_STEP_KEYS ? GPB_STEP
                                               : GPB_CUBIC;
        for (uint32_t k = 0; k < track->size && kind == GPB_CUBIC; k++)
            if (gpb_segment_of(track, i, k).has_free_handles) kind = GPB_OTHER;
        kinds |= kind;
        if (i && how != before && (how == GPB_BSPLINE_KEYS || before == GPB_BSPLINE_KEYS))
            kinds |= GPB_OTHER;
        before = how;
    }
    return kinds;
}

// -- Sampling

static tn_quat gpb_unit_quat(const double v[4])
{
    return tn_quat_normalise((tn_quat){v[0], v[1], v[2], v[3]});
}

// Samples the tracks of a property at times that never decrease.
typedef struct gpb_channel_sampler {
    const gpb_property_tracks *property;
    const double *rest;  // Values of components that do not move.
    bool is_unit;        // Rotations are normalized, and turn at constant speed between two keys.
    uint32_t keys[4];    // For each track: the last key at or before the time; else the first.
} gpb_channel_sampler;

// The values of all components, and their changes in a second. At a key, the segment before it may
// have other values than the one after it. Returns whether a segment is a curve.
static bool gpb_sample(gpb_channel_sampler *sampler, double time, bool is_before, double values[4],
                       double speeds[4])
{
    const gpb_property_tracks *property = sampler->property;
    uint32_t key = 0, how = GPB_STEP_KEYS;
    double share = 0, interval = 0, from[4] = {0}, to[4] = {0};
    bool is_curved = false;
    for (uint32_t k = 0; k < property->size; k++) {
        const gpb_track *track = property->tracks[k];
        values[k] = sampler->rest[k];
        speeds[k] = 0;
        if (!track) continue;
        if (k == 0 || track != property->tracks[k - 1]) {
            uint32_t *at = &sampler->keys[k];
            while (*at + 1 < track->key_count && gpb_track_time(track, *at + 1) <= time) *at += 1;
            key = *at;
            if (is_before && key > 0 && time == gpb_track_time(track, key)) key--;
            double start = gpb_track_time(track, key), passed = time - start;
            bool is_between = key + 1 < track->key_count && (is_before ? passed > 0 : passed >= 0);
            how = is_between ? gpb_interpolation_of(track, key) : GPB_STEP_KEYS;
            interval = is_between ? gpb_track_time(track, key + 1) - start : 1;
            share = passed / interval;
            is_curved = is_curved || (how != GPB_LINEAR_KEYS && how != GPB_STEP_KEYS);
        }
        if (how == GPB_STEP_KEYS) {
            values[k] = gpb_key_value(track, key, property->offsets[k]);
            continue;
        }
        gpb_segment segment = gpb_segment_of(track, key, property->offsets[k]);
        double s = share, s2 = s * s;
        double slope = 6 * (s2 - s) * (segment.from - segment.to) +
                       (3 * s2 - 4 * s + 1) * segment.leave + (3 * s2 - 2 * s) * segment.arrive;
        values[k] = how == GPB_LINEAR_KEYS ? (1 - s) * segment.from + s * segment.to
                                           : gpb_segment_value(&segment, s);
        speeds[k] = slope / interval;
        from[k] = segment.from;
        to[k] = segment.to;
    }
    if (!sampler->is_unit) return is_curved;
    tn_quat q = gpb_unit_quat(values);
    if (how == GPB_LINEAR_KEYS) q = tn_quat_slerp(gpb_unit_quat(from), gpb_unit_quat(to), share);
    values[0] = q.x, values[1] = q.y, values[2] = q.z, values[3] = q.w;
    return is_curved;
}

// Add a key, if it is later than the last one.
static void gpb_add_key(tenon_channel *channel, uint32_t size, float time, const double values[4])
{
    uint32_t count = channel->key_count;
    if (count && !(time > channel->times[count - 1])) return;
    channel->times[count] = time;
    for (uint32_t k = 0; k < size; k++)
        channel->values[(size_t)count * size + k] = (float)values[k];
    channel->key_count++;
}

// The distance between two values. A quaternion and its negative are equal.
static double gpb_key_distance(const double a[4], const double b[4], uint32_t size)
{
    double same = 0, opposite = 0;
    for (uint32_t k = 0; k < size; k++) {
        if (fabs(a[k] - b[k]) > same) same = fabs(a[k] - b[k]);
        if (fabs(a[k] + b[k]) > opposite) opposite = fabs(a[k] + b[k]);
    }
    return size == 4 && opposite < same ? opposite : same;
}

// Fill in keys that represent any tracks. `times` are the times of their keys.
static void gpb_fill_samples(gpb_importer *importer, gpb_channel_sampler sampler,
                             const float *times, uint32_t count, tenon_channel *channel)
{
    double last[4] = {0}, before[4] = {0}, speeds[4];
    uint32_t size = sampler.property->size;
    uint64_t room = count;
    gpb_channel_sampler ahead = sampler;
    for (uint32_t i = 0; i + 1 < count; i++) {
        bool is_curved = gpb_sample(&ahead, times[i], false, last, speeds);
        room += is_curved ? GPB_SAMPLES : 1;
    }
    tn_channel_alloc(importer->builder, channel, room);
    if (importer->builder->failed) return;
    channel->key_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_curved = gpb_sample(&sampler, times[i], false, last, speeds);
        gpb_add_key(channel, size, times[i], last);
        if (i + 1 == count) return;
        float end = times[i + 1];
        // Replace a curve between two keys by lines, with an error measured in the middle of each.
        float start = times[i];
        double step = ((double)end - start) / GPB_SAMPLES;
        for (uint32_t line = 1; is_curved && line <= GPB_SAMPLES; line++) {
            float time = line < GPB_SAMPLES ? (float)(start + step * line) : end;
            double next[4] = {0}, half[4] = {0}, there[4] = {0};
            gpb_sample(&sampler, start + step * (line - 0.5), false, there, speeds);
            gpb_sample(&sampler, time, line == GPB_SAMPLES, next, speeds);
            for (uint32_t k = 0; k < size; k++) half[k] = (last[k] + next[k]) / 2;
            if (size == 4) {
                tn_quat q = tn_quat_slerp((tn_quat){last[0], last[1], last[2], last[3]},
                                          (tn_quat){next[0], next[1], next[2], next[3]}, 0.5);
                half[0] = q.x, half[1] = q.y, half[2] = q.z, half[3] = q.w;
            }
            double error = gpb_key_distance(half, there, size);
            if (error > importer->curve_error) importer->curve_error = error;
            if (time < end) gpb_add_key(channel, size, time, next);
            memcpy(last, next, sizeof next);
        }
        gpb_sample(&sampler, end, true, before, speeds);
        gpb_sample(&sampler, end, false, last, speeds);
        if (!(gpb_key_distance(before, last, size) > 0)) continue;
        uint32_t bits;  // The value jumps: the next smaller float, since the time is positive.
        memcpy(&bits, &end, sizeof bits);
        bits--;
        memcpy(&end, &bits, sizeof end);
        gpb_add_key(channel, size, end, before);
    }
}

// -- Channels

// All times of the keys of the tracks, each once. Returns how many. `times` has room for the keys
// of all tracks.
static uint32_t gpb_merge_times(const gpb_track *const *tracks, uint32_t count, float *times)
{
    uint32_t at[3] = {0}, merged = 0;
    for (;;) {
        float next = INFINITY;
        for (uint32_t i = 0; i < count; i++)
            if (at[i] < tracks[i]->key_count && gpb_track_time(tracks[i], at[i]) < next)
                next = gpb_track_time(tracks[i], at[i]);
        if (next == INFINITY) return merged;
        for (uint32_t i = 0; i < count; i++)
            if (at[i] < tracks[i]->key_count && gpb_track_time(tracks[i], at[i]) == next) at[i]++;
        times[merged++] = next;
    }
}

void gpb_fill_channel(gpb_importer *importer, const gpb_property_tracks *property,
                      tenon_channel *channel)
{
    const gpb_track *tracks[3];  // Each once.
    uint32_t count = 0, kinds = 0, size = property->size;
    uint64_t room = 0;
    bool is_whole = property->tracks[0] != NULL;
    for (uint32_t i = 0; i < size; i++) {
        const gpb_track *track = property->tracks[i];
        bool is_new = track != NULL;
        for (uint32_t k = 0; k < count; k++) is_new = is_new && tracks[k] != track;
        is_whole = is_whole && track == property->tracks[0];
        if (!is_new) continue;
        tracks[count++] = track;
        kinds |= gpb_kinds_of(track);
        room += track->key_count;
    }
    gpb_channel_sampler sampler = {.property = property,
                                   .rest = tn_channel_rest(importer->builder->scene, channel)};
    // A line is also a polynomial, but a rotation at constant speed is not.
    uint32_t polynomials = size == 4 ? GPB_CUBIC : GPB_CUBIC | GPB_LINEAR;
    bool is_linear = (kinds & ~(uint32_t)GPB_LINEAR) == 0, is_stepped = kinds == GPB_STEP;
    if (!is_linear && !is_stepped && kinds & ~polynomials) {
        float *times = tn_scene_floats(importer->builder, room, 1);
        if (!times) return;
        tn_tally_path(&importer->lost.curves, 1, "%s", gpb_track_path(importer, tracks[0]).text);
        sampler.is_unit = size == 4;
        gpb_fill_samples(importer, sampler, times, gpb_merge_times(tracks, count, times), channel);
        return;
    }
    channel->curve = is_linear ? TENON_LINEAR : is_stepped ? TENON_STEP : TENON_CUBIC;
    if (is_linear && is_whole && !tracks[0]->keys) {
        // Import a channel that one track with linear keys defines. All channels of a track share
        // their times. Adding 0 times the next key has the same effect on the sign of a zero as
        // interpolation.
        gpb_track *track = &importer->tracks[tracks[0] - importer->tracks];
        if (!track->times) {
            track->times = tn_scene_floats(importer->builder, track->key_count, 1);
            for (uint32_t i = 0; i < track->key_count && track->times; i++)
                track->times[i] = gpb_track_time(track, i);
        }
        channel->times = track->times;
        channel->key_count = track->key_count;
        channel->values = tn_scene_floats(importer->builder, track->key_count, size);
        if (importer->builder->failed) return;
        uint64_t step = 4 * (uint64_t)track->size;
        const uint8_t *p = track->channel->values.data + 4 * property->offsets[0];
        float *out = channel->values;
        for (uint32_t i = 0; i + 1 < channel->key_count; i++, p += step, out += size)
            for (uint32_t k = 0; k < size; k++)
                out[k] = tn_load_f32(p + 4 * k, false) + 0 * tn_load_f32(p + step + 4 * k, false);
        for (uint32_t k = 0; k < size; k++) out[k] = tn_load_f32(p + 4 * k, false);
        return;
    }
    tn_channel_alloc(importer->builder, channel, room);
    if (importer->builder->failed) return;
    channel->key_count = gpb_merge_times(tracks, count, channel->times);
    float *out = channel->values;
    for (uint32_t i = 0; i < channel->key_count; i++) {
        double values[4], before[4], after[4];
        bool is_cubic = channel->curve == TENON_CUBIC;
        if (is_cubic) gpb_sample(&sampler, channel->times[i], true, values, before);
        gpb_sample(&sampler, channel->times[i], false, values, after);
        for (uint32_t k = 0; k < size && is_cubic; k++) *out++ = (float)before[k];
        for (uint32_t k = 0; k < size; k++) *out++ = (float)values[k];
        for (uint32_t k = 0; k < size && is_cubic; k++) *out++ = (float)after[k];
    }
}
