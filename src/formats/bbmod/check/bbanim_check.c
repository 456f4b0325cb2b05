// bbanim_check.c: checking BBMOD animations.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/check/bbanim_check.h"

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/check/bbmod_check.h"

#include "core/cursor/span.h"
#include "core/text/number.h"
#include "document/field_rules.h"

#include <inttypes.h>
#include <math.h>

#define UNIT_TOLERANCE 1e-3  // How far the length of a rotation may be from 1.
#define ENGINE_MOST    128   // Bones, and nodes, that the runtime supports.
#define ROWS           64    // Dual quaternions decoded at once.

// -- Header

static void bbanim_check_times(tn_check *check, const tenon_bbanim *doc)
{
    char number[TN_NUMBER_MAX];
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool is_length = doc->duration >= 0 && doc->duration < HUGE_VAL;
    tn_f64_text(doc->duration, number);
    if (!is_length || (!has_keys && floor(doc->duration) != doc->duration))
        tn_found(check, BBANIM_DURATION, tn_path("duration"),
                 is_length ? "the duration is %s frames" : "the duration is %s", number);
    tn_f64_text(doc->tics_per_second, number);
    if (!(doc->tics_per_second > 0 && doc->tics_per_second < HUGE_VAL))
        tn_found(check, BBANIM_RATE, tn_path("tics_per_second"), "the rate is %s tics per second",
                 number);
}

static void bbanim_check_engine(tn_check *check, const tenon_bbanim *doc)
{
    if (doc->version_major != 3)
        tn_found(check, BBANIM_VERSION, tn_path("version_major"),
                 "version %u, but the runtime reads only version 3", (unsigned)doc->version_major);
    else if (bbanim_has(doc, TENON_BBANIM_DOCUMENT))
        tn_found(check, BBANIM_VERSION, tn_path("version_major"),
                 "the layout follows the format's document, which the runtime does not read");
    if (doc->model_bone_count > ENGINE_MOST)
        tn_found(check, BBANIM_BONE_LIMIT, tn_path("model_bone_count"),
                 "%" PRIu32 " bones, but the runtime supports at most %d", doc->model_bone_count,
                 ENGINE_MOST);
    uint32_t higher = TENON_BBANIM_WORLD | TENON_BBANIM_BONE;
    if (doc->model_node_count > ENGINE_MOST && !(doc->spaces & higher))
        tn_found(check, BBANIM_NODE_LIMIT, tn_path("model_node_count"),
                 "%" PRIu32 " nodes, but the runtime animates at most %d", doc->model_node_count,
                 ENGINE_MOST);
}

static void bbanim_check_dialect(tn_check *check, const tenon_bbanim *doc)
{
    uint32_t known = TENON_BBANIM_PARENT | TENON_BBANIM_WORLD | TENON_BBANIM_BONE;
    if (doc->spaces & ~known)
        tn_found(check, BBANIM_SPACES_UNKNOWN, tn_path("spaces"), "'spaces' is %u",
                 (unsigned)doc->spaces);
    if (!(doc->spaces & known) && doc->duration > 0)
        tn_found(check, BBANIM_SPACES_NONE, tn_path("spaces"),
                 "the duration is not 0, but no frames are stored");
    if (bbanim_has(doc, TENON_BBANIM_REPEATED) && doc->frames.count)
        tn_found(check, BBANIM_BROKEN_SAVER, tn_path("frames"),
                 "each frame is stored as the list of all %" PRIu32 " frames", doc->frame_count);
    if (bbanim_has(doc, TENON_BBANIM_LOWER) && bbanim_has(doc, TENON_BBANIM_MINOR))
        tn_found(check, BBANIM_MAGIC, tn_path("magic"),
                 "the magic is that of 3.0, but a minor version follows");
    if (doc->has_events)
        tn_found(check, BBANIM_EVENTS_APPENDED, tn_path("events"),
                 "version 3.%u has no events, but %" PRIu32 " are stored",
                 (unsigned)doc->version_minor, doc->event_count);
}

// -- Frames

// How many rows of a space have a fault, and the first of them.
typedef struct bbanim_fault {
    uint64_t first, count;
} bbanim_fault;

static void bbanim_check_count_fault(bbanim_fault *fault, uint64_t row)
{
    if (fault->count++ == 0) fault->first = row;
}

// Quick test that a dual quaternion is valid: the real part is a rotation and perpendicular to the
// dual part.
static bool bbanim_check_row_is_plain(const float v[8])
{
    float dot = v[0] * v[4] + v[1] * v[5] + v[2] * v[6] + v[3] * v[7];
    return dot > -TN_PLAIN && dot < TN_PLAIN && tn_turn_is_plain(v);
}

// Check `count` rows at `bytes`. The first is number `row` of its space.
static void bbanim_check_rows(const uint8_t *bytes, uint64_t count, uint64_t row,
                              bbanim_fault *zero, bbanim_fault *off)
{
    float block[8 * ROWS];
    for (uint64_t at = 0; at < count; at += ROWS) {
        uint64_t now = count - at < ROWS ? count - at : ROWS;
        tn_copy_numbers(block, bytes + 32 * at, 8 * now, 4, false);
        for (uint64_t i = 0; i < now; i++) {
            if (bbanim_check_row_is_plain(block + 8 * i)) continue;
            bbmod_dual_state state = bbmod_dual_check(block + 8 * i);
            if (state == BBMOD_DUAL_ZERO) bbanim_check_count_fault(zero, row + at + i);
            if (state == BBMOD_DUAL_OFF) bbanim_check_count_fault(off, row + at + i);
        }
    }
}

static void bbanim_check_report_rows(tn_check *check, uint32_t rule, const tenon_element *space,
                                     const bbanim_fault *fault, const char *what)
{
    if (fault->count == 0) return;
    tn_found(check, rule,
             tn_path("frames[%" PRIu64 "].%s[%" PRIu64 "]", fault->first / space->rows, space->name,
                     fault->first % space->rows),
             "%s; %" PRIu64 " transforms of this space are affected", what, fault->count);
}

static void bbanim_check_space(tn_check *check, const tenon_span *frames,
                               const tenon_element *space)
{
    bbanim_fault zero = {0}, off = {0};
    for (uint64_t i = 0; i < frames->count; i++)
        bbanim_check_rows(tn_span_record(frames, i) + space->offset, space->rows, i * space->rows,
                          &zero, &off);
    bbanim_check_report_rows(check, BBANIM_TRANSFORM_ZERO, space, &zero,
                             "the rotation is 0, 0, 0, 0");
    bbanim_check_report_rows(check, BBANIM_TRANSFORM_UNIT, space, &off,
                             "the dual quaternion is not a rotation and translation");
}

static void bbanim_check_frames(tn_check *check, const tenon_bbanim *doc)
{
    const tenon_span *frames = &doc->frames;
    if (!frames->layout || frames->count == 0) return;
    for (uint32_t i = 0; i < frames->layout->element_count; i++)
        bbanim_check_space(check, frames, &frames->layout->elements[i]);
}

// -- Channels

typedef struct bbanim_keys {
    const tenon_span *span;
    const char *name;
    uint32_t channel;
} bbanim_keys;

static tn_path_text bbanim_check_key_path(const bbanim_keys *keys, uint64_t k, const char *field)
{
    return tn_path("channels[%" PRIu32 "].%s[%" PRIu64 "].%s", keys->channel, keys->name, k, field);
}

// A key, its time, and the time that contradicts it.
typedef struct bbanim_time_conflict {
    uint64_t key;
    double time, other;
    const char *what;
} bbanim_time_conflict;

static void bbanim_check_report_conflict(tn_check *check, uint32_t rule, const bbanim_keys *keys,
                                         bbanim_time_conflict conflict)
{
    char time[TN_NUMBER_MAX], other[TN_NUMBER_MAX];
    tn_f64_text(conflict.time, time);
    tn_f64_text(conflict.other, other);
    tn_found(check, rule, bbanim_check_key_path(keys, conflict.key, "time"),
             "the time is %s, %s %s", time, conflict.what, other);
}

// At most one finding of each kind for a list of keys.
static void bbanim_check_key_times(tn_check *check, const tenon_bbanim *doc,
                                   const bbanim_keys *keys)
{
    double last = -HUGE_VAL;
    bool reported_order = false, reported_range = false, reported_number = false;
    for (uint64_t k = 0; k < keys->span->count; k++) {
        double time = tn_load_f64(tn_span_record(keys->span, k), false);
        if (!isfinite(time)) {
            if (!reported_number)
                tn_found(check, BBANIM_NOT_FINITE, bbanim_check_key_path(keys, k, "time"),
                         "the time is not a finite number");
            reported_number = true;
            continue;
        }
        if (time < last && !reported_order) {
            bbanim_time_conflict conflict = {k, time, last, "but the previous key is at"};
            bbanim_check_report_conflict(check, BBANIM_KEY_ORDER, keys, conflict);
            reported_order = true;
        }
        if ((time < 0 || time > doc->duration) && !reported_range) {
            bbanim_time_conflict conflict = {k, time, doc->duration, "but the duration is"};
            bbanim_check_report_conflict(check, BBANIM_KEY_RANGE, keys, conflict);
            reported_range = true;
        }
        last = time;
    }
}

static void bbanim_check_rotations(tn_check *check, const bbanim_keys *keys)
{
    for (uint64_t k = 0; k < keys->span->count; k++) {
        float q[4];
        double square = 0;
        tn_span_f32(keys->span, &keys->span->layout->elements[1], k, 1, q);
        for (int i = 0; i < 4; i++) square += (double)q[i] * q[i];
        if (!isfinite(square) || fabs(sqrt(square) - 1) <= UNIT_TOLERANCE) continue;
        char length[TN_NUMBER_MAX];
        tn_f64_text(sqrt(square), length);
        tn_found(check, BBANIM_ROTATION_UNIT, bbanim_check_key_path(keys, k, "rotation"),
                 "the length of the rotation is %s, not 1", length);
        return;
    }
}

static void bbanim_check_channel(tn_check *check, const tenon_bbanim *doc, uint32_t c)
{
    const tenon_bbanim_channel *channel = &doc->channels[c];
    bbanim_keys positions = {&channel->positions, "positions", c};
    bbanim_keys rotations = {&channel->rotations, "rotations", c};
    if (channel->positions.count == 0 || channel->rotations.count == 0)
        tn_found(check, BBANIM_CHANNEL_EMPTY, tn_path("channels[%" PRIu32 "]", c),
                 "the channel has %" PRIu64 " positions and %" PRIu64 " rotations",
                 channel->positions.count, channel->rotations.count);
    bbanim_check_key_times(check, doc, &positions);
    bbanim_check_key_times(check, doc, &rotations);
    bbanim_check_rotations(check, &rotations);
}

// A hash set of the slots of channels: the number of nodes is stored and may be huge.
typedef struct bbanim_slot_set {
    uint32_t *slots;  // Slot + 1; 0: empty.
    uint64_t mask;
} bbanim_slot_set;

static bbanim_slot_set bbanim_check_slot_set_make(tn_check *check, uint32_t count)
{
    uint64_t size = 4;
    while (size < 2 * (uint64_t)count) size *= 2;
    return (bbanim_slot_set){tn_check_alloc(check, size, sizeof(uint32_t)), size - 1};
}

// Returns whether the slot was in the set already.
static bool bbanim_check_slot_set_add(bbanim_slot_set *set, uint32_t slot)
{
    uint64_t at = (slot * 0x9e3779b97f4a7c15u >> 32) & set->mask;
    while (set->slots[at] && set->slots[at] != slot + 1) at = (at + 1) & set->mask;
    bool was_there = set->slots[at] != 0;
    set->slots[at] = slot + 1;
    return was_there;
}

static void bbanim_check_channels(tn_check *check, const tenon_bbanim *doc)
{
    uint32_t count =
        bbanim_has(doc, TENON_BBANIM_NODES) ? doc->model_node_count : doc->model_bone_count;
    bbanim_slot_set seen = bbanim_check_slot_set_make(check, doc->channel_count);
    for (uint32_t c = 0; seen.slots && c < doc->channel_count; c++) {
        uint32_t slot = bbmod_tree_slot(doc->channels[c].index, count);
        tn_path_text path = tn_path("channels[%" PRIu32 "].index", c);
        char number[TN_NUMBER_MAX];
        tn_f32_text(doc->channels[c].index, number);
        if (slot == TENON_NONE)
            tn_found(check, BBANIM_CHANNEL_INDEX, path,
                     "the index is %s, not a whole number below %" PRIu32, number, count);
        else if (bbanim_check_slot_set_add(&seen, slot))
            tn_found(check, BBANIM_CHANNEL_INDEX, path,
                     "an earlier channel has the index %" PRIu32 ", too", slot);
        bbanim_check_channel(check, doc, c);
    }
}

// -- Events

static void bbanim_check_events(tn_check *check, const tenon_bbanim *doc)
{
    for (uint32_t i = 0; i < doc->event_count; i++) {
        const tenon_bbanim_event *event = &doc->events[i];
        if (event->frame >= 0 && event->frame < doc->duration) continue;
        char frame[TN_NUMBER_MAX], duration[TN_NUMBER_MAX];
        tn_f64_text(event->frame, frame);
        tn_f64_text(doc->duration, duration);
        tn_found(check, BBANIM_EVENT_FRAME, tn_path("events[%" PRIu32 "].frame", i),
                 "the event is at frame %s, but the duration is %s frames", frame, duration);
    }
}

void bbanim_check(tn_check *check, const void *any)
{
    const tenon_bbanim *doc = any;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    tn_check_fields(check, doc);
    if (!doc->is_cut) {
        bbanim_check_times(check, doc);
        bbanim_check_engine(check, doc);
        if (!has_keys) bbanim_check_dialect(check, doc);
        bbanim_fit_check_model(check, doc);
    }
    if (has_keys) bbanim_check_channels(check, doc);
    bbanim_check_frames(check, doc);
    bbanim_check_events(check, doc);
}
