// report.h: what went wrong, in the words and the form that all commands share.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_REPORT_H
#define TENON_CLI_REPORT_H

#include "options/cli.h"
#include "options/guess.h"
#include "report/json_out.h"
#include "report/output.h"

// -- Mistakes in the command line

// A mistake, and where to look for help: that of `command`, or the general one if it is NULL.
// Returns CLI_USAGE.
int report_usage(const cli_command *command, const char *fmt, ...) OUT_PRINTF(2, 3);

// An unknown word, and the nearest known one.
int report_unknown(const cli_command *command, const guess *near, const char *fmt, ...)
    OUT_PRINTF(3, 4);

// -- Errors in files

// The exit status for an error.
int report_status(const tenon_error *err);

// `file:offset: error[code]: message`, and what is known about it, on standard error. Returns the
// exit status. `file` is as on the command line.
int report_fault(const char *file, const tenon_error *err);

// The same, with the next step to take.
int report_error(const char *file, const tenon_error *err);

// As one line of JSON on standard output: {"file": ..., "error": {...}}.
int report_error_json(const char *file, const tenon_error *err);

// The name of the format that a file has by its extension; NULL: none. `salvage` uses it if the
// bytes do not show the format.
const char *report_format_of_name(const char *file);

// Why a model cannot be read: as JSON, if that is wanted, or in words; and if it is damaged, unless
// `--quiet`, how to recover what is intact. Returns the exit status.
int report_unreadable(const cli_common *common, const char *file, const tenon_error *err);

// The member "error" of an object.
void report_error_member(json_out *json, const tenon_error *err);

// An error of the tool itself about a file, with the code that fits; for report_error().
tenon_error report_make(tenon_code code, const char *fmt, ...) OUT_PRINTF(2, 3);

// Out of memory in the tool itself. Returns CLI_SYSTEM.
int report_no_memory(void);

// How messages call a file: "<stdin>" for "-".
const char *report_name(const char *file);

// A finding on standard output. With `explain`, also what the rule demands.
void report_finding(const char *file, const tenon_finding *finding, bool explain);

const char *report_severity_word(tenon_severity severity);

// A remark about a file on standard error.
void report_note(const char *file, const char *text);

// A loss on standard error.
void report_loss(const char *file, const tenon_loss *loss);

const char *report_loss_word(tenon_loss_kind kind);

#endif  // TENON_CLI_REPORT_H
