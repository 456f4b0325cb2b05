// temporaries.h: the temporary files that are being written, for handlers that remove them.
// SPDX-License-Identifier: MIT
//
// Whoever changes the list sees to it that no handler looks at it meanwhile. Looking at it calls
// nothing, so that a signal handler may.

#ifndef TENON_CLI_TEMPORARIES_H
#define TENON_CLI_TEMPORARIES_H

#include <tenon/files.h>

typedef struct temporary {
    char *path;  // NULL if the slot is free.
    tenon_file file;
    bool is_ours;  // Created and locked by us, so it is ours to remove.
    bool is_locked;
    bool is_closed;  // But it has not got its name yet, and `file` may be another one by now.
} temporary;

// Slot number `index`, from 0; NULL behind the last one that was ever used.
const temporary *temporary_at(int index);

bool temporary_is_left(void);  // Whether there is one at all.

// NULL if there is none.
temporary *temporary_of_path(const char *path);
temporary *temporary_of_file(tenon_file file);

// A slot for a temporary of that name. Returns 0, or an errno value if there is no memory.
int temporary_add(const char *path, temporary **added);

// Free the slot. NULL is fine.
void temporary_forget(temporary *entry);

// tenon_files.list(), but nothing for a folder that was the last one to be listed: many files may
// be written to one folder, and leftovers are looked for before the first.
int temporary_list_once(void *user, const char *folder, tenon_entry_fn *take, void *take_user);

#endif  // TENON_CLI_TEMPORARIES_H
