// platform.h: what differs between POSIX systems and Windows.
// SPDX-License-Identifier: MIT
//
// CMake picks platform.c or platform_windows.c.

#ifndef TENON_CLI_PLATFORM_H
#define TENON_CLI_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tenon/files.h>

// The words of the command line in UTF-8, without the program's name, up to a NULL. They may be
// changed. NULL if there is no memory. Also makes sure that the standard streams are open, so that
// no file of ours is taken for one of them, and that they carry bytes as they are.
char **platform_begin(int argc, char **argv);

// Undo changes to the console that would outlive the program.
void platform_end(void);

// Change a path from the command line so that only '/' separates folders.
void platform_clean_path(char *path);

bool platform_is_terminal(FILE *stream);

// Whether a terminal understands the codes for colors.
bool platform_has_color(FILE *stream);

// The columns of the terminal on standard output; 0 if it is not a terminal.
uint32_t platform_columns(void);

// Its rows; 0 if it is not a terminal.
uint32_t platform_rows(void);

// Whether writing failed because the reader has closed the pipe.
bool platform_is_closed_pipe(int error);

// A stream into memory. When it ends, *text is what was written, with a NUL at the end, to be freed
// by the caller. Begin returns NULL and end false if there is no memory.
FILE *platform_memory_begin(char **text, size_t *size);
bool platform_memory_end(FILE *stream, char **text, size_t *size);

// Pass the names of the entries of a folder to `take`, in any order, until it returns false.
// Returns 0, or the errno value if it cannot be listed.
int platform_list(const char *folder, bool (*take)(void *user, const char *name), void *user);

// Whether files can be created in a folder, as far as that is known without trying. Returns 0, or
// the errno value of the failure that is to be expected.
int platform_may_create(const char *folder);

// tenon_files.look(), and if `stamp` is not NULL, a hash of what platform_stamp() gives of a
// regular file; 0 if that is not known. `info` distinguishes regular files and folders only.
int platform_look(const char *path, tenon_file_info *info, uint64_t *stamp);

// Whether there may be a link at `path`: false only if there is none. `stamp` as above; 0 of a
// link.
bool platform_may_be_link(const char *path, uint64_t *stamp);

// Whether there is nothing at `path`, not even a link: true only if that is known.
bool platform_is_absent(const char *path);

// A text that changes when a regular file does: its size, its times and its identity. False, and
// "", if there is none, or if the times are too coarse to be relied on. The size comes first, in
// hexadecimal digits.
bool platform_stamp(const char *path, char stamp[72]);

// Whether a file has changed so recently that it could change again and keep its times; also if
// that is not known.
bool platform_is_recent(const char *path);

// Make a folder the one that relative paths are in. Returns 0, or the errno value of the failure.
int platform_enter_folder(const char *folder);

// How many files may be open at a time.
uint32_t platform_files_most(void);

// Create a folder, or remove one that is empty. Both return 0, or the errno value of the failure.
int platform_make_folder(const char *folder);
int platform_remove_folder(const char *folder);

// The folder of this program, without a slash at its end. False if it is unknown.
bool platform_program_folder(char *folder, size_t size);

// Create a folder in that for temporary files which only this user can read; its name starts with
// `prefix`. False, with errno set, if that failed.
bool platform_make_temporary_folder(const char *prefix, char *folder, size_t size);

// Open a file with the program that the desktop has for it, and do not wait. Returns 0, or the
// errno value of the failure.
int platform_open_document(const char *path);

#endif  // TENON_CLI_PLATFORM_H
