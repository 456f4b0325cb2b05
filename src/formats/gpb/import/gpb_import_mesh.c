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
    gpb_importer *s;
    gpb_vertex_picker sieve;
    uint32_t *blocks;  // For each node of the tree: the block of its mesh; TENON_NONE if none.
    uint32_t *twins;   // For each node: the first one with an equal mesh.
    uint8_t *uses;     // For each block: how the mesh is used.
} gpb_mesh_importer;

enum { GPB_SHOWN = 1, GPB_SHOWN_WITH_SKIN = 2 };

// -- Parts

static uint32_t gpb_index_at(const tenon_span *indices, uint64_t i)
{
    const uint8_t *p = tn_span_record(indices, i);
    uint64_t width = indices->layout->stride;
    return width == 1 ? *p : width == 2 ? tn_load16(p, false) : tn_load32(p, false);
}

// Find the vertices of a part, in the order of first use. Returns how many.
static uint64_t gpb_sift(gpb_vertex_picker *sieve, const tenon_gpb_mesh *mesh,
                         const tenon_gpb_part *part)
{
    uint64_t count = 0;
    sieve->stamp++;
    for (uint64_t i = 0; i < part->indices.count; i++) {
        uint32_t vertex = gpb_index_at(&part->indices, i);
        if (vertex >= mesh->vertices.count || sieve->stamps[vertex] == sieve->stamp) continue;
        sieve->stamps[vertex] = sieve->stamp;
        sieve->numbers[vertex] = (uint32_t)count;
        sieve->used[count++] = vertex;
    }
    return count;
}

static void gpb_copy_indices(const gpb_vertex_picker *sieve, const gpb_selection *from,
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
        p->indices[i] = !exists ? TENON_NONE : from->vertices ? sieve->numbers[vertex] : vertex;
    }
}

// Primitive types are the numbers of OpenGL, in files and in scenes.
static void gpb_add_part(gpb_mesh_importer *shelf, gpb_selection *from, uint32_t block,
                         uint32_t index, tenon_primitive *p)
{
    gpb_importer *s = shelf->s;
    const tenon_gpb_part *part = &from->mesh->parts[index];
    bool is_known = part->primitive_type <= TENON_TRIANGLE_FAN;
    bool has_indices = part->indices.layout && part->indices.count && is_known;
    if (!is_known && gpb_tally_first(&s->losses.primitives, 1))
        s->losses.primitives.path =
            tn_path("blocks[%" PRIu32 "].mesh.parts[%" PRIu32 "].primitive_type", block, index);
    p->mode = is_known ? (tenon_mode)part->primitive_type : TENON_TRIANGLES;
    from->index_count = has_indices ? part->indices.count : 0;
    from->vertices = from->mesh->part_count > 1 ? shelf->sieve.used : NULL;
    from->count = !has_indices     ? 0
                  : from->vertices ? gpb_sift(&shelf->sieve, from->mesh, part)
                                   : from->mesh->vertices.count;
    gpb_fill_primitive(s, from, p);
    if (!s->b->failed) gpb_copy_indices(&shelf->sieve, from, part, p);
}

// -- Meshes

static uint64_t gpb_count_loose(gpb_vertex_picker *sieve, const tenon_gpb_mesh *mesh)
{
    uint32_t before = sieve->stamp;
    uint64_t loose = mesh->vertices.count;
    for (uint32_t i = 0; i < mesh->part_count; i++)
        if (mesh->parts[i].indices.layout) gpb_sift(sieve, mesh, &mesh->parts[i]);
    for (uint64_t i = 0; i < mesh->vertices.count; i++) loose -= sieve->stamps[i] > before;
    return loose;
}

// Count what a scene cannot represent of a mesh.
static void gpb_report_mesh(gpb_mesh_importer *shelf, uint32_t block)
{
    gpb_importer *s = shelf->s;
    const tenon_gpb_mesh *mesh = &s->doc->blocks[block].body.mesh;
    gpb_stream streams[GPB_STREAM_COUNT];
    uint64_t useless = gpb_find_streams(mesh, streams);
    uint64_t loose = mesh->part_count > 1 ? gpb_count_loose(&shelf->sieve, mesh) : 0;
    bool has_weights = gpb_has_influences(mesh) && shelf->uses[block] == GPB_SHOWN;
    gpb_losses *lost = &s->losses;
    if (useless && gpb_tally_first(&lost->elements, useless))
        lost->elements.path = tn_path("blocks[%" PRIu32 "].mesh.elements", block);
    if (streams[1].size == 0 && gpb_tally_first(&lost->positions, mesh->vertices.count))
        lost->positions.path = tn_path("blocks[%" PRIu32 "].mesh.vertices", block);
    if (loose && gpb_tally_first(&lost->loose, loose))
        lost->loose.path = tn_path("blocks[%" PRIu32 "].mesh.vertices", block);
    if (has_weights && gpb_tally_first(&lost->weights, 1))
        lost->weights.path = tn_path("blocks[%" PRIu32 "].mesh.vertices", block);
}

// The material of a part of the mesh of a node.
static uint32_t gpb_material_of(const gpb_importer *s, uint32_t leaf, uint32_t part)
{
    uint32_t first = s->first_material[leaf], count = s->first_material[leaf + 1] - first;
    return part < count ? s->materials[first + part] : TENON_NONE;
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
static uint32_t gpb_add_mesh(gpb_mesh_importer *shelf, uint32_t block, uint32_t leaf)
{
    gpb_importer *s = shelf->s;
    const tenon_gpb_mesh *mesh = &s->doc->blocks[block].body.mesh;
    uint32_t count = mesh->part_count ? mesh->part_count : 1;
    tenon_str name = gpb_id_of(s->doc, s->doc->blocks[block].reference);
    uint32_t made = tn_add_mesh(s->b, gpb_plain_name(name), count);
    if (s->b->failed) return TENON_NONE;
    bool is_skinned = leaf != TENON_NONE && s->rig_of[leaf] != TENON_NONE;
    const tenon_gpb_model *model = is_skinned ? &s->index.tree.leaves[leaf].node->model : NULL;
    gpb_selection from = {.mesh = mesh, .joint_count = model ? model->skin.joint_count : 0};
    tenon_primitive *primitives = s->b->scene->meshes[made].primitives;
    for (uint32_t i = 0; i < count && !s->b->failed; i++) {
        if (leaf != TENON_NONE) primitives[i].material = gpb_material_of(s, leaf, i);
        if (mesh->part_count) {
            gpb_add_part(shelf, &from, block, i, &primitives[i]);
            continue;
        }
        from.count = mesh->vertices.count;
        gpb_fill_primitive(s, &from, &primitives[i]);
    }
    return made;
}

// -- Meshes of nodes

// Order by mesh, then by materials. Each node with a skin has a separate mesh.
static bool gpb_twin_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_mesh_importer *shelf = context;
    const gpb_importer *s = shelf->s;
    if (shelf->blocks[a] != shelf->blocks[b]) return shelf->blocks[a] < shelf->blocks[b];
    uint32_t x = s->first_material[a], x_end = s->first_material[a + 1];
    uint32_t y = s->first_material[b], y_end = s->first_material[b + 1];
    for (; x < x_end && y < y_end; x++, y++)
        if (s->materials[x] != s->materials[y]) return s->materials[x] < s->materials[y];
    if (x_end - x != y_end - y) return x_end - x < y_end - y;
    return s->rig_of[a] < s->rig_of[b];
}

static void gpb_find_twins(gpb_mesh_importer *shelf)
{
    gpb_importer *s = shelf->s;
    uint32_t count = s->index.tree.count;
    uint32_t *sorted = tn_scene_array(s->b, count, sizeof *sorted);
    shelf->twins = tn_scene_array(s->b, count, sizeof *shelf->twins);
    if (s->b->failed) return;
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    tn_sort(sorted, shelf->twins, count, gpb_twin_before, shelf);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = i == 0 || gpb_twin_before(shelf, sorted[i - 1], sorted[i]);
        shelf->twins[sorted[i]] = is_new ? sorted[i] : shelf->twins[sorted[i - 1]];
    }
}

static void gpb_find_meshes(gpb_mesh_importer *shelf)
{
    gpb_importer *s = shelf->s;
    for (uint32_t i = 0; i < s->index.tree.count; i++) {
        const tenon_gpb_model *model = &s->index.tree.leaves[i].node->model;
        shelf->blocks[i] = TENON_NONE;
        if (!gpb_has_model(s->doc->base.dialect->flags, model)) continue;
        shelf->blocks[i] = gpb_find_mesh_block(&s->index, model->mesh);
        if (shelf->blocks[i] != TENON_NONE)
            shelf->uses[shelf->blocks[i]] |=
                s->rig_of[i] == TENON_NONE ? GPB_SHOWN : GPB_SHOWN_WITH_SKIN;
        else if (gpb_tally_first(&s->losses.models, 1))
            s->losses.models.path = gpb_import_path(s, i, tn_path("model.mesh"));
    }
}

static void gpb_show_meshes(gpb_mesh_importer *shelf)
{
    gpb_importer *s = shelf->s;
    for (uint32_t i = 0; i < s->index.tree.count && !s->b->failed; i++) {
        if (shelf->blocks[i] == TENON_NONE) continue;
        uint32_t twin = shelf->twins[i];
        uint32_t mesh = twin == i ? gpb_add_mesh(shelf, shelf->blocks[i], i)
                                  : s->b->scene->nodes[s->slots[twin].node].mesh;
        if (!s->b->failed) s->b->scene->nodes[s->slots[i].node].mesh = mesh;
    }
}

// If a bundle has meshes but no nodes, each mesh gets one.
static void gpb_show_hidden(gpb_mesh_importer *shelf)
{
    gpb_importer *s = shelf->s;
    for (uint32_t i = 0; i < s->doc->block_count && !s->b->failed; i++) {
        const tenon_gpb_block *block = &s->doc->blocks[i];
        if (block->kind != TENON_GPB_MESH) continue;
        gpb_report_mesh(shelf, i);
        if (shelf->uses[i]) continue;
        bool is_bare = s->index.tree.count == 0;
        gpb_tally *told = is_bare ? &s->losses.made_nodes : &s->losses.meshes;
        if (gpb_tally_first(told, 1)) told->path = tn_path("blocks[%" PRIu32 "].mesh", i);
        if (!is_bare) continue;
        uint32_t mesh = gpb_add_mesh(shelf, i, TENON_NONE);
        uint32_t node = tn_add_node(s->b, gpb_id_of(s->doc, block->reference), TENON_NONE);
        if (!s->b->failed) s->b->scene->nodes[node].mesh = mesh;
    }
}

void gpb_add_meshes(gpb_importer *s)
{
    gpb_mesh_importer shelf = {.s = s};
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->doc->block_count; i++) {
        const tenon_gpb_block *block = &s->doc->blocks[i];
        if (block->kind == TENON_GPB_MESH && block->body.mesh.vertices.count > most)
            most = block->body.mesh.vertices.count;
    }
    shelf.sieve.stamps = tn_scene_array(s->b, most, sizeof *shelf.sieve.stamps);
    shelf.sieve.numbers = tn_scene_array(s->b, most, sizeof *shelf.sieve.numbers);
    shelf.sieve.used = tn_scene_array(s->b, most, sizeof *shelf.sieve.used);
    shelf.blocks = tn_scene_array(s->b, s->index.tree.count, sizeof *shelf.blocks);
    shelf.uses = tn_scene_array(s->b, s->doc->block_count, 1);
    if (s->b->failed) return;
    gpb_find_meshes(&shelf);
    gpb_find_twins(&shelf);
    if (!s->b->failed) gpb_show_meshes(&shelf);
    if (!s->b->failed) gpb_show_hidden(&shelf);
}
