// budget.h: what a job may cost, counted.
// SPDX-License-Identifier: MIT
//
// The counting is here and nowhere else. Memory is counted where blocks are allocated (arena.c),
// output where exports and documents are written, work where loops ask whether to go on (pulse.h)
// and in the functions that others call many times: posing, sampling, skinning, searching.
//
// A budget that is exceeded stays so: nothing more is allocated with it, pulses stop, and each
// public function ends with tn_budget_settle(), which turns whatever came of that into one error.

#ifndef TN_CORE_MEMORY_BUDGET_H
#define TN_CORE_MEMORY_BUDGET_H

#include <tenon/tenon.h>

// Bytes that are copied or cleared in a step.
#define TN_STEP_BYTES 64

// Whether a limit was reached. `budget` may be NULL here and below.
static inline bool tn_budget_is_exceeded(const tenon_budget *budget)
{
    return budget && budget->is_exceeded;
}

// Add `amount` to a cost. False if this or another cost exceeds its limit.
static inline bool tn_budget_add(tenon_budget *budget, tenon_cost *cost, uint64_t amount)
{
    if (budget->is_exceeded) return false;
    uint64_t sum = amount > UINT64_MAX - cost->used ? UINT64_MAX : cost->used + amount;
    if (cost->limit && sum > cost->limit) {
        cost->refused = sum;
        budget->is_exceeded = true;
        return false;
    }
    cost->used = sum;
    if (cost->most < sum) cost->most = sum;
    return true;
}

// Count steps. False: stop.
static inline bool tn_budget_work(tenon_budget *budget, uint64_t steps)
{
    return !budget || tn_budget_add(budget, &budget->work, steps);
}

// Count bytes that are handed out, and the work of copying them. False: do not.
static inline bool tn_budget_output(tenon_budget *budget, uint64_t bytes)
{
    return !budget || (tn_budget_add(budget, &budget->output, bytes) &&
                       tn_budget_add(budget, &budget->work, 1 + bytes / TN_STEP_BYTES));
}

// Count a block of memory. False: it must not be allocated.
static inline bool tn_budget_take(tenon_budget *budget, uint64_t bytes)
{
    return !budget || tn_budget_add(budget, &budget->memory, bytes);
}

// Count a block that is freed.
static inline void tn_budget_give_back(tenon_budget *budget, uint64_t bytes)
{
    if (budget) budget->memory.used -= bytes;
}

// `ok`, unless a limit was reached: then false, and `err` (may be NULL) says so.
bool tn_budget_settle(const tenon_budget *budget, bool ok, tenon_error *err);

#endif  // TN_CORE_MEMORY_BUDGET_H
