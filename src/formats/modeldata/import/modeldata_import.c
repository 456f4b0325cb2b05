// modeldata_import.c: imports a ModelData; joints and meshes.
// SPDX-License-Identifier: MIT
//
// Axes and winding are the same as in a scene. Texture coordinates start at the bottom left.

#include "formats/modeldata/import/modeldata_import.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "exchange/vertex_codec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define BLOCK           256   // Vertices decoded at once.
#define ROW_TOLERANCE   1e-6  // How far the last row of a matrix may be from 0 0 0 1.
#define SCALE_TOLERANCE 5e-7  // How far from 1 the scale of a rotation matrix is due to rounding.

tenon_str modeldata_import_name_of(modeldata_importer *importer, tenon_str name, const char *word,
                                   uint32_t number, char name_buffer[MODELDATA_NAME_SIZE])
{
    if (name.size) return name;
    int size = snprintf(name_buffer, MODELDATA_NAME_SIZE, "%s_%" PRIu32, word, number);
    importer->synthesized_names++;
    return (tenon_str){name_buffer, (uint32_t)size};
}

// -- Joints: nodes and a skin

static bool modeldata_import_has_other_row(const float m[16])
{
    for (int k = 0; k < 4; k++)
        if (!(fabs((double)m[12 + k] - (k == 3)) <= ROW_TOLERANCE)) return true;
    return false;
}

// The position in the skin of the joint with the stored index `id`, or MODELDATA_NO_SLOT.
static uint16_t modeldata_import_skin_slot(const modeldata_importer *importer, uint32_t id)
{
    uint32_t joint = modeldata_order_find_index(&importer->by_index, (int32_t)id);
    return joint < MODELDATA_SKIN_MOST ? (uint16_t)joint : MODELDATA_NO_SLOT;
}

// One skin for all meshes, with the joints in file order.
static void modeldata_import_add_skin(modeldata_importer *importer)
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
    for (uint32_t i = 0; i < MODELDATA_SLOT_COUNT; i++)
        importer->skin_slots[i] = modeldata_import_skin_slot(importer, i);
    const tenon_skin *skin = &builder->scene->skins[importer->skin];
    for (uint32_t i = 0; i < count; i++) {
        float rows[16], *columns = skin->inverse_binds + 16 * (size_t)i;
        skin->joints[i] = importer->nodes[i];
        modeldata_conventions_to_rows(importer->doc, importer->doc->joints[i].inverse_bind_matrix,
                                      rows);
        for (int k = 0; k < 16; k++) columns[4 * (k % 4) + k / 4] = rows[k];
    }
}

static void modeldata_import_add_joints(modeldata_importer *importer)
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
    importer->by_index = modeldata_order_make(doc, memory);
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
        uint64_t other_rows = modeldata_import_has_other_row(local) +
                              (uint64_t)modeldata_import_has_other_row(unbind);
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
    if (!builder->failed) modeldata_import_add_skin(importer);
}

// -- Meshes

static uint64_t modeldata_import_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// Vertices that are only in one of the two arrays get no influences.
static void modeldata_import_copy_skin(const modeldata_importer *importer,
                                       const tenon_modeldata_mesh *from, tenon_primitive *p)
{
    const tenon_span *ids = &from->arrays[TENON_MODELDATA_JOINT_IDS];
    const tenon_span *weights = &from->arrays[TENON_MODELDATA_WEIGHTS];
    uint64_t each = ids->layout->stride / 4;
    uint64_t count = modeldata_import_least(ids->count, p->vertex_count);
    count = modeldata_import_least(weights->count, count);
    uint32_t id_block[MODELDATA_INFLUENCES_MOST * BLOCK];
    float weight_block[MODELDATA_INFLUENCES_MOST * BLOCK];
    for (uint64_t at = 0; at < count; at += BLOCK) {
        uint64_t n = modeldata_import_least(count - at, BLOCK);
        tn_copy_numbers(id_block, tn_span_record(ids, at), each * n, 4, ids->big_endian);
        tn_copy_numbers(weight_block, tn_span_record(weights, at), each * n, 4,
                        weights->big_endian);
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < each; k++) {
                uint32_t id = id_block[each * i + k];
                uint64_t to = p->influence_count * (at + i) + k;
                p->joints[to] = id < MODELDATA_SLOT_COUNT
                                    ? importer->skin_slots[id]
                                    : modeldata_import_skin_slot(importer, id);
                p->weights[to] = weight_block[each * i + k];
            }
    }
}

static void modeldata_import_mesh(modeldata_importer *importer, uint32_t i)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_modeldata_mesh *from = &importer->doc->meshes[i];
    const tenon_span *arrays = from->arrays, *ids = &arrays[TENON_MODELDATA_JOINT_IDS];
    char name_buffer[MODELDATA_NAME_SIZE];
    tenon_str name = modeldata_import_name_of(importer, (tenon_str){"", 0}, "mesh", i, name_buffer);
    uint32_t mesh = tn_add_mesh(builder, name, 1), node = tn_add_node(builder, name, TENON_NONE);
    if (from->collision_shape.size)
        tn_add_extra(builder, TENON_EXTRA_OF_MESH, mesh, "collision_shape", from->collision_shape);
    if (builder->failed) return;
    tenon_primitive *p = builder->scene->meshes[mesh].primitives;
    const tn_vertices vertices = {
        .count = arrays[TENON_MODELDATA_VERTICES].count,
        .is_v_up = true,
        .streams = {[TN_POSITION] = tn_find_stream(&arrays[TENON_MODELDATA_VERTICES], ""),
                    [TN_NORMAL] = tn_find_stream(&arrays[TENON_MODELDATA_NORMALS], ""),
                    [TN_TANGENT] = tn_find_stream(&arrays[TENON_MODELDATA_TANGENTS], ""),
                    [TN_UV0] = tn_find_stream(&arrays[TENON_MODELDATA_TEXTURE_COORDINATES], "")}};
    bool is_skinned =
        importer->skin != TENON_NONE && ids->count && arrays[TENON_MODELDATA_WEIGHTS].count;
    // Tangents without a sign get 1, as the engine's bitangent is normal x tangent.
    tn_import_vertices(builder, &vertices, arrays[TENON_MODELDATA_INDICES].count,
                       is_skinned ? TN_WITH_SKIN : 0, p);
    if (p->joints && ids->layout->stride > 16) {
        p->influence_count = MODELDATA_INFLUENCES_MOST;
        uint64_t count = (uint64_t)p->influence_count * p->vertex_count;
        p->joints = tn_scene_array(builder, count, sizeof *p->joints);
        p->weights = tn_scene_floats(builder, count, 1);
    }
    if (builder->failed) return;
    const tenon_span *indices = &arrays[TENON_MODELDATA_INDICES];
    tn_copy_numbers(p->indices, indices->data, p->index_count, 4, indices->big_endian);
    if (p->joints) modeldata_import_copy_skin(importer, from, p);
    p->material = importer->materials[i];
    // Without indices the triangles are unknown.
    if (!p->indices && p->vertex_count) p->mode = TENON_POINTS;
    builder->scene->nodes[node].mesh = mesh;
    if (p->joints) builder->scene->nodes[node].skin = importer->skin;

    for (int k = 0; k < TENON_MODELDATA_INDICES; k++) {
        uint64_t count = arrays[k].count, wanted = p->vertex_count;
        if (!count || count == wanted) continue;
        uint64_t gap = count < wanted ? wanted - count : count - wanted;
        tn_tally_in(&importer->elements, gap, "meshes", i, modeldata_arrays[k].name,
                    (uint32_t)modeldata_import_least(count, wanted));
    }
    bool has_weights = ids->count || arrays[TENON_MODELDATA_WEIGHTS].count;
    tn_tally_at(&importer->weights, has_weights && !p->joints, "meshes", i);
    tn_tally_at(&importer->points, p->mode == TENON_POINTS, "meshes", i);
}

void modeldata_import(tn_scene_builder *builder, const void *opaque)
{
    const tenon_modeldata *doc = opaque;
    modeldata_importer importer = {.builder = builder, .doc = doc, .skin = TENON_NONE};
    modeldata_import_materials(&importer);
    if (doc->is_animated) modeldata_import_add_joints(&importer);
    for (uint32_t i = 0; i < doc->mesh_count && !builder->failed; i++)
        modeldata_import_mesh(&importer, i);
    tn_tally_report(builder, &importer.elements, TENON_APPROXIMATED, "vertices",
                    "the arrays have different numbers of elements");
    tn_tally_report(builder, &importer.points, TENON_APPROXIMATED, "meshes",
                    "imported as points, because the mesh has no indices");
    tn_tally_report(builder, &importer.weights, TENON_DROPPED, "weights",
                    "incomplete: joint ids, weights and joints are all required");
    if (doc->is_animated) modeldata_import_animations(&importer);
    if (builder->failed) return;
    tn_scene_report(builder, TENON_MADE_UP, "names", importer.synthesized_names, NULL,
                    "not stored in the file; numbered instead");
    uint64_t bytes = doc->model_leftover.size + doc->skeleton_leftover.size;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const tenon_modeldata_mesh *mesh = &doc->meshes[i];
        bytes += mesh->material.leftover.size + mesh->leftover.size;
        for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++)
            bytes += mesh->array_leftovers[k].size;
    }
    for (uint32_t i = 0; i < doc->animation_count; i++) bytes += doc->animations[i].leftover.size;
    tn_scene_report(builder, TENON_DROPPED, "leftover bytes", bytes, NULL,
                    "they do not belong to any field");
}
