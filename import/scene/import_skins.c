// import_skins.c: imports bones as joints of skins, and their weights.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INFLUENCE_STEP 4
#define SUM_TOLERANCE  1e-4  // Of weights: Maya leaves out tiny ones (maya_poses: 5e-4).

// -- Weights

// The meshes of one node share a skin, so the joint may exist already.
static uint32_t import_skins_joint_of(skin_builder *skin, uint32_t node, const mat4 *bind)
{
    for (uint32_t i = 0; i < skin->joint_count; i++)
        if (skin->joints[i].node == node && memcmp(&skin->joints[i].bind, bind, sizeof *bind) == 0)
            return i;
    skin->joints = import_grow(skin->joints, skin->joint_count, &skin->room, sizeof *skin->joints);
    skin->joints[skin->joint_count] = (skin_joint){node, *bind};
    return skin->joint_count++;
}

static bool import_skins_is_usable(const struct aiMesh *mesh, const struct aiVertexWeight *weight)
{
    return weight->mVertexId < mesh->mNumVertices && weight->mWeight > 0 &&
           isfinite(weight->mWeight);
}

// Make the weights of each vertex sum to 1, as scenes need it.
static void import_skins_normalize_weights(assimp_importer *importer, skin_builder *skin,
                                           uint32_t node, const struct aiMesh *mesh,
                                           tenon_primitive *to)
{
    const uint32_t most = to->influence_count;
    uint32_t own = TENON_NONE;
    for (unsigned vertex = 0; vertex < mesh->mNumVertices; vertex++) {
        float *weights = to->weights + (uint64_t)vertex * most;
        double sum = 0;
        for (uint32_t i = 0; i < most; i++) sum += (double)weights[i];
        if (sum == 0) {
            if (own == TENON_NONE) own = import_skins_joint_of(skin, node, &mat4_identity);
            to->joints[(uint64_t)vertex * most] = (uint16_t)own;
            weights[0] = 1;
            import_report_loss(importer, TENON_SYNTHESIZED, "weights",
                               "vertices without weights follow the node of their mesh", 1,
                               mesh->mName.data);
            continue;
        }
        if (fabs(sum - 1) > SUM_TOLERANCE)
            import_report_loss(importer, TENON_APPROXIMATED, "weights", "normalized to sum to 1", 1,
                               mesh->mName.data);
        for (uint32_t i = 0; i < most && fabs(sum - 1) > 1e-6; i++)
            weights[i] = (float)((double)weights[i] / sum);
    }
}

void import_weights(assimp_importer *importer, skin_builder *skin, uint32_t node,
                    const struct aiMesh *mesh, tenon_primitive *to)
{
    uint32_t *counts = import_alloc(mesh->mNumVertices, sizeof *counts), most = 1;
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned i = 0; i < mesh->mBones[b]->mNumWeights; i++) {
            const struct aiVertexWeight *weight = &mesh->mBones[b]->mWeights[i];
            if (import_skins_is_usable(mesh, weight) && ++counts[weight->mVertexId] > most)
                most = counts[weight->mVertexId];
        }
    most = (most + INFLUENCE_STEP - 1) / INFLUENCE_STEP * INFLUENCE_STEP;
    const uint64_t total = (uint64_t)mesh->mNumVertices * most;
    to->influence_count = most;
    to->joints = import_scene_alloc(importer, total, sizeof *to->joints);
    to->weights = import_scene_alloc(importer, total, sizeof *to->weights);
    memset(counts, 0, mesh->mNumVertices * sizeof *counts);
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        uint32_t bone_node = import_node_named(importer, bone->mName.data);
        mat4 bind = import_matrix(importer, mat4_of(&bone->mOffsetMatrix));
        uint32_t joint =
            bone_node == TENON_NONE ? TENON_NONE : import_skins_joint_of(skin, bone_node, &bind);
        if (joint > UINT16_MAX) {
            import_report_loss(importer, TENON_DROPPED, "bones",
                               "no node has their name, or too many joints", 1, bone->mName.data);
            continue;
        }
        for (unsigned i = 0; i < bone->mNumWeights; i++) {
            const struct aiVertexWeight *weight = &bone->mWeights[i];
            if (!import_skins_is_usable(mesh, weight)) continue;
            uint64_t at = (uint64_t)weight->mVertexId * most + counts[weight->mVertexId]++;
            to->joints[at] = (uint16_t)joint;
            to->weights[at] = weight->mWeight;
        }
    }
    free(counts);
    import_skins_normalize_weights(importer, skin, node, mesh, to);
}
