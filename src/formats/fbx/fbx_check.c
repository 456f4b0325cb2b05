// fbx_check.c: the rules for an FBX file that can be read.
// SPDX-License-Identifier: MIT

#include "formats/fbx/fbx_format.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "core/text/text.h"
#include "document/document.h"
#include "document/field_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OLDEST_VERSION = 3000, NEWEST_VERSION = 7700, ID_VERSION = 7000 };

const tenon_rule fbx_rules[FBX_RULE_COUNT] = {
    {"fbx/version", TENON_WARNING, "the version is one from 3.0 to 7.7",
     "save the file with a current version of the program, as FBX 7.4", NULL},
    {"fbx/footer", TENON_WARNING, "a binary file ends with a footer", NULL, NULL},
    {"fbx/terminator", TENON_WARNING, "a record of zeros ends every list of nodes", NULL, NULL},
    {"fbx/size", TENON_WARNING, "the size of the values of a node is right", NULL, NULL},
    {"fbx/duplicate-id", TENON_WARNING, "no two objects have the same id",
     "give the later object a new id, and connect it with that", NULL},
    {"fbx/connection", TENON_WARNING, "connections are between objects that exist",
     "remove the connection, or restore the missing object", NULL},
    {"fbx/array-data", TENON_ERROR, "the numbers of an array can be decoded", NULL, NULL},
    {"fbx/index-range", TENON_ERROR, "polygons refer to vertices that exist",
     "remove the polygon, or restore the missing vertices", NULL},
    {"fbx/text-utf8", TENON_WARNING, "texts are UTF-8",
     "save the file with a program that writes FBX 7", NULL},
    {"fbx/not-finite", TENON_WARNING, "numbers are finite", NULL, NULL},
    {"fbx/bind-matrix", TENON_WARNING, "skins have a bind matrix for each of their joints",
     "export the skin again, from its bind pose: importers take the rest pose or drop the skin",
     NULL},
    {"fbx/bind-pose", TENON_WARNING, "a bind pose has all joints of a skin",
     "export the bind pose, too: importers that need one take the first frame instead", NULL},
    {"fbx/joint-roots", TENON_WARNING, "the joints of a skin are below one root",
     "put the joints below one parent: some engines refuse skeletons with several roots", NULL},
    {"fbx/joint-scale", TENON_WARNING, "joints are scaled by the same factor along all axes",
     "apply the scale before binding: engines shear what is below such a joint, or ignore the "
     "scale",
     NULL},
    {"fbx/negative-scale", TENON_WARNING, "no node is mirrored by its scale",
     "apply the scale to the mesh: some importers turn its faces inside out", NULL},
    {"fbx/influences", TENON_WARNING, "a vertex has at most 4 weights",
     "limit the weights before the export: engines drop the smallest ones", NULL},
    {"fbx/animated-pivot", TENON_WARNING, "pivots and pre-rotations do not move",
     "export with baked animation: most importers keep the pivots at rest", NULL},
};

static tn_path_text fbx_check_path(const tenon_fbx *doc, const tenon_fbx_node *node)
{
    char path[140];
    fbx_path(doc, node, path, sizeof path);
    return tn_path("%s", path);
}

// -- The container

static void fbx_check_lists(tn_check *check, const tenon_fbx *doc, const tenon_fbx_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        fbx_check_lists(check, doc, &node->children[i]);
    if (node->child_list == TENON_FBX_OPEN)
        tn_found(check, "terminator", fbx_check_path(doc, node),
                 "no record of zeros ends the list of %" PRIu32 " nodes", node->child_count);
    uint64_t size = fbx_describe_measure(node);
    if (node->properties_size != size)
        tn_found(check, "size", fbx_check_path(doc, node),
                 "the values take %" PRIu64 " bytes, the header says %" PRIu64, size,
                 node->properties_size);
}

static void fbx_check_container(tn_check *check, const tenon_fbx *doc)
{
    if (doc->version < OLDEST_VERSION || doc->version > NEWEST_VERSION)
        tn_found(check, "version", tn_path(doc->is_text ? "" : "version"),
                 "the version is %" PRIu32 ", known are %d to %d", doc->version, OLDEST_VERSION,
                 NEWEST_VERSION);
    if (doc->is_text) return;
    fbx_check_lists(check, doc, &doc->root);
    fbx_check_lists(check, doc, &doc->extension);
    if (doc->footer.kind == TENON_FBX_NO_FOOTER)
        tn_found(check, "footer", tn_path("%s", doc->base.trailing.size ? "trailing" : "footer"),
                 "the footer is missing or damaged: %" PRIu64 " bytes follow the nodes",
                 doc->base.trailing.size);
    else if (doc->footer.version != doc->version && doc->version >= ID_VERSION)
        tn_found(check, "footer", tn_path("footer.version"),
                 "the version is %" PRIu32 ", but that of the footer %" PRIu32, doc->version,
                 doc->footer.version);
}

// -- Arrays

static void fbx_check_polygons(tn_check *check, const tenon_fbx *doc, const tenon_fbx_node *mesh,
                               const tenon_fbx_node *polygons, tn_arena *arena)
{
    uint64_t count, vertices = fbx_number_count(fbx_child(mesh, "Vertices")) / 3, bad = 0;
    tenon_error err = {0};
    const int32_t *corners = fbx_i32s(doc, polygons, arena, &count, &err);
    int64_t first = 0;
    if (!corners) return;  // Reported as an array.
    for (uint64_t i = count; i-- > 0;) {
        // The last corner of a polygon is stored as -1 - index.
        int64_t index = corners[i] < 0 ? -1 - (int64_t)corners[i] : corners[i];
        if ((uint64_t)index < vertices) continue;
        bad++;
        first = index;
    }
    if (bad)
        tn_found(check, "index-range", fbx_check_path(doc, polygons),
                 "%" PRIu64 " of %" PRIu64
                 " corners refer to vertices that do not exist, the first "
                 "to %" PRId64 " of %" PRIu64,
                 bad, count, first, vertices);
}

// Whether the array has floats that are not fields of the file, which have a rule already.
static bool fbx_check_has_floats(const tenon_fbx_node *node)
{
    const tenon_fbx_value *value = node->values;
    bool is_float = value->code == 'f' || value->code == 'd';
    return is_float && node->value_count == 1 &&
           (value->array->encoding == TENON_FBX_DEFLATE ||
            value->array->encoding == TENON_FBX_DIGITS);
}

// What can only be seen when the arrays are decoded.
static void fbx_check_arrays(tn_check *check, const tenon_fbx *doc, const tenon_fbx_node *parent,
                             tn_arena *arena)
{
    for (uint32_t i = 0; i < parent->child_count && !check->cancelled && !check->failed; i++) {
        const tenon_fbx_node *node = &parent->children[i];
        const tenon_fbx_value *value = fbx_value(node, 0);
        fbx_check_arrays(check, doc, node, arena);
        if (!value || !fbx_array_layout(value->code)) continue;
        tenon_error err = {0};
        tn_mark mark = tn_arena_mark(arena);
        uint64_t count, bad = 0, first = 0;
        const double *numbers = fbx_f64s(doc, node, arena, &count, &err);
        if (!numbers && (err.code == TENON_ERR_VALUE || err.code == TENON_ERR_LIMIT))
            tn_found(check, "array-data", fbx_check_path(doc, node), "%s", err.message);
        else if (!numbers)
            tn_check_fail(check, &err);
        for (uint64_t k = count; fbx_check_has_floats(node) && k-- > 0;) {
            if (numbers[k] - numbers[k] == 0) continue;
            bad++;
            first = k;
        }
        if (bad)
            tn_found(check, "not-finite", fbx_check_path(doc, node),
                     "%" PRIu64 " of %" PRIu64
                     " numbers are not finite, the first is number %" PRIu64,
                     bad, count, first);
        if (numbers && fbx_is_named(node, "PolygonVertexIndex"))
            fbx_check_polygons(check, doc, parent, node, arena);
        tn_arena_rewind(arena, mark);
        (void)tn_check_step(check, value->array->data.size);
    }
}

// -- Objects

typedef struct fbx_ids {
    const tenon_fbx_node *objects;
    uint32_t *order;  // Of the objects, by id and then by place.
} fbx_ids;

static int64_t fbx_check_id(const fbx_ids *ids, uint32_t i)
{
    return fbx_int(&ids->objects->children[i], 0, 0);
}

static bool fbx_check_is_before(const void *context, uint32_t a, uint32_t b)
{
    return fbx_check_id(context, a) < fbx_check_id(context, b);
}

static bool fbx_check_has_id(const fbx_ids *ids, int64_t id)
{
    uint32_t low = 0, high = ids->objects->child_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (fbx_check_id(ids, ids->order[middle]) < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ids->objects->child_count && fbx_check_id(ids, ids->order[low]) == id;
}

// From version 7 on, objects have ids, and 0 is the root of the scene.
static void fbx_check_objects(tn_check *check, const tenon_fbx *doc)
{
    static const tenon_fbx_node none = {0};
    const tenon_fbx_node *objects = fbx_child(&doc->root, "Objects");
    const tenon_fbx_node *connections = fbx_child(&doc->root, "Connections");
    if (doc->version < ID_VERSION) return;
    fbx_ids ids = {.objects = objects ? objects : &none};
    uint32_t count = ids.objects->child_count;
    ids.order = tn_check_alloc(check, count, sizeof *ids.order);
    uint32_t *spare = tn_check_alloc(check, count, sizeof *spare);
    if (!ids.order || !spare) return;
    for (uint32_t i = 0; i < count; i++) ids.order[i] = i;
    tn_sort(ids.order, spare, count, fbx_check_is_before, &ids);
    for (uint32_t i = 1; i < count; i++) {
        int64_t id = fbx_check_id(&ids, ids.order[i]);
        if (id != fbx_check_id(&ids, ids.order[i - 1]) || id == 0) continue;
        tn_found(check, "duplicate-id", fbx_check_path(doc, &objects->children[ids.order[i]]),
                 "another object also has the id %" PRId64, id);
    }
    for (uint32_t i = 0; connections && i < connections->child_count; i++) {
        const tenon_fbx_node *node = &connections->children[i];
        if (!fbx_is_named(node, "C")) continue;
        bool is_of_property = fbx_text_is(node, 0, "PO") || fbx_text_is(node, 0, "PP");
        uint32_t parent_at = is_of_property ? 3 : 2;
        int64_t child = fbx_int(node, 1, 0), parent = fbx_int(node, parent_at, 0);
        bool has_child = fbx_check_has_id(&ids, child);
        bool has_parent = parent == 0 || fbx_check_has_id(&ids, parent);
        if (has_child && has_parent) continue;
        tn_found(check, "connection", fbx_check_path(doc, node),
                 "the %s has the id %" PRId64 ", which no object has",
                 has_child ? "parent" : "child", has_child ? parent : child);
    }
}

void fbx_check(tn_check *check, const void *any)
{
    const tenon_fbx *doc = any;
    fbx_check_container(check, doc);
    tn_check_fields(check, doc);
    fbx_check_objects(check, doc);
    // Arrays are decoded within the limit that reading the document has.
    tn_arena arena = tn_arena_make(&check->opts->allocator, doc->base.owner->arena.limit);
    fbx_check_arrays(check, doc, &doc->root, &arena);
    fbx_check_arrays(check, doc, &doc->extension, &arena);
    tn_arena_free(&arena);
    if (!check->cancelled && !check->failed) fbx_import_check(check, doc);
}
