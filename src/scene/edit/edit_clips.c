// edit_clips.c: start clips at their first key, and add clips of another scene to nodes of the same
// names.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"

#include "core/text/name_tree.h"
#include "scene/model/scene_finish.h"
#include "scene/pose/pose.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define SAME_SHARE 1e-6  // Largest difference of equal values, relative to the first value.

// -- The time before the first key

// Whether the values of a channel change.
static bool edit_clips_channel_changes(const tenon_channel *c)
{
    uint32_t width = tn_channel_width(c), size = tn_key_size(c);
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

// Some exporters write a key at 0 for channels that never change, even in takes that start later.
// So only the channels that change count, if there is one.
static float edit_clips_first_key_time(const tenon_animation *a)
{
    float first = 0, first_change = 0;
    bool has_any = false, has_change = false;
    for (uint32_t i = 0; i < a->channel_count; i++) {
        float time = a->channels[i].times[0];
        if (!has_any || time < first) first = time;
        has_any = true;
        if ((has_change && time >= first_change) || !edit_clips_channel_changes(&a->channels[i]))
            continue;
        first_change = time;
        has_change = true;
    }
    return has_change ? first_change : first;
}

static void edit_clips_subtract_start(const void *context, float *times, uint64_t count,
                                      uint32_t each)
{
    const float *start = context;
    (void)each;
    for (uint64_t i = 0; i < count; i++) {
        times[i] = times[i] > *start ? times[i] - *start : 0;
        // Both sides of a step may be rounded to the same time.
        if (i && times[i] <= times[i - 1]) times[i] = tn_float_after(times[i - 1]);
    }
}

void tn_edit_start_clips(tn_editor *editor)
{
    for (uint32_t i = 0; editor->clips->start_at_first_key && i < editor->scene->animation_count;
         i++) {
        tenon_animation *a = &editor->scene->animations[i];
        float start = edit_clips_first_key_time(a);
        tn_stream_changes times = {
            .editor = editor, .fn = edit_clips_subtract_start, .context = &start};
        double end = 0;
        for (uint32_t k = 0; start > 0 && k < a->channel_count && !editor->failed; k++) {
            tenon_channel *c = &a->channels[k];
            // A channel that never changes may have keys before the start: keep the last of them.
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

// Finds objects of a list by name: the first of each name.
typedef struct name_index {
    tn_name_tree tree;
    tn_named *entries;  // One for each object.
} name_index;

_Static_assert(offsetof(tenon_node, name) == 0, "index_names() finds names at the start");
_Static_assert(offsetof(tenon_animation, name) == 0, "index_names() finds names at the start");

typedef struct clip_merge {
    tn_editor *editor;
    const tenon_scene *from;
    name_index clips;
    bool *is_repeated;       // Of each node: a later node has the same name.
    uint32_t *counterparts;  // Of each node of `from`: the node of the scene, or TENON_NONE.
    uint32_t *last_clip[4];  // By target and node: 1 + the last clip that has a channel for it.
    tn_tally unknown, twice, fixed, same_name, replaced, other_morphs;
} clip_merge;

// `is_repeated`, unless it is NULL, is set for the first object of each name that others have too.
static name_index edit_clips_index_names(tn_editor *editor, const void *items, size_t stride,
                                         uint32_t count, bool *is_repeated)
{
    name_index index = {.entries = tn_edit_scratch(editor, count, sizeof *index.entries)};
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        memcpy(&index.entries[i].name, (const char *)items + i * stride, sizeof(tenon_str));
        const tn_named *first = tn_name_enter(&index.tree, &index.entries[i]);
        if (is_repeated && first != &index.entries[i]) is_repeated[first - index.entries] = true;
    }
    return index;
}

// The first object of a name, or TENON_NONE.
static uint32_t edit_clips_find_name(const name_index *index, tenon_str name)
{
    const tn_named *found = tn_name_find(&index->tree, name);
    return found ? (uint32_t)(found - index->entries) : TENON_NONE;
}

// Channels cannot move a node that has a matrix: split the matrix, if that is exact.
static bool edit_clips_make_movable(tenon_node *n)
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

static void edit_clips_add_channel(clip_merge *merge, uint32_t animation, uint32_t index,
                                   tenon_animation *to)
{
    tn_editor *editor = merge->editor;
    tenon_channel c = merge->from->animations[animation].channels[index];
    uint32_t node = merge->counterparts[c.node];
    if (node == TENON_NONE) {
        tn_tally_in(&merge->unknown, 1, "animations", animation, "channels", index);
        return;
    }
    if (merge->last_clip[c.target][node] == animation + 1) {
        tn_tally_in(&merge->twice, 1, "animations", animation, "channels", index);
        return;
    }
    bool is_of_weights = c.target == TENON_WEIGHTS;
    if (is_of_weights && c.weight_count != tn_morph_count(editor->scene, node)) {
        tn_tally_in(&merge->other_morphs, 1, "animations", animation, "channels", index);
        return;
    }
    if (!is_of_weights && !edit_clips_make_movable(&editor->scene->nodes[node])) {
        tn_tally_in(&merge->fixed, 1, "animations", animation, "channels", index);
        return;
    }
    tn_tally_in(&merge->same_name, merge->is_repeated[node], "animations", animation, "channels",
                index);
    merge->last_clip[c.target][node] = animation + 1;
    c.node = node;
    c.origin = 0;
    c.times = tn_edit_copy(editor, c.times, c.key_count, sizeof *c.times);
    c.values = tn_edit_copy(editor, c.values, c.key_count, tn_key_size(&c) * sizeof *c.values);
    if (!editor->failed) to->channels[to->channel_count++] = c;
}

static void edit_copy_clip(clip_merge *merge, uint32_t animation, tenon_animation *to)
{
    const tenon_animation *from = &merge->from->animations[animation];
    tn_editor *editor = merge->editor;
    *to = (tenon_animation){.name = tn_edit_text(editor, from->name), .duration = from->duration};
    to->channels = tn_edit_array(editor, from->channel_count, sizeof *to->channels);
    to->events = tn_edit_array(editor, from->event_count, sizeof *to->events);
    for (uint32_t i = 0; i < from->channel_count && !editor->failed; i++)
        edit_clips_add_channel(merge, animation, i, to);
    for (uint32_t i = 0; i < from->event_count && !editor->failed; i++)
        to->events[i] =
            (tenon_event){from->events[i].time, tn_edit_text(editor, from->events[i].name)};
    to->event_count = editor->failed ? 0 : from->event_count;
}

// Drop the extras of replaced clips, and add those of the new ones.
static void edit_merge_clip_extras(clip_merge *merge, const uint32_t *places,
                                   const bool *is_replaced, uint32_t old_count)
{
    tn_editor *editor = merge->editor;
    tenon_scene *scene = editor->scene;
    const tenon_scene *from = merge->from;
    uint32_t *kept = tn_edit_scratch(editor, old_count, sizeof *kept);
    uint64_t room = (uint64_t)scene->extra_count + from->extra_count;
    if (room >= TENON_NONE) tn_edit_fail(editor, TENON_ERR_LIMIT, "there are too many extras");
    tenon_extra *extras = tn_edit_array(editor, room, sizeof *extras);
    if (editor->failed) return;
    for (uint32_t i = 0; i < old_count; i++) kept[i] = is_replaced[i] ? TENON_NONE : i;
    tn_move_extras(editor, TENON_EXTRA_OF_ANIMATION, kept, old_count);
    if (scene->extra_count) memcpy(extras, scene->extras, scene->extra_count * sizeof *extras);
    scene->extras = extras;
    for (uint32_t i = 0; i < from->extra_count; i++) {
        const tenon_extra *e = &from->extras[i];
        if (e->of != TENON_EXTRA_OF_ANIMATION || e->index >= from->animation_count) continue;
        extras[scene->extra_count++] = (tenon_extra){
            e->of, places[e->index], tn_edit_text(editor, e->name), tn_edit_text(editor, e->value)};
    }
}

static void edit_merge_clips(clip_merge *merge)
{
    tn_editor *editor = merge->editor;
    tenon_scene *scene = editor->scene;
    uint32_t old_count = scene->animation_count, count = merge->from->animation_count;
    tenon_animation *all = tn_edit_array(editor, (uint64_t)old_count + count, sizeof *all);
    bool *is_replaced = tn_edit_scratch(editor, old_count, sizeof *is_replaced);
    uint32_t *places = tn_edit_scratch(editor, count, sizeof *places);
    if (editor->failed) return;
    if (old_count) memcpy(all, scene->animations, old_count * sizeof *all);
    scene->animations = all;
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        // A clip replaces the first one of its name, but clips without a name are different ones,
        // and so are two new clips of one name.
        tenon_str name = merge->from->animations[i].name;
        uint32_t first = name.size ? edit_clips_find_name(&merge->clips, name) : TENON_NONE;
        bool replaces = first != TENON_NONE && !is_replaced[first];
        places[i] = replaces ? first : scene->animation_count++;
        if (replaces) is_replaced[first] = true;
        tn_tally_at(&merge->replaced, replaces, "animations", places[i]);
        edit_copy_clip(merge, i, &all[places[i]]);
    }
    if (!editor->failed) edit_merge_clip_extras(merge, places, is_replaced, old_count);
}

void tn_edit_add_clips(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene, *from = editor->clips_from;
    clip_merge merge = {.editor = editor, .from = from};
    merge.is_repeated = tn_edit_scratch(editor, scene->node_count, sizeof *merge.is_repeated);
    merge.counterparts = tn_edit_scratch(editor, from->node_count, sizeof *merge.counterparts);
    for (int k = 0; k <= TENON_WEIGHTS; k++)
        merge.last_clip[k] = tn_edit_scratch(editor, scene->node_count, sizeof *merge.last_clip[k]);
    name_index nodes = edit_clips_index_names(editor, scene->nodes, sizeof *scene->nodes,
                                              scene->node_count, merge.is_repeated);
    merge.clips = edit_clips_index_names(editor, scene->animations, sizeof *scene->animations,
                                         scene->animation_count, NULL);
    for (uint32_t i = 0; i < from->node_count && !editor->failed; i++)
        merge.counterparts[i] = edit_clips_find_name(&nodes, from->nodes[i].name);
    if (!editor->failed) edit_merge_clips(&merge);
    if (editor->failed) return;
    tn_edit_report(editor, TENON_DROPPED, "animations", merge.replaced.count, merge.replaced.path,
                   "replaced by clips of the same names");
    tn_edit_report(editor, TENON_DROPPED, "channels", merge.unknown.count, merge.unknown.path,
                   "they move nodes that the scene does not have");
    tn_edit_report(editor, TENON_DROPPED, "channels", merge.twice.count, merge.twice.path,
                   "another channel already moves the node of that name");
    tn_edit_report(
        editor, TENON_DROPPED, "channels", merge.fixed.count, merge.fixed.path,
        "the matrix of the node cannot be decomposed into translation, rotation and scale");
    tn_edit_report(editor, TENON_DROPPED, "channels", merge.other_morphs.count,
                   merge.other_morphs.path, "the mesh of the node has other morph targets");
    tn_edit_report(editor, TENON_APPROXIMATED, "channels", merge.same_name.count,
                   merge.same_name.path, "several nodes have that name: the first one is moved");
}
