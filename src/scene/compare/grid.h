// grid.h: finds points that are close to each other, by the cells of a grid that they are in.
// SPDX-License-Identifier: MIT
//
// A tolerance moves a point by no more than itself, so a search looks into all cells that the point
// could have moved to. Two points that are close are found even if a cell border is between them.

#ifndef TN_SCENE_COMPARE_GRID_H
#define TN_SCENE_COMPARE_GRID_H

#include <tenon/scene.h>

#include <math.h>
#include <string.h>

typedef struct tn_grid {
    double cell;    // Width of a cell.
    uint64_t mask;  // Number of chains - 1.
    uint32_t *heads,
        *next;  // First item of each chain; of each item the next. TENON_NONE: no more.
} tn_grid;

// The cells in which a point is, give or take a tolerance.
typedef struct tn_cell_range {
    int64_t low[3], high[3];
} tn_cell_range;

// How many heads a grid of `count` items needs: a power of two.
static inline uint64_t tn_grid_size(uint64_t count)
{
    uint64_t size = 1;
    while (size < count) size *= 2;
    return size;
}

// An empty grid. `heads` has `size` elements, `next` one for each item.
static inline tn_grid tn_grid_make(double cell, uint64_t size, uint32_t *heads, uint32_t *next)
{
    memset(heads, 0xff, (size_t)size * sizeof *heads);
    return (tn_grid){.cell = cell, .mask = size - 1, .heads = heads, .next = next};
}

// The cell of a coordinate. All cells that are very far out are one, to avoid overflow.
static inline int64_t tn_grid_cell(const tn_grid *grid, double coordinate)
{
    const double most = 1e15;
    double cell = floor(coordinate / grid->cell);
    if (!(cell > -most)) return -(int64_t)most;
    return cell < most ? (int64_t)cell : (int64_t)most;
}

// The head of the chain of a cell. Several cells may share a chain.
static inline uint32_t *tn_grid_chain(const tn_grid *grid, int64_t x, int64_t y, int64_t z)
{
    uint64_t hash = (uint64_t)x * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ (uint64_t)y) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 32 ^ (uint64_t)z) * 0x94d049bb133111ebu;
    return &grid->heads[(hash ^ hash >> 31) & grid->mask];
}

// Add an item in front of its chain.
static inline void tn_grid_add(tn_grid *grid, const double point[3], uint32_t item)
{
    uint32_t *head = tn_grid_chain(grid, tn_grid_cell(grid, point[0]), tn_grid_cell(grid, point[1]),
                                   tn_grid_cell(grid, point[2]));
    grid->next[item] = *head;
    *head = item;
}

static inline tn_cell_range tn_grid_range(const tn_grid *grid, const double point[3],
                                          double tolerance)
{
    tn_cell_range range;
    for (uint32_t k = 0; k < 3; k++) {
        range.low[k] = tn_grid_cell(grid, point[k] - tolerance);
        range.high[k] = tn_grid_cell(grid, point[k] + tolerance);
    }
    return range;
}

#endif  // TN_SCENE_COMPARE_GRID_H
