// file.h: a file being written, all of it or nothing, and what the sources of the file layer share.
// SPDX-License-Identifier: MIT
//
// Loading is public: see tenon_load() in <tenon/files.h>.

#ifndef TN_CORE_FILES_FILE_H
#define TN_CORE_FILES_FILE_H

#include <tenon/files.h>

#include "core/math/floating_point.h"

#define TN_PATH_SIZE   4096   // Bytes of a path, with its NUL.
#define TN_OUTPUT_SIZE 16384  // Bytes collected before they are written; larger pieces go straight.

// Which source file provides the file operations. Only these use more than the C standard library,
// and with TENON_PLAIN_FILES defined, or on a system that is not known, none does.
#if defined(TENON_PLAIN_FILES)
#define TN_FILES_PLAIN
#elif defined(_WIN32)
#define TN_FILES_WINDOWS
#elif defined(__unix__) || defined(__APPLE__) || defined(__wasi__)
#define TN_FILES_POSIX
#else
#define TN_FILES_PLAIN
#endif

// -- Writing

// A file being written. It may be on the stack (about 25 KiB). Nothing is allocated, except by the
// system to list the folder.
typedef struct tn_output {
    uint64_t total;  // What `progress` gets; TENON_ABSENT unless the caller sets it after begin.
    bool failed;     // A write failed, or begin did: tn_output_commit() says why.

    // Private.
    const tenon_files *files;
    const char *name;  // As the caller spells it.
    tenon_events events;
    tenon_error error;
    tenon_file file;
    bool is_open;
    bool is_locked;
    bool is_direct;      // A device or a pipe: no temporary file.
    bool has_temporary;  // It exists and is ours.
    bool replaces;       // The target may exist.
    bool is_new;         // Nothing was there when it began.
    tenon_batch *batch;  // The batch it belongs to; NULL: none.
    uint64_t done;       // Bytes written.
    size_t used;         // Bytes in `buffer`.
    char target[TN_PATH_SIZE];
    char temporary[TN_PATH_SIZE];
    uint8_t buffer[TN_OUTPUT_SIZE];
} tn_output;

// Begin to write the file at `path`, a string that must outlive the output. Fails at once if the
// file must not be replaced. On failure there is nothing to clean up.
bool tn_output_begin(tn_output *out, const char *path, const tenon_write_opts *opts,
                     tenon_error *err);

// A tenon_write_fn whose user is the tn_output.
bool tn_output_write(void *out, const void *bytes, size_t size);

// The path under which everything written so far can be read; NULL if a write failed or the target
// is a device or a pipe.
const char *tn_output_so_far(tn_output *out);

// Put the file where it belongs. On failure, also of an earlier write, nothing has changed there.
bool tn_output_commit(tn_output *out, tenon_error *err);

// Give up: nothing has changed at `path`. Does nothing after begin failed and after commit.
void tn_output_abort(tn_output *out);

// The last steps of tn_output_commit(), for a batch: give the file its name; and when all have
// theirs, make sure that the names are on the disk. On failure of the first, `out->error` has the
// reason.
bool tn_output_rename(tn_output *out);
void tn_output_settle(tn_output *out);

// Whether a file of the batch will get the name `target`.
bool tn_batch_has(const tenon_batch *batch, const char *target);

// Keep a file that is complete but not yet renamed. The batch takes over the output.
bool tn_batch_add(tenon_batch *batch, const tn_output *out);

// How many of its files are open.
uint32_t tn_batch_open_count(const tenon_batch *batch);

// Whether it has locked the folder of `path`, so that no other batch has closed temporaries there.
bool tn_batch_guards(const tenon_batch *batch, const char *path);

// Whether it has a temporary of that name.
bool tn_batch_pends(const tenon_batch *batch, const char *temporary);

// Whether leftovers in the folder of `path` were looked for before this call.
bool tn_batch_has_swept(const tenon_batch *batch, const char *path);

// Lock the folder that `path` is in, until `*folder` is closed. Returns 0, or an errno value.
int tn_folder_lock(const tenon_files *files, const char *path, tenon_file *folder);

// -- Shared by the file layer

// Set an error of the file layer: "cannot VERB 'NAME': REASON", or "'NAME' REASON" if `verb` is
// NULL. A NULL `reason` is the system's message for the error. Returns false.
bool tn_file_error(tenon_error *err, tenon_code code, int system, const char *verb,
                   const char *name, const char *reason);

// Whether the machine failed and not the file: out of memory, or an existing file could not be
// read. This is never reported as a loss or as a fault of a model.
bool tn_is_outage(const tenon_error *err);

// -- Files that a model names

typedef enum tn_place { TN_PLACE_FOUND, TN_PLACE_MISSING, TN_PLACE_OUTSIDE } tn_place;

// Where to look, and where to put what was found.
typedef struct tn_search {
    const tenon_files *files;
    const char *model_path;
    char *out;  // The path, as from tenon_file_beside().
    size_t out_size;
    tenon_error *err;       // Set if the machine fails: tn_is_outage(). Otherwise unchanged.
    tenon_file_info *info;  // Of the file that was found; NULL: not needed.
} tn_search;

// tenon_file_beside(), and whether the file is there. If the machine fails, that counts as missing.
tn_place tn_find_sidecar(const tn_search *search, tenon_str name);

// Load the file next to a model that has its name with another extension. Sets opts->files, if that
// is NULL, and opts->beside. False if there is none; the error is set if it could not be loaded.
bool tn_load_sidecar(const char *model_path, const char *extension, tenon_read_opts *opts,
                     tenon_bytes *bytes, tenon_error *err);

// Whether `path` is `folder` or is in it, both as resolve() returns them: "/models2" is not in
// "/models".
bool tn_path_is_inside(const char *folder, const char *path);

// An unpredictable number for the name of a file. Returns 0, or an errno value: ENOSYS if the
// system has none.
int tn_file_random(uint64_t *number);

// How many bytes of `path` are its folder, with the separator at the end; 0 if it names none.
size_t tn_path_folder_size(const char *path);

// The name of the file at `path`, without its extension; a dot at the start is not one. It points
// into `path`.
tenon_str tn_path_stem(const char *path);

// Whether a name that a model gives stays in the model's folder, by its spelling alone.
bool tn_name_stays_inside(tenon_str name);

// Whether a name, without folders, is reserved for a device on Windows, with any extension:
// "nul.txt".
bool tn_name_is_device(const char *name);

// Whether the identity of the file is known.
bool tn_file_known(tenon_file_id id);

// Whether both are known and the same file.
bool tn_file_same(tenon_file_id a, tenon_file_id b);

#endif  // TN_CORE_FILES_FILE_H
