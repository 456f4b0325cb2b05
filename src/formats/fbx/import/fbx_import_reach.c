// fbx_import_reach.c: how large the model is, and how far each node reaches: what errors of angles
// are measured by.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import_clips.h"

#include "core/math/bounds.h"

#include <math.h>

// The diagonal of everything at rest.
double fbx_import_size(fbx_importer *importer, const tn_mat4 *rests)
{
    const tenon_scene *scene = importer->builder->scene;
    tn_bounds bounds = tn_bounds_empty();
    for (uint32_t i = 0; i < importer->model_count; i++) {
        const double *m = rests[importer->models[i].node].m;
        const float origin[3] = {tn_to_float(m[12]), tn_to_float(m[13]), tn_to_float(m[14])};
        tn_bounds_add_f32(&bounds, origin);
    }
    for (uint32_t i = 0; i < importer->show_count; i++) {
        const fbx_show *show = &importer->shows[i];
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[show->node].mesh];
        for (uint32_t k = 0; k < mesh->primitive_count; k++) {
            const tenon_primitive *p = &mesh->primitives[k];
            for (uint32_t v = 0; v < p->vertex_count; v += 1 + p->vertex_count / 4096) {
                const float *at = p->positions + 3 * (size_t)v;
                tn_vec3 point = {(double)at[0], (double)at[1], (double)at[2]};
                point = tn_mat4_point(&rests[show->rest], point);
                const float placed[3] = {tn_to_float(point.x), tn_to_float(point.y),
                                         tn_to_float(point.z)};
                tn_bounds_add_f32(&bounds, placed);
            }
        }
    }
    if (tn_bounds_is_empty(&bounds)) return 1;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double side = bounds.max[k] - bounds.min[k];
        square += side * side;
    }
    return square > 0 && square < HUGE_VAL ? sqrt(square) : 1;
}

// The node of which another one is a copy; copies have rising numbers.
static uint32_t fbx_import_reach_source(const fbx_importer *importer, uint32_t copy)
{
    uint32_t low = 0, high = importer->copy_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (importer->copies[middle].copy < copy)
            low = middle + 1;
        else
            high = middle;
    }
    return importer->copies[low].node;
}

// How far the vertices of a mesh are from what moves them: the node, or the joints of its skin.
static void fbx_import_reach_mesh(fbx_importer *importer, const tn_mat4 *rests,
                                  const fbx_show *show, double *reaches)
{
    const tenon_scene *scene = importer->builder->scene;
    const tenon_node *node = &scene->nodes[show->node];
    const tenon_mesh *mesh = &scene->meshes[node->mesh];
    const tenon_skin *skin = node->skin == TENON_NONE ? NULL : &scene->skins[node->skin];
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const tenon_primitive *p = &mesh->primitives[i];
        uint32_t each = skin ? p->influence_count : 0;
        for (uint32_t v = 0; v < p->vertex_count && tn_goes_on(&importer->builder->pulse, 1); v++) {
            const float *at = p->positions + 3 * (size_t)v;
            const tn_vec3 point = {(double)at[0], (double)at[1], (double)at[2]};
            if (!each) {
                tn_vec3 arm = tn_mat4_vector(&rests[show->rest], point);
                reaches[show->rest] = fmax(reaches[show->rest], tn_vec3_length(arm));
            }
            for (uint32_t k = 0; k < each; k++) {
                size_t influence = (size_t)v * each + k;
                uint32_t index = p->joints[influence];
                if (p->weights[influence] <= 0 || index >= skin->joint_count) continue;
                uint32_t joint = skin->joints[index];
                if (joint >= importer->rest_count) joint = fbx_import_reach_source(importer, joint);
                tn_mat4 bind = tn_mat4_from_columns(skin->inverse_binds + 16 * (size_t)index);
                tn_vec3 arm = tn_mat4_vector(&rests[joint], tn_mat4_point(&bind, point));
                reaches[joint] = fmax(reaches[joint], tn_vec3_length(arm));
            }
        }
    }
}

// How far from each node something is that it moves. NULL if the import failed.
double *fbx_import_reaches(fbx_importer *importer, const tn_mat4 *rests)
{
    const tenon_scene *scene = importer->builder->scene;
    double *reaches = fbx_import_alloc(importer, importer->rest_count, sizeof *reaches);
    if (!reaches) return NULL;
    for (uint32_t i = 0; i < importer->show_count; i++)
        fbx_import_reach_mesh(importer, rests, &importer->shows[i], reaches);
    for (uint32_t i = importer->rest_count; i-- > 0;) {
        uint32_t parent = scene->nodes[i].parent;
        if (parent == TENON_NONE) continue;
        const double *a = rests[i].m + 12, *b = rests[parent].m + 12;
        const tn_vec3 arm = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        reaches[parent] = fmax(reaches[parent], tn_vec3_length(arm) + reaches[i]);
    }
    return reaches;
}
