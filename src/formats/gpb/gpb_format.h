// gpb_format.h: declarations that the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_FORMAT_H
#define TN_FORMATS_GPB_GPB_FORMAT_H

#include "formats/formats.h"

#include <tenon/gpb.h>
#include <tenon/scene.h>

#define GPB_MAGIC      "\xabGPB\xbb\r\n\x1a\n"
#define GPB_MAGIC_SIZE 9
#define GPB_MINOR_MOST 5  // The last version is 1.5.

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

#endif  // TN_FORMATS_GPB_GPB_FORMAT_H
