// diff_motion.c: what differs between animations.
// SPDX-License-Identifier: MIT
//
// Curves are compared by their values: at the keys of both, and at two times between each two keys,
// which together with the ends determine a cubic. How many keys a curve has does not matter.

#include "scene/compare/diff.h"

#include "scene/model/channels.h"
#include "scene/pose/pose.h"

#include <math.h>
#include <string.h>

static const char *const target_words[] = {"translation", "rotation", "scale", "weights"};

// Two curves of the same property of two nodes that are partners. A node without a channel does not
// move.
typedef struct curve_pair {
    const tenon_channel *channels[2];
    double rest[2][4];
    tenon_target target;
    uint32_t morph;  // Of TENON_WEIGHTS: the one whose weight it is.
    double length;   // What translations are a share of.
} curve_pair;

// The first time at which they differ, and by how much they do at most.
typedef struct curve_difference {
    uint64_t count;
    double seconds, largest;
    double values[2][4];
} curve_difference;

// -- Curves

static void diff_motion_value_at(const curve_pair *curves, int side, double seconds,
                                 double value[4])
{
    memcpy(value, curves->rest[side], sizeof curves->rest[side]);
    if (!curves->channels[side]) return;
    if (curves->target == TENON_WEIGHTS)
        value[0] = tenon_channel_sample_weight(curves->channels[side], curves->morph, seconds);
    else
        tn_channel_sample(curves->channels[side], seconds, value);
}

static void diff_motion_compare_at(tn_diff *diff, const curve_pair *curves, double a_time,
                                   double b_time, curve_difference *out)
{
    double a[4], b[4];
    if (!tn_match_goes_on(&diff->context, 1)) return;
    diff_motion_value_at(curves, 0, a_time, a);
    diff_motion_value_at(curves, 1, b_time, b);
    double distance =
        curves->target == TENON_ROTATION
            ? tn_diff_angle(a, b)
            : tn_diff_distance(a, b, 3, curves->target == TENON_TRANSLATION ? curves->length : 0);
    if (tn_diff_is_equal(diff, distance)) return;
    if (out->count++ == 0) {
        out->seconds = a_time;
        memcpy(out->values[0], a, sizeof a);
        memcpy(out->values[1], b, sizeof b);
    }
    if (distance > out->largest) out->largest = distance;
}

// Keys of both that are at the same time, within the tolerance, are compared with each other.
static void diff_motion_compare_curves(tn_diff *diff, const curve_pair *curves,
                                       curve_difference *out)
{
    uint32_t keys[2] = {0, 0};
    double before[2] = {0, 0};
    for (bool is_first = true;; is_first = false) {
        double times[2];
        for (int side = 0; side < 2; side++) {
            const tenon_channel *channel = curves->channels[side];
            bool has_key = channel && keys[side] < channel->key_count;
            times[side] = has_key ? (double)channel->times[keys[side]] : HUGE_VAL;
        }
        double sooner = times[0] < times[1] ? times[0] : times[1];
        if (sooner == HUGE_VAL) return;
        double tolerance = diff->tolerance * (sooner > 1 ? sooner : 1);
        for (int side = 0; side < 2; side++) {
            bool is_now = times[side] - sooner <= tolerance;
            if (is_now) keys[side]++;
            if (!is_now) times[side] = sooner;
        }
        for (int third = 1; third < 3 && !is_first; third++)
            diff_motion_compare_at(diff, curves, before[0] + (times[0] - before[0]) * third / 3,
                                   before[1] + (times[1] - before[1]) * third / 3, out);
        diff_motion_compare_at(diff, curves, times[0], times[1], out);
        memcpy(before, times, sizeof before);
    }
}

static bool diff_motion_is_same_curve(const tenon_channel *a, const tenon_channel *b)
{
    size_t size = tn_key_size(a);
    if (a->curve != b->curve || a->key_count != b->key_count) return false;
    if (a->weight_count != b->weight_count) return false;
    return memcmp(a->times, b->times, a->key_count * sizeof *a->times) == 0 &&
           memcmp(a->values, b->values, a->key_count * size * sizeof *a->values) == 0;
}

// -- Channels

static tn_diff_text diff_motion_channel_path(const tn_diff *diff, const tn_object_pair *pair,
                                             int side, const tenon_channel *channel)
{
    tn_diff_text node = tn_diff_label(diff, side, TN_NODES, channel->node);
    tn_diff_text property =
        tn_diff_print("channels[%s.%s]", node.text, target_words[channel->target]);
    return tn_diff_path(diff, pair, property.text);
}

// "1 0 0 at 0.5 s"
static tn_diff_text diff_motion_value_text(const char *values, double seconds)
{
    tn_diff_text time, ignored;
    tn_diff_numbers_text(&seconds, &(double){-1}, 1, &time, &ignored);
    return tn_diff_print("%s at %s s", values, time.text);
}

static void diff_motion_curves(tn_diff *diff, const tn_object_pair *pair, const curve_pair *curves)
{
    int side = curves->channels[0] ? 0 : 1;
    uint32_t size = curves->target == TENON_WEIGHTS ? 1 : curves->target == TENON_ROTATION ? 4 : 3;
    curve_difference found = {0};
    diff_motion_compare_curves(diff, curves, &found);
    if (found.count == 0) return;
    tn_diff_text a_text, b_text;
    tn_diff_text path = diff_motion_channel_path(diff, pair, side, curves->channels[side]);
    if (curves->target == TENON_WEIGHTS)
        path = tn_diff_print("%.490s[%u]", path.text, (unsigned)curves->morph);
    tn_diff_numbers_text(found.values[0], found.values[1], size, &a_text, &b_text);
    tn_diff_report_words(diff, TN_DIFF_CHANNELS, path.text,
                         diff_motion_value_text(a_text.text, found.seconds).text,
                         diff_motion_value_text(b_text.text, found.seconds).text, found.largest, 1);
}

// Compare channels of two nodes that are partners; one of them may be NULL.
static void diff_motion_channel(tn_diff *diff, const tn_object_pair *pair, const tenon_channel *a,
                                const tenon_channel *b)
{
    int side = a ? 0 : 1;
    const tenon_channel *channel = a ? a : b;
    uint32_t partner = diff->pairings[TN_NODES].partners[side][channel->node];
    if (a && b && diff_motion_is_same_curve(a, b)) return;
    const tenon_node *node = partner == TENON_NONE ? NULL : &diff->scenes[!side]->nodes[partner];
    bool is_of_weights = channel->target == TENON_WEIGHTS;
    bool has_other_morphs = is_of_weights && node &&
                            tn_morph_count(diff->scenes[!side], partner) != channel->weight_count;
    if (!node || has_other_morphs || ((!a || !b) && node->has_matrix && !is_of_weights)) {
        // The other scene does not have the node, or cannot animate it.
        tn_diff_text keys = tn_diff_print("%u keys", (unsigned)channel->key_count);
        tn_diff_report_words(diff, TN_DIFF_CHANNELS,
                             diff_motion_channel_path(diff, pair, side, channel).text,
                             side ? "" : keys.text, side ? keys.text : "", -1, 1);
        return;
    }
    curve_pair curves = {.channels = {a, b},
                         .target = channel->target,
                         .length = diff->lengths[a ? a->node : partner]};
    if (!is_of_weights) {
        const double *rest[] = {node->translation, node->rotation, node->scale};
        memcpy(curves.rest[!side], rest[channel->target],
               tn_channel_width(channel) * sizeof **curves.rest);
        diff_motion_curves(diff, pair, &curves);
        return;
    }
    const double *weights = tn_rest_weights(diff->scenes[!side], partner);
    for (uint32_t k = 0; k < channel->weight_count; k++) {
        curves.morph = k;
        curves.rest[!side][0] = weights[k];
        diff_motion_curves(diff, pair, &curves);
    }
}

static void diff_motion_channels(tn_diff *diff, const tn_object_pair *pair,
                                 const tenon_animation *a, const tenon_animation *b)
{
    const tenon_animation *const animations[2] = {a, b};
    const tn_pairing *nodes = &diff->pairings[TN_NODES];
    tn_ids ids;  // The same for channels of the same property of partners.
    tn_pairing pairing;
    if (!tn_pairing_begin(&diff->context, &pairing, a->channel_count, b->channel_count) ||
        !tn_ids_begin(&diff->context, &ids, &pairing))
        return;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < pairing.count[side]; i++) {
            const tenon_channel *channel = &animations[side]->channels[i];
            uint64_t node = channel->node;
            if (side == 0) {
                uint32_t partner = nodes->partners[0][node];
                node = partner == TENON_NONE ? node + nodes->count[1] : partner;
            }
            ids.of[side][i] = tn_id_of_key(&ids, node << 2 | (uint64_t)channel->target);
        }
    if (!tn_pair_ids(&diff->context, &pairing, &ids)) return;
    for (uint32_t i = 0; i < a->channel_count && !diff->context.failed; i++) {
        uint32_t partner = pairing.partners[0][i];
        diff_motion_channel(diff, pair, &a->channels[i],
                            partner == TENON_NONE ? NULL : &b->channels[partner]);
    }
    for (uint32_t i = 0; i < b->channel_count && !diff->context.failed; i++)
        if (pairing.partners[1][i] == TENON_NONE)
            diff_motion_channel(diff, pair, NULL, &b->channels[i]);
}

// -- Events

static void diff_motion_event(tn_diff *diff, const tn_object_pair *pair, const tenon_event *a,
                              const tenon_event *b)
{
    double a_time = a ? a->time : -1, b_time = b ? b->time : -1;
    double distance = a && b ? tn_diff_distance(&a_time, &b_time, 1, 1) : -1;
    if (a && b && tn_diff_is_equal(diff, distance)) return;
    tn_diff_text a_text, b_text, name = tn_diff_name((a ? a : b)->name);
    tn_diff_text property = tn_diff_print("events[%.63s]", name.text);
    tn_diff_numbers_text(&a_time, &b_time, 1, &a_text, &b_text);
    a_text = a ? tn_diff_print("%s s", a_text.text) : (tn_diff_text){""};
    b_text = b ? tn_diff_print("%s s", b_text.text) : (tn_diff_text){""};
    tn_diff_report_words(diff, TN_DIFF_EVENTS, tn_diff_path(diff, pair, property.text).text,
                         a_text.text, b_text.text, distance, 1);
}

static void diff_motion_events(tn_diff *diff, const tn_object_pair *pair, const tenon_animation *a,
                               const tenon_animation *b)
{
    tn_ids ids;
    tn_pairing pairing;
    if (!tn_pairing_begin(&diff->context, &pairing, a->event_count, b->event_count) ||
        !tn_ids_begin(&diff->context, &ids, &pairing))
        return;
    for (uint32_t i = 0; i < a->event_count; i++)
        ids.of[0][i] = tn_id_of_text(&ids, a->events[i].name);
    for (uint32_t i = 0; i < b->event_count; i++)
        ids.of[1][i] = tn_id_of_text(&ids, b->events[i].name);
    if (!tn_pair_ids(&diff->context, &pairing, &ids)) return;
    for (uint32_t i = 0; i < a->event_count && !diff->context.failed; i++) {
        uint32_t partner = pairing.partners[0][i];
        diff_motion_event(diff, pair, &a->events[i],
                          partner == TENON_NONE ? NULL : &b->events[partner]);
    }
    for (uint32_t i = 0; i < b->event_count && !diff->context.failed; i++)
        if (pairing.partners[1][i] == TENON_NONE)
            diff_motion_event(diff, pair, NULL, &b->events[i]);
}

// -- Animations

void tn_diff_animations(tn_diff *diff)
{
    tn_diff_unpaired(diff, TN_DIFF_ANIMATIONS, TN_ANIMATIONS);
    for (uint32_t i = 0; i < diff->scenes[0]->animation_count && !diff->context.failed; i++) {
        tn_object_pair pair = {TN_ANIMATIONS, i, diff->pairings[TN_ANIMATIONS].partners[0][i]};
        if (pair.b == TENON_NONE) continue;
        const tenon_animation *a = &diff->scenes[0]->animations[pair.a];
        const tenon_animation *b = &diff->scenes[1]->animations[pair.b];
        tn_mark mark = tn_arena_mark(&diff->context.arena);
        tn_diff_number(diff, TN_DIFF_ANIMATIONS, &pair, "duration", a->duration, b->duration, 1);
        diff_motion_channels(diff, &pair, a, b);
        diff_motion_events(diff, &pair, a, b);
        tn_arena_rewind(&diff->context.arena, mark);
    }
}
