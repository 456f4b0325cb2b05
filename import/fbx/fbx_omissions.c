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

typedef struct search {
    const fbx_graph *graph;
    fbx_finding *found;
    bool *draws;   // By index of the object: a model that has geometry, at or below it.
    bool *curves;  // An AnimationCurveNode whose curves change, or are other than 0.
    bool *skins;   // Geometry that has a skin.
} search;

// -- Names

// The first parent of that class; 0 if there is none.
static int64_t parent_of(const fbx_graph *g, int64_t id, const char *kind)
{
    for (size_t i = fbx_first_link(g, id); fbx_is_link_of(g, i, id); i++)
        if (fbx_is_of(g, g->links[i].parent, kind)) return g->links[i].parent;
    return 0;
}

// Geometry and deformers often have no names; the model that they belong to has one.
static void note(search *s, fbx_feature feature, int64_t id)
{
    static const char *const up[] = {"Deformer", "Geometry", "Model"};
    fbx_finding *f = &s->found[feature];
    const fbx_graph *g = s->graph;
    if (f->count++ > 0) return;
    for (size_t i = 0, steps = 0; i < sizeof up / sizeof up[0] && steps < 8; steps++) {
        int64_t parent = fbx_is_of(g, id, "Model") ? 0 : parent_of(g, id, up[i]);
        if (parent)
            id = parent;
        else
            i++;
    }
    (void)fbx_object_name(fbx_object_of(g, id), &f->name, &f->name_size);
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

static bool has_non_zero(const fbx_graph *g, const fbx_node *array)
{
    double *values;
    size_t count;
    bool found = false;
    if (!array || !fbx_numbers(g->tree, array, &values, &count)) return false;
    for (size_t i = 0; i < count; i++) found |= values[i] != 0;
    free(values);
    return found;
}

// -- Geometry

static void look_at_geometry(search *s, int64_t id, const fbx_node *geometry)
{
    const fbx_graph *g = s->graph;
    uint32_t models = 0;
    for (size_t i = fbx_first_link(g, id); fbx_is_link_of(g, i, id); i++)
        models += fbx_is_of(g, g->links[i].parent, "Model");
    if (models == 0 || fbx_text_is(geometry, 2, "Shape") || fbx_text_is(geometry, 2, "Line"))
        return;
    if (!fbx_text_is(geometry, 2, "Mesh")) {
        bool is_curve = fbx_text_is(geometry, 2, "NurbsCurve");
        bool is_surface = fbx_text_is(geometry, 2, "NurbsSurface") ||
                          fbx_text_is(geometry, 2, "TrimNurbsSurface") ||
                          fbx_text_is(geometry, 2, "Nurb");
        note(s,
             is_curve     ? FBX_NURBS_CURVES
             : is_surface ? FBX_NURBS_SURFACES
                          : FBX_OTHER_GEOMETRY,
             id);
        return;
    }
    // Some programs write how to subdivide even where nothing asks for it.
    double levels = fmax(number_of(geometry, "PreviewDivisionLevels", 0),
                         number_of(geometry, "RenderDivisionLevels", 0));
    if (number_of(geometry, "Smoothness", 0) > 0 && levels > 0) note(s, FBX_SUBDIVISION, id);
    bool has_shapes = false;  // Version 7.1 has them inside the geometry, as older ones do.
    for (const fbx_node *c = geometry->child; c; c = c->next) {
        if (fbx_is_named(c, "LayerElementHole") && has_non_zero(g, fbx_child(c, "Hole")))
            note(s, FBX_HOLES, id);
        has_shapes |= fbx_is_named(c, "Shape");
    }
    if (has_shapes) note(s, FBX_BLEND_SHAPES, id);
    if (models > 1 && s->skins[fbx_object_index(g, id)]) note(s, FBX_SKIN_INSTANCES, id);
}

// -- Deformers and constraints

static void look_at_deformer(search *s, int64_t id, const fbx_node *deformer)
{
    if (fbx_text_is(deformer, 2, "BlendShapeChannel")) {
        double weight = setting(deformer, "DeformPercent", number_of(deformer, "DeformPercent", 0));
        if (fabs(weight) > SAME_PERCENT) note(s, FBX_BLEND_SHAPES, id);
    }
    if (fbx_text_is(deformer, 2, "VertexCacheDeformer") && setting(deformer, "Active", 1) != 0)
        note(s, FBX_CACHES, id);
    const fbx_node *skinning = fbx_child(deformer, "SkinningType");
    if (fbx_text_is(skinning, 0, "DualQuaternion") || fbx_text_is(skinning, 0, "Blend"))
        note(s, FBX_DUAL_QUATERNIONS, id);
    if (fbx_text_is(fbx_child(deformer, "Mode"), 0, "Additive")) note(s, FBX_ADDITIVE_CLUSTERS, id);
}

// A character is a map of bones, unless it is switched on.
static void look_at_constraint(search *s, int64_t id, const fbx_node *constraint)
{
    double fallback = fbx_text_is(constraint, 2, "Character") ? 0 : 1;
    if (setting(constraint, "Active", fallback) != 0) note(s, FBX_CONSTRAINTS, id);
}

// -- What is drawn

// Whether a model, or a layer that it is in, is switched off.
static bool is_hidden(const fbx_graph *g, int64_t id)
{
    const fbx_node *model = fbx_object_of(g, id);
    if (setting(model, "Visibility", 1) <= 0) return true;
    for (size_t i = fbx_first_link(g, id); fbx_is_link_of(g, i, id); i++) {
        const fbx_node *layer = fbx_object_of(g, g->links[i].parent);
        if (layer && fbx_is_named(layer, "CollectionExclusive") && setting(layer, "Show", 1) == 0)
            return true;
    }
    return false;
}

// Mark what has a skin and the models that show something, and count those that should not.
static void find_drawn(search *s)
{
    const fbx_graph *g = s->graph;
    for (size_t i = 0; i < g->link_count; i++) {
        int64_t child = g->links[i].child, model = g->links[i].parent;
        if (fbx_text_is(fbx_object_of(g, child), 2, "Skin") && fbx_is_of(g, model, "Geometry"))
            s->skins[fbx_object_index(g, model)] = true;
        if (!fbx_is_of(g, child, "Geometry") || !fbx_is_of(g, model, "Model")) continue;
        bool hides = setting(fbx_object_of(g, model), "Show", 1) == 0;
        // A circle of models is longer than all of them.
        size_t steps = 0;
        for (int64_t up = model; up && steps <= g->object_count; up = parent_of(g, up, "Model")) {
            s->draws[fbx_object_index(g, up)] = true;
            hides |= is_hidden(g, up);
            steps++;
        }
        if (hides) note(s, FBX_HIDDEN, model);
    }
}

// -- Curves

// Tangents that follow from numbers of which only the usual ones are understood.
static void look_at_tangents(search *s, int64_t id, const fbx_node *curve, size_t key_count)
{
    enum { CUBIC = 0x8, AUTO = 0x100, TCB = 0x200, TIME_INDEPENDENT = 0x2000 };
    double *flags = NULL, *data = NULL;
    size_t flag_count, data_count = 0;
    if (key_count < 3) return;
    if (!fbx_numbers(s->graph->tree, fbx_child(curve, "KeyAttrFlags"), &flags, &flag_count)) return;
    (void)fbx_numbers(s->graph->tree, fbx_child(curve, "KeyAttrDataFloat"), &data, &data_count);
    bool has_tcb = false, has_bias = false;
    for (size_t i = 0; i < flag_count && 4 * i + 1 < data_count; i++) {
        int64_t f = fbx_whole(flags[i]);
        if (!(f & CUBIC)) continue;
        has_tcb |= (f & TCB) != 0;
        bool is_biased = fabs(data[4 * i]) > 0 || fabs(data[4 * i + 1]) > 0;
        has_bias |= (f & AUTO) && !(f & TIME_INDEPENDENT) && is_biased;
    }
    if (has_tcb) note(s, FBX_TCB_TANGENTS, id);
    if (has_bias) note(s, FBX_BIASED_TANGENTS, id);
    free(flags);
    free(data);
}

// Whether a curve changes, or is other than 0 where only that matters.
static void look_at_curve(search *s, const fbx_link *l)
{
    const fbx_graph *g = s->graph;
    const fbx_node *curve = fbx_object_of(g, l->child);
    double *values;
    size_t count;
    bool is_weight = fbx_text_is(l->node, 3, "d|DeformPercent"), matters = false;
    if (!fbx_numbers(g->tree, fbx_child(curve, "KeyValueFloat"), &values, &count)) return;
    for (size_t i = 0; i < count; i++)
        matters |= fabs(values[i] - (is_weight ? 0 : values[0])) > SAME_PERCENT;
    free(values);
    if (matters) s->curves[fbx_object_index(g, l->parent)] = true;
    look_at_tangents(s, l->parent, curve, count);
}

// Curves that move properties which have no channel.
static void look_at_curves(search *s)
{
    const fbx_graph *g = s->graph;
    for (size_t i = 0; i < g->link_count; i++)
        if (fbx_is_of(g, g->links[i].child, "AnimationCurve") &&
            fbx_is_of(g, g->links[i].parent, "AnimationCurveNode"))
            look_at_curve(s, &g->links[i]);
    for (size_t i = 0; i < g->link_count; i++) {
        const fbx_link *l = &g->links[i];
        if (!fbx_is_of(g, l->child, "AnimationCurveNode")) continue;
        if (!s->curves[fbx_object_index(g, l->child)]) continue;
        if (fbx_is_of(g, l->parent, "Deformer") && fbx_text_is(l->node, 3, "DeformPercent"))
            note(s, FBX_BLEND_SHAPE_CURVES, l->parent);
        bool hides = fbx_text_is(l->node, 3, "Visibility") || fbx_text_is(l->node, 3, "Show");
        if (hides && fbx_is_of(g, l->parent, "Model") && s->draws[fbx_object_index(g, l->parent)])
            note(s, FBX_VISIBILITY_CURVES, l->parent);
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

void fbx_find_omissions(const fbx_graph *g, fbx_facts *facts)
{
    search s = {.graph = g, .found = facts->found};
    s.draws = import_alloc(g->object_count, sizeof *s.draws);
    s.curves = import_alloc(g->object_count, sizeof *s.curves);
    s.skins = import_alloc(g->object_count, sizeof *s.skins);
    find_drawn(&s);
    look_at_curves(&s);
    for (size_t i = 0; i < g->object_count; i++) {
        int64_t id = g->by_id[i].id;
        const fbx_node *object = g->by_id[i].node;
        if (fbx_is_named(object, "Geometry")) look_at_geometry(&s, id, object);
        if (fbx_is_named(object, "Deformer")) look_at_deformer(&s, id, object);
        if (fbx_is_named(object, "Constraint")) look_at_constraint(&s, id, object);
        if (fbx_is_named(object, "NodeAttribute") && fbx_text_is(object, 2, "LodGroup"))
            note(&s, FBX_LEVELS_OF_DETAIL, id);
        if (fbx_is_named(object, "AnimationStack") && has_other_ticks(g->tree))
            note(&s, FBX_OTHER_TICKS, id);
    }
    free(s.draws);
    free(s.curves);
    free(s.skins);
}
