// fbx_import_animations.c: the channels of clips: keys of nodes and of morph targets.
// SPDX-License-Identifier: MIT
//
// Each property of a node depends on some curves: a translation also on the rotation if there are
// pivots, and on the scale of the parent where that is inherited so. It is sampled at the keys of
// these curves, and between them where a straight line (or a turn at constant speed) would be
// inaccurate. Times are those of the file's own timeline.

#include "formats/fbx/import/fbx_import_clips.h"
#include "formats/fbx/import/fbx_import_mesh.h"

#include "core/math/sort.h"

#include <math.h>
#include <string.h>

#define TOLERANCE  1e-5  // Of lengths and arcs, as a share of the size of everything; of scales.
#define ANGLE_MOST 1e-3  // Of what moves nothing, or only something near.
#define LEVELS     12    // Halvings of the time between two keys.
#define LEAST_GAP  1e-3  // Seconds that are not halved.
#define TIMES_MOST ((uint32_t)1 << 20)  // Of one channel, before halving.
#define ADDED_MOST ((uint64_t)1 << 15)  // Keys between those of the file, for a small file.
#define JUST       1e-9                 // Seconds before or after a jump.
#define TURN_MOST  80.0                 // Degrees of a curve between two times.

static const tenon_str lcl_translation = {"Lcl Translation", 15};
static const tenon_str lcl_rotation = {"Lcl Rotation", 12}, lcl_scaling = {"Lcl Scaling", 11};

// A time at which a channel gets a key, and where its value is taken.
typedef struct key_time {
    double at;
    float time;
} key_time;

typedef struct key_sampler key_sampler;
typedef void sample_fn(const key_sampler *sampler, double at, double *out);

// Samples one target of one node.
struct key_sampler {
    fbx_importer *importer;
    fbx_clip *clip;
    double start, stop, shift;  // The range of the clip, and what is added to its times.
    sample_fn *sample;
    tenon_target target;
    uint32_t width;                    // Numbers of a value.
    double angle;                      // The tolerance of angles of the model.
    double tolerance;                  // Of a number, or of half an angle.
    bool is_exact;                     // Lines between the keys are lines of the values.
    bool is_stepped;                   // All curves are constant from key to key.
    uint32_t model, tracks[3];         // Translation, rotation and scale; TENON_NONE: none.
    uint32_t pivots[FBX_PIVOT_COUNT];  // Their tracks.
    bool moves_pivots;                 // There are some.
    bool with_turns, with_scales;      // The translation depends on them.
    uint32_t geometry;                 // Of weights.
    key_time *times;
    uint32_t time_count, time_room;
    float *keys, *values;  // The keys that are made.
    uint32_t key_count, key_room, value_room;
    uint64_t *keys_left;  // That may be added between others in this file.
};

// -- Values

static void fbx_import_animations_scale(const key_sampler *sampler, uint32_t index, double at,
                                        double out[3])
{
    const fbx_importer *importer = sampler->importer;
    out[0] = out[1] = out[2] = 1;
    for (; index != TENON_NONE; index = importer->models[index].donor) {
        const fbx_model *model = &importer->models[index];
        double own[3];
        uint32_t track = fbx_import_find_track(sampler->clip, model->object, lcl_scaling);
        fbx_import_track_value(sampler->clip, track, at, true, model->scale, own);
        for (int k = 0; k < 3; k++) out[k] *= own[k];
        if (!tn_goes_on(&sampler->importer->builder->pulse, 1)) return;
    }
}

// The model with its pivots at a time; `room` is where a changed model is kept.
static const fbx_model *fbx_import_animations_pivots(const key_sampler *sampler, double at,
                                                     fbx_model *room)
{
    const fbx_model *model = &sampler->importer->models[sampler->model];
    const fbx_object *object = &sampler->importer->objects[model->object];
    if (!sampler->moves_pivots) return model;
    *room = *model;
    double *const places[] = {room->rotation_offset, room->rotation_pivot, room->scale_offset,
                              room->scale_pivot};
    for (int i = 0; i < FBX_PIVOT_COUNT; i++) {
        double value[3] = {0, 0, 0};
        if (sampler->pivots[i] == TENON_NONE) continue;
        (void)fbx_import_property_vec3(object, fbx_import_pivots[i], value);
        fbx_import_track_value(sampler->clip, sampler->pivots[i], at, false, value, value);
        if (i < FBX_PRE_ROTATION) memcpy(places[i], value, sizeof value);
        if (i >= FBX_PRE_ROTATION && !model->turns) continue;
        if (i == FBX_PRE_ROTATION) room->before = fbx_import_euler(value, 0);
        if (i == FBX_POST_ROTATION) room->after = tn_quat_conjugate(fbx_import_euler(value, 0));
    }
    return room;
}

static tn_quat fbx_import_animations_turn(const key_sampler *sampler, double at)
{
    fbx_model room;
    const fbx_model *model = fbx_import_animations_pivots(sampler, at, &room);
    if (sampler->tracks[1] == TENON_NONE) return fbx_import_rotation(model, model->rotation);
    tn_quat turn = fbx_import_track_rotation(sampler->clip, sampler->tracks[1], at, model->order,
                                             model->rotation);
    turn = tn_quat_mul(tn_quat_mul(model->before, turn), model->after);
    return tn_quat_normalise(turn);
}

static void fbx_import_animations_translation(const key_sampler *sampler, double at, double *out)
{
    const fbx_importer *importer = sampler->importer;
    const fbx_model *model = &importer->models[sampler->model];
    double place[3], scale[3];
    tn_trs local;
    fbx_model room;
    fbx_import_track_value(sampler->clip, sampler->tracks[0], at, false, model->translation, place);
    fbx_import_track_value(sampler->clip, sampler->tracks[2], at, true, model->scale, scale);
    fbx_import_place(fbx_import_animations_pivots(sampler, at, &room), place,
                     fbx_import_animations_turn(sampler, at), scale, &local);
    if (fbx_import_is_unscaled(importer, sampler->model)) {
        fbx_import_animations_scale(sampler, model->parent, at, scale);
        local.translation.x *= scale[0];
        local.translation.y *= scale[1];
        local.translation.z *= scale[2];
    }
    fbx_import_to_scene(importer, model, &local);
    memcpy(out, &local.translation, 3 * sizeof *out);
}

static void fbx_import_animations_rotation(const key_sampler *sampler, double at, double *out)
{
    const fbx_model *model = &sampler->importer->models[sampler->model];
    tn_trs local = tn_trs_identity();
    local.rotation = fbx_import_animations_turn(sampler, at);
    fbx_import_to_scene(sampler->importer, model, &local);
    local.rotation = tn_quat_mul(local.rotation, model->aim);
    memcpy(out, &local.rotation, 4 * sizeof *out);
}

static void fbx_import_animations_scales(const key_sampler *sampler, double at, double *out)
{
    fbx_import_animations_scale(sampler, sampler->model, at, out);
}

static void fbx_import_animations_weights(const key_sampler *sampler, double at, double *out)
{
    const fbx_geometry *geometry = &sampler->importer->geometries[sampler->geometry];
    for (uint32_t i = 0; i < geometry->channel_count; i++) {
        const fbx_channel *channel = &geometry->channels[i];
        double percent[3] = {channel->percent, 0, 0};
        if (channel->track != TENON_NONE)
            fbx_import_track_value(sampler->clip, channel->track, at, false, percent, percent);
        fbx_import_shape_weights(geometry, i, percent[0], out + channel->first_shape);
    }
}

// -- Times

static void fbx_import_animations_add_time(key_sampler *sampler, double at, int side)
{
    fbx_importer *importer = sampler->importer;
    if (at < sampler->start || at > sampler->stop) return;
    if (sampler->time_count >= TIMES_MOST) {
        fbx_import_count(importer, FBX_UNREAD_ROUGH_CLIPS, 1, sampler->clip->object);
        return;
    }
    if (!fbx_import_grow(importer, (void **)&sampler->times, sampler->time_count,
                         &sampler->time_room, sizeof *sampler->times))
        return;
    double shifted = at + sampler->shift;
    float time = tn_to_float(shifted > 0 ? shifted : 0);
    if (side > 0) time = tn_float_after(time);
    if (side < 0 && time > 0) {
        uint32_t bits;
        memcpy(&bits, &time, sizeof bits);
        bits--;
        memcpy(&time, &bits, sizeof time);
    }
    sampler->times[sampler->time_count++] = (key_time){at + side * JUST, time};
}

// The keys of a curve beyond its first or last key, where it repeats.
static void fbx_import_animations_repeat_times(key_sampler *sampler, const fbx_curve *curve,
                                               const fbx_beyond *beyond, int side)
{
    const fbx_key *first = &curve->keys[0], *last = &curve->keys[curve->key_count - 1];
    double span = last->time - first->time;
    bool repeats = beyond->type == 'R' || beyond->type == 'A' || beyond->type == 'M';
    if (!repeats || !(span > 0)) return;
    for (int64_t copy = 1; beyond->count < 0 || copy <= beyond->count; copy++) {
        double from =
            side > 0 ? first->time + (double)copy * span : last->time - (double)copy * span;
        if (side > 0 ? from > sampler->stop : from < sampler->start) return;
        uint64_t added = (uint64_t)curve->key_count + 2;
        bool is_rough = *sampler->keys_left < added;
        fbx_import_count(sampler->importer, FBX_UNREAD_ROUGH_CLIPS, is_rough,
                         sampler->clip->object);
        if (is_rough || sampler->importer->builder->failed) return;
        *sampler->keys_left -= added;
        bool is_turned = beyond->type == 'M' && copy % 2 == 1;
        for (uint32_t k = 0; k < curve->key_count; k++) {
            double along = curve->keys[k].time - first->time;
            if (is_turned == (side > 0)) along = span - along;
            double at = side > 0 ? from + along : from - along;
            fbx_import_animations_add_time(sampler, at, 0);
        }
        // At the seam the value jumps.
        fbx_import_animations_add_time(sampler, from, -1);
        fbx_import_animations_add_time(sampler, from, 1);
    }
}

static void fbx_import_animations_add_curve(key_sampler *sampler, const fbx_curve *curve,
                                            bool turns)
{
    if (curve->key_count == 0) return;
    const fbx_key *last = &curve->keys[curve->key_count - 1];
    bool is_plain = curve->before.type == 'C' && curve->after.type == 'C';
    for (uint32_t i = 0; i < curve->key_count; i++) {
        const fbx_key *key = &curve->keys[i];
        fbx_import_animations_add_time(sampler, key->time, 0);
        if (i + 1 == curve->key_count) break;
        double rise = (double)key[1].value - (double)key->value;
        if (key->segment != FBX_HOLDS) sampler->is_stepped = false;
        if (key->segment == FBX_BEZIER) sampler->is_exact = false;
        if (key->segment == FBX_HOLDS && rise != 0)
            fbx_import_animations_add_time(sampler, key[1].time, -1);
        if (key->segment == FBX_HOLDS_NEXT && rise != 0)
            fbx_import_animations_add_time(sampler, key->time, 1);
        // Several turns between two keys, as angles say.
        double parts = turns && key->segment >= FBX_LINE ? fabs(rise) / TURN_MOST : 0;
        for (uint32_t k = 1; k < parts && k < 4096 && *sampler->keys_left;
             k++, --*sampler->keys_left)
            fbx_import_animations_add_time(sampler,
                                           key->time + (key[1].time - key->time) * k / parts, 0);
    }
    if (!is_plain && curve->key_count > 1) sampler->is_stepped = sampler->is_exact = false;
    fbx_import_animations_repeat_times(sampler, curve, &curve->before, -1);
    fbx_import_animations_repeat_times(sampler, curve, &curve->after, 1);
    bool is_beyond =
        curve->keys[0].time < sampler->start || last->time > sampler->stop || !is_plain;
    if (!is_beyond) return;
    fbx_import_animations_add_time(sampler, sampler->start, 0);
    fbx_import_animations_add_time(sampler, sampler->stop, 0);
}

// The curves of a property in all layers, and those of the weights of the layers.
static void fbx_import_animations_add_track(key_sampler *sampler, uint32_t index, bool turns)
{
    const fbx_clip *clip = sampler->clip;
    if (index != TENON_NONE && clip->tracks[index].next != TENON_NONE)
        sampler->is_exact = sampler->is_stepped = false;
    for (; index != TENON_NONE; index = clip->tracks[index].next) {
        const fbx_track *track = &clip->tracks[index];
        for (int k = 0; k < 3; k++)
            fbx_import_animations_add_curve(sampler, &track->curves[k], turns);
        if (track->layer)
            fbx_import_animations_add_curve(sampler, &clip->layers[track->layer].weights, false);
        if (track->layer) sampler->is_exact = sampler->is_stepped = false;
    }
}

static void fbx_import_animations_add_scales(key_sampler *sampler, uint32_t model)
{
    const fbx_importer *importer = sampler->importer;
    for (; model != TENON_NONE; model = importer->models[model].donor) {
        uint32_t object = importer->models[model].object;
        uint32_t track = fbx_import_find_track(sampler->clip, object, lcl_scaling);
        if (track != TENON_NONE) fbx_import_animations_add_track(sampler, track, false);
        if (!tn_goes_on(&sampler->importer->builder->pulse, 1)) return;
    }
}

static bool fbx_import_animations_before(const void *context, uint32_t a, uint32_t b)
{
    const key_time *times = context;
    return times[a].time < times[b].time ||
           (times[a].time == times[b].time && times[a].at < times[b].at);
}

static bool fbx_import_animations_sort_times(key_sampler *sampler)
{
    fbx_importer *importer = sampler->importer;
    uint32_t count = sampler->time_count, kept = 0;
    bool is_sorted = true;
    for (uint32_t i = 1; i < count && is_sorted; i++)
        is_sorted = sampler->times[i].time > sampler->times[i - 1].time;
    if (is_sorted) return true;
    uint32_t *order = fbx_import_alloc(importer, count, sizeof *order);
    uint32_t *spare = fbx_import_alloc(importer, count, sizeof *spare);
    key_time *sorted = fbx_import_alloc(importer, count, sizeof *sorted);
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, fbx_import_animations_before, sampler->times);
    for (uint32_t i = 0; i < count; i++) {
        const key_time *time = &sampler->times[order[i]];
        if (kept && !(time->time > sorted[kept - 1].time)) continue;
        sorted[kept++] = *time;
    }
    sampler->times = sorted;
    sampler->time_count = kept;
    return true;
}

// -- Keys

static bool fbx_import_animations_add_key(key_sampler *sampler, float time, const double *value)
{
    fbx_importer *importer = sampler->importer;
    uint32_t width = sampler->width;
    if (sampler->key_count == sampler->key_room) {
        uint32_t room = sampler->key_room;
        if (!fbx_import_grow(importer, (void **)&sampler->keys, sampler->key_count,
                             &sampler->key_room, sizeof *sampler->keys) ||
            !fbx_import_grow(importer, (void **)&sampler->values, sampler->key_count, &room,
                             width * sizeof *sampler->values))
            return false;
    }
    float *to = sampler->values + (size_t)sampler->key_count * width;
    for (uint32_t k = 0; k < width; k++) to[k] = tn_narrow(value[k], NULL);
    if (sampler->target == TENON_ROTATION && sampler->key_count) {
        // The sign that is nearer to the key before.
        double dot = 0;
        for (int k = 0; k < 4; k++) dot += (double)to[k] * (double)to[k - 4];
        for (int k = 0; k < 4 && dot < 0; k++) to[k] = -to[k];
    }
    sampler->keys[sampler->key_count++] = time;
    return tn_goes_on(&importer->builder->pulse, 1 + width / 8);
}

// Whether the value at a share of the time is what lies between two others.
static bool fbx_import_animations_is_between(const key_sampler *sampler, const double *a,
                                             const double *b, const double *value, double share)
{
    if (sampler->target == TENON_ROTATION) {
        tn_quat from = {a[0], a[1], a[2], a[3]}, to = {b[0], b[1], b[2], b[3]};
        tn_quat q = tn_quat_slerp(from, to, share), v = {value[0], value[1], value[2], value[3]};
        double sign = tn_quat_dot(q, v) < 0 ? -1 : 1, square = 0;
        double parts[4] = {q.x - sign * v.x, q.y - sign * v.y, q.z - sign * v.z, q.w - sign * v.w};
        for (int k = 0; k < 4; k++) square += parts[k] * parts[k];
        return square <= sampler->tolerance * sampler->tolerance;
    }
    for (uint32_t k = 0; k < sampler->width; k++) {
        double line = a[k] + share * (b[k] - a[k]);
        if (!(fabs(line - value[k]) <= sampler->tolerance)) return false;
    }
    return true;
}

static bool fbx_import_animations_is_straight(const key_sampler *sampler, double from,
                                              const double *a, double to, const double *b,
                                              double *value)
{
    static const double shares[] = {0.5, 0.21, 0.79};
    for (int i = 0; i < 3; i++) {
        sampler->sample(sampler, from + shares[i] * (to - from), value);
        if (!fbx_import_animations_is_between(sampler, a, b, value, shares[i])) return false;
    }
    return true;
}

// Make the keys of the channel: at all times, and between them where it is not straight.
static bool fbx_import_animations_make_keys(key_sampler *sampler)
{
    fbx_importer *importer = sampler->importer;
    uint32_t width = sampler->width;
    double *values = fbx_import_alloc(importer, (uint64_t)LEVELS + 3, width * sizeof *values);
    double ats[LEVELS + 2], *left = values, *probe = values + width;
    if (!values) return false;
    double *stack = values + 2 * (size_t)width;  // What is to the right, the nearest on top.
    for (uint32_t i = 0; i < sampler->time_count; i++) {
        double from = i ? sampler->times[i - 1].at : 0;
        uint32_t depth = 1;
        ats[0] = sampler->times[i].at;
        sampler->sample(sampler, ats[0], stack);
        while (depth > 0) {
            double at = ats[depth - 1], *right = stack + (size_t)(depth - 1) * width;
            bool is_fine = i == 0 || sampler->is_exact || sampler->is_stepped ||
                           at - from <= LEAST_GAP || depth > LEVELS || *sampler->keys_left == 0 ||
                           fbx_import_animations_is_straight(sampler, from, left, at, right, probe);
            if (!is_fine) {
                ats[depth] = from + (at - from) / 2;
                sampler->sample(sampler, ats[depth], right + width);
                depth++;
                --*sampler->keys_left;
                continue;
            }
            double shifted = at + sampler->shift;
            float time = depth == 1 ? sampler->times[i].time : tn_to_float(shifted);
            bool is_later = sampler->key_count == 0 || time > sampler->keys[sampler->key_count - 1];
            bool is_early = depth > 1 && !(time < sampler->times[i].time);
            if (is_later && !is_early && !fbx_import_animations_add_key(sampler, time, right))
                return false;
            memcpy(left, right, width * sizeof *left);
            from = at;
            depth--;
        }
    }
    return true;
}

// -- Channels

typedef struct channel_list {
    tenon_channel *items;
    uint32_t count, room;
} channel_list;

// Sample what was set up, and add a channel for a node. The keys are freed with the mark.
static void fbx_import_animations_add_channel(key_sampler *sampler, channel_list *list,
                                              uint32_t node, tn_mark mark)
{
    fbx_importer *importer = sampler->importer;
    tn_scene_builder *builder = importer->builder;
    if (sampler->time_count == 0) fbx_import_animations_add_time(sampler, sampler->start, 0);
    if (builder->failed || !fbx_import_animations_sort_times(sampler) ||
        !fbx_import_animations_make_keys(sampler))
        return;
    uint32_t count = sampler->key_count, width = sampler->width;
    bool is_constant = true;
    size_t value_size = width * sizeof *sampler->values;
    for (uint32_t i = 1; i < count && is_constant; i++)
        is_constant = memcmp(sampler->values + (size_t)i * width, sampler->values, value_size) == 0;
    uint32_t step = is_constant && count > 2 ? count - 1 : 1,
             kept = count > 2 && is_constant ? 2 : count;
    tenon_channel channel = {.node = node, .target = sampler->target, .key_count = kept};
    channel.curve = sampler->is_stepped && !is_constant ? TENON_STEP : TENON_LINEAR;
    channel.weight_count = sampler->target == TENON_WEIGHTS ? width : 0;
    channel.times = tn_scene_floats(builder, kept, 1);
    channel.values = tn_scene_floats(builder, kept, width);
    for (uint32_t i = 0; i < kept && !builder->failed; i++) {
        channel.times[i] = sampler->keys[(size_t)i * step];
        memcpy(channel.values + (size_t)i * width, sampler->values + (size_t)i * step * width,
               value_size);
    }
    tn_arena_rewind(&importer->scratch, mark);
    if (list->count < list->room && !builder->failed) list->items[list->count++] = channel;
}

static key_sampler fbx_import_animations_sampler(const key_sampler *base, tenon_target target,
                                                 sample_fn *sample, uint32_t width)
{
    key_sampler sampler = *base;
    sampler.target = target;
    sampler.sample = sample;
    sampler.width = width;
    sampler.is_exact = sampler.is_stepped = true;
    return sampler;
}

static bool fbx_import_animations_has_pivots(const fbx_model *model)
{
    for (int k = 0; k < 3; k++)
        if (model->rotation_pivot[k] != 0 || model->scale_offset[k] != 0 ||
            model->scale_pivot[k] != 0)
            return true;
    return false;
}

// The largest factor by which a node's parent scales at rest.
static double fbx_import_animations_scale_above(const fbx_importer *importer, uint32_t node)
{
    uint32_t parent = importer->builder->scene->nodes[node].parent;
    double largest = 0;
    if (parent == TENON_NONE) return 1;
    const double *m = importer->rests[parent].m;
    for (int k = 0; k < 12; k += 4)
        largest = fmax(largest, m[k] * m[k] + m[k + 1] * m[k + 1] + m[k + 2] * m[k + 2]);
    return largest > 0 ? sqrt(largest) : 1;
}

static void fbx_import_animations_model(key_sampler *base, channel_list *list, double size)
{
    fbx_importer *importer = base->importer;
    const fbx_model *model = &importer->models[base->model];
    const fbx_clip *clip = base->clip;
    base->tracks[0] = fbx_import_find_track(clip, model->object, lcl_translation);
    base->tracks[1] = fbx_import_find_track(clip, model->object, lcl_rotation);
    base->tracks[2] = fbx_import_find_track(clip, model->object, lcl_scaling);
    bool moves = base->tracks[0] != TENON_NONE, turns = base->tracks[1] != TENON_NONE;
    base->moves_pivots = false;
    for (int i = 0; i < FBX_PIVOT_COUNT; i++) {
        const char *name = fbx_import_pivots[i];
        const tenon_str property = {name, (uint32_t)strlen(name)};
        base->pivots[i] = fbx_import_find_track(clip, model->object, property);
        base->moves_pivots = base->moves_pivots || base->pivots[i] != TENON_NONE;
    }
    bool has_pivots = base->moves_pivots || fbx_import_animations_has_pivots(model);
    tn_mark mark = tn_arena_mark(&importer->scratch);

    key_sampler sampler = fbx_import_animations_sampler(base, TENON_TRANSLATION,
                                                        fbx_import_animations_translation, 3);
    sampler.tolerance = TOLERANCE * size / fbx_import_animations_scale_above(importer, model->node);
    if (moves) fbx_import_animations_add_track(&sampler, base->tracks[0], false);
    if (has_pivots && turns) {
        fbx_import_animations_add_track(&sampler, base->tracks[1], true);
        sampler.is_exact = false;
    }
    if (has_pivots && base->tracks[2] != TENON_NONE)
        fbx_import_animations_add_track(&sampler, base->tracks[2], false);
    if (has_pivots && base->tracks[2] != TENON_NONE && (turns || moves)) sampler.is_exact = false;
    for (int i = 0; i < FBX_PIVOT_COUNT; i++)
        if (base->pivots[i] != TENON_NONE)
            fbx_import_animations_add_track(&sampler, base->pivots[i], i >= FBX_PRE_ROTATION);
    if (base->moves_pivots) sampler.is_exact = false;
    if (fbx_import_is_unscaled(importer, base->model)) {
        uint32_t before = sampler.time_count;
        fbx_import_animations_add_scales(&sampler, model->parent);
        if (sampler.time_count > before) sampler.is_exact = false;
    }
    if (sampler.time_count || moves)
        fbx_import_animations_add_channel(&sampler, list, model->node, mark);
    tn_arena_rewind(&importer->scratch, mark);

    sampler =
        fbx_import_animations_sampler(base, TENON_ROTATION, fbx_import_animations_rotation, 4);
    sampler.tolerance = base->angle / 2;
    for (int i = FBX_PRE_ROTATION; i < FBX_PIVOT_COUNT; i++)
        if (base->pivots[i] != TENON_NONE)
            fbx_import_animations_add_track(&sampler, base->pivots[i], true);
    if (turns || sampler.time_count) {
        if (turns) fbx_import_animations_add_track(&sampler, base->tracks[1], true);
        sampler.is_exact = false;
        fbx_import_animations_add_channel(&sampler, list, model->node, mark);
    }
    tn_arena_rewind(&importer->scratch, mark);

    sampler = fbx_import_animations_sampler(base, TENON_SCALE, fbx_import_animations_scales, 3);
    sampler.tolerance = TOLERANCE;
    fbx_import_animations_add_scales(&sampler, base->model);
    bool inherits = model->donor != TENON_NONE;
    if (inherits) sampler.is_exact = false;
    if (sampler.time_count || base->tracks[2] != TENON_NONE)
        fbx_import_animations_add_channel(&sampler, list, model->scaled, mark);
    tn_arena_rewind(&importer->scratch, mark);
}

static void fbx_import_animations_shapes(key_sampler *base, const fbx_show *show,
                                         channel_list *list)
{
    fbx_importer *importer = base->importer;
    fbx_geometry *geometry = &importer->geometries[show->geometry];
    tn_mark mark = tn_arena_mark(&importer->scratch);
    key_sampler sampler = fbx_import_animations_sampler(
        base, TENON_WEIGHTS, fbx_import_animations_weights, geometry->shape_count);
    sampler.geometry = show->geometry;
    sampler.tolerance = TOLERANCE;
    bool has_track = false;
    for (uint32_t i = 0; i < geometry->channel_count; i++) {
        fbx_channel *channel = &geometry->channels[i];
        const uint32_t tracks[] = {
            fbx_import_find_track(base->clip, channel->object, channel->property),
            // Blender and old versions of Maya also move a property of the geometry.
            fbx_import_find_track(base->clip, geometry->object,
                                  importer->objects[channel->object].name)};
        for (int k = 0; k < 2; k++)
            for (uint32_t t = tracks[k]; t != TENON_NONE; t = base->clip->tracks[t].next)
                base->clip->tracks[t].is_of_shape = true;
        channel->track = tracks[tracks[0] == TENON_NONE];
        if (channel->track == TENON_NONE) continue;
        has_track = true;
        fbx_import_animations_add_track(&sampler, channel->track, false);
        if (channel->shape_count > 1) sampler.is_exact = false;
    }
    if (has_track && geometry->shape_count)
        fbx_import_animations_add_channel(&sampler, list, show->node, mark);
    tn_arena_rewind(&importer->scratch, mark);
}

// -- Clips

// The range of a clip: its own, or else that of all its keys. Times before 0 count only if there
// are keys.
static void fbx_import_animations_range(const fbx_clip *clip, key_sampler *sampler)
{
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (uint32_t i = 0; i < clip->track_count; i++)
        for (int k = 0; k < 3; k++) {
            const fbx_curve *curve = &clip->tracks[i].curves[k];
            if (curve->key_count == 0) continue;
            first = fmin(first, curve->keys[0].time);
            last = fmax(last, curve->keys[curve->key_count - 1].time);
        }
    if (!(first <= last)) first = last = 0;
    bool has_range = clip->has_range && clip->stop > clip->start;
    sampler->start = has_range ? clip->start : first;
    sampler->stop = has_range ? clip->stop : last;
    if (sampler->start < 0) sampler->start = fmin(0, fmax(sampler->start, first));
    sampler->shift = sampler->start < 0 ? -sampler->start : 0;
}

// Nodes that were copied move as their originals do.
static void fbx_import_animations_copy(fbx_importer *importer, channel_list *list)
{
    uint32_t count = list->count, node_count = importer->builder->scene->node_count;
    if (importer->copy_count == 0) return;
    // Lists of the copies of each node.
    uint32_t *heads = fbx_import_alloc(importer, node_count, sizeof *heads);
    uint32_t *next = fbx_import_alloc(importer, importer->copy_count, sizeof *next);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < node_count; i++) heads[i] = TENON_NONE;
    for (uint32_t i = importer->copy_count; i-- > 0;) {
        next[i] = heads[importer->copies[i].node];
        heads[importer->copies[i].node] = i;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = heads[list->items[i].node]; k != TENON_NONE; k = next[k]) {
            if (list->count == list->room) return;
            list->items[list->count] = list->items[i];
            list->items[list->count++].node = importer->copies[k].copy;
        }
}

static void fbx_import_animation(fbx_importer *importer, uint32_t index, double size,
                                 const double *reaches, uint64_t *keys_left)
{
    tn_scene_builder *builder = importer->builder;
    fbx_clip *clip = &importer->clips[index];
    fbx_import_count(importer, FBX_UNREAD_TAKES, clip->track_count == 0, clip->object);
    if (clip->track_count == 0) return;
    tn_mark mark = tn_arena_mark(&importer->scratch);
    key_sampler sampler = {.importer = importer, .clip = clip, .keys_left = keys_left};
    fbx_import_animations_range(clip, &sampler);
    fbx_import_count(importer, FBX_UNREAD_MOVED_TAKES, sampler.shift > 0, clip->object);
    channel_list list = {.room = 3 * (importer->model_count + importer->copy_count) +
                                 importer->show_count};
    list.items = fbx_import_alloc(importer, list.room, sizeof *list.items);
    for (uint32_t i = 0; i < importer->model_count && !builder->failed; i++) {
        double reach = reaches[importer->models[i].node];
        sampler.model = i;
        // An angle counts as far as it moves something.
        sampler.angle =
            reach * ANGLE_MOST > size * TOLERANCE ? size * TOLERANCE / reach : ANGLE_MOST;
        fbx_import_animations_model(&sampler, &list, size);
    }
    for (uint32_t i = 0; i < importer->show_count && !builder->failed; i++)
        fbx_import_animations_shapes(&sampler, &importer->shows[i], &list);
    if (!builder->failed) fbx_import_animations_copy(importer, &list);
    fbx_import_count(importer, FBX_UNREAD_TAKES, list.count == 0, clip->object);
    if (list.count) {
        uint32_t animation = tn_add_animation(builder, clip->name, list.count);
        if (!builder->failed)
            memcpy(builder->scene->animations[animation].channels, list.items,
                   list.count * sizeof *list.items);
    }
    if (builder->pulse.stopped)
        (void)tn_scene_fail(builder, TENON_ERR_CANCELLED, NULL, "cancelled");
    tn_arena_rewind(&importer->scratch, mark);
}

void fbx_import_animations(fbx_importer *importer)
{
    const tn_mat4 *rests = fbx_import_rests(importer);
    if (!rests || importer->clip_count == 0) return;
    double size = fbx_import_size(importer, rests);
    double *reaches = fbx_import_reaches(importer, rests);
    if (!reaches) return;
    uint64_t keys_left = ADDED_MOST + importer->builder->input_size / 4;
    for (uint32_t i = 0; i < importer->clip_count && !importer->builder->failed; i++)
        fbx_import_animation(importer, i, size, reaches, &keys_left);
    fbx_import_count(importer, FBX_UNREAD_ROUGH_CLIPS, keys_left == 0, TENON_NONE);
}
