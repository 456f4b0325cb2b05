// bplx_export_mesh.c: all parts of a scene, in the rest pose, as the one mesh of a BPLX model.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_export.h"

#include "core/cursor/span.h"
#include "scene/pose/pose.h"

// The mesh that all parts are merged into.
typedef struct bplx_mesh {
    uint32_t vertex_count, index_count;
    float *positions, *normals, *uvs;
    uint32_t *indices;
} bplx_mesh;

static void bplx_export_mesh_fill_uvs(bplx_exporter *exporter, const tenon_primitive *p, float *out)
{
    static const tenon_texture none = {.scale = {1, 1}};
    const tenon_texture *t = &none;
    if (p->material != TENON_NONE)
        t = &exporter->scene->materials[p->material].textures[TENON_SLOT_BASE_COLOR];
    if (t->image == TENON_NONE) t = &none;
    const float *uvs = t->uv_set < TENON_UV_SETS ? p->uvs[t->uv_set] : NULL;
    if (!uvs) uvs = p->uvs[0];
    double sine = tn_sin(t->rotation), cosine = tn_cos(t->rotation);
    for (size_t i = 0; i < p->vertex_count && tn_export_goes_on(&exporter->export, 1);
         i++, uvs += 2, out += 2) {
        double u = t->scale[0] * (double)uvs[0], v = t->scale[1] * (double)uvs[1];
        out[0] = tn_narrow(cosine * u + sine * v + t->offset[0], &exporter->not_finite);
        out[1] = tn_narrow(1 - (cosine * v - sine * u + t->offset[1]),
                           &exporter->not_finite);  // V starts at the bottom.
    }
}

static void bplx_export_mesh_add_part(bplx_exporter *exporter, const tn_part *part, bplx_mesh *mesh)
{
    const tenon_primitive *p = part->p;
    size_t start = mesh->vertex_count;
    float *positions = mesh->positions + 3 * start, *normals = mesh->normals + 3 * start;
    tenon_pose_skin(exporter->pose, part->node, part->primitive, positions, normals);
    for (size_t i = 0; i < p->vertex_count; i++, positions += 3, normals += 3) {
        for (int k = 0; k < 3; k++)
            positions[k] = tn_narrow((double)positions[k], &exporter->not_finite);
        // Where a mesh is scaled to zero, normals point up.
        if (normals[0] == 0 && normals[1] == 0 && normals[2] == 0) normals[1] = 1;
    }
    bplx_export_mesh_fill_uvs(exporter, p, mesh->uvs + 2 * start);
    uint32_t is_turned = tn_pose_mirrors(exporter->pose, part->node);
    uint32_t *out = mesh->indices + mesh->index_count;
    for (uint32_t i = 0; i + 2 < p->index_count; i += 3) {
        out[i] = mesh->vertex_count + p->indices[i];
        out[i + 1] = mesh->vertex_count + p->indices[i + 1 + is_turned];
        out[i + 2] = mesh->vertex_count + p->indices[i + 2 - is_turned];
    }
    mesh->vertex_count += p->vertex_count;
    mesh->index_count += p->index_count;
}

bool bplx_export_mesh(bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    tenon_bplx *doc = exporter->doc;
    bplx_mesh mesh = {0};
    uint64_t vertices = 0, indices = 0;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        tn_tally_at(&exporter->empty, part->p->index_count == 0, "meshes", part->mesh);
        if (part->p->index_count == 0) continue;
        vertices += part->p->vertex_count;
        indices += part->p->index_count;
    }
    if (vertices > UINT32_MAX - 3 || indices > UINT32_MAX - 3)
        return tn_error(export->err, TENON_ERR_UNSUPPORTED,
                        "the scene has too many vertices for one BPLX mesh");
    mesh.positions = tn_export_alloc(export, vertices, 3 * sizeof *mesh.positions);
    mesh.normals = tn_export_alloc(export, vertices, 3 * sizeof *mesh.normals);
    mesh.uvs = tn_export_alloc(export, vertices, 2 * sizeof *mesh.uvs);
    mesh.indices = tn_export_alloc(export, indices, sizeof *mesh.indices);
    if (!mesh.positions || !mesh.normals || !mesh.uvs || !mesh.indices) return false;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++)
        if (exporter->rig.parts[i].p->index_count)
            bplx_export_mesh_add_part(exporter, &exporter->rig.parts[i], &mesh);
    // Readers derive the winding from the normals. If most faces point away from their normals,
    // reverse the normals: otherwise readers would turn the mesh inside out.
    tn_turns turns =
        bplx_turns(mesh.positions, mesh.normals, mesh.vertex_count, mesh.indices, mesh.index_count);
    if (turns.against > turns.with) {
        exporter->reversed = mesh.vertex_count;
        for (size_t i = 0; i < 3 * (size_t)mesh.vertex_count; i++)
            mesh.normals[i] = -mesh.normals[i];
    }
    uint32_t count = mesh.vertex_count;
    return bplx_export_span(exporter, mesh.positions, count, &tn_layout_f32x3, &doc->positions) &&
           bplx_export_span(exporter, mesh.normals, count, &tn_layout_f32x3, &doc->normals) &&
           bplx_export_span(exporter, mesh.uvs, count, &tn_layout_f32x2, &doc->uvs) &&
           bplx_export_span(exporter, mesh.indices, mesh.index_count / 3, &tn_layout_u32x3,
                            &doc->faces);
}
