// gpb_export_parameters.c: exports materials of dialect "document": parameters and an effect.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"
#include "formats/gpb/gpb_material.h"

#include "core/cursor/span.h"
#include "core/text/number.h"
#include "core/text/text.h"

#include <string.h>

// The name of the parameter that an extra represents; size 0 if it does not.
static tenon_str gpb_export_parameter_name(const tenon_extra *extra)
{
    static const char prefix[] = GPB_PARAMETER_PREFIX;
    const uint32_t size = sizeof prefix - 1;
    bool is_ours = extra->of == TENON_EXTRA_OF_MATERIAL && extra->name.size > size &&
                   memcmp(extra->name.data, prefix, size) == 0;
    if (!is_ours) return (tenon_str){"", 0};
    return (tenon_str){extra->name.data + size, extra->name.size - size};
}

// Parse "TYPE:NUMBER/NUMBER". `out` may be NULL to count the numbers only. Returns false if the
// text is different.
static bool gpb_export_parse_parameter(tenon_str text, uint32_t *type, float *out, uint64_t *count)
{
    const char *colon = text.size ? memchr(text.data, ':', text.size) : NULL;
    double number;
    *count = 0;
    if (!colon || !tn_f64_parse(text.data, (size_t)(colon - text.data), &number)) return false;
    if (!(number >= 0 && number <= UINT32_MAX) || number != (double)(uint32_t)number) return false;
    *type = (uint32_t)number;
    const char *at = colon + 1, *end = text.data + text.size;
    while (at < end) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        float value;
        if (!tn_f32_parse(at, (size_t)((slash ? slash : end) - at), &value)) return false;
        if (out) out[*count] = value;
        ++*count;
        at = slash ? slash + 1 : end;
    }
    return true;
}

bool gpb_export_is_parameter(const tenon_extra *extra)
{
    uint32_t type;
    uint64_t count;
    bool is_shader = extra->of == TENON_EXTRA_OF_MATERIAL &&
                     (tn_text_is(extra->name, GPB_EXTRA_VERTEX_SHADER) ||
                      tn_text_is(extra->name, GPB_EXTRA_FRAGMENT_SHADER));
    return is_shader || (gpb_export_parameter_name(extra).size &&
                         gpb_export_parse_parameter(extra->value, &type, NULL, &count));
}

// -- Parameters

// The documentation does not define the types. The type of a new parameter is its number of values.
static void gpb_export_parameters_add(gpb_exporter *exporter, tenon_gpb_material *out,
                                      const char *name, const double *values, uint32_t count)
{
    float numbers[4];
    for (uint32_t i = 0; i < count; i++) numbers[i] = gpb_export_float(exporter, values[i]);
    if (exporter->failed) return;
    out->parameters[out->parameter_count++] =
        (tenon_gpb_parameter){.name = {name, (uint32_t)strlen(name)},
                              .value = gpb_export_span(exporter, numbers, count, &tn_layout_f32),
                              .type = count};
}

// Parts with the same material share its parameters.
void gpb_export_parameters(gpb_exporter *exporter, uint32_t material, tenon_gpb_material *out)
{
    if (!exporter->effects || material == TENON_NONE || exporter->failed) return;
    tenon_gpb_material *shared = &exporter->parameters[material];
    uint32_t first = exporter->extra_firsts[material], end = exporter->extra_firsts[material + 1];
    if (!shared->parameters) {
        const tenon_material *from = &exporter->scene->materials[material];
        const double *shine = from->specular;
        const tenon_texture *base = &from->textures[TENON_SLOT_BASE_COLOR];
        const double offset[] = {base->offset[0], 1 - base->scale[1] - base->offset[1]};
        bool is_shiny = from->is_classic && (shine[0] > 0 || shine[1] > 0 || shine[2] > 0);
        bool is_placed =
            base->image != TENON_NONE && (base->scale[0] != 1 || base->scale[1] != 1 ||
                                          base->offset[0] != 0 || base->offset[1] != 0);
        shared->parameters =
            gpb_export_alloc(exporter, (uint64_t)end - first + 4, sizeof *shared->parameters);
        gpb_export_parameters_add(exporter, shared, "u_diffuseColor", from->base_color, 4);
        if (is_shiny)
            gpb_export_parameters_add(exporter, shared, "u_specularExponent", &from->shininess, 1);
        if (is_placed) {
            gpb_export_parameters_add(exporter, shared, "u_textureRepeat", base->scale, 2);
            gpb_export_parameters_add(exporter, shared, "u_textureOffset", offset, 2);
        }
        for (uint32_t i = first; i < end && !exporter->failed; i++) {
            const tenon_extra *extra = &exporter->scene->extras[exporter->extra_order[i]];
            tenon_str name = gpb_export_parameter_name(extra);
            uint32_t type;
            uint64_t number_count;
            if (name.size == 0 ||
                !gpb_export_parse_parameter(extra->value, &type, NULL, &number_count))
                continue;
            float *numbers = gpb_export_alloc(exporter, number_count, sizeof *numbers);
            if (exporter->failed) return;
            gpb_export_parse_parameter(extra->value, &type, numbers, &number_count);
            shared->parameters[shared->parameter_count++] = (tenon_gpb_parameter){
                .name = name,
                .value = gpb_export_span(exporter, numbers, number_count, &tn_layout_f32),
                .type = type};
        }
    }
    out->parameters = shared->parameters;
    out->parameter_count = shared->parameter_count;
    out->effect = exporter->effects[material];
}

// -- Effects

void gpb_export_effects(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->effects =
        gpb_export_alloc(exporter, scene->material_count, sizeof *exporter->effects);
    exporter->parameters =
        gpb_export_alloc(exporter, scene->material_count, sizeof *exporter->parameters);
    exporter->effect_blocks =
        gpb_export_alloc(exporter, scene->material_count, sizeof *exporter->effect_blocks);
    // Order the extras by material.
    uint64_t count = (uint64_t)scene->material_count + 2;
    uint32_t *firsts = gpb_export_alloc(exporter, count, sizeof *firsts);
    uint32_t *order = gpb_export_alloc(exporter, scene->extra_count, sizeof *order);
    for (int pass = 0; pass < 2 && !exporter->failed; pass++) {
        // Pass 0 counts, two elements ahead; pass 1 fills, and moves each start forward.
        for (uint32_t i = 0; i < scene->extra_count; i++) {
            const tenon_extra *extra = &scene->extras[i];
            bool is_ours =
                extra->of == TENON_EXTRA_OF_MATERIAL && extra->index < scene->material_count;
            if (is_ours && pass == 0) firsts[extra->index + 2]++;
            if (is_ours && pass == 1) order[firsts[extra->index + 1]++] = i;
        }
        for (uint64_t i = 2; i < count && pass == 0; i++) firsts[i] += firsts[i - 1];
    }
    exporter->extra_firsts = firsts;
    exporter->extra_order = order;
    for (uint32_t i = 0; i < scene->material_count && !exporter->failed; i++) {
        tenon_gpb_effect effect = {{"", 0}, {"", 0}};
        exporter->effects[i] = (tenon_str){"", 0};
        for (uint32_t k = firsts[i]; k < firsts[i + 1]; k++) {
            const tenon_extra *extra = &scene->extras[order[k]];
            if (tn_text_is(extra->name, GPB_EXTRA_VERTEX_SHADER))
                effect.vertex_shader = extra->value;
            if (tn_text_is(extra->name, GPB_EXTRA_FRAGMENT_SHADER))
                effect.fragment_shader = extra->value;
        }
        if (effect.vertex_shader.size + effect.fragment_shader.size == 0) continue;
        tenon_str name = gpb_export_text(
            exporter, gpb_export_shorten_name(scene->materials[i].name, GPB_ID_MOST), "_Effect");
        uint32_t reference =
            exporter->failed ? TENON_NONE : gpb_table_add(&exporter->table, name, TENON_GPB_EFFECT);
        if (reference == TENON_NONE) exporter->failed = true;
        if (exporter->failed) return;
        exporter->effects[i] = gpb_export_xref(exporter, reference);
        exporter->effect_blocks[exporter->effect_count++] = (tenon_gpb_block){
            .kind = TENON_GPB_EFFECT, .reference = reference, .body.effect = effect};
    }
}
