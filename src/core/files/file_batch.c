// file_batch.c: files that get their names together, when all of them are on the disk.
// SPDX-License-Identifier: MIT
//
// Their temporaries stay open and locked until then. Where that would be more open files than the
// system allows, their folders are locked instead and the files closed: see file_output.c.

#include "core/files/file.h"

#include <stddef.h>
#include <string.h>

#include "core/memory/arena.h"
#include "core/text/error.h"
#include "core/text/name_tree.h"

#define OPEN_MOST 64u  // Files of a batch that are open at a time, where folders can be locked.

// A file that is complete but not yet renamed: the part of its tn_output that is still needed,
// since that is large.
typedef struct entry {
    tn_named target, temporary;
    struct entry *next;
    const char *name;  // A copy, since the caller's may be gone.
    size_t size;       // Of this struct with its texts.
    const tenon_files *files;
    tenon_file file;
    bool is_open, is_locked, has_temporary, replaces, is_new;
    char texts[];
} entry;

// A folder that is locked until everything in it has its name.
typedef struct guard {
    struct guard *next;
    const tenon_files *files;
    tenon_file file;
    size_t size;  // Of `folder`.
    char folder[TN_PATH_SIZE];
} guard;

struct tenon_batch {
    tenon_allocator allocator;
    entry *first, *last;
    uint32_t open_count;
    tn_name_tree targets, temporaries;
    guard *guards;
};

tenon_batch *tenon_batch_new(const tenon_allocator *allocator, tenon_error *err)
{
    static const tenon_allocator system;
    if (!allocator) allocator = &system;
    tn_error_clear(err);
    tenon_batch *batch = tn_block_alloc(allocator, sizeof *batch);
    if (!batch) {
        tn_error(err, TENON_ERR_MEMORY, "out of memory");
        return NULL;
    }
    *batch = (tenon_batch){.allocator = *allocator};
    return batch;
}

static tenon_str file_batch_str_of(const char *text)
{
    return (tenon_str){text, (uint32_t)strlen(text)};
}

bool tn_batch_has(const tenon_batch *batch, const char *target)
{
    return tn_name_find(&batch->targets, file_batch_str_of(target)) != NULL;
}

// -- Entries

static const char *file_batch_keep(char **at, const char *text)
{
    size_t size = strlen(text) + 1;
    const char *kept = memcpy(*at, text, size);
    *at += size;
    return kept;
}

static entry *file_batch_entry_new(tenon_batch *batch, const tn_output *out)
{
    size_t size = sizeof(entry) + strlen(out->name) + strlen(out->target) + strlen(out->temporary);
    size += 3;
    entry *e = tn_block_alloc(&batch->allocator, size);
    if (!e) return NULL;
    *e = (entry){
        .size = size,
        .files = out->files,
        .file = out->file,
        .is_open = out->is_open,
        .is_locked = out->is_locked,
        .has_temporary = out->has_temporary,
        .replaces = out->replaces,
        .is_new = out->is_new,
    };
    char *at = e->texts;
    e->name = file_batch_keep(&at, out->name);
    e->target.name = file_batch_str_of(file_batch_keep(&at, out->target));
    e->temporary.name = file_batch_str_of(file_batch_keep(&at, out->temporary));
    return e;
}

// The output again, for the last steps. file_batch_forget() has to follow, with the output as they
// left it.
static void file_batch_recall(const entry *e, tn_output *out)
{
    memset(out, 0, offsetof(tn_output, target));
    out->files = e->files;
    out->name = e->name;
    out->file = e->file;
    out->is_open = e->is_open;
    out->is_locked = e->is_locked;
    out->has_temporary = e->has_temporary;
    out->replaces = e->replaces;
    memcpy(out->target, e->target.name.data, e->target.name.size + 1);
    memcpy(out->temporary, e->temporary.name.data, e->temporary.name.size + 1);
}

static void file_batch_forget(entry *e, const tn_output *out)
{
    e->is_open = out->is_open;
    e->has_temporary = out->has_temporary;
}

// -- Many files

static guard *file_batch_find_guard(const tenon_batch *batch, const char *path)
{
    size_t size = tn_path_folder_size(path);
    guard *g = batch->guards;
    while (g && !(g->size == size && memcmp(g->folder, path, size) == 0)) g = g->next;
    return g;
}

uint32_t tn_batch_open_count(const tenon_batch *batch)
{
    return batch->open_count;
}

bool tn_batch_guards(const tenon_batch *batch, const char *path)
{
    return file_batch_find_guard(batch, path) != NULL;
}

bool tn_batch_pends(const tenon_batch *batch, const char *temporary)
{
    return tn_name_find(&batch->temporaries, file_batch_str_of(temporary)) != NULL;
}

// They were looked for when the last of the files was created.
bool tn_batch_has_swept(const tenon_batch *batch, const char *path)
{
    size_t size = tn_path_folder_size(path);
    const char *swept = batch->last ? batch->last->target.name.data : NULL;
    return swept && size == tn_path_folder_size(swept) && memcmp(path, swept, size) == 0;
}

// Whether the folder of `path` is locked now. Fails if another process has the lock or folders
// cannot be locked.
static bool file_batch_lock_folder(tenon_batch *batch, const tenon_files *files, const char *path)
{
    if (file_batch_find_guard(batch, path)) return true;
    guard *g = tn_block_alloc(&batch->allocator, sizeof *g);
    if (!g) return false;
    *g = (guard){.next = batch->guards, .files = files, .size = tn_path_folder_size(path)};
    memcpy(g->folder, path, g->size);
    bool is_locked = tn_folder_lock(files, path, &g->file) == 0;
    if (is_locked)
        batch->guards = g;
    else
        tn_block_free(&batch->allocator, g, sizeof *g);
    return is_locked;
}

// Errors were already reported when the file was synced.
static void file_batch_close_guarded(tenon_batch *batch)
{
    for (entry *e = batch->first; e; e = e->next) {
        if (!e->is_open || !file_batch_find_guard(batch, e->target.name.data)) continue;
        (void)e->files->close(e->files->user, e->file);
        e->is_open = e->is_locked = false;
        batch->open_count--;
    }
}

bool tn_batch_add(tenon_batch *batch, const tn_output *out)
{
    entry *added = file_batch_entry_new(batch, out);
    if (!added) return false;
    if (batch->last)
        batch->last->next = added;
    else
        batch->first = added;
    batch->last = added;
    tn_name_enter(&batch->targets, &added->target);
    tn_name_enter(&batch->temporaries, &added->temporary);
    batch->open_count += added->is_open;
    if (batch->open_count >= OPEN_MOST && file_batch_lock_folder(batch, out->files, out->target))
        file_batch_close_guarded(batch);
    return true;
}

// -- The end

// Remove the files that were renamed before `until` and that did not replace anything.
static void file_batch_take_back(const tenon_batch *batch, const entry *until)
{
    for (const entry *e = batch->first; e != until; e = e->next)
        if (e->is_new) (void)e->files->remove(e->files->user, e->target.name.data);
}

static void file_batch_unlock_folders(tenon_batch *batch)
{
    for (guard *g = batch->guards, *next; g; g = next) {
        next = g->next;
        (void)g->files->close(g->files->user, g->file);
        tn_block_free(&batch->allocator, g, sizeof *g);
    }
    batch->guards = NULL;
}

// Outputs that are already renamed are not touched.
static void file_batch_clear(tenon_batch *batch)
{
    for (entry *e = batch->first, *next; e; e = next) {
        tn_output out;
        next = e->next;
        file_batch_recall(e, &out);
        tn_output_abort(&out);
        tn_block_free(&batch->allocator, e, e->size);
    }
    file_batch_unlock_folders(batch);
    batch->first = batch->last = NULL;
    batch->open_count = 0;
    batch->targets = batch->temporaries = (tn_name_tree){0};
}

// All renames follow each other immediately, so that readers, and users who kill the program, find
// files of one time.
bool tenon_batch_commit(tenon_batch *batch, tenon_error *err)
{
    bool ok = true;
    tn_output out;
    tn_error_clear(err);
    for (entry *e = batch->first; e && ok; e = e->next) {
        file_batch_recall(e, &out);
        ok = tn_output_rename(&out);
        file_batch_forget(e, &out);
        if (ok) continue;
        if (err) *err = out.error;
        file_batch_take_back(batch, e);
    }
    for (entry *e = batch->first; e && ok; e = e->next) {
        file_batch_recall(e, &out);
        tn_output_settle(&out);
        file_batch_forget(e, &out);
    }
    file_batch_clear(batch);
    return ok;
}

void tenon_batch_free(tenon_batch *batch)
{
    if (!batch) return;
    file_batch_clear(batch);
    tenon_allocator allocator = batch->allocator;
    tn_block_free(&allocator, batch, sizeof *batch);
}
