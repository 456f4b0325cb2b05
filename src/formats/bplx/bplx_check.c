// bplx_check.c: the rules for a BPLX file that can be read.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_format.h"

#include "core/cursor/span.h"
#include "document/view.h"

#include <inttypes.h>
#include <math.h>

#define UNIT_TOLERANCE 1e-3  // How far the length of a rotation may be from 1.
#define LENGTH_SHOWN   1e6   // The length of a longer rotation is not shown.

const tenon_rule bplx_rules[BPLX_RULE_COUNT] = {
    {"bplx/index-range", TENON_ERROR, "faces refer to vertices that exist",
     "remove the face, or restore the missing vertices", NULL},
    {"bplx/parent-range", TENON_ERROR, "the parent of a bone is -1 or the index of a bone",
     "set the parent to -1, which makes the bone a root", NULL},
    {"bplx/parent-cycle", TENON_ERROR, "no bone is its own ancestor",
     "make one bone of the cycle a root with parent -1", NULL},
    {"bplx/parent-order", TENON_WARNING, "a parent is stored before its children",
     "sort the bones so that readers can pose them in one pass", NULL},
    {"bplx/key-bone", TENON_ERROR, "keyframes refer to bones that exist",
     "remove the keyframe, or restore the missing bone", NULL},
    {"bplx/key-time", TENON_ERROR, "the time of a keyframe is a finite number",
     "remove the keyframe", NULL},
    {"bplx/key-order", TENON_WARNING, "the keyframes of a bone are sorted by time",
     "sort the keyframes of the clip by time", NULL},
    {"bplx/key-range", TENON_WARNING, "keyframe times are between 0 and the length of the clip",
     "set the length of the clip to the time of its last keyframe", NULL},
    {"bplx/clip-length", TENON_ERROR, "the length of a clip is finite and not negative",
     "set the length of the clip to the time of its last keyframe", NULL},
    {"bplx/rotation-zero", TENON_ERROR, "a rotation is not the zero quaternion",
     "set it to 0, 0, 0, 1 (identity)", NULL},
    {"bplx/rotation-unit", TENON_WARNING, "a rotation has the length 1",
     "divide the quaternion by its length", NULL},
    {"bplx/not-finite", TENON_ERROR, "numbers are finite", NULL, NULL},
    {"bplx/material-count", TENON_WARNING,
     "the material count of the header matches the materials block", NULL, NULL},
    {"bplx/materials-missing", TENON_INFO, "a file with a material count has a materials block",
     "convert with --as document, which adds the block", NULL},
    {"bplx/winding", TENON_WARNING, "the winding of faces agrees with their normals", NULL, NULL},
    {"bplx/text-utf8", TENON_WARNING, "names and paths are UTF-8", NULL, NULL},
    {"bplx/flag", TENON_WARNING, "a flag is 0 or 1",
     "write 0 or 1: readers treat every value except 0 as 1", NULL},
    {"bplx/texture-flag", TENON_WARNING, "a material has a texture path exactly if it is textured",
     NULL, NULL},
    {"bplx/texture-path", TENON_WARNING, "a texture is in the model's folder or a subfolder",
     "put the texture next to the model and use its name without a folder", NULL},
    {"bplx/texture-missing", TENON_WARNING, "textures exist", NULL, NULL},
    {"bplx/padding", TENON_INFO, "the reserved word of the header is 0", NULL, NULL},
};

static void bplx_check_rotation(tn_check *check, tn_path_text path, const float q[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) square += (double)q[i] * q[i];
    double length = sqrt(square);
    if (!isfinite(length)) return;  // Another rule reports this.
    if (square == 0)
        tn_found(check, "rotation-zero", path, "the rotation is 0, 0, 0, 0");
    else if (length > LENGTH_SHOWN)
        tn_found(check, "rotation-unit", path, "the length of the rotation is more than %" PRIu64,
                 (uint64_t)LENGTH_SHOWN);
    else if (fabs(length - 1) > UNIT_TOLERANCE)
        tn_found(check, "rotation-unit", path, "the rotation has the length %" PRIu64 ".%03" PRIu64,
                 (uint64_t)length, (uint64_t)((length - floor(length)) * 1000));
}

// `last_times` are -INFINITY before and after.
static void bplx_check_clip(tn_check *check, const tenon_bplx *doc, uint32_t c, float *last_times)
{
    const tenon_bplx_clip *clip = &doc->clips[c];
    float length = clip->animation_length;
    if (!isfinite(length) || length < 0)
        tn_found(check, "clip-length", tn_path("clips[%u].animation_length", c), "the length is %s",
                 isfinite(length) ? "negative" : "not a finite number");
    for (uint64_t k = 0; k < clip->keyframes.count; k++) {
        const uint8_t *key = tn_span_record(&clip->keyframes, k);
        float time = tn_load_f32(key, false), rotation[4];
        uint32_t bone = tn_load32(key + 4, false);
        double square = 0;
        for (uint32_t i = 0; i < 4; i++) {
            rotation[i] = tn_load_f32(key + 20 + 4 * i, false);
            square += (double)rotation[i] * rotation[i];
        }
        bool is_good = bone < doc->bone_count && time >= 0 && time <= length &&
                       time >= last_times[bone] && fabs(sqrt(square) - 1) <= UNIT_TOLERANCE;
        if (is_good) {  // As nearly all are: without the time to format paths.
            last_times[bone] = time;
            continue;
        }
        tn_path_text path = tn_path("clips[%u].keyframes[%" PRIu64 "].time", c, k);
        bplx_check_rotation(check, tn_path("clips[%u].keyframes[%" PRIu64 "].rotation", c, k),
                            rotation);
        if (!isfinite(time)) {
            tn_found(check, "key-time", path, "the time is not a finite number");
            continue;
        }
        if (time < 0 || time > length)
            tn_found(check, "key-range", path, "the time is outside the clip");
        if (bone >= doc->bone_count) {
            tn_found(check, "key-bone",
                     tn_path("clips[%u].keyframes[%" PRIu64 "].bone_index", c, k),
                     "bone %u, but the model has %u bones", bone, doc->bone_count);
            continue;
        }
        if (time < last_times[bone])
            tn_found(check, "key-order", path,
                     "the time is before the previous keyframe of the bone");
        last_times[bone] = time;
    }
    for (uint64_t k = 0; k < clip->keyframes.count; k++) {
        uint32_t bone = tn_load32(tn_span_record(&clip->keyframes, k) + 4, false);
        if (bone < doc->bone_count) last_times[bone] = -INFINITY;
    }
}

void bplx_check(tn_check *check, const void *any)
{
    const tenon_bplx *doc = any;
    bool has_block = (doc->base.dialect->flags & TENON_BPLX_MATERIALS) != 0;
    tn_view_check(check, doc);
    if (has_block && doc->material_count != doc->material_list_count)
        tn_found(check, "material-count", tn_path("material_count"),
                 "the header counts %u materials, but the block has %u", doc->material_count,
                 doc->material_list_count);
    if (!has_block && doc->material_count > 0)
        tn_found(check, "materials-missing", tn_path("material_count"),
                 "the header counts %u materials, but the file has no materials block",
                 doc->material_count);
    for (uint32_t i = 0; i < doc->material_list_count; i++) {
        bool has_path = doc->materials[i].texture_path.size > 0;
        if ((doc->materials[i].is_textured != 0) != has_path)
            tn_found(check, "texture-flag", tn_path("materials[%u].is_textured", i),
                     has_path ? "the material has a texture path, but is not textured"
                              : "the material is textured, but has no texture path");
    }
    tn_check_winding(check, "faces", tn_turns_of(&doc->faces, &doc->positions, &doc->normals));
    uint32_t count = doc->bone_count, *stamps = tn_check_alloc(check, count, sizeof *stamps);
    for (uint32_t i = 0; i < count; i++) {
        const tenon_bplx_bone *bone = &doc->bones[i];
        int32_t parent = bone->parent_index;
        bplx_check_rotation(check, tn_path("bones[%u].rest_rotation", i), bone->rest_rotation);
        if (parent < -1 || (parent >= 0 && (uint32_t)parent >= count))
            tn_found(check, "parent-range", tn_path("bones[%u].parent_index", i),
                     "parent %d, but the model has %u bones", parent, count);
        else if (parent > (int64_t)i)
            tn_found(check, "parent-order", tn_path("bones[%u].parent_index", i),
                     "parent %d is stored after its child %u", parent, i);
    }
    // Walk up from every bone and mark the bones on the way: a bone with the mark of the same walk
    // closes a cycle. -1 ends a walk, as does any invalid index.
    for (uint32_t i = 0; stamps && i < count; i++) {
        uint32_t at = i;
        for (; at < count && stamps[at] == 0; at = (uint32_t)doc->bones[at].parent_index)
            stamps[at] = i + 1;
        if (at < count && stamps[at] == i + 1)
            tn_found(check, "parent-cycle", tn_path("bones[%u].parent_index", at),
                     "bone %u is its own ancestor", at);
    }
    float *last_times = tn_check_alloc(check, doc->bone_count, sizeof *last_times);
    for (uint32_t i = 0; last_times && i < doc->bone_count; i++) last_times[i] = -INFINITY;
    for (uint32_t c = 0; last_times && c < doc->clip_count; c++)
        bplx_check_clip(check, doc, c, last_times);
}
