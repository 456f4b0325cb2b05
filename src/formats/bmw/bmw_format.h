// bmw_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_BMW_FORMAT_H
#define TN_FORMATS_BMW_BMW_FORMAT_H

#include "formats/formats.h"

#include "core/files/file.h"
#include "core/math/math.h"

#include <tenon/bmw.h>

#define BMW_HEADER      "Beo-Model-Wolf Format Version 1"
#define BMW_HEADER_MOST (sizeof BMW_HEADER + 2)  // With CR, LF and NUL.

#define BMW_NAME_SIZE   512  // Of a sidecar or texture file, with its NUL.
#define BMW_VERTEX_SIZE 48

extern const tenon_layout bmw_matrix_layout, bmw_vertex_layout, bmw_weighted_layout;

// The header, with the line end and NUL of the dialect with these flags. Returns its size.
uint32_t bmw_describe_header(uint32_t flags, char out[BMW_HEADER_MOST]);

void bmw_describe(tn_io *io, void *doc);
void bmw_check(tn_check *check, const void *doc);
extern const struct tn_views bmw_views;
bool bmw_finalize(void *doc, tn_arena *arena, tenon_error *err);
bool bmw_change(void *doc, const tn_change *change);
bool bmw_recover(void *doc, const tn_change *change);
void bmw_import(struct tn_scene_builder *builder, const void *doc);

bool bmw_names_relate(const void *doc, const tenon_doc *other, char *text, size_t text_size);

// Whether 64 bytes are a row-major matrix with the last row 0 0 0 1. R2a's frames are counted so.
bool bmw_describe_ends_affine(const uint8_t *matrix);

uint64_t bmw_info_count_nodes(const tenon_bmw_node *node);

// Frames of the animation's first bone; 0 if it has none.
uint64_t bmw_info_frame_count(const tenon_bmw_animation *animation);

// The name of the sidecar of a model called `stem`, or of the one at `model_path`; false if it is
// too long.
bool bmw_sidecar_name(tenon_str stem, char *out, size_t out_size);
bool bmw_sidecar_name_of(const char *model_path, char *out, size_t out_size);

// -- Matrix order

// Whether columns are not at right angles, by more than rounding.
bool bmw_matrix_is_sheared(const tn_mat4 *m);

// The TN_LANES frames before `end`, column-major. False: there are fewer.
bool bmw_matrix_load_lanes(const tenon_span *frames, bool is_row_major, uint64_t end, float *out);

// Set is_row_major and is_order_assumed.
void bmw_matrix_find_order(tenon_bmw *doc);

// Transpose the matrices of a node and all its descendants. Returns how many changed.
uint64_t bmw_matrix_transpose_nodes(tenon_bmw_node *node);

// -- Sorted lists of nodes and names

// Names, or nodes without their names, and their order by node_id or by text. Equal ones keep the
// order of the file.
typedef struct bmw_sorted {
    const tenon_bmw_name *names;
    uint32_t count;
    uint32_t *order;  // Indices into `names`; NULL: out of memory.
    bool is_by_text;
} bmw_sorted;

// `room` is for 2 * `count` numbers; NULL: out of memory.
bmw_sorted bmw_names_sort(const tenon_bmw_name *names, uint32_t count, bool is_by_text,
                          uint32_t *room);
bmw_sorted bmw_names_nodes_by_id(const tenon_bmw *doc, tn_arena *arena);

// Whether the item at that place of the order, which is not the first, is equal to the one before.
bool bmw_names_is_repeated(const bmw_sorted *sorted, uint32_t place);

// The index in `names` of the first item equal to `key`; TENON_NONE if none is.
uint32_t bmw_names_find(const bmw_sorted *sorted, tenon_bmw_name key);

// -- Files

// Find a file that the model refers to, in the model's folder only. Names are relative to the
// engine's folder of all models, which is unknown, so they may start with the model's own folders.
tn_place bmw_names_find_file(const tn_search *search, tenon_str name);

#endif  // TN_FORMATS_BMW_BMW_FORMAT_H
