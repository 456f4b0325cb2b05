// fbx_omissions.c: finds what an FBX file has and the scene will not have.
// SPDX-License-Identifier: MIT
//
// Only what changes shapes or poses counts. A blend shape whose weight is always 0, a visibility
// curve that never changes and an inactive constraint do not.

#include "fbx_omissions.h"

#include "../system/import_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_PERCENT 1e-4  // Weights of blend shapes and visibilities that are equal.
#define USUAL_TICKS  127   // The TCDefinition that Assimp assumes.

typedef struct omission_search {
    const fbx_graph *graph;
    fbx_finding *found;
    bool *draws;   // By index of the object: it is a model that has geometry, or a descendant has.
    bool *curves;  // It is an AnimationCurveNode whose curves change, or differ from 0.
    bool *skins;   // It is geometry that has a skin.
} omission_search;

// -- Names

// The first parent of that class; 0 if there is none.
static int64_t fbx_omissions_parent_of(const fbx_graph *graph, int64_t id, const char *kind)
{
    for (size_t i = fbx_first_link(graph, id); fbx_is_link_of(graph, i, id); i++)
        if (fbx_is_class(graph, graph->links[i].parent, kind)) return graph->links[i].parent;
    return 0;
}

// Count a feature. Geometry and deformers often have no name, so the model's name is recorded.
static void fbx_omissions_record(omission_search *search, fbx_feature feature, int64_t id)
{
    static const char *const classes[] = {"Deformer", "Geometry", "Model"};
    fbx_finding *finding = &search->found[feature];
    const fbx_graph *graph = search->graph;
    if (finding->count++ > 0) return;
    for (size_t i = 0, steps = 0; i < sizeof classes / sizeof classes[0] && steps < 8; steps++) {
        int64_t parent =
            fbx_is_class(graph, id, "Model") ? 0 : fbx_omissions_parent_of(graph, id, classes[i]);
        if (parent)
            id = parent;
        else
            i++;
    }
    (void)fbx_tree_object_name(fbx_find_object(graph, id), &finding->name, &finding->name_size);
}

// -- Numbers

static double fbx_omissions_property_number(const fbx_node *object, const char *name,
                                            double fallback)
{
    double number;
    return fbx_tree_number(fbx_property(object, name), 4, &number) ? number : fallback;
}

static double fbx_omissions_child_number(const fbx_node *object, const char *child, double fallback)
{
    double number;
    return fbx_tree_number(fbx_tree_child(object, child), 0, &number) ? number : fallback;
}

// -- Geometry

static void fbx_omissions_inspect_geometry(omission_search *search, int64_t id,
                                           const fbx_node *geometry)
{
    const fbx_graph *graph = search->graph;
    uint32_t models = 0;
    for (size_t i = fbx_first_link(graph, id); fbx_is_link_of(graph, i, id); i++)
        models += fbx_is_class(graph, graph->links[i].parent, "Model");
    if (models == 0 || fbx_tree_text_is(geometry, 2, "Shape") ||
        fbx_tree_text_is(geometry, 2, "Line"))
        return;
    if (!fbx_tree_text_is(geometry, 2, "Mesh")) {
        bool is_curve = fbx_tree_text_is(geometry, 2, "NurbsCurve");
        bool is_surface = fbx_tree_text_is(geometry, 2, "NurbsSurface") ||
                          fbx_tree_text_is(geometry, 2, "TrimNurbsSurface") ||
                          fbx_tree_text_is(geometry, 2, "Nurb");
        fbx_omissions_record(search,
                             is_curve     ? FBX_NURBS_CURVES
                             : is_surface ? FBX_NURBS_SURFACES
                                          : FBX_OTHER_GEOMETRY,
                             id);
        return;
    }
    // Some programs write levels of subdivision even if the mesh is not to be subdivided.
    double levels = fmax(fbx_omissions_child_number(geometry, "PreviewDivisionLevels", 0),
                         fbx_omissions_child_number(geometry, "RenderDivisionLevels", 0));
    if (fbx_omissions_child_number(geometry, "Smoothness", 0) > 0 && levels > 0)
        fbx_omissions_record(search, FBX_SUBDIVISION, id);
    bool has_shapes = false;  // Version 7.1 has them inside the geometry, as older ones do.
    for (const fbx_node *child = geometry->child; child; child = child->next) {
        const fbx_node *array =
            fbx_tree_is_named(child, "LayerElementHole") ? fbx_tree_child(child, "Hole") : NULL;
        double *holes;
        size_t count;
        has_shapes |= fbx_tree_is_named(child, "Shape");
        if (!array || !fbx_numbers(graph->tree, array, &holes, &count)) continue;
        bool has_holes = false;
        for (size_t i = 0; i < count; i++) has_holes |= holes[i] != 0;
        free(holes);
        if (has_holes) fbx_omissions_record(search, FBX_HOLES, id);
    }
    if (has_shapes) fbx_omissions_record(search, FBX_BLEND_SHAPES, id);
    if (models > 1 && search->skins[fbx_object_index(graph, id)])
        fbx_omissions_record(search, FBX_SKIN_INSTANCES, id);
}

// -- Visibility

// Whether a model, or a layer that contains it, is hidden.
static bool fbx_omissions_is_hidden(const fbx_graph *graph, int64_t id)
{
    if (fbx_omissions_property_number(fbx_find_object(graph, id), "Visibility", 1) <= 0)
        return true;
    for (size_t i = fbx_first_link(graph, id); fbx_is_link_of(graph, i, id); i++) {
        const fbx_node *layer = fbx_find_object(graph, graph->links[i].parent);
        if (layer && fbx_tree_is_named(layer, "CollectionExclusive") &&
            fbx_omissions_property_number(layer, "Show", 1) == 0)
            return true;
    }
    return false;
}

// Mark geometry with skins and models that draw something, and count hidden ones.
static void fbx_omissions_find_drawn(omission_search *search)
{
    const fbx_graph *graph = search->graph;
    for (size_t i = 0; i < graph->link_count; i++) {
        int64_t child = graph->links[i].child, parent = graph->links[i].parent;
        if (fbx_tree_text_is(fbx_find_object(graph, child), 2, "Skin") &&
            fbx_is_class(graph, parent, "Geometry"))
            search->skins[fbx_object_index(graph, parent)] = true;
        if (!fbx_is_class(graph, child, "Geometry") || !fbx_is_class(graph, parent, "Model"))
            continue;
        bool hides = fbx_omissions_property_number(fbx_find_object(graph, parent), "Show", 1) == 0;
        // The number of steps is limited because models may form a cycle.
        size_t steps = 0;
        for (int64_t model = parent; model && steps <= graph->object_count;
             model = fbx_omissions_parent_of(graph, model, "Model")) {
            search->draws[fbx_object_index(graph, model)] = true;
            hides |= fbx_omissions_is_hidden(graph, model);
            steps++;
        }
        if (hides) fbx_omissions_record(search, FBX_HIDDEN, parent);
    }
}

// -- Curves

// Whether a curve changes, or is a weight other than 0, and whether Assimp understands its
// tangents.
static void fbx_omissions_inspect_curve(omission_search *search, const fbx_link *link)
{
    enum { CUBIC = 0x8, AUTO = 0x100, TCB = 0x200, TIME_INDEPENDENT = 0x2000 };
    const fbx_graph *graph = search->graph;
    const fbx_node *curve = fbx_find_object(graph, link->child);
    double *values, *flags = NULL, *data = NULL;
    size_t count, flag_count, data_count = 0;
    bool is_weight = fbx_tree_text_is(link->node, 3, "d|DeformPercent"), matters = false;
    if (!fbx_numbers(graph->tree, fbx_tree_child(curve, "KeyValueFloat"), &values, &count)) return;
    for (size_t i = 0; i < count; i++)
        matters |= fabs(values[i] - (is_weight ? 0 : values[0])) > SAME_PERCENT;
    free(values);
    if (matters) search->curves[fbx_object_index(graph, link->parent)] = true;
    if (count < 3) return;
    if (!fbx_numbers(graph->tree, fbx_tree_child(curve, "KeyAttrFlags"), &flags, &flag_count))
        return;
    (void)fbx_numbers(graph->tree, fbx_tree_child(curve, "KeyAttrDataFloat"), &data, &data_count);
    bool has_tcb = false, has_bias = false;
    for (size_t i = 0; i < flag_count && 4 * i + 1 < data_count; i++) {
        int64_t key = fbx_to_integer(flags[i]);
        if (!(key & CUBIC)) continue;
        has_tcb |= (key & TCB) != 0;
        bool is_biased = fabs(data[4 * i]) > 0 || fabs(data[4 * i + 1]) > 0;
        has_bias |= (key & AUTO) && !(key & TIME_INDEPENDENT) && is_biased;
    }
    if (has_tcb) fbx_omissions_record(search, FBX_TCB_TANGENTS, link->parent);
    if (has_bias) fbx_omissions_record(search, FBX_BIASED_TANGENTS, link->parent);
    free(flags);
    free(data);
}

// Find curves that animate properties for which scenes have no channel.
static void fbx_omissions_inspect_curves(omission_search *search)
{
    const fbx_graph *graph = search->graph;
    for (size_t i = 0; i < graph->link_count; i++)
        if (fbx_is_class(graph, graph->links[i].child, "AnimationCurve") &&
            fbx_is_class(graph, graph->links[i].parent, "AnimationCurveNode"))
            fbx_omissions_inspect_curve(search, &graph->links[i]);
    for (size_t i = 0; i < graph->link_count; i++) {
        const fbx_link *link = &graph->links[i];
        if (!fbx_is_class(graph, link->child, "AnimationCurveNode")) continue;
        if (!search->curves[fbx_object_index(graph, link->child)]) continue;
        if (fbx_is_class(graph, link->parent, "Deformer") &&
            fbx_tree_text_is(link->node, 3, "DeformPercent"))
            fbx_omissions_record(search, FBX_BLEND_SHAPE_CURVES, link->parent);
        bool hides = fbx_tree_text_is(link->node, 3, "Visibility") ||
                     fbx_tree_text_is(link->node, 3, "Show");
        if (hides && fbx_is_class(graph, link->parent, "Model") &&
            search->draws[fbx_object_index(graph, link->parent)])
            fbx_omissions_record(search, FBX_VISIBILITY_CURVES, link->parent);
    }
}

// -- All of them

static void fbx_omissions_inspect_deformer(omission_search *search, int64_t id,
                                           const fbx_node *deformer)
{
    double weight = fbx_omissions_property_number(
        deformer, "DeformPercent", fbx_omissions_child_number(deformer, "DeformPercent", 0));
    if (fbx_tree_text_is(deformer, 2, "BlendShapeChannel") && fabs(weight) > SAME_PERCENT)
        fbx_omissions_record(search, FBX_BLEND_SHAPES, id);
    if (fbx_tree_text_is(deformer, 2, "VertexCacheDeformer") &&
        fbx_omissions_property_number(deformer, "Active", 1) != 0)
        fbx_omissions_record(search, FBX_CACHES, id);
    const fbx_node *skinning = fbx_tree_child(deformer, "SkinningType");
    if (fbx_tree_text_is(skinning, 0, "DualQuaternion") || fbx_tree_text_is(skinning, 0, "Blend"))
        fbx_omissions_record(search, FBX_DUAL_QUATERNIONS, id);
    if (fbx_tree_text_is(fbx_tree_child(deformer, "Mode"), 0, "Additive"))
        fbx_omissions_record(search, FBX_ADDITIVE_CLUSTERS, id);
}

void fbx_find_omissions(const fbx_graph *graph, fbx_facts *facts)
{
    const fbx_node *header = fbx_tree_child(&graph->tree->root, "FBXHeaderExtension");
    const fbx_node *header_flags = fbx_tree_child(header, "OtherFlags");
    int64_t version, ticks;
    bool has_other_ticks = fbx_integer(fbx_tree_child(header, "FBXHeaderVersion"), 0, &version) &&
                           version >= 1004 &&
                           fbx_integer(fbx_tree_child(header_flags, "TCDefinition"), 0, &ticks) &&
                           ticks != USUAL_TICKS;
    omission_search search = {.graph = graph, .found = facts->found};
    search.draws = import_alloc(graph->object_count, sizeof *search.draws);
    search.curves = import_alloc(graph->object_count, sizeof *search.curves);
    search.skins = import_alloc(graph->object_count, sizeof *search.skins);
    fbx_omissions_find_drawn(&search);
    fbx_omissions_inspect_curves(&search);
    for (size_t i = 0; i < graph->object_count; i++) {
        int64_t id = graph->by_id[i].id;
        const fbx_node *object = graph->by_id[i].node;
        if (fbx_tree_is_named(object, "Geometry"))
            fbx_omissions_inspect_geometry(&search, id, object);
        if (fbx_tree_is_named(object, "Deformer"))
            fbx_omissions_inspect_deformer(&search, id, object);
        // A character is only a map of bones, unless it is active.
        double active = fbx_tree_text_is(object, 2, "Character") ? 0 : 1;
        if (fbx_tree_is_named(object, "Constraint") &&
            fbx_omissions_property_number(object, "Active", active) != 0)
            fbx_omissions_record(&search, FBX_CONSTRAINTS, id);
        if (fbx_tree_is_named(object, "NodeAttribute") && fbx_tree_text_is(object, 2, "LodGroup"))
            fbx_omissions_record(&search, FBX_LEVELS_OF_DETAIL, id);
        if (fbx_tree_is_named(object, "AnimationStack") && has_other_ticks)
            fbx_omissions_record(&search, FBX_OTHER_TICKS, id);
    }
    free(search.draws);
    free(search.curves);
    free(search.skins);
}
