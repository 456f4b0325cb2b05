// gpb_import_clip.c: imports the clips that a .animation file next to the bundle defines.
// SPDX-License-Identifier: MIT

#include "formats/gpb/import/gpb_import.h"

#include "core/math/sort.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "scene/pose/pose.h"

#include <inttypes.h>
#include <string.h>

// A range of an animation of the scene that becomes a clip.
typedef struct gpb_clip_range {
    float begin, end;  // Seconds.
    double speed;      // Greater than 0.
    bool is_backwards;
} gpb_clip_range;

// -- One channel

static uint32_t gpb_import_clip_value_size(const tenon_channel *c)
{
    return c->target == TENON_ROTATION ? 4 : 3;
}

static uint32_t gpb_import_clip_key_size(const tenon_channel *c)
{
    return c->curve == TENON_CUBIC ? 3 * gpb_import_clip_value_size(c)
                                   : gpb_import_clip_value_size(c);
}

// The value at any time. `key` is the last key at or before it.
static void gpb_import_clip_key_at(const tenon_channel *c, uint32_t key, float time, float *out)
{
    uint32_t size = gpb_import_clip_value_size(c);
    double value[4];
    if (time == c->times[key]) {
        memcpy(out, c->values + (size_t)key * gpb_import_clip_key_size(c),
               gpb_import_clip_key_size(c) * sizeof *out);
        return;
    }
    tn_channel_sample(c, time, value);
    if (c->curve != TENON_CUBIC) {
        for (uint32_t k = 0; k < size; k++) out[k] = (float)value[k];
        return;
    }
    bool is_inside = key + 1 < c->key_count && !(time < c->times[key]);
    const float *from = c->values + 3 * (size_t)size * key, *to = from + 3 * (size_t)size;
    for (uint32_t k = 0; k < size; k++) {
        double speed = 0;  // Before the first key and after the last.
        if (is_inside) {
            double interval = (double)c->times[key + 1] - c->times[key];
            double s = ((double)time - c->times[key]) / interval, s2 = s * s;
            double change = (double)to[size + k] - from[size + k];
            speed = 6 * (s - s2) * change / interval + (3 * s2 - 4 * s + 1) * from[2 * size + k] +
                    (3 * s2 - 2 * s) * to[k];
        }
        out[size + k] = (float)value[k];
        out[k] = out[2 * size + k] = (float)speed;
    }
}

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

static void gpb_import_clip_swap(float *a, float *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        float kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

// Reverse the keys; the times start at 0. A step that was held after a key is then held before it.
static void gpb_import_clip_reverse_keys(tenon_channel *c)
{
    uint32_t size = gpb_import_clip_key_size(c), each = gpb_import_clip_value_size(c),
             last = c->key_count - 1;
    float end = c->times[last];
    for (uint32_t i = 0; i <= last; i++) c->times[i] = end - c->times[i];
    for (uint32_t i = 0; i < c->key_count / 2; i++) {
        gpb_import_clip_swap(c->times + i, c->times + last - i, 1);
        gpb_import_clip_swap(c->values + (size_t)i * size, c->values + (size_t)(last - i) * size,
                             size);
    }
    if (c->curve == TENON_STEP)
        memmove(c->values, c->values + size, (size_t)last * size * sizeof *c->values);
    for (uint32_t i = 0; c->curve == TENON_CUBIC && i <= last; i++) {
        float *key = c->values + (size_t)i * size;
        gpb_import_clip_swap(key, key + 2 * each, each);
        for (uint32_t k = 0; k < each; k++)
            key[k] = -key[k], key[2 * each + k] = -key[2 * each + k];
    }
}

// Copy the keys within the range, with a key at each end, and make their times relative to the
// clip.
static void gpb_import_clip_copy_keys(tn_scene_builder *builder, const tenon_channel *from,
                                      const gpb_clip_range *range, tenon_channel *to)
{
    uint32_t size = gpb_import_clip_key_size(from), each = gpb_import_clip_value_size(from);
    uint32_t first = gpb_import_clip_key_before(from, range->begin),
             last = gpb_import_clip_key_before(from, range->end);
    if (from->times[first] <= range->begin) first++;
    uint32_t inner = last + 1 > first ? last + 1 - first : 0;
    if (inner && from->times[last] >= range->end) inner--;
    tn_channel_alloc(builder, to, (uint64_t)inner + 2);
    if (builder->failed) return;
    to->times[0] = range->begin;
    gpb_import_clip_key_at(from, gpb_import_clip_key_before(from, range->begin), range->begin,
                           to->values);
    for (uint32_t i = 0; i < inner; i++) to->times[i + 1] = from->times[first + i];
    if (inner)
        memcpy(to->values + size, from->values + (size_t)first * size,
               (size_t)inner * size * sizeof *to->values);
    to->times[inner + 1] = range->end;
    gpb_import_clip_key_at(from, last, range->end, to->values + (size_t)size * (inner + 1));
    for (uint32_t i = 0; i < to->key_count; i++)
        to->times[i] = (float)(((double)to->times[i] - range->begin) / range->speed);
    if (range->is_backwards) gpb_import_clip_reverse_keys(to);
    for (uint32_t i = 0; to->curve == TENON_CUBIC && i < to->key_count; i++) {
        float *key = to->values + (size_t)i * size;
        for (uint32_t k = 0; k < size; k++)
            if (k < each || k >= 2 * each) key[k] = (float)(key[k] * range->speed);
    }
}

// -- Clips

// The clips of one block of the .animation file.
typedef struct gpb_clip_importer {
    gpb_importer *importer;
    uint32_t animation;  // Index into the animations of the scene; TENON_NONE if there is none.
    double start, length;
} gpb_clip_importer;

// The engine counts frames from the first key to the last.
static void gpb_import_clip(void *user, const gpb_clip *clip)
{
    const gpb_clip_importer *clips = user;
    tn_scene_builder *builder = clips->importer->builder;
    double frames = clip->frame_count, begin = clip->begin, end = clip->end, speed = 1;
    bool is_good =
        clips->animation != TENON_NONE && frames > 0 && begin >= 0 && end > begin && end <= frames;
    if (builder->failed) return;
    if (!is_good) {
        tn_tally_path(&clips->importer->losses.clips, 1, "line %" PRIu32 " of the .animation file",
                      clip->line);
        return;
    }
    if (clip->speed.data) (void)tn_f64_parse(clip->speed.data, clip->speed.size, &speed);
    bool is_speed = (speed > 1e-6 && speed < 1e6) || (speed < -1e-6 && speed > -1e6);
    if (!is_speed) speed = 1;
    const gpb_clip_range range = {.begin = (float)(clips->start + begin / frames * clips->length),
                                  .end = (float)(clips->start + end / frames * clips->length),
                                  .speed = speed < 0 ? -speed : speed,
                                  .is_backwards = speed < 0};
    if (!(range.end > range.begin)) return;
    uint32_t count = builder->scene->animations[clips->animation].channel_count;
    uint32_t index = tn_add_animation(builder, clip->name, count);
    if (builder->failed) return;
    const tenon_animation *from = &builder->scene->animations[clips->animation];
    tenon_animation *to = &builder->scene->animations[index];
    to->duration = ((double)range.end - range.begin) / range.speed;
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        to->channels[i] = (tenon_channel){.node = from->channels[i].node,
                                          .target = from->channels[i].target,
                                          .curve = from->channels[i].curve};
        gpb_import_clip_copy_keys(builder, &from->channels[i], &range, &to->channels[i]);
    }
    if (clip->repeat_count.data)
        tn_add_extra(builder, TENON_EXTRA_OF_ANIMATION, index, "repeat_count", clip->repeat_count);
}

// The time range of all keys of an animation.
static void gpb_import_clip_find_range(const tenon_animation *animation, gpb_clip_importer *clips)
{
    double start = 0, end = 0;
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const tenon_channel *c = &animation->channels[i];
        if (i == 0 || c->times[0] < start) start = c->times[0];
        if (c->times[c->key_count - 1] > end) end = c->times[c->key_count - 1];
    }
    clips->start = start;
    clips->length = end - start;
}

// -- Finding animations

// By id. Sources that are in the scene come first.
static bool gpb_import_clip_source_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_source *x = &((const gpb_source *)context)[a], *y = &((const gpb_source *)context)[b];
    int order = tn_text_order(x->animation->id, y->animation->id);
    return order ? order < 0 : x->clip != TENON_NONE && y->clip == TENON_NONE;
}

// The animation of the scene that contains the animation with that id. If there is none, the
// longest: the engine ignores the name.
static uint32_t gpb_import_clip_find_animation(const gpb_importer *importer, const uint32_t *sorted,
                                               uint32_t longest, tenon_str id)
{
    uint32_t low = 0, high = importer->source_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tn_text_order(importer->sources[sorted[middle]].animation->id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const gpb_source *found = low < importer->source_count ? &importer->sources[sorted[low]] : NULL;
    bool is_there = found && tn_text_equal(found->animation->id, id) && found->clip != TENON_NONE;
    return is_there ? found->clip : longest;
}

void gpb_import_clips(gpb_importer *importer)
{
    tenon_gpb_properties *file = gpb_import_open_sidecar(importer, "animation");
    if (!file) return;
    tn_scene_builder *builder = importer->builder;
    uint32_t count = importer->source_count, longest = TENON_NONE;
    double most = -1;
    for (uint32_t i = 0; i < builder->scene->animation_count; i++) {
        gpb_clip_importer range;
        gpb_import_clip_find_range(&builder->scene->animations[i], &range);
        if (range.length <= most) continue;
        most = range.length;
        longest = i;
    }
    uint32_t *sorted = tn_scene_array(builder, count, sizeof *sorted);
    uint32_t *spare = tn_scene_array(builder, count, sizeof *spare);
    for (uint32_t i = 0; i < count && !builder->failed; i++) sorted[i] = i;
    if (!builder->failed)
        tn_sort(sorted, spare, count, gpb_import_clip_source_before, importer->sources);
    for (const tenon_gpb_properties *a = file->children; a && !builder->failed; a = a->next) {
        tenon_gpb_properties one = *a, alone = {.children = &one};
        gpb_clip_importer clips = {
            .importer = importer,
            .animation = gpb_import_clip_find_animation(importer, sorted, longest, a->id)};
        one.next = NULL;
        if (clips.animation != TENON_NONE)
            gpb_import_clip_find_range(&builder->scene->animations[clips.animation], &clips);
        gpb_sidecar_each_clip(&alone, gpb_import_clip, &clips);
    }
    tenon_gpb_properties_free(file);
}
