// import_materials.c: imports materials and their textures.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <math.h>
#include <string.h>

#include <assimp/material.h>

// -- Textures

typedef struct texture_kind {
    enum aiTextureType type;
    tenon_slot slot;
} texture_kind;

// A material uses the first kind that it has for a slot.
static const texture_kind kinds[] = {
    {aiTextureType_BASE_COLOR, TENON_SLOT_BASE_COLOR},
    {aiTextureType_DIFFUSE, TENON_SLOT_BASE_COLOR},
    {aiTextureType_NORMALS, TENON_SLOT_NORMAL},
    {aiTextureType_NORMAL_CAMERA, TENON_SLOT_NORMAL},
    {aiTextureType_HEIGHT, TENON_SLOT_NORMAL},
    {aiTextureType_EMISSION_COLOR, TENON_SLOT_EMISSIVE},
    {aiTextureType_EMISSIVE, TENON_SLOT_EMISSIVE},
    {aiTextureType_AMBIENT_OCCLUSION, TENON_SLOT_OCCLUSION},
    {aiTextureType_SPECULAR, TENON_SLOT_SPECULAR},
    {aiTextureType_DISPLACEMENT, TENON_SLOT_DISPLACEMENT},
    {aiTextureType_LIGHTMAP, TENON_SLOT_LIGHT_MAP},
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

static tenon_wrap import_materials_wrap_of(enum aiTextureMapMode mode)
{
    if (mode == aiTextureMapMode_Mirror) return TENON_MIRROR;
    return mode == aiTextureMapMode_Wrap ? TENON_REPEAT : TENON_CLAMP;
}

static void import_materials_texture(assimp_importer *importer, tenon_texture *to,
                                     const struct aiMaterial *material, enum aiTextureType type)
{
    struct aiString path;
    enum aiTextureMapping mapping = aiTextureMapping_UV;
    enum aiTextureMapMode modes[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap,
                                      aiTextureMapMode_Wrap};
    unsigned uv_set = 0;
    if (aiGetMaterialTexture(material, type, 0, &path, &mapping, &uv_set, NULL, NULL, modes,
                             NULL) != aiReturn_SUCCESS)
        return;
    to->image = import_image(importer, path.data);
    to->uv_set = uv_set < TENON_UV_SETS ? uv_set : 0;
    to->wrap[0] = import_materials_wrap_of(modes[0]),
    to->wrap[1] = import_materials_wrap_of(modes[1]);
    struct aiUVTransform transform;
    if (aiGetMaterialUVTransform(material, "$tex.uvtrafo", type, 0, &transform) != aiReturn_SUCCESS)
        return;
    if (transform.mRotation != 0)
        import_report_loss(importer, TENON_DROPPED, "rotations of textures",
                           "programs disagree about the center of rotation", 1, NULL);
    // Assimp's origin is at the bottom of the image, that of scenes at the top.
    double move[2] = {finite_or((double)transform.mTranslation.x, 0),
                      finite_or((double)transform.mTranslation.y, 0)};
    to->scale[0] = finite_or((double)transform.mScaling.x, 1);
    to->scale[1] = finite_or((double)transform.mScaling.y, 1);
    to->offset[0] = move[0], to->offset[1] = 1 - to->scale[1] - move[1];
}

static void import_materials_textures(assimp_importer *importer, tenon_material *to,
                                      const struct aiMaterial *from)
{
    for (unsigned type = 1; type <= AI_TEXTURE_TYPE_MAX; type++) {
        unsigned count = aiGetMaterialTextureCount(from, (enum aiTextureType)type), usable = 0;
        for (size_t i = 0; i < KIND_COUNT; i++) usable |= kinds[i].type == type;
        if (count > usable)
            import_report_loss(importer, TENON_DROPPED, "textures",
                               "unsupported type, or more than one texture of the same type",
                               count - usable, to->name.data);
    }
    for (size_t i = 0; i < KIND_COUNT; i++) {
        tenon_texture *texture = &to->textures[kinds[i].slot];
        if (aiGetMaterialTextureCount(from, kinds[i].type) == 0) continue;
        if (texture->image != TENON_NONE) continue;
        import_materials_texture(importer, texture, from, kinds[i].type);
        if (kinds[i].type == aiTextureType_HEIGHT && texture->image != TENON_NONE)
            import_report_loss(importer, TENON_APPROXIMATED, "bump textures",
                               "used as normal textures", 1, to->name.data);
    }
}

// -- Materials

static double import_materials_get_number(const struct aiMaterial *material, const char *key,
                                          double fallback)
{
    ai_real value;
    if (aiGetMaterialFloatArray(material, key, 0, 0, &value, NULL) != aiReturn_SUCCESS)
        return fallback;
    return finite_or((double)value, fallback);
}

static bool import_materials_get_color(const struct aiMaterial *material, const char *key,
                                       double to[3])
{
    struct aiColor4D color;
    if (aiGetMaterialColor(material, key, 0, 0, &color) != aiReturn_SUCCESS) return false;
    to[0] = fmax(0, finite_or((double)color.r, to[0]));
    to[1] = fmax(0, finite_or((double)color.g, to[1]));
    to[2] = fmax(0, finite_or((double)color.b, to[2]));
    return true;
}

static double import_materials_clamp_to_1(double value)
{
    return fmin(1, fmax(0, value));
}

static void import_material(assimp_importer *importer, tenon_material *to, const char *name,
                            const struct aiMaterial *from)
{
    *to = (tenon_material){.name = import_text(importer, name, strlen(name)),
                           .base_color = {1, 1, 1, 1},
                           .normal_scale = 1,
                           .occlusion_strength = 1,
                           .alpha_cutoff = 0.5};
    if (!import_materials_get_color(from, "$clr.base", to->base_color))
        (void)import_materials_get_color(from, "$clr.diffuse", to->base_color);
    (void)import_materials_get_color(from, "$clr.emissive", to->emissive);
    to->metallic =
        import_materials_clamp_to_1(import_materials_get_number(from, "$mat.metallicFactor", 0));
    to->roughness =
        import_materials_clamp_to_1(import_materials_get_number(from, "$mat.roughnessFactor", 1));
    int is_two_sided = 0;
    to->double_sided = aiGetMaterialIntegerArray(from, "$mat.twosided", 0, 0, &is_two_sided,
                                                 NULL) == aiReturn_SUCCESS &&
                       is_two_sided;
    to->base_color[3] =
        import_materials_clamp_to_1(import_materials_get_number(from, "$mat.opacity", 1));
    if (to->base_color[3] < 1) to->alpha = TENON_BLEND;
    bool has_metal = import_materials_get_number(from, "$mat.metallicFactor", -1) >= 0;
    double shininess = import_materials_get_number(from, "$mat.shininess", -1);
    to->is_classic = !has_metal && shininess > 0 &&
                     import_materials_get_color(from, "$clr.specular", to->specular);
    if (to->is_classic) to->shininess = fmax(1, shininess);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        to->textures[slot] = (tenon_texture){.image = TENON_NONE, .scale = {1, 1}};
    import_materials_textures(importer, to, from);
}

void import_materials(assimp_importer *importer)
{
    const struct aiScene *from = importer->assimp;
    tenon_scene *scene = importer->scene;
    unsigned count = from->mNumMaterials;
    importer->materials = import_alloc(count, sizeof *importer->materials);
    importer->embedded = import_alloc(from->mNumTextures, sizeof *importer->embedded);
    memset(importer->embedded, 0xff, from->mNumTextures * sizeof *importer->embedded);
    importer->image_room = from->mNumTextures + count * TENON_SLOT_COUNT;
    scene->images = import_scene_alloc(importer, importer->image_room, sizeof *scene->images);
    scene->materials = import_scene_alloc(importer, count, sizeof *scene->materials);
    for (unsigned i = 0; i < count; i++) {
        struct aiString name = {0};
        (void)aiGetMaterialString(from->mMaterials[i], "?mat.name", 0, 0, &name);
        importer->materials[i] = TENON_NONE;
        // Assimp synthesizes this one for meshes without a material.
        if (strcmp(name.data, "DefaultMaterial") == 0) continue;
        uint32_t index = importer->materials[i] = scene->material_count++;
        import_material(importer, &scene->materials[index], name.data, from->mMaterials[i]);
    }
}
