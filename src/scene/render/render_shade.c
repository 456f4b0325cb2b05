// render_shade.c: the color of a place on a surface: material, light from the sun and the sky.
// SPDX-License-Identifier: MIT
//
// Everything is computed with + - * / and square roots, in linear light.

#include "scene/render/renderer.h"

#include <math.h>
#include <string.h>

#define DIELECTRIC   0.04f  // The part of light that glass, wood and skin reflect.
#define SUN          0.86f
#define HIGHLIGHT    0.5f
#define FILL         0.10f  // Light from the viewer, so that nothing is black.
#define BRIGHT       0.5f
#define SQUARES      16  // Of the style UV, in the unit square.
#define MASK_SHARPER 4.0f

static const float sky[3] = {0.46f, 0.50f, 0.56f}, ground[3] = {0.25f, 0.235f, 0.22f};
static const float sun_color[3] = {1.0f, 0.965f, 0.91f};

static float render_shade_dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void render_shade_normalise(float v[3])
{
    float square = render_shade_dot(v, v);
    float factor = square > 0 && square < HUGE_VALF ? 1 / (float)sqrt((double)square) : 0;
    for (int k = 0; k < 3; k++) v[k] *= factor;
}

// The value of something that the corners have, `count` numbers each.
static void render_shade_mix(const float *corners, uint32_t count, const float parts[3], float *out)
{
    for (uint32_t k = 0; k < count; k++)
        out[k] = corners[k] * parts[0] + corners[count + k] * parts[1] +
                 corners[2 * count + k] * parts[2];
}

// The binary logarithm, up to 0.09: exponents are exact, and straight lines are between them.
static float render_shade_log2(float value)
{
    uint32_t bits;
    if (!(value > 1e-30f)) return -100;
    memcpy(&bits, &value, sizeof bits);
    return (float)bits / 8388608.0f - 127;
}

static void render_shade_look_up(const tn_shade *shade, const tn_fragment *f, uint32_t set,
                                 const tn_paint_texture *texture, float out[4])
{
    const tn_texture *t = texture->texture;
    float uv[2], width = (float)t->widths[0], height = (float)t->heights[0];
    const float *steps = f->uv_steps[set];
    render_shade_mix(shade->uvs[set][0], 2, f->parts, uv);
    float across = steps[0] * steps[0] * width * width + steps[1] * steps[1] * height * height;
    float down = steps[2] * steps[2] * width * width + steps[3] * steps[3] * height * height;
    float level = render_shade_log2(across > down ? across : down) / 2;
    tn_texture_sample(t, shade->tables, texture->wrap, uv, level, out);
}

static float render_shade_clamp(float value)
{
    float positive = value > 0 ? value : 0;  // No branches: processors have this.
    return positive < 1 ? positive : 1;
}

static void render_shade_vertex_color(const tn_shade *shade, const tn_fragment *f, float color[4])
{
    if (shade->has_colors) {
        render_shade_mix(shade->colors[0], 4, f->parts, color);
        return;
    }
    float sum = f->parts[0] + f->parts[1] + f->parts[2];  // Of three times 1.
    for (int k = 0; k < 4; k++) color[k] = sum;
}

// The material without light.
static void render_shade_base(const tn_shade *shade, const tn_fragment *f, float color[4])
{
    float mixed[4];
    render_shade_vertex_color(shade, f, color);
    for (int k = 0; k < 4; k++) color[k] *= shade->paint->base[k];
    if (!shade->is_textured || !shade->paint->color.texture) return;
    render_shade_look_up(shade, f, 0, &shade->paint->color, mixed);
    for (int k = 0; k < 4; k++) color[k] *= mixed[k];
}

// What comes from a direction of the sky.
static float render_shade_sky(const float direction[3], int k)
{
    float t = 0.5f + 0.5f * direction[1];
    t = t * t * (3 - 2 * t);
    return ground[k] + (sky[k] - ground[k]) * t;
}

// A cosine to the power 2, 4, 8 and so on.
static float render_shade_power(float cosine, float roughness)
{
    int doublings = 1 + (int)(8 * (1 - render_shade_clamp(roughness)));
    for (int i = 0; i < doublings; i++) cosine *= cosine;
    return cosine;
}

// Bright light is bent below 1, so that white surfaces keep their shape.
static float render_shade_soften(float light)
{
    if (!(light > BRIGHT)) return light;
    float over = (light - BRIGHT) / (1 - BRIGHT);
    return over < HUGE_VALF ? BRIGHT + (1 - BRIGHT) * over / (1 + over) : 1;
}

static void render_shade_light(const tn_shade *shade, const tn_fragment *f, const float normal[3],
                               float color[4])
{
    const tn_light *light = shade->light;
    float place[3], to_eye[3], half[3], mirrored[3], metal = shade->paint->metallic;
    float rough = shade->paint->roughness;
    render_shade_mix(shade->positions[0], 3, f->parts, place);
    for (int k = 0; k < 3; k++)
        to_eye[k] = light->is_parallel ? -light->forward[k] : light->eye[k] - place[k];
    render_shade_normalise(to_eye);
    float facing = render_shade_clamp(render_shade_dot(normal, to_eye));
    float sun = render_shade_clamp(render_shade_dot(normal, light->sun));
    for (int k = 0; k < 3; k++) {
        half[k] = to_eye[k] + light->sun[k];
        mirrored[k] = 2 * facing * normal[k] - to_eye[k];
    }
    render_shade_normalise(half);
    float peak = render_shade_power(render_shade_clamp(render_shade_dot(normal, half)), rough);
    float edge = 1 - facing, smooth = 1 - rough;
    edge = edge * edge * edge * edge * edge * (0.1f + 0.9f * smooth * smooth);
    for (int k = 0; k < 3; k++) {
        float base = render_shade_clamp(color[k]);
        float mirror = DIELECTRIC + (base - DIELECTRIC) * metal;
        mirror += (1 - mirror) * edge * 0.5f;
        float diffuse = base * (1 - metal) * (1 - mirror);
        float lit =
            diffuse * (SUN * sun * sun_color[k] + render_shade_sky(normal, k) + FILL * facing);
        float shine =
            mirror * (HIGHLIGHT * (1 + 3 * smooth) * peak * sun * sun_color[k] +
                      1.4f * render_shade_sky(mirrored, k) + metal * (0.3f * sun + 0.2f * facing));
        color[k] = render_shade_soften(lit + shine);
    }
}

static void render_shade_squares(const tn_shade *shade, const tn_fragment *f,
                                 const tn_color_tables *tables, float color[4])
{
    float uv[2];
    render_shade_mix(shade->uvs[0][0], 2, f->parts, uv);
    uint32_t cell[2];
    for (int k = 0; k < 2; k++) {
        float in = fabs((double)uv[k]) < 1e6 ? uv[k] - (float)floor((double)uv[k]) : 0;
        cell[k] = (uint32_t)(in * SQUARES);
        // From red to green across, from dark to light down.
        color[k] = 0.15f + 0.7f * in;
    }
    color[2] = 0.75f - 0.3f * color[0];
    float factor = (cell[0] + cell[1]) % 2 ? 1.0f : 0.55f;
    for (int k = 0; k < 3; k++) color[k] = tables->linear[(uint32_t)(255 * color[k])] * factor;
}

void tn_shade_fragment(const tn_shade *shade, const tn_fragment *f, float color[4])
{
    float normal[3];
    const tn_paint *paint = shade->paint;
    if (shade->is_plain) {
        memcpy(color, shade->plain, sizeof shade->plain);
        return;
    }
    render_shade_base(shade, f, color);
    if (shade->style == TENON_STYLE_COLORS) {
        render_shade_vertex_color(shade, f, color);
        return;
    }
    render_shade_mix(shade->normals[0], 3, f->parts, normal);
    render_shade_normalise(normal);
    if (!shade->is_front)
        for (int k = 0; k < 3; k++) normal[k] = -normal[k];
    if (shade->style == TENON_STYLE_NORMALS) {
        for (int k = 0; k < 3; k++)
            color[k] =
                shade->tables->linear[(uint32_t)(255 * render_shade_clamp(0.5f + normal[k] / 2))];
        return;
    }
    if (shade->style == TENON_STYLE_UV) render_shade_squares(shade, f, shade->tables, color);
    if (!paint->is_unlit) render_shade_light(shade, f, normal, color);
    if (shade->style == TENON_STYLE_UV) return;
    float glow[4] = {1, 1, 1, 1};
    if (shade->is_textured && paint->glow.texture)
        render_shade_look_up(shade, f, 1, &paint->glow, glow);
    for (int k = 0; k < 3; k++) color[k] += paint->emissive[k] * glow[k];
    if (paint->alpha == TENON_OPAQUE) color[3] = 1;
    // Around the threshold some samples are covered, which gives smooth edges.
    if (paint->alpha == TENON_MASK) color[3] = (color[3] - paint->cutoff) * MASK_SHARPER + 0.5f;
}
