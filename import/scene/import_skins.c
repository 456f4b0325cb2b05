// import_skins.c: the bones of meshes as skins, and the weights as the file has them.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INFLUENCE_STEP 4
#define SUM_OFF        1e-4  // Of weights: Maya leaves out tiny ones (maya_poses: 5e-4).

// One joint with its weight, of a vertex.
typedef struct influence {
    uint16_t joint;
    float weight;
} influence;

bool import_has_bones(const assimp_importer *importer, const struct aiNode *node)
{
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        if (importer->assimp->mMeshes[node->mMeshes[i]]->mNumBones > 0) return true;
    return false;
}

// -- Joints

// Meshes of one node share a skin, so that a joint may be there already.
static uint32_t joint_of(skin_builder *skin, uint32_t node, const mat4 *bind)
{
    for (uint32_t i = 0; i < skin->joint_count; i++)
        if (skin->joints[i] == node && memcmp(&skin->binds[i], bind, sizeof *bind) == 0) return i;
    if (skin->joint_count == skin->room) {
        uint32_t room = skin->room ? 2 * skin->room : 32;
        uint32_t *joints = import_alloc(room, sizeof *joints);
        mat4 *binds = import_alloc(room, sizeof *binds);
        if (skin->joint_count) memcpy(joints, skin->joints, skin->joint_count * sizeof *joints);
        if (skin->joint_count) memcpy(binds, skin->binds, skin->joint_count * sizeof *binds);
        free(skin->joints);
        free(skin->binds);
        *skin = (skin_builder){joints, binds, skin->joint_count, room};
    }
    skin->joints[skin->joint_count] = node;
    skin->binds[skin->joint_count] = *bind;
    return skin->joint_count++;
}

// TENON_NONE: the bone is no node, or there are too many.
static uint32_t joint_of_bone(assimp_importer *importer, skin_builder *skin,
                              const struct aiBone *bone)
{
    uint32_t node = import_node_named(importer, bone->mName.data);
    mat4 bind = import_matrix(importer, mat4_of(&bone->mOffsetMatrix));
    uint32_t joint = node == TENON_NONE ? TENON_NONE : joint_of(skin, node, &bind);
    if (joint <= UINT16_MAX) return joint;
    import_report_loss(importer, TENON_DROPPED, "bones", "there is no node for them", 1,
                       bone->mName.data);
    return TENON_NONE;
}

// -- Weights

static bool counts(const struct aiMesh *mesh, const struct aiVertexWeight *w)
{
    return w->mVertexId < mesh->mNumVertices && w->mWeight > 0 && isfinite(w->mWeight);
}

static uint32_t most_influences(const struct aiMesh *mesh)
{
    uint32_t *each = import_alloc(mesh->mNumVertices, sizeof *each), most = 1;
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned i = 0; i < mesh->mBones[b]->mNumWeights; i++) {
            const struct aiVertexWeight *w = &mesh->mBones[b]->mWeights[i];
            if (counts(mesh, w) && ++each[w->mVertexId] > most) most = each[w->mVertexId];
        }
    free(each);
    return (most + INFLUENCE_STEP - 1) / INFLUENCE_STEP * INFLUENCE_STEP;
}

static void collect(assimp_importer *importer, skin_builder *skin, const struct aiMesh *mesh,
                    uint32_t most, uint16_t *joints, float *weights)
{
    uint32_t *each = import_alloc(mesh->mNumVertices, sizeof *each);
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        uint32_t joint = joint_of_bone(importer, skin, bone);
        for (unsigned i = 0; i < bone->mNumWeights && joint != TENON_NONE; i++) {
            const struct aiVertexWeight *w = &bone->mWeights[i];
            if (!counts(mesh, w)) continue;
            uint64_t at = (uint64_t)w->mVertexId * most + each[w->mVertexId]++;
            joints[at] = (uint16_t)joint;
            weights[at] = w->mWeight;
        }
    }
    free(each);
}

// Scenes want a sum of 1; files that were made with care have it.
static void normalize(assimp_importer *importer, skin_builder *skin, uint32_t node,
                      const struct aiMesh *mesh, uint32_t most, uint16_t *joints, float *weights)
{
    uint32_t own = TENON_NONE;
    for (unsigned v = 0; v < mesh->mNumVertices; v++) {
        float *w = weights + (uint64_t)v * most;
        double sum = 0;
        for (uint32_t i = 0; i < most; i++) sum += (double)w[i];
        if (sum == 0) {
            if (own == TENON_NONE) own = joint_of(skin, node, &mat4_identity);
            joints[(uint64_t)v * most] = (uint16_t)own;
            w[0] = 1;
            import_report_loss(importer, TENON_MADE_UP, "weights",
                               "vertices without any stay with the node of their mesh", 1,
                               mesh->mName.data);
            continue;
        }
        if (fabs(sum - 1) > SUM_OFF)
            import_report_loss(importer, TENON_APPROXIMATED, "weights", "their sum was not 1", 1,
                               mesh->mName.data);
        for (uint32_t i = 0; i < most && fabs(sum - 1) > 1e-6; i++)
            w[i] = (float)((double)w[i] / sum);
    }
}

void import_weights(assimp_importer *importer, skin_builder *skin, uint32_t node,
                    const struct aiMesh *mesh, uint32_t *influence_count, uint16_t **joints,
                    float **weights)
{
    uint32_t most = most_influences(mesh);
    *influence_count = most;
    *joints = import_scene_alloc(importer, (uint64_t)mesh->mNumVertices * most, sizeof **joints);
    *weights = import_scene_alloc(importer, (uint64_t)mesh->mNumVertices * most, sizeof **weights);
    collect(importer, skin, mesh, most, *joints, *weights);
    normalize(importer, skin, node, mesh, most, *joints, *weights);
}

// -- Nodes of skinned meshes

static bool channel_changes(const tenon_channel *c)
{
    uint32_t width = c->target == TENON_ROTATION ? 4 : 3;
    for (uint64_t i = width; i < (uint64_t)c->key_count * width; i++)
        if (fabs((double)c->values[i] - (double)c->values[i % width]) > 1e-6) return true;
    return false;
}

// Only joints move a skinned mesh of a scene. In FBX files its own node does, too, and those above
// it: what moves the joints as well is not missed.
void import_report_skin_motion(assimp_importer *importer)
{
    const tenon_scene *to = importer->scene;
    bool *moves = import_alloc(to->node_count, sizeof *moves);
    for (uint32_t a = 0; a < to->animation_count; a++)
        for (uint32_t k = 0; k < to->animations[a].channel_count; k++) {
            const tenon_channel *c = &to->animations[a].channels[k];
            if (channel_changes(c)) moves[c->node] = true;
        }
    for (uint32_t i = 0; importer->fbx.is_rewritten && i < to->node_count; i++) {
        if (to->nodes[i].skin == TENON_NONE) continue;
        const tenon_skin *skin = &to->skins[to->nodes[i].skin];
        bool *is_shared = import_alloc(to->node_count, sizeof *is_shared);
        for (uint32_t k = 0; k < skin->joint_count; k++)
            for (uint32_t n = skin->joints[k]; n != TENON_NONE && !is_shared[n];
                 n = to->nodes[n].parent)
                is_shared[n] = true;
        for (uint32_t n = i; n != TENON_NONE && !is_shared[n]; n = to->nodes[n].parent)
            if (moves[n])
                import_report_omission(importer, "motion of skinned meshes",
                                       "only their joints move them", 1, to->nodes[n].name.data);
        free(is_shared);
    }
    free(moves);
}
