// bbmod_import_help.h: BBMOD models with their animations, imported, and what was lost.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_BBMOD_IMPORT_HELP_H
#define TENON_TESTS_BBMOD_IMPORT_HELP_H

#include "../formats/model_help.h"

#include <tenon/bbmod.h>
#include <tenon/scene.h>

#include <math.h>

#define MODELS      "tests/fixtures/bbmod/"
#define ANIMATIONS  "tests/fixtures/bbanim/"
#define CLIPS_MOST  40
#define LOSSES_MOST 64

// -- Models with their animations

typedef struct losses {
    uint32_t count;
    struct {
        tenon_loss_kind kind;
        uint64_t count;
        char feature[48], path[96], why[128];
    } list[LOSSES_MOST];
} losses;

static inline void note_loss(void *user, const tenon_loss *loss)
{
    losses *l = user;
    if (l->count == LOSSES_MOST) return;
    l->list[l->count].kind = loss->kind;
    l->list[l->count].count = loss->count;
    snprintf(l->list[l->count].feature, 48, "%s", loss->feature);
    snprintf(l->list[l->count].path, 96, "%s", loss->path ? loss->path : "");
    snprintf(l->list[l->count++].why, 128, "%s", loss->why);
}

// How often a loss of a feature was reported, the first at that path.
static inline uint64_t lost(const losses *l, tenon_loss_kind kind, const char *feature,
                            const char *path)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->list[i].kind == kind && strcmp(l->list[i].feature, feature) == 0 &&
            strcmp(l->list[i].path, path) == 0)
            return l->list[i].count;
    return 0;
}

typedef struct bbmod_made {
    const char *file;
    tenon_doc *doc;
    tenon_bbmod *model;
    tenon_doc *clips[CLIPS_MOST];
    char names[CLIPS_MOST][64];
    uint32_t clip_count;
    tenon_scene *scene;
    losses losses;
    tenon_error err;
} bbmod_made;

static inline tenon_doc *open_or_exit(const char *path)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    if (doc) return doc;
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

static inline bbmod_made open_model(const char *path)
{
    bbmod_made m = {.file = path, .doc = open_or_exit(path)};
    m.model = tenon_as_bbmod(m.doc);
    return m;
}

static inline void add_clip(bbmod_made *m, const char *path)
{
    const char *name = strrchr(path, '/');
    if (m->clip_count == CLIPS_MOST) return;
    snprintf(m->names[m->clip_count], 64, "%.63s", name ? name + 1 : path);
    m->clips[m->clip_count++] = open_or_exit(path);
}

static inline void make_with(bbmod_made *m, tenon_scene_opts opts)
{
    tenon_companion companions[CLIPS_MOST];
    for (uint32_t i = 0; i < m->clip_count; i++)
        companions[i] = (tenon_companion){m->clips[i], m->names[i]};
    opts.companions = companions;
    opts.companion_count = m->clip_count;
    opts.events.on_loss = note_loss;
    opts.events.user = &m->losses;
    m->losses.count = 0;
    tenon_scene_free(m->scene);
    m->scene = tenon_to_scene(m->doc, &opts, &m->err);
    tenon_error err;
    if (!m->scene || tenon_scene_check(m->scene, &err)) return;
    fprintf(stderr, "%s: %s: %s\n", m->file, err.path, err.message);
    test_failures++;
}

static inline void make(bbmod_made *m)
{
    make_with(m, (tenon_scene_opts){0});
    if (m->scene) return;
    fprintf(stderr, "%s: %s: %s\n", m->file, m->err.path, m->err.message);
    exit(1);
}

static inline bbmod_made make_file(const char *path)
{
    bbmod_made m = open_model(path);
    make(&m);
    return m;
}

static inline void made_free(bbmod_made *m)
{
    tenon_scene_free(m->scene);
    for (uint32_t i = 0; i < m->clip_count; i++) tenon_doc_free(m->clips[i]);
    tenon_doc_free(m->doc);
}

// -- Numbers and names

static inline bool near(double a, double b)
{
    if (fabs(a - b) <= 1e-6) return true;
    fprintf(stderr, "%.9g is not %.9g\n", a, b);
    return false;
}

static inline bool near_all(const float *got, const double *want, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!near((double)got[i], want[i])) return false;
    return true;
}

static inline bool is_named(tenon_str text, const char *want)
{
    return text.size == strlen(want) && memcmp(text.data, want, text.size) == 0;
}

static inline const tenon_primitive *first_primitive(const bbmod_made *m)
{
    return &m->scene->meshes[0].primitives[0];
}

static inline void put_f32(uint8_t *p, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(bits >> 8 * i);
}

#endif  // TENON_TESTS_BBMOD_IMPORT_HELP_H
