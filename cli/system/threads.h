// threads.h: runs parts of a job in several threads.
// SPDX-License-Identifier: MIT
//
// CMake picks threads.c, threads_windows.c or threads_none.c.

#ifndef TENON_CLI_THREADS_H
#define TENON_CLI_THREADS_H

#include <tenon/base.h>

// As many calls at a time as there are processors. Threads live for one run() only, so that they
// need no end.
tenon_executor threads_executor(void);

#endif  // TENON_CLI_THREADS_H
