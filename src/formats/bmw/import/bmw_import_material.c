// bmw_import_material.c: textures of BMW as materials. Mesh i has texture i, counted over all
// materials. The file has no other properties of materials.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/files/file.h"
#include "core/text/text.h"

#include <string.h>

typedef struct bmw_material_importer {
    bmw_importer *importer;
    tenon_str *textures;  // Of each mesh; size 0: it has none.
    uint32_t *materials;  // 1 + scene material, opaque and masked for each image; 0: none yet.
    uint32_t plain;       // Scene material of meshes without a texture; TENON_NONE: none yet.
} bmw_material_importer;

// -- Textures

// The texture of mesh `index`: that of the sidecar, if it has one, or `texture`.
static tenon_str bmw_override(const bmw_importer *importer, uint64_t index, tenon_str texture)
{
    bool is_listed = importer->sidecar && index < importer->sidecar->texture_override_count;
    bool has_other = is_listed && importer->sidecar->texture_overrides[index].data;
    return has_other ? importer->sidecar->texture_overrides[index] : texture;
}

static void bmw_list_textures(bmw_material_importer *painter)
{
    bmw_importer *importer = painter->importer;
    const tenon_bmw *doc = importer->doc;
    uint64_t used = 0;
    for (uint32_t i = 0; i < doc->material_count; i++)
        for (uint32_t k = 0; k < doc->materials[i].texture_count; k++, used++)
            if (used < doc->mesh_count)
                painter->textures[used] = doc->materials[i].textures[k];
            else
                tn_tally_in(&importer->tallies.excess_textures, 1, "materials", i, "textures", k);
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        painter->textures[i] = bmw_override(importer, i, painter->textures[i]);
}

// -- Files

// Find a texture file. `out` gets its path relative to the model's folder.
static bool bmw_find_texture(const bmw_importer *importer, tenon_str name, char *out,
                             size_t out_size)
{
    char place[TN_PATH_SIZE];
    const char *model_path = importer->builder->opts->model_path;
    if (!model_path) return false;
    tenon_error err = {0};
    const tn_search search = {importer->files, model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_find_file(&search, name);
    if (err.code != TENON_OK) tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
    if (found != TN_PLACE_FOUND) return false;
    // The place of a file next to a model without a folder in its path starts with "./".
    size_t folder = tn_path_folder_size(model_path), size = strlen(place);
    if (folder == 0) folder = 2;
    if (size <= folder || size - folder >= out_size) return false;
    memcpy(out, place + folder, size - folder + 1);
    return true;
}

// The engine opens a .dds file instead of a .png or .jpg. If there is none, use the latter.
static tenon_str bmw_texture_path(const bmw_importer *importer, tenon_str texture, char *out,
                                  size_t out_size)
{
    char name[TN_PATH_SIZE];
    size_t size = tenon_bmw_texture_name(texture, name, sizeof name);
    tenon_str wanted = size ? (tenon_str){name, (uint32_t)size} : texture;
    if (bmw_find_texture(importer, wanted, out, out_size) ||
        bmw_find_texture(importer, texture, out, out_size))
        return (tenon_str){out, (uint32_t)strlen(out)};
    if (wanted.size >= out_size) return (tenon_str){"", 0};
    memcpy(out, wanted.data, wanted.size);
    return (tenon_str){out, wanted.size};
}

static bool bmw_ends_with_dds(tenon_str path)
{
    char end[5] = "";
    if (path.size >= 4) memcpy(end, path.data + path.size - 4, 4);
    return tn_same_word(end, ".dds");
}

static bool bmw_holds_png(tenon_str texture)
{
    for (uint32_t i = 0; i + 4 <= texture.size; i++)
        if (memcmp(texture.data + i, ".png", 4) == 0) return true;
    return false;
}

// -- Materials

// The name of a file without folder and extension.
static tenon_str bmw_stem(tenon_str path)
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

static uint32_t bmw_add_material(bmw_importer *importer, tenon_str path, uint32_t image,
                                 bool is_masked)
{
    uint32_t index = tn_add_material(importer->builder, bmw_stem(path));
    if (importer->builder->failed) return TENON_NONE;
    tenon_material *m = &importer->builder->scene->materials[index];
    if (is_masked) m->alpha = TENON_MASK;
    m->textures[TENON_SLOT_BASE_COLOR].image = image;
    return index;
}

static uint32_t bmw_untextured_material(bmw_material_importer *painter)
{
    if (painter->plain == TENON_NONE)
        painter->plain = tn_add_material(painter->importer->builder, (tenon_str){"untextured", 10});
    return painter->plain;
}

static uint32_t bmw_material_for(bmw_material_importer *painter, uint32_t mesh)
{
    bmw_importer *importer = painter->importer;
    char room[TN_PATH_SIZE];
    tenon_str texture = painter->textures[mesh], path = {"", 0};
    if (texture.size) path = bmw_texture_path(importer, texture, room, sizeof room);
    if (path.size == 0) {
        tn_tally_at(&importer->tallies.untextured_meshes, 1, "meshes", mesh);
        return bmw_untextured_material(painter);
    }
    bool is_masked = bmw_holds_png(texture);
    tn_tally_at(&importer->tallies.masked_meshes, is_masked, "meshes", mesh);
    uint32_t image = tn_add_image(importer->builder, path);
    if (importer->builder->failed) return TENON_NONE;
    // The engine passes the rows of a DDS file to OpenGL unchanged, whose first row is the bottom.
    importer->builder->scene->images[image].flip_y = bmw_ends_with_dds(path);
    uint32_t *material = &painter->materials[2 * (size_t)image + is_masked];
    if (*material == 0) *material = 1 + bmw_add_material(importer, path, image, is_masked);
    return *material - 1;
}

void bmw_add_materials(bmw_importer *importer)
{
    bmw_material_importer painter = {.importer = importer, .plain = TENON_NONE};
    uint32_t count = importer->doc->mesh_count;
    painter.textures = tn_scene_array(importer->builder, count, sizeof *painter.textures);
    painter.materials = tn_scene_array(importer->builder, count, 2 * sizeof *painter.materials);
    if (importer->builder->failed) return;
    bmw_list_textures(&painter);
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++)
        if (importer->meshes[i].file_node != TENON_NONE)
            importer->meshes[i].material = bmw_material_for(&painter, i);
}
