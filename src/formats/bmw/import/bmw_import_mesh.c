// bmw_import_mesh.c: the meshes of BMW: vertices and faces.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"
#include "exchange/vertex_codec.h"
#include "scene/model/space.h"

#include <inttypes.h>
#include <string.h>

// Offsets in a vertex.
enum { COLOR = 12, UV = 28 };

// The converter writes the integer 1 if a mesh has no normals, which is tiny as a float.
#define NO_NORMAL 1e-30

// Colors that are all white, and coordinates for a texture that does not exist, are left out.
static uint32_t bmw_import_mesh_streams(const bmw_importer *importer, uint32_t mesh)
{
    static const uint8_t white[16] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0};
    const tenon_span *vertices = &importer->doc->meshes[mesh].vertices;
    const tenon_material *material =
        &importer->builder->scene->materials[importer->meshes[mesh].material];
    bool has_uvs = material->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
    bool has_colors = false;
    for (uint64_t i = 0; i < vertices->count && !(has_uvs && has_colors); i++) {
        const uint8_t *v = vertices->data + BMW_VERTEX_SIZE * i;
        has_uvs = has_uvs || tn_load_f32(v + UV, false) != 0 || tn_load_f32(v + UV + 4, false) != 0;
        has_colors = has_colors || memcmp(v + COLOR, white, sizeof white) != 0;
    }
    return TN_WITH_NORMALS | (has_uvs ? TN_WITH_UV0 : 0u) | (has_colors ? TN_WITH_COLOR : 0u);
}

static void bmw_import_mesh_clear_missing_normals(tenon_primitive *p)
{
    if (tn_loops_here()->are_units(p->normals, p->vertex_count, 3)) return;
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        float *n = p->normals + 3 * (size_t)i;
        double square = (double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2];
        if (square < NO_NORMAL * NO_NORMAL) n[0] = n[1] = n[2] = 0;
    }
}

static void bmw_import_mesh_colors(bmw_importer *importer, uint32_t mesh, tenon_primitive *p)
{
    const tenon_span *vertices = &importer->doc->meshes[mesh].vertices;
    bool is_opaque =
        importer->builder->scene->materials[importer->meshes[mesh].material].alpha == TENON_OPAQUE;
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const uint8_t *v = vertices->data + BMW_VERTEX_SIZE * (uint64_t)i;
        float *color = p->colors[0] + 4 * (size_t)i;
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t value = tn_load32(v + COLOR + 4 * k, false);
            tn_tally_in(&importer->tallies.large_colors, value > 255, "meshes", mesh, "vertices",
                        i);
            color[k] = k < 3 ? importer->levels[value & 255] : (float)(value & 255) / 255;
        }
        if (is_opaque || color[3] == 1) continue;
        tn_tally_in(&importer->tallies.ignored_alphas, 1, "meshes", mesh, "vertices", i);
        color[3] = 1;
    }
}

void bmw_import_meshes(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    // The engine does not convert colors, so they are sRGB.
    tn_srgb_levels(importer->levels);
    for (uint32_t index = 0; index < importer->doc->mesh_count && !builder->failed; index++) {
        const tenon_bmw_mesh *from = &importer->doc->meshes[index];
        bmw_imported_mesh *mesh = &importer->meshes[index];
        if (mesh->file_node == TENON_NONE) continue;
        // The name of the first node that uses the mesh, with a number if that node has several.
        const bmw_file_node *file_node = &importer->file_nodes[mesh->file_node];
        tenon_str name = file_node->name;
        if (file_node->node->meshes.count > 1)
            name = bmw_import_format(importer, "%.*s_%" PRIu32, (int)name.size, name.data, index);
        uint32_t added = tn_add_mesh(builder, name, 1);
        if (builder->failed) return;
        tenon_primitive *p = builder->scene->meshes[added].primitives;
        uint32_t with = bmw_import_mesh_streams(importer, index);
        tn_vertices vertices = {
            .count = from->vertices.count,
            .is_v_up = true,
            .streams = {[TN_POSITION] = tn_find_stream(&from->vertices, "position"),
                        [TN_NORMAL] = tn_find_stream(&from->vertices, "normal")}};
        if (with & TN_WITH_UV0) vertices.streams[TN_UV0] = tn_find_stream(&from->vertices, "uv");
        tn_import_vertices(builder, &vertices, 3 * from->faces.count, with, p);
        if (builder->failed) return;
        mesh->mesh = added;
        p->material = mesh->material;
        bmw_import_mesh_clear_missing_normals(p);
        if (p->colors[0]) bmw_import_mesh_colors(importer, index, p);
        tn_copy_numbers(p->indices, from->faces.data, p->index_count, 4, false);
        if (!p->indices) p->mode = TENON_POINTS;
        tn_tally_at(&importer->tallies.meshes_without_faces, !p->indices, "meshes", index);
        if (mesh->is_skinned && importer->skin != TENON_NONE)
            bmw_import_weights(importer, index, p);
    }
}
