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

// Lists of one kind.
typedef struct modeldata_key_lists {
    const char *name;
    const tenon_modeldata_keys *lists;
    uint32_t count;
    tenon_target target;
} modeldata_key_lists;

typedef struct modeldata_key_importer {
    modeldata_importer *importer;
    double rate;
    bool scales_count;  // Scale keys have an effect, as in the format's document.
    bool are_degrees;   // Unit of rotations of three numbers.
    uint64_t angles;    // Animations with rotations of three numbers.
    tn_tally orphans, disorders, early, late, scales;
    // The current animation:
    uint32_t index;
    const tenon_modeldata_animation *from;
    tenon_channel *next;
} modeldata_key_importer;

// -- Times

// An invalid time becomes infinity: the key is sorted to the end and dropped when the scene is
// finished.
static float modeldata_seconds(const modeldata_key_importer *key_importer, float ticks)
{
    double seconds = (double)ticks / key_importer->rate;
    return fabs(seconds) <= (double)FLT_MAX ? (float)seconds : INFINITY;
}

static uint32_t modeldata_value_size(tenon_target target)
{
    return target == TENON_ROTATION ? 4 : 3;
}

// The end of an animation is the last key of any list, even of lists without effect.
static double modeldata_duration(const modeldata_key_importer *key_importer,
                                 const modeldata_key_lists *kind)
{
    double end = 0;
    for (uint32_t i = 0; i < kind->count; i++) {
        const tenon_span *keys = &kind->lists[i].keys;
        if (!keys->count) continue;
        const uint8_t *last = tn_span_record(keys, keys->count - 1);
        double seconds =
            (double)modeldata_seconds(key_importer, tn_load_f32(last, keys->big_endian));
        if (seconds > end && seconds < INFINITY) end = seconds;
    }
    return end;
}

// -- Keys

static bool modeldata_is_earlier(const void *times, uint32_t a, uint32_t b)
{
    return ((const float *)times)[a] < ((const float *)times)[b];
}

static bool modeldata_is_in_order(const tenon_channel *c)
{
    for (uint32_t i = 1; i < c->key_count; i++)
        if (c->times[i] < c->times[i - 1]) return false;
    return true;
}

static void modeldata_sort_keys(tn_scene_builder *builder, tenon_channel *c)
{
    uint32_t count = c->key_count, each = modeldata_value_size(c->target);
    tn_mark mark = tn_arena_mark(builder->arena);
    uint32_t *order = tn_scene_array(builder, count, sizeof *order);
    uint32_t *spare = tn_scene_array(builder, count, sizeof *spare);
    float *times = tn_scene_floats(builder, count, 1),
          *values = tn_scene_floats(builder, count, each);
    if (builder->failed) return;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, modeldata_is_earlier, c->times);
    memcpy(times, c->times, count * sizeof *times);
    memcpy(values, c->values, (size_t)count * each * sizeof *values);
    for (uint32_t i = 0; i < count; i++) {
        c->times[i] = times[order[i]];
        memcpy(c->values + (size_t)i * each, values + (size_t)order[i] * each,
               each * sizeof *values);
    }
    tn_arena_rewind(builder->arena, mark);
}

// Replace keys before time 0 by one key at 0. Returns how many there were.
static uint32_t modeldata_cut_start(tenon_channel *c)
{
    uint32_t early = 0, each = modeldata_value_size(c->target);
    while (early < c->key_count && c->times[early] < 0) early++;
    if (early == 0) return 0;
    uint32_t first = early;
    if (early == c->key_count || c->times[early] > 0) {
        double value[4];
        tn_channel_sample(c, 0, value);
        c->times[--first] = 0;
        for (uint32_t k = 0; k < each; k++) c->values[(size_t)first * each + k] = (float)value[k];
    }
    c->times += first;
    c->values += (size_t)first * each;
    c->key_count -= first;
    return early;
}

static void modeldata_fill_channel(modeldata_key_importer *key_importer, const tenon_span *keys,
                                   const char *list, uint32_t index, tenon_channel *c)
{
    bool is_angles = c->target == TENON_ROTATION && keys->layout == &modeldata_vector_keys;
    tn_channel_alloc(key_importer->importer->builder, c, keys->count);
    if (key_importer->importer->builder->failed) return;
    for (uint64_t i = 0; i < keys->count; i++)
        c->times[i] = modeldata_seconds(key_importer, tn_load_f32(tn_span_record(keys, i), true));
    for (uint64_t i = 0; i < keys->count && is_angles; i++) {
        float angles[3];
        tn_span_vec3(keys, &keys->layout->elements[1], i, angles);
        modeldata_quaternion(angles, key_importer->are_degrees, c->values + 4 * i);
    }
    if (!is_angles) tn_span_f32(keys, &keys->layout->elements[1], 0, keys->count, c->values);
    if (!modeldata_is_in_order(c)) {
        tn_tally_in(&key_importer->disorders, 1, "animations", key_importer->index, list, index);
        modeldata_sort_keys(key_importer->importer->builder, c);
        if (key_importer->importer->builder->failed) return;
    }
    tn_tally_in(&key_importer->late, c->times[0] > 0, "animations", key_importer->index, list,
                index);
    tn_tally_in(&key_importer->early, modeldata_cut_start(c), "animations", key_importer->index,
                list, index);
}

// -- Channels

static bool modeldata_is_scaled(const tenon_node *node)
{
    for (int k = 0; k < 3; k++)
        if (!(fabs(node->scale[k] - 1) <= SCALE_TOLERANCE)) return true;
    return node->has_matrix;
}

// The engine resets the scale of the rest pose while the joint has keys.
static void modeldata_reset_scale(modeldata_key_importer *key_importer, uint32_t node)
{
    tenon_channel *c = key_importer->next++;
    *c = (tenon_channel){.node = node, .target = TENON_SCALE};
    tn_channel_alloc(key_importer->importer->builder, c, 1);
    if (key_importer->importer->builder->failed) return;
    for (int k = 0; k < 3; k++) c->values[k] = 1;
}

static bool modeldata_has_positions(const tenon_modeldata_animation *a, uint32_t list)
{
    return list < a->position_list_count && a->positions[list].keys.count;
}

static void modeldata_add_channels(modeldata_key_importer *key_importer,
                                   const modeldata_key_lists *kind)
{
    const modeldata_importer *importer = key_importer->importer;
    for (uint32_t i = 0; i < kind->count && !importer->builder->failed; i++) {
        const tenon_span *keys = &kind->lists[i].keys;
        if (!keys->count) continue;
        uint32_t joint = modeldata_find_index(&importer->by_index, i);
        tn_tally_in(&key_importer->orphans, joint == TENON_NONE, "animations", key_importer->index,
                    kind->name, i);
        if (joint == TENON_NONE) continue;
        uint32_t node = importer->nodes[joint];
        bool is_first =
            kind->target == TENON_TRANSLATION || !modeldata_has_positions(key_importer->from, i);
        if (is_first && !key_importer->scales_count &&
            modeldata_is_scaled(&importer->builder->scene->nodes[node]))
            modeldata_reset_scale(key_importer, node);
        tenon_channel *c = key_importer->next++;
        *c = (tenon_channel){.node = node, .target = kind->target};
        modeldata_fill_channel(key_importer, keys, kind->name, i, c);
    }
}

static void modeldata_count_scales(modeldata_key_importer *key_importer,
                                   const modeldata_key_lists *kind)
{
    for (uint32_t i = 0; i < kind->count; i++) {
        const tenon_span *keys = &kind->lists[i].keys;
        uint64_t scaled = 0;
        for (uint64_t k = 0; k < keys->count; k++) {
            float key[4];
            tn_copy_numbers(key, keys->data + sizeof key * k, 4, 4, keys->big_endian);
            bool is_one = true;
            for (int n = 1; n < 4; n++)
                is_one = is_one && fabs((double)key[n] - 1) <= SCALE_TOLERANCE;
            scaled += !is_one;
        }
        tn_tally_in(&key_importer->scales, scaled, "animations", key_importer->index, kind->name,
                    i);
    }
}

// -- Animations

static uint64_t modeldata_filled(const modeldata_key_lists *kind)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < kind->count; i++) count += kind->lists[i].keys.count != 0;
    return count;
}

static void modeldata_add_animation(modeldata_key_importer *key_importer, uint32_t i)
{
    const tenon_modeldata_animation *a = key_importer->from =
        &key_importer->importer->doc->animations[key_importer->index = i];
    const modeldata_key_lists positions = {"positions", a->positions, a->position_list_count,
                                           TENON_TRANSLATION};
    const modeldata_key_lists rotations = {"rotations", a->rotations, a->rotation_list_count,
                                           TENON_ROTATION};
    const modeldata_key_lists scales = {"scales", a->scales, a->scale_list_count, TENON_SCALE};
    tn_scene_builder *builder = key_importer->importer->builder;
    // For each list of positions or rotations, a scale channel may be added.
    uint64_t most = 2 * (modeldata_filled(&positions) + modeldata_filled(&rotations)) +
                    modeldata_filled(&scales);
    if (most >= TENON_NONE)
        tn_scene_fail(builder, TENON_ERR_LIMIT, "animations", "an animation has too many lists");
    char name_buffer[MODELDATA_NAME_SIZE];
    tenon_str name =
        modeldata_name_of(key_importer->importer, a->name, "animation", i + 1, name_buffer);
    // The usual name of a clip without a name.
    if (a->name.size == 0 && i == 0) name = (tenon_str){"animation", 9};
    uint32_t index = tn_add_animation(builder, name, (uint32_t)most);
    if (builder->failed) return;
    tenon_animation *animation = &builder->scene->animations[index];
    key_importer->next = animation->channels;
    modeldata_add_channels(key_importer, &positions);
    modeldata_add_channels(key_importer, &rotations);
    if (key_importer->scales_count)
        modeldata_add_channels(key_importer, &scales);
    else
        modeldata_count_scales(key_importer, &scales);
    key_importer->angles += a->rotation_size == 3;
    animation->channel_count = (uint32_t)(key_importer->next - animation->channels);
    const modeldata_key_lists *all[] = {&positions, &rotations, &scales};
    for (int k = 0; k < 3; k++) {
        double end = modeldata_duration(key_importer, all[k]);
        if (end > animation->duration) animation->duration = end;
    }
}

static void modeldata_report_keys(const modeldata_key_importer *key_importer)
{
    const tn_scene_builder *builder = key_importer->importer->builder;
    tn_tally_report(builder, &key_importer->scales, TENON_DROPPED, "scale keys",
                    "the engine ignores them");
    tn_tally_report(builder, &key_importer->orphans, TENON_DROPPED, "lists of keys",
                    "no joint has this index");
    tn_tally_report(builder, &key_importer->disorders, TENON_APPROXIMATED, "lists of keys",
                    "sorted by time");
    tn_tally_report(builder, &key_importer->early, TENON_DROPPED, "keys",
                    "before the start of the animation; replaced by one key at the start");
    tn_tally_report(builder, &key_importer->late, TENON_APPROXIMATED, "lists of keys",
                    "the first key is used from the start; in the engine the joint keeps its "
                    "previous pose until then");
}

void modeldata_add_animations(modeldata_importer *importer)
{
    modeldata_key_importer key_importer = {.importer = importer,
                                           .rate = importer->builder->opts->rate};
    key_importer.scales_count =
        (importer->doc->base.dialect->flags & TENON_MODELDATA_DOCUMENT) != 0;
    key_importer.are_degrees = modeldata_angles_are_degrees(importer->doc);
    bool is_given = key_importer.rate > 0 && key_importer.rate <= DBL_MAX;
    if (!is_given) key_importer.rate = USUAL_RATE;
    for (uint32_t i = 0; i < importer->doc->animation_count && !importer->builder->failed; i++)
        modeldata_add_animation(&key_importer, i);
    if (importer->builder->failed) return;
    modeldata_report_keys(&key_importer);
    tn_scene_report(importer->builder, TENON_DEFAULTED, "rotations of three numbers",
                    key_importer.angles, NULL, modeldata_angles_text(key_importer.are_degrees));
    if (!is_given)
        tn_scene_report(importer->builder, TENON_DEFAULTED, "rate", importer->doc->animation_count,
                        NULL, "not stored in the file; assumed 24 ticks per second");
}
