// edit_space.c: another scale, another way up, the other hand.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"
#include "scene/model/space.h"
#include "scene/surface/surface.h"

#include <float.h>
#include <math.h>
#include <string.h>

// -- Places

static void place_vectors(const tn_placing *by, float *values, uint64_t count, uint32_t stride,
                          bool is_moved)
{
    tn_mat4 turn = tn_mat4_from_mat3(&by->turn, (tn_vec3){0, 0, 0});
    for (uint64_t i = 0; i < count; i++, values += stride) {
        tn_vec3 v = {(double)values[0], (double)values[1], (double)values[2]};
        v = tn_mat4_vector(&turn, v);
        if (is_moved) v = tn_vec3_add(v, by->move);
        values[0] = tn_to_float(v.x), values[1] = tn_to_float(v.y), values[2] = tn_to_float(v.z);
    }
}

static void place_translations(const void *context, float *values, uint64_t count, uint32_t each)
{
    const tn_placing *by = context;
    // Of cubic keys only the values in the middle are places; tangents are differences.
    place_vectors(by, values, count, each, each == 3);
    if (each == 9) {
        place_vectors(by, values + 3, count, each, true);
        place_vectors(by, values + 6, count, each, false);
    }
}

static void place_rotations(const void *context, float *values, uint64_t count, uint32_t each)
{
    const tn_placing *by = context;
    for (uint64_t i = 0; i < count * (each / 4); i++, values += 4) {
        tn_quat q = {(double)values[0], (double)values[1], (double)values[2], (double)values[3]};
        q = tn_quat_mul(by->rotation, q);
        values[0] = tn_to_float(q.x), values[1] = tn_to_float(q.y);
        values[2] = tn_to_float(q.z), values[3] = tn_to_float(q.w);
    }
}

static void place_scales(const void *context, float *values, uint64_t count, uint32_t each)
{
    const tn_placing *by = context;
    for (uint64_t i = 0; i < count * each; i++)
        values[i] = tn_to_float((double)values[i] * by->scale);
}

void tn_place_before(tenon_node *n, const tn_placing *by)
{
    tn_mat4 m = tn_mat4_from_mat3(&by->turn, by->move);
    if (n->has_matrix) {
        tn_mat4 local;
        memcpy(local.m, n->matrix, sizeof local.m);
        local = tn_mat4_mul(&m, &local);
        memcpy(n->matrix, local.m, sizeof local.m);
        return;
    }
    tn_vec3 t = {n->translation[0], n->translation[1], n->translation[2]};
    tn_quat q = {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]};
    t = tn_mat4_point(&m, t);
    q = tn_quat_normalise(tn_quat_mul(by->rotation, q));
    memcpy(n->translation, &t, sizeof n->translation);
    memcpy(n->rotation, &q, sizeof n->rotation);
    for (int k = 0; k < 3; k++) n->scale[k] *= by->scale;
}

void tn_place_channels(tn_editor *r, const tn_placing *const *by)
{
    static tn_change_stream_fn *const changes[] = {place_translations, place_rotations,
                                                   place_scales};
    tenon_scene *s = r->scene;
    for (uint32_t i = 0; i < s->animation_count; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++) {
            tenon_channel *c = &s->animations[i].channels[k];
            if (!by[c->node]) continue;
            float *values = tn_changed_copy(r, changes[c->target], by[c->node], c->values,
                                            c->key_count, tn_key_size(c));
            if (values) c->values = values;
        }
}

// Put one transform before all roots, which moves all: skinned meshes by their joints.
static void place_roots(tn_editor *r, const tn_placing *by)
{
    tenon_scene *s = r->scene;
    const tn_placing **roots = tn_edit_room(r, s->node_count, sizeof *roots);
    if (!roots) return;
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].parent != TENON_NONE) continue;
        tn_place_before(&s->nodes[i], by);
        roots[i] = by;
    }
    tn_place_channels(r, roots);
}

// -- Scale and the way up

// What is not moved by nodes: lengths of cameras and lights.
static void scale_views(tenon_scene *s, double scale)
{
    for (uint32_t i = 0; i < s->camera_count; i++) {
        tenon_camera *c = &s->cameras[i];
        c->near_plane *= scale, c->far_plane *= scale;
        c->half_width *= scale, c->half_height *= scale;
    }
    for (uint32_t i = 0; i < s->light_count; i++) s->lights[i].range *= scale;
}

static void scale_lengths(const void *context, float *values, uint64_t count, uint32_t each)
{
    const double *scale = context;
    for (uint64_t i = 0; i < count * each; i++) values[i] = tn_to_float((double)values[i] * *scale);
}

static void scale_binds(const void *context, float *values, uint64_t count, uint32_t each)
{
    for (uint64_t i = 0; i < count; i++) scale_lengths(context, values + i * each + 12, 3, 1);
}

static bool are_below(const float *values, uint64_t count, double most)
{
    for (uint64_t i = 0; i < count; i++)
        if (!(fabs((double)values[i]) <= most)) return false;
    return true;
}

// Whether every length is still a float when it is so much larger.
static bool can_scale(const tenon_scene *s, double scale)
{
    const double most = (double)FLT_MAX / scale;
    bool fits = true;
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count && fits; k++) {
            const tenon_primitive *p = &s->meshes[i].primitives[k];
            fits = !p->positions || are_below(p->positions, 3 * (uint64_t)p->vertex_count, most);
        }
    for (uint32_t i = 0; i < s->skin_count; i++)
        for (uint32_t k = 0; s->skins[i].inverse_binds && k < s->skins[i].joint_count && fits; k++)
            fits = are_below(s->skins[i].inverse_binds + 16 * (size_t)k + 12, 3, most);
    for (uint32_t i = 0; i < s->animation_count; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count && fits; k++) {
            const tenon_channel *c = &s->animations[i].channels[k];
            fits = c->target != TENON_TRANSLATION ||
                   are_below(c->values, (uint64_t)c->key_count * tn_key_size(c), most);
        }
    return fits;
}

// Every length becomes another one: no node gets a scale, which not all formats can hold.
static void scale_all(tn_editor *r, double scale)
{
    tenon_scene *s = r->scene;
    tn_stream_changes lengths = {.r = r, .fn = scale_lengths, .context = &scale},
                      binds = {.r = r, .fn = scale_binds, .context = &scale};
    for (uint32_t i = 0; i < s->node_count; i++)
        for (int k = 0; k < 3; k++) {
            s->nodes[i].translation[k] *= scale;
            s->nodes[i].matrix[12 + k] *= scale;
        }
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++) {
            tenon_primitive *p = &s->meshes[i].primitives[k];
            tn_change_stream(&lengths, &p->positions, p->vertex_count, 3);
        }
    for (uint32_t i = 0; i < s->skin_count; i++)
        tn_change_stream(&binds, &s->skins[i].inverse_binds, s->skins[i].joint_count, 16);
    for (uint32_t i = 0; i < s->animation_count; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++) {
            tenon_channel *c = &s->animations[i].channels[k];
            if (c->target == TENON_TRANSLATION)
                tn_change_stream(&lengths, &c->values, c->key_count, tn_key_size(c));
        }
}

// About x, counter-clockwise.
static tn_placing make_placing(double scale, int quarter_turns)
{
    const double half = sqrt(0.5), s = scale, t = quarter_turns;
    tn_placing out = {.rotation = {0, 0, 0, 1}, .scale = scale};
    if (quarter_turns) out.rotation = (tn_quat){t * half, 0, 0, half};
    double y = quarter_turns ? 0 : s;
    out.turn = (tn_mat3){{s, 0, 0, 0, y, t * s, 0, -t * s, y}};
    return out;
}

// -- The other hand

static void mirror_stream(const void *context, float *values, uint64_t count, uint32_t each)
{
    (void)context;
    tn_mirror_floats(values, count, each);
}

// x and y of quaternions change their signs.
static void mirror_turns(const void *context, float *values, uint64_t count, uint32_t each)
{
    (void)context;
    for (uint64_t i = 0; i < count * (each / 4); i++, values += 4)
        values[0] = 0 - values[0], values[1] = 0 - values[1];
}

static void mirror_vectors(const void *context, float *values, uint64_t count, uint32_t each)
{
    (void)context;
    tn_mirror_floats(values, count * (each / 3), 3);
}

static void mirror_matrices(const void *context, float *values, uint64_t count, uint32_t each)
{
    (void)context;
    for (uint64_t i = 0; i < count; i++, values += each) {
        tn_mat4 m = tn_mat4_from_columns(values);
        m = tn_mirror_mat4(&m);
        tn_mat4_to_columns(&m, values);
    }
}

static void mirror_meshes(tn_editor *r)
{
    tn_stream_changes streams = {.r = r, .fn = mirror_stream};
    for (uint32_t i = 0; i < r->scene->mesh_count; i++)
        for (uint32_t k = 0; k < r->scene->meshes[i].primitive_count; k++) {
            tenon_primitive *p = &r->scene->meshes[i].primitives[k];
            tn_change_stream(&streams, &p->positions, p->vertex_count, 3);
            tn_change_stream(&streams, &p->normals, p->vertex_count, 3);
            tn_change_stream(&streams, &p->tangents, p->vertex_count, 4);
        }
    tn_edit_windings(r);
}

static void mirror_motion(tn_editor *r)
{
    tn_stream_changes turns = {.r = r, .fn = mirror_turns},
                      vectors = {.r = r, .fn = mirror_vectors};
    tn_stream_changes binds = {.r = r, .fn = mirror_matrices};
    tenon_scene *s = r->scene;
    for (uint32_t i = 0; i < s->animation_count; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++) {
            tenon_channel *c = &s->animations[i].channels[k];
            if (c->target == TENON_ROTATION)
                tn_change_stream(&turns, &c->values, c->key_count, tn_key_size(c));
            else if (c->target == TENON_TRANSLATION)
                tn_change_stream(&vectors, &c->values, c->key_count, tn_key_size(c));
        }
    for (uint32_t i = 0; i < s->skin_count; i++)
        tn_change_stream(&binds, &s->skins[i].inverse_binds, s->skins[i].joint_count, 16);
}

static void mirror_node(tenon_node *n)
{
    tn_quat q = {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]};
    q = tn_mirror_quat(q);
    memcpy(n->rotation, &q, sizeof n->rotation);
    n->translation[2] = 0 - n->translation[2];
    if (!n->has_matrix) return;
    tn_mat4 m;
    memcpy(m.m, n->matrix, sizeof m.m);
    m = tn_mirror_mat4(&m);
    memcpy(n->matrix, m.m, sizeof m.m);
}

// -- Views in the mirror
//
// Cameras and lights look along -Z of their nodes, in the mirror as well: they have to be turned.

static const tn_quat about_face = {0, 1, 0, 0};

static bool has_view(const tenon_scene *s, const tenon_node *n)
{
    bool shines = n->light != TENON_NONE && s->lights[n->light].kind != TENON_POINT_LIGHT;
    return n->camera != TENON_NONE || shines;
}

static void turn_keys(const void *context, float *values, uint64_t count, uint32_t each)
{
    (void)context;
    for (uint64_t i = 0; i < count * (each / 4); i++, values += 4) {
        tn_quat q = {(double)values[0], (double)values[1], (double)values[2], (double)values[3]};
        q = tn_quat_mul(q, about_face);
        values[0] = tn_to_float(q.x), values[1] = tn_to_float(q.y);
        values[2] = tn_to_float(q.z), values[3] = tn_to_float(q.w);
    }
}

// A scale along the axes does not mind being half a turn away.
static void turn_node(tenon_node *n)
{
    tn_quat q = {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]};
    q = tn_quat_mul(q, about_face);
    memcpy(n->rotation, &q, sizeof n->rotation);
    for (int k = 0; k < 3; k++) {
        n->matrix[k] = 0 - n->matrix[k];
        n->matrix[8 + k] = 0 - n->matrix[8 + k];
    }
}

// What a node has besides its view must not turn with it: then the view gets a node of its own.
static void split_view(tn_editor *r, uint32_t node)
{
    tenon_scene *s = r->scene;
    uint32_t made = tn_append_node(r, s->nodes[node].name, node);
    if (made == TENON_NONE) return;
    tenon_node *n = &s->nodes[node], *view = &s->nodes[made];
    view->camera = n->camera, view->light = n->light;
    memcpy(view->rotation, &about_face, sizeof view->rotation);
    n->camera = n->light = TENON_NONE;
}

static void turn_views(tn_editor *r)
{
    tenon_scene *s = r->scene;
    uint32_t count = s->node_count;
    bool *is_parent = tn_parent_nodes(r), *is_joint = tn_skeleton_nodes(r);
    bool *turns = tn_edit_room(r, count, sizeof *turns);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        if (!has_view(s, &s->nodes[i])) continue;
        turns[i] = !is_parent[i] && !is_joint[i] && s->nodes[i].mesh == TENON_NONE;
        if (turns[i])
            turn_node(&s->nodes[i]);
        else
            split_view(r, i);
    }
    tn_stream_changes keys = {.r = r, .fn = turn_keys};
    for (uint32_t i = 0; i < s->animation_count && !r->failed; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++) {
            tenon_channel *c = &s->animations[i].channels[k];
            if (c->target == TENON_ROTATION && turns[c->node])
                tn_change_stream(&keys, &c->values, c->key_count, tn_key_size(c));
        }
}

static void mirror_all(tn_editor *r)
{
    mirror_meshes(r);
    mirror_motion(r);
    for (uint32_t i = 0; i < r->scene->node_count; i++) mirror_node(&r->scene->nodes[i]);
    if (!r->failed) turn_views(r);
}

// -- The step

void tn_edit_space(tn_editor *r, double scale, int quarter_turns, bool is_mirrored)
{
    if (scale == 0) scale = 1;
    if (!(scale > 0 && scale < HUGE_VAL)) {
        tn_edit_fail(r, TENON_ERR_VALUE, "a scale has to be a number above 0");
        return;
    }
    if (scale != 1) scale_views(r->scene, scale);
    // Vertices at the end of what floats can hold stay as they are: roots have double numbers.
    if (scale != 1 && can_scale(r->scene, scale)) {
        scale_all(r, scale);
        scale = 1;
    }
    if ((scale != 1 || quarter_turns != 0) && !r->failed) {
        tn_placing by = make_placing(scale, quarter_turns);
        place_roots(r, &by);
    }
    if (is_mirrored && !r->failed) mirror_all(r);
}
