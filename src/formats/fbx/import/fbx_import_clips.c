// fbx_import_clips.c: animation stacks with their layers: which curves move which properties.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import_clips.h"
#include "formats/fbx/import/fbx_import_old.h"

#include "core/math/sort.h"
#include "core/text/name_tree.h"

#include <math.h>
#include <string.h>

#define KEYS_MOST (UINT32_MAX / 8)

// -- Curves of version 7

static fbx_beyond fbx_import_clips_beyond(const tenon_fbx_node *curve, const char *name)
{
    const tenon_fbx_node *node = fbx_child(curve, name), *type = fbx_child(node, "Type");
    tenon_str letter = fbx_text(type, 0);
    fbx_beyond beyond = {.type = 'C', .count = fbx_int(fbx_child(node, "Repetition"), 0, -1)};
    // A letter, or its code.
    if (letter.size)
        beyond.type = letter.data[0];
    else if (type)
        beyond.type = (char)(fbx_int(type, 0, 'C') & 0x7f);
    return beyond;
}

void fbx_import_read_beyond(const tenon_fbx_node *node, fbx_curve *curve)
{
    curve->before = fbx_import_clips_beyond(node, "Pre-Extrapolation");
    curve->after = fbx_import_clips_beyond(node, "Post-Extrapolation");
}

// Tangents as bits, four words for each set of attributes. Text stores the bits as whole numbers;
// before key version 4008, it has numbers.
static uint32_t *fbx_import_clips_key_data(fbx_importer *importer, const tenon_fbx_node *curve,
                                           uint64_t *count)
{
    const tenon_fbx_node *node = fbx_child(curve, "KeyAttrDataFloat");
    bool is_bits = importer->doc->is_text && fbx_int(fbx_child(curve, "KeyVer"), 0, 0) > 4007;
    if (is_bits) return (uint32_t *)(void *)fbx_import_i32s(importer, node, count);
    float *values = fbx_import_f32s(importer, node, count);
    uint32_t *bits = fbx_import_alloc(importer, *count, sizeof *bits);
    if (!values || !bits) return NULL;
    memcpy(bits, values, (size_t)*count * sizeof *bits);
    return bits;
}

// Whether a curve says what is between its keys. Some writers have only times and values.
static bool fbx_import_clips_has_attributes(const tenon_fbx_node *curve)
{
    return fbx_child(curve, "KeyAttrFlags") || fbx_child(curve, "KeyAttrRefCount");
}

// Curves whose arrays do not fit together are dropped.
static bool fbx_import_clips_curve(fbx_importer *importer, uint32_t object, fbx_curve *out)
{
    const tenon_fbx_node *node = importer->objects[object].node;
    uint64_t count = 0, value_count = 0, run_count = 0, flag_count = 0, data_count = 0;
    tn_mark mark = tn_arena_mark(&importer->scratch);
    fbx_key *keys =
        fbx_import_alloc(importer, fbx_number_count(fbx_child(node, "KeyTime")), sizeof *keys);
    tn_mark after_keys = tn_arena_mark(&importer->scratch);
    int64_t *times = fbx_import_i64s(importer, fbx_child(node, "KeyTime"), &count);
    float *values = fbx_import_f32s(importer, fbx_child(node, "KeyValueFloat"), &value_count);
    int32_t *runs = fbx_import_i32s(importer, fbx_child(node, "KeyAttrRefCount"), &run_count);
    int32_t *flags = fbx_import_i32s(importer, fbx_child(node, "KeyAttrFlags"), &flag_count);
    uint32_t *data = fbx_import_clips_key_data(importer, node, &data_count);
    fbx_raw_key *raw = fbx_import_alloc(importer, count, sizeof *raw);
    if (importer->builder->failed) return false;
    uint64_t used = 0;
    bool is_good = count > 0 && count < KEYS_MOST && value_count == count &&
                   run_count <= flag_count && run_count <= data_count / 4;
    for (uint64_t r = 0; is_good && r < run_count; r++) {
        is_good = runs[r] > 0 && (uint64_t)runs[r] <= count - used;
        for (int32_t i = 0; is_good && i < runs[r]; i++, used++) {
            fbx_raw_key *key = &raw[used];
            const uint32_t *bits = data + 4 * r;
            *key = (fbx_raw_key){times[used], values[used], (uint32_t)flags[r], {0, 0, 0}, 0, 0};
            memcpy(key->data, bits, sizeof key->data);
            for (int k = 0; k < 3; k++)
                if (!(key->data[k] - key->data[k] == 0)) key->data[k] = 0;
            key->right_weight = key->left_weight = (float)(1.0 / 3);
            if (key->flags & FBX_KEY_WEIGHTED_RIGHT)
                key->right_weight = (float)fmin((bits[2] & 0xffff) / 9999.0, 1);
            if (key->flags & FBX_KEY_WEIGHTED_LEFT)
                key->left_weight = (float)fmin((bits[2] >> 16) / 9999.0, 1);
        }
    }
    for (; is_good && used < count && !fbx_import_clips_has_attributes(node); used++)
        raw[used] =
            (fbx_raw_key){.ticks = times[used], .value = values[used], .flags = FBX_KEY_LINEAR};
    is_good = is_good && used == count;
    fbx_import_count(importer, FBX_UNREAD_CURVES_BROKEN, count > 0 && !is_good, object);
    uint32_t kept = 0;
    if (is_good) kept = fbx_import_curve_keys(raw, (uint32_t)count, importer->tick_rate, keys);
    tn_arena_rewind(&importer->scratch, kept ? after_keys : mark);
    *out = (fbx_curve){.keys = keys, .key_count = kept};
    fbx_import_read_beyond(node, out);
    return kept > 0 && tn_goes_on(&importer->builder->pulse, kept);
}

// The axis that "d|X" names; 0 for "d|Name".
static uint32_t fbx_import_clips_axis(tenon_str property)
{
    bool is_axis = property.size == 1 || (property.size == 3 && property.data[1] == '|');
    char last = is_axis ? property.data[property.size - 1] : 'X';
    return last == 'Y' ? 1 : last == 'Z' ? 2 : 0;
}

// The curves and constants of a curve node.
static void fbx_import_clips_read_curves(fbx_importer *importer, uint32_t curve_node,
                                         fbx_track *track)
{
    static const char *const axes[] = {"d|X", "d|Y", "d|Z"};
    const fbx_object *object = &importer->objects[curve_node];
    tenon_str property = track->property;
    for (int k = 0; k < 3; k++)
        track->values[k] = fbx_import_property_number(object, axes[k], track->values[k]);
    if (property.size < 60) {
        char name[64] = "d|";
        memcpy(name + 2, property.data, property.size);
        name[2 + property.size] = '\0';
        track->values[0] = fbx_import_property_number(object, name, track->values[0]);
    }
    fbx_links links = fbx_import_children(importer, curve_node);
    for (uint32_t i = 0; i < links.count && !importer->builder->failed; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        if (importer->objects[link->child].kind != FBX_CURVE) continue;
        fbx_curve curve, *to = &track->curves[fbx_import_clips_axis(link->property)];
        if (!fbx_import_clips_curve(importer, link->child, &curve)) continue;
        fbx_import_count(importer, FBX_UNREAD_CURVES_TWICE, to->key_count > 0, link->child);
        if (to->key_count == 0) *to = curve;
    }
}

// -- Tracks

bool fbx_import_add_track(fbx_importer *importer, fbx_clip *clip, uint32_t *room,
                          const fbx_track *track)
{
    if (!fbx_import_grow(importer, (void **)&clip->tracks, clip->track_count, room,
                         sizeof *clip->tracks))
        return false;
    clip->tracks[clip->track_count++] = *track;
    return true;
}

static bool fbx_import_clips_before(const void *context, uint32_t a, uint32_t b)
{
    const fbx_track *tracks = context, *x = &tracks[a], *y = &tracks[b];
    if (x->object != y->object) return x->object < y->object;
    int order = tn_text_order(x->property, y->property);
    return order ? order < 0 : x->layer < y->layer;
}

// Take over the curves of another track for the same property in the same layer.
static void fbx_import_clips_join(fbx_importer *importer, fbx_track *to, const fbx_track *from)
{
    for (int k = 0; k < 3; k++) {
        if (!from->curves[k].key_count) continue;
        bool is_double = to->curves[k].key_count > 0;
        fbx_import_count(importer, FBX_UNREAD_CURVES_TWICE, is_double, to->object);
        if (!is_double) to->curves[k] = from->curves[k];
    }
}

bool fbx_import_sort_tracks(fbx_importer *importer, fbx_clip *clip)
{
    uint32_t count = clip->track_count, kept = 0;
    uint32_t *order = fbx_import_alloc(importer, count, sizeof *order);
    uint32_t *spare = fbx_import_alloc(importer, count, sizeof *spare);
    fbx_track *sorted = fbx_import_alloc(importer, count, sizeof *sorted);
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, fbx_import_clips_before, clip->tracks);
    for (uint32_t i = 0; i < count; i++) {
        const fbx_track *track = &clip->tracks[order[i]];
        fbx_track *last = kept ? &sorted[kept - 1] : NULL;
        bool is_same =
            last && last->object == track->object && tn_text_equal(last->property, track->property);
        if (is_same && last->layer == track->layer) {
            fbx_import_clips_join(importer, last, track);
            continue;
        }
        if (is_same) last->next = kept;
        sorted[kept] = *track;
        sorted[kept++].next = TENON_NONE;
    }
    clip->tracks = sorted;
    clip->track_count = kept;
    return true;
}

uint32_t fbx_import_find_track(const fbx_clip *clip, uint32_t object, tenon_str property)
{
    uint32_t low = 0, high = clip->track_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const fbx_track *track = &clip->tracks[middle];
        bool is_before = track->object < object ||
                         (track->object == object && tn_text_order(track->property, property) < 0);
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == clip->track_count) return TENON_NONE;
    const fbx_track *found = &clip->tracks[low];
    return found->object == object && tn_text_equal(found->property, property) ? low : TENON_NONE;
}

// -- Stacks

// A take of the section that has them all.
typedef struct clip_take {
    tn_named named;
    const tenon_fbx_node *range;
} clip_take;

static void fbx_import_clips_layer(fbx_importer *importer, fbx_clip *clip, uint32_t index,
                                   uint32_t object, uint32_t *room)
{
    const fbx_object *layer = &importer->objects[object];
    fbx_clip_layer *to = &clip->layers[index];
    double blend = fbx_import_property_number(layer, "BlendMode", 0);
    *to = (fbx_clip_layer){
        .object = object,
        .weight = fbx_import_property_number(layer, "Weight", 100) / 100,
        .blend = blend == 1   ? FBX_REPLACES
                 : blend == 2 ? FBX_MIXES
                              : FBX_ADDS,
        .turns_by_angle = fbx_import_property_number(layer, "RotationAccumulationMode", 0) == 1,
        .adds_scales = fbx_import_property_number(layer, "ScaleAccumulationMode", 0) == 1,
        .is_muted = fbx_import_property_number(layer, "Mute", 0) != 0,
        .is_alone = fbx_import_property_number(layer, "Solo", 0) != 0};
    fbx_links nodes = fbx_import_children(importer, object);
    for (uint32_t i = 0; i < nodes.count && !importer->builder->failed; i++) {
        uint32_t node = importer->links[nodes.items[i]].child;
        if (importer->objects[node].kind != FBX_CURVE_NODE) continue;
        fbx_links targets = fbx_import_parents(importer, node);
        for (uint32_t k = 0; k < targets.count; k++) {
            const fbx_link *target = &importer->links[targets.items[k]];
            if (!target->property.size) continue;
            fbx_track track = {.object = target->parent,
                               .property = target->property,
                               .layer = index,
                               .next = TENON_NONE};
            char name[64];
            if (track.property.size < sizeof name) {
                memcpy(name, track.property.data, track.property.size);
                name[track.property.size] = '\0';
                const fbx_object *owner = &importer->objects[track.object];
                if (!fbx_import_property_vec3(owner, name, track.values))
                    track.values[0] = fbx_import_property_number(owner, name, 0);
            }
            fbx_import_clips_read_curves(importer, node, &track);
            bool is_weight = track.object == object && tn_text_is(track.property, "Weight");
            if (is_weight)
                to->weights = track.curves[0];
            else if (!fbx_import_add_track(importer, clip, room, &track))
                return;
        }
    }
}

// The ranges of clips that have none are in the section of takes in old files of version 7.
static void fbx_import_clips_take_ranges(fbx_importer *importer)
{
    const tenon_fbx_node *takes = fbx_child(&importer->doc->root, "Takes");
    uint32_t count = takes ? takes->child_count : 0;
    clip_take *items = fbx_import_alloc(importer, count, sizeof *items);
    tn_name_tree names = {0};
    for (uint32_t i = 0; items && i < count; i++) {
        const tenon_fbx_node *take = &takes->children[i];
        const tenon_str name = fbx_import_text(importer, fbx_text(take, 0));
        items[i] = (clip_take){{.name = name}, fbx_child(take, "LocalTime")};
        if (fbx_is_named(take, "Take") && items[i].range)
            (void)tn_name_enter(&names, &items[i].named);
    }
    for (uint32_t i = 0; items && i < importer->clip_count; i++) {
        fbx_clip *clip = &importer->clips[i];
        const clip_take *take = (const clip_take *)tn_name_find(&names, clip->name);
        if (clip->has_range || !take) continue;
        clip->has_range = true;
        clip->start = (double)fbx_int(take->range, 0, 0) / importer->tick_rate;
        clip->stop = (double)fbx_int(take->range, 1, 0) / importer->tick_rate;
    }
}

static void fbx_import_clips_stack(fbx_importer *importer, uint32_t object, fbx_clip *clip)
{
    const fbx_object *stack = &importer->objects[object];
    fbx_links layers = fbx_import_children(importer, object);
    uint32_t count = 0, room = 0;
    bool has_solo = false;
    *clip = (fbx_clip){.name = stack->name, .object = object};
    for (uint32_t i = 0; i < layers.count; i++)
        count += importer->objects[importer->links[layers.items[i]].child].kind == FBX_LAYER;
    clip->layers = fbx_import_alloc(importer, count, sizeof *clip->layers);
    for (uint32_t i = 0; i < layers.count && !importer->builder->failed; i++) {
        uint32_t layer = importer->links[layers.items[i]].child;
        if (importer->objects[layer].kind != FBX_LAYER) continue;
        fbx_import_clips_layer(importer, clip, clip->layer_count++, layer, &room);
        has_solo = has_solo || clip->layers[clip->layer_count - 1].is_alone;
    }
    // If some layers are alone, no others count. The only layer always does.
    for (uint32_t i = 0; i < clip->layer_count; i++) {
        fbx_clip_layer *layer = &clip->layers[i];
        if (has_solo) layer->is_muted = !layer->is_alone;
        if (clip->layer_count == 1) layer->is_muted = false;
    }
    const tenon_fbx_node *start = fbx_import_property(stack, "LocalStart"),
                         *stop = fbx_import_property(stack, "LocalStop");
    clip->has_range = start || stop;
    clip->start = (double)fbx_import_property_integer(start, 0) / importer->tick_rate;
    clip->stop = (double)fbx_import_property_integer(stop, 0) / importer->tick_rate;
}

// A layer that is part of no stack is a clip with one layer.
static void fbx_import_clips_lone_layer(fbx_importer *importer, uint32_t object, fbx_clip *clip)
{
    uint32_t room = 0;
    *clip = (fbx_clip){.name = importer->objects[object].name, .object = object, .layer_count = 1};
    clip->layers = fbx_import_alloc(importer, 1, sizeof *clip->layers);
    if (clip->layers) fbx_import_clips_layer(importer, clip, 0, object, &room);
    if (clip->layers) clip->layers[0].is_muted = false;
}

static bool fbx_import_clips_of_stacks(fbx_importer *importer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < importer->object_count; i++)
        count += importer->objects[i].kind == FBX_STACK || importer->objects[i].kind == FBX_LAYER;
    importer->clips = fbx_import_alloc(importer, count, sizeof *importer->clips);
    for (uint32_t i = 0; i < importer->object_count && !importer->builder->failed; i++) {
        bool is_stack = importer->objects[i].kind == FBX_STACK;
        bool is_alone = importer->objects[i].kind == FBX_LAYER &&
                        fbx_import_parent_of(importer, i, FBX_STACK) == TENON_NONE;
        if (!is_stack && !is_alone) continue;
        fbx_clip *clip = &importer->clips[importer->clip_count++];
        if (is_stack)
            fbx_import_clips_stack(importer, i, clip);
        else
            fbx_import_clips_lone_layer(importer, i, clip);
        if (is_alone && !clip->track_count) importer->clip_count--;
        if (!importer->builder->failed) (void)fbx_import_sort_tracks(importer, clip);
    }
    if (!importer->builder->failed) fbx_import_clips_take_ranges(importer);
    return !importer->builder->failed;
}

bool fbx_import_clips(fbx_importer *importer)
{
    bool is_read =
        importer->is_old ? fbx_import_old_clips(importer) : fbx_import_clips_of_stacks(importer);
    if (!is_read) return false;
    tenon_str *names = fbx_import_alloc(importer, importer->clip_count, sizeof *names);
    for (uint32_t i = 0; names && i < importer->clip_count; i++) names[i] = importer->clips[i].name;
    bool is_done = names && fbx_shorten_names(names, importer->clip_count, &importer->scratch,
                                              importer->builder->err);
    if (!is_done) importer->builder->failed = true;
    for (uint32_t i = 0; is_done && i < importer->clip_count; i++)
        importer->clips[i].name = names[i];
    return is_done;
}

// -- Values

// A power with an exponent from 0 to 1, of the absolute value: a product of square roots.
static double fbx_import_clips_power(double value, double exponent)
{
    double root = fabs(value), product = 1;
    if (exponent >= 1) return value;
    for (int i = 0; i < 52 && exponent > 0; i++) {
        root = sqrt(root);
        exponent *= 2;
        if (exponent < 1) continue;
        exponent -= 1;
        product *= root;
    }
    return value < 0 ? -product : product;
}

static double fbx_import_clips_layer_weight(const fbx_clip *clip, uint32_t index, double time)
{
    const fbx_clip_layer *layer = &clip->layers[index];
    if (layer->weights.key_count == 0) return fmin(1, fmax(0, layer->weight));
    return fmin(1, fmax(0, fbx_import_curve_value(&layer->weights, time) / 100));
}

static void fbx_import_clips_sample(const fbx_track *track, double time, double out[3])
{
    for (int k = 0; k < 3; k++) {
        const fbx_curve *curve = &track->curves[k];
        out[k] = curve->key_count ? fbx_import_curve_value(curve, time) : track->values[k];
    }
}

void fbx_import_track_value(const fbx_clip *clip, uint32_t index, double time, bool is_scale,
                            const double rest[3], double out[3])
{
    memcpy(out, rest, 3 * sizeof *out);
    for (; index != TENON_NONE; index = clip->tracks[index].next) {
        const fbx_track *track = &clip->tracks[index];
        double value[3];
        if (clip->layers[track->layer].is_muted) continue;
        fbx_import_clips_sample(track, time, value);
        if (track->layer == 0 || clip->layers[track->layer].blend == FBX_REPLACES) {
            memcpy(out, value, sizeof value);
            continue;
        }
        const fbx_clip_layer *layer = &clip->layers[track->layer];
        double w = fbx_import_clips_layer_weight(clip, track->layer, time);
        bool multiplies = is_scale && !layer->adds_scales;
        for (int k = 0; k < 3; k++) {
            if (multiplies && layer->blend == FBX_ADDS)
                out[k] *= fbx_import_clips_power(value[k], w);
            else if (multiplies)
                out[k] =
                    fbx_import_clips_power(out[k], 1 - w) * fbx_import_clips_power(value[k], w);
            else if (layer->blend == FBX_ADDS)
                out[k] += w * value[k];
            else
                out[k] = (1 - w) * out[k] + w * value[k];
        }
    }
}

tn_quat fbx_import_track_rotation(const fbx_clip *clip, uint32_t index, double time, uint32_t order,
                                  const double rest[3])
{
    // Angles as long as layers mix angles, then a quaternion.
    double angles[3];
    tn_quat turn = tn_quat_identity();
    bool is_turn = false;
    memcpy(angles, rest, sizeof angles);
    for (; index != TENON_NONE; index = clip->tracks[index].next) {
        const fbx_track *track = &clip->tracks[index];
        double value[3];
        if (clip->layers[track->layer].is_muted) continue;
        fbx_import_clips_sample(track, time, value);
        if (track->layer == 0 || clip->layers[track->layer].blend == FBX_REPLACES) {
            memcpy(angles, value, sizeof value);
            is_turn = false;
            continue;
        }
        const fbx_clip_layer *layer = &clip->layers[track->layer];
        double w = fbx_import_clips_layer_weight(clip, track->layer, time);
        if (layer->turns_by_angle && !is_turn) {
            for (int k = 0; k < 3; k++)
                angles[k] = layer->blend == FBX_ADDS ? angles[k] + w * value[k]
                                                     : (1 - w) * angles[k] + w * value[k];
            continue;
        }
        if (!is_turn) turn = fbx_import_euler(angles, order);
        is_turn = true;
        tn_quat other = fbx_import_euler(value, order);
        if (layer->blend == FBX_ADDS)
            turn = tn_quat_mul(turn, tn_quat_slerp(tn_quat_identity(), other, w));
        else
            turn = tn_quat_slerp(turn, other, w);
    }
    return is_turn ? turn : fbx_import_euler(angles, order);
}
