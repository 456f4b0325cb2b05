// modeldata_export_joints.c: exports the skeleton of an AnimatedModelData.
// SPDX-License-Identifier: MIT
//
// Joints, nodes that clips move, and their ancestors become joints below a synthesized root, which
// is omitted if it has only one child and no vertices. If these are more than the engine supports,
// only joints that move something are kept, and the transforms of the others are applied to their
// children.

#include "formats/modeldata/export/modeldata_export.h"

#include "scene/pose/pose.h"

#include <math.h>
#include <string.h>

#define EVEN_TOLERANCE 1e-6  // Relative difference below which scales are equal.

// -- Transforms

tn_mat4 modeldata_local_of(const tenon_node *node)
{
    tn_mat4 matrix;
    if (node->has_matrix) {
        memcpy(matrix.m, node->matrix, sizeof matrix.m);
        return matrix;
    }
    const double *t = node->translation, *r = node->rotation, *s = node->scale;
    tn_trs trs = {{t[0], t[1], t[2]},
                  tn_quat_normalise((tn_quat){r[0], r[1], r[2], r[3]}),
                  {s[0], s[1], s[2]}};
    return tn_mat4_from_trs(&trs);
}

static tn_mat4 modeldata_scaling(tn_vec3 scale)
{
    tn_trs trs = tn_trs_identity();
    trs.scale = scale;
    return tn_mat4_from_trs(&trs);
}

static bool modeldata_is_identity(const tn_mat4 *m)
{
    tn_mat4 identity = tn_mat4_identity();
    for (int i = 0; i < 16; i++)
        if (m->m[i] != identity.m[i]) return false;
    return true;
}

// Whether a matrix is a translation, a rotation and a uniform scale. Only such a matrix can be
// applied to the positions and rotations of keys.
static bool modeldata_is_even(const tn_mat4 *m, tn_trs *out)
{
    *out = tn_trs_identity();
    if (modeldata_is_identity(m)) return true;
    if (tn_mat4_decompose(m, out) != 0) return false;
    double x = out->scale.x, slack = EVEN_TOLERANCE * x;
    return fabs(out->scale.y - x) <= slack && fabs(out->scale.z - x) <= slack;
}

static double modeldata_ratio(double a, double b)
{
    return a == b ? 1 : a / b;
}

// -- Joints

static uint32_t modeldata_add_joint(modeldata_exporter *w, uint32_t node, uint32_t parent,
                                    tenon_str name, const tn_mat4 *local)
{
    modeldata_joint_plan *joint = &w->joints[w->joint_count];
    *joint = (modeldata_joint_plan){.node = node, .parent = parent, .name = name, .local = *local};
    joint->global = *local;
    if (parent != TENON_NONE) joint->global = tn_mat4_mul(&w->joints[parent].global, &joint->local);
    return w->joint_count++;
}

static tenon_str modeldata_name_with(modeldata_exporter *w, tenon_str name, const char *end)
{
    size_t end_size = strlen(end);
    char *text = tn_export_alloc(&w->e, (uint64_t)name.size + end_size + 1, 1);
    if (!text) return (tenon_str){"", 0};
    if (name.size) memcpy(text, name.data, name.size);
    memcpy(text + name.size, end, end_size);
    return (tenon_str){text, name.size + (uint32_t)end_size};
}

// The parent of a joint that clips move, and the transform of its keys in `frame`. If the offset of
// the parent node cannot be applied to keys, a joint is added that applies it.
static uint32_t modeldata_support(modeldata_exporter *w, uint32_t parent, tn_trs *frame)
{
    *frame = tn_trs_identity();
    if (parent == TENON_NONE) return 0;
    modeldata_node_plan *above = &w->limbs[parent];
    if (modeldata_is_even(&above->offset, frame)) return above->base;
    *frame = tn_trs_identity();
    if (above->carrier == TENON_NONE) {
        tenon_str name = modeldata_name_with(w, w->s->nodes[parent].name, "_scale");
        above->carrier = modeldata_add_joint(w, TENON_NONE, above->base, name, &above->offset);
    }
    return above->carrier;
}

static void modeldata_add_played(modeldata_exporter *w, uint32_t index)
{
    const tenon_node *node = &w->s->nodes[index];
    modeldata_node_plan *limb = &w->limbs[index];
    uint32_t parent = modeldata_support(w, node->parent, &limb->frame);
    const tn_trs *frame = &limb->frame;
    const double *t = node->translation, *r = node->rotation, *s = node->scale;
    tn_vec3 place = tn_vec3_scale((tn_vec3){t[0], t[1], t[2]}, frame->scale.x);
    tn_quat turn = tn_quat_normalise((tn_quat){r[0], r[1], r[2], r[3]});
    tn_trs rest = {tn_vec3_add(frame->translation, tn_quat_rotate(frame->rotation, place)),
                   tn_quat_mul(frame->rotation, turn),
                   {modeldata_ratio(s[0], limb->scale.x), modeldata_ratio(s[1], limb->scale.y),
                    modeldata_ratio(s[2], limb->scale.z)}};
    tn_mat4 local = tn_mat4_from_trs(&rest);
    limb->base = limb->joint = modeldata_add_joint(w, index, parent, node->name, &local);
    limb->offset = modeldata_scaling(tn_vec3_scale(limb->scale, frame->scale.x));
}

static void modeldata_add_limb(modeldata_exporter *w, uint32_t index, bool is_kept)
{
    const tenon_node *node = &w->s->nodes[index];
    modeldata_node_plan *limb = &w->limbs[index];
    limb->joint = limb->carrier = TENON_NONE;
    limb->is_played = is_kept && (w->is_frugal ? limb->moves : limb->has_keys);
    if (limb->is_played) {
        modeldata_add_played(w, index);
        return;
    }
    bool is_top = node->parent == TENON_NONE;
    tn_mat4 local = modeldata_local_of(node);
    limb->base = is_top ? 0 : w->limbs[node->parent].base;
    limb->offset = is_top ? local : tn_mat4_mul(&w->limbs[node->parent].offset, &local);
    if (!is_kept) return;
    limb->joint = modeldata_add_joint(w, index, limb->base, node->name, &limb->offset);
    limb->base = limb->joint;
    limb->offset = tn_mat4_identity();
}

// -- The choice of joints

static void modeldata_keep_above(const modeldata_exporter *w, bool *is_kept)
{
    for (uint32_t i = w->s->node_count; i-- > 0;)
        if (is_kept[i] && w->s->nodes[i].parent != TENON_NONE)
            is_kept[w->s->nodes[i].parent] = true;
}

static bool *modeldata_choose_nodes(modeldata_exporter *w)
{
    bool *is_kept = tn_export_alloc(&w->e, w->s->node_count, sizeof *is_kept);
    if (!is_kept) return NULL;
    for (uint32_t i = 0; i < w->rig.bone_count; i++) is_kept[w->rig.bones[i].node] = true;
    for (uint32_t i = 0; i < w->rig.part_count && w->is_frugal; i++)
        if (!w->rig.parts[i].is_skinned) is_kept[w->rig.parts[i].node] = true;
    for (uint32_t i = 0; i < w->s->node_count && !w->is_frugal; i++)
        if (w->s->nodes[i].is_joint || w->limbs[i].has_channels) is_kept[i] = true;
    modeldata_keep_above(w, is_kept);
    for (uint32_t i = 0; i < w->s->node_count && w->is_frugal; i++)
        is_kept[i] = is_kept[i] && w->limbs[i].moves;
    return is_kept;
}

static bool modeldata_add_limbs(modeldata_exporter *w)
{
    bool *is_kept = modeldata_choose_nodes(w);
    if (!is_kept) return false;
    // Each node that is kept may need a second joint for its offset, each bone a joint for skins
    // that mirror and one for others, and each rigid part a separate joint.
    uint64_t most = 1 + 2 * (uint64_t)w->rig.bone_count + w->rig.part_count;
    for (uint32_t i = 0; i < w->s->node_count; i++) most += is_kept[i] ? 2 : 0;
    if (most > INT32_MAX)
        return tn_error(w->e.err, TENON_ERR_LIMIT, "the scene has too many joints for ModelData");
    w->joints = tn_export_alloc(&w->e, most, sizeof *w->joints);
    if (!w->joints) return false;
    tn_mat4 identity = tn_mat4_identity();
    w->joint_count = 0;
    modeldata_add_joint(w, TENON_NONE, TENON_NONE, (tenon_str){"root", 4}, &identity);
    for (uint32_t i = 0; i < w->s->node_count; i++) modeldata_add_limb(w, i, is_kept[i]);
    return true;
}

// -- Bind matrices

// The joint for this inverse bind matrix: `index`, or, if that has another one, an added child of
// it.
static uint32_t modeldata_bind(modeldata_exporter *w, uint32_t index, const tn_mat4 *inverse_bind,
                               uint32_t node)
{
    modeldata_joint_plan *joint = &w->joints[index];
    bool is_same = memcmp(&joint->inverse_bind, inverse_bind, sizeof *inverse_bind) == 0;
    if (joint->is_bound && is_same) return index;
    if (joint->is_bound) {
        tn_mat4 identity = tn_mat4_identity();
        tenon_str name = modeldata_name_with(w, w->s->nodes[node].name, "_bind");
        index = modeldata_add_joint(w, TENON_NONE, index, name, &identity);
        joint = &w->joints[index];
    }
    joint->is_bound = true;
    joint->inverse_bind = *inverse_bind;
    return index;
}

// The engine does not reverse the winding of mirrored triangles. So the vertices of skins that
// mirror are mirrored first, and their inverse bind matrices mirror them back.
static tn_mat4 modeldata_mirror(void)
{
    return modeldata_scaling((tn_vec3){-1, 1, 1});
}

static void modeldata_bind_bone(modeldata_exporter *w, uint32_t index, uint32_t side)
{
    const tn_bone *bone = &w->rig.bones[index];
    const modeldata_node_plan *limb = &w->limbs[bone->node];
    tn_mat4 bind = tn_mat4_mul(&limb->offset, &bone->inverse_bind), mirror = modeldata_mirror();
    if (side) bind = tn_mat4_mul(&bind, &mirror);
    w->bone_joints[side][index] = modeldata_bind(w, limb->base, &bind, bone->node);
}

static bool modeldata_bone_mirrors(const modeldata_exporter *w, const tn_bone *bone)
{
    tn_mat4 moved = tn_mat4_mul(&w->pose->globals[bone->node], &bone->inverse_bind);
    tn_mat3 upper = tn_mat4_upper(&moved);
    return tn_mat3_determinant(&upper) < 0;
}

// Bind the bones of all skins that are used. The remaining bones are bound so that their joints do
// not mirror: readers detect a mirroring skeleton from most of its joints.
static bool modeldata_bind_bones(modeldata_exporter *w)
{
    uint32_t count = w->rig.bone_count;
    uint32_t *joints = tn_export_alloc(&w->e, 2 * (uint64_t)count, sizeof *joints);
    bool *is_done = tn_export_alloc(&w->e, w->s->skin_count, sizeof *is_done);
    if (!joints || !is_done) return false;
    w->bone_joints[0] = joints;
    w->bone_joints[1] = joints + count;
    for (uint32_t i = 0; i < 2 * count; i++) joints[i] = TENON_NONE;
    for (uint32_t i = 0; i < w->rig.part_count; i++) {
        const tn_part *part = &w->rig.parts[i];
        uint32_t skin = w->s->nodes[part->node].skin, side = w->places[i].side;
        if (!part->is_skinned || is_done[skin]) continue;
        is_done[skin] = true;
        for (uint32_t k = 0; k < w->s->skins[skin].joint_count; k++) {
            uint32_t bone = part->bones[k];
            if (bone == TENON_NONE || w->bone_joints[side][bone] != TENON_NONE) continue;
            modeldata_bind_bone(w, bone, side);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (joints[i] == TENON_NONE && joints[count + i] == TENON_NONE)
            modeldata_bind_bone(w, i, modeldata_bone_mirrors(w, &w->rig.bones[i]));
    return true;
}

static void modeldata_bind_rest(modeldata_joint_plan *joint)
{
    if (joint->is_bound) return;
    (void)tn_mat4_affine_inverse(&joint->global, &joint->inverse_bind);
    joint->is_bound = true;
}

// Move a rigid part so that the joint's inverse bind matrix moves it back. Usually this is its rest
// pose.
static void modeldata_place_rigid(modeldata_exporter *w, const tn_part *part,
                                  modeldata_place *place)
{
    const modeldata_node_plan *limb = &w->limbs[part->node];
    modeldata_joint_plan *joint = &w->joints[limb->base];
    tn_mat4 unbind;
    modeldata_bind_rest(joint);
    place->joint = limb->base;
    if (tn_mat4_affine_inverse(&joint->inverse_bind, &unbind)) {
        place->matrix = tn_mat4_mul(&unbind, &limb->offset);
    } else {
        place->joint = modeldata_bind(w, limb->base, &limb->offset, part->node);
        place->matrix = tn_mat4_identity();
    }
    tn_mat3 upper = tn_mat4_upper(&place->matrix);
    place->is_mirrored = tn_mat3_determinant(&upper) < 0;
    place->way = MODELDATA_BY_MATRIX;
}

static bool modeldata_place_parts(modeldata_exporter *w)
{
    w->places = tn_export_alloc(&w->e, w->rig.part_count, sizeof *w->places);
    if (!w->places) return false;
    for (uint32_t i = 0; i < w->rig.part_count; i++) {
        const tn_part *part = &w->rig.parts[i];
        bool is_mirrored = part->is_skinned && tn_pose_mirrors(w->pose, part->node);
        w->places[i] = (modeldata_place){
            .way = is_mirrored ? MODELDATA_BY_MATRIX : MODELDATA_AS_THEY_ARE,
            .matrix = modeldata_mirror(),
            .is_mirrored = is_mirrored,
            .side = is_mirrored,
        };
    }
    if (!modeldata_bind_bones(w)) return false;
    for (uint32_t i = 0; i < w->rig.part_count; i++)
        if (!w->rig.parts[i].is_skinned) modeldata_place_rigid(w, &w->rig.parts[i], &w->places[i]);
    return true;
}

// The synthesized root is omitted if the skeleton has one root without it.
static void modeldata_leave_root_out(modeldata_exporter *w)
{
    uint32_t children = 0;
    for (uint32_t i = 1; i < w->joint_count; i++) children += w->joints[i].parent == 0;
    w->first_joint = children == 1 && !w->joints[0].is_bound;
}

// -- The file's joints

static bool modeldata_fill_joints(modeldata_exporter *w)
{
    uint32_t first = w->first_joint;
    w->doc->joint_count = w->joint_count - first;
    w->doc->joints = modeldata_export_room(w, w->doc->joint_count, sizeof *w->doc->joints);
    if (!w->doc->joints) return false;
    for (uint32_t i = first; i < w->joint_count; i++) {
        modeldata_joint_plan *from = &w->joints[i];
        tenon_modeldata_joint *to = &w->doc->joints[i - first];
        bool is_root = i == first;
        modeldata_bind_rest(from);
        to->index = (int32_t)(i - first);
        to->parent_index = is_root ? -1 : (int32_t)(from->parent - first);
        to->name = from->name;
        tn_mat4 bind = from->inverse_bind, local = from->local;
        if (!w->doc->is_column_major) {
            bind = tn_mat4_transpose(&bind);
            local = tn_mat4_transpose(&local);
        }
        for (int k = 0; k < 16; k++) {
            to->inverse_bind_matrix[k] = tn_narrow(bind.m[k], &w->not_finite);
            to->bind_local_pose[k] = tn_narrow(local.m[k], &w->not_finite);
        }
    }
    return true;
}

static bool modeldata_plan_joints(modeldata_exporter *w, bool is_frugal)
{
    w->is_frugal = is_frugal;
    if (!tn_rig_make(&w->e, TN_RIGID_WITHOUT_BONES, !is_frugal, &w->rig)) return false;
    if (!modeldata_add_limbs(w) || !modeldata_place_parts(w)) return false;
    modeldata_leave_root_out(w);
    return w->e.err->code == TENON_OK;
}

bool modeldata_export_joints(modeldata_exporter *w)
{
    if (!modeldata_plan_joints(w, false)) return false;
    bool has_room = w->is_document || w->joint_count - w->first_joint <= MODELDATA_ENGINE_MOST;
    if (!has_room && !modeldata_plan_joints(w, true)) return false;
    return modeldata_fill_joints(w);
}
