// gpb_import_animation.c: groups the channels of a bundle to clips of the scene, and imports the
// clips that a .animation file next to the bundle defines.
// SPDX-License-Identifier: MIT
//
// By default, encoders write one animation for each node, all with the same name or each with the
// name of its node, and merge several takes of a source into one. A clip is one take. Any other
// name was chosen by an author: animations with different names of this kind are different clips,
// even over the same time range.

#include "formats/gpb/import/gpb_import.h"

#include "core/math/sort.h"
#include "core/text/name_tree.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "scene/pose/pose.h"

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
static uint32_t *gpb_owners_of(gpb_grouping *grouping, uint32_t node_index)
{
    return grouping->owners + GPB_COMPONENT_COUNT * (size_t)node_index;
}

// Sort the tracks by group.
static void gpb_order_tracks(gpb_grouping *grouping)
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
static void gpb_begin_groups(gpb_grouping *grouping)
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
            uint32_t *counts = gpb_owners_of(grouping, track->node_index);
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
            float start = gpb_track_time(track, 0);
            float end = gpb_track_time(track, track->key_count - 1);
            bool is_first = group->count++ == 0;
            if (is_first || start < group->start) group->start = start;
            if (is_first || end > group->end) group->end = end;
            group->is_named_like_node = (is_first || group->is_named_like_node) &&
                                        gpb_is_named_like(group->id, track->channel->target_id);
            group->is_single_key = group->is_named_like_node && group->start == group->end;
            memset(gpb_owners_of(grouping, track->node_index), 0,
                   GPB_COMPONENT_COUNT * sizeof *grouping->owners);
        }
        grouping->count += takes;
    }
    gpb_order_tracks(grouping);
}

// -- Merging groups

// Make `group` the owner of all components that `other` moves. Returns false, without a change, if
// it owns one of them already.
static bool gpb_take_components(gpb_grouping *grouping, uint32_t group, const gpb_group *other)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = other->first; i < other->first + other->count; i++) {
            const gpb_track *track = &grouping->importer->tracks[grouping->order[i]];
            uint32_t *owners = gpb_owners_of(grouping, track->node_index);
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
static void gpb_merge_groups(gpb_grouping *grouping, tn_before_fn *before)
{
    gpb_importer *importer = grouping->importer;
    gpb_group *groups = grouping->groups;
    uint32_t count = grouping->count, kept = 0;
    uint32_t *sorted = tn_scene_array(importer->builder, count, 2 * sizeof *sorted);
    uint32_t *hosts = tn_scene_array(importer->builder, count, sizeof *hosts);
    if (importer->builder->failed) return;
    tn_sort_all(sorted, count, before, groups);
    memset(grouping->owners, 0,
           importer->index.tree.count * GPB_COMPONENT_COUNT * sizeof *grouping->owners);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = sorted[i], host = i ? hosts[sorted[i - 1]] : at;
        bool is_equal = i && !before(groups, sorted[i - 1], at);
        if (!is_equal || !gpb_take_components(grouping, host, &groups[at])) {
            host = at;
            (void)gpb_take_components(grouping, host, &groups[at]);
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
    gpb_order_tracks(grouping);
}

// Order by name and take. Groups without a name are all different.
static bool gpb_group_id_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_group *x = &((const gpb_group *)context)[a], *y = &((const gpb_group *)context)[b];
    int order = tn_text_order(x->id, y->id);
    if (order || x->id.size == 0) return order < 0 || (order == 0 && a < b);
    return x->take < y->take;
}

// Order by time range. Groups that are `is_alone` are all different.
static bool gpb_group_time_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_group *x = &((const gpb_group *)context)[a], *y = &((const gpb_group *)context)[b];
    if (x->start != y->start) return x->start < y->start;
    if (x->end != y->end) return x->end < y->end;
    return x->is_alone ? y->is_alone && a < b : y->is_alone;
}

// -- Clips

// Find the tracks of one target of a node. Returns false if nothing moves it.
static bool gpb_find_property(gpb_grouping *grouping, uint32_t node_index, int target,
                              gpb_property_tracks *property)
{
    static const uint32_t firsts[] = {[TENON_TRANSLATION] = GPB_TRANSLATION_X,
                                      [TENON_ROTATION] = GPB_ROTATION,
                                      [TENON_SCALE] = GPB_SCALE_X};
    const uint32_t *tracks = gpb_owners_of(grouping, node_index);
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
static void gpb_import_group(gpb_grouping *grouping, const gpb_group *group, tenon_str name,
                             uint32_t *node_indices)
{
    gpb_importer *importer = grouping->importer;
    uint32_t count = 0;  // Nodes that the group moves, in the order of its tracks.
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        const gpb_track *track = &importer->tracks[grouping->order[i]];
        uint32_t *tracks = gpb_owners_of(grouping, track->node_index);
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
            if (gpb_find_property(grouping, node_indices[i], k, &property)) channels += copies;
    }
    if (channels >= TENON_NONE)
        tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL, "too many channels");
    uint32_t clip = tn_add_animation(importer->builder, name, (uint32_t)channels);
    if (importer->builder->failed) return;
    tenon_channel *next = importer->builder->scene->animations[clip].channels;
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const gpb_scene_node *node = &importer->scene_nodes[node_indices[i]];
        for (int target = TENON_TRANSLATION; target <= TENON_SCALE; target++) {
            if (!gpb_find_property(grouping, node_indices[i], target, &property)) continue;
            tenon_channel *channel = next++;
            channel->node = node->node;
            channel->target = (tenon_target)target;
            gpb_fill_channel(importer, &property, channel);
            uint32_t at = node->next_copy;  // Copies of the node share its keys.
            for (; at != TENON_NONE; at = importer->scene_nodes[at].next_copy) {
                *next = *channel;
                next++->node = importer->scene_nodes[at].node;
            }
        }
        memset(gpb_owners_of(grouping, node_indices[i]), 0, GPB_COMPONENT_COUNT * sizeof(uint32_t));
    }
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        gpb_source *source = &importer->sources[importer->tracks[grouping->order[i]].animation];
        if (source->clip != TENON_NONE) continue;
        source->clip = clip;
        tenon_str id = source->animation->id;
        source->is_renamed =
            id.size && !tn_text_equal(id, group->is_mixed ? gpb_mixed_name : group->id);
    }
}

// Report the names of animations that are not the name of a clip, as many as fit.
static void gpb_report_merged_names(const gpb_importer *importer)
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
        if (count++ == 0) path = gpb_source_path(importer, source);
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

void gpb_import_animations(gpb_importer *importer)
{
    enum { NUMBER_SIZE = 12 };
    gpb_grouping grouping = {.importer = importer};
    tn_scene_builder *builder = importer->builder;
    if (builder->failed || importer->track_count == 0) return;
    gpb_begin_groups(&grouping);
    gpb_merge_groups(&grouping, gpb_group_id_before);
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
    uint32_t *sorted = tn_scene_array(builder, grouping.count, 2 * sizeof *sorted);
    if (builder->failed) return;
    for (uint32_t i = 0; i < grouping.count; i++) {
        gpb_group *group = &grouping.groups[i];
        group->is_named = group->id.size && !group->is_named_like_node &&
                          !tn_text_equal(group->id, gpb_mixed_name);
    }
    tn_sort_all(sorted, grouping.count, gpb_group_time_before, grouping.groups);
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
    gpb_merge_groups(&grouping, gpb_group_time_before);
    uint32_t node_count = importer->index.tree.count;
    uint32_t *node_indices = tn_scene_array(builder, node_count, sizeof *node_indices);
    uint32_t *uses = tn_scene_array(builder, grouping.count, sizeof *uses);  // Of each name.
    tn_name_list names;
    if (!builder->failed)
        builder->failed = !tn_name_list_begin(&names, grouping.count, builder->arena,
                                              "names of animations", builder->err);
    if (builder->failed) return;
    memset(grouping.owners, 0, node_count * GPB_COMPONENT_COUNT * sizeof *grouping.owners);
    for (uint32_t i = 0; i < grouping.count && !builder->failed; i++) {
        tenon_str name = groups[i].is_mixed ? gpb_mixed_name : groups[i].id;
        uint32_t count = ++uses[tn_name_list_add(&names, name)];
        if (count > 1) {
            char *text = tn_scene_array(builder, (uint64_t)name.size + NUMBER_SIZE, 1);
            if (!text) return;
            if (name.size) memcpy(text, name.data, name.size);
            name.size += (uint32_t)snprintf(text + name.size, NUMBER_SIZE, " %u", count);
            name.data = text;
        }
        gpb_import_group(&grouping, &groups[i], name, node_indices);
    }
    if (!builder->failed) gpb_report_merged_names(importer);
}

// -- The .animation file

// Copy the keys from `begin` to `end`, with a key at each end, and make their times relative to the
// clip. A negative speed reverses the keys.
static void gpb_copy_keys(tn_scene_builder *builder, const tenon_channel *from, float begin,
                          float end, double speed, tenon_channel *to)
{
    bool is_cubic = from->curve == TENON_CUBIC, is_backwards = speed < 0;
    double rate = is_backwards ? -speed : speed;
    uint32_t size = from->target == TENON_ROTATION ? 4 : 3, key_size = is_cubic ? 3 * size : size;
    tn_cursor cursor = {0};
    uint32_t start = tn_channel_find_key(from, &cursor, begin);
    uint32_t last = tn_channel_find_key(from, &cursor, end);
    uint32_t first = from->times[start] <= begin ? start + 1 : start;
    uint32_t inner = last + 1 > first ? last + 1 - first : 0;
    if (inner && from->times[last] >= end) inner--;
    tn_channel_alloc(builder, to, (uint64_t)inner + 2);
    if (builder->failed) return;
    float duration = (float)(((double)end - begin) / rate);
    for (uint32_t i = 0; i <= inner + 1; i++) {
        uint32_t key = i == 0 ? start : i <= inner ? first + i - 1 : last;
        float time = i == 0 ? begin : i <= inner ? from->times[key] : end;
        uint32_t at = is_backwards ? inner + 1 - i : i;
        float *out = to->values + (size_t)at * key_size;
        // The key at any time. Before the first and after the last, a curve does not change.
        const float *a = from->values + (size_t)key * key_size, *b = a + key_size;
        double value[4];
        bool is_key = time == from->times[key];
        if (is_key) memcpy(out, a, key_size * sizeof *out);
        if (!is_key) tn_channel_sample(from, time, value);
        for (uint32_t k = 0; k < size && !is_key; k++)
            out[is_cubic ? size + k : k] = (float)value[k];
        bool is_inside = key + 1 < from->key_count && !(time < from->times[key]);
        for (uint32_t k = 0; k < size && is_cubic && !is_key; k++) {
            double slope = 0;  // Before the first key and after the last.
            if (is_inside) {
                double interval = (double)from->times[key + 1] - from->times[key];
                double s = ((double)time - from->times[key]) / interval, s2 = s * s;
                double change = (double)b[size + k] - a[size + k];
                slope = 6 * (s - s2) * change / interval + (3 * s2 - 4 * s + 1) * a[2 * size + k] +
                        (3 * s2 - 2 * s) * b[k];
            }
            out[k] = out[2 * size + k] = (float)slope;
        }
        time = (float)(((double)time - begin) / rate);
        to->times[at] = is_backwards ? duration - time : time;
        for (uint32_t k = 0; k < size && is_cubic; k++) {
            float arrive = out[k], leave = out[2 * size + k];
            out[k] = (float)((is_backwards ? leave : arrive) * speed);
            out[2 * size + k] = (float)((is_backwards ? arrive : leave) * speed);
        }
    }
    // A step that was held after a key is then held before it.
    if (is_backwards && from->curve == TENON_STEP)
        memmove(to->values, to->values + size, ((size_t)inner + 1) * size * sizeof *to->values);
}

// The time from the first key of an animation to the last.
typedef struct gpb_clip_range {
    double start, length;
} gpb_clip_range;

static gpb_clip_range gpb_range_of(const tenon_animation *animation)
{
    double start = 0, end = 0;
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const tenon_channel *c = &animation->channels[i];
        if (i == 0 || c->times[0] < start) start = c->times[0];
        if (c->times[c->key_count - 1] > end) end = c->times[c->key_count - 1];
    }
    return (gpb_clip_range){start, end - start};
}

void gpb_import_clips(gpb_importer *importer)
{
    tenon_gpb_properties *file = gpb_open_sidecar(importer, "animation");
    if (!file) return;
    tn_scene_builder *builder = importer->builder;
    uint32_t longest = TENON_NONE;
    double most = -1;
    for (uint32_t i = 0; i < builder->scene->animation_count; i++) {
        double length = gpb_range_of(&builder->scene->animations[i]).length;
        if (length <= most) continue;
        most = length;
        longest = i;
    }
    // The first source of each id that is in the scene.
    tn_named *entries = tn_scene_array(builder, importer->source_count, sizeof *entries);
    tn_name_tree ids = {NULL};
    for (uint32_t i = 0; i < importer->source_count && !builder->failed; i++) {
        entries[i].name = importer->sources[i].animation->id;
        if (importer->sources[i].clip != TENON_NONE) tn_name_enter(&ids, &entries[i]);
    }
    for (gpb_clip clip = {0}; gpb_next_clip(file, &clip) && !builder->failed;) {
        // If no animation has that name, the longest: the engine ignores the name.
        const tn_named *found = tn_name_find(&ids, clip.animation->id);
        // Add a clip of an animation of the scene. The engine counts frames from the first key to
        // the last.
        uint32_t animation = found ? importer->sources[found - entries].clip : longest;
        double frames = clip.frame_count, speed = 1;
        bool is_good = animation != TENON_NONE && frames > 0 && clip.begin >= 0 &&
                       clip.end > clip.begin && clip.end <= frames;
        if (!is_good) {
            tn_tally_path(&importer->lost.clips, 1, "line %u of the .animation file",
                          clip.block->line);
            continue;
        }
        if (clip.speed.data) (void)tn_f64_parse(clip.speed.data, clip.speed.size, &speed);
        bool is_speed = (speed > 1e-6 && speed < 1e6) || (speed < -1e-6 && speed > -1e6);
        if (!is_speed) speed = 1;
        gpb_clip_range range = gpb_range_of(&builder->scene->animations[animation]);
        float begin = (float)(range.start + clip.begin / frames * range.length);
        float end = (float)(range.start + clip.end / frames * range.length);
        if (!(end > begin)) continue;
        uint32_t count = builder->scene->animations[animation].channel_count;
        uint32_t index = tn_add_animation(builder, clip.block->id, count);
        if (builder->failed) break;
        const tenon_animation *from = &builder->scene->animations[animation];
        tenon_animation *to = &builder->scene->animations[index];
        to->duration = ((double)end - begin) / (speed < 0 ? -speed : speed);
        for (uint32_t i = 0; i < count && !builder->failed; i++) {
            to->channels[i] = (tenon_channel){.node = from->channels[i].node,
                                              .target = from->channels[i].target,
                                              .curve = from->channels[i].curve};
            gpb_copy_keys(builder, &from->channels[i], begin, end, speed, &to->channels[i]);
        }
        if (clip.repeat_count.data)
            tn_add_extra(builder, TENON_EXTRA_OF_ANIMATION, index, "repeat_count",
                         clip.repeat_count);
    }
    tenon_gpb_properties_free(file);
}
