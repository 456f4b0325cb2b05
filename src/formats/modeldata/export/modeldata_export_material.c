// modeldata_export_material.c: exports materials; the reverse of modeldata_import_material.c.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/export/modeldata_export.h"

#include "core/math/math.h"
#include "core/text/number.h"
#include "core/text/text.h"

#include <math.h>
#include <string.h>

#define TILING_TOLERANCE 1e-6

static const char *const modeldata_extra_names[MODELDATA_EXTRA_COUNT] = {
    "alpha_map", "reflection_map", "displacement_factor", "tiling"};

// -- Extras

// The text of an extra of a material; empty if there is none.
static tenon_str modeldata_export_material_extra_text(const modeldata_exporter *exporter,
                                                      uint32_t material, size_t which)
{
    const tenon_extra *extra =
        exporter->material_extras[MODELDATA_EXTRA_COUNT * (size_t)material + which];
    return extra ? extra->value : (tenon_str){"", 0};
}

// -- Maps

const tenon_texture *modeldata_export_first_texture(const tenon_material *m)
{
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++) {
        if (modeldata_maps[i].slot == TENON_SLOT_COUNT) continue;
        const tenon_texture *t = &m->textures[modeldata_maps[i].slot];
        if (t->image != TENON_NONE) return t;
    }
    return NULL;
}

// Maps without a slot are stored as extras, with a path relative to the output.
static bool modeldata_export_material_set_maps(modeldata_exporter *exporter, uint32_t index,
                                               tenon_str maps[TENON_MODELDATA_MAP_COUNT])
{
    const tn_export *export = &exporter->export;
    const tenon_material *m = &exporter->scene->materials[index];
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++) {
        bool has_slot = modeldata_maps[i].slot != TENON_SLOT_COUNT;
        uint32_t image = has_slot ? m->textures[modeldata_maps[i].slot].image : TENON_NONE;
        maps[i] = (tenon_str){"", 0};
        if (image == TENON_NONE) continue;
        const char *path = tn_export_picture(export, image, TN_PICTURE_AS_COMMON);
        if (!path) return false;
        maps[i] = (tenon_str){path, (uint32_t)strlen(path)};
    }
    static const int kept[] = {[MODELDATA_EXTRA_ALPHA] = TENON_MODELDATA_ALPHA_MAP,
                               [MODELDATA_EXTRA_REFLECTION] = TENON_MODELDATA_REFLECTION_MAP};
    const char *root = export->opts->texture_root ? export->opts->texture_root : "";
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        tenon_str path = modeldata_export_material_extra_text(exporter, index, i);
        bool is_absolute =
            path.size > 0 && (path.data[0] == '/' || (path.size > 1 && path.data[1] == ':'));
        size_t size = is_absolute || path.size == 0 ? 0 : strlen(root);
        char *text = tn_export_alloc(export, (uint64_t)size + path.size + 2, 1);
        if (!text) return false;
        memcpy(text, root, size);
        if (size && text[size - 1] != '/') text[size++] = '/';
        if (path.size) memcpy(text + size, path.data, path.size);
        maps[kept[i]] = (tenon_str){text, (uint32_t)size + path.size};
    }
    return true;
}

// -- Values

static void modeldata_export_material_set_numbers(modeldata_exporter *exporter, uint32_t index,
                                                  modeldata_material_plan *plan)
{
    tenon_modeldata_material *to = &plan->material;
    const tenon_material *m = &exporter->scene->materials[index];
    float diffuse[3], glow[3], shininess = 0.2f, damping = 10, factor;
    for (int k = 0; k < 3; k++) {
        diffuse[k] = tn_narrow(m->base_color[k], &exporter->not_finite);
        glow[k] = tn_narrow(m->emissive[k], &exporter->not_finite);
    }
    // Metallic materials have no specular color and shininess.
    if (m->is_classic) {
        shininess = tn_narrow((m->specular[0] + m->specular[1] + m->specular[2]) / 3,
                              &exporter->not_finite);
        damping = tn_narrow(m->shininess, &exporter->not_finite);
    }
    tenon_str text =
        modeldata_export_material_extra_text(exporter, index, MODELDATA_EXTRA_DISPLACEMENT);
    bool is_known = text.size && tn_f32_parse(text.data, text.size, &factor);
    if (!is_known) factor = 0.001f;

    // The engine multiplies both coordinates, which start at the bottom, by the same number. Other
    // transforms are applied to the coordinates.
    const tenon_texture *t = modeldata_export_first_texture(m);
    text = modeldata_export_material_extra_text(exporter, index, MODELDATA_EXTRA_TILING);
    float tiling;
    // Materials without a texture keep their tiling in an extra.
    if (t || !text.size || !tn_f32_parse(text.data, text.size, &tiling)) tiling = 1;
    if (t) plan->uv_set = t->uv_set < TENON_UV_SETS ? t->uv_set : 0;
    bool is_tiled =
        t && t->rotation == 0 && t->scale[0] == t->scale[1] &&
        fabs(t->offset[0]) <= TILING_TOLERANCE &&
        fabs(t->offset[1] - (1 - t->scale[0])) <= TILING_TOLERANCE * (1 + fabs(t->scale[0]));
    if (is_tiled) {
        tiling = tn_narrow(t->scale[0], &exporter->not_finite);
    } else if (t) {
        double sine = tn_sin(t->rotation), cosine = tn_cos(t->rotation);
        plan->has_transform = true;
        plan->u_row[0] = cosine * t->scale[0];
        plan->u_row[1] = sine * t->scale[1];
        plan->u_row[2] = t->offset[0];
        plan->v_row[0] = -sine * t->scale[0];
        plan->v_row[1] = cosine * t->scale[1];
        plan->v_row[2] = t->offset[1];
    }

    // If a value is the engine's default, the flag is set and the engine's placeholder stored. The
    // format's document does not define the defaults, so its dialect stores all values.
    const float *from[MODELDATA_VALUE_COUNT] = {diffuse, glow,       &factor,
                                                &tiling, &shininess, &damping};
    modeldata_value values[MODELDATA_VALUE_COUNT];
    modeldata_conventions_values(to, values);
    for (int i = 0; i < MODELDATA_VALUE_COUNT; i++) {
        const modeldata_value *value = &values[i];
        bool is_usual = !exporter->is_document;
        for (uint32_t k = 0; k < value->count; k++)
            is_usual = is_usual && from[i][k] == value->usual;
        for (uint32_t k = 0; k < value->count; k++)
            value->v[k] = is_usual ? value->placeholder : from[i][k];
        *value->flag = is_usual;
    }
    if (!m->is_classic) to->default_shininess = to->default_shine_damping = 1;
    if (!is_known) to->default_displacement_factor = 1;
}

// -- Materials

bool modeldata_export_materials(modeldata_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->material_plans =
        tn_export_alloc(&exporter->export, scene->material_count, sizeof *exporter->material_plans);
    exporter->shapes =
        tn_export_alloc(&exporter->export, scene->mesh_count, sizeof *exporter->shapes);
    exporter->material_extras =
        tn_export_alloc(&exporter->export, MODELDATA_EXTRA_COUNT * (uint64_t)scene->material_count,
                        sizeof *exporter->material_extras);
    if (!exporter->material_plans || !exporter->shapes || !exporter->material_extras) return false;
    // The first extra of each kind is used for a field of the file.
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *extra = &scene->extras[i], **field = NULL;
        if (extra->of == TENON_EXTRA_OF_MESH && tn_text_is(extra->name, "collision_shape"))
            field = &exporter->shapes[extra->index];
        for (size_t k = 0; k < MODELDATA_EXTRA_COUNT && extra->of == TENON_EXTRA_OF_MATERIAL; k++)
            if (tn_text_is(extra->name, modeldata_extra_names[k]))
                field =
                    &exporter->material_extras[MODELDATA_EXTRA_COUNT * (size_t)extra->index + k];
        if (field && !*field)
            *field = extra;
        else
            exporter->other_extras++;
    }
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tenon_primitive *p = exporter->rig.parts[i].p;
        if (p->material == TENON_NONE || p->index_count == 0) continue;
        modeldata_material_plan *plan = &exporter->material_plans[p->material];
        if (plan->is_used) continue;
        plan->is_used = true;
        modeldata_export_material_set_numbers(exporter, p->material, plan);
        if (!modeldata_export_material_set_maps(exporter, p->material, plan->material.maps))
            return false;
    }
    return true;
}
