// mutate_fbx.c: changes an FBX file as a tree: its nodes, values, connections and arrays.
// SPDX-License-Identifier: MIT

#include "mutate_fbx.h"

#include "core/compress/inflate.h"
#include "fuzz.h"

#include <inttypes.h>
#include <math.h>
#include <tenon/fbx.h>

#define NODES_MOST  4096
#define DEPTH_MOST  30
#define ARRAY_MOST  ((uint64_t)1 << 16)  // Bytes of an array that is changed.
#define READ_MEMORY ((uint64_t)16 << 20)

typedef struct tree {
    tenon_fbx *doc;
    uint64_t *chance;
    uint32_t count;
    struct place {
        tenon_fbx_node *parent;
        uint32_t index;
    } places[NODES_MOST];
    void *made[32];  // Freed at the end.
    uint32_t made_count;
} tree;

static void *make(tree *t, uint64_t size)
{
    void *memory = t->made_count < 32 ? calloc(size ? size : 1, 1) : NULL;
    if (memory) t->made[t->made_count++] = memory;
    return memory;
}

static void collect(tree *t, tenon_fbx_node *parent)
{
    for (uint32_t i = 0; i < parent->child_count && t->count < NODES_MOST; i++) {
        t->places[t->count].parent = parent;
        t->places[t->count++].index = i;
        collect(t, &parent->children[i]);
    }
}

static tenon_fbx_node *node_at(tree *t, uint32_t place)
{
    return &t->places[place].parent->children[t->places[place].index];
}

static tenon_fbx_node *any_node(tree *t)
{
    return node_at(t, (uint32_t)pick(t->chance, t->count));
}

static bool is_named(const tenon_fbx_node *node, const char *name)
{
    return node->name.size == strlen(name) && memcmp(node->name.data, name, node->name.size) == 0;
}

// A node of that name among those that are tried; NULL: none was found.
static tenon_fbx_node *any_named(tree *t, const char *name)
{
    uint32_t start = (uint32_t)pick(t->chance, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        tenon_fbx_node *node = node_at(t, (start + i) % t->count);
        if (is_named(node, name)) return node;
    }
    return NULL;
}

// -- Nodes

// Put a copy of a node among the children of another; what is below is the same memory.
static bool insert(tree *t, tenon_fbx_node *parent, uint32_t index, const tenon_fbx_node *node)
{
    uint32_t count = parent->child_count;
    tenon_fbx_node *longer = make(t, ((uint64_t)count + 1) * sizeof *longer);
    if (!longer) return false;
    if (index) memcpy(longer, parent->children, index * sizeof *longer);
    longer[index] = *node;
    if (count > index)
        memcpy(longer + index + 1, parent->children + index, (count - index) * sizeof *longer);
    parent->children = longer;
    parent->child_count++;
    if (parent->child_list == TENON_FBX_NO_LIST) parent->child_list = TENON_FBX_TERMINATED;
    return true;
}

static bool change_nodes(tree *t)
{
    uint32_t at = (uint32_t)pick(t->chance, t->count);
    tenon_fbx_node *parent = t->places[at].parent, *other = any_node(t);
    uint32_t index = t->places[at].index, last = parent->child_count - 1;
    tenon_fbx_node *self = &parent->children[index], node = *self;
    switch (pick(t->chance, 5)) {
    case 0:
        memmove(self, self + 1, (last - index) * sizeof node);
        parent->child_count--;
        return true;
    case 1:
        return insert(t, parent, index, &node);
    case 2:
        return insert(t, other, (uint32_t)pick(t->chance, other->child_count + 1), &node);
    case 3:
        // Of a node and one above it, a cycle becomes, which is written to a limited depth.
        *self = *other;
        *other = node;
        return true;
    default:
        self->values = other->values;
        self->value_count = other->value_count;
        return true;
    }
}

// -- Values

static const char *const words[] = {"Mesh",
                                    "LimbNode",
                                    "Skin",
                                    "Cluster",
                                    "BlendShape",
                                    "Shape",
                                    "Camera",
                                    "Light",
                                    "LodGroup",
                                    "NurbsSurface",
                                    "ByPolygon",
                                    "ByVertice",
                                    "ByEdge",
                                    "AllSame",
                                    "IndexToDirect",
                                    "Direct",
                                    "DualQuaternion",
                                    "Additive",
                                    "Lcl Rotation",
                                    "Lcl Scaling",
                                    "DiffuseColor",
                                    "Maya|baseColor",
                                    "InheritType",
                                    "UpAxis",
                                    "RotationOrder",
                                    "Visibility",
                                    "DeformPercent",
                                    "BlendMode",
                                    "OP",
                                    "OO",
                                    "PP",
                                    "",
                                    "..\\..\\a.png",
                                    "d|Y",
                                    "UnitScaleFactor"};

static int64_t odd_i64(tree *t, int64_t old)
{
    // All of it modulo 2^64, since the number may be any.
    const uint64_t n = (uint64_t)old;
    const int64_t odd[] = {0,
                           1,
                           -1,
                           2,
                           3,
                           6,
                           (int64_t)(0 - n),
                           100,
                           (int64_t)(n + 1),
                           (int64_t)(n - 1),
                           INT32_MAX,
                           INT32_MIN,
                           INT64_MAX,
                           INT64_MIN,
                           24,
                           ~old,
                           old / 2,
                           7400,
                           127,
                           46186158000,
                           65536};
    return odd[pick(t->chance, sizeof odd / sizeof odd[0])];
}

static double odd_f64(tree *t, double old)
{
    const double odd[] = {0,   -0.0, 1,       -1,   0.5,  1e-30,    1e30,      1e-12,
                          90,  180,  360,     -old, 1e9,  old * 2,  old / 3,   1e300,
                          100, 1e38, old + 1, -1e9, 1e-9, HUGE_VAL, -HUGE_VAL, old - 1};
    return odd[pick(t->chance, sizeof odd / sizeof odd[0])];
}

static bool change_value(tree *t, tenon_fbx_node *node)
{
    if (!node->value_count) return false;
    tenon_fbx_value *value = &node->values[pick(t->chance, node->value_count)];
    const char *word = words[pick(t->chance, sizeof words / sizeof words[0])];
    const tenon_fbx_node *other = any_node(t);
    switch (value->code) {
    case 'S':
        value->text = (tenon_str){word, (uint32_t)strlen(word)};
        if (pick(t->chance, 2) && other->value_count && other->values[0].code == 'S')
            value->text = other->values[0].text;
        return true;
    case 'L':
    case 'I':
    case 'Y':
        value->integer = odd_i64(t, value->integer);
        if (value->code == 'I') value->integer = (int32_t)(uint64_t)value->integer;
        if (value->code == 'Y') value->integer = (int16_t)(uint64_t)value->integer;
        return true;
    case 'C':
    case 'B':
        value->integer = "TFWYLUCsnabRAMKtdp"[pick(t->chance, 18)];
        return true;
    case 'D':
        value->number = odd_f64(t, value->number);
        return true;
    case 'F':
        value->single = 0.5f * (float)pick(t->chance, 64) - 8;
        return true;
    default:
        return false;
    }
}

// Connect what was not connected: the ends of a connection become other objects.
static bool change_connection(tree *t)
{
    tenon_fbx_node *link = any_named(t, "C"), *other = any_named(t, "C");
    if (!link) link = other = any_named(t, "Connect");
    if (!link || link->value_count < 3 || other->value_count < 3) return false;
    // The values of copies are the same memory: a new connection needs its own.
    tenon_fbx_value *values = make(t, link->value_count * sizeof *values);
    if (!values) return false;
    memcpy(values, link->values, link->value_count * sizeof *values);
    link->values = values;
    values[1 + pick(t->chance, 2)] = other->values[1 + pick(t->chance, 2)];
    return true;
}

// -- Arrays

static uint64_t width_of(char code)
{
    return code == 'd' || code == 'l' ? 8 : code == 'i' || code == 'f' ? 4 : 1;
}

// Some numbers are removed, repeated or changed.
static void change_bytes(tree *t, uint8_t *bytes, uint64_t *count, uint64_t width, bool is_float)
{
    uint64_t at = pick(t->chance, *count), more = 1 + pick(t->chance, *count - at);
    int64_t integer = odd_i64(t, bytes[at * width]);
    double number = odd_f64(t, 1);
    float single = number > 1e38 || number < -1e38 ? 0 : (float)number;
    switch (pick(t->chance, 4)) {
    case 0:
        memmove(bytes + at * width, bytes + (at + more) * width, (*count - at - more) * width);
        *count -= more;
        break;
    case 1:
        memmove(bytes + (at + more) * width, bytes + at * width, (*count - at) * width);
        *count += more;
        break;
    default:
        if (is_float && width == 4)
            memcpy(bytes + at * width, &single, width);
        else if (is_float)
            memcpy(bytes + at * width, &number, width);
        else
            memcpy(bytes + at * width, &integer, width);
    }
}

// The digits of some numbers are removed, repeated or changed.
static void change_digits(tree *t, uint8_t *text, uint64_t *size)
{
    static const char *const numbers[] = {"0",     "-1",          "1",          "3",   "-3",
                                          "1e9",   "nan",         "2147483647", "0.5", "",
                                          "1e-30", "-2147483648", "24",         "x"};
    const char *word = numbers[pick(t->chance, sizeof numbers / sizeof numbers[0])];
    uint64_t at = pick(t->chance, *size), end = at, word_size = strlen(word);
    while (at > 0 && text[at - 1] != ',') at--;
    while (end < *size && text[end] != ',') end++;
    switch (pick(t->chance, 3)) {
    case 0:
        if (end < *size) end++;
        memmove(text + at, text + end, *size - end);
        *size -= end - at;
        break;
    case 1:
        memmove(text + end, text + at, *size - at);
        *size += end - at;
        break;
    default:
        memmove(text + at + word_size, text + end, *size - end);
        memcpy(text + at, word, word_size);
        *size = *size - (end - at) + word_size;
    }
}

static bool change_array(tree *t, tenon_fbx_node *node)
{
    if (node->value_count != 1 || !strchr("bcilfd", node->values[0].code)) return false;
    const tenon_fbx_array *old = node->values[0].array;
    const uint64_t width = width_of(node->values[0].code), size = old->data.size;
    bool is_float = node->values[0].code == 'f' || node->values[0].code == 'd';
    uint64_t room = 2 * (old->encoding == TENON_FBX_DIGITS ? size : old->count * width) + 64;
    if (old->encoding == TENON_FBX_LIST || old->count == 0 || size == 0 || room > ARRAY_MOST)
        return false;
    tenon_fbx_array *array = make(t, sizeof *array);
    uint8_t *bytes = make(t, room);
    tenon_fbx_value *value = make(t, sizeof *value);
    if (!array || !bytes || !value) return false;
    *array = *old;
    *value = node->values[0];
    value->array = array;
    node->values = value;
    array->data.data = bytes;
    uint64_t used = 0, count = old->count;
    if (old->encoding != TENON_FBX_DEFLATE)
        memcpy(bytes, old->data.data, size);
    else if (tn_inflate(old->data.data, size, bytes, count * width, &used))
        return false;
    if (old->encoding == TENON_FBX_DIGITS) {
        array->data.size = size;
        change_digits(t, bytes, &array->data.size);
        return true;
    }
    change_bytes(t, bytes, &count, width, is_float);
    array->encoding = TENON_FBX_RAW;
    array->count = (uint32_t)count;
    array->data.size = array->stored_size = (uint32_t)(count * width);
    return true;
}

// -- Writing

typedef struct output {
    uint8_t *data;
    uint64_t size, room;  // More than the room: nothing is written.
    bool is_wide, is_big_endian, has_stars;
} output;

static void put(output *out, const void *bytes, uint64_t size)
{
    if (size <= out->room && out->size <= out->room - size && size)
        memcpy(out->data + out->size, bytes, size);
    out->size += size;
}

static void put_bits(output *out, uint64_t value, uint32_t size)
{
    uint8_t bytes[8];
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * (out->is_big_endian ? size - 1 - i : i));
    put(out, bytes, size);
}

static void put_word(output *out, const char *word)
{
    put(out, word, strlen(word));
}

static void write_value(output *out, const tenon_fbx_value *value)
{
    uint64_t bits = (uint64_t)value->integer;
    uint32_t narrow;
    const tenon_fbx_array *array = value->array;
    if (strchr("bcilfd", value->code) && array->encoding == TENON_FBX_LIST) {
        put(out, array->data.data, array->data.size);
        return;
    }
    put(out, &value->code, 1);
    switch (value->code) {
    case 'C':
    case 'B':
        put_bits(out, bits, 1);
        break;
    case 'Y':
        put_bits(out, bits, 2);
        break;
    case 'I':
        put_bits(out, bits, 4);
        break;
    case 'F':
        memcpy(&narrow, &value->single, sizeof narrow);
        put_bits(out, narrow, 4);
        break;
    case 'L':
        put_bits(out, bits, 8);
        break;
    case 'D':
        memcpy(&bits, &value->number, sizeof bits);
        put_bits(out, bits, 8);
        break;
    case 'S':
        put_bits(out, value->text.size, 4);
        put(out, value->text.data, value->text.size);
        break;
    default:
        if (value->code != 'R') put_bits(out, array->count, 4);
        if (value->code != 'R') put_bits(out, array->encoding, 4);
        put_bits(out, array->data.size, 4);
        put(out, array->data.data, array->data.size);
    }
}

static uint64_t value_total(const tenon_fbx_node *node)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < node->value_count; i++) {
        const tenon_fbx_value *value = &node->values[i];
        bool is_list = strchr("bcilfd", value->code) && value->array->encoding == TENON_FBX_LIST;
        total += is_list ? value->array->count : 1;
    }
    return total;
}

static void write_nodes(output *out, const tenon_fbx_node *parent, int depth);

static void write_node(output *out, const tenon_fbx_node *node, int depth)
{
    uint32_t width = out->is_wide ? 8 : 4;
    uint64_t start = out->size;
    for (int i = 0; i < 3; i++) put_bits(out, 0, width);
    put_bits(out, node->name.size, 1);
    put(out, node->name.data, node->name.size);
    uint64_t values_start = out->size;
    for (uint32_t i = 0; i < node->value_count; i++) write_value(out, &node->values[i]);
    uint64_t values_size = out->size - values_start;
    if (node->child_list != TENON_FBX_NO_LIST) write_nodes(out, node, depth + 1);
    uint64_t end = out->size;
    out->size = start;
    put_bits(out, end, width);
    put_bits(out, value_total(node), width);
    put_bits(out, values_size, width);
    out->size = end;
}

static void write_nodes(output *out, const tenon_fbx_node *parent, int depth)
{
    static const uint8_t zeros[25] = {0};
    for (uint32_t i = 0; i < parent->child_count && depth < DEPTH_MOST; i++) {
        if (out->size > out->room) return;
        write_node(out, &parent->children[i], depth);
    }
    put(out, zeros, out->is_wide ? 25 : 13);
}

static void write_text(output *out, const tenon_fbx_value *value)
{
    char number[64];
    switch (value->code) {
    case 'S':
        put_word(out, "\"");
        for (uint32_t i = 0; i < value->text.size; i++) {
            if (value->text.data[i] == '"')
                put_word(out, "&quot;");
            else
                put(out, value->text.data + i, 1);
        }
        put_word(out, "\"");
        return;
    case 'C':
        number[0] = (char)value->integer;
        put(out, number, 1);
        return;
    case 'L':
        snprintf(number, sizeof number, "%" PRId64, value->integer);
        break;
    default:
        snprintf(number, sizeof number, "%.17g", value->number);
    }
    put_word(out, number);
}

static void write_texts(output *out, const tenon_fbx_node *parent, int depth)
{
    char star[32];
    for (uint32_t i = 0; i < parent->child_count && depth < DEPTH_MOST; i++) {
        const tenon_fbx_node *node = &parent->children[i];
        if (out->size > out->room) return;
        put(out, node->name.data, node->name.size);
        put_word(out, ": ");
        for (uint32_t k = 0; k < node->value_count; k++) {
            const tenon_fbx_value *value = &node->values[k];
            bool is_array = strchr("bcilfd", value->code) != NULL;
            if (k) put_word(out, ",");
            if (!is_array) {
                write_text(out, value);
                continue;
            }
            snprintf(star, sizeof star, "*%" PRIu32 " { a: ", value->array->count);
            if (out->has_stars) put_word(out, star);
            put(out, value->array->data.data, value->array->data.size);
            if (out->has_stars) put_word(out, " }");
        }
        if (node->child_list != TENON_FBX_NO_LIST) {
            put_word(out, " {\n");
            write_texts(out, node, depth + 1);
            put_word(out, "}");
        }
        put_word(out, "\n");
    }
}

static size_t write_file(const tenon_fbx *doc, uint8_t *data, size_t max_size)
{
    output out = {.data = data, .room = max_size, .has_stars = doc->version >= 7000};
    char head[64];
    if (doc->is_text) {
        snprintf(head, sizeof head, "; FBX %" PRIu32 ".%" PRIu32 ".0 project file\n",
                 doc->version / 1000, doc->version / 100 % 10);
        put_word(&out, head);
        write_texts(&out, &doc->root, 0);
    } else {
        out.is_wide = doc->container_version >= 7500;
        out.is_big_endian = doc->is_big_endian != 0;
        put(&out, "Kaydara FBX Binary  \0\x1a", 22);
        put_bits(&out, doc->is_big_endian, 1);
        put_bits(&out, doc->container_version, 4);
        write_nodes(&out, &doc->root, 0);
    }
    return out.size <= out.room ? (size_t)out.size : 0;
}

// -- One change or a few

static bool change_once(tree *t)
{
    if (t->count == 0) return false;
    switch (pick(t->chance, 6)) {
    case 0:
        if (!change_nodes(t)) return false;
        t->count = 0;
        collect(t, &t->doc->root);
        return true;
    case 1:
        return change_connection(t);
    case 2:
    case 3:
        return change_array(t, any_node(t));
    default:
        return change_value(t, any_node(t));
    }
}

size_t mutate_fbx(uint8_t *data, size_t size, size_t max_size, uint64_t *chance)
{
    tenon_read_opts opts = {.format = "fbx", .max_memory = READ_MEMORY, .copy = true};
    tenon_doc *doc = tenon_read(data, size, &opts, NULL);
    tree *t = calloc(1, sizeof *t);
    size_t written = 0;
    if (doc && t) {
        *t = (tree){.doc = tenon_as_fbx(doc), .chance = chance};
        collect(t, &t->doc->root);
        uint32_t wanted = 1 + (uint32_t)pick(chance, 3), done = 0;
        for (int tries = 0; tries < 40 && done < wanted; tries++) done += change_once(t);
        if (done) written = write_file(t->doc, data, max_size);
        for (uint32_t i = 0; i < t->made_count; i++) free(t->made[i]);
    }
    free(t);
    tenon_doc_free(doc);
    return written;
}
