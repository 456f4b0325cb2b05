// import_sandbox.h: the sandbox that tenon-import enters before it reads the first byte.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_SYSTEM_SANDBOX_H
#define TENON_IMPORT_SYSTEM_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

// Give up everything that is not needed to read from standard input, compute, and write to standard
// output and standard error. This cannot be undone. Returns false, with the reason in `missing`, if
// the system call filter could not be installed; the limits are set even then.
bool sandbox_enter(char *missing, size_t size);

// tenon-import --try-sandbox: try what is forbidden, and print a line for each attempt. Returns the
// exit status: 0 if all was refused, 1 if something was not, 3 if this system has no filter.
int sandbox_try(void);

#endif  // TENON_IMPORT_SYSTEM_SANDBOX_H
