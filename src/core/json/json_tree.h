// json_tree.h: a JSON text as a tree, to look things up in, to change, and to write again.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_JSON_JSON_TREE_H
#define TN_CORE_JSON_JSON_TREE_H

#include "core/json/json_write.h"
#include "core/memory/arena.h"
#include "core/text/error.h"

// -- Use
//
//     tn_json_tree tree;
//     if (!tn_json_tree_parse(&tree, text, size, &arena, err)) return false;
//     const tn_json_value *clips = tn_json_tree_get(tree.root, "clips");
//     for (uint32_t i = 0; i < tn_json_tree_count(clips); i++) {
//         const tn_json_value *clip = tn_json_tree_at(clips, i);
//         double start = tn_json_tree_f64(tn_json_tree_get(clip, "start"), 0.0);
//         if (start < 0) return tn_json_tree_fail(&tree, clip, err, "'start' is negative");
//     }
//
// A missing value is NULL, and every lookup accepts NULL: a chain of lookups ends with the fallback
// if any part is missing or of the wrong kind. Callers that report a wrong kind ask for the kind.
//
// Strict like the tokenizer; in addition, no object may have the same key twice. A node takes one
// cache line (64 bytes), and 8 bytes in its parent; text stays where it is, except strings with
// escapes: 3 to 8 times the text for real files, 36 times for one of zeros. Time is linear, but for
// the keys of an object, which are sorted. Nothing recurses.

typedef enum tn_json_tree_kind {
    TN_TREE_NOTHING,  // NULL.
    TN_TREE_NULL,
    TN_TREE_BOOL,
    TN_TREE_NUMBER,
    TN_TREE_STRING,
    TN_TREE_ARRAY,
    TN_TREE_OBJECT,
} tn_json_tree_kind;

#define TN_TREE_NOWHERE UINT32_MAX

// A value and, in an object, its key. To be looked at; changed only by the functions below.
typedef struct tn_json_value {
    struct tn_json_value *parent;  // NULL: the root, or not in its place yet.
    const char *key;  // Escapes resolved, not terminated. NULL: not a member of an object.
    union {
        struct tn_json_value **items;  // ARRAY, OBJECT: `size` of them, in order.
        const char *text;  // Others: a string with escapes resolved; else as in the text.
        struct tn_json_value *newest;  // Private: ARRAY, OBJECT, while their end has not been read.
    };
    struct tn_json_value *below;  // Private: the item before, while they are being read.
    uint32_t size;                // Bytes of `text`, which is not terminated, or number of items.
    uint32_t key_size;
    uint32_t index;   // Among the items of the parent.
    uint32_t offset;  // Of the value's first byte in the text; TN_TREE_NOWHERE: new.
    uint32_t end;     // One past the value's last byte.
    uint32_t place;   // Of the first byte of key or item; TN_TREE_NOWHERE: new.
    uint32_t room;    // Private: items for which there is memory.
    uint8_t kind;     // A tn_json_tree_kind.
    bool is_true;     // BOOL.
    bool is_changed;  // The value is new, or something in it is.
} tn_json_value;

// A tree that has no text starts as `{.arena = &arena}` and is given a root.
typedef struct tn_json_tree {
    tn_json_value *root;
    const char *text;  // NULL: there is none.
    size_t size;
    tn_arena *arena;  // Of the nodes.
    bool failed;      // A change could not be made; see below.
} tn_json_tree;

// Make a tree of a JSON text, which the tree borrows and which must outlive it.
//
// On failure returns false, with root NULL, nothing left in `arena`, and in `err` (may be NULL)
// place and path ("clips[3].start") and one of TENON_ERR_VALUE: not JSON, or a key that occurs
// twice, the note saying where first; TENON_ERR_LIMIT: deeper than TN_JSON_MAX_DEPTH, 4 GiB or
// more, or more nodes than the arena allows; TENON_ERR_MEMORY.
bool tn_json_tree_parse(tn_json_tree *tree, const char *text, size_t size, tn_arena *arena,
                        tenon_error *err);

// The same of a copy in `arena` of a text whose root must be an object. `what` is its name in
// errors: "the sidecar".
bool tn_json_tree_parse_object(tn_json_tree *tree, const void *text, size_t size, tn_arena *arena,
                               const char *what, tenon_error *err);

// -- Looking up
// `node` may be NULL and of any kind everywhere.

tn_json_tree_kind tn_json_tree_kind_of(const tn_json_value *node);

// The name of its kind in a message: "nothing", "a number", "an array".
const char *tn_json_tree_word(const tn_json_value *node);

// The member of that key, or NULL. Looks at one key after the other.
tn_json_value *tn_json_tree_get(const tn_json_value *object, const char *key);

// Item `index` of an array or object, in the order of the text, or NULL.
tn_json_value *tn_json_tree_at(const tn_json_value *node, uint32_t index);

// The value after this one in the order of the text, inside of `top`; NULL: it was the last.
tn_json_value *tn_json_tree_next(const tn_json_value *value, const tn_json_value *top,
                                 bool skips_items);

// Items of an array or object; 0 for others.
uint32_t tn_json_tree_count(const tn_json_value *node);

// The value, or `fallback` if there is none, or none that the type can hold. u32 and u64 take each
// spelling of a whole number, such as 12.0.
double tn_json_tree_f64(const tn_json_value *node, double fallback);
float tn_json_tree_f32(const tn_json_value *node, float fallback);
uint32_t tn_json_tree_u32(const tn_json_value *node, uint32_t fallback);
uint64_t tn_json_tree_u64(const tn_json_value *node, uint64_t fallback);
bool tn_json_tree_bool(const tn_json_value *node, bool fallback);

// All numbers of an array that must have exactly `count` of them. Returns false, with `out` as it
// was, for anything else.
bool tn_json_tree_f64s(const tn_json_value *node, double *out, uint32_t count);

// The text of a string, terminated, copied to `arena`; of anything else a copy of `fallback`, which
// may be NULL: then `data` is NULL. Also NULL if there is no memory.
tenon_str tn_json_tree_text(const tn_json_value *node, const char *fallback, tn_arena *arena);

// Whether it is a string, and this one. To look at its bytes: node->text, node->size.
bool tn_json_tree_is(const tn_json_value *node, const char *text);

// The way to a node, "clips[3].start"; "" for the root. A path that is too long loses its
// beginning. `out_size` is at least 8.
void tn_json_tree_path(const tn_json_value *node, char *out, size_t out_size);

// Fill in `err` (may be NULL): TENON_ERR_VALUE, with path, offset, line and column of the node.
// Returns false.
bool tn_json_tree_fail(const tn_json_tree *tree, const tn_json_value *node, tenon_error *err,
                       const char *fmt, ...) TN_PRINTF(4, 5);

// -- Changing
//
//     tn_json_value *scale = tn_json_tree_make_array(&tree);
//     for (int i = 0; i < 3; i++) tn_json_tree_append(&tree, scale, tn_json_tree_make_f64(&tree,
//     s[i])); tn_json_tree_set(&tree, node, "scale", scale); if (tree.failed) return tn_error(err,
//     TENON_ERR_MEMORY, "out of memory");
//
// A value is created, then placed once. Failure is sticky in `tree.failed`: out of memory (the
// functions that create values then return NULL, which all calls accept), or an invalid call (a
// value that has a place already, a member for an array, a node into itself). Nodes stay where they
// are in memory, whatever changes around them, but must not go from one tree to another.

tn_json_value *tn_json_tree_make_null(tn_json_tree *tree);
tn_json_value *tn_json_tree_make_bool(tn_json_tree *tree, bool v);
tn_json_value *tn_json_tree_make_u64(tn_json_tree *tree, uint64_t v);
tn_json_value *tn_json_tree_make_f32(tn_json_tree *tree,
                                     float v);  // The shortest text, and a string for
tn_json_value *tn_json_tree_make_f64(tn_json_tree *tree,
                                     double v);  // what is not finite: see number.h.
tn_json_value *tn_json_tree_make_string(tn_json_tree *tree, const char *text,
                                        size_t size);  // UTF-8; copied.
tn_json_value *tn_json_tree_make_array(tn_json_tree *tree);
tn_json_value *tn_json_tree_make_object(tn_json_tree *tree);

// Replace the value of the member with that key, at the same position, or append a member.
void tn_json_tree_set(tn_json_tree *tree, tn_json_value *object, const char *key,
                      tn_json_value *value);

// Append an item to an array.
void tn_json_tree_append(tn_json_tree *tree, tn_json_value *array, tn_json_value *value);

// Replace `old`, which is not the root, by `value`. `old` can then be placed elsewhere.
void tn_json_tree_replace(tn_json_tree *tree, tn_json_value *old, tn_json_value *value);

// Give a number another value.
void tn_json_tree_change_u64(tn_json_tree *tree, tn_json_value *number, uint64_t v);

// Keep only those items of an array or object for which `keep` is true, which it is asked for each.
typedef bool tn_json_tree_keep_fn(void *user, tn_json_value *item);
void tn_json_tree_keep(tn_json_value *node, tn_json_tree_keep_fn *keep, void *user);

// Remove a node from its array or object. Does nothing for NULL and for a node that is in neither.
void tn_json_tree_remove(tn_json_value *node);

// -- Writing

// Write the value with the writer, in the writer's layout: arrays of plain values on one line, all
// else one item a line. Keys keep their order, numbers their spelling.
void tn_json_tree_write(const tn_json_value *node, tn_json_writer *w);

// Write the text again, as it was where nothing changed: byte for byte if nothing did, otherwise
// with the spelling, spaces and line ends of all that was not touched. New values are laid out like
// those around them.
//
// `write` gets the bytes in pieces of any size, and `user` with each. Returns false if it refused,
// if `tree->failed`, or if the tree is deeper than TN_JSON_MAX_DEPTH or has no root.
bool tn_json_tree_rewrite(const tn_json_tree *tree, tn_json_write_fn *write, void *user);

#endif  // TN_CORE_JSON_JSON_TREE_H
