// fuzz_formats.c: functions for documents of one format, and changes of a document: nodes and
// fonts of GPB, bones of BMW, shapes of ModelData, the text of glTF; numbers of a map as text.
// SPDX-License-Identifier: MIT
//
// With TENON_FUZZ_FORMAT=bmw in the environment every input is read as a BMW file.

#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/bplx.h>
#include <tenon/fbx.h>
#include <tenon/gltf.h>
#include <tenon/gpb.h>
#include <tenon/modeldata.h>
#include <tenon/obj.h>

#include "../tests/robust_properties.h"
#include "fuzz.h"

#define MEMORY_LIMIT ((uint64_t)16 << 20)
#define CELLS_MOST   64  // Of each part.
#define GLYPHS_MOST  5000

// -- The map, number by number

static void follow_numbers(tenon_type type, const uint8_t *bytes, bool big_endian, uint64_t count)
{
    char text[32];
    for (uint64_t i = 0; i < count && i < CELLS_MOST; i++) {
        size_t size = tenon_number_text(type, bytes, big_endian, i, text, sizeof text);
        require(size > 0 && size < sizeof text && text[size] == 0, "a number is a text", NULL);
    }
}

static bool is_number(tenon_type type)
{
    return (type >= TENON_TYPE_U8 && type <= TENON_TYPE_F64) || type == TENON_TYPE_I64 ||
           type == TENON_TYPE_U64;
}

static bool follow_cells(void *user, const tenon_part *part)
{
    tenon_cell cell;
    (void)user;
    require(tenon_type_word(part->type)[0] != 0, "a type has a word", NULL);
    if (is_number(part->type) && part->bytes)
        follow_numbers(part->type, part->bytes, part->big_endian, part->count);
    bool is_even = part->type == TENON_TYPE_RECORDS && part->layout && !part->layout->tail;
    for (uint64_t i = 0; is_even && i < part->count && i < CELLS_MOST; i++) {
        for (uint64_t k = 0; k < CELLS_MOST && tenon_part_cell(part, i, k, &cell); k++) {
            require(cell.offset >= part->offset &&
                        cell.size <= part->offset + part->size - cell.offset,
                    "a cell is in its part", NULL);
            require(memchr(cell.path, 0, sizeof cell.path) != NULL, "a path ends", NULL);
            follow_numbers(cell.type, cell.bytes, part->big_endian, cell.count);
        }
    }
    return true;
}

// -- GPB

static bool follow_node(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    (void)node;
    require(depth < 256, "a depth has its limit", NULL);
    return ++*(uint64_t *)user < 10000;
}

static void use_font(const tenon_gpb_font *font)
{
    tenon_error err;
    for (uint32_t i = 0; i < font->size_count; i++) {
        const tenon_gpb_font_size *size = &font->sizes[i];
        for (uint64_t k = 0; k < size->glyphs.count && k < GLYPHS_MOST; k++)
            (void)tenon_gpb_glyph_at(size, k);
        growing_bytes text = {0};
        bool ok = tenon_gpb_write_fnt(font, i, "a\"\n.png", append_bytes, &text, &err);
        require(ok || err.message[0], "metrics of a font", &err);
        free(text.data);
    }
}

static void use_gpb(const tenon_gpb *gpb)
{
    uint64_t count = 0;
    tenon_gpb_each_node(gpb, follow_node, &count);
    for (uint32_t i = 0; i < gpb->reference_count && i < 1000; i++)
        require(tenon_gpb_id(gpb, i).data != NULL, "an id", NULL);
    (void)tenon_gpb_id(gpb, TENON_NONE);
    for (uint32_t i = 0; i < gpb->block_count; i++)
        if (gpb->blocks[i].kind == TENON_GPB_FONT) use_font(&gpb->blocks[i].body.font);
}

// -- BMW

static void use_bmw(const tenon_bmw *bmw)
{
    tenon_error err;
    char name[64];
    for (uint32_t i = 0; i < bmw->animation_count && i < 16; i++) {
        const tenon_bmw_animation *a = &bmw->animations[i];
        uint32_t unmatched = 0, *ids = malloc((a->bone_count + 1) * sizeof *ids);
        bool ok = ids && tenon_bmw_match(bmw, bmw, a, ids, &unmatched, &err);
        require(!ok || unmatched <= a->bone_count, "bones are counted", NULL);
        free(ids);
    }
    for (uint32_t i = 0; i < bmw->material_count && i < 1000; i++)
        for (uint32_t k = 0; k < bmw->materials[i].texture_count && k < 1000; k++) {
            size_t size = tenon_bmw_texture_name(bmw->materials[i].textures[k], name, sizeof name);
            require(size < sizeof name && name[size] == 0, "a name of a texture ends", NULL);
        }
}

// -- Changes

// What was changed is written, and read in the same dialect.
static void read_back(const tenon_doc *doc, const char *what)
{
    growing_bytes g = {0};
    tenon_error err;
    if (tenon_write(doc, append_bytes, &g, &err) != TENON_ABSENT) {
        tenon_read_opts opts = {.format = doc->format->name, .dialect = doc->dialect->name};
        tenon_doc *again = tenon_read(g.data, g.size, &opts, &err);
        require(again || is_excused(&err), what, &err);
        tenon_doc_free(again);
    } else {
        require(err.message[0] != 0, "a reason", &err);
    }
    free(g.data);
}

static void change_shapes(tenon_doc *doc, tenon_modeldata *model, uint64_t *chance)
{
    static const char *const shapes[] = {
        "convex",  "triangleMesh", "sphere/1", "box/1/2/3",   "",
        "box/1/2", "capsulex/1/2", "nonsense", "sphere/1e39", "cylinder/1/2/3"};
    tenon_error err;
    uint32_t mesh = pick(chance, 2) ? TENON_NONE : (uint32_t)pick(chance, 4);
    const char *shape = shapes[pick(chance, sizeof shapes / sizeof shapes[0])];
    if (tenon_modeldata_set_shape(model, mesh, shape, &err)) read_back(doc, "another shape");
}

static void follow_loss(void *user, const tenon_loss *loss)
{
    (void)user;
    require(loss->feature[0] && loss->why[0] && loss->count > 0, "a loss says what and why", NULL);
    require(tenon_loss_word(loss->kind)[0] != 0, "a kind of loss has a word", NULL);
}

static void change(tenon_doc *doc, uint64_t *chance)
{
    static const char *const names[] = {"a.cea", "b.cem", "c.glb", "d.gltf", "e", "f.bmw"};
    tenon_error err;
    uint8_t *more = tenon_doc_alloc(doc, 1 + pick(chance, 1000));
    require(!more || more[0] == 0, "memory is zeroed", NULL);
    const char *name = names[pick(chance, sizeof names / sizeof names[0])];
    const tenon_dialect *dialect = tenon_dialect_by_extension(doc, name);
    require(!dialect || tenon_dialect_by_name(doc->format, dialect->name) == dialect,
            "a dialect has its name", NULL);
    (void)tenon_why_no_motion(doc->format, dialect);
    tenon_modeldata *model = tenon_as_modeldata(doc);
    if (model) change_shapes(doc, model, chance);
    if (tenon_finalize(doc, &err)) read_back(doc, "a document that was brought up to date");
    tenon_change_opts opts = {.rate = pick(chance, 2) ? 30 : 0,
                              .spaces = (uint32_t)pick(chance, 8),
                              .model = pick(chance, 2) ? doc : NULL,
                              .refresh = true,
                              .events.on_loss = follow_loss};
    if (tenon_change(doc, &opts, &err)) read_back(doc, "a document that was refreshed");
}

// -- One input

// A document has exactly one format.
static void use_as(tenon_doc *doc, uint64_t size)
{
    int count = tenon_as_bplx(doc) != NULL;
    count += tenon_as_obj(doc) != NULL;
    count += tenon_as_bbmod(doc) != NULL;
    count += tenon_as_bbanim(doc) != NULL;
    count += tenon_as_modeldata(doc) != NULL;
    count += tenon_as_gpb(doc) != NULL;
    count += tenon_as_bmw(doc) != NULL;
    count += tenon_as_gltf(doc) != NULL;
    count += tenon_fbx_unit(tenon_as_fbx(doc)) > 0;
    require(count == 1, "a document has one format", NULL);
    if (tenon_as_gpb(doc)) use_gpb(tenon_as_gpb(doc));
    if (tenon_as_bmw(doc)) use_bmw(tenon_as_bmw(doc));
    if (tenon_as_gltf(doc)) {
        uint64_t offset = 0;
        tenon_str json = tenon_gltf_json(tenon_as_gltf(doc), &offset);
        require(json.size == 0 || (offset <= size && json.size <= size - offset),
                "the text is in the file", NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t chance = hash_of(data, size), start = fuzz_work;
    tenon_error err;
    tenon_read_opts opts = {
        .max_memory = MEMORY_LIMIT, .format = fuzzed_format(), .partial = pick(&chance, 3) == 0};
    (void)tenon_map(data, size, &opts, follow_cells, NULL, NULL);
    require_little_work(start, size, "mapping");
    tenon_doc *doc = tenon_read(data, size, &opts, &err);
    require(doc || tenon_code_word(err.code)[0], "a code has a word", NULL);
    if (!doc) return 0;
    start = fuzz_work;
    use_as(doc, size);
    require_little_work(start, size, "looking into a document");
    if (!opts.partial) change(doc, &chance);
    tenon_doc_free(doc);
    return 0;
}
