// bbanim_check.c: whether animations fit a model, and the rules of BBMOD animations.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "document/field_rules.h"
#include "formats/bbmod/bbmod_tree.h"
#include "formats/bbmod/dialects/bbmod_dialects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define ROTATION_TOLERANCE 1e-5  // How far the cosine of half an angle may be from 1.
#define POSITION_TOLERANCE 1e-3  // As a share of the distance from the origin.
#define UNIT_TOLERANCE     1e-3  // How far the length of a rotation may be from 1.
#define ENGINE_MOST        128   // Bones, and nodes, that the runtime supports.
#define ROWS               64    // Dual quaternions decoded at once.
#define ENGINE             "bbmod"

// -- Models

static bbanim_counts bbanim_fit_counts(const tenon_bbmod *model)
{
    if (!bbmod_has(model, TENON_BBMOD_NESTED))
        return (bbanim_counts){model->node_count, (uint32_t)model->bones.count};
    uint32_t bones = model->v1_bone_count;
    bbmod_tree_item skeleton = {.v1_bone = &model->v1_skeleton};
    return (bbanim_counts){bones ? (uint32_t)bbmod_tree_count(&skeleton) : 0, bones};
}

bbanim_misfit bbanim_fit_misfit(const tenon_bbanim *doc, bbanim_counts has)
{
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool knows_nodes = !has_keys || bbanim_has(doc, TENON_BBANIM_NODES);
    bool knows_bones = !has_keys || !knows_nodes;
    if (knows_nodes && doc->model_node_count != has.nodes)
        return (bbanim_misfit){"nodes", doc->model_node_count, has.nodes};
    if (knows_bones && doc->model_bone_count != has.bones)
        return (bbanim_misfit){"bones", doc->model_bone_count, has.bones};
    return (bbanim_misfit){NULL, 0, 0};
}

bool tenon_bbanim_fits(const tenon_bbanim *animation, const tenon_bbmod *model)
{
    return !bbanim_fit_misfit(animation, bbanim_fit_counts(model)).what;
}

uint64_t bbanim_fit_channels(const tenon_bbanim *doc, const bbmod_rig *rig, uint32_t slot_count,
                             const tenon_bbanim_channel **by_joint)
{
    uint64_t unknown = 0;
    for (uint32_t c = 0; c < doc->channel_count; c++) {
        uint32_t slot = bbmod_slot(doc->channels[c].index, slot_count);
        uint32_t joint = slot == TENON_NONE ? TENON_NONE : rig->by_slot[slot];
        if (joint == TENON_NONE || by_joint[joint])
            unknown++;
        else
            by_joint[joint] = &doc->channels[c];
    }
    return unknown;
}

// -- Comparing counts

bool bbanim_fit_relate(const void *any, const tenon_doc *other, char *text, size_t text_size)
{
    const tenon_bbanim *doc = any;
    const tenon_bbmod *model = tenon_as_bbmod((tenon_doc *)other);
    if (!model) return false;
    bbanim_counts has = bbanim_fit_counts(model);
    bbanim_misfit misfit = bbanim_fit_misfit(doc, has);
    bool is_old = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool same_age = is_old == (model->version_major < 3);
    if (misfit.what)
        snprintf(text, text_size,
                 "the animation does not fit the model: it is for %u %s, but the model has %u",
                 misfit.expected, misfit.what, misfit.has);
    else
        snprintf(text, text_size, "the animation fits the model: %u nodes, %u bones%s", has.nodes,
                 has.bones, same_age ? "" : "; but no engine version reads both files");
    return true;
}

// -- Checking

// Count a transform that differs from that of another space. The sign of dual quaternions does not
// matter.
static void bbanim_fit_compare(tn_tally *differing, const char *space, uint64_t frame,
                               uint32_t slot, const uint8_t *rows, tn_dquat expected)
{
    tn_dquat stored = bbmod_rig_load_row(rows, slot);
    tn_vec3 a = tn_dquat_translation(stored), b = tn_dquat_translation(expected);
    double apart = tn_vec3_length(tn_vec3_sub(a, b));
    bool is_near = apart <= POSITION_TOLERANCE * (1 + tn_vec3_length(a));
    double cosine = fabs(tn_quat_dot(stored.real, expected.real));
    bool is_rotated = fabs(cosine - 1) > ROTATION_TOLERANCE;
    // Another rule reports numbers that are not finite.
    if ((is_near && !is_rotated) || !isfinite(apart)) return;
    tn_tally_path(differing, 1, "frames[%" PRIu64 "].%s[%u]", frame, space, slot);
}

// Compare with the model of the options.
static void bbanim_fit_check_model(tn_check *check, const tenon_bbanim *doc)
{
    const tenon_bbmod *model = tenon_as_bbmod((tenon_doc *)check->opts->model);
    if (!model) return;
    bbanim_counts has = bbanim_fit_counts(model);
    bbanim_misfit nodes = bbanim_fit_misfit(doc, (bbanim_counts){has.nodes, doc->model_bone_count});
    bbanim_misfit bones = bbanim_fit_misfit(doc, (bbanim_counts){doc->model_node_count, has.bones});
    if (nodes.what)
        tn_found(check, "model-nodes", tn_path("model_node_count"),
                 "the animation is for %u nodes, but the model has %u", nodes.expected, nodes.has);
    if (bones.what)
        tn_found(check, "model-bones", tn_path("model_bone_count"),
                 "the animation is for %u bones, but the model has %u", bones.expected, bones.has);
    // What spaces of the same frame say.
    bool is_plain = !bbanim_has(doc, TENON_BBANIM_REPEATED);
    if (!is_plain || nodes.what || bones.what) return;
    bbmod_view view;
    bbmod_rig rig;
    if (doc->frames.count == 0 || doc->frames.layout->element_count < 2) return;
    if (!bbmod_view_make(&view, model, check->arena, NULL) ||
        !bbmod_rig_make(&rig, &view, check->arena, NULL)) {
        check->failed = true;
        return;
    }
    tn_dquat *worlds = tn_check_alloc(check, rig.joint_count, sizeof *worlds);
    if (!worlds || rig.joint_count != doc->model_node_count ||
        rig.bone_count != doc->model_bone_count)
        return;
    tn_tally worlds_off = {0}, bones_off = {0};
    for (uint64_t frame = 0; frame < doc->frames.count; frame++) {
        const uint8_t *world_rows = bbanim_rows(doc, "world", frame);
        const uint8_t *bone_rows = bbanim_rows(doc, "bone", frame);
        bbanim_worlds(doc, &rig, frame, worlds);
        for (uint32_t i = 0; i < rig.joint_count; i++) {
            uint32_t slot = rig.joints[i].slot;
            if (slot == TENON_NONE) continue;
            if (world_rows)
                bbanim_fit_compare(&worlds_off, "world", frame, slot, world_rows, worlds[i]);
            if (bone_rows && slot < rig.bone_count && rig.offsets[slot].is_there)
                bbanim_fit_compare(&bones_off, "bone", frame, slot, bone_rows,
                                   tn_dquat_mul(worlds[i], rig.offsets[slot].rigid));
        }
    }
    static const char why[] =
        "differs from the other spaces and the model; %" PRIu64 " transforms differ";
    tn_found_tally(check, "spaces-differ", &worlds_off, why, worlds_off.count);
    tn_found_tally(check, "spaces-differ", &bones_off, why, bones_off.count);
}

// -- Rules

const tenon_rule bbanim_rules[BBANIM_RULE_COUNT] = {
    {"bbanim/duration", TENON_ERROR, "the duration is a whole number of frames",
     "convert with --refresh, which sets it to the number of stored frames", NULL},
    {"bbanim/rate", TENON_ERROR, "the rate is more than 0 tics per second",
     "set it to 60, the converter's default", NULL},
    {"bbanim/spaces-unknown", TENON_WARNING, "only the space bits 1, 2 and 4 are set",
     "clear the other bits: readers ignore them", NULL},
    {"bbanim/spaces-none", TENON_ERROR, "an animation with a duration stores frames",
     "convert the source again with -oa of 0, 1 or 2", NULL},
    {"bbanim/spaces-differ", TENON_WARNING, "frames in several spaces describe the same motion",
     "convert with --spaces, which computes all spaces from the lowest one", NULL},
    {"bbanim/transform-zero", TENON_ERROR, "the rotation of a dual quaternion is not zero", NULL,
     NULL},
    {"bbanim/transform-unit", TENON_WARNING,
     "the real part of a dual quaternion has the length 1 and is perpendicular to the dual part",
     NULL, NULL},
    {"bbanim/not-finite", TENON_ERROR, "numbers are finite",
     "remove the bones that have no node, and export again", NULL},
    {"bbanim/channel-index", TENON_ERROR,
     "every channel has a valid node or bone index that no other channel has", NULL, NULL},
    {"bbanim/channel-empty", TENON_ERROR, "a channel has positions and rotations",
     "remove the channel: the runtime fails to play it", NULL},
    {"bbanim/key-order", TENON_WARNING, "keys are sorted by time", "sort the keys by time", NULL},
    {"bbanim/key-range", TENON_WARNING, "key times are between 0 and the duration", NULL, NULL},
    {"bbanim/rotation-unit", TENON_WARNING, "a rotation has the length 1",
     "divide the quaternion by its length", NULL},
    {"bbanim/event-frame", TENON_WARNING, "event frames are between 0 and the duration",
     "move the event into the clip: the engine never triggers events outside of it", NULL},
    {"bbanim/events-appended", TENON_INFO, "only version 3.4 and later store events",
     "convert with --as 3.4, which keeps the events", NULL},
    {"bbanim/text-utf8", TENON_WARNING, "names are UTF-8", NULL, NULL},
    {"bbanim/magic", TENON_WARNING, "a minor version follows only the uppercase magic",
     "convert with --as 3.1, the version that release 3.4.0 was intended to write", NULL},
    {"bbanim/broken-saver", TENON_ERROR,
     "each frame is stored once (runtimes 3.12.0 to 3.16.3 saved all frames for each frame)",
     "convert with --as 3.4, which keeps each frame once", NULL},
    {"bbanim/model-nodes", TENON_ERROR, "the animation and the model have the same number of nodes",
     NULL, NULL},
    {"bbanim/model-bones", TENON_ERROR, "the animation and the model have the same number of bones",
     NULL, NULL},
    {"bbanim/bone-limit", TENON_ERROR, "an animation is for at most 128 bones (64 before 3.15.0)",
     "split the model: the shaders do not support more bones", ENGINE},
    {"bbanim/node-limit", TENON_ERROR, "an animation in parent space is for at most 128 nodes",
     "convert with --spaces world,bone, or merge nodes", ENGINE},
    {"bbanim/version", TENON_ERROR, "the runtime reads version 3 only",
     "convert with --as 3.4, and --model MODEL for versions 1 and 2", ENGINE},
};

// -- Header

static void bbanim_check_header(tn_check *check, const tenon_bbanim *doc)
{
    uint32_t higher = TENON_BBANIM_WORLD | TENON_BBANIM_BONE, known = TENON_BBANIM_PARENT | higher;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool is_length = doc->duration >= 0 && doc->duration < HUGE_VAL;
    if (!is_length || (!has_keys && floor(doc->duration) != doc->duration))
        tn_found(check, "duration", tn_path("duration"),
                 is_length ? "the duration is %s frames" : "the duration is %s",
                 tn_show_f64(doc->duration).text);
    if (!(doc->tics_per_second > 0 && doc->tics_per_second < HUGE_VAL))
        tn_found(check, "rate", tn_path("tics_per_second"), "the rate is %s tics per second",
                 tn_show_f64(doc->tics_per_second).text);
    if (doc->version_major != 3)
        tn_found(check, "version", tn_path("version_major"),
                 "version %u, but the runtime reads only version 3", (unsigned)doc->version_major);
    else if (bbanim_has(doc, TENON_BBANIM_DOCUMENT))
        tn_found(check, "version", tn_path("version_major"),
                 "the layout follows the format's document, which the runtime does not read");
    if (doc->model_bone_count > ENGINE_MOST)
        tn_found(check, "bone-limit", tn_path("model_bone_count"),
                 "%u bones, but the runtime supports at most %d", doc->model_bone_count,
                 ENGINE_MOST);
    if (doc->model_node_count > ENGINE_MOST && !(doc->spaces & higher))
        tn_found(check, "node-limit", tn_path("model_node_count"),
                 "%u nodes, but the runtime animates at most %d", doc->model_node_count,
                 ENGINE_MOST);
    if (has_keys) return;
    if (doc->spaces & ~known)
        tn_found(check, "spaces-unknown", tn_path("spaces"), "'spaces' is %u",
                 (unsigned)doc->spaces);
    if (!(doc->spaces & known) && doc->duration > 0)
        tn_found(check, "spaces-none", tn_path("spaces"),
                 "the duration is not 0, but no frames are stored");
    if (bbanim_has(doc, TENON_BBANIM_REPEATED) && doc->frames.count)
        tn_found(check, "broken-saver", tn_path("frames"),
                 "each frame is stored as the list of all %u frames", doc->frame_count);
    if (bbanim_has(doc, TENON_BBANIM_LOWER) && bbanim_has(doc, TENON_BBANIM_MINOR))
        tn_found(check, "magic", tn_path("magic"),
                 "the magic is that of 3.0, but a minor version follows");
    if (doc->has_events)
        tn_found(check, "events-appended", tn_path("events"),
                 "version 3.%u has no events, but %u are stored", (unsigned)doc->version_minor,
                 doc->event_count);
}

// -- Frames

static void bbanim_check_space(tn_check *check, const tenon_span *frames,
                               const tenon_element *space)
{
    tn_tally bad[] = {[BBMOD_DUAL_OFF] = {0}};  // Rows of each bbmod_dual_state.
    float block[8 * ROWS];
    for (uint64_t frame = 0; frame < frames->count; frame++) {
        const uint8_t *rows = tn_span_record(frames, frame) + space->offset;
        for (uint64_t at = 0; at < space->rows; at += ROWS) {
            uint64_t count = space->rows - at < ROWS ? space->rows - at : ROWS;
            tn_copy_numbers(block, rows + 32 * at, 8 * count, 4, false);
            for (uint64_t i = 0; i < count; i++) {
                const float *v = block + 8 * i;
                float dot = v[0] * v[4] + v[1] * v[5] + v[2] * v[6] + v[3] * v[7];
                if (dot > -TN_PLAIN && dot < TN_PLAIN && tn_turn_is_plain(v)) continue;
                tn_tally_path(&bad[bbmod_dual_check(v)], 1, "frames[%" PRIu64 "].%s[%" PRIu64 "]",
                              frame, space->name, at + i);
            }
        }
    }
    tn_found_tally(check, "transform-zero", &bad[BBMOD_DUAL_ZERO],
                   "the rotation is 0, 0, 0, 0; %" PRIu64 " transforms of this space are affected",
                   bad[BBMOD_DUAL_ZERO].count);
    tn_found_tally(check, "transform-unit", &bad[BBMOD_DUAL_OFF],
                   "the dual quaternion is not a rotation and translation; %" PRIu64
                   " transforms of this space are affected",
                   bad[BBMOD_DUAL_OFF].count);
}

// -- Channels

static tn_path_text bbanim_check_time_path(uint32_t channel, const char *name, uint64_t key)
{
    return tn_path("channels[%u].%s[%" PRIu64 "].time", channel, name, key);
}

// At most one finding of each kind for a list of keys.
static void bbanim_check_times(tn_check *check, const tenon_bbanim *doc, uint32_t channel,
                               const char *name, const tenon_span *keys)
{
    double last = -HUGE_VAL;
    bool found_number = false, found_order = false, found_range = false;
    for (uint64_t k = 0; k < keys->count; k++) {
        double time = tn_load_f64(tn_span_record(keys, k), false);
        if (!isfinite(time)) {
            if (!found_number)
                tn_found(check, "not-finite", bbanim_check_time_path(channel, name, k),
                         "the time is not a finite number");
            found_number = true;
            continue;
        }
        if (time < last && !found_order) {
            tn_found(check, "key-order", bbanim_check_time_path(channel, name, k),
                     "the time is %s, but the previous key is at %s", tn_show_f64(time).text,
                     tn_show_f64(last).text);
            found_order = true;
        }
        if ((time < 0 || time > doc->duration) && !found_range) {
            tn_found(check, "key-range", bbanim_check_time_path(channel, name, k),
                     "the time is %s, but the duration is %s", tn_show_f64(time).text,
                     tn_show_f64(doc->duration).text);
            found_range = true;
        }
        last = time;
    }
}

static void bbanim_check_channels(tn_check *check, const tenon_bbanim *doc)
{
    uint32_t slot_count =
        bbanim_has(doc, TENON_BBANIM_NODES) ? doc->model_node_count : doc->model_bone_count;
    // A hash set of slot + 1; 0: empty. The number of nodes is stored and may be huge.
    uint64_t size = 4;
    while (size < 2 * (uint64_t)doc->channel_count) size *= 2;
    uint32_t *seen = tn_check_alloc(check, size, sizeof *seen);
    for (uint32_t c = 0; seen && c < doc->channel_count; c++) {
        const tenon_bbanim_channel *channel = &doc->channels[c];
        uint32_t slot = bbmod_slot(channel->index, slot_count);
        if (slot == TENON_NONE) {
            tn_found(check, "channel-index", tn_path("channels[%u].index", c),
                     "the index is %s, not a whole number below %u",
                     tn_show_f32(channel->index).text, slot_count);
        } else {
            uint64_t at = (slot * 0x9e3779b97f4a7c15u >> 32) & (size - 1);
            while (seen[at] && seen[at] != slot + 1) at = (at + 1) & (size - 1);
            if (seen[at])
                tn_found(check, "channel-index", tn_path("channels[%u].index", c),
                         "an earlier channel has the index %u, too", slot);
            seen[at] = slot + 1;
        }
        if (channel->positions.count == 0 || channel->rotations.count == 0)
            tn_found(check, "channel-empty", tn_path("channels[%u]", c),
                     "the channel has %" PRIu64 " positions and %" PRIu64 " rotations",
                     channel->positions.count, channel->rotations.count);
        bbanim_check_times(check, doc, c, "positions", &channel->positions);
        bbanim_check_times(check, doc, c, "rotations", &channel->rotations);
        const tenon_span *keys = &channel->rotations;
        for (uint64_t k = 0; k < keys->count; k++) {
            float q[4];
            double square = 0;
            tn_span_f32(keys, &keys->layout->elements[1], k, 1, q);
            for (int i = 0; i < 4; i++) square += (double)q[i] * q[i];
            if (!isfinite(square) || fabs(sqrt(square) - 1) <= UNIT_TOLERANCE) continue;
            tn_found(check, "rotation-unit",
                     tn_path("channels[%u].rotations[%" PRIu64 "].rotation", c, k),
                     "the length of the rotation is %s, not 1", tn_show_f64(sqrt(square)).text);
            break;  // One finding for each channel.
        }
    }
}

void bbanim_check(tn_check *check, const void *any)
{
    const tenon_bbanim *doc = any;
    tn_check_fields(check, doc);
    if (!doc->is_cut) {
        bbanim_check_header(check, doc);
        bbanim_fit_check_model(check, doc);
    }
    if (bbanim_has(doc, TENON_BBANIM_KEYFRAMES)) bbanim_check_channels(check, doc);
    for (uint32_t i = 0; doc->frames.count && i < doc->frames.layout->element_count; i++)
        bbanim_check_space(check, &doc->frames, &doc->frames.layout->elements[i]);
    for (uint32_t i = 0; i < doc->event_count; i++) {
        double at = doc->events[i].frame;
        if (at >= 0 && at < doc->duration) continue;
        tn_found(check, "event-frame", tn_path("events[%u].frame", i),
                 "the event is at frame %s, but the duration is %s frames", tn_show_f64(at).text,
                 tn_show_f64(doc->duration).text);
    }
}
