// work.c: counts the branches that the library takes, where it was compiled to report them.
// SPDX-License-Identifier: MIT
//
// The preset `fuzz` compiles with -fsanitize-coverage=trace-pc, which calls the function below at
// every branch. libFuzzer has a function of that name, so that the linker has to wrap it. Elsewhere
// nothing calls it, and no limit of work is ever reached.

#include "fuzz.h"

uint64_t fuzz_work;

void __wrap___sanitizer_cov_trace_pc(void);

#if defined(__clang__)
__attribute__((no_sanitize("coverage")))
#endif
void __wrap___sanitizer_cov_trace_pc(void)
{
    fuzz_work++;
}
