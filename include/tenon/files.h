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
    tenon_file_id id;  // All zero if the system does not identify files.
} tenon_file_info;

typedef intptr_t tenon_file;  // A handle that only the operations below interpret.

// Takes the name of an entry of a folder; return false to stop.
typedef bool tenon_entry_fn(void *user, const char *name);

// File operations. Each returns 0, or an errno value. A struct is complete: no member may be NULL
// except open_inside, list and those of `reserved`. map, lock, copy_mode, sync_name and resolve may
// do nothing and return ENOSYS. After EINTR, read and write are called again. Paths of files beside
// a model whose path has no folder start with "./"; those of folders may end with '/'.
typedef struct tenon_files {
    void *user;

    // Open for reading. Never blocks, not even on a pipe without a writer. Folders are opened to be
    // locked; they may be refused, with EISDIR or EACCES.
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
    // not block either: ENXIO for a pipe without a reader. A link is not followed: ELOOP, unless it
    // is one of the system itself, such as /dev/stdout.
    int (*open_write)(void *user, const char *path, tenon_file *file);
    // Lock the open file until it is closed; EWOULDBLOCK if it is locked already.
    int (*lock)(void *user, tenon_file file);
    // Write up to `size` bytes; *put may be less.
    int (*write)(void *user, tenon_file file, const void *src, size_t size, size_t *put);
    // Give the open file the permissions of the file at `path`, and its owner if that is allowed.
    int (*copy_mode)(void *user, tenon_file file, const char *path);
    // Flush everything written to the disk.
    int (*sync)(void *user, tenon_file file);
    // Flush the name of the file at `path` to the disk.
    int (*sync_name)(void *user, const char *path);
    int (*close)(void *user, tenon_file file);
    // Rename `from` to `to` atomically; without `replace`, EEXIST if `to` exists.
    int (*rename)(void *user, const char *from, const char *to, bool replace);
    int (*remove)(void *user, const char *path);
    // The path with all links resolved, into `out`. The file need not exist, but its folder must.
    int (*resolve)(void *user, const char *path, char *out, size_t out_size);
    // Like open(), but fails with EXDEV if the file is not in `folder` or below, even if files are
    // renamed or linked at the same time. NULL: the system has no links, and open() is used.
    int (*open_inside)(void *user, const char *folder, const char *path, tenon_file *file);
    // Hand the name of every entry of a folder to `take`, in any order. NULL: folders cannot be
    // listed, and temporary files of writers that crashed are not looked for.
    int (*list)(void *user, const char *folder, tenon_entry_fn *take, void *take_user);
    void *reserved[4];  // NULL: room for what later versions add.
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
    bool mapped;       // If the file shrinks now, accessing the removed part raises SIGBUS.

    // Private.
    void *block;
    size_t block_size;
    tenon_allocator allocator;
    const tenon_files *files;
} tenon_bytes;

// Read a whole file into memory, or map it if `opts->map` is set and the system supports it. Of the
// options, only `allocator`, `events`, `max_stream`, `map`, `files` and `beside` are used.
//
// Folders and devices are refused, and so are pipes with a name, which could make the caller wait
// for ever; pipes under /dev/fd are not. Returns false on failure; there is nothing to free then.
TENON_API bool tenon_load(const char *path, const tenon_read_opts *opts, tenon_bytes *bytes,
                          tenon_error *err);

// Read what is left in an open file or pipe, which stays open. `name` is for messages.
TENON_API bool tenon_load_stream(tenon_file file, const char *name, const tenon_read_opts *opts,
                                 tenon_bytes *bytes, tenon_error *err);

// Free what was loaded. Does nothing for zeroed bytes and for NULL.
TENON_API void tenon_unload(tenon_bytes *bytes);

// Write `size` bytes to a file: completely or not at all, as tenon_write_file() does.
TENON_API bool tenon_save(const char *path, const void *bytes, size_t size,
                          const tenon_write_opts *opts, tenon_error *err);

// -- Files that belong together

// Files that are renamed together. Each call with the batch in its `tenon_write_opts` leaves a
// temporary file, complete and locked; tenon_batch_commit() renames all of them. Until then nothing
// has changed, so that a failure never leaves half of a model.
typedef struct tenon_batch tenon_batch;

// Returns NULL if out of memory. `allocator` may be NULL. A few files in the batch stay open until
// they are renamed; where folders cannot be locked, all of them do.
TENON_API tenon_batch *tenon_batch_new(const tenon_allocator *allocator, tenon_error *err);

// Rename all files, in the order in which they were written. If a rename fails, files that did not
// exist before are removed again. The batch is empty afterwards, either way.
TENON_API bool tenon_batch_commit(tenon_batch *batch, tenon_error *err);

// Free a batch; files that are not renamed yet are removed. Does nothing for NULL.
TENON_API void tenon_batch_free(tenon_batch *batch);

// -- Files in memory

// Files that exist in memory only: give tenon_memory_files() to the functions that read and write
// files, and nothing touches the disk. Sidecars are found and written as they are in a folder.
typedef struct tenon_memory tenon_memory;

typedef struct tenon_memory_file {
    const char *path;     // As it was added or written, without "./" at the start.
    const uint8_t *data;  // May be NULL if it is empty.
    size_t size;
} tenon_memory_file;

// No files. Returns NULL if out of memory. `allocator` may be NULL.
TENON_API tenon_memory *tenon_memory_new(const tenon_allocator *allocator, tenon_error *err);

// Free all files. Does nothing for NULL.
TENON_API void tenon_memory_free(tenon_memory *memory);

// Add a copy of a file, or replace it. `path` is relative, with '/'. Returns false if it is empty,
// or if out of memory.
TENON_API bool tenon_memory_add(tenon_memory *memory, const char *path, const void *data,
                                size_t size);

// File number `index`, in the order in which their names were first used; or the file of that path.
// Valid until files are written again. Returns false if there is none.
TENON_API bool tenon_memory_at(const tenon_memory *memory, uint32_t index, tenon_memory_file *file);
TENON_API bool tenon_memory_find(const tenon_memory *memory, const char *path,
                                 tenon_memory_file *file);

// The operations on these files, valid as long as `memory`. One thread may use them at a time.
TENON_API const tenon_files *tenon_memory_files(tenon_memory *memory);

// -- Which file a path is

// The identity of the file at `path`, links followed. Returns false if it is unknown. `files` may
// be NULL here and below: the system's.
TENON_API bool tenon_file_identify(const tenon_files *files, const char *path, tenon_file_id *id);

// Where a file is that a model names (a texture, a clip), or false if the name leads out of the
// model's folder: absolute paths, "..", drive letters, links that point elsewhere. Only paths that
// this function accepts are ever opened. `model_path` is the path of the model; `out` gets the path
// to open. The file need not exist. Backslashes in the name count as slashes.
//
// A link may be put there afterwards: open the file with `tenon_read_opts.beside` set.
TENON_API bool tenon_file_beside(const tenon_files *files, const char *model_path, tenon_str name,
                                 char *out, size_t out_size);

#ifdef __cplusplus
}
#endif
#endif  // TENON_FILES_H
