// gpb_import_clip.c: imports the clips that a .animation file next to the bundle defines.
// SPDX-License-Identifier: MIT

#include "formats/gpb/import/gpb_import.h"

#include "core/text/name_tree.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "scene/pose/pose.h"

#include <inttypes.h>
#include <string.h>

// -- One channel

// The last key at or before a time; the first if all are later.
static uint32_t gpb_import_clip_key_before(const tenon_channel *c, float time)
{
    uint32_t low = 0, high = c->key_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (c->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Copy the keys from `begin` to `end`, with a key at each end, and make their times relative to the
// clip. A negative speed reverses the keys.
static void gpb_import_clip_copy_keys(tn_scene_builder *builder, const tenon_channel *from,
                                      float begin, float end, double speed, tenon_channel *to)
{
    bool is_cubic = from->curve == TENON_CUBIC, is_backwards = speed < 0;
    double rate = is_backwards ? -speed : speed;
    uint32_t size = from->target == TENON_ROTATION ? 4 : 3, key_size = is_cubic ? 3 * size : size;
    uint32_t start = gpb_import_clip_key_before(from, begin);
    uint32_t last = gpb_import_clip_key_before(from, end);
    uint32_t first = from->times[start] <= begin ? start + 1 : start;
    uint32_t inner = last + 1 > first ? last + 1 - first : 0;
    if (inner && from->times[last] >= end) inner--;
    tn_channel_alloc(builder, to, (uint64_t)inner + 2);
    if (builder->failed) return;
    float duration = (float)(((double)end - begin) / rate);
    for (uint32_t i = 0; i <= inner + 1; i++) {
        uint32_t key = i == 0 ? start : i <= inner ? first + i - 1 : last;
        float time = i == 0 ? begin : i <= inner ? from->times[key] : end;
        uint32_t at = is_backwards ? inner + 1 - i : i;
        float *out = to->values + (size_t)at * key_size;
        // The key at any time. Before the first and after the last, a curve does not change.
        const float *a = from->values + (size_t)key * key_size, *b = a + key_size;
        double value[4];
        bool is_key = time == from->times[key];
        if (is_key) memcpy(out, a, key_size * sizeof *out);
        if (!is_key) tn_channel_sample(from, time, value);
        for (uint32_t k = 0; k < size && !is_key; k++)
            out[is_cubic ? size + k : k] = (float)value[k];
        bool is_inside = key + 1 < from->key_count && !(time < from->times[key]);
        for (uint32_t k = 0; k < size && is_cubic && !is_key; k++) {
            double slope = 0;  // Before the first key and after the last.
            if (is_inside) {
                double interval = (double)from->times[key + 1] - from->times[key];
                double s = ((double)time - from->times[key]) / interval, s2 = s * s;
                double change = (double)b[size + k] - a[size + k];
                slope = 6 * (s - s2) * change / interval + (3 * s2 - 4 * s + 1) * a[2 * size + k] +
                        (3 * s2 - 2 * s) * b[k];
            }
            out[k] = out[2 * size + k] = (float)slope;
        }
        time = (float)(((double)time - begin) / rate);
        to->times[at] = is_backwards ? duration - time : time;
        for (uint32_t k = 0; k < size && is_cubic; k++) {
            float arrive = out[k], leave = out[2 * size + k];
            out[k] = (float)((is_backwards ? leave : arrive) * speed);
            out[2 * size + k] = (float)((is_backwards ? arrive : leave) * speed);
        }
    }
    // A step that was held after a key is then held before it.
    if (is_backwards && from->curve == TENON_STEP)
        memmove(to->values, to->values + size, ((size_t)inner + 1) * size * sizeof *to->values);
}

// -- Clips

// The time from the first key of an animation to the last.
typedef struct gpb_clip_range {
    double start, length;
} gpb_clip_range;

static gpb_clip_range gpb_import_clip_range_of(const tenon_animation *animation)
{
    double start = 0, end = 0;
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const tenon_channel *c = &animation->channels[i];
        if (i == 0 || c->times[0] < start) start = c->times[0];
        if (c->times[c->key_count - 1] > end) end = c->times[c->key_count - 1];
    }
    return (gpb_clip_range){start, end - start};
}

// Add a clip of an animation of the scene. The engine counts frames from the first key to the last.
static void gpb_import_clip(gpb_importer *importer, const gpb_clip *clip, uint32_t animation)
{
    tn_scene_builder *builder = importer->builder;
    double frames = clip->frame_count, speed = 1;
    bool is_good = animation != TENON_NONE && frames > 0 && clip->begin >= 0 &&
                   clip->end > clip->begin && clip->end <= frames;
    if (!is_good) {
        tn_tally_path(&importer->losses.clips, 1, "line %" PRIu32 " of the .animation file",
                      clip->block->line);
        return;
    }
    if (clip->speed.data) (void)tn_f64_parse(clip->speed.data, clip->speed.size, &speed);
    bool is_speed = (speed > 1e-6 && speed < 1e6) || (speed < -1e-6 && speed > -1e6);
    if (!is_speed) speed = 1;
    gpb_clip_range range = gpb_import_clip_range_of(&builder->scene->animations[animation]);
    float begin = (float)(range.start + clip->begin / frames * range.length);
    float end = (float)(range.start + clip->end / frames * range.length);
    if (!(end > begin)) return;
    uint32_t count = builder->scene->animations[animation].channel_count;
    uint32_t index = tn_add_animation(builder, clip->block->id, count);
    if (builder->failed) return;
    const tenon_animation *from = &builder->scene->animations[animation];
    tenon_animation *to = &builder->scene->animations[index];
    to->duration = ((double)end - begin) / (speed < 0 ? -speed : speed);
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        to->channels[i] = (tenon_channel){.node = from->channels[i].node,
                                          .target = from->channels[i].target,
                                          .curve = from->channels[i].curve};
        gpb_import_clip_copy_keys(builder, &from->channels[i], begin, end, speed, &to->channels[i]);
    }
    if (clip->repeat_count.data)
        tn_add_extra(builder, TENON_EXTRA_OF_ANIMATION, index, "repeat_count", clip->repeat_count);
}

void gpb_import_clips(gpb_importer *importer)
{
    tenon_gpb_properties *file = gpb_import_open_sidecar(importer, "animation");
    if (!file) return;
    tn_scene_builder *builder = importer->builder;
    uint32_t longest = TENON_NONE;
    double most = -1;
    for (uint32_t i = 0; i < builder->scene->animation_count; i++) {
        double length = gpb_import_clip_range_of(&builder->scene->animations[i]).length;
        if (length <= most) continue;
        most = length;
        longest = i;
    }
    // The first source of each id that is in the scene.
    tn_named *entries = tn_scene_array(builder, importer->source_count, sizeof *entries);
    tn_name_tree ids = {NULL};
    for (uint32_t i = 0; i < importer->source_count && !builder->failed; i++) {
        entries[i].name = importer->sources[i].animation->id;
        if (importer->sources[i].clip != TENON_NONE) tn_name_enter(&ids, &entries[i]);
    }
    for (gpb_clip clip = {0}; gpb_sidecar_next_clip(file, &clip) && !builder->failed;) {
        // If no animation has that name, the longest: the engine ignores the name.
        const tn_named *found = tn_name_find(&ids, clip.animation->id);
        gpb_import_clip(importer, &clip, found ? importer->sources[found - entries].clip : longest);
    }
    tenon_gpb_properties_free(file);
}
