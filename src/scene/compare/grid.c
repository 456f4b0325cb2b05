// grid.c: a grid whose cells hold what is in them.
// SPDX-License-Identifier: MIT
//
// A tolerance moves a point by no more than itself, so a search looks into all cells that the point
// could have moved to. Two points that are close are found even if a cell border is between them.

#include "scene/compare/grid.h"

#include <string.h>

bool tn_grid_begin(tn_match_context *context, tn_grid *grid, double tolerance, double cell,
                   uint64_t count)
{
    uint64_t size = 1;
    while (size < count) size *= 2;
    *grid = (tn_grid){.tolerance = tolerance, .cell = cell, .mask = size - 1};
    grid->heads = tn_match_alloc(context, size, sizeof *grid->heads);
    grid->next = tn_match_alloc(context, count, sizeof *grid->next);
    if (context->failed) return false;
    memset(grid->heads, 0xff, (size_t)size * sizeof *grid->heads);
    return true;
}

// The cell of a coordinate. All cells that are very far out are one, to avoid overflow.
static int64_t grid_cell(const tn_grid *grid, double coordinate)
{
    const double most = 1e15;
    double place = coordinate / grid->cell;
    if (!(place > -most)) return -(int64_t)most;
    if (place >= most) return (int64_t)most;
    int64_t cell = (int64_t)place;
    return cell - ((double)cell > place);  // Rounded down; faster than floor().
}

static uint32_t *grid_chain(const tn_grid *grid, int64_t x, int64_t y, int64_t z)
{
    uint64_t hash = (uint64_t)x * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ (uint64_t)y) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 32 ^ (uint64_t)z) * 0x94d049bb133111ebu;
    return &grid->heads[(hash ^ hash >> 31) & grid->mask];
}

void tn_grid_add(tn_grid *grid, const double point[3], uint32_t item)
{
    uint32_t *head = grid_chain(grid, grid_cell(grid, point[0]), grid_cell(grid, point[1]),
                                grid_cell(grid, point[2]));
    grid->next[item] = *head;
    *head = item;
}

tn_grid_chains tn_grid_search(const tn_grid *grid, const double point[3])
{
    tn_grid_chains chains;
    int64_t low[3], high[3];
    chains.count = 0;
    for (uint32_t k = 0; k < 3; k++) {
        low[k] = grid_cell(grid, point[k] - grid->tolerance);
        high[k] = grid_cell(grid, point[k] + grid->tolerance);
        if (high[k] > low[k] + 1) high[k] = low[k] + 1;
    }
    for (int64_t x = low[0]; x <= high[0]; x++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t z = low[2]; z <= high[2]; z++)
                chains.heads[chains.count++] = grid_chain(grid, x, y, z);
    return chains;
}

uint32_t tn_grid_take(tn_grid *grid, const double center[3], uint32_t most, tn_piece_fits_fn *fits,
                      const void *user, uint32_t a, tn_piece_fit *best)
{
    tn_grid_chains chains = tn_grid_search(grid, center);
    uint32_t *best_link = NULL;
    bool is_perfect = false;
    for (uint32_t c = 0; c < chains.count && !is_perfect; c++) {
        uint32_t *link = chains.heads[c];
        for (uint32_t i = 0; i < most && *link != TENON_NONE && !is_perfect; i++) {
            tn_piece_fit fit;
            if (fits(user, a, *link, &fit) &&
                (!best_link || fit.rank < best->rank ||
                 (fit.rank == best->rank && fit.score < best->score))) {
                *best = fit;
                best_link = link;
                is_perfect = fit.rank == 0 && fit.score == 0;
            }
            link = &grid->next[*link];
        }
    }
    if (!best_link) return TENON_NONE;
    uint32_t taken = *best_link;
    *best_link = grid->next[taken];
    return taken;
}
