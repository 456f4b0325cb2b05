// loss_help.h: a document imported as a scene, with its losses.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_LOSS_HELP_H
#define TENON_TESTS_LOSS_HELP_H

#include "../formats/model_help.h"

#include <tenon/scene.h>

#include <math.h>

#define LOSSES_MOST 64

// The result of an import.
typedef struct made {
    tenon_scene *scene;  // NULL: `err` says why.
    tenon_pose *pose;
    tenon_error err;
    uint32_t loss_count;
    struct {
        tenon_loss_kind kind;
        uint64_t count;
        char feature[48], path[100];
    } losses[LOSSES_MOST];
} made;

static inline void note_loss(void *user, const tenon_loss *loss)
{
    made *m = user;
    if (m->loss_count == LOSSES_MOST) return;
    m->losses[m->loss_count].kind = loss->kind;
    m->losses[m->loss_count].count = loss->count;
    snprintf(m->losses[m->loss_count].feature, 48, "%s", loss->feature);
    snprintf(m->losses[m->loss_count++].path, 100, "%s", loss->path ? loss->path : "");
}

// The scene of `doc`, which is checked and posed at rest.
static inline made make_scene_with(const tenon_doc *doc, tenon_scene_opts opts)
{
    made m = {0};
    opts.events.on_loss = note_loss;
    opts.events.user = &m;
    m.scene = tenon_to_scene(doc, &opts, &m.err);
    if (!m.scene) return m;
    tenon_error err;
    if (!tenon_scene_check(m.scene, &err)) {
        fprintf(stderr, "the scene does not hold: %s: %s\n", err.path, err.message);
        test_failures++;
    }
    m.pose = tenon_pose_new(m.scene, NULL, &err);
    CHECK(m.pose != NULL);
    return m;
}

static inline made make_scene(const tenon_doc *doc)
{
    return make_scene_with(doc, (tenon_scene_opts){0});
}

static inline void free_made(made *m)
{
    tenon_pose_free(m->pose);
    tenon_scene_free(m->scene);
    *m = (made){0};
}

// How many things of that feature were reported as lost in that way.
static inline uint64_t lost(const made *m, tenon_loss_kind kind, const char *feature)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < m->loss_count; i++)
        if (m->losses[i].kind == kind && strcmp(m->losses[i].feature, feature) == 0)
            count += m->losses[i].count;
    return count;
}

// The path that was reported with it; "" if there is none.
static inline const char *lost_at(const made *m, const char *feature)
{
    for (uint32_t i = 0; i < m->loss_count; i++)
        if (strcmp(m->losses[i].feature, feature) == 0) return m->losses[i].path;
    return "";
}

static inline uint32_t node_called(const tenon_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (strcmp(scene->nodes[i].name.data, name) == 0) return i;
    return TENON_NONE;
}

// The value of an extra; "" if there is none.
static inline const char *extra_of(const tenon_scene *scene, tenon_extra_of of, uint32_t index,
                                   const char *name)
{
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *extra = &scene->extras[i];
        if (extra->of == of && extra->index == index && strcmp(extra->name.data, name) == 0)
            return extra->value.data;
    }
    return "";
}

static inline bool near(double a, double b)
{
    return fabs(a - b) <= 1e-6;
}

static inline bool near3(const float *p, double x, double y, double z)
{
    return near((double)p[0], x) && near((double)p[1], y) && near((double)p[2], z);
}

// -- Damage

// Whether a damaged file, read completely or in part, becomes a valid scene, or is refused with a
// reason. Counts those that became one.
static inline const char *fault_in_damaged(const blob *file, const char *format, bool partial,
                                           uint32_t *made_count)
{
    tenon_error err;
    const char *fault = NULL;
    tenon_read_opts opts = {.format = format, .partial = partial};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, &err);
    if (!doc) return NULL;
    tenon_scene *scene = tenon_to_scene(doc, NULL, &err);
    tenon_doc_free(doc);
    if (!scene) return err.code == TENON_ERR_LIMIT ? NULL : "it is refused";
    ++*made_count;
    if (!tenon_scene_check(scene, &err)) fault = "the scene does not hold";
    tenon_pose *pose = tenon_pose_new(scene, NULL, &err);
    double low[3], high[3];
    for (uint32_t i = 0; pose && i < scene->animation_count; i++)
        tenon_pose_set(pose, i, 0.3 * scene->animations[i].duration);
    if (pose) (void)tenon_pose_bounds(pose, low, high);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
    return fault;
}

// Damage every byte of a file in several ways, and cut it everywhere. Returns the number of
// scenes.
static inline uint32_t damage(const char *path, const char *format)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    blob file = blob_load(path);
    uint32_t made_count = 0;
    for (size_t at = 0; at < file.size; at++) {
        uint8_t before = file.data[at];
        blob start = {file.data, at, at};
        const char *fault = fault_in_damaged(&start, format, true, &made_count);
        for (size_t i = 0; i < sizeof values && !fault; i++) {
            file.data[at] = values[i];
            fault = fault_in_damaged(&file, format, i % 2 == 0, &made_count);
        }
        file.data[at] = before;
        if (!fault) continue;
        fprintf(stderr, "%s: damaged at %zu: %s\n", path, at, fault);
        test_failures++;
    }
    blob_free(&file);
    return made_count;
}

// -- Memory that runs out

typedef struct poor {
    uint64_t calls, fail_at;
    int64_t live;
} poor;

static inline void *poor_alloc(void *user, size_t size)
{
    poor *p = user;
    void *memory = ++p->calls == p->fail_at ? NULL : malloc(size);
    p->live += memory != NULL;
    return memory;
}

static inline void poor_free(void *user, void *memory, size_t size)
{
    (void)size;
    ((poor *)user)->live--;
    free(memory);
}

// Whether each allocation may fail, and no memory leaks.
static inline void check_without_memory(const tenon_doc *doc)
{
    bool is_made = false;
    for (uint64_t at = 1; !is_made && at < 1000; at++) {
        poor p = {.fail_at = at};
        tenon_error err;
        tenon_scene_opts opts = {.allocator = {poor_alloc, poor_free, &p}};
        tenon_scene *scene = tenon_to_scene(doc, &opts, &err);
        is_made = scene != NULL;
        CHECK(is_made || err.code == TENON_ERR_MEMORY);
        tenon_scene_free(scene);
        CHECK(p.live == 0);
    }
    CHECK(is_made);
}

// Whether every limit up to the memory needed is respected, without a crash.
static inline void check_within_limits(const tenon_doc *doc, uint64_t step)
{
    bool is_made = false;
    for (uint64_t limit = 1; !is_made && limit < (uint64_t)1 << 24; limit += step) {
        tenon_error err;
        tenon_scene *scene = tenon_to_scene(doc, &(tenon_scene_opts){.max_memory = limit}, &err);
        is_made = scene != NULL;
        CHECK(is_made || err.code == TENON_ERR_LIMIT);
        tenon_scene_free(scene);
    }
    CHECK(is_made);
}

#endif  // TENON_TESTS_LOSS_HELP_H
