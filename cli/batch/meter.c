// meter.c: how far a run over many files is, in one line on a terminal.
// SPDX-License-Identifier: MIT

#include "batch/meter.h"

#include "report/output.h"
#include "system/workers.h"

#define INTERVAL 0.1  // Seconds.

meter meter_begin(const cli_common *opts, uint32_t total)
{
    double now = workers_seconds();
    bool is_on = !opts->quiet && total > 1 && out_is_terminal(stderr);
    return (meter){.total = total, .is_on = is_on, .begun = now, .shown = now};
}

void meter_erase(meter *line)
{
    if (line->is_shown) out(stderr, "\r\033[K");
    line->is_shown = false;
}

static void meter_print_time(double seconds)
{
    if (seconds < 100)
        out(stderr, "%.0f s left", seconds);
    else if (seconds < 6000)
        out(stderr, "%.0f min left", seconds / 60);
    else
        out(stderr, "%.0f h left", seconds / 3600);
}

void meter_show(meter *line, uint32_t done, const summary *totals)
{
    double now = workers_seconds();
    if (!line->is_on || done >= line->total || now - line->shown < INTERVAL) return;
    double rate = done / (now - line->begun);
    line->shown = now;
    line->is_shown = true;
    out_flush();
    out(stderr, "\r%u/%u files, %.*f/s, ", (unsigned)done, (unsigned)line->total, rate < 10, rate);
    meter_print_time(rate > 0 ? (line->total - done) / rate : 0);
    if (totals->failed) out(stderr, ", %u failed", (unsigned)totals->failed);
    out(stderr, "\033[K");
    (void)fflush(stderr);
}
