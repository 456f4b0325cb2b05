// edit_clips.c: clips that start at their first key, and clips of another scene, for the nodes
// of the same names.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"

#include "core/text/name_tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME_SHARE 1e-6  // Of the first value: how far equal values may be apart.

// -- The time before the first key

// Whether the values of a channel change.
static bool channel_changes(const tenon_channel *c)
{
    uint32_t width = c->target == TENON_ROTATION ? 4 : 3, size = tn_key_size(c);
    const float *first = c->values + (c->curve == TENON_CUBIC ? width : 0);
    double largest = 0;
    for (uint32_t k = 0; k < width; k++) largest = fmax(largest, fabs((double)first[k]));
    for (uint32_t i = 0; i < c->key_count && c->key_count > 1; i++)
        for (uint32_t k = 0; k < size; k++) {
            bool is_tangent = c->curve == TENON_CUBIC && k / width != 1;
            double same = is_tangent ? 0 : (double)first[k % width];
            double value = (double)c->values[(size_t)i * size + k];
            if (fabs(value - same) > SAME_SHARE * largest) return true;
        }
    return false;
}

// Programs write channels that stand still with a key at 0 even in takes that start later, so only
// those that change count, as long as there is one.
static float first_key(const tenon_animation *a)
{
    float first = 0, first_change = 0;
    bool has_any = false, has_change = false;
    for (uint32_t i = 0; i < a->channel_count; i++) {
        float time = a->channels[i].times[0];
        if (!has_any || time < first) first = time;
        has_any = true;
        if ((has_change && time >= first_change) || !channel_changes(&a->channels[i])) continue;
        first_change = time;
        has_change = true;
    }
    return has_change ? first_change : first;
}

static void subtract_start(const void *context, float *times, uint64_t count, uint32_t each)
{
    const float *start = context;
    (void)each;
    for (uint64_t i = 0; i < count; i++) times[i] = times[i] > *start ? times[i] - *start : 0;
}

void tn_edit_start_clips(tn_editor *editor)
{
    for (uint32_t i = 0; editor->opts->start_at_first_key && i < editor->scene->animation_count;
         i++) {
        tenon_animation *a = &editor->scene->animations[i];
        float start = first_key(a);
        tn_stream_changes times = {.editor = editor, .fn = subtract_start, .context = &start};
        double end = 0;
        for (uint32_t k = 0; start > 0 && k < a->channel_count && !editor->failed; k++) {
            tenon_channel *c = &a->channels[k];
            // What stands still may have keys before the start: the last of them goes there.
            uint32_t before = 0;
            while (before + 1 < c->key_count && c->times[before + 1] <= start) before++;
            c->key_count -= before;
            c->times += before;
            c->values += (size_t)before * tn_key_size(c);
            tn_change_stream(&times, &c->times, c->key_count, 1);
            end = fmax(end, (double)c->times[c->key_count - 1]);
        }
        for (uint32_t k = 0; k < a->event_count; k++)
            a->events[k].time = fmax(0, a->events[k].time - (double)start);
        a->duration = fmax(end, a->duration - (double)start);
    }
}

// -- Clips of another scene

// What could not be taken over: how often, and where first.
typedef struct missed {
    uint64_t count;
    char path[64];
} missed;

// Names at the start of structs: the first of each.
typedef struct name_index {
    tn_name_tree tree;
    tn_named *entries;  // By index.
} name_index;

_Static_assert(offsetof(tenon_node, name) == 0, "tables find names at the start");
_Static_assert(offsetof(tenon_animation, name) == 0, "tables find names at the start");

typedef struct clip_merge {
    tn_editor *editor;
    const tenon_scene *from;
    name_index nodes, clips;
    bool *is_repeated;       // Nodes whose name another node has, too.
    uint32_t *counterparts;  // Of each node of `from`.
    uint32_t *last_clip[3];  // By target and node: which clip, plus one, had a channel for it last.
    missed unknown, twice, fixed, same_name, replaced;
} clip_merge;

static void miss(missed *m, uint32_t animation, uint32_t channel)
{
    if (m->count++ == 0)
        (void)snprintf(m->path, sizeof m->path, "animations[%u].channels[%u]", (unsigned)animation,
                       (unsigned)channel);
}

// -- Names

static tenon_str name_at(const char *items, size_t stride, uint32_t index)
{
    tenon_str name;
    memcpy(&name, items + index * stride, sizeof name);
    return name;
}

// The index of the first that has a name, or TENON_NONE.
static uint32_t find_name(const name_index *t, tenon_str name)
{
    const tn_named *found = tn_name_find(&t->tree, name);
    return found ? (uint32_t)(found - t->entries) : TENON_NONE;
}

// `is_repeated`, if it is not NULL, gets which names come again.
static name_index make_name_index(tn_editor *editor, const void *items, size_t stride,
                                  uint32_t count, bool *is_repeated)
{
    name_index t = {.entries = tn_edit_scratch(editor, count, sizeof *t.entries)};
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        t.entries[i].name = name_at(items, stride, i);
        const tn_named *first = tn_name_enter(&t.tree, &t.entries[i]);
        if (is_repeated && first != &t.entries[i]) is_repeated[first - t.entries] = true;
    }
    return t;
}

static void match_nodes(clip_merge *a)
{
    const tenon_scene *scene = a->editor->scene;
    a->is_repeated = tn_edit_scratch(a->editor, scene->node_count, sizeof *a->is_repeated);
    a->counterparts = tn_edit_scratch(a->editor, a->from->node_count, sizeof *a->counterparts);
    for (int k = 0; k < 3; k++)
        a->last_clip[k] = tn_edit_scratch(a->editor, scene->node_count, sizeof *a->last_clip[k]);
    a->nodes = make_name_index(a->editor, scene->nodes, sizeof *scene->nodes, scene->node_count,
                               a->is_repeated);
    a->clips = make_name_index(a->editor, scene->animations, sizeof *scene->animations,
                               scene->animation_count, NULL);
    for (uint32_t i = 0; i < a->from->node_count && !a->editor->failed; i++)
        a->counterparts[i] = find_name(&a->nodes, a->from->nodes[i].name);
}

// -- Channels

// A node with a matrix becomes one that can be moved, if that is all there is to it.
static bool can_move(tenon_node *n)
{
    tn_mat4 m;
    tn_trs trs;
    if (!n->has_matrix) return true;
    memcpy(m.m, n->matrix, sizeof m.m);
    if (tn_mat4_decompose(&m, &trs) & (TN_TRS_SHEARED | TN_TRS_DEGENERATE)) return false;
    n->has_matrix = false;
    memcpy(n->translation, &trs.translation, sizeof n->translation);
    memcpy(n->rotation, &trs.rotation, sizeof n->rotation);
    memcpy(n->scale, &trs.scale, sizeof n->scale);
    return true;
}

static void leave(const void *context, float *values, uint64_t count, uint32_t each)
{
    (void)context, (void)values, (void)count, (void)each;
}

static void add_channel(clip_merge *a, uint32_t animation, uint32_t index, tenon_animation *to)
{
    tenon_channel c = a->from->animations[animation].channels[index];
    uint32_t node = a->counterparts[c.node];
    if (node == TENON_NONE) {
        miss(&a->unknown, animation, index);
        return;
    }
    if (a->last_clip[c.target][node] == animation + 1) {
        miss(&a->twice, animation, index);
        return;
    }
    if (!can_move(&a->editor->scene->nodes[node])) {
        miss(&a->fixed, animation, index);
        return;
    }
    if (a->is_repeated[node]) miss(&a->same_name, animation, index);
    a->last_clip[c.target][node] = animation + 1;
    c.node = node;
    c.times = tn_changed_copy(a->editor, leave, NULL, c.times, c.key_count, 1);
    c.values = tn_changed_copy(a->editor, leave, NULL, c.values, c.key_count, tn_key_size(&c));
    if (!a->editor->failed) to->channels[to->channel_count++] = c;
}

// -- Clips

static void copy_clip(clip_merge *a, uint32_t animation, tenon_animation *to)
{
    const tenon_animation *from = &a->from->animations[animation];
    tn_editor *editor = a->editor;
    *to = (tenon_animation){.name = tn_edit_text(editor, from->name), .duration = from->duration};
    to->channels = tn_edit_array(editor, from->channel_count, sizeof *to->channels);
    to->events = tn_edit_array(editor, from->event_count, sizeof *to->events);
    for (uint32_t i = 0; i < from->channel_count && !editor->failed; i++)
        add_channel(a, animation, i, to);
    for (uint32_t i = 0; i < from->event_count && !editor->failed; i++)
        to->events[i] =
            (tenon_event){from->events[i].time, tn_edit_text(editor, from->events[i].name)};
    to->event_count = editor->failed ? 0 : from->event_count;
}

// Extras of clips that were replaced are gone; those of the new ones come.
static void move_clip_extras(clip_merge *a, const uint32_t *places, const bool *is_replaced,
                             uint32_t old_count)
{
    tenon_scene *scene = a->editor->scene;
    uint32_t *kept = tn_edit_scratch(a->editor, old_count, sizeof *kept);
    uint64_t room = (uint64_t)scene->extra_count + a->from->extra_count;
    if (room >= TENON_NONE) tn_edit_fail(a->editor, TENON_ERR_LIMIT, "there are too many extras");
    tenon_extra *extras = tn_edit_array(a->editor, room, sizeof *extras);
    if (a->editor->failed) return;
    for (uint32_t i = 0; i < old_count; i++) kept[i] = is_replaced[i] ? TENON_NONE : i;
    tn_move_extras(a->editor, TENON_EXTRA_OF_ANIMATION, kept, old_count);
    if (scene->extra_count) memcpy(extras, scene->extras, scene->extra_count * sizeof *extras);
    scene->extras = extras;
    for (uint32_t i = 0; i < a->from->extra_count; i++) {
        const tenon_extra *e = &a->from->extras[i];
        if (e->of != TENON_EXTRA_OF_ANIMATION || e->index >= a->from->animation_count) continue;
        extras[scene->extra_count++] =
            (tenon_extra){e->of, places[e->index], tn_edit_text(a->editor, e->name),
                          tn_edit_text(a->editor, e->value)};
    }
}

// Where a clip goes: to the first one of its name, if that is still the scene's own, or to the end.
// Two that have no name are two.
static uint32_t find_place(const clip_merge *a, uint32_t animation, const bool *is_replaced)
{
    tenon_str name = a->from->animations[animation].name;
    uint32_t first = name.size ? find_name(&a->clips, name) : TENON_NONE;
    bool is_own = first != TENON_NONE && !is_replaced[first];
    return is_own ? first : a->editor->scene->animation_count;
}

static void add_clips(clip_merge *a)
{
    tn_editor *editor = a->editor;
    tenon_scene *scene = editor->scene;
    uint32_t old_count = scene->animation_count, count = a->from->animation_count;
    tenon_animation *all = tn_edit_array(editor, (uint64_t)old_count + count, sizeof *all);
    bool *is_replaced = tn_edit_scratch(editor, old_count, sizeof *is_replaced);
    uint32_t *places = tn_edit_scratch(editor, count, sizeof *places);
    if (editor->failed) return;
    if (old_count) memcpy(all, scene->animations, old_count * sizeof *all);
    scene->animations = all;
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        places[i] = find_place(a, i, is_replaced);
        bool is_old = places[i] < old_count;
        if (is_old && a->replaced.count++ == 0)
            (void)snprintf(a->replaced.path, sizeof a->replaced.path, "animations[%u]",
                           (unsigned)places[i]);
        if (is_old)
            is_replaced[places[i]] = true;
        else
            scene->animation_count++;
        copy_clip(a, i, &all[places[i]]);
    }
    if (!editor->failed) move_clip_extras(a, places, is_replaced, old_count);
}

void tn_edit_add_clips(tn_editor *editor)
{
    if (!editor->opts->clips_from) return;
    clip_merge a = {.editor = editor, .from = editor->opts->clips_from};
    match_nodes(&a);
    if (!editor->failed) add_clips(&a);
    if (editor->failed) return;
    tn_edit_report(editor, TENON_DROPPED, "animations", a.replaced.count, a.replaced.path,
                   "clips of the same names take their places");
    tn_edit_report(editor, TENON_DROPPED, "channels", a.unknown.count, a.unknown.path,
                   "they move nodes that the scene does not have");
    tn_edit_report(editor, TENON_DROPPED, "channels", a.twice.count, a.twice.path,
                   "another node of that name is moved already");
    tn_edit_report(editor, TENON_DROPPED, "channels", a.fixed.count, a.fixed.path,
                   "the node has a matrix that cannot be split");
    tn_edit_report(editor, TENON_APPROXIMATED, "channels", a.same_name.count, a.same_name.path,
                   "several nodes have that name: the first one is moved");
}
