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

// Files get their names from now on until guard_end_names(), in this thread, without being
// interrupted: those of a tenon_batch that is committed while others have temporaries.
void guard_begin_names(void);
void guard_end_names(void);

// Whether flushing a file may wait for guard_flush(), which flushes the files of all threads
// together. Only for this thread; where the system cannot do that, each file is flushed as usual.
void guard_group_flushes(bool can_wait);

// Flush what was written, and the names of files. Returns 0, or an errno value: then each file that
// was written since the last call may be lost.
int guard_flush(void);

// Forget what was written to, when no other thread writes any more.
void guard_end_flushes(void);

// From now on, interrupting the program only sets what guard_is_interrupted() returns.
void guard_catch_interrupts(void);
bool guard_is_interrupted(void);

// From now on, several threads use these functions. Returns false if that is not possible.
bool guard_begin_threads(void);

// End the program by SIGPIPE, as a closed pipe ends other tools, when everything is cleaned up.
// Returns if the caller has it ignored, or if the system has no such signal.
void guard_end_by_pipe(void);

// A program that this thread started and that has to be ended with this one, and all others in the
// process group that it leads; 0: it has ended.
void guard_child(long pid);

#endif  // TENON_CLI_GUARD_H
