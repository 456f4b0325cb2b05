// fbx_info.c: what is in an FBX file: the program that wrote it, axes, takes, counts, and the tree.
// SPDX-License-Identifier: MIT

#include "formats/fbx/fbx_format.h"

#include "core/math/math.h"
#include "core/text/name_tree.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "document/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The first value of a property.
static tenon_str fbx_info_text(const tenon_fbx_node *list, const char *name)
{
    const tenon_fbx_node *property = fbx_property(list, name);
    return fbx_text(property, fbx_property_start(property));
}

// -- Settings

// The program that saved the file last, else the one that made it, else what wrote it.
static void fbx_info_program(tn_info_builder *builder, const tenon_fbx *doc)
{
    const tenon_fbx_node *header = fbx_child(&doc->root, "FBXHeaderExtension");
    const tenon_fbx_node *scene = fbx_properties(fbx_child(header, "SceneInfo"));
    const tenon_fbx_node *creator = fbx_child(&doc->root, "Creator");
    static const char *const names[][2] = {
        {"LastSaved|ApplicationName", "LastSaved|ApplicationVersion"},
        {"Original|ApplicationName", "Original|ApplicationVersion"}};
    if (!creator) creator = fbx_child(header, "Creator");
    tenon_str name = fbx_text(creator, 0), release = {"", 0};
    for (int i = 1; i >= 0; i--) {
        tenon_str found = fbx_info_text(scene, names[i][0]);
        if (found.size) name = found, release = fbx_info_text(scene, names[i][1]);
    }
    char shown[128], shown_release[64];
    tn_text_clean(name.data, name.size, shown, sizeof shown);
    tn_text_clean(release.data, release.size, shown_release, sizeof shown_release);
    if (name.size)
        tn_info_add(builder, "program", "%s%s%s", shown, release.size ? " " : "", shown_release);
}

// One of the axes of the settings, such as "UpAxis"; 0 if it is none.
static int fbx_info_axis(const tenon_fbx_node *settings, const char *name, const char *sign,
                         int fallback)
{
    double axis = fbx_property_number(settings, name, fallback);
    if (!(axis >= 0 && axis < 3)) return 0;
    return fbx_property_number(settings, sign, 1) < 0 ? -1 - (int)axis : 1 + (int)axis;
}

static void fbx_info_settings(tn_info_builder *builder, const tenon_fbx *doc)
{
    const tenon_fbx_node *object = fbx_settings(doc), *settings = fbx_properties(object);
    fbx_info_program(builder, doc);
    tn_info_add(builder, "encoding", "%s",
                doc->is_text         ? "text"
                : doc->is_big_endian ? "binary, big-endian"
                                     : "binary");
    if (!object) return;
    char unit[TN_NUMBER_MAX];
    (void)tn_f64_text(tenon_fbx_unit(doc), unit);
    tn_info_add(builder, "unit", "%s m", unit);
    int up = fbx_info_axis(settings, "UpAxis", "UpAxisSign", 1);
    int front = fbx_info_axis(settings, "FrontAxis", "FrontAxisSign", 2);
    int right = fbx_info_axis(settings, "CoordAxis", "CoordAxisSign", 0);
    int u = abs(up) - 1, f = abs(front) - 1, r = abs(right) - 1;
    if (up == 0 || front == 0 || right == 0 || u == f || u == r || f == r) return;
    // X, Y, Z and its rotations are right-handed; each sign turns that around.
    bool is_left = ((u - r + 3) % 3 != 1) ^ (up < 0) ^ (front < 0) ^ (right < 0);
    tn_info_add(builder, "axes", "%c%c up, %c%c front, %s-handed", up < 0 ? '-' : '+', 'X' + u,
                front < 0 ? '-' : '+', 'X' + f, is_left ? "left" : "right");
}

// -- Objects

// The type of an object is its last text: "Mesh", "LimbNode".
static tenon_str fbx_info_type(const tenon_fbx_node *node)
{
    const tenon_fbx_node *type = fbx_child(node, "Type");
    if (node->value_count < 2) return fbx_text(type, 0);
    return fbx_text(node, node->value_count - 1);
}

static tenon_str fbx_info_name(const tenon_fbx *doc, const tenon_fbx_node *node)
{
    bool has_id = doc->version >= 7000;
    return fbx_object_name(doc, fbx_text(node, has_id ? 1 : 0), NULL);
}

// Models of the scene; files before version 7 have the cameras of the viewer as well.
static bool fbx_info_is_model(const tenon_fbx *doc, const tenon_fbx_node *node)
{
    return fbx_is_named(node, "Model") && node->child_count &&
           !fbx_is_producer(fbx_info_name(doc, node), fbx_info_type(node));
}

static bool fbx_info_is_joint(const tenon_fbx_node *node)
{
    tenon_str type = fbx_info_type(node);
    return tn_text_is(type, "LimbNode") || tn_text_is(type, "Limb") || tn_text_is(type, "Root");
}

static void fbx_info_mesh(tn_info_builder *builder, const tenon_fbx *doc,
                          const tenon_fbx_node *node)
{
    tenon_info *info = builder->info;
    const tenon_fbx_node *polygons = fbx_child(node, "PolygonVertexIndex");
    if (!polygons) return;
    info->meshes++;
    info->vertices += fbx_number_count(fbx_child(node, "Vertices")) / 3;
    if (!builder->full) return;
    tn_mark mark = tn_arena_mark(builder->arena);
    uint64_t count, corners = 0;
    tenon_error err = {0};
    const int32_t *indices = fbx_i32s(doc, polygons, builder->arena, &count, &err);
    builder->failed = builder->failed || err.code == TENON_ERR_MEMORY;
    for (uint64_t i = 0; indices && i < count; i++) {
        corners++;
        if (indices[i] >= 0) continue;
        info->triangles += corners > 2 ? corners - 2 : 0;
        corners = 0;
    }
    tn_arena_rewind(builder->arena, mark);
}

static uint64_t fbx_info_count(const tenon_fbx_node *list, const char *name)
{
    uint64_t count = 0;
    for (uint32_t i = 0; list && i < list->child_count; i++)
        count += fbx_is_named(&list->children[i], name);
    return count;
}

static void fbx_info_clips(tn_info_builder *builder, const tenon_fbx *doc,
                           const tenon_fbx_node *list, const char *name)
{
    tenon_info *info = builder->info;
    const double rate = fbx_tick_rate(doc);
    info->animations = fbx_info_count(list, name);
    info->clips = tn_info_alloc(builder, info->animations, sizeof *info->clips);
    tenon_str *names = tn_info_alloc(builder, info->animations, sizeof *names);
    for (uint32_t i = 0; names && info->clips && list && i < list->child_count; i++) {
        const tenon_fbx_node *node = &list->children[i], *time = fbx_child(node, "LocalTime");
        if (!fbx_is_named(node, name)) continue;
        double start = fbx_number(time, 0, 0), stop = fbx_number(time, 1, -1);
        if (!time) {
            const tenon_fbx_node *properties = fbx_properties(node);
            start = fbx_property_number(properties, "LocalStart", 0);
            stop = fbx_property_number(properties, "LocalStop", -1);
        }
        names[info->clip_count] =
            fbx_is_named(node, "Take") ? fbx_text(node, 0) : fbx_info_name(doc, node);
        tenon_clip_info *clip = &info->clips[info->clip_count++];
        *clip = (tenon_clip_info){.seconds = -1, .channels = TENON_ABSENT, .frames = TENON_ABSENT};
        // As precise as the times of clips are.
        if (stop >= start) clip->seconds = (double)tn_to_float((stop - start) / rate);
    }
    if (!names || !info->clips || !fbx_shorten_names(names, info->clip_count, builder->arena, NULL))
        return;
    for (uint32_t i = 0; i < info->clip_count; i++) info->clips[i].name = names[i];
}

static void fbx_info_materials(tn_info_builder *builder, const tenon_fbx *doc,
                               const tenon_fbx_node *objects)
{
    tenon_info *info = builder->info;
    info->materials = fbx_info_count(objects, "Material");
    info->material_list = tn_info_alloc(builder, info->materials, sizeof *info->material_list);
    for (uint32_t i = 0; info->material_list && objects && i < objects->child_count; i++)
        if (fbx_is_named(&objects->children[i], "Material"))
            info->material_list[info->material_count++] = (tenon_material_info){
                .name = fbx_info_name(doc, &objects->children[i]), .texture = {"", 0}};
}

void fbx_info(tn_info_builder *builder, const void *any)
{
    const tenon_fbx *doc = any;
    tenon_info *info = builder->info;
    uint32_t version = doc->version;
    snprintf(info->version, sizeof info->version, "%" PRIu32 ".%" PRIu32, version / 1000,
             version % 1000 / 100);
    if (version % 100)
        snprintf(info->version, sizeof info->version, "%" PRIu32 ".%" PRIu32 ".%" PRIu32,
                 version / 1000, version % 1000 / 100, version % 100 / 10);
    const tenon_fbx_node *objects = fbx_child(&doc->root, "Objects");
    const tenon_fbx_node *list = objects ? objects : &doc->root;  // Before version 6.
    info->meshes = info->vertices = info->nodes = info->joints = 0;
    if (builder->full) info->triangles = 0;
    for (uint32_t i = 0; i < list->child_count; i++) {
        const tenon_fbx_node *node = &list->children[i];
        bool is_model = fbx_info_is_model(doc, node);
        info->nodes += is_model;
        info->joints += is_model && fbx_info_is_joint(node);
        if (is_model || fbx_is_named(node, "Geometry")) fbx_info_mesh(builder, doc, node);
    }
    fbx_info_materials(builder, doc, list);
    if (fbx_info_count(objects, "AnimationStack"))
        fbx_info_clips(builder, doc, objects, "AnimationStack");
    else
        fbx_info_clips(builder, doc, fbx_child(&doc->root, "Takes"), "Take");
    fbx_info_settings(builder, doc);
}

// -- The tree

typedef struct fbx_tree {
    const tenon_fbx *doc;
    const tenon_fbx_node **models;
} fbx_tree;

// A model, found by its id or, before version 7, by its name.
typedef struct fbx_tree_model {
    tn_named named;
    int64_t id;
    uint32_t index;
} fbx_tree_model;

// The key of the object that value number `at` of a node refers to. *id is where an id is kept.
static tenon_str fbx_info_key(const tenon_fbx *doc, const tenon_fbx_node *node, uint32_t at,
                              int64_t *id)
{
    *id = fbx_int(node, at, 0);
    return doc->version >= 7000 ? (tenon_str){(const char *)id, sizeof *id} : fbx_text(node, at);
}

static const fbx_tree_model *fbx_info_find(const tn_name_tree *names, const tenon_fbx *doc,
                                           const tenon_fbx_node *node, uint32_t at)
{
    int64_t id;
    return (const fbx_tree_model *)tn_name_find(names, fbx_info_key(doc, node, at, &id));
}

static void fbx_info_report_node(tn_walk *walk, const void *context, uint32_t index, uint32_t depth)
{
    const fbx_tree *tree = context;
    const tenon_fbx_node *node = tree->models[index];
    char what[64];
    tenon_str type = fbx_info_type(node);
    tn_text_clean(type.data, type.size, what, sizeof what);
    tn_walk_report(walk, fbx_info_name(tree->doc, node), depth,
                   fbx_info_is_joint(node) ? "joint" : "node", what);
}

// The parents of all models, by the connections of the file or, before version 6, its lists of
// children.
static void fbx_info_find_parents(const tenon_fbx *doc, const tn_name_tree *names,
                                  const fbx_tree *tree, uint32_t count, uint32_t *parents)
{
    const tenon_fbx_node *list = fbx_child(&doc->root, "Connections");
    for (uint32_t i = 0; list && i < list->child_count; i++) {
        const tenon_fbx_node *node = &list->children[i];
        if (!fbx_text_is(node, 0, "OO")) continue;
        const fbx_tree_model *child = fbx_info_find(names, doc, node, 1);
        const fbx_tree_model *parent = fbx_info_find(names, doc, node, 2);
        if (child && parent && child != parent && parents[child->index] == TENON_NONE)
            parents[child->index] = parent->index;
    }
    for (uint32_t i = 0; doc->version < 6000 && i < count; i++) {
        const tenon_fbx_node *children = fbx_child(tree->models[i], "Children");
        for (uint32_t k = 0; children && k < children->value_count; k++) {
            const fbx_tree_model *child = fbx_info_find(names, doc, children, k);
            if (child && child->index != i && parents[child->index] == TENON_NONE)
                parents[child->index] = i;
        }
    }
}

void fbx_info_tree(tn_walk *walk, const void *any)
{
    const tenon_fbx *doc = any;
    const tenon_fbx_node *objects = fbx_child(&doc->root, "Objects");
    const tenon_fbx_node *list = objects ? objects : &doc->root;
    fbx_tree tree = {.doc = doc};
    tn_name_tree names = {0};
    uint32_t most = list->child_count, count = 0;
    tree.models = tn_arena_alloc(walk->arena, most, sizeof *tree.models, NULL);
    fbx_tree_model *models = tn_arena_alloc(walk->arena, most, sizeof *models, NULL);
    uint32_t *parents = tn_arena_alloc(walk->arena, most, sizeof *parents, NULL);
    walk->failed = !tree.models || !models || !parents;
    if (walk->failed) return;
    for (uint32_t i = 0; i < most; i++) {
        const tenon_fbx_node *node = &list->children[i];
        if (!fbx_info_is_model(doc, node)) continue;
        fbx_tree_model *model = &models[count];
        model->named.name = fbx_info_key(doc, node, 0, &model->id);
        model->index = count;
        (void)tn_name_enter(&names, &model->named);
        parents[count] = TENON_NONE;
        tree.models[count++] = node;
    }
    fbx_info_find_parents(doc, &names, &tree, count, parents);
    tn_walk_flat(walk, &tree, parents, count, fbx_info_report_node);
}
