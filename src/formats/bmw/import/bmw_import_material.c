// bmw_import_material.c: textures of BMW as materials. Mesh i has texture i, counted over all
// materials. The file has no other properties of materials.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/files/file.h"
#include "core/text/text.h"

#include <string.h>

// -- Files

// Find a texture file. `out` gets its path relative to the model's folder.
static bool bmw_import_material_find_texture(const bmw_importer *importer, tenon_str name,
                                             char *out, size_t out_size)
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
static tenon_str bmw_import_material_texture_path(const bmw_importer *importer, tenon_str texture,
                                                  char *out, size_t out_size)
{
    char name[TN_PATH_SIZE];
    size_t size = tenon_bmw_texture_name(texture, name, sizeof name);
    tenon_str wanted = size ? (tenon_str){name, (uint32_t)size} : texture;
    if (bmw_import_material_find_texture(importer, wanted, out, out_size) ||
        bmw_import_material_find_texture(importer, texture, out, out_size))
        return (tenon_str){out, (uint32_t)strlen(out)};
    if (wanted.size >= out_size) return (tenon_str){"", 0};
    memcpy(out, wanted.data, wanted.size);
    out[wanted.size] = '\0';
    return (tenon_str){out, wanted.size};
}

// The name of a file without folder and extension.
static tenon_str bmw_import_material_stem(tenon_str path)
{
    uint32_t start = 0, end = path.size;
    for (uint32_t i = 0; i < path.size; i++)
        if (path.data[i] == '/' || path.data[i] == '\\') start = i + 1;
    for (uint32_t i = path.size; i-- > start + 1;)
        if (path.data[i] == '.') {
            end = i;
            break;
        }
    return (tenon_str){path.data + start, end - start};
}

// -- Materials

// The material of a mesh with that texture. `materials` has 1 + the scene material of each image,
// opaque and masked; 0: none yet.
static uint32_t bmw_import_material_for(bmw_importer *importer, uint32_t mesh, tenon_str texture,
                                        tenon_str path, uint32_t *materials)
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
    uint32_t index = tn_add_material(builder, bmw_import_material_stem(path));
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
            path = bmw_import_material_texture_path(importer, textures[i], buffer, sizeof buffer);
        if (path.size) {
            importer->meshes[i].material =
                bmw_import_material_for(importer, i, textures[i], path, materials);
            continue;
        }
        tn_tally_at(&importer->tallies.untextured_meshes, 1, "meshes", i);
        if (untextured == TENON_NONE)
            untextured = tn_add_material(builder, (tenon_str){"untextured", 10});
        importer->meshes[i].material = untextured;
    }
}
