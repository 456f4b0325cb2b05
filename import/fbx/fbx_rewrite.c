// fbx_rewrite.c: rewrites an FBX file so that Assimp reads it correctly.
// SPDX-License-Identifier: MIT
//
// Assimp 5 moves the start of each take to 0 and drops keys outside of it, draws straight lines
// between keys, uses 0 for axes without a curve in nodes with pivots, and finds nodes by names that
// are not unique. So takes are made very long, curves are sampled, missing curves are added, and
// names are made unique. Facts that Assimp does not return are collected on the way.

#include "fbx_rewrite.h"

#include "../scene/math3.h"
#include "../system/import_memory.h"
#include "fbx_curves.h"
#include "fbx_graph.h"
#include "fbx_omissions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_SECONDS   65536.0  // Takes begin that long before 0 and end that long after it.
#define VARYING        0.1      // Degrees by which the values of a curve differ.
#define PROGRAM_SIZE   160
#define ROTATION_ORDER 5  // The last order of three axes; the next one is "spheric".

// The curves of one AnimationCurveNode.
typedef struct curve_axes {
    int64_t id;
    unsigned present;  // A bit for each axis that has a curve.
    int varying;       // How many axes change.
    bool turns;        // The curves are those of a rotation.
    double time;       // Of the first key.
} curve_axes;

typedef struct fbx_rewriter {
    fbx_tree tree;
    fbx_facts *facts;
    fbx_graph graph;
    curve_axes *axes;  // Sorted by id.
    size_t axes_count;
} fbx_rewriter;

static const char *const axis_names[] = {"d|X", "d|Y", "d|Z"};

// -- Program and version

// The text of a property such as "LastSaved|ApplicationName"; NULL if there is none.
static const fbx_value *fbx_rewrite_find_text(const fbx_node *scene_info, const char *group,
                                              const char *name)
{
    char key[64];
    (void)snprintf(key, sizeof key, "%s|%s", group, name);
    const fbx_node *property = fbx_property(scene_info, key);
    const fbx_value *value = property && property->value_count > 4 ? &property->values[4] : NULL;
    bool is_usable = value && value->type == FBX_TEXT && value->size <= PROGRAM_SIZE;
    return is_usable ? value : NULL;
}

// The program that saved the file last, else the one that created it, else the library.
static void fbx_rewrite_find_application(const fbx_tree *tree, fbx_facts *facts)
{
    static const char *const groups[] = {"LastSaved", "Original"};
    const fbx_node *head = fbx_tree_child(&tree->root, "FBXHeaderExtension");
    const fbx_node *scene_info = fbx_tree_child(head, "SceneInfo");
    int64_t version;
    facts->is_text = tree->is_text;
    if (fbx_integer(fbx_tree_child(head, "FBXVersion"), 0, &version) && version > 0 &&
        version < 100000)
        facts->version = (uint32_t)version;
    facts->program = import_alloc(PROGRAM_SIZE, 1);
    // Some programs leave the names empty.
    for (size_t i = 0; i < 2 && !facts->program[0]; i++) {
        const fbx_value *name = fbx_rewrite_find_text(scene_info, groups[i], "ApplicationName");
        const fbx_value *release =
            fbx_rewrite_find_text(scene_info, groups[i], "ApplicationVersion");
        if (!name || !name->size) continue;
        bool has_release = release && release->size;
        (void)snprintf(facts->program, PROGRAM_SIZE, "%.*s%s%.*s", (int)name->size,
                       (const char *)name->data, has_release ? " " : "",
                       has_release ? (int)release->size : 0,
                       has_release ? (const char *)release->data : "");
    }
    const fbx_node *creator = fbx_tree_child(head, "Creator");
    const fbx_value *value = creator && creator->value_count ? creator->values : NULL;
    if (!facts->program[0] && value && value->type == FBX_TEXT)
        (void)snprintf(facts->program, PROGRAM_SIZE, "%.*s",
                       (int)(value->size < PROGRAM_SIZE ? value->size : PROGRAM_SIZE),
                       (const char *)value->data);
}

// -- Takes

// Set a time of a take. Returns whether the file had one, in `was`.
static bool fbx_rewrite_replace_time(const fbx_tree *tree, fbx_node *stack, const char *name,
                                     double seconds, double *was)
{
    fbx_node *property = fbx_property(stack, name);
    int64_t ticks = 0;
    bool is_known = property && fbx_integer(property, 4, &ticks);
    *was = (double)ticks / FBX_SECOND;
    if (!property || property->value_count < 5) {
        fbx_node *all = fbx_tree_child(stack, "Properties70");
        if (!all) all = fbx_add(stack, "Properties70", strlen("Properties70"));
        property = fbx_add(all, "P", 1);
        fbx_add_text(property, name);
        fbx_add_text(property, "KTime");
        fbx_add_text(property, "Time");
        fbx_add_text(property, "");
    }
    fbx_set_integer(tree, property, 4, (int64_t)(seconds * FBX_SECOND));
    return is_known;
}

// The range in the section "Takes" of older files, which some new files have instead.
static bool fbx_rewrite_find_old_range(const fbx_tree *tree, fbx_take *take)
{
    const fbx_node *all = fbx_tree_child(&tree->root, "Takes");
    for (const fbx_node *node = all ? all->child : NULL; node; node = node->next) {
        const fbx_node *times = fbx_tree_child(node, "LocalTime");
        int64_t start, stop;
        if (!fbx_tree_is_named(node, "Take") || !fbx_integer(times, 0, &start)) continue;
        const fbx_value *name = node->value_count ? &node->values[0] : NULL;
        if (!name || name->type != FBX_TEXT || name->size != take->name_size) continue;
        if (memcmp(name->data, take->name, name->size) || !fbx_integer(times, 1, &stop)) continue;
        take->start = (double)start / FBX_SECOND;
        take->stop = (double)stop / FBX_SECOND;
        return true;
    }
    return false;
}

static void fbx_rewrite_widen_takes(fbx_rewriter *rewriter)
{
    fbx_facts *facts = rewriter->facts;
    facts->takes = import_alloc(fbx_count_children(rewriter->graph.objects), sizeof *facts->takes);
    for (fbx_node *node = rewriter->graph.objects->child; node; node = node->next) {
        fbx_take take = {0};
        if (!fbx_tree_is_named(node, "AnimationStack")) continue;
        if (!fbx_tree_object_name(node, &take.name, &take.name_size)) continue;
        (void)fbx_rewrite_replace_time(&rewriter->tree, node, "LocalStart", -LONG_SECONDS,
                                       &take.start);
        bool has_stop = fbx_rewrite_replace_time(&rewriter->tree, node, "LocalStop", LONG_SECONDS,
                                                 &take.stop) ||
                        fbx_rewrite_find_old_range(&rewriter->tree, &take);
        take.has_range = has_stop && take.stop > take.start;
        facts->takes[facts->take_count++] = take;
    }
    facts->base = LONG_SECONDS;
}

const fbx_take *fbx_take_named(const fbx_facts *facts, const char *name)
{
    for (uint32_t i = 0; i < facts->take_count; i++) {
        const fbx_take *take = &facts->takes[i];
        if (take->name_size == strlen(name) && memcmp(take->name, name, take->name_size) == 0)
            return take;
    }
    return NULL;
}

// Programs that have layers also write empty ones, which change nothing.
static void fbx_rewrite_count_layers(const fbx_graph *graph, fbx_facts *facts)
{
    // For a layer: whether it has curves. For a stack: how many such layers came before.
    uint32_t *used = import_alloc(graph->object_count, sizeof *used);
    for (size_t i = 0; i < graph->link_count; i++)
        if (fbx_is_class(graph, graph->links[i].child, "AnimationCurveNode") &&
            fbx_is_class(graph, graph->links[i].parent, "AnimationLayer"))
            used[fbx_object_index(graph, graph->links[i].parent)] = 1;
    for (size_t i = 0; i < graph->link_count; i++) {
        const fbx_link *link = &graph->links[i];
        if (!fbx_is_class(graph, link->child, "AnimationLayer") ||
            !fbx_is_class(graph, link->parent, "AnimationStack"))
            continue;
        uint32_t *layers = &used[fbx_object_index(graph, link->parent)];
        if (used[fbx_object_index(graph, link->child)]) facts->layer_count += (*layers)++ > 0;
    }
    free(used);
}

// -- Curves

// The first one with that id; NULL if there is none.
static curve_axes *fbx_rewrite_find_axes(const fbx_rewriter *rewriter, int64_t id)
{
    size_t low = 0, high = rewriter->axes_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rewriter->axes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rewriter->axes_count && rewriter->axes[low].id == id ? &rewriter->axes[low] : NULL;
}

static void fbx_rewrite_inspect_curve(const fbx_tree *tree, curve_axes *axes, int axis,
                                      const fbx_node *curve)
{
    double *times, *values;
    size_t count;
    if (!axes->present && fbx_numbers(tree, fbx_tree_child(curve, "KeyTime"), &times, &count)) {
        axes->time = count ? times[0] : 0;
        free(times);
    }
    axes->present |= 1u << axis;
    if (!fbx_numbers(tree, fbx_tree_child(curve, "KeyValueFloat"), &values, &count)) return;
    bool varies = false;
    for (size_t i = 1; i < count; i++) varies |= fabs(values[i] - values[0]) > VARYING;
    axes->varying += varies;
    free(values);
}

static void fbx_rewrite_index_axes(fbx_rewriter *rewriter)
{
    const fbx_graph *graph = &rewriter->graph;
    rewriter->axes = import_alloc(graph->object_count, sizeof *rewriter->axes);
    for (size_t i = 0; i < graph->object_count; i++) {
        int64_t id = graph->by_id[i].id;
        if (!fbx_tree_is_named(graph->by_id[i].node, "AnimationCurveNode")) continue;
        curve_axes *axes = &rewriter->axes[rewriter->axes_count++];
        axes->id = id;
        for (size_t k = fbx_first_link(graph, id); fbx_is_link_of(graph, k, id); k++)
            axes->turns |= fbx_tree_text_is(graph->links[k].node, 3, "Lcl Rotation");
    }
    for (size_t i = 0; i < graph->link_count; i++) {
        const fbx_link *link = &graph->links[i];
        curve_axes *axes = fbx_rewrite_find_axes(rewriter, link->parent);
        for (int k = 0; axes && k < 3; k++)
            if (fbx_tree_text_is(link->node, 3, axis_names[k]))
                fbx_rewrite_inspect_curve(&rewriter->tree, axes, k,
                                          fbx_find_object(graph, link->child));
    }
}

static void fbx_rewrite_sample_curves(fbx_rewriter *rewriter)
{
    const fbx_graph *graph = &rewriter->graph;
    // From the start of the first take to the end of the last one; empty if that is not known.
    fbx_range range = {HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < rewriter->facts->take_count; i++) {
        const fbx_take *take = &rewriter->facts->takes[i];
        if (!take->has_range) continue;
        range.start = fmin(range.start, take->start * FBX_SECOND);
        range.stop = fmax(range.stop, take->stop * FBX_SECOND);
    }
    for (fbx_node *node = graph->objects->child; node; node = node->next) {
        int64_t id;
        if (!fbx_tree_is_named(node, "AnimationCurve") || !fbx_integer(node, 0, &id)) continue;
        // Every reader interpolates angles around one axis in the same way, but not around several.
        fbx_curve_kind kind = FBX_LENGTHS;
        for (size_t i = fbx_first_link(graph, id); fbx_is_link_of(graph, i, id); i++) {
            const curve_axes *axes = fbx_rewrite_find_axes(rewriter, graph->links[i].parent);
            if (axes && axes->turns && kind != FBX_ANGLES)
                kind = axes->varying > 1 ? FBX_ANGLES : FBX_ANGLE;
        }
        fbx_sample_curve(&rewriter->tree, node, kind, range);
    }
}

// Give axes without a curve one with a single key: the value of the axis in its AnimationCurveNode.
static void fbx_rewrite_add_missing_curves(fbx_rewriter *rewriter)
{
    const fbx_tree *tree = &rewriter->tree;
    fbx_graph *graph = &rewriter->graph;
    for (size_t i = 0; i < rewriter->axes_count; i++)
        for (int k = 0; k < 3 && rewriter->axes[i].present; k++) {
            const curve_axes *axes = &rewriter->axes[i];
            const fbx_node *owner = fbx_find_object(graph, axes->id);
            double value;
            if (axes->present & 1u << k) continue;
            if (!fbx_tree_number(fbx_property(owner, axis_names[k]), 4, &value)) continue;
            fbx_node *curve = fbx_add(graph->objects, "AnimationCurve", strlen("AnimationCurve"));
            fbx_set_integer(tree, curve, 0, graph->next_id);
            fbx_add_text(curve, "");
            fbx_rename_object(tree, curve, "AnimCurve", "", 0);
            fbx_add_text(curve, "");
            fbx_node *times = fbx_add(curve, "KeyTime", strlen("KeyTime"));
            fbx_node *values = fbx_add(curve, "KeyValueFloat", strlen("KeyValueFloat"));
            fbx_set_numbers(tree, times, 'l', &axes->time, 1);
            fbx_set_numbers(tree, values, 'f', &value, 1);
            fbx_node *connection = fbx_add(graph->connections, "C", 1);
            fbx_add_text(connection, "OP");
            fbx_set_integer(tree, connection, 1, graph->next_id++);
            fbx_set_integer(tree, connection, 2, axes->id);
            fbx_add_text(connection, axis_names[k]);
        }
}

// -- Names

typedef struct named_model {
    const char *name;
    size_t size;
    fbx_node *node;
    size_t order;
} named_model;

static int fbx_rewrite_compare_named(const void *a, const void *b)
{
    const named_model *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    int order = x->size ? memcmp(x->name, y->name, x->size) : 0;
    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

static void fbx_rewrite_rename_duplicates(const fbx_tree *tree, const fbx_graph *graph)
{
    named_model *all = import_alloc(graph->object_count, sizeof *all);
    size_t count = 0, duplicates = 0;
    for (fbx_node *node = graph->objects->child; node; node = node->next) {
        named_model *next = &all[count];
        if (!fbx_tree_is_named(node, "Model") || count == graph->object_count) continue;
        if (!fbx_tree_object_name(node, &next->name, &next->size)) continue;
        next->node = node;
        next->order = count++;
    }
    qsort(all, count, sizeof *all, fbx_rewrite_compare_named);
    for (size_t i = 1; i < count; i++) {
        const named_model *a = &all[i - 1], *b = &all[i];
        if (a->size != b->size || memcmp(a->name, b->name, b->size) != 0) continue;
        char number[32];
        fbx_buffer name = {0};
        int size = snprintf(number, sizeof number, FBX_DUPLICATE_MARK "%zu", ++duplicates);
        fbx_put(&name, b->name, b->size);
        fbx_put(&name, number, (size_t)size);
        fbx_rename_object(tree, b->node, "Model", (const char *)name.data, name.size);
    }
    free(all);
}

// -- Models, which are nodes

static int64_t fbx_rewrite_model_setting(const fbx_node *model, const fbx_node *defaults,
                                         const char *name)
{
    int64_t value;
    if (fbx_integer(fbx_property(model, name), 4, &value)) return value;
    return fbx_integer(fbx_property(defaults, name), 4, &value) ? value : 0;
}

static int fbx_rewrite_compare_models(const void *a, const void *b)
{
    const fbx_model *x = a, *y = b;
    size_t shared = x->name_size < y->name_size ? x->name_size : y->name_size;
    int order = shared ? memcmp(x->name, y->name, shared) : 0;
    return order ? order : x->name_size < y->name_size ? -1 : x->name_size > y->name_size;
}

const fbx_model *fbx_model_named(const fbx_facts *facts, const char *name)
{
    const fbx_model key = {.name = name, .name_size = strlen(name)};
    if (!facts->model_count) return NULL;
    return bsearch(&key, facts->models, facts->model_count, sizeof key, fbx_rewrite_compare_models);
}

// Which objects are models with a mesh that has faces. A mesh may belong to many models, whose
// links follow each other.
static bool *fbx_rewrite_find_meshes(const fbx_graph *graph)
{
    bool *has_mesh = import_alloc(graph->object_count, sizeof *has_mesh);
    bool has_faces = false;
    for (size_t i = 0; i < graph->link_count; i++) {
        const fbx_link *link = &graph->links[i];
        if (!fbx_is_class(graph, link->child, "Geometry")) continue;
        if (i == 0 || graph->links[i - 1].child != link->child) {
            const fbx_node *geometry = fbx_find_object(graph, link->child);
            const fbx_node *faces = fbx_tree_child(geometry, "PolygonVertexIndex");
            double *corners = NULL;
            size_t count = 0;
            has_faces = fbx_tree_text_is(geometry, 2, "Mesh") && faces &&
                        fbx_numbers(graph->tree, faces, &corners, &count) && count > 0;
            free(corners);
        }
        if (has_faces && fbx_is_class(graph, link->parent, "Model"))
            has_mesh[fbx_object_index(graph, link->parent)] = true;
    }
    return has_mesh;
}

// Remove rotations that have no effect, and note what Assimp does not return. Names are unique
// already.
static void fbx_rewrite_models(const fbx_graph *graph, fbx_facts *facts)
{
    const fbx_node *definitions = fbx_tree_child(&graph->tree->root, "Definitions"),
                   *defaults = NULL;
    for (const fbx_node *node = definitions ? definitions->child : NULL; node; node = node->next)
        if (fbx_tree_is_named(node, "ObjectType") && fbx_tree_text_is(node, 0, "Model")) {
            defaults = fbx_tree_child(node, "PropertyTemplate");
            break;
        }
    facts->models = import_alloc(fbx_count_children(graph->objects), sizeof *facts->models);
    bool *has_mesh = fbx_rewrite_find_meshes(graph);
    for (fbx_node *node = graph->objects->child; node; node = node->next) {
        if (!fbx_tree_is_named(node, "Model")) continue;
        // Pre- and post-rotation and the order of axes apply only where the file says so; Assimp
        // always applies them.
        bool applies = fbx_rewrite_model_setting(node, defaults, "RotationActive") &&
                       !fbx_rewrite_model_setting(node, defaults, "RotationSpaceForLimitOnly");
        bool is_spheric =
            fbx_rewrite_model_setting(node, defaults, "RotationOrder") > ROTATION_ORDER;
        if (applies) facts->spheric_count += is_spheric;
        if (!applies || is_spheric) fbx_drop_property(node, "RotationOrder");
        if (!applies) fbx_drop_property(node, "PreRotation");
        if (!applies) fbx_drop_property(node, "PostRotation");
        const fbx_node *rotation = fbx_property(node, "GeometricRotation");
        int64_t inherit = fbx_rewrite_model_setting(node, defaults, "InheritType"), id;
        fbx_model model = {.inherit = FBX_SCALES_FIRST};
        if (inherit == FBX_SCALES_LAST || inherit == FBX_SCALES_NOT_PARENTS)
            model.inherit = (fbx_inherit)inherit;
        for (uint32_t i = 0; i < 3; i++)
            if (fbx_tree_number(rotation, 4 + i, &model.geometric_rotation[i]))
                model.geometric_rotation[i] = finite_or(model.geometric_rotation[i], 0);
        // If two objects have one id, the links belong to the one that is found.
        if (fbx_integer(node, 0, &id) && fbx_find_object(graph, id) == node)
            model.has_mesh = has_mesh[fbx_object_index(graph, id)];
        if (fbx_tree_object_name(node, &model.name, &model.name_size))
            facts->models[facts->model_count++] = model;
    }
    free(has_mesh);
    qsort(facts->models, facts->model_count, sizeof *facts->models, fbx_rewrite_compare_models);
}

// -- The whole file

bool fbx_detect(const void *data, size_t size)
{
    const char *text = data;
    if (fbx_is_binary(data, size)) return true;
    // Text files begin with a comment that names the format.
    size_t line = 0;
    while (line < size && line < 200 && text[line] != '\n') line++;
    for (size_t i = 0; i + 4 <= line; i++)
        if (text[0] == ';' && memcmp(text + i, "FBX ", 4) == 0) return true;
    return false;
}

void fbx_rewrite(const void **data, size_t *size, fbx_facts *facts)
{
    fbx_rewriter rewriter = {.facts = facts};
    bool is_read = fbx_is_binary(*data, *size) ? fbx_read_binary(&rewriter.tree, *data, *size)
                                               : fbx_read_text(&rewriter.tree, *data, *size);
    if (!is_read) return;
    fbx_rewrite_find_application(&rewriter.tree, facts);
    if (!fbx_index(&rewriter.graph, &rewriter.tree)) return;
    fbx_find_omissions(&rewriter.graph, facts);
    fbx_rewrite_widen_takes(&rewriter);
    fbx_rewrite_count_layers(&rewriter.graph, facts);
    fbx_rewrite_index_axes(&rewriter);
    fbx_rewrite_sample_curves(&rewriter);
    fbx_rewrite_add_missing_curves(&rewriter);
    fbx_rewrite_rename_duplicates(&rewriter.tree, &rewriter.graph);
    fbx_rewrite_models(&rewriter.graph, facts);
    fbx_buffer to = {0};
    (rewriter.tree.is_text ? fbx_write_text : fbx_write_binary)(&rewriter.tree, &to);
    facts->is_rewritten = true;
    *data = to.data;
    *size = to.size;
}
