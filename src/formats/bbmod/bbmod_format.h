// bbmod_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BBMOD_BBMOD_FORMAT_H
#define TN_FORMATS_BBMOD_BBMOD_FORMAT_H

#include "core/files/file.h"
#include "exchange/vertex_codec.h"
#include "formats/formats.h"

#include <tenon/bbmod.h>

// A span of `count` records with that layout; without bytes in a record it is empty.
static inline tenon_span bbmod_span(const uint8_t *bytes, uint64_t count,
                                    const tenon_layout *layout)
{
    if (!layout->stride) count = 0;
    return (tenon_span){
        .data = bytes, .size = count * layout->stride, .count = count, .layout = layout};
}

// -- Models

// Bone entries: index and dual quaternion, index and matrix, dual quaternion alone.
extern const tenon_layout bbmod_bone_layout, bbmod_matrix_bone_layout, bbmod_bare_bone_layout;

void bbmod_describe(tn_io *io, void *doc);

// The layout of vertices of `format` in a dialect with these flags. NULL, with `err` set, if there
// is no memory.
const tenon_layout *bbmod_vertex_layout(const tenon_bbmod_vertex_format *format, uint32_t flags,
                                        tn_arena *arena, tenon_error *err);

bool bbmod_info_sidecars(tn_info_builder *builder, const void *any, const char *model_path,
                         const struct tenon_files *files, tenon_error *err);
bool bbmod_finalize(void *doc, tn_arena *arena, tenon_error *err);
bool bbmod_recover(void *doc, const tn_change *change);

bool bbmod_change(void *doc, const tn_change *change);

typedef struct bbmod_version {
    uint8_t major, minor;
} bbmod_version;

// The version number in files of the dialect.
bbmod_version bbmod_version_of(const tenon_dialect *dialect);
const tenon_dialect *bbmod_newest_dialect(void);
bbmod_version bbanim_version_of(const tenon_dialect *dialect);

bool bbmod_sidecars(const void *doc, tenon_str stem, tenon_sidecar_fn *fn, void *user);

// Whether the bounding box of a mesh is all zero, as releases before 3.6.1 wrote it.
bool bbmod_box_is_unset(const tenon_bbmod_mesh *mesh);

// -- Vertices

#define BBMOD_BLOCK 256  // Vertices that are decoded at once.

// The element of that name, or NULL.
const tenon_element *bbmod_element(const tenon_span *vertices, const char *name);

// The streams of vertices; the caller sets which records.
tn_vertices bbmod_streams(const tenon_span *vertices);

// A primitive type. Its points, lines or triangles are its pieces.
typedef struct bbmod_primitive {
    const char *word;
    tenon_mode mode;  // In a scene, which has lists of triangles only.
    uint32_t size;    // Vertices of a piece.
    uint32_t step;    // Vertices from a piece to the next.
} bbmod_primitive;

// NULL if there is no such type.
const bbmod_primitive *bbmod_vertices_primitive(uint32_t type);

// The number of complete pieces of a mesh.
uint64_t bbmod_piece_count(const tenon_bbmod_mesh *mesh);

// The number of triangles of a mesh, and the vertices of one of them.
uint64_t bbmod_triangle_count(const tenon_bbmod_mesh *mesh);
void bbmod_triangle_corners(const tenon_bbmod_mesh *mesh, uint64_t triangle, uint64_t corners[3]);

// The bounding box of all positions. False if there are none, or all are NaN.
bool bbmod_bounds(const tenon_span *vertices, float low[3], float high[3]);

// -- Animations

// Keys: time and position, time and rotation.
extern const tenon_layout bbanim_position_layout, bbanim_rotation_layout;

void bbanim_describe(tn_io *io, void *doc);
bool bbanim_fit_relate(const void *doc, const tenon_doc *other, char *text, size_t text_size);
bool bbanim_finalize(void *doc, tn_arena *arena, tenon_error *err);
bool bbanim_recover(void *doc, const tn_change *change);
bool bbanim_change(void *doc, const tn_change *change);

// The layout of frames in these spaces. NULL, with `err` set, if there is no memory.
const tenon_layout *bbanim_layout_of_frames(uint8_t spaces, uint32_t node_count,
                                            uint32_t bone_count, tn_arena *arena, tenon_error *err);

bool bbanim_has(const tenon_bbanim *doc, uint32_t flag);

// The subset of `spaces` for which a dialect with these flags stores frames.
uint8_t bbanim_describe_stored_spaces(uint32_t flags, uint8_t spaces);

// Bytes of one frame.
uint64_t bbanim_frame_size(uint8_t spaces, uint32_t node_count, uint32_t bone_count);

// Whether `size` bytes are an event count followed by that many events, and nothing else.
bool bbanim_is_event_block(const uint8_t *bytes, uint64_t size);

// -- Materials

// As tenon_bbmat_find(). False, with the error of the search set, also if the system fails.
bool bbmod_sidecar_find_bbmat(const tn_search *search, tenon_str material);

// Read a material file. Returns NULL on failure, with the reason in `err`.
tenon_bbmat *bbmod_sidecar_load_bbmat(const tenon_read_opts *opts, const char *path,
                                      tenon_error *err);

// The object that the file of a material is.
const struct tn_json_value *bbmod_bbmat_root(const tenon_bbmat *material);

// The slot of the scene for each kind of texture in a material file.
typedef struct bbmod_slot_use {
    const char *name;
    tenon_slot slot;
    bool has_alpha;   // Its alpha channel is roughness or smoothness, which is ignored.
    bool is_encoded;  // RGBM, imported as plain colors.
} bbmod_slot_use;

enum { BBMOD_SMOOTH_NORMALS = 2, BBMOD_SLOT_USES = 6 };
extern const bbmod_slot_use bbmod_slot_uses[BBMOD_SLOT_USES];

// -- Rules

enum { BBMOD_RULE_COUNT = 34, BBANIM_RULE_COUNT = 23 };
extern const tenon_rule bbmod_rules[BBMOD_RULE_COUNT], bbanim_rules[BBANIM_RULE_COUNT];

void bbmod_check(tn_check *check, const void *doc);
void bbanim_check(tn_check *check, const void *doc);

// Check the material files, in bbmod_sidecar.c.
void bbmod_check_sidecars(tn_check *check, const tenon_bbmod *doc);

// Whether a dual quaternion is a rotation and a translation.
typedef enum bbmod_dual_state { BBMOD_DUAL_GOOD, BBMOD_DUAL_ZERO, BBMOD_DUAL_OFF } bbmod_dual_state;

// Numbers that are not finite count as good: another rule reports them.
bbmod_dual_state bbmod_dual_check(const float v[8]);

#endif  // TN_FORMATS_BBMOD_BBMOD_FORMAT_H
