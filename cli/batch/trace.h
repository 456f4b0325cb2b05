// trace.h: which files a job reads, looks for and writes, and what is in them.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_TRACE_H
#define TENON_CLI_TRACE_H

#include "batch/hash.h"

#include <tenon/files.h>

#define STAMP_SIZE 72  // Of the text that platform_stamp() gives.

// A file that a job used.
typedef struct trace_file {
    char *path;
    char stamp[STAMP_SIZE];  // When it was opened; "" if it is not known.
    bool is_recent;          // It could change again and keep its stamp.
    char hash[HASH_SIZE];    // Of its content; "-": it did not exist, "+": it did, "*...": of the
                             // names in a folder.
} trace_file;

typedef struct trace_open {
    tenon_file file;
    uint32_t index;  // Of `inputs` or `outputs`.
    bool is_output;
    hash_state state;
} trace_open;

// Zeroed is empty.
typedef struct trace {
    trace_file *inputs, *outputs;  // Of outputs, `path` is that of the temporary file.
    uint32_t input_count, output_count, input_room, output_room;
    trace_open *open;
    uint32_t open_count, open_room;
    bool failed;  // Memory ran out.
} trace;

// From now on until trace_end(), what this thread does with files is added.
void trace_begin(trace *to);
void trace_end(void);

void trace_free(trace *files);

// The operations of guard.c, seen by a trace.
const tenon_files *trace_wrap(const tenon_files *files);
const tenon_files *trace_wrap_outputs(const tenon_files *files);

// The hash of a file as it is now; false if it cannot be read.
bool trace_hash_file(const char *path, char hash[HASH_SIZE]);

// The same for the names in a folder that could be those of animations.
bool trace_hash_folder(const char *path, char hash[HASH_SIZE]);

#endif  // TENON_CLI_TRACE_H
