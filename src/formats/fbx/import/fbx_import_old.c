// fbx_import_old.c: files before version 7: objects have names instead of ids, geometry is part of
// models, and clips are takes.
// SPDX-License-Identifier: MIT
//
// From version 6 on objects are in a list and connected; before that, they are at the top level,
// and a model lists its children.

#include "formats/fbx/import/fbx_import_old.h"
#include "formats/fbx/import/fbx_import_clips.h"

#include "core/text/text.h"

#include <string.h>

// -- Objects

// An object of the file, found by its name with its class.
typedef struct old_object {
    tn_named named;
    uint32_t object;
} old_object;

typedef struct old_importer {
    fbx_importer *importer;
    const tenon_fbx_node *list;
    old_object *objects;
    tn_name_tree names;
    tn_name_tree paints;  // Before version 6: materials and textures, which are inside of models.
    bool has_connections;
} old_importer;

// The kind of a model before version 6, which has it in a field or nowhere.
static tenon_str fbx_import_old_type(const tenon_fbx_node *node)
{
    tenon_str type = fbx_text(node, 1);
    if (!type.size) type = fbx_text(fbx_child(node, "Type"), 0);
    if (!type.size && fbx_child(node, "Vertices")) type = (tenon_str){"Mesh", 4};
    return type;
}

// What version 7 keeps apart from a model: the kind of object; FBX_OTHER: nothing.
static fbx_kind fbx_import_old_content(const fbx_object *model)
{
    if (tn_text_is(model->type, "Camera") || tn_text_is(model->type, "Light")) return FBX_ATTRIBUTE;
    if (fbx_child(model->node, "Vertices")) return FBX_GEOMETRY;
    bool has_geometry =
        tn_text_is(model->type, "Line") || fbx_child(model->node, "NurbsSurfaceVersion") ||
        tn_text_is(model->type, "Nurb") || tn_text_is(model->type, "NurbsSurface") ||
        tn_text_is(model->type, "NurbsCurve") || tn_text_is(model->type, "TrimNurbsSurface");
    return has_geometry ? FBX_GEOMETRY : FBX_OTHER;
}

static uint32_t fbx_import_old_add(fbx_importer *importer, const fbx_object *object)
{
    importer->objects[importer->object_count] = *object;
    importer->objects[importer->object_count].index = TENON_NONE;
    return importer->object_count++;
}

// Before version 6: the materials, textures and bones that are inside of a model. The same material
// may be inside of several.
static void fbx_import_old_inside(old_importer *old, uint32_t model, uint32_t geometry)
{
    fbx_importer *importer = old->importer;
    const tenon_fbx_node *node = importer->objects[model].node;
    uint32_t skin = TENON_NONE;
    for (uint32_t i = 0; i < node->child_count && !importer->builder->failed; i++) {
        const tenon_fbx_node *child = &node->children[i];
        fbx_object object = {.kind = fbx_import_kind_of(child->name), .node = child};
        tenon_str name = fbx_text(child, 0);
        if (fbx_is_named(child, "Link") && geometry != TENON_NONE) {
            if (skin == TENON_NONE) {
                object = (fbx_object){.kind = FBX_DEFORMER, .node = node, .type = {"Skin", 4}};
                skin = fbx_import_old_add(importer, &object);
                (void)fbx_import_add_link(importer, skin, geometry, (tenon_str){"", 0});
            }
            object = (fbx_object){.kind = FBX_DEFORMER, .node = child, .type = {"Cluster", 7}};
            (void)fbx_import_add_link(importer, fbx_import_old_add(importer, &object), skin,
                                      (tenon_str){"", 0});
        }
        bool is_paint = object.kind == FBX_MATERIAL || object.kind == FBX_TEXTURE;
        if (!is_paint || !name.size) continue;
        const tn_named *found = tn_name_find(&old->paints, name);
        uint32_t paint = found ? ((const old_object *)found)->object : TENON_NONE;
        if (!found) {
            object.name = fbx_import_text(importer, fbx_object_name(importer->doc, name, NULL));
            paint = fbx_import_old_add(importer, &object);
            old->objects[paint] = (old_object){.named.name = name, .object = paint};
            (void)tn_name_enter(&old->paints, &old->objects[paint].named);
        }
        (void)fbx_import_add_link(importer, paint, model, (tenon_str){"", 0});
    }
}

static void fbx_import_old_read(old_importer *old)
{
    fbx_importer *importer = old->importer;
    for (uint32_t i = 0; i < old->list->child_count && !importer->builder->failed; i++) {
        const tenon_fbx_node *node = &old->list->children[i];
        fbx_object object = {.kind = fbx_import_kind_of(node->name), .node = node};
        if (object.kind == FBX_OTHER || object.kind == FBX_STACK) continue;
        object.name = fbx_object_name(importer->doc, fbx_text(node, 0), NULL);
        object.type = object.kind == FBX_MODEL ? fbx_import_old_type(node) : fbx_text(node, 1);
        object.properties = fbx_child(node, "Properties60");
        if (object.kind == FBX_MODEL && fbx_is_producer(object.name, object.type)) continue;
        object.name = fbx_import_text(importer, object.name);
        uint32_t index = fbx_import_old_add(importer, &object);
        old_object *named = &old->objects[index];
        *named = (old_object){.named.name = fbx_text(node, 0), .object = index};
        bool is_model = object.kind == FBX_MODEL;
        if ((old->has_connections || is_model) &&
            tn_name_enter(&old->names, &named->named) != &named->named)
            fbx_import_count(importer, FBX_UNREAD_IDS, 1, index);
        fbx_kind content = is_model ? fbx_import_old_content(&object) : FBX_OTHER;
        uint32_t inner = TENON_NONE;
        if (content != FBX_OTHER) {
            object.kind = content;
            if (fbx_child(node, "Vertices")) object.type = (tenon_str){"Mesh", 4};
            inner = fbx_import_old_add(importer, &object);
            (void)fbx_import_add_link(importer, inner, index, (tenon_str){"", 0});
        }
        if (is_model && !old->has_connections)
            fbx_import_old_inside(old, index, content == FBX_GEOMETRY ? inner : TENON_NONE);
    }
}

static uint32_t fbx_import_old_find(const old_importer *old, tenon_str name)
{
    const tn_named *found = tn_name_find(&old->names, name);
    return found ? ((const old_object *)found)->object : TENON_NONE;
}

// The object that a deformer of a model deforms: the one made of its geometry, which follows it.
static uint32_t fbx_import_old_geometry_of(const fbx_importer *importer, uint32_t model)
{
    uint32_t next = model + 1;
    bool is_there = next < importer->object_count && importer->objects[next].kind == FBX_GEOMETRY &&
                    importer->objects[next].node == importer->objects[model].node;
    return is_there ? next : TENON_NONE;
}

static void fbx_import_old_connect(old_importer *old, const tenon_fbx_node *link)
{
    fbx_importer *importer = old->importer;
    if (fbx_text_is(link, 0, "PO") || fbx_text_is(link, 0, "PP")) return;
    tenon_str to = fbx_text(link, 2);
    uint32_t child = fbx_import_old_find(old, fbx_text(link, 1));
    uint32_t parent = fbx_import_old_find(old, to);
    if (child == TENON_NONE) return;
    if (parent == TENON_NONE) {
        tenon_str name = fbx_object_name(importer->doc, to, NULL);
        bool is_root = tn_text_is(name, "Scene") && importer->objects[child].kind == FBX_MODEL;
        if (is_root) importer->roots[importer->root_count++] = child;
        fbx_import_count(importer, FBX_UNREAD_LINKS, !is_root, child);
        return;
    }
    bool is_property = fbx_text_is(link, 0, "OP");
    tenon_str property = is_property ? fbx_text(link, 3) : (tenon_str){"", 0};
    bool deforms = importer->objects[child].kind == FBX_DEFORMER &&
                   importer->objects[parent].kind == FBX_MODEL;
    if (deforms) parent = fbx_import_old_geometry_of(importer, parent);
    if (parent != TENON_NONE) (void)fbx_import_add_link(importer, child, parent, property);
}

// Copies of a mesh that were one mesh of several models become that again, since only the first has
// the skin.
static bool fbx_import_old_share(fbx_importer *importer)
{
    old_object *names = fbx_import_alloc(importer, importer->object_count, sizeof *names);
    tn_name_tree tree = {0};
    if (!names) return false;
    for (uint32_t i = 0; i < importer->link_count; i++) {
        fbx_link *link = &importer->links[i];
        const fbx_object *geometry = &importer->objects[link->child];
        if (geometry->kind != FBX_GEOMETRY || importer->objects[link->parent].kind != FBX_MODEL)
            continue;
        tenon_str name = fbx_text(fbx_child(geometry->node, "NodeAttributeName"), 0);
        if (!name.size) continue;
        // A geometry may have several links.
        const tn_named *found = tn_name_find(&tree, name);
        if (!found) {
            names[link->child] = (old_object){.named.name = name, .object = link->child};
            (void)tn_name_enter(&tree, &names[link->child].named);
            continue;
        }
        const fbx_object *first = &importer->objects[((const old_object *)found)->object];
        static const char *const lists[] = {"Vertices", "PolygonVertexIndex"};
        bool is_same = true;
        for (int k = 0; k < 2; k++)
            is_same &= fbx_number_count(fbx_child(first->node, lists[k])) ==
                       fbx_number_count(fbx_child(geometry->node, lists[k]));
        if (is_same) link->child = ((const old_object *)found)->object;
    }
    return true;
}

// Before version 6: the children of a model, and the bones of its skin.
static void fbx_import_old_children(old_importer *old)
{
    fbx_importer *importer = old->importer;
    uint32_t count = importer->object_count;
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const tenon_fbx_node *node = importer->objects[i].node;
        if (importer->objects[i].kind == FBX_DEFORMER && fbx_is_named(node, "Link")) {
            uint32_t bone = fbx_import_old_find(old, fbx_text(node, 0));
            fbx_import_count(importer, FBX_UNREAD_LINKS, bone == TENON_NONE, i);
            if (bone != TENON_NONE)
                (void)fbx_import_add_link(importer, bone, i, (tenon_str){"", 0});
        }
        if (importer->objects[i].kind != FBX_MODEL) continue;
        const tenon_fbx_node *children = fbx_child(node, "Children");
        for (uint32_t k = 0; children && k < children->value_count; k++) {
            uint32_t child = fbx_import_old_find(old, fbx_text(children, k));
            if (child != TENON_NONE)
                (void)fbx_import_add_link(importer, child, i, (tenon_str){"", 0});
        }
    }
}

// Before version 6: what the current take, or else the first one, says about models.
static void fbx_import_old_take_rests(old_importer *old)
{
    const tenon_fbx_node *takes = fbx_child(&old->importer->doc->root, "Takes"), *take = NULL;
    tenon_str current = fbx_text(fbx_child(takes, "Current"), 0);
    for (uint32_t i = 0; takes && i < takes->child_count; i++) {
        const tenon_fbx_node *child = &takes->children[i];
        if (!fbx_is_named(child, "Take")) continue;
        bool is_current = current.size && tn_text_equal(fbx_text(child, 0), current);
        if (!take || is_current) take = child;
        if (is_current) break;
    }
    for (uint32_t i = 0; take && i < take->child_count; i++) {
        const tenon_fbx_node *model = &take->children[i];
        uint32_t object = TENON_NONE;
        if (fbx_is_named(model, "Model")) object = fbx_import_old_find(old, fbx_text(model, 0));
        if (object != TENON_NONE) old->importer->objects[object].take = model;
    }
}

bool fbx_import_old_objects(fbx_importer *importer)
{
    const tenon_fbx_node *root = &importer->doc->root;
    const tenon_fbx_node *links = fbx_child(root, "Connections");
    old_importer old = {.importer = importer, .list = fbx_child(root, "Objects")};
    old.has_connections = old.list != NULL;
    if (!old.list) old.list = root;
    uint64_t most = 2 * (uint64_t)old.list->child_count;
    for (uint32_t i = 0; i < old.list->child_count && !old.has_connections; i++)
        most += 1 + (uint64_t)old.list->children[i].child_count;
    importer->objects = fbx_import_alloc(importer, most, sizeof *importer->objects);
    old.objects = fbx_import_alloc(importer, most, sizeof *old.objects);
    importer->roots =
        fbx_import_alloc(importer, links ? links->child_count : 0, sizeof *importer->roots);
    if (importer->builder->failed) return false;
    fbx_import_old_read(&old);
    for (uint32_t i = 0; links && i < links->child_count && !importer->builder->failed; i++)
        fbx_import_old_connect(&old, &links->children[i]);
    if (!old.has_connections) fbx_import_old_children(&old);
    if (!old.has_connections) fbx_import_old_take_rests(&old);
    return !importer->builder->failed && fbx_import_old_paint(importer) &&
           fbx_import_old_share(importer);
}

// -- Transforms before version 6

// The channel of that name below a node.
static const tenon_fbx_node *fbx_import_old_channel(const tenon_fbx_node *node, const char *name)
{
    for (uint32_t i = 0; node && i < node->child_count; i++)
        if (fbx_is_named(&node->children[i], "Channel") && fbx_text_is(&node->children[i], 0, name))
            return &node->children[i];
    return NULL;
}

void fbx_import_old_rest(const fbx_object *object, fbx_model *model)
{
    static const char *const parts[] = {"T", "R", "S"}, *const axes[] = {"X", "Y", "Z"};
    double *const values[] = {model->translation, model->rotation, model->scale};
    const tenon_fbx_node *transform = fbx_import_old_channel(object->node, "Transform");
    // Some files have it in their takes only.
    if (!transform) transform = fbx_import_old_channel(object->take, "Transform");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const tenon_fbx_node *axis =
                fbx_import_old_channel(fbx_import_old_channel(transform, parts[i]), axes[k]);
            double value = fbx_number(fbx_child(axis, "Default"), 0, values[i][k]);
            if (value - value == 0) values[i][k] = value;
        }
}

// -- Keys

typedef struct old_keys {
    const tenon_fbx_node *node;
    uint32_t at;
} old_keys;

// The letter that is next; 0: it is a number, or nothing.
static char fbx_import_old_next(const old_keys *keys)
{
    const tenon_fbx_value *value = fbx_value(keys->node, keys->at);
    if (!value) return 0;
    if (value->code == 'C') return (char)(value->integer & 0x7f);
    return value->code == 'S' && value->text.size ? value->text.data[0] : 0;
}

static char fbx_import_old_letter(old_keys *keys)
{
    char letter = fbx_import_old_next(keys);
    keys->at++;
    return letter;
}

static float fbx_import_old_number(old_keys *keys)
{
    double value = fbx_number(keys->node, keys->at++, 0);
    return value - value == 0 ? tn_to_float(value) : 0;
}

// A weight is a share of the time between two keys.
static float fbx_import_old_weight(old_keys *keys)
{
    float weight = fbx_import_old_number(keys);
    return weight >= 0 && weight <= 1 ? weight : (float)(1.0 / 3);
}

// How far the tangents of a key reach, if the file says so. False if it says so in an unknown way.
static bool fbx_import_old_weights(old_keys *keys, fbx_raw_key *key)
{
    char kind = fbx_import_old_letter(keys);
    if (kind == 'a' || kind == 'r') key->right_weight = fbx_import_old_weight(keys);
    if (kind == 'a' || kind == 'l') key->left_weight = fbx_import_old_weight(keys);
    return kind == 'a' || kind == 'r' || kind == 'l' || kind == 'n' || kind == 'c';
}

// The tangents of a cubic key. False if they are of an unknown kind.
static bool fbx_import_old_tangents(old_keys *keys, fbx_raw_key *key)
{
    // The numbers of each kind; 'd', 'p' and 'q' are kinds of automatic tangents whose numbers have
    // no known meaning. Up to two letters for weights follow, which depends on the version: what
    // is no letter is the time of the next key.
    static const struct {
        char kind;
        uint8_t numbers;
    } kinds[] = {{'s', 2}, {'b', 2}, {'a', 0}, {'t', 3}, {'d', 1}, {'p', 2}, {'q', 2}};
    char kind = fbx_import_old_letter(keys);
    size_t k = 0;
    while (k < sizeof kinds / sizeof kinds[0] && kinds[k].kind != kind) k++;
    if (k == sizeof kinds / sizeof kinds[0]) return false;
    bool is_user = kind == 's' || kind == 'b', is_tcb = kind == 't';
    key->flags = FBX_KEY_CUBIC | FBX_KEY_AUTO | FBX_KEY_TIME_INDEPENDENT | FBX_KEY_PROGRESSIVE;
    if (is_user) key->flags = FBX_KEY_CUBIC | FBX_KEY_USER;
    if (is_tcb) key->flags = FBX_KEY_CUBIC | FBX_KEY_TCB;
    for (uint8_t i = 0; i < kinds[k].numbers; i++) {
        float number = fbx_import_old_number(keys);
        if (is_user || is_tcb) key->data[i] = number;
    }
    bool is_known = true;
    for (int i = 0; i < 2 && is_known && fbx_import_old_next(keys); i++)
        is_known = fbx_import_old_weights(keys, key);
    return is_known;
}

static bool fbx_import_old_key(old_keys *keys, fbx_raw_key *key)
{
    const tenon_fbx_value *time = fbx_value(keys->node, keys->at);
    if (!time || !fbx_value(keys->node, keys->at + 2)) return false;
    *key = (fbx_raw_key){.ticks = fbx_int(keys->node, keys->at, 0)};
    keys->at++;
    key->value = fbx_import_old_number(keys);
    key->right_weight = key->left_weight = (float)(1.0 / 3);
    char kind = fbx_import_old_letter(keys);
    if (kind == 'U') return fbx_import_old_tangents(keys, key);
    if (kind == 'L') key->flags = FBX_KEY_LINEAR;
    if (kind != 'C') return kind == 'L';
    key->flags = FBX_KEY_CONSTANT;
    if (fbx_import_old_next(keys) && fbx_import_old_letter(keys) == 'n') key->flags |= FBX_KEY_AUTO;
    return true;
}

static void fbx_import_old_curve(fbx_importer *importer, const tenon_fbx_node *channel,
                                 uint32_t object, fbx_curve *out)
{
    const tenon_fbx_node *node = fbx_child(channel, "Key");
    old_keys keys = {.node = node};
    // A key has at least three values.
    uint64_t most = node ? node->value_count / 3 : 0;
    if (most == 0) return;
    fbx_key *made = fbx_import_alloc(importer, most, sizeof *made);
    tn_mark mark = tn_arena_mark(&importer->scratch);
    fbx_raw_key *raw = fbx_import_alloc(importer, most, sizeof *raw);
    if (importer->builder->failed) return;
    uint32_t count = 0;
    bool is_whole = true;
    while (is_whole && keys.at < node->value_count && count < most) {
        is_whole = fbx_import_old_key(&keys, &raw[count]);
        count += is_whole;
    }
    is_whole = is_whole && keys.at >= node->value_count;
    fbx_import_count(importer, FBX_UNREAD_CURVES_BROKEN, !is_whole, object);
    out->keys = made;
    out->key_count = fbx_import_curve_keys(raw, count, importer->tick_rate, made);
    fbx_import_read_beyond(channel, out);
    tn_arena_rewind(&importer->scratch, mark);
}

// -- Takes

static void fbx_import_old_axis(fbx_importer *importer, const tenon_fbx_node *channel,
                                fbx_track *track, int axis)
{
    if (!channel) return;
    double value = fbx_number(fbx_child(channel, "Default"), 0, track->values[axis]);
    if (value - value == 0) track->values[axis] = value;
    fbx_import_old_curve(importer, channel, track->object, &track->curves[axis]);
}

// Before version 6, the channels of shapes have an ending.
tenon_str fbx_import_old_property(const tenon_fbx_node *channel)
{
    static const tenon_str ending = {" (Shape)", 8};
    tenon_str name = fbx_text(channel, 0);
    if (name.size > ending.size &&
        memcmp(name.data + name.size - ending.size, ending.data, ending.size) == 0)
        name.size -= ending.size;
    return name;
}

// The channels of an object in a take.
static void fbx_import_old_tracks(fbx_importer *importer, fbx_clip *clip, uint32_t *room,
                                  const tenon_fbx_node *node, uint32_t object)
{
    static const char *const parts[] = {"T", "R", "S"}, *const axes[] = {"X", "Y", "Z"};
    static const char *const names[] = {"Lcl Translation", "Lcl Rotation", "Lcl Scaling"};
    const fbx_object *owner = &importer->objects[object];
    const tenon_fbx_node *transform = fbx_import_old_channel(node, "Transform");
    fbx_model rest = {.scale = {1, 1, 1}};
    for (int i = 0; i < 3; i++) {
        double *values = i == 0 ? rest.translation : i == 1 ? rest.rotation : rest.scale;
        (void)fbx_import_property_vec3(owner, names[i], values);
    }
    if (!owner->properties) fbx_import_old_rest(owner, &rest);
    for (int i = 0; i < 3 && !importer->builder->failed; i++) {
        const tenon_fbx_node *part = fbx_import_old_channel(transform, parts[i]);
        const double *values = i == 0 ? rest.translation : i == 1 ? rest.rotation : rest.scale;
        if (!part) continue;
        fbx_track track = {.object = object,
                           .property = {names[i], (uint32_t)strlen(names[i])},
                           .next = TENON_NONE};
        memcpy(track.values, values, sizeof track.values);
        for (int k = 0; k < 3; k++)
            fbx_import_old_axis(importer, fbx_import_old_channel(part, axes[k]), &track, k);
        if (!fbx_import_add_track(importer, clip, room, &track)) return;
    }
    for (uint32_t i = 0; i < node->child_count && !importer->builder->failed; i++) {
        const tenon_fbx_node *channel = &node->children[i];
        if (!fbx_is_named(channel, "Channel") || channel == transform) continue;
        bool has_axes = fbx_import_old_channel(channel, "X") != NULL;
        if (!fbx_child(channel, "Key") && !has_axes) continue;
        fbx_track track = {
            .object = object, .property = fbx_import_old_property(channel), .next = TENON_NONE};
        if (!has_axes) fbx_import_old_axis(importer, channel, &track, 0);
        for (int k = 0; k < 3 && has_axes; k++)
            fbx_import_old_axis(importer, fbx_import_old_channel(channel, axes[k]), &track, k);
        if (!fbx_import_add_track(importer, clip, room, &track)) return;
    }
}

static bool fbx_import_old_take(fbx_importer *importer, const tn_name_tree *names,
                                const tenon_fbx_node *take, fbx_clip *clip)
{
    uint32_t room = 0;
    const tenon_fbx_node *range = fbx_child(take, "LocalTime");
    if (!range) range = fbx_child(take, "ReferenceTime");
    const tenon_str name = fbx_import_text(importer, fbx_text(take, 0));
    *clip = (fbx_clip){.name = name, .object = TENON_NONE, .layer_count = 1};
    clip->layers = fbx_import_alloc(importer, 1, sizeof *clip->layers);
    clip->has_range = range != NULL;
    clip->start = (double)fbx_int(range, 0, 0) / importer->tick_rate;
    clip->stop = (double)fbx_int(range, 1, 0) / importer->tick_rate;
    for (uint32_t i = 0; i < take->child_count && !importer->builder->failed; i++) {
        const tenon_fbx_node *node = &take->children[i];
        const tn_named *found = NULL;
        if (fbx_is_named(node, "Model")) found = tn_name_find(names, fbx_text(node, 0));
        if (!found) continue;
        fbx_import_old_tracks(importer, clip, &room, node, ((const old_object *)found)->object);
    }
    return !importer->builder->failed && fbx_import_sort_tracks(importer, clip);
}

static bool fbx_import_old_has_keys(const fbx_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++)
        for (int k = 0; k < 3; k++)
            if (clip->tracks[i].curves[k].key_count) return true;
    return false;
}

// Before version 6 models may have keys outside of all takes: a clip if there is no other.
static bool fbx_import_old_keys_of_models(fbx_importer *importer)
{
    fbx_clip *clip = &importer->clips[importer->clip_count];
    uint32_t room = 0;
    for (uint32_t i = 0; i < importer->clip_count; i++)
        if (fbx_import_old_has_keys(&importer->clips[i])) return true;
    *clip = (fbx_clip){.name = {"Take", 4}, .object = TENON_NONE, .layer_count = 1};
    clip->layers = fbx_import_alloc(importer, 1, sizeof *clip->layers);
    for (uint32_t i = 0; i < importer->model_count && !importer->builder->failed; i++) {
        uint32_t object = importer->models[i].object;
        fbx_import_old_tracks(importer, clip, &room, importer->objects[object].node, object);
    }
    if (importer->builder->failed) return false;
    if (fbx_import_old_has_keys(clip)) importer->clip_count++;
    return fbx_import_sort_tracks(importer, clip);
}

bool fbx_import_old_clips(fbx_importer *importer)
{
    const tenon_fbx_node *takes = fbx_child(&importer->doc->root, "Takes");
    tn_name_tree names = {0};
    old_object *models = fbx_import_alloc(importer, importer->model_count, sizeof *models);
    importer->clips = fbx_import_alloc(importer, 1 + (uint64_t)(takes ? takes->child_count : 0),
                                       sizeof *importer->clips);
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < importer->model_count; i++) {
        uint32_t object = importer->models[i].object;
        tenon_str name = fbx_text(importer->objects[object].node, 0);
        models[i] = (old_object){.named.name = name, .object = object};
        (void)tn_name_enter(&names, &models[i].named);
    }
    for (uint32_t i = 0; takes && i < takes->child_count; i++) {
        if (!fbx_is_named(&takes->children[i], "Take")) continue;
        fbx_clip *clip = &importer->clips[importer->clip_count++];
        if (!fbx_import_old_take(importer, &names, &takes->children[i], clip)) return false;
    }
    return importer->version >= 6000 || fbx_import_old_keys_of_models(importer);
}
