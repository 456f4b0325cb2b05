// bmw_import_clips.c: the clips of a BMW model, and the frames that they play.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"
#include "core/files/file.h"
#include "core/text/text.h"
#include "document/document.h"
#include "formats/bmw/sidecar/bmw_sidecar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FILES_MOST   64  // Files of clips that are read.
#define DEFAULT_RATE 60.0
#define SHEAR        4e-6  // Of bmw_matrix_is_sheared().
#define AFFINE       1e-5  // Tolerance for the last row, 0 0 0 1.

// -- Files of clips

static void bmw_import_report_clip(bmw_importer *importer, uint32_t clip, const char *why)
{
    char path[64];
    (void)snprintf(path, sizeof path, "clips[%u]", clip);
    tn_scene_report(importer->builder, TENON_DROPPED, "clips", 1, path, why);
}

// Use the first animation of a clip's file.
static void bmw_import_clip_file(bmw_importer *importer, uint32_t clip, bmw_source *source)
{
    tn_scene_builder *builder = importer->builder;
    tenon_str file = importer->sidecar->clips[clip].file;
    char place[TN_PATH_SIZE], shown[24];
    if (importer->clip_doc_count >= FILES_MOST) {
        bmw_import_report_clip(importer, clip, "Tenon reads at most 64 clip files");
        return;
    }
    tenon_error err = {0};
    const tn_search search = {
        importer->files, builder->opts->model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_names_find_file(&search, file);
    if (err.code != TENON_OK) {
        tn_scene_fail(builder, err.code, NULL, "%s", err.message);
        return;
    }
    if (found != TN_PLACE_FOUND) {
        bmw_import_report_clip(importer, clip,
                               found == TN_PLACE_MISSING
                                   ? "its file was not found next to the model"
                                   : "its file is outside the model's folder");
        return;
    }
    const tenon_read_opts opts = {.allocator = builder->opts->allocator,
                                  .files = importer->files,
                                  .beside = builder->opts->model_path};
    tenon_doc *doc = tn_doc_open_file(&tn_bmw_format, place, &opts, &err);
    if (!doc) {
        if (tn_is_outage(&err))
            tn_scene_fail(builder, err.code, NULL, "%s", err.message);
        else
            bmw_import_report_clip(importer, clip, err.message);
        return;
    }
    importer->clip_docs[importer->clip_doc_count++] = doc;
    const tenon_bmw *other = tenon_as_bmw(doc);
    if (other->animation_count == 0) {
        bmw_import_report_clip(importer, clip, "its file has no animation");
        return;
    }
    source->doc = other;
    source->animation = &other->animations[0];
    tn_text_clean(file.data, file.size, shown, sizeof shown);
    (void)snprintf(source->path, sizeof source->path, "%s:animations[0]", shown);
}

static void bmw_import_list_sources(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw_sidecar *sidecar = importer->sidecar;
    uint32_t clip_count = sidecar ? sidecar->clip_count : 0, own = importer->doc->animation_count;
    uint32_t file_count = 0, at = 0;
    for (uint32_t i = 0; i < clip_count; i++) file_count += sidecar->clips[i].file.size > 0;
    uint64_t count = (uint64_t)file_count + own;
    uint32_t *last_bone = tn_scene_array(builder, importer->file_node_count, sizeof *last_bone);
    importer->clip_docs = tn_scene_array(builder, FILES_MOST, sizeof *importer->clip_docs);
    importer->sources = tn_scene_array(builder, count, sizeof *importer->sources);
    if (builder->failed) return;
    importer->source_count = file_count + own;
    for (uint32_t i = 0; i < clip_count && !builder->failed; i++)
        if (sidecar->clips[i].file.size)
            bmw_import_clip_file(importer, i, &importer->sources[at++]);
    for (uint32_t i = 0; i < own && !builder->failed; i++) {
        bmw_source *source = &importer->sources[at++];
        source->doc = importer->doc;
        source->animation = &importer->doc->animations[i];
        (void)snprintf(source->path, sizeof source->path, "animations[%u]", i);
    }
    for (uint32_t i = 0; i < importer->source_count && !builder->failed; i++)
        if (importer->sources[i].doc) {
            // Find the rate of an animation, and the node that each bone moves. If several bones
            // move the same node, the last one is used, as in the engine.
            bmw_source *source = &importer->sources[i];
            bmw_tallies *tallies = &importer->tallies;
            const tenon_bmw_animation *animation = source->animation;
            uint32_t bone_count = animation->bone_count;
            bool has_rate = !(source->doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED);
            source->rate = builder->opts->rate > 0 ? builder->opts->rate : DEFAULT_RATE;
            if (has_rate && animation->rate)
                source->rate = animation->rate;
            else
                tn_tally_path(&tallies->missing_rates, 1, "%s", source->path);

            source->file_nodes = tn_scene_array(builder, bone_count, sizeof *source->file_nodes);
            if (builder->failed) continue;
            for (uint32_t k = 0; k < bone_count; k++)
                source->file_nodes[k] = animation->bones[k].node_id;
            if (source->doc != importer->doc) {
                tenon_error err;
                uint32_t unmatched;
                if (!tenon_bmw_match(importer->doc, source->doc, animation, source->file_nodes,
                                     &unmatched, &err)) {
                    tn_scene_fail(builder, err.code, NULL, "%s", err.message);
                    continue;
                }
                tn_tally_path(&tallies->matched_by_id, unmatched, "%s", source->path);
            }
            for (uint32_t k = 0; k < bone_count; k++) {
                const bmw_file_node *file_node =
                    bmw_import_file_node_of(importer, source->file_nodes[k]);
                uint64_t frame_count = animation->bones[k].frames.count;
                if (frame_count > source->frame_count) source->frame_count = frame_count;
                source->file_nodes[k] = TENON_NONE;
                if (file_node && frame_count > 0) {
                    source->file_nodes[k] = (uint32_t)(file_node - importer->file_nodes);
                    last_bone[source->file_nodes[k]] = k;
                } else {
                    tn_tally_path(&tallies->bones_without_node, 1, "%s.bones[%u]", source->path, k);
                }
            }
            for (uint32_t k = 0; k < bone_count; k++) {
                uint32_t file_node = source->file_nodes[k];
                if (file_node == TENON_NONE || last_bone[file_node] == k) continue;
                tn_tally_path(&tallies->repeated_bones, 1, "%s.bones[%u]", source->path, k);
                source->file_nodes[k] = TENON_NONE;
            }
        }
}

// -- Clips

// The name of clips without a name, the same in all formats.
static tenon_str bmw_import_default_name(bmw_importer *importer, uint32_t index)
{
    if (index == 0) return (tenon_str){"animation", 9};
    return bmw_import_format(importer, "animation_%u", index + 1);
}

static bmw_played_clip *bmw_import_played_clip(bmw_importer *importer, tenon_str name,
                                               bmw_source *source)
{
    bmw_played_clip *played = &importer->clips[importer->clip_count++];
    *played =
        (bmw_played_clip){.name = name, .source = source, .end = (double)source->frame_count - 1};
    source->is_played = true;
    return played;
}

static void bmw_import_clip(bmw_importer *importer, uint32_t index, uint32_t source)
{
    const tenon_bmw_clip *clip = &importer->sidecar->clips[index];
    bool has_file = clip->file.size > 0, exists = source < importer->source_count;
    if (!bmw_sidecar_clip_plays(clip)) {
        bmw_import_report_clip(importer, index, "the sidecar gives neither ticks nor a file");
        return;
    }
    if (exists && !importer->sources[source].doc && has_file) return;  // Reported already.
    if (!exists || importer->sources[source].frame_count == 0) {
        bmw_import_report_clip(importer, index, "its animation does not exist or is empty");
        return;
    }
    bool is_named = clip->name.size > 0;
    tenon_str name = is_named ? clip->name : bmw_import_default_name(importer, index);
    tn_tally_at(&importer->tallies.nameless_clips, !is_named, "clips", index);
    bmw_played_clip *played = bmw_import_played_clip(importer, name, &importer->sources[source]);
    played->clip = clip;
    if (is_named && tn_text_equal(name, importer->sidecar->default_anim))
        importer->default_clip = played;
    if (has_file) return;
    double last = played->end;
    played->start = clip->start < 0 ? 0 : clip->start > last ? last : clip->start;
    played->end = clip->end < played->start ? played->start : clip->end > last ? last : clip->end;
    tn_tally_at(&importer->tallies.bad_ranges,
                played->start != clip->start || played->end != clip->end, "clips", index);
}

void bmw_import_list_clips(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw_sidecar *sidecar = importer->sidecar;
    if (builder->failed) return;
    uint32_t clip_count = sidecar ? sidecar->clip_count : 0, own = importer->doc->animation_count;
    bmw_import_list_sources(importer);
    importer->clips = tn_scene_array(builder, (uint64_t)clip_count + own, sizeof *importer->clips);
    tenon_bmw_name *names = tn_scene_array(builder, clip_count, sizeof *names);
    uint32_t *room = tn_scene_array(builder, clip_count, 2 * sizeof *room);
    bool *is_replaced = tn_scene_array(builder, clip_count, sizeof *is_replaced);
    if (builder->failed) return;

    // Of clips with the same name only the last is used.
    uint32_t named = 0, files_before = 0;
    for (uint32_t i = 0; i < clip_count; i++)
        if (sidecar->clips[i].name.size && bmw_sidecar_clip_plays(&sidecar->clips[i]))
            names[named++] = (tenon_bmw_name){i, sidecar->clips[i].name};
    bmw_sorted sorted = bmw_names_sort(names, named, true, room);
    for (uint32_t i = 1; i < named; i++) {
        uint32_t before = names[sorted.order[i - 1]].node_id;
        is_replaced[before] = bmw_names_is_repeated(&sorted, i);
        tn_tally_at(&importer->tallies.replaced_clips, is_replaced[before], "clips", before);
    }
    for (uint32_t i = 0; i < clip_count && !builder->failed; i++) {
        // The index is that of tenon_bmw_clip_animation(), or of the clip's own file.
        if (!is_replaced[i]) bmw_import_clip(importer, i, files_before);
        files_before += sidecar->clips[i].file.size > 0;
    }
    // The engine cannot play animations without a clip, but they are in the file.
    bool is_literal = importer->doc->base.dialect->flags & TENON_BMW_FRAMES_LITERAL;
    for (uint32_t i = 0; i < own && !builder->failed; i++) {
        bmw_source *source = &importer->sources[importer->source_count - own + i];
        if (source->is_played) continue;
        bool is_empty = source->frame_count == 0;
        tn_tally_at(&importer->tallies.empty_animations, is_empty, "animations", i);
        tn_tally_at(&importer->tallies.unnamed_animations, !is_empty, "animations", i);
        tn_tally_at(&importer->tallies.held_ticks, is_literal && !is_empty, "animations", i);
        if (!is_empty)
            bmw_import_played_clip(importer, bmw_import_default_name(importer, i), source);
    }
}

// -- Frames

// Reads the frames of a bone in the order of their ticks.
typedef struct bmw_frame_reader {
    const tenon_span *span;
    bool is_row_major;
    uint64_t next;   // The first finite frame at or after the last tick read.
    tn_mat4 matrix;  // That frame; the identity before the first.
} bmw_frame_reader;

static bmw_frame_reader bmw_import_frames_of(const bmw_source *source, uint32_t bone)
{
    return (bmw_frame_reader){&source->animation->bones[bone].frames, source->doc->is_row_major, 0,
                              tn_mat4_identity()};
}

// False, and nothing is changed, if the matrix is not finite.
static bool bmw_import_load_frame(const bmw_frame_reader *frames, uint64_t tick, tn_mat4 *to)
{
    float m[16];
    tn_copy_numbers(m, frames->span->data + 64 * tick, 16, 4, frames->span->big_endian);
    if (!tn_all_finite(m, 16)) return false;
    *to = frames->is_row_major ? tn_mat4_from_rows(m) : tn_mat4_from_columns(m);
    return true;
}

// The matrix of a tick. A frame that is not finite, such as tick 0 of the latest converter, is
// replaced by the next finite one, or else the previous one. After the last frame, it is repeated.
static const tn_mat4 *bmw_import_frame_at(bmw_frame_reader *frames, uint64_t tick)
{
    if (tick >= frames->span->count) tick = frames->span->count - 1;
    if (frames->next < tick) frames->next = tick;
    while (frames->next < frames->span->count &&
           !bmw_import_load_frame(frames, frames->next, &frames->matrix))
        frames->next++;
    return &frames->matrix;
}

// -- Shear

static void bmw_import_tally_frame(const bmw_source *source, tn_tally *tally, uint32_t bone,
                                   uint64_t frame)
{
    tn_tally_path(tally, 1, "%s.bones[%u].frames[%" PRIu64 "]", source->path, bone, frame);
}

// Find which bones are sheared, and count frames that are not valid.
void bmw_import_mark_motion(bmw_importer *importer)
{
    for (uint32_t s = 0; s < importer->source_count && !importer->builder->failed; s++) {
        const bmw_source *source = &importer->sources[s];
        uint32_t bone_count = source->is_played ? source->animation->bone_count : 0;
        for (uint32_t bone = 0; bone < bone_count; bone++) {
            if (source->file_nodes[bone] == TENON_NONE) continue;
            // Nearly all frames are finite, affine and not sheared. The vector code compares
            // squares, which round differently, so it uses smaller limits.
            const double shear = 0.9 * SHEAR * SHEAR, affine = 0.9 * AFFINE * AFFINE;
            bmw_file_node *file_node = &importer->file_nodes[source->file_nodes[bone]];
            bmw_frame_reader frames = bmw_import_frames_of(source, bone);
            float many[16 * TN_LANES], numbers[16];
            file_node->is_moved = true;
            if (!file_node->is_weighted && bmw_matrix_is_sheared(&file_node->rest))
                file_node->is_sheared = true;
            for (uint64_t i = 0, end; i < frames.span->count; i = end) {
                end = frames.span->count - i < TN_LANES ? frames.span->count : i + TN_LANES;
                bool needs_order = importer->doc->is_order_assumed && !importer->is_order_visible;
                if (!needs_order &&
                    bmw_matrix_load_lanes(frames.span, frames.is_row_major, end, many) &&
                    tn_loops_here()->are_affine(many, shear, affine))
                    continue;
                for (uint64_t k = i; k < end; k++) {
                    tn_mat4 m;
                    if (!bmw_import_load_frame(&frames, k, &m)) {
                        bmw_import_tally_frame(source, &importer->tallies.frames_not_finite, bone,
                                               k);
                        continue;
                    }
                    bool is_affine = fabs(m.m[3]) <= AFFINE && fabs(m.m[7]) <= AFFINE &&
                                     fabs(m.m[11]) <= AFFINE && fabs(m.m[15] - 1) <= AFFINE;
                    if (!is_affine)
                        bmw_import_tally_frame(source, &importer->tallies.frames_not_affine, bone,
                                               k);
                    file_node->is_sheared = file_node->is_sheared || bmw_matrix_is_sheared(&m);
                    tn_mat4_to_columns(&m, numbers);
                    if (needs_order && !tn_stored_is_symmetric(numbers))
                        importer->is_order_visible = true;
                }
            }
        }
    }
}

// -- Decomposition

// The values of keys.
typedef struct bmw_key_values {
    float *translations, *rotations, *scales;
    float *inner;  // Rotations of the inner node of a sheared joint.
} bmw_key_values;

static void bmw_import_store_vector(float *to, tn_vec3 v)
{
    to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

// q and -q are the same rotation: choose the one nearer to the previous key.
static inline void bmw_import_choose_sign(float *keys, uint64_t at)
{
    float *q = keys + 4 * at, *last = q - 4;
    if (at == 0 || !(q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3] < 0)) return;
    for (int i = 0; i < 4; i++) q[i] = -q[i];
}

static void bmw_import_store_rotation(float *keys, uint64_t at, tn_quat q)
{
    float *to = keys + 4 * at;
    to[0] = (float)q.x, to[1] = (float)q.y, to[2] = (float)q.z, to[3] = (float)q.w;
    bmw_import_choose_sign(keys, at);
}

// Decompose a matrix without the vector code.
static void bmw_import_store_alone(const tn_mat4 *m, const bmw_key_values *values, uint64_t at)
{
    tn_trs trs;
    (void)tn_mat4_decompose(m, &trs);
    bmw_import_store_vector(values->translations + 3 * at, trs.translation);
    bmw_import_store_rotation(values->rotations, at, trs.rotation);
    bmw_import_store_vector(values->scales + 3 * at, trs.scale);
}

// Store a matrix that the vector code decomposed. False, and nothing is stored, if it could not,
// because the matrix is sheared, mirrored or flat.
static inline bool bmw_import_store_lane(const tn_affine_parts *all, int lane, const float *m,
                                         const bmw_key_values *values, uint64_t at)
{
    if (!(all->shear[lane] <= TN_HARDLY_SHEARED && all->volume[lane] > 0.5)) return false;
    memcpy(values->translations + 3 * at, m + 12, 3 * sizeof *m);
    memcpy(values->rotations + 4 * at, all->rotations + 4 * lane, 4 * sizeof *m);
    memcpy(values->scales + 3 * at, all->scales + 3 * lane, 3 * sizeof *m);
    bmw_import_choose_sign(values->rotations, at);
    return true;
}

// Decompose a matrix into key `at`, for one node, or for two if it is sheared.
static void bmw_import_decompose(const tn_mat4 *m, bool is_sheared, const bmw_key_values *values,
                                 uint64_t at)
{
    if (is_sheared) {
        tn_mat3 upper = tn_mat4_upper(m);
        tn_svd svd = tn_mat3_svd(&upper);
        tn_mat3 back = tn_mat3_transpose(&svd.v);
        bmw_import_store_vector(values->translations + 3 * at,
                                (tn_vec3){m->m[12], m->m[13], m->m[14]});
        bmw_import_store_rotation(values->rotations, at, tn_quat_from_mat3(&svd.u));
        bmw_import_store_vector(values->scales + 3 * at, svd.s);
        bmw_import_store_rotation(values->inner, at, tn_quat_from_mat3(&back));
        return;
    }
    // The vector code is used here, too, so that a constant scale has the same bits in all keys.
    float matrices[16 * TN_LANES];
    tn_affine_parts all;
    tn_mat4_to_columns(m, matrices);
    for (int i = 1; i < TN_LANES; i++) memcpy(matrices + 16 * i, matrices, 16 * sizeof *matrices);
    tn_mat4 as_floats = tn_mat4_from_columns(matrices);
    bool is_from_file = memcmp(&as_floats, m, sizeof *m) == 0;
    if (is_from_file) tn_loops_here()->split_affine(matrices, &all);
    if (is_from_file && bmw_import_store_lane(&all, 0, matrices, values, at)) return;
    bmw_import_store_alone(m, values, at);
}

// -- Rest pose

static void bmw_import_rest_joint(bmw_importer *importer, const bmw_file_node *file_node,
                                  const tn_mat4 *m)
{
    float t[3], r[4], s[3], inner[4] = {0, 0, 0, 1};
    const bmw_key_values values = {t, r, s, inner};
    bool has_shear_node = file_node->shear_node != TENON_NONE;
    bmw_import_decompose(m, has_shear_node && bmw_matrix_is_sheared(m), &values, 0);
    tenon_node *joint = &importer->builder->scene->nodes[file_node->joint], *node = joint;
    if (has_shear_node) {
        for (int i = 0; i < 4; i++) joint->rotation[i] = inner[i];
        node = &importer->builder->scene->nodes[file_node->shear_node];
    }
    for (int i = 0; i < 3; i++) node->translation[i] = t[i], node->scale[i] = s[i];
    for (int i = 0; i < 4; i++) node->rotation[i] = r[i];
}

// A joint with weights has the identity, unless the default clip moves it: the vertices are drawn
// as stored. A joint without weights has its transform in the tree.
void bmw_import_set_rest_pose(bmw_importer *importer)
{
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->file_node_count; i++) {
        const bmw_file_node *file_node = &importer->file_nodes[i];
        if (file_node->joint == TENON_NONE || file_node->is_weighted) continue;
        bmw_import_rest_joint(importer, file_node, &file_node->rest);
    }
    if (!importer->default_clip) return;
    const bmw_source *source = importer->default_clip->source;
    for (uint32_t i = 0; i < source->animation->bone_count; i++) {
        if (source->file_nodes[i] == TENON_NONE) continue;
        bmw_frame_reader frames = bmw_import_frames_of(source, i);
        bmw_import_rest_joint(
            importer, &importer->file_nodes[source->file_nodes[i]],
            bmw_import_frame_at(&frames, (uint64_t)importer->default_clip->start));
    }
}

// -- Keys

// The clip that is being imported. All channels share the times.
typedef struct bmw_clip_importer {
    bmw_importer *importer;
    const bmw_source *source;
    tenon_animation *animation;
    uint32_t key_count;
    uint64_t *ticks;  // Of each key.
    float *times;
    bmw_key_values values;
} bmw_clip_importer;

static bool bmw_import_is_constant(const float *values, uint32_t count, uint32_t each)
{
    if (count < 2) return true;
    if (memcmp(values, values + each, (count - 1) * (size_t)each * sizeof *values) == 0)
        return true;
    for (uint64_t i = each; i < (uint64_t)count * each; i++)
        if (values[i] != values[i - each]) return false;
    return true;
}

// Add a channel, with one key if the value is constant.
static void bmw_import_channel(bmw_clip_importer *clip, tenon_channel channel, const float *values)
{
    uint32_t each = channel.target == TENON_ROTATION ? 4 : 3;
    channel.key_count = bmw_import_is_constant(values, clip->key_count, each) ? 1 : clip->key_count;
    channel.times = clip->times;
    channel.values = tn_scene_floats(clip->importer->builder, channel.key_count, each);
    if (clip->importer->builder->failed) return;
    memcpy(channel.values, values, (size_t)channel.key_count * each * sizeof *values);
    clip->animation->channels[clip->animation->channel_count++] = channel;
}

// Decompose the TN_LANES keys before `end` at once, for one node. False, and nothing is stored, if
// they are not consecutive valid frames.
static bool bmw_import_decompose_lanes(const bmw_clip_importer *clip,
                                       const bmw_frame_reader *frames, uint32_t end)
{
    float matrices[16 * TN_LANES];
    if (clip->importer->tallies.frames_not_finite.count || end < TN_LANES ||
        clip->ticks[end - 1] - clip->ticks[end - TN_LANES] != TN_LANES - 1 ||
        !bmw_matrix_load_lanes(frames->span, frames->is_row_major, clip->ticks[end - 1] + 1,
                               matrices))
        return false;
    tn_affine_parts all;
    tn_loops_here()->split_affine(matrices, &all);
    for (int i = 0; i < TN_LANES; i++) {
        const float *matrix = matrices + 16 * i;
        uint32_t at = end - TN_LANES + (uint32_t)i;
        if (bmw_import_store_lane(&all, i, matrix, &clip->values, at)) continue;
        tn_mat4 m = tn_mat4_from_columns(matrix);
        bmw_import_store_alone(&m, &clip->values, at);
    }
    return true;
}

static void bmw_import_channels(bmw_clip_importer *clip, uint32_t bone)
{
    const bmw_importer *importer = clip->importer;
    const bmw_file_node *file_node = &importer->file_nodes[clip->source->file_nodes[bone]];
    const bmw_key_values *values = &clip->values;
    bool has_shear_node = file_node->shear_node != TENON_NONE, is_sheared = false;
    bmw_frame_reader frames = bmw_import_frames_of(clip->source, bone);
    for (uint32_t i = 0; i < clip->key_count && has_shear_node && !is_sheared; i++)
        is_sheared = bmw_matrix_is_sheared(bmw_import_frame_at(&frames, clip->ticks[i]));
    tenon_curve curve = is_sheared ? TENON_STEP : TENON_LINEAR;
    uint32_t node = has_shear_node ? file_node->shear_node : file_node->joint;
    frames = bmw_import_frames_of(clip->source, bone);
    for (uint32_t at = 0, end; at < clip->key_count; at = end) {
        end = clip->key_count - at < TN_LANES ? clip->key_count : at + TN_LANES;
        // The last group overlaps the one before it.
        if (!is_sheared && bmw_import_decompose_lanes(clip, &frames, end)) continue;
        for (uint32_t i = at; i < end; i++)
            bmw_import_decompose(bmw_import_frame_at(&frames, clip->ticks[i]), is_sheared, values,
                                 i);
    }
    bmw_import_channel(clip,
                       (tenon_channel){.node = node, .target = TENON_TRANSLATION, .curve = curve},
                       values->translations);
    bmw_import_channel(clip,
                       (tenon_channel){.node = node, .target = TENON_ROTATION, .curve = curve},
                       values->rotations);

    // A scale that is always that of the rest pose needs no channel.
    const double *rest = importer->builder->scene->nodes[node].scale;
    const float *scale = values->scales;
    bool is_rest = scale[0] == rest[0] && scale[1] == rest[1] && scale[2] == rest[2];
    if (!is_rest || !bmw_import_is_constant(scale, clip->key_count, 3))
        bmw_import_channel(
            clip, (tenon_channel){.node = node, .target = TENON_SCALE, .curve = curve}, scale);

    if (!has_shear_node) return;
    // The joint may be sheared only in other clips.
    for (size_t i = 0; i < clip->key_count && !is_sheared; i++)
        for (size_t k = 0; k < 4; k++) values->inner[4 * i + k] = k < 3 ? 0 : 1;
    bmw_import_channel(
        clip, (tenon_channel){.node = file_node->joint, .target = TENON_ROTATION, .curve = curve},
        values->inner);
}

// -- Clips

void bmw_import_animations(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    uint64_t most = 0;
    for (uint32_t i = 0; i < importer->clip_count; i++)
        if (importer->clips[i].source->frame_count > most)
            most = importer->clips[i].source->frame_count;
    bmw_clip_importer clip = {
        .importer = importer,
        .ticks = tn_scene_array(builder, most, sizeof *clip.ticks),
        .values = {tn_scene_floats(builder, most, 3), tn_scene_floats(builder, most, 4),
                   tn_scene_floats(builder, most, 3), tn_scene_floats(builder, most, 4)}};
    for (uint32_t i = 0; i < importer->clip_count && !builder->failed; i++) {
        const bmw_played_clip *played = &importer->clips[i];
        const tenon_str yes = {"true", 4}, no = {"false", 5};
        const bmw_source *source = played->source;
        uint64_t first = (uint64_t)played->start, last = (uint64_t)played->end;
        uint32_t bone_count = source->animation->bone_count, moved = 0;
        for (uint32_t k = 0; k < bone_count; k++) moved += source->file_nodes[k] != TENON_NONE;
        uint32_t index =
            tn_add_animation(builder, played->name, 4 * moved);  // 68 bytes or more each.
        clip.times = tn_scene_floats(builder, last - first + 1, 1);
        if (builder->failed) continue;
        clip.source = source;
        clip.animation = &builder->scene->animations[index];
        clip.animation->channel_count = 0;
        clip.animation->duration = (played->end - played->start) / source->rate;
        clip.key_count = 0;
        // Times that are equal as floats are dropped.
        for (uint64_t tick = first; tick <= last; tick++) {
            double passed = tick == first ? 0 : ((double)tick - played->start) / source->rate;
            float time = (float)passed;
            bool is_later = clip.key_count == 0 || time > clip.times[clip.key_count - 1];
            if (time - time != 0 || !is_later) {
                bmw_import_tally_frame(source, &clip.importer->tallies.close_frames, 0, tick);
                continue;
            }
            clip.ticks[clip.key_count] = tick;
            clip.times[clip.key_count++] = time;
        }
        for (uint32_t k = 0; k < bone_count && !builder->failed; k++)
            if (source->file_nodes[k] != TENON_NONE) bmw_import_channels(&clip, k);
        if (played->clip && played->clip->has_loop)
            tn_add_extra(builder, TENON_EXTRA_OF_ANIMATION, index, "loop",
                         played->clip->loop ? yes : no);
        if (played->clip && played->clip->has_hold)
            tn_add_extra(builder, TENON_EXTRA_OF_ANIMATION, index, "hold",
                         played->clip->hold ? yes : no);
    }
    if (!builder->failed && importer->sidecar && importer->sidecar->clip_count)
        tn_add_extra(builder, TENON_EXTRA_OF_SCENE, 0, "defaultAnim",
                     importer->sidecar->default_anim);
}
