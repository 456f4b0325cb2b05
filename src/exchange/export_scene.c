// export_scene.c: write a scene in one format, and measure what it approximates.
// SPDX-License-Identifier: MIT

#include "core/memory/budget.h"
#include "exchange/export_document.h"
#include "exchange/proof.h"
#include "scene/edit/editor.h"
#include "scene/model/scene_build.h"

#include <stdio.h>
#include <string.h>

#define EXPORT_MEMORY ((uint64_t)256 << 20)
#define EXPORT_SHARE  16

// Measure the error of each approximation separately. Approximations that can be applied to the
// scene are. What cannot be separated is one error, measured against the scene with all of these
// applied; the first such loss gets it.
static bool export_scene_measure_approximations(const tn_export *export, const tenon_scene *written)
{
    tenon_scene applied = *export->scene;
    const tenon_verify_opts everything = {.allocator = export->opts->allocator};
    const tenon_verify_opts at_rest = {.allocator = export->opts->allocator, .rest_only = true};
    tn_approximation *remainder = NULL;
    tenon_verify_result result;
    bool has_remainder = false;
    for (tn_approximation *a = export->state->approximations; a; a = a->next)
        has_remainder |= a->measure == TN_MEASURE_REMAINDER;
    for (tn_approximation *a = export->state->approximations; a; a = a->next) {
        if (a->measure == TN_MEASURE_ESTIMATED) {
            if (!has_remainder) a->measure = TN_MEASURE_REMAINDER;
            has_remainder = true;
        } else if (a->measure == TN_MEASURE_INFLUENCES) {
            if (!tn_limit_influences(export->scene, 4, export->arena, &applied, &a->loss.error,
                                     export->err))
                return false;
        } else if (a->measure != TN_MEASURE_REMAINDER) {
            bool is_at_rest = a->measure == TN_MEASURE_AT_REST;
            if (!tenon_verify(export->scene, written, is_at_rest ? &at_rest : &everything, &result,
                              export->err))
                return false;
            a->loss.error = is_at_rest ? result.largest : result.between_frames;
        }
    }
    for (tn_approximation *a = export->state->approximations; a && !remainder; a = a->next)
        if (a->measure == TN_MEASURE_REMAINDER) remainder = a;
    if (!remainder) return true;
    if (!tenon_verify(&applied, written, &everything, &result, export->err)) return false;
    remainder->loss.error = result.largest;
    for (tn_approximation *a = export->state->approximations; a; a = a->next) {
        // An estimate that is larger than what was measured is wrong.
        bool is_joined = a->measure == TN_MEASURE_REMAINDER ||
                         (a->measure == TN_MEASURE_ESTIMATED && a->loss.error > result.largest);
        if (a == remainder || !is_joined) continue;
        a->loss.error = 0;
        size_t size = strlen(a->loss.why) + strlen(remainder->loss.feature) + 32;
        char *why = tn_export_alloc(export, size, 1);
        if (!why) return false;
        (void)snprintf(why, size, "%s; measured together with %s", a->loss.why,
                       remainder->loss.feature);
        a->loss.why = why;
    }
    return true;
}

// The caller's sink, and the budget that counts what it gets.
typedef struct counted_sink {
    const tenon_sink *sink;
    tenon_budget *budget;
} counted_sink;

static bool export_scene_begin_counted(void *user, const char *name)
{
    const counted_sink *counted = user;
    return counted->sink->begin(counted->sink->user, name);
}

static bool export_scene_write_counted(void *user, const void *bytes, size_t size)
{
    const counted_sink *counted = user;
    return tn_budget_output(counted->budget, size) &&
           counted->sink->write(counted->sink->user, bytes, size);
}

static bool export_scene_end_counted(void *user)
{
    const counted_sink *counted = user;
    return counted->sink->end(counted->sink->user);
}

bool tn_export_scene(const tn_format *format, const tenon_dialect *dialect,
                     const tenon_scene *scene, const tenon_export_opts *opts,
                     const tenon_sink *sink, tenon_error *err)
{
    if (!tenon_scene_check(scene, err)) return false;
    bool has_budget = opts->allocator.budget && opts->allocator.budget->memory.limit;
    uint64_t fallback =
        has_budget ? UINT64_MAX : EXPORT_MEMORY + EXPORT_SHARE * scene->owner->arena.used;
    tn_arena arena =
        tn_arena_make(&opts->allocator, opts->max_memory ? opts->max_memory : fallback);
    tn_export_state state = {.pulse = {.events = &opts->events, .budget = opts->allocator.budget},
                             .taken = {.arena = &arena, .are_files = true}};
    counted_sink counted = {sink, opts->allocator.budget};
    const tenon_sink counting = {export_scene_begin_counted, export_scene_write_counted,
                                 export_scene_end_counted, &counted};
    tn_export export = {.scene = scene,
                        .dialect = dialect,
                        .opts = opts,
                        .sink = &counting,
                        .arena = &arena,
                        .err = err,
                        .state = &state};
    bool ok = format->export(&export) && err->code == TENON_OK;
    if (ok && state.approximations) {
        tn_proof proof;
        ok = tn_proof_begin(&proof, format, dialect, scene, opts, err) &&
             export_scene_measure_approximations(&export, proof.scene);
        tn_proof_end(&proof);
        for (tn_approximation *a = state.approximations; a && ok; a = a->next)
            opts->events.on_loss(opts->events.user, &a->loss);
    }
    tn_export_free_docs(&export);
    tn_arena_free(&arena);
    tn_pulse_end(&state.pulse);
    return tn_budget_settle(opts->allocator.budget, ok, err);
}
