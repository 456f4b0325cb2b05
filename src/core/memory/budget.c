// budget.c: what a job may cost, counted.
// SPDX-License-Identifier: MIT

#include "core/memory/budget.h"

#include "core/text/error.h"

#include <inttypes.h>

#define MEMORY_BASE  ((uint64_t)64 << 20)
#define MEMORY_SHARE 64
#define OUTPUT_BASE  ((uint64_t)64 << 20)
#define OUTPUT_SHARE 256
#define WORK_BASE    ((uint64_t)1 << 28)
#define WORK_SHARE   4096

static uint64_t budget_limit_for(uint64_t base, uint64_t share, uint64_t size)
{
    return size > (UINT64_MAX - base) / share ? UINT64_MAX : base + share * size;
}

tenon_budget tenon_budget_for(uint64_t input_size)
{
    return (tenon_budget){
        .memory.limit = budget_limit_for(MEMORY_BASE, MEMORY_SHARE, input_size),
        .output.limit = budget_limit_for(OUTPUT_BASE, OUTPUT_SHARE, input_size),
        .work.limit = budget_limit_for(WORK_BASE, WORK_SHARE, input_size),
    };
}

bool tenon_budget_take(tenon_budget *budget, uint64_t bytes)
{
    return tn_budget_take(budget, bytes);
}

void tenon_budget_give_back(tenon_budget *budget, uint64_t bytes)
{
    tn_budget_give_back(budget, bytes);
}

bool tenon_budget_work(tenon_budget *budget, uint64_t steps)
{
    return tn_budget_work(budget, steps);
}

bool tn_budget_settle(const tenon_budget *budget, bool ok, tenon_error *err)
{
    if (!tn_budget_is_exceeded(budget)) return ok;
    const tenon_cost *memory = &budget->memory, *output = &budget->output, *work = &budget->work;
    if (work->refused)
        return tn_error(err, TENON_ERR_LIMIT,
                        "this takes at least %" PRIu64 " steps, and %" PRIu64 " are allowed",
                        work->refused, work->limit);
    if (memory->refused)
        return tn_error(err, TENON_ERR_LIMIT,
                        "this needs at least %" PRIu64 " bytes of memory, and %" PRIu64
                        " are allowed",
                        memory->refused, memory->limit);
    return tn_error(err, TENON_ERR_LIMIT,
                    "this writes at least %" PRIu64 " bytes, and %" PRIu64 " are allowed",
                    output->refused, output->limit);
}
