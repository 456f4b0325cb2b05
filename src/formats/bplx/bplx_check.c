// bplx_check.c: the rules for a BPLX file that can be read.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_format.h"

#include "core/cursor/span.h"
#include "core/files/file.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>

#define UNIT_TOLERANCE 1e-3  // How far the length of a rotation may be from 1.
#define LENGTH_SHOWN   1e6   // The length of a longer rotation is not shown.

enum {
    BPLX_INDEX_RANGE,
    BPLX_PARENT_RANGE,
    BPLX_PARENT_CYCLE,
    BPLX_PARENT_ORDER,
    BPLX_KEY_BONE,
    BPLX_KEY_TIME,
    BPLX_KEY_ORDER,
    BPLX_KEY_RANGE,
    BPLX_CLIP_LENGTH,
    BPLX_ROTATION_ZERO,
    BPLX_ROTATION_UNIT,
    BPLX_NOT_FINITE,
    BPLX_MATERIAL_COUNT,
    BPLX_MATERIALS_MISSING,
    BPLX_WINDING,
    BPLX_TEXT_UTF8,
    BPLX_FLAG,
    BPLX_TEXTURE_FLAG,
    BPLX_TEXTURE_PATH,
    BPLX_TEXTURE_MISSING,
    BPLX_PADDING,
};

const tenon_rule bplx_rules[BPLX_RULE_COUNT] = {
    [BPLX_INDEX_RANGE] = {"bplx/index-range", TENON_ERROR, "faces refer to vertices that exist",
                          "remove the face, or restore the missing vertices", NULL},
    [BPLX_PARENT_RANGE] = {"bplx/parent-range", TENON_ERROR,
                           "the parent of a bone is -1 or the index of a bone",
                           "set the parent to -1, which makes the bone a root", NULL},
    [BPLX_PARENT_CYCLE] = {"bplx/parent-cycle", TENON_ERROR, "no bone is its own ancestor",
                           "make one bone of the cycle a root with parent -1", NULL},
    [BPLX_PARENT_ORDER] = {"bplx/parent-order", TENON_WARNING,
                           "a parent is stored before its children",
                           "sort the bones so that readers can pose them in one pass", NULL},
    [BPLX_KEY_BONE] = {"bplx/key-bone", TENON_ERROR, "keyframes refer to bones that exist",
                       "remove the keyframe, or restore the missing bone", NULL},
    [BPLX_KEY_TIME] = {"bplx/key-time", TENON_ERROR, "the time of a keyframe is a finite number",
                       "remove the keyframe", NULL},
    [BPLX_KEY_ORDER] = {"bplx/key-order", TENON_WARNING,
                        "the keyframes of a bone are sorted by time",
                        "sort the keyframes of the clip by time", NULL},
    [BPLX_KEY_RANGE] = {"bplx/key-range", TENON_WARNING,
                        "keyframe times are between 0 and the length of the clip",
                        "set the length of the clip to the time of its last keyframe", NULL},
    [BPLX_CLIP_LENGTH] = {"bplx/clip-length", TENON_ERROR,
                          "the length of a clip is finite and not negative",
                          "set the length of the clip to the time of its last keyframe", NULL},
    [BPLX_ROTATION_ZERO] = {"bplx/rotation-zero", TENON_ERROR,
                            "a rotation is not the zero quaternion",
                            "set it to 0, 0, 0, 1 (identity)", NULL},
    [BPLX_ROTATION_UNIT] = {"bplx/rotation-unit", TENON_WARNING, "a rotation has the length 1",
                            "divide the quaternion by its length", NULL},
    [BPLX_NOT_FINITE] = {"bplx/not-finite", TENON_ERROR, "numbers are finite", NULL, NULL},
    [BPLX_MATERIAL_COUNT] = {"bplx/material-count", TENON_WARNING,
                             "the material count of the header matches the materials block", NULL,
                             NULL},
    [BPLX_MATERIALS_MISSING] = {"bplx/materials-missing", TENON_INFO,
                                "a file with a material count has a materials block",
                                "convert with --as document, which adds the block", NULL},
    [BPLX_WINDING] = {"bplx/winding", TENON_WARNING,
                      "the winding of faces agrees with their normals", NULL, NULL},
    [BPLX_TEXT_UTF8] = {"bplx/text-utf8", TENON_WARNING, "names and paths are UTF-8", NULL, NULL},
    [BPLX_FLAG] = {"bplx/flag", TENON_WARNING, "a flag is 0 or 1",
                   "write 0 or 1: readers treat every value except 0 as 1", NULL},
    [BPLX_TEXTURE_FLAG] = {"bplx/texture-flag", TENON_WARNING,
                           "a material has a texture path exactly if it is textured", NULL, NULL},
    [BPLX_TEXTURE_PATH] = {"bplx/texture-path", TENON_WARNING,
                           "a texture is in the model's folder or a subfolder",
                           "put the texture next to the model and use its name without a folder",
                           NULL},
    [BPLX_TEXTURE_MISSING] = {"bplx/texture-missing", TENON_WARNING, "textures exist", NULL, NULL},
    [BPLX_PADDING] = {"bplx/padding", TENON_INFO, "the reserved word of the header is 0", NULL,
                      NULL},
};

// -- Header and materials

static void bplx_check_header(tn_check *check, const tenon_bplx *doc)
{
    bool has_block = (doc->base.dialect->flags & TENON_BPLX_MATERIALS) != 0;
    if (has_block && doc->material_count != doc->material_list_count)
        tn_found(check, BPLX_MATERIAL_COUNT, tn_path("material_count"),
                 "the header counts %" PRIu32 " materials, but the block has %" PRIu32,
                 doc->material_count, doc->material_list_count);
    if (!has_block && doc->material_count > 0)
        tn_found(check, BPLX_MATERIALS_MISSING, tn_path("material_count"),
                 "the header counts %" PRIu32 " materials, but the file has no materials block",
                 doc->material_count);
    if (doc->padding != 0)
        tn_found(check, BPLX_PADDING, tn_path("padding"), "the reserved word is %" PRIu32,
                 doc->padding);
}

// Check that the texture is in the model's folder and exists. Only if the path of the model is
// known.
static void bplx_check_texture(tn_check *check, const tenon_bplx_material *material, uint32_t i)
{
    char shown[96];
    tn_check_inside(check, BPLX_TEXTURE_PATH, tn_path("materials[%" PRIu32 "].texture_path", i),
                    material->texture_path);
    if (!check->opts->model_path || !tn_name_stays_inside(material->texture_path)) return;
    tn_text_clean(material->texture_path.data, material->texture_path.size, shown, sizeof shown);
    tn_place place = tn_check_look(check, material->texture_path);
    if (place == TN_PLACE_OUTSIDE)
        tn_found(check, BPLX_TEXTURE_PATH, tn_path("materials[%" PRIu32 "].texture_path", i),
                 "'%s' is a link to a file outside the model's folder", shown);
    else if (place == TN_PLACE_MISSING)
        tn_found(check, BPLX_TEXTURE_MISSING, tn_path("materials[%" PRIu32 "].texture_path", i),
                 "'%s' was not found next to the model", shown);
}

static void bplx_check_material(tn_check *check, const tenon_bplx_material *material, uint32_t i)
{
    tn_check_text(check, BPLX_TEXT_UTF8, tn_path("materials[%" PRIu32 "].name", i), material->name);
    tn_check_text(check, BPLX_TEXT_UTF8, tn_path("materials[%" PRIu32 "].texture_path", i),
                  material->texture_path);
    if (material->is_textured > 1)
        tn_found(check, BPLX_FLAG, tn_path("materials[%" PRIu32 "].is_textured", i),
                 "the flag is %u", (unsigned)material->is_textured);
    if ((material->is_textured != 0) != (material->texture_path.size > 0))
        tn_found(check, BPLX_TEXTURE_FLAG, tn_path("materials[%" PRIu32 "].is_textured", i),
                 material->is_textured ? "the material is textured, but has no texture path"
                                       : "the material has a texture path, but is not textured");
    const struct {
        const char *name;
        const float *v;
        uint32_t count;
    } numbers[] = {{"diffuse_color", material->diffuse_color, 3},
                   {"specular_color", material->specular_color, 3},
                   {"shininess", &material->shininess, 1},
                   {"emissive_color", material->emissive_color, 3},
                   {"transparency", &material->transparency, 1}};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        tn_check_finite(check, BPLX_NOT_FINITE,
                        tn_path("materials[%" PRIu32 "].%s", i, numbers[k].name), numbers[k].v,
                        numbers[k].count);
    bplx_check_texture(check, material, i);
}

// -- Mesh

static void bplx_check_indices(tn_check *check, const tenon_bplx *doc)
{
    if (tn_span_top(&doc->faces) < doc->vertex_count) return;
    for (uint64_t f = 0; f < doc->faces.count; f++) {
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t index = tn_span_u32(&doc->faces, 3 * f + k);
            if (index < doc->vertex_count) continue;
            tn_found(check, BPLX_INDEX_RANGE, tn_path("faces[%" PRIu64 "]", f),
                     "index %" PRIu32 ", but the mesh has %" PRIu32 " vertices", index,
                     doc->vertex_count);
            break;
        }
    }
}

static void bplx_check_winding(tn_check *check, const tenon_bplx *doc)
{
    tn_turns turns = tn_turns_of(&doc->faces, &doc->positions, &doc->normals);
    if (turns.against > turns.with)
        tn_found(check, BPLX_WINDING, tn_path("faces"),
                 "%" PRIu64 " faces point away from their normals, only %" PRIu64 " do not",
                 turns.against, turns.with);
}

// -- Bones and clips

static void bplx_check_rotation(tn_check *check, tn_path_text path, const float q[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) square += (double)q[i] * q[i];
    double length = sqrt(square);
    if (!isfinite(length)) return;  // Another rule reports this.
    if (square == 0)
        tn_found(check, BPLX_ROTATION_ZERO, path, "the rotation is 0, 0, 0, 0");
    else if (length > LENGTH_SHOWN)
        tn_found(check, BPLX_ROTATION_UNIT, path,
                 "the length of the rotation is more than %" PRIu64, (uint64_t)LENGTH_SHOWN);
    else if (fabs(length - 1) > UNIT_TOLERANCE)
        tn_found(check, BPLX_ROTATION_UNIT, path,
                 "the rotation has the length %" PRIu64 ".%03" PRIu64, (uint64_t)length,
                 (uint64_t)((length - floor(length)) * 1000));
}

static void bplx_check_bone(tn_check *check, const tenon_bplx *doc, uint32_t i)
{
    const tenon_bplx_bone *bone = &doc->bones[i];
    int32_t parent = bone->parent_index;
    tn_check_text(check, BPLX_TEXT_UTF8, tn_path("bones[%" PRIu32 "].name", i), bone->name);
    tn_check_finite(check, BPLX_NOT_FINITE, tn_path("bones[%" PRIu32 "].rest_position", i),
                    bone->rest_position, 3);
    tn_check_finite(check, BPLX_NOT_FINITE, tn_path("bones[%" PRIu32 "].rest_rotation", i),
                    bone->rest_rotation, 4);
    tn_check_finite(check, BPLX_NOT_FINITE, tn_path("bones[%" PRIu32 "].rest_scale", i),
                    bone->rest_scale, 3);
    bplx_check_rotation(check, tn_path("bones[%" PRIu32 "].rest_rotation", i), bone->rest_rotation);
    if (parent < -1 || (parent >= 0 && (uint32_t)parent >= doc->bone_count))
        tn_found(check, BPLX_PARENT_RANGE, tn_path("bones[%" PRIu32 "].parent_index", i),
                 "parent %" PRId32 ", but the model has %" PRIu32 " bones", parent,
                 doc->bone_count);
    else if (parent > (int64_t)i)
        tn_found(check, BPLX_PARENT_ORDER, tn_path("bones[%" PRIu32 "].parent_index", i),
                 "parent %" PRId32 " is stored after its child %" PRIu32, parent, i);
}

// Walk up from every bone and mark the bones on the way: a bone with the mark of the same walk
// closes a cycle.
static void bplx_check_cycles(tn_check *check, const tenon_bplx *doc)
{
    uint32_t *stamps = tn_check_alloc(check, doc->bone_count, sizeof *stamps);
    if (!stamps) return;
    for (uint32_t i = 0; i < doc->bone_count; i++) {
        uint32_t at = i;
        while (at < doc->bone_count && stamps[at] == 0) {
            stamps[at] = i + 1;
            at = (uint32_t)doc->bones[at]
                     .parent_index;  // -1 ends the walk, as does any invalid index.
        }
        if (at < doc->bone_count && stamps[at] == i + 1)
            tn_found(check, BPLX_PARENT_CYCLE, tn_path("bones[%" PRIu32 "].parent_index", at),
                     "bone %" PRIu32 " is its own ancestor", at);
    }
}

static void bplx_check_key_transform(tn_check *check, const tenon_span *keys, uint32_t c,
                                     uint64_t k)
{
    for (uint32_t e = 2; e < keys->layout->element_count; e++) {
        const tenon_element *element = &keys->layout->elements[e];
        tn_path_text path =
            tn_path("clips[%" PRIu32 "].keyframes[%" PRIu64 "].%s", c, k, element->name);
        float v[4];
        tn_span_f32(keys, element, k, 1, v);
        tn_check_finite(check, BPLX_NOT_FINITE, path, v, element->count);
        if (element->count == 4) bplx_check_rotation(check, path, v);
    }
}

static void bplx_check_key(tn_check *check, const tenon_bplx *doc, uint32_t c, uint64_t k,
                           float *last_times)
{
    const tenon_bplx_clip *clip = &doc->clips[c];
    const uint8_t *key = tn_span_record(&clip->keyframes, k);
    float time = tn_load_f32(key, false);
    uint32_t bone = tn_load32(key + 4, false);
    bplx_check_key_transform(check, &clip->keyframes, c, k);
    tn_path_text time_path = tn_path("clips[%" PRIu32 "].keyframes[%" PRIu64 "].time", c, k);
    if (!isfinite(time)) {
        tn_found(check, BPLX_KEY_TIME, time_path, "the time is not a finite number");
        return;
    }
    if (time < 0 || time > clip->animation_length)
        tn_found(check, BPLX_KEY_RANGE, time_path, "the time is outside the clip");
    if (bone >= doc->bone_count) {
        tn_found(check, BPLX_KEY_BONE,
                 tn_path("clips[%" PRIu32 "].keyframes[%" PRIu64 "].bone_index", c, k),
                 "bone %" PRIu32 ", but the model has %" PRIu32 " bones", bone, doc->bone_count);
        return;
    }
    if (time < last_times[bone])
        tn_found(check, BPLX_KEY_ORDER, time_path,
                 "the time is before the previous keyframe of the bone");
    last_times[bone] = time;
}

// Whether a key obeys all rules, as nearly all do. If so, its time is noted.
static bool bplx_check_key_is_good(const tenon_bplx *doc, const tenon_bplx_clip *clip, uint64_t k,
                                   float *last_times)
{
    const uint8_t *key = tn_span_record(&clip->keyframes, k);
    float time = tn_load_f32(key, false);
    uint32_t bone = tn_load32(key + 4, false);
    double square = 0;
    for (uint32_t i = 0; i < 4; i++) {
        double q = tn_load_f32(key + 20 + 4 * i, false);
        square += q * q;
    }
    bool is_good = bone < doc->bone_count && time >= 0 && time <= clip->animation_length &&
                   time >= last_times[bone] && fabs(sqrt(square) - 1) <= UNIT_TOLERANCE;
    if (is_good) last_times[bone] = time;
    return is_good;
}

// `last_times` are -INFINITY before and after.
static void bplx_check_clip(tn_check *check, const tenon_bplx *doc, uint32_t c, float *last_times)
{
    const tenon_bplx_clip *clip = &doc->clips[c];
    tn_check_text(check, BPLX_TEXT_UTF8, tn_path("clips[%" PRIu32 "].name", c), clip->name);
    if (!isfinite(clip->animation_length) || clip->animation_length < 0)
        tn_found(check, BPLX_CLIP_LENGTH, tn_path("clips[%" PRIu32 "].animation_length", c),
                 "the length is %s",
                 isfinite(clip->animation_length) ? "negative" : "not a finite number");
    bool is_finite = tn_span_not_finite(&clip->keyframes, NULL) == TENON_ABSENT;
    for (uint64_t k = 0; k < clip->keyframes.count; k++)
        if (!is_finite || !bplx_check_key_is_good(doc, clip, k, last_times))
            bplx_check_key(check, doc, c, k, last_times);
    for (uint64_t k = 0; k < clip->keyframes.count; k++) {
        uint32_t bone = tn_load32(tn_span_record(&clip->keyframes, k) + 4, false);
        if (bone < doc->bone_count) last_times[bone] = -INFINITY;
    }
}

void bplx_check(tn_check *check, const void *any)
{
    const tenon_bplx *doc = any;
    bplx_check_header(check, doc);
    for (uint32_t i = 0; i < doc->material_list_count; i++)
        bplx_check_material(check, &doc->materials[i], i);
    tn_check_span_finite(check, BPLX_NOT_FINITE, "positions", &doc->positions);
    tn_check_span_finite(check, BPLX_NOT_FINITE, "normals", &doc->normals);
    tn_check_span_finite(check, BPLX_NOT_FINITE, "uvs", &doc->uvs);
    bplx_check_indices(check, doc);
    bplx_check_winding(check, doc);
    for (uint32_t i = 0; i < doc->bone_count; i++) bplx_check_bone(check, doc, i);
    bplx_check_cycles(check, doc);
    float *last_times = tn_check_alloc(check, doc->bone_count, sizeof *last_times);
    for (uint32_t i = 0; last_times && i < doc->bone_count; i++) last_times[i] = -INFINITY;
    for (uint32_t c = 0; last_times && c < doc->clip_count; c++)
        bplx_check_clip(check, doc, c, last_times);
}
