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

// The index of the extension; the size if there is none.
static size_t bmw_export_material_stem_size(const char *path)
{
    size_t size = strlen(path);
    for (size_t i = size; i-- > 0 && path[i] != '/';)
        if (path[i] == '.') return i;
    return size;
}

// Write the file of an image and use its path, with another extension if the engine would blend it
// wrongly.
static bool bmw_export_material_set_texture(bmw_exporter *exporter, bmw_material_plan *plan,
                                            uint32_t image, bool is_transparent)
{
    const char *path = tn_export_picture(&exporter->export, image, TN_PICTURE_AS_DDS);
    if (!path) return false;
    size_t stem = bmw_export_material_stem_size(path);
    bool is_blended = strstr(path, ".png") && !strstr(path, ".jpg");
    exporter->counts.not_dds += *path && !tn_same_word(path + stem, ".dds");
    if (*path && is_blended != is_transparent) {
        char *renamed = tn_export_alloc(&exporter->export, stem + 5, 1);
        if (!renamed) return false;
        memcpy(renamed, path, stem);
        memcpy(renamed + stem, is_transparent ? ".png" : ".dds", 5);
        path = renamed;
    }
    plan->texture = (tenon_str){path, (uint32_t)strlen(path)};
    if (plan->texture.size) plan->texture_id = 2 * image + is_transparent;
    return true;
}

const bmw_material_plan *bmw_export_material_plan_of(const bmw_exporter *exporter,
                                                     const tenon_primitive *p)
{
    uint32_t count = exporter->export.scene->material_count;
    return &exporter->material_plans[p->material == TENON_NONE ? count : p->material];
}

// Add a white image to the scene.
static bool bmw_export_material_add_white_image(bmw_exporter *exporter)
{
    const tenon_scene *from = exporter->export.scene;
    tenon_scene *scene = tn_export_alloc(&exporter->export, 1, sizeof *scene);
    tenon_image *images =
        tn_export_alloc(&exporter->export, (uint64_t)from->image_count + 1, sizeof *images);
    tenon_str stem = tn_export_stem(&exporter->export);
    size_t size = (size_t)stem.size + sizeof "_white";
    char *name = tn_export_alloc(&exporter->export, size, 1);
    if (!scene || !images || !name) return false;
    bool is_prefixed = !exporter->export.opts->without_prefix;
    (void)snprintf(name, size, "%s%s", is_prefixed ? stem.data : "",
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

bool bmw_export_plan_materials(bmw_exporter *exporter)
{
    uint32_t count = exporter->export.scene->material_count, part_count = exporter->rig.part_count;
    exporter->material_plans =
        tn_export_alloc(&exporter->export, (uint64_t)count + 1, sizeof *exporter->material_plans);
    if (!exporter->material_plans || !bmw_export_material_add_white_image(exporter)) return false;
    for (uint32_t i = 0; i <= count; i++)
        exporter->material_plans[i] =
            (bmw_material_plan){.texture = {"", 0}, .texture_id = TENON_NONE, .color = {1, 1, 1}};
    for (uint32_t i = 0; i < count; i++) {
        bmw_material_plan *plan = &exporter->material_plans[i];
        const tenon_material *material = &exporter->export.scene->materials[i];
        const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
        for (int k = 0; k < 3; k++) plan->color[k] = material->base_color[k];
        if (t->image == TENON_NONE) continue;
        plan->uv_set = t->uv_set < TENON_UV_SETS ? t->uv_set : 0;
        // Scale, then rotation, then offset. v is flipped when it is written.
        double sine = tn_sin(t->rotation), cosine = tn_cos(t->rotation);
        plan->has_transform = t->rotation != 0 || t->scale[0] != 1 || t->scale[1] != 1 ||
                              t->offset[0] != 0 || t->offset[1] != 0;
        plan->u_transform[0] = cosine * t->scale[0];
        plan->u_transform[1] = sine * t->scale[1];
        plan->u_transform[2] = t->offset[0];
        plan->v_transform[0] = -sine * t->scale[0];
        plan->v_transform[1] = cosine * t->scale[1];
        plan->v_transform[2] = t->offset[1];
        if (!bmw_export_material_set_texture(exporter, plan, t->image,
                                             material->alpha != TENON_OPAQUE))
            return false;
    }

    // Mesh i has texture i, so meshes without a texture get a white one, if others have one.
    uint32_t white = exporter->export.scene->image_count - 1;
    uint64_t textured = 0;
    for (uint32_t i = 0; i < part_count; i++)
        textured +=
            bmw_export_material_plan_of(exporter, exporter->rig.parts[i].p)->texture.size > 0;
    if (textured == 0 || textured == part_count) return true;
    for (uint32_t i = 0; i <= count; i++) {
        bmw_material_plan *plan = &exporter->material_plans[i];
        if (plan->texture.size == 0 &&
            !bmw_export_material_set_texture(exporter, plan, white, false))
            return false;
    }
    exporter->counts.untextured_meshes = part_count - textured;
    return true;
}
