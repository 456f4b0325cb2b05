// gpb_export_motion.c: animations of a bundle: linear keys at whole milliseconds.
// SPDX-License-Identifier: MIT
//
// The engine stretches every channel over the whole animation, whatever the times of its first and
// last key are, and interpolates all keys linearly. So each channel has a key at the start and at
// the end of its clip, and a step has an additional key a millisecond before it. Steps are also
// marked as such: the engine ignores the mark, but other readers use it.

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "core/text/text.h"
#include "exchange/clips/motion.h"

#include <math.h>

#define GPB_TICKS       1000.0  // In a second.
#define GPB_TIME_MOST   1.0e9   // Milliseconds; larger numbers look like floats of early files.
#define GPB_LINEAR_KEYS 1
#define GPB_STEP_KEYS   6

static const tenon_str gpb_group_name = {"animations", 10};  // The encoder's name.

// A channel to export.
typedef struct gpb_channel_plan {
    uint32_t node;
    uint32_t targets;  // TN_MOVES_… bits.
    bool is_stepped;
    tn_times times;
} gpb_channel_plan;

// A clip to export, in temporary memory.
typedef struct gpb_clip_plan {
    uint32_t animation;
    tn_motion motion;
    uint32_t channel_count;
    gpb_channel_plan *channels;
    uint32_t end;  // Milliseconds.
} gpb_clip_plan;

// A summary of a clip, kept until all clips have been planned.
typedef struct gpb_clip_summary {
    uint32_t end;
    uint32_t size;  // Numbers in one key of each channel.
    uint32_t count;
    struct gpb_move {
        uint32_t node, targets;
    } * moves;
} gpb_clip_summary;

typedef struct gpb_clip_exporter {
    gpb_exporter *exporter;
    tn_arena temporary;
    tn_export temporary_export;   // The export, with temporary memory.
    gpb_clip_summary *summaries;  // For each animation of the scene.
    // A target that every clip moves, so that readers do not merge clips.
    uint32_t anchor_node;    // TENON_NONE if that is not necessary.
    uint32_t anchor_target;  // A TN_MOVES_… bit.
    uint32_t *stamps;        // For each node: the last clip that has it.
    uint32_t stamp;          // Of the current clip.
} gpb_clip_exporter;

// -- Targets

// If two numbers of a scale are negative, or one is 0, a matrix does not determine it. Then the
// channels have to store the whole transform.
static bool gpb_is_ambiguous(const tenon_node *n)
{
    return !(n->scale[0] > 0 && n->scale[1] > 0 && n->scale[2] > 0);
}

static uint32_t gpb_key_size(uint32_t targets)
{
    uint32_t size = targets & TN_MOVES_SCALE ? 3 : 0;
    if (targets & TN_MOVES_ROTATION) size += 4;
    if (targets & TN_MOVES_TRANSLATION) size += 3;
    return size;
}

static uint32_t gpb_to_ticks(gpb_exporter *exporter, double seconds)
{
    double ticks = floor(seconds * GPB_TICKS + 0.5);
    if (ticks <= GPB_TIME_MOST) return (uint32_t)ticks;
    if (!exporter->failed)
        exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT,
                                     "a clip is longer than a bundle can hold: eleven days");
    return 0;
}

// Count curves, keys that are not at a whole millisecond (within the precision of a float), and
// keys that mirror a node that is not mirrored in the rest pose, or the reverse.
static void gpb_count_key_losses(gpb_exporter *exporter, uint32_t animation)
{
    const tenon_animation *a = &exporter->scene->animations[animation];
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const tenon_channel *c = &a->channels[i];
        const double *scale = exporter->scene->nodes[c->node].scale;
        bool is_cubic = c->curve == TENON_CUBIC, is_mirrored = scale[0] * scale[1] * scale[2] < 0;
        uint64_t rounded = 0, mirroring = 0;
        for (uint32_t k = 0; k < c->key_count; k++) {
            double ticks = floor(c->times[k] * GPB_TICKS + 0.5);
            rounded += tn_to_float(ticks / GPB_TICKS) != c->times[k];
            if (c->target != TENON_SCALE) continue;
            const float *v = c->values + (is_cubic ? 9 * (size_t)k + 3 : 3 * (size_t)k);
            double volume = (double)v[0] * v[1] * v[2];
            mirroring += is_mirrored ? volume > 0 : volume < 0;
        }
        tn_tally_at(&exporter->lost.curves, is_cubic && c->key_count > 1, "animations", animation);
        tn_tally_at(&exporter->lost.times, rounded, "animations", animation);
        tn_tally_at(&exporter->lost.mirroring, mirroring, "animations", animation);
    }
}

// -- Planning

// Steps need separate channels. The format has an attribute for scale and rotation together, but
// engines of that version interpolate its quaternions linearly.
static void gpb_plan_channels(gpb_clip_exporter *clips, gpb_clip_plan *clip, uint32_t node)
{
    const tn_export *export = &clips->temporary_export;
    uint32_t moved = tn_motion_moves(&clip->motion, node), targets = moved, stepped = 0;
    if (node == clips->anchor_node) targets |= clips->anchor_target;
    if (gpb_is_ambiguous(&clips->exporter->scene->nodes[node])) targets = TN_MOVES_ALL;
    for (uint32_t k = 0; k < 3; k++) {
        const tenon_channel *c = clip->motion.channels[3 * (size_t)node + k];
        if (moved & 1u << k && c && c->curve == TENON_STEP && c->key_count > 1) stepped |= 1u << k;
    }
    const uint32_t all[] = {targets & ~stepped, stepped};
    for (int i = 0; i < 4 && !clips->exporter->failed; i++) {
        uint32_t part = all[i / 2];
        bool is_split = part == (TN_MOVES_SCALE | TN_MOVES_ROTATION);
        if (is_split) part = i % 2 ? TN_MOVES_ROTATION : TN_MOVES_SCALE;
        if (!part || (i % 2 && !is_split)) continue;
        gpb_channel_plan *plan = &clip->channels[clip->channel_count++];
        *plan = (gpb_channel_plan){.node = node, .targets = part, .is_stepped = i >= 2};
        if (moved & part) {
            clips->exporter->failed = !tn_motion_times(export, &clip->motion, node, moved & part,
                                                       GPB_TICKS, &plan->times);
            continue;
        }
        // A target that does not move gets one key at 0.
        plan->times = (tn_times){1, tn_export_alloc(export, 1, sizeof(double))};
        clips->exporter->failed = !plan->times.at;
    }
}

// The length must not be 0: the engine would divide 0 by 0.
static void gpb_plan_clip(gpb_clip_exporter *clips, uint32_t animation, gpb_clip_plan *clip)
{
    gpb_exporter *exporter = clips->exporter;
    const tenon_animation *a = &exporter->scene->animations[animation];
    *clip = (gpb_clip_plan){.animation = animation};
    if (!exporter->failed)
        clip->channels = tn_export_alloc(
            &clips->temporary_export, 3 * ((uint64_t)a->channel_count + 1), sizeof *clip->channels);
    if (!clip->channels || !tn_motion_make(&clips->temporary_export, animation, &clip->motion)) {
        exporter->failed = true;
        return;
    }
    clips->stamp++;
    bool has_anchor = clips->anchor_node == TENON_NONE;
    for (uint32_t i = 0; i < a->channel_count && !exporter->failed; i++) {
        uint32_t node = a->channels[i].node;
        if (clips->stamps[node] == clips->stamp) continue;
        clips->stamps[node] = clips->stamp;
        has_anchor = has_anchor || node == clips->anchor_node;
        gpb_plan_channels(clips, clip, node);
    }
    if (!has_anchor) gpb_plan_channels(clips, clip, clips->anchor_node);
    if (exporter->failed) return;
    clip->end = gpb_to_ticks(exporter, a->duration);
    if (clip->end == 0) clip->end = 1;
    for (uint32_t i = 0; i < clip->channel_count && !exporter->failed; i++) {
        const tn_times *times = &clip->channels[i].times;
        uint32_t last = gpb_to_ticks(exporter, times->at[times->count - 1]);
        if (last > clip->end) clip->end = last;
    }
}

// -- Clips that readers could merge

static bool gpb_ends_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_clip_summary *summaries = context;
    return summaries[a].end < summaries[b].end;
}

// Readers merge animations of equal length that move different targets, because encoders wrote one
// for each node. An anchor is needed if there are such clips, or a clip without channels: the first
// target of any clip, or any node that can be animated.
static void gpb_choose_anchor(gpb_clip_exporter *clips)
{
    gpb_exporter *exporter = clips->exporter;
    const tenon_scene *scene = exporter->scene;
    uint32_t count = scene->animation_count;
    uint32_t *sorted = gpb_alloc(exporter, count, 2 * sizeof *sorted);
    uint8_t *moved = gpb_alloc(exporter, scene->node_count, 1);
    bool is_needed = false;
    if (exporter->failed) return;
    tn_sort_all(sorted, count, gpb_ends_before, clips->summaries);
    for (uint32_t i = 0; i < count && !is_needed; i++) {
        const gpb_clip_summary *at = &clips->summaries[sorted[i]];
        const gpb_clip_summary *last = i ? &clips->summaries[sorted[i - 1]] : NULL;
        bool is_mergeable = last && last->end == at->end;  // As long as no target is common.
        for (uint32_t k = 0; is_mergeable && k < last->count; k++)
            moved[last->moves[k].node] |= (uint8_t)last->moves[k].targets;
        for (uint32_t k = 0; is_mergeable && k < at->count; k++)
            is_mergeable = !(moved[at->moves[k].node] & at->moves[k].targets);
        for (uint32_t k = 0; last && k < last->count; k++) moved[last->moves[k].node] = 0;
        is_needed = is_mergeable || at->count == 0;
    }
    for (uint32_t i = 0; i < count && is_needed; i++) {
        if (!scene->animations[i].channel_count) continue;
        clips->anchor_node = scene->animations[i].channels[0].node;
        clips->anchor_target = 1u << scene->animations[i].channels[0].target;
        return;
    }
    for (uint32_t i = 0; i < scene->node_count && is_needed; i++) {
        if (scene->nodes[i].has_matrix) continue;
        clips->anchor_node = i;
        clips->anchor_target = TN_MOVES_TRANSLATION;
        return;
    }
}

static void gpb_export_channel(gpb_exporter *exporter, const gpb_clip_plan *clip,
                               const gpb_channel_plan *plan, tenon_gpb_channel *channel)
{
    static const uint32_t attributes[TN_MOVES_ALL + 1] = {
        [TN_MOVES_SCALE] = 1,       [TN_MOVES_ROTATION] = 8,
        [TN_MOVES_TRANSLATION] = 9, [TN_MOVES_ROTATION | TN_MOVES_TRANSLATION] = 16,
        [TN_MOVES_ALL] = 17,        [TN_MOVES_SCALE | TN_MOVES_TRANSLATION] = 18,
    };
    static const uint32_t order[] = {
        TN_MOVES_SCALE,       TN_MOVES_SCALE,      TN_MOVES_SCALE,    TN_MOVES_ROTATION,
        TN_MOVES_ROTATION,    TN_MOVES_ROTATION,   TN_MOVES_ROTATION, TN_MOVES_TRANSLATION,
        TN_MOVES_TRANSLATION, TN_MOVES_TRANSLATION};
    uint32_t count = 0, size = gpb_key_size(plan->targets);
    uint32_t interpolation = plan->is_stepped ? GPB_STEP_KEYS : GPB_LINEAR_KEYS;
    uint32_t *times = gpb_alloc(exporter, (uint64_t)plan->times.count + 2, sizeof *times);
    if (!times) return;
    times[count++] = 0;
    for (uint32_t i = 0; i < plan->times.count; i++) {
        uint32_t time = gpb_to_ticks(exporter, plan->times.at[i]);
        if (time > times[count - 1]) times[count++] = time;
    }
    if (clip->end > times[count - 1]) times[count++] = clip->end;
    float *values = gpb_alloc(exporter, count, size * sizeof *values), *out = values;
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        // Readers use floats for times, so the value is sampled at that float.
        tn_trs at = tn_motion_local(&clip->motion, plan->node, tn_to_float(times[i] / GPB_TICKS));
        tn_vec3 s = at.scale, t = at.translation;
        tn_quat r = at.rotation;
        const double numbers[] = {s.x, s.y, s.z, r.x, r.y, r.z, r.w, t.x, t.y, t.z};
        for (uint32_t k = 0; k < 10; k++)
            if (plan->targets & order[k]) *out++ = gpb_narrow(exporter, numbers[k]);
    }
    if (exporter->failed) return;
    tenon_str xref = exporter->nodes[plan->node].xref;
    *channel = (tenon_gpb_channel){
        .target_id = {xref.data + 1, xref.size - 1},
        .target_attribute = attributes[plan->targets],
        .key_times = gpb_make_span(exporter, times, count, &tn_layout_u32),
        .values = gpb_make_span(exporter, values, (uint64_t)count * size, &tn_layout_f32),
        .tangents_in = gpb_make_span(exporter, NULL, 0, &tn_layout_f32),
        .tangents_out = gpb_make_span(exporter, NULL, 0, &tn_layout_f32),
        .interpolations = gpb_make_span(exporter, &interpolation, 1, &tn_layout_u32),
    };
}

// -- Keys and animations

// Export one animation for each clip, or for each node of it. Or as the encoder does, which
// supports one clip: the channels of the skeleton are called "animations".
static void gpb_export_clip(gpb_exporter *exporter, const gpb_clip_plan *clip, tenon_str name,
                            tenon_gpb_animations *all)
{
    bool is_encoder =
        exporter->export->opts->grouping == TENON_GROUP_ENCODER && clip->animation == 0;
    bool is_by_node = exporter->export->opts->grouping == TENON_GROUP_NODES;
    tenon_gpb_channel *next = gpb_alloc(exporter, clip->channel_count, sizeof *next);
    for (int is_rest = 0; is_rest <= is_encoder; is_rest++) {
        uint32_t last = TENON_NONE;
        for (uint32_t i = 0; i < clip->channel_count && !exporter->failed; i++) {
            uint32_t node = clip->channels[i].node;
            uint32_t joint = is_encoder ? node : TENON_NONE;  // The node itself or an ancestor.
            while (joint != TENON_NONE && !exporter->nodes[joint].is_joint)
                joint = exporter->scene->nodes[joint].parent;
            bool is_grouped = joint != TENON_NONE;
            if (is_encoder && is_grouped == (is_rest != 0)) continue;
            bool is_apart = is_by_node || (is_encoder && !is_grouped);
            if (last == TENON_NONE || (is_apart && node != last)) {
                all->animations[all->animation_count++] = (tenon_gpb_animation){
                    .id = is_grouped ? gpb_group_name : name, .channels = next};
                bool is_renamed = is_grouped && !tn_text_equal(name, gpb_group_name);
                tn_tally_at(&exporter->lost.grouped, is_renamed, "animations", 0);
            }
            last = node;
            all->animations[all->animation_count - 1].channel_count++;
            gpb_export_channel(exporter, clip, &clip->channels[i], next++);
        }
    }
}

uint32_t gpb_export_animations(gpb_exporter *exporter, tenon_gpb_animations *all)
{
    const tenon_scene *scene = exporter->scene;
    const tn_export *export = exporter->export;
    gpb_clip_exporter clips = {
        .exporter = exporter, .temporary_export = *export, .anchor_node = TENON_NONE};
    clips.temporary = tn_arena_make(&export->opts->allocator, export->arena->limit);
    clips.temporary_export.arena = &clips.temporary;
    clips.summaries = gpb_alloc(exporter, scene->animation_count, sizeof *clips.summaries);
    clips.stamps = gpb_alloc(exporter, scene->node_count, sizeof *clips.stamps);
    for (uint32_t i = 0; i < scene->animation_count && !exporter->failed; i++) {
        gpb_clip_summary *summary = &clips.summaries[i];
        gpb_clip_plan clip;
        tn_mark mark = tn_arena_mark(&clips.temporary);
        gpb_plan_clip(&clips, i, &clip);
        *summary = (gpb_clip_summary){.end = clip.end};
        summary->moves = gpb_alloc(exporter, clip.channel_count, sizeof *summary->moves);
        for (uint32_t k = 0; k < clip.channel_count && !exporter->failed; k++) {
            const gpb_channel_plan *plan = &clip.channels[k];
            summary->moves[summary->count++] = (struct gpb_move){plan->node, plan->targets};
            summary->size += gpb_key_size(plan->targets);
        }
        tn_arena_rewind(&clips.temporary, mark);
        gpb_count_key_losses(exporter, i);
    }
    if (!exporter->failed) gpb_choose_anchor(&clips);
    uint64_t changed = 0;
    tenon_str *names = gpb_alloc(exporter, (uint64_t)scene->animation_count + 1, sizeof *names);
    // Reserve the name of the group, so that no clip gets it.
    bool is_taken = exporter->export->opts->grouping == TENON_GROUP_ENCODER &&
                    scene->animation_count &&
                    !tn_text_equal(scene->animations[0].name, gpb_group_name);
    if (is_taken && !exporter->failed) *names++ = gpb_group_name;
    for (uint32_t i = 0; i < scene->animation_count && !exporter->failed; i++)
        names[i] = gpb_shorten_name(scene->animations[i].name, GPB_ID_MOST);
    if (!exporter->failed &&
        !tn_unique_names(exporter->export, names - is_taken, scene->animation_count + is_taken,
                         "animation", &changed))
        exporter->failed = true;
    for (uint32_t i = 0; i < scene->animation_count && !exporter->failed; i++)
        tn_tally_at(&exporter->lost.names, !tn_text_equal(names[i], scene->animations[i].name),
                    "animations", i);
    uint64_t room = 0;  // An anchor adds at most one channel.
    for (uint32_t i = 0; i < scene->animation_count && !exporter->failed; i++)
        room += (uint64_t)clips.summaries[i].count + 1;
    all->animations = gpb_alloc(exporter, room, sizeof *all->animations);
    for (uint32_t i = 0; i < scene->animation_count && !exporter->failed; i++) {
        gpb_clip_plan clip;
        tn_mark mark = tn_arena_mark(&clips.temporary);
        gpb_plan_clip(&clips, i, &clip);
        // Count what was added to a clip or changed.
        double duration = scene->animations[i].duration, length = clip.end / GPB_TICKS;
        uint32_t size = 0;
        for (uint32_t k = 0; k < clip.channel_count && !exporter->failed; k++) {
            const gpb_channel_plan *plan = &clip.channels[k];
            uint32_t moved = tn_motion_moves(&clip.motion, plan->node);
            bool is_constant = gpb_is_ambiguous(&scene->nodes[plan->node]);
            size += gpb_key_size(plan->targets);
            if (is_constant && plan->targets & ~moved)
                tn_tally_at(&exporter->lost.constants, 1, "nodes", plan->node);
        }
        // Durations may be floats converted to doubles.
        bool is_kept = length == duration || tn_to_float(length) == tn_to_float(duration);
        tn_tally_at(&exporter->lost.anchors, size != clips.summaries[i].size, "animations", i);
        tn_tally_at(&exporter->lost.empty_clips, size == 0, "animations", i);
        tn_tally_at(&exporter->lost.lengths, size && !is_kept, "animations", i);
        if (!exporter->failed) gpb_export_clip(exporter, &clip, names[i], all);
        tn_arena_rewind(&clips.temporary, mark);
    }
    tn_arena_free(&clips.temporary);
    return exporter->failed ? 0 : all->animation_count;
}
