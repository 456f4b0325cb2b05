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
#include <string.h>

#define USUAL_RATE 24  // Ticks per second, if the options do not say.

void *modeldata_export_doc_alloc(modeldata_exporter *exporter, uint64_t count, size_t size)
{
    return tn_arena_alloc_or_fail(&exporter->doc->base.owner->arena, count, size, "the document",
                                  exporter->export.err);
}

static bool modeldata_export_fill_document(modeldata_exporter *exporter, const tn_export *export)
{
    const tenon_dialect *dialect =
        export->dialect ? export->dialect : tn_modeldata_format.face.dialects;
    const tenon_scene *scene = tn_prepare(export, TN_NEEDS_ALL);
    if (!scene) return false;
    *exporter = (modeldata_exporter){
        .export = *export,
        .scene = scene,
        .rate = export->opts->rate,
        .is_document = (dialect->flags & TENON_MODELDATA_DOCUMENT) != 0,
    };
    exporter->export.scene = scene;
    if (!(exporter->rate > 0 && exporter->rate <= DBL_MAX)) exporter->rate = USUAL_RATE;
    tenon_modeldata *doc = exporter->doc =
        tn_export_doc(&exporter->export, &tn_modeldata_format, dialect);
    if (!doc) return false;
    // As the dialect says; else scenes with skins or animations are animated.
    if (dialect->flags & (TENON_MODELDATA_STATIC | TENON_MODELDATA_ANIMATED))
        doc->is_animated = (dialect->flags & TENON_MODELDATA_ANIMATED) != 0;
    else
        doc->is_animated = export->scene->skin_count > 0 || export->scene->animation_count > 0;
    doc->is_column_major = (dialect->flags & TENON_MODELDATA_COLUMN_MAJOR) != 0;
    doc->model_size = MODELDATA_MODEL_MIN;  // There is a model, even without meshes.
    exporter->pose = tenon_pose_new(scene, &export->opts->allocator, export->err);
    if (!exporter->pose) return false;

    if (doc->is_animated) {
        if (!modeldata_export_plan_nodes(exporter) || !modeldata_export_joints(exporter))
            return false;
    } else {  // All meshes are in the rest pose.
        tn_rig *rig = &exporter->rig;
        if (!tn_rig_make(&exporter->export, TN_RIGID_WITHOUT_BONES, false, rig)) return false;
        exporter->part_plans =
            tn_export_alloc(&exporter->export, rig->part_count, sizeof *exporter->part_plans);
        if (!exporter->part_plans) return false;
        for (uint32_t i = 0; i < rig->part_count; i++) {
            const tn_part *part = &rig->parts[i];
            modeldata_part_plan *plan = &exporter->part_plans[i];
            plan->placement = part->is_skinned ? MODELDATA_BY_POSE : MODELDATA_BY_MATRIX;
            plan->is_mirrored = tn_pose_mirrors(exporter->pose, part->node);
            memcpy(plan->matrix.m, tenon_pose_global(exporter->pose, part->node),
                   sizeof plan->matrix.m);
        }
    }
    if (!modeldata_export_materials(exporter) || !modeldata_export_meshes(exporter)) return false;
    return doc->is_animated ? modeldata_export_animations(exporter)
                            : modeldata_dialects_has_meshes(doc, export->err);
}

bool modeldata_export(const tn_export *export)
{
    modeldata_exporter exporter = {0};
    bool ok = modeldata_export_fill_document(&exporter, export) &&
              tn_export_put_doc(&exporter.export, "", exporter.doc);
    if (ok) modeldata_export_report_losses(&exporter);
    tenon_pose_free(exporter.pose);
    return ok && export->err->code == TENON_OK;
}
