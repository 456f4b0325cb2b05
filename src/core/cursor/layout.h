// layout.h: layouts that are known only after reading which elements the records have.
// SPDX-License-Identifier: MIT
//
//     tn_layout_builder b = tn_layout_begin(io, "vertices", &mesh->vertices, 2);
//     if (has_positions) tn_layout_add(&b, "position", TENON_TYPE_F32, 3, 0);
//     if (has_normals) tn_layout_add(&b, "normal", TENON_TYPE_F32, 3, 0);
//     tn_records(io, "vertices", &mesh->vertices, mesh->vertex_count, tn_layout_end(&b));
//
// In READ mode this makes a layout. In WRITE mode it compares what is added with the layout that
// the span has, so that a document whose vertex format and vertices disagree is refused.

#ifndef TN_CORE_CURSOR_LAYOUT_H
#define TN_CORE_CURSOR_LAYOUT_H

#include "core/cursor/io.h"

typedef struct tn_layout_builder {
    tn_io *io;
    const char *name;
    const tenon_layout *stated;  // WRITE: what the span says.
    tenon_element *elements;     // READ
    uint32_t count;
    uint64_t stride;
} tn_layout_builder;

// At most `most` elements will be added.
tn_layout_builder tn_layout_begin(tn_io *io, const char *name, const tenon_span *span,
                                  uint32_t most);
// `rows` is 0 for one row that is not shown as a list. `name` must outlive the document.
void tn_layout_add(tn_layout_builder *b, const char *name, tenon_type type, uint32_t count,
                   uint32_t rows);
// The layout; never NULL.
const tenon_layout *tn_layout_end(tn_layout_builder *b);

#endif  // TN_CORE_CURSOR_LAYOUT_H
