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

void gpb_tally_node(const gpb_importer *importer, tn_tally *tally, uint32_t node_index,
                    const char *fmt, ...)
{
    if (tally->count++) return;
    tn_path_text field;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(field.text, sizeof field.text, fmt, args);
    va_end(args);
    const gpb_checker checker = {.doc = importer->doc, .index = importer->index};
    tn_path_text path = gpb_node_path(&checker, node_index, field);
    memcpy(tally->path, path.text, sizeof tally->path);
}

// -- Sidecars

// If the file cannot be read, its contents are lost, but the model is imported.
tenon_gpb_properties *gpb_open_sidecar(gpb_importer *importer, const char *extension)
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

// -- Cameras

// The encoder does not store the height of an orthographic view.
static void gpb_set_lens(gpb_importer *importer, const tenon_gpb_camera *from, uint32_t node_index,
                         tenon_camera *camera)
{
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
    if (camera->half_height > 0 || !(from->aspect_ratio > 0)) return;
    camera->half_height = camera->half_width / from->aspect_ratio;
    gpb_tally_node(importer, &importer->losses.flat_cameras, node_index, "camera.magnification");
}

static void gpb_add_camera(gpb_importer *importer, uint32_t node_index)
{
    const tenon_gpb_camera *from = &importer->index.tree.nodes[node_index].node->camera;
    if (from->camera_type == 0) return;
    if (from->camera_type > 2) {
        gpb_tally_node(importer, &importer->losses.cameras, node_index, "camera.camera_type");
        return;
    }
    uint32_t made = tn_add_camera(importer->builder, gpb_id_of(importer->doc, from->reference));
    if (importer->builder->failed) return;
    gpb_set_lens(importer, from, node_index, &importer->builder->scene->cameras[made]);
    importer->builder->scene->nodes[importer->scene_nodes[node_index].node].camera = made;
}

// -- Lights

// The distance where constant + linear d + quadratic d² is GPB_FADED; 0 if there is none.
static double gpb_fading_distance(const float a[3])
{
    double linear = a[1], quadratic = a[2], rest = GPB_FADED - a[0];
    if (!(linear >= 0 && quadratic >= 0 && linear + quadratic > 0 && rest > 0)) return 0;
    if (!(quadratic > 0)) return rest / linear;
    return (sqrt(linear * linear + 4 * quadratic * rest) - linear) / (2 * quadratic);
}

// Early files store the cone as COLLADA does: the full angle in degrees.
static void gpb_set_fading(gpb_importer *importer, const tenon_gpb_light *from, uint32_t node_index,
                           tenon_light *light)
{
    light->range = gpb_fading_distance(from->attenuation);
    if (light->kind == TENON_SPOT_LIGHT) {
        light->outer_angle = tn_radians(from->falloff_angle) / 2;
        light->inner_angle =
            from->falloff_exponent > 0 ? light->outer_angle / 2 : light->outer_angle;
    }
    gpb_tally_node(importer, &importer->losses.faded_lights, node_index, "light.attenuation");
}

// Components above 1 are intensity.
static void gpb_set_color(const tenon_gpb_light *from, tenon_light *light)
{
    double most = 1;
    for (int k = 0; k < 3; k++)
        if (from->color[k] > most && from->color[k] < INFINITY) most = from->color[k];
    for (int k = 0; k < 3; k++) light->color[k] = from->color[k] / most;
    light->intensity = most;
}

static void gpb_add_light(gpb_importer *importer, uint32_t node_index)
{
    const tenon_gpb_light *from = &importer->index.tree.nodes[node_index].node->light;
    if (from->light_type == 0) return;
    if (from->light_type > 3) {
        gpb_tally_node(importer, &importer->losses.lights, node_index, "light.light_type");
        return;
    }
    uint32_t made = tn_add_light(importer->builder, gpb_id_of(importer->doc, from->reference));
    if (importer->builder->failed) return;
    tenon_light *light = &importer->builder->scene->lights[made];
    importer->builder->scene->nodes[importer->scene_nodes[node_index].node].light = made;
    light->kind = (tenon_light_kind)(from->light_type - 1);
    gpb_set_color(from, light);
    if (light->kind == TENON_DIRECTIONAL_LIGHT) return;
    if (importer->doc->base.dialect->flags & TENON_GPB_LIGHT_ATTENUATION) {
        gpb_set_fading(importer, from, node_index, light);
        return;
    }
    light->range = from->range;
    if (light->kind != TENON_SPOT_LIGHT) return;
    light->outer_angle = from->outer_angle;
    light->inner_angle = from->inner_angle;
}

// -- Scenes

static void gpb_add_ambient(gpb_importer *importer, const float color[3])
{
    char text[3 * TN_NUMBER_MAX];
    size_t used = 0;
    if (color[0] == 0 && color[1] == 0 && color[2] == 0) return;
    for (int k = 0; k < 3; k++) {
        if (k) text[used++] = '/';
        used += tn_f32_text(color[k], text + used);
    }
    tn_add_extra(importer->builder, TENON_EXTRA_OF_SCENE, 0, "ambient_color",
                 (tenon_str){text, (uint32_t)used});
}

// All scenes become one. Import the name, the ambient color and the active camera of the first.
static void gpb_add_scenes(gpb_importer *importer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < importer->doc->block_count && !importer->builder->failed; i++) {
        const tenon_gpb_block *block = &importer->doc->blocks[i];
        if (block->kind == TENON_GPB_FONT)
            tn_tally_path(&importer->losses.fonts, 1, "blocks[%" PRIu32 "].font", i);
        bool is_spare = block->kind == TENON_GPB_EFFECT && !importer->is_effect_used[i];
        if (is_spare) tn_tally_path(&importer->losses.effects, 1, "blocks[%" PRIu32 "].effect", i);
        if (block->kind != TENON_GPB_SCENE) continue;
        if (count++) {
            tn_tally_path(&importer->losses.scenes, 1, "blocks[%" PRIu32 "].scene", i);
            continue;
        }
        tenon_str camera = gpb_xref_id(importer->doc, block->body.scene.active_camera);
        importer->builder->scene->name = gpb_id_of(importer->doc, block->reference);
        gpb_add_ambient(importer, block->body.scene.ambient_color);
        bool is_known = gpb_find_node(&importer->index, camera) != TENON_NONE;
        bool names_other = gpb_xref_file(importer->doc, block->body.scene.active_camera).size > 0;
        if (camera.size && names_other && !is_known) {
            tn_tally_path(&importer->losses.active_cameras, 1,
                          "blocks[%" PRIu32 "].scene.active_camera", i);
            continue;
        }
        if (camera.size)
            tn_add_extra(importer->builder, TENON_EXTRA_OF_SCENE, 0, "active_camera", camera);
    }
}

// -- Losses

static void gpb_report_loss(const gpb_importer *importer, const tn_tally *loss,
                            tenon_loss_kind kind, const char *feature, const char *why)
{
    tn_scene_report(importer->builder, kind, feature, loss->count,
                    loss->path[0] ? loss->path : NULL, why);
}

static void gpb_report_nodes(const gpb_importer *importer)
{
    const gpb_losses *lost = &importer->losses;
    gpb_report_loss(importer, &lost->scenes, TENON_APPROXIMATED, "scenes", "merged into one scene");
    gpb_report_loss(importer, &lost->fonts, TENON_DROPPED, "fonts", "not supported in scenes");
    gpb_report_loss(importer, &lost->effects, TENON_DROPPED, "effects",
                    "not used by a visible material");
    gpb_report_loss(importer, &lost->sheared, TENON_APPROXIMATED, "shear",
                    "the engine keeps only translation, rotation and scale of animated nodes");
    gpb_report_loss(importer, &lost->cameras, TENON_DROPPED, "cameras", "the type is unknown");
    gpb_report_loss(importer, &lost->flat_cameras, TENON_DEFAULTED, "cameras",
                    "the height was 0: computed from width and aspect ratio");
    gpb_report_loss(importer, &lost->lights, TENON_DROPPED, "lights", "the type is unknown");
    gpb_report_loss(
        importer, &lost->faded_lights, TENON_APPROXIMATED, "lights",
        "attenuation was replaced by the range at which the light has faded to 1 percent");
    gpb_report_loss(
        importer, &lost->moved, TENON_APPROXIMATED, "parents of skeletons",
        "moved below the node of the mesh, because its transform also moves skinned vertices");
    gpb_report_loss(
        importer, &lost->copied, TENON_MADE_UP, "joints",
        "copies below the node of the mesh, because its transform also moves skinned vertices");
}

static void gpb_report_meshes(const gpb_importer *importer)
{
    const gpb_losses *lost = &importer->losses;
    gpb_report_loss(importer, &lost->models, TENON_DROPPED, "models", "their meshes do not exist");
    gpb_report_loss(importer, &lost->meshes, TENON_DROPPED, "meshes", "not used by a node");
    gpb_report_loss(importer, &lost->made_nodes, TENON_MADE_UP, "nodes",
                    "the bundle has meshes or other objects, but no nodes");
    gpb_report_loss(importer, &lost->loose_objects, TENON_DROPPED, "objects",
                    "not used by another object");
    gpb_report_loss(importer, &lost->linked_models, TENON_DROPPED, "models",
                    "only transforms, cameras and lights are read from nodes of other bundles");
    gpb_report_loss(importer, &lost->active_cameras, TENON_DROPPED, "active cameras",
                    "their nodes do not exist");
    gpb_report_loss(importer, &lost->elements, TENON_DROPPED, "vertex elements",
                    "their usage is unknown or repeated, or their size is invalid");
    gpb_report_loss(importer, &lost->positions, TENON_DROPPED, "vertices",
                    "they have no positions");
    gpb_report_loss(importer, &lost->loose, TENON_DROPPED, "vertices",
                    "not used by a part of their mesh");
    gpb_report_loss(importer, &lost->sides, TENON_DEFAULTED, "tangents",
                    "assumed right-handed, because there are no binormals");
    gpb_report_loss(importer, &lost->primitives, TENON_DROPPED, "parts",
                    "the primitive type is unknown");
    gpb_report_loss(importer, &lost->influences, TENON_DROPPED, "influences",
                    "their joints do not exist");
    gpb_report_loss(importer, &lost->weights, TENON_DROPPED, "weights",
                    "the mesh is not used with a skin");
    gpb_report_loss(importer, &lost->unskinned, TENON_DROPPED, "skins",
                    "they have no joints, or their meshes have no weights");
    gpb_report_loss(importer, &lost->joints, TENON_MADE_UP, "joints",
                    "added for skins whose joints do not exist");
    gpb_report_loss(importer, &lost->binds, TENON_DEFAULTED, "inverse bind matrices",
                    "there are fewer matrices than joints: the missing ones are the identity");
}

static void gpb_report_materials(const gpb_importer *importer)
{
    const gpb_losses *lost = &importer->losses;
    gpb_report_loss(importer, &lost->materials, TENON_DEFAULTED, "materials",
                    "only their names are known: there is no .material file next to the bundle");
    gpb_report_loss(importer, &lost->absent_materials, TENON_DEFAULTED, "materials",
                    "they are not in the .material file");
    gpb_report_loss(importer, &lost->shaders, TENON_DROPPED, "shaders", "not supported in scenes");
    gpb_report_loss(importer, &lost->samplers, TENON_DROPPED, "textures",
                    "not used by the engine's standard shaders");
    gpb_report_loss(importer, &lost->aliases, TENON_DROPPED, "textures",
                    "their paths are aliases that only the engine can resolve");
    gpb_report_loss(importer, &lost->parameter_types, TENON_DROPPED, "types of material parameters",
                    "a scene has only the values of known parameters");
    gpb_report_loss(importer, &lost->parameter_values, TENON_DROPPED, "places of textures",
                    "the material has no texture");
    gpb_report_loss(importer, &lost->effect_names, TENON_DROPPED, "effects",
                    "an effect of that name does not exist");
}

static void gpb_report_animations(const gpb_importer *importer)
{
    const gpb_losses *lost = &importer->losses;
    char number[TN_NUMBER_MAX], why[96];
    gpb_report_loss(importer, &lost->unplayed, TENON_DROPPED, "channels",
                    "they do not move a known attribute");
    gpb_report_loss(importer, &lost->attributes, TENON_DROPPED, "channels",
                    "the attribute does not exist");
    gpb_report_loss(importer, &lost->targets, TENON_DROPPED, "channels",
                    "their target nodes do not exist");
    gpb_report_loss(importer, &lost->values, TENON_DROPPED, "keys",
                    "the numbers of values and times do not match");
    gpb_report_loss(importer, &lost->keys, TENON_DROPPED, "keys",
                    "their times do not increase, or are negative");
    tn_f32_text((float)importer->curve_error, number);
    (void)snprintf(why, sizeof why, "curves replaced by lines, with an error of at most %s",
                   number);
    gpb_report_loss(importer, &lost->curves, TENON_APPROXIMATED, "channels", why);
    gpb_report_loss(importer, &lost->clips, TENON_DROPPED, "clips",
                    "they are not within an animation, or it has no frames");
}

// -- The import

// Whether the bundle contains only fonts.
static bool gpb_is_font(const tenon_gpb *doc)
{
    uint32_t fonts = 0;
    for (uint32_t i = 0; i < doc->block_count; i++) fonts += doc->blocks[i].kind == TENON_GPB_FONT;
    return fonts && fonts == doc->block_count;
}

static void gpb_fill_scene(gpb_importer *importer)
{
    gpb_list_tracks(importer);
    gpb_plan_scene_nodes(importer);
    gpb_add_scene_nodes(importer);
    if (!importer->builder->failed) gpb_add_materials(importer);
    if (!importer->builder->failed) gpb_add_meshes(importer);
    gpb_add_skins(importer);
    for (uint32_t i = 0; i < importer->index.tree.count && !importer->builder->failed; i++) {
        gpb_add_camera(importer, i);
        gpb_add_light(importer, i);
    }
    gpb_add_scenes(importer);
    gpb_add_animations(importer);
    gpb_add_clips(importer);
    if (importer->builder->failed) return;
    gpb_report_nodes(importer);
    gpb_report_meshes(importer);
    gpb_report_materials(importer);
    gpb_report_animations(importer);
}

void gpb_import(tn_scene_builder *builder, const void *doc)
{
    if (gpb_is_font(doc)) {
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
    gpb_join_links(importer);
    if (!builder->failed &&
        !gpb_index_make(&importer->index, importer->doc, builder->arena, builder->err))
        builder->failed = true;
    if (!builder->failed) gpb_fill_scene(importer);
    gpb_links_free(&importer->links);
}
