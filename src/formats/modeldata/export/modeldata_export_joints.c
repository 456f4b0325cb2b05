// modeldata_export_joints.c: exports the skeleton of an AnimatedModelData.
// SPDX-License-Identifier: MIT
//
// Joints, nodes that clips move, and their ancestors become joints below a synthesized root, which
// is omitted if it has only one child and no vertices. If these are more than the engine supports,
// only joints that move something are kept, and the transforms of the others are applied to their
// children.
//
// In the engine a joint with keys has scale 1. So the scale that a node has in the clips that move
// it is applied to the children and vertices of the joint. In the format's document joints have
// scale keys as well, and this is not necessary.

#include "formats/modeldata/export/modeldata_export.h"

#include "scene/model/scene_build.h"
#include "scene/pose/pose.h"

#include <math.h>
#include <string.h>

#define SCALE_TOLERANCE 1e-6  // Relative difference below which scales are equal.

// The engine does not reverse the winding of mirrored triangles. So the vertices of skins that
// mirror are mirrored first, and their inverse bind matrices mirror them back.
static const tn_vec3 modeldata_mirror = {-1, 1, 1};

// -- Scales

static void modeldata_export_extend_range(modeldata_node_plan *plan, const double scale[3])
{
    for (int k = 0; k < 3; k++) {
        if (!plan->has_range || scale[k] < plan->least[k]) plan->least[k] = scale[k];
        if (!plan->has_range || scale[k] > plan->most[k]) plan->most[k] = scale[k];
    }
    plan->has_range = true;
}

bool modeldata_export_plan_nodes(modeldata_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->node_plans =
        tn_export_alloc(&exporter->export, scene->node_count, sizeof *exporter->node_plans);
    if (!exporter->node_plans) return false;
    for (uint32_t a = 0; a < scene->animation_count; a++) {
        const tenon_animation *clip = &scene->animations[a];
        for (uint32_t i = 0; i < clip->channel_count; i++) {
            const tenon_channel *c = &clip->channels[i];
            modeldata_node_plan *plan = &exporter->node_plans[c->node];
            plan->has_channels = true;
            if (c->target == TENON_SCALE && !exporter->is_document) continue;
            plan->has_keys = true;
            if (!tn_channel_holds(c, tn_channel_rest(scene, c))) plan->moves = true;
            if (plan->clip != a + 1) plan->clip_count++;
            plan->clip = a + 1;
        }
        // In a clip without positions and rotations for the node, its joint keeps the rest pose,
        // and so the rest scale. The range ignores values of cubic curves between keys.
        for (uint32_t i = 0; i < clip->channel_count && !exporter->is_document; i++) {
            const tenon_channel *c = &clip->channels[i];
            modeldata_node_plan *plan = &exporter->node_plans[c->node];
            bool is_keyed = plan->clip == a + 1, is_cubic = c->curve == TENON_CUBIC;
            if (c->target != TENON_SCALE) continue;
            const float *key = c->values + (is_cubic ? 3 : 0);
            const double first[4] = {(double)key[0], (double)key[1], (double)key[2]};
            if (!tn_channel_holds(c, is_keyed ? first : scene->nodes[c->node].scale))
                plan->scale_varies = true;
            plan->scaled_count += is_keyed;
            for (uint32_t k = 0; k < c->key_count && is_keyed; k++, key += is_cubic ? 9 : 3)
                modeldata_export_extend_range(
                    plan, (const double[3]){(double)key[0], (double)key[1], (double)key[2]});
        }
    }
    // Choose the scale of each node in clips that move it. If it changes, use the rest scale, or
    // the middle of the range if the rest scale is outside.
    for (uint32_t i = 0; i < scene->node_count; i++) {
        modeldata_node_plan *plan = &exporter->node_plans[i];
        const double *rest = scene->nodes[i].scale;
        double middle[3];
        bool is_in_range = true, is_usable = true;
        plan->scale = (tn_vec3){1, 1, 1};
        if (exporter->is_document) continue;
        if (plan->scaled_count < plan->clip_count || !plan->has_range)
            modeldata_export_extend_range(plan, rest);
        for (int k = 0; k < 3; k++) {
            double least = plan->least[k], most = plan->most[k];
            double slack = SCALE_TOLERANCE * fabs(most);
            is_in_range = is_in_range && rest[k] >= least - slack && rest[k] <= most + slack;
            middle[k] = least + (most - least) / 2;
            is_usable = is_usable && middle[k] != 0;
            if (!(most - least <= slack)) plan->scale_varies = true;
        }
        bool uses_rest = is_in_range || !is_usable;
        if (uses_rest && !is_in_range) plan->scale_varies = true;
        const double *scale = uses_rest ? rest : middle;
        plan->scale = (tn_vec3){scale[0], scale[1], scale[2]};
    }
    return true;
}

// -- Transforms

static tn_mat4 modeldata_export_scaling(tn_vec3 scale)
{
    tn_trs trs = tn_trs_identity();
    trs.scale = scale;
    return tn_mat4_from_trs(&trs);
}

// Whether a matrix is a translation, a rotation and a uniform scale. Only such a matrix can be
// applied to the positions and rotations of keys.
static bool modeldata_export_is_uniform(const tn_mat4 *m, tn_trs *out)
{
    tn_mat4 identity = tn_mat4_identity();
    bool is_identity = true;
    for (int i = 0; i < 16; i++) is_identity = is_identity && m->m[i] == identity.m[i];
    *out = tn_trs_identity();
    if (is_identity) return true;
    if (tn_mat4_decompose(m, out) != 0) return false;
    double x = out->scale.x, slack = SCALE_TOLERANCE * x;
    return fabs(out->scale.y - x) <= slack && fabs(out->scale.z - x) <= slack;
}

static double modeldata_export_ratio(double a, double b)
{
    return a == b ? 1 : a / b;
}

// -- Joints

static uint32_t modeldata_export_add_joint(modeldata_exporter *exporter, uint32_t node,
                                           uint32_t parent, tenon_str name, const tn_mat4 *local)
{
    modeldata_joint_plan *joint = &exporter->joints[exporter->joint_count];
    *joint = (modeldata_joint_plan){.node = node, .parent = parent, .name = name, .local = *local};
    joint->global = *local;
    if (parent != TENON_NONE)
        joint->global = tn_mat4_mul(&exporter->joints[parent].global, &joint->local);
    return exporter->joint_count++;
}

// Choose the nodes that become joints, and add them.
static bool modeldata_export_plan_all_nodes(modeldata_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    const tn_rig *rig = &exporter->rig;
    bool is_minimal = exporter->is_minimal;
    bool *is_kept = tn_export_alloc(&exporter->export, scene->node_count, sizeof *is_kept);
    if (!is_kept) return false;
    for (uint32_t i = 0; i < rig->bone_count; i++) is_kept[rig->bones[i].node] = true;
    for (uint32_t i = 0; i < rig->part_count && is_minimal; i++)
        if (!rig->parts[i].is_skinned) is_kept[rig->parts[i].node] = true;
    for (uint32_t i = 0; i < scene->node_count && !is_minimal; i++)
        if (scene->nodes[i].is_joint || exporter->node_plans[i].has_channels) is_kept[i] = true;
    for (uint32_t i = scene->node_count; i-- > 0;)
        if (is_kept[i] && scene->nodes[i].parent != TENON_NONE)
            is_kept[scene->nodes[i].parent] = true;
    for (uint32_t i = 0; i < scene->node_count && is_minimal; i++)
        is_kept[i] = is_kept[i] && exporter->node_plans[i].moves;

    // Each node that is kept may need a second joint for its offset, each bone a joint for skins
    // that mirror and one for others, and each rigid part a separate joint.
    uint64_t most = 1 + 2 * (uint64_t)rig->bone_count + rig->part_count;
    for (uint32_t i = 0; i < scene->node_count; i++) most += is_kept[i] ? 2 : 0;
    if (most > INT32_MAX)
        return tn_error(exporter->export.err, TENON_ERR_LIMIT,
                        "the scene has too many joints for ModelData");
    exporter->joints = tn_export_alloc(&exporter->export, most, sizeof *exporter->joints);
    if (!exporter->joints) return false;
    tn_mat4 identity = tn_mat4_identity();
    exporter->joint_count = 0;
    modeldata_export_add_joint(exporter, TENON_NONE, TENON_NONE, (tenon_str){"root", 4}, &identity);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &exporter->scene->nodes[i];
        modeldata_node_plan *plan = &exporter->node_plans[i], *above = NULL;
        if (node->parent != TENON_NONE) above = &exporter->node_plans[node->parent];
        plan->joint = plan->offset_joint = TENON_NONE;
        plan->is_keyed = is_kept[i] && (exporter->is_minimal ? plan->moves : plan->has_keys);
        if (!plan->is_keyed) {
            tn_mat4 local = tn_node_local(node);
            plan->base = above ? above->base : 0;
            plan->offset = above ? tn_mat4_mul(&above->offset, &local) : local;
            if (!is_kept[i]) continue;
            plan->base = plan->joint =
                modeldata_export_add_joint(exporter, i, plan->base, node->name, &plan->offset);
            plan->offset = tn_mat4_identity();
            continue;
        }
        // Keys are relative to the parent joint, so the offset of the parent node is applied to
        // them. If that is not possible, a joint is added that applies it.
        tn_trs *frame = &plan->frame;
        uint32_t parent = above ? above->base : 0;
        *frame = tn_trs_identity();
        if (above && !modeldata_export_is_uniform(&above->offset, frame)) {
            *frame = tn_trs_identity();
            if (above->offset_joint == TENON_NONE) {
                tenon_str name = tn_export_join(
                    &exporter->export, exporter->scene->nodes[node->parent].name, "_scale");
                above->offset_joint = modeldata_export_add_joint(exporter, TENON_NONE, above->base,
                                                                 name, &above->offset);
            }
            parent = above->offset_joint;
        }
        tn_trs own = tn_node_trs(node);
        tn_vec3 position = tn_vec3_scale(own.translation, frame->scale.x);
        tn_trs rest = {tn_vec3_add(frame->translation, tn_quat_rotate(frame->rotation, position)),
                       tn_quat_mul(frame->rotation, own.rotation),
                       {modeldata_export_ratio(own.scale.x, plan->scale.x),
                        modeldata_export_ratio(own.scale.y, plan->scale.y),
                        modeldata_export_ratio(own.scale.z, plan->scale.z)}};
        tn_mat4 local = tn_mat4_from_trs(&rest);
        plan->base = plan->joint =
            modeldata_export_add_joint(exporter, i, parent, node->name, &local);
        plan->offset = modeldata_export_scaling(tn_vec3_scale(plan->scale, frame->scale.x));
    }
    return true;
}

// -- Bind matrices

// The joint for this inverse bind matrix: `index`, or, if that has another one, an added child of
// it.
static uint32_t modeldata_export_bind(modeldata_exporter *exporter, uint32_t index,
                                      const tn_mat4 *inverse_bind, uint32_t node)
{
    modeldata_joint_plan *joint = &exporter->joints[index];
    bool is_same = memcmp(&joint->inverse_bind, inverse_bind, sizeof *inverse_bind) == 0;
    if (joint->is_bound && is_same) return index;
    if (joint->is_bound) {
        tn_mat4 identity = tn_mat4_identity();
        tenon_str name =
            tn_export_join(&exporter->export, exporter->scene->nodes[node].name, "_bind");
        index = modeldata_export_add_joint(exporter, TENON_NONE, index, name, &identity);
        joint = &exporter->joints[index];
    }
    joint->is_bound = true;
    joint->inverse_bind = *inverse_bind;
    return index;
}

static void modeldata_export_bind_at_rest(modeldata_joint_plan *joint)
{
    if (joint->is_bound) return;
    (void)tn_mat4_affine_inverse(&joint->global, &joint->inverse_bind);
    joint->is_bound = true;
}

static void modeldata_export_bind_bone(modeldata_exporter *exporter, uint32_t index,
                                       uint32_t bone_set)
{
    const tn_bone *bone = &exporter->rig.bones[index];
    const modeldata_node_plan *plan = &exporter->node_plans[bone->node];
    tn_mat4 bind = tn_mat4_mul(&plan->offset, &bone->inverse_bind),
            mirror = modeldata_export_scaling(modeldata_mirror);
    if (bone_set) bind = tn_mat4_mul(&bind, &mirror);
    exporter->bone_joints[bone_set][index] =
        modeldata_export_bind(exporter, plan->base, &bind, bone->node);
}

static bool modeldata_export_plan_parts(modeldata_exporter *exporter)
{
    const tn_rig *rig = &exporter->rig;
    exporter->part_plans =
        tn_export_alloc(&exporter->export, rig->part_count, sizeof *exporter->part_plans);
    if (!exporter->part_plans) return false;
    for (uint32_t i = 0; i < rig->part_count; i++) {
        const tn_part *part = &rig->parts[i];
        bool is_mirrored = part->is_skinned && tn_pose_mirrors(exporter->pose, part->node);
        exporter->part_plans[i] = (modeldata_part_plan){
            .placement = is_mirrored ? MODELDATA_BY_MATRIX : MODELDATA_UNMOVED,
            .matrix = modeldata_export_scaling(modeldata_mirror),
            .is_mirrored = is_mirrored,
            .bone_set = is_mirrored,
        };
    }
    // Bind the bones of all skins that are used. The remaining bones are bound so that their joints
    // do not mirror: readers detect a mirroring skeleton from most of its joints.
    const tenon_scene *scene = exporter->scene;
    uint32_t count = exporter->rig.bone_count;
    uint32_t *joints = tn_export_alloc(&exporter->export, 2 * (uint64_t)count, sizeof *joints);
    bool *is_done = tn_export_alloc(&exporter->export, scene->skin_count, sizeof *is_done);
    if (!joints || !is_done) return false;
    exporter->bone_joints[0] = joints;
    exporter->bone_joints[1] = joints + count;
    for (uint32_t i = 0; i < 2 * count; i++) joints[i] = TENON_NONE;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        uint32_t skin = scene->nodes[part->node].skin, set = exporter->part_plans[i].bone_set;
        if (!part->is_skinned || is_done[skin]) continue;
        is_done[skin] = true;
        for (uint32_t k = 0; k < scene->skins[skin].joint_count; k++) {
            uint32_t bone = part->bones[k];
            if (bone == TENON_NONE || exporter->bone_joints[set][bone] != TENON_NONE) continue;
            modeldata_export_bind_bone(exporter, bone, set);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (joints[i] != TENON_NONE || joints[count + i] != TENON_NONE) continue;
        const tn_bone *bone = &exporter->rig.bones[i];
        tn_mat4 moved = tn_mat4_mul(&exporter->pose->globals[bone->node], &bone->inverse_bind);
        tn_mat3 upper = tn_mat4_upper(&moved);
        modeldata_export_bind_bone(exporter, i, tn_mat3_determinant(&upper) < 0);
    }
    // A rigid part is moved so that the inverse bind matrix of its joint moves it back. Usually
    // this moves it to its rest pose.
    for (uint32_t i = 0; i < rig->part_count; i++) {
        uint32_t node = rig->parts[i].node;
        modeldata_part_plan *plan = &exporter->part_plans[i];
        const modeldata_node_plan *above = &exporter->node_plans[node];
        modeldata_joint_plan *joint = &exporter->joints[above->base];
        tn_mat4 unbind;
        if (rig->parts[i].is_skinned) continue;
        modeldata_export_bind_at_rest(joint);
        plan->joint = above->base;
        if (tn_mat4_affine_inverse(&joint->inverse_bind, &unbind)) {
            plan->matrix = tn_mat4_mul(&unbind, &above->offset);
        } else {
            plan->joint = modeldata_export_bind(exporter, above->base, &above->offset, node);
            plan->matrix = tn_mat4_identity();
        }
        tn_mat3 upper = tn_mat4_upper(&plan->matrix);
        plan->is_mirrored = tn_mat3_determinant(&upper) < 0;
        plan->placement = MODELDATA_BY_MATRIX;
    }
    return true;
}

// -- The skeleton

static bool modeldata_export_plan_joints(modeldata_exporter *exporter, bool is_minimal)
{
    exporter->is_minimal = is_minimal;
    if (!tn_rig_make(&exporter->export, TN_RIGID_WITHOUT_BONES, !is_minimal, &exporter->rig) ||
        !modeldata_export_plan_all_nodes(exporter) || !modeldata_export_plan_parts(exporter))
        return false;
    // The synthesized root is omitted if the skeleton has one root without it.
    uint32_t children = 0;
    for (uint32_t i = 1; i < exporter->joint_count; i++)
        children += exporter->joints[i].parent == 0;
    exporter->first_joint = children == 1 && !exporter->joints[0].is_bound;
    return exporter->export.err->code == TENON_OK;
}

bool modeldata_export_joints(modeldata_exporter *exporter)
{
    tenon_modeldata *doc = exporter->doc;
    if (!modeldata_export_plan_joints(exporter, false)) return false;
    bool fits = exporter->is_document ||
                exporter->joint_count - exporter->first_joint <= MODELDATA_ENGINE_MOST;
    if (!fits && !modeldata_export_plan_joints(exporter, true)) return false;
    uint32_t first = exporter->first_joint;
    doc->joint_count = exporter->joint_count - first;
    doc->joints = tn_export_alloc(&exporter->export, doc->joint_count, sizeof *doc->joints);
    if (!doc->joints) return false;
    for (uint32_t i = first; i < exporter->joint_count; i++) {
        modeldata_joint_plan *from = &exporter->joints[i];
        tenon_modeldata_joint *to = &doc->joints[i - first];
        modeldata_export_bind_at_rest(from);
        to->index = (int32_t)(i - first);
        to->parent_index = i == first ? -1 : (int32_t)(from->parent - first);
        to->name = from->name;
        for (int k = 0; k < 16; k++) {
            to->inverse_bind_matrix[k] = tn_narrow(from->inverse_bind.m[k], &exporter->not_finite);
            to->bind_local_pose[k] = tn_narrow(from->local.m[k], &exporter->not_finite);
        }
        if (doc->is_column_major) continue;
        tn_stored_transpose(to->inverse_bind_matrix);
        tn_stored_transpose(to->bind_local_pose);
    }
    return true;
}
