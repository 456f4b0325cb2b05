// modeldata_export_motion.c: analyzes which nodes clips move, and how they scale them.
// SPDX-License-Identifier: MIT
//
// In the engine a joint with keys has scale 1. So the scale that a node has in the clips that move
// it is applied to the children and vertices of the joint. In the format's document joints have
// scale keys as well, and this is not necessary.

#include "formats/modeldata/export/modeldata_export.h"

#include <math.h>
#include <string.h>

#define SCALE_TOLERANCE 1e-6  // Relative difference below which scales are equal.
#define REST_TOLERANCE  0x1p-22

// -- Channels

static bool modeldata_export_motion_is_near(const double *a, const double *b, uint32_t size)
{
    double largest = 0, apart = 0;
    for (uint32_t k = 0; k < size; k++) {
        if (fabs(b[k]) > largest) largest = fabs(b[k]);
        if (fabs(a[k] - b[k]) > apart) apart = fabs(a[k] - b[k]);
    }
    return apart <= REST_TOLERANCE * largest;
}

static uint32_t modeldata_export_motion_value_size(const tenon_channel *c)
{
    return c->target == TENON_ROTATION ? 4 : 3;
}

// Whether a channel is constant. `value` is set to its first key.
static bool modeldata_export_motion_is_constant(const tenon_channel *c, double value[4])
{
    bool is_cubic = c->curve == TENON_CUBIC;
    uint32_t size = modeldata_export_motion_value_size(c), stride = is_cubic ? 3 * size : size;
    for (uint32_t i = 0; i < c->key_count; i++) {
        const float *key = c->values + (size_t)i * stride;
        for (uint32_t k = 0; k < size && is_cubic && c->key_count > 1; k++)
            if (key[k] != 0 || key[2 * size + k] != 0) return false;  // Tangents.
        double at[4] = {0};
        for (uint32_t k = 0; k < size; k++) at[k] = (double)key[is_cubic ? size + k : k];
        if (i == 0) memcpy(value, at, sizeof at);
        if (!modeldata_export_motion_is_near(at, value, size)) return false;
    }
    return true;
}

static bool modeldata_export_motion_keeps_rest_pose(const tenon_node *node, const tenon_channel *c)
{
    const double *rests[] = {node->translation, node->rotation, node->scale};
    double value[4];
    return modeldata_export_motion_is_constant(c, value) &&
           modeldata_export_motion_is_near(value, rests[c->target],
                                           modeldata_export_motion_value_size(c));
}

// -- Scales

static void modeldata_export_motion_extend_range(modeldata_node_plan *plan, const double scale[3])
{
    for (int k = 0; k < 3; k++) {
        if (!plan->has_range || scale[k] < plan->least[k]) plan->least[k] = scale[k];
        if (!plan->has_range || scale[k] > plan->most[k]) plan->most[k] = scale[k];
    }
    plan->has_range = true;
}

// In a clip without positions and rotations for the node, its joint keeps the rest pose, and so the
// rest scale. The range ignores values of cubic curves between keys.
static void modeldata_export_motion_note_scale(modeldata_exporter *exporter, uint32_t clip,
                                               const tenon_channel *c)
{
    modeldata_node_plan *plan = &exporter->node_plans[c->node];
    if (plan->clip != clip + 1) {
        if (!modeldata_export_motion_keeps_rest_pose(&exporter->scene->nodes[c->node], c))
            plan->scale_varies = true;
        return;
    }
    plan->scaled_count++;
    uint32_t stride = c->curve == TENON_CUBIC ? 9 : 3, at = c->curve == TENON_CUBIC ? 3 : 0;
    for (uint32_t i = 0; i < c->key_count; i++) {
        const float *key = c->values + (size_t)i * stride + at;
        modeldata_export_motion_extend_range(
            plan, (const double[3]){(double)key[0], (double)key[1], (double)key[2]});
    }
    double value[4];
    if (!modeldata_export_motion_is_constant(c, value)) plan->scale_varies = true;
}

// Choose the scale of a node in clips that move it. If it changes, use the rest scale, or the
// middle of the range if the rest scale is outside.
static void modeldata_export_motion_choose_scale(modeldata_node_plan *plan, const double rest[3])
{
    double middle[3];
    bool is_in_range = true, is_usable = true;
    if (plan->scaled_count < plan->clip_count || !plan->has_range)
        modeldata_export_motion_extend_range(plan, rest);
    for (int k = 0; k < 3; k++) {
        double slack = SCALE_TOLERANCE * fabs(plan->most[k]);
        is_in_range =
            is_in_range && rest[k] >= plan->least[k] - slack && rest[k] <= plan->most[k] + slack;
        middle[k] = plan->least[k] + (plan->most[k] - plan->least[k]) / 2;
        is_usable = is_usable && middle[k] != 0;
        if (!(plan->most[k] - plan->least[k] <= slack)) plan->scale_varies = true;
    }
    bool uses_rest = is_in_range || !is_usable;
    if (uses_rest && !is_in_range) plan->scale_varies = true;
    const double *scale = uses_rest ? rest : middle;
    plan->scale = (tn_vec3){scale[0], scale[1], scale[2]};
}

bool modeldata_export_plan_nodes(modeldata_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->node_plans =
        tn_export_alloc(&exporter->export, scene->node_count, sizeof *exporter->node_plans);
    if (!exporter->node_plans) return false;
    for (uint32_t a = 0; a < scene->animation_count; a++) {
        const tenon_animation *clip = &scene->animations[a];
        for (uint32_t i = 0; i < clip->channel_count; i++) {
            const tenon_channel *c = &clip->channels[i];
            modeldata_node_plan *plan = &exporter->node_plans[c->node];
            plan->has_channels = true;
            if (c->target == TENON_SCALE && !exporter->is_document) continue;
            plan->has_keys = true;
            if (!modeldata_export_motion_keeps_rest_pose(&scene->nodes[c->node], c))
                plan->moves = true;
            if (plan->clip != a + 1) plan->clip_count++;
            plan->clip = a + 1;
        }
        for (uint32_t i = 0; i < clip->channel_count && !exporter->is_document; i++)
            if (clip->channels[i].target == TENON_SCALE)
                modeldata_export_motion_note_scale(exporter, a, &clip->channels[i]);
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (exporter->is_document)
            exporter->node_plans[i].scale = (tn_vec3){1, 1, 1};
        else
            modeldata_export_motion_choose_scale(&exporter->node_plans[i], scene->nodes[i].scale);
    }
    return true;
}
