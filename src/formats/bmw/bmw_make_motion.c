// bmw_make_motion.c: the clips of a scene as frames of BMW: one animation, which is the only one
// that the engine can play, with one clip behind the other.
// SPDX-License-Identifier: MIT

#include "bmw_make.h"

#include "../../core/span.h"
#include "../../scene/motion.h"

#include <math.h>

#define WORK_MOST   ((uint64_t)1 << 28)  // Nodes posed.
#define SHEAR       4e-6  // As in reading: what is sheared more than this is not interpolated.
#define SAME        1e-6  // Of the diagonal: poses that are the same.
#define LOOP_PARTS  5     // Of a clip, between which it is looked at.
#define MATRIX_SIZE 64

// -- Errors

static tn_vec3 bmw_corner(const bmw_box *box, int corner)
{
    return (tn_vec3){corner & 1 ? box->max[0] : box->min[0], corner & 2 ? box->max[1] : box->min[1],
                     corner & 4 ? box->max[2] : box->min[2]};
}

// How far apart, as a share of the diagonal, two matrices of a bone put what it moves.
static double bmw_distance(const bmw_maker *m, uint32_t bone, const tn_mat4 *a, const tn_mat4 *b)
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

// Frames of all bones, one bone behind the other, as the file has them.
typedef struct bmw_sheet {
    uint8_t *bytes;
    uint64_t tick_count;
    tn_mat4 *matrices;  // Of all bones, at one moment.
} bmw_sheet;

static uint8_t *bmw_cell(const bmw_sheet *sheet, uint32_t bone, uint64_t tick)
{
    return sheet->bytes + MATRIX_SIZE * (sheet->tick_count * bone + tick);
}

static bool bmw_sheet_alloc(const bmw_maker *m, uint64_t tick_count, bmw_sheet *sheet)
{
    sheet->tick_count = tick_count;
    sheet->matrices = tn_export_alloc(&m->e, m->bone_count, sizeof *sheet->matrices);
    if (!sheet->matrices) return false;
    sheet->bytes = tn_export_alloc(&m->e, tick_count * m->bone_count, MATRIX_SIZE);
    return sheet->bytes != NULL;
}

static void bmw_fill_tick(bmw_maker *m, const bmw_sheet *sheet, uint64_t tick)
{
    bmw_bone_matrices(m, sheet->matrices);
    for (uint32_t i = 0; i < m->bone_count; i++) {
        float numbers[16];
        tn_mat4_to_columns(&sheet->matrices[i], numbers);
        bmw_make_finite(m, numbers, 16);
        tn_copy_numbers(bmw_cell(sheet, i, tick), numbers, 16, 4, false);
    }
}

// At the times that reading gives to ticks: jumps must not be missed by a hair.
static void bmw_fill_clip(bmw_maker *m, const bmw_sheet *sheet, uint32_t animation, uint64_t start,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tenon_pose_set(m->pose, animation, (double)(float)(i / (double)m->rate));
        bmw_fill_tick(m, sheet, start + i);
    }
}

static tn_mat4 bmw_load_cell(const bmw_sheet *sheet, uint32_t bone, uint64_t tick)
{
    float numbers[16];
    tn_copy_numbers(numbers, bmw_cell(sheet, bone, tick), 16, 4, false);
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

static bool bmw_is_skewed_once(const bmw_sheet *sheet, uint32_t bone)
{
    for (uint64_t i = 0; i < sheet->tick_count; i++) {
        tn_mat4 matrix = bmw_load_cell(sheet, bone, i);
        if (bmw_is_skewed(&matrix)) return true;
    }
    return false;
}

// What reading has half way between two ticks.
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

static double bmw_half_way_error(const bmw_maker *m, const bmw_sheet *sheet, const bool *is_skewed,
                                 uint64_t tick)
{
    double most = 0;
    bmw_bone_matrices(m, sheet->matrices);
    for (uint32_t i = 0; i < m->bone_count; i++) {
        tn_mat4 a = bmw_load_cell(sheet, i, tick), b = bmw_load_cell(sheet, i, tick + 1);
        tn_mat4 half = is_skewed[i] ? a : bmw_half_way(&a, &b);
        double error = bmw_distance(m, i, &half, &sheet->matrices[i]);
        if (!(error <= most)) most = error;
    }
    return most;
}

// Without memory the export has its error.
static void bmw_clip_error(bmw_maker *m, uint32_t animation, double *most)
{
    uint32_t count = tn_frame_count(m->e.scene->animations[animation].duration, m->rate);
    tn_mark mark = tn_arena_mark(m->e.arena);
    bmw_sheet sheet;
    bool *is_skewed = tn_export_alloc(&m->e, m->bone_count, sizeof *is_skewed);
    if (!is_skewed || !bmw_sheet_alloc(m, count, &sheet)) return;
    bmw_fill_clip(m, &sheet, animation, 0, count);
    for (uint32_t i = 0; i < m->bone_count; i++) is_skewed[i] = bmw_is_skewed_once(&sheet, i);
    for (uint32_t i = 0; i + 1 < count; i++) {
        tenon_pose_set(m->pose, animation, (i + 0.5) / m->rate);
        double error = bmw_half_way_error(m, &sheet, is_skewed, i);
        if (!(error <= *most)) *most = error;
    }
    tn_arena_rewind(m->e.arena, mark);
}

// How far off things are half way between ticks, as a share of the diagonal.
static double bmw_error_between(bmw_maker *m)
{
    double most = 0;
    for (uint32_t i = 0; i < m->e.scene->animation_count && m->e.err->code == TENON_OK; i++)
        bmw_clip_error(m, i, &most);
    return most;
}

// -- Ticks a second

static uint64_t bmw_ticks_at(const bmw_maker *m, double rate)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < m->e.scene->animation_count; i++)
        count += tn_frame_count(m->e.scene->animations[i].duration, rate);
    return count;
}

// Whether posing all nodes and bones at all ticks is a sane amount of work.
static bool bmw_is_affordable(const bmw_maker *m)
{
    return bmw_ticks_at(m, m->rate) <
           WORK_MOST / ((uint64_t)m->e.scene->node_count + m->bone_count);
}

// The engine shows a frame until the next one, so that poses are exact at ticks, whatever the rate.
// It is chosen as for engines that go straight from frame to frame: what is between ticks does not
// decide, but is measured and reported.
static bool bmw_choose_rate(bmw_maker *m)
{
    double rate = tn_common_rate(&m->e);
    if (!(rate > 0)) return false;
    m->rate = (uint32_t)fmin(rate, UINT32_MAX);
    if (!bmw_is_affordable(m)) return tn_error(m->e.err, TENON_ERR_LIMIT, "the clips are too long");
    m->counts.between = bmw_error_between(m);
    m->counts.not_finite = 0;
    return m->e.err->code == TENON_OK;
}

// -- Where the engine begins

static uint32_t bmw_find_clip(const bmw_maker *m, tenon_str name)
{
    for (uint32_t i = 0; i < m->e.scene->animation_count; i++)
        if (bmw_same_text(m->e.scene->animations[i].name, name)) return i;
    return TENON_NONE;
}

// What the scene says, or what the engine expects.
static uint32_t bmw_stated_default(const bmw_maker *m)
{
    const tenon_scene *s = m->e.scene;
    for (uint32_t i = 0; i < s->extra_count; i++) {
        const tenon_extra *extra = &s->extras[i];
        if (extra->of != TENON_EXTRA_OF_SCENE) continue;
        if (!bmw_same_text(extra->name, (tenon_str){"defaultAnim", 11})) continue;
        uint32_t found = bmw_find_clip(m, extra->value);
        if (found != TENON_NONE) return found;
        break;
    }
    return bmw_find_clip(m, (tenon_str){"idle", 4});
}

// A bone without weights has no vertices to tell by.
static bool bmw_is_same_place(const bmw_maker *m, uint32_t bone, const tn_mat4 *a, const tn_mat4 *b,
                              double tolerance)
{
    if (m->boxes[bone].is_there) return bmw_distance(m, bone, a, b) <= tolerance;
    for (int i = 0; i < 16; i++)
        if (!(fabs(a->m[i] - b->m[i]) <= tolerance * (i < 12 ? 1 : m->diagonal))) return false;
    return true;
}

// A moment of a clip; TENON_NONE: the rest pose.
typedef struct bmw_moment {
    uint32_t animation;
    double seconds;
} bmw_moment;

// Whether all bones are at the same places at two moments. False without memory.
static bool bmw_compare_poses(const bmw_maker *m, bmw_moment a, bmw_moment b, double tolerance,
                              bool *are_same)
{
    tn_mark mark = tn_arena_mark(m->e.arena);
    tn_mat4 *first = tn_export_alloc(&m->e, m->bone_count, sizeof *first);
    tn_mat4 *second = tn_export_alloc(&m->e, m->bone_count, sizeof *second);
    if (!first || !second) return false;
    tenon_pose_set(m->pose, a.animation, a.seconds);
    bmw_bone_matrices(m, first);
    tenon_pose_set(m->pose, b.animation, b.seconds);
    bmw_bone_matrices(m, second);
    *are_same = true;
    for (uint32_t i = 0; i < m->bone_count && *are_same; i++)
        *are_same = bmw_is_same_place(m, i, &first[i], &second[i], tolerance);
    tn_arena_rewind(m->e.arena, mark);
    return true;
}

// Count the clips that end as they begin, with something else between, of which nothing says
// whether they loop. False without memory.
static bool bmw_find_probable_loops(bmw_maker *m)
{
    double tolerance = tn_motion_tolerance(&m->e);
    for (uint32_t i = 0; i < m->e.scene->animation_count; i++) {
        double end = m->e.scene->animations[i].duration;
        bool is_closed, is_still = true;
        if (m->clips[i].has_loop || m->clips[i].hold || !(end > 0)) continue;
        bmw_moment start = {i, 0};
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

static void bmw_add_made_clip(bmw_maker *m, uint32_t animation)
{
    const tenon_scene *s = m->e.scene;
    bool is_rest = animation == TENON_NONE;
    m->clips[m->clip_count++] =
        (bmw_made_clip){.name = is_rest ? (tenon_str){"rest", 4} : s->animations[animation].name,
                        .animation = animation,
                        .hold = is_rest,
                        .has_hold = is_rest};
}

// The engine sets matrices only when the tick changes, so that a clip of one tick never shows. One
// that is held stops at its last tick; all others start again there, before it has been shown. A
// file by the format's own text, which says nothing of this, keeps the lengths of clips.
static void bmw_place_clips(bmw_maker *m)
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

// Clips are found by name, so that no two may have one.
static bool bmw_name_clips(bmw_maker *m)
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
    bool is_one = bmw_same_text(extra->name, (tenon_str){"loop", 4}) ||
                  bmw_same_text(extra->name, (tenon_str){"hold", 4});
    return is_one && (bmw_same_text(extra->value, (tenon_str){"true", 4}) ||
                      bmw_same_text(extra->value, (tenon_str){"false", 5}));
}

// Clip number i is animation number i.
static void bmw_set_flags(bmw_maker *m)
{
    const tenon_scene *s = m->e.scene;
    for (uint32_t i = 0; i < s->extra_count; i++) {
        const tenon_extra *extra = &s->extras[i];
        bool is_clips = extra->of == TENON_EXTRA_OF_ANIMATION && extra->index < s->animation_count;
        if (!is_clips || !bmw_is_flag(extra)) continue;
        bmw_made_clip *clip = &m->clips[extra->index];
        bool is_on = bmw_same_text(extra->value, (tenon_str){"true", 4});
        if (bmw_same_text(extra->name, (tenon_str){"loop", 4})) {
            clip->has_loop = true;
            clip->loop = clip->loop || is_on;
        } else {
            clip->has_hold = true;
            clip->hold = clip->hold || is_on;
        }
    }
}

static bool bmw_list_made_clips(bmw_maker *m, bool has_rest)
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

// The engine begins with a clip, and that is where things rest. If the scene does not say which one
// that is, and the first one begins elsewhere, a clip is made up that does nothing but rest.
bool bmw_plan_motion(bmw_maker *m)
{
    bool starts = false;
    if (!m->is_animated) return true;
    if (!bmw_choose_rate(m)) return false;
    uint32_t stated = bmw_stated_default(m), first = stated == TENON_NONE ? 0 : stated;
    if (!bmw_compare_poses(m, (bmw_moment){TENON_NONE, 0}, (bmw_moment){first, 0}, SAME, &starts))
        return false;
    bool has_rest = stated == TENON_NONE && !starts;
    m->counts.is_resting = stated != TENON_NONE && !starts;
    if (!bmw_list_made_clips(m, has_rest)) return false;
    m->default_anim = m->clips[has_rest ? m->clip_count - 1 : first].name;
    return bmw_find_probable_loops(m);
}

bool bmw_make_animation(bmw_maker *m)
{
    bmw_sheet sheet;
    if (!m->is_animated) return true;
    tenon_bmw_animation *animation = tn_export_alloc(&m->e, 1, sizeof *animation);
    tenon_bmw_bone *bones = tn_export_alloc(&m->e, m->bone_count, sizeof *bones);
    if (!animation || !bones || !bmw_sheet_alloc(m, m->tick_count, &sheet)) return false;
    for (uint32_t i = 0; i < m->clip_count; i++) {
        const bmw_made_clip *clip = &m->clips[i];
        bmw_fill_clip(m, &sheet, clip->animation, clip->start, clip->end - clip->start + 1);
    }
    for (uint32_t i = 0; i < m->bone_count; i++) {
        uint64_t size = MATRIX_SIZE * sheet.tick_count;
        bones[i].node_id = m->bone_ids[i];
        bones[i].frames =
            (tenon_span){bmw_cell(&sheet, i, 0), size, sheet.tick_count, &bmw_matrix_layout, false};
    }
    // The format's own text counts frames, all others the ticks between them.
    bool is_literal = m->e.dialect && (m->e.dialect->flags & TENON_BMW_FRAMES_LITERAL);
    uint32_t duration = m->tick_count - !is_literal;
    *animation = (tenon_bmw_animation){duration, m->rate, m->bone_count, bones};
    m->doc->animations = animation;
    m->doc->animation_count = 1;
    tenon_pose_set(m->pose, TENON_NONE, 0);
    return true;
}
