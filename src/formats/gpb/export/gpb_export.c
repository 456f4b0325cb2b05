// gpb_export.c: exports a scene as a gameplay bundle, and reports what it cannot represent.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "document/document.h"
#include "exchange/prepare.h"
#include "exchange/rig.h"

#include <string.h>

// -- Memory, numbers, texts

void *gpb_alloc(gpb_exporter *exporter, uint64_t count, size_t size)
{
    void *memory = exporter->failed ? NULL : tn_export_alloc(exporter->export, count, size);
    if (!memory) exporter->failed = true;
    return memory;
}

float gpb_narrow(gpb_exporter *exporter, double value)
{
    return tn_narrow(value, &exporter->lost.numbers.count);
}

tenon_str gpb_join(gpb_exporter *exporter, tenon_str start, const char *end)
{
    tenon_str text = {NULL, 0};
    if (!exporter->failed) text = tn_export_join(exporter->export, start, end);
    if (!text.data) exporter->failed = true;
    return text.data ? text : (tenon_str){"", 0};
}

tenon_span gpb_make_span(gpb_exporter *exporter, const void *numbers, uint64_t count,
                         const tenon_layout *layout)
{
    uint64_t size = count * layout->stride;
    uint8_t *bytes = gpb_alloc(exporter, size, 1);
    if (bytes) tn_copy_numbers(bytes, numbers, size / 4, 4, false);
    return (tenon_span){.data = bytes, .size = size, .count = count, .layout = layout};
}

// -- References

tenon_str gpb_shorten_name(tenon_str name, uint32_t most)
{
    uint32_t size = name.size;
    if (size <= most) return name;
    for (size = most; size && ((uint8_t)name.data[size] & 0xc0) == 0x80;) size--;
    return (tenon_str){name.data, size};
}

uint32_t gpb_add_reference(gpb_exporter *exporter, uint32_t type, tenon_str name, uint32_t index)
{
    static const struct {
        const char *fallback;  // Used if the name is empty.
        const char *suffix;    // Appended if the name is taken; then a number.
        const char *list;      // The place of the object in the scene.
    } texts[] = {
        [TENON_GPB_SCENE] = {"__SCENE__", "_Scene", "scenes"},
        [TENON_GPB_NODE] = {"node", "", "nodes"},
        [TENON_GPB_CAMERA] = {"camera", "_Camera", "cameras"},
        [TENON_GPB_LIGHT] = {"light", "_Light", "lights"},
        [TENON_GPB_MESH] = {"mesh", "", "meshes"},
    };
    const char *fallback = texts[type].fallback, *suffix = texts[type].suffix;
    tenon_str id = gpb_shorten_name(name, GPB_ID_MOST);
    if (id.size == 0) id = (tenon_str){fallback, (uint32_t)strlen(fallback)};
    uint32_t reference = exporter->failed ? TENON_NONE : gpb_table_add(&exporter->table, id, type);
    bool is_taken =
        reference != TENON_NONE && exporter->doc->references[reference].id.size != id.size;
    if (is_taken && *suffix) {
        gpb_table_drop(&exporter->table, reference);
        id = gpb_join(exporter, id, suffix);
        reference = exporter->failed ? TENON_NONE : gpb_table_add(&exporter->table, id, type);
    }
    if (reference == TENON_NONE) exporter->failed = true;
    if (exporter->failed) return TENON_NONE;
    bool is_kept = exporter->doc->references[reference].id.size == name.size;
    tn_tally *lost = name.size ? &exporter->lost.names : &exporter->lost.no_names;
    tn_tally_at(lost, !is_kept, texts[type].list, index);
    return reference;
}

tenon_str gpb_xref_of(gpb_exporter *exporter, uint32_t reference)
{
    tenon_str xref = {"", 0};
    if (!exporter->failed)
        xref = gpb_make_xref(exporter->doc->references[reference].id, exporter->export->arena,
                             exporter->export->err);
    if (!xref.size) exporter->failed = true;
    return xref;
}

// -- The document

// Blocks in the encoder's order: meshes, the scene, the animations. Effects follow.
static void gpb_fill_document(gpb_exporter *exporter)
{
    static const tenon_str container = {"__Animations__", 14};
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    tenon_gpb *doc = exporter->doc;
    uint32_t mesh_count = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        gpb_mesh_plan *mesh = &exporter->meshes[i];
        mesh->block = mesh->is_rigid || mesh->is_skinned ? mesh_count++ : TENON_NONE;
    }
    bool is_document = export->dialect && (export->dialect->flags & TENON_GPB_DOCUMENT);
    uint64_t effect_count = is_document ? scene->material_count : 0;
    doc->blocks = gpb_alloc(exporter, (uint64_t)mesh_count + 2 + effect_count, sizeof *doc->blocks);
    // An object whose name is taken needs two.
    uint64_t more = 2 + (uint64_t)exporter->node_count + 2 * ((uint64_t)scene->mesh_count + 1) +
                    (uint64_t)scene->material_count;
    for (uint32_t i = 0; i < scene->node_count; i++)
        more += 2 * ((uint64_t)(scene->nodes[i].camera != TENON_NONE) +
                     (uint64_t)(scene->nodes[i].light != TENON_NONE));
    if (more > UINT32_MAX)
        exporter->failed = !tn_error(export->err, TENON_ERR_LIMIT, "too many objects");
    if (exporter->failed) return;
    exporter->table = gpb_table_begin(doc, export->arena, (uint32_t)more, export->err);
    exporter->failed = exporter->table.failed;
    if (exporter->failed) return;
    uint32_t reference = gpb_table_add(&exporter->table, container, TENON_GPB_ANIMATIONS);
    for (uint32_t i = 0; i < exporter->node_count && !exporter->failed; i++) {
        gpb_node_plan *node = &exporter->nodes[i];
        node->reference = gpb_add_reference(exporter, TENON_GPB_NODE, node->name, node->origin);
        node->xref = gpb_xref_of(exporter, node->reference);
    }
    if (is_document) gpb_export_effects(exporter);
    doc->block_count = mesh_count;
    for (uint32_t i = 0; i < scene->mesh_count && !exporter->failed; i++) {
        gpb_mesh_plan *mesh = &exporter->meshes[i];
        if (mesh->block == TENON_NONE) continue;
        tenon_gpb_block *block = &doc->blocks[mesh->block];
        // Encoders append this. The importer removes it.
        tenon_str name = gpb_shorten_name(scene->meshes[i].name, GPB_ID_MOST);
        if (name.size) name = gpb_join(exporter, name, "_Mesh");
        block->kind = TENON_GPB_MESH;
        block->reference = gpb_add_reference(exporter, TENON_GPB_MESH, name, i);
        mesh->xref = gpb_xref_of(exporter, block->reference);
        gpb_export_mesh(exporter, i, &block->body.mesh);
    }
    if (!exporter->failed) {
        tenon_gpb_block *block = &doc->blocks[doc->block_count++];
        block->kind = TENON_GPB_SCENE;
        gpb_export_tree(exporter, &block->body.scene);
        block->reference = gpb_add_reference(exporter, TENON_GPB_SCENE, scene->name, 0);
    }
    if (!exporter->failed) {
        tenon_gpb_block *block = &doc->blocks[doc->block_count];
        *block = (tenon_gpb_block){.kind = TENON_GPB_ANIMATIONS, .reference = reference};
        if (gpb_export_animations(exporter, &block->body.animations) > 0)
            doc->block_count++;
        else
            gpb_table_drop(&exporter->table, reference);
    }
    for (uint32_t i = 0; i < exporter->effect_count && !exporter->failed; i++)
        doc->blocks[doc->block_count++] = exporter->effect_blocks[i];
    if (!exporter->failed) gpb_export_bounds(exporter);
    doc->version[0] = 1;
    doc->version[1] = GPB_MINOR_MOST;
    doc->end_counts = TENON_GPB_COUNTS_MESHES | TENON_GPB_COUNTS_OBJECTS;
    if (exporter->failed || !gpb_table_end(&exporter->table) ||
        !gpb_refresh_parents(doc, export->arena, export->err))
        exporter->failed = true;
}

// -- Losses

// A loss and its text.
typedef struct gpb_loss_row {
    const tn_tally *tally;
    tenon_loss_kind kind;
    const char *feature, *why;
} gpb_loss_row;

static void gpb_report_rows(const gpb_exporter *exporter, const gpb_loss_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tn_export_report_tally(exporter->export, rows[i].tally, rows[i].kind, rows[i].feature,
                               rows[i].why);
}

static void gpb_report_node_losses(const gpb_exporter *exporter)
{
    const gpb_export_losses *lost = &exporter->lost;
    const gpb_loss_row rows[] = {
        {&lost->parts, TENON_DROPPED, "parts of meshes", "they have nothing to draw"},
        {&lost->tails, TENON_DROPPED, "vertices",
         "left over: too few for another line or triangle"},
        {&lost->meshes, TENON_DROPPED, "meshes", "they are empty or not used by a node"},
        {&lost->mirrored, TENON_SYNTHESIZED, "meshes",
         "copies with reversed triangles for mirrored nodes, which the engine would show inside "
         "out"},
        {&lost->elements, TENON_DEFAULTED, "vertex elements",
         "filled in, because all vertices of a mesh need the same elements: 0 for texture "
         "coordinates, white for colors"},
        {&lost->normals, TENON_SYNTHESIZED, "normals",
         "computed from the faces: lighting needs them"},
        {&lost->tangents, TENON_SYNTHESIZED, "tangents",
         "needed by normal maps or by other parts of the mesh"},
        {&lost->colors, TENON_DROPPED, "second vertex colors", "a vertex has only one color"},
        {&lost->weights, TENON_DROPPED, "weights", "the node of the mesh has no skin"},
        {&lost->places, TENON_APPROXIMATED, "places of skinned meshes",
         "moved to the scene root: the engine also applies the node's transform"},
        {&lost->model_nodes, TENON_SYNTHESIZED, "nodes",
         "added at the scene root for skinned meshes: the engine also applies the node's "
         "transform"},
        {&lost->shear, TENON_SYNTHESIZED, "nodes", "a sheared transform is split into two nodes"},
        {&lost->bind_joints, TENON_SYNTHESIZED, "nodes",
         "copies of joints that have different inverse bind matrices: the engine stores one for "
         "each joint"},
        {&lost->palettes, TENON_APPROXIMATED, "skins",
         "they have more joints than the shaders of some devices allow"},
        {&lost->skins, TENON_DROPPED, "skins", "not used by a mesh"},
        {&lost->skin_names, TENON_APPROXIMATED, "names of skins",
         "replaced by the names of their nodes"},
        {&lost->cameras, TENON_DROPPED, "cameras", "not used by a node"},
        {&lost->shared_cameras, TENON_APPROXIMATED, "shared cameras", "copied for each node"},
        {&lost->camera_numbers, TENON_DEFAULTED, "cameras",
         "missing values were set: aspect ratio 4:3, near plane 0.01, far plane 1000 times the "
         "near plane"},
        {&lost->active_camera, TENON_DEFAULTED, "active camera", "set to the first camera"},
        {&lost->lights, TENON_DROPPED, "lights", "not used by a node"},
        {&lost->shared_lights, TENON_APPROXIMATED, "shared lights", "copied for each node"},
        {&lost->intensities, TENON_APPROXIMATED, "intensities of lights",
         "multiplied into the colors"},
        {&lost->ranges, TENON_DEFAULTED, "ranges of lights",
         "set to the distance at which the light has faded to 1 percent"},
    };
    gpb_report_rows(exporter, rows, sizeof rows / sizeof rows[0]);
}

static void gpb_report_material_losses(const gpb_exporter *exporter)
{
    const gpb_export_losses *lost = &exporter->lost;
    const gpb_loss_row rows[] = {
        {&lost->materials, TENON_DROPPED, "materials", "not used by a mesh"},
        {&lost->variants, TENON_SYNTHESIZED, "materials",
         "copies for mesh parts that need a different shader"},
        {&lost->no_material, TENON_SYNTHESIZED, "materials",
         "the engine does not draw a mesh without a material"},
        {&lost->no_file, TENON_DROPPED, "contents of materials",
         "writing a .material file was turned off"},
        {&lost->metal, TENON_DROPPED, "metal and roughness",
         "not supported by the engine's materials"},
        {&lost->emissive, TENON_DROPPED, "emissive colors",
         "not supported by the engine's materials"},
        {&lost->specular, TENON_APPROXIMATED, "specular colors",
         "in the engine, highlights have the color of the light"},
        {&lost->unlit, TENON_APPROXIMATED, "unlit materials",
         "written as materials whose shader has no lights"},
        {&lost->cutoff, TENON_APPROXIMATED, "alpha cutoffs", "the engine always uses 0.5"},
        {&lost->strengths, TENON_DROPPED, "strengths of textures",
         "not supported by the engine's materials"},
        {&lost->slots, TENON_DROPPED, "textures",
         "the engine supports only base color, normal, specular and light maps"},
        {&lost->uv_sets, TENON_APPROXIMATED, "textures",
         "the engine uses the second texture coordinates for light maps, and the first for all "
         "others"},
        {&lost->placements, TENON_APPROXIMATED, "places of textures",
         "all textures use the scale and offset of the first, without rotation"},
        {&lost->edges, TENON_APPROXIMATED, "edges of textures",
         "the engine supports only repeat and clamp"},
        {&lost->paths, TENON_DROPPED, "textures",
         "the path has characters that a .material file cannot hold"},
        {&lost->jpeg, TENON_APPROXIMATED, "textures", "the engine does not read JPEG files"},
        {&lost->material_names, TENON_APPROXIMATED, "names of materials",
         "changed: each must be one word, and unique"},
        {&lost->empty_clips, TENON_DROPPED, "animations", "they do not move anything"},
        {&lost->anchors, TENON_SYNTHESIZED, "channels",
         "added so that clips of equal length are not merged when the file is read"},
        {&lost->constants, TENON_SYNTHESIZED, "channels",
         "added for mirrored or flat nodes, so that the channels hold the whole transform"},
        {&lost->lengths, TENON_APPROXIMATED, "lengths of clips",
         "rounded to whole milliseconds, at least 1"},
        {&lost->grouped, TENON_APPROXIMATED, "names of clips",
         "the skeleton's part of the first clip is called 'animations', as the engine's encoder "
         "does; other clips keep their names"},
        {&lost->mirroring, TENON_APPROXIMATED, "mirroring animations",
         "the engine shows a mesh inside out while a key mirrors it and the rest pose does not"},
        {&lost->events, TENON_DROPPED, "events", "not supported by this format"},
        {&lost->numbers, TENON_APPROXIMATED, "numbers", "too large: set to the largest float"},
        {&lost->extras, TENON_DROPPED, "extras", "not supported by this format"},
        {&lost->names, TENON_APPROXIMATED, "names",
         "changed: each must be unique and shorter than 5000 bytes"},
        {&lost->no_names, TENON_SYNTHESIZED, "names", "every object of a bundle needs one"},
    };
    gpb_report_rows(exporter, rows, sizeof rows / sizeof rows[0]);
}

static void gpb_export_report_losses(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        tn_tally_at(&exporter->lost.meshes, exporter->meshes[i].block == TENON_NONE, "meshes", i);
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        bool is_shown = exporter->joints[i] != NULL;
        tn_tally_at(&exporter->lost.skins, !is_shown, "skins", i);
    }
    for (uint32_t i = 0; i < exporter->node_count; i++) {
        uint32_t shown = exporter->nodes[i].mesh_node;
        if (shown == TENON_NONE || scene->nodes[shown].skin == TENON_NONE) continue;
        tenon_str name = scene->skins[scene->nodes[shown].skin].name;
        tenon_str id = {exporter->nodes[i].xref.data + 1, exporter->nodes[i].xref.size - 1};
        tn_tally_at(&exporter->lost.skin_names, !tn_text_equal(name, id), "skins",
                    scene->nodes[shown].skin);
    }
    for (uint32_t i = 0; i < scene->animation_count; i++)
        tn_tally_at(&exporter->lost.events, scene->animations[i].event_count, "animations", i);
    if (!exporter->export->opts->without_materials)
        tn_export_report_picture_names(exporter->export);
    const gpb_export_losses *lost = &exporter->lost;
    tn_export_approximate(exporter->export, TN_MEASURE_INFLUENCES, "influences",
                          lost->influences.count, lost->influences.path,
                          "reduced to the four largest weights of each vertex");
    tn_export_approximate(exporter->export, TN_MEASURE_REMAINDER, "matrices of nodes",
                          lost->projection.count, lost->projection.path,
                          "the last row was not 0 0 0 1");
    tn_export_approximate(exporter->export, TN_MEASURE_REMAINDER, "curves", lost->curves.count,
                          lost->curves.path, "replaced by straight lines between keys");
    tn_export_approximate(exporter->export, TN_MEASURE_REMAINDER, "times of keys",
                          lost->times.count, lost->times.path,
                          "rounded to whole milliseconds, at least 1");
    gpb_report_node_losses(exporter);
    gpb_report_material_losses(exporter);
}

bool gpb_export(const tn_export *export)
{
    const tenon_scene *prepared = tn_prepare(export, TN_NEEDS_INDICES);
    tenon_scene *scene = tn_export_alloc(export, 1, sizeof *scene);
    tn_mirrored_meshes mirrored;
    if (!prepared || !scene) return false;
    *scene = *prepared;
    if (!tn_find_mirrored(scene, export->arena, &mirrored, export->err)) return false;
    tn_export with_scene = *export;
    with_scene.scene = scene;
    gpb_exporter exporter = {.export = &with_scene, .scene = scene};
    exporter.doc = tn_export_doc(export, &tn_gpb_format, &tn_gpb_format.face.dialects[0]);
    exporter.moves = tn_moving_nodes(&with_scene);
    if (!exporter.doc || !exporter.moves) return false;
    gpb_plan_meshes(&exporter, &mirrored);
    if (!exporter.failed) gpb_plan_nodes(&exporter);
    if (!exporter.failed) gpb_plan_joints(&exporter);
    if (!exporter.failed) gpb_plan_elements(&exporter);
    if (!exporter.failed) gpb_plan_materials(&exporter);
    if (!exporter.failed) gpb_fill_document(&exporter);
    if (exporter.failed) return false;
    // Versions before 1.5 are made by a downgrade.
    const tenon_change_opts opts = {.dialect = export->dialect ? export->dialect->name : NULL,
                                    .events = export->opts->events};
    if (!tn_doc_finalize(&exporter.doc->base, export->err) ||
        !tn_doc_change(&exporter.doc->base, &opts, export->err))
        return false;
    if (!export->opts->without_materials) gpb_export_materials(&exporter);
    if (exporter.failed) return false;
    gpb_export_report_losses(&exporter);
    return tn_export_put_doc(export, "", exporter.doc);
}
