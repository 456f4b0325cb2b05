// io_file.c: the file as the source of READ.
// SPDX-License-Identifier: MIT

#include "core/cursor/io.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <string.h>

// READ: the next `size` bytes, or NULL. Every byte of every file comes through here.
static const uint8_t *take(tn_io *io, const tn_field *field, uint64_t size)
{
    uint64_t left = io->end - io->pos;
    if (size > left) {
        tn_fail_truncated(io, field, size, left);
        return NULL;
    }
    const uint8_t *p = io->src + io->pos;
    io->pos += size;
    return p;
}

static bool io_file_take_str32(tn_io *io, tn_field *field)
{
    const uint8_t *prefix = take(io, field, 4);
    if (!prefix) return false;
    uint32_t size = tn_load32(prefix, io->big_endian);
    const uint8_t *p = take(io, field, size);
    if (!p) return false;
    field->text = (tenon_str){(const char *)p, size};
    field->size = 4 + (uint64_t)size;
    return true;
}

static bool io_file_take_strz(tn_io *io, tn_field *field)
{
    uint64_t left = io->end - io->pos;
    const uint8_t *start = io->src + io->pos;
    const uint8_t *nul = left ? memchr(start, 0, (size_t)left) : NULL;
    if (!nul || (uint64_t)(nul - start) >= UINT32_MAX) {
        tn_fail(io, TENON_ERR_TRUNCATED, field->offset, field->name,
                "'%s' has no end: none of the %" PRIu64 " bytes left is 0",
                tn_io_title(io, field->name), left);
        return false;
    }
    field->size = (uint64_t)(nul - start) + 1;
    field->text =
        (tenon_str){(const char *)take(io, field, field->size), (uint32_t)field->size - 1};
    return true;
}

// Too few bytes are left. A partial document keeps the records that are whole.
static bool io_file_fail_records(tn_io *io, tn_field *field, uint64_t left)
{
    const tenon_layout *layout = field->layout;
    uint64_t wanted = field->count, stride = layout->stride;
    bool knows = !layout->tail && wanted <= UINT64_MAX / stride;
    field->size =
        tn_layout_measure_whole(layout, io->src + io->pos, left, &field->count, io->big_endian);
    if (!knows) io->explained = tn_explained(field->size, field->count, wanted);
    if (io->partial) {
        field->bytes = take(io, field, field->size);
        tn_observe(io, field);
        tn_cut_at(io, field->name, field->count, wanted);
        if (field->count) tn_hold(io);
    }
    tn_field at_fault = {.name = field->name, .offset = field->offset, .count = wanted};
    tn_fail_truncated(io, &at_fault, knows ? wanted * stride : TENON_ABSENT, left);
    return false;
}

// The entry for the records at a position, new or existing: a hash table in which new entries
// replace old ones if it is full.
static tn_extent *io_file_extent_at(const tn_io *io, uint64_t pos)
{
    uint64_t at = pos * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    tn_extent *extent = &io->extents[at % io->extent_count];
    for (int probes = 1; extent->stride && extent->pos != pos && probes < 8; probes++)
        extent = &io->extents[++at % io->extent_count];
    return extent;
}

// Bytes of the records, or TENON_ABSENT. A trial uses the results of those before it.
static uint64_t io_file_measure(const tn_io *io, const tn_field *field, uint64_t left)
{
    const tenon_layout *layout = field->layout;
    const uint8_t *p = io->src + io->pos;
    if (!layout->tail || !io->extents)
        return tn_layout_measure(layout, p, left, field->count, io->big_endian);
    tn_extent *known = io_file_extent_at(io, io->pos);
    tn_extent extent = {.pos = io->pos,
                        .count = field->count,
                        .size = known->size,
                        .stride = (uint32_t)layout->stride,
                        .tail_stride = (uint32_t)layout->tail->stride,
                        .count_at = (uint32_t)layout->elements[layout->tail_count].offset,
                        .big_endian = io->big_endian};
    if (memcmp(&extent, known, sizeof extent) == 0 && extent.size <= left) return extent.size;
    extent.size = tn_layout_measure(layout, p, left, field->count, io->big_endian);
    if (extent.size != TENON_ABSENT) *known = extent;
    return extent.size;
}

static bool io_file_take_records(tn_io *io, tn_field *field)
{
    const tenon_layout *layout = field->layout;
    uint64_t left = io->end - io->pos;
    if (layout->stride == 0 && field->count) {
        tn_fail(io, TENON_ERR_VALUE, field->offset, field->name,
                "'%s' has %" PRIu64 " records of 0 bytes", tn_io_title(io, field->name),
                field->count);
        return false;
    }
    field->size = io_file_measure(io, field, left);
    if (field->size == TENON_ABSENT) return io_file_fail_records(io, field, left);
    field->bytes = take(io, field, field->size);
    return true;
}

// Keep bytes that are usable without those that follow, in a partial document.
static bool io_file_take_bytes(tn_io *io, tn_field *field)
{
    uint64_t wanted = field->size, left = io->end - io->pos;
    if (wanted <= left || !io->keeps_parts) {
        field->bytes = take(io, field, wanted);
        return field->bytes != NULL;
    }
    field->size = field->count = left;
    field->bytes = take(io, field, left);
    tn_cut_at(io, field->name, left, wanted);
    if (left) tn_hold(io);
    tn_field at_fault = {.name = field->name, .offset = field->offset, .count = wanted};
    tn_fail_truncated(io, &at_fault, wanted, left);
    return false;
}

static bool io_file_take(tn_io *io, tn_field *field)
{
    switch (field->type) {
    case TENON_TYPE_STR32:
        return io_file_take_str32(io, field);
    case TENON_TYPE_STRZ:
        return io_file_take_strz(io, field);
    case TENON_TYPE_RECORDS:
        return io_file_take_records(io, field);
    case TENON_TYPE_BYTES:
        return io_file_take_bytes(io, field);
    default:
        break;
    }
    field->bytes = take(io, field, field->size);
    if (!field->bytes || field->type != TENON_TYPE_STR) return field->bytes != NULL;
    if (field->size > UINT32_MAX) {
        tn_fail(io, TENON_ERR_LIMIT, field->offset, field->name,
                "'%s' has %" PRIu64 " bytes, which is too long for a text",
                tn_io_title(io, field->name), field->size);
        return false;
    }
    field->text = (tenon_str){(const char *)field->bytes, (uint32_t)field->size};
    return true;
}

static bool io_file_rest(tn_io *io, tn_field *field)
{
    field->size = field->count = io->end - io->pos;
    field->bytes = take(io, field, field->size);
    return true;
}

static bool io_file_count(tn_io *io, uint64_t *count)
{
    uint32_t stored = 0;
    tn_count_field(io, &stored);
    *count = stored;
    return !io->failed;
}

static bool io_file_list(tn_io *io, tn_list_kind kind, uint32_t *count)
{
    if (kind == TN_COUNT_STORED) tn_count_field(io, count);
    return !io->failed;
}

static bool io_file_given(tn_io *io, const tn_field *field, uint64_t *value)
{
    (void)io;
    (void)field;
    (void)value;
    return false;
}

const tn_source tn_file_source = {.take = io_file_take,
                                  .rest = io_file_rest,
                                  .count = io_file_count,
                                  .list = io_file_list,
                                  .given = io_file_given,
                                  .step = NULL};
