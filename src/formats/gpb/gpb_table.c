// gpb_table.c: edits the reference table of a bundle and keeps the indices of its objects valid.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_table.h"

#include "core/math/sort.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void *gpb_table_alloc(gpb_table *table, uint64_t count, size_t size)
{
    void *memory =
        table->failed ? NULL
                      : tn_arena_alloc_or_fail(table->arena, count, size, "references", table->err);
    if (!memory) table->failed = true;
    return memory;
}

// -- Names

static gpb_table_id *gpb_table_find(const gpb_table *table, tenon_str id)
{
    return (gpb_table_id *)tn_name_find(&table->names, id);
}

static void gpb_table_take(gpb_table *table, tenon_str id)
{
    gpb_table_id *name = gpb_table_find(table, id);
    if (!name) {
        name = gpb_table_alloc(table, 1, sizeof *name);
        if (!name) return;
        *name = (gpb_table_id){.named = {.name = id}, .next = 2};
        (void)tn_name_enter(&table->names, &name->named);
    }
    name->users++;
}

static bool gpb_table_id_is_free(const gpb_table *table, tenon_str id)
{
    const gpb_table_id *name = gpb_table_find(table, id);
    return !name || !name->users;
}

// -- Editing

gpb_table gpb_table_begin(tenon_gpb *doc, tn_arena *arena, uint32_t more, tenon_error *err)
{
    gpb_table table = {.doc = doc, .arena = arena, .err = err, .is_sorted = true};
    uint64_t room = (uint64_t)doc->reference_count + more;
    for (uint32_t i = 1; table.is_sorted && i < doc->reference_count; i++)
        table.is_sorted = tn_text_order(doc->references[i].id, doc->references[i - 1].id) >= 0;
    if (room > UINT32_MAX / 4)
        table.failed = !tn_error(err, TENON_ERR_LIMIT, "too many references");
    table.room = (uint32_t)room;
    table.dropped = gpb_table_alloc(&table, room, sizeof *table.dropped);
    tenon_gpb_reference *references = gpb_table_alloc(&table, room, sizeof *references);
    if (table.failed) return table;
    for (uint32_t i = 0; i < doc->reference_count; i++) {
        references[i] = doc->references[i];
        gpb_table_take(&table, references[i].id);
    }
    doc->references = references;
    return table;
}

uint32_t gpb_table_add(gpb_table *table, tenon_str id, uint32_t type)
{
    tenon_gpb *doc = table->doc;
    if (table->failed || doc->reference_count >= table->room) return TENON_NONE;
    if (!id.size) id = (tenon_str){"", 0};
    tenon_str unique = id;
    for (gpb_table_id *name = gpb_table_find(table, id); !gpb_table_id_is_free(table, unique);) {
        char suffix[16];
        int suffix_size = snprintf(suffix, sizeof suffix, "_%" PRIu32, name->next++);
        uint64_t size = (uint64_t)id.size + (uint64_t)suffix_size;
        char *text = gpb_table_alloc(table, size + 1, 1);
        if (!text) return TENON_NONE;
        memcpy(text, id.data, id.size);
        memcpy(text + id.size, suffix, (size_t)suffix_size);
        unique = (tenon_str){text, (uint32_t)size};
    }
    gpb_table_take(table, unique);
    if (table->failed) return TENON_NONE;
    doc->references[doc->reference_count] = (tenon_gpb_reference){unique, type, 0};
    return doc->reference_count++;
}

bool gpb_table_can_add(const gpb_table *table, tenon_str id)
{
    return id.size > 0 && !table->failed && gpb_table_id_is_free(table, id);
}

void gpb_table_drop(gpb_table *table, uint32_t reference)
{
    if (table->failed || reference >= table->doc->reference_count || table->dropped[reference])
        return;
    table->dropped[reference] = true;
    gpb_table_find(table, table->doc->references[reference].id)->users--;
}

// -- Order

// The new index of each reference, or TENON_NONE.
typedef struct gpb_renumbering {
    const uint32_t *numbers;
    uint32_t count;
} gpb_renumbering;

static void gpb_table_renumber_one(const gpb_renumbering *renumbering, uint32_t *reference)
{
    *reference = *reference < renumbering->count ? renumbering->numbers[*reference] : TENON_NONE;
}

static void gpb_table_renumber_entry(void *user, uint32_t *entry)
{
    uint32_t reference = *entry ? *entry - 1 : TENON_NONE;
    gpb_table_renumber_one(user, &reference);
    *entry = reference == TENON_NONE ? 0 : reference + 1;
}

void gpb_table_renumber(tenon_gpb *doc, const gpb_tree *tree, const uint32_t *numbers,
                        uint32_t count)
{
    gpb_renumbering renumbering = {numbers, count};
    for (uint32_t i = 0; i < doc->block_count; i++) {
        tenon_gpb_block *block = &doc->blocks[i];
        gpb_table_renumber_one(&renumbering, &block->reference);
        if (block->kind == TENON_GPB_CAMERA) block->body.camera.reference = block->reference;
        if (block->kind == TENON_GPB_LIGHT) block->body.light.reference = block->reference;
    }
    gpb_index_each_entry(doc, tree, gpb_table_renumber_entry, &renumbering);
    for (uint32_t i = 0; i < tree->count; i++) {
        tenon_gpb_node *node = tree->nodes[i].node;
        gpb_table_renumber_one(&renumbering, &node->reference);
        gpb_table_renumber_one(&renumbering, &node->camera.reference);
        gpb_table_renumber_one(&renumbering, &node->light.reference);
    }
}

bool gpb_table_end(gpb_table *table)
{
    tenon_gpb *doc = table->doc;
    uint32_t count = doc->reference_count, kept = 0;
    uint32_t *order = gpb_table_alloc(table, count, sizeof *order);
    uint32_t *spare = gpb_table_alloc(table, count, sizeof *spare);
    uint32_t *numbers = gpb_table_alloc(table, count, sizeof *numbers);
    tenon_gpb_reference *references = gpb_table_alloc(table, count, sizeof *references);
    gpb_tree tree;
    if (table->failed || !gpb_index_tree_make(&tree, doc, table->arena, table->err)) return false;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = TENON_NONE;
        if (!table->dropped[i]) order[kept++] = i;
    }
    if (table->is_sorted) tn_sort(order, spare, kept, gpb_index_id_before, doc);
    for (uint32_t i = 0; i < kept; i++) {
        references[i] = doc->references[order[i]];
        numbers[order[i]] = i;
    }
    doc->references = references;
    doc->reference_count = kept;
    gpb_table_renumber(doc, &tree, numbers, count);
    return true;
}
