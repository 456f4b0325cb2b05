// modeldata_export.c: exports a scene to ModelData or AnimatedModelData.
// SPDX-License-Identifier: MIT
//
// The format has no nodes: static transforms are applied to the vertices, and what moves is bound
// to joints.

#include "formats/modeldata/export/modeldata_export.h"

#include "document/document.h"
#include "exchange/prepare.h"
#include "scene/pose/pose.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define USUAL_RATE 24  // Ticks per second, if the options do not say.

void *modeldata_doc_alloc(modeldata_exporter *exporter, uint64_t count, size_t size)
{
    tn_refusal why;
    void *memory = tn_arena_alloc(&exporter->doc->base.owner->arena, count, size, &why);
    if (!memory) (void)modeldata_no_memory(exporter->export.err, why);
    return memory;
}

// As the dialect says; else scenes with skins or animations are animated.
static bool modeldata_is_to_be_animated(const tn_export *export)
{
    uint32_t flags = export->dialect ? export->dialect->flags : 0;
    if (flags & (TENON_MODELDATA_STATIC | TENON_MODELDATA_ANIMATED))
        return (flags & TENON_MODELDATA_ANIMATED) != 0;
    return export->scene->skin_count > 0 || export->scene->animation_count > 0;
}

static bool modeldata_begin_export(modeldata_exporter *exporter, const tn_export *export)
{
    const tenon_dialect *dialect =
        export->dialect ? export->dialect : tn_modeldata_format.face.dialects;
    const tenon_scene *prepared = tn_prepare(export, TN_NEEDS_ALL);
    if (!prepared) return false;
    *exporter =
        (modeldata_exporter){.export = *export, .scene = prepared, .rate = export->opts->rate};
    exporter->export.scene = prepared;
    if (!(exporter->rate > 0 && exporter->rate <= DBL_MAX)) exporter->rate = USUAL_RATE;
    exporter->doc = tn_export_doc(&exporter->export, &tn_modeldata_format, dialect);
    if (!exporter->doc) return false;
    exporter->doc->is_animated = modeldata_is_to_be_animated(export);
    exporter->is_document = (dialect->flags & TENON_MODELDATA_DOCUMENT) != 0;
    exporter->doc->is_column_major = (dialect->flags & TENON_MODELDATA_COLUMN_MAJOR) != 0;
    exporter->doc->model_size = MODELDATA_MODEL_MIN;  // There is a model, even without meshes.
    exporter->pose = tenon_pose_new(exporter->scene, &export->opts->allocator, export->err);
    return exporter->pose != NULL;
}

// -- Static models

static tn_mat4 modeldata_global_of(const modeldata_exporter *exporter, uint32_t node)
{
    tn_mat4 global;
    memcpy(global.m, tenon_pose_global(exporter->pose, node), sizeof global.m);
    return global;
}

// Move everything to the rest pose.
static bool modeldata_plan_static_parts(modeldata_exporter *exporter)
{
    if (!tn_rig_make(&exporter->export, TN_RIGID_WITHOUT_BONES, false, &exporter->rig))
        return false;
    exporter->part_plans =
        tn_export_alloc(&exporter->export, exporter->rig.part_count, sizeof *exporter->part_plans);
    for (uint32_t i = 0; exporter->part_plans && i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        exporter->part_plans[i] = (modeldata_part_plan){
            .placement = part->is_skinned ? MODELDATA_BY_POSE : MODELDATA_BY_MATRIX,
            .matrix = modeldata_global_of(exporter, part->node),
            .is_mirrored = tn_pose_mirrors(exporter->pose, part->node),
        };
    }
    return exporter->part_plans != NULL;
}

// -- The document

static bool modeldata_export_document(modeldata_exporter *exporter)
{
    bool ok = exporter->doc->is_animated
                  ? modeldata_plan_nodes(exporter) && modeldata_export_joints(exporter)
                  : modeldata_plan_static_parts(exporter);
    ok = ok && modeldata_export_materials(exporter) && modeldata_export_meshes(exporter);
    if (!ok) return false;
    return exporter->doc->is_animated ? modeldata_export_animations(exporter)
                                      : modeldata_has_meshes(exporter->doc, exporter->export.err);
}

bool modeldata_export(const tn_export *export)
{
    modeldata_exporter exporter = {0};
    bool ok = modeldata_begin_export(&exporter, export) && modeldata_export_document(&exporter) &&
              tn_export_put_doc(&exporter.export, "", exporter.doc);
    if (ok) modeldata_report_losses(&exporter);
    tenon_pose_free(exporter.pose);
    return ok && export->err->code == TENON_OK;
}
