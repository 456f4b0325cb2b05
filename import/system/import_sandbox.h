// import_sandbox.h: what tenon-import forbids itself before it reads the first byte.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_SYSTEM_SANDBOX_H
#define TENON_IMPORT_SYSTEM_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

// Give up all that is not needed to read from standard input, compute, and write to standard output
// and standard error. There is no way back. Returns false, with the reason in `lacks`, if the
// filter of system calls could not be installed; the limits hold even then.
bool sandbox_enter(char *missing, size_t size);

// tenon-import --try-sandbox: try what is forbidden, and print a line for each. Returns the exit
// status: 0 if all was refused, 1 if something was not, 3 if there is no filter on this system.
int sandbox_try(void);

#endif  // TENON_IMPORT_SYSTEM_SANDBOX_H
