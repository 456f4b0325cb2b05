// map_walk.c: inside a part of a map: its records, and the numbers in them.
// SPDX-License-Identifier: MIT

#include "commands/map_walk.h"

#include <inttypes.h>
#include <stdio.h>

#define PATH_SIZE 384

// -- Records

static uint32_t map_walk_load_u32(const uint8_t *p, bool big_endian)
{
    return big_endian ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                      : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

// Fill in the size of a record whose place is known. The library makes sure that all records are
// within the part; if not, the walk ends here.
static bool map_walk_measure(const tenon_part *part, map_record *record)
{
    const tenon_layout *layout = part->layout;
    if (record->index >= part->count || record->offset > part->size) return false;
    uint64_t left = part->size - record->offset;
    if (layout->stride == 0 || layout->stride > left) return false;
    record->size = layout->stride;
    record->tail_count = 0;
    if (!layout->tail) return true;
    const uint8_t *bytes = part->bytes + record->offset;
    record->tail_count =
        map_walk_load_u32(bytes + layout->elements[layout->tail_count].offset, part->big_endian);
    record->size += record->tail_count * layout->tail->stride;
    return record->size <= left;
}

bool map_record_first(const tenon_part *part, map_record *record)
{
    *record = (map_record){0};
    return map_walk_measure(part, record);
}

bool map_record_next(const tenon_part *part, map_record *record)
{
    record->index++;
    record->offset += record->size;
    return map_walk_measure(part, record);
}

bool map_record_at(const tenon_part *part, uint64_t index, map_record *record)
{
    if (index >= part->count) return false;
    if (!part->layout->tail) {
        *record = (map_record){.index = index, .offset = index * part->layout->stride};
        return map_walk_measure(part, record);
    }
    bool ok = map_record_first(part, record);
    while (ok && record->index < index) ok = map_record_next(part, record);
    return ok;
}

bool map_record_holding(const tenon_part *part, uint64_t at, map_record *record)
{
    if (!part->layout->tail && part->layout->stride > 0)
        return map_record_at(part, at / part->layout->stride, record);
    bool ok = map_record_first(part, record);
    while (ok && at - record->offset >= record->size) ok = map_record_next(part, record);
    return ok;
}

// -- Cells

// The cells of one record, of the part's layout or of its tail's.
static bool map_walk_visit_elements(const tenon_part *part, const tenon_layout *layout, uint64_t at,
                                    const char *record_path, map_cell_fn *fn, void *user)
{
    char path[PATH_SIZE];
    for (uint32_t i = 0; i < layout->element_count; i++) {
        const tenon_element *e = &layout->elements[i];
        uint64_t size = (uint64_t)e->count * tenon_type_size(e->type);
        for (uint32_t row = 0; row < (e->rows ? e->rows : 1); row++) {
            char row_text[16] = "";
            if (e->rows) (void)snprintf(row_text, sizeof row_text, "[%" PRIu32 "]", row);
            (void)snprintf(path, sizeof path, "%s%s%s%s", record_path, e->name[0] ? "." : "",
                           e->name, row_text);
            uint64_t offset = at + e->offset + row * size;
            tenon_part cell = {.kind = part->kind,
                               .offset = part->offset + offset,
                               .size = size,
                               .path = path,
                               .type = e->type,
                               .count = e->count,
                               .bytes = part->bytes + offset,
                               .big_endian = part->big_endian};
            if (!fn(user, &cell)) return false;
        }
    }
    return true;
}

bool map_each_cell(const tenon_part *part, const map_record *record, map_cell_fn *fn, void *user)
{
    const tenon_layout *layout = part->layout;
    char path[PATH_SIZE], tail_path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s[%" PRIu64 "]", part->path, record->index);
    if (!map_walk_visit_elements(part, layout, record->offset, path, fn, user)) return false;
    uint64_t at = record->offset + layout->stride;
    for (uint64_t k = 0; k < record->tail_count; k++, at += layout->tail->stride) {
        if (snprintf(tail_path, sizeof tail_path, "%s.%s[%" PRIu64 "]", path, layout->tail_name,
                     k) < 0)
            return false;
        if (!map_walk_visit_elements(part, layout->tail, at, tail_path, fn, user)) return false;
    }
    return true;
}
