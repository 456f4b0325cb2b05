// gpb_import.c: imports a gameplay bundle and its property files.
// SPDX-License-Identifier: MIT
//
// A scene has the same axes, matrices and winding, but the engine does not flip front faces of
// mirrored nodes. Texture coordinates are flipped, times are in milliseconds, and skins and
// animations are organized differently.

#include "formats/gpb/import/gpb_import.h"

#include "core/files/file.h"
#include "core/math/sort.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "scene/model/scene_finish.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// -- Paths and sidecars

void gpb_tally_node(const gpb_importer *importer, tn_tally *tally, uint32_t node_index,
                    const char *fmt, ...)
{
    if (tally->count++) return;
    tn_path_text field;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(field.text, sizeof field.text, fmt, args);
    va_end(args);
    tn_path_text path = gpb_node_path(&importer->index, node_index, field.text);
    memcpy(tally->path, path.text, sizeof tally->path);
}

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

// -- Cameras, lights and scenes

static void gpb_import_camera(gpb_importer *importer, uint32_t node_index)
{
    const tenon_gpb_camera *from = &importer->index.tree.nodes[node_index].node->camera;
    if (from->camera_type == 0) return;
    if (from->camera_type > 2) {
        gpb_tally_node(importer, &importer->lost.cameras, node_index, "camera.camera_type");
        return;
    }
    uint32_t index = tn_add_camera(importer->builder, gpb_id_of(importer->doc, from->reference));
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
    gpb_tally_node(importer, &importer->lost.flat_cameras, node_index, "camera.magnification");
}

static void gpb_import_light(gpb_importer *importer, uint32_t node_index)
{
    const tenon_gpb_light *from = &importer->index.tree.nodes[node_index].node->light;
    if (from->light_type == 0) return;
    if (from->light_type > 3) {
        gpb_tally_node(importer, &importer->lost.lights, node_index, "light.light_type");
        return;
    }
    uint32_t index = tn_add_light(importer->builder, gpb_id_of(importer->doc, from->reference));
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
    if (!gpb_has(importer->doc, TENON_GPB_LIGHT_ATTENUATION)) {
        light->range = from->range;
        if (is_spot) light->outer_angle = from->outer_angle;
        if (is_spot) light->inner_angle = from->inner_angle;
        return;
    }
    // Early files store the cone as COLLADA does: the full angle in degrees.
    double distance = gpb_faded_distance(from->attenuation);
    if (distance > 0 && distance < HUGE_VAL) light->range = distance;
    if (is_spot) {
        light->outer_angle = tn_radians(from->falloff_angle) / 2;
        light->inner_angle =
            from->falloff_exponent > 0 ? light->outer_angle / 2 : light->outer_angle;
    }
    gpb_tally_node(importer, &importer->lost.faded_lights, node_index, "light.attenuation");
}

// All scenes become one, with the name, the ambient color and the active camera of the first.
static void gpb_import_scenes(gpb_importer *importer)
{
    gpb_import_losses *lost = &importer->lost;
    tn_scene_builder *builder = importer->builder;
    uint32_t count = 0;
    for (uint32_t i = 0; i < importer->doc->block_count && !builder->failed; i++) {
        const tenon_gpb_block *block = &importer->doc->blocks[i];
        if (block->kind == TENON_GPB_FONT) tn_tally_path(&lost->fonts, 1, "blocks[%u].font", i);
        if (block->kind == TENON_GPB_EFFECT && !importer->is_effect_used[i])
            tn_tally_path(&lost->effects, 1, "blocks[%u].effect", i);
        if (block->kind != TENON_GPB_SCENE) continue;
        if (count++) {
            tn_tally_path(&lost->scenes, 1, "blocks[%u].scene", i);
            continue;
        }
        builder->scene->name = gpb_id_of(importer->doc, block->reference);
        const float *color = block->body.scene.ambient_color;
        char text[3 * TN_NUMBER_MAX];
        int size = snprintf(text, sizeof text, "%s/%s/%s", tn_show_f32(color[0]).text,
                            tn_show_f32(color[1]).text, tn_show_f32(color[2]).text);
        if (color[0] != 0 || color[1] != 0 || color[2] != 0)
            tn_add_extra(builder, TENON_EXTRA_OF_SCENE, 0, "ambient_color",
                         (tenon_str){text, (uint32_t)size});
        tenon_str xref = block->body.scene.active_camera;
        tenon_str camera = gpb_xref_id(importer->doc, xref);
        bool is_linked = gpb_xref_file(importer->doc, xref).size > 0;
        if (camera.size && is_linked && gpb_find_node(&importer->index, camera) == TENON_NONE)
            tn_tally_path(&lost->active_cameras, 1, "blocks[%u].scene.active_camera", i);
        else if (camera.size)
            tn_add_extra(builder, TENON_EXTRA_OF_SCENE, 0, "active_camera", camera);
    }
}

// -- Losses

static void gpb_import_report_losses(const gpb_importer *importer)
{
    const gpb_import_losses *lost = &importer->lost;
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
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
        tn_tally_report(importer->builder, losses[i].tally, losses[i].kind, losses[i].feature,
                        losses[i].why);
}

// -- Objects of other bundles, and objects without a node
//
// They are added to a copy of the document, which exists only during the import.

// An object of another bundle that this one uses.
typedef struct gpb_linked_object {
    tenon_str xref;
    uint32_t kind;  // TENON_GPB_MESH, TENON_GPB_EFFECT or TENON_GPB_NODE.
} gpb_linked_object;

// Collects the objects.
typedef struct gpb_joiner {
    gpb_importer *importer;
    tenon_gpb *doc;  // The copy to which objects are added.
    uint32_t object_count;
    gpb_linked_object *objects;
    tn_scene_list references;
} gpb_joiner;

static bool gpb_list_xref(void *user, tenon_str *xref, uint32_t kind)
{
    gpb_joiner *joiner = user;
    if (gpb_xref_file(joiner->doc, *xref).size == 0) return true;
    if (joiner->objects) joiner->objects[joiner->object_count] = (gpb_linked_object){*xref, kind};
    joiner->object_count++;
    return true;
}

static bool gpb_linked_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_linked_object *objects = context;
    int order = tn_text_order(objects[a].xref, objects[b].xref);
    return order ? order < 0 : objects[a].kind < objects[b].kind;
}

static uint32_t gpb_join_reference(gpb_joiner *joiner, tenon_str id, uint32_t type)
{
    tenon_gpb *doc = joiner->doc;
    uint32_t index = tn_list_add(joiner->importer->builder, &joiner->references,
                                 (void **)(void *)&doc->references, &doc->reference_count,
                                 sizeof *doc->references);
    if (index != TENON_NONE) doc->references[index] = (tenon_gpb_reference){.id = id, .type = type};
    return index;
}

// Copy the trees of another bundle that are in use, without their models. Parents come before their
// children.
static void gpb_copy_trees(gpb_joiner *joiner, const gpb_link *link)
{
    tn_scene_builder *builder = joiner->importer->builder;
    const gpb_tree *tree = &link->index.tree;
    tenon_gpb_node **copies = tn_scene_array(builder, tree->count, sizeof *copies);
    for (uint32_t i = 0; i < tree->count && !builder->failed; i++) {
        const gpb_tree_node *from = &tree->nodes[i];
        bool is_root = from->parent == TENON_NONE;
        if (is_root ? !link->is_wanted[i] : !copies[from->parent]) continue;
        tenon_gpb_block *block = &joiner->doc->blocks[joiner->doc->block_count];
        if (is_root) {
            *block = (tenon_gpb_block){.kind = TENON_GPB_NODE};
            joiner->doc->block_count++;
        }
        tenon_gpb_node *to =
            is_root ? &block->body.node : &copies[from->parent]->children[from->index];
        *to = *from->node;
        if (gpb_has_model(link->index.doc->base.dialect->flags, &to->model))
            joiner->importer->lost.linked_models.count += 1;
        to->model = (tenon_gpb_model){.mesh = {"", 0}};
        to->camera.reference = to->light.reference = TENON_NONE;
        tenon_str id = gpb_id_of(link->index.doc, from->node->reference);
        tenon_str xref = gpb_make_xref(id, builder->arena, builder->err);
        id = tn_text_join(builder->arena, link->file, xref, "the scene", builder->err);
        builder->failed = !xref.size || !id.data;
        to->reference = gpb_join_reference(joiner, id, TENON_GPB_NODE);
        to->children = tn_scene_array(builder, to->child_count, sizeof *to->children);
        if (is_root) block->reference = to->reference;
        copies[i] = to;
    }
}

// In a bundle without nodes, each camera, light and model gets a node. A separate channel gets an
// animation.
static void gpb_add_loose_objects(gpb_joiner *joiner, bool has_nodes)
{
    gpb_import_losses *lost = &joiner->importer->lost;
    for (uint32_t b = 0; b < joiner->doc->block_count; b++) {
        tenon_gpb_block *block = &joiner->doc->blocks[b], from = *block;
        uint32_t kind = block->kind;
        bool is_shown = gpb_is_shown_type(kind);
        bool is_loose =
            kind == TENON_GPB_MATERIAL || kind == TENON_GPB_PART || kind == TENON_GPB_SKIN;
        if (kind == TENON_GPB_CHANNEL) {
            tenon_gpb_channel *channel =
                tn_scene_array(joiner->importer->builder, 1, sizeof *channel);
            if (!channel) return;
            *channel = from.body.channel;
            block->kind = TENON_GPB_ANIMATION;
            block->body.animation =
                (tenon_gpb_animation){.id = gpb_id_of(joiner->doc, from.reference),
                                      .channel_count = 1,
                                      .channels = channel};
        }
        if (is_loose || (is_shown && has_nodes)) {
            tn_tally_path(&lost->loose_objects, 1, "blocks[%u]", b);
            continue;
        }
        if (!is_shown) continue;
        tn_tally_path(&lost->synthesized_nodes, 1, "blocks[%u]", b);
        block->kind = TENON_GPB_NODE;
        block->body.node = gpb_node_for(&from);
    }
}

// Add the objects that the bundle uses of other bundles, and nodes for objects without one.
static void gpb_join_links(gpb_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    gpb_joiner joiner = {.importer = importer, .doc = &importer->joined};
    importer->joined = *importer->doc;
    gpb_tree tree;
    if (!gpb_tree_make(&tree, importer->doc, builder->arena, builder->err)) builder->failed = true;
    if (builder->failed) return;
    (void)gpb_each_xref(joiner.doc, &tree, gpb_list_xref, &joiner);
    uint32_t count = joiner.object_count;
    bool has_loose = false;
    for (uint32_t b = 0; b < importer->doc->block_count; b++) {
        uint32_t kind = importer->doc->blocks[b].kind;
        has_loose = has_loose || (kind != TENON_GPB_NODE &&
                                  !gpb_is_block_type(importer->doc->base.dialect->flags, kind));
    }
    if (count == 0 && !has_loose) return;
    joiner.objects = tn_scene_array(builder, count, sizeof *joiner.objects);
    uint32_t *order = tn_scene_array(builder, count, 2 * sizeof *order);
    tenon_gpb_block *blocks =
        tn_scene_array(builder, (uint64_t)importer->doc->block_count + count, sizeof *blocks);
    if (builder->failed) return;
    joiner.object_count = 0;
    (void)gpb_each_xref(joiner.doc, &tree, gpb_list_xref, &joiner);
    if (importer->doc->block_count)
        memcpy(blocks, importer->doc->blocks, importer->doc->block_count * sizeof *blocks);
    importer->joined.blocks = blocks;
    tn_sort_all(order, count, gpb_linked_before, joiner.objects);
    gpb_add_loose_objects(&joiner, tree.count > 0);
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        bool is_new = i == 0 || gpb_linked_before(joiner.objects, order[i - 1], order[i]);
        if (!is_new) continue;
        const gpb_linked_object *object = &joiner.objects[order[i]];
        tenon_error err;
        gpb_link *link =
            gpb_follow_link(&importer->links, gpb_xref_file(joiner.doc, object->xref), &err);
        if (!link && err.code != TENON_OK) {
            tn_scene_fail(builder, err.code, NULL, "%s", err.message);
            break;
        }
        uint32_t found = link ? gpb_find_linked(link, object->xref, object->kind) : TENON_NONE;
        if (found == TENON_NONE) continue;  // The user of the object reports this.
        if (object->kind == TENON_GPB_NODE) {
            const gpb_tree *linked = &link->index.tree;
            if (!link->is_wanted)
                link->is_wanted = tn_scene_array(builder, linked->count, sizeof *link->is_wanted);
            while (linked->nodes[found].parent != TENON_NONE) found = linked->nodes[found].parent;
            if (!builder->failed) link->is_wanted[found] = true;
            continue;
        }
        tenon_gpb_block *block = &joiner.doc->blocks[joiner.doc->block_count];
        *block = link->index.doc->blocks[found];
        block->reference = gpb_join_reference(&joiner, object->xref, object->kind);
        if (!builder->failed) joiner.doc->block_count++;
    }
    for (uint32_t i = 0; i < importer->links.count && !builder->failed; i++)
        if (importer->links.items[i].is_wanted) gpb_copy_trees(&joiner, &importer->links.items[i]);
    importer->doc = &importer->joined;
    for (uint32_t i = 0; i < importer->links.count && !builder->failed; i++) {
        const gpb_link *link = &importer->links.items[i];
        if (!link->doc)
            tn_scene_report(builder, TENON_DROPPED, "other bundles", 1,
                            tn_show(link->file, 48).text, link->why);
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
    gpb_join_links(importer);
    if (!builder->failed &&
        !gpb_index_make(&importer->index, importer->doc, builder->arena, builder->err))
        builder->failed = true;
    if (!builder->failed) gpb_list_tracks(importer);
    gpb_plan_scene_nodes(importer);
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
    if (!builder->failed) gpb_import_report_losses(importer);
    gpb_free_links(&importer->links);
}
