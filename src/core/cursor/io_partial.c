// io_partial.c: what is kept of a file with a fault in it.
// SPDX-License-Identifier: MIT

#include "core/cursor/io.h"

#include <string.h>

// -- Cutting

void tn_cut_at(tn_io *io, const char *name, uint64_t kept, uint64_t stated)
{
    if (!io->partial || io->skip_text) return;
    char path[sizeof io->err->path];
    tn_io_path(io, name, path, sizeof path);
    size_t size = strlen(path) + 1;
    tn_refusal why, why_not;
    tn_cut *cut = tn_arena_alloc(io->arena, 1, sizeof *cut, &why);
    char *copy = tn_arena_alloc(io->arena, 1, size, &why_not);
    if (why == TN_OUT_OF_MEMORY || why_not == TN_OUT_OF_MEMORY) {
        io->failed = true;  // Running out of memory takes precedence over the fault.
        *io->err = (tenon_error){.code = TENON_ERR_MEMORY, .offset = io->pos};
        memcpy(io->err->message, "out of memory", sizeof "out of memory");
    }
    if (!cut || !copy) return;
    memcpy(copy, path, size);
    *cut = (tn_cut){io->cuts, {.path = copy, .offset = io->pos, .kept = kept, .stated = stated}};
    io->cuts = cut;
}

// Whether the fault is in a list of children of the item at this depth: everything else of the item
// is complete.
static bool io_partial_is_in_children(const tn_io *io, uint32_t depth)
{
    for (uint32_t i = depth + 1; i < io->depth; i++)
        if (io->frames[i].count) return strcmp(io->frames[i].name, "children") == 0;
    return false;
}

// How many items of a list on the path of the fault are kept: those before it, and the item with
// the fault if part of it is wanted and usable.
static uint32_t io_partial_kept_items(const tn_io *io, uint32_t depth)
{
    const tn_frame *f = &io->frames[depth];
    if (f->index == TENON_NONE) return 0;
    return f->index + (io->keeps_parts && (f->holds || io_partial_is_in_children(io, depth)));
}

void tn_cut_lists(tn_io *io)
{
    uint32_t depth = io->depth;
    for (uint32_t i = io->kept_depth; i < depth; i++) {
        const tn_frame *f = &io->frames[i];
        if (!f->count) continue;
        uint32_t kept = io_partial_kept_items(io, i);
        *f->count = kept;
        io->depth = i;
        if (kept < f->stated) tn_cut_at(io, f->name, kept, f->stated);
        io->depth = depth;
    }
}

void tn_hold(tn_io *io)
{
    for (uint32_t i = 0; io->keeps_parts && i < io->depth; i++) io->frames[i].holds = true;
}

// -- Continuing

uint32_t tn_recoverable(tn_io *io)
{
    uint32_t outer = io->kept_depth;
    if (io->failed) return TENON_NONE;  // An earlier fault must not be cleared.
    if (io->keeps_parts) io->kept_depth = io->depth;
    return outer;
}

bool tn_recover(tn_io *io, uint32_t outer)
{
    if (outer == TENON_NONE) return false;
    tenon_code code = io->failed ? io->err->code : TENON_OK;
    bool is_of_the_file = code == TENON_ERR_TRUNCATED || code == TENON_ERR_VALUE;
    bool recovers = io->keeps_parts && is_of_the_file;
    if (recovers) {
        if (!io->recovered.code) io->recovered = *io->err;
        io->failed = false;
        io->depth = io->kept_depth;
    }
    io->kept_depth = outer;
    return recovers;
}

bool tn_window_recover(tn_io *io, const tn_window *window, uint32_t outer)
{
    if (!tn_recover(io, outer)) return false;
    io->end = window->outer_end;
    uint64_t left = io->end - window->start;
    io->pos = window->start + (window->size < left ? window->size : left);
    if (io->depth && !io->frames[io->depth - 1].holds) tn_cut_at(io, window->name, 0, 1);
    return true;
}
