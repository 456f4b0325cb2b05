// import_materials.c: materials and their textures.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <math.h>
#include <string.h>

#include <assimp/material.h>

// -- Numbers

static double number(const struct aiMaterial *mat, const char *key, double fallback)
{
    ai_real value;
    bool ok = aiGetMaterialFloatArray(mat, key, 0, 0, &value, NULL) == aiReturn_SUCCESS;
    return ok ? finite_or((double)value, fallback) : fallback;
}

static bool color(const struct aiMaterial *mat, const char *key, double *to, int count)
{
    struct aiColor4D c;
    if (aiGetMaterialColor(mat, key, 0, 0, &c) != aiReturn_SUCCESS) return false;
    const double values[4] = {(double)c.r, (double)c.g, (double)c.b, (double)c.a};
    for (int i = 0; i < count; i++) to[i] = fmax(0, finite_or(values[i], to[i]));
    return true;
}

static bool is_set(const struct aiMaterial *mat, const char *key)
{
    int value;
    return aiGetMaterialIntegerArray(mat, key, 0, 0, &value, NULL) == aiReturn_SUCCESS && value;
}

static double within_1(double value)
{
    return fmin(1, fmax(0, value));
}

static void take_numbers(tenon_material *to, const struct aiMaterial *from)
{
    double opacity = number(from, "$mat.opacity", 1);
    if (!color(from, "$clr.base", to->base_color, 3))
        (void)color(from, "$clr.diffuse", to->base_color, 3);
    (void)color(from, "$clr.emissive", to->emissive, 3);
    to->metallic = within_1(number(from, "$mat.metallicFactor", 0));
    to->roughness = within_1(number(from, "$mat.roughnessFactor", 1));
    to->double_sided = is_set(from, "$mat.twosided");
    to->base_color[3] = within_1(opacity);
    if (to->base_color[3] < 1) to->alpha = TENON_BLEND;
    bool has_metal = number(from, "$mat.metallicFactor", -1) >= 0;
    double shininess = number(from, "$mat.shininess", -1);
    to->is_classic = !has_metal && shininess > 0 && color(from, "$clr.specular", to->specular, 3);
    if (to->is_classic) to->shininess = fmax(1, shininess);
}

// -- Textures

typedef struct texture_kind {
    enum aiTextureType type;
    tenon_slot slot;
} texture_kind;

// The first one that a material has wins.
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

static const texture_kind *kind_of(enum aiTextureType type)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (kinds[i].type == type) return &kinds[i];
    return NULL;
}

static tenon_wrap wrap_of(enum aiTextureMapMode mode)
{
    if (mode == aiTextureMapMode_Mirror) return TENON_MIRROR;
    return mode == aiTextureMapMode_Wrap ? TENON_REPEAT : TENON_CLAMP;
}

// The coordinates begin at the top here, at the bottom there.
static void take_transform(assimp_importer *importer, tenon_texture *to,
                           const struct aiMaterial *mat, enum aiTextureType type)
{
    struct aiUVTransform t;
    if (aiGetMaterialUVTransform(mat, "$tex.uvtrafo", type, 0, &t) != aiReturn_SUCCESS) return;
    double scale[2] = {finite_or((double)t.mScaling.x, 1), finite_or((double)t.mScaling.y, 1)};
    double move[2] = {finite_or((double)t.mTranslation.x, 0),
                      finite_or((double)t.mTranslation.y, 0)};
    if (t.mRotation != 0) {
        import_report_loss(importer, TENON_DROPPED, "rotations of textures",
                           "what they turn around differs from program to program", 1, NULL);
    }
    to->scale[0] = scale[0], to->scale[1] = scale[1];
    to->offset[0] = move[0], to->offset[1] = 1 - scale[1] - move[1];
}

static void take_texture(assimp_importer *importer, tenon_texture *to, const struct aiMaterial *mat,
                         enum aiTextureType type)
{
    struct aiString path;
    enum aiTextureMapping mapping = aiTextureMapping_UV;
    enum aiTextureMapMode modes[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap,
                                      aiTextureMapMode_Wrap};
    unsigned uv_set = 0;
    if (aiGetMaterialTexture(mat, type, 0, &path, &mapping, &uv_set, NULL, NULL, modes, NULL) !=
        aiReturn_SUCCESS)
        return;
    to->image = import_image(importer, path.data);
    to->uv_set = uv_set < TENON_UV_SETS ? uv_set : 0;
    to->wrap[0] = wrap_of(modes[0]), to->wrap[1] = wrap_of(modes[1]);
    take_transform(importer, to, mat, type);
}

static void take_textures(assimp_importer *importer, tenon_material *to,
                          const struct aiMaterial *from)
{
    for (unsigned type = 1; type <= AI_TEXTURE_TYPE_MAX; type++) {
        unsigned count = aiGetMaterialTextureCount(from, (enum aiTextureType)type);
        const texture_kind *k = kind_of((enum aiTextureType)type);
        if (count > (k ? 1u : 0u))
            import_report_loss(importer, TENON_DROPPED, "textures",
                               "there is no place for their kind", count - (k ? 1 : 0),
                               to->name.data);
    }
    for (size_t i = 0; i < KIND_COUNT; i++) {
        tenon_texture *texture = &to->textures[kinds[i].slot];
        if (aiGetMaterialTextureCount(from, kinds[i].type) == 0) continue;
        if (texture->image != TENON_NONE) continue;
        take_texture(importer, texture, from, kinds[i].type);
        if (kinds[i].type == aiTextureType_HEIGHT && texture->image != TENON_NONE)
            import_report_loss(importer, TENON_APPROXIMATED, "bump textures",
                               "they are taken for normal textures", 1, to->name.data);
    }
}

// -- All of them

static void make_material(assimp_importer *importer, tenon_material *to,
                          const struct aiMaterial *from)
{
    struct aiString name = {0};
    (void)aiGetMaterialString(from, "?mat.name", 0, 0, &name);
    *to = (tenon_material){.name = import_text(importer, name.data, strlen(name.data)),
                           .base_color = {1, 1, 1, 1},
                           .roughness = 1,
                           .normal_scale = 1,
                           .occlusion_strength = 1,
                           .alpha_cutoff = 0.5};
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        to->textures[slot] = (tenon_texture){.image = TENON_NONE, .scale = {1, 1}};
    take_numbers(to, from);
    take_textures(importer, to, from);
}

// What Assimp gives to meshes that have no material.
static bool is_made_up(const struct aiMaterial *from)
{
    struct aiString name = {0};
    (void)aiGetMaterialString(from, "?mat.name", 0, 0, &name);
    return strcmp(name.data, "DefaultMaterial") == 0;
}

void import_materials(assimp_importer *importer)
{
    unsigned count = importer->assimp->mNumMaterials;
    importer->materials = import_alloc(count, sizeof *importer->materials);
    importer->embedded = import_alloc(importer->assimp->mNumTextures, sizeof *importer->embedded);
    memset(importer->embedded, 0xff, importer->assimp->mNumTextures * sizeof *importer->embedded);
    importer->image_room = importer->assimp->mNumTextures + count * TENON_SLOT_COUNT;
    importer->scene->images =
        import_scene_alloc(importer, importer->image_room, sizeof *importer->scene->images);
    importer->scene->materials =
        import_scene_alloc(importer, count, sizeof *importer->scene->materials);
    for (unsigned i = 0; i < count; i++) {
        importer->materials[i] = TENON_NONE;
        if (is_made_up(importer->assimp->mMaterials[i])) continue;
        importer->materials[i] = importer->scene->material_count++;
        make_material(importer, &importer->scene->materials[importer->materials[i]],
                      importer->assimp->mMaterials[i]);
    }
}
