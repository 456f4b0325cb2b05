// convert_materials.c: the .material files of several bundles made one.
// SPDX-License-Identifier: MIT
//
// The text of the first file stays as it is, with its comments. Blocks of the others are written
// behind it, anew, unless they are there already.

#include "convert/convert_materials.h"

#include "input/job.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/gpb.h>

#define PATH_SIZE   4096
#define BLOCKS_MOST 4096  // Of a file: all are compared with each other.

typedef struct material_path {
    const char *model;
    char path[PATH_SIZE];
} material_path;

// A block at the top of a file.
typedef struct material_block {
    char *id;
    char *text;  // As put_block() writes it, under its own name.
} material_block;

// One of the file that is being added.
typedef struct new_block {
    const tenon_gpb_properties *block;
    char *text;     // As above.
    char *new_id;   // NULL: it keeps its name.
    bool is_known;  // The very same is there.
} new_block;

typedef struct adder {
    merged_materials *all;
    new_block *blocks;
    uint32_t count;
    uint64_t renamed;
    bool failed;  // Out of memory.
} adder;

// -- Text

static char *copy_text(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static bool is_named(tenon_str id, const char *name)
{
    return strlen(name) == id.size && memcmp(name, id.data, id.size) == 0;
}

// What a block is called in the end.
static tenon_str final_id(const adder *a, tenon_str id)
{
    for (uint32_t i = 0; a && id.size && i < a->count; i++) {
        const char *new_id = a->blocks[i].new_id;
        tenon_str old = a->blocks[i].block->id;
        if (new_id && old.size == id.size && memcmp(old.data, id.data, id.size) == 0)
            return (tenon_str){new_id, (uint32_t)strlen(new_id)};
    }
    return id;
}

static void put_str(FILE *to, const char *before, tenon_str text)
{
    if (text.size == 0) return;
    out(to, "%s", before);
    out_bytes(to, text.data, text.size);
}

// `a` may be NULL: names stay. Blocks are not deeper than 64, which the reader sees to.
static void put_block(FILE *to, const tenon_gpb_properties *block, const adder *a, uint32_t depth)
{
    bool is_top = depth == 0;
    out_spaces(to, 4 * depth);
    out_bytes(to, block->type.data, block->type.size);
    put_str(to, " ", is_top ? final_id(a, block->id) : block->id);
    put_str(to, " : ", is_top ? final_id(a, block->parent_id) : block->parent_id);
    out(to, "\n");
    out_spaces(to, 4 * depth);
    out(to, "{\n");
    for (const tenon_gpb_property *p = block->properties; p; p = p->next) {
        out_spaces(to, 4 * depth + 4);
        out_bytes(to, p->name.data, p->name.size);
        put_str(to, " = ", p->value);
        out(to, "\n");
    }
    for (const tenon_gpb_properties *b = block->children; b; b = b->next)
        put_block(to, b, a, depth + 1);
    out_spaces(to, 4 * depth);
    out(to, "}\n");
}

static char *block_text(const tenon_gpb_properties *block)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = out_to_memory(&text, &size);
    if (!to) return NULL;
    put_block(to, block, NULL, 0);
    return out_memory_end(to, &text, &size) ? text : NULL;
}

// -- What is known

static int by_id(const void *a, const void *b)
{
    return strcmp(((const material_block *)a)->id, ((const material_block *)b)->id);
}

static const material_block *find_known(const merged_materials *all, const char *id)
{
    material_block wanted = {.id = (char *)id};
    return all->block_count ? bsearch(&wanted, all->blocks, all->block_count, sizeof wanted, by_id)
                            : NULL;
}

// Takes the texts, also if memory runs out.
static bool know(merged_materials *all, char *id, char *text)
{
    material_block *longer =
        id && text ? realloc(all->blocks, (all->block_count + 1) * sizeof *longer) : NULL;
    if (!longer) {
        free(id);
        free(text);
        return false;
    }
    all->blocks = longer;
    all->blocks[all->block_count++] = (material_block){id, text};
    return true;
}

// -- Adding

static bool list_blocks(adder *a, const tenon_gpb_properties *file)
{
    for (const tenon_gpb_properties *b = file->children; b; b = b->next) a->count++;
    a->blocks = calloc(a->count ? a->count : 1, sizeof *a->blocks);
    if (!a->blocks) {
        a->count = 0;
        return false;
    }
    new_block *next = a->blocks;
    for (const tenon_gpb_properties *b = file->children; b; b = b->next, next++) {
        *next = (new_block){.block = b, .text = block_text(b)};
        if (!next->text) return false;
    }
    return true;
}

// "paint_2", or the next number that is free.
static char *free_id(const adder *a, tenon_str id)
{
    char *name = malloc((size_t)id.size + 16);
    bool is_taken = name != NULL;
    for (uint32_t number = 2; is_taken; number++) {
        (void)snprintf(name, (size_t)id.size + 16, "%.*s_%u", (int)id.size, id.data,
                       (unsigned)number);
        is_taken = find_known(a->all, name) != NULL;
        for (uint32_t i = 0; i < a->count && !is_taken; i++)
            is_taken = is_named(a->blocks[i].block->id, name) ||
                       (a->blocks[i].new_id && strcmp(a->blocks[i].new_id, name) == 0);
    }
    return name;
}

// Give a block another name, if the one it has is that of another block. Returns whether it did.
static bool rename_one(adder *a, new_block *b)
{
    tenon_str id = b->block->id, parent = final_id(a, b->block->parent_id);
    if (b->new_id || id.size == 0) return false;
    char *own = copy_text(id.data, id.size);
    const material_block *known = own ? find_known(a->all, own) : NULL;
    a->failed = a->failed || !own;
    free(own);
    bool is_same_base = parent.data == b->block->parent_id.data;
    b->is_known = known && is_same_base && strcmp(known->text, b->text) == 0;
    if (!known || b->is_known) return false;
    b->new_id = free_id(a, id);
    a->failed = a->failed || !b->new_id;
    a->renamed++;
    return true;
}

// What inherits from a block with a new name is another block, too.
static void choose_names(adder *a)
{
    for (bool goes_on = true; goes_on && !a->failed;) {
        goes_on = false;
        for (uint32_t i = 0; i < a->count && !a->failed; i++)
            goes_on = rename_one(a, &a->blocks[i]) || goes_on;
    }
}

static bool append_text(adder *a)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = out_to_memory(&text, &size);
    if (!to) return false;
    if (a->all->text) out_bytes(to, a->all->text, a->all->size);
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->blocks[i].is_known) continue;
        out(to, "\n");
        put_block(to, a->blocks[i].block, a, 0);
    }
    if (!out_memory_end(to, &text, &size)) return false;
    free(a->all->text);
    a->all->text = text;
    a->all->size = size;
    return true;
}

static bool know_all(adder *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        new_block *b = &a->blocks[i];
        tenon_str id = final_id(a, b->block->id);
        if (b->is_known) continue;
        char *text = b->text;
        b->text = NULL;
        if (!know(a->all, copy_text(id.data, id.size), text)) return false;
    }
    if (a->all->block_count)
        qsort(a->all->blocks, a->all->block_count, sizeof *a->all->blocks, by_id);
    return true;
}

// -- Documents

static bool rename_in_node(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    adder *a = user;
    (void)depth;
    for (uint32_t i = 0; i < node->model.material_count && !a->failed; i++) {
        tenon_str *name = &node->model.materials[i].name, id = final_id(a, *name);
        if (id.data == name->data) continue;
        char **longer = realloc(a->all->names, (a->all->name_count + 1) * sizeof *a->all->names);
        if (longer) a->all->names = longer;
        char *copy = longer ? copy_text(id.data, id.size) : NULL;
        a->failed = !copy;
        if (!copy) return false;
        a->all->names[a->all->name_count++] = copy;
        *name = (tenon_str){copy, id.size};
    }
    return !a->failed;
}

// -- All of it

static void free_adder(adder *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        free(a->blocks[i].text);
        free(a->blocks[i].new_id);
    }
    free(a->blocks);
}

// The first file, as it is.
static bool begin_with(merged_materials *all, const material_path *found,
                       const tenon_gpb_properties *file)
{
    tenon_bytes bytes;
    tenon_read_opts read = {
        .allocator = job_allocator(), .files = guard_files(), .beside = found->model};
    tenon_error ignored;
    adder a = {.all = all};
    if (!tenon_load(found->path, &read, &bytes, &ignored)) return false;
    all->text = copy_text(bytes.data, bytes.size);
    all->size = bytes.size;
    tenon_unload(&bytes);
    bool ok = all->text && list_blocks(&a, file) && know_all(&a);
    free_adder(&a);
    return ok;
}

static bool add_file(merged_materials *all, const model *m, const tenon_gpb_properties *file,
                     uint64_t *renamed)
{
    adder a = {.all = all};
    bool ok = list_blocks(&a, file);
    if (ok) choose_names(&a);
    ok = ok && !a.failed && append_text(&a) && know_all(&a);
    if (ok) tenon_gpb_each_node(tenon_as_gpb(m->doc), rename_in_node, &a);
    *renamed = a.renamed;
    ok = ok && !a.failed;
    free_adder(&a);
    return ok;
}

static bool is_small(const tenon_gpb_properties *file)
{
    uint32_t count = 0;
    for (const tenon_gpb_properties *b = file->children; b && count < BLOCKS_MOST; b = b->next)
        count++;
    return count < BLOCKS_MOST;
}

static void take_path(void *user, const char *name)
{
    material_path *found = user;
    size_t size = strlen(name);
    bool is_it = size > 9 && strcmp(name + size - 9, ".material") == 0;
    tenon_str text = {name, (uint32_t)size};
    if (is_it && !tenon_file_beside(guard_files(), found->model, text, found->path, PATH_SIZE))
        found->path[0] = '\0';
}

bool materials_add(merged_materials *all, const model *m, bool *is_added, uint64_t *renamed,
                   tenon_error *err)
{
    material_path found = {.model = m->file};
    tenon_read_opts read = {.allocator = job_allocator(), .files = guard_files()};
    tenon_error why;
    *is_added = false;
    *renamed = 0;
    if (!tenon_as_gpb(m->doc) || strcmp(m->file, "-") == 0) return true;
    (void)tenon_sides(m->doc, m->file, take_path, &found);  // Of a bundle, that takes no memory.
    tenon_gpb_properties *file = tenon_gpb_properties_beside(m->file, "material", &read, &why);
    if (!file && (why.code == TENON_ERR_MEMORY || why.code == TENON_ERR_IO)) {
        *err = why;
        return false;
    }
    if (!file || !is_small(file) || !found.path[0]) {
        tenon_gpb_properties_free(file);
        return true;
    }
    bool ok = all->text ? add_file(all, m, file, renamed) : begin_with(all, &found, file);
    tenon_gpb_properties_free(file);
    if (!ok) *err = report_make(TENON_ERR_MEMORY, "out of memory");
    *is_added = ok;
    return ok;
}

void materials_free(merged_materials *all)
{
    for (uint32_t i = 0; i < all->block_count; i++) {
        free(all->blocks[i].id);
        free(all->blocks[i].text);
    }
    for (uint32_t i = 0; i < all->name_count; i++) free(all->names[i]);
    free(all->blocks);
    free(all->names);
    free(all->text);
    *all = (merged_materials){0};
}
