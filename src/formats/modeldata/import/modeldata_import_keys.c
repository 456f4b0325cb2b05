// modeldata_import_keys.c: imports the animations of an AnimatedModelData.
// SPDX-License-Identifier: MIT
//
// List number i belongs to the joint of index i. In the engine, a joint with keys has scale 1: its
// pose is computed from positions and rotations only, and lists of scales are ignored.

#include "formats/modeldata/import/modeldata_import.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "scene/pose/pose.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define USUAL_RATE      24    // Ticks per second, if the options do not say.
#define SCALE_TOLERANCE 1e-5  // How far a scale may be from 1.

typedef struct modeldata_clip_importer {
    modeldata_importer *importer;
    double rate;
    bool has_scales;   // Scale keys have an effect, as in the format's document.
    bool are_degrees;  // Unit of rotations of three numbers.
    uint64_t angles;   // Animations with rotations of three numbers.
    tn_tally orphans, disorders, early, late, scales;
    // The current animation:
    uint32_t index;
    const tenon_modeldata_animation *from;
    tenon_channel *next;
} modeldata_clip_importer;

// An invalid time becomes infinity: the key is sorted to the end and dropped when the scene is
// finished.
static float modeldata_import_keys_seconds(const modeldata_clip_importer *clip, float ticks)
{
    double seconds = (double)ticks / clip->rate;
    return fabs(seconds) <= (double)FLT_MAX ? (float)seconds : INFINITY;
}

// -- Keys

static bool modeldata_import_keys_is_earlier(const void *times, uint32_t a, uint32_t b)
{
    return ((const float *)times)[a] < ((const float *)times)[b];
}

static void modeldata_import_keys_fill_channel(modeldata_clip_importer *clip,
                                               const tenon_span *keys, const char *list,
                                               uint32_t index, tenon_channel *c)
{
    tn_scene_builder *builder = clip->importer->builder;
    bool is_angles = c->target == TENON_ROTATION && keys->layout == &modeldata_vector_keys;
    tn_channel_alloc(builder, c, keys->count);
    if (builder->failed) return;
    for (uint64_t i = 0; i < keys->count; i++)
        c->times[i] =
            modeldata_import_keys_seconds(clip, tn_load_f32(tn_span_record(keys, i), true));
    for (uint64_t i = 0; i < keys->count && is_angles; i++) {
        float angles[3];
        tn_span_vec3(keys, &keys->layout->elements[1], i, angles);
        modeldata_conventions_quaternion(angles, clip->are_degrees, c->values + 4 * i);
    }
    if (!is_angles) tn_span_f32(keys, &keys->layout->elements[1], 0, keys->count, c->values);

    uint32_t count = c->key_count, each = c->target == TENON_ROTATION ? 4 : 3, sorted = 1;
    while (sorted < count && !(c->times[sorted] < c->times[sorted - 1])) sorted++;
    tn_tally_in(&clip->disorders, sorted < count, "animations", clip->index, list, index);
    if (sorted < count) {
        tn_mark mark = tn_arena_mark(builder->arena);
        uint32_t *order = tn_scene_array(builder, count, sizeof *order);
        uint32_t *spare = tn_scene_array(builder, count, sizeof *spare);
        float *times = tn_scene_floats(builder, count, 1);
        float *values = tn_scene_floats(builder, count, each);
        if (builder->failed) return;
        for (uint32_t i = 0; i < count; i++) order[i] = i;
        tn_sort(order, spare, count, modeldata_import_keys_is_earlier, c->times);
        memcpy(times, c->times, count * sizeof *times);
        memcpy(values, c->values, (size_t)count * each * sizeof *values);
        for (uint32_t i = 0; i < count; i++) {
            c->times[i] = times[order[i]];
            memcpy(c->values + (size_t)i * each, values + (size_t)order[i] * each,
                   each * sizeof *values);
        }
        tn_arena_rewind(builder->arena, mark);
    }
    tn_tally_in(&clip->late, c->times[0] > 0, "animations", clip->index, list, index);

    // Keys before time 0 are replaced by one key at 0.
    uint32_t early = 0;
    while (early < count && c->times[early] < 0) early++;
    tn_tally_in(&clip->early, early, "animations", clip->index, list, index);
    if (early == 0) return;
    uint32_t first = early;
    if (early == count || c->times[early] > 0) {
        double value[4];
        tn_channel_sample(c, 0, value);
        c->times[--first] = 0;
        for (uint32_t k = 0; k < each; k++) c->values[(size_t)first * each + k] = (float)value[k];
    }
    c->times += first;
    c->values += (size_t)first * each;
    c->key_count -= first;
}

static void modeldata_import_keys_channels(modeldata_clip_importer *clip, tenon_target target,
                                           const modeldata_lists *kind)
{
    const modeldata_importer *importer = clip->importer;
    tn_scene_builder *builder = importer->builder;
    for (uint32_t i = 0; i < *kind->count && !builder->failed; i++) {
        const tenon_span *keys = &(*kind->lists)[i].keys;
        if (!keys->count) continue;
        uint32_t joint = modeldata_order_find_index(&importer->by_index, i);
        tn_tally_in(&clip->orphans, joint == TENON_NONE, "animations", clip->index, kind->name, i);
        if (joint == TENON_NONE) continue;
        const tenon_node *node = &builder->scene->nodes[importer->nodes[joint]];
        bool has_positions =
            i < clip->from->position_list_count && clip->from->positions[i].keys.count;
        bool is_scaled = node->has_matrix;
        for (int k = 0; k < 3; k++)
            is_scaled = is_scaled || !(fabs(node->scale[k] - 1) <= SCALE_TOLERANCE);
        // The engine resets the scale of the rest pose while the joint has keys.
        bool is_first = target == TENON_TRANSLATION || !has_positions;
        if (is_first && is_scaled && !clip->has_scales) {
            tenon_channel *c = clip->next++;
            *c = (tenon_channel){.node = importer->nodes[joint], .target = TENON_SCALE};
            tn_channel_alloc(builder, c, 1);
            for (int k = 0; k < 3 && !builder->failed; k++) c->values[k] = 1;
        }
        tenon_channel *c = clip->next++;
        *c = (tenon_channel){.node = importer->nodes[joint], .target = target};
        modeldata_import_keys_fill_channel(clip, keys, kind->name, i, c);
    }
}

// -- Animations

static void modeldata_import_keys_animation(modeldata_clip_importer *clip, uint32_t i)
{
    tn_scene_builder *builder = clip->importer->builder;
    const tenon_modeldata_animation *a = clip->from =
        &clip->importer->doc->animations[clip->index = i];
    modeldata_lists kinds[MODELDATA_LIST_KINDS];
    modeldata_describe_lists(a, kinds);
    // For each list of positions or rotations, a scale channel may be added. The end is the last
    // key of any list, even of lists without effect.
    uint64_t channel_most = 0;
    double end = 0;
    for (int kind = 0; kind < MODELDATA_LIST_KINDS; kind++)
        for (uint32_t k = 0; k < *kinds[kind].count; k++) {
            const tenon_span *keys = &(*kinds[kind].lists)[k].keys;
            if (!keys->count) continue;
            channel_most += kind == TENON_SCALE ? 1 : 2;
            const uint8_t *last = tn_span_record(keys, keys->count - 1);
            double seconds =
                (double)modeldata_import_keys_seconds(clip, tn_load_f32(last, keys->big_endian));
            if (seconds > end && seconds < INFINITY) end = seconds;
        }
    if (channel_most >= TENON_NONE)
        tn_scene_fail(builder, TENON_ERR_LIMIT, "animations", "an animation has too many lists");
    char name_buffer[MODELDATA_NAME_SIZE];
    tenon_str name =
        modeldata_import_name_of(clip->importer, a->name, "animation", i + 1, name_buffer);
    // The usual name of a clip without a name.
    if (a->name.size == 0 && i == 0) name = (tenon_str){"animation", 9};
    uint32_t index = tn_add_animation(builder, name, (uint32_t)channel_most);
    if (builder->failed) return;
    tenon_animation *animation = &builder->scene->animations[index];
    clip->next = animation->channels;
    modeldata_import_keys_channels(clip, TENON_TRANSLATION, &kinds[TENON_TRANSLATION]);
    modeldata_import_keys_channels(clip, TENON_ROTATION, &kinds[TENON_ROTATION]);
    if (clip->has_scales) {
        modeldata_import_keys_channels(clip, TENON_SCALE, &kinds[TENON_SCALE]);
    } else {
        for (uint32_t k = 0; k < a->scale_list_count; k++) {
            const tenon_span *keys = &a->scales[k].keys;
            uint64_t scaled = 0;
            for (uint64_t n = 0; n < keys->count; n++) {
                float v[3];
                tn_span_vec3(keys, &keys->layout->elements[1], n, v);
                bool is_one = true;
                for (int m = 0; m < 3; m++)
                    is_one = is_one && fabs((double)v[m] - 1) <= SCALE_TOLERANCE;
                scaled += !is_one;
            }
            tn_tally_in(&clip->scales, scaled, "animations", clip->index, "scales", k);
        }
    }
    clip->angles += a->rotation_size == 3;
    animation->channel_count = (uint32_t)(clip->next - animation->channels);
    animation->duration = end;
}

void modeldata_import_animations(modeldata_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_modeldata *doc = importer->doc;
    modeldata_clip_importer clip = {.importer = importer, .rate = builder->opts->rate};
    clip.has_scales = (doc->base.dialect->flags & TENON_MODELDATA_DOCUMENT) != 0;
    clip.are_degrees = modeldata_conventions_angles_are_degrees(doc);
    bool is_given = clip.rate > 0 && clip.rate <= DBL_MAX;
    if (!is_given) clip.rate = USUAL_RATE;
    for (uint32_t i = 0; i < doc->animation_count && !builder->failed; i++)
        modeldata_import_keys_animation(&clip, i);
    if (builder->failed) return;
    tn_tally_report(builder, &clip.scales, TENON_DROPPED, "scale keys", "the engine ignores them");
    tn_tally_report(builder, &clip.orphans, TENON_DROPPED, "lists of keys",
                    "no joint has this index");
    tn_tally_report(builder, &clip.disorders, TENON_APPROXIMATED, "lists of keys",
                    "sorted by time");
    tn_tally_report(builder, &clip.early, TENON_DROPPED, "keys",
                    "before the start of the animation; replaced by one key at the start");
    tn_tally_report(builder, &clip.late, TENON_APPROXIMATED, "lists of keys",
                    "the first key is used from the start; in the engine the joint keeps its "
                    "previous pose until then");
    tn_scene_report(builder, TENON_DEFAULTED, "rotations of three numbers", clip.angles, NULL,
                    modeldata_conventions_angles_text(clip.are_degrees));
    if (!is_given)
        tn_scene_report(builder, TENON_DEFAULTED, "rate", doc->animation_count, NULL,
                        "not stored in the file; assumed 24 ticks per second");
}
