// fbx_binary.c: change a text file into a binary one: its values get the types of binary files.
// SPDX-License-Identifier: MIT
//
// A text says only whether a number is whole. Which type a program stores follows from the name of
// the node, or of the property's type. What no table knows is I, or L if it does not fit, or D.

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/text/error.h"
#include "core/text/text.h"
#include "formats/fbx/fbx_format.h"

#include <inttypes.h>
#include <string.h>

enum { ID_VERSION = 7000, CONTAINER_VERSION = 6000, OLD_CONTAINER = 3000 };

typedef struct fbx_typer {
    const tenon_fbx *doc;  // As text.
    const tn_change *change;
    tn_arena scratch;
} fbx_typer;

// -- Types

typedef struct fbx_typed_name {
    char code;  // As of a single value.
    const char *name;
} fbx_typed_name;

// Nodes. What is not here has whole numbers of 32 bits.
static const fbx_typed_name node_types[] = {
    {'D', "Alpha"},
    {'D', "Alphas"},
    {'D', "Ambient"},
    {'D', "AmbientLightColor"},
    {'D', "Aperture"},
    {'D', "AspectH"},
    {'D', "AspectW"},
    {'D', "AudioColor"},
    {'D', "BackGroundColor"},
    {'D', "BackgroundTreshold"},
    {'D', "Binormals"},
    {'D', "BinormalsW"},
    {'D', "CameraAperture"},
    {'D', "CameraOrthoZoom"},
    {'D', "CameraResolutionH"},
    {'D', "CameraResolutionW"},
    {'D', "Color"},
    {'D', "Colors"},
    {'D', "Default"},
    {'D', "DeformPercent"},
    {'D', "Diffuse"},
    {'D', "EdgeCrease"},
    {'D', "Emissive"},
    {'D', "FarPlane"},
    {'D', "FocalLength"},
    {'D', "FogColor"},
    {'D', "FogDensity"},
    {'D', "FogEnd"},
    {'D', "FogStart"},
    {'D', "FrameColor"},
    {'D', "FullWeights"},
    {'B', "Hole"},
    {'F', "KeyAttrDataFloat"},
    {'L', "KeyTime"},
    {'F', "KeyValueFloat"},
    {'D', "KnotVector"},
    {'D', "KnotVectorU"},
    {'D', "KnotVectorV"},
    {'D', "Link_DeformAcuracy"},
    {'L', "LocalTime"},
    {'D', "LookAt"},
    {'D', "Matrix"},
    {'D', "ModelUVScaling"},
    {'D', "ModelUVTranslation"},
    {'D', "NearPlane"},
    {'L', "Node"},
    {'D', "Normals"},
    {'D', "NormalsW"},
    {'D', "Offset"},
    {'D', "PARENTROFFSETX"},
    {'D', "PARENTROFFSETY"},
    {'D', "PARENTROFFSETZ"},
    {'D', "PixelRatio"},
    {'D', "Points"},
    {'D', "Position"},
    {'D', "ROFFSETX"},
    {'D', "ROFFSETY"},
    {'D', "ROFFSETZ"},
    {'L', "ReferenceTime"},
    {'D', "Reflectivity"},
    {'D', "Roll"},
    {'L', "RootNode"},
    {'D', "SOFFSETX"},
    {'D', "SOFFSETY"},
    {'D', "SOFFSETZ"},
    {'D', "Shininess"},
    {'D', "Size"},
    {'D', "Specular"},
    {'D', "SqueezeRatio"},
    {'D', "TOFFSETX"},
    {'D', "TOFFSETY"},
    {'D', "TOFFSETZ"},
    {'D', "Tangents"},
    {'D', "TangentsW"},
    {'D', "TextureAlpha"},
    {'D', "TextureUV"},
    {'L', "TimeLineStartTime"},
    {'L', "TimeLineStopTime"},
    {'D', "Transform"},
    {'D', "TransformAssociateModel"},
    {'D', "TransformLink"},
    {'D', "UV"},
    {'D', "Up"},
    {'D', "VertexCrease"},
    {'D', "Vertices"},
    {'D', "ViewFrustumPlaneDistance"},
    {'B', "Visibility"},
    {'D', "Weights"},
};

// What properties are declared as.
static const fbx_typed_name property_types[] = {
    {'D', "Color"},       {'D', "ColorAndAlpha"}, {'D', "ColorRGB"},       {'F', "Distance"},
    {'D', "FieldOfView"}, {'D', "FieldOfViewX"},  {'D', "FieldOfViewY"},   {'F', "Float"},
    {'L', "KTime"},       {'D', "Lcl Rotation"},  {'D', "Lcl Scaling"},    {'D', "Lcl Translation"},
    {'L', "LongLong"},    {'D', "Number"},        {'D', "OpticalCenterX"}, {'D', "OpticalCenterY"},
    {'D', "Real"},        {'D', "Roll"},          {'D', "Rotation"},       {'D', "Scaling"},
    {'Y', "Short"},       {'L', "Time"},          {'D', "Translation"},    {'L', "ULongLong"},
    {'D', "Vector"},      {'D', "Vector2"},       {'D', "Vector2D"},       {'D', "Vector3D"},
    {'D', "Vector4"},     {'D', "Vector4D"},      {'D', "Visibility"},     {'D', "Weight"},
    {'D', "double"},      {'F', "float"},
};

static char fbx_binary_find(const fbx_typed_name *names, size_t count, tenon_str name)
{
    for (size_t i = 0; i < count; i++)
        if (tn_text_is(name, names[i].name)) return names[i].code;
    return 'I';
}

static bool fbx_binary_is_property(const tenon_fbx_node *node)
{
    return fbx_is_named(node, "P") || fbx_is_named(node, "Property");
}

// The type of the numbers of a node, wherever they are.
static char fbx_binary_type(const tenon_fbx_node *node)
{
    if (fbx_binary_is_property(node))
        return fbx_binary_find(property_types, sizeof property_types / sizeof property_types[0],
                               fbx_text(node, 1));
    return fbx_binary_find(node_types, sizeof node_types / sizeof node_types[0], node->name);
}

// -- Failing

static bool fbx_binary_fail(const fbx_typer *typer, const tenon_fbx_node *node, tenon_code code,
                            const char *message)
{
    tenon_error *err = typer->change->err;
    tn_error(err, code, "'%.*s' %s", (int)node->name.size, node->name.data, message);
    err->offset = node->offset;
    fbx_path(typer->doc, node, err->path, sizeof err->path);
    return false;
}

// -- Single values

static bool fbx_binary_cannot_hold(const fbx_typer *typer, const tenon_fbx_node *node)
{
    return fbx_binary_fail(typer, node, TENON_ERR_VALUE,
                           "has a number that its type does not hold");
}

// A whole number as a double; false if it is not the same.
static bool fbx_binary_to_double(int64_t integer, double *number)
{
    *number = (double)integer;
    return *number < 9223372036854775808.0 && (int64_t)*number == integer;
}

// A number as a float; false if it is finite and too large.
static bool fbx_binary_to_float(double number, float *single)
{
    *single = tn_to_float(number);
    return number - number != 0 || *single - *single == 0;
}

// Returns false, with the error set, if the type does not hold the number.
static bool fbx_binary_set_number(const fbx_typer *typer, const tenon_fbx_node *node, char type,
                                  tenon_fbx_value *value)
{
    bool is_whole = value->code == 'L';
    int64_t integer = is_whole ? value->integer : 0;
    double number = is_whole ? 0 : value->number;
    if (type == 'D' || type == 'F') {
        if (is_whole && !fbx_binary_to_double(integer, &number))
            return fbx_binary_cannot_hold(typer, node);
        value->code = type;
        if (type == 'D') value->number = number;
        if (type == 'F' && !fbx_binary_to_float(number, &value->single))
            return fbx_binary_cannot_hold(typer, node);
    } else if (is_whole) {
        bool is_short = type == 'Y' && integer >= INT16_MIN && integer <= INT16_MAX;
        bool is_narrow = type != 'L' && integer >= INT32_MIN && integer <= INT32_MAX;
        value->code = (char)(is_short ? 'Y' : is_narrow ? 'I' : 'L');
    }
    return true;
}

// The name of an object: "Class::Name" becomes Name NUL 0x01 Class.
static bool fbx_binary_set_name(const fbx_typer *typer, tenon_fbx_value *value)
{
    tenon_str kind, name = fbx_object_name(typer->doc, value->text, &kind);
    if (name.size == value->text.size) return true;
    char *joined = tn_change_alloc(typer->change, value->text.size, 1, "the name of an object");
    if (!joined) return false;
    if (name.size) memcpy(joined, name.data, name.size);
    joined[name.size] = '\0';
    joined[name.size + 1] = '\x01';
    if (kind.size) memcpy(joined + name.size + 2, kind.data, kind.size);
    value->text.data = joined;
    return true;
}

// Whether the text of that index is the name of an object.
static bool fbx_binary_is_name(const fbx_typer *typer, const tenon_fbx_node *node, uint32_t index)
{
    static const char *const references[] = {"Media", "TextureName", "Node", "NodeAttributeName"};
    static const char *const others[] = {"P", "Property", "Channel", "Take"};
    if (fbx_is_named(node, "Connect") && typer->doc->version < ID_VERSION) return index > 0;
    if (index == 1) return node->values[0].code == 'L' && !fbx_is_named(node, "C");
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
        if (index == 0 && fbx_is_named(node, references[i])) return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (fbx_is_named(node, others[i])) return false;
    return index == 0 && node->child_list != TENON_FBX_NO_LIST;
}

// -- The keys of files before version 7

// How many numbers that are not the time of a key follow.
typedef struct fbx_key_list {
    uint32_t left;
    bool is_cubic;  // The next letter is the kind of the tangents.
} fbx_key_list;

static void fbx_binary_pass_letter(fbx_key_list *keys, char letter)
{
    bool is_kind = keys->is_cubic;
    keys->is_cubic = letter == 'U' && !is_kind;
    if (!is_kind)
        keys->left = letter == 'a' ? 2 : letter == 'r' || letter == 'l';
    else if (letter == 's' || letter == 'b' || letter == 'p' || letter == 'q')
        keys->left = 2;
    else
        keys->left = letter == 't' ? 3 : letter == 'd';
}

// Time, value, letters, and the numbers that belong to those. Returns the type of a number.
static char fbx_binary_pass_number(fbx_key_list *keys)
{
    bool is_time = keys->left == 0;
    keys->left = is_time ? 1 : keys->left - 1;
    return is_time ? 'L' : 'D';
}

// -- Arrays

// Whether the numbers are the bits of others.
static bool fbx_binary_is_bits(const tenon_fbx_node *parent, const tenon_fbx_node *node)
{
    enum { LAST_DECIMAL = 4007 };
    return fbx_is_named(node, "KeyAttrDataFloat") &&
           fbx_int(fbx_child(parent, "KeyVer"), 0, 0) > LAST_DECIMAL;
}

static char fbx_binary_integer_type(const int64_t *numbers, uint64_t count, char wanted)
{
    int64_t least = 0, most = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (numbers[i] < least) least = numbers[i];
        if (numbers[i] > most) most = numbers[i];
    }
    if (wanted == 'B' && least >= 0 && most <= UINT8_MAX) return 'B';
    return wanted == 'L' || least < INT32_MIN || most > INT32_MAX ? 'L' : 'I';
}

// The numbers as bytes, each after its code if it is a list. They are doubles, or i64.
static bool fbx_binary_pack(const fbx_typer *typer, const tenon_fbx_node *node, char type,
                            const double *doubles, const int64_t *integers, uint64_t count,
                            tenon_fbx_array *array)
{
    bool is_list = array->encoding == TENON_FBX_LIST, is_whole = type != 'D' && type != 'F';
    size_t stride = (size_t)array->data.layout->stride, width = stride - is_list;
    if (count > UINT32_MAX / stride)
        return fbx_binary_fail(typer, node, TENON_ERR_LIMIT, "has too many numbers");
    uint8_t *out = tn_change_alloc(typer->change, count, stride, "an array of numbers");
    if (!out) return false;
    array->count = (uint32_t)count;
    array->data.data = out;
    array->data.count = count;
    array->data.size = count * stride;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        double number = doubles ? doubles[i] : 0;
        float single = 0;
        uint32_t word;
        bool is_held = doubles || is_whole || fbx_binary_to_double(integers[i], &number);
        if (type == 'F') is_held = is_held && fbx_binary_to_float(number, &single);
        if (!is_held) return fbx_binary_cannot_hold(typer, node);
        if (is_whole) bits = (uint64_t)integers[i];
        if (type == 'D') memcpy(&bits, &number, sizeof bits);
        if (type == 'F') memcpy(&word, &single, sizeof word), bits = word;
        if (is_list) *out++ = (uint8_t)type;
        for (uint32_t k = 0; k < width; k++) *out++ = (uint8_t)(bits >> 8 * k);
    }
    return true;
}

static bool fbx_binary_set_array(fbx_typer *typer, const tenon_fbx_node *parent,
                                 const tenon_fbx_node *node, tenon_fbx_value *value)
{
    const tn_change *change = typer->change;
    tn_mark mark = tn_arena_mark(&typer->scratch);
    bool has_fractions = value->code == 'd', is_bits = fbx_binary_is_bits(parent, node);
    bool is_list = node->value_count == 1 && node->property_count >= TENON_FBX_LIST_MIN;
    if (is_bits && has_fractions)
        return fbx_binary_fail(typer, node, TENON_ERR_VALUE,
                               "has fractions where the bits of numbers are expected");
    char type = is_bits ? 'I' : fbx_binary_type(node);
    if (has_fractions && type != 'F') type = 'D';
    tenon_fbx_node only = *node;  // Without other values.
    only.values = value;
    only.value_count = 1;
    uint64_t count;
    double *doubles = NULL;
    int64_t *integers = NULL;
    if (has_fractions)
        doubles = fbx_f64s(typer->doc, &only, &typer->scratch, &count, change->err);
    else
        integers = fbx_i64s(typer->doc, &only, &typer->scratch, &count, change->err);
    if (!doubles && !integers) {
        fbx_path(typer->doc, node, change->err->path, sizeof change->err->path);
        return false;
    }
    tenon_fbx_array *array = tn_change_alloc(change, 1, sizeof *array, "an array of numbers");
    if (!array) return false;
    for (uint64_t i = 0; integers && i < count; i++)  // Larger numbers became these.
        if (integers[i] == INT64_MIN || integers[i] == INT64_MAX)
            return fbx_binary_cannot_hold(typer, node);
    if (type != 'D' && type != 'F') type = fbx_binary_integer_type(integers, count, type);
    if (is_bits && type != 'I') return fbx_binary_cannot_hold(typer, node);
    if (is_list && type == 'B') type = 'I';
    array->encoding = is_list ? TENON_FBX_LIST : TENON_FBX_RAW;
    value->code = (char)((is_bits ? 'F' : type) | 32);
    array->data.layout = is_list ? fbx_list_layout(type) : fbx_array_layout(value->code);
    value->array = array;
    bool ok = fbx_binary_pack(typer, node, type, doubles, integers, count, array);
    tn_arena_rewind(&typer->scratch, mark);
    return ok;
}

// -- Nodes

// Whether all values are texts in base64.
static bool fbx_binary_is_content(const tenon_fbx_node *node)
{
    for (uint32_t i = 0; i < node->value_count; i++)
        if (node->values[i].code != 'S') return false;
    return fbx_is_named(node, "Content") || fbx_is_named(node, "BinaryData") ||
           fbx_is_named(node, "FileId");
}

// Base64 becomes one value of unknown content, none if it is empty.
static bool fbx_binary_set_content(const fbx_typer *typer, const tenon_fbx_node *node,
                                   tenon_fbx_node *out)
{
    const tn_change *change = typer->change;
    tenon_span bytes;
    if (!fbx_bytes(typer->doc, node, change->arena, &bytes, change->err)) return false;
    out->value_count = bytes.size > 0;
    if (!bytes.size) return true;
    tenon_fbx_array *array = tn_change_alloc(change, 1, sizeof *array, "embedded data");
    if (!array) return false;
    *array = (tenon_fbx_array){.count = (uint32_t)bytes.count, .data = bytes};
    out->values[0] = (tenon_fbx_value){.code = 'R', .array = array};
    return true;
}

static bool fbx_binary_set_values(fbx_typer *typer, const tenon_fbx_node *parent,
                                  const tenon_fbx_node *node, tenon_fbx_node *out)
{
    bool is_key = fbx_is_named(node, "Key"), has_ids = typer->doc->version >= ID_VERSION;
    bool is_object = node->value_count > 1 && node->values[1].code == 'S';
    bool is_property = fbx_binary_is_property(node);
    bool is_connection = fbx_is_named(node, "C");
    char type = fbx_binary_type(node);
    fbx_key_list keys = {0};
    for (uint32_t i = 0; i < node->value_count; i++) {
        tenon_fbx_value *value = &out->values[i];
        *value = node->values[i];
        bool ok = true, is_number = value->code == 'L' || value->code == 'D';
        char wanted = type;
        if (is_property && i < fbx_property_start(node)) wanted = 'I';
        if (has_ids && ((is_object && i == 0) || is_connection)) wanted = 'L';
        if (is_key && is_number) wanted = fbx_binary_pass_number(&keys);
        if (is_key && value->code == 'C') fbx_binary_pass_letter(&keys, (char)value->integer);
        if (is_number)
            ok = fbx_binary_set_number(typer, node, wanted, value);
        else if (value->code == 'S' && fbx_binary_is_name(typer, node, i))
            ok = fbx_binary_set_name(typer, value);
        else if (fbx_array_layout(value->code))
            ok = fbx_binary_set_array(typer, parent, node, value);
        if (!ok) return false;
    }
    return true;
}

// The nodes in `from`; those of the top level with room for one more.
static bool fbx_binary_set_children(fbx_typer *typer, const tenon_fbx_node *from,
                                    tenon_fbx_node *to)
{
    const tn_change *change = typer->change;
    *to = *from;
    uint64_t room = from->child_count;
    if (from == &typer->doc->root) room++;
    to->children = tn_change_alloc(change, room, sizeof *to->children, "nodes");
    to->values = tn_change_alloc(change, from->value_count, sizeof *to->values, "values");
    if (!to->children || !to->values) return false;
    for (uint32_t i = 0; i < from->child_count; i++) {
        const tenon_fbx_node *node = &from->children[i];
        tenon_fbx_node *out = &to->children[i];
        if (!fbx_binary_set_children(typer, node, out)) return false;
        bool ok = fbx_binary_is_content(node) ? fbx_binary_set_content(typer, node, out)
                                              : fbx_binary_set_values(typer, from, node, out);
        if (!ok) return false;
    }
    return true;
}

// What all binary files have after their header, and text files do not. There is room for it.
static bool fbx_binary_add_id(const fbx_typer *typer, tenon_fbx_node *root)
{
    const tn_change *change = typer->change;
    if (fbx_child(root, "FileId")) return true;
    uint32_t at = root->child_count && fbx_is_named(root->children, "FBXHeaderExtension");
    tenon_fbx_value *value = tn_change_alloc(change, 1, sizeof *value, "the id of the file");
    tenon_fbx_array *array = tn_change_alloc(change, 1, sizeof *array, "the id of the file");
    uint8_t *id = tn_change_alloc(change, 1, FBX_CODE_SIZE, "the id of the file");
    if (!value || !array || !id) return false;
    fbx_file_code(typer->doc, NULL, id);
    *array = (tenon_fbx_array){
        .count = FBX_CODE_SIZE,
        .data = {.data = id, .size = FBX_CODE_SIZE, .count = FBX_CODE_SIZE},
    };
    *value = (tenon_fbx_value){.code = 'R', .array = array};
    memmove(&root->children[at + 1], &root->children[at],
            (root->child_count - at) * sizeof *root->children);
    root->children[at] = (tenon_fbx_node){.name = {"FileId", 6}, .value_count = 1, .values = value};
    root->child_count++;
    return true;
}

bool fbx_binary_change(void *any, const tn_change *change)
{
    tenon_fbx *doc = any;
    bool is_text = (change->to->flags & TENON_FBX_TEXT) != 0;
    if (is_text == doc->is_text) return true;
    if (is_text)
        return tn_error(change->err, TENON_ERR_UNSUPPORTED,
                        "binary fbx files cannot be changed to text");
    if (doc->version == 0)
        return tn_error(change->err, TENON_ERR_UNSUPPORTED,
                        "the text does not say which version of FBX it is");
    fbx_typer typer = {
        .doc = doc,
        .change = change,
        .scratch = tn_arena_make(&change->arena->allocator, change->arena->limit),
    };
    tenon_fbx_node root;
    bool ok =
        fbx_binary_set_children(&typer, &doc->root, &root) && fbx_binary_add_id(&typer, &root);
    tn_arena_free(&typer.scratch);
    if (!ok) return false;
    doc->root = root;
    doc->is_text = false;
    doc->text = (tenon_str){"", 0};
    doc->container_version = doc->version < CONTAINER_VERSION ? OLD_CONTAINER : doc->version;
    fbx_set_footer(doc);
    return true;
}
