// modeldata_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_MODELDATA_MODELDATA_FORMAT_H
#define TN_FORMATS_MODELDATA_MODELDATA_FORMAT_H

#include "core/math/math.h"
#include "formats/formats.h"

#include <tenon/modeldata.h>
#include <tenon/scene.h>

// The fewest bytes that parts take in a file.
enum {
    MODELDATA_MODEL_MIN = 4,
    MODELDATA_MESH_MIN = 36,
    MODELDATA_JOINT_MIN = 136,
    MODELDATA_ANIMATION_MIN = 16,
};

// The arrays of a mesh: names of their fields, and the engine's layout of an element.
typedef struct modeldata_array {
    const char *name, *size_name, *leftover_name;
    const tenon_layout *layout;
} modeldata_array;
extern const modeldata_array modeldata_arrays[TENON_MODELDATA_ARRAY_COUNT];

// The maps of a material.
typedef struct modeldata_map {
    const char *name, *bytes_name;
    tenon_slot slot;  // In a scene; TENON_SLOT_COUNT if the engine does not draw it.
} modeldata_map;
extern const modeldata_map modeldata_maps[TENON_MODELDATA_MAP_COUNT];

// Layouts of keys: time, vec.
extern const tenon_layout modeldata_vector_keys, modeldata_rotation_keys;

// The lists of one kind in an animation.
typedef struct modeldata_lists {
    const char *name, *count_name, *key_counts_name;
    tenon_modeldata_keys **lists;
    uint32_t *count, **key_counts;
} modeldata_lists;

// Positions, rotations and scales, in the order of tenon_target.
enum { MODELDATA_LIST_KINDS = 3 };
void modeldata_describe_lists(const tenon_modeldata_animation *a,
                              modeldata_lists kinds[MODELDATA_LIST_KINDS]);

// -- Sizes of arrays

// Bytes for each 1 in the size of an array, by unit.
extern const uint8_t modeldata_unit_bytes[TENON_MODELDATA_SIZE_UNIT_COUNT]
                                         [TENON_MODELDATA_ARRAY_COUNT];

// The first unit in which arrays of these sizes fill `room` bytes and have the same number of
// vertices; TENON_MODELDATA_BYTES if there is none.
uint32_t modeldata_describe_find_unit(const uint32_t sizes[], uint64_t room);

// -- Description

void modeldata_describe(tn_io *io, void *doc);

// Bytes that a part takes when it is written, whatever its stored size. The sizes of the parts
// inside it must be correct. Returns 0 on failure, with `err` set.
typedef enum modeldata_part {
    MODELDATA_MODEL,
    MODELDATA_MESH,      // Number `index` of doc->meshes.
    MODELDATA_MATERIAL,  // Of mesh number `index`.
    MODELDATA_SKELETON,
    MODELDATA_ANIMATION,  // Number `index` of doc->animations.
} modeldata_part;

uint64_t modeldata_describe_measure(const tenon_modeldata *doc, modeldata_part part, uint32_t index,
                                    tenon_error *err);

// Whether the bytes are an AnimatedModelData, or the beginning of one.
bool modeldata_looks_animated(const uint8_t *data, uint64_t size);

// -- Names

// The number of UTF-16 units in `text`, which is how Java counts characters; TENON_ABSENT if it is
// not UTF-8.
uint64_t modeldata_describe_count_characters(tenon_str text);

// The size in bytes of the first `count` UTF-16 units of the `size` bytes at `p`. TENON_ABSENT if
// they are not UTF-8, if there are fewer, or if the last unit is half of a surrogate pair.
uint64_t modeldata_describe_bytes_of_characters(const uint8_t *p, uint64_t size, uint64_t count);

// -- Conventions that the format's document leaves open

// Set is_column_major and is_order_assumed from the position of translations in matrices.
void modeldata_detect_order(tenon_modeldata *doc);

// One of a joint's matrices, row by row.
void modeldata_to_rows(const tenon_modeldata *doc, const float stored[16], float rows[16]);

// The same with the last row 0 0 0 1.
tn_mat4 modeldata_affine(const tenon_modeldata *doc, const float stored[16]);

// Whether any matrix would differ if it were read in the other order.
bool modeldata_order_matters(const tenon_modeldata *doc);

// Whether rotations of three numbers are degrees: some value exceeds a full turn in radians.
bool modeldata_angles_are_degrees(const tenon_modeldata *doc);

// Convert a rotation of three numbers, about x, then y, then z, to a quaternion.
void modeldata_quaternion(const float angles[3], bool are_degrees, float quaternion[4]);

// How rotations of three numbers are read, for reports.
const char *modeldata_angles_text(bool are_degrees);

// Convert rotations of three numbers to quaternions, allocated from `arena`. Returns false, with
// `err` set, without memory.
bool modeldata_convert_angles(tenon_modeldata_animation *a, bool are_degrees, tn_arena *arena,
                              tenon_error *err);

// Bytes of all parts that do not belong to any field.
uint64_t modeldata_count_leftovers(const tenon_modeldata *doc);

// Decode the joint ids and weights of a vertex that has both. Returns how many there are.
enum { MODELDATA_INFLUENCES_MOST = 8 };  // As many as there are layouts (TN_LAYOUTS).
uint32_t modeldata_influences(const tenon_modeldata_mesh *m, uint64_t vertex,
                              uint32_t ids[MODELDATA_INFLUENCES_MOST],
                              float weights[MODELDATA_INFLUENCES_MOST]);

// -- Values of materials

// A value with a flag that selects the engine's default instead.
typedef struct modeldata_value {
    const char *name, *flag_name;
    uint8_t *flag;
    float *v;
    uint32_t count;
    float usual;        // The engine's default, for all of them.
    float placeholder;  // What the engine's writer stores where the flag selects the default.
} modeldata_value;

enum { MODELDATA_VALUE_COUNT = 6 };
void modeldata_values(const tenon_modeldata_material *m,
                      modeldata_value values[MODELDATA_VALUE_COUNT]);

// Whether the flag selects the default. The engine reads the flag as a signed byte; according to
// the format's document, all values above 0 are true.
bool modeldata_is_default(const tenon_modeldata *doc, const modeldata_value *value);

// Whether there are meshes; if not, `err` is set. A static model without meshes would be four zero
// bytes, which cannot be recognized.
bool modeldata_has_meshes(const tenon_modeldata *doc, tenon_error *err);

// -- Joints, sorted by their stored index

// Equal indices are in file order. The caller provides the memory for `items`:
// MODELDATA_ORDER_SHARE bytes for each joint.
typedef struct modeldata_order {
    const tenon_modeldata *doc;
    uint32_t *items;
    uint32_t count;
} modeldata_order;

#define MODELDATA_ORDER_SHARE (2 * sizeof(uint32_t))

modeldata_order modeldata_sort_joints(const tenon_modeldata *doc, uint32_t *memory);

// The first joint with this index, or TENON_NONE.
uint32_t modeldata_find_joint(const modeldata_order *by_index, int64_t index);

// -- The text of a collision shape

typedef enum modeldata_shape_kind {
    MODELDATA_SHAPE_CONVEX,
    MODELDATA_SHAPE_TRIANGLES,
    MODELDATA_SHAPE_COMPOUND,
    MODELDATA_SHAPE_SPHERE,
    MODELDATA_SHAPE_BOX,
    MODELDATA_SHAPE_CAPSULE,
    MODELDATA_SHAPE_CYLINDER,
    MODELDATA_SHAPE_CONE,
    MODELDATA_SHAPE_UNKNOWN,  // The engine does not create a shape.
} modeldata_shape_kind;

typedef struct modeldata_shape {
    modeldata_shape_kind kind;
    uint32_t child_count;  // Of a compound.
    const char *fault;     // Why the engine throws; NULL if it does not.
    const char *misread;   // What the engine reads differently from the text; NULL if nothing.
    bool is_flat;          // A size is 0, negative or not finite.
} modeldata_shape;

// Read `text` as the engine does.
modeldata_shape modeldata_parse_shape(tenon_str text);

// The word for a kind in the text, for example "triangleMesh".
const char *modeldata_shape_word(modeldata_shape_kind kind);

// -- Functions of the format

enum { MODELDATA_RULE_COUNT = 49 };
extern const tenon_rule modeldata_rules[MODELDATA_RULE_COUNT];

void modeldata_check(tn_check *check, const void *doc);
extern const struct tn_views modeldata_views;
void modeldata_import(struct tn_scene_builder *builder, const void *doc);
bool modeldata_export(const struct tn_export *export);
bool modeldata_finalize(void *doc, tn_arena *arena, tenon_error *err);
bool modeldata_recover(void *doc, const tn_change *change);
bool modeldata_change(void *doc, const tn_change *change);

bool modeldata_edit_merge(void *into, tenon_doc *other, const tenon_merge_opts *opts,
                          tenon_error *err);

#endif  // TN_FORMATS_MODELDATA_MODELDATA_FORMAT_H
