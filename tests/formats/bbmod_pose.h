// bbmod_pose.h: where BBMOD models of every version draw their vertices, computed for the tests
// with matrices alone, independent of the library's method.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_BBMOD_POSE_H
#define TENON_TESTS_BBMOD_POSE_H

#include "model_help.h"

#include <tenon/bbmod.h>

#include <math.h>

#define POSE_SLOTS  16
#define POSE_POINTS 256

typedef struct mat {
    double m[4][4];  // For column vectors.
} mat;

// Local transforms that an animation gives, by slot.
typedef struct pose {
    bool has[POSE_SLOTS];
    mat local[POSE_SLOTS];
    mat skin[POSE_SLOTS];  // Of bones, if `is_skin`: the chain of nodes is not used.
    bool is_skin;
} pose;

typedef struct points {
    double p[POSE_POINTS][3];
    uint32_t count;
} points;

// -- Matrices

static inline mat mat_identity(void)
{
    return (mat){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

static inline mat mat_mul(mat a, mat b)
{
    mat out = {{{0}}};
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 4; k++) out.m[r][c] += a.m[r][k] * b.m[k][c];
    return out;
}

static inline mat mat_from_floats(const float *v, bool column_vectors)
{
    mat out;
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) out.m[r][c] = v[column_vectors ? 4 * r + c : 4 * c + r];
    return out;
}

static inline mat mat_from_turn(const double q[4], const double t[3])
{
    double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = 2 / n;
    double x = q[0], y = q[1], z = q[2], w = q[3];
    return (mat){{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), t[0]},
                  {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x), t[1]},
                  {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y), t[2]},
                  {0, 0, 0, 1}}};
}

// The translation is twice the dual part times the conjugate of the real one.
static inline mat mat_from_dual(const float *v)
{
    double q[4] = {v[0], v[1], v[2], v[3]}, d[4] = {v[4], v[5], v[6], v[7]};
    double t[3] = {2 * (-d[3] * q[0] + d[0] * q[3] - d[1] * q[2] + d[2] * q[1]),
                   2 * (-d[3] * q[1] + d[1] * q[3] - d[2] * q[0] + d[0] * q[2]),
                   2 * (-d[3] * q[2] + d[2] * q[3] - d[0] * q[1] + d[1] * q[0])};
    return mat_from_turn(q, t);
}

// By elimination; good enough for what the fixtures hold.
static inline mat mat_inverse(mat a)
{
    mat out = mat_identity();
    for (int c = 0; c < 4; c++) {
        int pivot = c;
        for (int r = c; r < 4; r++)
            if (fabs(a.m[r][c]) > fabs(a.m[pivot][c])) pivot = r;
        for (int k = 0; k < 4; k++) {
            double x = a.m[c][k], y = out.m[c][k];
            a.m[c][k] = a.m[pivot][k], a.m[pivot][k] = x;
            out.m[c][k] = out.m[pivot][k], out.m[pivot][k] = y;
        }
        double d = a.m[c][c];
        for (int k = 0; k < 4; k++) a.m[c][k] /= d, out.m[c][k] /= d;
        for (int r = 0; r < 4; r++) {
            double f = a.m[r][c];
            for (int k = 0; k < 4 && r != c; k++)
                a.m[r][k] -= f * a.m[c][k], out.m[r][k] -= f * out.m[c][k];
        }
    }
    return out;
}

// -- Drawing

static inline const tenon_element *pose_element(const tenon_span *span, const char *name)
{
    for (uint32_t i = 0; i < span->layout->element_count; i++)
        if (strcmp(span->layout->elements[i].name, name) == 0) return &span->layout->elements[i];
    return NULL;
}

static inline void pose_floats(const tenon_span *span, const char *name, uint64_t i, float *out)
{
    const tenon_element *e = pose_element(span, name);
    wire_copy(out, span->data + i * span->layout->stride + e->offset, e->count, 4);
}

static inline void draw_vertex(points *out, const tenon_span *span, uint64_t i, mat place,
                               const mat *palette)
{
    float p[3], b[4], w[4];
    double sum = 0, *to = out->p[out->count++];
    mat m = place;
    pose_floats(span, "position", i, p);
    if (palette) {
        pose_floats(span, "bone_indices", i, b);
        pose_floats(span, "bone_weights", i, w);
        m = (mat){{{0}}};
        for (int k = 0; k < 4; k++) sum += w[k];
        for (int k = 0; k < 4; k++)
            for (int n = 0; n < 16; n++)
                m.m[n / 4][n % 4] += w[k] / sum * palette[(int)b[k]].m[n / 4][n % 4];
    }
    for (int r = 0; r < 3; r++)
        to[r] = m.m[r][0] * p[0] + m.m[r][1] * p[1] + m.m[r][2] * p[2] + m.m[r][3];
}

static inline void draw_mesh(points *out, const tenon_bbmod_mesh *mesh, mat place,
                             const mat *palette)
{
    bool is_skinned = palette && mesh->vertex_format.bones;
    for (uint64_t i = 0; i < mesh->vertices.count && out->count < POSE_POINTS; i++)
        draw_vertex(out, &mesh->vertices, i, place, is_skinned ? palette : NULL);
}

// -- Version 1

static inline void pose_v1_bone(const tenon_bbmod *doc, const tenon_bbmod_v1_bone *bone, mat above,
                                const pose *given, mat *palette)
{
    bool is_root = bone == &doc->v1_skeleton;
    mat local = mat_from_floats(bone->transform, doc->column_vectors);
    int slot = (int)bone->index;
    if (is_root && memcmp(bone->transform, doc->inverse_transform, 64) == 0)
        local = mat_inverse(local);
    if (slot >= 0 && given && given->has[slot]) local = given->local[slot];
    mat world = mat_mul(above, local);
    if (slot >= 0)
        palette[slot] = mat_mul(world, mat_from_floats(bone->offset, doc->column_vectors));
    for (uint32_t i = 0; i < bone->child_count; i++)
        pose_v1_bone(doc, &bone->children[i], world, given, palette);
}

static inline void draw_v1_node(points *out, const tenon_bbmod_v1_node *node, const mat *palette)
{
    for (uint32_t i = 0; i < node->mesh_count; i++)
        draw_mesh(out, &node->meshes[i], mat_identity(), palette);
    for (uint32_t i = 0; i < node->child_count; i++) draw_v1_node(out, &node->children[i], palette);
}

static inline void draw_v1(points *out, const tenon_bbmod *doc, const pose *given)
{
    mat palette[POSE_SLOTS], inverse = mat_from_floats(doc->inverse_transform, doc->column_vectors);
    if (doc->v1_bone_count) pose_v1_bone(doc, &doc->v1_skeleton, inverse, given, palette);
    draw_v1_node(out, &doc->v1_root, doc->v1_bone_count ? palette : NULL);
}

// -- Versions 2 and 3

static inline bool pose_has_matrices(const tenon_bbmod *doc)
{
    return (doc->base.dialect->flags & TENON_BBMOD_MATRICES) != 0;
}

static inline void pose_node(const tenon_bbmod *doc, const tenon_bbmod_node *node, mat above,
                             const pose *given, mat *worlds)
{
    bool is_old = pose_has_matrices(doc);
    mat local = is_old ? mat_from_floats(node->transform, false) : mat_from_dual(node->transform);
    int slot = (int)node->index;
    bool is_inverse = memcmp(node->transform, doc->inverse_transform, 64) == 0;
    if (node == &doc->root && is_old && is_inverse) local = mat_inverse(local);
    if (given && given->has[slot]) local = given->local[slot];
    worlds[slot] = mat_mul(above, local);
    for (uint32_t i = 0; i < node->child_count; i++)
        pose_node(doc, &node->children[i], worlds[slot], given, worlds);
}

// Meshes in their own order: those of version 2 without bones are not moved by their nodes.
static inline void draw_node(points *out, const tenon_bbmod *doc, const tenon_bbmod_node *node,
                             uint32_t mesh, const mat *worlds, const mat *palette)
{
    for (uint64_t i = 0; i < node->meshes.count; i++) {
        uint32_t index = wire_u32(node->meshes.data + 4 * i);
        mat place = pose_has_matrices(doc) ? mat_identity() : worlds[(int)node->index];
        if (index == mesh) draw_mesh(out, &doc->meshes[mesh], place, palette);
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        draw_node(out, doc, &node->children[i], mesh, worlds, palette);
}

static inline void draw_v2(points *out, const tenon_bbmod *doc, const pose *given)
{
    mat worlds[POSE_SLOTS], palette[POSE_SLOTS];
    bool is_old = pose_has_matrices(doc);
    mat above = is_old ? mat_from_floats(doc->inverse_transform, false) : mat_identity();
    pose_node(doc, &doc->root, above, given, worlds);
    for (uint64_t i = 0; i < doc->bones.count; i++) {
        float index, offset[16];
        pose_floats(&doc->bones, "index", i, &index);
        pose_floats(&doc->bones, "offset", i, offset);
        mat m = is_old ? mat_from_floats(offset, false) : mat_from_dual(offset);
        palette[(int)index] = mat_mul(worlds[(int)index], m);
        if (given && given->is_skin) palette[(int)index] = given->skin[(int)index];
    }
    for (uint32_t m = 0; m < doc->mesh_count; m++)
        draw_node(out, doc, &doc->root, m, worlds, doc->bones.count ? palette : NULL);
}

// Every vertex that the model draws, in the pose, or at rest if that is NULL.
static inline points draw(const tenon_bbmod *doc, const pose *given)
{
    points out = {.count = 0};
    uint32_t flags = doc->base.dialect->flags;
    if (flags & TENON_BBMOD_NESTED)
        draw_v1(&out, doc, given);
    else if (flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER))
        draw_v2(&out, doc, given);
    else
        draw_mesh(&out, &doc->meshes[0], mat_identity(), NULL);
    return out;
}

// -- Comparing

// The largest distance between points of the same number, as a share of the box of `a`; 1 if the
// numbers differ.
static inline double points_apart(const points *a, const points *b)
{
    double worst = 0, diagonal = 0, low, high;
    if (a->count != b->count || a->count == 0) return 1;
    for (int k = 0; k < 3; k++) {
        low = high = a->p[0][k];
        for (uint32_t i = 0; i < a->count; i++) {
            if (a->p[i][k] < low) low = a->p[i][k];
            if (a->p[i][k] > high) high = a->p[i][k];
        }
        diagonal += (high - low) * (high - low);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        double x = a->p[i][0] - b->p[i][0], y = a->p[i][1] - b->p[i][1],
               z = a->p[i][2] - b->p[i][2];
        double apart = sqrt(x * x + y * y + z * z);
        if (!(apart <= worst)) worst = apart;
    }
    return worst / sqrt(diagonal);
}

// -- Animations

static inline double key_time(const tenon_span *keys, uint64_t i)
{
    return wire_f64(keys->data + i * keys->layout->stride);
}

// Two keys around a time, and how far between them it is.
static inline double key_share(const tenon_span *keys, double time, uint64_t *first,
                               uint64_t *second)
{
    uint64_t i = 0;
    while (i + 1 < keys->count && key_time(keys, i + 1) <= time) i++;
    *first = i;
    *second = i + 1 < keys->count ? i + 1 : i;
    double span = key_time(keys, *second) - key_time(keys, *first);
    return span > 0 && time > key_time(keys, i) ? (time - key_time(keys, i)) / span : 0;
}

static inline mat channel_at(const tenon_bbanim_channel *channel, double time)
{
    float a[4], b[4];
    uint64_t first, second;
    double q[4], t[3], dot = 0, share = key_share(&channel->positions, time, &first, &second);
    pose_floats(&channel->positions, "position", first, a);
    pose_floats(&channel->positions, "position", second, b);
    for (int k = 0; k < 3; k++) t[k] = a[k] + (b[k] - a[k]) * share;
    share = key_share(&channel->rotations, time, &first, &second);
    pose_floats(&channel->rotations, "rotation", first, a);
    pose_floats(&channel->rotations, "rotation", second, b);
    for (int k = 0; k < 4; k++) dot += (double)a[k] * b[k];
    double sign = dot < 0 ? -1 : 1, angle = acos(fabs(dot) < 1 ? fabs(dot) : 1);
    double ka = angle < 1e-6 ? 1 - share : sin((1 - share) * angle) / sin(angle);
    double kb = angle < 1e-6 ? share : sin(share * angle) / sin(angle);
    for (int k = 0; k < 4; k++) q[k] = ka * a[k] + sign * kb * b[k];
    return mat_from_turn(q, t);
}

// The pose of keyframes at a time in tics.
static inline pose pose_of_keys(const tenon_bbanim *doc, double time)
{
    pose out = {.is_skin = false};
    for (uint32_t c = 0; c < doc->channel_count; c++) {
        int slot = (int)doc->channels[c].index;
        out.has[slot] = true;
        out.local[slot] = channel_at(&doc->channels[c], time);
    }
    return out;
}

static inline mat frame_row(const tenon_bbanim *doc, const char *space, uint64_t frame,
                            uint32_t row)
{
    float v[8];
    const tenon_element *e = pose_element(&doc->frames, space);
    const uint8_t *bytes = doc->frames.data + frame * doc->frames.layout->stride + e->offset;
    wire_copy(v, bytes + 32 * row, 8, 4);
    return mat_from_dual(v);
}

// The pose of a frame in parent space, or in bone space.
static inline pose pose_of_frame(const tenon_bbanim *doc, const char *space, uint64_t frame)
{
    pose out = {.is_skin = strcmp(space, "bone") == 0};
    uint32_t count = out.is_skin ? doc->model_bone_count : doc->model_node_count;
    for (uint32_t i = 0; i < count; i++) {
        mat m = frame_row(doc, space, frame, i);
        out.has[i] = !out.is_skin;
        if (out.is_skin)
            out.skin[i] = m;
        else
            out.local[i] = m;
    }
    return out;
}

#endif  // TENON_TESTS_BBMOD_POSE_H
