// verify_surface.c: the triangle nearest to a point.
// SPDX-License-Identifier: MIT
//
// A tree of boxes over the triangles in Morton order, in which each leaf holds a few that are
// neighbours. The tree is complete, so that a node's number says where its children are, and when
// the triangles move only the boxes are made anew.

#include "scene/compare/verify.h"

#define LEAF_SIZE  4
#define LOOKS      1024  // Boxes that searches may look into, on average: keeps time linear.
#define DEPTH_MOST 64
#define FLAT       1e-20  // Of the square of the sine of an angle that is none.

typedef struct bounding_box {
    float min[3], max[3];
} bounding_box;

struct tn_surface {
    const tn_posed_scene *posed;
    uint32_t *order;      // Triangles.
    uint32_t leaf_count;  // Also the number of the first leaf, plus 1: leaves come last.
    uint32_t turn;        // Leaves of the lowest level, which come first in order.
    uint64_t looks;       // Left over from searches that needed less.
    tenon_budget *budget;
    bounding_box *boxes;  // Of 2 * leaf_count - 1 nodes; the children of i are 2 i + 1 and 2 i + 2.
};

// -- Order

// Put two zero bits in front of each of the lowest 21 bits.
static uint64_t spread(uint64_t v)
{
    v = (v | v << 32) & 0x001f00000000ffffu;
    v = (v | v << 16) & 0x001f0000ff0000ffu;
    v = (v | v << 8) & 0x100f00f00f00f00fu;
    v = (v | v << 4) & 0x10c30c30c30c30c3u;
    return (v | v << 2) & 0x1249249249249249u;
}

static uint64_t to_grid(double place, double min, double scale)
{
    const double most = 0x1fffff;
    double v = (place - min) * scale * most;
    if (!(v > 0)) return 0;
    return v < most ? (uint64_t)v : (uint64_t)most;
}

static uint64_t morton_code(const tn_posed_scene *posed, uint32_t triangle, const double min[3],
                            double scale)
{
    double c[3];
    tn_centroid(posed, triangle, c);
    return spread(to_grid(c[0], min[0], scale)) | spread(to_grid(c[1], min[1], scale)) << 1 |
           spread(to_grid(c[2], min[2], scale)) << 2;
}

static void measure(const tn_posed_scene *posed, double min[3], double *scale)
{
    double max[3], size = 0;
    (void)tenon_pose_bounds(posed->pose, min, max);
    for (uint32_t k = 0; k < 3; k++)
        if (max[k] - min[k] > size) size = max[k] - min[k];
    *scale = size > 0 ? 1 / size : 0;
}

static bool put_in_order(tn_verify_context *context, tn_surface *surface)
{
    const tn_posed_scene *posed = surface->posed;
    uint32_t count = posed->triangle_count;
    double min[3], scale;
    surface->order = tn_verify_alloc(context, count, sizeof *surface->order);
    tn_mark mark = tn_arena_mark(&context->arena);
    tn_radix_item *items = tn_verify_alloc(context, count, sizeof *items);
    tn_radix_item *spare = tn_verify_alloc(context, count, sizeof *spare);
    if (context->failed) return false;
    measure(posed, min, &scale);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (tn_radix_item){.key = morton_code(posed, i, min, scale), .value = i};
    items = tn_radix_sort(items, spare, count);
    for (uint32_t i = 0; i < count; i++) surface->order[i] = items[i].value;
    tn_arena_rewind(&context->arena, mark);
    return true;
}

// -- Boxes

// Which leaf, counted from left to right, a node is: those of the lowest level have the largest
// numbers, but are the leftmost.
static uint32_t leaf_of(const tn_surface *surface, uint32_t node)
{
    uint32_t number = node - (surface->leaf_count - 1), upper = surface->leaf_count - surface->turn;
    return number < upper ? number + surface->turn : number - upper;
}

static uint32_t leaf_end(const tn_surface *surface, uint32_t leaf)
{
    uint32_t left = surface->posed->triangle_count - leaf * LEAF_SIZE;
    return leaf * LEAF_SIZE + (left < LEAF_SIZE ? left : LEAF_SIZE);
}

static void widen(bounding_box *b, const float *min, const float *max)
{
    for (uint32_t k = 0; k < 3; k++) {
        if (min[k] < b->min[k]) b->min[k] = min[k];
        if (max[k] > b->max[k]) b->max[k] = max[k];
    }
}

static bounding_box leaf_box(const tn_surface *surface, uint32_t leaf)
{
    const float inf = (float)HUGE_VAL;
    bounding_box b = {{inf, inf, inf}, {-inf, -inf, -inf}};
    for (uint32_t i = leaf * LEAF_SIZE; i < leaf_end(surface, leaf); i++)
        for (uint32_t k = 0; k < 3; k++) {
            const float *p = tn_corner(surface->posed, surface->order[i], k);
            widen(&b, p, p);
        }
    return b;
}

void tn_surface_refit(tn_surface *surface)
{
    uint32_t count = surface->leaf_count;
    if (count == 0) return;
    for (uint32_t i = count - 1; i < 2 * count - 1; i++)
        surface->boxes[i] = leaf_box(surface, leaf_of(surface, i));
    for (uint32_t i = count - 1; i-- > 0;) {
        const bounding_box *right = &surface->boxes[2 * i + 2];
        surface->boxes[i] = surface->boxes[2 * i + 1];
        widen(&surface->boxes[i], right->min, right->max);
    }
}

const uint32_t *tn_surface_order(const tn_surface *surface)
{
    return surface->order;
}

tn_surface *tn_surface_new(tn_verify_context *context, const tn_posed_scene *posed)
{
    tn_surface *surface = tn_verify_alloc(context, 1, sizeof *surface);
    if (!surface) return NULL;
    uint32_t leaves = posed->triangle_count / LEAF_SIZE + (posed->triangle_count % LEAF_SIZE > 0);
    uint32_t lowest = 1;  // Leaves that a full tree of the next lower depth has.
    while (lowest <= leaves / 2) lowest *= 2;
    *surface = (tn_surface){.posed = posed,
                            .leaf_count = leaves,
                            .turn = 2 * (leaves - lowest),
                            .budget = context->arena.allocator.budget};
    surface->boxes = tn_verify_alloc(context, 2 * (uint64_t)leaves, sizeof *surface->boxes);
    if (!put_in_order(context, surface)) return NULL;
    tn_surface_refit(surface);
    return surface;
}

// -- Distances
// All of these are squares. Vectors are of our own: calls into another file would cost more than
// the work.

typedef struct vec {
    double x, y, z;
} vec;

static inline double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec minus(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double box_distance(const bounding_box *b, const double p[3])
{
    double sum = 0;
    for (uint32_t k = 0; k < 3; k++) {
        double low = (double)b->min[k] - p[k], high = p[k] - (double)b->max[k];
        double out = low > high ? low : high;
        out = out > 0 ? out : 0;
        sum += out * out;
    }
    return sum;
}

// From the origin to the line from a to b.
static double line_distance(vec a, vec b)
{
    vec way = minus(b, a);
    double length = dot(way, way), along = -dot(a, way);
    if (!(along > 0)) return dot(a, a);
    if (along >= length) return dot(b, b);
    double share = along / length;
    vec near = {a.x + share * way.x, a.y + share * way.y, a.z + share * way.z};
    return dot(near, near);
}

static vec seen_from(const double p[3], const float *corner)
{
    return (vec){(double)corner[0] - p[0], (double)corner[1] - p[1], (double)corner[2] - p[2]};
}

// If the point lies over the triangle, the distance is that to its plane; else that to an edge, of
// which those count that the point lies beyond. The plane of a triangle that is but a line is
// nothing to go by: then all edges count.
static double triangle_distance(const tn_posed_scene *posed, uint32_t triangle, const double p[3])
{
    vec a = seen_from(p, tn_corner(posed, triangle, 0));
    vec b = seen_from(p, tn_corner(posed, triangle, 1));
    vec c = seen_from(p, tn_corner(posed, triangle, 2));
    vec to_b = minus(b, a), to_c = minus(c, a), normal = cross(to_b, to_c);
    double size = dot(normal, normal), least = HUGE_VAL, distance;
    bool is_line = !(size > FLAT * dot(to_b, to_b) * dot(to_c, to_c));
    bool is_beyond_ab = is_line || dot(normal, cross(a, b)) < 0;
    bool is_beyond_bc = is_line || dot(normal, cross(b, c)) < 0;
    bool is_beyond_ca = is_line || dot(normal, cross(c, a)) < 0;
    if (!is_beyond_ab && !is_beyond_bc && !is_beyond_ca) {
        double height = dot(normal, a);
        return height * height / size;
    }
    if (is_beyond_ab && (distance = line_distance(a, b)) < least) least = distance;
    if (is_beyond_bc && (distance = line_distance(b, c)) < least) least = distance;
    if (is_beyond_ca && (distance = line_distance(c, a)) < least) least = distance;
    return least;
}

// -- Searching

typedef struct surface_search {
    tn_surface *surface;
    const double *point;
    double best;
    uint32_t nearest;
} surface_search;

// A box that is still to be looked into.
typedef struct waiting {
    double distance;
    uint32_t node;
} waiting;

static void look_at(surface_search *search, uint32_t triangle)
{
    double distance = triangle_distance(search->surface->posed, triangle, search->point);
    if (!(distance < search->best)) return;
    search->best = distance;
    search->nearest = triangle;
}

static void look_at_leaf(surface_search *search, uint32_t node)
{
    uint32_t leaf = leaf_of(search->surface, node);
    for (uint32_t i = leaf * LEAF_SIZE; i < leaf_end(search->surface, leaf); i++)
        look_at(search, search->surface->order[i]);
}

// How far the middle of a box is, to choose between two that hold the point. Twice as far, in fact.
static double middle_distance(const bounding_box *b, const double p[3])
{
    double sum = 0;
    for (uint32_t k = 0; k < 3; k++) {
        double out = (double)b->min[k] + (double)b->max[k] - 2 * p[k];
        sum += out * out;
    }
    return sum;
}

static bool is_left_nearer(const bounding_box *children, double left, double right,
                           const double p[3])
{
    if (left != right) return left < right;
    return middle_distance(&children[0], p) <= middle_distance(&children[1], p);
}

// From the root down, the nearer child first; the other one waits.
static void descend(surface_search *search)
{
    waiting stack[DEPTH_MOST] = {{0}};
    uint32_t count = 1, first_leaf = search->surface->leaf_count - 1;
    uint64_t allowed = search->surface->looks + LOOKS, looks = 0;
    for (; count > 0 && looks < allowed; looks++) {
        waiting at = stack[--count];
        if (!(at.distance < search->best)) continue;
        if (at.node >= first_leaf) {
            look_at_leaf(search, at.node);
            continue;
        }
        const bounding_box *children = &search->surface->boxes[2 * (size_t)at.node + 1];
        waiting left = {box_distance(&children[0], search->point), 2 * at.node + 1};
        waiting right = {box_distance(&children[1], search->point), 2 * at.node + 2};
        bool is_left = is_left_nearer(children, left.distance, right.distance, search->point);
        waiting nearer = is_left ? left : right, farther = is_left ? right : left;
        if (farther.distance < search->best) stack[count++] = farther;
        if (nearer.distance < search->best) stack[count++] = nearer;
    }
    search->surface->looks = allowed - looks;
    (void)tn_budget_work(search->surface->budget, looks);  // Whoever searches asks the pulse.
}

double tn_surface_distance(tn_surface *surface, const double point[3], uint32_t *nearest)
{
    surface_search search = {
        .surface = surface, .point = point, .best = HUGE_VAL, .nearest = *nearest};
    if (surface->leaf_count == 0) return HUGE_VAL;
    if (*nearest < surface->posed->triangle_count) look_at(&search, *nearest);
    descend(&search);
    *nearest = search.nearest;
    return search.best;
}
