// gpb_check.c: the rules for gameplay bundles; checks of a bundle as a whole, its reference table,
// and the property files next to it.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/files/file.h"
#include "core/text/text.h"
#include "document/field_rules.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GPB_STRING_MOST   5000
#define GPB_SAMPLERS_MOST 16  // Checked for each material.

// -- Findings and texts

void gpb_check_found(const gpb_checker *checker, uint32_t node_index, const char *rule,
                     const char *field, const char *fmt, ...)
{
    char message[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    tn_found(checker->check, rule, gpb_node_path(&checker->index, node_index, field), "%s",
             message);
}

tn_shown gpb_show_number(double v)
{
    return fabs(v) <= FLT_MAX ? tn_show_f32((float)v) : tn_show_f64(v);
}

typedef struct gpb_text_rule {
    tn_observer observer;
    tn_check *check;
} gpb_text_rule;

static void gpb_check_text_size(tn_observer *self, tn_io *io, const tn_field *field)
{
    if (field->text.size < GPB_STRING_MOST || field->role == TN_ROLE_JUDGED) return;
    tn_found(
        ((gpb_text_rule *)self)->check, "string-size", tn_path_of_field(io, field, TENON_ABSENT),
        "the text has %u bytes, at most %d are allowed", field->text.size, GPB_STRING_MOST - 1);
}

// -- References

void gpb_check_missing(const gpb_checker *checker, tn_path_text path, tenon_str xref, uint32_t kind)
{
    static const char *const words[] = {
        [TENON_GPB_NODE] = "node", [TENON_GPB_EFFECT] = "effect", [TENON_GPB_MESH] = "mesh"};
    tenon_str file = gpb_xref_file(checker->doc, xref);
    if (file.size) {
        tenon_error err = {0};
        const gpb_link *link = checker->links ? gpb_follow_link(checker->links, file, &err) : NULL;
        if (!link && err.code != TENON_OK) tn_check_fail(checker->check, &err);
        if (link && !link->doc)
            tn_found(checker->check, "unresolved-xref", path, "'%s': %s", tn_show(file, 48).text,
                     link->why);
        if (!link || !link->doc || gpb_find_linked(link, xref, kind) != TENON_NONE) return;
    }
    tn_found(checker->check, "unresolved-xref", path, "the %s '%s' does not exist", words[kind],
             tn_show(xref, 48).text);
}

void gpb_check_effect(const gpb_checker *checker, tn_path_text path, tenon_str xref)
{
    if (gpb_find_block(&checker->index, xref, TENON_GPB_EFFECT) == TENON_NONE)
        gpb_check_missing(checker, path, xref, TENON_GPB_EFFECT);
}

static void gpb_check_references(const gpb_checker *checker)
{
    tn_check *check = checker->check;
    const tenon_gpb_reference *references = checker->doc->references;
    const uint32_t *by_id = checker->index.by_id;
    bool is_sorted = true;
    for (uint32_t i = 0; i < checker->doc->reference_count; i++) {
        const tenon_gpb_reference *r = &references[i];
        uint32_t owner = checker->index.owner_of[i];
        if (r->id.size == 0)
            tn_found(check, "reference-empty", tn_path("references[%u].id", i), "the id is empty");
        if (!gpb_is_known_type(checker->doc->base.dialect->flags, r->type))
            tn_found(check, "reference-type", tn_path("references[%u].type", i),
                     "type %u does not exist", r->type);
        else if (r->offset == 0 && r->type != TENON_GPB_LIGHT)
            tn_found(check, "reference-unwritten", tn_path("references[%u].offset", i),
                     "'%s', of type %u, was registered but never written", tn_show(r->id, 48).text,
                     r->type);
        else if (r->offset && owner == TENON_NONE)
            tn_found(check, "reference-target", tn_path("references[%u].offset", i),
                     "no object of type %u starts at 0x%06x", r->type, r->offset);
        else if (r->offset && owner != i)
            tn_found(check, "reference-shared", tn_path("references[%u].offset", i),
                     "'%s' is also at 0x%06x", tn_show(references[owner].id, 48).text, r->offset);
        if (i == 0) continue;
        if (is_sorted && tn_text_order(r->id, references[i - 1].id) < 0) {
            is_sorted = false;
            tn_found(check, "reference-order", tn_path("references[%u].id", i),
                     "'%s' comes after '%s'", tn_show(r->id, 48).text,
                     tn_show(references[i - 1].id, 48).text);
        }
        // Equal ids are neighbors in the index.
        if (tn_text_equal(references[by_id[i]].id, references[by_id[i - 1]].id))
            tn_found(check, "reference-duplicate", tn_path("references[%u].id", by_id[i]),
                     "'%s' is also the id of reference %u",
                     tn_show(references[by_id[i]].id, 48).text, by_id[i - 1]);
    }
}

// Add nodes for cameras, lights and models that are separate objects, so that the checks of nodes
// cover them.
static void gpb_check_add_loose_objects(gpb_checker *checker)
{
    tn_check *check = checker->check;
    for (uint32_t i = 0; i < checker->doc->block_count && !check->failed; i++) {
        const tenon_gpb_block *block = &checker->doc->blocks[i];
        if (!gpb_is_shown_type(block->kind)) continue;
        tenon_gpb_node *node = tn_check_alloc(check, 1, sizeof *node);
        if (!node) return;
        *node = gpb_node_for(block);
        if (!gpb_tree_add(&checker->index.tree, node, 1, TENON_NONE, i, check->arena, NULL))
            check->failed = true;
    }
}

// -- Property files

// The samplers of a material that a model uses.
typedef struct gpb_texture_check {
    const gpb_checker *checker;
    uint32_t node_index, index;  // The node and the number of the material in its model.
    uint32_t count;
} gpb_texture_check;

static bool gpb_check_sampler(void *user, const tenon_gpb_properties *sampler)
{
    gpb_texture_check *search = user;
    tn_check *check = search->checker->check;
    tenon_str path = tenon_gpb_property_value(sampler, "path");
    bool is_found = path.size && path.data[0] == '@';  // Only the engine can resolve a constant.
    // Paths start at the engine's resource folder, which contains the model's folder. So a texture
    // is searched for under its whole path, and then without its first folders.
    for (tenon_str rest = path; rest.size && !is_found;) {
        is_found = tn_check_look(check, rest) == TN_PLACE_FOUND;
        (void)tn_text_cut(&rest, '/');
    }
    if (path.size && !is_found)
        tn_found(check, "texture-missing",
                 gpb_node_path(&search->checker->index, search->node_index,
                               tn_path("model.materials[%u]", search->index).text),
                 "'%s', in line %u of the .material file, was not found near the bundle",
                 tn_show(path, 48).text, sampler->line);
    return ++search->count < GPB_SAMPLERS_MOST;
}

static tenon_gpb_properties *gpb_check_sidecar(tn_check *check, const char *extension)
{
    tenon_read_opts read = {.allocator = check->opts->allocator, .files = check->opts->files};
    tenon_error err;
    tenon_gpb_properties *file =
        tenon_gpb_properties_beside(check->opts->model_path, extension, &read, &err);
    if (tn_is_outage(&err))
        tn_check_fail(check, &err);
    else if (err.code != TENON_OK)
        tn_found(check, "side-syntax", tn_path("%s", ""), "line %" PRIu64 " of the .%s file: %s",
                 err.line, extension, err.message);
    return file;
}

// Search for the textures of each material once, where it is first used.
static void gpb_check_materials(const gpb_checker *checker, const gpb_directory *materials)
{
    bool *is_done = tn_check_alloc(checker->check, materials->ids.count, sizeof *is_done);
    if (!is_done) return;
    for (uint32_t node_index = 0; node_index < checker->index.tree.count; node_index++) {
        const tenon_gpb_model *model = &checker->index.tree.nodes[node_index].node->model;
        for (uint32_t i = 0; i < model->material_count; i++) {
            tenon_str name = model->materials[i].name;
            if (name.size == 0) continue;
            uint32_t found = tn_name_list_find(&materials->ids, name);
            if (found == TENON_NONE) {
                tn_found(checker->check, "material-missing",
                         gpb_node_path(&checker->index, node_index,
                                       tn_path("model.materials[%u]", i).text),
                         "'%s' is not in the .material file", tn_show(name, 48).text);
            } else if (!is_done[found]) {
                is_done[found] = true;
                tenon_gpb_properties_each(materials->blocks[found], "sampler", gpb_check_sampler,
                                          &(gpb_texture_check){checker, node_index, i, 0});
            }
        }
    }
}

static void gpb_check_sidecars(const gpb_checker *checker)
{
    tn_check *check = checker->check;
    if (!check->opts->model_path) return;
    uint64_t named = 0;
    for (uint32_t node_index = 0; node_index < checker->index.tree.count; node_index++) {
        const tenon_gpb_model *m = &checker->index.tree.nodes[node_index].node->model;
        for (uint32_t i = 0; i < m->material_count; i++) named += m->materials[i].name.size > 0;
    }
    tenon_gpb_properties *file = named ? gpb_check_sidecar(check, "material") : NULL;
    gpb_directory materials;
    if (file && gpb_directory_make(&materials, file, "material", check->arena, NULL))
        gpb_check_materials(checker, &materials);
    else if (named && !file)
        tn_found(check, "material-file", tn_path("%s", ""),
                 "%" PRIu64 " %s named, but there is no readable .material file", named,
                 named == 1 ? "material is" : "materials are");
    tenon_gpb_properties_free(file);
    file = gpb_check_sidecar(check, "animation");
    for (gpb_clip clip = {0}; file && gpb_next_clip(file, &clip);) {
        const char *why = NULL;
        if (!(clip.frame_count > 0))
            why = "its animation has no frameCount";
        else if (!(clip.begin >= 0 && clip.end > clip.begin))
            why = "it does not end after its start";
        else if (!(clip.end <= clip.frame_count))
            why = "it ends after its animation";
        if (why)
            tn_found(check, "clip", tn_path("%s", ""),
                     "clip '%s' in line %u of the .animation file: %s",
                     tn_show(clip.block->id, 48).text, clip.block->line, why);
    }
    tenon_gpb_properties_free(file);
}

// -- All checks

void gpb_check(tn_check *check, const void *any)
{
    const tenon_gpb *doc = any;
    gpb_checker checker = {.check = check, .doc = doc};
    gpb_tree *tree = &checker.index.tree;
    if (!gpb_index_make(&checker.index, doc, check->arena, NULL)) check->failed = true;
    checker.influences = tn_check_alloc(check, doc->block_count, sizeof *checker.influences);
    checker.uses = tn_check_alloc(check, doc->block_count, 1);
    if (check->opts->model_path) checker.links = tn_check_alloc(check, 1, sizeof *checker.links);
    if (check->failed) return;
    tn_check_fields(check, any);
    gpb_text_rule text_rule = {{.field = gpb_check_text_size}, check};
    tn_doc_look(any, &text_rule.observer);
    if (checker.links)
        *checker.links =
            (gpb_links){.model_path = check->opts->model_path,
                        .files = check->opts->files ? check->opts->files : tenon_system_files(),
                        .allocator = &check->opts->allocator,
                        .arena = check->arena};
    gpb_check_add_loose_objects(&checker);
    for (uint32_t i = 0; i < tree->count; i++) {
        const tenon_gpb_model *model = &tree->nodes[i].node->model;
        uint32_t block = gpb_find_mesh_block(&checker.index, model->mesh);
        if (block != TENON_NONE)
            checker.uses[block] |= model->has_skin ? GPB_USED | GPB_USED_BY_SKIN : GPB_USED;
    }
    const char *profile = check->opts->profile;
    bool is_strict = profile && strcmp(profile, "gameplay") == 0;
    if (doc->version[0] == 1 && doc->version[1] < 2)
        tn_found(check, is_strict ? "engine-version" : "old-version", tn_path("version"),
                 "the current engine refuses version %u.%u: it loads 1.2 and later",
                 doc->version[0], doc->version[1]);
    if (gpb_has(doc, TENON_GPB_DOCUMENT) && !doc->is_uncounted &&
        doc->object_count != doc->block_count)
        tn_found(check, "object-count", tn_path("object_count"),
                 "the count is %u, but there are %u objects", doc->object_count, doc->block_count);
    for (uint32_t i = 0; i < doc->block_count; i++)
        if (doc->blocks[i].gap.size)
            tn_found(check, "gap", tn_path("blocks[%u].gap", i),
                     "%" PRIu64 " bytes do not belong to an object", doc->blocks[i].gap.size);
    gpb_check_references(&checker);
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        tenon_gpb_animations all = gpb_animations_of(block);
        tn_path_text path = tn_path("blocks[%u]", b);
        if (block->kind == TENON_GPB_SCENE && block->body.scene.active_camera.size) {
            tenon_str camera = block->body.scene.active_camera;
            tn_path_text at = tn_path("%s.scene.active_camera", path.text);
            // The active camera of a scene is a node with a camera.
            uint32_t node_index = gpb_find_node(&checker.index, gpb_xref_id(doc, camera));
            if (node_index == TENON_NONE)
                gpb_check_missing(&checker, at, camera, TENON_GPB_NODE);
            else if (tree->nodes[node_index].node->camera.camera_type == 0)
                tn_found(check, "active-camera", at, "the node '%s' has no camera",
                         tn_show(camera, 48).text);
        }
        for (uint32_t i = 0; i < all.animation_count; i++)
            gpb_check_animation(&checker, &all.animations[i],
                                block->kind == TENON_GPB_ANIMATION
                                    ? tn_path("%s.animation", path.text).text
                                    : tn_path("%s.animations.animations[%u]", path.text, i).text);
        if (block->kind == TENON_GPB_MATERIAL && block->body.material.effect.size)
            gpb_check_effect(&checker, tn_path("%s.material.effect", path.text),
                             block->body.material.effect);
        if (block->kind == TENON_GPB_MESH) gpb_check_mesh(&checker, b);
        if (block->kind == TENON_GPB_FONT) gpb_check_font(&checker, b);
    }
    for (uint32_t i = 0; i < tree->count; i++) gpb_check_node(&checker, i);
    gpb_check_sidecars(&checker);
    if (checker.links) gpb_free_links(checker.links);
}

// -- The rules

#define ENGINE "gameplay"

const tenon_rule gpb_rules[GPB_RULE_COUNT] = {
    {"gpb/old-version", TENON_WARNING, "the current engine loads the version",
     "convert with --as 1.5", NULL},
    {"gpb/engine-version", TENON_ERROR, "the version is 1.2 or later", "convert with --as 1.5",
     ENGINE},
    {"gpb/gap", TENON_WARNING, "every byte belongs to an object", NULL, NULL},
    {"gpb/object-count", TENON_WARNING, "the object count is correct", NULL, NULL},
    {"gpb/string-size", TENON_ERROR, "text is shorter than 5000 bytes", NULL, NULL},
    {"gpb/text-utf8", TENON_INFO, "names are UTF-8",
     "save the names as UTF-8, not in a local code page", NULL},
    {"gpb/not-finite", TENON_WARNING, "numbers are finite", NULL, NULL},
    {"gpb/reference-empty", TENON_ERROR, "a reference has an id",
     "give the object an id: the engine refuses the bundle without it", NULL},
    {"gpb/reference-duplicate", TENON_ERROR, "ids are unique",
     "rename all but one: the engine finds only the first object", NULL},
    {"gpb/reference-order", TENON_WARNING, "references are sorted by the bytes of their ids", NULL,
     NULL},
    {"gpb/reference-type", TENON_WARNING, "the type of a reference exists", NULL, NULL},
    {"gpb/reference-target", TENON_ERROR, "a reference points to an object of the same type",
     "convert with --refresh, which marks it as never written", NULL},
    {"gpb/reference-shared", TENON_WARNING, "no two references point to the same object",
     "remove all but one: the engine uses only the first id of the object", NULL},
    {"gpb/reference-unwritten", TENON_WARNING,
     "every reference except an ambient light points to a written object", NULL, NULL},
    {"gpb/unresolved-xref", TENON_ERROR,
     "every mesh, joint, camera or effect that is referenced exists",
     "add the object, or for 'file#id', put the file into the folder of the bundle", NULL},
    {"gpb/node-unnamed", TENON_ERROR, "a node is in the reference table",
     "give the node an id: the engine stops at a node without one", NULL},
    {"gpb/node-type", TENON_ERROR, "a node is a node (1) or a joint (2)",
     "set the type to 1 or 2: the engine stops reading at any other type", NULL},
    {"gpb/node-matrix", TENON_WARNING, "a matrix has only scale, rotation and translation",
     "apply shear and mirroring to the vertices: the engine drops them", NULL},
    {"gpb/parent-id", TENON_WARNING, "the parent name of a node is correct",
     "convert with --refresh, which writes the names of the parents", NULL},
    {"gpb/active-camera", TENON_ERROR, "the node of the active camera has a camera", NULL, NULL},
    {"gpb/camera-unnamed", TENON_INFO, "cameras and lights are in the reference table",
     "give it a unique id", NULL},
    {"gpb/camera-type", TENON_ERROR, "a camera is perspective (1) or orthographic (2)", NULL, NULL},
    {"gpb/camera-values", TENON_WARNING, "the view of a camera is not empty", NULL, NULL},
    {"gpb/light-type", TENON_ERROR, "a light is directional (1), point (2) or spot (3)", NULL,
     NULL},
    {"gpb/light-values", TENON_WARNING, "the range and angles of a light are valid", NULL, NULL},
    {"gpb/model-name", TENON_WARNING, "a mesh is referenced as '#id'",
     "put '#' before the id: otherwise the engine does not show the model", NULL},
    {"gpb/flag", TENON_WARNING, "a flag is 0 or 1",
     "write 0 or 1: the engine reads any other value as 1", NULL},
    {"gpb/material-count", TENON_WARNING, "a model has as many materials as its mesh has parts",
     "give each part of the mesh a material, in the order of the parts", NULL},
    {"gpb/skin-empty", TENON_ERROR, "a skin has joints", NULL, NULL},
    {"gpb/bind-pose-count", TENON_ERROR, "a skin has one matrix for each joint", NULL, NULL},
    {"gpb/joint-type", TENON_ERROR, "the joints of a skin are joint nodes",
     "make the node a joint: the engine crashes when it draws the skin", NULL},
    {"gpb/engine-palette", TENON_WARNING,
     "the joints of a skin fit the shader uniforms of every device",
     "split the mesh, or merge joints", ENGINE},
    {"gpb/skin-attributes", TENON_WARNING, "a skinned mesh has weights and joint indices", NULL,
     NULL},
    {"gpb/bone-index", TENON_ERROR,
     "joint indices are whole numbers less than the number of joints", NULL, NULL},
    {"gpb/weight-sum", TENON_WARNING, "the weights of a vertex sum to 1",
     "divide the weights of a vertex by their sum", NULL},
    {"gpb/mesh-unused", TENON_INFO, "every mesh is used by a node", NULL, NULL},
    {"gpb/no-position", TENON_ERROR, "vertices have positions of 3 floats", NULL, NULL},
    {"gpb/element", TENON_WARNING,
     "every vertex element has a known usage, 1 to 4 floats, and occurs once", NULL, NULL},
    {"gpb/vertex-size", TENON_ERROR, "the size of the vertex data is a multiple of the vertex size",
     NULL, NULL},
    {"gpb/bounds", TENON_WARNING, "bounds contain all vertices",
     "compute the bounds from the vertices: the engine uses them to hide meshes out of view", NULL},
    {"gpb/primitive-type", TENON_ERROR, "a mesh part has points, lines, triangles or strips", NULL,
     NULL},
    {"gpb/primitive-count", TENON_WARNING, "the number of indices matches the primitive type", NULL,
     NULL},
    {"gpb/index-format", TENON_ERROR, "indices have 8, 16 or 32 bits", NULL, NULL},
    {"gpb/index-size", TENON_ERROR, "the size of the index data is a multiple of the index size",
     NULL, NULL},
    {"gpb/index-range", TENON_ERROR, "every index is less than the number of vertices of its mesh",
     NULL, NULL},
    {"gpb/animation-empty", TENON_INFO, "an animation has channels", NULL, NULL},
    {"gpb/animation-takes", TENON_INFO,
     "an animation has at most one channel for each attribute of a node",
     "give each take a separate animation: the encoder wrote all of them under one name", NULL},
    {"gpb/animation-target", TENON_ERROR, "the target of a channel is a node of the bundle",
     "remove the channel: the engine stops reading at it", NULL},
    {"gpb/attribute", TENON_WARNING, "the attribute of a channel is known", NULL, NULL},
    {"gpb/attribute-skipped", TENON_INFO, "the engine plays the attribute of a channel", NULL,
     NULL},
    {"gpb/key-time", TENON_WARNING, "key times are plausible: days, not weeks",
     "try --from gpb:1.0-float: the times may be stored as floats", NULL},
    {"gpb/key-order", TENON_WARNING, "key times increase", NULL, NULL},
    {"gpb/key-values", TENON_ERROR, "the number of values of a channel matches its keys", NULL,
     NULL},
    {"gpb/key-rotation", TENON_WARNING, "rotations have length 1", NULL, NULL},
    {"gpb/interpolation", TENON_INFO, "the interpolation of keys is linear",
     "resample the curve: the engine interpolates linearly between keys", NULL},
    {"gpb/interpolation-count", TENON_WARNING,
     "a channel has one interpolation, or one for each key", NULL, NULL},
    {"gpb/font-family", TENON_ERROR, "a font has a family name",
     "add a family name: the engine does not load the font without it", NULL},
    {"gpb/font-style", TENON_WARNING, "the style of a font is known", NULL, NULL},
    {"gpb/font-empty", TENON_ERROR, "a font has sizes", NULL, NULL},
    {"gpb/glyphs-empty", TENON_ERROR, "a font size has glyphs",
     "add glyphs, or remove the size: the engine does not load the font", NULL},
    {"gpb/glyph-uv", TENON_WARNING, "a glyph is inside the texture", NULL, NULL},
    {"gpb/texel-count", TENON_ERROR, "a font has as many texels as width times height", NULL, NULL},
    {"gpb/font-format", TENON_WARNING, "a font is a bitmap (0) or a distance field (1)", NULL,
     NULL},
    {"gpb/distance-field", TENON_INFO, "a distance field texture is marked as one",
     "convert with --as 1.3 or later, which stores the format", NULL},
    {"gpb/side-syntax", TENON_WARNING, "property files next to the bundle are readable", NULL,
     NULL},
    {"gpb/material-file", TENON_INFO, "a bundle that names materials has a .material file",
     "put the .material file next to the bundle: without it the engine draws without materials",
     NULL},
    {"gpb/material-missing", TENON_WARNING,
     "the .material file has every material that a model uses", NULL, NULL},
    {"gpb/texture-missing", TENON_WARNING, "every texture file exists",
     "put the texture at this path in the engine's resource folder", NULL},
    {"gpb/clip", TENON_WARNING, "a clip is within its animation", NULL, NULL},
};
