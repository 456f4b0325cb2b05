// scene_finish.c: give nodes, skins, cameras and lights the properties that scene.h promises.
// SPDX-License-Identifier: MIT

#include "scene/model/scene_finish.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "scene/edit/scene_recover.h"
#include "scene/surface/mirrored.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void tn_tally_report(const tn_scene_builder *builder, const tn_tally *tally, tenon_loss_kind kind,
                     const char *feature, const char *why)
{
    const char *path = tally->path[0] ? tally->path : NULL;
    tn_scene_report(builder, kind, feature, tally->count, path, why);
}

// -- Numbers

uint64_t tn_make_finite(float *values, uint64_t count)
{
    uint64_t wrong = 0;
    if (tn_all_finite(values, count)) return 0;
    for (uint64_t i = 0; i < count; i++) {
        // For infinity and NaN the difference is NaN, which is not equal to 0.
        bool is_finite = values[i] - values[i] == 0;
        wrong += !is_finite;
        values[i] = is_finite ? values[i] : 0;
    }
    return wrong;
}

uint64_t tn_make_all_finite(double *values, uint32_t count)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] - values[i] == 0) continue;
        values[i] = 0;
        wrong++;
    }
    return wrong;
}

// -- Nodes

static uint32_t scene_finish_in_range(uint32_t index, uint32_t count)
{
    return index < count ? index : TENON_NONE;
}

static void scene_finish_nodes(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    tn_tally not_finite = {0};
    for (uint32_t i = 0; i < scene->node_count; i++) {
        tenon_node *n = &scene->nodes[i];
        uint64_t wrong = tn_make_all_finite(n->matrix, 16) + tn_make_all_finite(n->translation, 3) +
                         tn_make_all_finite(n->rotation, 4) + tn_make_all_finite(n->scale, 3);
        tn_tally_at(&not_finite, wrong, "nodes", i);
        tn_quat q = {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]};
        q = tn_quat_normalise(q);
        memcpy(n->rotation, &q, sizeof n->rotation);
        n->matrix[3] = n->matrix[7] = n->matrix[11] = 0;
        n->matrix[15] = 1;
        n->parent = scene_finish_in_range(n->parent, i);
        n->mesh = scene_finish_in_range(n->mesh, scene->mesh_count);
        n->skin = scene_finish_in_range(n->skin, scene->skin_count);
        n->camera = scene_finish_in_range(n->camera, scene->camera_count);
        n->light = scene_finish_in_range(n->light, scene->light_count);
        uint32_t morph_count = n->mesh == TENON_NONE ? 0 : scene->meshes[n->mesh].morph_count;
        if (!morph_count) n->morph_weights = NULL;
        if (n->morph_weights)
            tn_tally_at(&not_finite, tn_make_all_finite(n->morph_weights, morph_count), "nodes", i);
    }
    tn_tally_report(builder, &not_finite, TENON_APPROXIMATED, "transforms of nodes",
                    "numbers that were not finite became 0");
}

// -- Skins

void tn_finish_skins(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    tn_tally not_finite = {0}, twice = {0};
    uint32_t known = scene->node_count;
    uint32_t *last_skin = tn_scene_array(builder, known, sizeof *last_skin);
    for (uint32_t i = 0; !builder->failed && i < scene->skin_count; i++) {
        tenon_skin *skin = &scene->skins[i];
        skin->root = scene_finish_in_range(skin->root, known);
        tn_tally_at(&not_finite,
                    tn_make_finite(skin->inverse_binds, 16 * (uint64_t)skin->joint_count), "skins",
                    i);
        for (uint32_t k = 0; !builder->failed && k < skin->joint_count; k++) {
            float *bind = skin->inverse_binds + 16 * (size_t)k;
            bind[3] = bind[7] = bind[11] = 0;
            bind[15] = 1;
            // A node can be a joint of a skin only once. The second time, a new node replaces it.
            uint32_t node = scene->skins[i].joints[k];
            if (node < known && last_skin[node] != i + 1) {
                last_skin[node] = i + 1;
                continue;
            }
            tn_tally_in(&twice, 1, "skins", i, "joints", k);
            bool exists = node < scene->node_count;
            tenon_str name = exists ? scene->nodes[node].name : (tenon_str){"joint", 5};
            uint32_t added = tn_add_node(builder, name, exists ? node : TENON_NONE);
            if (builder->failed) break;
            scene->nodes[added].is_joint = true;
            scene->skins[i].joints[k] = added;
        }
    }
    tn_tally_report(builder, &not_finite, TENON_APPROXIMATED, "inverse bind matrices",
                    "numbers that were not finite became 0");
    tn_tally_report(
        builder, &twice, TENON_SYNTHESIZED, "joints",
        "a skin names a node twice, or one that does not exist: replaced by a new node");
}

// -- Cameras and lights

static double scene_finish_clamp_counted(double value, double low, double high, tn_tally *clamped,
                                         const char *list, uint32_t index)
{
    if (value >= low && value <= high) return value;
    tn_tally_at(clamped, 1, list, index);
    return value > high ? high : low;
}

static void scene_finish_cameras(tn_scene_builder *builder)
{
    tn_tally clamped = {0};
    const double least = 1e-6, most = 1e30;
    for (uint32_t i = 0; i < builder->scene->camera_count; i++) {
        tenon_camera *c = &builder->scene->cameras[i];
        c->field_of_view = scene_finish_clamp_counted(c->field_of_view, least, TN_PI - least,
                                                      &clamped, "cameras", i);
        c->aspect_ratio =
            scene_finish_clamp_counted(c->aspect_ratio, 0, most, &clamped, "cameras", i);
        c->half_width =
            scene_finish_clamp_counted(c->half_width, least, most, &clamped, "cameras", i);
        c->half_height =
            scene_finish_clamp_counted(c->half_height, least, most, &clamped, "cameras", i);
        c->near_plane = scene_finish_clamp_counted(c->near_plane, c->is_orthographic ? 0 : least,
                                                   most, &clamped, "cameras", i);
        // Better no far plane than one in front of the near plane.
        if (c->far_plane > c->near_plane && c->far_plane <= most) continue;
        if (c->far_plane != 0) tn_tally_at(&clamped, 1, "cameras", i);
        c->far_plane = c->is_orthographic ? c->near_plane + most : 0;
    }
    tn_tally_report(builder, &clamped, TENON_APPROXIMATED, "cameras",
                    "numbers were out of range: clamped");
}

static void scene_finish_lights(tn_scene_builder *builder)
{
    tn_tally clamped = {0};
    for (uint32_t i = 0; i < builder->scene->light_count; i++) {
        tenon_light *l = &builder->scene->lights[i];
        for (int k = 0; k < 3; k++)
            l->color[k] = scene_finish_clamp_counted(l->color[k], 0, 1, &clamped, "lights", i);
        l->intensity = scene_finish_clamp_counted(l->intensity, 0, 1e30, &clamped, "lights", i);
        l->range = scene_finish_clamp_counted(l->range, 0, 1e30, &clamped, "lights", i);
        l->outer_angle =
            scene_finish_clamp_counted(l->outer_angle, 1e-6, TN_PI / 2, &clamped, "lights", i);
        l->inner_angle = scene_finish_clamp_counted(l->inner_angle, 0, l->outer_angle * (1 - 1e-6),
                                                    &clamped, "lights", i);
    }
    tn_tally_report(builder, &clamped, TENON_APPROXIMATED, "lights",
                    "numbers were out of range: clamped");
}

// -- Everything

bool tn_scene_finish(tn_scene_builder *builder)
{
    if (builder->failed) return false;
    builder->scene->name = tn_scene_text(builder, builder->scene->name);
    if (builder->opts->salvage) tn_scene_recover(builder);
    scene_finish_nodes(builder);
    tn_finish_meshes(builder);
    tn_finish_skins(builder);
    if (!builder->failed) tn_finish_weights(builder);
    if (!builder->failed) tn_finish_materials(builder);
    if (!builder->failed) tn_finish_animations(builder);
    scene_finish_cameras(builder);
    scene_finish_lights(builder);
    tn_finish_mirrored(builder);
    tn_scene_report(builder, TENON_APPROXIMATED, "names", builder->unclean_count, NULL,
                    "bytes that were not UTF-8 became '?'");
    return !builder->failed;
}
