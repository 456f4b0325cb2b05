// obj_import_polygon.c: triangulates polygons.
// SPDX-License-Identifier: MIT
//
// Convex polygons become fans. From others, ears are cut off: corners whose triangle contains no
// other part of the polygon. The time for this grows with the square of the size. When the limit
// for a file is reached, the remaining polygons become fans as well.

#include "formats/obj/import/obj_import.h"

#include <math.h>

#define WORK_BASE   ((uint64_t)1 << 28)  // Enough for one polygon of 16,384 corners.
#define WORK_FACTOR 256                  // For each corner of the file.

#define STEPS_MOST ((uint64_t)1 << 20)  // Between two calls of the pulse.
#define STEPS_EACH 8                    // Steps that take as long as one step of other loops.

enum { CONVEX, REFLEX, EAR };

bool obj_import_clipper_begin(obj_clipper *clipper, uint64_t largest, uint64_t total,
                              tn_arena *arena, tn_pulse *pulse)
{
    *clipper =
        (obj_clipper){.points = tn_arena_alloc(arena, largest, sizeof *clipper->points, NULL),
                      .next = tn_arena_alloc(arena, largest, sizeof *clipper->next, NULL),
                      .previous = tn_arena_alloc(arena, largest, sizeof *clipper->previous, NULL),
                      .states = tn_arena_alloc(arena, largest, sizeof *clipper->states, NULL),
                      .reflex = tn_arena_alloc(arena, largest, sizeof *clipper->reflex, NULL),
                      .work_left = WORK_BASE + WORK_FACTOR * total,
                      .pulse = pulse};
    return clipper->points && clipper->next && clipper->previous && clipper->states &&
           clipper->reflex;
}

// Count steps. Returns whether to continue.
static bool obj_import_polygon_count_steps(obj_clipper *clipper, uint64_t steps)
{
    clipper->steps += steps;
    if (clipper->steps < STEPS_MOST) return true;
    clipper->steps = 0;
    clipper->pulse->steps += STEPS_MOST / STEPS_EACH;
    return tn_pulse_report(clipper->pulse, clipper->pulse->done, clipper->pulse->total);
}

// -- The plane

// Newell's method, relative to the first corner, which is more exact far from the origin.
void obj_import_polygon_normal(const obj_model *model, const obj_corner *corners, uint32_t count,
                               double normal[3])
{
    const float *origin = model->positions + 3 * (size_t)corners[0].v;
    double last[3] = {0, 0, 0};
    normal[0] = normal[1] = normal[2] = 0;
    for (uint32_t i = 1; i < count; i++) {
        const float *p = model->positions + 3 * (size_t)corners[i].v;
        double q[3];
        for (int k = 0; k < 3; k++) q[k] = (double)p[k] - origin[k];
        normal[0] += last[1] * q[2] - last[2] * q[1];
        normal[1] += last[2] * q[0] - last[0] * q[2];
        normal[2] += last[0] * q[1] - last[1] * q[0];
        for (int k = 0; k < 3; k++) last[k] = q[k];
    }
}

// Project the polygon along the axis nearest to its normal. Returns false if it has no area.
static bool obj_import_polygon_project(obj_clipper *clipper, const obj_model *model,
                                       const obj_corner *corners, uint32_t count)
{
    double normal[3], largest = 0;
    obj_import_polygon_normal(model, corners, count, normal);
    bool has_area = normal[0] != 0 || normal[1] != 0 || normal[2] != 0;
    // The area is also 0 if one half has the opposite winding: then use the normal of the largest
    // triangle at the first corner.
    for (uint32_t i = 1; i + 1 < count && !has_area; i++) {
        const obj_corner triangle[3] = {corners[0], corners[i], corners[i + 1]};
        double n[3];
        obj_import_polygon_normal(model, triangle, 3, n);
        double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if (!(square > largest)) continue;
        largest = square;
        for (int k = 0; k < 3; k++) normal[k] = n[k];
    }
    int axis = fabs(normal[1]) > fabs(normal[0]) ? 1 : 0;
    if (fabs(normal[2]) > fabs(normal[axis])) axis = 2;
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    bool is_reversed = normal[axis] < 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *p = model->positions + 3 * (size_t)corners[i].v;
        clipper->points[i][0] = p[is_reversed ? y : x];
        clipper->points[i][1] = p[is_reversed ? x : y];
    }
    return has_area;
}

// Above 0 if c is on the left of the line from a to b.
static double obj_import_polygon_side(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// A polygon is convex if every corner turns left and it winds around once. If it winds around once,
// the x direction of its edges changes only twice.
static bool obj_import_polygon_is_convex(const obj_clipper *clipper, uint32_t count)
{
    int direction = 0, first = 0, changes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = clipper->points[i], *b = clipper->points[(i + 1) % count];
        if (!(obj_import_polygon_side(a, b, clipper->points[(i + 2) % count]) > 0)) return false;
        int now = b[0] > a[0] ? 1 : b[0] < a[0] ? -1 : direction;
        changes += direction && now != direction;
        if (!first) first = now;
        direction = now;
    }
    return changes + (first != direction) <= 2;
}

// -- Crossings

// Whether two edges cross. Edges that only touch, as those that connect a hole, do not count.
static bool obj_import_polygon_has_crossing(obj_clipper *clipper, uint32_t count)
{
    for (uint32_t i = 0; i + 2 < count && obj_import_polygon_count_steps(clipper, count - i); i++)
        for (uint32_t k = i + 2; k < count; k++) {
            const double *a = clipper->points[i], *b = clipper->points[i + 1];
            const double *c = clipper->points[k], *d = clipper->points[k + 1 < count ? k + 1 : 0];
            double from_c = obj_import_polygon_side(a, b, c),
                   from_d = obj_import_polygon_side(a, b, d);
            double from_a = obj_import_polygon_side(c, d, a),
                   from_b = obj_import_polygon_side(c, d, b);
            if (((from_c > 0 && from_d < 0) || (from_c < 0 && from_d > 0)) &&
                ((from_a > 0 && from_b < 0) || (from_a < 0 && from_b > 0)))
                return true;
        }
    return false;
}

// -- Ears

// Whether a reflex corner is inside the triangle at `i`. One with the same position as a corner of
// the triangle does not count: polygons with holes visit such positions twice.
static bool obj_import_polygon_is_blocked(const obj_clipper *clipper, uint32_t i)
{
    const double *a = clipper->points[clipper->previous[i]], *b = clipper->points[i],
                 *c = clipper->points[clipper->next[i]];
    for (uint32_t k = 0; k < clipper->reflex_count; k++) {
        uint32_t other = clipper->reflex[k];
        const double *p = clipper->points[other];
        if (clipper->states[other] != REFLEX) continue;
        bool is_corner = (p[0] == a[0] && p[1] == a[1]) || (p[0] == b[0] && p[1] == b[1]) ||
                         (p[0] == c[0] && p[1] == c[1]);
        if (!is_corner && obj_import_polygon_side(a, b, p) >= 0 &&
            obj_import_polygon_side(b, c, p) >= 0 && obj_import_polygon_side(c, a, p) >= 0)
            return true;
    }
    return false;
}

static double obj_import_polygon_turn(const obj_clipper *clipper, uint32_t i)
{
    return obj_import_polygon_side(clipper->points[clipper->previous[i]], clipper->points[i],
                                   clipper->points[clipper->next[i]]);
}

// Reflex corners can become convex when ears are cut off, but not the reverse.
static void obj_import_polygon_classify_corner(obj_clipper *clipper, uint32_t i)
{
    if (!(obj_import_polygon_turn(clipper, i) > 0))
        clipper->states[i] = REFLEX;
    else
        clipper->states[i] = obj_import_polygon_is_blocked(clipper, i) ? CONVEX : EAR;
}

// The next ear from `start` on. If there is none, a corner on a straight line can be cut off
// instead. If there is none of these either, the polygon crosses itself.
static uint32_t obj_import_polygon_find_ear(const obj_clipper *clipper, uint32_t start,
                                            obj_clipping *result)
{
    uint32_t i = start, straight = TENON_NONE;
    do {
        if (clipper->states[i] == EAR) return i;
        if (straight == TENON_NONE && obj_import_polygon_turn(clipper, i) == 0) straight = i;
        i = clipper->next[i];
    } while (i != start);
    if (straight != TENON_NONE) return straight;
    *result = OBJ_CROSSING;
    return start;
}

static void obj_import_polygon_set_triangle(uint32_t *triangle, uint32_t a, uint32_t b, uint32_t c)
{
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

static obj_clipping obj_import_polygon_cut_ears(obj_clipper *clipper, uint32_t count,
                                                uint32_t *triangles)
{
    obj_clipping result = OBJ_CLIPPED;
    uint32_t start = 0;
    clipper->reflex_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        clipper->next[i] = i + 1 < count ? i + 1 : 0;
        clipper->previous[i] = i ? i - 1 : count - 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        clipper->states[i] = obj_import_polygon_turn(clipper, i) > 0 ? CONVEX : REFLEX;
        if (clipper->states[i] == REFLEX) clipper->reflex[clipper->reflex_count++] = i;
    }
    for (uint32_t i = 0;
         i < count && obj_import_polygon_count_steps(clipper, clipper->reflex_count); i++)
        obj_import_polygon_classify_corner(clipper, i);
    for (uint32_t left = count; left > 3; left--, triangles += 3) {
        if (!obj_import_polygon_count_steps(clipper, left + 2 * (uint64_t)clipper->reflex_count))
            return result;
        uint32_t ear = obj_import_polygon_find_ear(clipper, start, &result);
        uint32_t before = clipper->previous[ear], after = clipper->next[ear];
        obj_import_polygon_set_triangle(triangles, before, ear, after);
        clipper->next[before] = after;
        clipper->previous[after] = before;
        clipper->states[ear] = CONVEX;  // It does not block other ears.
        obj_import_polygon_classify_corner(clipper, before);
        obj_import_polygon_classify_corner(clipper, after);
        start = after;
    }
    obj_import_polygon_set_triangle(triangles, clipper->previous[start], start,
                                    clipper->next[start]);
    return result;
}

obj_clipping obj_import_triangulate(obj_clipper *clipper, const obj_model *model,
                                    const obj_corner *corners, uint32_t count, uint32_t *triangles)
{
    bool has_area = count > 3 && obj_import_polygon_project(clipper, model, corners, count);
    bool is_plain = count <= 3 || (has_area && obj_import_polygon_is_convex(clipper, count));
    // The limit of work may not allow to look for crossings and to cut off ears.
    uint64_t work = is_plain ? 0 : (uint64_t)count * count;
    bool is_huge = work > clipper->work_left;
    if (!is_huge) clipper->work_left -= work;
    obj_clipping result = is_huge ? OBJ_FAN : OBJ_CLIPPED;
    bool is_cut = !is_plain && !is_huge;
    bool is_crossing = is_cut && obj_import_polygon_has_crossing(clipper, count);
    if (triangles && is_cut && has_area)
        result = obj_import_polygon_cut_ears(clipper, count, triangles);
    else
        for (uint32_t i = 1; triangles && i + 1 < count; i++, triangles += 3)
            obj_import_polygon_set_triangle(triangles, 0, i, i + 1);
    return is_crossing ? OBJ_CROSSING : result;
}
