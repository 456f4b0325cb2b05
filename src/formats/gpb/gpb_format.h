// gpb_format.h: declarations that the files of this format share: its objects, how to find them by
// their ids, edits of the reference table, property files and other bundles, and checks.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_FORMAT_H
#define TN_FORMATS_GPB_GPB_FORMAT_H

#include "core/cursor/span.h"
#include "core/text/name_tree.h"
#include "core/text/text.h"
#include "formats/formats.h"

#include <tenon/files.h>
#include <tenon/gpb.h>
#include <tenon/scene.h>

#define GPB_MAGIC      "\xabGPB\xbb\r\n\x1a\n"
#define GPB_MAGIC_SIZE 9
#define GPB_MINOR_MOST 5  // The last version is 1.5.

// -- What is in a bundle

// Whether the dialect of a document has a flag.
static inline bool gpb_has(const tenon_gpb *doc, uint32_t flag)
{
    return (doc->base.dialect->flags & flag) != 0;
}

// Whether an animation has the id that encoders give to the animation of a single node: the id of
// the node, or of its matrix ("a.matrix_a").
bool gpb_is_named_like(tenon_str id, tenon_str node);

// The animations of a container, or a single one; none if the block is another object.
tenon_gpb_animations gpb_animations_of(const tenon_gpb_block *block);

// -- Lights

#define GPB_FADED 100.0  // A light has faded where it has a hundredth of its brightness.

// Where constant + linear d + quadratic d² reaches GPB_FADED; not above 0 if it always has, and
// HUGE_VAL if it never does.
double gpb_faded_distance(const float attenuation[3]);

// -- Animations

// An attribute that a channel moves.
typedef struct gpb_attribute {
    const char *name;   // Such as "rotate"; NULL if the attribute does not exist.
    uint32_t size;      // Floats in a key.
    uint32_t rotation;  // Where a quaternion starts in a key, or TENON_NONE.
} gpb_attribute;

gpb_attribute gpb_attribute_of(uint32_t target_attribute);

// The time of a key in milliseconds, of either type. Inline: checks read all keys.
static inline double gpb_key_time(const tenon_gpb_channel *channel, uint64_t key)
{
    const uint8_t *p = channel->key_times.data + 4 * key;
    bool is_float = channel->key_times.layout->elements[0].type == TENON_TYPE_F32;
    return is_float ? (double)tn_load_f32(p, false) : (double)tn_load32(p, false);
}

// -- Nodes

// Whether objects of that type are visible, or show others: cameras, lights and models.
bool gpb_is_shown_type(uint32_t type);

// A node that is only a place for an object without one: for the camera, the light or the model
// that the block is. NULL: for nothing.
tenon_gpb_node gpb_node_for(const tenon_gpb_block *block);

// A node and its place in the tree. Parents come before their children, and siblings are neighbors.
typedef struct gpb_tree_node {
    tenon_gpb_node *node;
    uint32_t parent;  // Index into the tree; TENON_NONE for a root.
    uint32_t index;   // Position in the list of its parent or its scene.
    uint32_t block;   // Index into the blocks.
} gpb_tree_node;

typedef struct gpb_tree {
    uint32_t count, room;
    gpb_tree_node *nodes;
} gpb_tree;

// Append siblings: the children of a node of the tree, or the roots of a block. False, with `err`
// set, if there is no memory.
bool gpb_tree_add(gpb_tree *tree, tenon_gpb_node *nodes, uint32_t count, uint32_t parent,
                  uint32_t block, tn_arena *arena, tenon_error *err);

// Build it in `arena`; false, with `err` set, if there is no memory. Never recurses.
bool gpb_tree_make(gpb_tree *tree, const tenon_gpb *doc, tn_arena *arena, tenon_error *err);

// -- Ids

// Whether reference `a` comes before `b`, for tn_sort(): by offset and then type.
bool gpb_place_before(const void *doc, uint32_t a, uint32_t b);

typedef struct gpb_index {
    const tenon_gpb *doc;
    gpb_tree tree;
    uint32_t *by_id;     // Indices of references, sorted by id.
    uint32_t *node_of;   // For each reference: index into the tree, or TENON_NONE.
    uint32_t *block_of;  // For each reference: index into the blocks, or TENON_NONE.
    uint32_t *owner_of;  // For each reference: the one that owns its object, or TENON_NONE.
} gpb_index;

bool gpb_index_make(gpb_index *index, const tenon_gpb *doc, tn_arena *arena, tenon_error *err);

// The first reference with that id, or TENON_NONE. The engine finds the same one.
uint32_t gpb_find_id(const gpb_index *index, tenon_str id);

// The id in "#id"; size 0 if the text is not such a reference. Dialect "document" also has "id" and
// "file#id". The id of the latter is the whole text, which is the name of an object of another
// bundle here.
tenon_str gpb_xref_id(const tenon_gpb *doc, tenon_str xref);

// "#id"; empty, with `err` set, if there is no memory.
tenon_str gpb_make_xref(tenon_str id, tn_arena *arena, tenon_error *err);

// The file of "file#id"; size 0 if there is none.
tenon_str gpb_xref_file(const tenon_gpb *doc, tenon_str xref);

// Call `fn` for all entries of a document: indices of references plus 1, or 0.
typedef void gpb_entry_fn(void *user, uint32_t *entry);
void gpb_each_entry(const tenon_gpb *doc, const gpb_tree *tree, gpb_entry_fn *fn, void *user);

// Call `fn` for the names of other objects in scenes and models, until it returns false; `kind` is
// that of the object: a mesh, an effect or a node. Returns whether all were visited.
typedef bool gpb_xref_fn(void *user, tenon_str *xref, uint32_t kind);
bool gpb_each_xref(const tenon_gpb *doc, const gpb_tree *tree, gpb_xref_fn *fn, void *user);

// The node with that id: index into the tree, or TENON_NONE.
uint32_t gpb_find_node(const gpb_index *index, tenon_str id);

// The mesh that "#id" names: index into the blocks, or TENON_NONE; and the mesh itself, or NULL.
uint32_t gpb_find_mesh_block(const gpb_index *index, tenon_str xref);
const tenon_gpb_mesh *gpb_find_mesh(const gpb_index *index, tenon_str xref);

// The same for a block of any kind.
uint32_t gpb_find_block(const gpb_index *index, tenon_str xref, uint32_t kind);

// The id of a reference; empty if the index is out of range.
tenon_str gpb_id_of(const tenon_gpb *doc, uint32_t reference);

// The path of a field of a node: gpb_node_path(index, 3, "model.mesh"); "" is the node itself.
tn_path_text gpb_node_path(const gpb_index *index, uint32_t node_index, const char *inside);

// -- Edits of the reference table

// An id of the table.
typedef struct gpb_table_id {
    tn_named named;
    uint32_t users;  // References with this id.
    uint32_t next;   // The next number to append to make a unique id.
} gpb_table_id;

// A table that is being edited. Indices of references stay valid until gpb_table_end().
typedef struct gpb_table {
    tenon_gpb *doc;
    tn_arena *arena;
    tenon_error *err;
    bool is_sorted;  // The table is sorted, as encoders write it, and stays so.
    bool failed;     // `err` is set.
    uint32_t room;   // Allocated references.
    bool *dropped;   // For each reference.
    tn_name_tree names;
} gpb_table;

// At most `more` references will be added.
gpb_table gpb_table_begin(tenon_gpb *doc, tn_arena *arena, uint32_t more, tenon_error *err);

// Add a reference and return its index. If `id` is taken, a number is appended. TENON_NONE if there
// is no memory.
uint32_t gpb_table_add(gpb_table *table, tenon_str id, uint32_t type);

// Whether an id can be added: it is not empty and not taken.
bool gpb_table_can_add(const gpb_table *table, tenon_str id);

void gpb_table_drop(gpb_table *table, uint32_t reference);

// Sort the table if it was sorted, and give every object its new index. False if there is no
// memory.
bool gpb_table_end(gpb_table *table);

// Give every object its new index: `numbers` has it for each of `count` references, or TENON_NONE.
void gpb_table_renumber(tenon_gpb *doc, const gpb_tree *tree, const uint32_t *numbers,
                        uint32_t count);

// -- Where objects are

// A reference with an offset.
typedef struct gpb_place {
    uint32_t offset, type;
    uint32_t reference;  // Index into references.
} gpb_place;

// The objects of a file, as the reference table lists them. Reading follows this plan.
typedef struct gpb_plan {
    const tenon_gpb *doc;
    uint32_t at;  // The block that is being described.
    uint32_t place_count;
    gpb_place *places;  // All references with an offset, ordered by offset, type and index.
    uint32_t block_count;
    gpb_place *starts;     // The blocks, in ascending order, each offset once.
    uint32_t mesh_count;   // Among the blocks.
    uint32_t inner_count;  // References to objects that are usually parts of blocks, such as nodes.
    uint32_t found_count;  // Inner references whose object was found at their offset.
    uint32_t last_inner_offset;  // The largest offset of an inner reference; 0 if there are none.
    uint64_t search_steps;       // Steps of searching for skins: at most the size of the file.
    uint32_t truncated_count;    // Blocks whose offset is after the end of the file.
    gpb_place first_truncated;   // The first of them.
} gpb_plan;

// Whether objects of that type are always separate objects, in a dialect with these flags.
bool gpb_is_block_type(uint32_t flags, uint32_t type);

// Whether files of such a dialect have references of that type.
bool gpb_is_known_type(uint32_t flags, uint32_t type);

// Whether only dialect "document" has references of that type.
bool gpb_is_document_type(uint32_t type);

// The reference to an object of that type at that offset, or TENON_NONE.
uint32_t gpb_find_place(const gpb_plan *plan, uint32_t type, uint64_t offset);

// The smallest offset of a reference after `offset`; `end` if there is none before it.
uint64_t gpb_next_place(const gpb_plan *plan, uint64_t offset, uint64_t end);

// -- Descriptions

// Whether the cursor reads a file, so that looking ahead is possible.
bool gpb_reads_file(const tn_io *io);

void gpb_describe(tn_io *io, void *doc);

// The name of a kind of blocks; NULL if it does not exist.
const char *gpb_kind_name(uint32_t kind);

// The object that a block is.
void gpb_describe_body(tn_io *io, gpb_plan *plan, tenon_gpb_block *block);

// The name of a vertex element: "position", "texcoord0".
const char *gpb_usage_name(uint32_t usage);

// Layouts of a glyph before 1.5 and since 1.5, and of a matrix of sixteen floats.
extern const tenon_layout gpb_glyph_layout, gpb_glyph_layout_1_5, gpb_matrix_layout;

// -- Materials

// A sampler of the engine's shaders, in .material files.
typedef struct gpb_sampler {
    const char *id;
    tenon_slot slot;
    uint32_t uv_set;
} gpb_sampler;

enum { GPB_SAMPLER_COUNT = 4 };
extern const gpb_sampler gpb_samplers[GPB_SAMPLER_COUNT];

// Parameters that a scene cannot represent are extras of their material. Their name is this prefix
// and the name of the parameter, their value "TYPE:NUMBER/NUMBER". The shaders of an effect are
// also extras.
#define GPB_PARAMETER_PREFIX      "gpb.parameter."
#define GPB_EXTRA_VERTEX_SHADER   "gpb.effect.vertexShader"
#define GPB_EXTRA_FRAGMENT_SHADER "gpb.effect.fragmentShader"

// -- Property files beside a bundle

#define GPB_BLOCK_DEPTH 64  // Levels of nesting and of inheritance.

// The children of a block, found by id.
typedef struct gpb_directory {
    const tenon_gpb_properties **blocks;  // The first one with each id.
    tn_name_list ids;
} gpb_directory;

// Of one type; all if `type` is NULL. False, with `err` set, if there is no memory.
bool gpb_directory_make(gpb_directory *directory, const tenon_gpb_properties *in, const char *type,
                        tn_arena *arena, tenon_error *err);

// A clip of a .animation file.
typedef struct gpb_clip {
    const tenon_gpb_properties *animation,
        *block;                      // Where it is defined: the id of `block` is its name.
    double begin, end, frame_count;  // In frames; NaN if the file has no number.
    tenon_str repeat_count, speed;   // As in the file; data is NULL if it is not set.
} gpb_clip;

// Go to the next clip of a file; a zeroed one is before the first. False at the end.
bool gpb_next_clip(const tenon_gpb_properties *file, gpb_clip *clip);

// -- Other bundles that a bundle names as "file#id"

#define GPB_LINKS_MOST 64  // Other bundles that are read at most.

// Another bundle.
typedef struct gpb_link {
    tenon_str file;  // As in the xref.
    tenon_doc *doc;  // NULL if it cannot be read.
    char why[160];   // Why it cannot be read.
    gpb_index index;
    bool *is_wanted;  // For each root of its tree: the tree is in use. NULL if none is.
} gpb_link;

// The other bundles read so far. The caller sets the first four fields; the others start as zeros.
typedef struct gpb_links {
    const char *model_path;  // NULL if it is unknown; then nothing is found.
    const tenon_files *files;
    const tenon_allocator *allocator;
    tn_arena *arena;  // For the indices.
    uint32_t count;
    gpb_link items[GPB_LINKS_MOST];
} gpb_links;

// The bundle with that name, which must be in the folder of the model or below it. NULL, with `err`
// set, if memory or files fail; NULL with TENON_OK if there are too many bundles.
gpb_link *gpb_follow_link(gpb_links *links, tenon_str file, tenon_error *err);

// The block of that kind, or the node of the tree, that "file#id" names in a bundle; TENON_NONE if
// it does not exist.
uint32_t gpb_find_linked(const gpb_link *link, tenon_str xref, uint32_t kind);

void gpb_free_links(gpb_links *links);

// -- Checks

enum { GPB_RULE_COUNT = 69 };

extern const tenon_rule gpb_rules[GPB_RULE_COUNT];

// What the checks found out about the vertices of a mesh, computed when it is first needed.
typedef struct gpb_influences {
    bool is_known;
    bool has_both;              // Has weights and joint indices.
    uint64_t top_vertex;        // The vertex with the largest joint index.
    double top_index;           // That index; negative if there are none.
    uint64_t invalid_vertex;    // The first with a joint index that is not valid.
    uint64_t wrong_sum_vertex;  // The first vertex whose weights do not sum to 1.
    uint64_t wrong_sum_count;   // How many such vertices there are.
    double wrong_sum;           // The sum of the first.
} gpb_influences;

typedef struct gpb_checker {
    tn_check *check;
    const tenon_gpb *doc;
    gpb_index index;
    gpb_influences *influences;  // For each block.
    uint8_t *uses;               // For each block: how a mesh is used.
    gpb_links *links;            // NULL: do not search for other bundles.
} gpb_checker;

enum { GPB_USED = 1, GPB_USED_BY_SKIN = 2 };

// Report a finding at a field of a node; "" is the node itself.
void gpb_check_found(const gpb_checker *checker, uint32_t node_index, const char *rule,
                     const char *field, const char *fmt, ...) TN_PRINTF(5, 6);

// A number for a message.
tn_shown gpb_show_number(double v);

// Report an xref that names no object of the bundle, unless another bundle has that object.
void gpb_check_missing(const gpb_checker *checker, tn_path_text path, tenon_str xref,
                       uint32_t kind);

// Check the reference of a material to its effect.
void gpb_check_effect(const gpb_checker *checker, tn_path_text path, tenon_str xref);

void gpb_check_node(const gpb_checker *checker, uint32_t node_index);
void gpb_check_mesh(const gpb_checker *checker, uint32_t block);
void gpb_check_animation(const gpb_checker *checker, const tenon_gpb_animation *animation,
                         const char *path);
void gpb_check_font(const gpb_checker *checker, uint32_t block);

// -- Other functions of the format

// The minor version of the files of a dialect.
uint8_t gpb_dialect_minor(const tenon_dialect *dialect);

// Whether a file of version 1.1 may be of dialect "document", as far as its reference table shows.
bool gpb_may_be_document(const uint8_t *data, uint64_t size);

// Whether a node of a dialect with these flags has a model.
bool gpb_has_model(uint32_t flags, const tenon_gpb_model *model);

#define GPB_LIST_MOST 160  // Bytes of a list in a fact.

bool gpb_info_sidecars(tn_info_builder *builder, const void *any, const char *model_path,
                       const struct tenon_files *files, tenon_error *err);
void gpb_info(tn_info_builder *builder, const void *doc);
bool gpb_merge_doc(void *into, tenon_doc *other, const tenon_merge_opts *opts, tenon_error *err);
void gpb_report_tree(tn_walk *walk, const void *doc);
bool gpb_sidecars(const void *doc, tenon_str stem, tenon_sidecar_fn *fn, void *user);

bool gpb_recover(void *doc, const tn_change *change);

// Whether a damaged font has intact parts, so that gpb_recover() can restore it.
bool gpb_font_is_usable(const tenon_gpb_font *font);

bool gpb_change(void *doc, const tn_change *change);

// Whether the texture of a font without a format looks like a distance field.
bool gpb_looks_like_distance_field(const tenon_gpb_font_size *size);

// Mark references without an object as never written.
bool gpb_refresh_references(tenon_gpb *doc, tn_arena *arena, tenon_error *err);

// Set the parent_id of every node to the id of its parent.
bool gpb_refresh_parents(tenon_gpb *doc, tn_arena *arena, tenon_error *err);

// Why a file that starts like a bundle is not one; NULL if it is one, or not similar.
const char *gpb_foreign_reason(const uint8_t *data, uint64_t size);

void gpb_check(tn_check *check, const void *doc);
void gpb_import(struct tn_scene_builder *builder, const void *doc);
bool gpb_export(const struct tn_export *export);

#endif  // TN_FORMATS_GPB_GPB_FORMAT_H
