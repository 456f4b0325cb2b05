// fbx_mend.c: what Assimp would lose of an FBX file, kept or mended before it reads it.
// SPDX-License-Identifier: MIT
//
// Assimp 5 takes the start of each take for 0 and drops keys outside of it, draws straight lines
// between keys, takes 0 for the axes of a node with pivots that have no curve, and finds nodes by
// names that are not unique. Here the takes become so long that nothing is dropped and all begin at
// the same time; curves are sampled, missing ones added, and names made unique.

#include "fbx_mend.h"

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
typedef struct axes_of {
    int64_t id;
    unsigned present;  // A bit for each axis.
    int varying;       // How many axes change.
    bool turns;        // They are those of a rotation.
    double time;
} axes_of;

typedef struct mender {
    fbx_tree tree;
    fbx_facts *facts;
    fbx_graph graph;
    axes_of *axes;  // In the order of their numbers.
    size_t axes_count;
} mender;

static const char *const axis_names[] = {"d|X", "d|Y", "d|Z"};

// -- Takes

static void set_time(mender *m, fbx_node *stack, const char *name, double seconds, double *was,
                     bool *is_known)
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
        fbx_add_integer(&m->tree, p, 0);
    }
    fbx_set_integer(&m->tree, p, 4, (int64_t)(seconds * FBX_SECOND));
}

// What the section of old says, which some files have instead.
static bool find_old_times(const mender *m, fbx_take *take)
{
    const fbx_node *all = fbx_child(&m->tree.root, "Takes");
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

static void mend_takes(mender *m)
{
    fbx_facts *f = m->facts;
    f->takes = import_alloc(fbx_count_children(m->graph.objects), sizeof *f->takes);
    for (fbx_node *n = m->graph.objects->child; n; n = n->next) {
        fbx_take take = {0};
        bool has_start, has_stop;
        if (!fbx_is_named(n, "AnimationStack")) continue;
        if (!fbx_object_name(n, &take.name, &take.name_size)) continue;
        set_time(m, n, "LocalStart", -LONG_SECONDS, &take.start, &has_start);
        set_time(m, n, "LocalStop", LONG_SECONDS, &take.stop, &has_stop);
        has_stop = has_stop || find_old_times(m, &take);
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
static void count_layers(mender *m)
{
    uint32_t *moved = import_alloc(m->graph.object_count, sizeof *moved);
    for (size_t i = 0; i < m->graph.link_count; i++)
        if (fbx_is_of(&m->graph, m->graph.links[i].child, "AnimationCurveNode") &&
            fbx_is_of(&m->graph, m->graph.links[i].parent, "AnimationLayer"))
            moved[fbx_object_index(&m->graph, m->graph.links[i].parent)] = 1;
    for (size_t i = 0; i < m->graph.link_count; i++) {
        const fbx_link *l = &m->graph.links[i];
        if (!fbx_is_of(&m->graph, l->child, "AnimationLayer") ||
            !fbx_is_of(&m->graph, l->parent, "AnimationStack"))
            continue;
        uint32_t *layers = &moved[fbx_object_index(&m->graph, l->parent)];
        if (moved[fbx_object_index(&m->graph, l->child)]) m->facts->layer_count += (*layers)++ > 0;
    }
    free(moved);
}

// -- Which curves there are

static axes_of *axes_with(const mender *m, int64_t id)
{
    size_t low = 0, high = m->axes_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->axes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->axes_count && m->axes[low].id == id ? &m->axes[low] : NULL;
}

static bool is_rotation(const mender *m, int64_t curve_node)
{
    for (size_t i = fbx_first_link(&m->graph, curve_node); fbx_is_link_of(&m->graph, i, curve_node);
         i++)
        if (fbx_text_is(m->graph.links[i].node, 3, "Lcl Rotation")) return true;
    return false;
}

static void note_curve(const mender *m, axes_of *owner, int axis, const fbx_node *curve)
{
    double *times, *values;
    size_t count;
    if (!owner->present && fbx_numbers(&m->tree, fbx_child(curve, "KeyTime"), &times, &count)) {
        owner->time = count ? times[0] : 0;
        free(times);
    }
    owner->present |= 1u << axis;
    if (!fbx_numbers(&m->tree, fbx_child(curve, "KeyValueFloat"), &values, &count)) return;
    bool varies = false;
    for (size_t i = 1; i < count; i++) varies |= fabs(values[i] - values[0]) > 0.1;
    owner->varying += varies;
    free(values);
}

static void find_axes(mender *m)
{
    m->axes = import_alloc(m->graph.object_count, sizeof *m->axes);
    for (size_t i = 0; i < m->graph.object_count; i++)
        if (fbx_is_named(m->graph.by_id[i].node, "AnimationCurveNode"))
            m->axes[m->axes_count++] = (axes_of){.id = m->graph.by_id[i].id,
                                                 .turns = is_rotation(m, m->graph.by_id[i].id)};
    for (size_t i = 0; i < m->graph.link_count; i++) {
        const fbx_link *l = &m->graph.links[i];
        axes_of *owner = axes_with(m, l->parent);
        for (int k = 0; owner && k < 3; k++)
            if (fbx_text_is(l->node, 3, axis_names[k]))
                note_curve(m, owner, k, fbx_object_of(&m->graph, l->child));
    }
}

// -- Curves

// Angles around one axis are turned the same way by everybody; around several they are not.
static fbx_curve_kind kind_of(const mender *m, int64_t curve)
{
    fbx_curve_kind kind = FBX_LENGTHS;
    for (size_t i = fbx_first_link(&m->graph, curve); fbx_is_link_of(&m->graph, i, curve); i++) {
        const axes_of *owner = axes_with(m, m->graph.links[i].parent);
        if (!owner || !owner->turns) continue;
        if (owner->varying > 1) return FBX_ANGLES;
        kind = FBX_ANGLE;
    }
    return kind;
}

static void mend_curves(mender *m)
{
    const fbx_range range = all_takes(m->facts);
    for (fbx_node *n = m->graph.objects->child; n; n = n->next) {
        int64_t id;
        if (fbx_is_named(n, "AnimationCurve") && fbx_integer(n, 0, &id))
            fbx_straighten(&m->tree, n, kind_of(m, id), range);
    }
}

// A curve with one key, as the axis of its node says.
static void add_curve(mender *m, const fbx_node *owner, const axes_of *a, int axis)
{
    double value;
    if (!fbx_number(fbx_property(owner, axis_names[axis]), 4, &value)) return;
    fbx_node *curve = fbx_add(m->graph.objects, "AnimationCurve", strlen("AnimationCurve"));
    fbx_add_integer(&m->tree, curve, m->graph.next_id);
    fbx_add_text(curve, "");
    fbx_rename_object(&m->tree, curve, "AnimCurve", "", 0);
    fbx_add_text(curve, "");
    fbx_set_numbers(&m->tree, fbx_add(curve, "KeyTime", strlen("KeyTime")), 'l', &a->time, 1);
    fbx_set_numbers(&m->tree, fbx_add(curve, "KeyValueFloat", strlen("KeyValueFloat")), 'f', &value,
                    1);
    fbx_node *c = fbx_add(m->graph.connections, "C", 1);
    fbx_add_text(c, "OP");
    fbx_add_integer(&m->tree, c, m->graph.next_id++);
    fbx_add_integer(&m->tree, c, a->id);
    fbx_add_text(c, axis_names[axis]);
}

static void add_missing_curves(mender *m)
{
    for (size_t i = 0; i < m->axes_count; i++)
        for (int k = 0; k < 3 && m->axes[i].present; k++)
            if (!(m->axes[i].present & 1u << k))
                add_curve(m, fbx_object_of(&m->graph, m->axes[i].id), &m->axes[i], k);
}

// -- Names

typedef struct named {
    const char *name;
    size_t size;
    fbx_node *node;
    size_t order;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    int order = x->size ? memcmp(x->name, y->name, x->size) : 0;
    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

static void rename_twins(mender *m)
{
    named *all = import_alloc(m->graph.object_count, sizeof *all);
    size_t count = 0, twin = 0;
    for (fbx_node *n = m->graph.objects->child; n; n = n->next) {
        named *next = &all[count];
        if (!fbx_is_named(n, "Model") || count == m->graph.object_count) continue;
        if (!fbx_object_name(n, &next->name, &next->size)) continue;
        next->node = n;
        next->order = count++;
    }
    qsort(all, count, sizeof *all, by_name);
    for (size_t i = 1; i < count; i++) {
        const named *a = &all[i - 1], *b = &all[i];
        if (a->size != b->size || memcmp(a->name, b->name, b->size) != 0) continue;
        char number[32];
        fbx_buffer name = {0};
        int size = snprintf(number, sizeof number, FBX_TWIN_MARK "%zu", ++twin);
        fbx_put(&name, b->name, b->size);
        fbx_put(&name, number, (size_t)size);
        fbx_rename_object(&m->tree, b->node, "Model", (const char *)name.data, name.size);
    }
    free(all);
}

// -- All of it

bool fbx_is_one(const void *data, size_t size)
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

void fbx_mend(const void **data, size_t *size, fbx_facts *facts)
{
    mender m = {.facts = facts};
    bool ok = fbx_is_binary(*data, *size) ? fbx_read_binary(&m.tree, *data, *size)
                                          : fbx_read_text(&m.tree, *data, *size);
    if (!ok) return;
    fbx_find_origin(&m.tree, facts);
    if (!fbx_index(&m.graph, &m.tree)) return;
    fbx_find_omissions(&m.graph, facts);
    mend_takes(&m);
    count_layers(&m);
    find_axes(&m);
    mend_curves(&m);
    add_missing_curves(&m);
    rename_twins(&m);
    fbx_mend_models(&m.graph, facts);
    fbx_buffer to = {0};
    (m.tree.is_text ? fbx_write_text : fbx_write_binary)(&m.tree, &to);
    facts->is_mended = true;
    *data = to.data;
    *size = to.size;
}
