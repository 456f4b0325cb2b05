// gpb_check_model.c: checks models and skins, and whether they fit their meshes.
// SPDX-License-Identifier: MIT

#include "formats/gpb/check/gpb_rules.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define GPB_INFLUENCES_MOST 4  // Used by the engine's shaders.
#define GPB_WEIGHT_SLACK    0.01
#define GPB_BLOCK           128  // Vertices checked at once.
// Every device has 128 uniform vectors for vertices. A joint needs three, and the engine's shaders
// need some for matrices, lights and textures.
#define GPB_UNIFORMS       128
#define GPB_OTHER_UNIFORMS 16

// -- Influences

// The first floats of an element in a vertex.
typedef struct gpb_slice {
    uint64_t offset;
    uint32_t count;
} gpb_slice;

static gpb_slice gpb_check_model_find_slice(const tenon_gpb_mesh *mesh, uint32_t usage)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        uint32_t size = mesh->elements[i].size;
        if (mesh->elements[i].usage == usage)
            return (gpb_slice){offset, size < GPB_INFLUENCES_MOST ? size : GPB_INFLUENCES_MOST};
        offset += 4 * (uint64_t)size;
    }
    return (gpb_slice){0, 0};
}

static void gpb_check_model_note_vertex(gpb_influences *known, uint64_t vertex, const uint8_t *p,
                                        gpb_slice weights, gpb_slice indices)
{
    double sum = 0;
    for (uint32_t i = 0; i < weights.count; i++) {
        float weight = tn_load_f32(p + weights.offset + 4 * i, false);
        sum += weight;
        if (i >= indices.count || !(weight != 0)) continue;
        float index = tn_load_f32(p + indices.offset + 4 * i, false);
        if (!(index >= 0) || index != floor(index)) {
            if (known->invalid_vertex == TENON_ABSENT) known->invalid_vertex = vertex;
        } else if (index > known->top_index) {
            known->top_index = index;
            known->top_vertex = vertex;
        }
    }
    // The rule for finite numbers reports sums that are not finite.
    if (!isfinite(sum) || fabs(sum - 1) <= GPB_WEIGHT_SLACK) return;
    if (known->wrong_sum_count++ > 0) return;
    known->wrong_sum_vertex = vertex;
    known->wrong_sum = sum;
}

// Decode four floats of each of `count` vertices.
static void gpb_check_model_take_slice(const tenon_span *vertices, gpb_slice slice, uint64_t at,
                                       uint64_t count, float *out)
{
    const tenon_element element = {.type = TENON_TYPE_F32, .count = 4, .offset = slice.offset};
    tn_span_f32(vertices, &element, at, count, out);
}

// Whether `count` vertices from `at` on have no problem and no larger joint index.
static bool gpb_check_model_block_is_plain(const gpb_influences *known, const tenon_span *vertices,
                                           gpb_slice weights, gpb_slice indices, uint64_t at,
                                           uint64_t count)
{
    float block[4 * GPB_BLOCK];
    if (weights.count != 4 || indices.count != 4) return false;
    gpb_check_model_take_slice(vertices, indices, at, count, block);
    if (!tn_joints_are_plain(block, 4 * count, (float)known->top_index)) return false;
    gpb_check_model_take_slice(vertices, weights, at, count, block);
    return tn_weights_are_plain(block, count);
}

static void gpb_check_model_note_vertices(gpb_influences *known, const tenon_span *vertices,
                                          gpb_slice weights, gpb_slice indices)
{
    for (uint64_t at = 0; at < vertices->count; at += GPB_BLOCK) {
        uint64_t left = vertices->count - at, count = left < GPB_BLOCK ? left : GPB_BLOCK;
        if (gpb_check_model_block_is_plain(known, vertices, weights, indices, at, count)) continue;
        for (uint64_t v = at; v < at + count; v++)
            gpb_check_model_note_vertex(known, v, tn_span_record(vertices, v), weights, indices);
    }
}

// Each mesh is examined once, even if several skins use it.
static const gpb_influences *gpb_check_model_examine_influences(const gpb_checker *checker,
                                                                uint32_t block)
{
    gpb_influences *known = &checker->influences[block];
    const tenon_gpb_mesh *mesh = &checker->doc->blocks[block].body.mesh;
    if (known->is_known) return known;
    gpb_slice weights = gpb_check_model_find_slice(mesh, 6),
              indices = gpb_check_model_find_slice(mesh, 7);
    *known = (gpb_influences){.is_known = true,
                              .has_both = weights.count && indices.count,
                              .top_index = -1,
                              .invalid_vertex = TENON_ABSENT,
                              .wrong_sum_vertex = TENON_ABSENT};
    if (known->has_both) gpb_check_model_note_vertices(known, &mesh->vertices, weights, indices);
    return known;
}

static void gpb_check_model_influences(const gpb_checker *checker, uint32_t node_index,
                                       uint32_t block)
{
    const tenon_gpb_skin *skin = &checker->index.tree.nodes[node_index].node->model.skin;
    const gpb_influences *known = gpb_check_model_examine_influences(checker, block);
    tn_path_text path = gpb_check_node_path(checker, node_index, tn_path("model.skin"));
    if (!known->has_both) {
        tn_found(checker->check, GPB_SKIN_ATTRIBUTES, path,
                 "the vertices of the mesh have no weights or no joint indices");
        return;
    }
    if (known->invalid_vertex != TENON_ABSENT)
        tn_found(
            checker->check, GPB_BONE_INDEX,
            tn_path("blocks[%" PRIu32 "].mesh.vertices[%" PRIu64 "]", block, known->invalid_vertex),
            "a joint index is negative or not a whole number");
    if (skin->joint_count && known->top_index >= skin->joint_count)
        tn_found(
            checker->check, GPB_BONE_INDEX,
            tn_path("blocks[%" PRIu32 "].mesh.vertices[%" PRIu64 "]", block, known->top_vertex),
            "a joint index is %s, but the skin has %" PRIu32 " joints",
            gpb_check_number(known->top_index).text, skin->joint_count);
    if (known->wrong_sum_count)
        tn_found(checker->check, GPB_WEIGHT_SUM,
                 tn_path("blocks[%" PRIu32 "].mesh.vertices[%" PRIu64 "]", block,
                         known->wrong_sum_vertex),
                 "the weights of %" PRIu64 " vertices do not sum to 1; the sum of the first is %s",
                 known->wrong_sum_count, gpb_check_number(known->wrong_sum).text);
}

// -- Skins

static void gpb_check_model_joints(const gpb_checker *checker, uint32_t node_index,
                                   const tenon_gpb_skin *skin)
{
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        tn_path_text inside = tn_path("model.skin.joints[%" PRIu32 "]", i);
        uint32_t joint =
            gpb_index_find_node(&checker->index, gpb_index_xref_id(checker->doc, skin->joints[i]));
        bool is_linked = joint == TENON_NONE &&
                         gpb_check_link(checker, gpb_check_node_path(checker, node_index, inside),
                                        skin->joints[i], TENON_GPB_NODE);
        if (joint == TENON_NONE && !is_linked)
            tn_found(checker->check, GPB_UNRESOLVED_XREF,
                     gpb_check_node_path(checker, node_index, inside),
                     "the node '%s' does not exist", gpb_check_show(skin->joints[i]).text);
        else if (!is_linked && checker->index.tree.nodes[joint].node->node_type == 1)
            tn_found(checker->check, GPB_JOINT_TYPE,
                     gpb_check_node_path(checker, node_index, inside),
                     "'%s' is a node, not a joint", gpb_check_show(skin->joints[i]).text);
    }
}

static void gpb_check_model_skin(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_skin *skin = &checker->index.tree.nodes[node_index].node->model.skin;
    uint64_t needed = 16 * (uint64_t)skin->joint_count;
    uint64_t vectors = 3 * (uint64_t)skin->joint_count;
    if (skin->joint_count == 0)
        tn_found(checker->check, GPB_SKIN_EMPTY,
                 gpb_check_node_path(checker, node_index, tn_path("model.skin.joints")),
                 "the skin has no joints");
    if (skin->bind_pose_count != needed)
        tn_found(checker->check, GPB_BIND_POSE_COUNT,
                 gpb_check_node_path(checker, node_index, tn_path("model.skin.bind_pose_count")),
                 "%" PRIu32 " joints need %" PRIu64 " numbers, but there are %" PRIu32,
                 skin->joint_count, needed, skin->bind_pose_count);
    if (vectors > GPB_UNIFORMS - GPB_OTHER_UNIFORMS)
        tn_found(checker->check, GPB_ENGINE_PALETTE,
                 gpb_check_node_path(checker, node_index, tn_path("model.skin.joints")),
                 "%" PRIu32 " joints need %" PRIu64
                 " uniform vectors, but some devices have only %d",
                 skin->joint_count, vectors, GPB_UNIFORMS);
    gpb_check_model_joints(checker, node_index, skin);
}

// -- Models

static void gpb_check_model_materials(const gpb_checker *checker, uint32_t node_index,
                                      const tenon_gpb_mesh *mesh)
{
    const tenon_gpb_model *model = &checker->index.tree.nodes[node_index].node->model;
    for (uint32_t i = 0; i < model->material_count; i++)
        gpb_check_effect(checker,
                         gpb_check_node_path(checker, node_index,
                                             tn_path("model.materials[%" PRIu32 "].effect", i)),
                         model->materials[i].effect);
    bool has_materials = model->material_count > 0;  // Old encoders wrote none.
    if (mesh && has_materials && model->material_count != mesh->part_count)
        tn_found(checker->check, GPB_MATERIAL_COUNT,
                 gpb_check_node_path(checker, node_index, tn_path("model.materials")),
                 "the model has %" PRIu32 " materials, but its mesh has %" PRIu32 " parts",
                 model->material_count, mesh->part_count);
}

void gpb_check_model(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_model *model = &checker->index.tree.nodes[node_index].node->model;
    uint32_t block = gpb_index_find_mesh_block(&checker->index, model->mesh);
    tn_path_text path = gpb_check_node_path(checker, node_index, tn_path("model.mesh"));
    if (block == TENON_NONE && !gpb_check_link(checker, path, model->mesh, TENON_GPB_MESH))
        tn_found(checker->check, GPB_UNRESOLVED_XREF, path, "the mesh '%s' does not exist",
                 gpb_check_show(model->mesh).text);
    if (model->has_skin) gpb_check_model_skin(checker, node_index);
    if (model->has_skin && block != TENON_NONE)
        gpb_check_model_influences(checker, node_index, block);
    gpb_check_model_materials(checker, node_index,
                              block == TENON_NONE ? NULL : &checker->doc->blocks[block].body.mesh);
}
