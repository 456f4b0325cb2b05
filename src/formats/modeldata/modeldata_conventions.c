// modeldata_conventions.c: what the format leaves open: matrix order, rotations of three numbers,
// defaults, the number of influences, the text of collision shapes.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/math/sort.h"
#include "core/text/text.h"

#include <math.h>
#include <string.h>

#define WHOLE_TURN  6.2832  // Radians, rounded up.
#define MATRIX_USED 15      // Numbers of a matrix that the engine uses: all but the last.

// -- The order of matrices

// Each matrix that shows its order is a vote for it.
void modeldata_detect_order(tenon_modeldata *doc)
{
    uint32_t flags = doc->base.dialect->flags;
    int64_t votes = 0;
    doc->is_column_major = (flags & TENON_MODELDATA_COLUMN_MAJOR) != 0;
    doc->is_order_assumed = false;
    if (flags & TENON_MODELDATA_ORDER_FORCED) return;
    for (uint32_t i = 0; i < doc->joint_count; i++) {
        votes += tn_stored_order(doc->joints[i].inverse_bind_matrix);
        votes += tn_stored_order(doc->joints[i].bind_local_pose);
    }
    doc->is_order_assumed = votes == 0;
    if (votes) doc->is_column_major = votes < 0;
}

void modeldata_to_rows(const tenon_modeldata *doc, const float stored[16], float rows[16])
{
    memcpy(rows, stored, 16 * sizeof *rows);
    if (doc->is_column_major) tn_stored_transpose(rows);
}

tn_mat4 modeldata_affine(const tenon_modeldata *doc, const float stored[16])
{
    float rows[16];
    modeldata_to_rows(doc, stored, rows);
    tn_mat4 m = tn_mat4_from_rows(rows);
    m.m[3] = m.m[7] = m.m[11] = 0;
    m.m[15] = 1;
    return m;
}

bool modeldata_order_matters(const tenon_modeldata *doc)
{
    for (uint32_t i = 0; i < doc->joint_count; i++) {
        const tenon_modeldata_joint *joint = &doc->joints[i];
        if (!tn_stored_is_symmetric(joint->inverse_bind_matrix) ||
            !tn_stored_is_symmetric(joint->bind_local_pose))
            return true;
    }
    return false;
}

// -- Rotations of three numbers

bool modeldata_angles_are_degrees(const tenon_modeldata *doc)
{
    for (uint32_t a = 0; a < doc->animation_count; a++) {
        const tenon_modeldata_animation *from = &doc->animations[a];
        for (uint32_t i = 0; i < from->rotation_list_count && from->rotation_size == 3; i++) {
            const tenon_span *keys = &from->rotations[i].keys;
            for (uint64_t k = 0; k < keys->count; k++) {
                float v[3];
                tn_span_vec3(keys, &keys->layout->elements[1], k, v);
                for (int n = 0; n < 3; n++)
                    if (fabs((double)v[n]) > WHOLE_TURN) return true;
            }
        }
    }
    return false;
}

void modeldata_quaternion(const float angles[3], bool are_degrees, float quaternion[4])
{
    tn_quat axes[3];
    for (int i = 0; i < 3; i++) {
        double half = (double)angles[i] * (are_degrees ? TN_PI / 360 : 0.5), sine = tn_sin(half);
        axes[i] = (tn_quat){i == 0 ? sine : 0, i == 1 ? sine : 0, i == 2 ? sine : 0, tn_cos(half)};
    }
    tn_quat first = tn_quat_mul(axes[1], axes[0]), q = tn_quat_mul(axes[2], first);
    const double numbers[4] = {q.x, q.y, q.z, q.w};
    for (int i = 0; i < 4; i++) quaternion[i] = tn_to_float(numbers[i]);
}

const char *modeldata_angles_text(bool are_degrees)
{
    return are_degrees ? "read as degrees about x, then y, then z, because some values exceed a "
                         "full turn in radians"
                       : "read as radians about x, then y, then z";
}

bool modeldata_convert_angles(tenon_modeldata_animation *a, bool are_degrees, tn_arena *arena,
                              tenon_error *err)
{
    if (a->rotation_size != 3) return true;
    for (uint32_t i = 0; i < a->rotation_list_count; i++) {
        tenon_span *keys = &a->rotations[i].keys;
        uint8_t *bytes = tn_arena_alloc_or_fail(arena, keys->count, 20, "rotations", err);
        if (!bytes) return false;
        for (uint64_t k = 0; k < keys->count; k++) {
            float from[4], to[5];
            tn_copy_numbers(from, tn_span_record(keys, k), 4, 4, keys->big_endian);
            to[0] = from[0];
            modeldata_quaternion(from + 1, are_degrees, to + 1);
            tn_copy_numbers(bytes + 20 * k, to, 5, 4, true);
        }
        *keys = (tenon_span){bytes, 20 * keys->count, keys->count, &modeldata_rotation_keys, true};
    }
    a->rotation_size = 4;
    return true;
}

// -- Stored indices of joints
//
// Sorting takes n log n steps for every file. A hash table could be attacked with equal hashes.

static bool modeldata_conventions_is_lower(const void *doc, uint32_t a, uint32_t b)
{
    const tenon_modeldata_joint *joints = ((const tenon_modeldata *)doc)->joints;
    return joints[a].index < joints[b].index;
}

modeldata_order modeldata_sort_joints(const tenon_modeldata *doc, uint32_t *memory)
{
    modeldata_order order = {doc, memory, doc->joint_count};
    tn_sort_all(order.items, order.count, modeldata_conventions_is_lower, doc);
    return order;
}

uint32_t modeldata_find_joint(const modeldata_order *by_index, int64_t index)
{
    uint32_t low = 0, high = by_index->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_index->doc->joints[by_index->items[middle]].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == by_index->count) return TENON_NONE;
    uint32_t joint = by_index->items[low];
    return by_index->doc->joints[joint].index == index ? joint : TENON_NONE;
}

// -- Values of materials

void modeldata_values(const tenon_modeldata_material *unchanged,
                      modeldata_value values[MODELDATA_VALUE_COUNT])
{
    tenon_modeldata_material *m = (tenon_modeldata_material *)unchanged;
    const modeldata_value all[MODELDATA_VALUE_COUNT] = {
        {"diffuse_color", "default_diffuse_color", &m->default_diffuse_color, m->diffuse_color, 3,
         1, 1},
        {"glow_color", "default_glow_color", &m->default_glow_color, m->glow_color, 3, 0, 1},
        {"displacement_factor", "default_displacement_factor", &m->default_displacement_factor,
         &m->displacement_factor, 1, 0.001f, 0},
        {"tiling", "default_tiling", &m->default_tiling, &m->tiling, 1, 1, 0},
        {"shininess", "default_shininess", &m->default_shininess, &m->shininess, 1, 0.2f, 0},
        {"shine_damping", "default_shine_damping", &m->default_shine_damping, &m->shine_damping, 1,
         10, 0},
    };
    memcpy(values, all, sizeof all);
}

bool modeldata_is_default(const tenon_modeldata *doc, const modeldata_value *value)
{
    bool is_signed = !(doc->base.dialect->flags & TENON_MODELDATA_DOCUMENT);
    return *value->flag >= 1 && *value->flag <= (is_signed ? INT8_MAX : UINT8_MAX);
}

// -- Influences and tangents

uint32_t modeldata_influences(const tenon_modeldata_mesh *m, uint64_t vertex,
                              uint32_t ids[MODELDATA_INFLUENCES_MOST],
                              float weights[MODELDATA_INFLUENCES_MOST])
{
    const tenon_span *from_ids = &m->arrays[TENON_MODELDATA_JOINT_IDS];
    const tenon_span *from_weights = &m->arrays[TENON_MODELDATA_WEIGHTS];
    uint32_t count = (uint32_t)(from_ids->layout->stride / 4);
    tn_copy_numbers(ids, tn_span_record(from_ids, vertex), count, 4, from_ids->big_endian);
    tn_copy_numbers(weights, tn_span_record(from_weights, vertex), count, 4,
                    from_weights->big_endian);
    return count;
}

// -- The whole document

uint64_t modeldata_count_leftovers(const tenon_modeldata *doc)
{
    uint64_t bytes = doc->model_leftover.size + doc->skeleton_leftover.size;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const tenon_modeldata_mesh *mesh = &doc->meshes[i];
        bytes += mesh->material.leftover.size + mesh->leftover.size;
        for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT; k++)
            bytes += mesh->array_leftovers[k].size;
    }
    for (uint32_t i = 0; i < doc->animation_count; i++) bytes += doc->animations[i].leftover.size;
    return bytes;
}

// The engine compares the beginning of the text with the words of the table below, in this order,
// and then splits it.

static const struct {
    const char *word;
    uint32_t number_count;
    bool has_axes;  // The word can be followed by x or z, for an axis other than y.
} modeldata_shapes[] = {
    [MODELDATA_SHAPE_CONVEX] = {"convex", 0, false},
    [MODELDATA_SHAPE_TRIANGLES] = {"triangleMesh", 0, false},
    [MODELDATA_SHAPE_COMPOUND] = {"compound", 0, false},
    [MODELDATA_SHAPE_SPHERE] = {"sphere", 1, false},
    [MODELDATA_SHAPE_BOX] = {"box", 3, false},
    [MODELDATA_SHAPE_CAPSULE] = {"capsule", 2, true},
    [MODELDATA_SHAPE_CYLINDER] = {"cylinder", 3, true},
    [MODELDATA_SHAPE_CONE] = {"cone", 2, true},
    [MODELDATA_SHAPE_UNKNOWN] = {"unknown", 0, false},
};

const char *modeldata_shape_word(modeldata_shape_kind kind)
{
    return modeldata_shapes[kind].word;
}

// -- Numbers

typedef enum modeldata_number { NO_NUMBER, NOT_POSITIVE, POSITIVE } modeldata_number;

static uint32_t modeldata_shape_skip_digits(tenon_str text, uint32_t at, bool *has_value)
{
    for (; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; at++)
        if (text.data[at] != '0') *has_value = true;
    return at;
}

// Accepts what Java's Float.parseFloat() accepts, except hexadecimal numbers.
static modeldata_number modeldata_shape_read_number(tenon_str text)
{
    while (text.size && (uint8_t)text.data[text.size - 1] <= ' ') text.size--;
    while (text.size && (uint8_t)text.data[0] <= ' ') text.data++, text.size--;
    bool is_signed = text.size && (text.data[0] == '-' || text.data[0] == '+');
    bool is_negative = is_signed && text.data[0] == '-';
    if (is_signed) text.data++, text.size--;
    if (tn_text_is(text, "NaN") || tn_text_is(text, "Infinity")) return NOT_POSITIVE;

    bool has_value = false;
    uint32_t at = modeldata_shape_skip_digits(text, 0, &has_value);
    uint32_t digits = at;
    if (at < text.size && text.data[at] == '.') {
        uint32_t end = modeldata_shape_skip_digits(text, at + 1, &has_value);
        digits += end - at - 1;
        at = end;
    }
    if (digits == 0) return NO_NUMBER;
    if (at < text.size && (text.data[at] | 0x20) == 'e') {
        uint32_t exponent = at + 1;
        if (exponent < text.size && (text.data[exponent] == '+' || text.data[exponent] == '-'))
            exponent++;
        bool ignored;
        uint32_t end = modeldata_shape_skip_digits(text, exponent, &ignored);
        if (end > exponent) at = end;
    }
    if (at < text.size && strchr("fFdD", text.data[at]) && text.data[at]) at++;
    if (at != text.size) return NO_NUMBER;
    return has_value && !is_negative ? POSITIVE : NOT_POSITIVE;
}

// -- Shapes

// The numbers of a shape other than a compound, each after a slash.
static void modeldata_shape_read_sizes(modeldata_shape *shape, tenon_str text)
{
    const char *word = modeldata_shapes[shape->kind].word;
    uint32_t wanted = modeldata_shapes[shape->kind].number_count;
    tenon_str name = tn_text_cut(&text, '/');
    bool is_axis = modeldata_shapes[shape->kind].has_axes && name.size == strlen(word) + 1 &&
                   (name.data[name.size - 1] == 'x' || name.data[name.size - 1] == 'z');
    if (is_axis)
        shape->misread = "the engine always aligns it with y, not with the given axis";
    else if (wanted && name.size != strlen(word))
        shape->misread = "the engine compares only the beginning of the name";
    for (uint32_t i = 0; i < wanted && !shape->fault; i++) {
        if (!text.data) {
            shape->fault = "it has too few numbers";
            return;
        }
        modeldata_number number = modeldata_shape_read_number(tn_text_cut(&text, '/'));
        if (number == NO_NUMBER) shape->fault = "one of its sizes is not a number";
        if (number == NOT_POSITIVE) shape->is_flat = true;
    }
    if (wanted && text.size && !shape->misread)
        shape->misread = "it has more numbers than are used";
}

static modeldata_shape_kind modeldata_shape_kind_of(tenon_str text)
{
    for (int i = 0; i < MODELDATA_SHAPE_UNKNOWN; i++)
        if (tn_text_skip(&text, modeldata_shapes[i].word)) return (modeldata_shape_kind)i;
    return MODELDATA_SHAPE_UNKNOWN;
}

// In a compound, shapes and matrices alternate, separated by single spaces. A matrix is sixteen
// numbers with '-' between them, so none can be negative.
modeldata_shape modeldata_parse_shape(tenon_str text)
{
    modeldata_shape shape = {.kind = modeldata_shape_kind_of(text)};
    if (shape.kind != MODELDATA_SHAPE_COMPOUND) {
        modeldata_shape_read_sizes(&shape, text);
        return shape;
    }
    tn_text_cut(&text, ' ');
    while (text.size && !shape.fault) {
        tenon_str child_text = tn_text_cut(&text, ' ');
        modeldata_shape child = {.kind = modeldata_shape_kind_of(child_text)};
        if (child.kind == MODELDATA_SHAPE_UNKNOWN)
            child.fault = "it contains an unknown shape";
        else if (child.kind == MODELDATA_SHAPE_COMPOUND)
            child.fault = "a compound cannot contain another compound";
        else if (child.kind <= MODELDATA_SHAPE_TRIANGLES)
            child.misread = "a hull or mesh in a compound is empty";
        else
            modeldata_shape_read_sizes(&child, child_text);
        shape.fault = child.fault;
        if (!shape.misread) shape.misread = child.misread;
        shape.is_flat = shape.is_flat || child.is_flat;
        shape.child_count++;
        if (!shape.fault && !text.size) shape.fault = "the last shape in it has no matrix";
        if (shape.fault) return shape;
        uint32_t count = 0;
        for (tenon_str matrix = tn_text_cut(&text, ' '); matrix.data; count++)
            if (modeldata_shape_read_number(tn_text_cut(&matrix, '-')) == NO_NUMBER) {
                shape.fault =
                    "an entry of a matrix is not a number; '-' is a separator and cannot be a sign";
                return shape;
            }
        if (count < MATRIX_USED) shape.fault = "a matrix has fewer than 16 numbers";
    }
    if (shape.child_count == 0) shape.misread = "it does not contain any shape";
    return shape;
}
