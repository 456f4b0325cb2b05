// manifest.h: what earlier runs made of what, beside their outputs.
// SPDX-License-Identifier: MIT
//
// A manifest is a text: a first line, and then a line for each output, which ends with the line,
// has its fields separated by tabs, and begins with a sum of the rest. While a run goes on, lines
// are added to a second file, whose lock keeps other runs away; a run that was killed leaves both.

#ifndef TENON_CLI_MANIFEST_H
#define TENON_CLI_MANIFEST_H

#include "batch/trace.h"
#include "options/cli.h"

#include <stdbool.h>

#define MANIFEST_NAME ".tenon-manifest"

// A line, taken apart.
typedef struct manifest_record {
    const char *output;  // Below the folder.
    const char *key;     // The hash of everything else that decides what is made.
    const char *source;  // The input, as an absolute path.
    uint32_t used_count, made_count;
    const char *(*used)[3];  // Of files that were used: path, stamp, hash.
    const char *(*made)[3];  // Of files that were made, below the folder.
    char *text;              // What all of them point into.
    size_t text_room;
    uint32_t used_room, made_room;
} manifest_record;

typedef struct manifest_line {
    char *text;       // Without the end of the line.
    bool is_packed;   // The text is in a block.
    bool is_own;      // Not of another shard.
    bool is_removed;  // A later line replaces it, or its files are removed.
} manifest_line;

// Texts of lines that do not change any more.
typedef struct manifest_block {
    struct manifest_block *next;
    size_t used, room;
    char text[];
} manifest_block;

// Where a path is named.
typedef struct manifest_name {
    uint64_t hash;
    uint32_t line;
    bool is_output;  // Of the line; else another file that was made.
} manifest_name;

typedef struct manifest {
    char *folder;  // With '/' at its end.
    char *path, *log_path;
    manifest_line *lines;  // Those that were read: their texts do not change.
    uint32_t count, room;
    manifest_line *added;  // Only the thread that adds them may look at them.
    uint32_t added_count, added_room;
    manifest_block *blocks;
    manifest_name *names;  // Of the lines that were read, sorted by hash.
    uint32_t name_count, name_room;
    tenon_file log;
    bool is_open, is_changed;
    bool is_torn;     // The last line of the log is not complete.
    bool was_killed;  // An earlier run left its log.
} manifest;

// Read the manifests in a folder, and begin to add to that of a shard (0 of 0: there are none). If
// `is_dry`, nothing is changed. A damaged or foreign manifest is reported and not used. Returns
// CLI_GO_ON, or the exit status after an error was reported. Call manifest_close() in any case.
int manifest_open(manifest *all, const char *folder, uint64_t shard, uint64_t shard_count,
                  bool is_dry);

// The stamps of an input and its output when the run began; 0: not known.
typedef struct manifest_seen {
    const char *input;
    uint64_t input_stamp, output_stamp;
} manifest_seen;

// Whether a line says that an output was made with this key, and all files are as they were.
bool manifest_is_current(const manifest *all, const char *output, const char *key,
                         const manifest_seen *seen);

// Whether a file that exists is one that an earlier run has made, unchanged since.
bool manifest_has_made(const manifest *all, const char *path);

// Add a line to the second file: before its files get their names, so that they are known whenever
// the run ends. False if that failed. manifest_flush() flushes them to the disk.
bool manifest_add(manifest *all, const manifest_record *record);

bool manifest_flush(manifest *all);

// The number of the line that was added last; and when its files have their names, keep their
// stamps, so that the next run need not read them.
uint32_t manifest_last(const manifest *all);
void manifest_settle(manifest *all, uint32_t line);

// Remove the files of earlier runs whose input is gone, or that are not made any more, if they
// are unchanged. Reports each to `report`, with whether it was removed.
void manifest_prune(manifest *all, bool is_dry, bool (*is_wanted)(void *user, const char *output),
                    void (*report)(void *user, const char *path, bool is_removed), void *user);

// Save what has changed, and free everything. False, with `err` set, if it could not be saved.
bool manifest_close(manifest *all, tenon_error *err);

// Take a line apart. False if it is damaged or memory ran out. The record is zeroed, or that of an
// earlier call, whose memory is used again.
bool manifest_parse(const char *line, manifest_record *record);
void manifest_record_free(manifest_record *record);

#endif  // TENON_CLI_MANIFEST_H
