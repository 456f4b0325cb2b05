// threads_none.c: runs parts of a job in several threads: there are none.
// SPDX-License-Identifier: MIT

#include "system/threads.h"

tenon_executor threads_executor(void)
{
    return (tenon_executor){.width = 1};
}
