// gpb_dialects_model.c: lights, skins and materials for another dialect.
// SPDX-License-Identifier: MIT

#include "core/math/math.h"
#include "core/text/text.h"
#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GPB_DEGREE 0.017453292519943295  // In radians.
#define GPB_FADED  100.0  // A light has faded where it has a hundredth of its brightness.
#define GPB_NEVER  1.0e6  // The range of a light that does not fade.

// A change of all models, with counts for the report.
typedef struct gpb_model_update {
    const tn_change *change;
    gpb_index index;
    uint32_t from;
    uint64_t lights, roots, synthesized, parameters, effects, bounds, xrefs, fillers;
} gpb_model_update;

// -- Lights

// Where constant + linear d + quadratic d² reaches GPB_FADED.
static double gpb_dialects_model_faded_distance(const float a[3])
{
    double constant = a[0], linear = a[1], quadratic = a[2];
    double remainder = GPB_FADED - constant;
    if (!(linear >= 0 && quadratic >= 0 && linear + quadratic > 0)) return GPB_NEVER;
    if (!(remainder > 0)) return 1;
    double distance = quadratic > 0 ? (sqrt(linear * linear + 4 * quadratic * remainder) - linear) /
                                          (2 * quadratic)
                                    : remainder / linear;
    return distance > 0 && distance < GPB_NEVER ? distance : GPB_NEVER;
}

// Early files store the cone as COLLADA does: the full angle in degrees.
static void gpb_dialects_model_change_light(gpb_model_update *update, tenon_gpb_light *light)
{
    if (light->light_type != 2 && light->light_type != 3) return;
    bool to_range = gpb_dialects_loses(update->from, update->change, TENON_GPB_LIGHT_ATTENUATION);
    if (!to_range && !gpb_dialects_gains(update->from, update->change, TENON_GPB_LIGHT_ATTENUATION))
        return;
    update->lights++;
    if (to_range) {
        light->range = tn_narrow(gpb_dialects_model_faded_distance(light->attenuation), NULL);
        light->outer_angle = tn_narrow(light->falloff_angle * GPB_DEGREE / 2, NULL);
        light->inner_angle =
            light->falloff_exponent > 0 ? light->outer_angle / 2 : light->outer_angle;
        return;
    }
    light->attenuation[0] = 1;
    light->attenuation[1] = 0;
    light->attenuation[2] =
        tn_narrow((GPB_FADED - 1) / ((double)light->range * light->range), NULL);
    light->falloff_angle = tn_narrow(light->outer_angle * 2 / GPB_DEGREE, NULL);
    light->falloff_exponent = light->inner_angle < light->outer_angle ? 1.0f : 0.0f;
}

// -- Skins

// The engine's rule: the topmost ancestor of the first joint, or itself, that is also a joint.
static tenon_str gpb_dialects_model_skin_root(const gpb_index *index, const tenon_gpb_skin *skin,
                                              uint8_t *marks)
{
    if (skin->joint_count == 0) return (tenon_str){"", 0};
    uint32_t first = gpb_index_find_node(index, gpb_index_xref_id(index->doc, skin->joints[0])),
             root = first;
    if (first == TENON_NONE) return gpb_index_xref_id(index->doc, skin->joints[0]);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        uint32_t joint = gpb_index_find_node(index, gpb_index_xref_id(index->doc, skin->joints[i]));
        if (joint != TENON_NONE) marks[joint] = 1;
    }
    for (uint32_t at = first; at != TENON_NONE; at = index->tree.nodes[at].parent)
        if (marks[at]) root = at;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        uint32_t joint = gpb_index_find_node(index, gpb_index_xref_id(index->doc, skin->joints[i]));
        if (joint != TENON_NONE) marks[joint] = 0;
    }
    return gpb_index_id_of(index->doc, index->tree.nodes[root].node->reference);
}

static void gpb_dialects_model_change_skin(gpb_model_update *update, tenon_gpb_model *model,
                                           uint8_t *marks)
{
    tenon_gpb_skin *skin = &model->skin;
    tenon_str root = gpb_dialects_model_skin_root(&update->index, skin, marks);
    if (gpb_dialects_gains(update->from, update->change, TENON_GPB_SKIN_ROOT))
        skin->root_joint = root;
    if (gpb_dialects_loses(update->from, update->change, TENON_GPB_SKIN_ROOT))
        update->roots += !tn_text_equal(root, skin->root_joint);
    if (!gpb_dialects_gains(update->from, update->change, TENON_GPB_DOCUMENT)) return;
    const tenon_gpb_mesh *mesh = gpb_index_find_mesh(&update->index, model->mesh);
    update->bounds++;
    if (mesh) skin->bounds = mesh->bounds;
}

// -- Materials

static bool gpb_dialects_model_change_materials(gpb_model_update *update, tenon_gpb_model *model)
{
    bool to_document = gpb_dialects_gains(update->from, update->change, TENON_GPB_DOCUMENT);
    if (!to_document && !gpb_dialects_loses(update->from, update->change, TENON_GPB_DOCUMENT))
        return true;
    for (uint32_t i = 0; i < model->material_count; i++) {
        tenon_gpb_material *material = &model->materials[i];
        if (to_document) {
            if (!material->effect.data) material->effect = (tenon_str){"", 0};
            continue;
        }
        update->parameters += material->parameter_count;
        update->effects += material->effect.size > 0;
        *material = (tenon_gpb_material){
            .entry = material->entry,
            .name = gpb_index_id_of(update->index.doc,
                                    material->entry ? material->entry - 1 : TENON_NONE),
            .effect = {"", 0}};
        if (material->name.size) continue;
        char name[32];
        int size = snprintf(name, sizeof name, "unnamed_%" PRIu64, update->synthesized++);
        char *copy = tn_arena_alloc_or_fail(update->change->arena, (uint64_t)size + 1, 1,
                                            "a material name", update->change->err);
        if (!copy) return false;
        memcpy(copy, name, (size_t)size + 1);
        material->name = (tenon_str){copy, (uint32_t)size};
    }
    return true;
}

// -- References by name

// The engine supports only "#id".
static bool gpb_dialects_model_change_xref(gpb_model_update *update, tenon_str *xref)
{
    const tenon_gpb *doc = update->index.doc;
    tenon_str id = gpb_index_xref_id(doc, *xref);
    if (!gpb_dialects_loses(update->from, update->change, TENON_GPB_DOCUMENT) || id.size == 0 ||
        xref->data[0] == '#')
        return true;
    if (gpb_index_xref_file(doc, *xref).size) {
        update->xrefs++;
        return true;
    }
    tenon_str made = gpb_index_make_xref(id, update->change->arena, update->change->err);
    if (made.size) *xref = made;
    return made.size > 0;
}

// -- Parts of nodes

static const tenon_gpb_camera gpb_filler_camera = {.reference = TENON_NONE,
                                                   .camera_type = 1,
                                                   .aspect_ratio = 1,
                                                   .near_plane = 1,
                                                   .far_plane = 1000,
                                                   .field_of_view = 45};

// If types start at 0, there is no number for "none", unless a flag says it.
static bool gpb_dialects_model_needs_all(uint32_t flags)
{
    return (flags & TENON_GPB_FROM_ZERO) && !(flags & (TENON_GPB_NOTHING | TENON_GPB_FLAGS));
}

// If every node must have all parts, an unnamed camera and a black light are added. They are
// removed in other dialects.
static void gpb_dialects_model_change_presence(gpb_model_update *update, tenon_gpb_node *node)
{
    uint32_t flags = update->change->to->flags;
    bool had_all = gpb_dialects_model_needs_all(update->from),
         needs_all = gpb_dialects_model_needs_all(flags);
    if (had_all && !needs_all) {
        const tenon_gpb_camera *camera = &node->camera, *filler = &gpb_filler_camera;
        const tenon_gpb_light *light = &node->light;
        bool is_filler =
            camera->reference == TENON_NONE && camera->camera_type == filler->camera_type &&
            camera->aspect_ratio == filler->aspect_ratio &&
            camera->near_plane == filler->near_plane && camera->far_plane == filler->far_plane &&
            camera->field_of_view == filler->field_of_view;
        bool is_black = light->reference == TENON_NONE && light->light_type == 1 &&
                        light->color[0] == 0 && light->color[1] == 0 && light->color[2] == 0;
        if (is_filler) node->camera = (tenon_gpb_camera){.reference = TENON_NONE};
        if (is_black) node->light = (tenon_gpb_light){.reference = TENON_NONE};
    }
    update->fillers += needs_all && node->camera.camera_type == 0;
    update->fillers += needs_all && node->light.light_type == 0;
    if (needs_all && node->camera.camera_type == 0) node->camera = gpb_filler_camera;
    if (needs_all && node->light.light_type == 0)
        node->light = (tenon_gpb_light){.reference = TENON_NONE, .light_type = 1};
    node->has_camera = node->camera.camera_type != 0;
    node->has_light = node->light.light_type != 0;
    node->has_model = gpb_has_model(update->from, &node->model);
}

// -- All models

bool gpb_change_models(tenon_gpb *doc, uint32_t from, const tn_change *change)
{
    gpb_model_update update = {.change = change, .from = from};
    uint8_t *marks = NULL;
    bool ok = gpb_index_make(&update.index, doc, change->arena, change->err);
    if (ok)
        marks = tn_arena_alloc_or_fail(change->arena, update.index.tree.count, 1, "marks of joints",
                                       change->err);
    if (!marks) return false;
    for (uint32_t i = 0; ok && i < update.index.tree.count; i++) {
        tenon_gpb_node *node = update.index.tree.nodes[i].node;
        gpb_dialects_model_change_light(&update, &node->light);
        gpb_dialects_model_change_presence(&update, node);
        if (!gpb_has_model(update.from, &node->model)) continue;
        if (node->model.has_skin) gpb_dialects_model_change_skin(&update, &node->model, marks);
        ok = gpb_dialects_model_change_materials(&update, &node->model) &&
             gpb_dialects_model_change_xref(&update, &node->model.mesh);
        for (uint32_t k = 0; ok && k < node->model.skin.joint_count; k++)
            ok = gpb_dialects_model_change_xref(&update, &node->model.skin.joints[k]);
    }
    for (uint32_t b = 0; ok && b < doc->block_count; b++)
        if (doc->blocks[b].kind == TENON_GPB_SCENE)
            ok = gpb_dialects_model_change_xref(&update, &doc->blocks[b].body.scene.active_camera);
    if (!ok) return false;
    tn_change_report(change, TENON_APPROXIMATED, "lights", update.lights,
                     "attenuation and range are converted: the range ends where the light has "
                     "faded to 1 percent");
    tn_change_report(
        change, TENON_DROPPED, "skin roots", update.roots,
        "the engine searches for the root node itself, and will find a different node");
    tn_change_report(
        change, TENON_MADE_UP, "material names", update.synthesized,
        "materials of the 'document' dialects have no name if they are not in the reference table");
    tn_change_report(change, TENON_DROPPED, "material parameters", update.parameters,
                     "a model stores only the names of materials");
    tn_change_report(change, TENON_DROPPED, "effects", update.effects,
                     "a model stores only the names of materials");
    tn_change_report(change, TENON_DEFAULTED, "skin bounds", update.bounds,
                     "replaced by the bounds of the mesh");
    tn_change_report(
        change, TENON_MADE_UP, "cameras and lights", update.fillers,
        "this dialect needs a camera and a light on every node: the added lights are black");
    tn_change_report(change, TENON_DROPPED, "references to other bundles", update.xrefs,
                     "the engine does not follow them, and loads the node without a model");
    return true;
}
