// modeldata_shape.c: the text of a collision shape, parsed as the engine does.
// SPDX-License-Identifier: MIT
//
// The engine compares the beginning of the text with the words of the table below, in this order,
// and then splits it.

#include "formats/modeldata/modeldata_format.h"

#include <string.h>

#define MATRIX_USED 15  // Numbers of a matrix that the engine uses: all but the last.

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

// -- Words

static bool modeldata_shape_starts_with(tenon_str text, const char *word)
{
    size_t size = strlen(word);
    return text.size >= size && memcmp(text.data, word, size) == 0;
}

// Remove and return the part of *text up to `separator`, which is removed as well. At the end,
// *text becomes NULL.
static tenon_str modeldata_shape_split(tenon_str *text, char separator)
{
    const char *end = text->size ? memchr(text->data, separator, text->size) : NULL;
    tenon_str part = *text;
    if (!end) {
        *text = (tenon_str){NULL, 0};
        return part;
    }
    part.size = (uint32_t)(end - part.data);
    *text = (tenon_str){end + 1, text->size - part.size - 1};
    return part;
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
    bool is_word = (text.size == 3 && modeldata_shape_starts_with(text, "NaN")) ||
                   (text.size == 8 && modeldata_shape_starts_with(text, "Infinity"));
    if (is_word) return NOT_POSITIVE;

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
    tenon_str name = modeldata_shape_split(&text, '/');
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
        modeldata_number number = modeldata_shape_read_number(modeldata_shape_split(&text, '/'));
        if (number == NO_NUMBER) shape->fault = "one of its sizes is not a number";
        if (number == NOT_POSITIVE) shape->is_flat = true;
    }
    if (wanted && text.size && !shape->misread)
        shape->misread = "it has more numbers than are used";
}

static modeldata_shape_kind modeldata_shape_kind_of(tenon_str text)
{
    for (int i = 0; i < MODELDATA_SHAPE_UNKNOWN; i++)
        if (modeldata_shape_starts_with(text, modeldata_shapes[i].word))
            return (modeldata_shape_kind)i;
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
    modeldata_shape_split(&text, ' ');
    while (text.size && !shape.fault) {
        tenon_str child_text = modeldata_shape_split(&text, ' ');
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
        for (tenon_str matrix = modeldata_shape_split(&text, ' '); matrix.data; count++)
            if (modeldata_shape_read_number(modeldata_shape_split(&matrix, '-')) == NO_NUMBER) {
                shape.fault =
                    "an entry of a matrix is not a number; '-' is a separator and cannot be a sign";
                return shape;
            }
        if (count < MATRIX_USED) shape.fault = "a matrix has fewer than 16 numbers";
    }
    if (shape.child_count == 0) shape.misread = "it does not contain any shape";
    return shape;
}
