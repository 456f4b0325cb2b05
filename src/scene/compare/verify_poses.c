// verify_poses.c: compares many poses, several at the same time if an executor can do that.
// SPDX-License-Identifier: MIT
//
// Poses are divided into blocks. A block is compared by one worker, which starts it at rest: so its
// results, and the work that is counted for it, do not depend on who compared what before, and
// everything is the same with any number of workers.

#include "scene/compare/verify.h"

#include "core/math/sort.h"
#include "core/memory/budget.h"
#include "scene/pose/pose.h"

#define BLOCK        32  // Poses.
#define MEMORY_SHARE 4   // Workers are added while less than 1 in 4 bytes that are allowed is used,
#define WORK_LEAST   1e6  // and only for that many vertices in all poses together,
#define NODE_WORK    16   // or nodes, which take as long as that many vertices.

// What was found out about one pose.
typedef struct pose_result {
    double bound;  // Of the distance; HUGE_VAL: none.
    double largest, sum;
    uint64_t count, work;
    uint32_t worst_vertex;
} pose_result;

// Poses that the workers look at before the results are used.
typedef struct pose_round {
    tn_pose_comparer *comparer;
    const tn_pose_list *list;
    const uint32_t *order;  // NULL: that of the list; only bounds are computed.
    pose_result *results;   // By index in the list.
    uint32_t first, end;    // In that order.
    double largest;         // Found before this round, squared.
} pose_round;

// -- Workers

static void verify_poses_count_work(tn_pose_worker *worker, tenon_budget *budget)
{
    worker->a->pose->arena.allocator.budget = budget;
    worker->b->pose->arena.allocator.budget = budget;
    if (worker->bounds) tn_pose_bounds_count_work(worker->bounds, budget);
}

// A worker has copies of what poses change. They cost memory, but are no work of the comparison.
static bool verify_poses_add_worker(tn_pose_comparer *comparer)
{
    tn_match_context *context = &comparer->of_workers;
    tenon_budget *budget = context->arena.allocator.budget;
    const tn_pose_worker *from = &comparer->workers[0];
    tn_pose_worker *worker = &comparer->workers[comparer->worker_count];
    tenon_cost work = {0};
    if (budget) work = budget->work;
    worker->a = tn_posed_scene_copy(context, from->a);
    worker->b = tn_posed_scene_copy(context, from->b);
    if (context->failed) {
        if (worker->a) tn_posed_scene_end(worker->a);
        return false;
    }
    comparer->worker_count++;
    worker->comparison = tn_comparison_copy(context, from->comparison, worker->a, worker->b);
    if (from->bounds)
        worker->bounds = tn_pose_bounds_copy(context, from->bounds, worker->a, worker->b);
    if (budget) budget->work = work;
    return !context->failed;
}

bool tn_pose_comparer_begin(tn_match_context *context, tn_pose_comparer *comparer,
                            const tn_pose_worker *first, uint64_t pose_count,
                            const tenon_executor *executor)
{
    const tenon_budget *budget = context->arena.allocator.budget;
    const tn_comparison *comparison = first->comparison;
    uint32_t most = executor && executor->run ? executor->width : 1;
    if (most > TN_POSE_WORKERS_MOST) most = TN_POSE_WORKERS_MOST;
    double nodes = (double)first->a->scene->node_count + first->b->scene->node_count;
    double vertices = (double)first->a->vertex_count + first->b->vertex_count;
    double work = first->bounds ? NODE_WORK * nodes : vertices;
    if (work * (double)pose_count < WORK_LEAST) most = 1;
    // A search on a surface starts where the one in the pose before ended.
    if (comparison->a_surface || comparison->b_surface) most = 1;
    *comparer = (tn_pose_comparer){.context = context,
                                   .of_workers = {.err = context->err},
                                   .executor = executor,
                                   .worker_count = 1,
                                   .workers[0] = *first};
    const tn_arena *used = &context->arena;
    tn_arena *arena = &comparer->of_workers.arena;
    *arena = tn_arena_make(&used->allocator, used->limit);
    while (comparer->worker_count < most) {
        if (used->used > used->limit / MEMORY_SHARE || arena->used > arena->limit / MEMORY_SHARE)
            break;
        if (budget && budget->memory.limit &&
            budget->memory.used > budget->memory.limit / MEMORY_SHARE)
            break;
        context->failed = !verify_poses_add_worker(comparer);
        if (context->failed) return false;
    }
    for (uint32_t i = 0; i < comparer->worker_count; i++)
        verify_poses_count_work(&comparer->workers[i], &comparer->workers[i].budget);
    return true;
}

void tn_pose_comparer_end(tn_pose_comparer *comparer)
{
    for (uint32_t i = 0; i < comparer->worker_count; i++) {
        tn_pose_worker *worker = &comparer->workers[i];
        verify_poses_count_work(worker, comparer->context->arena.allocator.budget);
        if (i == 0) continue;  // The caller's.
        tn_posed_scene_end(worker->a);
        tn_posed_scene_end(worker->b);
    }
    tn_arena_free(&comparer->of_workers.arena);
}

// -- Rounds

static void verify_poses_look_at(const pose_round *round, tn_pose_worker *worker, uint32_t first,
                                 uint32_t end)
{
    tn_comparison *comparison = worker->comparison;
    double largest = round->largest;
    bool has_surfaces = comparison->a_surface || comparison->b_surface;
    for (uint32_t i = first; i < end; i++) {
        uint32_t index = round->order ? round->order[i] : i;
        const tn_pose_pair *pair = &round->list->pairs[index];
        pose_result *result = &round->results[index];
        if (i % BLOCK == 0 && round->order) {
            tn_pose_scene(worker->a, TENON_NONE, 0);
            tn_pose_scene(worker->b, TENON_NONE, 0);
        } else if (i % BLOCK == 0) {
            tenon_pose_set(worker->a->pose, TENON_NONE, 0);
            tenon_pose_set(worker->b->pose, TENON_NONE, 0);
            tn_pose_bounds_forget(worker->bounds);
        }
        worker->budget = (tenon_budget){0};
        if (round->order) {
            if (!(result->bound * result->bound > largest)) return;
            tn_pose_nodes(worker->a, pair->a_clip, pair->a_seconds);
            tn_pose_nodes(worker->b, pair->b_clip, pair->b_seconds);
            comparison->largest = has_surfaces ? largest : 0;
            comparison->sum = 0;
            comparison->count = 0;
            if (!comparison->runs || !tn_compare_runs(comparison)) {
                tn_pose_vertices(worker->a);
                tn_pose_vertices(worker->b);
                tn_compare(comparison, pair->is_thorough);
            }
            result->largest = comparison->largest;
            result->sum = comparison->sum;
            result->count = comparison->count;
            result->worst_vertex = comparison->worst_vertex;
            if (result->largest > largest) largest = result->largest;
        } else if (!tn_pose_bound_alike(worker->bounds, pair, &result->bound)) {
            tn_pose_bounds_set(worker->bounds, pair);
            result->bound = tn_pose_bound(worker->bounds);
        }
        result->work = worker->budget.work.used;
    }
}

// Let worker `index` look at its block.
static void verify_poses_run_worker(void *data, uint32_t index)
{
    const pose_round *round = data;
    uint64_t start = ((uint64_t)round->first / BLOCK + index) * BLOCK, end = start + BLOCK;
    if (start < round->first) start = round->first;
    if (end > round->end) end = round->end;
    if (start < end)
        verify_poses_look_at(round, &round->comparer->workers[index], (uint32_t)start,
                             (uint32_t)end);
}

// Look at poses from `first` on, at `most` at most. Returns the end.
static uint32_t verify_poses_run_round(pose_round *round, uint32_t first, uint32_t most)
{
    const tn_pose_comparer *comparer = round->comparer;
    const tenon_executor *executor = comparer->executor;
    uint64_t end = ((uint64_t)first / BLOCK + comparer->worker_count) * BLOCK;
    if (end > round->list->count) end = round->list->count;
    if (end - first > most) end = (uint64_t)first + most;
    round->first = first;
    round->end = (uint32_t)end;
    uint32_t blocks = (round->end - 1) / BLOCK - first / BLOCK + 1;
    if (blocks == 1)
        verify_poses_run_worker(round, 0);
    else
        executor->run(executor->user, blocks, verify_poses_run_worker, round);
    return round->end;
}

static bool verify_poses_is_bound_larger(const void *results, uint32_t a, uint32_t b)
{
    return ((const pose_result *)results)[a].bound > ((const pose_result *)results)[b].bound;
}

// Bound the distances of all poses, and sort them by their bounds.
static bool verify_poses_sort(pose_round *round, uint32_t *order)
{
    const tn_pose_comparer *comparer = round->comparer;
    tn_match_context *context = comparer->context;
    uint32_t count = round->list->count;
    for (uint32_t first = 0, end; first < count; first = end) {
        end = verify_poses_run_round(round, first, comparer->worker_count > 1 ? count : 1);
        for (uint32_t i = first; i < end; i++) {
            (void)tn_budget_work(context->arena.allocator.budget, round->results[i].work);
            if (!tn_match_goes_on(context, 1)) return false;
        }
    }
    tn_sort(order, order + count, count, verify_poses_is_bound_larger, round->results);
    return true;
}

bool tn_compare_poses(tn_pose_comparer *comparer, const tn_pose_list *list, bool needs_sum,
                      uint64_t progress_end, tn_pose_distances *found)
{
    tn_match_context *context = comparer->context;
    uint64_t progress = context->pulse.done;
    tn_mark mark = tn_arena_mark(&context->arena);
    uint32_t count = list->count, worst = 0;
    uint32_t *order = tn_match_alloc(context, count, 2 * sizeof *order);
    pose_result *results = tn_match_alloc(context, count, sizeof *results);
    if (context->failed) return false;
    pose_round round = {.comparer = comparer, .list = list, .results = results};
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        results[i].bound = HUGE_VAL;
    }
    bool has_bounds = comparer->workers[0].bounds != NULL;
    if (has_bounds && !verify_poses_sort(&round, order)) return false;
    for (uint32_t i = 0; i < comparer->worker_count; i++)
        comparer->workers[i].comparison->needs_sum = needs_sum;
    round.order = order;
    bool ends = false;
    for (uint32_t first = 0, end; first < count && !ends; first = end) {
        // Most often the first pose by its bound is the only one that has to be compared.
        bool is_single = comparer->worker_count == 1 || (has_bounds && first == 0);
        round.largest = found->largest;
        end = verify_poses_run_round(&round, first, is_single ? 1 : count);
        for (uint32_t i = first; i < end && !ends; i++) {
            const pose_result *result = &results[order[i]];
            ends = !(result->bound * result->bound > found->largest);
            if (ends) break;
            (void)tn_budget_work(context->arena.allocator.budget, result->work);
            found->sum += result->sum;
            found->count += result->count;
            // Of equal distances, the first one in the list counts.
            if (order[i] < worst ? result->largest >= found->largest
                                 : result->largest > found->largest) {
                worst = order[i];
                found->largest = result->largest;
                found->worst_vertex = result->worst_vertex;
                found->clip = list->pairs[worst].a_clip;
                found->seconds = list->pairs[worst].a_seconds;
            }
            uint64_t done = progress + (progress_end - progress) * (i + 1) / count;
            if (!tn_pulse_report(&context->pulse, done, context->pulse.total))
                return tn_match_cancel(context);
        }
    }
    tn_arena_rewind(&context->arena, mark);
    return true;
}
