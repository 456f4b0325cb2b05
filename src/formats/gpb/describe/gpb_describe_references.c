// gpb_describe_references.c: the table at the start of a bundle, intact or damaged.
// SPDX-License-Identifier: MIT
//
// Entries have no fixed size: after one with a wrong size, the next entries, and with them all
// objects, cannot be found. But entries are easy to recognize, so reading continues at the next
// one. Where that starts often shows how to repair the damaged one.

#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"

#include <string.h>

#define GPB_ENTRY_LEAST 12    // Bytes of an entry without its id.
#define GPB_ID_MOST     255   // Bytes of a plausible id.
#define GPB_SEARCH_MOST 4096  // Bytes in which to search for the next entry.

static bool gpb_describe_references_is_printable(uint8_t byte)
{
    return byte >= ' ' && byte != 0x7f;
}

// Whether a type and an offset are stored there.
static bool gpb_describe_references_is_type_and_offset(const tn_io *io, uint64_t pos)
{
    const uint8_t *p = tn_peek(io, pos, 8);
    if (!p || !gpb_object_is_known_type(TENON_GPB_DOCUMENT, tn_load32(p, false))) return false;
    uint32_t offset = tn_load32(p + 4, false);
    return offset == 0 || offset > pos;
}

// Whether an id of that size, a type and an offset are stored there.
static bool gpb_describe_references_is_entry_body(const tn_io *io, uint64_t pos, uint64_t id_size)
{
    if (id_size == 0 || id_size > GPB_ID_MOST ||
        !gpb_describe_references_is_type_and_offset(io, pos + id_size))
        return false;
    const uint8_t *p = tn_peek(io, pos, id_size);
    for (uint64_t i = 0; i < id_size; i++)
        if (!gpb_describe_references_is_printable(p[i])) return false;
    return true;
}

static bool gpb_describe_references_is_entry(const tn_io *io, uint64_t pos)
{
    const uint8_t *p = tn_peek(io, pos, 4);
    return p && gpb_describe_references_is_entry_body(io, pos + 4, tn_load32(p, false));
}

static void gpb_describe_reference(tn_io *io, tenon_gpb_reference *reference)
{
    tn_str32(io, "id", &reference->id);
    tn_u32(io, "type", &reference->type);
    tn_u32(io, "offset", &reference->offset);
}

// -- Damaged entries

// Where the last entry ends: at the first object, or at most two counts before it. `first` is the
// smallest offset of an object in the entries before.
static uint64_t gpb_describe_references_end_of_table(const tn_io *io, uint64_t first,
                                                     uint64_t start)
{
    for (uint64_t tail = start + 5; tail <= start + 4 + GPB_ID_MOST; tail++) {
        const uint8_t *letter = tn_peek(io, tail - 1, 1);
        if (!letter || !gpb_describe_references_is_printable(*letter)) break;
        if (!gpb_describe_references_is_type_and_offset(io, tail)) continue;
        uint32_t own = tn_load32(tn_peek(io, tail + 4, 4), false);
        uint64_t object = own && own < first ? own : first, end = tail + 8;
        if (object >= end && object <= end + 8) return end;
    }
    return TENON_ABSENT;
}

// Repair an entry with a wrong size, or continue after it.
static bool gpb_describe_references_repair(tn_io *io, uint64_t first, uint64_t start,
                                           tenon_gpb_reference *reference)
{
    uint64_t end = gpb_describe_references_end_of_table(io, first, start);
    uint64_t least = start + GPB_ENTRY_LEAST;
    for (uint64_t pos = least; end == TENON_ABSENT && pos < least + GPB_SEARCH_MOST; pos++)
        if (gpb_describe_references_is_entry(io, pos)) end = pos;
    io->pos = end == TENON_ABSENT ? start : end;
    if (end == TENON_ABSENT || end < least ||
        !gpb_describe_references_is_entry_body(io, start + 4, end - least))
        return false;
    uint64_t size = end - least;
    const uint8_t *p = tn_peek(io, start + 4, size + 8);
    char *id = tn_io_alloc(io, "id", size + 1, 1);
    if (!id) return false;
    memcpy(id, p, (size_t)size);
    *reference = (tenon_gpb_reference){.id = {id, (uint32_t)size},
                                       .type = tn_load32(p + size, false),
                                       .offset = tn_load32(p + size + 4, false)};
    return true;
}

// An entry with an unknown type, or one that overlaps an object, is accepted if another entry
// follows, or if it is the last and cannot be repaired.
static void gpb_describe_damaged_references(tn_io *io, tenon_gpb *doc)
{
    uint32_t count = doc->reference_count, kept = 0;
    uint64_t last = TENON_ABSENT, first = TENON_ABSENT;  // The smallest offset of an object.
    for (uint32_t i = 0; tn_next(io, i, count); i++) {
        tenon_gpb_reference *reference = &doc->references[kept];
        uint64_t start = io->pos;
        bool is_over = start == last;  // No further entry was found.
        last = start;
        if (is_over) continue;
        *reference = (tenon_gpb_reference){0};
        uint32_t outer = tn_recoverable(io);
        gpb_describe_reference(io, reference);
        bool is_odd =
            !io->failed &&
            (!gpb_object_is_known_type(TENON_GPB_DOCUMENT, reference->type) || io->pos > first);
        if (is_odd &&
            (i + 1 == count ? gpb_describe_references_end_of_table(io, first, start) != TENON_ABSENT
                            : !gpb_describe_references_is_entry(io, io->pos)))
            tn_fail(io, TENON_ERR_VALUE, start, "id",
                    "the reference table ends after this reference");
        bool is_good = tn_recover(io, outer)
                           ? gpb_describe_references_repair(io, first, start, reference)
                           : !io->failed;
        if (!is_good) continue;
        if (reference->offset && reference->offset < first) first = reference->offset;
        kept++;
    }
    doc->reference_count = kept;
    if (kept < count) tn_cut_at(io, "references", kept, count);
}

// -- The table

void gpb_describe_references(tn_io *io, tenon_gpb *doc)
{
    tn_list(io, "references", &doc->references, &doc->reference_count, sizeof *doc->references,
            GPB_ENTRY_LEAST);
    if (io->keeps_parts && gpb_describe_reads_file(io)) {
        gpb_describe_damaged_references(io, doc);
        return;
    }
    for (uint32_t i = 0; tn_next(io, i, doc->reference_count); i++)
        gpb_describe_reference(io, &doc->references[i]);
}
