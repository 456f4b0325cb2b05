// gpb_export_model.c: exports the mesh, materials and skin of a node.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#define GPB_PALETTE_MOST 37  // Joints that fit into the uniforms of every device.

static void gpb_export_skin(gpb_exporter *m, uint32_t node, tenon_gpb_skin *skin)
{
    uint32_t index = m->scene->nodes[node].skin;
    const tenon_skin *from = &m->scene->skins[index];
    for (int i = 0; i < 16; i += 5) skin->bind_shape[i] = 1;
    skin->root_joint = (tenon_str){"", 0};
    skin->joints = gpb_export_alloc(m, from->joint_count, sizeof *skin->joints);
    skin->bind_poses =
        gpb_export_span(m, from->inverse_binds, from->joint_count, &gpb_matrix_layout);
    if (m->failed) return;
    skin->joint_count = from->joint_count;
    for (uint32_t i = 0; i < from->joint_count; i++)
        skin->joints[i] = m->nodes[m->joints[index][i]].xref;
    gpb_export_lose(m, GPB_LOST_PALETTES, from->joint_count > GPB_PALETTE_MOST, "skins", index);
}

void gpb_export_model(gpb_exporter *m, const gpb_made_node *node, tenon_gpb_model *model)
{
    const tenon_node *n = &m->scene->nodes[node->shows];
    const gpb_made_mesh *mesh = &m->meshes[n->mesh];
    const tenon_primitive *primitives = m->scene->meshes[n->mesh].primitives;
    model->mesh = mesh->xref;
    model->has_skin = n->skin != TENON_NONE;
    if (model->has_skin) gpb_export_skin(m, node->shows, &model->skin);
    model->materials = gpb_export_alloc(m, mesh->part_count, sizeof *model->materials);
    if (m->failed) return;
    bool has_any = false;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        const tenon_primitive *part = &primitives[mesh->parts[i]];
        tenon_str name = gpb_material_name(m, node->shows, part);
        model->materials[i] = (tenon_gpb_material){.name = name, .effect = {"", 0}};
        gpb_export_parameters(m, gpb_material_source(m, node->shows, part), &model->materials[i]);
        has_any = has_any || name.size || model->materials[i].parameter_count;
    }
    // Old encoders wrote no names.
    model->material_count = has_any ? mesh->part_count : 0;
}
