// manifest_text.h: the lines of manifests, and writing them.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_MANIFEST_TEXT_H
#define TENON_CLI_MANIFEST_TEXT_H

#include "batch/manifest.h"

#define MANIFEST_HEAD "tenon-manifest 1\n"

// Whether the sum at the start of a line fits the rest.
bool manifest_text_is_sound(const char *line, size_t size);

// The line of a record, without its end but with room for it. NULL if memory ran out.
char *manifest_text_make(const manifest_record *record, size_t *size);

// Add to the log.
bool manifest_write_log(manifest *all, const char *text, size_t size);

// Replace the manifest by the lines that count.
bool manifest_save(const manifest *all, tenon_error *err);

// A path below the folder of the manifest; NULL: it is elsewhere.
const char *manifest_below(const manifest *all, const char *path);

#endif  // TENON_CLI_MANIFEST_TEXT_H
