// fbx_format.h: what the files of this folder share: the tree of an FBX file and its values.
// SPDX-License-Identifier: MIT
//
// Nodes are in contiguous arrays: `node->children[0 .. node->child_count)`. All functions accept a
// NULL node, which has no children and no values.

#ifndef TN_FORMATS_FBX_FBX_FORMAT_H
#define TN_FORMATS_FBX_FBX_FORMAT_H

#include "formats/formats.h"

#include <tenon/fbx.h>

enum { FBX_DEPTH_MAX = 32 };  // Levels of nodes. Programs write at most 8.

// -- The format

void fbx_describe(tn_io *io, void *doc);
// The bytes that the values of a node take in a binary file.
uint64_t fbx_describe_measure(const tenon_fbx_node *node);

bool fbx_describe_finalize(void *doc, tn_arena *arena, tenon_error *err);
int fbx_describe_probe(const uint8_t *data, uint64_t size);
bool fbx_describe_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect);
void fbx_check(tn_check *check, const void *doc);
void fbx_info(tn_info_builder *builder, const void *doc);
bool fbx_recover(void *doc, const tn_change *change);
// Text becomes binary; anything else is refused.
bool fbx_binary_change(void *doc, const tn_change *change);
void fbx_info_tree(tn_walk *walk, const void *doc);

enum { FBX_RULE_COUNT = 17 };
extern const tenon_rule fbx_rules[FBX_RULE_COUNT];

// The layout of the numbers of an array with that code; NULL if it is not the code of one.
const tenon_layout *fbx_array_layout(char code);

// That of a list of values with the code of a single one: the code and the number of each.
const tenon_layout *fbx_list_layout(char code);

// The bytes that programs derive from the time of creation, "YYYY-MM-DD HH:MM:SS:mmm": the code in
// the footer, unless that is NULL, and the id of the file.
enum { FBX_CODE_SIZE = 16 };
void fbx_file_code(const tenon_fbx *doc, uint8_t code[FBX_CODE_SIZE], uint8_t id[FBX_CODE_SIZE]);

// The footer of a binary file, as programs write it.
void fbx_set_footer(tenon_fbx *doc);

// The version of the content, 0 if nothing says it: for files before 6.0 it is not the one of the
// container.
uint32_t fbx_version(const tenon_fbx *doc);

// -- Finding

// The first child of that name; NULL if there is none.
const tenon_fbx_node *fbx_child(const tenon_fbx_node *node, const char *name);

// The same, number `index` of those of that name, from 0.
const tenon_fbx_node *fbx_child_at(const tenon_fbx_node *node, const char *name, uint32_t index);

bool fbx_is_named(const tenon_fbx_node *node, const char *name);

// -- Single values

// Value number `index` of a node, NULL if there is none.
const tenon_fbx_value *fbx_value(const tenon_fbx_node *node, uint32_t index);

// It as a text; empty if it is none.
tenon_str fbx_text(const tenon_fbx_node *node, uint32_t index);

// It as a number. `fallback` if there is none. Integers from numbers with a fraction are cut, and
// limited to the range.
int64_t fbx_int(const tenon_fbx_node *node, uint32_t index, int64_t fallback);
double fbx_number(const tenon_fbx_node *node, uint32_t index, double fallback);

// Whether it is that text, or that single letter without quotes.
bool fbx_text_is(const tenon_fbx_node *node, uint32_t index, const char *text);

// Split the name of an object: "Class::Name" in text files, Name NUL 0x01 Class in binary ones. A
// plain name has an empty class. `class_name` may be NULL.
tenon_str fbx_object_name(const tenon_fbx *doc, tenon_str text, tenon_str *class_name);

// -- Properties

// The list of an object's properties; NULL: it has none.
const tenon_fbx_node *fbx_properties(const tenon_fbx_node *object);

// The property of that name in a list; NULL: none.
const tenon_fbx_node *fbx_property(const tenon_fbx_node *list, const char *name);

// The number of its first value.
uint32_t fbx_property_start(const tenon_fbx_node *property);

// A finite number; `fallback` if the list has none of that name.
double fbx_property_number(const tenon_fbx_node *list, const char *name, double fallback);

// -- What all of the file has in common

// The object of settings, which is one of many before version 7; NULL: none.
const tenon_fbx_node *fbx_settings(const tenon_fbx *doc);

// Ticks in a second of its times.
double fbx_tick_rate(const tenon_fbx *doc);

// Whether a model is one of the cameras of the viewer, which files before version 7 have.
bool fbx_is_producer(tenon_str name, tenon_str type);

// Names of clips without what precedes their last '|', unless several would then be equal. False
// if out of memory, with the error set.
bool fbx_shorten_names(tenon_str *names, uint32_t count, tn_arena *arena, tenon_error *err);

// -- Arrays

// A number without its fraction, limited to the range; 0 for NaN.
int64_t fbx_to_i64(double v);

// Whether the node has numbers that the functions below decode.
bool fbx_has_numbers(const tenon_fbx_node *node);

// How many there are, without decoding them.
uint64_t fbx_number_count(const tenon_fbx_node *node);

// All numbers of a node, whether they are an array or single values: inflated, in the order of the
// host, decoded from text. Integers from numbers with a fraction are cut, and limited to the range;
// texts among them are skipped. A node without numbers gives an empty array, not NULL.
//
// On failure the result is NULL, *count is 0, and `err` says why, with path and offset. The code
// is TENON_ERR_VALUE or TENON_ERR_TRUNCATED for damaged data, else TENON_ERR_LIMIT or _MEMORY.
double *fbx_f64s(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena, uint64_t *count,
                 tenon_error *err);
float *fbx_f32s(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena, uint64_t *count,
                tenon_error *err);
int32_t *fbx_i32s(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena,
                  uint64_t *count, tenon_error *err);
int64_t *fbx_i64s(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena,
                  uint64_t *count, tenon_error *err);

// The bytes of a node such as Content: those of R, or of base64 text. `bytes` points into the file
// or into the arena. Returns false, with `bytes` empty, on failure.
bool fbx_bytes(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena, tenon_span *bytes,
               tenon_error *err);

// -- Places

// The path of a node in maps and messages, such as "nodes[8].children[2]". Nodes that were read are
// found by their offsets, others by a search of the document.
void fbx_path(const tenon_fbx *doc, const tenon_fbx_node *node, char *out, size_t out_size);

// -- Scenes, in import/fbx_import.c

void fbx_import(struct tn_scene_builder *builder, const void *doc);

// The rules about what other programs get wrong, in import/fbx_import_rules.c.
void fbx_import_check(tn_check *check, const void *doc);

#endif  // TN_FORMATS_FBX_FBX_FORMAT_H
