// grid.h: finds the pieces, edges or vertices of another scene that are in the same place.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_COMPARE_GRID_H
#define TN_SCENE_COMPARE_GRID_H

#include "scene/compare/match.h"

#include <math.h>

// Items in chains, one for each cell; several cells may share a chain.
typedef struct tn_grid {
    double tolerance;  // How far a point may be from where it is searched.
    double cell;       // Width of a cell: at least twice the tolerance.
    uint64_t mask;     // Number of chains - 1.
    uint32_t *heads;   // First item of each chain, or TENON_NONE.
    uint32_t *next;    // Of each item the next one of its chain, or TENON_NONE.
} tn_grid;

// The chains in which a search looks: at most two cells on each axis.
typedef struct tn_grid_chains {
    uint32_t count, *heads[8];
} tn_grid_chains;

// An empty grid for the items 0 to `count` - 1.
bool tn_grid_begin(tn_match_context *context, tn_grid *grid, double tolerance, double cell,
                   uint64_t count);

// Add an item in front of its chain.
void tn_grid_add(tn_grid *grid, const double point[3], uint32_t item);

// The chains that hold all items within the tolerance of a point, and others.
tn_grid_chains tn_grid_search(const tn_grid *grid, const double point[3]);

// -- Pieces

// Corner k of a piece is corner tn_partner_corner(k, shift, size) of its partner. From this shift
// on, the two triangles face opposite ways.
#define TN_REVERSED 3u

static inline uint32_t tn_partner_corner(uint32_t k, uint32_t shift, uint32_t size)
{
    return shift < TN_REVERSED ? (k + shift) % size : (shift - k) % size;
}

// How well a piece fits another one: first by rank, then by score. 0 is perfect.
typedef struct tn_piece_fit {
    uint32_t shift, rank;
    double score;
} tn_piece_fit;

// Whether piece `b` of the grid is the same as piece `a`; if so, *fit is set.
typedef bool tn_piece_fits_fn(const void *user, uint32_t a, uint32_t b, tn_piece_fit *fit);

// Remove the piece that fits `a` best and return it; TENON_NONE if none fits. `center` is that of
// `a`. In each cell `most` pieces are examined, which keeps time linear.
uint32_t tn_grid_take(tn_grid *grid, const double center[3], uint32_t most, tn_piece_fits_fn *fits,
                      const void *user, uint32_t a, tn_piece_fit *best);

// -- Distances

// Poses of absurd scenes may overflow. Two coordinates that are not finite are equal; if only one
// is not finite, the difference is infinite.
static inline double tn_coordinate_difference(float a, float b)
{
    double difference = (double)a - (double)b;
    if (difference - difference == 0) return difference;
    return a - a == 0 || b - b == 0 ? HUGE_VAL : 0;
}

static inline double tn_squared_distance(const float *a, const float *b)
{
    double u = (double)a[0] - (double)b[0], v = (double)a[1] - (double)b[1],
           w = (double)a[2] - (double)b[2], square = u * u + v * v + w * w;
    if (square < HUGE_VAL) return square;
    double x = tn_coordinate_difference(a[0], b[0]), y = tn_coordinate_difference(a[1], b[1]),
           z = tn_coordinate_difference(a[2], b[2]);
    return x * x + y * y + z * z;
}

#endif  // TN_SCENE_COMPARE_GRID_H
