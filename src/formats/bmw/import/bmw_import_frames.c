// bmw_import_frames.c: frames of BMW as keys of joints.
// SPDX-License-Identifier: MIT
//
// A sheared matrix needs two nodes. Interpolating both would be wrong, so their keys are steps.

#include "formats/bmw/import/bmw_import.h"
#include "formats/bmw/import/bmw_import_parts.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// -- Frames

// Reads the frames of a bone in the order of their ticks.
typedef struct bmw_frames {
    const tenon_span *span;
    bool is_row_major;
    uint64_t next;   // The first finite frame at or after the last tick read.
    tn_mat4 matrix;  // That frame; the identity before the first.
} bmw_frames;

static bmw_frames bmw_frames_of(const bmw_source *source, uint32_t bone)
{
    return (bmw_frames){&source->animation->bones[bone].frames, source->doc->is_row_major, 0,
                        tn_mat4_identity()};
}

// False, and nothing is changed, if the matrix is not finite.
static bool bmw_load_frame(const bmw_frames *f, uint64_t tick, tn_mat4 *to)
{
    float m[16];
    tn_copy_numbers(m, f->span->data + 64 * tick, 16, 4, f->span->big_endian);
    if (!tn_all_finite(m, 16)) return false;
    *to = f->is_row_major ? tn_mat4_from_rows(m) : tn_mat4_from_columns(m);
    return true;
}

// The matrix of a tick. A frame that is not finite, such as tick 0 of the latest converter, is
// replaced by the next finite one, or else the previous one. After the last frame, it is repeated.
static const tn_mat4 *bmw_frame_at(bmw_frames *f, uint64_t tick)
{
    if (tick >= f->span->count) tick = f->span->count - 1;
    if (f->next < tick) f->next = tick;
    while (f->next < f->span->count && !bmw_load_frame(f, f->next, &f->matrix)) f->next++;
    return &f->matrix;
}

// The TN_LANES frames before `end`, column-major. False: there are fewer.
static bool bmw_load_many(const bmw_frames *f, uint64_t end, float matrices[16 * TN_LANES])
{
    if (end < TN_LANES || end > f->span->count) return false;
    tn_copy_numbers(matrices, f->span->data + 64 * (end - TN_LANES), 16 * TN_LANES, 4,
                    f->span->big_endian);
    for (int i = 0; i < TN_LANES && f->is_row_major; i++) {
        tn_mat4 m = tn_mat4_from_rows(matrices + 16 * i);
        tn_mat4_to_columns(&m, matrices + 16 * i);
    }
    return true;
}

// -- Joints

static void bmw_frame_flaw(const bmw_source *source, tn_tally *flaw, uint32_t bone, uint64_t frame)
{
    if (flaw->count++ == 0)
        (void)snprintf(flaw->path, sizeof flaw->path, "%s.bones[%" PRIu32 "].frames[%" PRIu64 "]",
                       source->path, bone, frame);
}

static bool bmw_differs_turned(const tn_mat4 *m)
{
    float numbers[16];
    tn_mat4_to_columns(m, numbers);
    return bmw_is_turned(numbers);
}

static void bmw_mark_frame(bmw_importer *s, const bmw_source *source, uint32_t bone, uint64_t frame)
{
    bmw_branch *branch = &s->branches[source->branches[bone]];
    bmw_frames frames = bmw_frames_of(source, bone);
    tn_mat4 m;
    if (!bmw_load_frame(&frames, frame, &m)) {
        bmw_frame_flaw(source, &s->flaws.not_finite, bone, frame);
        return;
    }
    if (!bmw_is_affine(&m)) bmw_frame_flaw(source, &s->flaws.not_affine, bone, frame);
    branch->is_sheared = branch->is_sheared || bmw_is_sheared(&m);
    if (s->doc->is_order_assumed && !s->is_turned) s->is_turned = bmw_differs_turned(&m);
}

static void bmw_mark_bone(bmw_importer *s, const bmw_source *source, uint32_t bone)
{
    bmw_branch *branch = &s->branches[source->branches[bone]];
    bmw_frames frames = bmw_frames_of(source, bone);
    float many[16 * TN_LANES];
    branch->is_moved = true;
    if (!branch->is_weighted && bmw_is_sheared(&branch->rest)) branch->is_sheared = true;
    for (uint64_t i = 0, end; i < frames.span->count; i = end) {
        end = frames.span->count - i < TN_LANES ? frames.span->count : i + TN_LANES;
        bool is_asked = s->doc->is_order_assumed && !s->is_turned;
        if (!is_asked && bmw_load_many(&frames, end, many) && bmw_are_plain(many)) continue;
        for (uint64_t k = i; k < end; k++) bmw_mark_frame(s, source, bone, k);
    }
}

void bmw_mark_motion(bmw_importer *s)
{
    for (uint32_t i = 0; i < s->source_count && !s->b->failed; i++) {
        const bmw_source *source = &s->sources[i];
        if (!source->is_played) continue;
        for (uint32_t k = 0; k < source->animation->bone_count; k++)
            if (source->branches[k] != TENON_NONE) bmw_mark_bone(s, source, k);
    }
}

// -- Rest pose

static void bmw_rest_joint(bmw_importer *s, const bmw_branch *branch, const tn_mat4 *m)
{
    float t[3], r[4], k[3], inner[4] = {0, 0, 0, 1};
    const bmw_parts parts = {t, r, k, inner};
    bool is_sheared = branch->outer != TENON_NONE && bmw_is_sheared(m);
    bmw_take_apart(m, is_sheared, &parts, 0);
    tenon_node *joint = &s->b->scene->nodes[branch->joint];
    for (int i = 0; i < 4 && branch->outer != TENON_NONE; i++) joint->rotation[i] = inner[i];
    tenon_node *node = branch->outer == TENON_NONE ? joint : &s->b->scene->nodes[branch->outer];
    for (int i = 0; i < 3; i++) node->translation[i] = t[i], node->scale[i] = k[i];
    for (int i = 0; i < 4; i++) node->rotation[i] = r[i];
}

// A joint with weights has the identity, unless the default clip moves it: the vertices are drawn
// as stored. A joint without weights has its transform in the tree.
void bmw_rest_joints(bmw_importer *s)
{
    if (s->b->failed) return;
    for (uint32_t i = 0; i < s->branch_count; i++) {
        const bmw_branch *branch = &s->branches[i];
        if (branch->joint == TENON_NONE || branch->is_weighted) continue;
        bmw_rest_joint(s, branch, &branch->rest);
    }
    if (!s->first_play) return;
    const bmw_source *source = s->first_play->source;
    for (uint32_t i = 0; i < source->animation->bone_count; i++) {
        if (source->branches[i] == TENON_NONE) continue;
        bmw_frames frames = bmw_frames_of(source, i);
        bmw_rest_joint(s, &s->branches[source->branches[i]],
                       bmw_frame_at(&frames, (uint64_t)s->first_play->start));
    }
}

// -- Keys

static bmw_parts bmw_parts_alloc(tn_scene_builder *b, uint64_t count)
{
    return (bmw_parts){tn_scene_floats(b, count, 3), tn_scene_floats(b, count, 4),
                       tn_scene_floats(b, count, 3), tn_scene_floats(b, count, 4)};
}

// The clip that is being imported. All channels share the times.
typedef struct bmw_clip_importer {
    bmw_importer *s;
    const bmw_play *play;
    tenon_animation *animation;
    uint32_t key_count;
    uint64_t *ticks;  // Of each key.
    float *times;
    bmw_parts parts;
} bmw_clip_importer;

// The ticks of the clip and their times. Times that are equal as floats are dropped.
static void bmw_find_times(bmw_clip_importer *c)
{
    const bmw_play *play = c->play;
    uint64_t first = (uint64_t)play->start, last = (uint64_t)play->end;
    for (uint64_t tick = first; tick <= last; tick++) {
        double passed = tick == first ? 0 : ((double)tick - play->start) / play->source->rate;
        float time = (float)passed;
        bool is_good = time - time == 0 && (c->key_count == 0 || time > c->times[c->key_count - 1]);
        if (!is_good) {
            bmw_frame_flaw(play->source, &c->s->flaws.close_frames, 0, tick);
            continue;
        }
        c->ticks[c->key_count] = tick;
        c->times[c->key_count++] = time;
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
static void bmw_add_channel(bmw_clip_importer *c, tenon_channel channel, const float *values)
{
    uint32_t each = channel.target == TENON_ROTATION ? 4 : 3;
    channel.key_count = bmw_is_constant(values, c->key_count, each) ? 1 : c->key_count;
    channel.times = c->times;
    channel.values = tn_scene_floats(c->s->b, channel.key_count, each);
    if (c->s->b->failed) return;
    memcpy(channel.values, values, (size_t)channel.key_count * each * sizeof *values);
    c->animation->channels[c->animation->channel_count++] = channel;
}

// Whether the scale is always that of the rest pose, so that no channel is needed.
static bool bmw_keeps_scale(const bmw_clip_importer *c, uint32_t node)
{
    const double *rest = c->s->b->scene->nodes[node].scale;
    const float *scale = c->parts.scales;
    bool is_rest = scale[0] == rest[0] && scale[1] == rest[1] && scale[2] == rest[2];
    return is_rest && bmw_is_constant(scale, c->key_count, 3);
}

// Whether a key of the clip is sheared.
static bool bmw_shears(const bmw_clip_importer *c, uint32_t bone)
{
    bmw_frames frames = bmw_frames_of(c->play->source, bone);
    for (uint32_t i = 0; i < c->key_count; i++) {
        if (bmw_is_sheared(bmw_frame_at(&frames, c->ticks[i]))) return true;
    }
    return false;
}

// Decompose the TN_LANES keys before `end` at once. False, and nothing is changed, if they are not
// consecutive frames.
static bool bmw_take_keys(const bmw_clip_importer *c, const bmw_frames *frames, uint32_t end)
{
    float matrices[16 * TN_LANES];
    if (end < TN_LANES || c->s->flaws.not_finite.count) return false;
    const uint64_t *ticks = c->ticks + end - TN_LANES;
    if (ticks[TN_LANES - 1] - ticks[0] != TN_LANES - 1) return false;
    if (!bmw_load_many(frames, ticks[TN_LANES - 1] + 1, matrices)) return false;
    bmw_take_many(matrices, &c->parts, end - TN_LANES);
    return true;
}

// Decompose all keys of a bone. The last group overlaps the one before it.
static void bmw_fill_keys(const bmw_clip_importer *c, uint32_t bone, bool is_sheared)
{
    bmw_frames frames = bmw_frames_of(c->play->source, bone);
    for (uint32_t at = 0, end; at < c->key_count; at = end) {
        end = c->key_count - at < TN_LANES ? c->key_count : at + TN_LANES;
        if (!is_sheared && bmw_take_keys(c, &frames, end)) continue;
        for (uint32_t i = at; i < end; i++)
            bmw_take_apart(bmw_frame_at(&frames, c->ticks[i]), is_sheared, &c->parts, i);
    }
}

// For a joint that is sheared in other clips, but not in this one.
static void bmw_rest_inner(const bmw_clip_importer *c)
{
    for (size_t i = 0; i < c->key_count; i++)
        for (size_t k = 0; k < 4; k++) c->parts.inner[4 * i + k] = k < 3 ? 0 : 1;
}

static void bmw_add_keys(bmw_clip_importer *c, uint32_t bone)
{
    const bmw_branch *branch = &c->s->branches[c->play->source->branches[bone]];
    bool is_nested = branch->outer != TENON_NONE, is_sheared = is_nested && bmw_shears(c, bone);
    tenon_curve curve = is_sheared ? TENON_STEP : TENON_LINEAR;
    uint32_t node = is_nested ? branch->outer : branch->joint;
    bmw_fill_keys(c, bone, is_sheared);
    if (is_nested && !is_sheared) bmw_rest_inner(c);
    bmw_add_channel(c, (tenon_channel){node, TENON_TRANSLATION, curve, 0, NULL, NULL},
                    c->parts.translations);
    bmw_add_channel(c, (tenon_channel){node, TENON_ROTATION, curve, 0, NULL, NULL},
                    c->parts.rotations);
    if (!bmw_keeps_scale(c, node))
        bmw_add_channel(c, (tenon_channel){node, TENON_SCALE, curve, 0, NULL, NULL},
                        c->parts.scales);
    if (is_nested)
        bmw_add_channel(c, (tenon_channel){branch->joint, TENON_ROTATION, curve, 0, NULL, NULL},
                        c->parts.inner);
}

// -- Clips

static void bmw_add_flags(bmw_importer *s, uint32_t index, const bmw_play *play)
{
    const tenon_str yes = {"true", 4}, no = {"false", 5};
    const tenon_bmw_clip *clip = play->clip;
    if (!clip) return;
    if (clip->has_loop)
        tn_add_extra(s->b, TENON_EXTRA_OF_ANIMATION, index, "loop", clip->loop ? yes : no);
    if (clip->has_hold)
        tn_add_extra(s->b, TENON_EXTRA_OF_ANIMATION, index, "hold", clip->hold ? yes : no);
}

static void bmw_add_animation(bmw_importer *s, const bmw_play *play, bmw_clip_importer *c)
{
    const bmw_source *source = play->source;
    uint32_t bones = source->animation->bone_count, moved = 0;
    for (uint32_t i = 0; i < bones; i++) moved += source->branches[i] != TENON_NONE;
    uint32_t index = tn_add_animation(s->b, play->name, 4 * moved);  // 68 bytes or more each.
    uint64_t span = (uint64_t)play->end - (uint64_t)play->start + 1;
    c->times = tn_scene_floats(s->b, span, 1);
    if (s->b->failed) return;
    c->play = play;
    c->animation = &s->b->scene->animations[index];
    c->animation->channel_count = 0;
    c->animation->duration = (play->end - play->start) / source->rate;
    c->key_count = 0;
    bmw_find_times(c);
    for (uint32_t i = 0; i < bones && !s->b->failed; i++)
        if (source->branches[i] != TENON_NONE) bmw_add_keys(c, i);
    bmw_add_flags(s, index, play);
}

void bmw_add_animations(bmw_importer *s)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->play_count; i++)
        if (s->plays[i].source->frame_count > most) most = s->plays[i].source->frame_count;
    bmw_clip_importer c = {.s = s, .ticks = tn_scene_array(s->b, most, sizeof *c.ticks)};
    c.parts = bmw_parts_alloc(s->b, most);
    for (uint32_t i = 0; i < s->play_count && !s->b->failed; i++)
        bmw_add_animation(s, &s->plays[i], &c);
    if (!s->b->failed && s->sidecar && s->sidecar->clip_count)
        tn_add_extra(s->b, TENON_EXTRA_OF_SCENE, 0, "defaultAnim", s->sidecar->default_anim);
}
