// bbmod_export.c: exporting a scene as a BBMOD model with animations and material files.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_format.h"

#include "document/document.h"
#include "exchange/prepare.h"

#include <string.h>

bool bbmod_export_has_bones(const tn_part *part)
{
    return part->is_skinned || part->bone != TENON_NONE;
}

// In versions with one vertex format for all, either all meshes have bones or none. Before version
// 3 nodes do not transform meshes, so animated meshes need bones.
static tn_rigid bbmod_export_choose_rigid(const tenon_scene *scene, uint32_t flags)
{
    bool is_free = (flags & (TENON_BBMOD_MESH_FORMATS | TENON_BBMOD_NO_BONE_COUNT)) ||
                   !(flags & TENON_BBMOD_BONES);
    if (is_free) return TN_RIGID_WITHOUT_BONES;
    if ((flags & TENON_BBMOD_MATRICES) && scene->animation_count) return TN_RIGID_ALL;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        if (node->mesh == TENON_NONE || node->skin == TENON_NONE) continue;
        for (uint32_t k = 0; k < scene->meshes[node->mesh].primitive_count; k++)
            if (scene->meshes[node->mesh].primitives[k].influence_count) return TN_RIGID_ALL;
    }
    return TN_RIGID_WITHOUT_BONES;
}

// Version 1 animates bones only, so every animated node becomes a bone.
static bool bbmod_export_add_moving(bbmod_exporter *exporter)
{
    uint32_t count = exporter->rig.bone_count;
    bool *moves = tn_moving_nodes(exporter->export);
    tn_bone *bones = tn_export_alloc(exporter->export,
                                     (uint64_t)count + exporter->scene->node_count, sizeof *bones);
    if (!moves || !bones) return false;
    for (uint32_t i = 0; i < count; i++) {
        bones[i] = exporter->rig.bones[i];
        moves[bones[i].node] = false;
    }
    for (uint32_t i = 0; i < exporter->scene->node_count; i++)
        if (moves[i]) bones[count++] = (tn_bone){.node = i, .inverse_bind = tn_mat4_identity()};
    exporter->rig.bones = bones;
    exporter->rig.bone_count = count;
    return true;
}

static bool bbmod_export_model(bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    uint32_t flags = export->dialect ? export->dialect->flags : exporter->doc->base.dialect->flags;
    // All joints of skins become bones. If these are too many for the engine, only those with
    // weights.
    exporter->rigid = bbmod_export_choose_rigid(exporter->scene, flags);
    if (!tn_rig_make(export, exporter->rigid, true, &exporter->rig)) return false;
    if (exporter->rig.bone_count > BBMOD_ENGINE_MOST &&
        !tn_rig_make(export, exporter->rigid, false, &exporter->rig))
        return false;
    if ((flags & TENON_BBMOD_NESTED) && exporter->rigid != TN_RIGID_WITHOUT_BONES &&
        !bbmod_export_add_moving(exporter))
        return false;
    exporter->default_material = TENON_NONE;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++)
        if (exporter->rig.parts[i].p->material == TENON_NONE)
            exporter->default_material = exporter->scene->material_count;
    if (!bbmod_export_find_stretches(exporter) || !bbmod_export_bones(exporter) ||
        !bbmod_export_plan_nodes(exporter) || !bbmod_export_meshes(exporter))
        return false;
    // Version 0 is recognized by its vertices, so it needs some.
    bool is_known = (flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER)) != 0;
    for (uint32_t i = 0; i < exporter->doc->mesh_count; i++)
        if (exporter->doc->meshes[i].primitive_type == TENON_BBMOD_TRIANGLES) is_known = true;
    if (!is_known)
        return tn_error(
            export->err, TENON_ERR_UNSUPPORTED,
            "version 0 of BBMOD stores one mesh, but the scene has no visible triangles");
    return bbmod_export_fill_tree(exporter) && bbmod_export_materials(exporter);
}

// The dialects of the format's document cannot store everything that poses need, so the error is
// measured.
static void bbmod_export_take_loss(void *user, const tenon_loss *loss)
{
    const tn_export *export = user;
    if (export->dialect->flags & TENON_BBMOD_DOCUMENT)
        tn_export_approximate(export, TN_MEASURE_REMAINDER, loss->feature, loss->count, loss->path,
                              loss->why);
    else
        tn_export_report(export, loss->kind, loss->feature, loss->count, loss->path, loss->why);
}

const char *bbmod_export_name_file(const tn_export *export, tenon_str wanted, const char *end,
                                   tenon_str *kept)
{
    bool has_prefix = !export->opts->without_prefix;
    tenon_str stem = has_prefix ? tn_export_stem(export) : (tenon_str){"", 0};
    char *rest = tn_export_alloc(export, (uint64_t)wanted.size + 1, 1);
    if (!rest) return NULL;
    rest[0] = '_';
    if (wanted.size) memcpy(rest + 1, wanted.data, wanted.size);
    const char *file = tn_export_name(
        export, stem, (tenon_str){rest + !has_prefix, wanted.size + has_prefix}, end);
    if (!file) return NULL;
    const char *start = file + stem.size + has_prefix;
    *kept = (tenon_str){start, (uint32_t)(strlen(start) - strlen(end))};
    return file;
}

// The document has the newest dialect and is downgraded.
bool bbmod_export_doc(const bbmod_exporter *exporter, const char *name, tenon_doc *doc,
                      const tenon_dialect *dialect)
{
    const tn_export *export = exporter->export;
    tenon_change_opts opts = {.dialect = dialect->name,
                              .events = {.user = (void *)export, .on_loss = bbmod_export_take_loss},
                              .model = name[0] ? &exporter->doc->base : NULL};
    if (dialect != doc->dialect && !tn_doc_change(doc, &opts, export->err)) return false;
    return tn_export_put_doc(export, name, doc);
}

bool bbmod_export(const tn_export *export)
{
    uint32_t spaces = TENON_BBANIM_PARENT | TENON_BBANIM_WORLD | TENON_BBANIM_BONE;
    if (export->opts->spaces & ~spaces)
        return tn_error(export->err, TENON_ERR_UNSUPPORTED,
                        "the spaces must be a combination of 1, 2 and 4");
    const tenon_scene *scene = tn_prepare(export, TN_NEEDS_NORMALS | TN_NEEDS_TANGENTS);
    if (!scene) return false;
    tn_export with = *export;
    with.scene = scene;
    bbmod_exporter exporter = {.export = &with, .scene = scene};
    exporter.doc = tn_export_doc(&with, &tn_bbmod_format, bbmod_newest_dialect());
    if (!exporter.doc || !bbmod_export_model(&exporter) || !bbanim_export_clips(&exporter))
        return false;
    bbmod_export_report_losses(&exporter);
    return bbmod_export_doc(&exporter, "", &exporter.doc->base,
                            export->dialect ? export->dialect : exporter.doc->base.dialect);
}
