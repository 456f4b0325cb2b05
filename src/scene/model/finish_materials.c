// finish_materials.c: give materials and images the properties that scene.h promises.
// SPDX-License-Identifier: MIT

#include "scene/model/kept.h"
#include "scene/model/scene_finish.h"

#include <string.h>

// -- Unused materials and images

// `numbers` is not 0 for what is used. These get new indices in their order, the others TENON_NONE.
// Returns how many are used.
static uint32_t finish_materials_renumber(uint32_t *numbers, uint32_t count)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) numbers[i] = numbers[i] ? used++ : TENON_NONE;
    return used;
}

static void finish_drop_unused_materials(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    uint32_t count = scene->material_count;
    uint32_t *numbers = tn_scene_array(builder, count, sizeof *numbers);
    if (builder->failed) return;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            uint32_t material = scene->meshes[i].primitives[k].material;
            if (material != TENON_NONE) numbers[material] = 1;
        }
    scene->material_count = finish_materials_renumber(numbers, count);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            uint32_t *material = &scene->meshes[i].primitives[k].material;
            if (*material != TENON_NONE) *material = numbers[*material];
        }
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != TENON_NONE) scene->materials[numbers[i]] = scene->materials[i];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        tenon_extra extra = scene->extras[i];
        if (extra.of == TENON_EXTRA_OF_MATERIAL) {
            if (extra.index >= count || numbers[extra.index] == TENON_NONE) continue;
            extra.index = numbers[extra.index];
        }
        scene->extras[kept++] = extra;
    }
    scene->extra_count = kept;
    tn_scene_report_unkept(builder, TENON_DROPPED, "materials", count - scene->material_count, NULL,
                           "no mesh uses them");
}

static void finish_materials_drop_unused_images(tn_scene_builder *builder)
{
    tenon_scene *scene = builder->scene;
    uint32_t count = scene->image_count;
    uint32_t *numbers = tn_scene_array(builder, count, sizeof *numbers);
    if (builder->failed) return;
    for (uint32_t i = 0; i < scene->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            uint32_t *image = &scene->materials[i].textures[slot].image;
            if (*image >= count) *image = TENON_NONE;
            if (*image != TENON_NONE) numbers[*image] = 1;
        }
    scene->image_count = finish_materials_renumber(numbers, count);
    for (uint32_t i = 0; i < scene->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            uint32_t *image = &scene->materials[i].textures[slot].image;
            if (*image != TENON_NONE) *image = numbers[*image];
        }
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != TENON_NONE) scene->images[numbers[i]] = scene->images[i];
}

// -- Numbers

static void finish_materials_clamp(double *values, uint32_t count, double low, double high,
                                   tn_tally *tally, uint32_t material)
{
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] >= low && values[i] <= high) continue;
        tn_tally_at(tally, 1, "materials", material);
        values[i] = values[i] > high ? high : low;
    }
}

void tn_finish_materials(tn_scene_builder *builder)
{
    tn_tally tally = {0};
    finish_drop_unused_materials(builder);
    if (!builder->failed) finish_materials_drop_unused_images(builder);
    for (uint32_t i = 0; !builder->failed && i < builder->scene->material_count; i++) {
        const double most = 1e30;
        tenon_material *m = &builder->scene->materials[i];
        finish_materials_clamp(m->base_color, 4, 0, 1, &tally, i);
        finish_materials_clamp(&m->metallic, 1, 0, 1, &tally, i);
        finish_materials_clamp(&m->roughness, 1, 0, 1, &tally, i);
        finish_materials_clamp(m->emissive, 3, 0, most, &tally, i);
        finish_materials_clamp(&m->normal_scale, 1, -most, most, &tally, i);
        finish_materials_clamp(&m->occlusion_strength, 1, 0, 1, &tally, i);
        finish_materials_clamp(&m->alpha_cutoff, 1, 0, most, &tally, i);
        finish_materials_clamp(m->specular, 3, 0, most, &tally, i);
        finish_materials_clamp(&m->shininess, 1, 0, most, &tally, i);
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            tenon_texture *t = &m->textures[slot];
            uint64_t wrong = tn_make_all_finite(t->offset, 2) + tn_make_all_finite(t->scale, 2) +
                             tn_make_all_finite(&t->rotation, 1);
            tn_tally_at(&tally, wrong, "materials", i);
            if (t->uv_set >= TENON_UV_SETS) t->uv_set = 0;
        }
    }
    tn_tally_report(builder, &tally, TENON_APPROXIMATED, "materials",
                    "numbers were out of range: clamped");
}
