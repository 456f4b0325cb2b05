// pose_skin.c: the vertices of a posed scene, and their bounds.
// SPDX-License-Identifier: MIT

#include "scene/pose/pose.h"

#include "core/cursor/wide.h"
#include "core/math/bounds.h"
#include "core/memory/budget.h"

#include <math.h>
#include <string.h>

#define BLOCK      256  // Vertices that are skinned at a time, on the stack.
#define EVEN_TIMES 64   // Of a clip, besides its keys: joints swing outwards between them.
#define KEYS_MOST  512  // Of one channel; of more, as many are taken, evenly spread.

// A primitive of a posed node, and the matrices that move it.
typedef struct skinned_primitive {
    const tenon_primitive *primitive;
    const tn_affine *palette;  // NULL: `global` moves all vertices.
    const double *weights;     // Of morph targets; NULL: they do not move anything.
    tn_affine global;
    uint64_t work;  // For the budget.
} skinned_primitive;

static skinned_primitive pose_skin_find_skinned(const tenon_pose *pose, uint32_t node,
                                                uint32_t primitive)
{
    const tenon_node *n = &pose->scene->nodes[node];
    const tenon_primitive *p = &pose->scene->meshes[n->mesh].primitives[primitive];
    skinned_primitive skinned = {.primitive = p, .work = p->vertex_count};
    if (n->skin != TENON_NONE && p->influence_count > 0) {
        skinned.palette = pose->palette + pose->skin_starts[n->skin];
        skinned.work = (uint64_t)p->influence_count * p->vertex_count;
    }
    const double *weights = pose->weights + pose->weight_starts[node];
    for (uint32_t k = 0; k < p->morph_count; k++) {
        if (weights[k] == 0) continue;
        skinned.weights = weights;
        skinned.work += p->vertex_count;
    }
    const double *m = pose->globals[node].m;
    for (uint32_t column = 0; column < 4; column++)
        for (uint32_t row = 0; row < 3; row++)
            skinned.global.m[3 * column + row] = m[4 * column + row];
    return skinned;
}

// -- Morph targets

// Add weight times the offset, which may be NULL.
static inline void pose_skin_add_offset(const float *offsets, double weight, uint32_t vertex,
                                        double out[3])
{
    if (!offsets || weight == 0) return;
    for (size_t k = 0; k < 3; k++) out[k] += weight * (double)offsets[3 * (size_t)vertex + k];
}

void tn_morph_position(const tenon_primitive *p, const double *weights, uint32_t vertex,
                       double out[3])
{
    for (size_t k = 0; k < 3; k++) out[k] = (double)p->positions[3 * (size_t)vertex + k];
    for (uint32_t i = 0; weights && i < p->morph_count; i++)
        pose_skin_add_offset(p->morphs[i].positions, weights[i], vertex, out);
}

void tn_morph_normal(const tenon_primitive *p, const double *weights, uint32_t vertex,
                     double out[3])
{
    for (size_t k = 0; k < 3; k++) out[k] = (double)p->normals[3 * (size_t)vertex + k];
    for (uint32_t i = 0; weights && i < p->morph_count; i++)
        pose_skin_add_offset(p->morphs[i].normals, weights[i], vertex, out);
}

// -- Vertices

// The matrix that moves a vertex: the node's, or the weighted sum of those of its joints, which is
// stored in `sum`.
static const tn_affine *pose_skin_matrix_of(const skinned_primitive *skinned, uint32_t vertex,
                                            tn_affine *sum)
{
    if (!skinned->palette) return &skinned->global;
    uint32_t count = skinned->primitive->influence_count;
    const uint16_t *joints = skinned->primitive->joints + (size_t)vertex * count;
    const float *weights = skinned->primitive->weights + (size_t)vertex * count;
    *sum = (tn_affine){{0}};
    for (uint32_t i = 0; i < count; i++) {
        if (weights[i] == 0.0f) continue;
        const double *m = skinned->palette[joints[i]].m, weight = (double)weights[i];
        for (uint32_t k = 0; k < 12; k++) sum->m[k] += weight * m[k];
    }
    return sum;
}

void tn_pose_vertex_matrix(const tenon_pose *pose, uint32_t node, uint32_t primitive,
                           uint32_t vertex, tn_affine *matrix)
{
    skinned_primitive skinned = pose_skin_find_skinned(pose, node, primitive);
    const tn_affine *found = pose_skin_matrix_of(&skinned, vertex, matrix);
    if (found != matrix) *matrix = *found;
}

// Whether the same matrix moves a vertex as the one before it.
static bool pose_skin_moves_alike(const skinned_primitive *skinned, uint32_t vertex)
{
    if (!skinned->palette) return true;
    size_t each = skinned->primitive->influence_count, at = vertex * each;
    const uint16_t *joints = skinned->primitive->joints + at;
    const float *weights = skinned->primitive->weights + at;
    return memcmp(joints, joints - each, each * sizeof *joints) == 0 &&
           memcmp(weights, weights - each, each * sizeof *weights) == 0;
}

static void pose_skin_positions(const skinned_primitive *skinned, uint32_t first, uint32_t count,
                                float *out)
{
    const tenon_primitive *primitive = skinned->primitive;
    if (skinned->palette && !skinned->weights) {
        size_t at = (size_t)first * primitive->influence_count;
        tn_loops_here()->skin(skinned->palette->m, primitive->joints + at, primitive->weights + at,
                              primitive->influence_count, primitive->positions + 3 * (size_t)first,
                              count, out);
        return;
    }
    tn_affine sum;
    const double *m = NULL;
    for (uint32_t i = 0; i < count; i++, out += 3) {
        if (!m || !pose_skin_moves_alike(skinned, first + i))
            m = pose_skin_matrix_of(skinned, first + i, &sum)->m;
        double p[3];
        tn_morph_position(skinned->primitive, skinned->weights, first + i, p);
        double x = p[0], y = p[1], z = p[2];
        for (uint32_t k = 0; k < 3; k++)
            out[k] = (float)(m[k] * x + m[3 + k] * y + m[6 + k] * z + m[9 + k]);
    }
}

// How a matrix moves normals: the rows of the cofactors of its upper three columns, and the sign of
// the determinant.
typedef struct normal_mover {
    double rows[3][3];
    bool mirrors;
} normal_mover;

static normal_mover pose_skin_normal_mover(const double *m)
{
    normal_mover out;
    double volume = 0;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
        out.rows[k][0] = m[3 + i] * m[6 + j] - m[3 + j] * m[6 + i];
        out.rows[k][1] = m[6 + i] * m[j] - m[6 + j] * m[i];
        out.rows[k][2] = m[i] * m[3 + j] - m[j] * m[3 + i];
        volume += out.rows[k][0] * m[k];
    }
    out.mirrors = volume < 0;
    return out;
}

// Normals are transformed by the transposed inverse: the cofactors over the determinant, of which
// only the sign matters. A matrix that flattens everything to a line or a point gives no normal: 0.
static void pose_skin_move_normal(const normal_mover *mover, const double n[3], float *out)
{
    double moved[3], square = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const double *row = mover->rows[k];
        moved[k] = row[0] * n[0] + row[1] * n[1] + row[2] * n[2];
        square += moved[k] * moved[k];
    }
    double length = sqrt(square), factor = length > 0 && length < HUGE_VAL ? 1 / length : 0;
    if (mover->mirrors) factor = -factor;
    for (uint32_t k = 0; k < 3; k++) out[k] = (float)(factor * moved[k]);
}

void tenon_pose_skin(const tenon_pose *pose, uint32_t node, uint32_t primitive, float *positions,
                     float *normals)
{
    skinned_primitive skinned = pose_skin_find_skinned(pose, node, primitive);
    uint32_t count = skinned.primitive->vertex_count;
    if (!tn_budget_work(pose->arena.allocator.budget, skinned.work)) return;
    if (positions) pose_skin_positions(&skinned, 0, count, positions);
    if (normals && !skinned.primitive->normals) memset(normals, 0, 3 * sizeof *normals * count);
    normal_mover mover;
    for (uint32_t i = 0; normals && skinned.primitive->normals && i < count; i++, normals += 3) {
        tn_affine sum;
        double normal[3];
        if (i == 0 || !pose_skin_moves_alike(&skinned, i))
            mover = pose_skin_normal_mover(pose_skin_matrix_of(&skinned, i, &sum)->m);
        tn_morph_normal(skinned.primitive, skinned.weights, i, normal);
        pose_skin_move_normal(&mover, normal, normals);
    }
}

// -- Bounds

static void pose_skin_widen_by_primitive(const skinned_primitive *skinned, tn_bounds *bounds)
{
    float points[3 * BLOCK];
    uint32_t total = skinned->primitive->vertex_count;
    for (uint32_t first = 0, count; first < total; first += count) {
        count = total - first < BLOCK ? total - first : BLOCK;
        pose_skin_positions(skinned, first, count, points);
        for (uint32_t i = 0; i < count; i++) tn_bounds_add_f32(bounds, points + 3 * (size_t)i);
    }
}

bool tenon_pose_bounds(const tenon_pose *pose, double min[3], double max[3])
{
    const tenon_scene *scene = pose->scene;
    tn_bounds bounds = tn_bounds_empty();
    for (int k = 0; k < 3; k++) min[k] = max[k] = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t mesh = scene->nodes[i].mesh;
        if (mesh == TENON_NONE) continue;
        for (uint32_t p = 0; p < scene->meshes[mesh].primitive_count; p++) {
            skinned_primitive skinned = pose_skin_find_skinned(pose, i, p);
            if (!tn_budget_work(pose->arena.allocator.budget, skinned.work)) return false;
            pose_skin_widen_by_primitive(&skinned, &bounds);
        }
    }
    if (tn_bounds_is_empty(&bounds)) return false;
    memcpy(min, bounds.min, sizeof bounds.min);
    memcpy(max, bounds.max, sizeof bounds.max);
    return true;
}

static void skin_widen_by_pose(const tenon_pose *pose, tn_bounds *bounds)
{
    tn_bounds of_pose;
    if (tenon_pose_bounds(pose, of_pose.min, of_pose.max)) tn_bounds_join(bounds, &of_pose);
}

// Only the keys of the channel that has most of them are sampled: channels of baked clips have the
// same times.
bool tenon_pose_clip_bounds(tenon_pose *pose, uint32_t animation, double min[3], double max[3])
{
    tn_bounds bounds = tn_bounds_empty();
    const tenon_animation *clip = &pose->scene->animations[animation];
    const tenon_channel *most = NULL;
    for (uint32_t i = 0; i < clip->channel_count; i++)
        if (!most || clip->channels[i].key_count > most->key_count) most = &clip->channels[i];
    uint32_t count = most ? most->key_count : 0, step = count / KEYS_MOST + 1;
    for (uint32_t i = 0; i < count; i += step) {
        tenon_pose_set(pose, animation, (double)most->times[i]);
        skin_widen_by_pose(pose, &bounds);
    }
    for (uint32_t i = 0; i <= EVEN_TIMES; i++) {
        tenon_pose_set(pose, animation, clip->duration * i / EVEN_TIMES);
        skin_widen_by_pose(pose, &bounds);
    }
    if (tn_bounds_is_empty(&bounds)) return false;
    memcpy(min, bounds.min, sizeof bounds.min);
    memcpy(max, bounds.max, sizeof bounds.max);
    return true;
}
