// gpb_object_order.c: where the objects of a bundle start, as its reference table says.
// SPDX-License-Identifier: MIT
//
// Objects are stored without tags or sizes. Scenes, meshes, animations and fonts start at the
// offset of a reference. Nodes, cameras, lights and other objects of dialect "document" are usually
// parts of those; otherwise they are separate blocks.

#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"

#include "core/math/sort.h"

#include <inttypes.h>
#include <stdio.h>

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

// -- Order

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

// -- Making the plan

void gpb_refuse_truncated(tn_io *io, const tenon_gpb *doc, const gpb_plan *plan)
{
    const gpb_place *place = &plan->first_truncated;
    if (!plan->truncated_count) return;
    uint64_t at = GPB_MAGIC_SIZE + 2 + 4;
    for (uint32_t i = 0; i < place->reference; i++) at += 12 + (uint64_t)doc->references[i].id.size;
    char name[48];
    snprintf(name, sizeof name, "references[%u].offset", place->reference);
    tn_fail(io, TENON_ERR_TRUNCATED, at + 8 + doc->references[place->reference].id.size, name,
            "an object of type %u starts at 0x%06x, but the file ends at 0x%06" PRIx64, place->type,
            place->offset, io->end);
}

static void gpb_add_start(gpb_plan *plan, const gpb_place *place)
{
    if (plan->block_count && plan->starts[plan->block_count - 1].offset == place->offset) return;
    plan->starts[plan->block_count++] = *place;
    plan->mesh_count += place->type == TENON_GPB_MESH;
}

gpb_plan gpb_plan_objects(tn_io *io, const tenon_gpb *doc)
{
    uint32_t count = doc->reference_count;
    gpb_plan plan = {0};
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
    if (!io->partial) gpb_refuse_truncated(io, doc, &plan);
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

void gpb_plan_loose_objects(tn_io *io, gpb_plan *plan)
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
