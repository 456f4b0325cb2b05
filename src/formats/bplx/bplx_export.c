// bplx_export.c: export a scene as BPLX: one mesh in the rest pose, and bones that do not move it.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_export.h"

#include "core/cursor/span.h"
#include "document/document.h"
#include "exchange/prepare.h"

#include <stdio.h>
#include <string.h>

#define NEEDS (TN_NEEDS_TRIANGLES | TN_NEEDS_INDICES | TN_NEEDS_NORMALS | TN_NEEDS_UVS)

// -- Memory

void *bplx_export_alloc(bplx_exporter *exporter, uint64_t count, size_t size)
{
    return tn_arena_alloc_or_fail(&exporter->doc->base.owner->arena, count, size, "the model",
                                  exporter->export.err);
}

bool bplx_export_span(bplx_exporter *exporter, const void *numbers, uint64_t count,
                      const tenon_layout *layout, tenon_span *span)
{
    uint8_t *bytes = bplx_export_alloc(exporter, count, (size_t)layout->stride);
    if (!bytes) return false;
    tn_copy_numbers(bytes, numbers, count * layout->stride / 4, 4, false);
    *span = (tenon_span){bytes, count * layout->stride, count, layout, false};
    return true;
}

static bool bplx_export_fill_material(bplx_exporter *exporter, uint32_t index,
                                      tenon_bplx_material *to)
{
    const tenon_material *from = &exporter->scene->materials[index];
    uint32_t image = from->textures[TENON_SLOT_BASE_COLOR].image;
    const char *path = image == TENON_NONE
                           ? ""
                           : tn_export_picture(&exporter->export, image, TN_PICTURE_AS_COMMON);
    if (!path) return false;
    *to = (tenon_bplx_material){.name = from->name, .shininess = 1};
    for (int k = 0; k < 3; k++) {
        to->diffuse_color[k] = tn_narrow(from->base_color[k], &exporter->not_finite);
        to->emissive_color[k] = tn_narrow(from->emissive[k], &exporter->not_finite);
        // Only classic materials have a specular color.
        if (from->is_classic)
            to->specular_color[k] = tn_narrow(from->specular[k], &exporter->not_finite);
    }
    if (from->is_classic) to->shininess = tn_narrow(from->shininess, &exporter->not_finite);
    to->transparency =
        tn_narrow(from->base_color[3], &exporter->not_finite);  // The field holds the opacity.
    to->texture_path = (tenon_str){path, (uint32_t)strlen(path)};
    to->is_textured = to->texture_path.size > 0;
    return true;
}

// Used materials come first, since readers use the first one for everything.
static bool bplx_export_materials(bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    tenon_bplx *doc = exporter->doc;
    uint32_t count = exporter->scene->material_count;
    exporter->is_used = tn_export_alloc(export, count, sizeof *exporter->is_used);
    if (!exporter->is_used) return false;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tenon_primitive *p = exporter->rig.parts[i].p;
        if (p->index_count && p->material == TENON_NONE) exporter->is_blank = true;
        if (p->index_count && p->material != TENON_NONE) exporter->is_used[p->material] = true;
    }
    doc->material_count = count;
    if (!(doc->base.dialect->flags & TENON_BPLX_MATERIALS)) return true;
    doc->materials = tn_export_alloc(export, count, sizeof *doc->materials);
    if (!doc->materials) return false;
    for (int is_rest = 0; is_rest < 2; is_rest++)
        for (uint32_t i = 0; i < count; i++) {
            if (exporter->is_used[i] == (is_rest != 0)) continue;
            uint32_t at = doc->material_list_count++;
            if (!bplx_export_fill_material(exporter, i, &doc->materials[at])) return false;
        }
    return true;
}

bool bplx_export(const tn_export *export)
{
    const tenon_dialect *dialect = export->dialect ? export->dialect : tn_bplx_format.face.dialects;
    bplx_exporter exporter = {.export = *export, .scene = tn_prepare(export, NEEDS)};
    exporter.export.scene = exporter.scene;
    if (exporter.scene) exporter.doc = tn_export_doc(&exporter.export, &tn_bplx_format, dialect);
    if (!exporter.doc) return false;
    exporter.doc->version = 1;
    exporter.pose = tenon_pose_new(exporter.scene, &export->opts->allocator, export->err);
    bool ok = exporter.pose &&
              tn_rig_make(&exporter.export, TN_RIGID_WITHOUT_BONES, true, &exporter.rig) &&
              bplx_export_materials(&exporter) && bplx_export_mesh(&exporter) &&
              bplx_export_bones(&exporter) && bplx_export_clips(&exporter) &&
              tn_export_put_doc(&exporter.export, "", exporter.doc);
    if (ok) bplx_export_report_losses(&exporter);
    tenon_pose_free(exporter.pose);
    return ok && export->err->code == TENON_OK;
}
