// fbx_describe.c: the layout of an FBX file, and how FBX is recognized.
// SPDX-License-Identifier: MIT
//
// A binary file is a tree of records. Each says where it ends, how many values it has and how many
// bytes they take; the records in it come next, and a record of zeros after them. Files from
// version 7500 on have numbers of 64 bits there. A text file is one field, see fbx_text.c.

#include "formats/fbx/fbx_format.h"

#include "core/cursor/span.h"
#include "formats/fbx/fbx_text.h"

#include <inttypes.h>
#include <string.h>

enum { NARROW_HEADER = 13, WIDE_HEADER = 25, WIDE_VERSION = 7500 };

static const char magic[22] = "Kaydara FBX Binary  \0\x1a";
static const uint8_t zeros[120];

// -- Arrays

static const tenon_element list_i16[] = {{"code", TENON_TYPE_U8, 1, 0, 0},
                                         {"value", TENON_TYPE_I16, 1, 0, 1}};
static const tenon_element list_i32[] = {{"code", TENON_TYPE_U8, 1, 0, 0},
                                         {"value", TENON_TYPE_I32, 1, 0, 1}};
static const tenon_element list_i64[] = {{"code", TENON_TYPE_U8, 1, 0, 0},
                                         {"value", TENON_TYPE_I64, 1, 0, 1}};
static const tenon_element list_f32[] = {{"code", TENON_TYPE_U8, 1, 0, 0},
                                         {"value", TENON_TYPE_F32, 1, 0, 1}};
static const tenon_element list_f64[] = {{"code", TENON_TYPE_U8, 1, 0, 0},
                                         {"value", TENON_TYPE_F64, 1, 0, 1}};
static const tenon_element plain_i32[] = {{"", TENON_TYPE_I32, 1, 0, 0}};
static const tenon_element plain_i64[] = {{"", TENON_TYPE_I64, 1, 0, 0}};
static const tenon_element plain_f64[] = {{"", TENON_TYPE_F64, 1, 0, 0}};
static const tenon_layout layout_i32 = {plain_i32, 1, 4, NULL, 0, NULL};
static const tenon_layout layout_i64 = {plain_i64, 1, 8, NULL, 0, NULL};
static const tenon_layout layout_f64 = {plain_f64, 1, 8, NULL, 0, NULL};

// The types of numbers: their codes as a single value and as an array; 0: not as that.
static const struct {
    char single, array;
    const tenon_layout *layout;  // Of an array.
    tenon_layout list;           // Of values in a row; without elements: not as a list.
} number_types[] = {
    {'C', 'c', &tn_layout_u8, {NULL, 0, 2, NULL, 0, NULL}},
    {'B', 'b', &tn_layout_u8, {NULL, 0, 2, NULL, 0, NULL}},
    {'I', 'i', &layout_i32, {list_i32, 2, 5, NULL, 0, NULL}},
    {'L', 'l', &layout_i64, {list_i64, 2, 9, NULL, 0, NULL}},
    {'F', 'f', &tn_layout_f32, {list_f32, 2, 5, NULL, 0, NULL}},
    {'D', 'd', &layout_f64, {list_f64, 2, 9, NULL, 0, NULL}},
    {'Y', 'i', NULL, {list_i16, 2, 3, NULL, 0, NULL}},
};

enum { NUMBER_TYPES = sizeof number_types / sizeof number_types[0] };

const tenon_layout *fbx_array_layout(char code)
{
    for (int i = 0; i < NUMBER_TYPES; i++)
        if (number_types[i].array == code && number_types[i].layout) return number_types[i].layout;
    return NULL;
}

const tenon_layout *fbx_list_layout(char code)
{
    for (int i = 0; i < NUMBER_TYPES; i++)
        if (number_types[i].single == code && number_types[i].list.elements)
            return &number_types[i].list;
    return NULL;
}

static void fbx_describe_array(tn_io *io, tenon_fbx_value *value)
{
    if (io->mode == TN_READ) value->array = tn_io_alloc(io, "array", 1, sizeof *value->array);
    tenon_fbx_array none = {0}, *array = value->array ? value->array : &none;
    if (value->code == 'R') {
        tn_u32(io, "size", &array->stored_size);
        if (io->mode == TN_READ) array->count = array->stored_size;
        if (io->mode == TN_READ) array->offset = io->pos;
        tn_bytes(io, "data", &array->data, array->stored_size);
        return;
    }
    tn_u32(io, "count", &array->count);
    tn_u32(io, "encoding", &array->encoding);
    if (!io->failed && array->encoding > TENON_FBX_DEFLATE)
        tn_fail(io, TENON_ERR_VALUE, io->pos - 4, "encoding",
                "unknown encoding %" PRIu32 ", expected 0 or 1", array->encoding);
    tn_u32(io, "stored_size", &array->stored_size);
    if (io->mode == TN_READ) array->offset = io->pos;
    if (array->encoding == TENON_FBX_DEFLATE) {
        tn_bytes(io, "data", &array->data, array->stored_size);
        return;
    }
    tn_window window = tn_window_begin(io, "data", array->stored_size);
    tn_records(io, "data", &array->data, array->count, fbx_array_layout(value->code));
    tn_window_end(io, &window, NULL);
}

// -- Values

// WRITE: an integer that its type cannot hold.
static void fbx_describe_range(tn_io *io, int64_t value, int64_t least, int64_t most)
{
    if (io->mode == TN_WRITE && (value < least || value > most))
        tn_fail(io, TENON_ERR_VALUE, io->pos, "value",
                "%" PRId64 " is not in the range of its type", value);
}

static void fbx_describe_value(tn_io *io, tenon_fbx_value *value)
{
    tenon_str code = {&value->code, 1};
    uint64_t at = io->pos;
    tn_borrowed_str(io, "code", &code, 1);
    if (io->mode == TN_READ) value->code = code.size ? code.data[0] : '\0';
    if (io->failed) return;
    uint8_t u8 = (uint8_t)value->integer;
    int16_t i16 = (int16_t)value->integer;
    int32_t i32 = (int32_t)value->integer;
    int64_t integer = value->integer;
    switch (value->code) {
    case 'B':
    case 'C':
        fbx_describe_range(io, integer, 0, UINT8_MAX);
        tn_u8(io, "value", &u8);
        integer = u8;
        break;
    case 'Y':
        fbx_describe_range(io, integer, INT16_MIN, INT16_MAX);
        tn_i16(io, "value", &i16);
        integer = i16;
        break;
    case 'I':
        fbx_describe_range(io, integer, INT32_MIN, INT32_MAX);
        tn_i32(io, "value", &i32);
        integer = i32;
        break;
    case 'L':
        tn_i64(io, "value", &integer);
        break;
    case 'F':
        tn_f32(io, "value", &value->single);
        return;
    case 'D':
        tn_f64(io, "value", &value->number);
        return;
    case 'S':
        tn_str32(io, "value", &value->text);
        return;
    default:
        if (value->code == 'R' || fbx_array_layout(value->code))
            fbx_describe_array(io, value);
        else
            tn_fail(io, TENON_ERR_VALUE, at, "code", "unknown type 0x%02x of a value",
                    (uint8_t)value->code);
        return;
    }
    if (io->mode == TN_READ) value->integer = integer;
}

// The code of all values of a node, if they are a list of numbers of one type; else 0.
static uint64_t fbx_describe_infer_list(tn_io *io, const void *subject)
{
    const tenon_fbx_node *node = subject;
    const uint8_t *code = tn_peek(io, io->pos, 1);
    for (int i = 0; code && i < NUMBER_TYPES; i++) {
        uint64_t stride = number_types[i].list.stride;
        if (number_types[i].single != (char)*code || !number_types[i].list.elements) continue;
        if (node->properties_size / stride != node->property_count ||
            node->properties_size % stride != 0)
            return 0;
        const uint8_t *values = tn_peek(io, io->pos, node->properties_size);
        if (!values) return 0;
        for (uint64_t k = 1; k < node->property_count; k++)
            if (values[k * stride] != *code) return 0;
        return *code;
    }
    return 0;
}

static void fbx_describe_list(tn_io *io, tenon_fbx_node *node, uint32_t code)
{
    if (io->mode == TN_READ) {
        node->values = tn_io_alloc(io, "values", 1, sizeof *node->values);
        tenon_fbx_array *array = tn_io_alloc(io, "values", 1, sizeof *array);
        if (!node->values || !array) return;
        node->value_count = 1;
        node->values[0].array = array;
        array->offset = io->pos;
        array->encoding = TENON_FBX_LIST;
        array->count = (uint32_t)node->property_count;
    }
    for (int i = 0; i < NUMBER_TYPES; i++) {
        if (!number_types[i].list.elements || number_types[i].single != (char)code) continue;
        if (io->mode == TN_READ) node->values[0].code = number_types[i].array;
        tn_records(io, "values", &node->values[0].array->data, node->property_count,
                   &number_types[i].list);
        return;
    }
    tn_fail(io, TENON_ERR_VALUE, io->pos, "list", "unknown type %" PRIu32 " of a list", code);
}

static void fbx_describe_values(tn_io *io, tenon_fbx_node *node)
{
    // The values show where they end: the size is wrong in some files, and a rule compares it.
    if (!io->failed && node->property_count > UINT32_MAX)
        tn_fail(io, TENON_ERR_LIMIT, io->pos, "values", "%" PRIu64 " values are too many",
                node->property_count);
    uint32_t list = 0;
    const tenon_fbx_value *first = node->value_count == 1 ? node->values : NULL;
    bool is_list = io->mode == TN_WRITE && first && fbx_array_layout(first->code) &&
                   first->array->encoding == TENON_FBX_LIST;
    if (is_list && first->array->data.size) list = first->array->data.data[0];
    if (node->property_count >= TENON_FBX_LIST_MIN)
        tn_inferred_u32(io, "list", &list, fbx_describe_infer_list, node);
    if (list) {
        fbx_describe_list(io, node, list);
    } else {
        uint32_t count = (uint32_t)node->property_count;
        if (io->mode == TN_READ) node->value_count = count;
        if (!io->failed && count != node->value_count)
            tn_fail(io, TENON_ERR_VALUE, io->pos, "values",
                    "there are %" PRIu32 " values, the header says %" PRIu64, node->value_count,
                    node->property_count);
        tn_items(io, "values", &node->values, &node->value_count, sizeof *node->values, 2);
        for (uint32_t i = 0; tn_next(io, i, node->value_count); i++)
            fbx_describe_value(io, &node->values[i]);
    }
}

// -- Nodes

typedef struct fbx_list_shape {
    uint32_t count;
    uint32_t kind;  // TENON_FBX_TERMINATED or TENON_FBX_OPEN.
} fbx_list_shape;

// How many records follow up to the record of zeros or the end, and which of the two ends them. A
// record with an impossible end is the last one.
static fbx_list_shape fbx_describe_shape(const tn_io *io, bool is_wide)
{
    fbx_list_shape shape = {0, TENON_FBX_OPEN};
    uint64_t size = is_wide ? WIDE_HEADER : NARROW_HEADER;
    for (uint64_t at = io->pos; at < io->end;) {
        const uint8_t *header = tn_peek(io, at, size);
        if (header && memcmp(header, zeros, (size_t)size) == 0) {
            shape.kind = TENON_FBX_TERMINATED;
            break;
        }
        if (shape.count < UINT32_MAX) shape.count++;
        if (!header) break;
        uint64_t end =
            is_wide ? tn_load64(header, io->big_endian) : tn_load32(header, io->big_endian);
        if (end > io->end || end < at || end - at < size) break;
        at = end;
    }
    return shape;
}

static bool fbx_describe_is_wide(const tenon_fbx *doc)
{
    return doc->container_version >= WIDE_VERSION;
}

static uint64_t fbx_describe_infer_kind(tn_io *io, const void *subject)
{
    return io->pos < io->end ? fbx_describe_shape(io, fbx_describe_is_wide(subject)).kind
                             : (uint64_t)TENON_FBX_NO_LIST;
}

static uint64_t fbx_describe_infer_count(tn_io *io, const void *subject)
{
    return fbx_describe_shape(io, fbx_describe_is_wide(subject)).count;
}

static void fbx_describe_node(tn_io *io, const tenon_fbx *doc, tenon_fbx_node *node,
                              uint32_t level);

// The nodes in `parent`, if it has a list of them.
static void fbx_describe_children(tn_io *io, const tenon_fbx *doc, tenon_fbx_node *parent,
                                  const char *name, uint32_t level)
{
    bool is_wide = fbx_describe_is_wide(doc);
    uint32_t header = is_wide ? WIDE_HEADER : NARROW_HEADER;
    if (io->failed || parent->child_list == TENON_FBX_NO_LIST) return;
    if (parent->child_list > TENON_FBX_OPEN)
        tn_fail(io, TENON_ERR_VALUE, io->pos, "child_list", "unknown kind %" PRIu32 " of a list",
                parent->child_list);
    if (level > FBX_DEPTH_MAX)
        tn_fail(io, TENON_ERR_LIMIT, io->pos, name, "nodes are nested deeper than %d levels",
                FBX_DEPTH_MAX);
    tn_inferred_u32(io, "child_count", &parent->child_count, fbx_describe_infer_count, doc);
    tn_items(io, name, &parent->children, &parent->child_count, sizeof *parent->children, header);
    for (uint32_t i = 0; tn_next(io, i, parent->child_count); i++)
        fbx_describe_node(io, doc, &parent->children[i], level);
    if (parent->child_list == TENON_FBX_TERMINATED) tn_magic(io, "terminator", zeros, header);
}

// A number of the header, which has 32 or 64 bits.
static void fbx_describe_size(tn_io *io, const tenon_fbx *doc, const char *name, uint64_t *v)
{
    uint32_t narrow = (uint32_t)*v;
    if (fbx_describe_is_wide(doc)) {
        tn_u64(io, name, v);
        return;
    }
    if (io->mode == TN_WRITE && *v > UINT32_MAX)
        tn_fail(io, TENON_ERR_VALUE, io->pos, name, "'%s' is %" PRIu64 ", which needs version %d",
                name, *v, WIDE_VERSION);
    tn_u32(io, name, &narrow);
    if (io->mode == TN_READ) *v = narrow;
}

static void fbx_describe_node(tn_io *io, const tenon_fbx *doc, tenon_fbx_node *node, uint32_t level)
{
    uint64_t start = io->pos;
    if (io->mode == TN_READ) node->offset = start;
    fbx_describe_size(io, doc, "end_offset", &node->end_offset);
    fbx_describe_size(io, doc, "property_count", &node->property_count);
    fbx_describe_size(io, doc, "properties_size", &node->properties_size);
    uint8_t name_size = (uint8_t)node->name.size;
    if (io->mode == TN_WRITE && node->name.size > UINT8_MAX)
        tn_fail(io, TENON_ERR_VALUE, io->pos, "name", "the name has %" PRIu32 " bytes, at most 255",
                node->name.size);
    tn_u8(io, "name_size", &name_size);
    if (io->mode == TN_READ && !io->failed && node->end_offset < io->pos)
        tn_fail(io, TENON_ERR_VALUE, start, "end_offset",
                "the node ends at %" PRIu64 ", but its header at %" PRIu64, node->end_offset,
                io->pos);
    uint32_t outer = tn_recoverable(io);
    tn_window whole = tn_window_begin(io, "", node->end_offset - io->pos);
    tn_str(io, "name", &node->name, name_size);
    if (name_size) tn_hold(io);
    fbx_describe_values(io, node);
    tn_inferred_u32(io, "child_list", &node->child_list, fbx_describe_infer_kind, doc);
    fbx_describe_children(io, doc, node, "children", level + 1);
    tn_window_end(io, &whole, NULL);
    (void)tn_window_recover(io, &whole, outer);
}

// -- Footers

static const uint8_t footer_magic[16] = {0xf8, 0x5a, 0x8c, 0x6a, 0xde, 0xf5, 0xd9, 0x7e,
                                         0xec, 0xe9, 0x0c, 0xe3, 0x75, 0x8f, 0x29, 0x0b};

// Zeros after the file code of a footer at `offset`.
static uint64_t fbx_describe_padding(uint32_t kind, uint64_t offset)
{
    uint64_t spaces = kind == TENON_FBX_SPACED ? 4 : 0;
    return spaces + 16 - (offset + 16 + spaces) % 16;
}

static uint64_t fbx_describe_infer_footer(tn_io *io, const void *subject)
{
    (void)subject;
    for (uint32_t kind = TENON_FBX_PADDED; kind <= TENON_FBX_SPACED; kind++) {
        uint64_t size = 16 + fbx_describe_padding(kind, io->pos) + 4 + 120 + 16;
        if (kind == TENON_FBX_PADDED) size += 4;
        const uint8_t *footer = tn_peek(io, io->pos, size);
        if (footer && memcmp(footer + size - 16, footer_magic, 16) == 0) return kind;
    }
    return TENON_FBX_NO_FOOTER;
}

static void fbx_describe_footer(tn_io *io, tenon_fbx_footer *footer, const char *name)
{
    tn_enter(io, name);
    tn_inferred_u32(io, "kind", &footer->kind, fbx_describe_infer_footer, NULL);
    if (footer->kind) {
        tn_u8s(io, "file_code", footer->file_code, 16);
        tn_bytes(io, "padding", &footer->padding, fbx_describe_padding(footer->kind, io->pos - 16));
        if (footer->kind == TENON_FBX_PADDED)
            tn_u32(io, "extension_length", &footer->extension_length);
        tn_u32(io, "version", &footer->version);
        tn_bytes(io, "zeros", &footer->zeros, 120);
        tn_magic(io, "magic", footer_magic, 16);
    }
    tn_leave(io);
}

// -- Files

// Whether another list of nodes follows the first footer: SDKs wrote one before version 7.
static uint64_t fbx_describe_infer_extension(tn_io *io, const void *subject)
{
    const tenon_fbx *doc = subject;
    if (doc->footer.kind != TENON_FBX_PADDED) return TENON_FBX_NO_LIST;
    fbx_list_shape shape = fbx_describe_shape(io, fbx_describe_is_wide(doc));
    return shape.count && shape.kind == TENON_FBX_TERMINATED ? TENON_FBX_TERMINATED
                                                             : TENON_FBX_NO_LIST;
}

static uint64_t fbx_describe_infer_root(tn_io *io, const void *subject)
{
    return fbx_describe_shape(io, fbx_describe_is_wide(subject)).kind;
}

static void fbx_describe_binary(tn_io *io, tenon_fbx *doc)
{
    tn_magic(io, "magic", magic, sizeof magic);
    tn_u8(io, "is_big_endian", &doc->is_big_endian);
    if (doc->is_big_endian > 1)
        tn_fail(io, TENON_ERR_VALUE, io->pos - 1, "is_big_endian",
                "unknown byte order %" PRIu8 ", expected 0 or 1", doc->is_big_endian);
    io->big_endian = doc->is_big_endian == 1;
    tn_u32(io, "version", &doc->container_version);
    tn_inferred_u32(io, "child_list", &doc->root.child_list, fbx_describe_infer_root, doc);
    fbx_describe_children(io, doc, &doc->root, "nodes", 1);
    fbx_describe_footer(io, &doc->footer, "footer");
    tn_inferred_u32(io, "extension_list", &doc->extension.child_list, fbx_describe_infer_extension,
                    doc);
    if (doc->extension.child_list == TENON_FBX_NO_LIST) return;
    tn_enter(io, "extension");
    fbx_describe_children(io, doc, &doc->extension, "nodes", 1);
    fbx_describe_footer(io, &doc->extension_footer, "footer");
    tn_leave(io);
}

static uint64_t fbx_describe_infer_size(tn_io *io, const void *subject)
{
    (void)subject;
    uint64_t size = io->end - io->pos;
    if (size >= UINT32_MAX)
        tn_fail(io, TENON_ERR_LIMIT, io->pos, "text",
                "the text has %" PRIu64 " bytes, which is too large", size);
    return size;
}

void fbx_describe(tn_io *io, void *any)
{
    tenon_fbx *doc = any;
    bool is_text = tn_has(io, TENON_FBX_TEXT);
    if (io->mode == TN_READ) doc->is_text = is_text;
    if (is_text) {
        tn_inferred_u32(io, "size", &doc->text_size, fbx_describe_infer_size, doc);
        tn_observer *observers = io->observers;
        bool has_detail = observers && !observers->step && !io->skip_text;
        if (has_detail) io->observers = NULL;
        tn_borrowed_str(io, "text", &doc->text, doc->text_size);
        io->observers = observers;
        fbx_text_parse(io, doc, has_detail ? observers : NULL);
    } else {
        fbx_describe_binary(io, doc);
    }
    if (io->mode == TN_READ) doc->version = fbx_version(doc);
}

// -- Finalizing

uint64_t fbx_describe_measure(const tenon_fbx_node *node)
{
    tenon_fbx_node copy = *node;
    tn_io io;
    tenon_error ignored;
    tn_io_writer(&io, NULL, NULL, &ignored);
    io.is_looking = true;  // The sizes in the node are stale.
    io.big_endian = node->value_count && fbx_array_layout(node->values[0].code) &&
                    node->values[0].array->data.big_endian;
    fbx_describe_values(&io, &copy);
    return io.pos;
}

// Recompute the numbers of the nodes in `parent`, which start at `offset`, and return where they
// end.
static uint64_t fbx_describe_finalize_children(const tenon_fbx *doc, tenon_fbx_node *parent,
                                               uint64_t offset, uint32_t level)
{
    uint64_t header = fbx_describe_is_wide(doc) ? WIDE_HEADER : NARROW_HEADER;
    if (parent->child_count && parent->child_list == TENON_FBX_NO_LIST)
        parent->child_list = TENON_FBX_TERMINATED;
    for (uint32_t i = 0; i < parent->child_count && level <= FBX_DEPTH_MAX; i++) {
        tenon_fbx_node *node = &parent->children[i];
        node->property_count = node->value_count;
        for (uint32_t k = 0; k < node->value_count; k++) {
            char code = node->values[k].code;
            if (code != 'R' && !fbx_array_layout(code)) continue;
            tenon_fbx_array *array = node->values[k].array;
            bool is_list = array->encoding == TENON_FBX_LIST;
            if (is_list || array->encoding == TENON_FBX_RAW)
                array->count = (uint32_t)array->data.count;
            array->stored_size = is_list ? 0 : (uint32_t)array->data.size;
            if (is_list) node->property_count = array->count;
        }
        node->properties_size = fbx_describe_measure(node);
        offset += header + node->name.size + node->properties_size;
        offset = fbx_describe_finalize_children(doc, node, offset, level + 1);
        node->end_offset = offset;
    }
    return parent->child_list == TENON_FBX_TERMINATED ? offset + header : offset;
}

// Recompute a footer that starts at `offset`, and return where it ends. It belongs to a list of
// nodes that starts at `list`; 0: that of the model.
static uint64_t fbx_describe_finalize_footer(const tenon_fbx *doc, tenon_fbx_footer *footer,
                                             uint64_t offset, uint64_t list)
{
    bool is_padded = footer->kind == TENON_FBX_PADDED;
    if (footer->kind == TENON_FBX_NO_FOOTER) return offset;
    uint64_t padding = fbx_describe_padding(footer->kind, offset);
    footer->padding = (tenon_span){
        .data = zeros, .size = padding, .count = padding, .big_endian = doc->is_big_endian};
    footer->zeros = (tenon_span){.data = zeros,
                                 .size = sizeof zeros,
                                 .count = sizeof zeros,
                                 .big_endian = doc->is_big_endian};
    offset += sizeof footer->file_code + padding;
    footer->extension_length = list && is_padded ? (uint32_t)(offset - list) : 0;
    return offset + (is_padded ? 8 : 4) + sizeof zeros + sizeof footer_magic;
}

bool fbx_describe_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_fbx *doc = any;
    (void)arena;
    (void)err;
    doc->text_size = doc->text.size;
    if (doc->is_text) return true;
    uint64_t offset = sizeof magic + 1 + 4;
    offset = fbx_describe_finalize_children(doc, &doc->root, offset, 1);
    offset = fbx_describe_finalize_footer(doc, &doc->footer, offset, 0);
    if (doc->extension.child_list == TENON_FBX_NO_LIST) return true;
    uint64_t list = offset;
    offset = fbx_describe_finalize_children(doc, &doc->extension, offset, 1);
    (void)fbx_describe_finalize_footer(doc, &doc->extension_footer, offset, list);
    return true;
}

// -- Probing

static bool fbx_describe_is_binary(const uint8_t *data, uint64_t size)
{
    return size >= 18 && memcmp(data, magic, 18) == 0;
}

int fbx_describe_probe(const uint8_t *data, uint64_t size)
{
    if (fbx_describe_is_binary(data, size)) return 100;
    return fbx_text_probe((const char *)data, size);
}

bool fbx_describe_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    return fbx_describe_is_binary(data, size) == !(dialect->flags & TENON_FBX_TEXT);
}
