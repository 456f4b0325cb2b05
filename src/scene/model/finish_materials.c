// finish_materials.c: make everything true that scene.h promises of materials and images.
// SPDX-License-Identifier: MIT

#include "scene/model/scene_finish.h"

#include <string.h>

// -- What is used

// Number those that are used, in their order; TENON_NONE for the others. Returns how many are.
static uint32_t renumber(uint32_t *numbers, uint32_t count)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) numbers[i] = numbers[i] ? used++ : TENON_NONE;
    return used;
}

static void drop_unused_materials(tn_scene_builder *b)
{
    tenon_scene *s = b->scene;
    uint32_t count = s->material_count;
    uint32_t *numbers = tn_scene_array(b, count, sizeof *numbers);
    if (b->failed) return;
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++) {
            uint32_t material = s->meshes[i].primitives[k].material;
            if (material != TENON_NONE) numbers[material] = 1;
        }
    s->material_count = renumber(numbers, count);
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++) {
            uint32_t *material = &s->meshes[i].primitives[k].material;
            if (*material != TENON_NONE) *material = numbers[*material];
        }
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != TENON_NONE) s->materials[numbers[i]] = s->materials[i];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->extra_count; i++) {
        tenon_extra extra = s->extras[i];
        if (extra.of == TENON_EXTRA_OF_MATERIAL) {
            if (extra.index >= count || numbers[extra.index] == TENON_NONE) continue;
            extra.index = numbers[extra.index];
        }
        s->extras[kept++] = extra;
    }
    s->extra_count = kept;
    tn_scene_report(b, TENON_DROPPED, "materials", count - s->material_count, NULL,
                    "no mesh uses them");
}

static void drop_unused_images(tn_scene_builder *b)
{
    tenon_scene *s = b->scene;
    uint32_t count = s->image_count;
    uint32_t *numbers = tn_scene_array(b, count, sizeof *numbers);
    if (b->failed) return;
    for (uint32_t i = 0; i < s->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            uint32_t *image = &s->materials[i].textures[slot].image;
            if (*image >= count) *image = TENON_NONE;
            if (*image != TENON_NONE) numbers[*image] = 1;
        }
    s->image_count = renumber(numbers, count);
    for (uint32_t i = 0; i < s->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            uint32_t *image = &s->materials[i].textures[slot].image;
            if (*image != TENON_NONE) *image = numbers[*image];
        }
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != TENON_NONE) s->images[numbers[i]] = s->images[i];
}

// -- Numbers

static void clamp(double *values, uint32_t count, double low, double high, tn_tally *flaw,
                  uint32_t material)
{
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] >= low && values[i] <= high) continue;
        tn_tally_add(flaw, 1, "materials", material, NULL, 0);
        values[i] = values[i] > high ? high : low;
    }
}

static void finish_texture(tenon_texture *t, tn_tally *flaw, uint32_t material)
{
    tn_tally_add(flaw,
                 tn_make_all_finite(t->offset, 2) + tn_make_all_finite(t->scale, 2) +
                     tn_make_all_finite(&t->rotation, 1),
                 "materials", material, NULL, 0);
    if (t->uv_set >= TENON_UV_SETS) t->uv_set = 0;
}

static void finish_material(tenon_material *m, tn_tally *flaw, uint32_t index)
{
    const double most = 1e30;
    clamp(m->base_color, 4, 0, 1, flaw, index);
    clamp(&m->metallic, 1, 0, 1, flaw, index);
    clamp(&m->roughness, 1, 0, 1, flaw, index);
    clamp(m->emissive, 3, 0, most, flaw, index);
    clamp(&m->normal_scale, 1, -most, most, flaw, index);
    clamp(&m->occlusion_strength, 1, 0, 1, flaw, index);
    clamp(&m->alpha_cutoff, 1, 0, most, flaw, index);
    clamp(m->specular, 3, 0, most, flaw, index);
    clamp(&m->shininess, 1, 0, most, flaw, index);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        finish_texture(&m->textures[slot], flaw, index);
}

void tn_finish_materials(tn_scene_builder *b)
{
    tn_tally flaw = {0};
    drop_unused_materials(b);
    if (!b->failed) drop_unused_images(b);
    for (uint32_t i = 0; !b->failed && i < b->scene->material_count; i++)
        finish_material(&b->scene->materials[i], &flaw, i);
    tn_tally_report(b, &flaw, TENON_APPROXIMATED, "materials", "a number was out of its range");
}
