// layout.c: layouts that are known only after reading which elements the records have.
// SPDX-License-Identifier: MIT

#include "core/cursor/layout.h"

#include "core/cursor/span.h"

#include <string.h>

static const tenon_layout empty_layout = {NULL, 0, 0, NULL, 0, NULL};

tn_layout_builder tn_layout_begin(tn_io *io, const char *name, const tenon_span *span,
                                  uint32_t most)
{
    tn_layout_builder b = {.io = io, .name = name, .stated = &empty_layout};
    if (io->mode == TN_WRITE) {
        if (span->layout) b.stated = span->layout;
    } else {
        b.elements = tn_io_alloc(io, name, most, sizeof *b.elements);
    }
    return b;
}

static void layout_refuse(tn_layout_builder *b)
{
    tn_fail(b->io, TENON_ERR_VALUE, b->io->pos, b->name,
            "the layout of '%s' does not match its format", b->name);
}

static bool layout_is_stated(const tn_layout_builder *b, const tenon_element *e)
{
    if (b->count >= b->stated->element_count) return false;
    const tenon_element *s = &b->stated->elements[b->count];
    return s->type == e->type && s->count == e->count && s->rows == e->rows &&
           s->offset == e->offset && strcmp(s->name, e->name) == 0;
}

void tn_layout_add(tn_layout_builder *b, const char *name, tenon_type type, uint32_t count,
                   uint32_t rows)
{
    if (b->io->failed) return;
    tenon_element element = {name, type, count, rows, b->stride};
    if (b->io->mode == TN_READ)
        b->elements[b->count] = element;
    else if (!layout_is_stated(b, &element))
        layout_refuse(b);
    b->count++;
    b->stride += tn_element_size(&element);
}

const tenon_layout *tn_layout_end(tn_layout_builder *b)
{
    if (b->io->mode == TN_WRITE) {
        const tenon_layout *stated = b->stated;
        if (b->count != stated->element_count || b->stride != stated->stride || stated->tail)
            layout_refuse(b);
        return stated;
    }
    tenon_layout *layout = tn_io_alloc(b->io, b->name, 1, sizeof *layout);
    if (b->io->failed) return &empty_layout;
    *layout =
        (tenon_layout){.elements = b->elements, .element_count = b->count, .stride = b->stride};
    return layout;
}
