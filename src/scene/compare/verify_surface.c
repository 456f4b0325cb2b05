// verify_surface.c: the triangle that is nearest to a point.
// SPDX-License-Identifier: MIT
//
// A tree of bounding boxes over the triangles, which are in Morton order. Eight boxes are a group,
// and the box around a group is one of eight in a group of the level above. So the index of a box
// gives that of its group, and only the boxes have to be computed again when the triangles move.

#include "scene/compare/verify.h"

#include <math.h>

#define LEVELS_MOST   11     // Each has an eighth of the groups of the one below.
#define FEW           64     // Triangles that need no groups by joint.
#define GROUPS_LOOKED 512    // At by a search, on average, at most: keeps time linear.
#define SQUARED_SINE  1e-20  // Of an angle below which a triangle is a line.
#define PLANE_SLACK   1e-24  // Of the square of a distance from a plane, by rounding.

struct tn_surface {
    const tn_posed_scene *posed;
    const tn_loops *loops;
    uint32_t *order;   // Triangles in Morton order,
    uint32_t *leaves;  // and as the lowest groups have them: by joint; TENON_NONE: a gap.
    uint32_t leaf_count;
    uint32_t level_count;  // From the lowest, of triangles, to the one that has one group.
    uint32_t group_counts[LEVELS_MOST];
    tn_boxes *groups[LEVELS_MOST];
    uint64_t looks;  // Left over from searches that needed fewer.
    tenon_budget *budget;
    bool is_stale;  // The boxes have to be computed again.
};

// -- Order

// One coordinate of a Morton code: 21 bits, with two zero bits in front of each.
static uint64_t verify_surface_morton_bits(double coordinate, double min, double scale)
{
    const double most = 0x1fffff;
    double position = (coordinate - min) * scale * most;
    if (!(position > 0)) return 0;
    uint64_t v = position < most ? (uint64_t)position : (uint64_t)most;
    v = (v | v << 32) & 0x001f00000000ffffu;
    v = (v | v << 16) & 0x001f0000ff0000ffu;
    v = (v | v << 8) & 0x100f00f00f00f00fu;
    v = (v | v << 4) & 0x10c30c30c30c30c3u;
    return (v | v << 2) & 0x1249249249249249u;
}

// Groups hold triangles that one joint moves: limbs that are near each other in the rest pose may
// be far apart in others.
static bool verify_surface_sort_triangles(tn_match_context *context, tn_surface *surface)
{
    const tn_posed_scene *posed = surface->posed;
    uint32_t count = posed->triangle_count;
    surface->order = tn_match_alloc(context, count, sizeof *surface->order);
    surface->leaves = tn_match_alloc(context, 2 * (uint64_t)count, sizeof *surface->leaves);
    tn_mark mark = tn_arena_mark(&context->arena);
    tn_radix_item *first = tn_match_alloc(context, count, sizeof *first), *items = first;
    tn_radix_item *spare = tn_match_alloc(context, count, sizeof *spare);
    if (context->failed) return false;
    double min[3], max[3], size = 0;
    (void)tenon_pose_bounds(posed->pose, min, max);
    for (uint32_t k = 0; k < 3; k++)
        if (max[k] - min[k] > size) size = max[k] - min[k];
    double scale = size > 0 ? 1 / size : 0;
    for (uint32_t i = 0; i < count; i++) {
        double c[3];
        tn_centroid(posed, i, c);
        uint64_t code = verify_surface_morton_bits(c[0], min[0], scale) |
                        verify_surface_morton_bits(c[1], min[1], scale) << 1 |
                        verify_surface_morton_bits(c[2], min[2], scale) << 2;
        items[i] = (tn_radix_item){.key = code, .value = i};
    }
    items = tn_radix_sort(items, spare, count);
    for (uint32_t i = 0; i < count; i++) {
        surface->order[i] = items[i].value;
        items[i].key = tn_main_joint(posed, posed->corners[3 * (size_t)items[i].value]);
    }
    if (count > FEW) items = tn_radix_sort(items, items == first ? spare : first, count);
    uint32_t next = 0;
    for (uint32_t i = 0, start = 0; i < count; i++) {
        bool is_long = i - start >= TN_BOXES;  // The gap is not longer than that.
        if (items[i].key != items[start].key) {
            while (is_long && next % TN_BOXES) surface->leaves[next++] = TENON_NONE;
            start = i;
        }
        surface->leaves[next++] = items[i].value;
    }
    surface->leaf_count = next;
    tn_arena_rewind(&context->arena, mark);
    return true;
}

// -- Boxes

// Widen box `lane` of a group.
static void verify_surface_widen_box(tn_boxes *group, uint32_t lane, uint32_t axis, float min,
                                     float max)
{
    if (min < group->min[axis][lane]) group->min[axis][lane] = min;
    if (max > group->max[axis][lane]) group->max[axis][lane] = max;
}

void tn_surface_moved(tn_surface *surface)
{
    surface->is_stale = true;
}

static void verify_surface_refit(tn_surface *surface)
{
    const float inf = (float)HUGE_VAL;
    surface->is_stale = false;
    for (uint32_t level = 0; level < surface->level_count; level++) {
        tn_boxes *groups = surface->groups[level];
        uint32_t below = level ? surface->group_counts[level - 1] : surface->leaf_count;
        for (uint32_t i = 0; i < surface->group_counts[level]; i++)
            for (uint32_t k = 0; k < 3 * TN_BOXES; k++) {
                groups[i].min[k / TN_BOXES][k % TN_BOXES] = inf;
                groups[i].max[k / TN_BOXES][k % TN_BOXES] = -inf;
            }
        for (uint32_t i = 0; i < below; i++) {
            if (level == 0 && surface->leaves[i] == TENON_NONE) continue;
            for (uint32_t k = 0; k < 3 * TN_BOXES; k++) {
                uint32_t axis = k / TN_BOXES, corner = k % TN_BOXES;
                if (level) {
                    const tn_boxes *of = &surface->groups[level - 1][i];
                    verify_surface_widen_box(&groups[i / TN_BOXES], i % TN_BOXES, axis,
                                             of->min[axis][corner], of->max[axis][corner]);
                } else if (corner < 3) {
                    float p = tn_corner(surface->posed, surface->leaves[i], corner)[axis];
                    verify_surface_widen_box(&groups[i / TN_BOXES], i % TN_BOXES, axis, p, p);
                }
            }
        }
    }
}

const uint32_t *tn_surface_order(const tn_surface *surface)
{
    return surface->order;
}

tn_surface *tn_surface_new(tn_match_context *context, const tn_posed_scene *posed)
{
    tn_surface *surface = tn_match_alloc(context, 1, sizeof *surface);
    if (!surface) return NULL;
    *surface = (tn_surface){.posed = posed,
                            .loops = tn_loops_here(),
                            .is_stale = true,
                            .budget = context->arena.allocator.budget};
    if (!verify_surface_sort_triangles(context, surface)) return NULL;
    uint32_t count = surface->leaf_count;
    while (count > 1 || (count == 1 && surface->level_count == 0)) {
        uint32_t level = surface->level_count++;
        count = count / TN_BOXES + (count % TN_BOXES > 0);
        surface->group_counts[level] = count;
        surface->groups[level] = tn_match_alloc(context, count, sizeof *surface->groups[level]);
    }
    return context->failed ? NULL : surface;
}

// -- Distances
//
// All distances are squared. The vector functions are here because calls into another file would
// take longer than the computation.

typedef struct vec {
    double x, y, z;
} vec;

static inline double verify_surface_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec verify_surface_minus(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec verify_surface_cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// From the origin to the line segment from a to b.
static double verify_surface_line_distance(vec a, vec b)
{
    vec direction = verify_surface_minus(b, a);
    double length = verify_surface_dot(direction, direction),
           along = -verify_surface_dot(a, direction);
    if (!(along > 0)) return verify_surface_dot(a, a);
    if (along >= length) return verify_surface_dot(b, b);
    double share = along / length;
    vec near = {a.x + share * direction.x, a.y + share * direction.y, a.z + share * direction.z};
    return verify_surface_dot(near, near);
}

static vec verify_surface_relative_to(const double p[3], const float *corner)
{
    return (vec){(double)corner[0] - p[0], (double)corner[1] - p[1], (double)corner[2] - p[2]};
}

// If the projection of the point is inside the triangle, the distance is that to its plane;
// otherwise, that to the nearest of the edges that it is beyond. A triangle that is a line has no
// usable plane: then all edges are examined. HUGE_VAL if the plane is farther away than `best`, and
// not by rounding.
static double verify_surface_triangle_distance(const tn_posed_scene *posed, uint32_t triangle,
                                               const double p[3], double best)
{
    vec a = verify_surface_relative_to(p, tn_corner(posed, triangle, 0));
    vec b = verify_surface_relative_to(p, tn_corner(posed, triangle, 1));
    vec c = verify_surface_relative_to(p, tn_corner(posed, triangle, 2));
    vec to_b = verify_surface_minus(b, a), to_c = verify_surface_minus(c, a),
        normal = verify_surface_cross(to_b, to_c);
    double size = verify_surface_dot(normal, normal), least = HUGE_VAL, distance;
    bool is_line =
        !(size > SQUARED_SINE * verify_surface_dot(to_b, to_b) * verify_surface_dot(to_c, to_c));
    double height = verify_surface_dot(normal, a), slack = PLANE_SLACK * verify_surface_dot(a, a);
    if (!is_line && height * height > (1.001 * best + slack) * size) return HUGE_VAL;
    bool is_beyond_ab = is_line || verify_surface_dot(normal, verify_surface_cross(a, b)) < 0;
    bool is_beyond_bc = is_line || verify_surface_dot(normal, verify_surface_cross(b, c)) < 0;
    bool is_beyond_ca = is_line || verify_surface_dot(normal, verify_surface_cross(c, a)) < 0;
    if (!is_beyond_ab && !is_beyond_bc && !is_beyond_ca) return height * height / size;
    if (is_beyond_ab && (distance = verify_surface_line_distance(a, b)) < least) least = distance;
    if (is_beyond_bc && (distance = verify_surface_line_distance(b, c)) < least) least = distance;
    if (is_beyond_ca && (distance = verify_surface_line_distance(c, a)) < least) least = distance;
    return least;
}

// -- Searching

// A box of the tree that is still to be looked into: the one around a group.
typedef struct pending_group {
    double distance;
    uint32_t level, index;
} pending_group;

// Search from the root down, the nearest box first.
double tn_surface_distance(tn_surface *surface, const double point[3], uint32_t near, double enough,
                           uint32_t *nearest)
{
    const tn_posed_scene *posed = surface->posed;
    if (surface->level_count == 0) return HUGE_VAL;
    double best = HUGE_VAL, most = HUGE_VAL;  // So far; what the result cannot exceed.
    if (near < posed->triangle_count) {
        most = verify_surface_triangle_distance(posed, near, point, HUGE_VAL);
        if (most <= enough) return most;
        if (!(most < HUGE_VAL)) most = HUGE_VAL;
    }
    if (*nearest < posed->triangle_count) {
        double distance = *nearest == near
                              ? most
                              : verify_surface_triangle_distance(posed, *nearest, point, most);
        if (distance < best) best = distance;
        if (best <= enough) return best;
    }
    if (surface->is_stale) verify_surface_refit(surface);
    pending_group stack[(TN_BOXES - 1) * LEVELS_MOST + 1];
    stack[0] = (pending_group){0, surface->level_count - 1, 0};
    uint64_t allowed = surface->looks + GROUPS_LOOKED, looks = 0;
    for (uint32_t count = 1; count > 0 && looks < allowed; looks++) {
        pending_group at = stack[--count];
        if (at.distance >= best || at.distance > most) continue;
        double squares[TN_BOXES];
        // Those of gaps are infinite, or NaN where the point is infinitely far away.
        surface->loops->box_squares(&surface->groups[at.level][at.index], point, squares);
        double limit = best < most ? best : most;
        for (uint32_t k = 0, first = count; at.level > 0 && k < TN_BOXES; k++) {
            if (!(squares[k] <= limit && squares[k] < best)) continue;
            uint32_t place = count++;
            for (; place > first && stack[place - 1].distance < squares[k]; place--)
                stack[place] = stack[place - 1];
            stack[place] = (pending_group){squares[k], at.level - 1, TN_BOXES * at.index + k};
        }
        for (uint32_t k = 0; at.level == 0 && k < TN_BOXES; k++) {
            if (!(squares[k] <= limit && squares[k] < best)) continue;
            uint32_t triangle = surface->leaves[TN_BOXES * at.index + k];
            double distance = verify_surface_triangle_distance(posed, triangle, point, best);
            if (!(distance < best)) continue;
            best = distance;
            *nearest = triangle;
        }
        if (best <= enough) break;
    }
    surface->looks = allowed - looks;
    // The box of a triangle may seem to be farther away than the triangle, by rounding.
    if (most < best) best = most, *nearest = near;
    (void)tn_budget_work(surface->budget,
                         2 * looks);  // The caller's loop stops if that is too much.
    return best;
}
