// gpb_import.c: imports a gameplay bundle and its property files.
// SPDX-License-Identifier: MIT
//
// A scene has the same axes, matrices and winding, but the engine does not flip front faces of
// mirrored nodes. Texture coordinates are flipped, times are in milliseconds, and skins and
// animations are organized differently.

#include "formats/gpb/import/gpb_import.h"

#include "formats/gpb/check/gpb_rules.h"

#include "core/files/file.h"
#include "core/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GPB_FADED 100.0  // A light ends where it has faded to 1/100.

// -- Paths

void gpb_import_tally_node(const gpb_importer *importer, tn_tally *tally, uint32_t node_index,
                           const char *fmt, ...)
{
    if (tally->count++) return;
    tn_path_text field;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(field.text, sizeof field.text, fmt, args);
    va_end(args);
    const gpb_checker checker = {.doc = importer->doc, .index = importer->index};
    tn_path_text path = gpb_check_node_path(&checker, node_index, field);
    memcpy(tally->path, path.text, sizeof tally->path);
}

// -- Sidecars

// If the file cannot be read, its contents are lost, but the model is imported.
tenon_gpb_properties *gpb_import_open_sidecar(gpb_importer *importer, const char *extension)
{
    tenon_error err;
    const tenon_read_opts opts = {.allocator = importer->builder->opts->allocator,
                                  .files = importer->files};
    if (importer->builder->failed || !importer->builder->opts->model_path) return NULL;
    tenon_gpb_properties *file =
        tenon_gpb_properties_beside(importer->builder->opts->model_path, extension, &opts, &err);
    if (tn_is_outage(&err))
        tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
    else if (err.code != TENON_OK)
        tn_scene_report(importer->builder, TENON_DROPPED, "property files", 1,
                        tn_path("line %" PRIu64 " of the .%s file", err.line, extension).text,
                        err.message);
    return file;
}

// -- Cameras and lights

static void gpb_import_camera(gpb_importer *importer, uint32_t node_index)
{
    const tenon_gpb_camera *from = &importer->index.tree.nodes[node_index].node->camera;
    if (from->camera_type == 0) return;
    if (from->camera_type > 2) {
        gpb_import_tally_node(importer, &importer->losses.cameras, node_index,
                              "camera.camera_type");
        return;
    }
    uint32_t index =
        tn_add_camera(importer->builder, gpb_index_id_of(importer->doc, from->reference));
    if (importer->builder->failed) return;
    tenon_camera *camera = &importer->builder->scene->cameras[index];
    importer->builder->scene->nodes[importer->scene_nodes[node_index].node].camera = index;
    camera->aspect_ratio = from->aspect_ratio;
    camera->near_plane = from->near_plane;
    camera->far_plane = from->far_plane;
    camera->is_orthographic = from->camera_type == 2;
    if (!camera->is_orthographic) {
        camera->field_of_view = tn_radians(from->field_of_view);
        return;
    }
    camera->half_width = (double)from->magnification[0] / 2;
    camera->half_height = (double)from->magnification[1] / 2;
    // The encoder does not store the height of an orthographic view.
    if (camera->half_height > 0 || !(from->aspect_ratio > 0)) return;
    camera->half_height = camera->half_width / from->aspect_ratio;
    gpb_import_tally_node(importer, &importer->losses.flat_cameras, node_index,
                          "camera.magnification");
}

static void gpb_import_light(gpb_importer *importer, uint32_t node_index)
{
    const tenon_gpb_light *from = &importer->index.tree.nodes[node_index].node->light;
    if (from->light_type == 0) return;
    if (from->light_type > 3) {
        gpb_import_tally_node(importer, &importer->losses.lights, node_index, "light.light_type");
        return;
    }
    uint32_t index =
        tn_add_light(importer->builder, gpb_index_id_of(importer->doc, from->reference));
    if (importer->builder->failed) return;
    tenon_light *light = &importer->builder->scene->lights[index];
    importer->builder->scene->nodes[importer->scene_nodes[node_index].node].light = index;
    light->kind = (tenon_light_kind)(from->light_type - 1);
    double most = 1;  // Components above 1 are intensity.
    for (int k = 0; k < 3; k++)
        if (from->color[k] > most && from->color[k] < INFINITY) most = from->color[k];
    for (int k = 0; k < 3; k++) light->color[k] = from->color[k] / most;
    light->intensity = most;
    if (light->kind == TENON_DIRECTIONAL_LIGHT) return;
    bool is_spot = light->kind == TENON_SPOT_LIGHT;
    if (!(importer->doc->base.dialect->flags & TENON_GPB_LIGHT_ATTENUATION)) {
        light->range = from->range;
        if (is_spot) light->outer_angle = from->outer_angle;
        if (is_spot) light->inner_angle = from->inner_angle;
        return;
    }
    // Early files store the cone as COLLADA does: the full angle in degrees.
    // It ends where constant + linear d + quadratic d² is GPB_FADED.
    const float *a = from->attenuation;
    double linear = a[1], quadratic = a[2], remainder = GPB_FADED - a[0];
    if (linear >= 0 && quadratic >= 0 && linear + quadratic > 0 && remainder > 0)
        light->range =
            quadratic > 0
                ? (sqrt(linear * linear + 4 * quadratic * remainder) - linear) / (2 * quadratic)
                : remainder / linear;
    if (is_spot) {
        light->outer_angle = tn_radians(from->falloff_angle) / 2;
        light->inner_angle =
            from->falloff_exponent > 0 ? light->outer_angle / 2 : light->outer_angle;
    }
    gpb_import_tally_node(importer, &importer->losses.faded_lights, node_index,
                          "light.attenuation");
}

// -- Scenes

// All scenes become one, with the name, the ambient color and the active camera of the first.
static void gpb_import_scenes(gpb_importer *importer)
{
    gpb_losses *lost = &importer->losses;
    tn_scene_builder *builder = importer->builder;
    uint32_t count = 0;
    for (uint32_t i = 0; i < importer->doc->block_count && !builder->failed; i++) {
        const tenon_gpb_block *block = &importer->doc->blocks[i];
        if (block->kind == TENON_GPB_FONT)
            tn_tally_path(&lost->fonts, 1, "blocks[%" PRIu32 "].font", i);
        if (block->kind == TENON_GPB_EFFECT && !importer->is_effect_used[i])
            tn_tally_path(&lost->effects, 1, "blocks[%" PRIu32 "].effect", i);
        if (block->kind != TENON_GPB_SCENE) continue;
        if (count++) {
            tn_tally_path(&lost->scenes, 1, "blocks[%" PRIu32 "].scene", i);
            continue;
        }
        builder->scene->name = gpb_index_id_of(importer->doc, block->reference);
        const float *color = block->body.scene.ambient_color;
        char text[3 * TN_NUMBER_MAX];
        size_t used = 0;
        for (int k = 0; k < 3; k++) {
            if (k) text[used++] = '/';
            used += tn_f32_text(color[k], text + used);
        }
        if (color[0] != 0 || color[1] != 0 || color[2] != 0)
            tn_add_extra(builder, TENON_EXTRA_OF_SCENE, 0, "ambient_color",
                         (tenon_str){text, (uint32_t)used});
        tenon_str xref = block->body.scene.active_camera;
        tenon_str camera = gpb_index_xref_id(importer->doc, xref);
        bool is_linked = gpb_index_xref_file(importer->doc, xref).size > 0;
        if (camera.size && is_linked && gpb_index_find_node(&importer->index, camera) == TENON_NONE)
            tn_tally_path(&lost->active_cameras, 1, "blocks[%" PRIu32 "].scene.active_camera", i);
        else if (camera.size)
            tn_add_extra(builder, TENON_EXTRA_OF_SCENE, 0, "active_camera", camera);
    }
}

// -- Losses

static void gpb_report_import_losses(const gpb_importer *importer)
{
    const gpb_losses *lost = &importer->losses;
    char number[TN_NUMBER_MAX], why_curves[96];
    tn_f32_text((float)importer->curve_error, number);
    (void)snprintf(why_curves, sizeof why_curves,
                   "curves replaced by lines, with an error of at most %s", number);
    const struct {
        const tn_tally *tally;
        tenon_loss_kind kind;
        const char *feature, *why;
    } losses[] = {
        {&lost->scenes, TENON_APPROXIMATED, "scenes", "merged into one scene"},
        {&lost->fonts, TENON_DROPPED, "fonts", "not supported in scenes"},
        {&lost->effects, TENON_DROPPED, "effects", "not used by a visible material"},
        {&lost->sheared, TENON_APPROXIMATED, "shear",
         "the engine keeps only translation, rotation and scale of animated nodes"},
        {&lost->cameras, TENON_DROPPED, "cameras", "the type is unknown"},
        {&lost->flat_cameras, TENON_DEFAULTED, "cameras",
         "the height was 0: computed from width and aspect ratio"},
        {&lost->lights, TENON_DROPPED, "lights", "the type is unknown"},
        {&lost->faded_lights, TENON_APPROXIMATED, "lights",
         "attenuation was replaced by the range at which the light has faded to 1 percent"},
        {&lost->moved, TENON_APPROXIMATED, "parents of skeletons",
         "moved below the node of the mesh, because its transform also moves skinned vertices"},
        {&lost->copied, TENON_SYNTHESIZED, "joints",
         "copies below the node of the mesh, because its transform also moves skinned vertices"},
        {&lost->models, TENON_DROPPED, "models", "their meshes do not exist"},
        {&lost->meshes, TENON_DROPPED, "meshes", "not used by a node"},
        {&lost->synthesized_nodes, TENON_SYNTHESIZED, "nodes",
         "the bundle has meshes or other objects, but no nodes"},
        {&lost->loose_objects, TENON_DROPPED, "objects", "not used by another object"},
        {&lost->linked_models, TENON_DROPPED, "models",
         "only transforms, cameras and lights are read from nodes of other bundles"},
        {&lost->active_cameras, TENON_DROPPED, "active cameras", "their nodes do not exist"},
        {&lost->elements, TENON_DROPPED, "vertex elements",
         "their usage is unknown or repeated, or their size is invalid"},
        {&lost->positions, TENON_DROPPED, "vertices", "they have no positions"},
        {&lost->loose, TENON_DROPPED, "vertices", "not used by a part of their mesh"},
        {&lost->sides, TENON_DEFAULTED, "tangents",
         "assumed right-handed, because there are no binormals"},
        {&lost->primitives, TENON_DROPPED, "parts", "the primitive type is unknown"},
        {&lost->influences, TENON_DROPPED, "influences", "their joints do not exist"},
        {&lost->weights, TENON_DROPPED, "weights", "the mesh is not used with a skin"},
        {&lost->unskinned, TENON_DROPPED, "skins",
         "they have no joints, or their meshes have no weights"},
        {&lost->joints, TENON_SYNTHESIZED, "joints", "added for skins whose joints do not exist"},
        {&lost->binds, TENON_DEFAULTED, "inverse bind matrices",
         "there are fewer matrices than joints: the missing ones are the identity"},
        {&lost->materials, TENON_DEFAULTED, "materials",
         "only their names are known: there is no .material file next to the bundle"},
        {&lost->absent_materials, TENON_DEFAULTED, "materials",
         "they are not in the .material file"},
        {&lost->shaders, TENON_DROPPED, "shaders", "not supported in scenes"},
        {&lost->samplers, TENON_DROPPED, "textures", "not used by the engine's standard shaders"},
        {&lost->aliases, TENON_DROPPED, "textures",
         "their paths are aliases that only the engine can resolve"},
        {&lost->parameter_types, TENON_DROPPED, "types of material parameters",
         "a scene has only the values of known parameters"},
        {&lost->parameter_values, TENON_DROPPED, "places of textures",
         "the material has no texture"},
        {&lost->effect_names, TENON_DROPPED, "effects", "an effect of that name does not exist"},
        {&lost->unplayed, TENON_DROPPED, "channels", "they do not move a known attribute"},
        {&lost->attributes, TENON_DROPPED, "channels", "the attribute does not exist"},
        {&lost->targets, TENON_DROPPED, "channels", "their target nodes do not exist"},
        {&lost->values, TENON_DROPPED, "keys", "the numbers of values and times do not match"},
        {&lost->keys, TENON_DROPPED, "keys", "their times do not increase, or are negative"},
        {&lost->curves, TENON_APPROXIMATED, "channels", why_curves},
        {&lost->clips, TENON_DROPPED, "clips",
         "they are not within an animation, or it has no frames"},
    };
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        const char *path = losses[i].tally->path;
        tn_scene_report(importer->builder, losses[i].kind, losses[i].feature,
                        losses[i].tally->count, path[0] ? path : NULL, losses[i].why);
    }
}

// -- The import

void gpb_import(tn_scene_builder *builder, const void *any)
{
    const tenon_gpb *doc = any;
    uint32_t fonts = 0;
    for (uint32_t i = 0; i < doc->block_count; i++) fonts += doc->blocks[i].kind == TENON_GPB_FONT;
    if (fonts && fonts == doc->block_count) {
        tn_scene_fail(builder, TENON_ERR_UNSUPPORTED, NULL,
                      "a font bundle does not contain a scene");
        return;
    }
    gpb_importer *importer = tn_scene_array(builder, 1, sizeof *importer);
    if (!importer) return;
    importer->builder = builder;
    builder->front_is_fixed = true;
    importer->doc = doc;
    importer->files = builder->opts->files ? builder->opts->files : tenon_system_files();
    importer->links = (gpb_links){.model_path = builder->opts->model_path,
                                  .files = importer->files,
                                  .allocator = &builder->opts->allocator,
                                  .arena = builder->arena};
    gpb_import_join_links(importer);
    if (!builder->failed &&
        !gpb_index_make(&importer->index, importer->doc, builder->arena, builder->err))
        builder->failed = true;
    if (!builder->failed) gpb_import_list_tracks(importer);
    gpb_import_plan_scene_nodes(importer);
    gpb_import_scene_nodes(importer);
    if (!builder->failed) gpb_import_materials(importer);
    if (!builder->failed) gpb_import_meshes(importer);
    gpb_import_skins(importer);
    for (uint32_t i = 0; i < importer->index.tree.count && !builder->failed; i++) {
        gpb_import_camera(importer, i);
        gpb_import_light(importer, i);
    }
    gpb_import_scenes(importer);
    gpb_import_animations(importer);
    gpb_import_clips(importer);
    if (!builder->failed) gpb_report_import_losses(importer);
    gpb_links_free(&importer->links);
}
