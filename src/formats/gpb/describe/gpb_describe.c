// gpb_describe.c: the bytes of a gameplay bundle: header, references, and the order of objects.
// SPDX-License-Identifier: MIT
//
// Objects are stored without tags or sizes. Only the reference table says where one starts and what
// it is. They are read in file order, and references never move the cursor. Scenes, meshes,
// animations and fonts start at the offset of a reference. Nodes, cameras, lights and other objects
// of dialect "document" are usually parts of those; otherwise they are separate blocks.

#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool gpb_is_document_type(uint32_t type)
{
    return type == TENON_GPB_ANIMATION || type == TENON_GPB_CHANNEL || type == TENON_GPB_MODEL ||
           type == TENON_GPB_MATERIAL || type == TENON_GPB_EFFECT || type == TENON_GPB_PART ||
           type == TENON_GPB_SKIN;
}

bool gpb_is_block_type(uint32_t flags, uint32_t type)
{
    if (type == TENON_GPB_EFFECT) return (flags & TENON_GPB_DOCUMENT) != 0;
    return type == TENON_GPB_SCENE || type == TENON_GPB_ANIMATIONS || type == TENON_GPB_MESH ||
           type == TENON_GPB_FONT;
}

// Types of objects that are parts of others, or separate.
static bool gpb_is_inner_type(uint32_t flags, uint32_t type)
{
    if (gpb_is_document_type(type))
        return (flags & TENON_GPB_DOCUMENT) != 0 && type != TENON_GPB_EFFECT;
    return type == TENON_GPB_NODE || type == TENON_GPB_CAMERA || type == TENON_GPB_LIGHT;
}

bool gpb_is_known_type(uint32_t flags, uint32_t type)
{
    return gpb_is_block_type(flags, type) || gpb_is_inner_type(flags, type);
}

// -- The order of objects

// Index of the first place that is not before (offset, type).
static uint32_t gpb_first_place(const gpb_plan *plan, uint32_t offset, uint32_t type)
{
    uint32_t low = 0, high = plan->place_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const gpb_place *place = &plan->places[middle];
        if (place->offset != offset ? place->offset < offset : place->type < type)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t gpb_find_place(const gpb_plan *plan, uint32_t type, uint64_t offset)
{
    if (offset == 0 || offset > UINT32_MAX) return TENON_NONE;
    uint32_t i = gpb_first_place(plan, (uint32_t)offset, type);
    if (i == plan->place_count) return TENON_NONE;
    const gpb_place *place = &plan->places[i];
    return place->offset == offset && place->type == type ? place->reference : TENON_NONE;
}

uint64_t gpb_next_place(const gpb_plan *plan, uint64_t offset, uint64_t end)
{
    if (offset >= UINT32_MAX) return end;
    uint32_t i = gpb_first_place(plan, (uint32_t)offset + 1, 0);
    return i < plan->place_count && plan->places[i].offset < end ? plan->places[i].offset : end;
}

// Fail if blocks start after the end of the file. A partial document keeps the others.
static void gpb_refuse_truncated(tn_io *io, const gpb_plan *plan)
{
    const gpb_place *place = &plan->first_truncated;
    if (!plan->truncated_count) return;
    const tenon_gpb_reference *references = plan->doc->references;
    uint64_t at = GPB_MAGIC_SIZE + 2 + 4;
    for (uint32_t i = 0; i < place->reference; i++) at += 12 + (uint64_t)references[i].id.size;
    char name[48];
    snprintf(name, sizeof name, "references[%u].offset", place->reference);
    tn_fail(io, TENON_ERR_TRUNCATED, at + 8 + references[place->reference].id.size, name,
            "an object of type %u starts at 0x%06x, but the file ends at 0x%06" PRIx64, place->type,
            place->offset, io->end);
}

static void gpb_add_start(gpb_plan *plan, const gpb_place *place)
{
    if (plan->block_count && plan->starts[plan->block_count - 1].offset == place->offset) return;
    plan->starts[plan->block_count++] = *place;
    plan->mesh_count += place->type == TENON_GPB_MESH;
}

// Make the plan, in the arena of the cursor.
static gpb_plan gpb_plan_objects(tn_io *io, const tenon_gpb *doc)
{
    uint32_t count = doc->reference_count;
    gpb_plan plan = {.doc = doc};
    plan.places = tn_io_alloc(io, "references", count, sizeof *plan.places);
    plan.starts = tn_io_alloc(io, "blocks", count, sizeof *plan.starts);
    uint32_t *order = tn_io_alloc(io, "references", count, sizeof *order);
    uint32_t *spare = tn_io_alloc(io, "references", count, sizeof *spare);
    if (io->failed) return plan;
    for (uint32_t i = 0; i < count; i++)
        if (doc->references[i].offset) order[plan.place_count++] = i;
    tn_sort(order, spare, plan.place_count, gpb_place_before, doc);
    for (uint32_t i = 0; i < plan.place_count; i++) {
        const tenon_gpb_reference *r = &doc->references[order[i]];
        const gpb_place *place = &plan.places[i];
        plan.places[i] = (gpb_place){r->offset, r->type, order[i]};
        if (gpb_is_document_type(r->type)) (void)tn_has(io, TENON_GPB_DOCUMENT);
        if (gpb_is_inner_type(io->flags, r->type)) {
            plan.inner_count++;
            plan.last_inner_offset = r->offset;
        }
        if (!gpb_is_block_type(io->flags, r->type)) continue;
        if (r->offset < io->end)
            gpb_add_start(&plan, place);
        else if (!plan.truncated_count++)
            plan.first_truncated = *place;
    }
    if (!io->partial) gpb_refuse_truncated(io, &plan);
    return plan;
}

// -- Inner objects outside of blocks

// A second cursor that looks ahead. It has no observers, and what it reads is dropped.
typedef struct gpb_lookahead {
    tn_io io;
    tenon_error err;
    gpb_plan plan;
} gpb_lookahead;

// Whether an object of that type can be read at `offset` without passing `end`. Almost any bytes
// can be read as a node, but zeros are not plausible. This is similar for other types.
static bool gpb_look_ahead(gpb_lookahead *ahead, uint32_t type, uint64_t offset, uint64_t end)
{
    tenon_gpb_block block = {.kind = type};
    tn_mark mark = tn_arena_mark(ahead->io.arena);
    uint32_t depth = ahead->io.depth;
    ahead->io.pos = offset;
    ahead->io.end = end;
    gpb_describe_body(&ahead->io, &ahead->plan, &block);
    tn_arena_rewind(ahead->io.arena, mark);
    bool whole = !ahead->io.failed;
    ahead->io.failed = false;
    ahead->io.depth = depth;
    if (!whole) return false;
    uint32_t node_type = block.body.node.node_type, format = block.body.part.index_format;
    switch (type) {
    case TENON_GPB_NODE:
        return node_type == 1 || node_type == 2;
    case TENON_GPB_CAMERA:
        return block.body.camera.camera_type - 1u < 2;
    case TENON_GPB_LIGHT:
        return block.body.light.light_type - 1u < 3;
    case TENON_GPB_MODEL:
        return block.body.model.mesh.size > 0;
    case TENON_GPB_PART:
        return format == 0x1401 || format == 0x1403 || format == 0x1405;
    case TENON_GPB_SKIN:
        return block.body.skin.bind_pose_count == 16 * (uint64_t)block.body.skin.joint_count;
    default:
        return true;
    }
}

// Find the objects between the position of the lookahead and `end`. The first one that cannot be
// read ends the search, so that an invalid table does not make reading slow.
static void gpb_look_into_gap(gpb_lookahead *ahead, gpb_plan *plan, uint64_t end)
{
    uint64_t from = ahead->io.pos;
    uint32_t i = from > UINT32_MAX ? plan->place_count : gpb_first_place(plan, (uint32_t)from, 0);
    for (; i < plan->place_count && plan->places[i].offset < end; i++) {
        const gpb_place *place = &plan->places[i];
        if (!gpb_is_inner_type(ahead->io.flags, place->type) || place->offset < from) continue;
        if (!gpb_look_ahead(ahead, place->type, place->offset, end)) return;
        from = ahead->io.pos;
        gpb_add_start(plan, place);
    }
}

// Add blocks for nodes and other inner objects that are not part of another object.
static void gpb_plan_loose_objects(tn_io *io, gpb_plan *plan)
{
    uint32_t count = plan->block_count;
    gpb_place *starts = plan->starts;
    gpb_lookahead ahead = {.io = *io, .plan = *plan};
    ahead.io.observers = NULL;
    ahead.io.events = (tenon_events){0};
    ahead.io.partial = false;
    ahead.io.skip_text = true;
    ahead.io.err = &ahead.err;
    plan->starts = tn_io_alloc(io, "blocks", plan->place_count, sizeof *plan->starts);
    if (io->failed) return;
    plan->block_count = plan->mesh_count = 0;
    bool goes_on = true;
    for (uint32_t i = 0; i < count; i++) {
        if (goes_on && ahead.io.pos < starts[i].offset)
            gpb_look_into_gap(&ahead, plan, starts[i].offset);
        gpb_add_start(plan, &starts[i]);
        goes_on = goes_on && ahead.io.pos <= plan->last_inner_offset &&
                  gpb_look_ahead(&ahead, starts[i].type, starts[i].offset, io->end);
    }
    if (goes_on) gpb_look_into_gap(&ahead, plan, io->end);
    io->asked |= ahead.io.asked;
    // Objects that the lookahead could not read are not an error, but missing memory is.
    if (ahead.err.code == TENON_ERR_MEMORY)
        tn_fail(io, TENON_ERR_MEMORY, io->pos, "blocks", "%s", ahead.err.message);
}

bool gpb_reads_file(const tn_io *io)
{
    return io->mode == TN_READ && io->source == &tn_file_source;
}

// -- References, intact or damaged
//
// Entries have no fixed size: after one with a wrong size, the next entries, and with them all
// objects, cannot be found. But entries are easy to recognize, so reading continues at the next
// one. Where that starts often shows how to repair the damaged one.

#define GPB_ENTRY_LEAST 12    // Bytes of an entry without its id.
#define GPB_ID_MOST     255   // Bytes of a plausible id.
#define GPB_SEARCH_MOST 4096  // Bytes in which to search for the next entry.

// Whether a type and an offset are stored there.
static bool gpb_is_type_and_offset(const tn_io *io, uint64_t pos)
{
    const uint8_t *p = tn_peek(io, pos, 8);
    if (!p || !gpb_is_known_type(TENON_GPB_DOCUMENT, tn_load32(p, false))) return false;
    uint32_t offset = tn_load32(p + 4, false);
    return offset == 0 || offset > pos;
}

// Whether an id of that size, a type and an offset are stored there.
static bool gpb_is_entry_body(const tn_io *io, uint64_t pos, uint64_t id_size)
{
    if (id_size == 0 || id_size > GPB_ID_MOST || !gpb_is_type_and_offset(io, pos + id_size))
        return false;
    const uint8_t *p = tn_peek(io, pos, id_size);
    for (uint64_t i = 0; i < id_size; i++)
        if (p[i] < ' ' || p[i] == 0x7f) return false;
    return true;
}

static bool gpb_is_entry(const tn_io *io, uint64_t pos)
{
    const uint8_t *p = tn_peek(io, pos, 4);
    return p && gpb_is_entry_body(io, pos + 4, tn_load32(p, false));
}

static void gpb_describe_reference(tn_io *io, tenon_gpb_reference *reference)
{
    tn_str32(io, "id", &reference->id);
    tn_u32(io, "type", &reference->type);
    tn_u32(io, "offset", &reference->offset);
}

// Where the last entry ends: at the first object, or at most two counts before it. `first` is the
// smallest offset of an object in the entries before.
static uint64_t gpb_end_of_table(const tn_io *io, uint64_t first, uint64_t start)
{
    for (uint64_t tail = start + 5; tail <= start + 4 + GPB_ID_MOST; tail++) {
        const uint8_t *letter = tn_peek(io, tail - 1, 1);
        if (!letter || *letter < ' ' || *letter == 0x7f) break;
        if (!gpb_is_type_and_offset(io, tail)) continue;
        uint32_t own = tn_load32(tn_peek(io, tail + 4, 4), false);
        uint64_t object = own && own < first ? own : first, end = tail + 8;
        if (object >= end && object <= end + 8) return end;
    }
    return TENON_ABSENT;
}

// Repair an entry with a wrong size, or continue after it.
static bool gpb_repair_reference(tn_io *io, uint64_t first, uint64_t start,
                                 tenon_gpb_reference *reference)
{
    uint64_t end = gpb_end_of_table(io, first, start);
    uint64_t least = start + GPB_ENTRY_LEAST;
    for (uint64_t pos = least; end == TENON_ABSENT && pos < least + GPB_SEARCH_MOST; pos++)
        if (gpb_is_entry(io, pos)) end = pos;
    io->pos = end == TENON_ABSENT ? start : end;
    if (end == TENON_ABSENT || end < least || !gpb_is_entry_body(io, start + 4, end - least))
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

static void gpb_describe_references(tn_io *io, tenon_gpb *doc)
{
    tn_list(io, "references", &doc->references, &doc->reference_count, sizeof *doc->references,
            GPB_ENTRY_LEAST);
    if (io->keeps_parts && gpb_reads_file(io)) {
        // An entry with an unknown type, or one that overlaps an object, is accepted if another
        // entry follows, or if it is the last and cannot be repaired.
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
            bool is_odd = !io->failed && (!gpb_is_known_type(TENON_GPB_DOCUMENT, reference->type) ||
                                          io->pos > first);
            if (is_odd && (i + 1 == count ? gpb_end_of_table(io, first, start) != TENON_ABSENT
                                          : !gpb_is_entry(io, io->pos)))
                tn_fail(io, TENON_ERR_VALUE, start, "id",
                        "the reference table ends after this reference");
            bool is_good = tn_recover(io, outer) ? gpb_repair_reference(io, first, start, reference)
                                                 : !io->failed;
            if (!is_good) continue;
            if (reference->offset && reference->offset < first) first = reference->offset;
            kept++;
        }
        doc->reference_count = kept;
        if (kept < count) tn_cut_at(io, "references", kept, count);
        return;
    }
    for (uint32_t i = 0; tn_next(io, i, doc->reference_count); i++)
        gpb_describe_reference(io, &doc->references[i]);
}

// -- Counts

// Whether the remaining numbers of the file, up to `end`, are these counts.
static bool gpb_counts_are(const tn_io *io, uint64_t end, const uint32_t *counts, uint32_t count)
{
    if (end - io->pos != 4 * (uint64_t)count) return false;
    const uint8_t *p = tn_peek(io, io->pos, 4 * (uint64_t)count);
    for (uint32_t i = 0; p && i < count; i++)
        if (tn_load32(p + 4 * i, false) != counts[i]) return false;
    return p != NULL;
}

// The encoder stores the number of meshes before the first mesh, and the number of other objects
// before the first of them. Other exporters do not, and font bundles have no counts.
static uint64_t gpb_infer_counts(tn_io *io, const void *subject)
{
    const gpb_plan *plan = subject;
    const gpb_place *start = &plan->starts[plan->at];
    const uint32_t counts[] = {plan->mesh_count, plan->block_count - plan->mesh_count};
    if (start->offset <= io->pos || tn_has(io, TENON_GPB_DOCUMENT)) return 0;
    if (start->type == TENON_GPB_FONT) return 0;
    if (start->type == TENON_GPB_MESH)
        return plan->at == 0 && gpb_counts_are(io, start->offset, counts, 1)
                   ? TENON_GPB_COUNTS_MESHES
                   : 0;
    if (plan->at == 0 && gpb_counts_are(io, start->offset, counts, 2))
        return TENON_GPB_COUNTS_MESHES | TENON_GPB_COUNTS_OBJECTS;
    bool is_first = plan->mesh_count && plan->at == plan->mesh_count;
    return is_first && gpb_counts_are(io, start->offset, counts + 1, 1) ? TENON_GPB_COUNTS_OBJECTS
                                                                        : 0;
}

// A count of zero is stored at the end, where the first item would be.
static uint64_t gpb_infer_end_counts(tn_io *io, const void *subject)
{
    static const uint32_t none[] = {0, 0};
    const gpb_plan *plan = subject;
    if (io->pos < io->end) (void)tn_has(io, TENON_GPB_DOCUMENT);
    if (plan->block_count == 0 && gpb_counts_are(io, io->pos + 8, none, 2))
        return TENON_GPB_COUNTS_MESHES | TENON_GPB_COUNTS_OBJECTS;
    bool lacks_objects = plan->block_count && plan->block_count == plan->mesh_count &&
                         plan->doc->blocks[0].counts == TENON_GPB_COUNTS_MESHES;
    return lacks_objects && gpb_counts_are(io, io->pos + 4, none, 1) ? TENON_GPB_COUNTS_OBJECTS : 0;
}

static void gpb_describe_counts(tn_io *io, tenon_gpb *doc, uint32_t counts)
{
    if (counts & TENON_GPB_COUNTS_MESHES) tn_u32(io, "mesh_count", &doc->mesh_count);
    if (counts & TENON_GPB_COUNTS_OBJECTS) tn_u32(io, "object_count", &doc->object_count);
}

// -- Blocks

static uint64_t gpb_infer_kind(tn_io *io, const void *subject)
{
    const gpb_plan *plan = subject;
    (void)io;
    return plan->starts[plan->at].type;
}

static void gpb_describe_block(tn_io *io, tenon_gpb *doc, gpb_plan *plan, tenon_gpb_block *block)
{
    tn_inferred_u32(io, "kind", &block->kind, gpb_infer_kind, plan);
    tn_inferred_u32(io, "counts", &block->counts, gpb_infer_counts, plan);
    gpb_describe_counts(io, doc, block->counts);
    // Bytes between the end of one object and the start of the next. If an object overlaps the next
    // one, it cannot be written back, which is an error.
    uint64_t end = io->end;
    if (gpb_reads_file(io) && !io->failed) {
        uint32_t start = plan->starts[plan->at].offset;
        if (start < io->pos)
            tn_fail(io, TENON_ERR_VALUE, start, "",
                    "a reference points to 0x%06x, inside an object that ends at 0x%06" PRIx64,
                    start, io->pos);
        else
            io->end = start;
    }
    tn_rest(io, "gap", &block->gap);
    io->end = end;
    if (block->gap.size) tn_doubt(io);
    if (io->mode == TN_READ)
        block->reference = gpb_find_place(plan, block->kind, io->pos);
    else if (block->kind != TENON_GPB_NODE)
        tn_here(io, block->reference);
    gpb_describe_body(io, plan, block);
    // A bare animation has no name in its body.
    bool is_bare = block->kind == TENON_GPB_ANIMATIONS && tn_has(io, TENON_GPB_BARE_ANIMATIONS);
    if (io->mode == TN_READ && is_bare && !io->failed && block->reference != TENON_NONE)
        block->body.animations.animations[0].id = doc->references[block->reference].id;
}

static void gpb_describe_blocks(tn_io *io, tenon_gpb *doc)
{
    gpb_plan plan = {0};
    if (io->mode == TN_READ) {
        plan = gpb_plan_objects(io, doc);
        bool has_inner = gpb_reads_file(io) && !io->failed && plan.last_inner_offset;
        if (has_inner) gpb_plan_loose_objects(io, &plan);
        doc->block_count = plan.block_count;
    }
    tn_inferred_items(io, "blocks", &doc->blocks, &doc->block_count, sizeof *doc->blocks, 4);
    if (io->keeps_parts) {
        // Read blocks that may be damaged: the table says where the next one starts. Keep those
        // with intact parts: their lists end before the damage. Vertices without parts are not
        // drawn.
        uint32_t kept = 0, count = doc->block_count;
        uint64_t end = io->end;
        for (; tn_next(io, plan.at, count); plan.at++) {
            tenon_gpb_block *block = &doc->blocks[kept];
            const gpb_place *start = &plan.starts[plan.at];
            uint64_t next = plan.at + 1 == plan.block_count ? end : start[1].offset;
            uint32_t outer = tn_recoverable(io);
            *block = (tenon_gpb_block){0};
            if (start->offset >= io->pos && next < end) io->end = next;
            gpb_describe_block(io, doc, &plan, block);
            io->end = end;
            if (!tn_recover(io, outer)) {
                kept += !io->failed;
                continue;
            }
            uint32_t kind = block->kind;
            bool is_usable =
                (kind == TENON_GPB_SCENE && block->body.scene.node_count > 0) ||
                (kind == TENON_GPB_ANIMATIONS && block->body.animations.animation_count > 0) ||
                (kind == TENON_GPB_MESH && block->body.mesh.part_count > 0) ||
                (kind == TENON_GPB_FONT && gpb_font_is_usable(&block->body.font));
            if (!is_usable) tn_cut_at(io, gpb_kind_name(kind), 0, 1);
            io->pos = next;
            kept += is_usable && !io->failed;
        }
        doc->block_count = kept;
    } else
        for (; tn_next(io, plan.at, doc->block_count); plan.at++)
            gpb_describe_block(io, doc, &plan, &doc->blocks[plan.at]);
    gpb_refuse_truncated(io, &plan);
    if (!(io->flags & TENON_GPB_DOCUMENT)) {
        tn_inferred_u32(io, "end_counts", &doc->end_counts, gpb_infer_end_counts, &plan);
        gpb_describe_counts(io, doc, doc->end_counts);
    }
    for (uint32_t i = plan.found_count; i < plan.inner_count; i++) tn_doubt(io);
}

// -- Header

// A 64-bit encoder writes 64-bit counts: a second word, which is 0, follows each.
static bool gpb_has_wide_counts(const tn_io *io)
{
    const uint8_t *p = tn_peek(io, io->pos, 16);
    if (!p || tn_load32(p, false) == 0 || tn_load32(p + 4, false) != 0) return false;
    uint32_t size = tn_load32(p + 8, false);
    const uint8_t *id = tn_peek(io, io->pos + 16, size);
    if (size == 0 || size > 255 || tn_load32(p + 12, false) != 0 || !id) return false;
    for (uint32_t i = 0; i < size; i++)
        if (id[i] < ' ' || id[i] > '~') return false;
    return true;
}

// Dialect "document" has one count of all objects before them. It is missing if the first object
// starts right after the table.
static uint64_t gpb_infer_uncounted(tn_io *io, const void *subject)
{
    const tenon_gpb *doc = subject;
    for (uint32_t i = 0; i < doc->reference_count; i++)
        if (doc->references[i].offset == io->pos) return 1;
    return io->pos == io->end;
}

// A file that may be of dialect "document" is tried in all variants of it. The note of the best
// attempt is shown.
static void gpb_note_variants(const tn_io *io, const tenon_gpb *doc)
{
    char *note = io->err->note;
    size_t used = strlen(note), room = sizeof io->err->note - used;
    const tenon_format *format = &tn_gpb_format.face;
    uint32_t tried = 0;
    for (uint32_t i = 0; i < format->dialect_count; i++)
        tried += (format->dialects[i].flags & TENON_GPB_DOCUMENT) != 0;
    if (!gpb_may_be_document(io->src, io->total)) return;
    (void)snprintf(
        note + used, room,
        "%stried: 1.1, document and %u other variants of the documentation; '%s' got furthest",
        used ? "; " : "", tried - 1, doc->base.dialect->name);
}

void gpb_describe(tn_io *io, void *any)
{
    tenon_gpb *doc = any;
    const char *why = gpb_reads_file(io) ? gpb_foreign_reason(io->src, io->end) : NULL;
    if (why) tn_fail(io, TENON_ERR_FORMAT, 0, "magic", "%s", why);
    tn_magic(io, "magic", GPB_MAGIC, GPB_MAGIC_SIZE);
    uint64_t at = io->pos;
    tn_u8s(io, "version", doc->version, 2);
    if (!io->failed && (doc->version[0] != 1 || doc->version[1] > GPB_MINOR_MOST))
        tn_fail(io, TENON_ERR_VERSION, at, "version",
                "unknown version %u.%u: known are 1.0 to 1.%d", doc->version[0], doc->version[1],
                GPB_MINOR_MOST);
    if (gpb_reads_file(io) && !io->failed && gpb_has_wide_counts(io))
        tn_fail(io, TENON_ERR_FORMAT, io->pos, "references",
                "the counts have 64 bits: a faulty encoder for 64-bit machines wrote this file, "
                "and the engine cannot read it");
    gpb_describe_references(io, doc);
    if (io->flags & TENON_GPB_DOCUMENT) {
        tn_inferred_u32(io, "is_uncounted", &doc->is_uncounted, gpb_infer_uncounted, doc);
        if (!doc->is_uncounted) tn_u32(io, "object_count", &doc->object_count);
    }
    gpb_describe_blocks(io, doc);
    bool is_trial = gpb_reads_file(io) && io->skip_text;
    if (is_trial && io->failed && doc->version[1] == 1) gpb_note_variants(io, doc);
}
