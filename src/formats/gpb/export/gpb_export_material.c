// gpb_export_material.c: plans which materials a bundle needs, and writes the .material file, or
// the parameters and effects of dialect "document".
// SPDX-License-Identifier: MIT
//
// A material names its shaders, which depend on the mesh: with or without skin, colors and light. A
// material of the scene that is used with different shaders becomes several materials. The shaders
// are those that come with the engine. A lit material includes a light that shines in the view
// direction, so that the model is visible even if the application adds no light.

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "scene/model/pieces.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GPB_NAME_MOST 1000  // Bytes.
#define GPB_CUTOFF    0.5   // Of the engine's shaders.

// -- Planning

static uint32_t gpb_shader_flags_of(const gpb_exporter *exporter, uint32_t node,
                                    const tenon_primitive *p)
{
    const tenon_node *n = &exporter->scene->nodes[node];
    const tenon_material *material =
        p->material == TENON_NONE ? NULL : &exporter->scene->materials[p->material];
    uint32_t usages = exporter->meshes[n->mesh].usages, flags = 0;
    if (exporter->export->opts->without_materials) return 0;
    bool is_textured = material && material->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
    bool is_bumped = material && material->textures[TENON_SLOT_NORMAL].image != TENON_NONE &&
                     is_textured && p->uvs[0];
    bool is_lit = (!material || !material->is_unlit) && (p->normals || tn_piece_size(p->mode) == 3);
    if (n->skin != TENON_NONE) flags |= GPB_WITH_SKIN;
    if (p->colors[0] && !is_textured) flags |= GPB_WITH_COLORS;
    if (is_lit && usages & 1u << GPB_USE_NORMAL) flags |= GPB_WITH_LIGHT;
    if (is_bumped && flags & GPB_WITH_LIGHT && usages & 1u << GPB_USE_TANGENT)
        flags |= GPB_WITH_NORMAL_MAP;
    return flags;
}

static uint32_t *gpb_variant_of(const gpb_exporter *exporter, uint32_t node,
                                const tenon_primitive *p)
{
    uint32_t material = p->material == TENON_NONE ? exporter->scene->material_count : p->material;
    return &exporter->variants[GPB_SHADER_COUNT * (size_t)material +
                               gpb_shader_flags_of(exporter, node, p)];
}

const gpb_material_plan *gpb_find_material(const gpb_exporter *exporter, uint32_t node,
                                           const tenon_primitive *p)
{
    uint32_t variant = *gpb_variant_of(exporter, node, p);
    return variant ? &exporter->materials[variant - 1] : NULL;
}

void gpb_plan_materials(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    uint64_t count = (uint64_t)scene->material_count + 1;
    bool has_no_file = exporter->export->opts->without_materials;
    exporter->variants = gpb_alloc(exporter, GPB_SHADER_COUNT * count, sizeof *exporter->variants);
    exporter->materials =
        gpb_alloc(exporter, GPB_SHADER_COUNT * count, sizeof *exporter->materials);
    bool *is_used = gpb_alloc(exporter, count, sizeof *is_used);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t mesh = scene->nodes[i].mesh, skin = scene->nodes[i].skin;
        uint32_t joints = skin == TENON_NONE ? 0 : scene->skins[skin].joint_count;
        const gpb_mesh_plan *drawn = mesh == TENON_NONE ? NULL : &exporter->meshes[mesh];
        for (uint32_t k = 0; drawn && k < drawn->part_count; k++) {
            const tenon_primitive *p = &scene->meshes[mesh].primitives[drawn->parts[k]];
            uint32_t source = p->material == TENON_NONE ? scene->material_count : p->material;
            uint32_t *variant = gpb_variant_of(exporter, i, p);
            if (p->material == TENON_NONE && has_no_file) continue;
            if (*variant == 0) {
                exporter->materials[exporter->material_count] =
                    (gpb_material_plan){.source = p->material,
                                        .shader_flags = gpb_shader_flags_of(exporter, i, p),
                                        .is_variant = is_used[source]};
                *variant = ++exporter->material_count;
                is_used[source] = true;
            }
            gpb_material_plan *plan = &exporter->materials[*variant - 1];
            if (joints > plan->joints) plan->joints = joints;
        }
    }
    // A name in the .material file must be one word.
    tenon_str *names = gpb_alloc(exporter, exporter->material_count, sizeof *names);
    uint64_t changed;
    for (uint32_t i = 0; i < exporter->material_count && !exporter->failed; i++) {
        const gpb_material_plan *plan = &exporter->materials[i];
        const char *suffix = !plan->is_variant                    ? ""
                             : plan->shader_flags & GPB_WITH_SKIN ? "_skinned"
                                                                  : "_rigid";
        tenon_str name = {"", 0};
        if (plan->source != TENON_NONE)
            name = gpb_shorten_name(scene->materials[plan->source].name, GPB_NAME_MOST);
        char *text = gpb_alloc(exporter, (uint64_t)name.size + 1, 1);
        for (uint32_t k = 0; text && k < name.size; k++) {
            char c = name.data[k];
            bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (uint8_t)c >= 0x80;
            bool is_plain = is_letter || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
            text[k] = is_plain ? c : '_';
        }
        tenon_str word = name.size ? (tenon_str){text, name.size} : (tenon_str){"unnamed", 7};
        names[i] = gpb_join(exporter, word, suffix);
    }
    if (exporter->failed ||
        !tn_unique_names(exporter->export, names, exporter->material_count, "unnamed", &changed))
        exporter->failed = true;
    for (uint32_t i = 0; i < exporter->material_count && !exporter->failed; i++) {
        gpb_material_plan *plan = &exporter->materials[i];
        plan->name = names[i];
        bool has_source = plan->source != TENON_NONE;
        tn_tally_at(&exporter->lost.no_material, !has_source, "meshes", 0);
        if (!has_source) continue;
        // The importer restores the name of a variant.
        bool is_renamed =
            !plan->is_variant && !tn_text_equal(plan->name, scene->materials[plan->source].name);
        tn_tally_at(&exporter->lost.variants, plan->is_variant, "materials", plan->source);
        tn_tally_at(&exporter->lost.material_names, is_renamed, "materials", plan->source);
    }
    for (uint32_t i = 0; i < scene->material_count; i++) {
        tn_tally_at(&exporter->lost.materials, !is_used[i], "materials", i);
        tn_tally_at(&exporter->lost.no_file, is_used[i] && has_no_file, "materials", i);
    }
}

// A material that is being written.
typedef struct gpb_material_text {
    const gpb_material_plan *plan;
    const tenon_material *from;            // NULL if the scene has none.
    const char *paths[GPB_SAMPLER_COUNT];  // "" if the material has no such texture.
    const tenon_texture *leading;  // The texture whose scale and offset apply to all; NULL: none.
    double repeat[2], offset[2];   // In the engine, the V axis points up.
    bool is_shiny;
    bool is_shaded;  // A texture or the vertices have a color, which the material's multiplies.
    bool is_tinted, has_alpha;  // The color or the alpha of a shaded material is not 1.
} gpb_material_text;

TN_PRINTF(2, 3)
static void gpb_print(gpb_exporter *exporter, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, fmt, args);
    char *text = size < 0 ? NULL : gpb_alloc(exporter, (uint64_t)size + 1, 1);
    if (text) (void)vsnprintf(text, (size_t)size + 1, fmt, again);
    va_end(again);
    va_end(args);
    if (!text || !tn_export_write(exporter->export, text, (size_t)size)) exporter->failed = true;
}

static void gpb_print_numbers(gpb_exporter *exporter, const char *name, const double *values,
                              uint32_t count)
{
    gpb_print(exporter, "    %s", name);
    for (uint32_t i = 0; i < count; i++) {
        char text[TN_NUMBER_MAX];
        float narrow = tn_to_float(values[i]);
        if ((double)narrow == values[i])
            tn_f32_text(narrow, text);
        else
            tn_f64_text(values[i], text);
        gpb_print(exporter, "%s%s", i ? ", " : " = ", text);
    }
    gpb_print(exporter, "\n");
}

static void gpb_print_uniforms(gpb_exporter *exporter, const gpb_material_text *text)
{
    bool is_lit = (text->plan->shader_flags & GPB_WITH_LIGHT) != 0;
    double color[4] = {1, 1, 1, 1};
    gpb_print(
        exporter, "    u_worldViewProjectionMatrix = WORLD_VIEW_PROJECTION_MATRIX\n%s%s%s",
        text->plan->shader_flags & GPB_WITH_SKIN ? "    u_matrixPalette = MATRIX_PALETTE\n" : "",
        is_lit ? "    u_inverseTransposeWorldViewMatrix = INVERSE_TRANSPOSE_WORLD_VIEW_MATRIX\n"
                 "    u_ambientColor = SCENE_AMBIENT_COLOR\n"
                 "    u_directionalLightColor[0] = 1, 1, 1\n"
                 "    u_directionalLightDirection[0] = 0, 0, -1\n"
               : "",
        is_lit && text->is_shiny ? "    u_worldViewMatrix = WORLD_VIEW_MATRIX\n"
                                   "    u_cameraPosition = CAMERA_VIEW_POSITION\n"
                                 : "");
    if (text->from) memcpy(color, text->from->base_color, sizeof color);
    if (!text->is_shaded) gpb_print_numbers(exporter, "u_diffuseColor", color, 4);
    if (text->has_alpha) gpb_print_numbers(exporter, "u_modulateAlpha", color + 3, 1);
    color[3] = 1;
    if (text->is_tinted) gpb_print_numbers(exporter, "u_modulateColor", color, 4);
    if (text->is_shiny)
        gpb_print_numbers(exporter, "u_specularExponent", &text->from->shininess, 1);
    if (text->repeat[0] != 1 || text->repeat[1] != 1)
        gpb_print_numbers(exporter, "u_textureRepeat", text->repeat, 2);
    if (text->offset[0] != 0 || text->offset[1] != 0)
        gpb_print_numbers(exporter, "u_textureOffset", text->offset, 2);
}

static void gpb_print_material(gpb_exporter *exporter, const gpb_material_text *text)
{
    const tenon_material *from = text->from;
    const char *shader = text->paths[0][0] ? "textured" : "colored";
    uint32_t flags = text->plan->shader_flags;
    gpb_print(exporter, "material %s\n{\n", text->plan->name.data);
    gpb_print_uniforms(exporter, text);
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++) {
        if (!text->paths[i][0]) continue;
        const tenon_wrap *wrap = from->textures[gpb_samplers[i].slot].wrap;
        gpb_print(exporter,
                  "    sampler %s\n"
                  "    {\n"
                  "        path = %s\n"
                  "        mipmap = true\n"
                  "        wrapS = %s\n"
                  "        wrapT = %s\n"
                  "        minFilter = LINEAR_MIPMAP_LINEAR\n"
                  "        magFilter = LINEAR\n"
                  "    }\n",
                  gpb_samplers[i].id, text->paths[i], wrap[0] == TENON_CLAMP ? "CLAMP" : "REPEAT",
                  wrap[1] == TENON_CLAMP ? "CLAMP" : "REPEAT");
    }
    gpb_print(exporter,
              "    renderState\n"
              "    {\n"
              "        cullFace = %s\n"
              "        depthTest = true\n%s    }\n"
              "    technique\n"
              "    {\n"
              "        pass\n"
              "        {\n"
              "            vertexShader = res/shaders/%s.vert\n"
              "            fragmentShader = res/shaders/%s.frag\n",
              from && from->double_sided ? "false" : "true",
              from && from->alpha == TENON_BLEND ? "        blend = true\n"
                                                   "        blendSrc = SRC_ALPHA\n"
                                                   "        blendDst = ONE_MINUS_SRC_ALPHA\n"
                                                 : "",
              shader, shader);
    char count[TN_NUMBER_MAX];
    tn_u64_text(text->plan->joints, count);
    const struct {
        bool is_set;
        const char *word, *number;
    } defines[] = {
        {(flags & GPB_WITH_LIGHT) != 0, "DIRECTIONAL_LIGHT_COUNT ", "1"},
        {text->is_shiny && flags & GPB_WITH_LIGHT, "SPECULAR", ""},
        {(flags & GPB_WITH_NORMAL_MAP) && text->paths[1][0], "BUMPED", ""},
        {text->paths[3][0] != '\0', "LIGHTMAP", ""},
        {(flags & GPB_WITH_COLORS) != 0, "VERTEX_COLOR", ""},
        {text->is_tinted, "MODULATE_COLOR", ""},
        {text->has_alpha, "MODULATE_ALPHA", ""},
        {text->repeat[0] != 1 || text->repeat[1] != 1, "TEXTURE_REPEAT", ""},
        {text->offset[0] != 0 || text->offset[1] != 0, "TEXTURE_OFFSET", ""},
        {text->from && text->from->alpha == TENON_MASK, "TEXTURE_DISCARD_ALPHA", ""},
        {(flags & GPB_WITH_SKIN) != 0, "SKINNING;SKINNING_JOINT_COUNT ", count},
    };
    const char *before = "            defines = ", *after = "";
    for (size_t i = 0; i < sizeof defines / sizeof defines[0]; i++) {
        if (!defines[i].is_set) continue;
        gpb_print(exporter, "%s%s%s", before, defines[i].word, defines[i].number);
        before = ";";
        after = "\n";
    }
    gpb_print(exporter, "%s", after);
    gpb_print(exporter, "        }\n    }\n}\n");
}

static void gpb_count_material_losses(gpb_exporter *exporter, const gpb_material_text *text)
{
    static const tenon_slot unsupported[] = {TENON_SLOT_METALLIC_ROUGHNESS, TENON_SLOT_OCCLUSION,
                                             TENON_SLOT_EMISSIVE, TENON_SLOT_DISPLACEMENT};
    const tenon_material *from = text->from;
    uint32_t source = text->plan->source;
    const double *glow = from->emissive, *shine = from->specular;
    bool is_white = shine[0] == 1 && shine[1] == 1 && shine[2] == 1;
    bool is_kept = text->is_shiny ? is_white : !from->is_classic || from->shininess == 1;
    bool is_glowing = glow[0] != 0 || glow[1] != 0 || glow[2] != 0;
    bool is_cut = from->alpha == TENON_MASK && from->alpha_cutoff != GPB_CUTOFF;
    bool is_scaled = text->paths[1][0] && from->normal_scale != 1;
    tn_tally_at(&exporter->lost.metal, !from->is_classic, "materials", source);
    tn_tally_at(&exporter->lost.emissive, is_glowing, "materials", source);
    tn_tally_at(&exporter->lost.specular, !is_kept, "materials", source);
    tn_tally_at(&exporter->lost.unlit, from->is_unlit, "materials", source);
    tn_tally_at(&exporter->lost.cutoff, is_cut, "materials", source);
    tn_tally_at(&exporter->lost.strengths, is_scaled, "materials", source);
    const tenon_texture *leading = text->leading;
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++) {
        const tenon_texture *t = &from->textures[gpb_samplers[i].slot];
        if (!text->paths[i][0]) continue;
        bool is_mirrored = t->wrap[0] == TENON_MIRROR || t->wrap[1] == TENON_MIRROR;
        bool has_other_uvs = t->uv_set != gpb_samplers[i].uv_set;
        bool is_placed_alike =
            t->rotation == 0 && leading->rotation == 0 && t->scale[0] == leading->scale[0] &&
            t->scale[1] == leading->scale[1] && t->offset[0] == leading->offset[0] &&
            t->offset[1] == leading->offset[1];
        tn_tally_at(&exporter->lost.uv_sets, has_other_uvs, "materials", source);
        tn_tally_at(&exporter->lost.placements, !is_placed_alike, "materials", source);
        tn_tally_at(&exporter->lost.edges, is_mirrored, "materials", source);
    }
    for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; i++) {
        bool is_set = from->textures[unsupported[i]].image != TENON_NONE;
        tn_tally_at(&exporter->lost.slots, is_set, "materials", source);
    }
}

// -- The .material file

// Find the textures of a material, whose files are written if necessary.
static void gpb_prepare_material(gpb_exporter *exporter, const gpb_material_plan *plan,
                                 gpb_material_text *text)
{
    const tenon_material *from =
        plan->source == TENON_NONE ? NULL : &exporter->scene->materials[plan->source];
    *text = (gpb_material_text){.plan = plan, .from = from, .repeat = {1, 1}};
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++) {
        const tenon_texture *texture = from ? &from->textures[gpb_samplers[i].slot] : NULL;
        text->paths[i] = "";
        if (!texture || texture->image == TENON_NONE) continue;
        const char *path = tn_export_picture(exporter->export, texture->image, TN_PICTURE_AS_PNG);
        if (!path) exporter->failed = true;
        if (exporter->failed) return;
        if (!*path) continue;
        // What the .material file can contain.
        size_t size = strlen(path);
        bool is_good = path[0] != ' ' && path[0] != '@' && path[size - 1] != ' ';
        for (size_t k = 0; k < size && is_good; k++)
            is_good = (uint8_t)path[k] >= ' ' && !strchr("{}", path[k]) &&
                      !(path[k] == ' ' && path[k + 1] == '/' && path[k + 2] == '/');
        tn_tally_at(&exporter->lost.paths, !is_good, "images", texture->image);
        tn_tally_at(&exporter->lost.jpeg, is_good && tn_is_jpeg_name(path), "images",
                    texture->image);
        if (is_good) text->paths[i] = path;
        if (is_good && !text->leading) text->leading = texture;
    }
    if (text->leading) {
        memcpy(text->repeat, text->leading->scale, sizeof text->repeat);
        text->offset[0] = text->leading->offset[0];
        text->offset[1] = 1 - text->repeat[1] - text->leading->offset[1];
    }
    if (!from) {
        text->is_shaded = (plan->shader_flags & GPB_WITH_COLORS) != 0;
        return;
    }
    const double *color = from->base_color, *shine = from->specular;
    text->is_shiny = from->is_classic && (shine[0] > 0 || shine[1] > 0 || shine[2] > 0);
    text->is_shaded = text->paths[0][0] || plan->shader_flags & GPB_WITH_COLORS;
    text->is_tinted = text->is_shaded && (color[0] != 1 || color[1] != 1 || color[2] != 1);
    text->has_alpha = text->is_shaded && color[3] != 1;
}

void gpb_export_materials(gpb_exporter *exporter)
{
    const tn_export *export = exporter->export;
    uint32_t count = exporter->material_count;
    if (count == 0) return;
    const char *name =
        tn_export_name(export, tn_export_stem(export), (tenon_str){"", 0}, ".material");
    if (!name) exporter->failed = true;
    gpb_material_text *texts = gpb_alloc(exporter, count, sizeof *texts);
    bool *is_counted = gpb_alloc(exporter, exporter->scene->material_count, sizeof *is_counted);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        uint32_t source = exporter->materials[i].source;
        gpb_prepare_material(exporter, &exporter->materials[i], &texts[i]);
        // The losses of a material of the scene are counted once.
        if (exporter->failed || source == TENON_NONE || is_counted[source]) continue;
        is_counted[source] = true;
        gpb_count_material_losses(exporter, &texts[i]);
    }
    if (exporter->failed || !tn_export_begin(export, name)) {
        exporter->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i) gpb_print(exporter, "\n");
        gpb_print_material(exporter, &texts[i]);
    }
    if (exporter->failed || !tn_export_end(export)) exporter->failed = true;
}

// -- Dialect "document": parameters and effects

// The name of the parameter that an extra represents; size 0 if it does not.
static tenon_str gpb_parameter_name(const tenon_extra *extra)
{
    tenon_str name = extra->name;
    bool is_ours =
        extra->of == TENON_EXTRA_OF_MATERIAL && tn_text_skip(&name, GPB_PARAMETER_PREFIX);
    return is_ours ? name : (tenon_str){"", 0};
}

// Parse "TYPE:NUMBER/NUMBER". `out` may be NULL to count the numbers only. Returns false if the
// text is different.
static bool gpb_parse_parameter(tenon_str text, uint32_t *type, float *out, uint64_t *count)
{
    tenon_str word = tn_text_cut(&text, ':');
    double number;
    *count = 0;
    if (!text.data || !tn_f64_parse(word.data, word.size, &number)) return false;
    if (!(number >= 0 && number <= UINT32_MAX) || number != (double)(uint32_t)number) return false;
    *type = (uint32_t)number;
    while (text.size) {
        float value;
        word = tn_text_cut(&text, '/');
        if (!tn_f32_parse(word.data, word.size, &value)) return false;
        if (out) out[*count] = value;
        ++*count;
    }
    return true;
}

bool gpb_is_parameter(const tenon_extra *extra)
{
    uint32_t type;
    uint64_t count;
    bool is_shader = extra->of == TENON_EXTRA_OF_MATERIAL &&
                     (tn_text_is(extra->name, GPB_EXTRA_VERTEX_SHADER) ||
                      tn_text_is(extra->name, GPB_EXTRA_FRAGMENT_SHADER));
    return is_shader || (gpb_parameter_name(extra).size &&
                         gpb_parse_parameter(extra->value, &type, NULL, &count));
}

// The documentation does not define the types. The type of a new parameter is its number of values.
static void gpb_add_parameter(gpb_exporter *exporter, tenon_gpb_material *out, const char *name,
                              const double *values, uint32_t count)
{
    float numbers[4];
    for (uint32_t i = 0; i < count; i++) numbers[i] = gpb_narrow(exporter, values[i]);
    if (exporter->failed) return;
    out->parameters[out->parameter_count++] =
        (tenon_gpb_parameter){.name = {name, (uint32_t)strlen(name)},
                              .value = gpb_make_span(exporter, numbers, count, &tn_layout_f32),
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
            gpb_alloc(exporter, (uint64_t)end - first + 4, sizeof *shared->parameters);
        gpb_add_parameter(exporter, shared, "u_diffuseColor", from->base_color, 4);
        if (is_shiny)
            gpb_add_parameter(exporter, shared, "u_specularExponent", &from->shininess, 1);
        if (is_placed) {
            gpb_add_parameter(exporter, shared, "u_textureRepeat", base->scale, 2);
            gpb_add_parameter(exporter, shared, "u_textureOffset", offset, 2);
        }
        for (uint32_t i = first; i < end && !exporter->failed; i++) {
            const tenon_extra *extra = &exporter->scene->extras[exporter->extra_order[i]];
            tenon_str name = gpb_parameter_name(extra);
            uint32_t type;
            uint64_t number_count;
            if (name.size == 0 || !gpb_parse_parameter(extra->value, &type, NULL, &number_count))
                continue;
            float *numbers = gpb_alloc(exporter, number_count, sizeof *numbers);
            if (exporter->failed) return;
            gpb_parse_parameter(extra->value, &type, numbers, &number_count);
            shared->parameters[shared->parameter_count++] = (tenon_gpb_parameter){
                .name = name,
                .value = gpb_make_span(exporter, numbers, number_count, &tn_layout_f32),
                .type = type};
        }
    }
    out->parameters = shared->parameters;
    out->parameter_count = shared->parameter_count;
    out->effect = exporter->effects[material];
}

void gpb_export_effects(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->effects = gpb_alloc(exporter, scene->material_count, sizeof *exporter->effects);
    exporter->parameters = gpb_alloc(exporter, scene->material_count, sizeof *exporter->parameters);
    exporter->effect_blocks =
        gpb_alloc(exporter, scene->material_count, sizeof *exporter->effect_blocks);
    // Order the extras by material.
    uint64_t count = (uint64_t)scene->material_count + 2;
    uint32_t *firsts = gpb_alloc(exporter, count, sizeof *firsts);
    uint32_t *order = gpb_alloc(exporter, scene->extra_count, sizeof *order);
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
        tenon_str name =
            gpb_join(exporter, gpb_shorten_name(scene->materials[i].name, GPB_ID_MOST), "_Effect");
        uint32_t reference =
            exporter->failed ? TENON_NONE : gpb_table_add(&exporter->table, name, TENON_GPB_EFFECT);
        if (reference == TENON_NONE) exporter->failed = true;
        if (exporter->failed) return;
        exporter->effects[i] = gpb_xref_of(exporter, reference);
        exporter->effect_blocks[exporter->effect_count++] = (tenon_gpb_block){
            .kind = TENON_GPB_EFFECT, .reference = reference, .body.effect = effect};
    }
}
