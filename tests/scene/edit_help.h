// edit_help.h: what tests of edit_scene() share: losses as text, and sums over a scene.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_EDIT_HELP_H
#define TENON_TESTS_EDIT_HELP_H

#include "../edits.h"
#include "core/math/math.h"
#include "gltf_export_help.h"
#include "hand_scene.h"
#include "scene/model/pieces.h"

// -- Losses as text

static char reported[2048];
static double told_error;

static inline void note_loss(void *user, const tenon_loss *loss)
{
    size_t n = strlen(reported);
    (void)user;
    snprintf(reported + n, sizeof reported - n, "%s %s %u at %s; ", tenon_loss_word(loss->kind),
             loss->feature, (unsigned)loss->count, loss->path ? loss->path : "-");
    told_error = loss->error;
}

// Reshape a scene, which must be valid before and after.
static inline bool reshape(tenon_scene *scene, edits opts, tenon_error *err)
{
    reported[0] = '\0';
    told_error = 0;
    opts.events.on_loss = note_loss;
    CHECK(tenon_scene_check(scene, err));
    if (err->code) fprintf(stderr, "before: %s: %s\n", err->path, err->message);
    bool ok = edit_scene(scene, &opts, err);
    if (ok) CHECK(tenon_scene_check(scene, err));
    return ok;
}

static inline void must_reshape(tenon_scene *scene, edits opts)
{
    tenon_error err;
    bool ok = reshape(scene, opts, &err);
    CHECK(ok);
    if (!ok) fprintf(stderr, "%s: %s\n", err.path, err.message);
}

// Whether it is refused, and why.
static inline const char *refusal(tenon_scene *scene, edits opts)
{
    static tenon_error err;
    if (reshape(scene, opts, &err)) return "";
    CHECK(err.code == TENON_ERR_VALUE);
    return err.message;
}

// -- Scenes

// A mesh of one triangle, three vertices, at a node.
static inline tenon_primitive *add_triangle(tn_scene_builder *b, uint32_t node, const char *name,
                                            uint32_t streams)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 2, 0};
    uint32_t mesh = tn_add_mesh(b, str(name), 1);
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    b->scene->nodes[node].mesh = mesh;
    tn_primitive_alloc(b, p, 3, 0, streams);
    memcpy(p->positions, corners, sizeof corners);
    for (uint32_t i = 0; i < 3; i++) {
        if (p->normals) p->normals[3 * i + 2] = 1;
        if (p->tangents) p->tangents[4 * i] = p->tangents[4 * i + 3] = 1;
        if (p->uvs[0]) p->uvs[0][2 * i] = p->positions[3 * i], p->uvs[0][2 * i + 1] = 1;
        if (p->weights) p->weights[4 * i] = 1;
    }
    if (p->uvs[0]) p->uvs[0][5] = 0;
    return p;
}

// A channel of the last clip, with room for its keys; times are 0, 1, 2 ...
static inline tenon_channel *add_channel(tn_scene_builder *b, uint32_t node, tenon_target target,
                                         tenon_curve curve, uint32_t key_count)
{
    tenon_animation *a = &b->scene->animations[b->scene->animation_count - 1];
    tenon_channel *c = &a->channels[a->channel_count++];
    *c = (tenon_channel){.node = node, .target = target, .curve = curve};
    tn_channel_alloc(b, c, key_count);
    for (uint32_t i = 0; i < key_count; i++) c->times[i] = (float)i;
    if (a->duration < key_count - 1) a->duration = key_count - 1;
    return c;
}

// A clip with room for a few channels.
static inline void add_clip(tn_scene_builder *b, const char *name)
{
    uint32_t index = tn_add_animation(b, str(name), 8);
    b->scene->animations[index].channel_count = 0;
}

static inline uint32_t find_node(const tenon_scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->node_count; i++)
        if (strlen(name) == s->nodes[i].name.size &&
            memcmp(s->nodes[i].name.data, name, strlen(name)) == 0)
            return i;
    return TENON_NONE;
}

// -- What a scene looks like

// Sums over the corners of all triangles, which do not depend on their order.
typedef struct look {
    double count, square;  // Corners, and the squares of their distances from the origin.
    double sum[3];         // Of their positions.
    double area[3];        // Of the vectors of areas, which point to the front.
} look_of_scene;

static inline bool turns_inside_out(const tenon_scene *s, const tenon_pose *pose, uint32_t node)
{
    uint32_t skin = s->nodes[node].skin, negative = 0;
    tn_mat4 m;
    memcpy(m.m, tenon_pose_global(pose, node), sizeof m.m);
    if (skin == TENON_NONE) return tn_mat4_determinant(&m) < 0;
    uint32_t count = s->skins[skin].joint_count;
    float *palette = calloc(count + 1u, 16 * sizeof *palette);
    tenon_pose_palette(pose, skin, palette);
    for (uint32_t i = 0; i < count; i++) {
        m = tn_mat4_from_columns(palette + 16 * (size_t)i);
        negative += tn_mat4_determinant(&m) < 0;
    }
    free(palette);
    return negative > count / 2;
}

static inline void look_at_face(look_of_scene *out, const float *points, const uint32_t v[3],
                                double side)
{
    tn_vec3 p[3];
    for (int k = 0; k < 3; k++) {
        const float *at = points + 3 * (size_t)v[k];
        p[k] = (tn_vec3){(double)at[0], (double)at[1], (double)at[2]};
        out->count++;
        out->square += tn_vec3_dot(p[k], p[k]);
        out->sum[0] += p[k].x, out->sum[1] += p[k].y, out->sum[2] += p[k].z;
    }
    tn_vec3 area = tn_vec3_cross(tn_vec3_sub(p[1], p[0]), tn_vec3_sub(p[2], p[0]));
    out->area[0] += side * area.x, out->area[1] += side * area.y, out->area[2] += side * area.z;
}

static inline look_of_scene look_at(const tenon_scene *s, uint32_t animation, double seconds)
{
    look_of_scene out = {0};
    tenon_pose *pose = tenon_pose_new(s, NULL, NULL);
    tenon_pose_set(pose, animation, seconds);
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t mesh = s->nodes[i].mesh;
        if (mesh == TENON_NONE) continue;
        double side = turns_inside_out(s, pose, i) ? -1 : 1;
        for (uint32_t k = 0; k < s->meshes[mesh].primitive_count; k++) {
            const tenon_primitive *p = &s->meshes[mesh].primitives[k];
            if (tn_piece_size(p->mode) != 3) continue;
            float *points = calloc(p->vertex_count + 1u, 3 * sizeof *points);
            tenon_pose_skin(pose, i, k, points, NULL);
            for (uint64_t n = 0; n < tn_piece_count(p); n++) {
                uint32_t v[3];
                tn_piece_at(p, n, v);
                // Strips lose their bridges when they become lists.
                bool is_bridge = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
                if (!is_bridge) look_at_face(&out, points, v, side);
            }
            free(points);
        }
    }
    tenon_pose_free(pose);
    return out;
}

// Whether two sums are the same up to the precision of floats.
static inline bool looks_like(const look_of_scene *a, const look_of_scene *b, double slack)
{
    double size = sqrt(a->square * a->count) + 1e-3, area = a->square + 1e-3;
    bool ok = a->count == b->count && hand_near(a->square, b->square, slack * area);
    for (int k = 0; k < 3; k++)
        ok = ok && hand_near(a->sum[k], b->sum[k], slack * size) &&
             hand_near(a->area[k], b->area[k], slack * area);
    if (!ok)
        fprintf(stderr, "%g %g (%g %g %g) (%g %g %g)\n%g %g (%g %g %g) (%g %g %g)\n", a->count,
                a->square, a->sum[0], a->sum[1], a->sum[2], a->area[0], a->area[1], a->area[2],
                b->count, b->square, b->sum[0], b->sum[1], b->sum[2], b->area[0], b->area[1],
                b->area[2]);
    return ok;
}

#endif  // TENON_TESTS_EDIT_HELP_H
