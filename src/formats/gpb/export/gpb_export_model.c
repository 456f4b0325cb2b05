// gpb_export_model.c: exports the mesh, materials and skin of a node.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#define GPB_PALETTE_MOST 37  // Joints that fit into the uniforms of every device.

static void gpb_export_skin(gpb_exporter *exporter, uint32_t node, tenon_gpb_skin *skin)
{
    uint32_t index = exporter->scene->nodes[node].skin;
    const tenon_skin *from = &exporter->scene->skins[index];
    for (int i = 0; i < 16; i += 5) skin->bind_shape[i] = 1;
    skin->root_joint = (tenon_str){"", 0};
    skin->joints = gpb_export_alloc(exporter, from->joint_count, sizeof *skin->joints);
    skin->bind_poses =
        gpb_export_span(exporter, from->inverse_binds, from->joint_count, &gpb_matrix_layout);
    if (exporter->failed) return;
    skin->joint_count = from->joint_count;
    for (uint32_t i = 0; i < from->joint_count; i++)
        skin->joints[i] = exporter->nodes[exporter->joints[index][i]].xref;
    gpb_count_loss(exporter, GPB_LOSS_PALETTES, from->joint_count > GPB_PALETTE_MOST, "skins",
                   index);
}

void gpb_export_model(gpb_exporter *exporter, const gpb_node_plan *node, tenon_gpb_model *model)
{
    const tenon_node *n = &exporter->scene->nodes[node->mesh_node];
    const gpb_mesh_plan *mesh = &exporter->meshes[n->mesh];
    const tenon_primitive *primitives = exporter->scene->meshes[n->mesh].primitives;
    model->mesh = mesh->xref;
    model->has_skin = n->skin != TENON_NONE;
    if (model->has_skin) gpb_export_skin(exporter, node->mesh_node, &model->skin);
    model->materials = gpb_export_alloc(exporter, mesh->part_count, sizeof *model->materials);
    if (exporter->failed) return;
    bool has_any = false;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        const tenon_primitive *part = &primitives[mesh->parts[i]];
        tenon_str name = gpb_material_name(exporter, node->mesh_node, part);
        model->materials[i] = (tenon_gpb_material){.name = name, .effect = {"", 0}};
        gpb_export_parameters(exporter, gpb_material_source(exporter, node->mesh_node, part),
                              &model->materials[i]);
        has_any = has_any || name.size || model->materials[i].parameter_count;
    }
    // Old encoders wrote no names.
    model->material_count = has_any ? mesh->part_count : 0;
}
