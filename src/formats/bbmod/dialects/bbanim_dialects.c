// bbanim_dialects.c: changing the dialect or the spaces of an animation; keyframes to frames and
// back.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "formats/bbmod/bbmod_format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define RATE_DEFAULT 60.0                  // Frames per second, as the converter samples.
#define FRAMES_MOST  UINT32_C(1000000000)  // Half a year at 60 per second: more is a mistake.

// -- The model

// Fail if the model was not given. `why` is the operation that needs it.
static bool bbanim_needs_model(bbmod_converter *converter, const char *why)
{
    if (converter->has_rig) return true;
    converter->failed = true;
    return tn_error(converter->change->err, TENON_ERR_UNSUPPORTED,
                    "%s requires the model, which was not given", why);
}

// -- Rows

const uint8_t *bbanim_rows(const tenon_bbanim *doc, const char *space, uint64_t frame)
{
    const tenon_layout *layout = doc->frames.layout;
    const tenon_element *element = layout ? tn_layout_find(layout, space) : NULL;
    return element ? tn_span_record(&doc->frames, frame) + element->offset : NULL;
}

// Allocate zeroed frames with these spaces.
static bool bbanim_new_frames(bbmod_converter *converter, uint8_t spaces, uint64_t count,
                              tenon_span *frames, uint8_t **bytes)
{
    const tenon_bbanim *next = &converter->clip;
    const tn_change *change = converter->change;
    const tenon_layout *layout = bbanim_layout_of_frames(
        spaces, next->model_node_count, next->model_bone_count, change->arena, change->err);
    if (!bbmod_expect(converter, layout != NULL)) return false;
    uint64_t stored = layout->stride ? count : 0;
    *bytes = bbmod_alloc(converter, stored, (size_t)layout->stride, "frames");
    *frames = bbmod_span(*bytes, stored, layout);
    return *bytes != NULL;
}

// -- Transforms

uint32_t bbanim_worlds(const tenon_bbanim *doc, const bbmod_rig *rig, uint64_t frame,
                       tn_dquat *worlds)
{
    const uint8_t *parent = bbanim_rows(doc, "parent", frame);
    const uint8_t *world = bbanim_rows(doc, "world", frame);
    const uint8_t *bone = bbanim_rows(doc, "bone", frame);
    uint32_t missing = 0;
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        const bbmod_joint *joint = &rig->joints[i];
        uint32_t slot = joint->slot;
        bool is_root = joint->parent == TENON_NONE;
        tn_dquat above = is_root ? tn_dquat_identity() : worlds[joint->parent];
        if (slot != TENON_NONE && parent) {
            worlds[i] = tn_dquat_mul(above, bbmod_rig_load_row(parent, slot));
        } else if (slot != TENON_NONE && world) {
            worlds[i] = bbmod_rig_load_row(world, slot);
        } else if (bone && slot < rig->bone_count && rig->offsets[slot].is_there) {
            worlds[i] = tn_dquat_mul(bbmod_rig_load_row(bone, slot),
                                     tn_dquat_inverse(rig->offsets[slot].rigid));
        } else {
            worlds[i] = tn_dquat_mul(above, joint->rest);
            missing++;
        }
    }
    return missing;
}

// -- Computing spaces

// Compute the rows of one space of a frame. Bones without an offset get the identity.
static void bbanim_spaces_compute(const bbmod_rig *rig, uint32_t space, const tn_dquat *worlds,
                                  uint8_t *rows)
{
    for (uint32_t slot = 0; space == TENON_BBANIM_BONE && slot < rig->bone_count; slot++) {
        uint32_t joint = slot < rig->joint_count ? rig->by_slot[slot] : TENON_NONE;
        tn_dquat transform = tn_dquat_identity();
        if (joint != TENON_NONE && rig->offsets[slot].is_there)
            transform = tn_dquat_mul(worlds[joint], rig->offsets[slot].rigid);
        bbmod_rig_store_row(rows, slot, transform);
    }
    for (uint32_t i = 0; space != TENON_BBANIM_BONE && i < rig->joint_count; i++) {
        const bbmod_joint *joint = &rig->joints[i];
        tn_dquat transform = worlds[i];
        if (space == TENON_BBANIM_PARENT && joint->parent != TENON_NONE)
            transform = tn_dquat_mul(tn_dquat_inverse(worlds[joint->parent]), transform);
        if (joint->slot != TENON_NONE) bbmod_rig_store_row(rows, joint->slot, transform);
    }
}

// Convert the frames of the clip to the spaces `wanted`.
static void bbanim_respace(bbmod_converter *converter, uint8_t wanted)
{
    static const char *const spaces[] = {"parent", "world", "bone"};
    tenon_bbanim *next = &converter->clip;
    uint8_t had = next->spaces;
    if (wanted == had) return;
    bool must_compute = (wanted & ~had) != 0 && next->frames.count;
    if (must_compute && !bbanim_needs_model(converter, "computing other spaces")) return;
    tenon_span frames;
    uint8_t *bytes;
    if (!bbanim_new_frames(converter, wanted, next->frames.count, &frames, &bytes)) return;
    uint32_t missing = 0;
    tn_dquat *worlds = bbmod_alloc(converter, must_compute ? converter->rig.joint_count : 0,
                                   sizeof *worlds, "frames");
    if (!worlds) return;
    for (uint64_t i = 0; i < frames.count; i++) {
        if (must_compute) missing = bbanim_worlds(next, &converter->rig, i, worlds);
        // Copy the spaces that are stored and compute the others.
        for (uint32_t k = 0; k < 3; k++) {
            const tenon_element *element = tn_layout_find(frames.layout, spaces[k]);
            const uint8_t *stored = bbanim_rows(next, spaces[k], i);
            if (!element) continue;
            uint8_t *rows = bytes + i * frames.layout->stride + element->offset;
            if (stored)
                memcpy(rows, stored, (size_t)tn_element_size(element));
            else
                bbanim_spaces_compute(&converter->rig, 1u << k, worlds, rows);
        }
    }
    uint8_t whole = TENON_BBANIM_PARENT | TENON_BBANIM_WORLD;
    if ((had & whole) && !(wanted & whole) && next->model_node_count > next->model_bone_count)
        tn_change_report(converter->change, TENON_DROPPED, "nodes that are not bones",
                         next->model_node_count - next->model_bone_count,
                         "frames in bone space contain bones only");
    tn_change_report(converter->change, TENON_DEFAULTED, "nodes that are not bones", missing,
                     "not contained in the frames; they stay in the rest pose");
    next->frames = frames;
    next->spaces = wanted;
}

// -- Sampling

// The numbers of the keys before and after a time, and the share of the second; 0 before the first
// key and after the last.
static double bbanim_keys_find(const tenon_span *keys, double time, float a[4], float b[4])
{
    uint64_t first = 0, high = keys->count;  // The last key at or before `time`, or 0.
    while (high - first > 1) {
        uint64_t middle = first + (high - first) / 2;
        if (tn_load_f64(tn_span_record(keys, middle), false) <= time)
            first = middle;
        else
            high = middle;
    }
    uint64_t second = first + 1 < keys->count ? first + 1 : first;
    tn_span_f32(keys, &keys->layout->elements[1], first, 1, a);
    tn_span_f32(keys, &keys->layout->elements[1], second, 1, b);
    double start = tn_load_f64(tn_span_record(keys, first), false);
    double end = tn_load_f64(tn_span_record(keys, second), false);
    double share = end > start ? (time - start) / (end - start) : 0;
    return share > 0 ? share < 1 ? share : 1 : 0;
}

// The transform of a channel at a time. Without keys, that of the rest pose.
static tn_mat4 bbanim_keys_sample(const tenon_bbanim_channel *channel, const bbmod_joint *joint,
                                  double time)
{
    float a[4], b[4];
    tn_trs trs;
    tn_mat4_decompose(&joint->local, &trs);
    trs.scale = (tn_vec3){1, 1, 1};
    if (channel->positions.count) {
        double share = bbanim_keys_find(&channel->positions, time, a, b);
        trs.translation =
            tn_vec3_lerp((tn_vec3){a[0], a[1], a[2]}, (tn_vec3){b[0], b[1], b[2]}, share);
    }
    if (channel->rotations.count) {
        double share = bbanim_keys_find(&channel->rotations, time, a, b);
        trs.rotation = tn_quat_slerp(tn_quat_normalise((tn_quat){a[0], a[1], a[2], a[3]}),
                                     tn_quat_normalise((tn_quat){b[0], b[1], b[2], b[3]}), share);
    }
    return tn_mat4_from_trs(&trs);
}

// -- Keyframes to frames

static void bbanim_bake(bbmod_converter *converter, double rate)
{
    const tn_change *change = converter->change;
    tenon_bbanim *next = &converter->clip;
    const bbmod_rig *rig = &converter->rig;
    if (!bbanim_needs_model(converter, "baking keyframes")) return;
    next->model_node_count = rig->joint_count;
    next->model_bone_count = rig->bone_count;
    const tenon_bbanim_channel **by_joint =
        bbmod_alloc(converter, rig->joint_count, sizeof *by_joint, "channels");
    tn_mat4 *worlds = bbmod_alloc(converter, rig->joint_count, sizeof *worlds, "frames");
    tn_dquat *rigid = bbmod_alloc(converter, rig->joint_count, sizeof *rigid, "frames");
    if (converter->failed) return;
    tn_change_report(change, TENON_DROPPED, "channels",
                     bbanim_fit_channels(next, rig, rig->joint_count, by_joint),
                     "the model does not have this node, or another channel animates it");
    double exact = ceil(next->duration * rate / next->tics_per_second);
    if (!(next->tics_per_second > 0) || !(exact >= 0 && exact <= FRAMES_MOST)) {
        converter->failed =
            !tn_error(change->err, TENON_ERR_VALUE,
                      "a duration of %s, %s tics per second and %s frames per "
                      "second must give 1 to %u frames",
                      tn_show_f64(next->duration).text, tn_show_f64(next->tics_per_second).text,
                      tn_show_f64(rate).text, FRAMES_MOST);
        return;
    }
    uint64_t count = exact < 1 ? 1 : (uint64_t)exact, scaled = 0;
    tenon_span frames;
    uint8_t *bytes;
    if (!bbanim_new_frames(converter, TENON_BBANIM_PARENT, count, &frames, &bytes)) return;
    // Frames in parent space, without scale.
    for (uint64_t frame = 0; frame < frames.count; frame++) {
        double time = (double)frame / (double)count * next->duration;
        for (uint32_t i = 0; i < rig->joint_count; i++) {
            const bbmod_joint *joint = &rig->joints[i];
            bool is_root = joint->parent == TENON_NONE;
            tn_mat4 local =
                by_joint[i] ? bbanim_keys_sample(by_joint[i], joint, time) : joint->local;
            worlds[i] = tn_mat4_mul(is_root ? &rig->above : &worlds[joint->parent], &local);
            rigid[i] = bbmod_rig_without_scale(&worlds[i], NULL);
            tn_dquat own =
                is_root ? rigid[i] : tn_dquat_mul(tn_dquat_inverse(rigid[joint->parent]), rigid[i]);
            if (joint->slot != TENON_NONE)
                bbmod_rig_store_row(bytes + frame * frames.layout->stride, joint->slot, own);
        }
    }
    tn_change_report(change, TENON_APPROXIMATED, "keyframes", next->channel_count,
                     "sampled, because version 3 stores baked frames");
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        tn_trs trs;
        tn_mat4_decompose(&rig->joints[i].local, &trs);
        double off = fabs(trs.scale.x - 1) + fabs(trs.scale.y - 1) + fabs(trs.scale.z - 1);
        scaled += by_joint[i] && off > 1e-5;
    }
    tn_change_report(
        change, TENON_APPROXIMATED, "scale", scaled,
        "animated nodes lost their scale in this version; in version 3 it is part of the vertices");
    if (rig->is_rigid && rig->joint_count && by_joint[0])
        tn_change_report(change, TENON_APPROXIMATED, "the root's motion", 1,
                         "the model has version 3, which does not store the inverse transform");
    next->frames = frames;
    next->spaces = TENON_BBANIM_PARENT;
    next->duration = (double)count;
    next->tics_per_second = rate;
    next->channel_count = 0;
}

// -- Frames to keyframes

static void bbanim_load_key(const tenon_bbanim *doc, uint32_t slot, uint64_t frame,
                            const tenon_layout *layout, float out[4])
{
    tn_dquat q = bbmod_rig_load_row(bbanim_rows(doc, "parent", frame), slot);
    tn_vec3 t = tn_dquat_translation(q);
    const double position[4] = {t.x, t.y, t.z, 0};
    const double rotation[4] = {q.real.x, q.real.y, q.real.z, q.real.w};
    for (int i = 0; i < 4; i++)
        out[i] = tn_to_float(layout == &bbanim_position_layout ? position[i] : rotation[i]);
}

static bool bbanim_is_constant(const tenon_bbanim *doc, uint32_t slot, const tenon_layout *layout)
{
    float first[4], now[4];
    bbanim_load_key(doc, slot, 0, layout, first);
    for (uint64_t i = 1; i < doc->frames.count; i++) {
        bbanim_load_key(doc, slot, i, layout, now);
        if (memcmp(first, now, sizeof first) != 0) return false;
    }
    return true;
}

// The last key is repeated at the end, because the old runtime does not hold it.
static tenon_span bbanim_keys_of_frames(bbmod_converter *converter, uint32_t slot,
                                        const tenon_layout *layout)
{
    const tenon_bbanim *doc = &converter->clip;
    uint64_t frame_count = doc->frames.count, stride = layout->stride;
    uint64_t count = bbanim_is_constant(doc, slot, layout) ? 1 : frame_count + 1;
    uint8_t *bytes = bbmod_alloc(converter, count, (size_t)stride, "keys");
    for (uint64_t i = 0; bytes && i < count; i++) {
        double time = (double)i;
        float numbers[4];
        bbanim_load_key(doc, slot, i < frame_count ? i : frame_count - 1, layout, numbers);
        tn_copy_numbers(bytes + i * stride, &time, 1, 8, false);
        tn_copy_numbers(bytes + i * stride + 8, numbers, layout->elements[1].count, 4, false);
    }
    return bbmod_span(bytes, count, layout);
}

static void bbanim_unbake(bbmod_converter *converter)
{
    tenon_bbanim *next = &converter->clip;
    bool has_nodes = (converter->change->to->flags & TENON_BBANIM_NODES) != 0;
    bbanim_respace(converter, TENON_BBANIM_PARENT);
    if (converter->failed) return;
    uint32_t count = has_nodes ? next->model_node_count : next->model_bone_count;
    if (count > next->model_node_count) count = next->model_node_count;
    if (!next->frames.count) count = 0;
    uint64_t moving = 0;  // Nodes that version 1 cannot animate.
    for (uint32_t i = count; next->frames.count && i < next->model_node_count; i++)
        moving += !bbanim_is_constant(next, i, &bbanim_position_layout) ||
                  !bbanim_is_constant(next, i, &bbanim_rotation_layout);
    tn_change_report(converter->change, TENON_DROPPED, "motion of nodes that are not bones", moving,
                     "version 1 animates bones only");
    next->channels = bbmod_alloc(converter, count, sizeof *next->channels, "channels");
    for (uint32_t i = 0; i < count && !converter->failed; i++)
        next->channels[i] = (tenon_bbanim_channel){
            .index = (float)i,
            .positions = bbanim_keys_of_frames(converter, i, &bbanim_position_layout),
            .rotations = bbanim_keys_of_frames(converter, i, &bbanim_rotation_layout)};
    next->channel_count = count;
    // A single frame has one key, which is valid for any duration.
    if (next->frames.count < 2 || next->duration == (double)next->frames.count) return;
    tn_change_report(converter->change, TENON_APPROXIMATED, "duration", 1,
                     "rounded up to whole frames");
    next->duration = (double)next->frames.count;
}

// -- Repeated and single frames

// Each record is the list of all frames: keep the first record.
static void bbanim_drop_repeated(bbmod_converter *converter)
{
    tenon_bbanim *next = &converter->clip;
    uint64_t count = next->frames.count;
    tenon_span frames;
    uint8_t *bytes;
    if (count == 0 || !bbanim_new_frames(converter, next->spaces, count, &frames, &bytes)) return;
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t e = 0; e < frames.layout->element_count; e++) {
            const tenon_element *element = &frames.layout->elements[e];
            size_t size = (size_t)tn_element_size(element);
            memcpy(bytes + i * frames.layout->stride + element->offset,
                   bbanim_rows(next, element->name, 0) + i * size, size);
        }
    next->frames = frames;
    tn_change_report(converter->change, TENON_DROPPED, "repeated frames", count * (count - 1),
                     "each frame was stored as the list of all frames");
}

// Whether a dialect stores a single frame, whatever the duration.
static bool bbanim_has_one_frame(uint32_t flags)
{
    return (flags & TENON_BBANIM_DOCUMENT) && !(flags & TENON_BBANIM_ALL_FRAMES);
}

// Repeat the only frame for the whole duration. If the duration is invalid or needs too much
// memory, bbanim_change() reports it.
static void bbanim_hold_frame(bbmod_converter *converter)
{
    tenon_bbanim *next = &converter->clip;
    double count = ceil(next->duration);
    uint64_t stride = next->frames.count == 1 ? next->frames.layout->stride : 0;
    if (!stride || !(count > 1 && count < UINT32_MAX)) return;
    const tn_change *change = converter->change;
    tn_refusal why;
    uint8_t *bytes = tn_arena_alloc(change->arena, (uint64_t)count, (size_t)stride, &why);
    if (!bytes && why == TN_OUT_OF_MEMORY)
        (void)bbmod_expect(converter, tn_arena_fail(change->arena, why, "frames", change->err));
    if (!bytes) return;
    for (uint64_t i = 0; i < (uint64_t)count; i++)
        memcpy(bytes + i * stride, next->frames.data, (size_t)stride);
    next->frames = bbmod_span(bytes, (uint64_t)count, next->frames.layout);
}

// -- Changing an animation

// Whether a dialect stores frames in parent space only, whatever spaces the file declares.
static bool bbanim_is_literal(uint32_t flags)
{
    return (flags & TENON_BBANIM_DOCUMENT) && !(flags & TENON_BBANIM_ALL_SPACES);
}

static void bbanim_convert(bbmod_converter *converter)
{
    const tn_change *change = converter->change;
    tenon_bbanim *next = &converter->clip;
    uint32_t from = next->base.dialect->flags, to = change->to->flags;
    bool is_other = change->to != next->base.dialect;
    if (is_other && (from & TENON_BBANIM_REPEATED)) bbanim_drop_repeated(converter);
    if (is_other && (from & TENON_BBANIM_DOCUMENT)) {
        // Clear the spaces that the file declares, but its dialect does not store.
        uint8_t others = next->spaces & ~bbanim_describe_stored_spaces(from, next->spaces) &
                         (TENON_BBANIM_WORLD | TENON_BBANIM_BONE);
        next->spaces &= (uint8_t)~others;
        bool has_world = others & TENON_BBANIM_WORLD, has_bone = others & TENON_BBANIM_BONE;
        tn_change_report(change, TENON_DROPPED, "spaces", (uint64_t)has_world + has_bone,
                         "the file declares these spaces, but stores no frames for them");
    }
    bool is_held = !bbanim_has_one_frame(to) && !(to & TENON_BBANIM_KEYFRAMES);
    if (bbanim_has_one_frame(from) && is_held) bbanim_hold_frame(converter);
    if (converter->failed) return;
    if (from & to & TENON_BBANIM_KEYFRAMES) {
        // Bones have the first slots, so their channels keep the index.
        bool to_nodes = (to & TENON_BBANIM_NODES) != 0;
        if (!is_other || !bbanim_needs_model(converter, "renumbering channels")) return;
        tenon_bbanim_channel *channels =
            bbmod_alloc(converter, next->channel_count, sizeof *channels, "channels");
        if (!channels) return;
        uint32_t count = 0;
        for (uint32_t c = 0; c < next->channel_count; c++) {
            uint32_t slot = bbmod_slot(next->channels[c].index, converter->rig.bone_count);
            if (to_nodes || slot != TENON_NONE) channels[count++] = next->channels[c];
        }
        tn_change_report(change, TENON_DROPPED, "motion of nodes that are not bones",
                         next->channel_count - count, "version 1 animates bones only");
        next->channels = channels;
        next->channel_count = count;
        next->model_node_count = converter->rig.joint_count;
        next->model_bone_count = converter->rig.bone_count;
        return;
    }
    if (from & TENON_BBANIM_KEYFRAMES)
        bbanim_bake(converter, change->opts->rate > 0 ? change->opts->rate : RATE_DEFAULT);
    if (converter->failed) return;
    if (to & TENON_BBANIM_KEYFRAMES) {
        bbanim_unbake(converter);
        return;
    }
    uint8_t wanted = change->opts->spaces ? (uint8_t)change->opts->spaces : next->spaces;
    if (is_other && bbanim_is_literal(to)) wanted = TENON_BBANIM_PARENT;
    bbanim_respace(converter, wanted);
    if (converter->failed || !is_other || !bbanim_has_one_frame(to)) return;
    // Keep one frame. Frames equal to the first do not count as lost.
    uint64_t stride = next->frames.count ? next->frames.layout->stride : 0, lost = 0;
    for (uint64_t i = 1; i < next->frames.count; i++)
        lost += memcmp(next->frames.data + i * stride, next->frames.data, (size_t)stride) != 0;
    if (next->frames.count) next->frames.count = 1;
    next->frames.size = stride;
    tn_change_report(change, TENON_DROPPED, "frames", lost, "this dialect stores only one frame");
}

// Why the requested change is not possible; NULL if it is.
static const char *bbanim_refusal(const tenon_bbanim *doc, const tn_change *change)
{
    uint32_t spaces = change->opts->spaces, flags = change->to->flags;
    uint32_t known = TENON_BBANIM_PARENT | TENON_BBANIM_WORLD | TENON_BBANIM_BONE;
    double rate = change->opts->rate;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    if (change->to != doc->base.dialect && (flags & TENON_BBANIM_REPEATED))
        return "the dialect 'repeated' is a bug of the runtime and can only be read";
    if (rate > 0 && !has_keys && rate != doc->tics_per_second)
        return "the rate can be changed only for keyframes, not for baked frames";
    if (rate > 0 && has_keys && (flags & TENON_BBANIM_KEYFRAMES))
        return "the rate applies only if keyframes are converted to frames (version 3)";
    if (spaces & ~known) return "the spaces must be a combination of 1, 2 and 4";
    if (spaces && (flags & TENON_BBANIM_KEYFRAMES))
        return "spaces can be chosen only for baked frames, not for keyframes";
    if (spaces && (flags & TENON_BBANIM_REPEATED))
        return "the frames must be repaired first: change the dialect to 3.4";
    if ((spaces & ~(uint32_t)TENON_BBANIM_PARENT) && bbanim_is_literal(flags))
        return "this dialect stores frames in parent space only";
    return NULL;
}

bool bbanim_change(void *any, const tn_change *change)
{
    tenon_bbanim *doc = any;
    bbmod_converter converter = {.change = change, .clip = *doc};
    tenon_bbanim *next = &converter.clip;
    const tenon_bbmod *model = tenon_as_bbmod((tenon_doc *)change->opts->model);
    const char *refusal = bbanim_refusal(doc, change);
    if (refusal) return tn_error(change->err, TENON_ERR_UNSUPPORTED, "%s", refusal);
    if (change->opts->model && (!model || bbmod_is_v0_doc(model)))
        return tn_error(change->err, TENON_ERR_UNSUPPORTED, "the given model has no nodes");
    if (model) {
        bbmod_view view;
        if (!bbmod_view_make(&view, model, change->arena, change->err) ||
            !bbmod_rig_make(&converter.rig, &view, change->arena, change->err))
            return false;
        converter.has_rig = true;
        bbanim_misfit misfit = bbanim_fit_misfit(
            next, (bbanim_counts){converter.rig.joint_count, converter.rig.bone_count});
        if (misfit.what)
            return tn_error(change->err, TENON_ERR_VALUE,
                            "the animation is for %u %s, but the model has %u", misfit.expected,
                            misfit.what, misfit.has);
    }
    bbanim_convert(&converter);
    if (converter.failed) return false;
    bool is_other = change->to != doc->base.dialect;
    bool has_events = (change->to->flags & TENON_BBANIM_EVENTS) != 0;
    if (is_other || has_events) next->has_events = 0;
    if (is_other && !has_events) {
        tn_change_report(change, TENON_DROPPED, "events", next->event_count,
                         "only version 3.4 and later store events");
        next->event_count = 0;
    }
    if (is_other) bbmod_drop_trailing(change, &next->base);
    // Readers interpret a fraction of a frame by the file size, which has changed, so the duration
    // is set to the number of frames.
    uint32_t flags = change->to->flags;
    bool has_duration = !(flags & TENON_BBANIM_KEYFRAMES) && !bbanim_has_one_frame(flags);
    bool has_rows =
        bbanim_frame_size(next->spaces, next->model_node_count, next->model_bone_count) > 0;
    double count = (double)next->frames.count;
    if ((is_other || change->opts->refresh) && has_duration && has_rows &&
        next->duration != count) {
        tn_change_report(change, TENON_APPROXIMATED, "duration", 1,
                         "set to the number of stored frames");
        next->duration = count;
    }
    *doc = *next;
    return true;
}

// -- Derived fields of an animation

bool bbanim_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_bbanim *doc = any;
    uint32_t flags = doc->base.dialect->flags;
    bbmod_version version = bbanim_version_of(doc->base.dialect);
    if (!(flags & TENON_BBANIM_REPEATED)) {
        doc->version_major = version.major;
        doc->version_minor = version.minor;
    }
    if (flags & TENON_BBANIM_KEYFRAMES) return true;
    uint8_t stored = bbanim_describe_stored_spaces(flags, doc->spaces);
    // Frames that were not read have no layout, but writing needs one.
    if (!doc->frames.layout && !(flags & TENON_BBANIM_REPEATED)) {
        doc->frames.layout = bbanim_layout_of_frames(stored, doc->model_node_count,
                                                     doc->model_bone_count, arena, err);
        if (!doc->frames.layout) return false;
    }
    doc->frame_count = (uint32_t)doc->frames.count;
    if (bbanim_has_one_frame(flags)) {
        // Readers expect one frame, or none if a frame has no bytes.
        uint64_t expected = doc->frames.layout->stride > 0;
        if (doc->frames.count == expected) return true;
        return tn_error(err, TENON_ERR_UNSUPPORTED,
                        "this dialect stores %" PRIu64 " frame%s, but the animation has %" PRIu64,
                        expected, expected == 1 ? "" : "s", doc->frames.count);
    }
    bool has_rows = bbanim_frame_size(stored, doc->model_node_count, doc->model_bone_count) > 0;
    bool fits = ceil(doc->duration) == doc->frame_count || floor(doc->duration) == doc->frame_count;
    if (has_rows && !fits) doc->duration = doc->frame_count;
    return true;
}
