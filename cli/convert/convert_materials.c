// convert_materials.c: merges the .material files of several bundles into one.
// SPDX-License-Identifier: MIT
//
// The text of the first file stays as it is, with its comments. Blocks of the others are appended,
// unless the text has the same block already.

#include "convert/convert_materials.h"

#include "input/job.h"
#include "input/paths.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/gpb.h>

#define BLOCKS_MOST 4096  // Of a file: each is compared with all others.

// A top-level block of the merged text.
typedef struct material_block {
    char *id;
    char *text;  // As convert_materials_print_block() writes it, under its old name.
} material_block;

// A top-level block of the file that is being added.
typedef struct added_block {
    const tenon_gpb_properties *block;
    char *text;       // As above.
    char *new_id;     // NULL: it keeps its name.
    bool is_present;  // The merged text has the same block.
} added_block;

typedef struct material_merge {
    merged_materials *merged;
    added_block *blocks;
    uint32_t count;
    uint64_t renamed_count;
    bool failed;  // Out of memory.
} material_merge;

// -- Text

// The name of a block after renaming. `merge` may be NULL: names stay.
static tenon_str convert_materials_find_final_id(const material_merge *merge, tenon_str id)
{
    for (uint32_t i = 0; merge && id.size && i < merge->count; i++) {
        const char *new_id = merge->blocks[i].new_id;
        tenon_str old = merge->blocks[i].block->id;
        if (new_id && old.size == id.size && memcmp(old.data, id.data, id.size) == 0)
            return (tenon_str){new_id, (uint32_t)strlen(new_id)};
    }
    return id;
}

static void convert_materials_print_str(FILE *to, const char *before, tenon_str text)
{
    if (text.size == 0) return;
    out(to, "%s", before);
    out_bytes(to, text.data, text.size);
}

// `merge` may be NULL: names stay. The reader allows at most 64 levels of blocks.
static void convert_materials_print_block(FILE *to, const tenon_gpb_properties *block,
                                          const material_merge *merge, uint32_t depth)
{
    bool is_top = depth == 0;
    out_spaces(to, 4 * depth);
    out_bytes(to, block->type.data, block->type.size);
    convert_materials_print_str(
        to, " ", is_top ? convert_materials_find_final_id(merge, block->id) : block->id);
    convert_materials_print_str(to, " : ",
                                is_top ? convert_materials_find_final_id(merge, block->parent_id)
                                       : block->parent_id);
    out(to, "\n");
    out_spaces(to, 4 * depth);
    out(to, "{\n");
    for (const tenon_gpb_property *p = block->properties; p; p = p->next) {
        out_spaces(to, 4 * depth + 4);
        out_bytes(to, p->name.data, p->name.size);
        convert_materials_print_str(to, " = ", p->value);
        out(to, "\n");
    }
    for (const tenon_gpb_properties *child = block->children; child; child = child->next)
        convert_materials_print_block(to, child, merge, depth + 1);
    out_spaces(to, 4 * depth);
    out(to, "}\n");
}

// -- Blocks

static int convert_materials_compare_ids(const void *a, const void *b)
{
    return strcmp(((const material_block *)a)->id, ((const material_block *)b)->id);
}

static const material_block *convert_materials_find_block(const merged_materials *merged,
                                                          const char *id)
{
    material_block wanted = {.id = (char *)id};
    if (merged->block_count == 0) return NULL;
    return bsearch(&wanted, merged->blocks, merged->block_count, sizeof wanted,
                   convert_materials_compare_ids);
}

// List the blocks of a file, with their texts. False if memory ran out.
static bool convert_materials_list_blocks(material_merge *merge, const tenon_gpb_properties *file)
{
    uint32_t count = 0;
    for (const tenon_gpb_properties *b = file->children; b; b = b->next) count++;
    merge->blocks = calloc((size_t)count + 1, sizeof *merge->blocks);
    if (!merge->blocks) return false;
    for (const tenon_gpb_properties *b = file->children; b; b = b->next) {
        added_block *added = &merge->blocks[merge->count++];
        char *text = NULL;
        size_t size = 0;
        FILE *to = out_to_memory(&text, &size);
        *added = (added_block){.block = b};
        if (!to) return false;
        convert_materials_print_block(to, b, NULL, 0);
        if (!out_memory_end(to, &text, &size)) return false;
        added->text = text;
    }
    return true;
}

// "paint_2", or the next number that is free. NULL if memory ran out.
static char *convert_materials_make_free_id(const material_merge *merge, tenon_str id)
{
    size_t room = (size_t)id.size + 16;
    char *name = malloc(room);
    bool is_taken = name != NULL;
    for (uint32_t number = 2; is_taken; number++) {
        (void)snprintf(name, room, "%.*s_%u", (int)id.size, id.data, (unsigned)number);
        is_taken = convert_materials_find_block(merge->merged, name) != NULL;
        for (uint32_t i = 0; i < merge->count && !is_taken; i++) {
            const added_block *other = &merge->blocks[i];
            tenon_str other_id = other->block->id;
            is_taken = (strlen(name) == other_id.size &&
                        memcmp(name, other_id.data, other_id.size) == 0) ||
                       (other->new_id && strcmp(other->new_id, name) == 0);
        }
    }
    return name;
}

// Rename a block if another block of the merged text has its name. Returns whether it did.
static bool convert_materials_rename_block(material_merge *merge, added_block *added)
{
    tenon_str id = added->block->id,
              parent = convert_materials_find_final_id(merge, added->block->parent_id);
    if (added->new_id || id.size == 0) return false;
    char *name = text_copy(id.data, id.size);
    const material_block *present = name ? convert_materials_find_block(merge->merged, name) : NULL;
    merge->failed = merge->failed || !name;
    free(name);
    bool has_same_parent = parent.data == added->block->parent_id.data;
    added->is_present = present && has_same_parent && strcmp(present->text, added->text) == 0;
    if (!present || added->is_present) return false;
    added->new_id = convert_materials_make_free_id(merge, id);
    merge->failed = merge->failed || !added->new_id;
    merge->renamed_count++;
    return true;
}

// Append the new blocks to the merged text. False if memory ran out.
static bool convert_materials_append_blocks(material_merge *merge)
{
    merged_materials *merged = merge->merged;
    char *text = NULL;
    size_t size = 0;
    FILE *to = out_to_memory(&text, &size);
    if (!to) return false;
    if (merged->text) out_bytes(to, merged->text, merged->size);
    for (uint32_t i = 0; i < merge->count; i++) {
        if (merge->blocks[i].is_present) continue;
        out(to, "\n");
        convert_materials_print_block(to, merge->blocks[i].block, merge, 0);
    }
    if (!out_memory_end(to, &text, &size)) return false;
    free(merged->text);
    merged->text = text;
    merged->size = size;
    return true;
}

// Add the new blocks to the index of the merged text. False if memory ran out.
static bool convert_materials_index_blocks(material_merge *merge)
{
    merged_materials *merged = merge->merged;
    for (uint32_t i = 0; i < merge->count; i++) {
        added_block *added = &merge->blocks[i];
        if (added->is_present) continue;
        material_block *longer =
            realloc(merged->blocks, (merged->block_count + 1) * sizeof *longer);
        if (longer) merged->blocks = longer;
        tenon_str id = convert_materials_find_final_id(merge, added->block->id);
        char *name = longer ? text_copy(id.data, id.size) : NULL;
        if (!name) return false;
        merged->blocks[merged->block_count++] = (material_block){name, added->text};
        added->text = NULL;
    }
    if (merged->block_count)
        qsort(merged->blocks, merged->block_count, sizeof *merged->blocks,
              convert_materials_compare_ids);
    return true;
}

// -- Documents

static bool convert_materials_rename_in_node(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    material_merge *merge = user;
    merged_materials *merged = merge->merged;
    (void)depth;
    for (uint32_t i = 0; i < node->model.material_count && !merge->failed; i++) {
        tenon_str *name = &node->model.materials[i].name,
                  id = convert_materials_find_final_id(merge, *name);
        if (id.data == name->data) continue;
        char **longer = realloc(merged->names, (merged->name_count + 1) * sizeof *merged->names);
        if (longer) merged->names = longer;
        char *copy = longer ? text_copy(id.data, id.size) : NULL;
        merge->failed = !copy;
        if (!copy) return false;
        merged->names[merged->name_count++] = copy;
        *name = (tenon_str){copy, id.size};
    }
    return !merge->failed;
}

// Merge a file. The text of the first one stays as it is. False if memory ran out.
static bool convert_materials_merge_file(merged_materials *merged, const model *bundle,
                                         const char *path, const tenon_gpb_properties *file,
                                         uint64_t *renamed_count)
{
    material_merge merge = {.merged = merged};
    bool is_first = !merged->text;
    if (is_first) {
        tenon_bytes bytes;
        tenon_read_opts read = {
            .allocator = job_allocator(), .files = guard_files(), .beside = bundle->file};
        tenon_error ignored;
        if (!tenon_load(path, &read, &bytes, &ignored)) return false;
        merged->text = text_copy(bytes.data, bytes.size);
        merged->size = bytes.size;
        tenon_unload(&bytes);
        if (!merged->text) return false;
    }
    bool ok = convert_materials_list_blocks(&merge, file);
    // A block that inherits from a renamed one becomes another block, too.
    for (bool has_changed = ok && !is_first; has_changed && !merge.failed;) {
        has_changed = false;
        for (uint32_t i = 0; i < merge.count && !merge.failed; i++)
            has_changed = convert_materials_rename_block(&merge, &merge.blocks[i]) || has_changed;
    }
    ok = ok && !merge.failed && (is_first || convert_materials_append_blocks(&merge)) &&
         convert_materials_index_blocks(&merge);
    if (ok && !is_first)
        tenon_gpb_each_node(tenon_as_gpb(bundle->doc), convert_materials_rename_in_node, &merge);
    *renamed_count = merge.renamed_count;
    for (uint32_t i = 0; i < merge.count; i++) {
        free(merge.blocks[i].text);
        free(merge.blocks[i].new_id);
    }
    free(merge.blocks);
    return ok && !merge.failed;
}

bool materials_is_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".material") == 0;
}

bool materials_add(merged_materials *merged, const model *bundle, bool *is_added,
                   uint64_t *renamed_count, tenon_error *err)
{
    file_list sidecars = {0};
    char path[PATH_SIZE];
    bool has_path = false;
    tenon_read_opts read = {.allocator = job_allocator(), .files = guard_files()};
    tenon_error why;
    *is_added = false;
    *renamed_count = 0;
    if (!tenon_as_gpb(bundle->doc) || path_is_stream(bundle->file)) return true;
    sidecars.failed |= !tenon_sidecars(bundle->doc, bundle->file, file_list_take, &sidecars);
    for (uint32_t i = 0; i < sidecars.count; i++)
        if (materials_is_file(sidecars.names[i]))
            has_path = path_beside(bundle->file, sidecars.names[i], path);
    bool has_memory = !sidecars.failed;
    file_list_free(&sidecars);
    if (!has_memory) return job_out_of_memory(err);
    tenon_gpb_properties *file = tenon_gpb_properties_beside(bundle->file, "material", &read, &why);
    if (!file && (why.code == TENON_ERR_MEMORY || why.code == TENON_ERR_IO)) {
        *err = why;
        return false;
    }
    uint32_t count = 0;
    for (const tenon_gpb_properties *b = file ? file->children : NULL; b && count < BLOCKS_MOST;
         b = b->next)
        count++;
    if (file && count < BLOCKS_MOST && has_path) {
        *is_added = convert_materials_merge_file(merged, bundle, path, file, renamed_count);
        if (!*is_added) (void)job_out_of_memory(err);
        tenon_gpb_properties_free(file);
        return *is_added;
    }
    tenon_gpb_properties_free(file);
    return true;
}

void materials_free(merged_materials *merged)
{
    for (uint32_t i = 0; i < merged->block_count; i++) {
        free(merged->blocks[i].id);
        free(merged->blocks[i].text);
    }
    for (uint32_t i = 0; i < merged->name_count; i++) free(merged->names[i]);
    free(merged->blocks);
    free(merged->names);
    free(merged->text);
    *merged = (merged_materials){0};
}
