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

void *modeldata_export_room(modeldata_exporter *w, uint64_t count, size_t size)
{
    tn_refusal why;
    void *memory = tn_arena_alloc(&w->doc->base.owner->arena, count, size, &why);
    if (!memory) (void)modeldata_no_memory(w->e.err, why);
    return memory;
}

// As the dialect says; else scenes with skins or animations are animated.
static bool modeldata_is_to_be_animated(const tn_export *e)
{
    uint32_t flags = e->dialect ? e->dialect->flags : 0;
    if (flags & (TENON_MODELDATA_STATIC | TENON_MODELDATA_ANIMATED))
        return (flags & TENON_MODELDATA_ANIMATED) != 0;
    return e->scene->skin_count > 0 || e->scene->animation_count > 0;
}

static bool modeldata_begin(modeldata_exporter *w, const tn_export *e)
{
    const tenon_dialect *dialect = e->dialect ? e->dialect : tn_modeldata_format.face.dialects;
    const tenon_scene *prepared = tn_prepare(e, TN_NEEDS_ALL);
    if (!prepared) return false;
    *w = (modeldata_exporter){.e = *e, .s = prepared, .rate = e->opts->rate};
    w->e.scene = prepared;
    if (!(w->rate > 0 && w->rate <= DBL_MAX)) w->rate = USUAL_RATE;
    w->doc = tn_export_doc(&w->e, &tn_modeldata_format, dialect);
    if (!w->doc) return false;
    w->doc->is_animated = modeldata_is_to_be_animated(e);
    w->is_document = (dialect->flags & TENON_MODELDATA_DOCUMENT) != 0;
    w->doc->is_column_major = (dialect->flags & TENON_MODELDATA_COLUMN_MAJOR) != 0;
    w->doc->model_size = MODELDATA_MODEL_MIN;  // There is a model, even without meshes.
    w->pose = tenon_pose_new(w->s, &e->opts->allocator, e->err);
    return w->pose != NULL;
}

// -- Static models

static tn_mat4 modeldata_global_of(const modeldata_exporter *w, uint32_t node)
{
    tn_mat4 global;
    memcpy(global.m, tenon_pose_global(w->pose, node), sizeof global.m);
    return global;
}

// Move everything to the rest pose.
static bool modeldata_place_at_rest(modeldata_exporter *w)
{
    if (!tn_rig_make(&w->e, TN_RIGID_WITHOUT_BONES, false, &w->rig)) return false;
    w->places = tn_export_alloc(&w->e, w->rig.part_count, sizeof *w->places);
    for (uint32_t i = 0; w->places && i < w->rig.part_count; i++) {
        const tn_part *part = &w->rig.parts[i];
        w->places[i] = (modeldata_place){
            .way = part->is_skinned ? MODELDATA_BY_POSE : MODELDATA_BY_MATRIX,
            .matrix = modeldata_global_of(w, part->node),
            .is_mirrored = tn_pose_mirrors(w->pose, part->node),
        };
    }
    return w->places != NULL;
}

// -- The document

static bool modeldata_export_document(modeldata_exporter *w)
{
    bool ok = w->doc->is_animated ? modeldata_look_at_clips(w) && modeldata_export_joints(w)
                                  : modeldata_place_at_rest(w);
    ok = ok && modeldata_export_looks(w) && modeldata_export_meshes(w);
    if (!ok) return false;
    return w->doc->is_animated ? modeldata_export_animations(w)
                               : modeldata_has_meshes(w->doc, w->e.err);
}

bool modeldata_export(const tn_export *e)
{
    modeldata_exporter w = {0};
    bool ok = modeldata_begin(&w, e) && modeldata_export_document(&w) &&
              tn_export_put_doc(&w.e, "", w.doc);
    if (ok) modeldata_report_losses(&w);
    tenon_pose_free(w.pose);
    return ok && e->err->code == TENON_OK;
}
