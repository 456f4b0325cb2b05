// rig.c: all meshes of a scene with one list of bones.
// SPDX-License-Identifier: MIT

#include "exchange/rig.h"

#include "core/math/sort.h"
#include "exchange/bind_matrices.h"
#include "exchange/joint_use.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FEW 16  // Up to so many influences are collected on the stack.

// -- Bones

// A joint, or a node with rigid parts, that needs a bone.
typedef struct bone_request {
    uint32_t node;
    const float *bind;  // 16 floats; NULL: the identity.
    uint32_t *bone;     // Where the index of the bone is stored.
} bone_request;

typedef struct rig_plan {
    const tn_export *export;
    const tenon_scene *scene;
    tn_rig *rig;
    uint64_t *skin_starts;  // Where the joints of each skin start in `joint_bones`.
    uint32_t *joint_bones;  // Of all joints of all skins.
    bool *is_used;          // Of the same joints.
    uint32_t *node_bones;   // Of each node: the bone of its rigid parts.
    bone_request *requests;
    uint32_t request_count;
} rig_plan;

static void rig_mark_used(void *user, uint32_t skin, uint32_t joint, const tn_bounds *bounds)
{
    rig_plan *plan = user;
    (void)bounds;
    plan->is_used[plan->skin_starts[skin] + joint] = true;
}

static bool rig_request_joint_bones(rig_plan *plan, bool keep_joints)
{
    if (!keep_joints && !tn_joint_uses(plan->export, rig_mark_used, plan)) return false;
    const float **binds = tn_shared_bind_matrices(plan->export);
    if (!binds) return false;
    for (uint32_t i = 0; i < plan->scene->skin_count; i++) {
        const tenon_skin *skin = &plan->scene->skins[i];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            uint64_t joint = plan->skin_starts[i] + k;
            plan->joint_bones[joint] = TENON_NONE;
            if (keep_joints || plan->is_used[joint])
                plan->requests[plan->request_count++] =
                    (bone_request){skin->joints[k], binds[joint], &plan->joint_bones[joint]};
        }
    }
    return true;
}

static bool rig_request_rigid_bones(rig_plan *plan, tn_rigid rigid)
{
    bool *moves = rigid == TN_RIGID_MOVING ? tn_moving_nodes(plan->export) : NULL;
    if (rigid == TN_RIGID_MOVING && !moves) return false;
    for (uint32_t i = 0; i < plan->scene->node_count; i++) plan->node_bones[i] = TENON_NONE;
    for (uint32_t i = 0; i < plan->rig->part_count && rigid != TN_RIGID_WITHOUT_BONES; i++) {
        const tn_part *part = &plan->rig->parts[i];
        uint32_t *bone = &plan->node_bones[part->node];
        if (part->is_skinned || *bone != TENON_NONE || (moves && !moves[part->node])) continue;
        *bone = 0;  // Requested; the index comes later.
        plan->requests[plan->request_count++] = (bone_request){part->node, NULL, bone};
    }
    return true;
}

// -1, 0 or 1: compare by node and matrix.
static int rig_compare(const bone_request *a, const bone_request *b)
{
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    for (uint32_t k = 0; k < 16 && a->bind != b->bind; k++) {
        float identity = k % 5 == 0;
        float x = a->bind ? a->bind[k] : identity, y = b->bind ? b->bind[k] : identity;
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

static bool rig_before_by_bone(const void *context, uint32_t a, uint32_t b)
{
    const bone_request *requests = context;
    return rig_compare(&requests[a], &requests[b]) < 0;
}

static bool rig_before_by_node(const void *context, uint32_t a, uint32_t b)
{
    const bone_request *requests = context;
    return requests[a].node != requests[b].node ? requests[a].node < requests[b].node : a < b;
}

// Equal requests get one bone.
static bool rig_make_bones(rig_plan *plan)
{
    tn_rig *rig = plan->rig;
    uint32_t count = plan->request_count;
    uint32_t *lists = tn_export_alloc(plan->export, 4 * (uint64_t)count, sizeof *lists);
    if (!lists) return false;
    uint32_t *order = lists, *spare = order + count;
    uint32_t *firsts = spare + count, *first_of = firsts + count;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    // Sorting is stable: the first of equal requests is the one that was made first.
    tn_sort(order, spare, count, rig_before_by_bone, plan->requests);
    for (uint32_t i = 0; i < count; i++) {
        const bone_request *request = &plan->requests[order[i]];
        if (i == 0 || rig_compare(&plan->requests[order[i - 1]], request) != 0)
            firsts[rig->bone_count++] = order[i];
        first_of[order[i]] = firsts[rig->bone_count - 1];
    }
    tn_sort(firsts, spare, rig->bone_count, rig_before_by_node, plan->requests);
    rig->bones = tn_export_alloc(plan->export, rig->bone_count, sizeof *rig->bones);
    if (!rig->bones) return false;
    for (uint32_t i = 0; i < rig->bone_count; i++) {
        const bone_request *request = &plan->requests[firsts[i]];
        rig->bones[i].node = request->node;
        rig->bones[i].inverse_bind =
            request->bind ? tn_mat4_from_columns(request->bind) : tn_mat4_identity();
        *request->bone = i;
    }
    for (uint32_t i = 0; i < count; i++)
        *plan->requests[i].bone = *plan->requests[first_of[i]].bone;
    return true;
}

// -- Influences

typedef struct influence {
    uint32_t bone;
    double weight;
} influence;

typedef struct tn_influence_buffer {
    influence *items, *sums;
    uint32_t *order, *spare;
} tn_influence_buffer;

// The influences of a vertex that have weight, in the order of the primitive.
static uint32_t rig_collect_influences(const tn_part *part, uint32_t vertex, influence *items)
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

static bool rig_before_by_influence(const void *context, uint32_t a, uint32_t b)
{
    const influence *items = context;
    return items[a].bone < items[b].bone;
}

// Choose the heaviest influences; of equal ones the lowest bone. Reorders the items. Returns the
// weight of the others.
static double rig_choose_heaviest(influence *items, uint32_t count, uint32_t bones[TN_INFLUENCES],
                                  float weights[TN_INFLUENCES])
{
    influence chosen[TN_INFLUENCES];
    uint32_t chosen_count = 0;
    double sum = 0, left = 0;
    while (chosen_count < TN_INFLUENCES && count > 0) {
        influence *best = items;
        for (influence *i = items + 1; i < items + count; i++)
            if (i->weight > best->weight || (i->weight == best->weight && i->bone < best->bone))
                best = i;
        sum += best->weight;
        chosen[chosen_count++] = *best;
        *best = items[--count];
    }
    for (uint32_t i = 0; i < count; i++) left += items[i].weight;
    for (uint32_t i = 0; i < chosen_count; i++) {
        bones[i] = chosen[i].bone;
        weights[i] = (float)(left > 0 ? chosen[i].weight / sum : chosen[i].weight);
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
    uint32_t kept = 0;
    if (part->p->influence_count <= FEW) {
        influence items[FEW];
        uint32_t count = rig_collect_influences(part, vertex, items);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t k = 0;
            while (k < kept && items[k].bone != items[i].bone) k++;
            if (k < kept)
                items[k].weight += items[i].weight;
            else
                items[kept++] = items[i];
        }
        return rig_choose_heaviest(items, kept, bones, weights);
    }
    tn_influence_buffer *buffer = part->buffer;
    uint32_t count = rig_collect_influences(part, vertex, buffer->items);
    for (uint32_t i = 0; i < count; i++) buffer->order[i] = i;
    tn_sort(buffer->order, buffer->spare, count, rig_before_by_influence, buffer->items);
    for (uint32_t i = 0; i < count; i++) {
        const influence *item = &buffer->items[buffer->order[i]];
        if (kept && buffer->sums[kept - 1].bone == item->bone)
            buffer->sums[kept - 1].weight += item->weight;
        else
            buffer->sums[kept++] = *item;
    }
    return rig_choose_heaviest(buffer->sums, kept, bones, weights);
}

bool tn_rig_merge(const tn_export *export, const tn_rig *rig, bool with_skin, const char *title,
                  tenon_primitive *merged)
{
    uint64_t vertex_count = 0, index_count = 0;
    for (uint32_t i = 0; i < rig->part_count; i++) {
        const tenon_primitive *p = rig->parts[i].p;
        vertex_count += p->index_count ? p->vertex_count : 0;
        index_count += p->index_count;
    }
    if (vertex_count > UINT32_MAX - 3 || index_count > UINT32_MAX - 3)
        return tn_error(export->err, TENON_ERR_UNSUPPORTED,
                        "the scene has too many vertices for one %s mesh", title);
    if (with_skin && rig->bone_count > UINT16_MAX)
        return tn_error(export->err, TENON_ERR_UNSUPPORTED,
                        "the scene has too many bones for one %s mesh", title);
    tenon_primitive *to = merged;
    *to = (tenon_primitive){.influence_count = with_skin ? TN_INFLUENCES : 0};
    to->positions = tn_export_alloc(export, vertex_count, 3 * sizeof *to->positions);
    to->normals = tn_export_alloc(export, vertex_count, 3 * sizeof *to->normals);
    to->uvs[0] = tn_export_alloc(export, vertex_count, 2 * sizeof *to->uvs[0]);
    to->indices = tn_export_alloc(export, index_count, sizeof *to->indices);
    if (!to->positions || !to->normals || !to->uvs[0] || !to->indices) return false;
    uint64_t influence_count = vertex_count * to->influence_count;
    to->joints = tn_export_alloc(export, influence_count, sizeof *to->joints);
    to->weights = tn_export_alloc(export, influence_count, sizeof *to->weights);
    if (!to->joints || !to->weights) return false;
    for (uint32_t i = 0; i < rig->part_count; i++) {
        const tn_part *part = &rig->parts[i];
        size_t count = part->p->vertex_count, first = to->vertex_count;
        if (!part->p->index_count) continue;
        memcpy(to->positions + 3 * first, part->p->positions, count * 3 * sizeof(float));
        memcpy(to->normals + 3 * first, part->p->normals, count * 3 * sizeof(float));
        memcpy(to->uvs[0] + 2 * first, part->p->uvs[0], count * 2 * sizeof(float));
        for (uint32_t k = 0; k < part->p->index_count; k++)
            to->indices[to->index_count++] = to->vertex_count + part->p->indices[k];
        for (uint32_t v = 0; v < count && with_skin; v++) {
            uint32_t bones[TN_INFLUENCES];
            size_t at = TN_INFLUENCES * (first + v);
            (void)tn_part_influences(part, v, bones, to->weights + at);
            for (size_t k = 0; k < TN_INFLUENCES; k++) to->joints[at + k] = (uint16_t)bones[k];
        }
        to->vertex_count += part->p->vertex_count;
    }
    return true;
}

uint64_t tn_rig_crowded(const tn_export *export, const tn_rig *rig, char *path, size_t path_size)
{
    (void)export;
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

static tn_influence_buffer *rig_allocate_buffer(const tn_export *export, uint32_t most)
{
    tn_influence_buffer *buffer = tn_export_alloc(export, 1, sizeof *buffer);
    if (!buffer) return NULL;
    buffer->items = tn_export_alloc(export, most, sizeof *buffer->items);
    buffer->sums = tn_export_alloc(export, most, sizeof *buffer->sums);
    buffer->order = tn_export_alloc(export, most, sizeof *buffer->order);
    buffer->spare = tn_export_alloc(export, most, sizeof *buffer->spare);
    return buffer->items && buffer->sums && buffer->order && buffer->spare ? buffer : NULL;
}

bool tn_part_prepare(const tn_export *export, tn_part *part)
{
    if (part->p->influence_count <= FEW) return true;
    part->buffer = rig_allocate_buffer(export, part->p->influence_count);
    return part->buffer != NULL;
}

// -- Rigs

// List the primitives that have vertices.
static bool rig_find_parts(const tn_export *export, tn_rig *rig)
{
    const tenon_scene *scene = export->scene;
    uint64_t most = 0;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != TENON_NONE)
            most += scene->meshes[scene->nodes[i].mesh].primitive_count;
    rig->parts = tn_export_alloc(export, most, sizeof *rig->parts);
    if (!rig->parts) return false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        if (node->mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[node->mesh];
        for (uint32_t k = 0; k < mesh->primitive_count; k++) {
            const tenon_primitive *p = &mesh->primitives[k];
            if (p->vertex_count == 0) continue;
            rig->parts[rig->part_count++] =
                (tn_part){.node = i,
                          .mesh = node->mesh,
                          .primitive = k,
                          .p = p,
                          .is_skinned = node->skin != TENON_NONE && p->influence_count > 0,
                          .bone = TENON_NONE};
        }
    }
    return true;
}

bool tn_rig_make(const tn_export *export, tn_rigid rigid, bool keep_joints, tn_rig *rig)
{
    const tenon_scene *scene = export->scene;
    rig_plan plan = {.export = export, .scene = scene, .rig = rig};
    *rig = (tn_rig){0};
    if (!rig_find_parts(export, rig)) return false;
    plan.skin_starts = tn_export_alloc(export, scene->skin_count, sizeof *plan.skin_starts);
    if (!plan.skin_starts) return false;
    uint64_t joint_count = 0;
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        plan.skin_starts[i] = joint_count;
        joint_count += scene->skins[i].joint_count;
    }
    if (joint_count > UINT32_MAX - scene->node_count)
        return tn_error(export->err, TENON_ERR_LIMIT, "the skins have too many joints");
    uint64_t most = joint_count + scene->node_count;
    plan.joint_bones = tn_export_alloc(export, joint_count, sizeof *plan.joint_bones);
    plan.is_used = tn_export_alloc(export, joint_count, sizeof *plan.is_used);
    plan.node_bones = tn_export_alloc(export, scene->node_count, sizeof *plan.node_bones);
    plan.requests = tn_export_alloc(export, most, sizeof *plan.requests);
    if (!plan.joint_bones || !plan.is_used || !plan.node_bones || !plan.requests) return false;
    if (!rig_request_joint_bones(&plan, keep_joints) || !rig_request_rigid_bones(&plan, rigid) ||
        !rig_make_bones(&plan))
        return false;
    uint32_t influences = FEW;
    for (uint32_t i = 0; i < rig->part_count; i++)
        if (rig->parts[i].is_skinned && rig->parts[i].p->influence_count > influences)
            influences = rig->parts[i].p->influence_count;
    tn_influence_buffer *buffer = rig_allocate_buffer(export, influences);
    if (!buffer) return false;
    for (uint32_t i = 0; i < rig->part_count; i++) {
        tn_part *part = &rig->parts[i];
        if (part->is_skinned)
            part->bones = plan.joint_bones + plan.skin_starts[scene->nodes[part->node].skin];
        else
            part->bone = plan.node_bones[part->node];
        part->buffer = buffer;
    }
    return true;
}

// -- Moving nodes

bool tn_channel_holds(const tenon_channel *c, const double *value)
{
    bool is_cubic = c->curve == TENON_CUBIC, is_turn = c->target == TENON_ROTATION;
    uint32_t size = is_turn ? 4 : 3, stride = is_cubic ? 3 * size : size;
    double largest = 0;
    for (uint32_t k = 0; k < size; k++)
        if (fabs(value[k]) > largest) largest = fabs(value[k]);
    for (uint32_t i = 0; i < c->key_count; i++) {
        const float *key = c->values + (size_t)i * stride;
        for (uint32_t k = 0; k < size && is_cubic && c->key_count > 1; k++)
            if (key[k] != 0 || key[2 * size + k] != 0) return false;  // Tangents.
        if (is_cubic) key += size;
        double dot = 0;
        for (uint32_t k = 0; k < size; k++) dot += value[k] * (double)key[k];
        double sign = is_turn && dot < 0 ? -1 : 1;
        for (uint32_t k = 0; k < size; k++)
            if (!(fabs(value[k] - sign * (double)key[k]) <= 0x1p-22 * largest)) return false;
    }
    return true;
}

const double *tn_channel_rest(const tenon_scene *scene, const tenon_channel *channel)
{
    const tenon_node *node = &scene->nodes[channel->node];
    return channel->target == TENON_TRANSLATION ? node->translation
           : channel->target == TENON_ROTATION  ? node->rotation
                                                : node->scale;
}

bool *tn_moving_nodes(const tn_export *export)
{
    const tenon_scene *scene = export->scene;
    bool *moves = tn_export_alloc(export, scene->node_count, sizeof *moves);
    if (!moves) return NULL;
    for (uint32_t a = 0; a < scene->animation_count; a++)
        for (uint32_t i = 0; i < scene->animations[a].channel_count; i++) {
            const tenon_channel *c = &scene->animations[a].channels[i];
            if (!moves[c->node]) moves[c->node] = !tn_channel_holds(c, tn_channel_rest(scene, c));
        }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        if (parent != TENON_NONE && moves[parent]) moves[i] = true;
    }
    return moves;
}
