// export.c: how formats write a scene.
// SPDX-License-Identifier: MIT

#include "exchange/export.h"

#include "core/math/math.h"

#include <stdio.h>

// -- Losses

void tn_export_report(const tn_export *export, tenon_loss_kind kind, const char *feature,
                      uint64_t count, const char *path, const char *why)
{
    tenon_loss loss = {.kind = kind, .feature = feature, .why = why, .count = count, .path = path};
    if (export->opts->events.on_loss && count)
        export->opts->events.on_loss(export->opts->events.user, &loss);
}

void tn_export_report_tally(const tn_export *export, const tn_tally *tally, tenon_loss_kind kind,
                            const char *feature, const char *why)
{
    tn_export_report(export, kind, feature, tally->count, tally->path, why);
}

static void export_add_approximation(const tn_export *export, tn_measure measure,
                                     const tenon_loss *loss)
{
    if (!loss->count || !export->opts->events.on_loss) return;
    tn_approximation *added = tn_export_alloc(export, 1, sizeof *added);
    if (!added) return;
    *added = (tn_approximation){.measure = measure, .loss = *loss};
    added->loss.kind = TENON_APPROXIMATED;
    if (loss->path) {
        (void)snprintf(added->path, sizeof added->path, "%s", loss->path);
        added->loss.path = added->path;
    }
    tn_approximation **end = &export->state->approximations;
    while (*end) end = &(*end)->next;
    *end = added;
}

void tn_export_approximate(const tn_export *export, tn_measure measure, const char *feature,
                           uint64_t count, const char *path, const char *why)
{
    tenon_loss loss = {.feature = feature, .why = why, .count = count, .path = path};
    export_add_approximation(export, measure, &loss);
}

void tn_export_approximate_by(const tn_export *export, double error, const char *feature,
                              uint64_t count, const char *path, const char *why)
{
    tenon_loss loss = {
        .feature = feature, .why = why, .count = count, .path = path, .error = error};
    export_add_approximation(export, TN_MEASURE_ESTIMATED, &loss);
}

// -- Nodes

bool tn_is_unmoved(const tenon_node *node)
{
    for (int i = 0; node->has_matrix && i < 16; i++)
        if (node->matrix[i] != (i % 5 == 0)) return false;
    if (node->has_matrix) return true;
    for (int i = 0; i < 3; i++)
        if (node->translation[i] != 0 || node->rotation[i] != 0 || node->scale[i] != 1)
            return false;
    return node->rotation[3] == 1;
}

// -- Textures

bool tn_texture_rows(const tenon_texture *texture, double rows[2][3])
{
    const double *scale = texture->scale, *offset = texture->offset;
    double sine = tn_sin(texture->rotation), cosine = tn_cos(texture->rotation);
    rows[0][0] = cosine * scale[0], rows[0][1] = sine * scale[1], rows[0][2] = offset[0];
    rows[1][0] = -sine * scale[0], rows[1][1] = cosine * scale[1], rows[1][2] = offset[1];
    return texture->rotation != 0 || offset[0] != 0 || offset[1] != 0 || scale[0] != 1 ||
           scale[1] != 1;
}

// -- Progress and errors

static bool export_fail_cancelled(const tn_export *export)
{
    if (export->err->code == TENON_OK)
        (void)tn_error(export->err, TENON_ERR_CANCELLED, "cancelled");
    return false;
}

bool tn_export_step(const tn_export *export, uint64_t mesh_count, uint64_t clip_count)
{
    const tenon_scene *scene = export->scene;
    uint64_t total = (uint64_t)scene->mesh_count + scene->animation_count;
    return tn_pulse_report(&export->state->pulse, mesh_count + clip_count, total) ||
           export_fail_cancelled(export);
}

bool tn_export_goes_on(const tn_export *export, uint32_t steps)
{
    return tn_goes_on(&export->state->pulse, steps) || export_fail_cancelled(export);
}

bool tn_export_expect(const tn_export *export, bool ok)
{
    if (ok || export->err->code != TENON_OK) return ok;
    if (export->state->pulse.stopped) return export_fail_cancelled(export);
    return tn_error(export->err, TENON_ERR_MEMORY, "out of memory while writing");
}

void *tn_export_alloc(const tn_export *export, uint64_t count, size_t size)
{
    bool is_first_error = export->err->code == TENON_OK;
    return tn_arena_alloc_or_fail(export->arena, count, size, "the export",
                                  is_first_error ? export->err : NULL);
}

// -- Output

// A sink that refuses may have set an error that says why.
static bool export_expect_accepted(const tn_export *export, bool ok)
{
    if (!ok && export->err->code == TENON_OK)
        (void)tn_error(export->err, TENON_ERR_IO, "the output was refused");
    return ok;
}

static bool export_begin_file(const tn_export *export, const char *name, bool is_picture)
{
    export->state->is_in_picture = is_picture;
    return export->err->code == TENON_OK &&
           export_expect_accepted(export, export->sink->begin(export->sink->user, name));
}

bool tn_export_begin(const tn_export *export, const char *name)
{
    return export_begin_file(export, name, false);
}

bool tn_export_begin_picture(const tn_export *export, const char *name)
{
    return export_begin_file(export, name, true);
}

bool tn_export_write(const tn_export *export, const void *bytes, size_t size)
{
    return export->err->code == TENON_OK &&
           export_expect_accepted(export, export->sink->write(export->sink->user, bytes, size));
}

bool tn_export_end(const tn_export *export)
{
    return export->err->code == TENON_OK &&
           export_expect_accepted(export, export->sink->end(export->sink->user));
}
