// bmw_import_frames.c: frames of BMW as keys of joints.
// SPDX-License-Identifier: MIT
//
// A sheared matrix needs two nodes. Interpolating both would be wrong, so their keys are steps.

#include "formats/bmw/import/bmw_import.h"
#include "formats/bmw/import/bmw_import_decompose.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// -- Frames

// Reads the frames of a bone in the order of their ticks.
typedef struct bmw_frame_reader {
    const tenon_span *span;
    bool is_row_major;
    uint64_t next;   // The first finite frame at or after the last tick read.
    tn_mat4 matrix;  // That frame; the identity before the first.
} bmw_frame_reader;

static bmw_frame_reader bmw_read_frames(const bmw_source *source, uint32_t bone)
{
    return (bmw_frame_reader){&source->animation->bones[bone].frames, source->doc->is_row_major, 0,
                              tn_mat4_identity()};
}

// False, and nothing is changed, if the matrix is not finite.
static bool bmw_load_frame(const bmw_frame_reader *frames, uint64_t tick, tn_mat4 *to)
{
    float m[16];
    tn_copy_numbers(m, frames->span->data + 64 * tick, 16, 4, frames->span->big_endian);
    if (!tn_all_finite(m, 16)) return false;
    *to = frames->is_row_major ? tn_mat4_from_rows(m) : tn_mat4_from_columns(m);
    return true;
}

// The matrix of a tick. A frame that is not finite, such as tick 0 of the latest converter, is
// replaced by the next finite one, or else the previous one. After the last frame, it is repeated.
static const tn_mat4 *bmw_frame_at(bmw_frame_reader *frames, uint64_t tick)
{
    if (tick >= frames->span->count) tick = frames->span->count - 1;
    if (frames->next < tick) frames->next = tick;
    while (frames->next < frames->span->count &&
           !bmw_load_frame(frames, frames->next, &frames->matrix))
        frames->next++;
    return &frames->matrix;
}

// The TN_LANES frames before `end`, column-major. False: there are fewer.
static bool bmw_load_many(const bmw_frame_reader *frames, uint64_t end,
                          float matrices[16 * TN_LANES])
{
    if (end < TN_LANES || end > frames->span->count) return false;
    tn_copy_numbers(matrices, frames->span->data + 64 * (end - TN_LANES), 16 * TN_LANES, 4,
                    frames->span->big_endian);
    for (int i = 0; i < TN_LANES && frames->is_row_major; i++) {
        tn_mat4 m = tn_mat4_from_rows(matrices + 16 * i);
        tn_mat4_to_columns(&m, matrices + 16 * i);
    }
    return true;
}

// -- Joints

static void bmw_tally_frame(const bmw_source *source, tn_tally *tally, uint32_t bone,
                            uint64_t frame)
{
    if (tally->count++ == 0)
        (void)snprintf(tally->path, sizeof tally->path, "%s.bones[%" PRIu32 "].frames[%" PRIu64 "]",
                       source->path, bone, frame);
}

static bool bmw_is_matrix_asymmetric(const tn_mat4 *m)
{
    float numbers[16];
    tn_mat4_to_columns(m, numbers);
    return bmw_is_asymmetric(numbers);
}

static void bmw_mark_frame(bmw_importer *importer, const bmw_source *source, uint32_t bone,
                           uint64_t frame)
{
    bmw_file_node *file_node = &importer->file_nodes[source->file_nodes[bone]];
    bmw_frame_reader frames = bmw_read_frames(source, bone);
    tn_mat4 m;
    if (!bmw_load_frame(&frames, frame, &m)) {
        bmw_tally_frame(source, &importer->tallies.frames_not_finite, bone, frame);
        return;
    }
    if (!bmw_is_affine(&m))
        bmw_tally_frame(source, &importer->tallies.frames_not_affine, bone, frame);
    file_node->is_sheared = file_node->is_sheared || bmw_is_sheared(&m);
    if (importer->doc->is_order_assumed && !importer->is_order_visible)
        importer->is_order_visible = bmw_is_matrix_asymmetric(&m);
}

static void bmw_mark_bone(bmw_importer *importer, const bmw_source *source, uint32_t bone)
{
    bmw_file_node *file_node = &importer->file_nodes[source->file_nodes[bone]];
    bmw_frame_reader frames = bmw_read_frames(source, bone);
    float many[16 * TN_LANES];
    file_node->is_moved = true;
    if (!file_node->is_weighted && bmw_is_sheared(&file_node->rest)) file_node->is_sheared = true;
    for (uint64_t i = 0, end; i < frames.span->count; i = end) {
        end = frames.span->count - i < TN_LANES ? frames.span->count : i + TN_LANES;
        bool is_asked = importer->doc->is_order_assumed && !importer->is_order_visible;
        if (!is_asked && bmw_load_many(&frames, end, many) && bmw_are_simple(many)) continue;
        for (uint64_t k = i; k < end; k++) bmw_mark_frame(importer, source, bone, k);
    }
}

void bmw_mark_motion(bmw_importer *importer)
{
    for (uint32_t i = 0; i < importer->source_count && !importer->builder->failed; i++) {
        const bmw_source *source = &importer->sources[i];
        if (!source->is_played) continue;
        for (uint32_t k = 0; k < source->animation->bone_count; k++)
            if (source->file_nodes[k] != TENON_NONE) bmw_mark_bone(importer, source, k);
    }
}

// -- Rest pose

static void bmw_rest_joint(bmw_importer *importer, const bmw_file_node *file_node, const tn_mat4 *m)
{
    float t[3], r[4], k[3], inner[4] = {0, 0, 0, 1};
    const bmw_key_values values = {t, r, k, inner};
    bool is_sheared = file_node->shear_node != TENON_NONE && bmw_is_sheared(m);
    bmw_decompose_frame(m, is_sheared, &values, 0);
    tenon_node *joint = &importer->builder->scene->nodes[file_node->joint];
    for (int i = 0; i < 4 && file_node->shear_node != TENON_NONE; i++)
        joint->rotation[i] = inner[i];
    tenon_node *node = file_node->shear_node == TENON_NONE
                           ? joint
                           : &importer->builder->scene->nodes[file_node->shear_node];
    for (int i = 0; i < 3; i++) node->translation[i] = t[i], node->scale[i] = k[i];
    for (int i = 0; i < 4; i++) node->rotation[i] = r[i];
}

// A joint with weights has the identity, unless the default clip moves it: the vertices are drawn
// as stored. A joint without weights has its transform in the tree.
void bmw_set_rest_pose(bmw_importer *importer)
{
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->file_node_count; i++) {
        const bmw_file_node *file_node = &importer->file_nodes[i];
        if (file_node->joint == TENON_NONE || file_node->is_weighted) continue;
        bmw_rest_joint(importer, file_node, &file_node->rest);
    }
    if (!importer->default_clip) return;
    const bmw_source *source = importer->default_clip->source;
    for (uint32_t i = 0; i < source->animation->bone_count; i++) {
        if (source->file_nodes[i] == TENON_NONE) continue;
        bmw_frame_reader frames = bmw_read_frames(source, i);
        bmw_rest_joint(importer, &importer->file_nodes[source->file_nodes[i]],
                       bmw_frame_at(&frames, (uint64_t)importer->default_clip->start));
    }
}

// -- Keys

static bmw_key_values bmw_alloc_key_values(tn_scene_builder *builder, uint64_t count)
{
    return (bmw_key_values){tn_scene_floats(builder, count, 3), tn_scene_floats(builder, count, 4),
                            tn_scene_floats(builder, count, 3), tn_scene_floats(builder, count, 4)};
}

// The clip that is being imported. All channels share the times.
typedef struct bmw_clip_importer {
    bmw_importer *importer;
    const bmw_played_clip *played;
    tenon_animation *animation;
    uint32_t key_count;
    uint64_t *ticks;  // Of each key.
    float *times;
    bmw_key_values values;
} bmw_clip_importer;

// The ticks of the clip and their times. Times that are equal as floats are dropped.
static void bmw_find_times(bmw_clip_importer *clip_importer)
{
    const bmw_played_clip *played = clip_importer->played;
    uint64_t first = (uint64_t)played->start, last = (uint64_t)played->end;
    for (uint64_t tick = first; tick <= last; tick++) {
        double passed = tick == first ? 0 : ((double)tick - played->start) / played->source->rate;
        float time = (float)passed;
        bool is_good =
            time - time == 0 && (clip_importer->key_count == 0 ||
                                 time > clip_importer->times[clip_importer->key_count - 1]);
        if (!is_good) {
            bmw_tally_frame(played->source, &clip_importer->importer->tallies.close_frames, 0,
                            tick);
            continue;
        }
        clip_importer->ticks[clip_importer->key_count] = tick;
        clip_importer->times[clip_importer->key_count++] = time;
    }
}

static bool bmw_is_constant(const float *values, uint32_t count, uint32_t each)
{
    if (count < 2) return true;
    if (memcmp(values, values + each, (count - 1) * (size_t)each * sizeof *values) == 0)
        return true;
    for (uint64_t i = each; i < (uint64_t)count * each; i++)
        if (values[i] != values[i - each]) return false;
    return true;
}

// Add a channel, with one key if the value is constant.
static void bmw_add_channel(bmw_clip_importer *clip_importer, tenon_channel channel,
                            const float *values)
{
    uint32_t each = channel.target == TENON_ROTATION ? 4 : 3;
    channel.key_count =
        bmw_is_constant(values, clip_importer->key_count, each) ? 1 : clip_importer->key_count;
    channel.times = clip_importer->times;
    channel.values = tn_scene_floats(clip_importer->importer->builder, channel.key_count, each);
    if (clip_importer->importer->builder->failed) return;
    memcpy(channel.values, values, (size_t)channel.key_count * each * sizeof *values);
    clip_importer->animation->channels[clip_importer->animation->channel_count++] = channel;
}

// Whether the scale is always that of the rest pose, so that no channel is needed.
static bool bmw_keeps_scale(const bmw_clip_importer *clip_importer, uint32_t node)
{
    const double *rest = clip_importer->importer->builder->scene->nodes[node].scale;
    const float *scale = clip_importer->values.scales;
    bool is_rest = scale[0] == rest[0] && scale[1] == rest[1] && scale[2] == rest[2];
    return is_rest && bmw_is_constant(scale, clip_importer->key_count, 3);
}

// Whether a key of the clip is sheared.
static bool bmw_shears(const bmw_clip_importer *clip_importer, uint32_t bone)
{
    bmw_frame_reader frames = bmw_read_frames(clip_importer->played->source, bone);
    for (uint32_t i = 0; i < clip_importer->key_count; i++) {
        if (bmw_is_sheared(bmw_frame_at(&frames, clip_importer->ticks[i]))) return true;
    }
    return false;
}

// Decompose the TN_LANES keys before `end` at once. False, and nothing is changed, if they are not
// consecutive frames.
static bool bmw_decompose_keys(const bmw_clip_importer *clip_importer,
                               const bmw_frame_reader *frames, uint32_t end)
{
    float matrices[16 * TN_LANES];
    if (end < TN_LANES || clip_importer->importer->tallies.frames_not_finite.count) return false;
    const uint64_t *ticks = clip_importer->ticks + end - TN_LANES;
    if (ticks[TN_LANES - 1] - ticks[0] != TN_LANES - 1) return false;
    if (!bmw_load_many(frames, ticks[TN_LANES - 1] + 1, matrices)) return false;
    bmw_decompose_frames(matrices, &clip_importer->values, end - TN_LANES);
    return true;
}

// Decompose all keys of a bone. The last group overlaps the one before it.
static void bmw_decompose_bone(const bmw_clip_importer *clip_importer, uint32_t bone,
                               bool is_sheared)
{
    bmw_frame_reader frames = bmw_read_frames(clip_importer->played->source, bone);
    for (uint32_t at = 0, end; at < clip_importer->key_count; at = end) {
        end = clip_importer->key_count - at < TN_LANES ? clip_importer->key_count : at + TN_LANES;
        if (!is_sheared && bmw_decompose_keys(clip_importer, &frames, end)) continue;
        for (uint32_t i = at; i < end; i++)
            bmw_decompose_frame(bmw_frame_at(&frames, clip_importer->ticks[i]), is_sheared,
                                &clip_importer->values, i);
    }
}

// For a joint that is sheared in other clips, but not in this one.
static void bmw_rest_inner(const bmw_clip_importer *clip_importer)
{
    for (size_t i = 0; i < clip_importer->key_count; i++)
        for (size_t k = 0; k < 4; k++) clip_importer->values.inner[4 * i + k] = k < 3 ? 0 : 1;
}

static void bmw_add_keys(bmw_clip_importer *clip_importer, uint32_t bone)
{
    const bmw_file_node *file_node =
        &clip_importer->importer->file_nodes[clip_importer->played->source->file_nodes[bone]];
    bool is_nested = file_node->shear_node != TENON_NONE,
         is_sheared = is_nested && bmw_shears(clip_importer, bone);
    tenon_curve curve = is_sheared ? TENON_STEP : TENON_LINEAR;
    uint32_t node = is_nested ? file_node->shear_node : file_node->joint;
    bmw_decompose_bone(clip_importer, bone, is_sheared);
    if (is_nested && !is_sheared) bmw_rest_inner(clip_importer);
    bmw_add_channel(clip_importer, (tenon_channel){node, TENON_TRANSLATION, curve, 0, NULL, NULL},
                    clip_importer->values.translations);
    bmw_add_channel(clip_importer, (tenon_channel){node, TENON_ROTATION, curve, 0, NULL, NULL},
                    clip_importer->values.rotations);
    if (!bmw_keeps_scale(clip_importer, node))
        bmw_add_channel(clip_importer, (tenon_channel){node, TENON_SCALE, curve, 0, NULL, NULL},
                        clip_importer->values.scales);
    if (is_nested)
        bmw_add_channel(clip_importer,
                        (tenon_channel){file_node->joint, TENON_ROTATION, curve, 0, NULL, NULL},
                        clip_importer->values.inner);
}

// -- Clips

static void bmw_add_flags(bmw_importer *importer, uint32_t index, const bmw_played_clip *played)
{
    const tenon_str yes = {"true", 4}, no = {"false", 5};
    const tenon_bmw_clip *clip = played->clip;
    if (!clip) return;
    if (clip->has_loop)
        tn_add_extra(importer->builder, TENON_EXTRA_OF_ANIMATION, index, "loop",
                     clip->loop ? yes : no);
    if (clip->has_hold)
        tn_add_extra(importer->builder, TENON_EXTRA_OF_ANIMATION, index, "hold",
                     clip->hold ? yes : no);
}

static void bmw_add_animation(bmw_importer *importer, const bmw_played_clip *played,
                              bmw_clip_importer *clip_importer)
{
    const bmw_source *source = played->source;
    uint32_t bones = source->animation->bone_count, moved = 0;
    for (uint32_t i = 0; i < bones; i++) moved += source->file_nodes[i] != TENON_NONE;
    uint32_t index =
        tn_add_animation(importer->builder, played->name, 4 * moved);  // 68 bytes or more each.
    uint64_t span = (uint64_t)played->end - (uint64_t)played->start + 1;
    clip_importer->times = tn_scene_floats(importer->builder, span, 1);
    if (importer->builder->failed) return;
    clip_importer->played = played;
    clip_importer->animation = &importer->builder->scene->animations[index];
    clip_importer->animation->channel_count = 0;
    clip_importer->animation->duration = (played->end - played->start) / source->rate;
    clip_importer->key_count = 0;
    bmw_find_times(clip_importer);
    for (uint32_t i = 0; i < bones && !importer->builder->failed; i++)
        if (source->file_nodes[i] != TENON_NONE) bmw_add_keys(clip_importer, i);
    bmw_add_flags(importer, index, played);
}

void bmw_add_animations(bmw_importer *importer)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < importer->clip_count; i++)
        if (importer->clips[i].source->frame_count > most)
            most = importer->clips[i].source->frame_count;
    bmw_clip_importer clip_importer = {
        .importer = importer,
        .ticks = tn_scene_array(importer->builder, most, sizeof *clip_importer.ticks)};
    clip_importer.values = bmw_alloc_key_values(importer->builder, most);
    for (uint32_t i = 0; i < importer->clip_count && !importer->builder->failed; i++)
        bmw_add_animation(importer, &importer->clips[i], &clip_importer);
    if (!importer->builder->failed && importer->sidecar && importer->sidecar->clip_count)
        tn_add_extra(importer->builder, TENON_EXTRA_OF_SCENE, 0, "defaultAnim",
                     importer->sidecar->default_anim);
}
