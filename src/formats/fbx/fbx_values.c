// fbx_values.c: find nodes, and read their values.
// SPDX-License-Identifier: MIT

#include "core/text/name_tree.h"
#include "core/text/text.h"
#include "formats/fbx/fbx_format.h"
#include "formats/fbx/fbx_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TICKS_USUAL     46186158000.0  // A second.
#define TICKS_OTHER     141120000.0    // With another definition of time codes.
#define TIME_CODE_USUAL 127

// -- Finding

bool fbx_is_named(const tenon_fbx_node *node, const char *name)
{
    return node && tn_text_is(node->name, name);
}

const tenon_fbx_node *fbx_child(const tenon_fbx_node *node, const char *name)
{
    return fbx_child_at(node, name, 0);
}

const tenon_fbx_node *fbx_child_at(const tenon_fbx_node *node, const char *name, uint32_t index)
{
    for (uint32_t i = 0; node && i < node->child_count; i++)
        if (fbx_is_named(&node->children[i], name) && index-- == 0) return &node->children[i];
    return NULL;
}

// -- Single values

const tenon_fbx_value *fbx_value(const tenon_fbx_node *node, uint32_t index)
{
    return node && index < node->value_count ? &node->values[index] : NULL;
}

tenon_str fbx_text(const tenon_fbx_node *node, uint32_t index)
{
    const tenon_fbx_value *value = fbx_value(node, index);
    return value && value->code == 'S' ? value->text : (tenon_str){"", 0};
}

int64_t fbx_int(const tenon_fbx_node *node, uint32_t index, int64_t fallback)
{
    const tenon_fbx_value *value = fbx_value(node, index);
    if (!value) return fallback;
    switch (value->code) {
    case 'B':
    case 'C':
    case 'Y':
    case 'I':
    case 'L':
        return value->integer;
    case 'F':
        return fbx_to_i64((double)value->single);
    case 'D':
        return fbx_to_i64(value->number);
    default:
        return fallback;
    }
}

double fbx_number(const tenon_fbx_node *node, uint32_t index, double fallback)
{
    const tenon_fbx_value *value = fbx_value(node, index);
    if (value && value->code == 'F') return (double)value->single;
    if (value && value->code == 'D') return value->number;
    bool is_integer = value && value->code && strchr("BCYIL", value->code);
    return is_integer ? (double)value->integer : fallback;
}

bool fbx_text_is(const tenon_fbx_node *node, uint32_t index, const char *text)
{
    const tenon_fbx_value *value = fbx_value(node, index);
    if (value && value->code == 'C')
        return value->integer == (uint8_t)text[0] && text[0] && !text[1];
    return value && value->code == 'S' && tn_text_is(value->text, text);
}

// Where `separator` starts in a text; its size if it is not there.
static uint32_t fbx_values_find(tenon_str text, const char *separator)
{
    for (uint32_t i = 0; text.size >= 2 && i < text.size - 1; i++)
        if (text.data[i] == separator[0] && text.data[i + 1] == separator[1]) return i;
    return text.size;
}

tenon_str fbx_object_name(const tenon_fbx *doc, tenon_str text, tenon_str *class_name)
{
    uint32_t at = fbx_values_find(text, doc->is_text ? "::" : "\0\x01");
    tenon_str first = {text.data, at}, second = {"", 0};
    if (at < text.size) second = (tenon_str){text.data + at + 2, text.size - at - 2};
    bool is_class_first = doc->is_text && at < text.size;
    if (class_name) *class_name = is_class_first ? first : second;
    return is_class_first ? second : first;
}

// -- Properties

const tenon_fbx_node *fbx_properties(const tenon_fbx_node *object)
{
    const tenon_fbx_node *list = fbx_child(object, "Properties70");
    return list ? list : fbx_child(object, "Properties60");
}

const tenon_fbx_node *fbx_property(const tenon_fbx_node *list, const char *name)
{
    // Programs set one property after the other: the last of several with one name counts.
    for (uint32_t i = list ? list->child_count : 0; i-- > 0;)
        if (fbx_text_is(&list->children[i], 0, name)) return &list->children[i];
    return NULL;
}

uint32_t fbx_property_start(const tenon_fbx_node *property)
{
    // "P": name, type, subtype, flags; "Property" in version 6: name, type, flags.
    return fbx_is_named(property, "P") ? 4 : 3;
}

double fbx_property_number(const tenon_fbx_node *list, const char *name, double fallback)
{
    const tenon_fbx_node *property = fbx_property(list, name);
    double value = fbx_number(property, fbx_property_start(property), fallback);
    return value - value == 0 ? value : fallback;
}

// -- What all of the file has in common

const tenon_fbx_node *fbx_settings(const tenon_fbx *doc)
{
    const tenon_fbx_node *node = fbx_child(&doc->root, "GlobalSettings");
    return node ? node : fbx_child(fbx_child(&doc->root, "Objects"), "GlobalSettings");
}

double fbx_tick_rate(const tenon_fbx *doc)
{
    const tenon_fbx_node *header = fbx_child(&doc->root, "FBXHeaderExtension");
    const tenon_fbx_node *code = fbx_child(fbx_child(header, "OtherFlags"), "TCDefinition");
    bool is_new = fbx_int(fbx_child(header, "FBXHeaderVersion"), 0, 0) >= 1004;
    bool is_other = code && is_new && fbx_int(code, 0, TIME_CODE_USUAL) != TIME_CODE_USUAL;
    if (doc->version >= 8000 && !code) is_other = true;
    return is_other ? TICKS_OTHER : TICKS_USUAL;
}

bool fbx_is_producer(tenon_str name, tenon_str type)
{
    static const char start[] = "Producer ";
    if (tn_text_is(type, "CameraSwitcher") || tn_text_is(name, "Camera Switcher")) return true;
    return name.size >= sizeof start - 1 && memcmp(name.data, start, sizeof start - 1) == 0;
}

// A name, of which there may be several.
typedef struct fbx_short_name {
    tn_named named;
    uint32_t count;
} fbx_short_name;

bool fbx_shorten_names(tenon_str *names, uint32_t count, tn_arena *arena, tenon_error *err)
{
    tn_name_tree tree = {0};
    tn_mark mark = tn_arena_mark(arena);
    fbx_short_name *items = tn_arena_alloc_or_fail(arena, count, sizeof *items, "names", err);
    if (!items) return false;
    for (uint32_t i = 0; i < count; i++) {
        tenon_str last = names[i];
        for (uint32_t k = 0; k < names[i].size; k++)
            if (names[i].data[k] == '|')
                last = (tenon_str){names[i].data + k + 1, names[i].size - k - 1};
        items[i] = (fbx_short_name){.named.name = last};
        ((fbx_short_name *)tn_name_enter(&tree, &items[i].named))->count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        tenon_str last = items[i].named.name;
        bool is_only = ((const fbx_short_name *)tn_name_find(&tree, last))->count == 1;
        if (last.size && is_only) names[i] = last;
    }
    tn_arena_rewind(arena, mark);
    return true;
}

// -- Places

// Append "name[index]" to a path. Returns the new end; a part that does not fit is left out, with
// all that would follow, so that the path is that of a node further up.
static char *fbx_values_put_part(char *out, size_t *out_size, const char *name, uint32_t index)
{
    int n = snprintf(out, *out_size, "%s[%" PRIu32 "]", name, index);
    if (n >= 0 && (size_t)n < *out_size) {
        *out_size -= (size_t)n;
        return out + n;
    }
    if (*out_size) out[0] = '\0';
    *out_size = 0;
    return out;
}

// Append the path from `parent` to `node`; false if it is not below it.
static bool fbx_values_path(const tenon_fbx_node *parent, const tenon_fbx_node *node,
                            const char *name, char *out, size_t out_size)
{
    for (uint32_t i = 0; i < parent->child_count; i++) {
        const tenon_fbx_node *child = &parent->children[i];
        size_t left = out_size;
        char *end = fbx_values_put_part(out, &left, name, i);
        if (child == node || fbx_values_path(child, node, ".children", end, left)) return true;
    }
    if (out_size) out[0] = '\0';
    return false;
}

// The same where nodes are as they were read, in the order of their offsets.
static bool fbx_values_path_by_offset(const tenon_fbx_node *parent, const tenon_fbx_node *node,
                                      const char *name, char *out, size_t out_size)
{
    for (uint32_t level = 0; parent->child_count && level <= FBX_DEPTH_MAX; level++) {
        uint32_t low = 0, high = parent->child_count;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (parent->children[middle].offset <= node->offset)
                low = middle;
            else
                high = middle;
        }
        parent = &parent->children[low];
        out = fbx_values_put_part(out, &out_size, name, low);
        if (parent == node) return true;
        name = ".children";
    }
    return false;
}

void fbx_path(const tenon_fbx *doc, const tenon_fbx_node *node, char *out, size_t out_size)
{
    if (fbx_values_path_by_offset(&doc->root, node, "nodes", out, out_size) ||
        fbx_values_path_by_offset(&doc->extension, node, "extension.nodes", out, out_size) ||
        fbx_values_path(&doc->root, node, "nodes", out, out_size))
        return;
    (void)fbx_values_path(&doc->extension, node, "extension.nodes", out, out_size);
}

// -- The version

uint32_t fbx_version(const tenon_fbx *doc)
{
    const tenon_fbx_node *header = fbx_child(&doc->root, "FBXHeaderExtension");
    int64_t stated = fbx_int(fbx_child(header, "FBXVersion"), 0, 0);
    uint32_t comment = doc->is_text ? fbx_text_version(doc->text) : 0;
    if (comment) return comment;
    if (stated > 0 && stated <= UINT32_MAX) return (uint32_t)stated;
    if (doc->footer.kind && doc->footer.version) return doc->footer.version;
    if (!doc->is_text) return doc->container_version;
    // Without any statement: objects have numbers, or properties their letters, from 7 and 6 on.
    const tenon_fbx_node *objects = fbx_child(&doc->root, "Objects");
    for (uint32_t i = 0; objects && i < objects->child_count; i++) {
        if (fbx_child(&objects->children[i], "Properties70")) return 7000;
        if (fbx_child(&objects->children[i], "Properties60")) return 6000;
    }
    return 0;
}
