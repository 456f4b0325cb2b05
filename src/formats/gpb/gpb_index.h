// gpb_index.h: all nodes of a bundle in one array, objects found by their ids, and edits of the
// reference table that keep the indices of its objects valid.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_INDEX_H
#define TN_FORMATS_GPB_GPB_INDEX_H

#include "core/memory/arena.h"
#include "core/text/error.h"
#include "core/text/name_tree.h"
#include "document/findings.h"

#include <tenon/gpb.h>

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

// -- Animations

// An attribute that a channel moves.
typedef struct gpb_attribute {
    const char *name;   // Such as "rotate"; NULL if the attribute does not exist.
    uint32_t size;      // Floats in a key.
    uint32_t rotation;  // Where a quaternion starts in a key, or TENON_NONE.
} gpb_attribute;

gpb_attribute gpb_attribute_of(uint32_t target_attribute);

// The time of a key in milliseconds, of either type.
double gpb_key_time(const tenon_gpb_channel *channel, uint64_t key);

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

#endif  // TN_FORMATS_GPB_GPB_INDEX_H
