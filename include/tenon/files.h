// files.h: how the library reaches files, so that an engine can bring its own and tests can make
// every operation fail.
// SPDX-License-Identifier: MIT

#ifndef TENON_FILES_H
#define TENON_FILES_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tenon_file_kind {
    TENON_FILE_REGULAR,
    TENON_FILE_FOLDER,
    TENON_FILE_PIPE,    // Also sockets: readable once, of unknown size.
    TENON_FILE_DEVICE,  // A terminal, /dev/null: written to, never read by its path.
    TENON_FILE_DISK,    // A block device: neither read nor written.
} tenon_file_kind;

typedef struct tenon_file_info {
    tenon_file_kind kind;
    uint64_t size;     // Of regular files.
    tenon_file_id id;  // All zero if the system cannot tell files apart.
} tenon_file_info;

typedef intptr_t tenon_file;  // Whatever the operations below make of it.

// Takes the name of an entry of a folder; return false to stop.
typedef bool tenon_entry_fn(void *user, const char *name);

// File operations. Each returns 0, or an errno value. A struct is complete: no member may be NULL,
// but open_inside and list; and map, lock, copy_mode, sync_name and resolve may do nothing and
// return ENOSYS. After EINTR, read and write are called again.
typedef struct tenon_files {
    void *user;

    // Open for reading. Never blocks, not even on a pipe that nobody writes to. Folders are opened
    // to be locked; they may be refused, with EISDIR or EACCES.
    int (*open)(void *user, const char *path, tenon_file *file);
    // What the open file is.
    int (*stat)(void *user, tenon_file file, tenon_file_info *info);
    // What `path` is, without opening it, links followed; ENOENT if there is nothing.
    int (*look)(void *user, const char *path, tenon_file_info *info);
    // Read up to `size` bytes; *got is 0 at the end.
    int (*read)(void *user, tenon_file file, void *dst, size_t size, size_t *got);
    // Map a whole regular file for reading; released by unmap(). If this fails, it is read instead.
    int (*map)(void *user, tenon_file file, size_t size, const void **memory);
    void (*unmap)(void *user, const void *memory, size_t size);
    // Create a file that must not exist yet (EEXIST otherwise), open for writing.
    int (*create)(void *user, const char *path, tenon_file *file);
    // Open an existing file for writing as it is: devices and pipes, and to lock a leftover. Does
    // not block either: ENXIO for a pipe that nobody reads from. A link is not followed: ELOOP,
    // unless it is one of the system itself, such as /dev/stdout.
    int (*open_write)(void *user, const char *path, tenon_file *file);
    // Lock the open file until it is closed; EWOULDBLOCK if it is locked already, by whomever.
    int (*lock)(void *user, tenon_file file);
    // Write up to `size` bytes; *put may be less.
    int (*write)(void *user, tenon_file file, const void *src, size_t size, size_t *put);
    // Give the open file the permissions of the file at `path`, and its owner if that is allowed.
    int (*copy_mode)(void *user, tenon_file file, const char *path);
    // Everything written is on the disk when this returns.
    int (*sync)(void *user, tenon_file file);
    // And so is the name of the file at `path`.
    int (*sync_name)(void *user, const char *path);
    int (*close)(void *user, tenon_file file);
    // Give `from` the name `to`, in one step; without `replace`, EEXIST if `to` exists.
    int (*rename)(void *user, const char *from, const char *to, bool replace);
    int (*remove)(void *user, const char *path);
    // The path behind all links, into `out`. What it names need not exist, but its folder must.
    int (*resolve)(void *user, const char *path, char *out, size_t out_size);
    // open() for a file that has to be in `folder` or below, whatever is renamed or linked
    // meanwhile: EXDEV if it is not. NULL: there are no links, so that open() does.
    int (*open_inside)(void *user, const char *folder, const char *path, tenon_file *file);
    // Hand the name of every entry of a folder to `take`, in any order. NULL: folders cannot be
    // listed, and temporary files of writers that crashed are not looked for.
    int (*list)(void *user, const char *folder, tenon_entry_fn *take, void *take_user);
} tenon_files;

// The operations of the system the library was built for.
TENON_API const tenon_files *tenon_system_files(void);

// Standard input, for tenon_load_stream() with the system's operations.
TENON_API tenon_file tenon_stdin(void);

// -- The bytes of a file

// What tenon_load() and tenon_load_stream() fill in; tenon_unload() frees it.
typedef struct tenon_bytes {
    const void *data;  // Never NULL, even if the file is empty.
    size_t size;
    tenon_file_id id;  // For tenon_write_opts.inputs.
    bool mapped;       // If the file shrinks now, touching what is gone raises SIGBUS.

    // Private.
    void *block;
    size_t block_size;
    tenon_allocator allocator;
    const tenon_files *files;
} tenon_bytes;

// Take a whole file into memory, or map it if `opts->map` is set and the system can. Of the
// options, `allocator`, `progress`, `max_stream`, `map`, `files` and `beside` count.
//
// Folders and devices are refused, and so are pipes with a name, which could make the caller wait
// for ever; pipes under /dev/fd are not. Returns false on failure; there is nothing to free then.
TENON_API bool tenon_load(const char *path, const tenon_read_opts *opts, tenon_bytes *bytes,
                          tenon_error *err);

// Take what is left in an open file or pipe, which stays open. `name` is for messages.
TENON_API bool tenon_load_stream(tenon_file file, const char *name, const tenon_read_opts *opts,
                                 tenon_bytes *bytes, tenon_error *err);

// Free what was loaded. Zeroed bytes are fine, and so is NULL.
TENON_API void tenon_unload(tenon_bytes *bytes);

// Write `size` bytes to a file: completely or not at all, as tenon_write_file() does.
TENON_API bool tenon_save(const char *path, const void *bytes, size_t size,
                          const tenon_write_opts *opts, tenon_error *err);

// -- Files that belong together

// Files that get their names together. Each call that has the batch in its `tenon_write_opts`
// leaves a file beside its place, complete and locked; tenon_batch_commit() renames all of them.
// Until then nothing has changed, so that what fails halfway leaves neither half of a model.
typedef struct tenon_batch tenon_batch;

// Returns NULL if memory ran out. `allocator` may be NULL. A few files in the batch stay open until
// they have their names; where folders cannot be locked, all of them do.
TENON_API tenon_batch *tenon_batch_new(const tenon_allocator *allocator, tenon_error *err);

// Give every file its name, in the order in which they were written. If one of them cannot have it,
// those that were not there before are removed again. The batch is empty afterwards, either way.
TENON_API bool tenon_batch_commit(tenon_batch *batch, tenon_error *err);

// Free a batch; files that have no name yet are removed. NULL is fine.
TENON_API void tenon_batch_free(tenon_batch *batch);

// -- Which file a path is

// Which file `path` is, links followed. Returns false if it cannot be looked at. As below, `files`
// may be NULL: the system's.
TENON_API bool tenon_file_identify(const tenon_files *files, const char *path, tenon_file_id *id);

// Where a file is that a model names (a texture, a clip), or false if the name leads out of the
// model's folder: absolute paths, "..", drive letters, links that point elsewhere. Only what this
// function lets through is ever opened. `model_path` is the model's own path; `out` gets the path
// to open. The file need not exist. Backslashes in the name count as slashes.
//
// A link may be put there after the answer: open the file with `tenon_read_opts.beside` set.
TENON_API bool tenon_file_beside(const tenon_files *files, const char *model_path, tenon_str name,
                                 char *out, size_t out_size);

#ifdef __cplusplus
}
#endif
#endif  // TENON_FILES_H
