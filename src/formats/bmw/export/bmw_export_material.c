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

static bool bmw_holds(const char *path, const char *word)
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
static const char *bmw_texture_for(const tn_export *e, const char *path, bool is_transparent)
{
    bool is_taken_for_one = bmw_holds(path, ".png") && !bmw_holds(path, ".jpg");
    if (is_taken_for_one == is_transparent) return path;
    size_t stem = bmw_stem_size(path);
    char *made = tn_export_alloc(e, stem + 5, 1);
    if (!made) return NULL;
    memcpy(made, path, stem);
    memcpy(made + stem, is_transparent ? ".png" : ".dds", 5);
    return made;
}

// -- Materials

static const tenon_texture *bmw_texture_of(const tenon_material *material)
{
    const tenon_texture *t = &material->textures[TENON_SLOT_BASE_COLOR];
    return t->image == TENON_NONE ? NULL : t;
}

// Scale, then rotation, then offset. v is flipped when it is written.
static void bmw_paint_transform(bmw_material_plan *paint, const tenon_texture *t)
{
    double sine = tn_sin(t->rotation), cosine = tn_cos(t->rotation);
    paint->has_transform = t->rotation != 0 || t->scale[0] != 1 || t->scale[1] != 1 ||
                           t->offset[0] != 0 || t->offset[1] != 0;
    paint->across[0] = cosine * t->scale[0];
    paint->across[1] = sine * t->scale[1];
    paint->across[2] = t->offset[0];
    paint->down[0] = -sine * t->scale[0];
    paint->down[1] = cosine * t->scale[1];
    paint->down[2] = t->offset[1];
}

static bool bmw_set_texture(bmw_exporter *m, bmw_material_plan *paint, uint32_t image,
                            bool is_transparent)
{
    const char *path = tn_export_picture(&m->e, image, TN_PICTURE_AS_DDS);
    const char *name = path && *path ? bmw_texture_for(&m->e, path, is_transparent) : path;
    if (!name) return false;
    m->counts.not_dds += *path && !tn_same_word(path + bmw_stem_size(path), ".dds");
    paint->texture = (tenon_str){name, (uint32_t)strlen(name)};
    if (paint->texture.size) paint->texture_id = 2 * image + is_transparent;
    return true;
}

static bool bmw_export_paint(bmw_exporter *m, uint32_t index)
{
    bmw_material_plan *paint = &m->paints[index];
    const tenon_material *material = &m->e.scene->materials[index];
    const tenon_texture *t = bmw_texture_of(material);
    for (int i = 0; i < 3; i++) paint->color[i] = material->base_color[i];
    if (!t) return true;
    paint->uv_set = t->uv_set < TENON_UV_SETS ? t->uv_set : 0;
    bmw_paint_transform(paint, t);
    return bmw_set_texture(m, paint, t->image, material->alpha != TENON_OPAQUE);
}

const bmw_material_plan *bmw_paint_of(const bmw_exporter *m, const tenon_primitive *p)
{
    uint32_t count = m->e.scene->material_count;
    return &m->paints[p->material == TENON_NONE ? count : p->material];
}

// -- Meshes without a texture

// Add a white image to the scene.
static bool bmw_add_white(bmw_exporter *m)
{
    const tenon_scene *from = m->e.scene;
    tenon_scene *scene = tn_export_alloc(&m->e, 1, sizeof *scene);
    tenon_image *images = tn_export_alloc(&m->e, (uint64_t)from->image_count + 1, sizeof *images);
    tenon_str stem = tn_export_stem(&m->e);
    size_t room = (size_t)stem.size + sizeof "_white";
    char *name = tn_export_alloc(&m->e, room, 1);
    if (!scene || !images || !name) return false;
    bool is_prefixed = !m->e.opts->without_prefix;
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
    m->e.scene = scene;
    return true;
}

// Mesh i has texture i, so meshes without a texture get a white one, if others have one.
static bool bmw_fill_gaps(bmw_exporter *m)
{
    uint32_t white = m->e.scene->image_count - 1;
    uint64_t painted = 0;
    for (uint32_t i = 0; i < m->rig.part_count; i++)
        painted += bmw_paint_of(m, m->rig.parts[i].p)->texture.size > 0;
    if (painted == 0 || painted == m->rig.part_count) return true;
    for (uint32_t i = 0; i <= m->e.scene->material_count; i++)
        if (m->paints[i].texture.size == 0 && !bmw_set_texture(m, &m->paints[i], white, false))
            return false;
    m->counts.blank = m->rig.part_count - painted;
    return true;
}

bool bmw_export_paints(bmw_exporter *m)
{
    uint32_t count = m->e.scene->material_count;
    m->paints = tn_export_alloc(&m->e, (uint64_t)count + 1, sizeof *m->paints);
    if (!m->paints || !bmw_add_white(m)) return false;
    for (uint32_t i = 0; i <= count; i++)
        m->paints[i] =
            (bmw_material_plan){.texture = {"", 0}, .texture_id = TENON_NONE, .color = {1, 1, 1}};
    for (uint32_t i = 0; i < count; i++)
        if (!bmw_export_paint(m, i)) return false;
    return bmw_fill_gaps(m);
}
