// doc_map.c: report every byte of a file as the parts it consists of.
// SPDX-License-Identifier: MIT

#include "document/doc_map.h"

#include "core/cursor/span.h"
#include "core/text/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void doc_map_report_field(tn_observer *self, tn_io *io, const tn_field *field)
{
    tn_mapper *mapper = (tn_mapper *)self;
    char path[160];
    tn_io_path(io, field->name, path, sizeof path);
    // All bytes of the field in the file, with the size of a text. An inferred field has none
    // there.
    bool is_inferred = field->kind == TENON_PART_INFERRED;
    const uint8_t *bytes = is_inferred ? field->bytes : io->src + field->offset;
    bool go_on = mapper->fn(mapper->user, &(tenon_part){.kind = field->kind,
                                                        .offset = field->offset,
                                                        .size = field->size,
                                                        .path = path,
                                                        .type = field->type,
                                                        .count = field->count,
                                                        .bytes = bytes,
                                                        .text = field->text,
                                                        .layout = field->layout,
                                                        .big_endian = field->big_endian});
    mapper->end = field->offset + field->size;
    if (!go_on) {
        mapper->stopped = true;
        tn_fail(io, TENON_ERR_CANCELLED, field->offset, field->name, "stopped");
    }
}

void tn_mapper_init(tn_mapper *mapper, tenon_part_fn *fn, void *user)
{
    *mapper = (tn_mapper){.observer = {.field = doc_map_report_field}, .fn = fn, .user = user};
}

void tn_mapper_rest(tn_mapper *mapper, const uint8_t *data, uint64_t size)
{
    if (mapper->stopped || mapper->end >= size) return;
    mapper->fn(mapper->user, &(tenon_part){.kind = TENON_PART_REMAINDER,
                                           .offset = mapper->end,
                                           .size = size - mapper->end,
                                           .path = "",
                                           .count = size - mapper->end,
                                           .bytes = data + mapper->end});
}

// -- Inside a part

// The rows of all elements of one record, in order.
static const tenon_element *doc_map_element_at(const tenon_layout *layout, uint64_t index,
                                               uint64_t *row)
{
    for (uint32_t i = 0; i < layout->element_count; i++) {
        const tenon_element *e = &layout->elements[i];
        uint64_t rows = e->rows ? e->rows : 1;
        *row = index;
        if (index < rows) return e;
        index -= rows;
    }
    return NULL;
}

bool tenon_part_cell(const tenon_part *part, uint64_t record, uint64_t index, tenon_cell *cell)
{
    const tenon_layout *layout = part->layout;
    if (!layout || layout->tail || record >= part->count) return false;
    uint64_t row;
    const tenon_element *e = doc_map_element_at(layout, index, &row);
    if (!e) return false;
    uint64_t size = (uint64_t)e->count * tenon_type_size(e->type);
    uint64_t at = record * layout->stride + e->offset + row * size;
    *cell = (tenon_cell){.offset = part->offset + at,
                         .size = size,
                         .type = e->type,
                         .count = e->count,
                         .bytes = part->bytes + at};
    char row_text[32] = "";
    if (e->rows) snprintf(row_text, sizeof row_text, "[%" PRIu64 "]", row);
    snprintf(cell->path, sizeof cell->path, "%s[%" PRIu64 "]%s%s%s", part->path, record,
             e->name[0] ? "." : "", e->name, row_text);
    return true;
}

size_t tenon_number_text(tenon_type type, const uint8_t *bytes, bool big_endian, uint64_t index,
                         char *out, size_t out_size)
{
    char text[TN_NUMBER_MAX];
    const uint8_t *p = bytes + index * tenon_type_size(type);
    size_t size;
    switch (type) {
    case TENON_TYPE_I16:
        size = tn_i64_text((int16_t)tn_load16(p, big_endian), text);
        break;
    case TENON_TYPE_U16:
        size = tn_u64_text(tn_load16(p, big_endian), text);
        break;
    case TENON_TYPE_I32:
        size = tn_i64_text((int32_t)tn_load32(p, big_endian), text);
        break;
    case TENON_TYPE_U32:
        size = tn_u64_text(tn_load32(p, big_endian), text);
        break;
    case TENON_TYPE_I64:
        size = tn_i64_text((int64_t)tn_load64(p, big_endian), text);
        break;
    case TENON_TYPE_U64:
        size = tn_u64_text(tn_load64(p, big_endian), text);
        break;
    case TENON_TYPE_F32:
        size = tn_f32_text(tn_load_f32(p, big_endian), text);
        break;
    case TENON_TYPE_F64:
        size = tn_f64_text(tn_load_f64(p, big_endian), text);
        break;
    default:
        size = tn_u64_text(*p, text);
        break;
    }
    if (out_size == 0) return 0;
    if (size >= out_size) size = out_size - 1;
    memcpy(out, text, size);
    out[size] = '\0';
    return size;
}
