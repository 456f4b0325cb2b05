// verify.h: the pieces of tenon_verify(): what a scene draws, which triangles of two scenes are the
// same, and how far a point is from a surface.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_COMPARE_VERIFY_H
#define TN_SCENE_COMPARE_VERIFY_H

#include "core/memory/arena.h"
#include "core/memory/pulse.h"
#include "core/text/error.h"

#include <tenon/scene.h>

#include <math.h>

// -- Memory

// Memory, pulse and error of one call of tenon_verify().
typedef struct tn_verify_context {
    tn_arena arena;
    tn_pulse pulse;
    tenon_error *err;  // May be NULL.
    bool failed;
} tn_verify_context;

// Zeroed memory; NULL, and it fails, if there is none.
void *tn_verify_alloc(tn_verify_context *context, uint64_t count, size_t size);

// Fail as cancelled, unless it is still wanted; returns that.
bool tn_verify_expect(tn_verify_context *context, bool is_wanted);

// -- Sorting

typedef struct tn_radix_item {
    uint64_t key;
    uint32_t value;
} tn_radix_item;

// By key; equal ones keep their order. `spare` has room for `count`. The result is in one of the
// two, which is returned.
tn_radix_item *tn_radix_sort(tn_radix_item *items, tn_radix_item *spare, uint64_t count);

// -- Names

// Texts at the start of structs of `stride` bytes.
typedef struct tn_name_list {
    const void *first;
    size_t stride;
    uint32_t count;
} tn_name_list;

// Names are the same but for the case of ASCII letters and for what stands before the last '|',
// where some exporters put the armature. Those that are have the same number; others seldom have.
uint64_t tn_name_hash(tenon_str name);

// The name that is closest: the very same, or else one that is the same; TENON_NONE if there is
// none.
uint32_t tn_find_name(const tn_name_list *names, tenon_str name);

// Pair names: those that are the same, closest first; then, in order, those that are left.
// partners[i] becomes the number in `b` of name i of `a`, or TENON_NONE. With `only_equal_counts`
// there is no pairing by order of what has a name, unless both have as many.
bool tn_pair_names(tn_verify_context *context, const tn_name_list *a, const tn_name_list *b,
                   bool only_equal_counts, uint32_t *partners);

// -- What a scene draws

// One primitive of the mesh of one node.
typedef struct tn_verify_part {
    uint32_t node, mesh, primitive;
    uint32_t first_vertex;
    uint32_t partner_mesh;  // In B: the mesh of A that it is paired with; TENON_NONE: none.
    uint64_t node_hash;     // Of the node's name.
} tn_verify_part;

// A polygon of the file that was cut into triangles.
typedef struct tn_polygon {
    uint32_t first, count;  // Triangles.
} tn_polygon;

// Lists of numbers, one for each of some things: those of thing i are items[starts[i]] to
// items[starts[i + 1] - 1].
typedef struct tn_index_lists {
    uint32_t *starts, *items;
} tn_index_lists;

// Pieces are triangles, then lines, then points. Posing moves only the parts that the clip moves.
typedef struct tn_posed_scene {
    const tenon_scene *scene;
    tenon_pose *pose;
    uint32_t part_count;
    tn_verify_part *parts;
    uint32_t vertex_count;
    float *positions;           // 3 each, as posed last.
    uint32_t animation;         // That it was posed at; TENON_NONE: at rest.
    uint32_t *node_parts;       // Of each node: its first part; one more, where all end.
    tn_index_lists skin_parts;  // Of each skin: the parts that it moves.
    uint32_t moved_count;
    uint32_t *moved_parts;  // That the animation moves.
    bool *is_part_moved, *is_skin_moved;
    uint32_t triangle_count, line_count, point_count;
    uint32_t *corners;      // 3 vertices for each piece; lines and points repeat the last one.
    uint32_t *piece_parts;  // Of each piece.
    uint32_t *partners;     // Piece of the other side, times 4, plus the shift; TENON_NONE.
    uint32_t polygon_count;
    tn_polygon *polygons;  // Of more than one triangle.
} tn_posed_scene;

static inline uint32_t tn_total_piece_count(const tn_posed_scene *posed)
{
    return posed->triangle_count + posed->line_count + posed->point_count;
}

// How many corners a piece has.
static inline uint32_t tn_corner_count(const tn_posed_scene *posed, uint32_t piece)
{
    if (piece < posed->triangle_count) return 3;
    return piece - posed->triangle_count < posed->line_count ? 2 : 1;
}

// Corner k of a piece of A is corner (k + shift) % count of its partner. TN_IN_POLYGON as the
// shift: it has no partner of its own, but its polygon has.
#define TN_PARTNER_SHIFT(partner) ((partner)&3u)
#define TN_PARTNER_PIECE(partner) ((partner) >> 2)
#define TN_IN_POLYGON             3u

// Gather what is drawn, at rest. The pose is freed by tn_posed_scene_end(), zeroed is fine.
bool tn_posed_scene_begin(tn_verify_context *context, tn_posed_scene *posed,
                          const tenon_scene *scene);
void tn_posed_scene_end(tn_posed_scene *posed);

// Pose it, and put all vertices in their places.
void tn_pose_scene(tn_posed_scene *posed, uint32_t animation, double seconds);

const tn_verify_part *tn_part_of_vertex(const tn_posed_scene *posed, uint32_t vertex);

// The joint that moves a vertex most, or the node that has it.
uint32_t tn_main_joint(const tn_posed_scene *posed, uint32_t vertex);

static inline const float *tn_corner(const tn_posed_scene *posed, uint32_t piece, uint32_t k)
{
    return posed->positions + 3 * (size_t)posed->corners[3 * (size_t)piece + k];
}

static inline void tn_centroid(const tn_posed_scene *posed, uint32_t triangle, double out[3])
{
    const float *a = tn_corner(posed, triangle, 0), *b = tn_corner(posed, triangle, 1),
                *c = tn_corner(posed, triangle, 2);
    for (uint32_t k = 0; k < 3; k++) out[k] = ((double)a[k] + (double)b[k] + (double)c[k]) / 3;
}

// Poses of absurd scenes may overflow: what is not finite in both is in the same place, what is so
// in one is infinitely far from the other.
static inline double tn_coordinate_difference(float a, float b)
{
    double gap = (double)a - (double)b;
    if (gap - gap == 0) return gap;
    return a - a == 0 || b - b == 0 ? HUGE_VAL : 0;
}

// The square of the distance of two points.
static inline double tn_squared_distance(const float *a, const float *b)
{
    double x = tn_coordinate_difference(a[0], b[0]), y = tn_coordinate_difference(a[1], b[1]),
           z = tn_coordinate_difference(a[2], b[2]);
    return x * x + y * y + z * z;
}

// -- Cells of a grid

// The cell that a place is in along one axis. Cells far out are one, lest numbers overflow.
static inline int64_t tn_cell_at(double place, double size)
{
    const double most = 1e15;
    double cell = floor(place / size);
    if (!(cell > -most)) return -(int64_t)most;
    return cell < most ? (int64_t)cell : (int64_t)most;
}

static inline uint64_t tn_cell_hash(int64_t x, int64_t y, int64_t z)
{
    uint64_t hash = (uint64_t)x * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ (uint64_t)y) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 32 ^ (uint64_t)z) * 0x94d049bb133111ebu;
    return hash ^ hash >> 31;
}

// -- Matching

// Vertices of A and B that are the same corner.
typedef struct tn_vertex_pair {
    uint32_t a, b;
} tn_vertex_pair;

typedef struct tn_vertex_pair_list {
    uint32_t count;
    tn_vertex_pair *items;
} tn_vertex_pair_list;

// Pair the triangles, lines and points that are in the same place now. `extent` is the size of the
// model. *reversed gets how many triangles of `a` that are left `b` has inside out; `polygons` the
// corners of polygons that the two sides cut into triangles differently.
bool tn_match_geometry(tn_verify_context *context, tn_posed_scene *a, tn_posed_scene *b,
                       double extent, tn_vertex_pair_list *polygons, uint32_t *reversed);

// Pair the polygons of which triangles have no partner: a polygon of one side is the same as
// triangles of the other that fill its outline. Corners are the same within `tolerance`. `a` and
// `b` may be swapped, which `is_swapped` says. Adds the corners to `pairs`.
bool tn_match_polygons(tn_verify_context *context, tn_posed_scene *a, tn_posed_scene *b,
                       double tolerance, bool is_swapped, tn_vertex_pair_list *pairs);

// -- Surfaces

// The triangles of a side, to find the nearest one.
typedef struct tn_surface tn_surface;

tn_surface *tn_surface_new(tn_verify_context *context, const tn_posed_scene *posed);

// The triangles in an order in which neighbours follow each other.
const uint32_t *tn_surface_order(const tn_surface *surface);

// The triangles have moved.
void tn_surface_refit(tn_surface *surface);

// The square of the distance to the nearest triangle, which *nearest gets; on entry that is a
// guess. Infinite if there is none. Where very many overlap not all are looked at: the answer may
// be too large, never too small.
double tn_surface_distance(tn_surface *surface, const double point[3], uint32_t *nearest);

// -- Comparing

// Points of a side that have to be on the surface of the other.
typedef struct tn_sample_points {
    uint32_t vertex_count, triangle_count;
    uint32_t *vertices;   // Each once.
    uint32_t *triangles;  // Their centroids count.
    uint32_t offset;      // With which point to start, if not all are looked at.
} tn_sample_points;

#define TN_COINCIDENT_MOST 4

// A vertex of A and those of B that are in the same place at rest; TENON_NONE: no more.
typedef struct tn_coincident_vertices {
    uint32_t vertex, others[TN_COINCIDENT_MOST];
} tn_coincident_vertices;

// How two sides are compared, and what was found so far. Distances are squares.
typedef struct tn_comparison {
    tn_verify_context *context;
    const tn_posed_scene *a, *b;
    tn_vertex_pair_list pairs;
    uint32_t coincident_count;
    tn_coincident_vertices
        *coincident;  // By surface: what distances to a surface do not show is motion along it.  //
                      // By surface: what distances to a surface do not show is motion along it.
    tn_sample_points a_points, b_points;
    tn_surface *a_surface, *b_surface;  // NULL: nothing is compared with it.
    double largest, squares;
    uint64_t count;
    uint32_t worst_vertex;         // Of A; TENON_NONE: nowhere.
    struct tn_moved_pairs *moved;  // What a clip moves; NULL: all pairs are always compared.
} tn_comparison;

// Pieces that have partners are compared corner by corner, and `polygons` too; other triangles by
// surface. By surface: all triangles of both sides. What has nothing to be compared with is
// infinitely far away.
bool tn_compare_begin(tn_verify_context *context, tn_comparison *comparison,
                      const tn_posed_scene *a, const tn_posed_scene *b,
                      const tn_vertex_pair_list *polygons, bool by_surface);

// Note for each vertex of triangles of A which vertices of B are in the same place now, if they are
// few. `extent` is the size of the model.
bool tn_find_coincident_vertices(tn_verify_context *context, tn_comparison *comparison,
                                 double extent);

// Compare the sides as they are posed now. If not `thorough`, of many points on surfaces only some
// are looked at, each time others.
void tn_compare(tn_comparison *comparison, bool thorough);

// -- Times

typedef struct tn_time_list {
    uint32_t count;
    double *seconds;  // Ascending, without repetition.
} tn_time_list;

// The times at which to compare two clips: their keys, but not too many, and `samples` times at
// equal distances. Either animation may be NULL.
bool tn_collect_times(tn_verify_context *context, const tenon_animation *a,
                      const tenon_animation *b, uint32_t samples, tn_time_list *times);

#endif  // TN_SCENE_COMPARE_VERIFY_H
