// bmw_scene_frames.c: the frames of BMW as keys of joints.
// SPDX-License-Identifier: MIT
//
// A matrix that turns, scales and moves is the translation, rotation and scale of one node. One
// that shears as well is u s v^T, by its singular values: an outer node with u and s, and in it one
// that turns by v^T. Between frames these two go their own ways, so they have none: step keys.

#include "bmw_scene.h"

#include "../../core/span.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHEAR  4e-6  // The cosine between columns that is more than rounding: see 1e-6 in files.
#define AFFINE 1e-5  // How far from 0 0 0 1 a last row may be.

// -- Frames

// The frames of a bone, asked for with ticks that do not fall.
typedef struct bmw_frames {
    const tenon_span *span;
    bool is_row_major;
    uint64_t next;   // The first that is a matrix, from the last tick asked for on.
    tn_mat4 matrix;  // The last one found; the identity before the first.
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

// The matrix of a tick. For one that is not finite, as tick 0 of the last converter, stands the
// next that is, or else the last. A bone that ends before the others stays.
static const tn_mat4 *bmw_frame_at(bmw_frames *f, uint64_t tick)
{
    if (tick >= f->span->count) tick = f->span->count - 1;
    if (f->next < tick) f->next = tick;
    while (f->next < f->span->count && !bmw_load_frame(f, f->next, &f->matrix)) f->next++;
    return &f->matrix;
}

static bool bmw_is_sheared(const tn_mat4 *m)
{
    tn_mat3 upper = tn_mat4_upper(m);
    tn_vec3 x = tn_mat3_column(&upper, 0), y = tn_mat3_column(&upper, 1);
    tn_vec3 z = tn_mat3_column(&upper, 2);
    double x_length = tn_vec3_length(x), y_length = tn_vec3_length(y);
    double z_length = tn_vec3_length(z);
    return fabs(tn_vec3_dot(x, y)) > SHEAR * x_length * y_length ||
           fabs(tn_vec3_dot(y, z)) > SHEAR * y_length * z_length ||
           fabs(tn_vec3_dot(z, x)) > SHEAR * z_length * x_length;
}

// -- What moves

static void bmw_frame_flaw(const bmw_source *source, tn_flaw *flaw, uint32_t bone, uint64_t frame)
{
    if (flaw->count++ == 0)
        (void)snprintf(flaw->path, sizeof flaw->path, "%s.bones[%" PRIu32 "].frames[%" PRIu64 "]",
                       source->path, bone, frame);
}

static bool bmw_is_affine(const tn_mat4 *m)
{
    return fabs(m->m[3]) <= AFFINE && fabs(m->m[7]) <= AFFINE && fabs(m->m[11]) <= AFFINE &&
           fabs(m->m[15] - 1) <= AFFINE;
}

static bool bmw_differs_turned(const tn_mat4 *m)
{
    float numbers[16];
    tn_mat4_to_columns(m, numbers);
    return bmw_is_turned(numbers);
}

static void bmw_mark_bone(bmw_scene *s, const bmw_source *source, uint32_t bone)
{
    bmw_branch *branch = &s->branches[source->branches[bone]];
    bmw_frames frames = bmw_frames_of(source, bone);
    branch->is_moved = true;
    if (!branch->is_weighted && bmw_is_sheared(&branch->rest)) branch->is_sheared = true;
    for (uint64_t i = 0; i < frames.span->count; i++) {
        tn_mat4 m;
        if (!bmw_load_frame(&frames, i, &m)) {
            bmw_frame_flaw(source, &s->flaws.not_finite, bone, i);
            continue;
        }
        if (!bmw_is_affine(&m)) bmw_frame_flaw(source, &s->flaws.not_affine, bone, i);
        branch->is_sheared = branch->is_sheared || bmw_is_sheared(&m);
        if (s->doc->is_order_assumed && !s->is_turned) s->is_turned = bmw_differs_turned(&m);
    }
}

void bmw_mark_motion(bmw_scene *s)
{
    for (uint32_t i = 0; i < s->source_count && !s->b->failed; i++) {
        const bmw_source *source = &s->sources[i];
        if (!source->is_played) continue;
        for (uint32_t k = 0; k < source->animation->bone_count; k++)
            if (source->branches[k] != TENON_NONE) bmw_mark_bone(s, source, k);
    }
}

// -- Matrices in parts

// Values of keys, one behind the other.
typedef struct bmw_parts {
    float *translations, *rotations, *scales;
    float *inner;  // Rotations of the inner node.
} bmw_parts;

static bmw_parts bmw_parts_alloc(tn_builder *b, uint64_t count)
{
    return (bmw_parts){tn_scene_floats(b, count, 3), tn_scene_floats(b, count, 4),
                       tn_scene_floats(b, count, 3), tn_scene_floats(b, count, 4)};
}

static void bmw_put_vector(float *to, tn_vec3 v)
{
    to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

// A turn has two quaternions: the one nearer to that of the key before.
static void bmw_put_turn(float *keys, uint64_t at, tn_quat q)
{
    float *to = keys + 4 * at;
    const float *last = at ? to - 4 : to;
    double dot = q.x * last[0] + q.y * last[1] + q.z * last[2] + q.w * last[3];
    double sign = at && dot < 0 ? -1 : 1;
    to[0] = (float)(sign * q.x), to[1] = (float)(sign * q.y);
    to[2] = (float)(sign * q.z), to[3] = (float)(sign * q.w);
}

// Take a matrix apart, for one node, or for two if it is sheared.
static void bmw_take_apart(const tn_mat4 *m, bool is_sheared, const bmw_parts *parts, uint64_t at)
{
    tn_trs trs;
    tn_quat inner = tn_quat_identity();
    if (is_sheared) {
        tn_mat3 upper = tn_mat4_upper(m);
        tn_svd svd = tn_mat3_svd(&upper);
        tn_mat3 back = tn_mat3_transpose(&svd.v);
        trs = (tn_trs){{m->m[12], m->m[13], m->m[14]}, tn_quat_from_mat3(&svd.u), svd.s};
        inner = tn_quat_from_mat3(&back);
    } else {
        (void)tn_mat4_decompose(m, &trs);
    }
    bmw_put_vector(parts->translations + 3 * at, trs.translation);
    bmw_put_turn(parts->rotations, at, trs.rotation);
    bmw_put_vector(parts->scales + 3 * at, trs.scale);
    bmw_put_turn(parts->inner, at, inner);
}

// -- Rest

static void bmw_rest_joint(bmw_scene *s, const bmw_branch *branch, const tn_mat4 *m)
{
    float t[3], r[4], k[3], inner[4];
    const bmw_parts parts = {t, r, k, inner};
    bool is_sheared = branch->outer != TENON_NONE && bmw_is_sheared(m);
    bmw_take_apart(m, is_sheared, &parts, 0);
    tenon_node *joint = &s->b->scene->nodes[branch->joint];
    for (int i = 0; i < 4 && branch->outer != TENON_NONE; i++) joint->rotation[i] = inner[i];
    tenon_node *node = branch->outer == TENON_NONE ? joint : &s->b->scene->nodes[branch->outer];
    for (int i = 0; i < 3; i++) node->translation[i] = t[i], node->scale[i] = k[i];
    for (int i = 0; i < 4; i++) node->rotation[i] = r[i];
}

// Where no frame says otherwise, a joint leaves its vertices where the file has them. One without
// vertices is itself where the tree has it.
void bmw_rest_joints(bmw_scene *s)
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

// A clip being made. All channels share the times.
typedef struct bmw_clip_maker {
    bmw_scene *s;
    const bmw_play *play;
    tenon_animation *animation;
    uint32_t key_count;
    uint64_t *ticks;  // Of each key.
    float *times;
    bmw_parts parts;
} bmw_clip_maker;

// The ticks that the clip shows, and when; times that a float cannot tell apart are one.
static void bmw_find_times(bmw_clip_maker *c)
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
    for (uint64_t i = each; i < (uint64_t)count * each; i++)
        if (values[i] != values[i - each]) return false;
    return true;
}

// Add a channel; one key is enough for what does not change.
static void bmw_add_channel(bmw_clip_maker *c, tenon_channel channel, const float *values)
{
    uint32_t each = channel.target == TENON_ROTATION ? 4 : 3;
    channel.key_count = bmw_is_constant(values, c->key_count, each) ? 1 : c->key_count;
    channel.times = c->times;
    channel.values = tn_scene_floats(c->s->b, channel.key_count, each);
    if (c->s->b->failed) return;
    memcpy(channel.values, values, (size_t)channel.key_count * each * sizeof *values);
    c->animation->channels[c->animation->channel_count++] = channel;
}

// Whether the scale is always that of the node at rest, so that it needs no channel.
static bool bmw_keeps_scale(const bmw_clip_maker *c, uint32_t node)
{
    const double *rest = c->s->b->scene->nodes[node].scale;
    const float *scale = c->parts.scales;
    bool is_rest = scale[0] == rest[0] && scale[1] == rest[1] && scale[2] == rest[2];
    return is_rest && bmw_is_constant(scale, c->key_count, 3);
}

// Whether some key of the clip is sheared.
static bool bmw_shears(const bmw_clip_maker *c, uint32_t bone)
{
    bmw_frames frames = bmw_frames_of(c->play->source, bone);
    for (uint32_t i = 0; i < c->key_count; i++) {
        if (bmw_is_sheared(bmw_frame_at(&frames, c->ticks[i]))) return true;
    }
    return false;
}

static void bmw_add_keys(bmw_clip_maker *c, uint32_t bone)
{
    const bmw_branch *branch = &c->s->branches[c->play->source->branches[bone]];
    bool is_nested = branch->outer != TENON_NONE, is_sheared = is_nested && bmw_shears(c, bone);
    tenon_curve curve = is_sheared ? TENON_STEP : TENON_LINEAR;
    uint32_t node = is_nested ? branch->outer : branch->joint;
    bmw_frames frames = bmw_frames_of(c->play->source, bone);
    for (uint32_t i = 0; i < c->key_count; i++)
        bmw_take_apart(bmw_frame_at(&frames, c->ticks[i]), is_sheared, &c->parts, i);
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

static void bmw_add_flags(bmw_scene *s, uint32_t index, const bmw_play *play)
{
    const tenon_str yes = {"true", 4};
    if (play->loop) tn_add_extra(s->b, TENON_EXTRA_OF_ANIMATION, index, "loop", yes);
    if (play->hold) tn_add_extra(s->b, TENON_EXTRA_OF_ANIMATION, index, "hold", yes);
}

static void bmw_add_animation(bmw_scene *s, const bmw_play *play, bmw_clip_maker *c)
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

void bmw_add_animations(bmw_scene *s)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->play_count; i++)
        if (s->plays[i].source->frame_count > most) most = s->plays[i].source->frame_count;
    bmw_clip_maker c = {.s = s, .ticks = tn_scene_array(s->b, most, sizeof *c.ticks)};
    c.parts = bmw_parts_alloc(s->b, most);
    for (uint32_t i = 0; i < s->play_count && !s->b->failed; i++)
        bmw_add_animation(s, &s->plays[i], &c);
    if (!s->b->failed && s->sidecar && s->sidecar->clip_count)
        tn_add_extra(s->b, TENON_EXTRA_OF_SCENE, 0, "defaultAnim", s->sidecar->default_anim);
}
