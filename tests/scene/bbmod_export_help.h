// bbmod_export_help.h: scenes written as BBMOD, and what was written, read again.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_BBMOD_EXPORT_HELP_H
#define TENON_TESTS_BBMOD_EXPORT_HELP_H

#include "gltf_scenes.h"

#include <tenon/bbmod.h>

// -- Writing

// Write the scene, which is called "box", to memory; what was there before is freed.
static inline bool make_bbmod(tenon_export_opts opts)
{
    kept_free(&k);
    if (!opts.name) opts.name = "box";
    return write_scene(b.scene, "bbmod", opts, &k);
}

// A file that was written, as a document, which borrows the bytes; NULL if there is no such file.
static inline tenon_doc *made_doc(const char *name)
{
    tenon_error err;
    const kept_file *file = kept_named(&k, name);
    tenon_doc *doc = file ? tenon_read(file->bytes, file->size, NULL, &err) : NULL;
    CHECK(doc != NULL);
    return doc;
}

static inline tenon_bbmod *made_model(void)
{
    return tenon_as_bbmod(made_doc(""));
}

static inline tenon_bbanim *made_clip(const char *name)
{
    return tenon_as_bbanim(made_doc(name));
}

// The loss of that feature; NULL if it was not reported.
static inline const tenon_loss *reported(tenon_loss_kind kind, const char *feature)
{
    for (int i = 0; i < k.loss_count; i++)
        if (k.losses[i].kind == kind && strcmp(k.losses[i].feature, feature) == 0)
            return &k.losses[i];
    return NULL;
}

// -- Looking

static inline float float_at(const uint8_t *p)
{
    uint32_t bits = le32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Whether `count` floats at a place are these.
static inline bool floats_are(const uint8_t *p, const double *want, int count)
{
    for (int i = 0; i < count; i++) {
        double got = (double)float_at(p + 4 * i);
        if (fabs(got - want[i]) <= 1e-6) continue;
        fprintf(stderr, "number %d is %.9g, not %.9g\n", i, got, want[i]);
        return false;
    }
    return true;
}

static inline const uint8_t *vertex_of(const tenon_bbmod *model, uint32_t mesh, uint32_t vertex)
{
    const tenon_span *span = &model->meshes[mesh].vertices;
    return span->data + vertex * span->layout->stride;
}

// Where a dual quaternion moves the origin to.
static inline void origin_of(const float q[8], double out[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = 2 * ((double)q[4 + i] * q[3] - (double)q[7] * q[i] + (double)q[4 + l] * q[j] -
                      (double)q[4 + j] * q[l]);
    }
}

static inline bool origin_is(const float q[8], double x, double y, double z)
{
    double got[3];
    origin_of(q, got);
    return fabs(got[0] - x) + fabs(got[1] - y) + fabs(got[2] - z) <= 1e-6;
}

// -- Proving

// The largest distance of the written model from the scene; corners are compared, and nothing may
// be missing.
static inline double made_error(tenon_export_opts opts)
{
    tenon_verify_result result = {0};
    tenon_error err;
    opts.format = "bbmod";
    bool ok = tenon_export_verify(b.scene, &opts, NULL, &result, &err);
    if (!ok) fprintf(stderr, "%s: %s\n", err.path, err.message);
    CHECK(ok && !result.by_surface && result.reversed == 0);
    CHECK(result.missing_clips == 0 && result.missing_meshes == 0 && result.extra_clips == 0);
    return ok ? result.largest : 1;
}

static inline void count_finding(void *user, const tenon_finding *finding)
{
    if (finding->rule->severity != TENON_ERROR) return;
    fprintf(stderr, "%s: %s: %s\n", finding->rule->id, finding->path, finding->message);
    ++*(int *)user;
}

// Errors that the check of the engine's profile finds in a file.
static inline int errors_in(const char *name, const tenon_doc *model)
{
    tenon_error err;
    tenon_check_result result;
    int count = 0;
    tenon_doc *doc = made_doc(name);
    tenon_check_opts opts = {.profile = "bbmod", .model = model};
    CHECK(doc && tenon_check(doc, &opts, count_finding, &count, &result, &err));
    tenon_doc_free(doc);
    return count;
}

#endif  // TENON_TESTS_BBMOD_EXPORT_HELP_H
