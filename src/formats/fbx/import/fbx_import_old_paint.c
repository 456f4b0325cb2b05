// fbx_import_old_paint.c: which textures the materials of a model have, before version 7.
// SPDX-License-Identifier: MIT
//
// The textures are connected to the model. Layers of its mesh say which of them each polygon has,
// a layer for each property of the materials.

#include "formats/fbx/import/fbx_import_old.h"

#include "core/text/text.h"

#include <stdio.h>
#include <string.h>

// The materials and textures of a model, in the order of their links.
typedef struct old_paint {
    fbx_importer *importer;
    uint32_t *materials, *textures;  // Objects.
    uint32_t material_count, texture_count;
    const int32_t *slots;  // The material of each polygon; NULL: all have the first.
    uint32_t slot_count;
} old_paint;

// The property that the name of a layer means: "LayerElementEmissive_Textures" is EmissiveColor.
// "" if it is no layer of textures.
static tenon_str fbx_import_old_paint_property(tenon_str layer)
{
    static const tenon_str start = {"LayerElement", 12}, end = {"Textures", 8};
    static const char *const colors[] = {"Diffuse",  "Ambient",    "Emissive",
                                         "Specular", "Reflection", "Transparent"};
    static const char *const names[] = {"DiffuseColor",  "AmbientColor",    "EmissiveColor",
                                        "SpecularColor", "ReflectionColor", "TransparentColor"};
    if (tn_text_is(layer, "LayerElementTexture")) return (tenon_str){names[0], 12};
    bool is_one = layer.size > start.size + end.size &&
                  memcmp(layer.data, start.data, start.size) == 0 &&
                  memcmp(layer.data + layer.size - end.size, end.data, end.size) == 0;
    if (!is_one) return (tenon_str){"", 0};
    tenon_str name = {layer.data + start.size, layer.size - start.size - end.size};
    if (name.data[name.size - 1] == '_') name.size--;
    for (int i = 0; i < 6; i++)
        if (tn_text_is(name, colors[i])) return (tenon_str){names[i], (uint32_t)strlen(names[i])};
    return name;
}

// The name of a property in the layer of that number. Above the first it is one that materials do
// not show.
static tenon_str fbx_import_old_paint_layered(fbx_importer *importer, tenon_str property,
                                              int64_t number)
{
    enum { NAME_MOST = 128 };
    if (number <= 0 || property.size > NAME_MOST - 32) return property;
    char *out = fbx_import_alloc(importer, NAME_MOST, 1);
    if (!out) return property;
    int size = snprintf(out, NAME_MOST, "%.*s|layer %u", (int)property.size, property.data,
                        (unsigned)(number & 0xffff));
    return (tenon_str){out, (uint32_t)size};
}

// Connect the textures of a layer with the materials of the polygons that have them: each material
// with that of its first polygon.
static void fbx_import_old_paint_layer(old_paint *paint, const tenon_fbx_node *layer,
                                       tenon_str property)
{
    fbx_importer *importer = paint->importer;
    uint64_t count = 0;
    property = fbx_import_old_paint_layered(importer, property, fbx_int(layer, 0, 0));
    const int32_t *ids = fbx_import_i32s(importer, fbx_child(layer, "TextureId"), &count);
    bool *is_done = fbx_import_alloc(importer, paint->material_count, sizeof *is_done);
    bool is_same = fbx_text_is(fbx_child(layer, "MappingInformationType"), 0, "AllSame");
    if (importer->builder->failed || count == 0) return;
    uint64_t end = is_same ? paint->material_count : count;
    for (uint64_t i = 0; i < end; i++) {
        uint32_t id = (uint32_t)ids[is_same ? 0 : i], slot = is_same ? (uint32_t)i : 0;
        if (!is_same && paint->slot_count)
            slot = (uint32_t)paint->slots[i < paint->slot_count ? i : paint->slot_count - 1];
        // Old files may count from more than 0.
        if (slot < INT32_MAX && slot >= paint->material_count) slot = paint->material_count - 1;
        if (id >= paint->texture_count || slot >= paint->material_count || is_done[slot]) continue;
        is_done[slot] = true;
        (void)fbx_import_add_link(importer, paint->textures[id], paint->materials[slot], property);
    }
}

static void fbx_import_old_paint_model(fbx_importer *importer, uint32_t model)
{
    const tenon_fbx_node *mesh = importer->objects[model].node;
    fbx_links links = fbx_import_children(importer, model);
    old_paint paint = {.importer = importer};
    paint.materials = fbx_import_alloc(importer, links.count, sizeof *paint.materials);
    paint.textures = fbx_import_alloc(importer, links.count, sizeof *paint.textures);
    for (uint32_t i = 0; i < links.count && !importer->builder->failed; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        fbx_kind kind = importer->objects[link->child].kind;
        if (kind == FBX_MATERIAL) paint.materials[paint.material_count++] = link->child;
        if (kind == FBX_TEXTURE) paint.textures[paint.texture_count++] = link->child;
    }
    if (importer->builder->failed || !paint.material_count || !paint.texture_count) return;
    const tenon_fbx_node *slots = fbx_child(mesh, "LayerElementMaterial");
    bool by_polygon = fbx_text_is(fbx_child(slots, "MappingInformationType"), 0, "ByPolygon");
    uint64_t count = 0;
    if (by_polygon) paint.slots = fbx_import_i32s(importer, fbx_child(slots, "Materials"), &count);
    paint.slot_count = count < UINT32_MAX ? (uint32_t)count : 0;
    bool has_layers = false;
    for (uint32_t i = 0; i < mesh->child_count && !importer->builder->failed; i++) {
        tenon_str property = fbx_import_old_paint_property(mesh->children[i].name);
        if (!property.size) continue;
        has_layers = true;
        fbx_import_old_paint_layer(&paint, &mesh->children[i], property);
    }
    for (uint32_t i = 0; i < links.count && !importer->builder->failed; i++) {
        const fbx_link link = importer->links[links.items[i]];
        if (importer->objects[link.child].kind != FBX_TEXTURE) continue;
        tenon_str property = link.property.size ? link.property : (tenon_str){"DiffuseColor", 12};
        if (link.property.size || !has_layers)
            (void)fbx_import_add_link(importer, link.child, paint.materials[0], property);
    }
}

bool fbx_import_old_paint(fbx_importer *importer)
{
    if (!fbx_import_index_links(importer)) return false;
    for (uint32_t i = 0; i < importer->object_count && !importer->builder->failed; i++)
        if (importer->objects[i].kind == FBX_MODEL) fbx_import_old_paint_model(importer, i);
    return !importer->builder->failed;
}
