// modeldata_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_MODELDATA_MODELDATA_FORMAT_H
#define TN_FORMATS_MODELDATA_MODELDATA_FORMAT_H

#include "formats/formats.h"

#include <tenon/modeldata.h>

// The fewest bytes that parts take in a file.
enum {
    MODELDATA_MODEL_MIN = 4,
    MODELDATA_MESH_MIN = 36,
    MODELDATA_JOINT_MIN = 136,
    MODELDATA_ANIMATION_MIN = 16,
};

// What an array of a mesh, or a map of a material, is called.
extern const char *const modeldata_array_names[TENON_MODELDATA_ARRAY_COUNT];
extern const char *const modeldata_map_names[TENON_MODELDATA_MAP_COUNT];

// Of one item of each array.
extern const tenon_layout *const modeldata_array_layouts[TENON_MODELDATA_ARRAY_COUNT];

// time, vec.
extern const tenon_layout modeldata_vector_keys, modeldata_rotation_keys;
const tenon_layout *modeldata_rotation_layout(const tenon_modeldata_animation *a);

// -- Sizes of arrays

// The bytes that a size of that array counts by ones of a TENON_MODELDATA_BYTES or another unit.
uint32_t modeldata_unit_of(uint32_t unit, uint32_t array);

// The first unit in which arrays of these sizes fill `room` bytes and have one number of vertices;
// TENON_MODELDATA_BYTES if none does.
uint32_t modeldata_find_unit(const uint32_t sizes[], uint64_t room);

// -- Description

void modeldata_describe(tn_io *io, void *doc);

// Bytes of a part as it would be written, whatever its stored size; the sizes of the parts in it
// must be right. On failure 0, with `err` set.
typedef enum modeldata_part {
    MODELDATA_MODEL,
    MODELDATA_MESH,      // Number `index` of doc->meshes.
    MODELDATA_MATERIAL,  // Of mesh number `index`.
    MODELDATA_SKELETON,
    MODELDATA_ANIMATION,  // Number `index` of doc->animations.
} modeldata_part;

uint64_t modeldata_measure(const tenon_modeldata *doc, modeldata_part part, uint32_t index,
                           tenon_error *err);

// Whether the bytes are those of an AnimatedModelData. They may be the start of a file only.
bool modeldata_looks_animated(const uint8_t *data, uint64_t size);

// -- Names

// The characters of `text` as Java counts them, which are UTF-16 units; TENON_ABSENT if it is not
// UTF-8.
uint64_t modeldata_characters(tenon_str text);

// Bytes of the first `count` characters of the `size` bytes at `p`; TENON_ABSENT if they are not
// UTF-8 or fewer, or end inside a pair of surrogates.
uint64_t modeldata_bytes_of(const uint8_t *p, uint64_t size, uint64_t count);

// -- Other readings of the text

// Set is_column_major and is_order_assumed: the translations of matrices show it.
void modeldata_find_order(tenon_modeldata *doc);

// One of a joint's matrices, row by row.
void modeldata_rows(const tenon_modeldata *doc, const float stored[16], float rows[16]);

// Whether any matrix would be another one in the other order.
bool modeldata_order_matters(const tenon_modeldata *doc);

// Store matrices in this order. Says so where the old one was assumed.
void modeldata_turn(tenon_modeldata *doc, bool to_columns, const tn_change *change);

// Whether rotations of three numbers are degrees, since one of them exceeds a whole turn in
// radians.
bool modeldata_angles_are_degrees(const tenon_modeldata *doc);

// The quaternion of a rotation of three numbers: turned about x, then y, then z.
void modeldata_quaternion(const float angles[3], bool are_degrees, float quaternion[4]);

// What was assumed of rotations of three numbers, for reports.
const char *modeldata_angles_text(bool are_degrees);

// Rotations of three numbers become quaternions, in memory of `arena`; false, with `err` set,
// without memory.
bool modeldata_widen_rotations(tenon_modeldata_animation *a, bool are_degrees, tn_arena *arena,
                               tenon_error *err);

// Make everything as the engine has it: sizes in bytes, all values stored, four influences,
// tangents of three numbers, quaternions, rows, flags of 0 and 1.
bool modeldata_settle(tenon_modeldata *doc, const tn_change *change);

// The joint ids and weights of a vertex that has both; returns how many.
enum { MODELDATA_INFLUENCES_MOST = 8 };
uint32_t modeldata_influences(const tenon_modeldata_mesh *m, uint64_t vertex,
                              uint32_t ids[MODELDATA_INFLUENCES_MOST],
                              float weights[MODELDATA_INFLUENCES_MOST]);

// -- Values of materials

// A value that has a flag.
typedef struct modeldata_value {
    const char *name;  // Of the field; that of the flag has "default_" in front.
    uint8_t flag;
    const float *v;
    uint32_t count;
    float placeholder;  // What the engine's writer stores where the default is meant.
} modeldata_value;

enum { MODELDATA_VALUE_COUNT = 6 };
void modeldata_values(const tenon_modeldata_material *m, modeldata_value values[]);

// Whether the default is taken instead. The engine tests the flag as a signed byte; by the text of
// the format, all above 0 is true.
bool modeldata_is_default(const tenon_modeldata *doc, const modeldata_value *value);

// A static model without meshes is four zero bytes, which could be anything: an error.
bool modeldata_has_meshes(const tenon_modeldata *doc, tenon_error *err);

// -- Memory

// Say why an arena gave none; returns false.
bool modeldata_no_memory(tenon_error *err, tn_refusal why);

// -- What formats have

enum { MODELDATA_RULE_COUNT = 49 };
extern const tenon_rule modeldata_rules[MODELDATA_RULE_COUNT];

void modeldata_check(tn_check *check, const void *doc);
void modeldata_info(tn_info_builder *informer, const void *doc);
bool modeldata_finalize(void *doc, tn_arena *arena, tenon_error *err);
bool modeldata_recover(void *doc, const tn_change *change);

// Take what cannot be meant out of the arrays of a document whose structure is whole.
bool modeldata_remove_outliers(tenon_modeldata *doc, const tn_change *change);
bool modeldata_change(void *doc, const tn_change *change);

// Put the rest pose into the vertices of all skinned meshes. False, with the error set, without
// memory.
bool modeldata_bake_rest(tenon_modeldata *doc, const tn_change *change);

bool modeldata_merge(void *into, tenon_doc *other, const tenon_merge_opts *opts, tenon_error *err);

#endif  // TN_FORMATS_MODELDATA_MODELDATA_FORMAT_H
