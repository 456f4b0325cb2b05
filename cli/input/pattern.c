// pattern.c: patterns of file names, as in '--include' and '--exclude'.
// SPDX-License-Identifier: MIT

#include "input/pattern.h"

#include "input/paths.h"

#include <string.h>

// The character of a set, "[a-z]", which begins at *pattern and must end. Moves past it.
static bool pattern_set_has(const char **pattern, char c)
{
    const char *p = *pattern + 1;
    bool is_negated = *p == '!' || *p == '^', has = false;
    if (is_negated) p++;
    for (const char *first = p; *p && (*p != ']' || p == first); p++) {
        bool is_range = p[1] == '-' && p[2] && p[2] != ']';
        has |= is_range ? (uint8_t)c >= (uint8_t)p[0] && (uint8_t)c <= (uint8_t)p[2] : c == *p;
        if (is_range) p += 2;
    }
    *pattern = p + 1;
    return has != is_negated;
}

// Where one step of the pattern leads if it matches `c`, or NULL. A set that does not end is a '['.
static const char *pattern_step(const char *pattern, char c)
{
    if (c == '/') return *pattern == '/' ? pattern + 1 : NULL;
    if (*pattern == '?') return pattern + 1;
    if (*pattern == '[' && pattern[1] && strchr(pattern + 2, ']'))
        return pattern_set_has(&pattern, c) ? pattern : NULL;
    return *pattern == c ? pattern + 1 : NULL;
}

// After a mismatch, the last star takes one more character; a star within a name gives way to the
// last '**' before it. This takes time in proportion to both lengths, for each '**'.
static bool pattern_fits(const char *pattern, const char *path)
{
    const char *star = NULL, *star_at = NULL, *stars = NULL, *stars_at = NULL;
    while (*path || *pattern) {
        if (strncmp(pattern, "**", 2) == 0) {
            pattern += 2;
            // "**/" also is no folder at all.
            if (*pattern == '/') pattern++;
            stars = pattern;
            stars_at = path;
            star = NULL;
            continue;
        }
        if (*pattern == '*') {
            star = ++pattern;
            star_at = path;
            continue;
        }
        const char *next = *path ? pattern_step(pattern, *path) : NULL;
        if (next) {
            pattern = next;
            path++;
        } else if (star && *star_at && *star_at != '/') {
            pattern = star;
            path = ++star_at;
        } else if (stars && *stars_at) {
            // After "**/", a name begins.
            bool is_name = stars[-1] == '/';
            do {
                stars_at++;
            } while (is_name && *stars_at && stars_at[-1] != '/');
            pattern = stars;
            path = stars_at;
            star = NULL;
        } else {
            return false;
        }
    }
    return true;
}

bool pattern_matches(const char *pattern, const char *path)
{
    return pattern_fits(pattern, strchr(pattern, '/') ? path : path_base_name(path));
}

bool pattern_list_matches(const cli_list *patterns, const char *path)
{
    for (uint32_t i = 0; i < patterns->count; i++)
        if (pattern_matches(patterns->values[i], path)) return true;
    return false;
}
