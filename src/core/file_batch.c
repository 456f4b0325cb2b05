// file_batch.c: files that get their names together, when all of them are on the disk.
// SPDX-License-Identifier: MIT

#include "file.h"

#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "error.h"

typedef struct entry {
    struct entry *next;
    char name[TN_PATH_SIZE];  // The caller's may be gone.
    tn_output out;
} entry;

struct tenon_batch {
    tenon_allocator allocator;
    entry *first, **end;
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
    batch->end = &batch->first;
    return batch;
}

bool tn_batch_has(const tenon_batch *batch, const char *target)
{
    for (const entry *e = batch->first; e; e = e->next)
        if (strcmp(e->out.target, target) == 0) return true;
    return false;
}

bool tn_batch_add(tenon_batch *batch, const tn_output *out)
{
    entry *added = tn_block_alloc(&batch->allocator, sizeof *added);
    if (!added) return false;
    added->next = NULL;
    added->out = *out;
    (void)snprintf(added->name, sizeof added->name, "%s", out->name);
    added->out.name = added->name;
    *batch->end = added;
    batch->end = &added->next;
    return true;
}

// Take away the names that were given before `until`, where nothing was before.
static void take_back(const tenon_batch *batch, const entry *until)
{
    for (const entry *e = batch->first; e != until; e = e->next) {
        const tn_output *out = &e->out;
        if (out->is_new) (void)out->files->remove(out->files->user, out->target);
    }
}

// Outputs that have their names are left alone.
static void clear(tenon_batch *batch)
{
    for (entry *e = batch->first, *next; e; e = next) {
        next = e->next;
        tn_output_abort(&e->out);
        tn_block_free(&batch->allocator, e, sizeof *e);
    }
    batch->first = NULL;
    batch->end = &batch->first;
}

// All renames in a row: whoever looks, or kills the program, finds the files of one time.
bool tenon_batch_commit(tenon_batch *batch, tenon_error *err)
{
    bool ok = true;
    tn_error_clear(err);
    for (entry *e = batch->first; e && ok; e = e->next) {
        ok = tn_output_rename(&e->out);
        if (ok) continue;
        if (err) *err = e->out.error;
        take_back(batch, e);
    }
    for (entry *e = batch->first; e && ok; e = e->next) tn_output_settle(&e->out);
    clear(batch);
    return ok;
}

void tenon_batch_free(tenon_batch *batch)
{
    if (!batch) return;
    clear(batch);
    tenon_allocator allocator = batch->allocator;
    tn_block_free(&allocator, batch, sizeof *batch);
}
