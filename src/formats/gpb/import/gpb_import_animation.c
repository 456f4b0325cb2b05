// gpb_import_animation.c: groups the channels of a bundle to clips of the scene.
// SPDX-License-Identifier: MIT
//
// By default, encoders write one animation for each node, all with the same name or each with the
// name of its node, and merge several takes of a source into one. A clip is one take. Any other
// name was chosen by an author: animations with different names of this kind are different clips,
// even over the same time range.

#include "formats/gpb/import/gpb_import.h"

#include "core/math/sort.h"
#include "core/text/name_tree.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Channels of one clip.
typedef struct gpb_group {
    tenon_str id;
    bool is_mixed;            // Its animations have different ids.
    bool is_named_like_node;  // It has the name of the node that it moves.
    bool is_single_key;       // The same, and it has only one key.
    bool is_named;            // An author chose its id.
    bool is_alone;            // Other named groups have the same time range.
    uint32_t take;            // The number of the take in its animation.
    float start, end;         // Seconds.
    uint32_t first, count;    // A range of `order` of the grouping.
} gpb_group;

// The encoder's name for grouped animations.
static const tenon_str gpb_mixed_name = {"animations", 10};

typedef struct gpb_grouping {
    gpb_importer *importer;
    uint32_t count;
    gpb_group *groups;  // Groups with tracks are in the order of their first track.
    uint32_t *order;    // Tracks, sorted by group.
    uint32_t *owners;   // GPB_COMPONENT_COUNT for each node: what moves each component.
} gpb_grouping;

// -- Takes

// What is known of the components of a node: counts, or indices plus 1 of groups or tracks.
static uint32_t *gpb_import_animation_owners_of(gpb_grouping *grouping, uint32_t node_index)
{
    return grouping->owners + GPB_COMPONENT_COUNT * (size_t)node_index;
}

// Sort the tracks by group.
static void gpb_import_animation_order_tracks(gpb_grouping *grouping)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < grouping->count; i++) {
        grouping->groups[i].first = next;
        next += grouping->groups[i].count;
        grouping->groups[i].count = 0;
    }
    for (uint32_t i = 0; i < grouping->importer->track_count; i++) {
        gpb_group *group = &grouping->groups[grouping->importer->tracks[i].group];
        grouping->order[group->first + group->count++] = i;
    }
}

// Start with one group for every take of every animation.
static void gpb_import_animation_begin_groups(gpb_grouping *grouping)
{
    gpb_importer *importer = grouping->importer;
    // A take has at least one track.
    grouping->groups =
        tn_scene_array(importer->builder, importer->track_count, sizeof *grouping->groups);
    grouping->order =
        tn_scene_array(importer->builder, importer->track_count, sizeof *grouping->order);
    grouping->owners = tn_scene_array(importer->builder, importer->index.tree.count,
                                      GPB_COMPONENT_COUNT * sizeof *grouping->owners);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->source_count; i++) {
        const gpb_source *source = &importer->sources[i];
        uint32_t takes = 0;
        // The number of a take is how often the same component was moved before.
        for (uint32_t t = source->first; t < source->first + source->count; t++) {
            gpb_track *track = &importer->tracks[t];
            uint32_t *counts = gpb_import_animation_owners_of(grouping, track->node_index);
            track->group = 0;
            for (uint32_t k = 0; k < GPB_COMPONENT_COUNT; k++)
                if (track->offsets[k] != TENON_NONE && counts[k] > track->group)
                    track->group = counts[k];
            for (uint32_t k = 0; k < GPB_COMPONENT_COUNT; k++)
                if (track->offsets[k] != TENON_NONE) counts[k] = track->group + 1;
            if (track->group >= takes) takes = track->group + 1;
        }
        for (uint32_t k = 0; k < takes; k++)
            grouping->groups[grouping->count + k] =
                (gpb_group){.id = source->animation->id, .take = k};
        for (uint32_t k = source->first; k < source->first + source->count; k++) {
            gpb_track *track = &importer->tracks[k];
            track->group += grouping->count;
            gpb_group *group = &grouping->groups[track->group];
            float start = gpb_import_track_time(track, 0);
            float end = gpb_import_track_time(track, track->key_count - 1);
            bool is_first = group->count++ == 0;
            if (is_first || start < group->start) group->start = start;
            if (is_first || end > group->end) group->end = end;
            group->is_named_like_node =
                (is_first || group->is_named_like_node) &&
                gpb_index_is_named_like(group->id, track->channel->target_id);
            group->is_single_key = group->is_named_like_node && group->start == group->end;
            memset(gpb_import_animation_owners_of(grouping, track->node_index), 0,
                   GPB_COMPONENT_COUNT * sizeof *grouping->owners);
        }
        grouping->count += takes;
    }
    gpb_import_animation_order_tracks(grouping);
}

// -- Merging groups

// Make `group` the owner of all components that `other` moves. Returns false, without a change, if
// it owns one of them already.
static bool gpb_import_animation_take_components(gpb_grouping *grouping, uint32_t group,
                                                 const gpb_group *other)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = other->first; i < other->first + other->count; i++) {
            const gpb_track *track = &grouping->importer->tracks[grouping->order[i]];
            uint32_t *owners = gpb_import_animation_owners_of(grouping, track->node_index);
            for (uint32_t k = 0; k < GPB_COMPONENT_COUNT; k++) {
                if (track->offsets[k] == TENON_NONE) continue;
                if (pass == 0 && owners[k] == group + 1) return false;
                if (pass == 1) owners[k] = group + 1;
            }
        }
    return true;
}

// Merge groups that compare equal into the first of them, as long as they move different
// components. The sort is stable. A name that an author chose becomes the name of the merged group.
static void gpb_import_animation_merge_equal_groups(gpb_grouping *grouping, tn_before_fn *before)
{
    gpb_importer *importer = grouping->importer;
    gpb_group *groups = grouping->groups;
    uint32_t count = grouping->count, kept = 0;
    uint32_t *sorted = tn_scene_array(importer->builder, count, sizeof *sorted);
    uint32_t *hosts = tn_scene_array(importer->builder, count, sizeof *hosts);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    tn_sort(sorted, hosts, count, before, groups);
    memset(grouping->owners, 0,
           importer->index.tree.count * GPB_COMPONENT_COUNT * sizeof *grouping->owners);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = sorted[i], host = i ? hosts[sorted[i - 1]] : at;
        bool is_equal = i && !before(groups, sorted[i - 1], at);
        if (!is_equal || !gpb_import_animation_take_components(grouping, host, &groups[at])) {
            host = at;
            (void)gpb_import_animation_take_components(grouping, host, &groups[at]);
        }
        hosts[at] = host;
    }
    for (uint32_t i = 0; i < count; i++) {
        gpb_group *into = &groups[hosts[i]], *other = &groups[i];
        if (into == other) continue;
        bool is_same = tn_text_equal(into->id, other->id);
        if (other->is_named && !into->is_named) into->id = other->id;
        into->is_named = into->is_named || other->is_named;
        into->is_mixed = !into->is_named && (into->is_mixed || !is_same);
        into->is_named_like_node = into->is_named_like_node && other->is_named_like_node;
        if (other->start < into->start) into->start = other->start;
        if (other->end > into->end) into->end = other->end;
        into->is_single_key = into->is_single_key && other->is_single_key;
        into->count += other->count;
    }
    uint32_t *numbers = sorted;  // The new index of each group that is kept.
    for (uint32_t i = 0; i < count; i++)
        if (hosts[i] == i) numbers[i] = kept, groups[kept++] = groups[i];
    for (uint32_t i = 0; i < importer->track_count; i++)
        importer->tracks[i].group = numbers[hosts[importer->tracks[i].group]];
    grouping->count = kept;
    gpb_import_animation_order_tracks(grouping);
}

// Order by name and take. Groups without a name are all different.
static bool gpb_import_animation_id_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_group *x = &((const gpb_group *)context)[a], *y = &((const gpb_group *)context)[b];
    int order = tn_text_order(x->id, y->id);
    if (order || x->id.size == 0) return order < 0 || (order == 0 && a < b);
    return x->take < y->take;
}

// Order by time range. Groups that are `is_alone` are all different.
static bool gpb_import_animation_time_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_group *x = &((const gpb_group *)context)[a], *y = &((const gpb_group *)context)[b];
    if (x->start != y->start) return x->start < y->start;
    if (x->end != y->end) return x->end < y->end;
    return x->is_alone ? y->is_alone && a < b : y->is_alone;
}

// -- Clips

static tenon_str gpb_import_animation_name_of_group(const gpb_group *group)
{
    return group->is_mixed ? gpb_mixed_name : group->id;
}

// Find the tracks of one target of a node. Returns false if nothing moves it.
static bool gpb_import_animation_find_property(gpb_grouping *grouping, uint32_t node_index,
                                               int target, gpb_property_tracks *property)
{
    static const uint32_t firsts[] = {[TENON_TRANSLATION] = GPB_TRANSLATION_X,
                                      [TENON_ROTATION] = GPB_ROTATION,
                                      [TENON_SCALE] = GPB_SCALE_X};
    const uint32_t *tracks = gpb_import_animation_owners_of(grouping, node_index);
    bool is_rotation = target == TENON_ROTATION, is_animated = false;
    *property = (gpb_property_tracks){.size = is_rotation ? 4 : 3};
    for (uint32_t k = 0; k < property->size; k++) {
        uint32_t component = firsts[target] + (is_rotation ? 0 : k);
        if (!tracks[component]) continue;
        const gpb_track *track = &grouping->importer->tracks[tracks[component] - 1];
        property->tracks[k] = track;
        property->offsets[k] = track->offsets[component] + (is_rotation ? k : 0);
        is_animated = true;
    }
    return is_animated;
}

// Add a clip. `node_indices` has room for all nodes of the tree.
static void gpb_import_animation_group(gpb_grouping *grouping, const gpb_group *group,
                                       tenon_str name, uint32_t *node_indices)
{
    gpb_importer *importer = grouping->importer;
    uint32_t count = 0;  // Nodes that the group moves, in the order of its tracks.
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        const gpb_track *track = &importer->tracks[grouping->order[i]];
        uint32_t *tracks = gpb_import_animation_owners_of(grouping, track->node_index);
        bool is_new = true;
        for (uint32_t k = 0; k < GPB_COMPONENT_COUNT; k++) is_new = is_new && !tracks[k];
        if (is_new) node_indices[count++] = track->node_index;
        for (uint32_t k = 0; k < GPB_COMPONENT_COUNT; k++)
            if (track->offsets[k] != TENON_NONE) tracks[k] = grouping->order[i] + 1;
    }
    gpb_property_tracks property;
    uint64_t channels = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t copies = 0;
        uint32_t at = node_indices[i];
        for (; at != TENON_NONE; at = importer->scene_nodes[at].next_copy) copies++;
        for (int k = TENON_TRANSLATION; k <= TENON_SCALE; k++)
            if (gpb_import_animation_find_property(grouping, node_indices[i], k, &property))
                channels += copies;
    }
    if (channels >= TENON_NONE)
        tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL, "too many channels");
    uint32_t clip = tn_add_animation(importer->builder, name, (uint32_t)channels);
    if (importer->builder->failed) return;
    tenon_channel *next = importer->builder->scene->animations[clip].channels;
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const gpb_scene_node *node = &importer->scene_nodes[node_indices[i]];
        for (int target = TENON_TRANSLATION; target <= TENON_SCALE; target++) {
            if (!gpb_import_animation_find_property(grouping, node_indices[i], target, &property))
                continue;
            tenon_channel *channel = next++;
            channel->node = node->node;
            channel->target = (tenon_target)target;
            gpb_import_fill_channel(importer, &property, channel);
            uint32_t at = node->next_copy;  // Copies of the node share its keys.
            for (; at != TENON_NONE; at = importer->scene_nodes[at].next_copy) {
                *next = *channel;
                next++->node = importer->scene_nodes[at].node;
            }
        }
        memset(gpb_import_animation_owners_of(grouping, node_indices[i]), 0,
               GPB_COMPONENT_COUNT * sizeof(uint32_t));
    }
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        gpb_source *source = &importer->sources[importer->tracks[grouping->order[i]].animation];
        if (source->clip != TENON_NONE) continue;
        source->clip = clip;
        tenon_str id = source->animation->id;
        source->is_renamed =
            id.size && !tn_text_equal(id, gpb_import_animation_name_of_group(group));
    }
}

// Report the names of animations that are not the name of a clip, as many as fit.
static void gpb_import_animation_report_names(const gpb_importer *importer)
{
    enum { NAME_SIZE = 64, LIST_SIZE = 480 };
    char why[LIST_SIZE + 2 * NAME_SIZE], name[NAME_SIZE];
    int used =
        snprintf(why, sizeof why,
                 "animations of equal length that move different nodes were merged into one clip:");
    uint64_t count = 0, shown = 0;
    tn_path_text path = {""};
    for (uint32_t i = 0; i < importer->source_count; i++) {
        const gpb_source *source = &importer->sources[i];
        if (!source->is_renamed) continue;
        if (count++ == 0) path = gpb_import_source_path(importer, source);
        if (used >= LIST_SIZE) continue;
        tn_text_clean(source->animation->id.data, source->animation->id.size, name, sizeof name);
        used +=
            snprintf(why + used, sizeof why - (size_t)used, "%s '%s'", shown++ ? "," : "", name);
    }
    if (count > shown)
        (void)snprintf(why + used, sizeof why - (size_t)used, " and %" PRIu64 " more",
                       count - shown);
    tn_scene_report(importer->builder, TENON_DROPPED, "names of animations", count, path.text, why);
}

// A name, and how many groups have it so far.
typedef struct gpb_group_name {
    tn_named entry;
    uint32_t count;
} gpb_group_name;

void gpb_import_animations(gpb_importer *importer)
{
    enum { NUMBER_SIZE = 12 };
    gpb_grouping grouping = {.importer = importer};
    tn_scene_builder *builder = importer->builder;
    if (builder->failed || importer->track_count == 0) return;
    gpb_import_animation_begin_groups(&grouping);
    gpb_import_animation_merge_equal_groups(&grouping, gpb_import_animation_id_before);
    if (builder->failed) return;
    // An encoder writes one key for a node that does not move. It belongs to the other channels,
    // however long they are.
    gpb_group *groups = grouping.groups;
    uint32_t first = 0;
    while (first < grouping.count && groups[first].is_single_key) first++;
    for (uint32_t i = 0; i < grouping.count && first < grouping.count; i++) {
        if (!groups[i].is_single_key) continue;
        groups[i].start = groups[first].start;
        groups[i].end = groups[first].end;
    }
    // Find the groups whose names an author chose. If several of them have the same time range,
    // they stay alone, because other groups with this range could belong to any of them.
    uint32_t *sorted = tn_scene_array(builder, grouping.count, sizeof *sorted);
    uint32_t *spare = tn_scene_array(builder, grouping.count, sizeof *spare);
    if (builder->failed) return;
    for (uint32_t i = 0; i < grouping.count; i++) {
        gpb_group *group = &grouping.groups[i];
        group->is_named = group->id.size && !group->is_named_like_node &&
                          !tn_text_equal(group->id, gpb_mixed_name);
        sorted[i] = i;
    }
    tn_sort(sorted, spare, grouping.count, gpb_import_animation_time_before, grouping.groups);
    gpb_group *named = NULL;  // The first named group with this time range.
    for (uint32_t i = 0; i < grouping.count; i++) {
        gpb_group *group = &grouping.groups[sorted[i]];
        bool is_new = !named || group->start != named->start || group->end != named->end;
        if (!group->is_named) continue;
        if (is_new)
            named = group;
        else
            named->is_alone = group->is_alone = true;
    }
    gpb_import_animation_merge_equal_groups(&grouping, gpb_import_animation_time_before);
    uint32_t node_count = importer->index.tree.count;
    uint32_t *node_indices = tn_scene_array(builder, node_count, sizeof *node_indices);
    gpb_group_name *names = tn_scene_array(builder, grouping.count, sizeof *names);
    tn_name_tree tree = {NULL};
    if (builder->failed) return;
    memset(grouping.owners, 0, node_count * GPB_COMPONENT_COUNT * sizeof *grouping.owners);
    for (uint32_t i = 0; i < grouping.count && !builder->failed; i++) {
        tenon_str name = gpb_import_animation_name_of_group(&groups[i]);
        names[i].entry.name = name;
        gpb_group_name *taken = (gpb_group_name *)tn_name_enter(&tree, &names[i].entry);
        if (++taken->count > 1) {
            char *text = tn_scene_array(builder, (uint64_t)name.size + NUMBER_SIZE, 1);
            if (!text) return;
            if (name.size) memcpy(text, name.data, name.size);
            name.size +=
                (uint32_t)snprintf(text + name.size, NUMBER_SIZE, " %" PRIu32, taken->count);
            name.data = text;
        }
        gpb_import_animation_group(&grouping, &groups[i], name, node_indices);
    }
    if (!builder->failed) gpb_import_animation_report_names(importer);
}
