// bplx_export_bones.c: the bones of a BPLX model, and the clips that move them.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_export.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"

#include <string.h>

// -- Which nodes are bones

// Joints, nodes that clips move, and all nodes above them.
static bool *bplx_export_choose_bones(bplx_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    bool *is_bone = tn_export_alloc(&exporter->export, scene->node_count, sizeof *is_bone);
    if (!is_bone) return NULL;
    for (uint32_t i = 0; i < scene->node_count; i++) is_bone[i] = scene->nodes[i].is_joint;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            is_bone[scene->skins[i].joints[k]] = true;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            is_bone[scene->animations[i].channels[k].node] = true;
    for (uint32_t i = scene->node_count; i-- > 0;)
        if (is_bone[i] && scene->nodes[i].parent != TENON_NONE)
            is_bone[scene->nodes[i].parent] = true;
    return is_bone;
}

static bool bplx_export_find_bones(bplx_exporter *exporter)
{
    bool *is_bone = bplx_export_choose_bones(exporter);
    exporter->node_bones = tn_export_alloc(&exporter->export, exporter->scene->node_count,
                                           sizeof *exporter->node_bones);
    exporter->bone_nodes = tn_export_alloc(&exporter->export, exporter->scene->node_count,
                                           sizeof *exporter->bone_nodes);
    if (!is_bone || !exporter->node_bones || !exporter->bone_nodes) return false;
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        exporter->node_bones[i] = TENON_NONE;
        if (!is_bone[i]) continue;
        exporter->node_bones[i] = exporter->doc->bone_count;
        exporter->bone_nodes[exporter->doc->bone_count++] = i;
    }
    if (exporter->doc->bone_count > INT32_MAX)
        return tn_error(exporter->export.err, TENON_ERR_UNSUPPORTED,
                        "the scene has too many bones for BPLX");
    return true;
}

// -- Bones

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

static void bplx_export_bones_count_shear(bplx_exporter *exporter, uint32_t node)
{
    tn_mat4 matrix;
    tn_trs ignored;
    if (!exporter->scene->nodes[node].has_matrix) return;
    memcpy(matrix.m, exporter->scene->nodes[node].matrix, sizeof matrix.m);
    uint32_t flags = tn_mat4_decompose(&matrix, &ignored);
    tn_tally_at(&exporter->sheared, (flags & TN_TRS_SHEARED) != 0, "nodes", node);
}

bool bplx_export_bones(bplx_exporter *exporter)
{
    tn_motion rest = {.scene = exporter->scene, .animation = TENON_NONE};
    if (!bplx_export_find_bones(exporter)) return false;
    rest.channels = tn_export_alloc(&exporter->export, 3 * (uint64_t)exporter->scene->node_count,
                                    sizeof *rest.channels);
    exporter->doc->bones =
        bplx_export_alloc(exporter, exporter->doc->bone_count, sizeof *exporter->doc->bones);
    if (!rest.channels || !exporter->doc->bones) return false;
    for (uint32_t i = 0; i < exporter->doc->bone_count; i++) {
        uint32_t node = exporter->bone_nodes[i], parent = exporter->scene->nodes[node].parent;
        tenon_bplx_bone *bone = &exporter->doc->bones[i];
        tn_trs local = tn_motion_local(&rest, node, 0);
        float numbers[10];
        bplx_export_bones_count_shear(exporter, node);
        bplx_export_bones_narrow_transform(exporter, &local, numbers);
        memcpy(bone->rest_position, numbers, sizeof bone->rest_position);
        memcpy(bone->rest_rotation, numbers + 3, sizeof bone->rest_rotation);
        memcpy(bone->rest_scale, numbers + 7, sizeof bone->rest_scale);
        bone->name = exporter->scene->nodes[node].name;
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

// The keys of a clip, of all bones.
typedef struct bplx_key_list {
    tn_motion motion;
    tn_times *times;  // Of each bone; none if it is not animated.
    uint32_t count;
    bplx_key *keys;
    uint32_t *order;
    tn_quat *turns;  // Of each bone: the rotation of its last key.
} bplx_key_list;

static bool bplx_export_bones_find_times(bplx_exporter *exporter, bplx_key_list *list)
{
    uint64_t count = 0;
    uint32_t bone_count = exporter->doc->bone_count;
    list->times = tn_export_alloc(&exporter->export, bone_count, sizeof *list->times);
    list->turns = tn_export_alloc(&exporter->export, bone_count, sizeof *list->turns);
    if (!list->times || !list->turns) return false;
    for (uint32_t i = 0; i < bone_count; i++) {
        uint32_t node = exporter->bone_nodes[i];
        if (!tn_motion_moves(&list->motion, node)) continue;
        if (!tn_motion_times(&exporter->export, &list->motion, node, TN_MOVES_ALL, 0,
                             &list->times[i]))
            return false;
        count += list->times[i].count;
    }
    if (count > UINT32_MAX)
        return tn_error(exporter->export.err, TENON_ERR_UNSUPPORTED,
                        "a clip has too many keys for BPLX");
    list->count = (uint32_t)count;
    return true;
}

static bool bplx_export_bones_is_earlier(const void *keys, uint32_t a, uint32_t b)
{
    return ((const bplx_key *)keys)[a].time < ((const bplx_key *)keys)[b].time;
}

// All keys sorted by time; equal times by bone.
static bool bplx_export_bones_sort_times(bplx_exporter *exporter, bplx_key_list *list)
{
    list->keys = tn_export_alloc(&exporter->export, list->count, sizeof *list->keys);
    list->order =
        tn_export_alloc(&exporter->export, 2 * (uint64_t)list->count, sizeof *list->order);
    if (!list->keys || !list->order) return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < exporter->doc->bone_count; i++) {
        float last = -1;
        for (uint32_t k = 0; k < list->times[i].count; k++, at++) {
            double seconds = list->times[i].at[k];
            float time = tn_narrow(seconds, &exporter->not_finite);
            if (time <= last) time = tn_float_after(last);
            list->keys[at] = (bplx_key){seconds, time, i};
            list->order[at] = at;
            last = time;
        }
    }
    tn_sort(list->order, list->order + list->count, list->count, bplx_export_bones_is_earlier,
            list->keys);
    return true;
}

// Of q and -q the one nearer to the last rotation is stored, so that readers interpolate the
// shorter way.
static void bplx_export_bones_key(bplx_exporter *exporter, bplx_key_list *list, const bplx_key *key,
                                  uint8_t *out)
{
    tn_trs local = tn_motion_local(&list->motion, exporter->bone_nodes[key->bone], key->seconds);
    tn_quat *last = &list->turns[key->bone], turn = local.rotation;
    if (tn_quat_dot(turn, *last) < 0)
        local.rotation = (tn_quat){-turn.x, -turn.y, -turn.z, -turn.w};
    *last = local.rotation;
    float numbers[10];
    bplx_export_bones_narrow_transform(exporter, &local, numbers);
    tn_copy_numbers(out, &key->time, 1, 4, false);
    tn_copy_numbers(out + 4, &key->bone, 1, 4, false);
    tn_copy_numbers(out + 8, numbers, 10, 4, false);
}

static bool bplx_export_bones_clip(bplx_exporter *exporter, uint32_t index, tenon_bplx_clip *clip)
{
    const tenon_animation *from = &exporter->scene->animations[index];
    bplx_key_list list = {0};
    if (!tn_motion_make(&exporter->export, index, &list.motion) ||
        !bplx_export_bones_find_times(exporter, &list) ||
        !bplx_export_bones_sort_times(exporter, &list))
        return false;
    uint64_t stride = bplx_keyframe_layout.stride;
    uint8_t *bytes = bplx_export_alloc(exporter, list.count, (size_t)stride);
    if (!bytes) return false;
    for (uint32_t i = 0; i < list.count; i++)
        bplx_export_bones_key(exporter, &list, &list.keys[list.order[i]], bytes + stride * i);
    for (uint32_t i = 0; i < from->channel_count; i++)
        tn_tally_at(&exporter->curves,
                    from->channels[i].curve != TENON_LINEAR && from->channels[i].key_count > 1,
                    "animations", index);
    clip->name = from->name;
    clip->animation_length = tn_narrow(from->duration, &exporter->not_finite);
    clip->keyframes =
        (tenon_span){bytes, stride * list.count, list.count, &bplx_keyframe_layout, false};
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
