// gpb_direct.h: where the vertices of a gameplay bundle are, computed from the document alone.
// SPDX-License-Identifier: MIT
//
// Written from the description of the format, not from the library: matrices as they are stored,
// channels by their attributes, palette = joint world × inverse bind × bind shape, and in front of
// it the world of the node that has the mesh. Shares no code with what it tests.

#ifndef TENON_TESTS_GPB_DIRECT_H
#define TENON_TESTS_GPB_DIRECT_H

#include "../formats/gpb_help.h"

#include <tenon/scene.h>

#include <math.h>

#define DIRECT_MOST   1024  // Nodes.
#define DIRECT_JOINTS 256   // Of a skin.

typedef struct direct {
    const tenon_gpb *doc;
    uint32_t count;
    const tenon_gpb_node *nodes[DIRECT_MOST];
    uint32_t parents[DIRECT_MOST];
    uint32_t stack[256];  // The last node of each depth, while they are listed.
    double worlds[DIRECT_MOST][16];
    double palette[DIRECT_JOINTS][16];  // Of the current node.
} direct;

static inline bool direct_add(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    direct *d = user;
    if (d->count == DIRECT_MOST) return false;
    d->parents[d->count] = depth ? d->stack[depth - 1] : TENON_NONE;
    d->stack[depth] = d->count;
    d->nodes[d->count++] = node;
    return true;
}

static inline void direct_begin(direct *d, const tenon_gpb *doc)
{
    *d = (direct){.doc = doc};
    tenon_gpb_each_node(doc, direct_add, d);
}

static inline bool direct_same(tenon_str a, tenon_str b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static inline uint32_t direct_find(const direct *d, tenon_str id)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (direct_same(tenon_gpb_id(d->doc, d->nodes[i]->reference), id)) return i;
    return TENON_NONE;
}

static inline tenon_str direct_after_hash(tenon_str xref)
{
    return (tenon_str){xref.data + 1, xref.size - 1};
}

static inline const tenon_gpb_mesh *direct_mesh(const direct *d, const tenon_gpb_node *node)
{
    if (node->model.mesh.size < 2) return NULL;
    for (uint32_t i = 0; i < d->doc->block_count; i++) {
        const tenon_gpb_block *block = &d->doc->blocks[i];
        if (block->kind == TENON_GPB_MESH && direct_same(tenon_gpb_id(d->doc, block->reference),
                                                         direct_after_hash(node->model.mesh)))
            return &block->body.mesh;
    }
    return NULL;
}

// -- Matrices, column by column

static inline void direct_multiply(const double a[16], const double b[16], double out[16])
{
    double product[16];
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            product[4 * column + row] = 0;
            for (int k = 0; k < 4; k++)
                product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
        }
    memcpy(out, product, sizeof product);
}

static inline void direct_transform(const double m[16], const double p[3], double out[3])
{
    double moved[3];
    for (int row = 0; row < 3; row++)
        moved[row] = m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row];
    memcpy(out, moved, sizeof moved);
}

// -- Channels

// Scale, rotation and translation after a channel.
typedef struct direct_local {
    double scale[3], turn[9], move[3];
    bool is_moved;
} direct_local;

static inline direct_local direct_split(const float m[16])
{
    direct_local local = {.is_moved = false};
    for (int k = 0; k < 3; k++) {
        const float *c = m + 4 * k;
        local.scale[k] = sqrt((double)c[0] * c[0] + (double)c[1] * c[1] + (double)c[2] * c[2]);
        for (int row = 0; row < 3; row++) local.turn[3 * k + row] = c[row] / local.scale[k];
        local.move[k] = m[12 + k];
    }
    return local;
}

static inline void direct_set_turn(const double q[4], double turn[9])
{
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double x = q[0] / n, y = q[1] / n, z = q[2] / n, w = q[3] / n;
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                         2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                         2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    memcpy(turn, m, sizeof m);
}

static inline double direct_time(const tenon_gpb_channel *c, uint64_t key)
{
    bool is_float = c->key_times.layout->elements[0].type == TENON_TYPE_F32;
    return is_float ? (double)gpb_f32_at(&c->key_times, key) : gpb_u32_at(&c->key_times, key);
}

// From one quaternion to another, the shorter way at constant speed.
static inline void direct_slerp(const double a[4], const double b[4], double share, double *out)
{
    double dot = 0;
    for (int k = 0; k < 4; k++) dot += a[k] * b[k];
    double side = dot < 0 ? -1 : 1, angle = acos(fmin(1, fabs(dot)));
    double from = angle > 1e-9 ? sin((1 - share) * angle) / sin(angle) : 1 - share;
    double to = angle > 1e-9 ? sin(share * angle) / sin(angle) : share;
    for (int k = 0; k < 4; k++) out[k] = from * a[k] + side * to * b[k];
}

// Numbers of a channel at a time, linear between keys except for the quaternion at `turn`.
static inline void direct_sample(const tenon_gpb_channel *c, double ms, uint32_t size, int turn,
                                 double *out)
{
    uint64_t count = c->key_times.count, key = 0;
    double a[10], b[10], share = 0;
    while (key + 1 < count && direct_time(c, key + 1) <= ms + 1e-3) key++;
    double start = direct_time(c, key);
    if (key + 1 < count && ms > start) share = (ms - start) / (direct_time(c, key + 1) - start);
    for (uint32_t i = 0; i < size; i++) {
        a[i] = gpb_f32_at(&c->values, key * size + i);
        b[i] = share > 0 ? gpb_f32_at(&c->values, (key + 1) * size + i) : a[i];
        out[i] = a[i] + share * (b[i] - a[i]);
    }
    if (turn >= 0) direct_slerp(a + turn, b + turn, share, out + turn);
}

static inline void direct_apply(const tenon_gpb_channel *c, double ms, direct_local *local)
{
    double v[10];
    local->is_moved = true;
    switch (c->target_attribute) {
    case 8:
        direct_sample(c, ms, 4, 0, v);
        direct_set_turn(v, local->turn);
        break;
    case 9:
        direct_sample(c, ms, 3, -1, local->move);
        break;
    case 10:
    case 11:
    case 12:
        direct_sample(c, ms, 1, -1, &local->move[c->target_attribute - 10]);
        break;
    case 16:
        direct_sample(c, ms, 7, 0, v);
        direct_set_turn(v, local->turn);
        memcpy(local->move, v + 4, sizeof local->move);
        break;
    case 17:
        direct_sample(c, ms, 10, 3, v);
        memcpy(local->scale, v, sizeof local->scale);
        direct_set_turn(v + 3, local->turn);
        memcpy(local->move, v + 7, sizeof local->move);
        break;
    default:
        fprintf(stderr, "attribute %" PRIu32 " is not in any real file\n", c->target_attribute);
        test_failures++;
    }
}

// Whether a clip of the scene plays a channel: it moves the node of that name for as long.
static inline bool direct_is_played(const tenon_scene *scene, uint32_t clip,
                                    const tenon_gpb_channel *c)
{
    const tenon_animation *a = &scene->animations[clip];
    double start = direct_time(c, 0), end = direct_time(c, c->key_times.count - 1);
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const tenon_channel *channel = &a->channels[i];
        if (direct_same(scene->nodes[channel->node].name, c->target_id) &&
            fabs(1000.0 * channel->times[0] - start) < 0.01 &&
            fabs(1000.0 * channel->times[channel->key_count - 1] - end) < 0.01)
            return true;
    }
    return false;
}

// -- Poses

typedef void direct_channel_fn(void *user, const tenon_gpb_channel *channel);

static inline void direct_each_channel(const tenon_gpb *doc, direct_channel_fn *fn, void *user)
{
    for (uint32_t i = 0; i < doc->block_count; i++) {
        if (doc->blocks[i].kind != TENON_GPB_ANIMATIONS) continue;
        const tenon_gpb_animations *all = &doc->blocks[i].body.animations;
        for (uint32_t k = 0; k < all->animation_count; k++)
            for (uint32_t n = 0; n < all->animations[k].channel_count; n++)
                fn(user, &all->animations[k].channels[n]);
    }
}

typedef struct direct_moment {
    const direct *d;
    const tenon_scene *scene;
    uint32_t clip;
    double ms;
    direct_local locals[DIRECT_MOST];
} direct_moment;

static inline void direct_apply_played(void *user, const tenon_gpb_channel *channel)
{
    direct_moment *m = user;
    uint32_t node = direct_find(m->d, channel->target_id);
    if (channel->target_attribute == 0 || node == TENON_NONE) return;
    if (direct_is_played(m->scene, m->clip, channel))
        direct_apply(channel, m->ms, &m->locals[node]);
}

// Pose the document as a clip of the scene does; TENON_NONE: at rest.
static inline void direct_pose(direct *d, const tenon_scene *scene, uint32_t clip, double seconds)
{
    static direct_moment m;
    m = (direct_moment){.d = d, .scene = scene, .clip = clip, .ms = 1000 * seconds};
    for (uint32_t i = 0; i < d->count; i++) m.locals[i] = direct_split(d->nodes[i]->transform);
    if (clip != TENON_NONE) direct_each_channel(d->doc, direct_apply_played, &m);
    for (uint32_t i = 0; i < d->count; i++) {
        double local[16];
        const direct_local *l = &m.locals[i];
        for (int k = 0; k < 16; k++) local[k] = d->nodes[i]->transform[k];
        for (int k = 0; l->is_moved && k < 3; k++) {
            for (int row = 0; row < 3; row++)
                local[4 * k + row] = l->turn[3 * k + row] * l->scale[k];
            local[12 + k] = l->move[k];
        }
        memcpy(d->worlds[i], local, sizeof local);
        if (d->parents[i] != TENON_NONE)
            direct_multiply(d->worlds[d->parents[i]], local, d->worlds[i]);
    }
}

// -- Vertices

// The numbers of an element of a vertex; NULL: it has none.
static inline const float *direct_numbers(const tenon_gpb_mesh *mesh, uint64_t vertex,
                                          uint32_t usage, float numbers[4])
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        uint32_t size = mesh->elements[i].size;
        if (mesh->elements[i].usage == usage) {
            wire_copy(numbers,
                      mesh->vertices.data + mesh->vertices.layout->stride * vertex + offset, size,
                      4);
            return numbers;
        }
        offset += 4 * (uint64_t)size;
    }
    return NULL;
}

static inline void direct_set_palette(direct *d, uint32_t node)
{
    const tenon_gpb_model *model = &d->nodes[node]->model;
    for (uint32_t i = 0; model->has_skin && i < model->skin.joint_count && i < DIRECT_JOINTS; i++) {
        double bind[16], shape[16];
        uint32_t joint = direct_find(d, direct_after_hash(model->skin.joints[i]));
        CHECK(joint != TENON_NONE);
        if (joint == TENON_NONE) continue;
        for (uint32_t k = 0; k < 16; k++) {
            bind[k] = gpb_f32_at(&model->skin.bind_poses, 16 * (uint64_t)i + k);
            shape[k] = model->skin.bind_shape[k];
        }
        direct_multiply(bind, shape, d->palette[i]);
        direct_multiply(d->worlds[joint], d->palette[i], d->palette[i]);
    }
}

// Where a vertex of the mesh of a node is. Weights are assumed to add up to 1; a vertex without any
// stays with the node.
static inline void direct_vertex(const direct *d, uint32_t node, const tenon_gpb_mesh *mesh,
                                 uint64_t vertex, double out[3])
{
    float position[4], weights[4] = {0}, indices[4] = {0};
    const tenon_gpb_model *model = &d->nodes[node]->model;
    bool has_weights = model->has_skin && direct_numbers(mesh, vertex, 6, weights) &&
                       direct_numbers(mesh, vertex, 7, indices);
    const float *p = direct_numbers(mesh, vertex, 1, position);
    double point[3] = {p[0], p[1], p[2]}, moved[3] = {0}, total = 0;
    for (int i = 0; has_weights && i < 4; i++) total += weights[i] > 0 ? weights[i] : 0;
    for (int i = 0; total > 0 && i < 4; i++) {
        double by_joint[3];
        if (!(weights[i] > 0)) continue;
        direct_transform(d->palette[(uint32_t)indices[i] % DIRECT_JOINTS], point, by_joint);
        for (int k = 0; k < 3; k++) moved[k] += weights[i] / total * by_joint[k];
    }
    direct_transform(d->worlds[node], total > 0 ? moved : point, out);
}

// -- Comparing with a scene

// The node of the scene that has that name and a mesh.
static inline uint32_t direct_partner(const tenon_scene *scene, tenon_str name)
{
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (direct_same(scene->nodes[i].name, name) && scene->nodes[i].mesh != TENON_NONE) return i;
    return TENON_NONE;
}

static inline uint64_t direct_index(const tenon_gpb_part *part, uint64_t i)
{
    if (part->index_format == 0x1401) return part->indices.data[i];
    if (part->index_format == 0x1405) return gpb_u32_at(&part->indices, i);
    return (uint64_t)part->indices.data[2 * i] | (uint64_t)part->indices.data[2 * i + 1] << 8;
}

static inline double direct_determinant(const double *m)
{
    return m[0] * (m[5] * m[10] - m[9] * m[6]) - m[4] * (m[1] * m[10] - m[9] * m[2]) +
           m[8] * (m[1] * m[6] - m[5] * m[2]);
}

// Whether what a node shows is mirrored, so that a scene has its triangles reversed.
static inline bool direct_mirrors(const direct *d, uint32_t node)
{
    const tenon_gpb_model *model = &d->nodes[node]->model;
    double world = direct_determinant(d->worlds[node]);
    uint32_t count = model->has_skin ? model->skin.joint_count : 0, negative = 0;
    if (count == 0) return world < 0;
    for (uint32_t i = 0; i < count && i < DIRECT_JOINTS; i++)
        negative += direct_determinant(d->palette[i]) * world < 0;
    return negative > count / 2;
}

// How far corners of a part are apart, and how often texture coordinates differ.
static inline double direct_compare_part(const direct *d, const tenon_pose *pose,
                                         const tenon_scene *scene, uint32_t node, uint32_t part)
{
    static float *positions;
    const tenon_gpb_mesh *mesh = direct_mesh(d, d->nodes[node]);
    uint32_t at = direct_partner(scene, tenon_gpb_id(d->doc, d->nodes[node]->reference));
    CHECK(at != TENON_NONE && mesh);
    if (at == TENON_NONE || !mesh) return INFINITY;
    const tenon_primitive *p = &scene->meshes[scene->nodes[at].mesh].primitives[part];
    uint64_t count = mesh->part_count ? mesh->parts[part].indices.count : mesh->vertices.count;
    CHECK(count == (p->indices ? p->index_count : p->vertex_count));
    positions = realloc(positions, 12 * ((size_t)p->vertex_count + 1));
    if (!positions) abort();
    tenon_pose_skin(pose, at, part, positions, NULL);
    double most = 0;
    uint64_t wrong_uvs = 0;
    bool is_reversed = direct_mirrors(d, node);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t vertex = mesh->part_count ? direct_index(&mesh->parts[part], i) : i;
        uint64_t corner = is_reversed && i % 3 ? i - i % 3 + 3 - i % 3 : i;
        uint32_t number = p->indices ? p->indices[corner] : (uint32_t)corner;
        double truly[3];
        float uv[4];
        direct_vertex(d, node, mesh, vertex, truly);
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(truly[k] - (double)positions[3 * (size_t)number + (size_t)k]));
        if (direct_numbers(mesh, vertex, 8, uv))
            wrong_uvs += p->uvs[0][2 * (size_t)number] != uv[0] ||
                         p->uvs[0][2 * (size_t)number + 1] != 1 - uv[1];
    }
    CHECK(wrong_uvs == 0);
    return most;
}

// The largest distance of any corner, as a share of the diagonal of the box at rest.
static inline double direct_compare(direct *d, const tenon_scene *scene, tenon_pose *pose,
                                    uint32_t clip, double seconds)
{
    double min[3], max[3], square = 0, most = 0;
    tenon_pose_set(pose, TENON_NONE, 0);
    if (!tenon_pose_bounds(pose, min, max)) return 0;
    for (int k = 0; k < 3; k++) square += (max[k] - min[k]) * (max[k] - min[k]);
    tenon_pose_set(pose, clip, seconds);
    direct_pose(d, scene, clip, seconds);
    for (uint32_t i = 0; i < d->count; i++) {
        const tenon_gpb_mesh *mesh = direct_mesh(d, d->nodes[i]);
        direct_set_palette(d, i);
        for (uint32_t part = 0; mesh && part < (mesh->part_count ? mesh->part_count : 1); part++)
            most = fmax(most, direct_compare_part(d, pose, scene, i, part));
    }
    return most / sqrt(square);
}

#endif  // TENON_TESTS_GPB_DIRECT_H
