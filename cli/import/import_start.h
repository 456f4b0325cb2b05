// import_start.h: how tenon-import is started: the part of its sandbox that tenon applies.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_IMPORT_START_H
#define TENON_CLI_IMPORT_START_H

#include <stdint.h>
#include <sys/types.h>

typedef struct import_limits {
    uint64_t memory, output;  // Bytes.
    uint64_t cpu, wall;       // Seconds.
} import_limits;

// Measures that could not be applied, as bits.
enum {
    IMPORT_LACKS_MEMORY_LIMIT = 1,
    IMPORT_LACKS_LIMITS = 2,
    IMPORT_LACKS_PRIVILEGE_LOCK = 4,
    IMPORT_LACKS_DEATH_SIGNAL = 8,
};

typedef struct import_process {
    pid_t pid;         // Also the id of its process group.
    int in, out, err;  // Ends of its three pipes; `in` does not block.
    uint32_t lacks;    // The measures that could not be applied.
} import_process;

// Start a program with limits, in its own process group, with LD_LIBRARY_PATH as its whole
// environment and three pipes as its only open files. guard_child() knows it from the start.
// Returns 0, or an errno value.
int import_start(const char *program, const import_limits *most, import_process *process);

// Close an end of a pipe, if it is open, and set it to -1.
void import_close(int *end);

// Kill the process and all others in its group, and wait for it. Returns its status.
int import_end(const import_process *process);

#endif  // TENON_CLI_IMPORT_START_H
