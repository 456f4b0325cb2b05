// fbx_omissions.c: what FBX files hold and the scene will not have.
// SPDX-License-Identifier: MIT
//
// Only what changes shapes or poses counts: a blend shape whose weight is 0 at all times, a curve
// of visibility that never changes or a constraint that is switched off is nothing.

#include "fbx_omissions.h"

#include "../scene/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_PERCENT 1e-4  // Weights of blend shapes and visibilities that are equal.

typedef struct omission_search {
    const fbx_graph *graph;
    fbx_finding *found;
    bool *draws;   // By index of the object: a model that has geometry, at or below it.
    bool *curves;  // An AnimationCurveNode whose curves change, or are other than 0.
    bool *skins;   // Geometry that has a skin.
} omission_search;

// -- Names

// The first parent of that class; 0 if there is none.
static int64_t parent_of(const fbx_graph *graph, int64_t id, const char *kind)
{
    for (size_t i = fbx_first_link(graph, id); fbx_is_link_of(graph, i, id); i++)
        if (fbx_is_class(graph, graph->links[i].parent, kind)) return graph->links[i].parent;
    return 0;
}

// Geometry and deformers often have no names; the model that they belong to has one.
static void record(omission_search *search, fbx_feature feature, int64_t id)
{
    static const char *const up[] = {"Deformer", "Geometry", "Model"};
    fbx_finding *f = &search->found[feature];
    const fbx_graph *graph = search->graph;
    if (f->count++ > 0) return;
    for (size_t i = 0, steps = 0; i < sizeof up / sizeof up[0] && steps < 8; steps++) {
        int64_t parent = fbx_is_class(graph, id, "Model") ? 0 : parent_of(graph, id, up[i]);
        if (parent)
            id = parent;
        else
            i++;
    }
    (void)fbx_object_name(fbx_find_object(graph, id), &f->name, &f->name_size);
}

// -- Properties

static double setting(const fbx_node *object, const char *name, double fallback)
{
    double value;
    return fbx_number(fbx_property(object, name), 4, &value) ? value : fallback;
}

static double number_of(const fbx_node *object, const char *child, double fallback)
{
    double value;
    return fbx_number(fbx_child(object, child), 0, &value) ? value : fallback;
}

static bool has_non_zero(const fbx_graph *graph, const fbx_node *array)
{
    double *values;
    size_t count;
    bool found = false;
    if (!array || !fbx_numbers(graph->tree, array, &values, &count)) return false;
    for (size_t i = 0; i < count; i++) found |= values[i] != 0;
    free(values);
    return found;
}

// -- Geometry

static void inspect_geometry(omission_search *search, int64_t id, const fbx_node *geometry)
{
    const fbx_graph *graph = search->graph;
    uint32_t models = 0;
    for (size_t i = fbx_first_link(graph, id); fbx_is_link_of(graph, i, id); i++)
        models += fbx_is_class(graph, graph->links[i].parent, "Model");
    if (models == 0 || fbx_text_is(geometry, 2, "Shape") || fbx_text_is(geometry, 2, "Line"))
        return;
    if (!fbx_text_is(geometry, 2, "Mesh")) {
        bool is_curve = fbx_text_is(geometry, 2, "NurbsCurve");
        bool is_surface = fbx_text_is(geometry, 2, "NurbsSurface") ||
                          fbx_text_is(geometry, 2, "TrimNurbsSurface") ||
                          fbx_text_is(geometry, 2, "Nurb");
        record(search,
               is_curve     ? FBX_NURBS_CURVES
               : is_surface ? FBX_NURBS_SURFACES
                            : FBX_OTHER_GEOMETRY,
               id);
        return;
    }
    // Some programs write how to subdivide even where nothing asks for it.
    double levels = fmax(number_of(geometry, "PreviewDivisionLevels", 0),
                         number_of(geometry, "RenderDivisionLevels", 0));
    if (number_of(geometry, "Smoothness", 0) > 0 && levels > 0) record(search, FBX_SUBDIVISION, id);
    bool has_shapes = false;  // Version 7.1 has them inside the geometry, as older ones do.
    for (const fbx_node *c = geometry->child; c; c = c->next) {
        if (fbx_is_named(c, "LayerElementHole") && has_non_zero(graph, fbx_child(c, "Hole")))
            record(search, FBX_HOLES, id);
        has_shapes |= fbx_is_named(c, "Shape");
    }
    if (has_shapes) record(search, FBX_BLEND_SHAPES, id);
    if (models > 1 && search->skins[fbx_object_index(graph, id)])
        record(search, FBX_SKIN_INSTANCES, id);
}

// -- Deformers and constraints

static void inspect_deformer(omission_search *search, int64_t id, const fbx_node *deformer)
{
    if (fbx_text_is(deformer, 2, "BlendShapeChannel")) {
        double weight = setting(deformer, "DeformPercent", number_of(deformer, "DeformPercent", 0));
        if (fabs(weight) > SAME_PERCENT) record(search, FBX_BLEND_SHAPES, id);
    }
    if (fbx_text_is(deformer, 2, "VertexCacheDeformer") && setting(deformer, "Active", 1) != 0)
        record(search, FBX_CACHES, id);
    const fbx_node *skinning = fbx_child(deformer, "SkinningType");
    if (fbx_text_is(skinning, 0, "DualQuaternion") || fbx_text_is(skinning, 0, "Blend"))
        record(search, FBX_DUAL_QUATERNIONS, id);
    if (fbx_text_is(fbx_child(deformer, "Mode"), 0, "Additive"))
        record(search, FBX_ADDITIVE_CLUSTERS, id);
}

// A character is a map of bones, unless it is switched on.
static void inspect_constraint(omission_search *search, int64_t id, const fbx_node *constraint)
{
    double fallback = fbx_text_is(constraint, 2, "Character") ? 0 : 1;
    if (setting(constraint, "Active", fallback) != 0) record(search, FBX_CONSTRAINTS, id);
}

// -- What is drawn

// Whether a model, or a layer that it is in, is switched off.
static bool is_hidden(const fbx_graph *graph, int64_t id)
{
    const fbx_node *model = fbx_find_object(graph, id);
    if (setting(model, "Visibility", 1) <= 0) return true;
    for (size_t i = fbx_first_link(graph, id); fbx_is_link_of(graph, i, id); i++) {
        const fbx_node *layer = fbx_find_object(graph, graph->links[i].parent);
        if (layer && fbx_is_named(layer, "CollectionExclusive") && setting(layer, "Show", 1) == 0)
            return true;
    }
    return false;
}

// Mark what has a skin and the models that show something, and count those that should not.
static void find_drawn(omission_search *search)
{
    const fbx_graph *graph = search->graph;
    for (size_t i = 0; i < graph->link_count; i++) {
        int64_t child = graph->links[i].child, model = graph->links[i].parent;
        if (fbx_text_is(fbx_find_object(graph, child), 2, "Skin") &&
            fbx_is_class(graph, model, "Geometry"))
            search->skins[fbx_object_index(graph, model)] = true;
        if (!fbx_is_class(graph, child, "Geometry") || !fbx_is_class(graph, model, "Model"))
            continue;
        bool hides = setting(fbx_find_object(graph, model), "Show", 1) == 0;
        // A circle of models is longer than all of them.
        size_t steps = 0;
        for (int64_t up = model; up && steps <= graph->object_count;
             up = parent_of(graph, up, "Model")) {
            search->draws[fbx_object_index(graph, up)] = true;
            hides |= is_hidden(graph, up);
            steps++;
        }
        if (hides) record(search, FBX_HIDDEN, model);
    }
}

// -- Curves

// Tangents that follow from numbers of which only the usual ones are understood.
static void inspect_tangents(omission_search *search, int64_t id, const fbx_node *curve,
                             size_t key_count)
{
    enum { CUBIC = 0x8, AUTO = 0x100, TCB = 0x200, TIME_INDEPENDENT = 0x2000 };
    double *flags = NULL, *data = NULL;
    size_t flag_count, data_count = 0;
    if (key_count < 3) return;
    if (!fbx_numbers(search->graph->tree, fbx_child(curve, "KeyAttrFlags"), &flags, &flag_count))
        return;
    (void)fbx_numbers(search->graph->tree, fbx_child(curve, "KeyAttrDataFloat"), &data,
                      &data_count);
    bool has_tcb = false, has_bias = false;
    for (size_t i = 0; i < flag_count && 4 * i + 1 < data_count; i++) {
        int64_t f = fbx_to_integer(flags[i]);
        if (!(f & CUBIC)) continue;
        has_tcb |= (f & TCB) != 0;
        bool is_biased = fabs(data[4 * i]) > 0 || fabs(data[4 * i + 1]) > 0;
        has_bias |= (f & AUTO) && !(f & TIME_INDEPENDENT) && is_biased;
    }
    if (has_tcb) record(search, FBX_TCB_TANGENTS, id);
    if (has_bias) record(search, FBX_BIASED_TANGENTS, id);
    free(flags);
    free(data);
}

// Whether a curve changes, or is other than 0 where only that matters.
static void inspect_curve(omission_search *search, const fbx_link *l)
{
    const fbx_graph *graph = search->graph;
    const fbx_node *curve = fbx_find_object(graph, l->child);
    double *values;
    size_t count;
    bool is_weight = fbx_text_is(l->node, 3, "d|DeformPercent"), matters = false;
    if (!fbx_numbers(graph->tree, fbx_child(curve, "KeyValueFloat"), &values, &count)) return;
    for (size_t i = 0; i < count; i++)
        matters |= fabs(values[i] - (is_weight ? 0 : values[0])) > SAME_PERCENT;
    free(values);
    if (matters) search->curves[fbx_object_index(graph, l->parent)] = true;
    inspect_tangents(search, l->parent, curve, count);
}

// Curves that move properties which have no channel.
static void inspect_curves(omission_search *search)
{
    const fbx_graph *graph = search->graph;
    for (size_t i = 0; i < graph->link_count; i++)
        if (fbx_is_class(graph, graph->links[i].child, "AnimationCurve") &&
            fbx_is_class(graph, graph->links[i].parent, "AnimationCurveNode"))
            inspect_curve(search, &graph->links[i]);
    for (size_t i = 0; i < graph->link_count; i++) {
        const fbx_link *l = &graph->links[i];
        if (!fbx_is_class(graph, l->child, "AnimationCurveNode")) continue;
        if (!search->curves[fbx_object_index(graph, l->child)]) continue;
        if (fbx_is_class(graph, l->parent, "Deformer") && fbx_text_is(l->node, 3, "DeformPercent"))
            record(search, FBX_BLEND_SHAPE_CURVES, l->parent);
        bool hides = fbx_text_is(l->node, 3, "Visibility") || fbx_text_is(l->node, 3, "Show");
        if (hides && fbx_is_class(graph, l->parent, "Model") &&
            search->draws[fbx_object_index(graph, l->parent)])
            record(search, FBX_VISIBILITY_CURVES, l->parent);
    }
}

// -- All of it

// Ticks of another length than usual, which Assimp does not know.
static bool has_other_ticks(const fbx_tree *tree)
{
    const fbx_node *header = fbx_child(&tree->root, "FBXHeaderExtension");
    const fbx_node *flags = fbx_child(header, "OtherFlags");
    int64_t version, definition;
    return fbx_integer(fbx_child(header, "FBXHeaderVersion"), 0, &version) && version >= 1004 &&
           fbx_integer(fbx_child(flags, "TCDefinition"), 0, &definition) && definition != 127;
}

void fbx_find_omissions(const fbx_graph *graph, fbx_facts *facts)
{
    omission_search search = {.graph = graph, .found = facts->found};
    search.draws = import_alloc(graph->object_count, sizeof *search.draws);
    search.curves = import_alloc(graph->object_count, sizeof *search.curves);
    search.skins = import_alloc(graph->object_count, sizeof *search.skins);
    find_drawn(&search);
    inspect_curves(&search);
    for (size_t i = 0; i < graph->object_count; i++) {
        int64_t id = graph->by_id[i].id;
        const fbx_node *object = graph->by_id[i].node;
        if (fbx_is_named(object, "Geometry")) inspect_geometry(&search, id, object);
        if (fbx_is_named(object, "Deformer")) inspect_deformer(&search, id, object);
        if (fbx_is_named(object, "Constraint")) inspect_constraint(&search, id, object);
        if (fbx_is_named(object, "NodeAttribute") && fbx_text_is(object, 2, "LodGroup"))
            record(&search, FBX_LEVELS_OF_DETAIL, id);
        if (fbx_is_named(object, "AnimationStack") && has_other_ticks(graph->tree))
            record(&search, FBX_OTHER_TICKS, id);
    }
    free(search.draws);
    free(search.curves);
    free(search.skins);
}
