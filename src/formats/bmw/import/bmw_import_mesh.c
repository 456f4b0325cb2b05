// bmw_import_mesh.c: the meshes of BMW, and their textures as materials. Mesh i has texture i,
// counted over all materials. The file has no other properties of materials.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"
#include "core/text/text.h"
#include "exchange/vertex_codec.h"
#include "scene/model/space.h"

#include <inttypes.h>
#include <string.h>

// Offsets in a vertex.
enum { COLOR = 12, UV = 28 };

// The converter writes the integer 1 if a mesh has no normals, which is tiny as a float.
#define NO_NORMAL 1e-30

// -- Textures

// Find a texture file. `out` gets its path relative to the model's folder.
static bool bmw_import_mesh_find_texture(const bmw_importer *importer, tenon_str name, char *out,
                                         size_t out_size)
{
    char place[TN_PATH_SIZE];
    const char *model_path = importer->builder->opts->model_path;
    if (!model_path) return false;
    tenon_error err = {0};
    const tn_search search = {importer->files, model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_names_find_file(&search, name);
    if (err.code != TENON_OK) tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
    if (found != TN_PLACE_FOUND) return false;
    // The place of a file next to a model without a folder in its path starts with "./".
    size_t folder = tn_path_folder_size(model_path), size = strlen(place);
    if (folder == 0) folder = 2;
    if (size <= folder || size - folder >= out_size) return false;
    memcpy(out, place + folder, size - folder + 1);
    return true;
}

// The path of a texture, terminated. The engine opens a .dds file instead of a .png or .jpg. If
// there is none, use the latter.
static tenon_str bmw_import_mesh_texture_path(const bmw_importer *importer, tenon_str texture,
                                              char *out, size_t out_size)
{
    char name[TN_PATH_SIZE];
    size_t size = tenon_bmw_texture_name(texture, name, sizeof name);
    tenon_str wanted = size ? (tenon_str){name, (uint32_t)size} : texture;
    if (bmw_import_mesh_find_texture(importer, wanted, out, out_size) ||
        bmw_import_mesh_find_texture(importer, texture, out, out_size))
        return (tenon_str){out, (uint32_t)strlen(out)};
    if (wanted.size >= out_size) return (tenon_str){"", 0};
    memcpy(out, wanted.data, wanted.size);
    out[wanted.size] = '\0';
    return (tenon_str){out, wanted.size};
}

// -- Materials

// The material of a mesh with that texture. `materials` has 1 + the scene material of each image,
// opaque and masked; 0: none yet.
static uint32_t bmw_import_mesh_add_material(bmw_importer *importer, uint32_t mesh,
                                             tenon_str texture, tenon_str path, uint32_t *materials)
{
    tn_scene_builder *builder = importer->builder;
    bool is_dds = path.size >= 4 && tn_same_word(path.data + path.size - 4, ".dds");
    bool is_masked = false;
    for (uint32_t i = 0; i + 4 <= texture.size; i++)
        is_masked = is_masked || memcmp(texture.data + i, ".png", 4) == 0;
    tn_tally_at(&importer->tallies.masked_meshes, is_masked, "meshes", mesh);
    uint32_t image = tn_add_image(builder, path);
    if (builder->failed) return TENON_NONE;
    // The engine passes the rows of a DDS file to OpenGL unchanged, whose first row is the bottom.
    builder->scene->images[image].flip_y = is_dds;
    uint32_t *known = &materials[2 * (size_t)image + is_masked];
    if (*known) return *known - 1;
    // Its name is that of the file without folder and extension.
    uint32_t start = 0, end = path.size;
    for (uint32_t i = 0; i < path.size; i++)
        if (path.data[i] == '/' || path.data[i] == '\\') start = i + 1;
    for (uint32_t i = start + 1; i < path.size; i++)
        if (path.data[i] == '.') end = i;
    uint32_t index = tn_add_material(builder, (tenon_str){path.data + start, end - start});
    if (builder->failed) return TENON_NONE;
    tenon_material *material = &builder->scene->materials[index];
    if (is_masked) material->alpha = TENON_MASK;
    material->textures[TENON_SLOT_BASE_COLOR].image = image;
    *known = 1 + index;
    return index;
}

void bmw_import_materials(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw *doc = importer->doc;
    const tenon_bmw_sidecar *sidecar = importer->sidecar;
    tenon_str *textures = tn_scene_array(builder, doc->mesh_count, sizeof *textures);
    uint32_t *materials = tn_scene_array(builder, doc->mesh_count, 2 * sizeof *materials);
    if (builder->failed) return;
    uint64_t used = 0;
    for (uint32_t i = 0; i < doc->material_count; i++)
        for (uint32_t k = 0; k < doc->materials[i].texture_count; k++, used++)
            if (used < doc->mesh_count)
                textures[used] = doc->materials[i].textures[k];
            else
                tn_tally_in(&importer->tallies.excess_textures, 1, "materials", i, "textures", k);
    for (uint32_t i = 0; sidecar && i < sidecar->texture_override_count; i++)
        if (i < doc->mesh_count && sidecar->texture_overrides[i].data)
            textures[i] = sidecar->texture_overrides[i];

    uint32_t untextured = TENON_NONE;
    for (uint32_t i = 0; i < doc->mesh_count && !builder->failed; i++) {
        char buffer[TN_PATH_SIZE];
        tenon_str path = {"", 0};
        if (importer->meshes[i].file_node == TENON_NONE) continue;
        if (textures[i].size)
            path = bmw_import_mesh_texture_path(importer, textures[i], buffer, sizeof buffer);
        if (path.size) {
            importer->meshes[i].material =
                bmw_import_mesh_add_material(importer, i, textures[i], path, materials);
            continue;
        }
        tn_tally_at(&importer->tallies.untextured_meshes, 1, "meshes", i);
        if (untextured == TENON_NONE)
            untextured = tn_add_material(builder, (tenon_str){"untextured", 10});
        importer->meshes[i].material = untextured;
    }
}

// -- Meshes

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
        bool are_units = tn_loops_here()->are_units(p->normals, p->vertex_count, 3);
        for (uint32_t i = 0; i < p->vertex_count && !are_units; i++) {
            float *n = p->normals + 3 * (size_t)i;
            double square = (double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2];
            if (square < NO_NORMAL * NO_NORMAL) n[0] = n[1] = n[2] = 0;
        }
        if (p->colors[0]) bmw_import_mesh_colors(importer, index, p);
        tn_copy_numbers(p->indices, from->faces.data, p->index_count, 4, false);
        if (!p->indices) p->mode = TENON_POINTS;
        tn_tally_at(&importer->tallies.meshes_without_faces, !p->indices, "meshes", index);
        if (mesh->is_skinned && importer->skin != TENON_NONE)
            bmw_import_weights(importer, index, p);
    }
}
