// fbx_rewrite.c: what Assimp would lose of an FBX file, kept or mended before it reads it.
// SPDX-License-Identifier: MIT
//
// Assimp 5 takes the start of each take for 0 and drops keys outside of it, draws straight lines
// between keys, takes 0 for the axes of a node with pivots that have no curve, and finds nodes by
// names that are not unique. Here the takes become so long that nothing is dropped and all begin at
// the same time; curves are sampled, missing ones added, and names made unique.

#include "fbx_rewrite.h"

#include "../scene/import.h"
#include "fbx_curves.h"
#include "fbx_graph.h"
#include "fbx_models.h"
#include "fbx_omissions.h"
#include "fbx_origin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_SECONDS 65536.0  // The takes begin that long before 0, and end that long behind it.

// What the curves of a node of curves say: which axes they move, and when the first key is.
typedef struct curve_axes {
    int64_t id;
    unsigned present;  // A bit for each axis.
    int varying;       // How many axes change.
    bool turns;        // They are those of a rotation.
    double time;
} curve_axes;

typedef struct fbx_rewriter {
    fbx_tree tree;
    fbx_facts *facts;
    fbx_graph graph;
    curve_axes *axes;  // In the order of their numbers.
    size_t axes_count;
} fbx_rewriter;

static const char *const axis_names[] = {"d|X", "d|Y", "d|Z"};

// -- Takes

static void set_time(fbx_rewriter *rewriter, fbx_node *stack, const char *name, double seconds,
                     double *was, bool *is_known)
{
    fbx_node *p = fbx_property(stack, name);
    int64_t ticks = 0;
    *is_known = p && fbx_integer(p, 4, &ticks);
    *was = (double)ticks / FBX_SECOND;
    if (!p || p->value_count < 5) {
        fbx_node *all = fbx_child(stack, "Properties70");
        if (!all) all = fbx_add(stack, "Properties70", strlen("Properties70"));
        p = fbx_add(all, "P", 1);
        fbx_add_text(p, name);
        fbx_add_text(p, "KTime");
        fbx_add_text(p, "Time");
        fbx_add_text(p, "");
        fbx_add_integer(&rewriter->tree, p, 0);
    }
    fbx_set_integer(&rewriter->tree, p, 4, (int64_t)(seconds * FBX_SECOND));
}

// What the section of old says, which some files have instead.
static bool find_old_times(const fbx_rewriter *rewriter, fbx_take *take)
{
    const fbx_node *all = fbx_child(&rewriter->tree.root, "Takes");
    for (const fbx_node *n = all ? all->child : NULL; n; n = n->next) {
        const fbx_node *times = fbx_child(n, "LocalTime");
        int64_t start, stop;
        if (!fbx_is_named(n, "Take") || !fbx_integer(times, 0, &start)) continue;
        const fbx_value *name = n->value_count ? &n->values[0] : NULL;
        if (!name || name->type != FBX_TEXT || name->size != take->name_size) continue;
        if (memcmp(name->data, take->name, name->size) || !fbx_integer(times, 1, &stop)) continue;
        take->start = (double)start / FBX_SECOND;
        take->stop = (double)stop / FBX_SECOND;
        return true;
    }
    return false;
}

static void widen_takes(fbx_rewriter *rewriter)
{
    fbx_facts *f = rewriter->facts;
    f->takes = import_alloc(fbx_count_children(rewriter->graph.objects), sizeof *f->takes);
    for (fbx_node *n = rewriter->graph.objects->child; n; n = n->next) {
        fbx_take take = {0};
        bool has_start, has_stop;
        if (!fbx_is_named(n, "AnimationStack")) continue;
        if (!fbx_object_name(n, &take.name, &take.name_size)) continue;
        set_time(rewriter, n, "LocalStart", -LONG_SECONDS, &take.start, &has_start);
        set_time(rewriter, n, "LocalStop", LONG_SECONDS, &take.stop, &has_stop);
        has_stop = has_stop || find_old_times(rewriter, &take);
        take.has_range = has_stop && take.stop > take.start;
        f->takes[f->take_count++] = take;
    }
    f->base = LONG_SECONDS;
}

// From where the first take begins to where the last one ends: nothing if that is not known.
static fbx_range all_takes(const fbx_facts *facts)
{
    fbx_range all = {HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < facts->take_count; i++) {
        const fbx_take *t = &facts->takes[i];
        if (!t->has_range) continue;
        all.start = fmin(all.start, t->start * FBX_SECOND);
        all.stop = fmax(all.stop, t->stop * FBX_SECOND);
    }
    return all;
}

const fbx_take *fbx_take_named(const fbx_facts *facts, const char *name)
{
    for (uint32_t i = 0; i < facts->take_count; i++) {
        const fbx_take *t = &facts->takes[i];
        if (t->name_size == strlen(name) && memcmp(t->name, name, t->name_size) == 0) return t;
    }
    return NULL;
}

// Programs that have layers write empty ones, too, which change nothing.
static void count_layers(fbx_rewriter *rewriter)
{
    uint32_t *moved = import_alloc(rewriter->graph.object_count, sizeof *moved);
    for (size_t i = 0; i < rewriter->graph.link_count; i++)
        if (fbx_is_class(&rewriter->graph, rewriter->graph.links[i].child, "AnimationCurveNode") &&
            fbx_is_class(&rewriter->graph, rewriter->graph.links[i].parent, "AnimationLayer"))
            moved[fbx_object_index(&rewriter->graph, rewriter->graph.links[i].parent)] = 1;
    for (size_t i = 0; i < rewriter->graph.link_count; i++) {
        const fbx_link *l = &rewriter->graph.links[i];
        if (!fbx_is_class(&rewriter->graph, l->child, "AnimationLayer") ||
            !fbx_is_class(&rewriter->graph, l->parent, "AnimationStack"))
            continue;
        uint32_t *layers = &moved[fbx_object_index(&rewriter->graph, l->parent)];
        if (moved[fbx_object_index(&rewriter->graph, l->child)])
            rewriter->facts->layer_count += (*layers)++ > 0;
    }
    free(moved);
}

// -- Which curves there are

static curve_axes *axes_with(const fbx_rewriter *rewriter, int64_t id)
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

static bool is_rotation(const fbx_rewriter *rewriter, int64_t curve_node)
{
    for (size_t i = fbx_first_link(&rewriter->graph, curve_node);
         fbx_is_link_of(&rewriter->graph, i, curve_node); i++)
        if (fbx_text_is(rewriter->graph.links[i].node, 3, "Lcl Rotation")) return true;
    return false;
}

static void inspect_curve(const fbx_rewriter *rewriter, curve_axes *owner, int axis,
                          const fbx_node *curve)
{
    double *times, *values;
    size_t count;
    if (!owner->present &&
        fbx_numbers(&rewriter->tree, fbx_child(curve, "KeyTime"), &times, &count)) {
        owner->time = count ? times[0] : 0;
        free(times);
    }
    owner->present |= 1u << axis;
    if (!fbx_numbers(&rewriter->tree, fbx_child(curve, "KeyValueFloat"), &values, &count)) return;
    bool varies = false;
    for (size_t i = 1; i < count; i++) varies |= fabs(values[i] - values[0]) > 0.1;
    owner->varying += varies;
    free(values);
}

static void find_axes(fbx_rewriter *rewriter)
{
    rewriter->axes = import_alloc(rewriter->graph.object_count, sizeof *rewriter->axes);
    for (size_t i = 0; i < rewriter->graph.object_count; i++)
        if (fbx_is_named(rewriter->graph.by_id[i].node, "AnimationCurveNode"))
            rewriter->axes[rewriter->axes_count++] =
                (curve_axes){.id = rewriter->graph.by_id[i].id,
                             .turns = is_rotation(rewriter, rewriter->graph.by_id[i].id)};
    for (size_t i = 0; i < rewriter->graph.link_count; i++) {
        const fbx_link *l = &rewriter->graph.links[i];
        curve_axes *owner = axes_with(rewriter, l->parent);
        for (int k = 0; owner && k < 3; k++)
            if (fbx_text_is(l->node, 3, axis_names[k]))
                inspect_curve(rewriter, owner, k, fbx_find_object(&rewriter->graph, l->child));
    }
}

// -- Curves

// Angles around one axis are turned the same way by everybody; around several they are not.
static fbx_curve_kind kind_of(const fbx_rewriter *rewriter, int64_t curve)
{
    fbx_curve_kind kind = FBX_LENGTHS;
    for (size_t i = fbx_first_link(&rewriter->graph, curve);
         fbx_is_link_of(&rewriter->graph, i, curve); i++) {
        const curve_axes *owner = axes_with(rewriter, rewriter->graph.links[i].parent);
        if (!owner || !owner->turns) continue;
        if (owner->varying > 1) return FBX_ANGLES;
        kind = FBX_ANGLE;
    }
    return kind;
}

static void sample_curves(fbx_rewriter *rewriter)
{
    const fbx_range range = all_takes(rewriter->facts);
    for (fbx_node *n = rewriter->graph.objects->child; n; n = n->next) {
        int64_t id;
        if (fbx_is_named(n, "AnimationCurve") && fbx_integer(n, 0, &id))
            fbx_sample_curve(&rewriter->tree, n, kind_of(rewriter, id), range);
    }
}

// A curve with one key, as the axis of its node says.
static void add_curve(fbx_rewriter *rewriter, const fbx_node *owner, const curve_axes *a, int axis)
{
    double value;
    if (!fbx_number(fbx_property(owner, axis_names[axis]), 4, &value)) return;
    fbx_node *curve = fbx_add(rewriter->graph.objects, "AnimationCurve", strlen("AnimationCurve"));
    fbx_add_integer(&rewriter->tree, curve, rewriter->graph.next_id);
    fbx_add_text(curve, "");
    fbx_rename_object(&rewriter->tree, curve, "AnimCurve", "", 0);
    fbx_add_text(curve, "");
    fbx_set_numbers(&rewriter->tree, fbx_add(curve, "KeyTime", strlen("KeyTime")), 'l', &a->time,
                    1);
    fbx_set_numbers(&rewriter->tree, fbx_add(curve, "KeyValueFloat", strlen("KeyValueFloat")), 'f',
                    &value, 1);
    fbx_node *c = fbx_add(rewriter->graph.connections, "C", 1);
    fbx_add_text(c, "OP");
    fbx_add_integer(&rewriter->tree, c, rewriter->graph.next_id++);
    fbx_add_integer(&rewriter->tree, c, a->id);
    fbx_add_text(c, axis_names[axis]);
}

static void add_missing_curves(fbx_rewriter *rewriter)
{
    for (size_t i = 0; i < rewriter->axes_count; i++)
        for (int k = 0; k < 3 && rewriter->axes[i].present; k++)
            if (!(rewriter->axes[i].present & 1u << k))
                add_curve(rewriter, fbx_find_object(&rewriter->graph, rewriter->axes[i].id),
                          &rewriter->axes[i], k);
}

// -- Names

typedef struct named_model {
    const char *name;
    size_t size;
    fbx_node *node;
    size_t order;
} named_model;

static int by_name(const void *a, const void *b)
{
    const named_model *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    int order = x->size ? memcmp(x->name, y->name, x->size) : 0;
    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

static void rename_duplicates(fbx_rewriter *rewriter)
{
    named_model *all = import_alloc(rewriter->graph.object_count, sizeof *all);
    size_t count = 0, duplicate = 0;
    for (fbx_node *n = rewriter->graph.objects->child; n; n = n->next) {
        named_model *next = &all[count];
        if (!fbx_is_named(n, "Model") || count == rewriter->graph.object_count) continue;
        if (!fbx_object_name(n, &next->name, &next->size)) continue;
        next->node = n;
        next->order = count++;
    }
    qsort(all, count, sizeof *all, by_name);
    for (size_t i = 1; i < count; i++) {
        const named_model *a = &all[i - 1], *b = &all[i];
        if (a->size != b->size || memcmp(a->name, b->name, b->size) != 0) continue;
        char number[32];
        fbx_buffer name = {0};
        int size = snprintf(number, sizeof number, FBX_DUPLICATE_MARK "%zu", ++duplicate);
        fbx_put(&name, b->name, b->size);
        fbx_put(&name, number, (size_t)size);
        fbx_rename_object(&rewriter->tree, b->node, "Model", (const char *)name.data, name.size);
    }
    free(all);
}

// -- All of it

bool fbx_detect(const void *data, size_t size)
{
    const char *text = data;
    if (fbx_is_binary(data, size)) return true;
    // Texts begin with a comment that names the format.
    size_t line = 0;
    while (line < size && line < 200 && text[line] != '\n') line++;
    for (size_t i = 0; i + 4 <= line; i++)
        if (text[0] == ';' && memcmp(text + i, "FBX ", 4) == 0) return true;
    return false;
}

void fbx_rewrite(const void **data, size_t *size, fbx_facts *facts)
{
    fbx_rewriter rewriter = {.facts = facts};
    bool ok = fbx_is_binary(*data, *size) ? fbx_read_binary(&rewriter.tree, *data, *size)
                                          : fbx_read_text(&rewriter.tree, *data, *size);
    if (!ok) return;
    fbx_find_origin(&rewriter.tree, facts);
    if (!fbx_index(&rewriter.graph, &rewriter.tree)) return;
    fbx_find_omissions(&rewriter.graph, facts);
    widen_takes(&rewriter);
    count_layers(&rewriter);
    find_axes(&rewriter);
    sample_curves(&rewriter);
    add_missing_curves(&rewriter);
    rename_duplicates(&rewriter);
    fbx_rewrite_models(&rewriter.graph, facts);
    fbx_buffer to = {0};
    (rewriter.tree.is_text ? fbx_write_text : fbx_write_binary)(&rewriter.tree, &to);
    facts->is_rewritten = true;
    *data = to.data;
    *size = to.size;
}
