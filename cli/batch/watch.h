// watch.h: waits until something changes in folders.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_WATCH_H
#define TENON_CLI_WATCH_H

#include "input/paths.h"

// Wait until something may have changed in one of the folders, or the program is interrupted. What
// changes from now on counts, and what has changed since the last call. Where the system does not
// report changes, and for folders that it does not watch, this is a second.
void watch_wait(const file_list *folders);

#endif  // TENON_CLI_WATCH_H
