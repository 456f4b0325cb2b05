// polygon.c: triangulates polygons.
// SPDX-License-Identifier: MIT
//
// Convex polygons become fans. From others, ears are cut off: corners whose triangle contains no
// other part of the polygon. The time for this grows with the square of the size. When the limit
// for a file is reached, the remaining polygons become fans as well.

#include "scene/surface/polygon.h"

#include <math.h>

#define WORK_BASE   ((uint64_t)1 << 28)  // Enough for one polygon of 16,384 corners.
#define WORK_FACTOR 256                  // For each corner of the file.

#define STEPS_MOST ((uint64_t)1 << 20)  // Between two calls of the pulse.
#define STEPS_EACH 8                    // Steps that take as long as one step of other loops.

enum { CONVEX, REFLEX, EAR };

bool tn_clipper_begin(tn_clipper *clipper, uint64_t largest, uint64_t total, tn_arena *arena,
                      tn_pulse *pulse)
{
    *clipper =
        (tn_clipper){.points = tn_arena_alloc(arena, largest, sizeof *clipper->points, NULL),
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
static bool polygon_count_steps(tn_clipper *clipper, uint64_t steps)
{
    clipper->steps += steps;
    if (clipper->steps < STEPS_MOST) return true;
    clipper->steps = 0;
    clipper->pulse->steps += STEPS_MOST / STEPS_EACH;
    return tn_pulse_report(clipper->pulse, clipper->pulse->done, clipper->pulse->total);
}

// -- The plane

static const uint32_t *polygon_vertex(const tn_outline *outline, uint32_t corner)
{
    return outline->corners + (size_t)outline->stride * corner;
}

static const float *polygon_corner(const tn_outline *outline, uint32_t corner)
{
    return outline->positions + 3 * (size_t)*polygon_vertex(outline, corner);
}

// Newell's method, relative to the first corner, which is more exact far from the origin.
void tn_polygon_normal(const tn_outline *outline, double normal[3])
{
    const float *origin = polygon_corner(outline, 0);
    double last[3] = {0, 0, 0};
    normal[0] = normal[1] = normal[2] = 0;
    for (uint32_t i = 1; i < outline->count; i++) {
        const float *p = polygon_corner(outline, i);
        double q[3];
        for (int k = 0; k < 3; k++) q[k] = (double)p[k] - origin[k];
        normal[0] += last[1] * q[2] - last[2] * q[1];
        normal[1] += last[2] * q[0] - last[0] * q[2];
        normal[2] += last[0] * q[1] - last[1] * q[0];
        for (int k = 0; k < 3; k++) last[k] = q[k];
    }
}

// Project the polygon along the axis nearest to its normal. Returns false if it has no area.
static bool polygon_project(tn_clipper *clipper, const tn_outline *outline)
{
    double normal[3], largest = 0;
    uint32_t count = outline->count;
    tn_polygon_normal(outline, normal);
    bool has_area = normal[0] != 0 || normal[1] != 0 || normal[2] != 0;
    // The area is also 0 if one half has the opposite winding: then use the normal of the largest
    // triangle at the first corner.
    for (uint32_t i = 1; i + 1 < count && !has_area; i++) {
        const uint32_t corners[3] = {*polygon_vertex(outline, 0), *polygon_vertex(outline, i),
                                     *polygon_vertex(outline, i + 1)};
        const tn_outline triangle = {outline->positions, corners, 1, 3};
        double n[3];
        tn_polygon_normal(&triangle, n);
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
        const float *p = polygon_corner(outline, i);
        clipper->points[i][0] = p[is_reversed ? y : x];
        clipper->points[i][1] = p[is_reversed ? x : y];
    }
    return has_area;
}

// Above 0 if c is on the left of the line from a to b.
static double polygon_side(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// A polygon is convex if every corner turns left and it winds around once. If it winds around once,
// the x direction of its edges changes only twice.
static bool polygon_is_convex(const tn_clipper *clipper, uint32_t count)
{
    int direction = 0, first = 0, changes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = clipper->points[i], *b = clipper->points[(i + 1) % count];
        if (!(polygon_side(a, b, clipper->points[(i + 2) % count]) > 0)) return false;
        int now = b[0] > a[0] ? 1 : b[0] < a[0] ? -1 : direction;
        changes += direction && now != direction;
        if (!first) first = now;
        direction = now;
    }
    return changes + (first != direction) <= 2;
}

// -- Crossings

// Whether two edges cross. Edges that only touch, as those that connect a hole, do not count.
static bool polygon_has_crossing(tn_clipper *clipper, uint32_t count)
{
    for (uint32_t i = 0; i + 2 < count && polygon_count_steps(clipper, count - i); i++)
        for (uint32_t k = i + 2; k < count; k++) {
            const double *a = clipper->points[i], *b = clipper->points[i + 1];
            const double *c = clipper->points[k], *d = clipper->points[k + 1 < count ? k + 1 : 0];
            double from_c = polygon_side(a, b, c), from_d = polygon_side(a, b, d);
            double from_a = polygon_side(c, d, a), from_b = polygon_side(c, d, b);
            if (((from_c > 0 && from_d < 0) || (from_c < 0 && from_d > 0)) &&
                ((from_a > 0 && from_b < 0) || (from_a < 0 && from_b > 0)))
                return true;
        }
    return false;
}

// -- Ears

// Whether a reflex corner is inside the triangle at `i`. One with the same position as a corner of
// the triangle does not count: polygons with holes visit such positions twice.
static bool polygon_is_blocked(const tn_clipper *clipper, uint32_t i)
{
    const double *a = clipper->points[clipper->previous[i]], *b = clipper->points[i],
                 *c = clipper->points[clipper->next[i]];
    for (uint32_t k = 0; k < clipper->reflex_count; k++) {
        uint32_t other = clipper->reflex[k];
        const double *p = clipper->points[other];
        if (clipper->states[other] != REFLEX) continue;
        bool is_corner = (p[0] == a[0] && p[1] == a[1]) || (p[0] == b[0] && p[1] == b[1]) ||
                         (p[0] == c[0] && p[1] == c[1]);
        if (!is_corner && polygon_side(a, b, p) >= 0 && polygon_side(b, c, p) >= 0 &&
            polygon_side(c, a, p) >= 0)
            return true;
    }
    return false;
}

static double polygon_turn(const tn_clipper *clipper, uint32_t i)
{
    return polygon_side(clipper->points[clipper->previous[i]], clipper->points[i],
                        clipper->points[clipper->next[i]]);
}

// Reflex corners can become convex when ears are cut off, but not the reverse.
static void polygon_classify_corner(tn_clipper *clipper, uint32_t i)
{
    if (!(polygon_turn(clipper, i) > 0))
        clipper->states[i] = REFLEX;
    else
        clipper->states[i] = polygon_is_blocked(clipper, i) ? CONVEX : EAR;
}

// The next ear from `start` on. If there is none, a corner on a straight line can be cut off
// instead. If there is none of these either, the polygon crosses itself.
static uint32_t polygon_find_ear(const tn_clipper *clipper, uint32_t start, tn_clipping *result)
{
    uint32_t i = start, straight = TENON_NONE;
    do {
        if (clipper->states[i] == EAR) return i;
        if (straight == TENON_NONE && polygon_turn(clipper, i) == 0) straight = i;
        i = clipper->next[i];
    } while (i != start);
    if (straight != TENON_NONE) return straight;
    *result = TN_CROSSING;
    return start;
}

static void polygon_set_triangle(uint32_t *triangle, uint32_t a, uint32_t b, uint32_t c)
{
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

static tn_clipping polygon_cut_ears(tn_clipper *clipper, uint32_t count, uint32_t *triangles)
{
    tn_clipping result = TN_CLIPPED;
    uint32_t start = 0;
    clipper->reflex_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        clipper->next[i] = i + 1 < count ? i + 1 : 0;
        clipper->previous[i] = i ? i - 1 : count - 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        clipper->states[i] = polygon_turn(clipper, i) > 0 ? CONVEX : REFLEX;
        if (clipper->states[i] == REFLEX) clipper->reflex[clipper->reflex_count++] = i;
    }
    for (uint32_t i = 0; i < count && polygon_count_steps(clipper, clipper->reflex_count); i++)
        polygon_classify_corner(clipper, i);
    for (uint32_t left = count; left > 3; left--, triangles += 3) {
        if (!polygon_count_steps(clipper, left + 2 * (uint64_t)clipper->reflex_count))
            return result;
        uint32_t ear = polygon_find_ear(clipper, start, &result);
        uint32_t before = clipper->previous[ear], after = clipper->next[ear];
        polygon_set_triangle(triangles, before, ear, after);
        clipper->next[before] = after;
        clipper->previous[after] = before;
        clipper->states[ear] = CONVEX;  // It does not block other ears.
        polygon_classify_corner(clipper, before);
        polygon_classify_corner(clipper, after);
        start = after;
    }
    polygon_set_triangle(triangles, clipper->previous[start], start, clipper->next[start]);
    return result;
}

tn_clipping tn_triangulate(tn_clipper *clipper, const tn_outline *outline, uint32_t *triangles)
{
    uint32_t count = outline->count;
    bool has_area = count > 3 && polygon_project(clipper, outline);
    bool is_plain = count <= 3 || (has_area && polygon_is_convex(clipper, count));
    // The limit of work may not allow to look for crossings and to cut off ears.
    uint64_t work = is_plain ? 0 : (uint64_t)count * count;
    bool is_huge = work > clipper->work_left;
    if (!is_huge) clipper->work_left -= work;
    tn_clipping result = is_huge ? TN_FAN : TN_CLIPPED;
    bool is_cut = !is_plain && !is_huge;
    bool is_crossing = is_cut && polygon_has_crossing(clipper, count);
    if (triangles && is_cut && has_area)
        result = polygon_cut_ears(clipper, count, triangles);
    else
        for (uint32_t i = 1; triangles && i + 1 < count; i++, triangles += 3)
            polygon_set_triangle(triangles, 0, i, i + 1);
    return is_crossing ? TN_CROSSING : result;
}
