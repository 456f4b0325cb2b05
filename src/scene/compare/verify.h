// verify.h: the parts of tenon_verify(): the geometry of a posed scene, which triangles of two
// scenes are the same, and how far a point is from a surface.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_COMPARE_VERIFY_H
#define TN_SCENE_COMPARE_VERIFY_H

#include "core/cursor/wide.h"
#include "scene/compare/grid.h"

// -- Verifying (verify.c)

// What to find out. The less it is, the faster.
enum {
    TN_VERIFY_AT_REST = 1,         // The largest distance in the rest pose.
    TN_VERIFY_BETWEEN_FRAMES = 2,  // result.between_frames
    TN_VERIFY_LARGEST = 4,         // result.largest, and where it is
    TN_VERIFY_VERDICT = 15,        // The whole result but the mean.
    TN_VERIFY_ALL = 31,            // The whole result.
    TN_VERIFY_CLIPS_APART = 32,    // measures.in_clips, if the result is of the rest pose only.
};

typedef struct tn_verify_measures {
    tenon_verify_result result;
    double at_rest;   // The largest distance in the first pose that is compared.
    double in_clips;  // The largest distance in all poses, as without `rest_only`.
} tn_verify_measures;

// As tenon_verify(), of scenes that are valid. What `wanted`, bits of the enum above, does not ask
// for is 0 or undefined.
bool tn_verify(const tenon_scene *a, const tenon_scene *b, const tenon_verify_opts *opts,
               uint32_t wanted, tn_verify_measures *measures, tenon_error *err);

// -- Sorting (verify_times.c)

typedef struct tn_radix_item {
    uint64_t key;
    uint32_t value;
} tn_radix_item;

// Sort by key; items with equal keys keep their order. `spare` has `count` elements. The result is
// in `items` or in `spare`: whichever is returned.
tn_radix_item *tn_radix_sort(tn_radix_item *items, tn_radix_item *spare, uint64_t count);

// -- The geometry of a posed scene (verify_posed_scene.c)

// One primitive of the mesh of one node.
typedef struct tn_verify_part {
    uint32_t node, mesh, primitive;
    uint32_t first_vertex;
    uint32_t partner_mesh;  // In B: the mesh of A that it is paired with, or TENON_NONE.
    uint64_t node_hash;     // tn_name_hash() of the node's name.
} tn_verify_part;

// A polygon of the file that was split into triangles.
typedef struct tn_polygon {
    uint32_t first_triangle, triangle_count;
} tn_polygon;

// A list of indices for each of several objects: items[starts[i]] to items[starts[i + 1] - 1].
typedef struct tn_index_lists {
    uint32_t *starts, *items;
} tn_index_lists;

// Everything that a scene shows. Pieces are triangles, then lines, then points.
typedef struct tn_posed_scene {
    const tenon_scene *scene;
    tenon_pose *pose;
    uint32_t part_count;
    tn_verify_part *parts;
    uint32_t vertex_count;
    float *positions;           // 3 per vertex, in the current pose; one vertex more is unused.
    uint32_t animation;         // Of the current pose; TENON_NONE: rest pose.
    bool is_at_rest;            // The positions are those of the rest pose.
    uint32_t *node_parts;       // First part of each node; one more for the end.
    tn_index_lists skin_parts;  // The parts that each skin moves.
    uint32_t moved_count;
    uint32_t *moved_parts;  // That the animation moves.
    bool *is_part_moved, *is_skin_moved;
    uint32_t triangle_count, line_count, point_count;
    uint32_t *corners;      // 3 vertices per piece; lines and points repeat the last one.
    uint32_t *piece_parts;  // The part of each piece.
    uint32_t *partners;     // Piece of the other scene, times 4, plus the shift; TENON_NONE: none.
    uint32_t polygon_count;
    tn_polygon *polygons;  // That have more than one triangle.
    double reach;          // Of a skeleton: see tn_place_skeleton_points(). 0: it is none.
} tn_posed_scene;

static inline uint32_t tn_total_piece_count(const tn_posed_scene *posed)
{
    return posed->triangle_count + posed->line_count + posed->point_count;
}

static inline uint32_t tn_corner_count(const tn_posed_scene *posed, uint32_t piece)
{
    if (piece < posed->triangle_count) return 3;
    return piece - posed->triangle_count < posed->line_count ? 2 : 1;
}

// Corner k of a piece of A is corner (k + shift) % count of its partner. If the shift is
// TN_IN_POLYGON, the corners have no order: the polygons of both are the same, not the triangles.
#define TN_PARTNER_SHIFT(partner) ((partner)&3u)
#define TN_PARTNER_PIECE(partner) ((partner) >> 2)
#define TN_IN_POLYGON             3u

// Collect the geometry of a scene in its rest pose. `reach`: that of a skeleton, or 0. Free it with
// tn_posed_scene_end(), which accepts a zeroed struct.
bool tn_posed_scene_begin(tn_match_context *context, tn_posed_scene *posed,
                          const tenon_scene *scene, double reach);
void tn_posed_scene_end(tn_posed_scene *posed);

// The same geometry, which is shared, in a separate pose: at rest. Free it before `from`.
tn_posed_scene *tn_posed_scene_copy(tn_match_context *context, const tn_posed_scene *from);

// Pose the scene and update the positions of the vertices that the clip moves: its nodes first,
// then the vertices.
void tn_pose_scene(tn_posed_scene *posed, uint32_t animation, double seconds);
void tn_pose_nodes(tn_posed_scene *posed, uint32_t animation, double seconds);
void tn_pose_vertices(tn_posed_scene *posed);

const tn_verify_part *tn_part_of_vertex(const tn_posed_scene *posed, uint32_t vertex);

// The node of the joint with the largest weight, or the mesh's node if it has no skin.
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

// -- Matching (verify_match.c, verify_polygon.c)

// Vertices of A and B that are the same corner.
typedef struct tn_vertex_pair {
    uint32_t a, b;
} tn_vertex_pair;

typedef struct tn_vertex_pair_list {
    uint32_t count;
    tn_vertex_pair *items;
} tn_vertex_pair_list;

// Pair the triangles, lines and points that are in the same place in the current poses. `extent` is
// the size of the model. *reversed is set to the number of unpaired triangles of `a` that face the
// other way in `b`, `polygons` to the corners of polygons that were split differently.
bool tn_match_geometry(tn_match_context *context, tn_posed_scene *a, tn_posed_scene *b,
                       double extent, tn_vertex_pair_list *polygons, uint32_t *reversed);

// Pair the polygons of `a` that have unpaired triangles with triangles of `b` that fill the same
// outline, and add the corners to `pairs`. `is_swapped`: `a` is scene B.
bool tn_match_polygons(tn_match_context *context, tn_posed_scene *a, tn_posed_scene *b,
                       double tolerance, bool is_swapped, tn_vertex_pair_list *pairs);

// -- Skeletons (verify_skeleton.c)

#define TN_SKELETON_POINTS 4  // Of each node: its origin, and one on each axis.

// Whether a node shows triangles, lines, points or morph targets.
bool tn_shows_pieces(const tenon_scene *scene);

// A scene like `from`, which shows no pieces, with points at each node. It shares everything else.
bool tn_make_skeleton(tn_match_context *context, const tenon_scene *from, tenon_scene *made);

// A tenth of the diagonal of the origins of all nodes at rest.
bool tn_measure_skeleton(tn_match_context *context, const tenon_scene *scene, double *reach);

// The points of a node: its origin, and a point in the direction of each axis, `reach` away. Scales
// only show in where the descendants of a node are: a mesh may have them in its vertices instead.
void tn_place_skeleton_points(const double matrix[16], double reach, float *positions);

// The pairs of points of the joints of `a`, or of all its nodes if none is a joint. `partners` has
// the node of `b` for each node of `a`, or TENON_NONE: *missing counts these.
bool tn_pair_skeletons(tn_match_context *context, const tn_posed_scene *a, const tn_posed_scene *b,
                       const uint32_t *partners, tn_vertex_pair_list *pairs, uint32_t *missing);

// -- Surfaces (verify_surface.c)

// Finds the triangle that is nearest to a point.
typedef struct tn_surface tn_surface;

tn_surface *tn_surface_new(tn_match_context *context, const tn_posed_scene *posed);

// The triangles, sorted so that neighbors follow each other.
const uint32_t *tn_surface_order(const tn_surface *surface);

// Call this after the triangles moved. The next search that needs the boxes computes them.
void tn_surface_moved(tn_surface *surface);

// The squared distance to the nearest triangle, which *nearest is set to. On entry *nearest is a
// guess that is kept if no other triangle is nearer; `near` is a better guess, which only limits
// the search. The search ends when the distance is `enough` or less; negative: never. HUGE_VAL if
// there are no triangles. Where very many triangles overlap, not all are examined: the result may
// be too large, never too small.
double tn_surface_distance(tn_surface *surface, const double point[3], uint32_t near, double enough,
                           uint32_t *nearest);

// -- Comparing (verify_compare.c)

// Points of one scene that have to be on the surface of the other.
typedef struct tn_sample_points {
    uint32_t vertex_count, triangle_count;
    uint32_t *vertices;   // Each once.
    uint32_t *twins;      // Of each vertex: the first point in the same place in the rest pose.
    double *squares;      // Of each vertex: the distance in the current pose.
    uint32_t *triangles;  // Their centroids are compared.
    uint32_t *nearest;    // Of each vertex, then of each triangle: the triangle that was nearest in
                          // the last pose; at first its partner, or TENON_NONE.
    uint32_t offset;      // The first point to compare, if not all are.
} tn_sample_points;

#define TN_COINCIDENT_MOST 4

// A vertex of A and the vertices of B that are in the same place in the rest pose.
typedef struct tn_coincident_vertices {
    uint32_t vertex, others[TN_COINCIDENT_MOST];  // TENON_NONE: no more.
} tn_coincident_vertices;

// Pairs that follow each other and that the same two matrices move.
typedef struct tn_pair_runs tn_pair_runs;

// What is compared between two scenes, and the result so far. Distances are squared.
typedef struct tn_comparison {
    tn_match_context *context;
    const tn_posed_scene *a, *b;
    tn_vertex_pair_list pairs;
    uint32_t coincident_count;
    tn_coincident_vertices *coincident;
    tn_sample_points a_points, b_points;
    tn_surface *a_surface, *b_surface;  // NULL: nothing is compared with it.
    bool needs_sum;                     // Not only the largest distance: no search ends early.
    double largest, sum;
    uint64_t count;
    uint32_t worst_vertex;         // Of A, or TENON_NONE.
    struct tn_moved_pairs *moved;  // NULL: all pairs are always compared.
    const tn_pair_runs *runs;      // NULL: only positions are compared.
} tn_comparison;

// Compare pieces that have partners, and `polygons`, corner by corner, other triangles by their
// distance to the other surface. `by_surface`: compare all triangles that way. A piece for which
// the other scene has no counterpart at all is infinitely far away. Without `needs_sum` only the
// largest distance is right.
bool tn_compare_begin(tn_match_context *context, tn_comparison *comparison, const tn_posed_scene *a,
                      const tn_posed_scene *b, const tn_vertex_pair_list *polygons, bool by_surface,
                      bool needs_sum);

// The same comparison of copies of both scenes. Not for surfaces, on which searches keep a state.
tn_comparison *tn_comparison_copy(tn_match_context *context, const tn_comparison *from,
                                  const tn_posed_scene *a, const tn_posed_scene *b);

// Find for each vertex of a triangle of A the vertices of B in the same place in the current poses,
// and compare them from now on, unless there are more than TN_COINCIDENT_MOST. Distances to a
// surface do not show motion along the surface, such as a wheel that turns the other way; these do.
bool tn_find_coincident_vertices(tn_comparison *comparison, double extent);

// Compare the current poses. Unless `thorough`, only some of the points on surfaces are compared,
// different ones each time.
void tn_compare(tn_comparison *comparison, bool thorough);

// Compare the current poses by `comparison->runs`, vertices not being updated. Returns false if
// that cannot be done, or not with less work.
bool tn_compare_runs(tn_comparison *comparison);

// -- Runs (verify_runs.c)

#define TN_PAIR_BLOCK 1024  // Pairs that are compared at a time.

// NULL if there are other things than pairs to compare, or if runs are too short for them to be
// faster; also, with the context failed, if out of memory.
const tn_pair_runs *tn_pair_runs_new(tn_match_context *context, const tn_comparison *comparison);

// The squared distances of a block of pairs in the current poses, vertices not being updated.
void tn_pair_runs_squares(const tn_pair_runs *runs, const tn_posed_scene *a,
                          const tn_posed_scene *b, uint32_t block,
                          double squares[TN_PAIR_BLOCK + TN_LANES]);

// -- Bounds (verify_bounds.c)

// Bounds the distances of a comparison in any pose by matrices alone.
typedef struct tn_pose_bounds tn_pose_bounds;
struct tn_pose_pair;

// Both scenes are in the rest pose. NULL if poses cannot be bounded, or not with less work than
// comparing them; also, with the context failed, if out of memory.
tn_pose_bounds *tn_pose_bounds_new(tn_match_context *context, const tn_comparison *comparison);

// A bound on the largest distance in the current poses of both, vertices not being updated.
// HUGE_VAL: there is none.
double tn_pose_bound(tn_pose_bounds *bounds);

// The same for any pose of two scenes that differ in morph targets only, without posing them. False
// if they differ in more.
bool tn_pose_bound_alike(tn_pose_bounds *bounds, const struct tn_pose_pair *pair, double *bound);

// Pose the nodes of both scenes. A scene that has this clip already, which moves none of the
// vertices, is left as it is.
void tn_pose_bounds_set(tn_pose_bounds *bounds, const struct tn_pose_pair *pair);

// The same bounds for copies of both scenes.
tn_pose_bounds *tn_pose_bounds_copy(tn_match_context *context, const tn_pose_bounds *from,
                                    const tn_posed_scene *a, const tn_posed_scene *b);

// Forget what depends on the last pose: the work of the next call does not depend on it.
void tn_pose_bounds_forget(tn_pose_bounds *bounds);

// Count work in that budget from now on.
void tn_pose_bounds_count_work(tn_pose_bounds *bounds, tenon_budget *budget);

// -- Poses (verify_poses.c)

#define TN_POSE_WORKERS_MOST 32

// One pose of both scenes.
typedef struct tn_pose_pair {
    uint32_t a_clip, b_clip;
    double a_seconds, b_seconds;
    bool is_thorough;  // See tn_compare().
} tn_pose_pair;

typedef struct tn_pose_list {
    uint32_t count, room;
    tn_pose_pair *pairs;
} tn_pose_list;

// How far apart the scenes were in all poses so far. Distances are squared.
typedef struct tn_pose_distances {
    double largest, sum;
    uint64_t count;
    uint32_t worst_vertex;  // Of A, with the largest distance; TENON_NONE: none.
    uint32_t clip;          // Where that was; TENON_NONE: rest pose.
    double seconds;
} tn_pose_distances;

// What one thread compares poses with.
typedef struct tn_pose_worker {
    tn_posed_scene *a, *b;
    tn_comparison *comparison;
    tn_pose_bounds *bounds;  // NULL: all poses are compared.
    tenon_budget budget;     // The work for one pose.
} tn_pose_worker;

typedef struct tn_pose_comparer {
    tn_match_context *context;
    tn_match_context of_workers;  // Their memory.
    const tenon_executor *executor;
    uint32_t worker_count;
    tn_pose_worker workers[TN_POSE_WORKERS_MOST];
} tn_pose_comparer;

// Prepare to compare about `pose_count` poses. Both scenes of `first`, which the comparer uses from
// now on, are in the rest pose. `executor` may be NULL. Call tn_pose_comparer_end() in any case,
// which accepts a zeroed struct.
bool tn_pose_comparer_begin(tn_match_context *context, tn_pose_comparer *comparer,
                            const tn_pose_worker *first, uint64_t pose_count,
                            const tenon_executor *executor);
void tn_pose_comparer_end(tn_pose_comparer *comparer);

// Compare poses, and add what is found to `found`: with bounds those that can be farthest apart
// first, and only as long as they can be farther apart than what was found. The progress ends at
// `progress_end`.
bool tn_compare_poses(tn_pose_comparer *comparer, const tn_pose_list *list, bool needs_sum,
                      uint64_t progress_end, tn_pose_distances *found);

// -- Times (verify_times.c)

typedef struct tn_time_list {
    uint32_t count;
    double *seconds;  // Ascending, without repetition.
} tn_time_list;

// The times at which to compare two clips: those of their keys, but not too many, and `samples`
// times at equal intervals. Either animation may be NULL.
bool tn_collect_times(tn_match_context *context, const tenon_animation *a, const tenon_animation *b,
                      uint32_t samples, tn_time_list *times);

#endif  // TN_SCENE_COMPARE_VERIFY_H
