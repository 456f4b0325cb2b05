// modeldata_export_keys.c: exports the animations of an AnimatedModelData.
// SPDX-License-Identifier: MIT
//
// Every animation has three lists for each joint. If a list has no keys, and before its first key,
// the engine does not change the joint. So all lists with keys start at time 0.

#include "formats/modeldata/export/modeldata_export.h"

#include "core/cursor/span.h"
#include "exchange/clips/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct modeldata_key_exporter {
    modeldata_exporter *w;
    tn_motion motion;
    float end;      // Ticks.
    bool is_short;  // No list has a key at `end` yet.
    uint64_t list_count;
} modeldata_key_exporter;

// -- Times

// Seconds are floats, so ticks are rarely exact integers: values close to an integer are rounded.
static float modeldata_ticks(const modeldata_exporter *w, double seconds)
{
    double ticks = seconds * w->rate, whole = floor(ticks + 0.5);
    if (fabs(ticks - whole) <= ticks * 0x1p-23) ticks = whole;
    return ticks < (double)FLT_MAX ? (float)ticks : FLT_MAX;
}

static const tenon_channel *modeldata_channel(const modeldata_key_exporter *k, uint32_t node,
                                              tenon_target target)
{
    return k->motion.channels[3 * (size_t)node + (size_t)target];
}

// The time of the last key of all lists, in ticks.
static float modeldata_reach(const modeldata_key_exporter *k)
{
    const modeldata_exporter *w = k->w;
    float reach = 0;
    for (uint32_t i = w->first_joint; i < w->joint_count; i++) {
        uint32_t node = w->joints[i].node;
        if (node == TENON_NONE || !w->limbs[node].is_played) continue;
        int last_target = w->is_document ? TENON_SCALE : TENON_ROTATION;
        for (int target = TENON_TRANSLATION; target <= last_target; target++) {
            const tenon_channel *c = modeldata_channel(k, node, (tenon_target)target);
            float last = c ? modeldata_ticks(w, (double)c->times[c->key_count - 1]) : 0;
            if (last > reach) reach = last;
        }
    }
    return reach;
}

// -- Lists

// The list that is being filled.
typedef struct modeldata_filler {
    modeldata_key_exporter *k;
    uint32_t node;
    tenon_target target;
    uint32_t each;  // Numbers of a value.
    uint8_t *bytes;
    uint32_t count;
    float last_time;
    tn_quat last_turn;
} modeldata_filler;

// The value of a joint relative to its parent. The sign of a quaternion is chosen so that the
// interpolation from the previous key is the shorter one.
static void modeldata_sample(modeldata_filler *f, double seconds, float value[4])
{
    modeldata_exporter *w = f->k->w;
    const tn_trs *frame = &w->limbs[f->node].frame;
    tn_trs local = tn_motion_local(&f->k->motion, f->node, seconds);
    if (f->target == TENON_ROTATION) {
        tn_quat turn = tn_quat_mul(frame->rotation, local.rotation);
        bool is_far = f->count && tn_quat_dot(turn, f->last_turn) < 0;
        if (is_far) turn = (tn_quat){-turn.x, -turn.y, -turn.z, -turn.w};
        f->last_turn = turn;
        const double v[4] = {turn.x, turn.y, turn.z, turn.w};
        for (int i = 0; i < 4; i++) value[i] = (float)v[i];
        return;
    }
    if (f->target == TENON_SCALE) {
        const double scale[3] = {local.scale.x, local.scale.y, local.scale.z};
        for (int i = 0; i < 3; i++) value[i] = tn_narrow(scale[i], &w->not_finite);
        return;
    }
    tn_vec3 place = tn_vec3_scale(local.translation, frame->scale.x);
    place = tn_vec3_add(frame->translation, tn_quat_rotate(frame->rotation, place));
    const double v[3] = {place.x, place.y, place.z};
    for (int i = 0; i < 3; i++) value[i] = tn_narrow(v[i], &w->not_finite);
}

static void modeldata_put_key(modeldata_filler *f, float time, double seconds)
{
    float key[5];
    if (f->count && time <= f->last_time) time = tn_float_after(f->last_time);
    key[0] = f->last_time = time;
    modeldata_sample(f, seconds, key + 1);
    size_t size = (f->each + 1) * sizeof *key;
    tn_copy_numbers(f->bytes + size * f->count, key, f->each + 1, 4, true);
    f->count++;
}

static bool modeldata_fill_list(modeldata_key_exporter *k, uint32_t node, tenon_target target,
                                tenon_modeldata_keys *list)
{
    modeldata_exporter *w = k->w;
    const tenon_layout *layout =
        target == TENON_ROTATION ? &modeldata_rotation_keys : &modeldata_vector_keys;
    tn_times times;
    if (!tn_motion_times(&w->e, &k->motion, node, 1u << target, 0, &times)) return false;
    modeldata_filler f = {.k = k, .node = node, .target = target};
    f.each = target == TENON_ROTATION ? 4 : 3;
    f.bytes = modeldata_export_room(w, (uint64_t)times.count + 2, (size_t)layout->stride);
    if (!f.bytes) return false;
    double first = times.at[0], last = times.at[times.count - 1];
    if (modeldata_ticks(w, first) > 0) modeldata_put_key(&f, 0, first);
    for (uint32_t i = 0; i < times.count; i++)
        modeldata_put_key(&f, modeldata_ticks(w, times.at[i]), times.at[i]);
    if (k->is_short) modeldata_put_key(&f, k->end, last);
    k->is_short = false;
    k->list_count++;
    list->keys = (tenon_span){f.bytes, layout->stride * f.count, f.count, layout, true};
    return true;
}

// Two keys without effect keep the duration of an animation in which nothing moves: scales, which
// the engine ignores, or, in the format's document, the rest position of the first joint.
static bool modeldata_fill_pause(modeldata_key_exporter *k, tenon_modeldata_animation *a)
{
    float keys[8] = {0, 1, 1, 1, k->end, 1, 1, 1};
    const tn_mat4 *local = &k->w->joints[k->w->first_joint].local;
    for (int i = 0; i < 3 && k->w->is_document; i++)
        keys[1 + i] = keys[5 + i] = tn_narrow(local->m[12 + i], &k->w->not_finite);
    uint8_t *bytes = modeldata_export_room(k->w, 1, sizeof keys);
    if (!bytes) return false;
    tn_copy_numbers(bytes, keys, 8, 4, true);
    tenon_modeldata_keys *list = k->w->is_document ? &a->positions[0] : &a->scales[0];
    list->keys = (tenon_span){bytes, sizeof keys, 2, &modeldata_vector_keys, true};
    return true;
}

// -- Animations

static bool modeldata_fill_lists(modeldata_key_exporter *k, tenon_modeldata_animation *a)
{
    modeldata_exporter *w = k->w;
    for (uint32_t i = 0; i < w->doc->joint_count; i++) {
        uint32_t node = w->joints[w->first_joint + i].node;
        if (node == TENON_NONE || !w->limbs[node].is_played) continue;
        if (modeldata_channel(k, node, TENON_TRANSLATION) &&
            !modeldata_fill_list(k, node, TENON_TRANSLATION, &a->positions[i]))
            return false;
        if (modeldata_channel(k, node, TENON_ROTATION) &&
            !modeldata_fill_list(k, node, TENON_ROTATION, &a->rotations[i]))
            return false;
        if (w->is_document && modeldata_channel(k, node, TENON_SCALE) &&
            !modeldata_fill_list(k, node, TENON_SCALE, &a->scales[i]))
            return false;
    }
    bool is_pause = k->list_count == 0 && k->end > 0;
    return !is_pause || modeldata_fill_pause(k, a);
}

static bool modeldata_export_lists(modeldata_exporter *w, tenon_modeldata_animation *a)
{
    uint32_t count = w->doc->joint_count;
    tenon_modeldata_keys *lists = modeldata_export_room(w, 3 * (uint64_t)count, sizeof *lists);
    if (!lists) return false;
    a->positions = lists;
    a->rotations = lists + count;
    a->scales = lists + 2 * (size_t)count;
    a->position_list_count = a->rotation_list_count = a->scale_list_count = count;
    return true;
}

static bool modeldata_export_animation(modeldata_exporter *w, uint32_t index,
                                       tenon_modeldata_animation *a)
{
    const tenon_animation *from = &w->s->animations[index];
    modeldata_key_exporter k = {.w = w};
    if (!(from->duration * w->rate < (double)FLT_MAX / 2))
        return tn_error(w->e.err, TENON_ERR_UNSUPPORTED, "an animation is too long for ModelData");
    if (!modeldata_export_lists(w, a) || !tn_motion_make(&w->e, index, &k.motion)) return false;
    k.end = modeldata_ticks(w, from->duration);
    k.is_short = modeldata_reach(&k) < k.end;
    for (uint32_t i = 0; i < from->channel_count; i++) {
        const tenon_channel *c = &from->channels[i];
        bool is_bent = c->curve != TENON_LINEAR && c->key_count > 1 &&
                       (c->target != TENON_SCALE || w->is_document);
        tn_tally_at(&w->curves, is_bent && w->limbs[c->node].is_played, "animations", index);
    }
    return modeldata_fill_lists(&k, a);
}

static bool modeldata_name_animations(modeldata_exporter *w)
{
    uint32_t count = w->s->animation_count;
    tenon_str *names = tn_export_alloc(&w->e, count, sizeof *names);
    if (!names) return false;
    for (uint32_t i = 0; i < count; i++) names[i] = w->s->animations[i].name;
    if (!tn_unique_names(&w->e, names, count, "animation", &w->clip_names)) return false;
    for (uint32_t i = 0; i < count; i++) w->doc->animations[i].name = names[i];
    return true;
}

bool modeldata_export_animations(modeldata_exporter *w)
{
    uint32_t count = w->s->animation_count;
    w->doc->animations = tn_export_alloc(&w->e, count, sizeof *w->doc->animations);
    if (!w->doc->animations || !modeldata_name_animations(w)) return false;
    for (uint32_t i = 0; i < count; i++) {
        tn_mark mark = tn_arena_mark(w->e.arena);
        if (!modeldata_export_animation(w, i, &w->doc->animations[i])) return false;
        tn_arena_rewind(w->e.arena, mark);
        w->doc->animation_count = i + 1;
    }
    return true;
}
