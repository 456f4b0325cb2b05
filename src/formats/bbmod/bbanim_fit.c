// bbanim_fit.c: whether an animation fits a model.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/dialects/bbmod_dialects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define ROTATION_TOLERANCE 1e-5  // How far the cosine of half an angle may be from 1.
#define POSITION_TOLERANCE 1e-3  // As a share of the distance from the origin.

// The nodes and bones of a model, or of the model that an animation is for. TENON_NONE if unknown.
typedef struct bbanim_counts {
    uint32_t nodes, bones;
} bbanim_counts;

static bbanim_counts bbanim_fit_expected_counts(const tenon_bbanim *doc)
{
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool has_nodes = !has_keys || bbanim_has(doc, TENON_BBANIM_NODES);
    return (bbanim_counts){has_nodes ? doc->model_node_count : TENON_NONE,
                           has_keys && has_nodes ? TENON_NONE : doc->model_bone_count};
}

static bbanim_counts bbanim_fit_counts(const tenon_bbmod *model)
{
    if (!bbmod_tree_has(model, TENON_BBMOD_NESTED))
        return (bbanim_counts){model->node_count, (uint32_t)model->bones.count};
    uint32_t bones = model->v1_bone_count;
    bbmod_tree_item skeleton = {.v1_bone = &model->v1_skeleton};
    return (bbanim_counts){bones ? (uint32_t)bbmod_tree_count(&skeleton) : 0, bones};
}

static bool bbanim_count_fits(uint32_t expected, uint32_t has)
{
    return expected == TENON_NONE || expected == has;
}

bool tenon_bbanim_fits(const tenon_bbanim *animation, const tenon_bbmod *model)
{
    bbanim_counts expected = bbanim_fit_expected_counts(animation), has = bbanim_fit_counts(model);
    return bbanim_count_fits(expected.nodes, has.nodes) &&
           bbanim_count_fits(expected.bones, has.bones);
}

bbanim_misfit bbanim_fit_rig(const tenon_bbanim *doc, const bbmod_rig *rig)
{
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool has_nodes = !has_keys || bbanim_has(doc, TENON_BBANIM_NODES);
    if (has_nodes && doc->model_node_count != rig->joint_count)
        return (bbanim_misfit){"nodes", doc->model_node_count, rig->joint_count};
    if (!(has_keys && has_nodes) && doc->model_bone_count != rig->bone_count)
        return (bbanim_misfit){"bones", doc->model_bone_count, rig->bone_count};
    return (bbanim_misfit){NULL, 0, 0};
}

uint64_t bbanim_fit_channels(const tenon_bbanim *doc, const bbmod_rig *rig, uint32_t slot_count,
                             const tenon_bbanim_channel **by_joint)
{
    uint64_t unknown = 0;
    for (uint32_t c = 0; c < doc->channel_count; c++) {
        uint32_t slot = bbmod_tree_slot(doc->channels[c].index, slot_count);
        uint32_t joint = slot == TENON_NONE ? TENON_NONE : rig->by_slot[slot];
        if (joint == TENON_NONE || by_joint[joint])
            unknown++;
        else
            by_joint[joint] = &doc->channels[c];
    }
    return unknown;
}

// -- Comparing counts

bool bbanim_fit_relate(const void *any, const tenon_doc *other, char *text, size_t text_size)
{
    const tenon_bbanim *doc = any;
    const tenon_bbmod *model = tenon_as_bbmod((tenon_doc *)other);
    if (!model) return false;
    bbanim_counts expected = bbanim_fit_expected_counts(doc), has = bbanim_fit_counts(model);
    bool is_old = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool same_age = is_old == (model->version_major < 3);
    bool nodes_fit = bbanim_count_fits(expected.nodes, has.nodes);
    if (!tenon_bbanim_fits(doc, model))
        snprintf(text, text_size,
                 "the animation does not fit the model: it is for %u %s, but the model has %u",
                 nodes_fit ? expected.bones : expected.nodes, nodes_fit ? "bones" : "nodes",
                 nodes_fit ? has.bones : has.nodes);
    else
        snprintf(text, text_size, "the animation fits the model: %u nodes, %u bones%s", has.nodes,
                 has.bones, same_age ? "" : "; but no engine version reads both files");
    return true;
}

// -- Checking

// Transforms of a space that differ from those of another, and the first of them.
typedef struct bbanim_difference {
    uint64_t count, frame;
    uint32_t slot;
} bbanim_difference;

// The sign of dual quaternions does not matter.
static void bbanim_fit_compare(bbanim_difference *difference, uint64_t frame, uint32_t slot,
                               const uint8_t *rows, tn_dquat expected)
{
    tn_dquat stored = bbmod_rig_load_row(rows, slot);
    tn_vec3 a = tn_dquat_translation(stored), b = tn_dquat_translation(expected);
    double apart = tn_vec3_length(tn_vec3_sub(a, b));
    bool is_near = apart <= POSITION_TOLERANCE * (1 + tn_vec3_length(a));
    double cosine = fabs(tn_quat_dot(stored.real, expected.real));
    bool is_rotated = fabs(cosine - 1) > ROTATION_TOLERANCE;
    // Another rule reports numbers that are not finite.
    if ((is_near && !is_rotated) || !isfinite(apart)) return;
    if (difference->count++ == 0) difference->frame = frame, difference->slot = slot;
}

void bbanim_fit_check_model(tn_check *check, const tenon_bbanim *doc)
{
    const tenon_bbmod *model = tenon_as_bbmod((tenon_doc *)check->opts->model);
    if (!model) return;
    bbanim_counts expected = bbanim_fit_expected_counts(doc), has = bbanim_fit_counts(model);
    if (!bbanim_count_fits(expected.nodes, has.nodes))
        tn_found(check, "model-nodes", tn_path("model_node_count"),
                 "the animation is for %u nodes, but the model has %u", expected.nodes, has.nodes);
    if (!bbanim_count_fits(expected.bones, has.bones))
        tn_found(check, "model-bones", tn_path("model_bone_count"),
                 "the animation is for %u bones, but the model has %u", expected.bones, has.bones);
    // What spaces of the same frame say.
    bool is_plain = !bbanim_has(doc, TENON_BBANIM_REPEATED);
    if (!is_plain || !tenon_bbanim_fits(doc, model)) return;
    bbmod_view view;
    bbmod_rig rig;
    if (doc->frames.count == 0 || doc->frames.layout->element_count < 2) return;
    if (!bbmod_tree_view_make(&view, model, check->arena, NULL) ||
        !bbmod_rig_make(&rig, &view, check->arena, NULL)) {
        check->failed = true;
        return;
    }
    tn_dquat *worlds = tn_check_alloc(check, rig.joint_count, sizeof *worlds);
    if (!worlds || rig.joint_count != doc->model_node_count ||
        rig.bone_count != doc->model_bone_count)
        return;
    static const char *const spaces[] = {"world", "bone"};
    bbanim_difference differences[2] = {0};
    for (uint64_t frame = 0; frame < doc->frames.count; frame++) {
        const uint8_t *world_rows = bbanim_spaces_rows(doc, "world", frame);
        const uint8_t *bone_rows = bbanim_spaces_rows(doc, "bone", frame);
        bbanim_spaces_worlds(doc, &rig, frame, worlds);
        for (uint32_t i = 0; i < rig.joint_count; i++) {
            uint32_t slot = rig.joints[i].slot;
            if (slot == TENON_NONE) continue;
            if (world_rows) bbanim_fit_compare(&differences[0], frame, slot, world_rows, worlds[i]);
            if (bone_rows && slot < rig.bone_count && rig.offsets[slot].is_there)
                bbanim_fit_compare(&differences[1], frame, slot, bone_rows,
                                   tn_dquat_mul(worlds[i], rig.offsets[slot].rigid));
        }
    }
    for (int i = 0; i < 2; i++)
        if (differences[i].count)
            tn_found(check, "spaces-differ",
                     tn_path("frames[%" PRIu64 "].%s[%u]", differences[i].frame, spaces[i],
                             differences[i].slot),
                     "differs from the other spaces and the model; %" PRIu64 " transforms differ",
                     differences[i].count);
}
