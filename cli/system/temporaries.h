// temporaries.h: the list of temporary files, for handlers that remove them.
// SPDX-License-Identifier: MIT
//
// The caller makes sure that no handler runs while the list is changed. Reading the list calls no
// functions, so that signal handlers may do it.

#ifndef TENON_CLI_TEMPORARIES_H
#define TENON_CLI_TEMPORARIES_H

#include <tenon/files.h>

typedef struct temporary {
    char *path;     // NULL if the slot is free.
    uint32_t hash;  // Of the path: there may be many.
    tenon_file file;
    bool is_ours;  // Created and locked by this process, which may remove it.
    bool is_locked;
    bool is_closed;  // Not renamed yet; `file` may be another file by now.
} temporary;

// Slot number `index`, from 0; NULL after the last one that was ever used.
const temporary *temporary_at(int index);

bool temporary_is_left(void);  // Whether there is any.

// NULL if there is none.
temporary *temporary_of_path(const char *path);
temporary *temporary_of_file(tenon_file file);

// A slot for a temporary of that name. Returns 0, or an errno value if there is no memory.
int temporary_add(const char *path, temporary **added);

// Free the slot. NULL is fine.
void temporary_forget(temporary *entry);

// tenon_files.list(), but lists nothing if the same folder was listed last: many files may be
// written to one folder, and leftovers are searched before the first.
int temporary_list_once(void *user, const char *folder, tenon_entry_fn *take, void *take_user);

#endif  // TENON_CLI_TEMPORARIES_H
