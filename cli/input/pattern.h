// pattern.h: patterns of file names, as in '--include' and '--exclude'.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_PATTERN_H
#define TENON_CLI_PATTERN_H

#include "options/cli.h"

// Whether a pattern matches a path, which has '/' between folders. '*' is any text within a name,
// '?' one character, '[a-z]' one of several, '[!a-z]' none of them, and '**' any number of folders.
// A pattern without '/' is compared with the last name of the path only.
bool pattern_matches(const char *pattern, const char *path);

// Whether one of the patterns matches.
bool pattern_list_matches(const cli_list *patterns, const char *path);

#endif  // TENON_CLI_PATTERN_H
