// truth_help.h: samples/truth.json, and a scene as a list of triangles to compare with it.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_TRUTH_HELP_H
#define TENON_TESTS_TRUTH_HELP_H

#include "../formats/model_help.h"
#include "core/json/json_tree.h"

#include <tenon/scene.h>

#include <math.h>
#include <stdarg.h>

#define PARTS_MOST 64
#define POSES_MOST 32

// -- The truth

typedef struct part {
    char name[64], joint[64];  // "" for the joint: it is skinned.
    uint32_t first, count;     // Triangles.
} part;

typedef struct moment {
    char clip[64];  // "": at rest.
    double seconds;
    double *corners;  // 9 for each triangle.
} moment;

typedef struct truth {
    uint32_t part_count, moment_count, triangle_count;
    part parts[PARTS_MOST];
    moment moments[POSES_MOST];  // The first one is at rest.
    double diagonal;
} truth;

static inline void copy_text(const tn_json_value *node, char *out, size_t size)
{
    bool is_text = tn_json_tree_kind_of(node) == TN_TREE_STRING && node->size < size;
    (void)snprintf(out, size, "%.*s", is_text ? (int)node->size : 0, is_text ? node->text : "");
}

static inline void take_parts(truth *t, const tn_json_value *parts)
{
    for (uint32_t i = 0; i < tn_json_tree_count(parts) && i < PARTS_MOST; i++) {
        const tn_json_value *from = tn_json_tree_at(parts, i);
        part *to = &t->parts[t->part_count++];
        copy_text(tn_json_tree_get(from, "name"), to->name, sizeof to->name);
        copy_text(tn_json_tree_get(from, "joint"), to->joint, sizeof to->joint);
        to->first = tn_json_tree_u32(tn_json_tree_get(from, "first_triangle"), 0);
        to->count = tn_json_tree_u32(tn_json_tree_get(from, "triangle_count"), 0);
        t->triangle_count = to->first + to->count;
    }
}

static inline bool take_moments(truth *t, const tn_json_value *poses)
{
    for (uint32_t i = 0; i < tn_json_tree_count(poses) && i < POSES_MOST; i++) {
        const tn_json_value *from = tn_json_tree_at(poses, i);
        moment *to = &t->moments[t->moment_count++];
        copy_text(tn_json_tree_get(from, "clip"), to->clip, sizeof to->clip);
        to->seconds = tn_json_tree_f64(tn_json_tree_get(from, "time"), -1);
        to->corners = malloc(9 * sizeof(double) * t->triangle_count);
        if (!to->corners) abort();
        if (!tn_json_tree_f64s(tn_json_tree_get(from, "positions"), to->corners,
                               9 * t->triangle_count))
            return false;
    }
    return t->moment_count > 1 && !t->moments[0].clip[0];
}

static inline double diagonal_of(const double *points, uint32_t count)
{
    double square = 0;
    for (uint32_t k = 0; k < 3; k++) {
        double low = points[k], high = points[k];
        for (uint32_t i = 0; i < count; i++) {
            low = fmin(low, points[3 * i + k]);
            high = fmax(high, points[3 * i + k]);
        }
        square += (high - low) * (high - low);
    }
    return sqrt(square);
}

static inline bool load_truth(truth *t)
{
    blob file = blob_load("samples/truth.json");
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, UINT64_MAX);
    tn_json_tree tree;
    tenon_error err;
    *t = (truth){0};
    bool ok = tn_json_tree_parse(&tree, (const char *)file.data, file.size, &arena, &err);
    if (ok) take_parts(t, tn_json_tree_get(tree.root, "parts"));
    ok = ok && take_moments(t, tn_json_tree_get(tree.root, "poses"));
    if (ok) t->diagonal = diagonal_of(t->moments[0].corners, 3 * t->triangle_count);
    tn_arena_free(&arena);
    blob_free(&file);
    return ok;
}

static inline void free_truth(truth *t)
{
    for (uint32_t i = 0; i < t->moment_count; i++) free(t->moments[i].corners);
}

// -- A model

typedef struct triangle {
    uint32_t node, primitive;
    uint32_t v[3];  // Of the primitive.
} triangle;

typedef struct crane {
    const char *file;
    tenon_scene *scene;
    tenon_pose *pose;
    uint32_t count;
    triangle *triangles;
    float *corners, *normals;  // 9 each, as posed last.
} crane;

static inline const tenon_primitive *primitive_of(const crane *c, const triangle *t)
{
    return &c->scene->meshes[c->scene->nodes[t->node].mesh].primitives[t->primitive];
}

static inline void add_triangle(crane *c, uint32_t node, uint32_t primitive, const uint32_t v[3])
{
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) return;
    c->triangles = realloc(c->triangles, (c->count + 1) * sizeof *c->triangles);
    if (!c->triangles) abort();
    c->triangles[c->count++] = (triangle){node, primitive, {v[0], v[1], v[2]}};
}

static inline void add_primitive(crane *c, uint32_t node, uint32_t primitive)
{
    const tenon_primitive *p = &c->scene->meshes[c->scene->nodes[node].mesh].primitives[primitive];
    uint32_t count = p->indices ? p->index_count : p->vertex_count;
    uint32_t step = p->mode == TENON_TRIANGLES ? 3 : 1;
    if (p->mode < TENON_TRIANGLES) return;
    for (uint32_t i = 0; i + 2 < count; i += step) {
        uint32_t v[3] = {p->mode == TENON_TRIANGLE_FAN ? 0 : i, i + 1, i + 2};
        if (p->mode == TENON_TRIANGLE_STRIP && i % 2 == 1) v[1] = i + 2, v[2] = i + 1;
        for (int k = 0; k < 3 && p->indices; k++) v[k] = p->indices[v[k]];
        add_triangle(c, node, primitive, v);
    }
}

static inline void gather_triangles(crane *c)
{
    for (uint32_t n = 0; n < c->scene->node_count; n++) {
        uint32_t mesh = c->scene->nodes[n].mesh;
        for (uint32_t p = 0; mesh != TENON_NONE && p < c->scene->meshes[mesh].primitive_count; p++)
            add_primitive(c, n, p);
    }
    c->corners = calloc(c->count + 1, 9 * sizeof(float));
    c->normals = calloc(c->count + 1, 9 * sizeof(float));
    if (!c->corners || !c->normals) abort();
}

// Put the corners of all triangles where they are at a time.
static inline void pose_crane(crane *c, uint32_t clip, double seconds)
{
    tenon_pose_set(c->pose, clip, seconds);
    for (uint32_t i = 0, end; i < c->count; i = end) {
        const triangle *t = &c->triangles[i];
        size_t size = (size_t)primitive_of(c, t)->vertex_count * 3 * sizeof(float);
        float *positions = malloc(size), *normals = malloc(size);
        if (!positions || !normals) abort();
        tenon_pose_skin(c->pose, t->node, t->primitive, positions, normals);
        for (end = i; end < c->count && c->triangles[end].node == t->node &&
                      c->triangles[end].primitive == t->primitive;
             end++)
            for (uint32_t k = 0; k < 9; k++) {
                size_t from = 3 * (size_t)c->triangles[end].v[k / 3] + k % 3;
                c->corners[9 * (size_t)end + k] = positions[from];
                c->normals[9 * (size_t)end + k] = normals[from];
            }
        free(positions);
        free(normals);
    }
}

static inline uint32_t clip_named(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->animation_count; i++)
        if (strcmp(scene->animations[i].name.data, name) == 0) return i;
    return TENON_NONE;
}

static inline void complain(const char *file, const char *fmt, ...) TN_PRINTF(2, 3);
static inline void complain(const char *file, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "%s: ", file);
    vfprintf(stderr, fmt, args);
    fprintf(stderr, "\n");
    va_end(args);
    test_failures++;
}

#endif  // TENON_TESTS_TRUTH_HELP_H
