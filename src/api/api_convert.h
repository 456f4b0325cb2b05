// api_convert.h: a conversion at work, shared by the sources that convert.
// SPDX-License-Identifier: MIT

#ifndef TN_API_API_CONVERT_H
#define TN_API_API_CONVERT_H

#include "core/memory/arena.h"

#include <tenon/convert.h>

typedef struct tn_conversion {
    tenon_conversion face;  // As callbacks see it.
    const tenon_convert_opts *opts;
    const char *in, *out;  // NULL `in`: the document has no file.
    const tenon_files *files;
    const tenon_format *to;
    const char *dialect;  // The one that is wanted; NULL: the default.
    tn_arena arena;       // For lists of names.
    tenon_events events;  // These count, and call those of the caller.
    tenon_export_opts exporting;
    tenon_write_opts writing;  // With a batch of files that get their names together,
    tenon_batch *batch;        // or,
    tenon_memory *memory;      // for pipes and devices, files in memory, which are written at once.
    tenon_convert_result result;
    tenon_error *err;
} tn_conversion;

// Report a file that is complete to the caller, unless it is one that the input needs. Returns
// false, with an error, to stop.
bool tn_convert_report_file(tn_conversion *c, const tenon_written_file *file);

// Copy the sidecars of the input that exist to where the output is.
bool tn_convert_copy_sidecars(tn_conversion *c);

#endif  // TN_API_API_CONVERT_H
