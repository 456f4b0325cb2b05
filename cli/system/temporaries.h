// temporaries.h: the list of temporary files, for handlers that remove them.
// SPDX-License-Identifier: MIT
//
// The caller makes sure that no handler runs while the list is changed. Reading the list calls no
// functions, so that signal handlers may do it.

#ifndef TENON_CLI_TEMPORARIES_H
#define TENON_CLI_TEMPORARIES_H

#include <tenon/files.h>

typedef struct temporary {
    struct temporary *next, *previous;  // Of all.
    struct temporary *next_of_path, *next_of_file;
    uint32_t hash;  // Of the path.
    tenon_file file;
    bool is_ours;  // Created and locked by this process, which may remove it.
    bool is_locked;
    bool is_open;  // Else it is not renamed yet, and `file` may be another file by now.
    char path[];
} temporary;

// The first one; `next` leads to the others.
const temporary *temporary_first(void);

// NULL if there is none. Of a file: while it is open.
temporary *temporary_of_path(const char *path);
temporary *temporary_of_file(tenon_file file);

// Add one of that name. NULL if there is no memory.
temporary *temporary_add(const char *path);

// Its file is open now, or is going to be closed.
void temporary_set_open(temporary *entry, tenon_file file);
void temporary_set_closed(temporary *entry);

// Take it from the list. NULL is fine.
void temporary_forget(temporary *entry);

// tenon_files.list(), but lists nothing if the same folder was listed last: many files may be
// written to one folder, and leftovers are searched before the first.
int temporary_list_once(void *user, const char *folder, tenon_entry_fn *take, void *take_user);

#endif  // TENON_CLI_TEMPORARIES_H
