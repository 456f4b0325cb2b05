// pulse.h: long loops check at intervals whether to continue.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_MEMORY_PULSE_H
#define TN_CORE_MEMORY_PULSE_H

#include "core/memory/budget.h"

// Steps between two checks: a few milliseconds of the slowest loops.
#define TN_PULSE_STEPS 8192

typedef struct tn_pulse {
    const tenon_events *events;  // Never NULL; it may have no callback.
    tenon_budget *budget;        // Where steps are counted; NULL: nowhere.
    uint64_t done, total;        // What was reported last, and is reported again within loops.
    uint32_t steps;              // Since the last check.
    bool stopped;                // The callback or the budget said stop, which is final.
} tn_pulse;

// Report progress. False: stop.
static inline bool tn_pulse_report(tn_pulse *pulse, uint64_t done, uint64_t total)
{
    const tenon_events *events = pulse->events;
    pulse->done = done;
    pulse->total = total;
    if (!tn_budget_work(pulse->budget, pulse->steps)) pulse->stopped = true;
    pulse->steps = 0;
    if (!pulse->stopped && events->on_progress)
        pulse->stopped = !events->on_progress(events->user, done, total);
    return !pulse->stopped;
}

// Whether a loop continues with an item that takes `steps` steps. A NULL pulse never stops.
static inline bool tn_goes_on(tn_pulse *pulse, uint32_t steps)
{
    if (!pulse) return true;
    if ((pulse->steps += steps) < TN_PULSE_STEPS) return !pulse->stopped;
    return tn_pulse_report(pulse, pulse->done, pulse->total);
}

// Count the steps since the last check. The budget knows whether they were too many.
static inline void tn_pulse_end(tn_pulse *pulse)
{
    (void)tn_budget_work(pulse->budget, pulse->steps);
    pulse->steps = 0;
}

#endif  // TN_CORE_MEMORY_PULSE_H
