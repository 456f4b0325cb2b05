// format.h: what a format is made of. One constant per format, listed in formats/formats.c.
// SPDX-License-Identifier: MIT

#ifndef TN_DOCUMENT_FORMAT_H
#define TN_DOCUMENT_FORMAT_H

#include "core/cursor/io.h"
#include "document/findings.h"

struct tn_scene_builder;  // src/scene/model/scene_build.h
struct tn_export;         // src/exchange/export.h

// A change of a document, as a format sees it.
typedef struct tn_change {
    const tenon_dialect *to;        // The dialect it is to have, which may be the one it has.
    const tenon_change_opts *opts;  // Never NULL.
    tn_arena *arena;                // The document's.
    tenon_error *err;               // Never NULL.
    bool is_cut;                    // Parts of the document are missing, so references
                                    // to them are not errors.
} tn_change;

// Report a loss of the change; does nothing if `count` is 0.
void tn_change_report(const tn_change *change, tenon_loss_kind kind, const char *feature,
                      uint64_t count, const char *why);

// `count` zeroed objects in memory of the document; NULL, with the error set, if there is no memory
// for `what`.
void *tn_change_alloc(const tn_change *change, uint64_t count, size_t size, const char *what);

// Receives from a format what is in a document.
typedef struct tn_info_builder {
    tenon_info *info;
    bool full;        // Also what requires visiting every vertex.
    tn_arena *arena;  // The info's.
    bool failed;      // Out of memory.
} tn_info_builder;

// `count` zeroed objects for the lists of the info; NULL, and the informer fails, if out of memory.
void *tn_info_alloc(tn_info_builder *informer, uint64_t count, size_t size);

// Texts separated by commas. Zeroed: it is empty.
typedef struct tn_text_list {
    char text[224];
    uint32_t most;  // Bytes; 0: 223.
    uint32_t size;
    bool is_full;  // It ends with "...".
} tn_text_list;

// Append a text, or "..." if there is no room for it. Returns whether the list is not full.
bool tn_text_list_add(tn_text_list *list, const char *fmt, ...) TN_PRINTF(2, 3);

// A copy of a text that will be freed, for these lists. Empty if out of memory.
tenon_str tn_info_copy(tn_info_builder *informer, tenon_str text);

// Add a fact. `label` must be constant.
void tn_info_add(tn_info_builder *informer, const char *label, const char *fmt, ...)
    TN_PRINTF(3, 4);

// Where a format reports the nodes of a document.
typedef struct tn_walk {
    tenon_tree_fn *fn;
    void *user;
    tn_arena *arena;  // For what the walk needs; freed after it.
    bool stopped;     // The callback asked to stop.
    bool failed;      // Out of memory.
} tn_walk;

// Report one node. False: stop.
bool tn_walk_report(tn_walk *walk, tenon_str name, uint32_t depth, const char *kind,
                    const char *what);

// Report `count` nodes of one list: `parents[i]` is the index of the parent of node i, or any
// number >= `count` if it is a root. A node that is its own ancestor is reported as a root.
typedef void tn_walk_item_fn(tn_walk *walk, const void *context, uint32_t index, uint32_t depth);
void tn_walk_flat(tn_walk *walk, const void *context, const uint32_t *parents, uint32_t count,
                  tn_walk_item_fn *report);

// Report a tree whose nodes, of `node_size` bytes each, hold their children. `report` reports one
// node and returns its children. Nodes nested deeper than readers allow are left out.
typedef struct tn_siblings {
    const void *nodes;
    uint32_t count;
} tn_siblings;
typedef tn_siblings tn_walk_node_fn(tn_walk *walk, const void *context, const void *node,
                                    uint32_t depth);
void tn_walk_nested(tn_walk *walk, const void *context, tn_siblings roots, size_t node_size,
                    tn_walk_node_fn *report);

typedef struct tn_format {
    tenon_format face;  // What users of the library see of it.
    size_t doc_size;    // Of the document, which starts with a tenon_doc; 0: it cannot be read.
    bool big_endian;

    // What every file starts with; NULL: `probe` says what tn_format_score() is to return.
    const char *magic;
    int (*probe)(const uint8_t *data, uint64_t size);
    // Whether the header leaves `dialect` possible; NULL: it says nothing.
    bool (*fits)(const uint8_t *data, uint64_t size, const tenon_dialect *dialect);
    // The whole file, in file order.
    void (*describe)(tn_io *io, void *doc);
    // How it shows its documents; NULL: it does not.
    const struct tn_views *views;
    // Apply the format's rules; NULL: those that tn_view_check() applies.
    void (*check)(tn_check *check, const void *doc);
    // Fill in what applies and does not follow from the views; NULL: nothing.
    void (*info)(tn_info_builder *informer, const void *doc);
    // Recompute derived fields; NULL: there are none.
    bool (*finalize)(void *doc, tn_arena *arena, tenon_error *err);
    // Change the document as requested; NULL: nothing can be changed.
    bool (*change)(void *doc, const tn_change *change);
    // Complete a document that was read from a damaged file: add what is missing and needed, remove
    // what is useless without it. NULL: it cannot be done.
    bool (*recover)(void *doc, const tn_change *change);
    // The dialect that a file with that extension should have, if it differs from that of `doc`.
    const tenon_dialect *(*dialect_by_extension)(const void *doc, const char *extension);
    // Add what is in `other`, of the same format; NULL: a file holds one model only.
    bool (*merge)(void *doc, tenon_doc *other, const tenon_merge_opts *opts, tenon_error *err);
    // Add what sidecars of the model contain; NULL: there are none.
    bool (*info_sidecars)(tn_info_builder *builder, const void *doc, const char *model_path,
                          const struct tenon_files *files, tenon_error *err);
    // Report all nodes to the walk; NULL: those that the views show, if any.
    void (*tree)(tn_walk *walk, const void *doc);
    // Import the document into a scene; NULL: it cannot be imported.
    void (*import)(struct tn_scene_builder *b, const void *doc);
    // Why clips never move meshes, see tenon_why_no_motion(); NULL: they do. Only in dialects with
    // all of one set of flags and none of the other.
    const char *still;
    uint32_t still_with, still_without;
    // Write a scene; NULL: this format cannot be written from one. Unless the format holds morph
    // targets, it gets scenes without them: meshes are as they are at rest.
    bool (*export)(const struct tn_export *e);
    bool holds_morphs;
    // The format of clips in sidecars of a model, and the name of the clip in such a file; NULL:
    // there are none.
    const struct tn_format *clip_format;
    tenon_str (*clip_name)(const char *model_path, const char *clip_path);
    // Say how `other`, a document of any format, belongs to this one. Returns false if it does not.
    bool (*relate)(const void *doc, const tenon_doc *other, char *text, size_t text_size);
    // Report the names of the sidecars of a model called `stem`, its file name without extension.
    bool (*sides)(const void *doc, tenon_str stem, tenon_sidecar_fn *fn, void *user);
} tn_format;

// How much the content looks like a format: 0 no, 100 certain.
int tn_format_score(const tn_format *format, const uint8_t *data, uint64_t size);

// Describe all of a file: the format's own fields, then bytes that follow them.
void tn_format_describe(tn_io *io, const tn_format *format, tenon_doc *doc);

// Rules that hold for every format.
extern const tenon_rule tn_common_rules[];
extern const uint32_t tn_common_rule_count;

// Names of the engines whose limits can be checked, NULL at the end.
extern const char *const tn_profiles[];

#endif  // TN_DOCUMENT_FORMAT_H
