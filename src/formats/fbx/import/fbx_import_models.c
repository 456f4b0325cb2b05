// fbx_import_models.c: the hierarchy of models, their transforms, and nodes for them.
// SPDX-License-Identifier: MIT
//
// The local transform of a model is
//
//     T * Roff * Rp * Rpre * R * Rpost^-1 * Rp^-1 * Soff * Sp * S * Sp^-1
//
// which is a scale, a rotation and a translation, whatever the pivots are. How scales are inherited
// depends on the inherit type. With U for the local transform without its scale, and s for that
// scale:
//
//     type         frame without scale         scale of the frame
//     1 (RSrs)     parent's frame * U          s
//     0 (RrSs)     parent's unscaled * U'      s * scale of the parent
//     2 (Rrs)      parent's unscaled * U'      s * scale that the parent inherits by type 0
//
// In U', the translation is multiplied by the parent's scale. So every frame is a chain of scene
// nodes without shear: a model that is scaled, and has children that need its frame without scale,
// becomes two nodes, of which the second only scales.

#include "formats/fbx/import/fbx_import_models.h"
#include "formats/fbx/import/fbx_import_curves.h"
#include "formats/fbx/import/fbx_import_old.h"

#include "scene/model/space.h"

#include <math.h>
#include <string.h>

// -- Properties

enum { DEGREES_MOST = 1000000000 };

#define SAME_SHARE 1e-6  // Of numbers that are stored as doubles and as floats.

const char *const fbx_import_pivots[FBX_PIVOT_COUNT] = {
    "RotationOffset", "RotationPivot", "ScalingOffset",
    "ScalingPivot",   "PreRotation",   "PostRotation",
};

bool fbx_import_is_pivot(tenon_str property)
{
    for (int i = 0; i < FBX_PIVOT_COUNT; i++)
        if (tn_text_is(property, fbx_import_pivots[i])) return true;
    return false;
}

static tn_quat fbx_import_models_axis_turn(int axis, double degrees)
{
    if (!(fabs(degrees) < DEGREES_MOST)) return tn_quat_identity();
    double half = tn_radians(degrees) / 2;
    double parts[3] = {0, 0, 0};
    parts[axis] = tn_sin(half);
    return (tn_quat){parts[0], parts[1], parts[2], tn_cos(half)};
}

tn_quat fbx_import_euler(const double degrees[3], uint32_t order)
{
    // The first axis of the name of an order turns first.
    static const uint8_t axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0},
                                       {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};
    const uint8_t *turns = axes[order < 6 ? order : 0];
    tn_quat q = tn_quat_identity();
    for (int i = 0; i < 3; i++) {
        if (degrees[turns[i]] == 0) continue;
        q = tn_quat_mul(fbx_import_models_axis_turn(turns[i], degrees[turns[i]]), q);
    }
    return q;
}

static void fbx_import_models_read(fbx_importer *importer, fbx_model *model)
{
    const fbx_object *object = &importer->objects[model->object];
    double before[3] = {0, 0, 0}, after[3] = {0, 0, 0}, place[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
    double size[3] = {1, 1, 1};
    for (int k = 0; k < 3; k++) model->scale[k] = 1;
    if (importer->is_old && !object->properties) fbx_import_old_rest(object, model);
    (void)fbx_import_property_vec3(object, "Lcl Translation", model->translation);
    (void)fbx_import_property_vec3(object, "Lcl Rotation", model->rotation);
    (void)fbx_import_property_vec3(object, "Lcl Scaling", model->scale);
    (void)fbx_import_property_vec3(object, "RotationOffset", model->rotation_offset);
    (void)fbx_import_property_vec3(object, "RotationPivot", model->rotation_pivot);
    (void)fbx_import_property_vec3(object, "ScalingOffset", model->scale_offset);
    (void)fbx_import_property_vec3(object, "ScalingPivot", model->scale_pivot);
    (void)fbx_import_property_vec3(object, "PreRotation", before);
    (void)fbx_import_property_vec3(object, "PostRotation", after);
    (void)fbx_import_property_vec3(object, "GeometricTranslation", place);
    (void)fbx_import_property_vec3(object, "GeometricRotation", turn);
    (void)fbx_import_property_vec3(object, "GeometricScaling", size);
    model->before = model->after = model->aim = tn_quat_identity();
    model->turns = fbx_import_property_number(object, "RotationActive", 1) != 0 &&
                   fbx_import_property_number(object, "RotationSpaceForLimitOnly", 0) == 0;
    if (model->turns) {
        double order = fbx_import_property_number(object, "RotationOrder", 0);
        model->order = order >= 0 && order < 7 ? (uint32_t)order : 0;
        model->before = fbx_import_euler(before, 0);
        model->after = tn_quat_conjugate(fbx_import_euler(after, 0));
        if (model->order == 6) fbx_import_count(importer, FBX_UNREAD_SPHERIC, 1, model->object);
    }
    double type = fbx_import_property_number(object, "InheritType", 1);
    model->inheritance = type == 0 ? 0 : type == 2 ? 2 : 1;
    model->is_hidden = fbx_import_property_number(object, "Visibility", 1) <= 0 ||
                       fbx_import_property_number(object, "Show", 1) == 0;
    fbx_links parents = fbx_import_parents(importer, model->object);
    for (uint32_t i = 0; i < parents.count; i++) {
        const fbx_object *layer = &importer->objects[importer->links[parents.items[i]].parent];
        if (layer->kind == FBX_DISPLAY_LAYER && fbx_import_property_number(layer, "Show", 1) == 0)
            model->is_hidden = true;
    }
    tn_trs geometric = {
        {place[0] * importer->unit, place[1] * importer->unit, place[2] * importer->unit},
        fbx_import_euler(turn, 0),
        {size[0], size[1], size[2]}};
    model->geometric = tn_mat4_from_trs(&geometric);
}

// -- Hierarchy

// Of the links between models each has one parent, the first.
static bool fbx_import_models_find_parents(fbx_importer *importer, uint32_t *parents,
                                           const uint32_t *objects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = fbx_import_parent_of(importer, objects[i], FBX_MODEL);
        parents[i] = parent == TENON_NONE ? TENON_NONE : importer->objects[parent].index;
    }
    return true;
}

// Put the models in an order in which parents come before children, which keep the order of the
// file.
bool fbx_import_models(fbx_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = 0;
    uint32_t *objects = fbx_import_alloc(importer, importer->object_count, sizeof *objects);
    if (!objects) return false;
    for (uint32_t i = 0; i < importer->object_count; i++) {
        if (importer->objects[i].kind != FBX_MODEL) continue;
        importer->objects[i].index = count;
        objects[count++] = i;
    }
    uint32_t *parents = fbx_import_alloc(importer, count, sizeof *parents);
    uint32_t *order = fbx_import_alloc(importer, count, sizeof *order);
    bool *is_placed = fbx_import_alloc(importer, count, sizeof *is_placed);
    uint32_t *stack = fbx_import_alloc(importer, (uint64_t)count + 1, sizeof *stack);
    importer->models = fbx_import_alloc(importer, count, sizeof *importer->models);
    if (builder->failed) return false;
    (void)fbx_import_models_find_parents(importer, parents, objects, count);
    uint64_t cycles = tn_order_parents(builder, parents, count, order);
    fbx_import_count(importer, FBX_UNREAD_CYCLES, cycles, TENON_NONE);
    if (builder->failed) return false;
    // Depth first, from the roots: first those that the scene lists, then all others.
    uint32_t listed = importer->root_count, *place_of = order;
    for (uint32_t r = 0; r < listed + count; r++) {
        uint32_t root = r < listed ? importer->objects[importer->roots[r]].index : r - listed;
        if (root >= count || parents[root] != TENON_NONE || is_placed[root]) continue;
        uint32_t depth = 0;
        stack[depth++] = root;
        is_placed[root] = true;
        while (depth > 0) {
            uint32_t at = stack[--depth], index = importer->model_count++;
            fbx_model *model = &importer->models[index];
            *model = (fbx_model){.object = objects[at], .parent = TENON_NONE};
            if (parents[at] != TENON_NONE) model->parent = place_of[parents[at]];
            if (model->parent != TENON_NONE) importer->models[model->parent].has_children = true;
            place_of[at] = index;
            fbx_links children = fbx_import_children(importer, objects[at]);
            // The last one is pushed first.
            for (uint32_t k = children.count; k-- > 0;) {
                const fbx_link *link = &importer->links[children.items[k]];
                const fbx_object *child = &importer->objects[link->child];
                if (child->kind != FBX_MODEL || link->property.size) continue;
                if (parents[child->index] != at || is_placed[child->index]) continue;
                is_placed[child->index] = true;
                stack[depth++] = child->index;
            }
        }
    }
    for (uint32_t i = 0; i < importer->model_count; i++) {
        importer->objects[importer->models[i].object].index = i;
        fbx_model *model = &importer->models[i];
        fbx_import_models_read(importer, model);
        model->donor = TENON_NONE;
        if (model->parent == TENON_NONE) continue;
        if (model->inheritance == 0) model->donor = model->parent;
        if (model->inheritance == 2) model->donor = importer->models[model->parent].donor;
    }
    return true;
}

// -- Frames

// Whether a model has its place in the frame without scale of its parent.
bool fbx_import_is_unscaled(const fbx_importer *importer, uint32_t index)
{
    const fbx_model *model = &importer->models[index];
    return model->parent != TENON_NONE && model->inheritance != 1;
}

void fbx_import_place(const fbx_model *model, const double translation[3], tn_quat rotation,
                      const double scale[3], tn_trs *out)
{
    const double *pivot = model->rotation_pivot, *center = model->scale_pivot;
    double arm[3], place[3];
    for (int k = 0; k < 3; k++)
        arm[k] = center[k] + model->scale_offset[k] - pivot[k] - scale[k] * center[k];
    tn_vec3 turned = tn_quat_rotate(rotation, (tn_vec3){arm[0], arm[1], arm[2]});
    const double turned_arm[3] = {turned.x, turned.y, turned.z};
    for (int k = 0; k < 3; k++)
        place[k] = translation[k] + model->rotation_offset[k] + pivot[k] + turned_arm[k];
    out->translation = (tn_vec3){place[0], place[1], place[2]};
    out->rotation = rotation;
    out->scale = (tn_vec3){scale[0], scale[1], scale[2]};
}

tn_quat fbx_import_rotation(const fbx_model *model, const double degrees[3])
{
    tn_quat turn = fbx_import_euler(degrees, model->order);
    return tn_quat_normalise(tn_quat_mul(tn_quat_mul(model->before, turn), model->after));
}

void fbx_import_to_scene(const fbx_importer *importer, const fbx_model *model, tn_trs *local)
{
    tn_vec3 place = tn_vec3_scale(local->translation, importer->unit);
    if (importer->is_mirrored) {
        place = tn_mirror_vec3(place);
        local->rotation = tn_mirror_quat(local->rotation);
    }
    if (model->parent == TENON_NONE) {
        place = tn_quat_rotate(importer->turn, place);
        local->rotation = tn_quat_mul(importer->turn, local->rotation);
    }
    local->translation = place;
}

// -- Nodes

// Whether a track changes what a model has at rest. Exporters may write curves for every node.
static bool fbx_import_models_moves(const fbx_model *model, const fbx_track *track)
{
    const double *rest = NULL;
    if (tn_text_is(track->property, "Lcl Translation")) rest = model->translation;
    if (tn_text_is(track->property, "Lcl Rotation")) rest = model->rotation;
    if (tn_text_is(track->property, "Lcl Scaling")) rest = model->scale;
    for (int k = 0; k < 3; k++) {
        const fbx_curve *curve = &track->curves[k];
        double value = curve->key_count ? (double)curve->keys[0].value : track->values[k];
        bool is_same = rest && fabs(value - rest[k]) <= SAME_SHARE * fmax(1, fabs(rest[k]));
        if (!is_same || fbx_import_curve_moves(curve)) return true;
    }
    return track->layer > 0;
}

// Which models are scaled at some time, with what they inherit.
static void fbx_import_models_find_scaled(fbx_importer *importer)
{
    for (uint32_t i = 0; i < importer->model_count; i++) {
        const double *s = importer->models[i].scale;
        if (s[0] != 1 || s[1] != 1 || s[2] != 1) importer->models[i].is_scaled = true;
    }
    for (uint32_t c = 0; c < importer->clip_count; c++)
        for (uint32_t t = 0; t < importer->clips[c].track_count; t++) {
            const fbx_track *track = &importer->clips[c].tracks[t];
            const fbx_object *object = &importer->objects[track->object];
            if (object->kind != FBX_MODEL || track->property.size < 4 ||
                (memcmp(track->property.data, "Lcl ", 4) != 0 &&
                 !fbx_import_is_pivot(track->property)))
                continue;
            if (fbx_import_models_moves(&importer->models[object->index], track))
                importer->models[object->index].has_curves = true;
            if (tn_text_is(track->property, "Lcl Scaling"))
                importer->models[object->index].is_scaled = true;
        }
    for (uint32_t i = 0; i < importer->model_count; i++) {
        uint32_t donor = importer->models[i].donor, parent = importer->models[i].parent;
        if (donor != TENON_NONE && importer->models[donor].is_scaled)
            importer->models[i].is_scaled = true;
        importer->models[i].moves = importer->models[i].has_curves ||
                                    (parent != TENON_NONE && importer->models[parent].moves);
        if (fbx_import_is_unscaled(importer, i))
            importer->models[importer->models[i].parent].feeds_unscaled = true;
    }
}

// The local transform at rest of the model's first node, and the scale of the frame.
static void fbx_import_models_rest(const fbx_importer *importer, uint32_t index,
                                   const tn_vec3 *scales, tn_trs *local)
{
    const fbx_model *model = &importer->models[index];
    fbx_import_place(model, model->translation, fbx_import_rotation(model, model->rotation),
                     model->scale, local);
    uint32_t donor = model->donor;
    if (donor != TENON_NONE) {
        local->scale.x *= scales[donor].x;
        local->scale.y *= scales[donor].y;
        local->scale.z *= scales[donor].z;
    }
    if (fbx_import_is_unscaled(importer, index)) {
        local->translation.x *= scales[model->parent].x;
        local->translation.y *= scales[model->parent].y;
        local->translation.z *= scales[model->parent].z;
    }
    fbx_import_to_scene(importer, model, local);
}

bool fbx_import_nodes(fbx_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    tn_vec3 *scales = fbx_import_alloc(importer, importer->model_count, sizeof *scales);
    if (!scales) return false;
    fbx_import_models_find_scaled(importer);
    for (uint32_t i = 0; i < importer->model_count && tn_goes_on(&builder->pulse, 16); i++) {
        fbx_model *model = &importer->models[i];
        const fbx_object *object = &importer->objects[model->object];
        uint32_t parent = TENON_NONE;
        if (model->parent != TENON_NONE)
            parent = model->inheritance == 1 ? importer->models[model->parent].scaled
                                             : importer->models[model->parent].node;
        tn_trs local, scaled = tn_trs_identity();
        fbx_import_models_rest(importer, i, scales, &local);
        scales[i] = local.scale;
        bool is_split = model->is_scaled && model->feeds_unscaled;
        if (is_split) {
            scaled.scale = local.scale;
            local.scale = (tn_vec3){1, 1, 1};
        }
        model->node = model->scaled = tn_add_node(builder, object->name, parent);
        if (is_split) model->scaled = tn_add_node(builder, object->name, model->node);
        if (builder->failed) return false;
        tn_set_trs(&builder->scene->nodes[model->node], &local);
        if (is_split) tn_set_trs(&builder->scene->nodes[model->scaled], &scaled);
        builder->scene->nodes[model->node].is_joint = tn_text_is(object->type, "LimbNode") ||
                                                      tn_text_is(object->type, "Limb") ||
                                                      tn_text_is(object->type, "Root");
        fbx_import_count(importer, FBX_UNREAD_HIDDEN, model->is_hidden, model->object);
    }
    if (builder->pulse.stopped)
        return tn_scene_fail(builder, TENON_ERR_CANCELLED, NULL, "cancelled");
    return true;
}

const tn_mat4 *fbx_import_rests(fbx_importer *importer)
{
    const tenon_scene *scene = importer->builder->scene;
    if (importer->rests) return importer->rests;
    tn_mat4 *rests = tn_scene_array(importer->builder, scene->node_count, sizeof *rests);
    for (uint32_t i = 0; rests && i < scene->node_count; i++) {
        const tenon_node *n = &scene->nodes[i];
        tn_trs parts = {{n->translation[0], n->translation[1], n->translation[2]},
                        {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]},
                        {n->scale[0], n->scale[1], n->scale[2]}};
        rests[i] = tn_mat4_from_trs(&parts);
        if (n->parent != TENON_NONE) rests[i] = tn_mat4_mul(&rests[n->parent], &rests[i]);
    }
    importer->rest_count = scene->node_count;
    return importer->rests = rests;
}
