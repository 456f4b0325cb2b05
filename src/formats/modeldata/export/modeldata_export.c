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

// Seconds are floats, so ticks are rarely exact integers: values close to an integer are rounded.
static float modeldata_export_ticks(const modeldata_exporter *exporter, double seconds)
{
    double ticks = seconds * exporter->rate, whole = floor(ticks + 0.5);
    if (fabs(ticks - whole) <= ticks * 0x1p-23) ticks = whole;
    return ticks < (double)FLT_MAX ? (float)ticks : FLT_MAX;
}

// Fill the list of a joint with keys relative to its parent, if a channel of the clip moves it. A
// key is added at the start, and, if `end` is not NULL, at that tick.
static bool modeldata_export_list(modeldata_exporter *exporter, const tn_motion *motion,
                                  uint32_t node, tenon_target target, const float *end,
                                  tenon_modeldata_keys *list)
{
    bool is_rotation = target == TENON_ROTATION;
    const tenon_layout *layout = is_rotation ? &modeldata_rotation_keys : &modeldata_vector_keys;
    const tn_trs *frame = &exporter->node_plans[node].frame;
    tn_times times;
    if (!motion->channels[3 * (size_t)node + (size_t)target]) return true;
    if (!tn_motion_times(&exporter->export, motion, node, 1u << target, 0, &times)) return false;
    uint8_t *bytes =
        modeldata_export_doc_alloc(exporter, (uint64_t)times.count + 2, (size_t)layout->stride);
    if (!bytes) return false;
    float last_time = 0;
    tn_quat last_rotation = {0};
    uint64_t count = 0;
    for (uint64_t i = 0; i < (uint64_t)times.count + 2; i++) {
        bool is_start = i == 0, is_end = i > times.count;
        double seconds = times.at[is_start ? 0 : is_end ? times.count - 1 : i - 1];
        float time = modeldata_export_ticks(exporter, seconds), key[5];
        if (is_start ? !(time > 0) : is_end && !end) continue;
        if (is_start) time = 0;
        if (is_end) time = *end;
        if (count && time <= last_time) time = tn_float_after(last_time);
        key[0] = last_time = time;
        tn_trs local = tn_motion_local(motion, node, seconds);
        tn_vec3 vector = local.scale;
        if (is_rotation) {
            // The sign is chosen so that the interpolation from the previous key is the shorter
            // one.
            tn_quat q = tn_quat_mul(frame->rotation, local.rotation);
            if (count && tn_quat_dot(q, last_rotation) < 0) q = (tn_quat){-q.x, -q.y, -q.z, -q.w};
            last_rotation = q;
            const double v[4] = {q.x, q.y, q.z, q.w};
            for (int k = 0; k < 4; k++) key[1 + k] = (float)v[k];
        } else {
            if (target == TENON_TRANSLATION) {
                vector = tn_vec3_scale(local.translation, frame->scale.x);
                vector = tn_vec3_add(frame->translation, tn_quat_rotate(frame->rotation, vector));
            }
            key[1] = tn_narrow(vector.x, &exporter->not_finite);
            key[2] = tn_narrow(vector.y, &exporter->not_finite);
            key[3] = tn_narrow(vector.z, &exporter->not_finite);
        }
        tn_copy_numbers(bytes + layout->stride * count++, key, layout->stride / 4, 4, true);
    }
    list->keys = (tenon_span){bytes, layout->stride * count, count, layout, true};
    return true;
}

static bool modeldata_export_animation(modeldata_exporter *exporter, uint32_t index,
                                       tenon_modeldata_animation *a)
{
    const tenon_animation *from = &exporter->scene->animations[index];
    uint32_t count = exporter->doc->joint_count;
    tn_motion motion = {0};
    if (!(from->duration * exporter->rate < (double)FLT_MAX / 2))
        return tn_error(exporter->export.err, TENON_ERR_UNSUPPORTED,
                        "an animation is too long for ModelData");
    tenon_modeldata_keys *lists =
        modeldata_export_doc_alloc(exporter, 3 * (uint64_t)count, sizeof *lists);
    if (!lists || !tn_motion_make(&exporter->export, index, &motion)) return false;
    a->positions = lists;
    a->rotations = lists + count;
    a->scales = lists + 2 * (size_t)count;
    a->position_list_count = a->rotation_list_count = a->scale_list_count = count;
    float end = modeldata_export_ticks(exporter, from->duration);
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
            const tenon_channel *c = motion.channels[3 * (size_t)node + (size_t)target];
            float last =
                c ? modeldata_export_ticks(exporter, (double)c->times[c->key_count - 1]) : 0;
            if (last > last_tick) last_tick = last;
        }
    }
    bool is_short = last_tick < end, is_moving = false;  // The first list gets a key at the end.
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = exporter->joints[exporter->first_joint + i].node;
        if (node == TENON_NONE || !exporter->node_plans[node].is_keyed) continue;
        for (int target = TENON_TRANSLATION; target <= last_target; target++) {
            tenon_modeldata_keys *list = &lists[(size_t)count * (size_t)target + i];
            if (!modeldata_export_list(exporter, &motion, node, (tenon_target)target,
                                       is_short && !is_moving ? &end : NULL, list))
                return false;
            is_moving = is_moving || list->keys.count;
        }
    }
    if (is_moving || !(end > 0)) return true;

    // Two keys without effect keep the duration of an animation in which nothing moves: scales,
    // which the engine ignores, or, in the format's document, the rest position of the first joint.
    float keys[8] = {0, 1, 1, 1, end, 1, 1, 1};
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
