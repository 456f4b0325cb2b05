// gpb_import_mesh.c: imports meshes and their parts, and assigns them to nodes.
// SPDX-License-Identifier: MIT
//
// In the file, parts share the vertices of their mesh. In a scene, each part has only the vertices
// that it uses, which are at most as many as its indices. In the file, materials belong to nodes,
// in a scene to parts: nodes share a mesh if they have the same materials.

#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"

#include <inttypes.h>
#include <string.h>

// Finds the vertices that a part uses.
typedef struct gpb_vertex_picker {
    uint32_t *stamps;   // For each vertex: the last part that used it.
    uint32_t *numbers;  // For each vertex: its index in that part.
    uint32_t *used;     // The vertices of the part.
    uint32_t stamp;     // The number of the current part.
} gpb_vertex_picker;

typedef struct gpb_mesh_importer {
    gpb_importer *importer;
    gpb_vertex_picker picker;
    uint32_t *blocks;       // For each node of the tree: the block of its mesh; TENON_NONE if none.
    uint32_t *first_equal;  // For each node: the first one with an equal mesh.
    uint8_t *uses;          // For each block: how the mesh is used.
} gpb_mesh_importer;

enum { GPB_MESH_USED = 1, GPB_MESH_USED_BY_SKIN = 2 };

// -- Parts

static uint32_t gpb_index_at(const tenon_span *indices, uint64_t i)
{
    const uint8_t *p = tn_span_record(indices, i);
    uint64_t width = indices->layout->stride;
    return width == 1 ? *p : width == 2 ? tn_load16(p, false) : tn_load32(p, false);
}

// Find the vertices of a part, in the order of first use. Returns how many.
static uint64_t gpb_pick_vertices(gpb_vertex_picker *picker, const tenon_gpb_mesh *mesh,
                                  const tenon_gpb_part *part)
{
    uint64_t count = 0;
    picker->stamp++;
    for (uint64_t i = 0; i < part->indices.count; i++) {
        uint32_t vertex = gpb_index_at(&part->indices, i);
        if (vertex >= mesh->vertices.count || picker->stamps[vertex] == picker->stamp) continue;
        picker->stamps[vertex] = picker->stamp;
        picker->numbers[vertex] = (uint32_t)count;
        picker->used[count++] = vertex;
    }
    return count;
}

static void gpb_copy_indices(const gpb_vertex_picker *picker, const gpb_selection *from,
                             const tenon_gpb_part *part, tenon_primitive *p)
{
    bool is_plain =
        p->indices && !from->vertices && tn_span_top(&part->indices) < from->mesh->vertices.count;
    if (is_plain) {
        tn_span_indices(&part->indices, p->indices);
        return;
    }
    for (uint32_t i = 0; p->indices && i < p->index_count; i++) {
        uint32_t vertex = gpb_index_at(&part->indices, i);
        bool exists = vertex < from->mesh->vertices.count;
        p->indices[i] = !exists ? TENON_NONE : from->vertices ? picker->numbers[vertex] : vertex;
    }
}

// Primitive types are the numbers of OpenGL, in files and in scenes.
static void gpb_add_part(gpb_mesh_importer *meshes, gpb_selection *from, uint32_t block,
                         uint32_t index, tenon_primitive *p)
{
    gpb_importer *importer = meshes->importer;
    const tenon_gpb_part *part = &from->mesh->parts[index];
    bool is_known = part->primitive_type <= TENON_TRIANGLE_FAN;
    bool has_indices = part->indices.layout && part->indices.count && is_known;
    if (!is_known)
        tn_tally_path(&importer->losses.primitives, 1,
                      "blocks[%" PRIu32 "].mesh.parts[%" PRIu32 "].primitive_type", block, index);
    p->mode = is_known ? (tenon_mode)part->primitive_type : TENON_TRIANGLES;
    from->index_count = has_indices ? part->indices.count : 0;
    from->vertices = from->mesh->part_count > 1 ? meshes->picker.used : NULL;
    from->count = !has_indices     ? 0
                  : from->vertices ? gpb_pick_vertices(&meshes->picker, from->mesh, part)
                                   : from->mesh->vertices.count;
    gpb_fill_primitive(importer, from, p);
    if (!importer->builder->failed) gpb_copy_indices(&meshes->picker, from, part, p);
}

// -- Meshes

static uint64_t gpb_count_loose(gpb_vertex_picker *picker, const tenon_gpb_mesh *mesh)
{
    uint32_t before = picker->stamp;
    uint64_t loose = mesh->vertices.count;
    for (uint32_t i = 0; i < mesh->part_count; i++)
        if (mesh->parts[i].indices.layout) gpb_pick_vertices(picker, mesh, &mesh->parts[i]);
    for (uint64_t i = 0; i < mesh->vertices.count; i++) loose -= picker->stamps[i] > before;
    return loose;
}

// Count what a scene cannot represent of a mesh.
static void gpb_report_mesh(gpb_mesh_importer *meshes, uint32_t block)
{
    gpb_importer *importer = meshes->importer;
    const tenon_gpb_mesh *mesh = &importer->doc->blocks[block].body.mesh;
    gpb_stream streams[GPB_STREAM_COUNT];
    uint64_t useless = gpb_find_streams(mesh, streams);
    uint64_t loose = mesh->part_count > 1 ? gpb_count_loose(&meshes->picker, mesh) : 0;
    bool has_weights = gpb_has_influences(mesh) && meshes->uses[block] == GPB_MESH_USED;
    gpb_losses *lost = &importer->losses;
    if (useless)
        tn_tally_path(&lost->elements, useless, "blocks[%" PRIu32 "].mesh.elements", block);
    if (streams[1].size == 0)
        tn_tally_path(&lost->positions, mesh->vertices.count, "blocks[%" PRIu32 "].mesh.vertices",
                      block);
    if (loose) tn_tally_path(&lost->loose, loose, "blocks[%" PRIu32 "].mesh.vertices", block);
    if (has_weights) tn_tally_path(&lost->weights, 1, "blocks[%" PRIu32 "].mesh.vertices", block);
}

// The material of a part of the mesh of a node.
static uint32_t gpb_material_of(const gpb_importer *importer, uint32_t node_index, uint32_t part)
{
    uint32_t first = importer->first_material[node_index],
             count = importer->first_material[node_index + 1] - first;
    return part < count ? importer->materials[first + part] : TENON_NONE;
}

// All objects of a bundle share one set of names, so encoders call the mesh of the node "hull"
// "hull_Mesh".
static tenon_str gpb_plain_name(tenon_str name)
{
    static const char end[] = "_Mesh";
    uint32_t size = sizeof end - 1;
    bool has_end = name.size > size && memcmp(name.data + name.size - size, end, size) == 0;
    return has_end ? (tenon_str){name.data, name.size - size} : name;
}

// Add a mesh with the materials of a node; TENON_NONE for a mesh without a node.
static uint32_t gpb_add_mesh(gpb_mesh_importer *meshes, uint32_t block, uint32_t node_index)
{
    gpb_importer *importer = meshes->importer;
    const tenon_gpb_mesh *mesh = &importer->doc->blocks[block].body.mesh;
    uint32_t count = mesh->part_count ? mesh->part_count : 1;
    tenon_str name = gpb_id_of(importer->doc, importer->doc->blocks[block].reference);
    uint32_t made = tn_add_mesh(importer->builder, gpb_plain_name(name), count);
    if (importer->builder->failed) return TENON_NONE;
    bool is_skinned = node_index != TENON_NONE && importer->rig_of[node_index] != TENON_NONE;
    const tenon_gpb_model *model =
        is_skinned ? &importer->index.tree.nodes[node_index].node->model : NULL;
    gpb_selection from = {.mesh = mesh, .joint_count = model ? model->skin.joint_count : 0};
    tenon_primitive *primitives = importer->builder->scene->meshes[made].primitives;
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        if (node_index != TENON_NONE)
            primitives[i].material = gpb_material_of(importer, node_index, i);
        if (mesh->part_count) {
            gpb_add_part(meshes, &from, block, i, &primitives[i]);
            continue;
        }
        from.count = mesh->vertices.count;
        gpb_fill_primitive(importer, &from, &primitives[i]);
    }
    return made;
}

// -- Meshes of nodes

// Order by mesh, then by materials. Each node with a skin has a separate mesh.
static bool gpb_mesh_use_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_mesh_importer *meshes = context;
    const gpb_importer *importer = meshes->importer;
    if (meshes->blocks[a] != meshes->blocks[b]) return meshes->blocks[a] < meshes->blocks[b];
    uint32_t x = importer->first_material[a], x_end = importer->first_material[a + 1];
    uint32_t y = importer->first_material[b], y_end = importer->first_material[b + 1];
    for (; x < x_end && y < y_end; x++, y++)
        if (importer->materials[x] != importer->materials[y])
            return importer->materials[x] < importer->materials[y];
    if (x_end - x != y_end - y) return x_end - x < y_end - y;
    return importer->rig_of[a] < importer->rig_of[b];
}

static void gpb_find_equal_meshes(gpb_mesh_importer *meshes)
{
    gpb_importer *importer = meshes->importer;
    uint32_t count = importer->index.tree.count;
    uint32_t *sorted = tn_scene_array(importer->builder, count, sizeof *sorted);
    meshes->first_equal = tn_scene_array(importer->builder, count, sizeof *meshes->first_equal);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    tn_sort(sorted, meshes->first_equal, count, gpb_mesh_use_before, meshes);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = i == 0 || gpb_mesh_use_before(meshes, sorted[i - 1], sorted[i]);
        meshes->first_equal[sorted[i]] = is_new ? sorted[i] : meshes->first_equal[sorted[i - 1]];
    }
}

static void gpb_find_meshes(gpb_mesh_importer *meshes)
{
    gpb_importer *importer = meshes->importer;
    for (uint32_t i = 0; i < importer->index.tree.count; i++) {
        const tenon_gpb_model *model = &importer->index.tree.nodes[i].node->model;
        meshes->blocks[i] = TENON_NONE;
        if (!gpb_has_model(importer->doc->base.dialect->flags, model)) continue;
        meshes->blocks[i] = gpb_find_mesh_block(&importer->index, model->mesh);
        if (meshes->blocks[i] != TENON_NONE)
            meshes->uses[meshes->blocks[i]] |=
                importer->rig_of[i] == TENON_NONE ? GPB_MESH_USED : GPB_MESH_USED_BY_SKIN;
        else
            gpb_tally_node(importer, &importer->losses.models, i, "model.mesh");
    }
}

static void gpb_assign_meshes(gpb_mesh_importer *meshes)
{
    gpb_importer *importer = meshes->importer;
    for (uint32_t i = 0; i < importer->index.tree.count && !importer->builder->failed; i++) {
        if (meshes->blocks[i] == TENON_NONE) continue;
        uint32_t first = meshes->first_equal[i];
        uint32_t mesh =
            first == i ? gpb_add_mesh(meshes, meshes->blocks[i], i)
                       : importer->builder->scene->nodes[importer->scene_nodes[first].node].mesh;
        if (!importer->builder->failed)
            importer->builder->scene->nodes[importer->scene_nodes[i].node].mesh = mesh;
    }
}

// If a bundle has meshes but no nodes, each mesh gets one.
static void gpb_add_unused_meshes(gpb_mesh_importer *meshes)
{
    gpb_importer *importer = meshes->importer;
    for (uint32_t i = 0; i < importer->doc->block_count && !importer->builder->failed; i++) {
        const tenon_gpb_block *block = &importer->doc->blocks[i];
        if (block->kind != TENON_GPB_MESH) continue;
        gpb_report_mesh(meshes, i);
        if (meshes->uses[i]) continue;
        bool is_bare = importer->index.tree.count == 0;
        tn_tally *loss = is_bare ? &importer->losses.made_nodes : &importer->losses.meshes;
        tn_tally_path(loss, 1, "blocks[%" PRIu32 "].mesh", i);
        if (!is_bare) continue;
        uint32_t mesh = gpb_add_mesh(meshes, i, TENON_NONE);
        uint32_t node =
            tn_add_node(importer->builder, gpb_id_of(importer->doc, block->reference), TENON_NONE);
        if (!importer->builder->failed) importer->builder->scene->nodes[node].mesh = mesh;
    }
}

void gpb_add_meshes(gpb_importer *importer)
{
    gpb_mesh_importer meshes = {.importer = importer};
    uint64_t most = 0;
    for (uint32_t i = 0; i < importer->doc->block_count; i++) {
        const tenon_gpb_block *block = &importer->doc->blocks[i];
        if (block->kind == TENON_GPB_MESH && block->body.mesh.vertices.count > most)
            most = block->body.mesh.vertices.count;
    }
    meshes.picker.stamps = tn_scene_array(importer->builder, most, sizeof *meshes.picker.stamps);
    meshes.picker.numbers = tn_scene_array(importer->builder, most, sizeof *meshes.picker.numbers);
    meshes.picker.used = tn_scene_array(importer->builder, most, sizeof *meshes.picker.used);
    meshes.blocks =
        tn_scene_array(importer->builder, importer->index.tree.count, sizeof *meshes.blocks);
    meshes.uses = tn_scene_array(importer->builder, importer->doc->block_count, 1);
    if (importer->builder->failed) return;
    gpb_find_meshes(&meshes);
    gpb_find_equal_meshes(&meshes);
    if (!importer->builder->failed) gpb_assign_meshes(&meshes);
    if (!importer->builder->failed) gpb_add_unused_meshes(&meshes);
}
