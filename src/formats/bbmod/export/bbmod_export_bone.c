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

bool bbmod_move_alike(const tn_mat4 *a, const tn_mat4 *b, const bbmod_extent *extent, double slack)
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
static tn_mat4 bbmod_bind_of(const bbmod_exporter *w, uint32_t bone)
{
    const tn_bone *b = &w->rig.bones[bone];
    const tn_mat3 *stretch = &w->bodies[b->node].stretch.matrix;
    tn_mat4 matrix = tn_mat4_from_mat3(stretch, (tn_vec3){0, 0, 0});
    return tn_mat4_mul(&matrix, &b->inverse_bind);
}

// Split the bind matrix with a given offset; the remainder becomes the bake.
static void bbmod_bind_with(bbmod_exporter *w, uint32_t bone, tn_dquat offset)
{
    tn_mat4 bind = bbmod_bind_of(w, bone), undo = tn_dquat_to_mat4(tn_dquat_inverse(offset));
    w->bones[bone].offset = offset;
    w->bones[bone].bake = tn_mat4_mul(&undo, &bind);
}

static void bbmod_bind_own(bbmod_exporter *w, uint32_t bone)
{
    tn_mat4 bind = bbmod_bind_of(w, bone);
    bbmod_bind_with(w, bone, bbmod_rigid_part(&bind));
}

// All bones of one node share the offset of the first. Returns whether a node has several bones.
static bool bbmod_bind_all(bbmod_exporter *w)
{
    bool some_share = false;
    for (uint32_t i = 0; i < w->rig.bone_count; i++) {
        bbmod_source_node *body = &w->bodies[w->rig.bones[i].node];
        if (body->bone == TENON_NONE) {
            body->bone = i;
            bbmod_bind_own(w, i);
        } else {
            bbmod_bind_with(w, i, w->bones[body->bone].offset);
            some_share = true;
        }
    }
    return some_share;
}

// -- Bones that share a node

// If skins have different bind poses for the same joints, usually only the place of the mesh
// differs, and all bones of a vertex have the same bake. If not, these bones get separate nodes.
static void bbmod_part_vertex(bbmod_exporter *w, const tn_part *part, const bbmod_extent *extent,
                              uint32_t vertex)
{
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
    bool agree = true;
    (void)tn_part_influences(part, vertex, bones, weights);
    for (uint32_t k = 1; k < TN_INFLUENCES && weights[k] > 0; k++)
        agree = agree &&
                bbmod_move_alike(&w->bones[bones[0]].bake, &w->bones[bones[k]].bake, extent, ALIKE);
    for (uint32_t k = 0; k < TN_INFLUENCES && weights[k] > 0 && !agree; k++)
        if (w->bodies[w->rig.bones[bones[k]].node].bone != bones[k])
            w->bones[bones[k]].is_apart = true;
}

static void bbmod_part_bones(bbmod_exporter *w)
{
    for (uint32_t i = 0; i < w->rig.part_count; i++) {
        const tn_part *part = &w->rig.parts[i];
        if (!part->is_skinned) continue;
        bbmod_extent extent = bbmod_extent_of(part->p);
        for (uint32_t v = 0; v < part->p->vertex_count; v++) bbmod_part_vertex(w, part, &extent, v);
    }
    for (uint32_t i = 0; i < w->rig.bone_count; i++)
        if (w->bones[i].is_apart) bbmod_bind_own(w, i);
}

bool bbmod_export_bones(bbmod_exporter *w)
{
    w->bones = tn_export_alloc(w->e, w->rig.bone_count, sizeof *w->bones);
    if (!w->bones) return false;
    if (bbmod_bind_all(w)) bbmod_part_bones(w);
    return true;
}
