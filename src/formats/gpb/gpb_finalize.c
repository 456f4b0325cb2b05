// gpb_finalize.c: computes fields of a bundle that depend on others: sizes, counts, offsets,
// parents.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"

#include "core/math/sort.h"

#include <inttypes.h>

// -- Sizes

static bool gpb_set_size(uint32_t *size, const tenon_span *span, const tenon_span *leftover,
                         uint32_t unit, tenon_error *err)
{
    uint64_t total = (span->size + leftover->size) / unit;
    *size = (uint32_t)total;
    return total <= UINT32_MAX ||
           tn_error(err, TENON_ERR_LIMIT, "%" PRIu64 " does not fit into 32 bits", total);
}

static bool gpb_set_skin_size(tenon_gpb_skin *skin, tenon_error *err)
{
    return gpb_set_size(&skin->bind_pose_count, &skin->bind_poses, &skin->leftover, 4, err);
}

// -- Offsets

static bool gpb_offset_before(const void *context, uint32_t a, uint32_t b)
{
    const tenon_gpb *doc = context;
    return doc->references[a].offset < doc->references[b].offset;
}

static bool gpb_refresh_offsets(tenon_gpb *doc, tn_arena *arena, tenon_error *err)
{
    uint32_t count = doc->reference_count;
    uint64_t *places = tn_arena_alloc_or_fail(arena, count, sizeof *places, "offsets", err);
    uint32_t *order = tn_arena_alloc_or_fail(arena, count, 2 * sizeof *order, "offsets", err);
    if (!places || !order) return false;
    for (uint32_t i = 0; i < count; i++) places[i] = TENON_ABSENT;
    // Measuring the document finds the offset of every object.
    tn_io io;
    tn_places noted = {places, count};
    tn_io_writer(&io, NULL, NULL, err);
    io.flags = doc->base.dialect->flags;
    io.places = &noted;
    gpb_describe(&io, doc);
    if (io.failed) return false;
    if (io.pos > UINT32_MAX)
        return tn_error(err, TENON_ERR_LIMIT,
                        "a file of %" PRIu64 " bytes is too large for 32-bit offsets", io.pos);
    tn_sort_all(order, count, gpb_offset_before, doc);
    // References that pointed to the same offset as the reference of an object follow that object.
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t offset = doc->references[order[i]].offset;
        uint64_t place = TENON_ABSENT;
        for (end = i; end < count && doc->references[order[end]].offset == offset; end++)
            if (place == TENON_ABSENT) place = places[order[end]];
        for (uint32_t k = i; offset && k < end; k++)
            if (places[order[k]] == TENON_ABSENT) places[order[k]] = place;
    }
    // A reference without an object keeps its offset. But if the objects have moved, or if its
    // object was removed, it is marked as never written.
    bool has_moved = false;
    for (uint32_t i = 0; i < count; i++)
        has_moved =
            has_moved || (places[i] != TENON_ABSENT && places[i] != doc->references[i].offset);
    for (uint32_t i = 0; i < count; i++) {
        tenon_gpb_reference *r = &doc->references[i];
        if (places[i] != TENON_ABSENT)
            r->offset = (uint32_t)places[i];
        else if (has_moved || gpb_is_block_type(doc->base.dialect->flags, r->type))
            r->offset = 0;
    }
    return true;
}

bool gpb_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_gpb *doc = any;
    tenon_error ignored;
    gpb_tree tree;
    tn_mark mark = tn_arena_mark(arena);
    if (!err) err = &ignored;
    bool ok = gpb_tree_make(&tree, doc, arena, err);
    for (uint32_t i = 0; ok && i < doc->block_count; i++) {
        tenon_gpb_block *block = &doc->blocks[i];
        tenon_gpb_mesh *mesh = block->kind == TENON_GPB_MESH ? &block->body.mesh : NULL;
        tenon_gpb_part *part = block->kind == TENON_GPB_PART ? &block->body.part : NULL;
        uint32_t part_count = mesh ? mesh->part_count : part ? 1 : 0;
        if (mesh) ok = gpb_set_size(&mesh->vertex_size, &mesh->vertices, &mesh->leftover, 1, err);
        if (mesh) part = mesh->parts;
        for (uint32_t k = 0; ok && k < part_count; k++, part++)
            ok = gpb_set_size(&part->index_size, &part->indices, &part->leftover, 1, err);
        if (block->kind == TENON_GPB_SKIN) ok = gpb_set_skin_size(&block->body.skin, err);
        if (block->kind == TENON_GPB_MODEL) ok = gpb_set_skin_size(&block->body.model.skin, err);
    }
    for (uint32_t i = 0; ok && i < tree.count; i++)
        ok = gpb_set_skin_size(&tree.nodes[i].node->model.skin, err);
    // The count of meshes is before the first mesh, and the count of other objects before the first
    // of them, or before what follows instead. Only files that have these counts, and start with
    // their meshes, keep them.
    uint32_t mesh_count = 0;
    for (uint32_t i = 0; i < doc->block_count; i++)
        mesh_count += doc->blocks[i].kind == TENON_GPB_MESH;
    bool is_document = gpb_has(doc, TENON_GPB_DOCUMENT);
    doc->mesh_count = is_document ? 0 : mesh_count;
    doc->object_count = is_document ? doc->block_count : doc->block_count - mesh_count;
    uint32_t have = doc->end_counts, first_object = 0;
    for (uint32_t i = 0; i < doc->block_count; i++) have |= doc->blocks[i].counts;
    while (first_object < doc->block_count && doc->blocks[first_object].kind == TENON_GPB_MESH)
        first_object++;
    doc->end_counts = 0;
    for (uint32_t i = 0; i < doc->block_count; i++) doc->blocks[i].counts = 0;
    uint32_t *at_start = doc->block_count ? &doc->blocks[0].counts : &doc->end_counts;
    uint32_t *at_objects =
        first_object < doc->block_count ? &doc->blocks[first_object].counts : &doc->end_counts;
    *at_start |= have & TENON_GPB_COUNTS_MESHES;
    *at_objects |= have & TENON_GPB_COUNTS_OBJECTS;
    ok = ok && gpb_refresh_offsets(doc, arena, err);
    tn_arena_rewind(arena, mark);
    return ok;
}

// -- Refreshing

bool gpb_refresh_references(tenon_gpb *doc, tn_arena *arena, tenon_error *err)
{
    gpb_index index;
    tn_mark mark = tn_arena_mark(arena);
    if (!gpb_index_make(&index, doc, arena, err)) return false;
    for (uint32_t i = 0; i < index.tree.count; i++) {
        tenon_gpb_node *node = index.tree.nodes[i].node;
        if (node->camera.camera_type == 0) node->camera.reference = TENON_NONE;
        if (node->light.light_type == 0) node->light.reference = TENON_NONE;
    }
    for (uint32_t i = 0; i < doc->reference_count; i++) {
        tenon_gpb_reference *r = &doc->references[i];
        bool is_known = gpb_is_known_type(doc->base.dialect->flags, r->type);
        if (is_known && index.owner_of[i] == TENON_NONE) r->offset = 0;
    }
    tn_arena_rewind(arena, mark);
    return true;
}

bool gpb_refresh_parents(tenon_gpb *doc, tn_arena *arena, tenon_error *err)
{
    gpb_tree tree;
    tn_mark mark = tn_arena_mark(arena);
    if (!gpb_tree_make(&tree, doc, arena, err)) return false;
    for (uint32_t i = 0; i < tree.count; i++) {
        const gpb_tree_node *tree_node = &tree.nodes[i];
        const gpb_tree_node *parent =
            tree_node->parent == TENON_NONE ? NULL : &tree.nodes[tree_node->parent];
        tree_node->node->parent_id =
            parent ? gpb_id_of(doc, parent->node->reference) : (tenon_str){"", 0};
    }
    tn_arena_rewind(arena, mark);
    return true;
}
