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
#define SAME        1e-6                 // Tolerance for equal poses, as a share of the diagonal.
#define LOOP_PARTS  5                    // A clip is compared with its start after each fifth.
#define MATRIX_SIZE 64

// -- Errors

// The largest distance between the corners of a bone's bounds, moved by `a` and by `b`, as a share
// of the diagonal.
static double bmw_export_distance(const bmw_exporter *exporter, uint32_t bone, const tn_mat4 *a,
                                  const tn_mat4 *b)
{
    const tn_bounds *bounds = &exporter->bounds[bone];
    double most = 0;
    if (tn_bounds_is_empty(bounds)) return 0;
    for (int i = 0; i < 8; i++) {
        tn_vec3 corner = {i & 1 ? bounds->max[0] : bounds->min[0],
                          i & 2 ? bounds->max[1] : bounds->min[1],
                          i & 4 ? bounds->max[2] : bounds->min[2]};
        tn_vec3 offset = tn_vec3_sub(tn_mat4_point(a, corner), tn_mat4_point(b, corner));
        double length = tn_vec3_length(offset);
        if (!(length <= most)) most = length;
    }
    return most / exporter->diagonal;
}

// -- Sampling

static uint8_t *bmw_export_frame_bytes(const bmw_exporter *exporter, uint32_t bone, uint64_t tick)
{
    return exporter->frame_bytes + MATRIX_SIZE * ((uint64_t)exporter->tick_count * bone + tick);
}

// Whether the current clip moves a bone.
static bool bmw_export_is_moved(const bmw_exporter *exporter, uint32_t bone)
{
    uint32_t node = bmw_export_bone_node(exporter, bone);
    return node != TENON_NONE && exporter->is_moved[node];
}

// Pose the start of a clip, and list the bones that the clip moves.
static void bmw_export_pose_clip(bmw_exporter *exporter, uint32_t animation)
{
    const tn_subtrees *trees = &exporter->pose->trees;
    tenon_pose_set(exporter->pose, animation, 0);
    memset(exporter->is_moved, 0, exporter->export.scene->node_count);
    for (uint32_t i = 0; i < exporter->pose->roots.count; i++) {
        uint32_t root = exporter->pose->roots.nodes[i], first = trees->places[root];
        for (uint32_t k = 0; k < trees->sizes[root]; k++)
            exporter->is_moved[trees->nodes[first + k]] = true;
    }
    exporter->moved_count = 0;
    for (uint32_t i = 0; i < exporter->bone_count; i++)
        if (bmw_export_is_moved(exporter, i)) exporter->moved[exporter->moved_count++] = i;
}

// The skinning matrix of a bone, as stored in the file.
static void bmw_export_bone_numbers(bmw_exporter *exporter, uint32_t bone, float numbers[16])
{
    tn_mat4 matrix = bmw_export_bone_matrix(exporter, bone);
    tn_mat4_to_columns(&matrix, numbers);
    bmw_export_finite(exporter, numbers, 16);
}

static void bmw_export_motion_frame(bmw_exporter *exporter, uint32_t bone, uint64_t tick)
{
    float numbers[16];
    bmw_export_bone_numbers(exporter, bone, numbers);
    tn_copy_numbers(bmw_export_frame_bytes(exporter, bone, tick), numbers, 16, 4, false);
}

static tn_mat4 bmw_export_read_frame(const bmw_exporter *exporter, uint32_t bone, uint64_t tick)
{
    float numbers[16];
    tn_copy_numbers(numbers, bmw_export_frame_bytes(exporter, bone, tick), 16, 4, false);
    return tn_mat4_from_columns(numbers);
}

// -- Between ticks

// The error of a bone half way between two frames, compared with the current pose. Of a bone that
// is sheared, the first frame is shown, of others the middle of both.
static double bmw_export_error_half_way(const bmw_exporter *exporter, uint32_t bone,
                                        const tn_mat4 *sheared, const tn_trs *from,
                                        const tn_trs *to)
{
    tn_mat4 imported, actual = bmw_export_bone_matrix(exporter, bone);
    if (sheared) {
        imported = *sheared;
    } else {
        tn_trs half = {tn_vec3_lerp(from->translation, to->translation, 0.5),
                       tn_quat_slerp(from->rotation, to->rotation, 0.5),
                       tn_vec3_lerp(from->scale, to->scale, 0.5)};
        imported = tn_mat4_from_trs(&half);
    }
    return bmw_export_distance(exporter, bone, &imported, &actual);
}

// The larger of `most` and the error of a clip between its frames, or any above `enough`.
static double bmw_export_clip_error(bmw_exporter *exporter, const bmw_clip_plan *clip, double most,
                                    double enough)
{
    uint32_t count = tn_frame_count(exporter->export.scene->animations[clip->animation].duration,
                                    exporter->rate);
    if (count < 2) return most;
    bmw_export_pose_clip(exporter, clip->animation);
    for (uint32_t i = 0; i < exporter->bone_count; i++)
        if (!bmw_export_is_moved(exporter, i) && !(exporter->rest_errors[i] <= most))
            most = exporter->rest_errors[i];
    tn_mark mark = tn_arena_mark(exporter->export.arena);
    bool *is_sheared =
        tn_export_alloc(&exporter->export, exporter->moved_count, sizeof *is_sheared);
    tn_trs *frames = tn_export_alloc(&exporter->export, exporter->moved_count, sizeof *frames);
    if (!is_sheared || !frames) return most;
    for (uint32_t k = 0; k < exporter->moved_count; k++)
        for (uint32_t i = 0; i < count && !is_sheared[k]; i++) {
            tn_mat4 matrix =
                bmw_export_read_frame(exporter, exporter->moved[k], (uint64_t)clip->start + i);
            is_sheared[k] = bmw_matrix_is_sheared(&matrix);
        }
    for (uint32_t i = 0; i < count && exporter->moved_count > 0 && !(most > enough); i++) {
        if (i > 0) tenon_pose_set(exporter->pose, clip->animation, (i - 0.5) / exporter->rate);
        for (uint32_t k = 0; k < exporter->moved_count; k++) {
            uint32_t bone = exporter->moved[k];
            uint64_t tick = (uint64_t)clip->start + i;
            tn_trs before = frames[k];
            tn_mat4 frame = bmw_export_read_frame(exporter, bone, tick - (is_sheared[k] && i > 0));
            if (!is_sheared[k]) (void)tn_mat4_decompose(&frame, &frames[k]);
            if (i == 0) continue;
            double error = bmw_export_error_half_way(exporter, bone, is_sheared[k] ? &frame : NULL,
                                                     &before, &frames[k]);
            if (!(error <= most)) most = error;
        }
    }
    tn_arena_rewind(exporter->export.arena, mark);
    return most;
}

// Whether an error half way between ticks is so large that it is reported. If out of memory, the
// export's error is set.
static bool bmw_export_is_wrong_between(bmw_exporter *exporter)
{
    double most = 0, enough = tn_motion_tolerance(&exporter->export) / 2;
    uint64_t not_finite = exporter->counts.not_finite;  // Nothing is written here.
    tenon_pose_set(exporter->pose, TENON_NONE, 0);
    for (uint32_t i = 0; i < exporter->bone_count; i++) {
        float numbers[16];
        bmw_export_bone_numbers(exporter, i, numbers);
        tn_mat4 frame = tn_mat4_from_columns(numbers);
        tn_trs parts;
        bool is_sheared = bmw_matrix_is_sheared(&frame);
        if (!is_sheared) (void)tn_mat4_decompose(&frame, &parts);
        exporter->rest_errors[i] =
            bmw_export_error_half_way(exporter, i, is_sheared ? &frame : NULL, &parts, &parts);
    }
    exporter->counts.not_finite = not_finite;
    for (uint32_t i = 0; i < exporter->clip_count && exporter->export.err->code == TENON_OK; i++)
        if (exporter->clips[i].animation != TENON_NONE && !(most > enough))
            most = bmw_export_clip_error(exporter, &exporter->clips[i], most, enough);
    return !(most <= enough);
}

// -- The default clip

static uint32_t bmw_export_find_clip(const bmw_exporter *exporter, tenon_str name)
{
    for (uint32_t i = 0; i < exporter->export.scene->animation_count; i++)
        if (tn_text_equal(exporter->export.scene->animations[i].name, name)) return i;
    return TENON_NONE;
}

// The default clip that the scene names, or that the engine expects.
static uint32_t bmw_export_stated_default(const bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *extra = &scene->extras[i];
        if (extra->of != TENON_EXTRA_OF_SCENE) continue;
        if (!tn_text_is(extra->name, "defaultAnim")) continue;
        uint32_t found = bmw_export_find_clip(exporter, extra->value);
        if (found != TENON_NONE) return found;
        break;
    }
    return bmw_export_find_clip(exporter, (tenon_str){"idle", 4});
}

// Whether the bones that a clip moves are the same at its start and in another pose: `seconds` of
// `animation`, or the rest pose if that is TENON_NONE. Returns false if out of memory.
static bool bmw_export_compare_with_start(bmw_exporter *exporter, uint32_t clip, uint32_t animation,
                                          double seconds, double tolerance, bool *are_same)
{
    bmw_export_pose_clip(exporter, clip);
    tn_mark mark = tn_arena_mark(exporter->export.arena);
    tn_mat4 *starts = tn_export_alloc(&exporter->export, exporter->moved_count, sizeof *starts);
    if (!starts) return false;
    for (uint32_t i = 0; i < exporter->moved_count; i++)
        starts[i] = bmw_export_bone_matrix(exporter, exporter->moved[i]);
    tenon_pose_set(exporter->pose, animation, seconds);
    *are_same = true;
    for (uint32_t i = 0; i < exporter->moved_count && *are_same; i++) {
        uint32_t bone = exporter->moved[i];
        tn_mat4 matrix = bmw_export_bone_matrix(exporter, bone);
        if (!tn_bounds_is_empty(&exporter->bounds[bone])) {
            *are_same = bmw_export_distance(exporter, bone, &starts[i], &matrix) <= tolerance;
            continue;
        }
        // A bone without weights has no bounds, so its matrices are compared.
        for (int k = 0; k < 16; k++)
            if (!(fabs(starts[i].m[k] - matrix.m[k]) <=
                  tolerance * (k < 12 ? 1 : exporter->diagonal)))
                *are_same = false;
    }
    tn_arena_rewind(exporter->export.arena, mark);
    return true;
}

// -- Clips

bool bmw_export_is_flag(const tenon_extra *extra)
{
    bool has_name = tn_text_is(extra->name, "loop") || tn_text_is(extra->name, "hold");
    return has_name && (tn_text_is(extra->value, "true") || tn_text_is(extra->value, "false"));
}

// Clip i is animation i; the clip with the rest pose, if `has_rest`, is the last.
static bool bmw_export_plan_clips(bmw_exporter *exporter, bool has_rest)
{
    const tenon_scene *scene = exporter->export.scene;
    uint64_t most = (uint64_t)scene->animation_count + 1;
    exporter->clips = tn_export_alloc(&exporter->export, most, sizeof *exporter->clips);
    tenon_str *names = tn_export_alloc(&exporter->export, most, sizeof *names);
    if (!exporter->clips || !names) return false;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        exporter->clips[exporter->clip_count++] =
            (bmw_clip_plan){.name = scene->animations[i].name, .animation = i};
    if (has_rest)
        exporter->clips[exporter->clip_count++] = (bmw_clip_plan){
            .name = {"rest", 4}, .animation = TENON_NONE, .hold = true, .has_hold = true};

    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *extra = &scene->extras[i];
        if (extra->of != TENON_EXTRA_OF_ANIMATION || extra->index >= scene->animation_count ||
            !bmw_export_is_flag(extra))
            continue;
        bmw_clip_plan *clip = &exporter->clips[extra->index];
        bool is_loop = tn_text_is(extra->name, "loop"), is_on = tn_text_is(extra->value, "true");
        *(is_loop ? &clip->has_loop : &clip->has_hold) = true;
        if (is_on) *(is_loop ? &clip->loop : &clip->hold) = true;
    }

    // The engine sets matrices only when the tick changes, so it never shows a clip of one tick. A
    // held clip stops at its last tick; all others restart there before the tick was shown. The
    // layout of the format's own text keeps the lengths of clips.
    for (uint32_t i = 0; i < exporter->clip_count; i++) {
        bmw_clip_plan *clip = &exporter->clips[i];
        bool is_rest = clip->animation == TENON_NONE;
        double duration = is_rest ? 0 : scene->animations[clip->animation].duration;
        uint32_t count = tn_frame_count(duration, exporter->rate), least = clip->hold ? 2 : 3;
        if (count < least && !bmw_export_is_literal(exporter)) count = least;
        clip->start = exporter->tick_count;
        clip->end = exporter->tick_count + count - 1;
        exporter->tick_count += count;
    }

    // The engine finds clips by name, so names must be different.
    for (uint32_t i = 0; i < exporter->clip_count; i++) names[i] = exporter->clips[i].name;
    if (!tn_unique_names(&exporter->export, names, exporter->clip_count, "clip",
                         &exporter->counts.clip_names))
        return false;
    for (uint32_t i = 0; i < exporter->clip_count; i++) exporter->clips[i].name = names[i];
    return true;
}

// The engine always starts with a clip. If the scene does not name it, and its first clip does not
// start with the rest pose, a clip with the rest pose is added.
bool bmw_export_plan_motion(bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    bool starts_at_rest = false;
    if (!exporter->is_animated) return true;
    exporter->rest_errors =
        tn_export_alloc(&exporter->export, exporter->bone_count, sizeof *exporter->rest_errors);
    exporter->is_moved =
        tn_export_alloc(&exporter->export, scene->node_count, sizeof *exporter->is_moved);
    exporter->moved =
        tn_export_alloc(&exporter->export, exporter->bone_count, sizeof *exporter->moved);
    if (!exporter->rest_errors || !exporter->is_moved || !exporter->moved) return false;

    // The engine does not interpolate, so poses at ticks are exact with any rate. The rate is
    // chosen as for engines that interpolate linearly; the error between ticks is only reported.
    double rate = tn_common_rate(&exporter->export);
    uint64_t ticks = 0;
    if (!(rate > 0)) return false;
    exporter->rate = (uint32_t)fmin(rate, UINT32_MAX);
    for (uint32_t i = 0; i < scene->animation_count; i++)
        ticks += tn_frame_count(scene->animations[i].duration, exporter->rate);
    if (ticks >= WORK_MOST / ((uint64_t)scene->node_count + exporter->bone_count))
        return tn_error(exporter->export.err, TENON_ERR_LIMIT, "the clips are too long");

    uint32_t stated = bmw_export_stated_default(exporter),
             first = stated == TENON_NONE ? 0 : stated;
    if (!bmw_export_compare_with_start(exporter, first, TENON_NONE, 0, SAME, &starts_at_rest))
        return false;
    bool has_rest = stated == TENON_NONE && !starts_at_rest;
    exporter->counts.is_rest_changed = stated != TENON_NONE && !starts_at_rest;
    if (!bmw_export_plan_clips(exporter, has_rest)) return false;
    exporter->default_anim = exporter->clips[has_rest ? exporter->clip_count - 1 : first].name;

    // Count the clips that end as they start, move in between, and are not marked as loops or held.
    double tolerance = tn_motion_tolerance(&exporter->export);
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        double end = scene->animations[i].duration;
        bool is_closed, is_still = true;
        if (exporter->clips[i].has_loop || exporter->clips[i].hold || !(end > 0)) continue;
        if (!bmw_export_compare_with_start(exporter, i, i, end, tolerance, &is_closed))
            return false;
        for (int part = 1; part < LOOP_PARTS && is_closed && is_still; part++)
            if (!bmw_export_compare_with_start(exporter, i, i, end * part / LOOP_PARTS, tolerance,
                                               &is_still))
                return false;
        if (is_closed && !is_still && exporter->counts.probable_loops++ == 0)
            exporter->first_loop = i;
    }
    return true;
}

bool bmw_export_animation(bmw_exporter *exporter)
{
    if (!exporter->is_animated) return true;
    tenon_bmw_animation *animation = tn_export_alloc(&exporter->export, 1, sizeof *animation);
    tenon_bmw_bone *bones = tn_export_alloc(&exporter->export, exporter->bone_count, sizeof *bones);
    exporter->frame_bytes = tn_export_alloc(
        &exporter->export, (uint64_t)exporter->tick_count * exporter->bone_count, MATRIX_SIZE);
    if (!animation || !bones || !exporter->frame_bytes) return false;
    for (uint32_t c = 0; c < exporter->clip_count; c++) {
        const bmw_clip_plan *clip = &exporter->clips[c];
        uint64_t start = clip->start, count = clip->end - start + 1;
        bmw_export_pose_clip(exporter, clip->animation);
        for (uint32_t i = 0; i < exporter->bone_count; i++) {
            if (bmw_export_is_moved(exporter, i)) continue;
            uint64_t before = exporter->counts.not_finite;
            bmw_export_motion_frame(exporter, i, start);
            exporter->counts.not_finite += (exporter->counts.not_finite - before) * (count - 1);
            for (uint64_t k = 1; k < count; k++)
                memcpy(bmw_export_frame_bytes(exporter, i, start + k),
                       bmw_export_frame_bytes(exporter, i, start), MATRIX_SIZE);
        }
        // At the same float times that import gives to ticks, so that no jump is missed.
        for (uint64_t i = 0; i < count && exporter->moved_count > 0; i++) {
            double seconds = (double)(float)((double)i / (double)exporter->rate);
            tenon_pose_set(exporter->pose, clip->animation, seconds);
            for (uint32_t k = 0; k < exporter->moved_count; k++)
                bmw_export_motion_frame(exporter, exporter->moved[k], start + i);
        }
    }
    if (exporter->export.opts->events.on_loss)
        exporter->counts.is_wrong_between = bmw_export_is_wrong_between(exporter);
    for (uint32_t i = 0; i < exporter->bone_count; i++) {
        uint64_t size = MATRIX_SIZE * (uint64_t)exporter->tick_count;
        bones[i].node_id = exporter->bone_ids[i];
        bones[i].frames = (tenon_span){bmw_export_frame_bytes(exporter, i, 0), size,
                                       exporter->tick_count, &bmw_matrix_layout, false};
    }
    // The layout of the format's own text counts frames, all others the ticks between them.
    uint32_t duration = exporter->tick_count - !bmw_export_is_literal(exporter);
    *animation = (tenon_bmw_animation){duration, exporter->rate, exporter->bone_count, bones};
    exporter->doc->animations = animation;
    exporter->doc->animation_count = 1;
    tenon_pose_set(exporter->pose, TENON_NONE, 0);
    return exporter->export.err->code == TENON_OK;
}
