// modeldata_import_joints.c: imports the skeleton of an AnimatedModelData as nodes and a skin.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/import/modeldata_import.h"

#include "core/math/math.h"

#include <math.h>

#define ROW_TOLERANCE   1e-6  // How far the last row of a matrix may be from 0 0 0 1.
#define SCALE_TOLERANCE 5e-7  // How far from 1 the scale of a rotation matrix is due to rounding.

// -- Nodes

static bool modeldata_import_joints_has_other_row(const float m[16])
{
    for (int k = 0; k < 4; k++)
        if (!(fabs((double)m[12 + k] - (k == 3)) <= ROW_TOLERANCE)) return true;
    return false;
}

// -- The skin

uint16_t modeldata_import_skin_slot(const modeldata_importer *importer, uint32_t id)
{
    if (id < MODELDATA_SLOT_COUNT) return importer->skin_slots[id];
    uint32_t joint = modeldata_order_find_index(&importer->by_index, (int32_t)id);
    return joint < MODELDATA_SKIN_MOST ? (uint16_t)joint : MODELDATA_NO_SLOT;
}

// One skin for all meshes, with the joints in file order.
static void modeldata_import_joints_skin(modeldata_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = importer->doc->joint_count;
    if (count > MODELDATA_SKIN_MOST) count = MODELDATA_SKIN_MOST;
    tn_scene_report(builder, TENON_DROPPED, "joints of a skin", importer->doc->joint_count - count,
                    NULL, "a skin supports at most 65535");
    importer->skin = tn_add_skin(builder, (tenon_str){"skeleton", 8}, count);
    importer->skin_slots =
        tn_scene_array(builder, MODELDATA_SLOT_COUNT, sizeof *importer->skin_slots);
    if (builder->failed) return;
    for (uint32_t i = 0; i < MODELDATA_SLOT_COUNT; i++) {
        uint32_t joint = modeldata_order_find_index(&importer->by_index, i);
        importer->skin_slots[i] = joint < MODELDATA_SKIN_MOST ? (uint16_t)joint : MODELDATA_NO_SLOT;
    }
    const tenon_skin *skin = &builder->scene->skins[importer->skin];
    for (uint32_t i = 0; i < count; i++) {
        float rows[16], *columns = skin->inverse_binds + 16 * (size_t)i;
        skin->joints[i] = importer->nodes[i];
        modeldata_conventions_to_rows(importer->doc, importer->doc->joints[i].inverse_bind_matrix,
                                      rows);
        for (int k = 0; k < 16; k++) columns[4 * (k % 4) + k / 4] = rows[k];
    }
}

void modeldata_import_add_joints(modeldata_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_modeldata *doc = importer->doc;
    uint32_t count = doc->joint_count;
    tn_tally missing = {0}, doubles = {0}, rows = {0};
    if (count == 0 || builder->failed) return;
    uint32_t *memory = tn_scene_array(builder, count, MODELDATA_ORDER_SHARE);
    uint32_t *parents = tn_scene_array(builder, count, sizeof *parents);
    uint32_t *order = tn_scene_array(builder, count, sizeof *order);
    importer->nodes = tn_scene_array(builder, count, sizeof *importer->nodes);
    if (builder->failed) return;
    importer->by_index = modeldata_order_make(doc, MODELDATA_JOINTS_BY_INDEX, memory);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t joint = importer->by_index.items[i], before = importer->by_index.items[i - 1];
        tn_tally_at(&doubles, doc->joints[joint].index == doc->joints[before].index, "joints",
                    joint);
    }
    for (uint32_t i = 0; i < count; i++) {
        int32_t parent = doc->joints[i].parent_index;
        parents[i] =
            parent == -1 ? TENON_NONE : modeldata_order_find_index(&importer->by_index, parent);
        tn_tally_at(&missing, parent != -1 && parents[i] == TENON_NONE, "joints", i);
    }
    tn_tally_report(builder, &doubles, TENON_APPROXIMATED, "indices of joints",
                    "used by several joints; references use another joint");
    tn_tally_report(builder, &missing, TENON_DROPPED, "parents", "no joint has this index");
    tn_scene_report(builder, TENON_DROPPED, "parents",
                    tn_order_parents(builder, parents, count, order), NULL,
                    "the joints are their own ancestors");
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        const tenon_modeldata_joint *joint = &doc->joints[order[i]];
        uint32_t parent = parents[order[i]];
        char name_buffer[MODELDATA_NAME_SIZE];
        tenon_str name =
            modeldata_import_name_of(importer, joint->name, "joint", order[i], name_buffer);
        uint32_t index =
            tn_add_node(builder, name, parent < count ? importer->nodes[parent] : TENON_NONE);
        importer->nodes[order[i]] = index;
        if (builder->failed) return;
        float local[16], unbind[16];
        modeldata_conventions_to_rows(doc, joint->bind_local_pose, local);
        modeldata_conventions_to_rows(doc, joint->inverse_bind_matrix, unbind);
        uint64_t other_rows = modeldata_import_joints_has_other_row(local) +
                              (uint64_t)modeldata_import_joints_has_other_row(unbind);
        tn_tally_at(&rows, other_rows, "joints", order[i]);
        tn_mat4 pose = tn_mat4_from_rows(local);
        pose.m[3] = pose.m[7] = pose.m[11] = 0;
        pose.m[15] = 1;
        tn_set_matrix(builder, index, pose.m);
        tenon_node *node = &builder->scene->nodes[index];
        node->is_joint = true;
        // Most poses have no scale, but rounded numbers.
        for (int k = 0; k < 3; k++)
            if (fabs(node->scale[k] - 1) <= SCALE_TOLERANCE) node->scale[k] = 1;
    }
    tn_tally_report(builder, &rows, TENON_APPROXIMATED, "matrices of joints",
                    "the last row was replaced by 0 0 0 1");
    tn_scene_report(
        builder, TENON_DEFAULTED, "matrix order",
        doc->is_order_assumed && modeldata_conventions_order_matters(doc), "joints[0]",
        "cannot be detected without a translation; the usual order of the dialect was used");
    if (!builder->failed) modeldata_import_joints_skin(importer);
}
