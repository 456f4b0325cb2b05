// gpb_sidecar.c: property files next to a bundle, other bundles, and facts for the info.
// SPDX-License-Identifier: MIT
//
// Dialect "document" names objects of other bundles as "file#id", relative to the bundle. Only
// files in its folder or below are read, and their own links are not followed.

#include "formats/gpb/gpb_format.h"

#include "core/files/file.h"
#include "core/memory/budget.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "document/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GPB_NAME_SIZE = 256 };

// -- Other bundles

gpb_link *gpb_follow_link(gpb_links *links, tenon_str file, tenon_error *err)
{
    tn_error_clear(err);
    for (uint32_t i = 0; i < links->count; i++)
        if (tn_text_equal(links->items[i].file, file)) return &links->items[i];
    if (links->count == GPB_LINKS_MOST) return NULL;
    gpb_link *link = &links->items[links->count++];
    *link = (gpb_link){.file = file};
    char place[TN_PATH_SIZE];
    const tn_search search = {links->files, links->model_path, place, sizeof place, err, NULL};
    tn_place found = links->model_path ? tn_find_sidecar(&search, file) : TN_PLACE_MISSING;
    if (err->code != TENON_OK) return NULL;
    if (found != TN_PLACE_FOUND) {
        (void)snprintf(link->why, sizeof link->why, "%s",
                       found == TN_PLACE_OUTSIDE ? "it is not in the folder of the bundle"
                                                 : "it does not exist");
        return link;
    }
    const tenon_read_opts opts = {
        .allocator = *links->allocator, .files = links->files, .beside = links->model_path};
    tenon_error why;
    link->doc = tn_doc_open_file(&tn_gpb_format, place, &opts, &why);
    if (link->doc)
        return gpb_index_make(&link->index, tenon_as_gpb(link->doc), links->arena, err) ? link
                                                                                        : NULL;
    if (tn_is_outage(&why)) {
        *err = why;
        return NULL;
    }
    (void)snprintf(link->why, sizeof link->why, "it cannot be read: %.120s", why.message);
    return link;
}

uint32_t gpb_find_linked(const gpb_link *link, tenon_str xref, uint32_t kind)
{
    uint32_t skip = link->file.size + 1;
    tenon_str id = {xref.data + skip, xref.size - skip};
    uint32_t reference = link->doc && id.size ? gpb_find_id(&link->index, id) : TENON_NONE;
    if (reference == TENON_NONE) return TENON_NONE;
    if (kind == TENON_GPB_NODE) return link->index.node_of[reference];
    uint32_t block = link->index.block_of[reference];
    bool is_right = block != TENON_NONE && link->index.doc->blocks[block].kind == kind;
    return is_right ? block : TENON_NONE;
}

void gpb_free_links(gpb_links *links)
{
    for (uint32_t i = 0; i < links->count; i++) tn_doc_free(links->items[i].doc);
    links->count = 0;
}

// The other bundles that a bundle names in its folder, each once.
typedef struct gpb_link_list {
    const tenon_gpb *doc;
    tenon_sidecar_fn *fn;
    void *user;
    uint32_t count;
    tenon_str files[GPB_LINKS_MOST];
} gpb_link_list;

static bool gpb_report_link(void *user, tenon_str *xref, uint32_t kind)
{
    gpb_link_list *list = user;
    tenon_str file = gpb_xref_file(list->doc, *xref);
    char name[TN_PATH_SIZE];
    (void)kind;
    if (file.size == 0 || file.size >= sizeof name || list->count == GPB_LINKS_MOST) return true;
    if (memchr(file.data, '/', file.size) || memchr(file.data, '\\', file.size)) return true;
    for (uint32_t i = 0; i < list->count; i++)
        if (tn_text_equal(list->files[i], file)) return true;
    list->files[list->count++] = file;
    memcpy(name, file.data, file.size);
    name[file.size] = '\0';
    list->fn(list->user, name);
    return true;
}

bool gpb_sidecars(const void *doc, tenon_str stem, tenon_sidecar_fn *fn, void *user)
{
    static const char *const extensions[] = {"material", "animation"};
    gpb_link_list list = {.doc = doc, .fn = fn, .user = user};
    for (uint32_t i = 0; i < 2; i++) {
        char name[GPB_NAME_SIZE];
        int size = snprintf(name, sizeof name, "%.*s.%s", (int)stem.size, stem.data, extensions[i]);
        if (size > 0 && (size_t)size < sizeof name) fn(user, name);
    }
    if (!gpb_has(list.doc, TENON_GPB_DOCUMENT)) return true;
    gpb_tree tree;
    tenon_error err;
    const tn_arena *owner = &list.doc->base.owner->arena;
    tn_arena arena = tn_arena_make(&owner->allocator, owner->limit);
    bool ok = gpb_tree_make(&tree, doc, &arena, &err);
    if (ok) (void)gpb_each_xref(doc, &tree, gpb_report_link, &list);
    for (uint32_t i = 0; i < list.doc->block_count; i++)
        if (list.doc->blocks[i].kind == TENON_GPB_MATERIAL)
            gpb_report_link(&list, &list.doc->blocks[i].body.material.effect, 0);
    tn_arena_free(&arena);
    return ok;
}

tenon_gpb_properties *tenon_gpb_properties_beside(const char *model_path, const char *extension,
                                                  const tenon_read_opts *opts, tenon_error *err)
{
    tenon_read_opts settled = {0};
    if (opts) settled = *opts;
    tenon_error unwanted;
    tenon_bytes bytes;
    if (!err) err = &unwanted;
    if (!tn_load_sidecar(model_path, extension, &settled, &bytes, err)) return NULL;
    tenon_gpb_properties *result = tenon_gpb_properties_read(bytes.data, bytes.size, &settled, err);
    tenon_unload(&bytes);
    return result;
}

// -- Clips

// The number that a property has; NaN if it has none.
static double gpb_property_number(const tenon_gpb_properties *block, const char *name)
{
    tenon_str value = tenon_gpb_property_value(block, name);
    double number;
    return value.data && tn_f64_parse(value.data, value.size, &number) ? number : NAN;
}

bool gpb_next_clip(const tenon_gpb_properties *file, gpb_clip *clip)
{
    const tenon_gpb_properties *a = clip->block ? clip->animation : file->children;
    const tenon_gpb_properties *b = clip->block ? clip->block->next : a ? a->children : NULL;
    while (a && !(b && tn_text_is(b->type, "clip"))) {
        if (!b) a = a->next;
        b = b ? b->next : a ? a->children : NULL;
    }
    if (!a) return false;
    *clip = (gpb_clip){.animation = a,
                       .block = b,
                       .begin = gpb_property_number(b, "begin"),
                       .end = gpb_property_number(b, "end"),
                       .frame_count = gpb_property_number(a, "frameCount"),
                       .repeat_count = tenon_gpb_property_value(b, "repeatCount"),
                       .speed = tenon_gpb_property_value(b, "speed")};
    return true;
}

// -- Info

// The settings of a material: samplers with their textures, and uniforms.
typedef struct gpb_settings {
    const tenon_gpb_properties *material;
    tn_text_list line;
    tenon_str texture;  // The first one, which the info shows for the material.
} gpb_settings;

static bool gpb_add_setting(gpb_settings *settings, tenon_str name, tenon_str path)
{
    return tn_text_list_add(&settings->line, "%s%s%s%s", tn_show(name, 64).text,
                            path.size ? " (" : "", tn_show(path, 64).text, path.size ? ")" : "");
}

static bool gpb_add_sampler(void *user, const tenon_gpb_properties *sampler)
{
    gpb_settings *settings = user;
    tenon_str path = tenon_gpb_property_value(sampler, "path");
    if (settings->texture.size == 0 && path.size) settings->texture = path;
    return gpb_add_setting(settings, sampler->id, path) || settings->texture.size == 0;
}

// All properties except those of the engine are uniforms of the shader. If a uniform is set several
// times, the first in the chain of materials is used.
static bool gpb_add_uniforms(void *user, const tenon_gpb_properties *block)
{
    gpb_settings *settings = user;
    for (const tenon_gpb_property *p = block->properties; p; p = p->next) {
        if (tn_text_is(p->name, "vertexShader") || tn_text_is(p->name, "fragmentShader") ||
            tn_text_is(p->name, "defines"))
            continue;
        tenon_str first = tenon_gpb_property_value(settings->material, p->name.data);
        bool is_overridden = first.data && first.data != p->value.data;
        if (!is_overridden && !gpb_add_setting(settings, p->name, (tenon_str){"", 0})) return false;
    }
    return true;
}

static void gpb_info_materials(tn_info_builder *builder, const tenon_gpb_properties *file)
{
    tenon_info *info = builder->info;
    gpb_directory materials;
    if (!gpb_directory_make(&materials, file, "material", builder->arena, NULL))
        builder->failed = true;
    for (uint32_t i = 0; i < info->material_count && !builder->failed; i++) {
        tenon_material_info *entry = &info->material_list[i];
        tn_shown name = tn_show(entry->name, 64);
        uint32_t found = tn_name_list_find(&materials.ids, entry->name);
        if (found == TENON_NONE) {
            tn_info_add(builder, "material", "'%s' is not in the .material file", name.text);
            continue;
        }
        const tenon_gpb_properties *material = materials.blocks[found];
        gpb_settings settings = {
            .material = material, .line = {.most = GPB_LIST_MOST}, .texture = {"", 0}};
        tenon_gpb_properties_each(material, "sampler", gpb_add_sampler, &settings);
        const tenon_gpb_properties *block = material;
        for (uint32_t k = 0; block && k < GPB_BLOCK_DEPTH && !settings.line.is_full; k++) {
            gpb_add_uniforms(&settings, block);
            block = block->base;
        }
        if (!settings.line.is_full)
            tenon_gpb_properties_each(material, "pass", gpb_add_uniforms, &settings);
        bool inherits = material->parent_id.size > 0;
        entry->texture = tn_info_copy(builder, settings.texture);
        tn_info_add(builder, "material", "'%s'%s%s%s sets %s", name.text, inherits ? ", a '" : "",
                    tn_show(material->parent_id, 64).text, inherits ? "'," : "",
                    settings.line.text[0] ? settings.line.text : "nothing");
    }
}

static void gpb_info_clips(tn_info_builder *builder, const tenon_gpb_properties *file)
{
    tenon_info *info = builder->info;
    double length = 0;  // Of the longest animation; the frames of a clip are a fraction of it.
    uint64_t count = 0;
    for (uint32_t i = 0; i < info->clip_count; i++)
        if (info->clips[i].seconds > length) length = info->clips[i].seconds;
    for (gpb_clip clip = {0}; gpb_next_clip(file, &clip);) count++;
    if (count == 0 || count > UINT32_MAX - info->clip_count) return;
    tenon_clip_info *clips = tn_info_alloc(builder, info->clip_count + count, sizeof *clips);
    if (!clips) return;
    if (info->clip_count) memcpy(clips, info->clips, info->clip_count * sizeof *clips);
    info->clips = clips;
    for (gpb_clip clip = {0}; gpb_next_clip(file, &clip);) {
        double frames = clip.end - clip.begin;
        bool is_known = clip.frame_count > 0 && frames >= 0;
        clips[info->clip_count++] = (tenon_clip_info){
            .name = tn_info_copy(builder, clip.block->id),
            .seconds = is_known ? frames / clip.frame_count * length : -1,
            .channels = TENON_ABSENT,
            .frames = frames >= 0 && frames < 1e15 ? (uint64_t)frames : TENON_ABSENT};
        tn_info_add(builder, "clip range", "'%s': frames %s to %s of %s%s%s%s%s",
                    tn_show(clip.block->id, 64).text, tn_show_f32((float)clip.begin).text,
                    tn_show_f32((float)clip.end).text, tn_show_f32((float)clip.frame_count).text,
                    clip.repeat_count.data ? ", repeated " : "",
                    tn_show(clip.repeat_count, 64).text, clip.speed.data ? ", speed " : "",
                    tn_show(clip.speed, 64).text);
    }
}

bool gpb_info_sidecars(tn_info_builder *builder, const void *any, const char *model_path,
                       const struct tenon_files *files, tenon_error *err)
{
    static const struct {
        const char *extension;
        void (*add_facts)(tn_info_builder *builder, const tenon_gpb_properties *file);
    } sidecars[] = {{"material", gpb_info_materials}, {"animation", gpb_info_clips}};
    (void)any;
    tenon_read_opts opts = {.allocator = builder->arena->allocator, .files = files};
    for (uint32_t i = 0; i < 2; i++) {
        tenon_error why;
        tenon_gpb_properties *file =
            tenon_gpb_properties_beside(model_path, sidecars[i].extension, &opts, &why);
        if (!file && tn_is_outage(&why)) {
            if (err) *err = why;
            return false;
        }
        if (file)
            sidecars[i].add_facts(builder, file);
        else if (why.code != TENON_OK)
            tn_info_add(builder, sidecars[i].extension, "the file next to the bundle: %s",
                        why.message);
        tenon_gpb_properties_free(file);
    }
    return !builder->failed || tn_error(err, TENON_ERR_MEMORY, "out of memory");
}

// -- Reading property files
//
// A statement ends at the end of its line or at a brace. With an equals sign it is a property.
// Otherwise it opens a block if a brace follows, possibly on a later line; if not, it is also a
// property.

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

static void gpb_fail(gpb_reader *reader, uint32_t line, const char *what)
{
    if (reader->failed) return;
    reader->failed = true;
    tn_error(reader->err, TENON_ERR_VALUE, "%s", what);
    reader->err->line = line;
    reader->err->column = 1;
}

static void *gpb_reader_alloc(gpb_reader *reader, uint64_t count, size_t size)
{
    void *memory = reader->failed ? NULL
                                  : tn_arena_alloc_or_fail(reader->arena, count, size,
                                                           "a property file", reader->err);
    if (!memory) reader->failed = true;
    return memory;
}

static bool gpb_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool gpb_is_comment(const gpb_reader *reader)
{
    return reader->size - reader->pos >= 2 && reader->text[reader->pos] == '/' &&
           reader->text[reader->pos + 1] == '/';
}

// Skip blanks, line ends and comments.
static void gpb_skip(gpb_reader *reader)
{
    while (reader->pos < reader->size) {
        char c = reader->text[reader->pos];
        if (gpb_is_comment(reader)) {
            while (reader->pos < reader->size && reader->text[reader->pos] != '\n') reader->pos++;
            continue;
        }
        if (c != '\n' && c != '\0' && !gpb_is_blank(c)) return;
        reader->line += c == '\n';
        reader->pos++;
    }
}

static tenon_str gpb_trim(const char *text, size_t size)
{
    while (size && gpb_is_blank(text[0])) text++, size--;
    while (size && gpb_is_blank(text[size - 1])) size--;
    return (tenon_str){text, (uint32_t)size};
}

static tenon_str gpb_copy_text(gpb_reader *reader, tenon_str text)
{
    const tenon_str none = {"", 0};
    tenon_str copy = none;
    if (!reader->failed)
        copy = tn_text_join(reader->arena, text, none, "a property file", reader->err);
    reader->failed = reader->failed || !copy.data;
    return copy.data ? copy : none;
}

// An open block.
typedef struct gpb_level {
    tenon_gpb_properties *block;
    tenon_gpb_property **property_end;
    tenon_gpb_properties **child_end;
} gpb_level;

// Blocks start with "type id : parent". Properties are "name = value" or "name value".
static void gpb_read_blocks(gpb_reader *reader, tenon_gpb_properties *file)
{
    gpb_level levels[GPB_BLOCK_DEPTH] = {{file, &file->properties, &file->children}};
    uint32_t depth = 0;
    for (gpb_skip(reader); reader->pos < reader->size && !reader->failed; gpb_skip(reader)) {
        gpb_level *level = &levels[depth];
        if (reader->text[reader->pos] == '}') {
            reader->pos++;
            if (depth-- == 0) gpb_fail(reader, reader->line, "'}' without a '{'");
            continue;
        }
        uint32_t line = reader->line;
        // One statement, up to a brace or the end of the line. After an equals sign, '{' is text.
        size_t start = reader->pos;
        bool has_equals = false;
        for (; reader->pos < reader->size; reader->pos++) {
            char c = reader->text[reader->pos];
            bool after_blank = reader->pos > start && gpb_is_blank(reader->text[reader->pos - 1]);
            if (c == '\n' || c == '}' || (c == '{' && !has_equals)) break;
            if (after_blank && gpb_is_comment(reader)) break;
            has_equals = has_equals || c == '=';
        }
        tenon_str text = {reader->text + start, (uint32_t)(reader->pos - start)};
        gpb_skip(reader);
        bool opens = !has_equals && reader->pos < reader->size && reader->text[reader->pos] == '{';
        const char *mark = memchr(text.data, opens ? ':' : '=', text.size);
        size_t size = mark ? (size_t)(mark - text.data) : text.size, word_size = 0;
        tenon_str head = gpb_trim(text.data, size), tail = {"", 0};
        if (mark) tail = gpb_trim(mark + 1, text.size - size - 1);
        while (word_size < head.size && !gpb_is_blank(head.data[word_size])) word_size++;
        tenon_str word = {head.data, (uint32_t)word_size};
        tenon_str rest = gpb_trim(head.data + word_size, head.size - word_size);
        if (!opens) {
            tenon_gpb_property *property = gpb_reader_alloc(reader, 1, sizeof *property);
            if (!property) return;
            property->name = gpb_copy_text(reader, mark ? head : word);
            property->value = gpb_copy_text(reader, mark ? tail : rest);
            property->line = line;
            *level->property_end = property;
            level->property_end = &property->next;
            continue;
        }
        reader->pos++;
        tenon_gpb_properties *block = gpb_reader_alloc(reader, 1, sizeof *block);
        if (depth + 1 == GPB_BLOCK_DEPTH) gpb_fail(reader, line, "blocks are nested too deeply");
        if (reader->failed) return;
        block->type = gpb_copy_text(reader, word);
        block->id = gpb_copy_text(reader, rest);
        block->parent_id = gpb_copy_text(reader, tail);
        block->line = line;
        *level->child_end = block;
        level->child_end = &block->next;
        levels[++depth] = (gpb_level){block, &block->properties, &block->children};
    }
    if (depth && !reader->failed)
        gpb_fail(reader, levels[depth].block->line, "the block has no '}'");
}

bool gpb_directory_make(gpb_directory *directory, const tenon_gpb_properties *in, const char *type,
                        tn_arena *arena, tenon_error *err)
{
    uint32_t count = 0;
    for (const tenon_gpb_properties *b = in->children; b; b = b->next)
        count += !type || tn_text_is(b->type, type);
    const tenon_gpb_properties **blocks =
        tn_arena_alloc_or_fail(arena, count, sizeof *blocks, "blocks", err);
    directory->blocks = blocks;
    if (!blocks || !tn_name_list_begin(&directory->ids, count, arena, "blocks", err)) return false;
    for (const tenon_gpb_properties *b = in->children; b; b = b->next) {
        if (type && !tn_text_is(b->type, type)) continue;
        uint32_t number = tn_name_list_add(&directory->ids, b->id);
        if (!blocks[number]) blocks[number] = b;
    }
    return true;
}

// A block inherits from one of its siblings.
static void gpb_link_bases(gpb_reader *reader, const tenon_gpb_properties *parent)
{
    uint32_t heirs = 0;
    for (const tenon_gpb_properties *b = parent->children; b; b = b->next) {
        heirs += b->parent_id.size > 0;
        gpb_link_bases(reader, b);
    }
    gpb_directory directory;
    if (heirs == 0 || reader->failed) return;
    if (!gpb_directory_make(&directory, parent, NULL, reader->arena, reader->err))
        reader->failed = true;
    for (tenon_gpb_properties *b = parent->children; b && !reader->failed; b = b->next) {
        uint32_t base =
            b->parent_id.size ? tn_name_list_find(&directory.ids, b->parent_id) : TENON_NONE;
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
    uint64_t limit = opts->max_memory ? opts->max_memory : GPB_TEXT_MEMORY + GPB_TEXT_SHARE * size;
    struct tenon_gpb_properties_owner *owner =
        tn_owner_new(&opts->allocator, sizeof *owner, limit, err);
    if (!owner) return NULL;
    gpb_reader reader = {.text = text, .size = size, .line = 1, .arena = &owner->arena, .err = err};
    if (size >= UINT32_MAX) gpb_fail(&reader, 1, "the text is too long");
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) reader.pos = 3;  // A byte order mark.
    tenon_gpb_properties *file = gpb_reader_alloc(&reader, 1, sizeof *file);
    if (file) {
        *file = (tenon_gpb_properties){
            .type = {"", 0}, .id = {"", 0}, .parent_id = {"", 0}, .line = 1, .owner = owner};
        gpb_read_blocks(&reader, file);
        gpb_link_bases(&reader, file);
    }
    if (tn_budget_settle(opts->allocator.budget, !reader.failed, err)) return file;
    tn_owner_free(owner, sizeof *owner);
    return NULL;
}

void tenon_gpb_properties_free(tenon_gpb_properties *file)
{
    if (file) tn_owner_free(file->owner, sizeof *file->owner);
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

static bool gpb_has_block(gpb_block_search *search, const tenon_gpb_properties *in, tenon_str id)
{
    for (const tenon_gpb_properties *b = in->children; b; b = b->next) {
        if (search->steps++ >= GPB_BLOCK_STEPS) return false;
        if (tn_text_is(b->type, search->type) && tn_text_equal(b->id, id)) return true;
        if (gpb_has_block(search, b, id)) return true;
    }
    return false;
}

// Returns false if the callback returned false, or there are too many blocks.
static bool gpb_visit_blocks(gpb_block_search *search, uint32_t level,
                             const tenon_gpb_properties *in)
{
    for (const tenon_gpb_properties *b = in->children; b; b = b->next) {
        if (search->steps++ >= GPB_BLOCK_STEPS) return false;
        bool is_wanted = tn_text_is(b->type, search->type);
        for (uint32_t i = 0; is_wanted && i < level; i++)  // An heir may override it.
            is_wanted = !gpb_has_block(search, search->chain[i], b->id);
        if (is_wanted && !search->fn(search->user, b)) return false;
        if (!gpb_visit_blocks(search, level, b)) return false;
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
        if (!gpb_visit_blocks(&search, i, search.chain[i])) return;
}
