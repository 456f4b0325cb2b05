// rig.c: all meshes of a scene, as one list of bones moves them.
// SPDX-License-Identifier: MIT

#include "exchange/rig.h"

#include "core/math/sort.h"
#include "exchange/bind_matrices.h"
#include "exchange/joint_use.h"

#include <math.h>
#include <stdio.h>

// A joint, or a node with rigid parts, that asks for a bone.
typedef struct wish {
    uint32_t node;
    const float *bind;  // 16; NULL: the identity.
    uint32_t *bone;     // Where to put the number of its bone.
} wish;

typedef struct maker {
    const tn_export *e;
    const tenon_scene *scene;
    tn_rig *rig;
    uint64_t *skin_starts;  // Where the joints of each skin start in `joint_bones`.
    uint64_t joint_count;
    uint32_t *joint_bones;  // Of all joints of all skins.
    bool *is_used;          // Likewise.
    const float **binds;    // Likewise: their inverse bind matrices.
    uint32_t *node_bones;   // Of each node: the bone of its rigid parts.
    wish *wishes;
    uint32_t wish_count;
} maker;

// -- Parts

static bool is_skinned(const tenon_node *node, const tenon_primitive *p)
{
    return node->skin != TENON_NONE && p->influence_count > 0;
}

static void add_parts(maker *m, uint32_t index, tn_part *out)
{
    const tenon_node *node = &m->scene->nodes[index];
    const tenon_mesh *mesh = &m->scene->meshes[node->mesh];
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const tenon_primitive *p = &mesh->primitives[i];
        if (p->vertex_count == 0) continue;
        if (out)
            out[m->rig->part_count] = (tn_part){.node = index,
                                                .mesh = node->mesh,
                                                .primitive = i,
                                                .p = p,
                                                .is_skinned = is_skinned(node, p),
                                                .bone = TENON_NONE};
        m->rig->part_count++;
    }
}

// With NULL they are only counted.
static void walk_parts(maker *m, tn_part *out)
{
    m->rig->part_count = 0;
    for (uint32_t i = 0; i < m->scene->node_count; i++)
        if (m->scene->nodes[i].mesh != TENON_NONE) add_parts(m, i, out);
}

static bool find_parts(maker *m)
{
    walk_parts(m, NULL);
    m->rig->parts = tn_export_alloc(m->e, m->rig->part_count, sizeof *m->rig->parts);
    if (m->rig->parts) walk_parts(m, m->rig->parts);
    return m->rig->parts != NULL;
}

// -- Wishes

static bool find_skin_starts(maker *m)
{
    m->skin_starts = tn_export_alloc(m->e, m->scene->skin_count, sizeof *m->skin_starts);
    if (!m->skin_starts) return false;
    for (uint32_t i = 0; i < m->scene->skin_count; i++) {
        m->skin_starts[i] = m->joint_count;
        m->joint_count += m->scene->skins[i].joint_count;
    }
    if (m->joint_count > UINT32_MAX - m->scene->node_count)
        return tn_error(m->e->err, TENON_ERR_LIMIT, "the skins have too many joints");
    return true;
}

static void use(void *user, uint32_t skin, uint32_t joint, const tn_box *box)
{
    maker *m = user;
    (void)box;
    m->is_used[m->skin_starts[skin] + joint] = true;
}

static void wish_joints(maker *m, bool keep_joints)
{
    for (uint32_t s = 0; s < m->scene->skin_count; s++) {
        const tenon_skin *skin = &m->scene->skins[s];
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            uint64_t joint = m->skin_starts[s] + i;
            m->joint_bones[joint] = TENON_NONE;
            if (keep_joints || m->is_used[joint])
                m->wishes[m->wish_count++] =
                    (wish){skin->joints[i], m->binds[joint], &m->joint_bones[joint]};
        }
    }
}

static bool wish_rigid(maker *m, tn_rigid rigid)
{
    bool *moves = rigid == TN_RIGID_MOVING ? tn_moving_nodes(m->e) : NULL;
    if (rigid == TN_RIGID_MOVING && !moves) return false;
    for (uint32_t i = 0; i < m->scene->node_count; i++) m->node_bones[i] = TENON_NONE;
    for (uint32_t i = 0; i < m->rig->part_count && rigid != TN_RIGID_WITHOUT_BONES; i++) {
        const tn_part *part = &m->rig->parts[i];
        uint32_t *bone = &m->node_bones[part->node];
        if (part->is_skinned || *bone != TENON_NONE || (moves && !moves[part->node])) continue;
        *bone = 0;  // Wished for; which one it is, is not known yet.
        m->wishes[m->wish_count++] = (wish){part->node, NULL, bone};
    }
    return true;
}

static bool collect_wishes(maker *m, tn_rigid rigid, bool keep_joints)
{
    if (!find_skin_starts(m)) return false;
    uint64_t most = m->joint_count + m->scene->node_count;
    m->joint_bones = tn_export_alloc(m->e, m->joint_count, sizeof *m->joint_bones);
    m->is_used = tn_export_alloc(m->e, m->joint_count, sizeof *m->is_used);
    m->node_bones = tn_export_alloc(m->e, m->scene->node_count, sizeof *m->node_bones);
    m->wishes = tn_export_alloc(m->e, most, sizeof *m->wishes);
    if (!m->joint_bones || !m->is_used || !m->node_bones || !m->wishes) return false;
    if (!keep_joints && !tn_joint_uses(m->e, use, m)) return false;
    m->binds = tn_shared_bind_matrices(m->e);
    if (!m->binds) return false;
    wish_joints(m, keep_joints);
    return wish_rigid(m, rigid);
}

// -- Bones

static float bind_at(const wish *w, uint32_t k)
{
    return w->bind ? w->bind[k] : (float)(k % 5 == 0);
}

// -1, 0 or 1: how two of them compare, by node and matrix.
static int compare(const wish *a, const wish *b)
{
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    for (uint32_t k = 0; k < 16 && a->bind != b->bind; k++) {
        float x = bind_at(a, k), y = bind_at(b, k);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

static bool before_by_bone(const void *context, uint32_t a, uint32_t b)
{
    const wish *wishes = context;
    return compare(&wishes[a], &wishes[b]) < 0;
}

static bool before_by_age(const void *context, uint32_t a, uint32_t b)
{
    const wish *wishes = context;
    return wishes[a].node != wishes[b].node ? wishes[a].node < wishes[b].node : a < b;
}

// Sorting is stable, so the first of equal wishes is the oldest: it stands for all of them.
static uint32_t find_leaders(const maker *m, const uint32_t *order, uint32_t *leaders,
                             uint32_t *leader_of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->wish_count; i++) {
        bool is_new = i == 0 || compare(&m->wishes[order[i - 1]], &m->wishes[order[i]]) != 0;
        if (is_new) leaders[count++] = order[i];
        leader_of[order[i]] = leaders[count - 1];
    }
    return count;
}

static void put_bone(const wish *w, tn_bone *bone)
{
    bone->node = w->node;
    bone->inverse_bind = w->bind ? tn_mat4_from_columns(w->bind) : tn_mat4_identity();
}

static bool make_bones(maker *m)
{
    uint32_t *lists = tn_export_alloc(m->e, 4 * (uint64_t)m->wish_count, sizeof *lists);
    if (!lists) return false;
    uint32_t *order = lists, *spare = order + m->wish_count;
    uint32_t *leaders = spare + m->wish_count, *leader_of = leaders + m->wish_count;
    for (uint32_t i = 0; i < m->wish_count; i++) order[i] = i;
    tn_sort(order, spare, m->wish_count, before_by_bone, m->wishes);
    m->rig->bone_count = find_leaders(m, order, leaders, leader_of);
    tn_sort(leaders, spare, m->rig->bone_count, before_by_age, m->wishes);
    m->rig->bones = tn_export_alloc(m->e, m->rig->bone_count, sizeof *m->rig->bones);
    if (!m->rig->bones) return false;
    for (uint32_t i = 0; i < m->rig->bone_count; i++) {
        put_bone(&m->wishes[leaders[i]], &m->rig->bones[i]);
        *m->wishes[leaders[i]].bone = i;
    }
    for (uint32_t i = 0; i < m->wish_count; i++) *m->wishes[i].bone = *m->wishes[leader_of[i]].bone;
    return true;
}

// -- Influences

typedef struct influence {
    uint32_t bone;
    double weight;
} influence;

typedef struct tn_crowd {
    influence *items, *sums;
    uint32_t *order, *spare;
} tn_crowd;

#define FEW 16  // So many influences need no room of their own.

// The influences of a vertex that have weight, as they come.
static uint32_t gather(const tn_part *part, uint32_t vertex, influence *items)
{
    uint32_t count = 0, all = part->p->influence_count;
    uint64_t at = (uint64_t)vertex * all;
    for (uint32_t i = 0; i < all; i++) {
        float weight = part->p->weights[at + i];
        if (weight > 0)
            items[count++] = (influence){part->bones[part->p->joints[at + i]], (double)weight};
    }
    return count;
}

// Add up what the same bone has, in place.
static uint32_t unite_few(influence *items, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < kept && items[k].bone != items[i].bone) k++;
        if (k < kept)
            items[k].weight += items[i].weight;
        else
            items[kept++] = items[i];
    }
    return kept;
}

static bool before_in_crowd(const void *context, uint32_t a, uint32_t b)
{
    const influence *items = context;
    return items[a].bone < items[b].bone;
}

// The same for many: sorted first, into `sums`.
static uint32_t unite_crowd(tn_crowd *c, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) c->order[i] = i;
    tn_sort(c->order, c->spare, count, before_in_crowd, c->items);
    for (uint32_t i = 0; i < count; i++) {
        const influence *item = &c->items[c->order[i]];
        if (kept && c->sums[kept - 1].bone == item->bone)
            c->sums[kept - 1].weight += item->weight;
        else
            c->sums[kept++] = *item;
    }
    return kept;
}

// Take the heaviest one out; of equal ones that of the lowest bone.
static influence take_heaviest(influence *items, uint32_t *count)
{
    influence *best = items;
    for (influence *i = items + 1; i < items + *count; i++)
        if (i->weight > best->weight || (i->weight == best->weight && i->bone < best->bone))
            best = i;
    influence taken = *best;
    *best = items[--*count];
    return taken;
}

// The heaviest ones of `count`, which are used up. Returns the weight of the rest.
static double choose(influence *items, uint32_t count, uint32_t bones[TN_INFLUENCES],
                     float weights[TN_INFLUENCES])
{
    influence taken[TN_INFLUENCES];
    uint32_t taken_count = 0;
    double sum = 0, left = 0;
    while (taken_count < TN_INFLUENCES && count > 0) {
        taken[taken_count] = take_heaviest(items, &count);
        sum += taken[taken_count++].weight;
    }
    for (uint32_t i = 0; i < count; i++) left += items[i].weight;
    for (uint32_t i = 0; i < taken_count; i++) {
        bones[i] = taken[i].bone;
        weights[i] = (float)(left > 0 ? taken[i].weight / sum : taken[i].weight);
    }
    return left;
}

double tn_part_influences(const tn_part *part, uint32_t vertex, uint32_t bones[TN_INFLUENCES],
                          float weights[TN_INFLUENCES])
{
    for (uint32_t i = 0; i < TN_INFLUENCES; i++) bones[i] = 0, weights[i] = 0;
    if (!part->is_skinned) {
        if (part->bone != TENON_NONE) bones[0] = part->bone, weights[0] = 1;
        return 0;
    }
    if (part->p->influence_count <= FEW) {
        influence few[FEW];
        return choose(few, unite_few(few, gather(part, vertex, few)), bones, weights);
    }
    tn_crowd *crowd = part->crowd;
    uint32_t count = unite_crowd(crowd, gather(part, vertex, crowd->items));
    return choose(crowd->sums, count, bones, weights);
}

uint64_t tn_rig_crowded(const tn_export *e, const tn_rig *rig, char *path, size_t path_size)
{
    (void)e;
    uint64_t crowded = 0;
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
    for (uint32_t i = 0; i < rig->part_count; i++) {
        const tn_part *part = &rig->parts[i];
        if (!part->is_skinned || part->p->influence_count <= TN_INFLUENCES) continue;
        for (uint32_t v = 0; v < part->p->vertex_count; v++)
            if (tn_part_influences(part, v, bones, weights) > 0 && crowded++ == 0)
                (void)snprintf(path, path_size, "meshes[%u].primitives[%u]", (unsigned)part->mesh,
                               (unsigned)part->primitive);
    }
    return crowded;
}

// -- All of it

// Room for vertices with as many influences.
static tn_crowd *make_crowd(const tn_export *e, uint32_t most)
{
    tn_crowd *crowd = tn_export_alloc(e, 1, sizeof *crowd);
    if (!crowd) return NULL;
    crowd->items = tn_export_alloc(e, most, sizeof *crowd->items);
    crowd->sums = tn_export_alloc(e, most, sizeof *crowd->sums);
    crowd->order = tn_export_alloc(e, most, sizeof *crowd->order);
    crowd->spare = tn_export_alloc(e, most, sizeof *crowd->spare);
    return crowd->items && crowd->sums && crowd->order && crowd->spare ? crowd : NULL;
}

bool tn_part_prepare(const tn_export *e, tn_part *part)
{
    if (part->p->influence_count <= FEW) return true;
    part->crowd = make_crowd(e, part->p->influence_count);
    return part->crowd != NULL;
}

static bool join_parts(maker *m)
{
    uint32_t most = FEW;
    for (uint32_t i = 0; i < m->rig->part_count; i++)
        if (m->rig->parts[i].is_skinned && m->rig->parts[i].p->influence_count > most)
            most = m->rig->parts[i].p->influence_count;
    tn_crowd *crowd = make_crowd(m->e, most);
    for (uint32_t i = 0; i < m->rig->part_count && crowd; i++) {
        tn_part *part = &m->rig->parts[i];
        if (part->is_skinned)
            part->bones = m->joint_bones + m->skin_starts[m->scene->nodes[part->node].skin];
        else
            part->bone = m->node_bones[part->node];
        part->crowd = crowd;
    }
    return crowd != NULL;
}

bool tn_rig_make(const tn_export *e, tn_rigid rigid, bool keep_joints, tn_rig *rig)
{
    maker m = {.e = e, .scene = e->scene, .rig = rig};
    *rig = (tn_rig){0};
    return find_parts(&m) && collect_wishes(&m, rigid, keep_joints) && make_bones(&m) &&
           join_parts(&m);
}

// -- What moves

static double rest_value(const tenon_node *node, tenon_target target, uint32_t k)
{
    switch (target) {
    case TENON_TRANSLATION:
        return node->translation[k];
    case TENON_ROTATION:
        return node->rotation[k];
    case TENON_SCALE:
        break;
    }
    return node->scale[k];
}

// Whether a key is the rest pose, to the last bits of a float.
static bool is_rest(const tenon_node *node, tenon_target target, const float *key)
{
    uint32_t size = target == TENON_ROTATION ? 4 : 3;
    double dot = 0, largest = 0;
    for (uint32_t k = 0; k < size; k++) {
        double rest = rest_value(node, target, k);
        dot += rest * (double)key[k];
        if (fabs(rest) > largest) largest = fabs(rest);
    }
    double sign = target == TENON_ROTATION && dot < 0 ? -1 : 1;  // -q is the same turn.
    for (uint32_t k = 0; k < size; k++)
        if (!(fabs(rest_value(node, target, k) - sign * (double)key[k]) <= 0x1p-22 * largest))
            return false;
    return true;
}

static bool is_all_zero(const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i] != 0) return false;
    return true;
}

static bool holds_rest(const tenon_node *node, const tenon_channel *c)
{
    bool is_cubic = c->curve == TENON_CUBIC;
    uint32_t size = c->target == TENON_ROTATION ? 4 : 3, stride = is_cubic ? 3 * size : size;
    for (uint32_t i = 0; i < c->key_count; i++) {
        const float *key = c->values + (size_t)i * stride;
        if (is_cubic && !(is_all_zero(key, size) && is_all_zero(key + 2 * (size_t)size, size)))
            return false;
        if (!is_rest(node, c->target, is_cubic ? key + size : key)) return false;
    }
    return true;
}

bool *tn_moving_nodes(const tn_export *e)
{
    const tenon_scene *scene = e->scene;
    bool *moves = tn_export_alloc(e, scene->node_count, sizeof *moves);
    if (!moves) return NULL;
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++) {
            const tenon_channel *c = &scene->animations[a].channels[i];
            if (!moves[c->node]) moves[c->node] = !holds_rest(&scene->nodes[c->node], c);
        }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        if (parent != TENON_NONE && moves[parent]) moves[i] = true;
    }
    return moves;
}
