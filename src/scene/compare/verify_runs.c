// verify_runs.c: distances of pairs that follow each other and that the same two matrices move.
// SPDX-License-Identifier: MIT
//
// Matrices are computed once for a run, and no position is stored.

#include "core/memory/budget.h"
#include "scene/compare/verify.h"
#include "scene/pose/pose.h"

#include <string.h>

#define LENGTH_LEAST 8  // Of runs on average, for them to be faster.

// A vertex and where it comes from.
typedef struct run_vertex {
    const tn_verify_part *part;
    uint32_t index;  // In the primitive of the part.
} run_vertex;

typedef struct pair_run {
    uint32_t first;   // Pair; the last run is only an end.
    run_vertex a, b;  // That move like all of the run.
} pair_run;

struct tn_pair_runs {
    pair_run *items;
    uint32_t *starts;  // The first run of each block of pairs; one more for the end.
    uint64_t stride;
    float *a, *b;  // Positions that nothing has moved, for tn_loops.
};

static const tenon_primitive *verify_runs_primitive(const tn_posed_scene *posed,
                                                    const tn_verify_part *part)
{
    return &posed->scene->meshes[part->mesh].primitives[part->primitive];
}

// The next part most often starts where this one ends.
static run_vertex verify_runs_find_vertex(const tn_posed_scene *posed, const tn_verify_part *part,
                                          uint32_t vertex)
{
    const tn_verify_part *end = posed->parts + posed->part_count;
    bool is_same =
        part && vertex >= part->first_vertex && (part + 1 == end || vertex < part[1].first_vertex);
    if (!is_same) part = tn_part_of_vertex(posed, vertex);
    return (run_vertex){part, vertex - part->first_vertex};
}

static bool verify_runs_moves_alike(const tn_posed_scene *posed, run_vertex v, run_vertex w)
{
    const tenon_primitive *p = verify_runs_primitive(posed, v.part);
    size_t each = p->influence_count, at = v.index * each, other = w.index * each;
    if (v.part != w.part) return false;
    if (posed->scene->nodes[v.part->node].skin == TENON_NONE || each == 0) return true;
    return memcmp(p->joints + at, p->joints + other, each * sizeof *p->joints) == 0 &&
           memcmp(p->weights + at, p->weights + other, each * sizeof *p->weights) == 0;
}

// False if morph targets move the vertex, too.
static bool verify_runs_copy_position(const tn_posed_scene *posed, run_vertex v, float *x,
                                      uint64_t stride)
{
    const tenon_primitive *p = verify_runs_primitive(posed, v.part);
    for (size_t k = 0; k < 3; k++) x[k * stride] = p->positions[3 * (size_t)v.index + k];
    return p->morph_count == 0;
}

const tn_pair_runs *tn_pair_runs_new(tn_match_context *context, const tn_comparison *comparison)
{
    const tn_posed_scene *a = comparison->a, *b = comparison->b;
    const tn_vertex_pair_list *pairs = &comparison->pairs;
    uint32_t total = pairs->count, most = total / LENGTH_LEAST, count = 0;
    if (comparison->a_points.triangle_count || comparison->b_points.triangle_count ||
        comparison->coincident_count)
        return NULL;
    uint64_t stride = (uint64_t)total + TN_LANES;
    tn_pair_runs *runs = tn_match_alloc(context, 1, sizeof *runs);
    pair_run *items = tn_match_alloc(context, (uint64_t)most + 1, sizeof *items);
    uint32_t *starts = tn_match_alloc(context, (uint64_t)total / TN_PAIR_BLOCK + 2, sizeof *starts);
    float *positions = tn_match_alloc(context, 6 * stride, sizeof *positions);
    if (context->failed) return NULL;
    *runs = (tn_pair_runs){items, starts, stride, positions, positions + 3 * stride};
    pair_run next = {0};
    for (uint32_t i = 0; i < total; i++) {
        run_vertex of_a = verify_runs_find_vertex(a, next.a.part, pairs->items[i].a);
        run_vertex of_b = verify_runs_find_vertex(b, next.b.part, pairs->items[i].b);
        if (!verify_runs_copy_position(a, of_a, runs->a + i, stride) ||
            !verify_runs_copy_position(b, of_b, runs->b + i, stride))
            return NULL;
        if (i % TN_PAIR_BLOCK == 0) *starts++ = count;
        bool is_next = i % TN_PAIR_BLOCK == 0 || !verify_runs_moves_alike(a, of_a, next.a) ||
                       !verify_runs_moves_alike(b, of_b, next.b);
        if (is_next && count == most) return NULL;
        next = (pair_run){i, of_a, of_b};
        if (is_next) items[count++] = next;
    }
    items[count].first = total;
    *starts = count;
    return runs;
}

void tn_pair_runs_squares(const tn_pair_runs *runs, const tn_posed_scene *a,
                          const tn_posed_scene *b, uint32_t block,
                          double squares[TN_PAIR_BLOCK + TN_LANES])
{
    const uint32_t start = block * TN_PAIR_BLOCK;
    for (uint32_t i = runs->starts[block]; i < runs->starts[block + 1]; i++) {
        const pair_run *run = &runs->items[i];
        const run_vertex *v = &run->a, *w = &run->b;
        tn_affine a_matrix, b_matrix;
        tn_pose_vertex_matrix(a->pose, v->part->node, v->part->primitive, v->index, &a_matrix);
        tn_pose_vertex_matrix(b->pose, w->part->node, w->part->primitive, w->index, &b_matrix);
        uint32_t count = run[1].first - run->first;
        (void)tn_budget_work(a->pose->arena.allocator.budget, 2 * (uint64_t)count);
        tn_loops_here()->moved_squares(a_matrix.m, b_matrix.m, runs->a + run->first,
                                       runs->b + run->first, runs->stride, count,
                                       squares + (run->first - start));
    }
}
