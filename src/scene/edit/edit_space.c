// edit_space.c: change the scale, the up axis and the handedness of a scene.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"
#include "scene/model/space.h"
#include "scene/surface/surface.h"

#include <float.h>
#include <math.h>
#include <string.h>

// -- Transforms

static void edit_space_transform_vectors(const tn_similarity *by, float *values, uint64_t count,
                                         uint32_t stride, bool is_moved)
{
    tn_mat4 turn = tn_mat4_from_mat3(&by->linear, (tn_vec3){0, 0, 0});
    for (uint64_t i = 0; i < count; i++, values += stride) {
        tn_vec3 v = {(double)values[0], (double)values[1], (double)values[2]};
        v = tn_mat4_vector(&turn, v);
        if (is_moved) v = tn_vec3_add(v, by->translation);
        values[0] = tn_to_float(v.x), values[1] = tn_to_float(v.y), values[2] = tn_to_float(v.z);
    }
}

static void edit_space_transform_translations(const void *context, float *values, uint64_t count,
                                              uint32_t each)
{
    const tn_similarity *by = context;
    // Cubic keys are tangent, value, tangent; tangents are differences, so they are not moved.
    edit_space_transform_vectors(by, values, count, each, each == 3);
    if (each == 9) {
        edit_space_transform_vectors(by, values + 3, count, each, true);
        edit_space_transform_vectors(by, values + 6, count, each, false);
    }
}

static void edit_space_transform_rotations(const void *context, float *values, uint64_t count,
                                           uint32_t each)
{
    const tn_similarity *by = context;
    for (uint64_t i = 0; i < count * (each / 4); i++, values += 4) {
        tn_quat q = {(double)values[0], (double)values[1], (double)values[2], (double)values[3]};
        q = tn_quat_mul(by->rotation, q);
        values[0] = tn_to_float(q.x), values[1] = tn_to_float(q.y);
        values[2] = tn_to_float(q.z), values[3] = tn_to_float(q.w);
    }
}

static void edit_space_transform_scales(const void *context, float *values, uint64_t count,
                                        uint32_t each)
{
    const tn_similarity *by = context;
    for (uint64_t i = 0; i < count * each; i++)
        values[i] = tn_to_float((double)values[i] * by->scale);
}

void tn_transform_node(tenon_node *n, const tn_similarity *by)
{
    tn_mat4 m = tn_mat4_from_mat3(&by->linear, by->translation);
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

void tn_transform_channels(tn_editor *editor, const tn_similarity *const *by)
{
    static tn_change_stream_fn *const changes[] = {edit_space_transform_translations,
                                                   edit_space_transform_rotations,
                                                   edit_space_transform_scales};
    tenon_scene *scene = editor->scene;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++) {
            tenon_channel *c = &scene->animations[i].channels[k];
            if (!by[c->node] || c->target == TENON_WEIGHTS) continue;
            float *values = tn_changed_copy(editor, changes[c->target], by[c->node], c->values,
                                            c->key_count, tn_key_size(c));
            if (values) c->values = values;
        }
}

// -- Scale and up axis

static void edit_space_scale_lengths(const void *context, float *values, uint64_t count,
                                     uint32_t each)
{
    const double *scale = context;
    for (uint64_t i = 0; i < count * each; i++) values[i] = tn_to_float((double)values[i] * *scale);
}

static void edit_space_scale_binds(const void *context, float *values, uint64_t count,
                                   uint32_t each)
{
    for (uint64_t i = 0; i < count; i++)
        edit_space_scale_lengths(context, values + i * each + 12, 3, 1);
}

static bool edit_space_are_below(const float *values, uint64_t count, double most)
{
    for (uint64_t i = 0; i < count; i++)
        if (!(fabs((double)values[i]) <= most)) return false;
    return true;
}

// Whether every scaled length fits into a float.
static bool edit_space_can_scale(const tenon_scene *scene, double scale)
{
    const double most = (double)FLT_MAX / scale;
    bool fits = true;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count && fits; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            uint64_t count = 3 * (uint64_t)p->vertex_count;
            fits = !p->positions || edit_space_are_below(p->positions, count, most);
            for (uint32_t m = 0; m < p->morph_count && fits; m++)
                fits = !p->morphs[m].positions ||
                       edit_space_are_below(p->morphs[m].positions, count, most);
        }
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0;
             scene->skins[i].inverse_binds && k < scene->skins[i].joint_count && fits; k++)
            fits =
                edit_space_are_below(scene->skins[i].inverse_binds + 16 * (size_t)k + 12, 3, most);
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count && fits; k++) {
            const tenon_channel *c = &scene->animations[i].channels[k];
            fits = c->target != TENON_TRANSLATION ||
                   edit_space_are_below(c->values, (uint64_t)c->key_count * tn_key_size(c), most);
        }
    return fits;
}

// Scale every length. The alternative, a scale of the roots, cannot be stored in all formats.
static void edit_space_scale_lengths_of(tn_editor *editor, double scale)
{
    tenon_scene *scene = editor->scene;
    tn_stream_changes lengths = {.editor = editor,
                                 .fn = edit_space_scale_lengths,
                                 .context = &scale},
                      binds = {.editor = editor, .fn = edit_space_scale_binds, .context = &scale};
    for (uint32_t i = 0; i < scene->node_count; i++)
        for (int k = 0; k < 3; k++) {
            scene->nodes[i].translation[k] *= scale;
            scene->nodes[i].matrix[12 + k] *= scale;
        }
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            tenon_primitive *p = &scene->meshes[i].primitives[k];
            tn_change_stream(&lengths, &p->positions, p->vertex_count, 3);
            for (uint32_t m = 0; m < p->morph_count; m++)
                tn_change_stream(&lengths, &p->morphs[m].positions, p->vertex_count, 3);
        }
    for (uint32_t i = 0; i < scene->skin_count; i++)
        tn_change_stream(&binds, &scene->skins[i].inverse_binds, scene->skins[i].joint_count, 16);
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++) {
            tenon_channel *c = &scene->animations[i].channels[k];
            if (c->target == TENON_TRANSLATION)
                tn_change_stream(&lengths, &c->values, c->key_count, tn_key_size(c));
        }
}

// -- Handedness

static void edit_space_mirror_vectors(const void *context, float *values, uint64_t count,
                                      uint32_t each)
{
    (void)context;
    tn_mirror_floats(values, count * (each / 3), 3);
}

static void edit_space_mirror_tangents(const void *context, float *values, uint64_t count,
                                       uint32_t each)
{
    (void)context;
    tn_mirror_floats(values, count, each);
}

static void edit_space_mirror_rotations(const void *context, float *values, uint64_t count,
                                        uint32_t each)
{
    (void)context;
    for (uint64_t i = 0; i < count * (each / 4); i++, values += 4)
        values[0] = 0 - values[0], values[1] = 0 - values[1];
}

static void edit_space_mirror_matrices(const void *context, float *values, uint64_t count,
                                       uint32_t each)
{
    (void)context;
    for (uint64_t i = 0; i < count; i++, values += each) {
        tn_mat4 m = tn_mat4_from_columns(values);
        m = tn_mirror_mat4(&m);
        tn_mat4_to_columns(&m, values);
    }
}

static const tn_quat half_turn_about_y = {0, 1, 0, 0};

static void edit_space_turn_views(const void *context, float *values, uint64_t count, uint32_t each)
{
    (void)context;
    for (uint64_t i = 0; i < count * (each / 4); i++, values += 4) {
        tn_quat q = {(double)values[0], (double)values[1], (double)values[2], (double)values[3]};
        q = tn_quat_mul(q, half_turn_about_y);
        values[0] = tn_to_float(q.x), values[1] = tn_to_float(q.y);
        values[2] = tn_to_float(q.z), values[3] = tn_to_float(q.w);
    }
}

static void edit_space_mirror_node(tenon_node *n)
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

// Cameras and lights look along -Z of their nodes, in a mirrored scene as well, so their nodes have
// to be turned. Returns for each node whether it was.
static bool *edit_space_turn_view_nodes(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    uint32_t count = scene->node_count;
    bool *is_parent = tn_parent_nodes(editor), *is_joint = tn_skeleton_nodes(editor);
    bool *is_turned = tn_edit_scratch(editor, count, sizeof *is_turned);
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        tenon_node *n = &scene->nodes[i];
        bool shines = n->light != TENON_NONE && scene->lights[n->light].kind != TENON_POINT_LIGHT;
        if (n->camera == TENON_NONE && !shines) continue;
        is_turned[i] = !is_parent[i] && !is_joint[i] && n->mesh == TENON_NONE;
        if (!is_turned[i]) {
            // Something else of the node must not turn: give the view a separate node.
            uint32_t added = tn_append_node(editor, n->name, i);
            if (added == TENON_NONE) return NULL;
            tenon_node *owner = &scene->nodes[i], *view = &scene->nodes[added];
            view->camera = owner->camera, view->light = owner->light;
            memcpy(view->rotation, &half_turn_about_y, sizeof view->rotation);
            owner->camera = owner->light = TENON_NONE;
            continue;
        }
        // The scale stays: half a turn maps each axis to itself.
        tn_quat q = {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]};
        q = tn_quat_mul(q, half_turn_about_y);
        memcpy(n->rotation, &q, sizeof n->rotation);
        for (int k = 0; k < 3; k++) {
            n->matrix[k] = 0 - n->matrix[k];
            n->matrix[8 + k] = 0 - n->matrix[8 + k];
        }
    }
    return is_turned;
}

static void edit_space_mirror_scene(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    tn_stream_changes vectors = {.editor = editor, .fn = edit_space_mirror_vectors};
    tn_stream_changes tangents = {.editor = editor, .fn = edit_space_mirror_tangents};
    tn_stream_changes rotations = {.editor = editor, .fn = edit_space_mirror_rotations};
    tn_stream_changes matrices = {.editor = editor, .fn = edit_space_mirror_matrices};
    tn_stream_changes views = {.editor = editor, .fn = edit_space_turn_views};
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            tenon_primitive *p = &scene->meshes[i].primitives[k];
            tn_change_stream(&vectors, &p->positions, p->vertex_count, 3);
            tn_change_stream(&vectors, &p->normals, p->vertex_count, 3);
            tn_change_stream(&tangents, &p->tangents, p->vertex_count, 4);
            for (uint32_t m = 0; m < p->morph_count; m++) {
                tn_change_stream(&vectors, &p->morphs[m].positions, p->vertex_count, 3);
                tn_change_stream(&vectors, &p->morphs[m].normals, p->vertex_count, 3);
                tn_change_stream(&vectors, &p->morphs[m].tangents, p->vertex_count, 3);
            }
        }
    tn_edit_windings(editor);
    for (uint32_t i = 0; i < scene->skin_count; i++)
        tn_change_stream(&matrices, &scene->skins[i].inverse_binds, scene->skins[i].joint_count,
                         16);
    for (uint32_t i = 0; i < scene->node_count; i++) edit_space_mirror_node(&scene->nodes[i]);
    bool *is_turned = editor->failed ? NULL : edit_space_turn_view_nodes(editor);
    for (uint32_t i = 0; i < scene->animation_count && !editor->failed; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++) {
            tenon_channel *c = &scene->animations[i].channels[k];
            if (c->target == TENON_TRANSLATION)
                tn_change_stream(&vectors, &c->values, c->key_count, tn_key_size(c));
            if (c->target != TENON_ROTATION) continue;
            tn_change_stream(&rotations, &c->values, c->key_count, tn_key_size(c));
            if (is_turned[c->node])
                tn_change_stream(&views, &c->values, c->key_count, tn_key_size(c));
        }
}

// -- The step

// Apply a transform to all roots, which moves everything: skinned meshes by their joints.
static void edit_space_transform_roots(tn_editor *editor, double scale, int turns)
{
    tenon_scene *scene = editor->scene;
    const tn_similarity **roots = tn_edit_scratch(editor, scene->node_count, sizeof *roots);
    if (!roots) return;
    // About x, counter-clockwise, as remainders of 4.
    static const double cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
    const double half = sqrt(0.5);
    const tn_quat rotations[] = {
        {0, 0, 0, 1}, {half, 0, 0, half}, {1, 0, 0, 0}, {-half, 0, 0, half}};
    double y = scale * cosines[turns], z = scale * sines[turns];
    const tn_similarity by = {
        .linear = {{scale, 0, 0, 0, y, z, 0, -z, y}}, .rotation = rotations[turns], .scale = scale};
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (scene->nodes[i].parent != TENON_NONE) continue;
        tn_transform_node(&scene->nodes[i], &by);
        roots[i] = &by;
    }
    tn_transform_channels(editor, roots);
}

void tn_edit_space(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    const tenon_edit_space_opts *opts = editor->space;
    double scale = opts->scale == 0 ? 1 : opts->scale;
    int turns = opts->turns & 3;
    if (!(scale > 0 && scale < HUGE_VAL)) {
        tn_edit_fail(editor, TENON_ERR_VALUE, "a scale has to be a number above 0");
        return;
    }
    // The lengths of cameras and lights do not depend on nodes.
    for (uint32_t i = 0; i < scene->camera_count; i++) {
        tenon_camera *c = &scene->cameras[i];
        c->near_plane *= scale, c->far_plane *= scale;
        c->half_width *= scale, c->half_height *= scale;
    }
    for (uint32_t i = 0; i < scene->light_count; i++) scene->lights[i].range *= scale;
    // Lengths that would not fit into floats stay; the roots, which have doubles, get the scale.
    if (scale != 1 && edit_space_can_scale(scene, scale)) {
        edit_space_scale_lengths_of(editor, scale);
        scale = 1;
    }
    if ((scale != 1 || turns != 0) && !editor->failed)
        edit_space_transform_roots(editor, scale, turns);
    if (opts->mirror && !editor->failed) edit_space_mirror_scene(editor);
}
