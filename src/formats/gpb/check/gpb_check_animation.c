// gpb_check_animation.c: checks animations and their channels.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "formats/gpb/check/gpb_rules.h"
#include "formats/gpb/gpb_attribute.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"

#include <inttypes.h>
#include <math.h>

#define GPB_TIME_MOST      1.0e9  // Milliseconds, twelve days.
#define GPB_ROTATION_SLACK 1e-2

gpb_attribute gpb_check_attribute_of(uint32_t target_attribute)
{
    static const gpb_attribute known[] = {
        [0] = {"none", 1, TENON_NONE},
        [1] = {"scale", 3, TENON_NONE},
        [2] = {"scale x", 1, TENON_NONE},
        [3] = {"scale y", 1, TENON_NONE},
        [4] = {"scale z", 1, TENON_NONE},
        [8] = {"rotate", 4, 0},
        [9] = {"translate", 3, TENON_NONE},
        [10] = {"translate x", 1, TENON_NONE},
        [11] = {"translate y", 1, TENON_NONE},
        [12] = {"translate z", 1, TENON_NONE},
        [16] = {"rotate translate", 7, 0},
        [17] = {"scale rotate translate", 10, 3},
        [18] = {"scale translate", 6, TENON_NONE},
        [19] = {"scale rotate", 7, 3},
    };
    if (target_attribute < sizeof known / sizeof known[0]) return known[target_attribute];
    return (gpb_attribute){NULL, 0, TENON_NONE};
}

double gpb_check_key_time(const tenon_gpb_channel *channel, uint64_t key)
{
    const uint8_t *p = channel->key_times.data + 4 * key;
    bool is_float = channel->key_times.layout->elements[0].type == TENON_TYPE_F32;
    return is_float ? (double)tn_load_f32(p, false) : (double)tn_load32(p, false);
}

// -- Keys

static void gpb_check_animation_times(const gpb_checker *checker, const tenon_gpb_channel *channel,
                                      const char *path)
{
    double last = -INFINITY;
    for (uint64_t i = 0; i < channel->key_times.count; i++) {
        double time = gpb_check_key_time(channel, i);
        if (!isfinite(time)) continue;  // The rule for finite numbers reports this.
        if (!(time > last)) {
            tn_found(checker->check, GPB_KEY_ORDER, tn_path("%s.key_times[%" PRIu64 "]", path, i),
                     "key %" PRIu64 " of %" PRIu64 " is not later than the key before it", i,
                     channel->key_times.count);
            return;
        }
        if (time > GPB_TIME_MOST) {
            tn_found(checker->check, GPB_KEY_TIME, tn_path("%s.key_times[%" PRIu64 "]", path, i),
                     "a key is at %s milliseconds", gpb_check_number(time).text);
            return;
        }
        last = time;
    }
}

static void gpb_check_animation_rotations(const gpb_checker *checker,
                                          const tenon_gpb_channel *channel, gpb_attribute attribute,
                                          const char *path)
{
    uint64_t bad = 0, first = 0;
    for (uint64_t k = 0; k < channel->values.count / attribute.size; k++) {
        uint64_t at = k * attribute.size + attribute.rotation;
        double square = 0;
        for (uint32_t i = 0; i < 4; i++) {
            double v = tn_load_f32(channel->values.data + 4 * (at + i), false);
            square += v * v;
        }
        if (!(square < INFINITY) || fabs(square - 1) <= 2 * GPB_ROTATION_SLACK) continue;
        if (bad++ == 0) first = at;
    }
    if (bad)
        tn_found(checker->check, GPB_KEY_ROTATION, tn_path("%s.values[%" PRIu64 "]", path, first),
                 "%" PRIu64 " rotations do not have length 1, this is the first", bad);
}

static void gpb_check_animation_values(const gpb_checker *checker, const tenon_gpb_channel *channel,
                                       const char *path)
{
    gpb_attribute attribute = gpb_check_attribute_of(channel->target_attribute);
    if (!attribute.name) {
        tn_found(checker->check, GPB_ATTRIBUTE, tn_path("%s.target_attribute", path),
                 "attribute %" PRIu32 " does not exist", channel->target_attribute);
        return;
    }
    if (channel->target_attribute == 0)
        tn_found(checker->check, GPB_ATTRIBUTE_SKIPPED, tn_path("%s.target_attribute", path),
                 "the engine does not play attribute 0");
    uint64_t needed = channel->key_times.count * attribute.size;
    if (channel->values.count != needed)
        tn_found(checker->check, GPB_KEY_VALUES, tn_path("%s.values", path),
                 "%" PRIu64 " keys of %" PRIu32 " numbers need %" PRIu64
                 " numbers, but there are %" PRIu64,
                 channel->key_times.count, attribute.size, needed, channel->values.count);
    else if (attribute.rotation != TENON_NONE)
        gpb_check_animation_rotations(checker, channel, attribute, path);
}

static void gpb_check_animation_curves(const gpb_checker *checker, const tenon_gpb_channel *channel,
                                       const char *path)
{
    uint64_t count = channel->interpolations.count, curved = 0;
    for (uint64_t i = 0; i < count; i++) curved += tn_span_u32(&channel->interpolations, i) != 1;
    if (count != 1 && count != channel->key_times.count)
        tn_found(checker->check, GPB_INTERPOLATION_COUNT, tn_path("%s.interpolations", path),
                 "%" PRIu64 " interpolations for %" PRIu64 " keys", count,
                 channel->key_times.count);
    if (curved || channel->tangents_in.count || channel->tangents_out.count)
        tn_found(checker->check, GPB_INTERPOLATION, tn_path("%s.interpolations", path),
                 "the channel has curves, which the engine reads but does not play");
}

// -- Channels

static void gpb_check_animation_channel(const gpb_checker *checker,
                                        const tenon_gpb_channel *channel, const char *path)
{
    if (gpb_index_find_node(&checker->index, channel->target_id) == TENON_NONE)
        tn_found(checker->check, GPB_ANIMATION_TARGET, tn_path("%s.target_id", path),
                 "the node '%s' does not exist", gpb_check_show(channel->target_id).text);
    gpb_check_animation_times(checker, channel, path);
    gpb_check_animation_values(checker, channel, path);
    gpb_check_animation_curves(checker, channel, path);
}

// -- Animations

static bool gpb_check_animation_channel_order(const void *context, uint32_t a, uint32_t b)
{
    const tenon_gpb_channel *channels = context;
    int order = tn_text_order(channels[a].target_id, channels[b].target_id);
    return order ? order < 0 : channels[a].target_attribute < channels[b].target_attribute;
}

// The encoder writes all takes of a source into one animation, which then moves the same target
// several times.
static void gpb_check_animation_takes(const gpb_checker *checker,
                                      const tenon_gpb_animation *animation, const char *path)
{
    uint32_t count = animation->channel_count;
    uint32_t *order = tn_check_alloc(checker->check, count, sizeof *order);
    uint32_t *spare = tn_check_alloc(checker->check, count, sizeof *spare);
    uint64_t repeated = 0;
    if (checker->check->failed) return;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, gpb_check_animation_channel_order, animation->channels);
    for (uint32_t i = 1; i < count; i++)
        repeated += !gpb_check_animation_channel_order(animation->channels, order[i - 1], order[i]);
    if (repeated)
        tn_found(checker->check, GPB_ANIMATION_TAKES, tn_path("%s", path),
                 "%" PRIu64 " of %" PRIu32 " channels have the same target as another channel",
                 repeated, count);
}

static void gpb_check_animation(const gpb_checker *checker, const tenon_gpb_animation *animation,
                                const char *path)
{
    if (animation->channel_count == 0)
        tn_found(checker->check, GPB_ANIMATION_EMPTY, tn_path("%s", path),
                 "the animation '%s' has no channels", gpb_check_show(animation->id).text);
    for (uint32_t i = 0; i < animation->channel_count; i++)
        gpb_check_animation_channel(checker, &animation->channels[i],
                                    tn_path("%s.channels[%" PRIu32 "]", path, i).text);
    gpb_check_animation_takes(checker, animation, path);
}

void gpb_check_animations(const gpb_checker *checker, uint32_t block)
{
    const tenon_gpb_block *b = &checker->doc->blocks[block];
    const tenon_gpb_animations *all = &b->body.animations;
    if (b->kind == TENON_GPB_ANIMATION) {
        gpb_check_animation(checker, &b->body.animation,
                            tn_path("blocks[%" PRIu32 "].animation", block).text);
        return;
    }
    for (uint32_t i = 0; i < all->animation_count; i++)
        gpb_check_animation(
            checker, &all->animations[i],
            tn_path("blocks[%" PRIu32 "].animations.animations[%" PRIu32 "]", block, i).text);
}
