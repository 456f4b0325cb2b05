// edit_influences.c: limit the number of joints for each vertex.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"
#include "scene/edit/editor.h"
#include "scene/model/scene_finish.h"

#include <string.h>

// Copy the heaviest influences of a vertex, the first of equal ones first. `is_taken` has room for
// all influences. Returns whether some were left out.
static bool edit_influences_copy_heaviest(const tenon_primitive *from, uint64_t vertex,
                                          uint32_t most, bool *is_taken, tenon_primitive *to)
{
    const float *weights = from->weights + vertex * from->influence_count;
    const uint16_t *joints = from->joints + vertex * from->influence_count;
    float *out = to->weights + vertex * to->influence_count;
    uint16_t *out_joints = to->joints + vertex * to->influence_count;
    double sum = 0;
    uint32_t used = 0, count = 0;
    for (uint32_t k = 0; k < from->influence_count; k++) count += weights[k] > 0;
    memset(is_taken, 0, from->influence_count * sizeof *is_taken);
    for (; used < most && used < count; used++) {
        uint32_t best = TENON_NONE;
        for (uint32_t k = 0; k < from->influence_count; k++)
            if (!is_taken[k] && (best == TENON_NONE || weights[k] > weights[best])) best = k;
        is_taken[best] = true;
        out[used] = weights[best];
        out_joints[used] = joints[best];
        sum += (double)weights[best];
    }
    for (uint32_t k = 0; k < used && count > most; k++) out[k] = tn_to_float((double)out[k] / sum);
    return count > most;
}

// Returns how many vertices lost influences.
static uint64_t edit_influences_limit_primitive(tn_editor *editor, tenon_primitive *p,
                                                uint32_t most)
{
    uint64_t changed = 0, count = p->vertex_count;
    if (p->influence_count <= most) return 0;
    tenon_primitive out = *p;
    out.influence_count = (most + 3) / 4 * 4;
    out.joints = tn_edit_array(editor, count, out.influence_count * sizeof *out.joints);
    out.weights = tn_edit_array(editor, count, out.influence_count * sizeof *out.weights);
    bool *is_taken = tn_edit_scratch(editor, p->influence_count, sizeof *is_taken);
    if (editor->failed) return 0;
    for (uint64_t i = 0; i < count; i++)
        changed += edit_influences_copy_heaviest(p, i, most, is_taken, &out);
    *p = out;
    return changed;
}

void tn_edit_influences(tn_editor *editor)
{
    uint32_t most = editor->meshes->max_influences;
    if (!most) return;
    tenon_scene before = *editor->scene;
    tn_tally changed = {0};
    before.meshes = tn_edit_scratch(editor, before.mesh_count, sizeof *before.meshes);
    for (uint32_t i = 0; i < before.mesh_count && !editor->failed; i++) {
        tenon_mesh *mesh = &editor->scene->meshes[i];
        size_t size = mesh->primitive_count * sizeof *mesh->primitives;
        before.meshes[i] = *mesh;
        before.meshes[i].primitives = tn_edit_scratch(editor, size, 1);
        if (editor->failed) return;
        if (size) memcpy(before.meshes[i].primitives, mesh->primitives, size);
        for (uint32_t k = 0; k < mesh->primitive_count; k++)
            tn_tally_in(&changed,
                        edit_influences_limit_primitive(editor, &mesh->primitives[k], most),
                        "meshes", i, "primitives", k);
    }
    if (!changed.count || editor->failed || !editor->events->on_loss) return;
    // The error is what a comparison of the two scenes finds, in the rest pose and in all clips.
    const tenon_verify_opts verify_opts = {.allocator = editor->arena->allocator};
    tn_verify_measures measures;
    editor->failed =
        !tn_verify(&before, editor->scene, &verify_opts, TN_VERIFY_LARGEST, &measures, editor->err);
    if (editor->failed) return;
    tenon_loss loss = {.kind = TENON_APPROXIMATED,
                       .feature = "influences",
                       .why = "each vertex keeps only the heaviest",
                       .count = changed.count,
                       .path = changed.path,
                       .error = measures.result.largest};
    editor->events->on_loss(editor->events->user, &loss);
}

static void edit_influences_take_error(void *user, const tenon_loss *loss)
{
    *(double *)user = loss->error;
}

bool tn_limit_influences(const tenon_scene *scene, uint32_t most, tn_arena *arena,
                         tenon_scene *copy, double *error, tenon_error *err)
{
    const tenon_events events = {.user = error, .on_loss = edit_influences_take_error};
    const tenon_edit_mesh_opts opts = {.max_influences = most};
    tn_editor editor = {.scene = copy,
                        .meshes = &opts,
                        .events = &events,
                        .arena = arena,
                        .scratch = tn_arena_make(&arena->allocator, arena->limit),
                        .err = err,
                        .pulse = {.events = &events, .budget = arena->allocator.budget}};
    *error = 0;
    *copy = *scene;
    copy->meshes = tn_edit_copy(&editor, scene->meshes, scene->mesh_count, sizeof *copy->meshes);
    for (uint32_t i = 0; i < scene->mesh_count && !editor.failed; i++) {
        tenon_mesh *mesh = &copy->meshes[i];
        mesh->primitives = tn_edit_copy(&editor, mesh->primitives, mesh->primitive_count,
                                        sizeof *mesh->primitives);
    }
    if (!editor.failed) tn_edit_influences(&editor);
    tn_arena_free(&editor.scratch);
    return !editor.failed;
}
