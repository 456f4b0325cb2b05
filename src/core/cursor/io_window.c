// io_window.c: parts of a file whose size is stored elsewhere.
// SPDX-License-Identifier: MIT

#include "core/cursor/io.h"

#include <inttypes.h>

tn_window tn_window_begin(tn_io *io, const char *name, uint64_t size)
{
    tn_window window = {name, io->pos, size, io->end};
    if (io->mode == TN_WRITE || io->failed) return window;
    uint64_t left = io->end - io->pos;
    if (size <= left)
        io->end = io->pos + size;
    else if (!io->keeps_parts)  // Otherwise its contents fail later.
        tn_fail_truncated(io, &(tn_field){.name = name, .offset = io->pos, .count = size}, size,
                          left);
    return window;
}

void tn_window_end(tn_io *io, const tn_window *window, tenon_span *leftover)
{
    if (leftover) tn_rest(io, "leftover", leftover);
    uint64_t taken = io->pos - window->start;
    if (!io->failed && taken != window->size)
        tn_fail(io, TENON_ERR_VALUE, window->start, window->name,
                "'%s' takes %" PRIu64 " bytes, its size says %" PRIu64,
                tn_io_title(io, window->name), taken, window->size);
    io->end = window->outer_end;
}
