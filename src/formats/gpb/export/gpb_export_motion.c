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

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define GPB_TICKS     1000.0  // In a second.
#define GPB_TIME_MOST 1.0e9   // Milliseconds; larger numbers look like floats of early files.
#define GPB_BY_LINE   1
#define GPB_BY_STEP   6

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
    uint32_t course_count;
    gpb_channel_plan *courses;
    uint32_t end;  // Milliseconds.
} gpb_clip_plan;

// A summary of a clip, kept until all clips have been planned.
typedef struct gpb_outline {
    uint32_t end;
    uint32_t size;  // Numbers in one key of each channel.
    uint32_t count;
    struct gpb_move {
        uint32_t node, targets;
    } * moves;
} gpb_outline;

// A target that every clip moves, so that readers do not merge clips. The node is TENON_NONE if
// that is not necessary.
typedef struct gpb_anchor {
    uint32_t node;
    uint32_t target;  // A TN_MOVES_… bit.
} gpb_anchor;

typedef struct gpb_animation_exporter {
    gpb_exporter *m;
    tn_arena work;
    tn_export aside;        // The export, with temporary memory.
    gpb_outline *outlines;  // For each animation of the scene.
    gpb_anchor anchor;
    uint32_t *stamps;  // For each node.
    uint32_t stamp;
} gpb_animation_exporter;

static void *gpb_alloc_aside(gpb_animation_exporter *o, uint64_t count, size_t size)
{
    void *memory = o->m->failed ? NULL : tn_export_alloc(&o->aside, count, size);
    if (!memory) o->m->failed = true;
    return memory;
}

// -- Targets

// If two numbers of a scale are negative, or one is 0, a matrix does not determine it. Then the
// channels have to store the whole transform.
static bool gpb_is_ambiguous(const tenon_node *n)
{
    return !(n->scale[0] > 0 && n->scale[1] > 0 && n->scale[2] > 0);
}

static uint32_t gpb_stepped_targets(const tn_motion *motion, uint32_t node, uint32_t targets)
{
    uint32_t stepped = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const tenon_channel *c = motion->channels[3 * (size_t)node + k];
        if (targets & 1u << k && c && c->curve == TENON_STEP && c->key_count > 1)
            stepped |= 1u << k;
    }
    return stepped;
}

// The number of the attribute in the file.
static uint32_t gpb_attribute_for(uint32_t targets)
{
    static const uint32_t attributes[TN_MOVES_ALL + 1] = {
        [TN_MOVES_SCALE] = 1,       [TN_MOVES_ROTATION] = 8,
        [TN_MOVES_TRANSLATION] = 9, [TN_MOVES_ROTATION | TN_MOVES_TRANSLATION] = 16,
        [TN_MOVES_ALL] = 17,        [TN_MOVES_SCALE | TN_MOVES_TRANSLATION] = 18,
    };
    return attributes[targets];
}

static uint32_t gpb_key_size(uint32_t targets)
{
    uint32_t size = targets & TN_MOVES_SCALE ? 3 : 0;
    if (targets & TN_MOVES_ROTATION) size += 4;
    if (targets & TN_MOVES_TRANSLATION) size += 3;
    return size;
}

// -- Times

static double gpb_round(double value)
{
    return floor(value + 0.5);
}

// Count keys that are not at a whole millisecond, within the precision of a float.
static uint64_t gpb_count_odd_keys(const tenon_channel *c)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < c->key_count; i++)
        count += tn_to_float(gpb_round(c->times[i] * GPB_TICKS) / GPB_TICKS) != c->times[i];
    return count;
}

// Count keys that mirror a node that is not mirrored in the rest pose, or the reverse.
static uint64_t gpb_count_mirroring(const tenon_node *n, const tenon_channel *c)
{
    bool is_cubic = c->curve == TENON_CUBIC;
    bool is_mirrored = n->scale[0] * n->scale[1] * n->scale[2] < 0;
    uint64_t count = 0;
    if (c->target != TENON_SCALE) return 0;
    for (uint32_t i = 0; i < c->key_count; i++) {
        const float *v = c->values + (is_cubic ? 9 * (size_t)i + 3 : 3 * (size_t)i);
        double volume = (double)v[0] * v[1] * v[2];
        count += is_mirrored ? volume > 0 : volume < 0;
    }
    return count;
}

static void gpb_count_changes(gpb_exporter *m, uint32_t animation)
{
    const tenon_animation *a = &m->scene->animations[animation];
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const tenon_channel *c = &a->channels[i];
        bool is_cubic = c->curve == TENON_CUBIC && c->key_count > 1;
        gpb_export_lose(m, GPB_LOST_CURVES, is_cubic, "animations", animation);
        gpb_export_lose(m, GPB_LOST_TIMES, gpb_count_odd_keys(c), "animations", animation);
        gpb_export_lose(m, GPB_LOST_MIRRORING, gpb_count_mirroring(&m->scene->nodes[c->node], c),
                        "animations", animation);
    }
}

// One key at 0 for a node without a channel.
static void gpb_find_times(gpb_animation_exporter *o, const gpb_clip_plan *score,
                           gpb_channel_plan *course)
{
    uint32_t moved = tn_motion_moves(&score->motion, course->node) & course->targets;
    if (!moved) {
        course->times = (tn_times){1, gpb_alloc_aside(o, 1, sizeof(double))};
        return;
    }
    if (!o->m->failed &&
        !tn_motion_times(&o->aside, &score->motion, course->node, moved, GPB_TICKS, &course->times))
        o->m->failed = true;
}

static uint32_t gpb_to_ticks(gpb_exporter *m, double seconds)
{
    double ticks = gpb_round(seconds * GPB_TICKS);
    if (ticks <= GPB_TIME_MOST) return (uint32_t)ticks;
    if (!m->failed)
        m->failed = !tn_error(m->e->err, TENON_ERR_LIMIT,
                              "a clip is longer than a bundle can hold: eleven days");
    return 0;
}

// The length must not be 0: the engine would divide 0 by 0.
static void gpb_find_end(gpb_exporter *m, gpb_clip_plan *score)
{
    score->end = gpb_to_ticks(m, m->scene->animations[score->animation].duration);
    if (score->end == 0) score->end = 1;
    for (uint32_t i = 0; i < score->course_count && !m->failed; i++) {
        const tn_times *times = &score->courses[i].times;
        uint32_t last = gpb_to_ticks(m, times->at[times->count - 1]);
        if (last > score->end) score->end = last;
    }
}

// -- Planning

static void gpb_add_course(gpb_animation_exporter *o, gpb_clip_plan *score, uint32_t node,
                           uint32_t targets, bool is_stepped)
{
    if (!targets || o->m->failed) return;
    gpb_channel_plan *course = &score->courses[score->course_count++];
    *course = (gpb_channel_plan){.node = node, .targets = targets, .is_stepped = is_stepped};
    gpb_find_times(o, score, course);
}

// The format has an attribute for scale and rotation together, but engines of that version
// interpolate its quaternions linearly.
static void gpb_add_split(gpb_animation_exporter *o, gpb_clip_plan *score, uint32_t node,
                          uint32_t targets, bool is_stepped)
{
    bool is_bad = targets == (TN_MOVES_SCALE | TN_MOVES_ROTATION);
    if (is_bad) gpb_add_course(o, score, node, TN_MOVES_SCALE, is_stepped);
    gpb_add_course(o, score, node, is_bad ? (uint32_t)TN_MOVES_ROTATION : targets, is_stepped);
}

// Steps need separate channels.
static void gpb_add_courses(gpb_animation_exporter *o, gpb_clip_plan *score, uint32_t node)
{
    uint32_t moved = tn_motion_moves(&score->motion, node), targets = moved;
    if (node == o->anchor.node) targets |= o->anchor.target;
    if (gpb_is_ambiguous(&o->m->scene->nodes[node])) targets = TN_MOVES_ALL;
    uint32_t stepped = gpb_stepped_targets(&score->motion, node, moved);
    gpb_add_split(o, score, node, targets & ~stepped, false);
    gpb_add_split(o, score, node, stepped, true);
}

static void gpb_write_score(gpb_animation_exporter *o, uint32_t animation, gpb_clip_plan *score)
{
    gpb_exporter *m = o->m;
    const tenon_animation *a = &m->scene->animations[animation];
    *score = (gpb_clip_plan){.animation = animation};
    score->courses =
        gpb_alloc_aside(o, 3 * ((uint64_t)a->channel_count + 1), sizeof *score->courses);
    if (m->failed || !tn_motion_make(&o->aside, animation, &score->motion)) {
        m->failed = true;
        return;
    }
    o->stamp++;
    bool has_anchor = o->anchor.node == TENON_NONE;
    for (uint32_t i = 0; i < a->channel_count && !m->failed; i++) {
        uint32_t node = a->channels[i].node;
        if (o->stamps[node] == o->stamp) continue;
        o->stamps[node] = o->stamp;
        has_anchor = has_anchor || node == o->anchor.node;
        gpb_add_courses(o, score, node);
    }
    if (!has_anchor) gpb_add_courses(o, score, o->anchor.node);
    if (!m->failed) gpb_find_end(m, score);
}

// -- Clips that readers could merge

static void gpb_outline_clip(gpb_animation_exporter *o, uint32_t animation)
{
    gpb_outline *outline = &o->outlines[animation];
    gpb_clip_plan score;
    tn_mark mark = tn_arena_mark(&o->work);
    gpb_write_score(o, animation, &score);
    *outline = (gpb_outline){.end = score.end};
    outline->moves = gpb_export_alloc(o->m, score.course_count, sizeof *outline->moves);
    for (uint32_t i = 0; i < score.course_count && !o->m->failed; i++) {
        const gpb_channel_plan *course = &score.courses[i];
        outline->moves[outline->count++] = (struct gpb_move){course->node, course->targets};
        outline->size += gpb_key_size(course->targets);
    }
    tn_arena_rewind(&o->work, mark);
}

static bool gpb_ends_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_outline *outlines = context;
    return outlines[a].end < outlines[b].end;
}

// Whether two clips have a target in common.
static bool gpb_overlap(const gpb_outline *a, const gpb_outline *b, uint8_t *moved)
{
    bool do_overlap = false;
    for (uint32_t i = 0; i < a->count; i++) moved[a->moves[i].node] |= (uint8_t)a->moves[i].targets;
    for (uint32_t i = 0; i < b->count; i++)
        do_overlap = do_overlap || moved[b->moves[i].node] & b->moves[i].targets;
    for (uint32_t i = 0; i < a->count; i++) moved[a->moves[i].node] = 0;
    return do_overlap;
}

// Readers merge animations of equal length that move different targets, because encoders wrote one
// for each node. An anchor is needed if there are such clips, or a clip without channels.
static bool gpb_needs_anchor(gpb_animation_exporter *o)
{
    gpb_exporter *m = o->m;
    uint32_t count = m->scene->animation_count;
    uint32_t *sorted = gpb_export_alloc(m, count, sizeof *sorted);
    uint32_t *spare = gpb_export_alloc(m, count, sizeof *spare);
    uint8_t *moved = gpb_export_alloc(m, m->scene->node_count, 1);
    bool is_needed = false;
    if (m->failed) return false;
    for (uint32_t i = 0; i < count; i++) sorted[i] = i;
    tn_sort(sorted, spare, count, gpb_ends_before, o->outlines);
    for (uint32_t i = 0; i < count && !is_needed; i++) {
        const gpb_outline *at = &o->outlines[sorted[i]];
        const gpb_outline *last = i ? &o->outlines[sorted[i - 1]] : NULL;
        bool is_twin = last && last->end == at->end && !gpb_overlap(last, at, moved);
        is_needed = is_twin || at->count == 0;
    }
    return is_needed;
}

// The first target of any clip, or any node that can be animated.
static gpb_anchor gpb_choose_anchor(const gpb_animation_exporter *o)
{
    const tenon_scene *s = o->m->scene;
    for (uint32_t i = 0; i < s->animation_count; i++)
        if (s->animations[i].channel_count) {
            const tenon_channel *c = &s->animations[i].channels[0];
            return (gpb_anchor){c->node, 1u << c->target};
        }
    for (uint32_t i = 0; i < s->node_count; i++)
        if (!s->nodes[i].has_matrix) return (gpb_anchor){i, TN_MOVES_TRANSLATION};
    return (gpb_anchor){TENON_NONE, 0};
}

// -- Keys

// The times of a channel, from the start of the clip to its end.
static uint32_t *gpb_list_times(gpb_exporter *m, const gpb_clip_plan *score,
                                const gpb_channel_plan *course, uint32_t *count)
{
    uint32_t *times = gpb_export_alloc(m, (uint64_t)course->times.count + 2, sizeof *times);
    *count = 0;
    if (!times) return NULL;
    times[(*count)++] = 0;
    for (uint32_t i = 0; i < course->times.count; i++) {
        uint32_t time = gpb_to_ticks(m, course->times.at[i]);
        if (time > times[*count - 1]) times[(*count)++] = time;
    }
    if (score->end > times[*count - 1]) times[(*count)++] = score->end;
    return times;
}

static float *gpb_put3(gpb_exporter *m, tn_vec3 v, float *out)
{
    out[0] = gpb_export_float(m, v.x);
    out[1] = gpb_export_float(m, v.y);
    out[2] = gpb_export_float(m, v.z);
    return out + 3;
}

// Readers use floats for times, so the value is sampled at that float.
static float *gpb_put_key(gpb_exporter *m, const gpb_clip_plan *score,
                          const gpb_channel_plan *course, uint32_t time, float *out)
{
    double seconds = tn_to_float(time / GPB_TICKS);
    tn_trs at = tn_motion_local(&score->motion, course->node, seconds);
    if (course->targets & TN_MOVES_SCALE) out = gpb_put3(m, at.scale, out);
    if (course->targets & TN_MOVES_ROTATION) {
        out[0] = tn_to_float(at.rotation.x), out[1] = tn_to_float(at.rotation.y);
        out[2] = tn_to_float(at.rotation.z), out[3] = tn_to_float(at.rotation.w);
        out += 4;
    }
    return course->targets & TN_MOVES_TRANSLATION ? gpb_put3(m, at.translation, out) : out;
}

static void gpb_export_channel(gpb_exporter *m, const gpb_clip_plan *score,
                               const gpb_channel_plan *course, tenon_gpb_channel *channel)
{
    uint32_t count, size = gpb_key_size(course->targets);
    uint32_t way = course->is_stepped ? GPB_BY_STEP : GPB_BY_LINE;
    const uint32_t *times = gpb_list_times(m, score, course, &count);
    float *values = gpb_export_alloc(m, count, size * sizeof *values), *out = values;
    for (uint32_t i = 0; i < count && !m->failed; i++)
        out = gpb_put_key(m, score, course, times[i], out);
    if (m->failed) return;
    tenon_str xref = m->nodes[course->node].xref;
    *channel = (tenon_gpb_channel){
        .target_id = {xref.data + 1, xref.size - 1},
        .target_attribute = gpb_attribute_for(course->targets),
        .key_times = gpb_export_span(m, times, count, &tn_layout_u32),
        .values = gpb_export_span(m, values, (uint64_t)count * size, &tn_layout_f32),
        .tangents_in = gpb_export_span(m, NULL, 0, &tn_layout_f32),
        .tangents_out = gpb_export_span(m, NULL, 0, &tn_layout_f32),
        .interpolations = gpb_export_span(m, &way, 1, &tn_layout_u32),
    };
}

// -- Animations

// Whether a node is a joint or a descendant of one.
static bool gpb_is_skeletal(const gpb_exporter *m, uint32_t node)
{
    for (; node != TENON_NONE; node = m->scene->nodes[node].parent)
        if (m->nodes[node].is_joint) return true;
    return false;
}

// Export one animation for each clip, or for each node of it. Or as the encoder does, which
// supports one clip: the channels of the skeleton are called "animations".
static void gpb_play(gpb_animation_exporter *o, const gpb_clip_plan *score, tenon_str name,
                     tenon_gpb_animations *all)
{
    gpb_exporter *m = o->m;
    bool is_encoder = m->e->opts->grouping == TENON_GROUP_ENCODER && score->animation == 0;
    bool is_by_node = m->e->opts->grouping == TENON_GROUP_NODES;
    tenon_gpb_channel *next = gpb_export_alloc(m, score->course_count, sizeof *next);
    for (int is_rest = 0; is_rest <= is_encoder; is_rest++) {
        uint32_t last = TENON_NONE;
        for (uint32_t i = 0; i < score->course_count && !m->failed; i++) {
            uint32_t node = score->courses[i].node;
            bool is_grouped = is_encoder && gpb_is_skeletal(m, node);
            if (is_encoder && is_grouped == (is_rest != 0)) continue;
            bool is_apart = is_by_node || (is_encoder && !is_grouped);
            if (last == TENON_NONE || (is_apart && node != last)) {
                all->animations[all->animation_count++] = (tenon_gpb_animation){
                    .id = is_grouped ? gpb_group_name : name, .channels = next};
                bool is_renamed = is_grouped && !tn_text_equal(name, gpb_group_name);
                gpb_export_lose(m, GPB_LOST_GROUPED, is_renamed, "animations", 0);
            }
            last = node;
            all->animations[all->animation_count - 1].channel_count++;
            gpb_export_channel(m, score, &score->courses[i], next++);
        }
    }
}

static tenon_str *gpb_name_clips(gpb_exporter *m)
{
    const tenon_scene *s = m->scene;
    uint64_t changed = 0;
    tenon_str *names = gpb_export_alloc(m, (uint64_t)s->animation_count + 1, sizeof *names);
    if (m->failed) return NULL;
    // Reserve the name of the group, so that no clip gets it.
    bool is_taken = m->e->opts->grouping == TENON_GROUP_ENCODER && s->animation_count &&
                    !tn_text_equal(s->animations[0].name, gpb_group_name);
    if (is_taken) *names++ = gpb_group_name;
    for (uint32_t i = 0; i < s->animation_count; i++) names[i] = gpb_shorten(s->animations[i].name);
    if (!tn_unique_names(m->e, names - is_taken, s->animation_count + is_taken, "animation",
                         &changed))
        m->failed = true;
    for (uint32_t i = 0; i < s->animation_count && !m->failed; i++)
        gpb_export_lose(m, GPB_LOST_NAMES, !tn_text_equal(names[i], s->animations[i].name),
                        "animations", i);
    return names;
}

// Count what was added to a clip or changed.
static void gpb_count_score(gpb_exporter *m, const gpb_outline *outline, const gpb_clip_plan *score)
{
    double duration = m->scene->animations[score->animation].duration;
    double length = score->end / GPB_TICKS;
    uint32_t size = 0;
    for (uint32_t i = 0; i < score->course_count; i++) {
        const gpb_channel_plan *course = &score->courses[i];
        uint32_t moved = tn_motion_moves(&score->motion, course->node);
        bool is_constant = gpb_is_ambiguous(&m->scene->nodes[course->node]);
        size += gpb_key_size(course->targets);
        if (is_constant && course->targets & ~moved)
            gpb_export_lose(m, GPB_LOST_CONSTANTS, 1, "nodes", course->node);
    }
    // Durations may be floats converted to doubles.
    bool is_kept = length == duration || tn_to_float(length) == tn_to_float(duration);
    gpb_export_lose(m, GPB_LOST_ANCHORS, size != outline->size, "animations", score->animation);
    gpb_export_lose(m, GPB_LOST_EMPTY_CLIPS, size == 0, "animations", score->animation);
    gpb_export_lose(m, GPB_LOST_LENGTHS, size && !is_kept, "animations", score->animation);
}

static void gpb_play_all(gpb_animation_exporter *o, const tenon_str *names,
                         tenon_gpb_animations *all)
{
    gpb_exporter *m = o->m;
    uint64_t room = 0;
    // An anchor adds at most one channel.
    for (uint32_t i = 0; i < m->scene->animation_count && !m->failed; i++)
        room += (uint64_t)o->outlines[i].count + 1;
    all->animations = gpb_export_alloc(m, room, sizeof *all->animations);
    for (uint32_t i = 0; i < m->scene->animation_count && !m->failed; i++) {
        gpb_clip_plan score;
        tn_mark mark = tn_arena_mark(&o->work);
        gpb_write_score(o, i, &score);
        if (!m->failed) gpb_count_score(m, &o->outlines[i], &score);
        if (!m->failed) gpb_play(o, &score, names[i], all);
        tn_arena_rewind(&o->work, mark);
    }
}

uint32_t gpb_export_animations(gpb_exporter *m, tenon_gpb_animations *all)
{
    const tenon_scene *s = m->scene;
    gpb_animation_exporter o = {.m = m, .aside = *m->e, .anchor = {TENON_NONE, 0}};
    o.work = tn_arena_make(&m->e->opts->allocator, m->e->arena->limit);
    o.aside.arena = &o.work;
    o.outlines = gpb_export_alloc(m, s->animation_count, sizeof *o.outlines);
    o.stamps = gpb_export_alloc(m, s->node_count, sizeof *o.stamps);
    for (uint32_t i = 0; i < s->animation_count && !m->failed; i++) {
        gpb_outline_clip(&o, i);
        gpb_count_changes(m, i);
    }
    if (!m->failed && gpb_needs_anchor(&o)) o.anchor = gpb_choose_anchor(&o);
    const tenon_str *names = gpb_name_clips(m);
    if (!m->failed) gpb_play_all(&o, names, all);
    tn_arena_free(&o.work);
    return m->failed ? 0 : all->animation_count;
}
