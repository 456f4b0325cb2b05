// gpb_properties.c: reads property files: blocks, properties, inheritance.
// SPDX-License-Identifier: MIT
//
// A statement ends at the end of its line or at a brace. With an equals sign it is a property.
// Otherwise it opens a block if a brace follows, possibly on a later line; if not, it is also a
// property.

#include "formats/gpb/sidecar/gpb_sidecar.h"

#include "core/memory/budget.h"
#include "core/text/text.h"

#include <string.h>

#define GPB_TEXT_MEMORY ((uint64_t)4 << 20)
#define GPB_TEXT_SHARE  64
#define GPB_BLOCK_STEPS 4096  // Blocks visited for one material; real materials have a dozen.

struct tenon_gpb_properties_owner {
    tn_arena arena;
};

typedef struct gpb_reader {
    const char *text;
    size_t size, pos;
    uint32_t line;
    tn_arena *arena;
    tenon_error *err;
    bool failed;
} gpb_reader;

static void gpb_properties_fail(gpb_reader *reader, uint32_t line, const char *what)
{
    if (reader->failed) return;
    reader->failed = true;
    tn_error(reader->err, TENON_ERR_VALUE, "%s", what);
    reader->err->line = line;
    reader->err->column = 1;
}

static void *gpb_properties_reader_alloc(gpb_reader *reader, uint64_t count, size_t size)
{
    void *memory = reader->failed ? NULL
                                  : tn_arena_alloc_or_fail(reader->arena, count, size,
                                                           "a property file", reader->err);
    if (!memory) reader->failed = true;
    return memory;
}

// -- Characters

static bool gpb_properties_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool gpb_properties_is_comment(const gpb_reader *reader)
{
    return reader->size - reader->pos >= 2 && reader->text[reader->pos] == '/' &&
           reader->text[reader->pos + 1] == '/';
}

// Skip blanks, line ends and comments.
static void gpb_properties_skip(gpb_reader *reader)
{
    while (reader->pos < reader->size) {
        char c = reader->text[reader->pos];
        if (gpb_properties_is_comment(reader)) {
            while (reader->pos < reader->size && reader->text[reader->pos] != '\n') reader->pos++;
            continue;
        }
        if (c != '\n' && c != '\0' && !gpb_properties_is_blank(c)) return;
        reader->line += c == '\n';
        reader->pos++;
    }
}

static tenon_str gpb_properties_trim(const char *text, size_t size)
{
    while (size && gpb_properties_is_blank(text[0])) text++, size--;
    while (size && gpb_properties_is_blank(text[size - 1])) size--;
    return (tenon_str){text, (uint32_t)size};
}

static tenon_str gpb_properties_copy_text(gpb_reader *reader, tenon_str text)
{
    char *copy = gpb_properties_reader_alloc(reader, (uint64_t)text.size + 1, 1);
    if (!copy) return (tenon_str){"", 0};
    if (text.size) memcpy(copy, text.data, text.size);
    return (tenon_str){copy, text.size};
}

// -- Statements

// An open block.
typedef struct gpb_level {
    tenon_gpb_properties *block;
    tenon_gpb_property **property_end;
    tenon_gpb_properties **child_end;
} gpb_level;

// Blocks start with "type id : parent". Properties are "name = value" or "name value".
static void gpb_properties_read_blocks(gpb_reader *reader, tenon_gpb_properties *file)
{
    gpb_level levels[GPB_BLOCK_DEPTH] = {{file, &file->properties, &file->children}};
    uint32_t depth = 0;
    for (gpb_properties_skip(reader); reader->pos < reader->size && !reader->failed;
         gpb_properties_skip(reader)) {
        gpb_level *level = &levels[depth];
        if (reader->text[reader->pos] == '}') {
            reader->pos++;
            if (depth-- == 0) gpb_properties_fail(reader, reader->line, "'}' without a '{'");
            continue;
        }
        uint32_t line = reader->line;
        // One statement, up to a brace or the end of the line. After an equals sign, '{' is text.
        size_t start = reader->pos;
        bool has_equals = false;
        for (; reader->pos < reader->size; reader->pos++) {
            char c = reader->text[reader->pos];
            bool after_blank =
                reader->pos > start && gpb_properties_is_blank(reader->text[reader->pos - 1]);
            if (c == '\n' || c == '}' || (c == '{' && !has_equals)) break;
            if (after_blank && gpb_properties_is_comment(reader)) break;
            has_equals = has_equals || c == '=';
        }
        tenon_str text = {reader->text + start, (uint32_t)(reader->pos - start)};
        gpb_properties_skip(reader);
        bool opens = !has_equals && reader->pos < reader->size && reader->text[reader->pos] == '{';
        const char *mark = memchr(text.data, opens ? ':' : '=', text.size);
        size_t size = mark ? (size_t)(mark - text.data) : text.size, word_size = 0;
        tenon_str head = gpb_properties_trim(text.data, size), tail = {"", 0};
        if (mark) tail = gpb_properties_trim(mark + 1, text.size - size - 1);
        while (word_size < head.size && !gpb_properties_is_blank(head.data[word_size])) word_size++;
        tenon_str word = {head.data, (uint32_t)word_size};
        tenon_str rest = gpb_properties_trim(head.data + word_size, head.size - word_size);
        if (!opens) {
            tenon_gpb_property *property = gpb_properties_reader_alloc(reader, 1, sizeof *property);
            if (!property) return;
            property->name = gpb_properties_copy_text(reader, mark ? head : word);
            property->value = gpb_properties_copy_text(reader, mark ? tail : rest);
            property->line = line;
            *level->property_end = property;
            level->property_end = &property->next;
            continue;
        }
        reader->pos++;
        tenon_gpb_properties *block = gpb_properties_reader_alloc(reader, 1, sizeof *block);
        if (depth + 1 == GPB_BLOCK_DEPTH)
            gpb_properties_fail(reader, line, "blocks are nested too deeply");
        if (reader->failed) return;
        block->type = gpb_properties_copy_text(reader, word);
        block->id = gpb_properties_copy_text(reader, rest);
        block->parent_id = gpb_properties_copy_text(reader, tail);
        block->line = line;
        *level->child_end = block;
        level->child_end = &block->next;
        levels[++depth] = (gpb_level){block, &block->properties, &block->children};
    }
    if (depth && !reader->failed)
        gpb_properties_fail(reader, levels[depth].block->line, "the block has no '}'");
}

// -- Inheritance

bool gpb_properties_directory_make(gpb_directory *directory, const tenon_gpb_properties *in,
                                   const char *type, tn_arena *arena, tenon_error *err)
{
    uint32_t count = 0;
    for (const tenon_gpb_properties *b = in->children; b; b = b->next)
        count += !type || tn_text_is(b->type, type);
    const tenon_gpb_properties **blocks =
        tn_arena_alloc_or_fail(arena, count, sizeof *blocks, "blocks", err);
    tn_named *ids = tn_arena_alloc_or_fail(arena, count, sizeof *ids, "blocks", err);
    *directory = (gpb_directory){.blocks = blocks, .ids = ids};
    if (!blocks || !ids) return false;
    for (const tenon_gpb_properties *b = in->children; b; b = b->next) {
        if (type && !tn_text_is(b->type, type)) continue;
        ids[directory->count].name = b->id;
        tn_name_enter(&directory->tree, &ids[directory->count]);
        blocks[directory->count++] = b;
    }
    return true;
}

uint32_t gpb_properties_directory_find(const gpb_directory *directory, tenon_str id)
{
    const tn_named *found = tn_name_find(&directory->tree, id);
    return found ? (uint32_t)(found - directory->ids) : TENON_NONE;
}

// A block inherits from one of its siblings.
static void gpb_properties_link_bases(gpb_reader *reader, const tenon_gpb_properties *parent)
{
    uint32_t heirs = 0;
    for (const tenon_gpb_properties *b = parent->children; b; b = b->next) {
        heirs += b->parent_id.size > 0;
        gpb_properties_link_bases(reader, b);
    }
    gpb_directory directory;
    if (heirs == 0 || reader->failed) return;
    if (!gpb_properties_directory_make(&directory, parent, NULL, reader->arena, reader->err))
        reader->failed = true;
    for (tenon_gpb_properties *b = parent->children; b && !reader->failed; b = b->next) {
        uint32_t base = b->parent_id.size ? gpb_properties_directory_find(&directory, b->parent_id)
                                          : TENON_NONE;
        if (base != TENON_NONE) b->base = directory.blocks[base];
    }
}

// -- Reading and freeing

tenon_gpb_properties *tenon_gpb_properties_read(const char *text, size_t size,
                                                const tenon_read_opts *opts, tenon_error *err)
{
    static const tenon_read_opts defaults;
    tenon_error ignored;
    if (!err) err = &ignored;
    if (!opts) opts = &defaults;
    tn_error_clear(err);
    struct tenon_gpb_properties_owner *owner = tn_block_alloc(&opts->allocator, sizeof *owner);
    if (!owner) {
        tn_error(err, TENON_ERR_MEMORY, "out of memory");
        return NULL;
    }
    uint64_t limit = opts->max_memory ? opts->max_memory : GPB_TEXT_MEMORY + GPB_TEXT_SHARE * size;
    *owner = (struct tenon_gpb_properties_owner){tn_arena_make(&opts->allocator, limit)};
    gpb_reader reader = {.text = text, .size = size, .line = 1, .arena = &owner->arena, .err = err};
    if (size >= UINT32_MAX) gpb_properties_fail(&reader, 1, "the text is too long");
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) reader.pos = 3;  // A byte order mark.
    tenon_gpb_properties *file = gpb_properties_reader_alloc(&reader, 1, sizeof *file);
    if (file) {
        *file = (tenon_gpb_properties){
            .type = {"", 0}, .id = {"", 0}, .parent_id = {"", 0}, .line = 1, .owner = owner};
        gpb_properties_read_blocks(&reader, file);
        gpb_properties_link_bases(&reader, file);
    }
    if (tn_budget_settle(opts->allocator.budget, !reader.failed, err)) return file;
    tn_arena_free(&owner->arena);
    tn_block_free(&opts->allocator, owner, sizeof *owner);
    return NULL;
}

void tenon_gpb_properties_free(tenon_gpb_properties *file)
{
    if (!file || !file->owner) return;
    struct tenon_gpb_properties_owner *owner = file->owner;
    tenon_allocator allocator = owner->arena.allocator;
    tn_arena_free(&owner->arena);
    tn_block_free(&allocator, owner, sizeof *owner);
}

// -- Looking things up

const tenon_gpb_properties *tenon_gpb_properties_find(const tenon_gpb_properties *block,
                                                      const char *type, tenon_str id)
{
    for (const tenon_gpb_properties *b = block->children; b; b = b->next) {
        if (tn_text_is(b->type, type) && tn_text_equal(b->id, id)) return b;
        const tenon_gpb_properties *inner = tenon_gpb_properties_find(b, type, id);
        if (inner) return inner;
    }
    return NULL;
}

tenon_str tenon_gpb_property_value(const tenon_gpb_properties *block, const char *name)
{
    for (uint32_t steps = 0; block && steps < GPB_BLOCK_DEPTH; steps++, block = block->base)
        for (const tenon_gpb_property *p = block->properties; p; p = p->next)
            if (tn_text_is(p->name, name)) return p->value;
    return (tenon_str){NULL, 0};
}

// A search for blocks of a type.
typedef struct gpb_block_search {
    const tenon_gpb_properties *chain[GPB_BLOCK_DEPTH];  // The material and its ancestors.
    uint32_t count;
    uint32_t steps;  // Blocks visited.
    const char *type;
    tenon_gpb_block_fn *fn;
    void *user;
} gpb_block_search;

static bool gpb_properties_has_block(gpb_block_search *search, const tenon_gpb_properties *in,
                                     tenon_str id)
{
    for (const tenon_gpb_properties *b = in->children; b; b = b->next) {
        if (search->steps++ >= GPB_BLOCK_STEPS) return false;
        if (tn_text_is(b->type, search->type) && tn_text_equal(b->id, id)) return true;
        if (gpb_properties_has_block(search, b, id)) return true;
    }
    return false;
}

// Returns false if the callback returned false, or there are too many blocks.
static bool gpb_properties_visit_blocks(gpb_block_search *search, uint32_t level,
                                        const tenon_gpb_properties *in)
{
    for (const tenon_gpb_properties *b = in->children; b; b = b->next) {
        if (search->steps++ >= GPB_BLOCK_STEPS) return false;
        bool is_wanted = tn_text_is(b->type, search->type);
        for (uint32_t i = 0; is_wanted && i < level; i++)  // An heir may override it.
            is_wanted = !gpb_properties_has_block(search, search->chain[i], b->id);
        if (is_wanted && !search->fn(search->user, b)) return false;
        if (!gpb_properties_visit_blocks(search, level, b)) return false;
    }
    return true;
}

void tenon_gpb_properties_each(const tenon_gpb_properties *material, const char *type,
                               tenon_gpb_block_fn *fn, void *user)
{
    gpb_block_search search = {.type = type, .fn = fn, .user = user};
    for (; material && search.count < GPB_BLOCK_DEPTH; material = material->base)
        search.chain[search.count++] = material;
    for (uint32_t i = 0; i < search.count; i++)
        if (!gpb_properties_visit_blocks(&search, i, search.chain[i])) return;
}
