// gpb_format.c: the format's row in the table of formats, which dialects a header allows, files
// that start like a gameplay bundle but are not, and the fields that depend on others.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"

#include <inttypes.h>
#include <string.h>

enum {
    GPB_1_2 = TENON_GPB_PARENT_ID,
    GPB_1_3 = GPB_1_2 | TENON_GPB_FONT_FORMAT,
    GPB_1_4 = GPB_1_3 | TENON_GPB_FONT_SIZES,
    GPB_1_5 = GPB_1_4 | TENON_GPB_FONT_ADVANCE,
    BARE = TENON_GPB_BARE_ANIMATIONS,
    FLOAT_TIMES = TENON_GPB_FLOAT_TIMES,
    ROOT = TENON_GPB_SKIN_ROOT,
    ATTENUATION = TENON_GPB_LIGHT_ATTENUATION,
    DOCUMENT = GPB_1_2 | TENON_GPB_DOCUMENT,
    ZERO = TENON_GPB_FROM_ZERO,
    NOTHING = TENON_GPB_NOTHING,
    WHOLE = TENON_GPB_WHOLE,
    FLAGS = TENON_GPB_FLAGS,
    PLAIN = TENON_GPB_PLAIN_SKIN,
    NO_MODEL = TENON_GPB_NO_MODEL,
};

// Four features changed independently during 1.0, and builds with any combination of them were in
// use.
static const tenon_dialect gpb_dialects[] = {
    {"1.5", "glyphs have bearing and advance", GPB_1_5, false},
    {"1.5-unicode", "1.5 of a fork whose fonts have one more 32-bit value",
     GPB_1_5 | TENON_GPB_FONT_UNICODE, false},
    {"1.4", "fonts have several sizes", GPB_1_4, false},
    {"1.3", "fonts say whether they are distance fields", GPB_1_3, false},
    {"1.2", "nodes store the names of their parents", GPB_1_2, false},
    {"1.1", "the last layout of 1.0 under a new number", 0, false},
    {"1.0", "animations in one container, integer times, lights with a range", 0, false},
    {"1.0-attenuation", "1.0, but lights have attenuation", ATTENUATION, false},
    {"1.0-root", "1.0, but skins name their root", ROOT, false},
    {"1.0-root-attenuation", "1.0 with root and attenuation", ROOT | ATTENUATION, false},
    {"1.0-float", "1.0, but times are floats", FLOAT_TIMES, false},
    {"1.0-float-attenuation", "1.0 with float times and attenuation", FLOAT_TIMES | ATTENUATION,
     false},
    {"1.0-float-root", "1.0 with float times and root", FLOAT_TIMES | ROOT, false},
    {"1.0-float-root-attenuation", "1.0 with float times, root and attenuation",
     FLOAT_TIMES | ROOT | ATTENUATION, false},
    {"1.0-bare", "1.0, but each animation is an object", BARE, false},
    {"1.0-bare-attenuation", "1.0 with bare animations and attenuation", BARE | ATTENUATION, false},
    {"1.0-bare-root", "1.0 with bare animations and root", BARE | ROOT, false},
    {"1.0-bare-root-attenuation", "1.0 with bare animations, root and attenuation",
     BARE | ROOT | ATTENUATION, false},
    {"1.0-bare-float", "1.0 with bare animations and float times", BARE | FLOAT_TIMES, false},
    {"1.0-bare-float-attenuation", "1.0 with bare animations, float times and attenuation",
     BARE | FLOAT_TIMES | ATTENUATION, false},
    {"1.0-bare-float-root", "1.0 with bare animations, float times and root",
     BARE | FLOAT_TIMES | ROOT, false},
    {"1.0-bare-float-root-attenuation", "the first 1.0, of engine 1.0.0",
     BARE | FLOAT_TIMES | ROOT | ATTENUATION, false},
    {"document", "as the format's documentation says, with materials in the models", DOCUMENT,
     false},
    {"document-plain", "documentation: no byte before skins", DOCUMENT | PLAIN, false},
    {"document-nothing", "documentation: absent parts take no bytes", DOCUMENT | NOTHING, false},
    {"document-nothing-plain", "documentation: absent parts take no bytes, no byte before skins",
     DOCUMENT | NOTHING | PLAIN, false},
    {"document-modelless", "documentation: absent models take no bytes", DOCUMENT | NO_MODEL,
     false},
    {"document-modelless-plain", "documentation: absent models take no bytes, no byte before skins",
     DOCUMENT | NO_MODEL | PLAIN, false},
    {"document-whole", "documentation: absent models are stored in full", DOCUMENT | WHOLE, false},
    {"document-whole-plain",
     "documentation: absent models are stored in full, no byte before skins",
     DOCUMENT | WHOLE | PLAIN, false},
    {"document-flags", "documentation: a byte says if a part is present", DOCUMENT | FLAGS, false},
    {"document-zero", "documentation: types from 0", DOCUMENT | ZERO, false},
    {"document-zero-plain", "documentation: types from 0, no byte before skins",
     DOCUMENT | ZERO | PLAIN, false},
    {"document-zero-nothing", "documentation: types from 0, absent parts take no bytes",
     DOCUMENT | ZERO | NOTHING, false},
    {"document-zero-nothing-plain",
     "documentation: types from 0, absent parts take no bytes, no byte before skins",
     DOCUMENT | ZERO | NOTHING | PLAIN, false},
    {"document-zero-whole", "documentation: types from 0, absent models are stored in full",
     DOCUMENT | ZERO | WHOLE, false},
    {"document-zero-whole-plain",
     "documentation: types from 0, absent models are stored in full, no byte before skins",
     DOCUMENT | ZERO | WHOLE | PLAIN, false},
    {"document-zero-flags", "documentation: types from 0, a byte says if a part is present",
     DOCUMENT | ZERO | FLAGS, false},
};

// -- Files that look like bundles

#define GPB_FORK_MAGIC "\xabGPB\xbb\r\n\x1b\n"

// What becomes of the name and the two quotation marks around it if a program treats the file as
// text. The magic contains both kinds of line ends and the end-of-file mark of DOS, to reveal this.
static const char *const gpb_damaged_names[] = {
    "\xef\xbd\xabGPB\xef\xbd\xbb",  // Shift-JIS converted to UTF-8.
    "\xc2\xabGPB\xc2\xbb",          // Latin-1 converted to UTF-8.
    "\xef\xbf\xbdGPB\xef\xbf\xbd",  // UTF-8 with replacement characters.
    "+GPB;",                        // The eighth bit was removed.
    "?GPB?",
    "\xabGPB\xbb",  // Unchanged: then the line ends were changed.
};

const char *gpb_foreign_reason(const uint8_t *data, uint64_t size)
{
    uint64_t known = size < GPB_MAGIC_SIZE ? size : GPB_MAGIC_SIZE;
    if (memcmp(data, GPB_MAGIC, (size_t)known) == 0) return NULL;
    if (size >= GPB_MAGIC_SIZE && memcmp(data, GPB_FORK_MAGIC, GPB_MAGIC_SIZE) == 0)
        return "this is a GPBX bundle, from a private fork whose layout is not published";
    for (size_t i = 0; i < sizeof gpb_damaged_names / sizeof gpb_damaged_names[0]; i++) {
        size_t end = strlen(gpb_damaged_names[i]);
        if (end < size && memcmp(data, gpb_damaged_names[i], end) == 0 &&
            (data[end] == '\r' || data[end] == '\n'))
            return "a program changed line ends or characters as if the bundle were text, which "
                   "cannot be undone: get the original file";
    }
    return NULL;
}

static int gpb_probe(const uint8_t *data, uint64_t size)
{
    if (size < GPB_MAGIC_SIZE) return 0;
    return memcmp(data, GPB_MAGIC, GPB_MAGIC_SIZE) == 0 || gpb_foreign_reason(data, size) ? 100 : 0;
}

// -- What the header allows

// What the reference table alone shows.
typedef struct gpb_table_summary {
    bool is_whole;
    uint64_t end;
    uint32_t fonts;
    bool has_objects;       // There are references with an offset.
    uint32_t first_offset;  // The smallest of these offsets.
    bool has_nodes;   // Some references are to types that only scenes and dialect "document" have.
    uint32_t blocks;  // At least this many offsets are of separate objects.
    uint64_t places[64];  // A bit for each hash of an offset.
    bool has_container;   // Animations are in a container, which has its usual name.
} gpb_table_summary;

static gpb_table_summary gpb_summarize_table(const uint8_t *data, uint64_t size)
{
    static const char container[] = "__Animations__";
    gpb_table_summary summary = {.end = GPB_MAGIC_SIZE + 2 + 4};
    if (size < summary.end) return summary;
    uint32_t count = tn_load32(data + summary.end - 4, false);
    for (uint32_t i = 0; i < count; i++) {
        if (size - summary.end < 12) return summary;
        uint32_t id_size = tn_load32(data + summary.end, false);
        if (size - summary.end - 12 < id_size) return summary;
        const uint8_t *id = data + summary.end + 4;
        uint32_t type = tn_load32(id + id_size, false);
        uint32_t offset = tn_load32(id + id_size + 4, false);
        summary.end += 12 + (uint64_t)id_size;
        summary.fonts += type == TENON_GPB_FONT;
        if (type == TENON_GPB_ANIMATIONS && id_size == sizeof container - 1 &&
            memcmp(id, container, id_size) == 0)
            summary.has_container = true;
        if (!offset || !gpb_is_known_type(TENON_GPB_DOCUMENT, type)) continue;
        bool is_block = gpb_is_block_type(TENON_GPB_DOCUMENT, type);
        uint32_t slot = (offset * 2654435761u) >> 20;
        uint64_t bit = (uint64_t)1 << (slot & 63);
        if (is_block && !(summary.places[slot / 64] & bit)) summary.blocks++;
        if (is_block) summary.places[slot / 64] |= bit;
        if (!summary.has_objects || offset < summary.first_offset) summary.first_offset = offset;
        summary.has_objects = true;
        summary.has_nodes =
            summary.has_nodes || !is_block || type == TENON_GPB_SCENE || type == TENON_GPB_EFFECT;
    }
    summary.is_whole = true;
    return summary;
}

// Dialect "document" has one count of all objects, or none. The encoder stores a count of meshes
// and then one of other objects. If the numbers allow both, both are tried.
bool gpb_may_be_document(const uint8_t *data, uint64_t size)
{
    gpb_table_summary summary = gpb_summarize_table(data, size);
    if (!summary.is_whole || size - summary.end < 4) return false;
    if (summary.has_objects && summary.first_offset == summary.end) return summary.has_nodes;
    bool has_room = !summary.has_objects || summary.first_offset >= summary.end + 4;
    return has_room && tn_load32(data + summary.end, false) >= summary.blocks;
}

uint8_t gpb_dialect_minor(const tenon_dialect *dialect)
{
    if (dialect->flags & TENON_GPB_DOCUMENT) return 1;
    return (uint8_t)(dialect->name[2] - '0');
}

static bool gpb_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    bool is_known =
        size >= 11 && !gpb_foreign_reason(data, size) && data[9] == 1 && data[10] <= GPB_MINOR_MOST;
    if (!is_known) return dialect == &gpb_dialects[0];  // Its description reports what is wrong.
    if (data[10] != gpb_dialect_minor(dialect)) return false;
    if (dialect->flags & TENON_GPB_FONT_UNICODE) return gpb_summarize_table(data, size).fonts > 0;
    if (dialect->flags & BARE) return !gpb_summarize_table(data, size).has_container;
    return !(dialect->flags & TENON_GPB_DOCUMENT) || gpb_may_be_document(data, size);
}

bool gpb_has_model(uint32_t flags, const tenon_gpb_model *model)
{
    // The engine treats "", "#" and names without '#' as "no model", and reads nothing more.
    // Dialect "document" also has "file#id".
    bool starts_well = model->mesh.size > 0 && model->mesh.data[0] == '#';
    if (flags & TENON_GPB_DOCUMENT) return model->mesh.size > starts_well;
    return model->mesh.size > 1 && starts_well;
}

// -- Derived fields

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

static bool gpb_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_gpb *doc = any;
    gpb_tree tree;
    tn_mark mark = tn_arena_mark(arena);
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
        uint32_t parent = tree.nodes[i].parent;
        bool is_root = parent == TENON_NONE;
        tree.nodes[i].node->parent_id =
            gpb_id_of(doc, is_root ? TENON_NONE : tree.nodes[parent].node->reference);
    }
    tn_arena_rewind(arena, mark);
    return true;
}

// -- The format

const tn_format tn_gpb_format = {
    .face = {.name = "gpb",
             .title = "gameplay bundle",
             .engine = "gameplay3d",
             .extensions = {"gpb"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHANGE |
                     TENON_HAS_MAGIC | TENON_CAN_CHECK | TENON_TO_SCENE | TENON_FROM_SCENE,
             .dialects = gpb_dialects,
             .dialect_count = sizeof gpb_dialects / sizeof gpb_dialects[0],
             .rules = gpb_rules,
             .rule_count = GPB_RULE_COUNT},
    .doc_size = sizeof(tenon_gpb),
    .probe = gpb_probe,
    .fits = gpb_fits,
    .describe = gpb_describe,
    .check = gpb_check,
    .info = gpb_info,
    .finalize = gpb_finalize,
    .recover = gpb_recover,
    .change = gpb_change,
    .merge = gpb_merge_doc,
    .info_sidecars = gpb_info_sidecars,
    .tree = gpb_report_tree,
    .import = gpb_import,
    .export = gpb_export,
    .sides = gpb_sidecars,
};

tenon_str tenon_gpb_id(const tenon_gpb *doc, uint32_t reference)
{
    return gpb_id_of(doc, reference);
}

tenon_gpb *tenon_as_gpb(tenon_doc *doc)
{
    return doc && doc->format == &tn_gpb_format.face ? (tenon_gpb *)doc : NULL;
}
