// render_draw.c: from primitives to triangles on the screen: projected, clipped, sorted.
// SPDX-License-Identifier: MIT

#include "core/math/sort.h"
#include "scene/pose/pose.h"
#include "scene/render/renderer.h"

#include <math.h>
#include <string.h>

#define BARE    0.05f  // The color of lines without a material.
#define CORNERS 9      // The most that a triangle has after clipping at five planes.

// Why a vertex is not on the picture; bits. If all corners have one in common, nothing is seen.
enum {
    OUT_LEFT = 1,
    OUT_RIGHT = 2,
    OUT_ABOVE = 4,
    OUT_BELOW = 8,
    OUT_BEHIND = 16,
    NEEDS_CLIPPING = 32,
    NOT_FINITE = 64,
};

// -- Projecting

static tn_screen_vertex draw_project(const tn_drawing *drawing, const float position[3])
{
    const tn_camera *camera = drawing->camera;
    tn_eye_vertex v = tn_to_eye(camera, position);
    tn_screen_vertex out = {0};
    double across = drawing->canvas.width / 2.0, down = drawing->canvas.height / 2.0;
    if (!(fabs(v.x) < HUGE_VAL && fabs(v.y) < HUGE_VAL && fabs(v.depth) < HUGE_VAL)) {
        out.outside = NOT_FINITE | NEEDS_CLIPPING;
        return out;
    }
    if (!camera->is_parallel && v.depth < camera->near) {
        out.outside = OUT_BEHIND | NEEDS_CLIPPING;
        return out;
    }
    uint32_t outside = 0;
    if (v.x < -across * v.w) outside |= OUT_LEFT;
    if (v.x > across * v.w) outside |= OUT_RIGHT;
    if (v.y < -down * v.w) outside |= OUT_ABOVE;
    if (v.y > down * v.w) outside |= OUT_BELOW;
    if (fabs(v.x) > TN_FARTHEST * v.w || fabs(v.y) > TN_FARTHEST * v.w)
        outside |= NEEDS_CLIPPING;
    else
        out = tn_to_screen(camera, &v);
    out.outside = outside;
    return out;
}

// -- Clipping

// A corner that clipping makes, and what it has of the three corners before.
typedef struct clip_corner {
    tn_eye_vertex v;
    float parts[3];
} clip_corner;

static double draw_inside_of(const tn_camera *camera, const tn_eye_vertex *v, int plane)
{
    switch (plane) {
    case 0:
        return camera->is_parallel ? 1 : v->depth - camera->near;
    case 1:
        return TN_FARTHEST * v->w + v->x;
    case 2:
        return TN_FARTHEST * v->w - v->x;
    case 3:
        return TN_FARTHEST * v->w + v->y;
    default:
        return TN_FARTHEST * v->w - v->y;
    }
}

// Always from the inside outwards, so that two triangles with a common edge are cut at one place.
static clip_corner draw_cut(const clip_corner *in, const clip_corner *out, double inside,
                            double outside)
{
    double t = inside / (inside - outside);
    clip_corner cut = {.v = {in->v.x + t * (out->v.x - in->v.x), in->v.y + t * (out->v.y - in->v.y),
                             in->v.w + t * (out->v.w - in->v.w),
                             in->v.depth + t * (out->v.depth - in->v.depth)}};
    for (int k = 0; k < 3; k++)
        cut.parts[k] = in->parts[k] + (float)t * (out->parts[k] - in->parts[k]);
    return cut;
}

// Returns the number of corners that are left.
static uint32_t draw_clip(const tn_camera *camera, clip_corner *corners)
{
    uint32_t count = 3;
    for (int plane = 0; plane < 5 && count > 0; plane++) {
        clip_corner kept[CORNERS];
        uint32_t kept_count = 0;
        for (uint32_t i = 0; i < count; i++) {
            const clip_corner *a = &corners[i], *b = &corners[(i + 1) % count];
            double of_a = draw_inside_of(camera, &a->v, plane);
            double of_b = draw_inside_of(camera, &b->v, plane);
            if (of_a >= 0 && kept_count < CORNERS) kept[kept_count++] = *a;
            if (of_a >= 0 && of_b < 0 && kept_count < CORNERS)
                kept[kept_count++] = draw_cut(a, b, of_a, of_b);
            if (of_a < 0 && of_b >= 0 && kept_count < CORNERS)
                kept[kept_count++] = draw_cut(b, a, of_b, of_a);
        }
        memcpy(corners, kept, kept_count * sizeof *kept);
        count = kept_count;
    }
    return count;
}

// -- Triangles

// A primitive while it is drawn.
typedef struct draw_primitive {
    const tn_drawing *drawing;
    const tenon_primitive *p;
    const tn_paint *paint;
    bool shows_back, is_mirrored, has_normals, needs_uvs;
    tn_shade shade;
} draw_primitive;

static void draw_mix(const float *corners, uint32_t count, const float parts[3], float *out)
{
    for (uint32_t k = 0; k < count; k++)
        out[k] = corners[k] * parts[0] + corners[count + k] * parts[1] +
                 corners[2 * count + k] * parts[2];
}

// What the corners of a triangle have. `parts` says how clipped corners are mixed of them.
static void draw_fill_shade(draw_primitive *d, const uint32_t v[3], const float (*parts)[3])
{
    const tenon_primitive *p = d->p;
    const tenon_renderer *r = d->drawing->renderer;
    tn_shade *s = &d->shade;
    const tn_paint_texture *textures[2] = {&d->paint->color, &d->paint->glow};
    s->has_colors = p->colors[0] || parts;  // Parts do not always sum to 1.
    for (int i = 0; i < 3; i++) {
        memcpy(s->positions[i], r->positions + 3 * (size_t)v[i], sizeof s->positions[i]);
        if (d->has_normals)
            memcpy(s->normals[i], r->normals + 3 * (size_t)v[i], sizeof s->normals[i]);
        for (int k = 0; k < 4 && s->has_colors; k++)
            s->colors[i][k] = p->colors[0] ? p->colors[0][4 * (size_t)v[i] + (size_t)k] : 1;
        for (int set = 0; set < 2 && d->needs_uvs; set++) {
            const float *m = textures[set]->matrix, *uvs = p->uvs[textures[set]->uv_set];
            float u = uvs ? uvs[2 * (size_t)v[i]] : 0, w = uvs ? uvs[2 * (size_t)v[i] + 1] : 0;
            s->uvs[set][i][0] = m[0] * u + m[1] * w + m[2];
            s->uvs[set][i][1] = m[3] * u + m[4] * w + m[5];
        }
    }
    if (!d->has_normals) {
        tn_vec3 corners[3];
        for (int i = 0; i < 3; i++)
            corners[i] = (tn_vec3){(double)s->positions[i][0], (double)s->positions[i][1],
                                   (double)s->positions[i][2]};
        tn_vec3 n = tn_vec3_normalise(tn_vec3_cross(tn_vec3_sub(corners[1], corners[0]),
                                                    tn_vec3_sub(corners[2], corners[0])));
        // They are clockwise as they are seen, so that this leads away from the viewer.
        double sign = s->is_front ? -1 : 1;
        for (int i = 0; i < 3; i++) {
            s->normals[i][0] = (float)(sign * n.x);
            s->normals[i][1] = (float)(sign * n.y);
            s->normals[i][2] = (float)(sign * n.z);
        }
    }
    if (!parts) return;
    tn_shade whole = *s;
    for (int i = 0; i < 3; i++) {
        draw_mix(whole.positions[0], 3, parts[i], s->positions[i]);
        draw_mix(whole.normals[0], 3, parts[i], s->normals[i]);
        draw_mix(whole.colors[0], 4, parts[i], s->colors[i]);
        for (int set = 0; set < 2 && d->needs_uvs; set++)
            draw_mix(whole.uvs[set][0], 2, parts[i], s->uvs[set][i]);
    }
}

// A triangle that has a corner out of range.
static void draw_clipped(draw_primitive *d, const uint32_t v[3])
{
    const tn_drawing *drawing = d->drawing;
    clip_corner corners[CORNERS] = {
        {.parts = {1, 0, 0}}, {.parts = {0, 1, 0}}, {.parts = {0, 0, 1}}};
    for (int i = 0; i < 3; i++)
        corners[i].v = tn_to_eye(drawing->camera, drawing->renderer->positions + 3 * (size_t)v[i]);
    uint32_t count = draw_clip(drawing->camera, corners);
    for (uint32_t i = 2; i < count; i++) {
        const clip_corner *three[3] = {&corners[0], &corners[i - 1], &corners[i]};
        tn_screen_vertex on_screen[3];
        float parts[3][3];
        for (int k = 0; k < 3; k++) {
            on_screen[k] = tn_to_screen(drawing->camera, &three[k]->v);
            memcpy(parts[k], three[k]->parts, sizeof parts[k]);
        }
        int64_t area = tn_screen_area(&on_screen[0], &on_screen[1], &on_screen[2]);
        d->shade.is_front = (area < 0) != d->is_mirrored;
        if (area == 0 || !(d->shade.is_front || d->shows_back)) continue;
        if (area < 0) {
            tn_screen_vertex kept = on_screen[1];
            float kept_parts[3];
            on_screen[1] = on_screen[2];
            on_screen[2] = kept;
            memcpy(kept_parts, parts[1], sizeof kept_parts);
            memcpy(parts[1], parts[2], sizeof kept_parts);
            memcpy(parts[2], kept_parts, sizeof kept_parts);
        }
        draw_fill_shade(d, v, (const float(*)[3])parts);
        drawing->canvas.raster(&drawing->canvas, on_screen, &d->shade);
    }
}

static void draw_triangle(draw_primitive *d, const uint32_t stored[3])
{
    const tn_drawing *drawing = d->drawing;
    const tn_screen_vertex *all = drawing->renderer->vertices;
    const tn_screen_vertex *v[3] = {&all[stored[0]], &all[stored[1]], &all[stored[2]]};
    uint32_t either = v[0]->outside | v[1]->outside | v[2]->outside;
    if (v[0]->outside & v[1]->outside & v[2]->outside & ~(uint32_t)NEEDS_CLIPPING) return;
    if (either & NOT_FINITE) return;
    if (either & NEEDS_CLIPPING) {
        draw_clipped(d, stored);
        return;
    }
    int64_t area = tn_screen_area(v[0], v[1], v[2]);
    d->shade.is_front = (area < 0) != d->is_mirrored;
    if (area == 0 || !(d->shade.is_front || d->shows_back)) return;
    // In the order in which it is clockwise on the screen.
    int second = area < 0 ? 2 : 1;
    const uint32_t order[3] = {stored[0], stored[second], stored[3 - second]};
    const tn_screen_vertex corners[3] = {*v[0], *v[second], *v[3 - second]};
    int32_t top = corners[0].y, bottom = top;
    for (int i = 1; i < 3; i++) {
        if (corners[i].y < top) top = corners[i].y;
        if (corners[i].y > bottom) bottom = corners[i].y;
    }
    if (bottom < (int64_t)drawing->canvas.first_row * TN_SUBPIXELS ||
        top > (int64_t)drawing->canvas.row_end * TN_SUBPIXELS)
        return;
    draw_fill_shade(d, order, NULL);
    drawing->canvas.raster(&drawing->canvas, corners, &d->shade);
}

// -- Elements of primitives

static uint32_t draw_vertex(const tenon_primitive *p, uint64_t at)
{
    return p->indices ? p->indices[at] : (uint32_t)at;
}

static uint64_t draw_corner_count(const tenon_primitive *p)
{
    return p->indices ? p->index_count : p->vertex_count;
}

static uint64_t draw_triangle_count(const tenon_primitive *p)
{
    uint64_t count = draw_corner_count(p);
    if (p->mode == TENON_TRIANGLES) return count / 3;
    bool is_run = p->mode == TENON_TRIANGLE_STRIP || p->mode == TENON_TRIANGLE_FAN;
    return is_run && count > 2 ? count - 2 : 0;
}

static void draw_triangle_at(const tenon_primitive *p, uint64_t i, uint32_t v[3])
{
    uint64_t at[3] = {3 * i, 3 * i + 1, 3 * i + 2};
    if (p->mode == TENON_TRIANGLE_STRIP) at[0] = i, at[1] = i + 1 + i % 2, at[2] = i + 2 - i % 2;
    if (p->mode == TENON_TRIANGLE_FAN) at[0] = i + 1, at[1] = i + 2, at[2] = 0;
    for (int k = 0; k < 3; k++) v[k] = draw_vertex(p, at[k]);
}

static uint64_t draw_line_count(const tenon_primitive *p)
{
    uint64_t count = draw_corner_count(p);
    if (p->mode == TENON_LINES) return count / 2;
    if (p->mode == TENON_LINE_STRIP) return count > 1 ? count - 1 : 0;
    return p->mode == TENON_LINE_LOOP && count > 1 ? count : 0;
}

static void draw_line_at(const tenon_primitive *p, uint64_t i, uint32_t v[2])
{
    uint64_t count = draw_corner_count(p), at = p->mode == TENON_LINES ? 2 * i : i;
    v[0] = draw_vertex(p, at);
    v[1] = draw_vertex(p, (at + 1) % count);
}

// -- Primitives

static bool draw_is_farther(const void *context, uint32_t a, uint32_t b)
{
    return ((const float *)context)[a] < ((const float *)context)[b];
}

static void draw_surfaces(draw_primitive *d, bool is_blended)
{
    tenon_renderer *r = d->drawing->renderer;
    uint64_t count = draw_triangle_count(d->p);
    tn_pulse *pulse = d->drawing->canvas.pulse;
    bool is_sorted = is_blended && count <= UINT32_MAX;
    uint32_t v[3];
    for (uint64_t i = 0; is_sorted && i < count; i++) {
        draw_triangle_at(d->p, i, v);
        r->keys[i] = r->vertices[v[0]].depth + r->vertices[v[1]].depth + r->vertices[v[2]].depth;
        r->order[i] = (uint32_t)i;
    }
    if (is_sorted) tn_sort(r->order, r->spare, (uint32_t)count, draw_is_farther, r->keys);
    for (uint64_t i = 0; i < count && tn_goes_on(pulse, 1); i++) {
        draw_triangle_at(d->p, is_sorted ? r->order[i] : i, v);
        draw_triangle(d, v);
    }
}

// Lines and points have the color of their material and first vertex, without light. Without a
// material they are dark.
static void draw_thin(draw_primitive *d)
{
    const tn_drawing *drawing = d->drawing;
    const tenon_renderer *r = drawing->renderer;
    uint64_t line_count = draw_line_count(d->p);
    uint64_t point_count = d->p->mode == TENON_POINTS ? draw_corner_count(d->p) : 0;
    for (uint64_t i = 0; i < line_count + point_count; i++) {
        uint32_t v[2];
        if (!tn_goes_on(drawing->canvas.pulse, 4)) return;
        if (line_count) draw_line_at(d->p, i, v);
        if (!line_count) v[0] = v[1] = draw_vertex(d->p, i);
        const float *color = d->p->colors[0] ? d->p->colors[0] + 4 * (size_t)v[0] : NULL;
        tn_thin thin = {.width = line_count ? 2 : 4};
        bool has_own = color || d->p->material < r->scene->material_count;
        for (int k = 0; k < 3; k++)
            thin.color[k] =
                has_own ? d->paint->base[k] * (color ? color[k] : 1) + d->paint->emissive[k] : BARE;
        if (line_count)
            tn_draw_line(drawing, r->positions + 3 * (size_t)v[0], r->positions + 3 * (size_t)v[1],
                         &thin);
        else
            tn_draw_point(drawing, r->positions + 3 * (size_t)v[0], &thin);
    }
}

static void draw_edges(draw_primitive *d)
{
    const tn_drawing *drawing = d->drawing;
    const float *positions = drawing->renderer->positions;
    uint64_t count = draw_triangle_count(d->p);
    bool is_alone = drawing->opts->style == TENON_STYLE_WIREFRAME;
    const tn_thin thin = {
        .color = {0.02f, 0.03f, 0.05f}, .width = is_alone ? 1.0f : 0.8f, .bias = true};
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v[3];
        if (!tn_goes_on(drawing->canvas.pulse, 8)) return;
        draw_triangle_at(d->p, i, v);
        for (int k = 0; k < 3; k++)
            tn_draw_line(drawing, positions + 3 * (size_t)v[k],
                         positions + 3 * (size_t)v[(k + 1) % 3], &thin);
    }
}

// -- Items

// Where the vertices of an item are. Rows and nearness are found the first time.
static void draw_place(tn_drawing *drawing, tn_item *item, const tenon_primitive *p,
                       bool needs_normals)
{
    tenon_renderer *r = drawing->renderer;
    tenon_pose_skin(drawing->pose, item->node, item->primitive, r->positions,
                    needs_normals ? r->normals : NULL);
    double nearness = 0;
    int64_t top = INT32_MAX, bottom = INT32_MIN;
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        tn_screen_vertex v = draw_project(drawing, r->positions + 3 * (size_t)i);
        r->vertices[i] = v;
        if (item->is_measured) continue;
        if (v.outside & NEEDS_CLIPPING) top = INT32_MIN, bottom = INT32_MAX;
        if (v.y < top) top = v.y;
        if (v.y > bottom) bottom = v.y;
        nearness += (double)v.depth;
    }
    if (item->is_measured) return;
    item->is_measured = true;
    item->nearness = p->vertex_count ? (float)(nearness / p->vertex_count) : 0;
    item->top = (int32_t)(top / TN_SUBPIXELS > INT32_MIN + 9 ? top / TN_SUBPIXELS - 8 : top);
    item->bottom = (int32_t)(bottom / TN_SUBPIXELS + 8);
}

enum { PASS_SURFACES, PASS_BLENDED, PASS_EDGES };

static bool draw_item(tn_drawing *drawing, tn_item *item, int pass)
{
    const tenon_renderer *r = drawing->renderer;
    const tenon_render_opts *opts = drawing->opts;
    const tn_canvas *canvas = &drawing->canvas;
    if (item->is_measured &&
        (item->bottom < (int64_t)canvas->first_row || item->top > (int64_t)canvas->row_end))
        return true;
    const tenon_node *node = &r->scene->nodes[item->node];
    const tenon_primitive *p = &r->scene->meshes[node->mesh].primitives[item->primitive];
    if (!p->positions || p->vertex_count == 0) return true;
    uint32_t material =
        p->material < r->scene->material_count ? p->material : r->scene->material_count;
    const tn_paint *paint = &r->paints[material];
    bool is_plain = opts->style == TENON_STYLE_WIREFRAME;
    draw_primitive d = {
        .drawing = drawing,
        .p = p,
        .paint = paint,
        .shows_back = paint->is_double_sided || (opts->flags & TENON_RENDER_BOTH_SIDES) || is_plain,
        .is_mirrored = tn_pose_mirrors(drawing->pose, item->node),
        .has_normals = p->normals && !(opts->flags & TENON_RENDER_FLAT),
        .shade = {.paint = paint,
                  .tables = &r->tables,
                  .light = &drawing->light,
                  .style = opts->style,
                  .writes_depth = pass == PASS_SURFACES,
                  .writes_color = !is_plain},
    };
    bool has_texture = (paint->color.texture && p->uvs[paint->color.uv_set]) ||
                       (paint->glow.texture && p->uvs[paint->glow.uv_set]);
    d.shade.is_textured = has_texture && !is_plain && opts->style == TENON_STYLE_SHADED &&
                          !(opts->flags & TENON_RENDER_UNTEXTURED);
    d.needs_uvs = d.shade.is_textured || opts->style == TENON_STYLE_UV;
    draw_place(drawing, item, p, d.has_normals);
    tenon_budget *budget = drawing->pose->arena.allocator.budget;
    if (tn_budget_is_exceeded(budget) || !tn_goes_on(canvas->pulse, p->vertex_count / 4 + 1))
        return false;
    if (p->mode < TENON_TRIANGLES) {
        if (pass == PASS_SURFACES) draw_thin(&d);
    } else if (pass == PASS_EDGES) {
        draw_edges(&d);
    } else {
        draw_surfaces(&d, pass == PASS_BLENDED);
    }
    return !canvas->pulse->stopped;
}

static bool draw_item_is_farther(const void *context, uint32_t a, uint32_t b)
{
    const tn_item *items = context;
    return items[a].nearness < items[b].nearness;
}

bool tn_draw_band(tn_drawing *drawing)
{
    uint32_t blended = 0;
    bool goes_on = true;
    for (uint32_t i = 0; i < drawing->item_count && goes_on; i++) {
        tn_item *item = &drawing->items[i];
        bool is_blended = item->is_blended && drawing->opts->style == TENON_STYLE_SHADED;
        if (is_blended) drawing->order[blended++] = i;
        // Those that are sorted have to be measured first.
        if (!is_blended) goes_on = draw_item(drawing, item, PASS_SURFACES);
    }
    for (uint32_t i = 0; i < blended && goes_on; i++) {
        tn_item *item = &drawing->items[drawing->order[i]];
        const tenon_node *node = &drawing->renderer->scene->nodes[item->node];
        if (!item->is_measured)
            draw_place(drawing, item,
                       &drawing->renderer->scene->meshes[node->mesh].primitives[item->primitive],
                       false);
    }
    tn_sort(drawing->order, drawing->spare, blended, draw_item_is_farther, drawing->items);
    for (uint32_t i = 0; i < blended && goes_on; i++)
        goes_on = draw_item(drawing, &drawing->items[drawing->order[i]], PASS_BLENDED);
    bool has_edges = drawing->opts->style == TENON_STYLE_WIREFRAME ||
                     (drawing->opts->flags & TENON_RENDER_EDGES);
    for (uint32_t i = 0; has_edges && i < drawing->item_count && goes_on; i++)
        goes_on = draw_item(drawing, &drawing->items[i], PASS_EDGES);
    if (goes_on && drawing->is_bone) tn_draw_bones(drawing);
    return goes_on && !drawing->canvas.pulse->stopped;
}
