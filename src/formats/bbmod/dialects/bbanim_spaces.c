// bbanim_spaces.c: frames in parent, world and bone space, each computed from the others.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"

#include <string.h>

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
