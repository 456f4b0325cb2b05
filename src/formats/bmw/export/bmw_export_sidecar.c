// bmw_export_sidecar.c: exports clips and the model's transform to the sidecar.
// SPDX-License-Identifier: MIT

#include "formats/bmw/export/bmw_export.h"

#include <string.h>

static bool bmw_set_clips(const bmw_exporter *exporter, tenon_bmw_sidecar *side)
{
    side->clips = tenon_bmw_sidecar_alloc(side, exporter->clip_count * sizeof *side->clips);
    if (!side->clips) return false;
    side->clip_count = exporter->clip_count;
    side->default_anim = exporter->default_anim;
    for (uint32_t i = 0; i < exporter->clip_count; i++) {
        const bmw_clip_plan *clip = &exporter->clips[i];
        side->clips[i] = (tenon_bmw_clip){.name = clip->name,
                                          .has_range = true,
                                          .start = clip->start,
                                          .end = clip->end,
                                          .loop = clip->loop,
                                          .hold = clip->hold,
                                          .has_loop = clip->has_loop,
                                          .has_hold = clip->has_hold};
    }
    return true;
}

// The inverse of what import does.
static void bmw_set_model(const bmw_exporter *exporter, tenon_bmw_sidecar *side)
{
    const tenon_node *node = &exporter->export.scene->nodes[exporter->model];
    tn_vec3 axis = {node->rotation[0], node->rotation[1], node->rotation[2]};
    double sine = tn_vec3_length(axis);
    memcpy(side->translation, node->translation, sizeof side->translation);
    memcpy(side->scale, node->scale, sizeof side->scale);
    if (!(sine > 0)) return;
    axis = tn_vec3_scale(axis, 1 / sine);
    side->rotation = tn_degrees(2 * tn_atan2(sine, node->rotation[3]));
    side->rotation_angle[0] = axis.x;
    side->rotation_angle[1] = axis.y;
    side->rotation_angle[2] = axis.z;
}

static bool bmw_write_sidecar(bmw_exporter *exporter, const char *name, tenon_bmw_sidecar *side)
{
    const tn_export *export = &exporter->export;
    bool has_clips = exporter->doc->animation_count > 0;
    if (has_clips && !bmw_set_clips(exporter, side))
        return tn_error(export->err, TENON_ERR_MEMORY, "out of memory for the sidecar");
    if (exporter->model != TENON_NONE) bmw_set_model(exporter, side);
    return tn_export_begin(export, name) &&
           tenon_bmw_sidecar_write(side, export->sink->write, export->sink->user, export->err) &&
           tn_export_end(export);
}

bool bmw_export_sidecar(bmw_exporter *exporter, const char *name)
{
    if (exporter->doc->animation_count == 0 && exporter->model == TENON_NONE) return true;
    const tenon_read_opts opts = {.allocator = exporter->export.opts->allocator,
                                  .max_memory = exporter->export.arena->limit};
    tenon_bmw_sidecar *side = tenon_bmw_sidecar_read("{}\n", 3, &opts, exporter->export.err);
    if (!side) return false;
    bool ok = bmw_write_sidecar(exporter, name, side);
    tenon_bmw_sidecar_free(side);
    return ok;
}
