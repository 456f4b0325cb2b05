// gpb_export_material_text.c: the .material file, for the shaders that come with the engine.
// SPDX-License-Identifier: MIT
//
// A lit material includes a light that shines in the view direction, so that the model is visible
// even if the application adds no light.

#include "formats/gpb/export/gpb_export.h"
#include "formats/gpb/gpb_material.h"

#include "core/text/number.h"

#include <string.h>

#define GPB_CUTOFF 0.5  // Of the engine's shaders.

// A material that is being written.
typedef struct gpb_material_text {
    gpb_exporter *exporter;
    const gpb_material_plan *plan;
    const tenon_material *from;            // NULL if the scene has none.
    const char *paths[GPB_SAMPLER_COUNT];  // "" if the material has no such texture.
    bool is_shiny;
} gpb_material_text;

// -- Text

static void gpb_export_material_write_text(gpb_exporter *exporter, const char *text)
{
    if (!exporter->failed && !tn_export_write(exporter->export, text, strlen(text)))
        exporter->failed = true;
}

static void gpb_export_material_text_numbers(gpb_exporter *exporter, const char *name,
                                             const double *values, uint32_t count)
{
    gpb_export_material_write_text(exporter, "    ");
    gpb_export_material_write_text(exporter, name);
    for (uint32_t i = 0; i < count; i++) {
        char text[TN_NUMBER_MAX];
        float narrow = tn_to_float(values[i]);
        if ((double)narrow == values[i])
            tn_f32_text(narrow, text);
        else
            tn_f64_text(values[i], text);
        gpb_export_material_write_text(exporter, i ? ", " : " = ");
        gpb_export_material_write_text(exporter, text);
    }
    gpb_export_material_write_text(exporter, "\n");
}

// -- The parts of a material

// Whether a texture or the vertices have a color, which the color of the material multiplies.
static bool gpb_export_material_text_has_other_color(const gpb_material_text *text)
{
    return text->paths[0][0] || text->plan->shader_flags & GPB_WITH_COLORS;
}

static bool gpb_export_material_text_is_tinted(const gpb_material_text *text)
{
    const double *color = text->from ? text->from->base_color : NULL;
    return color && gpb_export_material_text_has_other_color(text) &&
           (color[0] != 1 || color[1] != 1 || color[2] != 1);
}

static bool gpb_export_material_text_has_alpha(const gpb_material_text *text)
{
    return text->from && gpb_export_material_text_has_other_color(text) &&
           text->from->base_color[3] != 1;
}

// The texture whose scale and offset apply to all; NULL if there is none.
static const tenon_texture *gpb_export_material_text_leading_texture(const gpb_material_text *text)
{
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++)
        if (text->paths[i][0]) return &text->from->textures[gpb_samplers[i].slot];
    return NULL;
}

// The V axis of the engine's texture coordinates points up.
static void gpb_export_material_text_find_placement(const gpb_material_text *text, double repeat[2],
                                                    double offset[2])
{
    const tenon_texture *t = gpb_export_material_text_leading_texture(text);
    repeat[0] = t ? t->scale[0] : 1;
    repeat[1] = t ? t->scale[1] : 1;
    offset[0] = t ? t->offset[0] : 0;
    offset[1] = t ? 1 - repeat[1] - t->offset[1] : 0;
}

static void gpb_export_material_text_uniforms(const gpb_material_text *text)
{
    gpb_exporter *exporter = text->exporter;
    uint32_t flags = text->plan->shader_flags;
    double color[4] = {1, 1, 1, 1}, repeat[2], offset[2];
    gpb_export_material_write_text(
        exporter, "    u_worldViewProjectionMatrix = WORLD_VIEW_PROJECTION_MATRIX\n");
    if (flags & GPB_WITH_SKIN)
        gpb_export_material_write_text(exporter, "    u_matrixPalette = MATRIX_PALETTE\n");
    if (flags & GPB_WITH_LIGHT)
        gpb_export_material_write_text(
            exporter,
            "    u_inverseTransposeWorldViewMatrix = INVERSE_TRANSPOSE_WORLD_VIEW_MATRIX\n"
            "    u_ambientColor = SCENE_AMBIENT_COLOR\n"
            "    u_directionalLightColor[0] = 1, 1, 1\n"
            "    u_directionalLightDirection[0] = 0, 0, -1\n");
    if (text->is_shiny && flags & GPB_WITH_LIGHT)
        gpb_export_material_write_text(exporter, "    u_worldViewMatrix = WORLD_VIEW_MATRIX\n"
                                                 "    u_cameraPosition = CAMERA_VIEW_POSITION\n");
    if (text->from) memcpy(color, text->from->base_color, sizeof color);
    if (!gpb_export_material_text_has_other_color(text)) {
        gpb_export_material_text_numbers(exporter, "u_diffuseColor", color, 4);
    } else {
        if (gpb_export_material_text_has_alpha(text))
            gpb_export_material_text_numbers(exporter, "u_modulateAlpha", color + 3, 1);
        color[3] = 1;
        if (gpb_export_material_text_is_tinted(text))
            gpb_export_material_text_numbers(exporter, "u_modulateColor", color, 4);
    }
    if (text->is_shiny)
        gpb_export_material_text_numbers(exporter, "u_specularExponent", &text->from->shininess, 1);
    gpb_export_material_text_find_placement(text, repeat, offset);
    if (repeat[0] != 1 || repeat[1] != 1)
        gpb_export_material_text_numbers(exporter, "u_textureRepeat", repeat, 2);
    if (offset[0] != 0 || offset[1] != 0)
        gpb_export_material_text_numbers(exporter, "u_textureOffset", offset, 2);
}

static void gpb_export_material_text_defines(const gpb_material_text *text)
{
    gpb_exporter *exporter = text->exporter;
    uint32_t flags = text->plan->shader_flags;
    double repeat[2], offset[2];
    char count[TN_NUMBER_MAX];
    gpb_export_material_text_find_placement(text, repeat, offset);
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
        {gpb_export_material_text_is_tinted(text), "MODULATE_COLOR", ""},
        {gpb_export_material_text_has_alpha(text), "MODULATE_ALPHA", ""},
        {repeat[0] != 1 || repeat[1] != 1, "TEXTURE_REPEAT", ""},
        {offset[0] != 0 || offset[1] != 0, "TEXTURE_OFFSET", ""},
        {text->from && text->from->alpha == TENON_MASK, "TEXTURE_DISCARD_ALPHA", ""},
        {(flags & GPB_WITH_SKIN) != 0, "SKINNING;SKINNING_JOINT_COUNT ", count},
    };
    bool is_first = true;
    for (size_t i = 0; i < sizeof defines / sizeof defines[0]; i++) {
        if (!defines[i].is_set) continue;
        gpb_export_material_write_text(exporter, is_first ? "            defines = " : ";");
        gpb_export_material_write_text(exporter, defines[i].word);
        gpb_export_material_write_text(exporter, defines[i].number);
        is_first = false;
    }
    if (!is_first) gpb_export_material_write_text(exporter, "\n");
}

static void gpb_export_text_write_material(const gpb_material_text *text)
{
    gpb_exporter *exporter = text->exporter;
    const tenon_material *from = text->from;
    const char *shader = text->paths[0][0] ? "textured" : "colored";
    gpb_export_material_write_text(exporter, "material ");
    gpb_export_material_write_text(exporter, text->plan->name.data);
    gpb_export_material_write_text(exporter, "\n{\n");
    gpb_export_material_text_uniforms(text);
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++) {
        if (!text->paths[i][0]) continue;
        const tenon_texture *t = &from->textures[gpb_samplers[i].slot];
        const char *const lines[] = {
            "    sampler ",
            gpb_samplers[i].id,
            "\n    {\n        path = ",
            text->paths[i],
            "\n        mipmap = true\n        wrapS = ",
            t->wrap[0] == TENON_CLAMP ? "CLAMP" : "REPEAT",
            "\n        wrapT = ",
            t->wrap[1] == TENON_CLAMP ? "CLAMP" : "REPEAT",
            "\n        minFilter = LINEAR_MIPMAP_LINEAR\n        magFilter = LINEAR\n    }\n"};
        for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
            gpb_export_material_write_text(exporter, lines[k]);
    }
    gpb_export_material_write_text(exporter, "    renderState\n    {\n        cullFace = ");
    gpb_export_material_write_text(exporter, from && from->double_sided ? "false" : "true");
    gpb_export_material_write_text(exporter, "\n        depthTest = true\n");
    if (from && from->alpha == TENON_BLEND)
        gpb_export_material_write_text(exporter, "        blend = true\n"
                                                 "        blendSrc = SRC_ALPHA\n"
                                                 "        blendDst = ONE_MINUS_SRC_ALPHA\n");
    gpb_export_material_write_text(exporter,
                                   "    }\n    technique\n    {\n        pass\n        {\n"
                                   "            vertexShader = res/shaders/");
    gpb_export_material_write_text(exporter, shader);
    gpb_export_material_write_text(exporter, ".vert\n            fragmentShader = res/shaders/");
    gpb_export_material_write_text(exporter, shader);
    gpb_export_material_write_text(exporter, ".frag\n");
    gpb_export_material_text_defines(text);
    gpb_export_material_write_text(exporter, "        }\n    }\n}\n");
}

// -- Losses

static void gpb_export_material_count_text_losses(const gpb_material_text *text)
{
    static const tenon_slot unsupported[] = {TENON_SLOT_METALLIC_ROUGHNESS, TENON_SLOT_OCCLUSION,
                                             TENON_SLOT_EMISSIVE, TENON_SLOT_DISPLACEMENT};
    gpb_exporter *exporter = text->exporter;
    const tenon_material *from = text->from;
    uint32_t source = text->plan->source;
    const double *glow = from->emissive, *shine = from->specular;
    bool is_white = shine[0] == 1 && shine[1] == 1 && shine[2] == 1;
    bool is_kept = text->is_shiny ? is_white : !from->is_classic || from->shininess == 1;
    bool is_glowing = glow[0] != 0 || glow[1] != 0 || glow[2] != 0;
    bool is_cut = from->alpha == TENON_MASK && from->alpha_cutoff != GPB_CUTOFF;
    bool is_scaled = text->paths[1][0] && from->normal_scale != 1;
    gpb_export_count_loss(exporter, GPB_LOSS_METAL, !from->is_classic, "materials", source);
    gpb_export_count_loss(exporter, GPB_LOSS_EMISSIVE, is_glowing, "materials", source);
    gpb_export_count_loss(exporter, GPB_LOSS_SPECULAR, !is_kept, "materials", source);
    gpb_export_count_loss(exporter, GPB_LOSS_UNLIT, from->is_unlit, "materials", source);
    gpb_export_count_loss(exporter, GPB_LOSS_CUTOFF, is_cut, "materials", source);
    gpb_export_count_loss(exporter, GPB_LOSS_STRENGTHS, is_scaled, "materials", source);
    const tenon_texture *leading = gpb_export_material_text_leading_texture(text);
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++) {
        const tenon_texture *t = &from->textures[gpb_samplers[i].slot];
        if (!text->paths[i][0]) continue;
        bool is_mirrored = t->wrap[0] == TENON_MIRROR || t->wrap[1] == TENON_MIRROR;
        bool has_other_uvs = t->uv_set != gpb_samplers[i].uv_set;
        bool is_placed_alike =
            t->rotation == 0 && leading->rotation == 0 && t->scale[0] == leading->scale[0] &&
            t->scale[1] == leading->scale[1] && t->offset[0] == leading->offset[0] &&
            t->offset[1] == leading->offset[1];
        gpb_export_count_loss(exporter, GPB_LOSS_UV_SETS, has_other_uvs, "materials", source);
        gpb_export_count_loss(exporter, GPB_LOSS_PLACEMENTS, !is_placed_alike, "materials", source);
        gpb_export_count_loss(exporter, GPB_LOSS_EDGES, is_mirrored, "materials", source);
    }
    for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; i++) {
        bool is_set = from->textures[unsupported[i]].image != TENON_NONE;
        gpb_export_count_loss(exporter, GPB_LOSS_SLOTS, is_set, "materials", source);
    }
}

// -- The file

// Whether the .material file can contain a path.
static bool gpb_export_material_text_is_path(const char *path)
{
    size_t size = strlen(path);
    if (size == 0 || path[0] == ' ' || path[0] == '@' || path[size - 1] == ' ') return false;
    for (size_t i = 0; i < size; i++)
        if ((uint8_t)path[i] < ' ' || strchr("{}", path[i]) ||
            (path[i] == ' ' && path[i + 1] == '/' && path[i + 2] == '/'))
            return false;
    return true;
}

// The path of a texture. Writes its file if necessary.
static const char *gpb_export_material_text_texture_path(gpb_exporter *exporter,
                                                         const tenon_material *from,
                                                         uint32_t sampler)
{
    uint32_t image = from ? from->textures[gpb_samplers[sampler].slot].image : TENON_NONE;
    if (exporter->failed || image == TENON_NONE) return "";
    const char *path = tn_export_picture(exporter->export, image, TN_PICTURE_AS_PNG);
    if (!path) exporter->failed = true;
    if (exporter->failed || !*path) return "";
    bool is_good = gpb_export_material_text_is_path(path);
    gpb_export_count_loss(exporter, GPB_LOSS_PATHS, !is_good, "images", image);
    gpb_export_count_loss(exporter, GPB_LOSS_JPEG, is_good && tn_is_jpeg_name(path), "images",
                          image);
    return is_good ? path : "";
}

// Find the textures of all materials, and count losses of each material of the scene once.
static gpb_material_text *gpb_export_material_prepare_texts(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    gpb_material_text *texts = gpb_export_alloc(exporter, exporter->material_count, sizeof *texts);
    bool *is_counted = gpb_export_alloc(exporter, scene->material_count, sizeof *is_counted);
    for (uint32_t i = 0; i < exporter->material_count && !exporter->failed; i++) {
        gpb_material_text *text = &texts[i];
        const gpb_material_plan *plan = &exporter->materials[i];
        *text = (gpb_material_text){.exporter = exporter, .plan = plan};
        if (plan->source != TENON_NONE) text->from = &scene->materials[plan->source];
        const double *shine = text->from ? text->from->specular : NULL;
        text->is_shiny =
            shine && text->from->is_classic && (shine[0] > 0 || shine[1] > 0 || shine[2] > 0);
        for (uint32_t k = 0; k < GPB_SAMPLER_COUNT; k++)
            text->paths[k] = gpb_export_material_text_texture_path(exporter, text->from, k);
        if (exporter->failed || !text->from || is_counted[plan->source]) continue;
        is_counted[plan->source] = true;
        gpb_export_material_count_text_losses(text);
    }
    return texts;
}

void gpb_export_materials(gpb_exporter *exporter)
{
    const tn_export *export = exporter->export;
    if (exporter->material_count == 0) return;
    const char *name =
        tn_export_name(export, tn_export_stem(export), (tenon_str){"", 0}, ".material");
    if (!name) exporter->failed = true;
    const gpb_material_text *texts = gpb_export_material_prepare_texts(exporter);
    if (exporter->failed || !tn_export_begin(export, name)) {
        exporter->failed = true;
        return;
    }
    for (uint32_t i = 0; i < exporter->material_count; i++) {
        if (i) gpb_export_material_write_text(exporter, "\n");
        gpb_export_text_write_material(&texts[i]);
    }
    if (exporter->failed || !tn_export_end(export)) exporter->failed = true;
}
