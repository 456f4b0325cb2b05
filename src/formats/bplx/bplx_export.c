// bplx_export.c: export a scene as BPLX: one mesh in the rest pose, and bones that do not move it.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_export.h"

#include "core/cursor/span.h"
#include "document/document.h"
#include "exchange/prepare.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define NEEDS (TN_NEEDS_TRIANGLES | TN_NEEDS_INDICES | TN_NEEDS_NORMALS | TN_NEEDS_UVS)

// -- Memory

void *bplx_export_room(bplx_exporter *m, uint64_t count, size_t size)
{
    tn_refusal why;
    void *memory = tn_arena_alloc(&m->doc->base.owner->arena, count, size, &why);
    if (!memory)
        (void)tn_error(m->e.err, why == TN_OVER_LIMIT ? TENON_ERR_LIMIT : TENON_ERR_MEMORY,
                       "out of memory while writing");
    return memory;
}

bool bplx_export_span(bplx_exporter *m, const void *numbers, uint64_t count,
                      const tenon_layout *layout, tenon_span *span)
{
    uint8_t *bytes = bplx_export_room(m, count, (size_t)layout->stride);
    if (!bytes) return false;
    tn_copy_numbers(bytes, numbers, count * layout->stride / 4, 4, false);
    *span = (tenon_span){bytes, count * layout->stride, count, layout, false};
    return true;
}

// -- Materials

static bool bplx_fill_material(bplx_exporter *m, uint32_t index, tenon_bplx_material *to)
{
    const tenon_material *from = &m->s->materials[index];
    uint32_t image = from->textures[TENON_SLOT_BASE_COLOR].image;
    const char *path =
        image == TENON_NONE ? "" : tn_export_picture(&m->e, image, TN_PICTURE_AS_COMMON);
    if (!path) return false;
    *to = (tenon_bplx_material){.name = from->name, .shininess = 1};
    for (int k = 0; k < 3; k++) {
        to->diffuse_color[k] = tn_narrow(from->base_color[k], &m->not_finite);
        to->emissive_color[k] = tn_narrow(from->emissive[k], &m->not_finite);
        // Only classic materials have a specular color.
        if (from->is_classic) to->specular_color[k] = tn_narrow(from->specular[k], &m->not_finite);
    }
    if (from->is_classic) to->shininess = tn_narrow(from->shininess, &m->not_finite);
    to->transparency =
        tn_narrow(from->base_color[3], &m->not_finite);  // The field holds the opacity.
    to->texture_path = (tenon_str){path, (uint32_t)strlen(path)};
    to->is_textured = to->texture_path.size > 0;
    return true;
}

static bool bplx_find_uses(bplx_exporter *m)
{
    m->is_used = tn_export_alloc(&m->e, m->s->material_count, sizeof *m->is_used);
    for (uint32_t i = 0; m->is_used && i < m->rig.part_count; i++) {
        const tenon_primitive *p = m->rig.parts[i].p;
        if (p->index_count == 0) continue;
        if (p->material == TENON_NONE)
            m->is_blank = true;
        else
            m->is_used[p->material] = true;
    }
    return m->is_used != NULL;
}

// Used materials come first, since readers use the first one for everything.
static bool bplx_export_materials(bplx_exporter *m)
{
    uint32_t count = m->s->material_count;
    if (!bplx_find_uses(m)) return false;
    m->doc->material_count = count;
    if (!(m->doc->base.dialect->flags & TENON_BPLX_MATERIALS)) return true;
    m->doc->materials = tn_export_alloc(&m->e, count, sizeof *m->doc->materials);
    if (!m->doc->materials) return false;
    for (int is_rest = 0; is_rest < 2; is_rest++)
        for (uint32_t i = 0; i < count; i++) {
            if (m->is_used[i] == (is_rest != 0)) continue;
            uint32_t at = m->doc->material_list_count++;
            if (!bplx_fill_material(m, i, &m->doc->materials[at])) return false;
        }
    return true;
}

// -- Export

static bool bplx_begin(bplx_exporter *m, const tn_export *e)
{
    const tenon_dialect *dialect = e->dialect ? e->dialect : tn_bplx_format.face.dialects;
    const tenon_scene *prepared = tn_prepare(e, NEEDS);
    if (!prepared) return false;
    *m = (bplx_exporter){.e = *e, .s = prepared};
    m->e.scene = prepared;
    m->doc = tn_export_doc(&m->e, &tn_bplx_format, dialect);
    if (!m->doc) return false;
    m->doc->version = 1;
    m->pose = tenon_pose_new(m->s, &e->opts->allocator, e->err);
    return m->pose && tn_rig_make(&m->e, TN_RIGID_WITHOUT_BONES, true, &m->rig);
}

bool bplx_export(const tn_export *e)
{
    bplx_exporter m = {0};
    bool ok = bplx_begin(&m, e) && bplx_export_materials(&m) && bplx_export_mesh(&m) &&
              bplx_export_bones(&m) && bplx_export_clips(&m) && tn_export_put_doc(&m.e, "", m.doc);
    if (ok) bplx_report_losses(&m);
    tenon_pose_free(m.pose);
    return ok && e->err->code == TENON_OK;
}
