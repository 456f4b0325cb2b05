// gpb_export.c: exports a scene as a gameplay bundle.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "document/document.h"
#include "exchange/prepare.h"
#include "exchange/rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- Memory, numbers, texts

void *gpb_export_alloc(gpb_exporter *exporter, uint64_t count, size_t size)
{
    void *memory = exporter->failed ? NULL : tn_export_alloc(exporter->export, count, size);
    if (!memory) exporter->failed = true;
    return memory;
}

void gpb_export_count_loss(gpb_exporter *exporter, gpb_loss what, uint64_t count, const char *list,
                           uint32_t index)
{
    tn_tally_at(&exporter->losses[what], count, list, index);
}

float gpb_export_float(gpb_exporter *exporter, double value)
{
    return tn_narrow(value, &exporter->losses[GPB_LOSS_NUMBERS].count);
}

tenon_str gpb_export_text(gpb_exporter *exporter, tenon_str start, const char *end)
{
    uint64_t size = (uint64_t)start.size + strlen(end);
    char *text = gpb_export_alloc(exporter, size + 1, 1);
    if (!text || size > UINT32_MAX) return (tenon_str){"", 0};
    if (start.size) memcpy(text, start.data, start.size);
    memcpy(text + start.size, end, strlen(end));
    return (tenon_str){text, (uint32_t)size};
}

tenon_span gpb_export_span(gpb_exporter *exporter, const void *numbers, uint64_t count,
                           const tenon_layout *layout)
{
    uint64_t size = count * layout->stride;
    uint8_t *bytes = gpb_export_alloc(exporter, size, 1);
    if (bytes) tn_copy_numbers(bytes, numbers, size / 4, 4, false);
    return (tenon_span){.data = bytes, .size = size, .count = count, .layout = layout};
}

// -- References

tenon_str gpb_export_shorten_name(tenon_str name, uint32_t most)
{
    uint32_t size = name.size;
    if (size <= most) return name;
    for (size = most; size && ((uint8_t)name.data[size] & 0xc0) == 0x80;) size--;
    return (tenon_str){name.data, size};
}

uint32_t gpb_export_reference(gpb_exporter *exporter, const gpb_id_request *request)
{
    tenon_str wanted = gpb_export_shorten_name(request->name, GPB_ID_MOST);
    if (wanted.size == 0)
        wanted = (tenon_str){request->fallback, (uint32_t)strlen(request->fallback)};
    uint32_t reference =
        exporter->failed ? TENON_NONE : gpb_table_add(&exporter->table, wanted, request->type);
    bool is_taken =
        reference != TENON_NONE && exporter->doc->references[reference].id.size != wanted.size;
    if (is_taken && *request->suffix) {
        gpb_table_drop(&exporter->table, reference);
        tenon_str longer = gpb_export_text(exporter, wanted, request->suffix);
        reference =
            exporter->failed ? TENON_NONE : gpb_table_add(&exporter->table, longer, request->type);
    }
    if (reference == TENON_NONE) exporter->failed = true;
    if (exporter->failed) return TENON_NONE;
    bool is_kept = exporter->doc->references[reference].id.size == request->name.size;
    gpb_loss what = request->name.size ? GPB_LOSS_NAMES : GPB_LOSS_NO_NAMES;
    gpb_export_count_loss(exporter, what, !is_kept, request->list, request->index);
    return reference;
}

tenon_str gpb_export_xref(gpb_exporter *exporter, uint32_t reference)
{
    tenon_str id = exporter->failed ? (tenon_str){"", 0} : exporter->doc->references[reference].id;
    char *text = gpb_export_alloc(exporter, (uint64_t)id.size + 2, 1);
    if (!text) return (tenon_str){"", 0};
    text[0] = '#';
    memcpy(text + 1, id.data, id.size);
    return (tenon_str){text, id.size + 1};
}

// -- The document

static void gpb_export_meshes(gpb_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->scene->mesh_count && !exporter->failed; i++) {
        gpb_mesh_plan *mesh = &exporter->meshes[i];
        if (mesh->block == TENON_NONE) continue;
        tenon_gpb_block *block = &exporter->doc->blocks[mesh->block];
        // Encoders append this. The importer removes it.
        tenon_str name = exporter->scene->meshes[i].name;
        if (name.size)
            name = gpb_export_text(exporter, gpb_export_shorten_name(name, GPB_ID_MOST), "_Mesh");
        uint32_t reference = gpb_export_reference(
            exporter, &(gpb_id_request){TENON_GPB_MESH, name, "mesh", "", "meshes", i});
        *block = (tenon_gpb_block){.kind = TENON_GPB_MESH, .reference = reference};
        mesh->xref = gpb_export_xref(exporter, reference);
        gpb_export_mesh(exporter, i, &block->body.mesh);
    }
}

static void gpb_export_scene(gpb_exporter *exporter)
{
    tenon_gpb_block *block = &exporter->doc->blocks[exporter->doc->block_count];
    *block = (tenon_gpb_block){.kind = TENON_GPB_SCENE};
    gpb_export_tree(exporter, &block->body.scene);
    block->reference =
        gpb_export_reference(exporter, &(gpb_id_request){TENON_GPB_SCENE, exporter->scene->name,
                                                         "__SCENE__", "_Scene", "scenes", 0});
    exporter->doc->block_count++;
}

static void gpb_export_begin_table(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    // An object whose name is taken needs two.
    uint64_t more = 2 + (uint64_t)exporter->node_count + 2 * ((uint64_t)scene->mesh_count + 1) +
                    (uint64_t)scene->material_count;
    for (uint32_t i = 0; i < scene->node_count; i++)
        more += 2 * ((uint64_t)(scene->nodes[i].camera != TENON_NONE) +
                     (uint64_t)(scene->nodes[i].light != TENON_NONE));
    if (more > UINT32_MAX)
        exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT, "too many objects");
    if (exporter->failed) return;
    exporter->table = gpb_table_begin(exporter->doc, exporter->export->arena, (uint32_t)more,
                                      exporter->export->err);
    exporter->failed = exporter->table.failed;
}

// Blocks in the encoder's order: meshes, the scene, the animations. Effects follow.
static void gpb_export_fill_document(gpb_exporter *exporter)
{
    static const tenon_str container = {"__Animations__", 14};
    const tn_export *export = exporter->export;
    tenon_gpb *doc = exporter->doc;
    uint32_t mesh_count = 0;
    for (uint32_t i = 0; i < exporter->scene->mesh_count; i++) {
        gpb_mesh_plan *mesh = &exporter->meshes[i];
        mesh->block = mesh->is_rigid || mesh->is_skinned ? mesh_count++ : TENON_NONE;
    }
    bool is_document = export->dialect && (export->dialect->flags & TENON_GPB_DOCUMENT);
    uint64_t effect_count = is_document ? exporter->scene->material_count : 0;
    doc->blocks =
        gpb_export_alloc(exporter, (uint64_t)mesh_count + 2 + effect_count, sizeof *doc->blocks);
    gpb_export_begin_table(exporter);
    if (exporter->failed) return;
    uint32_t reference = gpb_table_add(&exporter->table, container, TENON_GPB_ANIMATIONS);
    for (uint32_t i = 0; i < exporter->node_count && !exporter->failed; i++) {
        gpb_node_plan *node = &exporter->nodes[i];
        node->reference =
            gpb_export_reference(exporter, &(gpb_id_request){TENON_GPB_NODE, node->name, "node", "",
                                                             "nodes", node->origin});
        node->xref = gpb_export_xref(exporter, node->reference);
    }
    if (is_document) gpb_export_effects(exporter);
    doc->block_count = mesh_count;
    gpb_export_meshes(exporter);
    if (!exporter->failed) gpb_export_scene(exporter);
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
        !gpb_finalize_refresh_parents(doc, export->arena, export->err))
        exporter->failed = true;
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
    gpb_export_plan_meshes(&exporter, &mirrored);
    if (!exporter.failed) gpb_export_plan_nodes(&exporter);
    if (!exporter.failed) gpb_export_plan_joints(&exporter);
    if (!exporter.failed) gpb_export_plan_elements(&exporter);
    if (!exporter.failed) gpb_export_plan_materials(&exporter);
    if (!exporter.failed) gpb_export_fill_document(&exporter);
    if (exporter.failed) return false;
    // Versions before 1.5 are made by a downgrade.
    const tenon_change_opts opts = {.dialect = export->dialect ? export->dialect->name : NULL,
                                    .lost = export->opts->lost,
                                    .user = export->opts->user};
    if (!tn_doc_finalize(&exporter.doc->base, export->err) ||
        !tn_doc_change(&exporter.doc->base, &opts, export->err))
        return false;
    if (!export->opts->without_materials) gpb_export_materials(&exporter);
    if (exporter.failed) return false;
    gpb_export_report_losses(&exporter);
    return tn_export_put_doc(export, "", exporter.doc);
}
