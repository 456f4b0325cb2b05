// scene_export.c: how formats write a scene.
// SPDX-License-Identifier: MIT

#include "scene_export.h"

#include <stdio.h>

void tn_export_lose(const tn_export *e, tenon_loss_kind kind, const char *feature, uint64_t count,
                    const char *path, const char *why)
{
    tenon_loss loss = {.kind = kind, .feature = feature, .why = why, .count = count, .path = path};
    if (e->opts->lost && count) e->opts->lost(e->opts->user, &loss);
}

void tn_export_approximate(const tn_export *e, const char *feature, uint64_t count,
                           const char *path, const char *why)
{
    tn_approximation *a = count && e->opts->lost ? tn_export_alloc(e, 1, sizeof *a) : NULL;
    if (!a) return;
    (void)snprintf(a->path, sizeof a->path, "%s", path ? path : "");
    a->loss = (tenon_loss){TENON_APPROXIMATED, feature, why, count, path ? a->path : NULL, 0};
    tn_approximation **end = &e->state->approximations;
    while (*end) end = &(*end)->next;
    *end = a;
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

void *tn_export_alloc(const tn_export *e, uint64_t count, size_t size)
{
    tn_refusal why = TN_GRANTED;
    void *memory = tn_arena_alloc(e->arena, count, size, &why);
    if (!memory && e->err->code == TENON_OK)
        tn_error(e->err, why == TN_OVER_LIMIT ? TENON_ERR_LIMIT : TENON_ERR_MEMORY,
                 "out of memory while writing");
    return memory;
}

// The sink knows why it stopped, and has said so where it wants to.
static bool go_on(const tn_export *e, bool ok)
{
    if (!ok && e->err->code == TENON_OK)
        (void)tn_error(e->err, TENON_ERR_IO, "the output was refused");
    return ok;
}

bool tn_export_begin(const tn_export *e, const char *name)
{
    return e->err->code == TENON_OK && go_on(e, e->sink->begin(e->sink->user, name));
}

bool tn_export_write(const tn_export *e, const void *bytes, size_t size)
{
    return e->err->code == TENON_OK && go_on(e, e->sink->write(e->sink->user, bytes, size));
}

bool tn_export_end(const tn_export *e)
{
    return e->err->code == TENON_OK && go_on(e, e->sink->end(e->sink->user));
}
