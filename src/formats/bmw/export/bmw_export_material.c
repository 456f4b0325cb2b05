// bmw_export_material.c: exports materials, of which BMW stores only the path of a texture.
// SPDX-License-Identifier: MIT
//
// The engine always opens a .dds file. It blends a texture whose path contains .png, so transparent
// materials need such a path, and opaque ones must not have one.

#include "formats/bmw/export/bmw_export.h"

#include "core/math/math.h"
#include "core/text/text.h"

#include <stdio.h>
#include <string.h>

#define WHITE_SIZE 21

// One white pixel: a TGA, uncompressed, 24 bits.
static const uint8_t bmw_white[WHITE_SIZE] = {
    [2] = 2, [12] = 1, [14] = 1, [16] = 24, [18] = 255, [19] = 255, [20] = 255};

// -- Names

static bool bmw_contains(const char *path, const char *word)
{
    return strstr(path, word) != NULL;
}

// The index of the extension; the size if there is none.
static size_t bmw_stem_size(const char *path)
{
    size_t size = strlen(path);
    for (size_t i = size; i-- > 0 && path[i] != '/';)
        if (path[i] == '.') return i;
    return size;
}

// The path, with another extension if the engine would blend it wrongly.
static const char *bmw_path_for_engine(const tn_export *export, const char *path,
                                       bool is_transparent)
{
    bool is_taken_for_one = bmw_contains(path, ".png") && !bmw_contains(path, ".jpg");
    if (is_taken_for_one == is_transparent) return path;
    size_t stem = bmw_stem_size(path);
    char *written = tn_export_alloc(export, stem + 5, 1);
    if (!written) return NULL;
    memcpy(written, path, stem);
    memcpy(written + stem, is_transparent ? ".png" : ".dds", 5);
    return written;
}

// -- Materials

static const tenon_texture *bmw_texture_of(const tenon_material *material)
{
    const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
    return t->image == TENON_NONE ? NULL : t;
}

// Scale, then rotation, then offset. v is flipped when it is written.
static void bmw_plan_uv_transform(bmw_material_plan *plan, const tenon_texture *t)
{
    double sine = tn_sin(t->rotation), cosine = tn_cos(t->rotation);
    plan->has_transform = t->rotation != 0 || t->scale[0] != 1 || t->scale[1] != 1 ||
                          t->offset[0] != 0 || t->offset[1] != 0;
    plan->u_transform[0] = cosine * t->scale[0];
    plan->u_transform[1] = sine * t->scale[1];
    plan->u_transform[2] = t->offset[0];
    plan->v_transform[0] = -sine * t->scale[0];
    plan->v_transform[1] = cosine * t->scale[1];
    plan->v_transform[2] = t->offset[1];
}

static bool bmw_set_texture(bmw_exporter *exporter, bmw_material_plan *plan, uint32_t image,
                            bool is_transparent)
{
    const char *path = tn_export_picture(&exporter->export, image, TN_PICTURE_AS_DDS);
    const char *name =
        path && *path ? bmw_path_for_engine(&exporter->export, path, is_transparent) : path;
    if (!name) return false;
    exporter->counts.not_dds += *path && !tn_same_word(path + bmw_stem_size(path), ".dds");
    plan->texture = (tenon_str){name, (uint32_t)strlen(name)};
    if (plan->texture.size) plan->texture_id = 2 * image + is_transparent;
    return true;
}

static bool bmw_plan_material(bmw_exporter *exporter, uint32_t index)
{
    bmw_material_plan *plan = &exporter->material_plans[index];
    const tenon_material *material = &exporter->export.scene->materials[index];
    const tenon_texture *t = bmw_texture_of(material);
    for (int i = 0; i < 3; i++) plan->color[i] = material->base_color[i];
    if (!t) return true;
    plan->uv_set = t->uv_set < TENON_UV_SETS ? t->uv_set : 0;
    bmw_plan_uv_transform(plan, t);
    return bmw_set_texture(exporter, plan, t->image, material->alpha != TENON_OPAQUE);
}

const bmw_material_plan *bmw_material_plan_of(const bmw_exporter *exporter,
                                              const tenon_primitive *p)
{
    uint32_t count = exporter->export.scene->material_count;
    return &exporter->material_plans[p->material == TENON_NONE ? count : p->material];
}

// -- Meshes without a texture

// Add a white image to the scene.
static bool bmw_add_white_image(bmw_exporter *exporter)
{
    const tenon_scene *from = exporter->export.scene;
    tenon_scene *scene = tn_export_alloc(&exporter->export, 1, sizeof *scene);
    tenon_image *images =
        tn_export_alloc(&exporter->export, (uint64_t)from->image_count + 1, sizeof *images);
    tenon_str stem = tn_export_stem(&exporter->export);
    size_t room = (size_t)stem.size + sizeof "_white";
    char *name = tn_export_alloc(&exporter->export, room, 1);
    if (!scene || !images || !name) return false;
    bool is_prefixed = !exporter->export.opts->without_prefix;
    (void)snprintf(name, room, "%s%s", is_prefixed ? stem.data : "",
                   is_prefixed ? "_white" : "white");
    *scene = *from;
    if (from->image_count) memcpy(images, from->images, from->image_count * sizeof *images);
    images[from->image_count] = (tenon_image){.name = {name, (uint32_t)strlen(name)},
                                              .path = {"", 0},
                                              .data = bmw_white,
                                              .size = sizeof bmw_white};
    scene->images = images;
    scene->image_count = from->image_count + 1;
    exporter->export.scene = scene;
    return true;
}

// Mesh i has texture i, so meshes without a texture get a white one, if others have one.
static bool bmw_add_missing_textures(bmw_exporter *exporter)
{
    uint32_t white = exporter->export.scene->image_count - 1;
    uint64_t textured = 0;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++)
        textured += bmw_material_plan_of(exporter, exporter->rig.parts[i].p)->texture.size > 0;
    if (textured == 0 || textured == exporter->rig.part_count) return true;
    for (uint32_t i = 0; i <= exporter->export.scene->material_count; i++)
        if (exporter->material_plans[i].texture.size == 0 &&
            !bmw_set_texture(exporter, &exporter->material_plans[i], white, false))
            return false;
    exporter->counts.untextured_meshes = exporter->rig.part_count - textured;
    return true;
}

bool bmw_plan_materials(bmw_exporter *exporter)
{
    uint32_t count = exporter->export.scene->material_count;
    exporter->material_plans =
        tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *exporter->material_plans);
    if (!exporter->material_plans || !bmw_add_white_image(exporter)) return false;
    for (uint32_t i = 0; i <= count; i++)
        exporter->material_plans[i] =
            (bmw_material_plan){.texture = {"", 0}, .texture_id = TENON_NONE, .color = {1, 1, 1}};
    for (uint32_t i = 0; i < count; i++)
        if (!bmw_plan_material(exporter, i)) return false;
    return bmw_add_missing_textures(exporter);
}
