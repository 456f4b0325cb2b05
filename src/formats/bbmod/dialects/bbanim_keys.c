// bbanim_keys.c: frames in other spaces; keyframes to baked frames, and the reverse.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <math.h>
#include <string.h>

#define FRAMES_MOST UINT32_C(1000000000)  // Half a year at 60 per second: more is a mistake.

// -- Rows

const uint8_t *bbanim_spaces_rows(const tenon_bbanim *doc, const char *space, uint64_t frame)
{
    const tenon_layout *layout = doc->frames.layout;
    const tenon_element *element = layout ? tn_layout_find(layout, space) : NULL;
    return element ? tn_span_record(&doc->frames, frame) + element->offset : NULL;
}

bool bbanim_spaces_new_frames(bbmod_converter *converter, uint8_t spaces, uint64_t count,
                              tenon_span *frames, uint8_t **bytes)
{
    const tenon_bbanim *next = &converter->clip;
    tn_refusal why;
    const tenon_layout *layout = bbanim_layout_of_frames(
        spaces, next->model_node_count, next->model_bone_count, converter->change->arena, &why);
    if (!layout) return bbmod_dialects_refuse(converter, why, "the changed frames");
    uint64_t stored = layout->stride ? count : 0;
    *bytes = bbmod_alloc(converter, stored, (size_t)layout->stride, "frames");
    *frames = bbmod_span(*bytes, stored, layout);
    return *bytes != NULL;
}

// -- Transforms

uint32_t bbanim_spaces_worlds(const tenon_bbanim *doc, const bbmod_rig *rig, uint64_t frame,
                              tn_dquat *worlds)
{
    const uint8_t *parent = bbanim_spaces_rows(doc, "parent", frame);
    const uint8_t *world = bbanim_spaces_rows(doc, "world", frame);
    const uint8_t *bone = bbanim_spaces_rows(doc, "bone", frame);
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

void bbanim_spaces_respace(bbmod_converter *converter, uint8_t wanted)
{
    static const char *const spaces[] = {"parent", "world", "bone"};
    tenon_bbanim *next = &converter->clip;
    uint8_t had = next->spaces;
    if (wanted == had) return;
    bool must_compute = (wanted & ~had) != 0 && next->frames.count;
    if (must_compute && !bbanim_dialects_needs_model(converter, "computing other spaces")) return;
    tenon_span frames;
    uint8_t *bytes;
    if (!bbanim_spaces_new_frames(converter, wanted, next->frames.count, &frames, &bytes)) return;
    uint32_t missing = 0;
    tn_dquat *worlds = bbmod_alloc(converter, must_compute ? converter->rig.joint_count : 0,
                                   sizeof *worlds, "frames");
    if (!worlds) return;
    for (uint64_t i = 0; i < frames.count; i++) {
        if (must_compute) missing = bbanim_spaces_worlds(next, &converter->rig, i, worlds);
        // Copy the spaces that are stored and compute the others.
        for (uint32_t k = 0; k < 3; k++) {
            const tenon_element *element = tn_layout_find(frames.layout, spaces[k]);
            const uint8_t *stored = bbanim_spaces_rows(next, spaces[k], i);
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

void bbanim_keys_bake(bbmod_converter *converter, double rate)
{
    const tn_change *change = converter->change;
    tenon_bbanim *next = &converter->clip;
    const bbmod_rig *rig = &converter->rig;
    if (!bbanim_dialects_needs_model(converter, "baking keyframes")) return;
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
    if (!bbanim_spaces_new_frames(converter, TENON_BBANIM_PARENT, count, &frames, &bytes)) return;
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
    tn_dquat q = bbmod_rig_load_row(bbanim_spaces_rows(doc, "parent", frame), slot);
    tn_vec3 t = tn_dquat_translation(q);
    const double position[4] = {t.x, t.y, t.z, 0};
    const double rotation[4] = {q.real.x, q.real.y, q.real.z, q.real.w};
    for (int i = 0; i < 4; i++)
        out[i] = tn_to_float(layout == &bbanim_position_layout ? position[i] : rotation[i]);
}

static bool bbanim_keys_is_constant(const tenon_bbanim *doc, uint32_t slot,
                                    const tenon_layout *layout)
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
    uint64_t count = bbanim_keys_is_constant(doc, slot, layout) ? 1 : frame_count + 1;
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

void bbanim_keys_unbake(bbmod_converter *converter)
{
    tenon_bbanim *next = &converter->clip;
    bool has_nodes = (converter->change->to->flags & TENON_BBANIM_NODES) != 0;
    bbanim_spaces_respace(converter, TENON_BBANIM_PARENT);
    if (converter->failed) return;
    uint32_t count = has_nodes ? next->model_node_count : next->model_bone_count;
    if (count > next->model_node_count) count = next->model_node_count;
    if (!next->frames.count) count = 0;
    uint64_t moving = 0;  // Nodes that version 1 cannot animate.
    for (uint32_t i = count; next->frames.count && i < next->model_node_count; i++)
        moving += !bbanim_keys_is_constant(next, i, &bbanim_position_layout) ||
                  !bbanim_keys_is_constant(next, i, &bbanim_rotation_layout);
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

// -- Versions 1 and 2

// Bones have the first slots, so their channels keep the index.
void bbanim_keys_rekey(bbmod_converter *converter)
{
    tenon_bbanim *next = &converter->clip;
    bool to_nodes = (converter->change->to->flags & TENON_BBANIM_NODES) != 0;
    if (!bbanim_dialects_needs_model(converter, "renumbering channels")) return;
    tenon_bbanim_channel *channels =
        bbmod_alloc(converter, next->channel_count, sizeof *channels, "channels");
    if (!channels) return;
    uint32_t count = 0;
    for (uint32_t c = 0; c < next->channel_count; c++) {
        bool is_bone =
            bbmod_tree_slot(next->channels[c].index, converter->rig.bone_count) != TENON_NONE;
        if (to_nodes || is_bone) channels[count++] = next->channels[c];
    }
    tn_change_report(converter->change, TENON_DROPPED, "motion of nodes that are not bones",
                     next->channel_count - count, "version 1 animates bones only");
    next->channels = channels;
    next->channel_count = count;
    next->model_node_count = converter->rig.joint_count;
    next->model_bone_count = converter->rig.bone_count;
}
