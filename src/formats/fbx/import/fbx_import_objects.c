// fbx_import_objects.c: the objects of a file of version 7 and the links between them.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import.h"

#include "core/math/sort.h"
#include "core/text/text.h"

#include <math.h>
#include <string.h>

// -- Properties

// A property of a template.
typedef struct fbx_default {
    tn_named named;
    const tenon_fbx_node *property;
} fbx_default;

const tenon_fbx_node *fbx_import_property(const fbx_object *object, const char *name)
{
    const tenon_fbx_node *own = fbx_property(object->properties, name);
    if (own || !object->defaults) return own;
    const tenon_str key = {name, (uint32_t)strlen(name)};
    const tn_named *found = tn_name_find(&object->defaults->properties, key);
    return found ? ((const fbx_default *)found)->property : NULL;
}

double fbx_import_finite(double value)
{
    return value - value == 0 ? value : 0;
}

double fbx_import_property_number(const fbx_object *object, const char *name, double fallback)
{
    const tenon_fbx_node *property = fbx_import_property(object, name);
    double value = fbx_number(property, fbx_property_start(property), fallback);
    return value - value == 0 ? value : fallback;
}

int64_t fbx_import_property_integer(const tenon_fbx_node *property, int64_t fallback)
{
    return fbx_int(property, fbx_property_start(property), fallback);
}

tenon_str fbx_import_property_text(const fbx_object *object, const char *name)
{
    const tenon_fbx_node *property = fbx_import_property(object, name);
    return fbx_text(property, fbx_property_start(property));
}

bool fbx_import_property_vec3(const fbx_object *object, const char *name, double out[3])
{
    const tenon_fbx_node *property = fbx_import_property(object, name);
    uint32_t start = fbx_property_start(property);
    double values[3];
    if (!fbx_value(property, start + 2)) return false;
    for (uint32_t k = 0; k < 3; k++) {
        values[k] = fbx_number(property, start + k, 0);
        if (!(values[k] - values[k] == 0)) return false;
    }
    memcpy(out, values, sizeof values);
    return true;
}

// -- Links

fbx_links fbx_import_children(const fbx_importer *importer, uint32_t object)
{
    uint32_t start = importer->child_starts[object];
    return (fbx_links){importer->by_parent + start, importer->child_starts[object + 1] - start};
}

fbx_links fbx_import_parents(const fbx_importer *importer, uint32_t object)
{
    uint32_t start = importer->parent_starts[object];
    return (fbx_links){importer->by_child + start, importer->parent_starts[object + 1] - start};
}

uint32_t fbx_import_child_of(const fbx_importer *importer, uint32_t object, fbx_kind kind)
{
    fbx_links links = fbx_import_children(importer, object);
    for (uint32_t i = 0; i < links.count; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        if (!link->property.size && importer->objects[link->child].kind == kind) return link->child;
    }
    return TENON_NONE;
}

uint32_t fbx_import_parent_of(const fbx_importer *importer, uint32_t object, fbx_kind kind)
{
    fbx_links links = fbx_import_parents(importer, object);
    for (uint32_t i = 0; i < links.count; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        if (!link->property.size && importer->objects[link->parent].kind == kind)
            return link->parent;
    }
    return TENON_NONE;
}

bool fbx_import_add_link(fbx_importer *importer, uint32_t child, uint32_t parent,
                         tenon_str property)
{
    if (child == parent) return true;
    if (!fbx_import_grow(importer, (void **)&importer->links, importer->link_count,
                         &importer->link_room, sizeof *importer->links))
        return false;
    importer->links[importer->link_count++] = (fbx_link){child, parent, property};
    return true;
}

static bool fbx_import_objects_link_before(const void *context, uint32_t a, uint32_t b)
{
    const fbx_link *links = context, *x = &links[a], *y = &links[b];
    if (x->child != y->child) return x->child < y->child;
    if (x->parent != y->parent) return x->parent < y->parent;
    return tn_text_order(x->property, y->property) < 0;
}

// Of links that a file repeats one counts, so that nothing is shown twice. But a layered texture
// may have the same texture in several layers, and a model the same material in several slots.
static bool fbx_import_objects_drop_repeated(fbx_importer *importer)
{
    uint32_t count = importer->link_count, kept = 0;
    uint32_t *order = fbx_import_alloc(importer, count, 2 * sizeof *order);
    bool *is_repeated = fbx_import_alloc(importer, count, sizeof *is_repeated);
    if (importer->builder->failed) return false;
    tn_sort_all(order, count, fbx_import_objects_link_before, importer->links);
    for (uint32_t i = 1; i < count; i++) {
        const fbx_link *link = &importer->links[order[i]];
        bool has_slots = importer->objects[link->parent].kind == FBX_LAYERED_TEXTURE ||
                         importer->objects[link->child].kind == FBX_MATERIAL;
        is_repeated[order[i]] =
            !has_slots && !fbx_import_objects_link_before(importer->links, order[i - 1], order[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!is_repeated[i]) importer->links[kept++] = importer->links[i];
    importer->link_count = kept;
    return true;
}

// Counting sorts, which keep the order of the file.
bool fbx_import_index_links(fbx_importer *importer)
{
    if (!fbx_import_objects_drop_repeated(importer)) return false;
    uint32_t count = importer->link_count, objects = importer->object_count;
    importer->by_child = fbx_import_alloc(importer, count, sizeof(uint32_t));
    importer->by_parent = fbx_import_alloc(importer, count, sizeof(uint32_t));
    importer->child_starts = fbx_import_alloc(importer, (uint64_t)objects + 2, sizeof(uint32_t));
    importer->parent_starts = fbx_import_alloc(importer, (uint64_t)objects + 2, sizeof(uint32_t));
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < count; i++) {
        importer->child_starts[importer->links[i].parent + 2]++;
        importer->parent_starts[importer->links[i].child + 2]++;
    }
    for (uint32_t i = 2; i < objects + 2; i++) {
        importer->child_starts[i] += importer->child_starts[i - 1];
        importer->parent_starts[i] += importer->parent_starts[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        importer->by_parent[importer->child_starts[importer->links[i].parent + 1]++] = i;
        importer->by_child[importer->parent_starts[importer->links[i].child + 1]++] = i;
    }
    return true;
}

// -- Objects

fbx_kind fbx_import_kind_of(tenon_str name)
{
    static const struct {
        const char *name;
        fbx_kind kind;
    } kinds[] = {
        {"Model", FBX_MODEL},
        {"Geometry", FBX_GEOMETRY},
        {"NodeAttribute", FBX_ATTRIBUTE},
        {"Material", FBX_MATERIAL},
        {"Texture", FBX_TEXTURE},
        {"LayeredTexture", FBX_LAYERED_TEXTURE},
        {"Video", FBX_VIDEO},
        {"Deformer", FBX_DEFORMER},
        {"AnimationStack", FBX_STACK},
        {"AnimationLayer", FBX_LAYER},
        {"AnimationCurveNode", FBX_CURVE_NODE},
        {"AnimationCurve", FBX_CURVE},
        {"Constraint", FBX_CONSTRAINT},
        {"Cache", FBX_CACHE},
        {"CollectionExclusive", FBX_DISPLAY_LAYER},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (tn_text_is(name, kinds[i].name)) return kinds[i].kind;
    return FBX_OTHER;
}

static bool fbx_import_objects_before(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *ids = context;
    return ids[a] < ids[b];
}

// The object of that id; TENON_NONE: none.
static uint32_t fbx_import_objects_find(const int64_t *ids, const uint32_t *order, uint32_t count,
                                        int64_t id)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ids[order[middle]] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ids[order[low]] == id ? order[low] : TENON_NONE;
}

// The templates of a class of objects.
typedef struct fbx_class {
    tn_named named;
    const fbx_template *first;
    tn_name_tree templates;
} fbx_class;

static void fbx_import_objects_template(fbx_importer *importer, const tenon_fbx_node *node,
                                        fbx_template *out)
{
    const tenon_fbx_node *list = fbx_child(node, "Properties70");
    uint32_t count = list ? list->child_count : 0;
    tenon_str name = fbx_text(node, 0);
    if (name.size >= 3 && memcmp(name.data, "Fbx", 3) == 0)
        name = (tenon_str){name.data + 3, name.size - 3};
    out->named.name = name;
    fbx_default *items = fbx_import_alloc(importer, count, sizeof *items);
    for (uint32_t i = 0; items && i < count; i++) {
        items[i].property = &list->children[i];
        items[i].named.name = fbx_text(items[i].property, 0);
        (void)tn_name_enter(&out->properties, &items[i].named);
    }
}

// All templates. False if the import failed.
static bool fbx_import_objects_classes(fbx_importer *importer, tn_name_tree *classes)
{
    const tenon_fbx_node *all = fbx_child(&importer->doc->root, "Definitions");
    uint32_t count = all ? all->child_count : 0;
    fbx_class *items = fbx_import_alloc(importer, count, sizeof *items);
    for (uint32_t i = 0; items && i < count && !importer->builder->failed; i++) {
        const tenon_fbx_node *node = &all->children[i];
        items[i].named.name = fbx_text(node, 0);
        if (!fbx_is_named(node, "ObjectType")) continue;
        // Each kind of attribute may have the class again.
        fbx_class *class = (fbx_class *)tn_name_enter(classes, &items[i].named);
        fbx_template *made = fbx_import_alloc(importer, node->child_count, sizeof *made);
        for (uint32_t k = 0; made && k < node->child_count; k++) {
            if (!fbx_is_named(&node->children[k], "PropertyTemplate")) continue;
            fbx_import_objects_template(importer, &node->children[k], &made[k]);
            (void)tn_name_enter(&class->templates, &made[k].named);
            if (!class->first) class->first = &made[k];
        }
    }
    return !importer->builder->failed;
}

static void fbx_import_objects_read(fbx_importer *importer, const tenon_fbx_node *list,
                                    const tn_name_tree *classes, int64_t *ids)
{
    for (uint32_t i = 0; list && i < list->child_count; i++) {
        const tenon_fbx_node *node = &list->children[i];
        fbx_object *object = &importer->objects[importer->object_count];
        *object = (fbx_object){.kind = fbx_import_kind_of(node->name),
                               .node = node,
                               .name = fbx_object_name(importer->doc, fbx_text(node, 1), NULL),
                               .type = fbx_text(node, 2),
                               .properties = fbx_child(node, "Properties70"),
                               .index = TENON_NONE};
        // Some writers leave out the kind of a mesh.
        bool is_mesh = object->kind == FBX_GEOMETRY && fbx_child(node, "PolygonVertexIndex");
        if (!object->type.size && is_mesh) object->type = (tenon_str){"Mesh", 4};
        // If there are several templates, that of the object's kind, else the first, which is of
        // the main kind, as for models. A light does not have the properties of a camera.
        const fbx_class *class = (const fbx_class *)tn_name_find(classes, node->name);
        const tn_named *found = class ? tn_name_find(&class->templates, object->type) : NULL;
        if (class && object->kind != FBX_ATTRIBUTE) object->defaults = class->first;
        if (found) object->defaults = (const fbx_template *)found;
        object->name = fbx_import_text(importer, object->name);
        if (object->kind == FBX_MODEL && fbx_is_producer(object->name, object->type))
            object->kind = FBX_OTHER;
        ids[importer->object_count++] = fbx_int(node, 0, 0);
    }
}

// Later objects with the id of an earlier one cannot be linked.
static void fbx_import_objects_report_ids(fbx_importer *importer, const int64_t *ids,
                                          const uint32_t *order)
{
    for (uint32_t i = 1; i < importer->object_count; i++)
        fbx_import_count(importer, FBX_UNREAD_IDS, ids[order[i]] == ids[order[i - 1]], order[i]);
}

static bool fbx_import_objects_link(fbx_importer *importer, const int64_t *ids,
                                    const uint32_t *order)
{
    const tenon_fbx_node *list = fbx_child(&importer->doc->root, "Connections");
    uint32_t count = importer->object_count;
    importer->roots = fbx_import_alloc(importer, list ? list->child_count : 0, sizeof(uint32_t));
    for (uint32_t i = 0; list && i < list->child_count && !importer->builder->failed; i++) {
        const tenon_fbx_node *node = &list->children[i];
        if (node->value_count < 3 || (!fbx_is_named(node, "C") && !fbx_is_named(node, "Connect")))
            continue;
        // PP: the property of the child comes in front of the parent.
        bool has_child_property = fbx_text_is(node, 0, "PO") || fbx_text_is(node, 0, "PP");
        if (has_child_property) continue;
        int64_t parent_id = fbx_int(node, 2, 0);
        uint32_t child = fbx_import_objects_find(ids, order, count, fbx_int(node, 1, 0));
        uint32_t parent = fbx_import_objects_find(ids, order, count, parent_id);
        if (child != TENON_NONE && parent == TENON_NONE && parent_id == 0) {
            if (importer->objects[child].kind == FBX_MODEL)
                importer->roots[importer->root_count++] = child;
            continue;
        }
        bool is_known = child != TENON_NONE && parent != TENON_NONE;
        fbx_import_count(importer, FBX_UNREAD_LINKS, !is_known, TENON_NONE);
        bool is_property = fbx_text_is(node, 0, "OP");
        tenon_str property = is_property ? fbx_text(node, 3) : (tenon_str){"", 0};
        if (is_known) (void)fbx_import_add_link(importer, child, parent, property);
    }
    return !importer->builder->failed;
}

bool fbx_import_objects(fbx_importer *importer)
{
    const tenon_fbx_node *list = fbx_child(&importer->doc->root, "Objects");
    uint32_t count = list ? list->child_count : 0;
    importer->objects = fbx_import_alloc(importer, count, sizeof *importer->objects);
    int64_t *ids = fbx_import_alloc(importer, count, sizeof *ids);
    uint32_t *order = fbx_import_alloc(importer, count, sizeof *order);
    uint32_t *spare = fbx_import_alloc(importer, count, sizeof *spare);
    tn_name_tree classes = {0};
    if (importer->builder->failed || !fbx_import_objects_classes(importer, &classes)) return false;
    fbx_import_objects_read(importer, list, &classes, ids);
    for (uint32_t i = 0; i < importer->object_count; i++) order[i] = i;
    tn_sort(order, spare, importer->object_count, fbx_import_objects_before, ids);
    fbx_import_objects_report_ids(importer, ids, order);
    return fbx_import_objects_link(importer, ids, order);
}
