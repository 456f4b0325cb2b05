// finish_weights.c: give skinned meshes the properties that scene.h promises.
// SPDX-License-Identifier: MIT

#include "scene/model/scene_finish.h"

#include "core/cursor/wide.h"

#include <math.h>
#include <string.h>

#define WEIGHT_SLACK    1e-7  // Sums of floats cannot be 1 more exactly.
#define WORTH_REPORTING 1e-5
#define MOST_JOINTS     65536u
#define BLOCK           256u  // Vertices that are checked together.

// The nodes that show a mesh.
typedef struct mesh_use {
    uint32_t node;         // The only one; TENON_NONE if there are several.
    uint32_t skin;         // Of one of them; TENON_NONE: it is not skinned.
    uint32_t joint_count;  // The least of their skins.
    uint32_t node_joint;   // The joint for vertices without weights; TENON_NONE: not added yet.
} mesh_use;

typedef struct weight_tallies {
    uint32_t *rooms;  // Capacity of the joints of each skin; 0: as many as it has.
    bool *is_joint;   // Of each node: it is a joint of the skin of its mesh.
    tn_tally sums, joints, unmoved, unused;
} weight_tallies;

// -- Uses of meshes

static bool finish_weights_is_skinned(const tenon_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        if (mesh->primitives[i].influence_count) return true;
    return false;
}

static mesh_use *finish_weights_find_uses(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    mesh_use *uses = tn_scene_array(builder, scene->mesh_count, sizeof *uses);
    bool *is_used = tn_scene_array(builder, scene->mesh_count, sizeof *is_used);
    if (builder->failed) return NULL;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        uses[i] = (mesh_use){TENON_NONE, TENON_NONE, MOST_JOINTS, TENON_NONE};
    for (uint32_t i = 0; i < scene->node_count; i++) {
        tenon_node *n = &scene->nodes[i];
        bool may_have_skin = n->mesh != TENON_NONE && n->skin != TENON_NONE &&
                             scene->skins[n->skin].joint_count &&
                             finish_weights_is_skinned(&scene->meshes[n->mesh]);
        if (!may_have_skin) n->skin = TENON_NONE;
        if (n->mesh == TENON_NONE) continue;
        mesh_use *use = &uses[n->mesh];
        use->node = is_used[n->mesh] ? TENON_NONE : i;
        is_used[n->mesh] = true;
        if (n->skin == TENON_NONE) continue;
        use->skin = n->skin;
        if (scene->skins[n->skin].joint_count < use->joint_count)
            use->joint_count = scene->skins[n->skin].joint_count;
    }
    return uses;
}

// -- Vertices without weights

// A joint that moves with the node of the mesh, so that the vertex is where it is without a skin.
// Joint 0 for meshes that several nodes share. A node that is a joint already, with a bind pose,
// gets a child for it.
static uint32_t finish_weights_find_node_joint(tn_scene_builder *builder, weight_tallies *tallies,
                                               mesh_use *use)
{
    if (use->node_joint != TENON_NONE) return use->node_joint;
    use->node_joint = 0;
    tenon_skin *skin = &builder->scene->skins[use->skin];
    uint32_t count = skin->joint_count, node = use->node, *room = &tallies->rooms[use->skin];
    if (node == TENON_NONE || count >= MOST_JOINTS) return 0;
    if (tallies->is_joint[node])
        node = tn_add_node(builder, builder->scene->nodes[node].name, node);
    if (builder->failed) return 0;
    if (count >= *room) {
        uint64_t wanted = 2 * (uint64_t)count + 4;
        uint32_t *joints = tn_scene_array(builder, wanted, sizeof *joints);
        float *binds = tn_scene_floats(builder, wanted, 16);
        if (builder->failed) return 0;
        memcpy(joints, skin->joints, count * sizeof *joints);
        memcpy(binds, skin->inverse_binds, 16 * (size_t)count * sizeof *binds);
        skin->joints = joints;
        skin->inverse_binds = binds;
        *room = (uint32_t)wanted;
    }
    skin->joints[count] = node;
    for (int k = 0; k < 16; k += 5) skin->inverse_binds[16 * (size_t)count + (size_t)k] = 1;
    skin->joint_count = count + 1;
    return use->node_joint = count;
}

// -- Weights

static void finish_weights_primitive(tn_scene_builder *builder, tenon_primitive *p, mesh_use *use,
                                     weight_tallies *tallies, uint32_t mesh)
{
    if (!p->influence_count) {
        // All parts of a skinned mesh are skinned: this one follows the node.
        p->influence_count = 4;
        p->joints = tn_scene_array(builder, p->vertex_count, 4 * sizeof *p->joints);
        p->weights = tn_scene_floats(builder, p->vertex_count, 4);
        if (builder->failed) return;
    }
    uint32_t each = p->influence_count;
    for (uint32_t at = 0, count; at < p->vertex_count; at += count) {
        count = p->vertex_count - at < BLOCK ? p->vertex_count - at : BLOCK;
        size_t first = (size_t)at * each;
        bool is_valid =
            each == 4 && tn_loops_here()->are_influences(p->joints + first, p->weights + first,
                                                         count, use->joint_count);
        if (is_valid) continue;
        for (uint32_t i = at; i < at + count && !builder->failed; i++) {
            uint16_t *joints = p->joints + (size_t)i * each;
            float *weights = p->weights + (size_t)i * each;
            double sum = 0;
            for (uint32_t k = 0; k < each; k++) {
                bool is_good = weights[k] > 0 && weights[k] - weights[k] == 0;
                bool exists = joints[k] < use->joint_count;
                if (is_good && !exists) tn_tally_at(&tallies->joints, 1, "meshes", mesh);
                if (!is_good || !exists) {
                    weights[k] = 0;
                    joints[k] = 0;
                }
                sum += weights[k];
            }
            if (sum <= 0) {
                tn_tally_at(&tallies->unmoved, 1, "meshes", mesh);
                joints[0] = (uint16_t)finish_weights_find_node_joint(builder, tallies, use);
                weights[0] = 1;
                continue;
            }
            double off = fabs(sum - 1);
            if (off > WORTH_REPORTING) tn_tally_at(&tallies->sums, 1, "meshes", mesh);
            for (uint32_t k = 0; k < each && off > WEIGHT_SLACK; k++)
                weights[k] = (float)(weights[k] / sum);
        }
    }
}

void tn_finish_weights(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    weight_tallies tallies = {0};
    mesh_use *uses = finish_weights_find_uses(builder);
    tallies.rooms = tn_scene_array(builder, scene->skin_count, sizeof *tallies.rooms);
    tallies.is_joint = tn_scene_array(builder, scene->node_count, sizeof *tallies.is_joint);
    if (builder->failed) return;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++) {
            uint32_t node = scene->skins[i].joints[k];
            if (scene->nodes[node].skin == i) tallies.is_joint[node] = true;
        }
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count && !builder->failed; k++) {
            tenon_primitive *p = &scene->meshes[i].primitives[k];
            if (uses[i].skin != TENON_NONE) {
                finish_weights_primitive(builder, p, &uses[i], &tallies, i);
                continue;
            }
            tn_tally_in(&tallies.unused, p->influence_count > 0, "meshes", i, "primitives", k);
            p->influence_count = 0;
            p->joints = NULL;
            p->weights = NULL;
        }
    tn_tally_report(builder, &tallies.sums, TENON_APPROXIMATED, "weights",
                    "normalized to sum to 1");
    tn_tally_report(builder, &tallies.joints, TENON_DROPPED, "influences",
                    "they name joints that do not exist");
    tn_tally_report(builder, &tallies.unmoved, TENON_SYNTHESIZED, "influences",
                    "no joint moves these vertices: they stay with the node of their mesh");
    tn_tally_report(builder, &tallies.unused, TENON_DROPPED, "weights",
                    "no node shows the mesh with a skin");
}
