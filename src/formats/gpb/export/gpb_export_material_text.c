// gpb_export_material_text.c: the .material file, for the shaders that come with the engine.
// SPDX-License-Identifier: MIT
//
// A lit material includes a light that shines in the view direction, so that the model is visible
// even if the application adds no light.

#include "formats/gpb/export/gpb_export.h"
#include "formats/gpb/gpb_sampler.h"

#include "core/text/number.h"

#include <string.h>

#define GPB_CUTOFF 0.5  // Of the engine's shaders.

// A material that is being written.
typedef struct gpb_material_text {
    gpb_exporter *m;
    const gpb_made_material *made;
    const tenon_material *from;            // NULL if the scene has none.
    const char *paths[GPB_SAMPLER_COUNT];  // "" if the material has no such texture.
    bool is_shiny;
} gpb_material_text;

// -- Text

static void gpb_put(gpb_exporter *m, const char *text)
{
    if (!m->failed && !tn_export_write(m->e, text, strlen(text))) m->failed = true;
}

// The shortest text of the number.
static void gpb_put_number(gpb_exporter *m, double value)
{
    char text[TN_NUMBER_MAX];
    float narrow = tn_to_float(value);
    if ((double)narrow == value)
        tn_f32_text(narrow, text);
    else
        tn_f64_text(value, text);
    gpb_put(m, text);
}

static void gpb_put_numbers(gpb_exporter *m, const char *name, const double *values, uint32_t count)
{
    gpb_put(m, "    ");
    gpb_put(m, name);
    for (uint32_t i = 0; i < count; i++) {
        gpb_put(m, i ? ", " : " = ");
        gpb_put_number(m, values[i]);
    }
    gpb_put(m, "\n");
}

// -- Colors

// Whether a texture or the vertices have a color, which the color of the material multiplies.
static bool gpb_is_painted(const gpb_material_text *look)
{
    return look->paths[0][0] || look->made->ways & GPB_WITH_COLORS;
}

static bool gpb_is_tinted(const gpb_material_text *look)
{
    const double *color = look->from ? look->from->base_color : NULL;
    return color && gpb_is_painted(look) && (color[0] != 1 || color[1] != 1 || color[2] != 1);
}

static bool gpb_is_thinned(const gpb_material_text *look)
{
    return look->from && gpb_is_painted(look) && look->from->base_color[3] != 1;
}

static void gpb_put_colors(const gpb_material_text *look)
{
    double color[4] = {1, 1, 1, 1};
    if (look->from) memcpy(color, look->from->base_color, sizeof color);
    if (!gpb_is_painted(look)) {
        gpb_put_numbers(look->m, "u_diffuseColor", color, 4);
        return;
    }
    if (gpb_is_thinned(look)) gpb_put_numbers(look->m, "u_modulateAlpha", color + 3, 1);
    color[3] = 1;
    if (gpb_is_tinted(look)) gpb_put_numbers(look->m, "u_modulateColor", color, 4);
}

static void gpb_put_uniforms(const gpb_material_text *look)
{
    gpb_exporter *m = look->m;
    uint32_t ways = look->made->ways;
    gpb_put(m, "    u_worldViewProjectionMatrix = WORLD_VIEW_PROJECTION_MATRIX\n");
    if (ways & GPB_WITH_SKIN) gpb_put(m, "    u_matrixPalette = MATRIX_PALETTE\n");
    if (ways & GPB_WITH_LIGHT)
        gpb_put(m, "    u_inverseTransposeWorldViewMatrix = INVERSE_TRANSPOSE_WORLD_VIEW_MATRIX\n"
                   "    u_ambientColor = SCENE_AMBIENT_COLOR\n"
                   "    u_directionalLightColor[0] = 1, 1, 1\n"
                   "    u_directionalLightDirection[0] = 0, 0, -1\n");
    if (look->is_shiny && ways & GPB_WITH_LIGHT)
        gpb_put(m, "    u_worldViewMatrix = WORLD_VIEW_MATRIX\n"
                   "    u_cameraPosition = CAMERA_VIEW_POSITION\n");
    gpb_put_colors(look);
    if (look->is_shiny) gpb_put_numbers(m, "u_specularExponent", &look->from->shininess, 1);
}

// -- Textures

// The texture whose scale and offset apply to all; NULL if there is none.
static const tenon_texture *gpb_leading_texture(const gpb_material_text *look)
{
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++)
        if (look->paths[i][0]) return &look->from->textures[gpb_samplers[i].slot];
    return NULL;
}

// The V axis of the engine's texture coordinates points up.
static void gpb_find_placement(const gpb_material_text *look, double repeat[2], double offset[2])
{
    const tenon_texture *t = gpb_leading_texture(look);
    repeat[0] = t ? t->scale[0] : 1;
    repeat[1] = t ? t->scale[1] : 1;
    offset[0] = t ? t->offset[0] : 0;
    offset[1] = t ? 1 - repeat[1] - t->offset[1] : 0;
}

static void gpb_put_placement(const gpb_material_text *look)
{
    double repeat[2], offset[2];
    gpb_find_placement(look, repeat, offset);
    if (repeat[0] != 1 || repeat[1] != 1) gpb_put_numbers(look->m, "u_textureRepeat", repeat, 2);
    if (offset[0] != 0 || offset[1] != 0) gpb_put_numbers(look->m, "u_textureOffset", offset, 2);
}

static void gpb_put_sampler(const gpb_material_text *look, uint32_t sampler)
{
    gpb_exporter *m = look->m;
    if (!look->paths[sampler][0]) return;
    const tenon_texture *t = &look->from->textures[gpb_samplers[sampler].slot];
    const char *const lines[] = {
        "    sampler ",
        gpb_samplers[sampler].id,
        "\n    {\n        path = ",
        look->paths[sampler],
        "\n        mipmap = true\n        wrapS = ",
        t->wrap[0] == TENON_CLAMP ? "CLAMP" : "REPEAT",
        "\n        wrapT = ",
        t->wrap[1] == TENON_CLAMP ? "CLAMP" : "REPEAT",
        "\n        minFilter = LINEAR_MIPMAP_LINEAR\n        magFilter = LINEAR\n    }\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) gpb_put(m, lines[i]);
}

// -- Passes

static void gpb_put_state(const gpb_material_text *look)
{
    const tenon_material *from = look->from;
    gpb_put(look->m, "    renderState\n    {\n        cullFace = ");
    gpb_put(look->m, from && from->double_sided ? "false" : "true");
    gpb_put(look->m, "\n        depthTest = true\n");
    if (from && from->alpha == TENON_BLEND)
        gpb_put(look->m, "        blend = true\n"
                         "        blendSrc = SRC_ALPHA\n"
                         "        blendDst = ONE_MINUS_SRC_ALPHA\n");
    gpb_put(look->m, "    }\n");
}

static void gpb_put_defines(const gpb_material_text *look)
{
    gpb_exporter *m = look->m;
    uint32_t ways = look->made->ways;
    double repeat[2], offset[2];
    char count[TN_NUMBER_MAX];
    gpb_find_placement(look, repeat, offset);
    tn_u64_text(look->made->joints, count);
    const struct {
        bool is_set;
        const char *word, *number;
    } defines[] = {
        {(ways & GPB_WITH_LIGHT) != 0, "DIRECTIONAL_LIGHT_COUNT ", "1"},
        {look->is_shiny && ways & GPB_WITH_LIGHT, "SPECULAR", ""},
        {(ways & GPB_WITH_BUMPS) && look->paths[1][0], "BUMPED", ""},
        {look->paths[3][0] != '\0', "LIGHTMAP", ""},
        {(ways & GPB_WITH_COLORS) != 0, "VERTEX_COLOR", ""},
        {gpb_is_tinted(look), "MODULATE_COLOR", ""},
        {gpb_is_thinned(look), "MODULATE_ALPHA", ""},
        {repeat[0] != 1 || repeat[1] != 1, "TEXTURE_REPEAT", ""},
        {offset[0] != 0 || offset[1] != 0, "TEXTURE_OFFSET", ""},
        {look->from && look->from->alpha == TENON_MASK, "TEXTURE_DISCARD_ALPHA", ""},
        {(ways & GPB_WITH_SKIN) != 0, "SKINNING;SKINNING_JOINT_COUNT ", count},
    };
    bool is_first = true;
    for (size_t i = 0; i < sizeof defines / sizeof defines[0]; i++) {
        if (!defines[i].is_set) continue;
        gpb_put(m, is_first ? "            defines = " : ";");
        gpb_put(m, defines[i].word);
        gpb_put(m, defines[i].number);
        is_first = false;
    }
    if (!is_first) gpb_put(m, "\n");
}

static void gpb_put_material(const gpb_material_text *look)
{
    gpb_exporter *m = look->m;
    const char *shader = look->paths[0][0] ? "textured" : "colored";
    gpb_put(m, "material ");
    gpb_put(m, look->made->name.data);
    gpb_put(m, "\n{\n");
    gpb_put_uniforms(look);
    gpb_put_placement(look);
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++) gpb_put_sampler(look, i);
    gpb_put_state(look);
    gpb_put(m, "    technique\n    {\n        pass\n        {\n"
               "            vertexShader = res/shaders/");
    gpb_put(m, shader);
    gpb_put(m, ".vert\n            fragmentShader = res/shaders/");
    gpb_put(m, shader);
    gpb_put(m, ".frag\n");
    gpb_put_defines(look);
    gpb_put(m, "        }\n    }\n}\n");
}

// -- What is lost

static bool gpb_is_placed_alike(const tenon_texture *a, const tenon_texture *b)
{
    return a->rotation == 0 && b->rotation == 0 && a->scale[0] == b->scale[0] &&
           a->scale[1] == b->scale[1] && a->offset[0] == b->offset[0] &&
           a->offset[1] == b->offset[1];
}

static void gpb_report_textures(const gpb_material_text *look)
{
    static const tenon_slot homeless[] = {TENON_SLOT_METALLIC_ROUGHNESS, TENON_SLOT_OCCLUSION,
                                          TENON_SLOT_EMISSIVE, TENON_SLOT_DISPLACEMENT};
    gpb_exporter *m = look->m;
    uint32_t source = look->made->source;
    const tenon_texture *leading = gpb_leading_texture(look);
    for (uint32_t i = 0; i < GPB_SAMPLER_COUNT; i++) {
        const tenon_texture *t = &look->from->textures[gpb_samplers[i].slot];
        if (!look->paths[i][0]) continue;
        bool is_mirrored = t->wrap[0] == TENON_MIRROR || t->wrap[1] == TENON_MIRROR;
        gpb_export_lose(m, GPB_LOST_UV_SETS, t->uv_set != gpb_samplers[i].uv_set, "materials",
                        source);
        gpb_export_lose(m, GPB_LOST_PLACEMENTS, !gpb_is_placed_alike(t, leading), "materials",
                        source);
        gpb_export_lose(m, GPB_LOST_EDGES, is_mirrored, "materials", source);
    }
    for (size_t i = 0; i < sizeof homeless / sizeof homeless[0]; i++) {
        bool is_there = look->from->textures[homeless[i]].image != TENON_NONE;
        gpb_export_lose(m, GPB_LOST_SLOTS, is_there, "materials", source);
    }
}

static void gpb_report_values(const gpb_material_text *look)
{
    gpb_exporter *m = look->m;
    const tenon_material *from = look->from;
    uint32_t source = look->made->source;
    const double *glow = from->emissive, *shine = from->specular;
    bool is_white = shine[0] == 1 && shine[1] == 1 && shine[2] == 1;
    bool is_kept = look->is_shiny ? is_white : !from->is_classic || from->shininess == 1;
    bool has_normals = look->paths[1][0] && from->normal_scale != 1;
    gpb_export_lose(m, GPB_LOST_METAL, !from->is_classic, "materials", source);
    gpb_export_lose(m, GPB_LOST_EMISSIVE, glow[0] != 0 || glow[1] != 0 || glow[2] != 0, "materials",
                    source);
    gpb_export_lose(m, GPB_LOST_SPECULAR, !is_kept, "materials", source);
    gpb_export_lose(m, GPB_LOST_UNLIT, from->is_unlit, "materials", source);
    gpb_export_lose(m, GPB_LOST_CUTOFF,
                    from->alpha == TENON_MASK && from->alpha_cutoff != GPB_CUTOFF, "materials",
                    source);
    gpb_export_lose(m, GPB_LOST_STRENGTHS, has_normals, "materials", source);
}

// -- The file

// Whether the .material file can contain a path.
static bool gpb_is_path(const char *path)
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
static const char *gpb_texture_path(gpb_exporter *m, const gpb_material_text *look,
                                    uint32_t sampler)
{
    uint32_t image =
        look->from ? look->from->textures[gpb_samplers[sampler].slot].image : TENON_NONE;
    if (m->failed || image == TENON_NONE) return "";
    const char *path = tn_export_picture(m->e, image, TN_PICTURE_AS_PNG);
    if (!path) m->failed = true;
    if (m->failed || !*path) return "";
    bool is_good = gpb_is_path(path);
    gpb_export_lose(m, GPB_LOST_PATHS, !is_good, "images", image);
    gpb_export_lose(m, GPB_LOST_JPEG, is_good && tn_is_jpeg_name(path), "images", image);
    return is_good ? path : "";
}

static gpb_material_text *gpb_look_at_all(gpb_exporter *m)
{
    const tenon_scene *s = m->scene;
    gpb_material_text *looks = gpb_export_alloc(m, m->material_count, sizeof *looks);
    bool *is_told = gpb_export_alloc(m, s->material_count, sizeof *is_told);
    for (uint32_t i = 0; i < m->material_count && !m->failed; i++) {
        gpb_material_text *look = &looks[i];
        const gpb_made_material *made = &m->materials[i];
        *look = (gpb_material_text){.m = m, .made = made};
        if (made->source != TENON_NONE) look->from = &s->materials[made->source];
        const double *shine = look->from ? look->from->specular : NULL;
        look->is_shiny =
            shine && look->from->is_classic && (shine[0] > 0 || shine[1] > 0 || shine[2] > 0);
        for (uint32_t k = 0; k < GPB_SAMPLER_COUNT; k++)
            look->paths[k] = gpb_texture_path(m, look, k);
        if (m->failed || !look->from || is_told[made->source]) continue;
        is_told[made->source] = true;
        gpb_report_values(look);
        gpb_report_textures(look);
    }
    return looks;
}

void gpb_put_materials(gpb_exporter *m)
{
    if (m->material_count == 0) return;
    const char *name = tn_export_name(m->e, tn_export_stem(m->e), (tenon_str){"", 0}, ".material");
    if (!name) m->failed = true;
    const gpb_material_text *looks = gpb_look_at_all(m);
    if (m->failed || !tn_export_begin(m->e, name)) {
        m->failed = true;
        return;
    }
    for (uint32_t i = 0; i < m->material_count; i++) {
        if (i) gpb_put(m, "\n");
        gpb_put_material(&looks[i]);
    }
    if (m->failed || !tn_export_end(m->e)) m->failed = true;
}
