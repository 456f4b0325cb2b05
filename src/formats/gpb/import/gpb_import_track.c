// gpb_import_track.c: the channels of a bundle that have a target, and their values over time.
// SPDX-License-Identifier: MIT
//
// The engine interpolates all keys linearly. If the file has all data of a curve, as COLLADA
// defines it, the curve is imported, because that is what its author saw.

#include "formats/gpb/gpb_attribute.h"
#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>

#define GPB_SOLVE_STEPS 60    // Bisections: the precision of a double.
#define GPB_THIRD_SLACK 1e-5  // Tolerance for handles at a third and two thirds of a segment.

// The numbers in the file.
enum {
    GPB_LINEAR_KEYS = 1,
    GPB_BEZIER_KEYS = 2,
    GPB_CARDINAL_KEYS = 3,
    GPB_HERMITE_KEYS = 4,
    GPB_BSPLINE_KEYS = 5,
    GPB_STEP_KEYS = 6,
};

// -- Paths

tn_path_text gpb_import_source_path(const gpb_importer *importer, const gpb_source *source)
{
    if (importer->doc->blocks[source->block].kind == TENON_GPB_ANIMATION)
        return tn_path("blocks[%" PRIu32 "].animation", source->block);
    return tn_path("blocks[%" PRIu32 "].animations.animations[%" PRIu32 "]", source->block,
                   source->index);
}

tn_path_text gpb_import_track_path(const gpb_importer *importer, const gpb_track *track)
{
    return tn_path("%s.channels[%" PRIu32 "]",
                   gpb_import_source_path(importer, &importer->sources[track->animation]).text,
                   track->index);
}

// -- Keys

static uint64_t gpb_import_track_key_number(const gpb_track *track, uint32_t key)
{
    return track->keys ? track->keys[key] : key;
}

float gpb_import_track_time(const gpb_track *track, uint32_t key)
{
    return (float)(gpb_check_key_time(track->channel, gpb_import_track_key_number(track, key)) /
                   1000);
}

void gpb_import_track_times(const gpb_track *track, float *times)
{
    const tenon_span *stored = &track->channel->key_times;
    bool is_plain = !track->keys && stored->layout->elements[0].type == TENON_TYPE_U32;
    for (uint32_t i = 0; i < track->key_count; i++)
        times[i] = is_plain
                       ? (float)((double)tn_load32(stored->data + 4 * (uint64_t)i, false) / 1000)
                       : gpb_import_track_time(track, i);
}

static double gpb_import_track_number_at(const tenon_span *span, uint64_t index)
{
    return tn_load_f32(span->data + 4 * index, false);
}

static double gpb_import_track_key_value(const gpb_track *track, uint32_t key, uint32_t offset)
{
    return gpb_import_track_number_at(
        &track->channel->values, gpb_import_track_key_number(track, key) * track->size + offset);
}

// -- Segments between keys

// Numbers in the tangents for each number of a key: 2 for a time and a value.
static uint32_t gpb_import_track_tangent_width(const gpb_track *track)
{
    const tenon_gpb_channel *c = track->channel;
    uint64_t single = c->key_times.count * track->size;
    if (c->tangents_in.count != c->tangents_out.count) return 0;
    return c->tangents_in.count == single ? 1 : c->tangents_in.count == 2 * single ? 2 : 0;
}

static uint32_t gpb_import_track_interpolation(const gpb_track *track, uint32_t key)
{
    const tenon_span *all = &track->channel->interpolations;
    uint64_t number = all->count == 1 ? 0 : gpb_import_track_key_number(track, key);
    uint32_t how = number < all->count ? tn_span_u32(all, number) : GPB_LINEAR_KEYS;
    bool has_handles = how == GPB_BEZIER_KEYS || how == GPB_HERMITE_KEYS;
    if (has_handles && gpb_import_track_tangent_width(track) == 0) return GPB_LINEAR_KEYS;
    return how >= GPB_BEZIER_KEYS && how <= GPB_STEP_KEYS ? how : GPB_LINEAR_KEYS;
}

// One component between two keys as a cubic Bézier curve: its ends, its slopes there, and the times
// of the handles, from 0 to 1.
typedef struct gpb_segment {
    double from, to, leave, arrive;
    double handles[2];
} gpb_segment;

static gpb_segment gpb_import_track_segment_of(const gpb_track *track, uint32_t key,
                                               uint32_t offset)
{
    const tenon_gpb_channel *c = track->channel;
    double from = gpb_import_track_key_value(track, key, offset),
           to = gpb_import_track_key_value(track, key + 1, offset);
    gpb_segment segment = {from, to, to - from, to - from, {1.0 / 3, 2.0 / 3}};
    uint32_t how = gpb_import_track_interpolation(track, key);
    if (how == GPB_CARDINAL_KEYS || how == GPB_BSPLINE_KEYS) {
        // The neighbors determine the slopes. A key before the first or after the last is
        // extrapolated linearly.
        double p[4];
        for (int i = 0; i < 4; i++) {
            int64_t last = (int64_t)track->key_count - 1, at = (int64_t)key + i - 1;
            int64_t inner = at < 0 ? 0 : at > last ? last : at, next = at < 0 ? 1 : last - 1;
            p[i] = gpb_import_track_key_value(track, (uint32_t)inner, offset);
            if (inner == at || last == 0) continue;
            p[i] = 2 * p[i] - gpb_import_track_key_value(track, (uint32_t)next, offset);
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
    uint32_t width = gpb_import_track_tangent_width(track);
    uint64_t out = (gpb_import_track_key_number(track, key) * track->size + offset) * width;
    uint64_t in = (gpb_import_track_key_number(track, key + 1) * track->size + offset) * width;
    double leave = gpb_import_track_number_at(&c->tangents_out, out + width - 1);
    double arrive = gpb_import_track_number_at(&c->tangents_in, in + width - 1);
    segment.leave = is_hermite ? leave : 3 * (leave - from);
    segment.arrive = is_hermite ? arrive : 3 * (to - arrive);
    if (width == 1) return segment;
    double start = gpb_import_track_time(track, key), end = gpb_import_track_time(track, key + 1);
    double first = gpb_import_track_number_at(&c->tangents_out, out),
           last = gpb_import_track_number_at(&c->tangents_in, in);
    double handles[2] = {(is_hermite ? first / 3 : first - start) / (end - start),
                         (is_hermite ? end - start - last / 3 : last - start) / (end - start)};
    for (int i = 0; i < 2; i++)
        segment.handles[i] = handles[i] > 0 ? handles[i] < 1 ? handles[i] : 1 : 0;
    return segment;
}

static bool gpb_import_track_has_free_handles(const gpb_segment *segment)
{
    return !(fabs(segment->handles[0] - 1.0 / 3) <= GPB_THIRD_SLACK &&
             fabs(segment->handles[1] - 2.0 / 3) <= GPB_THIRD_SLACK);
}

static uint32_t gpb_import_track_segment_kind(const gpb_track *track, uint32_t key)
{
    uint32_t how = gpb_import_track_interpolation(track, key);
    if (how == GPB_LINEAR_KEYS) return GPB_LINEAR;
    if (how == GPB_STEP_KEYS) return GPB_STEP;
    if (how == GPB_CARDINAL_KEYS || how == GPB_BSPLINE_KEYS) return GPB_CUBIC;
    for (uint32_t i = 0; i < track->size; i++) {
        gpb_segment segment = gpb_import_track_segment_of(track, key, i);
        if (gpb_import_track_has_free_handles(&segment)) return GPB_FREE_HANDLES;
    }
    return GPB_CUBIC;
}

// -- Valid keys

// Whether a time is valid after `last`.
static bool gpb_import_track_is_later(float time, float last)
{
    return time >= 0 && time > last && time <= 1e30f;
}

// Keys are valid if their times are not negative and increase.
static void gpb_import_track_find_keys(gpb_importer *importer, gpb_track *track)
{
    const tenon_gpb_channel *c = track->channel;
    uint64_t total = c->values.count / track->size, kept = 0;
    if (c->key_times.count < total) total = c->key_times.count;
    if (total >= TENON_NONE) total = TENON_NONE - 1;
    track->key_count = (uint32_t)total;
    float last = -1, time;
    for (; kept < total; kept++, last = time)
        if (!gpb_import_track_is_later(time = gpb_import_track_time(track, (uint32_t)kept), last))
            break;
    if (kept == total) return;
    uint32_t *keys = tn_scene_array(importer->builder, total, sizeof *keys);
    if (!keys) return;
    kept = 0;
    last = -1;
    for (uint32_t i = 0; i < total; i++) {
        if (!gpb_import_track_is_later(time = gpb_import_track_time(track, i), last)) continue;
        last = time;
        keys[kept++] = i;
    }
    track->keys = keys;
    track->key_count = (uint32_t)kept;
}

static void gpb_import_track_find_kinds(gpb_track *track)
{
    uint32_t before = 0;
    track->kinds = 0;  // A single key fits any kind.
    bool is_line = track->channel->interpolations.count <= 1 && track->key_count > 1 &&
                   gpb_import_track_interpolation(track, 0) == GPB_LINEAR_KEYS;
    if (is_line) {  // One interpolation for all keys.
        track->kinds = GPB_LINEAR;
        return;
    }
    for (uint32_t i = 0; i + 1 < track->key_count; i++) {
        uint32_t how = gpb_import_track_interpolation(track, i);
        bool is_broken =
            i && how != before && (how == GPB_BSPLINE_KEYS || before == GPB_BSPLINE_KEYS);
        track->kinds |= gpb_import_track_segment_kind(track, i) | (is_broken ? GPB_BROKEN : 0);
        before = how;
    }
}

// -- All tracks

// Find the components of a key. Returns false if the attribute moves nothing.
static bool gpb_import_track_find_offsets(gpb_track *track, uint32_t attribute)
{
    static const struct {
        uint32_t attribute, scale, rotation, translation;
    } whole[] = {
        {1, 0, TENON_NONE, TENON_NONE},
        {8, TENON_NONE, 0, TENON_NONE},
        {9, TENON_NONE, TENON_NONE, 0},
        {16, TENON_NONE, 0, 4},
        {17, 0, 3, 7},
        {18, 0, TENON_NONE, 3},
        {19, 0, 3, TENON_NONE},
    };
    for (uint32_t k = 0; k < GPB_COMPONENT_COUNT; k++) track->offsets[k] = TENON_NONE;
    if (attribute >= 2 && attribute <= 4) track->offsets[GPB_SCALE_X + attribute - 2] = 0;
    if (attribute >= 10 && attribute <= 12) track->offsets[GPB_TRANSLATION_X + attribute - 10] = 0;
    for (uint32_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        if (whole[i].attribute != attribute) continue;
        track->offsets[GPB_ROTATION] = whole[i].rotation;
        for (uint32_t k = 0; k < 3 && whole[i].scale != TENON_NONE; k++)
            track->offsets[GPB_SCALE_X + k] = whole[i].scale + k;
        for (uint32_t k = 0; k < 3 && whole[i].translation != TENON_NONE; k++)
            track->offsets[GPB_TRANSLATION_X + k] = whole[i].translation + k;
    }
    track->size = gpb_check_attribute_of(attribute).size;
    return attribute != 0 && track->size != 0;
}

static void gpb_import_tally_track(gpb_importer *importer, tn_tally *loss, const gpb_track *track,
                                   uint64_t count)
{
    if (count) tn_tally_path(loss, count, "%s", gpb_import_track_path(importer, track).text);
}

// Returns whether the channel moves something.
static bool gpb_import_read_track(gpb_importer *importer, gpb_track *track)
{
    const tenon_gpb_channel *c = track->channel;
    gpb_losses *lost = &importer->losses;
    if (!gpb_import_track_find_offsets(track, c->target_attribute)) {
        bool is_known = c->target_attribute == 0;
        gpb_import_tally_track(importer, is_known ? &lost->unplayed : &lost->attributes, track, 1);
        return false;
    }
    track->node_index = gpb_index_find_node(&importer->index, c->target_id);
    if (track->node_index == TENON_NONE) {
        gpb_import_tally_track(importer, &lost->targets, track, 1);
        return false;
    }
    gpb_import_track_find_keys(importer, track);
    gpb_import_track_find_kinds(track);
    uint64_t whole = c->values.count / track->size;
    uint64_t usable = whole < c->key_times.count ? whole : c->key_times.count;
    gpb_import_tally_track(importer, &lost->values, track,
                           c->key_times.count != whole || c->values.count % track->size);
    gpb_import_tally_track(importer, &lost->keys, track, usable - track->key_count);
    return track->key_count > 0;
}

static void gpb_import_track_list_animation(gpb_importer *importer,
                                            const tenon_gpb_animation *animation, uint32_t block,
                                            uint32_t index)
{
    uint32_t number = importer->source_count++;
    gpb_source *source = &importer->sources[number];
    *source = (gpb_source){.animation = animation,
                           .block = block,
                           .index = index,
                           .first = importer->track_count,
                           .clip = TENON_NONE};
    for (uint32_t i = 0; i < animation->channel_count && !importer->builder->failed; i++) {
        gpb_track *track = &importer->tracks[importer->track_count];
        *track = (gpb_track){.channel = &animation->channels[i], .animation = number, .index = i};
        if (!gpb_import_read_track(importer, track)) continue;
        importer->is_animated[track->node_index] = true;
        importer->track_count++;
        source->count++;
    }
}

// The animations of a block of any kind.
static uint32_t gpb_import_track_animations_of(const tenon_gpb_block *block,
                                               const tenon_gpb_animation **first)
{
    if (block->kind == TENON_GPB_ANIMATION) *first = &block->body.animation;
    if (block->kind == TENON_GPB_ANIMATIONS) *first = block->body.animations.animations;
    if (block->kind == TENON_GPB_ANIMATION) return 1;
    return block->kind == TENON_GPB_ANIMATIONS ? block->body.animations.animation_count : 0;
}

void gpb_import_list_tracks(gpb_importer *importer)
{
    const tenon_gpb_animation *all = NULL;
    uint64_t sources = 0, tracks = 0;
    for (uint32_t i = 0; i < importer->doc->block_count; i++) {
        uint32_t count = gpb_import_track_animations_of(&importer->doc->blocks[i], &all);
        sources += count;
        for (uint32_t k = 0; k < count; k++) tracks += all[k].channel_count;
    }
    importer->is_animated = tn_scene_array(importer->builder, importer->index.tree.count,
                                           sizeof *importer->is_animated);
    importer->sources = tn_scene_array(importer->builder, sources, sizeof *importer->sources);
    importer->tracks = tn_scene_array(importer->builder, tracks + 1, sizeof *importer->tracks);
    for (uint32_t i = 0; i < importer->doc->block_count && !importer->builder->failed; i++) {
        uint32_t count = gpb_import_track_animations_of(&importer->doc->blocks[i], &all);
        for (uint32_t k = 0; k < count && !importer->builder->failed; k++)
            gpb_import_track_list_animation(importer, &all[k], i, k);
    }
}

// -- Sampling

void gpb_import_cursor_seek(gpb_cursor *cursor, double time)
{
    const gpb_track *track = cursor->track;
    cursor->time = time;
    while (cursor->key + 1 < track->key_count &&
           (double)gpb_import_track_time(track, cursor->key + 1) <= time)
        cursor->key++;
}

// The position of a cursor on a segment.
typedef struct gpb_segment_place {
    uint32_t key;
    double share;     // 0 to 1.
    double interval;  // Seconds of the segment; 0 if the cursor is exactly at a key.
} gpb_segment_place;

static gpb_segment_place gpb_import_track_segment_place_of(const gpb_cursor *cursor, bool is_before)
{
    const gpb_track *track = cursor->track;
    double start = gpb_import_track_time(track, cursor->key);
    gpb_segment_place place = {.key = cursor->key};
    if (cursor->time < start || (is_before && cursor->time == start && cursor->key == 0))
        return place;
    if (is_before && cursor->time == start)
        place.key--;
    else if (cursor->key + 1 == track->key_count)
        return place;
    start = gpb_import_track_time(track, place.key);
    place.interval = gpb_import_track_time(track, place.key + 1) - start;
    place.share = (cursor->time - start) / place.interval;
    return place;
}

static double gpb_import_track_segment_value(const gpb_segment *segment, double share)
{
    double s = share;
    if (gpb_import_track_has_free_handles(segment)) {
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

double gpb_import_cursor_value(const gpb_cursor *cursor, uint32_t offset, bool is_before)
{
    const gpb_track *track = cursor->track;
    gpb_segment_place place = gpb_import_track_segment_place_of(cursor, is_before);
    uint32_t how =
        place.interval > 0 ? gpb_import_track_interpolation(track, place.key) : GPB_STEP_KEYS;
    if (how == GPB_STEP_KEYS) return gpb_import_track_key_value(track, place.key, offset);
    gpb_segment segment = gpb_import_track_segment_of(track, place.key, offset);
    if (how == GPB_LINEAR_KEYS) return (1 - place.share) * segment.from + place.share * segment.to;
    return gpb_import_track_segment_value(&segment, place.share);
}

double gpb_import_cursor_speed(const gpb_cursor *cursor, uint32_t offset, bool is_before)
{
    gpb_segment_place place = gpb_import_track_segment_place_of(cursor, is_before);
    if (!(place.interval > 0)) return 0;
    gpb_segment segment = gpb_import_track_segment_of(cursor->track, place.key, offset);
    double s = place.share, s2 = s * s;
    double slope = 6 * (s2 - s) * (segment.from - segment.to) +
                   (3 * s2 - 4 * s + 1) * segment.leave + (3 * s2 - 2 * s) * segment.arrive;
    return slope / place.interval;
}

tn_quat gpb_import_cursor_rotation(const gpb_cursor *cursor, bool is_before)
{
    const gpb_track *track = cursor->track;
    uint32_t offset = track->offsets[GPB_ROTATION];
    gpb_segment_place place = gpb_import_track_segment_place_of(cursor, is_before);
    double v[2][4] = {{0}};
    bool is_line =
        place.interval > 0 && gpb_import_track_interpolation(track, place.key) == GPB_LINEAR_KEYS;
    for (uint32_t k = 0; k < 4; k++) {
        v[0][k] = is_line ? gpb_import_track_key_value(track, place.key, offset + k)
                          : gpb_import_cursor_value(cursor, offset + k, is_before);
        if (is_line) v[1][k] = gpb_import_track_key_value(track, place.key + 1, offset + k);
    }
    tn_quat from = tn_quat_normalise((tn_quat){v[0][0], v[0][1], v[0][2], v[0][3]});
    if (!is_line) return from;
    tn_quat to = tn_quat_normalise((tn_quat){v[1][0], v[1][1], v[1][2], v[1][3]});
    return tn_quat_slerp(from, to, place.share);
}

uint32_t gpb_import_cursor_kind(const gpb_cursor *cursor)
{
    gpb_segment_place place = gpb_import_track_segment_place_of(cursor, false);
    return place.interval > 0 ? gpb_import_track_segment_kind(cursor->track, place.key) : GPB_STEP;
}
