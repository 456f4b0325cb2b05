// export_scene.c: write a scene in one format, and measure what it approximates.
// SPDX-License-Identifier: MIT

#include "core/memory/budget.h"
#include "exchange/export_document.h"
#include "exchange/proof.h"
#include "scene/compare/verify.h"
#include "scene/edit/bake_morphs.h"
#include "scene/edit/editor.h"
#include "scene/model/kept.h"
#include "scene/model/scene_build.h"

#include <stdio.h>
#include <string.h>

#define EXPORT_MEMORY ((uint64_t)256 << 20)
#define EXPORT_SHARE  16

// -- Proof

// Give the errors that were measured to the losses. What cannot be separated is one error: the
// first such loss gets it. `remainder` is that loss.
static bool export_scene_assign_remainder(const tn_export *export, tn_approximation *remainder,
                                          double largest)
{
    remainder->loss.error = largest;
    for (tn_approximation *a = export->state->approximations; a; a = a->next) {
        // An estimate that is larger than what was measured is wrong.
        bool is_joined = a->measure == TN_MEASURE_REMAINDER ||
                         (a->measure == TN_MEASURE_ESTIMATED && a->loss.error > largest);
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

// Verify what was written, and measure the error of each approximation separately. Approximations
// that can be applied to the scene are. The others are measured against the scene with all of these
// applied. Most often one comparison answers everything.
static bool export_scene_measure(const tn_export *export, const tenon_scene *written)
{
    tn_approximation *first = export->state->approximations, *remainder = NULL;
    const tenon_verify_opts *asked = export->opts->verify;
    const tenon_verify_opts opts = {.allocator = export->opts->allocator,
                                    .executor = export->opts->executor};
    tenon_scene applied = *export->scene;
    tn_verify_measures same = {0}, other = {0};  // Of the scene; of the scene with changes.
    uint32_t wanted = 0;
    bool is_changed = false;
    for (tn_approximation *a = first; a && !remainder; a = a->next)
        if (a->measure == TN_MEASURE_REMAINDER) remainder = a;
    for (tn_approximation *a = first; a && !remainder; a = a->next)
        if (a->measure == TN_MEASURE_ESTIMATED) remainder = a;
    if (remainder) remainder->measure = TN_MEASURE_REMAINDER;
    for (tn_approximation *a = first; a; a = a->next) {
        if (a->measure == TN_MEASURE_AT_REST) wanted |= TN_VERIFY_AT_REST;
        if (a->measure == TN_MEASURE_BETWEEN_FRAMES) wanted |= TN_VERIFY_BETWEEN_FRAMES;
        if (a->measure != TN_MEASURE_INFLUENCES) continue;
        is_changed = true;
        if (!tn_limit_influences(export->scene, 4, export->arena, &applied, &a->loss.error,
                                 export->err))
            return false;
    }
    if (remainder && !is_changed) wanted |= TN_VERIFY_LARGEST;
    // Whether what the caller wants verified is all that a loss would be measured by.
    bool is_answered = asked && export->source == export->scene && !asked->clip &&
                       !asked->at_one_time && !asked->samples;
    bool is_apart = is_answered && asked->rest_only && written->animation_count > 0;
    uint32_t all = asked && asked->largest_only ? TN_VERIFY_VERDICT : TN_VERIFY_ALL;
    if (is_apart && (wanted & TN_VERIFY_BETWEEN_FRAMES)) is_answered = is_apart = false;
    if (is_apart && wanted) all |= TN_VERIFY_CLIPS_APART;
    if (asked && !tn_verify(export->source, written, asked, all, &same, export->err)) return false;
    if (asked && export->opts->verified) *export->opts->verified = same.result;
    if (wanted && !is_answered &&
        !tn_verify(export->scene, written, &opts, wanted, &same, export->err))
        return false;
    if (remainder && is_changed &&
        !tn_verify(&applied, written, &opts, TN_VERIFY_LARGEST, &other, export->err))
        return false;
    for (tn_approximation *a = first; a; a = a->next) {
        if (a->measure == TN_MEASURE_AT_REST) a->loss.error = same.at_rest;
        if (a->measure == TN_MEASURE_BETWEEN_FRAMES) a->loss.error = same.result.between_frames;
    }
    double largest = is_changed ? other.result.largest
                     : is_apart ? same.in_clips
                                : same.result.largest;
    return !remainder || export_scene_assign_remainder(export, remainder, largest);
}

static bool export_scene_prove(const tn_export *export, tn_proof *proof)
{
    return tn_proof_read(proof) && export_scene_measure(export, proof->scene);
}

// -- Morph targets

// Apply the morph targets of a scene to a copy, which is exported instead. What their animation
// loses is measured in the scene alone. The formats themselves see no morph targets.
static bool export_scene_bake_morphs(tn_export *export, const char *title, tenon_scene *baked)
{
    const tenon_scene *scene = export->scene;
    const tenon_verify_opts verify_opts = {.allocator = export->opts->allocator,
                                           .executor = export->opts->executor};
    bool is_moving = tn_has_moving_morphs(scene);
    tn_verify_measures measures = {0};
    if (!tn_bake_morphs(scene, export->arena, baked, export->err)) return false;
    export->scene = baked;
    if (!export->opts->events.on_loss) return true;
    if (is_moving &&
        !tn_verify(scene, baked, &verify_opts, TN_VERIFY_LARGEST, &measures, export->err))
        return false;
    char why[96];
    (void)snprintf(why, sizeof why, "not supported by %s: applied as they are at rest", title);
    tenon_loss loss = {.kind = is_moving ? TENON_APPROXIMATED : TENON_DROPPED,
                       .feature = is_moving ? "animations of morph targets" : "morph targets",
                       .why = why,
                       .count = tn_count_morphs(scene),
                       .path = "meshes",
                       .error = measures.result.largest};
    export->opts->events.on_loss(export->opts->events.user, &loss);
    return true;
}

// -- Output

// What an export writes goes to the caller's sink, and to memory if it may have to be proved.
typedef struct export_output {
    const tenon_sink *sink;
    tenon_budget *budget;
    const tn_export_state *state;
    tn_memory_folder *kept;  // NULL: nothing will be proved.
    tenon_sink memory;
} export_output;

// A proof compares shapes and poses, so it needs no pictures beside the model.
static bool export_scene_keeps_file(const export_output *output)
{
    return output->kept && !output->state->is_in_picture;
}

static bool export_scene_begin_file(void *user, const char *name)
{
    const export_output *output = user;
    if (!output->sink->begin(output->sink->user, name)) return false;
    return !export_scene_keeps_file(output) || output->memory.begin(output->kept, name);
}

static bool export_scene_write_file(void *user, const void *bytes, size_t size)
{
    const export_output *output = user;
    if (!tn_budget_output(output->budget, size) ||
        !output->sink->write(output->sink->user, bytes, size))
        return false;
    return !export_scene_keeps_file(output) || output->memory.write(output->kept, bytes, size);
}

static bool export_scene_end_file(void *user)
{
    const export_output *output = user;
    return output->sink->end(output->sink->user);
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
    tn_proof proof;
    tn_proof_begin(&proof, format, opts, err);
    export_output output = {.sink = sink,
                            .budget = opts->allocator.budget,
                            .state = &state,
                            .kept = opts->events.on_loss || opts->verify ? &proof.folder : NULL,
                            .memory = tn_memory_sink(&proof.folder)};
    const tenon_sink both = {export_scene_begin_file, export_scene_write_file,
                             export_scene_end_file, &output};
    tn_export export = {.scene = scene,
                        .source = scene,
                        .dialect = dialect,
                        .opts = opts,
                        .sink = &both,
                        .arena = &arena,
                        .err = err,
                        .state = &state};
    tenon_scene baked;
    tn_report_kept(scene, &format->face, &opts->events);
    bool ok = format->holds_morphs || tn_count_morphs(scene) == 0 ||
              export_scene_bake_morphs(&export, format->face.title, &baked);
    ok = ok && format->export(&export) && err->code == TENON_OK;
    if (proof.folder.has_no_memory) ok = tn_error(err, TENON_ERR_MEMORY, "out of memory");
    if (ok && (state.approximations || opts->verify)) ok = export_scene_prove(&export, &proof);
    for (tn_approximation *a = state.approximations; a && ok; a = a->next)
        opts->events.on_loss(opts->events.user, &a->loss);
    tn_proof_end(&proof);
    tn_export_free_docs(&export);
    tn_arena_free(&arena);
    tn_pulse_end(&state.pulse);
    return tn_budget_settle(opts->allocator.budget, ok, err);
}
