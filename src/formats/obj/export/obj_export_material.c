// obj_export_material.c: exports the MTL file, and images that are stored in the scene.
// SPDX-License-Identifier: MIT
//
// It has the classic keys (Kd, Ks, Ns, d, Ke) and the common extensions for roughness and metalness
// (Pr, Pm). Metallic materials have no Ks, because programs interpret it differently.

#include "formats/obj/export/obj_export.h"

#include "core/math/math.h"
#include "exchange/export_document.h"

#include <string.h>

#define SHININESS_MOST 1000.0

// -- Textures

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

// The first texture of a material that is written; NULL if there is none, or no material.
static const tenon_texture *obj_first_texture(const tenon_scene *scene, uint32_t material)
{
    for (size_t i = 0; material != TENON_NONE && i < sizeof maps / sizeof maps[0]; i++) {
        const tenon_texture *t = &scene->materials[material].textures[maps[i].slot];
        if (t->image != TENON_NONE) return t;
    }
    return NULL;
}

uint32_t obj_uv_set(const tenon_scene *scene, const tenon_primitive *p)
{
    const tenon_texture *t = obj_first_texture(scene, p->material);
    if (t && p->uvs[t->uv_set]) return t->uv_set;
    for (uint32_t set = 0; set < TENON_UV_SETS; set++)
        if (p->uvs[set]) return set;
    return TENON_NONE;
}

bool obj_v_goes_down(const tn_export *export, uint32_t material)
{
    const tenon_texture *t = obj_first_texture(export->scene, material);
    // Images that are copied are flipped if necessary.
    bool is_flipped = t && export->scene->images[t->image].flip_y && !export->opts->copy_textures;
    return t && is_flipped != (t->scale[1] < 0);
}

// Coordinates are scaled by s, then moved by o. In the scene V starts at the top of the image, in
// OBJ at the last row of the file, and V was written upwards or downwards. For example:
//
// v' = 1 - (o + s (1 - v)) = s v + (1 - o - s)
static void obj_write_map(obj_exporter *exporter, uint32_t material, tenon_slot slot,
                          const char *key)
{
    const tenon_scene *scene = exporter->export->scene;
    const tenon_material *m = &scene->materials[material];
    const tenon_texture *t = &m->textures[slot];
    if (t->image == TENON_NONE || !exporter->images[t->image][0]) return;
    obj_write(exporter, key);
    if (slot == TENON_SLOT_NORMAL && m->normal_scale != 1) {
        obj_write(exporter, " -bm ");
        obj_write_f32(exporter, tn_narrow(m->normal_scale, NULL));
    }
    bool goes_down = obj_v_goes_down(exporter->export, material);
    bool is_flipped = scene->images[t->image].flip_y;
    double s = t->scale[1], o = t->offset[1];
    double start = goes_down ? o : o + s;  // V in the scene where 0 was written.
    const float scale[3] = {tn_narrow(t->scale[0], NULL),
                            tn_narrow(goes_down == is_flipped ? s : -s, NULL), 1};
    const float offset[3] = {tn_narrow(t->offset[0], NULL),
                             tn_narrow(is_flipped ? start : 1 - start, NULL), 0};
    if (scale[0] != 1 || scale[1] != 1) {
        obj_write(exporter, " -s");
        obj_write_f32s(exporter, scale, 3);
    }
    if (offset[0] != 0 || offset[1] != 0) {
        obj_write(exporter, " -o");
        obj_write_f32s(exporter, offset, 3);
    }
    if (t->wrap[0] == TENON_CLAMP && t->wrap[1] == TENON_CLAMP) obj_write(exporter, " -clamp on");
    obj_write(exporter, " ");
    obj_write_text(exporter, exporter->images[t->image], strlen(exporter->images[t->image]));
    obj_write(exporter, "\n");
}

// -- Images

// A path relative to the MTL file. "./" is added before '-', which would begin an option.
static const char *obj_path_from_library(const obj_exporter *exporter, tenon_str path)
{
    const char *root =
        exporter->export->opts->texture_root ? exporter->export->opts->texture_root : "";
    if (path.size == 0) return "";
    bool is_absolute = path.data[0] == '/' || (path.data[0] && path.data[1] == ':');
    if (is_absolute) root = "";
    size_t root_size = strlen(root), used = 0;
    char *text =
        tn_export_alloc(exporter->export, root_size + (uint64_t)path.size + sizeof ".//", 1);
    if (!text) return NULL;
    if (root_size == 0 ? path.data[0] == '-' : root[0] == '-')
        text[used++] = '.', text[used++] = '/';
    memcpy(text + used, root, root_size);
    used += root_size;
    if (root_size && root[root_size - 1] != '/') text[used++] = '/';
    memcpy(text + used, path.data, (size_t)path.size + 1);
    return text;
}

// For example "crane_paint.png" for the image "paint" of the model "crane".
static const char *obj_export_picture(const obj_exporter *exporter, uint32_t index)
{
    static const struct {
        const char *start, *extension;
    } kinds[] = {{"\x89PNG", ".png"}, {"\xFF\xD8\xFF", ".jpg"}, {"DDS ", ".dds"}};
    const tenon_image *image = &exporter->export->scene->images[index];
    tn_shared_picture *shared =
        tn_export_share_picture(exporter->export, index, "", (tenon_file_id){0, 0});
    if (!shared || shared->name) return shared ? shared->name : NULL;
    tenon_str prefix = tn_export_join(exporter->export, exporter->stem, "_");
    tenon_str word = obj_name_word(exporter, image->name);
    if (!prefix.data || !word.data) return NULL;
    const char *extension = ".tga";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t size = strlen(kinds[i].start);
        if (image->size >= size && memcmp(image->data, kinds[i].start, size) == 0)
            extension = kinds[i].extension;
    }
    const char *file = tn_export_name(exporter->export, prefix, word, extension);
    if (file && image->size <= SIZE_MAX &&
        tn_export_put_picture(exporter->export, file, image->data, (size_t)image->size))
        shared->name = file;
    return shared->name;
}

// -- Materials

static void obj_write_material(obj_exporter *exporter, uint32_t material)
{
    const tenon_material *m = &exporter->export->scene->materials[material];
    obj_write_line(exporter, "\nnewmtl", exporter->materials[material]);
    double shininess = m->shininess < SHININESS_MOST ? m->shininess : SHININESS_MOST;
    double alpha = m->alpha == TENON_OPAQUE ? 1 : m->base_color[3];
    obj_write_row(exporter, "Kd", m->base_color, 3);
    if (m->is_classic) {
        obj_write_row(exporter, "Ks", m->specular, 3);
        obj_write_row(exporter, "Ns", &shininess, 1);
    } else {
        obj_write_row(exporter, "Pr", &m->roughness, 1);
        obj_write_row(exporter, "Pm", &m->metallic, 1);
    }
    obj_write_row(exporter, "Ke", m->emissive, 3);
    obj_write_row(exporter, "d", &alpha, 1);
    obj_write(exporter, m->is_unlit ? "illum 0\n" : "illum 2\n");
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        obj_write_map(exporter, material, maps[i].slot, maps[i].key);
}

bool obj_export_materials(obj_exporter *exporter)
{
    static const double white[3] = {1, 1, 1}, opaque = 1;
    const tn_export *export = exporter->export;
    const tenon_scene *scene = export->scene;
    if (!exporter->library) return true;
    // Write images that are stored in the scene, and set the paths of all images.
    exporter->images = tn_export_alloc(export, scene->image_count, sizeof *exporter->images);
    if (!exporter->images) return false;
    for (uint32_t i = 0; i < scene->image_count; i++) {
        const tenon_image *image = &scene->images[i];
        bool has_file = image->path.size > 0 || !image->data;
        if (export->opts->copy_textures)
            exporter->images[i] = tn_export_picture(export, i, TN_PICTURE_AS_COMMON);
        else if (has_file)
            exporter->images[i] = obj_path_from_library(exporter, image->path);
        else
            exporter->images[i] = obj_export_picture(exporter, i);
        if (!exporter->images[i]) return false;
    }
    if (!tn_export_begin(export, exporter->library)) return false;
    obj_write(exporter, "# Materials, written by Tenon. Colors are linear.\n");
    for (uint32_t i = 0; i < scene->material_count; i++) obj_write_material(exporter, i);
    if (exporter->default_material) {
        obj_write_line(exporter, "\nnewmtl", exporter->default_material);
        obj_write_row(exporter, "Kd", white, 3);
        obj_write_row(exporter, "d", &opaque, 1);
    }
    obj_flush(exporter);
    return tn_export_end(export);
}
