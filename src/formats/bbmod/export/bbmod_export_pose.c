// bbmod_export_pose.c: poses and bones of a scene, split into rigid transforms and stretches.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "core/math/bounds.h"

#include <math.h>
#include <string.h>

#define NOISE        1e-9   // Rounding errors of double precision.
#define UNEVEN       1e-5   // Smaller changes of a stretch are ignored.
#define FLAT         1e-12  // A relative volume below which a matrix counts as singular.
#define SEARCH_TIMES 5      // Times of a clip at which a better stretch is searched.
#define ALIKE        1e-5   // Smaller differences between the bakes of bones are ignored.

// -- Stretches

static double bbmod_export_pose_largest(const tn_mat3 *m)
{
    double largest = 0;
    for (int i = 0; i < 9; i++)
        if (fabs(m->m[i]) > largest) largest = fabs(m->m[i]);
    return largest;
}

static bbmod_stretch bbmod_export_pose_stretch_of(const tn_mat4 *global)
{
    bbmod_stretch out;
    tn_mat3 upper = tn_mat4_upper(global), rotation;
    tn_mat3_polar(&upper, &rotation, &out.matrix);
    tn_mat4 matrix = tn_mat4_from_mat3(&out.matrix, (tn_vec3){0, 0, 0});
    out.has_inverse = tn_mat4_affine_inverse(&matrix, &matrix);
    out.inverse = tn_mat4_upper(&matrix);
    return out;
}

static bool bbmod_export_pose_is_rotation(const tn_mat3 *m)
{
    tn_mat3 transposed = tn_mat3_transpose(m), square = tn_mat3_mul(&transposed, m);
    for (int i = 0; i < 9; i++)
        if (!(fabs(square.m[i] - (i % 4 == 0)) <= NOISE)) return false;
    return tn_mat3_determinant(m) > 0;
}

// `rotation` with the translation of `m`.
static tn_dquat bbmod_export_pose_rigid(const tn_mat3 *rotation, const tn_mat4 *m)
{
    return tn_dquat_make(tn_quat_normalise(tn_quat_from_mat3(rotation)),
                         (tn_vec3){m->m[12], m->m[13], m->m[14]});
}

// -- Posing

static void bbmod_export_pose_globals(bbmod_exporter *exporter, const tn_motion *motion,
                                      double seconds)
{
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *node = &exporter->scene->nodes[i];
        bbmod_node_pose *pose = &exporter->poses[i];
        const bbmod_node_pose *above =
            node->parent == TENON_NONE ? NULL : &exporter->poses[node->parent];
        tn_trs trs = tn_motion_local(motion, i, seconds);
        trs.rotation = tn_quat_normalise(trs.rotation);
        if (exporter->sources[i].is_plain) {
            pose->local = tn_dquat_make(trs.rotation, trs.translation);
            pose->world = above ? tn_dquat_mul(above->world, pose->local) : pose->local;
            pose->global = tn_dquat_to_mat4(pose->world);
            continue;
        }
        tn_mat4 local = tn_mat4_from_trs(&trs);
        if (node->has_matrix) memcpy(local.m, node->matrix, sizeof local.m);
        pose->global = above ? tn_mat4_mul(&above->global, &local) : local;
    }
}

void bbmod_pose(bbmod_exporter *exporter, const tn_motion *motion, double seconds)
{
    bbmod_export_pose_globals(exporter, motion, seconds);
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        bbmod_source_node *source = &exporter->sources[i];
        bbmod_node_pose *pose = &exporter->poses[i];
        if (source->is_plain) continue;
        // The rigid transform for which world * stretch is nearest to `global`.
        tn_mat3 upper = tn_mat4_upper(&pose->global),
                rotation = tn_mat3_mul(&upper, &source->stretch.inverse);
        if (!source->stretch.has_inverse || !bbmod_export_pose_is_rotation(&rotation)) {
            tn_mat3 both = tn_mat3_mul(&upper, &source->stretch.matrix);
            tn_mat3_polar(&both, &rotation, NULL);
        }
        pose->world = bbmod_export_pose_rigid(&rotation, &pose->global);
        if (!source->is_shown || source->is_uneven) continue;
        // Uneven if world * stretch differs from `global`.
        rotation = tn_mat3_from_quat(pose->world.real);
        tn_mat3 product = tn_mat3_mul(&rotation, &source->stretch.matrix);
        double size = bbmod_export_pose_largest(&upper),
               other = bbmod_export_pose_largest(&source->stretch.matrix);
        double slack = UNEVEN * (size > other ? size : other);
        for (int k = 0; k < 9; k++)
            if (!(fabs(product.m[k] - upper.m[k]) <= slack)) source->is_uneven = true;
    }
}

bool bbmod_export_find_stretches(bbmod_exporter *exporter)
{
    uint32_t node_count = exporter->scene->node_count;
    tn_motion rest;
    exporter->sources = tn_export_alloc(exporter->export, node_count, sizeof *exporter->sources);
    exporter->poses = tn_export_alloc(exporter->export, node_count, sizeof *exporter->poses);
    if (!exporter->sources || !exporter->poses ||
        !tn_motion_make(exporter->export, TENON_NONE, &rest))
        return false;
    const tenon_scene *scene = exporter->scene;
    const tn_rig *rig = &exporter->rig;
    bbmod_source_node *sources = exporter->sources;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        sources[i].is_plain =
            !node->has_matrix && node->scale[0] == 1 && node->scale[1] == 1 && node->scale[2] == 1;
        sources[i].bone = TENON_NONE;
    }
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++) {
            const tenon_channel *channel = &scene->animations[a].channels[i];
            if (channel->target != TENON_SCALE) continue;
            bool is_unit = channel->curve != TENON_CUBIC;
            for (uint64_t k = 0; is_unit && k < 3 * (uint64_t)channel->key_count; k++)
                if (channel->values[k] != 1) is_unit = false;
            if (!is_unit) sources[channel->node].is_plain = false;
        }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        if (parent != TENON_NONE && !sources[parent].is_plain) sources[i].is_plain = false;
    }
    for (uint32_t i = 0; i < rig->bone_count; i++) {
        sources[rig->bones[i].node].is_shown = true;
        sources[rig->bones[i].node].is_needed = true;
    }
    for (uint32_t i = 0; i < rig->part_count; i++) {
        bbmod_source_node *source = &sources[rig->parts[i].node];
        if (!bbmod_export_has_bones(&rig->parts[i])) source->is_shown = true;
        source->is_needed = true;
    }
    bbmod_export_pose_globals(exporter, &rest, 0);
    bool some_flat = false;
    for (uint32_t i = 0; i < node_count; i++) {
        bbmod_source_node *source = &exporter->sources[i];
        if (source->is_plain) {
            source->stretch = (bbmod_stretch){tn_mat3_identity(), tn_mat3_identity(), true};
            continue;
        }
        source->stretch = bbmod_export_pose_stretch_of(&exporter->poses[i].global);
        double size = bbmod_export_pose_largest(&source->stretch.matrix);
        double volume = fabs(tn_mat3_determinant(&source->stretch.matrix));
        source->is_uneven = source->is_shown && !(volume > FLAT * size * size * size);
        some_flat = some_flat || source->is_uneven;
    }
    if (some_flat) {
        // A node that is scaled to zero in the rest pose may be visible in a clip: use its largest
        // stretch there.
        for (uint32_t a = 0; a < exporter->scene->animation_count; a++) {
            tn_motion motion;
            tn_mark mark = tn_arena_mark(exporter->export->arena);
            if (!tn_motion_make(exporter->export, a, &motion)) return false;
            for (int k = 0; k < SEARCH_TIMES; k++) {
                bbmod_export_pose_globals(exporter, &motion,
                                          motion.duration * k / (SEARCH_TIMES - 1));
                for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
                    bbmod_source_node *source = &exporter->sources[i];
                    if (source->is_plain || !source->is_uneven) continue;
                    bbmod_stretch stretch =
                        bbmod_export_pose_stretch_of(&exporter->poses[i].global);
                    if (fabs(tn_mat3_determinant(&stretch.matrix)) >
                        fabs(tn_mat3_determinant(&source->stretch.matrix)))
                        source->stretch = stretch;
                }
            }
            tn_arena_rewind(exporter->export->arena, mark);
        }
    }
    for (uint32_t i = 0; i < node_count; i++) exporter->sources[i].is_uneven = false;
    bbmod_pose(exporter, &rest, 0);
    return true;
}

// -- Bones

bbmod_extent bbmod_export_extent_of(const tenon_primitive *p)
{
    bbmod_extent out = {0, 0};
    tn_bounds bounds = tn_bounds_empty();
    double square = 0;
    for (uint32_t i = 0; i < p->vertex_count; i++)
        tn_bounds_add_f32(&bounds, p->positions + 3 * (size_t)i);
    for (int k = 0; k < 3; k++) {
        double low = bounds.min[k], high = bounds.max[k];
        if (fabs(low) > out.reach) out.reach = fabs(low);
        if (fabs(high) > out.reach) out.reach = fabs(high);
        square += (high - low) * (high - low);
    }
    double least = 1e-3 * out.reach;  // A point needs a size, too.
    out.size = sqrt(square) > least ? sqrt(square) : least;
    return out;
}

bool bbmod_export_matrices_agree(const tn_mat4 *a, const tn_mat4 *b, const bbmod_extent *extent,
                                 double slack)
{
    double turned = 0, moved = 0, scale = 0;
    for (int i = 0; i < 12; i++) {
        double gap = fabs(a->m[i] - b->m[i]);
        if (gap > turned) turned = gap;
        if (fabs(a->m[i]) > scale) scale = fabs(a->m[i]);
    }
    for (int i = 12; i < 15; i++)
        if (fabs(a->m[i] - b->m[i]) > moved) moved = fabs(a->m[i] - b->m[i]);
    return 3 * turned * extent->reach + moved <= slack * scale * extent->size;
}

// Split what a bone does to a vertex before its world transform, stretch * inverse bind, into an
// offset and a bake. `offset` may be NULL: then the bake does not rotate.
static void bbmod_export_pose_split_bind(bbmod_exporter *exporter, uint32_t index,
                                         const tn_dquat *offset)
{
    const tn_bone *bone = &exporter->rig.bones[index];
    bbmod_bone_plan *out = &exporter->bones[index];
    const tn_mat3 *stretch = &exporter->sources[bone->node].stretch.matrix;
    tn_mat4 matrix = tn_mat4_from_mat3(stretch, (tn_vec3){0, 0, 0});
    tn_mat4 bind = tn_mat4_mul(&matrix, &bone->inverse_bind);
    tn_mat3 upper = tn_mat4_upper(&bind), rotation;
    if (!offset) tn_mat3_polar(&upper, &rotation, NULL);
    out->offset = offset ? *offset : bbmod_export_pose_rigid(&rotation, &bind);
    tn_mat4 undo = tn_dquat_to_mat4(tn_dquat_inverse(out->offset));
    out->bake = tn_mat4_mul(&undo, &bind);
}

bool bbmod_export_bones(bbmod_exporter *exporter)
{
    uint32_t count = exporter->rig.bone_count;
    bool some_share = false;
    exporter->bones = tn_export_alloc(exporter->export, count, sizeof *exporter->bones);
    if (!exporter->bones) return false;
    // All bones of one node share the offset of the first.
    for (uint32_t i = 0; i < count; i++) {
        bbmod_source_node *source = &exporter->sources[exporter->rig.bones[i].node];
        bool is_first = source->bone == TENON_NONE;
        if (is_first) source->bone = i;
        bbmod_export_pose_split_bind(exporter, i,
                                     is_first ? NULL : &exporter->bones[source->bone].offset);
        some_share = some_share || !is_first;
    }
    if (some_share) {
        // If skins have different bind poses for the same joints, usually only the place of the
        // mesh differs, and all bones of a vertex have the same bake. If not, these bones get
        // separate nodes.
        for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
            const tn_part *part = &exporter->rig.parts[i];
            if (!part->is_skinned) continue;
            bbmod_extent extent = bbmod_export_extent_of(part->p);
            for (uint32_t v = 0; v < part->p->vertex_count; v++) {
                uint32_t bones[TN_INFLUENCES];
                float weights[TN_INFLUENCES];
                bool agree = true;
                (void)tn_part_influences(part, v, bones, weights);
                const tn_mat4 *first = &exporter->bones[bones[0]].bake;
                for (uint32_t k = 1; k < TN_INFLUENCES && weights[k] > 0; k++)
                    agree = agree && bbmod_export_matrices_agree(
                                         first, &exporter->bones[bones[k]].bake, &extent, ALIKE);
                for (uint32_t k = 0; k < TN_INFLUENCES && weights[k] > 0 && !agree; k++)
                    if (exporter->sources[exporter->rig.bones[bones[k]].node].bone != bones[k])
                        exporter->bones[bones[k]].is_separate = true;
            }
        }
        for (uint32_t i = 0; i < exporter->rig.bone_count; i++)
            if (exporter->bones[i].is_separate) bbmod_export_pose_split_bind(exporter, i, NULL);
    }
    return true;
}
