// modeldata_import.c: imports a ModelData; meshes.
// SPDX-License-Identifier: MIT
//
// Axes and winding are the same as in a scene. Texture coordinates start at the bottom left.

#include "formats/modeldata/import/modeldata_import.h"

#include "core/cursor/span.h"
#include "exchange/vertex_codec.h"

#include <inttypes.h>
#include <stdio.h>

#define BLOCK 256  // Vertices decoded at once.

tenon_str modeldata_import_name_of(modeldata_importer *importer, tenon_str name, const char *word,
                                   uint32_t number, char name_buffer[MODELDATA_NAME_SIZE])
{
    if (name.size) return name;
    int size = snprintf(name_buffer, MODELDATA_NAME_SIZE, "%s_%" PRIu32, word, number);
    importer->synthesized_names++;
    return (tenon_str){name_buffer, (uint32_t)size};
}

// -- Streams

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
    uint64_t count = modeldata_import_least(ids->count, p->vertex_count);
    if (ids->layout->stride != 16) {
        for (uint64_t i = 0; i < count; i++) {
            uint32_t vertex_ids[MODELDATA_INFLUENCES_MOST];
            float vertex_weights[MODELDATA_INFLUENCES_MOST];
            uint32_t each = modeldata_conventions_influences(from, i, vertex_ids, vertex_weights);
            for (uint32_t k = 0; k < each; k++) {
                p->joints[p->influence_count * i + k] =
                    modeldata_import_skin_slot(importer, vertex_ids[k]);
                p->weights[p->influence_count * i + k] = vertex_weights[k];
            }
        }
        return;
    }
    count = modeldata_import_least(weights->count, count);
    tn_copy_numbers(p->weights, weights->data, 4 * count, 4, weights->big_endian);
    uint32_t block[4 * BLOCK];
    for (uint64_t at = 0; at < count; at += BLOCK) {
        uint64_t n = 4 * modeldata_import_least(count - at, BLOCK);
        tn_copy_numbers(block, ids->data + 16 * at, n, 4, ids->big_endian);
        for (uint64_t k = 0; k < n; k++)
            p->joints[4 * at + k] = block[k] < MODELDATA_SLOT_COUNT
                                        ? importer->skin_slots[block[k]]
                                        : modeldata_import_skin_slot(importer, block[k]);
    }
}

// -- Meshes

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
        tn_tally_in(&importer->elements, gap, "meshes", i, modeldata_array_names[k],
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
