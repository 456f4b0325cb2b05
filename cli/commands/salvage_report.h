// salvage_report.h: what tenon salvage found, kept and lost, and its report.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_SALVAGE_REPORT_H
#define TENON_CLI_SALVAGE_REPORT_H

#include "convert/convert_job.h"

#include <tenon/scene.h>

#include <stdio.h>

// A loss with copies of its texts.
typedef struct recovery_loss {
    tenon_loss_kind kind;
    const char *feature;
    char *why, *path;  // `path` may be NULL.
    uint64_t count;
    uint64_t offset;  // 0: not known.
} recovery_loss;

// The recovery of one file.
typedef struct model_recovery {
    convert_opts opts;
    convert_job job;
    tenon_error fault;      // Why it could not be read; code TENON_OK: it could.
    uint64_t error_count;   // Errors that checking found in a file that could be read.
    bool has_outliers;      // There are implausible numbers in it.
    bool is_known_by_name;  // Only its name says what format it has.
    recovery_loss *losses;
    uint32_t loss_count, loss_room;
    bool has_no_memory;
    tenon_info info;      // What was kept.
    const char *dialect;  // The one that was written, if that is known.
} model_recovery;

// Keep a loss for the report; `user` is the model_recovery.
void recovery_add_loss(void *user, const tenon_loss *loss);

// Find the offsets of losses that only have a path. False if memory ran out.
bool recovery_locate_losses(model_recovery *recovery, tenon_error *err);

// What is wrong with the file, for people.
void recovery_print_fault(const model_recovery *recovery, FILE *to);

// The whole report: for people, or as a line of JSON.
void recovery_print(const model_recovery *recovery, FILE *to);
void recovery_print_json(const model_recovery *recovery, const tenon_error *err);

void recovery_free(model_recovery *recovery);

#endif  // TENON_CLI_SALVAGE_REPORT_H
