// export.c: how formats write a scene.
// SPDX-License-Identifier: MIT

#include "exchange/export.h"

#include <stdio.h>
#include <string.h>

void tn_export_report(const tn_export *export, tenon_loss_kind kind, const char *feature,
                      uint64_t count, const char *path, const char *why)
{
    tenon_loss loss = {.kind = kind, .feature = feature, .why = why, .count = count, .path = path};
    if (export->opts->lost && count) export->opts->lost(export->opts->user, &loss);
}

void tn_export_report_tally(const tn_export *export, const tn_tally *tally, tenon_loss_kind kind,
                            const char *feature, const char *why)
{
    tn_export_report(export, kind, feature, tally->count, tally->path, why);
}

static void approximate(const tn_export *export, tn_measure measure, double error,
                        const char *feature, uint64_t count, const char *path, const char *why)
{
    tn_approximation *a =
        count && export->opts->lost ? tn_export_alloc(export, 1, sizeof *a) : NULL;
    if (!a) return;
    (void)snprintf(a->path, sizeof a->path, "%s", path ? path : "");
    a->measure = measure;
    a->loss = (tenon_loss){.kind = TENON_APPROXIMATED,
                           .feature = feature,
                           .why = why,
                           .count = count,
                           .path = path ? a->path : NULL,
                           .error = error};
    tn_approximation **end = &export->state->approximations;
    while (*end) end = &(*end)->next;
    *end = a;
}

void tn_export_approximate(const tn_export *export, tn_measure measure, const char *feature,
                           uint64_t count, const char *path, const char *why)
{
    approximate(export, measure, 0, feature, count, path, why);
}

void tn_export_approximate_by(const tn_export *export, double error, const char *feature,
                              uint64_t count, const char *path, const char *why)
{
    approximate(export, TN_MEASURE_ESTIMATED, error, feature, count, path, why);
}

bool tn_is_double_sided(const tenon_material *m)
{
    return m->double_sided;
}

bool tn_is_unlit(const tenon_material *m)
{
    return m->is_unlit;
}

bool tn_has_strengths(const tenon_material *m)
{
    return m->normal_scale != 1 || m->occlusion_strength != 1;
}

bool tn_is_unmoved(const tenon_node *node)
{
    static const double unmoved[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    double own[10];
    for (int i = 0; node->has_matrix && i < 16; i++)
        if (node->matrix[i] != (i % 5 == 0)) return false;
    if (node->has_matrix) return true;
    memcpy(own, node->translation, sizeof node->translation);
    memcpy(own + 3, node->rotation, sizeof node->rotation);
    memcpy(own + 7, node->scale, sizeof node->scale);
    for (int i = 0; i < 10; i++)
        if (own[i] != unmoved[i]) return false;
    return true;
}

// Whether a name says something that the path does not.
static bool has_own_name(const tenon_image *image)
{
    tenon_str name = image->name, path = image->path;
    uint32_t start = path.size, end = path.size;
    if (name.size == 0 || path.size == 0) return false;
    while (start > 0 && path.data[start - 1] != '/') start--;
    for (uint32_t i = end; i-- > start + 1 && end == path.size;)
        if (path.data[i] == '.') end = i;
    return name.size != end - start || memcmp(name.data, path.data + start, name.size) != 0;
}

void tn_export_report_picture_names(const tn_export *export)
{
    uint64_t count = 0;
    char path[32] = "";
    for (uint32_t i = 0; i < export->scene->image_count; i++) {
        if (!has_own_name(&export->scene->images[i])) continue;
        if (count++ == 0) (void)snprintf(path, sizeof path, "images[%u]", (unsigned)i);
    }
    tn_export_report(export, TENON_DROPPED, "names of pictures", count, path,
                     "only the paths of pictures are stored");
}

static bool expect_wanted(const tn_export *export, bool is_wanted)
{
    if (is_wanted || export->err->code != TENON_OK) return is_wanted;
    return tn_error(export->err, TENON_ERR_CANCELLED, "cancelled");
}

bool tn_export_step(const tn_export *export, uint64_t mesh_count, uint64_t clip_count)
{
    uint64_t total = (uint64_t) export->scene->mesh_count + export->scene->animation_count;
    return expect_wanted(export,
                         tn_pulse_report(&export->state->pulse, mesh_count + clip_count, total));
}

bool tn_export_goes_on(const tn_export *export, uint32_t steps)
{
    return expect_wanted(export, tn_goes_on(&export->state->pulse, steps));
}

bool tn_export_expect(const tn_export *export, bool ok)
{
    if (ok || export->err->code != TENON_OK) return ok;
    if (export->state->pulse.stopped) return expect_wanted(export, false);
    return tn_error(export->err, TENON_ERR_MEMORY, "out of memory while writing");
}

void *tn_export_alloc(const tn_export *export, uint64_t count, size_t size)
{
    tenon_error *err =
        export->err->code == TENON_OK ? export->err : NULL;  // The first error is kept.
    return tn_arena_alloc_or_fail(export->arena, count, size, "the export", err);
}

// The sink knows why it stopped, and has said so where it wants to.
static bool go_on(const tn_export *export, bool ok)
{
    if (!ok && export->err->code == TENON_OK)
        (void)tn_error(export->err, TENON_ERR_IO, "the output was refused");
    return ok;
}

bool tn_export_begin(const tn_export *export, const char *name)
{
    return export->err->code == TENON_OK &&
           go_on(export, export->sink->begin(export->sink->user, name));
}

bool tn_export_write(const tn_export *export, const void *bytes, size_t size)
{
    return export->err->code == TENON_OK &&
           go_on(export, export->sink->write(export->sink->user, bytes, size));
}

bool tn_export_end(const tn_export *export)
{
    return export->err->code == TENON_OK && go_on(export, export->sink->end(export->sink->user));
}
