// finish_weights.c: make everything true that scene.h promises of skinned meshes.
// SPDX-License-Identifier: MIT

#include "scene/model/scene_finish.h"

#include "core/cursor/wide.h"

#include <math.h>
#include <string.h>

#define WEIGHT_SLACK  1e-7  // As near to 1 as floats can add up.
#define WORTH_TELLING 1e-5
#define MOST_JOINTS   65536u
#define BLOCK         256u  // Vertices looked at at once.

// Who shows a mesh.
typedef struct use {
    uint32_t node;         // The only one; TENON_NONE if there are several.
    uint32_t skin;         // Of one of them; TENON_NONE: it is not skinned.
    uint32_t joint_count;  // The least of their skins.
    uint32_t stray;        // The joint for vertices that none moves; TENON_NONE: not made yet.
} use;

// What is needed to add joints.
typedef struct stray_work {
    uint32_t *rooms;  // How many joints each skin has room for; 0: as many as it has.
    bool *is_joint;   // By node: it is a joint of the skin of its own mesh.
} stray_work;

typedef struct flaws {
    stray_work work;
    tn_tally sums, joints, strays, unused;
} flaws;

// -- Who uses what

static bool is_skinned(const tenon_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        if (mesh->primitives[i].influence_count) return true;
    return false;
}

static use *find_uses(tn_scene_builder *b)
{
    tenon_scene *s = b->scene;
    use *uses = tn_scene_array(b, s->mesh_count, sizeof *uses);
    bool *is_used = tn_scene_array(b, s->mesh_count, sizeof *is_used);
    if (b->failed) return NULL;
    for (uint32_t i = 0; i < s->mesh_count; i++)
        uses[i] = (use){TENON_NONE, TENON_NONE, MOST_JOINTS, TENON_NONE};
    for (uint32_t i = 0; i < s->node_count; i++) {
        tenon_node *n = &s->nodes[i];
        bool may_have_skin = n->mesh != TENON_NONE && n->skin != TENON_NONE &&
                             s->skins[n->skin].joint_count && is_skinned(&s->meshes[n->mesh]);
        if (!may_have_skin) n->skin = TENON_NONE;
        if (n->mesh == TENON_NONE) continue;
        use *u = &uses[n->mesh];
        u->node = is_used[n->mesh] ? TENON_NONE : i;
        is_used[n->mesh] = true;
        if (n->skin == TENON_NONE) continue;
        u->skin = n->skin;
        if (s->skins[n->skin].joint_count < u->joint_count)
            u->joint_count = s->skins[n->skin].joint_count;
    }
    return uses;
}

// -- Vertices that no joint moves

// Room for one more joint at the end of a skin.
static bool grow_skin(tn_scene_builder *b, tenon_skin *skin, uint32_t *room)
{
    uint32_t count = skin->joint_count;
    if (count < *room) return true;
    uint64_t wanted = 2 * (uint64_t)count + 4;
    uint32_t *joints = tn_scene_array(b, wanted, sizeof *joints);
    float *binds = tn_scene_floats(b, wanted, 16);
    if (b->failed) return false;
    memcpy(joints, skin->joints, count * sizeof *joints);
    memcpy(binds, skin->inverse_binds, 16 * (size_t)count * sizeof *binds);
    skin->joints = joints;
    skin->inverse_binds = binds;
    *room = (uint32_t)wanted;
    return true;
}

// A joint that stays with the node of the mesh, so that the vertex is where it would be unskinned.
// A mesh that several nodes share cannot have one of its own. A node that is a joint already, with
// a bind pose, gets a child for it.
static uint32_t stray_joint(tn_scene_builder *b, stray_work *work, use *u)
{
    if (u->stray != TENON_NONE) return u->stray;
    u->stray = 0;
    tenon_skin *skin = &b->scene->skins[u->skin];
    uint32_t count = skin->joint_count, node = u->node;
    if (node == TENON_NONE || count >= MOST_JOINTS) return 0;
    if (work->is_joint[node]) node = tn_add_node(b, b->scene->nodes[node].name, node);
    if (b->failed || !grow_skin(b, skin, &work->rooms[u->skin])) return 0;
    skin->joints[count] = node;
    for (int k = 0; k < 16; k += 5) skin->inverse_binds[16 * (size_t)count + (size_t)k] = 1;
    skin->joint_count = count + 1;
    return u->stray = count;
}

static bool find_strays(tn_scene_builder *b, stray_work *work)
{
    const tenon_scene *s = b->scene;
    work->rooms = tn_scene_array(b, s->skin_count, sizeof *work->rooms);
    work->is_joint = tn_scene_array(b, s->node_count, sizeof *work->is_joint);
    if (b->failed) return false;
    for (uint32_t i = 0; i < s->skin_count; i++)
        for (uint32_t k = 0; k < s->skins[i].joint_count; k++) {
            uint32_t node = s->skins[i].joints[k];
            if (s->nodes[node].skin == i) work->is_joint[node] = true;
        }
    return true;
}

// -- Weights

// Returns the sum of the weights that count; the others become joint 0 with weight 0.
static double clean(uint16_t *joints, float *weights, uint32_t count, const use *u, tn_tally *wrong,
                    uint32_t mesh)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_good = weights[i] > 0 && weights[i] - weights[i] == 0;
        bool exists = joints[i] < u->joint_count;
        if (is_good && !exists) tn_tally_add(wrong, 1, "meshes", mesh, NULL, 0);
        if (!is_good || !exists) {
            weights[i] = 0;
            joints[i] = 0;
        }
        sum += weights[i];
    }
    return sum;
}

static void normalise(float *weights, uint32_t count, double sum)
{
    for (uint32_t i = 0; i < count; i++) weights[i] = (float)(weights[i] / sum);
}

static void finish_vertices(tn_scene_builder *b, const tenon_primitive *p, uint32_t first,
                            uint32_t count, use *u, flaws *f, uint32_t mesh)
{
    uint32_t each = p->influence_count;
    for (uint32_t i = first; i < first + count && !b->failed; i++) {
        uint16_t *joints = p->joints + (size_t)i * each;
        float *weights = p->weights + (size_t)i * each;
        double sum = clean(joints, weights, each, u, &f->joints, mesh);
        if (sum <= 0) {
            tn_tally_add(&f->strays, 1, "meshes", mesh, NULL, 0);
            joints[0] = (uint16_t)stray_joint(b, &f->work, u);
            weights[0] = 1;
            continue;
        }
        double off = fabs(sum - 1);
        if (off > WORTH_TELLING) tn_tally_add(&f->sums, 1, "meshes", mesh, NULL, 0);
        if (off > WEIGHT_SLACK) normalise(weights, each, sum);
    }
}

static void finish_primitive(tn_scene_builder *b, tenon_primitive *p, use *u, flaws *f,
                             uint32_t mesh)
{
    for (uint32_t at = 0, count; at < p->vertex_count; at += count) {
        count = p->vertex_count - at < BLOCK ? p->vertex_count - at : BLOCK;
        size_t first = (size_t)at * p->influence_count;
        bool is_well = p->influence_count == 4 &&
                       tn_loops_here()->are_influences(p->joints + first, p->weights + first, count,
                                                       u->joint_count);
        if (!is_well) finish_vertices(b, p, at, count, u, f, mesh);
    }
}

// In a skinned mesh every part is: those without weights follow the node.
static void give_weights(tn_scene_builder *b, tenon_primitive *p)
{
    p->influence_count = 4;
    p->joints = tn_scene_array(b, p->vertex_count, 4 * sizeof *p->joints);
    p->weights = tn_scene_floats(b, p->vertex_count, 4);
}

static void finish_mesh(tn_scene_builder *b, uint32_t index, use *u, flaws *f)
{
    tenon_mesh *mesh = &b->scene->meshes[index];
    for (uint32_t i = 0; i < mesh->primitive_count && !b->failed; i++) {
        tenon_primitive *p = &mesh->primitives[i];
        if (u->skin == TENON_NONE) {
            if (p->influence_count) tn_tally_add(&f->unused, 1, "meshes", index, "primitives", i);
            p->influence_count = 0;
            p->joints = NULL;
            p->weights = NULL;
            continue;
        }
        if (!p->influence_count) give_weights(b, p);
        if (!b->failed) finish_primitive(b, p, u, f, index);
    }
}

void tn_finish_weights(tn_scene_builder *b)
{
    flaws f = {0};
    use *uses = find_uses(b);
    if (b->failed || !find_strays(b, &f.work)) return;
    for (uint32_t i = 0; !b->failed && i < b->scene->mesh_count; i++)
        finish_mesh(b, i, &uses[i], &f);
    tn_tally_report(b, &f.sums, TENON_APPROXIMATED, "weights",
                    "they did not add up to 1, and do now");
    tn_tally_report(b, &f.joints, TENON_DROPPED, "influences",
                    "they name joints that do not exist");
    tn_tally_report(b, &f.strays, TENON_MADE_UP, "influences",
                    "no joint moves these vertices: they stay with the node of their mesh");
    tn_tally_report(b, &f.unused, TENON_DROPPED, "weights", "nothing shows the mesh with a skin");
}
