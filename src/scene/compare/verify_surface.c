// verify_surface.c: the triangle that is nearest to a point.
// SPDX-License-Identifier: MIT
//
// A tree of bounding boxes over the triangles in Morton order; each leaf holds a few neighbors. The
// tree is complete, so the index of a node gives those of its children, and only the boxes have to
// be computed again when the triangles move.

#include "scene/compare/verify.h"

#define LEAF_SIZE     4
#define BOXES_VISITED 1024  // By a search, on average, at most: keeps time linear.
#define DEPTH_MOST    64
#define SQUARED_SINE  1e-20  // Of an angle below which a triangle is a line.

typedef struct bounding_box {
    float min[3], max[3];
} bounding_box;

struct tn_surface {
    const tn_posed_scene *posed;
    uint32_t *order;        // Triangles in Morton order,
    uint32_t *leaves;       // and as the leaves have them: the same, or grouped by joint.
    uint32_t leaf_count;    // Leaves are the last nodes: the first one is node leaf_count - 1.
    uint32_t lowest_count;  // Leaves of the lowest level, which are the first in order.
    uint64_t visits;        // Left over from searches that needed fewer.
    tenon_budget *budget;
    bool is_stale;        // The boxes have to be computed again.
    bounding_box *boxes;  // Of 2 * leaf_count - 1 nodes; the children of i are 2 i + 1 and 2 i + 2.
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

// With `by_joint`, leaves hold triangles that one joint moves: limbs that are near each other in
// the rest pose may be far apart in others.
static bool verify_surface_sort_triangles(tn_match_context *context, tn_surface *surface,
                                          bool by_joint)
{
    const tn_posed_scene *posed = surface->posed;
    uint32_t count = posed->triangle_count;
    surface->order = tn_match_alloc(context, count, sizeof *surface->order);
    surface->leaves =
        by_joint ? tn_match_alloc(context, count, sizeof *surface->leaves) : surface->order;
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
    if (by_joint) items = tn_radix_sort(items, items == first ? spare : first, count);
    for (uint32_t i = 0; by_joint && i < count; i++) surface->leaves[i] = items[i].value;
    tn_arena_rewind(&context->arena, mark);
    return true;
}

// -- Boxes

// The range of `leaves` that a leaf holds. Leaves of the lowest level have the largest indices, but
// are the leftmost.
static void verify_surface_find_leaf_range(const tn_surface *surface, uint32_t node,
                                           uint32_t *first, uint32_t *end)
{
    uint32_t number = node - (surface->leaf_count - 1);
    uint32_t upper = surface->leaf_count - surface->lowest_count;
    uint32_t leaf = number < upper ? number + surface->lowest_count : number - upper;
    *first = leaf * LEAF_SIZE;
    uint32_t left = surface->posed->triangle_count - *first;
    *end = *first + (left < LEAF_SIZE ? left : LEAF_SIZE);
}

static void verify_surface_widen_box(bounding_box *box, const float *min, const float *max)
{
    for (uint32_t k = 0; k < 3; k++) {
        if (min[k] < box->min[k]) box->min[k] = min[k];
        if (max[k] > box->max[k]) box->max[k] = max[k];
    }
}

void tn_surface_moved(tn_surface *surface)
{
    surface->is_stale = true;
}

static void verify_surface_refit(tn_surface *surface)
{
    const float inf = (float)HUGE_VAL;
    uint32_t count = surface->leaf_count;
    surface->is_stale = false;
    for (uint32_t node = count - 1; node < 2 * count - 1; node++) {
        bounding_box box = {{inf, inf, inf}, {-inf, -inf, -inf}};
        uint32_t first, end;
        verify_surface_find_leaf_range(surface, node, &first, &end);
        for (uint32_t i = first; i < end; i++)
            for (uint32_t k = 0; k < 3; k++) {
                const float *p = tn_corner(surface->posed, surface->leaves[i], k);
                verify_surface_widen_box(&box, p, p);
            }
        surface->boxes[node] = box;
    }
    for (uint32_t node = count - 1; node-- > 0;) {
        const bounding_box *right = &surface->boxes[2 * node + 2];
        surface->boxes[node] = surface->boxes[2 * node + 1];
        verify_surface_widen_box(&surface->boxes[node], right->min, right->max);
    }
}

const uint32_t *tn_surface_order(const tn_surface *surface)
{
    return surface->order;
}

tn_surface *tn_surface_new(tn_match_context *context, const tn_posed_scene *posed, bool by_joint)
{
    tn_surface *surface = tn_match_alloc(context, 1, sizeof *surface);
    if (!surface) return NULL;
    uint32_t leaves = posed->triangle_count / LEAF_SIZE + (posed->triangle_count % LEAF_SIZE > 0);
    uint32_t full = 1;  // Leaves of the largest full tree that has no more of them.
    while (full <= leaves / 2) full *= 2;
    *surface = (tn_surface){.posed = posed,
                            .leaf_count = leaves,
                            .lowest_count = 2 * (leaves - full),
                            .is_stale = true,
                            .budget = context->arena.allocator.budget};
    surface->boxes = tn_match_alloc(context, 2 * (uint64_t)leaves, sizeof *surface->boxes);
    return verify_surface_sort_triangles(context, surface, by_joint) ? surface : NULL;
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

static double verify_surface_box_distance(const bounding_box *box, const double p[3])
{
    double sum = 0;
    for (uint32_t k = 0; k < 3; k++) {
        double low = (double)box->min[k] - p[k], high = p[k] - (double)box->max[k];
        double out = low > high ? low : high;
        out = out > 0 ? out : 0;
        sum += out * out;
    }
    return sum;
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

// The squared distance from a point to the bounding box of a triangle.
static double verify_surface_triangle_box_distance(const tn_posed_scene *posed, uint32_t triangle,
                                                   const double p[3])
{
    const float *a = tn_corner(posed, triangle, 0), *b = tn_corner(posed, triangle, 1),
                *c = tn_corner(posed, triangle, 2);
    bounding_box box;
    for (uint32_t k = 0; k < 3; k++) {
        float low = a[k] < b[k] ? a[k] : b[k], high = a[k] < b[k] ? b[k] : a[k];
        box.min[k] = c[k] < low ? c[k] : low;
        box.max[k] = c[k] > high ? c[k] : high;
    }
    return verify_surface_box_distance(&box, p);
}

// If the projection of the point is inside the triangle, the distance is that to its plane;
// otherwise, that to the nearest of the edges that it is beyond. A triangle that is a line has no
// usable plane: then all edges are examined.
static double verify_surface_triangle_distance(const tn_posed_scene *posed, uint32_t triangle,
                                               const double p[3])
{
    vec a = verify_surface_relative_to(p, tn_corner(posed, triangle, 0));
    vec b = verify_surface_relative_to(p, tn_corner(posed, triangle, 1));
    vec c = verify_surface_relative_to(p, tn_corner(posed, triangle, 2));
    vec to_b = verify_surface_minus(b, a), to_c = verify_surface_minus(c, a),
        normal = verify_surface_cross(to_b, to_c);
    double size = verify_surface_dot(normal, normal), least = HUGE_VAL, distance;
    bool is_line =
        !(size > SQUARED_SINE * verify_surface_dot(to_b, to_b) * verify_surface_dot(to_c, to_c));
    bool is_beyond_ab = is_line || verify_surface_dot(normal, verify_surface_cross(a, b)) < 0;
    bool is_beyond_bc = is_line || verify_surface_dot(normal, verify_surface_cross(b, c)) < 0;
    bool is_beyond_ca = is_line || verify_surface_dot(normal, verify_surface_cross(c, a)) < 0;
    if (!is_beyond_ab && !is_beyond_bc && !is_beyond_ca) {
        double height = verify_surface_dot(normal, a);
        return height * height / size;
    }
    if (is_beyond_ab && (distance = verify_surface_line_distance(a, b)) < least) least = distance;
    if (is_beyond_bc && (distance = verify_surface_line_distance(b, c)) < least) least = distance;
    if (is_beyond_ca && (distance = verify_surface_line_distance(c, a)) < least) least = distance;
    return least;
}

// -- Searching

// Twice the distance to the center of a box, to choose between two boxes that hold the point.
static double verify_surface_center_distance(const bounding_box *box, const double p[3])
{
    double sum = 0;
    for (uint32_t k = 0; k < 3; k++) {
        double out = (double)box->min[k] + (double)box->max[k] - 2 * p[k];
        sum += out * out;
    }
    return sum;
}

// A node of the tree that is still to be visited.
typedef struct pending_node {
    double distance;
    uint32_t node;
} pending_node;

// Search from the root down, the nearer child first.
double tn_surface_distance(tn_surface *surface, const double point[3], uint32_t near, double enough,
                           uint32_t *nearest)
{
    if (surface->leaf_count == 0) return HUGE_VAL;
    double best = HUGE_VAL, most = HUGE_VAL;  // So far; what the result cannot exceed.
    if (near < surface->posed->triangle_count) {
        most = verify_surface_triangle_distance(surface->posed, near, point);
        if (most <= enough) return most;
    }
    if (*nearest < surface->posed->triangle_count) {
        double distance = verify_surface_triangle_distance(surface->posed, *nearest, point);
        if (distance < best) best = distance;
        if (best <= enough) return best;
    }
    if (!(most < HUGE_VAL)) most = HUGE_VAL;
    if (surface->is_stale) verify_surface_refit(surface);
    pending_node stack[DEPTH_MOST] = {{0}};
    uint32_t count = 1, first_leaf = surface->leaf_count - 1;
    uint64_t allowed = surface->visits + BOXES_VISITED, visits = 0;
    for (; count > 0 && visits < allowed; visits++) {
        pending_node at = stack[--count];
        if (!(at.distance < best) || at.distance > most) continue;
        if (at.node >= first_leaf) {
            uint32_t first, end;
            verify_surface_find_leaf_range(surface, at.node, &first, &end);
            for (uint32_t i = first; i < end; i++) {
                uint32_t triangle = surface->leaves[i];
                double box = verify_surface_triangle_box_distance(surface->posed, triangle, point);
                if (box >= best || box > most) continue;
                double distance = verify_surface_triangle_distance(surface->posed, triangle, point);
                if (!(distance < best)) continue;
                best = distance;
                *nearest = triangle;
            }
            if (best <= enough) count = 0;
            continue;
        }
        const bounding_box *children = &surface->boxes[2 * (size_t)at.node + 1];
        pending_node left = {verify_surface_box_distance(&children[0], point), 2 * at.node + 1};
        pending_node right = {verify_surface_box_distance(&children[1], point), 2 * at.node + 2};
        bool is_left_nearer = left.distance != right.distance
                                  ? left.distance < right.distance
                                  : verify_surface_center_distance(&children[0], point) <=
                                        verify_surface_center_distance(&children[1], point);
        pending_node nearer = is_left_nearer ? left : right;
        pending_node farther = is_left_nearer ? right : left;
        if (farther.distance < best && farther.distance <= most) stack[count++] = farther;
        if (nearer.distance < best && nearer.distance <= most) stack[count++] = nearer;
    }
    surface->visits = allowed - visits;
    // The box of a triangle may seem to be farther away than the triangle, by rounding.
    if (most < best) best = most, *nearest = near;
    (void)tn_budget_work(surface->budget, visits);  // The caller's loop stops if that is too much.
    return best;
}
