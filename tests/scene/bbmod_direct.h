// bbmod_direct.h: where the corners of a BBMOD model are, computed from the documents alone.
// SPDX-License-Identifier: MIT
//
// It follows the notes on the format and shares no code with the library: matrices instead of dual
// quaternions, and the runtime's order of spaces (bone, world, parent), where the scene prefers the
// reverse. The result is in the file's own space, which is left-handed.

#ifndef TENON_TESTS_BBMOD_DIRECT_H
#define TENON_TESTS_BBMOD_DIRECT_H

#include "../formats/model_help.h"

#include <tenon/bbmod.h>

#include <math.h>

// -- Numbers

static inline float f32_at(const uint8_t *p)
{
    uint32_t bits = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double f64_at(const uint8_t *p)
{
    uint64_t bits = 0;
    double value;
    for (int i = 7; i >= 0; i--) bits = bits << 8 | p[i];
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Column by column, for column vectors.
typedef struct mat {
    double m[16];
} mat;

static const mat identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

// `b` first, then `a`.
static inline mat times(mat a, mat b)
{
    mat out = {{0}};
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            for (int k = 0; k < 4; k++)
                out.m[4 * column + row] += a.m[4 * k + row] * b.m[4 * column + k];
    return out;
}

static inline void apply(const mat *a, const double p[3], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] = a->m[row] * p[0] + a->m[4 + row] * p[1] + a->m[8 + row] * p[2] + a->m[12 + row];
}

// Of a matrix whose last row is 0 0 0 1, by cofactors.
static inline mat inverse(mat a)
{
    mat out = identity;
    const double *m = a.m;
    double det = 0;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            int c1 = (c + 1) % 3, c2 = (c + 2) % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3;
            out.m[4 * r + c] = m[4 * c1 + r1] * m[4 * c2 + r2] - m[4 * c1 + r2] * m[4 * c2 + r1];
            if (c == 0) det += m[r] * out.m[4 * r];
        }
    for (int i = 0; i < 11; i++)
        if (i % 4 < 3) out.m[i] /= det;
    double back[3], t[3] = {-m[12], -m[13], -m[14]};
    apply(&out, t, back);
    for (int k = 0; k < 3; k++) out.m[12 + k] = back[k];
    return out;
}

static inline mat placed(const double r[4], const double t[3])
{
    double x = r[0], y = r[1], z = r[2], w = r[3];
    return (mat){{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
                  2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
                  2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, t[0], t[1],
                  t[2], 1}};
}

// The translation is the vector of 2 * dual * conjugate(real).
static inline mat from_dual(const float v[8])
{
    double length = 0, q[8];
    for (int i = 0; i < 4; i++) length += (double)v[i] * (double)v[i];
    for (int i = 0; i < 8; i++) q[i] = (double)v[i] / sqrt(length);
    const double *r = q, *d = q + 4;
    double t[3];
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        t[k] = 2 * (r[3] * d[k] - d[3] * r[k] - (d[l] * r[m] - d[m] * r[l]));
    }
    return placed(r, t);
}

static inline mat from_floats(const float v[16], bool column_vectors)
{
    mat out;
    for (int i = 0; i < 16; i++) out.m[i] = (double)v[column_vectors ? 4 * (i % 4) + i / 4 : i];
    return out;
}

// -- The skeleton

typedef struct limb {
    uint32_t parent;  // TENON_NONE for the root.
    float index;
    mat local, offset, world;
    bool has_offset;
    const tenon_bbmod_node *node;
} limb;

typedef struct direct {
    const tenon_bbmod *doc;
    limb *limbs;
    uint32_t count;
    mat above;  // Applied after the root.
    mat *palette;
    uint32_t bone_count;
    bool is_old;  // Matrices.
} direct;

static inline limb *add_limb(direct *d)
{
    d->limbs = realloc(d->limbs, (d->count + 1) * sizeof *d->limbs);
    if (!d->limbs) abort();
    d->limbs[d->count] = (limb){.parent = TENON_NONE, .local = identity};
    return &d->limbs[d->count++];
}

static inline void add_nodes(direct *d, const tenon_bbmod_node *node, uint32_t parent)
{
    uint32_t own = d->count;
    limb *l = add_limb(d);
    l->parent = parent;
    l->node = node;
    l->index = node->index;
    // In the dialect of the document, the index is written in letters.
    if (node->index_text.size) l->index = (float)atoi(node->index_text.data);
    l->local = d->is_old ? from_floats(node->transform, false) : from_dual(node->transform);
    for (uint32_t i = 0; i < node->child_count; i++) add_nodes(d, &node->children[i], own);
}

static inline void add_bones(direct *d, const tenon_bbmod_v1_bone *bone, uint32_t parent)
{
    uint32_t own = d->count;
    bool column_vectors = d->doc->column_vectors != 0;
    limb *l = add_limb(d);
    l->parent = parent;
    l->index = bone->index;
    l->local = from_floats(bone->transform, column_vectors);
    l->offset = from_floats(bone->offset, column_vectors);
    l->has_offset = bone->index >= 0;
    for (uint32_t i = 0; i < bone->child_count; i++) add_bones(d, &bone->children[i], own);
}

static inline limb *limb_of(direct *d, float index)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (d->limbs[i].index == index) return &d->limbs[i];
    return NULL;
}

static inline void add_offsets(direct *d)
{
    const tenon_span *bones = &d->doc->bones;
    for (uint64_t i = 0; i < bones->count; i++) {
        const tenon_layout *layout = bones->layout;
        const uint8_t *record = bones->data + i * layout->stride;
        bool has_index = layout->element_count == 2;
        float numbers[16];
        for (int k = 0; k < (d->is_old ? 16 : 8); k++)
            numbers[k] = f32_at(record + (has_index ? 4 : 0) + 4 * k);
        limb *l = limb_of(d, has_index ? f32_at(record) : (float)i);
        if (!l) continue;
        l->offset = d->is_old ? from_floats(numbers, false) : from_dual(numbers);
        l->has_offset = true;
    }
    d->bone_count = d->doc->v1_bone_count ? d->doc->v1_bone_count : (uint32_t)bones->count;
}

static inline direct direct_begin(const tenon_bbmod *doc)
{
    direct d = {.doc = doc, .above = identity};
    uint32_t flags = doc->base.dialect->flags;
    d.is_old = (flags & TENON_BBMOD_MATRICES) != 0;
    bool is_nested = (flags & TENON_BBMOD_NESTED) != 0;
    if (is_nested && doc->v1_bone_count) add_bones(&d, &doc->v1_skeleton, TENON_NONE);
    if (!is_nested && (flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER)))
        add_nodes(&d, &doc->root, TENON_NONE);
    add_offsets(&d);
    d.palette = calloc(d.count + 1, sizeof *d.palette);
    if (!d.palette) abort();
    if (!d.is_old || !d.count) return d;
    d.above = from_floats(doc->inverse_transform, is_nested && doc->column_vectors);
    const float *root = is_nested ? doc->v1_skeleton.transform : doc->root.transform;
    // A mistake of the exporters: the root is what the inverse is the inverse of.
    if (memcmp(root, doc->inverse_transform, 16 * sizeof *root) == 0)
        d.limbs[0].local = inverse(d.above);
    return d;
}

static inline void direct_end(direct *d)
{
    free(d->limbs);
    free(d->palette);
}

// -- Clips

static inline bool row_of(const tenon_bbanim *a, const char *space, uint64_t frame, float index,
                          uint32_t count, float v[8])
{
    const tenon_layout *layout = a->frames.layout;
    const tenon_element *element = NULL;
    for (uint32_t i = 0; layout && i < layout->element_count; i++)
        if (strcmp(layout->elements[i].name, space) == 0) element = &layout->elements[i];
    if (!element || !(index >= 0 && index < (float)count) || !a->frames.count) return false;
    bool is_repeated = (a->base.dialect->flags & TENON_BBANIM_REPEATED) != 0;
    uint64_t start = is_repeated ? frame * 32 * count : frame * layout->stride;
    for (uint64_t k = 0; k < 8; k++)
        v[k] = f32_at(a->frames.data + start + element->offset + 32 * (uint64_t)index + 4 * k);
    return true;
}

// Between the keys around a time; held outside of them.
static inline void sample(const tenon_span *keys, double tics, int size, double out[4])
{
    uint64_t stride = keys->layout->stride, at = 0;
    while (at + 1 < keys->count && f64_at(keys->data + (at + 1) * stride) <= tics) at++;
    uint64_t next = at + 1 < keys->count ? at + 1 : at;
    const uint8_t *a = keys->data + at * stride, *b = keys->data + next * stride;
    double from = f64_at(a), to = f64_at(b), dot = 0;
    double share = to > from && tics > from ? (tics - from) / (to - from) : 0;
    double p[4] = {0}, q[4] = {0};
    for (int k = 0; k < size; k++) {
        p[k] = (double)f32_at(a + 8 + 4 * k), q[k] = (double)f32_at(b + 8 + 4 * k);
        dot += p[k] * q[k];
    }
    double first = 1 - share, second = share;
    if (size == 4) {
        double angle = acos(fmin(fabs(dot), 1));
        if (angle > 1e-6) first = sin(first * angle) / sin(angle);
        if (angle > 1e-6) second = sin(second * angle) / sin(angle);
        if (dot < 0) second = -second;
    }
    for (int k = 0; k < size; k++) out[k] = first * p[k] + second * q[k];
}

// The transform of a node relative to its parent; `tics` is a frame number for baked frames. All
// channels that are compared have rotations.
static inline mat local_at(const direct *d, const limb *l, const tenon_bbanim *a, double tics)
{
    float v[8];
    if (a && row_of(a, "parent", (uint64_t)tics, l->index, d->count, v)) return from_dual(v);
    for (uint32_t c = 0; a && c < a->channel_count; c++) {
        const tenon_bbanim_channel *channel = &a->channels[c];
        double r[4] = {0, 0, 0, 1}, t[3], room[4];
        if (channel->index != l->index) continue;
        for (int k = 0; k < 3; k++) t[k] = l->local.m[12 + k];
        if (channel->positions.count) {
            sample(&channel->positions, tics, 3, room);
            memcpy(t, room, sizeof t);
        }
        if (channel->rotations.count) sample(&channel->rotations, tics, 4, r);
        return placed(r, t);
    }
    return l->local;
}

static inline mat world_at(const direct *d, const limb *l, const tenon_bbanim *a, double tics)
{
    float v[8];
    mat parent = l->parent == TENON_NONE ? d->above : d->limbs[l->parent].world;
    if (a && row_of(a, "world", (uint64_t)tics, l->index, d->count, v)) return from_dual(v);
    bool has_parent = a && row_of(a, "parent", (uint64_t)tics, l->index, d->count, v);
    if (a && !has_parent && l->has_offset &&
        row_of(a, "bone", (uint64_t)tics, l->index, d->bone_count, v))
        return times(from_dual(v), inverse(l->offset));
    return times(parent, local_at(d, l, a, tics));
}

// Pose the model; at rest if `a` is NULL.
static inline void direct_pose(direct *d, const tenon_bbanim *a, double tics)
{
    for (uint32_t i = 0; i < d->count; i++) {
        limb *l = &d->limbs[i];
        float v[8];
        l->world = world_at(d, l, a, tics);
        d->palette[i] = times(l->world, l->offset);
        if (a && row_of(a, "bone", (uint64_t)tics, l->index, d->bone_count, v))
            d->palette[i] = from_dual(v);
    }
}

// -- Corners

// Points, lines and triangles: three corners each, of which the last may be the same.
typedef struct corner_list {
    double *corners;
    uint32_t count, room;
} corner_list;

static inline double *add_element(corner_list *list)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->corners = realloc(list->corners, list->room * 9 * sizeof(double));
        if (!list->corners) abort();
    }
    return list->corners + 9 * (size_t)list->count++;
}

static inline const uint8_t *attribute(const tenon_span *vertices, uint64_t vertex,
                                       const char *name)
{
    for (uint32_t i = 0; i < vertices->layout->element_count; i++)
        if (strcmp(vertices->layout->elements[i].name, name) == 0)
            return vertices->data + vertex * vertices->layout->stride +
                   vertices->layout->elements[i].offset;
    return NULL;
}

// The position of a vertex; `place` moves it if no bone does. Weights are normalized.
static inline void vertex_at(direct *d, const tenon_span *vertices, uint64_t vertex,
                             const mat *place, double out[3])
{
    const uint8_t *position = attribute(vertices, vertex, "position");
    const uint8_t *indices = attribute(vertices, vertex, "bone_indices");
    const uint8_t *weights = attribute(vertices, vertex, "bone_weights");
    double p[3], sum = 0, moved[3];
    for (int k = 0; k < 3; k++) p[k] = (double)f32_at(position + 4 * k), out[k] = 0;
    for (int k = 0; indices && k < 4; k++) {
        double weight = weights ? (double)f32_at(weights + 4 * k) : k == 0;
        const limb *l = weight > 0 ? limb_of(d, f32_at(indices + 4 * k)) : NULL;
        if (!l || !l->has_offset) continue;
        apply(&d->palette[l - d->limbs], p, moved);
        for (int i = 0; i < 3; i++) out[i] += weight * moved[i];
        sum += weight;
    }
    for (int k = 0; sum > 0 && k < 3; k++) out[k] /= sum;
    if (!(sum > 0)) apply(place, p, out);
}

// The vertices of element `i`; false after the last.
static inline bool element_at(const tenon_bbmod_mesh *mesh, uint64_t i, uint64_t v[3])
{
    static const uint32_t sizes[] = {0, 1, 2, 2, 3, 3, 3};
    uint32_t type = mesh->primitive_type, size = type < 7 ? sizes[type] : 0;
    bool is_list = type == 1 || type == 2 || type == 4;
    for (uint64_t k = 0; k < 3; k++) {
        uint64_t corner = k < size ? k : size ? size - 1 : 0;
        v[k] = is_list ? size * i + corner : i + corner;
        if (type == 6 && k == 0) v[k] = 0;
    }
    bool is_even = type == 5 && i % 2 == 1;
    if (is_even) v[1] = i + 2, v[2] = i + 1;
    return size && v[1] < mesh->vertices.count && v[2] < mesh->vertices.count;
}

// In the scene's space: Z is mirrored, and so is the triangle.
static inline void add_mesh(direct *d, const tenon_bbmod_mesh *mesh, const mat *place,
                            corner_list *list)
{
    uint64_t v[3];
    if (!mesh->vertices.count || !attribute(&mesh->vertices, 0, "position")) return;
    for (uint64_t i = 0; element_at(mesh, i, v); i++) {
        double *corners = add_element(list);
        bool is_triangle = mesh->primitive_type >= 4;
        uint64_t order[3] = {v[0], is_triangle ? v[2] : v[1], is_triangle ? v[1] : v[2]};
        for (int k = 0; k < 3; k++) {
            vertex_at(d, &mesh->vertices, order[k], place, corners + 3 * k);
            corners[3 * k + 2] = -corners[3 * k + 2];
        }
    }
}

static inline void add_v1_node(direct *d, const tenon_bbmod_v1_node *node, corner_list *list)
{
    for (uint32_t i = 0; i < node->mesh_count; i++) add_mesh(d, &node->meshes[i], &identity, list);
    for (uint32_t i = 0; i < node->child_count; i++) add_v1_node(d, &node->children[i], list);
}

// All elements of the model as it is posed.
static inline corner_list direct_corners(direct *d)
{
    corner_list list = {0};
    const tenon_bbmod *doc = d->doc;
    uint32_t flags = doc->base.dialect->flags;
    if (flags & TENON_BBMOD_NESTED) add_v1_node(d, &doc->v1_root, &list);
    bool has_nodes = (flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER)) != 0;
    for (uint32_t i = 0; !has_nodes && i < doc->mesh_count; i++)
        add_mesh(d, &doc->meshes[i], &identity, &list);
    for (uint32_t i = 0; i < d->count && d->limbs[i].node; i++) {
        const tenon_span *meshes = &d->limbs[i].node->meshes;
        for (uint64_t k = 0; k < meshes->count; k++) {
            uint32_t mesh = meshes->data[4 * k] | (uint32_t)meshes->data[4 * k + 1] << 8;
            const mat *place = d->is_old ? &identity : &d->limbs[i].world;
            if (mesh < doc->mesh_count) add_mesh(d, &doc->meshes[mesh], place, &list);
        }
    }
    return list;
}

#endif  // TENON_TESTS_BBMOD_DIRECT_H
