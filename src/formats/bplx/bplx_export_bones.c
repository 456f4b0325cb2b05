// bplx_export_bones.c: the bones of a BPLX model, and the clips that move them.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_export.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"

#include <string.h>

// Joints, nodes that clips move, and all nodes above them.
static bool bplx_export_bones_choose(bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    uint32_t count = scene->node_count;
    bool *is_bone = tn_export_alloc(export, count, sizeof *is_bone);
    exporter->node_bones = tn_export_alloc(export, count, sizeof *exporter->node_bones);
    exporter->bone_nodes = tn_export_alloc(export, count, sizeof *exporter->bone_nodes);
    if (!is_bone || !exporter->node_bones || !exporter->bone_nodes) return false;
    for (uint32_t i = 0; i < count; i++) is_bone[i] = scene->nodes[i].is_joint;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            is_bone[scene->skins[i].joints[k]] = true;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            is_bone[scene->animations[i].channels[k].node] = true;
    for (uint32_t i = count; i-- > 0;)
        if (is_bone[i] && scene->nodes[i].parent != TENON_NONE)
            is_bone[scene->nodes[i].parent] = true;
    for (uint32_t i = 0; i < count; i++) {
        exporter->node_bones[i] = is_bone[i] ? exporter->doc->bone_count : TENON_NONE;
        if (is_bone[i]) exporter->bone_nodes[exporter->doc->bone_count++] = i;
    }
    if (exporter->doc->bone_count <= INT32_MAX) return true;
    return tn_error(export->err, TENON_ERR_UNSUPPORTED, "the scene has too many bones for BPLX");
}

// Position, rotation and scale in a row, as bones and keys store them.
static void bplx_export_bones_narrow_transform(bplx_exporter *exporter, const tn_trs *trs,
                                               float out[10])
{
    const double all[10] = {trs->translation.x, trs->translation.y, trs->translation.z,
                            trs->rotation.x,    trs->rotation.y,    trs->rotation.z,
                            trs->rotation.w,    trs->scale.x,       trs->scale.y,
                            trs->scale.z};
    for (int i = 0; i < 10; i++) out[i] = tn_narrow(all[i], &exporter->not_finite);
}

bool bplx_export_bones(bplx_exporter *exporter)
{
    const tn_export *export = &exporter->export;
    const tenon_scene *scene = exporter->scene;
    tn_motion rest = {.scene = scene, .animation = TENON_NONE};
    if (!bplx_export_bones_choose(exporter)) return false;
    uint32_t count = exporter->doc->bone_count;
    rest.channels = tn_export_alloc(export, 3 * (uint64_t)scene->node_count, sizeof *rest.channels);
    exporter->doc->bones = bplx_export_alloc(exporter, count, sizeof *exporter->doc->bones);
    if (!rest.channels || !exporter->doc->bones) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = exporter->bone_nodes[i], parent = scene->nodes[node].parent;
        tenon_bplx_bone *bone = &exporter->doc->bones[i];
        tn_trs local = tn_motion_local(&rest, node, 0), ignored;
        float numbers[10];
        if (scene->nodes[node].has_matrix) {
            tn_mat4 matrix;
            memcpy(matrix.m, scene->nodes[node].matrix, sizeof matrix.m);
            uint32_t flags = tn_mat4_decompose(&matrix, &ignored);
            tn_tally_at(&exporter->sheared, (flags & TN_TRS_SHEARED) != 0, "nodes", node);
        }
        bplx_export_bones_narrow_transform(exporter, &local, numbers);
        memcpy(bone->rest_position, numbers, sizeof bone->rest_position);
        memcpy(bone->rest_rotation, numbers + 3, sizeof bone->rest_rotation);
        memcpy(bone->rest_scale, numbers + 7, sizeof bone->rest_scale);
        bone->name = scene->nodes[node].name;
        bone->parent_index = parent == TENON_NONE ? -1 : (int32_t)exporter->node_bones[parent];
    }
    return true;
}

// -- Clips

typedef struct bplx_key {
    double seconds;
    float time;  // As stored in the file.
    uint32_t bone;
} bplx_key;

static bool bplx_export_bones_is_earlier(const void *keys, uint32_t a, uint32_t b)
{
    return ((const bplx_key *)keys)[a].time < ((const bplx_key *)keys)[b].time;
}

// All keys of a clip, sorted by time; equal times by bone. NULL, with the error set, on failure.
static const bplx_key *bplx_export_bones_plan_keys(bplx_exporter *exporter, const tn_motion *motion,
                                                   uint32_t *key_count, uint32_t **order)
{
    const tn_export *export = &exporter->export;
    uint32_t bone_count = exporter->doc->bone_count, at = 0;
    uint64_t count = 0;
    tn_times *times = tn_export_alloc(export, bone_count, sizeof *times);
    if (!times) return NULL;
    for (uint32_t i = 0; i < bone_count; i++) {
        uint32_t node = exporter->bone_nodes[i];
        if (!tn_motion_moves(motion, node)) continue;
        if (!tn_motion_times(export, motion, node, TN_MOVES_ALL, 0, &times[i])) return NULL;
        count += times[i].count;
    }
    if (count > UINT32_MAX)
        (void)tn_error(export->err, TENON_ERR_UNSUPPORTED, "a clip has too many keys for BPLX");
    if (count > UINT32_MAX) return NULL;
    bplx_key *keys = tn_export_alloc(export, count, sizeof *keys);
    *order = tn_export_alloc(export, 2 * count, sizeof **order);
    if (!keys || !*order) return NULL;
    for (uint32_t i = 0; i < bone_count; i++) {
        float last = -1;
        for (uint32_t k = 0; k < times[i].count; k++, at++) {
            float time = tn_narrow(times[i].at[k], &exporter->not_finite);
            if (time <= last) time = tn_float_after(last);
            keys[at] = (bplx_key){times[i].at[k], time, i};
            (*order)[at] = at;
            last = time;
        }
    }
    tn_sort(*order, *order + count, (uint32_t)count, bplx_export_bones_is_earlier, keys);
    *key_count = (uint32_t)count;
    return keys;
}

static bool bplx_export_bones_clip(bplx_exporter *exporter, uint32_t index, tenon_bplx_clip *clip)
{
    const tenon_animation *from = &exporter->scene->animations[index];
    uint64_t stride = bplx_keyframe_layout.stride;
    uint32_t count, *order;
    tn_motion motion = {0};
    if (!tn_motion_make(&exporter->export, index, &motion)) return false;
    const bplx_key *keys = bplx_export_bones_plan_keys(exporter, &motion, &count, &order);
    // Of each bone, the rotation of its last key: of q and -q the one nearer to it is stored, so
    // that readers interpolate the shorter way.
    tn_quat *turns = tn_export_alloc(&exporter->export, exporter->doc->bone_count, sizeof *turns);
    uint8_t *bytes = keys && turns ? bplx_export_alloc(exporter, count, (size_t)stride) : NULL;
    if (!bytes) return false;
    for (uint32_t i = 0; i < count; i++) {
        const bplx_key *key = &keys[order[i]];
        uint8_t *out = bytes + stride * i;
        float numbers[10];
        tn_trs local = tn_motion_local(&motion, exporter->bone_nodes[key->bone], key->seconds);
        tn_quat turn = local.rotation;
        if (tn_quat_dot(turn, turns[key->bone]) < 0)
            local.rotation = (tn_quat){-turn.x, -turn.y, -turn.z, -turn.w};
        turns[key->bone] = local.rotation;
        bplx_export_bones_narrow_transform(exporter, &local, numbers);
        tn_copy_numbers(out, &key->time, 1, 4, false);
        tn_copy_numbers(out + 4, &key->bone, 1, 4, false);
        tn_copy_numbers(out + 8, numbers, 10, 4, false);
    }
    for (uint32_t i = 0; i < from->channel_count; i++)
        tn_tally_at(&exporter->curves,
                    from->channels[i].curve != TENON_LINEAR && from->channels[i].key_count > 1,
                    "animations", index);
    clip->name = from->name;
    clip->animation_length = tn_narrow(from->duration, &exporter->not_finite);
    clip->keyframes = (tenon_span){bytes, stride * count, count, &bplx_keyframe_layout, false};
    return true;
}

// Temporary memory of a clip is freed after it.
bool bplx_export_clips(bplx_exporter *exporter)
{
    uint32_t count = exporter->scene->animation_count;
    exporter->doc->clips = bplx_export_alloc(exporter, count, sizeof *exporter->doc->clips);
    if (!exporter->doc->clips) return false;
    for (uint32_t i = 0; i < count; i++) {
        tn_mark mark = tn_arena_mark(exporter->export.arena);
        if (!bplx_export_bones_clip(exporter, i, &exporter->doc->clips[i])) return false;
        tn_arena_rewind(exporter->export.arena, mark);
    }
    exporter->doc->clip_count = count;
    return true;
}
