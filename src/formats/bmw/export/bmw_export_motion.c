// bmw_export_motion.c: exports the clips of a scene as frames of BMW, one after the other in a
// single animation, because the engine plays only the first.
// SPDX-License-Identifier: MIT

#include "formats/bmw/export/bmw_export.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "exchange/clips/motion.h"
#include "scene/pose/pose.h"

#include <math.h>
#include <string.h>

#define WORK_MOST   ((uint64_t)1 << 28)  // Nodes times ticks.
#define SHEAR       4e-6  // As in import: matrices with more shear are not interpolated.
#define SAME        1e-6  // Tolerance for equal poses, as a share of the diagonal.
#define LOOP_PARTS  5     // A clip is compared with its start after each fifth.
#define MATRIX_SIZE 64

// -- Errors

static tn_vec3 bmw_corner(const bmw_box *box, int corner)
{
    return (tn_vec3){corner & 1 ? box->max[0] : box->min[0], corner & 2 ? box->max[1] : box->min[1],
                     corner & 4 ? box->max[2] : box->min[2]};
}

// The largest distance between the bounds of a bone moved by `a` and by `b`, as a share of the
// diagonal.
static double bmw_distance(const bmw_exporter *m, uint32_t bone, const tn_mat4 *a, const tn_mat4 *b)
{
    double most = 0;
    for (int i = 0; i < 8 && m->boxes[bone].is_there; i++) {
        tn_vec3 corner = bmw_corner(&m->boxes[bone], i);
        tn_vec3 way = tn_vec3_sub(tn_mat4_point(a, corner), tn_mat4_point(b, corner));
        double length = tn_vec3_length(way);
        if (!(length <= most)) most = length;
    }
    return most / m->diagonal;
}

// -- Sampling

static uint8_t *bmw_cell(const bmw_exporter *m, uint32_t bone, uint64_t tick)
{
    return m->sheet.bytes + MATRIX_SIZE * ((uint64_t)m->tick_count * bone + tick);
}

// Pose the start of a clip, and list the bones that the clip moves.
static void bmw_pose_clip(bmw_exporter *m, uint32_t animation)
{
    bmw_frame_buffer *sheet = &m->sheet;
    const tn_subtrees *trees = &m->pose->trees;
    tenon_pose_set(m->pose, animation, 0);
    memset(sheet->is_moved, 0, m->e.scene->node_count);
    for (uint32_t i = 0; i < m->pose->roots.count; i++) {
        uint32_t root = m->pose->roots.nodes[i], first = trees->places[root];
        for (uint32_t k = 0; k < trees->sizes[root]; k++)
            sheet->is_moved[trees->nodes[first + k]] = true;
    }
    sheet->moved_count = 0;
    for (uint32_t i = 0; i < m->bone_count; i++) {
        uint32_t node = bmw_bone_node(m, i);
        if (node != TENON_NONE && sheet->is_moved[node]) sheet->moved[sheet->moved_count++] = i;
    }
}

// The skinning matrix of a bone, as stored in the file.
static void bmw_bone_numbers(bmw_exporter *m, uint32_t bone, float numbers[16])
{
    tn_mat4 matrix = bmw_bone_matrix(m, bone);
    tn_mat4_to_columns(&matrix, numbers);
    bmw_export_finite(m, numbers, 16);
}

static void bmw_fill_cell(bmw_exporter *m, uint32_t bone, uint64_t tick)
{
    float numbers[16];
    bmw_bone_numbers(m, bone, numbers);
    tn_copy_numbers(bmw_cell(m, bone, tick), numbers, 16, 4, false);
}

// Samples at the same float times that import gives to ticks, so that no jump is missed.
static void bmw_fill_clip(bmw_exporter *m, const bmw_made_clip *clip)
{
    bmw_frame_buffer *sheet = &m->sheet;
    uint32_t count = clip->end - clip->start + 1, next = 0;
    bmw_pose_clip(m, clip->animation);
    for (uint32_t i = 0; i < m->bone_count; i++) {
        bool is_moved = next < sheet->moved_count && sheet->moved[next] == i;
        if (is_moved) {
            next++;
            continue;
        }
        uint64_t before = m->counts.not_finite;
        bmw_fill_cell(m, i, clip->start);
        m->counts.not_finite += (m->counts.not_finite - before) * (count - 1);
        const uint8_t *first = bmw_cell(m, i, clip->start);
        for (uint32_t k = 1; k < count; k++)
            memcpy(bmw_cell(m, i, clip->start + (uint64_t)k), first, MATRIX_SIZE);
    }
    for (uint32_t i = 0; i < count && sheet->moved_count > 0; i++) {
        tenon_pose_set(m->pose, clip->animation, (double)(float)(i / (double)m->rate));
        for (uint32_t k = 0; k < sheet->moved_count; k++)
            bmw_fill_cell(m, sheet->moved[k], clip->start + (uint64_t)i);
    }
}

static tn_mat4 bmw_load_cell(const bmw_exporter *m, uint32_t bone, uint64_t tick)
{
    float numbers[16];
    tn_copy_numbers(numbers, bmw_cell(m, bone, tick), 16, 4, false);
    return tn_mat4_from_columns(numbers);
}

// -- Between ticks

static bool bmw_is_skewed(const tn_mat4 *matrix)
{
    tn_mat3 upper = tn_mat4_upper(matrix);
    for (size_t i = 0; i < 3; i++) {
        tn_vec3 a = tn_mat3_column(&upper, i), b = tn_mat3_column(&upper, (i + 1) % 3);
        if (fabs(tn_vec3_dot(a, b)) > SHEAR * tn_vec3_length(a) * tn_vec3_length(b)) return true;
    }
    return false;
}

static bool bmw_is_skewed_once(const bmw_exporter *m, uint32_t bone, uint64_t start, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tn_mat4 matrix = bmw_load_cell(m, bone, start + i);
        if (bmw_is_skewed(&matrix)) return true;
    }
    return false;
}

// What import interpolates half way between two ticks.
static tn_mat4 bmw_half_way(const tn_mat4 *a, const tn_mat4 *b)
{
    tn_trs from, to;
    (void)tn_mat4_decompose(a, &from);
    (void)tn_mat4_decompose(b, &to);
    tn_trs half = {tn_vec3_lerp(from.translation, to.translation, 0.5),
                   tn_quat_slerp(from.rotation, to.rotation, 0.5),
                   tn_vec3_lerp(from.scale, to.scale, 0.5)};
    return tn_mat4_from_trs(&half);
}

// The error of a bone half way between frames `a` and `b`, compared with the current pose.
static double bmw_half_way_error(const bmw_exporter *m, uint32_t bone, bool is_skewed,
                                 const tn_mat4 *a, const tn_mat4 *b)
{
    tn_mat4 half = is_skewed ? *a : bmw_half_way(a, b), there = bmw_bone_matrix(m, bone);
    return bmw_distance(m, bone, &half, &there);
}

static void bmw_find_rest_errors(bmw_exporter *m)
{
    uint64_t not_finite = m->counts.not_finite;  // Nothing is written here.
    tenon_pose_set(m->pose, TENON_NONE, 0);
    for (uint32_t i = 0; i < m->bone_count; i++) {
        float numbers[16];
        bmw_bone_numbers(m, i, numbers);
        tn_mat4 frame = tn_mat4_from_columns(numbers);
        m->sheet.rest_errors[i] = bmw_half_way_error(m, i, bmw_is_skewed(&frame), &frame, &frame);
    }
    m->counts.not_finite = not_finite;
}

// The larger of `most` and the error of a clip between its frames.
static double bmw_clip_error(bmw_exporter *m, const bmw_made_clip *clip, double most)
{
    bmw_frame_buffer *sheet = &m->sheet;
    uint32_t count = tn_frame_count(m->e.scene->animations[clip->animation].duration, m->rate);
    if (count < 2) return most;
    bmw_pose_clip(m, clip->animation);
    for (uint32_t i = 0, next = 0; i < m->bone_count; i++) {
        bool is_moved = next < sheet->moved_count && sheet->moved[next] == i;
        next += is_moved;
        if (!is_moved && !(sheet->rest_errors[i] <= most)) most = sheet->rest_errors[i];
    }
    tn_mark mark = tn_arena_mark(m->e.arena);
    bool *is_skewed = tn_export_alloc(&m->e, sheet->moved_count, sizeof *is_skewed);
    if (!is_skewed) return most;
    for (uint32_t k = 0; k < sheet->moved_count; k++)
        is_skewed[k] = bmw_is_skewed_once(m, sheet->moved[k], clip->start, count);
    for (uint32_t i = 0; i + 1 < count && sheet->moved_count > 0; i++) {
        tenon_pose_set(m->pose, clip->animation, (i + 0.5) / m->rate);
        for (uint32_t k = 0; k < sheet->moved_count; k++) {
            uint32_t bone = sheet->moved[k];
            uint64_t tick = (uint64_t)clip->start + i;
            tn_mat4 a = bmw_load_cell(m, bone, tick), b = bmw_load_cell(m, bone, tick + 1);
            double error = bmw_half_way_error(m, bone, is_skewed[k], &a, &b);
            if (!(error <= most)) most = error;
        }
    }
    tn_arena_rewind(m->e.arena, mark);
    return most;
}

// The largest error half way between ticks, as a share of the diagonal. If out of memory, the
// export's error is set.
static double bmw_error_between(bmw_exporter *m)
{
    double most = 0;
    bmw_find_rest_errors(m);
    for (uint32_t i = 0; i < m->clip_count && m->e.err->code == TENON_OK; i++)
        if (m->clips[i].animation != TENON_NONE) most = bmw_clip_error(m, &m->clips[i], most);
    return most;
}

// -- Ticks per second

static uint64_t bmw_ticks_at(const bmw_exporter *m, double rate)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < m->e.scene->animation_count; i++)
        count += tn_frame_count(m->e.scene->animations[i].duration, rate);
    return count;
}

static bool bmw_is_affordable(const bmw_exporter *m)
{
    return bmw_ticks_at(m, m->rate) <
           WORK_MOST / ((uint64_t)m->e.scene->node_count + m->bone_count);
}

// The engine does not interpolate, so poses at ticks are exact with any rate. The rate is chosen as
// for engines that interpolate linearly; the error between ticks is only measured and reported.
static bool bmw_choose_rate(bmw_exporter *m)
{
    double rate = tn_common_rate(&m->e);
    if (!(rate > 0)) return false;
    m->rate = (uint32_t)fmin(rate, UINT32_MAX);
    return bmw_is_affordable(m) || tn_error(m->e.err, TENON_ERR_LIMIT, "the clips are too long");
}

// -- The default clip

static uint32_t bmw_find_clip(const bmw_exporter *m, tenon_str name)
{
    for (uint32_t i = 0; i < m->e.scene->animation_count; i++)
        if (tn_text_equal(m->e.scene->animations[i].name, name)) return i;
    return TENON_NONE;
}

// The default clip that the scene names, or that the engine expects.
static uint32_t bmw_stated_default(const bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    for (uint32_t i = 0; i < s->extra_count; i++) {
        const tenon_extra *extra = &s->extras[i];
        if (extra->of != TENON_EXTRA_OF_SCENE) continue;
        if (!tn_text_equal(extra->name, (tenon_str){"defaultAnim", 11})) continue;
        uint32_t found = bmw_find_clip(m, extra->value);
        if (found != TENON_NONE) return found;
        break;
    }
    return bmw_find_clip(m, (tenon_str){"idle", 4});
}

// A bone without weights has no bounds, so its matrices are compared.
static bool bmw_is_same_place(const bmw_exporter *m, uint32_t bone, const tn_mat4 *a,
                              const tn_mat4 *b, double tolerance)
{
    if (m->boxes[bone].is_there) return bmw_distance(m, bone, a, b) <= tolerance;
    for (int i = 0; i < 16; i++)
        if (!(fabs(a->m[i] - b->m[i]) <= tolerance * (i < 12 ? 1 : m->diagonal))) return false;
    return true;
}

// A time of a clip; TENON_NONE: the rest pose.
typedef struct bmw_moment {
    uint32_t animation;
    double seconds;
} bmw_moment;

// Whether the bones of bmw_pose_clip()'s last clip are equal in two poses. Returns false if there
// is no memory.
static bool bmw_compare_poses(const bmw_exporter *m, bmw_moment a, bmw_moment b, double tolerance,
                              bool *are_same)
{
    const bmw_frame_buffer *sheet = &m->sheet;
    tn_mark mark = tn_arena_mark(m->e.arena);
    tn_mat4 *first = tn_export_alloc(&m->e, sheet->moved_count, sizeof *first);
    if (!first) return false;
    tenon_pose_set(m->pose, a.animation, a.seconds);
    for (uint32_t i = 0; i < sheet->moved_count; i++)
        first[i] = bmw_bone_matrix(m, sheet->moved[i]);
    tenon_pose_set(m->pose, b.animation, b.seconds);
    *are_same = true;
    for (uint32_t i = 0; i < sheet->moved_count && *are_same; i++) {
        tn_mat4 second = bmw_bone_matrix(m, sheet->moved[i]);
        *are_same = bmw_is_same_place(m, sheet->moved[i], &first[i], &second, tolerance);
    }
    tn_arena_rewind(m->e.arena, mark);
    return true;
}

// Count the clips that end as they start, move in between, and are not marked as loops or held.
// Returns false if out of memory.
static bool bmw_find_probable_loops(bmw_exporter *m)
{
    double tolerance = tn_motion_tolerance(&m->e);
    for (uint32_t i = 0; i < m->e.scene->animation_count; i++) {
        double end = m->e.scene->animations[i].duration;
        bool is_closed, is_still = true;
        if (m->clips[i].has_loop || m->clips[i].hold || !(end > 0)) continue;
        bmw_moment start = {i, 0};
        bmw_pose_clip(m, i);
        if (!bmw_compare_poses(m, start, (bmw_moment){i, end}, tolerance, &is_closed)) return false;
        for (int part = 1; part < LOOP_PARTS && is_closed && is_still; part++) {
            bmw_moment between = {i, end * part / LOOP_PARTS};
            if (!bmw_compare_poses(m, start, between, tolerance, &is_still)) return false;
        }
        if (is_closed && !is_still && m->counts.loops++ == 0) m->first_loop = i;
    }
    return true;
}

// -- Clips

static void bmw_add_made_clip(bmw_exporter *m, uint32_t animation)
{
    const tenon_scene *s = m->e.scene;
    bool is_rest = animation == TENON_NONE;
    m->clips[m->clip_count++] =
        (bmw_made_clip){.name = is_rest ? (tenon_str){"rest", 4} : s->animations[animation].name,
                        .animation = animation,
                        .hold = is_rest,
                        .has_hold = is_rest};
}

// The engine sets matrices only when the tick changes, so it never shows a clip of one tick. A held
// clip stops at its last tick; all others restart there before the tick was shown. The layout of
// the format's own text keeps the lengths of clips.
static void bmw_place_clips(bmw_exporter *m)
{
    bool is_literal = m->e.dialect && (m->e.dialect->flags & TENON_BMW_FRAMES_LITERAL);
    for (uint32_t i = 0; i < m->clip_count; i++) {
        bmw_made_clip *clip = &m->clips[i];
        bool is_rest = clip->animation == TENON_NONE;
        double duration = is_rest ? 0 : m->e.scene->animations[clip->animation].duration;
        uint32_t count = tn_frame_count(duration, m->rate), least = clip->hold ? 2 : 3;
        if (count < least && !is_literal) count = least;
        clip->start = m->tick_count;
        clip->end = m->tick_count + count - 1;
        m->tick_count += count;
    }
}

// The engine finds clips by name, so names must be different.
static bool bmw_name_clips(bmw_exporter *m)
{
    tenon_str *names = tn_export_alloc(&m->e, m->clip_count, sizeof *names);
    if (!names) return false;
    for (uint32_t i = 0; i < m->clip_count; i++) names[i] = m->clips[i].name;
    if (!tn_unique_names(&m->e, names, m->clip_count, "clip", &m->counts.clip_names)) return false;
    for (uint32_t i = 0; i < m->clip_count; i++) m->clips[i].name = names[i];
    return true;
}

bool bmw_is_flag(const tenon_extra *extra)
{
    bool is_one = tn_text_equal(extra->name, (tenon_str){"loop", 4}) ||
                  tn_text_equal(extra->name, (tenon_str){"hold", 4});
    return is_one && (tn_text_equal(extra->value, (tenon_str){"true", 4}) ||
                      tn_text_equal(extra->value, (tenon_str){"false", 5}));
}

// Clip number i is animation number i.
static void bmw_set_flags(bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    for (uint32_t i = 0; i < s->extra_count; i++) {
        const tenon_extra *extra = &s->extras[i];
        bool is_clips = extra->of == TENON_EXTRA_OF_ANIMATION && extra->index < s->animation_count;
        if (!is_clips || !bmw_is_flag(extra)) continue;
        bmw_made_clip *clip = &m->clips[extra->index];
        bool is_on = tn_text_equal(extra->value, (tenon_str){"true", 4});
        if (tn_text_equal(extra->name, (tenon_str){"loop", 4})) {
            clip->has_loop = true;
            clip->loop = clip->loop || is_on;
        } else {
            clip->has_hold = true;
            clip->hold = clip->hold || is_on;
        }
    }
}

static bool bmw_list_made_clips(bmw_exporter *m, bool has_rest)
{
    const tenon_scene *s = m->e.scene;
    m->clips = tn_export_alloc(&m->e, (uint64_t)s->animation_count + 1, sizeof *m->clips);
    if (!m->clips) return false;
    for (uint32_t i = 0; i < s->animation_count; i++) bmw_add_made_clip(m, i);
    if (has_rest) bmw_add_made_clip(m, TENON_NONE);
    bmw_set_flags(m);
    bmw_place_clips(m);
    return bmw_name_clips(m);
}

// The engine always starts with a clip. If the scene does not name it, and its first clip does not
// start with the rest pose, a clip with the rest pose is added.
bool bmw_plan_motion(bmw_exporter *m)
{
    bool starts = false;
    bmw_frame_buffer *sheet = &m->sheet;
    if (!m->is_animated) return true;
    sheet->rest_errors = tn_export_alloc(&m->e, m->bone_count, sizeof *sheet->rest_errors);
    sheet->is_moved = tn_export_alloc(&m->e, m->e.scene->node_count, sizeof *sheet->is_moved);
    sheet->moved = tn_export_alloc(&m->e, m->bone_count, sizeof *sheet->moved);
    if (!sheet->rest_errors || !sheet->is_moved || !sheet->moved) return false;
    if (!bmw_choose_rate(m)) return false;
    uint32_t stated = bmw_stated_default(m), first = stated == TENON_NONE ? 0 : stated;
    bmw_pose_clip(m, first);
    if (!bmw_compare_poses(m, (bmw_moment){TENON_NONE, 0}, (bmw_moment){first, 0}, SAME, &starts))
        return false;
    bool has_rest = stated == TENON_NONE && !starts;
    m->counts.is_resting = stated != TENON_NONE && !starts;
    if (!bmw_list_made_clips(m, has_rest)) return false;
    m->default_anim = m->clips[has_rest ? m->clip_count - 1 : first].name;
    return bmw_find_probable_loops(m);
}

bool bmw_export_animation(bmw_exporter *m)
{
    if (!m->is_animated) return true;
    tenon_bmw_animation *animation = tn_export_alloc(&m->e, 1, sizeof *animation);
    tenon_bmw_bone *bones = tn_export_alloc(&m->e, m->bone_count, sizeof *bones);
    m->sheet.bytes = tn_export_alloc(&m->e, (uint64_t)m->tick_count * m->bone_count, MATRIX_SIZE);
    if (!animation || !bones || !m->sheet.bytes) return false;
    for (uint32_t i = 0; i < m->clip_count; i++) bmw_fill_clip(m, &m->clips[i]);
    if (m->e.opts->lost) m->counts.between = bmw_error_between(m);  // Only for the report.
    for (uint32_t i = 0; i < m->bone_count; i++) {
        uint64_t size = MATRIX_SIZE * (uint64_t)m->tick_count;
        bones[i].node_id = m->bone_ids[i];
        bones[i].frames =
            (tenon_span){bmw_cell(m, i, 0), size, m->tick_count, &bmw_matrix_layout, false};
    }
    // The layout of the format's own text counts frames, all others the ticks between them.
    bool is_literal = m->e.dialect && (m->e.dialect->flags & TENON_BMW_FRAMES_LITERAL);
    uint32_t duration = m->tick_count - !is_literal;
    *animation = (tenon_bmw_animation){duration, m->rate, m->bone_count, bones};
    m->doc->animations = animation;
    m->doc->animation_count = 1;
    tenon_pose_set(m->pose, TENON_NONE, 0);
    return m->e.err->code == TENON_OK;
}
