// gpb_import_animation.c: groups the channels of a bundle to clips of the scene.
// SPDX-License-Identifier: MIT
//
// By default, encoders write one animation for each node, all with the same name or each with the
// name of its node, and merge several takes of a source into one. A clip is one take. Any other
// name was chosen by an author: animations with different names of this kind are different clips,
// even over the same time range.

#include "formats/gpb/import/gpb_import.h"

#include "core/math/sort.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Channels of one clip.
typedef struct gpb_group {
    tenon_str id;
    bool is_mixed;          // Its animations have different ids.
    bool is_like_node;      // It has the name of the node that it moves.
    bool is_moment;         // The same, and it has only one key.
    bool is_named;          // An author chose its id.
    bool is_alone;          // Other named groups have the same time range.
    uint32_t take;          // The number of the take in its animation.
    float start, end;       // Seconds.
    uint32_t first, count;  // A range of `order` of the grouping.
} gpb_group;

// The encoder's name for grouped animations.
static const tenon_str gpb_mixed = {"animations", 10};

typedef struct gpb_grouping {
    gpb_importer *s;
    uint32_t count;
    gpb_group *groups;  // Groups with tracks are in the order of their first track.
    uint32_t *order;    // Tracks, sorted by group.
    uint32_t *owners;   // GPB_PARTS for each node: the group that moves it, plus 1.
} gpb_grouping;

// -- Takes

// Set the group of each track to the number of its take: how often the same component was moved
// before. Returns the number of takes.
static uint32_t gpb_count_takes(gpb_importer *s, const gpb_source *source, uint32_t *seen)
{
    uint32_t takes = 0;
    for (uint32_t i = source->first; i < source->first + source->count; i++) {
        gpb_track *track = &s->tracks[i];
        uint32_t *counts = seen + GPB_PARTS * (size_t)track->leaf;
        track->group = 0;
        for (uint32_t k = 0; k < GPB_PARTS; k++)
            if (track->offsets[k] != TENON_NONE && counts[k] > track->group)
                track->group = counts[k];
        for (uint32_t k = 0; k < GPB_PARTS; k++)
            if (track->offsets[k] != TENON_NONE) counts[k] = track->group + 1;
        if (track->group >= takes) takes = track->group + 1;
    }
    for (uint32_t i = source->first; i < source->first + source->count; i++)
        memset(seen + GPB_PARTS * (size_t)s->tracks[i].leaf, 0, GPB_PARTS * sizeof *seen);
    return takes;
}

static void gpb_add_to_group(const gpb_track *track, gpb_group *group)
{
    float start = gpb_track_time(track, 0), end = gpb_track_time(track, track->key_count - 1);
    bool is_first = group->count++ == 0;
    if (is_first || start < group->start) group->start = start;
    if (is_first || end > group->end) group->end = end;
    group->is_like_node = (is_first || group->is_like_node) &&
                          gpb_is_named_like(group->id, track->channel->target_id);
    group->is_moment = group->is_like_node && group->start == group->end;
}

// Sort the tracks by group.
static void gpb_order_tracks(gpb_grouping *g)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        g->groups[i].first = next;
        next += g->groups[i].count;
        g->groups[i].count = 0;
    }
    for (uint32_t i = 0; i < g->s->track_count; i++) {
        gpb_group *group = &g->groups[g->s->tracks[i].group];
        g->order[group->first + group->count++] = i;
    }
}

// Start with one group for every take of every animation.
static void gpb_begin_groups(gpb_grouping *g)
{
    gpb_importer *s = g->s;
    // A take has at least one track.
    g->groups = tn_scene_array(s->b, s->track_count, sizeof *g->groups);
    g->order = tn_scene_array(s->b, s->track_count, sizeof *g->order);
    g->owners = tn_scene_array(s->b, s->index.tree.count, GPB_PARTS * sizeof *g->owners);
    if (s->b->failed) return;
    for (uint32_t i = 0; i < s->source_count; i++) {
        const gpb_source *source = &s->sources[i];
        uint32_t takes = gpb_count_takes(s, source, g->owners);
        for (uint32_t k = 0; k < takes; k++)
            g->groups[g->count + k] = (gpb_group){.id = source->animation->id, .take = k};
        for (uint32_t k = source->first; k < source->first + source->count; k++) {
            s->tracks[k].group += g->count;
            gpb_add_to_group(&s->tracks[k], &g->groups[s->tracks[k].group]);
        }
        g->count += takes;
    }
    gpb_order_tracks(g);
}

// -- Merging groups

// Make `group` the owner of all components that `other` moves. Returns false, without a change, if
// it owns one of them already.
static bool gpb_own(gpb_grouping *g, uint32_t group, const gpb_group *other)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = other->first; i < other->first + other->count; i++) {
            const gpb_track *track = &g->s->tracks[g->order[i]];
            uint32_t *owners = g->owners + GPB_PARTS * (size_t)track->leaf;
            for (uint32_t k = 0; k < GPB_PARTS; k++) {
                if (track->offsets[k] == TENON_NONE) continue;
                if (pass == 0 && owners[k] == group + 1) return false;
                if (pass == 1) owners[k] = group + 1;
            }
        }
    return true;
}

// A name that an author chose becomes the name of the merged group.
static void gpb_join(gpb_group *into, const gpb_group *other)
{
    bool is_same = tn_text_equal(into->id, other->id);
    if (other->is_named && !into->is_named) into->id = other->id;
    into->is_named = into->is_named || other->is_named;
    into->is_mixed = !into->is_named && (into->is_mixed || !is_same);
    into->is_like_node = into->is_like_node && other->is_like_node;
    if (other->start < into->start) into->start = other->start;
    if (other->end > into->end) into->end = other->end;
    into->is_moment = into->is_moment && other->is_moment;
    into->count += other->count;
}

// Find for each group the group to merge it into, mostly itself. Groups that compare equal are
// merged as long as they move different components.
static void gpb_find_joins(gpb_grouping *g, tn_before_fn *before, uint32_t *sorted, uint32_t *joins)
{
    for (uint32_t i = 0; i < g->count; i++) sorted[i] = i;
    tn_sort(sorted, joins, g->count, before, g->groups);
    memset(g->owners, 0, g->s->index.tree.count * GPB_PARTS * sizeof *g->owners);
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t at = sorted[i], into = i ? joins[sorted[i - 1]] : at;
        bool is_equal = i && !before(g->groups, sorted[i - 1], at);
        if (!is_equal || !gpb_own(g, into, &g->groups[at])) {
            into = at;
            (void)gpb_own(g, into, &g->groups[at]);
        }
        joins[at] = into;
    }
}

// Merge groups that compare equal into the first of them: the sort is stable.
static void gpb_join_equals(gpb_grouping *g, tn_before_fn *before)
{
    gpb_importer *s = g->s;
    uint32_t count = g->count, kept = 0;
    uint32_t *numbers = tn_scene_array(s->b, count, sizeof *numbers);
    uint32_t *joins = tn_scene_array(s->b, count, sizeof *joins);
    if (s->b->failed) return;
    gpb_find_joins(g, before, numbers, joins);
    for (uint32_t i = 0; i < count; i++)
        if (joins[i] != i) gpb_join(&g->groups[joins[i]], &g->groups[i]);
    for (uint32_t i = 0; i < count; i++)
        if (joins[i] == i) numbers[i] = kept, g->groups[kept++] = g->groups[i];
    for (uint32_t i = 0; i < s->track_count; i++)
        s->tracks[i].group = numbers[joins[s->tracks[i].group]];
    g->count = kept;
    gpb_order_tracks(g);
}

// Order by name and take. Groups without a name are all different.
static bool gpb_id_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_group *x = &((const gpb_group *)context)[a], *y = &((const gpb_group *)context)[b];
    int order = tn_text_order(x->id, y->id);
    if (order || x->id.size == 0) return order < 0 || (order == 0 && a < b);
    return x->take < y->take;
}

// Order by time range. Groups that are `is_alone` are all different.
static bool gpb_time_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_group *x = &((const gpb_group *)context)[a], *y = &((const gpb_group *)context)[b];
    if (x->start != y->start) return x->start < y->start;
    if (x->end != y->end) return x->end < y->end;
    return x->is_alone ? y->is_alone && a < b : y->is_alone;
}

// Find the groups whose names an author chose. If several of them have the same time range, they
// stay alone, because other groups with this range could belong to any of them.
static void gpb_find_named(gpb_grouping *g)
{
    uint32_t *sorted = tn_scene_array(g->s->b, g->count, sizeof *sorted);
    uint32_t *spare = tn_scene_array(g->s->b, g->count, sizeof *spare);
    if (g->s->b->failed) return;
    for (uint32_t i = 0; i < g->count; i++) {
        gpb_group *group = &g->groups[i];
        group->is_named =
            group->id.size && !group->is_like_node && !tn_text_equal(group->id, gpb_mixed);
        sorted[i] = i;
    }
    tn_sort(sorted, spare, g->count, gpb_time_before, g->groups);
    gpb_group *first = NULL;  // The first named group with this time range.
    for (uint32_t i = 0; i < g->count; i++) {
        gpb_group *group = &g->groups[sorted[i]];
        bool is_new = !first || group->start != first->start || group->end != first->end;
        if (!group->is_named) continue;
        if (is_new)
            first = group;
        else
            first->is_alone = group->is_alone = true;
    }
}

// An encoder writes one key for a node that does not move. It belongs to the other channels,
// however long they are.
static void gpb_stretch_moments(gpb_grouping *g)
{
    uint32_t first = 0;
    while (first < g->count && g->groups[first].is_moment) first++;
    if (first == g->count) return;
    for (uint32_t i = 0; i < g->count; i++) {
        if (!g->groups[i].is_moment) continue;
        g->groups[i].start = g->groups[first].start;
        g->groups[i].end = g->groups[first].end;
    }
}

// -- Names

static bool gpb_name_before(const void *context, uint32_t a, uint32_t b)
{
    const tenon_str *names = context;
    return tn_text_order(names[a], names[b]) < 0;
}

// The name with a number appended.
static tenon_str gpb_numbered(gpb_importer *s, tenon_str name, uint32_t number)
{
    uint64_t room = (uint64_t)name.size + 12;
    char *text = tn_scene_array(s->b, room, 1);
    if (!text) return name;
    if (name.size) memcpy(text, name.data, name.size);
    int more = snprintf(text + name.size, 12, " %" PRIu32, number);
    return (tenon_str){text, name.size + (uint32_t)more};
}

// How many groups before each one have the same name.
static void gpb_count_names(const tenon_str *names, uint32_t count, uint32_t *sorted,
                            uint32_t *before)
{
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    tn_sort(sorted, before, count, gpb_name_before, names);
    for (uint32_t i = 0, first = 0; i < count; i++) {
        if (!tn_text_equal(names[sorted[first]], names[sorted[i]])) first = i;
        before[sorted[i]] = i - first;
    }
}

static tenon_str gpb_name_of_group(const gpb_group *group)
{
    return group->is_mixed ? gpb_mixed : group->id;
}

// A name for each group; a number is appended if it is taken.
static tenon_str *gpb_name_groups(gpb_grouping *g)
{
    gpb_importer *s = g->s;
    tenon_str *names = tn_scene_array(s->b, g->count, sizeof *names);
    uint32_t *sorted = tn_scene_array(s->b, g->count, sizeof *sorted);
    uint32_t *before = tn_scene_array(s->b, g->count, sizeof *before);
    if (s->b->failed) return NULL;
    for (uint32_t i = 0; i < g->count; i++) names[i] = gpb_name_of_group(&g->groups[i]);
    gpb_count_names(names, g->count, sorted, before);
    for (uint32_t i = 0; i < g->count; i++)
        if (before[i]) names[i] = gpb_numbered(s, names[i], before[i] + 1);
    return names;
}

// -- Clips

// The tracks that move a node, for each component: indices plus 1.
static uint32_t *gpb_movers_of(gpb_grouping *g, uint32_t leaf)
{
    return g->owners + GPB_PARTS * (size_t)leaf;
}

// Find the tracks of one target of a node. Returns false if nothing moves it.
static bool gpb_find_mover(gpb_grouping *g, uint32_t leaf, tenon_target target,
                           gpb_property_tracks *mover)
{
    static const uint32_t firsts[] = {
        [TENON_TRANSLATION] = GPB_MOVE_X, [TENON_ROTATION] = GPB_TURN, [TENON_SCALE] = GPB_SCALE_X};
    const uint32_t *movers = gpb_movers_of(g, leaf) + firsts[target];
    uint32_t count = target == TENON_ROTATION ? 1 : 3;
    bool is_moved = false;
    *mover = (gpb_property_tracks){.leaf = leaf, .target = target};
    for (uint32_t k = 0; k < count; k++) {
        if (movers[k]) mover->tracks[k] = &g->s->tracks[movers[k] - 1];
        is_moved = is_moved || movers[k];
    }
    return is_moved;
}

// List the nodes that a group moves, in the order of its tracks. Returns how many.
static uint32_t gpb_list_leaves(gpb_grouping *g, const gpb_group *group, uint32_t *leaves)
{
    uint32_t count = 0;
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        const gpb_track *track = &g->s->tracks[g->order[i]];
        uint32_t *movers = gpb_movers_of(g, track->leaf);
        bool is_new = true;
        for (uint32_t k = 0; k < GPB_PARTS; k++) is_new = is_new && !movers[k];
        if (is_new) leaves[count++] = track->leaf;
        for (uint32_t k = 0; k < GPB_PARTS; k++)
            if (track->offsets[k] != TENON_NONE) movers[k] = g->order[i] + 1;
    }
    return count;
}

static uint64_t gpb_count_channels(gpb_grouping *g, const uint32_t *leaves, uint32_t count)
{
    uint64_t channels = 0;
    gpb_property_tracks mover;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t copies = 0;
        for (uint32_t at = leaves[i]; at != TENON_NONE; at = g->s->slots[at].next_copy) copies++;
        for (int target = TENON_TRANSLATION; target <= TENON_SCALE; target++)
            channels += gpb_find_mover(g, leaves[i], (tenon_target)target, &mover) ? copies : 0;
    }
    return channels;
}

// Add the channels of a node and its copies, which share their keys.
static tenon_channel *gpb_add_channels(gpb_grouping *g, uint32_t leaf, tenon_channel *next)
{
    gpb_importer *s = g->s;
    gpb_property_tracks mover;
    for (int target = TENON_TRANSLATION; target <= TENON_SCALE; target++) {
        if (!gpb_find_mover(g, leaf, (tenon_target)target, &mover)) continue;
        tenon_channel *made = next++;
        made->node = s->slots[leaf].node;
        made->target = (tenon_target)target;
        gpb_fill_channel(s, &mover, made);
        uint32_t at = s->slots[leaf].next_copy;
        for (; at != TENON_NONE; at = s->slots[at].next_copy) {
            *next = *made;
            next++->node = s->slots[at].node;
        }
    }
    return next;
}

static void gpb_add_group(gpb_grouping *g, const gpb_group *group, tenon_str name, uint32_t *leaves)
{
    gpb_importer *s = g->s;
    uint32_t count = gpb_list_leaves(g, group, leaves);
    uint64_t channels = gpb_count_channels(g, leaves, count);
    if (channels >= TENON_NONE) tn_scene_fail(s->b, TENON_ERR_LIMIT, NULL, "too many channels");
    uint32_t clip = tn_add_animation(s->b, name, (uint32_t)channels);
    if (s->b->failed) return;
    tenon_channel *next = s->b->scene->animations[clip].channels;
    for (uint32_t i = 0; i < count && !s->b->failed; i++) {
        next = gpb_add_channels(g, leaves[i], next);
        memset(gpb_movers_of(g, leaves[i]), 0, GPB_PARTS * sizeof(uint32_t));
    }
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        gpb_source *source = &s->sources[s->tracks[g->order[i]].animation];
        if (source->clip != TENON_NONE) continue;
        source->clip = clip;
        tenon_str id = source->animation->id;
        source->is_renamed = id.size && !tn_text_equal(id, gpb_name_of_group(group));
    }
}

// Report the names of animations that are not the name of a clip, as many as fit.
static void gpb_report_names(const gpb_importer *s)
{
    enum { NAME_SIZE = 64, LIST_SIZE = 480 };
    char why[LIST_SIZE + 2 * NAME_SIZE], name[NAME_SIZE];
    int used =
        snprintf(why, sizeof why,
                 "animations of equal length that move different nodes were merged into one clip:");
    uint64_t count = 0, shown = 0;
    tn_path_text path = {""};
    for (uint32_t i = 0; i < s->source_count; i++) {
        const gpb_source *source = &s->sources[i];
        if (!source->is_renamed) continue;
        if (count++ == 0) path = gpb_source_path(s, source);
        if (used >= LIST_SIZE) continue;
        tn_text_clean(source->animation->id.data, source->animation->id.size, name, sizeof name);
        used +=
            snprintf(why + used, sizeof why - (size_t)used, "%s '%s'", shown++ ? "," : "", name);
    }
    if (count > shown)
        (void)snprintf(why + used, sizeof why - (size_t)used, " and %" PRIu64 " more",
                       count - shown);
    tn_scene_report(s->b, TENON_DROPPED, "names of animations", count, path.text, why);
}

void gpb_add_animations(gpb_importer *s)
{
    gpb_grouping g = {.s = s};
    if (s->b->failed || s->track_count == 0) return;
    gpb_begin_groups(&g);
    if (!s->b->failed) gpb_join_equals(&g, gpb_id_before);
    if (!s->b->failed) gpb_stretch_moments(&g);
    if (!s->b->failed) gpb_find_named(&g);
    if (!s->b->failed) gpb_join_equals(&g, gpb_time_before);
    uint32_t *leaves = tn_scene_array(s->b, s->index.tree.count, sizeof *leaves);
    tenon_str *names = gpb_name_groups(&g);
    if (s->b->failed) return;
    memset(g.owners, 0, s->index.tree.count * GPB_PARTS * sizeof *g.owners);
    for (uint32_t i = 0; i < g.count && !s->b->failed; i++)
        gpb_add_group(&g, &g.groups[i], names[i], leaves);
    if (!s->b->failed) gpb_report_names(s);
}
