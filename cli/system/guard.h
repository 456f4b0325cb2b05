// guard.h: cleaning up temporary files when a signal ends the program.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_GUARD_H
#define TENON_CLI_GUARD_H

#include <tenon/files.h>

// From now on, interrupting the program removes the temporary files that are being written, and a
// mapped file that shrinks is an error with a message. A closed pipe is an ordinary write error.
void guard_begin(void);

// The system's file operations, watched for temporary and mapped files. Files of a tenon_batch get
// their names without being interrupted.
const tenon_files *guard_files(void);

// The same for writing: a folder is listed once, however many files are written to it one after the
// other, since leftovers are looked for before the first.
const tenon_files *guard_output_files(void);

// End the program by SIGPIPE, as a closed pipe ends other tools, when everything is cleaned up.
// Returns if the caller has it ignored, or if the system has no such signal.
void guard_end_by_pipe(void);

// A program that was started and has to be ended with this one, and all others in the process group
// that it leads; 0: none.
void guard_child(long pid);

#endif  // TENON_CLI_GUARD_H
