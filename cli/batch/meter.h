// meter.h: how far a run over many files is, in one line on a terminal.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_METER_H
#define TENON_CLI_METER_H

#include "options/cli.h"
#include "report/summary.h"

typedef struct meter {
    uint32_t total;
    bool is_on, is_shown;
    double begun, shown;  // When.
} meter;

// Shows nothing unless standard error is a terminal, or with '--quiet'.
meter meter_begin(const cli_common *opts, uint32_t total);

// Erase the line before something else is printed.
void meter_erase(meter *line);

// Show "812/2000 files, 96/s, 12 s left, 3 failed", at most ten times a second.
void meter_show(meter *line, uint32_t done, const summary *totals);

#endif  // TENON_CLI_METER_H
