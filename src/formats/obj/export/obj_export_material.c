// obj_export_material.c: exports the MTL file.
// SPDX-License-Identifier: MIT
//
// It has the classic keys (Kd, Ks, Ns, d, Ke) and the common extensions for roughness and metalness
// (Pr, Pm). Metallic materials have no Ks, because programs interpret it differently.

#include "formats/obj/export/obj_export.h"

#include "core/math/math.h"

#include <string.h>

#define SHININESS_MOST 1000.0

// The keys of textures. -imfchan selects a channel of a packed image.
static const struct {
    tenon_slot slot;
    const char *key;
} maps[] = {
    {TENON_SLOT_BASE_COLOR, "map_Kd"},
    {TENON_SLOT_SPECULAR, "map_Ks"},
    {TENON_SLOT_EMISSIVE, "map_Ke"},
    {TENON_SLOT_NORMAL, "map_Bump"},
    {TENON_SLOT_DISPLACEMENT, "disp"},
    {TENON_SLOT_METALLIC_ROUGHNESS, "map_Pr -imfchan g"},
    {TENON_SLOT_METALLIC_ROUGHNESS, "map_Pm -imfchan b"},
};

// The first texture of a material that is written; NULL if there is none.
static const tenon_texture *first_texture(const tenon_material *m)
{
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        if (m->textures[maps[i].slot].image != TENON_NONE) return &m->textures[maps[i].slot];
    return NULL;
}

uint32_t obj_uv_set(const tenon_scene *scene, const tenon_primitive *p)
{
    const tenon_texture *t =
        p->material == TENON_NONE ? NULL : first_texture(&scene->materials[p->material]);
    if (t && p->uvs[t->uv_set]) return t->uv_set;
    for (uint32_t set = 0; set < TENON_UV_SETS; set++)
        if (p->uvs[set]) return set;
    return TENON_NONE;
}

bool obj_goes_down(const tn_export *e, uint32_t material)
{
    if (material == TENON_NONE) return false;
    const tenon_texture *t = first_texture(&e->scene->materials[material]);
    // Images that are copied are flipped if necessary.
    bool is_flipped = t && e->scene->images[t->image].flip_y && !e->opts->copy_textures;
    return t && is_flipped != (t->scale[1] < 0);
}

// Coordinates are scaled by s, then moved by o. In the scene V starts at the top of the image, in
// OBJ at the last row of the file, and V was written upwards or downwards. For example: v' = 1 - (o
// + s (1 - v)) = s v + (1 - o - s).
static void put_transform(obj_exporter *w, const tenon_texture *t, bool goes_down)
{
    bool is_flipped = w->e->scene->images[t->image].flip_y;
    double s = t->scale[1], o = t->offset[1];
    double start = goes_down ? o : o + s;  // V in the scene where 0 was written.
    const float scale[3] = {tn_narrow(t->scale[0], NULL),
                            tn_narrow(goes_down == is_flipped ? s : -s, NULL), 1};
    const float offset[3] = {tn_narrow(t->offset[0], NULL),
                             tn_narrow(is_flipped ? start : 1 - start, NULL), 0};
    if (scale[0] != 1 || scale[1] != 1) obj_put(w, " -s"), obj_put_f32s(w, scale, 3);
    if (offset[0] != 0 || offset[1] != 0) obj_put(w, " -o"), obj_put_f32s(w, offset, 3);
}

static void put_map(obj_exporter *w, uint32_t material, tenon_slot slot, const char *key)
{
    const tenon_material *m = &w->e->scene->materials[material];
    const tenon_texture *t = &m->textures[slot];
    if (t->image == TENON_NONE || !w->images[t->image][0]) return;
    obj_put(w, key);
    if (slot == TENON_SLOT_NORMAL && m->normal_scale != 1) {
        obj_put(w, " -bm ");
        obj_put_f32(w, tn_narrow(m->normal_scale, NULL));
    }
    put_transform(w, t, obj_goes_down(w->e, material));
    if (t->wrap[0] == TENON_CLAMP && t->wrap[1] == TENON_CLAMP) obj_put(w, " -clamp on");
    obj_put(w, " ");
    obj_put_text(w, w->images[t->image], strlen(w->images[t->image]));
    obj_put(w, "\n");
}

static void begin_material(obj_exporter *w, const char *name)
{
    obj_put(w, "\nnewmtl ");
    obj_put(w, name);
    obj_put(w, "\n");
}

static void put_material(obj_exporter *w, uint32_t material)
{
    const tenon_material *m = &w->e->scene->materials[material];
    double shininess = m->shininess < SHININESS_MOST ? m->shininess : SHININESS_MOST;
    double alpha = m->alpha == TENON_OPAQUE ? 1 : m->base_color[3];
    obj_put_row(w, "Kd", m->base_color, 3);
    if (m->is_classic) {
        obj_put_row(w, "Ks", m->specular, 3);
        obj_put_row(w, "Ns", &shininess, 1);
    } else {
        obj_put_row(w, "Pr", &m->roughness, 1);
        obj_put_row(w, "Pm", &m->metallic, 1);
    }
    obj_put_row(w, "Ke", m->emissive, 3);
    obj_put_row(w, "d", &alpha, 1);
    obj_put(w, m->is_unlit ? "illum 0\n" : "illum 2\n");
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        put_map(w, material, maps[i].slot, maps[i].key);
}

bool obj_export_materials(obj_exporter *w)
{
    static const double white[3] = {1, 1, 1}, opaque = 1;
    const tenon_scene *s = w->e->scene;
    if (!w->library) return true;
    if (!obj_export_images(w) || !tn_export_begin(w->e, w->library)) return false;
    obj_put(w, "# Materials, written by Tenon. Colors are linear.\n");
    for (uint32_t i = 0; i < s->material_count; i++) {
        begin_material(w, w->materials[i]);
        put_material(w, i);
    }
    if (w->no_material) {
        begin_material(w, w->no_material);
        obj_put_row(w, "Kd", white, 3);
        obj_put_row(w, "d", &opaque, 1);
    }
    obj_flush(w);
    return tn_export_end(w->e);
}
