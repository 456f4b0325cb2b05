// gpb_import_mesh.c: imports meshes and their parts, and assigns them to nodes.
// SPDX-License-Identifier: MIT
//
// In the file, parts share the vertices of their mesh. In a scene, each part has only the vertices
// that it uses, which are at most as many as its indices. In the file, materials belong to nodes,
// in a scene to parts: nodes share a mesh if they have the same materials.

#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "scene/model/origin.h"

#include <stdio.h>
#include <string.h>

#define GPB_BLOCK 256  // Vertices decoded at once.

typedef struct gpb_mesh_importer {
    gpb_importer *importer;
    uint32_t *blocks;   // For each node of the tree: the block of its mesh; TENON_NONE if none.
    uint8_t *uses;      // For each block: how the mesh is used.
    uint32_t *stamps;   // For each vertex: the number of the last part that used it.
    uint32_t *numbers;  // For each vertex: its index in that part.
    uint32_t *used;     // The vertices of the current part.
    uint32_t stamp;     // The number of the current part.
} gpb_mesh_importer;

enum { GPB_MESH_USED = 1, GPB_MESH_USED_BY_SKIN = 2 };

// -- Vertices

// Find the streams of all vertices of a mesh. Returns the number of elements that cannot be used.
static uint64_t gpb_find_streams(const tenon_gpb_mesh *mesh, tn_vertices *vertices)
{
    uint64_t offset = 0, useless = 0;
    uint64_t stride = mesh->vertices.layout ? mesh->vertices.layout->stride : 0;
    *vertices = (tn_vertices){.count = mesh->vertices.count, .is_v_up = true};
    tn_vertex_stream *streams = vertices->streams;
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        tenon_gpb_element e = mesh->elements[i];
        uint64_t size = 4 * (uint64_t)e.size;
        uint32_t meaning = e.usage - 1;  // Usages start at 1, in the order of tn_meaning.
        uint32_t least = meaning >= TN_NORMAL && meaning <= TN_BINORMAL ? 3 : 1;
        bool fits = offset <= stride && size <= stride - offset && e.size >= least && e.size <= 4;
        if (fits && meaning < TN_MEANING_COUNT && streams[meaning].count == 0)
            streams[meaning] = (tn_vertex_stream){&mesh->vertices, offset, e.size};
        else
            useless++;
        offset += size;
    }
    if (streams[TN_NORMAL].count == 0) streams[TN_TANGENT].count = 0;
    uint32_t weights = streams[TN_WEIGHTS].count, joints = streams[TN_JOINTS].count;
    streams[TN_WEIGHTS].count = streams[TN_JOINTS].count = weights < joints ? weights : joints;
    return useless;
}

bool gpb_has_influences(const tenon_gpb_mesh *mesh)
{
    tn_vertices vertices;
    gpb_find_streams(mesh, &vertices);
    return vertices.streams[TN_POSITION].count && vertices.streams[TN_JOINTS].count;
}

// Allocate the streams of a primitive, and copy the vertices. The caller sets the indices. The skin
// has `joint_count` joints; 0 if there is none.
static void gpb_fill_primitive(gpb_importer *importer, const tn_vertices *from,
                               uint64_t index_count, uint32_t joint_count, tenon_primitive *p)
{
    tn_import_vertices(importer->builder, from, index_count, joint_count ? TN_WITH_SKIN : 0, p);
    if (importer->builder->failed) return;
    // The binormal determines the handedness of the tangent.
    bool lacks_sides = from->streams[TN_TANGENT].count == 3;
    bool has_binormals = from->streams[TN_BINORMAL].count > 0;
    if (lacks_sides && !has_binormals) importer->lost.sides.count += p->vertex_count;
    for (uint64_t i = 0; lacks_sides && has_binormals && i < p->vertex_count; i++) {
        const float *n = p->normals + 3 * i;
        float *t = p->tangents + 4 * i, b[3];
        tn_read_stream(from, TN_BINORMAL, i, 1, b);
        tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, (tn_vec3){t[0], t[1], t[2]});
        t[3] = tn_vec3_dot(side, (tn_vec3){b[0], b[1], b[2]}) < 0 ? -1 : 1;
    }
    // Influences of joints that do not exist get a weight of 0.
    float block[4 * GPB_BLOCK], most = joint_count < 65536 ? (float)joint_count : 65536;
    for (uint64_t at = 0, count; joint_count && at < p->vertex_count; at += count) {
        count = p->vertex_count - at < GPB_BLOCK ? p->vertex_count - at : GPB_BLOCK;
        uint16_t *joints = p->joints + 4 * at;
        float *weights = p->weights + 4 * at;
        tn_read_stream(from, TN_JOINTS, at, count, block);
        bool are_plain = tn_joints_are_plain(block, 4 * count, most - 1);
        for (uint64_t i = 0; i < 4 * count && !are_plain; i++) {
            if (block[i] >= 0 && block[i] < most) continue;
            importer->lost.influences.count += weights[i] != 0;
            block[i] = weights[i] = 0;
        }
        for (uint64_t i = 0; i < 4 * count; i++) joints[i] = (uint16_t)(int32_t)block[i];
    }
}

// -- Parts

static uint32_t gpb_index_at(const tenon_span *indices, uint64_t i)
{
    const uint8_t *p = tn_span_record(indices, i);
    uint64_t width = indices->layout->stride;
    return width == 1 ? *p : width == 2 ? tn_load16(p, false) : tn_load32(p, false);
}

// Find the vertices of a part, in the order of first use. Returns how many.
static uint64_t gpb_pick_vertices(gpb_mesh_importer *meshes, const tenon_gpb_mesh *mesh,
                                  const tenon_gpb_part *part)
{
    uint64_t count = 0;
    meshes->stamp++;
    for (uint64_t i = 0; i < part->indices.count; i++) {
        uint32_t vertex = gpb_index_at(&part->indices, i);
        if (vertex >= mesh->vertices.count || meshes->stamps[vertex] == meshes->stamp) continue;
        meshes->stamps[vertex] = meshes->stamp;
        meshes->numbers[vertex] = (uint32_t)count;
        meshes->used[count++] = vertex;
    }
    return count;
}

// Primitive types are the numbers of OpenGL, in files and in scenes.
static void gpb_import_part(gpb_mesh_importer *meshes, tn_vertices from, uint32_t joint_count,
                            uint32_t block, uint32_t index, tenon_primitive *p)
{
    gpb_importer *importer = meshes->importer;
    const tenon_gpb_mesh *mesh = &importer->doc->blocks[block].body.mesh;
    const tenon_gpb_part *part = &mesh->parts[index];
    bool is_known = part->primitive_type <= TENON_TRIANGLE_FAN;
    bool has_indices = part->indices.layout && part->indices.count && is_known;
    if (!is_known)
        tn_tally_path(&importer->lost.primitives, 1, "blocks[%u].mesh.parts[%u].primitive_type",
                      block, index);
    p->mode = is_known ? (tenon_mode)part->primitive_type : TENON_TRIANGLES;
    bool is_whole = mesh->part_count == 1;
    if (has_indices && !is_whole) {
        from.records = meshes->used;
        from.count = gpb_pick_vertices(meshes, mesh, part);
    }
    if (!has_indices) from.count = 0;
    gpb_fill_primitive(importer, &from, has_indices ? part->indices.count : 0, joint_count, p);
    if (importer->builder->failed || !p->indices) return;
    tn_origin origin = {.vertex_items = is_whole ? NULL : meshes->used};
    (void)snprintf(origin.corners.path, TN_ORIGIN_PATH, "blocks[%u].mesh.parts[%u].indices", block,
                   index);
    (void)snprintf(origin.vertices.path, TN_ORIGIN_PATH, "blocks[%u].mesh.vertices", block);
    tn_add_origin(importer->builder, p, &origin);
    if (is_whole && tn_span_top(&part->indices) < mesh->vertices.count) {
        tn_span_indices(&part->indices, p->indices);
        return;
    }
    for (uint32_t i = 0; i < p->index_count; i++) {
        uint32_t vertex = gpb_index_at(&part->indices, i);
        bool exists = vertex < mesh->vertices.count;
        p->indices[i] = !exists ? TENON_NONE : is_whole ? vertex : meshes->numbers[vertex];
    }
}

// -- Meshes

// Add a mesh with the materials of a node; TENON_NONE for a mesh without a node.
static uint32_t gpb_import_add_mesh(gpb_mesh_importer *meshes, uint32_t block, uint32_t node_index)
{
    static const char suffix[] = "_Mesh";
    gpb_importer *importer = meshes->importer;
    const tenon_gpb_mesh *mesh = &importer->doc->blocks[block].body.mesh;
    uint32_t count = mesh->part_count ? mesh->part_count : 1, suffix_size = sizeof suffix - 1;
    // All objects of a bundle share one set of names, so encoders call the mesh of the node "hull"
    // "hull_Mesh".
    tenon_str name = gpb_id_of(importer->doc, importer->doc->blocks[block].reference);
    if (name.size > suffix_size &&
        memcmp(name.data + name.size - suffix_size, suffix, suffix_size) == 0)
        name.size -= suffix_size;
    uint32_t index = tn_add_mesh(importer->builder, name, count);
    if (importer->builder->failed) return TENON_NONE;
    tn_vertices from;
    gpb_find_streams(mesh, &from);
    uint32_t first_material = 0, material_count = 0, joint_count = 0;
    if (node_index != TENON_NONE) {
        const tenon_gpb_model *model = &importer->index.tree.nodes[node_index].node->model;
        bool is_skinned = importer->rig_of[node_index] != TENON_NONE;
        joint_count = is_skinned ? model->skin.joint_count : 0;
        first_material = importer->first_material[node_index];
        material_count = importer->first_material[node_index + 1] - first_material;
    }
    tenon_primitive *primitives = importer->builder->scene->meshes[index].primitives;
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        if (i < material_count) primitives[i].material = importer->materials[first_material + i];
        if (mesh->part_count)
            gpb_import_part(meshes, from, joint_count, block, i, &primitives[i]);
        else
            gpb_fill_primitive(importer, &from, 0, joint_count, &primitives[i]);
    }
    return index;
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

void gpb_import_meshes(gpb_importer *importer)
{
    gpb_mesh_importer meshes = {.importer = importer};
    tn_scene_builder *builder = importer->builder;
    uint32_t node_count = importer->index.tree.count;
    uint64_t most = 0;
    for (uint32_t i = 0; i < importer->doc->block_count; i++) {
        const tenon_gpb_block *block = &importer->doc->blocks[i];
        if (block->kind == TENON_GPB_MESH && block->body.mesh.vertices.count > most)
            most = block->body.mesh.vertices.count;
    }
    meshes.stamps = tn_scene_array(builder, most, sizeof *meshes.stamps);
    meshes.numbers = tn_scene_array(builder, most, sizeof *meshes.numbers);
    meshes.used = tn_scene_array(builder, most, sizeof *meshes.used);
    uint32_t *sorted = tn_scene_array(builder, node_count, 2 * sizeof *sorted);
    uint32_t *firsts = tn_scene_array(builder, node_count, sizeof *firsts);
    meshes.blocks = tn_scene_array(builder, node_count, sizeof *meshes.blocks);
    meshes.uses = tn_scene_array(builder, importer->doc->block_count, 1);
    if (builder->failed) return;
    for (uint32_t i = 0; i < node_count; i++) {
        const tenon_gpb_model *model = &importer->index.tree.nodes[i].node->model;
        meshes.blocks[i] = gpb_find_mesh_block(&importer->index, model->mesh);
        if (meshes.blocks[i] != TENON_NONE)
            meshes.uses[meshes.blocks[i]] |=
                importer->rig_of[i] == TENON_NONE ? GPB_MESH_USED : GPB_MESH_USED_BY_SKIN;
        else if (gpb_has_model(importer->doc->base.dialect->flags, model))
            gpb_tally_node(importer, &importer->lost.models, i, "model.mesh");
    }
    tn_sort_all(sorted, node_count, gpb_mesh_use_before, &meshes);
    for (uint32_t i = 0; i < node_count; i++) {  // The first node with an equal mesh.
        bool is_new = i == 0 || gpb_mesh_use_before(&meshes, sorted[i - 1], sorted[i]);
        firsts[sorted[i]] = is_new ? sorted[i] : firsts[sorted[i - 1]];
    }
    for (uint32_t i = 0; i < node_count && !builder->failed; i++) {
        if (meshes.blocks[i] == TENON_NONE) continue;
        uint32_t mesh = firsts[i] == i
                            ? gpb_import_add_mesh(&meshes, meshes.blocks[i], i)
                            : builder->scene->nodes[importer->scene_nodes[firsts[i]].node].mesh;
        if (!builder->failed) builder->scene->nodes[importer->scene_nodes[i].node].mesh = mesh;
    }
    // Add meshes that no node uses if the bundle has no nodes, with a node for each.
    gpb_import_losses *lost = &importer->lost;
    bool has_nodes = importer->index.tree.count > 0;
    for (uint32_t i = 0; i < importer->doc->block_count && !builder->failed; i++) {
        const tenon_gpb_block *block = &importer->doc->blocks[i];
        if (block->kind != TENON_GPB_MESH) continue;
        // Count what a scene cannot represent of a mesh.
        const tenon_gpb_mesh *mesh = &block->body.mesh;
        tn_vertices vertices;
        uint64_t useless = gpb_find_streams(mesh, &vertices), unused = 0;
        if (mesh->part_count > 1) {
            uint32_t before = meshes.stamp;
            for (uint32_t k = 0; k < mesh->part_count; k++)
                if (mesh->parts[k].indices.layout)
                    gpb_pick_vertices(&meshes, mesh, &mesh->parts[k]);
            for (uint64_t k = 0; k < mesh->vertices.count; k++)
                unused += meshes.stamps[k] <= before;
        }
        bool has_weights = gpb_has_influences(mesh) && meshes.uses[i] == GPB_MESH_USED;
        uint64_t lost_vertices =
            vertices.streams[TN_POSITION].count == 0 ? mesh->vertices.count : 0;
        tn_tally_path(&lost->elements, useless, "blocks[%u].mesh.elements", i);
        tn_tally_path(&lost->positions, lost_vertices, "blocks[%u].mesh.vertices", i);
        tn_tally_path(&lost->loose, unused, "blocks[%u].mesh.vertices", i);
        tn_tally_path(&lost->weights, has_weights, "blocks[%u].mesh.vertices", i);
        if (meshes.uses[i]) continue;
        tn_tally_path(has_nodes ? &lost->meshes : &lost->synthesized_nodes, 1, "blocks[%u].mesh",
                      i);
        if (has_nodes) continue;
        uint32_t added = gpb_import_add_mesh(&meshes, i, TENON_NONE);
        uint32_t node =
            tn_add_node(builder, gpb_id_of(importer->doc, block->reference), TENON_NONE);
        if (!builder->failed) builder->scene->nodes[node].mesh = added;
    }
}
