// edit_influences.c: fewer joints for each vertex.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"

#include <stdio.h>
#include <string.h>

// -- Leaving out

// The place of the heaviest influence of a vertex that is not taken yet; the first of equals.
static uint32_t heaviest(const float *weights, uint32_t count, const bool *taken)
{
    uint32_t best = TENON_NONE;
    for (uint32_t k = 0; k < count; k++)
        if (!taken[k] && (best == TENON_NONE || weights[k] > weights[best])) best = k;
    return best;
}

// Move the heaviest influences of a vertex over. Returns whether some had to stay behind.
static bool take_heaviest(const tenon_primitive *from, uint64_t vertex, uint32_t most, bool *taken,
                          tenon_primitive *to)
{
    const float *weights = from->weights + vertex * from->influence_count;
    const uint16_t *joints = from->joints + vertex * from->influence_count;
    float *out = to->weights + vertex * to->influence_count;
    uint16_t *out_joints = to->joints + vertex * to->influence_count;
    double sum = 0;
    uint32_t used = 0, count = 0;
    for (uint32_t k = 0; k < from->influence_count; k++) count += weights[k] > 0;
    memset(taken, 0, from->influence_count * sizeof *taken);
    for (; used < most && used < count; used++) {
        uint32_t k = heaviest(weights, from->influence_count, taken);
        taken[k] = true;
        out[used] = weights[k];
        out_joints[used] = joints[k];
        sum += (double)weights[k];
    }
    for (uint32_t k = 0; k < used && count > most; k++) out[k] = tn_to_float((double)out[k] / sum);
    return count > most;
}

// Returns how many vertices lost something.
static uint64_t limit_primitive(tn_editor *editor, tenon_primitive *p, uint32_t most)
{
    uint64_t changed = 0, count = p->vertex_count;
    if (p->influence_count <= most) return 0;
    tenon_primitive out = *p;
    out.influence_count = (most + 3) / 4 * 4;
    out.joints = tn_edit_array(editor, count, out.influence_count * sizeof *out.joints);
    out.weights = tn_edit_array(editor, count, out.influence_count * sizeof *out.weights);
    bool *taken = tn_edit_scratch(editor, p->influence_count, sizeof *taken);
    if (editor->failed) return 0;
    for (uint64_t i = 0; i < count; i++) changed += take_heaviest(p, i, most, taken, &out);
    *p = out;
    return changed;
}

// -- The error

// How far vertices are from where they were, at rest and in all clips: what whoever compares the
// two scenes will find.
static double measure_error(tn_editor *editor, const tenon_scene *before)
{
    const tenon_verify_opts opts = {.allocator = editor->arena->allocator};
    tenon_verify_result result;
    editor->failed = !tenon_verify(before, editor->scene, &opts, &result, editor->err);
    return editor->failed ? 0 : result.largest;
}

// -- The step

void tn_edit_influences(tn_editor *editor)
{
    uint32_t most = editor->opts->max_influences;
    tenon_scene before = *editor->scene;
    if (!most) return;
    uint64_t changed = 0;
    char path[64] = "";
    before.meshes = tn_edit_scratch(editor, before.mesh_count, sizeof *before.meshes);
    for (uint32_t i = 0; i < before.mesh_count && !editor->failed; i++) {
        tenon_mesh *mesh = &editor->scene->meshes[i];
        size_t size = mesh->primitive_count * sizeof *mesh->primitives;
        before.meshes[i] = *mesh;
        before.meshes[i].primitives = tn_edit_scratch(editor, size, 1);
        if (editor->failed) return;
        if (size) memcpy(before.meshes[i].primitives, mesh->primitives, size);
        for (uint32_t k = 0; k < mesh->primitive_count; k++) {
            uint64_t here = limit_primitive(editor, &mesh->primitives[k], most);
            if (here && !changed)
                (void)snprintf(path, sizeof path, "meshes[%u].primitives[%u]", (unsigned)i,
                               (unsigned)k);
            changed += here;
        }
    }
    if (!changed || editor->failed || !editor->opts->lost) return;
    tenon_loss loss = {.kind = TENON_APPROXIMATED,
                       .feature = "influences",
                       .why = "a vertex keeps the heaviest only",
                       .count = changed,
                       .path = path,
                       .error = measure_error(editor, &before)};
    if (!editor->failed) editor->opts->lost(editor->opts->user, &loss);
}

static void take_error(void *user, const tenon_loss *loss)
{
    *(double *)user = loss->error;
}

bool tn_limit_influences(const tenon_scene *scene, uint32_t most, tn_arena *arena,
                         tenon_scene *copy, double *error, tenon_error *err)
{
    tenon_reshape_opts opts = {.max_influences = most, .lost = take_error, .user = error};
    tn_editor editor = {.scene = copy,
                        .opts = &opts,
                        .arena = arena,
                        .scratch = tn_arena_make(&arena->allocator, arena->limit),
                        .err = err,
                        .pulse = {.progress = &opts.progress, .budget = arena->allocator.budget}};
    *error = 0;
    *copy = *scene;
    copy->meshes = tn_edit_array(&editor, scene->mesh_count, sizeof *copy->meshes);
    for (uint32_t i = 0; i < scene->mesh_count && !editor.failed; i++) {
        const tenon_mesh *mesh = &scene->meshes[i];
        size_t size = mesh->primitive_count * sizeof *mesh->primitives;
        copy->meshes[i] = *mesh;
        copy->meshes[i].primitives = tn_edit_array(&editor, size, 1);
        if (size && !editor.failed) memcpy(copy->meshes[i].primitives, mesh->primitives, size);
    }
    if (!editor.failed) tn_edit_influences(&editor);
    tn_arena_free(&editor.scratch);
    return !editor.failed;
}
