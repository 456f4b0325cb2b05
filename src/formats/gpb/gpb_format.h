// gpb_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_FORMAT_H
#define TN_FORMATS_GPB_GPB_FORMAT_H

#include "formats/formats.h"

#include <tenon/gpb.h>

#define GPB_MAGIC      "\xabGPB\xbb\r\n\x1a\n"
#define GPB_MAGIC_SIZE 9
#define GPB_MINOR_MOST 5  // The last version is 1.5.

// -- Where objects are

// A reference that points somewhere.
typedef struct gpb_place {
    uint32_t offset, type;
    uint32_t reference;  // Index into the table.
} gpb_place;

// What the reference table says about the file: the plan that reading follows.
typedef struct gpb_plan {
    uint32_t place_count;
    gpb_place *places;  // Every reference but those with offset 0, by offset, type and index.
    uint32_t count;
    gpb_place *starts;    // Those that are blocks, ascending, each offset once.
    uint32_t mesh_count;  // Of the starts.
    uint32_t inner;       // References to what usually stands inside of blocks: nodes and so on.
    uint32_t met;         // Those of them that were met where they point.
    uint32_t last_inner;  // The largest offset of such a reference; 0 if there is none.
    uint64_t steps;       // Of looking ahead for skins: never more than the file has bytes.
    uint32_t cut;         // Blocks that would start behind the end of the file,
    gpb_place first_cut;  // and the first of them.
} gpb_plan;

// Whether objects of that type always stand for themselves, in a dialect with these flags.
bool gpb_is_block(uint32_t flags, uint32_t type);

// Whether files of such a dialect have references of that type.
bool gpb_is_known_type(uint32_t flags, uint32_t type);

// Whether only the format's text has references of that type.
bool gpb_is_document_type(uint32_t type);

// Make the plan in the cursor's arena.
gpb_plan gpb_export_plan(tn_io *io, const tenon_gpb *doc);

// Fail if there are blocks behind the end of the file. A partial document has the others first.
void gpb_refuse_cut(tn_io *io, const tenon_gpb *doc, const gpb_plan *plan);

// Add blocks for references to nodes and so on that stand in no other object. `body` describes a
// block.
typedef void gpb_body_fn(tn_io *io, gpb_plan *plan, tenon_gpb_block *block);
void gpb_plan_loose(tn_io *io, gpb_plan *plan, gpb_body_fn *body);

// The reference to an object of that type at the cursor's place, or TENON_NONE.
uint32_t gpb_find_place(const gpb_plan *plan, uint32_t type, uint64_t offset);

// The nearest place behind `offset` that a reference points to; `end` if there is none before it.
uint64_t gpb_next_place(const gpb_plan *plan, uint64_t offset, uint64_t end);

// -- Descriptions

// Whether the cursor reads a file, so that one can look ahead.
bool gpb_reads_file(const tn_io *io);

// An object that a reference can point to starts here. `plan` counts in READ only.
void gpb_describe_place(tn_io *io, gpb_plan *plan, uint32_t type, uint32_t *reference);

// The same for what has references in dialect "document" only.
void gpb_describe_entry(tn_io *io, gpb_plan *plan, uint32_t type, uint32_t *entry);

void gpb_describe(tn_io *io, void *doc);
void gpb_describe_bounds(tn_io *io, tenon_gpb_bounds *bounds);
void gpb_describe_references(tn_io *io, tenon_gpb *doc);
void gpb_describe_mesh(tn_io *io, gpb_plan *plan, tenon_gpb_mesh *mesh);
void gpb_describe_part(tn_io *io, gpb_plan *plan, tenon_gpb_part *part);
void gpb_describe_channel(tn_io *io, gpb_plan *plan, tenon_gpb_channel *channel);
void gpb_describe_animation(tn_io *io, gpb_plan *plan, tenon_gpb_animation *animation);
void gpb_describe_animations(tn_io *io, gpb_plan *plan, tenon_gpb_animations *all);
void gpb_describe_font(tn_io *io, tenon_gpb_font *font);
void gpb_describe_material(tn_io *io, gpb_plan *plan, tenon_gpb_material *material);
void gpb_describe_effect(tn_io *io, tenon_gpb_effect *effect);
void gpb_describe_skin(tn_io *io, gpb_plan *plan, tenon_gpb_skin *skin);
void gpb_describe_model(tn_io *io, gpb_plan *plan, tenon_gpb_model *model);
void gpb_describe_camera(tn_io *io, gpb_plan *plan, tenon_gpb_camera *camera);
void gpb_describe_light(tn_io *io, gpb_plan *plan, tenon_gpb_light *light);
void gpb_describe_node(tn_io *io, gpb_plan *plan, tenon_gpb_node *node);
void gpb_describe_scene(tn_io *io, gpb_plan *plan, tenon_gpb_scene *scene);

// What a vertex element is called: "position", "texcoord0".
const char *gpb_usage_name(uint32_t usage);

// Bytes of a glyph before 1.5, and since; a matrix of sixteen floats.
extern const tenon_layout gpb_glyph_layout, gpb_glyph_layout_1_5, gpb_matrix_layout;

// -- The rest of the format

// The minor version of the files of a dialect.
uint8_t gpb_dialect_minor(const tenon_dialect *dialect);

// Whether the table of a file of version 1.1 leaves it open if it is written by the format's text.
bool gpb_may_be_document(const uint8_t *data, uint64_t size);

// Whether a node of a dialect with these flags has a model.
bool gpb_has_model(uint32_t flags, const tenon_gpb_model *model);

bool gpb_info_sidecars(tenon_doc *doc, const char *model_path, const struct tenon_files *files,
                       tenon_info *info, tenon_error *err);
void gpb_info(tn_info_builder *informer, const void *doc);
bool gpb_merge_doc(void *into, tenon_doc *other, const tenon_merge_opts *opts, tenon_error *err);
void gpb_report_tree(tn_walk *walk, const void *doc);
bool gpb_sidecars(const void *doc, tenon_str stem, tenon_side_fn *fn, void *user);

// Triangles that the engine draws of a mesh.
uint64_t gpb_triangle_count(const tenon_gpb_mesh *mesh);

bool gpb_finalize(void *doc, tn_arena *arena, tenon_error *err);
bool gpb_recover(void *doc, const tn_change *change);

// Take what cannot be meant out of the meshes of a bundle whose structure is whole.
bool gpb_remove_outliers(tenon_gpb *doc, const tn_change *change);

// Whether something is left of a font with a fault in it, which gpb_recover() can make whole.
bool gpb_font_is_of_use(const tenon_gpb_font *font);

bool gpb_change(void *doc, const tn_change *change);

// Whether the change brings a flag, or takes it away.
bool gpb_gains(uint32_t from, const tn_change *change, uint32_t flag);
bool gpb_loses(uint32_t from, const tn_change *change, uint32_t flag);

// Whether the texture of a font that does not say looks like a distance field.
bool gpb_looks_like_distance_field(const tenon_gpb_font_size *size);

// Mark references that lead to no object as never written.
bool gpb_refresh_references(tenon_gpb *doc, tn_arena *arena, tenon_error *err);

// Give every node the id of its parent as parent_id.
bool gpb_refresh_parents(tenon_gpb *doc, tn_arena *arena, tenon_error *err);

// Make a font, with its glyphs and sizes, fit the dialect of the change.
bool gpb_change_font(tenon_gpb_font *font, uint32_t from, const tn_change *change);

// Make the materials and skins of all models fit the dialect of the change.
bool gpb_change_models(tenon_gpb *doc, uint32_t from, const tn_change *change);

// -- Files that look like bundles

// Why a file that starts like a bundle is none, or NULL if it is one or nothing like one.
const char *gpb_foreign(const uint8_t *data, uint64_t size);

#endif  // TN_FORMATS_GPB_GPB_FORMAT_H
