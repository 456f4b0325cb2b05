// export_help.h: scenes made by hand, exported to a native format, and the results.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_EXPORT_HELP_H
#define TENON_TESTS_EXPORT_HELP_H

#include "hand_scene.h"
#include "loss_help.h"
#include "stage_help.h"

#include "core/cursor/span.h"
#include "exchange/export_memory.h"

// -- Scenes to write

static inline void stage_move(stage *s, uint32_t node, double x, double y, double z)
{
    const double t[3] = {x, y, z};
    memcpy(s->h.nodes[node].translation, t, sizeof t);
}

static inline void stage_scale(stage *s, uint32_t node, double x, double y, double z)
{
    const double t[3] = {x, y, z};
    memcpy(s->h.nodes[node].scale, t, sizeof t);
}

// A right triangle that faces +Z, with all streams that formats need except tangents.
static float corners[9] = {0, 0, 0, 1, 0, 0, 0, 2, 0};
static float forward[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
static float corner_uvs[6] = {0, 0, 1, 0, 0, 0.25f};
static uint32_t corner_indices[3] = {0, 1, 2};

static inline tenon_primitive *stage_triangle(stage *s, const char *name, uint32_t node)
{
    tenon_primitive *p = hand_mesh(&s->h, name, node, corners, 3);
    p->normals = forward;
    p->uvs[0] = corner_uvs;
    p->indices = corner_indices;
    p->index_count = 3;
    return p;
}

// A triangle that a skin moves: the first vertex by joint 0, the others by the last one.
typedef struct limb {
    uint32_t joints[4];
    float binds[64], weights[12];
    uint16_t numbers[12];
} limb;

static inline tenon_primitive *stage_skin(stage *s, limb *l, uint32_t node, uint32_t joint_count)
{
    tenon_primitive *p = stage_triangle(s, "skinned", node);
    for (uint32_t i = 0; i < 3; i++) {
        l->weights[4 * i] = 1;
        l->numbers[4 * i] = (uint16_t)(i ? joint_count - 1 : 0);
    }
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < 16; k++) l->binds[16 * i + k] = k % 5 == 0;
    p->influence_count = 4;
    p->joints = l->numbers;
    p->weights = l->weights;
    s->h.skins[s->h.scene.skin_count] =
        (tenon_skin){hand_text("skin"), TENON_NONE, joint_count, l->joints, l->binds, 0};
    s->h.nodes[node].skin = s->h.scene.skin_count++;
    return p;
}

static inline void plain_material(tenon_material *m, const char *name)
{
    *m = (tenon_material){.name = hand_text(name),
                          .base_color = {1, 1, 1, 1},
                          .roughness = 1,
                          .normal_scale = 1,
                          .occlusion_strength = 1,
                          .alpha_cutoff = 0.5,
                          .is_classic = true,
                          .shininess = 1};
    for (int i = 0; i < TENON_SLOT_COUNT; i++)
        m->textures[i] = (tenon_texture){.image = TENON_NONE, .scale = {1, 1}};
}

// -- Results

typedef struct written {
    bool is_written;
    tenon_error err;
    made reported;  // Only its losses.
    double errors[LOSSES_MOST];
    tn_memory_folder folder;
    tenon_doc *doc;      // What was written, read again;
    tenon_scene *scene;  // and imported.
    tenon_verify_result proof;
} written;

static const tenon_allocator plain_allocator;

static inline void note_written_loss(void *user, const tenon_loss *loss)
{
    written *w = user;
    if (w->reported.loss_count < LOSSES_MOST) w->errors[w->reported.loss_count] = loss->error;
    note_loss(&w->reported, loss);
}

// The error that was reported; negative if the feature was not.
static inline double reported_error(const written *w, const char *feature)
{
    for (uint32_t i = 0; i < w->reported.loss_count; i++)
        if (strcmp(w->reported.losses[i].feature, feature) == 0) return w->errors[i];
    return -1;
}

static inline void show_error(void *user, const tenon_finding *finding)
{
    (void)user;
    if (finding->severity == TENON_ERROR)
        fprintf(stderr, "%s: %s\n", finding->path, finding->message);
}

// Errors that the engine's profile finds.
static inline uint64_t errors_in(const tenon_doc *doc)
{
    tenon_check_opts opts = {.profile = "coreengine"};
    tenon_check_result result = {.errors = 1};
    tenon_error err;
    CHECK(tenon_check(doc, &opts, show_error, NULL, &result, &err));
    return result.errors;
}

// What was written is read, and written again byte for byte.
static inline void read_again(written *w, const tenon_scene *from, double rate)
{
    const tn_memory_file *file = tn_memory_find(&w->folder, "");
    w->doc = tenon_read(file->data, file->size, &(tenon_read_opts){.copy = true}, &w->err);
    CHECK(w->doc != NULL);
    if (!w->doc) return;
    blob again = blob_written(w->doc);
    CHECK(again.size == file->size && memcmp(again.data, file->data, again.size) == 0);
    blob_free(&again);
    w->scene = tenon_to_scene(w->doc, &(tenon_scene_opts){.rate = rate}, &w->err);
    CHECK(w->scene != NULL);
    if (w->scene) CHECK(tenon_verify(from, w->scene, NULL, &w->proof, &w->err));
}

static inline void write_with(written *w, const tenon_scene *scene, tenon_export_opts opts)
{
    *w = (written){.folder = {.allocator = &plain_allocator}};
    tenon_sink sink = tn_memory_sink(&w->folder);
    opts.events.on_loss = note_written_loss;
    opts.events.user = w;
    w->is_written = tenon_export(scene, &opts, &sink, &w->err);
    if (w->is_written) read_again(w, scene, opts.rate);
}

// Write a scene; it has to succeed, and the engine has to accept it.
static inline void write_as(written *w, const stage *s, const char *format)
{
    write_with(w, &s->h.scene, (tenon_export_opts){.format = format});
    if (!w->is_written) fprintf(stderr, "%s: %s\n", w->err.path, w->err.message);
    CHECK(w->is_written && w->doc && w->scene && errors_in(w->doc) == 0);
    if (!w->doc || !w->scene) exit(1);
}

static inline void written_free(written *w)
{
    tenon_scene_free(w->scene);
    tenon_doc_free(w->doc);
    tn_memory_free(&w->folder);
}

// Whether poses are the same, corner by corner, and no triangle is inside out.
static inline bool is_same_pose(const written *w)
{
    const tenon_verify_result *r = &w->proof;
    bool is_same = r->largest < 1e-6 && r->matched == 1 && r->reversed == 0 && !r->by_surface &&
                   r->missing_clips == 0 && r->extra_clips == 0 && r->missing_meshes == 0;
    if (!is_same)
        fprintf(stderr, "off by %g in '%s' at %g, %g matched, %g reversed, %u clips missing\n",
                r->largest, r->clip, r->seconds, r->matched, r->reversed,
                (unsigned)r->missing_clips);
    return is_same;
}

// Whether the numbers of a span, floats, from `first` on are these.
static inline bool holds(const tenon_span *span, uint64_t first, const float *want, uint32_t count)
{
    if (4 * (first + count) > span->size) return false;
    for (uint32_t i = 0; i < count; i++) {
        float got = tn_load_f32(span->data + 4 * (first + i), span->big_endian);
        if (hand_near((double)got, (double)want[i], 1e-6)) continue;
        fprintf(stderr, "number %u is %g, not %g\n", (unsigned)i, (double)got, (double)want[i]);
        return false;
    }
    return true;
}

#define HOLDS(span, first, ...)                      \
    holds(span, first, (const float[]){__VA_ARGS__}, \
          (uint32_t)(sizeof((const float[]){__VA_ARGS__}) / 4))

static inline bool text_is(tenon_str text, const char *want)
{
    bool is_same = text.size == strlen(want) && memcmp(text.data, want, text.size) == 0;
    if (!is_same) fprintf(stderr, "got \"%.*s\", want \"%s\"\n", (int)text.size, text.data, want);
    return is_same;
}

// -- Whole files

static inline tenon_scene *scene_of(const char *path)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    tenon_scene *scene =
        doc ? tenon_to_scene(doc, &(tenon_scene_opts){.model_path = path}, &err) : NULL;
    if (!scene) fprintf(stderr, "%s: %s\n", path, err.message);
    tenon_doc_free(doc);
    if (!scene) exit(1);
    return scene;
}

// Whether each allocation may fail, and no memory leaks.
static inline void check_export_without_memory(const tenon_scene *scene, const char *format)
{
    bool is_written = false;
    for (uint64_t at = 1; !is_written && at < 2000; at++) {
        poor p = {.fail_at = at};
        tenon_error err;
        tn_memory_folder folder = {.allocator = &plain_allocator};
        tenon_sink sink = tn_memory_sink(&folder);
        tenon_export_opts opts = {.format = format, .allocator = {poor_alloc, poor_free, &p}};
        is_written = tenon_export(scene, &opts, &sink, &err);
        CHECK(is_written || err.code == TENON_ERR_MEMORY);
        CHECK(p.live == 0);
        tn_memory_free(&folder);
    }
    CHECK(is_written);
}

// The same bytes on every run.
static inline void check_same_bytes(const tenon_scene *scene, const char *format)
{
    written a, b;
    write_with(&a, scene, (tenon_export_opts){.format = format});
    write_with(&b, scene, (tenon_export_opts){.format = format});
    const tn_memory_file *x = tn_memory_find(&a.folder, ""), *y = tn_memory_find(&b.folder, "");
    CHECK(x && y && x->size == y->size && memcmp(x->data, y->data, x->size) == 0);
    written_free(&a);
    written_free(&b);
}

#endif  // TENON_TESTS_EXPORT_HELP_H
