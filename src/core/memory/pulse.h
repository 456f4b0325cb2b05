// pulse.h: long loops ask now and then whether their work is still wanted.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_MEMORY_PULSE_H
#define TN_CORE_MEMORY_PULSE_H

#include "core/memory/budget.h"

// Steps between two questions: some milliseconds of the slowest loops.
#define TN_PULSE_STEPS 8192

typedef struct tn_pulse {
    const tenon_progress *progress;  // Never NULL; without a callback nothing is asked.
    tenon_budget *budget;            // Where steps are counted; NULL: nowhere.
    uint64_t done, total;            // What was told last, and is told again within loops.
    uint32_t steps;                  // Since the last question.
    bool stopped;                    // The callback or the budget said so; nothing is asked again.
} tn_pulse;

// Tell how far the work has come. False: stop.
static inline bool tn_pulse_report(tn_pulse *pulse, uint64_t done, uint64_t total)
{
    const tenon_progress *progress = pulse->progress;
    pulse->done = done;
    pulse->total = total;
    if (!tn_budget_work(pulse->budget, pulse->steps)) pulse->stopped = true;
    pulse->steps = 0;
    if (!pulse->stopped && progress->step)
        pulse->stopped = !progress->step(progress->user, done, total);
    return !pulse->stopped;
}

// Whether a loop goes on with an item that takes that many steps. A NULL pulse never stops.
static inline bool tn_goes_on(tn_pulse *pulse, uint32_t steps)
{
    if (!pulse) return true;
    if ((pulse->steps += steps) < TN_PULSE_STEPS) return !pulse->stopped;
    return tn_pulse_report(pulse, pulse->done, pulse->total);
}

// Count what was done since the last question. The budget knows whether that was too much.
static inline void tn_pulse_end(tn_pulse *pulse)
{
    (void)tn_budget_work(pulse->budget, pulse->steps);
    pulse->steps = 0;
}

#endif  // TN_CORE_MEMORY_PULSE_H
