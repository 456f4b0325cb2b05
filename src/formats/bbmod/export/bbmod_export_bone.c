// bbmod_export_bone.c: rigid offsets of bones; what remains is applied to vertices.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include <math.h>

#define ALIKE 1e-5  // Smaller differences between the bakes of bones are ignored.

// -- Comparing

bbmod_extent bbmod_extent_of(const tenon_primitive *p)
{
    bbmod_extent out = {0, 0};
    double square = 0;
    for (uint32_t k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t i = 0; i < p->vertex_count; i++) {
            double v = (double)p->positions[3 * (size_t)i + k];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        if (fabs(low) > out.reach) out.reach = fabs(low);
        if (fabs(high) > out.reach) out.reach = fabs(high);
        square += (high - low) * (high - low);
    }
    double least = 1e-3 * out.reach;  // A point needs a size, too.
    out.size = sqrt(square) > least ? sqrt(square) : least;
    return out;
}

bool bbmod_matrices_agree(const tn_mat4 *a, const tn_mat4 *b, const bbmod_extent *extent,
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

// -- Offsets and bakes

// stretch * inverse bind: what a bone does to a vertex before its world transform.
static tn_mat4 bbmod_bind_of(const bbmod_exporter *exporter, uint32_t bone)
{
    const tn_bone *b = &exporter->rig.bones[bone];
    const tn_mat3 *stretch = &exporter->sources[b->node].stretch.matrix;
    tn_mat4 matrix = tn_mat4_from_mat3(stretch, (tn_vec3){0, 0, 0});
    return tn_mat4_mul(&matrix, &b->inverse_bind);
}

// Split the bind matrix with a given offset; the remainder becomes the bake.
static void bbmod_bind_with(bbmod_exporter *exporter, uint32_t bone, tn_dquat offset)
{
    tn_mat4 bind = bbmod_bind_of(exporter, bone), undo = tn_dquat_to_mat4(tn_dquat_inverse(offset));
    exporter->bones[bone].offset = offset;
    exporter->bones[bone].bake = tn_mat4_mul(&undo, &bind);
}

static void bbmod_bind_own(bbmod_exporter *exporter, uint32_t bone)
{
    tn_mat4 bind = bbmod_bind_of(exporter, bone);
    bbmod_bind_with(exporter, bone, bbmod_rigid_part(&bind));
}

// All bones of one node share the offset of the first. Returns whether a node has several bones.
static bool bbmod_bind_all(bbmod_exporter *exporter)
{
    bool some_share = false;
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++) {
        bbmod_source_node *source = &exporter->sources[exporter->rig.bones[i].node];
        if (source->bone == TENON_NONE) {
            source->bone = i;
            bbmod_bind_own(exporter, i);
        } else {
            bbmod_bind_with(exporter, i, exporter->bones[source->bone].offset);
            some_share = true;
        }
    }
    return some_share;
}

// -- Bones that share a node

// If skins have different bind poses for the same joints, usually only the place of the mesh
// differs, and all bones of a vertex have the same bake. If not, these bones get separate nodes.
static void bbmod_separate_bones_of(bbmod_exporter *exporter, const tn_part *part,
                                    const bbmod_extent *extent, uint32_t vertex)
{
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
    bool agree = true;
    (void)tn_part_influences(part, vertex, bones, weights);
    for (uint32_t k = 1; k < TN_INFLUENCES && weights[k] > 0; k++)
        agree = agree && bbmod_matrices_agree(&exporter->bones[bones[0]].bake,
                                              &exporter->bones[bones[k]].bake, extent, ALIKE);
    for (uint32_t k = 0; k < TN_INFLUENCES && weights[k] > 0 && !agree; k++)
        if (exporter->sources[exporter->rig.bones[bones[k]].node].bone != bones[k])
            exporter->bones[bones[k]].is_separate = true;
}

static void bbmod_separate_bones(bbmod_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        if (!part->is_skinned) continue;
        bbmod_extent extent = bbmod_extent_of(part->p);
        for (uint32_t v = 0; v < part->p->vertex_count; v++)
            bbmod_separate_bones_of(exporter, part, &extent, v);
    }
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++)
        if (exporter->bones[i].is_separate) bbmod_bind_own(exporter, i);
}

bool bbmod_export_bones(bbmod_exporter *exporter)
{
    exporter->bones =
        tn_export_alloc(exporter->export, exporter->rig.bone_count, sizeof *exporter->bones);
    if (!exporter->bones) return false;
    if (bbmod_bind_all(exporter)) bbmod_separate_bones(exporter);
    return true;
}
