// modeldata_export.c: exports a scene to ModelData or AnimatedModelData.
// SPDX-License-Identifier: MIT
//
// The format has no nodes: static transforms are applied to the vertices, and what moves is bound
// to joints. Every animation has three lists for each joint. If a list has no keys, and before its
// first key, the engine does not change the joint. So all lists with keys start at time 0.

#include "formats/modeldata/export/modeldata_export.h"

#include "core/cursor/span.h"
#include "document/document.h"
#include "exchange/clips/motion.h"
#include "exchange/prepare.h"
#include "scene/pose/pose.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define USUAL_RATE 24  // Ticks per second, if the options do not say.

void *modeldata_export_doc_alloc(modeldata_exporter *exporter, uint64_t count, size_t size)
{
    return tn_arena_alloc_or_fail(&exporter->doc->base.owner->arena, count, size, "the document",
                                  exporter->export.err);
}

// -- Animations

typedef struct modeldata_clip_exporter {
    modeldata_exporter *exporter;
    tn_motion motion;
    float end;      // Ticks.
    bool is_short;  // No list has a key at `end` yet.
    uint64_t list_count;
} modeldata_clip_exporter;

// Seconds are floats, so ticks are rarely exact integers: values close to an integer are rounded.
static float modeldata_export_ticks(const modeldata_exporter *exporter, double seconds)
{
    double ticks = seconds * exporter->rate, whole = floor(ticks + 0.5);
    if (fabs(ticks - whole) <= ticks * 0x1p-23) ticks = whole;
    return ticks < (double)FLT_MAX ? (float)ticks : FLT_MAX;
}

// The list that is being filled.
typedef struct modeldata_list_writer {
    modeldata_clip_exporter *clip;
    uint32_t node;
    tenon_target target;
    uint32_t each;  // Numbers of a value.
    uint8_t *bytes;
    uint32_t count;
    float last_time;
    tn_quat last_rotation;
} modeldata_list_writer;

// Append a key with the value of a joint relative to its parent. The sign of a quaternion is chosen
// so that the interpolation from the previous key is the shorter one.
static void modeldata_export_key(modeldata_list_writer *writer, float time, double seconds)
{
    modeldata_exporter *exporter = writer->clip->exporter;
    const tn_trs *frame = &exporter->node_plans[writer->node].frame;
    tn_trs local = tn_motion_local(&writer->clip->motion, writer->node, seconds);
    float key[5];
    if (writer->count && time <= writer->last_time) time = tn_float_after(writer->last_time);
    key[0] = writer->last_time = time;
    if (writer->target == TENON_ROTATION) {
        tn_quat q = tn_quat_mul(frame->rotation, local.rotation);
        bool is_far = writer->count && tn_quat_dot(q, writer->last_rotation) < 0;
        if (is_far) q = (tn_quat){-q.x, -q.y, -q.z, -q.w};
        writer->last_rotation = q;
        const double v[4] = {q.x, q.y, q.z, q.w};
        for (int i = 0; i < 4; i++) key[1 + i] = (float)v[i];
    } else {
        tn_vec3 result = local.scale;
        if (writer->target == TENON_TRANSLATION) {
            tn_vec3 position = tn_vec3_scale(local.translation, frame->scale.x);
            result = tn_vec3_add(frame->translation, tn_quat_rotate(frame->rotation, position));
        }
        key[1] = tn_narrow(result.x, &exporter->not_finite);
        key[2] = tn_narrow(result.y, &exporter->not_finite);
        key[3] = tn_narrow(result.z, &exporter->not_finite);
    }
    size_t size = (writer->each + 1) * sizeof *key;
    tn_copy_numbers(writer->bytes + size * writer->count, key, writer->each + 1, 4, true);
    writer->count++;
}

// Fill the list of a joint, if a channel of the clip moves it.
static bool modeldata_export_fill_list(modeldata_clip_exporter *clip, uint32_t node,
                                       tenon_target target, tenon_modeldata_keys *list)
{
    modeldata_exporter *exporter = clip->exporter;
    const tenon_layout *layout =
        target == TENON_ROTATION ? &modeldata_rotation_keys : &modeldata_vector_keys;
    tn_times times;
    if (!clip->motion.channels[3 * (size_t)node + (size_t)target]) return true;
    if (!tn_motion_times(&exporter->export, &clip->motion, node, 1u << target, 0, &times))
        return false;
    modeldata_list_writer writer = {.clip = clip, .node = node, .target = target};
    writer.each = target == TENON_ROTATION ? 4 : 3;
    writer.bytes =
        modeldata_export_doc_alloc(exporter, (uint64_t)times.count + 2, (size_t)layout->stride);
    if (!writer.bytes) return false;
    double first = times.at[0], last = times.at[times.count - 1];
    if (modeldata_export_ticks(exporter, first) > 0) modeldata_export_key(&writer, 0, first);
    for (uint32_t i = 0; i < times.count; i++)
        modeldata_export_key(&writer, modeldata_export_ticks(exporter, times.at[i]), times.at[i]);
    if (clip->is_short) modeldata_export_key(&writer, clip->end, last);
    clip->is_short = false;
    clip->list_count++;
    list->keys =
        (tenon_span){writer.bytes, layout->stride * writer.count, writer.count, layout, true};
    return true;
}

static bool modeldata_export_animation(modeldata_exporter *exporter, uint32_t index,
                                       tenon_modeldata_animation *a)
{
    const tenon_animation *from = &exporter->scene->animations[index];
    uint32_t count = exporter->doc->joint_count;
    modeldata_clip_exporter clip = {.exporter = exporter};
    if (!(from->duration * exporter->rate < (double)FLT_MAX / 2))
        return tn_error(exporter->export.err, TENON_ERR_UNSUPPORTED,
                        "an animation is too long for ModelData");
    tenon_modeldata_keys *lists =
        modeldata_export_doc_alloc(exporter, 3 * (uint64_t)count, sizeof *lists);
    if (!lists || !tn_motion_make(&exporter->export, index, &clip.motion)) return false;
    a->positions = lists;
    a->rotations = lists + count;
    a->scales = lists + 2 * (size_t)count;
    a->position_list_count = a->rotation_list_count = a->scale_list_count = count;
    clip.end = modeldata_export_ticks(exporter, from->duration);
    for (uint32_t i = 0; i < from->channel_count; i++) {
        const tenon_channel *c = &from->channels[i];
        bool is_curved = c->curve != TENON_LINEAR && c->key_count > 1 &&
                         (c->target != TENON_SCALE || exporter->is_document);
        tn_tally_at(&exporter->curves, is_curved && exporter->node_plans[c->node].is_keyed,
                    "animations", index);
    }

    int last_target = exporter->is_document ? TENON_SCALE : TENON_ROTATION;
    float last_tick = 0;  // Of all lists.
    for (uint32_t i = exporter->first_joint; i < exporter->joint_count; i++) {
        uint32_t node = exporter->joints[i].node;
        if (node == TENON_NONE || !exporter->node_plans[node].is_keyed) continue;
        for (int target = TENON_TRANSLATION; target <= last_target; target++) {
            const tenon_channel *c = clip.motion.channels[3 * (size_t)node + (size_t)target];
            float last =
                c ? modeldata_export_ticks(exporter, (double)c->times[c->key_count - 1]) : 0;
            if (last > last_tick) last_tick = last;
        }
    }
    clip.is_short = last_tick < clip.end;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = exporter->joints[exporter->first_joint + i].node;
        if (node == TENON_NONE || !exporter->node_plans[node].is_keyed) continue;
        for (int target = TENON_TRANSLATION; target <= last_target; target++)
            if (!modeldata_export_fill_list(&clip, node, (tenon_target)target,
                                            &lists[(size_t)count * (size_t)target + i]))
                return false;
    }
    if (clip.list_count || !(clip.end > 0)) return true;

    // Two keys without effect keep the duration of an animation in which nothing moves: scales,
    // which the engine ignores, or, in the format's document, the rest position of the first joint.
    float keys[8] = {0, 1, 1, 1, clip.end, 1, 1, 1};
    const tn_mat4 *local = &exporter->joints[exporter->first_joint].local;
    for (int i = 0; i < 3 && exporter->is_document; i++)
        keys[1 + i] = keys[5 + i] = tn_narrow(local->m[12 + i], &exporter->not_finite);
    uint8_t *bytes = modeldata_export_doc_alloc(exporter, 1, sizeof keys);
    if (!bytes) return false;
    tn_copy_numbers(bytes, keys, 8, 4, true);
    tenon_modeldata_keys *list = exporter->is_document ? &a->positions[0] : &a->scales[0];
    list->keys = (tenon_span){bytes, sizeof keys, 2, &modeldata_vector_keys, true};
    return true;
}

static bool modeldata_export_animations(modeldata_exporter *exporter)
{
    tenon_modeldata *doc = exporter->doc;
    const tn_export *export = &exporter->export;
    uint32_t count = exporter->scene->animation_count;
    doc->animations = tn_export_alloc(export, count, sizeof *doc->animations);
    tenon_str *names = tn_export_alloc(export, count, sizeof *names);
    if (!doc->animations || !names) return false;
    for (uint32_t i = 0; i < count; i++) names[i] = exporter->scene->animations[i].name;
    if (!tn_unique_names(export, names, count, "animation", &exporter->clip_names)) return false;
    for (uint32_t i = 0; i < count; i++) {
        tn_mark mark = tn_arena_mark(export->arena);
        doc->animations[i].name = names[i];
        if (!modeldata_export_animation(exporter, i, &doc->animations[i])) return false;
        tn_arena_rewind(export->arena, mark);
        doc->animation_count = i + 1;
    }
    return true;
}

// -- The document

static bool modeldata_export_fill_document(modeldata_exporter *exporter, const tn_export *export)
{
    const tenon_dialect *dialect =
        export->dialect ? export->dialect : tn_modeldata_format.face.dialects;
    const tenon_scene *scene = tn_prepare(export, TN_NEEDS_ALL);
    if (!scene) return false;
    *exporter = (modeldata_exporter){
        .export = *export,
        .scene = scene,
        .rate = export->opts->rate,
        .is_document = (dialect->flags & TENON_MODELDATA_DOCUMENT) != 0,
    };
    exporter->export.scene = scene;
    if (!(exporter->rate > 0 && exporter->rate <= DBL_MAX)) exporter->rate = USUAL_RATE;
    tenon_modeldata *doc = exporter->doc =
        tn_export_doc(&exporter->export, &tn_modeldata_format, dialect);
    if (!doc) return false;
    // As the dialect says; else scenes with skins or animations are animated.
    if (dialect->flags & (TENON_MODELDATA_STATIC | TENON_MODELDATA_ANIMATED))
        doc->is_animated = (dialect->flags & TENON_MODELDATA_ANIMATED) != 0;
    else
        doc->is_animated = export->scene->skin_count > 0 || export->scene->animation_count > 0;
    doc->is_column_major = (dialect->flags & TENON_MODELDATA_COLUMN_MAJOR) != 0;
    doc->model_size = MODELDATA_MODEL_MIN;  // There is a model, even without meshes.
    exporter->pose = tenon_pose_new(scene, &export->opts->allocator, export->err);
    if (!exporter->pose) return false;

    if (doc->is_animated) {
        if (!modeldata_export_plan_nodes(exporter) || !modeldata_export_joints(exporter))
            return false;
    } else {  // All meshes are in the rest pose.
        tn_rig *rig = &exporter->rig;
        if (!tn_rig_make(&exporter->export, TN_RIGID_WITHOUT_BONES, false, rig)) return false;
        exporter->part_plans =
            tn_export_alloc(&exporter->export, rig->part_count, sizeof *exporter->part_plans);
        if (!exporter->part_plans) return false;
        for (uint32_t i = 0; i < rig->part_count; i++) {
            const tn_part *part = &rig->parts[i];
            modeldata_part_plan *plan = &exporter->part_plans[i];
            plan->placement = part->is_skinned ? MODELDATA_BY_POSE : MODELDATA_BY_MATRIX;
            plan->is_mirrored = tn_pose_mirrors(exporter->pose, part->node);
            memcpy(plan->matrix.m, tenon_pose_global(exporter->pose, part->node),
                   sizeof plan->matrix.m);
        }
    }
    if (!modeldata_export_materials(exporter) || !modeldata_export_meshes(exporter)) return false;
    return doc->is_animated ? modeldata_export_animations(exporter)
                            : modeldata_dialects_has_meshes(doc, export->err);
}

bool modeldata_export(const tn_export *export)
{
    modeldata_exporter exporter = {0};
    bool ok = modeldata_export_fill_document(&exporter, export) &&
              tn_export_put_doc(&exporter.export, "", exporter.doc);
    if (ok) modeldata_export_report_losses(&exporter);
    tenon_pose_free(exporter.pose);
    return ok && export->err->code == TENON_OK;
}
